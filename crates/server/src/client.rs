//! A small blocking client, for tests, benches and examples: no runtime, no dependency but the standard
//! library's sockets.
//!
//! ```
//! use hobgoblin_server::client::Client;
//! use hobgoblin_server::{Server, ServerConfig};
//!
//! let server = Server::start(ServerConfig::default())?;
//! let client = Client::new(&server.url())?;
//! let mut session = client.session()?;
//! session.begin()?;
//! session.put("x", 1)?;
//! session.commit()?;
//! assert_eq!(session.get("x")?, 1);
//! # drop(session);
//! # drop(client);
//! # server.stop()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each [`Session`] has a connection of its own, kept open between requests, so that sessions can live in
//! threads of their own. Connections are not made again when they break: that is an error, since nobody
//! knows whether the last request was served.

use std::io::{self, ErrorKind};

use hobgoblin_core::{Key, Level, Value};
use serde_json::{Map, Value as Json};

use crate::connection::{Connection, Target};

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// `HOB_HTTP_URL` is not set, or there is no server at the address it names.
    #[error("HOB_HTTP_URL is not set; run this under `hob test`, or start `hob serve` and set it")]
    NoUrl,
    /// An address that is not one of ours.
    #[error("{url:?} is no address of a store; it looks like http://127.0.0.1:7437")]
    BadUrl {
        /// The address as it was given.
        url: String,
    },
    /// The connection broke, or was never made.
    #[error("{0}; is the store still running?")]
    Io(#[from] io::Error),
    /// The store aborted the transaction: run it again.
    #[error("aborted ({reason}): {detail}")]
    Aborted {
        /// `serialization`, `deadlock`, `lock-timeout` or `spurious`.
        reason: String,
        /// The reason in a sentence, for people.
        detail: String,
    },
    /// The store refused the request, and nothing changed.
    #[error("{status} {title}: {detail}")]
    Refused {
        /// The status of the HTTP response, such as 409.
        status: u16,
        /// The problem's type, such as `urn:hobgoblin:no-transaction`.
        kind: String,
        /// The problem's title.
        title: String,
        /// What could be done about it, for people.
        detail: String,
    },
}

impl ClientError {
    /// Whether running the transaction again may succeed.
    pub fn is_abort(&self) -> bool {
        matches!(self, ClientError::Aborted { .. })
    }
}

/// A store to ask; makes sessions, and asks what concerns the whole store.
#[derive(Clone, Debug)]
pub struct Client {
    target: Target,
}

/// A session; closed when dropped.
#[derive(Debug)]
pub struct Session {
    connection: Connection,
    id: String,
}

impl Client {
    /// The store at an address such as `http://127.0.0.1:7437`. Nothing is sent yet.
    pub fn new(url: &str) -> Result<Client, ClientError> {
        let target =
            Target::parse(url).ok_or_else(|| ClientError::BadUrl { url: url.to_owned() })?;
        Ok(Client { target })
    }

    /// The store that `HOB_HTTP_URL` names, as `hob test` sets it; with the token in `HOB_TOKEN`, if any.
    pub fn from_env() -> Result<Client, ClientError> {
        let url = std::env::var("HOB_HTTP_URL").map_err(|_| ClientError::NoUrl)?;
        let client = Client::new(&url)?;
        Ok(match std::env::var("HOB_TOKEN") {
            Ok(token) => client.with_token(&token),
            Err(_) => client,
        })
    }

    /// The same store, asked with a token.
    pub fn with_token(mut self, token: &str) -> Client {
        self.target.token = Some(token.to_owned());
        self
    }

    /// Connects a session.
    pub fn session(&self) -> Result<Session, ClientError> {
        self.connect(&Json::Object(Map::new()))
    }

    /// Connects a session with a name, by which a replay finds it.
    pub fn session_named(&self, name: &str) -> Result<Session, ClientError> {
        self.connect(&serde_json::json!({ "name": name }))
    }

    fn connect(&self, body: &Json) -> Result<Session, ClientError> {
        let mut connection = Connection::open(&self.target)?;
        let answer =
            object(connection.ask("POST", "/v1/sessions", body.to_string().as_bytes())?)?;
        let id = answer["session"].as_str().ok_or_else(strange)?.to_owned();
        Ok(Session { connection, id })
    }

    /// Everything committed so far is seen by every transaction that has not read yet.
    pub fn fence(&self) -> Result<(), ClientError> {
        self.ask("POST", "/v1/fence", b"").map(|_| ())
    }

    /// Starts afresh; the members of `changes` are the seed, level, policy and initial values.
    pub fn reset(&self, changes: &Json) -> Result<(), ClientError> {
        self.ask("POST", "/v1/reset", changes.to_string().as_bytes()).map(|_| ())
    }

    /// The history so far, as JSON lines.
    pub fn history(&self) -> Result<String, ClientError> {
        self.ask("GET", "/v1/history", b"")
    }

    /// One request of any path, on a connection of its own; the answer's body.
    pub fn ask(&self, method: &str, path: &str, body: &[u8]) -> Result<String, ClientError> {
        text(Connection::open(&self.target)?.ask(method, path, body)?)
    }
}

impl Session {
    /// Its name in the history: the one it was given, or its number.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Begins a transaction at the session's level.
    pub fn begin(&mut self) -> Result<(), ClientError> {
        self.done("begin", "{}")
    }

    /// Begins a transaction at a level.
    pub fn begin_at(&mut self, level: Level) -> Result<(), ClientError> {
        self.done("begin", &format!(r#"{{"level":"{level}"}}"#))
    }

    /// Reads a key; null when absent. Outside a transaction, as one of its own.
    pub fn get(&mut self, key: impl Into<Key>) -> Result<Json, ClientError> {
        let body = keyed(&key.into(), "");
        self.value(&body)
    }

    /// Reads a key and locks it, where the store's profile has locks.
    pub fn get_for_update(&mut self, key: impl Into<Key>) -> Result<Json, ClientError> {
        let body = keyed(&key.into(), r#","lock":"update""#);
        self.value(&body)
    }

    fn value(&mut self, body: &str) -> Result<Json, ClientError> {
        match object(self.ask("get", body)?)?.remove("value") {
            Some(value) => Ok(value),
            None => Err(strange()),
        }
    }

    /// Writes a key. Outside a transaction, as one of its own.
    pub fn put(&mut self, key: impl Into<Key>, value: impl Into<Json>) -> Result<(), ClientError> {
        let value = value.into();
        self.done("put", &keyed(&key.into(), &format!(r#","value":{value}"#)))
    }

    /// Says which statement the next reads and writes belong to, for the history.
    pub fn statement(&mut self, text: &str) -> Result<(), ClientError> {
        self.done("statement", &format!(r#"{{"text":{}}}"#, Value::from(text)))
    }

    /// Deletes a key.
    pub fn delete(&mut self, key: impl Into<Key>) -> Result<(), ClientError> {
        self.done("delete", &keyed(&key.into(), ""))
    }

    /// The keys that begin with a prefix, with their values, in order.
    pub fn scan(&mut self, prefix: &str) -> Result<Vec<(Key, Json)>, ClientError> {
        let body = format!(r#"{{"prefix":{}}}"#, Value::from(prefix));
        let mut answer = object(self.ask("scan", &body)?)?;
        let Some(Json::Array(rows)) = answer.remove("rows") else { return Err(strange()) };
        let row = |mut row: Json| {
            let key = match &row["key"] {
                Json::String(text) => Key::from(text.as_str()),
                other => Key::Int(other.as_i64().ok_or_else(strange)?),
            };
            Ok((key, row["value"].take()))
        };
        rows.into_iter().map(row).collect()
    }

    /// Commits the transaction.
    pub fn commit(&mut self) -> Result<(), ClientError> {
        self.done("commit", "{}")
    }

    /// Aborts the transaction.
    pub fn abort(&mut self) -> Result<(), ClientError> {
        self.done("abort", "{}")
    }

    /// Runs a transaction, again when the store aborts it, at most `attempts` times.
    pub fn transaction<T>(
        &mut self,
        attempts: u32,
        mut body: impl FnMut(&mut Session) -> Result<T, ClientError>,
    ) -> Result<T, ClientError> {
        let mut attempt = 1;
        loop {
            self.begin()?;
            match body(self).and_then(|result| self.commit().map(|()| result)) {
                Err(error) if error.is_abort() && attempt < attempts => attempt += 1,
                Err(error) => {
                    if !error.is_abort() {
                        // The first error is the one to tell of.
                        let _ = self.abort();
                    }
                    return Err(error);
                }
                Ok(result) => return Ok(result),
            }
        }
    }

    /// One operation of this session with a JSON body, for what has no method here; the answer's body.
    pub fn operation(&mut self, operation: &str, body: &Json) -> Result<String, ClientError> {
        text(self.ask(operation, &body.to_string())?)
    }

    fn done(&mut self, operation: &str, body: &str) -> Result<(), ClientError> {
        match self.ask(operation, body)? {
            (200, _) => Ok(()),
            answer => text(answer).map(|_| ()),
        }
    }

    fn ask(&mut self, operation: &str, body: &str) -> Result<(u16, &[u8]), ClientError> {
        let path = ["/v1/sessions/", &self.id, "/", operation];
        Ok(self.connection.ask_parts("POST", &path, body.as_bytes())?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A store that is gone has no session to close.
        let _ = self.connection.ask_parts("DELETE", &["/v1/sessions/", &self.id], b"");
    }
}

/// A body that begins with a key.
fn keyed(key: &Key, rest: &str) -> String {
    match key {
        Key::Int(n) => format!(r#"{{"key":{n}{rest}}}"#),
        Key::Text(text) => format!(r#"{{"key":{}{rest}}}"#, Value::Text(text.clone())),
    }
}

/// The body of a success.
fn text((status, body): (u16, &[u8])) -> Result<String, ClientError> {
    if (200..300).contains(&status) {
        return String::from_utf8(body.to_vec()).map_err(|_| strange());
    }
    let problem: Json = serde_json::from_slice(body).unwrap_or_default();
    let member = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    Err(if problem["retry"] == true {
        ClientError::Aborted { reason: member("reason"), detail: member("detail") }
    } else {
        let (kind, title) = (member("type"), member("title"));
        ClientError::Refused { status, kind, title, detail: member("detail") }
    })
}

/// The body of a success that is an object.
fn object(answer: (u16, &[u8])) -> Result<Map<String, Json>, ClientError> {
    if answer.0 >= 300 {
        text(answer)?;
    }
    serde_json::from_slice(answer.1).map_err(|_| strange())
}

/// The error of an answer that no store gives.
fn strange() -> ClientError {
    io::Error::new(ErrorKind::InvalidData, "the answer is not one of a store").into()
}
