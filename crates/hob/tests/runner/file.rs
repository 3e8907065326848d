//! Defaults in `hob.toml`.

use crate::support::{Scratch, counter};

#[test]
fn the_file_gives_defaults_and_flags_win() {
    let scratch = Scratch::new("file");
    let text = format!(
        "[test]\ncommand = [{:?}]\nlevel = [\"RC\", \"SI\"]\nruns = 30\nseed = 100\nbaseline-runs = 1\n",
        counter()
    );
    scratch.write("hob.toml", &text);
    let (code, report) = scratch.json("", &[]);
    assert_eq!((code, &report["baseline"]["runs"], &report["seed"]), (1, &1.into(), &100.into()));
    let levels = report["levels"].as_array().expect("a list");
    assert_eq!(levels.len(), 2);
    assert!(levels.iter().all(|level| level["runs"] == 30), "{report}");
    let (code, report) = scratch.json("--level SER --runs 2", &["true"]);
    assert_eq!((code, &report["command"]), (3, &serde_json::json!(["true"])));
    assert_eq!(
        (&report["levels"][0]["level"], &report["levels"][0]["runs"]),
        (&"SER".into(), &2.into())
    );
    assert_eq!(report["levels"].as_array().map(Vec::len), Some(1));
}

#[test]
fn the_file_is_looked_for_up_to_the_root_of_the_repository() {
    let scratch = Scratch::new("above");
    for directory in ["repo/.git", "repo/deep/below", "alone/below"] {
        std::fs::create_dir_all(scratch.0.join(directory)).expect("there is room");
    }
    scratch.write("hob.toml", "[test]\nruns = \"outside every repository\"\n");
    scratch.write("repo/hob.toml", "[test]\nruns = 4\nbaseline-runs = 0\n");
    for (directory, runs) in [("repo/deep/below", 4), ("alone/below", 100)] {
        let mut hob = scratch.command("--json", &["true"]);
        hob.current_dir(scratch.0.join(directory));
        let run = crate::support::finish(hob);
        let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(report["levels"][0]["runs"], runs, "{directory}: {run:?}");
    }
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let scratch = Scratch::new("mistakes");
    for (text, place, message, help) in [
        (
            "[test]\nlevl = \"RC\"\n",
            "hob.toml:2:1",
            "there is no key `levl`",
            "did you mean `level`?",
        ),
        ("[test]\nruns = \"many\"\n", "hob.toml:2:8", "no value for `runs`", "expected a number"),
        ("[test\n", "hob.toml:1:", "", "correct the TOML"),
    ] {
        scratch.write("hob.toml", text);
        let run = scratch.test("", &["true"]);
        assert_eq!(run.code, 2, "{text}: {run:?}");
        for part in [place, message, help] {
            assert!(run.err.contains(part), "{text}: {}", run.err);
        }
    }
}
