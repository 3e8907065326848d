//! The counts as tables and as a drawing.

use std::fmt::Write;

use crate::{Coverage, POINTS, WAYS};

/// A table for each application.
pub fn tables(all: &[Coverage]) -> String {
    let mut text = String::new();
    for coverage in all {
        let points: Vec<String> = POINTS.iter().map(u64::to_string).collect();
        let _ = writeln!(text, "| {} | {} | all there are |", coverage.app, points.join(" | "));
        let _ = writeln!(text, "| --- |{}", " --- |".repeat(POINTS.len() + 1));
        for (way, reached) in WAYS.iter().zip(&coverage.reached) {
            let most = coverage.most[usize::from(way.name.starts_with("SER"))];
            let reached: Vec<String> = reached.iter().map(|n| format!("{n:.1}")).collect();
            let _ = writeln!(text, "| {} | {} | {most:.1} |", way.name, reached.join(" | "));
        }
        text.push('\n');
    }
    text
}

/// The page of the docs.
pub fn page(all: &[Coverage], harnesses: u64) -> String {
    let reached = |way: usize| {
        let last = |coverage: &Coverage| coverage.reached[way][POINTS.len() - 1];
        let most =
            |coverage: &Coverage| coverage.most[usize::from(WAYS[way].name.starts_with("SER"))];
        100.0 * all.iter().map(last).sum::<f64>() / all.iter().map(most).sum::<f64>()
    };
    format!(
        "# How much of a level a random store shows

A test that runs against `hob serve` or the library sees one behaviour a run. How many runs does it take to see
most of what the level allows? The explorer knows all there is, so this can be measured [Biswas 2021, section 7.3].

A *client-observable state* is what all operations of all sessions returned. For each of four applications
{harnesses} random harnesses were made from fixed seeds: 2 sessions with the same 2 to 4 operations each, or 3 with 2,
every operation a transaction. `hob explore --mode states` counts the states that a level has; the store ran each
harness {last} times with different seeds, and the different states it showed were counted on the way. *No
delay*: the sessions run one after the other, so that weak behaviours come from the store's choices alone. *Delay*:
at every operation a random session goes next. Every version that the level allows has the same chance, except
with the store's default policy, which prefers those that tend to break applications.

![states reached over iterations](coverage.svg)

After {last} iterations the store with delay had shown {:.0} % of the states at CC ({:.0} % with the default policy)
and {:.0} % at SER; without delay {:.0} % and {:.0} %. Numbers are averages over the harnesses; the first row of each
table is how many iterations were run.

{}Made by `cargo bench -p hobgoblin-explore --bench coverage -- --write`.
",
        reached(0),
        reached(2),
        reached(3),
        reached(1),
        reached(4),
        tables(all),
        last = POINTS[POINTS.len() - 1],
    )
}

const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 240.0;
const COLORS: [&str; 5] = ["#c0392b", "#e59866", "#8e44ad", "#1f618d", "#7fb3d5"];

/// A plot for each application: iterations in logarithmic scale, states, and dashed lines for all there are.
pub fn svg(all: &[Coverage]) -> String {
    let (width, height) = (2.0 * WIDTH, 2.0 * HEIGHT + 40.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{width}\" height=\"{height}\" \
         fill=\"white\"/>\n"
    );
    for (number, coverage) in all.iter().enumerate() {
        let (left, top) = ((number % 2) as f64 * WIDTH, (number / 2) as f64 * HEIGHT);
        one(&mut text, coverage, left, top);
    }
    let mut x = 45.0;
    for (way, color) in WAYS.iter().zip(COLORS) {
        let y = 2.0 * HEIGHT + 20.0;
        let _ = writeln!(
            text,
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            x + 18.0,
            x + 22.0,
            y + 4.0,
            way.name
        );
        // The line, about six a letter, and a gap.
        x += 45.0 + 6.0 * way.name.len() as f64;
    }
    text.push_str("</svg>\n");
    text
}

fn one(text: &mut String, coverage: &Coverage, left: f64, top: f64) {
    let (low, high) = (top + HEIGHT - 35.0, top + 30.0);
    let (start, end) = (left + 45.0, left + WIDTH - 15.0);
    let most = coverage.most[0].max(1.0);
    let last = (POINTS[POINTS.len() - 1] as f64).ln();
    let x = |iterations: u64| start + (end - start) * (iterations as f64).ln() / last;
    let y = |states: f64| low - (low - high) * states / most;
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n\
         <path d=\"M{start} {high} V{low} H{end}\" fill=\"none\" stroke=\"black\"/>",
        start,
        top + 13.0,
        coverage.app
    );
    for point in [1, 10, 100, 1000, 3000] {
        let at = x(point);
        let _ = writeln!(
            text,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{point}</text>",
            low + 14.0
        );
    }
    for (name, states) in [("all at CC", coverage.most[0]), ("all at SER", coverage.most[1])] {
        let at = y(states);
        let _ = writeln!(
            text,
            "<line x1=\"{start}\" y1=\"{at:.1}\" x2=\"{end}\" y2=\"{at:.1}\" stroke=\"gray\" \
             stroke-dasharray=\"4 3\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{states:.1}</text>\
             <text x=\"{}\" y=\"{:.1}\" fill=\"gray\">{name}</text>",
            start - 4.0,
            at + 4.0,
            start + 6.0,
            at - 4.0
        );
    }
    for (reached, color) in coverage.reached.iter().zip(COLORS) {
        let points = POINTS.iter().zip(reached);
        let points: Vec<String> =
            points.map(|(&point, &states)| format!("{:.1},{:.1}", x(point), y(states))).collect();
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
    }
}
