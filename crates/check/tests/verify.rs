//! The verifier accepts right certificates and rejects wrong ones.

use hobgoblin_check::verify::{VerifyError, verify};
use hobgoblin_core::{
    Anomaly, CommitOrder, Conclusion, Edge, EventId, History, KeyId, Level, Proof, Reason, Status,
    Step, Target, TxnId, Verdict, Witness,
};
use hobgoblin_oracle::brute;
use hobgoblin_oracle::notation::parse;
use hobgoblin_oracle::sample::{self, Random, Shape};

fn targets() -> impl Iterator<Item = Target> {
    Level::ALL.into_iter().flat_map(|level| [Target::Level(level), Target::Mixed(level)])
}

fn shapes() -> [Shape; 3] {
    [Shape::PLAIN, Shape::WILD, Shape { levels: 0, orders: 0, txns: 5, ..Shape::WILD }]
}

fn accepts_order(history: &History, target: Target, order: &CommitOrder) -> bool {
    verify(history, target, &Verdict::Consistent(order.clone())).is_ok()
}

fn witness(target: Target, txns: Vec<TxnId>, proof: Proof) -> Verdict {
    let anomaly = Anomaly::DependencyCycle;
    Verdict::Violation(Box::new(Witness { target, anomaly, txns, minimal: false, proof }))
}

fn live_txns(history: &History) -> Vec<TxnId> {
    history.txns().filter(|&t| history.status(t) != Status::Aborted).collect()
}

#[test]
fn orders_are_accepted_exactly_by_the_letter_of_the_definition() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..1500 {
        for shape in shapes() {
            let history = sample::history(&shape, seed);
            let mut random = Random(seed);
            for target in targets() {
                let found = brute::commit_order(&history, target);
                let mut order = found.unwrap_or_else(|| random_order(&history, &mut random));
                for _ in 0..6 {
                    let expected = brute::accepts(&history, target, &order);
                    let answer = verify(&history, target, &Verdict::Consistent(order.clone()));
                    assert_eq!(answer.is_ok(), expected, "seed {seed} {target:?} {answer:?}");
                    *if expected { &mut good } else { &mut bad } += 1;
                    mutate(&history, &mut order, &mut random);
                }
            }
        }
    }
    assert!(good > 50_000 && bad > 50_000, "{good} good, {bad} bad");
}

fn random_order(history: &History, random: &mut Random) -> CommitOrder {
    let reads = history.ambiguous_reads().iter();
    let sources = reads.map(|&read| (read, history.candidates(read)[0])).collect();
    let mut txns = live_txns(history);
    random.shuffle(&mut txns);
    CommitOrder { txns, sources }
}

fn mutate(history: &History, order: &mut CommitOrder, random: &mut Random) {
    let count = order.txns.len();
    match random.below(8) {
        0 if count > 0 => drop(order.txns.remove(random.below(count))),
        1 => order.txns.push(TxnId::new(random.below(history.num_txns()))),
        2 if !order.sources.is_empty() => {
            let at = random.below(order.sources.len());
            order.sources[at].1 = TxnId::new(random.below(history.num_txns()));
        }
        3 => order.txns.extend(history.txns().find(|t| !order.txns.contains(t))),
        4 if count > 1 => order.txns.rotate_left(1),
        _ if count > 1 => {
            let at = random.below(count - 1);
            order.txns.swap(at, at + 1);
        }
        _ => {}
    }
}

#[test]
fn a_search_is_accepted_exactly_where_no_order_exists() {
    for seed in 0..1500 {
        for shape in shapes() {
            let history = sample::history(&shape, seed);
            for target in targets() {
                let proof = Proof { steps: Vec::new(), conclusion: Conclusion::Search };
                let verdict = witness(target, live_txns(&history), proof);
                let expected = match brute::satisfies(&history, target) {
                    true => Err(VerifyError::Satisfied),
                    false => Ok(()),
                };
                assert_eq!(verify(&history, target, &verdict), expected, "seed {seed} {target:?}");
            }
        }
    }
}

/// A certificate by hand: a history, a level, the cycle, and the steps before it.
struct Case {
    history: History,
    level: Level,
    steps: Vec<Step>,
    cycle: Vec<Edge>,
}

impl Case {
    fn new(text: &str, level: Level, cycle: &[(&str, &str, &str)]) -> Case {
        let history = parse(text);
        let cycle = cycle.iter().map(|&edge| edge_of(&history, edge)).collect();
        Case { history, level, steps: Vec::new(), cycle }
    }

    fn step(mut self, first: &str, key: &str, second: &str, cycle: &[(&str, &str, &str)]) -> Case {
        let cycle = cycle.iter().map(|&edge| edge_of(&self.history, edge)).collect();
        self.steps.push(Step {
            key: key_of(&self.history, key),
            first: txn_of(&self.history, first),
            second: txn_of(&self.history, second),
            otherwise: Proof { steps: Vec::new(), conclusion: Conclusion::Cycle(cycle) },
        });
        self
    }

    fn check(&self) -> Result<(), VerifyError> {
        let proof =
            Proof { steps: self.steps.clone(), conclusion: Conclusion::Cycle(self.cycle.clone()) };
        let verdict = witness(self.level.into(), live_txns(&self.history), proof);
        verify(&self.history, self.level, &verdict)
    }
}

fn txn_of(history: &History, name: &str) -> TxnId {
    let mut txns = std::iter::once(TxnId::INIT).chain(history.txns());
    txns.find(|&t| history.name(t) == name).expect("the transaction is there")
}

fn key_of(history: &History, name: &str) -> KeyId {
    history.keys().find(|&k| *history.key(k) == name.into()).expect("the key is there")
}

/// The edge `from -why-> to`; `wr0` and `rw2` name the first and third event of the reader, `ww.x` the
/// key x.
fn edge_of(history: &History, (from, why, to): (&str, &str, &str)) -> Edge {
    let (from, to) = (txn_of(history, from), txn_of(history, to));
    let event = |txn| {
        let nth: usize = why[2..].parse().expect("a number of an event");
        history.event_ids(txn).nth(nth).expect("the event is there")
    };
    let why = match &why[..2] {
        "so" => Reason::Session,
        "rt" => Reason::RealTime,
        "wr" => Reason::Read(event(to)),
        "rw" => Reason::Overwrite(event(from)),
        _ => Reason::Write(key_of(history, &why[3..])),
    };
    Edge { from, to, why }
}

const WRITE_SKEW: &str = "init x=0 y=0
    s1: t1 { r(x)=0 r(y)=0 w(x)=1 }
    s2: t2 { r(x)=0 r(y)=0 w(y)=1 }";
const LOST_UPDATE: &str = "init x=0
    s1: t1 { r(x)=0 w(x)=1 }
    s2: t2 { r(x)=0 w(x)=2 }";
const CAUSALITY: &str = "init x=0 y=0
    s1: t1 { w(x)=1 }
    s2: t2 { r(x)=1 w(y)=1 }
    s3: t3 { r(y)=1 r(x)=0 }";
const LONG_FORK: &str = "init x=0 y=0
    s1: t1 { w(x)=1 }
    s2: t2 { w(y)=1 }
    s3: t3 { r(x)=1 r(y)=0 }
    s4: t4 { r(x)=0 r(y)=1 }";

#[test]
fn write_skew_is_a_cycle_at_ser_alone() {
    let cycle = [("t1", "rw1", "t2"), ("t2", "rw0", "t1")];
    assert_eq!(Case::new(WRITE_SKEW, Level::SER, &cycle).check(), Ok(()));
    for level in Level::ALL.into_iter().filter(|l| !l.implies(Level::SER)) {
        let error = VerifyError::AllowedCycle(TxnId::new(1));
        assert_eq!(Case::new(WRITE_SKEW, level, &cycle).check(), Err(error), "{level}");
    }
}

#[test]
fn a_long_fork_is_a_cycle_from_pc_up() {
    let cycle =
        [("t1", "wr0", "t3"), ("t3", "rw1", "t2"), ("t2", "wr1", "t4"), ("t4", "rw0", "t1")];
    for level in Level::ALL {
        let case = Case::new(LONG_FORK, level, &cycle);
        assert_eq!(case.check().is_ok(), level.implies(Level::PC), "{level}");
    }
}

#[test]
fn a_causality_violation_is_a_cycle_from_cc_up() {
    let cycle = [("t1", "wr0", "t2"), ("t2", "wr0", "t3"), ("t3", "rw1", "t1")];
    for level in Level::ALL {
        let case = Case::new(CAUSALITY, level, &cycle);
        assert_eq!(case.check().is_ok(), level.implies(Level::CC), "{level}");
    }
}

#[test]
fn mutations_of_a_right_cycle_are_rejected() {
    let good = || {
        Case::new(
            CAUSALITY,
            Level::CC,
            &[("t1", "wr0", "t2"), ("t2", "wr0", "t3"), ("t3", "rw1", "t1")],
        )
    };
    for dropped in 0..3 {
        let mut case = good();
        case.cycle.remove(dropped);
        assert!(matches!(case.check(), Err(VerifyError::BrokenCycle(_))));
    }
    let mut swapped = good();
    swapped.cycle.swap(0, 1);
    assert_eq!(swapped.check(), Err(VerifyError::BrokenCycle(0)));
    let mut empty = good();
    empty.cycle.clear();
    assert_eq!(empty.check(), Err(VerifyError::BrokenCycle(0)));
    for (at, edge) in [
        (0, ("t1", "so", "t2")),
        (0, ("t1", "rt", "t2")),
        (0, ("t1", "ww.x", "t2")),
        (1, ("t2", "wr1", "t3")),
        (2, ("t3", "rw0", "t1")),
    ] {
        let mut case = good();
        case.cycle[at] = edge_of(&case.history, edge);
        assert_eq!(case.check(), Err(VerifyError::FalseEdge(case.cycle[at])));
    }
    for why in [Reason::Read(EventId::new(99)), Reason::Overwrite(EventId::new(99))] {
        let mut case = good();
        case.cycle[0].why = why;
        assert_eq!(case.check(), Err(VerifyError::NoSuchId { what: "event", id: 99 }));
    }
    let mut case = good();
    case.cycle[0].from = TxnId::new(99);
    case.cycle[2].to = TxnId::new(99);
    assert_eq!(case.check(), Err(VerifyError::NoSuchId { what: "transaction", id: 99 }));
}

#[test]
fn steps_are_followed() {
    // If t2's version came first, t1 would have replaced it without having seen it.
    let cycle = [("t1", "ww.x", "t2"), ("t2", "rw0", "t1")];
    let otherwise = [("t2", "ww.x", "t1"), ("t1", "rw0", "t2")];
    let case = |level| Case::new(LOST_UPDATE, level, &cycle).step("t1", "x", "t2", &otherwise);
    for level in Level::ALL {
        let expected = level.implies(Level::PSI);
        assert_eq!(case(level).check().is_ok(), expected, "{level}");
    }
    let unproved = Case::new(LOST_UPDATE, Level::SI, &cycle);
    assert_eq!(unproved.check(), Err(VerifyError::FalseEdge(unproved.cycle[0])));
    let circular = Case::new(LOST_UPDATE, Level::SI, &cycle).step("t1", "x", "t2", &cycle);
    assert_eq!(circular.check(), Err(VerifyError::FalseEdge(circular.cycle[0])));
    let backwards = Case::new(LOST_UPDATE, Level::SI, &cycle).step("t2", "x", "t1", &otherwise);
    assert!(matches!(backwards.check(), Err(VerifyError::FalseEdge(_))));
    let same = Case::new(LOST_UPDATE, Level::SI, &cycle).step("t1", "x", "t1", &otherwise);
    assert!(matches!(same.check(), Err(VerifyError::NotWriters { .. })));
    // What is assumed in a step is forgotten after it.
    let leaked = case(Level::SI).step("t2", "x", "t1", &cycle);
    assert_eq!(leaked.check(), Ok(()), "the steps contradict each other, which is the point");
    let mut leaked =
        Case::new(LOST_UPDATE, Level::SI, &otherwise).step("t1", "x", "t2", &otherwise);
    assert!(matches!(leaked.check(), Err(VerifyError::FalseEdge(_))));
    leaked.steps.clear();
    assert!(matches!(leaked.check(), Err(VerifyError::FalseEdge(_))));
}

#[test]
fn steps_and_cycles_speak_of_writers() {
    let cycle = [("t1", "rw1", "t2"), ("t2", "rw0", "t1")];
    let step = Case::new(WRITE_SKEW, Level::SER, &cycle).step("t1", "x", "t2", &cycle);
    assert!(matches!(step.check(), Err(VerifyError::NotWriters { .. })));
    let read_only = Case::new(WRITE_SKEW, Level::SER, &[("t1", "rw0", "t2"), ("t2", "rw0", "t1")]);
    assert_eq!(read_only.check(), Err(VerifyError::FalseEdge(read_only.cycle[0])));
}

#[test]
fn known_orders_are_facts() {
    let text = "init x=0
        s1: t1 { w(x)=1 }
        s2: t2 { w(x)=2 }
        s2: t3 { r(x)=1 }
        s3: t4 { w(x)=4 }
        order x: t1 t2";
    let stale = |level, newer| Case::new(text, level, &[("t3", "rw0", newer), ("t2", "so", "t3")]);
    assert_eq!(stale(Level::RA, "t2").check(), Ok(()));
    assert_eq!(stale(Level::RC, "t2").check(), Err(VerifyError::AllowedCycle(TxnId::new(3))));
    // t4 is not named in the order, so it comes after both.
    let cycle = [("t2", "ww.x", "t4"), ("t4", "ww.x", "t1"), ("t1", "ww.x", "t2")];
    let case = Case::new(text, Level::SER, &cycle);
    assert_eq!(case.check(), Err(VerifyError::FalseEdge(case.cycle[1])));
}

#[test]
fn locking_reads_have_no_axiom() {
    let cycle = [("t1", "wr0", "t2"), ("t2", "rw1", "t1")];
    let plain = "init x=0 y=0\n s1: t1 { w(x)=1 w(y)=1 }\n s2: t2 { r(x)=1 r(y)=0 }";
    assert_eq!(Case::new(plain, Level::RC, &cycle).check(), Ok(()));
    let locking = Case::new(&plain.replace("r(y)", "r!(y)"), Level::RC, &cycle);
    assert_eq!(locking.check(), Err(VerifyError::FalseEdge(locking.cycle[1])));
    let order = CommitOrder { txns: vec![TxnId::new(1), TxnId::new(2)], sources: Vec::new() };
    assert!(accepts_order(&locking.history, Level::SER.into(), &order));
    assert!(!accepts_order(&parse(plain), Level::RC.into(), &order));
}

#[test]
fn locking_reads_belong_to_the_commit() {
    let text = "init x=0 y=0
        s1: t1 { w(x)=1 w(y)=1 }
        s2: t2 { r!(y)=1 r(x)=0 w(z)=1 }
        s3: t3 { r(z)=1 r(x)=0 }";
    // Into the own transaction: the commit of t1 is before that of t2, but not before its snapshot.
    let own = [("t1", "wr0", "t2"), ("t2", "rw1", "t1")];
    // On the way into another: that transaction's snapshot is after both commits.
    let other = [("t1", "wr0", "t2"), ("t2", "wr0", "t3"), ("t3", "rw1", "t1")];
    for level in Level::ALL {
        for (cycle, weakest) in [(&own[..], Level::SER), (&other[..], Level::CC)] {
            let case = Case::new(text, level, cycle);
            assert_eq!(case.check().is_ok(), level.implies(weakest), "{level} {cycle:?}");
            let plain = Case::new(&text.replace("r!(y)", "r(y)"), level, cycle);
            let weakest = if weakest == Level::SER { Level::RC } else { weakest };
            assert_eq!(plain.check().is_ok(), level.implies(weakest), "{level} {cycle:?}");
        }
    }
    let order = CommitOrder { txns: (1..3).map(TxnId::new).collect(), sources: Vec::new() };
    let history = parse(&text[..text.find("s3").expect("t3 is there")]);
    for level in Level::ALL {
        let holds = !level.implies(Level::SER);
        assert_eq!(accepts_order(&history, level.into(), &order), holds, "{level}");
    }
}

#[test]
fn real_time_binds_sser_alone() {
    let text = "init x=0\n s1: t1 @10..20 { w(x)=1 }\n s2: t2 @30..40 { r(x)=0 }";
    let cycle = [("t1", "rt", "t2"), ("t2", "rw0", "t1")];
    assert_eq!(Case::new(text, Level::SSER, &cycle).check(), Ok(()));
    let ser = Case::new(text, Level::SER, &cycle);
    assert_eq!(ser.check(), Err(VerifyError::FalseEdge(ser.cycle[0])));
    let concurrent = Case::new(&text.replace("@30", "@20"), Level::SSER, &cycle);
    assert_eq!(concurrent.check(), Err(VerifyError::FalseEdge(concurrent.cycle[0])));
}

#[test]
fn faulty_reads_are_checked_by_level() {
    let text = "init x=0\n s1: t1 aborted { w(x)=1 }\n s2: t2 { r(x)=1 r(x)=0 }";
    let history = parse(text);
    let check = |level: Level, event| {
        let conclusion = Conclusion::Read(EventId::new(event));
        let proof = Proof { steps: Vec::new(), conclusion };
        let verdict = witness(level.into(), vec![TxnId::new(2)], proof);
        verify(&history, level, &verdict)
    };
    assert_eq!(check(Level::RC, 1), Ok(()));
    assert_eq!(check(Level::RU, 1), Err(VerifyError::InnocentRead(EventId::new(1))));
    assert_eq!(check(Level::SER, 2), Err(VerifyError::InnocentRead(EventId::new(2))));
    assert!(matches!(check(Level::SER, 3), Err(VerifyError::NoSuchId { .. })));
}

#[test]
fn cases_cover_all_sources_and_make_them_count() {
    // Whoever wrote the 7 that t3 read, t3 saw a later version of the same writer's session.
    let text = "init x=0 y=0
        s1: t1 unknown { w(x)=7 }
        s1: t2 { w(x)=8 w(y)=1 }
        s2: t3 { r(y)=1 r(x)=7 }
        s1: t4 { r(x)=8 }
        s3: t5 { w(x)=7 r(x)=7 }
        s3: t6 { r(x)=7 w(x)=9 }
        order x: t1 t5 t2";
    let history = parse(text);
    let read = history.ambiguous_reads()[0];
    let case = |source: &str| {
        let cycle = [("t3", "rw1", "t2"), ("t2", "wr0", "t3")];
        let cycle = cycle.iter().map(|&edge| edge_of(&history, edge)).collect();
        let proof = Proof { steps: Vec::new(), conclusion: Conclusion::Cycle(cycle) };
        (txn_of(&history, source), proof)
    };
    let check = |cases: Vec<(TxnId, Proof)>, level: Level| {
        let proof = Proof { steps: Vec::new(), conclusion: Conclusion::Sources { read, cases } };
        verify(&history, level, &witness(level.into(), live_txns(&history), proof))
    };
    assert_eq!(check(vec![case("t1"), case("t5")], Level::RC), Ok(()));
    assert_eq!(check(vec![case("t1")], Level::RC), Err(VerifyError::BadCases(read)));
    assert_eq!(
        check(vec![case("t1"), case("t5"), case("t2")], Level::RC),
        Err(VerifyError::BadCases(read))
    );
    assert!(check(vec![case("t1"), case("t5")], Level::RU).is_err());
    let uncounted = Case::new(text, Level::SER, &[("t1", "so", "t2"), ("t2", "so", "t1")]);
    assert_eq!(uncounted.check(), Err(VerifyError::NotCounted(TxnId::new(1))));
}

#[test]
fn listings_targets_and_depth_are_checked() {
    let cycle = [("t1", "rw1", "t2"), ("t2", "rw0", "t1")];
    let case = Case::new(WRITE_SKEW, Level::SER, &cycle);
    let proof = Proof { steps: Vec::new(), conclusion: Conclusion::Cycle(case.cycle.clone()) };
    let check = |target, txns: &[usize], proof: &Proof| {
        let txns = txns.iter().map(|&t| TxnId::new(t)).collect();
        verify(&case.history, Level::SER, &witness(target, txns, proof.clone()))
    };
    let ser = Target::Level(Level::SER);
    assert_eq!(check(ser, &[1, 2], &proof), Ok(()));
    let other = Target::Mixed(Level::SER);
    assert_eq!(check(other, &[1, 2], &proof), Err(VerifyError::OtherTarget(other)));
    for listing in [&[1][..], &[2, 1], &[1, 1, 2], &[0, 1, 2]] {
        assert!(matches!(check(ser, listing, &proof), Err(VerifyError::BadListing(_))));
    }
    let mut deep = proof;
    for _ in 0..500 {
        let step = |otherwise| Step {
            key: KeyId::new(0),
            first: TxnId::INIT,
            second: TxnId::new(1),
            otherwise,
        };
        deep = Proof { conclusion: deep.conclusion.clone(), steps: vec![step(deep)] };
    }
    assert!(matches!(check(ser, &[1, 2], &deep), Err(VerifyError::TooDeep(_))));
}
