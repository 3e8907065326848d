//! The sessions of a store.

use hashbrown::HashMap;
use hobgoblin_core::{Key, Level, SessionId, sort};

use crate::config::Policy;
use crate::error::AbortReason;
use crate::open::Open;
use crate::request::Request;

/// A session, which has at most one open transaction.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) name: Option<Box<str>>,
    pub(crate) connected: bool,
    pub(crate) level: Option<Level>,
    pub(crate) policy: Option<Policy>,
    pub(crate) snapshot_isolation: Option<bool>,
    /// The open transaction. It is taken out while a request of it is served.
    pub(crate) open: Option<Open>,
    /// The request that found the session blocked.
    pub(crate) waiting: Option<Request>,
    /// Why its transaction was aborted while it waited, until the session hears of it.
    pub(crate) undone: Option<AbortReason>,
    /// The statement with which its next transaction will begin.
    pub(crate) statement: Option<Box<str>>,
}

/// All sessions by number, in the order in which they connected.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    /// All sessions. One that was closed and cannot come back is `None`.
    all: Vec<Option<Box<Session>>>,
    /// What is said of such a session.
    closed: Session,
    /// The sessions with an open transaction.
    open: Vec<SessionId>,
    /// The sessions that have not heard yet that their transaction was aborted while they waited.
    undone: Vec<SessionId>,
    connected: u32,
    by_name: HashMap<Box<str>, SessionId>,
}

impl Sessions {
    /// Connects a session. One that comes back under its name goes on where it was.
    pub(crate) fn connect(&mut self, name: Option<&str>) -> SessionId {
        self.connected += 1;
        if let Some(&session) = name.and_then(|name| self.by_name.get(name)) {
            self.get_mut(session).connected = true;
            return session;
        }
        let session = SessionId::new(self.all.len());
        if let Some(name) = name {
            self.by_name.insert(name.into(), session);
        }
        let name = name.map(Into::into);
        self.all.push(Some(Box::new(Session { name, connected: true, ..Session::default() })));
        session
    }

    /// Closes a session. Returns whether that is for good: without a name it cannot come back.
    pub(crate) fn disconnect(&mut self, session: SessionId) -> bool {
        self.connected -= 1;
        self.take_undone(session);
        let closed = self.get_mut(session);
        match closed.name.take() {
            Some(name) => {
                *closed = Session { name: Some(name), ..Session::default() };
                false
            }
            None => {
                self.all[session.index()] = None;
                true
            }
        }
    }

    /// Whether the session of a name is connected.
    pub(crate) fn is_connected(&self, name: &str) -> bool {
        self.named(name).is_some()
    }

    /// The connected session of this name.
    pub(crate) fn named(&self, name: &str) -> Option<SessionId> {
        let found = self.by_name.get(name).copied();
        found.filter(|&session| self.get(session).connected)
    }

    /// The name of a session in a history.
    pub(crate) fn name(&self, session: SessionId) -> Key {
        match &self.get(session).name {
            Some(name) => Key::from(&**name),
            None => Key::Int(i64::from(session.raw()) + 1),
        }
    }

    pub(crate) fn find(&self, session: SessionId) -> Option<&Session> {
        self.all.get(session.index())?.as_deref().filter(|session| session.connected)
    }

    #[inline]
    pub(crate) fn get(&self, session: SessionId) -> &Session {
        self.all[session.index()].as_deref().unwrap_or(&self.closed)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, session: SessionId) -> &mut Session {
        self.all[session.index()].get_or_insert_default()
    }

    /// Takes the open transaction of a session out, to serve a request of it.
    pub(crate) fn take(&mut self, session: SessionId) -> Option<Open> {
        let open = self.get_mut(session).open.take()?;
        let at = self.open.iter().position(|&other| other == session);
        self.open.swap_remove(at.expect("an open transaction is listed"));
        Some(open)
    }

    /// Puts an open transaction back, or a new one there.
    pub(crate) fn put(&mut self, session: SessionId, open: Open) {
        self.get_mut(session).open = Some(open);
        self.open.push(session);
    }

    /// The sessions whose transactions were aborted while they waited, in order.
    pub(crate) fn undone(&self) -> impl Iterator<Item = SessionId> + '_ {
        self.undone.iter().copied()
    }

    /// Notes that a session's transaction is aborted while the session waits.
    pub(crate) fn undo(&mut self, session: SessionId, reason: AbortReason) {
        self.get_mut(session).undone = Some(reason);
        self.undone.push(session);
    }

    /// Why a session's transaction was aborted while it waited, if it was. The session hears of it
    /// by this.
    pub(crate) fn take_undone(&mut self, session: SessionId) -> Option<AbortReason> {
        if self.undone.is_empty() {
            return None;
        }
        self.undone.retain(|&other| other != session);
        self.get_mut(session).undone.take()
    }

    /// The open transactions, in no order.
    pub(crate) fn opens(&self) -> impl Iterator<Item = &Open> + '_ {
        self.open.iter().filter_map(|&session| self.get(session).open.as_ref())
    }

    /// The sessions with an open transaction, in no order.
    pub(crate) fn open(&self) -> &[SessionId] {
        &self.open
    }

    /// The sessions with an open transaction, in order.
    pub(crate) fn with_open(&self) -> Vec<SessionId> {
        let mut sessions = self.open.clone();
        sort(&mut sessions);
        sessions
    }

    pub(crate) fn opens_mut(&mut self, mut with: impl FnMut(SessionId, &mut Open)) {
        for &session in &self.open {
            let found = self.all[session.index()].as_deref_mut();
            if let Some(open) = found.and_then(|found| found.open.as_mut()) {
                with(session, open);
            }
        }
    }

    pub(crate) fn num_open(&self) -> u32 {
        self.open.len() as u32
    }

    pub(crate) fn num_connected(&self) -> u32 {
        self.connected
    }
}
