//! The section of the history: its counts, what is left out, and some rows. The script draws the others.

use std::fmt::Write;

use crate::escape::text as escape;
use crate::table::Table;

pub(super) fn section(html: &mut String, table: &Table) {
    let _ = writeln!(
        html,
        "<section id=\"history\" class=\"panel\" data-panel=\"history\">\n<h2>History</h2>\n<p>{}.</p>",
        escape(&table.counts)
    );
    for hides in &table.hides {
        let _ = writeln!(html, "<p class=\"hides\">{}</p>", escape(hides));
    }
    let _ = writeln!(
        html,
        "<div class=\"scroll rows\" tabindex=\"0\" role=\"region\" aria-label=\"Transactions\">\n<table>\n\
         <thead><tr><th scope=\"col\">transaction</th><th scope=\"col\">session</th>\
         <th scope=\"col\">status</th><th scope=\"col\">line</th><th scope=\"col\">events</th></tr></thead>\n<tbody>"
    );
    for row in &table.rows {
        let (class, sign) = match row.witness {
            true => (" class=\"witness\"", "<span title=\"in an anomaly\">◆</span> "),
            false => ("", ""),
        };
        let line = if row.line == 0 { String::new() } else { row.line.to_string() };
        let _ = writeln!(
            html,
            "<tr{class}><th scope=\"row\">{sign}{}</th><td>{}</td><td>{}</td><td>{line}</td><td>{}</td></tr>",
            escape(&row.name),
            escape(&row.session),
            row.status,
            escape(&row.events)
        );
    }
    html.push_str("</tbody>\n</table>\n</div>\n");
    if table.rows.len() < table.shown {
        let _ = writeln!(
            html,
            "<p class=\"without-script\">{} of {} transactions are listed; the others need JavaScript.</p>",
            table.rows.len(),
            table.shown
        );
    }
    html.push_str("</section>\n");
}
