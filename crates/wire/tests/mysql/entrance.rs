//! Clients that only come in: with a password and without, under every version, by the method that the greeting names.

use hobgoblin_wire::mysql::Version;

use crate::canned;
use crate::clients::Program;
use crate::mariadb::{PASSWORD, USER};

const CLIENTS: [(&str, Program); 5] = [
    ("pymysql", Program::Python("pymysql")),
    ("connector", Program::Python("mysql.connector")),
    ("aiomysql", Program::Python("aiomysql")),
    ("node", Program::Node("mysql2")),
    ("cli", Program::Cli),
];

const LOGINS: [(&str, &str); 4] = [(USER, PASSWORD), (USER, "wrong"), (USER, ""), ("nobody", "x")];

/// What is heard by a user with that password, of a server that asks for one or does not.
fn expected(user: &str, password: &str, asks: bool) -> String {
    if !asks || (user, password) == (USER, PASSWORD) {
        return "in".to_owned();
    }
    let with = if password.is_empty() { "NO" } else { "YES" };
    format!("1045 Access denied for user '{user}'@'127.0.0.1' (using password: {with})")
}

#[test]
fn clients_come_in() {
    for (name, client) in CLIENTS {
        for (version, asks) in Version::ALL.into_iter().flat_map(|v| [(v, false), (v, true)]) {
            let port = canned::start(Vec::new(), version, asks);
            let Some(heard) = client.enter(port, &LOGINS) else {
                eprintln!("skipped: {name}, which is not installed");
                break;
            };
            let expected = LOGINS.map(|(user, password)| expected(user, password, asks));
            assert_eq!(heard, expected, "{name} at {version}, with a password: {asks}");
        }
    }
}
