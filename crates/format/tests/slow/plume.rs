//! Plume's and PolySI's text: `r(key,value,session,txn)`, one event a line.

use std::collections::BTreeMap;

use hobgoblin_format::Format;

use crate::notation::meaning_of;
use crate::plain::{Plain, PlainEvent, PlainTxn, int, text};
use crate::random::Random;
use crate::{compare_corpus, compare_random};

fn read(bytes: &[u8]) -> Plain {
    let file = std::str::from_utf8(bytes).expect("the file is text");
    let mut plain = Plain::default();
    let mut by_number: BTreeMap<&str, usize> = BTreeMap::new();
    let mut before = ("", "");
    for line in file.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let inner = line[1..].trim_start_matches('(').trim_end_matches(')');
        let fields: Vec<&str> = inner.split(',').collect();
        let [key, value, session, txn] = fields[..] else { panic!("four fields: {line}") };
        let same_as_before = before == (session, txn);
        before = (session, txn);
        let at = match by_number.get(txn) {
            Some(&at) => at,
            None if txn == "-1" && same_as_before => plain.txns.len() - 1,
            None => {
                let status = if txn == "-1" { "aborted" } else { "committed" };
                let session = int(session.parse().expect("sessions are integers"));
                let name = (txn != "-1").then(|| txn.to_owned());
                plain.txns.push(PlainTxn { name, ..PlainTxn::new(session, status) });
                if txn != "-1" {
                    by_number.insert(txn, plain.txns.len() - 1);
                }
                plain.txns.len() - 1
            }
        };
        let key = key.parse().map_or_else(|_| text(key), int);
        let event = PlainEvent::new(line.starts_with('w'), key, meaning_of(value));
        plain.txns[at].events.push(event);
    }
    plain.complete("0").recognise_initial()
}

/// A line of an event.
fn line(random: &mut Random, write: bool, key: u64, value: u64, place: (usize, i64)) -> String {
    let (before, after) = (random.blank(), random.line_end());
    let kind = if write { "w" } else { "r" };
    format!("{before}{kind}({key},{value},{},{}){after}", place.0, place.1)
}

fn generate(random: &mut Random) -> Vec<u8> {
    let (sessions, keys) = (1 + random.below(4), 1 + random.below(4));
    let mut next = random.below(3) as i64;
    let mut open: Vec<(usize, i64)> = Vec::new();
    let mut lines = Vec::new();
    for _ in 0..random.below(25) {
        // Continue a transaction, begin one, or do what an aborted one did.
        let place = match random.below(5) {
            0 if !open.is_empty() => open[random.below(open.len())],
            1 => (random.below(sessions), -1),
            2 if !open.is_empty() => *open.last().expect("it is not empty"),
            _ => {
                next += 1 + random.below(3) as i64;
                // Numbers need not go up.
                let number = if random.one_in(4) { 1000 - next } else { next };
                open.push((random.below(sessions), number));
                *open.last().expect("it was just pushed")
            }
        };
        let (write, key, value) = (random.one_in(2), random.natural(keys), random.natural(4));
        lines.push(line(random, write, key, value, place));
    }
    if random.one_in(3) {
        // An initial transaction, first or last, in a session of its own or not.
        let place = (if random.one_in(3) { 0 } else { 7 }, 5000);
        let all: Vec<u64> = used_keys(&lines);
        let zeros: Vec<String> = all.iter().map(|&k| line(random, true, k, 0, place)).collect();
        let at = if random.one_in(2) { 0 } else { lines.len() };
        lines.splice(at..at, zeros);
    }
    lines.concat().into_bytes()
}

fn used_keys(lines: &[String]) -> Vec<u64> {
    let key = |line: &String| line.trim()[2..].split(',').next().and_then(|k| k.parse().ok());
    let mut keys: Vec<u64> = lines.iter().filter_map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[test]
fn random_files() {
    compare_random(Format::Plume, generate, read);
}

#[test]
fn initial_transactions_are_among_the_random_files() {
    let initial = (0..300).filter(|&seed| {
        let bytes = generate(&mut Random::new(seed));
        !read(&bytes).initial_txns.is_empty()
    });
    assert!(initial.count() > 20);
}

#[test]
fn corpus_files() {
    compare_corpus("formats", ".plume", Format::Plume, read);
}
