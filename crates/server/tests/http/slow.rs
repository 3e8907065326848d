//! Clients that take their time, or have nothing to say.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hobgoblin_server::{Server, ServerConfig};

use crate::support::Raw;

fn serve(request_timeout: Duration) -> Server {
    Server::start(ServerConfig { request_timeout, ..ServerConfig::default() }).expect("a free port")
}

/// Whether the server has closed a connection, which is found out within a time.
fn is_closed(socket: &mut TcpStream, within: Duration) -> bool {
    socket.set_read_timeout(Some(within)).expect("a socket has options");
    let mut chunk = [0; 1024];
    loop {
        match socket.read(&mut chunk) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}

#[test]
fn a_request_has_to_be_whole_in_time() {
    let server = serve(Duration::from_millis(500));
    let connect = || TcpStream::connect(server.addr()).expect("it listens");
    let head = b"POST /v1/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{";
    let (mut silent, mut half, mut dribbles) = (connect(), connect(), connect());
    half.write_all(head).expect("it reads");
    let start = Instant::now();
    // A byte now and then buys no time.
    let ended = head.iter().find(|&&byte| {
        std::thread::sleep(Duration::from_millis(50));
        dribbles.write_all(&[byte]).is_err()
    });
    assert!(ended.is_some() && start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    for socket in [&mut silent, &mut half, &mut dribbles] {
        assert!(is_closed(socket, Duration::from_secs(3)));
    }
}

#[test]
fn who_has_asked_may_wait_before_it_asks_again_and_answers_may_take_long() {
    let server = serve(Duration::from_millis(300));
    let mut raw = Raw::new(&server);
    for _ in 0..3 {
        assert_eq!(raw.ask("GET", "/v1/seed", "").0, 200);
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn thousands_who_say_nothing_keep_nobody_out() {
    let server = serve(Duration::from_secs(60));
    let silent: Vec<TcpStream> =
        (0..5_000).map_while(|_| TcpStream::connect(server.addr()).ok()).collect();
    assert!(silent.len() > 1_000, "only {} sockets", silent.len());
    let start = Instant::now();
    for _ in 0..20 {
        assert_eq!(Raw::new(&server).ask("GET", "/v1/seed", "").0, 200);
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
