//! A server in a process of its own, and a client that says simple queries.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::serving::Serving;

/// Serves clients of PostgreSQL.
pub(crate) fn serve(flags: &[&str]) -> Serving {
    Serving::start(&[&["--pg", "0", "--hold", "0s"], flags].concat())
}

impl Serving {
    pub(crate) fn addr(&self) -> SocketAddr {
        self.listens("pg_url")
    }

    /// A number of the process, as Linux knows it.
    pub(crate) fn status(&self, name: &str) -> usize {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("this is Linux, and it runs");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("it is there");
        line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
    }

    pub(crate) fn client(&self) -> Client {
        let mut client = Client(TcpStream::connect(self.addr()).expect("it listens"));
        client.0.set_nodelay(true).expect("a socket has options");
        client.0.write_all(b"\0\0\0\x12\0\x03\0\0user\0hob\0\0").expect("it reads");
        assert_eq!(client.answer(), "");
        client
    }
}

pub(crate) struct Client(TcpStream);

impl Client {
    /// Runs statements; the SQLSTATE of the error they end with, or nothing.
    pub(crate) fn run(&mut self, sql: &str) -> String {
        let mut message = vec![b'Q'];
        message.extend((sql.len() as u32 + 5).to_be_bytes());
        message.extend(sql.as_bytes());
        message.push(0);
        self.0.write_all(&message).expect("it reads");
        self.answer()
    }

    /// Runs a COPY FROM STDIN with these lines.
    pub(crate) fn copy(&mut self, sql: &str, lines: impl Iterator<Item = String>) -> String {
        let mut send = |tag: u8, body: &[u8]| {
            let mut message = vec![tag];
            message.extend((body.len() as u32 + 4).to_be_bytes());
            message.extend(body);
            self.0.write_all(&message).expect("it reads");
        };
        send(b'Q', format!("{sql}\0").as_bytes());
        let mut data = String::new();
        for line in lines {
            data.push_str(&line);
            data.push('\n');
            if data.len() > 60_000 {
                send(b'd', data.as_bytes());
                data.clear();
            }
        }
        send(b'd', data.as_bytes());
        send(b'c', b"");
        self.answer()
    }

    fn answer(&mut self) -> String {
        let mut state = String::new();
        loop {
            let mut head = [0; 5];
            self.0.read_exact(&mut head).expect("the server lives");
            let length = u32::from_be_bytes(head[1..].try_into().expect("four")) as usize;
            let mut body = vec![0; length - 4];
            self.0.read_exact(&mut body).expect("messages are whole");
            match head[0] {
                b'E' => {
                    let mut fields = body.split(|&byte| byte == 0);
                    let code = fields.find(|field| field.first() == Some(&b'C'));
                    state = String::from_utf8_lossy(&code.expect("it has one")[1..]).into_owned();
                }
                b'Z' => return state,
                _ => {}
            }
        }
    }
}
