//! Histories: what clients saw a database do.
//!
//! A [`History`] is sessions of transactions of events, plus, for every external read, the transaction
//! it read from (`wr`). It is immutable: a [`HistoryBuilder`](crate::HistoryBuilder) checks everything
//! once, so that nothing else re-validates. All tables are indexed by dense ids, and the events of one
//! transaction are adjacent, so walking a history is walking arrays.

use std::borrow::Cow;

use crate::event::{Event, Status};
use crate::ids::{EventId, Ids, KeyId, SessionId, TxnId};
use crate::level::Level;
use crate::schema::{Index, Schema, Table};
use crate::sides::Sides;
use crate::value::{Key, Packed, Value, Values};

/// Where a read's value came from.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::history::Source;
///
/// # use hobgoblin_core::{HistoryBuilder, Kind as BuilderKind, TxnInfo};
/// # let mut b = HistoryBuilder::new();
/// # let (s1, s2, x) = (b.session(&"s1".into()), b.session(&"s2".into()), b.key(&"x".into()));
/// # b.begin(s1);
/// # b.event_int(BuilderKind::Write, x, 1);
/// # b.end(TxnInfo { name: Some("t1"), ..TxnInfo::default() })?;
/// # b.begin(s2);
/// # b.event_int(BuilderKind::Read, x, 1);
/// # b.end(TxnInfo { name: Some("t2"), ..TxnInfo::default() })?;
/// # let history = b.finish()?;
/// // s1: t1 { w(x)=1 }
/// // s2: t2 { r(x)=1 }
/// let sources: Vec<Source> =
///     history.txns().flat_map(|txn| history.event_ids(txn)).map(|e| history.source(e)).collect();
/// assert!(matches!(sources[..], [Source::Write, Source::Txn(_)]));
/// # Ok::<(), hobgoblin_core::HistoryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Not a read.
    Write,
    /// The transaction's own last write of the key.
    Internal,
    /// Another transaction (or [`TxnId::INIT`]): the read is external, and this is its `wr`.
    Txn(TxnId),
    /// One of several transactions that wrote this value; see [`History::candidates`].
    Ambiguous,
    /// Nowhere it may come from at any level from RC up.
    Fault(Fault),
}

/// Why a read's value has no legal source [MODEL, section 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// Nobody wrote the value.
    ThinAir,
    /// Only aborted transactions wrote it (G1a).
    Aborted,
    /// Every transaction that wrote it overwrote it before it ended (G1b).
    Intermediate,
    /// Only the reading transaction wrote it, and later.
    OwnLaterWrite,
    /// The reading transaction had written the key, and this is not what it had written last.
    InternalMismatch,
}

/// [`Source`] in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedSource(u32);

impl PackedSource {
    const TAG: u32 = 1 << 31;

    pub(crate) fn new(source: Source) -> Self {
        PackedSource(match source {
            Source::Txn(t) => t.raw(),
            Source::Write => Self::TAG,
            Source::Internal => Self::TAG + 1,
            Source::Ambiguous => Self::TAG + 2,
            Source::Fault(Fault::ThinAir) => Self::TAG + 3,
            Source::Fault(Fault::Aborted) => Self::TAG + 4,
            Source::Fault(Fault::Intermediate) => Self::TAG + 5,
            Source::Fault(Fault::OwnLaterWrite) => Self::TAG + 6,
            Source::Fault(Fault::InternalMismatch) => Self::TAG + 7,
        })
    }

    #[inline]
    fn get(self) -> Source {
        if self.0 < Self::TAG {
            return Source::Txn(TxnId::new(self.0 as usize));
        }
        match self.0 - Self::TAG {
            0 => Source::Write,
            1 => Source::Internal,
            2 => Source::Ambiguous,
            3 => Source::Fault(Fault::ThinAir),
            4 => Source::Fault(Fault::Aborted),
            5 => Source::Fault(Fault::Intermediate),
            6 => Source::Fault(Fault::OwnLaterWrite),
            _ => Source::Fault(Fault::InternalMismatch),
        }
    }
}

/// A recorded history: sessions of transactions of events, and who read from whom.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::history::Source;
///
/// # use hobgoblin_core::{HistoryBuilder, Kind as BuilderKind, TxnInfo};
/// # let mut b = HistoryBuilder::new();
/// # let (s1, s2, x) = (b.session(&"s1".into()), b.session(&"s2".into()), b.key(&"x".into()));
/// # b.begin(s1);
/// # b.event_int(BuilderKind::Write, x, 1);
/// # b.end(TxnInfo { name: Some("t1"), ..TxnInfo::default() })?;
/// # b.begin(s2);
/// # b.event_int(BuilderKind::Read, x, 1);
/// # b.end(TxnInfo { name: Some("t2"), ..TxnInfo::default() })?;
/// # let history = b.finish()?;
/// // s1: t1 { w(x)=1 }
/// // s2: t2 { r(x)=1 }
/// for txn in history.txns() {
///     for event in history.event_ids(txn) {
///         if let Source::Txn(writer) = history.source(event) {
///             assert_eq!((&*history.name(txn), &*history.name(writer)), ("t2", "t1"));
///         }
///     }
/// }
/// # Ok::<(), hobgoblin_core::HistoryError>(())
/// ```
#[derive(Debug)]
pub struct History {
    pub(crate) keys: Vec<Key>,
    /// The datum of each key's initial value.
    pub(crate) initial: Vec<u32>,
    /// Whether a key's initial value was given, or is the default null.
    pub(crate) initial_given: Vec<bool>,
    pub(crate) sessions: Vec<Key>,
    /// The transactions of each session, in session order: CSR.
    pub(crate) session_start: Vec<u32>,
    pub(crate) session_txns: Vec<TxnId>,
    pub(crate) txn_session: Vec<u32>,
    /// The place of each transaction within its session.
    pub(crate) txn_position: Vec<u32>,
    pub(crate) status: Vec<Status>,
    /// Committed, or of unknown status and read by one that counts.
    pub(crate) counts: Vec<bool>,
    /// The events of each transaction, in program order: CSR.
    pub(crate) event_start: Vec<u32>,
    pub(crate) events: Vec<Event>,
    pub(crate) source: Vec<PackedSource>,
    pub(crate) datum_value: Vec<Packed>,
    pub(crate) values: Values,
    /// Who wrote each datum finally and did not abort: a transaction, none, or several.
    pub(crate) datum_writer: Vec<u32>,
    pub(crate) shared: Vec<Vec<TxnId>>,
    pub(crate) sides: Sides,
    pub(crate) faults: Vec<EventId>,
    pub(crate) ambiguous: Vec<EventId>,
}

impl History {
    /// How many transactions there are, [`TxnId::INIT`] included.
    #[doc(hidden)]
    pub fn num_txns(&self) -> usize {
        self.status.len()
    }

    /// How many sessions there are.
    #[doc(hidden)]
    pub fn num_sessions(&self) -> usize {
        self.sessions.len()
    }

    /// How many keys there are.
    #[doc(hidden)]
    pub fn num_keys(&self) -> usize {
        self.keys.len()
    }

    /// How many events there are.
    #[doc(hidden)]
    pub fn num_events(&self) -> usize {
        self.events.len()
    }

    /// All transactions but init, in the order they were recorded.
    pub fn txns(&self) -> impl DoubleEndedIterator<Item = TxnId> + ExactSizeIterator + use<> {
        Ids::<TxnId>::new(1, self.num_txns())
    }

    /// The sessions, by number.
    pub fn sessions(
        &self,
    ) -> impl DoubleEndedIterator<Item = SessionId> + ExactSizeIterator + use<> {
        Ids::<SessionId>::new(0, self.num_sessions())
    }

    /// The keys, by number.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = KeyId> + ExactSizeIterator + use<> {
        Ids::<KeyId>::new(0, self.num_keys())
    }

    /// The name of a key.
    pub fn key(&self, key: KeyId) -> &Key {
        &self.keys[key.index()]
    }

    /// The name of a session.
    pub fn session(&self, session: SessionId) -> &Key {
        &self.sessions[session.index()]
    }

    /// The value a key starts with.
    pub fn initial(&self, key: KeyId) -> Value {
        self.datum(self.initial[key.index()])
    }

    /// Whether the initial value of a key was given (otherwise it is null by default).
    #[doc(hidden)]
    pub fn initial_given(&self, key: KeyId) -> bool {
        self.initial_given[key.index()]
    }

    /// The transactions of a session, in session order.
    pub fn session_txns(&self, session: SessionId) -> &[TxnId] {
        let i = session.index();
        &self.session_txns[self.session_start[i] as usize..self.session_start[i + 1] as usize]
    }

    /// The session of a transaction; init has none.
    pub fn session_of(&self, txn: TxnId) -> Option<SessionId> {
        (txn != TxnId::INIT).then(|| SessionId::new(self.txn_session[txn.index()] as usize))
    }

    /// The place of a transaction within its session, from 0.
    #[doc(hidden)]
    pub fn position(&self, txn: TxnId) -> usize {
        self.txn_position[txn.index()] as usize
    }

    /// Whether `a` precedes `b` in session order (init precedes all others).
    #[doc(hidden)]
    pub fn so(&self, a: TxnId, b: TxnId) -> bool {
        if a == TxnId::INIT || b == TxnId::INIT {
            return a != b && a == TxnId::INIT;
        }
        self.txn_session[a.index()] == self.txn_session[b.index()]
            && self.position(a) < self.position(b)
    }

    /// What became of a transaction; init is committed.
    pub fn status(&self, txn: TxnId) -> Status {
        self.status[txn.index()]
    }

    /// Whether a transaction counts as committed: it is, or its status is unknown and a transaction
    /// that counts is known to have read from it. Where values repeat, a check may have to count more.
    #[doc(hidden)]
    pub fn counts(&self, txn: TxnId) -> bool {
        self.counts[txn.index()]
    }

    /// The id a transaction was given, if it was.
    #[doc(hidden)]
    pub fn given_name(&self, txn: TxnId) -> Option<&str> {
        self.sides.names.get(txn)
    }

    /// What to call a transaction: its id, or its number where it has none.
    pub fn name(&self, txn: TxnId) -> Cow<'_, str> {
        match self.given_name(txn) {
            _ if txn == TxnId::INIT => "init".into(),
            Some(name) => name.into(),
            None if self.sides.names.is_empty() => format!("t{txn}").into(),
            None => format!("#{txn}").into(),
        }
    }

    /// The level a transaction asked for, if it did.
    pub fn level(&self, txn: TxnId) -> Option<Level> {
        self.sides.level.get(txn.index()).copied().flatten()
    }

    /// Whether any transaction asked for a level.
    #[doc(hidden)]
    pub fn has_levels(&self) -> bool {
        self.sides.level.iter().any(Option::is_some)
    }

    /// When a transaction began, in nanoseconds.
    pub fn begin(&self, txn: TxnId) -> Option<i64> {
        self.sides.begin.get(txn.index()).copied().flatten()
    }

    /// When a transaction ended, in nanoseconds.
    pub fn end(&self, txn: TxnId) -> Option<i64> {
        self.sides.end.get(txn.index()).copied().flatten()
    }

    /// Whether any transaction has a time.
    #[doc(hidden)]
    pub fn has_times(&self) -> bool {
        !self.sides.begin.is_empty() || !self.sides.end.is_empty()
    }

    /// The line of the file a transaction begins on, from 1; 0 where there is none.
    #[doc(hidden)]
    pub fn line(&self, txn: TxnId) -> u32 {
        self.sides.txn_line.get(txn.index()).copied().unwrap_or(0)
    }

    /// The line of the file an event is on, from 1; its transaction's where it has no own.
    #[doc(hidden)]
    pub fn event_line(&self, event: EventId) -> u32 {
        match self.sides.event_line.get(event.index()) {
            Some(&line) if line != 0 => line,
            _ => self.line(self.txn_of(event)),
        }
    }

    /// The SQL statements of a transaction, where known.
    pub fn statements(&self, txn: TxnId) -> &[Box<str>] {
        self.sides.statements.get(&txn).map_or(&[], Vec::as_slice)
    }

    /// The index of the statement an event belongs to, where known.
    pub fn statement_of(&self, event: EventId) -> Option<u32> {
        self.sides.event_statement.get(&event).copied()
    }

    /// The place of an event in the order of the log, where known, by the clock of [`History::begin`] and
    /// [`History::end`]. Events of one transaction may share a place, as the rows of one scan do; then they
    /// happened there in program order.
    #[doc(hidden)]
    pub fn at(&self, event: EventId) -> Option<i64> {
        self.sides.at.get(event.index()).copied().flatten()
    }

    /// What is known of tables and indexes.
    #[doc(hidden)]
    pub fn schema(&self) -> &Schema {
        &self.sides.schema
    }

    /// The table whose rows have keys that begin with this name, where known.
    #[doc(hidden)]
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.sides.schema.tables.get(name)
    }

    /// The columns of a table, by position in the values of its rows, where known.
    #[doc(hidden)]
    pub fn columns(&self, table: &str) -> Option<&[Box<str>]> {
        self.table(table).map(|table| &*table.columns)
    }

    /// The index whose entries have keys that begin with this name, where known.
    #[doc(hidden)]
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.sides.schema.indexes.get(name)
    }

    /// The events of a transaction, in program order.
    #[inline]
    pub fn events(&self, txn: TxnId) -> &[Event] {
        &self.events[self.event_range(txn)]
    }

    /// The ids of a transaction's events, in program order.
    pub fn event_ids(
        &self,
        txn: TxnId,
    ) -> impl DoubleEndedIterator<Item = EventId> + ExactSizeIterator + use<> {
        let events = self.event_range(txn);
        Ids::<EventId>::new(events.start, events.end)
    }

    #[inline]
    fn event_range(&self, txn: TxnId) -> std::ops::Range<usize> {
        let i = txn.index();
        self.event_start[i] as usize..self.event_start[i + 1] as usize
    }

    /// The event of an id.
    #[inline]
    pub fn event(&self, event: EventId) -> Event {
        self.events[event.index()]
    }

    /// The transaction an event belongs to.
    #[doc(hidden)]
    pub fn txn_of(&self, event: EventId) -> TxnId {
        TxnId::new(self.event_start.partition_point(|&start| start <= event.raw()) - 1)
    }

    /// The value an event read or wrote.
    pub fn value(&self, event: EventId) -> Value {
        self.datum(self.events[event.index()].datum)
    }

    fn datum(&self, datum: u32) -> Value {
        self.values.unpack(self.datum_value[datum as usize])
    }

    /// Where a read's value came from.
    #[inline]
    pub fn source(&self, event: EventId) -> Source {
        self.source[event.index()].get()
    }

    /// Whether a read named the transaction it read from.
    #[doc(hidden)]
    pub fn writer_given(&self, event: EventId) -> Option<TxnId> {
        self.sides.writer.get(&event).copied()
    }

    /// Whether a read took a lock. Such reads follow `wr` but no level's axiom.
    pub fn is_locking(&self, event: EventId) -> bool {
        self.sides.locks.binary_search(&event).is_ok()
    }

    /// Whether any read took a lock.
    #[doc(hidden)]
    pub fn has_locks(&self) -> bool {
        !self.sides.locks.is_empty()
    }

    /// The transactions an external read may have read from, in the order recorded: those, not
    /// aborted and not the reader's own, whose last write of the key wrote the value.
    #[doc(hidden)]
    pub fn candidates(&self, event: EventId) -> Vec<TxnId> {
        match self.source(event) {
            Source::Txn(t) => vec![t],
            Source::Ambiguous => {
                let reader = self.txn_of(event);
                let writers = self.writers_of(self.event(event).datum);
                writers.iter().copied().filter(|&t| t != reader).collect()
            }
            _ => Vec::new(),
        }
    }

    pub(crate) const NOBODY: u32 = u32::MAX;
    pub(crate) const SHARED: u32 = 1 << 31;

    fn writers_of(&self, datum: u32) -> Cow<'_, [TxnId]> {
        match self.datum_writer[datum as usize] {
            History::NOBODY => Cow::Borrowed(&[]),
            w if w & History::SHARED != 0 => {
                Cow::Borrowed(&self.shared[(w & !History::SHARED) as usize])
            }
            w => Cow::Owned(vec![TxnId::new(w as usize)]),
        }
    }

    /// The external reads of counted or possibly counted transactions whose source is ambiguous.
    #[doc(hidden)]
    pub fn ambiguous_reads(&self) -> &[EventId] {
        &self.ambiguous
    }

    /// The reads, of all transactions that did not abort, that have a [`Fault`].
    #[doc(hidden)]
    pub fn faults(&self) -> &[EventId] {
        &self.faults
    }

    /// The known version order of a key (writers after init, oldest first), if there is one. It is a
    /// prefix: writers it leaves out come after those it names, as unread appends to a list do.
    pub fn order(&self, key: KeyId) -> Option<&[TxnId]> {
        self.sides.order.get(&key).map(Vec::as_slice)
    }

    /// The keys with a known version order.
    #[doc(hidden)]
    pub fn ordered_keys(&self) -> impl Iterator<Item = KeyId> + '_ {
        self.sides.order.iter().map(|&(key, _)| key)
    }

    /// Whether `txn` wrote `key` (for init, always).
    #[doc(hidden)]
    pub fn writes(&self, txn: TxnId, key: KeyId) -> bool {
        txn == TxnId::INIT || self.events(txn).iter().any(|e| e.is_final_write() && e.key() == key)
    }

    /// The writes, by any transaction whatever became of it, of the value an event read; slow, for
    /// explanations.
    #[doc(hidden)]
    pub fn writes_of_same_value(&self, event: EventId) -> Vec<EventId> {
        let datum = self.event(event).datum;
        let same = |(_, e): &(usize, &Event)| e.is_write() && e.datum == datum;
        self.events.iter().enumerate().filter(same).map(|(i, _)| EventId::new(i)).collect()
    }
}
