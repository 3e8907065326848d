//! The theorem by brute force, with the graph of [Biswas 2021a, section 3.4] ("the thesis") and with ours,
//! and what the checkers make of it.

use std::collections::BTreeMap;

use hobgoblin_core::{CommitOrder, History, KeyId, Kind, Rng, TxnId, Value, Verdict};
use hobgoblin_gen::transform::restrict;
use hobgoblin_gen::{Draft, DraftKey, DraftOp, DraftTxn};
use hobgoblin_oracle::brute;

use super::*;
use crate::check;
use crate::decide::txns;
use crate::limits::Limits;
use crate::verify::verify;
use crate::{polynomial, strong};

/// How many times the histories of `make test` to run: `HOB_FULL=1` runs the bars at full size.
fn scale() -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { 10 } else { 1 }
}

/// What a random history may have beyond the plain.
#[derive(Clone, Copy)]
struct Extras {
    locks: bool,
    orders: bool,
}

/// A history of up to 7 transactions in 3 to 5 sessions, whose keys mostly belong to two sessions.
fn sparse(seed: u64, extras: Extras) -> History {
    let mut rng = Rng::new(seed);
    let sessions = rng.between(3, 5) as usize;
    let mut draft =
        Draft { sessions: (0..sessions as i64).map(Into::into).collect(), ..Draft::default() };
    let mut of_session = vec![Vec::new(); sessions];
    for key in 0..rng.between(2, 5) as usize {
        draft.keys.push(DraftKey::new(key as i64));
        let mut all: Vec<usize> = (0..sessions).collect();
        rng.shuffle(&mut all);
        let members = *rng.pick(&[1, 2, 2, 2, 2, 3]).expect("there are sizes");
        for &session in &all[..members] {
            of_session[session].push(key);
        }
    }
    let mut value = 0;
    for _ in 0..rng.between(4, 7) {
        let session = rng.below(sessions as u32) as usize;
        let mut txn = DraftTxn { session, ..DraftTxn::default() };
        for _ in 0..rng.between(1, 4) {
            if let Some(&key) = rng.pick(&of_session[session]) {
                value += 1;
                let kind = if rng.one_in(2) { Kind::Read } else { Kind::Write };
                txn.ops.push(DraftOp::new(kind, key, value));
            }
        }
        draft.txns.push(txn);
    }
    fill_reads(&mut rng, extras, &mut draft);
    if extras.orders {
        for key in 0..draft.keys.len() {
            let writes = |t: &usize| last_write(&draft.txns[*t], key).is_some();
            let mut order: Vec<usize> = (0..draft.txns.len()).filter(writes).collect();
            order.truncate(rng.below(order.len() as u32 + 1) as usize);
            draft.keys[key].order = rng.one_in(2).then_some(order);
        }
    }
    draft.build().expect("drafts are well formed by construction")
}

/// Lets reads return the newest version in the order recorded, or in a part of it: up to a point that is
/// chosen once, or for each transaction, or for each read; and sometimes just any version.
fn fill_reads(rng: &mut Rng, extras: Extras, draft: &mut Draft) {
    let (lag, stray) = (rng.below(3), rng.between(3, 20));
    for t in 0..draft.txns.len() {
        let mut until = t;
        for at in 0..draft.txns[t].ops.len() {
            let DraftOp { kind, key, .. } = draft.txns[t].ops[at];
            if kind == Kind::Write {
                continue;
            }
            if lag == 2 || lag == 1 && at == 0 {
                until = rng.between(t.saturating_sub(4) as u32, t as u32) as usize;
            }
            let own = draft.txns[t].ops[..at].iter().rev();
            let own = own.into_iter().find(|op| op.kind == Kind::Write && op.key == key);
            let own = own.map(|op| op.value.clone());
            let others = (0..draft.txns.len()).filter(|&u| u != t);
            let versions = others.filter_map(|u| Some((u, last_write(&draft.txns[u], key)?)));
            let versions: Vec<(usize, i64)> = versions.collect();
            let mine = |u: usize| u < t && draft.txns[u].session == draft.txns[t].session;
            let newest = versions.iter().rfind(|v| v.0 < until || mine(v.0));
            let version = if rng.one_in(stray) { rng.pick(&versions) } else { newest };
            let value = own.unwrap_or_else(|| version.map_or(0, |v| v.1).into());
            draft.txns[t].ops[at].value = value;
            draft.txns[t].ops[at].lock = extras.locks && rng.one_in(4);
        }
    }
}

fn last_write(txn: &DraftTxn, key: usize) -> Option<i64> {
    let write = txn.ops.iter().rev().find(|op| op.kind == Kind::Write && op.key == key)?;
    match write.value {
        Value::Int(value) => Some(value),
        _ => None,
    }
}

/// Whether two sessions are joined in the thesis's graph, or in ours.
fn joined(history: &History, a: usize, b: usize, thesis: bool) -> bool {
    let sessions: Vec<_> = history.sessions().collect();
    let accesses = |s: usize, key: KeyId, write: bool| {
        let mut txns = history.session_txns(sessions[s]).iter();
        txns.any(|&t| history.events(t).iter().any(|e| e.key() == key && (e.is_write() || !write)))
    };
    history.keys().any(|key| {
        let both = accesses(a, key, false) && accesses(b, key, false);
        both && (thesis || accesses(a, key, true) || accesses(b, key, true))
    })
}

/// The biconnected components by the letter: the largest sets of sessions that stay connected when any
/// one of them is taken away.
fn blocks_by_definition(history: &History, thesis: bool) -> Vec<Vec<usize>> {
    let n = history.num_sessions();
    let near: Vec<u32> = (0..n)
        .map(|a| {
            let others = (0..n).filter(|&b| b != a && joined(history, a, b, thesis));
            others.fold(0, |set, b| set | 1 << b)
        })
        .collect();
    let connected = |set: u32| {
        let mut reached = set & set.wrapping_neg();
        loop {
            let of = (0..n).filter(|v| reached >> v & 1 == 1);
            let more = of.fold(reached, |all, v| all | near[v] & set);
            if more == reached {
                return reached == set;
            }
            reached = more;
        }
    };
    let of = |set: u32| (0..n).filter(move |v| set >> v & 1 == 1);
    let biconnected = |set: u32| connected(set) && of(set).all(|v| connected(set & !(1 << v)));
    let sets: Vec<u32> = (1..1 << n).filter(|&set| biconnected(set)).collect();
    let largest = |a: &&u32| !sets.iter().any(|&b| b != **a && b & **a == **a);
    sets.iter().filter(largest).map(|&set| of(set).collect()).collect()
}

/// The part of a history in some of its sessions.
fn part(history: &History, sessions: &[usize]) -> History {
    let inside = |t: &TxnId| {
        let session = history.session_of(*t).expect("it is not init");
        sessions.contains(&session.index())
    };
    restrict(history, history.txns().filter(inside)).expect("a part is well formed")
}

const TREATED: [Level; 7] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];

/// The components of more than one session, if there are several.
fn expected_components(history: &History) -> Vec<Vec<usize>> {
    let blocks = blocks_by_definition(history, false);
    let mut blocks: Vec<_> = blocks.into_iter().filter(|block| block.len() > 1).collect();
    blocks.sort();
    if blocks.len() > 1 { blocks } else { Vec::new() }
}

/// The sessions of each component found.
fn found_components(problem: &Problem<'_>) -> Vec<Vec<usize>> {
    let session = |n: Node| {
        let txn = problem.txns[n as usize];
        problem.history.session_of(txn).expect("it is not init").index()
    };
    let of = |nodes: Vec<Node>| {
        let mut sessions: Vec<usize> = nodes.into_iter().map(session).collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions
    };
    let mut found: Vec<_> = components(problem).into_iter().map(of).collect();
    found.sort();
    found
}

/// Decides by components whatever the size, if there are several and CC holds.
fn decide_apart(history: &History, level: Level) -> Option<bool> {
    let problem = Problem::whole(history, level.into(), &[]);
    let causal = polynomial::decide(&problem.at(Level::CC), &Limits::none());
    if !history.faults().is_empty() || !matches!(causal, Ok(Decision::Order(_))) {
        return None;
    }
    assert_eq!(found_components(&problem), expected_components(history));
    match decide(&problem, |part| strong::decide(part, &Limits::none()))
        .expect("there is no limit")?
    {
        Decision::Core(core) => {
            let core = problem.restrict(&core);
            let again = strong::decide(&core, &Limits::none());
            assert!(matches!(again, Ok(Decision::Core(_))), "{core:?}");
            Some(false)
        }
        Decision::Order(order) => {
            let order = CommitOrder { txns: txns(&problem, &order), sources: Vec::new() };
            verify(history, level, &Verdict::Consistent(order)).expect("an order");
            Some(true)
        }
    }
}

/// The theorem on random histories, and the checkers on the same.
fn test_theorem(seeds: std::ops::Range<u64>, extras: Extras) {
    let mut answers = BTreeMap::new();
    let mut apart = BTreeMap::new();
    for seed in seeds {
        let history = sparse(seed, extras);
        let graphs = [true, false].map(|thesis| blocks_by_definition(&history, thesis));
        let parts = graphs.map(|blocks| {
            blocks.iter().map(|sessions| part(&history, sessions)).collect::<Vec<_>>()
        });
        for level in TREATED {
            let whole = brute::satisfies(&history, level.into());
            for parts in &parts {
                let each = parts.iter().all(|part| brute::satisfies(part, level.into()));
                assert_eq!(whole, each, "seed {seed} at {level}");
            }
            *answers.entry((level, whole)).or_insert(0) += 1;
            if let Some(holds) = decide_apart(&history, level) {
                assert_eq!(holds, whole, "seed {seed} at {level}");
                *apart.entry((level, whole)).or_insert(0) += 1;
            }
            let verdict = check(&history, level, &Limits::none());
            assert_eq!(matches!(verdict, Verdict::Consistent(_)), whole, "seed {seed} at {level}");
            verify(&history, level, &verdict)
                .unwrap_or_else(|e| panic!("seed {seed} at {level}: {e}"));
        }
    }
    eprintln!("{answers:?}, decided apart {apart:?}");
    assert!(apart[&(Level::SER, true)] > 50 && apart[&(Level::SER, false)] > 5, "{apart:?}");
}

#[test]
fn a_level_holds_if_it_holds_on_every_component() {
    test_theorem(0..2000 * scale(), Extras { locks: false, orders: false });
}

#[test]
fn also_with_locks_and_known_orders() {
    test_theorem(0..1000 * scale(), Extras { locks: true, orders: true });
}

fn txn(session: usize, times: (i64, i64), ops: &[(Kind, usize, i64)]) -> DraftTxn {
    let ops = ops.iter().map(|&(kind, key, value)| DraftOp::new(kind, key, value)).collect();
    let (begin, end) = (Some(times.0), Some(times.1));
    DraftTxn { session, ops, begin, end, ..DraftTxn::default() }
}

/// Three sessions in a line, s1 and s2 with x, s2 and s3 with y, of one transaction each.
fn line_of_three(times: [(i64, i64); 3], first: i64, last: i64) -> History {
    let draft = Draft {
        keys: vec![DraftKey::new("x"), DraftKey::new("y")],
        sessions: ["s1", "s2", "s3"].map(Into::into).to_vec(),
        txns: vec![
            txn(0, times[0], &[(Kind::Write, 0, 1)]),
            txn(1, times[1], &[(Kind::Read, 0, first), (Kind::Read, 1, last)]),
            txn(2, times[2], &[(Kind::Write, 1, 2)]),
        ],
        ..Draft::default()
    };
    draft.build().expect("it is well formed")
}

#[test]
fn strict_serializability_does_not_fall_apart() {
    // t1 < t2 by x and t2 < t3 by y, but t3 ended before t1 began.
    let history = line_of_three([(2, 3), (0, 3), (0, 1)], 1, 0);
    let target = Level::SSER.into();
    for sessions in blocks_by_definition(&history, true) {
        assert!(brute::satisfies(&part(&history, &sessions), target));
    }
    assert!(!brute::satisfies(&history, target));
    assert!(matches!(check(&history, target, &Limits::none()), Verdict::Violation(_)));
    let whole = Problem::whole(&history, target, &[]);
    assert!(decide(&whole, |part| strong::decide(part, &Limits::none())).unwrap().is_none());
}

#[test]
fn commit_orders_are_put_together_by_their_snapshots() {
    // The example of the module docs: the first component has t1 < t2, the second t3 < t2.
    let history = line_of_three([(0, 9); 3], 0, 2);
    for level in [Level::PC, Level::SI] {
        let problem = Problem::whole(&history, level.into(), &[]);
        let points = Points::new(&problem);
        let parts = [vec![1, 2], vec![2, 3]];
        let orders = [[0, 1, 2], [0, 2, 1]];
        let lines: Vec<Vec<Point>> = parts
            .iter()
            .zip(orders)
            .map(|(nodes, order)| {
                let whole = |n: Node| if n == INIT { INIT } else { nodes[n as usize - 1] };
                line(&problem.restrict(nodes), level, &order, &points, whole)
            })
            .collect();
        assert_eq!(merge(&problem, &points, &lines), [0, 3, 1, 2], "{level}");
    }
}

#[test]
fn a_writer_with_many_readers_is_a_star() {
    let mut draft = Draft {
        keys: vec![DraftKey::new("x")],
        sessions: (0..4).map(Into::into).collect(),
        txns: vec![txn(0, (0, 9), &[(Kind::Write, 0, 1)])],
        ..Draft::default()
    };
    for reader in 1..4 {
        draft.txns.push(txn(reader, (0, 9), &[(Kind::Read, 0, 0)]));
    }
    let history = draft.build().expect("it is well formed");
    let problem = Problem::whole(&history, Level::SER.into(), &[]);
    assert_eq!(found_components(&problem), [[0, 1], [0, 2], [0, 3]]);
    // Where all readers repeat too many of the writer's transactions, it does not pay.
    for _ in 0..40 {
        let value = draft.txns.len() as i64;
        draft.txns.push(txn(0, (0, 9), &[(Kind::Write, 0, value)]));
    }
    for reader in 4..9 {
        draft.sessions.push(reader.into());
        draft.txns.push(txn(reader as usize, (0, 9), &[(Kind::Read, 0, 0)]));
    }
    let history = draft.build().expect("it is well formed");
    assert!(components(&Problem::whole(&history, Level::SER.into(), &[])).is_empty());
}

#[test]
fn edges_are_in_one_block_if_on_one_cycle() {
    for (edges, expect, number) in [
        (&[][..], &[][..], 0),
        (&[(0, 1)], &[0], 1),
        (&[(0, 1), (1, 0)], &[0, 0], 1),
        (&[(0, 1), (1, 2)], &[1, 0], 2),
        (&[(0, 1), (1, 2), (2, 0)], &[0, 0, 0], 1),
        (&[(0, 1), (2, 3)], &[0, 1], 2),
        (&[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)], &[2, 1, 1, 1, 0], 3),
        // Two triangles that meet in a vertex, and two that meet in an edge.
        (&[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)], &[1, 1, 1, 0, 0, 0], 2),
        (&[(0, 1), (1, 2), (2, 0), (1, 3), (3, 2)], &[0, 0, 0, 0, 0], 1),
    ] {
        let (block_of, count) = blocks(5, edges);
        assert_eq!((&block_of[..], count), (expect, number), "{edges:?}");
    }
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let edges: Vec<(u32, u32)> = (0..200_000).map(|v| (v, v + 1)).collect();
    assert_eq!(blocks(200_001, &edges).1, 200_000);
}
