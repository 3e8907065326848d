//! PostgreSQL's words for statements that cannot be bound.
//!
//! Code and message are one match without a wildcard: a new [`Binding`] does not compile before somebody has looked up
//! what PostgreSQL says. Details and hints are matches of their own, for the causes that have one. Tests compare all of
//! it with a server's answers (`sql/tests/differential`).

use hobgoblin_sql_schema::binding::{
    Binding, CallPart, Clause, Construct, FrameOrder, JoinSide, Obstacle, Unlockable, Verb,
};

use crate::error::{Code, SqlState};

/// The code and the message.
pub(super) fn words(cause: &Binding) -> (Code, String) {
    use Binding as B;
    let said = |state: Code, text: &str| (state, text.to_owned());
    match cause {
        B::NoColumn(name) => {
            (SqlState::UNDEFINED_COLUMN, format!("column \"{name}\" does not exist"))
        }
        B::NoColumnOfSource { source, column } => {
            (SqlState::UNDEFINED_COLUMN, format!("column {source}.{column} does not exist"))
        }
        B::NoColumnOfTarget { target, column } => (
            SqlState::UNDEFINED_COLUMN,
            format!("column \"{column}\" of relation \"{target}\" does not exist"),
        ),
        B::NoField { field, ty: None } => (
            SqlState::UNDEFINED_COLUMN,
            format!("could not identify column \"{field}\" in record data type"),
        ),
        B::NoField { field, ty: Some(ty) } => {
            (SqlState::UNDEFINED_COLUMN, format!("column \"{field}\" not found in data type {ty}"))
        }
        B::NoJoinColumn { column, side } => (
            SqlState::UNDEFINED_COLUMN,
            format!(
                "column \"{column}\" specified in USING clause does not exist in {} table",
                side_name(*side)
            ),
        ),
        B::AmbiguousJoinColumn { column, side } => (
            SqlState::AMBIGUOUS_COLUMN,
            format!(
                "common column name \"{column}\" appears more than once in {} table",
                side_name(*side)
            ),
        ),
        B::AmbiguousColumn(name) => {
            (SqlState::AMBIGUOUS_COLUMN, format!("column reference \"{name}\" is ambiguous"))
        }
        B::AmbiguousOutput { clause, name } => {
            (SqlState::AMBIGUOUS_COLUMN, format!("{clause} \"{name}\" is ambiguous"))
        }
        B::NoOutput { clause, position } => (
            SqlState::INVALID_COLUMN_REFERENCE,
            format!("{clause} position {position} is not in select list"),
        ),
        B::NoSource { schema: Some(schema), name, .. } => (
            SqlState::UNDEFINED_TABLE,
            format!("missing FROM-clause entry for table \"{schema}.{name}\""),
        ),
        B::NoSource { schema: None, name, .. } => {
            (SqlState::UNDEFINED_TABLE, format!("missing FROM-clause entry for table \"{name}\""))
        }
        B::NotLateral(source) => (
            SqlState::INVALID_COLUMN_REFERENCE,
            format!("invalid reference to FROM-clause entry for table \"{source}\""),
        ),
        B::NameTwice { name, with: false } => {
            (SqlState::DUPLICATE_ALIAS, format!("table name \"{name}\" specified more than once"))
        }
        B::NameTwice { name, with: true } => (
            SqlState::DUPLICATE_ALIAS,
            format!("WITH query name \"{name}\" specified more than once"),
        ),
        B::ColumnTwice(column) => {
            (SqlState::DUPLICATE_COLUMN, format!("column \"{column}\" specified more than once"))
        }
        B::TooManyNames { name, with, columns, names } => {
            let what = if *with { "WITH query" } else { "table" };
            (
                SqlState::INVALID_COLUMN_REFERENCE,
                format!(
                    "{what} \"{name}\" has {columns} columns available but {names} columns specified"
                ),
            )
        }
        B::NotReturning(name) => (
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("WITH query \"{name}\" does not have a RETURNING clause"),
        ),
        B::NotPopulated(view) => (
            SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!("materialized view \"{view}\" has not been populated"),
        ),
        B::IndexAsSource(index) => {
            (SqlState::WRONG_OBJECT_TYPE, format!("cannot open relation \"{index}\""))
        }
        B::NoLockedSource { name, lock } => (
            SqlState::UNDEFINED_TABLE,
            format!("relation \"{name}\" in {lock} clause not found in FROM clause"),
        ),
        B::NoWindow(name) => {
            (SqlState::UNDEFINED_OBJECT, format!("window \"{name}\" does not exist"))
        }
        B::NoConstraint { constraint, table } => (
            SqlState::UNDEFINED_OBJECT,
            format!("constraint \"{constraint}\" for table \"{table}\" does not exist"),
        ),
        B::NoFunction { function, arguments } | B::NotVariadic { function, arguments } => (
            SqlState::UNDEFINED_FUNCTION,
            format!("function {function}({}) does not exist", arguments.join(", ")),
        ),
        B::NoFunctionInSchema(function) => {
            (SqlState::UNDEFINED_FUNCTION, format!("function {function}() does not exist"))
        }
        B::NoDefault(column) => (
            SqlState::NOT_NULL_VIOLATION,
            format!("null value in column \"{column}\" violates not-null constraint"),
        ),
        B::UnevenUnion(word) => (
            SqlState::SYNTAX_ERROR,
            format!("each {word} query must have the same number of columns"),
        ),
        B::ReadsTarget { table, verb } => {
            (SqlState::SYNTAX_ERROR, format!("{verb} of table \"{table}\" reads it"))
        }
        B::WrongUsage { of, with } => {
            (SqlState::SYNTAX_ERROR, format!("{with} is not allowed with {of}"))
        }
        B::NoMultiTable { name, .. } | B::NotUpdatableSource(name) => {
            (SqlState::UNDEFINED_TABLE, format!("table \"{name}\" cannot be changed here"))
        }
        B::ColumnCount { .. } => {
            said(SqlState::SYNTAX_ERROR, "INSERT has not as many expressions as target columns")
        }
        B::OperandColumns { words, .. } => (SqlState::SYNTAX_ERROR, (*words).to_owned()),
        B::NoArrayType(ty) => {
            (SqlState::UNDEFINED_OBJECT, format!("could not find array type for data type {ty}"))
        }
        B::NoCast { from, to } => {
            (SqlState::CANNOT_COERCE, format!("cannot cast type {from} to {to}"))
        }
        B::ColumnType { column, wanted, given } => (
            SqlState::DATATYPE_MISMATCH,
            format!("column \"{column}\" is of type {wanted} but expression is of type {given}"),
        ),
        B::ElementType { column, wanted, given } => (
            SqlState::DATATYPE_MISMATCH,
            format!(
                "subscripted assignment to \"{column}\" requires type {wanted} but expression is of type {given}"
            ),
        ),
        B::ArgumentType { clause, wanted, given } => (
            SqlState::DATATYPE_MISMATCH,
            format!("argument of {clause} must be type {wanted}, not type {given}"),
        ),
        B::NotComparable { ty, order } => {
            let what = if *order { "ordering" } else { "equality" };
            (
                SqlState::UNDEFINED_FUNCTION,
                format!("could not identify an {what} operator for type {ty}"),
            )
        }
        B::NotSubscriptable(ty) => (
            SqlState::DATATYPE_MISMATCH,
            format!("cannot subscript type {ty} because it does not support subscripting"),
        ),
        B::DocumentSlice => {
            said(SqlState::DATATYPE_MISMATCH, "jsonb subscript does not support slices")
        }
        B::OneKeyOnly => said(SqlState::FEATURE_NOT_SUPPORTED, "hstore allows only one subscript"),
        B::EmptyArray => {
            said(SqlState::INDETERMINATE_DATATYPE, "cannot determine type of empty array")
        }
        B::NoArrayToCompare => {
            said(SqlState::WRONG_OBJECT_TYPE, "op ANY/ALL (array) requires array on right side")
        }
        B::NoArrayToSpread => {
            said(SqlState::DATATYPE_MISMATCH, "VARIADIC argument must be an array")
        }
        B::NotComposite(ty) => (SqlState::WRONG_OBJECT_TYPE, format!("type {ty} is not composite")),
        B::UnknownRecord => {
            said(SqlState::WRONG_OBJECT_TYPE, "record type has not been registered")
        }
        B::UnknownParameter(number) => (
            SqlState::INDETERMINATE_DATATYPE,
            format!("could not determine data type of parameter ${number}"),
        ),
        B::UnknownResult(function) => (
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("could not determine row type for result of {function}"),
        ),
        B::Misplaced { what, clause } => misplaced(*what, *clause),
        B::NotAggregate { part, function } => {
            (SqlState::WRONG_OBJECT_TYPE, not_aggregate(*part, function))
        }
        B::AggregateOfNothing(function) => (
            SqlState::WRONG_OBJECT_TYPE,
            format!("{function}(*) must be used to call a parameterless aggregate function"),
        ),
        B::WindowFunctionAlone(function) => (
            SqlState::WRONG_OBJECT_TYPE,
            format!("window function {function} requires an OVER clause"),
        ),
        B::FilteredWindowFunction => said(
            SqlState::FEATURE_NOT_SUPPORTED,
            "FILTER is not implemented for non-aggregate window functions",
        ),
        B::UngroupedColumn { source, column } => {
            let column = column.as_deref().unwrap_or("*");
            (
                SqlState::GROUPING_ERROR,
                format!(
                    "column \"{source}.{column}\" must appear in the GROUP BY clause or be used in an aggregate function"
                ),
            )
        }
        B::NotGrouped => said(
            SqlState::GROUPING_ERROR,
            "arguments to GROUPING must be grouping expressions of the associated query level",
        ),
        B::TooManyGroupings { limit } => (
            SqlState::TOO_MANY_ARGUMENTS,
            format!("GROUPING must have fewer than {limit} arguments"),
        ),
        B::TooLargeCube { most } => {
            (SqlState::STATEMENT_TOO_COMPLEX, format!("CUBE is limited to {most} elements"))
        }
        B::SortKeyNotDistinct { aggregate: false } => said(
            SqlState::INVALID_COLUMN_REFERENCE,
            "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
        ),
        B::SortKeyNotDistinct { aggregate: true } => said(
            SqlState::INVALID_COLUMN_REFERENCE,
            "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
        ),
        B::SortKeyNotDistinctOn => said(
            SqlState::INVALID_COLUMN_REFERENCE,
            "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
        ),
        B::FrameOrder(order) => {
            let text = match order {
                FrameOrder::FromCurrent => {
                    "frame starting from current row cannot have preceding rows"
                }
                FrameOrder::FromFollowing => {
                    "frame starting from following row cannot have preceding rows"
                }
                FrameOrder::StartsLast => "frame start cannot be UNBOUNDED FOLLOWING",
                FrameOrder::EndsFirst => "frame end cannot be UNBOUNDED PRECEDING",
            };
            said(SqlState::WINDOWING_ERROR, text)
        }
        B::RangeKeys => said(
            SqlState::WINDOWING_ERROR,
            "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
        ),
        B::RangeTypes { key, offset } => (
            SqlState::FEATURE_NOT_SUPPORTED,
            format!(
                "RANGE with offset PRECEDING/FOLLOWING is not supported for column type {key} and offset type {offset}"
            ),
        ),
        B::SortKeyNotOutput => {
            said(SqlState::FEATURE_NOT_SUPPORTED, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
        }
        B::VariableCount { clause } => (
            SqlState::INVALID_COLUMN_REFERENCE,
            format!("argument of {clause} must not contain variables"),
        ),
        B::RecursionTwice(name) => (
            SqlState::INVALID_RECURSION,
            format!("recursive reference to query \"{name}\" must not appear more than once"),
        ),
        B::RecursionAggregate => said(
            SqlState::INVALID_RECURSION,
            "aggregate functions are not allowed in a recursive query's recursive term",
        ),
        B::RecursionForm(name) => (
            SqlState::INVALID_RECURSION,
            format!(
                "recursive query \"{name}\" does not have the form non-recursive-term UNION [ALL] recursive-term"
            ),
        ),
        B::RecursionType { name, position, first, overall } => (
            SqlState::DATATYPE_MISMATCH,
            format!(
                "recursive query \"{name}\" column {position} has type {first} in non-recursive term but type {overall} overall"
            ),
        ),
        B::NestedChange => said(
            SqlState::FEATURE_NOT_SUPPORTED,
            "WITH clause containing a data-modifying statement must be at the top level",
        ),
        B::MergeInWith => {
            said(SqlState::FEATURE_NOT_SUPPORTED, "MERGE not supported in WITH query")
        }
        B::CannotLock { lock, why } => {
            (SqlState::FEATURE_NOT_SUPPORTED, format!("{lock} {}", unlockable(*why)))
        }
        B::OtherDialect { form } => (SqlState::SYNTAX_ERROR, format!("{form} is not PostgreSQL's")),
        B::TooDeep { .. } => said(SqlState::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"),
        B::DefaultForElement => {
            said(SqlState::FEATURE_NOT_SUPPORTED, "cannot set an array element to DEFAULT")
        }
        B::NoRowToAssign => said(
            SqlState::FEATURE_NOT_SUPPORTED,
            "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
        ),
        B::ComputedColumn { column, insert: true, .. } => (
            SqlState::GENERATED_ALWAYS,
            format!("cannot insert a non-DEFAULT value into column \"{column}\""),
        ),
        B::ComputedColumn { column, insert: false, .. } => (
            SqlState::GENERATED_ALWAYS,
            format!("column \"{column}\" can only be updated to DEFAULT"),
        ),
        B::SystemColumn(column) => (
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("cannot assign to system column \"{column}\""),
        ),
        B::ComputedInView { verb, column, view } => (
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("cannot {} column \"{column}\" of view \"{view}\"", verb_words(*verb)),
        ),
        B::ChangesMaterialized(view) => {
            (SqlState::WRONG_OBJECT_TYPE, format!("cannot change materialized view \"{view}\""))
        }
        B::ChangesCatalogue(table) => (
            SqlState::INSUFFICIENT_PRIVILEGE,
            format!("permission denied: \"{table}\" is a system catalog"),
        ),
        B::ChangesRowless(name) => {
            (SqlState::WRONG_OBJECT_TYPE, format!("cannot change rows of \"{name}\""))
        }
        B::NotUpdatable { view, verb, .. } => (
            SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!("cannot {} view \"{view}\"", verb_words(*verb)),
        ),
        B::MergeIntoView(view) => (
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("cannot execute MERGE on relation \"{view}\""),
        ),
        B::NoArbiter => said(
            SqlState::INVALID_COLUMN_REFERENCE,
            "there is no unique or exclusion constraint matching the ON CONFLICT specification",
        ),
        B::UpsertOnExclusion => said(
            SqlState::WRONG_OBJECT_TYPE,
            "ON CONFLICT DO UPDATE not supported with exclusion constraints",
        ),
    }
}

/// What is told beside the message.
pub(super) fn detail(cause: &Binding) -> Option<String> {
    let detail = match cause {
        Binding::NotLateral(_) => {
            "The combining JOIN type must be INNER or LEFT for a LATERAL reference."
        }
        Binding::IndexAsSource(_) => "This operation is not supported for indexes.",
        Binding::MergeIntoView(_) => "This operation is not supported for views.",
        Binding::SortKeyNotOutput => {
            "Only result column names can be used, not expressions or functions."
        }
        Binding::ComputedInView { .. } => {
            "View columns that are not columns of their base relation are not updatable."
        }
        Binding::ComputedColumn { column, identity: false, .. } => {
            return Some(format!("Column \"{column}\" is a generated column."));
        }
        Binding::ComputedColumn { column, identity: true, .. } => {
            return Some(format!(
                "Column \"{column}\" is an identity column defined as GENERATED ALWAYS."
            ));
        }
        Binding::NotUpdatable { why, .. } => {
            return Some(format!("Views {} are not automatically updatable.", obstacle(*why)));
        }
        _ => return None,
    };
    Some(detail.to_owned())
}

/// What can be done about it.
pub(super) fn hint(cause: &Binding) -> Option<String> {
    let hint = match cause {
        Binding::NotPopulated(_) => "Use the REFRESH MATERIALIZED VIEW command.",
        Binding::NoFunction { .. } => {
            "No function matches the given name and argument types. You might need to add explicit type casts."
        }
        Binding::ColumnType { .. } | Binding::ElementType { .. } => {
            "You will need to rewrite or cast the expression."
        }
        Binding::EmptyArray => {
            "Explicitly cast to the desired type, for example ARRAY[]::integer[]."
        }
        Binding::UnknownResult(_) => {
            "Provide a non-null record argument, or call the function in the FROM clause using a column definition list."
        }
        Binding::RecursionType { .. } => {
            "Cast the output of the non-recursive term to the correct type."
        }
        Binding::TooDeep { most } => {
            return Some(format!("Expressions, queries and joins nest up to {most} levels."));
        }
        Binding::ComputedColumn { insert: true, identity: true, .. } => {
            "Use OVERRIDING SYSTEM VALUE to override."
        }
        Binding::NotUpdatable { verb: Verb::Insert, .. } => {
            "To enable inserting into the view, provide an INSTEAD OF INSERT trigger or an unconditional ON INSERT DO INSTEAD rule."
        }
        Binding::NotUpdatable { verb: Verb::Update, .. } => {
            "To enable updating the view, provide an INSTEAD OF UPDATE trigger or an unconditional ON UPDATE DO INSTEAD rule."
        }
        Binding::NotUpdatable { verb: Verb::Delete, .. } => {
            "To enable deleting from the view, provide an INSTEAD OF DELETE trigger or an unconditional ON DELETE DO INSTEAD rule."
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

fn misplaced(what: Construct, clause: Clause) -> (Code, String) {
    let (state, kind) = match (what, clause) {
        (Construct::Aggregate, Clause::Aggregate) => {
            let text = "aggregate function calls cannot be nested";
            return (SqlState::GROUPING_ERROR, text.to_owned());
        }
        (Construct::Window, Clause::Aggregate) => {
            let text = "aggregate function calls cannot contain window function calls";
            return (SqlState::GROUPING_ERROR, text.to_owned());
        }
        (Construct::Window, Clause::Window) => {
            let text = "window function calls cannot be nested";
            return (SqlState::WINDOWING_ERROR, text.to_owned());
        }
        (Construct::Aggregate, _) => (SqlState::GROUPING_ERROR, "aggregate functions"),
        (Construct::Window, _) => (SqlState::WINDOWING_ERROR, "window functions"),
        (Construct::SetFunction, _) => (SqlState::FEATURE_NOT_SUPPORTED, "set-returning functions"),
        (Construct::Grouping, _) => (SqlState::GROUPING_ERROR, "grouping operations"),
    };
    (state, format!("{kind} are not allowed in {}", clause_name(clause)))
}

fn clause_name(clause: Clause) -> &'static str {
    match clause {
        Clause::Select => "the select list",
        Clause::Having => "HAVING",
        Clause::Where => "WHERE",
        Clause::On => "JOIN conditions",
        Clause::GroupBy => "GROUP BY",
        Clause::Aggregate => "an aggregate's arguments",
        Clause::Window => "window definitions",
        Clause::From => "functions in FROM",
        Clause::Values => "VALUES",
        Clause::Plain => "this expression",
        Clause::Limit => "LIMIT",
    }
}

fn not_aggregate(part: CallPart, function: &str) -> String {
    let part = match part {
        CallPart::Distinct => "DISTINCT",
        CallPart::Filter => "FILTER",
        CallPart::OrderBy => "ORDER BY",
        CallPart::WithinGroup => {
            return format!(
                "{function} is not an ordered-set aggregate, so it cannot have WITHIN GROUP"
            );
        }
        CallPart::Over => {
            return format!(
                "OVER specified, but {function} is not a window function nor an aggregate function"
            );
        }
    };
    format!("{part} specified, but {function} is not an aggregate function")
}

fn side_name(side: JoinSide) -> &'static str {
    match side {
        JoinSide::Left => "left",
        JoinSide::Right => "right",
    }
}

fn verb_words(verb: Verb) -> &'static str {
    match verb {
        Verb::Insert => "insert into",
        Verb::Update => "update",
        Verb::Delete => "delete from",
    }
}

fn unlockable(why: Unlockable) -> &'static str {
    match why {
        Unlockable::Values => "cannot be applied to VALUES",
        Unlockable::SetOperation => "is not allowed with UNION/INTERSECT/EXCEPT",
        Unlockable::Distinct => "is not allowed with DISTINCT clause",
        Unlockable::GroupBy => "is not allowed with GROUP BY clause",
        Unlockable::Having => "is not allowed with HAVING clause",
        Unlockable::Aggregates => "is not allowed with aggregate functions",
        Unlockable::Windows => "is not allowed with window functions",
        Unlockable::SetFunctions => {
            "is not allowed with set-returning functions in the target list"
        }
        Unlockable::WithQuery => "cannot be applied to a WITH query",
        Unlockable::Function => "cannot be applied to a function",
        Unlockable::Nullable => "cannot be applied to the nullable side of an outer join",
    }
}

fn obstacle(why: Obstacle) -> &'static str {
    match why {
        Obstacle::With => "containing WITH",
        Obstacle::Limit => "containing LIMIT or OFFSET",
        Obstacle::SetOperation => "containing UNION, INTERSECT, or EXCEPT",
        Obstacle::NotOneRelation => "that do not select from a single table or view",
        Obstacle::Distinct => "containing DISTINCT",
        Obstacle::GroupBy => "containing GROUP BY",
        Obstacle::Having => "containing HAVING",
        Obstacle::Aggregates => "that return aggregate functions",
        Obstacle::Windows => "that return window functions",
        Obstacle::SetFunctions => "that return set-returning functions",
        Obstacle::NoColumns => "that have no updatable columns",
    }
}
