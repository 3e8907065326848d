//! Witnesses as graphs for Graphviz.

use std::fmt::Write;

use hobgoblin_core::{Conclusion, Edge, History, Proof, Reason, SortedMap, Witness, sort_dedup};

use super::proof::headline;
use super::words::Words;

/// The witness as a graph: transactions with their events, the edges of the contradiction in bold, the
/// version orders it rests on dashed.
///
/// ```
#[doc = include_str!("../facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::explain::dot;
/// use hobgoblin::check::{Limits, Verdict, check};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// let Verdict::Violation(witness) = check(&history, Level::SI, &Limits::none()) else { panic!() };
/// assert!(dot(&history, &witness).starts_with("digraph"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn dot(history: &History, witness: &Witness) -> String {
    let words = Words { history };
    let mut text = String::from("digraph violation {\n  rankdir=LR;\n");
    text.push_str("  node [shape=box, fontname=\"monospace\"];\n");
    let _ = writeln!(text, "  label={};", quoted(&headline(history, witness)));
    let mut nodes = witness.txns.clone();
    let mut edges: Vec<(Edge, bool)> = Vec::new();
    collect(&witness.proof, true, &mut edges);
    for (edge, _) in &edges {
        nodes.extend([edge.from, edge.to]);
    }
    sort_dedup(&mut nodes);
    for &txn in &nodes {
        let label = format!("{}\n{}", words.name(txn), words.events(txn, &witness.txns));
        let _ = writeln!(text, "  t{txn} [label={}];", quoted(&label));
    }
    let mut drawn = SortedMap::new();
    for (edge, bold) in edges {
        let (relation, key) = match edge.why {
            Reason::Session => ("so", String::new()),
            Reason::RealTime => ("rt", String::new()),
            Reason::Read(e) => ("wr", words.key(history.event(e).key())),
            Reason::Overwrite(e) => ("rw", words.key(history.event(e).key())),
            Reason::Write(k) => ("ww", words.key(k)),
        };
        let label = if key.is_empty() { relation.to_owned() } else { format!("{relation}({key})") };
        if drawn.insert((edge.from, edge.to, label.clone()), ()).is_some() {
            continue;
        }
        let style = if bold { "penwidth=2, color=red" } else { "style=dashed" };
        let (from, to, label) = (edge.from, edge.to, quoted(&label));
        let _ = writeln!(text, "  t{from} -> t{to} [label={label}, {style}];");
    }
    text.push_str("}\n");
    text
}

/// The edges of a proof: those of its end, and the orders its steps establish.
fn collect(proof: &Proof, bold: bool, edges: &mut Vec<(Edge, bool)>) {
    match &proof.conclusion {
        Conclusion::Cycle(cycle) => edges.extend(cycle.iter().map(|&e| (e, bold))),
        Conclusion::Sources { cases, .. } => {
            for (_, case) in cases {
                collect(case, false, edges);
            }
        }
        Conclusion::Read(_) | Conclusion::Search => {}
    }
    for step in &proof.steps {
        let why = Reason::Write(step.key);
        edges.push((Edge { from: step.first, to: step.second, why }, false));
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}
