//! Bodies that PostgreSQL refuses for what its names mean, with the words of its grammar.
//!
//! A name that is declared is another token to it than one that is not, and `RETURN` reads by the type of the result. The
//! table of [`hobgoblin_plpgsql::tree`] says how we read such bodies: all names may be variables. Here is whether the
//! place where PostgreSQL stopped is one of these.

use hobgoblin_plpgsql::Body;

/// Whether what is declared decides about the byte where PostgreSQL stopped.
pub(crate) fn decides(body: &str, tree: &Body, at: usize) -> bool {
    let tree = format!("{tree:?}");
    // Something that stands before that byte in the same statement.
    let leads = |(start, _): &(usize, &str)| *start <= at && !body[*start..at].contains(';');
    let ends = |what: &str| tree.contains(&format!("..{}, kind: {what}", at + 1));
    // A value is due, or the name is one of a variable, or it is a cursor without a query.
    if ends("Return(None)")
        || ends("ReturnNext(None)")
        || tree.contains(&format!("Condition(Named(Name {{ span: {at}.."))
        || spans(&tree, "Open { cursor: Path { span: ")
            .any(|found| leads(&found) && found.1.contains("Bound"))
    {
        return true;
    }
    let text = |after: &str| after.split('"').nth(1).unwrap_or_default().to_owned();
    let declared = |word: &str, kind| tree.contains(&format!("text: \"{word}\" }}, kind: {kind}"));
    let is_keyword = |word: &str| KEYWORDS.contains(&word) && !declared(word, "");
    let first_word = |start: usize| {
        let end = |c: char| !c.is_alphanumeric() && c != '_';
        body[start..].split(end).next().unwrap_or_default().to_ascii_lowercase()
    };
    // A keyword that is no variable, a variable that is no number of rows, a cursor that is no query.
    spans(&tree, "Name { span: ").any(|found| leads(&found) && is_keyword(&text(found.1)))
        || spans(&tree, "direction: Count(Fragment { span: ")
            .any(|found| leads(&found) && first_word(found.0).starts_with(char::is_alphabetic))
        || spans(&tree, "query: Static(Fragment { span: ")
            .any(|found| leads(&found) && declared(&first_word(found.0), "Cursor"))
}

/// Where the nodes begin that are printed behind something, and what is printed of them.
fn spans<'a>(tree: &'a str, behind: &str) -> impl Iterator<Item = (usize, &'a str)> {
    let found: Vec<&str> = tree.split(behind).skip(1).collect();
    found.into_iter().filter_map(|rest| Some((rest.split_once("..")?.0.parse().ok()?, rest)))
}

/// Words that are keywords unless they are declared.
const KEYWORDS: &[&str] = &[
    "absolute",
    "alias",
    "and",
    "array",
    "assert",
    "backward",
    "call",
    "chain",
    "close",
    "collate",
    "column",
    "column_name",
    "commit",
    "constant",
    "constraint",
    "constraint_name",
    "continue",
    "current",
    "cursor",
    "datatype",
    "debug",
    "default",
    "detail",
    "diagnostics",
    "do",
    "dump",
    "elseif",
    "elsif",
    "errcode",
    "error",
    "exception",
    "exit",
    "fetch",
    "first",
    "forward",
    "get",
    "hint",
    "import",
    "info",
    "insert",
    "is",
    "last",
    "log",
    "merge",
    "message",
    "message_text",
    "move",
    "next",
    "no",
    "notice",
    "open",
    "option",
    "perform",
    "pg_context",
    "pg_datatype_name",
    "pg_exception_context",
    "pg_exception_detail",
    "pg_exception_hint",
    "print_strict_params",
    "prior",
    "query",
    "raise",
    "relative",
    "return",
    "returned_sqlstate",
    "reverse",
    "rollback",
    "row_count",
    "rowtype",
    "schema",
    "schema_name",
    "scroll",
    "slice",
    "sqlstate",
    "stacked",
    "table",
    "table_name",
    "type",
    "use_column",
    "use_variable",
    "variable_conflict",
    "warning",
];
