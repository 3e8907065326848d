//! No circle of files: two files that need each other are one file, or miss a third.
//!
//! An arrow goes from a file to the file *where the item it names is defined*, by a `use`, or by a path in the code
//! such as `crate::level::Level` or `super::first_line(…)`. So:
//!
//! - `mod name;` draws no arrow, and neither does `pub use`: a parent may hand on what its children define.
//! - `use crate::Level` draws an arrow to the file of `Level`, not to the `lib.rs` that hands it on.
//! - A child that uses what its parent *defines* closes a circle, if the parent uses the child. Move the item to a file
//!   of its own.
//! - Tests draw no arrows, and neither do methods: `impl Parser` in two files is one arrow, to the type.
//!
//! Only a recursive tree may be a circle: a statement has expressions, and an expression may have a statement. Such
//! circles are listed here with their reason, and in `docs/architecture.md`; what is listed must be there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::circles::{circles, tell};
use crate::modules::Modules;

/// Circles of a recursive tree, each with the reason why it is one. What is listed must be there.
const RECURSIVE: &[(&[&str], &str)] = &[
    (
        &[
            "crates/sql-value/src/array.rs",
            "crates/sql-value/src/datum.rs",
            "crates/sql-value/src/hstore.rs",
            "crates/sql-value/src/range.rs",
        ],
        "a value may have values inside: elements, bounds, fields",
    ),
    (
        &[
            "crates/sql-schema/src/catalog/mod.rs",
            "crates/sql-schema/src/context.rs",
            "crates/sql-schema/src/dialect.rs",
            "crates/sql-schema/src/function.rs",
            "crates/sql-schema/src/meaning.rs",
            "crates/sql-schema/src/names.rs",
        ],
        "a catalogue has a dialect, which has functions, which run in a context, which has a catalogue",
    ),
    (
        &["crates/sql-bind/src/bound.rs", "crates/sql-bind/src/bound/dml.rs"],
        "a change of rows reads queries, and WITH in a query may change rows",
    ),
    (
        &[
            "crates/sql-postgres-types/src/text/mod.rs",
            "crates/sql-postgres-types/src/text/range.rs",
            "crates/sql-postgres-types/src/text/record.rs",
        ],
        "the text of a range or row has the texts of values",
    ),
    (
        &[
            "crates/sql-postgres-types/src/cast/convert.rs",
            "crates/sql-postgres-types/src/cast/mod.rs",
        ],
        "an array is cast element by element, a row field by field",
    ),
];

/// A circle's files, as paths below the repository.
type Circle = BTreeSet<String>;

/// The root files of every crate.
fn roots(base: &Path) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for folder in ["crates", "examples"] {
        for entry in fs::read_dir(base.join(folder)).expect("the folder is there") {
            let source = entry.expect("it can be read").path().join("src");
            roots.extend(["lib.rs", "main.rs"].map(|name| source.join(name)));
        }
    }
    roots.retain(|root| root.exists());
    roots.sort();
    roots
}

/// Every circle of a crate, with its arrows in words.
fn circles_of(
    root: &Path,
    base: &Path,
    read: &dyn Fn(&Path) -> Option<String>,
) -> Vec<(Circle, String)> {
    let modules = Modules::read(root, read);
    let arrows = modules.arrows();
    let name = |&file: &usize| {
        let path = modules.files[file].strip_prefix(base).expect("the crate is below");
        path.to_str().expect("our paths are text").to_owned()
    };
    let circles = circles(modules.files.len(), &arrows).into_iter();
    circles
        .map(|circle| (circle.iter().map(name).collect(), tell(&modules, &arrows, &circle, base)))
        .collect()
}

#[test]
fn no_circle_of_files() {
    let base = crate::root();
    let recursive: Vec<Circle> = RECURSIVE
        .iter()
        .map(|(files, _)| files.iter().map(|&file| file.to_owned()).collect())
        .collect();
    let mut found = Vec::new();
    for root in roots(&base) {
        found.extend(circles_of(&root, &base, &|path| fs::read_to_string(path).ok()));
    }
    let new: Vec<String> = found
        .iter()
        .filter(|(circle, _)| !recursive.contains(circle))
        .map(|(circle, told)| format!("{} files in a circle:\n{told}", circle.len()))
        .collect();
    assert!(
        new.is_empty(),
        "{}Move what one of them needs of the other to a file of its own; see {}.",
        new.concat(),
        file!(),
    );
    let gone = |circle: &&Circle| !found.iter().any(|(other, _)| other == *circle);
    let gone: Vec<&Circle> = recursive.iter().filter(gone).collect();
    assert!(gone.is_empty(), "these are no circles any more, delete them from the list: {gone:?}");
}

/// The circles of a crate that is made of these files.
fn circles_in(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let read = |path: &Path| {
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    let found = circles_of(Path::new("lib.rs"), Path::new(""), &read);
    found.into_iter().map(|(circle, _)| circle.into_iter().collect()).collect()
}

/// One circle of these files.
fn one(files: &[&str]) -> Vec<Vec<String>> {
    vec![files.iter().map(|&file| file.to_owned()).collect()]
}

#[test]
fn an_arrow_goes_to_where_an_item_is_defined() {
    let child = |uses: &str| {
        circles_in(&[
            ("lib.rs", "mod a;\nmod b;\npub use b::Thing;\n"),
            ("a.rs", "use crate::Thing;\npub(crate) const MOST: u32 = 3;\n"),
            ("b.rs", uses),
        ])
    };
    assert_eq!(child("pub struct Thing;\n"), Vec::<Vec<String>>::new());
    let circle = one(&["a.rs", "b.rs"]);
    assert_eq!(child("use super::a::MOST; pub struct Thing;"), circle);
    assert_eq!(child("pub struct Thing; fn f() -> u32 { crate::a::MOST }"), circle);
    assert_eq!(child("use crate::a; pub struct Thing; fn f() -> u32 { a::MOST }"), circle);
    assert_eq!(child("use super::a::*; pub struct Thing; fn f() -> u32 { MOST }"), circle);
    assert_eq!(child("pub struct Thing; fn f() { println!(\"{}\", super::a::MOST) }"), circle);
    // What is only said, or only tested, or only called so.
    for nothing in [
        "//! See crate::a::MOST.\npub struct Thing; const TEXT: &str = \"crate::a::MOST\";",
        "pub struct Thing; #[cfg(test)] mod tests { use crate::a::MOST; }",
        "pub struct Thing { MOST: u32 } fn MOST() { let x = y.MOST; }",
        "use crate::a; pub struct Thing;",
    ] {
        assert_eq!(child(nothing), Vec::<Vec<String>>::new(), "{nothing}");
    }
}

#[test]
fn a_parent_may_hand_on_but_not_use_what_needs_it() {
    let with = |parent: &str| {
        let parent = format!("mod part; pub struct Whole; {parent}");
        circles_in(&[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", &parent),
            ("a/part.rs", "use super::Whole; pub(crate) struct Part(Whole);"),
        ])
    };
    assert_eq!(with("pub(crate) use part::Part;"), Vec::<Vec<String>>::new());
    assert_eq!(with("fn f(_: part::Part) {}"), one(&["a/mod.rs", "a/part.rs"]));
    assert_eq!(with("use part::Part;"), one(&["a/mod.rs", "a/part.rs"]));
}
