//! Read committed as databases have it: instances take turns, statement by statement.

use hobgoblin_prove::replay::ReplayError;

use crate::{case, observed};

const BANK: &str = "
CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL);
-- transaction withdraw(p_id int, p_amount int)
SELECT balance INTO bal FROM account WHERE id = p_id;
IF bal > p_amount THEN
  UPDATE account SET balance = bal - p_amount WHERE id = p_id;
END IF;
-- end
-- transaction twice(p_id int)
SELECT balance INTO a FROM account WHERE id = p_id;
SELECT balance INTO b FROM account WHERE id = p_id;
RETURN b - a;
-- end
-- transaction give_up(p_id int)
UPDATE account SET balance = 0 WHERE id = p_id;
RAISE EXCEPTION 'no';
-- end
";

#[test]
fn a_lost_update_between_two_statements() {
    let lost = case(BANK)
        .row("account", &[1, 10])
        .taking_turns("withdraw", &[1, 3])
        .taking_turns("withdraw", &[1, 4])
        .turns("0 1 0 0c 1 1c");
    let outcome = lost.outcome();
    assert!(outcome.is_confirmed() && !outcome.is_harmless_to_the_state());
    assert_eq!(lost.left("account"), "1 6");
    let serial = case(BANK)
        .row("account", &[1, 10])
        .taking_turns("withdraw", &[1, 3])
        .taking_turns("withdraw", &[1, 4])
        .turns("1 1 1c 0 0 0c");
    assert_eq!(serial.outcome().explained_by, Some(vec![1, 0]));
}

#[test]
fn each_statement_sees_what_is_committed() {
    let read = case(BANK)
        .row("account", &[1, 10])
        .taking_turns("twice", &[1])
        .taking_turns("withdraw", &[1, 4])
        .turns("0 1 1 1c 0 0c");
    let outcome = read.outcome();
    assert!(outcome.is_confirmed() && outcome.is_harmless_to_the_state());
    assert_eq!(observed(&outcome, 0), ["rows 10", "rows 6", "return -4"]);
}

#[test]
fn who_would_wait_is_an_error_of_the_scenario() {
    let waits = case(BANK)
        .row("account", &[1, 10])
        .taking_turns("withdraw", &[1, 3])
        .taking_turns("withdraw", &[1, 4])
        .turns("0 1 0 1 0c 1c");
    let start = std::time::Instant::now();
    let error = waits.error();
    assert!(matches!(error, ReplayError::Waits { instance: 1, .. }), "{error}");
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn who_gives_up_lets_its_locks_go() {
    let gone = case(BANK)
        .row("account", &[1, 10])
        .taking_turns("give_up", &[1])
        .taking_turns("withdraw", &[1, 4])
        .turns("1 0 0c 1 1c");
    let outcome = gone.outcome();
    assert_eq!(outcome.explained_by, Some(vec![0, 1]));
    assert_eq!(observed(&outcome, 0), ["abort"]);
}

#[test]
fn turns_that_do_not_fit_are_told() {
    let told = |turns: &str| {
        let filled = case(BANK).row("account", &[1, 10]).taking_turns("withdraw", &[1, 3]);
        filled.turns(turns).error().to_string()
    };
    assert!(told("0 0c").contains("instance 0 has statements left when it commits"));
    assert!(told("0 0 0 0c").contains("instance 0 has no statement left"));
    assert!(told("0 0 0c 0").contains("instance 0 goes on after its commit"));
    assert!(told("0 0").contains("instance 0 does not commit"));
    assert!(told("1").contains("there is no instance 1"));
}
