//! The recorded scenarios: what MariaDB and MySQL answered.

use std::collections::BTreeSet;

use hobgoblin_sql_mysql_types::Version;
use serde_json::Value as Json;

use crate::lanes::Answer;
use crate::order::Step;
use crate::play::Played;

/// The servers whose outcomes were recorded.
pub(crate) const SERVERS: [(&str, Version); 3] = [
    ("mariadb-10.11.19", Version::MariaDb10_11),
    ("mariadb-11.8.6", Version::MariaDb11_8),
    ("mysql-9.7.4", Version::MySql9_7),
];

/// One script with what a server answered at one level.
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) server: &'static str,
    pub(crate) version: Version,
    pub(crate) level: String,
    /// The level and what was set beside it, as the file has it.
    pub(crate) recorded_as: String,
    /// Whether `innodb_snapshot_isolation` is on.
    pub(crate) snapshot_isolation: bool,
    pub(crate) setup: Vec<String>,
    pub(crate) steps: Vec<Step>,
    pub(crate) last: String,
    /// The outcomes that were recorded: one, or where it is a race two.
    pub(crate) recorded: Vec<Recorded>,
}

/// What a server answered.
pub(crate) struct Recorded {
    pub(crate) steps: Vec<Played>,
    pub(crate) last: Answer,
}

/// A scenario that is answered in another way than by a server at some levels, and why.
#[derive(Debug)]
#[expect(dead_code, reason = "why they differ is for the reader of a failure")]
pub(crate) struct Except {
    scenario: String,
    server: String,
    levels: Vec<String>,
    why: String,
}

impl Except {
    pub(crate) fn is_of(&self, scenario: &Scenario) -> bool {
        self.scenario == scenario.name
            && self.server == scenario.server
            && self.levels.contains(&scenario.recorded_as)
    }
}

/// Where we differ: of at most five scenarios.
pub(crate) fn exceptions() -> Vec<Except> {
    let lines = corpus("exceptions.tsv");
    let exceptions = lines.lines().map(|line| {
        let [scenario, server, levels, why] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}");
        };
        let [scenario, server, why] = [scenario, server, why].map(str::to_owned);
        Except { scenario, server, levels: levels.split("; ").map(str::to_owned).collect(), why }
    });
    let exceptions: Vec<Except> = exceptions.collect();
    let scenarios: BTreeSet<&str> = exceptions.iter().map(|one| one.scenario.as_str()).collect();
    assert!(scenarios.len() <= 5, "{scenarios:?}");
    exceptions
}

fn corpus(name: &str) -> String {
    let file = format!("{}/../../corpus/mysql/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// All of them.
pub(crate) fn all() -> Vec<Scenario> {
    let json: Json = serde_json::from_str(&corpus("scenarios.json")).expect("they are JSON");
    let mut all = Vec::new();
    for scenario in json["scenarios"].as_array().expect("a list") {
        for (server, version) in SERVERS {
            let outcomes = scenario["outcomes"][server].as_object().expect("an outcome a level");
            for (level, outcome) in outcomes {
                all.push(scenario_of(scenario, server, version, level, outcome));
            }
        }
    }
    all
}

fn scenario_of(
    json: &Json,
    server: &'static str,
    version: Version,
    level: &str,
    outcome: &Json,
) -> Scenario {
    let recorded_as = level.to_owned();
    // MariaDB 11.8 has it on unless told otherwise.
    let (level, snapshot_isolation) = match level.split_once(',') {
        Some((level, _)) => (level, true),
        None => (level, version == Version::MariaDb11_8),
    };
    let steps = json["steps"].as_array().expect("a list").iter().map(|step| {
        let session = text_of(&step[0]).as_bytes()[0] - b'A';
        (usize::from(session), text_of(&step[1]))
    });
    let recorded = [Some(outcome), outcome.get("another_run")].into_iter().flatten();
    Scenario {
        name: text_of(&json["name"]),
        server,
        version,
        recorded_as,
        snapshot_isolation,
        setup: texts(&json["setup"]),
        steps: steps.collect(),
        last: text_of(&json["final_query"]),
        recorded: recorded.map(recorded_of).collect(),
        level: level.to_ascii_lowercase(),
    }
}

fn text_of(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

fn texts(json: &Json) -> Vec<String> {
    json.as_array().into_iter().flatten().map(text_of).collect()
}

fn recorded_of(json: &Json) -> Recorded {
    let steps = json["steps"].as_array().expect("an answer a step").iter().map(|step| {
        let answer = match (step.get("rows"), step.get("error"), step.get("affected")) {
            (Some(rows), _, _) => rows_of(rows),
            (_, Some(code), _) => Answer::Error(code.to_string()),
            (_, _, affected) => Answer::Done(affected.and_then(Json::as_u64).unwrap_or(0)),
        };
        let until = step["until_step"].as_u64().and_then(|step| usize::try_from(step).ok());
        Played { answer, until }
    });
    Recorded { steps: steps.collect(), last: rows_of(&json["final"]) }
}

fn rows_of(rows: &Json) -> Answer {
    let cell = |cell: &Json| match cell {
        Json::Null => "NULL".to_owned(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    let row = |row: &Json| row.as_array().into_iter().flatten().map(cell).collect();
    Answer::Rows(rows.as_array().into_iter().flatten().map(row).collect())
}
