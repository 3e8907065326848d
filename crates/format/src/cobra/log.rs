//! One log file: records to transactions.

use crate::error::ParseError;

/// The writer and write id of the initial version.
pub(super) const INIT: i64 = 0xbebe_ebee;
/// The writer and write id of nothing at all.
pub(super) const NULL: i64 = 0xdead_beef;
/// Write ids of the initial version when Cobra's garbage collector asks.
pub(super) const COLLECTED: [i64; 2] = [0x2333_2333, 0x6666_6666];
/// A writer or write id that was not recorded.
pub(super) const UNKNOWN: i64 = 0xabdd_efee;

/// A transaction of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Txn {
    pub(super) id: i64,
    pub(super) committed: bool,
    /// Where its `S` is.
    pub(super) offset: u64,
    pub(super) ops: Vec<Op>,
}

/// A record of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Write { write_id: i64, key: i64, value: i64 },
    Read { writer: i64, write_id: i64, key: i64, value: i64 },
}

/// Reads the transactions of one client.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Txn>, ParseError> {
    let mut records = Records { bytes, at: 0 };
    let mut txns: Vec<Txn> = Vec::new();
    // Whether the last transaction is still open.
    let mut open = false;
    while let Some((offset, tag)) = records.tag() {
        match tag {
            b'S' => {
                let [id] = records.numbers(tag)?;
                if [INIT, NULL, UNKNOWN].contains(&id) {
                    return Err(ParseError::at_offset(
                        offset,
                        format!("a transaction is called {id:#x}, which is reserved"),
                        "this may be no log of Cobra's; name the format with `--format`",
                    ));
                }
                txns.push(Txn { id, committed: false, offset, ops: Vec::new() });
                open = true;
            }
            b'C' => {
                let [id] = records.numbers(tag)?;
                match txns.last_mut() {
                    Some(txn) if open && txn.id == id => txn.committed = true,
                    _ => {
                        return Err(outside(
                            offset,
                            &format!("transaction {id} commits, but has not begun"),
                        ));
                    }
                }
                open = false;
            }
            b'W' | b'R' => {
                let op = if tag == b'W' {
                    let [write_id, key, value] = records.numbers(tag)?;
                    Op::Write { write_id, key, value }
                } else {
                    let [writer, write_id, key, value] = records.numbers(tag)?;
                    Op::Read { writer, write_id, key, value }
                };
                match txns.last_mut() {
                    Some(txn) if open => txn.ops.push(op),
                    _ => return Err(outside(offset, "an operation is outside of any transaction")),
                }
            }
            other => {
                return Err(ParseError::at_offset(
                    offset,
                    format!("no record begins with the byte {other:#04x}"),
                    "records begin with S, W, R or C; logs with times in them are not supported",
                ));
            }
        }
    }
    Ok(txns)
}

fn outside(offset: u64, what: &str) -> ParseError {
    ParseError::at_offset(offset, what, "the log is damaged before this place; record it again")
}

struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Records<'_> {
    fn tag(&mut self) -> Option<(u64, u8)> {
        let tag = *self.bytes.get(self.at)?;
        self.at += 1;
        Some((self.at as u64 - 1, tag))
    }

    fn numbers<const N: usize>(&mut self, tag: u8) -> Result<[i64; N], ParseError> {
        let Some(bytes) = self.bytes.get(self.at..self.at + 8 * N) else {
            return Err(ParseError::at_offset(
                self.at as u64 - 1,
                format!("the log ends in the middle of a record {}", char::from(tag)),
                "the log was cut short; record it again, or remove the unfinished record",
            ));
        };
        self.at += 8 * N;
        let mut numbers = [0; N];
        for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(8)) {
            *number = i64::from_be_bytes(bytes.try_into().expect("chunks are eight bytes long"));
        }
        Ok(numbers)
    }
}
