//! Recipes of anomalies, to hide one in a history that is otherwise fine.
//!
//! A recipe is a few transactions in litmus form. The letters are roles of sessions, x, y, z are keys of
//! the history (hot ones first), 0 is the value a key has when the anomaly begins, and other digits are
//! values that nothing else writes. The commit order is the order of the lines. `A!` aborts.
//!
//! ```text
//! lost-update    A  r(x)=0 w(x)=1
//!                B  r(x)=0 w(x)=2
//! ```
//!
//! # The recipes
//!
//! | anomaly | weakest level violated | transactions |
//! | --- | --- | --- |
//! | thin-air-read | RU | `A r(x)=1` |
//! | internal-read | RU | `A w(x)=1 r(x)=0` |
//! | aborted-read | RC | `A! w(x)=1`, `B r(x)=1` |
//! | intermediate-read | RC | `A w(x)=1 w(x)=2`, `B r(x)=1` |
//! | future-read | RC | `A r(x)=1 w(x)=1` |
//! | circular-information-flow | RC | `A w(x)=1 r(y)=1`, `B w(y)=1 r(x)=1` |
//! | non-monotonic-read | RC | `A r(x)=0 w(x)=1`, `B r(x)=1 r(x)=0` |
//! | write-cycle | RC | `A w(x)=1 w(y)=1`, `B w(x)=2 w(y)=2`, `C r(x)=1 r(x)=2`, `D r(y)=2 r(y)=1` |
//! | non-repeatable-read | RA | `A r(x)=0 w(x)=1`, `B r(x)=0 r(x)=1` |
//! | fractured-read | RA | `A r(x)=0 r(y)=0 w(x)=1 w(y)=1`, `B r(x)=0 r(y)=1` |
//! | read-skew | RA | `A r(x)=0 r(y)=0 w(x)=1 w(y)=1`, `B r(x)=0 r(y)=1 w(z)=1` |
//! | read-your-writes | RA | `A r(x)=0 w(x)=1`, `A r(x)=0` |
//! | non-monotonic-session | CC | `A r(x)=0 w(x)=1`, `B r(x)=1`, `B r(x)=0` |
//! | causality-violation | CC | `A r(x)=0 w(x)=1`, `B r(x)=1 w(y)=1`, `C r(y)=1 r(x)=0` |
//! | long-fork | PC | `A r(x)=0 w(x)=1`, `B r(y)=0 w(y)=1`, `C r(x)=1 r(y)=0`, `D r(x)=0 r(y)=1` |
//! | lost-update | PSI | `A r(x)=0 w(x)=1`, `B r(x)=0 w(x)=2` |
//! | write-skew | SER | `A r(x)=0 r(y)=0 w(x)=1`, `B r(x)=0 r(y)=0 w(y)=1` |
//! | read-only-anomaly | SER | `A r(y)=0 w(y)=1`, `B r(x)=0 r(y)=1`, `C r(x)=0 r(y)=0 w(x)=1` |
//! | dependency-cycle | SER | `A r(x)=0 r(y)=0 w(y)=1`, `B r(y)=0 r(z)=0 w(z)=1`, `C r(z)=0 r(x)=0 w(x)=1` |
//! | real-time-violation | SSER | `B r(x)=0`, `A r(x)=0 w(x)=1` |
//!
//! # Which levels are violated
//!
//! [`weakest_violated`] names the weakest levels that forbid the anomaly; these and all stronger ones are
//! violated whatever the rest of the history does, since nothing repeats the values of the recipe, and a
//! transaction that replaces a version reads it first where the order of the two matters, so that no
//! commit order can reverse them.
//!
//! Every other level still holds if it is [`Params::level`](crate::Params::level) or weaker. For the anomaly's transactions see
//! all that happened before, and all that come after see the whole of it, so the axioms can be checked
//! piece by piece: reads before it do not mind later commits; reads after it return the newest version of
//! what they see, which is all of the anomaly; and reads inside return either the newest version before
//! the anomaly, or what the recipe says, and the tests check each recipe by brute force. What the
//! transactions of a recipe do beyond it, to look like any other, is on keys that no two of them share:
//! reads of the newest version before the anomaly, and blind writes.
//!
//! So `level: SI` with `write-skew` violates exactly SER and SSER, `level: SER` with `long-fork` violates
//! PC, SI, SER and SSER and keeps PSI and CC, and `level: CC` with `lost-update` keeps CC, RA, RC and RU
//! and violates PSI, SI, SER and SSER, while PC depends on the seed, as it does at CC in any case.

use hobgoblin_core::{Anomaly, Kind, Level};

/// How to make an anomaly.
struct Recipe {
    anomaly: Anomaly,
    /// The weakest levels that forbid it.
    forbidden_by: &'static [Level],
    /// Its transactions in commit order.
    txns: &'static [&'static str],
}

/// The recipes, weakest forbidding level first.
static RECIPES: [Recipe; 20] = [
    Recipe { anomaly: Anomaly::ThinAirRead, forbidden_by: &[Level::RU], txns: &["A r(x)=1"] },
    Recipe {
        anomaly: Anomaly::InternalRead,
        forbidden_by: &[Level::RU],
        txns: &["A w(x)=1 r(x)=0"],
    },
    Recipe {
        anomaly: Anomaly::AbortedRead,
        forbidden_by: &[Level::RC],
        txns: &["A! w(x)=1", "B r(x)=1"],
    },
    Recipe {
        anomaly: Anomaly::IntermediateRead,
        forbidden_by: &[Level::RC],
        txns: &["A w(x)=1 w(x)=2", "B r(x)=1"],
    },
    Recipe { anomaly: Anomaly::FutureRead, forbidden_by: &[Level::RC], txns: &["A r(x)=1 w(x)=1"] },
    Recipe {
        anomaly: Anomaly::CircularInformationFlow,
        forbidden_by: &[Level::RC],
        txns: &["A w(x)=1 r(y)=1", "B w(y)=1 r(x)=1"],
    },
    Recipe {
        anomaly: Anomaly::NonMonotonicRead,
        forbidden_by: &[Level::RC],
        txns: &["A r(x)=0 w(x)=1", "B r(x)=1 r(x)=0"],
    },
    Recipe {
        anomaly: Anomaly::WriteCycle,
        forbidden_by: &[Level::RC],
        txns: &["A w(x)=1 w(y)=1", "B w(x)=2 w(y)=2", "C r(x)=1 r(x)=2", "D r(y)=2 r(y)=1"],
    },
    Recipe {
        anomaly: Anomaly::NonRepeatableRead,
        forbidden_by: &[Level::RA],
        txns: &["A r(x)=0 w(x)=1", "B r(x)=0 r(x)=1"],
    },
    // The litmus `monotonic-but-fractured`. The litmus called `fractured-read` reads in the other order,
    // which RC forbids as well: that is a non-monotonic read of two keys.
    Recipe {
        anomaly: Anomaly::FracturedRead,
        forbidden_by: &[Level::RA],
        txns: &["A r(x)=0 r(y)=0 w(x)=1 w(y)=1", "B r(x)=0 r(y)=1"],
    },
    Recipe {
        anomaly: Anomaly::ReadSkew,
        forbidden_by: &[Level::RA],
        txns: &["A r(x)=0 r(y)=0 w(x)=1 w(y)=1", "B r(x)=0 r(y)=1 w(z)=1"],
    },
    Recipe {
        anomaly: Anomaly::ReadYourWrites,
        forbidden_by: &[Level::RA],
        txns: &["A r(x)=0 w(x)=1", "A r(x)=0"],
    },
    Recipe {
        anomaly: Anomaly::NonMonotonicSession,
        forbidden_by: &[Level::CC],
        txns: &["A r(x)=0 w(x)=1", "B r(x)=1", "B r(x)=0"],
    },
    Recipe {
        anomaly: Anomaly::CausalityViolation,
        forbidden_by: &[Level::CC],
        txns: &["A r(x)=0 w(x)=1", "B r(x)=1 w(y)=1", "C r(y)=1 r(x)=0"],
    },
    Recipe {
        anomaly: Anomaly::LongFork,
        forbidden_by: &[Level::PC],
        txns: &["A r(x)=0 w(x)=1", "B r(y)=0 w(y)=1", "C r(x)=1 r(y)=0", "D r(x)=0 r(y)=1"],
    },
    Recipe {
        anomaly: Anomaly::LostUpdate,
        forbidden_by: &[Level::PSI],
        txns: &["A r(x)=0 w(x)=1", "B r(x)=0 w(x)=2"],
    },
    Recipe {
        anomaly: Anomaly::WriteSkew,
        forbidden_by: &[Level::SER],
        txns: &["A r(x)=0 r(y)=0 w(x)=1", "B r(x)=0 r(y)=0 w(y)=1"],
    },
    Recipe {
        anomaly: Anomaly::ReadOnlyAnomaly,
        forbidden_by: &[Level::SER],
        txns: &["A r(y)=0 w(y)=1", "B r(x)=0 r(y)=1", "C r(x)=0 r(y)=0 w(x)=1"],
    },
    Recipe {
        anomaly: Anomaly::DependencyCycle,
        forbidden_by: &[Level::SER],
        txns: &["A r(x)=0 r(y)=0 w(y)=1", "B r(y)=0 r(z)=0 w(z)=1", "C r(z)=0 r(x)=0 w(x)=1"],
    },
    // The reader commits first, but begins after the writer has ended.
    Recipe {
        anomaly: Anomaly::RealTimeViolation,
        forbidden_by: &[Level::SSER],
        txns: &["B r(x)=0", "A r(x)=0 w(x)=1"],
    },
];

/// One event of a recipe.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScriptOp {
    pub(crate) kind: Kind,
    /// 0, 1, 2 for x, y, z.
    pub(crate) key: usize,
    /// 0 for the value the key has when the anomaly begins, else a new value of this number.
    pub(crate) value: usize,
}

/// One transaction of a recipe.
#[derive(Clone, Debug)]
pub(crate) struct ScriptTxn {
    /// 0 for A, 1 for B, and so on.
    pub(crate) role: usize,
    pub(crate) aborts: bool,
    pub(crate) ops: Vec<ScriptOp>,
}

fn recipe(anomaly: Anomaly) -> Option<&'static Recipe> {
    RECIPES.iter().find(|recipe| recipe.anomaly == anomaly)
}

/// The transactions of a recipe; none for an anomaly without one.
pub(crate) fn script(anomaly: Anomaly) -> Vec<ScriptTxn> {
    recipe(anomaly).map_or(Vec::new(), |recipe| recipe.txns.iter().map(|t| parse(t)).collect())
}

/// Reads one line of a recipe; the tests read them all.
fn parse(line: &str) -> ScriptTxn {
    let (session, ops) = line.split_once(' ').unwrap_or((line, ""));
    let ops = ops.split(' ').map(str::as_bytes).map(|op| ScriptOp {
        kind: if op[0] == b'r' { Kind::Read } else { Kind::Write },
        key: usize::from(op[2] - b'x'),
        value: usize::from(op[5] - b'0'),
    });
    ScriptTxn {
        role: usize::from(session.as_bytes()[0] - b'A'),
        aborts: session.ends_with('!'),
        ops: ops.collect(),
    }
}

/// How many keys and sessions a script uses.
pub(crate) fn needs(script: &[ScriptTxn]) -> (u32, u32) {
    let keys = script.iter().flat_map(|txn| &txn.ops).map(|op| op.key + 1).max();
    let sessions = script.iter().map(|txn| txn.role + 1).max();
    (keys.unwrap_or(0) as u32, sessions.unwrap_or(0) as u32)
}

/// The anomalies that can be injected, weakest forbidding level first.
pub fn injectable() -> impl Iterator<Item = Anomaly> {
    RECIPES.iter().map(|recipe| recipe.anomaly)
}

/// The anomaly of this [code](Anomaly::code), if it can be injected.
pub fn anomaly_of(code: &str) -> Option<Anomaly> {
    injectable().find(|anomaly| anomaly.code() == code)
}

/// The weakest levels that forbid an anomaly as it is injected here.
pub fn weakest_violated(anomaly: Anomaly) -> &'static [Level] {
    recipe(anomaly).map_or(&[], |recipe| recipe.forbidden_by)
}

/// Whether a history with this anomaly injected violates a level for sure.
pub fn violates(anomaly: Anomaly, level: Level) -> bool {
    weakest_violated(anomaly).iter().any(|&weakest| level.implies(weakest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_is_well_formed_and_every_anomaly_has_one() {
        for anomaly in Anomaly::ALL {
            let script = script(anomaly);
            assert!(!script.is_empty(), "{anomaly:?}");
            let (keys, sessions) = needs(&script);
            assert!((1..=3).contains(&keys) && (1..=4).contains(&sessions), "{anomaly:?}");
            assert_eq!(anomaly_of(anomaly.code()), Some(anomaly));
            assert!(violates(anomaly, Level::SSER));
        }
    }

    #[test]
    fn the_table_in_the_docs_is_that_of_the_recipes() {
        for recipe in &RECIPES {
            let [level] = recipe.forbidden_by else { panic!("the table has one level a row") };
            let (code, txns) = (recipe.anomaly.code(), recipe.txns.join("`, `"));
            let row = format!("//! | {code} | {level} | `{txns}` |\n");
            assert!(include_str!("anomaly.rs").contains(&row), "{row}");
        }
    }
}
