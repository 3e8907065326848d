//! Literals, comments and variables under each mode: a text has the value in MariaDB that its tree has there.

use hobgoblin_sql_mysql::parse::Reading;

use crate::expressions::read;
use crate::print;
use crate::server::Server;

/// Texts of one expression each.
const TEXTS: &[&str] = &[
    r"'a\\b'",
    r"'a\'b'",
    r"'a''b'",
    r"'\n\t\r\b\0\Z\%\_\x\\'",
    r"'\''",
    r"'a' 'b'",
    "'a'\n'b'",
    "'a'  /* c */ 'b'",
    "N'a'",
    "n'a' 'b'",
    "_utf8mb4'ä'",
    "_latin1 'a'",
    "_utf8mb4 x'c3a4'",
    "_utf8mb4 0xc3a4",
    "_binary 'a' 'b'",
    "x'41'",
    "X'4142'",
    "0x41",
    "0x1",
    "0x123",
    "0xAb",
    "b'101'",
    "B'1'",
    "0b101",
    "0b0",
    "x'41' + 0",
    "0x41 + 0",
    "x'31' + 0",
    "0b101 + 0",
    "b'101' + 0",
    "1",
    "01",
    "1.",
    ".1",
    "1.0",
    "1e1",
    "1E+1",
    "1.5e-1",
    ".5e1",
    "18446744073709551615",
    "18446744073709551616",
    "\\N",
    "TRUE",
    "false",
    "1--1",
    "1-- 1\n+1",
    "1 # a\n+1",
    "1 /* a */ + 1",
    "1 /*! + 1 */",
    "1 /*!50100 + 1 */",
    "1 /*!50700 + 1 */",
    "1 /*!99999 + 1 */",
    "1 /*!100000 + 1 */",
    "1 /*!100100 + 1 */",
    "1 /*!101200 + 1 */",
    "1 /*!101119 + 1 */",
    "1 /*M! + 1 */",
    "1 /*M!100100 + 1 */",
    "1 /*M!50700 + 1 */",
    "1 /*M!120000 + 1 */",
    "1 /*! + 1 /* x */ */ + 2",
    "1 /*!99999 /* x */ + 1 */ + 2",
    "1 /*!501 + 1 */",
    "1 /*!5 + 1 */",
    "1 /**/+ 1",
    "1/*!*/+1",
    "1 /*!99999*/",
    "@a := 'x'",
    "@`a b` := 1",
    "@'a b' := 1",
    "@a.b$c := 2",
    "'a' || 'b'",
    "1 || 0",
    "'a' || 1 + 1",
    "1 OR 0 || 'a'",
    "'1' || 1 * 2",
    "- 1 || 1",
    "!1",
    "NOT 1 + 1",
    "NOT 0 = 1",
    "concat ('a', 'b')",
    "interval(2, 1, 3)",
    "- interval 1 day + '2020-01-05'",
    "+ interval 1 day + '2020-01-05'",
    "date'2020-01-01'",
    "time '1:2:3'",
    "timestamp'2020-01-01 1:2:3'",
    "{d'2020-01-01'}",
    "{ts '2020-01-01 1:2:3'}",
    "char(65, 66)",
    "left('abc', 2)",
    "if(1, 2, 3)",
    "replace('a', 'a', 'b')",
    "mod(7, 4)",
    "7 mod 4",
    "insert('a', 1, 1, 'b')",
    "case when 1 then 'a' end",
    "case 1 when 2 then 3 else 4 end",
    "(1)",
    "((1))",
    "1 in (1, 2)",
    "(1, 2) = (1, 2)",
    "row(1, 2) in ((1, 2), (3, 4))",
    "(1, 2) < (1, 3)",
    "'a' collate utf8mb4_bin",
    "binary 'a' = 'A'",
    "'a' = 'A'",
    "'a' like 'A%'",
    "'a%' like 'a|%' escape '|'",
    "'a_' like 'a\\_'",
    "'ab' like 'a\\_'",
];

/// Texts that mean something else where `"…"` is a name.
const QUOTED: &[&str] = &["\"a\"", "\"a\" 'b'", "\"a\"\"b\"", "\"a\\\"b\"", "'a\"b'", "\"a'b\""];

#[test]
fn literals_mean_what_they_mean_in_mariadb() {
    let Some(server) = Server::shared() else { return };
    let plain = Reading::default();
    let mut wrong = Vec::new();
    for (reading, sql_mode) in [
        (plain, ""),
        (Reading { no_backslash_escapes: true, ..plain }, "NO_BACKSLASH_ESCAPES"),
        (Reading { pipes_as_concat: true, ..plain }, "PIPES_AS_CONCAT"),
        (Reading { high_not_precedence: true, ..plain }, "HIGH_NOT_PRECEDENCE"),
        (Reading { ansi_quotes: true, ..plain }, "ANSI_QUOTES"),
    ] {
        let quoted: &[&str] = if reading.ansi_quotes { &[] } else { QUOTED };
        let texts: Vec<String> = TEXTS.iter().chain(quoted).map(ToString::to_string).collect();
        let trees: Vec<_> = texts.iter().map(|text| read(text, reading)).collect();
        // What is printed has the escapes of the plain mode.
        let printed: Vec<String> = trees.iter().flatten().map(print::print).collect();
        let mut ours = printed.iter().zip(server.values(&printed, ""));
        for ((text, theirs), tree) in texts.iter().zip(server.values(&texts, sql_mode)).zip(trees) {
            match tree {
                Ok(_) => {
                    let (printed, ours) = ours.next().expect("one for each tree");
                    if ours != theirs {
                        wrong.push(format!(
                            "{sql_mode} {text}: {theirs:?}, but {printed}: {ours:?}"
                        ));
                    }
                }
                Err(error) if theirs == Err(1064) && error.number() == 1064 => {}
                Err(error) => wrong.push(format!("{sql_mode} {text}: {theirs:?}, but {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn names_stand_in_quotes() {
    let ansi = Reading { ansi_quotes: true, ..Reading::default() };
    for (text, reading, name) in [
        ("`a``b`", Reading::default(), "a`b"),
        ("\"a\"\"b\"", ansi, "a\"b"),
        ("`select`", ansi, "select"),
        ("`a\\`", Reading::default(), "a\\"),
    ] {
        let expr = read(text, reading).expect("it is a name");
        let sqlparser::ast::Expr::Identifier(found) = expr else { panic!("{text}: {expr:?}") };
        assert_eq!((found.value.as_str(), found.quote_style), (name, Some('`')), "{text}");
    }
}
