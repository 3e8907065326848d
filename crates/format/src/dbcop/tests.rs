use hobgoblin_core::{Fault, HistoryBuilder, Source, TxnId};
use proptest::prelude::*;

use super::*;
use crate::error::Failure;
use crate::refuse::testing::{Shape, histories, outline, parse_error};

fn hist(text: &str) -> Result<History, Failure> {
    read_hist(&mut text.as_bytes())
}

fn json(text: &str) -> Result<History, Failure> {
    read_json(&mut text.as_bytes())
}

#[test]
fn hist_is_read() {
    let cases = [
        ("", ""),
        ("[x:=1]\n---\n[x==1 x==1]\n", "0: w(x)=1\n1: r(x)=1 r(x)=1\n"),
        ("[x:=1] [x:=2 y:=1]\n---\n[y==1 x==1]", "0: w(x)=1\n0: w(x)=2 w(y)=1\n1: r(y)=1 r(x)=1\n"),
        // `==?` and, without a write of 0, `==0` are the initial value.
        ("[x==? x:=1]\n", "0: r(x)=null w(x)=1\n"),
        ("[x==0 x:=1][x==?]\n", "init x=0\n0: r(x)=0 w(x)=1\n0: r(x)=0\n"),
        ("[x:=0] [x==0] [x==?]\n", "0: w(x)=0\n0: r(x)=0\n0: r(x)=null\n"),
        ("[x:=1]! [y:=2]\n", "0: w(x)=1 aborted\n0: w(y)=2\n"),
        ("// a comment\n\n \t[ x:=1 ] // more\r\n- \n[7==1]\n", "0: w(x)=1\n1: r(7)=1\n"),
        (
            "[]\n---\n---\n[über_1:=18446744073709551615]\n",
            "0:\n2: w(über_1)=18446744073709551615\n",
        ),
        ("[007:=1 7:=1]\n", "0: w(007)=1 w(7)=1\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(outline(&hist(text).unwrap()), expected, "{text}");
    }
}

#[test]
fn a_value_nobody_wrote_is_kept_for_the_checker() {
    let history = hist("[x:=1]\n---\n[x==7]\n").unwrap();
    let read = history.event_ids(TxnId::new(2)).next().unwrap();
    assert_eq!(history.source(read), Source::Fault(Fault::ThinAir));
    let history = hist("[x:=1]!\n---\n[x==1]\n").unwrap();
    let read = history.event_ids(TxnId::new(2)).next().unwrap();
    assert_eq!(history.source(read), Source::Fault(Fault::Aborted));
}

#[test]
fn broken_hist_is_placed() {
    let cases = [
        ("[x:=1\n", (1, 1), "this transaction is not closed on its line"),
        ("[x:=1]\n  [y:=2 [z:=3]\n", (2, 3), "this transaction is not closed on its line"),
        ("x:=1\n", (1, 1), "this is neither a transaction, a separator nor a comment"),
        ("[x=1]\n", (1, 3), "`:=` or `==` is missing after the variable"),
        ("[x:=?]\n", (1, 5), "the version is no natural number below 2^64"),
        ("[x:=-1]\n", (1, 5), "the version is no natural number below 2^64"),
        ("[x==18446744073709551616]\n", (1, 5), "the version is no natural number below 2^64"),
        ("[:=1]\n", (1, 2), "a variable is missing here"),
        ("[x:=1]!!\n", (1, 8), "this is neither a transaction, a separator nor a comment"),
    ];
    for (text, (line, column), message) in cases {
        let error = parse_error(hist(text));
        assert_eq!((error.place.line, error.place.column), (line, column), "{text}");
        assert_eq!(error.message, message, "{text}");
        assert!(!error.help.is_empty() && error.place.excerpt.is_some(), "{text}");
    }
}

#[test]
fn json_is_read() {
    let whole = r#"{"params": {"id": 0, "n_node": 2}, "info": "x", "start": "", "end": "", "data":
        [[{"events": [{"Write": {"variable": 0, "version": 1}},
                      {"Read": {"variable": 1, "version": null}}], "committed": true}],
         [{"events": [["r", "y", 1], ["w", "y", 2]], "committed": false}], []]}"#;
    let cases = [
        (whole, "0: w(0)=1 r(1)=null\n1: r(y)=1 w(y)=2 aborted\n"),
        (r#"[[{"committed": true, "events": []}]]"#, "0:\n"),
        (r#"{"data": []}"#, ""),
    ];
    for (text, expected) in cases {
        assert_eq!(outline(&json(text).unwrap()), expected, "{text}");
    }
}

#[test]
fn broken_json_is_placed() {
    let cases = [
        ("", (1, 1), "the file is empty"),
        ("{}", (1, 1), "the object has no `data`"),
        ("{\"data\": 3}", (1, 10), "`data` is no list"),
        ("[[{\"events\": []}]]", (1, 3), "`committed` is neither true nor false"),
        ("[[{\"committed\": true}]]", (1, 3), "`events` is missing"),
        ("[[{\"events\":\n [7]}]]", (2, 3), "this is no event"),
        ("[[{\"events\": [[\"x\", 1, 1]]}]]", (1, 16), "an event is a read or a write"),
        (
            "[[{\"events\": [[\"w\", 1, null]]}]]",
            (1, 15),
            "the version is no natural number below 2^64",
        ),
        ("[[{\"events\": [", (1, 14), "this bracket is never closed: no `]` follows"),
        ("[] 3", (1, 4), "something follows the history"),
    ];
    for (text, (line, column), message) in cases {
        let error = parse_error(json(text));
        assert_eq!(error.message, message, "{text}");
        assert_eq!((error.place.line, error.place.column), (line, column), "{text}");
        assert!(!error.help.is_empty(), "{text}");
    }
}

/// A transaction of a bincode: events of (write, variable, value, success), then success.
type Encoded<'a> = (&'a [(u8, u64, u64, u8)], u8);

fn encode(sessions: &[&[Encoded<'_>]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let number = |bytes: &mut Vec<u8>, n: u64| bytes.extend_from_slice(&n.to_le_bytes());
    for n in [1, 2, 3, 4, 5] {
        number(&mut bytes, n);
    }
    for text in ["info", "2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z"] {
        number(&mut bytes, text.len() as u64);
        bytes.extend_from_slice(text.as_bytes());
    }
    number(&mut bytes, sessions.len() as u64);
    for txns in sessions {
        number(&mut bytes, txns.len() as u64);
        for (events, success) in *txns {
            number(&mut bytes, events.len() as u64);
            for &(write, variable, value, success) in *events {
                bytes.push(write);
                number(&mut bytes, variable);
                number(&mut bytes, value);
                bytes.push(success);
            }
            bytes.push(*success);
        }
    }
    bytes
}

#[test]
fn bincode_is_read() {
    let bytes = encode(&[
        &[(&[(1, 0, 1, 1), (0, 1, 0, 1)], 1), (&[(1, 0, 2, 1)], 0)],
        &[],
        &[(&[(0, 0, 1, 1), (0, 0, 9, 0), (1, u64::MAX, u64::MAX, 1)], 1)],
    ]);
    assert!(looks_like_bincode(&bytes));
    let expected = "init 0=0\ninit 1=0\ninit 18446744073709551615=0\n\
                    0: w(0)=1 r(1)=0\n0: w(0)=2 aborted\n\
                    2: r(0)=1 w(18446744073709551615)=18446744073709551615\n";
    let history = read_bincode(&mut bytes.as_slice()).unwrap();
    assert_eq!(outline(&history), expected);
    let mut written = Vec::new();
    write_bincode(&history, &mut written).unwrap();
    assert_eq!(outline(&read_bincode(&mut written.as_slice()).unwrap()), expected);
}

#[test]
fn a_truncated_bincode_names_its_end() {
    let bytes = encode(&[&[(&[(1, 0, 1, 1)], 1)]]);
    for cut in 0..bytes.len() {
        let error = parse_error(read_bincode(&mut &bytes[..cut]));
        let offset = error.place.offset.unwrap();
        assert!(offset <= cut as u64 && cut as u64 - offset < 21, "{cut}: {error:?}");
        assert!(error.message.starts_with("the file ends where the"), "{error:?}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let error = parse_error(read_bincode(&mut longer.as_slice()));
    assert_eq!(error.place.offset, Some(bytes.len() as u64));
    // The last byte is the success of the transaction.
    let mut odd = bytes;
    *odd.last_mut().unwrap() = 7;
    let error = parse_error(read_bincode(&mut odd.as_slice()));
    assert_eq!(error.message, "the success flag of a transaction is 7, neither 0 nor 1");
    // Lengths are not believed.
    let huge = [0xff; 4096];
    assert!(parse_error(read_bincode(&mut huge.as_slice())).message.contains("info"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |history: &History, write: fn(&History, &mut dyn std::io::Write) -> _| {
        let result: Result<(), WriteError> = write(history, &mut Vec::new());
        result.unwrap_err().to_string()
    };
    let history = hist("[x:=1]\n").unwrap();
    let expected = "dbcop-bincode cannot express the key x; keys are natural numbers";
    assert_eq!(refused(&history, write_bincode), expected);
    let history = hist("[1==?]\n").unwrap();
    let expected = "dbcop-bincode cannot express the value null of 1 in t1";
    assert_eq!(refused(&history, write_bincode), expected);
    let history = json(r#"[[{"events": [["w", "a-b", 1]], "committed": true}]]"#).unwrap();
    let expected = "dbcop-hist cannot express the key a-b; keys are letters, digits and `_`";
    assert_eq!(refused(&history, write_hist), expected);
    let history = hist("[]\n").unwrap();
    let expected = "dbcop-hist cannot express t1, which has no events";
    assert_eq!(refused(&history, write_hist), expected);

    let with = |status, begin, initial: Value, value: Value| {
        let mut builder = HistoryBuilder::new();
        let (s, x) = (builder.session(&0.into()), builder.key(&"x".into()));
        builder.initial(x, &initial).unwrap();
        builder.begin(s);
        builder.event(Kind::Write, x, &value);
        builder.end(TxnInfo { status, begin, ..TxnInfo::default() }).unwrap();
        builder.finish().unwrap()
    };
    let (done, one) = (Status::Committed, Value::Int(1));
    let cases = [
        (with(Status::Unknown, None, Value::Null, one.clone()), "t1, whose status is unknown"),
        (with(done, Some(3), Value::Null, one.clone()), "the begin and end times of t1"),
        (with(done, None, Value::Int(5), one), "the initial value 5 of x"),
        (
            with(done, None, Value::Null, "a".into()),
            "the value \"a\" of x in t1; versions are natural numbers",
        ),
        (
            with(done, None, Value::Int(0), Value::Int(0)),
            "x=0 as both the initial value and a written one",
        ),
    ];
    for (history, what) in cases {
        assert_eq!(refused(&history, write_json), format!("dbcop-json cannot express {what}"));
        assert_eq!(refused(&history, write_hist), format!("dbcop-hist cannot express {what}"));
    }
}

#[test]
fn each_looks_like_itself_alone() {
    let bincode = encode(&[&[(&[(1, 0, 1, 1)], 1)]]);
    let hist: &[u8] = b"// text\n---\n[x:=1] [y==?]\n";
    let history = read_hist(&mut &hist[..]).unwrap();
    let mut json = Vec::new();
    write_json(&history, &mut json).unwrap();
    for (i, head) in [&bincode, hist, &json].into_iter().enumerate() {
        let found = [looks_like_bincode(head), looks_like_hist(head), looks_like_json(head)];
        assert_eq!(found, [i == 0, i == 1, i == 2], "{i}");
    }
    for other in ["", "[", "[[", "[x", "[x y]", "{}", "[{:type :ok}]", "s1: t1 { r(x)=0 }"] {
        let head = other.as_bytes();
        assert!(!looks_like_bincode(head) && !looks_like_hist(head) && !looks_like_json(head));
    }
}

proptest! {
    #[test]
    fn text_round_trips(history in histories(Shape {
        initial: None, text_keys: true, aborted: true, times: false,
    })) {
        let expected = outline(&history);
        let mut text = Vec::new();
        write_hist(&history, &mut text).unwrap();
        prop_assert_eq!(by_position(&read_hist(&mut text.as_slice()).unwrap()), by_position(&history));
        let mut text = Vec::new();
        write_json(&history, &mut text).unwrap();
        let again = read_json(&mut text.as_slice()).unwrap();
        prop_assert_eq!(by_position(&again), by_position(&history), "{}", expected);
    }

    #[test]
    fn bincode_round_trips(history in histories(Shape {
        initial: Some(0), text_keys: false, aborted: true, times: false,
    })) {
        let mut bytes = Vec::new();
        write_bincode(&history, &mut bytes).unwrap();
        let again = read_bincode(&mut bytes.as_slice()).unwrap();
        prop_assert_eq!(by_position(&again), by_position(&history));
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_bincode(&mut bytes.as_slice());
        let _ = read_hist(&mut bytes.as_slice());
        let _ = read_json(&mut bytes.as_slice());
        let _ = (looks_like_bincode(&bytes), looks_like_hist(&bytes), looks_like_json(&bytes));
    }

    #[test]
    fn no_nearly_right_text_panics(text in r#"([\[\]{}:=?!"0-9xy, \n-]|==|:=|---|//|"events"){0,60}"#) {
        let _ = read_hist(&mut text.as_bytes());
        let _ = read_json(&mut text.as_bytes());
    }
}

/// The outline with sessions renamed to their places, which is all these formats keep of them, and
/// without initial values, which they tell only where a read returned one.
fn by_position(history: &History) -> Vec<String> {
    let text = outline(history);
    let lines = text.lines().filter(|line| !line.starts_with("init"));
    let mut names: Vec<&str> = Vec::new();
    lines
        .map(|line| {
            let (session, events) = line.split_once(':').unwrap();
            if names.last() != Some(&session) {
                names.push(session);
            }
            format!("{}:{events}", names.len())
        })
        .collect()
}
