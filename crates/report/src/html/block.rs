//! Parts of a page that are words, text, tables or links.

use std::fmt::Write;

use crate::block::{Block, Body};
use crate::escape::text as escape;

/// A table that scrolls; the label is what those hear who do not see it.
pub(super) fn table(html: &mut String, label: &str, head: &[String], rows: &[Vec<String>]) {
    let _ = write!(
        html,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n<thead><tr>",
        escape(label)
    );
    for title in head {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escape(title));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            let _ = match at {
                0 => write!(html, "<th scope=\"row\">{}</th>", escape(cell)),
                _ => write!(html, "<td>{}</td>", escape(cell)),
            };
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</div>\n");
}

/// A block under a heading of this rank; the label is what those hear who do not see it.
pub(super) fn section(html: &mut String, rank: &str, label: &str, block: &Block) {
    let heading = escape(&block.heading);
    let class = if rank == "h2" { "plain" } else { "beside" };
    let _ = writeln!(html, "<section class=\"{class}\">\n<{rank}>{heading}</{rank}>");
    match &block.body {
        Body::Words(paragraphs) => {
            for paragraph in paragraphs {
                let _ = writeln!(html, "<p>{}</p>", escape(paragraph));
            }
        }
        Body::Text(text) => {
            let _ = writeln!(
                html,
                "<pre tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</pre>",
                escape(label),
                escape(text)
            );
        }
        Body::Table { head, rows } => table(html, label, head, rows),
        Body::Links(links) => {
            html.push_str("<ul class=\"links\">\n");
            for (said, to) in links {
                let _ = writeln!(html, "<li><a href=\"{}\">{}</a></li>", escape(to), escape(said));
            }
            html.push_str("</ul>\n");
        }
    }
    html.push_str("</section>\n");
}
