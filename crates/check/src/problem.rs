//! What the checkers look at: the committed transactions, their external reads and final writes, in
//! arrays.
//!
//! A [`Problem`] is a history, or a part of one, after every question of who counts and who read from
//! whom has been settled. Its nodes are transactions (node 0 is init); keys are numbered within it.
//!
//! Taking transactions away, and with them the reads from them, only removes constraints: the axioms
//! speak of three transactions and a path between them. So a violation of a part is a violation of the
//! whole, which is what makes small witnesses possible.

use hobgoblin_core::{EventId, History, KeyId, Level, Source, Status, Target, TxnId};

/// A transaction of a [`Problem`].
pub(crate) type Node = u32;

/// The node of init.
pub(crate) const INIT: Node = 0;

/// An external read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    /// The key, numbered within the problem; the top bit marks a locking read.
    key: u32,
    /// Whom it read from.
    pub(crate) source: Node,
    /// Which event it is.
    pub(crate) event: EventId,
}

impl Read {
    const LOCKING: u32 = 1 << 31;

    #[inline]
    pub(crate) fn key(self) -> usize {
        (self.key & !Read::LOCKING) as usize
    }

    /// Whether the level's axiom applies; a locking read only follows `wr`.
    #[inline]
    pub(crate) fn obeys_axiom(self) -> bool {
        self.key & Read::LOCKING == 0
    }
}

/// See the [module docs](self).
#[derive(Clone, Debug)]
pub(crate) struct Problem<'h> {
    pub(crate) history: &'h History,
    pub(crate) target: Target,
    /// The transaction of each node, ascending.
    pub(crate) txns: Vec<TxnId>,
    /// The level of each node, or nothing where it is one for all.
    levels: Vec<Level>,
    /// The key of each key number, ascending; empty where they are the history's own.
    keys: Vec<KeyId>,
    num_keys: usize,
    /// The node before each in its session; init where there is none.
    pub(crate) prev: Vec<Node>,
    /// A number for each session, and each node's place in it (init has none).
    pub(crate) session: Vec<u32>,
    pub(crate) place: Vec<u32>,
    pub(crate) num_sessions: usize,
    read_start: Vec<u32>,
    reads: Vec<Read>,
    write_start: Vec<u32>,
    /// The keys each node writes, ascending within a node; init's are left out.
    writes: Vec<u32>,
}

impl<'h> Problem<'h> {
    /// The whole history. `sources` settles the ambiguous reads, by event, ascending.
    pub(crate) fn whole(
        history: &'h History,
        target: Target,
        sources: &[(EventId, TxnId)],
    ) -> Problem<'h> {
        let problem = Problem::partial(history, target, sources);
        debug_assert!(
            history.ambiguous_reads().iter().all(|event| {
                problem.node(history.txn_of(*event)).is_none()
                    || sources.binary_search_by_key(event, |s| s.0).is_ok()
            }),
            "every ambiguous read of a counted transaction is settled"
        );
        problem
    }

    /// The whole history without the ambiguous reads that `sources`, by event, ascending, leaves open.
    pub(crate) fn partial(
        history: &'h History,
        target: Target,
        sources: &[(EventId, TxnId)],
    ) -> Problem<'h> {
        let counted = counted(history, sources);
        let txns: Vec<TxnId> = std::iter::once(TxnId::INIT)
            .chain(history.txns().filter(|t| counted[t.index()]))
            .collect();
        let mut node_of = vec![u32::MAX; history.num_txns()];
        for (node, txn) in txns.iter().enumerate() {
            node_of[txn.index()] = node as u32;
        }
        let mut problem = Problem::empty(history, target, txns);
        problem.num_keys = history.num_keys();
        problem.find_sessions(history.num_sessions());
        problem.read_start.reserve(problem.txns.len() + 1);
        problem.write_start.reserve(problem.txns.len() + 1);
        let locks = history.has_locks();
        for node in 1..problem.txns.len() {
            let txn = problem.txns[node];
            let first = problem.writes.len();
            for (event, id) in history.events(txn).iter().zip(history.event_ids(txn)) {
                if event.is_write() {
                    if event.is_final_write() {
                        problem.writes.push(event.key().raw());
                    }
                    continue;
                }
                let source = match history.source(id) {
                    Source::Txn(source) => source,
                    Source::Ambiguous => {
                        match sources.binary_search_by_key(&id, |&(event, _)| event) {
                            Ok(at) => sources[at].1,
                            Err(_) => continue,
                        }
                    }
                    _ => continue,
                };
                let lock = if locks && history.is_locking(id) { Read::LOCKING } else { 0 };
                let source = node_of[source.index()];
                problem.reads.push(Read { key: event.key().raw() | lock, source, event: id });
            }
            problem.writes[first..].sort_unstable();
            problem.read_start.push(problem.reads.len() as u32);
            problem.write_start.push(problem.writes.len() as u32);
        }
        problem
    }

    fn empty(history: &'h History, target: Target, txns: Vec<TxnId>) -> Problem<'h> {
        let levels = match target {
            Target::Level(_) => Vec::new(),
            Target::Mixed(other) => {
                txns.iter().map(|&t| history.level(t).unwrap_or(other)).collect()
            }
        };
        Problem {
            history,
            target,
            levels,
            keys: Vec::new(),
            num_keys: 0,
            prev: Vec::new(),
            session: Vec::new(),
            place: Vec::new(),
            num_sessions: 0,
            read_start: vec![0, 0],
            reads: Vec::new(),
            write_start: vec![0, 0],
            writes: Vec::new(),
            txns,
        }
    }

    fn find_sessions(&mut self, num_sessions: usize) {
        // The last node seen of each session, and how many there were. Transactions are in the order
        // recorded, which within a session is session order.
        let mut last = vec![(INIT, 0u32, u32::MAX); num_sessions];
        self.prev = vec![INIT; self.txns.len()];
        self.session = vec![u32::MAX; self.txns.len()];
        self.place = vec![0; self.txns.len()];
        for node in 1..self.txns.len() {
            let session = self.history.session_of(self.txns[node]).expect("init is node 0");
            let (prev, place, number) = &mut last[session.index()];
            if *number == u32::MAX {
                *number = self.num_sessions as u32;
                self.num_sessions += 1;
            }
            self.session[node] = *number;
            self.prev[node] = *prev;
            self.place[node] = *place;
            *prev = node as u32;
            *place += 1;
        }
    }

    /// The part of this problem with these nodes (ascending, without init).
    pub(crate) fn restrict(&self, nodes: &[Node]) -> Problem<'h> {
        self.select(nodes, |_| true, |_, _| true)
    }

    /// The part of this problem with these nodes (ascending, without init), these keys and these reads.
    /// Like transactions, keys and reads that are left out take their constraints with them.
    pub(crate) fn select(
        &self,
        nodes: &[Node],
        has_key: impl Fn(usize) -> bool,
        has_read: impl Fn(Node, Read) -> bool,
    ) -> Problem<'h> {
        let txns = std::iter::once(INIT).chain(nodes.iter().copied());
        let txns: Vec<TxnId> = txns.map(|n| self.txns[n as usize]).collect();
        let mut part = Problem::empty(self.history, self.target, txns);
        let kept = |node: Node| {
            if node == INIT {
                return Some(INIT);
            }
            nodes.binary_search(&node).ok().map(|at| at as u32 + 1)
        };
        let mut keys: Vec<u32> = Vec::new();
        for &node in nodes {
            keys.extend(self.writes(node).iter().filter(|&&key| has_key(key as usize)));
        }
        keys.sort_unstable();
        keys.dedup();
        for &node in nodes {
            for &read in self.reads(node).iter().filter(|&&read| has_read(node, read)) {
                // A key nobody here writes has one version, which constrains nothing.
                let key = keys.binary_search(&(read.key() as u32));
                if let (Some(source), Ok(key)) = (kept(read.source), key) {
                    let lock = read.key & Read::LOCKING;
                    part.reads.push(Read { key: key as u32 | lock, source, event: read.event });
                }
            }
            let number = |k: &u32| keys.binary_search(k).ok().map(|at| at as u32);
            part.writes.extend(self.writes(node).iter().filter_map(number));
            part.read_start.push(part.reads.len() as u32);
            part.write_start.push(part.writes.len() as u32);
        }
        part.num_keys = keys.len();
        part.keys = keys.iter().map(|&k| self.key_id(k as usize)).collect();
        let mut sessions: Vec<(u32, u32)> = nodes
            .iter()
            .enumerate()
            .map(|(i, &n)| (self.session[n as usize], i as u32 + 1))
            .collect();
        sessions.sort_unstable();
        part.prev = vec![INIT; part.txns.len()];
        part.session = vec![u32::MAX; part.txns.len()];
        part.place = vec![0; part.txns.len()];
        let mut before: Option<(u32, u32)> = None;
        for (session, node) in sessions {
            match before {
                Some((same, prev)) if same == session => {
                    part.prev[node as usize] = prev;
                    part.place[node as usize] = part.place[prev as usize] + 1;
                }
                _ => part.num_sessions += 1,
            }
            part.session[node as usize] = part.num_sessions as u32 - 1;
            before = Some((session, node));
        }
        part
    }

    /// The same problem with one level for all.
    pub(crate) fn at(&self, level: Level) -> Problem<'h> {
        Problem { target: Target::Level(level), levels: Vec::new(), ..self.clone() }
    }

    /// Whether all the history is at read uncommitted, which asks for no commit order. Where only a
    /// part is, that part still has its place in the order of the others.
    pub(crate) fn asks_nothing(history: &History, target: Target) -> bool {
        let ru = |t: TxnId| match target {
            Target::Level(level) => !level.has_axiom(),
            Target::Mixed(other) => !history.level(t).unwrap_or(other).has_axiom(),
        };
        history.txns().all(|t| ru(t) || history.status(t) == Status::Aborted)
    }

    /// How many nodes there are, init included.
    pub(crate) fn len(&self) -> usize {
        self.txns.len()
    }

    pub(crate) fn num_keys(&self) -> usize {
        self.num_keys
    }

    /// How many external reads there are.
    pub(crate) fn num_reads(&self) -> usize {
        self.reads.len()
    }

    /// How many final writes there are.
    pub(crate) fn num_writes(&self) -> usize {
        self.writes.len()
    }

    #[inline]
    pub(crate) fn level(&self, node: Node) -> Level {
        match self.target {
            Target::Level(level) => level,
            Target::Mixed(_) => self.levels[node as usize],
        }
    }

    /// The external reads of a node, in program order.
    #[inline]
    pub(crate) fn reads(&self, node: Node) -> &[Read] {
        let i = node as usize;
        &self.reads[self.read_start[i] as usize..self.read_start[i + 1] as usize]
    }

    /// The keys a node writes, ascending; empty for init, which writes all.
    #[inline]
    pub(crate) fn writes(&self, node: Node) -> &[u32] {
        let i = node as usize;
        &self.writes[self.write_start[i] as usize..self.write_start[i + 1] as usize]
    }

    /// The index of a node's first write among all writes.
    pub(crate) fn first_write(&self, node: Node) -> usize {
        self.write_start[node as usize] as usize
    }

    /// The index of this version among all writes, if `node` writes `key`.
    #[inline]
    pub(crate) fn version(&self, node: Node, key: usize) -> Option<usize> {
        let writes = self.writes(node);
        let at = if writes.len() <= 16 {
            writes.iter().position(|&k| k as usize == key)?
        } else {
            writes.binary_search(&(key as u32)).ok()?
        };
        Some(self.first_write(node) + at)
    }

    /// The writer of the version of this index; init's versions come after all others.
    pub(crate) fn writer_of(&self, version: usize) -> Node {
        if version >= self.writes.len() {
            return INIT;
        }
        self.write_start.partition_point(|&start| start as usize <= version) as Node - 1
    }

    /// The key of the version of this index.
    pub(crate) fn write_at(&self, version: usize) -> usize {
        self.writes[version] as usize
    }

    /// Whether `node` writes `key`.
    #[inline]
    pub(crate) fn writes_key(&self, node: Node, key: usize) -> bool {
        node == INIT || self.version(node, key).is_some()
    }

    /// Calls `found` with each of `keys` that `node` writes, looking from the smaller side; `among` tells
    /// whether a key is one of them.
    #[inline]
    pub(crate) fn common_keys(
        &self,
        node: Node,
        keys: &[u32],
        among: impl Fn(usize) -> bool,
        mut found: impl FnMut(usize),
    ) {
        let writes = self.writes(node);
        if writes.len() <= keys.len() {
            writes.iter().map(|&k| k as usize).filter(|&k| among(k)).for_each(&mut found);
        } else {
            let written = |&k: &usize| self.writes_key(node, k);
            keys.iter().map(|&k| k as usize).filter(written).for_each(&mut found);
        }
    }

    pub(crate) fn key_id(&self, key: usize) -> KeyId {
        if self.keys.is_empty() { KeyId::new(key) } else { self.keys[key] }
    }

    /// The number of a key, if some node writes it.
    pub(crate) fn key_number(&self, key: KeyId) -> Option<usize> {
        if self.keys.is_empty() && self.num_keys > 0 {
            Some(key.index())
        } else {
            self.keys.binary_search(&key).ok()
        }
    }

    /// The node of a transaction, if it is part of the problem.
    pub(crate) fn node(&self, txn: TxnId) -> Option<Node> {
        self.txns.binary_search(&txn).ok().map(|at| at as u32)
    }

    /// The writers of every key (init left out), ascending.
    pub(crate) fn writers(&self) -> Csr {
        let mut csr = Csr::new(self.num_keys);
        for &key in &self.writes {
            csr.count(key as usize);
        }
        csr.make_room();
        for node in 1..self.len() as Node {
            for &key in self.writes(node) {
                csr.push(key as usize, node);
            }
        }
        csr.done();
        csr
    }

    /// The known order of versions, as triples (key, earlier, later): neighbours among the writers
    /// named, then the last of them with every other writer.
    pub(crate) fn known_orders(&self) -> Vec<(usize, Node, Node)> {
        let mut pairs = Vec::new();
        let mut keys = self.history.ordered_keys().peekable();
        if keys.peek().is_none() {
            return pairs;
        }
        let writers = self.writers();
        for key in keys {
            let Some(number) = self.key_number(key) else { continue };
            let named = self.history.order(key).unwrap_or_default();
            let writer = |t: &TxnId| self.node(*t).filter(|&n| self.writes_key(n, number));
            let named: Vec<Node> = named.iter().filter_map(writer).collect();
            pairs.extend(named.windows(2).map(|pair| (number, pair[0], pair[1])));
            if let Some(&last) = named.last() {
                let mut sorted = named.clone();
                sorted.sort_unstable();
                let others = writers.row(number).iter().copied();
                let others = others.filter(|n| sorted.binary_search(n).is_err());
                pairs.extend(others.map(|other| (number, last, other)));
            }
        }
        pairs
    }
}

/// Which transactions count, given the sources of the ambiguous reads.
fn counted(history: &History, sources: &[(EventId, TxnId)]) -> Vec<bool> {
    let mut counts: Vec<bool> =
        (0..history.num_txns()).map(|t| history.counts(TxnId::new(t))).collect();
    if sources.iter().all(|&(_, t)| counts[t.index()]) {
        return counts;
    }
    let mut queue: Vec<TxnId> = history.txns().filter(|t| counts[t.index()]).collect();
    while let Some(txn) = queue.pop() {
        for event in history.event_ids(txn) {
            let source = match history.source(event) {
                Source::Txn(source) => source,
                Source::Ambiguous => {
                    match sources.binary_search_by_key(&event, |&(event, _)| event) {
                        Ok(at) => sources[at].1,
                        Err(_) => continue,
                    }
                }
                _ => continue,
            };
            if !counts[source.index()] {
                counts[source.index()] = true;
                queue.push(source);
            }
        }
    }
    counts
}

/// Rows of numbers in one array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Csr {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Csr {
    /// So many rows without room. It is not one function of an iterator with the two that follow, since that would be made
    /// anew for each iterator.
    pub(crate) fn new(rows: usize) -> Csr {
        Csr { start: vec![0u32; rows + 2], items: Vec::new() }
    }

    /// A row will have one item more.
    #[inline]
    pub(crate) fn count(&mut self, row: usize) {
        self.start[row + 2] += 1;
    }

    /// All is counted: makes room.
    pub(crate) fn make_room(&mut self) {
        for row in 2..self.start.len() {
            self.start[row] += self.start[row - 1];
        }
        let total = self.start.last().copied().unwrap_or(0);
        self.items = vec![0; total as usize];
    }

    /// Adds an item to a row that has room.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, item: u32) {
        let at = &mut self.start[row + 1];
        self.items[*at as usize] = item;
        *at += 1;
    }

    /// All rows are full: from now on they can be read.
    pub(crate) fn done(&mut self) {
        self.start.pop();
    }

    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[u32] {
        &self.items[self.start[row] as usize..self.start[row + 1] as usize]
    }

    /// Where a row begins in [`Csr::items`].
    #[inline]
    pub(crate) fn begin(&self, row: usize) -> usize {
        self.start[row] as usize
    }

    pub(crate) fn rows(&self) -> usize {
        self.start.len() - 1
    }

    pub(crate) fn items(&self) -> &[u32] {
        &self.items
    }
}
