//! What a library must answer to be tested: one replica of it.

use std::fmt;

use crate::data_type::DataType;
use crate::history::Timestamp;

/// One replica of a library under test. An adapter implements this, usually in fifty lines.
///
/// State-based libraries implement [`merge`](LiveReplica::merge) and best also [`copy`](LiveReplica::copy); those that
/// send operations implement [`message`](LiveReplica::message) and [`deliver`](LiveReplica::deliver). Who has both
/// says so in [`EXCHANGE`](LiveReplica::EXCHANGE), and both are used in turns.
///
/// The same requests must always have the same outcome, or nothing can be shrunk: give replicas fixed names instead of
/// random ones, and let no clock decide.
pub trait LiveReplica: Sized {
    /// What an update sends to the other replicas; `()` if replicas only merge.
    type Message;

    /// How what one replica did reaches another.
    const EXCHANGE: Exchange;

    /// So many replicas with a common origin, which has these elements, flags, registers, counters or lists, but no
    /// value yet. Most libraries need not be told what there will be.
    fn fleet(count: usize, keys: &[String]) -> Vec<Self>;

    /// Does or reads something on this replica.
    fn apply(&mut self, request: &Request) -> Outcome;

    /// What the update just applied sends to the other replicas. If it sends nothing, there is nothing for them to do,
    /// and they have observed it at the latest when they have observed the next update of this replica.
    fn message(&mut self) -> Option<Self::Message> {
        unimplemented!("EXCHANGE says that there are messages, so implement `message`")
    }

    /// Takes a message of another replica.
    fn deliver(&mut self, _message: &Self::Message) {
        unimplemented!("EXCHANGE says that there are messages, so implement `deliver`")
    }

    /// Takes over all that the other replica, or an older copy of one, has observed.
    fn merge(&mut self, _from: &mut Self) {
        unimplemented!("EXCHANGE says that replicas merge, so implement `merge`")
    }

    /// A copy that others merge later, when this replica has already gone on: a state that arrives late. None if the
    /// library cannot do that.
    fn copy(&mut self) -> Option<Self> {
        None
    }
}

/// How what one replica did reaches another.
///
/// ```
/// use hobgoblin_crdt::harness::Exchange;
///
/// /// A state-based library.
/// const MERGES: Exchange = Exchange::merging();
/// /// A library whose operations must arrive once, and after those they depend on.
/// const OPERATIONS: Exchange = Exchange::causal().exactly_once();
/// /// A library that sorts what arrives itself, and can merge, too.
/// const BOTH: Exchange = Exchange::any_order().and_merging();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub(super) merges: bool,
    pub(super) messages: Option<Arrival>,
    pub(super) duplicates: bool,
}

/// In which order messages may arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// After everything that their sender had observed.
    Causal,
    /// In any order.
    Any,
}

impl Exchange {
    /// Replicas [merge](LiveReplica::merge) with each other, and with older [copies](LiveReplica::copy) of each other.
    pub const fn merging() -> Exchange {
        Exchange { merges: true, messages: None, duplicates: true }
    }

    /// Every update sends a [message](LiveReplica::message), and the library relies on messages to arrive in causal
    /// order: a message is delivered after all that its sender had observed. That is the harness's duty here.
    /// Concurrent messages arrive in any order, and any message may arrive again.
    pub const fn causal() -> Exchange {
        Exchange { merges: false, messages: Some(Arrival::Causal), duplicates: true }
    }

    /// Every update sends a [message](LiveReplica::message), and the library itself takes care of their order: they
    /// are delivered in any, and any may arrive again.
    ///
    /// A message that arrives before something its sender had observed cannot be applied yet. So an update counts as
    /// observed by a replica once it and all that it had observed itself have been delivered there. A library that
    /// shows it earlier violates causality, which all specifications here contain.
    pub const fn any_order() -> Exchange {
        Exchange { merges: false, messages: Some(Arrival::Any), duplicates: true }
    }

    /// Replicas merge, too.
    #[must_use]
    pub const fn and_merging(self) -> Exchange {
        Exchange { merges: true, ..self }
    }

    /// No message arrives twice.
    #[must_use]
    pub const fn exactly_once(self) -> Exchange {
        Exchange { duplicates: false, ..self }
    }
}

/// What a replica is asked to do. Each data type has its own requests; an adapter answers those of its type and all
/// others by [`Outcome::Unsupported`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// Sets: put this element in. Flags: enable this one.
    Add(String),
    /// Sets: take this element out. Flags: disable this one.
    Remove(String),
    /// Sets: is this element in? Flags: is this one enabled? An [`Outcome::Member`].
    Contains(String),
    /// Sets: all [`Outcome::Elements`].
    Elements,
    /// Add this to the counter; it may be negative.
    Increase(String, i64),
    /// The [`Outcome::Sum`] of the counter.
    Sum(String),
    /// Write this to the register.
    Write(String, i64),
    /// Write nothing over what the register holds.
    Delete(String),
    /// The register's [`Outcome::Value`], or, of a multi-value register, its [`Outcome::Values`].
    Read(String),
    /// Insert this into the list.
    Insert {
        /// The list.
        list: String,
        /// How many elements that the replica returns stand before it.
        index: usize,
        /// The last one of these; none at the beginning.
        after: Option<i64>,
        /// The element, one that is nowhere else.
        element: i64,
    },
    /// Remove this from the list.
    Erase {
        /// The list.
        list: String,
        /// How many elements that the replica returns stand before it.
        index: usize,
        /// The element there.
        element: i64,
    },
    /// All elements of the list, in order: [`Outcome::Items`].
    Items(String),
}

/// What came of a [`Request`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// An update took place.
    Updated,
    /// An update took place, and this is when by the library's own account, for
    /// [`Arbitration::Timestamps`](crate::Arbitration::Timestamps).
    UpdatedAt(Timestamp),
    /// The library says that there was nothing to do, and nothing is sent to anybody.
    NoEffect,
    /// The library has no such operation. Nothing is recorded.
    Unsupported,
    /// Whether the element is in, or the flag enabled.
    Member(bool),
    /// The elements of the set, in any order.
    Elements(Vec<String>),
    /// The sum of the counter.
    Sum(i64),
    /// The value of the register.
    Value(Option<i64>),
    /// The values of the register, in any order.
    Values(Vec<i64>),
    /// The elements of the list.
    Items(Vec<i64>),
}

/// A request in words.
pub(super) struct Words<'a>(pub(super) &'a Request, pub(super) DataType);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = matches!(self.1, DataType::EwFlag | DataType::DwFlag);
        match self.0 {
            Request::Add(key) if flag => write!(f, "enable {key}"),
            Request::Remove(key) if flag => write!(f, "disable {key}"),
            Request::Contains(key) if flag => write!(f, "read {key}"),
            Request::Add(key) => write!(f, "add {key}"),
            Request::Remove(key) => write!(f, "remove {key}"),
            Request::Contains(key) => write!(f, "contains {key}"),
            Request::Elements => f.write_str("elements"),
            Request::Increase(key, amount) if *amount < 0 => {
                write!(f, "dec {key} by {}", amount.unsigned_abs())
            }
            Request::Increase(key, amount) => write!(f, "inc {key} by {amount}"),
            Request::Write(key, value) => write!(f, "write {key} {value}"),
            Request::Delete(key) => write!(f, "delete {key}"),
            Request::Insert { list, after: Some(after), element, .. } => {
                write!(f, "add {element} to {list}, after {after}")
            }
            Request::Insert { list, after: None, element, .. } => {
                write!(f, "add {element} to {list}, at the beginning")
            }
            Request::Erase { list, element, .. } => write!(f, "remove {element} from {list}"),
            Request::Sum(key) | Request::Read(key) | Request::Items(key) => write!(f, "read {key}"),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Updated | Outcome::UpdatedAt(_) => f.write_str("done"),
            Outcome::NoEffect => f.write_str("no effect"),
            Outcome::Unsupported => f.write_str("unsupported"),
            Outcome::Member(is) => is.fmt(f),
            Outcome::Elements(elements) => write!(f, "{{{}}}", elements.join(", ")),
            Outcome::Sum(sum) => sum.fmt(f),
            Outcome::Value(None) => f.write_str("nothing"),
            Outcome::Value(Some(value)) => value.fmt(f),
            Outcome::Values(values) => write!(f, "{{{}}}", listed(values)),
            Outcome::Items(items) => write!(f, "[{}]", listed(items)),
        }
    }
}

fn listed(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
