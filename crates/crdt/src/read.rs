//! Reading `crdt-history/1`: JSON in, a history or an error with its place out.
//!
//! `docs/crdt.md` describes the format. Members of an object may stand in any order, so an operation is read whole
//! before it is understood.

use std::fmt;

use hobgoblin_core::json::{Json, JsonError, Reader};
use hobgoblin_core::{Key, Value, nearest};

use crate::builder::{Action, CrdtHistoryBuilder, Start};
use crate::data_type::{Arbitration, DataType, Multiplicity, TypeOptions};
use crate::error::CrdtError;
use crate::history::{CrdtHistory, Timestamp};

/// What is wrong in a file, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdtReadError {
    /// The byte at which it stands.
    pub at: usize,
    /// The operation it is about, such as `A#3`.
    pub op: Option<String>,
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl fmt::Display for CrdtReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.op {
            Some(op) => write!(f, "{op}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for CrdtReadError {}

/// Reads one history. `data_type` is what the caller knows it to be; otherwise the text says so.
///
/// ```
/// use hobgoblin_crdt::{DataType, read};
///
/// let text = br#"{"type": "counter", "replicas": [{"id": "A", "ops": [{"f": "inc", "args": ["x"]}]}]}"#;
/// let history = read(text, None)?;
/// assert_eq!(history.data_type(), DataType::Counter);
/// assert!(read(text, Some(DataType::Lww)).is_err());
/// # Ok::<(), hobgoblin_crdt::CrdtReadError>(())
/// ```
pub fn read(text: &[u8], data_type: Option<DataType>) -> Result<CrdtHistory, CrdtReadError> {
    let draft = Draft::read(text)?;
    let (builder, places) = draft.build(data_type)?;
    builder.finish().map_err(|error| places.error(&error))
}

fn wrong(at: usize, message: impl Into<String>, help: impl Into<String>) -> CrdtReadError {
    CrdtReadError { at, op: None, message: message.into(), help: help.into() }
}

impl From<JsonError> for CrdtReadError {
    fn from(error: JsonError) -> CrdtReadError {
        wrong(error.at, error.message, "the file is one JSON object, or one on every line")
    }
}

/// What the text says, before its operations are understood.
#[derive(Debug, Default)]
struct Draft {
    data_type: Option<(usize, Json)>,
    options: Option<(usize, Json)>,
    initial: Option<(usize, Json)>,
    replicas: Option<Vec<ReplicaDraft>>,
}

#[derive(Debug)]
struct ReplicaDraft {
    at: usize,
    id: Option<Json>,
    ops: Vec<OpDraft>,
}

/// An operation with its members as they stand there.
#[derive(Debug, Default)]
struct OpDraft {
    at: usize,
    call: Option<Json>,
    args: Option<Vec<Json>>,
    ret: Option<Json>,
    sees: Option<Json>,
    sees_min: Option<Json>,
    sees_max: Option<Json>,
    is_final: Option<Json>,
    status: Option<Json>,
    noop: Option<Json>,
    timestamp: Option<Json>,
    sync: Option<Json>,
}

const TOP: &str = "a history has `type`, `replicas`, and may have `format`, `options` and `init`";
const OP: &str = "an operation has `f`, `args` and may have `ret`, `sees`, `sees_min`, `sees_max`, `final`, `status`, \
                  `noop` and `ts`; or it is `{\"sync\": {\"from\": …}}`";

impl Draft {
    fn read(text: &[u8]) -> Result<Draft, CrdtReadError> {
        let mut reader = Reader::new(text);
        let mut draft = Draft::default();
        let mut fault = None;
        if reader.peek() != Some(b'{') {
            return Err(wrong(reader.at, "expected an object", TOP));
        }
        members(&mut reader, &mut fault, |reader, name, at| {
            match name {
                "format" => {
                    let format = reader.json()?;
                    if format.as_str() != Some("crdt-history/1") {
                        let message = format!("{format} is no format of such histories");
                        return Ok(Some(wrong(
                            at,
                            message,
                            "write `\"format\": \"crdt-history/1\"`, or leave it out",
                        )));
                    }
                }
                "type" => draft.data_type = Some((at, reader.json()?)),
                "options" => draft.options = Some((at, reader.json()?)),
                "init" => draft.initial = Some((at, reader.json()?)),
                "replicas" => {
                    let mut found = Vec::new();
                    if reader.peek() != Some(b'[') {
                        return Ok(Some(wrong(
                            at,
                            "`replicas` is no array",
                            "write one object for each replica",
                        )));
                    }
                    let mut inner = None;
                    reader.items(|reader| {
                        if inner.is_none() {
                            match replica(reader)? {
                                Ok(replica) => found.push(replica),
                                Err(error) => inner = Some(error),
                            }
                        } else {
                            reader.skip()?;
                        }
                        Ok(())
                    })?;
                    if inner.is_some() {
                        return Ok(inner);
                    }
                    draft.replicas = Some(found);
                }
                // What else is there may be notes of who recorded it.
                _ => reader.skip()?,
            }
            Ok(None)
        })?;
        if let Some(fault) = fault {
            return Err(fault);
        }
        if reader.peek().is_some() {
            return Err(wrong(
                reader.at,
                "something follows the object",
                "write one history a line",
            ));
        }
        Ok(draft)
    }
}

/// Goes through the members of an object; the first that is wrong is kept.
fn members(
    reader: &mut Reader<'_>,
    fault: &mut Option<CrdtReadError>,
    mut member: impl FnMut(&mut Reader<'_>, &str, usize) -> Result<Option<CrdtReadError>, JsonError>,
) -> Result<(), JsonError> {
    reader.members(|reader, name| {
        let _ = reader.peek();
        let at = reader.at;
        if fault.is_some() {
            return reader.skip();
        }
        *fault = member(reader, name, at)?;
        if fault.is_some() {
            // What is wrong may have been read in part.
            reader.at = at;
            reader.skip()?;
        }
        Ok(())
    })
}

fn replica(reader: &mut Reader<'_>) -> Result<Result<ReplicaDraft, CrdtReadError>, JsonError> {
    let shape = "write `{\"id\": \"A\", \"ops\": [...]}`";
    let _ = reader.peek();
    let at = reader.at;
    if reader.peek() != Some(b'{') {
        reader.skip()?;
        return Ok(Err(wrong(at, "a replica is an object", shape)));
    }
    let mut draft = ReplicaDraft { at, id: None, ops: Vec::new() };
    let mut fault = None;
    members(reader, &mut fault, |reader, name, at| {
        match name {
            "id" => draft.id = Some(reader.json()?),
            "ops" => {
                if reader.peek() != Some(b'[') {
                    return Ok(Some(wrong(at, "`ops` is no array", shape)));
                }
                let mut inner = None;
                reader.items(|reader| {
                    if inner.is_some() {
                        return reader.skip();
                    }
                    match op(reader)? {
                        Ok(op) => draft.ops.push(op),
                        Err(error) => inner = Some(error),
                    }
                    Ok(())
                })?;
                return Ok(inner);
            }
            _ => reader.skip()?,
        }
        Ok(None)
    })?;
    Ok(match fault {
        Some(fault) => Err(fault),
        None => Ok(draft),
    })
}

fn op(reader: &mut Reader<'_>) -> Result<Result<OpDraft, CrdtReadError>, JsonError> {
    let first = reader.peek();
    let mut draft = OpDraft { at: reader.at, ..OpDraft::default() };
    if first != Some(b'{') {
        reader.skip()?;
        return Ok(Err(wrong(draft.at, "an operation is an object", OP)));
    }
    let mut fault = None;
    members(reader, &mut fault, |reader, name, at| {
        let place = match name {
            "f" => &mut draft.call,
            "args" => {
                if reader.peek() != Some(b'[') {
                    return Ok(Some(wrong(at, "`args` is no array", OP)));
                }
                let mut args = Vec::new();
                reader.items(|reader| {
                    args.push(reader.json()?);
                    Ok(())
                })?;
                draft.args = Some(args);
                return Ok(None);
            }
            "ret" => &mut draft.ret,
            "sees" => &mut draft.sees,
            "sees_min" => &mut draft.sees_min,
            "sees_max" => &mut draft.sees_max,
            "final" => &mut draft.is_final,
            "status" => &mut draft.status,
            "noop" => &mut draft.noop,
            "ts" => &mut draft.timestamp,
            "sync" => &mut draft.sync,
            _ => {
                let known = [
                    "sees", "sees_min", "sees_max", "final", "status", "noop", "args", "ret",
                    "sync",
                ];
                if let Some(near) = nearest(name, known.into_iter()) {
                    let message = format!("an operation has no `{name}`");
                    return Ok(Some(wrong(at, message, format!("did you mean `{near}`?"))));
                }
                reader.skip()?;
                return Ok(None);
            }
        };
        *place = Some(reader.json()?);
        Ok(None)
    })?;
    Ok(match fault {
        Some(fault) => Err(fault),
        None => Ok(draft),
    })
}

/// Where operations stand in the text, by replica and position.
#[derive(Debug)]
struct Places {
    ops: Vec<Vec<usize>>,
    names: Vec<Key>,
    initial: usize,
}

impl Places {
    fn error(&self, error: &CrdtError) -> CrdtReadError {
        let op = error.op().filter(|op| (op.replica as usize) < self.ops.len());
        let at = match op {
            Some(op) => self.ops[op.replica as usize][op.position as usize],
            None => self.initial,
        };
        let name = op.map(|op| format!("{}#{}", self.names[op.replica as usize], op.position));
        CrdtReadError { at, op: name, message: error.to_string(), help: error.help().to_owned() }
    }
}

impl Draft {
    fn build(self, known: Option<DataType>) -> Result<(CrdtHistoryBuilder, Places), CrdtReadError> {
        let data_type = data_type(self.data_type, known)?;
        let options = options(self.options)?;
        let mut builder = CrdtHistoryBuilder::new(data_type, options);
        let Some(replicas) = self.replicas else {
            return Err(wrong(0, "the history has no `replicas`", TOP));
        };
        let mut names = Vec::new();
        for replica in &replicas {
            let Some(name) = replica.id.as_ref().and_then(Json::as_key) else {
                let help = "give it `\"id\"`, a string or an integer";
                return Err(wrong(replica.at, "a replica has no id", help));
            };
            let alike = |other: &Key| other.to_string() == name.to_string();
            if names.iter().any(alike) {
                let error = CrdtError::TwoReplicas(name);
                return Err(wrong(replica.at, error.to_string(), error.help()));
            }
            builder.replica(name.clone());
            names.push(name);
        }
        let place = |replica: &ReplicaDraft| replica.ops.iter().map(|op| op.at).collect();
        let places = Places {
            ops: replicas.iter().map(place).collect(),
            names,
            initial: self.initial.as_ref().map_or(0, |(at, _)| *at),
        };
        for (number, replica) in replicas.into_iter().enumerate() {
            for (position, op) in replica.ops.into_iter().enumerate() {
                let at = op.at;
                op.build(&mut builder, number as u32, data_type).map_err(|mut error| {
                    error.at = at;
                    error.op = Some(format!("{}#{position}", places.names[number]));
                    error
                })?;
            }
        }
        if let Some((at, initial)) = self.initial {
            let Some(members) = initial.members() else {
                return Err(wrong(at, "`init` is no object", "write a value for each object"));
            };
            for (name, value) in members {
                let start = start(data_type, value).ok_or_else(|| {
                    let (object, value) = (Value::from(&**name), Value::from(value.clone()));
                    let error = CrdtError::Initial { object, value };
                    wrong(at, error.to_string(), error.help())
                })?;
                // The list without a name cannot be named in an object but by nothing.
                let object = match data_type.is_list() && name.is_empty() {
                    true => Value::Null,
                    false => Value::from(&**name),
                };
                builder.initial(object, start);
            }
        }
        Ok((builder, places))
    }
}

fn data_type(
    said: Option<(usize, Json)>,
    known: Option<DataType>,
) -> Result<DataType, CrdtReadError> {
    let names = || DataType::ALL.map(DataType::name).join(", ");
    let Some((at, json)) = said else {
        return known.ok_or_else(|| {
            wrong(
                0,
                "the history does not say its `type`",
                format!("give `--type` or write one of {}", names()),
            )
        });
    };
    let text = json.as_str().unwrap_or_default();
    match text.parse::<DataType>() {
        Ok(found) if known.is_none_or(|known| known == found) => Ok(found),
        Ok(found) => {
            let message = format!("it is a history of `{found}`");
            Err(wrong(at, message, "leave `--type` out, or check the files of each type apart"))
        }
        Err(_) => {
            let message = format!("no data type is called {json}");
            let help = match nearest(text, DataType::ALL.map(DataType::name).into_iter()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write one of {}", names()),
            };
            Err(wrong(at, message, help))
        }
    }
}

fn options(said: Option<(usize, Json)>) -> Result<TypeOptions, CrdtReadError> {
    let mut options = TypeOptions::default();
    let Some((at, json)) = said else { return Ok(options) };
    let Some(members) = json.members() else {
        return Err(wrong(
            at,
            "`options` is no object",
            "write `{\"lin\": \"per-key\"}`, for example",
        ));
    };
    for (name, value) in members {
        let help = match (&**name, value.as_str(), value.as_bool()) {
            ("lin", Some("global"), _) => {
                options.arbitration = Arbitration::Global;
                continue;
            }
            ("lin", Some("per-key"), _) => {
                options.arbitration = Arbitration::PerKey;
                continue;
            }
            ("lin", Some("ts"), _) => {
                options.arbitration = Arbitration::Timestamps;
                continue;
            }
            ("mvr", Some("set"), _) => {
                options.multiplicity = Multiplicity::Set;
                continue;
            }
            ("mvr", Some("multiset"), _) => {
                options.multiplicity = Multiplicity::Multiset;
                continue;
            }
            ("strict_anchor", _, Some(strict)) => {
                options.strict_anchor = strict;
                continue;
            }
            ("lin", ..) => "`lin` is `global`, `per-key` or `ts`",
            ("mvr", ..) => "`mvr` is `set` or `multiset`",
            ("strict_anchor", ..) => "`strict_anchor` is true or false",
            _ => "options are `lin`, `mvr` and `strict_anchor`",
        };
        return Err(wrong(at, format!("option `{name}` cannot be {value}"), help));
    }
    Ok(options)
}

fn start(data_type: DataType, value: &Json) -> Option<Start> {
    let items = || Some(value.items()?.iter().cloned().map(Value::from).collect());
    match data_type {
        DataType::AwSet | DataType::RwSet if value.items().is_some_and(<[Json]>::is_empty) => {
            Some(Start::Member(false))
        }
        DataType::AwSet | DataType::RwSet | DataType::EwFlag | DataType::DwFlag => {
            value.as_bool().map(Start::Member)
        }
        DataType::Counter => value.as_i64().map(Start::Sum),
        DataType::Lww => Some(Start::Value(value.clone().into())),
        DataType::Mvr => items().map(Start::Values),
        DataType::Rga | DataType::List => items().map(Start::Items),
    }
}

impl OpDraft {
    fn build(
        mut self,
        builder: &mut CrdtHistoryBuilder,
        replica: u32,
        data_type: DataType,
    ) -> Result<(), CrdtReadError> {
        if let Some(sync) = self.sync.take() {
            return self.sync(&sync, builder, replica);
        }
        let status = self.status.take();
        let status = status.as_ref().map_or(Some("ok"), Json::as_str);
        let noop = truth(self.noop.take(), "noop")?;
        let is_final = truth(self.is_final.take(), "final")?;
        if (noop || matches!(status, Some("info" | "fail"))) && self.ret.is_none() {
            self.ret = Some(Json::object(vec![("unknown".into(), Json::Scalar(true.into()))]));
        }
        let action = self.action(data_type)?;
        let (action, doubtful) = match status {
            Some("ok") if noop => (Action::Nothing, false),
            Some("ok") => (action, false),
            Some("info") => (if noop { Action::Nothing } else { action }, true),
            Some("fail") => (Action::Nothing, false),
            _ => {
                let help = "write `ok`, `info` (nobody knows whether it took place) or `fail`";
                return Err(wrong(0, "`status` is none of an operation's", help));
            }
        };
        let op = builder.op(replica, action);
        if doubtful {
            builder.doubtful(op);
        }
        if is_final {
            builder.observes_all(op);
        }
        if let Some(timestamp) = self.timestamp.take() {
            builder.timestamp(op, moment(&timestamp)?);
        }
        if let Some(sees) = counts(self.sees.take(), "sees", builder)? {
            builder.sees(op, &sees);
        }
        for (replica, count) in
            counts(self.sees_min.take(), "sees_min", builder)?.unwrap_or_default()
        {
            builder.sees_at_least(op, replica, count);
        }
        for (replica, count) in
            counts(self.sees_max.take(), "sees_max", builder)?.unwrap_or_default()
        {
            builder.sees_at_most(op, replica, count);
        }
        Ok(())
    }

    fn sync(
        self,
        sync: &Json,
        builder: &mut CrdtHistoryBuilder,
        replica: u32,
    ) -> Result<(), CrdtReadError> {
        let help = "write `{\"sync\": {\"from\": \"B\", \"at\": 3}}`: the first three operations of B arrived";
        let others =
            [&self.call, &self.ret, &self.sees, &self.sees_min, &self.sees_max, &self.is_final];
        if others.into_iter().any(Option::is_some) || self.args.is_some() || self.status.is_some() {
            return Err(wrong(0, "`sync` is an entry of its own", help));
        }
        let from = sync.get("from").and_then(Json::as_key);
        let from = from.and_then(|name| builder.find_replica(&name));
        let Some(from) = from.filter(|&from| from != replica) else {
            return Err(wrong(0, "`sync` does not name another replica", help));
        };
        let count = match sync.get("at") {
            None => None,
            Some(at) => match at.as_i64().and_then(|n| u64::try_from(n).ok()) {
                Some(count) => Some(count),
                None => return Err(wrong(0, "`at` is no number of operations", help)),
            },
        };
        let op = builder.op(replica, Action::Nothing);
        builder.synced(op, from, count);
        Ok(())
    }

    /// What it did or returned.
    fn action(&mut self, data_type: DataType) -> Result<Action, CrdtReadError> {
        let Some(call) = self.call.take() else {
            return Err(wrong(0, "the operation has no `f`", OP));
        };
        let call = call.as_str().unwrap_or_default();
        if !data_type.calls().contains(&call) {
            let message = format!("`{data_type}` has no operation `{call}`");
            let help = match nearest(call, data_type.calls().iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its operations are {}", data_type.calls().join(", ")),
            };
            return Err(wrong(0, message, help));
        }
        let args = self.args.take().unwrap_or_default();
        let shape = shape(data_type, call);
        let misfit = |what: &str| wrong(0, what, format!("write {shape}"));
        let count = args.len();
        let mut args = args.into_iter();
        let mut next = || Value::from(args.next().unwrap_or(Json::Scalar(Value::Null)));
        let arity = |from: usize, to: usize| match (from..=to).contains(&count) {
            true => Ok(()),
            false => Err(misfit("`args` has another number of arguments")),
        };
        let integer = |value: Value, what: &str| value.as_i64().ok_or_else(|| misfit(what));
        Ok(match (call, data_type) {
            ("add" | "enable", _) => {
                arity(1, 1)?;
                Action::Add(next())
            }
            ("disable", _) => {
                arity(1, 1)?;
                Action::Remove(next())
            }
            ("remove", DataType::AwSet | DataType::RwSet) => {
                arity(1, 1)?;
                Action::Remove(next())
            }
            ("inc" | "dec", _) => {
                arity(1, 2)?;
                let object = next();
                let amount = if count == 1 {
                    1
                } else {
                    integer(next(), "the amount is no integer of 64 bits")?
                };
                let amount = if call == "inc" { Some(amount) } else { amount.checked_neg() };
                Action::Increase(
                    object,
                    amount.ok_or_else(|| misfit("the amount is no integer of 64 bits"))?,
                )
            }
            ("write", _) => {
                arity(2, 2)?;
                let object = next();
                Action::Write(object, next())
            }
            ("delete", _) => {
                arity(1, 1)?;
                Action::Delete(next())
            }
            ("add_after", _) => {
                arity(2, 3)?;
                let list = if count == 3 { next() } else { Value::Null };
                let after = next();
                let after = if after.is_null() { None } else { Some(after) };
                let element = next();
                if element.is_null() {
                    return Err(misfit("an element cannot be null"));
                }
                Action::Insert { list, after, element }
            }
            ("remove", _) => {
                arity(1, 2)?;
                let list = if count == 2 { next() } else { Value::Null };
                Action::Erase { list, element: next() }
            }
            (_, _) => {
                let (least, most) = match data_type {
                    _ if call == "elements" => (0, 0),
                    DataType::Rga | DataType::List => (0, 1),
                    _ => (1, 1),
                };
                arity(least, most)?;
                let object = next();
                let Some(ret) = self.ret.take() else {
                    let help = format!("write {shape}, or `\"ret\": {{\"unknown\": true}}`");
                    return Err(wrong(0, "what it returned is missing", help));
                };
                if ret.get("unknown").and_then(Json::as_bool) == Some(true) {
                    return Ok(Action::Nothing);
                }
                let misfit = || misfit(&format!("it cannot have returned {ret}"));
                let items = || -> Result<Vec<Value>, CrdtReadError> {
                    Ok(ret.items().ok_or_else(misfit)?.iter().cloned().map(Value::from).collect())
                };
                match data_type {
                    _ if call == "elements" => Action::Elements(items()?),
                    DataType::AwSet | DataType::RwSet | DataType::EwFlag | DataType::DwFlag => {
                        Action::Contains(object, ret.as_bool().ok_or_else(misfit)?)
                    }
                    DataType::Counter => Action::Sum(object, ret.as_i64().ok_or_else(misfit)?),
                    DataType::Lww => Action::Value(object, ret.clone().into()),
                    DataType::Mvr => Action::Values(object, items()?),
                    DataType::Rga | DataType::List => Action::Items(object, items()?),
                }
            }
        })
    }
}

/// How an operation is written.
fn shape(data_type: DataType, call: &str) -> &'static str {
    match (call, data_type) {
        ("add", _) => "`\"args\": [element]`",
        ("remove", DataType::Rga | DataType::List) => "`\"args\": [element]` or `[list, element]`",
        ("remove", _) => "`\"args\": [element]`",
        ("contains", _) => "`\"args\": [element], \"ret\": true or false`",
        ("elements", _) => "`\"args\": [], \"ret\": [element, …]`, each once",
        ("enable" | "disable", _) => "`\"args\": [flag]`",
        ("inc" | "dec", _) => "`\"args\": [counter]` or `[counter, amount]`",
        ("write", _) => "`\"args\": [register, value]`",
        ("delete", _) => "`\"args\": [register]`",
        ("add_after", _) => {
            "`\"args\": [element before it or null, element]`, with the list first if there are several"
        }
        (_, DataType::Counter) => "`\"args\": [counter], \"ret\": integer`",
        (_, DataType::EwFlag | DataType::DwFlag) => "`\"args\": [flag], \"ret\": true or false`",
        (_, DataType::Mvr) => "`\"args\": [register], \"ret\": [value, …]`",
        (_, DataType::Lww) => "`\"args\": [register], \"ret\": value or null`",
        (_, _) => "`\"args\": [] or [list], \"ret\": [element, …]`",
    }
}

fn truth(json: Option<Json>, name: &str) -> Result<bool, CrdtReadError> {
    match json {
        None => Ok(false),
        Some(json) => json.as_bool().ok_or_else(|| {
            wrong(
                0,
                format!("`{name}` is neither true nor false"),
                "write true or false, or leave it out",
            )
        }),
    }
}

fn counts(
    json: Option<Json>,
    name: &str,
    builder: &CrdtHistoryBuilder,
) -> Result<Option<Vec<(u32, u64)>>, CrdtReadError> {
    let Some(json) = json else { return Ok(None) };
    let help = "write how many operations of each other replica it had observed: `{\"B\": 2}`";
    let Some(members) = json.members() else {
        return Err(wrong(0, format!("`{name}` is no object"), help));
    };
    let mut found = Vec::with_capacity(members.len());
    for (replica, count) in members {
        let by_text = builder.find_replica(&Key::from(&**replica));
        let by_number = || builder.find_replica(&Key::Int(replica.parse().ok()?));
        let Some(number) = by_text.or_else(by_number) else {
            return Err(wrong(0, format!("`{name}` names `{replica}`, which is no replica"), help));
        };
        let Some(count) = count.as_i64().and_then(|n| u64::try_from(n).ok()) else {
            return Err(wrong(
                0,
                format!("`{name}` of `{replica}` is {count}, no number of operations"),
                help,
            ));
        };
        found.push((number, count));
    }
    Ok(Some(found))
}

fn moment(json: &Json) -> Result<Timestamp, CrdtReadError> {
    let part = |json: &Json| {
        json.as_key().ok_or_else(|| {
            wrong(
                0,
                format!("`ts` cannot be {json}"),
                "write an integer, or an array of integers and strings",
            )
        })
    };
    match json.items() {
        Some(items) => items.iter().map(part).collect(),
        None => Ok(Box::new([part(json)?])),
    }
}
