//! From a few transactions that violate a level to a history of just these, checked as any other: the
//! witness, its proof and its explanation come from there.

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use hobgoblin_core::{
    EventInfo, Fault, History, HistoryBuilder, Kind, Level, TxnId, TxnInfo, Value, Verdict,
    Witness, Writer,
};

use super::names::Packed;
use super::record::{FaultyRead, Record};
use crate::limits::Limits;
use crate::problem::{INIT, Node};

/// A level that does not hold any more.
#[derive(Debug)]
pub struct Violation {
    /// The level that the transactions so far violate.
    pub level: Level,
    /// The transactions involved, with the events that matter, under the names and lines they came with;
    /// one without an id is called by the number of its arrival.
    pub history: History,
    /// Why this history, and so all that was received, violates the level.
    pub witness: Witness,
    /// The number of arrival, from 1, of each transaction of this history.
    pub arrivals: Vec<u32>,
}

/// One event of a transaction in the report.
struct Event {
    kind: Kind,
    key: u32,
    value: Packed,
    lock: bool,
    writer: Option<Node>,
}

impl Event {
    fn new(kind: Kind, key: u32, value: Packed) -> Event {
        Event { kind, key, value, lock: false, writer: None }
    }
}

/// Reports a violation by some transactions, or by one read.
pub(super) fn report(
    record: &Record,
    level: Level,
    core: &[Node],
    fault: Option<&FaultyRead>,
    counted_by: &HashMap<Node, Node>,
) -> Violation {
    let mut nodes: Vec<Node> = core.to_vec();
    if let Some(fault) = fault {
        nodes.push(fault.reader);
        nodes.extend(fault.writer.filter(|&w| w != INIT));
    }
    // A transaction of unknown status is here because of one that read from it.
    let mut at = 0;
    while at < nodes.len() {
        nodes.extend(counted_by.get(&nodes[at]).filter(|&&n| !nodes.contains(&n)));
        at += 1;
    }
    nodes.sort_unstable();
    nodes.dedup();
    let history = build(record, &nodes, events(record, &nodes, fault));
    match crate::check(&history, level, &Limits::none()) {
        Verdict::Violation(witness) => {
            Violation { level, witness: *witness, history, arrivals: nodes }
        }
        other => unreachable!("what violates {level} between them violates it alone: {other:?}"),
    }
}

/// What the report says of each transaction: reads from others in it, then writes of keys read.
fn events(
    record: &Record,
    nodes: &[Node],
    fault: Option<&FaultyRead>,
) -> BTreeMap<Node, Vec<Event>> {
    let values = record.values_of(nodes);
    let written: HashSet<u32> = nodes.iter().flat_map(|&n| record.writes(n)).copied().collect();
    let mut keys_read: HashSet<u32> = fault.iter().map(|fault| fault.key).collect();
    let mut events: BTreeMap<Node, Vec<Event>> = BTreeMap::new();
    for &node in nodes {
        let of_node = events.entry(node).or_default();
        for read in record.reads(node) {
            let (key, lock) = (read.key(), read.is_locking());
            let (value, writer) = match read.source() {
                // A first version matters where there is another, and not beside a faulty read.
                Some(INIT) if fault.is_none() && written.contains(&key) => {
                    (record.initial(key), Some(INIT))
                }
                Some(source) if source != INIT => match values.get(&(source, key)) {
                    Some(&value) => (value, Some(source)),
                    None => continue,
                },
                _ => continue,
            };
            keys_read.insert(key);
            of_node.push(Event { kind: Kind::Read, key, value, lock, writer });
        }
    }
    if let Some(fault) = fault {
        add_fault(fault, &mut events);
    }
    for &node in nodes {
        for &key in record.writes(node).iter().filter(|key| keys_read.contains(*key)) {
            let value = values[&(node, key)];
            events.entry(node).or_default().push(Event::new(Kind::Write, key, value));
        }
    }
    events
}

/// The faulty read, and the write that makes it faulty.
fn add_fault(fault: &FaultyRead, events: &mut BTreeMap<Node, Vec<Event>>) {
    let FaultyRead { reader, key, value, .. } = *fault;
    let mut push = |node: Node, event: Event| events.entry(node).or_default().push(event);
    if let Some(own) = fault.own {
        push(reader, Event::new(Kind::Write, key, own));
    }
    // A read that named its writer may have returned what somebody else did write.
    let named = fault.writer.filter(|_| fault.fault == Fault::ThinAir);
    push(reader, Event { writer: named, ..Event::new(Kind::Read, key, value) });
    match fault.fault {
        Fault::OwnLaterWrite => push(reader, Event::new(Kind::Write, key, value)),
        Fault::Aborted | Fault::Intermediate => {
            let writer = fault.writer.expect("somebody wrote it");
            push(writer, Event::new(Kind::Write, key, value));
        }
        Fault::ThinAir | Fault::InternalMismatch => {}
    }
}

/// The history of these transactions, with the names and lines they came with.
fn build(record: &Record, nodes: &[Node], events: BTreeMap<Node, Vec<Event>>) -> History {
    const VALID: &str = "what was received is well formed";
    let id = |node: Node| match node {
        INIT => TxnId::INIT,
        node => TxnId::new(nodes.partition_point(|&n| n < node) + 1),
    };
    let mut builder = HistoryBuilder::new();
    let mut known: HashSet<u32> = HashSet::new();
    for (&node, events) in &events {
        let session = builder.session(record.sessions.name(record.session(node)));
        builder.begin(session);
        for event in events {
            let key = builder.key(record.keys.name(event.key));
            let initial = record.values.get(record.initial(event.key));
            if known.insert(event.key) && initial != Value::Null {
                builder.initial(key, &initial).expect(VALID);
            }
            let added = builder.event(event.kind, key, &record.values.get(event.value));
            let writer = event.writer.map(|node| Writer::Txn(id(node)));
            let info = EventInfo { writer, lock: event.lock, ..EventInfo::default() };
            builder.describe(added, info).expect(VALID);
        }
        let (status, line) = (record.status(node), record.line(node));
        let number = record.names.unused(node);
        let name = record.names.get(node).unwrap_or(&number);
        let info = TxnInfo { name: Some(name), status, line, ..TxnInfo::default() };
        builder.end(info).expect(VALID);
    }
    builder.finish().expect(VALID)
}
