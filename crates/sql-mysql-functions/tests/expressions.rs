//! Expressions beside MariaDB 10.11: type, value and warnings, or the number of the error.
//!
//! `expressions/*.tsv` have an expression a line with what the server said to it. Where a server is installed it is asked again,
//! about those and about new ones; `UPDATE_GOLDEN=1` writes down what it says. `differences.txt` lists what is known to differ,
//! with the reason, and fails when it differs no more.

#[allow(dead_code)]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use support::generate::{Random, expression};
use support::server::Server;
use support::{ours, ours_over_row, statements, theirs, theirs_of};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/expressions")
}

/// The recorded files: name, and lines of an expression with its answer.
fn recorded() -> Vec<(PathBuf, Vec<(String, String)>)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tsv"))
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("it can be read");
        let lines = text.lines().filter(|line| !line.is_empty()).map(|line| {
            let (expr, answer) = line.split_once('\t').unwrap_or((line, ""));
            (expr.to_owned(), answer.to_owned())
        });
        (path, lines.collect())
    };
    files.into_iter().map(read).collect()
}

/// Whether the expressions of a file are over the columns of a row.
fn is_over_row(path: &std::path::Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "columns")
}

/// Expressions that are known to differ, each with its reason.
fn differences() -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join("differences.txt")).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines
        .map(|line| {
            let (expr, reason) = line.split_once('\t').expect("an expression and a reason");
            (expr.to_owned(), reason.to_owned())
        })
        .collect()
}

#[test]
fn answers_are_those_that_were_recorded() {
    let known = differences();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (path, lines) in recorded() {
        for (expr, wanted) in lines {
            let found = match is_over_row(&path) {
                true => ours_over_row(&expr),
                false => ours(&expr),
            };
            let found = found.unwrap_or_else(|| "does not parse".to_owned());
            count += 1;
            match (found == wanted, known.contains_key(&expr)) {
                (true, false) | (false, true) => {}
                (true, true) => wrong.push(format!("{expr} differs no more")),
                (false, false) => wrong.push(format!(
                    "{}: {expr}\n    theirs {wanted}\n    ours   {found}",
                    path.file_stem().unwrap_or_default().display()
                )),
            }
        }
    }
    assert!(count > 100, "only {count} answers");
    eprintln!("{count} recorded answers, {} known to differ", known.len());
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_server_still_says_so() {
    let Some(server) = Server::start() else { return };
    let mut client = server.client();
    let mut wrong = Vec::new();
    for statement in statements() {
        client.query(&statement);
    }
    for (path, lines) in recorded() {
        let mut text = String::new();
        for (expr, wanted) in lines {
            let found = match is_over_row(&path) {
                true => theirs_of(&mut client, &format!("SELECT {expr} FROM r")),
                false => theirs(&mut client, &expr),
            };
            if found != wanted {
                wrong.push(format!("{expr}\n    recorded {wanted}\n    now      {found}"));
            }
            text.push_str(&format!("{expr}\t{found}\n"));
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(path, text).expect("it can be written");
            wrong.clear();
        }
    }
    assert!(wrong.is_empty(), "{} answers changed:\n{}", wrong.len(), wrong.join("\n"));
}

/// How many expressions are made of a seed.
const GENERATED: usize = 1500;

#[test]
fn generated_expressions_are_as_on_the_server() {
    let Some(server) = Server::start() else { return };
    let mut client = server.client();
    let seed =
        std::env::var("HOB_SEED").map_or(1, |seed| seed.parse().expect("HOB_SEED is a number"));
    let mut random = Random::new(seed);
    let mut wrong = Vec::new();
    for _ in 0..GENERATED {
        let expr = expression(&mut random);
        let wanted = theirs(&mut client, &expr);
        let found = ours(&expr).unwrap_or_else(|| "does not parse".to_owned());
        if found != wanted && !is_excused(&expr, &wanted, &found) {
            wrong.push(format!("generated: {expr}\n    theirs {wanted}\n    ours   {found}"));
        }
    }
    eprintln!("seed {seed}: {GENERATED} expressions");
    assert!(wrong.is_empty(), "seed {seed}: {} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Where an operand decides alone, the server may still look at the other one, or look twice: it folds constants while it
/// plans. Then only what it warns of differs.
fn is_excused(expr: &str, theirs: &str, ours: &str) -> bool {
    let answer = |line: &str| line.rsplit_once('\t').map(|(answer, _)| answer.to_owned());
    let lazy = [" and ", " or ", " between ", "null", "if(", "case "];
    // The server's decimals have a zero below zero.
    if theirs.replace("'-0", "'0") == ours {
        return true;
    }
    // Whether the quotient of an expression is an INT or a BIGINT depends on widths of which the server counts some without a sign.
    let narrow = |line: &str| line.replace("LONGLONG", "LONG");
    if expr.contains(" div ") && narrow(theirs) == narrow(ours) {
        return true;
    }
    // A NULL without a type of its own has any.
    if theirs.contains("\tNULL\t") && ours.starts_with("NULL 0\tNULL\t") {
        return true;
    }
    let nothing = ours.contains("\tNULL\t");
    (nothing || lazy.iter().any(|word| expr.contains(word))) && answer(theirs) == answer(ours)
}

#[test]
fn hostile_arguments_are_answered() {
    let long = "9".repeat(400);
    let deep = "[".repeat(5000);
    let path = format!("${}", "[0]".repeat(5000));
    let exprs = [
        format!("maketime('{long}', 1, 1)"),
        format!("substring('abc', -'{long}', '{long}')"),
        format!("insert('abc', '{long}', '{long}', 'x')"),
        format!("cast('{long}' as decimal(65,30)) / 7"),
        format!("cast('1e-{long}' as decimal(65,30))"),
        format!("'{long}' % '-{long}'"),
        "date_sub('2024-01-01', interval -9223372036854775808 microsecond)".to_owned(),
        "date_add('0000-00-00', interval 1 second)".to_owned(),
        "from_days(9223372036854775807)".to_owned(),
        "makedate('99999999999999999999', '99999999999999999999')".to_owned(),
        "sec_to_time(-1e300)".to_owned(),
        "round(1.5, -9223372036854775808)".to_owned(),
        "truncate(1e308, 400)".to_owned(),
        "conv('zzzzzzzzzzzzzzzzzzzz', 36, -2)".to_owned(),
        "abs(-9223372036854775808)".to_owned(),
        "-9223372036854775808 div -1".to_owned(),
        "-9223372036854775808 % -1".to_owned(),
        "str_to_date('é', '%p')".to_owned(),
        "str_to_date('1é', '%D')".to_owned(),
        "left('aé', 1)".to_owned(),
        "addtime('é-é-é', 'é')".to_owned(),
        "soundex('éééé')".to_owned(),
        "format('inf', 40)".to_owned(),
        "lpad('a', 99999999999, 'é')".to_owned(),
        "repeat('é', 99999999999)".to_owned(),
        "json_extract('\"\\\\', '$')".to_owned(),
        format!("json_extract('{deep}', '$')"),
        format!("json_extract('1', '{path}')"),
        "json_extract('[1]', '$**[0]**[0]**[0]**[0]')".to_owned(),
        "json_set('{}', '$.\"', 1)".to_owned(),
    ];
    for expr in exprs {
        let answer = ours(&expr);
        assert!(answer.is_some_and(|answer| !answer.is_empty()), "{expr}");
    }
}

#[test]
fn the_session_answers_for_itself() {
    let cases = [
        ("database()", "VAR_STRING letters\t'd'\t"),
        ("schema()", "VAR_STRING letters\t'd'\t"),
        ("current_user", "VAR_STRING letters\t'root@localhost'\t"),
        ("connection_id()", "LONG UNSIGNED 0\t'7'\t"),
        ("last_insert_id()", "LONGLONG UNSIGNED 0\t'0'\t"),
        ("last_insert_id(5)", "LONGLONG UNSIGNED 0\t'5'\t"),
        ("last_insert_id(-1)", "LONGLONG UNSIGNED 0\t'18446744073709551615'\t"),
        ("row_count()", "LONGLONG 0\t'0'\t"),
        ("get_lock('a', 1)", "LONG 0\t'1'\t"),
        ("get_lock(null, 1)", "LONG 0\tNULL\t"),
        ("release_lock('a')", "LONG 0\t'1'\t"),
        ("sleep(0)", "LONG 0\t'0'\t"),
        ("benchmark(10, 1)", "LONG 0\t'0'\t"),
        ("length(uuid())", "LONG 0\t'36'\t"),
        ("substring(uuid(), 15, 1)", "VAR_STRING letters\t'4'\t"),
        ("no_such(1)", "error 1305"),
        ("concat()", "error 1582"),
    ];
    for (expr, wanted) in cases {
        assert_eq!(ours(expr).as_deref(), Some(wanted), "{expr}");
    }
}
