//! The OpenAPI document against a server: every path is there, and every example is accepted.

use hobgoblin_core::Level;
use serde_json::Value as Json;

use crate::support::{Raw, server};

fn document() -> Json {
    serde_json::from_str(hobgoblin_server::openapi()).expect("the document is JSON")
}

/// Every method of every path: its name, path, and description.
fn operations(document: &Json) -> Vec<(String, String, Json)> {
    let mut all = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            if method != "parameters" {
                all.push((method.to_uppercase(), path.clone(), operation.clone()));
            }
        }
    }
    all
}

#[test]
fn the_server_serves_this_document() {
    let server = server(Level::RC);
    let (status, served) = Raw::new(&server).ask("GET", "/openapi.json", "");
    assert_eq!((status, served.as_str()), (200, hobgoblin_server::openapi()));
    server.stop().expect("it stops");
}

#[test]
fn every_reference_is_there_and_every_schema_is_used() {
    let document = document();
    let text = hobgoblin_server::openapi();
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    let used: Vec<&str> = text
        .split("\"#/components/schemas/")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap_or_default())
        .collect();
    for name in &used {
        assert!(schemas.contains_key(*name), "{name} is not described");
    }
    for name in schemas.keys() {
        assert!(used.contains(&name.as_str()), "{name} is not used");
    }
    let mut ids: Vec<Json> = operations(&document)
        .into_iter()
        .map(|(.., operation)| operation["operationId"].clone())
        .collect();
    let count = ids.len();
    ids.sort_by_key(Json::to_string);
    ids.dedup();
    assert_eq!(ids.len(), count, "operations have names of their own");
}

#[test]
fn every_example_is_accepted_and_answered_as_described() {
    let document = document();
    let server = server(Level::RC);
    let mut raw = Raw::new(&server);
    let mut asked = 0;
    for (method, path, operation) in operations(&document) {
        let reference = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        let name = reference.as_str().and_then(|reference| reference.rsplit('/').next());
        let examples = match name {
            Some(name) => document["components"]["schemas"][name]["examples"].clone(),
            None => Json::Array(vec![Json::Null]),
        };
        for example in examples.as_array().expect("a body has examples") {
            let (status, made) = raw.ask("POST", "/v1/sessions", "");
            assert_eq!(status, 201, "{made}");
            let made: Json = serde_json::from_str(&made).unwrap();
            let session = format!("/v1/sessions/{}", made["session"].as_str().unwrap());
            // What has to come first.
            let id = operation["operationId"].as_str().expect("a name");
            if ["commit", "abort", "savepoint", "rollback", "release"].contains(&id) {
                raw.ask("POST", &format!("{session}/begin"), "");
            }
            if ["rollback", "release"].contains(&id) {
                raw.ask("POST", &format!("{session}/savepoint"), r#"{"name":"before"}"#);
            }
            let path = path.replace("/v1/sessions/{session}", &session);
            let body = if example.is_null() { String::new() } else { example.to_string() };
            let (status, text) = raw.ask(&method, &path, &body);
            let described = &operation["responses"][status.to_string()];
            assert!(
                status < 300 && !described.is_null(),
                "{method} {path} {body}: {status} {text}"
            );
            let content = &described["content"]["application/json"]["schema"]["$ref"];
            if let Some(name) = content.as_str().and_then(|reference| reference.rsplit('/').next())
            {
                let answer = serde_json::from_str(&text).expect("the answer is JSON");
                conforms(&document, &answer, name, &text);
            }
            asked += 1;
        }
    }
    assert!(asked > 30, "{asked}");
    server.stop().expect("it stops");
}

/// Whether an answer has the members its schema has.
fn conforms(document: &Json, answer: &Json, schema: &str, text: &str) {
    let schema = &document["components"]["schemas"][schema];
    let Some(members) = answer.as_object() else {
        assert_eq!(schema["type"], "array", "{text}");
        return;
    };
    for required in schema["required"].as_array().into_iter().flatten() {
        assert!(members.contains_key(required.as_str().unwrap()), "{required} is missing: {text}");
    }
    for name in members.keys() {
        assert!(!schema["properties"][name].is_null(), "{name} is not described: {text}");
    }
}
