//! A [`Telling`] as text for a terminal.
//!
//! Sessions stand side by side where there is room, else one below the other with their names before each line.

use super::telling::{Line, Order, Telling};

/// A timeline that is wider is written with names in place of columns.
const WIDTH: usize = 132;
/// Prose is broken before this.
const PROSE: usize = 100;

/// The whole telling.
pub(super) fn render(telling: &Telling) -> String {
    let mut text = format!("{}\n\n", telling.headline);
    if telling.order == Order::Fits && telling.columns.len() > 1 {
        text.push_str("In an order that fits what everyone saw:\n\n");
    }
    if !telling.lines.is_empty() {
        timeline(telling, &mut text);
        text.push('\n');
    }
    wrapped("", &telling.wrong, &mut text);
    if !telling.prevented.is_empty() {
        text.push('\n');
    }
    for (at, repair) in telling.prevented.iter().enumerate() {
        let label = if at == 0 { "Prevented by: " } else { "          or: " };
        wrapped(label, repair, &mut text);
    }
    wrapped("", &format!("({})", telling.names), &mut text);
    text
}

/// A paragraph, its lines indented below the first's label.
fn wrapped(label: &str, paragraph: &str, text: &mut String) {
    let indent = label.chars().count();
    let mut line = label.to_owned();
    let mut empty = true;
    for word in paragraph.split(' ') {
        if !empty && line.chars().count() + 1 + word.chars().count() > PROSE {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(indent);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    text.push_str(&line);
    text.push('\n');
}

fn timeline(telling: &Telling, text: &mut String) {
    let said: Vec<String> = telling.lines.iter().map(said).collect();
    let mut widths = Vec::new();
    for column in &telling.columns {
        widths.push(column.title.chars().count());
    }
    for (line, said) in telling.lines.iter().zip(&said) {
        if let Some(width) = widths.get_mut(line.column) {
            *width = said.chars().count().max(*width);
        }
    }
    // Where each column begins, and where a column after the last one would.
    let mut begins = vec![0];
    for (at, width) in widths.iter().enumerate() {
        begins.push(begins[at] + width + 3);
    }
    if begins[widths.len()] > WIDTH {
        return by_name(telling, &said, text);
    }
    let mut heads = String::new();
    for (at, column) in telling.columns.iter().enumerate() {
        let width = if at + 1 == telling.columns.len() { 0 } else { widths[at] + 3 };
        heads.push_str(&format!("{:<width$}", column.title));
    }
    text.push_str(&format!("  {}\n", heads.trim_end()));
    for (line, said) in telling.lines.iter().zip(&said) {
        let indent = " ".repeat(begins[line.column]);
        text.push_str(&format!("  {indent}{said}\n"));
    }
}

fn by_name(telling: &Telling, said: &[String], text: &mut String) {
    let longest = telling.columns.iter().map(|column| column.title.chars().count()).max();
    let width = longest.unwrap_or(0);
    let mut last: Option<&Line> = None;
    for (line, said) in telling.lines.iter().zip(said) {
        let title = telling.columns.get(line.column).map_or("", |column| &column.title);
        let before = last.replace(line).filter(|before| before.column == line.column);
        // The end of a transaction needs no line of its own.
        let written = text.trim_end().len();
        let line_before = &text[text[..written].rfind('\n').map_or(0, |at| at + 1)..written];
        let wide = line_before.chars().count() + said.chars().count() + 2;
        if said.starts_with("COMMIT") && before.is_some_and(|b| b.mark.is_none()) && wide <= WIDTH {
            text.truncate(written);
            text.push_str(&format!("; {said}\n"));
            continue;
        }
        let title = if before.is_some() { "" } else { title };
        text.push_str(&format!("  {title:<width$}  {said}\n"));
    }
}

/// A line without its column.
fn said(line: &Line) -> String {
    let mut said = line.text.clone();
    if !line.came.is_empty() {
        said.push_str("   ");
        said.push_str(&line.came);
    }
    match line.mark.as_deref() {
        Some("") => said.push_str("   ◄"),
        Some(mark) => said.push_str(&format!("   ◄ {mark}")),
        None => {}
    }
    said
}
