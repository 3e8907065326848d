//! Failures are kept beside the tests and tried first; the printed command replays one. Seen from outside: a crate of
//! its own, run by `cargo test` as a user runs it.

mod outside;

use std::process::Output;

use outside::{Outside, text};

const TEST: &str = r#"
use hobgoblin::test::{self, Config, task};
use hobgoblin::{Error, Level, Store};

async fn withdraw(store: &Store) -> Result<bool, Error> {
    let mut session = store.async_session();
    session
        .transaction(async |t| {
            let balance: i64 = t.get_as("balance").await?.unwrap_or(0);
            if balance >= 100 {
                t.put("balance", balance - 100).await?;
            }
            Ok(balance >= 100)
        })
        .await
}

fn pay(store: &Store) {
    let paid = store.interleave(vec![task(withdraw(store)), task(withdraw(store))]);
    let paid = paid.into_iter().filter(|paid| matches!(paid, Ok(true))).count();
    println!("level {:?} seed {}", store.config().level, store.config().seed);
    assert!(paid <= 1, "paid {paid} times");
}

mod bank {
    use super::*;

    #[test]
    fn pays_once() {
        test::check(Config::at(Level::CC).initial("balance", 100), pay);
    }
}

#[test]
fn pays_once_at_si() {
    test::check(Config::at(Level::SI).initial("balance", 100).runs(50), pay);
}
"#;

fn bank() -> Outside {
    let bank = Outside::new("bank", "hobgoblin = { path = \"{hobgoblin}\" }");
    bank.write("tests/bank.rs", TEST);
    bank
}

fn run(bank: &Outside, environment: &[(&str, &str)], arguments: &[&str]) -> Output {
    let arguments = [&["test", "--test", "bank"], arguments].concat();
    bank.cargo(environment, &arguments)
}

fn kept(bank: &Outside) -> Option<String> {
    bank.read("hob-regressions/tests/bank.txt")
}

#[test]
fn failures_are_kept_and_come_first() {
    let bank = bank();
    let off = text(&run(&bank, &[("HOB_REGRESSIONS", "off")], &[]));
    assert!(off.contains("paid 2 times") && !off.contains("It is kept in"), "{off}");
    assert_eq!(kept(&bank), None);

    let first = text(&run(&bank, &[], &[]));
    assert!(first.contains("It is kept in hob-regressions/tests/bank.txt"), "{first}");
    let file = kept(&bank).expect("there is a file");
    let line = file.lines().find(|line| line.starts_with("bank::pays_once ")).expect("it is kept");
    assert!(line.ends_with("paid 2 times"), "{line}");
    assert_eq!(file.lines().filter(|line| !line.starts_with('#')).count(), 1, "{file}");

    let second = text(&run(&bank, &[], &[]));
    assert!(
        second.contains("in a run that failed before (hob-regressions/tests/bank.txt)"),
        "{second}"
    );
    assert_eq!(kept(&bank).as_deref(), Some(&*file), "it is not kept twice");

    // The command, as printed, runs that test and nothing else.
    let printed =
        first.lines().find(|line| line.contains("HOB_REPLAY=")).expect("a command").trim();
    let (token, command) = printed.split_once(' ').expect("a variable and a command");
    assert_eq!(
        command,
        "cargo test -p bank --test bank bank::pays_once -- --exact --include-ignored"
    );
    let token = token.strip_prefix("HOB_REPLAY=").expect("the variable");
    let replayed = run(&bank, &[("HOB_REPLAY", token)], &["bank::pays_once", "--", "--exact"]);
    let replayed = text(&replayed);
    assert!(replayed.contains(", replayed with seed "), "{replayed}");
    assert!(replayed.contains("1 filtered out"), "{replayed}");
    // The other test does not know the token, also where one thread runs them all.
    for arguments in [&[][..], &["--", "--test-threads=1"]] {
        let all = text(&run(&bank, &[("HOB_REPLAY", token)], arguments));
        assert!(all.contains("test pays_once_at_si ... ok"), "{all}");
    }

    // A program that no longer does what it did is not measured by it.
    let mended = TEST.replace("t.get_as(\"balance\")", "t.get_as(\"money\")");
    bank.write("tests/bank.rs", &mended);
    let mended = run(&bank, &[], &[]);
    assert!(mended.status.success(), "{}", text(&mended));

    let seeds = |seed: &str| {
        let arguments = ["pays_once_at_si", "--", "--exact", "--nocapture"];
        let shown = text(&run(&bank, &[("HOB_SEED", seed)], &arguments));
        let seeds = shown.lines().filter_map(|line| line.strip_prefix("level SER seed "));
        seeds.map(str::to_owned).next()
    };
    assert_eq!(seeds("4711").as_deref(), Some("4711"));
    assert_ne!(seeds("random"), seeds("random"));
}
