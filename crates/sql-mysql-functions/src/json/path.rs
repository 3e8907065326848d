//! Paths into documents: `$.a[1]`, `$[*]`, `$**.x`, `$."a b"`, `$[last-1]`.

use super::document::{Document, unescaped};

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// A member of an object.
    Member(String),
    /// Every member.
    Members,
    /// An item of an array; a negative one is counted from the end.
    Item(i64),
    /// Every item.
    Items,
    /// Whatever is at any depth.
    Anywhere,
}

/// How many steps a path may have.
const MOST_STEPS: usize = 256;
/// How often it may go to any depth.
const MOST_DEPTHS: usize = 3;

/// A path, or the place, from 1, at which a text is none.
pub(super) fn read(text: &str) -> Result<Vec<Step>, usize> {
    let letters: Vec<char> = text.chars().collect();
    let mut at = letters.iter().take_while(|letter| letter.is_whitespace()).count();
    if letters.get(at) != Some(&'$') {
        return Err(at + 1);
    }
    at += 1;
    let mut steps = Vec::new();
    while at < letters.len() {
        let depths = steps.iter().filter(|step| **step == Step::Anywhere).count();
        if steps.len() > MOST_STEPS || depths > MOST_DEPTHS {
            return Err(at + 1);
        }
        match letters[at] {
            ' ' => at += 1,
            '.' => {
                at += 1;
                match letters.get(at) {
                    Some('*') => {
                        steps.push(Step::Members);
                        at += 1;
                    }
                    Some('"') => {
                        let start = at + 1;
                        at = start;
                        while letters.get(at).ok_or(at + 1)? != &'"' {
                            at += 1 + usize::from(letters[at] == '\\');
                        }
                        let end = at.min(letters.len());
                        let raw: String = letters[start..end].iter().collect();
                        steps.push(Step::Member(unescaped(&raw)));
                        at += 1;
                    }
                    _ => {
                        let start = at;
                        while letters.get(at).is_some_and(|letter| !".[ *".contains(*letter)) {
                            at += 1;
                        }
                        if at == start {
                            return Err(at + 1);
                        }
                        steps.push(Step::Member(letters[start..at].iter().collect()));
                    }
                }
            }
            '[' => {
                let close = letters[at..].iter().position(|letter| *letter == ']');
                let close = at + close.ok_or(letters.len() + 1)?;
                let inner: String = letters[at + 1..close].iter().collect();
                steps.push(subscript(inner.trim()).ok_or(at + 2)?);
                at = close + 1;
            }
            '*' if letters.get(at + 1) == Some(&'*') => {
                steps.push(Step::Anywhere);
                at += 2;
            }
            _ => return Err(at + 1),
        }
    }
    match steps.last() {
        Some(Step::Anywhere) => Err(letters.len() + 1),
        _ => Ok(steps),
    }
}

fn subscript(text: &str) -> Option<Step> {
    if text == "*" {
        return Some(Step::Items);
    }
    match text.strip_prefix("last") {
        Some("") => Some(Step::Item(-1)),
        Some(rest) => {
            let back: i64 = rest.trim().strip_prefix('-')?.trim().parse().ok()?;
            Some(Step::Item(-1 - back))
        }
        None => text.parse().ok().map(Step::Item),
    }
}

/// Where an item of an array of some length is.
pub(super) fn place(index: i64, length: usize) -> Option<usize> {
    let index = if index < 0 { index + length as i64 } else { index };
    usize::try_from(index).ok().filter(|index| *index < length)
}

/// Whether a path may mean several places.
pub(super) fn is_wild(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step, Step::Members | Step::Items | Step::Anywhere))
}

/// What a path means in a document.
pub(super) fn find<'a>(document: &'a Document, steps: &[Step], found: &mut Vec<&'a Document>) {
    let Some((step, rest)) = steps.split_first() else {
        found.push(document);
        return;
    };
    match (step, document) {
        (Step::Member(name), Document::Object(members)) => {
            if let Some((_, value)) = members.iter().find(|(key, _)| unescaped(key) == *name) {
                find(value, rest, found);
            }
        }
        (Step::Members, Document::Object(members)) => {
            members.iter().for_each(|(_, value)| find(value, rest, found));
        }
        (Step::Item(index), Document::Array(items)) => {
            if let Some(at) = place(*index, items.len()) {
                find(&items[at], rest, found);
            }
        }
        // What is no array is taken for one with a single item.
        (Step::Item(0 | -1), _) => find(document, rest, found),
        (Step::Items, Document::Array(items)) => {
            items.iter().for_each(|item| find(item, rest, found));
        }
        (Step::Anywhere, _) => {
            find(document, rest, found);
            match document {
                Document::Array(items) => items.iter().for_each(|item| find(item, steps, found)),
                Document::Object(members) => {
                    members.iter().for_each(|(_, value)| find(value, steps, found));
                }
                _ => {}
            }
        }
        _ => {}
    }
}
