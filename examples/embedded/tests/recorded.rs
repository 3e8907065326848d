//! A system of one's own, a map under a lock, that records what its clients do.

use std::collections::BTreeMap;
use std::sync::RwLock;

use hobgoblin::Level;
use hobgoblin::check::{Limits, Verdict, check, explain};
use hobgoblin::history::History;
use hobgoblin::record::Recorder;

/// Six clients, each of whom adds one to a counter some times: in one step, or reading first and writing later.
fn recorded(in_one_step: bool) -> History {
    let recorder = Recorder::new();
    recorder.initial("counter", 0);
    let map = RwLock::new(BTreeMap::from([("counter", 0_i64)]));
    let together = std::sync::Barrier::new(6);
    std::thread::scope(|scope| {
        for client in 0..6_i64 {
            let mut session = recorder.session(client).expect("its own name");
            let (map, together) = (&map, &together);
            scope.spawn(move || {
                let mut txn = session.begin();
                if in_one_step {
                    let mut map = map.write().unwrap();
                    let counter = map["counter"];
                    txn.read("counter", counter).write("counter", counter + 1);
                    map.insert("counter", counter + 1);
                } else {
                    let counter = map.read().unwrap()["counter"];
                    txn.read("counter", counter);
                    together.wait();
                    // Values are unique, so that a read tells whom it read from.
                    let written = 10 * (counter + 1) + client;
                    txn.write("counter", written);
                    map.write().unwrap().insert("counter", written);
                }
                txn.committed();
            });
        }
    });
    recorder.history().expect("all have ended")
}

#[test]
fn steps_are_strictly_serializable() {
    let history = recorded(true);
    let verdict = check(&history, Level::SSER, &Limits::none());
    assert!(matches!(verdict, Verdict::Consistent(_)), "{verdict:?}");
}

#[test]
fn updates_are_lost_otherwise() {
    let history = recorded(false);
    let verdict = check(&history, Level::SI, &Limits::none());
    let Verdict::Violation(witness) = verdict else { panic!("{verdict:?}") };
    let told = explain::text(&history, &witness);
    assert!(told.contains("lost update"), "{told}");
}
