//! What weak transaction isolation can do to your data: histories, levels, verdicts.
//!
//! This crate gathers what users of the library need from the crates of Hobgoblin; `hob`, the command
//! line, is made of the same parts.
//!
//! - Get a [`History`]: [`read_path`] and [`read`] know ten formats, [`HistoryBuilder`] takes events one
//!   by one, [`generate`] makes them up.
//! - [`check`] decides a level, [`check_levels`] several at once. The [`Verdict`] carries its proof: a
//!   [`CommitOrder`] that [`verify()`] accepts, or a [`Witness`] that [`explain`] tells in prose and draws.
//! - [`Store`] is a database that returns whatever a level allows; [`test::check`] runs a test against
//!   many of them until one breaks it.
//! - [`explore`] enumerates every behaviour of a small program that a level allows, each exactly once.
//! - [`online`] checks transactions as they arrive, [`state`] decides the levels as clients observe them.
//!
//! # Two doctors
//!
//! Two doctors are on call. Each sees that the other one is, and goes home:
//!
//! ```
//! use hobgoblin::{Anomaly, Level, Limits, Verdict, check, check_levels, explain, read, strongest};
//! use hobgoblin::verify;
//!
//! let text = r#"
//! init alice="on call" bob="on call"
//! s1: t1 { r(alice)="on call" r(bob)="on call" w(alice)="off" }
//! s2: t2 { r(alice)="on call" r(bob)="on call" w(bob)="off" }
//! "#;
//! let history = read(text.as_bytes(), "on-call.txn", None)?;
//!
//! // Serializability forbids it, and the answer says why.
//! let verdict = check(&history, Level::SER.into(), &Limits::none());
//! let Verdict::Violation(witness) = &verdict else { panic!("{verdict:?}") };
//! assert_eq!(witness.anomaly, Anomaly::WriteSkew);
//! let told = explain::text(&history, witness);
//! assert!(told.contains("t1 comes before t2, because t1 read bob=\"on call\""), "{told}");
//!
//! // Whoever does not trust the checker lets the verifier look at the proof.
//! verify(&history, Level::SER.into(), &verdict)?;
//!
//! // Snapshot isolation allows it, and nothing stronger does.
//! let answers = check_levels(&history, &Level::ALL, &Limits::none(), |_| {});
//! assert_eq!(strongest(&answers), [Level::SI]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Every behaviour of a program
//!
//! Two clients buy the last ticket. At snapshot isolation one of them is told that there is none left, in
//! every history there is; at causal consistency both may get it:
//!
//! ```
//! use hobgoblin::explore::{Options, Outcome, Program, Transaction, explore};
//! use hobgoblin::{Level, Value};
//!
//! let buy = |t: &mut Transaction<'_>| {
//!     let left: i64 = t.read("tickets")?;
//!     if left > 0 {
//!         t.write("tickets", left - 1)?;
//!     }
//!     Ok(left > 0)
//! };
//! let program = Program::new()
//!     .init("tickets", 1)
//!     .session("alice", |s| s.txn("buy", buy))
//!     .session("bob", |s| s.txn("buy", buy));
//! let sold_twice = |level| {
//!     let twice = std::sync::atomic::AtomicU64::new(0);
//!     let bought = Outcome::Committed(Value::Bool(true));
//!     let found = explore(&program, &Options::new(level), &|end: &hobgoblin::explore::End<'_>| {
//!         if *end.outcome(0, 0) == bought && *end.outcome(1, 0) == bought {
//!             twice.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
//!         }
//!     });
//!     found.map(|found| (found.histories, twice.into_inner()))
//! };
//! assert_eq!(sold_twice(Level::CC)?, (3, 1));
//! assert_eq!(sold_twice(Level::SI)?, (2, 0));
//! # Ok::<(), hobgoblin::explore::ExploreError>(())
//! ```
//!
//! # A history of your own
//!
//! A recorder tells a [`HistoryBuilder`] what its sessions did. Values should be unique, so that a read
//! tells whom it read from; where they repeat, a check has to search.
//!
//! ```
//! use hobgoblin::{HistoryBuilder, Kind, Level, Limits, TxnInfo, Value, Verdict, check};
//!
//! let mut builder = HistoryBuilder::new();
//! let counter = builder.key(&"counter".into());
//! for (client, written) in [("one", 1), ("two", 2)] {
//!     let session = builder.session(&client.into());
//!     builder.begin(session);
//!     builder.event(Kind::Read, counter, &Value::Null);
//!     builder.event_int(Kind::Write, counter, written);
//!     builder.end(TxnInfo::default())?;
//! }
//! let history = builder.finish()?;
//! let verdict = check(&history, Level::SI.into(), &Limits::none());
//! assert!(matches!(verdict, Verdict::Violation(_)), "an update is lost");
//! # Ok::<(), hobgoblin::HistoryError>(())
//! ```

pub mod test;

pub use hobgoblin_check::verify::{VerifyError, verify};
pub use hobgoblin_check::{
    LevelVerdict, Limits, check, check_levels, explain, online, state, strongest,
};
pub use hobgoblin_core::{
    Anomaly, CommitOrder, Conclusion, Edge, Event, EventId, EventInfo, Fault, History,
    HistoryBuilder, HistoryError, IMPLICATIONS, Implication, Key, KeyId, Kind, LEVELS, Level,
    LevelInfo, Proof, Reason, SessionId, Source, Status, Step, StopReason, Target, TxnId, TxnInfo,
    UnknownLevel, Value, Verdict, Witness, Writer,
};
/// A stateless model checker: every behaviour of a small program that a level allows.
pub use hobgoblin_explore as explore;
pub use hobgoblin_format::{
    EventRecord, Format, Header, JsonlReader, ParseError, Place, ReadError, Record, TxnRecord,
    TxnWriter, UnknownFormat, WriteError, WriterRecord, detect, load, load_until, read, read_path,
    write, write_path,
};
pub use hobgoblin_front::{
    AbortReason, Answer, AsyncSession, AsyncTransaction, Config, Divergence, Entry, Error,
    FileError, FileSink, HoldFor, KeyRange, Lock, Log, LogError, LogFile, Machine, Options, Policy,
    Profile, Replay, Request, Schedule, Scheduler, Session, SessionRequest, Sink, Stats, Store,
    StoreError, Token, TokenError, TokenStep, Transaction, TransactionRequest, TxnOptions, Wait,
};
pub use hobgoblin_gen as generate;

/// The examples of `docs/library.md` run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Library;
