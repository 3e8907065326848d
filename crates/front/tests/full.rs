//! A sink that cannot take any more: nothing is acknowledged that it has not taken.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hobgoblin_core::{Kind, Status, Value};
use hobgoblin_format::{Header, TxnRecord};
use hobgoblin_front::{
    Config, Entry, Error, FileError, FileSink, Log, Options, Profile, Request, Sink, Store,
};

/// Takes so many transactions, then no more.
struct Small {
    room: usize,
    taken: Arc<Mutex<Vec<TxnRecord>>>,
}

impl Sink for Small {
    fn start(&mut self, _: &Header, _: &Log) -> io::Result<()> {
        Ok(())
    }

    fn txn(&mut self, txn: &TxnRecord) -> io::Result<()> {
        let mut taken = self.taken.lock().unwrap();
        if taken.len() == self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        taken.push(txn.clone());
        Ok(())
    }

    fn entry(&mut self, _: &Entry) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The values that committed transactions wrote.
fn written(taken: &[TxnRecord]) -> BTreeSet<i64> {
    let committed = taken.iter().filter(|txn| txn.status == Status::Committed);
    let events = committed.flat_map(|txn| &txn.events).filter(|event| event.kind == Kind::Write);
    let number = |value: &Value| match value {
        Value::Int(number) => *number,
        other => panic!("nobody wrote {other}"),
    };
    events.map(|event| number(&event.value)).collect()
}

#[test]
fn what_is_acknowledged_was_taken() {
    for profile in Profile::ALL {
        for (sessions, hold) in
            [(1, None), (3, None), (6, None), (4, Some(Duration::from_millis(1)))]
        {
            let taken = Arc::new(Mutex::new(Vec::new()));
            let sink = Small { room: 40, taken: Arc::clone(&taken) };
            let options = Options::default().sink(sink).hold(hold);
            let store = Store::with(Config::default().profile(profile), options).unwrap();
            let acknowledged: Vec<i64> = thread::scope(|scope| {
                let threads: Vec<_> = (0..sessions)
                    .map(|number| {
                        let mut session = store.session();
                        scope.spawn(move || {
                            let mut acknowledged = Vec::new();
                            for round in 0..60 {
                                let value = i64::from(number * 1000 + round);
                                let mut commit = || {
                                    let mut txn = session.begin()?;
                                    txn.get("x")?;
                                    txn.put(format!("k{number}").as_str(), value)?;
                                    txn.commit()
                                };
                                match commit() {
                                    Ok(()) => acknowledged.push(value),
                                    Err(Error::Unrecorded { why, .. }) => {
                                        assert!(!why.is_empty());
                                        // It stays so.
                                        assert!(matches!(
                                            session.get("x"),
                                            Err(Error::Unrecorded { .. })
                                        ));
                                        break;
                                    }
                                    Err(Error::Aborted(_)) => {}
                                    Err(other) => panic!("{other}"),
                                }
                            }
                            acknowledged
                        })
                    })
                    .collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
            });
            let taken = written(&taken.lock().unwrap());
            let lost: Vec<&i64> = acknowledged.iter().filter(|v| !taken.contains(v)).collect();
            assert!(lost.is_empty(), "{profile}, {sessions} sessions: {lost:?} are in no history");
            assert!(!acknowledged.is_empty() && store.sink_error().is_some());
        }
    }
}

#[test]
fn open_transactions_can_still_be_aborted() {
    let taken = Arc::default();
    let sink = Small { room: 0, taken };
    let options = Options::default().sink(sink);
    let store = Store::with(Config::default(), options).unwrap();
    let (one, two) = (store.connect(None).unwrap(), store.connect(None).unwrap());
    let begin = Request::begin(None, None);
    store.request(one, begin).unwrap();
    let put = Request::put("x".into(), 1.into());
    let lost = store.request(two, put.clone());
    assert!(matches!(lost, Err(Error::Unrecorded { open: false, .. })), "{lost:?}");
    let refused = store.request(one, put);
    assert!(matches!(refused, Err(Error::Unrecorded { open: true, .. })), "{refused:?}");
    store.request(one, Request::ABORT).unwrap();
    store.disconnect(one).unwrap();
    // Who comes later hears of it at its first request.
    let late = store.session().get("x");
    assert!(matches!(late, Err(Error::Unrecorded { open: false, .. })), "{late:?}");
}

#[test]
fn a_file_has_one_writer_and_is_not_lost_by_accident() {
    let dir = std::env::temp_dir().join(format!("hobgoblin-full-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let (history, log) = (dir.join("history.jsonl"), dir.join("run.log"));
    std::fs::write(&history, "precious\n").unwrap();
    let kind = |result: Result<(), FileError>| match result {
        Err(FileError::Open { source, .. }) => Some(source.kind()),
        Err(other) => panic!("{other}"),
        Ok(()) => None,
    };
    let mut sink = FileSink::new().history(&history);
    assert_eq!(kind(sink.open(false)), Some(io::ErrorKind::AlreadyExists));
    let mut sink = FileSink::new().history(&history).log(&log);
    assert_eq!(kind(sink.open(true)), None);
    let mut second = FileSink::new().log(&history);
    assert_eq!(kind(second.open(true)), Some(io::ErrorKind::ResourceBusy));
    drop(sink);
    // The same file under two names.
    let (soft, hard) = (dir.join("soft"), dir.join("hard"));
    std::os::unix::fs::symlink(&history, &soft).unwrap();
    std::fs::hard_link(&history, &hard).unwrap();
    for other in [&history, &soft, &hard, &dir.join("./history.jsonl")] {
        let same = FileSink::new().history(&history).log(other).open(true);
        assert!(matches!(same, Err(FileError::Same { .. })), "{}: {same:?}", other.display());
    }
    assert_eq!(std::fs::read_to_string(&history).unwrap(), "precious\n");
    let null = FileSink::new().history("/dev/null").log("/dev/null").open(false);
    assert_eq!(kind(null), None);
    std::fs::remove_dir_all(&dir).unwrap();
}
