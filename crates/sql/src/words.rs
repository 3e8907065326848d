//! PostgreSQL's words for what can go wrong with values.

use hobgoblin_sql_value::{MAX_DIMENSIONS, Moment, Problem};

use crate::error::{SqlError, SqlState};

impl From<Problem> for SqlError {
    fn from(problem: Problem) -> SqlError {
        let (state, message) = words(&problem);
        let error = SqlError::new(state, message);
        match detail(&problem) {
            Some(detail) => error.detail(detail),
            None => error,
        }
    }
}

fn words(problem: &Problem) -> (SqlState, String) {
    use Problem as P;
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
            (SqlState("22000"), "range lower bound must be less than or equal to range upper bound")
        }
        P::RangeUnionGap => (SqlState("22000"), "result of range union would not be contiguous"),
        P::RangeDifferenceGap => {
            (SqlState("22000"), "result of range difference would not be contiguous")
        }
        P::NullKey => (SqlState::NULL_VALUE_NOT_ALLOWED, "null value not allowed for hstore key"),
        P::OddPairs => (SqlState::ARRAY_SUBSCRIPT_ERROR, "array must have even number of elements"),
        P::NoPairs => (SqlState::ARRAY_SUBSCRIPT_ERROR, "array must have two columns"),
    };
    (state, text.to_owned())
}

fn detail(problem: &Problem) -> Option<String> {
    match problem {
        Problem::FieldOverflow { precision, scale, infinite } => {
            let whole = precision - scale;
            let bound = if whole == 0 { "1".into() } else { format!("10^{whole}") };
            let why = match infinite {
                true => "cannot hold an infinite value".to_owned(),
                false => format!("must round to an absolute value less than {bound}"),
            };
            Some(format!("A field with precision {precision}, scale {scale} {why}."))
        }
        Problem::SliceWithoutBounds => Some(
            "When assigning to a slice of an empty array value, slice boundaries must be fully specified."
                .to_owned(),
        ),
        _ => None,
    }
}
