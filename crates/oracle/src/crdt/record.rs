//! What a sample says about delivery: some of the truth, never anything else.

use serde_json::{Value, json};

use super::rng::Rng;

/// How much a sample says about delivery.
#[derive(Clone, Copy, PartialEq)]
pub enum Delivery {
    /// Nothing: a black box.
    Nothing,
    /// `sees` on every operation.
    Everything,
    /// `sees` on some operations.
    Sometimes,
    /// `sees_min` and `sees_max` on some operations.
    Bounds,
    /// Pseudo-operations `sync`.
    Syncs,
    /// Last reads that have seen everything.
    Finals,
    /// Some of all that.
    Mixed,
}

/// Adds to the operations what the sample says of the vectors.
pub fn annotate(
    ops: &mut [Vec<Value>],
    ids: &[Value],
    sees: &[Vec<Vec<usize>>],
    delivery: Delivery,
    rng: &mut Rng,
) {
    let lengths: Vec<usize> = ops.iter().map(Vec::len).collect();
    let name =
        |replica: usize| ids[replica].as_str().map_or(ids[replica].to_string(), str::to_string);
    for (replica, ops) in ops.iter_mut().enumerate() {
        for (index, op) in ops.iter_mut().enumerate() {
            if let Some(from) = op.get("sync").map(|sync| sync["from"].clone()) {
                let from = ids.iter().position(|id| *id == from).unwrap_or(0);
                if op["sync"]["at"] == json!(lengths[from]) && rng.chance(70) {
                    op["sync"] = json!({"from": ids[from]});
                }
                continue;
            }
            let (exact, bounds) = match delivery {
                Delivery::Everything => (true, false),
                Delivery::Sometimes => (rng.chance(40), false),
                Delivery::Bounds => (false, rng.chance(60)),
                Delivery::Mixed => (rng.chance(20), rng.chance(20)),
                Delivery::Nothing | Delivery::Syncs | Delivery::Finals => (false, false),
            };
            if exact {
                op["sees"] = json!({});
            }
            for (other, &seen) in sees[replica][index].iter().enumerate() {
                let (own, name) = (other == replica, name(other));
                if exact && ((!own && seen > 0) || rng.chance(20)) {
                    op["sees"][&name] = json!(seen);
                }
                if bounds && rng.chance(50) {
                    op["sees_min"][&name] = json!(if own { seen } else { rng.between(0, seen) });
                }
                if bounds && rng.chance(50) {
                    let most = if own { seen } else { rng.between(seen, lengths[other]) };
                    op["sees_max"][&name] = json!(most);
                }
            }
        }
    }
}
