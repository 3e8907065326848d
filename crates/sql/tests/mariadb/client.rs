//! A client of a MySQL server, as small as the comparison needs: it logs in without a password, sends statements and reads all
//! of what comes back.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use super::answer::{Answer, Column};

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
}

impl Client {
    pub(crate) fn connect(port: u16) -> io::Result<Client> {
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
    pub(crate) fn query(&mut self, sql: &str) -> Answer {
        self.ask(sql).expect("the server answers")
    }

    fn ask(&mut self, sql: &str) -> io::Result<Answer> {
        self.sequence = 0;
        let mut command = vec![3];
        command.extend_from_slice(sql.as_bytes());
        self.write(&command)?;
        let first = self.read()?;
        let mut answer = Answer::default();
        let mut packet = Packet(&first);
        match first.first() {
            Some(0) => {
                packet.take(1);
                answer.affected = packet.length().unwrap_or(0);
                answer.insert_id = packet.length().unwrap_or(0);
                packet.take(2);
                answer.warnings = packet.number(2) as u16;
                return Ok(answer);
            }
            Some(0xff) => {
                fail(&mut answer, &first);
                return Ok(answer);
            }
            _ => {}
        }
        let count = packet.length().unwrap_or(0);
        let mut columns = Vec::new();
        for _ in 0..count {
            let described = self.read()?;
            let mut packet = Packet(&described);
            let texts: Vec<&[u8]> = (0..6).filter_map(|_| packet.text()).collect();
            packet.take(1);
            let collation = packet.number(2) as u16;
            packet.take(4);
            let code = packet.number(1) as u8;
            let flags = packet.number(2) as u16;
            let decimals = packet.number(1) as u8;
            let name = String::from_utf8_lossy(texts[4]).into_owned();
            columns.push(Column { name, code, collation, decimals, unsigned: flags & 32 != 0 });
        }
        self.read()?;
        answer.columns = Some(columns);
        loop {
            let row = self.read()?;
            match row.first() {
                Some(0xff) => {
                    fail(&mut answer, &row);
                    return Ok(answer);
                }
                Some(0xfe) if row.len() < 9 => {
                    answer.warnings = Packet(&row[1..]).number(2) as u16;
                    return Ok(answer);
                }
                _ => {
                    let mut packet = Packet(&row);
                    let fields = (0..count).map(|_| packet.text().map(<[u8]>::to_vec));
                    answer.rows.push(fields.collect());
                }
            }
        }
    }
}

fn fail(answer: &mut Answer, packet: &[u8]) {
    let mut packet = Packet(packet);
    packet.take(1);
    let number = packet.number(2) as u16;
    packet.take(6);
    answer.columns = None;
    answer.rows.clear();
    answer.error = Some((number, String::from_utf8_lossy(packet.0).into_owned()));
}
