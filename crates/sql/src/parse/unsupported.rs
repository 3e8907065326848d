//! Statements of PostgreSQL that are known and not supported, by the words they begin with.
//!
//! One that says nothing after these words is no statement of PostgreSQL either, and stays a syntax error.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::rewrite::word;

/// What CREATE, ALTER and DROP do not know.
const OBJECTS: [&[&str]; 29] = [
    &["access", "method"],
    &["aggregate"],
    &["cast"],
    &["collation"],
    &["constraint", "trigger"],
    &["conversion"],
    &["default", "privileges"],
    &["event", "trigger"],
    &["foreign", "data", "wrapper"],
    &["foreign", "table"],
    &["function"],
    &["language"],
    &["large", "object"],
    &["operator"],
    &["policy"],
    &["procedural", "language"],
    &["procedure"],
    &["publication"],
    &["routine"],
    &["rule"],
    &["server"],
    &["statistics"],
    &["subscription"],
    &["system"],
    &["text", "search"],
    &["transform"],
    &["trigger"],
    &["trusted", "language"],
    &["user", "mapping"],
];

/// Statements of their own.
const STATEMENTS: [&[&str]; 4] =
    [&["call"], &["do"], &["import", "foreign", "schema"], &["security", "label"]];

/// What follows the name in ALTER TABLE, or in CREATE TABLE.
const OF_TABLES: [(&str, &[&str]); 6] = [
    ("alter", &["attach", "partition"]),
    ("alter", &["detach", "partition"]),
    ("alter", &["inherit"]),
    ("alter", &["no", "inherit"]),
    ("create", &["of"]),
    ("create", &["partition", "of"]),
];

const XML: [&str; 9] = [
    "xmlattributes",
    "xmlelement",
    "xmlexists",
    "xmlforest",
    "xmlparse",
    "xmlpi",
    "xmlroot",
    "xmlserialize",
    "xmltable",
];

/// The name of what a statement is that the parser refused, if it is known and not supported.
pub(super) fn unsupported(tokens: &[TokenWithSpan]) -> Option<String> {
    let words: Vec<String> = tokens.iter().map(|token| word(Some(token))).collect();
    let begins = |at: usize, phrase: &[&str]| {
        let found = words.get(at..).unwrap_or_default();
        found.len() > phrase.len() && found.iter().zip(phrase).all(|(a, b)| a == b)
    };
    let named = |verb: &str, phrase: &[&str]| {
        let all = [&[verb], phrase].concat().join(" ");
        Some(all.trim().to_uppercase())
    };
    if let Some(phrase) = STATEMENTS.iter().find(|phrase| begins(0, phrase)) {
        return named("", phrase);
    }
    let verb = words.first().map_or("", String::as_str);
    if ["create", "alter", "drop"].contains(&verb) {
        let at = if begins(1, &["or", "replace"]) { 3 } else { 1 };
        if let Some(phrase) = OBJECTS.iter().find(|phrase| begins(at, phrase)) {
            return named(verb, phrase);
        }
        if let Some(table) = words.iter().position(|word| word == "table") {
            let rest = table + 1..words.len();
            let found = OF_TABLES.iter().find(|(of, phrase)| {
                *of == verb
                    && rest
                        .clone()
                        .take_while(|&at| !opens(tokens, at))
                        .any(|at| begins(at, phrase))
            });
            if let Some((_, phrase)) = found {
                return named(&format!("{verb} table …"), phrase);
            }
        }
    }
    words.iter().any(|word| XML.contains(&word.as_str())).then(|| "xml".to_owned())
}

fn opens(tokens: &[TokenWithSpan], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.token == Token::LParen)
}

/// Whether a statement is no more than the words it begins with.
pub(super) fn is_bare(tokens: &[TokenWithSpan]) -> bool {
    match word(tokens.first()).as_str() {
        "do" | "call" => tokens.len() < 2,
        "create" | "alter" | "drop" => tokens.len() < 3,
        _ => false,
    }
}
