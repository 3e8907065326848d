//! A client of MySQL, as small as comparisons need: it logs in without a password, sends statements and reads all of what
//! comes back.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A column of a result, as the server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    #[allow(dead_code, reason = "some compare types alone")]
    pub(crate) name: String,
    pub(crate) code: u8,
    pub(crate) collation: u16,
    pub(crate) decimals: u8,
    pub(crate) flags: u16,
}

/// What a statement gives.
#[derive(Debug)]
#[allow(dead_code, reason = "some look at rows alone")]
pub(crate) enum Reply {
    Rows { columns: Vec<Column>, rows: Vec<Vec<Option<Vec<u8>>>>, warnings: u16 },
    Done { affected: u64, insert_id: u64, warnings: u16 },
    Error { number: u16, message: String },
}

/// A connection.
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

    /// A number with its size before it; nothing for NULL.
    fn length(&mut self) -> Option<u64> {
        Some(match self.number(1) {
            0xfb => return None,
            0xfc => self.number(2),
            0xfd => self.number(3),
            0xfe => self.number(8),
            small => small,
        })
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        Some(self.take(length as usize))
    }

    fn column(&mut self) -> Column {
        let texts: Vec<&[u8]> = (0..6).filter_map(|_| self.text()).collect();
        self.take(1);
        let collation = self.number(2) as u16;
        self.take(4);
        let code = self.number(1) as u8;
        let flags = self.number(2) as u16;
        let decimals = self.number(1) as u8;
        let name = String::from_utf8_lossy(texts[4]).into_owned();
        Column { name, code, collation, decimals, flags }
    }

    /// What a statement without rows is answered.
    fn done(&mut self) -> Reply {
        self.take(1);
        let affected = self.length().unwrap_or(0);
        let insert_id = self.length().unwrap_or(0);
        self.take(2);
        Reply::Done { affected, insert_id, warnings: self.number(2) as u16 }
    }

    fn error(&mut self) -> Reply {
        self.take(1);
        let number = self.number(2) as u16;
        self.take(6);
        Reply::Error { number, message: String::from_utf8_lossy(self.0).into_owned() }
    }
}

impl Client {
    /// Connects to a server on this machine as soon as it answers.
    pub(crate) fn connect(port: u16) -> Client {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match Client::log_in(port) {
                Ok(client) => return client,
                Err(error) if Instant::now() > until => panic!("no answer: {error}"),
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    fn log_in(port: u16) -> io::Result<Client> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        let mut client = Client { stream, sequence: 0 };
        client.read()?;
        // 4.1, secure connections, transactions, plugins by name; packets of up to 16 MB; utf8mb4_general_ci.
        let mut login = Vec::new();
        login.extend_from_slice(&0x0008_a200u32.to_le_bytes());
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
    pub(crate) fn query(&mut self, sql: &str) -> Reply {
        self.ask(sql).expect("the server answers")
    }

    fn ask(&mut self, sql: &str) -> io::Result<Reply> {
        self.sequence = 0;
        let mut command = vec![3];
        command.extend_from_slice(sql.as_bytes());
        self.write(&command)?;
        let first = self.read()?;
        let mut packet = Packet(&first);
        match first.first() {
            Some(0) => return Ok(packet.done()),
            Some(0xff) => return Ok(packet.error()),
            _ => {}
        }
        let count = packet.length().unwrap_or(0);
        let mut columns = Vec::new();
        for _ in 0..count {
            columns.push(Packet(&self.read()?).column());
        }
        self.read()?;
        let mut rows = Vec::new();
        loop {
            let row = self.read()?;
            match row.first() {
                Some(0xff) => return Ok(Packet(&row).error()),
                Some(0xfe) if row.len() < 9 => {
                    let warnings = Packet(&row[1..]).number(2) as u16;
                    return Ok(Reply::Rows { columns, rows, warnings });
                }
                _ => {
                    let mut packet = Packet(&row);
                    rows.push((0..count).map(|_| packet.text().map(<[u8]>::to_vec)).collect());
                }
            }
        }
    }
}
