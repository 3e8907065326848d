//! What can go wrong where values compute, as causes; the dialect has the words.

/// What an operation on values gives.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

/// Why an operation on values has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Something is divided by zero.
    DivisionByZero,
    /// A decimal has more digits than one can have.
    NumericOverflow,
    /// A decimal does not fit a column of this precision and scale.
    FieldOverflow {
        /// The number of digits in all.
        precision: i32,
        /// Digits after the point.
        scale: i32,
        /// Whether that is because it is infinite.
        infinite: bool,
    },
    /// A text is no number.
    NotANumber(String),
    /// The square root of a negative number.
    NegativeRoot,
    /// The logarithm of zero.
    LogarithmOfZero,
    /// The logarithm of a negative number.
    LogarithmOfNegative,
    /// Zero to a negative power.
    ZeroToNegativePower,
    /// A negative number to a power that is no integer.
    ComplexPower,
    /// An integer of 32 bits is not enough.
    IntegerOutOfRange,
    /// An integer of 64 bits is not enough.
    BigintOutOfRange,
    /// No such moment can be held.
    OutOfRange(Moment),
    /// A date that no timestamp can hold.
    DateOutOfTimestamps,
    /// Infinite dates were subtracted.
    InfiniteDates,
    /// Infinite timestamps were subtracted.
    InfiniteTimestamps,
    /// Bins counted from an infinite origin.
    InfiniteOrigin,
    /// Bins of months or years, which are not equally long.
    BinsOfMonths,
    /// Bins that are not longer than nothing.
    EmptyBins,
    /// An array with so many dimensions.
    TooManyDimensions(usize),
    /// An array with more elements than this.
    TooManyElements(i64),
    /// Another number of subscripts than the array has dimensions.
    SubscriptCount,
    /// A subscript outside an array that cannot grow.
    SubscriptOutOfRange,
    /// A slice that ends before it begins.
    SliceOrder,
    /// A slice of an empty array with a bound left out.
    SliceWithoutBounds,
    /// Fewer elements than the slice has that they are assigned to.
    SliceTooShort,
    /// A range whose lower bound is above its upper one.
    RangeOrder,
    /// A union of ranges with a gap between them.
    RangeUnionGap,
    /// A difference of ranges that would be two.
    RangeDifferenceGap,
    /// A key of an hstore that is NULL.
    NullKey,
    /// An array that cannot be keys and values: an odd number of elements.
    OddPairs,
    /// An array that cannot be keys and values: rows that are no pairs.
    NoPairs,
}

/// Which kind of moment or span is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A date without a time.
    Date,
    /// A day and a time, with or without a zone.
    Timestamp,
    /// A span of time.
    Interval,
}
