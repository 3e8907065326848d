//! The OpenAPI document, made from the table of routes: what is routed is described, and nothing else.
//!
//! The schemas of bodies are in `schemas.json`, with examples that the tests send to a server.

use serde_json::{Map, Value as Json, json};

use crate::route::Route;

/// The document of these routes.
pub(crate) fn document(routes: &[Route]) -> Json {
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| path_of(route.path));
        path[route.method.to_ascii_lowercase()] = operation(route);
    }
    let schemas: Json = serde_json::from_str(include_str!("schemas.json"))
        .expect("the schemas are JSON, as tested");
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Hobgoblin store",
            "description": "A store whose every read returns any value the isolation level allows.",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {
                "type": "http",
                "scheme": "bearer",
                "description": "Needed when the server was started with a token.",
            }},
        },
    })
}

/// What all methods of a path share: its parameters.
fn path_of(path: &str) -> Json {
    if !path.contains("{session}") {
        return json!({});
    }
    json!({"parameters": [{
        "name": "session",
        "in": "path",
        "required": true,
        "description": "The session's name or number, as POST /v1/sessions gave it.",
        "schema": {"type": "string"},
    }]})
}

fn operation(route: &Route) -> Json {
    let schema = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let answer = match route.answer {
        "" => json!({"description": "Done."}),
        media if media.contains('/') => json!({"description": "Done.", "content": {media: {}}}),
        name => json!({
            "description": "Done.",
            "content": {"application/json": {"schema": schema(name)}},
        }),
    };
    let problem = json!({
        "description": "It was not done.",
        "content": {"application/problem+json": {"schema": schema("Problem")}},
    });
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.summary,
        "responses": {route.status: answer, "default": problem},
    });
    if !route.body.is_empty() {
        operation["requestBody"] = json!({
            "required": false,
            "content": {"application/json": {"schema": schema(route.body)}},
        });
    }
    if !route.query.is_empty() {
        let parameter = |&(name, description): &(&str, &str)| {
            let schema = json!({"type": "string"});
            json!({"name": name, "in": "query", "description": description, "schema": schema})
        };
        operation["parameters"] = route.query.iter().map(parameter).collect();
    }
    operation
}
