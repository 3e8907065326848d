//! The messages of a client after its startup.

use bytes::Bytes;

use super::body::Body;
use super::error::ProtocolError;

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frontend {
    /// A simple query: text of any number of statements.
    Query(String),
    /// Prepares a statement.
    Parse {
        /// The name it gets; empty is the unnamed statement, which the next one replaces.
        name: String,
        /// The text of the statement.
        sql: String,
        /// The oids of its parameters' types as far as the client knows them; 0 for one it does not.
        types: Vec<u32>,
    },
    /// Makes a portal of a prepared statement.
    Bind(Bind),
    /// Asks what a statement or portal of this name takes and gives.
    Describe(Target, String),
    /// Runs a portal, or asks for more of its rows.
    Execute {
        /// The name of the portal.
        portal: String,
        /// The most rows that are wanted; 0 or less is all.
        max_rows: i32,
    },
    /// Forgets a statement or portal of this name.
    Close(Target, String),
    /// Asks the server to send all that it has collected.
    Flush,
    /// Ends a cycle of messages, and an implicit transaction.
    Sync,
    /// Data for a COPY FROM STDIN.
    CopyData(Bytes),
    /// Ends the data of a COPY FROM STDIN.
    CopyDone,
    /// Ends the data of a COPY FROM STDIN, which is to fail, with the client's words for why.
    CopyFail(String),
    /// A password, or a step of SASL; what it is depends on what was asked.
    Password(Bytes),
    /// A call of a function by its oid, which no client makes any more.
    FunctionCall,
    /// Says that the client leaves.
    Terminate,
}

/// What a Describe or Close is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A prepared statement.
    Statement,
    /// A portal: a statement with its parameters.
    Portal,
}

/// A Bind message, which makes a portal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bind {
    /// The name of the portal.
    pub portal: String,
    /// The name of the prepared statement.
    pub statement: String,
    /// The formats of the parameters: none (all text), one for all, or one each.
    pub formats: Vec<i16>,
    /// The parameters; `None` is NULL.
    pub params: Vec<Option<Bytes>>,
    /// The formats of the columns of the result, likewise.
    pub results: Vec<i16>,
}

impl Frontend {
    /// Reads a message from its tag and its whole body.
    pub(crate) fn decode(tag: u8, body: Bytes) -> Result<Frontend, ProtocolError> {
        let mut body = Body::new(tag, body);
        let message = match tag {
            b'Q' => Frontend::Query(body.text()?),
            b'P' => {
                let (name, sql) = (body.text()?, body.text()?);
                let count = body.count(4)?;
                let types = (0..count).map(|_| body.u32()).collect::<Result<_, _>>()?;
                Frontend::Parse { name, sql, types }
            }
            b'B' => Frontend::Bind(Bind::decode(&mut body)?),
            b'D' => Frontend::Describe(Target::decode(&mut body, tag)?, body.text()?),
            b'C' => Frontend::Close(Target::decode(&mut body, tag)?, body.text()?),
            b'E' => Frontend::Execute { portal: body.text()?, max_rows: body.i32()? },
            b'H' => Frontend::Flush,
            b'S' => Frontend::Sync,
            b'X' => return Ok(Frontend::Terminate),
            b'd' => return Ok(Frontend::CopyData(body.rest())),
            b'c' => Frontend::CopyDone,
            b'f' => Frontend::CopyFail(body.text()?),
            b'p' => return Ok(Frontend::Password(body.rest())),
            b'F' => return Ok(Frontend::FunctionCall),
            _ => return Err(unknown(tag)),
        };
        body.end()?;
        Ok(message)
    }
}

/// The error that no message has this tag.
pub(crate) fn unknown(tag: u8) -> ProtocolError {
    ProtocolError::fatal(tag, format!("invalid frontend message type {tag}"))
}

impl Target {
    fn decode(body: &mut Body, tag: u8) -> Result<Target, ProtocolError> {
        match body.u8()? {
            b'S' => Ok(Target::Statement),
            b'P' => Ok(Target::Portal),
            other => {
                let name = if tag == b'D' { "DESCRIBE" } else { "CLOSE" };
                Err(ProtocolError::body(tag, format!("invalid {name} message subtype {other}")))
            }
        }
    }
}

impl Bind {
    fn decode(body: &mut Body) -> Result<Bind, ProtocolError> {
        let (portal, statement) = (body.text()?, body.text()?);
        let formats = codes(body)?;
        let count = body.count(4)?;
        let mut params = Vec::with_capacity(count);
        for _ in 0..count {
            params.push(match usize::try_from(body.i32()?) {
                Ok(length) => Some(body.bytes(length)?),
                Err(_) => None,
            });
        }
        let results = codes(body)?;
        Ok(Bind { portal, statement, formats, params, results })
    }
}

fn codes(body: &mut Body) -> Result<Vec<i16>, ProtocolError> {
    let count = body.count(2)?;
    (0..count).map(|_| body.i16()).collect()
}
