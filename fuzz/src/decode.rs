//! Small histories from bytes. Every string of bytes is some history, and near strings are near
//! histories, so that a fuzzer can walk from one to the next.

use hobgoblin_core::{
    EventInfo, History, HistoryBuilder, KeyId, Kind, Level, Status, TxnInfo, Value, Writer,
};

/// The bytes that are left; past the end all are 0.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.next()) % bound
    }
}

/// The most transactions of a history.
const TXNS: usize = 9;
const KEYS: usize = 3;

/// The history of these bytes, if it is well formed.
///
/// Six bits of flags say what is unusual, so that most histories are plain. Then come transactions, each a
/// byte of session and length and its events; of an event, a byte of kind, key and value.
pub(crate) fn history(bytes: &[u8]) -> Option<History> {
    let mut bytes = Bytes(bytes);
    let flags = bytes.next();
    let [repeats, statuses, levels, locks, times, orders] =
        [0, 1, 2, 3, 4, 5].map(|bit| flags >> bit & 1 == 1);
    let mut builder = HistoryBuilder::new();
    let keys: Vec<KeyId> = ["x", "y", "z"].iter().map(|k| builder.key(&(*k).into())).collect();
    for &key in &keys {
        builder.initial(key, &Value::Int(0)).ok()?;
    }
    let mut written = 0;
    let mut txns = 0;
    while txns < TXNS && !bytes.0.is_empty() {
        txns += 1;
        let head = bytes.next();
        let session = builder.session(&i64::from(head & 3).into());
        builder.begin(session);
        for _ in 0..(head >> 2) % 5 {
            let event = bytes.next();
            let key = keys[usize::from(event & 3) % KEYS];
            let value = i64::from(event >> 3);
            if event & 4 != 0 {
                // Values count up, so that a read of value n has one writer; unless they may repeat.
                written += 1;
                let value = if repeats && value > 16 { value % 3 } else { written };
                builder.event(Kind::Write, key, &Value::Int(value));
                continue;
            }
            let read = builder.event(Kind::Read, key, &Value::Int(value));
            let lock = locks && bytes.below(4) == 0;
            let writer = (repeats && value == 1).then_some(Writer::Name("t1"));
            builder.describe(read, EventInfo { lock, writer, ..EventInfo::default() }).ok()?;
        }
        let status = match if statuses { bytes.below(8) } else { 7 } {
            0 => Status::Aborted,
            1 => Status::Unknown,
            _ => Status::Committed,
        };
        let level = if levels { Level::ALL.get(bytes.below(12)).copied() } else { None };
        let (begin, end) = match times {
            true => {
                let begin = bytes.below(32) as i64;
                (Some(begin), Some(begin + bytes.below(16) as i64))
            }
            false => (None, None),
        };
        let name = format!("t{txns}");
        let info = TxnInfo { name: Some(&name), status, level, begin, end, ..TxnInfo::default() };
        builder.end(info).ok()?;
    }
    if orders {
        let order = (0..bytes.below(4)).map(|_| format!("t{}", 1 + bytes.below(TXNS)).into());
        builder.order(keys[0], order.collect()).ok()?;
    }
    builder.finish().ok()
}
