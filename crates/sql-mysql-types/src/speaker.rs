//! Whose words an error is told in.

use crate::settings::Version;

/// Who is spoken to, and where.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    /// Which server it is.
    pub version: Version,
    /// The database in use, which is said with the names of tables.
    pub database: &'a str,
}
