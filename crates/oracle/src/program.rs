//! Tiny programs, and all the histories they have.
//!
//! A store is complete when it can show every history of a program that a level allows. To test that, a
//! [`Program`] is small enough to list them all: [`histories`] tries every source for every read, by the
//! letter of the definition. A transaction is a list of operations that may depend on what was read
//! before, so the same program does different things in different histories:
//!
//! ```
//! use hobgoblin_core::Level;
//! use hobgoblin_oracle::program::{Program, histories, satisfies};
//!
//! // Two sessions that each count up: at RC and CC an update may be lost, at SER it may not.
//! let program = Program::parse("r(x) w(x)=last+1 | r(x) w(x)=last+1");
//! let all = histories(&program);
//! let count = |level| all.iter().filter(|run| satisfies(run, level)).count();
//! assert_eq!((all.len(), count(Level::CC), count(Level::SER)), (3, 3, 2));
//! ```
//!
//! Aborted transactions are in the commit order, write nothing, and their reads obey the axioms like
//! anyone's [MODEL, section 1]: [`with_aborted`] says so in a history.

mod aborted;
mod run;

use std::fmt;

use crate::sample::Random;

pub use aborted::with_aborted;
pub use run::{
    From, Run, Step, Trace, histories, histories_within, history, satisfies, satisfies_mix,
};

/// Sessions of transactions of operations. Keys are small numbers and hold 0 first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The operations of each transaction of each session.
    pub sessions: Vec<Vec<Vec<Operation>>>,
}

/// What a transaction does next, if its guard lets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// When it is done; otherwise it is skipped.
    pub guard: Guard,
    /// What is done.
    pub action: Action,
}

/// A condition on the value the transaction read last, 0 before its first read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Whatever was read.
    Always,
    /// The value was even.
    Even,
    /// The value was odd.
    Odd,
}

/// One thing that a transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reads a key.
    Read(usize),
    /// Writes a constant to a key.
    Write(usize, i64),
    /// Writes to a key what was read last, plus one.
    Next(usize),
    /// Aborts the transaction.
    Abort,
}

/// What a transaction asks for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A read; [`Cursor::answer`] takes its value.
    Read(usize),
    /// A write of this value.
    Write(usize, i64),
    /// It asks to commit.
    Commit,
    /// It asks to abort.
    Abort,
}

/// A transaction in the middle of its operations.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    rest: &'a [Operation],
    last: i64,
}

impl<'a> Cursor<'a> {
    /// At the first of these operations.
    pub fn new(operations: &'a [Operation]) -> Cursor<'a> {
        Cursor { rest: operations, last: 0 }
    }

    /// The next thing to do; after the last operation, to commit.
    pub fn ask(&mut self) -> Ask {
        while let Some((operation, rest)) = self.rest.split_first() {
            self.rest = rest;
            let odd = self.last.rem_euclid(2) == 1;
            match (operation.guard, operation.action) {
                (Guard::Even, _) if odd => {}
                (Guard::Odd, _) if !odd => {}
                (_, Action::Read(key)) => return Ask::Read(key),
                (_, Action::Write(key, value)) => return Ask::Write(key, value),
                (_, Action::Next(key)) => return Ask::Write(key, self.last + 1),
                (_, Action::Abort) => return Ask::Abort,
            }
        }
        Ask::Commit
    }

    /// Takes the value of the read that was asked for.
    pub fn answer(&mut self, value: i64) {
        self.last = value;
    }
}

/// How large a random program is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// At least 2 and at most this many sessions.
    pub sessions: usize,
    /// At most this many transactions a session.
    pub txns: usize,
    /// At most this many operations a transaction.
    pub operations: usize,
    /// This many keys.
    pub keys: usize,
}

impl Size {
    /// 2 to 3 sessions of 1 to 2 transactions of 1 to 3 operations on 2 keys.
    pub const SMALL: Size = Size { sessions: 3, txns: 2, operations: 3, keys: 2 };

    /// 2 to 3 sessions of 1 to 3 transactions of 1 to 4 operations on 3 keys.
    pub const MIDDLE: Size = Size { sessions: 3, txns: 3, operations: 4, keys: 3 };
}

impl Program {
    /// The program of a seed.
    pub fn random(size: &Size, seed: u64) -> Program {
        let mut random = Random(seed);
        let mut constant = 0;
        let mut sessions = vec![Vec::new(); 2 + random.below(size.sessions - 1)];
        for session in &mut sessions {
            for _ in 0..1 + random.below(size.txns) {
                session.push(random_txn(size, &mut random, &mut constant));
            }
        }
        Program { sessions }
    }

    /// Reads a program as [`Program`] is shown: sessions apart by `|`, transactions by `;`. Panics when
    /// the text is wrong, as befits a test.
    pub fn parse(text: &str) -> Program {
        let txn = |text: &str| text.split_whitespace().map(operation).collect();
        let session = |text: &str| text.split(';').map(txn).collect();
        Program { sessions: text.split('|').map(session).collect() }
    }

    /// Every order of the transactions that keeps each session's: a session's number for each step.
    pub fn orders(&self) -> Vec<Vec<usize>> {
        let mut done = Vec::new();
        let mut open = vec![Vec::new()];
        let total: usize = self.sessions.iter().map(Vec::len).sum();
        while let Some(order) = open.pop() {
            if order.len() == total {
                done.push(order);
                continue;
            }
            for (session, txns) in self.sessions.iter().enumerate() {
                if order.iter().filter(|&&s| s == session).count() < txns.len() {
                    let mut longer = order.clone();
                    longer.push(session);
                    open.push(longer);
                }
            }
        }
        done
    }
}

/// Constants are all different, so that most reads tell whom they read from.
fn random_txn(size: &Size, random: &mut Random, constant: &mut i64) -> Vec<Operation> {
    let mut seen = false;
    let mut operations = Vec::new();
    for at in 0..1 + random.below(size.operations) {
        let key = random.below(size.keys);
        *constant += 1;
        let action = match random.below(20) {
            0 if at > 0 => Action::Abort,
            0..11 => Action::Read(key),
            11..15 if seen => Action::Next(key),
            _ => Action::Write(key, 10 * *constant + random.below(2) as i64),
        };
        let guard = match random.below(12) {
            0 if seen => Guard::Odd,
            1 if seen => Guard::Even,
            _ => Guard::Always,
        };
        seen |= matches!(action, Action::Read(_));
        operations.push(Operation { guard, action });
    }
    operations
}

const KEYS: [&str; 4] = ["x", "y", "z", "u"];

/// The name of a key.
pub fn key_name(key: usize) -> &'static str {
    KEYS[key % KEYS.len()]
}

fn operation(word: &str) -> Operation {
    let (guard, word) = match word.split_once('?') {
        Some(("odd", rest)) => (Guard::Odd, rest),
        Some(("even", rest)) => (Guard::Even, rest),
        _ => (Guard::Always, word),
    };
    let key = |text: &str| KEYS.iter().position(|k| *k == text).expect("a key is x, y, z or u");
    let action = match word.trim_end_matches(')').split_once('(') {
        Some(("r", name)) => Action::Read(key(name)),
        Some(("w", rest)) => match rest.split_once(")=").expect("a write is w(x)=1") {
            (name, "last+1") => Action::Next(key(name)),
            (name, value) => Action::Write(key(name), value.parse().expect("a number")),
        },
        _ => {
            assert_eq!(word, "abort", "operations are r(x), w(x)=1, w(x)=last+1 and abort");
            Action::Abort
        }
    };
    Operation { guard, action }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.guard {
            Guard::Always => {}
            Guard::Even => f.write_str("even?")?,
            Guard::Odd => f.write_str("odd?")?,
        }
        match self.action {
            Action::Read(key) => write!(f, "r({})", key_name(key)),
            Action::Write(key, value) => write!(f, "w({})={value}", key_name(key)),
            Action::Next(key) => write!(f, "w({})=last+1", key_name(key)),
            Action::Abort => f.write_str("abort"),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |txn: &Vec<Operation>| {
            txn.iter().map(Operation::to_string).collect::<Vec<_>>().join(" ")
        };
        let session =
            |txns: &Vec<Vec<Operation>>| txns.iter().map(words).collect::<Vec<_>>().join("; ");
        let sessions: Vec<String> = self.sessions.iter().map(session).collect();
        f.write_str(&sessions.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_as_they_are_shown() {
        for seed in 0..500 {
            let program = Program::random(&Size::SMALL, seed);
            assert_eq!(Program::parse(&program.to_string()), program);
        }
    }
}
