//! What is said about sources that are wrong, and where: `errors.txt` has one on each line, `golden/errors.txt` what we
//! say. `differential` asks PostgreSQL whether they are.

use std::fmt::Write;
use std::path::Path;

use hobgoblin_plpgsql::{DEPTH, Place, ReadError, read};

#[test]
fn errors_say_what_and_where() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let sources = std::fs::read_to_string(folder.join("errors.txt")).expect("it is there");
    let mut found = String::new();
    for source in sources.lines() {
        let told = match read(source) {
            Ok(_) => "is read".to_owned(),
            Err(error) => format!("{} {error}", Place::of(source, error.span().start)),
        };
        writeln!(found, "{source}\n    {told}").expect("it is text");
    }
    let path = folder.join("golden/errors.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &found).expect("it can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "run with UPDATE_GOLDEN=1 and read the difference");
}

/// A source that nests so deep, by every statement that can.
fn nested(depth: usize) -> Vec<String> {
    let around = [
        ("begin ", "end; "),
        ("if x then ", "end if; "),
        ("if x then else ", "end if; "),
        ("case x when 1 then ", "end case; "),
        ("loop ", "end loop; "),
        ("for i in 1..2 loop ", "end loop; "),
        ("declare x int; begin exception when others then ", "end; "),
    ];
    let make = |(open, close): (&str, &str)| {
        format!("begin {}{}end", open.repeat(depth - 1), close.repeat(depth - 1))
    };
    around.map(make).to_vec()
}

#[test]
fn what_nests_too_deep_is_refused() {
    let limit = DEPTH as usize;
    let small = std::thread::Builder::new().stack_size(1 << 20);
    let checked = small.spawn(move || {
        for source in nested(limit) {
            let body = read(&source).unwrap_or_else(|error| panic!("{error}: {source}"));
            assert_eq!(body, body.clone());
            assert!(!format!("{body:?}").is_empty());
        }
        for source in nested(limit + 1).into_iter().chain(nested(limit * 100)) {
            let found = read(&source);
            assert!(matches!(found, Err(ReadError::TooDeep { limit: DEPTH, .. })), "{found:?}");
        }
    });
    checked.expect("there are threads").join().expect("a megabyte of stack is enough");
    // Parentheses are not ours to count levels of.
    let many = format!("begin x := {}{}; end", "(".repeat(100_000), ")".repeat(100_000));
    assert!(read(&many).is_ok());
}

#[test]
fn no_beginning_of_a_source_panics() {
    let source = "<<l>> declare \"ä\"\"\" t%rowtype := e'\\u00e9''' || $ö$ $ö$; begin a.b[1]:=$1::ü; raise '%', 1.5e3; end l;";
    for end in (0..=source.len()).filter(|end| source.is_char_boundary(*end)) {
        let _ = read(&source[..end]);
        let _ = read(&source[end..]);
    }
}
