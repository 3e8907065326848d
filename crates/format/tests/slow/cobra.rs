//! Cobra's logs: a directory with a binary file a client.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hobgoblin_format::{Format, read_path};

use crate::notation::meaning_of;
use crate::plain::{Plain, PlainEvent, PlainTxn, int};
use crate::random::Random;

const INIT: i64 = 0xbebe_ebee;
const NULL: i64 = 0xdead_beef;
const COLLECTED: [i64; 2] = [0x2333_2333, 0x6666_6666];
const UNKNOWN: i64 = 0xabdd_efee;

/// A record: its tag and numbers.
type Log = Vec<(u8, Vec<i64>)>;

/// A transaction: session, id, whether it committed, and its reads and writes.
type Txn = (String, i64, bool, Log);

fn records(bytes: &[u8]) -> Log {
    let (mut log, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let count = match bytes[at] {
            b'S' | b'C' => 1,
            b'W' => 3,
            b'R' => 4,
            other => panic!("no record begins with {other}"),
        };
        let numbers = bytes[at + 1..at + 1 + 8 * count].chunks(8);
        let number = |chunk: &[u8]| i64::from_be_bytes(chunk.try_into().expect("eight bytes"));
        log.push((bytes[at], numbers.map(number).collect()));
        at += 1 + 8 * count;
    }
    log
}

/// The history of logs by name; `T2.log` comes before `T10.log`.
fn read(files: &BTreeMap<i64, Vec<u8>>) -> Plain {
    let mut txns: Vec<Txn> = Vec::new();
    for (session, bytes) in files {
        for (tag, numbers) in records(bytes) {
            match tag {
                b'S' => txns.push((int(*session), numbers[0], false, Vec::new())),
                b'C' => txns.last_mut().expect("it began").2 = true,
                tag => txns.last_mut().expect("it began").3.push((tag, numbers)),
            }
        }
    }
    let ops: Vec<(i64, u8, Vec<i64>)> = txns
        .iter()
        .flat_map(|(_, id, _, log)| log.iter().map(|(tag, numbers)| (*id, *tag, numbers.clone())))
        .collect();
    let key = |tag: u8, n: &[i64]| if tag == b'W' { n[1] } else { n[2] };
    let by_value: BTreeSet<i64> = ops
        .iter()
        .filter(|(_, tag, n)| n[if *tag == b'W' { 0 } else { 1 }] == UNKNOWN)
        .map(|(_, tag, n)| key(*tag, n))
        .collect();
    // What tells a version: the write id, or the value where some write id is unknown.
    let version = |key: i64, write_id: i64, value: i64| {
        if by_value.contains(&key) { value } else { write_id }
    };
    // Who wrote each version.
    let mut writers: BTreeMap<(i64, i64), BTreeSet<i64>> = BTreeMap::new();
    for (id, _, n) in ops.iter().filter(|(_, tag, _)| *tag == b'W') {
        writers.entry((n[1], version(n[1], n[0], n[2]))).or_default().insert(*id);
    }
    let is_initial = |n: &[i64]| {
        let special = |id: i64| id == INIT || id == NULL;
        special(n[0]) && (special(n[1]) || COLLECTED.contains(&n[1]))
    };
    // What a read of the initial version returned, unless it is the number of another version.
    let mut initial: BTreeMap<i64, i64> = BTreeMap::new();
    for (_, _, n) in ops.iter().filter(|(_, tag, n)| *tag == b'R' && n[0] == INIT && n[1] == INIT) {
        if by_value.contains(&n[2]) || !writers.contains_key(&(n[2], n[3])) {
            initial.entry(n[2]).or_insert(n[3]);
        }
    }
    let number_of = |id: i64| txns.iter().position(|txn| txn.1 == id).map(|at| at + 1);
    let mut plain = Plain::default();
    for (key, value) in &initial {
        plain.initial.insert(int(*key), meaning_of(&value.to_string()));
    }
    for (session, id, committed, log) in &txns {
        let status = if *committed { "committed" } else { "unknown" };
        let mut txn =
            PlainTxn { name: Some(id.to_string()), ..PlainTxn::new(session.clone(), status) };
        for (tag, n) in log {
            let at = key(*tag, n);
            let (value, writer) = if *tag == b'W' {
                (version(at, n[0], n[2]).to_string(), None)
            } else if is_initial(n) {
                match initial.get(&at) {
                    None => ("null".to_owned(), None),
                    Some(&value) => {
                        let choice = writers.contains_key(&(at, value));
                        (value.to_string(), choice.then_some(0))
                    }
                }
            } else {
                let number = version(at, n[1], n[3]);
                let of = writers.get(&(at, number));
                if n[0] == UNKNOWN {
                    (number.to_string(), None)
                } else if of.is_some_and(|of| of.contains(&n[0])) {
                    let choice =
                        of.is_some_and(|of| of.len() > 1) || initial.get(&at) == Some(&number);
                    (number.to_string(), if choice { number_of(n[0]) } else { None })
                } else {
                    (format!("[{},{number}]", n[0]), None)
                }
            };
            let event = PlainEvent::new(*tag == b'W', int(at), meaning_of(&value));
            txn.events.push(PlainEvent { writer, ..event });
        }
        plain.txns.push(txn);
    }
    let plain = plain.complete("null");
    let reads_initial =
        |(_, tag, n): &(i64, u8, Vec<i64>)| *tag == b'R' && [INIT, NULL].contains(&n[0]);
    if ops.iter().any(reads_initial) { plain } else { recognise_initial(plain, &txns) }
}

/// The only transaction that is the first of its session, committed, and writes nothing but the value 0, to every
/// key, is the initial one.
fn recognise_initial(mut plain: Plain, txns: &[Txn]) -> Plain {
    let fits = |&at: &usize| {
        let (_, _, committed, log) = &txns[at - 1];
        let zero = |(tag, n): &(u8, Vec<i64>)| *tag == b'W' && n[2] == 0;
        let keys: BTreeSet<i64> = log.iter().map(|(_, n)| n[1]).collect();
        *committed && !log.is_empty() && log.iter().all(zero) && keys.len() == plain.initial.len()
    };
    let found: Vec<usize> = plain.sessions.values().map(|s| s[0]).filter(fits).collect();
    if let [at] = found[..] {
        for event in std::mem::take(&mut plain.txns[at - 1].events) {
            plain.initial.insert(event.key, event.value);
        }
        for event in plain.txns.iter_mut().flat_map(|txn| &mut txn.events) {
            if event.writer == Some(at) {
                event.writer = Some(0);
            }
        }
        plain.initial_txns = found;
    }
    plain
}

fn generate(random: &mut Random) -> BTreeMap<i64, Vec<u8>> {
    fn put(log: &mut Vec<u8>, tag: u8, numbers: &[i64]) {
        log.push(tag);
        numbers.iter().for_each(|n| log.extend_from_slice(&n.to_be_bytes()));
    }
    let (keys, sessions) = (1 + random.below(3) as i64, 1 + random.below(4));
    let strange = random.one_in(4);
    let mut files: BTreeMap<i64, Vec<u8>> = BTreeMap::new();
    let mut next = 10;
    // Versions so far: writer, write id, key, value.
    let mut versions: Vec<[i64; 4]> = Vec::new();
    let explicit = random.one_in(3);
    if explicit {
        let log = files.entry(random.pick(&[&0, &11]).to_owned()).or_default();
        put(log, b'S', &[next]);
        for key in 0..keys {
            put(log, b'W', &[500 + key, key, 0]);
            versions.push([next, 500 + key, key, 0]);
        }
        put(log, b'C', &[next]);
    }
    for _ in 0..random.below(8) {
        next += 1;
        let log = files.entry((random.below(sessions) * 5) as i64).or_default();
        put(log, b'S', &[next]);
        for _ in 0..random.below(4) {
            let key = random.below(keys as usize) as i64;
            let seen = versions.iter().filter(|v| v[2] == key).collect::<Vec<_>>();
            match random.below(8) {
                0..3 => {
                    let unknown = strange && random.one_in(4);
                    let write_id = if unknown { UNKNOWN } else { 100 + random.below(9) as i64 };
                    let value = 1 + random.below(5) as i64;
                    put(log, b'W', &[write_id, key, value]);
                    versions.push([next, write_id, key, value]);
                }
                3 if !explicit || random.one_in(6) => {
                    let (writer, id) = match random.below(4) {
                        0 => (NULL, NULL),
                        1 => (INIT, COLLECTED[random.below(2)]),
                        _ => (INIT, INIT),
                    };
                    put(log, b'R', &[writer, id, key, random.below(200) as i64]);
                }
                4 if strange => put(log, b'R', &[UNKNOWN, 101, key, 3]),
                5 if strange => put(log, b'R', &[9999, 77, key, 4]),
                _ if !seen.is_empty() => {
                    let [writer, id, key, value] = *seen[random.below(seen.len())];
                    put(log, b'R', &[writer, id, key, value]);
                }
                _ => {}
            }
        }
        if !random.one_in(9) {
            put(log, b'C', &[next]);
        }
    }
    files
}

fn compare(name: &str, directory: &std::path::Path, files: &BTreeMap<i64, Vec<u8>>) {
    let history = read_path(directory, Some(Format::Cobra));
    let history = history.unwrap_or_else(|error| panic!("{name}: {error}\n{files:?}"));
    assert_eq!(
        Plain::of(&history),
        read(files),
        "{name}\n{:?}",
        files.values().map(|b| records(b))
    );
}

/// A directory that is removed at the end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn random_files() {
    let scratch = Scratch(std::env::temp_dir().join(format!("slow-cobra-{}", std::process::id())));
    let (mut events, mut initial) = (0, 0);
    for seed in 0..crate::files() {
        let files = generate(&mut Random::new(seed));
        if files.values().all(Vec::is_empty) {
            continue;
        }
        let directory = scratch.0.join(seed.to_string());
        std::fs::create_dir_all(&directory).expect("there is room for a directory");
        for (session, bytes) in &files {
            std::fs::write(directory.join(format!("T{session}.log")), bytes).expect("and a file");
        }
        compare(&format!("seed {seed}"), &directory, &files);
        let plain = read(&files);
        events += plain.txns.iter().map(|txn| txn.events.len()).sum::<usize>();
        initial += u64::from(!plain.initial_txns.is_empty());
    }
    assert!(events as u64 > crate::files() && initial * 20 > crate::files(), "{events} {initial}");
}

#[test]
fn corpus_files() {
    for name in ["lost-update-cobra", "initial-transaction-cobra"] {
        let directory = crate::corpus("formats").join(name);
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(&directory).expect("it is there") {
            let path = entry.expect("it can be listed").path();
            let stem = path.file_stem().and_then(|s| s.to_str()).expect("a name");
            let session = stem.trim_start_matches('T').parse().expect("`T3.log` is session 3");
            files.insert(session, std::fs::read(&path).expect("it can be read"));
        }
        compare(name, &directory, &files);
    }
}
