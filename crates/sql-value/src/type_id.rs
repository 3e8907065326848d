//! Types as numbers, which a dialect gives.

/// The number of an object of the catalogue.
pub type Oid = u32;

/// A type, by its number. What there is to know about it, its dialect knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub Oid);

/// The types that every dialect has. They have the numbers that PostgreSQL's clients are told, so that these need no
/// translation.
impl TypeId {
    /// True and false.
    pub const BOOLEAN: TypeId = TypeId(16);
    /// Whole numbers of 32 bits.
    pub const INTEGER: TypeId = TypeId(23);
    /// Whole numbers of 64 bits.
    pub const BIGINT: TypeId = TypeId(20);
    /// Texts of any length.
    pub const TEXT: TypeId = TypeId(25);
    /// Rows without a type of their own.
    pub const ROW: TypeId = TypeId(2249);
    /// What nothing has told the type of yet: a constant in quotes, a parameter.
    pub const UNKNOWN: TypeId = TypeId(705);

    /// The first number that catalogues give to what users make; those below are the dialect's.
    pub const FIRST_USER: Oid = 16384;
}
