//! Which truth a store tells: what a transaction may read, and what a write or a commit waits for or is refused for.
//!
//! The [`Machine`](crate::Machine) knows what all stores have in common: sessions, keys and their versions, the
//! events of open transactions, savepoints, the log and the history. What differs is a [`Truth`], one for each
//! profile, and the machine asks nothing else about the profile:
//!
//! ```text
//!     machine, serve, scan       sessions, events, log, history
//!          |  asks
//!        Truth
//!     /    |     \
//!  spec postgres mysql           what each knows of an open transaction is its own View
//!            \   /
//!           engine               snapshots, version order by arrival, locks
//! ```
//!
//! - [`spec`](crate::spec) tells whatever the axioms of the level allow. It chooses, and locks nothing but objects.
//! - [`postgres`](crate::postgres) has snapshots, row locks of four strengths, lets the first updater win and refuses
//!   dangerous rows of transactions.
//! - [`mysql`](crate::mysql) has snapshots for plain reads only; what locks or writes sees the newest.
//!
//! A truth keeps a view of each open transaction, by session: from [`Truth::begin`] to [`Truth::end`], or to the
//! session that [`Truth::hand_over`] gives it to. What is the same for all stores of a profile, and can be asked before
//! there is one, are its [`Facts`].
//!
//! Whoever adds a profile writes such a `Truth`, its `Facts`, and a line in [`profiles`](crate::profiles). A scan
//! comes with its range, its lock and how long to wait, before any of its keys is read. Where it is not seen in one snapshot
//! it comes to one key after the other: a profile that locks the gaps between keys does that in [`Truth::come_to`] and
//! [`Truth::come_to_end`], and looks at what is inserted there in [`Truth::read`] and [`Truth::write`].

use std::fmt;

use hobgoblin_core::{Level, SessionId, Value};

use crate::choose::Chooser;
use crate::config::{Config, Policy};
use crate::error::AbortReason;
use crate::ids::{KeyNo, Pos, TxnNo};
use crate::keys::Keys;
use crate::lock::{Lock, Wait};
use crate::locks::Locks;
use crate::open::{Left, Open};
use crate::range::KeyRange;
use crate::stop::Stop;

/// What a store of one profile decides. Sessions and keys by number; `session` always has a transaction open, unless
/// something else is said.
pub(crate) trait Truth: fmt::Debug + Send + Sync {
    /// The locks on objects, and on keys where there are such.
    fn locks(&self) -> &Locks;

    /// The same locks, to change them.
    fn locks_mut(&mut self) -> &mut Locks;

    /// Begins the transaction of a session that has none open. `snapshot_isolation` is what the
    /// session says of [`Config::snapshot_isolation`], if it says anything.
    fn begin(
        &mut self,
        session: SessionId,
        level: Level,
        snapshot_isolation: Option<bool>,
        keys: &mut Keys,
    );

    /// Begins a statement: `now`, or else with its first read.
    fn statement(&mut self, session: SessionId, now: bool);

    /// Says that the statement at hand has waited before it read anything. It sees all that is
    /// there now.
    fn renew(&mut self, session: SessionId);

    /// Says that the transaction only reads. One that is deferrable may have to wait for a snapshot
    /// that is safe.
    fn read_only(&mut self, session: SessionId, deferrable: bool, keys: &Keys) -> Result<(), Stop>;

    /// Answers a read of a key that the transaction has not written.
    fn read(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        chooser: &mut Chooser,
        keys: &mut Keys,
    ) -> Result<Read, Stop>;

    /// A read of what the transaction wrote itself, which may ask for more than the writer's lock.
    fn read_own(
        &mut self,
        session: SessionId,
        key: KeyNo,
        manner: Manner,
        keys: &Keys,
    ) -> Result<(), Stop>;

    /// Whether the transaction is known to have read a key, so that nobody has to ask.
    fn has_read(&self, session: SessionId, key: KeyNo) -> bool;

    /// Whether the plain reads of the transaction see what others have written and not committed.
    fn sees_uncommitted(&self, session: SessionId) -> bool;

    /// Says that a key came up in a range that the transaction has scanned, and so read as absent.
    fn came_up(&mut self, session: SessionId, key: KeyNo);

    /// Begins a scan of a range. What it locks beside the keys themselves it locks now. The answer
    /// says how its keys are read.
    fn scan(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        keys: &mut Keys,
    ) -> Result<Option<Seeing>, Stop>;

    /// Says that a scan which is [watched](Seeing::watched) is about to see this key.
    fn look(&mut self, session: SessionId, key: KeyNo, keys: &Keys) -> Result<(), Stop>;

    /// Says that a scan whose keys are read one by one has come to this key, and locks what is to
    /// be locked beside it. Returns whether the scan reads it.
    fn come_to(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        key: KeyNo,
        keys: &Keys,
    ) -> Result<bool, Stop>;

    /// Says that such a scan has come to the end of its range.
    fn come_to_end(&mut self, session: SessionId, scan: &Scan<'_>, keys: &Keys)
    -> Result<(), Stop>;

    /// Says that the key a locking scan came to last fails a condition.
    fn pass_over(&mut self, session: SessionId);

    /// Says which part of its range a scan has read. Returns whether keys that come up there later
    /// count as read, and absent.
    fn scanned(&mut self, session: SessionId, scan: &Scan<'_>, seen: &KeyRange) -> bool;

    /// Says that the transaction is about to write a key, where it has written `own` last.
    fn write(
        &mut self,
        session: SessionId,
        key: KeyNo,
        own: Option<&Value>,
        keys: &Keys,
    ) -> Result<(), Stop>;

    /// Whether a transaction that is about to commit has written what it [wrote as it was](Facts::spares_rewrites).
    fn tells_rewrites(&self, session: SessionId) -> bool;

    /// Takes the transaction back to where it had taken so many locks. `open` is what is left of
    /// it.
    fn rollback(&mut self, session: SessionId, mark: usize, open: &Open, keys: &Keys);

    /// The reason why a transaction that is about to commit or to be prepared must be refused, if
    /// there is one.
    fn refuses(&mut self, session: SessionId, written: &[Left], keys: &Keys)
    -> Option<AbortReason>;

    /// Gives the transaction to another session, which has none. Only where the [`Facts`] say so.
    fn hand_over(&mut self, from: SessionId, to: SessionId);

    /// Commits what a transaction has written, which is not nothing.
    fn commit(&mut self, session: SessionId, open: &Open, written: &[Left], keys: &mut Keys);

    /// Ends a transaction. Nothing is kept of it but what others have to know.
    fn end(&mut self, session: SessionId, open: &mut Open, committed: bool, keys: &mut Keys);

    /// Says that the session's transaction was refused; it has ended.
    fn was_refused(&mut self, session: SessionId, reason: AbortReason);

    /// Closes a session that has no transaction. It will not come back if it is `for_good`.
    fn disconnect(&mut self, session: SessionId, for_good: bool);

    /// Makes every transaction that has not read yet see all that is committed.
    fn fence(&mut self);

    /// Tells how many ticks have passed since the beginning.
    fn tick(&mut self, now: u64);

    /// The level that a history says the transaction has.
    fn recorded_level(&self, session: SessionId) -> Level;

    /// How many commits the plain reads of the transaction see at present; `None` if that is not
    /// decided yet.
    fn snapshot_of(&self, session: SessionId) -> Option<Pos>;

    /// The live commits in commit order. Empty where the versions of keys are in that order anyway.
    fn commit_order(&self) -> Vec<u32>;
}

/// What a read asks for beyond the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// How it chooses, if there is a choice.
    pub(crate) policy: Policy,
    pub(crate) lock: Option<Lock>,
    pub(crate) wait: Wait,
    /// Whether it sees the newest version whatever its snapshot.
    pub(crate) latest: bool,
    /// Whether it is the read that an insert of the key begins with.
    pub(crate) insert: bool,
}

impl Manner {
    /// The read that an insert begins with, which locks in this strength what is there.
    pub(crate) fn of_insert(policy: Policy, lock: Lock) -> Manner {
        let (lock, wait) = (Some(lock), Wait::Forever);
        Manner { policy, lock, wait, latest: true, insert: true }
    }

    /// Whether it sees the newest version rather than the snapshot's, as the history says.
    pub(crate) fn is_locking(self) -> bool {
        self.lock.is_some() || self.latest
    }
}

/// A version, as a read returns it.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) txn: TxnNo,
    pub(crate) value: Value,
    /// Whether it is the newest that is committed.
    pub(crate) newest: bool,
    /// Whether there were others to choose from.
    pub(crate) open: bool,
    /// Whether the reader gets nothing: the row it saw before was deleted, and another row now has
    /// its key.
    pub(crate) gone: bool,
    /// Whether the history has it as a locking read.
    pub(crate) locks: bool,
}

/// What a scan is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan<'r> {
    pub(crate) range: &'r KeyRange,
    /// After how many keys that hold a value it stops.
    pub(crate) limit: usize,
    pub(crate) backwards: bool,
    pub(crate) manner: Manner,
}

/// How a scan sees all its keys at once: in a snapshot, without waiting. Otherwise they are read
/// one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeing {
    /// How many commits the snapshot has.
    pub(crate) snapshot: Pos,
    /// Whether the truth wants to [`look`](Truth::look) at each key.
    pub(crate) watched: bool,
}

/// How a statement that changes or locks rows finds them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scanning {
    /// It finds them by plain reads. What it found is locked then, and looked at again if it has
    /// changed.
    Finds,
    /// It sees the newest rows, and locks each when it comes to it.
    Locks {
        /// Whether an UPDATE looks at the newest committed version first, and locks only rows that
        /// satisfy its conditions.
        skims: bool,
        /// Whether rows that fail the conditions are released again.
        releases: bool,
        /// The lock on rows that it only reads, as the source of an INSERT; `None` reads them
        /// plainly.
        sources: Option<Lock>,
        /// Whether plain reads lock as well, without asking.
        reads: bool,
    },
}

/// What is the same for all stores of a profile.
pub(crate) struct Facts {
    /// The names of the levels it serves, for an error.
    pub(crate) served: &'static str,
    /// The level that the plain reads of a transaction satisfy if it asks for this one; nothing for a level that is
    /// not served.
    pub(crate) satisfies: fn(Level) -> Option<Level>,
    /// The level of transactions that ask for none, if the configuration does not say another.
    pub(crate) default_level: Level,
    /// Whether a read may have several versions to choose from. Otherwise only the order of
    /// sessions varies.
    pub(crate) chooses: bool,
    /// Whether reads and writes lock keys.
    pub(crate) locks_keys: bool,
    /// Whether a scan may ask for a lock of this strength, on its range and all in it. Where keys are not locked it
    /// may ask for any, and gets none.
    pub(crate) locks_ranges: fn(Lock) -> bool,
    /// How the changes and locking reads of a level find their rows.
    pub(crate) scanning: fn(Level) -> Scanning,
    /// The level at which a single plain read runs in a transaction of its own that asks for this one.
    pub(crate) lone_read: fn(Level) -> Level,
    /// Whether the engine leaves sessions waiting in a circle until one of them looks for it.
    pub(crate) patient: bool,
    /// Whether transactions can be prepared, for two-phase commit.
    pub(crate) prepares: bool,
    /// Whether a write of what a key holds makes no version: the reads of its transaction go on to see what they saw.
    pub(crate) spares_rewrites: bool,
    /// Whether a transaction goes on from its last savepoint when a request of it is refused for this reason, or,
    /// without one, canceled.
    pub(crate) survives: fn(Option<AbortReason>) -> bool,
    /// Makes the truth of a new store.
    pub(crate) truth: fn(&Config) -> Box<dyn Truth>,
}
