//! Who is who: which session of a run plays which session of the log it follows.
//!
//! A session with a name is the one of that name. Threads that connect without names do so in no certain
//! order, so the order tells nothing; but each session of SQL soon says what it wants, and the one that says
//! what a session of the log said first is that session:
//!
//! ```text
//!     the log                                     the run
//!     0: SELECT … WHERE user = 'ann'              0: SELECT … WHERE user = 'bob'    plays 1
//!     1: SELECT … WHERE user = 'bob'              1: SELECT … WHERE user = 'ann'    plays 0
//! ```
//!
//! A text of the same [`shape`] will do, since values change, but only of a session that has more words in
//! common with no other session of the log. Sessions that name no statements (those of HTTP and of the library)
//! are known by the order in which they connect.

use hobgoblin_core::SessionId;
use hobgoblin_store::{Entry, Log, Request, SessionRequest};

use crate::shape::shape;

/// Stands for no entry of the log.
const NONE: usize = usize::MAX;

/// A session of the log.
#[derive(Debug)]
struct Role {
    /// The next entry that is its own.
    next: usize,
    /// Whether it names statements, so that what differs within one does not end the replay.
    by_statement: bool,
    /// What it says first, where nothing else tells who plays it.
    first: Option<Box<str>>,
    /// Whether whoever plays it is found by what it does.
    open: bool,
    player: Option<SessionId>,
}

/// A session of the run.
#[derive(Clone, Copy, Debug, Default)]
struct Player {
    role: Option<SessionId>,
    /// Whether its first transaction was begun before anybody knew who it is.
    begun: bool,
}

/// Who plays which session of the log; see the [module docs](self).
#[derive(Debug, Default)]
pub(crate) struct Cast {
    roles: Vec<Role>,
    players: Vec<Player>,
    /// For each entry of the log the next one of its session.
    same: Vec<usize>,
    /// How many sessions of the log have connected.
    connected: usize,
    /// How many sessions have connected before the log says so.
    ahead: usize,
}

impl Cast {
    pub(crate) fn of(log: &Log) -> Cast {
        let mut cast = Cast { same: vec![NONE; log.entries.len()], ..Cast::default() };
        // Where reads choose, beginning has consequences; there it waits for its turn.
        let engine = !log.config.profile.chooses();
        let mut last: Vec<usize> = Vec::new();
        for (at, entry) in log.entries.iter().enumerate() {
            let session = match entry {
                Entry::Connect { name } => {
                    let open = engine && name.is_none();
                    let (by_statement, first, player) = (false, None, None);
                    cast.roles.push(Role { next: NONE, by_statement, first, open, player });
                    last.push(NONE);
                    continue;
                }
                Entry::Tick { .. } => continue,
                Entry::Disconnect { session } | Entry::Request { session, .. } => *session,
            };
            let Some(role) = cast.roles.get_mut(session.index()) else { continue };
            let before = std::mem::replace(&mut last[session.index()], at);
            match before {
                NONE => role.next = at,
                before => cast.same[before] = at,
            }
            let Entry::Request { request, choices, .. } = entry else { continue };
            match request {
                Request::Session(SessionRequest::Statement(text)) => {
                    let first = !role.by_statement && role.open;
                    role.by_statement = true;
                    if first {
                        role.first = Some(text.as_str().into());
                    }
                }
                Request::Session(SessionRequest::Begin { .. }) if choices.is_empty() => {}
                // It asks for something before it names a statement.
                _ => role.open &= role.by_statement,
            }
        }
        cast
    }

    /// Whether a session without a name may connect before its turn: it may be one whose first statement the
    /// log waits for, while the log's next connect is another's. All that are left are known by statements.
    pub(crate) fn may_connect_ahead(&self) -> bool {
        let left = self.roles.get(self.connected..).unwrap_or_default();
        left.len() > self.ahead && left.iter().all(|role| role.open)
    }

    /// A session connected before its turn.
    pub(crate) fn connect_ahead(&mut self, player: SessionId) {
        self.ahead += 1;
        self.player_mut(player);
    }

    /// Whether a session has connected already in the place of the log's next one; asked once.
    pub(crate) fn has_connected(&mut self) -> bool {
        let connected = self.ahead > 0;
        if connected {
            self.ahead -= 1;
            self.connected += 1;
        }
        connected
    }

    /// A session connected in the place of the log's next one.
    pub(crate) fn connect(&mut self, player: SessionId) {
        let role = SessionId::new(self.connected);
        self.connected += 1;
        if self.roles.get(role.index()).is_some_and(|role| !role.open) {
            self.bind(role, player);
        } else {
            self.player_mut(player);
        }
    }

    fn player_mut(&mut self, player: SessionId) -> &mut Player {
        let index = player.index();
        if self.players.len() <= index {
            self.players.resize(index + 1, Player::default());
        }
        &mut self.players[index]
    }

    fn bind(&mut self, role: SessionId, player: SessionId) {
        self.player_mut(player).role = Some(role);
        self.roles[role.index()].player = Some(player);
    }

    /// The entry was served or left out.
    pub(crate) fn done(&mut self, entry: usize, session: SessionId) {
        if let Some(role) = self.roles.get_mut(session.index()) {
            role.next = self.same[entry];
        }
    }

    /// The next entry of the session that this one plays.
    pub(crate) fn next_of(&self, player: SessionId) -> Option<usize> {
        let role = self.players.get(player.index())?.role?;
        Some(self.roles[role.index()].next).filter(|&next| next != NONE)
    }

    /// Whether what this session asks within a statement need not be what the log has there.
    pub(crate) fn is_lenient(&self, player: SessionId) -> bool {
        let role = self.players.get(player.index()).and_then(|player| player.role);
        role.is_some_and(|role| self.roles[role.index()].by_statement)
    }

    pub(crate) fn player(&self, role: SessionId) -> Option<SessionId> {
        self.roles.get(role.index())?.player
    }

    /// Whether nobody knows yet which session of the log this one plays.
    pub(crate) fn is_unknown(&self, player: SessionId) -> bool {
        self.players.get(player.index()).is_some_and(|player| player.role.is_none())
    }

    /// An unknown session began a transaction.
    pub(crate) fn begins(&mut self, player: SessionId) {
        self.player_mut(player).begun = true;
    }

    /// Whether a session began before its turn; asked once.
    pub(crate) fn has_begun(&mut self, player: SessionId) -> bool {
        std::mem::take(&mut self.player_mut(player).begun)
    }

    /// Finds who plays a session of the log, among sessions with what they wait to say; `None` in place
    /// of a statement is an end.
    pub(crate) fn find<'a>(
        &mut self,
        role: SessionId,
        waiting: impl Iterator<Item = (SessionId, Option<&'a str>)>,
    ) -> Option<SessionId> {
        let expected = self.roles.get(role.index())?.first.clone();
        let mut best: Option<(usize, SessionId)> = None;
        for (player, said) in waiting {
            let common = match (said, expected.as_deref()) {
                (None, None) => 0,
                (Some(said), Some(expected)) if shape(said) == shape(expected) => {
                    let common = words_in_common(said, expected);
                    if self.fits_another_better(said, common) {
                        continue;
                    }
                    common
                }
                _ => continue,
            };
            if best.is_none_or(|(most, _)| common > most) {
                best = Some((common, player));
            }
        }
        let (_, player) = best?;
        self.bind(role, player);
        Some(player)
    }

    /// Whether a session that nobody plays yet has more words in common with this.
    fn fits_another_better(&self, said: &str, common: usize) -> bool {
        let free = self.roles.iter().filter(|role| role.player.is_none());
        free.filter_map(|role| role.first.as_deref())
            .any(|first| words_in_common(said, first) > common && shape(said) == shape(first))
    }
}

/// In how many places two texts have the same word.
fn words_in_common(one: &str, other: &str) -> usize {
    let words = |text| str::split(text, |c: char| !c.is_alphanumeric());
    words(one).zip(words(other)).filter(|(one, other)| one == other).count()
}
