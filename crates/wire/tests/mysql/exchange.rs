//! Recordings as commands and their replies.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bytes::Bytes;
use hobgoblin_wire::mysql::{
    Capabilities, ColumnFlags, ColumnType, Command, Hello, LAST_PREPARED, Parameters, ProtocolError,
};

use crate::reader::{Cursor, Kind, Reader, failure};
use crate::recording::{Connection, Joined, Side};
use crate::reply::{Failure, Outcome, OwnedCompletion, Reply};

/// A connection as its two ends understand it.
pub(crate) struct Session {
    pub greeting: Joined,
    pub offered: Capabilities,
    pub agreed: Capabilities,
    pub number: u8,
    /// The packet that ends the login.
    pub last: Vec<u8>,
    pub end: Result<OwnedCompletion, Failure>,
    pub exchanges: Vec<Exchange>,
}

/// A command and what it was answered.
pub(crate) struct Exchange {
    pub key: String,
    pub number: u8,
    pub reply: Reply,
    /// The packets of the reply.
    pub raw: Vec<u8>,
}

/// The prepared statements of a session.
#[derive(Default)]
pub(crate) struct Statements {
    all: BTreeMap<u32, Statement>,
    last: u32,
}

struct Statement {
    sql: Bytes,
    parameters: Parameters,
    /// The columns of its cursor.
    columns: Vec<(ColumnType, ColumnFlags)>,
}

impl Statements {
    /// What two commands have in common that are answered alike: all but the numbers that servers give out. An error is the codec's.
    pub(crate) fn key(&mut self, command: &Command) -> Result<String, ProtocolError> {
        let named = |all: &BTreeMap<u32, Statement>, id: &u32| {
            all.get(id).map_or_else(|| "?".to_owned(), |found| format!("{:?}", found.sql))
        };
        Ok(match command {
            Command::Execute(execute) => {
                let id =
                    if execute.statement == LAST_PREPARED { self.last } else { execute.statement };
                let Some(statement) = self.all.get_mut(&id) else {
                    return Ok("execute ?".into());
                };
                let mut key = format!("execute {:?}", statement.sql);
                if execute.cursor {
                    key += " for a cursor";
                }
                let parameters = statement.parameters.bind(execute)?;
                parameters.iter().for_each(|one| write!(key, " {one:?}").unwrap());
                key
            }
            Command::SendLongData(piece) => {
                if let Some(statement) = self.all.get_mut(&piece.statement) {
                    statement.parameters.append(piece);
                }
                "piece".into()
            }
            Command::Close(id) => {
                self.all.remove(id);
                "close".into()
            }
            Command::Reset(id) => {
                if let Some(statement) = self.all.get_mut(id) {
                    statement.parameters.reset();
                }
                format!("reset {}", named(&self.all, id))
            }
            Command::Fetch { statement, rows } => {
                format!("fetch {rows} of {}", named(&self.all, statement))
            }
            Command::ChangeUser(login) => format!("{:?} {:?}", login.user, login.database),
            other => format!("{other:?}"),
        })
    }

    pub(crate) fn kind(&self, command: &Command) -> Kind {
        match command {
            Command::Quit | Command::SendLongData(_) | Command::Close(_) | Command::Nothing => {
                Kind::Nothing
            }
            Command::Statistics => Kind::Line,
            Command::Prepare(_) => Kind::Prepare,
            Command::Execute(_) => Kind::Binary,
            Command::FieldList { .. } => Kind::Fields,
            Command::Fetch { statement, .. } => Kind::Fetch(
                self.all.get(statement).map_or(Vec::new(), |found| found.columns.clone()),
            ),
            _ => Kind::Text,
        }
    }

    /// Takes note of what a reply says about statements.
    pub(crate) fn learn(&mut self, command: &Command, reply: &Reply) {
        match (command, reply) {
            (Command::Prepare(sql), Reply::Prepared(prepared)) => {
                let count = prepared.parameters.len() as u16;
                let parameters = Parameters::new(count, 64 << 20);
                let statement = Statement { sql: sql.clone(), parameters, columns: Vec::new() };
                self.last = prepared.statement;
                self.all.insert(prepared.statement, statement);
            }
            (Command::Execute(execute), Reply::Results(all)) => {
                if let [Outcome::Cursor(columns, _)] = &all[..] {
                    let statement = self.all.get_mut(&execute.statement).expect("it was run");
                    statement.columns = columns.iter().map(|c| (c.ty, c.flags)).collect();
                }
            }
            (Command::ResetConnection | Command::ChangeUser(_), _) => self.all.clear(),
            _ => {}
        }
    }
}

/// The capabilities that a greeting offers.
fn offered(greeting: &[u8]) -> Capabilities {
    let mut cursor = Cursor { bytes: greeting, at: 1 };
    while cursor.number(1) != 0 {}
    cursor.take(4 + 8 + 1);
    let low = cursor.number(2);
    cursor.take(3);
    let middle = cursor.number(2);
    cursor.take(7);
    Capabilities::from_bits(low | middle << 16 | cursor.number(4) << 32)
}

/// Reads a recorded connection; `None` if it ended before the client had logged in.
pub(crate) fn read(connection: &Connection) -> Option<Session> {
    let mut server = connection.payloads(Side::Server).into_iter();
    let mut client = connection.payloads(Side::Client).into_iter();
    let greeting = server.next()?;
    let offered = offered(&greeting.payload);
    let Ok(Hello::Login(login)) = Hello::decode(client.next()?.payload.into()) else { return None };
    let agreed = login.capabilities.both(offered);
    let last = authentication(&mut server, &mut client)?;
    let payloads = std::iter::once(last.clone()).chain(server).collect();
    let mut reader = Reader { payloads, agreed, raw: Vec::new() };
    let end = match last.payload[0] {
        0 => match reader.reply(&Kind::Text) {
            Reply::Results(all) => match &all[..] {
                [Outcome::Done(completion)] => Ok(completion.clone()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        },
        _ => {
            reader.payloads.pop_front();
            Err(failure(&last.payload))
        }
    };
    let mut statements = Statements::default();
    let mut exchanges = Vec::new();
    while let Some(payload) = client.next() {
        let command = Command::decode(payload.payload.into(), agreed);
        // What the codec refuses, the server has refused, too.
        let command = command.unwrap_or(Command::Unknown(None));
        let kind = statements.kind(&command);
        let key = statements.key(&command).unwrap_or_else(|error| error.to_string());
        if let Command::ChangeUser(_) = command {
            let packets = &mut reader.payloads;
            let mut server = std::iter::from_fn(|| packets.pop_front());
            let last = authentication(&mut server, &mut client)?;
            reader.payloads.push_front(last);
        }
        let number = reader.payloads.front().map_or(0, |joined| joined.number);
        reader.raw.clear();
        let reply = reader.reply(&kind);
        statements.learn(&command, &reply);
        let raw = std::mem::take(&mut reader.raw);
        exchanges.push(Exchange { key, number, reply, raw });
    }
    assert!(reader.payloads.is_empty(), "the server said more than it was asked");
    let (number, last) = (last.number, last.raw);
    Some(Session { greeting, offered, agreed, number, last, end, exchanges })
}

/// The OK or ERR that ends a login, past all that the server asks before.
fn authentication(
    server: &mut dyn Iterator<Item = Joined>,
    client: &mut dyn Iterator<Item = Joined>,
) -> Option<Joined> {
    loop {
        let packet = server.next()?;
        match packet.payload[0] {
            0 | 0xff => return Some(packet),
            0xfe => {
                client.next()?;
            }
            _ => {}
        }
    }
}
