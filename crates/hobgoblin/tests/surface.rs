//! Everything users can name, with all features, as a list: `surface.txt`. A change of it is meant, or shows here first.
//! `HOB_BLESS=1` writes the list anew.
//!
//! The list is read off the pages that rustdoc makes, since those have what is re-exported from other crates in its
//! place; and every page has an example. An item is a page, or a method, field, variant, constant or type on one, but not what traits bring along.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// How many items there may be without features.
const MOST: usize = 400;

/// The modules of features, and the methods that the feature `serde` adds.
const FEATURES: [&str; 7] = [
    "hobgoblin::crdt",
    "hobgoblin::explore",
    "hobgoblin::protocol",
    "hobgoblin::sql",
    "hobgoblin::postgres",
    "::get_json",
    "::put_json",
];

/// The kinds of pages, as their file names begin.
const KINDS: [&str; 9] =
    ["struct", "enum", "trait", "fn", "macro", "constant", "static", "type", "union"];

/// The kinds of things on a page, as their anchors begin.
const PARTS: [&str; 6] =
    ["method", "tymethod", "structfield", "variant", "associatedconstant", "associatedtype"];

#[test]
fn the_surface_is_the_one_that_is_meant() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Where `make doc` builds, so that only this crate's pages are new.
    let target =
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target directory");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(here).args(["doc", "--offline", "--quiet", "--all-features", "--no-deps"]);
    cargo.arg("--target-dir").arg(target).env_remove("RUSTDOCFLAGS").env_remove("RUSTFLAGS");
    assert!(cargo.status().expect("cargo runs").success());
    let (mut items, mut bare) = (BTreeSet::new(), Vec::new());
    gather(&target.join("doc/hobgoblin"), "hobgoblin", &mut items, &mut bare);
    let list: String = items.iter().map(|item| format!("{item}\n")).collect();
    let golden = here.join("tests/surface.txt");
    if std::env::var_os("HOB_BLESS").is_some() {
        std::fs::write(&golden, &list).expect("it is written");
    }
    let known = std::fs::read_to_string(&golden).unwrap_or_default();
    let known: BTreeSet<String> = known.lines().map(str::to_owned).collect();
    let gone: Vec<_> = known.difference(&items).collect();
    let new: Vec<_> = items.difference(&known).collect();
    assert!(
        gone.is_empty() && new.is_empty(),
        "gone: {gone:#?}\nnew: {new:#?}\nIf this is meant, run with HOB_BLESS=1."
    );
    let of_feature = |item: &&String| FEATURES.iter().any(|feature| item.contains(feature));
    let bare: Vec<_> = bare.into_iter().filter(|page| !of_feature(&page)).collect();
    assert!(bare.is_empty(), "without an example: {bare:#?}");
    let usual = items.len() - items.iter().filter(of_feature).count();
    assert!(usual <= MOST, "{usual} items are more than {MOST}");
}

/// What a directory of pages, which is a module, has.
fn gather(directory: &Path, path: &str, items: &mut BTreeSet<String>, bare: &mut Vec<String>) {
    items.insert(format!("mod {path}"));
    for entry in std::fs::read_dir(directory).expect("rustdoc has written it") {
        let entry = entry.expect("it can be read").path();
        let name = entry.file_name().and_then(|name| name.to_str()).expect("text").to_owned();
        if entry.is_dir() {
            gather(&entry, &format!("{path}::{name}"), items, bare);
        } else if let Some((kind, rest)) = name.split_once('.')
            && let Some(item) = rest.strip_suffix(".html")
            && KINDS.contains(&kind)
        {
            let item = format!("{path}::{item}");
            items.insert(format!("{kind} {item}"));
            let page = std::fs::read_to_string(&entry).expect("text");
            if !page.contains("rust-example-rendered") {
                bare.push(item.clone());
            }
            for part in parts(&page) {
                items.insert(format!("{item}::{part}"));
            }
        }
    }
}

/// The anchors of a page's own parts.
fn parts(page: &str) -> BTreeSet<String> {
    let traits = [
        "id=\"trait-implementations\"",
        "id=\"synthetic-implementations\"",
        "id=\"blanket-implementations\"",
        "id=\"deref-methods",
        "id=\"foreign-impls\"",
        "id=\"implementors\"",
    ];
    let end = traits.iter().filter_map(|at| page.find(at)).min().unwrap_or(page.len());
    let mut found = BTreeSet::new();
    for piece in page[..end].split("id=\"").skip(1) {
        let anchor = piece.split('"').next().unwrap_or_default();
        if let Some((kind, name)) = anchor.split_once('.')
            && PARTS.contains(&kind)
        {
            // Of equal ones, and of the fields of a variant, the first part is the name.
            let name = name.split(['.', '-']).next().unwrap_or(name);
            found.insert(name.to_owned());
        }
    }
    found
}
