//! Schemas of applications come in by `mariadb` and go out by `mariadb-dump`, as they do at MariaDB.
//!
//! scripts/mysql-schemas.sh takes them from Debian's packages into target/mysql-schemas.

use std::path::{Path, PathBuf};

use crate::mariadb;
use crate::support::{in_path, root, skip};
use crate::{mariadb_client, output, serve};

const SCHEMAS: [&str; 6] = [
    "wordpress",
    "mediawiki-generated",
    "zabbix",
    "cacti",
    "roundcube",
    "tt-rss-ttrss_schema_mysql",
];

struct Programs {
    client: PathBuf,
    dump: PathBuf,
}

impl Programs {
    fn query(&self, port: u16, database: &str, statements: &str) -> String {
        let mut command = mariadb_client(&self.client, port);
        command.args(["-N", "-e", statements, database]);
        output(command)
    }

    fn load(&self, port: u16, database: &str, file: &Path) {
        self.query(port, "shop", &format!("CREATE DATABASE `{database}`"));
        self.query(port, database, &format!("source {}", file.display()));
    }

    /// What mariadb-dump says of a database, but for what names the server and the time.
    fn dump(&self, port: u16, database: &str) -> String {
        let mut command = mariadb_client(&self.dump, port);
        command.args(["--skip-comments", "--skip-extended-insert", database]);
        output(command)
    }
}

fn assert_same(heard: &str, expected: &str, what: &str) {
    for (number, (heard, expected)) in heard.lines().zip(expected.lines()).enumerate() {
        assert_eq!(heard, expected, "{what}, line {}", number + 1);
    }
    assert_eq!(heard.lines().count(), expected.lines().count(), "{what}");
}

#[test]
fn schemas_come_in_and_go_out() {
    let (Some(client), Some(dump)) = (in_path("mariadb"), in_path("mariadb-dump")) else {
        return skip("mariadb or mariadb-dump");
    };
    let folder = root().join("target/mysql-schemas");
    if !folder.exists() {
        return skip("the schemas of Debian's packages (scripts/mysql-schemas.sh)");
    }
    let programs = Programs { client, dump };
    let Some(real) = mariadb::start() else { return };
    let ours = serve(&[]);
    let dumped = std::env::temp_dir().join(format!("hob-mysql-schema-{}.sql", std::process::id()));
    for name in SCHEMAS {
        let file = folder.join(format!("{name}.sql"));
        for port in [ours.port(), real.port] {
            programs.load(port, name, &file);
        }
        let heard = programs.dump(ours.port(), name);
        assert_same(&heard, &programs.dump(real.port, name), name);
        std::fs::write(&dumped, &heard).expect("it is written");
        for port in [ours.port(), real.port] {
            let again = format!("{name} again");
            programs.load(port, &again, &dumped);
            assert_same(&programs.dump(port, &again), &heard, &again);
        }
    }
    let _ = std::fs::remove_file(dumped);
}
