//! Servers and raw connections for tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use hobgoblin_core::Level;
use hobgoblin_server::{Server, ServerConfig};
use hobgoblin_store::Config;

/// A server on a free port.
pub(crate) fn start(store: Config) -> Server {
    Server::start(ServerConfig { store, ..ServerConfig::default() }).expect("a port is free")
}

/// A server of the spec profile at a level.
pub(crate) fn server(level: Level) -> Server {
    start(Config::default().level(level))
}

/// A connection that sends whatever it is told.
pub(crate) struct Raw {
    stream: BufReader<TcpStream>,
}

impl Raw {
    pub(crate) fn new(server: &Server) -> Raw {
        let stream = TcpStream::connect(server.addr()).expect("the server listens");
        stream.set_nodelay(true).expect("a socket has options");
        Raw { stream: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n"
        );
        let stream = self.stream.get_mut();
        stream.write_all((head + body).as_bytes()).expect("the server reads");
    }

    /// The status and body of the answer.
    pub(crate) fn ask(&mut self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.send(method, path, body);
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("the server answers");
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let mut length = 0;
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("the head has an end");
            let header = line.trim_end().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length: ") {
                length = value.parse().expect("a length is a number");
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("the body is whole");
        (status.expect("a status"), String::from_utf8(body).expect("the body is text"))
    }
}
