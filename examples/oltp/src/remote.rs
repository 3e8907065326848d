//! A connection over the PostgreSQL protocol, as light as a client can be.
//!
//! Statements are prepared when they are first met and executed with parameters and results as text:
//! Parse, Bind, Execute and Sync go out together, and one answer comes back. Servers must trust us.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;

use hashbrown::HashMap;

use crate::client::{Client, Rows};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::value::{Row, Value};

/// A client of a server.
pub struct Remote {
    stream: BufReader<TcpStream>,
    known: HashMap<String, String>,
    /// Messages to send.
    out: Vec<u8>,
}

/// The fields of an ErrorResponse that matter.
struct Refusal {
    state: String,
    message: String,
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::Broken(format!("the connection broke: {error}"))
}

impl Remote {
    /// Connects to a server at an address such as `127.0.0.1:5433`.
    pub fn connect(address: &str, user: &str, database: &str) -> Result<Remote, Error> {
        let stream = TcpStream::connect(address).map_err(broken)?;
        stream.set_nodelay(true).map_err(broken)?;
        let mut remote =
            Remote { stream: BufReader::new(stream), known: HashMap::new(), out: Vec::new() };
        let mut startup = 196_608_i32.to_be_bytes().to_vec();
        for text in ["user", user, "database", database, ""] {
            startup.extend(text.as_bytes());
            startup.push(0);
        }
        remote.out.extend((startup.len() as i32 + 4).to_be_bytes());
        remote.out.extend(startup);
        remote.exchange("connect")?;
        Ok(remote)
    }

    /// Adds a message to what is sent.
    fn message(&mut self, tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
        self.out.push(tag);
        let at = self.out.len();
        self.out.extend([0; 4]);
        write(&mut self.out);
        let length = (self.out.len() - at) as i32;
        self.out[at..at + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// Sends what is to be sent and reads up to ReadyForQuery.
    fn exchange(&mut self, sql: &str) -> Result<Rows, Error> {
        self.stream.get_mut().write_all(&self.out).map_err(broken)?;
        self.out.clear();
        let mut answer = Rows::default();
        let mut refused: Option<Refusal> = None;
        loop {
            let (tag, body) = self.receive()?;
            match tag {
                b'Z' => break,
                b'D' => answer.rows.push(row(&body).ok_or_else(|| broken("a row is cut off"))?),
                b'C' => {
                    let tag = String::from_utf8_lossy(&body);
                    answer.affected = Rows::told(tag.trim_end_matches('\0'));
                }
                b'E' => refused = refused.or_else(|| Some(refusal(&body))),
                b'R' if body != [0; 4] => return Err(broken("the server wants a password")),
                _ => {}
            }
        }
        match refused {
            Some(refusal) => Err(Error::of(&refusal.state, refusal.message, sql)),
            None => Ok(answer),
        }
    }

    fn receive(&mut self) -> Result<(u8, Vec<u8>), Error> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head).map_err(broken)?;
        let [tag, length @ ..] = head;
        let length = u32::from_be_bytes(length).checked_sub(4);
        let length = length.ok_or_else(|| broken("a length is wrong"))?;
        let mut body = Vec::new();
        let read = (&mut self.stream).take(u64::from(length)).read_to_end(&mut body);
        match read.map_err(broken)? == length as usize {
            true => Ok((tag, body)),
            false => Err(broken("a message is cut off")),
        }
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.as_bytes());
    out.push(0);
}

/// A DataRow's cells.
fn row(body: &[u8]) -> Option<Row> {
    let (count, mut rest) = body.split_at_checked(2)?;
    let count = u16::from_be_bytes(count.try_into().ok()?);
    let mut cells = Vec::with_capacity(count.into());
    for _ in 0..count {
        let (length, after) = rest.split_at_checked(4)?;
        rest = after;
        let length = i32::from_be_bytes(length.try_into().ok()?);
        let Ok(length) = usize::try_from(length) else {
            cells.push(Value::Null);
            continue;
        };
        let (cell, after) = rest.split_at_checked(length)?;
        rest = after;
        cells.push(Value::Text(String::from_utf8_lossy(cell).into_owned()));
    }
    Some(Row(cells))
}

fn refusal(body: &[u8]) -> Refusal {
    let mut refusal = Refusal { state: String::new(), message: String::new() };
    for field in body.split(|&byte| byte == 0) {
        let Some((kind, value)) = field.split_first() else { continue };
        let value = String::from_utf8_lossy(value).into_owned();
        match kind {
            b'C' => refusal.state = value,
            b'M' => refusal.message = value,
            _ => {}
        }
    }
    refusal
}

impl Client for Remote {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Rows, Error> {
        let known = self.known.get(sql).cloned();
        let fresh = known.is_none();
        let name = known.unwrap_or_else(|| format!("s{}", self.known.len()));
        if fresh {
            self.message(b'P', |out| {
                text(out, &name);
                text(out, sql);
                out.extend([0; 2]);
            });
        }
        self.message(b'B', |out| {
            out.push(0);
            text(out, &name);
            out.extend([0; 2]);
            out.extend((params.len() as u16).to_be_bytes());
            for value in params {
                let value = match value {
                    Value::Null => {
                        out.extend((-1_i32).to_be_bytes());
                        continue;
                    }
                    Value::Int(value) => value.to_string(),
                    Value::Money(value) => value.to_string(),
                    Value::Text(value) => value.clone(),
                };
                out.extend((value.len() as i32).to_be_bytes());
                out.extend(value.as_bytes());
            }
            out.extend([0; 2]);
        });
        self.message(b'E', |out| out.extend([0; 5]));
        self.message(b'S', |_| {});
        let answer = self.exchange(sql);
        if fresh {
            match &answer {
                Ok(_) => drop(self.known.insert(sql.to_owned(), name)),
                // It may have been prepared before it failed, and the name must be free.
                Err(Error::Broken(_)) => {}
                Err(_) => {
                    self.message(b'C', |out| {
                        out.push(b'S');
                        text(out, &name);
                    });
                    self.message(b'S', |_| {});
                    self.exchange(sql)?;
                }
            }
        }
        answer
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.message(b'Q', |out| text(out, sql));
        self.exchange(sql).map(drop)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.message(b'X', |_| {});
        let out = std::mem::take(&mut self.out);
        // The server sees the end of the connection anyway.
        let _ = self.stream.get_mut().write_all(&out);
    }
}
