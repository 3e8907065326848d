//! Who waits for whom, as `information_schema` and SHOW PROCESSLIST tell it on both sides.

use hobgoblin_sql_mysql_types::Version;

use crate::lanes::{Answer, Lane, hob_lane};
use crate::order::Step;
use crate::play::{Played, play};
use crate::{database, mariadb};

/// What is there before.
const SETUP: [&str; 3] = [
    "create table q (id int primary key, v int, k int, key(k))",
    "create table e (id int primary key)",
    "insert into q values (1, 1, 1), (2, 2, 2), (5, 5, 5)",
];

/// The session that only looks; MariaDB makes these tables anew after a tenth of a second.
const OBSERVER: usize = 6;

/// What it looks at. Numbers of transactions and connections differ, and so does the state of a query that waits.
const LOOKS: [&str; 5] = [
    "do sleep(0.2)",
    "select trx_state, trx_query, trx_operation_state, trx_isolation_level, trx_unique_checks, \
     trx_foreign_key_checks, trx_is_read_only, trx_autocommit_non_locking, \
     trx_wait_started is null, trx_requested_lock_id is null, trx_last_foreign_key_error \
     from information_schema.innodb_trx order by trx_mysql_thread_id",
    "select r.trx_query, b.trx_query, r.trx_requested_lock_id = w.requested_lock_id \
     from information_schema.innodb_lock_waits w \
     join information_schema.innodb_trx r on r.trx_id = w.requesting_trx_id \
     join information_schema.innodb_trx b on b.trx_id = w.blocking_trx_id \
     order by r.trx_mysql_thread_id, b.trx_mysql_thread_id",
    "select lock_mode, lock_type, lock_index, lock_data, count(*) \
     from information_schema.innodb_locks group by 1, 2, 3, 4 order by 1, 2, 3, 4",
    "select command, state, info from information_schema.processlist \
     where info like '% q %' and info not like '%select%' order by id",
];

/// One script: what sessions say, and after which of it somebody looks.
fn scripts() -> Vec<Vec<(usize, &'static str)>> {
    let looks = || LOOKS.into_iter().map(|sql| (OBSERVER, sql));
    let mut queue = vec![
        (0, "begin"),
        (1, "begin"),
        (1, "select count(*) from e"),
        (0, "update q set v = v + 1 where id = 1"),
        (2, "update q set v = v + 10 where id = 1"),
        (3, "begin"),
        (3, "delete from q where id = 1"),
        (4, "set session transaction isolation level read committed"),
        (4, "update q set v = 7 where id = 1"),
    ];
    queue.extend(looks());
    queue.push((0, "commit"));
    queue.extend(looks());
    queue.extend([(3, "rollback"), (1, "commit")]);
    queue.extend(looks());
    let mut inserts = vec![
        (0, "begin"),
        (0, "insert into q values (7, 7, 7)"),
        (1, "set foreign_key_checks = 0"),
        (1, "insert into q values (7, 8, 8)"),
        (2, "insert into e select id from q where id = 7 for update"),
    ];
    inserts.extend(looks());
    inserts.extend([(0, "rollback")]);
    inserts.extend(looks());
    vec![queue, inserts]
}

fn steps(script: &[(usize, &str)]) -> Vec<Step> {
    script.iter().map(|(session, sql)| (*session, (*sql).to_owned())).collect()
}

fn here(script: &[Step]) -> Vec<Played> {
    let database = database(Version::MariaDb10_11);
    let mut setup = crate::session(&database, "setup");
    for sql in SETUP {
        let answer = crate::ask(&mut setup, sql);
        assert!(matches!(answer, Answer::Done(_)), "{sql}: {answer}");
    }
    let mut lanes: Vec<Lane> =
        (0..=OBSERVER).map(|at| hob_lane(&database, &format!("s{at}"), &[])).collect();
    play(&mut lanes, script)
}

fn there(server: &mariadb::Server, script: &[Step]) -> Vec<Played> {
    let mut client = server.client();
    client.ask("drop table if exists q, e");
    for sql in SETUP {
        assert!(matches!(client.ask(sql), Answer::Done(_)), "{sql}");
    }
    let mut lanes: Vec<Lane> = (0..=OBSERVER).map(|_| server.lane("repeatable read")).collect();
    play(&mut lanes, script)
}

#[test]
fn those_who_wait_are_told_as_by_mariadb() {
    let Some(server) = mariadb::Server::start() else { return };
    let mut differ = Vec::new();
    for script in scripts() {
        let script = steps(&script);
        let (theirs, ours) = (there(&server, &script), here(&script));
        for ((step, theirs), ours) in script.iter().zip(&theirs).zip(&ours) {
            if theirs != ours {
                let (theirs, ours) = (&theirs.answer, &ours.answer);
                differ.push(format!("{}: {}\n  {theirs}\n  {ours}", step.0, step.1));
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
