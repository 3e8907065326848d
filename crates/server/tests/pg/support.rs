//! A client that sends exactly what it is told and shows exactly what it gets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use hobgoblin_core::Level;
use hobgoblin_server::{PgConfig, Server, ServerConfig};
use hobgoblin_sql::POSTGRES;
use hobgoblin_store::{Config, Profile};

/// PostgreSQL's clients are served on a free port of this machine.
pub(crate) fn pg() -> PgConfig {
    PgConfig::new(&POSTGRES)
}

/// A server of SQL alone, as `hob serve --pg` has it.
pub(crate) fn serve(pg: PgConfig) -> Server {
    let store = Config::default().profile(Profile::Postgres).level(Level::RC);
    let config = ServerConfig { http: false, pg: Some(pg), store, ..ServerConfig::default() };
    Server::start(config).expect("a port is free")
}

pub(crate) fn addr(server: &Server) -> SocketAddr {
    server.pg_addr().expect("it serves SQL")
}

/// A message of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) tag: char,
    pub(crate) body: Vec<u8>,
}

impl Message {
    /// A field of an error or notice.
    pub(crate) fn field(&self, code: char) -> String {
        assert!(matches!(self.tag, 'E' | 'N'), "{self:?}");
        let mut fields = self.body.split(|&byte| byte == 0);
        let found = fields.find(|field| field.first() == Some(&(code as u8)));
        found.map(|field| String::from_utf8_lossy(&field[1..]).into_owned()).unwrap_or_default()
    }

    /// The values of a row; `None` is NULL.
    pub(crate) fn values(&self) -> Vec<Option<Vec<u8>>> {
        assert_eq!(self.tag, 'D');
        let (count, mut rest) = self.body.split_at(2);
        let count = u16::from_be_bytes(count.try_into().unwrap());
        let mut all = Vec::new();
        for _ in 0..count {
            let (length, after) = rest.split_at(4);
            rest = after;
            match usize::try_from(i32::from_be_bytes(length.try_into().unwrap())) {
                Ok(length) => {
                    all.push(Some(rest[..length].to_vec()));
                    rest = &rest[length..];
                }
                Err(_) => all.push(None),
            }
        }
        assert!(rest.is_empty());
        all
    }
}

/// The tags of messages as a word, such as `TDCZ`.
pub(crate) fn tags(messages: &[Message]) -> String {
    messages.iter().map(|message| message.tag).collect()
}

/// A connection.
pub(crate) struct Raw(TcpStream);

impl Raw {
    /// Opens a socket and says nothing.
    pub(crate) fn silent(addr: SocketAddr) -> Raw {
        let stream = TcpStream::connect(addr).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Raw(stream)
    }

    /// Opens a session; the greeting is read.
    pub(crate) fn open(addr: SocketAddr) -> Raw {
        let mut raw = Raw::silent(addr);
        raw.send(&hello(&[("user", "hob"), ("database", "hob")]));
        let greeting = raw.until_ready();
        assert_eq!(greeting[0].tag, 'R', "{greeting:?}");
        raw
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("the server reads");
    }

    pub(crate) fn socket(&mut self) -> &mut TcpStream {
        &mut self.0
    }

    /// Sends nothing more.
    pub(crate) fn hang_up(&self) {
        let _ = self.0.shutdown(std::net::Shutdown::Write);
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let mut byte = [0];
        self.0.read_exact(&mut byte).expect("a byte comes");
        byte[0]
    }

    /// The next message; nothing at the end of the connection.
    pub(crate) fn next(&mut self) -> Option<Message> {
        let mut head = [0; 5];
        self.0.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes(head[1..].try_into().unwrap()) as usize;
        let mut body = vec![0; length - 4];
        self.0.read_exact(&mut body).expect("messages are whole");
        Some(Message { tag: char::from(head[0]), body })
    }

    /// So many messages.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Message> {
        (0..count).map(|_| self.next().expect("a message comes")).collect()
    }

    /// Messages up to ReadyForQuery.
    pub(crate) fn until_ready(&mut self) -> Vec<Message> {
        let mut all = Vec::new();
        loop {
            let message = self.next().unwrap_or_else(|| panic!("it ended after {all:?}"));
            let ready = message.tag == 'Z';
            all.push(message);
            if ready {
                return all;
            }
        }
    }

    /// Everything up to the end of the connection.
    pub(crate) fn until_end(&mut self) -> Vec<Message> {
        std::iter::from_fn(|| self.next()).collect()
    }

    /// A simple query and its answer.
    pub(crate) fn query(&mut self, sql: &str) -> Vec<Message> {
        self.send(&query(sql));
        self.until_ready()
    }

    /// A simple query that has to succeed; the text of its rows.
    pub(crate) fn rows(&mut self, sql: &str) -> Vec<Vec<String>> {
        let answer = self.query(sql);
        assert!(!tags(&answer).contains('E'), "{sql}: {}", answer[0].field('M'));
        let text = |value: Option<Vec<u8>>| {
            value.map_or("NULL".to_owned(), |value| String::from_utf8(value).unwrap())
        };
        let rows = answer.iter().filter(|message| message.tag == 'D');
        rows.map(|row| row.values().into_iter().map(text).collect()).collect()
    }
}

/// The state of the transaction in the last message.
pub(crate) fn status(messages: &[Message]) -> char {
    let last = messages.last().expect("there is one");
    assert_eq!(last.tag, 'Z');
    char::from(last.body[0])
}

/// A StartupMessage of protocol 3.0.
pub(crate) fn hello(parameters: &[(&str, &str)]) -> Vec<u8> {
    versioned(3 << 16, parameters)
}

pub(crate) fn versioned(version: u32, parameters: &[(&str, &str)]) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    for (name, value) in parameters {
        body.extend(name.bytes().chain([0]).chain(value.bytes()).chain([0]));
    }
    body.push(0);
    let mut all = (body.len() as u32 + 4).to_be_bytes().to_vec();
    all.extend(body);
    all
}

pub(crate) fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut all = vec![tag];
    all.extend((body.len() as u32 + 4).to_be_bytes());
    all.extend(body);
    all
}

pub(crate) fn query(sql: &str) -> Vec<u8> {
    message(b'Q', &[sql.as_bytes(), b"\0"].concat())
}

pub(crate) fn parse(name: &str, sql: &str, types: &[u32]) -> Vec<u8> {
    let mut body = [name.as_bytes(), b"\0", sql.as_bytes(), b"\0"].concat();
    body.extend((types.len() as u16).to_be_bytes());
    types.iter().for_each(|ty| body.extend(ty.to_be_bytes()));
    message(b'P', &body)
}

pub(crate) fn bind(
    portal: &str,
    statement: &str,
    formats: &[i16],
    params: &[Option<&[u8]>],
    results: &[i16],
) -> Vec<u8> {
    let mut body = [portal.as_bytes(), b"\0", statement.as_bytes(), b"\0"].concat();
    let codes = |body: &mut Vec<u8>, codes: &[i16]| {
        body.extend((codes.len() as u16).to_be_bytes());
        codes.iter().for_each(|code| body.extend(code.to_be_bytes()));
    };
    codes(&mut body, formats);
    body.extend((params.len() as u16).to_be_bytes());
    for param in params {
        match param {
            None => body.extend((-1i32).to_be_bytes()),
            Some(bytes) => {
                body.extend((bytes.len() as u32).to_be_bytes());
                body.extend(*bytes);
            }
        }
    }
    codes(&mut body, results);
    message(b'B', &body)
}

pub(crate) fn describe(kind: u8, name: &str) -> Vec<u8> {
    message(b'D', &[&[kind], name.as_bytes(), b"\0"].concat())
}

pub(crate) fn close(kind: u8, name: &str) -> Vec<u8> {
    message(b'C', &[&[kind], name.as_bytes(), b"\0"].concat())
}

pub(crate) fn execute(portal: &str, max_rows: i32) -> Vec<u8> {
    message(b'E', &[portal.as_bytes(), b"\0", &max_rows.to_be_bytes()].concat())
}

pub(crate) const SYNC: &[u8] = b"S\0\0\0\x04";
pub(crate) const FLUSH: &[u8] = b"H\0\0\0\x04";
