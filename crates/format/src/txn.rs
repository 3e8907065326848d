//! The native format for people: docs, tests, bug reports.
//!
//! ```text
//! # write skew, and more
//! init x=0 y=0 "a key"=null
//! s1: t1 { r(x)=0 r(y)=0 w(x)=1 }
//! s2: { r(x)=0 r(y)=0 w(y)=1 }                       # no id
//! s2: t3 aborted { w(y)=[1,2] }
//! s3: t4 unknown SI @120..310 { r(x)=1<-t1 r(y)=1<-#2 w(z)="text" }
//! s3: t5 { [0] r!(x)=1 [1] w(x)=2 } "SELECT x FOR UPDATE" "UPDATE x"
//! s4: t6 @400..409 { r(x)=2<-t5@402 w(x)=3@404 }
//! order x: t1 t5
//! table course(id, seats) key(id)
//! index course_name_key of course(name) unique
//! ```
//!
//! A line is `session: id status level @begin..end { events } statements`, all but session and braces
//! optional; a transaction may go on over several lines. Values are JSON. Names of keys,
//! sessions and transactions are words, or strings in double quotes; a bare integer that names a key
//! or a session is an integer, and a bare word after the colon that is a status or a level is that.
//! `<-` names whom a read read from: an id, or `#` and a number for the transaction of that number in the
//! file. `r!` is a locking read. `[0]` says that what follows belongs to the first statement, `[]` to
//! none. `@402` after an event is its place. A comment begins with `#` where an item could.

mod write;

use std::borrow::Cow;
use std::io::BufRead;

use hobgoblin_core::{History, Index, Key, Kind, Level, Schema, SortedMap, Status, Table, Value};

use crate::assembler::Assembler;
use crate::digits;
use crate::error::{Failure, Mistake, ParseError, Parsed};
use crate::input::{Lines, first_line};
use crate::json::Cursor;
use crate::jsonl::transaction_number;
use crate::parsed::{EventSink, Name, ParsedEvent, ParsedTxn, Reference};
use crate::record::Header;

pub(crate) use write::{push_header, push_schema, push_txn};

const HELP: &str = "a line is `session: id { r(x)=0 w(x)=1 }`, `init x=0 y=0`, `order x: t1 t2`, \
                    `table t(a, b) key(a)`, `index t_b of t(b)` or a `# comment`";
const EVENT: &str = "an event is `r(key)=value`, `r(key)=value<-id` or `w(key)=value`, and `}` ends \
                     the transaction";

/// Whether a file begins like one of these: `init x=`, `order x:`, a table, an index, or `session: … {`.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let Some(line) = first_line(head, |line| line.starts_with(b"#")) else { return false };
    let c = &mut Cursor::new(line);
    let Ok(first) = word(c, HELP) else { return false };
    if c.eat(b':') {
        return head_of(c).is_some();
    }
    (first.is("init") && word(c, HELP).is_ok() && c.eat(b'='))
        || (first.is("order") && word(c, HELP).is_ok() && c.eat(b':'))
        || (first.is("table") && table(c).is_ok())
        || (first.is("index") && index(c).is_ok())
}

/// The transaction whose session has been parsed, if a brace follows.
fn head_of<'a>(c: &mut Cursor<'a>) -> Option<ParsedTxn<'a>> {
    let txn = head(c, Name::Int(0), 0).ok()?;
    c.eat(b'{').then_some(txn)
}

/// Reads a history.
pub(crate) fn read(input: &mut dyn BufRead) -> Result<History, Failure> {
    let mut lines = Lines::new(input);
    let mut reader = Reader::default();
    loop {
        let number = lines.next_number();
        let Some(line) = lines.next()? else { break };
        reader.line(line, number).map_err(|mistake| mistake.on_line(number.into(), line))?;
    }
    if let Some(open) = reader.open {
        let help = "end it with `}`";
        let error = ParseError::at(open.txn.line.into(), 1, "the transaction does not end", help);
        return Err(error.excerpt(&open.line).into());
    }
    Ok(reader.history.finish()?)
}

#[derive(Default)]
struct Reader {
    history: Assembler,
    /// A transaction that goes on over the end of the line.
    open: Option<Open>,
}

struct Open {
    txn: ParsedTxn<'static>,
    statement: Option<u32>,
    /// The beginning of the line it began on.
    line: Vec<u8>,
}

/// A word of a line.
struct Word<'a> {
    text: Cow<'a, str>,
    /// Whether it stood in double quotes, so that it is a name whatever it says.
    quoted: bool,
}

impl<'a> Word<'a> {
    /// The word as the name of a key or a session.
    fn name(self) -> Name<'a> {
        match digits::canonical(&self.text) {
            Some(n) if !self.quoted => Name::Int(n),
            _ => Name::Text(self.text),
        }
    }

    fn is(&self, keyword: &str) -> bool {
        !self.quoted && self.text == keyword
    }
}

impl Reader {
    fn line(&mut self, line: &[u8], number: u32) -> Parsed<()> {
        let c = &mut Cursor::new(line);
        if let Some(open) = self.open.take() {
            return self.events(c, open, number);
        }
        if at_end(c) {
            return Ok(());
        }
        let first = word(c, HELP)?;
        if c.eat(b':') {
            let txn = head(c, first.name(), number)?;
            c.expect(b'{', EVENT)?;
            let statement = None;
            if let Some(txn) = self.rest(c, txn, statement, number)? {
                let line = line[..line.len().min(1000)].to_vec();
                self.open = Some(Open { line, ..txn });
            }
            return Ok(());
        }
        let header = if first.is("init") {
            Header { initial: initial(c)?, ..Header::default() }
        } else if first.is("order") {
            Header { order: vec![order(c)?], ..Header::default() }
        } else if first.is("table") {
            let tables = SortedMap::of(vec![table(c)?]);
            Header { schema: Schema { tables, ..Schema::default() }, ..Header::default() }
        } else if first.is("index") {
            let indexes = SortedMap::of(vec![index(c)?]);
            Header { schema: Schema { indexes, ..Schema::default() }, ..Header::default() }
        } else {
            return Err(c.unexpected(b":", HELP));
        };
        self.history.header(header, number).map_err(|error| Mistake::refused_in(line, error))
    }

    /// A line within a transaction that began before.
    fn events(&mut self, c: &mut Cursor<'_>, open: Open, number: u32) -> Parsed<()> {
        let Open { txn, statement, line } = open;
        if let Some(still_open) = self.rest(c, txn, statement, number)? {
            self.open = Some(Open { line, ..still_open });
        }
        Ok(())
    }

    /// The events up to the end of the transaction; or, where the line ends first, what is open.
    fn rest(
        &mut self,
        c: &mut Cursor<'_>,
        mut txn: ParsedTxn<'_>,
        mut statement: Option<u32>,
        number: u32,
    ) -> Parsed<Option<Open>> {
        let line = if number == txn.line { 0 } else { number };
        loop {
            if at_end(c) {
                return Ok(Some(Open { txn: owned(txn), statement, line: Vec::new() }));
            }
            if c.eat(b'}') {
                break;
            }
            if c.peek() == b'[' {
                statement = marker(c)?;
                continue;
            }
            let at = c.at;
            let event = event(c, statement, line)?;
            self.history.event(event).map_err(|error| Mistake::refused(at, error))?;
        }
        let end = c.at;
        while c.peek() == b'"' {
            txn.statements.push(c.text()?.into());
        }
        if !at_end(c) {
            let help = "put every transaction on its own line";
            return Err(c.expected("the end of the line", help));
        }
        let whole = &c.line()[..end];
        self.history.end(txn).map_err(|error| Mistake::refused_in(whole, error))?;
        Ok(None)
    }
}

/// Whether only blanks and a comment are left.
fn at_end(c: &mut Cursor<'_>) -> bool {
    c.peek() == b'#' || c.is_done()
}

/// Whether a byte may stand in a bare word.
fn is_bare(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f && !b"\"(){}[]=:#<>@,".contains(&byte)
}

fn word<'a>(c: &mut Cursor<'a>, help: &str) -> Parsed<Word<'a>> {
    if c.peek() == b'"' {
        return Ok(Word { text: c.text()?, quoted: true });
    }
    let length = c.rest().iter().take_while(|&&byte| is_bare(byte)).count();
    if length == 0 {
        return Err(c.expected("a name", help));
    }
    let text = std::str::from_utf8(&c.rest()[..length]).map_err(|error| {
        let at = c.at + error.valid_up_to();
        Mistake::at(at, "this is not UTF-8", "save the file as UTF-8")
    })?;
    c.at += length;
    Ok(Word { text: text.into(), quoted: false })
}

/// What stands between the colon and the brace.
fn head<'a>(c: &mut Cursor<'a>, session: Name<'a>, line: u32) -> Parsed<ParsedTxn<'a>> {
    let (mut name, mut status, mut level, mut times) = (None, None, None, None);
    while c.peek() != b'{' {
        let at = c.at;
        let twice = if c.peek() == b'@' {
            times.replace(interval(c)?).is_some()
        } else {
            let word = word(c, HELP)?;
            let known = if word.quoted { None } else { status_or_level(&word.text) };
            match known {
                Some(Keyword::Status(found)) => status.replace(found).is_some(),
                Some(Keyword::Level(found)) => level.replace(found).is_some(),
                None if status.is_none() && level.is_none() && times.is_none() => {
                    name.replace(word.text).is_some()
                }
                None => {
                    let message = format!("{:?} is no status and no level", &*word.text);
                    let help = "the id comes first, then committed, aborted or unknown, a level, \
                                and @begin..end";
                    return Err(Mistake::at(at, message, help));
                }
            }
        };
        if twice {
            let help = "a transaction has one id, one status, one level and one @begin..end";
            return Err(Mistake::at(at, "this is given twice", help));
        }
    }
    let (begin, end) = times.unwrap_or_default();
    let status = status.unwrap_or_default();
    Ok(ParsedTxn { session, name, status, level, begin, end, statements: Vec::new(), line })
}

enum Keyword {
    Status(Status),
    Level(Level),
}

/// What a bare word after the colon means, unless it is a name.
fn status_or_level(word: &str) -> Option<Keyword> {
    Some(match word {
        "committed" => Keyword::Status(Status::Committed),
        "aborted" => Keyword::Status(Status::Aborted),
        "unknown" => Keyword::Status(Status::Unknown),
        _ => Keyword::Level(word.parse().ok()?),
    })
}

/// `@begin..end`, each of them optional.
fn interval(c: &mut Cursor<'_>) -> Parsed<(Option<i64>, Option<i64>)> {
    const HELP: &str = "times are nanoseconds: @120..310, @120.. or @..310";
    c.at += 1;
    let begin = time(c, HELP)?;
    if !c.rest().starts_with(b"..") {
        return Err(c.expected("`..`", HELP));
    }
    c.at += 2;
    let end = time(c, HELP)?;
    Ok((begin, end))
}

fn time(c: &mut Cursor<'_>, help: &str) -> Parsed<Option<i64>> {
    let length = c.rest().iter().take_while(|b| matches!(b, b'-' | b'0'..=b'9')).count();
    if length == 0 {
        return Ok(None);
    }
    let text = std::str::from_utf8(&c.rest()[..length]).expect("digits are ASCII");
    let time =
        text.parse().map_err(|_| Mistake::at(c.at, "a time is an integer of 64 bits", help))?;
    c.at += length;
    Ok(Some(time))
}

fn initial(c: &mut Cursor<'_>) -> Parsed<Vec<(Key, Value)>> {
    const HELP: &str = "initial values are `init x=0 y=\"text\" z=null`";
    let mut all = Vec::new();
    while !at_end(c) {
        let key = word(c, HELP)?.name().into();
        c.expect(b'=', HELP)?;
        all.push((key, c.scalar()?.into()));
    }
    Ok(all)
}

fn order(c: &mut Cursor<'_>) -> Parsed<(Key, Vec<Box<str>>)> {
    const HELP: &str = "a version order is `order x: t1 t2`, oldest first";
    let key = word(c, HELP)?.name().into();
    c.expect(b':', HELP)?;
    let mut ids = Vec::new();
    while !at_end(c) {
        ids.push(word(c, HELP)?.text.into());
    }
    Ok((key, ids))
}

/// `course(id, seats) key(id)`.
fn table(c: &mut Cursor<'_>) -> Parsed<(Box<str>, Table)> {
    const HELP: &str = "a table is `table course(id, seats) key(id)`";
    let name = word(c, HELP)?.text.into();
    let columns = names(c, HELP)?;
    let mut key = Vec::new();
    if !at_end(c) {
        keyword(c, "key", HELP)?;
        key = names(c, HELP)?;
    }
    ends(c, HELP)?;
    Ok((name, Table { columns, key }))
}

/// `course_name_key of course(name) unique`.
fn index(c: &mut Cursor<'_>) -> Parsed<(Box<str>, Index)> {
    const HELP: &str = "an index is `index course_name_key of course(name) unique`";
    let name = word(c, HELP)?.text.into();
    keyword(c, "of", HELP)?;
    let table = word(c, HELP)?.text.into();
    let columns = names(c, HELP)?;
    let unique = !at_end(c);
    if unique {
        keyword(c, "unique", HELP)?;
    }
    ends(c, HELP)?;
    Ok((name, Index { table, columns, unique }))
}

/// Names in parentheses.
fn names(c: &mut Cursor<'_>, help: &str) -> Parsed<Vec<Box<str>>> {
    let mut names = Vec::new();
    c.expect(b'(', help)?;
    if c.eat(b')') {
        return Ok(names);
    }
    loop {
        names.push(word(c, help)?.text.into());
        if !c.eat(b',') {
            break;
        }
    }
    c.expect(b')', help)?;
    Ok(names)
}

fn keyword(c: &mut Cursor<'_>, keyword: &str, help: &str) -> Parsed<()> {
    c.peek();
    let at = c.at;
    match word(c, help)?.is(keyword) {
        true => Ok(()),
        false => Err(Mistake::at(at, format!("expected `{keyword}`"), help)),
    }
}

fn ends(c: &mut Cursor<'_>, help: &str) -> Parsed<()> {
    if at_end(c) { Ok(()) } else { Err(c.expected("the end of the line", help)) }
}

/// `[3]` or `[]`.
fn marker(c: &mut Cursor<'_>) -> Parsed<Option<u32>> {
    const HELP: &str = "`[0]` begins the events of the first statement, `[]` those of none";
    c.expect(b'[', HELP)?;
    if c.eat(b']') {
        return Ok(None);
    }
    let at = c.at;
    let index = u32::try_from(c.integer("a statement's index", HELP)?)
        .map_err(|_| Mistake::at(at, "there is no such statement", HELP))?;
    c.expect(b']', HELP)?;
    Ok(Some(index))
}

fn event<'a>(c: &mut Cursor<'a>, statement: Option<u32>, line: u32) -> Parsed<ParsedEvent<'a>> {
    let kind = match c.peek() {
        b'r' => Kind::Read,
        b'w' => Kind::Write,
        _ => return Err(c.expected("an event or `}`", EVENT)),
    };
    c.at += 1;
    let lock = c.rest().first() == Some(&b'!');
    c.at += usize::from(lock);
    c.expect(b'(', EVENT)?;
    let key = word(c, EVENT)?.name();
    c.expect(b')', EVENT)?;
    c.expect(b'=', EVENT)?;
    let value = c.scalar()?;
    let writer = if c.peek() == b'<' { Some(reference(c)?) } else { None };
    let at = if c.peek() == b'@' { Some(place(c)?) } else { None };
    Ok(ParsedEvent { kind, key, value, writer, lock, statement, at, line })
}

/// `@17` after an event.
fn place(c: &mut Cursor<'_>) -> Parsed<i64> {
    const HELP: &str = "the place of an event is an integer, `r(x)=0@17`";
    c.at += 1;
    match time(c, HELP)? {
        Some(at) => Ok(at),
        None => Err(c.expected("a place", HELP)),
    }
}

/// `<-id` or `<-#3`.
fn reference<'a>(c: &mut Cursor<'a>) -> Parsed<Reference<'a>> {
    const HELP: &str = "a read names whom it read from as `<-id`, `<-init`, or `<-#3` for the third \
                        transaction of the file";
    if !c.rest().starts_with(b"<-") {
        return Err(c.expected("`<-`", HELP));
    }
    c.at += 2;
    if c.peek() == b'#' {
        c.at += 1;
        let at = c.at;
        let number = c.integer("a transaction's number", HELP)?;
        return transaction_number(number, at).map(Reference::Number);
    }
    Ok(Reference::Name(word(c, HELP)?.text))
}

/// A transaction that outlives its line.
fn owned(txn: ParsedTxn<'_>) -> ParsedTxn<'static> {
    ParsedTxn {
        session: match txn.session {
            Name::Int(n) => Name::Int(n),
            Name::Text(text) => Name::Text(text.into_owned().into()),
        },
        name: txn.name.map(|name| name.into_owned().into()),
        statements: txn.statements,
        status: txn.status,
        level: txn.level,
        begin: txn.begin,
        end: txn.end,
        line: txn.line,
    }
}
