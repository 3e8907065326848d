//! `hob explore` on programs whose transactions meet on the set of keys of a table.

use serde_json::{Value, json};

use crate::run::{Run, hob_on};

fn explore(program: &str, args: &str) -> Run {
    hob_on(&format!("explore - {args}"), program.as_bytes())
}

/// With `--json`: the exit code and the report, which is valid.
fn report(program: &str, args: &str) -> (i32, Value) {
    let run = explore(program, &format!("--json {args}"));
    (run.code, run.report("explore"))
}

/// Each of several sessions books the room if nobody has; a second one booked is a double booking.
fn booking(sessions: usize) -> String {
    let mut text = "table bookings(id, who)\n".to_owned();
    for s in 1..=sessions {
        text += &format!(
            "session s{s} {{ txn book {{ taken = len(select id from bookings)\n\
             if taken == 0 {{ insert bookings ({s}, {s}) }}\nreturn taken }} }}\n"
        );
    }
    text + "assert never double: s1.book.result == 0 and s2.book.result == 0\n"
}

#[test]
fn a_double_booking_is_not_disproved_below_serializability() {
    for sessions in [2, 3, 4] {
        for level in ["PSI", "SI"] {
            let run = explore(&booking(sessions), &format!("--level {level}"));
            assert_eq!(run.code, 3, "{sessions} at {level}: {}", run.out);
            let said = "s1/book and s2/book";
            assert!(run.out.contains(said) && run.out.contains("table `bookings`"), "{}", run.out);
            assert!(run.out.contains("--level serializable"), "{}", run.out);
            assert!(!run.out.contains("this is a proof"), "{}", run.out);
        }
        let run = explore(&booking(sessions), "--level SER");
        assert_eq!(run.code, 0, "{}", run.out);
        assert!(run.out.contains("this is a proof for this program"), "{}", run.out);
    }
    let (code, report) = report(&booking(3), "--level SI");
    assert_eq!((code, &report["assertions"][0]["verdict"]), (3, &json!("unknown")));
    assert_eq!(report["doubts"].as_array().map(Vec::len), Some(3));
    assert_eq!(report["doubts"][0]["transactions"], json!(["s1/book", "s2/book"]));
    assert_eq!(report["violations"], json!([]));
}

/// What one session inserts another does not lose.
const INSERTS: &str = "table t(id, n)\n\
    session a { txn add { insert t (1, 0) } }\n\
    session b { txn add { insert t (2, 0) } }\n\
    assert always both: last t == {1, 2}\n";

#[test]
fn no_inserted_row_is_lost() {
    for level in ["RC", "RA", "CC", "PC"] {
        let (code, report) = report(INSERTS, &format!("--level {level}"));
        let both = &report["assertions"][0];
        assert_eq!((code, &both["verdict"]), (3, &json!("unknown")), "{level}: {report}");
        assert_eq!(both["histories"], both["doubtful"], "{level}: {report}");
        let token = both["token"].as_str().expect("one is shown");
        let run = explore(INSERTS, &format!("--replay {token}"));
        assert_eq!(run.code, 3, "{}", run.out);
        assert!(run.out.contains("This history is doubtful"), "{}", run.out);
    }
    assert_eq!(report(INSERTS, "--level SER").0, 0);
    let three = INSERTS.replace("assert", "session c { txn add { insert t (3, 0) } }\nassert");
    let three = three.replace("{1, 2}", "{1, 2, 3}");
    assert_eq!(report(&three, "--level CC").0, 3);
}

#[test]
fn what_a_database_shows_too_is_broken() {
    // Both update one row, whatever becomes of the table they insert into.
    let lost = "init x = 0\ntable t(id, n)\n\
        session a { txn add { n = read x; write x n + 1; insert t (1, 0) } }\n\
        session b { txn add { n = read x; write x n + 1; insert t (2, 0) } }\n\
        assert always two: last x == 2\n";
    for level in ["RC", "CC", "PC"] {
        let (code, report) = report(lost, &format!("--level {level}"));
        assert_eq!((code, &report["assertions"][0]["verdict"]), (1, &json!("broken")), "{level}");
        assert_eq!(report["violations"][0].get("doubtful"), None, "{report}");
    }
    // At SI and PSI they cannot both commit, so nobody meets on the table only.
    for level in ["PSI", "SI"] {
        let (code, report) = report(lost, &format!("--level {level}"));
        assert_eq!((code, report.get("doubts")), (0, None), "{level}: {report}");
    }
}

#[test]
fn who_inserts_the_same_row_meets_on_the_row() {
    let seat = "table seats(seat, who)\n\
        session a { txn take { insert seats (12, 1) } }\n\
        session b { txn take { insert seats (12, 2) } }\n\
        session c { txn take { insert seats (12, 3) } }\n\
        assert never both: not a.take.aborted and not b.take.aborted\n";
    for level in ["PSI", "SI", "SER"] {
        assert_eq!(report(seat, &format!("--level {level}")).0, 0, "{level}");
    }
}

#[test]
fn tables_that_are_only_read_leave_no_doubt() {
    let read = "table t(id, n)\ninsert t (1, 5)\n\
        session a { txn add { update t set n = n + 1 where id == 1 } }\n\
        session b { txn look { return len(select id from t) } }\n\
        session c { txn look { return len(select * from t) } }\n\
        assert always one: b.look.result == 1 and c.look.result == 1\n";
    for level in ["RC", "RA", "CC", "PC", "PSI", "SI", "SER"] {
        let (code, report) = report(read, &format!("--level {level}"));
        assert_eq!((code, report.get("doubts")), (0, None), "{level}: {report}");
    }
    assert_eq!(report(read, "--find-level").1["weakest"], json!(["RC"]));
}

#[test]
fn levels_of_their_own_count() {
    let mixed = booking(2).replace("session s1 { txn book {", "session s1 { txn book(SI) {");
    assert_eq!(report(&mixed, "--level SER").0, 3);
    let mixed = booking(2).replace("txn book {", "txn book(SER) {");
    assert_eq!(report(&mixed, "--level RC").0, 0);
}

#[test]
fn the_weakest_level_is_not_known_below_serializability() {
    let (code, found) = report(&booking(2), "--find-level");
    assert_eq!((code, &found["weakest"], &found["complete"]), (3, &json!(["SER"]), &json!(false)));
    let levels = found["levels"].as_array().expect("a list");
    let verdict =
        |name: &str| &levels.iter().find(|l| l["level"] == name).expect("it is there")["verdict"];
    assert_eq!((verdict("SI"), verdict("SER")), (&json!("unknown"), &json!("holds")));
    let run = explore(&booking(2), "--find-level");
    assert!(run.out.contains("table `bookings`"), "{}", run.out);
    assert!(run.out.contains("known so far"), "{}", run.out);
}

#[test]
fn what_a_level_adds_is_in_doubt_too() {
    let (code, compared) = report(&booking(2), "--compare SI,SER");
    assert_eq!((code, &compared["compared"][0]["added"]), (3, &json!(0)), "{compared}");
    assert!(compared["compared"][0].get("doubts").is_some(), "{compared}");
    let run = explore(&booking(2), "--compare SI,SER");
    assert!(run.out.contains("table `bookings`"), "{}", run.out);
    // Two inserts that nobody looks at are serializable, in whatever order.
    let blind = INSERTS.replace("assert always both: last t == {1, 2}\n", "");
    let (_, compared) = report(&blind, "--compare CC,SER");
    assert_eq!(compared["compared"][0]["added"], json!(0), "{compared}");
}

#[test]
fn the_cart_needs_no_rows() {
    let run = crate::run::hob("explore examples/explore/cart.hob --find-level");
    assert_eq!(run.code, 0, "{}", run.out);
    assert!(run.out.contains("parallel snapshot isolation (PSI)."), "{}", run.out);
}
