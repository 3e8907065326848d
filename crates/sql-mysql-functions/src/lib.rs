//! The functions, operators and aggregates of MySQL and MariaDB.
//!
//! Each is one row of a static table, by kind: its name, how many arguments it takes, what type it gives for theirs, and the Rust
//! function that does it. [`function`] and [`operator`] find them; `impl Dialect` calls those.
//!
//! | file | what |
//! | --- | --- |
//! | `arithmetic.rs` | `+ - * / DIV % & \| ^ << >> ~`, MOD, BIT_COUNT |
//! | `compare.rs` | `= <> < <= > >= <=>` |
//! | `patterns.rs` | LIKE, REGEXP, REGEXP_INSTR, REGEXP_SUBSTR, REGEXP_REPLACE |
//! | `strings.rs`, `encode.rs` | CONCAT, SUBSTRING, TRIM, LOCATE, FORMAT, …; HEX, UNHEX, MD5, SHA1, SHA2, TO_BASE64 |
//! | `sformat.rs`, `natural.rs` | SFORMAT; NATURAL_SORT_KEY |
//! | `bits.rs`, `network.rs` | MAKE_SET, EXPORT_SET; INET_ATON, INET6_NTOA, IS_IPV4, … |
//! | `math.rs` | ABS, ROUND, TRUNCATE, FLOOR, CEIL, POW, SQRT, LOG, RAND, CRC32, CONV, … |
//! | `dates/` | NOW, CURDATE, …; YEAR, WEEK, EXTRACT, …; intervals, DATEDIFF, TIMESTAMPDIFF; DATE_FORMAT, STR_TO_DATE |
//! | `json/` | JSON_EXTRACT, JSON_UNQUOTE, JSON_VALUE, JSON_OBJECT, JSON_ARRAY, JSON_SET, JSON_CONTAINS, JSON_SEARCH, … |
//! | `session.rs` | VERSION, DATABASE, USER, CONNECTION_ID, LAST_INSERT_ID, ROW_COUNT, FOUND_ROWS, UUID, SLEEP, GET_LOCK |
//! | `aggregates.rs` | COUNT, SUM, AVG, MIN, MAX, STD, VARIANCE, BIT_AND, GROUP_CONCAT, JSON_ARRAYAGG, …; ROW_NUMBER, LAG, … |
//! | `control.rs` | IF, IFNULL, NVL, COALESCE, NULLIF, GREATEST, LEAST, INTERVAL, ISNULL, XOR, `!` |
//!
//! What a binder has to know:
//!
//! - A value becomes a condition by [`condition`]: what is not a truth is compared with zero.
//! - An interval is part of a call: `x + INTERVAL n unit` is the function that [`interval_function`] names, of `x`, `n` and the unit
//!   as a text. EXTRACT and TIMESTAMPDIFF take the unit as a text first.
//! - Constants may decide about a type: [`refined`] says which it is, once a call is found. CASTs have
//!   [`cast_result`](hobgoblin_sql_mysql_types::cast::cast_result) for that.
//! - LIKE is the operator `~~` or the function `like`, which takes the escape third. REGEXP and XOR are operators by these names.
//! - A comparison of texts is one of their keys: `operator` asks for operands of a key's type. Groups, orders and indexes over a
//!   text whose equality is not that of its characters are over `weight(x)`.
//! - GROUP_CONCAT takes its separator as the last argument. `->` is JSON_EXTRACT and `->>` JSON_EXTRACT_UNQUOTED.
//!
//! Not there: spatial functions, XML, encryption but digests, compression, JSON_TABLE, and some more, which are known by name and
//! refused (1235, `missing.rs`); WEIGHT_STRING with its options, and CONVERT to character sets without a collation here.
//! Patterns with what only Perl has (`(?<`, `\\K`, possessive quantifiers) are refused (1235).

mod aggregates;
mod arithmetic;
mod bits;
mod compare;
mod control;
mod dates;
mod encode;
mod entry;
mod json;
mod math;
mod missing;
mod natural;
mod network;
mod patterns;
mod resolve;
mod session;
mod sformat;
mod strings;
mod versions;

pub use dates::interval_function;
pub use resolve::{
    common_type, condition, function, has_function, is_aggregate, operator, refined,
};
pub use versions::is_of_version;
