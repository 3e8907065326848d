//! Observed keys hold in the end what a transaction after all others may read, by the letter of the
//! definition.

mod support;

use std::collections::BTreeMap;
use std::sync::Mutex;

use hobgoblin_core::{
    EventInfo, HistoryBuilder, Kind, Level, Source, Status, Target, TxnId, TxnInfo, Value, Writer,
};
use hobgoblin_explore::{End, Options, explore};
use hobgoblin_oracle::brute;
use hobgoblin_oracle::program::{From, Run, Size, Step, key_name, with_aborted};
use support::{LEVELS, program, random_programs, run_of, scale};

const OBSERVED: [usize; 2] = [1, 0];

/// Whether a run satisfies a level when a transaction after all others reads the observed keys like this.
///
/// A history has no session order between sessions. So every transaction that commits writes one more key of
/// its own, and the last one reads them all, after the observed keys: by wr it then comes after everybody.
fn satisfies(run: &Run, looks: &[(i64, From)], level: Level) -> bool {
    let mut builder = HistoryBuilder::new();
    let name = |from: From| match from {
        From::Txn { session, index } => format!("s{session}t{index}"),
        _ => "init".to_owned(),
    };
    for key in 0..4 {
        let key = builder.key_text(key_name(key));
        builder.initial(key, &Value::Int(0)).expect("once a key");
    }
    let read = |builder: &mut HistoryBuilder, key: &str, value: i64, from: Option<From>| {
        let key = builder.key_text(key);
        let event = builder.event_int(Kind::Read, key, value);
        let writer = from.filter(|from| *from != From::Own).map(name);
        let writer = writer.as_deref().map(Writer::Name);
        builder.describe(event, EventInfo { writer, ..EventInfo::default() }).expect("a read");
    };
    let mut committed = Vec::new();
    for (session, traces) in run.iter().enumerate() {
        let of = builder.session_int(session as i64);
        for (index, trace) in traces.iter().enumerate() {
            let own = name(From::Txn { session, index });
            builder.begin(of);
            for step in &trace.steps {
                match *step {
                    Step::Read { key, value, from } => {
                        read(&mut builder, key_name(key), value, Some(from));
                    }
                    Step::Write { key, value } => {
                        let key = builder.key_text(key_name(key));
                        builder.event_int(Kind::Write, key, value);
                    }
                }
            }
            let key = builder.key_text(&own);
            builder.event_int(Kind::Write, key, 1);
            let status = if trace.aborted { Status::Aborted } else { Status::Committed };
            let level = Some(level);
            let info = TxnInfo { name: Some(&own), status, level, ..TxnInfo::default() };
            builder.end(info).expect("names are unique");
            if !trace.aborted {
                committed.push((own, From::Txn { session, index }));
            }
        }
    }
    let last = builder.session_int(-1);
    builder.begin(last);
    for (key, (value, from)) in OBSERVED.iter().zip(looks) {
        read(&mut builder, key_name(*key), *value, Some(*from));
    }
    for (own, from) in committed {
        read(&mut builder, &own, 1, Some(from));
    }
    // Who looks in the end sees those before, also where the program's level would not make it.
    let own = if level.implies(Level::CC) { level } else { Level::CC };
    builder.end(TxnInfo { level: Some(own), ..TxnInfo::default() }).expect("it is unnamed");
    let history = builder.finish().expect("runs are well formed");
    brute::satisfies(&with_aborted(&history), Target::Mixed(level))
}

/// Every way in which the observed keys could be read.
fn looks(run: &Run) -> Vec<Vec<(i64, From)>> {
    let mut looks = vec![Vec::new()];
    for key in OBSERVED {
        let mut versions = vec![(0, From::Init)];
        for (session, traces) in run.iter().enumerate() {
            for (index, trace) in traces.iter().enumerate().filter(|(_, trace)| !trace.aborted) {
                versions.extend(trace.written(key).map(|v| (v, From::Txn { session, index })));
            }
        }
        let longer = |look: Vec<(i64, From)>| {
            let add = |version: &(i64, From)| [&look[..], &[*version]].concat();
            versions.iter().map(add).collect::<Vec<_>>()
        };
        looks = looks.into_iter().flat_map(longer).collect();
    }
    looks
}

#[test]
fn observed_keys_hold_what_somebody_after_all_may_read() {
    let programs = random_programs(Size { txns: 1, ..Size::SMALL }, 0, 150);
    for (_, text, all) in programs.take(60 * scale() as usize) {
        let program = OBSERVED.iter().fold(program(&text, None), |p, k| p.observe(key_name(*k)));
        for level in LEVELS {
            let mut right = BTreeMap::new();
            for run in all.iter().filter(|run| hobgoblin_oracle::program::satisfies(run, level)) {
                for look in looks(run).into_iter().filter(|look| satisfies(run, look, level)) {
                    *right.entry((run.clone(), look)).or_default() += 1;
                }
            }
            let shown = Mutex::new(BTreeMap::new());
            let see = |end: &End<'_>| {
                let history = end.history();
                let look = history.txns().last().expect("the one that looks");
                let from = |event| match history.source(event) {
                    Source::Txn(TxnId::INIT) => From::Init,
                    Source::Txn(txn) => {
                        let name = history.session(history.session_of(txn).expect("not init"));
                        let session = name.to_string()[1..].parse().expect("s0, s1 and so on");
                        From::Txn { session, index: history.position(txn) }
                    }
                    odd => panic!("{odd:?}"),
                };
                let keys = OBSERVED.iter().map(|&key| end.last(&key_name(key).into()));
                let value = |value: Value| match value {
                    Value::Int(value) => value,
                    odd => panic!("{odd}"),
                };
                let look = keys.map(value).zip(history.event_ids(look).map(from)).collect();
                let run = run_of(&history, text.sessions.len());
                *shown.lock().expect("no panic").entry((run, look)).or_default() += 1;
            };
            explore(&program, &Options::new(level), &see).expect("the program is good");
            let shown: BTreeMap<(Run, Vec<(i64, From)>), i32> =
                shown.into_inner().expect("no panic");
            assert_eq!(shown, right, "{text}\nat {level}");
        }
    }
}
