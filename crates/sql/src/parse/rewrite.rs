//! Forms of PostgreSQL that the parser does not read: some say the same in a form it reads, others are
//! known not to be supported.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::bind::named::VARIADIC;

/// The word of a token in lower case; nothing for what is quoted or no word.
pub(super) fn word(token: Option<&TokenWithSpan>) -> String {
    match token.map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.value.to_ascii_lowercase(),
        _ => String::new(),
    }
}

/// Rewrites forms the parser does not know into ones it does.
pub(crate) fn rewrite(tokens: &mut Vec<TokenWithSpan>) {
    match word(tokens.first()).as_str() {
        "abort" => tokens[0].token = Token::make_keyword("ROLLBACK"),
        "explain" => super::nested::explained(tokens),
        "fetch" => fetch(tokens),
        "vacuum" => vacuum(tokens),
        "table" => {
            // TABLE t: SELECT * FROM t.
            let like = tokens[0].clone();
            let select = [Token::make_keyword("SELECT"), Token::Mul, Token::make_keyword("FROM")];
            let select = select.map(|token| TokenWithSpan { token, ..like.clone() });
            tokens.splice(0..1, select);
        }
        _ => {}
    }
    spread(tokens);
    variadic(tokens);
    no_columns(tokens);
    super::nested::combined(tokens);
    let mut at = 0;
    while at < tokens.len() {
        let next = word(tokens.get(at + 1));
        match (word(tokens.get(at)).as_str(), next.as_str()) {
            // UPDATE ONLY, FROM ONLY: there is no inheritance, so ONLY says nothing.
            ("update" | "from" | "join", "only")
                if matches!(tokens.get(at + 2).map(|t| &t.token), Some(Token::Word(_)))
                    && !["set", "where", "as"].contains(&word(tokens.get(at + 2)).as_str()) =>
            {
                tokens.remove(at + 1);
            }
            ("fetch", "first" | "next") => fetch_clause(tokens, at),
            // trim(both from x): blanks are what is trimmed.
            ("both" | "leading" | "trailing", "from") => {
                let blank = Token::SingleQuotedString(" ".to_owned());
                tokens.insert(at + 1, TokenWithSpan { token: blank, ..tokens[at].clone() });
            }
            ("identity", _)
                if matches!(tokens.get(at + 1).map(|t| &t.token), Some(Token::LParen)) =>
            {
                identity_options(tokens, at + 2);
            }
            _ => {}
        }
        at += 1;
    }
}

/// Takes `[NOT] DEFERRABLE` out of the modes of a transaction, and says which it was at last.
pub(super) fn deferrable(tokens: &mut Vec<TokenWithSpan>) -> Option<bool> {
    let first = [word(tokens.first()), word(tokens.get(1)), word(tokens.get(2))];
    match first.each_ref().map(String::as_str) {
        ["begin", ..] | ["start", "transaction", _] => {}
        ["set", "transaction", _] | ["set", "session", "characteristics"] => {}
        _ => return None,
    }
    let mut found = None;
    while let Some(at) = tokens.iter().position(|token| word(Some(token)) == "deferrable") {
        let not = word(tokens.get(at - 1)) == "not";
        let start = if not { at - 1 } else { at };
        let comma = |at: usize| tokens.get(at).is_some_and(|t| t.token == Token::Comma);
        match (comma(start - 1), comma(at + 1)) {
            (true, _) => tokens.drain(start - 1..=at),
            (false, true) => tokens.drain(start..=at + 1),
            (false, false) => tokens.drain(start..=at),
        };
        found = Some(!not);
    }
    found
}

/// The field that stands for all fields of a row; no name of a client's has this character.
pub(crate) const ALL_FIELDS: &str = "\u{f8ff}*";

/// The function whose argument is the limit of FETCH … WITH TIES.
pub(crate) const TIED: &str = "\u{f8ff}tied";

/// `FETCH FIRST (expression) ROWS ONLY` is LIMIT; the parser reads it with a constant only.
fn fetch_clause(tokens: &mut Vec<TokenWithSpan>, at: usize) {
    if tokens.get(at + 2).is_none_or(|token| token.token != Token::LParen) {
        return;
    }
    let mut open = 0;
    let close = tokens[at + 2..].iter().position(|token| {
        match token.token {
            Token::LParen => open += 1,
            Token::RParen => open -= 1,
            _ => {}
        }
        open == 0
    });
    let Some(close) = close.map(|length| at + 2 + length) else { return };
    let after = [1, 2, 3].map(|ahead| word(tokens.get(close + ahead)));
    let (length, tied) = match after.each_ref().map(String::as_str) {
        ["row" | "rows", "only", _] => (2, false),
        ["row" | "rows", "with", "ties"] => (3, true),
        _ => return,
    };
    tokens.drain(close + 1..=close + length);
    tokens[at].token = Token::make_keyword("LIMIT");
    if tied {
        tokens[at + 1].token = Token::make_word(TIED, Some('"'));
    } else {
        tokens.remove(at + 1);
    }
}

/// `(row).*`, which the parser reads only with the name of a source before the star.
fn spread(tokens: &mut [TokenWithSpan]) {
    for at in 2..tokens.len() {
        let before = (&tokens[at - 2].token, &tokens[at - 1].token, &tokens[at].token);
        if let (Token::RParen, Token::Period, Token::Mul) = before {
            tokens[at].token = Token::make_word(ALL_FIELDS, Some('"'));
        }
    }
}

/// The column of a select list without columns; no name of a client's has this character.
pub(crate) const NO_COLUMNS: &str = "\u{f8ff}none";

/// `SELECT WHERE …`, `SELECT` alone: the parser wants a column there unless FROM follows.
fn no_columns(tokens: &mut Vec<TokenWithSpan>) {
    const AFTER: [&str; 12] = [
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "fetch",
        "union",
        "except",
        "intersect",
        "window",
        "for",
    ];
    let mut at = 0;
    while at < tokens.len() {
        if word(tokens.get(at)) == "select" {
            let bare = match tokens.get(at + 1) {
                None => true,
                Some(next) => {
                    next.token == Token::RParen || AFTER.contains(&word(Some(next)).as_str())
                }
            };
            if bare && (at == 0 || tokens[at - 1].token == Token::LParen) {
                let token = Token::make_word(NO_COLUMNS, Some('"'));
                tokens.insert(at + 1, TokenWithSpan { token, ..tokens[at].clone() });
            }
        }
        at += 1;
    }
}

/// `VARIADIC x` in a call becomes an argument of a name that nobody writes; `:=` is an older `=>`.
fn variadic(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 1;
    while at < tokens.len() {
        let opens = matches!(tokens[at - 1].token, Token::LParen | Token::Comma);
        if opens && word(tokens.get(at)) == "variadic" {
            let arrow = TokenWithSpan { token: Token::RArrow, ..tokens[at].clone() };
            tokens[at].token = Token::make_word(VARIADIC, Some('"'));
            tokens.insert(at + 1, arrow);
        }
        if tokens[at].token == Token::Assignment {
            tokens[at].token = Token::RArrow;
        }
        at += 1;
    }
}

/// VACUUM of PostgreSQL has other options than the one the parser knows; none of them matter here.
fn vacuum(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 1;
    if tokens.get(at).is_some_and(|token| token.token == Token::LParen) {
        match tokens.iter().position(|token| token.token == Token::RParen) {
            Some(end) => at = end + 1,
            None => return,
        }
    }
    while ["full", "freeze", "verbose", "analyze", "analyse"]
        .contains(&word(tokens.get(at)).as_str())
    {
        at += 1;
    }
    tokens.drain(1..at);
}

/// `FETCH c`, `FETCH FROM c` and `FETCH 2 c` in full: `FETCH NEXT FROM c`.
fn fetch(tokens: &mut Vec<TokenWithSpan>) {
    let keyword = |like: &TokenWithSpan, text: &str| TokenWithSpan {
        token: Token::make_keyword(text),
        ..like.clone()
    };
    if tokens.len() < 2 {
        return;
    }
    let (from, next) = (keyword(&tokens[0], "FROM"), keyword(&tokens[0], "NEXT"));
    let named = tokens[1..].iter().any(|t| ["from", "in"].contains(&word(Some(t)).as_str()));
    if !named {
        let last = tokens.len() - 1;
        tokens.insert(last, from);
    }
    if ["from", "in"].contains(&word(tokens.get(1)).as_str()) {
        tokens.insert(1, next);
    }
}

/// Options of an identity column stand in any order; the parser wants its own.
fn identity_options(tokens: &mut Vec<TokenWithSpan>, start: usize) {
    let order = ["increment", "minvalue", "maxvalue", "start", "cache", "cycle"];
    let rank = |tokens: &[TokenWithSpan]| {
        let first = match word(tokens.first()).as_str() {
            "no" => word(tokens.get(1)),
            first => first.to_owned(),
        };
        order.iter().position(|name| *name == first)
    };
    let Some(length) = tokens[start..].iter().position(|t| t.token == Token::RParen) else {
        return;
    };
    let inside: Vec<TokenWithSpan> = tokens[start..start + length].to_vec();
    let mut options: Vec<Vec<TokenWithSpan>> = Vec::new();
    let mut at = 0;
    while at < inside.len() {
        let after_no = at > 0 && word(inside.get(at - 1)) == "no";
        match options.last_mut() {
            Some(option) if after_no || rank(&inside[at..]).is_none() => {
                option.push(inside[at].clone());
            }
            _ => options.push(vec![inside[at].clone()]),
        }
        at += 1;
    }
    options.sort_by_key(|option| rank(option));
    tokens.splice(start..start + length, options.into_iter().flatten());
}

/// What makes a statement that the parser refuses one that is not supported, as far as words tell.
pub(super) fn refused(tokens: &[TokenWithSpan]) -> Option<&'static str> {
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
        (&["variadic"], "VARIADIC"),
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
    let combined = ["union", "intersect", "except"].iter().any(|word| phrase(&[word]));
    if combined && (phrase(&["for", "update"]) || phrase(&["for", "share"])) {
        return Some("FOR UPDATE with UNION, INTERSECT or EXCEPT");
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
