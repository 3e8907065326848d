//! Broken files never panic and never overflow the stack, and every error points into the file.
//!
//! Tokens of the readable programs are dropped, doubled, swapped and replaced by others, by a generator with fixed seeds;
//! a failure prints its seed. Then a few texts that nest as deep as a file may be long.

use std::path::Path;

use hobgoblin_prove::dump::dump;
use hobgoblin_prove::read::read;

/// Xorshift: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Words, runs of blanks, and single signs.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        ' ' => 1,
        _ => 2,
    };
    let mut tokens = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != kind(c) || last == 2) {
            tokens.push(&text[start..at]);
            start = at;
        }
        last = Some(kind(c));
    }
    tokens.push(&text[start..]);
    tokens
}

/// Words that mean something somewhere.
const WORDS: &[&str] = &[
    "SELECT",
    "FROM",
    "WHERE",
    "INTO",
    "STRICT",
    "IF",
    "THEN",
    "ELSE",
    "END",
    "LOOP",
    "FOR",
    "IN",
    "CASE",
    "WHEN",
    "NULL",
    "NOT",
    "EXISTS",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":=",
    "=",
    "..",
    "'",
    "\"",
    "$$",
    "--",
    "/*",
    "*/",
    "-- end\n",
    "-- transaction f(p int)\n",
    "-- invariant ",
    "-- requires ",
    "\n",
    "BEGIN",
    "DECLARE",
    "record",
    "int[]",
    "ä",
    "€",
    "\u{0}",
    "1e999",
    "99999999999999999999",
    "1.5",
    "found",
    "choose()",
    "ANY",
    "LEAST(",
    "BETWEEN",
    "count(*)",
    "RETURNING",
    "ON CONFLICT",
    "DO UPDATE SET",
    "excluded.",
    "*",
    ".",
    "%",
    "RETURN",
    "QUERY",
    "RAISE",
    "EXIT",
    "PERFORM",
    "EXECUTE",
    "INSERT",
    "UPDATE",
    "DELETE",
    "VALUES",
    "SET",
];

/// Reads a text; an error has to point into it.
fn try_reading(text: &str) -> bool {
    match read("mutant.sql", text) {
        Ok(program) => {
            assert!(!dump(&program).contains('?') || text.contains('?'));
            for transaction in &program.transactions {
                for (place, id) in &transaction.mentions {
                    let name = &transaction.variables[id.0 as usize].name;
                    let there = text[place.range()].to_lowercase().replace([' ', '"', '\n'], "");
                    let (name, last) = (name.to_lowercase(), name.rsplit('.').next());
                    let last = last.unwrap_or_default().to_lowercase();
                    let named = there.ends_with(&last) || there.starts_with(&format!("{name}."));
                    assert!(named || there.contains("--"), "{there} is not {name}");
                }
            }
            true
        }
        Err(error) => {
            assert!(text.get(error.place.range()).is_some(), "{error:?}");
            assert!(!error.to_string().is_empty() && !error.help().is_empty());
            let (line, column) = error.line_column(text);
            assert!(line >= 1 && column >= 1);
            false
        }
    }
}

#[test]
fn mutated_programs_are_read_or_refused() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let examples = ["auction", "banking", "courseware", "smallbank", "tpcc"];
    let examples =
        examples.iter().map(|name| base.join(format!("../../examples/prove/{name}.sql")));
    let rounds = if std::env::var_os("HOB_FULL").is_some() { 5000 } else { 300 };
    let (mut accepted, mut refused) = (0, 0);
    for file in examples.chain([base.join("tests/programs/everything.sql")]) {
        let text = std::fs::read_to_string(&file).expect("the program is there");
        let tokens = tokens(&text);
        for round in 0..rounds {
            let seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(round + 1);
            let mut random = Random(seed);
            let mut mutant = tokens.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(mutant.len());
                let other = random.below(mutant.len());
                match random.below(5) {
                    0 => drop(mutant.remove(at)),
                    1 => mutant.insert(at, mutant[at]),
                    2 => mutant.swap(at, other),
                    3 => mutant[at] = mutant[other],
                    _ => mutant[at] = WORDS[random.below(WORDS.len())],
                }
            }
            let mutant = mutant.concat();
            let read = std::panic::catch_unwind(|| try_reading(&mutant));
            match read {
                Ok(true) => accepted += 1,
                Ok(false) => refused += 1,
                Err(_) => panic!("{}, round {round}:\n{mutant}", file.display()),
            }
        }
    }
    assert!(accepted > 50 && refused > 500, "{accepted} accepted, {refused} refused");
}

#[test]
fn prefixes_are_read_or_refused() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(base.join("tests/programs/everything.sql")).expect("a file");
    for end in (0..text.len()).step_by(13).filter(|end| text.is_char_boundary(*end)) {
        try_reading(&text[..end]);
    }
}

/// What nests deep is refused, or read; the stack is that of a test's thread.
#[test]
fn depth_does_not_overflow() {
    let many = if std::env::var_os("HOB_FULL").is_some() { 20_000 } else { 4000 };
    let body = |inside: &str| {
        format!("CREATE TABLE t (n int);\n-- transaction f(p int)\n{inside}\n-- end\n")
    };
    let nested = |open: &str, middle: &str, close: &str, count: usize| {
        format!("{}{middle}{}", open.repeat(count), close.repeat(count))
    };
    for count in [10, 100, 190, 300, 1000, many] {
        for inside in [
            format!("v := {};", nested("(", "p", ")", count)),
            format!("v := {} > 1;", nested("NOT ", "p", "", count)),
            format!("v := {};", nested("- ", "p", "", count)),
            format!("v := p{};", " + p".repeat(count)),
            format!("v := true{};", " AND p > 1".repeat(count)),
            format!("v := {};", nested("LEAST(p, ", "p", ")", count)),
            format!("v := {};", nested("CASE WHEN p > 1 THEN ", "p", " END", count)),
            format!("v := {};", nested("p BETWEEN 1 AND (", "p", ")", count)),
            format!("v := {};", nested("(SELECT n FROM t WHERE n = ", "p", ")", count)),
            format!("v := p IN ({});", vec!["1"; count].join(", ")),
            format!("v := {};", nested("COALESCE(", "p", ")", count)),
            format!("v := {};", nested("abs(", "p", ")", count)),
            format!("v := p{};", "::int".repeat(count)),
            nested("IF p > 1 THEN ", "NULL;", " END IF;", count),
            nested("BEGIN ", "NULL;", " END;", count),
            nested("FOR i IN 1 .. 2 LOOP ", "NULL;", " END LOOP;", count),
            nested("FOR r IN SELECT n FROM t LOOP ", "NULL;", " END LOOP;", count),
            "UPDATE t SET n = 1;".repeat(count),
            format!("INSERT INTO t VALUES {};", vec!["(1)"; count].join(", ")),
        ] {
            try_reading(&body(&inside));
        }
        try_reading(&format!("CREATE TABLE t (n int CHECK {});", nested("(", "n > 1", ")", count)));
        try_reading(&nested("/*", "", "*/", count));
        try_reading(&format!("-- invariant t: {}", "(".repeat(count)));
    }
}
