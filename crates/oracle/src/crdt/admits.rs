//! The decision by enumeration: every choice of uncertain updates, every vector of every operation.
//!
//! Each operation begins with all vectors its replica and the history permit as candidates. One
//! operation after the other takes one of its candidates, the one with the fewest left first. Two
//! vectors *fit* when each operation that observes the other also observes all the other observed:
//!
//! ```text
//! o observes p   implies   V[o][j] >= V[p][j] for every replica j.
//! ```
//!
//! Since an operation's own entry is its own index, this says everything about happens-before:
//! that vectors grow along a replica, that the order is transitive, and that it has no circle (if
//! `o` observed `p` and `p` observed `o`, then `V[p]` would hold more of `o`'s replica than
//! `V[o]`).
//!
//! A branch is cut as soon as
//!
//! - an operation has no candidate left: one that fits no candidate of some other operation is
//!   dropped, over and over, until all that are left fit something everywhere,
//! - an operation with a vector cannot have been told the truth any more ([`World::alone`]), or
//! - those with a vector have no common order ([`line_up`]).
//!
//! None of this can be mended by choosing more vectors, so nothing is lost; and when all vectors
//! are chosen, all of it together is the definition.

use serde_json::Value;

use super::history::{Act, History, Kind, Lin};
use super::lineup::line_up;
use super::read::read;
use super::verify::Witness;
use super::world::World;

/// Whether some choice of vectors, uncertain updates and order explains the history.
pub fn admits(json: &str) -> Result<bool, String> {
    find(json).map(|witness| witness.is_some())
}

/// The first explanation of the history, if there is one.
pub fn find(json: &str) -> Result<Option<Witness>, String> {
    let history = read(json)?;
    if history.ops.len() > 60 || history.elements.len() > 60 {
        return Err("too large to enumerate".into());
    }
    let uncertain: Vec<usize> =
        (0..history.ops.len()).filter(|&o| history.ops[o].perhaps).collect();
    for choice in 0u64..1 << uncertain.len() {
        let mut exists = vec![true; history.ops.len()];
        for (n, &o) in uncertain.iter().enumerate() {
            exists[o] = choice >> n & 1 == 1;
        }
        let mut search = Search::new(&history, exists);
        if search.run()? {
            return Ok(Some(search.witness()));
        }
    }
    Ok(None)
}

/// A vector: the observed prefix of every replica.
type Vector = Vec<usize>;

struct Search<'a> {
    history: &'a History,
    exists: Vec<bool>,
    /// The vectors chosen so far, and whose they are.
    sees: Vec<Vector>,
    known: Vec<bool>,
    /// The last order found, by writes (`lww`) or elements.
    rank: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(history: &'a History, exists: Vec<bool>) -> Search<'a> {
        let items = history.ops.len().max(history.elements.len());
        Search {
            history,
            exists,
            sees: vec![vec![0; history.replicas.len()]; history.ops.len()],
            known: vec![false; history.ops.len()],
            rank: (0..items).collect(),
        }
    }

    fn world(&self) -> World<'_> {
        let Search { history, sees, known, exists, .. } = self;
        World { history, sees, known, exists }
    }

    /// Whether all operations can be given vectors.
    fn run(&mut self) -> Result<bool, String> {
        let mut candidates = Vec::new();
        for o in 0..self.history.ops.len() {
            let mut vectors = self.vectors(o)?;
            self.known[o] = true;
            vectors.retain(|vector| {
                self.sees[o].clone_from(vector);
                self.world().alone(o)
            });
            self.known[o] = false;
            candidates.push(vectors);
        }
        let mut candidates: Vec<Vec<&Vector>> =
            candidates.iter().map(|vectors| vectors.iter().collect()).collect();
        while self.thin(&mut candidates) {}
        Ok(self.assign(&candidates))
    }

    /// Drops candidates that fit none of some other operation; says whether there were any.
    fn thin(&self, candidates: &mut [Vec<&Vector>]) -> bool {
        let before: usize = candidates.iter().map(Vec::len).sum();
        for o in 0..candidates.len() {
            let mut mine = std::mem::take(&mut candidates[o]);
            mine.retain(|vector| {
                let useful = |p: usize| {
                    p == o || candidates[p].iter().any(|other| self.fits(o, vector, p, other))
                };
                (0..candidates.len()).all(useful)
            });
            candidates[o] = mine;
        }
        candidates.iter().map(Vec::len).sum::<usize>() < before
    }

    /// All vectors within the bounds that the history gives an operation.
    fn vectors(&self, o: usize) -> Result<Vec<Vector>, String> {
        let op = &self.history.ops[o];
        let mut low = op.low.clone();
        for update in self.history.updates.iter().filter(|&&p| self.exists[p] && op.is_final) {
            let update = &self.history.ops[*update];
            if update.replica != op.replica {
                low[update.replica] = low[update.replica].max(update.index + 1);
            }
        }
        let mut vectors = vec![Vector::new()];
        for (&low, &high) in low.iter().zip(&op.high) {
            let longer = |vector: Vector| {
                (low..=high).map(move |seen| [vector.as_slice(), &[seen]].concat())
            };
            vectors = vectors.into_iter().flat_map(longer).collect();
            if vectors.len() > 100_000 {
                return Err("too large to enumerate".into());
            }
        }
        Ok(vectors)
    }

    /// Gives vectors to all operations that have none yet.
    fn assign(&mut self, candidates: &[Vec<&Vector>]) -> bool {
        let open = (0..candidates.len()).filter(|&o| !self.known[o]);
        let Some(o) = open.min_by_key(|&o| candidates[o].len()) else { return true };
        self.known[o] = true;
        for &vector in &candidates[o] {
            self.sees[o].clone_from(vector);
            if !self.holds(o) {
                continue;
            }
            let mut fitting = candidates.to_vec();
            fitting[o] = vec![vector];
            while self.thin(&mut fitting) {}
            let possible = fitting.iter().all(|vectors| !vectors.is_empty());
            if possible && self.assign(&fitting) {
                return true;
            }
        }
        self.known[o] = false;
        false
    }

    /// Whether each of two operations that observes the other observes all that the other does.
    fn fits(&self, o: usize, seen: &[usize], p: usize, other: &[usize]) -> bool {
        let covers = |more: &[usize], less: &[usize]| more.iter().zip(less).all(|(m, l)| m >= l);
        let (first, second) = (&self.history.ops[o], &self.history.ops[p]);
        (second.index >= seen[second.replica] || covers(seen, other))
            && (first.index >= other[first.replica] || covers(other, seen))
    }

    /// Whether everybody whose vector is known can have been told the truth.
    fn holds(&mut self, o: usize) -> bool {
        let Search { history, sees, known, exists, rank } = self;
        let world = World { history, sees, known, exists };
        let concerned = |p: &usize| world.known[*p] && (*p == o || world.observes(*p, o));
        (0..world.known.len()).filter(concerned).all(|p| world.alone(p)) && line_up(world, rank)
    }

    /// What was chosen, once all of it is.
    fn witness(&self) -> Witness {
        let history = self.history;
        let place = |o: usize| (history.ops[o].replica, history.ops[o].index);
        let vectors = |ops: &Vec<usize>| ops.iter().map(|&o| self.sees[o].clone()).collect();
        let mut witness =
            Witness { sees: history.replicas.iter().map(vectors).collect(), ..Witness::default() };
        let perhaps = |&o: &usize| history.ops[o].perhaps && self.exists[o];
        witness.exists = (0..history.ops.len()).filter(perhaps).map(place).collect();
        let mut updates: Vec<(usize, usize)> = Vec::new();
        for &o in history.updates.iter().filter(|&&o| self.exists[o]) {
            match (history.kind, &history.ops[o].act) {
                (Kind::Lww, _) if history.lin != Lin::Timestamps => updates.push((self.rank[o], o)),
                (Kind::Rga, Act::Insert { element }) => updates.push((self.rank[*element], o)),
                _ => {}
            }
        }
        updates.sort_unstable();
        witness.lin = updates.into_iter().map(|(_, o)| place(o)).collect();
        if history.kind == Kind::List {
            witness.order = self.order();
        }
        witness
    }

    /// The elements of every list in the order found.
    fn order(&self) -> Vec<(Option<Value>, Vec<Value>)> {
        let value = |datum: usize| serde_json::from_str(&self.history.data[datum]).ok();
        let elements = &self.history.elements;
        let took_place = |&e: &usize| elements[e].add.is_none_or(|add| self.exists[add]);
        let mut sorted: Vec<usize> = (0..elements.len()).filter(took_place).collect();
        sorted.sort_by_key(|&e| (elements[e].list, self.rank[e]));
        let parts = sorted.chunk_by(|&a, &b| elements[a].list == elements[b].list);
        let part = |part: &[usize]| {
            let values = part.iter().filter_map(|&e| value(elements[e].value)).collect();
            (value(elements[part[0]].list), values)
        };
        parts.map(part).collect()
    }
}
