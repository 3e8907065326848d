//! What is known of each session: who uses it, how it asks, and how long it waits.

use std::time::{Duration, Instant};

use hobgoblin_core::SessionId;

/// How long a request that met a lock waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocked {
    /// When it gives up; `None` for never.
    pub(crate) until: Option<Instant>,
    /// When it looks whether it waits in a circle; `None` when it has, and where the machine sees to it.
    pub(crate) look: Option<Instant>,
}

/// How one session uses the store.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Habit {
    /// The thread that used it last; 0 for none.
    pub(crate) thread: u64,
    /// Whether it names its statements.
    pub(crate) by_statement: bool,
    /// Whether its statement was found to differ from that of the log that is replayed.
    pub(crate) differs: bool,
    /// Whether it is connected and may be waited for.
    pub(crate) connected: bool,
    /// How many holds ran out that waited for it since it asked last.
    pub(crate) missed: u32,
    /// Whether it has asked something that is held.
    pub(crate) asked: bool,
    /// Whether that was the first time, or the first after nobody waited for it any more.
    pub(crate) woke: bool,
    /// When it asked something last, or got its last answer; kept where transactions come one at a time.
    pub(crate) active: Option<Instant>,
    /// Whether others have waited in vain for the end of its transaction since then.
    pub(crate) stalls: bool,
    /// How long it waits for a lock, where it does not do as the store: `None` for ever.
    pub(crate) lock_timeout: Option<Option<Duration>>,
    /// How long it waits before it looks for a circle, where it says so.
    pub(crate) deadlock_timeout: Option<Duration>,
}

/// The habits of all sessions, by number.
#[derive(Debug, Default)]
pub(crate) struct Habits(Vec<Habit>);

impl Habits {
    pub(crate) fn get(&self, session: SessionId) -> Habit {
        self.0.get(session.index()).copied().unwrap_or_default()
    }

    pub(crate) fn get_mut(&mut self, session: SessionId) -> &mut Habit {
        let index = session.index();
        if self.0.len() <= index {
            self.0.resize(index + 1, Habit::default());
        }
        &mut self.0[index]
    }

    /// The sessions that are connected.
    pub(crate) fn connected(&self) -> impl Iterator<Item = (SessionId, &Habit)> {
        let all = self.0.iter().enumerate().filter(|(_, habit)| habit.connected);
        all.map(|(index, habit)| (SessionId::new(index), habit))
    }

    /// The sessions that are connected, to change what is known of them.
    pub(crate) fn connected_mut(&mut self) -> impl Iterator<Item = (SessionId, &mut Habit)> {
        let all = self.0.iter_mut().enumerate().filter(|(_, habit)| habit.connected);
        all.map(|(index, habit)| (SessionId::new(index), habit))
    }

    /// Forgets what is known of a session, since it is closed.
    pub(crate) fn forget(&mut self, session: SessionId) {
        if let Some(habit) = self.0.get_mut(session.index()) {
            *habit = Habit::default();
        }
    }
}
