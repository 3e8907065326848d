//! Tables against databases that keep rows apart.
//!
//! The oracle is another program that does the same without a table: every row is a key of its own, and who
//! looks for rows reads them all. What the two programs come to may differ below serializability; where
//! nobody meets on the table's set of keys everything a database shows must be found, and whatever is found
//! and not doubtful a database must show.

use std::collections::BTreeSet;
use std::sync::Mutex;

use hobgoblin_core::{Key, Level, Rng, Value};
use hobgoblin_explore::{End, Meeting, Mode, Options, Outcome, Program, explore, parse, resume};

const LEVELS: [Level; 7] =
    [Level::RC, Level::RA, Level::CC, Level::PC, Level::PSI, Level::SI, Level::SER];
/// The rows that there can be.
const ROWS: std::ops::Range<usize> = 1..4;

fn below(rng: &mut Rng, bound: usize) -> usize {
    rng.below(bound as u32) as usize
}

/// A statement of a random program.
#[derive(Clone, Copy, Debug)]
enum Statement {
    /// How many rows there are.
    Count,
    /// Whether a row is there.
    Has(usize),
    Insert(usize),
    /// Inserts a row if there is none.
    InsertIfEmpty(usize),
    Delete(usize),
    /// Reads and writes a key that has nothing to do with the table.
    Add,
}

impl Statement {
    fn random(rng: &mut Rng) -> Statement {
        let row = ROWS.start + below(rng, ROWS.len());
        match below(rng, 7) {
            0 | 1 => Statement::Count,
            2 => Statement::Has(row),
            3 => Statement::Insert(row),
            4 => Statement::InsertIfEmpty(row),
            5 => Statement::Delete(row),
            _ => Statement::Add,
        }
    }

    /// With a table.
    fn by_table(self) -> String {
        match self {
            Statement::Count => "seen = append(seen, len(select id from t))".to_owned(),
            Statement::Has(row) => {
                format!("seen = append(seen, len(select id from t where id == {row}))")
            }
            Statement::Insert(row) => format!("insert t ({row}, 0)"),
            Statement::InsertIfEmpty(row) => {
                format!("if len(select id from t) == 0 {{ insert t ({row}, 0) }}")
            }
            Statement::Delete(row) => format!("delete t where id == {row}"),
            Statement::Add => "n = read x; write x n + 1; seen = append(seen, n)".to_owned(),
        }
    }

    /// With a key for each row.
    fn by_rows(self) -> String {
        let count = "have = 0; for i in [1, 2, 3] { if read t[i] { have = have + 1 } }";
        let insert = |row| format!("if read t[{row}] {{ abort }}; write t[{row}] true");
        match self {
            Statement::Count => format!("{count}; seen = append(seen, have)"),
            Statement::Has(row) => format!(
                "if read t[{row}] {{ seen = append(seen, 1) }} else {{ seen = append(seen, 0) }}"
            ),
            Statement::Insert(row) => insert(row),
            Statement::InsertIfEmpty(row) => {
                format!("{count}; if have == 0 {{ {} }}", insert(row))
            }
            Statement::Delete(row) => format!("if read t[{row}] {{ write t[{row}] false }}"),
            Statement::Add => self.by_table(),
        }
    }
}

/// Sessions of transactions of statements.
type Sessions = Vec<Vec<Vec<Statement>>>;

fn sessions(sessions: &Sessions, level: &str, say: impl Fn(Statement) -> String) -> String {
    let mut text = String::new();
    for (s, session) in sessions.iter().enumerate() {
        text.push_str(&format!("session s{s} {{\n"));
        for (t, txn) in session.iter().enumerate() {
            let body: Vec<String> = txn.iter().map(|&statement| say(statement)).collect();
            let body = body.join("\n    ");
            // One transaction of each program may have a level of its own.
            let level = if (s, t) == (0, 0) { level } else { "" };
            text.push_str(&format!("  txn t{t}{level} {{\n    seen = []\n    {body}\n"));
            text.push_str("    return seen\n  }\n");
        }
        text.push_str("}\n");
    }
    text
}

/// The same program with a table and with rows.
fn programs(of: &Sessions, first: usize, level: &str) -> [Program; 2] {
    let mut table = "init x = 0\ntable t(id, n)\n".to_owned();
    let mut rows = "init x = 0\n".to_owned();
    if first > 0 {
        table.push_str(&format!("insert t ({first}, 0)\n"));
    }
    for row in ROWS {
        rows += &format!("init t[{row}] = {}\n", row == first);
    }
    table.push_str(&sessions(of, level, Statement::by_table));
    rows.push_str(&sessions(of, level, Statement::by_rows));
    let program = |text: &str| parse(text, "program").unwrap_or_else(|e| panic!("{e}\n{text}"));
    let rows = ROWS.fold(program(&rows), |program, row| program.observe(format!("t:{row}")));
    [program(&table).observe("t"), rows]
}

/// What an end is to those who look at it: all outcomes, and the rows in the end.
type Told = (Vec<Outcome>, Vec<bool>);

fn told(program: &Program, end: &End<'_>) -> Told {
    let mut outcomes = Vec::new();
    for (s, session) in program.sessions().iter().enumerate() {
        outcomes.extend((0..session.txns.len()).map(|t| end.outcome(s, t).clone()));
    }
    let set = end.last(&Key::from("t")).to_string();
    let here = |row: usize| match end.last(&Key::from(format!("t:{row}"))) {
        Value::Bool(here) => here,
        _ => set.contains(&row.to_string()),
    };
    (outcomes, ROWS.map(here).collect())
}

/// What a program comes to: what is told of all ends, of those not doubtful, and who meets.
fn found(program: &Program, options: &Options) -> (BTreeSet<Told>, BTreeSet<Told>, Vec<Meeting>) {
    let (all, sure) = (Mutex::new(BTreeSet::new()), Mutex::new(BTreeSet::new()));
    let found = explore(program, options, &|end: &End<'_>| {
        all.lock().unwrap().insert(told(program, end));
        if !end.is_doubtful() {
            sure.lock().unwrap().insert(told(program, end));
        }
    });
    let found = found.unwrap_or_else(|error| panic!("{error}"));
    assert!(found.complete);
    (all.into_inner().unwrap(), sure.into_inner().unwrap(), found.meetings)
}

#[test]
fn what_is_proved_or_broken_with_tables_is_so_with_rows() {
    let full = std::env::var_os("HOB_FULL").is_some();
    let (mut proved, mut met, mut hidden, mut doubtful) = (0, 0, 0, 0);
    for seed in 0..if full { 4000 } else { 400 } {
        let mut rng = Rng::new(seed);
        let count = 2 + below(&mut rng, 3);
        // Many transactions of many sessions have too many histories.
        let most = if count > 3 { 1 } else { 2 };
        let txn = |rng: &mut Rng| -> Vec<Statement> {
            (0..1 + below(rng, 2)).map(|_| Statement::random(rng)).collect()
        };
        let session = |rng: &mut Rng| -> Vec<Vec<Statement>> {
            (0..1 + below(rng, most)).map(|_| txn(rng)).collect()
        };
        let of: Sessions = (0..count).map(|_| session(&mut rng)).collect();
        let first = below(&mut rng, ROWS.end);
        let own = LEVELS[below(&mut rng, LEVELS.len())];
        let own = if below(&mut rng, 4) == 0 { format!("({own})") } else { String::new() };
        let [table, rows] = programs(&of, first, &own);
        for level in [LEVELS[below(&mut rng, LEVELS.len())], LEVELS[4 + below(&mut rng, 3)]] {
            let options = Options { max: Some(20_000), ..Options::new(level) };
            let mode = if below(&mut rng, 4) == 0 { Mode::States } else { Mode::Histories };
            let of_rows = Options { mode: Mode::States, ..options.clone() };
            let (all, sure, meetings) = found(&table, &Options { mode, ..options });
            let (shown, not_doubtful, none) = found(&rows, &of_rows);
            assert_eq!((&shown, none.len()), (&not_doubtful, 0), "there is no table");
            let case = format!("seed {seed} at {level}{own}, row {first} at first: {of:?}");
            assert!(sure.is_subset(&shown), "{case}: {:?}", sure.difference(&shown).next());
            doubtful += usize::from(sure != all);
            match meetings.is_empty() {
                true => {
                    assert!(shown.is_subset(&all), "{case}: {:?}", shown.difference(&all).next());
                    proved += 1;
                }
                false => {
                    assert!(level != Level::SER || !own.is_empty(), "{case}");
                    met += 1;
                    hidden += usize::from(!shown.is_subset(&all));
                }
            }
        }
    }
    let told =
        format!("{proved} proved; {met} met, {hidden} rightly; {doubtful} with doubtful ends");
    assert!(proved > 50 && met > 50 && hidden > 20 && doubtful > 20, "{told}");
}

/// Checks that there is no booking, and books: several sessions.
fn booking(sessions: usize) -> Program {
    let mut text = "table bookings(id, who)\n".to_owned();
    for s in 1..=sessions {
        text += &format!(
            "session s{s} {{ txn book {{ if len(select id from bookings) == 0 \
             {{ insert bookings ({s}, {s}) }} }} }}\n"
        );
    }
    parse(&text, "booking.hob").unwrap()
}

#[test]
fn those_who_book_meet_below_serializability() {
    for sessions in [2, 3, 4] {
        for level in LEVELS {
            let found = explore(&booking(sessions), &Options::new(level), &|_: &End<'_>| {});
            let pairs = if level == Level::SER { 0 } else { sessions * (sessions - 1) / 2 };
            let met = found.unwrap().meetings;
            assert_eq!(met.len(), pairs, "{sessions} sessions at {level}");
            let names = ["s1/book".to_owned(), "s2/book".to_owned()];
            assert!(met.iter().all(|meeting| meeting.table == "bookings"));
            assert!(pairs == 0 || met[0].transactions == names, "{met:?}");
        }
    }
}

#[test]
fn an_exploration_in_parts_remembers_who_met() {
    for level in [Level::RC, Level::SI] {
        let (program, mut left) = (booking(3), None);
        let options = Options { max: Some(1), ..Options::new(level) };
        let whole = explore(&program, &Options::new(level), &|_: &End<'_>| {}).unwrap();
        loop {
            let part = resume(&program, &options, left.as_ref(), &|_: &End<'_>| {});
            let (found, rest) = part.unwrap();
            left = rest;
            if left.is_none() {
                assert_eq!(found.meetings, whole.meetings, "{level}");
                break;
            }
        }
    }
}
