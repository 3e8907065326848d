//! The baseline, where transactions come one at a time; and runs that show nothing.

use crate::support::{Scratch, counter};

/// Code for read committed does not run a refused transaction again. Nothing is refused in the baseline, so
/// that the levels are run, and the update is lost there.
#[test]
fn an_application_that_never_retries_is_tested() {
    for profile in ["spec", "postgres"] {
        let scratch = Scratch::new(&format!("careless-{profile}"));
        for level in ["RC", "SI", "SER"] {
            let args = format!("--profile {profile} --level {level} --runs 1 --hold 2s");
            let (_, report) = scratch.json(&args, &[&counter(), "careless"]);
            let baseline = &report["baseline"];
            assert_eq!((&baseline["failures"], &baseline["refused"]), (&0.into(), &0.into()));
            assert_eq!((&baseline["level"], &baseline["runs"]), (&level.into(), &3.into()));
            assert_eq!(baseline["overlapped"], 0, "{profile} {level}: {report}");
        }
        let args = format!("--profile {profile} --until-fail --runs 60");
        let (code, report) = scratch.json(&args, &[&counter(), "careless"]);
        assert_eq!(code, 1, "{profile}: {report}");
        // The store of the definition may also hide from a session what it wrote itself.
        let anomaly = &report["levels"][0]["failure"]["diagnosis"]["anomaly"];
        let own = profile == "spec" && anomaly == "read-your-writes";
        assert!(own || anomaly == "lost-update", "{profile}: {report}");
    }
}

/// Six threads that wait for each other inside their transactions cannot come one at a time. The update that is
/// lost there is isolation's doing, so the levels are run; and the report says what happened.
#[test]
fn a_test_that_makes_transactions_overlap_is_no_deadlock() {
    for profile in ["spec", "postgres"] {
        let scratch = Scratch::new(&format!("together-{profile}"));
        let args = format!("--profile {profile} --runs 3 --timeout 30s");
        let (code, report) = scratch.json(&args, &[&counter(), "together"]);
        let baseline = &report["baseline"];
        assert_eq!((&baseline["runs"], &baseline["overlapped"]), (&3.into(), &3.into()));
        assert_eq!((&baseline["failures"], &baseline["own_failures"]), (&3.into(), &0.into()));
        assert_eq!((code, &report["levels"][0]["failures"]), (1, &3.into()), "{report}");
        let said = scratch.test(&args, &[&counter(), "together"]);
        for part in [
            "3 runs at RC with one transaction at a time, 3 failed: their transactions overlapped",
            "3 of 3 baseline runs overlapped because session ",
            "which did nothing meanwhile (see `--hold`)",
        ] {
            assert!(said.out.contains(part), "{part}: {said:?}");
        }
    }
}

/// Who fails only where the store refuses, fails without weak isolation just as well as with it.
#[test]
fn refusals_alone_do_not_stop_the_campaign() {
    let scratch = Scratch::new("refused");
    let args = "--runs 5 --abort-rate 100%";
    let run = scratch.test(args, &[&counter(), "careless"]);
    assert_eq!(run.code, 1, "{run:?}");
    let part = "3 failed: only where transactions were refused, which must be run again";
    assert!(run.out.contains(part), "{run:?}");
    let (_, report) = scratch.json(args, &[&counter(), "careless"]);
    assert_eq!(report["baseline"]["own_failures"], 0, "{report}");
    assert_eq!(report["levels"][0]["runs"], 5, "{report}");
}

#[test]
fn a_command_that_does_not_use_its_store_passes_no_test() {
    let scratch = Scratch::new("unused");
    let run = scratch.test("--runs 4", &["true"]);
    assert_eq!(run.code, 3, "{run:?}");
    for part in
        ["None of the 4 runs used its store: nothing was tested", "DATABASE_URL", "does it read"]
    {
        assert!(run.out.contains(part), "{part}: {run:?}");
    }
    let (code, report) = scratch.json("--runs 4", &["true"]);
    assert_eq!((code, &report["levels"][0]["used"]), (3, &0.into()), "{report}");
    // Some do, some do not.
    let script = format!("test $((HOB_RUN % 2)) = 0 || exec {} alone", counter());
    let run = scratch.test("--runs 5", &["sh", "-c", &script]);
    assert!(run.out.contains("2 runs of 5 never used the store"), "{run:?}");
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn runs_in_which_nothing_could_go_wrong_are_told() {
    let scratch = Scratch::new("alone");
    for profile in ["spec", "postgres"] {
        let args = format!("--runs 4 --profile {profile}");
        let run = scratch.test(&args, &[&counter(), "alone"]);
        assert_eq!(run.code, 0, "{run:?}");
        let part = "No two transactions overlapped in any of the 4 runs: nothing could go wrong.";
        assert!(run.out.contains(part), "{run:?}");
        let (_, report) = scratch.json(&args, &[&counter(), "alone"]);
        let level = &report["levels"][0];
        assert_eq!((&level["used"], &level["overlapped"]), (&4.into(), &0.into()), "{report}");
        let (_, report) = scratch.json(&args, &[&counter(), "race"]);
        assert_ne!(report["levels"][0]["overlapped"], 0, "{report}");
    }
}
