//! The programs of `examples/explore`: all are right, have the sizes they claim, and break where they should.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hobgoblin_core::Level;
use hobgoblin_explore::{End, Options, Program, Quantifier, explore, parse};

const APPS: [&str; 5] = ["cart", "twitter", "courseware", "wikipedia", "tpcc"];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore")
}

fn load(name: &str) -> (String, Program) {
    let path = directory().join(format!("{name}.hob"));
    let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let program = parse(&source, &path.display().to_string());
    (source, program.unwrap_or_else(|error| panic!("{error}")))
}

fn size(program: &Program) -> Vec<usize> {
    program.sessions().iter().map(|session| session.txns.len()).collect()
}

#[test]
fn every_program_is_right() {
    let mut seen = 0;
    for entry in std::fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "hob") {
            load(path.file_stem().unwrap().to_str().unwrap());
            seen += 1;
        }
    }
    // Five applications, five clients each, and five that grow for two of them.
    assert!(seen >= 40, "{seen} programs");
}

#[test]
fn clients_have_three_sessions_of_three_transactions_and_as_many_histories_as_they_say() {
    for app in APPS {
        for number in 1..=5 {
            let name = format!("{app}-{number}");
            let (source, program) = load(&name);
            assert_eq!(size(&program), [3, 3, 3], "{name}");
            let said = source.lines().next().unwrap_or_default();
            let digits: String = said.chars().filter(char::is_ascii_digit).collect();
            let said: u64 = digits.parse().unwrap_or_else(|_| panic!("{name}: {said}"));
            // The largest are for `make bench`.
            let max = 20_000;
            let options = Options { max: Some(max), ..Options::new(Level::CC) };
            let found = explore(&program, &options, &|_: &End<'_>| {});
            let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(found.histories, said.min(max), "{name}");
            assert_eq!(found.complete, said <= max, "{name}");
            assert_eq!(found.fruitless, 0, "{name}");
        }
    }
}

#[test]
fn growing_programs_can_be_cut_to_any_size() {
    for app in ["wikipedia", "tpcc"] {
        for number in 1..=5 {
            let (_, program) = load(&format!("{app}-grow-{number}"));
            assert_eq!(size(&program), [5; 5]);
            assert_eq!(size(&program.truncated(4, 3)), [3; 4]);
            let small = program.truncated(2, 2);
            let found = explore(&small, &Options::new(Level::CC), &|_: &End<'_>| {});
            assert!(found.unwrap().complete);
        }
    }
}

/// The assertions that do not hold.
fn broken(program: &Program, level: Level) -> Vec<String> {
    let held = Mutex::new(vec![[0_u64; 2]; program.assertions().len()]);
    let found = explore(program, &Options::new(level), &|end: &End<'_>| {
        for (at, assertion) in program.assertions().iter().enumerate() {
            let holds = (assertion.holds)(end).unwrap_or_else(|what| panic!("{what}"));
            held.lock().unwrap()[at][usize::from(holds)] += 1;
        }
    });
    assert!(found.unwrap_or_else(|error| panic!("{error}")).complete);
    let held = held.into_inner().unwrap();
    let broken =
        program.assertions().iter().zip(held).filter(|(assertion, [fails, holds])| match assertion
            .quantifier
        {
            Quantifier::Always => *fails > 0,
            Quantifier::Never => *holds > 0,
            Quantifier::Exists => *holds == 0,
        });
    broken.map(|(assertion, _)| assertion.name.clone()).collect()
}

#[test]
fn assertions_break_at_weak_levels_and_hold_at_serializability() {
    for app in APPS {
        let (_, program) = load(app);
        assert!(!program.assertions().is_empty(), "{app}");
        assert_ne!(broken(&program, Level::RC), Vec::<String>::new(), "{app}");
        assert_ne!(broken(&program, Level::CC), Vec::<String>::new(), "{app}");
        assert_eq!(broken(&program, Level::SER), Vec::<String>::new(), "{app}");
    }
}

#[test]
fn the_programs_of_the_docs_are_right() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/explore.md");
    let docs = std::fs::read_to_string(docs).unwrap();
    let blocks: Vec<&str> =
        docs.split("```hob\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        let program = parse(block, "docs/explore.md").unwrap_or_else(|error| panic!("{error}"));
        let found = explore(&program, &Options::new(Level::CC), &|end: &End<'_>| {
            for assertion in program.assertions() {
                (assertion.holds)(end).unwrap_or_else(|what| panic!("{what}"));
            }
        });
        assert!(found.unwrap_or_else(|error| panic!("{error}\n{block}")).complete);
        assert_eq!(broken(&program, Level::SER), Vec::<String>::new(), "{block}");
    }
}
#[test]
fn files_without_an_end_are_refused() {
    if Path::new("/dev/zero").exists() {
        let error = parse("use \"/dev/zero\"", "a.hob").err().map(|error| error.to_string());
        let told = "a.hob:1:5: the program has more than 1048576 bytes";
        assert_eq!(error.as_deref(), Some(told));
    }
}
