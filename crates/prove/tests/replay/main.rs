//! Scenarios as a solver gives them, run on the mock store.

mod anomalies;
mod bodies;
mod levels;
mod turns;

use hobgoblin_core::Level;
use hobgoblin_prove::program::{Program, TableId};
use hobgoblin_prove::read::read;
use hobgoblin_prove::replay::{Observation, Outcome, ReplayError, Seen, execute, replay};
use hobgoblin_prove::scenario::{Instance, Literal, Order, Scenario, Step, View};
use hobgoblin_sql::POSTGRES;

/// A program and a scenario of it.
struct Case {
    program: Program,
    scenario: Scenario,
}

fn ints(values: &[i64]) -> Vec<Literal> {
    values.iter().map(|&value| Literal::Int(value)).collect()
}

/// The file, and rows as `table: 1 2, 3 4`.
fn case(text: &str) -> Case {
    let program = read("test.sql", text).unwrap_or_else(|error| panic!("{error}"));
    let order = Order::Views(Vec::new());
    Case { program, scenario: Scenario { rows: Vec::new(), instances: Vec::new(), order } }
}

impl Case {
    fn row(self, table: &str, values: &[i64]) -> Case {
        self.row_of(table, ints(values))
    }

    fn row_of(mut self, table: &str, values: Vec<Literal>) -> Case {
        let at = self.program.tables.iter().position(|known| known.name == table);
        let table = TableId(at.expect("a table of the program") as u32);
        self.scenario.rows.push((table, values));
        self
    }

    fn instance(&mut self, name: &str, parameters: Vec<Literal>, choices: Vec<Literal>) {
        let all = &self.program.transactions;
        let transaction = all.iter().position(|known| known.name == name);
        let transaction = transaction.expect("a transaction of the program");
        self.scenario.instances.push(Instance { transaction, parameters, choices });
    }

    /// The next instance, at a level, which sees these.
    fn at(self, level: Level, name: &str, parameters: &[i64], sees: &[usize]) -> Case {
        self.at_with(level, name, ints(parameters), sees)
    }

    fn at_with(
        mut self,
        level: Level,
        name: &str,
        parameters: Vec<Literal>,
        sees: &[usize],
    ) -> Case {
        self.instance(name, parameters, Vec::new());
        let Order::Views(views) = &mut self.scenario.order else { panic!("turns") };
        views.push(View { level, sees: sees.to_vec() });
        self
    }

    /// The next instance, which takes turns.
    fn taking_turns(mut self, name: &str, parameters: &[i64]) -> Case {
        self.instance(name, ints(parameters), Vec::new());
        self
    }

    /// Turns as `0 0 1 1c 0c`.
    fn turns(mut self, turns: &str) -> Case {
        let turn = |word: &str| match word.strip_suffix('c') {
            Some(number) => (number.parse().expect("a number"), Step::Commit),
            None => (word.parse().expect("a number"), Step::Statement),
        };
        self.scenario.order = Order::Turns(turns.split(' ').map(turn).collect());
        self
    }

    fn replay(&self) -> Result<Outcome, ReplayError> {
        replay(&self.program, &self.scenario, &POSTGRES)
    }

    fn outcome(&self) -> Outcome {
        self.replay().unwrap_or_else(|error| panic!("{error}"))
    }

    fn error(&self) -> ReplayError {
        match self.replay() {
            Ok(outcome) => panic!("{outcome:?}"),
            Err(error) => error,
        }
    }

    /// What is left in a table, as `1 2, 3 null`.
    fn left(&self, table: &str) -> String {
        let done = execute(&self.program, &self.scenario, &POSTGRES)
            .unwrap_or_else(|error| panic!("{error}"));
        let found = done.state.tables.iter().find(|(name, _)| name == table);
        shown(&found.expect("a table of the program").1)
    }
}

fn shown(rows: &[Seen]) -> String {
    let cell = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "null".to_owned());
    let row = |row: &Seen| row.iter().map(cell).collect::<Vec<_>>().join(" ");
    rows.iter().map(row).collect::<Vec<_>>().join(", ")
}

/// What an instance observed, without places.
fn observed(outcome: &Outcome, instance: usize) -> Vec<String> {
    let told = |observation: &Observation| match observation {
        Observation::Rows { rows, .. } => format!("rows {}", shown(rows)),
        Observation::Value { value, .. } => format!("value {}", shown(&[vec![value.clone()]])),
        Observation::Found { found, .. } => format!("found {found}"),
        Observation::Return { value, .. } => format!("return {}", shown(&[vec![value.clone()]])),
        Observation::Error { state, .. } => format!("error {state}"),
        Observation::Abort { .. } => "abort".to_owned(),
    };
    outcome.executed.observations[instance].iter().map(told).collect()
}
