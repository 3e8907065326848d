//! The real server: a throwaway cluster on a Unix socket, and as much of a client as simple queries need.

#[path = "../../../../tests/servers/postgres.rs"]
mod cluster;

use std::io::{BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use crate::answer::{Answer, Column};
use cluster::Postgres;

/// A cluster, gone when dropped.
pub(crate) struct Server(Postgres);

impl Server {
    /// A server with these options, or nothing where PostgreSQL is not installed, which is told; at full size it
    /// has to be there.
    pub(crate) fn start(options: &str) -> Option<Server> {
        let all = "-c timezone=UTC -c default_transaction_isolation=serializable -c jit=off";
        Postgres::start(&format!("{all} {options}")).map(Server)
    }

    /// Where its socket is.
    #[allow(dead_code)]
    pub(crate) fn socket(&self) -> &Path {
        &self.0.folder
    }

    /// Connects to a new database.
    pub(crate) fn connect(&self, database: &str) -> std::io::Result<Client> {
        let socket = self.0.folder.join(".s.PGSQL.5432");
        let mut first = Client::open(&socket, "postgres")?;
        first.query(&format!("CREATE DATABASE {database}"))?;
        Client::open(&socket, database)
    }

    /// Connects to a database that is there.
    #[allow(dead_code)]
    pub(crate) fn join(&self, database: &str) -> std::io::Result<Client> {
        Client::open(&self.0.folder.join(".s.PGSQL.5432"), database)
    }
}

/// One connection.
pub(crate) struct Client {
    input: BufReader<UnixStream>,
    output: UnixStream,
}

impl Client {
    fn open(socket: &Path, database: &str) -> std::io::Result<Client> {
        let output = UnixStream::connect(socket)?;
        let mut client = Client { input: BufReader::new(output.try_clone()?), output };
        let mut body = 196_608_u32.to_be_bytes().to_vec();
        for text in ["user", "postgres", "database", database, ""] {
            body.extend_from_slice(text.as_bytes());
            body.push(0);
        }
        let length = body.len() as u32 + 4;
        client.output.write_all(&[&length.to_be_bytes()[..], &body].concat())?;
        client.answer()?;
        Ok(client)
    }

    /// Runs one statement as a simple query.
    pub(crate) fn query(&mut self, sql: &str) -> std::io::Result<Answer> {
        self.send(b'Q', &[sql.as_bytes(), &[0]].concat())?;
        self.answer()
    }

    fn send(&mut self, kind: u8, body: &[u8]) -> std::io::Result<()> {
        let length = body.len() as u32 + 4;
        self.output.write_all(&[&[kind][..], &length.to_be_bytes(), body].concat())
    }

    /// Reads messages up to ReadyForQuery.
    fn answer(&mut self) -> std::io::Result<Answer> {
        let mut answer = Answer::default();
        loop {
            let mut head = [0; 5];
            self.input.read_exact(&mut head)?;
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
            let mut body = vec![0; length.saturating_sub(4)];
            self.input.read_exact(&mut body)?;
            let mut body = Body(&body);
            match head[0] {
                b'T' => answer.columns = Some(body.columns()),
                b'D' => {
                    let count = body.number(2);
                    answer.rows.push((0..count).map(|_| body.cell()).collect());
                }
                b'C' => answer.tag = body.text(),
                b'E' => {
                    while let [kind, ..] = *body.0
                        && kind != 0
                    {
                        body.0 = &body.0[1..];
                        let text = body.text();
                        match kind {
                            b'C' => answer.state = Some(text),
                            b'M' => answer.message = text,
                            b'P' => answer.position = text.parse().ok(),
                            _ => {}
                        }
                    }
                }
                // No data to give; the statement fails, as it does on the other side.
                b'G' => self.send(b'f', b"no data\0")?,
                b'd' => {
                    let line = String::from_utf8_lossy(body.0).trim_end_matches('\n').to_owned();
                    answer.rows.push(vec![Some(line)]);
                }
                b'Z' => return Ok(answer),
                _ => {}
            }
        }
    }
}

/// What is left of a message.
struct Body<'a>(&'a [u8]);

impl Body<'_> {
    fn number(&mut self, bytes: usize) -> i32 {
        let (number, rest) = self.0.split_at(bytes);
        self.0 = rest;
        let value = number.iter().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
        if bytes == 2 { i32::from(value as i16) } else { value as i32 }
    }

    fn text(&mut self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len());
        let text = String::from_utf8_lossy(&self.0[..end]).into_owned();
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        text
    }

    fn cell(&mut self) -> Option<String> {
        let length = usize::try_from(self.number(4)).ok()?;
        let (cell, rest) = self.0.split_at(length);
        self.0 = rest;
        Some(String::from_utf8_lossy(cell).into_owned())
    }

    fn columns(&mut self) -> Vec<Column> {
        let count = self.number(2);
        let column = |_| {
            let name = self.text();
            self.number(4);
            self.number(2);
            let ty = self.number(4) as u32;
            self.number(2);
            let typmod = self.number(4);
            self.number(2);
            Column { name, ty, typmod }
        };
        (0..count).map(column).collect()
    }
}
