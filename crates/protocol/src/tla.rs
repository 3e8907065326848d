//! What transactions have observed, as a TLA+ module that TLC can confirm.

use std::fmt::Write;

use hobgoblin_core::{Kind, Level};

use crate::observed::{Observed, Operation};

/// The module `ClientCentric`: the state-based levels [Soethout 2021, listings 1 and 2, table 1], over transactions
/// that have names.
pub const CLIENT_CENTRIC: &str = include_str!("ClientCentric.tla");

/// A module that says of each level whether these observations satisfy it; `name` is the module's. Levels without
/// a state-based definition are left out, and SSER, since there are no times.
///
/// ```
/// use hobgoblin_core::Level;
/// use hobgoblin_protocol::{Observed, tla};
///
/// let mut observed = Observed::new(2);
/// observed.read(0, 0, 0);
/// observed.write(0, 0, 1);
/// observed.read(1, 0, 0);
/// let module = tla("LostUpdate", &observed, 1, &[(Level::SER, true)]);
/// assert!(module.contains(r#"t1 |-> << r("r1", 0), w("r1", 1) >>"#));
/// assert!(module.contains("ASSUME Serializability(s0, transactions)"));
/// ```
pub fn tla(name: &str, observed: &Observed, resources: usize, levels: &[(Level, bool)]) -> String {
    let keys: Vec<String> = (1..=resources).map(|number| format!("\"r{number}\"")).collect();
    let operation = |operation: &Operation| {
        let letter = if operation.kind == Kind::Write { 'w' } else { 'r' };
        format!("{letter}(\"r{}\", {})", operation.resource + 1, operation.value)
    };
    let transactions = observed.transactions().iter().enumerate();
    let transactions: Vec<String> = transactions
        .filter(|(_, operations)| !operations.is_empty())
        .map(|(at, operations)| {
            let operations: Vec<String> = operations.iter().map(operation).collect();
            format!("t{} |-> << {} >>", at + 1, operations.join(", "))
        })
        .collect();
    let transactions = match transactions.is_empty() {
        true => "<< >>".to_owned(),
        false => format!("[\n  {}\n]", transactions.join(",\n  ")),
    };
    let mut module = format!(
        "---- MODULE {name} ----\n\
         EXTENDS ClientCentric\n\n\
         s0 == [k \\in {{{}}} |-> 0]\n\n\
         r(k, v) == [op |-> \"read\", key |-> k, value |-> v]\n\
         w(k, v) == [op |-> \"write\", key |-> k, value |-> v]\n\n\
         transactions == {transactions}\n\n",
        keys.join(", ")
    );
    for (level, holds) in levels {
        let operator = match level {
            Level::RU => "ReadUncommitted",
            Level::RC => "ReadCommitted",
            Level::SI => "SnapshotIsolation",
            Level::SER => "Serializability",
            _ => continue,
        };
        let not = if *holds { "" } else { "~" };
        writeln!(module, "ASSUME {not}{operator}(s0, transactions)").expect("text takes text");
    }
    module.push_str("====\n");
    module
}
