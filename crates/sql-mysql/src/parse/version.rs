//! What of the language depends on which server is claimed to answer.

use hobgoblin_sql_mysql_types::Version;

/// Its number as comments name it: `/*!80021 … */`.
fn number(version: Version) -> u32 {
    match version {
        Version::MariaDb10_11 => 101_119,
        Version::MariaDb11_8 => 110_806,
        Version::MySql9_7 => 90_704,
    }
}

/// Whether the text of a comment for a version is a part of the statement.
///
/// MariaDB passes over those for 5.7 to 9.99.99, which are of MySQL after the two parted; in its own form,
/// `/*M!`, it does not.
pub(super) fn runs(version: Version, of: u32, own: bool) -> bool {
    let foreign = !version.is_mysql() && !own && (50_700..=99_999).contains(&of);
    of <= number(version) && !foreign
}
