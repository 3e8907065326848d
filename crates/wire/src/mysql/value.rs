//! Values as the binary protocol has them: numbers by their bits, dates by their parts, all else as bytes.
//!
//! ```text
//!     INT 7             07 00 00 00
//!     '1999-12-31'      04  cf 07 0c 1f                                   zeros at the end are left out:
//!     with 23:59:58     07  cf 07 0c 1f  17 3b 3a                         4, 7 or 11 bytes,
//!     and .000001       0b  cf 07 0c 1f  17 3b 3a  01 00 00 00            and 0 for '0000-00-00'
//!     TIME '-25:00:01'  08  01  01 00 00 00  01 00 01                     minus, days, and the rest
//! ```

use bytes::{BufMut, Bytes, BytesMut};

use super::column_type::{ColumnType, Shape};
use super::error::ProtocolError;
use super::payload::Payload;
use super::write;

/// A value. Those that arrive have their bytes in [`Bytes`]; who writes one may have them where they like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<B = Bytes> {
    /// NULL, of any type.
    Null,
    /// An integer that may be negative.
    Signed(i64),
    /// An integer without a sign.
    Unsigned(u64),
    /// A number of four bytes, of a FLOAT column.
    Float(f32),
    /// A number of eight bytes, of a DOUBLE column.
    Double(f64),
    /// A DATE, DATETIME or TIMESTAMP.
    DateTime(DateTime),
    /// A TIME.
    Time(Time),
    /// A string, or another value that travels as one: DECIMAL, BIT, JSON, ENUM, SET.
    Bytes(B),
}

/// A date and a time of day. The protocol allows any number in each part, and MySQL itself has
/// dates like 0000-00-00.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateTime {
    /// The year as it is written; 0 is one of them.
    pub year: u16,
    /// The month, from 1; 0 if there is none.
    pub month: u8,
    /// The day of the month, from 1; 0 if there is none.
    pub day: u8,
    /// The hour of the day, from 0.
    pub hour: u8,
    /// The minute of the hour, from 0.
    pub minute: u8,
    /// The second of the minute, from 0.
    pub second: u8,
    /// The millionths of a second, from 0.
    pub microsecond: u32,
}

/// A span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Whether the span is below zero.
    pub negative: bool,
    /// The number of whole days.
    pub days: u32,
    /// The number of hours beyond the days, below 24.
    pub hours: u8,
    /// The number of minutes beyond the hours, below 60.
    pub minutes: u8,
    /// The number of seconds beyond the minutes, below 60.
    pub seconds: u8,
    /// The number of millionths beyond the seconds.
    pub microseconds: u32,
}

/// The error that a value is not of its column's type. It is the server's mistake, not the
/// client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The place of the column, from 0.
    pub column: usize,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the value of column {} is not of the column's type", self.column + 1)
    }
}

impl std::error::Error for Unfit {}

impl Value {
    /// Reads a value of a type that is not NULL.
    pub(crate) fn read(
        ty: ColumnType,
        unsigned: bool,
        payload: &mut Payload,
    ) -> Result<Value, ProtocolError> {
        Ok(match ty.shape() {
            Shape::Nothing => Value::Null,
            Shape::Integer(size) => {
                let bits = match size {
                    1 => payload.u8()?.into(),
                    2 => payload.u16()?.into(),
                    4 => payload.u32()?.into(),
                    _ => payload.u64()?,
                };
                match unsigned {
                    true => Value::Unsigned(bits),
                    false => Value::Signed(extended(bits, size)),
                }
            }
            Shape::Float => Value::Float(f32::from_bits(payload.u32()?)),
            Shape::Double => Value::Double(f64::from_bits(payload.u64()?)),
            Shape::DateTime => Value::DateTime(DateTime::read(payload)?),
            Shape::Time => Value::Time(Time::read(payload)?),
            Shape::Bytes => Value::Bytes(payload.counted()?),
        })
    }
}

/// A number of so many bytes with the sign that its highest bit is.
fn extended(bits: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size;
    (bits << unused).cast_signed() >> unused
}

impl<B: AsRef<[u8]>> Value<B> {
    /// Writes a value that is not NULL as one of that type, if it is.
    pub(crate) fn write(&self, ty: ColumnType, out: &mut BytesMut) -> Option<()> {
        match (ty.shape(), self) {
            (Shape::Integer(size), Value::Signed(value)) => {
                let bits = value.cast_unsigned();
                if extended(bits, size) != *value {
                    return None;
                }
                out.put_slice(&bits.to_le_bytes()[..size]);
            }
            (Shape::Integer(size), Value::Unsigned(bits)) => {
                if size < 8 && bits >> (8 * size) != 0 {
                    return None;
                }
                out.put_slice(&bits.to_le_bytes()[..size]);
            }
            (Shape::Float, Value::Float(value)) => out.put_u32_le(value.to_bits()),
            (Shape::Double, Value::Double(value)) => out.put_u64_le(value.to_bits()),
            (Shape::DateTime, Value::DateTime(value)) => value.write(out),
            (Shape::Time, Value::Time(value)) => value.write(out),
            (Shape::Bytes, Value::Bytes(bytes)) => write::counted(out, bytes.as_ref()),
            (
                Shape::Nothing
                | Shape::Integer(_)
                | Shape::Float
                | Shape::Double
                | Shape::DateTime
                | Shape::Time
                | Shape::Bytes,
                _,
            ) => return None,
        }
        Some(())
    }
}

impl DateTime {
    fn read(payload: &mut Payload) -> Result<DateTime, ProtocolError> {
        let mut value = DateTime::default();
        let length = payload.u8()?;
        if !matches!(length, 0 | 4 | 7 | 11) {
            return Err(ProtocolError::Malformed);
        }
        if length >= 4 {
            value.year = payload.u16()?;
            value.month = payload.u8()?;
            value.day = payload.u8()?;
        }
        if length >= 7 {
            value.hour = payload.u8()?;
            value.minute = payload.u8()?;
            value.second = payload.u8()?;
        }
        if length == 11 {
            value.microsecond = payload.u32()?;
        }
        Ok(value)
    }

    fn write(&self, out: &mut BytesMut) {
        let time = (self.hour, self.minute, self.second) != (0, 0, 0);
        let length = match self {
            _ if self.microsecond != 0 => 11,
            _ if time => 7,
            _ if (self.year, self.month, self.day) != (0, 0, 0) => 4,
            _ => 0,
        };
        out.put_u8(length);
        if length >= 4 {
            out.put_u16_le(self.year);
            out.put_slice(&[self.month, self.day]);
        }
        if length >= 7 {
            out.put_slice(&[self.hour, self.minute, self.second]);
        }
        if length == 11 {
            out.put_u32_le(self.microsecond);
        }
    }
}

impl Time {
    fn read(payload: &mut Payload) -> Result<Time, ProtocolError> {
        let mut value = Time::default();
        let length = payload.u8()?;
        if !matches!(length, 0 | 8 | 12) {
            return Err(ProtocolError::Malformed);
        }
        if length >= 8 {
            value.negative = payload.u8()? != 0;
            value.days = payload.u32()?;
            value.hours = payload.u8()?;
            value.minutes = payload.u8()?;
            value.seconds = payload.u8()?;
        }
        if length == 12 {
            value.microseconds = payload.u32()?;
        }
        Ok(value)
    }

    fn write(&self, out: &mut BytesMut) {
        let whole = self.days != 0 || (self.hours, self.minutes, self.seconds) != (0, 0, 0);
        let length = match self {
            _ if self.microseconds != 0 => 12,
            _ if whole => 8,
            _ => 0,
        };
        out.put_u8(length);
        if length >= 8 {
            out.put_u8(self.negative.into());
            out.put_u32_le(self.days);
            out.put_slice(&[self.hours, self.minutes, self.seconds]);
        }
        if length == 12 {
            out.put_u32_le(self.microseconds);
        }
    }
}
