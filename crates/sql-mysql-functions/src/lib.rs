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
//! | `math.rs` | ABS, ROUND, TRUNCATE, FLOOR, CEIL, POW, SQRT, LOG, RAND, CRC32, CONV, … |
//! | `dates/` | NOW, CURDATE, …; YEAR, WEEK, EXTRACT, …; intervals, DATEDIFF, TIMESTAMPDIFF; DATE_FORMAT, STR_TO_DATE |
//! | `json/` | JSON_EXTRACT, JSON_UNQUOTE, JSON_VALUE, JSON_OBJECT, JSON_ARRAY, JSON_SET, JSON_CONTAINS, … |
//! | `session.rs` | VERSION, DATABASE, USER, CONNECTION_ID, LAST_INSERT_ID, ROW_COUNT, FOUND_ROWS, UUID, SLEEP, GET_LOCK |
//! | `aggregates.rs` | COUNT, SUM, AVG, MIN, MAX, STD, VARIANCE, BIT_AND, GROUP_CONCAT, JSON_ARRAYAGG, …; ROW_NUMBER, LAG, … |
//! | `control.rs` | IF, IFNULL, NVL, COALESCE, NULLIF, GREATEST, LEAST, INTERVAL, ISNULL, XOR, `!` |

mod aggregates;
mod arithmetic;
mod compare;
mod control;
mod dates;
mod encode;
mod entry;
mod json;
mod math;
mod patterns;
mod resolve;
mod session;
mod strings;

pub use dates::interval_function;
pub use resolve::{condition, function, has_function, is_aggregate, operator, refined};
