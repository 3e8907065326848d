//! Bytes that nobody should send, to MariaDB and to the codec: both say the same and hang up.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use hobgoblin_wire::mysql::{Capabilities, Scramble, Version};

use crate::canned;
use crate::mariadb::MariaDb;
use crate::packet::{BASE, packet};
use crate::raw::Raw;

/// When the bytes are sent.
enum When {
    /// In place of a login. They may be made of one.
    First(fn(&Scramble) -> Vec<u8>),
    /// In place of a command.
    Later(fn() -> Vec<u8>),
}

/// A login with other capabilities, or cut off.
fn login(scramble: &Scramble, capabilities: Capabilities, length: usize) -> Vec<u8> {
    let payload = Raw::login(scramble, capabilities);
    packet(1, &payload[..payload.len().min(length)])
}

/// A command of so many bytes, in packets.
fn long(length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let payload = vec![3; length];
    for (number, part) in (0..).zip(payload.chunks(0xff_ffff)) {
        bytes.extend(packet(number, part));
    }
    bytes
}

/// What is sent, and what is heard before the server hangs up: the error's number in hexadecimal, or nothing.
const CASES: [(&str, When, &str); 22] = [
    ("another protocol", When::First(|_| b"GET / HTTP/1.1\r\n\r\n".to_vec()), "1 ff8404"),
    ("every byte", When::First(|_| (0..=255).collect()), "1 ff8404"),
    ("nothing", When::First(|_| packet(1, b"")), "2 ff1304"),
    ("few bytes", When::First(|_| packet(1, b"\x05\x82\0\0abc")), "2 ff1304"),
    ("a number too low", When::First(|s| packet(0, &Raw::login(s, BASE))), "1 ff8404"),
    ("a number too high", When::First(|s| packet(2, &Raw::login(s, BASE))), "1 ff8404"),
    ("31 bytes of a login", When::First(|s| login(s, BASE, 31)), "2 ff1304"),
    ("32 bytes of a login", When::First(|s| login(s, BASE, 32)), "2 ff1304"),
    (
        "TLS that was not offered",
        When::First(|s| login(s, BASE.with(Capabilities::SSL), 32)),
        "2 ff1304",
    ),
    ("half a user", When::First(|s| login(s, BASE, 34)), "2 ff1304"),
    ("half an answer", When::First(|s| login(s, BASE, 45)), "2 ff1304"),
    (
        "an answer longer than any",
        When::First(|_| {
            let bits = BASE.with(Capabilities::PLUGIN_AUTH_LENENC_DATA).bits() as u32;
            let filler = [0; 28];
            packet(
                1,
                &[&bits.to_le_bytes(), &filler[..], b"hob\0\xfe\xff\xff\xff\xff\xff\xff\xff\xff"]
                    .concat(),
            )
        }),
        "2 ff1304",
    ),
    (
        "attributes longer than the packet",
        When::First(|s| {
            let both = BASE.with(Capabilities::PLUGIN_AUTH).with(Capabilities::CONNECT_ATTRS);
            login(s, both, Raw::login(s, both).len() - 1)
        }),
        "2 ff1304",
    ),
    (
        "attributes that do not come",
        When::First(|s| {
            let both = BASE.with(Capabilities::PLUGIN_AUTH).with(Capabilities::CONNECT_ATTRS);
            login(s, both, Raw::login(s, both).len() - 12)
        }),
        "2 ff1304",
    ),
    ("half a login", When::First(|s| login(s, BASE, 99)[..20].to_vec()), ""),
    ("half a header", When::First(|_| vec![5, 0]), ""),
    ("a command with number 1", When::Later(|| packet(1, b"\x0e")), "0 ff8404"),
    ("a command with number 255", When::Later(|| packet(255, b"\x0e")), "0 ff8404"),
    ("half a command", When::Later(|| b"\x05\0\0\0\x03SE".to_vec()), ""),
    ("half a header of a command", When::Later(|| b"\x05\0".to_vec()), ""),
    (
        "a second packet with a wrong number",
        When::Later(|| [&long(0xff_ffff)[..], b"\x01\0\0\x05x"].concat()),
        "1 ff8404",
    ),
    ("a command longer than max_allowed_packet", When::Later(|| long(68 << 20)), "5 ff8104"),
];

pub(crate) fn compare(real: Option<&MariaDb>) {
    for (name, when, expected) in CASES {
        let ours = canned::start(vec![None], Version::Mariadb1011, true);
        let heard = hear(ours, &when);
        let code = heard.first().map_or(String::new(), |(number, payload)| {
            let hexadecimal = payload[..3].iter().map(|byte| format!("{byte:02x}"));
            format!("{number} {}", hexadecimal.collect::<String>())
        });
        assert_eq!(code, expected, "{name}");
        assert!(heard.len() <= 1, "{name}: {heard:02x?}");
        if let Some(real) = real {
            assert_eq!(heard, hear(real.port, &when), "{name}");
        }
    }
}

/// Sends the bytes, and reads until the server hangs up.
fn hear(port: u16, when: &When) -> Vec<(u8, Vec<u8>)> {
    let (mut raw, bytes) = match when {
        When::First(bytes) => {
            let (raw, scramble) = Raw::connect(port);
            (raw, bytes(&scramble))
        }
        When::Later(bytes) => (Raw::enter(port, BASE), bytes()),
    };
    raw.stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it is a socket");
    // The server may hang up while it is still being talked to, which would lose its last words. So they are read meanwhile.
    let mut writer = raw.stream.try_clone().expect("it is a socket");
    let sends = std::thread::spawn(move || {
        let sent = writer.write_all(&bytes);
        let _ = writer.shutdown(Shutdown::Write);
        sent.is_ok()
    });
    let mut all = Vec::new();
    while let Some(packet) = raw.read() {
        all.push(packet);
    }
    assert!(has_hung_up(&mut raw.stream), "the server waits");
    let _ = sends.join();
    all
}

/// Whether the other end is gone, in whatever way it went.
fn has_hung_up(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => {
            !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
        }
    }
}
