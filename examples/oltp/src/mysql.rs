//! A connection over MySQL's protocol, as light as a client can be.
//!
//! Statements go out as text with their parameters in them, as most of MySQL's clients send them unless told otherwise,
//! and rows come back as text. Servers must trust us: whatever method of passwords they ask for, the answer for an empty
//! one is empty.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;

use crate::client::{Client, Rows};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::value::{Row, Value};

/// A client of a server.
pub struct MySql {
    stream: BufReader<TcpStream>,
}

/// LONG_PASSWORD, FOUND_ROWS (rows that a change leaves as they are count), CONNECT_WITH_DB, PROTOCOL_41, TRANSACTIONS,
/// SECURE_CONNECTION, MULTI_STATEMENTS, MULTI_RESULTS and PLUGIN_AUTH.
const CAPABILITIES: u32 = 0x000b_a20b;
const UTF8MB4: u8 = 45;
const COM_QUIT: u8 = 1;
const COM_QUERY: u8 = 3;
/// Of a status: another result follows.
const MORE_RESULTS: u16 = 8;
/// A longer packet is continued in another one; nothing here is that long.
const LONGEST: usize = 0xff_ffff;

fn broken(error: impl std::fmt::Display) -> Error {
    Error::Broken(format!("the connection broke: {error}"))
}

impl MySql {
    /// Connects to a server at an address such as `127.0.0.1:3307`.
    pub fn connect(address: &str, user: &str, database: &str) -> Result<MySql, Error> {
        let stream = TcpStream::connect(address).map_err(broken)?;
        stream.set_nodelay(true).map_err(broken)?;
        let mut client = MySql { stream: BufReader::new(stream) };
        let (mut number, greeting) = client.receive()?;
        if greeting.first() == Some(&0xff) {
            return Err(refusal(&greeting, "connect"));
        }
        let mut login = CAPABILITIES.to_le_bytes().to_vec();
        login.extend((LONGEST as u32).to_le_bytes());
        login.push(UTF8MB4);
        login.extend([0; 23]);
        // The password between the user and the database is empty.
        for text in [user, "", database, "mysql_native_password"] {
            login.extend(text.as_bytes());
            login.push(0);
        }
        client.send(number.wrapping_add(1), &login)?;
        loop {
            let answer;
            (number, answer) = client.receive()?;
            match answer.first() {
                Some(0) => return Ok(client),
                Some(0xff) => return Err(refusal(&answer, "connect")),
                Some(0xfe) => client.send(number.wrapping_add(1), &[])?,
                Some(1) => {}
                _ => return Err(broken("the server wants something else than a password")),
            }
        }
    }

    fn send(&mut self, number: u8, payload: &[u8]) -> Result<(), Error> {
        if payload.len() >= LONGEST {
            return Err(broken("a statement is too long"));
        }
        let mut packet = (payload.len() as u32).to_le_bytes().to_vec();
        packet[3] = number;
        packet.extend(payload);
        self.stream.get_mut().write_all(&packet).map_err(broken)
    }

    /// The next packet and its number.
    fn receive(&mut self) -> Result<(u8, Vec<u8>), Error> {
        let mut head = [0; 4];
        self.stream.read_exact(&mut head).map_err(broken)?;
        let [a, b, c, number] = head;
        let mut payload = vec![0; u32::from_le_bytes([a, b, c, 0]) as usize];
        self.stream.read_exact(&mut payload).map_err(broken)?;
        Ok((number, payload))
    }

    /// Runs a text; what its last statement gave. After an error nothing of it is left to read.
    fn run(&mut self, text: &str) -> Result<Rows, Error> {
        self.send(0, &[&[COM_QUERY], text.as_bytes()].concat())?;
        loop {
            let (rows, status) = self.result(text)?;
            if status & MORE_RESULTS == 0 {
                return Ok(rows);
            }
        }
    }

    /// What one statement gave, and the status after it.
    fn result(&mut self, text: &str) -> Result<(Rows, u16), Error> {
        let (_, first) = self.receive()?;
        match first.first() {
            Some(0) => {
                let mut rest = &first[1..];
                let counts = integer(&mut rest).zip(integer(&mut rest));
                let (affected, _) = counts.ok_or_else(|| broken("an OK packet is cut off"))?;
                return Ok((Rows { rows: Vec::new(), affected }, status(rest)?));
            }
            Some(0xff) => return Err(refusal(&first, text)),
            _ => {}
        }
        let count = integer(&mut first.as_slice()).ok_or_else(|| broken("no number of columns"))?;
        for _ in 0..=count {
            // A packet for each column, and one that ends them.
            self.receive()?;
        }
        let mut rows = Vec::new();
        loop {
            let (_, packet) = self.receive()?;
            match packet.first() {
                Some(0xff) => return Err(refusal(&packet, text)),
                Some(0xfe) if packet.len() < 9 => {
                    let status = status(packet.get(3..).unwrap_or_default())?;
                    return Ok((Rows { affected: rows.len() as u64, rows }, status));
                }
                _ => rows.push(row(&packet, count).ok_or_else(|| broken("a row is cut off"))?),
            }
        }
    }
}

fn status(bytes: &[u8]) -> Result<u16, Error> {
    let bytes = bytes.first_chunk().ok_or_else(|| broken("a packet without a status"))?;
    Ok(u16::from_le_bytes(*bytes))
}

/// An integer whose first byte is its value or says how many bytes it has.
fn integer(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = bytes.split_first()?;
    let length = match first {
        0xfc => 2,
        0xfd => 3,
        0xfe => 8,
        small => {
            *bytes = rest;
            return Some(small.into());
        }
    };
    let (digits, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    Some(digits.iter().rev().fold(0, |value, &digit| value << 8 | u64::from(digit)))
}

fn row(mut packet: &[u8], count: u64) -> Option<Row> {
    let cell = |_| {
        if let Some((0xfb, rest)) = packet.split_first() {
            packet = rest;
            return Some(Value::Null);
        }
        let length = integer(&mut packet)?;
        let (cell, rest) = packet.split_at_checked(usize::try_from(length).ok()?)?;
        packet = rest;
        Some(Value::Text(String::from_utf8_lossy(cell).into_owned()))
    };
    (0..count).map(cell).collect::<Option<_>>().map(Row)
}

fn refusal(packet: &[u8], sql: &str) -> Error {
    let number = packet.get(1..3).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]));
    let words = packet.get(3..).unwrap_or_default();
    // A `#` and five characters of SQLSTATE stand before the words, but not in a refusal to connect.
    let words = if words.first() == Some(&b'#') { &words[6.min(words.len())..] } else { words };
    Error::of_mysql(number, String::from_utf8_lossy(words).into_owned(), sql)
}

/// A statement with its parameters `$1`, `$2`, … in it. No text of ours has a `$` that is none.
fn with_values(sql: &str, params: &[Value]) -> Result<String, Error> {
    let mut parts = sql.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(end);
        let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let value = at.and_then(|at| params.get(at));
        match value.ok_or_else(|| Error::Broken(format!("${number} has no value in {sql}")))? {
            Value::Null => text.push_str("NULL"),
            Value::Int(value) => text.push_str(&value.to_string()),
            Value::Money(value) => text.push_str(&value.to_string()),
            Value::Text(value) => {
                let quoted = value.replace('\\', "\\\\").replace('\'', "''");
                text.extend(["'", &quoted, "'"]);
            }
        }
        text.push_str(rest);
    }
    Ok(text)
}

impl Client for MySql {
    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Rows, Error> {
        self.run(&with_values(sql, params)?)
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.run(sql.trim().trim_end_matches(';')).map(drop)
    }
}

impl Drop for MySql {
    fn drop(&mut self) {
        // The server sees the end of the connection anyway.
        let _ = self.send(0, &[COM_QUIT]);
    }
}

#[cfg(test)]
mod tests {
    use super::with_values;
    use crate::value::{Money, Value};

    #[test]
    fn values_stand_where_their_numbers_are() {
        let text = |sql, params: &[Value]| with_values(sql, params).expect("it has its values");
        assert_eq!(text("SELECT 1", &[]), "SELECT 1");
        let params = [Value::Int(-7), "it's a \\".into(), Value::Null, Money(1_250).into()];
        assert_eq!(text("($2, $1,$1) $3;$4", &params), "('it''s a \\\\', -7,-7) NULL;12.50");
        assert!(with_values("$1 $2", &[Value::Null]).is_err());
        assert!(with_values("$", &[Value::Null]).is_err());
    }
}
