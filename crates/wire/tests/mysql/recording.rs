//! What a client and a server said to each other, as text that people can read.
//!
//! ```text
//!     connection
//!     < 0b000000 0a "5.5.5-" …      a packet of the server, header and all
//!     > 01000000 0e                 a packet of the client
//! ```
//!
//! Bytes are in hexadecimal, runs of letters in quotes, and a byte that is there often as `78*16777215`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Who sent a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

/// The packets of one connection, each with its header, in the order they passed by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection {
    pub packets: Vec<(Side, Vec<u8>)>,
}

/// A payload, joined from its packets, and the number of the first of them.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    pub number: u8,
    pub payload: Vec<u8>,
    /// The packets as they were.
    pub raw: Vec<u8>,
}

impl Connection {
    /// The payloads of one side.
    pub(crate) fn payloads(&self, side: Side) -> Vec<Joined> {
        let mut all: Vec<Joined> = Vec::new();
        let mut goes_on = false;
        for (_, packet) in self.packets.iter().filter(|(from, _)| *from == side) {
            if !goes_on {
                all.push(Joined { number: packet[3], payload: Vec::new(), raw: Vec::new() });
            }
            let last = all.last_mut().expect("one was pushed");
            last.payload.extend_from_slice(&packet[4..]);
            last.raw.extend_from_slice(packet);
            goes_on = packet[..3] == [0xff; 3];
        }
        all
    }
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mysql")
}

/// The recordings that are kept, by name.
pub(crate) fn all() -> Vec<(String, Vec<Connection>)> {
    let mut names: Vec<String> = std::fs::read_dir(folder().join("recordings"))
        .expect("the recordings are there")
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".txt").map(str::to_owned))
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), load(&name))).collect()
}

pub(crate) fn load(name: &str) -> Vec<Connection> {
    let file = folder().join(format!("recordings/{name}.txt"));
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut connections: Vec<Connection> = Vec::new();
    for line in text.lines() {
        let (mark, bytes) = line.split_once(' ').unwrap_or((line, ""));
        let side = match mark {
            "<" => Side::Server,
            ">" => Side::Client,
            "connection" => {
                connections.push(Connection::default());
                continue;
            }
            _ => panic!("{name}: {line}"),
        };
        let connection = connections.last_mut().expect("the first line is a connection");
        connection.packets.push((side, parse(bytes)));
    }
    connections
}

pub(crate) fn save(name: &str, connections: &[Connection]) {
    let mut text = String::new();
    for connection in connections {
        text.push_str("connection\n");
        for (side, bytes) in &connection.packets {
            let mark = if *side == Side::Server { '<' } else { '>' };
            writeln!(text, "{mark} {}", print(bytes)).unwrap();
        }
    }
    std::fs::write(folder().join(format!("recordings/{name}.txt")), text).expect("it is written");
}

/// The bytes as text. The header stands alone.
fn print(bytes: &[u8]) -> String {
    let mut text = String::new();
    let (header, mut rest) = bytes.split_at(4);
    header.iter().for_each(|byte| write!(text, "{byte:02x}").unwrap());
    let letter = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"';
    let mut plain = false;
    while let Some(&first) = rest.first() {
        let same = rest.iter().take_while(|&&byte| byte == first).count();
        let letters = rest.iter().take_while(|&&byte| letter(byte)).count();
        let length = if same > 40 {
            write!(text, " {first:02x}*{same}").unwrap();
            same
        } else if letters >= 3 {
            // A long run inside of text is for the next round.
            let end = (1..letters)
                .find(|&at| rest[at..].iter().take(41).filter(|&&b| b == rest[at]).count() == 41)
                .unwrap_or(letters);
            write!(text, " \"{}\"", String::from_utf8_lossy(&rest[..end])).unwrap();
            end
        } else {
            write!(text, "{}{first:02x}", if plain { "" } else { " " }).unwrap();
            1
        };
        plain = length == 1 && !text.ends_with('"');
        rest = &rest[length..];
    }
    text
}

fn parse(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.trim_start();
        if let Some(quoted) = rest.strip_prefix('"') {
            let (letters, after) = quoted.split_once('"').expect("a quote ends");
            bytes.extend_from_slice(letters.as_bytes());
            rest = after;
            continue;
        }
        let word = rest.split(' ').next().unwrap_or_default();
        rest = &rest[word.len()..];
        let byte = |at: usize| u8::from_str_radix(&word[at..at + 2], 16).expect("hexadecimal");
        match word.split_once('*') {
            Some((_, count)) => {
                bytes.resize(bytes.len() + count.parse::<usize>().expect("a count"), byte(0));
            }
            None => bytes.extend((0..word.len() / 2).map(|at| byte(2 * at))),
        }
    }
    bytes
}

#[test]
fn text_of_bytes_is_read_back() {
    let long = [&b"\x03\0\0\x00abc"[..], &[b'x'; 50], b"\xff\"quoted\" yz", &[0; 41]].concat();
    assert_eq!(parse(&print(&long)), long);
    assert_eq!(print(&long), "03000000 \"abc\" 78*50 ff22 \"quoted\" 22 \" yz\" 00*41");
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(parse(&print(&all)), all);
}
