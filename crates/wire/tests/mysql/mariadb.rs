//! A MariaDB with a user `hob` whose password is `secret word`, and a database `shop`.

#[path = "../../../../tests/servers/mariadb.rs"]
mod server;

pub(crate) use server::MariaDb;

/// The user that programs log in as.
pub(crate) const USER: &str = "hob";
/// The user's password.
pub(crate) const PASSWORD: &str = "secret word";

const SETUP: &str = "CREATE USER hob@'127.0.0.1' IDENTIFIED VIA mysql_native_password USING PASSWORD('secret word');\n\
                     GRANT ALL ON *.* TO hob@'127.0.0.1';\n\
                     CREATE DATABASE shop CHARACTER SET utf8mb4;\n";

/// Starts it, where MariaDB is installed.
pub(crate) fn start() -> Option<MariaDb> {
    MariaDb::start(
        &["--innodb-log-file-size=64M", "--max-allowed-packet=64M", "--skip-name-resolve"],
        SETUP,
    )
}
