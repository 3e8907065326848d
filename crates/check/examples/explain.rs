//! Explains the weakest violation of each history file given.
//!
//!     cargo run -p hobgoblin-check --example explain -- corpus/litmus/lost-update.txn

#![allow(clippy::print_stdout, reason = "an example prints")]

use hobgoblin_check::{Limits, check_levels, explain};
use hobgoblin_core::{Level, Verdict};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let history = hobgoblin_format::read_path(&file, None)?;
        let answers = check_levels(&history, &Level::ALL, &Limits::none(), |_| ());
        let violation = answers.iter().find_map(|answer| match &answer.verdict {
            Verdict::Violation(witness) => Some(witness),
            _ => None,
        });
        match violation {
            Some(witness) => println!("{file}: {}", explain::text(&history, witness)),
            None => println!("{file}: every level holds\n"),
        }
    }
    Ok(())
}
