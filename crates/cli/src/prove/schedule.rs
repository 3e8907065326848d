//! What the instances of an anomaly did, in the order they did it.

use std::collections::VecDeque;

use hobgoblin_prove::program::{Place, Program, Statement, StatementKind};
use hobgoblin_prove::replay::{Executed, Observation, Seen};
use hobgoblin_prove::scenario::{Order, Scenario, Step};
use serde::Serialize;

use super::source::{Spot, statements};

/// Something that an instance did.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Event {
    pub(super) instance: String,
    /// The line of the statement; none for a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// The statement, or `commit`.
    pub(super) action: String,
    /// What came of it, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) observed: Option<String>,
    #[serde(skip)]
    pub(super) spot: Option<Spot>,
}

/// What an instance has done and is not told yet.
struct Untold<'e> {
    name: String,
    ran: VecDeque<Place>,
    observed: VecDeque<&'e Observation>,
    /// Whether it was refused or gave up, so that nothing of it stays.
    failed: bool,
}

/// What an instance is called.
pub(super) fn label(at: usize) -> String {
    format!("T{}", at + 1)
}

/// The events of a scenario that was run.
pub(super) fn events(program: &Program, scenario: &Scenario, executed: &Executed) -> Vec<Event> {
    let mut untold: Vec<Untold<'_>> = (0..scenario.instances.len())
        .map(|at| Untold {
            name: label(at),
            ran: executed.ran[at].iter().copied().collect(),
            observed: executed.observations[at].iter().collect(),
            failed: executed.observations[at].iter().any(is_failure),
        })
        .collect();
    let mut all = Vec::new();
    match &scenario.order {
        Order::Views(_) => {
            for instance in &mut untold {
                while instance.statement(program, &mut all) {}
                instance.end(program, &mut all);
            }
        }
        Order::Turns(turns) => {
            for &(at, step) in turns {
                match step {
                    Step::Statement => {
                        untold[at].statement(program, &mut all);
                    }
                    Step::Snapshot => {}
                    Step::Commit => untold[at].end(program, &mut all),
                }
            }
        }
    }
    all
}

impl Untold<'_> {
    /// Tells the next statement, with what it observed; whether there was one.
    fn statement(&mut self, program: &Program, all: &mut Vec<Event>) -> bool {
        let Some(place) = self.ran.pop_front() else { return false };
        let mut seen: Vec<&Observation> = Vec::new();
        // A statement observes each kind of thing once; the same again is of the next round of a loop.
        while let Some(&next) = self.observed.front()
            && is_of(next, place)
            && !seen.iter().any(|known| kind(known) == kind(next))
        {
            seen.push(next);
            self.observed.pop_front();
        }
        let words: Vec<String> = seen.into_iter().map(words).collect();
        all.push(self.event(program, place, Some(words.join(", "))));
        true
    }

    /// Tells what it observed at last, and its end.
    fn end(&mut self, program: &Program, all: &mut Vec<Event>) {
        while self.statement(program, all) {}
        while let Some(last) = self.observed.pop_front() {
            // What is returned stands in the statement that returns it.
            let inside = place_of(last);
            let returns = |one: &&Statement| {
                matches!(one.kind, StatementKind::Return(_)) && one.place.has(inside)
            };
            let place = statements(program).find(returns).map_or(inside, |one| one.place);
            all.push(self.event(program, place, Some(words(last))));
        }
        let action = if self.failed { "rollback" } else { "commit" }.to_owned();
        let instance = self.name.clone();
        all.push(Event { instance, line: None, action, observed: None, spot: None });
    }

    fn event(&self, program: &Program, place: Place, observed: Option<String>) -> Event {
        let spot = Spot::of(program, place);
        Event {
            instance: self.name.clone(),
            line: Some(spot.line),
            action: spot.text.clone(),
            observed: observed.filter(|words| !words.is_empty()),
            spot: Some(spot),
        }
    }
}

/// Whether a statement at a place observed this. What is read by a value or condition inside stands there.
fn is_of(observation: &Observation, place: Place) -> bool {
    match observation {
        Observation::Value { place: inside, .. } | Observation::Return { place: inside, .. } => {
            place.has(*inside)
        }
        Observation::Rows { place: at, .. }
        | Observation::Found { place: at, .. }
        | Observation::Error { place: at, .. } => *at == place,
        Observation::Abort { .. } => false,
    }
}

fn is_failure(observation: &Observation) -> bool {
    match observation {
        Observation::Error { .. } | Observation::Abort { .. } => true,
        Observation::Rows { .. }
        | Observation::Value { .. }
        | Observation::Found { .. }
        | Observation::Return { .. } => false,
    }
}

fn kind(observation: &Observation) -> std::mem::Discriminant<Observation> {
    std::mem::discriminant(observation)
}

fn place_of(observation: &Observation) -> Place {
    match observation {
        Observation::Rows { place, .. }
        | Observation::Value { place, .. }
        | Observation::Found { place, .. }
        | Observation::Return { place, .. }
        | Observation::Error { place, .. }
        | Observation::Abort { place } => *place,
    }
}

/// The rows that are shown of a result.
const ROWS: usize = 4;

fn words(observation: &Observation) -> String {
    match observation {
        Observation::Rows { rows, .. } if rows.is_empty() => "reads no row".to_owned(),
        Observation::Rows { rows, .. } => {
            let mut shown: Vec<String> = rows.iter().take(ROWS).map(tuple).collect();
            if rows.len() > ROWS {
                shown.push(format!("and {} more", rows.len() - ROWS));
            }
            format!("reads {}", shown.join(", "))
        }
        Observation::Value { value, .. } => format!("is {}", printed(value)),
        Observation::Found { found: true, .. } => "finds a row".to_owned(),
        Observation::Found { found: false, .. } => "finds no row".to_owned(),
        Observation::Return { value, .. } => format!("returns {}", printed(value)),
        Observation::Error { state, .. } => match meaning(state) {
            Some(meaning) => format!("is refused: {meaning}"),
            None => format!("is refused: SQLSTATE {state}"),
        },
        Observation::Abort { .. } => "gives up".to_owned(),
    }
}

fn tuple(row: &Seen) -> String {
    match row.as_slice() {
        [one] => printed(one),
        all => format!("({})", all.iter().map(printed).collect::<Vec<_>>().join(", ")),
    }
}

/// A value as it was printed; PostgreSQL prints truth values as one letter.
fn printed(value: &Option<String>) -> String {
    match value.as_deref() {
        None => "NULL".to_owned(),
        Some("t") => "true".to_owned(),
        Some("f") => "false".to_owned(),
        Some(text) => text.to_owned(),
    }
}

/// What the errors mean that transactions run into.
fn meaning(state: &str) -> Option<&'static str> {
    Some(match state {
        "23502" => "a column may not be NULL",
        "23503" => "a foreign key is violated",
        "23505" => "there is such a row already",
        "23514" => "a CHECK is violated",
        "40001" => "serialization failure",
        "P0002" => "there is no row",
        "P0003" => "there is more than one row",
        _ => return None,
    })
}
