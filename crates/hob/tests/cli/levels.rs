//! Every part of the toolkit answers every level, or refuses it, and the answers respect the implications.

use std::path::PathBuf;

use hobgoblin_check::online::{OnlineChecker, OnlineError};
use hobgoblin_check::state::{STATE_LEVELS, StateError, check_state};
use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check, check_levels};
use hobgoblin_core::{History, IMPLICATIONS, LEVELS, Level, Target, Verdict};
use hobgoblin_explore::{End, ExploreError, Options, explore, parse};
use hobgoblin_gen::{Params, SmallParams, build, random_history};
use hobgoblin_store::{Config, Machine, Profile, StoreError};

use crate::run::{hob, hob_on, root};
use crate::valid::schema;

/// Histories that tell levels apart: the corpus, and random ones.
fn histories() -> Vec<History> {
    let litmus = std::fs::read_dir(root().join("corpus/litmus")).expect("the corpus is there");
    let files = litmus.map(|entry| entry.expect("it can be listed").path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "txn"));
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("it can be read");
        hobgoblin_format::read(&bytes[..], "", None).expect("it is a history")
    };
    let count = if std::env::var_os("HOB_FULL").is_some() { 5000 } else { 500 };
    let params = SmallParams { times: true, ..SmallParams::default() };
    let random = (0..count).map(|seed| random_history(seed, &params));
    files.map(read).chain(random).collect()
}

#[test]
fn every_level_is_in_the_table_and_implies_the_weakest() {
    assert_eq!(LEVELS.len(), Level::ALL.len());
    for level in Level::ALL {
        assert!(level.implies(Level::RU), "{level}");
        assert_eq!(level.name().parse(), Ok(level));
        // Only what is stronger than all that is polynomial may be hard.
        assert!(level.is_polynomial() || level.implies(Level::CC), "{level}");
        assert!(!level.has_snapshot() || level.implies(Level::PC), "{level}");
        assert!(!level.excludes_writers() || level.implies(Level::SI), "{level}");
        assert!(!level.is_parallel() || level.implies(Level::PSI), "{level}");
        assert_eq!(level.is_serial(), level.implies(Level::SER), "{level}");
        assert_eq!(level.is_atomic(), level.implies(Level::RA), "{level}");
        assert_eq!(level.has_axiom(), level.implies(Level::RC), "{level}");
    }
}

#[test]
fn checkers_answer_with_certificates_that_respect_the_implications() {
    let histories = histories();
    // Whether some history satisfies one level and violates another.
    let mut apart = [[false; Level::ALL.len()]; Level::ALL.len()];
    for history in &histories {
        let mut holds = [false; Level::ALL.len()];
        for level in Level::ALL {
            let verdict = check(history, level, &Limits::none());
            verify(history, Target::Level(level), &verdict).expect("the certificate is right");
            holds[level as usize] = matches!(verdict, Verdict::Consistent(_));
            assert!(!matches!(verdict, Verdict::Unknown(_)), "{level}");
        }
        for arrow in &IMPLICATIONS {
            let (stronger, weaker) = (arrow.stronger as usize, arrow.weaker as usize);
            assert!(!holds[stronger] || holds[weaker], "{} {}", arrow.stronger, arrow.weaker);
        }
        let ladder = check_levels(history, &Level::ALL, &Limits::none(), |_| {});
        let answered: Vec<Level> = ladder.iter().map(|answer| answer.level).collect();
        assert_eq!(answered, Level::ALL);
        for answer in ladder {
            let consistent = matches!(answer.verdict, Verdict::Consistent(_));
            assert_eq!(consistent, holds[answer.level as usize], "{}", answer.level);
        }
        for (one, row) in apart.iter_mut().enumerate() {
            for (two, apart) in row.iter_mut().enumerate() {
                *apart |= holds[one] && !holds[two];
            }
        }
    }
    // A level that holds too often is not told apart from a weaker one.
    for one in Level::ALL {
        for two in Level::ALL {
            assert_eq!(apart[one as usize][two as usize], !one.implies(two), "{one} {two}");
        }
    }
}

#[test]
fn other_checkers_answer_or_refuse() {
    let skew = hobgoblin_format::read(
        "init x=0 y=0\ns1: t1 { r(x)=0 r(y)=0 w(x)=1 }\ns2: t2 { r(x)=0 r(y)=0 w(y)=1 }\n"
            .as_bytes(),
        "",
        None,
    )
    .expect("it is a history");
    for level in Level::ALL {
        match OnlineChecker::new(&[level]) {
            Ok(checker) => assert!(level.is_polynomial() && checker.levels() == [level]),
            Err(OnlineError::Level { level: refused }) => assert_eq!(refused, level),
            Err(other) => panic!("{level}: {other}"),
        }
        match check_state(&skew, level, &Limits::none()) {
            Ok(_) => assert!(STATE_LEVELS.contains(&level)),
            Err(StateError::Undefined { level: refused }) => {
                assert!(refused == level && !STATE_LEVELS.contains(&level));
            }
            Err(other) => panic!("{level}: {other}"),
        }
    }
}

/// How many histories a program has at a level, if it can be explored there.
fn explored(text: &str, level: Level) -> Option<u64> {
    let program = parse(text, "program").expect("it is a program");
    match explore(&program, &Options::new(level), &|_: &End<'_>| {}) {
        Ok(found) => Some(found.histories),
        Err(ExploreError::Options(_)) => None,
        Err(other) => panic!("{level}: {other}"),
    }
}

#[test]
fn the_explorer_answers_or_refuses_and_stronger_levels_have_fewer_histories() {
    let programs = [
        "init x = 0, y = 0\n\
         session a { txn t { n = read x; write y n + 1 }\n txn u { n = read y; m = read x } }\n\
         session b { txn t { n = read y; write x n + 1 }\n txn u { n = read x; m = read y } }\n",
        "init x = 0\n\
         session a { txn t { n = read x; write x n + 1 } }\n\
         session b { txn t { n = read x; write x n + 1 } }\n\
         session c { txn t { n = read x; m = read x; write x n + m } }\n",
    ];
    for program in programs {
        for one in Level::ALL {
            assert!(explored(program, one).is_some() || one.respects_real_time(), "{one}");
            for two in Level::ALL.into_iter().filter(|&two| one.implies(two)) {
                let (Some(few), Some(many)) = (explored(program, one), explored(program, two))
                else {
                    continue;
                };
                assert!(few <= many, "{few} at {one}, {many} at {two}");
            }
        }
    }
    let weakest = |level| programs.iter().map(|p| explored(p, level).unwrap_or(0)).sum::<u64>();
    assert!(weakest(Level::SER) < weakest(Level::SI) && weakest(Level::SI) < weakest(Level::CC));
}

#[test]
fn stores_serve_or_refuse() {
    for profile in Profile::ALL {
        let mut served = 0;
        for level in Level::ALL {
            match Machine::new(Config::default().level(level).profile(profile)) {
                Ok(_) => served += 1,
                Err(StoreError::LevelNotServed { level: refused, .. }) => {
                    assert_eq!(refused, level)
                }
                Err(other) => panic!("{level}: {other}"),
            }
        }
        let expected = match profile {
            Profile::Spec => Level::ALL.len() - 1,
            Profile::Postgres => 3,
            Profile::Mysql => 4,
            other => panic!("how many levels does {other:?} serve?"),
        };
        assert_eq!(served, expected, "{profile:?}");
    }
}

#[test]
fn generated_histories_satisfy_their_level() {
    for level in Level::ALL {
        for seed in 0..5 {
            let params = Params { level, seed, transactions: 200, ..Params::default() };
            let history = build(&params).expect("every level is generated");
            let verdict = check(&history, level, &Limits::none());
            assert!(matches!(verdict, Verdict::Consistent(_)), "{level}, seed {seed}");
        }
    }
}

#[test]
fn the_command_line_the_schemas_and_the_pages_know_every_level() {
    let levels = hob("levels").out;
    let completions = hob("completions bash").out;
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let page = std::fs::read_to_string(root().join("docs/levels.md")).expect("there is a page");
    for row in &LEVELS {
        assert!(levels.contains(row.title), "hob levels lacks {}", row.name);
        assert!(completions.contains(row.name), "completions lack {}", row.name);
        assert!(readme.contains(&format!("\n| {} | {}", row.name, row.title)), "{}", row.name);
        assert!(page.contains(&format!("\n### {}: {}\n", row.name, row.title)), "{}", row.name);
        for name in [row.name].iter().chain(row.aliases) {
            let run = hob_on(&format!("check --level {name} --format txn -"), b"s1: t1 { }\n");
            assert!(run.code != 2 || row.level.respects_real_time(), "{name}: {}", run.err);
        }
    }
    for name in ["check", "explore", "protocol", "test"] {
        let schema = schema(name);
        let known = schema.pointer("/$defs/level/enum").and_then(|names| names.as_array());
        let known: Vec<&str> =
            known.expect("it is there").iter().filter_map(|n| n.as_str()).collect();
        let all: Vec<&str> = LEVELS.iter().map(|row| row.name).collect();
        assert_eq!(known, all, "docs/{name}.schema.json");
    }
}

/// A new level must not compile until every part has an answer for it, so levels are matched exhaustively, or
/// asked by a method of [`Level`] that does; the order of the variants means nothing.
#[test]
fn no_source_compares_levels() {
    let mut wrong = Vec::new();
    let mut open = vec![root().join("crates")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let skipped = ["tests", "benches", "examples", "target", "oracle"];
            if !skipped.iter().any(|name| path.ends_with(name)) {
                let entries = std::fs::read_dir(&path).expect("it can be listed");
                open.extend(entries.map(|entry| entry.expect("it can be listed").path()));
            }
            continue;
        }
        if path.extension().is_none_or(|end| end != "rs") || path.ends_with("core/src/level.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("sources are text");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (line, number) in code.lines().zip(1..) {
            let plain = line.replace("hobgoblin_core::", "");
            let compares = [" == ", " != ", " <= ", " >= ", " < ", " > ", "..=", ".."];
            let compares = compares.iter().any(|with| plain.contains(&format!("{with}Level::")));
            let comment = line.trim_start().starts_with("//");
            let matches = plain.contains("matches!(") && plain.contains(", Level::");
            if (compares || matches) && !comment {
                wrong.push(format!("{}:{number}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "match exhaustively, or ask a method of Level:\n{}",
        wrong.join("\n")
    );
}
