//! Repairs are tried, and the weakest levels suffice: what is advised is analysed again here.

use hobgoblin_prove::advice::{Advice, Change, advise};
use hobgoblin_prove::analysis::{Analysis, Options, Questions, analyse_with};
use hobgoblin_prove::program::Program;
use hobgoblin_prove::read::read;
use hobgoblin_prove::smt::Solver;
use hobgoblin_prove::specification::{Level, Specification};

fn advised(program: &Program, level: Level, offered: &[Level]) -> (Analysis, Advice) {
    let solver = Solver::find(None).unwrap();
    let mut options = Options::new(&hobgoblin_sql::POSTGRES);
    options.instances = 2;
    let specification = Specification::all(program.transactions.len(), level);
    let mut progress = |_: usize, _: &str| ();
    let questions = Questions::new(&solver, &options, &mut progress, &|| false);
    let analysis = analyse_with(program, &specification, &options, &questions).unwrap();
    let advice = advise(program, &specification, &analysis, offered, &options, &questions).unwrap();
    (analysis, advice)
}

const DATABASES: [Level; 3] = [Level::Mvrc, Level::Si, Level::Ser];

#[test]
fn a_lost_update_has_three_repairs() {
    let text = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
-- transaction withdraw(p int, n int) requires n > 0
SELECT balance INTO b FROM account WHERE id = p;
IF b >= n THEN
  UPDATE account SET balance = b - n WHERE id = p;
END IF;
-- end
";
    let program = read("bank.sql", text).unwrap();
    let (analysis, advice) = advised(&program, Level::Mvrc, &DATABASES);
    assert_eq!(analysis.anomalies.len(), 1);
    let place = program.transactions[0].body[0].place;
    assert_eq!(
        advice.repairs,
        [[
            vec![Change::Promote { transaction: 0, place }],
            vec![Change::Raise { transaction: 0, level: Level::Si }],
            vec![Change::Materialise { transactions: (0, 0) }],
        ]]
    );
    let weakest = advice.weakest.unwrap();
    assert_eq!(weakest.levels, [Level::Si]);
    assert!(weakest.analysis.proof.is_some());
    // The file changed as advised has no anomaly.
    let promoted = text.replace("WHERE id = p;\nIF", "WHERE id = p FOR UPDATE;\nIF");
    let (analysis, _) = advised(&read("bank.sql", &promoted).unwrap(), Level::Mvrc, &[]);
    assert!(analysis.anomalies.is_empty());
}

#[test]
fn a_write_skew_needs_more_than_snapshots() {
    let text = "CREATE TABLE doctor (id int PRIMARY KEY, on_call bool NOT NULL);
-- transaction leave(me int, other int) requires me <> other
SELECT on_call INTO stays FROM doctor WHERE id = other;
IF stays THEN
  UPDATE doctor SET on_call = false WHERE id = me;
END IF;
-- end
";
    let program = read("doctors.sql", text).unwrap();
    let (analysis, advice) = advised(&program, Level::Si, &DATABASES);
    assert_eq!(analysis.anomalies.len(), 1);
    assert!(analysis.anomalies[0].is_confirmed());
    let place = program.transactions[0].body[0].place;
    assert!(advice.repairs[0].contains(&vec![Change::Promote { transaction: 0, place }]));
    let serial = vec![Change::Raise { transaction: 0, level: Level::Ser }];
    assert!(advice.repairs[0].contains(&serial), "{:?}", advice.repairs);
    assert_eq!(advice.weakest.unwrap().levels, [Level::Ser]);
}

#[test]
fn only_those_are_raised_that_must_be() {
    let text = "CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE note (id int PRIMARY KEY, body text NOT NULL);
-- transaction count_up(p int)
SELECT n INTO v FROM counter WHERE id = p;
UPDATE counter SET n = v + 1 WHERE id = p;
-- end
-- transaction write_note(p int, what text)
UPDATE note SET body = what WHERE id = p;
-- end
";
    let program = read("two.sql", text).unwrap();
    let (_, advice) = advised(&program, Level::Mvrc, &DATABASES);
    let weakest = advice.weakest.unwrap();
    assert_eq!(weakest.levels, [Level::Si, Level::Mvrc]);
    let (_, advice) = advised(&program, Level::Ec, &[Level::Ec, Level::Cc, Level::Psi, Level::Ser]);
    assert_eq!(advice.weakest.unwrap().levels, [Level::Psi, Level::Ec]);
}

#[test]
fn where_one_change_does_not_help_two_are_made() {
    let text = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
-- transaction up(p int)
SELECT n INTO v FROM t WHERE id = p;
UPDATE t SET n = v + 1 WHERE id = p;
-- end
-- transaction double(p int)
SELECT n INTO v FROM t WHERE id = p;
UPDATE t SET n = v * 2 WHERE id = p;
-- end
";
    let program = read("both.sql", text).unwrap();
    let (analysis, advice) = advised(&program, Level::Mvrc, &DATABASES);
    let both = analysis.anomalies.iter().position(|anomaly| {
        anomaly.scenario.instances[0].transaction != anomaly.scenario.instances[1].transaction
    });
    let repairs = &advice.repairs[both.unwrap()];
    let levels = [0, 1].map(|transaction| Change::Raise { transaction, level: Level::Si });
    assert!(repairs.contains(&levels.to_vec()), "{repairs:?}");
    let reads = [0, 1].map(|at| Change::Promote {
        transaction: at,
        place: program.transactions[at].body[0].place,
    });
    assert!(repairs.contains(&reads.to_vec()), "{repairs:?}");
}
