//! Statements of PostgreSQL that are known and not supported, by the words they begin with.
//!
//! One that says nothing after these words is no statement of PostgreSQL either, and stays a syntax error.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// The word of a token in lower case; nothing for what is quoted or no word.
pub(super) fn word(token: Option<&TokenWithSpan>) -> String {
    match token.map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.value.to_ascii_lowercase(),
        _ => String::new(),
    }
}

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

/// What makes a statement that the parser refused one that is not supported.
pub(super) fn refused(tokens: &[TokenWithSpan]) -> Option<String> {
    match is_bare(tokens) {
        true => None,
        false => statement(tokens).or_else(|| form(tokens).map(str::to_owned)),
    }
}

/// The name of what a statement is, if it is known and not supported.
fn statement(tokens: &[TokenWithSpan]) -> Option<String> {
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
fn is_bare(tokens: &[TokenWithSpan]) -> bool {
    match word(tokens.first()).as_str() {
        "do" | "call" => tokens.len() < 2,
        "create" | "alter" | "drop" => tokens.len() < 3,
        _ => false,
    }
}

/// A form that is known and not supported, as far as words tell.
fn form(tokens: &[TokenWithSpan]) -> Option<&'static str> {
    let words: Vec<String> = tokens.iter().map(|token| word(Some(token))).collect();
    let phrase = |phrase: &[&str]| {
        words.windows(phrase.len()).any(|found| found.iter().zip(phrase).all(|(a, b)| a == b))
    };
    let symbols = |wanted: &[Token]| {
        tokens
            .windows(wanted.len())
            .any(|found| found.iter().zip(wanted).all(|(a, b)| a.token == *b))
    };
    let known = [
        (&["between", "symmetric"][..], "BETWEEN SYMMETRIC"),
        (&["search", "depth", "first"], "SEARCH in a recursive query"),
        (&["search", "breadth", "first"], "SEARCH in a recursive query"),
        (&["rows", "from"], "ROWS FROM"),
        (&["create", "rule"], "CREATE RULE"),
        (&["create", "or", "replace", "rule"], "CREATE RULE"),
        (&["alter", "extension"], "ALTER EXTENSION"),
    ];
    if let Some((_, what)) = known.iter().find(|(words, _)| phrase(words)) {
        return Some(what);
    }
    let objects = [
        ("function", "CREATE FUNCTION"),
        ("procedure", "CREATE PROCEDURE"),
        ("aggregate", "CREATE AGGREGATE"),
        ("operator", "CREATE OPERATOR"),
        ("cast", "CREATE CAST"),
        ("collation", "CREATE COLLATION"),
        ("publication", "CREATE PUBLICATION"),
        ("subscription", "CREATE SUBSCRIPTION"),
        ("statistics", "CREATE STATISTICS"),
        ("event", "CREATE EVENT TRIGGER"),
        ("trigger", "CREATE TRIGGER"),
        ("constraint", "CREATE CONSTRAINT TRIGGER"),
        ("foreign", "CREATE FOREIGN TABLE"),
        ("server", "CREATE SERVER"),
        ("language", "CREATE LANGUAGE"),
        ("tablespace", "CREATE TABLESPACE"),
    ];
    let object = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["create", "or", "replace", object, ..] | ["create", object, ..] => *object,
        ["do", ..] => return Some("DO"),
        ["call", ..] => return Some("CALL"),
        _ => "",
    };
    if let Some((_, what)) = objects.iter().find(|(name, _)| *name == object) {
        return Some(what);
    }
    if phrase(&["with", "recursive"]) && phrase(&["cycle"]) {
        return Some("CYCLE in a recursive query");
    }
    let listed = |action: &str| {
        tokens.windows(3).any(|found| {
            word(found.first()) == "set"
                && word(found.get(1)) == action
                && found[2].token == Token::LParen
        })
    };
    if phrase(&["on", "delete", "set"]) && (listed("null") || listed("default")) {
        return Some("a list of columns after ON DELETE SET NULL or SET DEFAULT");
    }
    (phrase(&["using"]) && symbols(&[Token::RParen]) && phrase(&["as"]) && phrase(&["join"]))
        .then_some("an alias for JOIN … USING")
}
