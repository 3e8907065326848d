//! DBCop's three formats.

use std::collections::BTreeMap;

use hobgoblin_format::Format;
use serde_json::{Value, json};

use crate::notation::{integer, meaning, meaning_of};
use crate::plain::{Plain, PlainEvent, PlainTxn, int, natural, text};
use crate::random::Random;
use crate::{compare_corpus, compare_random};

/// The next 8 bytes.
fn number(bytes: &mut &[u8]) -> u64 {
    let (number, rest) = bytes.split_at(8);
    *bytes = rest;
    u64::from_le_bytes(number.try_into().expect("they are eight"))
}

fn flag(bytes: &mut &[u8]) -> bool {
    let (flag, rest) = bytes.split_at(1);
    *bytes = rest;
    flag[0] == 1
}

fn read_bincode(mut bytes: &[u8]) -> Plain {
    let bytes = &mut bytes;
    for _ in 0..5 {
        number(bytes);
    }
    for _ in 0..3 {
        let length = number(bytes) as usize;
        *bytes = &bytes[length..];
    }
    let mut plain = Plain::default();
    for session in 0..number(bytes) {
        for _ in 0..number(bytes) {
            let mut txn = PlainTxn::new(int(session as i64), "aborted");
            for _ in 0..number(bytes) {
                let write = flag(bytes);
                let (key, value) = (number(bytes), number(bytes));
                if flag(bytes) {
                    let value = meaning_of(&value.to_string());
                    txn.events.push(PlainEvent::new(write, natural(key), value));
                }
            }
            if flag(bytes) {
                txn.status = "committed".to_owned();
            }
            plain.txns.push(txn);
        }
    }
    plain.complete("0").recognise_initial()
}

/// Events of a newer file: a version of none was read where there was nothing.
type Draft = Vec<(i64, bool, Vec<(bool, String, Option<String>)>)>;

/// The history of sessions, statuses and events.
fn newer(draft: Draft) -> Plain {
    let mut plain = Plain::default();
    let events = || draft.iter().flat_map(|(_, _, events)| events);
    let zero = |write: bool, key: &str| {
        events().any(|(w, k, v)| *w == write && k == key && v.as_deref() == Some("0"))
    };
    let mut found_nothing = false;
    for (_, key, version) in events() {
        let initial = if zero(false, key) && !zero(true, key) { "0" } else { "null" };
        plain.initial.insert(key.clone(), initial.to_owned());
        found_nothing |= version.is_none();
    }
    for (session, committed, events) in &draft {
        let status = if *committed { "committed" } else { "aborted" };
        let mut txn = PlainTxn::new(int(*session), status);
        for (write, key, version) in events {
            let value = version.clone().unwrap_or_else(|| plain.initial[key].clone());
            txn.events.push(PlainEvent::new(*write, key.clone(), value));
        }
        plain.txns.push(txn);
    }
    let plain = plain.complete("null");
    if found_nothing { plain } else { plain.recognise_initial() }
}

fn read_json(bytes: &[u8]) -> Plain {
    let file: Value = serde_json::from_slice(bytes).expect("the file is JSON");
    let sessions = file.get("data").unwrap_or(&file).as_array().expect("a list of sessions");
    let mut draft = Vec::new();
    for (session, txns) in sessions.iter().enumerate() {
        for txn in txns.as_array().expect("a list of transactions") {
            let event = |event: &Value| {
                let (kind, variable, version) = match event.as_array() {
                    Some(parts) => (parts[0].as_str(), &parts[1], &parts[2]),
                    None => {
                        let (kind, of) = event.as_object().unwrap().iter().next().unwrap();
                        (Some(kind.as_str()), &of["variable"], &of["version"])
                    }
                };
                let write = matches!(kind, Some("w" | "Write"));
                let key = match (variable.as_str(), integer(variable)) {
                    (Some(name), _) => text(name),
                    (None, Some(n)) => int(n),
                    _ => text(&variable.to_string()),
                };
                (write, key, (!version.is_null()).then(|| meaning(version)))
            };
            let events = txn["events"].as_array().expect("events").iter().map(event).collect();
            draft.push((session as i64, txn["committed"] == true, events));
        }
    }
    newer(draft)
}

fn read_hist(bytes: &[u8]) -> Plain {
    let file = std::str::from_utf8(bytes).expect("the file is text");
    let (mut session, mut draft) = (0, Vec::new());
    for line in file.lines().map(str::trim) {
        if !line.is_empty() && line.chars().all(|c| c == '-') {
            session += 1;
            continue;
        }
        let line = line.split("//").next().unwrap_or_default();
        for txn in line.split('[').skip(1) {
            let (events, after) = txn.split_once(']').expect("it is closed");
            let event = |event: &str| {
                let sign = if event.contains(":=") { ":=" } else { "==" };
                let (name, version) = event.split_once(sign).expect("an event has a sign");
                let plain_number = name.parse().ok().filter(|n: &i64| n.to_string() == name);
                let key = plain_number.map_or_else(|| text(name), int);
                (sign == ":=", key, (version != "?").then(|| meaning_of(version)))
            };
            let events = events.split_whitespace().map(event).collect();
            draft.push((session, !after.starts_with('!'), events));
        }
    }
    newer(draft)
}

/// Sessions of transactions of (write, key, version).
type Sessions = Vec<Vec<(bool, Vec<(bool, usize, Option<u64>)>)>>;

/// Random sessions, sometimes with an initial transaction; `nothing` says whether reads may find nothing.
fn sessions(random: &mut Random, nothing: bool) -> Sessions {
    let keys = 1 + random.below(4);
    let mut sessions: Sessions = Vec::new();
    for _ in 0..random.below(4) {
        let mut txns = Vec::new();
        for _ in 0..random.below(4) {
            let mut events = Vec::new();
            for _ in 0..random.below(5) {
                let write = random.one_in(2);
                let found_nothing = nothing && !write && random.one_in(6);
                let version = (!found_nothing).then(|| random.natural(4));
                events.push((write, random.below(keys), version));
            }
            txns.push((!random.one_in(5), events));
        }
        sessions.push(txns);
    }
    if random.one_in(3) {
        let mut used: Vec<usize> =
            sessions.iter().flatten().flat_map(|(_, e)| e).map(|&(_, key, _)| key).collect();
        used.sort_unstable();
        used.dedup();
        let initial = (true, used.into_iter().map(|key| (true, key, Some(0))).collect());
        match random.below(3) {
            0 => sessions.push(vec![initial]),
            1 => sessions.insert(0, vec![initial]),
            _ if sessions.is_empty() => {}
            _ => sessions[0].insert(0, initial),
        }
    }
    sessions
}

fn generate_bincode(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    let put = |bytes: &mut Vec<u8>, n: u64| bytes.extend_from_slice(&n.to_le_bytes());
    for n in [1, 2, 3, 4, random.below(9) as u64] {
        put(&mut bytes, n);
    }
    for text in ["", "2024-01-01T00:00:00Z", random.pick(&["now", "später"])] {
        put(&mut bytes, text.len() as u64);
        bytes.extend_from_slice(text.as_bytes());
    }
    let sessions = sessions(random, false);
    let large = random.one_in(5);
    put(&mut bytes, sessions.len() as u64);
    for txns in sessions {
        put(&mut bytes, txns.len() as u64);
        for (success, events) in txns {
            put(&mut bytes, events.len() as u64);
            for (write, key, value) in events {
                let key = if large { u64::MAX - key as u64 } else { key as u64 };
                bytes.push(u8::from(write));
                put(&mut bytes, key);
                put(&mut bytes, value.unwrap_or(0));
                bytes.push(u8::from(!random.one_in(9)));
            }
            bytes.push(u8::from(success));
        }
    }
    bytes
}

const NAMES: [&str; 4] = ["x", "über_1", "7", "007"];

fn generate_hist(random: &mut Random) -> Vec<u8> {
    let mut file = String::new();
    for (at, txns) in sessions(random, true).into_iter().enumerate() {
        if at > 0 {
            file += &format!("{}{}{}", random.blank(), "-".repeat(1 + random.below(4)), "\n");
        }
        for (committed, events) in txns {
            let event = |&(write, key, version): &(bool, usize, Option<u64>)| {
                let version = version.map_or("?".to_owned(), |v| v.to_string());
                format!("{}{}{version}", NAMES[key], if write { ":=" } else { "==" })
            };
            let events: Vec<String> = events.iter().map(event).collect();
            let (a, b) = (random.blank(), random.blank());
            let mark = if committed { "" } else { "!" };
            file += &format!("{a}[{b}{}{b}]{mark}", events.join(random.pick(&[" ", "  ", "\t"])));
            file += random.pick(&["\n", " ", "", "\r\n", " // [x:=9]\n", "\n// ---\n\n"]);
        }
        file += "\n";
    }
    file.into_bytes()
}

fn generate_json(random: &mut Random) -> Vec<u8> {
    let keys = [json!(0), json!("x"), json!("0"), json!(7)];
    let mut data = Vec::new();
    for txns in sessions(random, true) {
        let mut session = Vec::new();
        for (committed, events) in txns {
            let mut written = Vec::new();
            for (write, key, version) in events {
                let (key, short) = (&keys[key], random.one_in(2));
                written.push(match (short, write) {
                    (true, true) => json!(["w", key, version]),
                    (true, false) => json!(["r", key, version]),
                    (false, true) => json!({"Write": {"variable": key, "version": version}}),
                    (false, false) if version.is_none() && random.one_in(2) => {
                        json!({"Read": {"variable": key}})
                    }
                    (false, false) => json!({"Read": {"version": version, "variable": key}}),
                });
            }
            session.push(json!({"events": written, "committed": committed}));
        }
        data.push(Value::Array(session));
    }
    let whole = match random.below(3) {
        0 => json!(data),
        1 => json!({ "data": data }),
        _ => json!({"params": {"id": 1, "n_node": 2}, "info": "[", "start": "", "data": data}),
    };
    let text = match random.one_in(2) {
        true => serde_json::to_string_pretty(&whole),
        false => serde_json::to_string(&whole),
    };
    // A number is one number however it is written.
    let text = text.expect("it is JSON").replace("\"version\":3", "\"version\":3.0");
    text.into_bytes()
}

#[test]
fn random_bincodes() {
    compare_random(Format::DbcopBincode, generate_bincode, read_bincode);
}

#[test]
fn random_hists() {
    compare_random(Format::DbcopHist, generate_hist, read_hist);
}

#[test]
fn random_jsons() {
    compare_random(Format::DbcopJson, generate_json, read_json);
}

#[test]
fn initial_transactions_are_among_the_random_files() {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..300 {
        let found = |plain: Plain| usize::from(!plain.initial_txns.is_empty());
        let bytes = |generate: fn(&mut Random) -> Vec<u8>| generate(&mut Random::new(seed));
        *count.entry("bincode").or_default() += found(read_bincode(&bytes(generate_bincode)));
        *count.entry("hist").or_default() += found(read_hist(&bytes(generate_hist)));
        *count.entry("json").or_default() += found(read_json(&bytes(generate_json)));
    }
    assert!(count.values().all(|&count| count > 20), "{count:?}");
}

#[test]
fn corpus_files() {
    compare_corpus("formats", ".bincode", Format::DbcopBincode, read_bincode);
    compare_corpus("formats", ".hist", Format::DbcopHist, read_hist);
    compare_corpus("formats", "-dbcop.json", Format::DbcopJson, read_json);
}
