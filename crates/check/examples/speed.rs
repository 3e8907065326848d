use std::time::Instant;
use hobgoblin_check::{Limits, check};
use hobgoblin_core::*;
use hobgoblin_gen::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let txns: u32 = args[1].parse().unwrap();
    let levels = args[2].split(',');
    let anomaly = args.get(3).filter(|s| *s != "-").map(|a| anomaly_of(a).unwrap());
    let order = if args.get(4).is_some_and(|s| s == "session") { Order::Session } else { Order::Arrival };
    let keys: u32 = args.get(5).map_or(1000, |k| k.parse().unwrap());
    let level: Level = args.get(6).map_or(Level::SER, |k| k.parse().unwrap());
    let params = Params { sessions: 50, transactions: txns, keys, anomaly, order, seed: std::env::var("SEED").map_or(1, |s| s.parse().unwrap()), level, ..Params::default() };
    let t = Instant::now();
    let h = build(&params).unwrap();
    println!("gen {:?} {} events", t.elapsed(), h.num_events());
    for level in levels {
        let level: Level = level.parse().unwrap();
        let t = Instant::now();
        let v = check(&h, level.into(), &Limits::none());
        let s = match &v { Verdict::Consistent(_) => "holds".into(), Verdict::Violation(w) => format!("{:?} {:?} min {}", w.anomaly, w.txns, w.minimal), Verdict::Unknown(r) => format!("{r}") };
        println!("{level} {:?} {}", t.elapsed(), &s[..s.len().min(200)]);
    }
}
