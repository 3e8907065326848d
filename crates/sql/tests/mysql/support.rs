//! A session whose answers are kept as texts.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::mysql::session::{
    ColumnDescription, Database, Done, Session, SessionStatus, Startup, TakeResults,
};
use hobgoblin_sql::roomy::roomy;
use hobgoblin_sql_mysql_types::{MyType, Version, text};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

/// The result of one statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) done: Done,
}

/// Keeps all results.
#[derive(Debug, Default)]
pub(crate) struct Kept(pub(crate) Vec<Answer>);

impl TakeResults for Kept {
    fn columns(&mut self, _: &[ColumnDescription], _: &SessionStatus) -> Result<()> {
        self.0.push(Answer::default());
        Ok(())
    }

    fn row(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()> {
        let cells = row.iter().zip(columns).map(|(value, column)| match value.is_null() {
            true => "NULL".to_owned(),
            false => text::text(value, MyType::of(column.ty), env).into_owned(),
        });
        let cells = cells.collect();
        self.0.last_mut().expect("columns come first").rows.push(cells);
        Ok(())
    }

    fn end(&mut self, done: &Done) -> Result<()> {
        match done.rows {
            true => self.0.last_mut().expect("columns come first").done = done.clone(),
            false => self.0.push(Answer { done: done.clone(), ..Answer::default() }),
        }
        Ok(())
    }
}

/// A server over an engine of this kind.
pub(crate) fn server(version: Version) -> Database {
    over(Config::default().profile(Profile::Mysql).level(hobgoblin_core::Level::SI), version)
}

pub(crate) fn over(config: Config, version: Version) -> Database {
    hobgoblin_sql::open_mysql(Store::new(config).expect("a store"), version)
}

/// A session of the database `test`.
pub(crate) fn connect(database: &Database) -> Session {
    let startup = Startup {
        user: "root".to_owned(),
        host: "localhost".to_owned(),
        database: Some("test".to_owned()),
        multi_statements: true,
        ..Startup::default()
    };
    database.connect(startup).expect("a database takes connections")
}

/// What a text is answered: rows, counts, or the number of the error.
pub(crate) fn told(session: &mut Session, sql: &str) -> String {
    let mut kept = Kept::default();
    let result = roomy(sql, || session.query(sql.as_bytes(), &mut kept));
    let mut all: Vec<String> = kept.0.iter().map(shown).collect();
    if let Err(error) = result {
        let told = session.worded(error);
        all.push(format!("{} {}", told.number, told.message));
    }
    all.join("; ")
}

pub(crate) fn shown(answer: &Answer) -> String {
    match answer.done.rows {
        true => {
            let rows: Vec<String> = answer.rows.iter().map(|row| row.join(",")).collect();
            format!("[{}]", rows.join(" "))
        }
        false => answer.done.affected.to_string(),
    }
}

/// Runs statements of which each has to be answered so.
pub(crate) fn check(session: &mut Session, script: &[(&str, &str)]) {
    for (sql, expected) in script {
        assert_eq!(told(session, sql), *expected, "{sql}");
    }
}

/// Asks something that waits for others, on a thread of its own; gives the session back with the answer.
pub(crate) fn waits(
    database: &Database,
    mut session: Session,
    sql: &'static str,
) -> JoinHandle<(Session, String)> {
    let store = database.store().clone();
    let before = waiting(&store);
    let asked = std::thread::spawn(move || {
        let answer = told(&mut session, sql);
        (session, answer)
    });
    let start = Instant::now();
    while waiting(&store) == before {
        assert!(start.elapsed() < Duration::from_secs(20), "{sql} waits for nobody");
        assert!(!asked.is_finished(), "{sql} does not wait");
        std::thread::sleep(Duration::from_millis(1));
    }
    asked
}

/// How many sessions wait for a lock.
fn waiting(store: &Store) -> usize {
    store.with_machine(|machine| {
        let all = (0..20).map(hobgoblin_core::SessionId::new);
        all.filter(|&session| !machine.blockers(session).is_empty()).count()
    })
}
