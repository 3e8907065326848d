//! One HTTP/1.1 connection of the [client](crate::client), kept open: a request out, an answer in.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

/// Where a store is, and what it wants to hear.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Host and port, as in the URL.
    authority: String,
    pub(crate) token: Option<String>,
}

impl Target {
    /// The target of `http://host:port` with nothing after it but slashes.
    pub(crate) fn parse(url: &str) -> Option<Target> {
        let authority = url.trim().strip_prefix("http://")?.trim_end_matches('/');
        let (host, port) = authority.rsplit_once(':')?;
        let plain = !host.is_empty() && !authority.contains(['/', '?', '#', '@', ' ', '\r', '\n']);
        (plain && port.parse::<u16>().is_ok())
            .then(|| Target { authority: authority.to_owned(), token: None })
    }
}

/// An open connection and its buffers.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    /// The headers that are the same in every request.
    headers: String,
    out: Vec<u8>,
    input: Vec<u8>,
}

/// The longest head of an answer.
const MAX_HEAD: usize = 16 << 10;

impl Connection {
    pub(crate) fn open(target: &Target) -> io::Result<Connection> {
        let stream = TcpStream::connect(&target.authority).map_err(|error| {
            let message = format!("cannot connect to {}: {error}", target.authority);
            io::Error::new(error.kind(), message)
        })?;
        stream.set_nodelay(true)?;
        let mut headers = format!(" HTTP/1.1\r\nhost: {}\r\n", target.authority);
        if let Some(token) = &target.token {
            headers.push_str(&format!("authorization: Bearer {token}\r\n"));
        }
        headers.push_str("content-type: application/json\r\ncontent-length: ");
        Ok(Connection { stream, headers, out: Vec::new(), input: Vec::new() })
    }

    /// Sends a request; the answer's status and body.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> io::Result<(u16, &[u8])> {
        self.ask_parts(method, &[path], body)
    }

    /// As [`Connection::ask`], with the path in parts.
    pub(crate) fn ask_parts(
        &mut self,
        method: &str,
        path: &[&str],
        body: &[u8],
    ) -> io::Result<(u16, &[u8])> {
        let out = &mut self.out;
        out.clear();
        out.extend_from_slice(method.as_bytes());
        out.push(b' ');
        path.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
        out.extend_from_slice(self.headers.as_bytes());
        write!(out, "{}\r\n\r\n", body.len())?;
        out.extend_from_slice(body);
        // A server may answer before it has read a body that is too large: then there is an answer.
        let sent = self.stream.write_all(out);
        self.answer().map_err(|error| sent.err().unwrap_or(error))
    }

    fn answer(&mut self) -> io::Result<(u16, &[u8])> {
        let input = &mut self.input;
        input.clear();
        let mut chunk = [0; 4096];
        let end = loop {
            let count = self.stream.read(&mut chunk)?;
            if count == 0 {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "the connection was closed"));
            }
            let from = input.len().saturating_sub(3);
            input.extend_from_slice(&chunk[..count]);
            if let Some(at) = input[from..].windows(4).position(|four| four == b"\r\n\r\n") {
                break from + at + 4;
            }
            if input.len() > MAX_HEAD {
                return Err(wrong("the head of the answer is too long"));
            }
        };
        let (status, length) = head(&input[..end])?;
        let have = input.len();
        let whole = end.checked_add(length).ok_or_else(|| wrong("the answer is too long"))?;
        if have < whole {
            // Not more than what arrives is ever held, whatever the length says.
            let missing = (whole - have) as u64;
            let count = (&mut self.stream).take(missing).read_to_end(input)?;
            if (count as u64) < missing {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "the answer was cut off"));
            }
        }
        Ok((status, &input[end..whole]))
    }
}

/// The status and the length of the body.
fn head(head: &[u8]) -> io::Result<(u16, usize)> {
    let head = std::str::from_utf8(head).map_err(|_| wrong("the head of the answer is no text"))?;
    let mut lines = head.split("\r\n");
    let status =
        lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok());
    let status = status.ok_or_else(|| wrong("this is no HTTP/1.1 server"))?;
    let mut length = None;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok();
        }
    }
    match length {
        Some(length) => Ok((status, length)),
        None if status == 204 => Ok((status, 0)),
        None => Err(wrong("the answer does not say how long it is")),
    }
}

fn wrong(message: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for url in ["http://127.0.0.1:7437", "http://localhost:1/", " http://[::1]:7437 "] {
            assert!(Target::parse(url).is_some(), "{url}");
        }
        for url in [
            "",
            "127.0.0.1:7437",
            "https://x:1",
            "http://x",
            "http://:1",
            "http://x:y",
            "http://x:1/v1",
            "http://a@x:1",
            "http://x:99999",
            "http://x:1\r\nhost: y:1",
        ] {
            assert!(Target::parse(url).is_none(), "{url}");
        }
    }

    #[test]
    fn heads() {
        assert_eq!(head(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n").unwrap(), (200, 12));
        assert_eq!(head(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap(), (204, 0));
        for bad in ["", "SSH-2.0\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"] {
            assert!(head(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
