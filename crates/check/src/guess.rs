//! A greedy commit order: run the transactions on an imaginary database and see whether they get
//! through.
//!
//! The database holds one current version per key. A snapshot point can run when what comes before it
//! has run; a commit point can run when, besides, nobody still has to read a version it replaces, and
//! (SI) nobody who writes one of its keys is between snapshot and commit. So every read sees the current
//! version, by construction: an order that gets through is a commit order. One that does not proves
//! nothing. Ties go to whoever is likely to have come first ([`crate::hint`]).
//!
//! # Getting stuck, and going on
//!
//! Where the order of commits was not recorded, some of these choices are wrong, and after a while
//! everybody waits:
//!
//! ```text
//! x is t1's, and t2 must still read it;      so t3, which writes x, waits for t2,
//! y is t4's, and t5 must still read it;      so t2, which writes y, waits for t5,
//! t5 comes after t3 in its session.          and t5 waits for t3.
//! ```
//!
//! Not both of t1 and t4 can have come before those who wait for their readers. Of such a circle we take
//! back the one that ran last, with all that ran since, and remember that whoever waited comes before it: this
//! follows from those that stay, and is forgotten when one of them is taken back as well. That is how SAT
//! solvers learn [Marques-Silva 1999], in the small: circles that rest on what was learned rest on its
//! reasons. What the database allowed is undone step by step, so a wrong choice costs what ran after it, no more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;
use hobgoblin_core::StopReason;

use crate::graph::Graph;
use crate::limits::{Limits, Ticker};
use crate::points::Point;
use crate::problem::{INIT, Node, Problem};
use crate::saturate::Saturation;

/// A commit order (init included), or how far the attempt got.
pub(crate) struct Guess {
    pub(crate) order: Vec<Node>,
    pub(crate) complete: bool,
}

/// What to do when taking choices back does not help either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// The run ends where it is stuck.
    Stop,
    /// Let somebody commit all the same and go on: most of the order may still be right.
    GoOn,
}

/// Tries to run all transactions. `of` gives the edges known so far, `hint` says who is likely to have
/// come first.
pub(crate) fn guess(
    of: &Saturation<'_, '_>,
    hint: &[u64],
    stuck: Stuck,
    limits: &Limits,
) -> Result<Guess, StopReason> {
    let graph = Graph::new(of.num_points, || of.edges.iter().map(|e| (e.from, e.to)));
    let mut run = Run::new(of, &graph, hint.to_vec());
    run.go(stuck, limits)
}

/// The commits in a likely order that respects the edges known so far, whatever anyone reads.
pub(crate) fn likely_order(of: &Saturation<'_, '_>, hint: &[u64]) -> Vec<Node> {
    let graph = Graph::new(of.num_points, || of.edges.iter().map(|e| (e.from, e.to)));
    let priority = |point: Point| {
        let of_point = (point as usize) < of.points.len();
        if of_point { hint[of.points.node(point) as usize] } else { 0 }
    };
    let commits = graph
        .topological_by(priority)
        .into_iter()
        .filter(|&p| (p as usize) < of.points.len() && of.points.commit(of.points.node(p)) == p);
    commits.map(|p| of.points.node(p)).collect()
}

/// A point that has not run.
const NOT_RUN: u32 = u32::MAX;

/// `culprit` ran although `waiting` had not, and now somebody waits in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    waiting: Point,
    culprit: Point,
}

/// What a choice that was taken back taught: one of `waiting` comes before `culprit`, as long as the
/// reasons stand.
struct Lesson {
    waiting: Vec<Point>,
    culprit: Point,
    reasons: Vec<Choice>,
    /// How many of `waiting` have run.
    run: u32,
    forgotten: bool,
}

struct Run<'a, 'p, 'h> {
    of: &'a Saturation<'p, 'h>,
    problem: &'p Problem<'h>,
    graph: &'a Graph,
    /// The graph turned round; made when it is first needed.
    before: Option<Graph>,
    /// How many predecessors of each point have not run.
    missing: Vec<u32>,
    /// How many transactions still have to read each version.
    unread: Vec<u32>,
    /// Which visit of a transaction's reads came to each version last, so that reading it twice counts once.
    visited: Vec<u32>,
    visit: u32,
    /// The writer of the current version of each key, and of the version that each version replaced.
    current: Vec<Node>,
    replaced: Vec<Node>,
    /// Who is between snapshot and commit and writes a key, at SI.
    locked: Vec<Node>,
    /// Commits that wait for a key: for its readers or for its lock.
    waiting: Vec<Vec<Node>>,
    hint: Vec<u64>,
    commits: BinaryHeap<Reverse<(u64, Node)>>,
    snapshots: BinaryHeap<Reverse<(u64, Node)>>,
    /// Snapshots that found a lock.
    parked: Vec<Node>,
    /// The points that may run now, as far as edges go.
    ready: Vec<Point>,
    /// The points that ran, in order, and where each is in it.
    log: Vec<Point>,
    place: Vec<u32>,
    lessons: Vec<Lesson>,
    /// The lessons on each point's successors and predecessors.
    lessons_after: HashMap<Point, Vec<u32>>,
    lessons_before: HashMap<Point, Vec<u32>>,
    /// Lessons by the place of the last of their reasons.
    expiring: BinaryHeap<(u32, u32)>,
    /// What ran before this place is not taken back.
    floor: u32,
}

impl<'a, 'p, 'h> Run<'a, 'p, 'h> {
    fn new(of: &'a Saturation<'p, 'h>, graph: &'a Graph, hint: Vec<u64>) -> Run<'a, 'p, 'h> {
        let problem = of.problem;
        let missing = graph.missing();
        let mut run = Run {
            of,
            problem,
            graph,
            before: None,
            missing,
            unread: vec![0; of.versions.len()],
            visited: vec![0; of.versions.len()],
            visit: 0,
            current: vec![INIT; problem.num_keys()],
            replaced: vec![INIT; problem.num_writes()],
            locked: vec![INIT; problem.num_keys()],
            waiting: vec![Vec::new(); problem.num_keys()],
            hint,
            commits: BinaryHeap::new(),
            snapshots: BinaryHeap::new(),
            parked: Vec::new(),
            ready: Vec::new(),
            log: Vec::with_capacity(of.num_points),
            place: vec![NOT_RUN; of.num_points],
            lessons: Vec::new(),
            lessons_after: HashMap::new(),
            lessons_before: HashMap::new(),
            expiring: BinaryHeap::new(),
            floor: 0,
        };
        for version in 0..of.versions.len() {
            let mut last = INIT;
            for reader in of.versions.readers(version) {
                if reader != last && run.must_read(reader) {
                    run.unread[version] += 1;
                }
                last = reader;
            }
        }
        run
    }

    /// Whether the current version matters to this reader, or its level is settled by edges alone.
    fn must_read(&self, node: Node) -> bool {
        self.of.points.rw_exit(node).is_some()
    }

    fn go(&mut self, stuck: Stuck, limits: &Limits) -> Result<Guess, StopReason> {
        let ticker = &mut Ticker::new(limits);
        let mut patience = Patience::new(self.of.num_points);
        let mut complete = true;
        let points = 0..self.of.num_points as Point;
        self.ready.extend(points.filter(|&p| self.missing[p as usize] == 0));
        loop {
            while let Some(point) = self.ready.pop() {
                self.enable(point);
            }
            ticker.tick(8)?;
            if let Some(Reverse((_, node))) = self.commits.pop() {
                self.try_commit(node);
            } else if let Some(node) = self.next_snapshot() {
                self.run_snapshot(node);
            } else if self.log.len() == self.of.num_points {
                break;
            } else {
                let longest = self.log.len();
                let repaired = patience.is_left(longest) && self.take_back();
                ticker.tick(8 + longest - self.log.len())?;
                patience.spend(longest - self.log.len());
                if repaired {
                    continue;
                }
                complete = false;
                if stuck == Stuck::Stop || !self.force() {
                    break;
                }
            }
        }
        let points = &self.of.points;
        let commits = self
            .log
            .iter()
            .filter(|&&p| (p as usize) < points.len() && points.commit(points.node(p)) == p);
        let order: Vec<Node> = commits.map(|&p| points.node(p)).collect();
        Ok(Guess { complete: complete && order.len() == self.problem.len(), order })
    }

    /// Whether a point has all before it run, and has not run itself.
    fn may_run(&self, point: Point) -> bool {
        self.missing[point as usize] == 0 && self.place[point as usize] == NOT_RUN
    }

    /// Everything before a point has run.
    fn enable(&mut self, point: Point) {
        if !self.may_run(point) {
            return;
        }
        let points = &self.of.points;
        if point as usize >= points.len() {
            return self.finish(point);
        }
        let node = points.node(point);
        if point == points.commit(node) {
            self.commits.push(Reverse((self.hint[node as usize], node)));
        } else if point == points.snapshot(node) {
            if self.takes_locks(node) {
                self.snapshots.push(Reverse((self.hint[node as usize], node)));
            } else {
                self.read(node);
                self.finish(point);
            }
        } else {
            self.finish(point);
        }
    }

    /// Whether nobody may commit a key of this transaction between its snapshot and its commit.
    fn takes_locks(&self, node: Node) -> bool {
        self.problem.level(node).excludes_writers() && !self.problem.writes(node).is_empty()
    }

    /// A point has run.
    fn finish(&mut self, point: Point) {
        self.place[point as usize] = self.log.len() as u32;
        self.log.push(point);
        for &to in self.graph.successors(point) {
            self.missing[to as usize] -= 1;
            if self.missing[to as usize] == 0 {
                self.ready.push(to);
            }
        }
        for &lesson in self.lessons_after.get(&point).map_or(&[][..], Vec::as_slice) {
            let lesson = &mut self.lessons[lesson as usize];
            lesson.run += 1;
            if !lesson.forgotten && lesson.run == 1 {
                self.missing[lesson.culprit as usize] -= 1;
                if self.missing[lesson.culprit as usize] == 0 {
                    self.ready.push(lesson.culprit);
                }
            }
        }
    }

    /// The versions a transaction reads, once each: `found` gets the key and the version.
    fn each_version_read(&mut self, node: Node, mut found: impl FnMut(&mut Self, usize, usize)) {
        if !self.must_read(node) {
            return;
        }
        self.visit += 1;
        for read in self.problem.reads(node).iter().filter(|r| r.obeys_axiom()) {
            let version = self.of.versions.of(self.problem, read.source, read.key());
            if std::mem::replace(&mut self.visited[version], self.visit) != self.visit {
                found(self, read.key(), version);
            }
        }
    }

    /// The transaction reads; versions nobody else has to read can be replaced.
    fn read(&mut self, node: Node) {
        self.each_version_read(node, |run, key, version| {
            run.unread[version] -= 1;
            if run.unread[version] <= 1 {
                run.wake(key);
            }
        });
    }

    fn wake(&mut self, key: usize) {
        for node in std::mem::take(&mut self.waiting[key]) {
            self.commits.push(Reverse((self.hint[node as usize], node)));
        }
    }

    /// Snapshots that found a lock look again.
    fn unpark(&mut self) {
        for node in std::mem::take(&mut self.parked) {
            self.snapshots.push(Reverse((self.hint[node as usize], node)));
        }
    }

    fn next_snapshot(&mut self) -> Option<Node> {
        while let Some(Reverse((_, node))) = self.snapshots.pop() {
            if !self.may_run(self.of.points.snapshot(node)) {
                continue;
            }
            let writes = self.problem.writes(node);
            if writes.iter().all(|&k| self.locked[k as usize] == INIT) {
                return Some(node);
            }
            self.parked.push(node);
        }
        None
    }

    fn run_snapshot(&mut self, node: Node) {
        for &key in self.problem.writes(node) {
            self.locked[key as usize] = node;
        }
        self.read(node);
        self.finish(self.of.points.snapshot(node));
    }

    /// Whether a transaction reads at its commit.
    fn reads_at_commit(&self, node: Node) -> bool {
        let points = &self.of.points;
        points.snapshot(node) == points.commit(node) && self.must_read(node)
    }

    /// Whether a commit has to wait for the readers of a key's version.
    fn waits_for_readers(&self, node: Node, key: usize) -> bool {
        let version = self.of.versions.of(self.problem, self.current[key], key);
        let unread = self.unread[version];
        let own =
            unread > 0 && self.reads_at_commit(node) && self.of.versions.is_reader(version, node);
        unread > u32::from(own)
    }

    /// Whether a commit has to wait for who is between snapshot and commit.
    fn waits_for_lock(&self, node: Node, key: usize) -> bool {
        self.locked[key] != INIT && self.locked[key] != node
    }

    /// Runs a commit, or leaves it waiting for a key.
    fn try_commit(&mut self, node: Node) {
        if !self.may_run(self.of.points.commit(node)) {
            return;
        }
        for &key in self.problem.writes(node) {
            let key = key as usize;
            if self.waits_for_readers(node, key) || self.waits_for_lock(node, key) {
                self.waiting[key].push(node);
                return;
            }
        }
        self.commit(node);
    }

    fn commit(&mut self, node: Node) {
        if self.reads_at_commit(node) {
            self.read(node);
        }
        for (i, &key) in self.problem.writes(node).iter().enumerate() {
            let key = key as usize;
            self.replaced[self.problem.first_write(node) + i] = self.current[key];
            self.current[key] = node;
            if self.locked[key] == node {
                self.locked[key] = INIT;
            }
            self.wake(key);
        }
        self.unpark();
        self.finish(self.of.points.commit(node));
    }

    /// Lets the likeliest of those who wait commit all the same; tells whether there was one. What ran
    /// until then stays, and what was learned from it is forgotten, for it led nowhere.
    fn force(&mut self) -> bool {
        for lesson in 0..self.lessons.len() {
            self.forget(lesson);
        }
        self.lessons.clear();
        self.lessons_after.clear();
        self.lessons_before.clear();
        self.expiring.clear();
        self.floor = self.log.len() as u32;
        if !self.ready.is_empty() {
            return true;
        }
        let mut first: Option<(u64, Node)> = None;
        for &node in self.waiting.iter().flatten() {
            let turn = (self.hint[node as usize], node);
            if first.is_none_or(|first| turn < first) && self.may_run(self.of.points.commit(node)) {
                first = Some(turn);
            }
        }
        let Some((_, node)) = first else { return false };
        self.commit(node);
        self.floor = self.log.len() as u32;
        true
    }

    /// Everybody waits: takes back the last choice that led there. Tells whether there was one.
    fn take_back(&mut self) -> bool {
        let mut choices = self.deadlock();
        let place = |c: &Choice| self.place[c.culprit as usize];
        choices.retain(|c| place(c) >= self.floor);
        let Some(culprit) = choices.iter().max_by_key(|c| place(c)).map(|c| c.culprit) else {
            return false;
        };
        let of_culprit = choices.iter().filter(|c| c.culprit == culprit);
        let waiting: Vec<Point> = of_culprit.map(|c| c.waiting).collect();
        choices.retain(|c| c.culprit != culprit);
        self.undo_from(self.place[culprit as usize]);
        self.learn(waiting, culprit, choices);
        true
    }

    fn learn(&mut self, waiting: Vec<Point>, culprit: Point, reasons: Vec<Choice>) {
        let index = self.lessons.len() as u32;
        if let Some(last) = reasons.iter().map(|c| self.place[c.culprit as usize]).max() {
            self.expiring.push((last, index));
        }
        for &point in &waiting {
            self.lessons_after.entry(point).or_default().push(index);
        }
        self.lessons_before.entry(culprit).or_default().push(index);
        self.missing[culprit as usize] += 1;
        let hint = |p: Point| self.hint[self.of.points.node(p) as usize];
        let first = waiting.iter().map(|&p| hint(p)).min().unwrap_or(0).saturating_add(1);
        let node = self.of.points.node(culprit) as usize;
        self.hint[node] = self.hint[node].max(first);
        self.lessons.push(Lesson { waiting, culprit, reasons, run: 0, forgotten: false });
    }

    fn forget(&mut self, index: usize) {
        let lesson = &mut self.lessons[index];
        if std::mem::replace(&mut lesson.forgotten, true) {
            return;
        }
        lesson.reasons = Vec::new();
        if lesson.run == 0 {
            let culprit = lesson.culprit;
            self.missing[culprit as usize] -= 1;
            if self.missing[culprit as usize] == 0 {
                self.ready.push(culprit);
            }
        }
    }

    /// The choices behind some points that wait for each other and for nobody else.
    fn deadlock(&mut self) -> Vec<Choice> {
        if self.before.is_none() {
            let edges = || self.of.edges.iter().map(|e| (e.to, e.from));
            self.before = Some(Graph::new(self.of.num_points, edges));
        }
        let commits = self.waiting.iter().flatten().map(|&n| self.of.points.commit(n));
        let snapshots = self.parked.iter().map(|&n| self.of.points.snapshot(n));
        let not_run =
            (0..self.of.num_points as Point).filter(|&p| self.place[p as usize] == NOT_RUN);
        let start = commits.chain(snapshots).find(|&p| self.may_run(p));
        let Some(start) = start.or_else(|| not_run.into_iter().next()) else { return Vec::new() };
        // All that the first point waits for, directly or not, numbered as found.
        let mut found = vec![start];
        let mut number: HashMap<Point, u32> = HashMap::from([(start, 0)]);
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut because: Vec<Vec<Choice>> = Vec::new();
        let mut at = 0;
        while at < found.len() {
            let (next, choices) = self.waits_for(found[at]);
            because.push(choices);
            for point in next {
                let to = *number.entry(point).or_insert_with(|| {
                    found.push(point);
                    found.len() as u32 - 1
                });
                edges.push((at as u32, to));
            }
            at += 1;
        }
        let waits = Graph::new(found.len(), || edges.iter().copied());
        let Some(last) = waits.cyclic_components(&vec![true; found.len()]).into_iter().next()
        else {
            return Vec::new();
        };
        let mut choices: Vec<(Point, Point)> = Vec::new();
        for &node in &last {
            let of_node = &because[node as usize];
            choices.extend(of_node.iter().map(|choice| (choice.waiting, choice.culprit)));
        }
        choices.sort_unstable();
        choices.dedup();
        choices.into_iter().map(|(waiting, culprit)| Choice { waiting, culprit }).collect()
    }

    /// For whom a point waits that has not run (one of them must run first, if there are several), and
    /// the choices because of which it does.
    fn waits_for(&self, point: Point) -> (Vec<Point>, Vec<Choice>) {
        let not_run = |p: Point| self.place[p as usize] == NOT_RUN;
        if self.missing[point as usize] > 0 {
            let before = self.before.as_ref().expect("made before anybody asks");
            if let Some(&p) = before.successors(point).iter().find(|&&p| not_run(p)) {
                return (vec![p], Vec::new());
            }
            let lessons = self.lessons_before.get(&point).map_or(&[][..], Vec::as_slice);
            let mut lessons = lessons.iter().map(|&lesson| &self.lessons[lesson as usize]);
            let lesson = lessons.find(|l| !l.forgotten && l.run == 0);
            let lesson = lesson.expect("what is missing is a predecessor or a lesson");
            return (lesson.waiting.clone(), lesson.reasons.clone());
        }
        let points = &self.of.points;
        let node = points.node(point);
        let keys = || self.problem.writes(node).iter().map(|&k| k as usize);
        if let Some(key) = keys().find(|&k| self.waits_for_lock(node, k)) {
            let holder = self.locked[key];
            let choice = Choice { waiting: point, culprit: points.snapshot(holder) };
            return (vec![points.commit(holder)], vec![choice]);
        }
        let key = keys().find(|&k| self.waits_for_readers(node, k));
        let key = key.expect("everybody waits for something");
        let writer = self.current[key];
        let version = self.of.versions.of(self.problem, writer, key);
        let readers = self.of.versions.readers(version).filter(|&r| r != node);
        let mut exits = readers.filter_map(|r| points.rw_exit(r));
        let exit = exits.find(|&p| not_run(p)).expect("an unread version has a reader to come");
        // Init comes first in any case.
        let choice = Choice { waiting: point, culprit: points.commit(writer) };
        (vec![exit], if writer == INIT { Vec::new() } else { vec![choice] })
    }

    /// Takes back all that ran from a place of the log on.
    fn undo_from(&mut self, place: u32) {
        for at in (place as usize..self.log.len()).rev() {
            self.undo(self.log[at]);
        }
        while let Some(&(reason, lesson)) = self.expiring.peek()
            && reason >= place
        {
            self.expiring.pop();
            self.forget(lesson as usize);
        }
        for at in place as usize..self.log.len() {
            let point = self.log[at];
            if self.missing[point as usize] == 0 {
                self.ready.push(point);
            }
        }
        self.log.truncate(place as usize);
        self.unpark();
    }

    fn undo(&mut self, point: Point) {
        self.place[point as usize] = NOT_RUN;
        for &to in self.graph.successors(point) {
            self.missing[to as usize] += 1;
        }
        for &lesson in self.lessons_after.get(&point).map_or(&[][..], Vec::as_slice) {
            let lesson = &mut self.lessons[lesson as usize];
            lesson.run -= 1;
            if !lesson.forgotten && lesson.run == 0 {
                self.missing[lesson.culprit as usize] += 1;
            }
        }
        let points = &self.of.points;
        if point as usize >= points.len() {
            return;
        }
        let node = points.node(point);
        let (commit, snapshot) = (points.commit(node), points.snapshot(node));
        if point == commit {
            for (i, &key) in self.problem.writes(node).iter().enumerate() {
                self.current[key as usize] = self.replaced[self.problem.first_write(node) + i];
                if snapshot != commit && self.takes_locks(node) {
                    self.locked[key as usize] = node;
                }
                self.wake(key as usize);
            }
        } else if point == snapshot && self.takes_locks(node) {
            for &key in self.problem.writes(node) {
                self.locked[key as usize] = INIT;
                self.wake(key as usize);
            }
        }
        if point == snapshot {
            self.each_version_read(node, |run, _, version| run.unread[version] += 1);
        }
    }
}

/// How much may be taken back.
struct Patience {
    /// How many points all together.
    points: usize,
    /// The most that ever ran, and how often choices were taken back since.
    longest: usize,
    times: usize,
}

impl Patience {
    /// So often choices are taken back in one place.
    const TIMES: usize = 2000;

    fn new(num_points: usize) -> Patience {
        Patience { points: 8 * num_points + 10_000, longest: 0, times: 0 }
    }

    /// Whether some is left, now that so many points have run.
    fn is_left(&mut self, ran: usize) -> bool {
        if ran > self.longest {
            (self.longest, self.times) = (ran, 0);
        }
        self.times += 1;
        self.points > 0 && self.times < Patience::TIMES
    }

    fn spend(&mut self, points: usize) {
        self.points = self.points.saturating_sub(points);
    }
}
