//! What the builder refuses, and what it keeps.

use super::*;
use crate::history::{Fault, Source};

#[test]
fn reopened_transactions_get_their_events_back() {
    let mut b = HistoryBuilder::new();
    let (s, r, x) = (b.session_int(1), b.session_text("r"), b.key_text("x"));
    b.begin(s);
    let e = b.event_int(Kind::Write, x, 1);
    b.event_line(e, 1);
    let t1 = b.end(TxnInfo::default()).expect("good");
    b.begin(r);
    let e = b.event_text(Kind::Read, x, "a");
    b.event_line(e, 2);
    let t2 = b.end(TxnInfo::default()).expect("good");
    b.reopen(t1);
    let e = b.event_int(Kind::Read, x, 1);
    b.event_line(e, 3);
    b.begin(s);
    let e = b.event_int(Kind::Write, x, 2);
    b.event_line(e, 4);
    let t3 = b.end(TxnInfo::default()).expect("good");
    b.reopen(t2);
    let e = b.event_int(Kind::Read, x, 2);
    b.describe(e, EventInfo { line: 5, lock: true, at: Some(9), ..EventInfo::default() })
        .expect("good");
    let h = b.finish().expect("good");
    let lines = |t| h.event_ids(t).map(|e| h.event_line(e)).collect::<Vec<_>>();
    assert_eq!((lines(t1), lines(t2), lines(t3)), (vec![1, 3], vec![2, 5], vec![4]));
    let sources = |t| h.event_ids(t).map(|e| h.source(e)).collect::<Vec<_>>();
    assert_eq!(sources(t1), [Source::Write, Source::Internal]);
    assert_eq!(sources(t2), [Source::Fault(Fault::ThinAir), Source::Txn(t3)]);
    let locks: Vec<_> = h.event_ids(t2).map(|e| h.is_locking(e)).collect();
    assert_eq!(locks, [false, true]);
    let places: Vec<_> = h.event_ids(t2).map(|e| h.at(e)).collect();
    assert_eq!(places, [None, Some(9)]);
    assert!(h.event_ids(t3).all(|e| h.at(e).is_none()), "what moved leaves nothing behind");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let start = || {
        let mut b = HistoryBuilder::new();
        let (s, x) = (b.session(&"s".into()), b.key(&"x".into()));
        (b, s, x)
    };
    // A second begin would join two transactions.
    let (mut b, s, x) = start();
    b.begin(s);
    b.event_int(Kind::Write, x, 1);
    b.begin(s);
    b.event_int(Kind::Write, x, 2);
    assert_eq!(b.end(TxnInfo::default()), Err(HistoryError::StillOpen));
    assert_eq!(b.finish().map(|_| ()), Err(HistoryError::StillOpen));
    // One that does not end would vanish.
    let (mut b, s, x) = start();
    b.begin(s);
    b.event_int(Kind::Write, x, 1);
    assert_eq!(b.finish().map(|_| ()), Err(HistoryError::StillOpen));
    let (mut b, _, x) = start();
    b.event_int(Kind::Write, x, 1);
    assert_eq!(b.end(TxnInfo::default()), Err(HistoryError::NotOpen));
    assert_eq!(b.finish().map(|_| ()), Err(HistoryError::StillOpen));
    // What another builder gave is none of this one's.
    let (mut b, s, _) = start();
    b.begin(s);
    b.event_int(Kind::Write, KeyId::new(7), 1);
    let foreign = HistoryError::Foreign { what: "key", id: 7 };
    assert_eq!(b.end(TxnInfo::default()), Err(foreign));
    let (mut b, ..) = start();
    b.begin(SessionId::new(3));
    let foreign = HistoryError::Foreign { what: "session", id: 3 };
    assert_eq!(b.end(TxnInfo::default()), Err(foreign));
    let (mut b, ..) = start();
    let lost = b.describe(EventId::new(9), EventInfo { lock: true, ..EventInfo::default() });
    assert_eq!(lost, Err(HistoryError::Foreign { what: "event", id: 9 }));
    let lost = b.initial(KeyId::new(9), &Value::Null);
    assert_eq!(lost, Err(HistoryError::Foreign { what: "key", id: 9 }));
    b.reopen(TxnId::new(1));
    let foreign = HistoryError::Foreign { what: "transaction", id: 1 };
    assert_eq!(b.finish().map(|_| ()), Err(foreign));
}

#[test]
fn a_refused_transaction_leaves_nothing_behind() {
    let mut b = HistoryBuilder::new();
    let (s, x) = (b.session(&"s".into()), b.key(&"x".into()));
    b.begin(s);
    let read = b.event_int(Kind::Read, x, 7);
    let writer = Some(Writer::Name("nobody"));
    let info = EventInfo { writer, lock: true, statement: Some(0), at: Some(9), line: 3 };
    b.describe(read, info).expect("it is a read");
    let times = TxnInfo { name: Some("t"), begin: Some(2), end: Some(1), ..TxnInfo::default() };
    assert!(matches!(b.end(times), Err(HistoryError::EndBeforeBegin { .. })));
    b.begin(s);
    b.event_int(Kind::Write, x, 1);
    let t = b.end(TxnInfo { name: Some("t"), ..TxnInfo::default() }).expect("the name is free");
    let h = b.finish().expect("good");
    assert_eq!(h.event_ids(t).map(|e| h.value(e)).collect::<Vec<_>>(), [Value::Int(1)]);
    let event = h.event_ids(t).next().expect("one");
    assert_eq!((h.is_locking(event), h.event_line(event), h.at(event)), (false, 0, None));
}
