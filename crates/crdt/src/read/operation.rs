//! What an operation means: its members are read where they stand, and become what a builder keeps of them.
//!
//! Results of reads go straight from the text to the numbers of what they name. Whatever is no JSON was refused
//! before, so that all errors here are about operations: their place is added by whoever knows it.

use std::borrow::Cow;

use hobgoblin_core::json::{Json, JsonError, Reader};
use hobgoblin_core::{Value, nearest};

use super::counts::Counts;
use super::error::{CrdtReadError, wrong};
use super::shape::{Member, Members, OP};
use crate::builder::{CrdtHistoryBuilder, Names, Step};
use crate::data_type::DataType;
use crate::history::{Item, ObjectId, OpRef, Timestamp, ValueId};

/// Reads the operations of one text into a builder, which has its replicas.
#[derive(Debug)]
pub(super) struct Operations<'a> {
    pub(super) text: &'a [u8],
    pub(super) data_type: DataType,
    pub(super) builder: CrdtHistoryBuilder,
    pub(super) counts: Counts,
    /// The numbers of what an array names, for the time of its reading.
    pub(super) numbers: Vec<u32>,
}

/// How many arguments there are, and where the first three stand.
#[derive(Debug, Default)]
struct Args {
    count: usize,
    places: [Option<usize>; 3],
}

/// What an operation is called, and how that is written.
#[derive(Clone, Copy, Debug)]
struct Called<'n> {
    name: &'n str,
    shape: &'static str,
}

impl Called<'_> {
    fn misfit(self, what: &str) -> CrdtReadError {
        wrong(0, what, format!("write {}", self.shape))
    }
}

impl<'a> Operations<'a> {
    /// Adds the next operation of a replica.
    pub(super) fn add(&mut self, replica: u32, members: &Members) -> Result<(), CrdtReadError> {
        if let Some(sync) = members.place(Member::Sync) {
            return self.sync(replica, members, sync);
        }
        let status = match members.place(Member::Status) {
            Some(at) => self.string(at)?,
            None => Some(Cow::Borrowed("ok")),
        };
        let status = status.as_deref();
        let noop = self.truth(members.place(Member::Noop), "noop")?;
        let is_final = self.truth(members.place(Member::Final), "final")?;
        let says_nothing = noop || matches!(status, Some("info" | "fail"));
        let step = self.step(members, says_nothing)?;
        let (step, doubtful) = match status {
            Some("ok") if noop => (Step::Nothing, false),
            Some("ok") => (step, false),
            Some("info") => (if noop { Step::Nothing } else { step }, true),
            Some("fail") => (Step::Nothing, false),
            _ => {
                let help = "write `ok`, `info` (nobody knows whether it took place) or `fail`";
                return Err(wrong(0, "`status` is none of an operation's", help));
            }
        };
        let op = self.builder.step(replica, step);
        if doubtful {
            self.builder.doubtful(op);
        }
        if is_final {
            self.builder.observes_all(op);
        }
        if let Some(at) = members.place(Member::Timestamp) {
            let timestamp = moment(&mut self.reader(at))?;
            self.builder.timestamp(op, timestamp);
        }
        self.observed(op, members)
    }

    /// What it had observed.
    fn observed(&mut self, op: OpRef, members: &Members) -> Result<(), CrdtReadError> {
        if let Some(at) = members.place(Member::Sees) {
            let mut reader = self.reader(at);
            let seen = self.counts.read(&mut reader, "sees", &self.builder)?;
            self.builder.sees(op, seen);
        }
        if let Some(at) = members.place(Member::SeesMin) {
            let mut reader = self.reader(at);
            for &(of, count) in self.counts.read(&mut reader, "sees_min", &self.builder)? {
                self.builder.sees_at_least(op, of, count);
            }
        }
        if let Some(at) = members.place(Member::SeesMax) {
            let mut reader = self.reader(at);
            for &(of, count) in self.counts.read(&mut reader, "sees_max", &self.builder)? {
                self.builder.sees_at_most(op, of, count);
            }
        }
        Ok(())
    }

    fn sync(&mut self, replica: u32, members: &Members, at: usize) -> Result<(), CrdtReadError> {
        let help = "write `{\"sync\": {\"from\": \"B\", \"at\": 3}}`: the first three operations of B arrived";
        if members.any_but(Member::Sync) {
            return Err(wrong(0, "`sync` is an entry of its own", help));
        }
        let sync = self.reader(at).json()?;
        let from = sync.get("from").and_then(Json::as_key);
        let from = from.and_then(|name| self.builder.find_replica(&name));
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
        let op = self.builder.step(replica, Step::Nothing);
        self.builder.synced(op, from, count);
        Ok(())
    }

    /// What it did or returned; nothing if it need not say what it returned, and does not.
    fn step(&mut self, members: &Members, says_nothing: bool) -> Result<Step, CrdtReadError> {
        let name = self.called(members)?;
        let call = Called { name: &name, shape: shape(self.data_type, &name) };
        let args = self.args(members)?;
        let arity = |from: usize, to: usize| match (from..=to).contains(&args.count) {
            true => Ok(()),
            false => Err(call.misfit("`args` has another number of arguments")),
        };
        let [first, second, _] = args.places;
        Ok(match (call.name, self.data_type) {
            ("add" | "enable", _) => {
                arity(1, 1)?;
                Step::Add(self.object(first)?)
            }
            ("disable", _) | ("remove", DataType::AwSet | DataType::RwSet) => {
                arity(1, 1)?;
                Step::Remove(self.object(first)?)
            }
            ("inc" | "dec", _) => {
                arity(1, 2)?;
                Step::Increase(self.object(first)?, self.amount(call, second)?)
            }
            ("write", _) => {
                arity(2, 2)?;
                let object = self.object(first)?;
                match self.data_type == DataType::Lww && self.is_null(second) {
                    true => Step::Delete(object),
                    false => Step::Write(object, self.value(second)?),
                }
            }
            ("delete", _) => {
                arity(1, 1)?;
                Step::Delete(self.object(first)?)
            }
            ("add_after", _) => {
                arity(2, 3)?;
                self.insert(call, &args)?
            }
            ("remove", _) => {
                arity(1, 2)?;
                let (list, element) = if args.count == 2 { (first, second) } else { (None, first) };
                Step::Erase { list: self.object(list)?, element: self.value(element)? }
            }
            _ => {
                let (least, most) = match self.data_type {
                    _ if call.name == "elements" => (0, 0),
                    DataType::Rga | DataType::List => (0, 1),
                    _ => (1, 1),
                };
                arity(least, most)?;
                match members.place(Member::Ret) {
                    Some(ret) => self.read(call, first, ret)?,
                    None if says_nothing => Step::Nothing,
                    None => {
                        let help =
                            format!("write {}, or `\"ret\": {{\"unknown\": true}}`", call.shape);
                        return Err(wrong(0, "what it returned is missing", help));
                    }
                }
            }
        })
    }

    /// What the operation is called, which is one that the type has.
    fn called(&self, members: &Members) -> Result<Cow<'a, str>, CrdtReadError> {
        let Some(at) = members.place(Member::Call) else {
            return Err(wrong(0, "the operation has no `f`", OP));
        };
        let call = self.string(at)?.unwrap_or_default();
        let calls = self.data_type.calls();
        if calls.contains(&&*call) {
            return Ok(call);
        }
        let message = format!("`{}` has no operation `{call}`", self.data_type);
        let help = match nearest(&call, calls.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its operations are {}", calls.join(", ")),
        };
        Err(wrong(0, message, help))
    }

    fn args(&self, members: &Members) -> Result<Args, JsonError> {
        let mut args = Args::default();
        let Some(at) = members.place(Member::Args) else { return Ok(args) };
        self.reader(at).items(|reader| {
            let _ = reader.peek();
            if let Some(place) = args.places.get_mut(args.count) {
                *place = Some(reader.at);
            }
            args.count += 1;
            reader.skip()
        })?;
        Ok(args)
    }

    /// How much a counter is increased by.
    fn amount(&self, call: Called<'_>, place: Option<usize>) -> Result<i64, CrdtReadError> {
        let amount = match place {
            Some(at) => self.reader(at).json()?.as_i64(),
            None => Some(1),
        };
        let amount = if call.name == "inc" { amount } else { amount.and_then(i64::checked_neg) };
        amount.ok_or_else(|| call.misfit("the amount is no integer of 64 bits"))
    }

    fn insert(&mut self, call: Called<'_>, args: &Args) -> Result<Step, CrdtReadError> {
        let (list, after, element) = match args.places {
            [after, element, None] => (None, after, element),
            [list, after, element] => (list, after, element),
        };
        if self.is_null(element) {
            return Err(call.misfit("an element cannot be null"));
        }
        let after = if self.is_null(after) { None } else { Some(self.value(after)?) };
        Ok(Step::Insert { list: self.object(list)?, after, element: self.value(element)? })
    }

    /// What a read returned.
    fn read(
        &mut self,
        call: Called<'_>,
        object: Option<usize>,
        ret: usize,
    ) -> Result<Step, CrdtReadError> {
        let mut reader = self.reader(ret);
        let is_object = reader.peek() == Some(b'{');
        if is_object && reader.json()?.get("unknown").and_then(Json::as_bool) == Some(true) {
            return Ok(Step::Nothing);
        }
        let step = match self.data_type {
            _ if call.name == "elements" => {
                self.array(ret, CrdtHistoryBuilder::objects, ObjectId)?.map(Step::Elements)
            }
            DataType::AwSet | DataType::RwSet | DataType::EwFlag | DataType::DwFlag => {
                let object = self.object(object)?;
                self.reader(ret).json()?.as_bool().map(|is| Step::Contains(object, is))
            }
            DataType::Counter => {
                let object = self.object(object)?;
                self.reader(ret).json()?.as_i64().map(|sum| Step::Sum(object, sum))
            }
            DataType::Lww => {
                let is_null = self.is_null(Some(ret));
                let value = if is_null { None } else { Some(self.value(Some(ret))?) };
                Some(Step::Value(self.object(object)?, value))
            }
            DataType::Mvr => {
                let object = self.object(object)?;
                let values = self.array(ret, CrdtHistoryBuilder::values, ValueId)?;
                values.map(|values| Step::Values(object, values))
            }
            DataType::Rga | DataType::List => {
                let list = self.object(object)?;
                let item = |number| Item::Never(ValueId(number));
                let items = self.array(ret, CrdtHistoryBuilder::values, item)?;
                items.map(|items| Step::Items(list, items))
            }
        };
        match step {
            Some(step) => Ok(step),
            None => {
                let ret = self.reader(ret).json()?;
                Err(call.misfit(&format!("it cannot have returned {ret}")))
            }
        }
    }

    fn reader(&self, at: usize) -> Reader<'a> {
        let mut reader = Reader::new(self.text);
        reader.at = at;
        reader
    }

    /// The string that stands there, if it is one.
    fn string(&self, at: usize) -> Result<Option<Cow<'a, str>>, JsonError> {
        let mut reader = self.reader(at);
        if reader.peek() == Some(b'"') { reader.text().map(Some) } else { Ok(None) }
    }

    /// The truth value that stands there; false if there is none.
    fn truth(&self, place: Option<usize>, name: &str) -> Result<bool, CrdtReadError> {
        let Some(at) = place else { return Ok(false) };
        self.reader(at).json()?.as_bool().ok_or_else(|| {
            let message = format!("`{name}` is neither true nor false");
            wrong(0, message, "write true or false, or leave it out")
        })
    }

    /// Whether null stands there, or nothing.
    fn is_null(&self, place: Option<usize>) -> bool {
        place.is_none_or(|at| self.reader(at).peek() == Some(b'n'))
    }

    /// The object that is named there, or null.
    fn object(&mut self, place: Option<usize>) -> Result<ObjectId, JsonError> {
        let mut reader = place.map(|at| self.reader(at));
        number(reader.as_mut(), self.builder.objects()).map(ObjectId)
    }

    /// The value or element that is named there, or null.
    fn value(&mut self, place: Option<usize>) -> Result<ValueId, JsonError> {
        let mut reader = place.map(|at| self.reader(at));
        number(reader.as_mut(), self.builder.values()).map(ValueId)
    }

    /// What an array names, if it is one.
    fn array<T>(
        &mut self,
        at: usize,
        names: fn(&mut CrdtHistoryBuilder) -> &mut Names,
        id: impl Fn(u32) -> T,
    ) -> Result<Option<Box<[T]>>, JsonError> {
        let mut reader = self.reader(at);
        if reader.peek() != Some(b'[') {
            return Ok(None);
        }
        let (names, numbers) = (names(&mut self.builder), &mut self.numbers);
        numbers.clear();
        reader.items(|reader| {
            numbers.push(number(Some(reader), names)?);
            Ok(())
        })?;
        Ok(Some(numbers.iter().copied().map(id).collect()))
    }
}

/// The number of the name that is next; of null if there is none.
fn number(reader: Option<&mut Reader<'_>>, names: &mut Names) -> Result<u32, JsonError> {
    let Some(reader) = reader else { return Ok(names.number(Value::Null)) };
    Ok(match reader.peek() {
        Some(b'"') => match reader.ascii() {
            Some(text) => names.text(text),
            None => names.text(reader.text()?.as_bytes()),
        },
        Some(b'-' | b'0'..=b'9') => names.number(reader.number()?),
        _ => names.number(reader.json()?.into()),
    })
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

/// A timestamp: one part, or an array of them.
fn moment(reader: &mut Reader<'_>) -> Result<Timestamp, CrdtReadError> {
    let mut parts = Vec::new();
    let mut part = |reader: &mut Reader<'_>| {
        parts.push(reader.json()?);
        Ok(())
    };
    match reader.peek() {
        Some(b'[') => reader.items(part)?,
        _ => part(reader)?,
    }
    let key = |part: &Json| {
        part.as_key().ok_or_else(|| {
            let help = "write an integer, or an array of integers and strings";
            wrong(0, format!("`ts` cannot be {part}"), help)
        })
    };
    parts.iter().map(key).collect()
}
