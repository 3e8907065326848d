use proptest::prelude::*;

use super::*;
use crate::error::Failure;

/// The next form, of a text that is all there.
fn next(reader: &mut Reader<'_>) -> Result<Option<Node>, ParseError> {
    reader.next().map_err(|failure| match failure {
        Failure::Parse(error) => *error,
        other => panic!("this could not be read: {other:?}"),
    })
}

/// All forms of a text, as values.
fn values(text: &str, dialect: Dialect) -> Result<Vec<String>, ParseError> {
    let mut reader = Reader::new(text.as_bytes(), dialect);
    let mut values = Vec::new();
    while let Some(node) = next(&mut reader)? {
        values.push(node.value().to_string());
    }
    Ok(values)
}

#[test]
fn edn_is_read() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        (" , ; nothing\n", &[]),
        (
            "nil true false 1 -2 +3 4N 1.5 2.5M 1/2 1e3",
            &["null", "true", "false", "1", "-2", "3", "4", "1.5", "2.5", "\"1/2\"", "1000"],
        ),
        ("99999999999999999999", &["99999999999999999999"]),
        (
            r#":a :b/c sym - "t\n\"\u00e9\ud83d\ude00" \c \newline \("#,
            &[
                "\"a\"",
                "\"b/c\"",
                "\"sym\"",
                "\"-\"",
                "\"t\\n\\\"é😀\"",
                "\"c\"",
                "\"newline\"",
                "\"(\"",
            ],
        ),
        ("[1 (2 3) #{4}] {:b 2, :a [nil]}", &["[1,[2,3],[4]]", r#"{"a":[null],"b":2}"#]),
        (
            "#tag{:a 1} #jepsen.history.Op {:b 2} #inst \"2024\"",
            &[r#"{"a":1}"#, r#"{"b":2}"#, "\"2024\""],
        ),
        ("#_ a b #_#_ c d [e #_ f] ^{:m 1} g #_ [h #_ i]", &["\"b\"", "[\"e\"]", "\"g\""]),
        (r#"#"regex" ##Inf 0x1f"#, &["\"regex\"", "\"0x1f\""]),
        ("{1 2 :x {}} ; end", &[r#"{"1":2,"x":{}}"#]),
    ];
    for (text, expected) in cases {
        assert_eq!(values(text, Dialect::Edn).unwrap(), *expected, "{text}");
    }
}

#[test]
fn json_is_read() {
    let text = "{\"a\": [1, -2.5, null], \"b\":true}\n\"x\\/y\"\n[]";
    let expected = [r#"{"a":[1,-2.5,null],"b":true}"#, "\"x/y\"", "[]"];
    assert_eq!(values(text, Dialect::Json).unwrap(), expected);
}

#[test]
fn a_list_around_all_is_entered() {
    for text in ["[1 2 3]", "(1 2 3)\n", "1 2 3", "; c\n [1, 2, 3] ; c"] {
        let mut reader = Reader::new(text.as_bytes(), Dialect::Edn);
        reader.enter_list();
        for n in 1..=3 {
            assert_eq!(reader.next().unwrap().unwrap().form, Form::Int(n), "{text}");
        }
        assert_eq!(reader.next().unwrap(), None, "{text}");
        assert_eq!(reader.next().unwrap(), None, "{text}");
    }
    let mut reader = Reader::new(b"[1] 2", Dialect::Edn);
    reader.enter_list();
    reader.next().unwrap();
    assert_eq!(next(&mut reader).unwrap_err().message, "something follows the list of operations");
}

#[test]
fn broken_text_is_placed() {
    let deep = "[".repeat(1_000_000);
    let sets = "#{".repeat(1_000_000);
    let cases = [
        ("{:a 1", (1, 1), "this bracket is never closed: no `}` follows"),
        ("{:a\n  [1 2}", (2, 7), "this `}` does not close the bracket of line 2, column 3"),
        ("1 ]", (1, 3), "this `]` closes nothing"),
        ("{:a}", (1, 1), "this map has a key without a value"),
        ("[\"ab\n", (1, 2), "this string is never closed"),
        ("\"\\q\"", (1, 2), "no such escape in a string"),
        ("\"\\u12x4\"", (1, 2), "`\\u` needs four hexadecimal digits"),
        ("\\", (1, 1), "this is no character"),
        (&deep, (1, 129), "brackets are nested more than 128 deep"),
        (&sets, (1, 258), "brackets are nested more than 128 deep"),
    ];
    for (text, (line, column), message) in cases {
        let error = values(text, Dialect::Edn).unwrap_err();
        assert!(error.message.starts_with(message), "{}", error.message);
        assert_eq!((error.place.line, error.place.column), (line, column), "{message}");
        assert!(error.place.excerpt.is_some() && !error.help.is_empty(), "{message}");
    }
    let error = values("{\"a\": b}", Dialect::Json).unwrap_err();
    assert_eq!(error.message, "`b` is no JSON");
    let mut reader = Reader::new(b"\"\xff\"", Dialect::Edn);
    assert_eq!(next(&mut reader).unwrap_err().message, "this string is no UTF-8 text");
    let mut reader = Reader::new(b" \xff", Dialect::Edn);
    assert_eq!(next(&mut reader).unwrap_err().message, "this is no UTF-8 text");
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for dialect in [Dialect::Edn, Dialect::Json] {
            let mut reader = Reader::new(&bytes, dialect);
            reader.enter_list();
            while let Ok(Some(_)) = reader.next() {}
        }
    }

    #[test]
    fn no_nearly_right_text_panics(text in r#"([\[\](){}#_^\\:;, \n"a-c0-9]|#_|\\u0041|nil){0,80}"#) {
        let _ = (values(&text, Dialect::Edn), values(&text, Dialect::Json));
    }
}
