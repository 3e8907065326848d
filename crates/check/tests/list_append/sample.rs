//! Random list-append histories, as the bytes of files.
//!
//! Transactions run one after another against lists of which every version is kept. How they read is drawn
//! for every history: the newest version, one snapshot for all lists, any version for each list, or
//! nearly so, with a list changed by hand now and then. Their own appends follow, as a database would have it.

use hobgoblin_format::Format;

/// Random numbers of a seed.
struct Random(u64);

impl Random {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// How a history's transactions read.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    Newest,
    Snapshot,
    /// A snapshot that is never older than the one before.
    Growing,
    Any,
}

/// A micro-operation as it is written.
enum Micro {
    Append(usize, i64),
    Read(usize, Vec<i64>),
}

struct Txn {
    process: usize,
    kind: &'static str,
    ops: Vec<Micro>,
}

/// A history of a seed, and which notation it is in.
pub(crate) fn history(seed: u64) -> (Format, String) {
    let mut random = Random(seed);
    let mut txns = transactions(&mut random);
    if random.one_in(8) {
        // Sessions need not agree with the order in which lists grew.
        for at in (1..txns.len()).rev() {
            txns.swap(at, random.below(at + 1));
        }
    }
    if random.one_in(3) {
        (Format::ElleJson, json(&mut random, &txns))
    } else {
        (Format::ElleEdn, edn(&mut random, &txns))
    }
}

fn transactions(random: &mut Random) -> Vec<Txn> {
    let reading = match random.below(8) {
        0 => Reading::Newest,
        1..4 => Reading::Snapshot,
        4 => Reading::Growing,
        _ => Reading::Any,
    };
    let (sessions, keys) = (2 + random.below(5), 1 + random.below(3));
    let mangled = random.one_in(3);
    let count = 2 + random.below(6);
    // All states, oldest first: a list for every key.
    let mut states: Vec<Vec<Vec<i64>>> = vec![vec![Vec::new(); keys]];
    let mut dirty: Vec<i64> = Vec::new();
    let (mut next, mut floor) = (0, 0);
    let mut txns = Vec::new();
    for _ in 0..count {
        let kind = ["fail", "info", "info", "ok", "ok", "ok", "ok", "ok"][random.below(8)];
        let newest = states.len() - 1;
        let snapshot = match reading {
            Reading::Newest => newest,
            _ => floor.max(newest.saturating_sub(random.below(3))),
        };
        let mut own: Vec<Vec<i64>> = vec![Vec::new(); keys];
        let mut ops = Vec::new();
        for _ in 0..1 + random.below(5) {
            let key = random.below(keys);
            if random.below(5) < 2 {
                next += 1;
                own[key].push(next);
                ops.push(Micro::Append(key, next));
                continue;
            }
            let state = match reading {
                Reading::Any => floor.max(newest.saturating_sub(random.below(4))),
                _ => snapshot,
            };
            if reading == Reading::Growing {
                floor = floor.max(state.saturating_sub(1));
            }
            let mut list = states[state][key].clone();
            list.extend(&own[key]);
            if mangled && random.one_in(8) {
                mangle(random, &mut list, &dirty, next);
            }
            ops.push(Micro::Read(key, list));
        }
        if kind == "ok" || (kind == "info" && random.one_in(2)) {
            let mut state = states.last().expect("there is a first one").clone();
            for (list, own) in state.iter_mut().zip(&own) {
                list.extend(own);
            }
            states.push(state);
        } else {
            dirty.extend(own.iter().flatten());
        }
        txns.push(Txn { process: random.below(sessions), kind, ops });
    }
    txns
}

/// Makes a list wrong, or perhaps not.
fn mangle(random: &mut Random, list: &mut Vec<i64>, dirty: &[i64], next: i64) {
    let at = random.below(list.len() + 1);
    match random.below(5) {
        0 => list.truncate(at),
        1 if at + 1 < list.len() => list.swap(at, at + 1),
        2 if !dirty.is_empty() => list.insert(at, dirty[random.below(dirty.len())]),
        3 if at < list.len() => {
            list.remove(at);
        }
        _ => list.insert(at, next + random.below(3) as i64),
    }
}

fn edn(random: &mut Random, txns: &[Txn]) -> String {
    let mut text = String::new();
    for txn in txns {
        let micro = |op: &Micro, answered: bool| match op {
            Micro::Append(key, element) => format!("[:append :k{key} {element}]"),
            Micro::Read(key, _) if !answered => format!("[:r :k{key} nil]"),
            Micro::Read(key, list) => {
                let list: Vec<String> = list.iter().map(i64::to_string).collect();
                format!("[:r :k{key} [{}]]", list.join(" "))
            }
        };
        let value =
            |answered| -> Vec<String> { txn.ops.iter().map(|op| micro(op, answered)).collect() };
        let Txn { process, kind, .. } = txn;
        let invoked = random.one_in(2);
        if invoked {
            let value = value(false).join(" ");
            text += &format!("{{:type :invoke, :process {process}, :value [{value}]}}\n");
        }
        if *kind == "info" && invoked {
            text += &format!("{{:type :info, :process {process}, :value nil}}\n");
        } else {
            let value = value(true).join(" ");
            text += &format!("{{:process {process}, :value [{value}] :type :{kind}}}\n");
        }
    }
    text
}

fn json(random: &mut Random, txns: &[Txn]) -> String {
    let operation = |txn: &Txn| {
        let micro = |op: &Micro| match op {
            Micro::Append(key, element) => format!("[\"append\", {key}, {element}]"),
            Micro::Read(key, list) if list.is_empty() => format!("[\"r\", {key}, null]"),
            Micro::Read(key, list) => format!("[\"r\", {key}, {list:?}]"),
        };
        let value: Vec<String> = txn.ops.iter().map(micro).collect();
        format!(
            "{{\"type\": \"{}\", \"value\": [{}], \"process\": {}}}",
            txn.kind,
            value.join(", "),
            txn.process
        )
    };
    let operations: Vec<String> = txns.iter().map(operation).collect();
    if random.one_in(2) {
        format!("[{}]\n", operations.join(",\n "))
    } else {
        operations.join("\n")
    }
}
