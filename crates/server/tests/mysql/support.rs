//! A client that sends exactly what it is told and shows exactly what it gets.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_server::{MySqlConfig, Server, ServerConfig};
use hobgoblin_sql::MYSQL;
use hobgoblin_store::{Config, Profile};
use hobgoblin_wire::mysql::{Capabilities, Scramble};

use crate::packet::{self, login, packet};

/// MySQL's clients are served on a free port of this machine.
pub(crate) fn mysql() -> MySqlConfig {
    MySqlConfig::new(&MYSQL)
}

/// A server of SQL alone, as `hob serve --mysql --level repeatable-read --hold 0s` has it.
pub(crate) fn serve(mysql: MySqlConfig) -> Server {
    serve_at(mysql, Level::SI)
}

pub(crate) fn serve_at(mysql: MySqlConfig, level: Level) -> Server {
    let store = Config::default().profile(Profile::Mysql).level(level).patient(true);
    let config = ServerConfig { http: false, mysql: Some(mysql), store, ..ServerConfig::default() };
    Server::start(config).expect("a port is free")
}

pub(crate) fn addr(server: &Server) -> SocketAddr {
    server.mysql_addr().expect("it serves SQL")
}

/// What all logins of this client can do.
pub(crate) const BASE: Capabilities = packet::BASE.with(Capabilities::PLUGIN_AUTH);

/// A connection.
pub(crate) struct Raw {
    pub(crate) stream: TcpStream,
    pub(crate) connection: u32,
}

/// A packet of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) number: u8,
    pub(crate) payload: Vec<u8>,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Ok { affected: u64, insert_id: u64, status: u16, warnings: u16 },
    Error { number: u16, state: String, words: String },
    Rows { columns: Vec<Vec<u8>>, rows: Vec<Vec<u8>>, status: u16 },
}

impl Answer {
    /// Rows as texts; NULL is `NULL`.
    pub(crate) fn texts(&self) -> Vec<Vec<String>> {
        match self {
            Answer::Rows { rows, .. } => rows.iter().map(|row| texts(row)).collect(),
            other => panic!("no rows: {other:?}"),
        }
    }

    pub(crate) fn status(&self) -> u16 {
        match self {
            Answer::Ok { status, .. } | Answer::Rows { status, .. } => *status,
            other => panic!("an error: {other:?}"),
        }
    }

    /// The number of an error; 0 if it is none.
    pub(crate) fn error(&self) -> u16 {
        match self {
            Answer::Error { number, .. } => *number,
            _ => 0,
        }
    }
}

/// An integer with its length in its first byte.
pub(crate) fn integer(bytes: &mut &[u8]) -> u64 {
    let (first, rest) = bytes.split_first().expect("there is one");
    let length = match first {
        0xfc => 2,
        0xfd => 3,
        0xfe => 8,
        small => {
            *bytes = rest;
            return u64::from(*small);
        }
    };
    let mut eight = [0; 8];
    eight[..length].copy_from_slice(&rest[..length]);
    *bytes = &rest[length..];
    u64::from_le_bytes(eight)
}

fn texts(mut row: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(first) = row.first() {
        if *first == 0xfb {
            all.push("NULL".to_owned());
            row = &row[1..];
            continue;
        }
        let length = integer(&mut row) as usize;
        all.push(String::from_utf8_lossy(&row[..length]).into_owned());
        row = &row[length..];
    }
    all
}

impl Raw {
    /// Opens a socket and says nothing.
    pub(crate) fn silent(addr: SocketAddr) -> Raw {
        let stream = TcpStream::connect(addr).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Raw { stream, connection: 0 }
    }

    /// Reads the greeting.
    pub(crate) fn greeted(&mut self) -> Scramble {
        let greeting = self.next().expect("a greeting").payload;
        let (connection, scramble) = packet::greeting(&greeting);
        self.connection = connection;
        scramble
    }

    /// Opens a session in the database `test`.
    pub(crate) fn open(addr: SocketAddr) -> Raw {
        Raw::enter(addr, BASE)
    }

    pub(crate) fn enter(addr: SocketAddr, capabilities: Capabilities) -> Raw {
        let mut raw = Raw::silent(addr);
        let answer = raw.log_in(capabilities, "hob", "");
        assert!(matches!(answer, Answer::Ok { .. }), "{answer:?}");
        raw
    }

    /// Logs in; the answer.
    pub(crate) fn log_in(
        &mut self,
        capabilities: Capabilities,
        user: &str,
        password: &str,
    ) -> Answer {
        let scramble = self.greeted();
        self.send(&packet(1, &login(&scramble, capabilities, user, password, "test")));
        self.answer()
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }

    /// Sends nothing more.
    pub(crate) fn hang_up(&self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
    }

    /// The next packet; nothing at the end of the connection.
    pub(crate) fn next(&mut self) -> Option<Packet> {
        let (number, payload) = packet::read(&mut self.stream)?;
        Some(Packet { number, payload })
    }

    /// Everything up to the end of the connection.
    pub(crate) fn until_end(&mut self) -> Vec<Packet> {
        std::iter::from_fn(|| self.next()).collect()
    }

    /// The answer to a command, of clients that know EOF packets.
    pub(crate) fn answer(&mut self) -> Answer {
        let first = self.next().expect("an answer");
        match first.payload[0] {
            0 => ok(&first.payload),
            0xff => failed(&first.payload),
            0xfe => Answer::Rows {
                columns: Vec::new(),
                rows: Vec::new(),
                status: u16::from_le_bytes([first.payload[3], first.payload[4]]),
            },
            _ => {
                let count = integer(&mut first.payload.as_slice());
                let columns = (0..count).map(|_| self.next().expect("a column").payload).collect();
                let end = self.next().expect("an EOF packet").payload;
                assert_eq!(end[0], 0xfe);
                let (flags, mut rows) = (u16::from_le_bytes([end[3], end[4]]), Vec::new());
                // The rows of a cursor wait.
                if flags & 0x40 != 0 {
                    return Answer::Rows { columns, rows, status: flags };
                }
                self.rows(&mut rows).unwrap_or_else(|status| Answer::Rows { columns, rows, status })
            }
        }
    }

    /// Rows up to their end, whose status is the error; an error of the server is the answer.
    pub(crate) fn rows(&mut self, rows: &mut Vec<Vec<u8>>) -> Result<Answer, u16> {
        loop {
            let payload = self.next().expect("a row").payload;
            match payload[0] {
                0xfe if payload.len() < 9 => {
                    return Err(u16::from_le_bytes([payload[3], payload[4]]));
                }
                0xff => return Ok(failed(&payload)),
                _ => rows.push(payload),
            }
        }
    }

    /// A command and its answer.
    pub(crate) fn command(&mut self, command: u8, rest: &[u8]) -> Answer {
        self.send(&packet(0, &[&[command], rest].concat()));
        self.answer()
    }

    /// COM_QUERY and its answer.
    pub(crate) fn query(&mut self, sql: &str) -> Answer {
        self.command(3, sql.as_bytes())
    }

    /// A statement that has to succeed.
    pub(crate) fn run(&mut self, sql: &str) -> Answer {
        let answer = self.query(sql);
        assert!(!matches!(answer, Answer::Error { .. }), "{sql}: {answer:?}");
        answer
    }

    /// The rows of a query that has to succeed.
    pub(crate) fn texts(&mut self, sql: &str) -> Vec<Vec<String>> {
        self.run(sql).texts()
    }
}

fn ok(payload: &[u8]) -> Answer {
    let mut rest = &payload[1..];
    let (affected, insert_id) = (integer(&mut rest), integer(&mut rest));
    let (status, warnings) =
        (u16::from_le_bytes([rest[0], rest[1]]), u16::from_le_bytes([rest[2], rest[3]]));
    Answer::Ok { affected, insert_id, status, warnings }
}

pub(crate) fn failed(payload: &[u8]) -> Answer {
    assert_eq!(payload[0], 0xff, "{payload:?}");
    let number = u16::from_le_bytes([payload[1], payload[2]]);
    let (state, words) = match payload[3] {
        b'#' => (&payload[4..9], &payload[9..]),
        _ => (&payload[..0], &payload[3..]),
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answer::Error { number, state: text(state), words: text(words) }
}
