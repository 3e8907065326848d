//! One end in a word: whom every read read from.
//!
//! A program is deterministic but for its reads. So the sources of each transaction's external reads, in
//! the order of transactions, are all that has to be said.

use std::sync::Arc;

use hobgoblin_core::Level;

use crate::branch::{Branch, Log};
use crate::compiled::{Compiled, members, one};
use crate::error::ExploreError;
use crate::record::Next;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes as text, six bits a character.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte));
        let word = word << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            out.push(DIGITS[(word >> (18 - 6 * at)) as usize & 63] as char);
        }
    }
    out
}

/// The bytes of a text.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        let mut word = 0u32;
        for digit in chunk {
            word = word << 6 | DIGITS.iter().position(|known| known == digit)? as u32;
        }
        let word = word << (6 * (4 - chunk.len()));
        let bytes = word.to_be_bytes();
        out.extend_from_slice(bytes.get(1..chunk.len())?);
    }
    Some(out)
}

/// What a word begins with: a version, the level, and two bytes of what the program is.
fn header(compiled: &Compiled<'_>, level: Level) -> [u8; 4] {
    let [a, b, ..] = compiled.fingerprint.to_le_bytes();
    [1, level as u8, a, b]
}

pub(crate) fn write(compiled: &Compiled<'_>, branch: &Branch) -> String {
    let mut bytes = header(compiled, compiled.options.level).to_vec();
    for txn in 1..compiled.txns.len() as u8 {
        let reads = branch.log(txn).map_or(&[][..], |log| &log.reads);
        bytes.push(reads.len().min(255) as u8);
        bytes.extend(reads.iter().map(|read| read.source));
    }
    encode(&bytes)
}

/// The level a word says.
pub(crate) fn level(token: &str) -> Result<Level, ExploreError> {
    let found = decode(token).and_then(|bytes| {
        let number = *bytes.get(1).filter(|_| bytes.first() == Some(&1))?;
        Level::ALL.into_iter().chain([Level::RU]).find(|level| *level as u8 == number)
    });
    found.ok_or_else(|| ExploreError::Token(format!("{token:?} is no token of hob explore")))
}

/// Makes an end again.
pub(crate) fn read(compiled: &Compiled<'_>, token: &str) -> Result<Branch, ExploreError> {
    let wrong = |why: &str| {
        ExploreError::Token(format!("the token does not fit the program: {why}; explore it again"))
    };
    let bytes = decode(token).ok_or_else(|| wrong("it is cut or changed"))?;
    let head = header(compiled, compiled.options.level);
    let mut rest = bytes
        .strip_prefix(&head)
        .ok_or_else(|| wrong("its transactions or initial values have changed"))?;
    let mut sources: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 1..compiled.txns.len() {
        let (&count, after) = rest.split_first().ok_or_else(|| wrong("it is cut"))?;
        let count = usize::from(count);
        let own = after.get(..count).ok_or_else(|| wrong("it is cut"))?;
        sources.push(own.to_vec());
        rest = &after[count..];
    }
    let mut branch = Branch::default();
    while branch.started != compiled.all() {
        let left = members(compiled.all() & !branch.started);
        let mut runnable = left.filter(|&txn| {
            let needed =
                sources[txn as usize].iter().fold(compiled.txns[txn as usize].so, |set, &s| {
                    if usize::from(s) < compiled.txns.len() { set | one(s) } else { u64::MAX }
                });
            needed & !branch.started & !1 == 0
        });
        let txn = runnable.next().ok_or_else(|| wrong("it reads from what never comes"))?;
        let log = complete(compiled, &branch, txn, &sources[txn as usize])?;
        let log = log.ok_or_else(|| wrong("a transaction reads something else now"))?;
        append(compiled, &mut branch, txn, log);
    }
    Ok(branch)
}

/// Runs a transaction with the sources of its reads; `None` if it makes fewer or more, or reads what its
/// source did not write.
pub(crate) fn complete(
    compiled: &Compiled<'_>,
    branch: &Branch,
    txn: u8,
    sources: &[u8],
) -> Result<Option<Log>, ExploreError> {
    let Some(mut log) = partial(compiled, branch, txn, sources)? else { return Ok(None) };
    match compiled.run(txn, &branch.locals(compiled, txn), &log.reads)? {
        Next::Read { .. } => Ok(None),
        Next::End(done) => {
            log.end(done);
            Ok(Some(log))
        }
    }
}

/// The same for the first reads of a transaction, which stays pending.
pub(crate) fn partial(
    compiled: &Compiled<'_>,
    branch: &Branch,
    txn: u8,
    sources: &[u8],
) -> Result<Option<Log>, ExploreError> {
    let locals = branch.locals(compiled, txn);
    let mut log = Log::default();
    for &source in sources {
        let next = compiled.run(txn, &locals, &log.reads)?;
        if !branch.answer(compiled, &mut log, next, source) {
            return Ok(None);
        }
    }
    Ok(Some(log))
}

/// Adds a complete transaction; whether it is allowed does not matter here.
fn append(compiled: &Compiled<'_>, branch: &mut Branch, txn: u8, log: Log) {
    let start = branch.past_at_start(compiled, txn);
    let sources = log.reads.iter().fold(0, |set, read| set | one(read.source));
    let past = start | sources | branch.union(sources, |log| log.past);
    branch.place(txn, past, Arc::new(log));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for length in 0..20 {
            let bytes: Vec<u8> = (0..length).map(|at| (at * 37 + 5) as u8).collect();
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
        assert_eq!(decode("a b"), None);
    }
}
