//! The syntax tree.
//!
//! A [`Body`] is a [`Block`], which has [`Declaration`]s, [`Statement`]s and [`Handler`]s. Its leaves are [`Name`]s,
//! [`Literal`]s and [`Fragment`]s of SQL; what lies between the leaves are words and signs that the tree implies.
//!
//! PostgreSQL reads a few sources by what is declared. We read them by their shape:
//!
//! | source | is | PostgreSQL |
//! | --- | --- | --- |
//! | `open := 1`, `a.b = 1`, `x[1] := 1` | an assignment | refuses it if there is no such variable |
//! | `FOR r IN c LOOP`, `FOR r IN c(1) LOOP` | a loop over a cursor | if `c` is one; else over a query, which this is not |
//! | `OPEN c;`, `OPEN c(1);` | a bound cursor | refuses it if `c` has no query, or no such arguments |
//! | `FETCH c INTO x`, `MOVE c` | no direction, a cursor | refuses it if there is no variable `c` |
//! | `MOVE n + 1 FROM c` | a number of rows | refuses it if `n` is a variable |
//! | `RAISE x` | an error by its name | refuses it if `x` is a variable |
//! | `RETURN;` | a return without a value | by the type of the result |
//! | `EXIT l` | the end of block or loop `l` | refuses it if there is no `l`; the function's name is a label |

use std::borrow::Cow;

use crate::place::Span;

/// What a function, a procedure or a `DO` does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The lines with `#` at the beginning.
    pub options: Vec<CompilerOption>,
    /// All else.
    pub block: Block,
}

/// `#option dump` and its kin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerOption {
    /// From the `#` on.
    pub span: Span,
    /// What is asked for.
    pub kind: CompilerOptionKind,
}

/// What a line with `#` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerOptionKind {
    /// `#option dump`
    Dump,
    /// `#print_strict_params on` or `off`
    PrintStrictParams(bool),
    /// `#variable_conflict …`
    VariableConflict(VariableConflict),
}

/// What a name in SQL means that may be a variable or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableConflict {
    /// `error`
    Error,
    /// `use_variable`
    UseVariable,
    /// `use_column`
    UseColumn,
}

/// A piece of SQL that nobody read yet: an expression, a list of them, or a statement. It begins and ends with a token.
///
/// What PL/pgSQL calls an expression is all that may follow `SELECT`: `x := count(*) FROM t WHERE n > 1` is fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Where it is.
    pub span: Span,
}

impl Fragment {
    /// Its text.
    pub fn text(self, source: &str) -> &str {
        self.span.text(source)
    }
}

/// An identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Where it is, with its quotes.
    pub span: Span,
    /// What it means: in lower case if it is not quoted, without quotes, and not longer than 63 bytes.
    pub text: String,
}

/// A variable, by up to three names with dots between them: labels, variables, fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// From the first name to the last.
    pub span: Span,
    /// One to three.
    pub names: Vec<Name>,
}

/// A string that PL/pgSQL itself reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Where it is, with its quotes.
    pub span: Span,
    /// What it stands for.
    pub text: String,
}

/// `<<label>>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// With the angles.
    pub span: Span,
    /// The label.
    pub name: Name,
}

/// `[<<label>>] [DECLARE …] BEGIN … [EXCEPTION …] END [label]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// From the label or the first word to END or the label after it.
    pub span: Span,
    /// Its label.
    pub label: Option<Label>,
    /// Whether there is a DECLARE; it may declare nothing.
    pub declares: bool,
    /// What it declares.
    pub declarations: Vec<Declaration>,
    /// What it does.
    pub statements: Vec<Statement>,
    /// What it does about errors. None, if there is no EXCEPTION, and then it is no subtransaction.
    pub handlers: Vec<Handler>,
    /// The label after END, which is that of the beginning.
    pub end_label: Option<Name>,
}

/// `WHEN condition [OR …] THEN …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// From WHEN to the end of the last statement.
    pub span: Span,
    /// At least one.
    pub conditions: Vec<Condition>,
    /// What is done then.
    pub statements: Vec<Statement>,
}

/// Which error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// By name, such as `unique_violation` or `others`. Whether there is one of that name is not checked.
    Named(Name),
    /// `SQLSTATE '23505'`: five digits and capital letters.
    SqlState(Literal),
}

/// A line of DECLARE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// From the name to the semicolon.
    pub span: Span,
    /// What is declared.
    pub name: Name,
    /// As what.
    pub kind: DeclarationKind,
}

/// What a name is declared as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    /// `name [CONSTANT] type [COLLATE …] [NOT NULL] [:= …]`
    Variable {
        /// Whether it never changes.
        constant: bool,
        /// Its type.
        ty: DataType,
        /// Its collation.
        collation: Option<Path>,
        /// Whether it is never null.
        not_null: bool,
        /// What it is at the beginning.
        default: Option<Fragment>,
    },
    /// `name ALIAS FOR other`
    Alias(Path),
    /// `name [[NO] SCROLL] CURSOR [(…)] FOR query`
    Cursor {
        /// Whether it goes backward, if that is said.
        scroll: Option<bool>,
        /// Its arguments.
        parameters: Vec<CursorParameter>,
        /// Its query.
        query: Fragment,
    },
}

/// An argument of a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorParameter {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: DataType,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    /// As SQL spells it.
    Named(Fragment),
    /// `variable%TYPE` or `table.column%TYPE`
    TypeOf(Path),
    /// `table%ROWTYPE`
    RowTypeOf(Path),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// From its label or first word to the semicolon.
    pub span: Span,
    /// What it does.
    pub kind: StatementKind,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// A block inside of another.
    Block(Box<Block>),
    /// `target := expression`
    Assign {
        /// What changes.
        target: Target,
        /// What it becomes. PostgreSQL reads `x := ;`, too, and then fails when it runs.
        value: Option<Fragment>,
    },
    /// `IF … THEN … [ELSIF … THEN …] [ELSE …] END IF`
    If {
        /// IF and every ELSIF.
        branches: Vec<Branch>,
        /// ELSE, which may be empty.
        otherwise: Option<Vec<Statement>>,
    },
    /// `CASE [expression] WHEN … THEN … [ELSE …] END CASE`
    Case {
        /// What the branches are compared with. Without it, they are conditions.
        subject: Option<Fragment>,
        /// Every WHEN; with a subject, each may be a list of expressions.
        branches: Vec<Branch>,
        /// ELSE, which may be empty. Without it, it is an error that no branch fits.
        otherwise: Option<Vec<Statement>>,
    },
    /// Any loop.
    Loop(Box<Loop>),
    /// `EXIT [label] [WHEN …]` or `CONTINUE [label] [WHEN …]`
    Leave {
        /// Which of the two.
        leave: Leave,
        /// What is left or gone on with; else the innermost loop.
        label: Option<Name>,
        /// If this holds.
        when: Option<Fragment>,
    },
    /// `RETURN [expression]`
    Return(Option<Fragment>),
    /// `RETURN NEXT [expression]`
    ReturnNext(Option<Fragment>),
    /// `RETURN QUERY …`
    ReturnQuery(Query),
    /// `RAISE …`
    Raise(Box<Raise>),
    /// `ASSERT condition [, message]`
    Assert {
        /// What has to hold.
        condition: Fragment,
        /// What is said if it does not.
        message: Option<Fragment>,
    },
    /// `PERFORM …`: what follows is what may follow SELECT. That may be nothing.
    Perform(Option<Fragment>),
    /// `CALL …`, with that word.
    Call(Fragment),
    /// `DO …`, with that word.
    Do(Fragment),
    /// A statement of SQL.
    Sql(SqlStatement),
    /// `EXECUTE … [INTO …] [USING …]`
    Execute {
        /// The statement that is run.
        dynamic: Dynamic,
        /// Where its row goes.
        into: Option<Into>,
    },
    /// `GET [CURRENT | STACKED] DIAGNOSTICS …`
    GetDiagnostics {
        /// Of the error that is handled, or of the statement before.
        stacked: bool,
        /// At least one.
        items: Vec<DiagnosticsItem>,
    },
    /// `OPEN …`
    Open {
        /// The cursor.
        cursor: Path,
        /// What it reads.
        of: Opened,
    },
    /// `FETCH [direction FROM] cursor INTO …`
    Fetch {
        /// Which row.
        direction: Direction,
        /// Of which cursor.
        cursor: Path,
        /// Where it goes; never strict.
        into: Into,
    },
    /// `MOVE [direction FROM] cursor`
    Move {
        /// Where to.
        direction: Direction,
        /// Which cursor.
        cursor: Path,
    },
    /// `CLOSE cursor`
    Close(Path),
    /// `COMMIT [AND [NO] CHAIN]`
    Commit {
        /// Whether the next transaction is like this one, if that is said.
        chain: Option<bool>,
    },
    /// `ROLLBACK [AND [NO] CHAIN]`
    Rollback {
        /// Whether the next transaction is like this one, if that is said.
        chain: Option<bool>,
    },
    /// `NULL`
    Null,
}

/// What is assigned to: a variable, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// From the variable to the last step.
    pub span: Span,
    /// Up to three names. Which of them are fields depends on what is declared.
    pub variable: Path,
    /// The way from there.
    pub steps: Vec<Step>,
}

/// A step into a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `[…]`: what is inside, which may be a slice, or nothing.
    Subscript(Option<Fragment>),
    /// `.name`
    Field(Name),
}

/// A condition and what is done if it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// From IF, ELSIF or WHEN to the end of the last statement.
    pub span: Span,
    /// If this holds, or is equal to what is compared.
    pub condition: Fragment,
    /// What is done then.
    pub statements: Vec<Statement>,
}

/// `[<<label>>] … LOOP … END LOOP [label]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its label.
    pub label: Option<Label>,
    /// How often, and over what.
    pub control: LoopControl,
    /// What is done each time.
    pub statements: Vec<Statement>,
    /// The label after END LOOP, which is that of the beginning.
    pub end_label: Option<Name>,
}

/// What a loop goes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopControl {
    /// `LOOP`
    Forever,
    /// `WHILE condition LOOP`
    While(Fragment),
    /// `FOR name IN [REVERSE] from..to [BY step] LOOP`
    Integers {
        /// A variable of the loop's own.
        variable: Path,
        /// Whether it counts down.
        reverse: bool,
        /// The first.
        from: Fragment,
        /// The last.
        to: Fragment,
        /// How far each time, if not by one.
        by: Option<Fragment>,
    },
    /// `FOR targets IN query LOOP`, or `IN EXECUTE …`
    Rows {
        /// A record, or as many variables as there are columns.
        targets: Vec<Path>,
        /// The query.
        query: Query,
    },
    /// `FOR name IN cursor [(…)] LOOP`
    Cursor {
        /// A record of the loop's own.
        variable: Path,
        /// The cursor, which is bound.
        cursor: Path,
        /// Its arguments.
        arguments: Vec<CursorArgument>,
    },
    /// `FOREACH targets [SLICE n] IN ARRAY array LOOP`
    Elements {
        /// A variable, or several for an array of rows.
        targets: Vec<Path>,
        /// How many dimensions a slice has.
        slice: Option<Slice>,
        /// The array.
        array: Fragment,
    },
}

/// How many dimensions of an array are left each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The number.
    pub span: Span,
    /// Its value.
    pub dimensions: u32,
}

/// How a loop or a block is left early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// It ends.
    Exit,
    /// It goes on with the next round.
    Continue,
}

/// A query that is written, or made as it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// The query.
    Static(Fragment),
    /// `EXECUTE …`
    Dynamic(Dynamic),
}

/// The text of a statement, made as it runs, and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// An expression whose value is the statement.
    pub text: Fragment,
    /// `USING …`
    pub using: Vec<Fragment>,
}

/// `RAISE [level] [what] [USING …]`. Without anything, it raises the error that is handled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raise {
    /// How bad it is; an error if that is not said.
    pub level: Option<RaiseLevel>,
    /// What is raised, if that is not only said by options.
    pub what: Option<Raised>,
    /// `USING …`
    pub options: Vec<RaiseOption>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RaiseLevel {
    Debug,
    Log,
    Info,
    Notice,
    Warning,
    Exception,
}

/// What is raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raised {
    /// `'format' [, argument …]`: as many as there are single `%` in the format.
    Message {
        /// The text, with a `%` for each argument and `%%` for one of its own.
        format: Literal,
        /// What is put there.
        arguments: Vec<Fragment>,
    },
    /// An error by its name or code.
    Condition(Condition),
}

/// `option = expression`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaiseOption {
    /// The word.
    pub span: Span,
    /// Which.
    pub kind: RaiseOptionKind,
    /// What it is set to.
    pub value: Fragment,
}

/// What RAISE can say about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RaiseOptionKind {
    ErrCode,
    Message,
    Detail,
    Hint,
    Column,
    Constraint,
    DataType,
    Table,
    Schema,
}

/// A statement of SQL, whose INTO is PL/pgSQL's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlStatement {
    /// What stands before INTO, or all of it.
    pub before: Fragment,
    /// Where its row goes.
    pub into: Option<Into>,
    /// What stands after INTO.
    pub after: Option<Fragment>,
}

impl SqlStatement {
    /// From its first word to the last, with INTO.
    pub fn span(&self) -> Span {
        let last = self.after.map(|after| after.span);
        let last = last.or(self.into.as_ref().map(|into| into.span));
        last.map_or(self.before.span, |last| self.before.span.to(last))
    }

    /// The statement as SQL, with blanks in place of INTO, so that a byte of it is as far from its beginning as in the
    /// source.
    pub fn text<'a>(&self, source: &'a str) -> Cow<'a, str> {
        let before = self.before.text(source);
        let Some(after) = self.after else { return Cow::Borrowed(before) };
        if self.into.is_none() {
            return Cow::Borrowed(self.span().text(source));
        }
        let blanks = " ".repeat(after.span.start - self.before.span.end);
        Cow::Owned(format!("{before}{blanks}{}", after.text(source)))
    }
}

/// `INTO [STRICT] targets`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Into {
    /// From INTO to the last target.
    pub span: Span,
    /// Whether there has to be one row exactly.
    pub strict: bool,
    /// A record, or as many variables as there are columns.
    pub targets: Vec<Path>,
}

/// `variable = item`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosticsItem {
    /// What is set.
    pub target: Path,
    /// The item's word.
    pub span: Span,
    /// Which.
    pub kind: DiagnosticsKind,
}

/// What GET DIAGNOSTICS can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DiagnosticsKind {
    RowCount,
    Context,
    ExceptionContext,
    ExceptionDetail,
    ExceptionHint,
    ReturnedSqlState,
    ColumnName,
    ConstraintName,
    DataTypeName,
    MessageText,
    TableName,
    SchemaName,
}

/// What a cursor is opened for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    /// Its own query, with arguments.
    Bound(Vec<CursorArgument>),
    /// `[[NO] SCROLL] FOR query`
    Unbound {
        /// Whether it goes backward, if that is said.
        scroll: Option<bool>,
        /// What it reads.
        query: Query,
    },
}

/// `[name :=] expression`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorArgument {
    /// Which parameter; else the one at its place.
    pub name: Option<Name>,
    /// Its value.
    pub value: Fragment,
}

/// Where a cursor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Nothing is said: to the next row.
    Unsaid,
    /// `NEXT`
    Next,
    /// `PRIOR`
    Prior,
    /// `FIRST`
    First,
    /// `LAST`
    Last,
    /// `ABSOLUTE number`
    Absolute(Fragment),
    /// `RELATIVE number`
    Relative(Fragment),
    /// A number of rows.
    Count(Fragment),
    /// `ALL`
    All,
    /// `FORWARD [number | ALL]`
    Forward(Option<HowMany>),
    /// `BACKWARD [number | ALL]`
    Backward(Option<HowMany>),
}

/// How far FORWARD or BACKWARD goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowMany {
    /// To the end.
    All,
    /// So many rows.
    Count(Fragment),
}

impl Direction {
    /// Whether it may pass more than one row, which MOVE does and FETCH does not.
    pub fn is_many(self) -> bool {
        match self {
            Direction::Count(_)
            | Direction::All
            | Direction::Forward(Some(_))
            | Direction::Backward(Some(_)) => true,
            Direction::Unsaid
            | Direction::Next
            | Direction::Prior
            | Direction::First
            | Direction::Last
            | Direction::Absolute(_)
            | Direction::Relative(_)
            | Direction::Forward(None)
            | Direction::Backward(None) => false,
        }
    }
}
