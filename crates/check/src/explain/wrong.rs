//! What is wrong, in plain words with the values: a headline and a sentence or two for each anomaly.

use hobgoblin_core::{Anomaly, Edge, EventId, KeyId, Level, Reason, TxnId};

use super::actors::Actors;
use super::case::{Case, VersionOrder};
use super::lost_update::LostUpdate;
use super::row::Rows;

/// More keys than this are counted in the headline.
const KEYS: usize = 3;
/// More facts than this are counted.
const FACTS: usize = 6;

/// Says what is wrong.
#[derive(Debug)]
pub(super) struct Wrong<'a, 'b> {
    pub(super) case: &'b Case<'a>,
    pub(super) rows: &'b Rows<'a>,
    pub(super) actors: &'b Actors<'a>,
}

impl Wrong<'_, '_> {
    /// One line: what went wrong, and where.
    pub(super) fn headline(&self) -> String {
        let what = match self.case.anomaly {
            Anomaly::ThinAirRead => "A value was read that nobody wrote",
            Anomaly::AbortedRead => "A value was read that was rolled back",
            Anomaly::IntermediateRead => {
                "A value was read that its writer replaced before it committed"
            }
            Anomaly::FutureRead => "A transaction read what it wrote only later",
            Anomaly::InternalRead => "A transaction did not read what it had just written",
            Anomaly::CircularInformationFlow => {
                "Transactions read each other's changes in a circle"
            }
            Anomaly::NonMonotonicRead => "A transaction read a new value, then the old one",
            Anomaly::NonRepeatableRead => "A value changed while a transaction read it twice",
            Anomaly::FracturedRead => "Half of a transaction was seen",
            Anomaly::ReadYourWrites => "A session did not see its own change",
            Anomaly::NonMonotonicSession => "A session went back to an older value",
            Anomaly::CausalityViolation => "An effect was seen without its cause",
            Anomaly::ReadSkew => "Values were read that were never there together",
            Anomaly::LongFork => "Two readers saw two changes in opposite orders",
            Anomaly::LostUpdate => "Two changes were based on the same value",
            Anomaly::WriteSkew if self.found_nothing() => {
                "Each found nothing, then added what the other had looked for"
            }
            Anomaly::WriteSkew if self.case.txns.len() == 2 => {
                "Each read what the other then changed"
            }
            Anomaly::WriteSkew => "Each read what the next one then changed",
            Anomaly::ReadOnlyAnomaly => "A reader saw a state that no order of the changes has",
            Anomaly::WriteCycle => "Changes replaced each other in a circle",
            Anomaly::RealTimeViolation => "What was read was out of date",
            _ => "No order of the transactions gives what they read",
        };
        format!("{what}: {}", self.places())
    }

    /// The places it is about.
    fn places(&self) -> String {
        let mut places: Vec<String> =
            self.case.keys.iter().take(KEYS).map(|&key| self.rows.place(key)).collect();
        if self.case.keys.len() > KEYS {
            places.push(format!("{} more", self.case.keys.len() - KEYS));
        }
        list(&places)
    }

    /// Whether what was read and replaced was not there.
    pub(super) fn found_nothing(&self) -> bool {
        let mut reads = self.case.overwritten().map(|(read, _)| read).peekable();
        reads.peek().is_some() && reads.all(|read| self.case.history.value(read).is_null())
    }

    /// What is wrong, and why it must not be.
    pub(super) fn sentences(&self) -> String {
        let what = match self.case.anomaly {
            Anomaly::ThinAirRead => self.thin_air(),
            Anomaly::AbortedRead => self.aborted(),
            Anomaly::IntermediateRead => self.intermediate(),
            Anomaly::FutureRead => self.future(),
            Anomaly::InternalRead => self.internal(),
            Anomaly::LostUpdate => self.lost_update(),
            Anomaly::WriteSkew => self.write_skew(),
            Anomaly::LongFork => self.long_fork(),
            Anomaly::NonMonotonicRead
            | Anomaly::NonRepeatableRead
            | Anomaly::FracturedRead
            | Anomaly::ReadYourWrites
            | Anomaly::NonMonotonicSession
            | Anomaly::CausalityViolation
            | Anomaly::ReadSkew => self.saw_more(),
            Anomaly::RealTimeViolation => self.stale(),
            _ => None,
        };
        let mut what = what.unwrap_or_else(|| self.facts());
        for order in &self.case.orders {
            if self.case.torn().is_some() {
                break;
            }
            what.push(' ');
            what.push_str(&self.version_order(order));
        }
        format!("{what} {}", self.rule())
    }

    /// Why a version is newer than another.
    fn version_order(&self, order: &VersionOrder) -> String {
        let said = |txn: TxnId| match self.case.write(txn, order.key) {
            Some(write) => format!("{}'s {}", self.actors.name(txn), self.equation(write)),
            None => format!("{}'s {}", self.actors.name(txn), self.rows.place(order.key)),
        };
        let facts: Vec<String> = order.way.iter().take(FACTS).map(|edge| self.fact(edge)).collect();
        let facts = facts.join("; ");
        match order.supposed {
            false => sentence(&format!("{} is the newer, for {facts}", said(order.newer))),
            true => format!(
                "Were {} the newer, it would be no better: then {facts}.",
                said(order.older)
            ),
        }
    }

    /// That a reader saw one change of each of two transactions that both made both.
    fn torn(&self) -> Option<String> {
        let torn = self.case.torn()?;
        Some(format!(
            "{} saw {}, which {} wrote, and {}, which {} wrote. Each of them changed both: whichever was last, \
             half of it is missing.",
            self.actors.first(torn.reader),
            self.equation(torn.new),
            self.actors.name(torn.first),
            self.equation(torn.old),
            self.actors.name(torn.second)
        ))
    }

    /// Why the weakest level that forbids it does.
    fn rule(&self) -> String {
        let two = self.case.txns.len() == 2;
        let them = if two { "the two" } else { "them" };
        let own = match self.case.anomaly {
            Anomaly::ReadYourWrites => Some("A session must see what it wrote."),
            Anomaly::NonMonotonicSession => Some("A session must not see less than it saw before."),
            Anomaly::NonRepeatableRead => {
                Some("What a transaction has read must not change under it.")
            }
            Anomaly::FracturedRead => {
                Some("A transaction's changes are to be seen all or not at all.")
            }
            Anomaly::WriteCycle => Some("Who was first must have been first everywhere."),
            Anomaly::CircularInformationFlow => Some("None of them can have been first."),
            _ => None,
        };
        if let Some(own) = own {
            return own.to_owned();
        }
        match self.case.level {
            Level::RU => "No database may answer so.".to_owned(),
            Level::RC => match self.case.read {
                Some(_) => "Only committed values may be read.".to_owned(),
                None => {
                    "Who has seen a change must not be shown what was there before it.".to_owned()
                }
            },
            Level::RA => "A transaction's changes are to be seen all or not at all.".to_owned(),
            Level::CC => "Who sees a change must see what came before it, too.".to_owned(),
            Level::PC => "All readers must see changes in one and the same order.".to_owned(),
            Level::PSI | Level::SI if self.case.anomaly == Anomaly::LostUpdate => {
                format!("No serial order of {them} gives these reads.")
            }
            Level::PSI | Level::SI => {
                "All that a transaction reads must be from one moment.".to_owned()
            }
            Level::SER => format!(
                "Run one after the other, in any order, {} could not have read this.",
                if two { "they" } else { "these" }
            ),
            Level::SSER => "What has ended must be seen by all that begins later.".to_owned(),
        }
    }

    fn equation(&self, event: EventId) -> String {
        self.rows.equation(event)
    }

    fn value(&self, event: EventId) -> String {
        let key = self.case.history.event(event).key();
        self.rows.value(key, &self.case.history.value(event))
    }

    fn key(&self, event: EventId) -> KeyId {
        self.case.history.event(event).key()
    }

    fn reader(&self, read: EventId) -> (TxnId, String) {
        let txn = self.case.history.txn_of(read);
        (txn, self.actors.first(txn))
    }

    fn thin_air(&self) -> Option<String> {
        let read = self.case.read?;
        let (_, reader) = self.reader(read);
        Some(match self.case.history.writer_given(read) {
            Some(writer) => {
                let writer = self.actors.name(writer);
                format!(
                    "{reader} saw {}, it says from {writer}, which never wrote that.",
                    self.equation(read)
                )
            }
            None => format!(
                "{reader} saw {}. Nobody ever wrote {}.",
                self.equation(read),
                self.value(read)
            ),
        })
    }

    /// The writer of what a read should not have seen.
    fn writer(&self, read: EventId) -> Option<String> {
        let reader = self.case.history.txn_of(read);
        let writes = self.case.history.writes_of_same_value(read);
        let txns = writes.into_iter().map(|write| self.case.history.txn_of(write));
        let writer = txns.into_iter().find(|&txn| txn != reader)?;
        Some(self.actors.name(writer))
    }

    fn aborted(&self) -> Option<String> {
        let read = self.case.read?;
        let (writer, reader) = (self.writer(read)?, self.reader(read).1);
        Some(format!(
            "{reader} saw {}, which only {writer} wrote, and {writer} was rolled back.",
            self.equation(read)
        ))
    }

    fn intermediate(&self) -> Option<String> {
        let read = self.case.read?;
        let (writer, reader) = (self.writer(read)?, self.reader(read).1);
        let of = self.case.history.writes_of_same_value(read);
        let own = |w: &EventId| self.case.history.txn_of(*w) != self.case.history.txn_of(read);
        let last = of
            .into_iter()
            .find(own)
            .and_then(|write| self.case.write(self.case.history.txn_of(write), self.key(read)));
        let on_the_way =
            last.map_or(String::new(), |last| format!(" on the way to {}", self.value(last)));
        Some(format!(
            "{reader} saw {}; {writer} wrote that{on_the_way} and never committed it.",
            self.equation(read)
        ))
    }

    fn future(&self) -> Option<String> {
        let read = self.case.read?;
        let (_, reader) = self.reader(read);
        Some(format!(
            "{reader} saw {}, which only it wrote, and only after it had read it.",
            self.equation(read)
        ))
    }

    fn internal(&self) -> Option<String> {
        let read = self.case.read?;
        let (_, reader) = self.reader(read);
        let own = self.case.own_write_before(read)?;
        Some(format!(
            "{reader} wrote {} and then, in the same transaction, saw {}.",
            self.rows.assignment(own),
            self.equation(read)
        ))
    }

    fn lost_update(&self) -> Option<String> {
        let lost = LostUpdate::of(self.case)?;
        let [one, other] = lost.txns.map(|txn| self.actors.name(txn));
        let first = self.actors.first(lost.txns[0]);
        let second = self.actors.first(lost.txns[1]);
        let (write, rewrite) = (lost.writes[0]?, lost.writes[1]?);
        let left = self.value(write);
        Some(match (lost.reads, lost.ran_on) {
            ([_, Some(read)], Some(on)) => format!(
                "{second} decided on {}, but when its change ran, {one} had already made it {}.",
                self.equation(read),
                self.value(on)
            ),
            ([Some(_), Some(read)], None) if lost.known => format!(
                "{first} and {other} both saw {}. {second} then replaced {one}'s {left} by {} without having seen it.",
                self.equation(read),
                self.value(rewrite)
            ),
            ([Some(read), Some(_)], None) => format!(
                "{first} and {other} both saw {}; {one} made it {left} and {other} {}, and neither knew of the other.",
                self.equation(read),
                self.value(rewrite)
            ),
            ([None, Some(read)], None) => format!(
                "{second} saw {}, {one} made it {left}, and {other} replaced that by {} without having seen it.",
                self.equation(read),
                self.value(rewrite)
            ),
            ([Some(read), None], _) => format!(
                "{first} saw {}, {other} made it {}, and {one} replaced that by {left} without having seen it.",
                self.equation(read),
                self.value(rewrite)
            ),
            ([None, None], _) => return None,
        })
    }

    fn write_skew(&self) -> Option<String> {
        let mut parts = Vec::new();
        for (read, by) in self.case.overwritten().take(FACTS) {
            let write = self.case.write(by, self.key(read))?;
            let reader = self.actors.name(self.case.history.txn_of(read));
            let nothing = self.case.history.value(read).is_null();
            let seen = match nothing {
                true if !self.rows.is_row(self.key(read)) => {
                    format!("{reader} found no {}", self.rows.place(self.key(read)))
                }
                _ => format!("{reader} saw {}", self.equation(read)),
            };
            let writer = self.actors.name(by);
            parts.push(match nothing {
                true => format!("{seen}, which {writer} then added"),
                false => format!("{seen}, which {writer} then changed to {}", self.value(write)),
            });
        }
        (!parts.is_empty()).then(|| sentence(&parts.join("; ")))
    }

    fn long_fork(&self) -> Option<String> {
        // Each reader saw the write of one and not that of the next.
        let mut parts = Vec::new();
        for (at, edge) in self.case.circle.iter().enumerate() {
            let Reason::Overwrite(old) = edge.why else { continue };
            let before =
                &self.case.circle[(at + self.case.circle.len() - 1) % self.case.circle.len()];
            let Reason::Read(new) = before.why else { return None };
            let reader = self.actors.name(edge.from);
            parts.push(format!(
                "{reader} saw {} but still {}",
                self.equation(new),
                self.equation(old)
            ));
        }
        (parts.len() == 2).then(|| {
            sentence(&format!(
                "{}; they disagree about which change came first",
                parts.join(", and ")
            ))
        })
    }

    /// A reader that saw something, and something older than that.
    fn saw_more(&self) -> Option<String> {
        if let Some(torn) = self.torn() {
            return Some(torn);
        }
        let at = self.case.circle.iter().position(|e| matches!(e.why, Reason::Overwrite(_)))?;
        let rw = self.case.circle[at];
        let Reason::Overwrite(old) = rw.why else { return None };
        let n = self.case.circle.len();
        let back: Vec<Edge> = (1..n).map(|i| self.case.circle[(at + i) % n]).collect();
        let reader = self.actors.first(rw.from);
        let writer = self.actors.name(rw.to);
        let write = self.case.write(rw.to, self.key(old))?;
        let saw_old = self.equation(old);
        let made = self.value(write);
        Some(match (self.case.anomaly, back.as_slice()) {
            (Anomaly::NonRepeatableRead, [Edge { why: Reason::Read(new), .. }]) => format!(
                "{reader} saw {saw_old} and later, in the same transaction, {}: {writer} changed it in between.",
                self.value(*new)
            ),
            (Anomaly::NonMonotonicRead, [Edge { why: Reason::Read(new), .. }]) => format!(
                "{reader} saw {}, {writer}'s change, and then {saw_old} again, from before it.",
                self.equation(*new)
            ),
            (_, [Edge { why: Reason::Read(new), .. }]) => format!(
                "{reader} saw {}, which {writer} wrote, but still {saw_old}, although {writer} had made it {made}.",
                self.equation(*new)
            ),
            (Anomaly::ReadYourWrites, [Edge { why: Reason::Session, .. }]) => format!(
                "{} wrote {} in {}, and then, in {}, saw {saw_old}.",
                capital(&self.actors.session_of(rw.from)),
                self.rows.assignment(write),
                self.actors.txn(rw.to),
                self.actors.txn(rw.from)
            ),
            (_, [Edge { why: Reason::Read(new), to, .. }, Edge { why: Reason::Session, .. }]) => {
                format!(
                    "{} saw {}, which {writer} wrote, in {}, and later, in {}, {saw_old}, although {writer} had made it {made}.",
                    capital(&self.actors.session_of(rw.from)),
                    self.equation(*new),
                    self.actors.txn(*to),
                    self.actors.txn(rw.from)
                )
            }
            (
                _,
                [
                    Edge { why: Reason::Read(seen), to: between, .. },
                    Edge { why: Reason::Read(new), .. },
                ],
            ) => format!(
                "{reader} saw {}, which {} wrote after it had seen {}; but {} still saw {saw_old}.",
                self.equation(*new),
                self.actors.name(*between),
                self.equation(*seen),
                self.actors.name(rw.from)
            ),
            (
                _,
                [
                    Edge { why: Reason::Session, to: between, .. },
                    Edge { why: Reason::Read(new), .. },
                ],
            ) => format!(
                "{reader} saw {}, which {} wrote after {writer} had made {} {made}; but {} still saw {saw_old}.",
                self.equation(*new),
                self.actors.name(*between),
                self.rows.place(self.key(old)),
                self.actors.name(rw.from)
            ),
            _ => {
                let facts: Vec<String> =
                    back.iter().take(FACTS).map(|edge| self.fact(edge)).collect();
                format!(
                    "{reader} still saw {saw_old}, which {writer} had made {made}. But {}.",
                    facts.join("; ")
                )
            }
        })
    }

    fn stale(&self) -> Option<String> {
        let rw = self.case.circle.iter().find(|e| matches!(e.why, Reason::Overwrite(_)))?;
        let Reason::Overwrite(old) = rw.why else { return None };
        if self.case.circle.len() != 2 {
            return None;
        }
        let write = self.case.write(rw.to, self.key(old))?;
        let (end, begin) = (self.case.history.end(rw.to)?, self.case.history.begin(rw.from)?);
        Some(format!(
            "{} made it {} and ended; {} began {} later and still saw {}.",
            self.actors.first(rw.to),
            self.value(write),
            self.actors.name(rw.from),
            duration(begin.saturating_sub(end)),
            self.equation(old)
        ))
    }

    /// What each edge says, one after the other.
    fn facts(&self) -> String {
        if self.case.circle.is_empty() {
            let count = self.case.txns.len();
            return format!("All orders of these {count} transactions were tried.");
        }
        let mut facts: Vec<String> =
            self.case.circle.iter().take(FACTS).map(|edge| self.fact(edge)).collect();
        if self.case.circle.len() > FACTS {
            facts.push(format!("so on for {} more", self.case.circle.len() - FACTS));
        }
        sentence(&facts.join("; "))
    }

    /// An edge as a fact: who did what that fixes an order.
    fn fact(&self, edge: &Edge) -> String {
        let (from, to) = (self.actors.name(edge.from), self.actors.name(edge.to));
        match edge.why {
            Reason::Session if edge.from == TxnId::INIT => format!("{to} began after {from}"),
            Reason::Session => {
                format!("{to} came after {from} in {}", self.actors.session_of(edge.to))
            }
            Reason::RealTime => format!("{from} had ended when {to} began"),
            Reason::Read(read) => format!("{to} saw {}, which {from} wrote", self.equation(read)),
            Reason::Overwrite(read) => {
                let made = self
                    .case
                    .write(edge.to, self.key(read))
                    .map_or(String::new(), |write| format!(" to {}", self.value(write)));
                format!("{from} saw {}, which {to} then changed{made}", self.equation(read))
            }
            Reason::Write(key) => format!("{from} wrote {} before {to} did", self.rows.place(key)),
        }
    }
}

/// Nanoseconds as people say them.
fn duration(nanoseconds: i64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    match units.into_iter().find(|(size, _)| nanoseconds >= *size) {
        Some((size, unit)) => {
            let (whole, tenths) = (nanoseconds / size, nanoseconds % size * 10 / size);
            if tenths == 0 { format!("{whole} {unit}") } else { format!("{whole}.{tenths} {unit}") }
        }
        None => format!("{nanoseconds} ns"),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or(String::new(), |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

/// A clause as a sentence. Names of transactions stay as they are.
fn sentence(text: &str) -> String {
    match text.starts_with("session ") || text.starts_with("transaction ") {
        true => capital(text) + ".",
        false => format!("{text}."),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
