//! The forms of a plan: text, JSON, XML, YAML, laid out as PostgreSQL does.

use serde_json::{Value, json};

/// A step of a plan, and those it takes rows from.
pub(super) struct Node {
    pub(super) text: String,
    pub(super) below: Vec<Node>,
}

/// A form that EXPLAIN can give a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExplainFormat {
    Text,
    Json,
    Xml,
    Yaml,
}

/// The rows of a plan: one for each line as text, else one.
pub(super) fn rows(root: &Node, format: ExplainFormat) -> Vec<String> {
    let mut out = String::new();
    match format {
        ExplainFormat::Text => {
            let mut lines = Vec::new();
            text(root, 0, &mut lines);
            return lines;
        }
        ExplainFormat::Json => {
            let plan = json!([{ "Plan": value(root) }]);
            out = serde_json::to_string_pretty(&plan).unwrap_or_default();
        }
        ExplainFormat::Xml => {
            out.push_str("<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n");
            xml(root, 2, &mut out);
            out.push_str("  </Query>\n</explain>");
        }
        ExplainFormat::Yaml => {
            out.push_str("- Plan: ");
            yaml(root, 4, "\n    ", &mut out);
        }
    }
    vec![out]
}

fn text(node: &Node, depth: usize, lines: &mut Vec<String>) {
    lines.push(match depth {
        0 => node.text.clone(),
        depth => format!("{}->  {}", "      ".repeat(depth - 1) + "  ", node.text),
    });
    node.below.iter().for_each(|node| text(node, depth + 1, lines));
}

/// The properties of a node: `Index Scan using i on t` is a type and two names.
fn properties(node: &Node) -> Vec<(&'static str, &str)> {
    let (rest, relation) = match node.text.split_once(" on ") {
        Some((rest, relation)) => (rest, Some(relation)),
        None => (node.text.as_str(), None),
    };
    let (kind, index) = match rest.split_once(" using ") {
        Some((kind, index)) => (kind, Some(index)),
        None => (rest, None),
    };
    let mut all = vec![("Node Type", kind)];
    all.extend(index.map(|index| ("Index Name", index)));
    all.extend(relation.map(|relation| ("Relation Name", relation)));
    all
}

fn value(node: &Node) -> Value {
    let mut object = serde_json::Map::new();
    for (name, text) in properties(node) {
        object.insert(name.to_owned(), text.into());
    }
    if !node.below.is_empty() {
        object.insert("Plans".to_owned(), node.below.iter().map(value).collect());
    }
    Value::Object(object)
}

fn xml(node: &Node, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    out.push_str(&format!("{indent}<Plan>\n"));
    for (name, text) in properties(node) {
        let (name, text) = (name.replace(' ', "-"), escaped(text));
        out.push_str(&format!("{indent}  <{name}>{text}</{name}>\n"));
    }
    if !node.below.is_empty() {
        out.push_str(&format!("{indent}  <Plans>\n"));
        node.below.iter().for_each(|node| xml(node, depth + 2, out));
        out.push_str(&format!("{indent}  </Plans>\n"));
    }
    out.push_str(&format!("{indent}</Plan>\n"));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn yaml(node: &Node, indent: usize, first: &str, out: &mut String) {
    let next = format!("\n{}", " ".repeat(indent));
    for (at, (name, text)) in properties(node).into_iter().enumerate() {
        out.push_str(if at == 0 { first } else { &next });
        out.push_str(&format!("{name}: {}", Value::from(text)));
    }
    if !node.below.is_empty() {
        out.push_str(&format!("{next}Plans: "));
        for node in &node.below {
            let first = format!("\n{}- ", " ".repeat(indent + 2));
            yaml(node, indent + 4, &first, out);
        }
    }
}
