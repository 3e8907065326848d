//! Prints how many events per second each level's generator makes.
//!
//! ```text
//! cargo run --release -p hobgoblin-gen --example generate
//! ```

use std::time::Instant;

use hobgoblin_core::Level;
use hobgoblin_gen::{Distribution, Generator, Params, build};

fn main() -> Result<(), hobgoblin_gen::GenError> {
    for level in Level::ALL {
        for distribution in [Distribution::Uniform, Distribution::Zipf(0.99)] {
            let params = Params {
                sessions: 50,
                transactions: 200_000,
                keys: 10_000,
                level,
                distribution,
                ..Params::default()
            };
            let start = Instant::now();
            let mut generator = Generator::new(&params)?;
            let mut events = 0;
            while let Some(txn) = generator.next_txn() {
                events += txn.ops.len();
            }
            let streamed = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let built = build(&params)?.num_events();
            let whole = start.elapsed().as_secs_f64();
            eprintln!(
                "{level:4} {distribution:?}: {:.1} M events/s streamed, {:.1} M events/s built",
                events as f64 / streamed / 1e6,
                built as f64 / whole / 1e6,
            );
        }
    }
    Ok(())
}
