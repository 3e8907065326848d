//! A program as a test: it passes, or panics with the assertion that is broken and the history that breaks it.

use std::fmt::Write;
use std::panic::panic_any;

use crate::assess::explore;
use crate::describe::{EndReport, describe};
use crate::end::End;
use crate::found::{AssertionVerdict, Claimed, Found};
use crate::options::Options;
use crate::program::Program;

/// Explores a program, whose assertions have to hold.
///
/// ```
/// use hobgoblin_core::Level;
/// use hobgoblin_explore::{Options, Program, Transaction, check};
///
/// let increment = |t: &mut Transaction<'_>| {
///     let n: i64 = t.read("x")?;
///     t.write("x", n + 1)
/// };
/// let program = Program::new()
///     .init("x", 0)
///     .session("one", |s| s.txn("add", increment))
///     .session("two", |s| s.txn("add", increment))
///     .observe("x")
///     .assert_always("nothing is lost", |end| end.last(&"x".into()) == 2.into());
/// check(&program, &Options::new(Level::SER));
///
/// let weak = std::panic::catch_unwind(|| check(&program, &Options::new(Level::CC)));
/// let message = weak.unwrap_err().downcast::<String>().unwrap();
/// assert!(message.contains("\"nothing is lost\" is broken"), "{message}");
/// assert!(message.contains("lost update"), "{message}");
/// ```
///
/// # Panics
///
/// When an assertion is broken, when it is not known to hold because not every history was explored, when the
/// program has none, and when it cannot be explored.
#[track_caller]
pub fn check(program: &Program, options: &Options) {
    if program.assertions().is_empty() {
        panic!("the program asserts nothing, so nothing is checked; see Program::assert_always");
    }
    let found = match explore(program, options, &|_: &End<'_>| {}) {
        Ok(found) => found,
        Err(error) => panic!("the program cannot be explored: {error}"),
    };
    if found.broken().next().is_some() {
        panic_any(told(program, options, &found));
    }
}

fn told(program: &Program, options: &Options, found: &Found) -> String {
    let level = options.level.info().title;
    let mut text = format!("at {level} ({}), {} histories\n", options.level, found.histories);
    for claimed in found.broken() {
        let _ = write!(text, "\n{}", claim(program, found, claimed));
    }
    text
}

fn claim(program: &Program, found: &Found, claimed: &Claimed) -> String {
    let name = &claimed.name;
    let example = claimed.count.example.as_ref();
    let (told, example) = match (claimed.verdict, example) {
        (AssertionVerdict::Holds, _) => (String::new(), None),
        (AssertionVerdict::Broken, None) => (format!("no history shows {name:?}\n"), None),
        (AssertionVerdict::Broken, example) => {
            let histories = claimed.count.histories;
            (format!("{name:?} is broken by {histories} of them, the smallest is\n"), example)
        }
        (AssertionVerdict::Unknown, example) if found.complete => {
            let rows =
                "a database that keeps the rows of a table apart may not have these histories";
            (format!("whether {name:?} holds is not known: {rows}\n"), example)
        }
        (AssertionVerdict::Unknown, _) => {
            let left = "not every history was explored; allow more or longer";
            (format!("whether {name:?} holds is not known: {left}\n"), None)
        }
    };
    let shown = example.map(|example| match describe(program, &example.token) {
        Ok(report) => shown(&report),
        Err(error) => format!("{error}\n"),
    });
    told + &shown.unwrap_or_default()
}

fn shown(report: &EndReport) -> String {
    let mut text = String::new();
    for txn in &report.transactions {
        let end = if txn.aborted { " aborted" } else { "" };
        let _ = writeln!(text, "    {}: {} {{ {} }}{end}", txn.session, txn.id, txn.events);
    }
    if let Some(explained) = &report.diagnosis.text {
        let _ = write!(text, "\n{explained}");
    }
    let _ = writeln!(text, "\nTo make it again: replay(&program, {:?}, …)", report.token);
    text
}
