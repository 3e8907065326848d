//! Violations an author of applications would know, found by their pattern.
//!
//! A history that violates a level violates it in many places, and [`check`](crate::check) shows one: whichever
//! its algorithm meets first. Who wants to know why a program failed asks for another: the rows the program
//! looked at, and a mistake with a name. So this module lists [`Suspect`]s, small sets of transactions whose
//! reads and writes fit one of these patterns (arrows are reads, from the version's writer):
//!
//! ```text
//!     lost update            a and b plainly read x from s, and both write x
//!     write skew             a reads x, which b replaces; b reads y, which a replaces
//!     fractured read         c reads x from t, and y from before t's write of y
//!     non-repeatable read    the same with y = x
//!     own write not read     c reads x from before a write of x by its own session
//!     session back in time   c reads a version of x older than one its session has read
//! ```
//!
//! A pattern is no proof: which of two versions is newer may be open. [`Suspects::witness`] decides: it takes
//! the transactions, keys and reads of the pattern out of the history, which only takes constraints away, and
//! checks that part. What violates a level there does in the whole history, with the same witness.
//!
//! Finding them is linear in the events, but for sorting: of every key only the next few writers after
//! a version that was read are looked at, and of every pair of transactions a few keys.

use hashbrown::{HashMap, HashSet};
use hobgoblin_core::{Anomaly, History, KeyId, Level, Target, TxnId, Witness};

use crate::decide::decide;
use crate::limits::Limits;
use crate::polynomial::Decision;
use crate::problem::{Csr, INIT, Node, Problem, Read};
use crate::witness::of_core;

/// How many writers after the version that was read are looked at.
const NEXT_WRITERS: usize = 3;

/// How many keys, or pairs of keys, of the same transactions and pattern are suspected.
const ALIKE: usize = 4;

/// The levels a suspect may violate, the weakest first.
const LEVELS: [Level; 7] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];

/// Transactions that look like an anomaly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// What they look like.
    pub anomaly: Anomaly,
    /// The keys it is about.
    pub keys: Vec<KeyId>,
    /// The transactions whose doing it is, ascending; those that wrote what they read are left out.
    pub txns: Vec<TxnId>,
    /// All nodes that are needed, ascending.
    nodes: Vec<Node>,
    /// The plain reads that count: reader, key and source.
    reads: Vec<(Node, usize, Node)>,
}

/// The suspects of a history.
#[derive(Debug)]
pub struct Suspects<'h> {
    problem: Problem<'h>,
    writers: Csr,
    all: Vec<Suspect>,
}

impl<'h> Suspects<'h> {
    /// Lists them. Keys that are `preferred` are not left out where there are many. There are none where
    /// reads returned what no level allows, or values that several transactions wrote.
    pub fn of(history: &'h History, preferred: impl Fn(KeyId) -> bool) -> Suspects<'h> {
        let problem = Problem::whole(history, Target::Level(Level::SER), &[]);
        let writers = problem.writers();
        let mut suspects = Suspects { problem, writers, all: Vec::new() };
        if history.faults().is_empty() && history.ambiguous_reads().is_empty() {
            suspects.lost_updates();
            suspects.write_skews(&preferred);
            suspects.fractured_reads(&preferred);
            suspects.sessions();
        }
        suspects
    }

    /// All of them.
    pub fn all(&self) -> &[Suspect] {
        &self.all
    }

    /// The witness of a suspect at the weakest level it violates; nothing if it violates none, or another
    /// name fits better.
    pub fn witness(&self, suspect: &Suspect, limits: &Limits) -> Option<Witness> {
        let keys: Vec<usize> = suspect.keys.iter().map(|key| key.index()).collect();
        let has_read = |node: Node, read: Read| {
            let listed = || suspect.reads.contains(&(node, read.key(), read.source));
            keys.contains(&read.key()) && (!read.obeys_axiom() || listed())
        };
        let part = self.problem.select(&suspect.nodes, |key| keys.contains(&key), has_read);
        let violated = |part: &Problem<'_>, level| {
            matches!(decide(&part.at(level), limits), Ok(Decision::Core(_)))
        };
        let level = LEVELS.into_iter().find(|&level| violated(&part, level))?;
        let part = part.at(level);
        let core = (1..part.len() as Node).collect();
        let witness = of_core(&part, core, limits);
        if !alike(witness.anomaly, suspect.anomaly) {
            return None;
        }
        // Fewer of these transactions may violate the level by what was left out.
        let nodes: Vec<Node> =
            witness.txns.iter().filter_map(|&txn| self.problem.node(txn)).collect();
        let without = |gone: &Node| {
            let rest: Vec<Node> = nodes.iter().copied().filter(|node| node != gone).collect();
            violated(&self.problem.restrict(&rest), level)
        };
        let minimal = witness.minimal && !nodes.iter().any(without);
        Some(Witness { minimal, ..witness })
    }

    /// The writers of a key after one of them, as recorded.
    fn after(&self, key: usize, writer: Node) -> &[Node] {
        let writers = self.writers.row(key);
        &writers[writers.partition_point(|&other| other <= writer)..]
    }

    fn suspect(&mut self, anomaly: Anomaly, txns: &[Node], reads: &[(Node, usize, Node)]) {
        let mut nodes: Vec<Node> = txns.to_vec();
        let mut keys: Vec<KeyId> = Vec::new();
        for &(_, key, source) in reads {
            keys.push(KeyId::new(key));
            nodes.push(source);
            // Who wrote the key in between may be what puts one version before another.
            let last =
                txns.iter().copied().filter(|&node| self.problem.writes_key(node, key)).max();
            let between = self.after(key, source).iter().copied();
            nodes.extend(between.take(NEXT_WRITERS).take_while(|&node| Some(node) < last));
        }
        let ascending = |nodes: &mut Vec<Node>| {
            nodes.sort_unstable();
            nodes.dedup();
            nodes.retain(|&node| node != INIT);
        };
        ascending(&mut nodes);
        keys.sort_unstable();
        keys.dedup();
        let mut txns = txns.to_vec();
        ascending(&mut txns);
        let txns = txns.iter().map(|&node| self.problem.txns[node as usize]).collect();
        self.all.push(Suspect { anomaly, keys, txns, nodes, reads: reads.to_vec() });
    }

    /// Transactions that write what they plainly read: those that read the same version, or where another
    /// wrote the key in between.
    fn lost_updates(&mut self) {
        let problem = &self.problem;
        let mut updates: Vec<(usize, Node, Node)> = Vec::new();
        for node in 1..problem.len() as Node {
            for &read in problem.reads(node).iter().filter(|read| read.obeys_axiom()) {
                if problem.version(node, read.key()).is_some() {
                    updates.push((read.key(), read.source, node));
                }
            }
        }
        updates.sort_unstable();
        updates.dedup();
        for same in updates.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for pair in same.windows(2).take(ALIKE) {
                let [(key, source, first), (_, _, second)] = [pair[0], pair[1]];
                let reads = [(first, key, source), (second, key, source)];
                self.suspect(Anomaly::LostUpdate, &[first, second], &reads);
            }
            let [(key, source, node)] = *same else { continue };
            let next = self.after(key, source).first().copied();
            if let Some(next) = next.filter(|&next| next < node) {
                self.suspect(Anomaly::LostUpdate, &[next, node], &[(node, key, source)]);
            }
        }
    }

    /// Pairs of transactions that each replace what the other has read.
    fn write_skews(&mut self, preferred: &impl Fn(KeyId) -> bool) {
        let mut replaced: HashMap<(Node, Node), Vec<(usize, Node)>> = HashMap::new();
        for reader in 1..self.problem.len() as Node {
            for &read in self.problem.reads(reader).iter().filter(|read| read.obeys_axiom()) {
                let next = self.after(read.key(), read.source).iter().take(NEXT_WRITERS);
                for &writer in next.filter(|&&writer| writer != reader) {
                    let keys = replaced.entry((reader, writer)).or_default();
                    keys.push((read.key(), read.source));
                }
            }
        }
        let mut pairs: Vec<(Node, Node)> =
            replaced.keys().copied().filter(|(a, b)| a < b).collect();
        pairs.sort_unstable();
        for (a, b) in pairs {
            let (Some(ours), Some(theirs)) = (replaced.get(&(a, b)), replaced.get(&(b, a))) else {
                continue;
            };
            let (ours, theirs) = (few(ours, preferred), few(theirs, preferred));
            for &(x, x_source) in &ours {
                for &(y, y_source) in theirs.iter().filter(|&&(y, _)| y != x) {
                    let reads = [(a, x, x_source), (b, y, y_source)];
                    self.suspect(Anomaly::WriteSkew, &[a, b], &reads);
                }
            }
        }
    }

    /// Transactions that read from another, and elsewhere from before it.
    fn fractured_reads(&mut self, preferred: &impl Fn(KeyId) -> bool) {
        let mut places: HashMap<usize, Vec<Node>> = HashMap::new();
        for reader in 1..self.problem.len() as Node {
            places.clear();
            let mut seen: HashSet<Node> = HashSet::new();
            let mut from: Vec<(Node, usize)> = Vec::new();
            let mut keys: Vec<u32> = Vec::new();
            for &read in self.problem.reads(reader).iter().filter(|read| read.obeys_axiom()) {
                let sources = places.entry(read.key()).or_default();
                if sources.is_empty() {
                    keys.push(read.key() as u32);
                }
                if !sources.contains(&read.source) {
                    sources.push(read.source);
                }
                if read.source != INIT && seen.insert(read.source) {
                    from.push((read.source, read.key()));
                }
            }
            for (source, by) in from {
                let mut older: Vec<(usize, Node)> = Vec::new();
                self.problem.common_keys(
                    source,
                    &keys,
                    |key| places.contains_key(&key),
                    |key| {
                        let others = places[&key].iter().filter(|&&other| other < source);
                        older.extend(others.map(|&other| (key, other)));
                    },
                );
                for (key, other) in few(&older, preferred) {
                    // Where the key itself shows both versions no other is needed.
                    let by = if places[&key].contains(&source) { key } else { by };
                    let anomaly = match by == key {
                        true => Anomaly::NonRepeatableRead,
                        false => Anomaly::FracturedRead,
                    };
                    let reads = [(reader, by, source), (reader, key, other)];
                    self.suspect(anomaly, &[source, reader], &reads);
                }
            }
        }
    }

    /// Sessions that read a version older than one they wrote or read.
    fn sessions(&mut self) {
        // The last writer, and the last version read with its reader, by session and key.
        let mut wrote: HashMap<(u32, usize), Node> = HashMap::new();
        let mut knew: HashMap<(u32, usize), (Node, Node)> = HashMap::new();
        for node in 1..self.problem.len() as Node {
            let session = self.problem.session[node as usize];
            let reads: Vec<Read> = self.problem.reads(node).to_vec();
            for &read in reads.iter().filter(|read| read.obeys_axiom()) {
                let (place, this) = ((session, read.key()), (node, read.key(), read.source));
                if let Some(&writer) = wrote.get(&place).filter(|&&writer| writer > read.source) {
                    self.suspect(Anomaly::ReadYourWrites, &[writer, node], &[this]);
                }
                if let Some(&(reader, source)) = knew.get(&place)
                    && reader != node
                    && source > read.source
                {
                    let earlier = (reader, read.key(), source);
                    self.suspect(Anomaly::NonMonotonicSession, &[reader, node], &[earlier, this]);
                }
            }
            for read in reads {
                let known = knew.entry((session, read.key())).or_insert((node, read.source));
                if read.source >= known.1 {
                    *known = (node, read.source);
                }
            }
            for &key in self.problem.writes(node) {
                wrote.insert((session, key as usize), node);
            }
        }
    }
}

/// A few of some keys, those preferred first.
fn few(keys: &[(usize, Node)], preferred: &impl Fn(KeyId) -> bool) -> Vec<(usize, Node)> {
    let mut keys = keys.to_vec();
    keys.sort_by_key(|&(key, source)| (!preferred(KeyId::new(key)), key, source));
    keys.dedup();
    keys.truncate(ALIKE);
    keys
}

/// Whether what was found is what was suspected: a read in another place is as good.
fn alike(found: Anomaly, suspected: Anomaly) -> bool {
    use Anomaly::{
        CausalityViolation, FracturedRead, NonMonotonicRead, NonMonotonicSession,
        NonRepeatableRead, ReadSkew, ReadYourWrites,
    };
    match suspected {
        FracturedRead | NonRepeatableRead => {
            matches!(found, FracturedRead | NonRepeatableRead | NonMonotonicRead | ReadSkew)
        }
        ReadYourWrites | NonMonotonicSession => {
            matches!(found, ReadYourWrites | NonMonotonicSession | CausalityViolation | ReadSkew)
        }
        _ => found == suspected,
    }
}
