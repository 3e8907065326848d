//! Prints what the analysis finds.
use hobgoblin_prove::analysis::*;
use hobgoblin_prove::specification::*;
use std::time::{Duration, Instant};
fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let program = hobgoblin_prove::read::read(&file, &text).unwrap();
    let mut spec = Specification::all(program.transactions.len(), Level::Ec);
    let mut options = Options::default();
    options.query_limit = Duration::from_secs(60);
    let at = |name: &str| {
        program.transactions.iter().position(|t| t.name.eq_ignore_ascii_case(name)).unwrap()
    };
    for arg in args {
        if let Some(k) = arg.strip_prefix("k=") {
            options.instances = k.parse().unwrap();
        } else if let Some(k) = arg.strip_prefix("rows=") {
            options.rows = Some(k.parse().unwrap());
        } else if let Some(p) = arg.strip_prefix("serial=") {
            let (a, b) = p.split_once(',').unwrap();
            spec.serial.push((at(a), at(b)));
        } else if arg == "noproof" {
            options.proofs = false;
        } else if let Some((t, l)) = arg.split_once('=') {
            spec.levels[at(t)] = l.parse().unwrap();
        } else {
            spec.levels = vec![arg.parse().unwrap(); program.transactions.len()];
        }
    }
    let solver = hobgoblin_prove::smt::Solver::find(None).unwrap();
    let start = Instant::now();
    let verbose = std::env::var("V").is_ok();
    let a = analyse(
        &program,
        &spec,
        &options,
        &solver,
        &mut |n, name| {
            if verbose {
                eprintln!("{:?} {n} {name}", start.elapsed())
            }
        },
        &|| false,
    )
    .unwrap();
    for an in &a.anomalies {
        let names: Vec<_> = an
            .scenario
            .instances
            .iter()
            .map(|i| format!("{}{:?}", program.transactions[i.transaction].name, i.parameters))
            .collect();
        println!(
            "{} {} {} harmless={:?}",
            if an.visible { "ANOMALY" } else { "invisible" },
            if an.is_confirmed() { "CONFIRMED" } else { "unconfirmed" },
            names.join(" | "),
            an.replayed.as_ref().map(|o| o.is_harmless_to_the_state())
        );
        if !an.is_confirmed() {
            println!("   {:?}", an.replayed);
        }
        println!("   {:?}", an.scenario.order);
        for (t, row) in &an.scenario.rows {
            println!("    row {} {:?}", program.tables[t.0 as usize].name, row);
        }
        for s in &an.steps {
            println!(
                "    {} -{:?}-> {} {}{:?} {:?}",
                s.from, s.kind, s.to, program.tables[s.table.0 as usize].name, s.key, s.column
            );
        }
    }
    println!("undecided {:?}", a.undecided);
    println!("failed {:?}", a.failed);
    println!("proof {:?}", a.proof.map(|p| (p.method, p.claim, p.queries.len())));
    println!("asked {} in {:?}", a.asked, start.elapsed());
}
