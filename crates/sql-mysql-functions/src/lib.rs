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
//! | `control.rs` | IF, IFNULL, NVL, COALESCE, NULLIF, GREATEST, LEAST, INTERVAL, ISNULL, XOR, `!` |

mod arithmetic;
mod compare;
mod control;
mod dates;
mod encode;
mod entry;
mod math;
mod patterns;
mod resolve;
mod strings;

pub use dates::interval_function;
pub use resolve::{condition, function, has_function, is_aggregate, operator, refined};
