//! List-append from the bytes of a file to the verdict, against brute force from the definition.
//!
//! The reader of Elle's files turns lists into the reads and writes of a history, and the checker knows nothing
//! of lists. So that nothing is lost between the two, [`definition`] decides the levels of MODEL.md on lists
//! themselves: in some commit order, every list that was read is a version, followed by the reader's own
//! appends. It starts at the same bytes, with a parser of its own ([`file`]), on random histories with lists
//! at every place among a transaction's own appends ([`sample`]).

mod definition;
mod file;
mod sample;

use hobgoblin_check::verify::verify;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::{Level, Target, Verdict};
use hobgoblin_format::{Format, read};

use definition::{LEVELS, satisfied};

/// Whether each of [`LEVELS`] holds, by the reader and the checker; every certificate is verified.
fn verdicts(text: &str, format: Format) -> [bool; LEVELS.len()] {
    let history = read(text.as_bytes(), "lists", Some(format)).expect("the file is well formed");
    LEVELS.map(|name| {
        let level: Level = name.parse().expect("it is the name of a level");
        let verdict = check(&history, Target::Level(level), &Limits::none());
        verify(&history, Target::Level(level), &verdict)
            .unwrap_or_else(|error| panic!("{level}: {error}: {verdict:?}\n{text}"));
        matches!(verdict, Verdict::Consistent(_))
    })
}

/// The levels that hold, by both.
fn holds(text: &str) -> Vec<&'static str> {
    let found = verdicts(text, Format::ElleEdn);
    assert_eq!(found, satisfied(&file::parse(text)), "{LEVELS:?}\n{text}");
    LEVELS.into_iter().zip(found).filter(|(_, holds)| *holds).map(|(level, _)| level).collect()
}

fn edn(lines: &[(u32, &str)]) -> String {
    let line = |&(process, value): &(u32, &str)| {
        format!("{{:type :ok, :process {process}, :value [{value}]}}\n")
    };
    lines.iter().map(line).collect()
}

#[test]
fn appends_that_did_not_see_each_other_are_a_lost_update() {
    let text = edn(&[(0, "[:append :x 1] [:r :x [1]]"), (1, "[:append :x 2] [:r :x [2]]")]);
    assert_eq!(holds(&text), ["RC", "RA", "CC", "PC"]);
    let text = edn(&[(0, "[:append :x 1] [:r :x [1]]"), (1, "[:append :x 2] [:r :x [1 2]]")]);
    assert_eq!(holds(&text), LEVELS);
}

#[test]
fn the_example_of_elles_paper_is_not_serializable() {
    let text = edn(&[
        (
            1,
            "[:append 253 1] [:append 253 3] [:append 253 4] [:append 255 2] [:append 255 3] \
             [:append 255 4] [:append 255 5] [:append 256 1] [:append 256 2]",
        ),
        (2, "[:append 255 8] [:r 253 [1 3 4]]"),
        (3, "[:append 256 4] [:r 255 [2 3 4 5 8]] [:r 256 [1 2 4]] [:r 253 [1 3 4]]"),
        (4, "[:append 250 10] [:r 253 [1 3 4]] [:r 255 [2 3 4 5]] [:append 256 3]"),
    ]);
    assert_eq!(holds(&text), ["RC", "RA", "CC", "PC"]);
}

#[test]
fn an_external_read_stands_where_the_list_was_read() {
    // Moved before the append, the read of [1] would come before that of y, and violate RC.
    let text = edn(&[
        (0, "[:append :x 1]"),
        (0, "[:append :x 2] [:append :y 7]"),
        (1, "[:append :x 3] [:r :y []] [:r :x [1 2 3]]"),
    ]);
    assert_eq!(holds(&text), ["RC"]);
    let text = edn(&[
        (0, "[:append :x 1]"),
        (0, "[:append :x 2] [:append :y 7]"),
        (1, "[:append :x 3] [:r :y [7]] [:r :x [1 3]]"),
    ]);
    assert_eq!(holds(&text), [""; 0]);
}

#[test]
fn two_versions_in_one_transaction_are_a_non_repeatable_read() {
    let text = edn(&[
        (0, "[:append :x 1]"),
        (1, "[:append :x 5]"),
        (2, "[:r :x [1]] [:append :x 2] [:r :x [1 5 2]]"),
    ]);
    assert_eq!(holds(&text), ["RC"]);
    // And back again.
    let text = edn(&[
        (0, "[:append :x 1]"),
        (0, "[:append :x 5]"),
        (2, "[:append :x 2] [:r :x [1 5 2]] [:append :x 3] [:r :x [1 2 3]]"),
    ]);
    assert_eq!(holds(&text), [""; 0]);
}

#[test]
fn orders_that_exclude_each_other_are_violations() {
    let text = edn(&[
        (0, "[:append :x 1]"),
        (1, "[:append :x 2]"),
        (2, "[:append :x 3] [:r :x [1 2 3]]"),
        (3, "[:append :x 4] [:r :x [2 1 4]]"),
    ]);
    assert_eq!(holds(&text), [""; 0]);
}

#[test]
fn own_appends_may_end_up_after_those_of_others_at_read_committed() {
    // The first transaction saw [1] before its own 2; when it committed, 3 was there already.
    let text = edn(&[
        (0, "[:append :x 1]"),
        (1, "[:append :x 2] [:r :x [1 2]]"),
        (2, "[:append :x 3]"),
        (3, "[:r :x [1 3 2]]"),
    ]);
    assert_eq!(holds(&text), ["RC", "RA", "CC", "PC"]);
}

#[test]
fn random_histories_agree_with_the_definition() {
    let count = if std::env::var_os("HOB_FULL").is_some() { 6000 } else { 600 };
    let mut held = [0; LEVELS.len()];
    for seed in 0..count {
        let (format, text) = sample::history(seed);
        let expected = satisfied(&file::parse(&text));
        let found = verdicts(&text, format);
        assert_eq!(found, expected, "seed {seed}, {LEVELS:?}\n{text}");
        for (count, holds) in held.iter_mut().zip(expected) {
            *count += u64::from(holds);
        }
    }
    // Every level is met on both sides, and told from others.
    for (level, held) in LEVELS.iter().zip(held) {
        assert!(held * 20 > count && (count - held) * 20 > count, "{level}: {held} of {count}");
    }
    let at = |name: &str| LEVELS.iter().position(|level| *level == name).expect("it is a level");
    for (weaker, stronger) in [("RC", "RA"), ("PC", "SI"), ("SI", "SER")] {
        assert!(held[at(weaker)] > held[at(stronger)], "{weaker} {stronger}: {held:?}");
    }
}
