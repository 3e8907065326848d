//! The reader alone: texts that say the same are the same history, what is wrong is said where it stands, and no bytes
//! make it panic.

use hobgoblin_core::Rng;
use hobgoblin_crdt::{Arbitration, CrdtHistory, DataType, Generate, Multiplicity, read, write};
use serde_json::Value;

/// The size of a test: a tenth, unless everything is asked for.
fn size(full: u64) -> u64 {
    if std::env::var_os("HOB_FULL").is_some() { full } else { full / 10 }
}

fn generated(data_type: DataType, seed: u64) -> CrdtHistory {
    let mut wanted = Generate::new(data_type);
    wanted.seed = seed;
    wanted.operations = 5 + (seed % 60) as u32;
    wanted.keys = 1 + (seed % 4) as u32;
    wanted.sees = seed.is_multiple_of(3);
    wanted.values = seed.is_multiple_of(2).then_some(3);
    if data_type == DataType::Lww && seed % 4 == 1 {
        wanted.options.arbitration = Arbitration::Timestamps;
    }
    if seed % 5 == 1 {
        wanted.options.multiplicity = Multiplicity::Multiset;
    }
    wanted.run()
}

/// Spells JSON in another way that means the same.
struct Speller {
    rng: Rng,
    out: String,
}

impl Speller {
    fn blank(&mut self) {
        let blanks = ["", "", "", "", " ", "\n", "\t\r"];
        self.out.push_str(blanks[self.rng.below(7) as usize]);
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match self.rng.one_in(9) {
                true => self.out.push_str(&format!("\\u{:04x}", u32::from(c))),
                false => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn number(&mut self, number: &str) {
        let spelled = match self.rng.below(8) {
            0 => format!("{number}.0"),
            1 => format!("{number}.00e0"),
            2 => format!("{number}E+0"),
            _ => number.to_owned(),
        };
        self.out.push_str(&spelled);
    }

    fn list<T>(&mut self, brackets: [char; 2], items: Vec<T>, mut item: impl FnMut(&mut Self, T)) {
        self.out.push(brackets[0]);
        for (at, one) in items.into_iter().enumerate() {
            self.out.push_str(if at > 0 { "," } else { "" });
            self.blank();
            item(self, one);
            self.blank();
        }
        self.out.push(brackets[1]);
    }

    /// Members in any order, of which the last of one name counts.
    fn members<'a>(
        &mut self,
        members: &'a serde_json::Map<String, Value>,
    ) -> Vec<(&'a str, Value)> {
        let own: Vec<_> = members.iter().map(|(name, value)| (&**name, value.clone())).collect();
        let mut all = own.clone();
        self.rng.shuffle(&mut all);
        // Operations of a replica are added up, and `args` has to be an array each time.
        let open = own.iter().filter(|(name, _)| !["ops", "args", "format"].contains(name));
        let open: Vec<&str> = open.map(|(name, _)| *name).collect();
        if !open.is_empty() && self.rng.one_in(4) {
            let name = open[self.rng.below(open.len() as u32) as usize];
            let others = if name == "replicas" {
                vec![Value::from(Vec::<Value>::new())]
            } else {
                vec![Value::Null, Value::from("?"), Value::from(-1), serde_json::json!({"?": [1]})]
            };
            all.insert(0, (name, others[self.rng.below(others.len() as u32) as usize].clone()));
        }
        all
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) => self.out.push_str(&value.to_string()),
            Value::Number(number) => self.number(&number.to_string()),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.list(['[', ']'], items.iter().collect(), |speller, item| speller.value(item));
            }
            Value::Object(members) => {
                let members = self.members(members);
                self.list(['{', '}'], members, |speller, (name, value)| {
                    speller.text(name);
                    speller.blank();
                    speller.out.push(':');
                    speller.blank();
                    speller.value(&value);
                });
            }
        }
    }
}

#[test]
fn texts_that_say_the_same_are_one_history() {
    for data_type in DataType::ALL {
        for seed in 0..size(600) {
            let history = generated(data_type, seed);
            let text = write(&history);
            assert_eq!(read(text.as_bytes(), None).as_ref(), Ok(&history), "{text}");
            let json: Value = serde_json::from_str(&text).expect("JSON");
            let mut speller = Speller { rng: Rng::new(seed), out: String::new() };
            speller.value(&json);
            assert_eq!(
                read(speller.out.as_bytes(), None).as_ref(),
                Ok(&history),
                "{}",
                speller.out
            );
        }
    }
}

/// `golden/refused.txt` has texts, what is wrong with each and where, and what to do about it.
#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let cases = include_str!("golden/refused.txt").split("\n\n");
    assert!(cases.clone().count() > 70);
    for case in cases {
        let (text, said) = case.trim_end().split_once('\n').expect("a text and what is said of it");
        let error = read(text.as_bytes(), None).expect_err(text);
        let op = error.op.map(|op| format!("{op}, ")).unwrap_or_default();
        let (at, message, help) = (error.at, error.message, error.help);
        assert_eq!(format!("{op}byte {at}: {message}\nhelp: {help}"), said, "{text}");
    }
}

/// What stands deep in a text is no deeper when its operation is read.
#[test]
fn depth_has_the_same_limit_everywhere() {
    for (deep, fits) in [(122, true), (123, false)] {
        let nested = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        let text = format!(
            r#"{{"type":"lww","replicas":[{{"id":"A","ops":[{{"f":"write","args":["x",{nested}]}}]}}]}}"#
        );
        assert_eq!(read(text.as_bytes(), None).is_ok(), fits, "{deep} levels");
    }
}

#[test]
fn bytes_are_a_history_or_an_error_with_a_place() {
    for data_type in DataType::ALL {
        for seed in 0..size(2_000) {
            let mut rng = Rng::new(seed);
            let mut text = write(&generated(data_type, seed)).into_bytes();
            for _ in 0..1 + rng.below(3) {
                let at = rng.below(text.len() as u32 + 1) as usize;
                let end = text.len().min(at + rng.below(20) as usize);
                match rng.below(5) {
                    0 => text.truncate(at),
                    1 => drop(text.drain(at..end)),
                    2 => text.insert(at, rng.below(256) as u8),
                    3 => drop(text.splice(at..end, *b"\"\\\"[{0")),
                    _ => {
                        let part = text[at..end].to_vec();
                        let to = rng.below(text.len() as u32 + 1) as usize;
                        drop(text.splice(to..to, part));
                    }
                }
            }
            if let Err(error) = read(&text, None) {
                assert!(error.at <= text.len(), "{error:?}");
                assert!(!error.message.is_empty() && !error.help.is_empty(), "{error:?}");
            }
        }
    }
}

#[test]
fn a_text_that_ends_too_soon_is_none() {
    for data_type in DataType::ALL {
        let text = write(&generated(data_type, 6));
        for end in 0..text.len() {
            let error = read(&text.as_bytes()[..end], None).expect_err(&text[..end]);
            assert!(error.at <= end && error.op.is_none(), "{error:?}: {}", &text[..end]);
        }
    }
}
