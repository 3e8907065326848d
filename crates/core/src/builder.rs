//! Building a [`History`]: interning and validation; [`crate::resolve`] then reads `wr` off the values.
//!
//! Events arrive transaction by transaction. Every (key, value) pair gets one number, its *datum*, so
//! that one table lookup per event both interns the value and, when the history is finished, tells
//! every read who wrote what it returned.

#[cfg(test)]
mod tests;

use std::ops::Range;

use hashbrown::HashTable;

use crate::datums::Datums;
use crate::error::HistoryError;
use crate::event::{Event, Kind, Status};
use crate::hash::hash_bytes;
use crate::history::History;
use crate::ids::{EventId, KeyId, SessionId, TxnId};
use crate::info::{EventInfo, TxnInfo, Writer};
use crate::interner::Interner;
use crate::schema::Schema;
use crate::sides::{Sides, put};
use crate::sort::sort;
use crate::value::{Key, Packed, Value, Values};

/// Builds a [`History`].
///
/// ```
/// use hobgoblin_core::{HistoryBuilder, Kind, Source, TxnId, TxnInfo};
///
/// let mut b = HistoryBuilder::new();
/// let (s, x) = (b.session(&"s1".into()), b.key(&"x".into()));
/// b.begin(s);
/// b.event(Kind::Write, x, &1.into());
/// let writer = b.end(TxnInfo::default())?;
/// b.begin(s);
/// let read = b.event(Kind::Read, x, &1.into());
/// b.end(TxnInfo::default())?;
/// let history = b.finish()?;
/// assert_eq!(history.source(read), Source::Txn(writer));
/// # Ok::<(), hobgoblin_core::HistoryError>(())
/// ```
#[derive(Debug)]
pub struct HistoryBuilder {
    pub(crate) keys: Interner,
    pub(crate) sessions: Interner,
    pub(crate) initial: Vec<Option<Packed>>,
    pub(crate) txn_session: Vec<u32>,
    pub(crate) status: Vec<Status>,
    pub(crate) event_start: Vec<u32>,
    pub(crate) events: Vec<Event>,
    pub(crate) datums: Datums,
    /// The values of the last events, which do not have their datum yet; see [`Datums::warm`].
    waiting: Vec<Packed>,
    pub(crate) values: Values,
    pub(crate) sides: Sides,
    by_name: HashTable<TxnId>,
    pending_writers: Vec<(EventId, Box<str>)>,
    order: Vec<Option<Vec<Box<str>>>>,
    /// The session of the transaction that has begun and not ended.
    open: Option<SessionId>,
    /// The transaction continued since [`HistoryBuilder::reopen`], and its first such event.
    reopened: Option<(TxnId, usize)>,
    /// Events that continue an earlier transaction; [`HistoryBuilder::finish`] moves them there.
    pieces: Vec<(TxnId, Range<usize>)>,
    /// Transactions that are the initial one, written out.
    pub(crate) initial_txns: Vec<TxnId>,
    error: Option<HistoryError>,
}

/// How many events are given their datum at once.
const BATCH: usize = 64;

/// How many of each kind of thing a history may have.
const LIMIT: usize = 1 << 30;

impl Default for HistoryBuilder {
    fn default() -> Self {
        HistoryBuilder::new()
    }
}

impl HistoryBuilder {
    /// A builder of an empty history.
    pub fn new() -> HistoryBuilder {
        HistoryBuilder {
            keys: Interner::default(),
            sessions: Interner::default(),
            initial: Vec::new(),
            txn_session: vec![u32::MAX],
            status: vec![Status::Committed],
            event_start: vec![0, 0],
            events: Vec::new(),
            datums: Datums::default(),
            waiting: Vec::with_capacity(BATCH),
            values: Values::new(),
            sides: Sides::default(),
            by_name: HashTable::new(),
            pending_writers: Vec::new(),
            order: Vec::new(),
            open: None,
            reopened: None,
            pieces: Vec::new(),
            initial_txns: Vec::new(),
            error: None,
        }
    }

    /// The id of the key of this name, new or not.
    pub fn key(&mut self, name: &Key) -> KeyId {
        KeyId::new(self.keys.intern(name))
    }

    /// The id of the key of this integer name: [`HistoryBuilder::key`] without the wrapping.
    #[inline]
    pub fn key_int(&mut self, name: i64) -> KeyId {
        KeyId::new(self.keys.intern_int(name))
    }

    /// The id of the key of this string name: [`HistoryBuilder::key`] without the wrapping.
    #[inline]
    pub fn key_text(&mut self, name: &str) -> KeyId {
        KeyId::new(self.keys.intern_text(name))
    }

    /// The name of a key interned before.
    pub fn key_name(&self, key: KeyId) -> &Key {
        &self.keys.names[key.index()]
    }

    /// The id of the session of this name, new or not.
    pub fn session(&mut self, name: &Key) -> SessionId {
        SessionId::new(self.sessions.intern(name))
    }

    /// The id of the session of this integer name, new or not.
    #[inline]
    pub fn session_int(&mut self, name: i64) -> SessionId {
        SessionId::new(self.sessions.intern_int(name))
    }

    /// The id of the session of this string name, new or not.
    #[inline]
    pub fn session_text(&mut self, name: &str) -> SessionId {
        SessionId::new(self.sessions.intern_text(name))
    }

    /// How many keys there are so far.
    pub fn num_keys(&self) -> usize {
        self.keys.names.len()
    }

    /// How many transactions there are so far, [`TxnId::INIT`] included.
    pub fn num_txns(&self) -> usize {
        self.status.len()
    }

    /// How many events there are so far.
    pub fn num_events(&self) -> usize {
        self.events.len()
    }

    /// Gives a key its initial value.
    pub fn initial(&mut self, key: KeyId, value: &Value) -> Result<(), HistoryError> {
        if key.index() >= self.keys.names.len() {
            return Err(HistoryError::Foreign { what: "key", id: key.raw() });
        }
        if self.initial.get(key.index()).is_some_and(Option::is_some) {
            let key = self.key_name(key).clone();
            return Err(HistoryError::Twice { what: "the initial value", key });
        }
        let packed = self.values.pack(value);
        put(&mut self.initial, key.index(), Some(packed));
        Ok(())
    }

    /// Gives a key its version order: ids of transactions that write it, oldest first.
    pub fn order(&mut self, key: KeyId, writers: Vec<Box<str>>) -> Result<(), HistoryError> {
        if key.index() >= self.keys.names.len() {
            return Err(HistoryError::Foreign { what: "key", id: key.raw() });
        }
        if self.order.get(key.index()).is_some_and(Option::is_some) {
            let key = self.key_name(key).clone();
            return Err(HistoryError::Twice { what: "the version order", key });
        }
        put(&mut self.order, key.index(), Some(writers));
        Ok(())
    }

    /// Says what tables and indexes have for columns; of a name that was described before, the last is right.
    pub fn schema(&mut self, schema: Schema) {
        self.sides.schema.update(schema);
    }

    /// Begins the next transaction of a session; its events follow, then [`HistoryBuilder::end`], which
    /// fails where another one was still open.
    pub fn begin(&mut self, session: SessionId) {
        self.close_piece();
        if self.open.is_some() || self.events.len() > self.begun() {
            self.wrong(HistoryError::StillOpen);
        }
        if session.index() >= self.sessions.names.len() {
            self.wrong(HistoryError::Foreign { what: "session", id: session.raw() });
        }
        self.open = Some(session);
    }

    /// Continues a transaction that has ended: the events up to the next [`HistoryBuilder::begin`]
    /// or [`HistoryBuilder::reopen`] come after those it has. This is for logs in the order of time,
    /// where the events of transactions alternate. The finished history numbers its events anew,
    /// transaction by transaction.
    pub fn reopen(&mut self, txn: TxnId) {
        self.close_piece();
        if self.open.is_some() || self.events.len() > self.begun() {
            self.wrong(HistoryError::StillOpen);
        }
        if txn == TxnId::INIT || txn.index() >= self.status.len() {
            self.wrong(HistoryError::Foreign { what: "transaction", id: txn.raw() });
            return;
        }
        self.reopened = Some((txn, self.events.len()));
    }

    fn close_piece(&mut self) {
        if let Some((txn, start)) = self.reopened.take() {
            self.pieces.push((txn, start..self.events.len()));
        }
    }

    /// The first event of the transaction that is open or comes next.
    fn begun(&self) -> usize {
        let ended = *self.event_start.last().expect("one start per transaction and one more");
        self.pieces.last().map_or(0, |(_, range)| range.end).max(ended as usize)
    }

    /// Remembers a mistake until somebody can be told, and of several the first.
    #[cold]
    fn wrong(&mut self, error: HistoryError) {
        self.error.get_or_insert(error);
    }

    /// Adds an event to the open transaction.
    pub fn event(&mut self, kind: Kind, key: KeyId, value: &Value) -> EventId {
        let packed = self.values.pack(value);
        self.push(kind, key, packed)
    }

    /// Adds an event with an integer value: [`HistoryBuilder::event`] without the wrapping.
    #[inline]
    pub fn event_int(&mut self, kind: Kind, key: KeyId, value: i64) -> EventId {
        match Packed::int(value) {
            Some(packed) => self.push(kind, key, packed),
            None => self.event(kind, key, &Value::Int(value)),
        }
    }

    /// Adds an event with a string value: [`HistoryBuilder::event`] without the wrapping.
    pub fn event_text(&mut self, kind: Kind, key: KeyId, value: &str) -> EventId {
        let packed = self.values.pack_text(value);
        self.push(kind, key, packed)
    }

    /// Gives an event its own line: [`HistoryBuilder::describe`] for files of one event a line.
    #[inline]
    pub fn event_line(&mut self, event: EventId, line: u32) {
        if event.index() < self.events.len() {
            put(&mut self.sides.event_line, event.index(), line);
        }
    }

    /// Says more of an event added to the open transaction.
    pub fn describe(&mut self, event: EventId, info: EventInfo<'_>) -> Result<(), HistoryError> {
        let write = self.events.get(event.index()).map(|event| event.is_write());
        let Some(write) = write else {
            return Err(HistoryError::Foreign { what: "event", id: event.raw() });
        };
        if info.line != 0 {
            put(&mut self.sides.event_line, event.index(), info.line);
        }
        if info.lock {
            self.sides.locks.push(event);
        }
        if let Some(index) = info.statement {
            self.sides.event_statement.insert(event, index);
        }
        if info.at.is_some() {
            put(&mut self.sides.at, event.index(), info.at);
        }
        match info.writer {
            None => {}
            Some(_) if write => {
                return Err(HistoryError::WriterOfWrite { line: info.line });
            }
            Some(Writer::Txn(txn)) => {
                self.sides.writer.insert(event, txn);
            }
            Some(Writer::Name(name)) => match self.find(name) {
                Some(txn) => {
                    self.sides.writer.insert(event, txn);
                }
                None => self.pending_writers.push((event, name.into())),
            },
        }
        Ok(())
    }

    /// Ends the open transaction. One that is refused leaves nothing behind.
    pub fn end(&mut self, info: TxnInfo<'_>) -> Result<TxnId, HistoryError> {
        let Some(session) = self.open.take() else { return Err(HistoryError::NotOpen) };
        self.end_of(session, info)
    }

    /// Ends a transaction whose events were added without a [`HistoryBuilder::begin`], since its session is
    /// known only now.
    pub fn end_in(&mut self, session: SessionId, info: TxnInfo<'_>) -> Result<TxnId, HistoryError> {
        self.close_piece();
        match self.open {
            Some(_) => Err(HistoryError::StillOpen),
            None => self.end_of(session, info),
        }
    }

    fn end_of(&mut self, session: SessionId, info: TxnInfo<'_>) -> Result<TxnId, HistoryError> {
        let first = self.begun();
        let ended = self.check_end(first, &info).and_then(|()| {
            let txn = TxnId::new(self.status.len());
            if let Some(name) = info.name {
                self.give_name(txn, name, info.line)?;
            }
            Ok(txn)
        });
        let txn = match ended {
            Ok(txn) => txn,
            Err(error) => {
                self.discard(first);
                return Err(error);
            }
        };
        let index = txn.index();
        self.txn_session.push(session.raw());
        self.status.push(info.status);
        self.event_start.push(self.events.len() as u32);
        put(&mut self.sides.level, index, info.level);
        put(&mut self.sides.begin, index, info.begin);
        put(&mut self.sides.end, index, info.end);
        put(&mut self.sides.txn_line, index, info.line);
        if !info.statements.is_empty() {
            self.sides.statements.insert(txn, info.statements);
        }
        Ok(txn)
    }

    /// Whether the open transaction, whose events begin with `first`, may end.
    fn check_end(&mut self, first: usize, info: &TxnInfo<'_>) -> Result<(), HistoryError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.fits(self.status.len(), "transactions")?;
        let line = info.line;
        if let (Some(begin), Some(end)) = (info.begin, info.end)
            && end < begin
        {
            return Err(HistoryError::EndBeforeBegin { begin, end, line });
        }
        if !self.sides.event_statement.is_empty() {
            let count = info.statements.len();
            let first = EventId::new(first);
            for &(_, index) in self.sides.event_statement.from(&first) {
                if index as usize >= count {
                    return Err(HistoryError::UnknownStatement { index, count, line });
                }
            }
        }
        Ok(())
    }

    /// Forgets the events from this one on.
    #[cold]
    fn discard(&mut self, first: usize) {
        self.settle();
        self.events.truncate(first);
        let event = EventId::new(first);
        self.sides.event_line.truncate(first);
        self.sides.at.truncate(first);
        self.sides.locks.retain(|&lock| lock < event);
        self.sides.event_statement.truncate(&event);
        self.sides.writer.truncate(&event);
        self.pending_writers.retain(|(reader, _)| *reader < event);
    }

    fn fits(&self, count: usize, what: &'static str) -> Result<(), HistoryError> {
        if count >= LIMIT { Err(HistoryError::TooLarge { what, limit: LIMIT }) } else { Ok(()) }
    }

    fn give_name(&mut self, txn: TxnId, name: &str, line: u32) -> Result<(), HistoryError> {
        if name.is_empty() || name == "init" {
            return Err(HistoryError::ReservedName { name: name.to_owned(), line });
        }
        if let Some(first) = self.find(name) {
            let first_line = self.sides.txn_line.get(first.index()).copied().unwrap_or(0);
            return Err(HistoryError::DuplicateName { name: name.to_owned(), first_line, line });
        }
        if self.sides.names.bytes() + name.len() > u32::MAX as usize {
            return Err(HistoryError::TooLarge { what: "bytes of ids", limit: u32::MAX as usize });
        }
        self.sides.names.push(txn, name);
        let names = &self.sides.names;
        let hash = |t: &TxnId| hash_bytes(0, names.get(*t).unwrap_or_default().as_bytes());
        self.by_name.insert_unique(hash_bytes(0, name.as_bytes()), txn, hash);
        Ok(())
    }

    /// The transaction of this id, if it has been added.
    pub fn find(&self, name: &str) -> Option<TxnId> {
        if name == "init" {
            return Some(TxnId::INIT);
        }
        let same = |t: &TxnId| self.sides.names.get(*t) == Some(name);
        self.by_name.find(hash_bytes(0, name.as_bytes()), same).copied()
    }

    #[inline]
    fn push(&mut self, kind: Kind, key: KeyId, value: Packed) -> EventId {
        let index = self.events.len();
        if index >= LIMIT || self.keys.names.len() >= LIMIT {
            // Reported when the transaction ends, so that adding an event stays infallible.
            self.wrong(HistoryError::TooLarge { what: "events or keys", limit: LIMIT });
            return EventId::new(index.saturating_sub(1));
        }
        if key.index() >= self.keys.names.len() {
            self.wrong(HistoryError::Foreign { what: "key", id: key.raw() });
            return EventId::new(index.saturating_sub(1));
        }
        let write = if kind == Kind::Write { Event::WRITE } else { 0 };
        self.events.push(Event { packed: key.raw() | write, datum: 0 });
        self.waiting.push(value);
        if self.waiting.len() == BATCH {
            self.settle();
        }
        EventId::new(index)
    }

    /// Gives the waiting events their datum.
    fn settle(&mut self) {
        let first = self.events.len() - self.waiting.len();
        let events = &mut self.events[first..];
        let key = |event: &Event| event.packed & !Event::WRITE;
        self.datums.warm(events.iter().map(key).zip(self.waiting.iter().copied()));
        for (event, value) in events.iter_mut().zip(self.waiting.drain(..)) {
            event.datum = self.datums.intern(key(event), value);
        }
    }

    /// Checks the whole and finishes the history.
    pub fn finish(mut self) -> Result<History, HistoryError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        self.close_piece();
        if self.open.is_some() || self.events.len() > self.begun() {
            return Err(HistoryError::StillOpen);
        }
        self.fits(self.sessions.names.len(), "sessions")?;
        self.gather()?;
        self.take_initial_txns();
        self.resolve_order()?;
        sort(&mut self.sides.locks);
        let (initial, initial_given) = self.initial_datums();
        let (session_start, session_txns, txn_position) = self.group_sessions();
        let mut history = History {
            initial,
            initial_given,
            session_start,
            session_txns,
            txn_position,
            source: Vec::new(),
            datum_writer: Vec::new(),
            shared: Vec::new(),
            faults: Vec::new(),
            ambiguous: Vec::new(),
            counts: self.status.iter().map(|&s| s == Status::Committed).collect(),
            keys: self.keys.names,
            sessions: self.sessions.names,
            txn_session: self.txn_session,
            status: self.status,
            event_start: self.event_start,
            events: self.events,
            datum_value: self.datums.into_values(),
            values: self.values,
            sides: self.sides,
        };
        drop(self.by_name);
        history.values.drop_index();
        history.find_final_writes();
        history.find_sources();
        history.count_unknown();
        history.check_order()?;
        Ok(history)
    }

    /// Brings together what arrived in pieces: named writers, values, and the events of transactions.
    pub(crate) fn gather(&mut self) -> Result<(), HistoryError> {
        self.resolve_pending_writers()?;
        self.settle();
        self.close_piece();
        self.join_pieces();
        Ok(())
    }

    fn resolve_pending_writers(&mut self) -> Result<(), HistoryError> {
        for (event, name) in std::mem::take(&mut self.pending_writers) {
            let Some(txn) = self.find(&name) else {
                let line = self.line_of(event);
                return Err(HistoryError::UnknownWriter { name: name.into(), line });
            };
            self.sides.writer.insert(event, txn);
        }
        let missing = |(_, txn): &&(EventId, TxnId)| txn.index() >= self.status.len();
        if let Some(&(event, txn)) = self.sides.writer.iter().find(missing) {
            let (name, line) = (format!("#{txn}"), self.line_of(event));
            return Err(HistoryError::UnknownWriter { name, line });
        }
        Ok(())
    }

    fn line_of(&self, event: EventId) -> u32 {
        let own = self.sides.event_line.get(event.index()).copied().unwrap_or(0);
        if own != 0 {
            return own;
        }
        let of = self.event_start.partition_point(|&start| start <= event.raw()) - 1;
        self.sides.txn_line.get(of).copied().unwrap_or(0)
    }

    fn resolve_order(&mut self) -> Result<(), HistoryError> {
        for (key, names) in std::mem::take(&mut self.order).into_iter().enumerate() {
            let Some(names) = names else { continue };
            let key = KeyId::new(key);
            let mut txns = Vec::with_capacity(names.len());
            for name in names {
                match self.find(&name) {
                    Some(TxnId::INIT) if txns.is_empty() => {}
                    Some(txn) if txn != TxnId::INIT => txns.push(txn),
                    found => {
                        let problem = match found {
                            Some(_) => "which comes first, not later",
                            None => "but no transaction is called that",
                        };
                        let key = self.key_name(key).clone();
                        return Err(HistoryError::BadOrder { key, name: name.into(), problem });
                    }
                }
            }
            self.sides.order.insert(key, txns);
        }
        Ok(())
    }

    /// Moves the events of reopened transactions to their place: a stable counting sort.
    fn join_pieces(&mut self) {
        if self.pieces.is_empty() {
            return;
        }
        let mut owner = Vec::with_capacity(self.events.len());
        for t in 0..self.status.len() {
            owner.resize(self.event_start[t + 1] as usize, t as u32);
        }
        owner.resize(self.events.len(), 0);
        for (txn, range) in std::mem::take(&mut self.pieces) {
            owner[range].fill(txn.raw());
        }
        let mut start = vec![0u32; self.status.len() + 1];
        for &t in &owner {
            start[t as usize + 1] += 1;
        }
        for t in 1..start.len() {
            start[t] += start[t - 1];
        }
        let mut next = start.clone();
        self.event_start = start;
        let moved: Vec<u32> = owner
            .iter()
            .map(|&t| {
                let at = &mut next[t as usize];
                *at += 1;
                *at - 1
            })
            .collect();
        let mut events = self.events.clone();
        for (old, &new) in self.events.iter().zip(&moved) {
            events[new as usize] = *old;
        }
        self.events = events;
        self.sides.move_events(&|event| Some(EventId::new(moved[event.index()] as usize)));
    }

    fn initial_datums(&mut self) -> (Vec<u32>, Vec<bool>) {
        let count = self.keys.names.len();
        let mut initial = std::mem::take(&mut self.initial);
        initial.resize(count, None);
        let given = initial.iter().map(Option::is_some).collect();
        let value = |(k, value): (usize, &Option<Packed>)| {
            self.datums.intern(k as u32, value.unwrap_or(Values::NULL))
        };
        let datums = initial.iter().enumerate().map(value).collect();
        (datums, given)
    }

    fn group_sessions(&self) -> (Vec<u32>, Vec<TxnId>, Vec<u32>) {
        let mut start = vec![0u32; self.sessions.names.len() + 1];
        for &session in &self.txn_session[1..] {
            start[session as usize + 1] += 1;
        }
        for s in 1..start.len() {
            start[s] += start[s - 1];
        }
        let mut next = start.clone();
        let mut txns = vec![TxnId::INIT; self.txn_session.len() - 1];
        let mut position = vec![0u32; self.txn_session.len()];
        for (t, &session) in self.txn_session.iter().enumerate().skip(1) {
            let (at, first) = (&mut next[session as usize], start[session as usize]);
            txns[*at as usize] = TxnId::new(t);
            position[t] = *at - first;
            *at += 1;
        }
        (start, txns, position)
    }
}
