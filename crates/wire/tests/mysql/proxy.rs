//! Stands between a client and a server, hands on what they say, and writes it down.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use hobgoblin_wire::mysql::Capabilities;

use crate::recording::{Connection, Side};

/// A proxy of a server on this machine.
pub(crate) struct Proxy {
    pub port: u16,
    connections: Arc<Mutex<Vec<Arc<Mutex<Connection>>>>>,
}

impl Proxy {
    pub(crate) fn start(server: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let port = listener.local_addr().expect("it has one").port();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&connections);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server =
                    TcpStream::connect(("127.0.0.1", server)).expect("the server is there");
                client.set_nodelay(true).and(server.set_nodelay(true)).expect("they are sockets");
                let connection = Arc::new(Mutex::new(Connection::default()));
                all.lock().unwrap().push(Arc::clone(&connection));
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let taken = Arc::clone(&connection);
                std::thread::spawn(move || hand_on(from, to, Side::Client, &taken));
                std::thread::spawn(move || hand_on(server, client, Side::Server, &connection));
            }
        });
        Proxy { port, connections }
    }

    /// What was said until now.
    pub(crate) fn connections(&self) -> Vec<Connection> {
        let all = self.connections.lock().unwrap();
        all.iter().map(|connection| connection.lock().unwrap().clone()).collect()
    }
}

fn hand_on(mut from: TcpStream, mut to: TcpStream, side: Side, taken: &Mutex<Connection>) {
    let mut first = true;
    while let Some(mut packet) = packet(&mut from) {
        if side == Side::Server && first {
            withdraw(&mut packet);
        }
        first = false;
        // Written down before it is heard, so that the answer comes after it.
        taken.lock().unwrap().packets.push((side, packet.clone()));
        if to.write_all(&packet).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

fn packet(from: &mut TcpStream) -> Option<Vec<u8>> {
    let mut packet = vec![0; 4];
    from.read_exact(&mut packet).ok()?;
    let length =
        usize::from(packet[0]) | usize::from(packet[1]) << 8 | usize::from(packet[2]) << 16;
    packet.resize(4 + length, 0);
    from.read_exact(&mut packet[4..]).ok()?;
    Some(packet)
}

/// Takes from a greeting what is never offered here, so that no client uses it.
fn withdraw(packet: &mut [u8]) {
    if packet[4] != 10 {
        return;
    }
    let version = packet[5..].iter().position(|&byte| byte == 0).expect("a version ends");
    let low = 5 + version + 1 + 4 + 8 + 1;
    let never = Capabilities::COMPRESS
        .with(Capabilities::LOCAL_FILES)
        .with(Capabilities::MARIADB_PROGRESS)
        .with(Capabilities::MARIADB_BULK_OPERATIONS)
        .with(Capabilities::MARIADB_CACHE_METADATA)
        .bits()
        .to_le_bytes();
    for (place, &bits) in [low, low + 1, low + 5, low + 6].iter().zip(&never[..4]) {
        packet[*place] &= !bits;
    }
    for (place, &bits) in (low + 14..).zip(&never[4..]) {
        packet[place] &= !bits;
    }
}
