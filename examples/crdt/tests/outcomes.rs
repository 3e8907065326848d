//! Every adapter is held to what its file says. `HOB_FULL=1` runs 200 histories each instead of 20, and
//! `HOB_SEED=random` others. Deviations are looked for from a seed on where they are found soon.
//!
//! `cargo test -p hobgoblin-crdt-libraries -- --ignored --nocapture` prints how many of 200 histories deviate.

use hobgoblin::crdt::harness::{self, Cause, Config, Failure, LiveReplica, Recorded};
use hobgoblin::crdt::{Arbitration, DataType, Multiplicity};
use hobgoblin_crdt_libraries::{automerge, crdts, yrs};

fn conforms<R: LiveReplica>(config: Config) {
    let histories = if std::env::var_os("HOB_FULL").is_some() { 200 } else { 20 };
    let passed = harness::check::<R>(&config.histories(histories));
    assert_eq!((passed.histories, passed.unknown), (histories, 0));
}

/// The first violation from a seed on. Replicas agree in the end, and no more than so many steps show it.
fn differs<R: LiveReplica>(config: Config, seed: u64, steps: usize) -> Box<Failure> {
    let failure =
        harness::run::<R>(&config.seed(seed)).expect_err("a known deviation was not found");
    assert!(failure.reproduced, "{failure}");
    assert_eq!(failure.cause, Cause::Violation, "{failure}");
    assert!(failure.steps.len() <= steps, "{failure}");
    failure
}

/// Registers that are written 1, 2 and 3 only.
fn repeated(data_type: DataType) -> Config {
    Config::new(data_type).repeated_values(3)
}

#[test]
fn crdts_conforms() {
    conforms::<crdts::Set>(Config::new(DataType::AwSet));
    conforms::<crdts::MultiValue>(Config::new(DataType::Mvr));
    conforms::<crdts::MultiValue>(repeated(DataType::Mvr));
    conforms::<crdts::MultiValue>(repeated(DataType::Mvr).multiplicity(Multiplicity::Multiset));
    conforms::<crdts::LastWriter>(Config::new(DataType::Lww));
    conforms::<crdts::LastWriter>(repeated(DataType::Lww));
    conforms::<crdts::Counter>(Config::new(DataType::Counter));
    conforms::<crdts::Counter>(repeated(DataType::Counter));
    conforms::<crdts::Sequence>(Config::new(DataType::List));
}

#[test]
fn crdts_list_is_no_rga() {
    // B's 1 stands between A's 2 and what A added right after that.
    differs::<crdts::Sequence>(Config::new(DataType::Rga), 0, 6);
}

#[test]
fn automerge_conforms() {
    conforms::<automerge::Sequence>(Config::new(DataType::Rga));
    conforms::<automerge::Sequence>(Config::new(DataType::Rga).keys(2));
    conforms::<automerge::Sequence>(Config::new(DataType::List));
    conforms::<automerge::Counter>(Config::new(DataType::Counter));
    conforms::<automerge::LastWriter>(Config::new(DataType::Lww).deletes(false));
    conforms::<automerge::MultiValue>(Config::new(DataType::Mvr));
    conforms::<automerge::Keys>(Config::new(DataType::AwSet));
}

#[test]
fn automerge_loses_counts_of_counters_created_twice() {
    differs::<automerge::OwnCounter>(Config::new(DataType::Counter), 0, 4);
}

#[test]
fn automerge_deletes_do_not_win_over_concurrent_values() {
    let config = Config::new(DataType::Lww);
    differs::<automerge::LastWriter>(config.clone(), 30, 12);
    let failure = differs::<automerge::LastWriter>(config.arbitration(Arbitration::PerKey), 46, 10);
    assert!(failure.steps.iter().any(|step| step.contains("delete ")), "{failure}");
}

#[test]
fn automerge_does_not_record_what_is_there_already() {
    differs::<automerge::MultiValue>(repeated(DataType::Mvr), 4, 9);
    // Even if that is told: putting the winner of a conflict again records only that the others are gone.
    differs::<automerge::HonestMultiValue>(repeated(DataType::Mvr), 5, 10);
    // A key is added again while another replica removes it.
    differs::<automerge::EqualKeys>(Config::new(DataType::AwSet), 1, 6);
}

#[test]
fn yrs_conforms() {
    conforms::<yrs::Registers>(Config::new(DataType::Lww).arbitration(Arbitration::PerKey));
    conforms::<yrs::Sequence>(Config::new(DataType::List));
    conforms::<yrs::Sequence>(Config::new(DataType::List).keys(2));
}

#[test]
fn yrs_orders_each_key_by_itself() {
    differs::<yrs::Registers>(Config::new(DataType::Lww), 49, 10);
}

#[test]
fn yrs_keys_are_no_add_wins_set() {
    // B removes what it added itself, and what A added concurrently is gone, too.
    let failure = differs::<yrs::Keys>(Config::new(DataType::AwSet), 7, 5);
    assert!(failure.steps.iter().any(|step| step.contains(" remove ")), "{failure}");
}

#[test]
fn yrs_array_is_no_rga() {
    differs::<yrs::Sequence>(Config::new(DataType::Rga), 63, 8);
}

#[test]
fn yrs_does_not_wait_for_causes() {
    let failure = differs::<yrs::AnyOrder>(Config::new(DataType::List), 1, 9);
    // Elements of B are shown although an earlier one of B is missing.
    assert!(failure.steps.iter().any(|step| step.contains("receives")), "{failure}");
}

/// An update that came early stays out although all that it needs has arrived since.
#[test]
fn yrs_forgets_to_look_at_early_updates_again() {
    let failure = harness::run::<yrs::AnyOrder>(&Config::new(DataType::List).seed(4));
    let failure = failure.expect_err("a known deviation was not found");
    assert!(matches!(failure.cause, Cause::Diverged(_)), "{failure}");
}

/// How many of 200 histories are not admitted, when all is known of who observed what, and when nothing is.
#[test]
#[ignore = "prints a table"]
fn table() {
    row::<crdts::Set>("crdts Orswot", Config::new(DataType::AwSet));
    row::<crdts::MultiValue>("crdts MVReg", Config::new(DataType::Mvr));
    row::<crdts::LastWriter>("crdts LWWReg", Config::new(DataType::Lww));
    row::<crdts::Counter>("crdts PNCounter", Config::new(DataType::Counter));
    row::<crdts::Sequence>("crdts List", Config::new(DataType::List));
    row::<crdts::Sequence>("crdts List", Config::new(DataType::Rga));
    row::<automerge::Sequence>("automerge list", Config::new(DataType::Rga));
    row::<automerge::Counter>("automerge counter, created once", Config::new(DataType::Counter));
    row::<automerge::OwnCounter>(
        "automerge counter, created by all",
        Config::new(DataType::Counter),
    );
    let lww = Config::new(DataType::Lww);
    row::<automerge::LastWriter>("automerge get, no deletes", lww.clone().deletes(false));
    row::<automerge::LastWriter>("automerge get", lww.clone());
    row::<automerge::MultiValue>("automerge get_all", Config::new(DataType::Mvr));
    row::<automerge::MultiValue>("automerge get_all, repeated values", repeated(DataType::Mvr));
    row::<automerge::HonestMultiValue>("automerge get_all, no-ops told", repeated(DataType::Mvr));
    row::<automerge::Keys>("automerge keys, unique values", Config::new(DataType::AwSet));
    row::<automerge::EqualKeys>("automerge keys, equal values", Config::new(DataType::AwSet));
    row::<yrs::Registers>("yrs map, one order", lww.clone());
    row::<yrs::Registers>("yrs map, one order a key", lww.arbitration(Arbitration::PerKey));
    row::<yrs::Keys>("yrs keys", Config::new(DataType::AwSet));
    row::<yrs::Sequence>("yrs array", Config::new(DataType::List));
    row::<yrs::Sequence>("yrs array", Config::new(DataType::Rga));
    row::<yrs::AnyOrder>("yrs array, any order", Config::new(DataType::List));
}

fn row<R: LiveReplica>(what: &str, config: Config) {
    let known = harness::survey::<R>(&config);
    let unknown = harness::survey::<R>(&config.clone().recorded(Recorded::Nothing));
    assert_eq!((known.unknown, unknown.unknown, known.broken), (0, 0, 0));
    let (data_type, diverged) = (config.data_type.name(), known.diverged);
    let (violations, black_box) = (known.violations, unknown.violations);
    eprintln!("{what:<36} {data_type:<8} {violations:>4} {black_box:>4} {diverged:>4}");
}
