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
//! | `control.rs` | IF, IFNULL, NVL, COALESCE, NULLIF, GREATEST, LEAST, INTERVAL, ISNULL, XOR, `!` |

mod arithmetic;
mod compare;
mod control;
mod entry;
mod patterns;
mod resolve;

pub use resolve::{condition, function, has_function, is_aggregate, operator};
