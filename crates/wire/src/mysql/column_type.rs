//! The types of columns and parameters, by number, and how their values look in binary.

/// A type, by its number in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ColumnType {
    /// The DECIMAL of MySQL 4; today only some clients send it, for text of a number.
    Decimal = 0x00,
    /// TINYINT: an integer of one byte.
    Tiny = 0x01,
    /// SMALLINT: an integer of two bytes.
    Short = 0x02,
    /// INT: an integer of four bytes.
    Long = 0x03,
    /// FLOAT: a number of four bytes.
    Float = 0x04,
    /// DOUBLE: a number of eight bytes.
    Double = 0x05,
    /// The type of a NULL that has no other.
    Null = 0x06,
    /// TIMESTAMP: a date and time in the zone of the session.
    Timestamp = 0x07,
    /// BIGINT: an integer of eight bytes.
    LongLong = 0x08,
    /// MEDIUMINT, which travels in four bytes.
    Int24 = 0x09,
    /// DATE, without a time.
    Date = 0x0a,
    /// TIME: a span of time, which may be negative.
    Time = 0x0b,
    /// DATETIME: a date and time in no zone.
    DateTime = 0x0c,
    /// YEAR: an integer of two bytes.
    Year = 0x0d,
    /// VARCHAR, as some clients call it.
    VarChar = 0x0f,
    /// BIT: the bytes of a number, the highest first.
    Bit = 0x10,
    /// VECTOR, of MySQL 9: bytes.
    Vector = 0xf2,
    /// JSON of MySQL, which travels as text.
    Json = 0xf5,
    /// DECIMAL, as text.
    NewDecimal = 0xf6,
    /// ENUM. Results call it [`ColumnType::String`] and set a flag.
    Enum = 0xf7,
    /// SET. Results call it [`ColumnType::String`] and set a flag.
    Set = 0xf8,
    /// TINYBLOB or TINYTEXT. Results call all of them [`ColumnType::Blob`].
    TinyBlob = 0xf9,
    /// MEDIUMBLOB or MEDIUMTEXT.
    MediumBlob = 0xfa,
    /// LONGBLOB or LONGTEXT.
    LongBlob = 0xfb,
    /// BLOB or TEXT.
    Blob = 0xfc,
    /// VARCHAR or VARBINARY.
    VarString = 0xfd,
    /// CHAR or BINARY.
    String = 0xfe,
    /// GEOMETRY: bytes.
    Geometry = 0xff,
}

/// How the values of a type look in binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// It takes no bytes, since the value is NULL.
    Nothing,
    /// An integer of so many bytes.
    Integer(usize),
    /// A floating-point number of four bytes.
    Float,
    /// A floating-point number of eight bytes.
    Double,
    /// The parts of a date, and perhaps of a time of day.
    DateTime,
    /// The parts of a span of time.
    Time,
    /// Bytes with their length before them.
    Bytes,
}

impl ColumnType {
    /// All types that have a number here.
    pub const ALL: [ColumnType; 28] = [
        ColumnType::Decimal,
        ColumnType::Tiny,
        ColumnType::Short,
        ColumnType::Long,
        ColumnType::Float,
        ColumnType::Double,
        ColumnType::Null,
        ColumnType::Timestamp,
        ColumnType::LongLong,
        ColumnType::Int24,
        ColumnType::Date,
        ColumnType::Time,
        ColumnType::DateTime,
        ColumnType::Year,
        ColumnType::VarChar,
        ColumnType::Bit,
        ColumnType::Vector,
        ColumnType::Json,
        ColumnType::NewDecimal,
        ColumnType::Enum,
        ColumnType::Set,
        ColumnType::TinyBlob,
        ColumnType::MediumBlob,
        ColumnType::LongBlob,
        ColumnType::Blob,
        ColumnType::VarString,
        ColumnType::String,
        ColumnType::Geometry,
    ];

    /// The type with this number; `None` if there is none.
    pub fn by_number(number: u8) -> Option<ColumnType> {
        ColumnType::ALL.into_iter().find(|ty| ty.number() == number)
    }

    /// The number of the type in packets.
    pub fn number(self) -> u8 {
        self as u8
    }

    pub(crate) fn shape(self) -> Shape {
        match self {
            ColumnType::Null => Shape::Nothing,
            ColumnType::Tiny => Shape::Integer(1),
            ColumnType::Short | ColumnType::Year => Shape::Integer(2),
            ColumnType::Long | ColumnType::Int24 => Shape::Integer(4),
            ColumnType::LongLong => Shape::Integer(8),
            ColumnType::Float => Shape::Float,
            ColumnType::Double => Shape::Double,
            ColumnType::Timestamp | ColumnType::Date | ColumnType::DateTime => Shape::DateTime,
            ColumnType::Time => Shape::Time,
            ColumnType::Decimal
            | ColumnType::VarChar
            | ColumnType::Bit
            | ColumnType::Vector
            | ColumnType::Json
            | ColumnType::NewDecimal
            | ColumnType::Enum
            | ColumnType::Set
            | ColumnType::TinyBlob
            | ColumnType::MediumBlob
            | ColumnType::LongBlob
            | ColumnType::Blob
            | ColumnType::VarString
            | ColumnType::String
            | ColumnType::Geometry => Shape::Bytes,
        }
    }
}
