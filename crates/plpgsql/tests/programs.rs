//! Every body of other people's programs (`corpus/plpgsql`), and of ours.
//!
//! Their trees account for every token of the source. Those that we refuse are listed with what we say about them, and
//! `differential` asks PostgreSQL whether it does, too. `HOB_PLPGSQL=folder cargo test -p hobgoblin-plpgsql --test
//! programs -- --nocapture` reads what is below another folder, and prints what is refused.

#![allow(clippy::print_stdout)]

#[path = "differential/mistakes.rs"]
mod mistakes;
#[path = "support/script.rs"]
#[allow(dead_code)]
mod script;
#[path = "support/shape.rs"]
mod shape;

use std::collections::BTreeSet;
use std::fmt::Write;

use hobgoblin_plpgsql::{Place, Span, read};

#[test]
fn programs_are_read() {
    let folder = script::programs();
    let mut refused = String::new();
    let mut count = 0;
    let mut different = BTreeSet::new();
    for file in script::files(&folder, "sql") {
        let bytes = std::fs::read(&file).expect("the file is there");
        let text = String::from_utf8_lossy(&bytes);
        let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
        for routine in script::statements(&text).iter().filter_map(|text| script::routine(text)) {
            count += 1;
            if !different.insert(routine.body.clone()) {
                continue;
            }
            match read(&routine.body) {
                Ok(body) => shape::check(&routine.body, &body)
                    .unwrap_or_else(|error| panic!("{name}: {error}\n{}", routine.body)),
                Err(error) => {
                    let place = Place::of(&routine.body, error.span().start);
                    let head = routine.before.split_whitespace().collect::<Vec<_>>().join(" ");
                    writeln!(refused, "{name}: {head}\n    {place} {error}").expect("it is text");
                }
            }
        }
    }
    let different = different.len();
    println!("{count} bodies in {}, {different} different; refused:\n{refused}", folder.display());
    if std::env::var_os("HOB_PLPGSQL").is_some() {
        return;
    }
    assert!(count > 300, "only {count} bodies were found");
    golden("refused.txt", &refused);
}

#[test]
fn trees_have_every_token_of_our_programs() {
    for (name, source) in script::own() {
        let body = read(&source).unwrap_or_else(|error| {
            panic!("{name} {}: {error}", Place::of(&source, error.span().start))
        });
        shape::check(&source, &body).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// The check above is one: it finds out every token that is taken away, doubled or added. Only the last semicolon may be
/// missing.
#[test]
fn a_tree_fits_no_other_source() {
    for (name, source) in script::own() {
        let body = read(&source).expect("a good body");
        let pieces = script::pieces(source.trim_end().trim_end_matches(';'));
        for (at, (piece, text)) in pieces.iter().enumerate() {
            if *piece == script::Piece::Blank {
                continue;
            }
            for other in [String::new(), format!("{text}{text}"), format!("{text} +")] {
                let texts = pieces.iter().map(|(_, text)| *text).enumerate();
                let changed: String =
                    texts.map(|(n, text)| if n == at { other.as_str() } else { text }).collect();
                let fits = shape::check(&changed, &body);
                assert!(fits.is_err(), "{name}: {other:?} in place of {text:?}");
            }
        }
    }
}

/// Compares with a golden file, or writes it.
fn golden(name: &str, found: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("it can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "run with UPDATE_GOLDEN=1 and read the difference");
}

/// Bodies with mistakes are read or refused, and a tree is that of its source.
#[test]
fn mistakes_are_harmless() {
    let text = |file| std::fs::read_to_string(file).expect("the file is there");
    let others = script::files(&script::programs(), "sql").into_iter().flat_map(|file| {
        let statements = script::statements(&text(file));
        statements.iter().filter_map(|text| script::routine(text)).collect::<Vec<_>>()
    });
    let own = script::own().into_iter().map(|(_, source)| source);
    let bodies: Vec<String> = others.map(|routine| routine.body).chain(own).collect();
    let mut mistakes = mistakes::Mistakes::new(1);
    for source in bodies.iter().flat_map(|body| std::iter::repeat_n(body, 20)) {
        let source = mistakes.make(source);
        match read(&source) {
            Ok(body) => {
                shape::check(&source, &body).unwrap_or_else(|error| panic!("{error}\n{source}"))
            }
            Err(error) => {
                let Span { start, end } = error.span();
                assert!(source.get(start..end).is_some(), "{error} at {start}..{end}:\n{source}");
            }
        }
    }
}
