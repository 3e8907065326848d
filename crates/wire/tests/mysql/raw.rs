//! A client that speaks in bytes, for what no other client does: cursors, parameters in pieces, executions without types, wrong ones.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpStream;

use hobgoblin_wire::mysql::{Capabilities, Scramble};

use crate::mariadb::{PASSWORD, USER};
use crate::packet::{self, BASE, packet};

/// A connection, and what was said on it.
pub(crate) struct Raw {
    pub stream: TcpStream,
    log: String,
    /// The number of the statement that was prepared last. Servers differ in where they begin, so it is left out of the log.
    statement: u32,
}

impl Raw {
    /// Connects and reads the greeting.
    pub(crate) fn connect(port: u16) -> (Raw, Scramble) {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server is there");
        stream.set_nodelay(true).expect("it is a socket");
        let mut raw = Raw { stream, log: String::new(), statement: 0 };
        let (_, greeting) = raw.read().expect("a greeting");
        (raw, packet::greeting(&greeting).1)
    }

    /// The payload of a login with the right password.
    pub(crate) fn login(scramble: &Scramble, capabilities: Capabilities) -> Vec<u8> {
        packet::login(scramble, capabilities, USER, PASSWORD, "shop")
    }

    /// Logs in.
    pub(crate) fn enter(port: u16, capabilities: Capabilities) -> Raw {
        let (mut raw, scramble) = Raw::connect(port);
        raw.send(&packet(1, &Raw::login(&scramble, capabilities)));
        let (number, reply) = raw.read().expect("an answer");
        raw.note(number, &reply);
        raw
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server listens");
    }

    /// The next packet; `None` if the server has hung up.
    pub(crate) fn read(&mut self) -> Option<(u8, Vec<u8>)> {
        packet::read(&mut self.stream)
    }

    fn note(&mut self, number: u8, payload: &[u8]) {
        let (shown, rest) = payload.split_at(payload.len().min(600));
        let shown = unnumbered(&shown.escape_ascii().to_string());
        write!(self.log, "  {number} {shown}").unwrap();
        if !rest.is_empty() {
            let add = |sum: u32, &byte: &u8| sum.wrapping_mul(31).wrapping_add(byte.into());
            let sum = rest.iter().fold(0, add);
            write!(self.log, " and {} bytes more, {sum:08x}", rest.len()).unwrap();
        }
        self.log.push('\n');
    }

    /// Sends a command and reads all that comes until the answer to a COM_STATISTICS sent behind it.
    fn command(&mut self, payload: &[u8]) {
        writeln!(self.log, "{}", payload[..payload.len().min(100)].escape_ascii()).unwrap();
        self.exchange(payload);
    }

    fn exchange(&mut self, payload: &[u8]) {
        self.send(&[packet(0, payload), packet(0, b"\x09")].concat());
        loop {
            match self.read() {
                Some((1, line)) if line.starts_with(b"Uptime") => return,
                Some((1, mut prepared)) if payload.first() == Some(&0x16) && prepared[0] == 0 => {
                    let number = std::mem::take(prepared[1..].first_chunk_mut().expect("a number"));
                    self.statement = u32::from_le_bytes(number);
                    self.note(1, &prepared);
                }
                Some((number, payload)) => self.note(number, &payload),
                None => panic!("the server has hung up:\n{}", self.log),
            }
        }
    }

    /// A command of the statement that was prepared last.
    fn statement(&mut self, command: u8, rest: &[u8]) {
        writeln!(self.log, "{command:02x} it {}", rest.escape_ascii()).unwrap();
        self.exchange(&[&[command], &self.statement.to_le_bytes()[..], rest].concat());
    }

    fn execute(&mut self, cursor: u8, rest: &[u8]) {
        self.statement(0x17, &[&[cursor, 1, 0, 0, 0], rest].concat());
    }
}

/// Without the number in parentheses by which an error names a statement.
fn unnumbered(text: &str) -> String {
    let numbered = text.split_once(" (").and_then(|(before, rest)| {
        let (number, after) = rest.split_once(')')?;
        number.parse::<u32>().ok().map(|_| format!("{before} (it){after}"))
    });
    numbered.unwrap_or_else(|| text.to_owned())
}

/// The program: the same commands with other capabilities each time.
pub(crate) fn program(port: u16) -> String {
    let modern = BASE
        .with(Capabilities::PLUGIN_AUTH)
        .with(Capabilities::CONNECT_ATTRS)
        .with(Capabilities::DEPRECATE_EOF)
        .with(Capabilities::SESSION_TRACK);
    let mariadb = modern.without(Capabilities::MYSQL).with(Capabilities::MARIADB_EXTENDED_METADATA);
    let mut said = String::new();
    for capabilities in [BASE, modern, mariadb] {
        let mut raw = Raw::enter(port, capabilities);
        statements(&mut raw);
        writeln!(said, "{capabilities:?}\n{}", raw.log).unwrap();
    }
    said
}

fn statements(raw: &mut Raw) {
    let tables = std::fs::read_to_string(crate::recording::folder().join("programs/tables.sql"));
    for line in tables.expect("they are there").lines() {
        raw.command(&[b"\x03", line.as_bytes()].concat());
    }
    for sql in [
        &b"SELECT * FROM kinds ORDER BY id"[..],
        b"USE mysql",
        b"SET autocommit = 0",
        b"BEGIN",
        b"SET sql_mode = 'ansi'",
        b"SET time_zone = '+00:00'",
        b"SET session_track_state_change = 1, session_track_transaction_info = 'CHARACTERISTICS'",
        b"START TRANSACTION READ ONLY",
        b"SELECT 1",
        b"COMMIT",
        b"SELECT CAST('00000000-0000-0000-0000-000000000001' AS UUID), j FROM shop.kinds WHERE id = 1",
        b"SELECT NULL, 1 + NULL FROM shop.kinds WHERE id = 0",
    ] {
        raw.command(&[b"\x03", sql].concat());
    }
    raw.command(b"\x02shop");
    raw.command(b"\x1f");
    raw.command(b"\x02shop");
    raw.command(b"\x04kinds\0");
    raw.command(b"\x04orders\0a%");
    raw.command(b"\x04nowhere\0");
    raw.command(b"\x1b\0\0");
    raw.command(b"\x03SELECT 1; SELECT 'a'; DO 1; SELECT nothing");
    raw.command(b"\x1b\x01\0");
    raw.command(b"\x03SELECT 1; SELECT 'a'");
    raw.command(b"\x1b\x07\0");
    prepared(raw);
    for unknown in [0x0b, 0x0f, 0x10, 0x13, 0x1d, 0x20, 0x80, 0xfe] {
        raw.command(&[unknown]);
    }
    raw.command(b"");
    raw.command(b"\x0e");
    raw.command(b"\x1f");
}

fn prepared(raw: &mut Raw) {
    raw.command(b"\x16SELECT id, tu, da, ti, d, c FROM kinds WHERE id > ? ORDER BY id");
    let one = b"\0\x01\x03\0\x01\0\0\0";
    raw.execute(0, one);
    raw.execute(1, one);
    for rows in [2, 0, 1, 9, 1] {
        raw.statement(0x1c, &[rows, 0, 0, 0]);
    }
    // The types of the last time hold on.
    raw.execute(0, b"\0\0\x03\0\0\0");
    raw.execute(0, b"\x01\0");
    raw.execute(1, one);
    raw.statement(0x1a, b"");
    raw.statement(0x1c, b"\x01\0\0\0");
    raw.execute(0, b"\0\0\x02\0\0\0");
    // What is missing, and what means nothing.
    raw.command(b"\x17");
    raw.statement(0x17, b"");
    raw.execute(0, b"");
    raw.execute(0, b"\0");
    raw.execute(0, b"\0\x01");
    raw.execute(0, b"\0\x01\x03");
    raw.execute(0, b"\0\x01\x03\0\x01\0\0");
    raw.execute(0, b"\0\x01\x63\0\x01\0\0\0");
    raw.execute(0, b"\0\x01\x03\0\x01\0\0\0 and more");
    raw.command(b"\x17\xff\xff\xff\x0f\0\x01\0\0\0");
    raw.command(b"\x1a\xff\xff\xff\x0f");
    raw.command(b"\x1c\xff\xff\xff\x0f\x01\0\0\0");
    raw.statement(0x19, b"");
    raw.command(b"\x19\x01");
    raw.execute(0, one);

    raw.command(b"\x16SELECT ?, LENGTH(?)");
    raw.execute(0, b"\0\0");
    raw.statement(0x18, b"\0\0a pie");
    raw.statement(0x18, b"\0\0ce");
    raw.statement(0x18, b"\x01\0another");
    raw.execute(0, b"\x02\x01\xfc\0\xfc\0");
    raw.execute(0, b"\0\0\x01b\x02cc");
    raw.statement(0x18, b"\0\0forgotten");
    raw.statement(0x1a, b"");
    raw.execute(0, b"\0\0\x01d\x02ee");
    raw.statement(0x18, b"\x09\0nothing");
    raw.execute(0, b"\0\0\x01f\x02gg");
    raw.execute(0, b"\0\0\x01h\x02ii");
    raw.statement(0x18, b"");
    raw.command(b"\x18\xff\xff\xff\x0f\0\0nobody");

    // Every type of a parameter.
    let parameters: [(&[u8], &[u8]); 20] = [
        (b"\x01\0", b"\xff"),
        (b"\x01\x80", b"\xff"),
        (b"\x02\0", b"\0\x80"),
        (b"\x02\x80", b"\0\x80"),
        (b"\x03\x80", b"\0\0\0\x80"),
        (b"\x08\0", b"\0\0\0\0\0\0\0\x80"),
        (b"\x08\x80", b"\0\0\0\0\0\0\0\x80"),
        (b"\x04\0", b"\0\0\xc0\x3f"),
        (b"\x05\0", b"\0\0\0\0\0\0\x02\xc0"),
        (b"\x06\0", b""),
        (b"\x0a\0", b"\x04\xe4\x07\x01\x02"),
        (b"\x0c\0", b"\x07\xe4\x07\x01\x02\x03\x04\x05"),
        (b"\x07\0", b"\x0b\xe4\x07\x01\x02\x03\x04\x05\x01\0\0\0"),
        (b"\x0c\0", b"\0"),
        (b"\x0b\0", b"\x08\x01\x01\0\0\0\x02\x03\x04"),
        (b"\x0b\0", b"\x0c\0\0\0\0\0\x02\x03\x04\x01\0\0\0"),
        (b"\x0b\0", b"\0"),
        (b"\xf6\0", b"\x051.250"),
        (b"\xfe\0", b"\x03abc"),
        (b"\xfd\0", b"\xfc\x04\0long"),
    ];
    for (ty, value) in parameters {
        raw.command(b"\x16SELECT ?, CONCAT(?)");
        raw.execute(0, &[b"\0\x01", ty, ty, value, value].concat());
    }
    raw.command(b"\x16SELEKT");
    raw.command(b"\x16INSERT INTO orders (name) VALUES ('x')");
    raw.execute(0, b"");
}
