//! Circles in a graph of files: the sets in which each leads to each other one.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use crate::modules::{Arrows, Modules};

/// Every circle of more than one file, the largest first.
pub(crate) fn circles(count: usize, arrows: &Arrows) -> Vec<BTreeSet<usize>> {
    let reached: Vec<BTreeSet<usize>> = (0..count).map(|from| reach(from, arrows)).collect();
    let mut circles = BTreeSet::new();
    for from in 0..count {
        let back = reached[from].iter().filter(|&&to| reached[to].contains(&from));
        let circle: BTreeSet<usize> = back.copied().collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    let mut circles: Vec<_> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

fn reach(from: usize, arrows: &Arrows) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for &(_, to) in arrows.range((at, 0)..=(at, usize::MAX)).map(|(arrow, _)| arrow) {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen
}

/// The arrows inside of a circle, for who has to undo one.
pub(crate) fn tell(
    modules: &Modules,
    arrows: &Arrows,
    circle: &BTreeSet<usize>,
    base: &Path,
) -> String {
    let mut out = String::new();
    for (&(from, to), names) in arrows {
        if circle.contains(&from) && circle.contains(&to) {
            let short = |file: usize| {
                let path = &modules.files[file];
                path.strip_prefix(base).unwrap_or(path).display().to_string()
            };
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            writeln!(out, "    {} -> {}: {}", short(from), short(to), names.join(", "))
                .expect("a string takes all");
        }
    }
    out
}
