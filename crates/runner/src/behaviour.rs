//! What a run looked like from its clients: the vector of what their reads returned.
//!
//! Two runs behave alike when every session read the same values in the same order. Writes are left out: a
//! program's writes follow from what it read. And so is what differs from run to run though nothing about
//! the run does:
//!
//! - times of day: all are one;
//! - generated values (UUIDs, random tokens, and in rows that the run made the numbers of such rows): each is
//!   known by when it was first seen, so that two runs with ids 5, 6 and 8, 9 in their places are alike, and
//!   one with 5, 5 is not. What the initial data has is never taken for generated;
//! - the order of reads within a statement, which may be that of a set;
//! - the numbers of sessions that have no name, which are in the order of connecting.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use hobgoblin_core::{History, Key, KeyId, Kind, SessionId, Value};

/// How long a word is, at least, that may be random.
const RANDOM: usize = 16;

/// How many digits a number has, at least, that may be a time or random.
const LONG: usize = 10;

/// The hash of a run's behaviour.
pub fn of(history: &History) -> u64 {
    let words = Words::of(history);
    let alone = |session: SessionId| {
        let mut hash = DefaultHasher::new();
        words.session(session, &mut HashMap::new(), &mut hash);
        hash.finish()
    };
    let unnamed = |session| matches!(history.session(session), Key::Int(_));
    // Who read little comes first, so that what it saw tells the reads of others apart.
    let mut sessions: Vec<(Option<&Key>, usize, u64, SessionId)> = history
        .sessions()
        .filter(|&session| !unnamed(session) || words.reads(session) > 0)
        .map(|session| {
            let name = Some(history.session(session)).filter(|_| !unnamed(session));
            (name, words.reads(session), alone(session), session)
        })
        .collect();
    sessions.sort();
    let (mut hash, mut seen) = (DefaultHasher::new(), HashMap::new());
    for (name, _, _, session) in sessions {
        name.hash(&mut hash);
        words.session(session, &mut seen, &mut hash);
    }
    hash.finish()
}

/// What is a value and what is made up.
struct Words<'h> {
    history: &'h History,
    /// The words of the initial data that look generated.
    initial: HashSet<String>,
    /// The numbers in keys that did not exist at first.
    made: HashSet<String>,
}

/// A word of a key or value.
enum Word<'a> {
    Plain(&'a str),
    Time,
    Generated(&'a str),
}

impl<'h> Words<'h> {
    fn of(history: &'h History) -> Words<'h> {
        let mut words = Words { history, initial: HashSet::new(), made: HashSet::new() };
        for key in history.keys() {
            if history.initial_given(key) {
                let mut note = |word: &str| {
                    if looks_generated(word) {
                        words.initial.insert(word.to_owned());
                    }
                };
                split(&history.key(key).to_string(), |word, _| note(word));
                split(&text(&history.initial(key)), |word, _| note(word));
            } else {
                let name = history.key(key).to_string();
                words.made.extend(numbers_of_row(&name).map(str::to_owned));
            }
        }
        words
    }

    /// How often a session read.
    fn reads(&self, session: SessionId) -> usize {
        let txns = self.history.session_txns(session).iter();
        let events = txns.flat_map(|&txn| self.history.events(txn));
        events.filter(|event| event.kind() == Kind::Read).count()
    }

    /// Hashes what a session read; `seen` numbers what is generated.
    fn session(
        &self,
        session: SessionId,
        seen: &mut HashMap<String, usize>,
        hash: &mut DefaultHasher,
    ) {
        let history = self.history;
        for &txn in history.session_txns(session) {
            let mut statements: BTreeMap<Option<u32>, Vec<(KeyId, Value)>> = BTreeMap::new();
            for event in history.event_ids(txn) {
                let packed = history.event(event);
                if packed.kind() == Kind::Read {
                    let reads = statements.entry(history.statement_of(event)).or_default();
                    reads.push((packed.key(), history.value(event)));
                }
            }
            for (statement, reads) in statements {
                let reads = reads.iter().map(|(key, value)| {
                    let read = format!("{}\n{}", history.key(*key), text(value));
                    let made = !history.initial_given(*key);
                    (self.masked(&read, made), read, made)
                });
                let mut reads: Vec<(String, String, bool)> = reads.collect();
                // Without statements the order is the program's own. What was seen before comes first.
                if statement.is_some() {
                    let known = |read: &str, made| self.known(read, made, seen);
                    reads.sort_by_cached_key(|(masked, read, made)| {
                        (masked.clone(), known(read, *made), read.clone())
                    });
                }
                for (_, read, made) in reads {
                    self.told(&read, made, |word| match word {
                        Word::Plain(word) => word.hash(hash),
                        Word::Time => 0.hash(hash),
                        Word::Generated(word) => {
                            let next = seen.len();
                            seen.entry(word.to_owned()).or_insert(next).hash(hash);
                        }
                    });
                    '\n'.hash(hash);
                }
            }
        }
    }

    /// The numbers of what is generated in a read, as far as it was seen.
    fn known(&self, read: &str, made: bool, seen: &HashMap<String, usize>) -> Vec<usize> {
        let mut known = Vec::new();
        self.told(read, made, |word| {
            if let Word::Generated(word) = word {
                known.push(seen.get(word).copied().unwrap_or(usize::MAX));
            }
        });
        known
    }

    /// A read with all that is generated left out; `made` says that it is of a row that the run made.
    fn masked(&self, read: &str, made: bool) -> String {
        let mut masked = String::with_capacity(read.len());
        self.told(read, made, |word| match word {
            Word::Plain(word) => masked.push_str(word),
            Word::Time | Word::Generated(_) => masked.push('#'),
        });
        masked
    }

    fn told<'a>(&self, read: &'a str, made: bool, mut tell: impl FnMut(Word<'a>)) {
        split(read, |word, time| {
            let generated = looks_generated(word) && !self.initial.contains(word);
            tell(match time {
                true => Word::Time,
                false if generated || made && self.made.contains(word) => Word::Generated(word),
                false => Word::Plain(word),
            });
        });
    }
}

/// A value as it is told.
fn text(value: &Value) -> String {
    match value {
        Value::Text(text) | Value::Json(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// The numbers in the brackets of a row's key, as in `orders[7]`.
fn numbers_of_row(key: &str) -> impl Iterator<Item = &str> {
    let row = key.strip_suffix(']').and_then(|key| key.split_once('['));
    let parts = row.into_iter().flat_map(|(_, parts)| parts.split(','));
    parts
        .map(|part| part.trim_start_matches('#'))
        .filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a word may be random or a time, by its looks: a UUID, a token, a long number.
fn looks_generated(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits >= LONG && digits == word.len() || digits > 0 && word.len() >= RANDOM
}

/// Splits a text into words and what is between them; the flag says that it is a time of day.
fn split<'a>(text: &'a str, mut tell: impl FnMut(&'a str, bool)) {
    let bytes = text.as_bytes();
    let is_word =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || byte >= 128;
    let mut at = 0;
    while at < text.len() {
        let begins = at == 0 || !bytes[at - 1].is_ascii_digit();
        let (length, time) = match time(&bytes[at..]).filter(|_| begins) {
            Some(length) => (length, true),
            None => {
                let word = is_word(bytes[at]);
                let end = bytes[at..].iter().position(|&byte| is_word(byte) != word);
                (end.unwrap_or(text.len() - at), false)
            }
        };
        tell(&text[at..at + length], time);
        at += length;
    }
}

/// How long the time of day is that a text begins with: `2024-05-01 10:00:00.5+00`, or with a `T`.
fn time(text: &[u8]) -> Option<usize> {
    const FORM: &[u8] = b"0000-00-00 00:00:00";
    let fits = |(&byte, &form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        b' ' => byte == b' ' || byte == b'T',
        form => byte == form,
    };
    if text.len() < FORM.len() || !text.iter().zip(FORM).all(fits) {
        return None;
    }
    let is_rest = |&byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b':' | b'Z');
    let rest = text[FORM.len()..].iter().position(|byte| !is_rest(byte));
    Some(rest.map_or(text.len(), |rest| FORM.len() + rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behaviour(text: &str) -> u64 {
        of(&hobgoblin_format::read(text.as_bytes(), "test.txn", None).expect("a history"))
    }

    #[test]
    fn what_was_read_tells_runs_apart_and_nothing_else_does() {
        let base = behaviour("init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=1 }\n");
        let recorded_later = behaviour("init x=0\ns1: a { r(x)=0 w(x)=1 }\ns2: b { r(x)=1 }\n");
        assert_eq!(base, recorded_later, "names of transactions do not matter");
        let reordered = behaviour("init x=0\ns2: t2 { r(x)=1 }\ns1: t1 { r(x)=0 w(x)=1 }\n");
        assert_eq!(base, reordered, "nor does the order of recording between sessions");
        for other in [
            "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 }\n",
            "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=1 r(x)=1 }\n",
            "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns3: t2 { r(x)=1 }\n",
        ] {
            assert_ne!(base, behaviour(other), "{other}");
        }
    }

    /// Rows that two sessions make and read, in JSON lines.
    fn rows(lines: &[&str]) -> u64 {
        let header = r#"{"hobgoblin": 1, "initial": {"item[1]": "[1,\"a-constant-of-16\",5]"}}"#;
        let text = format!("{header}\n{}\n", lines.join("\n"));
        of(&hobgoblin_format::read(text.as_bytes(), "test.jsonl", None).expect("a history"))
    }

    fn line(session: &str, ops: &[&str]) -> String {
        format!(r#"{{"session": {session}, "ops": [{}], "statements": ["s"]}}"#, ops.join(","))
    }

    fn one(key: &str, value: &str) -> [String; 2] {
        let event = |f| {
            format!(
                r#"{{"f": "{f}", "key": {}, "value": {}, "stmt": 0}}"#,
                quote(key),
                quote(value)
            )
        };
        [event("w"), event("r")]
    }

    fn quote(text: &str) -> String {
        serde_json::to_string(text).expect("a string is JSON")
    }

    /// A session that makes rows and reads them back.
    fn makes(session: &str, rows: &[(&str, &str)]) -> String {
        let pairs: Vec<[String; 2]> = rows.iter().map(|(key, value)| one(key, value)).collect();
        let events = (0..2).flat_map(|kind| pairs.iter().map(move |pair| pair[kind].as_str()));
        line(session, &events.collect::<Vec<&str>>())
    }

    const UUIDS: [&str; 3] = [
        "7f9c24e8-3b12-4fef-91a4-3c6d0a5be001",
        "02d1a1b8-a8be-4bcd-8ef1-7bd40f1a6a52",
        "c4ca4238-a0b9-4382-8dcc-509a6f75849b",
    ];

    #[test]
    fn times_and_generated_values_are_known_by_their_places() {
        let run = |ids: [i32; 2], uuids: [&str; 2], at: &str, swap: bool| {
            let row = |id: i32, uuid: &str| {
                (format!("orders[{id}]"), format!("[{id},\"{uuid}\",\"2024-05-01 {at}+00\",5]"))
            };
            let made = [row(ids[0], uuids[0]), row(ids[1], uuids[1])];
            let ann = makes(if swap { "2" } else { "1" }, &[(&made[0].0, &made[0].1)]);
            let two = [(&*made[0].0, &*made[0].1), (&*made[1].0, &*made[1].1)];
            let bob = makes(if swap { "1" } else { "2" }, &two);
            rows(&[&ann, &bob])
        };
        let base = run([7, 8], [UUIDS[0], UUIDS[1]], "10:00:00", false);
        assert_eq!(base, run([8, 7], [UUIDS[1], UUIDS[2]], "11:30:59.25", false));
        assert_eq!(base, run([70, 81], [UUIDS[2], UUIDS[0]], "10:00:01", true), "sessions swapped");
        assert_ne!(base, run([7, 8], [UUIDS[0], UUIDS[0]], "10:00:00", false), "the same twice");
    }

    #[test]
    fn what_the_initial_data_has_is_no_generated_value() {
        let read =
            |value: &str| rows(&[&line("1", &[&one("item[1]", &format!("[1,\"{value}\",5]"))[1]])]);
        assert_ne!(read("a-constant-of-16"), read("another-value-of-3"));
        assert_ne!(read("short"), read("other"));
        let counted =
            |n: i32| rows(&[&line("1", &[&one("item[1]", &format!("[1,\"x\",{n}]"))[1]])]);
        assert_ne!(counted(4), counted(3));
    }
}
