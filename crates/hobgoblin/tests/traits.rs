//! What can be done with the types of the library, beside what they are for.

use std::error::Error as StdError;
use std::fmt::{Debug, Display};
use std::hash::Hash;

use hobgoblin::check::{LevelVerdict, Limits, StopReason, Target, Verdict, Witness};
use hobgoblin::format::{Format, ParseError, Place, ReadError, WriteError};
use hobgoblin::history::{
    EventId, History, HistoryError, Kind, Status, TxnId, UnknownLevel, WrongType,
};
use hobgoblin::record::{RecordedSession, RecordedTxn, Recorder};
use hobgoblin::store::{
    AbortReason, AsyncSession, AsyncTransaction, Config, HoldFor, KeyRange, Options, Policy,
    Profile, Schedule, Session, Transaction, TxnOptions,
};
use hobgoblin::test::{Failure, YieldAt};
use hobgoblin::{Error, Key, Level, Store, Value};

fn shared<T: Debug + Send + Sync>() {}
fn sent<T: Debug + Send>() {}
fn data<T: Clone + Debug + PartialEq + Send + Sync>() {}
fn key<T: Clone + Debug + Eq + Ord + Hash + Display + Send + Sync>() {}
fn error<T: StdError + Send + Sync + 'static>() {}
#[cfg(feature = "serde")]
fn serial<T: serde::Serialize + serde::de::DeserializeOwned>() {}

#[test]
fn types_have_what_users_expect() {
    shared::<Store>();
    shared::<History>();
    shared::<Recorder>();
    shared::<Limits>();
    shared::<Verdict>();
    shared::<Witness>();
    shared::<LevelVerdict>();
    sent::<Session>();
    sent::<AsyncSession>();
    sent::<Transaction<'_>>();
    sent::<AsyncTransaction<'_>>();
    sent::<RecordedSession>();
    sent::<RecordedTxn<'_>>();
    sent::<Options>();
    data::<Config>();
    data::<TxnOptions>();
    data::<Policy>();
    data::<Profile>();
    data::<Schedule>();
    data::<HoldFor>();
    data::<YieldAt>();
    data::<KeyRange>();
    data::<AbortReason>();
    data::<Target>();
    data::<StopReason>();
    data::<Format>();
    data::<Kind>();
    data::<Status>();
    data::<Place>();
    key::<Key>();
    key::<Value>();
    key::<Level>();
    key::<TxnId>();
    key::<EventId>();
    error::<Error>();
    error::<Failure>();
    error::<HistoryError>();
    error::<ParseError>();
    error::<ReadError>();
    error::<WriteError>();
    error::<UnknownLevel>();
    error::<WrongType>();
    error::<StopReason>();
}

/// With the feature `serde`.
#[cfg(feature = "serde")]
#[test]
fn keys_values_and_types_of_programs_go_through_serde() {
    serial::<Key>();
    serial::<Value>();
    serial::<Level>();
    let store = Store::new(Config::default()).expect("a store");
    let mut session = store.session();
    let cart = std::collections::BTreeMap::from([("book".to_owned(), (2, 9.5))]);
    session.put_json("cart", &cart).expect("it is written");
    assert_eq!(session.get("cart").expect("it is read").to_string(), r#"{"book":[2,9.5]}"#);
    assert_eq!(session.get_json("cart").expect("it is read"), Some(cart));
    assert_eq!(session.get_json::<String>("none").expect("it is read"), None);
    let wrong = session.get_json::<String>("cart").expect_err("a map");
    assert!(matches!(wrong, Error::Type { .. }), "{wrong}");
}

/// Futures of requests can be sent to other threads, as `tokio::spawn` asks.
#[test]
fn futures_can_be_sent() {
    fn sent<T: Send>(_: &T) {}
    let store = Store::new(Config::default()).expect("a store");
    let mut session = store.async_session();
    sent(&session.get("x"));
    sent(&session.begin());
    sent(&session.transaction(async |t| t.put("x", 1).await));
    let (name, amount) = ("x".to_owned(), 7);
    sent(&session.transaction(async move |t| t.put(&name, amount).await));
}
