//! A store does not grow with its age: what no transaction can read any more is dropped.

mod support;

use hobgoblin_core::{Level, Rng};
use hobgoblin_store::{Config, Machine};
use support::{LEVELS, get, put, scale};

/// Pages of this process that are in memory.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
    pages.split_whitespace().nth(1).and_then(|field| field.parse().ok()).expect("a number")
}

/// Runs transactions of one request each with a window of 1,000 commits; gives the versions kept and the
/// pages in memory after a tenth of them and at the end.
fn grow(level: Level, total: u64) -> [(u32, u64); 2] {
    let config = Config::default().level(level).window(1000);
    let mut machine = Machine::new(config).expect("the configuration is good");
    let sessions: Vec<_> = (0..3).map(|_| machine.connect(None).expect("connects")).collect();
    let keys: Vec<String> = (0..10).map(|key| format!("k{key}")).collect();
    let mut rng = Rng::new(1);
    let mut first = (0, 0);
    for number in 1..=total {
        let session = *rng.pick(&sessions).expect("three");
        let key = rng.pick(&keys).expect("ten");
        let request = if rng.one_in(2) { get(key) } else { put(key, number as i64) };
        machine.apply(session, &request).expect("the request is good");
        if number % 1000 == 0 {
            drop((machine.take_ended(), machine.take_log()));
        }
        if number == total / 10 {
            first = (machine.stats().versions, resident());
        }
    }
    [first, (machine.stats().versions, resident())]
}

#[test]
fn memory_is_flat_after_the_first_tenth() {
    for level in LEVELS {
        let [first, last] = grow(level, 20_000 * scale());
        // The window holds 1,000 commits, and every key one version from before it.
        let kept = [first.0, last.0];
        assert!(kept.iter().all(|&versions| versions <= 2_500), "{level}: {kept:?} versions kept");
        // 512 pages are 2 MB.
        assert!(last.1 <= first.1 + 512, "{level}: {} pages, then {}", first.1, last.1);
    }
}
