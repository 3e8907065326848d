//! A type whole, in one number.
//!
//! MySQL's types carry much with them: `DECIMAL(10,2)`, `VARCHAR(20) COLLATE utf8mb4_bin`, `INT UNSIGNED ZEROFILL`. All of it
//! decides what expressions give: `1.50 + 2` has two digits after the point since 1.50 has, and the comparison of two texts
//! takes its collation from theirs. So all of it is in the [`TypeId`], and there are no modifiers beside it:
//!
//! ```text
//!     bit 31 30   29…25     24…0
//!          0  1    kind      what the kind needs
//! ```
//!
//! Numbers from 2³⁰ to 2³¹ are no user's types (catalogues count up from 16384) and no shapes of rows. The six numbers of
//! `sql-value` mean what [`MyType::of`] says; [`MyType::id`] gives them back where they are exact.

use hobgoblin_sql_value::TypeId;

use crate::collation::Collation;

/// Which family a type belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// NULL, of which nothing else is known.
    Null,
    /// What a condition gives: an integer for whoever asks, a truth inside.
    Truth,
    /// One byte.
    TinyInt,
    /// Two bytes.
    SmallInt,
    /// Three bytes.
    MediumInt,
    /// Four bytes.
    Int,
    /// Eight bytes.
    BigInt,
    /// Exact decimals.
    Decimal,
    /// Floats of 32 bits.
    Float,
    /// Floats of 64 bits.
    Double,
    /// So many bits, which are a number or its bytes.
    Bit,
    /// Years from 1901 to 2155, and 0.
    Year,
    /// Days.
    Date,
    /// Days with a time.
    DateTime,
    /// Instants, kept in UTC and shown in the session's zone.
    Timestamp,
    /// Spans of up to 838 hours.
    Time,
    /// Texts or bytes of a fixed length.
    Char,
    /// Texts or bytes up to a length.
    VarChar,
    /// Up to 255 bytes.
    TinyText,
    /// Up to 64 KiB.
    Text,
    /// Up to 16 MiB.
    MediumText,
    /// Up to 4 GiB.
    LongText,
    /// One of some texts.
    Enum,
    /// Some of some texts.
    Set,
    /// Documents.
    Json,
    /// What of a value compares: of a text its [`Collation::key`], of an integer the integer ([`MyType::WHOLE_KEY`]).
    SortKey,
    /// Hexadecimal and binary constants: bytes that are a number where one is asked for.
    Hex,
}

const KINDS: [Kind; 27] = [
    Kind::Null,
    Kind::Truth,
    Kind::TinyInt,
    Kind::SmallInt,
    Kind::MediumInt,
    Kind::Int,
    Kind::BigInt,
    Kind::Decimal,
    Kind::Float,
    Kind::Double,
    Kind::Bit,
    Kind::Year,
    Kind::Date,
    Kind::DateTime,
    Kind::Timestamp,
    Kind::Time,
    Kind::Char,
    Kind::VarChar,
    Kind::TinyText,
    Kind::Text,
    Kind::MediumText,
    Kind::LongText,
    Kind::Enum,
    Kind::Set,
    Kind::Json,
    Kind::SortKey,
    Kind::Hex,
];

/// How hard a text holds to its collation where it meets another; less is harder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Coercibility {
    /// COLLATE was written.
    Explicit,
    /// Two columns that do not agree.
    Mixed,
    /// A column.
    Column,
    /// What a function makes of columns: as hard as a column.
    Derived,
    /// What the system says, such as USER().
    System,
    /// A constant.
    Literal,
    /// A number or a time that becomes a text.
    Numeric,
    /// NULL.
    Nothing,
}

const COERCIBILITIES: [Coercibility; 8] = [
    Coercibility::Explicit,
    Coercibility::Mixed,
    Coercibility::Column,
    Coercibility::Derived,
    Coercibility::System,
    Coercibility::Literal,
    Coercibility::Numeric,
    Coercibility::Nothing,
];

/// The scale of floats whose digits after the point are not fixed; clients are told 31.
pub const NOT_FIXED: u8 = 31;

/// A type with all that belongs to it. What a kind has no use for is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MyType {
    /// Which family.
    pub kind: Kind,
    /// Whether there are no negative numbers.
    pub unsigned: bool,
    /// Whether numbers are shown with zeros in front.
    pub zerofill: bool,
    /// The display width of integers and floats, the digits of decimals, the bits of BIT, the characters of texts, and for ENUM
    /// and SET the number of the list of members (see [`crate::members`]).
    pub length: u32,
    /// Digits after the point, of seconds too.
    pub scale: u8,
    /// How texts compare, and in which character set they are.
    pub collation: Collation,
    /// How hard they hold to it.
    pub coercibility: Coercibility,
}

const OURS: u32 = 1 << 30;

impl MyType {
    /// A type of a kind, with nothing else.
    pub const fn new(kind: Kind) -> MyType {
        MyType {
            kind,
            unsigned: false,
            zerofill: false,
            length: 0,
            scale: 0,
            collation: Collation::BINARY,
            coercibility: Coercibility::Numeric,
        }
    }

    /// NULL's.
    pub const NULL: MyType =
        MyType { coercibility: Coercibility::Nothing, ..MyType::new(Kind::Null) };
    /// Of conditions.
    pub const TRUTH: MyType = MyType { length: 1, ..MyType::new(Kind::Truth) };
    /// DOUBLE.
    pub const DOUBLE: MyType = MyType { length: 23, scale: NOT_FIXED, ..MyType::new(Kind::Double) };
    /// BIGINT.
    pub const BIGINT: MyType = MyType { length: 20, ..MyType::new(Kind::BigInt) };
    /// BIGINT UNSIGNED.
    pub const UNSIGNED: MyType = MyType { length: 20, unsigned: true, ..MyType::new(Kind::BigInt) };
    /// What of integers compares, whatever their size and sign.
    pub const WHOLE_KEY: MyType =
        MyType { length: 1, coercibility: Coercibility::Literal, ..MyType::new(Kind::SortKey) };
    /// DATE.
    pub const DATE: MyType = MyType::new(Kind::Date);

    /// An integer that is shown in so many characters, a sign among them: INT if that is less than ten, as the server has it.
    pub const fn integer(width: u32, unsigned: bool) -> MyType {
        let kind = if width >= 10 { Kind::BigInt } else { Kind::Int };
        MyType { length: width, unsigned, ..MyType::new(kind) }
    }

    /// DECIMAL(precision, scale), within 65 and 38.
    pub fn decimal(precision: u32, scale: u32) -> MyType {
        let scale = scale.min(38);
        let precision = precision.clamp(scale.max(1), 65);
        MyType { length: precision, scale: scale as u8, ..MyType::new(Kind::Decimal) }
    }

    /// A time type with so many digits of a second.
    pub fn moment(kind: Kind, digits: u8) -> MyType {
        MyType { scale: digits.min(6), ..MyType::new(kind) }
    }

    /// VARCHAR(length) with a constant's hold on its collation.
    pub fn text(length: u32, collation: Collation) -> MyType {
        let coercibility = Coercibility::Literal;
        MyType { length, collation, coercibility, ..MyType::new(Kind::VarChar) }
    }

    /// VARBINARY(length).
    pub fn bytes(length: u32) -> MyType {
        MyType::text(length, Collation::BINARY)
    }

    /// What a type is.
    pub fn of(ty: TypeId) -> MyType {
        match ty {
            TypeId::BOOLEAN => MyType::TRUTH,
            TypeId::INTEGER => MyType { length: 11, ..MyType::new(Kind::Int) },
            TypeId::BIGINT => MyType::BIGINT,
            TypeId::TEXT => MyType::text(0, Collation::DEFAULT),
            TypeId(packed) if packed >> 30 == 1 => MyType::unpack(packed),
            _ => MyType::NULL,
        }
    }

    /// The number of it.
    pub fn id(self) -> TypeId {
        match self {
            MyType::NULL => TypeId::UNKNOWN,
            MyType::TRUTH => TypeId::BOOLEAN,
            MyType::BIGINT => TypeId::BIGINT,
            MyType { kind: Kind::Int, length: 11, unsigned: false, zerofill: false, .. } => {
                TypeId::INTEGER
            }
            other => TypeId(other.pack()),
        }
    }

    fn pack(self) -> u32 {
        let rest = if self.is_text() || matches!(self.kind, Kind::SortKey | Kind::Json) {
            let coercibility = self.coercibility as u32;
            self.length.min(0xffff) << 9 | self.collation.place() << 3 | coercibility
        } else if matches!(self.kind, Kind::Enum | Kind::Set) {
            self.length.min(0xffff) << 9 | self.collation.place() << 3 | self.coercibility as u32
        } else {
            let flags = u32::from(self.unsigned) | u32::from(self.zerofill) << 1;
            self.length.min(0x3ff) << 8 | u32::from(self.scale.min(63)) << 2 | flags
        };
        OURS | (self.kind as u32) << 25 | rest
    }

    fn unpack(packed: u32) -> MyType {
        let kind = KINDS.get((packed >> 25 & 31) as usize).copied().unwrap_or(Kind::Null);
        let plain = MyType::new(kind);
        if plain.is_text() || matches!(kind, Kind::SortKey | Kind::Json | Kind::Enum | Kind::Set) {
            let coercibility = COERCIBILITIES.get((packed & 7) as usize).copied();
            return MyType {
                length: packed >> 9 & 0xffff,
                collation: Collation::at(packed >> 3 & 63),
                coercibility: coercibility.unwrap_or(Coercibility::Literal),
                ..plain
            };
        }
        MyType {
            length: packed >> 8 & 0x3ff,
            scale: (packed >> 2 & 63) as u8,
            unsigned: packed & 1 == 1,
            zerofill: packed & 2 == 2,
            ..plain
        }
    }

    /// Whether values are texts or bytes.
    pub fn is_text(self) -> bool {
        use Kind::*;
        matches!(self.kind, Char | VarChar | TinyText | Text | MediumText | LongText | Json)
    }

    /// What of texts compares under a collation.
    pub const fn key(collation: Collation) -> MyType {
        let coercibility = Coercibility::Literal;
        MyType { collation, coercibility, ..MyType::new(Kind::SortKey) }
    }

    /// Whether values are texts in a character set: with letters, not bytes.
    pub fn has_letters(self) -> bool {
        (self.is_text() || matches!(self.kind, Kind::Enum | Kind::Set))
            && self.collation != Collation::BINARY
    }

    /// Whether values are bytes.
    pub fn is_bytes(self) -> bool {
        self.is_text() && self.collation == Collation::BINARY
    }

    /// Whether values are whole numbers of a size.
    pub fn is_integer(self) -> bool {
        use Kind::*;
        matches!(self.kind, Truth | TinyInt | SmallInt | MediumInt | Int | BigInt | Year | Bit)
    }

    /// Whether values are numbers.
    pub fn is_number(self) -> bool {
        self.is_integer() || matches!(self.kind, Kind::Decimal | Kind::Float | Kind::Double)
    }

    /// Whether values are floats.
    pub fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::Double)
    }

    /// Whether values are days or times.
    pub fn is_moment(self) -> bool {
        self.has_date() || self.kind == Kind::Time
    }

    /// Whether values have a day.
    pub fn has_date(self) -> bool {
        matches!(self.kind, Kind::Date | Kind::DateTime | Kind::Timestamp)
    }

    /// How many digits stand before the point.
    pub fn whole_digits(self) -> u32 {
        match self.kind {
            Kind::Decimal => self.length - u32::from(self.scale).min(self.length),
            Kind::Truth => 1,
            Kind::Date => 8,
            Kind::Time => 7,
            Kind::DateTime | Kind::Timestamp => 14,
            Kind::Year => 4,
            Kind::Bit => 20,
            _ => self.length.saturating_sub(u32::from(!self.unsigned)).max(1),
        }
    }

    /// The digits after the point of a number made of a value; those of floats are not known.
    pub fn fraction_digits(self) -> u32 {
        match self.kind {
            Kind::Decimal | Kind::DateTime | Kind::Timestamp | Kind::Time => u32::from(self.scale),
            _ => 0,
        }
    }

    /// The least and greatest integers of an integer type.
    pub fn bounds(self) -> (i128, i128) {
        let bits = match self.kind {
            Kind::TinyInt => 8,
            Kind::SmallInt => 16,
            Kind::MediumInt => 24,
            Kind::Int => 32,
            Kind::Bit => return (0, (1i128 << self.length.clamp(1, 64)) - 1),
            Kind::Year => return (0, 2155),
            Kind::Truth => return (0, 1),
            _ => 64,
        };
        match self.unsigned {
            true => (0, (1i128 << bits) - 1),
            false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        }
    }

    /// Whether it is the type of an expression, not of a column.
    pub fn held_loosely(self) -> bool {
        self.coercibility > Coercibility::Column
    }

    /// With another hold on its collation.
    #[must_use]
    pub fn held(self, coercibility: Coercibility) -> MyType {
        MyType { coercibility, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_one_number() {
        let mut types = vec![MyType::NULL, MyType::TRUTH, MyType::DOUBLE, MyType::UNSIGNED];
        types.extend((1..=65).flat_map(|p| (0..=38).map(move |s| MyType::decimal(p, s))));
        types.extend((0..7).map(|fsp| MyType::moment(Kind::Time, fsp)));
        for place in 0..Collation::COUNT {
            for coercibility in COERCIBILITIES {
                let collation = Collation::at(place);
                types.push(MyType::text(65_535, collation).held(coercibility));
                types.push(MyType {
                    length: 300,
                    collation,
                    coercibility,
                    ..MyType::new(Kind::Enum)
                });
            }
        }
        for ty in types {
            let id = ty.id();
            assert_eq!(MyType::of(id), ty, "{id:?}");
            assert!(id.0 < 0x8000_0000);
        }
        assert_eq!(KINDS.len(), Kind::Hex as usize + 1);
        assert!(KINDS.iter().enumerate().all(|(at, kind)| *kind as usize == at));
    }
}
