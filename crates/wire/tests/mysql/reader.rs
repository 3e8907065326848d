//! What a server sends, read the slow way and without the library's help: an index into a slice, which panics where something is
//! missing. It is the other half of the encoder's tests.

use std::collections::VecDeque;

use hobgoblin_wire::mysql::{Capabilities, ColumnFlags, ColumnType, DateTime, Status, Time, Value};

use crate::recording::Joined;
use crate::reply::{
    Failure, Outcome, OwnedChange, OwnedColumn, OwnedCompletion, Prepared, Reply, Row, Rows,
};

/// What kind of reply a command has.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Nothing,
    Line,
    Text,
    Binary,
    Prepare,
    Fields,
    /// Rows of columns with these types and flags.
    Fetch(Vec<(ColumnType, ColumnFlags)>),
}

/// The payloads of a server that were not read yet.
pub(crate) struct Reader {
    pub payloads: VecDeque<Joined>,
    pub agreed: Capabilities,
    /// The packets that were read.
    pub raw: Vec<u8>,
}

/// One payload and how far it was read.
pub(crate) struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl Cursor<'_> {
    pub(crate) fn number(&mut self, size: usize) -> u64 {
        let mut number = 0;
        for place in 0..size {
            number += u64::from(self.bytes[self.at + place]) << (8 * place);
        }
        self.at += size;
        number
    }

    pub(crate) fn take(&mut self, count: usize) -> Vec<u8> {
        self.at += count;
        self.bytes[self.at - count..self.at].to_vec()
    }

    pub(crate) fn integer(&mut self) -> u64 {
        match self.number(1) {
            0xfc => self.number(2),
            0xfd => self.number(3),
            0xfe => self.number(8),
            short => short,
        }
    }

    pub(crate) fn string(&mut self) -> Vec<u8> {
        let count = self.integer() as usize;
        self.take(count)
    }

    pub(crate) fn done(&self) -> bool {
        self.at == self.bytes.len()
    }
}

impl Reader {
    fn has(&self, capability: Capabilities) -> bool {
        self.agreed.contains(capability)
    }

    fn next(&mut self) -> Vec<u8> {
        let joined = self.payloads.pop_front().expect("the server answered");
        self.raw.extend_from_slice(&joined.raw);
        joined.payload
    }

    /// The reply to a command of that kind.
    pub(crate) fn reply(&mut self, kind: &Kind) -> Reply {
        match kind {
            Kind::Nothing => Reply::Nothing,
            Kind::Line => Reply::Line(self.next()),
            Kind::Text | Kind::Binary => self.results(matches!(kind, Kind::Binary)),
            Kind::Prepare => self.prepared(),
            Kind::Fields => self.fields(),
            Kind::Fetch(types) => match self.payloads[0].payload[0] {
                0xff => Reply::Results(vec![Outcome::Failed(failure(&self.next()))]),
                _ => Reply::Fetched(self.rows(Some(types), types.len())),
            },
        }
    }

    fn results(&mut self, binary: bool) -> Reply {
        let mut all = Vec::new();
        loop {
            let first = self.next();
            match first[0] {
                0xff => {
                    all.push(Outcome::Failed(failure(&first)));
                    return Reply::Results(all);
                }
                0xfe if first.len() < 0xff_ffff => return Reply::Eof(self.completion(&first)),
                0x00 => all.push(Outcome::Done(self.completion(&first))),
                _ => all.push(self.result_set(&first, binary)),
            }
            let status = match all.last().expect("one was pushed") {
                Outcome::Done(end) | Outcome::Rows(_, _, Rows { end: Ok(end), .. }) => end.status,
                Outcome::Rows(..) | Outcome::Cursor(..) | Outcome::Failed(_) => Status::default(),
            };
            if !status.contains(Status::MORE_RESULTS) {
                return Reply::Results(all);
            }
        }
    }

    fn result_set(&mut self, first: &[u8], binary: bool) -> Outcome {
        let mut count = Cursor { bytes: first, at: 0 };
        let columns: Vec<OwnedColumn> = (0..count.integer()).map(|_| self.column().0).collect();
        assert!(count.done());
        let mut completion = OwnedCompletion::default();
        if !self.has(Capabilities::DEPRECATE_EOF) {
            completion = self.eof();
            if completion.status.contains(Status::CURSOR_EXISTS) {
                return Outcome::Cursor(columns, completion);
            }
        }
        let types: Vec<_> = columns.iter().map(|column| (column.ty, column.flags)).collect();
        let rows = self.rows(binary.then_some(&types), columns.len());
        match rows.end {
            Ok(end) if end.status.contains(Status::CURSOR_EXISTS) => Outcome::Cursor(columns, end),
            _ => Outcome::Rows(columns, completion, rows),
        }
    }

    fn rows(&mut self, binary: Option<&Vec<(ColumnType, ColumnFlags)>>, count: usize) -> Rows {
        let mut rows = Vec::new();
        loop {
            let payload = self.next();
            match payload[0] {
                0xfe if payload.len() < 9 || self.ends(&payload) => {
                    return Rows { rows, end: Ok(self.completion(&payload)) };
                }
                0xff => return Rows { rows, end: Err(failure(&payload)) },
                _ => rows.push(match binary {
                    Some(types) => binary_row(&payload, types),
                    None => text_row(&payload, count),
                }),
            }
        }
    }

    /// Whether a payload that begins with fe is an OK and no row with a long value.
    fn ends(&self, payload: &[u8]) -> bool {
        self.has(Capabilities::DEPRECATE_EOF) && payload.len() < 0xff_ffff
    }

    fn eof(&mut self) -> OwnedCompletion {
        let payload = self.next();
        assert_eq!((payload[0], payload.len()), (0xfe, 5));
        self.completion(&payload)
    }

    /// An OK, or an EOF in one of its forms.
    fn completion(&self, payload: &[u8]) -> OwnedCompletion {
        let mut cursor = Cursor { bytes: payload, at: 1 };
        if payload[0] == 0xfe && !self.has(Capabilities::DEPRECATE_EOF) {
            let warnings = cursor.number(2) as u16;
            let status = Status::from_bits(cursor.number(2) as u16);
            assert!(cursor.done());
            return OwnedCompletion { warnings, status, ..OwnedCompletion::default() };
        }
        let mut completion = OwnedCompletion {
            affected_rows: cursor.integer(),
            insert_id: cursor.integer(),
            status: Status::from_bits(cursor.number(2) as u16),
            warnings: cursor.number(2) as u16,
            ..OwnedCompletion::default()
        };
        if !cursor.done() {
            completion.words = cursor.string();
        }
        if self.has(Capabilities::SESSION_TRACK)
            && completion.status.contains(Status::SESSION_CHANGED)
        {
            let changes = cursor.string();
            let mut changes = Cursor { bytes: &changes, at: 0 };
            while !changes.done() {
                let kind = changes.number(1);
                let body = changes.string();
                let mut body = Cursor { bytes: &body, at: 0 };
                completion.changes.push(match kind {
                    0 => OwnedChange::Variable(body.string(), body.string()),
                    1 => OwnedChange::Schema(body.string()),
                    2 => OwnedChange::State(body.number(1) == u64::from(b'1')),
                    4 => OwnedChange::Characteristics(body.string()),
                    5 => OwnedChange::Transaction(body.string()),
                    _ => panic!("a change of kind {kind}"),
                });
                assert!(body.done());
            }
        }
        assert!(cursor.done());
        completion
    }

    /// A column and, where one follows, its default.
    fn column(&mut self) -> (OwnedColumn, Option<Vec<u8>>) {
        let payload = self.next();
        let mut cursor = Cursor { bytes: &payload, at: 0 };
        assert_eq!(cursor.string(), b"def");
        let names = std::array::from_fn(|_| cursor.string());
        let mut extended = Vec::new();
        if self.has(Capabilities::MARIADB_EXTENDED_METADATA) {
            let all = cursor.string();
            let mut all = Cursor { bytes: &all, at: 0 };
            while !all.done() {
                extended.push((all.number(1) as u8, all.string()));
            }
        }
        assert_eq!(cursor.number(1), 12);
        let column = OwnedColumn {
            names,
            extended,
            collation: cursor.number(2) as u16,
            length: cursor.number(4) as u32,
            ty: ColumnType::by_number(cursor.number(1) as u8).expect("it is a type"),
            flags: ColumnFlags::from_bits(cursor.number(2) as u16),
            decimals: cursor.number(1) as u8,
        };
        assert_eq!(cursor.number(2), 0);
        let default = match cursor.done() || cursor.bytes[cursor.at] == 0xfb {
            true => None,
            false => Some(cursor.string()),
        };
        (column, default)
    }

    fn prepared(&mut self) -> Reply {
        let first = self.next();
        if first[0] == 0xff {
            return Reply::Results(vec![Outcome::Failed(failure(&first))]);
        }
        let mut cursor = Cursor { bytes: &first, at: 1 };
        let statement = cursor.number(4) as u32;
        let (columns, parameters) = (cursor.number(2), cursor.number(2));
        assert_eq!(cursor.number(1), 0);
        let warnings = cursor.number(2) as u16;
        let mut completion = OwnedCompletion { warnings, ..OwnedCompletion::default() };
        let mut definitions = |count| {
            let all: Vec<_> = (0..count).map(|_| self.column().0).collect();
            if count > 0 && !self.has(Capabilities::DEPRECATE_EOF) {
                completion.status = self.eof().status;
            }
            all
        };
        let (parameters, columns) = (definitions(parameters), definitions(columns));
        Reply::Prepared(Prepared { statement, parameters, columns, completion })
    }

    fn fields(&mut self) -> Reply {
        let mut all = Vec::new();
        loop {
            match self.payloads[0].payload[0] {
                0xff => return Reply::Results(vec![Outcome::Failed(failure(&self.next()))]),
                0xfe => {
                    let end = self.next();
                    return Reply::Fields(all, self.completion(&end));
                }
                _ => all.push(self.column()),
            }
        }
    }
}

pub(crate) fn failure(payload: &[u8]) -> Failure {
    assert_eq!((payload[0], payload[3]), (0xff, b'#'));
    let code = u16::from(payload[1]) + 256 * u16::from(payload[2]);
    let state = String::from_utf8(payload[4..9].to_vec()).expect("it is ASCII");
    Failure { code, state, words: payload[9..].to_vec() }
}

fn text_row(payload: &[u8], count: usize) -> Row {
    let mut cursor = Cursor { bytes: payload, at: 0 };
    let values = (0..count).map(|_| match cursor.bytes[cursor.at] {
        0xfb => {
            cursor.at += 1;
            None
        }
        _ => Some(cursor.string()),
    });
    let row = Row::Text(values.collect());
    assert!(cursor.done());
    row
}

fn binary_row(payload: &[u8], types: &[(ColumnType, ColumnFlags)]) -> Row {
    let mut cursor = Cursor { bytes: payload, at: 0 };
    assert_eq!(cursor.number(1), 0);
    let nulls = cursor.take((types.len() + 9) / 8);
    let mut values = Vec::new();
    for (place, &(ty, flags)) in types.iter().enumerate() {
        let bit = place + 2;
        let value = match nulls[bit / 8] >> (bit % 8) & 1 {
            1 => Value::Null,
            _ => binary_value(&mut cursor, ty, flags.contains(ColumnFlags::UNSIGNED)),
        };
        values.push((ty, value));
    }
    assert!(cursor.done());
    Row::Binary(values)
}

pub(crate) fn binary_value(
    cursor: &mut Cursor<'_>,
    ty: ColumnType,
    unsigned: bool,
) -> Value<Vec<u8>> {
    use ColumnType::{
        Date, DateTime as Moment, Double, Float, Int24, Long, LongLong, Short, Time as Span,
        Timestamp, Tiny, Year,
    };
    match ty {
        Tiny if unsigned => Value::Unsigned(cursor.number(1)),
        Tiny => Value::Signed((cursor.number(1) as i8).into()),
        Short | Year if unsigned => Value::Unsigned(cursor.number(2)),
        Short | Year => Value::Signed((cursor.number(2) as i16).into()),
        Long | Int24 if unsigned => Value::Unsigned(cursor.number(4)),
        Long | Int24 => Value::Signed((cursor.number(4) as i32).into()),
        LongLong if unsigned => Value::Unsigned(cursor.number(8)),
        LongLong => Value::Signed(cursor.number(8) as i64),
        Float => Value::Float(f32::from_bits(cursor.number(4) as u32)),
        Double => Value::Double(f64::from_bits(cursor.number(8))),
        Date | Moment | Timestamp => {
            let mut value = DateTime::default();
            let length = cursor.number(1);
            if length > 0 {
                value.year = cursor.number(2) as u16;
                value.month = cursor.number(1) as u8;
                value.day = cursor.number(1) as u8;
            }
            if length > 4 {
                value.hour = cursor.number(1) as u8;
                value.minute = cursor.number(1) as u8;
                value.second = cursor.number(1) as u8;
            }
            if length > 7 {
                value.microsecond = cursor.number(4) as u32;
            }
            Value::DateTime(value)
        }
        Span => {
            let mut value = Time::default();
            let length = cursor.number(1);
            if length > 0 {
                value.negative = cursor.number(1) == 1;
                value.days = cursor.number(4) as u32;
                value.hours = cursor.number(1) as u8;
                value.minutes = cursor.number(1) as u8;
                value.seconds = cursor.number(1) as u8;
            }
            if length > 8 {
                value.microseconds = cursor.number(4) as u32;
            }
            Value::Time(value)
        }
        _ => Value::Bytes(cursor.string()),
    }
}
