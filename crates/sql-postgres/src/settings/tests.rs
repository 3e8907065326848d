//! Values as a PostgreSQL 15 server gave them.

use super::*;

fn set(settings: &mut Settings, name: &str, value: &str) -> String {
    match settings.set(name, Some(value), false) {
        Ok(value) => value,
        Err(error) => {
            let error = crate::worded(error);
            format!("{} {}", error.state().0, error.message())
        }
    }
}

#[test]
fn values_are_checked_and_shown_as_postgresql_does() {
    let mut s = Settings::new("postgres");
    for (name, value, shown) in [
        (
            "statement_timeout",
            "abc",
            "22023 invalid value for parameter \"statement_timeout\": \"abc\"",
        ),
        (
            "statement_timeout",
            "-1",
            "22023 -1 ms is outside the valid range for parameter \"statement_timeout\" (0 .. 2147483647)",
        ),
        ("statement_timeout", "1.5s", "1500ms"),
        ("statement_timeout", "90000", "90s"),
        ("statement_timeout", "1d", "1d"),
        ("work_mem", "1GB", "1GB"),
        ("work_mem", "1XB", "22023 invalid value for parameter \"work_mem\": \"1XB\""),
        (
            "extra_float_digits",
            "9",
            "22023 9 is outside the valid range for parameter \"extra_float_digits\" (-15 .. 3)",
        ),
        ("bytea_output", "x", "22023 invalid value for parameter \"bytea_output\": \"x\""),
        ("datestyle", "german", "German, DMY"),
        ("datestyle", "postgres, dmy", "Postgres, DMY"),
        ("datestyle", "sql", "SQL, DMY"),
        ("datestyle", "x", "22023 invalid value for parameter \"DateStyle\": \"x\""),
        ("timezone", "Foo", "22023 invalid value for parameter \"TimeZone\": \"Foo\""),
        ("timezone", "3", "<+03>-03"),
        ("foo", "1", "42704 unrecognized configuration parameter \"foo\""),
        ("foo.bar", "1", "1"),
        ("foo.1x", "2", "42602 invalid configuration parameter name \"foo.1x\""),
        ("server_version", "1", "55P02 parameter \"server_version\" cannot be changed"),
        ("port", "1", "55P02 parameter \"port\" cannot be changed without restarting the server"),
        ("autovacuum", "on", "55P02 parameter \"autovacuum\" cannot be changed now"),
        ("enable_seqscan", "maybe", "22023 parameter \"enable_seqscan\" requires a Boolean value"),
        ("default_transaction_isolation", "SERIALIZABLE", "serializable"),
        ("client_min_messages", "debug", "debug2"),
        ("default_transaction_deferrable", "1", "on"),
        ("random_page_cost", "1.5", "1.5"),
        ("intervalstyle", "ISO_8601", "iso_8601"),
        (
            "max_parallel_workers_per_gather",
            "2kB",
            "22023 invalid value for parameter \"max_parallel_workers_per_gather\": \"2kB\"",
        ),
    ] {
        assert_eq!(set(&mut s, name, value), shown, "{name} = {value}");
    }
}

#[test]
fn a_transaction_can_be_undone_and_local_ends() {
    let mut s = Settings::new("u");
    set(&mut s, "work_mem", "8MB");
    let begin = s.save();
    s.set("work_mem", Some("16MB"), true).unwrap();
    assert_eq!(s.get("work_mem").as_deref(), Some("16MB"));
    s.end_transaction();
    assert_eq!(s.get("work_mem").as_deref(), Some("8MB"));
    set(&mut s, "search_path", "a, \"B c\"");
    assert_eq!(s.search_path().join("|"), "a|B c");
    s.restore(&begin);
    assert_eq!(s.search_path().join("|"), "u|public");
    s.reset_all();
    assert_eq!(s.get("work_mem").as_deref(), Some("4MB"));
}

#[test]
fn changes_are_reported_once() {
    let mut s = Settings::new("u");
    let first = s.take_reports();
    assert!(first.contains(&("server_version", "15.18".to_owned())));
    assert!(s.take_reports().is_empty());
    set(&mut s, "application_name", "x");
    set(&mut s, "work_mem", "8MB");
    assert_eq!(s.take_reports(), vec![("application_name", "x".to_owned())]);
}

/// Settings that change what a session does.
const OBEYED: [&str; 24] = [
    "application_name",
    "backslash_quote",
    "bytea_output",
    "client_encoding",
    "client_min_messages",
    "DateStyle",
    "deadlock_timeout",
    "default_transaction_deferrable",
    "default_transaction_isolation",
    "default_transaction_read_only",
    "escape_string_warning",
    "extra_float_digits",
    "idle_in_transaction_session_timeout",
    "idle_session_timeout",
    "IntervalStyle",
    "lock_timeout",
    "search_path",
    "session_replication_role",
    "standard_conforming_strings",
    "statement_timeout",
    "TimeZone",
    "transaction_deferrable",
    "transaction_isolation",
    "transaction_read_only",
];

#[test]
fn every_setting_is_obeyed_refused_or_said_to_have_no_effect() {
    let docs = include_str!("../../../../docs/postgres.md");
    let listed = docs.split("and change nothing:").nth(1).and_then(|rest| rest.split("## ").next());
    let listed = listed.expect("the docs list them");
    let has = |name: &str| listed.contains(&format!("`{name}`"));
    for definition in definitions().iter().filter(|d| d.category != "Customized Options") {
        let name = definition.name;
        let refused = value::REFUSED.iter().find(|(refused, _)| *refused == name);
        let settable = matches!(definition.context, "user" | "superuser");
        let ways = [OBEYED.contains(&name), has(name), refused.is_some(), !settable];
        assert_eq!(ways.iter().filter(|way| **way).count(), 1, "{name}: {ways:?}");
        let mut s = Settings::new("postgres");
        if !settable {
            assert!(set(&mut s, name, definition.default).starts_with("55P02"), "{name}");
        }
        if let Some((_, on)) = refused {
            let shown = set(&mut s, name, if *on { "on" } else { "off" });
            assert!(shown.starts_with("0A000"), "{name}: {shown}");
            assert_eq!(
                set(&mut s, name, if *on { "off" } else { "on" }),
                if *on { "off" } else { "on" }
            );
        }
    }
}
