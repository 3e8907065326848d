//! Bodies with everything in them: aborts, loops, records, NULLs, errors, choices.

use hobgoblin_core::Level;
use hobgoblin_prove::replay::Outcome;
use hobgoblin_prove::scenario::Literal;

use crate::{Case, case, ints, observed};

/// One instance alone, which observes the same as serially: the interpreter agrees with itself, and this is what it saw.
fn alone(case: Case, name: &str, parameters: Vec<Literal>) -> (Case, Vec<String>) {
    let case = case.at_with(Level::RA, name, parameters, &[]);
    let outcome: Outcome = case.outcome();
    assert_eq!(outcome.explained_by, Some(vec![0]));
    let seen = observed(&outcome, 0);
    (case, seen)
}

const TABLE: &str = "CREATE TABLE t (k int PRIMARY KEY, v int);\n";

#[test]
fn what_is_aborted_leaves_nothing() {
    let text = format!(
        "{TABLE}-- transaction f(p int)
UPDATE t SET v = 7 WHERE k = 1;
IF p > 3 THEN RAISE EXCEPTION 'too much'; END IF;
-- end"
    );
    let (low, seen) = alone(case(&text).row("t", &[1, 0]), "f", ints(&[3]));
    assert_eq!((low.left("t").as_str(), seen.len()), ("1 7", 0));
    let (high, seen) = alone(case(&text).row("t", &[1, 0]), "f", ints(&[4]));
    assert_eq!((high.left("t").as_str(), seen), ("1 0", vec!["abort".to_owned()]));
    // Nobody sees what was aborted.
    let after =
        case(&text).row("t", &[1, 0]).at(Level::RA, "f", &[4], &[]).at(Level::RA, "f", &[4], &[0]);
    assert_eq!(after.outcome().explained_by, Some(vec![0, 1]));
}

#[test]
fn errors_of_the_database_are_observed() {
    let text = format!(
        "{TABLE}-- transaction ins(p int)
INSERT INTO t VALUES (p, 1);
-- end
-- transaction div(p int)
SELECT 10 / p INTO x;
UPDATE t SET v = x WHERE k = 1;
-- end"
    );
    let (left, seen) = alone(case(&text).row("t", &[1, 0]), "ins", ints(&[1]));
    assert_eq!((left.left("t").as_str(), seen), ("1 0", vec!["error 23505".to_owned()]));
    let (left, seen) = alone(case(&text).row("t", &[1, 0]), "div", ints(&[0]));
    assert_eq!((left.left("t").as_str(), seen), ("1 0", vec!["error 22012".to_owned()]));
    // Both insert the row: one of them would have to meet an error.
    let both = case(&text).at(Level::RA, "ins", &[5], &[]).at(Level::RA, "ins", &[5], &[]);
    assert!(both.outcome().is_confirmed());
    let seen = case(&text).at(Level::RA, "ins", &[5], &[]).at(Level::RA, "ins", &[5], &[0]);
    assert_eq!(observed(&seen.outcome(), 1), ["error 23505"]);
}

#[test]
fn loops_run_over_queries_arrays_and_numbers() {
    let text = format!(
        "{TABLE}-- transaction rows()
FOR r IN SELECT k, v FROM t WHERE v > 0 ORDER BY k DESC LOOP
  UPDATE t SET v = r.v * 10 + r.k WHERE k = r.k;
END LOOP;
-- end
-- transaction elements(p int[])
n := 0;
FOREACH e IN ARRAY p LOOP
  IF EXISTS (SELECT 1 FROM t WHERE k = e) THEN n := n + e; END IF;
END LOOP;
RETURN n;
-- end
-- transaction numbers(p int)
n := 0;
FOR i IN 1 .. p LOOP
  FOR j IN i .. p LOOP n := n + 1; END LOOP;
END LOOP;
RETURN n;
-- end
-- transaction members(p int[])
SELECT sum(v) INTO s FROM t WHERE k = ANY (p);
RETURN s;
-- end"
    );
    let filled = || case(&text).row("t", &[1, 4]).row("t", &[2, 0]).row("t", &[3, 5]);
    let (left, seen) = alone(filled(), "rows", Vec::new());
    assert_eq!(left.left("t"), "1 41, 2 0, 3 53");
    assert_eq!(seen, ["rows 3 5, 1 4"]);
    let array = || vec![Literal::IntArray(vec![3, 8, 1])];
    let (_, seen) = alone(filled(), "elements", array());
    assert_eq!(seen, ["value t", "value f", "value t", "return 4"]);
    let (_, seen) = alone(filled(), "members", array());
    assert_eq!(seen, ["rows 9", "return 9"]);
    let (_, seen) = alone(filled(), "numbers", ints(&[4]));
    assert_eq!(seen, ["return 10"]);
}

#[test]
fn nulls_go_where_values_go() {
    let text = format!(
        "{TABLE}-- transaction f(p int)
SELECT v INTO x FROM t WHERE k = p;
IF x IS NULL THEN RETURN -1; ELSIF x > 5 THEN RETURN x; END IF;
UPDATE t SET v = NULL WHERE k = p;
-- end"
    );
    let filled = || {
        let null = vec![Literal::Int(2), Literal::Null];
        case(&text).row("t", &[1, 3]).row_of("t", null).row("t", &[3, 9])
    };
    assert_eq!(alone(filled(), "f", ints(&[2])).1, ["rows null", "return -1"]);
    assert_eq!(alone(filled(), "f", ints(&[4])).1, ["rows null", "return -1"]);
    assert_eq!(alone(filled(), "f", ints(&[3])).1, ["rows 9", "return 9"]);
    let (left, seen) = alone(filled(), "f", ints(&[1]));
    assert_eq!((left.left("t").as_str(), seen), ("1 null, 2 null, 3 9", vec!["rows 3".to_owned()]));
}

#[test]
fn functions_with_declarations_found_and_returning() {
    let text = "
CREATE TABLE orders (w int, d int, o int, total numeric(8, 2), PRIMARY KEY (w, d, o));
CREATE FUNCTION pay(p_w int, p_d int, p_amount numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
  v_total numeric(8, 2);
  v_whole numeric(8, 0) := 0;
  r record;
BEGIN
  UPDATE orders SET total = total + p_amount WHERE w = p_w AND d = p_d AND o = 1
    RETURNING total INTO v_total;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  v_whole := v_total;
  FOR r IN SELECT o, total FROM orders WHERE w = p_w LOOP
    v_whole := v_whole + r.o;
  END LOOP;
  PERFORM 1 FROM orders WHERE w = p_w AND total > v_whole;
  IF FOUND THEN v_total := v_total * 2; END IF;
  RETURN v_total + v_whole;
END $$;
";
    let order = |o: i64, numerator: i64| {
        let mut row = ints(&[1, 2, o]);
        row.push(Literal::Decimal(numerator, 4));
        row
    };
    let filled = || case(text).row_of("orders", order(1, 5)).row_of("orders", order(2, 400));
    let pay = |amount| vec![Literal::Int(1), Literal::Int(2), amount];
    let (left, seen) = alone(filled(), "pay", pay(Literal::Decimal(1, 3)));
    // 1.25 + 1/3 is 1.58 in the column, 2 as a whole number, and 5 with both numbers; 100 is more than that.
    assert_eq!(left.left("orders"), "1 2 1 1.58, 1 2 2 100.00");
    assert_eq!(seen, ["found true", "rows 1.58", "rows 1 1.58, 2 100.00", "rows 1", "return 8.16"]);
    let other = vec![Literal::Int(1), Literal::Int(3), Literal::Int(1)];
    assert_eq!(alone(filled(), "pay", other).1, ["found false", "rows ", "return null"]);
}

#[test]
fn choices_dates_and_texts_are_what_the_scenario_says() {
    let text = "
CREATE TABLE log (id int PRIMARY KEY, at timestamp, day date, who text, tag uuid);
-- transaction note(p_id int, p_day date, p_who text)
INSERT INTO log VALUES (p_id, now(), p_day, p_who, NULL);
SELECT count(*) INTO n FROM log WHERE day < p_day AND who = p_who;
RETURN n + choose();
-- end
";
    let parameters = vec![Literal::Int(7), Literal::Int(31), Literal::Text("it's\\".to_owned())];
    let mut noted = case(text)
        .row_of(
            "log",
            vec![
                Literal::Int(1),
                Literal::Int(60),
                Literal::Int(2),
                Literal::Text("it's\\".to_owned()),
                Literal::Text("a".to_owned()),
            ],
        )
        .at_with(Level::RA, "note", parameters, &[]);
    noted.scenario.instances[0].choices = ints(&[3600, 40]);
    let outcome = noted.outcome();
    assert_eq!(outcome.explained_by, Some(vec![0]));
    assert_eq!(observed(&outcome, 0), ["rows 1", "return 41"]);
    assert_eq!(
        noted.left("log"),
        "1 2000-01-01 00:01:00 2000-01-03 it's\\ 0cc175b9-c0f1-b6a8-31c3-99e269772661, \
         7 2000-01-01 01:00:00 2000-02-01 it's\\ null"
    );
}

#[test]
fn insert_select_case_and_upserts() {
    let text = format!(
        "{TABLE}CREATE TABLE u (k int PRIMARY KEY, v int);
-- transaction copy(p int)
INSERT INTO u (k, v) SELECT k, v + p FROM t WHERE v IS NOT NULL;
-- end
-- transaction put(p int, q int)
INSERT INTO t VALUES (p, q) ON CONFLICT (k) DO UPDATE SET v = t.v + excluded.v;
CASE p WHEN 1, 2 THEN RETURN 12; ELSE RETURN 0; END CASE;
-- end"
    );
    let filled = || {
        let null = vec![Literal::Int(2), Literal::Null];
        case(&text).row("t", &[1, 3]).row_of("t", null)
    };
    let (left, _) = alone(filled(), "copy", ints(&[4]));
    assert_eq!(left.left("u"), "1 7");
    let (left, seen) = alone(filled(), "put", ints(&[1, 5]));
    assert_eq!((left.left("t").as_str(), seen), ("1 8, 2 null", vec!["return 12".to_owned()]));
    let (left, seen) = alone(filled(), "put", ints(&[3, 5]));
    assert_eq!((left.left("t").as_str(), seen), ("1 3, 2 null, 3 5", vec!["return 0".to_owned()]));
}

#[test]
fn rows_that_refer_to_others_come_after_them() {
    let text = "
CREATE TABLE child (id int PRIMARY KEY, parent int);
CREATE TABLE parent (id int PRIMARY KEY, boss int REFERENCES parent (id));
CREATE TABLE kid (id int PRIMARY KEY, parent int REFERENCES parent (id));
-- transaction fire(p int)
DELETE FROM parent WHERE id = p;
-- end
";
    let filled = || {
        let first = vec![Literal::Int(1), Literal::Null];
        case(text).row("kid", &[5, 2]).row("parent", &[2, 1]).row_of("parent", first)
    };
    assert_eq!(alone(filled(), "fire", ints(&[2])).1, ["error 23503"]);
}

#[test]
fn what_the_clock_chooses_confirms_nothing() {
    let text = "
CREATE TABLE log (id int PRIMARY KEY, at timestamp DEFAULT now());
CREATE TABLE free (id int PRIMARY KEY, n int);
-- transaction note(p int)
INSERT INTO log (id) VALUES (p);
-- end
-- transaction chosen(p int)
INSERT INTO free VALUES (p, choose());
-- end
";
    let noted = case(text).at(Level::RA, "note", &[1], &[]).at(Level::RA, "note", &[2], &[]);
    let outcome = noted.outcome();
    assert!(outcome.executed.unforced && !outcome.is_confirmed() && !outcome.is_observed());
    let (chosen, _) = alone(case(text), "chosen", ints(&[5]));
    assert_eq!(chosen.left("free"), "5 0");
    assert!(!chosen.outcome().executed.unforced);
}

/// Each notes how many came before.
const NOTES: &str = "
CREATE TABLE log (id ID, before int);
CREATE TABLE counter (id int PRIMARY KEY, n int);
-- transaction note(p int)
SELECT n INTO v FROM counter WHERE id = 1;
UPDATE counter SET n = v + p WHERE id = 1;
INSERT INTO log (before) VALUES (v);
-- end
-- transaction look(p int)
INSERT INTO log (before) VALUES (p) RETURNING id INTO v;
-- end
";

#[test]
fn who_gets_which_value_of_a_sequence_is_chance() {
    for id in ["serial PRIMARY KEY", "int GENERATED ALWAYS AS IDENTITY PRIMARY KEY"] {
        let text = NOTES.replace("ID", id);
        let two = || case(&text).row("counter", &[1, 0]);
        // The second misses the first: an update is lost, whatever numbers the notes have.
        let lost = two().at(Level::RA, "note", &[1], &[]).at(Level::RA, "note", &[2], &[]);
        assert!(lost.outcome().is_confirmed(), "{:?}", lost.outcome());
        assert!(!lost.outcome().executed.unforced);
        // The second sees the first.
        let seen = two().at(Level::RA, "note", &[1], &[]).at(Level::RA, "note", &[2], &[0]);
        assert!(!seen.outcome().is_confirmed());
        // Neither minds the other: all orders explain it, though each has another number in the other order.
        let looks = two().at(Level::RA, "look", &[1], &[]).at(Level::RA, "look", &[2], &[]);
        assert!(!looks.outcome().is_confirmed() && !looks.outcome().is_observed());
    }
}

#[test]
fn a_sequence_goes_on_after_the_rows_there_are() {
    let text = NOTES.replace("ID", "serial PRIMARY KEY");
    let filled = case(&text).row("counter", &[1, 0]).row("log", &[7, 0]);
    let noted = filled.at(Level::RA, "note", &[1], &[]);
    assert_eq!(noted.left("log"), "7 0, 8 0");
}
