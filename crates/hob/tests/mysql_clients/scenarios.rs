//! The recorded scripts through the protocol: PyMySQL plays them, with two or three connections, and is answered as the server
//! was that a version names: rows, counts, insert ids, warnings, errors with their words, and who waits until when.

use std::process::Command;

use crate::serving::Serving;
use crate::support::{python_with, root, skip};
use crate::{arguments, output, serve};

/// The servers whose answers were recorded, and the versions that stand for them.
const SERVERS: [(&str, &str); 3] = [
    ("mariadb-10.11.19", "mariadb-10.11"),
    ("mariadb-11.8.6", "mariadb-11.8"),
    ("mysql-9.7.4", "mysql-9.7"),
];

/// How many servers share the scripts: most of the time is spent in waiting.
const PORTS: usize = 4;

#[test]
fn scenarios_are_answered_as_recorded() {
    let Some(python) = python_with("pymysql") else { return skip("pymysql") };
    let corpus = root().join("corpus/mysql");
    let file = corpus.join("exceptions.tsv");
    let exceptions = std::fs::read_to_string(file).expect("the corpus has the exceptions");
    let except = |scenario: &str, server: &str, level: &str| {
        exceptions.lines().any(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            columns[..2] == [scenario, server] && columns[2].split("; ").any(|one| one == level)
        })
    };
    let every = if std::env::var_os("HOB_FULL").is_some() { "1" } else { "8" };
    let mut unexpected = Vec::new();
    for (server, version) in SERVERS {
        let ours: Vec<Serving> = (0..PORTS).map(|_| serve(&["--mysql-version", version])).collect();
        let mut command = Command::new(&python);
        command.arg("scenarios.py");
        arguments(&mut command, ours[0].port());
        command.arg(corpus.join("scenarios.json")).args([server, every]);
        command.args(ours.iter().map(|server| server.port().to_string()));
        let told = output(command);
        let outcomes = told.lines().last().unwrap_or_default();
        assert!(outcomes.contains(&format!(" outcomes of {server}, ")), "{told}");
        // A difference is a line that says where, and then lines further in.
        for difference in told.split("differs: ").skip(1) {
            let place = difference.lines().next().unwrap_or_default();
            let mut parts = place.splitn(3, ", ");
            let [scenario, server, level] = [(); 3].map(|()| parts.next().unwrap_or_default());
            if !except(scenario, server, level) {
                unexpected.push(difference.to_owned());
            }
        }
    }
    assert!(unexpected.is_empty(), "{} differ\n{}", unexpected.len(), unexpected.join("\n"));
}
