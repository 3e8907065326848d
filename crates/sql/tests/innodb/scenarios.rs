//! The recorded scenarios: what MariaDB and MySQL answered.

use hobgoblin_sql_mysql_types::Version;
use serde_json::Value as Json;

use crate::lanes::Answer;
use crate::play::{Played, Step};

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

/// All of them.
pub(crate) fn all() -> Vec<Scenario> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/mysql/scenarios.json");
    let text = std::fs::read_to_string(file).expect("the corpus has the scenarios");
    let json: Json = serde_json::from_str(&text).expect("they are JSON");
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
