//! Who comes in, and what they are told who do not.

use hobgoblin_server::{MySqlConfig, MySqlVersion, ServerError};
use hobgoblin_wire::mysql::{Capabilities, Method};

use crate::packet::{login, packet};
use crate::support::{Answer, BASE, Raw, addr, failed, mysql, serve};

fn denied(user: &str, with: &str) -> Answer {
    Answer::Error {
        number: 1045,
        state: "28000".to_owned(),
        words: format!("Access denied for user '{user}'@'localhost' (using password: {with})"),
    }
}

#[test]
fn anybody_comes_in_where_there_is_no_password() {
    let server = serve(mysql());
    for (user, password) in [("hob", ""), ("root", "x"), ("", ""), ("ünknown", "p")] {
        let mut raw = Raw::silent(addr(&server));
        let answer = raw.log_in(BASE, user, password);
        assert!(matches!(answer, Answer::Ok { status: 2, .. }), "{user}: {answer:?}");
        assert_eq!(raw.texts("SELECT 1"), [["1"]]);
    }
}

#[test]
fn a_password_is_asked_of_everybody() {
    let password = Some("secret word".to_owned());
    for version in MySqlVersion::ALL {
        let server = serve(MySqlConfig { password: password.clone(), version, ..mysql() });
        for (user, given, expected) in [
            ("hob", "secret word", None),
            ("other", "secret word", None),
            ("hob", "wrong", Some(denied("hob", "YES"))),
            ("hob", "", Some(denied("hob", "NO"))),
        ] {
            let mut raw = Raw::silent(addr(&server));
            let answer = raw.log_in(BASE, user, given);
            match expected {
                None => assert_eq!(raw.texts("SELECT 1"), [["1"]]),
                Some(expected) => {
                    assert_eq!(answer, expected);
                    assert!(raw.until_end().is_empty());
                }
            }
        }
    }
}

/// A client that proposes a method nobody knows is asked to use another one; an old one that names none has its method.
#[test]
fn methods_are_agreed_on() {
    let password = Some("secret word".to_owned());
    let server = serve(MySqlConfig { password, ..mysql() });
    let mut raw = Raw::silent(addr(&server));
    let scramble = raw.greeted();
    let mut hello = login(&scramble, BASE, "hob", "secret word", "test");
    hello.truncate(hello.len() - "mysql_native_password\0".len());
    hello.extend(b"dialog\0");
    raw.send(&packet(1, &hello));
    let asked = raw.next().expect("another method").payload;
    assert_eq!(&asked[..23], b"\xfemysql_native_password\0");
    raw.send(&packet(3, &Method::Native.answer(b"secret word", &scramble)));
    assert!(matches!(raw.answer(), Answer::Ok { .. }));
    // Without PLUGIN_AUTH.
    let old = BASE.without(Capabilities::PLUGIN_AUTH);
    let mut raw = Raw::silent(addr(&server));
    assert!(matches!(raw.log_in(old, "hob", "secret word"), Answer::Ok { .. }));
    assert_eq!(raw.texts("SELECT 'a'"), [["a"]]);
    let mut raw = Raw::silent(addr(&server));
    assert_eq!(raw.log_in(old, "hob", "wrong"), denied("hob", "YES"));
}

#[test]
fn connections_have_the_numbers_that_they_were_greeted_with() {
    let server = serve(mysql());
    for _ in 0..3 {
        let mut raw = Raw::open(addr(&server));
        let number = raw.connection.to_string();
        assert_eq!(raw.texts("SELECT CONNECTION_ID()"), [[number]]);
    }
}

/// The database that a client names is there, since it named it; USE makes none.
#[test]
fn a_database_that_is_named_at_login_is_there() {
    let server = serve(mysql());
    let mut raw = Raw::silent(addr(&server));
    let scramble = raw.greeted();
    raw.send(&packet(1, &login(&scramble, BASE, "hob", "", "app")));
    assert!(matches!(raw.answer(), Answer::Ok { .. }));
    assert_eq!(raw.texts("SELECT DATABASE()"), [["app"]]);
    assert_eq!(raw.command(2, b"nowhere").error(), 1049);
    raw.run("CREATE DATABASE other");
    assert!(matches!(raw.command(2, b"other"), Answer::Ok { .. }));
    assert_eq!(raw.texts("SELECT DATABASE()"), [["other"]]);
}

#[test]
fn what_is_no_login_is_a_bad_handshake() {
    let server = serve(mysql());
    for hello in [&b""[..], b"x", &[0; 40], b"\x05\xa6\x0f\0\0\0\0\x01\x2d", &[0xff; 36]] {
        let mut raw = Raw::silent(addr(&server));
        raw.greeted();
        raw.send(&packet(1, hello));
        let packets = raw.until_end();
        assert_eq!(packets.len(), 1, "{hello:?}: {packets:?}");
        let told = failed(&packets[0].payload);
        assert_eq!((told.error(), packets[0].number), (1043, 2), "{hello:?}: {told:?}");
    }
    // One that asks for TLS where there is none.
    let mut raw = Raw::silent(addr(&server));
    let scramble = raw.greeted();
    let hello = login(&scramble, BASE.with(Capabilities::SSL), "hob", "", "");
    raw.send(&packet(1, &hello[..32]));
    assert_eq!(failed(&raw.until_end()[0].payload).error(), 1043);
}

#[test]
fn others_may_not_come_without_a_password() {
    let refused = |config: MySqlConfig| {
        let config = hobgoblin_server::ServerConfig {
            http: false,
            mysql: Some(config),
            ..hobgoblin_server::ServerConfig::default()
        };
        hobgoblin_server::Server::start(config).expect_err("it is refused")
    };
    let everywhere = ([0, 0, 0, 0], 0).into();
    let error = refused(MySqlConfig { addr: everywhere, ..mysql() });
    assert!(matches!(error, ServerError::PasswordNeeded { .. }), "{error}");
    let error = refused(MySqlConfig { password: Some(String::new()), ..mysql() });
    assert!(matches!(error, ServerError::EmptyPassword), "{error}");
}

#[test]
fn there_are_as_many_sessions_as_there_may_be() {
    let server = serve(MySqlConfig { max_connections: 2, ..mysql() });
    let clients: Vec<Raw> = (0..2).map(|_| Raw::open(addr(&server))).collect();
    let answer = Raw::silent(addr(&server)).log_in(BASE, "hob", "");
    let full = Answer::Error {
        number: 1040,
        state: "08004".to_owned(),
        words: "Too many connections".to_owned(),
    };
    assert_eq!(answer, full);
    drop(clients);
}
