//! Our SQL beside PostgreSQL's: every statement runs on both, in one session, and the answers are
//! compared — names and types of columns, rows, command tags, SQLSTATEs.
//!
//! Statements are written by hand (`*.sql` here, each file a session of its own), collected as
//! expressions (`tests/data/expressions.sql`), and generated from seeds. `cargo test` runs a part of them;
//! `HOB_FULL=1` all, on both profiles. `HOB_SEED=100` generates from other seeds. `HOB_ONLY=joins` runs the sessions whose name has that in it, and
//! `HOB_SHOW=200` shows so many differences.

#![allow(clippy::print_stdout)]

mod answer;
mod generate;
mod hob;
mod postgres;

use std::path::Path;

use hobgoblin_front::Profile;

use answer::{Outcome, is_ordered};

/// One session: its name, and its statements.
struct Script {
    name: String,
    statements: Vec<String>,
}

#[derive(Default)]
struct Tally {
    equal: usize,
    /// Those of them that failed on both sides, with one SQLSTATE.
    errors: usize,
    /// What is known not to be supported, and said so.
    refused: usize,
    /// What differs for a reason.
    known: usize,
    unsupported: Vec<String>,
    different: Vec<String>,
}

#[test]
fn answers_as_postgresql_does() {
    let full = std::env::var_os("HOB_FULL").is_some();
    let Some(server) = postgres::Server::start("") else { return };
    let mut scripts = scripts(full);
    if let Ok(only) = std::env::var("HOB_ONLY") {
        scripts.retain(|script| script.name.contains(&only));
    }
    // What stops early does so only in an engine.
    let both =
        |script: &Script| full || script.name == "limits" || script.name.starts_with("generated");
    let mut tally = Tally::default();
    for (number, script) in scripts.iter().enumerate() {
        let profiles = match both(script) {
            true => &[Profile::Spec, Profile::Postgres][..],
            false => &[Profile::Spec],
        };
        compare(&server, number, script, profiles, &mut tally);
    }
    let differing = tally.unsupported.len() + tally.different.len();
    let total = tally.equal + tally.refused + tally.known + differing;
    let show = std::env::var("HOB_SHOW").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    for line in tally.unsupported.iter().chain(&tally.different).take(show) {
        println!("{line}\n");
    }
    println!(
        "{total} statements in {} sessions: {} equal ({} of them errors), {} different, {} unsupported ({} of them in \
         unsupported.sql), {} left out",
        scripts.len(),
        tally.equal,
        tally.errors,
        tally.different.len(),
        tally.unsupported.len() + tally.refused,
        tally.refused,
        tally.known
    );
    assert!(tally.different.is_empty(), "{} statements differ", tally.different.len());
    assert!(
        tally.unsupported.is_empty(),
        "{} statements are not supported",
        tally.unsupported.len()
    );
}

/// Runs a script on PostgreSQL and on stores of these profiles.
fn compare(
    server: &postgres::Server,
    number: usize,
    script: &Script,
    profiles: &[Profile],
    tally: &mut Tally,
) {
    let database = format!("d{number}");
    let mut theirs = server.connect(&database).expect("the server that was started answers");
    let mut stores: Vec<(Profile, hob::Hob)> =
        profiles.iter().map(|profile| (*profile, hob::Hob::connect(*profile, &database))).collect();
    for sql in &script.statements {
        let expected = theirs.query(sql).expect("the server answers");
        for (profile, store) in &mut stores {
            let found = store.query(sql);
            let line = || {
                let (name, found, expected) = (&script.name, found.brief(), expected.brief());
                format!("{name} ({profile:?}): {sql}\n  postgres {expected}\n  hob      {found}")
            };
            if script.name == "expressions" && known(sql) {
                tally.known += 1;
                continue;
            }
            // What PostgreSQL computes while planning loses its modifier, or keeps one it would lose.
            let exact = !script.name.starts_with("generated");
            match found.compare(&expected, is_ordered(sql), exact) {
                Outcome::Equal => {
                    tally.equal += 1;
                    tally.errors += usize::from(found.state.is_some());
                }
                Outcome::Different if !exact && break_different_rules(sql, &found, &expected) => {
                    tally.known += 1;
                }
                Outcome::Unsupported if script.name == "unsupported" => tally.refused += 1,
                Outcome::Unsupported => tally.unsupported.push(format!("UNSUPPORTED {}", line())),
                Outcome::Different => tally.different.push(format!("DIFFERENT {}", line())),
            }
        }
    }
}

/// Whether both refuse a MERGE because of a constraint, though not of the same one: where several rows break one
/// it depends on the row that comes first, and PostgreSQL's come in the order of a join.
fn break_different_rules(sql: &str, found: &answer::Answer, expected: &answer::Answer) -> bool {
    let broken = |answer: &answer::Answer| {
        answer.state.as_deref().is_some_and(|state| state.starts_with("23"))
    };
    sql.starts_with("MERGE") && broken(found) && broken(expected)
}

/// Statements of `expressions.sql` that are not compared, and why.
fn known(sql: &str) -> bool {
    let sql = sql.to_ascii_lowercase();
    // The last digit of cube roots is the C library's.
    let roots = sql.contains("cbrt(") || sql.contains("||/");
    // PostgreSQL 15 takes infinity for a number here.
    let ages = sql.contains("age(date 'infinity'");
    // Names of types as functions are syntax errors there, and calls here; `0x1F` and `unnest` of an
    // unknown literal are refused by both, for other reasons.
    let forms =
        ["select numeric('1.50')", "select varchar(5)::text", "select 0x1f", "unnest('{1,2}')"];
    // These are not supported; docs/sql.md says so.
    let missing = ["unistr(", "parse_ident(", "normalize(", "array['yesterday'", "similar '%"];
    let rest = || forms.iter().chain(&missing).any(|part| sql.contains(part));
    roots || ages || (sql.starts_with("select") && rest())
}

/// The sessions to run.
fn scripts(full: bool) -> Vec<Script> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut paths: Vec<_> = std::fs::read_dir(here.join("differential"))
        .expect("this directory is there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "sql"))
        .collect();
    paths.sort();
    let mut scripts = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        scripts.push(Script { name, statements: split(&read(&path)) });
    }
    let expressions = split(&read(&here.join("data/expressions.sql")));
    let expressions = expressions.into_iter().step_by(if full { 1 } else { 10 });
    scripts.push(Script { name: "expressions".to_owned(), statements: expressions.collect() });
    let first = std::env::var("HOB_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let seeds = if full { 60 } else { 6 };
    for seed in first..first + seeds {
        let statements = generate::session(seed, 100);
        scripts.push(Script { name: format!("generated-{seed}"), statements });
    }
    for seed in first..first + seeds {
        let statements = generate::pattern::session(seed, 5, 100);
        scripts.push(Script { name: format!("generated-patterns-{seed}"), statements });
    }
    scripts
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The statements of a file: each ends with a semicolon at the end of a line.
fn split(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("--")).collect();
    let text = lines.join("\n") + "\n";
    let parts = text.split(";\n").map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// The definitions of views that PostgreSQL must read as we print them, whatever was written in them.
const VIEWS: [&str; 12] = [
    "SELECT (x).*, 1 AS one FROM (SELECT t AS x FROM t) s",
    "SELECT concat(VARIADIC ARRAY['a', s]) AS c FROM t",
    "SELECT a FROM t ORDER BY a FETCH FIRST (1 + 1) ROWS WITH TIES",
    "SELECT a FROM t FOR NO KEY UPDATE OF t SKIP LOCKED",
    "SELECT t.a FROM t JOIN t u USING (id) FOR KEY SHARE OF t, u",
    "SELECT a, sum(a) OVER (ORDER BY a GROUPS 1 PRECEDING EXCLUDE TIES) AS n FROM t",
    "SELECT a, sum(a) OVER w AS n FROM t WINDOW w AS (ORDER BY a ROWS 1 PRECEDING EXCLUDE CURRENT ROW)",
    "SELECT EXISTS (SELECT WHERE 1 = 2) AS e",
    "WITH t AS (SELECT 9 AS a), \"U\" AS (SELECT a FROM public.t) SELECT a FROM t UNION SELECT a FROM \"U\"",
    "SELECT a -- FROM t\n  FROM t /* FROM t */ WHERE s <> 'FROM t'\n  AND 1 OPERATOR(pg_catalog.=) ANY (ARRAY[a, 1])",
    "TABLE t",
    "SELECT ((SELECT min(a) FROM t) UNION (SELECT min(a) FROM t)) AS least, s FROM ONLY t \"größe\"",
];

#[test]
fn views_are_printed_as_postgresql_reads_them() {
    let Some(server) = postgres::Server::start("") else { return };
    let mut theirs = server.connect("printed").expect("the server that was started answers");
    let mut ours = hob::Hob::connect(Profile::Spec, "printed");
    let mut both = |sql: &str, other: &str| {
        let (expected, found) = (theirs.query(sql).expect("the server answers"), ours.query(other));
        assert!(
            matches!(found.compare(&expected, true, true), Outcome::Equal),
            "{sql}\n  postgres {}\n  hob {}",
            expected.brief(),
            found.brief()
        );
        found
    };
    for sql in [
        "CREATE TABLE t (id int PRIMARY KEY, a int, s text)",
        "INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 2, NULL)",
    ] {
        both(sql, sql);
    }
    for (number, query) in VIEWS.iter().enumerate() {
        let name = format!("v{number}");
        // PostgreSQL has the view twice: as it was written, and as we print it.
        let create = format!("CREATE VIEW {name} AS {query}");
        both(&create, &create);
        let printed = format!("SELECT pg_get_viewdef('{name}')");
        let mut store = hob::Hob::connect(Profile::Spec, "printed");
        store.query("CREATE TABLE t (id int PRIMARY KEY, a int, s text)");
        store.query(&create);
        let text = store.query(&printed).rows[0][0].clone().expect("a view has a definition");
        assert!(!text.chars().any(|c| ('\u{e000}'..='\u{f8ff}').contains(&c)), "{text}");
        let again = format!("CREATE VIEW again{number} AS {text}");
        both(&again, &again);
        let read = format!("SELECT * FROM {name} ORDER BY 1");
        both(&read, &read);
        both(&format!("SELECT * FROM again{number} ORDER BY 1"), &read);
        // Once more, with the relations under other names.
        let renamed = "ALTER TABLE t RENAME TO \"Other\"";
        both(renamed, renamed);
        both(&read, &read);
        let back = "ALTER TABLE \"Other\" RENAME TO t";
        both(back, back);
    }
}

/// Statements with an error of syntax in a clause that is read off the tokens, or next to one.
const MISTAKES: [&str; 26] = [
    "INSERT INTO t VALUES (1) ON CONFLICT (lower(s)) WHERE DO NOTHING",
    "INSERT INTO t VALUES (1) ON CONFLICT (lower(s) DO NOTHING",
    "INSERT INTO t VALUES (1)\n  ON CONFLICT (a + 1) DO NOTHING",
    "INSERT INTO t VALUES (1) ON CONFLICT (lower(s),) DO NOTHING",
    "INSERT INTO t VALUES ('größe')\n  ON CONFLICT (lower(s)) WHERE a > DO NOTHING",
    "INSERT INTO t VALUES (1) ON CONFLICT (lower(s)) WHERE a > 1",
    "UPDATE t SET xs[1 +] = 2",
    "UPDATE t SET xs[1] = ",
    "UPDATE t SET (xs[)], a) = (1, 2)",
    "INSERT INTO t (xs[1,], a) VALUES (1, 2)",
    "SELECT a FROM t FOR UPDATE WHERE a = 1",
    "SELECT a FROM t FOR NO KEY UPDATE UNION SELECT 1",
    "SELECT a FROM t FOR KEY UPDATE",
    "SELECT a FROM t FOR UPDATE OF",
    "SELECT a FROM t FOR UPDATE SKIP",
    "SELECT * FROM (SELECT a FROM t FOR SHARE a) s",
    "SELECT a FROM t ORDER BY a FETCH FIRST (1 +) ROWS WITH TIES",
    "SELECT a FROM t ORDER BY a FETCH FIRST (1) ROWS WITH",
    "SELECT concat(VARIADIC) FROM t",
    "CREATE VIEW v AS SELECT a FROM t WHERE WITH CHECK OPTION",
    "SELECT 1; SELECT a FROM t FOR UPDATE ORDER BY a",
    "SELECT a FROM t FOR UPDATE OF; SELECT 1",
    "SELECT a FROM; SELECT 1",
    "INSERT INTO t VALUES (1) ON CONFLICT (lower(s)",
    "COPY t FROM STDIN WHERE a >",
    "CREATE MATERIALIZED VIEW v AS SELECT a FROM t FOR UPDATE a",
];

#[test]
fn mistakes_are_where_postgresql_finds_them() {
    let Some(server) = postgres::Server::start("") else { return };
    let mut theirs = server.connect("mistakes").expect("the server that was started answers");
    let mut ours = hob::Hob::connect(Profile::Spec, "mistakes");
    let mut wrong = Vec::new();
    for sql in MISTAKES {
        let (expected, found) = (theirs.query(sql).expect("the server answers"), ours.query(sql));
        let told = |answer: &answer::Answer| {
            (answer.state.clone(), answer.position, answer.message.clone())
        };
        if told(&expected) != told(&found) {
            wrong.push(format!(
                "{sql}\n  postgres {:?}\n  hob      {:?}",
                told(&expected),
                told(&found)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
