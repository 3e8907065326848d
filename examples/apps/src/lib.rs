//! Small applications over a store, with assertions that hold when transactions are serializable and
//! fail under weak isolation [Biswas 2021, section 7].
//!
//! - [`stack`]: a Treiber stack. No element is popped twice.
//! - [`courseware`]: no course has more students than seats; nobody is enrolled in a removed course.
//! - [`cart`]: a shopping cart of quantities. A removed item stays removed.
//! - [`twitter`]: a newsfeed is not older than what somebody saw before.
//! - [`list_cart`]: the paper's first example, a cart that is one list.
//!
//! [`everyday`] has more of another kind, for comparing policies.
//!
//! Each is a fixed program of a few sessions. One *iteration* is a fresh store, the program in a random
//! schedule, and the assertion at the end. [`measure`] counts how many iterations it takes until the
//! assertion fails; the binaries run one iteration against a store that `hob test` or `hob serve` started.
//!
//! A [`Session`] decides what a transaction is: every operation of the application, or every single
//! get and put, as in stores without transactions.

mod app;
pub mod cart;
pub mod contest;
pub mod courseware;
pub mod everyday;
pub mod http;
pub mod list_cart;
pub mod measure;
mod schedule;
mod session;
pub mod stack;
pub mod twitter;

pub use app::{App, Seen};
pub use schedule::{Schedule, turn};
pub use session::{Connection, Granularity, Local, Session, Stop, list, list_value};

/// Every application; courseware is listed once for each of its two assertions.
pub const APPS: [App; 6] = [
    stack::APP,
    courseware::OVERFLOW,
    courseware::REMOVED,
    cart::APP,
    twitter::APP,
    list_cart::APP,
];
