//! What each model promises holds, and its bug is caught.

use hobgoblin_check::Limits;
use hobgoblin_core::Level;
use hobgoblin_protocol::models::causal::Causal;
use hobgoblin_protocol::models::optimistic::Optimistic;
use hobgoblin_protocol::models::snapshot::Snapshot;
use hobgoblin_protocol::models::two_phase::TwoPhase;
use hobgoblin_protocol::models::{MODELS, MOST};
use hobgoblin_protocol::{Answer, Finding, Options, Protocol, SizeError, search};

/// The levels that hold, those that do not, and whether it always ends.
fn answers<P: Protocol>(protocol: Result<P, SizeError>, levels: &[Level]) -> (String, Answer) {
    let protocol = protocol.expect("it fits");
    let options = Options::default().levels(levels.iter().copied());
    let found = search(&protocol, &options, &Limits::none());
    assert!(found.stopped.is_none());
    let names = found.levels.iter().filter(|(_, answer)| *answer == Answer::Violated);
    let names: Vec<&str> = names.map(|(level, _)| level.name()).collect();
    for wrong in &found.wrong {
        let Finding::Level(level) = wrong.finding else { panic!("{}", wrong.finding) };
        assert!(names.contains(&level.name()));
        assert_eq!(wrong.trace.steps.len() + 1, wrong.trace.states.len());
    }
    (names.join(" "), found.termination)
}

#[test]
fn promises_hold_and_bugs_are_caught() {
    let all = [Level::RC, Level::CC, Level::SI, Level::SER];
    for (t, r) in [(2, 1), (2, 2), (3, 1), (3, 2)] {
        let size = format!("{t} × {r}");
        let occ = answers(Optimistic::new(t, r, false), &all);
        assert_eq!(occ, (String::new(), Answer::Holds), "occ {size}");
        let expected = if r == 1 { "" } else { "SER" };
        let si = answers(Snapshot::new(t, r, false), &all);
        assert_eq!(si, (expected.to_owned(), Answer::Holds), "si {size}");
        let causal = answers(Causal::new(t, r, false), &all);
        assert_eq!(causal, ("SI SER".to_owned(), Answer::Holds), "causal {size}");
    }
    for (t, r, occ, si, causal) in [
        (2, 1, "", "SI SER", "SI SER"),
        (2, 2, "SER", "SI SER", "SI SER"),
        (3, 2, "SER", "SI SER", "CC SI SER"),
    ] {
        let size = format!("{t} × {r}");
        assert_eq!(answers(Optimistic::new(t, r, true), &all).0, occ, "occ {size}");
        assert_eq!(answers(Snapshot::new(t, r, true), &all).0, si, "si {size}");
        assert_eq!(answers(Causal::new(t, r, true), &all).0, causal, "causal {size}");
    }
}

#[test]
fn the_list_says_where_a_bug_shows() {
    for model in MODELS {
        let (t, r) = model.shows;
        let levels = [model.promises];
        let (broken, _) = match model.name {
            "2pc" => answers(TwoPhase::new(t, r, true), &levels),
            "occ" => answers(Optimistic::new(t, r, true), &levels),
            "si" => answers(Snapshot::new(t, r, true), &levels),
            "causal" => answers(Causal::new(t, r, true), &levels),
            other => panic!("{other} is new"),
        };
        assert_eq!(broken, model.promises.name(), "{}", model.name);
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let wrong = TwoPhase::new(0, 1, false).expect_err("there are none");
    assert_eq!(wrong.to_string(), "0 transactions: there may be 1 to 4");
    let wrong = Causal::new(1, MOST + 1, false).expect_err("there are too many");
    assert_eq!(wrong.to_string(), "5 resources: there may be 1 to 4");
    assert!(Snapshot::new(MOST, MOST, true).is_ok() && Optimistic::new(MOST, MOST, true).is_ok());
}
