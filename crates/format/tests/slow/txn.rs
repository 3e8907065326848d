//! The native format for people.

use hobgoblin_format::Format;

use crate::jsonl::VALUES;
use crate::notation::meaning;
use crate::plain::{Plain, PlainEvent, PlainTxn, int, text};
use crate::random::Random;
use crate::{compare_corpus, compare_random};

/// What is left of the file.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// Skips blanks and, where `comments`, whole comments and the ends of lines.
    fn skip(&mut self, comments: bool) -> &mut Self {
        loop {
            self.0 = self.0.trim_start_matches([' ', '\t', '\r']);
            match self.0.chars().next() {
                Some('#') if comments => self.0 = self.0.trim_start_matches(|c| c != '\n'),
                Some('\n') if comments => self.0 = &self.0[1..],
                _ => return self,
            }
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        let rest = self.0.strip_prefix(sign);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// The JSON value that comes next.
    fn json(&mut self) -> serde_json::Value {
        if !self.0.starts_with(['[', '{', '"']) {
            let end = self.0.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
            let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
            self.0 = rest;
            return serde_json::from_str(word).expect("JSON");
        }
        let mut values = serde_json::Deserializer::from_str(self.0).into_iter();
        let value = values.next().expect("a value").expect("JSON");
        self.0 = &self.0[values.byte_offset()..];
        value
    }

    /// A word, and whether it stood in quotes.
    fn word(&mut self) -> (String, bool) {
        if self.0.starts_with('"') {
            return (self.json().as_str().expect("a string").to_owned(), true);
        }
        let end = self.0.find(|c: char| c.is_whitespace() || "\"(){}[]=:#<>@,".contains(c));
        let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        (word.to_owned(), false)
    }

    fn name(&mut self) -> String {
        name(self.word())
    }

    /// Whether the line goes on, but for a comment.
    fn line_goes_on(&mut self) -> bool {
        self.skip(false);
        !self.0.is_empty() && !self.0.starts_with(['\n', '#'])
    }
}

fn name((word, quoted): (String, bool)) -> String {
    match word.parse::<i64>() {
        Ok(n) if !quoted && n.to_string() == word => int(n),
        _ => text(&word),
    }
}

/// A writer that is named before it is known.
enum Named {
    Number(usize),
    Id(String),
}

fn read(bytes: &[u8]) -> Plain {
    let rest = &mut Rest(std::str::from_utf8(bytes).expect("the file is text"));
    let mut plain = Plain::default();
    let mut named: Vec<(usize, usize, Named)> = Vec::new();
    let mut orders: Vec<(String, Vec<String>)> = Vec::new();
    while !rest.skip(true).0.is_empty() {
        let first = rest.word();
        if rest.skip(false).eat(":") {
            let at = plain.txns.len();
            let mut txn = head(rest, name(first));
            events(rest, &mut txn, &mut |event, writer| named.push((at, event, writer)));
            plain.txns.push(txn);
        } else if first.0 == "init" {
            while rest.line_goes_on() {
                let key = rest.name();
                assert!(rest.skip(false).eat("="));
                let value = meaning(&rest.skip(false).json());
                plain.initial.insert(key, value);
            }
        } else if first.0 == "table" {
            let (name, columns) = (rest.skip(false).word().0, names(rest));
            let keyed = rest.line_goes_on();
            assert!(!keyed || rest.eat("key"));
            let key = if keyed { names(rest) } else { Vec::new() };
            plain.tables.insert(name, (columns, key));
        } else if first.0 == "index" {
            let name = rest.skip(false).word().0;
            assert!(rest.skip(false).eat("of"));
            let (table, columns) = (rest.skip(false).word().0, names(rest));
            let unique = rest.line_goes_on();
            assert!(!unique || rest.eat("unique"));
            plain.indexes.insert(name, (table, columns, unique));
        } else {
            assert_eq!(first.0, "order");
            let key = rest.skip(false).name();
            assert!(rest.skip(false).eat(":"));
            let mut ids = Vec::new();
            while rest.line_goes_on() {
                ids.push(rest.word().0);
            }
            orders.push((key, ids));
        }
    }
    let find = |id: &String| match id.as_str() {
        "init" => 0,
        _ => plain.txns.iter().position(|t| t.name.as_ref() == Some(id)).expect("its name") + 1,
    };
    let named: Vec<(usize, usize, usize)> = named
        .into_iter()
        .map(|(txn, event, writer)| match writer {
            Named::Number(number) => (txn, event, number),
            Named::Id(id) => (txn, event, find(&id)),
        })
        .collect();
    let orders: Vec<(String, Vec<usize>)> =
        orders.into_iter().map(|(key, ids)| (key, ids.iter().map(find).collect())).collect();
    for (txn, event, writer) in named {
        plain.txns[txn].events[event].writer = Some(writer);
    }
    for (key, order) in orders {
        plain.initial.entry(key.clone()).or_insert_with(|| "null".to_owned());
        plain.order.insert(key, order);
    }
    plain.complete("null")
}

/// Names in parentheses.
fn names(rest: &mut Rest<'_>) -> Vec<String> {
    let mut names = Vec::new();
    assert!(rest.skip(false).eat("("));
    while !rest.skip(false).eat(")") {
        names.push(rest.word().0);
        rest.skip(false).eat(",");
    }
    names
}

/// What stands before the brace.
fn head(rest: &mut Rest<'_>, session: String) -> PlainTxn {
    let mut txn = PlainTxn::new(session, "committed");
    while !rest.skip(false).eat("{") {
        if rest.eat("@") {
            let end = rest.0.find([' ', '\t', '{']).expect("a brace follows");
            let (times, left) = rest.0.split_at(end);
            rest.0 = left;
            let (begin, end) = times.split_once("..").expect("two dots");
            (txn.begin, txn.end) = (begin.parse().ok(), end.parse().ok());
            continue;
        }
        let (word, quoted) = rest.word();
        match word.as_str() {
            "committed" | "aborted" | "unknown" if !quoted => txn.status = word,
            "SI" | "RC" | "SER" if !quoted => txn.level = Some(word),
            _ => txn.name = Some(word),
        }
    }
    txn
}

/// The events and statements of a transaction, and the writers that reads name.
fn events(rest: &mut Rest<'_>, txn: &mut PlainTxn, named: &mut dyn FnMut(usize, Named)) {
    let mut statement = None;
    while !rest.skip(true).eat("}") {
        if rest.eat("[") {
            let (digits, left) = rest.0.split_once(']').expect("it is closed");
            (statement, rest.0) = (digits.trim().parse().ok(), left);
            continue;
        }
        let write = rest.eat("w");
        assert!(write || rest.eat("r"));
        let lock = rest.eat("!");
        assert!(rest.skip(false).eat("("));
        let key = rest.skip(false).name();
        assert!(rest.skip(false).eat(")") && rest.skip(false).eat("="));
        let value = meaning(&rest.skip(false).json());
        if rest.skip(false).eat("<-") {
            let writer = match rest.skip(false).eat("#") {
                true => Named::Number(rest.word().0.parse().expect("a number")),
                false => Named::Id(rest.word().0),
            };
            named(txn.events.len(), writer);
        }
        let at = rest.skip(false).eat("@").then(|| rest.word().0.parse().expect("a place"));
        txn.events.push(PlainEvent { lock, statement, at, ..PlainEvent::new(write, key, value) });
    }
    while rest.skip(false).0.starts_with('"') {
        txn.statements.push(rest.json().as_str().expect("a string").to_owned());
    }
}

const NAMES: [&str; 7] = ["x", "1", "\"1\"", "\"a key\"", "é", "-5", "007"];

fn generate(random: &mut Random) -> Vec<u8> {
    let count = random.below(7);
    let named: Vec<bool> = (0..count).map(|_| !random.one_in(4)).collect();
    let mut file = String::new();
    if random.one_in(2) {
        file += &format!(
            "# history\n\ninit x=0.0 \"1\" = [1.0]{}é=null # more\n",
            random.pick(&["\t", " "])
        );
    }
    let mut writers = Vec::new();
    for at in 0..count {
        let gap = |random: &mut Random| random.pick(&[" ", "  ", "\t"]);
        file += &format!("{}{}{}:", random.blank(), random.pick(&NAMES), random.blank());
        if named[at] {
            let quoted = random.one_in(3);
            let id = format!("t{}", at + 1);
            file += &format!("{}{}", gap(random), if quoted { format!("\"{id}\"") } else { id });
        }
        let status = random.pick(&["", "", "committed", "aborted", "unknown"]);
        let times = random.pick(&["", "", "@-5..7", "@120..", "@..310"]);
        for word in [status, random.pick(&["", "SI", "SER"]), times] {
            if !word.is_empty() {
                file += &format!("{}{word}", gap(random));
            }
        }
        file += &format!("{}{{", gap(random));
        let statements = random.below(3);
        for _ in 0..random.below(5) {
            file += random.pick(&[" ", "\n  ", " # a comment }\n", "\t"]);
            if random.one_in(3) {
                let index = if statements > 0 {
                    random.below(statements).to_string()
                } else {
                    String::new()
                };
                file += &format!("[{index}] ");
            }
            let (write, key, value) = (random.one_in(2), random.pick(&NAMES), random.pick(&VALUES));
            let lock = if !write && random.one_in(5) { "!" } else { "" };
            let b = random.blank();
            file += &format!("{}{lock}({b}{key}{b}){b}={b}{value}", if write { "w" } else { "r" });
            if write && named[at] && matches!(status, "" | "committed") && key == "x" {
                writers.push(format!("t{}", at + 1));
            }
            if !write && random.one_in(4) {
                let writer = match random.below(count + 1) {
                    0 => "init".to_owned(),
                    n if named[n - 1] => format!("t{n}"),
                    n => format!("#{n}"),
                };
                file += &format!("{b}<-{writer}");
            }
            if random.one_in(3) {
                file += &format!("{b}@{}", random.pick(&["17", "-5", "0"]));
            }
        }
        file += random.pick(&[" }", "}", "\n}"]);
        for _ in 0..statements {
            file += &format!("{}\"SELECT \\u00e9 }}\"", gap(random));
        }
        file += random.pick(&["\n", " # the end\n", "\r\n", "\n\n"]);
    }
    for line in [
        "table t(a, \"\" , \"é, )\")  key ( a )",
        "table \"a table\"()# nothing",
        "  table t ( b,c )",
        "index i of t(\"lower(a)\",b) unique",
        "index 7 of \"a table\" ( ) # not unique",
    ] {
        if random.one_in(4) {
            file += &format!("{line}\n");
        }
    }
    writers.dedup();
    if !writers.is_empty() && random.one_in(2) {
        file += &format!("order x: {} # oldest first", writers.join(" "));
    }
    file.into_bytes()
}

#[test]
fn random_files() {
    compare_random(Format::Txn, generate, read);
}

#[test]
fn corpus_files() {
    compare_corpus("litmus", ".txn", Format::Txn, read);
    compare_corpus("fuzz", ".txn", Format::Txn, read);
}
