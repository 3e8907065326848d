//! The timeline of a telling: what matters of each session, in the order in which it happened.
//!
//! Where every event has its place in a log, that is the order. Else one is made: each session's own order, real time
//! where it is known, reads after the writes they saw, and, as far as that leaves room, reads before the writes that
//! replaced what they saw.

use hobgoblin_core::{EventId, History, Reason, Source, TxnId, Value, sort_by};

use super::actors::Actors;
use super::case::Case;
use super::mark::marks;
use super::row::Rows;
use super::statement::{Statement, Verb};
use super::telling::{Column, Line, Order};

/// More lines of a transaction than this are folded, unless they decide.
const LINES: usize = 8;
/// More rows than this are not named in a line.
const ROWS: usize = 3;

/// One thing that a transaction did.
#[derive(Debug)]
struct Did {
    txn: TxnId,
    /// The events of it that matter; of what is folded, all.
    events: Vec<EventId>,
    /// All its events.
    all: Vec<EventId>,
    /// Its statement.
    statement: Option<u32>,
    /// How much of what does not matter it stands for: statements where there are any, else events.
    folded: usize,
    /// Whether it is the end of the transaction.
    ends: bool,
    /// When it happened.
    at: Option<i64>,
}

/// The columns and lines of a case, and how far their order is known.
pub(super) fn timeline(
    case: &Case<'_>,
    rows: &Rows<'_>,
    actors: &Actors<'_>,
) -> (Order, Vec<Column>, Vec<Line>) {
    let mut did: Vec<Vec<Did>> = Vec::new();
    for (_, txns) in &actors.sessions {
        let mut of_session = Vec::new();
        for &txn in txns {
            of_session.append(&mut done(case, rows, txn));
        }
        did.push(of_session);
    }
    let known = did.iter().all(|of_session| of_session.iter().all(|did| did.at.is_some()));
    let (order, sorted) =
        if known { (Order::Log, by_place(did)) } else { (Order::Fits, fit(case, did)) };
    let columns = (0..actors.sessions.len())
        .map(|at| Column { title: actors.title(at), txns: actors.sessions[at].1.clone() })
        .collect();
    (order, columns, lines(case, rows, actors, sorted))
}

/// What a transaction did, in its own order, with what does not matter folded.
fn done(case: &Case<'_>, rows: &Rows<'_>, txn: TxnId) -> Vec<Did> {
    let history = case.history;
    let sql = !history.statements(txn).is_empty();
    let mut all: Vec<Did> = Vec::new();
    for event in history.event_ids(txn) {
        let statement = history.statement_of(event);
        let matters = case.decisive.contains(&event)
            || (case.keys.contains(&history.event(event).key())
                && !is_check(case, rows, event)
                && !is_repeat(case, txn, event));
        let at = history.at(event);
        match all.last_mut() {
            Some(last) if sql && statement.is_some() && last.statement == statement => {
                last.all.push(event);
                if matters {
                    last.events.push(event);
                    last.at = at;
                }
            }
            _ => {
                let events = if matters { vec![event] } else { Vec::new() };
                let event = vec![event];
                all.push(Did { txn, events, all: event, statement, folded: 0, ends: false, at });
            }
        }
    }
    // Of statements only those that decide are shown, and how many others there are is said at the end.
    let decides = |did: &Did| did.events.iter().any(|e| case.decisive.contains(e));
    let mut room = match sql {
        true => 0,
        false => LINES.saturating_sub(all.iter().filter(|did| decides(did)).count()),
    };
    let (mut left_out, mut unseen) = (0, Vec::new());
    let mut shown: Vec<Did> = Vec::new();
    for mut did in all {
        let spare = !did.events.is_empty() && room > 0;
        if decides(&did) || spare {
            room -= usize::from(!decides(&did));
            shown.push(did);
        } else if sql {
            let statement = did.statement.and_then(|at| history.statements(txn).get(at as usize));
            left_out += usize::from(!statement.is_some_and(|sql| Statement::of(sql).ends()));
            unseen.append(&mut did.all);
        } else if let Some(last) = shown.last_mut().filter(|last| last.folded > 0) {
            last.folded += 1;
            last.events.append(&mut did.all);
        } else {
            did.events = std::mem::take(&mut did.all);
            did.folded = 1;
            shown.push(did);
        }
    }
    let first = history.event_ids(txn).next();
    let at = first.and_then(|event| history.at(event)).and(history.end(txn));
    shown.push(Did {
        txn,
        events: unseen,
        all: Vec::new(),
        statement: None,
        folded: left_out,
        ends: true,
        at,
    });
    shown
}

/// Whether a statement that changes one table only looked at another for the engine, as references are checked.
fn is_check(case: &Case<'_>, rows: &Rows<'_>, event: EventId) -> bool {
    let Some(sql) = case.statement(event) else { return false };
    let statement = Statement::of(sql);
    let changes = matches!(statement.verb(), Verb::Insert | Verb::Update | Verb::Delete);
    let other = rows.table(case.history.event(event).key()).is_some_and(|t| !statement.is_of(t));
    (statement.ends() || (changes && other)) && !case.history.event(event).is_write()
}

/// Whether a read only saw again what another of the transaction did that decides, or came before it.
fn is_repeat(case: &Case<'_>, txn: TxnId, read: EventId) -> bool {
    let history = case.history;
    let seen = |event: EventId| (history.event(event), history.source(event));
    !history.event(read).is_write()
        && history.event_ids(txn).any(|other| {
            other != read
                && seen(other) == seen(read)
                && (other < read || case.decisive.contains(&other))
        })
}

fn by_place(did: Vec<Vec<Did>>) -> Vec<Did> {
    let mut all = Vec::new();
    for mut of_session in did {
        all.append(&mut of_session);
    }
    sort_by(&mut all, |a, b| a.at.cmp(&b.at));
    all
}

/// An order that fits what everyone saw, as far as there is one.
fn fit(case: &Case<'_>, did: Vec<Vec<Did>>) -> Vec<Did> {
    let mut waiting: Vec<std::collections::VecDeque<Did>> =
        did.into_iter().map(Into::into).collect();
    let before = constraints(case);
    let mut last: Option<TxnId> = None;
    let mut sorted = Vec::new();
    loop {
        let mut open: Vec<&Did> = Vec::new();
        for of_session in &waiting {
            open.extend(of_session);
        }
        let cost = |did: &Did| -> u32 {
            let pending = |event: &EventId| open.iter().any(|o| o.events.contains(event));
            let costs = before.iter().map(|(first, second, weight)| {
                if did.events.contains(second) && !did.events.contains(first) && pending(first) {
                    *weight
                } else {
                    0
                }
            });
            costs.sum::<u32>()
                + unseen(case, did, &open)
                + waits_in_time(case.history, did.txn, &open)
        };
        let next = (0..waiting.len())
            .filter_map(|at| waiting[at].front().map(|did| (at, did)))
            .min_by_key(|(at, did)| (cost(did), Some(did.txn) != last, *at))
            .map(|(at, _)| at);
        let Some(did) = next.and_then(|at| waiting[at].pop_front()) else { return sorted };
        last = Some(did.txn);
        sorted.push(did);
    }
}

/// Which events come before which, and how much that weighs: a value is written before it is read, and read
/// before it is replaced.
fn constraints(case: &Case<'_>) -> Vec<(EventId, EventId, u32)> {
    let history = case.history;
    let mut before = Vec::new();
    for &txn in &case.txns {
        for event in history.event_ids(txn) {
            if let Source::Txn(writer) = history.source(event)
                && case.txns.contains(&writer)
                && let Some(write) = case.write(writer, history.event(event).key())
            {
                before.push((write, event, 5));
            }
        }
    }
    if let Some(read) = case.read {
        let reader = history.txn_of(read);
        let writes = history.writes_of_same_value(read).into_iter();
        let others = writes.filter(|&write| history.txn_of(write) != reader);
        before.extend(others.map(|write| (write, read, 5)));
    }
    for edge in &case.circle {
        let pair = match edge.why {
            Reason::Overwrite(read) => {
                case.write(edge.to, history.event(read).key()).map(|write| (read, write))
            }
            Reason::Write(key) => case.write(edge.from, key).zip(case.write(edge.to, key)),
            _ => None,
        };
        before.extend(pair.map(|(first, second)| (first, second, 1)));
    }
    for (at, &event) in case.decisive.iter().enumerate() {
        // Both read before either writes: the reads of a key by those who replace the same version.
        for &other in &case.decisive[at + 1..] {
            let (a, b) = (history.event(event), history.event(other));
            let apart = history.txn_of(event) != history.txn_of(other);
            if apart && a.key() == b.key() && a.is_write() != b.is_write() {
                let (read, write) = if a.is_write() { (other, event) } else { (event, other) };
                let saw = history.source(read) == Source::Txn(history.txn_of(write));
                if !saw && !history.is_locking(read) {
                    before.push((read, write, 1));
                }
            }
        }
    }
    before
}

/// How much it weighs that whom it read from has not ended yet.
fn unseen(case: &Case<'_>, did: &Did, open: &[&Did]) -> u32 {
    let writers = did.events.iter().filter_map(|&event| match case.history.source(event) {
        Source::Txn(writer) => Some(writer),
        _ => None,
    });
    let pending = |writer: &TxnId| open.iter().any(|o| o.txn == *writer && !o.ends);
    if writers.into_iter().any(|writer| pending(&writer)) { 10 } else { 0 }
}

/// How much it weighs that somebody who ended before this transaction began has not ended yet.
fn waits_in_time(history: &History, txn: TxnId, open: &[&Did]) -> u32 {
    let Some(begin) = history.begin(txn) else { return 0 };
    let earlier =
        |did: &&&Did| did.txn != txn && history.end(did.txn).is_some_and(|end| end < begin);
    if open.iter().any(|did| earlier(&did)) { 100 } else { 0 }
}

fn lines(case: &Case<'_>, rows: &Rows<'_>, actors: &Actors<'_>, sorted: Vec<Did>) -> Vec<Line> {
    let marks = marks(case, rows);
    let alone = case.keys.len() == 1;
    let mut lines: Vec<Line> = Vec::new();
    let mut begun: Vec<TxnId> = Vec::new();
    for did in sorted {
        let column = actors.column(did.txn);
        let shared = actors.sessions[column].1.len() > 1;
        let line = |text: String| Line {
            column,
            txn: did.txn,
            text,
            came: String::new(),
            mark: None,
            events: did.events.clone(),
            folded: did.folded,
            heading: false,
        };
        if !begun.contains(&did.txn) {
            begun.push(did.txn);
            if shared && !case.is_sql() {
                lines.push(Line {
                    events: Vec::new(),
                    folded: 0,
                    heading: true,
                    ..line(format!("{}:", actors.txn(did.txn)))
                });
            }
        }
        if did.ends {
            let Some(text) = ending(case, did.txn) else { continue };
            lines.push(line(match did.folded {
                0 => text.to_owned(),
                count => format!("{text} {}", folded(count, true)),
            }));
            continue;
        }
        if did.folded > 0 {
            lines.push(line(folded(did.folded, did.statement.is_some())));
            continue;
        }
        let statement =
            did.statement.and_then(|at| case.history.statements(did.txn).get(at as usize));
        let (text, came) = match statement {
            Some(sql) => {
                let statement = Statement::of(sql);
                (statement.line(), came(case, rows, &statement, &did, alone))
            }
            None => (plain(case, rows, &did.events), String::new()),
        };
        let mark =
            did.events.iter().rev().find_map(|e| {
                marks.iter().find(|(event, _)| event == e).map(|(_, mark)| mark.clone())
            });
        lines.push(Line { came, mark, ..line(text) });
    }
    lines
}

/// How a transaction ended, where that is worth a line.
fn ending(case: &Case<'_>, txn: TxnId) -> Option<&'static str> {
    use hobgoblin_core::Status;
    match (case.history.status(txn), case.is_sql()) {
        (Status::Committed, true) => Some("COMMIT"),
        (Status::Committed, false) => None,
        (Status::Aborted, true) => Some("ROLLBACK"),
        (Status::Aborted, false) => Some("rolled back"),
        (Status::Unknown, true) => Some("COMMIT, and no answer came back"),
        (Status::Unknown, false) => Some("(whether it committed is not known)"),
    }
}

fn folded(count: usize, statements: bool) -> String {
    match (count, statements) {
        (1, true) => "(1 other statement)".to_owned(),
        (n, true) => format!("({n} other statements)"),
        (1, false) => "(1 other event)".to_owned(),
        (n, false) => format!("({n} other events)"),
    }
}

/// Events without a statement: `x = 1`, `x := 2`.
fn plain(case: &Case<'_>, rows: &Rows<'_>, events: &[EventId]) -> String {
    let said: Vec<String> = events
        .iter()
        .map(|&event| match case.history.event(event).is_write() {
            true => rows.assignment(event),
            false if case.history.is_locking(event) => format!("{} (locked)", rows.equation(event)),
            false => rows.equation(event),
        })
        .collect();
    said.join(", ")
}

/// What came of a statement.
fn came(case: &Case<'_>, rows: &Rows<'_>, statement: &Statement, did: &Did, alone: bool) -> String {
    let history = case.history;
    let writes: Vec<EventId> =
        did.events.iter().copied().filter(|&e| history.event(e).is_write()).collect();
    if !writes.is_empty() {
        let said = writes
            .iter()
            .take(ROWS)
            .map(|&write| rows.change(before(history, did.txn, write).as_ref(), write, alone));
        return said.collect::<Vec<_>>().join(", ") + &more(writes.len());
    }
    // Of several reads of a row in a statement the last is what it went on with.
    let mut reads: Vec<EventId> = Vec::new();
    for &event in &did.events {
        reads.retain(|&r| history.event(r).key() != history.event(event).key());
        reads.push(event);
    }
    let said: Vec<String> = reads
        .iter()
        .take(ROWS)
        .map(|&read| {
            let key = history.event(read).key();
            let own = rows.table(key).is_none_or(|table| statement.is_of(table));
            match (statement.verb(), own) {
                (Verb::Select, _) | (Verb::Other, true) => rows.seen(read, alone),
                (Verb::Insert, true) if rows.is_unique(key) => {
                    format!("checking that no other is {}", rows.name(key))
                }
                (_, true) => format!("found {}", rows.seen(read, alone)),
                (_, false) => format!("checking that {} is there", rows.name(key)),
            }
        })
        .collect();
    let said = said.join(", ") + &more(reads.len());
    if statement.verb() == Verb::Select { format!("→ {said}") } else { said }
}

fn more(count: usize) -> String {
    if count > ROWS { format!(" and {} more", count - ROWS) } else { String::new() }
}

/// What a transaction knew of the key before it wrote it.
fn before(history: &History, txn: TxnId, write: EventId) -> Option<Value> {
    let key = history.event(write).key();
    let earlier = |&e: &EventId| e < write && history.event(e).key() == key;
    history.event_ids(txn).rev().find(earlier).map(|e| history.value(e))
}
