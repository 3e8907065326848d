//! Aggregates beside MariaDB 10.11, over columns of small integers, decimals, floats, texts and NULLs; and the weights of characters.

#[allow(dead_code)]
mod support;

use hobgoblin_sql_mysql_functions::function;
use hobgoblin_sql_mysql_types::{Collation, literal};
use hobgoblin_sql_schema::function::Resolution;
use hobgoblin_sql_value::{Datum, TypeId};

use support::client::{Client, Reply};
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
    client.query("CREATE DATABASE d");
    client.query("USE d");
    for (column, values) in COLUMNS {
        client.query("DROP TABLE IF EXISTS t");
        let table = format!(
            "CREATE TABLE t (i INT AUTO_INCREMENT PRIMARY KEY, a {column} NULL) CHARSET utf8mb4"
        );
        client.query(&table);
        for value in *values {
            let insert = format!("INSERT INTO t (a) VALUES ({value})");
            client.query(&insert);
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

/// What characters up to one weigh on the server, by their numbers, in hexadecimal.
fn weights(client: &mut Client, collation: Collation, last: u32) -> Vec<(char, String)> {
    let (name, charset) = (collation.name(), collation.charset());
    // What latin1 has not becomes a question mark.
    let query = format!(
        "SELECT HEX(WEIGHT_STRING(CONVERT(CHAR(seq USING utf32) USING {charset}) COLLATE {name})) \
         FROM seq_1_to_{last} WHERE seq NOT BETWEEN 0xd800 AND 0xdfff"
    );
    let answer = client.query(&query);
    let Reply::Rows { rows, .. } = answer else { panic!("no weights of {name}") };
    let letters: Vec<char> = (1..=last).filter_map(char::from_u32).collect();
    assert_eq!(letters.len(), rows.len(), "{name}");
    let text = |cell: Option<Vec<u8>>| String::from_utf8(cell.unwrap_or_default());
    let weights = rows.into_iter().map(|mut row| text(row.remove(0)).expect("it is of digits"));
    letters.into_iter().zip(weights).collect()
}

fn ours_of(collation: Collation, letter: char) -> String {
    collation.weight_of(letter).iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Collations that are of a version of Unicode of their own on servers, and of another here.
fn is_borrowed(collation: Collation) -> bool {
    collation.name().contains("_0900_") || collation.name().contains("_unicode_520_")
}

#[test]
fn every_character_weighs_as_on_the_server() {
    let Some(server) = Server::start() else { return };
    let mut client = server.client();
    client.query("CREATE DATABASE d");
    client.query("USE d");
    let of_interest = |of: &Collation| ["utf8mb4", "latin1"].contains(&of.charset());
    for collation in Collation::all().filter(of_interest).filter(|of| !is_borrowed(*of)) {
        let last = if collation.name().contains("_uca1400_") { 0x10_ffff } else { 0xffff };
        for (letter, theirs) in weights(&mut client, collation, last) {
            assert_eq!(theirs, ours_of(collation, letter), "{collation:?} {letter:?}");
        }
    }
}

/// Of the characters that Unicode 5.2.0 has, those that are neighbours in its order are so in ours, but for few.
#[test]
fn characters_have_the_order_of_unicode_5() {
    let Some(server) = Server::start() else { return };
    let mut client = server.client();
    client.query("CREATE DATABASE d");
    client.query("USE d");
    let collation = Collation::named("utf8mb4_unicode_520_ci").expect("there is one");
    let mut all = weights(&mut client, collation, 0x1_ffff);
    // What has no weight of its own follows from numbers, of which Unicode has assigned more since.
    all.retain(|(_, weight)| !weight.starts_with("FB"));
    all.sort_by(|a, b| a.1.cmp(&b.1));
    let others = all.windows(2).filter(|pair| {
        let [(a, before), (b, after)] = pair else { return false };
        collation.weight_of(*a).cmp(&collation.weight_of(*b)) != before.cmp(after)
    });
    let others = others.count();
    assert!(all.len() > 20_000 && others < 300, "{others} of {}", all.len());
}
