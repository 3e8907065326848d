use hobgoblin_core::{Fault, Source, TxnId};
use proptest::prelude::*;

use super::*;
use crate::error::WriteError;
use crate::refuse::testing::{Shape, histories, outline, parse_error};

fn edn(text: &str) -> Result<History, Failure> {
    read_edn(&mut text.as_bytes())
}

fn json(text: &str) -> Result<History, Failure> {
    read_json(&mut text.as_bytes())
}

/// Operations of type, process and value: `ok 0 [[:r x nil]]`.
fn operations(lines: &str) -> String {
    let operation = |line: &str| {
        let mut parts = line.trim().splitn(3, ' ');
        let mut part = || parts.next().unwrap().to_owned();
        format!("{{:type :{}, :process {}, :value {}}}\n", part(), part(), part())
    };
    lines.split(';').map(operation).collect()
}

/// The faults of reads, by transaction.
fn faults(history: &History) -> Vec<(TxnId, Fault)> {
    let fault = |&e| match history.source(e) {
        Source::Fault(fault) => (history.txn_of(e), fault),
        other => panic!("{other:?}"),
    };
    history.faults().iter().map(fault).collect()
}

#[test]
fn operations_are_paired() {
    let cases = [
        ("", ""),
        ("[]", ""),
        (
            "{:type :invoke, :f :txn, :value [[:r :x nil] [:w :y 1]], :process 0, :time 5, :index 0}
             {:type :invoke, :f :txn, :value [[:w :x 2]], :process 1, :time 6, :index 1}
             {:type :ok, :f :txn, :value [[:r :x 2] [:w :y 1]], :process 0, :time 7, :index 2}
             {:type :ok, :f :txn, :value [[:w :x 2]], :process 1, :time 9, :index 3}",
            "0: r(x)=2 w(y)=1 @5..7\n1: w(x)=2 @6..9\n",
        ),
        // A failure keeps what it says it read, an unknown end only what was asked to be written.
        (
            "{:type :invoke :process 0 :value [[:r x] [:w x 1]] :time 1}
             {:type :fail :process 0 :value [[:r x 7] [:r y nil] [:w x 1]] :time 2}
             {:type :invoke :process 0 :value [[:r x] [:w x 2]] :time 3}
             {:type :info :process 0 :value nil :error :timeout :time 4}
             {:type :invoke :process 3 :value [[:w x 3] [:r x]]}",
            "0: r(x)=7 w(x)=1 aborted @1..2\n0: w(x)=2 unknown @3..\n3: w(x)=3 unknown\n",
        ),
        // One vector, tags, comments, sets, a nemesis, completions alone, string values.
        (
            "; a run
             [#jepsen.history.Op{:type :ok :process 0 :value [[:w 1 \"a\"] [:w \"k\" [1 {:b 2}]]]}
              {:type :info :process :nemesis :f :start :value #{\"n1\" \"n2\"}}
              {:type :invoke :process :nemesis :f :kill :value [[:r x 1]]} #_ ignored
              {:type :fail :process 1}
              {:type :info :process 2 :value [[:r 1 3] [:w 1 4]]}
              {:type :ok :process 0 :value ((:r 1 \"a\") (:r 2 nil))}]",
            "0: w(1)=\"a\" w(k)=[1,{\"b\":2}]\n0: r(1)=\"a\" r(2)=null\n1: aborted\n\
             2: w(1)=4 unknown\n",
        ),
        // A process with a name does transactions too, and an answer to one may be nil.
        (
            "{:type :invoke :process :a :value [[:w x 1]]} {:type :fail :process :a :value nil}
             {:type :invoke :process :a :value [[:w x 2]]} {:type :info :process :a :value nil}
             {:type :info :process :b :value nil}",
            "a: w(x)=1 aborted\na: w(x)=2 unknown\n",
        ),
        // Without processes, nothing is known of sessions.
        (
            "{:type :invoke :value [[:w x 1]]} {:type :ok :value [[:w x 1]]} {:type :ok :value []}",
            "op1: w(x)=1\nop2:\n",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(outline(&edn(text).unwrap()), expected, "{text}");
    }
}

#[test]
fn json_and_json_lines_are_read() {
    let lines = "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[[\"w\",\"x\",1]],\"process\":0,\"time\":1}\n\
                 {\"type\":\"info\",\"process\":\"nemesis\",\"value\":null}\n\
                 {\"type\":\"ok\",\"f\":\"txn\",\"value\":[[\"w\",\"x\",1],[\"r\",9,null]],\"process\":0,\
                 \"time\":2,\"index\":1}\n";
    let array = format!("[{}]", lines.trim().replace('\n', ",\n"));
    for text in [lines, &array] {
        assert_eq!(outline(&json(text).unwrap()), "0: w(x)=1 r(9)=null @1..2\n");
        assert!(looks_like_json(text.as_bytes()) && !looks_like_edn(text.as_bytes()));
    }
}

#[test]
fn lists_are_read_by_their_last_elements() {
    let cases = [
        (
            "ok 0 [[:append x 1] [:append y 1]]; ok 1 [[:r x [1]] [:append x 2]]; \
             ok 2 [[:r x [1 2]] [:r y nil] [:r z []]]; ok 3 [[:append x 9]]",
            "0: w(x)=1 w(y)=1\n1: r(x)=1 w(x)=2\n2: r(x)=2 r(y)=null r(z)=null\n3: w(x)=9\n\
             order x: t1 t2\n",
        ),
        // Several appends of one transaction are one version; its middle is an intermediate read.
        (
            "ok 0 [[:append x 1] [:append x 2]]; ok 1 [[:append x 3]]; ok 2 [[:r x [1 2 3]]]; \
             ok 3 [[:r x [1]]]",
            "0: w(x)=1 w(x)=2\n1: w(x)=3\n2: r(x)=3\n3: r(x)=1\norder x: t1 t2\n",
        ),
        // After own appends: what precedes them was read of others, and it alone is in the order.
        (
            "ok 0 [[:append x 1]]; ok 1 [[:append x 2] [:r x [1 2]] [:append x 3] [:r x [1 2 3]]]",
            "0: w(x)=1\n1: r(x)=1 r(x)=1 w(x)=2 r(x)=2 w(x)=3 r(x)=3\norder x: t1\n",
        ),
        // It was read where the list was: after the read of y, though the append came before.
        (
            "ok 0 [[:append x 1]]; ok 1 [[:r x [1]] [:append x 2] [:r y []] [:append y 3] \
             [:r x [1 2]] [:append x 4] [:r y [3]]]",
            "0: w(x)=1\n1: r(x)=1 r(y)=null r(x)=1 w(x)=2 r(x)=2 w(x)=4 r(y)=null w(y)=3 r(y)=3\n\
             order x: t1\n",
        ),
        // Two different versions within one transaction are two reads of others.
        (
            "ok 0 [[:append x 1]]; ok 0 [[:append x 5]]; \
             ok 1 [[:r x [1]] [:append x 2] [:r x [1 5 2]]]",
            "0: w(x)=1\n0: w(x)=5\n1: r(x)=1 r(x)=5 w(x)=2 r(x)=2\norder x: t1 t2\n",
        ),
        // Failed appends are nobody's, reads of failures are ignored.
        (
            "fail 0 [[:append x 1] [:r x [7 8]]]; ok 1 [[:append x 2]]; ok 2 [[:r x [2]]]",
            "0: w(x)=1 aborted\n1: w(x)=2\n2: r(x)=2\norder x: t2\n",
        ),
        // An append of unknown fate that was observed did happen.
        (
            "info 0 [[:append x 1]]; info 1 [[:append x 5]]; ok 2 [[:append x 2]]; ok 3 [[:r x [1 2]]]",
            "0: w(x)=1\n1: w(x)=5 unknown\n2: w(x)=2\n3: r(x)=2\norder x: t1 t3\n",
        ),
        // A retry appends what a failure did.
        (
            "fail 0 [[:append x 1]]; ok 0 [[:append x 1]]; ok 1 [[:r x [1]]]",
            "0: w(x)=1 aborted\n0: w(x)=1\n1: r(x)=1\norder x: t2\n",
        ),
        // Repeated elements say nothing certain: no order, and only the last element; but what
        // precedes the own appends is certain.
        (
            "ok 0 [[:append x 1] [:r x [1]]]; ok 1 [[:append x 1] [:r x [1 1]]]",
            "0: r(x)=null w(x)=1 r(x)=1\n1: r(x)=1 w(x)=1 r(x)=1\n",
        ),
        (
            "ok 0 [[:append x 1]]; ok 1 [[:append x 1]]; ok 2 [[:r x [1 1]]]",
            "0: w(x)=1\n1: w(x)=1\n2: r(x)=1\n",
        ),
        // Reads alone are list-append when they return lists.
        ("ok 0 [[:r x []]]", "0: r(x)=null\n"),
    ];
    for (lines, expected) in cases {
        let history = edn(&operations(lines)).unwrap();
        assert_eq!(outline(&history), expected, "{lines}");
    }
}

#[test]
fn fine_lists_have_no_faults() {
    let cases = [
        "ok 0 [[:append x 1] [:r x [1]]]; ok 1 [[:append x 2] [:r x [1 2]]]; ok 2 [[:r x [1 2]]]",
        "ok 0 [[:r x [1]] [:append x 2] [:r x [1 2]]]; ok 1 [[:append x 1]]; ok 1 [[:r x [1 2 3]]]; \
         info 2 [[:append x 3] [:r x nil]]",
        "ok 0 [[:append x 1] [:append x 2]]; ok 1 [[:r x [1 2]]]; ok 2 [[:r x []]]; \
         fail 3 [[:r x [5]] [:append x 6]]",
    ];
    for lines in cases {
        let history = edn(&operations(lines)).unwrap();
        assert_eq!(faults(&history), [], "{lines}");
    }
}

#[test]
fn odd_lists_are_faults() {
    let appends = "ok 0 [[:append x 1]]; ok 0 [[:append x 2]]; ok 0 [[:append x 3] [:append x 4]]; \
                   fail 0 [[:append x 5]]; ok 9 [[:r x [1 2 3 4]]]; ";
    let cases = [
        ("ok 1 [[:r x [2]]]", "[2]", Fault::ThinAir),
        ("ok 1 [[:r x [2 1]]]", "[2,1]", Fault::ThinAir),
        ("ok 1 [[:r x [1 2 7]]]", "[1,2,7]", Fault::ThinAir),
        ("ok 1 [[:r x [1 1]]]", "[1,1]", Fault::ThinAir),
        ("ok 1 [[:r x [3 1 4]]]", "[3,1,4]", Fault::ThinAir),
        ("ok 1 [[:r x [1 5]]]", "5", Fault::Aborted),
        ("ok 1 [[:r x [1 5 2]]]", "5", Fault::Aborted),
        ("ok 1 [[:r x [1 2 3]]]", "3", Fault::Intermediate),
        ("ok 1 [[:r x [1 6]] [:append x 6]]", "6", Fault::OwnLaterWrite),
        ("ok 1 [[:append x 6] [:r x [1]]]", "[1]", Fault::InternalMismatch),
        ("ok 1 [[:append x 6] [:r x nil]]", "null", Fault::InternalMismatch),
        ("ok 1 [[:append x 6] [:append x 7] [:r x [1 2 7]]]", "[1,2,7]", Fault::InternalMismatch),
        ("ok 1 [[:append x 6] [:r x [2 6]]]", "[2]", Fault::ThinAir),
        ("ok 1 [[:append x 6] [:r x [1 2 3 6]]]", "3", Fault::Intermediate),
        ("ok 1 [[:append x 6] [:r x [5 6]]]", "5", Fault::Aborted),
        ("ok 1 [[:append x 6] [:r x [6 6]]]", "[6]", Fault::ThinAir),
        ("ok 1 [[:append x 6] [:r x [1 7 6]] [:append x 7]]", "7", Fault::OwnLaterWrite),
        // Somebody appends the list that would stand for a read of a value nobody wrote.
        ("ok 1 [[:append x [8]]]; ok 1 [[:r x [8]]]", "[[8]]", Fault::ThinAir),
    ];
    for (line, value, fault) in cases {
        let history = edn(&operations(&format!("{appends}{line}"))).unwrap();
        let last = TxnId::new(history.num_txns() - 1);
        assert_eq!(faults(&history), [(last, fault)], "{line}");
        assert_eq!(history.value(history.faults()[0]).to_string(), value, "{line}");
    }
}

#[test]
fn the_order_comes_from_lists_that_make_sense() {
    // The longest list is wrong: the order is that of the longest other.
    let history = edn(&operations(
        "ok 0 [[:append x 1]]; ok 0 [[:append x 2]]; ok 1 [[:r x [1 2]]]; ok 2 [[:r x [9 8 7]]]",
    ))
    .unwrap();
    assert!(outline(&history).ends_with("order x: t1 t2\n"));
    assert_eq!(faults(&history), [(TxnId::new(4), Fault::ThinAir)]);
    // Two orders: one reader is the odd one out.
    let history = edn(&operations(
        "ok 0 [[:append x 1]]; ok 1 [[:append x 2]]; ok 2 [[:r x [1 2]]]; ok 3 [[:r x [2 1]]]",
    ))
    .unwrap();
    assert_eq!(faults(&history), [(TxnId::new(4), Fault::ThinAir)]);
}

#[test]
fn broken_operations_are_placed() {
    let cases = [
        ("{:type :ok :process 0 :value [[:r x 1]]", (1, 1), "this bracket is never closed"),
        ("[{:type :ok :process 0 :value []}", (1, 1), "this bracket is never closed"),
        ("{:process 0 :value []}", (1, 1), "the operation has no :type"),
        ("{:type :maybe :process 0}", (1, 1), "there is no operation of type \"maybe\""),
        ("7", (1, 1), "an operation is a map"),
        ("{:type :ok, :process 0}", (1, 1), "the operation's value is no list"),
        (
            "{:type :ok, :process 0,\n :value {:from 1}}",
            (2, 9),
            "the operation's value is no list of reads and writes",
        ),
        ("{:type :ok :process 0 :value [[:cas x 1]]}", (1, 32), "this is neither :r, :w nor"),
        ("{:type :ok :process 0 :value [[:r nil 1]]}", (1, 35), "the key is nil"),
        ("{:type :ok :process 0 :value [[:w x]]}", (1, 31), "this writes no value"),
        ("{:type :ok :process 0 :value [[:append x nil]]}", (1, 31), "this writes no value"),
        ("{:type :ok :process 0 :value [5]}", (1, 31), "this is no read, write or append"),
        (
            "{:type :ok :process 0 :value [[:w x 1]\n [:append x 1]]}",
            (2, 2),
            "the history has both :w (line 1) and :append (line 2)",
        ),
        (
            "{:type :invoke :process 0 :value []}\n{:type :invoke :process 0 :value []}",
            (2, 1),
            "process 0 invokes again before its operation of line 1 completed",
        ),
        (
            "{:type :invoke :process 0 :value [] :time 9}\n{:type :ok :process 0 :value [] :time 2}",
            (2, 0),
            "transaction ends at 2, before it begins at 9",
        ),
    ];
    for (text, (line, column), message) in cases {
        let error = parse_error(edn(text));
        assert!(error.message.starts_with(message), "{text}: {}", error.message);
        assert_eq!((error.place.line, error.place.column), (line, column), "{text}");
        assert!(error.place.excerpt.is_some() && !error.help.is_empty(), "{text}");
    }
}

#[test]
fn what_registers_cannot_say_is_refused() {
    let refused = |history: &History| -> String {
        let result: Result<(), WriteError> = write_edn(history, &mut Vec::new());
        result.unwrap_err().to_string()
    };
    let mut builder = HistoryBuilder::new();
    let (s, x) = (builder.session(&0.into()), builder.key(&"x".into()));
    builder.initial(x, &Value::Int(0)).unwrap();
    builder.begin(s);
    builder.end(TxnInfo::default()).unwrap();
    let expected = "elle-edn cannot express the initial value 0 of x; registers start as nil";
    assert_eq!(refused(&builder.finish().unwrap()), expected);

    let mut builder = HistoryBuilder::new();
    let (s, x) = (builder.session(&0.into()), builder.key(&"x".into()));
    builder.begin(s);
    builder.event(Kind::Read, x, &Value::Null);
    builder.end(TxnInfo { status: Status::Unknown, ..TxnInfo::default() }).unwrap();
    let expected = "elle-edn cannot express the reads of t1, whose status is unknown";
    assert_eq!(refused(&builder.finish().unwrap()), expected);

    let lists = edn(&operations("ok 0 [[:append x 1]]; ok 1 [[:r x [1]]]")).unwrap();
    assert_eq!(refused(&lists), "elle-edn cannot express the version order of x");
}

#[test]
fn odd_keys_and_values_round_trip() {
    let mut builder = HistoryBuilder::new();
    let s = builder.session(&"alice".into());
    let keys = [Key::Int(-5), "x".into(), "a b".into(), "5".into(), "é\"\\".into()];
    let values = [
        Value::Null,
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Json("1.5".into()),
        Value::Json("{\"a\":[null,{}],\"b\":\"é\\n\"}".into()),
        Value::from("text \u{1} \"quoted\" ; []"),
    ];
    for key in &keys {
        builder.begin(s);
        let key = builder.key(key);
        for value in &values {
            builder.event(Kind::Write, key, value);
            builder.event(Kind::Read, key, value);
        }
        builder.end(TxnInfo::default()).unwrap();
    }
    builder.begin(s);
    let key = builder.key(&keys[0]);
    builder.event(Kind::Write, key, &1.into());
    let (status, begin) = (Status::Unknown, Some(-3));
    builder.end(TxnInfo { status, begin, ..TxnInfo::default() }).unwrap();
    let history = builder.finish().unwrap();
    let expected = outline(&history).replace("alice", "0");
    let mut text = Vec::new();
    write_edn(&history, &mut text).unwrap();
    assert_eq!(outline(&read_edn(&mut text.as_slice()).unwrap()), expected);
    assert!(looks_like_edn(&text) && !looks_like_json(&text));
    let mut text = Vec::new();
    write_json(&history, &mut text).unwrap();
    assert_eq!(outline(&read_json(&mut text.as_slice()).unwrap()), expected);
    assert!(looks_like_json(&text) && !looks_like_edn(&text));
}

#[test]
fn timed_operations_are_written_in_the_order_of_time() {
    let text = "{:type :invoke, :f :txn, :value [[:w :x 1]], :process 0, :time 1, :index 0}\n\
                {:type :invoke, :f :txn, :value [[:r :x nil]], :process 1, :time 2, :index 1}\n\
                {:type :ok, :f :txn, :value [[:r :x 1]], :process 1, :time 3, :index 2}\n\
                {:type :ok, :f :txn, :value [[:w :x 1]], :process 0, :time 4, :index 3}\n";
    let mut written = Vec::new();
    write_edn(&edn(text).unwrap(), &mut written).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text);
}

#[test]
fn others_do_not_look_like_operations() {
    for other in ["", "{", "[x:=1]", "{\"a\": 1}", "[[:r x]]", "{ 1 2}", "(", "; only a comment"] {
        assert!(!looks_like_edn(other.as_bytes()), "{other}");
        assert!(!looks_like_json(other.as_bytes()), "{other}");
    }
    for text in ["; c\n{:index 1 :type :ok}", "[ {:type :ok}]", "#jepsen.history.Op{:type :ok}"] {
        assert!(looks_like_edn(text.as_bytes()), "{text}");
    }
    assert!(!looks_like_json(b"{\"session\": 0, \"ops\": [[\"w\", \"type\", \"ok\"]]}"));
}

proptest! {
    #[test]
    fn registers_round_trip(
        times in any::<bool>(),
        (plain, timed) in (
            histories(Shape { initial: None, text_keys: true, aborted: false, times: false }),
            histories(Shape { initial: None, text_keys: false, aborted: false, times: true }),
        ),
    ) {
        let history = if times { timed } else { plain };
        let expected = outline(&history);
        let mut text = Vec::new();
        write_edn(&history, &mut text).unwrap();
        prop_assert_eq!(outline(&read_edn(&mut text.as_slice()).unwrap()), &expected[..]);
        let mut text = Vec::new();
        write_json(&history, &mut text).unwrap();
        prop_assert_eq!(outline(&read_json(&mut text.as_slice()).unwrap()), expected);
    }

    #[test]
    fn a_serial_list_append_run_has_no_faults(
        steps in prop::collection::vec((0..3i64, 0..4u8, prop::collection::vec((any::<bool>(), 0..2usize), 1..5)), 1..20),
    ) {
        // Transactions one after another; some fail, some end unknown, applied or not.
        let mut lists = [Vec::new(), Vec::new()];
        let (mut text, mut next) = (String::new(), 0);
        for (process, fate, ops) in steps {
            let mut state = lists.clone();
            let mut value = String::new();
            for (append, key) in ops {
                if append {
                    next += 1;
                    state[key].push(next);
                    value.push_str(&format!("[:append {key} {next}]"));
                } else {
                    value.push_str(&format!("[:r {key} {:?}]", state[key]));
                }
            }
            let kind = ["ok", "fail", "info", "info"][usize::from(fate)];
            if fate != 1 && fate != 3 {
                lists = state;
            }
            text.push_str(&format!("{{:type :{kind} :process {process} :value [{value}]}}\n"));
        }
        let history = edn(&text).unwrap();
        prop_assert_eq!(faults(&history), [], "{}", text);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_edn(&mut bytes.as_slice());
        let _ = read_json(&mut bytes.as_slice());
        let _ = (looks_like_edn(&bytes), looks_like_json(&bytes));
    }

    #[test]
    fn no_nearly_right_text_panics(
        text in r#"(\{:type :(ok|info|fail|invoke)[ ,]:process [0-2] :value |\[|\]|\}|\[:(r|append|w) x [0-9]\]|\[:r x \[[0-9 ]{0,5}\]\]){0,30}"#,
    ) {
        let _ = read_edn(&mut text.as_bytes());
    }
}
