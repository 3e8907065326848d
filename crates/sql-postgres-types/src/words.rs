//! PostgreSQL's words for what can go wrong.
//!
//! The crates below say causes ([`Problem`]); here each gets its SQLSTATE and its message, and some
//! a detail and a hint. The match has no wildcard, so a new cause does not compile before somebody
//! has looked up what PostgreSQL says of it. It is done once, when the error leaves the session
//! ([`worded`]).

mod binding;

use hobgoblin_sql_schema::{Cause, Code, Problem, SqlError};
use hobgoblin_sql_value::{self as value, MAX_DIMENSIONS, Moment};

use crate::error::SqlState;

/// An error in PostgreSQL's words.
pub fn worded(mut error: SqlError) -> SqlError {
    let Cause::Problem(problem) = &error.cause else { return error };
    let (state, message) = words(problem);
    let (detail, hint) = (detail(problem), hint(problem));
    error.more.detail = error.more.detail.or(detail);
    error.more.hint = error.more.hint.or(hint);
    error.cause = Cause::Said { state, message };
    error
}

fn words(problem: &Problem) -> (Code, String) {
    use Problem as P;
    let said = |state: Code, text: &str| (state, text.to_owned());
    match problem {
        P::Value(problem) => of_value(problem),
        P::Binding(cause) => binding::words(cause),
        P::Unsupported(feature) => {
            (SqlState::FEATURE_NOT_SUPPORTED, format!("{feature} is not supported"))
        }
        P::Syntax(what) => (SqlState::SYNTAX_ERROR, what.clone()),
        P::Internal(what) => (SqlState::INTERNAL_ERROR, what.clone()),
        P::NullInColumn { table, column, .. } => (
            SqlState::NOT_NULL_VIOLATION,
            format!(
                "null value in column \"{column}\" of relation \"{table}\" violates not-null constraint"
            ),
        ),
        P::CheckFails { table, check, .. } => (
            SqlState::CHECK_VIOLATION,
            format!("new row for relation \"{table}\" violates check constraint \"{check}\""),
        ),
        P::CheckFailsAlready { table, check } => (
            SqlState::CHECK_VIOLATION,
            format!("check constraint \"{check}\" of relation \"{table}\" is violated by some row"),
        ),
        P::NoParent { table, constraint, .. } | P::PartlyNullKey { table, constraint } => (
            SqlState::FOREIGN_KEY_VIOLATION,
            format!(
                "insert or update on table \"{table}\" violates foreign key constraint \"{constraint}\""
            ),
        ),
        P::StillReferred { table, constraint, reference, .. } => (
            SqlState::FOREIGN_KEY_VIOLATION,
            format!(
                "update or delete on table \"{}\" violates foreign key constraint \"{constraint}\" on table \"{table}\"",
                reference.parent
            ),
        ),
        P::DuplicateKey { constraint, .. } => (
            SqlState::UNIQUE_VIOLATION,
            format!("duplicate key value violates unique constraint \"{constraint}\""),
        ),
        P::IndexNotUnique { index, .. } => {
            (SqlState::UNIQUE_VIOLATION, format!("could not create unique index \"{index}\""))
        }
        P::Excluded { constraint, .. } => (
            SqlState::EXCLUSION_VIOLATION,
            format!("conflicting key value violates exclusion constraint \"{constraint}\""),
        ),
        P::ExcludedAlready { constraint, .. } => (
            SqlState::EXCLUSION_VIOLATION,
            format!("could not create exclusion constraint \"{constraint}\""),
        ),
        P::OutsideView { view, .. } => (
            SqlState::WITH_CHECK_OPTION_VIOLATION,
            format!("new row violates check option for view \"{view}\""),
        ),
        P::NullInDomain { domain } => {
            (SqlState::NOT_NULL_VIOLATION, format!("domain {domain} does not allow null values"))
        }
        P::DomainCheckFails { domain, check } => (
            SqlState::CHECK_VIOLATION,
            format!("value for domain {domain} violates check constraint \"{check}\""),
        ),
        P::DomainInArrays { domain, table, column } => (
            SqlState::FEATURE_NOT_SUPPORTED,
            format!("cannot alter type \"{domain}\" because column \"{table}.{column}\" uses it"),
        ),
        P::ColumnHasNulls { table, column } => (
            SqlState::NOT_NULL_VIOLATION,
            format!("column \"{column}\" of table \"{table}\" contains null values"),
        ),
        P::ColumnFailsDomain { table, column } => (
            SqlState::CHECK_VIOLATION,
            format!(
                "column \"{column}\" of table \"{table}\" contains values that violate the new constraint"
            ),
        ),
        P::RowLocked { table } => (
            SqlState::LOCK_NOT_AVAILABLE,
            format!("could not obtain lock on row in relation \"{table}\""),
        ),
        P::OutOfMemory { .. } => (Code("53200"), "out of memory".to_owned()),
        P::ValueTooLong { bytes } => {
            (SqlState::INTERNAL_ERROR, format!("invalid memory alloc request size {bytes}"))
        }
        P::TextTooLong { .. } => (SqlState::PROGRAM_LIMIT_EXCEEDED, "out of memory".to_owned()),
        P::NoRelation { schema: Some(schema), name } => {
            (SqlState::UNDEFINED_TABLE, format!("relation \"{schema}.{name}\" does not exist"))
        }
        P::NoRelation { schema: None, name } => {
            (SqlState::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist"))
        }
        P::RelationGone(oid) => {
            (SqlState::INTERNAL_ERROR, format!("cache lookup failed for relation {oid}"))
        }
        P::NoSchemaToCreateIn => {
            said(SqlState::INVALID_SCHEMA_NAME, "no schema has been selected to create in")
        }
        P::NoParameter(number) => {
            (SqlState::UNDEFINED_PARAMETER, format!("there is no parameter ${number}"))
        }
        P::FrameOffset { start, null } => {
            let side = if *start { "starting" } else { "ending" };
            let what = if *null { "null" } else { "negative" };
            (Code("22013"), format!("frame {side} offset must not be {what}"))
        }
        P::ConcurrentUpdate => said(
            SqlState::SERIALIZATION_FAILURE,
            "could not serialize access due to concurrent update",
        ),
        P::ConcurrentDelete => said(
            SqlState::SERIALIZATION_FAILURE,
            "could not serialize access due to concurrent delete",
        ),
        P::Dependencies => said(
            SqlState::SERIALIZATION_FAILURE,
            "could not serialize access due to read/write dependencies among transactions",
        ),
        P::MergedTwice => {
            said(SqlState::CARDINALITY_VIOLATION, "MERGE command cannot affect row a second time")
        }
        P::UpsertedTwice => said(
            SqlState::CARDINALITY_VIOLATION,
            "ON CONFLICT DO UPDATE command cannot affect row a second time",
        ),
        P::DeferrableArbiter => said(
            SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
            "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters",
        ),
        P::SeveralRows => said(
            SqlState::CARDINALITY_VIOLATION,
            "more than one row returned by a subquery used as an expression",
        ),
        P::ArrayShapes => said(
            SqlState::ARRAY_SUBSCRIPT_ERROR,
            "multidimensional arrays must have array expressions with matching dimensions",
        ),
        P::NullSubscript => {
            said(SqlState::NULL_VALUE_NOT_ALLOWED, "array subscript in assignment must not be null")
        }
        P::NoBuckets => said(Code("22014"), "argument of ntile must be greater than zero"),
        P::RowBeforeFrame => said(Code("22016"), "argument of nth_value must be greater than zero"),
        P::FrameSize => {
            said(Code("22013"), "invalid preceding or following size in window function")
        }
        P::NegativeLimit => {
            said(SqlState::INVALID_ROW_COUNT_IN_LIMIT, "LIMIT must not be negative")
        }
        P::NegativeOffset => {
            said(SqlState::INVALID_ROW_COUNT_IN_OFFSET, "OFFSET must not be negative")
        }
        P::EndlessRecursion => {
            said(SqlState::QUERY_CANCELED, "canceling statement: a recursive query did not end")
        }
    }
}

fn hint(problem: &Problem) -> Option<String> {
    let hint = match problem {
        Problem::Binding(cause) => return binding::hint(cause),
        Problem::Unsupported(_) => {
            "docs/sql.md lists what is supported; a mock database answers the rest with this error"
        }
        Problem::MergedTwice => {
            "Ensure that not more than one source row matches any one target row."
        }
        Problem::UpsertedTwice => {
            "Ensure that no rows proposed for insertion within the same command have duplicate constrained values."
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

fn of_value(problem: &value::Problem) -> (Code, String) {
    use value::Problem as P;
    let (state, text) = match problem {
        P::DivisionByZero => (SqlState::DIVISION_BY_ZERO, "division by zero"),
        P::NumericOverflow => {
            (SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
        }
        P::FieldOverflow { .. } => (SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow"),
        P::NotANumber(text) => {
            let text = format!("invalid input syntax for type numeric: \"{text}\"");
            return (SqlState::INVALID_TEXT_REPRESENTATION, text);
        }
        P::NegativeRoot => {
            (SqlState::INVALID_ARGUMENT_FOR_POWER, "cannot take square root of a negative number")
        }
        P::LogarithmOfZero => {
            (SqlState::INVALID_ARGUMENT_FOR_LOGARITHM, "cannot take logarithm of zero")
        }
        P::LogarithmOfNegative => {
            (SqlState::INVALID_ARGUMENT_FOR_LOGARITHM, "cannot take logarithm of a negative number")
        }
        P::ZeroToNegativePower => {
            (SqlState::INVALID_ARGUMENT_FOR_POWER, "zero raised to a negative power is undefined")
        }
        P::ComplexPower => (
            SqlState::INVALID_ARGUMENT_FOR_POWER,
            "a negative number raised to a non-integer power yields a complex result",
        ),
        P::IntegerOutOfRange => (SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "integer out of range"),
        P::BigintOutOfRange => (SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range"),
        P::OutOfRange(Moment::Date) => (SqlState::DATETIME_FIELD_OVERFLOW, "date out of range"),
        P::OutOfRange(Moment::Timestamp) => {
            (SqlState::DATETIME_FIELD_OVERFLOW, "timestamp out of range")
        }
        P::OutOfRange(Moment::Interval) => {
            (SqlState::DATETIME_FIELD_OVERFLOW, "interval out of range")
        }
        P::DateOutOfTimestamps => {
            (SqlState::DATETIME_FIELD_OVERFLOW, "date out of range for timestamp")
        }
        P::InfiniteDates => (SqlState::DATETIME_FIELD_OVERFLOW, "cannot subtract infinite dates"),
        P::InfiniteTimestamps => {
            (SqlState::DATETIME_FIELD_OVERFLOW, "cannot subtract infinite timestamps")
        }
        P::InfiniteOrigin => (SqlState::DATETIME_FIELD_OVERFLOW, "origin out of range"),
        P::BinsOfMonths => (
            SqlState::FEATURE_NOT_SUPPORTED,
            "timestamps cannot be binned into intervals containing months or years",
        ),
        P::EmptyBins => (SqlState::DATETIME_FIELD_OVERFLOW, "stride must be greater than zero"),
        P::TooManyDimensions(count) => {
            let text = format!(
                "number of array dimensions ({count}) exceeds the maximum allowed ({MAX_DIMENSIONS})"
            );
            return (SqlState::PROGRAM_LIMIT_EXCEEDED, text);
        }
        P::TooManyElements(most) => {
            let text = format!("array size exceeds the maximum allowed ({most})");
            return (SqlState::PROGRAM_LIMIT_EXCEEDED, text);
        }
        P::SubscriptCount => (SqlState::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts"),
        P::SubscriptOutOfRange => (SqlState::ARRAY_SUBSCRIPT_ERROR, "array subscript out of range"),
        P::SliceOrder => {
            (SqlState::ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound")
        }
        P::SliceWithoutBounds => {
            (SqlState::ARRAY_SUBSCRIPT_ERROR, "array slice subscript must provide both boundaries")
        }
        P::SliceTooShort => (SqlState::ARRAY_SUBSCRIPT_ERROR, "source array too small"),
        P::RangeOrder => {
            (Code("22000"), "range lower bound must be less than or equal to range upper bound")
        }
        P::RangeUnionGap => (Code("22000"), "result of range union would not be contiguous"),
        P::RangeDifferenceGap => {
            (Code("22000"), "result of range difference would not be contiguous")
        }
        P::NullKey => (SqlState::NULL_VALUE_NOT_ALLOWED, "null value not allowed for hstore key"),
        P::OddPairs => (SqlState::ARRAY_SUBSCRIPT_ERROR, "array must have even number of elements"),
        P::NoPairs => (SqlState::ARRAY_SUBSCRIPT_ERROR, "array must have two columns"),
    };
    (state, text.to_owned())
}

fn detail(problem: &Problem) -> Option<String> {
    let problem = match problem {
        Problem::NullInColumn { row, .. }
        | Problem::CheckFails { row, .. }
        | Problem::OutsideView { row, .. } => {
            return Some(format!("Failing row contains {row}."));
        }
        Problem::NoParent { key, reference, .. } => {
            let parent = &reference.parent;
            return Some(format!("Key {key} is not present in table \"{parent}\"."));
        }
        Problem::PartlyNullKey { .. } => {
            let detail = "MATCH FULL does not allow mixing of null and nonnull key values.";
            return Some(detail.to_owned());
        }
        Problem::StillReferred { key, table, .. } => {
            return Some(format!("Key {key} is still referenced from table \"{table}\"."));
        }
        Problem::DuplicateKey { key: Some(key), .. } => {
            return Some(format!("Key {key} already exists."));
        }
        Problem::IndexNotUnique { key: Some(key), .. } => {
            return Some(format!("Key {key} is duplicated."));
        }
        Problem::Excluded { key, by, .. } => {
            let columns = &key.columns;
            return Some(format!("Key {key} conflicts with existing key ({columns})=({by})."));
        }
        Problem::ExcludedAlready { key, by, .. } => {
            let columns = &key.columns;
            return Some(format!("Key {key} conflicts with key ({columns})=({by})."));
        }
        Problem::OutOfMemory { bytes } => {
            return Some(format!("Failed on request of size {bytes}."));
        }
        Problem::TextTooLong { bytes, more } => {
            return Some(format!(
                "Cannot enlarge string buffer containing {bytes} bytes by {more} more bytes."
            ));
        }
        Problem::Binding(cause) => return binding::detail(cause),
        Problem::Value(problem) => problem,
        _ => return None,
    };
    match problem {
        value::Problem::FieldOverflow { precision, scale, infinite } => {
            let whole = precision - scale;
            let bound = if whole == 0 { "1".into() } else { format!("10^{whole}") };
            let why = match infinite {
                true => "cannot hold an infinite value".to_owned(),
                false => format!("must round to an absolute value less than {bound}"),
            };
            Some(format!("A field with precision {precision}, scale {scale} {why}."))
        }
        value::Problem::SliceWithoutBounds => Some(
            "When assigning to a slice of an empty array value, slice boundaries must be fully specified."
                .to_owned(),
        ),
        _ => None,
    }
}
