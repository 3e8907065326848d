//! System variables beside MariaDB: what each is at the start, what it takes, what it says to what it does not take.

use hobgoblin_sql_mysql::parse::{Reading, parse};
use hobgoblin_sql_mysql::settings::{
    Effect, Evaluate, Globals, Kind, Present, Reach, SetIn, Table, Variables, set,
};
use hobgoblin_sql_mysql::syntax::{Scope, Special};
use hobgoblin_sql_mysql_types::{Collation, MyType, Settings, Severity, Version, number};
use hobgoblin_sql_schema::names::{NoNames, TypeEnv};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::{Datum, Numeric, TypeId};
use sqlparser::ast::{Expr, UnaryOperator, Value};

use crate::server::Server;

/// A session that computes constants only.
#[derive(Default)]
struct Constants(Settings);

impl Evaluate for Constants {
    fn evaluate(&mut self, expr: &Expr) -> Result<(Datum, TypeId)> {
        let (value, ty) = constant(expr).ok_or_else(|| SqlError::internal(expr.to_string()))?;
        Ok((value, ty.id()))
    }

    fn types(&self) -> TypeEnv<'_> {
        TypeEnv::new(&self.0, &NoNames)
    }
}

fn constant(expr: &Expr) -> Option<(Datum, MyType)> {
    match expr {
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
            let (value, ty) = constant(expr)?;
            Some(match value {
                Datum::Float(number) => (Datum::Float(-number), ty),
                value if ty.is_integer() => {
                    (number::integer(-number::integer_of(&value)?), MyType::BIGINT)
                }
                _ => return None,
            })
        }
        Expr::Value(value) => Some(match &value.value {
            Value::Null => (Datum::Null, MyType::NULL),
            Value::Boolean(truth) => (Datum::Bool(*truth), MyType::TRUTH),
            Value::SingleQuotedString(text) => {
                (Datum::text(text.as_str()), MyType::text(10, Collation::DEFAULT))
            }
            Value::Number(digits, _) if digits.contains(['e', 'E']) => {
                (Datum::Float(digits.parse().ok()?), MyType::DOUBLE)
            }
            Value::Number(digits, _) => {
                let exact: Numeric = digits.parse().ok()?;
                match digits.parse::<u64>() {
                    Ok(whole) => (number::integer(i128::from(whole)), MyType::UNSIGNED),
                    Err(_) => {
                        let ty = MyType::decimal(30, u32::from(exact.scale()));
                        (Datum::Numeric(exact), ty)
                    }
                }
            }
            _ => return None,
        }),
        _ => None,
    }
}

/// What is said to a SET: the error, the warnings, and the value after it.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    error: Option<(u16, String)>,
    warnings: Vec<(u16, String)>,
    value: String,
}

struct Case {
    sql: String,
    read: String,
    undo: String,
}

fn presented(value: &Datum) -> String {
    match value {
        Datum::Null => "NULL".to_owned(),
        Datum::Int(number) => number.to_string(),
        Datum::Numeric(number) => number.to_string(),
        Datum::Float(number) => format!("{number:.6}"),
        Datum::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    }
}

/// Ours, from the start of a session and a server.
fn ours(case: &Case, name: &str, scope: Scope) -> Said {
    let globals = Globals::new(Version::MariaDb10_11);
    let mut variables = Variables::new(&globals, false);
    let mut session = Constants::default();
    variables.effects().write(&mut session.0);
    let within = SetIn { in_transaction: false, database: Collation::DEFAULT };
    let statement = match parse(&case.sql, Reading::default()) {
        Ok(mut statements) => statements.remove(0),
        Err(error) => {
            let error = Some((error.number(), error.to_string()));
            return Said { error, warnings: Vec::new(), value: String::new() };
        }
    };
    let Some(Special::Set(list)) = statement.special.as_deref() else { panic!("{}", case.sql) };
    let done = set(list, &mut variables, &mut session, within);
    let (changed, error) = match done {
        Ok(changed) => (changed, None),
        Err(error) => (Vec::new(), Some((error.more.number.unwrap_or(0), error.message()))),
    };
    let kept = session.0.warnings.kept();
    let warnings = kept
        .into_iter()
        .filter(|warning| warning.severity != Severity::Error)
        .map(|warning| (warning.number, warning.message))
        .collect();
    let last_insert_id = changed.first().and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let present = Present { last_insert_id, ..Present::default() };
    let value = variables.datum(Some(scope), name, &present);
    Said { error, warnings, value: value.map_or_else(|e| e.message(), |value| presented(&value)) }
}

/// What a variable is given: what its kind takes, and what it does not.
fn values(definition: &hobgoblin_sql_mysql::settings::Definition) -> Vec<String> {
    let mut all: Vec<String> = [
        "DEFAULT", "NULL", "0", "1", "2", "-1", "7", "1.5", "1e1", "'abc'", "''", "ON", "off",
        "TRUE", "'1'",
    ]
    .map(str::to_owned)
    .into();
    match definition.kind {
        Kind::Integer | Kind::Unsigned => {
            all.extend(
                ["1000", "70000", "99999999999", "18446744073709551615", "18446744073709551616"]
                    .map(str::to_owned),
            );
            for bound in [definition.least, definition.most] {
                all.extend([bound - 1, bound, bound + 1].map(|bound| bound.to_string()));
            }
        }
        Kind::Double => {
            let (least, most) = definition.range;
            all.extend(
                [least, most]
                    .map(|bound| format!("{bound:?}"))
                    .into_iter()
                    .filter(|b| !b.contains("e308")),
            );
            all.extend(["99999999999".to_owned(), "0.25".to_owned()]);
        }
        Kind::Enum => {
            let words = &definition.words;
            all.extend(words.iter().map(|word| format!("'{}'", word.to_lowercase())));
            all.push(words.len().to_string());
        }
        Kind::Set => {
            let words = &definition.words;
            all.extend(words.iter().map(|word| format!("'{}'", word.to_lowercase())));
            all.push(format!("'{},{}'", words[0], words.last().unwrap()));
            all.push(format!("'{},nope'", words[0]));
            all.push(((1u128 << words.len()) - 1).to_string());
            all.push((1u128 << words.len()).to_string());
        }
        Kind::Switches => {
            let word = definition.words[0];
            all.extend(
                ["=on", "=off", "=default", "=x", ""].map(|state| format!("'{word}{state}'")),
            );
            all.push(format!("'{word}=on,{word}=off'"));
            all.push(format!("'default,{word}=off'"));
        }
        Kind::Charset => all.extend(
            ["latin1", "'UTF8'", "utf8mb4", "binary", "8", "33", "nope"].map(str::to_owned),
        ),
        Kind::Collation => all.extend(
            ["latin1_bin", "'UTF8_bin'", "utf8mb4_BIN", "8", "33", "nope"].map(str::to_owned),
        ),
        Kind::Bool | Kind::Text => all.extend(
            ["'on'", "'InnoDB'", "myisam", "'+1:00'", "'SYSTEM'", "'-13:30'"].map(str::to_owned),
        ),
    }
    all
}

/// Variables whose values are about the place where a server runs, or that do more than be set.
const ELSEWHERE: &[&str] = &[
    // Found out at the start.
    "back_log",
    "table_open_cache",
    "table_definition_cache",
    "open_files_limit",
    "thread_cache_size",
    "host_cache_size",
    "thread_pool_size",
    "thread_pool_max_threads",
    "max_statement_time",
    "table_open_cache_instances",
    "hostname",
    "pid_file",
    "socket",
    "datadir",
    "skip_networking",
    "version_source_revision",
    "version_ssl_library",
    "version_comment",
    "version",
    "version_compile_os",
    "server_uid",
    "log_error",
    "general_log_file",
    "log_slow_query_file",
    "slow_query_log_file",
    "lc_messages_dir",
    "bind_address",
    "port",
    "basedir",
    "plugin_dir",
    "init_file",
    "innodb_buffer_pool_size",
    "innodb_fast_shutdown",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_buffer_pool_size_auto_min",
    "log_bin_basename",
    "character_sets_dir",
    "report_port",
    "timestamp",
    "innodb_version",
    "innodb_open_files",
    "aria_log_dir_path",
    "proxy_user",
    "external_user",
    "pseudo_thread_id",
    "rand_seed1",
    "rand_seed2",
    "large_page_size",
    "in_transaction",
    "warning_count",
    "error_count",
    "slave_load_tmpdir",
    "tmpdir",
    "character_set_database",
    "collation_database",
    // Whose value at the start is another than the default.
    "sql_big_selects",
    // What depends on other parts of a server.
    "innodb_default_encryption_key_id",
    "default_master_connection",
    "max_delayed_threads",
    "max_insert_delayed_threads",
    "pseudo_slave_mode",
    "innodb_tmpdir",
    "innodb_ft_user_stopword_table",
    "innodb_ft_server_stopword_table",
];

/// Whether the server may be asked to set a variable globally without doing something that lasts.
fn is_harmless(name: &str) -> bool {
    let risky = [
        "innodb",
        "aria",
        "myisam",
        "master",
        "slave",
        "relay",
        "gtid",
        "rpl",
        "log_",
        "general",
        "slow",
        "key_",
        "query_cache",
        "thread",
        "table_",
        "binlog",
        "max_conn",
        "max_prep",
        "sync",
        "init",
        "secure",
        "old",
        "tcp",
        "proxy",
        "encrypt",
        "event",
        "userstat",
        "debug",
        "flush",
        "local_infile",
        "disconnect",
        "ft_",
        "default_password",
        "require",
        "expire",
        "strict_p",
        "extra",
        "max_tmp",
        "max_binlog",
        "max_user",
        "server_id",
        "connect_timeout",
        "mysql56",
        "replicate",
        "report",
        "host",
        "metadata",
        "stored",
        "read_only",
        "read_binlog",
        "max_password",
        "skip",
        "delay",
        "max_write",
        "enforce",
    ];
    !risky.iter().any(|start| name.starts_with(start))
}

#[test]
fn variables_begin_as_mariadbs() {
    let Some(server) = Server::shared() else { return };
    let theirs = server.lines("SHOW GLOBAL VARIABLES;\n");
    let theirs: Vec<(&str, &str)> =
        theirs.iter().map(|line| line.split_once('\t').unwrap_or((line, ""))).collect();
    let globals = Globals::new(Version::MariaDb10_11);
    let ours = Variables::new(&globals, false).list(true, &Present::default());
    let mut wrong = Vec::new();
    for (name, value) in &theirs {
        if ELSEWHERE.contains(name)
            || ["wsrep_", "performance_schema_", "innodb_ft_aux", "innodb_monitor", "rpl_semi"]
                .iter()
                .any(|s| name.starts_with(s))
        {
            continue;
        }
        match ours.iter().find(|(known, _)| known == name) {
            Some((_, known)) if known == value => {}
            other => wrong.push(format!("{name}: theirs {value}, ours {other:?}")),
        }
    }
    for (name, _) in ours.iter().filter(|(name, _)| !name.starts_with("hob_")) {
        if !theirs.iter().any(|(known, _)| known == name) {
            wrong.push(format!("{name}: not theirs"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), theirs.len(), wrong.join("\n"));
}

#[test]
fn variables_take_what_mariadbs_take() {
    let Some(server) = Server::shared() else { return };
    let mut cases = Vec::new();
    for (_, definition) in Table::of(Version::MariaDb10_11).all() {
        let name = definition.name;
        if ELSEWHERE.contains(&name) || name.starts_with("hob_") {
            continue;
        }
        for (word, scope) in [("SESSION", Scope::Session), ("GLOBAL", Scope::Global)] {
            let reaches = match definition.reach {
                Reach::Both => true,
                Reach::Global => scope == Scope::Global,
                Reach::Session => scope == Scope::Session,
            };
            let values = match reaches && !definition.read_only {
                true if scope == Scope::Global && !is_harmless(name) => continue,
                true => values(definition),
                false => vec!["1".to_owned(), "'x'".to_owned(), "DEFAULT".to_owned()],
            };
            for value in values {
                let case = Case {
                    sql: format!("SET {word} {name} = {value}"),
                    read: match reaches {
                        true => format!("@@{word}.{name}"),
                        false => "0".to_owned(),
                    },
                    undo: match name {
                        "last_insert_id" | "identity" => format!("SET {name} = 0"),
                        _ => format!("SET {word} {name} = DEFAULT"),
                    },
                };
                cases.push((case, name, scope, reaches, definition.effect));
            }
        }
    }
    let sqls: Vec<String> = cases
        .iter()
        .map(|(case, ..)| {
            let Case { sql, read, undo } = case;
            format!("SHOW VARIABLES LIKE 'x'; {sql}; SHOW WARNINGS; SELECT '#', {read}; {undo};")
        })
        .collect();
    let theirs = server.steps(&sqls);
    let mut wrong = Vec::new();
    for ((case, name, scope, reaches, effect), (error, printed)) in cases.iter().zip(theirs) {
        let mut their_warnings = Vec::new();
        let mut value = String::new();
        for line in &printed {
            let parts: Vec<&str> = line.splitn(3, '\t').collect();
            match parts.as_slice() {
                ["#", rest @ ..] => value = rest.join("\t"),
                [severity, number, message] if *severity != "Error" => {
                    their_warnings.push((number.parse().unwrap_or(0), (*message).to_owned()));
                }
                _ => {}
            }
        }
        let theirs = Said { error, warnings: their_warnings, value };
        let mut mine = ours(case, name, *scope);
        // With a limit of nothing the value is not told.
        if !reaches || theirs.value.is_empty() && *name == "sql_select_limit" {
            mine.value = theirs.value.clone();
        }
        let number = mine.error.as_ref().map_or(0, |(number, _)| *number);
        let not_here = match number {
            1235 => *effect == Effect::Fixed || *name == "sql_mode",
            // Character sets and collations that are not here.
            1115 | 1273 => theirs.error.is_none(),
            _ => false,
        };
        if not_here {
            continue;
        }
        if mine != theirs {
            wrong.push(format!("{}\n    ours:   {mine:?}\n    theirs: {theirs:?}", case.sql));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
