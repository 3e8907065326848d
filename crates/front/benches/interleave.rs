//! What the front costs: requests per second of interleaved tasks and of a blocking session, and whole
//! runs of figure 1's cart with a store of their own. `cargo bench -p hobgoblin-front` prints it.

#![allow(clippy::print_stdout, reason = "the numbers are what this prints")]

use std::hint::black_box;
use std::time::Instant;

use hobgoblin_core::{Level, Value};
use hobgoblin_front::{
    AsyncTransaction, Config, Error, Schedule, Scheduler, Store, Task, YieldAt, interleave, task,
};

fn config(level: Level, seed: u64) -> Config {
    Config::default().level(level).seed(seed).history(false).log(false)
}

fn report(what: &str, count: u64, start: Instant) {
    let rate = count as f64 / start.elapsed().as_secs_f64();
    println!("{what:<44} {rate:>12.0} per second");
}

/// Changes the cart by `step`.
async fn change(t: &mut AsyncTransaction<'_>, step: impl Fn(i64) -> i64) -> Result<i64, Error> {
    let Value::Int(cart) = t.get("cart").await? else { return Ok(0) };
    t.put("cart", step(cart)).await?;
    Ok(cart)
}

/// Items are bits of the cart: one task adds one, one removes another, one looks twice.
fn cart(store: &Store, seed: u64, at: YieldAt) -> bool {
    let mut sessions = [(); 3].map(|()| store.async_session());
    let [adds, removes, reads] = &mut sessions;
    let tasks: Vec<Task<'_, Result<i64, Error>>> = vec![
        task(adds.transaction(async |t| change(t, |cart| cart | 2).await)),
        task(removes.transaction(async |t| change(t, |cart| cart & !1).await)),
        task(async {
            let (first, second) = (reads.get("cart").await?, reads.get("cart").await?);
            let has = |cart| matches!(cart, Value::Int(n) if n & 1 == 1);
            Ok(i64::from(!has(first) && has(second)))
        }),
    ];
    let mut scheduler = Scheduler::new(Schedule::Random, seed);
    matches!(interleave(store, &mut scheduler, at, tasks)[2], Ok(1))
}

fn main() {
    for level in [Level::RC, Level::CC, Level::SER] {
        let initial = vec![("cart".into(), Value::Int(1))];
        for at in [YieldAt::Request, YieldAt::Begin] {
            for kept in [false, true] {
                let (runs, start) = (200_000, Instant::now());
                let run = |seed| {
                    let (initial, log, history) = (initial.clone(), kept, kept);
                    let config =
                        config(level, seed).initial_values(initial).log(log).history(history);
                    cart(&Store::new(config).expect("a usual setup"), seed, at)
                };
                let back = (0..runs).filter(|&seed| run(seed)).count();
                let kept = if kept { " with history and log" } else { "" };
                report(&format!("carts at {level}, {at:?}{kept}"), runs, start);
                if let Some(rate) = runs.checked_div(back as u64) {
                    println!("    the item was back once in {rate} runs");
                }
            }
        }
    }
    let (count, start) = (1_000_000, Instant::now());
    for seed in 0..count {
        black_box(Store::new(config(Level::RC, seed)).expect("a usual setup"));
    }
    report("stores", count, start);

    let store = Store::new(config(Level::RC, 1)).expect("a usual setup");
    let yields = |store: &Store, each: u64| {
        let many = |_| {
            let mut session = store.async_session();
            task(async move {
                let mut t = session.begin().await?;
                for _ in 0..each {
                    t.savepoint("a").await?;
                    t.release("a").await?;
                }
                t.commit().await
            })
        };
        let done = store.interleave((0..3).map(many).collect());
        assert!(done.iter().all(Result::is_ok));
    };
    let start = Instant::now();
    yields(&store, 500_000);
    report("interleaved requests that do nothing", 3_000_000, start);
    let mut session = store.session();
    let start = Instant::now();
    session.put("x", 1).expect("nothing is in the way");
    for _ in 0..1_000_000 {
        black_box(session.get("x").expect("it is there"));
    }
    report("blocking gets", 1_000_000, start);
}
