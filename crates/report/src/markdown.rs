//! A page as Markdown, for the summary of a CI job or a comment on a change.
//!
//! What comes from data is written so that it stays text: every character that Markdown or HTML would read is an
//! entity.

use std::fmt::Write;

use crate::anomaly::Anomaly;
use crate::block::{Block, Body};
use crate::escape::seen;
use crate::html;
use crate::page::{Page, Runs, Standing};

/// Of more anomalies, steps of a timeline or rows of a table, only so many are written; a summary is to be read.
const ANOMALIES: usize = 10;
const STEPS: usize = 60;
const ROWS: usize = 50;

impl Page {
    /// The page as Markdown, as GitHub reads it.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n", plain(&self.title));
        let verdict = self.told();
        if !verdict.is_empty() {
            let _ = writeln!(text, "{}\n", plain(&verdict));
        }
        for note in &self.notes {
            let _ = writeln!(text, "> {}\n", plain(note));
        }
        levels(&mut text, self);
        if let Some(runs) = &self.runs {
            of_runs(&mut text, runs);
        }
        // Several levels may be violated by the same story.
        let mut told: Vec<&Anomaly> = Vec::new();
        for anomaly in &self.anomalies {
            let same = |other: &&Anomaly| {
                other.headline == anomaly.headline && other.wrong == anomaly.wrong
            };
            if !told.iter().any(same) {
                told.push(anomaly);
            }
        }
        for anomaly in told.iter().take(ANOMALIES) {
            of_anomaly(&mut text, anomaly);
        }
        if told.len() > ANOMALIES {
            let _ = writeln!(text, "… and {} more.\n", told.len() - ANOMALIES);
        }
        for block in &self.blocks {
            of_block(&mut text, block);
        }
        if let Some(again) = &self.again {
            let seed = again
                .seed
                .as_ref()
                .map_or_else(String::new, |seed| format!(" · seed {}", plain(seed)));
            let _ = writeln!(
                text,
                "<sub>{} · hob {}{seed}</sub>",
                code(&again.command),
                plain(&again.version)
            );
        }
        text
    }
}

fn levels(text: &mut String, page: &Page) {
    if page.levels.is_empty() {
        return;
    }
    let rows = page.levels.iter().map(|row| {
        let standing = match row.standing {
            Standing::Holds => "✓ holds",
            Standing::Violated => "✗ violated",
            Standing::Unknown => "? unknown",
        };
        [&*row.name, &*row.title, standing, &*row.why].map(plain).to_vec()
    });
    table(text, &["level", "", "", ""].map(str::to_owned), rows.collect());
}

fn of_runs(text: &mut String, runs: &Runs) {
    let (head, rows) = html::run_rows(runs);
    if !rows.is_empty() {
        table(
            text,
            &head,
            rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect(),
        );
    }
    let rows: Vec<Vec<String>> =
        runs.anomalies.iter().map(|(name, runs)| vec![plain(name), runs.to_string()]).collect();
    if !rows.is_empty() {
        table(text, &["anomaly", "runs that showed it"].map(str::to_owned), rows);
    }
}

fn of_anomaly(text: &mut String, anomaly: &Anomaly) {
    let _ = writeln!(text, "### {}\n", plain(&anomaly.headline));
    if !anomaly.wrong.is_empty() {
        let _ = writeln!(text, "{}\n", plain(&anomaly.wrong));
    }
    if !anomaly.moments.is_empty() {
        let mut head = vec![String::new()];
        head.extend(anomaly.columns.iter().map(|column| plain(column)));
        let rows = anomaly.moments.iter().enumerate().map(|(at, moment)| {
            let mut row = vec![String::new(); anomaly.columns.len() + 1];
            row[0] = (at + 1).to_string();
            let mut cell = code(&moment.text);
            if !moment.came.is_empty() {
                let _ = write!(cell, " {}", plain(&moment.came));
            }
            if let Some(mark) = &moment.mark {
                cell = format!("**{cell}** ◄ {}", plain(mark));
            }
            row[moment.column + 1] = cell.trim_end().to_owned();
            row
        });
        table(text, &head, rows.collect());
        let _ = writeln!(text, "{}\n", plain(&anomaly.order));
    }
    for block in &anomaly.beside {
        of_block(text, block);
    }
    for way in &anomaly.prevented {
        let _ = writeln!(text, "- prevented by: {}", plain(way));
    }
    if !anomaly.prevented.is_empty() {
        text.push('\n');
    }
    if !anomaly.names.is_empty() {
        let _ = writeln!(text, "<sub>{}</sub>\n", plain(&anomaly.names));
    }
}

fn of_block(text: &mut String, block: &Block) {
    let _ = writeln!(text, "#### {}\n", plain(&block.heading));
    match &block.body {
        Body::Words(lines) => lines.iter().for_each(|line| _ = writeln!(text, "{}\n", plain(line))),
        Body::Text(lines) => {
            text.push_str("<pre>");
            text.push_str(&lines.lines().map(plain).collect::<Vec<_>>().join("\n"));
            text.push_str("</pre>\n\n");
        }
        Body::Table { head, rows } => {
            let rows = rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect());
            table(text, &head.iter().map(|cell| plain(cell)).collect::<Vec<_>>(), rows.collect());
        }
        // They lead to a server that is gone when this is read.
        Body::Links(_) => {}
    }
}

/// A table of cells that are Markdown already.
fn table(text: &mut String, head: &[String], rows: Vec<Vec<String>>) {
    let _ = writeln!(text, "| {} |\n|{}", head.join(" | "), " --- |".repeat(head.len()));
    let most = if head.first().is_some_and(String::is_empty) { STEPS } else { ROWS };
    for row in rows.iter().take(most) {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    if let Some(more) = rows.len().checked_sub(most + 1) {
        let _ = writeln!(text, "| … and {} more |{}", more + 1, " |".repeat(head.len() - 1));
    }
    text.push('\n');
}

/// Text that stays text.
fn plain(text: &str) -> String {
    let mut escaped = String::new();
    let text = seen(text);
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        let is_word = before.is_alphanumeric() && rest.peek().is_some_and(|c| c.is_alphanumeric());
        before = c;
        match c {
            '_' if is_word => escaped.push(c),
            '\n' | '\r' | '\t' => escaped.push(' '),
            // What can begin no markup inside of a line.
            ' ' | ',' | ';' | ':' | '.' | '(' | ')' | '\'' | '"' | '=' | '/' | '-' | '%' => {
                escaped.push(c)
            }
            c if c.is_ascii_punctuation() => _ = write!(escaped, "&#{};", u32::from(c)),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Code on one line.
fn code(text: &str) -> String {
    format!("<code>{}</code>", plain(text))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn data_stays_text() {
        assert_eq!(plain("a|b\n<img src=x>"), "a&#124;b &#60;img src=x&#62;");
        assert_eq!(plain("**x** `y` [z](u)"), "&#42;&#42;x&#42;&#42; &#96;y&#96; &#91;z&#93;(u)");
        assert_eq!(plain("@someone #12"), "&#64;someone &#35;12");
        assert_eq!(plain("i_id _x_ y_"), "i_id &#95;x&#95; y&#95;");
    }
}
