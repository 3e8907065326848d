//! What a client asks for once it is in.

use bytes::Bytes;

use super::capabilities::Capabilities;
use super::error::ProtocolError;
use super::login::Login;
use super::parameters::{Execute, LongData};
use super::payload::Payload;

/// A command of a client. Texts are in the character set of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The client leaves. There is no answer.
    Quit,
    /// COM_INIT_DB: use another database.
    InitDb(Bytes),
    /// COM_QUERY: run this text, which may be several statements.
    Query(Bytes),
    /// COM_FIELD_LIST: tell the columns of a table.
    FieldList {
        /// The name of the table.
        table: Bytes,
        /// The columns, as a pattern of LIKE; empty is all.
        pattern: Bytes,
    },
    /// COM_STATISTICS: tell in a line of text how the server does.
    Statistics,
    /// COM_PROCESS_KILL: end the session with this number.
    ProcessKill(u32),
    /// COM_PING: say that the server is there.
    Ping,
    /// COM_CHANGE_USER: begin a new session as another user.
    ChangeUser(Box<Login>),
    /// COM_RESET_CONNECTION: begin a new session as the same user.
    ResetConnection,
    /// COM_SET_OPTION: allow or forbid several statements in a COM_QUERY.
    SetMultiStatements(bool),
    /// COM_STMT_PREPARE: prepare the statement of this text.
    Prepare(Bytes),
    /// COM_STMT_EXECUTE: run a prepared statement.
    Execute(Execute),
    /// COM_STMT_SEND_LONG_DATA: a piece of a parameter. There is no answer.
    SendLongData(LongData),
    /// COM_STMT_CLOSE: forget the prepared statement with this number. There is no answer.
    Close(u32),
    /// COM_STMT_RESET: forget the pieces of parameters that have come, and the cursor, of this
    /// statement.
    Reset(u32),
    /// COM_STMT_FETCH: give rows of a cursor.
    Fetch {
        /// The number of the statement whose cursor it is.
        statement: u32,
        /// The most rows that the client takes.
        rows: u32,
    },
    /// A COM_STMT_CLOSE or COM_STMT_SEND_LONG_DATA that ends before it says what it means. As these have no answer, neither
    /// has it.
    Nothing,
    /// A command that is not known, by its number; `None` for a packet that is empty. The answer is error 1047,
    /// [`UNKNOWN_COMMAND`].
    Unknown(Option<u8>),
}

/// The error that answers [`Command::Unknown`]: its number, SQLSTATE and words.
pub const UNKNOWN_COMMAND: (u16, &str, &str) = (1047, "08S01", "Unknown command");

impl Command {
    /// Reads a command from a payload, in a session that has agreed on these capabilities.
    pub fn decode(payload: Bytes, agreed: Capabilities) -> Result<Command, ProtocolError> {
        let mut payload = Payload::new(payload);
        let Ok(number) = payload.u8() else { return Ok(Command::Unknown(None)) };
        Ok(match number {
            0x01 => Command::Quit,
            0x02 => Command::InitDb(payload.rest()),
            0x03 => Command::Query(payload.rest()),
            0x04 => Command::FieldList { table: payload.terminated()?, pattern: payload.rest() },
            0x09 => Command::Statistics,
            0x0c => Command::ProcessKill(payload.u32()?),
            0x0e => Command::Ping,
            0x11 => Command::ChangeUser(Box::new(Login::change(payload, agreed)?)),
            0x16 => Command::Prepare(payload.rest()),
            0x17 => Command::Execute(Execute::decode(payload)?),
            0x18 => LongData::decode(payload).map_or(Command::Nothing, Command::SendLongData),
            0x19 => payload.u32().map_or(Command::Nothing, Command::Close),
            0x1a => Command::Reset(payload.u32()?),
            0x1b => match payload.u16()? {
                0 => Command::SetMultiStatements(true),
                1 => Command::SetMultiStatements(false),
                _ => Command::Unknown(Some(number)),
            },
            0x1c => Command::Fetch { statement: payload.u32()?, rows: payload.u32()? },
            0x1f => Command::ResetConnection,
            _ => Command::Unknown(Some(number)),
        })
    }
}
