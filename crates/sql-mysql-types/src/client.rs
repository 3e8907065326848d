//! What clients are told of a type.

use crate::common::text_length;
use crate::my_type::{Kind, MyType, NOT_FIXED};

/// The description of a column of a result, without its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientType {
    /// The number of the protocol.
    pub code: u8,
    /// The number of the collation; 63 where there are no letters.
    pub collation: u16,
    /// The most characters or bytes.
    pub length: u32,
    /// Digits after the point.
    pub decimals: u8,
    /// [`UNSIGNED`], [`BINARY`] and others.
    pub flags: u16,
}

/// The column is a text or a blob of the large kinds.
pub const BLOB: u16 = 16;
/// There are no negative numbers.
pub const UNSIGNED: u16 = 32;
/// Numbers are shown with zeros in front.
pub const ZEROFILL: u16 = 64;
/// There are no letters, or each is equal only to itself.
pub const BINARY: u16 = 128;
/// The column is an ENUM.
pub const ENUM: u16 = 256;
/// The column is a SET.
pub const SET: u16 = 2048;

/// The number of the protocol of a kind.
fn code(ty: MyType) -> u8 {
    match ty.kind {
        Kind::Null => 6,
        Kind::Truth | Kind::Int => 3,
        Kind::TinyInt => 1,
        Kind::SmallInt => 2,
        Kind::MediumInt => 9,
        Kind::BigInt => 8,
        Kind::Decimal => 246,
        Kind::Float => 4,
        Kind::Double => 5,
        Kind::Bit => 16,
        Kind::Year => 13,
        Kind::Date => 10,
        Kind::DateTime => 12,
        Kind::Timestamp => 7,
        Kind::Time => 11,
        Kind::Char => 254,
        Kind::Json if ty.held_loosely() => 253,
        Kind::VarChar | Kind::SortKey | Kind::Hex => 253,
        Kind::LongText if ty.held_loosely() => 251,
        Kind::MediumText if ty.held_loosely() => 250,
        Kind::TinyText | Kind::Text | Kind::MediumText | Kind::LongText | Kind::Json => 252,
        Kind::Enum | Kind::Set => 254,
    }
}

impl ClientType {
    /// Of a column of a table. What an expression tells more is left out: that numbers are no letters.
    pub fn of_column(ty: MyType) -> ClientType {
        let described = ClientType::of(ty);
        let flags = match ty.kind {
            Kind::Year => described.flags & !BINARY | ZEROFILL,
            Kind::Timestamp => described.flags | UNSIGNED,
            _ if ty.is_number() => described.flags & !BINARY,
            _ => described.flags,
        };
        ClientType { flags, ..described }
    }

    /// Of an expression.
    pub fn of(ty: MyType) -> ClientType {
        let letters = ty.has_letters();
        let bytes = if letters { ty.collation.most_bytes() } else { 1 };
        let length = match ty.kind {
            Kind::TinyText => 255,
            Kind::Text => 65_535,
            Kind::MediumText => (1 << 24) - 1,
            Kind::LongText | Kind::Json => u32::MAX,
            _ => text_length(ty).saturating_mul(bytes),
        };
        let mut flags = 0;
        let mut set = |condition: bool, flag: u16| flags |= if condition { flag } else { 0 };
        set(ty.unsigned || ty.kind == Kind::Hex, UNSIGNED);
        set(ty.zerofill, ZEROFILL);
        set(!letters || ty.collation.is_bin(), BINARY);
        set(ty.is_text() && ty.kind > Kind::VarChar, BLOB);
        set(ty.kind == Kind::Enum, ENUM);
        set(ty.kind == Kind::Set, SET);
        let decimals = match ty.kind {
            Kind::Float | Kind::Double => ty.scale,
            Kind::Decimal | Kind::Time | Kind::DateTime | Kind::Timestamp => ty.scale,
            Kind::VarChar | Kind::TinyText | Kind::Text | Kind::MediumText | Kind::LongText
                if ty.held_loosely() =>
            {
                NOT_FIXED + 8
            }
            _ => 0,
        };
        ClientType {
            code: code(ty),
            collation: if letters { ty.collation.number() } else { 63 },
            length,
            decimals,
            flags,
        }
    }
}
