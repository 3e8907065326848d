//! Which server is claimed to answer, and what of the language depends on that.

/// A server whose language is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// MariaDB 10.11.
    #[default]
    MariaDb10_11,
    /// MariaDB 11.8.
    MariaDb11_8,
    /// MySQL 9.7.
    MySql9_7,
}

impl Version {
    /// Whether it is MariaDB.
    pub fn is_mariadb(self) -> bool {
        match self {
            Version::MariaDb10_11 | Version::MariaDb11_8 => true,
            Version::MySql9_7 => false,
        }
    }

    /// What the server calls itself in its messages.
    pub fn server(self) -> &'static str {
        match self.is_mariadb() {
            true => "MariaDB",
            false => "MySQL",
        }
    }

    /// Its number as comments name it: `/*!80021 … */`.
    fn number(self) -> u32 {
        match self {
            Version::MariaDb10_11 => 101_119,
            Version::MariaDb11_8 => 110_806,
            Version::MySql9_7 => 90_704,
        }
    }

    /// Whether the text of a comment for a version is a part of the statement.
    ///
    /// MariaDB passes over those for 5.7 to 9.99.99, which are of MySQL after the two parted; in its own form,
    /// `/*M!`, it does not.
    pub(super) fn runs(self, number: u32, own: bool) -> bool {
        let foreign = self.is_mariadb() && !own && (50_700..=99_999).contains(&number);
        number <= self.number() && !foreign
    }
}
