//! What programs in text do when they run.

use std::sync::Mutex;

use hobgoblin_core::Level;
use hobgoblin_explore::{
    ExploreError, Found, Options, Outcome, Program, Quantifier, explore, parse,
};
use hobgoblin_format::{Format, write};

fn program(source: &str) -> Program {
    parse(source, "a.hob").unwrap_or_else(|error| panic!("{error}\n{}\n{source}", error.help))
}

/// What the last transaction of the first session returned in each end, sorted, each once.
fn results(source: &str, level: Level) -> Result<Vec<String>, ExploreError> {
    let program = program(source);
    let last = program.sessions()[0].txns.len() - 1;
    let seen = Mutex::new(Vec::new());
    explore(&program, &Options::new(level), &|end: &hobgoblin_explore::End<'_>| {
        let text = match end.outcome(0, last) {
            Outcome::Committed(value) => value.to_string(),
            Outcome::Aborted => "aborted".to_owned(),
        };
        seen.lock().unwrap().push(text);
    })?;
    let mut seen = seen.into_inner().unwrap();
    seen.sort();
    seen.dedup();
    Ok(seen)
}

const DATA: &str = "
    init x = 1, y = 2, name = \"ada\", some = [1, 2], few = {3, 1}
    init c[1] = 10, c[2] = 20
    keys absent, any[*], pair[*, *]
    table t(id, n, who)
    insert t (1, 10, \"a\")
    insert t (2, 20, \"b\")
    insert t (3, 30, \"b\")
";

/// What a transaction of these statements returns, alone in the database.
fn returned(statements: &str) -> Result<String, ExploreError> {
    let source = format!("{DATA}\nsession s {{ txn a {{ {statements} }} }}");
    results(&source, Level::SER).map(|mut all| {
        assert_eq!(all.len(), 1, "{statements}");
        all.remove(0)
    })
}

#[test]
fn expressions_and_statements_mean_what_they_say() {
    let cases = [
        ("return 1 + 2 * 3 - 4", "3"),
        ("return (1 + 2) * 3 % 4", "1"),
        ("return -7 / 2", "-3"),
        ("a = 5; return -a", "-5"),
        ("return 1 < 2 and not 2 < 1 or false", "true"),
        ("return not 1 == 2", "true"),
        ("return !(1 in [1])", "false"),
        ("return 3 in {1, 2}", "false"),
        ("a = \"b\"; return a + 1 + \"c\"", "\"b1c\""),
        ("return \"a\" < \"b\"", "true"),
        ("return [1, [2], \"x\", null, true]", "[1,[2],\"x\",null,true]"),
        ("return {3, 1, 3}", "{\"set\":[1,3]}"),
        ("return {}", "{\"set\":[]}"),
        ("return {1, 2} + {3} - {1}", "{\"set\":[2,3]}"),
        ("return read some + [3]", "[1,2,3]"),
        ("return read some == [1, 2] and read few == {1, 3}", "true"),
        ("return (read some)[1]", "2"),
        ("a = read some; return a[len(a) - 1]", "2"),
        (
            "return [append([1], 2), remove([1, 2, 1], 1), append({1}, 1)]",
            "[[1,2],[2,1],{\"set\":[1]}]",
        ),
        ("return [first([]), first([7]), min({4, 3}), max([4, 9]), sum([1, 2])]", "[null,7,3,9,3]"),
        ("return [len(\"äb\"), contains([1], 1), text(12) + text([1])]", "[2,true,\"12[1]\"]"),
        ("return read name", "\"ada\""),
        ("return read absent", "null"),
        ("return [read any[7], read any[\"k\"], read pair[1, 2]]", "[null,null,null]"),
        ("a = 1; write c[a + 1] 5; return read c[2] + read c[a]", "15"),
        ("write x read x + 1; return read x", "2"),
        ("write x [1]; return read x", "[1]"),
        ("write x = 3; return read x", "3"),
        ("let a = 1; if a == 1 { return \"one\" } else { return \"other\" }", "\"one\""),
        ("a = 3; if a == 1 { b = 1 } else if a == 3 { b = 2 } else { b = 3 }; return b", "2"),
        ("if false { a = 1 }\nreturn a", "null"),
        ("s = 0; for i in [1, 2, 3] { s = s + i }; return s", "6"),
        ("s = []; for i in {3, 1} { s = append(s, i) }; return s", "[1,3]"),
        ("for i in [1, 2] { if i == 2 { return i } }", "2"),
        ("n = 0; repeat 4 { n = n + 2 }; return n", "8"),
        ("n = 0; while n < 5 { n = n + 1 }; return n", "5"),
        ("repeat -1 { abort }", "null"),
        ("write x 5; abort", "aborted"),
        ("return", "null"),
        ("", "null"),
        // Tables.
        ("return select id from t", "[1,2,3]"),
        ("return select n from t where who == \"b\"", "[20,30]"),
        ("return select n, id from t where n > 10 and id < 3", "[{\"id\":2,\"n\":20}]"),
        ("return first(select * from t where id == 3).n", "30"),
        ("k = 2; return select * from t where k == id", "[{\"id\":2,\"n\":20,\"who\":\"b\"}]"),
        ("return select n from t where id == 9", "[]"),
        ("insert t (4, 0, \"c\"); return len(select id from t)", "4"),
        ("insert t (3, 0, \"c\")", "aborted"),
        ("delete t where n > 10; return select id from t", "[1]"),
        ("delete from t; return select id from t", "[]"),
        ("delete t where id == 2; insert t (2, 5, \"z\"); return select n from t", "[10,5,30]"),
        (
            "update t set n = n + id, who = \"z\" where who == \"b\"; return select n from t",
            "[10,22,33]",
        ),
        ("update t set n = 0 where id == 9; return sum(select n from t)", "60"),
        ("r = first(select id, n from t); return r.id + r.n", "11"),
        (
            "ids = []; for r in select * from t where n in [10, 30] { ids = append(ids, r.id) }\nreturn ids",
            "[1,3]",
        ),
    ];
    for (statements, value) in cases {
        assert_eq!(returned(statements).as_deref(), Ok(value), "{statements}");
    }
}

#[test]
fn faults_name_the_transaction_and_the_line() {
    let cases = [
        ("a = 0\nreturn 1 / a", "divides 1 by zero (a.hob:11:8)"),
        ("a = 0; return 7 % a", "divides 7 by zero"),
        ("a = 9223372036854775807; return a + 1", "overflows: 9223372036854775807 + 1"),
        ("a = -9223372036854775807 - 1; return -a", "overflows"),
        ("a = -9223372036854775807 - 1; return a / -1", "overflows"),
        (
            "while true { a = 1 }",
            "a million steps and goes on; does it loop forever? (a.hob:10:21)",
        ),
        ("while true { a = read x }", "does it loop forever?"),
        ("repeat 9223372036854775807 { }", "does it loop forever?"),
        ("a = \"ab\"; repeat 1000 { a = a + a }", "makes a value that is too large"),
        ("a = [1]; repeat 1000 { a = [a, a] }", "makes a value that is too large"),
        ("a = [1]; while true { a = [a] }", "makes a value that is too large"),
        ("a = 3; return read c[a]", "reads c:3, which the program never declares"),
        ("a = 3; write c[a] 1", "writes c:3, which the program never declares"),
        ("a = [1]; return read any[a]", "has a list as an index of `any`"),
        ("a = \"1:2\"; return read pair[a, 3]", "`:` separates"),
        ("return read absent + 1", "computes null + an integer"),
        ("if read x { abort }", "takes an integer for true or false"),
        ("return (read some)[2]", "asks for element 2 of 2"),
        ("return (read x)[0]", "asks an integer for the element"),
        ("return (read x).n", "asks an integer for `n`"),
        ("for i in read x { }", "goes through an integer, not a list"),
        ("repeat read name { }", "repeats a string times"),
        ("return sum([read name])", "sums up a string"),
        ("return len(read x)", "takes an integer for a list or set"),
        ("return 1 in read x", "looks for an element in an integer"),
    ];
    for (statements, what) in cases {
        let error = returned(statements).expect_err(statements).to_string();
        assert!(error.starts_with("session s, transaction a: "), "{error}");
        assert!(error.contains(what), "{statements}: {error}");
        assert!(error.contains("(a.hob:1"), "{error}");
    }
}

#[test]
fn sessions_remember_variables_and_results() {
    let source = "
        init x = 5
        proc take(n) { a = read x; if a < n { abort }; write x a - n; return a - n }
        session s {
            var seen = 0
            one = take(2)
            txn look { seen = seen + one.result; b = one.a }
            two = take(seen + look.b)
            txn tell { return [seen, one.result, one.aborted, look.b, two.aborted, two.a, two.result] }
        }
        assert always seen: s.seen == 3 and s.one.a == 5 and s.one.n == 2 and s.look.b == 5
        assert always results: s.one.result == 3 and not s.one.aborted and s.two.aborted
        assert always nothing: s.two.result == null and s.two.a == 3
        assert always final: last x == 3
    ";
    let told = results(source, Level::SER).unwrap();
    assert_eq!(told, ["[3,3,false,5,true,3,null]"]);
    assert_eq!(broken(source, Level::SER), Vec::<String>::new());
}

/// The assertions that do not hold.
fn broken(source: &str, level: Level) -> Vec<String> {
    let program = program(source);
    let held = Mutex::new(vec![(0_u64, 0_u64); program.assertions().len()]);
    explore(&program, &Options::new(level), &|end: &hobgoblin_explore::End<'_>| {
        for (at, assertion) in program.assertions().iter().enumerate() {
            let holds = (assertion.holds)(end).unwrap_or_else(|what| panic!("{what}"));
            let mut held = held.lock().unwrap();
            if holds {
                held[at].0 += 1;
            } else {
                held[at].1 += 1;
            }
        }
    })
    .unwrap_or_else(|error| panic!("{error}"));
    let held = held.into_inner().unwrap();
    let broken =
        program.assertions().iter().zip(held).filter(|(assertion, (holds, fails))| match assertion
            .quantifier
        {
            Quantifier::Always => *fails > 0,
            Quantifier::Never => *holds > 0,
            Quantifier::Exists => *holds == 0,
        });
    broken.map(|(assertion, _)| assertion.name.clone()).collect()
}

#[test]
fn assertions_are_broken_by_the_levels_that_allow_it() {
    let source = "
        init x = 0, y = 0
        session one { txn t { a = read y; write x 1; return a } }
        session two { txn t { a = read x; write y 1; return a } }
        assert never skew: one.t.a == 0 and two.t.result == 0
        assert always both: last x == 1 and last y == 1
        assert exists first: two.t.a == 1
        assert exists nonsense: one.t.a == 2
    ";
    assert_eq!(broken(source, Level::SI), ["skew", "nonsense"]);
    assert_eq!(broken(source, Level::SER), ["nonsense"]);
}

#[test]
fn levels_of_transactions_are_their_own() {
    let source = |procs: &str, call: &str| {
        format!(
            "init x = 0\nproc add() {procs} {{ a = read x; write x a + 1 }}\n\
                 session one {{ add(){call} }}\nsession two {{ txn add(SER) {{ a = read x; write x a + 1 }} }}\n\
                 assert always both: last x == 2"
        )
    };
    let program = program(&source("level CC", ""));
    let levels: Vec<_> = program.sessions().iter().map(|session| session.txns[0].level).collect();
    assert_eq!(levels, [Some(Level::CC), Some(Level::SER)]);
    assert_eq!(broken(&source("level CC", ""), Level::SER), ["both"]);
    assert_eq!(broken(&source("level CC", " level serializable"), Level::CC), Vec::<String>::new());
}

/// The events of a transaction of these statements, alone in the database.
fn events(statements: &str) -> String {
    let source = format!("{DATA}\nsession s {{ txn a {{ {statements} }} }}");
    let written = Mutex::new(Vec::new());
    explore(&program(&source), &Options::new(Level::CC), &|end: &hobgoblin_explore::End<'_>| {
        let mut out = written.lock().unwrap();
        write(&end.history(), Format::Txn, &mut *out).unwrap();
    })
    .unwrap();
    let text = String::from_utf8(written.into_inner().unwrap()).unwrap();
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn statements_read_the_set_variable_and_the_rows_they_need() {
    let cases = [
        ("a = select n from t where id == 2", "r(t) r(t:2)"),
        ("a = select n from t where n > 10 and id == 1 + 1", "r(t) r(t:2)"),
        ("a = select n from t where id == 9", "r(t)"),
        ("a = select id from t where id > 1", "r(t)"),
        ("a = select n from t where id > 2", "r(t) r(t:1) r(t:2) r(t:3)"),
        ("insert t (4, 0, \"c\")", "r(t) w(t) w(t:4)"),
        ("insert t (3, 0, \"c\")", "r(t)"),
        ("delete t where id == 2", "r(t) w(t)"),
        ("delete t where n == 20", "r(t) r(t:1) r(t:2) r(t:3) w(t)"),
        ("delete t where id == 9", "r(t)"),
        ("update t set n = 0 where id == 2", "r(t) r(t:2) w(t:2)"),
        ("update t set n = 0 where n > 10", "r(t) r(t:1) r(t:2) w(t:2) r(t:3) w(t:3)"),
    ];
    for (statements, expected) in cases {
        let line = events(statements);
        // Of `r(t)={"set":[1]}` only what is before the value.
        let found: Vec<_> = line
            .split(' ')
            .filter(|word| word.starts_with("r(") || word.starts_with("w("))
            .map(|word| word.split('=').next().unwrap_or_default().replace('"', ""))
            .collect();
        assert_eq!(found.join(" "), expected, "{statements}: {line}");
    }
}

#[test]
fn closed_forms_hold_for_text_too() {
    let source = "
        init x = 0
        proc add() { a = read x; write x a + 1 }
        session a { add() } session b { add() } session c { add() } session d { add() }
    ";
    let source = source.replace(" session", "\nsession");
    let count = |level| -> Found {
        explore(&program(&source), &Options::new(level), &|_: &hobgoblin_explore::End<'_>| {})
            .unwrap()
    };
    assert_eq!(count(Level::CC).histories, 125);
    assert_eq!(count(Level::SER).histories, 24);
}

#[test]
fn programs_can_be_cut() {
    let source = "
        init x = 0
        proc add() { a = read x; write x a + 1 }
        session a { add(); add() }
        session b { last = add(); add() }
        assert always fine: last x > 0
    "
    .replace("last = add()", "final = add()");
    let cut = program(&source).truncated(1, 1);
    assert_eq!((cut.sessions().len(), cut.sessions()[0].txns.len()), (1, 1));
    assert!(cut.assertions().is_empty());
    let found = explore(&cut, &Options::new(Level::CC), &|_: &hobgoblin_explore::End<'_>| {});
    assert_eq!(found.unwrap().histories, 1);
}
