//! What an exploration has left, as text.
//!
//! One line says what it belongs to and what was found so far, one what the transactions did to tables, then
//! there is one line for each open history: its transactions in order with the sources of their reads, the
//! last one pending or not.

use std::fmt::Write;
use std::sync::Arc;

use crate::branch::Branch;
use crate::compiled::{Compiled, one};
use crate::error::ExploreError;
use crate::found::Found;
use crate::token;

const MAGIC: &str = "hob explore checkpoint 2";

/// What an exploration that stopped has left, as text for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint(pub String);

pub(crate) fn write(compiled: &Compiled<'_>, found: &Found, open: &[Branch]) -> Checkpoint {
    let options = compiled.options;
    let base = options.base.map_or("-", |base| base.name());
    let mut text = format!(
        "{MAGIC} {:016x} {} {base} {} {} {} {} {}\n",
        compiled.fingerprint,
        options.level,
        options.prune,
        found.histories,
        found.end_states,
        found.calls,
        found.fruitless
    );
    text.push_str(&compiled.touched.text());
    text.push('\n');
    for branch in open {
        for (at, log) in branch.order.iter().enumerate() {
            let end = if log.done.is_some() { ';' } else { '?' };
            let separator = if at == 0 { "" } else { " " };
            let _ = write!(text, "{separator}{}", log.txn);
            for read in &log.reads {
                let _ = write!(text, ",{}", read.source);
            }
            text.push(end);
        }
        text.push('\n');
    }
    Checkpoint(text)
}

pub(crate) fn read(
    compiled: &Compiled<'_>,
    checkpoint: &Checkpoint,
) -> Result<(Found, Vec<Branch>), ExploreError> {
    let wrong = |line: usize, why: &str| {
        ExploreError::Token(format!("line {line} of the checkpoint: {why}; explore from the start"))
    };
    let mut lines = checkpoint.0.lines().zip(1..);
    let first = lines.next().and_then(|(line, _)| line.strip_prefix(MAGIC));
    let first = first.ok_or_else(|| wrong(1, "this is no checkpoint of hob explore"))?;
    let words: Vec<&str> = first.split_whitespace().collect();
    let [print, level, base, prune, histories, end_states, calls, fruitless] = words[..] else {
        return Err(wrong(1, "it is cut"));
    };
    if u64::from_str_radix(print, 16) != Ok(compiled.fingerprint) {
        return Err(wrong(1, "the program's transactions or initial values have changed"));
    }
    let options = compiled.options;
    let same = level == options.level.name()
        && base == options.base.map_or("-", |base| base.name())
        && prune == options.prune.to_string();
    if !same {
        return Err(wrong(
            1,
            &format!("it was made with level {level}, base {base}, pruning {prune}"),
        ));
    }
    let number = |text: &str| text.parse().map_err(|_| wrong(1, "a count is not a number"));
    let found = Found {
        histories: number(histories)?,
        end_states: number(end_states)?,
        calls: number(calls)?,
        fruitless: number(fruitless)?,
        ..Found::default()
    };
    let touched = lines.next().is_some_and(|(line, _)| compiled.touched.read(line));
    if !touched {
        return Err(wrong(2, "it does not say what tables the transactions touched"));
    }
    let mut open = Vec::new();
    for (line, place) in lines {
        let branch = branch(compiled, line)?;
        open.push(branch.ok_or_else(|| wrong(place, "it does not fit the program"))?);
    }
    Ok((found, open))
}

/// A history from its line.
fn branch(compiled: &Compiled<'_>, line: &str) -> Result<Option<Branch>, ExploreError> {
    let mut branch = Branch::default();
    for word in line.split_whitespace() {
        let (body, complete) = match (word.strip_suffix(';'), word.strip_suffix('?')) {
            (Some(body), _) => (body, true),
            (_, Some(body)) => (body, false),
            _ => return Ok(None),
        };
        let numbers: Option<Vec<u8>> = body.split(',').map(|n| n.parse().ok()).collect();
        let Some((&txn, sources)) = numbers.as_deref().and_then(<[u8]>::split_first) else {
            return Ok(None);
        };
        let fresh = txn > 0 && usize::from(txn) < compiled.txns.len();
        if !fresh || branch.started & one(txn) != 0 || branch.pending().is_some() {
            return Ok(None);
        }
        let so = compiled.txns[txn as usize].so & !1;
        if so & !branch.started != 0 || sources.iter().any(|&s| branch.log(s).is_none() && s != 0) {
            return Ok(None);
        }
        let log = match complete {
            true => token::complete(compiled, &branch, txn, sources)?,
            false => token::partial(compiled, &branch, txn, sources)?,
        };
        let Some(log) = log else { return Ok(None) };
        let logs = branch.order.iter().map(|log| (log.txn, Arc::clone(&log.log)));
        let logs = logs.chain([(txn, Arc::new(log))]);
        match Branch::rebuilt(compiled, logs) {
            Some(longer) => branch = longer,
            None => return Ok(None),
        }
    }
    Ok(Some(branch))
}
