//! Small libraries, right and wrong.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::data_type::{Arbitration, DataType};

/// An add: who did it, and how many its replica had done before.
type Tag = (usize, u32);

/// An add-wins set that keeps the tags of adds, and those that were removed.
#[derive(Clone, Default)]
struct Tags {
    own: usize,
    count: u32,
    added: BTreeSet<(String, Tag)>,
    removed: BTreeSet<(String, Tag)>,
    last: Option<Change>,
}

#[derive(Clone)]
enum Change {
    Add(String, Tag),
    Remove(BTreeSet<(String, Tag)>),
}

impl Tags {
    fn fleet(count: usize) -> Vec<Tags> {
        (0..count).map(|own| Tags { own, ..Tags::default() }).collect()
    }

    fn elements(&self) -> BTreeSet<String> {
        self.added.difference(&self.removed).map(|(element, _)| element.clone()).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        let change = match request {
            Request::Add(element) => {
                self.count += 1;
                Change::Add(element.clone(), (self.own, self.count))
            }
            Request::Remove(element) => {
                Change::Remove(self.added.iter().filter(|(e, _)| e == element).cloned().collect())
            }
            Request::Contains(element) => {
                return Outcome::Member(self.elements().contains(element));
            }
            Request::Elements => return Outcome::Elements(self.elements().into_iter().collect()),
            _ => return Outcome::Unsupported,
        };
        self.take(&change);
        self.last = Some(change);
        Outcome::Updated
    }

    fn take(&mut self, change: &Change) {
        match change.clone() {
            Change::Add(element, tag) => drop(self.added.insert((element, tag))),
            Change::Remove(mut tags) => self.removed.append(&mut tags),
        }
    }
}

/// Adapters for the same library that differ in how replicas exchange what they did.
macro_rules! tags {
    ($name:ident, $exchange:expr) => {
        struct $name(Tags);

        impl LiveReplica for $name {
            type Message = Change;
            const EXCHANGE: Exchange = $exchange;

            fn fleet(count: usize, _: &[String]) -> Vec<$name> {
                Tags::fleet(count).into_iter().map($name).collect()
            }

            fn apply(&mut self, request: &Request) -> Outcome {
                self.0.apply(request)
            }

            fn message(&mut self) -> Option<Change> {
                self.0.last.take()
            }

            fn deliver(&mut self, message: &Change) {
                self.0.take(message);
            }

            fn merge(&mut self, from: &mut $name) {
                self.0.added.extend(from.0.added.iter().cloned());
                self.0.removed.extend(from.0.removed.iter().cloned());
            }

            fn copy(&mut self) -> Option<$name> {
                Some($name(self.0.clone()))
            }
        }
    };
}

tags!(Merging, Exchange::merging());
tags!(Causal, Exchange::causal());
tags!(Both, Exchange::causal().and_merging());
// A remove that arrives before what it removes still has its effect, but what the remover had seen otherwise is not
// there: this set is not causal.
tags!(AnyOrder, Exchange::any_order());

#[test]
fn a_right_set_passes_however_it_is_sent() {
    let config = Config::new(DataType::AwSet).histories(300);
    let passed = run::<Merging>(&config).unwrap();
    assert_eq!((passed.histories, passed.unknown), (300, 0));
    assert!(passed.operations >= 300 * 20, "{passed:?}");
    run::<Causal>(&config).unwrap();
    run::<Both>(&config.clone().replicas(5).keys(3)).unwrap();
    run::<Both>(&config.clone().recorded(Recorded::FinalReads)).unwrap();
    run::<Both>(&config.recorded(Recorded::Nothing)).unwrap();
}

#[test]
fn what_shows_updates_before_their_causes_is_found() {
    let failure = run::<AnyOrder>(&Config::new(DataType::AwSet)).unwrap_err();
    assert_eq!(failure.cause, Cause::Violation, "{failure}");
    // An add that B receives although it was done after another one which has not arrived.
    assert!(failure.steps.len() <= 5, "{failure}");
}

/// The same, but messages wait for those that they depend on.
struct Waiting {
    tags: Tags,
    /// How many changes of each replica were taken.
    clock: Vec<u32>,
    waiting: Vec<(usize, Vec<u32>, Change)>,
}

impl LiveReplica for Waiting {
    type Message = (usize, Vec<u32>, Change);
    const EXCHANGE: Exchange = Exchange::any_order();

    fn fleet(count: usize, _: &[String]) -> Vec<Waiting> {
        let tags = Tags::fleet(count).into_iter();
        tags.map(|tags| Waiting { tags, clock: vec![0; count], waiting: Vec::new() }).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        self.tags.apply(request)
    }

    fn message(&mut self) -> Option<(usize, Vec<u32>, Change)> {
        let own = self.tags.own;
        let clock = self.clock.clone();
        self.clock[own] += 1;
        Some((own, clock, self.tags.last.take()?))
    }

    fn deliver(&mut self, message: &(usize, Vec<u32>, Change)) {
        self.waiting.push(message.clone());
        let ready = |(from, clock, _): &(usize, Vec<u32>, Change), own: &[u32]| {
            clock[*from] == own[*from] && clock.iter().zip(own).all(|(theirs, own)| theirs <= own)
        };
        while let Some(at) = self.waiting.iter().position(|m| ready(m, &self.clock)) {
            let (from, _, change) = self.waiting.swap_remove(at);
            self.clock[from] += 1;
            self.tags.take(&change);
        }
    }
}

#[test]
fn what_orders_messages_itself_passes() {
    run::<Waiting>(&Config::new(DataType::AwSet).replicas(4).operations(30)).unwrap();
}

/// Counters: what each replica counted, for each counter.
#[derive(Clone, Default)]
struct Counts {
    own: usize,
    sums: BTreeMap<(String, usize), i64>,
    last: Option<(String, i64)>,
}

impl Counts {
    fn fleet(count: usize) -> Vec<Counts> {
        (0..count).map(|own| Counts { own, ..Counts::default() }).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Increase(key, amount) => {
                *self.sums.entry((key.clone(), self.own)).or_default() += amount;
                self.last = Some((key.clone(), *amount));
                Outcome::Updated
            }
            Request::Sum(key) => Outcome::Sum(
                self.sums.iter().filter(|((k, _), _)| k == key).map(|(_, sum)| sum).sum(),
            ),
            _ => Outcome::Unsupported,
        }
    }
}

/// Merges what each replica counted by the greater sum, which is wrong when it has counted down since.
struct Greatest(Counts);

impl LiveReplica for Greatest {
    type Message = ();
    const EXCHANGE: Exchange = Exchange::merging();

    fn fleet(count: usize, _: &[String]) -> Vec<Greatest> {
        Counts::fleet(count).into_iter().map(Greatest).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        self.0.apply(request)
    }

    fn merge(&mut self, from: &mut Greatest) {
        for (key, &theirs) in &from.0.sums {
            let own = self.0.sums.entry(key.clone()).or_default();
            *own = theirs.max(*own);
        }
    }
}

#[test]
fn a_counter_that_loses_a_decrement_is_found() {
    let failure = run::<Greatest>(&Config::new(DataType::Counter)).unwrap_err();
    assert!(failure.reproduced);
    assert!(failure.steps.len() <= 5, "{failure}");
    let text = failure.to_string();
    assert!(text.contains("To run it again:\n\n    HOB_SEED="), "{text}");
    let again = run::<Greatest>(&Config::new(DataType::Counter).seed(failure.seed)).unwrap_err();
    assert_eq!(again.steps, failure.steps);
    assert!(again.to_string().contains(&format!(".seed({})", failure.seed)), "{again}");
}

/// Sends amounts, and adds up whatever arrives.
struct Amounts<const ONCE: bool>(Counts);

impl<const ONCE: bool> LiveReplica for Amounts<ONCE> {
    type Message = (String, i64);
    const EXCHANGE: Exchange =
        if ONCE { Exchange::causal().exactly_once() } else { Exchange::causal() };

    fn fleet(count: usize, _: &[String]) -> Vec<Amounts<ONCE>> {
        Counts::fleet(count).into_iter().map(Amounts).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        self.0.apply(request)
    }

    fn message(&mut self) -> Option<(String, i64)> {
        self.0.last.take()
    }

    fn deliver(&mut self, (key, amount): &(String, i64)) {
        *self.0.sums.entry((key.clone(), self.0.own)).or_default() += amount;
    }
}

#[test]
fn messages_arrive_again_unless_the_library_says_that_they_must_not() {
    let config = Config::new(DataType::Counter).repeated_values(3);
    run::<Amounts<true>>(&config).unwrap();
    run::<Amounts<false>>(&config.clone().duplicates(false)).unwrap();
    let failure = run::<Amounts<false>>(&config).unwrap_err();
    assert!(failure.steps.iter().any(|step| step.ends_with(" again")), "{failure}");
    assert!(failure.steps.len() <= 6, "{failure}");
}

/// A register that holds what arrived last, and has a few other faults on demand.
struct Latest<const FAULT: u8>(BTreeMap<String, i64>, Option<(String, i64)>);

const NONE: u8 = 0;
const PANICS: u8 = 1;
const ANSWERS_WRONG: u8 = 2;
const RANDOM: u8 = 3;
const NO_FLEET: u8 = 4;

static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

impl<const FAULT: u8> LiveReplica for Latest<FAULT> {
    type Message = (String, i64);
    const EXCHANGE: Exchange = Exchange::causal();

    fn fleet(count: usize, _: &[String]) -> Vec<Self> {
        if FAULT == RANDOM {
            RUNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        let count = if FAULT == NO_FLEET { 0 } else { count };
        (0..count).map(|_| Latest(BTreeMap::new(), None)).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Write(key, value) => {
                self.0.insert(key.clone(), *value);
                self.1 = Some((key.clone(), *value));
                Outcome::Updated
            }
            Request::Read(_) if FAULT == ANSWERS_WRONG => Outcome::Sum(3),
            Request::Read(key) => Outcome::Value(self.0.get(key).copied()),
            _ => Outcome::Unsupported,
        }
    }

    fn message(&mut self) -> Option<(String, i64)> {
        self.1.take()
    }

    fn deliver(&mut self, (key, value): &(String, i64)) {
        if FAULT == RANDOM && RUNS.load(std::sync::atomic::Ordering::Relaxed) > 1 {
            panic!("not this time");
        }
        let before = self.0.insert(key.clone(), *value);
        assert!(FAULT != PANICS || before.is_none(), "{key} is there already");
    }
}

#[test]
fn replicas_that_do_not_agree_are_told_apart_from_wrong_ones() {
    let failure = run::<Latest<NONE>>(&Config::new(DataType::Lww)).unwrap_err();
    let Cause::Diverged(divergence) = &failure.cause else { panic!("{failure}") };
    assert_eq!(divergence.returned.len(), 2, "{failure}");
    // Two writes, the synchronization, and two reads.
    assert_eq!(failure.steps.len(), 5, "{failure}");
    assert!(failure.to_string().contains("do not agree on `read "), "{failure}");
}

#[test]
fn a_library_that_panics_is_a_finding() {
    let failure = run::<Latest<PANICS>>(&Config::new(DataType::Lww)).unwrap_err();
    let Cause::Panicked { message, place } = &failure.cause else { panic!("{failure}") };
    assert!(message.ends_with(" is there already"), "{message}");
    assert!(place.contains("tests.rs"), "{place}");
    assert!(failure.steps.len() <= 5, "{failure}");
}

#[test]
fn wrong_adapters_are_told() {
    let config = Config::new(DataType::Lww);
    let failure = run::<Latest<ANSWERS_WRONG>>(&config).unwrap_err();
    assert!(matches!(&failure.cause, Cause::Adapter(text) if text.contains("read ")), "{failure}");
    let failure = run::<Latest<NO_FLEET>>(&config).unwrap_err();
    assert!(matches!(&failure.cause, Cause::Adapter(text) if text.contains("fleet")), "{failure}");
    let failure = run::<Latest<RANDOM>>(&config.histories(1)).unwrap_err();
    assert!(!failure.reproduced, "{failure}");
    assert!(failure.to_string().contains("let no clock"), "{failure}");
}

/// Registers by clocks of which each goes at another speed.
#[derive(Clone)]
struct Clocked {
    own: i64,
    now: i64,
    registers: BTreeMap<String, (i64, i64, i64)>,
}

impl LiveReplica for Clocked {
    type Message = ();
    const EXCHANGE: Exchange = Exchange::merging();

    fn fleet(count: usize, _: &[String]) -> Vec<Clocked> {
        (1..=count as i64).map(|own| Clocked { own, now: 0, registers: BTreeMap::new() }).collect()
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        self.now += self.own;
        match request {
            Request::Write(key, value) => {
                let written = (self.now, self.own, *value);
                let held = self.registers.entry(key.clone()).or_insert(written);
                *held = written.max(*held);
                Outcome::UpdatedAt(Box::new([self.now.into(), self.own.into()]))
            }
            Request::Read(key) => Outcome::Value(self.registers.get(key).map(|held| held.2)),
            _ => Outcome::Unsupported,
        }
    }

    fn merge(&mut self, from: &mut Clocked) {
        for (key, theirs) in &from.registers {
            let held = self.registers.entry(key.clone()).or_insert(*theirs);
            *held = (*theirs).max(*held);
        }
    }

    fn copy(&mut self) -> Option<Clocked> {
        Some(self.clone())
    }
}

#[test]
fn clocks_may_decide_if_they_are_recorded() {
    let config = Config::new(DataType::Lww);
    run::<Clocked>(&config.clone().arbitration(Arbitration::Timestamps)).unwrap();
    let failure = run::<Clocked>(&config).unwrap_err();
    // B writes with a fast clock, A has seen that and overwrites it, and reads what B wrote.
    assert_eq!((&failure.cause, failure.steps.len()), (&Cause::Violation, 4), "{failure}");
}

/// A list whose state is a vector; a stand-in for a library with indices.
#[derive(Clone)]
struct Vector(Vec<i64>);

impl LiveReplica for Vector {
    type Message = ();
    const EXCHANGE: Exchange = Exchange::merging();

    fn fleet(count: usize, _: &[String]) -> Vec<Vector> {
        vec![Vector(Vec::new()); count]
    }

    fn apply(&mut self, request: &Request) -> Outcome {
        match request {
            Request::Insert { index, after, element, .. } => {
                assert_eq!(index.checked_sub(1).map(|before| self.0[before]), *after);
                self.0.insert(*index, *element);
                Outcome::Updated
            }
            Request::Erase { index, element, .. } => {
                assert_eq!(self.0.remove(*index), *element);
                Outcome::Updated
            }
            Request::Items(_) => Outcome::Items(self.0.clone()),
            _ => Outcome::Unsupported,
        }
    }

    fn merge(&mut self, from: &mut Vector) {
        let new: Vec<i64> = from.0.iter().copied().filter(|item| !self.0.contains(item)).collect();
        self.0.extend(new);
    }
}

#[test]
fn lists_are_edited_by_index() {
    run::<Vector>(&Config::new(DataType::Rga).replicas(1)).unwrap();
    let failure = run::<Vector>(&Config::new(DataType::Rga)).unwrap_err();
    assert!(failure.steps.len() <= 6, "{failure}");
}

#[test]
fn a_black_box_is_found_out_less_often() {
    let config = Config::new(DataType::Counter).histories(60).seed(1);
    let all = survey::<Greatest>(&config);
    let finals = survey::<Greatest>(&config.clone().recorded(Recorded::FinalReads));
    let nothing = survey::<Greatest>(&config.recorded(Recorded::Nothing));
    assert_eq!((all.histories, all.broken, all.unknown), (60, 0, 0));
    assert!(all.violations >= finals.violations && finals.violations >= nothing.violations);
    assert!(all.violations > nothing.violations, "{all:?} {nothing:?}");
    assert_eq!(all.diverged, nothing.diverged);
}
