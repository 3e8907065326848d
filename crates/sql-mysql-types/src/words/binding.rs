//! The words for statements that cannot be bound.

use hobgoblin_sql_schema::binding::{Binding, Clause, Construct, FrameOrder, JoinSide};

use crate::error::{self, Number};
use crate::speaker::Speaker;

/// The number and the message.
pub(super) fn words(
    cause: &Binding,
    clause: Option<&str>,
    speaker: Speaker<'_>,
) -> (Number, String) {
    use Binding as B;
    let said = |number: Number, text: &str| (number, text.to_owned());
    let unsupported = |what: &str| {
        let server = speaker.version.server();
        (error::UNSUPPORTED, format!("This version of {server} doesn't yet support '{what}'"))
    };
    let clause = clause_words(clause.unwrap_or("SELECT"), speaker);
    let clause = clause.as_str();
    match cause {
        B::NoColumn(name) => unknown_column(name, clause),
        B::NoColumnOfSource { source, column } => {
            unknown_column(&format!("{source}.{column}"), clause)
        }
        B::NoColumnOfTarget { column, .. } => unknown_column(column, clause),
        B::NoField { field, .. } => unknown_column(field, "field list"),
        B::NoJoinColumn { column, .. } => {
            unknown_column(column, &clause_words("FROM", speaker))
        }
        B::AmbiguousJoinColumn { column, side } => match side {
            JoinSide::Left | JoinSide::Right => {
                ambiguous(column, &clause_words("FROM", speaker))
            }
        },
        B::AmbiguousColumn(name) => ambiguous(name, clause),
        B::NoDefault(column) => {
            (error::NO_DEFAULT, format!("Field '{column}' doesn't have a default value"))
        }
        B::UnevenUnion(_) => {
            said(1222, "The used SELECT statements have a different number of columns")
        }
        B::ReadsTarget { table, verb } => (
            error::CANNOT_UPDATE_TABLE,
            match speaker.version.is_mysql() {
                true => {
                    format!("You can't specify target table '{table}' for update in FROM clause")
                }
                false => format!(
                    "Table '{table}' is specified twice, both as a target for '{verb}' and as a separate source for data"
                ),
            },
        ),
        B::WrongUsage { of, with } => (1221, format!("Incorrect usage of {of} and {with}")),
        B::NoMultiTable { name, verb, .. } => {
            (1109, format!("Unknown table '{name}' in {verb}"))
        }
        B::NotUpdatableSource(name) => not_updatable(name),
        B::ColumnCount { row } => (
            error::WRONG_COLUMN_COUNT,
            format!("Column count doesn't match value count at row {row}"),
        ),
        B::OperandColumns { wanted, .. } => {
            (error::OPERAND_COLUMNS, format!("Operand should contain {wanted} column(s)"))
        }
        B::AmbiguousOutput { clause, name } => ambiguous(name, &clause_words(clause, speaker)),
        B::NoOutput { clause, position } => {
            unknown_column(position, &clause_words(clause, speaker))
        }
        B::NoSource { schema, name, column: Some(column) } => {
            let schema = schema.as_deref().map(|schema| format!("{schema}.")).unwrap_or_default();
            unknown_column(&format!("{schema}{name}.{column}"), clause)
        }
        B::NoSource { schema, name, column: None } => {
            let database = (!speaker.version.is_mysql()).then_some(speaker.database);
            let schema = schema.as_deref().or(database);
            let schema = schema.map(|schema| format!("{schema}.")).unwrap_or_default();
            (error::UNKNOWN_TABLE, format!("Unknown table '{schema}{name}'"))
        }
        B::NotLateral(source) => unknown_column(source, &clause_words("FROM", speaker)),
        B::NameTwice { name, .. } => {
            (error::NOT_UNIQUE_TABLE, format!("Not unique table/alias: '{name}'"))
        }
        B::ColumnTwice(column) => {
            (error::FIELD_TWICE, format!("Column '{column}' specified twice"))
        }
        B::TooManyNames { .. } => {
            said(1353, "View's SELECT and view's field list have different column counts")
        }
        B::NotReturning(_) => unsupported("changes of rows in WITH"),
        B::NotPopulated(view) | B::IndexAsSource(view) => (
            error::NO_SUCH_TABLE,
            format!("Table '{}.{view}' doesn't exist", speaker.database),
        ),
        B::NoLockedSource { name, .. } => match speaker.version.is_mysql() {
            true => (3568, format!("Unresolved table name `{name}` in locking clause.")),
            false => (error::UNKNOWN_TABLE, format!("Unknown table '{name}'")),
        },
        B::NoWindow(name) => match speaker.version.is_mysql() {
            true => (3579, format!("Window name '{name}' is not defined.")),
            false => {
                (error::NO_WINDOW, format!("Window specification with name '{name}' is not defined"))
            }
        },
        B::NoConstraint { constraint, table } => (
            error::NO_SUCH_KEY,
            format!("Can't DROP CONSTRAINT `{constraint}` of `{table}`; check that it exists"),
        ),
        B::NoFunction { function, .. } | B::NotVariadic { function, .. } => (
            error::UNKNOWN_FUNCTION,
            format!("FUNCTION {}.{function} does not exist", speaker.database),
        ),
        B::NoFunctionInSchema(function) => {
            (error::UNKNOWN_FUNCTION, format!("FUNCTION {function} does not exist"))
        }
        B::NoArrayType(_)
        | B::NotSubscriptable(_)
        | B::DocumentSlice
        | B::OneKeyOnly
        | B::EmptyArray
        | B::NoArrayToCompare
        | B::NoArrayToSpread
        | B::ElementType { .. }
        | B::DefaultForElement => unsupported("arrays"),
        B::NoCast { from, to } => unsupported(&format!("a conversion of {from} to {to}")),
        B::ColumnType { wanted, given, .. } => {
            unsupported(&format!("a conversion of {given} to {wanted}"))
        }
        B::ArgumentType { clause, given, .. } => unsupported(&format!("{given} in {clause}")),
        B::NotComparable { ty, .. } => unsupported(&format!("a comparison of {ty}")),
        B::NotComposite(_) | B::UnknownRecord | B::NoRowToAssign => {
            said(error::OPERAND_COLUMNS, "Operand should contain 1 column(s)")
        }
        B::UnknownParameter(_) => said(error::WRONG_ARGUMENTS, "Incorrect arguments to EXECUTE"),
        B::UnknownResult(function) => unsupported(&format!("{function} in FROM")),
        B::Misplaced { what, clause } => misplaced(*what, *clause, speaker),
        B::NotAggregate { function, .. } => (
            error::SYNTAX,
            format!("You have an error in your SQL syntax near '{function}'"),
        ),
        B::AggregateOfNothing(function) => (
            error::WRONG_PARAMETERS_TO_FUNCTION,
            format!("Incorrect parameters in the call to native function '{function}'"),
        ),
        B::WindowFunctionAlone(function) => (
            error::SYNTAX,
            format!("You have an error in your SQL syntax near '{function}'"),
        ),
        B::FilteredWindowFunction => unsupported("FILTER"),
        B::UngroupedColumn { source, column } => {
            let column = column.as_deref().unwrap_or("*");
            let database = speaker.database;
            match speaker.version.is_mysql() {
                true => (
                    error::WRONG_GROUP_FIELD,
                    format!(
                        "Expression of SELECT list is not in GROUP BY clause and contains nonaggregated column '{database}.{source}.{column}' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by"
                    ),
                ),
                false => (
                    error::WRONG_GROUP_FIELD,
                    format!("'{database}.{source}.{column}' isn't in GROUP BY"),
                ),
            }
        }
        B::NotGrouped | B::TooManyGroupings { .. } | B::TooLargeCube { .. } => {
            unsupported("GROUPING")
        }
        B::SortKeyNotDistinct { .. } | B::SortKeyNotDistinctOn => (
            3065,
            "Expression #1 of ORDER BY clause is not in SELECT list; this is incompatible with DISTINCT"
                .to_owned(),
        ),
        B::FrameOrder(order) => match order {
            FrameOrder::FromCurrent
            | FrameOrder::FromFollowing
            | FrameOrder::StartsLast
            | FrameOrder::EndsFirst => said(
                error::BAD_FRAME,
                "Unacceptable combination of window frame bound specifications",
            ),
        },
        B::RangeKeys => {
            said(4019, "RANGE-type frame requires ORDER BY clause with single sort key")
        }
        B::RangeTypes { .. } => said(4021, "Numeric datatype is required for RANGE-type frame"),
        B::SortKeyNotOutput => unknown_column("?", &clause_words("ORDER BY", speaker)),
        B::VariableCount { clause } => {
            (error::SYNTAX, format!("You have an error in your SQL syntax near '{clause}'"))
        }
        B::RecursionTwice(name) | B::RecursionForm(name) => (
            error::RECURSIVE_WITHOUT_ANCHOR,
            format!("No anchors for recursive WITH element '{name}'"),
        ),
        B::RecursionAggregate => {
            said(4008, "Restrictions imposed on recursive definitions are violated")
        }
        B::RecursionType { name, .. } => {
            (error::TOO_LONG_DATA, format!("Data too long for column '{name}' at row 1"))
        }
        B::NestedChange | B::MergeInWith | B::MergeIntoView(_) => {
            unsupported("changes of rows in WITH")
        }
        B::CannotLock { lock, .. } => unsupported(lock),
        B::OtherDialect { form } => {
            (error::SYNTAX, format!("You have an error in your SQL syntax near '{form}'"))
        }
        B::TooDeep { .. } => said(
            1436,
            "Thread stack overrun: the statement nests too deep. Consider increasing the thread_stack system variable.",
        ),
        B::ComputedColumn { table, column, .. } => match speaker.version.is_mysql() {
            true => (
                3105,
                format!(
                    "The value specified for generated column '{column}' in table '{table}' is not allowed."
                ),
            ),
            false => (
                error::COMPUTED_COLUMN,
                format!(
                    "The value specified for generated column '{column}' in table '{table}' has been ignored"
                ),
            ),
        },
        B::SystemColumn(column) => unknown_column(column, "field list"),
        B::ComputedInView { column, .. } => {
            (1348, format!("Column '{column}' is not updatable"))
        }
        B::ChangesMaterialized(name) | B::ChangesRowless(name) => not_updatable(name),
        B::ChangesCatalogue(table) => (
            1044,
            format!("Access denied for user to database '{table}'"),
        ),
        B::NotUpdatable { view, .. } => not_updatable(view),
        B::NoArbiter | B::UpsertOnExclusion => unsupported("ON CONFLICT"),
    }
}

fn unknown_column(name: &str, clause: &str) -> (Number, String) {
    (error::UNKNOWN_COLUMN, format!("Unknown column '{name}' in '{clause}'"))
}

fn ambiguous(name: &str, clause: &str) -> (Number, String) {
    (error::AMBIGUOUS_COLUMN, format!("Column '{name}' in {clause} is ambiguous"))
}

/// A clause as the servers call it: MariaDB by its words, MySQL in others.
fn clause_words(clause: &str, speaker: Speaker<'_>) -> String {
    if !speaker.version.is_mysql() {
        return clause.to_owned();
    }
    match clause {
        "SELECT" | "SET" | "INSERT INTO" | "VALUES" => "field list".to_owned(),
        "ORDER BY" => "order clause".to_owned(),
        "GROUP BY" => "group statement".to_owned(),
        "FROM" => "from clause".to_owned(),
        "HAVING" => "having clause".to_owned(),
        "ON" => "on clause".to_owned(),
        "WHERE" => "where clause".to_owned(),
        other => other.to_lowercase(),
    }
}

fn not_updatable(name: &str) -> (Number, String) {
    let message = format!("The target table {name} of the UPDATE is not updatable");
    (error::NON_UPDATABLE, message)
}

fn misplaced(what: Construct, clause: Clause, speaker: Speaker<'_>) -> (Number, String) {
    match what {
        Construct::Aggregate => {
            (error::INVALID_GROUP_FUNCTION, "Invalid use of group function".to_owned())
        }
        Construct::Window => match (speaker.version.is_mysql(), clause) {
            (true, _) => (3593, "You cannot use the window function in this context.".to_owned()),
            (false, _) => (
                error::WINDOW_MISPLACED,
                "Window function is allowed only in SELECT list and ORDER BY clause".to_owned(),
            ),
        },
        Construct::SetFunction => (error::UNSUPPORTED, "There are no functions of rows".to_owned()),
        Construct::Grouping => (error::UNSUPPORTED, "There is no GROUPING".to_owned()),
    }
}
