//! The recorded scenarios: what MariaDB and MySQL answered, and how their statements are said in the PostgreSQL dialect.

use serde_json::Value as Json;

use crate::lanes::{Answer, kind};
use crate::play::{Played, Step};

/// The server whose outcomes count.
const SERVER: &str = "mariadb-10.11.19";

/// One script with what it was answered at one level.
pub(crate) struct Scenario {
    pub(crate) name: String,
    /// The level, in PostgreSQL's words.
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

/// All that can be said in the PostgreSQL dialect, and the names of those that cannot with the reason.
pub(crate) fn all() -> (Vec<Scenario>, Vec<(String, &'static str)>) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/mysql/scenarios.json");
    let text = std::fs::read_to_string(file).expect("the corpus has the scenarios");
    let json: Json = serde_json::from_str(&text).expect("they are JSON");
    let (mut all, mut left) = (Vec::new(), Vec::new());
    for scenario in json["scenarios"].as_array().expect("a list") {
        let name = text_of(&scenario["name"]);
        if let Some((_, why)) = UNTRANSLATED.iter().find(|(other, _)| *other == name) {
            left.push((name, *why));
            continue;
        }
        let outcomes = scenario["outcomes"][SERVER].as_object().expect("an outcome a level");
        for (level, outcome) in outcomes {
            let (level, snapshot_isolation) = match level.split_once(',') {
                Some((level, _)) => (level, true),
                None => (level.as_str(), false),
            };
            let level = level.to_ascii_lowercase();
            let setup = texts(&scenario["setup"]);
            let steps = scenario["steps"].as_array().expect("a list").iter().map(|step| {
                let session = text_of(&step[0]).as_bytes()[0] - b'A';
                (usize::from(session), translate(&text_of(&step[1]), &level).join("; "))
            });
            let recorded = [Some(outcome), outcome.get("another_run")].into_iter().flatten();
            all.push(Scenario {
                name: name.clone(),
                snapshot_isolation,
                setup: setup.iter().flat_map(|sql| translate(sql, &level)).collect(),
                steps: steps.collect(),
                last: text_of(&scenario["final_query"]),
                recorded: recorded.map(recorded_of).collect(),
                level,
            });
        }
    }
    (all, left)
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
            (_, Some(code), _) => Answer::Error(kind(&code.to_string())),
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

/// Scenarios that are about the dialect, and why.
const UNTRANSLATED: &[(&str, &str)] = &[
    ("unique_is_case_insensitive", "the collation that ignores case and pads is MySQL's"),
    ("autocommit_on_commits", "autocommit is a setting of MySQL's sessions"),
    ("auto_increment_gap", "LAST_INSERT_ID is MySQL's"),
    ("lock_tables", "LOCK TABLES ends with UNLOCK TABLES, not with the transaction"),
    ("get_lock", "GET_LOCK is MySQL's"),
];

/// A statement of MySQL's in the PostgreSQL dialect.
fn translate(sql: &str, level: &str) -> Vec<String> {
    let sql = sql.replace(" ENGINE=InnoDB", "");
    let one = |text: &str| vec![text.to_owned()];
    match sql.as_str() {
        "START TRANSACTION" => return one("BEGIN"),
        // The first plain read takes the snapshot.
        "START TRANSACTION WITH CONSISTENT SNAPSHOT" => {
            let reads = level == "repeatable read";
            return one(if reads { "BEGIN; SELECT 1 FROM t LIMIT 1" } else { "BEGIN" });
        }
        "SELECT @@in_transaction" => return one("SELECT 1 WHERE FALSE"),
        "SET innodb_lock_wait_timeout=1" => return one("SET lock_timeout = '300ms'"),
        _ => {}
    }
    if let Some((table, _)) = sql.split_once(", KEY k (k))") {
        return vec![format!("{table})"), "CREATE INDEX ON g (k)".to_owned()];
    }
    // MySQL indexes what refers.
    if sql.contains("REFERENCES p (id)") {
        return vec![sql, "CREATE INDEX ON c (p_id)".to_owned()];
    }
    let said = [
        ("INT AUTO_INCREMENT", "INT GENERATED BY DEFAULT AS IDENTITY"),
        ("UNIQUE KEY name (name)", "UNIQUE (name)"),
        ("LOCK IN SHARE MODE", "FOR SHARE"),
        ("ON DUPLICATE KEY UPDATE n=n+1", "ON CONFLICT (name) DO UPDATE SET n = u.n + 1"),
        (
            "ON DUPLICATE KEY UPDATE n=n+VALUES(n)",
            "ON CONFLICT (name) DO UPDATE SET n = u.n + excluded.n",
        ),
        (
            "UPDATE t JOIN g ON g.id=10 SET t.v=g.v WHERE t.id=1",
            "UPDATE t SET v = g.v FROM g WHERE g.id = 10 AND t.id = 1",
        ),
        ("REPLACE INTO", "INSERT INTO"),
    ];
    let replaces = sql.starts_with("REPLACE");
    let sql = said.iter().fold(sql, |sql, (theirs, ours)| sql.replace(theirs, ours));
    match replaces {
        true => vec![format!("{sql} ON CONFLICT (name) DO UPDATE SET n = excluded.n")],
        false => vec![sql],
    }
}
