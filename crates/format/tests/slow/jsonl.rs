//! The native format: a transaction a line, as JSON.

use hobgoblin_format::Format;
use serde_json::{Map, Value, json};

use crate::notation::{integer, meaning};
use crate::plain::{Plain, PlainEvent, PlainTxn, int, text};
use crate::random::Random;
use crate::{compare_corpus, compare_random};

/// The name of a key or session.
fn name(json: &Value) -> String {
    json.as_str().map_or_else(|| int(integer(json).expect("or an integer")), text)
}

/// The id of a transaction.
fn id(json: &Value) -> String {
    json.as_str().map_or_else(|| integer(json).expect("or an integer").to_string(), str::to_owned)
}

/// The pairs of an object, whose names that look like integers are, or of a list of pairs.
fn pairs(json: &Value) -> Vec<(String, Value)> {
    match json {
        Value::Object(members) => {
            let key = |name: &String| match name.parse::<i64>() {
                Ok(n) if n.to_string() == *name => int(n),
                _ => text(name),
            };
            members.iter().map(|(name, value)| (key(name), value.clone())).collect()
        }
        list => {
            let pairs = list.as_array().expect("a list of pairs").iter();
            pairs.map(|pair| (name(&pair[0]), pair[1].clone())).collect()
        }
    }
}

pub(crate) fn read(bytes: &[u8]) -> Plain {
    let file = std::str::from_utf8(bytes).expect("the file is text");
    let lines = file.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty());
    let lines: Vec<Value> = lines.map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let txns: Vec<&Value> = lines.iter().filter(|line| line.get("session").is_some()).collect();
    // The number of the transaction of an id; init is 0.
    let find = |name: &str| match name {
        "init" => 0,
        _ => {
            let is = |txn: &&Value| txn.get("id").is_some_and(|given| id(given) == name);
            txns.iter().position(is).expect("somebody is called that") + 1
        }
    };
    let mut plain = Plain::default();
    if let Some(header) = lines.first().filter(|line| line.get("hobgoblin").is_some()) {
        for (key, value) in header.get("initial").map(pairs).unwrap_or_default() {
            plain.initial.insert(key, meaning(&value));
        }
        for (key, ids) in header.get("order").map(pairs).unwrap_or_default() {
            let ids = ids.as_array().expect("a list of ids").iter().map(|given| find(&id(given)));
            plain.initial.entry(key.clone()).or_insert_with(|| "null".to_owned());
            plain.order.insert(key, ids.filter(|&txn| txn != 0).collect());
        }
    }
    for line in &lines {
        for (name, table) in line.get("tables").and_then(Value::as_object).into_iter().flatten() {
            plain.tables.insert(name.clone(), (texts(&table["columns"]), texts(&table["key"])));
        }
        for (name, index) in line.get("indexes").and_then(Value::as_object).into_iter().flatten() {
            let known = (id(&index["table"]), texts(&index["columns"]), index["unique"] == true);
            plain.indexes.insert(name.clone(), known);
        }
    }
    for txn in &txns {
        let text_of = |member: &str| txn.get(member).and_then(Value::as_str).map(str::to_owned);
        let time = |member: &str| txn.get(member).and_then(integer);
        let statements = txn.get("statements").and_then(Value::as_array);
        let statements = statements.map_or(Vec::new(), |all| all.iter().map(id).collect());
        let status = text_of("status").unwrap_or_else(|| "committed".to_owned());
        plain.txns.push(PlainTxn {
            name: txn.get("id").map(id),
            level: text_of("level"),
            begin: time("begin"),
            end: time("end"),
            statements,
            events: txn["ops"].as_array().expect("ops").iter().map(|op| event(op, &find)).collect(),
            ..PlainTxn::new(name(&txn["session"]), &status)
        });
    }
    plain.complete("null")
}

/// The strings of a list; none where there is no list.
fn texts(json: &Value) -> Vec<String> {
    json.as_array().map_or(Vec::new(), |all| all.iter().map(id).collect())
}

fn event(op: &Value, find: &dyn Fn(&str) -> usize) -> PlainEvent {
    let (f, key, value, from) = match op {
        Value::Array(parts) => (&parts[0], &parts[1], &parts[2], parts.get(3)),
        op => (&op["f"], &op["key"], &op["value"], op.get("from")),
    };
    let writer = |from: &Value| match from.get("number") {
        Some(number) => integer(number).expect("a number") as usize,
        None => find(&id(from)),
    };
    let statement = op.get("stmt").and_then(integer).map(|n| n as u32);
    PlainEvent {
        writer: from.map(writer),
        lock: op.get("lock") == Some(&Value::Bool(true)),
        statement,
        at: op.get("at").and_then(integer),
        ..PlainEvent::new(f == "w", name(key), meaning(value))
    }
}

/// Values in odd notations.
pub(crate) const VALUES: [&str; 18] = [
    "0",
    "-0",
    "1",
    "1.0",
    "1e0",
    "-7",
    "2.50",
    "25e-1",
    "1E+30",
    "18446744073709551616",
    "null",
    "true",
    "\"1\"",
    "\"a\\u00e9\\n\\\"\"",
    "[1,[1.0,{}]]",
    "{\"b\":1,\"a\":-0}",
    "\"\"",
    "0.0e7",
];

/// Keys and sessions, as JSON.
const NAMES: [&str; 8] = ["0", "1", "1.0", "\"x\"", "\"1\"", "\"a key\"", "\"\\u00e9\"", "-5"];

/// An object of members in random order with random blanks; without those that are missing.
fn object(random: &mut Random, mut members: Vec<(&str, Option<String>)>) -> String {
    for at in (1..members.len()).rev() {
        members.swap(at, random.below(at + 1));
    }
    let members = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let mut written = Vec::new();
    for (name, value) in members {
        let (a, b) = (random.blank(), random.blank());
        written.push(format!("{a}\"{name}\"{b}:{a}{value}{b}"));
    }
    format!("{{{}}}", written.join(","))
}

/// The members that describe tables and indexes.
fn schema(random: &mut Random) -> Vec<(&'static str, Option<String>)> {
    let tables = random.pick(&[
        "{}",
        "{\"t\": {\"columns\": [\"a\", \"\", \"\\u00e9\"], \"key\": [\"a\"]}, \"7\": {\"columns\":[]}}",
        "{\"t\" : { \"key\" : [ ] , \"columns\" : [ \"b\" ] } }",
    ]);
    let indexes = random.pick(&[
        "{}",
        "{\"i\": {\"table\": \"t\", \"columns\": [\"lower(a)\"], \"unique\": true}}",
        "{\"i\": {\"unique\": false, \"columns\": [], \"table\": \"t\"}, \"j k\": {\"table\": \"7\"}}",
    ]);
    let (a, b) = (random.one_in(2), random.one_in(2));
    vec![("tables", a.then(|| tables.to_owned())), ("indexes", b.then(|| indexes.to_owned()))]
}

fn generate(random: &mut Random) -> Vec<u8> {
    let count = random.below(7);
    let named: Vec<bool> = (0..count).map(|_| !random.one_in(4)).collect();
    let mut file = String::new();
    let mut writers: Map<String, Value> = Map::new();
    let mut lines = Vec::new();
    for at in 0..count {
        let status = random.pick(&["committed", "committed", "aborted", "unknown"]);
        let statements = random.below(3);
        let mut ops = Vec::new();
        for _ in 0..random.below(5) {
            let (write, key) = (random.one_in(2), random.pick(&NAMES));
            let value = random.pick(&VALUES);
            let f = if write { "\"w\"" } else { "\"r\"" };
            let from = (!write && random.one_in(4)).then(|| match random.below(count + 1) {
                0 => "\"init\"".to_owned(),
                n if named[n - 1] => format!("\"t{n}\""),
                n => format!("{{\"number\": {n}}}"),
            });
            if write && named[at] && status == "committed" && key == "\"x\"" {
                writers.insert(format!("t{}", at + 1), Value::Null);
            }
            let a = random.blank();
            ops.push(if random.one_in(3) {
                let lock = (!write && random.one_in(2))
                    .then(|| random.pick(&["true", "false"]).to_owned());
                let stmt = (statements > 0).then(|| random.below(statements).to_string());
                let at =
                    random.one_in(2).then(|| random.pick(&["0", "-7", "17", "1.0"]).to_owned());
                let members = vec![
                    ("f", Some(f.to_owned())),
                    ("key", Some(key.to_owned())),
                    ("value", Some(value.to_owned())),
                    ("from", from),
                    ("lock", lock),
                    ("stmt", stmt),
                    ("at", at),
                ];
                object(random, members)
            } else {
                let from = from.map_or(String::new(), |from| format!(",{a}{from}"));
                format!("[{a}{f},{a}{key}{a},{value}{from}{a}]")
            });
        }
        let begin = random.below(1000) as i64 - 500;
        let members = vec![
            ("session", Some(random.pick(&NAMES).to_owned())),
            ("id", named[at].then(|| format!("\"t{}\"", at + 1))),
            ("ops", Some(format!("[{}]", ops.join(random.pick(&[",", " , "]))))),
            ("status", (status != "committed" || random.one_in(2)).then(|| format!("{status:?}"))),
            ("level", random.one_in(3).then(|| format!("{:?}", random.pick(&["SI", "RC", "SER"])))),
            ("begin", random.one_in(2).then(|| begin.to_string())),
            ("end", random.one_in(2).then(|| (begin + random.below(9) as i64).to_string())),
            (
                "statements",
                (statements > 0).then(|| json!(vec!["SELECT \"é\""; statements]).to_string()),
            ),
            ("meta", random.one_in(4).then(|| "{\"any\": [1, {}]}".to_owned())),
        ];
        lines.push(object(random, members));
    }
    if random.one_in(2) {
        let initial = random.pick(&[
            "{\"x\": 0.0, \"1\": [1.0], \"é\": null}",
            "[[\"1\", 3], [1.0, \"a\"], [\"unused\", -0]]",
        ]);
        let ids: Vec<&String> = writers.keys().collect();
        let order = (!ids.is_empty()).then(|| json!({ "x": ids }).to_string());
        let initial = random.one_in(2).then(|| initial.to_owned());
        let members =
            vec![("hobgoblin", Some("1".to_owned())), ("initial", initial), ("order", order)];
        let members = members.into_iter().chain(schema(random)).collect();
        lines.insert(0, object(random, members));
    }
    // What is known of tables may also come later, and last.
    if random.one_in(3) {
        let members = schema(random);
        if members.iter().any(|(_, value)| value.is_some()) {
            let line = object(random, members);
            lines.push(line);
        }
    }
    for line in lines {
        file += &format!("{line}{}", random.line_end());
    }
    if random.one_in(9) { format!("\u{feff}{file}").into_bytes() } else { file.into_bytes() }
}

#[test]
fn random_files() {
    compare_random(Format::Jsonl, generate, read);
}

#[test]
fn corpus_files() {
    compare_corpus("formats", ".jsonl", Format::Jsonl, read);
    let labelled =
        std::fs::read_to_string(crate::corpus("random/labelled.jsonl")).expect("it is there");
    for line in labelled.lines().step_by(10) {
        let json: Value = serde_json::from_str(line).expect("a line is JSON");
        let txns = json["history"].as_array().expect("a history is a list").iter();
        let file: Vec<String> = txns.map(Value::to_string).collect();
        crate::compare("labelled", file.join("\n").as_bytes(), Format::Jsonl, read);
    }
}
