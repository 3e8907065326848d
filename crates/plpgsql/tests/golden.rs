//! The trees of our own programs, one for each part of the grammar: `golden/x.sql` is read, `golden/x.tree` is its tree.
//!
//! After a change, run with `UPDATE_GOLDEN=1` and read the difference.

#[path = "support/script.rs"]
#[allow(dead_code)]
mod script;

use std::fmt::Debug;
use std::path::Path;

use hobgoblin_plpgsql::read;

/// How wide a line may be on which a node stands whole.
const WIDTH: usize = 130;

#[test]
fn trees_are_golden() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for (name, source) in script::own() {
        let body = read(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let found = told(&source, &body);
        let path = folder.join(name).with_extension("tree");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &found).expect("it can be written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, expected, "run with UPDATE_GOLDEN=1 and read the difference");
    }
}

/// A tree as text: as `{:#?}` has it, with the text of short spans, and what fits on a line on one.
fn told(source: &str, tree: &impl Debug) -> String {
    let all = format!("{tree:#?}");
    let mut lines: Vec<String> = Vec::new();
    // The lines where something began that is not closed yet.
    let mut open = Vec::new();
    for line in all.lines() {
        // Of four blanks, one is enough.
        let indent = (line.len() - line.trim_start().len()) / 4;
        let text = format!("{}{}", " ".repeat(indent), with_text(source, line.trim_start()));
        if line.ends_with(['{', '(', '[']) {
            open.push(lines.len());
        }
        lines.push(text);
        if !line.trim_start().starts_with(['}', ')', ']']) {
            continue;
        }
        let first = open.pop().expect("what is closed was open");
        let parts: Vec<&str> = lines[first..].iter().map(|line| line.trim()).collect();
        let one = parts.join(" ").replace("( ", "(").replace(", )", ")").replace(", }", " }");
        let one =
            one.replace("[ ", "[").replace(", ]", "]").replace("Fragment { span: ", "Fragment { ");
        if indent + one.chars().count() <= WIDTH {
            lines.truncate(first);
            lines.push(format!("{}{one}", " ".repeat(indent)));
        }
    }
    lines.join("\n") + "\n"
}

/// A line of a tree; if it is a span, with what stands there, unless that is long.
fn with_text(source: &str, line: &str) -> String {
    let span = || -> Option<&str> {
        let (start, end) = line.strip_prefix("span: ")?.strip_suffix(',')?.split_once("..")?;
        source.get(start.parse().ok()?..end.parse().ok()?)
    };
    match span() {
        Some(text) if text.len() < 60 && !text.contains('\n') => {
            format!("{} `{text}`,", line.trim_end_matches(','))
        }
        _ => line.to_owned(),
    }
}
