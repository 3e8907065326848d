//! Runs of all transactions on the database that is compared by value.
//!
//! What makes a run likely to get through:
//!
//! - Of those who may run, who is likely to have come first does.
//! - Nobody replaces a version that a read still has to see, or the last version of a value that somebody
//!   still has to read.
//! - Nobody replaces a version that an open read is likely to have seen, unless nothing else can run.
//! - Where all are stuck, the first who waits for a value that was there before should have had its turn
//!   then: who replaced it has to wait for it, and the run begins anew, a few times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hobgoblin_core::{CommitOrder, EventId, SortedMap, StopReason, TxnId};

use crate::by_number::ByNumber;
use crate::graph::Graph;
use crate::limits::{Limits, Ticker};
use crate::points::Point;
use crate::problem::{INIT, Node, Problem};
use crate::saturate::Saturation;

/// The open reads with their candidates.
pub(super) type Left = SortedMap<EventId, Vec<TxnId>>;

/// How many runs there are at most.
const MOST_RUNS: usize = 40;
/// How many transactions may run in all attempts together: so many times all of them, and some.
const TURNS: usize = 8;
const EXTRA: usize = 200_000;

/// Nobody in particular.
const ANYBODY: u32 = u32::MAX;

/// Where the runs got stuck: how many had run, and an open read that waits for a value it does not find.
#[derive(Clone, Copy, Debug)]
pub(super) struct StuckRead {
    pub(super) ran: usize,
    pub(super) read: EventId,
}

/// How the runs ended.
pub(super) enum Outcome {
    Through(CommitOrder),
    Stuck(Option<StuckRead>),
}

/// Runs the transactions until they get through, or it is no use.
pub(super) fn attempts(
    of: &Saturation<'_, '_>,
    left: &Left,
    when: &[u64],
    sources: &[(EventId, TxnId)],
    limits: &Limits,
) -> Result<Outcome, StopReason> {
    let Some(scene) = Scene::new(of, left, when) else { return Ok(Outcome::Stuck(None)) };
    let mut furthest: Option<StuckRead> = None;
    let ticker = &mut Ticker::new(limits);
    let mut waits: ByNumber<Vec<(Node, u32)>> = ByNumber::new();
    let most = of.problem.len() - 1;
    let mut turns = TURNS * most + EXTRA;
    for _ in 0..MOST_RUNS {
        limits.check()?;
        let mut run = Run::new(&scene, &waits);
        run.go(ticker)?;
        if run.order.len() == most {
            return Ok(Outcome::Through(run.commit_order(sources)));
        }
        if furthest.is_none_or(|furthest| run.order.len() > furthest.ran) {
            furthest = run.stuck_read().or(furthest);
        }
        let regret = run.regret();
        turns = match turns.checked_sub(run.order.len() + 1) {
            Some(turns) => turns,
            None => break,
        };
        let Some((first, second, key)) = regret else { break };
        waits.or_default(second).push((first, key));
    }
    Ok(Outcome::Stuck(furthest))
}

/// What a transaction reads of a key before it writes it.
#[derive(Clone, Copy, Debug)]
struct KeyRead {
    key: u32,
    /// The version it read or is likely to have read.
    version: u32,
    /// The value of an open read.
    datum: u32,
    /// The first such read, if it is open.
    open: Option<EventId>,
}

/// A version of a key that a transaction leaves.
#[derive(Clone, Copy, Debug)]
struct KeyWrite {
    key: u32,
    datum: u32,
}

/// What does not change from run to run.
struct Scene<'a, 'p, 'h> {
    of: &'a Saturation<'p, 'h>,
    graph: Graph,
    left: &'a Left,
    when: Vec<u64>,
    read_start: Vec<u32>,
    reads: Vec<KeyRead>,
    write_start: Vec<u32>,
    writes: Vec<KeyWrite>,
    /// The initial value of each key, if an open read may have returned it.
    initial: Vec<u32>,
    num_data: usize,
}

impl<'a, 'p, 'h> Scene<'a, 'p, 'h> {
    /// Nothing where a transaction reads two versions of one key, which no order of turns explains.
    fn new(of: &'a Saturation<'p, 'h>, left: &'a Left, when: &[u64]) -> Option<Scene<'a, 'p, 'h>> {
        let (problem, history) = (of.problem, of.problem.history);
        let mut scene = Scene {
            of,
            graph: Graph::new(of.num_points, || of.edges.iter().map(|e| (e.from, e.to))),
            left,
            when: problem.txns.iter().map(|t| when[t.index()]).collect(),
            read_start: vec![0, 0],
            reads: Vec::new(),
            write_start: vec![0, 0],
            writes: Vec::new(),
            initial: vec![ANYBODY; problem.num_keys()],
            num_data: 0,
        };
        for node in 1..problem.len() as Node {
            for event in history.events(problem.txns[node as usize]) {
                scene.num_data = scene.num_data.max(event.datum() as usize + 1);
                if event.is_final_write() {
                    scene.writes.push(KeyWrite { key: event.key().raw(), datum: event.datum() });
                }
            }
            scene.write_start.push(scene.writes.len() as u32);
            scene.add_reads(node)?;
            scene.read_start.push(scene.reads.len() as u32);
        }
        Some(scene)
    }

    fn add_reads(&mut self, node: Node) -> Option<()> {
        let (problem, history) = (self.of.problem, self.of.problem.history);
        let first = self.reads.len();
        for read in problem.reads(node).iter().filter(|r| r.obeys_axiom()) {
            let (key, datum) = (read.key() as u32, ANYBODY);
            let version = self.of.versions.of(problem, read.source, read.key()) as u32;
            match self.reads[first..].iter().find(|other| other.key == key) {
                Some(other) if other.version != version => return None,
                Some(_) => {}
                None => self.reads.push(KeyRead { key, version, datum, open: None }),
            }
        }
        for event in history.event_ids(problem.txns[node as usize]) {
            let Some(left) = self.left.get(&event) else { continue };
            let of = history.event(event);
            let (key, datum) = (of.key().raw(), of.datum());
            if left.contains(&TxnId::INIT) {
                self.initial[key as usize] = datum;
            }
            let source = problem.node(left[0])?;
            let version = self.of.versions.of(problem, source, key as usize) as u32;
            match self.reads[first..].iter().find(|other| other.key == key) {
                // A read of the same key that is settled settles this one, or contradicts it.
                Some(other) if other.open.is_none() => {
                    let source = problem.writer_of(other.version as usize);
                    if !left.contains(&problem.txns[source as usize]) {
                        return None;
                    }
                }
                Some(other) if other.datum != datum => return None,
                Some(_) => {}
                None => self.reads.push(KeyRead { key, version, datum, open: Some(event) }),
            }
        }
        Some(())
    }

    fn reads(&self, node: Node) -> &[KeyRead] {
        let i = node as usize;
        &self.reads[self.read_start[i] as usize..self.read_start[i + 1] as usize]
    }

    fn writes(&self, node: Node) -> &[KeyWrite] {
        let i = node as usize;
        &self.writes[self.write_start[i] as usize..self.write_start[i + 1] as usize]
    }
}

/// What a transaction can do now.
enum Chance {
    Go,
    /// It could, but a read is likely to want the version of this key that it would replace.
    Rather(u32),
    /// It waits for something to happen to this key.
    Wait(u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Its turn has not come, or it is over.
    Away,
    Queued,
    Waiting,
    /// It waits, but would run if nobody else could.
    Hesitating,
}

struct Run<'a, 'p, 'h> {
    scene: &'a Scene<'a, 'p, 'h>,
    /// Who has to wait for whose read of which key.
    waits: &'a ByNumber<Vec<(Node, u32)>>,
    /// How many predecessors of each point have not had their turn.
    missing: Vec<u32>,
    state: Vec<State>,
    /// Who has read.
    has_read: Vec<bool>,
    /// The writer of the current version of each key, and its value.
    writer: Vec<Node>,
    datum: Vec<u32>,
    locked: Vec<bool>,
    /// How many reads of each version are still to come: known ones, likely ones.
    known: Vec<u32>,
    likely: Vec<u32>,
    /// How many open reads of each value are still to come, and how many writes.
    wanted: Vec<u32>,
    to_come: Vec<u32>,
    /// Who replaced each value last.
    replaced_by: Vec<Node>,
    queue: BinaryHeap<Reverse<(bool, u64, Node)>>,
    hesitating: BinaryHeap<Reverse<(u64, Node)>>,
    waiting: Vec<Vec<Node>>,
    /// The writer of the version that each read saw.
    seen: Vec<Node>,
    order: Vec<Node>,
}

impl<'a, 'p, 'h> Run<'a, 'p, 'h> {
    fn new(scene: &'a Scene<'a, 'p, 'h>, waits: &'a ByNumber<Vec<(Node, u32)>>) -> Run<'a, 'p, 'h> {
        let (nodes, keys) = (scene.of.problem.len(), scene.initial.len());
        let versions = scene.of.versions.len();
        let mut run = Run {
            scene,
            waits,
            missing: vec![0; scene.graph.len()],
            state: vec![State::Away; nodes],
            has_read: vec![false; nodes],
            writer: vec![INIT; keys],
            datum: scene.initial.clone(),
            locked: vec![false; keys],
            known: vec![0; versions],
            likely: vec![0; versions],
            wanted: vec![0; scene.num_data],
            to_come: vec![0; scene.num_data],
            replaced_by: vec![INIT; scene.num_data],
            queue: BinaryHeap::new(),
            hesitating: BinaryHeap::new(),
            waiting: vec![Vec::new(); keys],
            seen: vec![INIT; scene.reads.len()],
            order: Vec::with_capacity(nodes),
        };
        for point in 0..scene.graph.len() as Point {
            for &to in scene.graph.successors(point) {
                run.missing[to as usize] += 1;
            }
        }
        for read in &scene.reads {
            match read.open {
                None => run.known[read.version as usize] += 1,
                Some(_) => {
                    run.likely[read.version as usize] += 1;
                    run.wanted[read.datum as usize] += 1;
                }
            }
        }
        for write in &scene.writes {
            run.to_come[write.datum as usize] += 1;
        }
        run
    }

    fn go(&mut self, ticker: &mut Ticker<'_>) -> Result<(), StopReason> {
        let free = (0..self.missing.len() as Point).filter(|&p| self.missing[p as usize] == 0);
        let free: Vec<Point> = free.collect();
        self.enable(free);
        loop {
            ticker.tick(16)?;
            if let Some(Reverse((_, _, node))) = self.queue.pop() {
                match self.chance(node) {
                    Chance::Go => self.turn(node),
                    Chance::Rather(key) => {
                        self.wait(node, State::Hesitating, key);
                        self.hesitating.push(Reverse((self.scene.when[node as usize], node)));
                    }
                    Chance::Wait(key) => self.wait(node, State::Waiting, key),
                }
            } else if let Some(Reverse((_, node))) = self.hesitating.pop() {
                if self.state[node as usize] != State::Hesitating {
                    continue;
                }
                match self.chance(node) {
                    Chance::Go | Chance::Rather(_) => self.turn(node),
                    Chance::Wait(key) => self.wait(node, State::Waiting, key),
                }
            } else {
                return Ok(());
            }
        }
    }

    /// All before these points has had its turn.
    fn enable(&mut self, mut free: Vec<Point>) {
        let points = &self.scene.of.points;
        while let Some(point) = free.pop() {
            if (point as usize) < points.len() {
                let node = points.node(point);
                let turn = point == points.commit(node) || point == points.snapshot(node);
                if node != INIT && turn {
                    self.enqueue(node);
                    continue;
                }
            }
            self.pass(point, &mut free);
        }
    }

    fn pass(&mut self, point: Point, free: &mut Vec<Point>) {
        for &to in self.scene.graph.successors(point) {
            self.missing[to as usize] -= 1;
            if self.missing[to as usize] == 0 {
                free.push(to);
            }
        }
    }

    fn finish(&mut self, point: Point) {
        let mut free = Vec::new();
        self.pass(point, &mut free);
        self.enable(free);
    }

    fn enqueue(&mut self, node: Node) {
        if self.state[node as usize] != State::Queued {
            self.state[node as usize] = State::Queued;
            // Who has begun ends before others begin.
            let begins = !self.has_read[node as usize];
            self.queue.push(Reverse((begins, self.scene.when[node as usize], node)));
        }
    }

    fn wait(&mut self, node: Node, state: State, key: u32) {
        self.state[node as usize] = state;
        self.waiting[key as usize].push(node);
    }

    fn wake(&mut self, key: u32) {
        for node in std::mem::take(&mut self.waiting[key as usize]) {
            if matches!(self.state[node as usize], State::Waiting | State::Hesitating) {
                self.enqueue(node);
            }
        }
    }

    /// Whether a transaction can take its next turn.
    fn chance(&self, node: Node) -> Chance {
        let scene = self.scene;
        let level = scene.of.problem.level(node);
        let reads_now = !self.has_read[node as usize];
        if reads_now {
            let unfit = |read: &&KeyRead| read.open.is_some() && !self.fits(read);
            if let Some(read) = scene.reads(node).iter().find(unfit) {
                return Chance::Wait(read.key);
            }
            if level.has_snapshot() {
                let locked =
                    |w: &&KeyWrite| level.excludes_writers() && self.locked[w.key as usize];
                let locked = scene.writes(node).iter().find(locked);
                return locked.map_or(Chance::Go, |write| Chance::Wait(write.key));
            }
        }
        if let Some(waits) = self.waits.get(node)
            && let Some(&(_, key)) = waits.iter().find(|(first, _)| !self.has_read[*first as usize])
        {
            return Chance::Wait(key);
        }
        let mut rather = None;
        for write in scene.writes(node) {
            let key = write.key as usize;
            let writer = self.writer[key];
            let version = scene.of.versions.of(scene.of.problem, writer, key);
            let own = scene.reads(node).iter().find(|read| reads_now && read.key == write.key);
            let own_known = u32::from(own.is_some_and(|read| read.open.is_none()));
            let own_open = own.filter(|read| read.open.is_some());
            if self.known[version] > own_known {
                return Chance::Wait(write.key);
            }
            let datum = self.datum[key];
            if datum != ANYBODY
                && datum != write.datum
                && self.wanted[datum as usize] > u32::from(own_open.is_some())
                && self.to_come[datum as usize] == 0
            {
                return Chance::Wait(write.key);
            }
            let own_likely = own_open.is_some_and(|read| read.version as usize == version);
            if self.likely[version] > u32::from(own_likely) {
                rather = Some(write.key);
            }
        }
        rather.map_or(Chance::Go, Chance::Rather)
    }

    /// Whether an open read can return the current version.
    fn fits(&self, read: &KeyRead) -> bool {
        const FEW: usize = 32;
        let key = read.key as usize;
        if self.datum[key] != read.datum {
            return false;
        }
        let left = read.open.and_then(|event| self.scene.left.get(&event));
        let writer = self.scene.of.problem.txns[self.writer[key] as usize];
        left.is_none_or(|left| left.len() > FEW || left.contains(&writer))
    }

    fn turn(&mut self, node: Node) {
        let scene = self.scene;
        let points = &scene.of.points;
        self.state[node as usize] = State::Away;
        if !self.has_read[node as usize] {
            self.read(node);
            if points.snapshot(node) != points.commit(node) {
                for write in scene.writes(node) {
                    self.locked[write.key as usize] = true;
                }
                return self.finish(points.snapshot(node));
            }
        }
        for write in scene.writes(node) {
            let key = write.key as usize;
            let before = self.datum[key];
            if before != ANYBODY && before != write.datum {
                self.replaced_by[before as usize] = node;
            }
            self.to_come[write.datum as usize] -= 1;
            (self.datum[key], self.writer[key]) = (write.datum, node);
            self.locked[key] = false;
            self.wake(write.key);
        }
        self.order.push(node);
        self.finish(points.commit(node));
    }

    fn read(&mut self, node: Node) {
        let scene = self.scene;
        self.has_read[node as usize] = true;
        for (at, read) in (scene.read_start[node as usize] as usize..).zip(scene.reads(node)) {
            self.seen[at] = self.writer[read.key as usize];
            match read.open {
                None => self.known[read.version as usize] -= 1,
                Some(_) => {
                    self.likely[read.version as usize] -= 1;
                    self.wanted[read.datum as usize] -= 1;
                }
            }
            self.wake(read.key);
        }
    }

    /// Those that wait to read, the likely first one first.
    fn stuck(&self) -> Vec<Node> {
        let waits = |n: &Node| self.state[*n as usize] == State::Waiting;
        let stuck = (1..self.state.len() as Node).filter(waits);
        let stuck = stuck.filter(|&n| !self.has_read[n as usize]);
        let by_time = stuck.map(|n| ((self.scene.when[n as usize], n), ())).collect();
        SortedMap::of(by_time).iter().map(|&((_, n), ())| n).collect()
    }

    /// An open read that waits for a value, rather one whose candidates have all been replaced; or else the
    /// first one to come.
    fn stuck_read(&self) -> Option<StuckRead> {
        let problem = self.scene.of.problem;
        let stuck = self.stuck();
        let ran = self.order.len();
        let mut waiting: Option<(usize, EventId)> = None;
        for &node in &stuck {
            for read in self.scene.reads(node) {
                let Some(event) = read.open.filter(|_| !self.fits(read)) else { continue };
                let Some(candidates) = self.scene.left.get(&event) else { continue };
                let mut to_come = 0;
                for &candidate in candidates {
                    let node = problem.node(candidate);
                    to_come += usize::from(node.is_some_and(|n| !self.has_read[n as usize]));
                }
                if waiting.is_none_or(|(fewest, _)| to_come < fewest) {
                    waiting = Some((to_come, event));
                }
            }
        }
        if let Some((_, read)) = waiting {
            return Some(StuckRead { ran, read });
        }
        let mut first: Option<(u64, EventId)> = None;
        for node in 1..problem.len() as Node {
            let when = self.scene.when[node as usize];
            if self.has_read[node as usize] || first.is_some_and(|(earliest, _)| earliest <= when) {
                continue;
            }
            let open = self.scene.reads(node).iter().find_map(|read| read.open);
            first = open.map(|read| (when, read)).or(first);
        }
        first.map(|(_, read)| StuckRead { ran, read })
    }

    /// Who should have had its turn before whom, by a read of which key: of those stuck, the first that
    /// waits for a value that was there.
    fn regret(&self) -> Option<(Node, Node, u32)> {
        let stuck = self.stuck();
        let session = &self.scene.of.problem.session;
        for node in stuck {
            for read in self.scene.reads(node).iter().filter(|read| read.open.is_some()) {
                let by = self.replaced_by[read.datum as usize];
                if by == INIT || self.fits(read) {
                    continue;
                }
                let known = |list: &Vec<(Node, u32)>| list.iter().any(|w| w.0 == node);
                let same = session[by as usize] == session[node as usize];
                if !same && !self.waits.get(by).is_some_and(known) {
                    return Some((node, by, read.key));
                }
            }
        }
        None
    }

    /// The order of the run, with the sources of the ambiguous reads.
    fn commit_order(&self, known: &[(EventId, TxnId)]) -> CommitOrder {
        let scene = self.scene;
        let (problem, history) = (scene.of.problem, scene.of.problem.history);
        let mut sources = known.to_vec();
        for &(event, _) in scene.left {
            let node = problem.node(history.txn_of(event)).expect("it takes part");
            let key = history.event(event).key().raw();
            let at = scene.reads(node).iter().position(|read| read.key == key);
            let at = at.expect("its key is read") + scene.read_start[node as usize] as usize;
            sources.push((event, problem.txns[self.seen[at] as usize]));
        }
        sources.sort_unstable();
        let txns = self.order.iter().map(|&n| problem.txns[n as usize]).collect();
        CommitOrder { txns, sources: of_cast(problem, sources) }
    }
}

/// The sources of those who take part.
pub(super) fn of_cast(
    problem: &Problem<'_>,
    sources: Vec<(EventId, TxnId)>,
) -> Vec<(EventId, TxnId)> {
    let takes_part = |event: EventId| problem.node(problem.history.txn_of(event)).is_some();
    sources.into_iter().filter(|&(event, _)| takes_part(event)).collect()
}
