//! A page as one file of HTML that is complete without its script.

mod block;
mod history;
mod incident;

use std::fmt::Write;

use crate::escape::text as escape;
use crate::page::{Again, LevelRow, Page, Runs, Standing};
use crate::policy::policy;

/// Built from `ui/` by `scripts/ui.sh`.
const STYLE: &str = include_str!("../assets/report.css");
const SCRIPT: &str = include_str!("../assets/report.js");

impl Page {
    /// What came of it, in words.
    pub(crate) fn told(&self) -> String {
        if self.verdict.is_empty() { told(&self.levels) } else { self.verdict.clone() }
    }

    /// Whether it has something to ask a server.
    fn is_served(&self) -> bool {
        self.live.is_some() || self.history.as_ref().is_some_and(|table| table.is_served)
    }

    /// The page as one file that opens offline.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title} · hobgoblin</title>\n<style>{STYLE}</style>\n</head>\n<body{}>\n\
             <a class=\"skip\" href=\"#main\">Skip to the findings</a>\n",
            policy(STYLE, SCRIPT, self.is_served()),
            self.live.map_or_else(String::new, |number| format!(
                " data-live=\"live\" data-version=\"{number}\""
            ))
        );
        header(&mut html, self);
        levels(&mut html, &self.levels, self.anomalies.len());
        html.push_str("<main id=\"main\" tabindex=\"-1\">\n");
        notes(&mut html, &self.notes);
        if let Some(runs) = &self.runs {
            runs_section(&mut html, runs);
        }
        for (number, block) in (1..).zip(&self.first) {
            let label = format!("Before, part {number}: {}", block.heading);
            block::section(&mut html, "h2", &label, block);
        }
        for (number, anomaly) in (1..).zip(&self.anomalies) {
            incident::section(&mut html, number, self.anomalies.len(), anomaly);
        }
        if let Some(table) = &self.history {
            history::section(&mut html, table);
        }
        for (number, block) in (1..).zip(&self.blocks) {
            let label = format!("Part {number}: {}", block.heading);
            block::section(&mut html, "h2", &label, block);
        }
        if let Some(again) = &self.again {
            again_section(&mut html, again);
        }
        html.push_str("</main>\n");
        if let Some(table) = &self.history {
            let id = if table.is_served { "history-remote" } else { "history-data" };
            let _ = writeln!(
                html,
                "<script type=\"application/json\" id=\"{id}\">{}</script>",
                table.json
            );
        }
        let _ = write!(html, "<script>{SCRIPT}</script>\n</body>\n</html>\n");
        html
    }
}

fn header(html: &mut String, page: &Page) {
    let command = match page.command.is_empty() {
        true => String::new(),
        false => format!(" <span>{}</span>", escape(&page.command)),
    };
    let verdict = page.told();
    let _ = writeln!(
        html,
        "<header class=\"top\">\n<p class=\"brand\">hobgoblin{command}</p>\n<h1>{}</h1>",
        escape(&page.title)
    );
    if !verdict.is_empty() {
        let _ = writeln!(html, "<p class=\"verdict\">{}</p>", escape(&verdict));
    }
    html.push_str("</header>\n");
}

/// The levels in a sentence or two.
fn told(levels: &[LevelRow]) -> String {
    let of = |standing: Standing| -> Vec<&str> {
        levels.iter().filter(|row| row.standing == standing).map(|row| &*row.title).collect()
    };
    let (holds, violated, unknown) =
        (of(Standing::Holds), of(Standing::Violated), of(Standing::Unknown));
    let mut said = Vec::new();
    match (&holds[..], &violated[..]) {
        ([], []) => {}
        (_, []) if unknown.is_empty() => {
            said.push("No level that was checked is violated.".to_owned())
        }
        (_, []) => said.push(format!("No violation was found; {} hold.", list(&holds))),
        ([], violated) => said.push(format!("Violated: {}.", list(violated))),
        (holds, violated) => {
            said.push(format!("Violated: {}.", list(violated)));
            said.push(format!("Still accepted by {}.", list(holds)));
        }
    }
    if !unknown.is_empty() {
        said.push(format!("Not decided: {}.", list(&unknown)));
    }
    said.join(" ")
}

/// "a, b and c".
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

fn levels(html: &mut String, levels: &[LevelRow], anomalies: usize) {
    if levels.is_empty() {
        return;
    }
    html.push_str("<nav class=\"levels\" aria-label=\"Levels\">\n<ol>\n");
    for row in levels {
        let (class, sign, word) = match row.standing {
            Standing::Holds => ("holds", "✓", "holds"),
            Standing::Violated => ("violated", "✗", "violated"),
            Standing::Unknown => ("unknown", "?", "unknown"),
        };
        let why = match row.why.is_empty() {
            true => String::new(),
            false => format!("<span class=\"why\">{}</span>", escape(&row.why)),
        };
        let inner = format!(
            "<b>{}</b> <span class=\"title\">{}</span> <span class=\"standing\">\
             <span aria-hidden=\"true\">{sign}</span> {word}</span>{why}",
            escape(&row.name),
            escape(&row.title)
        );
        let _ = match row.anomaly.filter(|&at| at < anomalies) {
            Some(at) => {
                writeln!(html, "<li class=\"{class}\"><a href=\"#a{}\">{inner}</a></li>", at + 1)
            }
            None => writeln!(html, "<li class=\"{class}\"><div>{inner}</div></li>"),
        };
    }
    html.push_str("</ol>\n</nav>\n");
}

fn notes(html: &mut String, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    html.push_str("<ul class=\"notes\">\n");
    for note in notes {
        let _ = writeln!(html, "<li>{}</li>", escape(note));
    }
    html.push_str("</ul>\n");
}

fn runs_section(html: &mut String, runs: &Runs) {
    html.push_str("<section id=\"runs\" class=\"plain\">\n<h2>Runs</h2>\n");
    let (head, rows) = run_rows(runs);
    if !rows.is_empty() {
        block::table(html, "Runs by level", &head, &rows);
    }
    if !runs.anomalies.is_empty() {
        let rows: Vec<Vec<String>> = runs
            .anomalies
            .iter()
            .map(|(name, runs)| vec![name.clone(), runs.to_string()])
            .collect();
        block::table(
            html,
            "Anomalies",
            &["anomaly".to_owned(), "runs that showed it".to_owned()],
            &rows,
        );
    }
    html.push_str("</section>\n");
}

/// The runs by level, as a table.
pub(crate) fn run_rows(runs: &Runs) -> (Vec<String>, Vec<Vec<String>>) {
    let percent = |rate: f64| format!("{:.1} %", rate * 100.0);
    let row = |row: &crate::page::RunRow| {
        let rate = match row.runs {
            0 => String::new(),
            runs => percent(row.failures as f64 / runs as f64),
        };
        let interval = row.interval.map_or_else(String::new, |(low, high)| {
            format!("{} – {}", percent(low), percent(high))
        });
        vec![
            row.level.clone(),
            row.runs.to_string(),
            row.failures.to_string(),
            rate,
            interval,
            row.behaviours.map_or_else(String::new, |n| n.to_string()),
            row.first_seed.clone().unwrap_or_default(),
        ]
    };
    let head = ["level", "runs", "failures", "rate", "interval (95 %)", "behaviours", "first seed"];
    (head.map(str::to_owned).to_vec(), runs.levels.iter().map(row).collect())
}

fn again_section(html: &mut String, again: &Again) {
    html.push_str("<section id=\"again\" class=\"plain\">\n<h2>Again</h2>\n");
    if !again.command.is_empty() {
        let _ = writeln!(
            html,
            "<pre class=\"command\" tabindex=\"0\" role=\"region\" aria-label=\"Command\">{}</pre>",
            escape(&again.command)
        );
    }
    let mut said = Vec::new();
    if let Some(seed) = &again.seed {
        said.push(format!("seed <code>{}</code>", escape(seed)));
    }
    if !again.version.is_empty() {
        said.push(format!("hob <code>{}</code>", escape(&again.version)));
    }
    if !said.is_empty() {
        let _ = writeln!(html, "<p class=\"quiet\">{}</p>", said.join(" · "));
    }
    html.push_str("</section>\n");
}
