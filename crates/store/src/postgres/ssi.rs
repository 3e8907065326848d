//! SERIALIZABLE as PostgreSQL has it: serializable snapshot isolation [Ports and Grittner 2012; its
//! src/backend/storage/lmgr/README-SSI and predicate.c].
//!
//! Transactions run on snapshots. Where one reads what another, concurrent one overwrites, the reader has to come
//! before the writer: an edge. In every cycle of such a history there are two edges in a row,
//!
//! ```text
//!     t1 --read/overwrote--> t2 --read/overwrote--> t3
//! ```
//!
//! where t3 is the first of all to commit. So when the second of them is drawn, or when t3 commits, one of the three
//! is refused: the pivot t2 if it can be, else the one at hand. A t1 that only reads is in no cycle unless t3 had
//! committed before its snapshot.
//!
//! What is read is kept by keys, with the version, and by ranges: a row that is overwritten was read by who read that
//! very version, and one that is inserted by whoever looked where it goes. Transactions at other levels are not
//! looked at. What is kept of a transaction goes when nobody can be concurrent with it any more.

use hashbrown::HashMap;
use hobgoblin_core::{Key, SessionId, sort};

use super::xids::Xid;
use crate::ids::{KeyNo, Pos, TxnNo};
use crate::range::KeyRange;
use crate::stop::Stop;

/// The transaction at hand has to be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused;

impl From<Refused> for Stop {
    fn from(Refused: Refused) -> Stop {
        Stop::Dependencies
    }
}

/// The number of a transaction at SERIALIZABLE, in the order of snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct XactId(u32);

/// A moment when somebody was allowed to commit, or did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Moment(u64);

/// A transaction at SERIALIZABLE.
#[derive(Debug)]
struct Xact {
    session: SessionId,
    /// Whether it said that it only reads, or turned out to when it committed.
    read_only: bool,
    declared_read_only: bool,
    wrote: bool,
    /// Whether it will be rolled back, or was.
    doomed: bool,
    /// When it was allowed to commit, and when it did; all such moments have different numbers.
    prepared: Option<Moment>,
    committed: Option<Moment>,
    /// The last such moment before its snapshot.
    before_snapshot: Moment,
    /// The oldest transaction that was running when its snapshot was taken.
    xmin: Xid,
    /// The next transaction after it ended.
    ended: Option<Xid>,
    /// When the first committed that this one, which has committed, has an edge to.
    first_out: Option<Moment>,
    /// Whom it has edges to, and who has edges to it.
    outs: Vec<XactId>,
    ins: Vec<XactId>,
    /// Of one that only reads: the writers that were running at its snapshot, while it is open whether that is safe.
    /// Of others: who has it in such a list.
    unsure: Vec<XactId>,
    /// Whether its snapshot is one that nothing can go wrong with, or not, for those who said that they only read.
    safe: Option<bool>,
    reads: HashMap<KeyNo, Pos>,
    ranges: Vec<KeyRange>,
    /// The keys it used, to be released with it.
    keys: Vec<KeyNo>,
    /// Its number in versions, once committed.
    txn: Option<TxnNo>,
}

impl Xact {
    /// Of a session that takes a snapshot right now.
    fn new(session: SessionId, xmin: Xid, now: Moment, read_only: bool) -> Xact {
        Xact {
            session,
            read_only,
            declared_read_only: read_only,
            wrote: false,
            doomed: false,
            prepared: None,
            committed: None,
            before_snapshot: now,
            xmin,
            ended: None,
            first_out: None,
            outs: Vec::new(),
            ins: Vec::new(),
            unsure: Vec::new(),
            safe: None,
            reads: HashMap::new(),
            ranges: Vec::new(),
            keys: Vec::new(),
            txn: None,
        }
    }

    fn is_active(&self) -> bool {
        self.ended.is_none()
    }
}

/// The transactions at SERIALIZABLE that matter.
#[derive(Debug, Default)]
pub(super) struct Ssi {
    xacts: HashMap<XactId, Xact>,
    next: XactId,
    /// The last moment somebody prepared or committed.
    moment: Moment,
    /// The transactions that wrote versions, by the numbers in these.
    by_txn: HashMap<TxnNo, XactId>,
    /// The active ones, by session.
    by_session: HashMap<SessionId, XactId>,
    /// The keys of those that were forgotten.
    forgotten: Vec<KeyNo>,
}

impl Ssi {
    /// A transaction takes its snapshot; nothing if its reads need not be looked at.
    pub(super) fn begin(
        &mut self,
        session: SessionId,
        xmin: Xid,
        read_only: bool,
    ) -> Option<XactId> {
        let writers = |xact: &Xact| xact.is_active() && !xact.declared_read_only;
        if read_only && !self.xacts.iter().any(|(_, xact)| writers(xact)) {
            return None;
        }
        let id = self.next;
        self.next = XactId(self.next.0 + 1);
        let mut xact = Xact::new(session, xmin, self.moment, read_only);
        if read_only {
            for (&other, writer) in &mut self.xacts {
                if writers(writer) && !writer.doomed {
                    writer.unsure.push(id);
                    xact.unsure.push(other);
                }
            }
            xact.safe = xact.unsure.is_empty().then_some(true);
        }
        self.by_session.insert(session, id);
        self.xacts.insert(id, xact);
        Some(id)
    }

    /// Whether a transaction that only reads has a snapshot that is safe; nothing while that is open.
    pub(super) fn is_safe(&self, id: XactId) -> Option<bool> {
        self.get(id).safe
    }

    /// The sessions of those on whom it depends whether a snapshot is safe.
    pub(super) fn unsure(&self, id: XactId) -> Vec<SessionId> {
        self.get(id).unsure.iter().map(|&other| self.get(other).session).collect()
    }

    /// The transaction of a session, if it is active.
    pub(super) fn of_session(&self, session: SessionId) -> Option<XactId> {
        self.by_session.get(&session).copied()
    }

    /// A session's transaction is another session's now.
    pub(super) fn hand_over(&mut self, from: SessionId, to: SessionId) {
        if let Some(id) = self.by_session.remove(&from) {
            self.get_mut(id).session = to;
            self.by_session.insert(to, id);
        }
    }

    /// The transaction that wrote a version.
    pub(super) fn of_txn(&self, txn: TxnNo) -> Option<XactId> {
        self.by_txn.get(&txn).copied()
    }

    pub(super) fn is_doomed(&self, id: XactId) -> bool {
        self.get(id).doomed
    }

    /// It read this version of a key.
    pub(super) fn read(&mut self, id: XactId, key: KeyNo, pos: Pos) {
        self.get_mut(id).reads.insert(key, pos);
    }

    /// Whether it has read this version of a key.
    pub(super) fn has_read(&self, id: XactId, key: KeyNo, pos: Pos) -> bool {
        self.get(id).reads.get(&key) == Some(&pos)
    }

    /// It looked at all keys of a range.
    pub(super) fn scan(&mut self, id: XactId, range: &KeyRange) {
        let ranges = &mut self.get_mut(id).ranges;
        match ranges.last_mut().filter(|last| last.joins(range)) {
            Some(last) => last.join(range),
            None => ranges.push(range.clone()),
        }
    }

    /// It met a version that `writer` wrote and its snapshot has not.
    pub(super) fn met(&mut self, id: XactId, writer: XactId) -> Result<(), Refused> {
        let (me, other) = (self.get(id), self.get(writer));
        if id == writer || other.doomed || me.outs.contains(&writer) {
            return Ok(());
        }
        let harmless =
            |first_out: Option<Moment>| first_out.is_none_or(|at| me.before_snapshot < at);
        if me.read_only && other.committed.is_some() && harmless(other.first_out) {
            return Ok(());
        }
        self.draw(id, id, writer)
    }

    /// It is about to write: over this version of a key, or where nothing is.
    pub(super) fn write(
        &mut self,
        id: XactId,
        key: KeyNo,
        name: &Key,
        over: Option<Pos>,
    ) -> Result<(), Refused> {
        if self.is_doomed(id) {
            return Err(Refused);
        }
        let xmin = self.get(id).xmin;
        self.get_mut(id).wrote = true;
        let has_read = |xact: &Xact| match over {
            Some(pos) => xact.reads.get(&key) == Some(&pos),
            None => {
                xact.reads.contains_key(&key)
                    || xact.ranges.iter().any(|range| range.contains(name))
            }
        };
        let concurrent = |xact: &Xact| xact.ended.is_none_or(|ended| xmin < ended);
        let mut readers = Vec::new();
        for (&other, xact) in &self.xacts {
            if other != id && !xact.doomed && concurrent(xact) && has_read(xact) {
                readers.push(other);
            }
        }
        sort(&mut readers);
        for reader in readers {
            if !self.get(reader).outs.contains(&id) {
                self.draw(id, reader, id)?;
            }
        }
        Ok(())
    }

    /// Draws an edge, unless that is dangerous and the one at hand has to be refused for it.
    fn draw(&mut self, me: XactId, reader: XactId, writer: XactId) -> Result<(), Refused> {
        if self.is_dangerous(reader, writer) {
            if me == writer || self.get(writer).prepared.is_some() {
                return Err(Refused);
            }
            self.get_mut(writer).doomed = true;
        }
        self.get_mut(reader).outs.push(writer);
        self.get_mut(writer).ins.push(reader);
        Ok(())
    }

    fn is_dangerous(&self, reader: XactId, writer: XactId) -> bool {
        let (r, w) = (self.get(reader), self.get(writer));
        if w.committed.is_some() && w.first_out.is_some() {
            return true;
        }
        // reader -> writer -> last, which committed first.
        let first = |last: &Xact| {
            last.prepared.is_some_and(|prepared| {
                r.committed.is_none_or(|at| prepared <= at)
                    && w.committed.is_none_or(|at| prepared <= at)
                    && (!r.read_only || prepared <= r.before_snapshot)
            })
        };
        if w.outs.iter().any(|&last| first(self.get(last))) {
            return true;
        }
        // start -> reader -> writer, which committed first.
        let Some(prepared) = w.prepared.filter(|_| !r.read_only) else { return false };
        let start = |start: &Xact| {
            !start.doomed
                && start.committed.is_none_or(|at| at >= prepared)
                && (!start.read_only || start.before_snapshot >= prepared)
        };
        r.ins.iter().any(|&other| start(self.get(other)))
    }

    /// Whether it may commit. Those are refused, later, of whom it would be the first in a dangerous row.
    pub(super) fn prepare(&mut self, id: XactId) -> Result<(), Refused> {
        if self.is_doomed(id) {
            return Err(Refused);
        }
        for pivot in self.get(id).ins.clone() {
            let near = self.get(pivot);
            if near.committed.is_some() || near.doomed {
                continue;
            }
            let far = |other: XactId| {
                let xact = self.get(other);
                other == id || xact.committed.is_none() && !xact.read_only && !xact.doomed
            };
            if near.ins.iter().any(|&other| far(other)) {
                if near.prepared.is_some() {
                    return Err(Refused);
                }
                self.get_mut(pivot).doomed = true;
            }
        }
        self.moment = Moment(self.moment.0 + 1);
        let moment = self.moment;
        self.get_mut(id).prepared = Some(moment);
        Ok(())
    }

    /// Whether somebody it has an edge to has committed.
    pub(super) fn comes_before_a_commit(&self, id: XactId) -> bool {
        self.get(id).outs.iter().any(|&other| self.get(other).committed.is_some())
    }

    /// It ended: it committed as the transaction `txn`, or was rolled back. `next_xid` is the next transaction, `keys`
    /// those it used.
    pub(super) fn end(&mut self, id: XactId, txn: Option<TxnNo>, next_xid: Xid, keys: Vec<KeyNo>) {
        let commits = txn.is_some();
        let session = self.get(id).session;
        if self.of_session(session) == Some(id) {
            self.by_session.remove(&session);
        }
        if commits {
            self.moment = Moment(self.moment.0 + 1);
        }
        let moment = self.moment;
        let me = self.get_mut(id);
        (me.ended, me.keys) = (Some(next_xid), keys);
        if let Some(txn) = txn {
            (me.committed, me.txn) = (Some(moment), Some(txn));
            me.read_only |= !me.wrote;
            self.by_txn.insert(txn, id);
        } else {
            (me.doomed, me.prepared) = (true, None);
        }
        self.settle_edges(id, commits);
        self.settle_unsure(id, commits);
        self.clear();
    }

    /// The keys of those that do not matter any more, to be released.
    pub(super) fn take_forgotten(&mut self) -> Vec<KeyNo> {
        std::mem::take(&mut self.forgotten)
    }

    /// Notes whether its edges lead to one that committed before it, and forgets those that cannot matter any more.
    fn settle_edges(&mut self, id: XactId, commits: bool) {
        let me = self.get(id);
        let committed = |other: &XactId| self.get(*other).committed.is_some();
        let first = me.outs.iter().filter(|other| commits && committed(other));
        let first = first.filter_map(|&other| self.get(other).prepared).min();
        let first_out = first.filter(|_| !me.read_only);
        let drops_out = |other: &&XactId| {
            !commits || committed(other) || self.get(**other).before_snapshot >= self.moment
        };
        let drops_in =
            |other: &&XactId| !commits || committed(other) || self.get(**other).read_only;
        let outs: Vec<XactId> = me.outs.iter().filter(drops_out).copied().collect();
        let ins: Vec<XactId> = me.ins.iter().filter(drops_in).copied().collect();
        self.get_mut(id).first_out = first_out;
        for other in outs {
            self.erase(id, other);
        }
        for other in ins {
            self.erase(other, id);
        }
    }

    fn erase(&mut self, reader: XactId, writer: XactId) {
        self.get_mut(reader).outs.retain(|&other| other != writer);
        self.get_mut(writer).ins.retain(|&other| other != reader);
    }

    /// Tells those of whom it was open whether their snapshot is safe.
    fn settle_unsure(&mut self, id: XactId, commits: bool) {
        let unsure = std::mem::take(&mut self.get_mut(id).unsure);
        let me = self.get(id);
        let (declared, first_out) = (me.declared_read_only, me.first_out);
        let wrote = commits && me.wrote;
        for other in unsure {
            self.get_mut(other).unsure.retain(|&unsure| unsure != id);
            if declared {
                continue;
            }
            let reader = self.get_mut(other);
            if wrote && first_out.is_some_and(|at| at <= reader.before_snapshot) {
                reader.safe = Some(false);
                for writer in std::mem::take(&mut reader.unsure) {
                    self.get_mut(writer).unsure.retain(|&unsure| unsure != other);
                }
            } else if reader.unsure.is_empty() && reader.safe.is_none() {
                reader.safe = Some(true);
            }
        }
    }

    /// Forgets those who ended before anybody active began, or were rolled back.
    fn clear(&mut self) {
        let (mut oldest, mut gone) = (Xid::LAST, Vec::new());
        for xact in self.xacts.values() {
            if xact.is_active() {
                oldest = oldest.min(xact.xmin);
            }
        }
        for (&id, xact) in &self.xacts {
            if xact.ended.is_some_and(|ended| ended <= oldest || xact.committed.is_none()) {
                gone.push(id);
            }
        }
        for id in gone {
            let Some(xact) = self.xacts.remove(&id) else { continue };
            for &other in &xact.outs {
                if let Some(other) = self.xacts.get_mut(&other) {
                    other.ins.retain(|&reader| reader != id);
                }
            }
            for &other in &xact.ins {
                if let Some(other) = self.xacts.get_mut(&other) {
                    other.outs.retain(|&writer| writer != id);
                }
            }
            if let Some(txn) = xact.txn {
                self.by_txn.remove(&txn);
            }
            self.forgotten.extend(xact.keys);
        }
    }

    fn get(&self, id: XactId) -> &Xact {
        &self.xacts[&id]
    }

    fn get_mut(&mut self, id: XactId) -> &mut Xact {
        self.xacts.get_mut(&id).expect("a transaction is kept as long as somebody may ask for it")
    }
}
