//! Which cycles count as anomalies: those that show, in what an instance can tell or in what is left. Each of these was found
//! by the comparison with the explorer.

use hobgoblin_prove::analysis::{Anomaly, Dependency, Domain, Options, analyse};
use hobgoblin_prove::read::read;
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::{Conflicts, Level, Specification};

/// The anomalies of two instances, or nothing if there is no solver.
fn anomalies(text: &str, level: Level) -> Option<Vec<Anomaly>> {
    anomalies_by(Conflicts::Fields, text, level)
}

fn anomalies_by(conflicts: Conflicts, text: &str, level: Level) -> Option<Vec<Anomaly>> {
    let solver = match Solver::find(None) {
        Ok(solver) => solver,
        Err(error) => {
            eprintln!("skipped: {error}");
            return None;
        }
    };
    let program = read("shown.sql", text).expect("the program can be read");
    let mut specification = Specification::all(program.transactions.len(), level);
    specification.conflicts = conflicts;
    let mut options = Options::new(&hobgoblin_sql::POSTGRES);
    options.instances = 2;
    options.domain = Some(Domain { keys: 2, parameters: 2, values: 2 });
    options.proofs = false;
    let found = analyse(&program, &specification, &options, &solver, &mut |_, _| {}, &|| false);
    let found = found.expect("the solver answers");
    assert_eq!(found.undecided, Vec::new());
    for anomaly in &found.anomalies {
        assert_eq!(anomaly.visible, anomaly.is_confirmed(), "{:?}", anomaly.replayed);
    }
    Some(found.anomalies)
}

/// The transactions of those that are confirmed.
fn confirmed(text: &str, level: Level) -> Option<Vec<Vec<usize>>> {
    let anomalies = anomalies(text, level)?;
    let confirmed = anomalies.iter().filter(|anomaly| anomaly.is_confirmed());
    let transactions = confirmed.map(|anomaly| {
        let mut all: Vec<usize> =
            anomaly.scenario.instances.iter().map(|instance| instance.transaction).collect();
        all.sort_unstable();
        all
    });
    Some(transactions.collect())
}

#[test]
fn a_write_skew_of_filters_shows_in_what_is_left() {
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL, d int NOT NULL);
-- transaction one()
UPDATE t SET c = 1 WHERE a = 0 AND d = 0;
-- end
-- transaction two()
UPDATE t SET d = 1 WHERE a = 0 AND c = 0;
-- end
";
    let Some(found) = confirmed(text, Level::Si) else { return };
    assert_eq!(found, [vec![0, 1]]);
}

#[test]
fn a_change_that_finds_no_row_shows_in_what_is_left() {
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
CREATE TABLE u (a int PRIMARY KEY, d int NOT NULL);
-- transaction change()
UPDATE t SET c = 1 WHERE a = 0;
UPDATE u SET d = 1 WHERE a = 0;
-- end
-- transaction fill()
SELECT d INTO v FROM u WHERE a = 0;
INSERT INTO t VALUES (0, 5);
-- end
";
    let Some(found) = confirmed(text, Level::Si) else { return };
    assert_eq!(found, [vec![0, 1]]);
}

#[test]
fn a_lost_update_that_is_overwritten_does_not_show() {
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
-- transaction twice()
UPDATE t SET c = c + 1 WHERE a = 0;
UPDATE t SET c = 0 WHERE a = 0;
-- end
";
    let Some(found) = anomalies(text, Level::Cc) else { return };
    assert_eq!(found.len(), 1);
    assert!(!found[0].visible);
}

#[test]
fn a_subquery_of_a_change_is_asked_only_if_there_is_a_row() {
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
CREATE TABLE u (a int PRIMARY KEY);
-- transaction change(p int)
UPDATE t SET c = (SELECT count(*) FROM u) WHERE a = 0 AND 0 = 1;
INSERT INTO u VALUES (p);
-- end
";
    let Some(found) = anomalies(text, Level::Si) else { return };
    assert_eq!(found.len(), 0);
}

#[test]
fn a_change_computes_all_rows_before_it_writes_one() {
    // The sum is two for both rows of a group; three for the second, if the first had been written before.
    let text = "CREATE TABLE t (g int, a int, c int NOT NULL, PRIMARY KEY (g, a));
CREATE TABLE u (a int PRIMARY KEY);
-- invariant t: c = 1 AND a >= 0 AND a <= 1
-- transaction total(p int)
UPDATE t SET c = (SELECT sum(c) FROM t WHERE g = p) WHERE g = p;
IF EXISTS (SELECT 1 FROM t WHERE g = p AND c > 2) AND NOT EXISTS (SELECT 1 FROM u) THEN
  INSERT INTO u VALUES (p);
END IF;
-- end
";
    let Some(found) = anomalies(text, Level::Si) else { return };
    assert!(!found.iter().any(|anomaly| anomaly.visible), "{found:?}");
}

#[test]
fn runs_that_do_not_come_by_a_statement_are_compared_all_the_same() {
    // Who comes after the first finds no row, and plainly does not come by the first SELECT.
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
-- transaction look()
IF EXISTS (SELECT 1 FROM t WHERE a = 0) THEN
  SELECT c INTO v FROM t WHERE a = 1;
END IF;
IF EXISTS (SELECT 1 FROM t WHERE a = 1) THEN
  UPDATE t SET c = c + 1 WHERE a = 1;
END IF;
DELETE FROM t WHERE a = 0;
-- end
";
    let Some(found) = confirmed(text, Level::Cc) else { return };
    assert_eq!(found, [vec![0, 0]]);
}

#[test]
fn a_dependency_has_the_statement_that_ran() {
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
-- invariant t: c = 0
-- transaction step()
SELECT c INTO v FROM t WHERE a = 0;
IF v = 0 THEN
  UPDATE t SET c = 5 WHERE a = 0;
ELSE
  UPDATE t SET c = 6 WHERE a = 0;
END IF;
-- end
";
    let Some(found) = anomalies(text, Level::Cc) else { return };
    assert_eq!(found.len(), 1);
    for step in &found[0].steps {
        assert_eq!(step.kind, Dependency::ReadWrite);
        assert_eq!(
            text[step.places.1.range()].trim_end_matches(';'),
            "UPDATE t SET c = 5 WHERE a = 0"
        );
    }
}

#[test]
fn a_lost_update_is_told_before_a_write_skew() {
    // Each overwrites what the other read, of two rows: either row alone shows it.
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
-- transaction both()
SELECT c INTO v FROM t WHERE a = 0;
SELECT c INTO w FROM t WHERE a = 1;
UPDATE t SET c = w + 1 WHERE a = 1;
UPDATE t SET c = v + 1 WHERE a = 0;
-- end
-- transaction swap()
SELECT c INTO w FROM t WHERE a = 1;
SELECT c INTO v FROM t WHERE a = 0;
UPDATE t SET c = v + 2 WHERE a = 0;
UPDATE t SET c = w + 2 WHERE a = 1;
-- end
";
    let Some(found) = anomalies(text, Level::Cc) else { return };
    assert_eq!(found.len(), 3);
    for anomaly in &found {
        let cells: Vec<_> = anomaly.steps.iter().map(|step| (&step.key, step.column)).collect();
        assert_eq!(cells[0], cells[1]);
    }
}

#[test]
fn fractions_have_as_many_digits_as_columns_keep() {
    let transfer = |most: &str| {
        format!(
            "CREATE TABLE account (id int PRIMARY KEY, balance numeric(12, 2) NOT NULL);
-- transaction transfer(p_from int, p_to int, p_amount numeric)
-- requires p_amount > 0 AND p_amount < {most} AND p_from <> p_to
SELECT balance INTO v_from FROM account WHERE id = p_from;
SELECT balance INTO v_to FROM account WHERE id = p_to;
IF v_from >= p_amount AND v_from < {most} THEN
  UPDATE account SET balance = v_from - p_amount WHERE id = p_from;
  UPDATE account SET balance = v_to + p_amount WHERE id = p_to;
END IF;
-- end
"
        )
    };
    let Some(found) = confirmed(&transfer("0.02"), Level::Cc) else { return };
    assert_eq!(found, [vec![0, 0]]);
    // Less than a cent is nothing.
    let Some(found) = anomalies(&transfer("0.01"), Level::Cc) else { return };
    assert_eq!(found.len(), 0);
}

#[test]
fn a_generated_key_does_not_hide_a_lost_update() {
    let text = "CREATE TABLE product (id int PRIMARY KEY, stock int NOT NULL);
CREATE TABLE reservation (id serial PRIMARY KEY, product int NOT NULL);
-- transaction reserve(p int)
SELECT stock INTO v FROM product WHERE id = p;
IF v > 0 THEN
  INSERT INTO reservation (product) VALUES (p);
  UPDATE product SET stock = v - 1 WHERE id = p;
END IF;
-- end
";
    for level in [Level::Mvrc, Level::Cc] {
        let Some(found) = confirmed(text, level) else { return };
        assert_eq!(found, [vec![0, 0]]);
    }
}

#[test]
fn a_result_does_not_tell_which_row_it_is_of() {
    // Serially, the one that comes second finds the row of the first.
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
-- invariant t: c = 0
-- transaction move(p int)
SELECT c FROM t;
DELETE FROM t WHERE a <> p;
INSERT INTO t VALUES (p, 0) ON CONFLICT DO NOTHING;
-- end
";
    // The helper asserts that a replay agrees with the solver.
    let Some(found) = anomalies(text, Level::Cc) else { return };
    assert_eq!(found.len(), 1);
}

#[test]
fn a_row_that_is_refused_is_refused_also_where_another_is_there() {
    for (constraint, value) in [("NOT NULL", "NULL"), ("CHECK (c < 5)", "7")] {
        for conflict in ["DO NOTHING", "(a) DO UPDATE SET c = t.c + 1"] {
            let text = format!(
                "CREATE TABLE t (a int PRIMARY KEY, c int {constraint});
-- transaction fill()
INSERT INTO t VALUES (0, {value}) ON CONFLICT {conflict};
UPDATE t SET c = c + 1 WHERE a = 1;
-- end
"
            );
            let Some(found) = anomalies(&text, Level::Cc) else { return };
            assert_eq!(found.len(), 0, "nobody commits: {text}");
        }
    }
}

#[test]
fn an_upsert_that_updates_has_found_a_row() {
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
-- transaction fill()
INSERT INTO t VALUES (0, 1) ON CONFLICT (a) DO UPDATE SET c = 1;
IF NOT FOUND THEN
  UPDATE t SET c = c + 1 WHERE a = 1;
END IF;
-- end
";
    let Some(found) = confirmed(text, Level::Cc) else { return };
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn who_inserts_a_unique_value_waits_for_who_did() {
    let text = "CREATE TABLE person (id int PRIMARY KEY, name text NOT NULL UNIQUE);
-- transaction register(p int, n text)
IF NOT EXISTS (SELECT 1 FROM person WHERE name = n) THEN
  INSERT INTO person VALUES (p, n);
END IF;
-- end
";
    // The second fails, and what fails leaves nothing.
    let Some(found) = confirmed(text, Level::Mvrc) else { return };
    assert!(found.is_empty(), "{found:?}");
    let Some(found) = anomalies_by(Conflicts::Rows, text, Level::Si) else { return };
    assert!(!found.iter().any(Anomaly::is_confirmed), "{found:?}");
    let Some(found) = confirmed(&text.replace(" UNIQUE", ""), Level::Mvrc) else { return };
    assert_eq!(found, [vec![0, 0]]);
}

#[test]
fn who_writes_a_row_in_a_database_sees_who_wrote_it() {
    let columns = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL, d int NOT NULL);
-- transaction one()
SELECT d INTO v FROM t WHERE a = 0;
UPDATE t SET c = v + 1 WHERE a = 0;
-- end
-- transaction two()
SELECT c INTO v FROM t WHERE a = 0;
UPDATE t SET d = v + 1 WHERE a = 0;
-- end
";
    let deleted = "CREATE TABLE job (id int PRIMARY KEY, status int NOT NULL);
-- transaction fail(p int)
SELECT status INTO v FROM job WHERE id = p;
IF v = 0 THEN
  UPDATE job SET status = 1 WHERE id = p;
END IF;
-- end
-- transaction finish(p int)
DELETE FROM job WHERE id = p AND status = 0;
-- end
";
    for text in [columns, deleted] {
        for level in [Level::Psi, Level::Si] {
            let Some(found) = anomalies_by(Conflicts::Rows, text, level) else { return };
            assert_eq!(found.len(), 0, "{level}: {text}");
            let Some(found) = confirmed(text, level) else { return };
            assert_eq!(found, [vec![0, 1]], "{level}: {text}");
        }
    }
}

#[test]
fn read_committed_beside_snapshots_is_run_too() {
    let text = "CREATE TABLE t (a int PRIMARY KEY, c int NOT NULL);
CREATE TABLE u (a int PRIMARY KEY, c int NOT NULL);
-- transaction one(n int) requires n > 0
SELECT c INTO v FROM t WHERE a = 0;
UPDATE t SET c = v + n WHERE a = 0;
-- end
-- transaction two()
SELECT c INTO v FROM t WHERE a = 0;
SELECT c INTO w FROM u WHERE a = 0;
UPDATE t SET c = v + w WHERE a = 0;
-- end
-- transaction three(n int)
SELECT c INTO v FROM t WHERE a = 0;
UPDATE u SET c = v + n WHERE a = 0;
-- end
";
    let Some(solver) = Solver::find(None).ok() else { return };
    let program = read("mixed.sql", text).expect("the program can be read");
    for snapshot in [Level::Si, Level::Ser] {
        let mut specification = Specification::all(3, snapshot);
        specification.levels[0] = Level::Mvrc;
        let mut options = Options::new(&hobgoblin_sql::POSTGRES);
        options.instances = 3;
        options.proofs = false;
        let found = analyse(&program, &specification, &options, &solver, &mut |_, _| {}, &|| false);
        let found = found.expect("the solver answers");
        assert!(found.anomalies.len() > 1, "{snapshot}");
        for anomaly in found.anomalies.iter().filter(|anomaly| anomaly.visible) {
            assert!(
                anomaly.is_confirmed(),
                "{snapshot}: {:?} {:?}",
                anomaly.scenario,
                anomaly.replayed
            );
        }
        let mixed = found.anomalies.iter().any(|anomaly| {
            let instances = &anomaly.scenario.instances;
            instances.iter().any(|one| one.transaction == 0)
                && instances.iter().any(|one| one.transaction != 0)
        });
        assert!(mixed, "{snapshot}");
    }
}
