//! Jepsen's and Elle's operations, as EDN and as JSON: registers and lists.

use std::collections::{BTreeMap, BTreeSet};

use hobgoblin_format::Format;
use serde_json::{Value, json};

use crate::notation::{integer, meaning};
use crate::plain::{Plain, PlainEvent, PlainTxn, int, text};
use crate::random::Random;
use crate::{compare_corpus, compare_random};

/// The forms of an EDN file as JSON: keywords, symbols and characters are strings, all brackets but maps lists.
struct Edn<'a>(&'a str);

impl Edn<'_> {
    fn forms(&mut self, close: Option<char>) -> Vec<Value> {
        let (mut forms, mut discard) = (Vec::new(), 0);
        loop {
            self.0 = self.0.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            let Some(c) = self.0.chars().next() else { return forms };
            if Some(c) == close {
                self.0 = &self.0[1..];
                return forms;
            }
            let form = match c {
                ';' => {
                    self.0 = self.0.trim_start_matches(|c| c != '\n');
                    continue;
                }
                '#' if self.0.starts_with("#_") => {
                    self.0 = &self.0[2..];
                    discard += 1;
                    continue;
                }
                '^' => {
                    self.0 = &self.0[1..];
                    discard += 1;
                    continue;
                }
                '#' if self.0.starts_with("#{") => {
                    self.0 = &self.0[2..];
                    Value::Array(self.forms(Some('}')))
                }
                '#' => {
                    // A tag; its form follows.
                    self.token();
                    continue;
                }
                '[' | '(' => {
                    self.0 = &self.0[1..];
                    Value::Array(self.forms(Some(if c == '[' { ']' } else { ')' })))
                }
                '{' => {
                    self.0 = &self.0[1..];
                    let forms = self.forms(Some('}'));
                    let pair =
                        |pair: &[Value]| (pair[0].as_str().unwrap().to_owned(), pair[1].clone());
                    Value::Object(forms.chunks(2).map(pair).collect())
                }
                '"' => {
                    let mut values = serde_json::Deserializer::from_str(self.0).into_iter();
                    let string: Value = values.next().expect("a string").expect("as in JSON");
                    self.0 = &self.0[values.byte_offset()..];
                    string
                }
                _ => atom(self.token()),
            };
            match discard {
                0 => forms.push(form),
                _ => discard -= 1,
            }
        }
    }

    fn token(&mut self) -> &str {
        let ends = |c: char| c.is_whitespace() || "[](){}\",;".contains(c);
        let end = self.0[1..].find(ends).map_or(self.0.len(), |at| at + 1);
        let (token, rest) = self.0.split_at(end);
        self.0 = rest;
        token
    }
}

fn atom(token: &str) -> Value {
    match token {
        "nil" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => {
            let plain = token.trim_end_matches(['N', 'M']).trim_start_matches('+');
            let number =
                token.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
            match serde_json::from_str(plain) {
                Ok(value) if number => value,
                _ => Value::String(token.trim_start_matches([':', '\\']).to_owned()),
            }
        }
    }
}

/// A key or a process.
fn name(json: &Value) -> String {
    match (json.as_str(), integer(json)) {
        (Some(name), _) => text(name),
        (None, Some(n)) => int(n),
        _ => panic!("no key of a test: {json}"),
    }
}

struct Txn {
    plain: PlainTxn,
    ops: Vec<Value>,
}

/// The transactions of operations, invocations and completions, process by process; and all that these said, but for
/// what is said of a transaction whose end is unknown after it was asked for.
fn pair(operations: &[Value]) -> (Vec<Txn>, Vec<Value>) {
    let (mut txns, mut said): (Vec<Txn>, Vec<Value>) = Default::default();
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    for operation in operations {
        let process = operation.get("process").filter(|p| !p.is_null());
        let transaction = |value: &Value| {
            let is_op =
                |op: &Value| op[0].as_str().is_some_and(|f| ["r", "w", "append"].contains(&f));
            value.as_array().is_some_and(|ops| ops.iter().all(is_op))
        };
        // A process with a name is one that does transactions if it asked for one, or got an answer to one.
        let does = operation.get("value").is_some_and(transaction)
            || process.is_some_and(|p| open.contains_key(&name(p)));
        if process.is_some_and(|p| p == "nemesis" || (p.is_string() && !does)) {
            continue;
        }
        let process = process.map(name);
        let kind = operation["type"].as_str().expect("a type");
        let time = operation.get("time").and_then(integer);
        let given = operation.get("value").and_then(Value::as_array).cloned().unwrap_or_default();
        let writes = || given.iter().filter(|op| op[0] != "r").cloned().collect::<Vec<Value>>();
        let who = process.clone().unwrap_or_default();
        let invoked = if kind == "invoke" { None } else { open.remove(&who) };
        if invoked.is_none() || kind != "info" {
            said.extend(given.iter().cloned());
        }
        let at = invoked.unwrap_or_else(|| {
            let session = process.unwrap_or_else(|| text(&format!("op{}", txns.len() + 1)));
            let begin = time.filter(|_| kind == "invoke");
            let plain = PlainTxn { begin, ..PlainTxn::new(session, "unknown") };
            txns.push(Txn { plain, ops: writes() });
            txns.len() - 1
        });
        let txn = &mut txns[at];
        match kind {
            "invoke" => {
                open.insert(who, at);
            }
            "ok" => (txn.plain.status, txn.ops, txn.plain.end) = ("committed".into(), given, time),
            "fail" => {
                (txn.plain.status, txn.plain.end) = ("aborted".into(), time);
                if operation.get("value").is_some_and(Value::is_array) {
                    txn.ops = given;
                    txn.ops.retain(|op| op[0] != "r" || op.get(2).is_some_and(|v| !v.is_null()));
                }
            }
            _ => {}
        }
    }
    (txns, said)
}

fn read(operations: &[Value]) -> Plain {
    let (txns, said) = pair(operations);
    let lists = said.iter().any(|op| op[0] == "r" && op.get(2).is_some_and(Value::is_array));
    let registers = said.iter().any(|op| op[0] == "w");
    let append = said.iter().any(|op| op[0] == "append");
    if append || (lists && !registers) { read_lists(txns) } else { read_registers(txns) }
}

fn read_registers(txns: Vec<Txn>) -> Plain {
    let mut plain = Plain::default();
    for Txn { plain: mut txn, ops } in txns {
        for op in ops {
            let value = op.get(2).map_or("null".to_owned(), meaning);
            txn.events.push(PlainEvent::new(op[0] == "w", name(&op[1]), value));
        }
        plain.txns.push(txn);
    }
    plain.complete("null")
}

/// A list that was read, or appended to by one's own.
fn elements(op: &Value) -> Vec<String> {
    match op.get(2) {
        Some(Value::Array(list)) => list.iter().map(meaning).collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(one) => vec![meaning(one)],
    }
}

/// What is known of the appends to a key: element, transaction, whether it aborted.
struct Appends(Vec<(String, usize, bool)>);

impl Appends {
    fn of(txns: &[Txn], key: &str) -> Appends {
        let mut all = Vec::new();
        for (at, txn) in txns.iter().enumerate() {
            for op in txn.ops.iter().filter(|op| op[0] == "append" && name(&op[1]) == key) {
                all.push((meaning(&op[2]), at, txn.plain.status == "aborted"));
            }
        }
        Appends(all)
    }

    fn live(&self) -> impl Iterator<Item = (&String, usize)> {
        self.0.iter().filter(|(_, _, aborted)| !aborted).map(|(element, at, _)| (element, *at))
    }

    fn who(&self, element: &str) -> Option<usize> {
        self.live().find(|(e, _)| *e == element).map(|(_, at)| at)
    }

    fn only_aborted(&self, element: &str) -> bool {
        self.0.iter().any(|(e, _, aborted)| *aborted && e == element) && self.who(element).is_none()
    }

    fn repeated(&self) -> bool {
        let elements: BTreeSet<&String> = self.live().map(|(element, _)| element).collect();
        elements.len() < self.live().count()
    }

    fn by(&self, txn: usize) -> Vec<&String> {
        self.live().filter(|(_, at)| *at == txn).map(|(element, _)| element).collect()
    }

    /// Whether a list is the appends of transactions other than the reader, one after the other, the last
    /// perhaps not whole.
    fn makes_sense(&self, list: &[String], reader: usize) -> bool {
        let (mut at, mut done) = (0, BTreeSet::new());
        while at < list.len() {
            let Some(txn) = self.who(&list[at]).filter(|&t| t != reader && done.insert(t)) else {
                return false;
            };
            let own = self.by(txn);
            let left = &list[at..list.len().min(at + own.len())];
            if !left.iter().eq(own.iter().take(left.len()).copied()) {
                return false;
            }
            at += left.len();
        }
        true
    }
}

/// A list that was read.
struct List {
    key: String,
    reader: usize,
    /// The list without the reader's own appends; nothing if it does not end in them.
    base: Option<Vec<String>>,
    /// What the reader had appended before.
    own: Vec<String>,
}

fn read_lists(mut txns: Vec<Txn>) -> Plain {
    let keys: BTreeSet<String> = txns.iter().flat_map(|t| &t.ops).map(|op| name(&op[1])).collect();
    let mut lists: Vec<List> = Vec::new();
    for (at, txn) in txns.iter().enumerate() {
        for (place, op) in txn.ops.iter().enumerate().filter(|(_, op)| op[0] == "r") {
            let key = name(&op[1]);
            let own = |op: &&Value| op[0] == "append" && name(&op[1]) == key;
            let own: Vec<String> =
                txn.ops[..place].iter().filter(own).map(|op| meaning(&op[2])).collect();
            let list = elements(op);
            let base = list.strip_suffix(&own[..]).map(<[String]>::to_vec);
            lists.push(List { key, reader: at, base, own });
        }
    }
    // The longest list of a committed reader that makes sense is the order; the first of several.
    let mut plain = Plain::default();
    let mut orders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for key in &keys {
        let appends = Appends::of(&txns, key);
        let mut longest: Vec<String> = Vec::new();
        for List { reader, base, .. } in lists.iter().filter(|list| list.key == *key) {
            if let Some(base) = base
                && txns[*reader].plain.status == "committed"
                && base.len() > longest.len()
                && !appends.repeated()
                && appends.makes_sense(base, *reader)
            {
                longest.clone_from(base);
            }
        }
        orders.insert(key.clone(), longest);
    }
    for (key, order) in &orders {
        let appends = Appends::of(&txns, key);
        let writers: BTreeSet<usize> = order.iter().filter_map(|e| appends.who(e)).collect();
        for writer in writers {
            if txns[writer].plain.status == "unknown" {
                txns[writer].plain.status = "committed".to_owned();
            }
        }
    }
    for (key, order) in orders.iter().filter(|(_, order)| !order.is_empty()) {
        let appends = Appends::of(&txns, key);
        let last =
            |e: &&String| appends.by(appends.who(e).expect("it makes sense")).last() == Some(e);
        let writers = order.iter().filter(last).filter_map(|e| appends.who(e)).map(|at| at + 1);
        plain.order.insert(key.clone(), writers.collect());
    }
    let mut lists = lists.into_iter();
    for (at, Txn { plain: txn, ops }) in txns.iter().enumerate() {
        let mut events: Vec<PlainEvent> = Vec::new();
        // How many of the events of each key are reads of others; these come first among its events.
        for op in ops {
            let key = name(&op[1]);
            if op[0] == "append" {
                events.push(PlainEvent::new(true, key, meaning(&op[2])));
                continue;
            }
            let List { base, own, .. } = lists.next().expect("every read was looked at");
            if txn.status == "aborted" {
                continue;
            }
            let appends = Appends::of(&txns, &key);
            let Some(base) = base else {
                let whole = format!("[{}]", elements(op).join(","));
                let value = if elements(op).is_empty() { "null".to_owned() } else { whole };
                events.push(PlainEvent::new(false, key, value));
                continue;
            };
            let seen = version(&appends, &orders[&key], at, &base, &own);
            // The read of others, marked, then the own last.
            let external =
                PlainEvent { statement: Some(0), ..PlainEvent::new(false, key.clone(), seen) };
            events.push(external);
            if let Some(last) = own.last() {
                events.push(PlainEvent::new(false, key, last.clone()));
            }
        }
        plain.txns.push(PlainTxn {
            name: Some(format!("t{}", at + 1)),
            events: others_first(events),
            ..txn.clone()
        });
    }
    plain.complete("null")
}

/// The value of a version that a reader saw before its own appends.
fn version(
    appends: &Appends,
    order: &[String],
    reader: usize,
    base: &[String],
    own: &[String],
) -> String {
    let whole = || match base.is_empty() {
        true => "null".to_owned(),
        false => format!("[{}]", base.join(",")),
    };
    let last = || base.last().cloned().unwrap_or_else(|| "null".to_owned());
    if appends.repeated() {
        return last();
    }
    if let Some(element) = base.iter().rev().find(|e| appends.only_aborted(e)) {
        return element.clone();
    }
    match base.iter().rev().find(|e| appends.who(e) == Some(reader)) {
        Some(element) if !own.contains(element) => element.clone(),
        Some(_) => whole(),
        None if order.starts_with(base) => last(),
        None => whole(),
    }
}

/// Moves everything of a key that is not a marked read behind the last marked read of that key, by swapping
/// neighbours until nothing is left to do.
fn others_first(mut events: Vec<PlainEvent>) -> Vec<PlainEvent> {
    let marked = |event: &PlainEvent| event.statement == Some(0);
    loop {
        let misplaced = (0..events.len()).rev().find(|&at| {
            marked(&events[at])
                && events[..at].iter().any(|e| e.key == events[at].key && !marked(e))
        });
        let Some(at) = misplaced else { break };
        // Those before it that belong behind it, in their order.
        let key = events[at].key.clone();
        let (before, after) = events.split_at(at + 1);
        let stays = |e: &&PlainEvent| e.key != key || marked(e);
        let moved = before.iter().filter(|e| !stays(e));
        events = before.iter().filter(stays).chain(moved).chain(after).cloned().collect();
    }
    events.iter_mut().for_each(|event| event.statement = None);
    events
}

fn read_edn(bytes: &[u8]) -> Plain {
    let mut forms = Edn(std::str::from_utf8(bytes).expect("the file is text")).forms(None);
    if forms.len() == 1 && forms[0].is_array() {
        forms = forms[0].as_array().expect("a list").clone();
    }
    read(&forms)
}

fn read_json(bytes: &[u8]) -> Plain {
    let values = serde_json::Deserializer::from_slice(bytes).into_iter();
    let mut values: Vec<Value> = values.map(|value| value.expect("JSON")).collect();
    if values.len() == 1 && values[0].is_array() {
        values = values[0].as_array().expect("a list").clone();
    }
    read(&values)
}

/// Random operations of one of the two workloads.
fn operations(random: &mut Random) -> Vec<Value> {
    let lists = random.one_in(2);
    let keys = [json!("x"), json!(3), json!("y z")];
    let values = [json!(1), json!(2), json!(3), json!("a"), json!([1, {"b": 2}]), Value::Null];
    let (mut next, mut time) = (0, 0);
    let mut state: Vec<Vec<i64>> = vec![Vec::new(); keys.len()];
    let mut operations = Vec::new();
    let timed = random.one_in(2);
    for _ in 0..random.below(10) {
        let process = match random.below(12) {
            0 => Value::Null,
            1 => json!("worker"),
            n => json!(n % 4),
        };
        let kind = random.pick(&["ok", "ok", "ok", "fail", "info"]);
        let (mut asked, mut answered, mut own) = (Vec::new(), Vec::new(), state.clone());
        for _ in 0..random.below(6) {
            let at = random.below(keys.len());
            let key = &keys[at];
            if random.one_in(2) {
                if lists {
                    next += 1;
                    let element = if random.one_in(40) { 1 } else { next };
                    own[at].push(element);
                    asked.push(json!(["append", key, element]));
                } else {
                    asked.push(json!(["w", key, values[random.below(5)]]));
                }
                answered.push(asked.last().expect("it was just pushed").clone());
                continue;
            }
            asked.push(if random.one_in(3) { json!(["r", key]) } else { json!(["r", key, null]) });
            answered.push(if !lists {
                json!(["r", key, values[random.below(6)]])
            } else if own[at].is_empty() && random.one_in(2) {
                json!(["r", key, null])
            } else {
                let mut list = own[at].clone();
                match random.below(14) {
                    0 if !list.is_empty() => list.truncate(random.below(list.len())),
                    1 if list.len() > 1 => list.swap(0, 1),
                    2 => list.insert(random.below(list.len() + 1), 1 + random.below(20) as i64),
                    _ => {}
                }
                json!(["r", key, list])
            });
        }
        if kind != "fail" {
            state = own;
        }
        let mut push = |random: &mut Random, kind: &str, value: Value| {
            time += 1 + random.below(5) as i64;
            let mut operation =
                json!({"type": kind, "process": process, "f": "txn", "value": value});
            if timed {
                operation["time"] = json!(time);
            }
            if process.is_null() && random.one_in(2) {
                operation.as_object_mut().expect("a map").remove("process");
            }
            operations.push(operation);
        };
        if random.one_in(2) {
            push(random, "invoke", json!(asked));
        }
        let value = if kind != "ok" && random.one_in(3) { Value::Null } else { json!(answered) };
        push(random, kind, value);
        if random.one_in(9) {
            operations.push(json!({"type": "info", "process": "nemesis", "value": "start"}));
        }
    }
    operations
}

/// A form of a JSON value.
fn edn(random: &mut Random, json: &Value) -> String {
    match json {
        Value::Null => "nil".to_owned(),
        Value::String(text) if text.contains(' ') => format!("{text:?}"),
        Value::String(text) => match random.below(3) {
            0 => format!("{text:?}"),
            _ => format!(":{text}"),
        },
        Value::Number(n) if random.one_in(6) => format!("{n}N"),
        Value::Number(n) if random.one_in(9) => format!("{n}.0"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| edn(random, item)).collect();
            let (open, close) = if random.one_in(4) { ("(", ")") } else { ("[", "]") };
            format!("{open}{}{close}", items.join(random.pick(&[" ", ", ", " #_ skipped "])))
        }
        Value::Object(members) => {
            let mut text = random.pick(&["{", "{", "#jepsen.history.Op{"]).to_owned();
            for (name, value) in members {
                let value = edn(random, value);
                text += &format!(":{name} {value}{}", random.pick(&[" ", ", ", " ; so\n", "\n "]));
            }
            text + "}"
        }
        other => other.to_string(),
    }
}

fn generate_edn(random: &mut Random) -> Vec<u8> {
    let operations = operations(random);
    let forms: Vec<String> = operations.iter().map(|o| edn(random, o)).collect();
    let forms = forms.join(random.pick(&["\n", " ", "\n; a comment {\n"]));
    let one_list = operations.len() != 1 && random.one_in(3);
    if one_list { format!("[{forms}]").into_bytes() } else { forms.into_bytes() }
}

fn generate_json(random: &mut Random) -> Vec<u8> {
    let operations = operations(random);
    match random.below(3) {
        0 => serde_json::to_vec(&operations).expect("JSON"),
        1 => serde_json::to_vec_pretty(&operations).expect("JSON"),
        _ => operations.iter().map(|o| format!("{o}\n")).collect::<String>().into_bytes(),
    }
}

#[test]
fn random_edn_files() {
    compare_random(Format::ElleEdn, generate_edn, read_edn);
}

#[test]
fn random_json_files() {
    compare_random(Format::ElleJson, generate_json, read_json);
}

#[test]
fn corpus_files() {
    compare_corpus("formats", ".edn", Format::ElleEdn, read_edn);
    compare_corpus("formats", "-elle.json", Format::ElleJson, read_json);
}
