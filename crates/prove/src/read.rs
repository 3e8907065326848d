//! Reads a file: text to a [`Program`].
//!
//! ```text
//!     text ─ sections ─┬─ schema ──> tables
//!                      ├─ header ──> parameters          ┐
//!                      ├─ body ────> statements          ├─ a transaction
//!                      │   └─ statement ─ query, change ─┘
//!                      └─ invariant       └─ expression, function ─ types, names
//! ```
//!
//! # What a file looks like
//!
//! PostgreSQL's SQL, with comments that speak to us:
//!
//! ```sql
//! CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK (balance >= 0));
//!
//! -- invariant account: balance < 1000
//! -- invariant for a in account, b in account: a.id = b.id or a.balance <> b.balance
//!
//! -- transaction withdraw(p_id int, p_amount int) requires p_amount > 0
//! SELECT balance INTO bal FROM account WHERE id = p_id;
//! IF bal >= p_amount THEN
//!   UPDATE account SET balance = bal - p_amount WHERE id = p_id;
//! END IF;
//! -- end
//!
//! -- requires p_amount > 0
//! CREATE PROCEDURE deposit(p_id int, p_amount int) LANGUAGE plpgsql AS $$
//! BEGIN
//!   UPDATE account SET balance = balance + p_amount WHERE id = p_id;
//! END $$;
//! ```
//!
//! - A **transaction** is PL/pgSQL without BEGIN and END between `-- transaction` and `-- end`, where variables need no
//!   declaration, or the body of a function or procedure in PL/pgSQL.
//! - **`-- requires condition`** says what is known of parameters: in the header of a transaction or right behind it, right
//!   before a function or in its header.
//! - **`-- invariant table: condition`** holds of every row of a table before anything runs, and **`-- invariant for r in t,
//!   s in u: condition`** of every pair of rows, and so on.
//! - Such a comment goes on in the next, if that has three blanks or more before its first word.
//! - `choose()` is any value; so are `now()`, `random()`, `nextval(…)` and their kin.
//!
//! COMMENT, SET, GRANT, CREATE EXTENSION and DROP … IF EXISTS are skipped. All else is refused, with its place and what to
//! do instead: what is read is what the analysis knows.
//!
//! # What a replay has to know
//!
//! [`Transaction::mentions`](crate::program::Transaction::mentions) has every place where a variable stands in SQL or in an expression, each once, though the tree
//! may have it twice (`BETWEEN`) or at another place. The text of an expression, which its place gives, is what may follow
//! SELECT. Two texts are not quite SQL: that of a PERFORM begins with this word, and a condition made of `CASE x WHEN y`
//! has none, so its place is empty. `INSERT … SELECT` is a [`StatementKind::ForQuery`](crate::program::StatementKind)
//! whose text is all of it; the INSERT inside has none.

mod body;
mod change;
mod error;
mod expression;
mod function;
mod header;
mod invariant;
mod literal;
mod made;
mod names;
mod query;
mod schema;
mod sections;
mod statement;
mod tokens;
mod transaction;
mod types;
mod variables;

pub use error::{Named, Problem, ReadError, line_column};

use self::error::{Fault, Result};
use self::schema::Schema;
use self::sections::{Section, sections};
use self::tokens::Sql;
use crate::program::{Place, Program, Transaction};

/// The longest file that is read, in bytes.
const LONGEST: usize = 16 << 20;

/// Reads a file. The name is for errors only.
pub fn read(file: &str, text: &str) -> std::result::Result<Program, ReadError> {
    program(text).map_err(|Fault { place, problem }| {
        // A place behind the end, or within a character, is of no use to whoever shows the line.
        let inside = |byte: u32| {
            let mut byte = (byte as usize).min(text.len());
            while !text.is_char_boundary(byte) {
                byte -= 1;
            }
            byte as u32
        };
        let place = Place { start: inside(place.start), end: inside(place.end.max(place.start)) };
        ReadError { file: file.to_owned(), place, problem }
    })
}

fn program(text: &str) -> Result<Program> {
    if text.len() > LONGEST {
        let what = "a file has at most 16 MB";
        return Err(Fault::new(Place { start: 0, end: 0 }, Problem::TooLarge { what }));
    }
    let sections = sections(text)?;
    let mut schema = Schema::default();
    for section in &sections {
        if let Section::Statement(place) = section {
            schema.statement(Sql::new(text, &[*place])?)?;
        }
    }
    let tables = schema.tables;
    let mut transactions: Vec<Transaction> = Vec::new();
    let mut invariants = Vec::new();
    for section in &sections {
        match section {
            Section::Statement(_) => {}
            Section::Invariant(pieces) => {
                invariants.push(invariant::read(text, pieces, &tables)?);
            }
            Section::Transaction(written) => {
                let (read, at) = transaction::read(text, written, &tables)?;
                let same = |other: &Transaction| other.name.eq_ignore_ascii_case(&read.name);
                if transactions.iter().any(same) {
                    let problem = Problem::Duplicate { what: "transactions", name: read.name };
                    return Err(Fault::new(at, problem));
                }
                transactions.push(read);
            }
        }
    }
    Ok(Program { text: text.to_owned(), tables, schema: schema.places, transactions, invariants })
}
