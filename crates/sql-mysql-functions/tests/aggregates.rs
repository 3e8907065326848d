//! Aggregates beside MariaDB 10.11, over columns of small integers, decimals, floats, texts and NULLs; and the weights of characters.

#[allow(dead_code)]
mod support;

use hobgoblin_sql_mysql_functions::function;
use hobgoblin_sql_mysql_types::{Collation, literal};
use hobgoblin_sql_schema::function::Resolution;
use hobgoblin_sql_value::{Datum, TypeId};

use support::client::Answer;
use support::evaluate::{Evaluator, parse};
use support::server::Server;
use support::{answered, theirs_of};

/// Columns: their type in the server's words, and their values.
const COLUMNS: &[(&str, &[&str])] = &[
    ("int", &["1", "2", "null", "-7", "2"]),
    ("int", &["null", "null"]),
    ("bigint unsigned", &["18446744073709551615", "1", "12"]),
    ("decimal(6,2)", &["1.50", "2.25", "null", "-0.01", "9999.99"]),
    ("double", &["1.5e0", "2.5e0", "-1e3", "null"]),
    ("varchar(20)", &["'b'", "'A'", "'a'", "null", "'Z'", "'12x'"]),
    ("date", &["'2024-02-29'", "'1999-12-31'", "null"]),
    ("time(1)", &["'10:11:12.5'", "'-01:00:00'"]),
];

const CALLS: &[&str] = &[
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "std",
    "stddev_samp",
    "variance",
    "var_samp",
    "bit_and",
    "bit_or",
    "bit_xor",
    "group_concat",
];

fn ours(call: &str, column: &str, values: &[&str]) -> String {
    let mut evaluator = Evaluator::new();
    let ty = support::column(column, &evaluator).id();
    let mut types = vec![ty];
    let comma = literal::text(",", Collation::DEFAULT);
    if call == "group_concat" {
        types.push(comma.1);
    }
    let Ok(Resolution::Aggregate(found)) = function(call, &types) else { panic!("{call}") };
    let mut group = (found.function.start)(&found.args);
    for value in values {
        let (given, from) =
            evaluator.eval(&parse(value).expect("it is a value")).expect("it has a value");
        let kept = support::kept(&given, from, ty, &evaluator);
        let mut row = vec![kept];
        if call == "group_concat" {
            row.push(comma.0.clone());
        }
        group.add(&mut evaluator.session, &row).expect("it can be added");
    }
    let result: (Datum, TypeId) =
        (group.finish(&mut evaluator.session).expect("it has a result"), found.result);
    answered(&result, &evaluator)
}

#[test]
fn aggregates_are_as_on_the_server() {
    let Some(server) = Server::start() else { return };
    let mut client = server.client();
    let mut wrong = Vec::new();
    client.query("CREATE DATABASE d").expect("the server answers");
    client.query("USE d").expect("the server answers");
    for (column, values) in COLUMNS {
        client.query("DROP TABLE IF EXISTS t").expect("the server answers");
        let table = format!(
            "CREATE TABLE t (i INT AUTO_INCREMENT PRIMARY KEY, a {column} NULL) CHARSET utf8mb4"
        );
        client.query(&table).expect("the server answers");
        for value in *values {
            let insert = format!("INSERT INTO t (a) VALUES ({value})");
            client.query(&insert).expect("the server answers");
        }
        for call in CALLS {
            let wanted = theirs_of(&mut client, &format!("SELECT {call}(a) FROM t"));
            let found = ours(call, column, values);
            if wanted != found {
                wrong.push(format!("{call} of {column}\n    theirs {wanted}\n    ours   {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_character_weighs_as_on_the_server() {
    let Some(server) = Server::start() else { return };
    let mut client = server.client();
    for name in ["utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_unicode_ci", "latin1_swedish_ci"] {
        let collation = Collation::named(name).expect("there is such a collation");
        let letters: Vec<char> = (1..0x1_0000).filter_map(char::from_u32).collect();
        let mut count = 0;
        for some in letters.chunks(512) {
            // What latin1 has not becomes a question mark.
            let charset = collation.charset();
            let weight = |letter: &char| {
                let code = u32::from(*letter);
                format!(
                    "HEX(WEIGHT_STRING(CONVERT(_utf32 0x{code:08X} USING {charset}) COLLATE {name}))"
                )
            };
            let weights: Vec<String> = some.iter().map(weight).collect();
            let answer = client.query(&format!("SELECT {}", weights.join(",")));
            let Answer::Rows { rows, .. } = answer.expect("the server answers") else {
                panic!("no weights of {name}")
            };
            for (letter, theirs) in some.iter().zip(&rows[0]) {
                let ours: String =
                    collation.weight_of(*letter).iter().map(|byte| format!("{byte:02X}")).collect();
                let theirs = String::from_utf8_lossy(theirs.as_deref().unwrap_or_default());
                assert_eq!(theirs, ours, "{name} {letter:?}");
                count += 1;
            }
        }
        assert_eq!(count, 0xffff - 0x800, "{name}");
    }
}
