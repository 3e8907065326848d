//! The bodies of requests, and the requests they stand for.
//!
//! Every body is a JSON object without unknown members; an empty body stands for `{}`. What is wrong
//! with one is said with its line and column.

use std::fmt::Display;
use std::ops::Bound;
use std::str::FromStr;

use hobgoblin_core::json::Json;
use hobgoblin_core::{Key, Level, Value};
use hobgoblin_store::{KeyRange, Lock, Policy, Request, TransactionRequest, Wait};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde_json::value::RawValue;

use crate::problem::Problem;

/// The body of one of a session's operations.
pub(crate) trait Operation: DeserializeOwned {
    /// The request it stands for.
    fn request(self) -> Result<Request, Problem>;
}

/// Parses a body.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let text = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(text).map_err(|error| Problem::bad_json(&error, body))
}

/// A body without members.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// `POST /v1/sessions`.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Connect {
    pub(crate) name: Option<String>,
}

/// `POST /v1/reset`: what is not given stays as it was when the server started.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reset {
    pub(crate) seed: Option<u64>,
    #[serde(default, deserialize_with = "named")]
    pub(crate) level: Option<Level>,
    #[serde(default, deserialize_with = "named")]
    pub(crate) policy: Option<Policy>,
    #[serde(default, deserialize_with = "initial")]
    pub(crate) initial: Option<Vec<(Key, Value)>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Begin {
    #[serde(default, deserialize_with = "named")]
    level: Option<Level>,
    #[serde(default, deserialize_with = "named")]
    policy: Option<Policy>,
}

impl Operation for Begin {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::begin(self.level, self.policy))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Get {
    #[serde(deserialize_with = "key")]
    key: Key,
    #[serde(default, deserialize_with = "named")]
    policy: Option<Policy>,
    lock: Option<LockName>,
    nowait: Option<bool>,
    latest: Option<bool>,
}

#[derive(Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LockName {
    KeyShare,
    Share,
    NoKeyUpdate,
    Update,
}

impl Operation for Get {
    fn request(self) -> Result<Request, Problem> {
        let lock = self.lock.map(|lock| match lock {
            LockName::KeyShare => Lock::KeyShare,
            LockName::Share => Lock::Share,
            LockName::NoKeyUpdate => Lock::NoKeyUpdate,
            LockName::Update => Lock::Update,
        });
        let wait = if self.nowait == Some(true) { Wait::Not } else { Wait::Forever };
        let latest = self.latest == Some(true);
        Ok(Request::Transaction(TransactionRequest::Get {
            key: self.key,
            policy: self.policy,
            lock,
            wait,
            latest,
        }))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Put {
    #[serde(deserialize_with = "key")]
    key: Key,
    #[serde(deserialize_with = "value")]
    value: Value,
}

impl Operation for Put {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::put(self.key, self.value))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Delete {
    #[serde(deserialize_with = "key")]
    key: Key,
}

impl Operation for Delete {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::put(self.key, Value::Null))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scan {
    prefix: Option<String>,
    #[serde(default, deserialize_with = "optional_key")]
    from: Option<Key>,
    #[serde(default, deserialize_with = "optional_key")]
    to: Option<Key>,
    limit: Option<u32>,
    #[serde(default, deserialize_with = "named")]
    policy: Option<Policy>,
}

impl Operation for Scan {
    fn request(self) -> Result<Request, Problem> {
        let range = match (self.prefix, self.from, self.to) {
            (Some(prefix), None, None) => KeyRange::prefix(&prefix),
            (None, from, to) => KeyRange::between(
                from.map_or(Bound::Unbounded, Bound::Included),
                to.map_or(Bound::Unbounded, Bound::Excluded),
            ),
            _ => {
                let detail = "a scan has a \"prefix\", or \"from\" and \"to\", not both";
                return Err(Problem::bad_request(detail));
            }
        };
        let (limit, policy) = (self.limit, self.policy);
        Ok(Request::Transaction(TransactionRequest::Scan {
            range,
            limit,
            backwards: false,
            policy,
            latest: false,
            lock: None,
            wait: Wait::Forever,
        }))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Savepoint {
    name: String,
}

impl Operation for Savepoint {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::savepoint(self.name))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rollback {
    savepoint: String,
}

impl Operation for Rollback {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::rollback_to(self.savepoint))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Release {
    savepoint: String,
}

impl Operation for Release {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::release(self.savepoint))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetPolicy {
    #[serde(deserialize_with = "named")]
    policy: Option<Policy>,
}

impl Operation for SetPolicy {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::set_policy(self.policy))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetLevel {
    #[serde(deserialize_with = "named")]
    level: Option<Level>,
}

impl Operation for SetLevel {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::set_level(self.level))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Statement {
    text: String,
}

impl Operation for Statement {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::statement(self.text))
    }
}

/// `commit` and `abort`, whose bodies say nothing.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Commit {}

impl Operation for Commit {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::COMMIT)
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Abort {}

impl Operation for Abort {
    fn request(self) -> Result<Request, Problem> {
        Ok(Request::ABORT)
    }
}

/// A level or a policy by its name; null for none.
fn named<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let name = Option::<String>::deserialize(deserializer)?;
    name.map(|name| name.parse()).transpose().map_err(Error::custom)
}

/// Any JSON, with every digit of its numbers.
fn json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    raw.get().parse().map_err(Error::custom)
}

fn value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    json(deserializer).map(Value::from)
}

fn key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
    let key = json(deserializer)?.as_key();
    key.ok_or_else(|| Error::custom("a key is a string or an integer of 64 bits"))
}

fn optional_key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Key>, D::Error> {
    key(deserializer).map(Some)
}

/// What keys hold first, from JSON: an object, or a list of pairs where keys are integers.
pub fn initial_values(json: Json) -> Result<Vec<(Key, Value)>, String> {
    let pair = |pair: &Json| match pair.items()? {
        [key, value] => Some((key.as_key()?, value.clone().into())),
        _ => None,
    };
    let pairs: Option<Vec<(Key, Value)>> = match json {
        Json::Object(members) => Some(
            members.into_iter().map(|(name, value)| (Key::from(&*name), value.into())).collect(),
        ),
        Json::Array(pairs) => pairs.iter().map(pair).collect(),
        Json::Scalar(_) => None,
    };
    pairs.ok_or_else(|| {
        "initial values are an object, {\"x\": 0}, or a list of pairs, [[\"x\", 0], [7, 0]]"
            .to_owned()
    })
}

fn initial<'de, D>(deserializer: D) -> Result<Option<Vec<(Key, Value)>>, D::Error>
where
    D: Deserializer<'de>,
{
    match json(deserializer)? {
        Json::Scalar(Value::Null) => Ok(None),
        json => initial_values(json).map(Some).map_err(Error::custom),
    }
}
