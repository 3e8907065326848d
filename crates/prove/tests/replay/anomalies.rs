//! Anomalies that are confirmed, harmless, or explained after all.

use hobgoblin_core::Level;

use crate::{case, observed};

const BANK: &str = "
CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL);
-- transaction withdraw(p_id int, p_amount int) requires p_amount > 0
SELECT balance INTO bal FROM account WHERE id = p_id;
IF bal > p_amount THEN
  UPDATE account SET balance = bal - p_amount WHERE id = p_id;
END IF;
-- end
-- transaction add(p_id int, p_amount int)
UPDATE account SET balance = balance + p_amount WHERE id = p_id;
-- end
";

#[test]
fn a_lost_update_is_confirmed() {
    let lost = case(BANK).row("account", &[1, 10]).at(Level::RA, "withdraw", &[1, 3], &[]).at(
        Level::RA,
        "withdraw",
        &[1, 4],
        &[],
    );
    let outcome = lost.outcome();
    assert!(outcome.is_confirmed() && outcome.is_observed());
    assert!(!outcome.is_harmless_to_the_state());
    assert_eq!(observed(&outcome, 0), ["rows 10"]);
    assert_eq!(observed(&outcome, 1), ["rows 10"]);
    assert_eq!(lost.left("account"), "1 6");
}

#[test]
fn who_sees_the_other_comes_after_it() {
    let seen = case(BANK).row("account", &[1, 10]).at(Level::RA, "withdraw", &[1, 3], &[]).at(
        Level::RA,
        "withdraw",
        &[1, 4],
        &[0],
    );
    let outcome = seen.outcome();
    assert_eq!(outcome.explained_by, Some(vec![0, 1]));
    assert_eq!(observed(&outcome, 1), ["rows 7"]);
    assert_eq!(seen.left("account"), "1 3");
    // Nothing of the first is seen, and nothing of it is overwritten: the second may come first.
    let apart = case(BANK).row("account", &[1, 10]).at(Level::RA, "withdraw", &[1, 3], &[]).at(
        Level::RA,
        "withdraw",
        &[1, 20],
        &[],
    );
    assert_eq!(apart.outcome().explained_by, Some(vec![1, 0]));
}

#[test]
fn a_lost_update_may_be_harmless_to_the_state() {
    // Both withdraw nearly all. One after the other, the second finds too little, and the same is left.
    let harmless = case(BANK).row("account", &[1, 2]).at(Level::RA, "withdraw", &[1, 1], &[]).at(
        Level::RA,
        "withdraw",
        &[1, 1],
        &[],
    );
    let outcome = harmless.outcome();
    assert!(outcome.is_confirmed() && outcome.is_harmless_to_the_state());
    assert_eq!(outcome.left_by, Some(vec![0, 1]));
    assert_eq!(outcome.observed_in, None);
}

#[test]
fn an_update_that_returns_nothing_is_found_by_what_it_leaves() {
    let lost = case(BANK).row("account", &[1, 10]).at(Level::RA, "add", &[1, 3], &[]).at(
        Level::RA,
        "add",
        &[1, 4],
        &[],
    );
    let outcome = lost.outcome();
    assert!(outcome.is_confirmed() && !outcome.is_observed());
    assert!(!outcome.is_harmless_to_the_state());
    assert_eq!(lost.left("account"), "1 14");
}

const COURSES: &str = "
CREATE TABLE course   (id INT PRIMARY KEY, cap INT NOT NULL, n INT NOT NULL);
CREATE TABLE enrolled (student INT, course INT, PRIMARY KEY (student, course));
-- transaction AddCourse(p_c int, p_cap int)
IF NOT EXISTS (SELECT 1 FROM course WHERE id = p_c) THEN
  INSERT INTO course (id, cap, n) VALUES (p_c, p_cap, 0);
END IF;
-- end
-- transaction Enroll(p_s int, p_c int)
SELECT cap, n INTO v_cap, v_n FROM course WHERE id = p_c;
IF v_n IS NOT NULL AND v_n < v_cap THEN
  INSERT INTO enrolled (student, course) VALUES (p_s, p_c);
  UPDATE course SET n = v_n + 1 WHERE id = p_c;
END IF;
-- end
-- transaction RemCourse(p_c int)
IF NOT EXISTS (SELECT 1 FROM enrolled WHERE course = p_c) THEN
  DELETE FROM course WHERE id = p_c;
END IF;
-- end
";

#[test]
fn courses_are_added_twice_and_filled_beyond_their_capacity() {
    let twice = case(COURSES).at(Level::RA, "AddCourse", &[1, 5], &[]).at(
        Level::RA,
        "AddCourse",
        &[1, 7],
        &[],
    );
    let outcome = twice.outcome();
    assert!(outcome.is_confirmed());
    assert_eq!(observed(&outcome, 1), ["value t"]);
    let beyond = case(COURSES).row("course", &[1, 1, 0]).at(Level::RA, "Enroll", &[1, 1], &[]).at(
        Level::RA,
        "Enroll",
        &[2, 1],
        &[],
    );
    let outcome = beyond.outcome();
    assert!(outcome.is_confirmed());
    assert_eq!(beyond.left("enrolled"), "1 1, 2 1");
    // The rows of the composite key are apart, and both are there.
    let serial = case(COURSES).row("course", &[1, 2, 0]).at(Level::RA, "Enroll", &[1, 1], &[]).at(
        Level::RA,
        "Enroll",
        &[2, 1],
        &[0],
    );
    assert_eq!(serial.outcome().explained_by, Some(vec![0, 1]));
    let removed = case(COURSES).row("course", &[1, 1, 0]).at(Level::RA, "Enroll", &[1, 1], &[]).at(
        Level::RA,
        "RemCourse",
        &[1],
        &[],
    );
    assert!(removed.outcome().is_confirmed());
    assert_eq!(removed.left("course"), "");
}
