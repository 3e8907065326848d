//! What is found out about a file, without the file: names instead of ids.

use hobgoblin_prove::analysis::{Anomaly, Dependency, Obstacle, Options, Step};
use hobgoblin_prove::program::{Place, Program, StatementKind};
use hobgoblin_prove::replay::{Outcome, serially};
use hobgoblin_prove::scenario::{Instance, Order, Scenario};
use serde::Serialize;
use serde::ser::Serializer;

use super::advice::{AdviceReport, RepairReport};
use super::schedule::{Event, events, label};
use super::shape::{Link, Shape};
use super::source::{Spot, statements, writes};
use super::status::{Status, by_name};
use super::value::{Named, Row, literal};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// The answer for a file, or why there is none. Serialized, it is a line of `--json`, which docs/prove.schema.json
/// describes.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) file: String,
    #[serde(flatten)]
    pub(super) answer: Option<Answer>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "error")]
    pub(super) error: Option<Diagnostic>,
}

#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) status: Status,
    /// The level of each transaction, in the order of the file.
    #[serde(serialize_with = "by_name")]
    pub(super) levels: Vec<(String, &'static str)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) serial: Vec<[String; 2]>,
    /// What writers must have in common.
    pub(super) conflicts: &'static str,
    /// The file of formulas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) spec: Option<String>,
    /// The most transactions of a cycle that was searched for.
    pub(super) k: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) claim: Option<String>,
    /// The directory that has the proof's questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) certificate: Option<String>,
    pub(super) anomalies: Vec<AnomalyReport>,
    /// With `--advise`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<AdviceReport>,
    pub(super) undecided: Vec<Undecided>,
    pub(super) failed_proofs: Vec<FailedProof>,
    /// Whether proofs were asked for.
    #[serde(skip)]
    pub(super) proofs: bool,
    pub(super) interrupted: bool,
    pub(super) solver: String,
    pub(super) questions: usize,
    pub(super) seconds: f64,
}

/// A combination of transactions that the search did not decide.
#[derive(Debug, Serialize)]
pub(super) struct Undecided {
    pub(super) transactions: String,
    pub(super) reason: String,
}

/// A proof that was tried and failed.
#[derive(Debug, Serialize)]
pub(super) struct FailedProof {
    pub(super) method: String,
    /// The questions that were not answered as it needs.
    pub(super) questions: Vec<OpenQuestion>,
}

/// A question that nothing should satisfy, and that was not answered so.
#[derive(Debug, Serialize)]
pub(super) struct OpenQuestion {
    pub(super) question: String,
    /// Whether something satisfies it; else there is no answer.
    pub(super) satisfied: bool,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

impl OpenQuestion {
    pub(super) fn of(Obstacle { question, unanswered }: Obstacle) -> OpenQuestion {
        OpenQuestion { question, satisfied: unanswered.is_none(), reason: unanswered }
    }
}

/// A cycle of dependencies, with values.
#[derive(Debug, Serialize)]
pub(super) struct AnomalyReport {
    pub(super) name: String,
    #[serde(skip)]
    pub(super) shape: Shape,
    /// Where it begins.
    pub(super) line: usize,
    pub(super) transactions: Vec<String>,
    pub(super) confirmed: bool,
    /// Whether anybody can tell it from a serial order, with some values; else it is no anomaly.
    pub(super) visible: bool,
    /// Whether some serial order leaves the same rows; absent if it was not replayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) harmless_to_state: Option<bool>,
    /// The serial order that leaves the same rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_by: Option<Vec<String>>,
    /// Why it is not confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    pub(super) initial_rows: Vec<Row>,
    pub(super) instances: Vec<InstanceReport>,
    pub(super) schedule: Vec<Event>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) final_rows: Option<Vec<Row>>,
    /// What the instances leave one after the other, where that is something else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) serial_outcomes: Vec<SerialOutcome>,
    pub(super) edges: Vec<EdgeReport>,
    /// With `--advise`: what undoes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repairs: Option<Vec<RepairReport>>,
    #[serde(skip)]
    pub(super) spot: Spot,
}

/// A run of a transaction.
#[derive(Debug, Serialize)]
pub(super) struct InstanceReport {
    pub(super) id: String,
    pub(super) transaction: String,
    pub(super) level: &'static str,
    pub(super) parameters: Named,
    /// The instances whose writes it sees, at MVRC by its last statement.
    pub(super) sees: Vec<String>,
    /// Whether each of its statements sees something else.
    #[serde(skip)]
    pub(super) by_statement: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct SerialOutcome {
    pub(super) order: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// Why an instance comes before another.
#[derive(Debug, Serialize)]
pub(super) struct EdgeReport {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) kind: &'static str,
    pub(super) table: String,
    pub(super) key: Named,
    /// None: whether the row exists.
    pub(super) column: Option<String>,
    /// The lines of the two statements.
    pub(super) lines: [usize; 2],
    #[serde(skip)]
    pub(super) dependency: Dependency,
    /// What the statement that writes did to the row.
    #[serde(skip)]
    change: &'static str,
    #[serde(skip)]
    pub(super) spots: [Spot; 2],
}

impl Report {
    /// What this file alone would end the program with.
    pub(super) fn exit(&self) -> Exit {
        match self.answer.as_ref().map(|answer| answer.status) {
            _ if self.error.is_some() => Exit::Error,
            Some(Status::Anomaly) => Exit::Violation,
            Some(Status::Unknown) => Exit::Unknown,
            Some(Status::Proved) | None => Exit::Holds,
        }
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every name is text and every number finite")
    }
}

impl AnomalyReport {
    pub(super) fn of(
        program: &Program,
        levels: &[(String, &'static str)],
        anomaly: &Anomaly,
        options: &Options,
    ) -> AnomalyReport {
        let Anomaly { scenario, steps, replayed, .. } = anomaly;
        let links: Vec<Link> = steps.iter().map(|step| link(program, scenario, step)).collect();
        let shape = Shape::of(&links);
        let edges: Vec<EdgeReport> =
            steps.iter().map(|step| EdgeReport::of(program, step)).collect();
        // A read that was overwritten is where the trouble begins.
        let begins = edges.iter().find(|edge| edge.dependency == Dependency::ReadWrite);
        let spot = match begins.or(edges.first()) {
            Some(edge) => edge.spots[0].clone(),
            None => {
                Spot::of(program, program.transactions[scenario.instances[0].transaction].place)
            }
        };
        let outcome = replayed.as_ref().ok();
        let confirmed = anomaly.is_confirmed();
        let name = |instance: &Instance| program.transactions[instance.transaction].name.clone();
        AnomalyReport {
            name: shape.name(),
            shape,
            line: spot.line,
            transactions: scenario.instances.iter().map(name).collect(),
            confirmed,
            visible: anomaly.visible || confirmed,
            harmless_to_state: outcome.map(Outcome::is_harmless_to_the_state),
            left_by: outcome.and_then(|outcome| Some(labels(outcome.left_by.as_ref()?))),
            reason: (!confirmed).then(|| doubt(replayed)),
            initial_rows: scenario
                .rows
                .iter()
                .map(|(table, values)| Row::of(program, *table, values))
                .collect(),
            instances: instances(program, levels, scenario),
            schedule: outcome
                .map_or_else(Vec::new, |outcome| events(program, scenario, &outcome.executed)),
            final_rows: outcome.map(|outcome| Row::of_state(program, &outcome.executed.state)),
            serial_outcomes: outcome
                .filter(|outcome| !outcome.is_harmless_to_the_state())
                .map_or_else(Vec::new, |_| serial_outcomes(program, scenario, options)),
            edges,
            repairs: None,
            spot,
        }
    }
}

fn labels(order: &[usize]) -> Vec<String> {
    order.iter().map(|&at| label(at)).collect()
}

/// Why a cycle is not confirmed.
fn doubt(replayed: &Result<Outcome, String>) -> String {
    match replayed {
        Err(why) => format!("it could not be run: {why}"),
        Ok(outcome) => match &outcome.explained_by {
            Some(order) => {
                let order = labels(order).join(", then ");
                format!("with these values nobody can tell it from {order}, one after the other")
            }
            None if outcome.executed.unforced => {
                "the database chose a value by itself, such as a default, and runs may differ by that"
                    .to_owned()
            }
            None => "the solver and the run do not agree on what can be observed".to_owned(),
        },
    }
}

fn instances(
    program: &Program,
    levels: &[(String, &'static str)],
    scenario: &Scenario,
) -> Vec<InstanceReport> {
    let report = |(at, instance): (usize, &Instance)| {
        let transaction = &program.transactions[instance.transaction];
        let parameters = transaction.variables.iter().zip(&instance.parameters);
        let (sees, by_statement): (Vec<usize>, bool) = match &scenario.order {
            Order::Views(views) => {
                (views.get(at).map_or_else(Vec::new, |view| view.sees.clone()), false)
            }
            Order::Turns(turns) => {
                use hobgoblin_prove::scenario::Step::{Commit, Snapshot, Statement};
                let last = turns.iter().rposition(|&turn| turn == (at, Statement));
                let before = turns[..last.unwrap_or(0)].iter();
                let seen = before.filter(|(_, step)| *step == Commit).map(|&(who, _)| who);
                (seen.collect(), !turns.contains(&(at, Snapshot)))
            }
        };
        InstanceReport {
            id: label(at),
            transaction: transaction.name.clone(),
            level: levels[instance.transaction].1,
            parameters: Named(
                parameters
                    .map(|(variable, value)| (variable.name.clone(), literal(value)))
                    .collect(),
            ),
            sees: sees.into_iter().map(label).collect(),
            by_statement,
        }
    };
    scenario.instances.iter().enumerate().map(report).collect()
}

/// What two instances leave one after the other. Of more there are too many orders to read.
fn serial_outcomes(
    program: &Program,
    scenario: &Scenario,
    options: &Options,
) -> Vec<SerialOutcome> {
    if scenario.instances.len() != 2 {
        return Vec::new();
    }
    let outcome = |order: [usize; 2]| {
        let left = serially(program, scenario, &order, options.postgres).ok()?;
        let rows = Row::of_state(program, &left.state);
        Some(SerialOutcome { order: order.map(label).to_vec(), rows })
    };
    [[0, 1], [1, 0]].into_iter().filter_map(outcome).collect()
}

fn link(program: &Program, scenario: &Scenario, step: &Step) -> Link {
    let inserts = |place: Place| {
        statements(program).any(|statement| statement.place == place && is_insert(&statement.kind))
    };
    let (from, to) = step.places;
    let transaction = &program.transactions[scenario.instances[step.from].transaction];
    let inside = |place: Place| transaction.place.has(place);
    Link {
        kind: step.kind,
        cell: (step.table, step.key.clone(), step.column),
        inserts: match step.kind {
            Dependency::WriteRead => inserts(from),
            Dependency::WriteWrite => inserts(from) && inserts(to),
            Dependency::ReadWrite => inserts(to),
        },
        from_writes: statements(program)
            .any(|statement| inside(statement.place) && writes(statement)),
    }
}

fn is_insert(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Insert { .. } => true,
        // `INSERT … SELECT`.
        StatementKind::ForQuery { body, .. } => {
            matches!(body.as_slice(), [one] if one.sql.is_empty() && is_insert(&one.kind))
        }
        _ => false,
    }
}

impl EdgeReport {
    fn of(program: &Program, step: &Step) -> EdgeReport {
        let table = &program.tables[step.table.0 as usize];
        let column = |at: usize| table.columns[at].name.clone();
        let key = table.key.iter().zip(&step.key);
        let key = key.map(|(id, value)| (column(id.0 as usize), literal(value))).collect();
        let spots = [step.places.0, step.places.1].map(|place| Spot::of(program, place));
        EdgeReport {
            from: label(step.from),
            to: label(step.to),
            kind: match step.kind {
                Dependency::WriteRead => "WR",
                Dependency::WriteWrite => "WW",
                Dependency::ReadWrite => "RW",
            },
            table: table.name.clone(),
            key: Named(key),
            column: step.column.map(|id| column(id.0 as usize)),
            lines: [spots[0].line, spots[1].line],
            dependency: step.kind,
            change: match step.kind {
                Dependency::WriteRead => change(program, step.places.0),
                Dependency::WriteWrite | Dependency::ReadWrite => change(program, step.places.1),
            },
            spots,
        }
    }

    /// The row it is about, as `account(id = 1)`.
    fn row(&self) -> String {
        let EdgeReport { table, key, .. } = self;
        if key.0.is_empty() { table.clone() } else { format!("{table}({})", key.text()) }
    }

    /// What it is about, as `account(id = 1).balance`.
    pub(super) fn cell(&self) -> String {
        match &self.column {
            Some(column) => format!("{}.{column}", self.row()),
            None => self.row(),
        }
    }

    /// Why the one comes before the other, in words.
    pub(super) fn reason(&self) -> String {
        let EdgeReport { from, to, change, .. } = self;
        let row = self.row();
        match (self.dependency, &self.column) {
            (Dependency::ReadWrite, Some(column)) => {
                format!("{from} read {column} of {row}, which {to} overwrote")
            }
            (Dependency::WriteRead, Some(column)) => {
                format!("{to} read {column} of {row}, which {from} wrote")
            }
            (Dependency::WriteWrite, Some(column)) => {
                format!("{from} wrote {column} of {row}, which {to} overwrote")
            }
            (Dependency::ReadWrite, None) => {
                format!("{from} looked for {row} and did not see that {to} {change} it")
            }
            (Dependency::WriteRead, None) => {
                format!("{to} looked for {row} and saw that {from} {change} it")
            }
            (Dependency::WriteWrite, None) => {
                format!("{from} inserted or deleted {row}, which {to} {change}")
            }
        }
    }
}

/// What a statement did to a row.
fn change(program: &Program, place: Place) -> &'static str {
    match statements(program).find(|statement| statement.place == place).map(|one| &one.kind) {
        Some(kind) if is_insert(kind) => "inserted",
        Some(StatementKind::Delete { .. }) => "deleted",
        _ => "changed",
    }
}

/// The file is said before.
fn error<S: Serializer>(error: &Option<Diagnostic>, serializer: S) -> Result<S::Ok, S::Error> {
    let error = error.as_ref().map(|error| Diagnostic { file: None, ..error.clone() });
    error.serialize(serializer)
}
