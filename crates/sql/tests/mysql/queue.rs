//! Who waits for whom, as sessions of the same server see it.

use std::time::{Duration, Instant};

use hobgoblin_sql::mysql::session::Session;
use hobgoblin_sql_mysql_types::Version;

use crate::support::{check, connect, server, told, waits};

/// Asks until that is the answer.
fn until(session: &mut Session, sql: &str, wanted: &str) {
    let start = Instant::now();
    while told(session, sql) != wanted {
        assert!(start.elapsed() < Duration::from_secs(20), "{sql}: {}", told(session, sql));
        std::thread::sleep(Duration::from_millis(1));
    }
}

const TRANSACTIONS: &str = "select trx_mysql_thread_id, trx_state, trx_query \
                            from information_schema.innodb_trx order by trx_id";

#[test]
fn a_queue_is_told() {
    for version in [Version::MariaDb10_11, Version::MySql9_7] {
        let server = server(version);
        let mut observer = connect(&server);
        check(
            &mut observer,
            &[
                ("create table t (id int primary key, v int)", "0"),
                ("insert into t values (1, 1), (2, 2)", "2"),
            ],
        );
        let mut holder = connect(&server);
        check(&mut holder, &[("begin", "0"), ("update t set v = 5 where id = 1", "1")]);
        let asked = [
            "update t set v = v + 1 where id = 1",
            "delete from t where id = 1",
            "insert into t values (1, 7)",
        ];
        let mut ids = vec![holder.id()];
        let mut waiting = Vec::new();
        for sql in asked {
            let session = connect(&server);
            ids.push(session.id());
            waiting.push(waits(&server, session, sql));
        }
        let waiter = |at: usize| format!("{},LOCK WAIT,{}", ids[at], asked[at - 1]);
        let wanted = format!("[{},RUNNING,NULL {} {} {}]", ids[0], waiter(1), waiter(2), waiter(3));
        check(&mut observer, &[(TRANSACTIONS, &wanted)]);
        // Each waits for all who came before it.
        let pairs = "select r.trx_mysql_thread_id, b.trx_mysql_thread_id \
                     from information_schema.innodb_lock_waits w \
                     join information_schema.innodb_trx r on r.trx_id = w.requesting_trx_id \
                     join information_schema.innodb_trx b on b.trx_id = w.blocking_trx_id \
                     where r.trx_requested_lock_id = w.requested_lock_id order by 1, 2";
        let pair = |waiter: usize, blocker: usize| format!("{},{}", ids[waiter], ids[blocker]);
        let wanted = [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)].map(|(w, b)| pair(w, b));
        check(&mut observer, &[(pairs, &format!("[{}]", wanted.join(" ")))]);
        let locks = "select lock_mode, lock_type, lock_table, lock_index, lock_data, count(*) \
                     from information_schema.innodb_locks group by 1, 2, 3, 4, 5 order by 1";
        let wanted = "[S,RECORD,`test`.`t`,PRIMARY,1,1 X,RECORD,`test`.`t`,PRIMARY,1,3]";
        check(&mut observer, &[(locks, wanted)]);
        let processes = format!(
            "select id, command, state, info from information_schema.processlist \
             where id between {} and {} order by id",
            ids[0], ids[3]
        );
        let wanted = format!(
            "[{},Sleep,,NULL {},Query,Updating,{} {},Query,Updating,{} {},Query,Update,{}]",
            ids[0], ids[1], asked[0], ids[2], asked[1], ids[3], asked[2]
        );
        check(&mut observer, &[(&processes, &wanted)]);
        check(&mut holder, &[("commit", "0")]);
        let said: Vec<String> =
            waiting.into_iter().map(|asked| asked.join().expect("it ends").1).collect();
        assert_eq!(said, ["1", "1", "1"]);
        check(&mut observer, &[(TRANSACTIONS, "[]")]);
    }
}

#[test]
fn a_transaction_is_there_from_its_first_table_on() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut observer) = (connect(&server), connect(&server));
    check(
        &mut one,
        &[("create table t (id int primary key)", "0"), ("begin", "0"), ("select 1", "[1]")],
    );
    check(&mut observer, &[(TRANSACTIONS, "[]")]);
    check(&mut one, &[(TRANSACTIONS, "[]"), ("select * from t", "[]")]);
    let shown = format!("[{},RUNNING,NULL]", one.id());
    check(&mut observer, &[(TRANSACTIONS, &shown)]);
    check(&mut one, &[("rollback", "0")]);
    check(&mut observer, &[(TRANSACTIONS, "[]")]);
    check(
        &mut one,
        &[
            ("set foreign_key_checks = 0", "0"),
            ("set session transaction isolation level read committed", "0"),
            ("start transaction read only", "0"),
            ("select * from t", "[]"),
        ],
    );
    let all = "select trx_isolation_level, trx_unique_checks, trx_foreign_key_checks, \
               trx_is_read_only, trx_autocommit_non_locking, trx_operation_state, \
               trx_wait_started, trx_requested_lock_id, trx_started between now() - interval 1 \
               minute and now() from information_schema.innodb_trx";
    check(&mut observer, &[(all, "[READ COMMITTED,1,0,1,0,,NULL,NULL,1]")]);
}

#[test]
fn a_wait_for_a_table_is_none_for_a_row() {
    let server = server(Version::MariaDb10_11);
    let (mut one, two, mut observer) = (connect(&server), connect(&server), connect(&server));
    let changer = two.id();
    check(
        &mut one,
        &[("create table t (id int primary key)", "0"), ("begin", "0"), ("select * from t", "[]")],
    );
    let changing = waits(&server, two, "alter table t add v int");
    let states = "select trx_state, trx_isolation_level, trx_wait_started \
                  from information_schema.innodb_trx";
    check(&mut observer, &[(states, "[RUNNING,REPEATABLE READ,NULL]")]);
    let state = format!("select state from information_schema.processlist where id = {changer}");
    check(&mut observer, &[(&state, "[Waiting for table metadata lock]")]);
    check(&mut one, &[("commit", "0")]);
    assert_eq!(changing.join().expect("it ends").1, "0");
}

#[test]
fn what_a_statement_is_at_is_told() {
    let server = server(Version::MariaDb10_11);
    let (mut one, mut observer) = (connect(&server), connect(&server));
    let canceller = one.canceller();
    let id = one.id();
    let sleeping = std::thread::spawn(move || (told(&mut one, "select sleep(60)"), one));
    let state = format!("select state, info from information_schema.processlist where id = {id}");
    until(&mut observer, &state, "[User sleep,select sleep(60)]");
    canceller.cancel();
    let (_, mut one) = sleeping.join().expect("it ends");
    check(&mut observer, &[(&state, "[,NULL]"), ("select get_lock('a', 0)", "[1]")]);
    let asked = std::thread::spawn(move || told(&mut one, "select get_lock('a', 60)"));
    until(&mut observer, &state, "[User lock,select get_lock('a', 60)]");
    check(&mut observer, &[("select release_lock('a')", "[1]")]);
    assert_eq!(asked.join().expect("it ends"), "[1]");
    let own = "select state from information_schema.processlist where id = connection_id()";
    check(&mut observer, &[(own, "[Filling schema table]")]);
}
