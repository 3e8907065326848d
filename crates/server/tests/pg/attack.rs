//! Statements that are too deep, too long, too large or never end. Each is answered in time, the server stays up,
//! and eight clients beside them never notice.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::limits::{postgres, state};
use crate::support::{Raw, addr};

/// How long a hostile statement may take.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Statements of every shape, in several sizes.
fn hostile() -> Vec<String> {
    let mut all = Vec::new();
    for n in [300, 3_000, 30_000] {
        let nested = |open: &str, inside: &str, close: &str| {
            format!("select {}{inside}{}", open.repeat(n), close.repeat(n))
        };
        let chain = |term: &str, by: &str| format!("select {}", vec![term; n].join(by));
        all.extend([
            chain("1", "+"),
            chain("'a'", "||"),
            chain("true", " and "),
            chain("false", " or "),
            chain("1", ","),
            chain("(select 1)", "+"),
            chain("null::int", " is distinct from "),
            nested("(", "1", ")"),
            nested("case when true then ", "1", " end"),
            nested("abs(", "1", ")"),
            nested("not ", "true", ""),
            nested("- ", "1", ""),
            nested("(select ", "1", ")"),
            nested("exists(select 1 where ", "true", ")"),
            nested("1 in (select ", "1", ")"),
            nested("array[", "1", "]"),
            nested("coalesce(", "1", ")"),
            nested("(", "1", ""),
            nested("", "1", ")"),
            nested("cast(", "1", " as int)"),
            format!("select 1 {}", "union all select 1 ".repeat(n)),
            format!("select count(*) from (select 1) t0 {}", {
                (1..n).map(|at| format!("cross join (select 1) t{at} ")).collect::<String>()
            }),
            format!("select * from {}(select 1) t{}", "(select * from ".repeat(n), ") t".repeat(n)),
            format!("with {} select 1", {
                (0..n).map(|at| format!("c{at} as (select {at})")).collect::<Vec<_>>().join(", ")
            }),
            "select 1;".repeat(n),
            format!("select '{}'", "x".repeat(n * 30)),
            format!("select 1 -- {}", "x".repeat(n * 30)),
            format!("select {}1", "/* ".repeat(n)),
            format!("select \"{}\"", "y".repeat(n)),
            format!("select 1 in ({})", vec!["1"; n].join(",")),
            format!("values {}", vec!["(1)"; n].join(",")),
        ]);
    }
    all.extend(
        [
            "select pg_sleep(1000)",
            "select count(*) from generate_series(1, 1000000000)",
            "select count(*) from generate_series(1, 100000) a, generate_series(1, 100000) b",
            "with recursive r as (select 1 n union all select n + 1 from r) select count(*) from r",
            "with recursive r as (select 'x' t union all select t || t from r) select count(*) from r",
            "select length(repeat('x', 2000000000))",
            "select string_agg(repeat('x', 1000000), '') is null from generate_series(1, 100000)",
            "select array_agg(g) is null from generate_series(1, 9000000) g",
            "select regexp_replace(repeat('a', 30000), '(a|aa)+$', 'x') = ''",
            "select repeat('a', 30000) like repeat('%a', 3000) || 'b'",
            "select length((9.9::numeric ^ 200000)::text)",
            "select max(x) from (select md5(g::text) x from generate_series(1, 5000000) g order by 1) s",
            "select count(distinct md5(g::text)) from generate_series(1, 5000000) g",
            "select g, count(*) from generate_series(1, 5000000) g group by g order by g limit 1",
            "select row_number() over (order by md5(g::text)) from generate_series(1, 3000000) g limit 1",
        ]
        .map(str::to_owned),
    );
    all
}

#[test]
fn hostile_statements_are_answered_in_time_and_nobody_else_notices() {
    let server = postgres();
    let addr = addr(&server);
    let mut setup = Raw::open(addr);
    setup.query("create table work(id int primary key, v int); insert into work select g, 0 from generate_series(1, 8) g");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let done = &done;
        let clients: Vec<_> = (1..=8)
            .map(|id| {
                scope.spawn(move || {
                    let mut raw = Raw::open(addr);
                    let (mut rounds, mut slowest) = (0u64, Duration::ZERO);
                    while !done.load(Ordering::Relaxed) {
                        let start = Instant::now();
                        let sql = format!("update work set v = v + 1 where id = {id} returning v");
                        rounds += 1;
                        assert_eq!(raw.rows(&sql), [[rounds.to_string()]]);
                        slowest = slowest.max(start.elapsed());
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    (rounds, slowest)
                })
            })
            .collect();
        let statements = hostile();
        assert!(statements.len() >= 100, "{} statements", statements.len());
        let mut late = Vec::new();
        for sql in &statements {
            let mut raw = Raw::open(addr);
            raw.query(&format!("set statement_timeout = {}", TIMEOUT.as_millis()));
            let start = Instant::now();
            let state = state(&mut raw, sql);
            let took = start.elapsed();
            let shown: String = sql.chars().take(60).collect();
            // Code that is not optimized is slow where it cannot be interrupted.
            if took > TIMEOUT + Duration::from_secs(if cfg!(debug_assertions) { 4 } else { 1 }) {
                late.push(format!("{shown}… of {} bytes: {state} after {took:?}", sql.len()));
            }
        }
        done.store(true, Ordering::Relaxed);
        for client in clients {
            let (rounds, slowest) = client.join().expect("a client was disturbed");
            assert!(
                rounds > 10 && slowest < Duration::from_secs(5),
                "{rounds} rounds, {slowest:?}"
            );
        }
        assert!(late.is_empty(), "{}", late.join("\n"));
    });
    let memory = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        memory.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    let peak: u64 = peak.and_then(|peak| peak.parse().ok()).unwrap_or(0);
    assert!(peak < 4 << 20, "{} MB at most", peak >> 10);
}
