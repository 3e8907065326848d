//! Applications of every day, unlike those of the paper: what is found on them nothing was fitted to.
//!
//! The constants of [`Policy::Adverse`](hobgoblin::store::Policy) were chosen on the applications of [`APPS`](crate::APPS).
//! Whether a policy is good in general shows elsewhere, and these are elsewhere: they check before they
//! insert, reserve, count in shards, answer what they read, log in and out. Some are *plain*: their bug is one
//! or two stale reads away. Some are *guarded*: a client gives up unless it sees its own earlier writes, and so
//! a store that forgets them too often never gets to the bug.
//!
//! Each is a fixed program as those of the paper are, with one more thing known: the levels at which its
//! assertion can fail. [`contest`](mod@crate::contest) compares policies on them.

mod causes;
mod claims;
mod guarded;
mod kit;
mod limits;
mod money;

pub use kit::Everyday;

/// Every application of every day.
pub const EVERYDAY: [Everyday; 19] = [
    claims::SIGN_UP,
    claims::PAYMENT,
    claims::QUEUE,
    limits::RESERVATION,
    limits::SHARDS,
    limits::QUOTA,
    limits::ON_CALL,
    causes::REPLY,
    causes::BLOCKED,
    causes::LOGOUT,
    causes::SCOREBOARD,
    money::AUDIT,
    money::PENALTY,
    guarded::LEASE,
    guarded::WIZARD,
    guarded::CHAT,
    guarded::UPLOAD,
    guarded::PASSWORD,
    guarded::HANDOVER,
];
