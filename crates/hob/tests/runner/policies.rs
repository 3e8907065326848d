//! Seeds take turns with policies, and schedules learn from the baseline.

use hobgoblin_store::Policy;
use serde_json::{Value, json};

use crate::support::{Scratch, counter};

/// The report of the first failure from this seed on.
fn first_failure(scratch: &Scratch, args: &str) -> Value {
    let (code, report) = scratch.json(&format!("--until-fail --runs 60 {args}"), &[&counter()]);
    assert_eq!(code, 1, "{report}");
    report["levels"][0].clone()
}

#[test]
fn a_failing_run_says_its_policy_and_so_does_its_replay() {
    let scratch = Scratch::new("policy");
    let mut policies = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let level = first_failure(&scratch, &format!("--seed {seed}"));
        let failure = &level["failure"];
        let failing = failure["seed"].as_u64().expect("a seed");
        let policy = Policy::of_seed(failing).to_string();
        assert_eq!(failure["policy"], json!(policy), "{failure}");
        let log = failure["log"].as_str().expect("it was saved");
        let header: Value =
            serde_json::from_str(scratch.read(log).lines().next().expect("a line")).expect("JSON");
        assert_eq!(header["policy"], json!(policy), "{header}");
        if policies.insert(policy.clone()) {
            let (_, again) = scratch.json(&format!("--replay {log} --yes"), &[]);
            assert_eq!((&again["policy"], &again["divergence"]), (&json!(policy), &Value::Null));
            assert_eq!(again["failure"]["policy"], json!(policy), "{again}");
            let text =
                scratch.test(&format!("--runs 1 --seed {failing} --junit j.xml"), &[&counter()]);
            let told = format!("has seed {failing}, policy {policy}, and ended");
            assert!(text.out.contains(&told), "{text:?}");
            let told = format!("seed {failing}, policy {policy}: exit code 1");
            assert!(scratch.read("j.xml").contains(&told), "{}", scratch.read("j.xml"));
        }
    }
    assert!(policies.len() > 1, "only {policies:?} failed");
}

#[test]
fn a_policy_that_is_asked_for_is_kept_to() {
    let scratch = Scratch::new("pinned");
    for seed in 0..3 {
        let level = first_failure(&scratch, &format!("--policy uniform --seed {seed}"));
        assert_eq!(level["failure"]["policy"], json!("uniform"), "{level}");
    }
}

/// One run tells little of its rate, and the interval says so: runs that took turns with three policies have
/// a wider one than runs of a single policy.
#[test]
fn the_rate_of_a_first_failure_has_the_interval_of_its_stopping_rule() {
    let scratch = Scratch::new("until-fail");
    for (args, policies) in [("--policy uniform", 1_u32), ("", 3)] {
        for jobs in [1, 3] {
            let level = first_failure(&scratch, &format!("{args} --jobs {jobs} --seed 2"));
            let runs = level["runs"].as_u64().expect("a number") as f64;
            let rounds = (runs / f64::from(policies)).ceil();
            let low = (1.0 - 0.975_f64.powf(1.0 / rounds)) / f64::from(policies);
            let told = level["rate"]["low"].as_f64().expect("a number");
            assert!((told - low).abs() < 1e-9, "{level}");
            assert_eq!(level["ended"], json!("failure"));
        }
    }
}

#[test]
fn pct_learns_the_number_of_steps_from_the_baseline() {
    let scratch = Scratch::new("pct");
    let race = [&counter() as &str, "race"];
    let engine = "--profile postgres --level RC --runs 12";
    let (_, random) = scratch.json(engine, &race);
    assert_eq!(random["schedule"], json!("random"));
    let (code, report) = scratch.json(&format!("{engine} --schedule pct"), &race);
    let failures = |report: &Value| report["levels"][0]["failures"].as_u64().expect("a number");
    assert!(code == 1 && failures(&report) > 0, "random found {}: {report}", failures(&random));
    let schedule = report["schedule"].as_str().expect("a schedule");
    let steps: u32 = schedule.strip_prefix("pct:3:").and_then(|n| n.parse().ok()).expect(schedule);
    // Three sessions add twice, with three held requests each time; who is refused tries again.
    assert!((18..200).contains(&steps), "{schedule}");
    let failure = &report["levels"][0]["failure"];
    assert_eq!(failure.get("policy"), None, "an engine's reads have no choice: {failure}");
    let log = failure["log"].as_str().expect("it was saved");
    let (_, again) = scratch.json(&format!("--replay {log} --yes"), &[]);
    assert_eq!(again["schedule"], json!(schedule), "{again}");
    let told = scratch.test("--profile postgres --level RC --runs 1 --schedule pct:2:7", &race);
    assert!(told.out.contains("\nschedule: pct:2:7\n"), "{told:?}");
}
