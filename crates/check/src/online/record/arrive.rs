//! Taking in one transaction: what it wrote is noted, what it read finds its source or waits for it.
//!
//! Own writes come first, then reads, then those who waited for this transaction by name. A read is
//! *internal* when its transaction wrote the key before, and needs nobody else. An external one is looked
//! up by key and value (or, where it names its writer, by that), and what it finds is a source, or that it
//! must wait, or a fault: nobody may read what an aborted transaction wrote, what its writer
//! replaced, or what the reader itself wrote only later.

use hobgoblin_core::{Fault, HistoryError, Kind, Status, Writer};

use super::super::datums::{Datum, Tag};
use super::super::error::OnlineError;
use super::super::names::Packed;
use super::super::{ArrivedEvent, ArrivedTxn};
use super::{Arrived, FaultyRead, LOCKING, Named, Read, Record, UNRESOLVED};
use crate::problem::{INIT, Node};

impl Record {
    /// Takes in a transaction. It does not count yet, and its reads change nothing but itself.
    pub(in super::super) fn push<'a>(
        &mut self,
        txn: &ArrivedTxn<'_>,
        events: impl IntoIterator<Item = ArrivedEvent<'a>>,
    ) -> Result<Arrived, OnlineError> {
        let node = self.len() as Node;
        if self.len() >= Datum::LIMIT || self.reads.len() >= u32::MAX as usize / 2 {
            let (what, limit) = ("transactions or reads", Datum::LIMIT);
            return Err(HistoryError::TooLarge { what, limit }.into());
        }
        if let Some(name) = txn.name {
            self.give_name(node, name, txn.line)?;
        }
        let session = self.sessions.number(txn.session);
        if session as usize == self.session_nodes.len() {
            self.session_nodes.push(Vec::new());
            self.last_counted.push(INIT);
        }
        self.session.push(session);
        self.place.push(self.session_nodes[session as usize].len() as u32);
        self.session_nodes[session as usize].push(node);
        self.prev.push(INIT);
        self.status.push(txn.status);
        self.counted.push(false);
        self.line.push(txn.line);
        let mut arrived = Arrived { node, ..Arrived::default() };
        let mut external: Vec<(usize, Packed, Option<Writer<'a>>)> = Vec::new();
        self.scratch.own.clear();
        self.scratch.writes.clear();
        for event in events {
            let (key, value) = (self.key(event.key), self.values.pack(event.value));
            if event.kind == Kind::Write {
                if event.writer.is_some() {
                    return Err(HistoryError::WriterOfWrite { line: txn.line }.into());
                }
                self.scratch.own.insert(key, (value, self.scratch.writes.len()));
                self.scratch.writes.push((key, value));
                continue;
            }
            // The reads of aborted transactions say nothing.
            if txn.status == Status::Aborted {
                continue;
            }
            match self.scratch.own.get(&key) {
                None => {
                    external.push((self.reads.len(), value, event.writer));
                    let lock = if event.lock { LOCKING } else { 0 };
                    self.reads.push(Read { key: key | lock, source: UNRESOLVED });
                }
                Some(&(own, _)) if own == value => {}
                Some(&(own, _)) => arrived.faults.push(FaultyRead {
                    reader: node,
                    key,
                    value,
                    fault: Fault::InternalMismatch,
                    own: Some(own),
                    writer: None,
                }),
            }
        }
        self.read_start.push(self.reads.len() as u32);
        self.add_writes(txn, &mut arrived)?;
        self.write_start.push(self.writes.len() as u32);
        for (read, value, writer) in external {
            self.look_up(read, value, writer, txn.line, &mut arrived)?;
        }
        self.resolve_named(node, txn.name, &mut arrived);
        Ok(arrived)
    }

    fn give_name(&mut self, node: Node, name: &str, line: u32) -> Result<(), OnlineError> {
        let name_of = || name.to_owned();
        if name.is_empty() || name == "init" {
            return Err(HistoryError::ReservedName { name: name_of(), line }.into());
        }
        if let Some(first) = self.names.find(name) {
            let first_line = self.line(first);
            return Err(HistoryError::DuplicateName { name: name_of(), first_line, line }.into());
        }
        self.names.push(node, name);
        Ok(())
    }

    fn add_writes(
        &mut self,
        txn: &ArrivedTxn<'_>,
        arrived: &mut Arrived,
    ) -> Result<(), OnlineError> {
        let first = self.writes.len();
        let writes = std::mem::take(&mut self.scratch.writes);
        for (i, &(key, value)) in writes.iter().enumerate() {
            let (last, last_at) = self.scratch.own[&key];
            if txn.status == Status::Aborted {
                self.add_dead_write(Tag::Aborted, key, value, arrived);
            } else if last_at == i {
                self.writes.push(key);
                self.add_final_write(key, value, txn.line, arrived)?;
            } else if last != value {
                self.add_dead_write(Tag::Intermediate, key, value, arrived);
            }
        }
        self.scratch.writes = writes;
        self.writes[first..].sort_unstable();
        Ok(())
    }

    fn add_final_write(
        &mut self,
        key: u32,
        value: Packed,
        line: u32,
        arrived: &mut Arrived,
    ) -> Result<(), OnlineError> {
        let node = arrived.node;
        let initial = self.initial[key as usize];
        let also_initial = (initial.value == value).then_some(INIT);
        let old = self.datums.get(key, value);
        let read = old.is_some_and(Datum::is_read) || also_initial.is_some() && initial.read;
        let datum = match old.map(|datum| (datum.tag(), datum.index())) {
            Some((Tag::Waiting, list)) => {
                for (reader, read) in std::mem::take(&mut self.waiting[list as usize]) {
                    self.resolve(reader, read, node, arrived);
                }
                self.unused.push(list);
                Datum::new(Tag::Final, node).read()
            }
            _ if read => return Err(self.repeated(key, value, line)),
            Some((Tag::Shared, list)) => {
                self.shared[list as usize].push(node);
                return Ok(());
            }
            Some((Tag::Final, other)) => self.share(other, node),
            _ => match also_initial {
                Some(init) => self.share(init, node),
                None => Datum::new(Tag::Final, node),
            },
        };
        self.datums.insert(key, value, datum);
        Ok(())
    }

    fn share(&mut self, one: Node, other: Node) -> Datum {
        self.shared.push(vec![one, other]);
        Datum::new(Tag::Shared, self.shared.len() as u32 - 1)
    }

    /// A write that nobody may read.
    fn add_dead_write(&mut self, tag: Tag, key: u32, value: Packed, arrived: &mut Arrived) {
        let node = arrived.node;
        match self.datums.get(key, value) {
            None => {
                self.datums.insert(key, value, Datum::new(tag, node));
            }
            Some(datum) if datum.tag() == Tag::Waiting => {
                let list = datum.index();
                for (reader, _) in std::mem::take(&mut self.waiting[list as usize]) {
                    self.num_waiting -= 1;
                    let fault = fault_of(tag);
                    let writer = Some(node);
                    arrived.faults.push(FaultyRead {
                        reader,
                        key,
                        value,
                        fault,
                        own: None,
                        writer,
                    });
                }
                self.unused.push(list);
                self.datums.insert(key, value, Datum::new(tag, node).read());
            }
            Some(_) => {}
        }
    }

    fn repeated(&self, key: u32, value: Packed, line: u32) -> OnlineError {
        let (key, value) = (self.keys.name(key).clone(), self.values.get(value));
        OnlineError::Repeated { key, value, line }
    }

    fn resolve(&mut self, reader: Node, read: usize, source: Node, arrived: &mut Arrived) {
        self.reads[read].source = source;
        self.num_waiting -= 1;
        arrived.resolved.push((reader, read));
    }

    /// Finds the source of a read of the transaction that arrived, or has it wait.
    fn look_up(
        &mut self,
        read: usize,
        value: Packed,
        writer: Option<Writer<'_>>,
        line: u32,
        arrived: &mut Arrived,
    ) -> Result<(), OnlineError> {
        self.num_waiting += 1;
        let (reader, key) = (arrived.node, self.reads[read].key());
        if let Some(writer) = writer {
            let named = Named { reader, read, value };
            match writer {
                Writer::Txn(txn) if txn.index() >= self.len() => {
                    self.by_number.entry(txn.raw()).or_default().push(named);
                }
                Writer::Txn(txn) => self.resolve_by(named, txn.raw(), arrived),
                Writer::Name("init") => self.resolve_by(named, INIT, arrived),
                Writer::Name(name) => match self.names.find(name) {
                    Some(writer) => self.resolve_by(named, writer, arrived),
                    None => self.by_name.entry(name.into()).or_default().push(named),
                },
            }
            return Ok(());
        }
        let is_initial = self.initial[key as usize].value == value;
        let found = self.datums.mark_read(key, value).map(|datum| (datum.tag(), datum.index()));
        let fault = match found {
            Some((Tag::Final, writer)) if writer != reader => {
                self.resolve(reader, read, writer, arrived);
                return Ok(());
            }
            Some((Tag::Shared, list)) => {
                let mut others = self.shared[list as usize].iter().filter(|&&w| w != reader);
                match (others.next().copied(), others.next()) {
                    (Some(writer), None) => self.resolve(reader, read, writer, arrived),
                    _ => return Err(self.repeated(key, value, line)),
                }
                return Ok(());
            }
            Some((Tag::Waiting, list)) => {
                self.waiting[list as usize].push((reader, read));
                return Ok(());
            }
            _ if is_initial => {
                self.initial[key as usize].read = true;
                self.resolve(reader, read, INIT, arrived);
                return Ok(());
            }
            None => {
                let list = self.unused.pop().unwrap_or_else(|| {
                    self.waiting.push(Vec::new());
                    self.waiting.len() as u32 - 1
                });
                self.waiting[list as usize].push((reader, read));
                self.datums.insert(key, value, Datum::new(Tag::Waiting, list));
                return Ok(());
            }
            Some((_, writer)) if writer == reader => (Fault::OwnLaterWrite, None),
            Some((tag, writer)) => (fault_of(tag), Some(writer)),
        };
        self.num_waiting -= 1;
        let (fault, writer) = fault;
        arrived.faults.push(FaultyRead { reader, key, value, fault, own: None, writer });
        Ok(())
    }

    /// Those who waited for a transaction by its name or number.
    fn resolve_named(&mut self, node: Node, name: Option<&str>, arrived: &mut Arrived) {
        let mut waiting = self.by_number.remove(&node).unwrap_or_default();
        if let Some(name) = name.filter(|_| !self.by_name.is_empty()) {
            waiting.extend(self.by_name.remove(name).unwrap_or_default());
        }
        for named in waiting {
            self.resolve_by(named, node, arrived);
        }
    }

    /// Resolves a read that names a transaction which is here.
    fn resolve_by(&mut self, named: Named, writer: Node, arrived: &mut Arrived) {
        let Named { reader, read, value } = named;
        let key = self.reads[read].key();
        let datum = self.datums.get(key, value).map(|datum| (datum.tag(), datum.index()));
        let wrote = match datum {
            _ if writer == INIT => self.initial[key as usize].value == value,
            Some((Tag::Final, other)) => other == writer,
            Some((Tag::Shared, list)) => self.shared[list as usize].binary_search(&writer).is_ok(),
            _ => false,
        };
        if wrote && writer != reader {
            self.resolve(reader, read, writer, arrived);
            return;
        }
        self.num_waiting -= 1;
        let fault = match datum {
            _ if writer == reader && wrote => Fault::OwnLaterWrite,
            Some((Tag::Aborted, other)) if other == writer => Fault::Aborted,
            Some((Tag::Intermediate, other)) if other == writer && writer == reader => {
                Fault::OwnLaterWrite
            }
            Some((Tag::Intermediate, other)) if other == writer => Fault::Intermediate,
            _ => Fault::ThinAir,
        };
        let writer = Some(writer);
        arrived.faults.push(FaultyRead { reader, key, value, fault, own: None, writer });
    }
}

fn fault_of(tag: Tag) -> Fault {
    if tag == Tag::Aborted { Fault::Aborted } else { Fault::Intermediate }
}
