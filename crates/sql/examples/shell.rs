//! Runs SQL from standard input in one session and prints what it gives: `cargo run --example shell`.
//!
//! Statements end with a semicolon at the end of a line.

use std::io::Read;

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::session::{Outcome, Startup};
use hobgoblin_sql::types::text;

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let profile = match std::env::args().nth(1).as_deref() {
        Some("postgres") => Profile::Postgres,
        _ => Profile::Spec,
    };
    let config = Config::default().level(Level::SER).profile(profile);
    let database = hobgoblin_sql::open(Store::new(config)?, None);
    let mut session = database.connect(Startup::default())?;
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    for part in input.split_inclusive(";\n") {
        let statements = match session.statements(part) {
            Ok(statements) => statements,
            Err(error) => {
                println!("ERROR {error}");
                continue;
            }
        };
        for statement in statements {
            match session.simple(&statement) {
                Ok((columns, Outcome::Rows { rows, complete })) => {
                    let columns = columns.unwrap_or_default();
                    let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
                    println!("{}", names.join(" | "));
                    for row in rows {
                        let cells: Vec<String> = row
                            .iter()
                            .zip(&columns)
                            .map(|(datum, c)| match datum.is_null() {
                                true => "∅".to_owned(),
                                false => text::print(datum, c.ty, c.typmod, &session.types()),
                            })
                            .collect();
                        println!("  {}", cells.join(" | "));
                    }
                    println!("{}", complete.map_or_else(String::new, |done| done.to_string()));
                }
                Ok((_, Outcome::Done(tag))) => println!("{tag}"),
                Ok((_, other)) => println!("{other:?}"),
                Err(error) => {
                    println!("ERROR {error} {:?}", error.more);
                    session.fail();
                }
            }
            for notice in session.take_notices() {
                println!("NOTICE {}", notice.message());
            }
        }
        session.sync().unwrap_or_else(|error| println!("ERROR at the end: {error}"));
    }
    Ok(())
}
