//! Why a source is not PL/pgSQL.

use crate::place::Span;

/// Why a body cannot be read, and where. All but [`ReadError::TooDeep`] are errors to PostgreSQL, too.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The grammar wants something else here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What stands there instead.
        at: Span,
        /// What may stand there.
        expected: &'static str,
        /// The text of what stands there, or that the source ends.
        found: String,
    },
    /// An expression or a statement of SQL that is empty.
    #[error("expected {expected}, found nothing before {found}")]
    Missing {
        /// The token that ends what is not there.
        at: Span,
        /// What is missing.
        expected: &'static str,
        /// The text of the token.
        found: String,
    },
    /// Parentheses or brackets that have no partner.
    #[error("parentheses or brackets do not match")]
    Parentheses {
        /// The one that closes too much, or the end of the expression.
        at: Span,
    },
    /// Something that begins and does not end.
    #[error("{what} is not closed")]
    Unclosed {
        /// From where it begins to the end of the source.
        at: Span,
        /// What it is.
        what: Unclosed,
    },
    /// A quoted name with nothing between the quotes.
    #[error("a quoted name is empty")]
    EmptyName {
        /// The quotes.
        at: Span,
    },
    /// Letters right behind a number or a parameter.
    #[error("a number is followed by letters")]
    NumberJunk {
        /// Both.
        at: Span,
    },
    /// An operator of more than 63 characters.
    #[error("an operator is longer than 63 characters")]
    OperatorTooLong {
        /// The operator.
        at: Span,
    },
    /// An escape in `E'…'` that stands for no character.
    #[error("an escape in a string stands for no character")]
    Escape {
        /// The escape, or the string if it only is wrong as a whole.
        at: Span,
    },
    /// A name that is declared a second time in its block.
    #[error("{name} is declared twice")]
    DeclaredTwice {
        /// The second declaration.
        at: Span,
        /// The name.
        name: String,
    },
    /// A variable that may not be null and has no value to begin with.
    #[error("{name} is declared NOT NULL and has no default")]
    NoDefault {
        /// The declaration.
        at: Span,
        /// The variable.
        name: String,
    },
    /// A label between DECLARE and BEGIN.
    #[error("the label of a block stands before DECLARE, not after")]
    LabelAfterDeclare {
        /// The label.
        at: Span,
    },
    /// A label after END that is not the one at the beginning.
    #[error("the label {found} after END is not that of the block or loop")]
    EndLabel {
        /// The label after END.
        at: Span,
        /// Its text.
        found: String,
        /// The label at the beginning, if there is one.
        label: Option<String>,
    },
    /// EXIT without a label, or CONTINUE, that is in no loop.
    #[error("{statement} is not in a loop")]
    OutsideLoop {
        /// The statement.
        at: Span,
        /// `EXIT` or `CONTINUE`.
        statement: &'static str,
    },
    /// The label of CONTINUE is not that of a loop around it.
    #[error("no loop around CONTINUE is called {label}")]
    NoSuchLoop {
        /// The label.
        at: Span,
        /// Its text.
        label: String,
    },
    /// An SQLSTATE that is not five digits and capital letters.
    #[error("an SQLSTATE has five digits and capital letters")]
    SqlState {
        /// The string.
        at: Span,
    },
    /// A RAISE whose format has another number of `%` than there are arguments.
    #[error("the format of RAISE has {wanted} placeholders, and {found} arguments follow")]
    RaiseArguments {
        /// The statement.
        at: Span,
        /// How many placeholders there are.
        wanted: usize,
        /// How many arguments there are.
        found: usize,
    },
    /// An item that the other GET DIAGNOSTICS knows.
    #[error("this item is not one of GET {area} DIAGNOSTICS")]
    DiagnosticsArea {
        /// The item.
        at: Span,
        /// `CURRENT` or `STACKED`.
        area: &'static str,
    },
    /// A second INTO in a statement.
    #[error("a statement has one INTO")]
    IntoTwice {
        /// The second one.
        at: Span,
    },
    /// A second USING in EXECUTE.
    #[error("EXECUTE has one USING")]
    UsingTwice {
        /// The second one.
        at: Span,
    },
    /// A loop over integers or a cursor with several variables.
    #[error("a loop over integers or a cursor has one variable")]
    ManyLoopVariables {
        /// The variables.
        at: Span,
    },
    /// REVERSE before a query.
    #[error("only a loop over integers can be REVERSE")]
    ReverseQuery {
        /// The word.
        at: Span,
    },
    /// A FETCH of several rows, which only MOVE can do.
    #[error("FETCH takes one row at a time")]
    FetchManyRows {
        /// The statement.
        at: Span,
    },
    /// Statements that nest deeper than we read. PostgreSQL goes further.
    #[error("statements nest deeper than {limit} levels")]
    TooDeep {
        /// Where the limit is reached.
        at: Span,
        /// The limit.
        limit: u32,
    },
}

/// What may begin and not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclosed {
    /// `/* …`
    Comment,
    /// `'…`, also with a letter before it
    String,
    /// `$tag$ …`
    DollarString,
    /// `"…`
    QuotedName,
}

impl std::fmt::Display for Unclosed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unclosed::Comment => "a comment",
            Unclosed::String => "a string",
            Unclosed::DollarString => "a dollar-quoted string",
            Unclosed::QuotedName => "a quoted name",
        })
    }
}

impl ReadError {
    /// Where it is wrong.
    pub fn span(&self) -> Span {
        match self {
            ReadError::Unexpected { at, .. }
            | ReadError::Missing { at, .. }
            | ReadError::Parentheses { at }
            | ReadError::Unclosed { at, .. }
            | ReadError::EmptyName { at }
            | ReadError::NumberJunk { at }
            | ReadError::OperatorTooLong { at }
            | ReadError::Escape { at }
            | ReadError::DeclaredTwice { at, .. }
            | ReadError::NoDefault { at, .. }
            | ReadError::LabelAfterDeclare { at }
            | ReadError::EndLabel { at, .. }
            | ReadError::OutsideLoop { at, .. }
            | ReadError::NoSuchLoop { at, .. }
            | ReadError::SqlState { at }
            | ReadError::RaiseArguments { at, .. }
            | ReadError::DiagnosticsArea { at, .. }
            | ReadError::IntoTwice { at }
            | ReadError::UsingTwice { at }
            | ReadError::ManyLoopVariables { at }
            | ReadError::ReverseQuery { at }
            | ReadError::FetchManyRows { at }
            | ReadError::TooDeep { at, .. } => *at,
        }
    }
}
