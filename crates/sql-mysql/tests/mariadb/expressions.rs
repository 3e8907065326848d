//! Trees of expressions, beside MariaDB: a text without parentheses, and what it was read to with all of them, have
//! the same value.

use hobgoblin_sql_mysql::parse::{ParseError, Reading, parse};
use sqlparser::ast::{Expr, SelectItem, SetExpr, Statement};

use crate::print;
use crate::random::Random;
use crate::server::Server;

/// The one expression of a SELECT.
pub(crate) fn read(text: &str, reading: Reading) -> Result<Expr, ParseError> {
    let statement = parse(&format!("SELECT {text}"), reading)?.remove(0);
    let Some(Statement::Query(query)) = statement.ast.as_deref() else {
        panic!("{text} is no query")
    };
    let SetExpr::Select(select) = &*query.body else { panic!("{text} is no SELECT") };
    match &select.projection[..] {
        [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] => {
            Ok(expr.clone())
        }
        _ => panic!("{text} is not one expression"),
    }
}

const OPERANDS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "10",
    "0.5",
    "1e1",
    "'1'",
    "'a'",
    "'b'",
    "'2020-01-31'",
    "''",
    "NULL",
    "TRUE",
    "FALSE",
    "x'61'",
    "0x32",
    "b'11'",
    "0b101",
    "N'a'",
    "_utf8mb4'b'",
    "'a' 'b'",
    "CASE 1 WHEN 1 THEN 2 ELSE 3 END",
    "IF(1, 2, 3)",
    "(1)",
    "(2 OR 0)",
    "concat('a', 1)",
    "@v",
    ".5",
    "\\N",
    "left('ab', 1)",
    "mod(7, 4)",
];
const BINARY: &[&str] = &[
    "OR",
    "||",
    "XOR",
    "AND",
    "&&",
    "=",
    "<=>",
    "<",
    "<=",
    ">",
    ">=",
    "<>",
    "!=",
    "LIKE",
    "NOT LIKE",
    "REGEXP",
    "NOT REGEXP",
    "RLIKE",
    "|",
    "&",
    "<<",
    ">>",
    "+",
    "-",
    "*",
    "/",
    "DIV",
    "MOD",
    "%",
    "^",
    "SOUNDS LIKE",
];
const PREFIXES: &[&str] = &["NOT", "!", "-", "~", "+", "BINARY", "@w :="];
const SUFFIXES: &[&str] = &[
    "IS NULL",
    "IS NOT NULL",
    "IS TRUE",
    "IS NOT TRUE",
    "IS FALSE",
    "IS NOT FALSE",
    "IS UNKNOWN",
    "IS NOT UNKNOWN",
    "IN (1, 2)",
    "NOT IN ('a')",
    "COLLATE utf8mb4_bin",
    "+ INTERVAL 1 DAY",
    "- INTERVAL '1:1' MINUTE_SECOND",
];

/// Operands and what may stand between them, without parentheses, and with mistakes.
fn random_text(random: &mut Random) -> String {
    let mut words = Vec::new();
    for at in 0..=1 + random.below(4) {
        if at > 0 {
            match random.below(8) {
                0 => {
                    let not = if random.below(2) == 0 { "NOT BETWEEN" } else { "BETWEEN" };
                    words.extend([not, random.of(OPERANDS), "AND"]);
                }
                _ => words.push(random.of(BINARY)),
            }
        }
        while random.below(4) == 0 {
            words.push(random.of(PREFIXES));
        }
        if random.below(12) == 0 {
            words.push("INTERVAL 2 DAY +");
        }
        words.push(random.of(OPERANDS));
        while random.below(5) == 0 {
            words.push(random.of(SUFFIXES));
        }
    }
    words.join(" ")
}

fn compare(server: &Server, texts: &[String], reading: Reading, sql_mode: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let read: Vec<_> = texts.iter().map(|text| read(text, reading)).collect();
    let selects: Vec<String> = texts.iter().map(|text| format!("SELECT {text}")).collect();
    for ((text, said), read) in texts.iter().zip(server.prepare(&selects, sql_mode)).zip(&read) {
        let ours = read.as_ref().err().map(|error| (error.number(), error.to_string()));
        let theirs = said.filter(|(number, _)| *number == 1064);
        if ours != theirs {
            wrong.push(format!("{text}\n  ours   {ours:?}\n  theirs {theirs:?}"));
        }
    }
    let good = texts.iter().zip(&read).filter_map(|(text, read)| Some((text, read.as_ref().ok()?)));
    let pairs: Vec<(String, String)> =
        good.map(|(text, expr)| (text.clone(), print::print(expr))).collect();
    let both: Vec<String> = pairs.iter().flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    for (pair, values) in pairs.iter().zip(server.values(&both, sql_mode).chunks(2)) {
        if values[0] != values[1] {
            wrong.push(format!("{}\n  {:?}\n{}\n  {:?}", pair.0, values[0], pair.1, values[1]));
        }
    }
    eprintln!("{} texts, {} with values", texts.len(), pairs.len());
    wrong
}

#[test]
fn random_expressions_are_read_as_mariadb_reads_them() {
    let Some(server) = Server::shared() else { return };
    let count = if std::env::var_os("HOB_FULL").is_some() { 20_000 } else { 4_000 };
    let mut random = Random::new(20);
    let texts: Vec<String> = (0..count).map(|_| random_text(&mut random)).collect();
    let mut wrong = Vec::new();
    let pipes = Reading { pipes_as_concat: true, ..Reading::default() };
    let high_not = Reading { high_not_precedence: true, ..Reading::default() };
    for (part, reading, sql_mode) in [
        (&texts[..count / 2], Reading::default(), ""),
        (&texts[count / 2..count / 4 * 3], pipes, "PIPES_AS_CONCAT"),
        (&texts[count / 4 * 3..], high_not, "HIGH_NOT_PRECEDENCE"),
    ] {
        wrong.extend(compare(&server, part, reading, sql_mode));
    }
    assert!(
        wrong.is_empty(),
        "{} are not:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(30)].join("\n")
    );
}
