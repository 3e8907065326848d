//! Reports for people: the picture of an anomaly, and a page that opens offline.
//!
//! A command fills a [`Page`] with what it has, and [`Page::html`] writes one file. Everything can be read without
//! JavaScript; the script adds tabs, keys, highlighting and the large table of the history.
//!
//! ```
//! use hobgoblin_check::{Limits, check};
//! use hobgoblin_core::{HistoryBuilder, Kind, Level, TxnInfo, Verdict};
//! use hobgoblin_report::{Anomaly, LevelRow, Page, Table};
//!
//! let mut b = HistoryBuilder::new();
//! let x = b.key(&"x".into());
//! for (session, value) in [("s1", 1), ("s2", 2)] {
//!     let session = b.session(&session.into());
//!     b.begin(session);
//!     b.event_int(Kind::Read, x, 0);
//!     b.event_int(Kind::Write, x, value);
//!     b.end(TxnInfo::default())?;
//! }
//! b.initial(x, &0.into())?;
//! let history = b.finish()?;
//!
//! let verdict = check(&history, Level::SI, &Limits::none());
//! let mut page = Page::new("lost.txn");
//! page.levels.push(LevelRow::of(Level::SI, &verdict));
//! if let Verdict::Violation(witness) = &verdict {
//!     page.levels[0].anomaly = Some(page.anomalies.len());
//!     page.anomalies.push(Anomaly::of(&history, witness));
//!     page.history = Some(Table::of(&history, &[witness], false));
//! }
//! assert!(page.html().starts_with("<!doctype html>"));
//! # Ok::<(), hobgoblin_core::HistoryError>(())
//! ```

mod anomaly;
mod arrow;
mod block;
mod drawn;
mod escape;
mod html;
mod junit;
mod layout;
mod markdown;
mod names;
mod page;
mod policy;
mod proof;
mod rows;
mod scene;
mod svg;
mod table;

pub use anomaly::Anomaly;
pub use block::{Block, Body};
pub use junit::{Case, CaseResult, Complaint, Suite};
pub use page::{Again, LevelRow, Page, RunRow, Runs, Standing};
pub use rows::{Filter, Rows, RowsAsked};
pub use scene::{Act, Scene, SceneArrow, SceneBox};
pub use svg::svg;
pub use table::Table;
