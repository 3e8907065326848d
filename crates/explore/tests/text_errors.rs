//! Every mistake in a program is told with its place and the next step, and none makes the parser panic.

use std::io;
use std::path::Path;

use hobgoblin_explore::{TextError, parse, parse_with};

fn error(source: &str) -> Box<TextError> {
    match parse(source, "a.hob") {
        Err(error) => error,
        Ok(_) => panic!("this is right: {source}"),
    }
}

/// A session with one transaction of these statements.
fn txn(statements: &str) -> String {
    format!("init x = 0; init c[1] = 0; table t(id, n)\nsession s {{ txn a {{\n{statements}\n}} }}")
}

#[test]
fn mistakes_are_told_with_line_and_column() {
    let cases = [
        // Characters.
        ("init x = 'a'", "1:10", "'\\'' has no meaning here", "double quotes"),
        ("init x = \"a\ninit y = 0", "1:10", "this string does not end", "same line"),
        (r#"init x = "\q""#, "1:11", "this escape has no meaning", "there are"),
        ("init x = 99999999999999999999", "1:10", "this integer is too large", "64 bits"),
        ("init x = 1 & 2", "1:12", "'&' has no meaning here", "write `and`"),
        // Declarations.
        ("inti x = 0", "1:1", "expected a declaration, found `inti`", "did you mean `init`?"),
        ("42", "1:1", "expected a declaration, found `42`", "a program consists of use, init"),
        ("init x 0", "1:8", "expected `=`, found `0`", "init x = 0"),
        ("init x = 0 y = 1", "1:12", "expected the end of the statement, found `y`", "`;`"),
        ("init x =", "1:9", "expected an expression, found the end of the file", "a + 1"),
        ("init x = 0, x = 1", "1:13", "the key `x` is declared twice", "remove one"),
        ("init c[1] = 0\ninit c[1] = 1", "2:6", "the key `c:1` is declared twice", "remove one"),
        ("init c[1] = 0\ninit c[1, 2] = 1", "2:6", "`c` has 1 indexes, not 2", "as many"),
        (
            "init c[\"1\"] = 0",
            "1:6",
            "this key has the string \"1\" as an index",
            "integers or strings",
        ),
        ("init c[] = 0", "1:6", "this key has no index", "cart[1]"),
        ("init x = read x", "1:10", "`read` belongs into a transaction", "constants"),
        ("init x = y", "1:10", "there is no variable `y`", "constants"),
        ("init x = 1 / 0", "1:10", "this expression divides 1 by zero", "correct it"),
        ("init x = 9223372036854775807 + 1", "1:10", "this expression overflows", "correct it"),
        ("init if = 1", "1:6", "`if` is a keyword and cannot name anything", "another name"),
        ("table t()", "1:7", "the table `t` has no columns", "primary key"),
        ("table t(a, a)", "1:12", "there is another column `a`", "another name"),
        ("init t = 0\ntable t(a)", "2:7", "`t` is a key already", "another name"),
        ("table t(a, b)\ninsert t (1)", "2:8", "`t` has 2 columns, not 1", "its columns are a, b"),
        ("table t(a)\ninsert t (1)\ninsert t (1)", "3:8", "`t` has another row 1", "once"),
        (
            "table items(a)\ninsert item (1)",
            "2:8",
            "there is no table `item`",
            "did you mean `items`?",
        ),
        (
            "table t(a)\ninsert t ([1])",
            "2:8",
            "this row has a list as an index",
            "integers or strings",
        ),
        ("keys c[1]", "1:8", "expected `*`, found `1`", "keys cart[*]"),
        ("proc p(a, a) {}", "1:11", "there is another parameter `a`", "another name"),
        ("proc p() level XX {}", "1:16", "there is no level `XX`", "levels are RU, RC"),
        ("proc p() level SRE {}", "1:16", "there is no level `SRE`", "the levels are"),
        ("proc p() {}\nproc p() {}", "2:6", "`p` is a procedure already", "another name"),
        ("proc p() {", "1:11", "expected a statement, found the end of the file", "assignment"),
        // Sessions.
        ("session s { p() }", "1:13", "there is no procedure `p`", "declare it: `proc p"),
        ("proc add(n) {}\nsession s { ad(1) }", "2:13", "there is no procedure `ad`", "`add`?"),
        ("proc add(n) {}\nsession s { add() }", "2:13", "`add` takes 1 arguments, not 0", "add(n)"),
        ("proc p() {}\nsession s { p() p() }", "2:17", "expected the end of the statement", "`;`"),
        ("session s {}\nsession s {}", "2:9", "there is another session `s`", "another name"),
        ("session s { txn a {}; txn a {} }", "1:27", "has another transaction `a`", "its own name"),
        ("session s { var v = 1; var v = 2 }", "1:28", "there is another variable `v`", "another"),
        ("session s { write x 1 }", "1:13", "`write` is a keyword", "another name"),
        ("session s { 7 }", "1:13", "expected a transaction, found `7`", "calls such as"),
        (
            "proc p(n) {}\nsession s { p(read x) }",
            "2:15",
            "`read` belongs into a",
            "in a transaction",
        ),
        ("session s { txn a(XX) {} }", "1:19", "there is no level `XX`", "levels are"),
        // Assertions.
        (
            "assert maybe a: true",
            "1:8",
            "expected `always`, `never` or `exists`",
            "always positive",
        ),
        ("assert always a: 1", "1:18", "this is an integer, not true or false", "compare it"),
        ("assert always a: s.t.v == 1", "1:18", "there is no session `s`", "session.transaction"),
        (
            "session s { txn t {} }\nassert always a: s.u.v == 1",
            "2:20",
            "has no transaction `u`",
            "`t`?",
        ),
        (
            "session s { txn t { value = 1 } }\nassert always a: s.t.valu == 1",
            "2:22",
            "`t` has no variable `valu`",
            "`value`?",
        ),
        (
            "proc p() {}\nsession s { p(); p() }\nassert never a: s.p.aborted",
            "3:19",
            "session `s` has several transactions `p`",
            "first = p(...)",
        ),
        ("init x = 0\nassert always a: read x == 0", "2:18", "`read` belongs into a", "last x"),
        ("init x = 0\nassert always a: x == 0", "2:18", "there is no variable `x`", "`last x`"),
        ("assert always a: last y == 0", "1:23", "there is no key `y`", "declare it"),
        (
            "assert always a: true\nassert never a: false",
            "2:14",
            "another assertion `a`",
            "another",
        ),
    ];
    for (source, place, message, help) in cases {
        check(source, place, message, help);
    }
}

#[test]
fn mistakes_in_transactions_are_told_with_line_and_column() {
    let cases = [
        ("a = read y", "3:10", "there is no key `y`", "did you mean `c`?"),
        ("a = read xs", "3:10", "there is no key `xs`", "did you mean `x`?"),
        ("a = b", "3:5", "there is no variable `b`", "assign it first"),
        ("count = 1; a = coumt", "3:16", "there is no variable `coumt`", "did you mean `count`?"),
        ("a = x", "3:5", "there is no variable `x`", "write `read x`"),
        ("x = 1", "3:1", "`x` is a key, not a variable", "write x"),
        ("read x", "3:1", "`read` is a keyword", "another name"),
        ("write x", "4:1", "expected a value, found `}`", "write x 1"),
        ("write x\n1", "4:1", "expected a value, found `1`", "write x 1"),
        ("write x[1] 2", "3:7", "`x` is one key, without indexes", "(read x)[...]"),
        ("write c 2", "3:7", "`c` has 1 indexes, not 0", "as many"),
        ("write c[2] 2", "3:7", "there is no key `c:2`", "keys c[*]"),
        ("write t 1", "3:7", "`t` is a table", "insert"),
        ("a = read t", "3:10", "`t` is a table", "select * from t"),
        ("a = last x", "3:5", "`last` belongs into an assertion", "`read`"),
        ("abrot", "4:1", "expected `=`, found `}`", "did you mean `abort`?"),
        ("a = 1 + true", "3:5", "`+` does not go with an integer and a boolean", "adds integers"),
        ("a = [1] - [1]", "3:5", "`-` does not go with a list and a list", "sets"),
        ("a = 1 < \"b\"", "3:5", "`<` does not go with an integer and a string", "integers"),
        ("a = 1 in 2", "3:5", "`in` does not go with an integer and an integer", "element"),
        ("a = 1 < 2 < 3", "3:11", "comparisons do not chain", "a < b and b < c"),
        ("if 1 { }", "3:4", "this is an integer, not true or false", "compare it"),
        ("if read x { abort } else { 1 }", "3:28", "expected a statement, found `1`", "assignment"),
        ("for i in 3 { }", "3:10", "this is an integer, not a list or set", "lists are"),
        ("repeat [] { }", "3:8", "this is a list, not an integer", "n - 1"),
        ("a = [1][2]", "3:5", "this expression asks for element 2 of 1", "correct it"),
        ("a = -\"b\"", "3:6", "this is a string, not an integer", "n - 1"),
        ("a = lenn([1])", "3:5", "there is no function `lenn`", "did you mean `len`?"),
        ("a = foobar(1)", "3:5", "there is no function `foobar`", "the functions are len"),
        ("a = len()", "3:5", "`len` takes 1 arguments, not 0", "docs/explore.md"),
        ("a = sum(1)", "3:9", "this is an integer, not a list or set", "lists are"),
        ("insert u (1)", "3:8", "there is no table `u`", "did you mean `t`?"),
        ("insert x (1)", "3:8", "`x` is a key, not a table", "read"),
        ("insert t (1)", "3:8", "`t` has 2 columns, not 1", "id, n"),
        ("a = select m from t", "3:12", "`t` has no column `m`", "did you mean `n`?"),
        ("a = select n t", "3:14", "expected `from`, found `t`", "select id"),
        ("a = select n from t where m == 1", "3:27", "there is no variable `m`", "`n`?"),
        (
            "n = 1; a = select n from t where n == 1",
            "3:34",
            "`n` is a column of `t` and a var",
            "another",
        ),
        ("update t set id = 3", "3:14", "`id` is the primary key and does not change", "insert"),
        ("update t set m = 3", "3:14", "`t` has no column `m`", "`n`?"),
        ("update t where id == 3", "3:10", "expected `set`, found `where`", "update items"),
        ("a = 1 b = 2", "3:7", "expected the end of the statement, found `b`", "`;`"),
        ("a = (1", "4:1", "expected `)`, found `}`", "close"),
        ("a = [1 2]", "3:8", "expected `,` or `]`, found `2`", "commas"),
        ("a = if", "3:5", "expected an expression, found `if`", "a + 1"),
    ];
    for (statements, place, message, help) in cases {
        check(&txn(statements), place, message, help);
    }
}

#[track_caller]
fn check(source: &str, place: &str, message: &str, help: &str) {
    let error = error(source);
    let found = format!("{}:{}", error.line, error.column);
    assert_eq!(found, place, "{source}\n{}", error.message);
    assert!(error.message.contains(message), "{source}\n{}", error.message);
    assert!(error.help.contains(help), "{source}\n{}\n{}", error.message, error.help);
    let begin =
        source.split_inclusive('\n').take(error.line as usize - 1).map(str::len).sum::<usize>();
    assert_eq!(begin + error.column as usize - 1, error.span.start, "{source}");
    let line = source.lines().nth(error.line as usize - 1).unwrap_or_default();
    assert_eq!(error.excerpt, Some((line.trim_end().to_owned(), 1)), "{source}");
}

#[test]
fn deep_nesting_is_an_error_and_overflows_nothing() {
    let many = 30_000;
    let cases = [
        format!("init x = {}1{}", "(".repeat(many), ")".repeat(many)),
        format!("init x = {}", "[".repeat(many)),
        format!("init x = {}1", "-".repeat(many)),
        format!("init x = {}true", "not ".repeat(many)),
        format!("init x = 1{}", " + 1".repeat(many)),
        format!("init x = 1{}", " + (1".repeat(many)),
        format!("proc p(a) {{ b = a{} }}", ".a".repeat(many)),
        format!("proc p(a) {{ b = a{} }}", "[0]".repeat(many)),
        format!("proc p() {{ {}", "if true {".repeat(many)),
        format!("proc p() {{ {}", "while true { repeat 2 {".repeat(many)),
    ];
    for source in cases {
        let message = error(&source).message;
        assert!(message.contains("nested more than 100 deep"), "{message}");
    }
    let chain = format!("proc p(a) {{ if a {{ }} {} }}", "else if a { }".repeat(10_000));
    assert!(parse(&chain, "a.hob").is_ok());
    let large = " ".repeat(2 << 20);
    assert!(error(&large).message.contains("more than 1048576 bytes"));
}

fn files(path: &Path) -> io::Result<String> {
    let text = match path.to_str() {
        Some("d/app.hob") => "init x = 0\nproc p() { write x 1 }\nsession own { p() }",
        Some("d/again.hob") => "use \"app.hob\"\nuse \"app.hob\"\ninit y = 0",
        Some("d/one.hob") => "use \"two.hob\"",
        Some("d/two.hob") => "\nuse \"one.hob\"",
        Some("d/bad.hob") => "init a = 0\ninit b =",
        Some("d/me.hob") => "use \"me.hob\"",
        _ => return Err(io::Error::new(io::ErrorKind::NotFound, "no such file")),
    };
    Ok(text.to_owned())
}

#[test]
fn files_are_used_once_without_their_sessions() {
    let source = "use \"again.hob\"; use \"app.hob\"\nsession s { p(); txn a { write y 1 } }";
    let program =
        parse_with(source, "d/main.hob", &files).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<_> = program.sessions().iter().map(|session| session.name.as_str()).collect();
    assert_eq!(names, ["s"]);
    assert_eq!(program.initial().len(), 2);
}

#[test]
fn mistakes_in_used_files_are_told_there() {
    let cases = [
        (
            "use \"one.hob\"",
            "d/two.hob:2:5: \"one.hob\" uses this file, directly or through others",
        ),
        ("use \"me.hob\"", "d/me.hob:1:5: \"me.hob\" uses this file, directly or through others"),
        ("use \"none.hob\"", "d/main.hob:1:5: cannot read d/none.hob: no such file"),
        ("use \"bad.hob\"", "d/bad.hob:2:9: expected an expression, found the end of the file"),
        ("\nuse \"app.hob\"\ninit x = 1", "d/main.hob:3:6: the key `x` is declared twice"),
    ];
    for (source, told) in cases {
        let error = parse_with(source, "d/main.hob", &files).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(told));
    }
}

/// A small deterministic generator (xorshift), so that failures come again.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

#[test]
fn mutated_programs_never_make_the_parser_panic() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/explore");
    let mut texts: Vec<String> =
        vec![txn("a = read x; for i in [1] { write c[i] a }\nreturn {a, 1}")];
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "hob") {
            texts.push(std::fs::read_to_string(path).unwrap());
        }
    }
    let pieces = [
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "\\",
        "\n",
        ";",
        ",",
        ".",
        "=",
        "==",
        "-",
        "read ",
        "write ",
        "where ",
        "select ",
        "if ",
        "else ",
        "#",
        "9223372036854775807",
        "0",
        " / 0",
        "ü",
        "\u{0}",
        "level ",
        "last ",
        "use \"x\"\n",
        "null",
        "not ",
        "in ",
        "txn ",
        "session ",
        "assert always ",
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut wrong, rounds) = (0, 4000);
    for round in 0..rounds {
        let mut text = texts[round % texts.len()].clone();
        for _ in 0..=random.below(3) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let from = places[random.below(places.len())];
            let to = places.get(random.below(places.len())).copied().unwrap_or(from).max(from);
            let to = if random.below(4) == 0 { to } else { from };
            text.replace_range(from..to, pieces[random.below(pieces.len())]);
        }
        let missing = |_: &Path| Err(io::Error::new(io::ErrorKind::NotFound, "no such file"));
        if let Err(error) = parse_with(&text, "a.hob", &missing) {
            wrong += 1;
            assert!(error.line > 0 && error.column > 0 && !error.message.is_empty(), "{error:?}");
            assert!(text.get(error.span.clone()).is_some(), "{error:?}");
        }
    }
    assert!(wrong > rounds / 2, "only {wrong} of {rounds} were wrong");
}
