//! The packets of clients that speak in bytes: how they are framed, and the first ones of a connection.

use std::io::Read;

use hobgoblin_wire::mysql::{Capabilities, Method, Scramble};

/// What all logins of these clients can do.
pub(crate) const BASE: Capabilities = Capabilities::MYSQL
    .with(Capabilities::PROTOCOL_41)
    .with(Capabilities::SECURE_CONNECTION)
    .with(Capabilities::TRANSACTIONS)
    .with(Capabilities::MULTI_RESULTS)
    .with(Capabilities::PS_MULTI_RESULTS)
    .with(Capabilities::CONNECT_WITH_DB);

/// A packet with its header.
pub(crate) fn packet(number: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
    bytes[3] = number;
    bytes.extend_from_slice(payload);
    bytes
}

/// The number and payload of the next packet; `None` if the server has hung up.
pub(crate) fn read(stream: &mut impl Read) -> Option<(u8, Vec<u8>)> {
    let mut header = [0; 4];
    stream.read_exact(&mut header).ok()?;
    let length = u32::from_le_bytes([header[0], header[1], header[2], 0]);
    let mut payload = vec![0; length as usize];
    stream.read_exact(&mut payload).ok()?;
    Some((header[3], payload))
}

/// The number of the connection and the scramble in the greeting of a server.
pub(crate) fn greeting(payload: &[u8]) -> (u32, Scramble) {
    let version = payload.iter().position(|&byte| byte == 0).expect("a version ends");
    let (number, rest) = payload[version + 1..].split_at(4);
    let scramble = [&rest[..8], &rest[27..39]].concat();
    let random: Vec<u8> = scramble.iter().map(|byte| byte - b'!').collect();
    let scramble = Scramble::from_random(random.try_into().expect("they are twenty"));
    (u32::from_le_bytes(number.try_into().expect("they are four")), scramble)
}

/// The payload of a login with a password.
pub(crate) fn login(
    scramble: &Scramble,
    capabilities: Capabilities,
    user: &str,
    password: &str,
    database: &str,
) -> Vec<u8> {
    let bits = capabilities.bits();
    let mut login = (bits as u32).to_le_bytes().to_vec();
    login.extend((1u32 << 24).to_le_bytes());
    login.push(45);
    login.extend([0; 19]);
    login.extend(((bits >> 32) as u32).to_le_bytes());
    login.extend(user.as_bytes());
    login.push(0);
    let answer = Method::Native.answer(password.as_bytes(), scramble);
    login.push(answer.len() as u8);
    login.extend(answer);
    if capabilities.contains(Capabilities::CONNECT_WITH_DB) {
        login.extend(database.as_bytes());
        login.push(0);
    }
    if capabilities.contains(Capabilities::PLUGIN_AUTH) {
        login.extend(b"mysql_native_password\0");
    }
    if capabilities.contains(Capabilities::CONNECT_ATTRS) {
        login.extend(b"\x0b\x04name\x05value");
    }
    login
}
