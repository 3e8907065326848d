//! The program as a search for states sees it: values and results by number.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use hobgoblin_core::{Level, Value};

use super::versions::{Answer, Hashing, Rest, Versions, Writer, Written};
use crate::compiled::Compiled;
use crate::error::ExploreError;
use crate::locals::{Local, Locals};
use crate::record::{Done, Next, Outcome, Read};

/// Different things, each with a number.
pub(super) struct Numbered<T> {
    pub(super) items: Vec<T>,
    table: HashTable<u32>,
}

impl<T: Hash + Eq> Numbered<T> {
    pub(super) fn new() -> Numbered<T> {
        Numbered { items: Vec::new(), table: HashTable::new() }
    }

    /// The number of an item, and whether it is new.
    pub(super) fn insert(&mut self, item: T) -> (u32, bool) {
        let items = &self.items;
        let hash_of = |&at: &u32| Hashing::default().hash_one(&items[at as usize]);
        let hash = Hashing::default().hash_one(&item);
        match self.table.entry(hash, |&at| items[at as usize] == item, hash_of) {
            Entry::Occupied(at) => (*at.get(), false),
            Entry::Vacant(free) => {
                let number = items.len() as u32;
                free.insert(number);
                self.items.push(item);
                (number, true)
            }
        }
    }
}

/// What a session told so far: what its transactions came to, and its locals.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Told {
    outcomes: Vec<Outcome>,
    /// In order of their names, without those that are null.
    locals: Locals,
}

/// A transaction that ended after these reads.
pub(super) struct Ended<V> {
    pub(super) versions: V,
    pub(super) sources: Box<[u8]>,
    /// What its session told then.
    pub(super) told: u32,
}

/// A run of a body up to its end.
struct Run<W> {
    view: W,
    reads: Vec<Read>,
    done: Done,
}

/// A look at the observed keys: whom they are read from, and what they hold.
pub(super) struct Look {
    pub(super) sources: Box<[u8]>,
    pub(super) held: Vec<Value>,
}

/// A program and the numbers of what occurred in it.
pub(super) struct World<'a> {
    pub(super) compiled: &'a Compiled<'a>,
    /// The transactions of each session.
    pub(super) sessions: Vec<Vec<u8>>,
    /// The levels of the transactions, session by session.
    levels: Vec<Vec<Level>>,
    /// The transaction that looks at observed keys.
    pub(super) observer: Option<u8>,
    values: Numbered<Value>,
    told: Numbered<Told>,
}

impl<'a> World<'a> {
    pub(super) fn new(compiled: &'a Compiled<'a>) -> World<'a> {
        let count = compiled.program.sessions.len();
        let (mut sessions, mut levels) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut observer = None;
        for (number, info) in compiled.txns.iter().enumerate().skip(1) {
            match sessions.get_mut(info.session) {
                None => observer = Some(number as u8),
                Some(session) => {
                    session.push(number as u8);
                    levels[info.session].push(info.level);
                }
            }
        }
        let (values, told) = (Numbered::new(), Numbered::new());
        World { compiled, sessions, levels, observer, values, told }
    }

    /// What a session tells before its first transaction.
    pub(super) fn untold(&mut self, session: usize) -> u32 {
        let locals = tidy(&self.compiled.program.sessions[session].locals);
        self.told.insert(Told { outcomes: Vec::new(), locals }).0
    }

    /// What is left when sessions have come so far.
    pub(super) fn rest(&self, done: &[u8]) -> Rest<'_> {
        let left = self.levels.iter().zip(done).map(|(levels, &done)| &levels[usize::from(done)..]);
        let observer = self.observer.map(|txn| self.compiled.txns[usize::from(txn)].level);
        Rest { levels: left.collect(), observer }
    }

    /// Runs a transaction of a session that told this in every way it can go.
    pub(super) fn run<V: Versions>(
        &mut self,
        txn: u8,
        told: u32,
        versions: &V,
    ) -> Result<Vec<Ended<V>>, ExploreError> {
        let info = &self.compiled.txns[usize::from(txn)];
        let locals = self.told.items[told as usize].locals.clone();
        let views = versions.begin(info.session, info.level);
        let mut ended = Vec::new();
        for Run { view, reads, done } in self.runs(txn, &locals, versions, views)? {
            let mut writes = Vec::new();
            for (key, value) in &done.writes {
                let (value, _) = self.values.insert(value.clone());
                writes.push(Written { key: *key, value, by: Writer(txn) });
            }
            if let Some(versions) = versions.end(view, info.session, &writes) {
                let mut outcomes = self.told.items[told as usize].outcomes.clone();
                outcomes.push(done.outcome.clone());
                let (told, _) = self.told.insert(Told { outcomes, locals: tidy(&done.locals) });
                let sources = reads.iter().map(|read| read.source).collect();
                ended.push(Ended { versions, sources, told });
            }
        }
        Ok(ended)
    }

    /// Every look at the observed keys.
    pub(super) fn look<V: Versions>(
        &mut self,
        txn: u8,
        versions: &V,
    ) -> Result<Vec<Look>, ExploreError> {
        let view = versions.observe(self.compiled.txns[usize::from(txn)].level);
        let runs = self.runs(txn, &Locals::default(), versions, vec![view])?;
        let look = |Run { reads, .. }: Run<V::View>| Look {
            sources: reads.iter().map(|read| read.source).collect(),
            held: reads.into_iter().map(|read| read.value).collect(),
        };
        Ok(runs.into_iter().map(look).collect())
    }

    /// Every run of a transaction up to its end.
    fn runs<V: Versions>(
        &mut self,
        txn: u8,
        locals: &Locals,
        versions: &V,
        views: Vec<V::View>,
    ) -> Result<Vec<Run<V::View>>, ExploreError> {
        let mut open: Vec<(V::View, Vec<Read>)> =
            views.into_iter().map(|view| (view, Vec::new())).collect();
        let mut runs = Vec::new();
        while let Some((view, reads)) = open.pop() {
            match self.compiled.run(txn, locals, &reads)? {
                Next::End(done) => runs.push(Run { view, reads, done }),
                Next::Read { key, trace } => {
                    for Answer { view, value, by } in versions.read(&view, key) {
                        let value = match value {
                            Some(value) => self.values.items[value as usize].clone(),
                            None => self.compiled.initial(key),
                        };
                        let mut reads = reads.clone();
                        reads.push(Read { key, source: by.0, value, trace });
                        open.push((view, reads));
                    }
                }
            }
        }
        Ok(runs)
    }
}

/// Locals that differ only in their order, or in being null, are the same.
pub(super) fn tidy(locals: &[Local]) -> Locals {
    let set = locals.iter().filter(|(_, value)| *value != Value::Null);
    let mut tidy: Vec<Local> = set.cloned().collect();
    tidy.sort_unstable();
    Locals::new(&tidy)
}
