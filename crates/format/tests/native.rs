//! The native formats and those of one event a line, by tables of good and bad files.

mod support;

use hobgoblin_core::{History, Source, Status, TxnId};
use hobgoblin_format::{Format, ReadError, detect, read, read_path, write};
use support::dump;

fn parse(format: Format, text: &str) -> Result<History, ReadError> {
    read(text.as_bytes(), "test", Some(format))
}

/// The text is a history, and the same one as the `.txn` text; the first line tells its format.
#[track_caller]
fn same(format: Format, text: &str, txn: &str) {
    let history = parse(format, text).unwrap_or_else(|e| panic!("{text}\n{e} {:?}", e.place()));
    let expect = parse(Format::Txn, txn).unwrap_or_else(|e| panic!("{txn}\n{e} {:?}", e.place()));
    assert_eq!(dump(&history), dump(&expect), "{text}");
    if !text.trim().is_empty() {
        assert_eq!(detect(text.as_bytes(), "history.txt"), Some(format), "{text}");
    }
}

/// The text is refused at this line and column, in these words, with the line and a next step.
#[track_caller]
fn bad(format: Format, text: &str, (line, column): (u64, u64), message: &str) {
    let error = parse(format, text).expect_err(text);
    let ReadError::Parse { error, .. } = error else { panic!("{text}: {error}") };
    assert!(error.message.contains(message), "{text}\n{}", error.message);
    assert_eq!((error.place.line, error.place.column), (line, column), "{text}\n{error}");
    assert!(!error.help.is_empty(), "{text}");
    let excerpt = error.place.excerpt.as_deref().unwrap_or_else(|| panic!("{text}: no excerpt"));
    let whole = text.split('\n').nth(line as usize - 1).expect(text);
    assert!(whole.replace('\t', " ").contains(excerpt), "{text}\n{excerpt}");
}

#[test]
fn good_jsonl() {
    for (text, txn) in [
        ("", ""),
        ("{\"hobgoblin\": 1}\n", ""),
        ("\n{\"session\": 0, \"ops\": []}\n\n", "0: { }"),
        (r#"{"ops":[["w","x",1]],"session":"s"}"#, "s: { w(x)=1 }"),
        (
            r#" { "session" : 0 , "ops" : [ [ "w" , 7 , -1 ] , [ "r" , "7" , null ] ] } "#,
            "0: { w(7)=-1 r(\"7\")=null }",
        ),
        (
            r#"{"session":0,"id":"a","ops":[["r","x",0,"init"]],"status":"aborted","level":"si","begin":-5,"end":7}"#,
            "0: a aborted SI @-5..7 { r(x)=0<-init }",
        ),
        (
            r#"{"session":0,"id":12,"ops":[["w","x",1]]}
{"session":0,"ops":[["r","x",1,12]],"status":"unknown","meta":{"a":[1,{}]}}
{"session":0,"ops":[["r","x",1,{"number":1}],["r","x",1,{ "number" : 4 }]],"status":"committed"}
{"session":0,"ops":[],"level":"Repeatable Read"}"#,
            "0: 12 { w(x)=1 }\n0: unknown { r(x)=1<-12 }\n0: { r(x)=1<-#1 r(x)=1<-#4 }\n0: SI { }",
        ),
        (
            r#"{"hobgoblin":1,"initial":{"x":0,"7":"a","07":[1, 2]},"order":{"x":["a"]}}
{"session":0,"id":"a","ops":[["w","x",1]]}"#,
            "init x=0 7=\"a\" 07=[1,2]\norder x: a\n0: a { w(x)=1 }",
        ),
        (
            r#"{"initial":[["7",0],[7,true]],"order":[["7",[]]],"hobgoblin":1}"#,
            "init \"7\"=0 7=true\norder \"7\":",
        ),
        (
            r#"{"session":0,"ops":[{"value":1.50,"key":"x","f":"w"},{"f":"r","key":"\u00e9","value":{"b":1,"a":2},"lock":true,"stmt":1,"from":"init"}],"statements":["a","b \"c\""]}"#,
            "0: { w(x)=1.5 [1] r!(é)={\"a\":2,\"b\":1}<-init } \"a\" \"b \\\"c\\\"\"",
        ),
        (
            r#"{"session":0,"ops":[{"f":"w","key":"x","value":1,"at":-3},{"f":"r","key":"x","value":1,"at":0,"from":"init"},{"f":"r","key":"y","value":null,"at":12}]}"#,
            "0: { w(x)=1@-3 r(x)=1<-init @0 r(y)=null@12}",
        ),
        (
            r#"{"hobgoblin":1,"tables":{"t":{"columns":["a",""],"key":["a"]},"old":{"columns":["x"]}}}
{"session":0,"ops":[]}
{"indexes":{"t_b":{"table":"t","columns":["lower(b)"],"unique":true}},"tables":{"old":{"columns":["y"]}}}"#,
            "table old(y)\ntable t(a,\"\") key(a)\n0: { }\nindex t_b of t(\"lower(b)\") unique",
        ),
    ] {
        same(Format::Jsonl, text, txn);
    }
}

#[test]
fn bad_jsonl() {
    let line = |text: &str| format!("{{\"session\":0,\"ops\":[]}}\n{text}");
    for (text, column, message) in [
        ("oops", 1, "expected `{`, found `o`"),
        ("{", 2, "expected a string, found the end of the line"),
        ("{}", 1, "the transaction has no \"session\""),
        (r#"{"session":0}"#, 1, "has no \"ops\""),
        (r#"{"ops":[]}"#, 1, "has no \"session\""),
        (r#"{"session":0,"ops":[]} {"#, 24, "expected the end of the line"),
        (r#"{"session":0,"ops":[],}"#, 23, "expected a string"),
        (r#"{"session":0,"ops":[] "id":1}"#, 23, "expected `,` or `}`"),
        (r#"{"session":0,"ops":[],"staus":"aborted"}"#, 23, "no member is called \"staus\""),
        (r#"{"session":0,"session":0,"ops":[]}"#, 14, "given twice"),
        (r#"{"session":1.5,"ops":[]}"#, 12, "a session is a string or an integer"),
        (r#"{"session":0,"ops":[],"status":"done"}"#, 32, "no status is called \"done\""),
        (r#"{"session":0,"ops":[],"level":"ACID"}"#, 31, "no isolation level is called \"ACID\""),
        (r#"{"session":0,"ops":[],"begin":1.5}"#, 31, "a time is an integer"),
        (r#"{"session":0,"ops":[],"begin":10,"end":5}"#, 40, "ends at 5, before"),
        (r#"{"session":0,"ops":[["w","x"]]}"#, 29, "expected `,`, found `]`"),
        (r#"{"session":0,"ops":[["a","x",1]]}"#, 22, "expected \"r\" or \"w\""),
        (r#"{"session":0,"ops":[["w",null,1]]}"#, 26, "a key is a string or an integer"),
        (r#"{"session":0,"ops":[["w","x",01]]}"#, 31, "no JSON number"),
        (r#"{"session":0,"ops":[["w","x",x]]}"#, 30, "expected a JSON value"),
        (r#"{"session":0,"ops":[["w","x","\q"]]}"#, 32, "no JSON string"),
        (r#"{"session":0,"ops":[["w","x","]]}"#, 30, "the string does not end"),
        (r#"{"session":0,"ops":[["w","x",[1,]]]}"#, 33, "no JSON value"),
        (r#"{"session":0,"ops":[["w","x",1,"t"]]}"#, 21, "only a read can name"),
        (r#"{"session":0,"ops":[["r","x",1,{"number":0}]]}"#, 42, "no transaction number 0"),
        (r#"{"session":0,"ops":[{"f":"r","key":"x"}]}"#, 21, "the event has no \"value\""),
        (r#"{"session":0,"ops":[{"f":"r","f":"r"}]}"#, 30, "given twice"),
        (r#"{"session":0,"ops":[{"f":"r","at":"3"}]}"#, 35, "a place is an integer"),
        (r#"{"session":0,"ops":[{"g":"r"}]}"#, 22, "no member is called \"g\""),
        (
            r#"{"session":0,"ops":[{"f":"r","key":1,"value":1,"stmt":0}]}"#,
            1,
            "belongs to statement 0",
        ),
        (r#"{"session":0,"ops":[],"id":"init"}"#, 28, "may not be called \"init\""),
        (r#"{"hobgoblin":1}"#, 1, "a header that is not the first line"),
        (r#"{"tables":{"t":{"colums":[]}}}"#, 17, "no member is called \"colums\""),
        (r#"{"tables":{},"session":0,"ops":[]}"#, 1, "neither a header nor a transaction"),
        (r#"{"tables":{},"initial":{}}"#, 1, "neither a header nor a transaction"),
        (r#"{"initial":{}}"#, 1, "neither a header nor a transaction"),
    ] {
        bad(Format::Jsonl, &line(text), (2, column), message);
    }
    bad(Format::Jsonl, r#"{"hobgoblin":2}"#, (1, 14), "version 2");
    bad(Format::Jsonl, r#"{"hobgoblin":1,"initial":{"x":0,"x":1}}"#, (1, 1), "given twice");
    bad(Format::Jsonl, r#"{"hobgoblin":1,"initial":[["x"]]}"#, (1, 31), "expected `,`");
    let twice = "{\"session\":0,\"id\":\"a\",\"ops\":[]}\n".repeat(2);
    bad(Format::Jsonl, &twice, (2, 19), "two transactions are called \"a\"");
}

#[test]
fn good_txn() {
    let json = |text| parse(Format::Jsonl, text).expect(text);
    for (text, jsonl) in [
        ("# nothing\n\n   # at all", ""),
        ("init  # keys may come later", r#"{"hobgoblin":1}"#),
        (
            "init:{}\norder : t1 {} # sessions",
            "{\"session\":\"init\",\"ops\":[]}\n{\"session\":\"order\",\"id\":\"t1\",\"ops\":[]}",
        ),
        (
            "\"a b\": \"aborted\" @..5 committed rc{w(a.b/c-d)=\"#\"}#done",
            r##"{"session":"a b","id":"aborted","level":"RC","end":5,"ops":[["w","a.b/c-d","#"]]}"##,
        ),
        ("s: t {\n  r(x)=1 # first\n\n  w(x)=2 <- t\n}", ""),
        (
            "s: t {\n  r(x)=null # first\n\n  [0] w(\"}\")={\"a\": 1}\n} \"S\"",
            r#"{"session":"s","id":"t","ops":[["r","x",null],{"f":"w","key":"}","value":{"a":1},"stmt":0}],"statements":["S"]}"#,
        ),
        (
            "\u{feff}s: { r(x)=1.5<-\"#1\" }\r\ns: \"#1\" { w(x)=1.5 }\r\n",
            "{\"session\":\"s\",\"ops\":[[\"r\",\"x\",1.5,\"#1\"]]}\n{\"session\":\"s\",\"id\":\"#1\",\"ops\":[[\"w\",\"x\",1.5]]}",
        ),
    ] {
        if text.contains("<- t") {
            assert!(parse(Format::Txn, text).is_err(), "a write names no writer");
            continue;
        }
        let history = parse(Format::Txn, text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        assert_eq!(dump(&history), dump(&json(jsonl)), "{text}");
    }
}

#[test]
fn bad_txn() {
    for (text, place, message) in [
        ("hello", (1, 6), "expected `:`, found the end of the line"),
        ("s: t1", (1, 6), "expected a name, found the end of the line"),
        ("s: t1 t2 { }", (1, 7), "given twice"),
        ("s: t1 SI t2 { }", (1, 10), "\"t2\" is no status and no level"),
        ("s: t1 SI aborted unknown { }", (1, 18), "given twice"),
        ("s: @5 { }", (1, 7), "expected `..`"),
        ("s: @99999999999999999999.. { }", (1, 5), "a time is an integer"),
        ("s: { x(y)=1 }", (1, 6), "expected an event or `}`"),
        ("s: { r y=1 }", (1, 8), "expected `(`"),
        ("s: { r(y=1 }", (1, 9), "expected `)`"),
        ("s: { r(y) }", (1, 11), "expected `=`"),
        ("s: { r(y)= }", (1, 12), "expected a JSON value"),
        ("s: { r(y)=1< }", (1, 12), "expected `<-`"),
        ("s: { r(y)=1<- }", (1, 15), "expected a name"),
        ("s: { r(y)=1<-#0 }", (1, 15), "no transaction number 0"),
        ("s: { r(y)=1@x }", (1, 13), "expected a place"),
        ("s: { r(y)=1@1..2 }", (1, 14), "expected an event or `}`"),
        ("s: { w(y)=1<-t }", (1, 6), "only a read"),
        ("s: { [x] }", (1, 7), "expected a JSON value"),
        ("s: { [-1] }", (1, 7), "no such statement"),
        ("s: { [0] w(x)=1 }", (1, 1), "belongs to statement 0"),
        ("s: { } t: { }", (1, 8), "expected the end of the line"),
        ("s: {\n  w(x)=1\n", (1, 1), "the transaction does not end"),
        ("s: {\n  w(x)\n}", (2, 7), "expected `=`"),
        ("init x", (1, 7), "expected `=`"),
        ("init x=0 x=0", (1, 1), "given twice"),
        ("table t", (1, 8), "expected `(`"),
        ("table t(a) kay(a)", (1, 12), "expected `key`"),
        ("index i t(a)", (1, 9), "expected `of`"),
        ("index i of t(a) unique x", (1, 24), "expected the end of the line"),
        ("order x t", (1, 9), "expected `:`"),
        ("s: t { }\ns: t { }", (2, 4), "two transactions are called \"t\""),
        ("s: \"\" { }", (1, 4), "may not be called \"\""),
    ] {
        bad(Format::Txn, text, place, message);
    }
    let error = read(&b"s: t\xff { }"[..], "x", Some(Format::Txn)).expect_err("not UTF-8");
    assert_eq!(error.place().map(|p| (p.line, p.column)), Some((1, 5)));
}

#[test]
fn good_plume() {
    for (text, txn) in [
        ("", ""),
        (
            "w(1,5,0,3)\nr(2,0,0,3)\nr(1,5,7,4)\n",
            "init 1=0 2=0\n0: 3 { w(1)=5 r(2)=0 }\n7: 4 { r(1)=5 }",
        ),
        // Alternating transactions, and aborted writes between them.
        (
            "w(1,5,0,3)\r\nr(1,5,1,4)\n\n w(1,6,0,3) \nw(1,7,0,-1)\nw(1,8,0,-1)\nw(1,9,1,-1)\nr(1,9,1,4)",
            "init 1=0\n0: 3 { w(1)=5 w(1)=6 }\n1: 4 { r(1)=5 r(1)=9 }\n0: aborted { w(1)=7 w(1)=8 }\n1: aborted { w(1)=9 }",
        ),
        (
            "w(18446744073709551615,18446744073709551615,0,0)",
            "init \"18446744073709551615\"=0\n0: 0 { w(\"18446744073709551615\")=18446744073709551615 }",
        ),
        (
            "w(9223372036854775807,-9223372036854775808,0,0)",
            "init 9223372036854775807=0\n0: 0 { w(9223372036854775807)=-9223372036854775808 }",
        ),
    ] {
        same(Format::Plume, text, txn);
    }
}

#[test]
fn bad_plume() {
    for (text, column, message) in [
        ("x(1,2,3,4)", 1, "this is no event"),
        ("  x", 3, "this is no event"),
        ("r(", 3, "expected an integer"),
        ("r(1", 4, "expected `,`"),
        ("r(1,", 5, "expected an integer"),
        ("r(1,a,3,4)", 5, "expected an integer"),
        ("r(1,2,3)", 8, "expected `,`"),
        ("r(1,2,3,4", 10, "expected `)`"),
        ("r(1,2,3,4) x", 11, "there is more"),
        ("r(1,-,3,4)", 5, "expected an integer"),
        ("r(1,2,3,-2)", 9, "may not be called -2"),
        ("r(1,2,3,99999999999999999999)", 9, "past 64 bits"),
        ("r(1,2,18446744073709551615,4)", 7, "a session is an integer of at most 63 bits"),
        ("r(1,2,3,0)", 9, "transaction 0 is in two sessions"),
    ] {
        bad(Format::Plume, &format!("w(1,2,0,0)\n{text}"), (2, column), message);
    }
}

#[test]
fn good_awdit() {
    for (text, txn) in [
        ("===\n---\n\n", ""),
        (
            "w 0 1\nr 1 0\n-----\nr 0 1\n=====\n  r  0\t1 ",
            "init 0=0 1=0\n0: { w(0)=1 r(1)=0 }\n0: { r(0)=1 }\n1: { r(0)=1 }",
        ),
        (
            "w 0 0\nw 1 0\n=\n-\n=\nr 0 0\n-\n-\nr 2 0",
            "init 2=0\n0: { w(0)=0 w(1)=0 }\n1: { r(0)=0 }\n1: { r(2)=0 }",
        ),
    ] {
        let history = parse(Format::Awdit, text).expect(text);
        assert_eq!(dump(&history), dump(&parse(Format::Txn, txn).expect(txn)), "{text}");
    }
    let lines = parse(Format::Awdit, "w 0 1\n\nr 0 1\n-\nr 0 1").expect("good");
    let all: Vec<u32> = lines
        .txns()
        .flat_map(|t| lines.event_ids(t))
        .map(|event| lines.event_line(event))
        .collect();
    assert_eq!(all, [1, 3, 5]);
}

#[test]
fn bad_awdit() {
    for (text, column, message) in [
        ("x 1 2", 1, "this is no event"),
        ("r1 2", 1, "this is no event"),
        ("r", 1, "this is no event"),
        ("r 1", 4, "expected an integer"),
        ("r 1 2 3", 7, "there is more"),
        ("r 1 -2", 5, "may not be negative"),
        ("r 1 2x", 6, "expected a blank"),
        ("--=", 3, "only one kind of sign"),
        ("w 1 99999999999999999999", 5, "past 64 bits"),
    ] {
        bad(Format::Awdit, &format!("w 0 1\n{text}"), (2, column), message);
    }
}

#[test]
fn what_is_wrong_with_the_whole_is_shown_from_the_file() {
    let directory = std::env::temp_dir().join(format!("hob-format-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    for (text, place, message) in [
        ("\ns: { r(x)=1<-nobody }", (2, 14), "\"nobody\", but no transaction"),
        ("s: { r(x)=1<-#7 }", (1, 14), "\"#7\""),
        ("order x: t1\ns: t2 { w(x)=1 }", (1, 10), "names \"t1\", but no transaction"),
    ] {
        let path = directory.join("history.txn");
        std::fs::write(&path, text).expect("a temporary file");
        let error = read_path(&path, None).expect_err(text);
        assert!(error.to_string().contains(message), "{error}");
        let found = error.place().expect("a parse error has a place");
        assert_eq!((found.line, found.column), place, "{text}");
        assert!(found.excerpt.is_some() && !error.help().is_empty());
    }
    std::fs::remove_dir_all(&directory).expect("ours to remove");
}

#[test]
fn long_lines_are_cut_around_the_mistake() {
    let text = format!("s: {{ {}w(x)=oops }}", "w(x)=1 ".repeat(100_000));
    let error = parse(Format::Txn, &text).expect_err("a mistake far to the right");
    let place = error.place().expect("a parse error has a place");
    let excerpt = place.excerpt.as_deref().expect("shown");
    let at = (place.column - place.excerpt_column) as usize;
    assert!(excerpt[at..].starts_with("oops") && excerpt.len() < 200, "{excerpt}");
}

#[test]
fn the_litmus_histories_are_read() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/litmus");
    let mut count = 0;
    for entry in std::fs::read_dir(directory).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "txn") {
            let history = read_path(&path, None).unwrap_or_else(|e| panic!("{e} {:?}", e.place()));
            assert!(history.num_txns() > 1);
            let mut text = Vec::new();
            write(&history, Format::Txn, &mut text).expect("txn holds everything");
            assert_eq!(text, std::fs::read(&path).expect("just read"), "{}", path.display());
            count += 1;
        }
    }
    assert!(count >= 30, "only {count} litmus files");
}

#[test]
fn what_a_format_cannot_say_is_refused() {
    for (format, txn, reason) in [
        (Format::Plume, "s: { w(x)=1 }", "the key x"),
        (Format::Plume, "s: { w(1)=\"a\" }", "the value \"a\""),
        (Format::Plume, "s: { w(1)=0 }", "the value 0 of 1, which starts as null"),
        (Format::Plume, "s: unknown { w(1)=1 }", "status is unknown"),
        (Format::Plume, "s: SI { w(1)=1 }", "the level"),
        (Format::Plume, "s: @1..2 { w(1)=1 }", "times"),
        (Format::Plume, "order 1: t\ns: t { w(1)=1 }", "the version order of 1"),
        (Format::Awdit, "s: aborted { w(1)=1 }", "aborted"),
        (Format::Awdit, "init 1=7\ns: { r(1)=7 }\nt: { w(1)=7 }", "a write of 7 to 1"),
        (Format::Awdit, "s: { r(1)=null }\nt: { w(1)=0 }", "the value 0 of 1"),
    ] {
        let history = parse(Format::Txn, txn).expect(txn);
        let error = write(&history, format, &mut Vec::new()).expect_err(txn).to_string();
        assert!(error.contains(reason) && error.starts_with(format.name()), "{txn}\n{error}");
    }
}

#[test]
fn what_a_format_can_say_is_written() {
    for (format, txn, expect) in [
        (
            Format::Plume,
            "init 1=7\na: x { r(1)=7 w(1)=8 }\nb: aborted { w(1)=9 }\nb: { r(1)=8<-x }",
            "r(1,0,0,1)\nw(1,8,0,1)\nw(1,9,1,-1)\nr(1,8,1,3)\n",
        ),
        (Format::Plume, "5: 12 { w(1)=1 }\n3: 4 { w(1)=2 }", "w(1,1,5,12)\nw(1,2,3,4)\n"),
        (
            Format::Awdit,
            "b: { w(1)=1 }\na: { r(1)=1 }\nb: { }\nb: { r(2)=null }",
            "w 1 1\n---\nr 2 0\n===\nr 1 1\n",
        ),
        (Format::Awdit, "b: { w(1)=0 }\na: { r(1)=0 }", "w 1 0\n===\nr 1 0\n"),
    ] {
        let history = parse(Format::Txn, txn).expect(txn);
        let mut out = Vec::new();
        write(&history, format, &mut out).expect(txn);
        assert_eq!(String::from_utf8(out).expect("ASCII"), expect, "{txn}");
    }
}

#[test]
fn sources_survive_what_alternates() {
    let text = "w(1,5,0,3)\nr(1,6,1,4)\nw(1,6,0,3)\n";
    let history = parse(Format::Plume, text).expect("good");
    let read = history.event_ids(TxnId::new(2)).next().expect("one event");
    assert_eq!(history.source(read), Source::Txn(TxnId::new(1)));
    assert_eq!(history.event_line(read), 2);
    assert_eq!(history.status(TxnId::new(2)), Status::Committed);
}
