//! Reports as SARIF 2.1.0, which code scanning reads.

use serde_json::{Value, json};

use super::report::{AnomalyReport, Report};
use super::shape::{Shape, among};
use super::source::Spot;
use super::status::Status;

/// All that has a name is a rule.
const RULES: [Shape; 8] = [
    Shape::RowInsertedTwice,
    Shape::LostUpdate,
    Shape::WriteSkew,
    Shape::NonRepeatableRead,
    Shape::ReadSkew,
    Shape::ReadOnlyAnomaly,
    Shape::LongFork,
    Shape::Cycle(0),
];

const HELP: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/prove.md");

/// One document for all files.
pub(super) fn document(reports: &[Report]) -> Value {
    let results: Vec<Value> = reports
        .iter()
        .flat_map(|report| report.answer.iter().map(move |answer| (report, answer)))
        .flat_map(|(report, answer)| {
            answer
                .anomalies
                .iter()
                .filter(|anomaly| anomaly.visible)
                .map(|anomaly| result(&report.file, anomaly))
        })
        .collect();
    let notes: Vec<Value> = reports.iter().filter_map(notification).collect();
    let rules: Vec<Value> = RULES.iter().map(|&shape| rule(shape)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "hob prove",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": HELP,
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": reports.iter().all(|report| report.error.is_none()),
                "toolExecutionNotifications": notes,
            }],
            "results": results,
        }],
    })
}

fn rule(shape: Shape) -> Value {
    let name = match shape {
        Shape::Cycle(_) => "cycle of dependencies".to_owned(),
        named => named.name(),
    };
    json!({
        "id": shape.code(),
        "name": camel(shape.code()),
        "shortDescription": {"text": name},
        "fullDescription": {"text": shape.meaning()},
        "helpUri": HELP,
        "help": {"text": format!("{} See docs/prove.md.", shape.meaning())},
        "defaultConfiguration": {"level": "error"},
    })
}

/// `lost-update` as `LostUpdate`.
fn camel(code: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    };
    code.split('-').map(word).collect()
}

fn result(file: &str, anomaly: &AnomalyReport) -> Value {
    let names: Vec<&str> = anomaly.transactions.iter().map(String::as_str).collect();
    let rule = RULES.iter().position(|rule| rule.code() == anomaly.shape.code());
    let among = among(&names);
    let mut message = format!("{} {among}.", anomaly.name);
    for edge in &anomaly.edges {
        message.push_str(&format!(" {}.", edge.reason()));
    }
    match &anomaly.reason {
        None => message.push_str(" Confirmed by running it."),
        Some(why) => message.push_str(&format!(" Not confirmed: {why}.")),
    }
    let spots = anomaly
        .edges
        .iter()
        .flat_map(|edge| edge.spots.iter().map(move |spot| location(file, spot, &edge.reason())));
    let related: Vec<Value> = spots
        .enumerate()
        .map(|(at, mut location)| {
            location["id"] = json!(at + 1);
            location
        })
        .collect();
    let steps: Vec<Value> = anomaly
        .schedule
        .iter()
        .filter_map(|event| {
            let spot = event.spot.as_ref()?;
            let at = anomaly.instances.iter().position(|one| one.id == event.instance)?;
            let who = format!("{} ({})", event.instance, anomaly.instances[at].transaction);
            let observed = event.observed.as_deref().unwrap_or("runs");
            Some(json!({"location": location(file, spot, &format!("{who}: {observed}"))}))
        })
        .collect();
    let mut result = json!({
        "ruleId": anomaly.shape.code(),
        "ruleIndex": rule,
        "level": if anomaly.confirmed { "error" } else { "warning" },
        "message": {"text": message},
        "locations": [location(file, &anomaly.spot, &format!("{} {among}", anomaly.name))],
        "relatedLocations": related,
        "partialFingerprints": {
            "hobProve/v1": format!("{}/{}", anomaly.shape.code(), names.join(",")),
        },
    });
    if !steps.is_empty() {
        result["codeFlows"] = json!([{"threadFlows": [{"locations": steps}]}]);
    }
    result
}

fn location(file: &str, spot: &Spot, message: &str) -> Value {
    let (end_line, end_column) = spot.end;
    json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri(file)},
            "region": {
                "startLine": spot.line,
                "startColumn": spot.column,
                "endLine": end_line,
                "endColumn": end_column,
            },
        },
        "message": {"text": message},
    })
}

/// What is to say of a file beside its anomalies.
fn notification(report: &Report) -> Option<Value> {
    let (level, text) = match (&report.error, &report.answer) {
        (Some(error), _) => ("error", error.message.clone()),
        (None, Some(answer)) if answer.status == Status::Unknown => {
            ("warning", "unknown: neither an anomaly was confirmed nor a proof found".to_owned())
        }
        _ => return None,
    };
    let mut location =
        json!({"physicalLocation": {"artifactLocation": {"uri": uri(&report.file)}}});
    if let Some(line) = report.error.as_ref().map(|error| error.line).filter(|&line| line > 0) {
        location["physicalLocation"]["region"] = json!({"startLine": line});
    }
    Some(json!({"level": level, "message": {"text": text}, "locations": [location]}))
}

/// A file as a URI: relative ones stay so, which is what code scanning wants.
fn uri(file: &str) -> String {
    let mut text = String::new();
    if file.starts_with('/') {
        text.push_str("file://");
    }
    for byte in file.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                text.push(byte as char)
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_uris() {
        assert_eq!(uri("./a b/ü.sql"), "a%20b/%C3%BC.sql");
        assert_eq!(uri("/tmp/a.sql"), "file:///tmp/a.sql");
        assert_eq!(camel("row-inserted-twice"), "RowInsertedTwice");
    }
}
