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

    /// The same, to change them.
    fn locks_mut(&mut self) -> &mut Locks;

    /// A session that has no transaction open begins one.
    /// `snapshot_isolation` is what the session says of [`Config::snapshot_isolation`], if it does.
    fn begin(
        &mut self,
        session: SessionId,
        level: Level,
        snapshot_isolation: Option<bool>,
        keys: &mut Keys,
    );

    /// A statement begins: `now`, or with the first read that follows.
    fn statement(&mut self, session: SessionId, now: bool);

    /// The statement at hand waited before it read anything, and sees all that is there now.
    fn renew(&mut self, session: SessionId);

    /// The transaction says that it only reads. One that is deferrable may wait for a snapshot that is safe.
    fn read_only(&mut self, session: SessionId, deferrable: bool, keys: &Keys) -> Result<(), Stop>;

    /// An external read.
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

    /// A key came up in a range that the transaction has scanned: it read it as absent.
    fn came_up(&mut self, session: SessionId, key: KeyNo);

    /// A scan begins, of all keys of its range until there are enough; whatever is locked besides the keys themselves
    /// is locked now. The answer says how its keys are read.
    fn scan(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        keys: &mut Keys,
    ) -> Result<Option<Seeing>, Stop>;

    /// A scan that is [watched](Seeing::watched) is about to see a key.
    fn look(&mut self, session: SessionId, key: KeyNo, keys: &Keys) -> Result<(), Stop>;

    /// A scan whose keys are read one by one comes to one; whether it reads it. What is locked besides the key is locked
    /// now.
    fn come_to(
        &mut self,
        session: SessionId,
        scan: &Scan<'_>,
        key: KeyNo,
        keys: &Keys,
    ) -> Result<bool, Stop>;

    /// Such a scan has come to the end of its range.
    fn come_to_end(&mut self, session: SessionId, scan: &Scan<'_>, keys: &Keys)
    -> Result<(), Stop>;

    /// The transaction has no use for the key that a locking scan came to last.
    fn pass_over(&mut self, session: SessionId);

    /// A scan has read this part of its range. Whether keys that come up there later were read by it, as absent.
    fn scanned(&mut self, session: SessionId, scan: &Scan<'_>, seen: &KeyRange) -> bool;

    /// The transaction is about to write a key; `own` is what it wrote there last.
    fn write(
        &mut self,
        session: SessionId,
        key: KeyNo,
        own: Option<&Value>,
        keys: &Keys,
    ) -> Result<(), Stop>;

    /// Whether a transaction that is about to commit has written what it [wrote as it was](Facts::spares_rewrites).
    fn tells_rewrites(&self, session: SessionId) -> bool;

    /// The transaction goes back to where it had taken so many locks; `open` is what is left of it.
    fn rollback(&mut self, session: SessionId, mark: usize, open: &Open, keys: &Keys);

    /// Why a transaction that is about to commit, or to be prepared, has to be refused, if it has.
    fn refuses(&mut self, session: SessionId, written: &[Left], keys: &Keys)
    -> Option<AbortReason>;

    /// The transaction goes to another session, which has none. Only where the [`Facts`] say so.
    fn hand_over(&mut self, from: SessionId, to: SessionId);

    /// Commits what a transaction wrote, which is something.
    fn commit(&mut self, session: SessionId, open: &Open, written: &[Left], keys: &mut Keys);

    /// The transaction ended; nothing is kept of it but what others have to know.
    fn end(&mut self, session: SessionId, open: &mut Open, committed: bool, keys: &mut Keys);

    /// The session's transaction, which has ended, was refused.
    fn was_refused(&mut self, session: SessionId, reason: AbortReason);

    /// A session without a transaction was closed; `for_good` if nobody can come back to it.
    fn disconnect(&mut self, session: SessionId, for_good: bool);

    /// Every transaction that has not read yet sees what is committed.
    fn fence(&mut self);

    /// Time passes.
    fn tick(&mut self, now: u64);

    /// The level that a history says the transaction has.
    fn recorded_level(&self, session: SessionId) -> Level;

    /// How many commits the plain reads of the transaction see as things are; nothing where that is open.
    fn snapshot_of(&self, session: SessionId) -> Option<Pos>;

    /// The live commits in commit order, where the versions of keys do not stand in it.
    fn commit_order(&self) -> Vec<u32>;
}

/// What a read wants beyond the value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// How it chooses, where there is a choice.
    pub(crate) policy: Policy,
    pub(crate) lock: Option<Lock>,
    pub(crate) wait: Wait,
    /// Whether it sees the newest version whatever the snapshot.
    pub(crate) latest: bool,
    /// Whether it is for an insert of the key.
    pub(crate) insert: bool,
}

impl Manner {
    /// The read that an insert begins with; where it locks what is there, it does so.
    pub(crate) fn of_insert(policy: Policy, lock: Lock) -> Manner {
        let (lock, wait) = (Some(lock), Wait::Forever);
        Manner { policy, lock, wait, latest: true, insert: true }
    }

    /// Whether it sees the newest version rather than the snapshot's, as the history says.
    pub(crate) fn is_locking(self) -> bool {
        self.lock.is_some() || self.latest
    }
}

/// A version that a read returns.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) txn: TxnNo,
    pub(crate) value: Value,
    /// Whether no newer version is committed.
    pub(crate) newest: bool,
    /// Whether there was a choice.
    pub(crate) open: bool,
    /// Whether the reader gets nothing, since the version stands for something else than it saw before.
    pub(crate) gone: bool,
    /// Whether it is a locking read in the history.
    pub(crate) locks: bool,
}

/// What is asked of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan<'r> {
    pub(crate) range: &'r KeyRange,
    /// Of how many keys that hold a value.
    pub(crate) limit: usize,
    pub(crate) backwards: bool,
    pub(crate) manner: Manner,
}

/// The keys of a scan are all seen in one snapshot, and waited for by nobody; else they are read one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeing {
    /// How many commits are seen.
    pub(crate) snapshot: Pos,
    /// Whether the truth wants to [`look`](Truth::look) at each key.
    pub(crate) watched: bool,
}

/// How a statement that changes or locks rows finds them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scanning {
    /// It reads as any other; what it found is locked then, and looked at again where it has changed.
    Finds,
    /// It sees the newest rows, and locks each as it comes to it.
    Locks {
        /// Whether an UPDATE looks at the newest committed version first, and locks only the rows that it means.
        skims: bool,
        /// Whether rows that it does not mean are released again.
        releases: bool,
        /// The lock on rows that it only reads, as the source of an INSERT; else it reads them as any other.
        sources: Option<Lock>,
        /// Whether plain reads lock as well, which they need not ask for.
        reads: bool,
    },
}

/// What is the same for all stores of a profile.
pub(crate) struct Facts {
    /// The levels it serves, as an error lists them.
    pub(crate) served: &'static str,
    /// The level that the plain reads of a transaction satisfy if it asks for this one; nothing for a level that is
    /// not served.
    pub(crate) satisfies: fn(Level) -> Option<Level>,
    /// The level of transactions that ask for none, where nobody says another.
    pub(crate) default_level: Level,
    /// Whether a read may have several versions to choose from. Else what varies is who goes next.
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
    /// Whether the engine leaves circles of waiting sessions until somebody looks.
    pub(crate) patient: bool,
    /// Whether transactions can be prepared, for two-phase commit.
    pub(crate) prepares: bool,
    /// Whether a write of what a key holds makes no version: the reads of its transaction go on to see what they saw.
    pub(crate) spares_rewrites: bool,
    /// Whether a transaction goes on from its last savepoint when a request of it is refused for this reason, or,
    /// without one, canceled.
    pub(crate) survives: fn(Option<AbortReason>) -> bool,
    /// Makes one.
    pub(crate) truth: fn(&Config) -> Box<dyn Truth>,
}
