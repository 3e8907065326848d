//! The section of an anomaly: what happened, the picture, the proof, the transactions.

use std::fmt::Write;

use hobgoblin_core::EventId;

use crate::anomaly::{Anomaly, Moment, Participant};
use crate::arrow::Arrow;
use crate::escape::text as escape;
use crate::proof::Sentence;
use crate::svg::Sketch;

pub(super) fn section(html: &mut String, number: usize, of: usize, anomaly: &Anomaly) {
    let id = format!("a{number}");
    let mut kicker = Vec::new();
    if of > 1 {
        kicker.push(format!("anomaly {number} of {of}"));
    }
    if !anomaly.violated.is_empty() {
        kicker.push(format!("violates {}", escape(&anomaly.violated)));
    }
    let _ = writeln!(
        html,
        "<article id=\"{id}\" class=\"anomaly\" data-anomaly=\"{number}\" aria-labelledby=\"{id}-headline\">\n\
         <p class=\"kicker\">{}</p>\n<h2 id=\"{id}-headline\">{}</h2>",
        kicker.join(" · "),
        escape(&anomaly.headline)
    );
    if !anomaly.wrong.is_empty() {
        let _ = writeln!(html, "<p class=\"wrong\">{}</p>", escape(&anomaly.wrong));
    }
    if !anomaly.moments.is_empty() {
        timeline(html, &id, anomaly);
    }
    if let Some(sketch) = &anomaly.sketch {
        graph(html, &id, anomaly, sketch);
    }
    if !anomaly.proof.is_empty() {
        proof(html, &id, anomaly);
    }
    if !anomaly.participants.is_empty() {
        transactions(html, &id, &anomaly.participants);
    }
    for (at, block) in anomaly.beside.iter().enumerate() {
        let label = format!("Part {} of anomaly {number}: {}", at + 1, block.heading);
        super::block::section(html, "h3", &label, block);
    }
    if !anomaly.prevented.is_empty() {
        html.push_str(
            "<section class=\"prevented\">\n<h3>What would have prevented it</h3>\n<ul>\n",
        );
        for way in &anomaly.prevented {
            let _ = writeln!(html, "<li>{}</li>", escape(way));
        }
        html.push_str("</ul>\n</section>\n");
    }
    if !anomaly.names.is_empty() {
        let _ =
            writeln!(html, "<p class=\"quiet\">In the literature: {}.</p>", escape(&anomaly.names));
    }
    html.push_str("</article>\n");
}

fn events(events: &[EventId]) -> String {
    let numbers: Vec<String> = events.iter().map(|e| e.to_string()).collect();
    match numbers.is_empty() {
        true => String::new(),
        false => format!(" data-events=\"{}\"", numbers.join(" ")),
    }
}

fn timeline(html: &mut String, id: &str, anomaly: &Anomaly) {
    let _ = writeln!(
        html,
        "<section id=\"{id}-timeline\" class=\"panel\" data-panel=\"timeline\">\n<h3>Timeline</h3>\n\
         <p class=\"quiet\">{}</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline of anomaly {}\">\n<table class=\"timeline\">\n\
         <thead><tr><th scope=\"col\"><span class=\"unseen\">step</span></th>",
        escape(&anomaly.order),
        &id[1..]
    );
    for lane in &anomaly.columns {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escape(lane));
    }
    let lines = anomaly.moments.iter().any(|moment| moment.line != 0);
    if lines {
        html.push_str("<th scope=\"col\">line</th>");
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for (at, moment) in anomaly.moments.iter().enumerate() {
        let class = if moment.mark.is_some() { " class=\"guilty\"" } else { "" };
        let number = at + 1;
        let _ = write!(
            html,
            "<tr id=\"{id}-m{number}\"{class}{}><th scope=\"row\">{number}</th>",
            events(&moment.events)
        );
        for column in 0..anomaly.columns.len() {
            match column == moment.column {
                true => cell(html, anomaly, at),
                false if open(&anomaly.moments, at, column) => {
                    html.push_str("<td class=\"open\"></td>")
                }
                false => html.push_str("<td></td>"),
            }
        }
        if lines {
            let line = if moment.line == 0 { String::new() } else { moment.line.to_string() };
            let _ = write!(html, "<td class=\"line\">{line}</td>");
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</div>\n</section>\n");
}

/// Whether a column has a transaction that began before this moment and goes on after it.
fn open(moments: &[Moment], at: usize, column: usize) -> bool {
    let of = |moment: &&Moment| moment.column == column;
    let before = moments[..at].iter().rev().find(of);
    let after = moments[at..].iter().find(of);
    matches!((before, after), (Some(before), Some(after)) if before.txn == after.txn)
}

fn cell(html: &mut String, anomaly: &Anomaly, at: usize) {
    let moment = &anomaly.moments[at];
    let same = |other: &Moment| other.txn == moment.txn && other.column == moment.column;
    let first = !anomaly.moments[..at].iter().any(same);
    let last = !anomaly.moments[at + 1..].iter().any(same);
    let class = match (first, last) {
        (true, true) => "act first last",
        (true, false) => "act first",
        (false, true) => "act last",
        (false, false) => "act",
    };
    let _ = write!(html, "<td class=\"{class}\">");
    // A column that is called by its transaction needs not name it again.
    if first && !anomaly.columns[moment.column].starts_with(&moment.name) {
        let _ = write!(html, "<span class=\"txn\">{}</span>", escape(&moment.name));
    }
    if moment.folded.is_empty() {
        let _ = write!(html, "<code>{}</code>", escape(&moment.text));
    } else {
        let _ = write!(html, "<details><summary>{}</summary><ul>", escape(&moment.text));
        for folded in &moment.folded {
            let _ = write!(html, "<li><code>{}</code></li>", escape(folded));
        }
        html.push_str("</ul></details>");
    }
    if !moment.came.is_empty() {
        let _ = write!(html, " <code class=\"came\">{}</code>", escape(&moment.came));
    }
    if let Some(mark) = &moment.mark {
        let _ = write!(
            html,
            " <mark><span aria-hidden=\"true\">◄</span><span class=\"unseen\">decisive</span> {}</mark>",
            escape(mark)
        );
    }
    html.push_str("</td>");
}

fn graph(html: &mut String, id: &str, anomaly: &Anomaly, sketch: &Sketch) {
    let _ = writeln!(
        html,
        "<section id=\"{id}-graph\" class=\"panel\" data-panel=\"graph\">\n<h3>Graph</h3>\n\
         <div class=\"scroll picture\" tabindex=\"0\" role=\"region\" aria-label=\"Picture of anomaly {}\">\n{}</div>",
        &id[1..],
        sketch.embedded()
    );
    if !sketch.arrows.is_empty() {
        html.push_str("<h4>The arrows in words</h4>\n<ol class=\"arrows\">\n");
        for (at, arrow) in sketch.arrows.iter().enumerate() {
            let sentence = number_of(&anomaly.proof, &|s: &Sentence| s.arrow == Some(at));
            let why = sentence.map_or_else(String::new, |number| {
                format!(" <a href=\"#{id}-s{}\">sentence {number}</a>", number.replace('.', "-"))
            });
            let class = if arrow.decides { " class=\"cycle\"" } else { "" };
            let _ = writeln!(
                html,
                "<li id=\"{id}-e{at}\"{class} data-edge=\"{at}\"{}>{} → {} <code>{}</code>{why}</li>",
                events(&arrow.events()),
                escape(&arrow.from),
                escape(&arrow.to),
                escape(&arrow.label)
            );
        }
        html.push_str("</ol>\n");
        legend(html, &sketch.arrows);
    }
    html.push_str("</section>\n");
}

/// What the labels of the arrows mean, for those that are there.
const RELATIONS: [(&str, &str); 5] = [
    ("so", "earlier in the same session"),
    ("wr", "wrote the value that the other read"),
    ("ww", "wrote the key before the other did"),
    ("rw", "read a value that the other replaced"),
    ("rt", "ended before the other began"),
];

fn legend(html: &mut String, arrows: &[Arrow]) {
    html.push_str("<dl class=\"legend\">\n");
    for (relation, meaning) in RELATIONS {
        let is = |label: &str| label.split('(').next() == Some(relation);
        if arrows.iter().any(|arrow| is(&arrow.label)) {
            let _ = writeln!(html, "<div><dt><code>{relation}</code></dt><dd>{meaning}</dd></div>");
        }
    }
    if arrows.iter().any(|arrow| !arrow.decides) {
        html.push_str("<div><dt>dashed</dt><dd>what the other arrows rest on</dd></div>\n");
    }
    html.push_str("</dl>\n");
}

fn proof(html: &mut String, id: &str, anomaly: &Anomaly) {
    let _ = writeln!(
        html,
        "<section id=\"{id}-proof\" class=\"panel\" data-panel=\"proof\">\n<h3>Proof</h3>"
    );
    sentences(html, id, anomaly, &anomaly.proof, "");
    html.push_str("</section>\n");
}

/// Sentences with their reasons; they nest no deeper than the proof was told.
fn sentences(html: &mut String, id: &str, anomaly: &Anomaly, list: &[Sentence], above: &str) {
    html.push_str("<ol class=\"proof\">\n");
    for (at, sentence) in (1..).zip(list) {
        let number = format!("{above}{at}");
        let edge = sentence.arrow.map_or_else(String::new, |edge| format!(" data-edge=\"{edge}\""));
        let stop = if above.is_empty() { " class=\"stop\"" } else { "" };
        let _ = write!(
            html,
            "<li id=\"{id}-s{}\"{stop}{edge}{}><p><span class=\"number\">{number}</span> {}",
            number.replace('.', "-"),
            events(&sentence.events),
            escape(&sentence.text)
        );
        if let Some(step) = sentence.see
            && let Some(told) =
                number_of(&anomaly.proof, &|s: &Sentence| s.establishes == Some(step))
        {
            let _ = write!(html, ", <a href=\"#{id}-s{}\">see {told}</a>.", told.replace('.', "-"));
        }
        if let Some(edge) = sentence.arrow {
            let label = escape(&anomaly.arrows()[edge].label);
            let _ =
                write!(html, " <a class=\"edge\" href=\"#{id}-e{edge}\"><code>{label}</code></a>");
        }
        let places = moments(anomaly, &sentence.events);
        for place in places {
            let _ = write!(html, " <a class=\"place\" href=\"#{id}-m{place}\">step {place}</a>");
        }
        html.push_str("</p>");
        if !sentence.reasons.is_empty() {
            let what = if sentence.otherwise.is_empty() { "Why?" } else { &sentence.otherwise };
            let _ = writeln!(html, "<details><summary>{}</summary>", escape(what));
            sentences(html, id, anomaly, &sentence.reasons, &format!("{number}."));
            html.push_str("</details>");
        }
        html.push_str("</li>\n");
    }
    html.push_str("</ol>\n");
}

/// The steps of the timeline that have these events.
fn moments(anomaly: &Anomaly, events: &[EventId]) -> Vec<usize> {
    let has = |moment: &Moment| events.iter().any(|e| moment.events.contains(e));
    let at = |(at, moment): (usize, &Moment)| has(moment).then_some(at + 1);
    anomaly.moments.iter().enumerate().filter_map(at).collect()
}

/// The number of the first sentence like this, as `1.2`.
fn number_of(list: &[Sentence], like: &dyn Fn(&Sentence) -> bool) -> Option<String> {
    for (at, sentence) in (1..).zip(list) {
        if like(sentence) {
            return Some(format!("{at}"));
        }
        if let Some(below) = number_of(&sentence.reasons, like) {
            return Some(format!("{at}.{below}"));
        }
    }
    None
}

fn transactions(html: &mut String, id: &str, participants: &[Participant]) {
    let _ = writeln!(
        html,
        "<section id=\"{id}-transactions\" class=\"panel\" data-panel=\"transactions\">\n<h3>Transactions</h3>"
    );
    for one in participants {
        let mut about = format!("session {}, {}", escape(&one.session), one.status);
        if one.line != 0 {
            let _ = write!(about, ", line {}", one.line);
        }
        let _ =
            writeln!(html, "<h4>{} <span class=\"quiet\">{about}</span></h4>", escape(&one.name));
        if !one.statements.is_empty() {
            html.push_str("<ol class=\"statements\">\n");
            for statement in &one.statements {
                let _ = writeln!(html, "<li><code>{}</code></li>", escape(statement));
            }
            html.push_str("</ol>\n");
        }
        let _ = write!(
            html,
            "<details{}><summary>{}</summary><ul class=\"events\">",
            if one.statements.is_empty() { " open" } else { "" },
            crate::layout::count(one.events.len() + one.more, "event")
        );
        for event in &one.events {
            let _ = write!(html, "<li><code>{}</code></li>", escape(event));
        }
        if one.more > 0 {
            let _ = write!(html, "<li>… and {} more</li>", one.more);
        }
        html.push_str("</ul></details>\n");
    }
    html.push_str("</section>\n");
}
