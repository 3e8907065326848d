//! The words of PL/pgSQL.
//!
//! Reserved words are keywords wherever they stand, so a name is one of them only in quotes. All others are keywords
//! where the grammar asks for them and names elsewhere: `open` begins a statement, `open := 1` sets a variable.

/// Makes the enum of reserved words and the table of their texts.
macro_rules! reserved {
    ($($name:ident $text:literal),* $(,)?) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Reserved {
            $($name),*
        }

        const RESERVED: &[(&str, Reserved)] = &[$(($text, Reserved::$name)),*];
    };
}

reserved! {
    All "all", Begin "begin", By "by", Case "case", Declare "declare", Else "else", End "end",
    Execute "execute", For "for", Foreach "foreach", From "from", If "if", In "in", Into "into",
    Loop "loop", Not "not", Null "null", Or "or", Strict "strict", Then "then", To "to",
    Using "using", When "when", While "while",
}

/// The reserved word that a word is, in whatever case.
pub(crate) fn reserved(word: &str) -> Option<Reserved> {
    RESERVED.iter().find(|(text, _)| word.eq_ignore_ascii_case(text)).map(|(_, word)| *word)
}

/// Words that are not reserved and begin no statement of SQL either: to PostgreSQL they are keywords wherever they are
/// no variables, so `TABLE t;` is an error in PL/pgSQL. Those that do begin a statement of PL/pgSQL are not here.
const IDLE: &[&str] = &[
    "absolute",
    "alias",
    "and",
    "array",
    "backward",
    "chain",
    "collate",
    "column",
    "column_name",
    "constant",
    "constraint",
    "constraint_name",
    "current",
    "cursor",
    "datatype",
    "debug",
    "default",
    "detail",
    "diagnostics",
    "dump",
    "elseif",
    "elsif",
    "errcode",
    "error",
    "exception",
    "first",
    "forward",
    "hint",
    "info",
    "is",
    "last",
    "log",
    "message",
    "message_text",
    "next",
    "no",
    "notice",
    "option",
    "pg_context",
    "pg_datatype_name",
    "pg_exception_context",
    "pg_exception_detail",
    "pg_exception_hint",
    "print_strict_params",
    "prior",
    "query",
    "relative",
    "returned_sqlstate",
    "reverse",
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

/// Whether a word, in lower case, is a keyword that begins no statement.
pub(crate) fn is_idle(word: &str) -> bool {
    IDLE.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn idle_words_are_sorted() {
        assert!(super::IDLE.is_sorted());
    }
}
