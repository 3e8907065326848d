//! The native format: one transaction a line, as JSON, in the session order of its session.
//!
//! ```text
//! {"hobgoblin": 1, "initial": {"x": 0}, "order": {"x": ["t1", "t4"]}}
//! {"session": 0, "id": "t1", "ops": [["r","x",0], ["w","x",1]]}
//! {"session": "bob", "ops": [["r","x",0,"init"]], "level": "SI", "begin": 120, "end": 310}
//! {"session": 0, "ops": [{"f":"r","key":"x","value":1,"lock":true,"stmt":0,"at":7}],
//!  "statements": ["SELECT … FOR UPDATE"], "status": "unknown"}        (on one line)
//! ```
//!
//! The header may be left out. Its members are objects, whose names are strings; a name that is an
//! integer means the integer key. For a string key that looks like an integer there is the other
//! form, a list of pairs: `"initial": [["7", 0], [7, 1]]`. A read names its writer by id (an id
//! given as an integer is its digits), or, where the writer has none, by its number in the file:
//! `{"number": 3}`. What tables and indexes consist of is a member of the header, or a line of its own
//! wherever it became known; the last one of a name is right. Members nobody knows are mistakes, since a misspelt `"status"` would change the
//! answer; `"meta"` is free for whatever else belongs to a line.

mod write;

use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::path::Path;

use hobgoblin_core::{History, Index, Key, Kind, Level, SortedMap, Status, Table};

use crate::assembler::Assembler;
use crate::digits;
use crate::error::{Failure, Mistake, Parsed, ReadError};
use crate::find::find_text;
use crate::format::Format;
use crate::input::{self, Lines, first_line};
use crate::json::Cursor;
use crate::parsed::{EventSink, Name, ParsedEvent, ParsedTxn, Reference, Scalar};
use crate::record::{Header, TxnRecord};

pub(crate) use write::{push_header, push_schema, push_txn};

/// Whether a file begins like one of these: with an object that has a member of ours. A line may
/// be longer than what there is of it.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let Some(line) = first_line(head, |_| false) else { return false };
    let has = |name: &str| find_text(line, name).is_some();
    line.starts_with(b"{") && ["\"hobgoblin\"", "\"session\"", "\"ops\""].into_iter().any(has)
}

/// Reads a history.
pub(crate) fn read(input: &mut dyn BufRead) -> Result<History, Failure> {
    let mut lines = Lines::new(input);
    let mut history = Assembler::default();
    let mut first = true;
    loop {
        let number = lines.next_number();
        let Some(line) = lines.next()? else { break };
        let mut step = || match parse(line, number, &mut history)? {
            Line::Blank => Ok(first),
            Line::Header(_) if !first => Err(late_header()),
            Line::Header(header) | Line::Schema(header) => {
                history.header(header, number).map_err(|e| Mistake::refused_in(line, e))?;
                Ok(false)
            }
            Line::Txn(txn) => {
                history.end(txn).map_err(|e| Mistake::refused_in(line, e))?;
                Ok(false)
            }
        };
        first = step().map_err(|mistake| mistake.on_line(number.into(), line))?;
    }
    Ok(history.finish()?)
}

fn late_header() -> Box<Mistake> {
    Mistake::at(0, "a header that is not the first line", "move it to the top of the file")
}

/// A line of a `.jsonl` file, as [`JsonlReader`] hands it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The first line may say what holds before all transactions; later ones only what became known of tables.
    Header(Header),
    /// Every other line is a transaction.
    Txn(TxnRecord),
}

/// Reads transactions of a `.jsonl` file as they arrive. Each line is checked by itself; what needs
/// the whole history, such as unique ids, is left to a [`HistoryBuilder`](hobgoblin_core::HistoryBuilder).
/// After a mistake the next line is read as if nothing had happened.
///
/// ```
/// use hobgoblin_format::{JsonlReader, Record};
///
/// let file = r#"{"session": 0, "ops": [["w","x",1]]}"#;
/// for record in JsonlReader::new(file.as_bytes(), "example") {
///     let Record::Txn(txn) = record? else { continue };
///     assert_eq!(txn.events.len(), 1);
/// }
/// # Ok::<(), hobgoblin_format::ReadError>(())
/// ```
pub struct JsonlReader<R> {
    lines: Lines<R>,
    file: String,
    first: bool,
}

impl JsonlReader<Box<dyn BufRead>> {
    /// Opens a file, or standard input for `-`; compressed or not.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        match input::open(path, None).and_then(input::decompress) {
            Ok(input) => Ok(JsonlReader::new(input, file)),
            Err(source) => Err(ReadError::Io { file, source }),
        }
    }
}

impl<R: Read> JsonlReader<R> {
    /// Reads from an open file, which `file` names in errors.
    pub fn new(input: R, file: impl Into<String>) -> JsonlReader<R> {
        JsonlReader { lines: Lines::new(input), file: file.into(), first: true }
    }
}

impl<R: Read> Iterator for JsonlReader<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut events = Vec::new();
        loop {
            let number = self.lines.next_number();
            let line = match self.lines.next() {
                Ok(line) => line?,
                Err(source) => {
                    return Some(Err(ReadError::Io { file: self.file.clone(), source }));
                }
            };
            let first = std::mem::replace(&mut self.first, false);
            let record = match parse(line, number, &mut events) {
                Ok(Line::Blank) => {
                    self.first = first;
                    continue;
                }
                Ok(Line::Header(_)) if !first => Err(late_header()),
                Ok(Line::Header(header) | Line::Schema(header)) => Ok(Record::Header(header)),
                Ok(Line::Txn(txn)) => Ok(Record::Txn(TxnRecord::from_parsed(txn, events))),
                Err(mistake) => Err(mistake),
            };
            return Some(record.map_err(|mistake| ReadError::Parse {
                file: self.file.clone(),
                format: Format::Jsonl,
                error: Box::new(mistake.on_line(number.into(), line)),
            }));
        }
    }
}

enum Line<'a> {
    Blank,
    Header(Header),
    /// Tables and indexes that became known, and nothing else of a header.
    Schema(Header),
    Txn(ParsedTxn<'a>),
}

const MEMBERS: [&str; 13] = [
    "session",
    "id",
    "ops",
    "status",
    "level",
    "begin",
    "end",
    "statements",
    "hobgoblin",
    "initial",
    "order",
    "tables",
    "indexes",
];
const SESSION: usize = 0;
const OPS: usize = 2;
const HEADER: usize = 8;
const SCHEMA: usize = 11;

/// Parses one line; its events go to `sink` while it is parsed.
fn parse<'a>(line: &'a [u8], number: u32, sink: &mut impl EventSink) -> Parsed<Line<'a>> {
    let mut c = Cursor::new(line);
    if c.is_done() {
        return Ok(Line::Blank);
    }
    let mut txn = ParsedTxn {
        session: Name::Int(0),
        name: None,
        status: Status::Committed,
        level: None,
        begin: None,
        end: None,
        statements: Vec::new(),
        line: number,
    };
    let mut header = Header::default();
    let mut seen = [false; MEMBERS.len()];
    const HELP: &str =
        "a line is one JSON object, such as {\"session\": 0, \"ops\": [[\"w\",\"x\",1]]}";
    c.list((b'{', b'}'), HELP, |c| {
        c.peek();
        let at = c.at;
        let name = c.text()?;
        c.expect(b':', HELP)?;
        let Some(member) = MEMBERS.iter().position(|member| *member == name) else {
            return if name == "meta" { c.skip() } else { Err(unknown_member(at, &name)) };
        };
        if std::mem::replace(&mut seen[member], true) {
            let message = format!("the member {name:?} is given twice");
            return Err(Mistake::at(at, message, "give it once"));
        }
        match MEMBERS[member] {
            "session" => txn.session = c.name("a session")?,
            "id" => txn.name = Some(id(c)?),
            "ops" => ops(c, sink)?,
            "status" => txn.status = status(c)?,
            "level" => txn.level = Some(level(c)?),
            "begin" => txn.begin = Some(c.integer("a time", "give nanoseconds")?),
            "end" => txn.end = Some(c.integer("a time", "give nanoseconds")?),
            "statements" => {
                const HELP: &str = "statements are a list of strings";
                c.list((b'[', b']'), HELP, |c| {
                    txn.statements.push(c.text()?.into());
                    Ok(())
                })?;
            }
            "hobgoblin" => version(c)?,
            "initial" => header.initial = pairs(c, |c| Ok(c.scalar()?.into()))?,
            "order" => header.order = pairs(c, order)?,
            "tables" => header.schema.tables = named(c, table)?,
            _ => header.schema.indexes = named(c, index)?,
        }
        Ok(())
    })?;
    if !c.is_done() {
        return Err(c.expected("the end of the line", "put every transaction on its own line"));
    }
    let (of_txn, of_header) = seen.split_at(HEADER);
    if of_header.contains(&true) {
        let (before, of_schema) = of_header.split_at(SCHEMA - HEADER);
        if of_schema.contains(&true) && !before.contains(&true) && !of_txn.contains(&true) {
            return Ok(Line::Schema(header));
        }
        if !before[0] || of_txn.contains(&true) {
            let help = "a header has \"hobgoblin\": 1, and \"initial\", \"order\", \"tables\" and \
                        \"indexes\" if it likes; transactions have their own lines";
            return Err(Mistake::at(0, "this is neither a header nor a transaction", help));
        }
        return Ok(Line::Header(header));
    }
    for member in [SESSION, OPS] {
        if !seen[member] {
            let message = format!("the transaction has no {:?}", MEMBERS[member]);
            return Err(Mistake::at(0, message, HELP));
        }
    }
    Ok(Line::Txn(txn))
}

#[cold]
fn unknown_member(at: usize, name: &str) -> Box<Mistake> {
    let known = MEMBERS[..HEADER].join(", ");
    let help = format!("a transaction has {known}; put what else you need under \"meta\"");
    Mistake::at(at, format!("no member is called {name:?}"), help)
}

fn version(c: &mut Cursor<'_>) -> Parsed<()> {
    c.peek();
    let at = c.at;
    match c.integer("the version", "write \"hobgoblin\": 1")? {
        1 => Ok(()),
        n => {
            let message = format!("the file has version {n} of the format, and this is version 1");
            Err(Mistake::at(at, message, "read it with a newer hob"))
        }
    }
}

/// An id: a string, or an integer for its digits.
fn id<'a>(c: &mut Cursor<'a>) -> Parsed<Cow<'a, str>> {
    match c.name("an id")? {
        Name::Text(text) => Ok(text),
        Name::Int(n) => Ok(n.to_string().into()),
    }
}

fn status(c: &mut Cursor<'_>) -> Parsed<Status> {
    c.peek();
    let at = c.at;
    match &*c.text()? {
        "committed" => Ok(Status::Committed),
        "aborted" => Ok(Status::Aborted),
        "unknown" => Ok(Status::Unknown),
        other => {
            let help = "a status is committed, aborted or unknown";
            Err(Mistake::at(at, format!("no status is called {other:?}"), help))
        }
    }
}

fn level(c: &mut Cursor<'_>) -> Parsed<Level> {
    c.peek();
    let at = c.at;
    c.text()?
        .parse::<Level>()
        .map_err(|error| Mistake::at(at, error.to_string(), "correct the level or leave it out"))
}

/// A map from keys, as an object or as a list of pairs.
fn pairs<T>(
    c: &mut Cursor<'_>,
    mut item: impl FnMut(&mut Cursor<'_>) -> Parsed<T>,
) -> Parsed<Vec<(Key, T)>> {
    const HELP: &str = "write an object, {\"x\": 0}, or a list of pairs, [[\"x\", 0], [7, 0]]";
    let mut all = Vec::new();
    if c.peek() == b'[' {
        c.list((b'[', b']'), HELP, |c| {
            c.expect(b'[', HELP)?;
            let key = c.name("a key")?.into();
            c.expect(b',', HELP)?;
            all.push((key, item(c)?));
            c.expect(b']', HELP)
        })?;
    } else {
        c.list((b'{', b'}'), HELP, |c| {
            let name = c.text()?;
            let key = digits::canonical(&name).map_or_else(|| Key::from(&*name), Key::Int);
            c.expect(b':', HELP)?;
            all.push((key, item(c)?));
            Ok(())
        })?;
    }
    Ok(all)
}

/// What tables or indexes are, by name.
fn named<T>(
    c: &mut Cursor<'_>,
    mut item: impl FnMut(&mut Cursor<'_>) -> Parsed<T>,
) -> Parsed<SortedMap<Box<str>, T>> {
    let mut all = SortedMap::new();
    c.list((b'{', b'}'), TABLE, |c| {
        let name = c.text()?.into();
        c.expect(b':', TABLE)?;
        all.insert(name, item(c)?);
        Ok(())
    })?;
    Ok(all)
}

const TABLE: &str =
    "tables are {\"course\": {\"columns\": [\"id\", \"seats\"], \"key\": [\"id\"]}}";
const INDEX: &str = "indexes are {\"course_name_key\": {\"table\": \"course\", \"columns\": [\"name\"], \
                     \"unique\": true}}";

fn table(c: &mut Cursor<'_>) -> Parsed<Table> {
    let mut table = Table::default();
    members(c, TABLE, |c, name| {
        match name {
            "columns" => table.columns = names(c, TABLE)?,
            "key" => table.key = names(c, TABLE)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(table)
}

fn index(c: &mut Cursor<'_>) -> Parsed<Index> {
    let mut index = Index::default();
    members(c, INDEX, |c, name| {
        match name {
            "table" => index.table = c.text()?.into(),
            "columns" => index.columns = names(c, INDEX)?,
            "unique" => index.unique = truth(c, "unique")?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(index)
}

/// The members of an object; `member` says whether it knows one.
fn members(
    c: &mut Cursor<'_>,
    help: &'static str,
    mut member: impl FnMut(&mut Cursor<'_>, &str) -> Parsed<bool>,
) -> Parsed<()> {
    c.list((b'{', b'}'), help, |c| {
        c.peek();
        let at = c.at;
        let name = c.text()?;
        c.expect(b':', help)?;
        match member(c, &name)? {
            true => Ok(()),
            false => Err(Mistake::at(at, format!("no member is called {name:?}"), help)),
        }
    })
}

fn names(c: &mut Cursor<'_>, help: &'static str) -> Parsed<Vec<Box<str>>> {
    let mut names = Vec::new();
    c.list((b'[', b']'), help, |c| {
        names.push(c.text()?.into());
        Ok(())
    })?;
    Ok(names)
}

fn order(c: &mut Cursor<'_>) -> Parsed<Vec<Box<str>>> {
    let mut ids = Vec::new();
    c.list((b'[', b']'), "an order is a list of ids, oldest first", |c| {
        ids.push(id(c)?.into());
        Ok(())
    })?;
    Ok(ids)
}

const EVENT: &str = "an event is [\"r\", key, value], [\"w\", key, value], or an object with \
                     \"f\", \"key\" and \"value\"";

const PLACE: &str = "a place is an integer, by the clock of \"begin\" and \"end\"";

fn ops(c: &mut Cursor<'_>, sink: &mut impl EventSink) -> Parsed<()> {
    c.list((b'[', b']'), "ops are a list of events", |c| {
        let array = match c.peek() {
            b'[' => true,
            b'{' => false,
            _ => return Err(c.expected("an event", EVENT)),
        };
        let at = c.at;
        let event = if array { array_event(c)? } else { object_event(c)? };
        sink.event(event).map_err(|error| Mistake::refused(at, error))
    })
}

#[inline]
fn array_event<'a>(c: &mut Cursor<'a>) -> Parsed<ParsedEvent<'a>> {
    c.expect(b'[', EVENT)?;
    let kind = kind(c)?;
    c.expect(b',', EVENT)?;
    let key = c.name("a key")?;
    c.expect(b',', EVENT)?;
    let value = c.scalar()?;
    let writer = if c.eat(b',') { Some(reference(c)?) } else { None };
    c.expect(b']', EVENT)?;
    Ok(ParsedEvent { kind, key, value, writer, lock: false, statement: None, at: None, line: 0 })
}

fn object_event<'a>(c: &mut Cursor<'a>) -> Parsed<ParsedEvent<'a>> {
    let (mut f, mut key, mut value) = (None, None, None);
    let (mut writer, mut lock, mut statement, mut place) = (None, None, None, None);
    let start = c.at;
    c.list((b'{', b'}'), EVENT, |c| {
        c.peek();
        let at = c.at;
        let name = c.text()?;
        c.expect(b':', EVENT)?;
        let twice = match &*name {
            "f" => f.replace(kind(c)?).is_some(),
            "key" => key.replace(c.name("a key")?).is_some(),
            "value" => value.replace(c.scalar()?).is_some(),
            "from" => writer.replace(reference(c)?).is_some(),
            "lock" => lock.replace(truth(c, "lock")?).is_some(),
            "stmt" => statement.replace(statement_index(c)?).is_some(),
            "at" => place.replace(c.integer("a place", PLACE)?).is_some(),
            _ => {
                let help = "an event has f, key, value, from, lock, stmt and at";
                return Err(Mistake::at(at, format!("no member is called {name:?}"), help));
            }
        };
        if twice {
            let message = format!("the member {name:?} is given twice");
            return Err(Mistake::at(at, message, "give it once"));
        }
        Ok(())
    })?;
    match (f, key, value) {
        (Some(kind), Some(key), Some(value)) => {
            let lock = lock.unwrap_or(false);
            Ok(ParsedEvent { kind, key, value, writer, lock, statement, at: place, line: 0 })
        }
        (None, ..) => Err(Mistake::at(start, "the event has no \"f\"", EVENT)),
        (_, None, _) => Err(Mistake::at(start, "the event has no \"key\"", EVENT)),
        (.., None) => Err(Mistake::at(start, "the event has no \"value\"", EVENT)),
    }
}

#[inline]
fn kind(c: &mut Cursor<'_>) -> Parsed<Kind> {
    c.peek();
    let kind = match c.rest() {
        [b'"', b'r', b'"', ..] => Kind::Read,
        [b'"', b'w', b'"', ..] => Kind::Write,
        _ => return Err(c.expected("\"r\" or \"w\"", EVENT)),
    };
    c.at += 3;
    Ok(kind)
}

fn truth(c: &mut Cursor<'_>, member: &str) -> Parsed<bool> {
    c.peek();
    let at = c.at;
    match c.scalar()? {
        Scalar::Other(hobgoblin_core::Value::Bool(b)) => Ok(b),
        _ => Err(Mistake::at(at, format!("{member:?} is true or false"), "write one of them")),
    }
}

fn statement_index(c: &mut Cursor<'_>) -> Parsed<u32> {
    const HELP: &str = "`stmt` counts from 0 into the transaction's `statements`";
    c.peek();
    let at = c.at;
    u32::try_from(c.integer("\"stmt\"", HELP)?)
        .map_err(|_| Mistake::at(at, "there is no such statement", HELP))
}

/// Whom a read read from: an id, or `{"number": 3}`.
fn reference<'a>(c: &mut Cursor<'a>) -> Parsed<Reference<'a>> {
    if c.peek() != b'{' {
        return id(c).map(Reference::Name);
    }
    const HELP: &str = "a writer without an id is named by its number in the file: {\"number\": 3}";
    c.eat(b'{');
    c.peek();
    let at = c.at;
    if c.text()? != "number" {
        return Err(Mistake::at(at, "a writer is an id or an object with \"number\"", HELP));
    }
    c.expect(b':', HELP)?;
    c.peek();
    let at = c.at;
    let number = transaction_number(c.integer("a transaction's number", HELP)?, at)?;
    c.expect(b'}', HELP)?;
    Ok(Reference::Number(number))
}

/// The number of a transaction in the file, from 1 to as many as a history may have.
pub(crate) fn transaction_number(n: i64, at: usize) -> Parsed<u32> {
    let number = u32::try_from(n).ok().filter(|n| (1..1 << 30).contains(n));
    number.ok_or_else(|| {
        let help = "transactions are numbered from 1 in the order of the file";
        Mistake::at(at, format!("there is no transaction number {n}"), help)
    })
}
