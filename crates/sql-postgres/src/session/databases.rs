//! The databases of a server: the one that is always there, and those that CREATE DATABASE made.
//!
//! All of them keep their rows in one store, so that a history has what every session did. Keys of a database
//! that was made begin with its name, `shop_test/course[7]`. A name that nobody made is the database
//! that is always there, whatever the name: clients connect without preparation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::in_doubt::InDoubt;
use super::shared::Shared;

use crate::catalog::quote_ident;
use crate::error::{Result, SqlError, SqlState};
use crate::types::Oid;

/// How long DROP DATABASE waits for sessions to leave, as PostgreSQL does.
const LEAVE_WAIT: Duration = Duration::from_secs(5);

/// The oid of the first database that CREATE DATABASE makes.
const FIRST: Oid = 16_384;

/// The databases of a server, all in one store.
pub(crate) struct Databases {
    /// The database that is always there.
    pub(crate) main: Arc<Shared>,
    made: Mutex<Made>,
    pub(crate) in_doubt: InDoubt,
    settings: Mutex<Arc<[(String, String)]>>,
}

#[derive(Default)]
struct Made {
    by_name: BTreeMap<String, (Oid, Arc<Shared>)>,
    /// How many databases there have been of each name. The keys of one that is dropped and made
    /// again differ.
    used: BTreeMap<String, u32>,
    count: Oid,
}

impl Databases {
    pub(crate) fn new(main: Shared) -> Databases {
        let (made, in_doubt) = (Mutex::default(), InDoubt::default());
        Databases { main: Arc::new(main), made, in_doubt, settings: Mutex::default() }
    }

    /// The settings of the server's configuration that differ from PostgreSQL's defaults.
    pub(crate) fn settings(&self) -> Arc<[(String, String)]> {
        Arc::clone(&self.settings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets them for the sessions that connect from now on.
    pub(crate) fn configure(&self, settings: Vec<(String, String)>) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = settings.into();
    }

    fn lock(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The database of this name, or the one that is always there.
    pub(crate) fn find(&self, name: &str) -> Arc<Shared> {
        let made = self.lock();
        Arc::clone(made.by_name.get(name).map_or(&self.main, |(_, shared)| shared))
    }

    /// The databases that CREATE DATABASE made: oid, name, and what their sessions share.
    pub(crate) fn made(&self) -> Vec<(Oid, String, Arc<Shared>)> {
        let made = self.lock();
        made.by_name.iter().map(|(n, (oid, s))| (*oid, n.clone(), Arc::clone(s))).collect()
    }

    /// How many databases there have been of a name.
    pub(crate) fn used(&self, name: &str) -> u32 {
        self.lock().used.get(name).copied().unwrap_or(0)
    }

    /// Makes the database that was the `used`-th of its name, as a log has it.
    pub(crate) fn make_again(&self, name: &str, used: u32) {
        self.lock().used.insert(name.to_owned(), used.saturating_sub(1));
        self.make(name);
    }

    /// Makes a database. Returns whether there was none of the name.
    pub(crate) fn make(&self, name: &str) -> bool {
        let mut made = self.lock();
        if made.by_name.contains_key(name) {
            return false;
        }
        let used = made.used.entry(name.to_owned()).or_insert(0);
        *used += 1;
        let keys = match *used {
            1 => format!("{}/", quote_ident(name)),
            n => format!("{}#{n}/", quote_ident(name)),
        };
        let shared = Arc::new(self.main.beside(&keys));
        let oid = FIRST + made.count;
        made.count += 1;
        made.by_name.insert(name.to_owned(), (oid, shared));
        true
    }

    /// Drops a database, which fails while a session is connected to it. Returns whether there was
    /// one.
    pub(super) fn remove(&self, name: &str) -> Result<bool> {
        let until = Instant::now() + LEAVE_WAIT;
        loop {
            let mut made = self.lock();
            let Some((_, shared)) = made.by_name.get(name) else { return Ok(false) };
            // Every session has the database, and gets it while this is locked.
            let sessions = Arc::strong_count(shared) - 1;
            if sessions == 0 {
                made.by_name.remove(name);
                return Ok(true);
            }
            if Instant::now() >= until {
                let text = format!("database \"{name}\" is being accessed by other users");
                let detail = match sessions {
                    1 => "There is 1 other session using the database.".to_owned(),
                    n => format!("There are {n} other sessions using the database."),
                };
                return Err(SqlError::new(SqlState::OBJECT_IN_USE, text).detail(detail));
            }
            std::mem::drop(made);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(test)]
mod tests {
    use hobgoblin_front::{Config, Store};

    use crate::session::{Database, Session, Startup};
    use crate::types::Datum;

    fn over(initial: Vec<(hobgoblin_core::Key, hobgoblin_core::Value)>) -> Database {
        let config = Config::default().initial_values(initial);
        Database::new(
            Store::new(config).expect("the configuration is good"),
            None,
            &crate::POSTGRES,
        )
    }

    fn to(database: &Database, name: &str) -> Session {
        let startup = Startup { database: name.to_owned(), ..Startup::default() };
        database.connect(startup).expect("a database takes connections")
    }

    fn state(session: &mut Session, sql: &str) -> &'static str {
        session.run(sql).err().map_or("", |error| error.state().0)
    }

    fn number(session: &mut Session, sql: &str) -> i64 {
        match session.run(sql).expect("the statement is good").as_slice() {
            [row] => match row.as_slice() {
                [Datum::Int(number)] => *number,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_database_has_its_own_tables() {
        let server = over(Vec::new());
        let mut main = to(&server, "shop");
        main.run("CREATE DATABASE shop_test; CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
            .expect("it is new");
        let mut made = to(&server, "shop_test");
        assert_eq!(state(&mut made, "SELECT * FROM t"), "42P01");
        made.run("CREATE TABLE t (a int); INSERT INTO t VALUES (2)").expect("it is new");
        assert_eq!(number(&mut main, "SELECT a FROM t"), 1);
        assert_eq!(number(&mut made, "SELECT a FROM t"), 2);
        let count = "SELECT count(*) FROM pg_database WHERE NOT datistemplate";
        assert_eq!((number(&mut main, count), number(&mut made, count)), (2, 2));
        // A name that nobody made is the database that is always there.
        assert_eq!(number(&mut to(&server, "other"), "SELECT a FROM t"), 1);
        let keys: Vec<String> =
            server.store().snapshot().iter().map(|(k, _)| k.to_string()).collect();
        assert!(keys.iter().any(|key| key.starts_with("shop_test/t")), "{keys:?}");
    }

    #[test]
    fn a_database_made_again_is_empty() {
        let server = over(Vec::new());
        let mut main = to(&server, "shop");
        for _ in 0..2 {
            main.run("CREATE DATABASE d").expect("there is none");
            let mut made = to(&server, "d");
            made.run("CREATE TABLE t (a int)").expect("it is new");
            assert_eq!(number(&mut made, "SELECT count(*) FROM t"), 0);
            made.run("INSERT INTO t VALUES (2)").expect("it is there");
            assert_eq!(state(&mut made, "DROP DATABASE d"), "55006");
            drop(made);
            main.run("DROP DATABASE d").expect("nobody is connected");
        }
        assert_eq!(state(&mut main, "DROP DATABASE d"), "3D000");
    }

    #[test]
    fn a_snapshot_has_all_databases() {
        let server = over(Vec::new());
        let mut main = to(&server, "shop");
        main.run("CREATE DATABASE d; DROP DATABASE d; CREATE DATABASE d").expect("it is new");
        let mut made = to(&server, "d");
        made.run("CREATE TABLE t (a serial); INSERT INTO t DEFAULT VALUES").expect("it is new");
        let again = over(server.snapshot());
        let mut made = to(&again, "d");
        assert_eq!(number(&mut made, "SELECT a FROM t"), 1);
        assert_eq!(number(&mut made, "INSERT INTO t DEFAULT VALUES RETURNING a"), 2);
        assert_eq!(state(&mut to(&again, "shop"), "CREATE DATABASE d"), "42P04");
    }
}
