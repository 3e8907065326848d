//! AWDIT's text: `r key value`, dashes between transactions, equals signs between sessions.

use hobgoblin_format::Format;

use crate::notation::meaning_of;
use crate::plain::{Plain, PlainEvent, PlainTxn, int, natural};
use crate::random::Random;
use crate::{compare_corpus, compare_random};

fn read(bytes: &[u8]) -> Plain {
    let file = std::str::from_utf8(bytes).expect("the file is text");
    let lines: Vec<&str> = file.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut plain = Plain::default();
    let mut sessions = 0;
    for session in lines.split(|line| line.starts_with('=')) {
        let mut count = 0;
        for txn in session.split(|line| line.starts_with('-')).filter(|txn| !txn.is_empty()) {
            let mut found = PlainTxn::new(int(sessions), "committed");
            for line in txn {
                let words: Vec<&str> = line.split_whitespace().collect();
                let key = natural(words[1].parse().expect("keys are natural numbers"));
                let event = PlainEvent::new(words[0] == "w", key, meaning_of(words[2]));
                if event.write && event.value == "0" {
                    plain.initial.insert(event.key.clone(), "null".to_owned());
                }
                found.events.push(event);
            }
            plain.txns.push(found);
            count += 1;
        }
        sessions += i64::from(count > 0);
    }
    plain.complete("0").recognise_initial()
}

fn generate(random: &mut Random) -> Vec<u8> {
    let keys = 1 + random.below(3);
    let mut text = String::new();
    let separate = |random: &mut Random, text: &mut String, sign: &str| {
        *text += random.blank();
        *text += &sign.repeat(1 + random.below(4));
        *text += random.line_end();
    };
    let mut used = Vec::new();
    for session in 0..random.below(4) {
        if session > 0 || random.one_in(5) {
            separate(random, &mut text, "=");
        }
        for txn in 0..random.below(4) {
            if txn > 0 || random.one_in(5) {
                separate(random, &mut text, "-");
            }
            for _ in 0..random.below(4) {
                let (key, value) = (random.natural(keys), random.natural(3));
                used.push(key);
                let kind = random.pick(&["r", "w"]);
                let (a, b) = (random.blank(), random.blank());
                text += &format!("{a}{kind} {b}{key}\t{value}{b}{}", random.line_end());
            }
        }
    }
    if random.one_in(3) {
        used.sort_unstable();
        used.dedup();
        separate(random, &mut text, "=");
        text.extend(used.iter().map(|key| format!("w {key} 0\n")));
    }
    text.into_bytes()
}

#[test]
fn random_files() {
    compare_random(Format::Awdit, generate, read);
}

#[test]
fn corpus_files() {
    compare_corpus("formats", ".awdit", Format::Awdit, read);
}
