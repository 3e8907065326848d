//! The parameters of prepared statements.
//!
//! A COM_STMT_EXECUTE brings the values, and their types if these are others than the last time:
//!
//! ```text
//!     17  statement  cursor flags  01 00 00 00  NULL bitmap  types follow?  [type, 80 if unsigned] each  values
//!                                               1 bit each   00 or 01
//! ```
//!
//! The values of those that are NULL are left out, and of those that came before in pieces, by COM_STMT_SEND_LONG_DATA. So it
//! takes the statement to read it: how many parameters there are, which types they had, and what has come. [`Parameters`] is that.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};

use super::column_type::ColumnType;
use super::error::ProtocolError;
use super::payload::Payload;
use super::value::Value;

/// The statement that MariaDB's clients name if they mean the one that was prepared last.
pub const LAST_PREPARED: u32 = u32::MAX;

/// A COM_STMT_EXECUTE, as far as it can be read without its statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execute {
    /// The number of the prepared statement.
    pub statement: u32,
    /// Whether the rows are to wait in a cursor for COM_STMT_FETCH.
    pub cursor: bool,
    rest: Bytes,
}

/// A COM_STMT_SEND_LONG_DATA: a piece of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongData {
    /// The number of the prepared statement.
    pub statement: u32,
    /// The number of the parameter, from 0.
    pub parameter: u16,
    /// The bytes that continue its value.
    pub data: Bytes,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParameterType {
    /// The type by its number in packets.
    pub ty: ColumnType,
    /// Whether it is an integer without a sign.
    pub unsigned: bool,
}

/// A parameter and its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The type that the client says it has.
    pub ty: ParameterType,
    /// The value, read by that type.
    pub value: Value,
}

/// What is known of the parameters of a prepared statement between its executions.
#[derive(Debug)]
pub struct Parameters {
    count: u16,
    /// How many bytes of values may come in pieces.
    max: usize,
    /// How many bytes of values have come in pieces.
    taken: usize,
    /// The types of the last execution that brought any.
    types: Option<Vec<ParameterType>>,
    /// The parameters that came in pieces since the last execution.
    long: BTreeMap<u16, BytesMut>,
    /// What was wrong with a piece. Pieces have no answer, so the next execution is refused.
    wrong: Option<ProtocolError>,
}

impl Execute {
    pub(crate) fn decode(mut payload: Payload) -> Result<Execute, ProtocolError> {
        let statement = payload.u32()?;
        let flags = payload.u8()?;
        // How often to run it, which is always once.
        payload.u32()?;
        // A cursor to read, to update or to scroll in: servers make the first of each.
        Ok(Execute { statement, cursor: flags & 7 != 0, rest: payload.rest() })
    }
}

impl LongData {
    /// Reads a piece; `None` if the packet ends too early.
    pub(crate) fn decode(mut payload: Payload) -> Option<LongData> {
        let statement = payload.u32().ok()?;
        let parameter = payload.u16().ok()?;
        Some(LongData { statement, parameter, data: payload.rest() })
    }
}

impl Parameters {
    /// The parameters of a statement that was prepared now. Those that come in pieces may have `max` bytes together, so that a
    /// client cannot fill the memory by never running the statement.
    pub fn new(count: u16, max: usize) -> Parameters {
        Parameters { count, max, taken: 0, types: None, long: BTreeMap::new(), wrong: None }
    }

    /// The number of parameters that the statement has.
    pub fn count(&self) -> u16 {
        self.count
    }

    /// Adds a piece to the value of its parameter.
    pub fn append(&mut self, piece: &LongData) {
        if piece.parameter >= self.count {
            self.wrong = Some(ProtocolError::NoSuchParameter);
            return;
        }
        if self.taken + piece.data.len() > self.max {
            self.wrong = Some(ProtocolError::LongDataTooLarge);
            return;
        }
        self.taken += piece.data.len();
        self.long.entry(piece.parameter).or_default().extend_from_slice(&piece.data);
    }

    /// Forgets the pieces that have come.
    pub fn reset(&mut self) {
        self.long.clear();
        self.taken = 0;
        self.wrong = None;
    }

    /// The parameters of an execution. The pieces that came belong to it and to no other, also if it fails.
    pub fn bind(&mut self, execute: &Execute) -> Result<Vec<Parameter>, ProtocolError> {
        let long = std::mem::take(&mut self.long);
        self.taken = 0;
        if let Some(error) = self.wrong.take() {
            return Err(error);
        }
        if self.count == 0 {
            return Ok(Vec::new());
        }
        self.read(Payload::new(execute.rest.clone()), long)
    }

    /// Reads bitmap, types and values. As on MariaDB, only types that are cut off make the packet malformed; all else that is
    /// missing are wrong parameters.
    fn read(
        &mut self,
        mut payload: Payload,
        mut long: BTreeMap<u16, BytesMut>,
    ) -> Result<Vec<Parameter>, ProtocolError> {
        let wrong = |_| ProtocolError::WrongParameters;
        let nulls = payload.bytes(usize::from(self.count).div_ceil(8)).map_err(wrong)?;
        if payload.u8().map_err(wrong)? == 1 {
            let types = (0..self.count).map(|_| ParameterType::read(&mut payload));
            self.types = Some(types.collect::<Result<_, _>>()?);
        }
        let types = self.types.as_ref().ok_or(ProtocolError::WrongParameters)?;
        let mut all = Vec::with_capacity(types.len());
        for (at, &ty) in (0..).zip(types) {
            let is_null = nulls[usize::from(at / 8)] & 1 << (at % 8) != 0;
            let value = match long.remove(&at) {
                Some(pieces) => Value::Bytes(pieces.freeze()),
                None if is_null => Value::Null,
                None => Value::read(ty.ty, ty.unsigned, &mut payload).map_err(wrong)?,
            };
            all.push(Parameter { ty, value });
        }
        Ok(all)
    }
}

impl ParameterType {
    fn read(payload: &mut Payload) -> Result<ParameterType, ProtocolError> {
        let ty = ColumnType::by_number(payload.u8()?).ok_or(ProtocolError::WrongParameters)?;
        Ok(ParameterType { ty, unsigned: payload.u8()? & 0x80 != 0 })
    }
}
