//! Jepsen's and Elle's histories: list-append and rw-register, in EDN or JSON [Kingsbury 2020].
//!
//! A history is a sequence of operations, one after another or in one list. A transaction is two of
//! them, what a process asked for and what came back:
//!
//! ```text
//! {:type :invoke, :f :txn, :value [[:r :x nil] [:append :x 3]],     :process 0, :time 10, :index 0}
//! {:type :ok,     :f :txn, :value [[:r :x [1 2]] [:append :x 3]],   :process 0, :time 25, :index 1}
//! {:type :info,   :f :start-partition, :process :nemesis}
//! ```
//!
//! | in Elle | in a history |
//! | --- | --- |
//! | process | session; operations without one are a session each |
//! | `ok` | committed, with the values of this operation |
//! | `fail` | aborted |
//! | `info`, or no completion at all | unknown status, with the writes of the invocation |
//! | `:time` of the invocation and of `ok` or `fail` | begin and end |
//! | `[:w x 1]`, `[:r x 1]`, `[:r x nil]` | a write, a read, a read of the initial null |
//! | `[:append x 1]`, `[:r x [1 2]]` | see [`append`] |
//!
//! `:index` and `:f` are not needed. A process that is neither an integer nor does transactions, such
//! as `:nemesis`, is skipped; one that asked for a transaction is not, though what came back may be nil. What a transaction of unknown status read is not known, so it has no
//! reads; an aborted one keeps those reads of registers whose value is given.

mod append;
mod operation;
#[cfg(test)]
mod tests;
mod write;

use std::collections::HashMap;
use std::io::BufRead;

use hobgoblin_core::{History, HistoryBuilder, Key, Kind, Status, TxnInfo, Value};

use crate::edn::{Dialect, Form, Node, Reader};
use crate::error::{Failure, ParseError};
use crate::watch::Pace;
use operation::{Got, Op, Txn};

pub(crate) use write::{write_edn, write_json};

/// Whether a file begins like operations in EDN: a map with a keyword in it.
pub(crate) fn looks_like_edn(head: &[u8]) -> bool {
    let mut rest = skip_edn_space(head);
    if let [b'[' | b'(', inner @ ..] = rest {
        rest = skip_edn_space(inner);
    }
    if rest.starts_with(b"#") {
        let tag = rest.iter().take_while(|&&b| b != b'{' && !b.is_ascii_whitespace()).count();
        rest = skip_edn_space(&rest[tag..]);
    }
    let Some(inner) = rest.strip_prefix(b"{") else { return false };
    matches!(skip_edn_space(inner), [b':', b'a'..=b'z', ..])
}

fn skip_edn_space(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        match text {
            [b',', rest @ ..] => text = rest,
            [b';', ..] => {
                let end = text.iter().position(|&b| b == b'\n').unwrap_or(text.len());
                text = &text[end..];
            }
            _ => return text,
        }
    }
}

/// Whether a file begins like operations in JSON: an object with a type and a process or value.
pub(crate) fn looks_like_json(head: &[u8]) -> bool {
    let has = |needle: &[u8]| head.windows(needle.len()).any(|w| w == needle);
    let start = head.trim_ascii_start();
    let start = start.strip_prefix(b"[").unwrap_or(start).trim_ascii_start();
    let types: [&[u8]; 4] = [b"\"invoke\"", b"\"ok\"", b"\"fail\"", b"\"info\""];
    start.starts_with(b"{")
        && has(b"\"type\"")
        && types.iter().any(|name| has(name))
        && (has(b"\"process\"") || has(b"\"value\""))
}

/// Reads a history in EDN.
pub(crate) fn read_edn(input: &mut dyn BufRead) -> Result<History, Failure> {
    read(input, Dialect::Edn)
}

/// Reads a history in JSON, an array or an object a line.
pub(crate) fn read_json(input: &mut dyn BufRead) -> Result<History, Failure> {
    read(input, Dialect::Json)
}

fn read(input: &mut dyn BufRead, dialect: Dialect) -> Result<History, Failure> {
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    let mut reader = Reader::new(&text, dialect).paced(Pace::new(input));
    reader.enter_list();
    let mut pairing = Pairing::default();
    while let Some(operation) = reader.next()? {
        pairing.add(&operation).map_err(|error| reader.with_excerpt(error))?;
    }
    let history = if pairing.is_append() {
        append::build(pairing.txns)
    } else {
        build_registers(pairing.txns)
    };
    history.map_err(|error| reader.with_excerpt(error.into()).into())
}

/// Pairs invocations with completions, process by process.
#[derive(Debug, Default)]
struct Pairing {
    txns: Vec<Txn>,
    /// The transaction each process waits for; `None` is the process of operations without one.
    pending: HashMap<Option<Key>, usize>,
    /// Where the first `w` and the first `append` are.
    first_write: Option<u32>,
    first_append: Option<u32>,
    /// Whether some read returned a list.
    lists: bool,
}

impl Pairing {
    fn add(&mut self, operation: &Node) -> Result<(), ParseError> {
        if !matches!(operation.form, Form::Map(_)) {
            return Err(operation.error(
                "an operation is a map",
                "as in {:type :ok, :process 0, :value [[:r :x 1]]}",
            ));
        }
        let process = operation.get("process").filter(|p| p.form != Form::Nil);
        let value = operation.get("value");
        let session = process.and_then(Node::key);
        let does_transactions =
            || value.is_some_and(is_transaction) || self.pending.contains_key(&session);
        if let Some(process) = process
            && !matches!(process.form, Form::Int(_))
            && (process.name() == Some("nemesis") || !does_transactions())
        {
            return Ok(());
        }
        let time = match operation.get("time").map(|t| &t.form) {
            Some(Form::Int(n)) => Some(*n),
            _ => None,
        };
        let process = session;
        let Some(kind) = operation.get("type").and_then(Node::name) else {
            return Err(operation
                .error("the operation has no :type", "give it one of :invoke, :ok, :fail, :info"));
        };
        if kind == "invoke" {
            return self.invoke(operation, process, value, time);
        }
        let pending = self.pending.remove(&process);
        let at = pending.unwrap_or_else(|| self.begin(process, None, operation.line));
        let given = value.filter(|v| matches!(v.form, Form::List(_)));
        match kind {
            "ok" => {
                let value = value.unwrap_or(operation);
                self.txns[at].ops = self.micro_operations(value)?;
                self.txns[at].status = Status::Committed;
                self.txns[at].end = time;
            }
            "fail" => {
                if let Some(value) = given {
                    let mut ops = self.micro_operations(value)?;
                    ops.retain(|op| !matches!(op, Op::Read(_, Got::Value(Value::Null))));
                    self.txns[at].ops = ops;
                }
                self.txns[at].status = Status::Aborted;
                self.txns[at].end = time;
            }
            "info" => {
                if let (None, Some(value)) = (pending, given) {
                    let mut ops = self.micro_operations(value)?;
                    ops.retain(|op| !matches!(op, Op::Read(..)));
                    self.txns[at].ops = ops;
                }
            }
            other => {
                return Err(operation.error(
                    format!("there is no operation of type {other:?}"),
                    "the types are :invoke, :ok, :fail, :info",
                ));
            }
        }
        self.txns[at].line = operation.line;
        Ok(())
    }

    fn invoke(
        &mut self,
        operation: &Node,
        process: Option<Key>,
        value: Option<&Node>,
        time: Option<i64>,
    ) -> Result<(), ParseError> {
        if let Some(&at) = self.pending.get(&process) {
            let who =
                process.map_or("a process without a number".into(), |p| format!("process {p}"));
            let line = self.txns[at].line;
            return Err(operation.error(
                format!("{who} invokes again before its operation of line {line} completed"),
                "a process does one operation at a time; add its :ok, :fail or :info",
            ));
        }
        let at = self.begin(process.clone(), time, operation.line);
        if let Some(value) = value.filter(|v| v.form != Form::Nil) {
            let mut ops = self.micro_operations(value)?;
            ops.retain(|op| !matches!(op, Op::Read(..)));
            self.txns[at].ops = ops;
        }
        self.pending.insert(process, at);
        Ok(())
    }

    /// Adds a transaction of which nothing is known yet.
    fn begin(&mut self, process: Option<Key>, begin: Option<i64>, line: u32) -> usize {
        let at = self.txns.len();
        let session = process.unwrap_or_else(|| format!("op{}", at + 1).as_str().into());
        let (status, end, ops) = (Status::Unknown, None, Vec::new());
        self.txns.push(Txn { session, status, begin, end, line, ops });
        at
    }

    fn micro_operations(&mut self, value: &Node) -> Result<Vec<Op>, ParseError> {
        let help = "a transaction is a list such as [[:r :x 1] [:w :y 2]] or \
                    [[:r :x [1 2]] [:append :y 3]]; other workloads cannot be read";
        let Some(items) = value.list() else {
            return Err(value.error("the operation's value is no list of reads and writes", help));
        };
        items.iter().map(|item| self.micro_operation(item, help)).collect()
    }

    fn micro_operation(&mut self, item: &Node, help: &str) -> Result<Op, ParseError> {
        let (f, key, value) = match item.list() {
            Some([f, key]) => (f, key, None),
            Some([f, key, value]) => (f, key, Some(value)),
            _ => return Err(item.error("this is no read, write or append", help)),
        };
        let Some(key_name) = key.key() else { return Err(key.error("the key is nil", help)) };
        match (f.name(), value) {
            (Some("r"), value) => Ok(Op::Read(key_name, self.got(value))),
            (Some("w"), Some(value)) => {
                self.first_write.get_or_insert(item.line);
                self.no_mix(item)?;
                Ok(Op::Write(key_name, value.value()))
            }
            (Some("append"), Some(value)) if value.form != Form::Nil => {
                self.first_append.get_or_insert(item.line);
                self.no_mix(item)?;
                Ok(Op::Append(key_name, value.value()))
            }
            (Some("w" | "append"), _) => Err(item.error("this writes no value", help)),
            _ => Err(f.error("this is neither :r, :w nor :append", help)),
        }
    }

    fn got(&mut self, value: Option<&Node>) -> Got {
        match value.map(|v| (&v.form, v)) {
            None => Got::Value(Value::Null),
            Some((Form::List(items), _)) => {
                self.lists = true;
                Got::List(items.iter().map(Node::value).collect())
            }
            Some((_, value)) => Got::Value(value.value()),
        }
    }

    fn no_mix(&self, item: &Node) -> Result<(), ParseError> {
        match (self.first_write, self.first_append) {
            (Some(write), Some(append)) => Err(item.error(
                format!("the history has both :w (line {write}) and :append (line {append})"),
                "check list-append and rw-register workloads separately",
            )),
            _ => Ok(()),
        }
    }

    fn is_append(&self) -> bool {
        self.first_append.is_some() || (self.lists && self.first_write.is_none())
    }
}

/// Whether a value looks like the micro-operations of a transaction.
fn is_transaction(value: &Node) -> bool {
    value.list().is_some_and(|items| {
        items.iter().all(|item| {
            let f = item.list().and_then(<[Node]>::first).and_then(Node::name);
            matches!(f, Some("r" | "w" | "append"))
        })
    })
}

fn build_registers(txns: Vec<Txn>) -> Result<History, hobgoblin_core::HistoryError> {
    let mut builder = HistoryBuilder::new();
    for txn in txns {
        let session = builder.session(&txn.session);
        builder.begin(session);
        for op in txn.ops {
            let (kind, key, value) = match op {
                Op::Read(key, Got::Value(value)) => (Kind::Read, key, value),
                Op::Read(key, Got::List(items)) => (Kind::Read, key, append::whole(&items)),
                Op::Write(key, value) | Op::Append(key, value) => (Kind::Write, key, value),
            };
            let key = builder.key(&key);
            builder.event(kind, key, &value);
        }
        let Txn { status, begin, end, line, .. } = txn;
        builder.end(TxnInfo { status, begin, end, line, ..TxnInfo::default() })?;
    }
    builder.finish()
}
