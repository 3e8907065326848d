//! The table of speed and memory: `hob check` on histories from `hob gen` with fixed seeds, as a user
//! would run it, parsing included. CPU time and peak memory come from `/proc`.
//!
//! `cargo bench -p hob` prints the table; with `-- --bars` only the rows that have a required value, one
//! line each, and it fails if one is missed. `-- --quick` leaves out what takes minutes.

#![allow(clippy::print_stdout, reason = "the table is what this prints")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a row runs and what it must not exceed.
#[derive(Clone, Copy)]
struct Row {
    events: u64,
    /// How many events a transaction has.
    length: &'static str,
    keys: &'static str,
    /// From how many values of a key those written are drawn; without it every value is written once.
    values: Option<&'static str>,
    order: &'static str,
    anomaly: Option<&'static str>,
    level: &'static str,
    sessions: &'static str,
    /// CPU seconds, and megabytes.
    required: Option<(f64, Option<f64>)>,
}

struct Measured {
    seconds: f64,
    megabytes: f64,
    code: i32,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let (bars, quick) = (has("--bars"), has("--quick"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let mut missed = 0;
    if !bars {
        println!(
            "| events | sessions | values per key | file order | anomaly | level | answer | CPU s | events/s | peak MB | required |"
        );
        println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    }
    for row in rows() {
        if (bars && row.required.is_none()) || (quick && row.events > 1_000_000) {
            continue;
        }
        let file = history(&folder, &row);
        let repeat = if row.events <= 1_000_000 { 3 } else { 1 };
        let runs = (0..repeat).map(|_| measure(&["check", "--quiet", "--level", row.level], &file));
        let best = runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("at least one run");
        missed += u32::from(!report(&row, &best, bars));
    }
    let _ = std::fs::remove_dir_all(&folder);
    if bars && missed > 0 {
        std::process::exit(1);
    }
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let plain = Row {
        events: 1_000_000,
        length: "10",
        keys: "1000",
        values: None,
        order: "arrival",
        anomaly: None,
        level: "CC",
        sessions: "50",
        required: None,
    };
    let mut add = |events, order, anomaly, level, required| {
        rows.push(Row { events, order, anomaly, level, required, ..plain });
    };
    // Half of AWDIT's time for RC and RA, a quarter for CC (0.80, 1.0 and 4.05 s on this kind of machine).
    for (level, required) in
        [("RC", (0.40, None)), ("RA", (0.50, None)), ("CC", (1.01, Some(250.0)))]
    {
        add(100_000, "arrival", None, level, None);
        add(1_000_000, "arrival", None, level, Some(required));
        add(1_000_000, "session", None, level, Some(required));
        add(10_000_000, "arrival", None, level, None);
    }
    for order in ["arrival", "session"] {
        for level in ["PC", "PSI", "SI", "SER"] {
            add(100_000, order, None, level, Some((2.0, None)));
            add(1_000_000, order, None, level, Some((30.0, Some(2000.0))));
        }
        for (anomaly, level) in
            [("lost-update", "SI"), ("lost-update", "SER"), ("write-skew", "SER")]
        {
            add(100_000, order, Some(anomaly), level, Some((2.0, None)));
            add(1_000_000, order, Some(anomaly), level, Some((30.0, Some(2000.0))));
        }
    }
    add(1_000_000, "session", None, "SER", Some((2.0, None)));
    for level in ["SI", "PSI"] {
        add(200_000, "arrival", Some("long-fork"), level, None);
        add(200_000, "session", Some("long-fork"), level, Some((3.0, None)));
    }
    // Clocks of so many sessions do not fit into any cache.
    for sessions in ["5000", "20000"] {
        for order in ["arrival", "session"] {
            rows.push(Row { sessions, order, required: Some((3.0, Some(400.0))), ..plain });
        }
    }
    // Values that repeat, so that whom a read read from has to be found out.
    let repeated = Row { keys: "5000", values: Some("100"), order: "session", ..plain };
    for (level, seconds) in [("RC", 1.0), ("RA", 1.0), ("CC", 1.0), ("SI", 5.0), ("SER", 5.0)] {
        let (events, length, sessions) = (80_000, "8", "25");
        let required = Some((seconds, None));
        rows.push(Row { events, length, sessions, level, required, ..repeated });
    }
    for level in ["RC", "RA", "CC", "SI", "SER"] {
        let (events, length, sessions) = (30_000, "15", "20");
        rows.push(Row { events, length, sessions, level, required: Some((1.0, None)), ..repeated });
    }
    rows
}

/// The file of a row, generated unless it is there.
fn history(folder: &Path, row: &Row) -> PathBuf {
    let anomaly = row.anomaly.unwrap_or("none");
    let values = row.values.unwrap_or("distinct");
    let shape = format!("{}x{}-{}-{values}", row.events, row.length, row.keys);
    let name = format!("{shape}-{}-{}-{anomaly}.plume", row.sessions, row.order);
    let file = folder.join(name);
    if !file.exists() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hob"));
        let events = row.events.to_string();
        command.args([
            "gen",
            "--sessions",
            row.sessions,
            "--keys",
            row.keys,
            "--seed",
            "1",
            "--level",
            "SER",
        ]);
        command.args(["--events", &events, "--events-per-transaction", row.length]);
        command.args(["--order", row.order]);
        command.args(row.values.iter().flat_map(|v| ["--values", v]));
        command.args(row.anomaly.iter().flat_map(|a| ["--anomaly", a]));
        let status = command.arg("--output").arg(&file).status().expect("hob runs");
        assert!(status.success(), "hob gen failed");
    }
    file
}

/// Runs `hob` on a file; CPU time is that of all children, so nothing else may run meanwhile.
fn measure(args: &[&str], file: &Path) -> Measured {
    let before = children_cpu();
    let mut child = Command::new(env!("CARGO_BIN_EXE_hob"))
        .args(args)
        .arg(file)
        .stdout(Stdio::null())
        .spawn()
        .expect("hob runs");
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    let status = loop {
        if let Some(status) = child.try_wait().expect("hob can be waited for") {
            break status;
        }
        peak = peak.max(peak_memory(&status_file));
        std::thread::sleep(Duration::from_millis(2));
    };
    let seconds = children_cpu() - before;
    Measured { seconds, megabytes: peak, code: status.code().unwrap_or(-1) }
}

/// CPU seconds of all ended children, in ticks of a hundredth.
fn children_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let field = |n: usize| after_name.split_whitespace().nth(n).and_then(|f| f.parse::<f64>().ok());
    (field(13).unwrap_or(0.0) + field(14).unwrap_or(0.0)) / 100.0
}

fn peak_memory(status_file: &str) -> f64 {
    let status = std::fs::read_to_string(status_file).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0 / 1e6
}

/// Prints a row; tells whether it met what is required.
fn report(row: &Row, measured: &Measured, bars: bool) -> bool {
    // PSI allows the long fork.
    let violated = row.anomaly.is_some_and(|a| (a, row.level) != ("long-fork", "PSI"));
    let expected = i32::from(violated);
    let answer = match measured.code {
        0 => "holds",
        1 => "violated",
        3 => "unknown",
        _ => "error",
    };
    let met = measured.code == expected
        && row.required.is_none_or(|(seconds, megabytes)| {
            measured.seconds <= seconds && megabytes.is_none_or(|m| measured.megabytes <= m)
        });
    let required = row.required.map_or("-".to_owned(), |(seconds, megabytes)| {
        let memory = megabytes.map_or(String::new(), |m| format!(", {m:.0} MB"));
        format!("{seconds:.2} s{memory}: {}", if met { "met" } else { "MISSED" })
    });
    let (events, order, level) = (row.events, row.order, row.level);
    let sessions = row.sessions;
    let anomaly = row.anomaly.unwrap_or("none");
    let values = row.values.unwrap_or("distinct");
    let (seconds, megabytes) = (measured.seconds, measured.megabytes);
    if bars {
        println!(
            "{level} on {events} events of {sessions} sessions (values per key {values}, {order} order, \
             anomaly {anomaly}): {answer}, {seconds:.2} s, \
             {megabytes:.0} MB; required {required}"
        );
    } else {
        let rate = events as f64 / seconds.max(0.01) / 1e6;
        println!(
            "| {events} | {sessions} | {values} | {order} | {anomaly} | {level} | {answer} | {seconds:.2} | \
             {rate:.2} M | {megabytes:.0} | {required} |"
        );
    }
    met
}
