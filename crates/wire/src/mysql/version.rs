//! Which server is spoken for.

use std::fmt;
use std::str::FromStr;

use super::authentication::Method;
use super::capabilities::Capabilities;

/// A server that is spoken for: its greeting, its capabilities, its ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// MySQL 9.7, the newest of MySQL.
    Mysql97,
    /// MariaDB 10.11, which many distributions have.
    Mariadb1011,
    /// MariaDB 11.8, the newest of MariaDB.
    Mariadb118,
}

impl Version {
    /// All versions that can be spoken for.
    pub const ALL: [Version; 3] = [Version::Mysql97, Version::Mariadb1011, Version::Mariadb118];

    /// The name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Version::Mysql97 => "mysql-9.7",
            Version::Mariadb1011 => "mariadb-10.11",
            Version::Mariadb118 => "mariadb-11.8",
        }
    }

    /// What `SELECT VERSION()` gives.
    pub fn text(self) -> &'static str {
        match self {
            Version::Mysql97 => "9.7.4",
            Version::Mariadb1011 => "10.11.19-MariaDB",
            Version::Mariadb118 => "11.8.6-MariaDB",
        }
    }

    /// What stands before the version in the greeting.
    ///
    /// Replicas of MySQL 5 took a first digit of 1 for MySQL 1, so MariaDB 10 said 5.5.5 first. Clients know this and look
    /// behind it. MariaDB 11 has given it up.
    pub fn prefix(self) -> &'static str {
        match self {
            Version::Mariadb1011 => "5.5.5-",
            Version::Mysql97 | Version::Mariadb118 => "",
        }
    }

    /// Whether it is MariaDB, which has capabilities of its own.
    pub fn is_mariadb(self) -> bool {
        match self {
            Version::Mysql97 => false,
            Version::Mariadb1011 | Version::Mariadb118 => true,
        }
    }

    /// The capabilities that it offers without TLS.
    pub fn capabilities(self) -> Capabilities {
        match self.is_mariadb() {
            true => Capabilities::OF_MARIADB,
            false => Capabilities::OF_MYSQL,
        }
    }

    /// The method by which clients log in unless they ask for another one.
    pub fn method(self) -> Method {
        match self {
            Version::Mysql97 => Method::CachingSha2,
            Version::Mariadb1011 | Version::Mariadb118 => Method::Native,
        }
    }

    /// The number of the collation that the greeting names in its one byte: `utf8mb4_0900_ai_ci`, `latin1_swedish_ci`, and
    /// `utf8mb4_general_ci` in place of 11.8's `utf8mb4_uca1400_ai_ci`, whose number is too large.
    pub fn collation(self) -> u8 {
        match self {
            Version::Mysql97 => 255,
            Version::Mariadb1011 => 8,
            Version::Mariadb118 => 45,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(name: &str) -> Result<Version, UnknownVersion> {
        let found = Version::ALL.into_iter().find(|version| version.name() == name);
        found.ok_or_else(|| UnknownVersion(name.to_owned()))
    }
}

/// The error that no [`Version`] has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVersion(String);

impl fmt::Display for UnknownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Version::ALL.map(Version::name).join(", ");
        write!(f, "there is no version {:?}; there are {known}", self.0)
    }
}

impl std::error::Error for UnknownVersion {}
