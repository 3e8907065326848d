//! A client of a MySQL server, as small as the comparison needs: it logs in without a password, sends queries and reads what comes
//! back, column types and warnings included.

use std::io::{self, Read, Write};
use std::net::TcpStream;

/// A column of a result, as the server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) code: u8,
    pub(crate) collation: u16,
    pub(crate) decimals: u8,
    pub(crate) flags: u16,
}

/// What a query gives.
#[derive(Debug)]
pub(crate) enum Answer {
    Rows { columns: Vec<Column>, rows: Vec<Vec<Option<Vec<u8>>>>, warnings: u16 },
    Done,
    Error(u16),
}

pub(crate) struct Client {
    stream: TcpStream,
    sequence: u8,
}

/// Reads the parts of a packet.
struct Packet<'a>(&'a [u8]);

impl<'a> Packet<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (head, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        head
    }

    fn number(&mut self, bytes: usize) -> u64 {
        self.take(bytes).iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn length(&mut self) -> Option<usize> {
        Some(match self.number(1) {
            0xfb => return None,
            0xfc => self.number(2) as usize,
            0xfd => self.number(3) as usize,
            0xfe => self.number(8) as usize,
            small => small as usize,
        })
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        Some(self.take(length))
    }
}

impl Client {
    pub(crate) fn connect(port: u16) -> io::Result<Client> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        let mut client = Client { stream, sequence: 0 };
        client.read()?;
        // 4.1, secure connections, plugins by name; statements of up to 16 MB; utf8mb4_general_ci.
        let mut login = Vec::new();
        login.extend_from_slice(&0x0008_8200u32.to_le_bytes());
        login.extend_from_slice(&0x00ff_ffffu32.to_le_bytes());
        login.push(45);
        login.extend_from_slice(&[0; 23]);
        login.extend_from_slice(b"root\0\0mysql_native_password\0");
        client.write(&login)?;
        let answer = client.read()?;
        match answer.first() {
            Some(0) => Ok(client),
            _ => Err(io::Error::other(String::from_utf8_lossy(&answer).into_owned())),
        }
    }

    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut head = [0; 4];
        self.stream.read_exact(&mut head)?;
        self.sequence = head[3].wrapping_add(1);
        let mut body = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
        self.stream.read_exact(&mut body)?;
        Ok(body)
    }

    fn write(&mut self, body: &[u8]) -> io::Result<()> {
        let mut packet = (body.len() as u32).to_le_bytes();
        packet[3] = self.sequence;
        let mut whole = packet.to_vec();
        whole.extend_from_slice(body);
        self.stream.write_all(&whole)
    }

    /// Runs a statement.
    pub(crate) fn query(&mut self, sql: &str) -> io::Result<Answer> {
        self.sequence = 0;
        let mut command = vec![3];
        command.extend_from_slice(sql.as_bytes());
        self.write(&command)?;
        let first = self.read()?;
        let mut packet = Packet(&first);
        match first.first() {
            Some(0) => return Ok(Answer::Done),
            Some(0xff) => return Ok(error_of(&first)),
            _ => {}
        }
        let count = packet.length().unwrap_or(0);
        let mut columns = Vec::new();
        for _ in 0..count {
            let described = self.read()?;
            let mut packet = Packet(&described);
            for _ in 0..6 {
                packet.text();
            }
            packet.take(1);
            let collation = packet.number(2) as u16;
            packet.take(4);
            let code = packet.number(1) as u8;
            let flags = packet.number(2) as u16;
            columns.push(Column { code, collation, decimals: packet.number(1) as u8, flags });
        }
        self.read()?;
        let mut rows = Vec::new();
        loop {
            let row = self.read()?;
            match row.first() {
                Some(0xff) => return Ok(error_of(&row)),
                Some(0xfe) if row.len() < 9 => {
                    let warnings = Packet(&row[1..]).number(2) as u16;
                    return Ok(Answer::Rows { columns, rows, warnings });
                }
                _ => {
                    let mut packet = Packet(&row);
                    rows.push((0..count).map(|_| packet.text().map(<[u8]>::to_vec)).collect());
                }
            }
        }
    }
}

fn error_of(packet: &[u8]) -> Answer {
    let mut packet = Packet(packet);
    packet.take(1);
    Answer::Error(packet.number(2) as u16)
}
