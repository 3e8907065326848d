//! Functions that not every server has.

use hobgoblin_sql_mysql_types::Version;

/// Those of MariaDB that MySQL does not have, in order.
const OF_MARIADB: &[&str] = &[
    "add_months",
    "chr",
    "crc32c",
    "json_compact",
    "json_detailed",
    "json_equals",
    "json_exists",
    "json_loose",
    "json_normalize",
    "json_query",
    "natural_sort_key",
    "nvl",
    "nvl2",
    "sformat",
    "sys_guid",
    "to_char",
];

/// Whether a server may have a function of a name, which is in small letters.
pub fn is_of_version(name: &str, version: Version) -> bool {
    !version.is_mysql() || OF_MARIADB.binary_search(&name).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(OF_MARIADB.is_sorted());
        assert!(is_of_version("to_char", Version::MariaDb10_11));
        assert!(!is_of_version("to_char", Version::MySql9_7));
        assert!(is_of_version("json_pretty", Version::MySql9_7));
    }
}
