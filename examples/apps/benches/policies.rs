//! How many iterations each policy takes to a failure of the applications of every day, and how many the
//! rotation does that stores follow when they are asked for no policy.
//!
//! `cargo bench -p hobgoblin-apps --bench policies` prints the table; with `-- --bars` a line for each
//! application, and it fails if the rotation takes more than 3.5 times the iterations of the best policy
//! at some level. `-- --quick` measures a tenth, `-- --seed N` begins with another seed.

#![allow(clippy::print_stdout, reason = "the table is what this prints")]

use hobgoblin::store::Policy;
use hobgoblin_apps::contest::{BAR, Contest, Effort, contest};
use hobgoblin_apps::everyday::{EVERYDAY, Everyday};
use hobgoblin_apps::measure::Count;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let seed = args.iter().position(|arg| arg == "--seed").and_then(|at| args.get(at + 1));
    let seed = seed.map_or(FRESH, |seed| seed.parse().expect("a seed is a number"));
    let part = if has("--quick") { 10 } else { 1 };
    let effort =
        Effort { seed, least: 300 / part, most: 5_000 / part, iterations: 3_000_000 / part };
    let bars = has("--bars");
    if !bars {
        let names = Policy::ROTATION.map(|policy| policy.to_string()).join(" | ");
        println!("Iterations to a failure, from seed {seed}:\n");
        println!("| application | level | {names} | rotation | times the best |");
        println!("| --- | --- | --- | --- | --- | --- | --- |");
    }
    let mut all = Vec::new();
    let mut missed = 0;
    for everyday in &EVERYDAY {
        let found = measure(everyday, &effort, !bars);
        let worst = found.iter().map(Contest::ratio).fold(0.0, f64::max);
        missed += u32::from(worst > BAR);
        if bars {
            let verdict = if worst > BAR { "MISSED" } else { "met" };
            let (name, levels) = (everyday.app.name, found.len());
            println!(
                "rotation of policies against the best one on {name}, {levels} levels: at most \
                 {worst:.2} times the iterations; required at most {BAR}: {verdict}"
            );
        }
        all.extend(found);
    }
    if !bars {
        overall(&all);
    }
    if missed > 0 {
        std::process::exit(1);
    }
}

/// Where the seeds begin: nothing was chosen by looking at these.
const FRESH: u64 = 12_000_000_000;

fn measure(everyday: &Everyday, effort: &Effort, tell: bool) -> Vec<Contest> {
    let Everyday { app, breaks, guarded } = everyday;
    let kind = if *guarded { "guarded" } else { "plain" };
    let one = |&level| {
        let found = contest(app, level, effort).expect("the application runs");
        if tell {
            let single = found.single.map(|count| average(&count)).join(" | ");
            let (rotation, ratio) = (average(&found.rotation), found.ratio());
            println!("| {} ({kind}) | {level} | {single} | {rotation} | {ratio:.2} |", app.name);
        }
        found
    };
    breaks.iter().map(one).collect()
}

fn average(count: &Count) -> String {
    match count.failures {
        0 => format!("over {}", count.iterations),
        _ => format!("{:.1}", count.average()),
    }
}

/// The geometric means over all rows.
fn overall(all: &[Contest]) {
    let mean = |average: &dyn Fn(&Contest) -> f64| {
        let logarithms: f64 = all.iter().map(|found| average(found).ln()).sum();
        (logarithms / all.len() as f64).exp()
    };
    // Who never failed counts as failing in the next iteration, which is too good for it.
    let at_least = |count: &Count| count.iterations as f64 / count.failures.max(1) as f64;
    let single: Vec<String> = (0..3)
        .map(|at| {
            format!("{} {:.1}", Policy::ROTATION[at], mean(&|found| at_least(&found.single[at])))
        })
        .collect();
    let rotation = mean(&|found| at_least(&found.rotation));
    let best = mean(&|found| found.single[found.best()].average());
    println!(
        "\nGeometric means over {} rows: {}, rotation {rotation:.1}; the best of each row {best:.1}.",
        all.len(),
        single.join(", ")
    );
}
