//! Logs as files: a line of JSON for the setup, then one for every entry.
//!
//! ```text
//! {"hobgoblin-log":1,"level":"RC","profile":"spec","policy":"uniform","seed":7,"window":256,"initial":[["x",0]]}
//! {"connect":"alice"}
//! {"s":0,"begin":{"level":"CC"}}
//! {"s":0,"get":"x","c":[1]}
//! {"s":0,"put":"x","value":2}
//! {"s":0,"commit":{}}
//! ```
//!
//! `s` is the session, counted by connects from 0, and `c` the choices. Lines are written one by one as
//! things happen, so that the file of a killed server ends in half a line at worst. That one is left out
//! and reported as [`LogFile::truncated`]; any other bad line is an error with its number.

use std::fmt;
use std::io::{BufRead, Write};
use std::ops::Bound;
use std::sync::Arc;

use hobgoblin_core::json::{Json, Reader};
use hobgoblin_core::{Key, Level, SessionId, Value};
use hobgoblin_format::json::{push_key, push_text, push_value};

use crate::config::{Config, Policy};
use crate::lock::{Lock, Scope, Wait};
use crate::log::{Entry, Log};
use crate::range::KeyRange;
use crate::request::{Request, TransactionRequest};
use crate::request_text::{push, push_policy, push_request};

/// Why a log cannot be read or written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LogError {
    /// The file could not be read or written.
    Io(Arc<std::io::Error>),
    /// A line is not an entry of a log.
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The first line is not the setup of a log.
    Header {
        /// What is wrong with it.
        what: String,
    },
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogError::Io(inner) => write!(f, "the log cannot be read or written: {inner}"),
            LogError::Line { line, what } => write!(
                f,
                "line {line} of the log: {what}; write the log anew, or cut the file before this line"
            ),
            LogError::Header { what } => write!(
                f,
                "this is no log: {what}; a log is what `hob serve --log` and `hob test` write, and begins with \
         {{\"hobgoblin-log\":1,…}}"
            ),
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LogError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<std::io::Error> for LogError {
    fn from(error: std::io::Error) -> LogError {
        LogError::Io(Arc::new(error))
    }
}

/// A log that was read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFile {
    /// The entries that are complete.
    pub log: Log,
    /// The number of the last line, from 1, if it stops in the middle and was left out.
    pub truncated: Option<usize>,
}

/// Writes a log as it happens.
#[derive(Debug)]
pub struct LogWriter<W> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> LogWriter<W> {
    /// Begins a file with the setup and the entries of `log`.
    pub fn new(out: W, log: &Log) -> Result<LogWriter<W>, LogError> {
        let mut writer = LogWriter { out, buffer: Vec::new() };
        push_header(&mut writer.buffer, log);
        log.entries.iter().try_for_each(|entry| writer.entry(entry))?;
        writer.flush()?;
        Ok(writer)
    }

    /// Writes an entry. It is held back until there are many, or until [`LogWriter::flush`].
    pub fn entry(&mut self, entry: &Entry) -> Result<(), LogError> {
        push_entry(&mut self.buffer, entry);
        if self.buffer.len() >= 1 << 16 {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the entries that are held back.
    pub fn flush(&mut self) -> Result<(), LogError> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(self.out.flush()?)
    }
}

impl Log {
    /// Writes the whole log as a file.
    pub fn write(&self, out: impl Write) -> Result<(), LogError> {
        LogWriter::new(out, self).map(|_| ())
    }

    /// Reads a file.
    pub fn read(mut input: impl BufRead) -> Result<LogFile, LogError> {
        let mut log: Option<Log> = None;
        let mut text = Vec::new();
        for line in 1.. {
            text.clear();
            input.read_until(b'\n', &mut text)?;
            let whole = text.ends_with(b"\n");
            if text.trim_ascii().is_empty() {
                if whole {
                    continue;
                }
                break;
            }
            match (&mut log, parse(&text)) {
                (None, parsed) => {
                    let found = parsed.and_then(header);
                    log = Some(found.map_err(|what| LogError::Header { what })?);
                }
                (Some(log), parsed) => match parsed.and_then(entry) {
                    Ok(entry) => log.entries.push(entry),
                    Err(_) if !whole => {
                        return Ok(LogFile { log: std::mem::take(log), truncated: Some(line) });
                    }
                    Err(what) => return Err(LogError::Line { line, what }),
                },
            }
        }
        let log = log.ok_or_else(|| LogError::Header { what: "it is empty".to_owned() })?;
        Ok(LogFile { log, truncated: None })
    }
}

fn push_header(out: &mut Vec<u8>, log: &Log) {
    let config = &log.config;
    push(out, &format!("{{\"hobgoblin-log\":1,\"level\":\"{}\"", config.level));
    push(out, &format!(",\"profile\":\"{}\"", config.profile));
    push_policy(out, &config.policy);
    push(out, &format!(",\"seed\":{}", config.seed));
    match config.window {
        Some(window) => push(out, &format!(",\"window\":{window}")),
        None => push(out, ",\"window\":null"),
    }
    if let Some(lag) = config.lag {
        push(out, &format!(",\"lag\":{lag}"));
    }
    push(out, if config.patient { ",\"patient\":true" } else { "" });
    push(out, if config.snapshot_isolation { ",\"snapshot_isolation\":true" } else { "" });
    push(out, if config.upgrades_first { ",\"upgrades_first\":true" } else { "" });
    if config.abort_rate != 0.0 {
        push(out, &format!(",\"abort_rate\":{}", config.abort_rate));
    }
    push(out, ",\"initial\":[");
    for (at, (key, value)) in config.initial.iter().enumerate() {
        push(out, if at == 0 { "[" } else { ",[" });
        push_key(out, key);
        out.push(b',');
        push_value(out, value);
        out.push(b']');
    }
    out.push(b']');
    if !log.meta.is_empty() {
        push(out, ",\"meta\":{");
        for (at, (name, text)) in log.meta.iter().enumerate() {
            push(out, if at == 0 { "" } else { "," });
            push_text(out, name);
            out.push(b':');
            push_text(out, text);
        }
        out.push(b'}');
    }
    push(out, "}\n");
}

fn push_entry(out: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::Connect { name: None } => push(out, "{\"connect\":null"),
        Entry::Connect { name: Some(name) } => {
            push(out, "{\"connect\":");
            push_text(out, name);
        }
        Entry::Disconnect { session } => push(out, &format!("{{\"disconnect\":{session}")),
        Entry::Tick { now } => push(out, &format!("{{\"tick\":{now}")),
        Entry::Request { session, request, choices } => {
            push(out, &format!("{{\"s\":{session},"));
            push_request(out, request);
            for (at, choice) in choices.iter().enumerate() {
                push(out, if at == 0 { ",\"c\":[" } else { "," });
                push(out, &choice.to_string());
            }
            if !choices.is_empty() {
                out.push(b']');
            }
        }
    }
    push(out, "}\n");
}

fn parse(line: &[u8]) -> Result<Json, String> {
    let mut reader = Reader::new(line);
    let json = reader.json().map_err(|error| format!("no JSON object: {error}"))?;
    match (&json, reader.peek()) {
        (Json::Object(_), None) => Ok(json),
        (Json::Object(_), Some(_)) => {
            Err(format!("no JSON object: something follows it at byte {}", reader.at))
        }
        _ => Err("no JSON object".to_owned()),
    }
}

/// The member of this name, a text that is read as `T`; `None` if it is missing or null.
fn member<T: std::str::FromStr<Err: ToString>>(
    json: &Json,
    name: &str,
) -> Result<Option<T>, String> {
    match json.get(name) {
        None | Some(Json::Scalar(Value::Null)) => Ok(None),
        Some(Json::Scalar(Value::Text(text))) => {
            text.parse::<T>().map(Some).map_err(|error| error.to_string())
        }
        Some(Json::Scalar(number @ (Value::Int(_) | Value::Json(_)))) => {
            let parsed = number.to_string().parse();
            parsed.map(Some).map_err(|_| format!("{name:?} is {number}, which does not fit"))
        }
        Some(other) => Err(format!("{name:?} is {other}, not a string or number")),
    }
}

/// Whether a member is true.
fn is(json: &Json, name: &str) -> bool {
    json.get(name).and_then(Json::as_bool).unwrap_or(false)
}

fn header(json: Json) -> Result<Log, String> {
    match json.get("hobgoblin-log") {
        Some(version) if version.as_i64() == Some(1) => {}
        Some(version) => return Err(format!("it is of version {version}, and 1 is known")),
        None => return Err("its first line has no \"hobgoblin-log\"".to_owned()),
    }
    let mut config = Config::default();
    config.level = member(&json, "level")?.unwrap_or(config.level);
    config.profile = member(&json, "profile")?.unwrap_or(config.profile);
    config.policy = member(&json, "policy")?;
    config.seed = member(&json, "seed")?.unwrap_or(config.seed);
    if json.get("window").is_some() {
        config.window = member(&json, "window")?;
    }
    config.lag = member(&json, "lag")?;
    config.abort_rate = member(&json, "abort_rate")?.unwrap_or(0.0);
    config.patient = is(&json, "patient");
    config.snapshot_isolation = is(&json, "snapshot_isolation");
    config.upgrades_first = is(&json, "upgrades_first");
    for pair in json.get("initial").and_then(Json::items).unwrap_or_default() {
        let [key, value] = pair.items().unwrap_or_default() else {
            return Err("\"initial\" has no pairs".to_owned());
        };
        config.initial.push((name_of(key)?, value.clone().into()));
    }
    let mut log = Log { config, ..Log::default() };
    for (name, text) in json.get("meta").and_then(Json::members).unwrap_or_default() {
        let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
        log.meta.insert(name.to_string(), text);
    }
    Ok(log)
}

fn name_of(json: &Json) -> Result<Key, String> {
    json.as_key().ok_or_else(|| format!("the key {json} is neither a string nor an integer"))
}

fn session(json: &Json) -> Result<SessionId, String> {
    let number = json.as_i64().filter(|number| (0..1 << 31).contains(number));
    let number = number.ok_or_else(|| format!("{json} is not the number of a session"))?;
    Ok(SessionId::new(number as usize))
}

fn entry(json: Json) -> Result<Entry, String> {
    if let Some(name) = json.get("connect") {
        return match name {
            Json::Scalar(Value::Null) => Ok(Entry::Connect { name: None }),
            Json::Scalar(Value::Text(name)) => Ok(Entry::Connect { name: Some((**name).into()) }),
            other => Err(format!("the name {other} of a session is not a string")),
        };
    }
    if let Some(number) = json.get("disconnect") {
        return Ok(Entry::Disconnect { session: session(number)? });
    }
    if json.get("tick").is_some() {
        let now = member(&json, "tick")?.ok_or("\"tick\" has no time")?;
        return Ok(Entry::Tick { now });
    }
    let session = session(json.get("s").ok_or("an entry without a session \"s\"")?)?;
    let mut choices = Vec::new();
    for choice in json.get("c").and_then(Json::items).unwrap_or_default() {
        let number = choice.as_i64().and_then(|number| u32::try_from(number).ok());
        choices.push(number.ok_or_else(|| format!("the choice {choice} is no small number"))?);
    }
    Ok(Entry::Request { session, request: request(&json)?, choices })
}

fn integer(json: &Json, name: &str) -> Result<i64, String> {
    json.get(name).and_then(Json::as_i64).ok_or_else(|| format!("{name:?} is not an integer"))
}

fn request(json: &Json) -> Result<Request, String> {
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    let has = |name: &str| json.get(name).is_some();
    let object = |name: &str| json.get(name).filter(|json| json.members().is_some());
    let value = || json.get("value").cloned().map_or(Value::Null, Value::from);
    let wait = match (is(json, "nowait"), is(json, "skip")) {
        (true, _) => Wait::Not,
        (_, true) => Wait::Skip,
        _ => Wait::Forever,
    };
    if let Some(options) = object("begin") {
        let (level, policy) = (member(options, "level")?, member(options, "policy")?);
        Ok(Request::begin(level, policy))
    } else if let Some(key) = json.get("get") {
        Ok(Request::Transaction(TransactionRequest::Get {
            key: name_of(key)?,
            policy: member(json, "policy")?,
            lock: member(json, "lock")?,
            wait,
            latest: is(json, "latest"),
        }))
    } else if let Some(key) = json.get("put") {
        Ok(Request::put(name_of(key)?, value()))
    } else if let Some(key) = json.get("insert") {
        Ok(Request::insert(name_of(key)?, value()))
    } else if let Some(bounds) = object("scan") {
        let bound =
            |[included, excluded]: [&str; 2]| match (bounds.get(included), bounds.get(excluded)) {
                (Some(key), _) => name_of(key).map(Bound::Included),
                (None, Some(key)) => name_of(key).map(Bound::Excluded),
                (None, None) => Ok(Bound::Unbounded),
            };
        let range = match bounds.get("prefix").and_then(Json::as_str) {
            Some(prefix) => KeyRange::prefix(prefix),
            None => KeyRange::between(bound(["from", "after"])?, bound(["to", "before"])?),
        };
        let (limit, policy) = (member(json, "limit")?, member(json, "policy")?);
        let (backwards, latest) = (is(json, "backwards"), is(json, "latest"));
        let lock = member(json, "lock")?;
        Ok(Request::Transaction(TransactionRequest::Scan {
            range,
            limit,
            backwards,
            policy,
            lock,
            wait,
            latest,
        }))
    } else if let Some(key) = json.get("advance") {
        Ok(Request::advance(name_of(key)?, integer(json, "by")?))
    } else if let Some(key) = json.get("reserve") {
        Ok(Request::reserve(name_of(key)?, member(json, "lock")?.unwrap_or(Lock::Update)))
    } else if let Some(key) = json.get("hold") {
        let mode = member(json, "mode")?.ok_or("\"hold\" has no mode")?;
        let scope = if is(json, "session") { Scope::Session } else { Scope::Transaction };
        Ok(Request::hold(name_of(key)?, mode, scope, wait))
    } else if let Some(key) = json.get("let-go") {
        let mode = member(json, "mode")?.ok_or("\"let-go\" has no mode")?;
        Ok(Request::let_go(name_of(key)?, mode))
    } else if let Some(how) = json.get("read-only") {
        let deferrable = is(how, "deferrable");
        Ok(Request::read_only(deferrable))
    } else if let Some(why) = json.get("give-up") {
        let deadlock = is(why, "deadlock");
        Ok(Request::give_up(deadlock))
    } else if let Some(key) = json.get("set-counter") {
        Ok(Request::set_counter(name_of(key)?, integer(json, "value")?))
    } else if has("set-policy") {
        Ok(Request::set_policy(member::<Policy>(json, "set-policy")?))
    } else if let Some(on) = json.get("set-snapshot-isolation") {
        Ok(Request::set_snapshot_isolation(on.as_bool()))
    } else if has("set-level") {
        Ok(Request::set_level(member::<Level>(json, "set-level")?))
    } else if let Some(name) = text("savepoint") {
        Ok(Request::savepoint(name))
    } else if let Some(name) = text("rollback") {
        Ok(Request::rollback_to(name))
    } else if let Some(name) = text("release") {
        Ok(Request::release(name))
    } else if let Some(to) = text("prepare") {
        Ok(Request::prepare(to))
    } else if let Some(text) = text("statement") {
        Ok(Request::statement(text))
    } else {
        let plain = [
            ("commit", Request::COMMIT),
            ("abort", Request::ABORT),
            ("stand-aside", Request::STAND_ASIDE),
            ("pass-over", Request::PASS_OVER),
            ("fence", Request::FENCE),
            ("let-go-all", Request::LET_GO_ALL),
            ("clock", Request::CLOCK),
            ("random", Request::RANDOM),
            ("cancel", Request::CANCEL),
        ];
        let found = plain.into_iter().find(|(name, _)| has(name));
        found.map(|(_, request)| request).ok_or_else(|| "no request that is known".to_owned())
    }
}
