//! Histories that programs record of themselves.

use hobgoblin::check::{Limits, Verdict, check, verify};
use hobgoblin::format::{Format, write};
use hobgoblin::history::{History, HistoryError, Status};
use hobgoblin::record::Recorder;
use hobgoblin::{Level, Value};

fn holds(history: &History, level: Level) -> bool {
    let verdict = check(history, level, &Limits::none());
    verify(history, level, &verdict).expect("every answer has a proof");
    matches!(verdict, Verdict::Consistent(_))
}

/// Six clients count up under a lock, or without one.
fn counted(locked: bool) -> History {
    let recorder = Recorder::new();
    recorder.initial("count", 0);
    let count = std::sync::Mutex::new(0_i64);
    let all = std::sync::Barrier::new(6);
    std::thread::scope(|scope| {
        for client in 0..6 {
            let mut session = recorder.session(client).expect("its own name");
            let (count, all) = (&count, &all);
            scope.spawn(move || {
                for _ in 0..50 {
                    let mut txn = session.begin();
                    if locked {
                        let mut count = count.lock().expect("nobody panics");
                        txn.read("count", *count).write("count", *count + 1);
                        *count += 1;
                        drop(count);
                    } else {
                        let seen = *count.lock().expect("nobody panics");
                        txn.read("count", seen);
                        all.wait();
                        txn.write("count", seen * 10 + 10 + i64::from(client));
                        *count.lock().expect("nobody panics") = seen + 1;
                    }
                    txn.committed();
                    if !locked {
                        break;
                    }
                }
            });
        }
    });
    recorder.history().expect("all have ended")
}

#[test]
fn threads_record_into_one_history() {
    let history = counted(true);
    assert_eq!(history.txns().len(), 300);
    assert!(holds(&history, Level::SSER), "times are those of the machine");
    let history = counted(false);
    assert!(holds(&history, Level::CC) && !holds(&history, Level::SI));
}

#[test]
fn while_one_is_open_there_is_no_history() {
    let recorder = Recorder::new();
    let mut session = recorder.session("one").expect("its own name");
    let mut txn = session.begin();
    txn.write("x", 1);
    assert_eq!(recorder.history().map(|_| ()), Err(HistoryError::StillOpen));
    drop(txn);
    let history = recorder.history().expect("it has ended, somehow");
    let txn = history.txns().next().expect("it is there");
    assert_eq!(history.status(txn), Status::Unknown);
    // Nobody knows whether it committed, so both may be seen.
    for seen in [Value::Null, Value::from(1)] {
        let mut other = recorder.session(format!("reads {seen}")).expect("its own name");
        let mut txn = other.begin();
        txn.read("x", seen);
        txn.committed();
    }
    let history = recorder.history().expect("all have ended");
    assert!(holds(&history, Level::SER));
}

#[test]
fn a_name_is_one_sessions_at_a_time() {
    let recorder = Recorder::new();
    let session = recorder.session("one").expect("its own name");
    let taken = recorder.session("one").map(|_| ());
    assert_eq!(taken, Err(HistoryError::SessionTaken { name: "one".into() }));
    drop(session);
    let mut session = recorder.session("one").expect("it is free again");
    session.begin().aborted();
    assert_eq!((recorder.len(), recorder.is_empty()), (1, false));
}

#[test]
fn names_levels_and_statements_are_kept() {
    let recorder = Recorder::new();
    let mut session = recorder.session("one").expect("its own name");
    let mut txn = session.begin();
    txn.name("first").level(Level::RC).write("x", 1).statement("UPDATE t SET y = 2").write("y", 2);
    txn.committed();
    let mut txn = session.begin();
    txn.read_from("x", 1, "first");
    txn.committed();
    let history = recorder.history().expect("good");
    let mut text = Vec::new();
    write(&history, Format::Txn, &mut text).expect("it is written");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("first RC @") && text.contains("UPDATE t SET y = 2"), "{text}");
    assert!(text.contains("r(x)=1<-first"), "{text}");

    let mut txn = session.begin();
    txn.read_from("x", 1, "nobody");
    txn.committed();
    assert!(matches!(recorder.history(), Err(HistoryError::UnknownWriter { .. })));
}

#[test]
fn an_initial_value_is_given_once() {
    let recorder = Recorder::new();
    recorder.initial("x", 1);
    recorder.initial("x", 2);
    assert!(matches!(recorder.history(), Err(HistoryError::Twice { .. })));
}

#[test]
fn what_is_undecided_is_not_verified() {
    let history = counted(false);
    let verdict = check(&history, Level::SER, &Limits::time(std::time::Duration::ZERO));
    if let Verdict::Unknown(why) = &verdict {
        let said = verify(&history, Level::SER, &verdict);
        let said = said.expect_err("there is no proof").to_string();
        assert!(said.contains(&why.to_string()), "{said}");
    }
    let unknown = Verdict::Unknown(hobgoblin::check::StopReason::Time);
    assert!(verify(&history, Level::SER, &unknown).is_err());
    let verdict = check(&history, Level::CC, &Limits::time(std::time::Duration::MAX));
    assert!(matches!(verdict, Verdict::Consistent(_)));
}
