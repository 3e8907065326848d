//! Every body of other people's programs (`corpus/plpgsql`), and of ours.
//!
//! Their trees account for every token of the source. Those that we refuse are listed with what we say about them, and
//! `differential` asks PostgreSQL whether it does, too. `HOB_PLPGSQL=folder cargo test -p hobgoblin-plpgsql --test
//! programs -- --nocapture` reads what is below another folder, and prints what is refused.

#![allow(clippy::print_stdout)]

#[path = "support/script.rs"]
#[allow(dead_code)]
mod script;
#[path = "support/shape.rs"]
mod shape;

use std::fmt::Write;

use hobgoblin_plpgsql::{Place, read};

#[test]
fn programs_are_read() {
    let folder = script::programs();
    let mut refused = String::new();
    let mut count = 0;
    for file in script::files(&folder, "sql") {
        let bytes = std::fs::read(&file).expect("the file is there");
        let text = String::from_utf8_lossy(&bytes);
        let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
        for routine in script::statements(&text).iter().filter_map(|text| script::routine(text)) {
            count += 1;
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
    println!("{count} bodies in {}; refused:\n{refused}", folder.display());
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
