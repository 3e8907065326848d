//! Text as statements of MySQL, as a client sends them: asked, or prepared and executed, in a small database of each version;
//! nothing may panic or hang, errors have words, and the session works afterwards.
#![no_main]

use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::mysql::session::{
    ColumnDescription, Done, Parameter, Session, SessionStatus, Startup, TakeResults,
};
use hobgoblin_sql_mysql::parse::Version;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

const SCHEMA: &str = "create table a(id int auto_increment primary key, name varchar(20) unique, v int default 0,
        m enum('sad', 'ok'), s set('x', 'y'), j json, at timestamp default current_timestamp, key (v));
    create table b(id bigint unsigned primary key, a_id int, amt decimal(10,2) check (amt >= 0), d datetime(6), x blob,
        foreign key (a_id) references a(id) on delete cascade);
    create view w as select a.id, sum(amt) as total from a left join b on b.a_id = a.id group by a.id;
    insert into a(name, v, m, j) values ('x', 1, 'ok', '{\"k\": [1, null]}'), ('y', null, 'sad', null);
    insert into b values (1, 1, 10.5, '2024-02-29 12:00:00.5', x'00ff'), (2, 2, 0, null, null)";

/// Counts rows and results.
#[derive(Default)]
struct Counted(usize);

impl TakeResults for Counted {
    fn columns(&mut self, _: &[ColumnDescription], _: &SessionStatus) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, columns: &[ColumnDescription], row: &[Datum], _: &TypeEnv<'_>) -> Result<()> {
        assert_eq!(columns.len(), row.len(), "a value for each column");
        self.0 += 1;
        Ok(())
    }

    fn end(&mut self, _: &Done) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

fn ask(session: &mut Session, sql: &str) -> usize {
    let mut counted = Counted::default();
    if let Err(error) = session.query(sql.as_bytes(), &mut counted) {
        let told = session.worded(error);
        assert!(told.number > 0 && !told.message.is_empty(), "{told:?}");
    }
    counted.0
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&how, bytes)) = bytes.split_first() else { return };
    let small = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    // They really take their time, or wait for somebody.
    if ["sleep", "benchmark", "lock"].iter().any(|slow| small.contains(slow)) {
        return;
    }
    let version = match how % 3 {
        0 => Version::MariaDb10_11,
        1 => Version::MariaDb11_8,
        _ => Version::MySql9_7,
    };
    let config = Config::default().profile(Profile::Mysql);
    let store = Store::new(config).expect("a good configuration");
    let database = hobgoblin_sql::open_mysql(store, version);
    let startup =
        Startup { database: Some("d".to_owned()), multi_statements: true, ..Startup::default() };
    let mut session = database.connect(startup.clone()).expect("the first session");
    assert_eq!(ask(&mut session, SCHEMA), 5, "a good schema");
    if how & 4 == 0 {
        ask(&mut session, &String::from_utf8_lossy(bytes));
    } else if let Ok(described) = session.prepare(bytes) {
        let edges = [Parameter::Null, Parameter::UInt(u64::MAX), Parameter::Text(b"1x".to_vec())];
        let values = edges.into_iter().cycle().take(described.parameters).collect();
        let _ = session.execute(described.id, values, &mut Counted::default());
        session.close(described.id);
    }
    let _ = session.reset();
    let mut other = database.connect(startup).expect("a second session");
    assert_eq!(ask(&mut other, "select 1"), 2, "sessions go on");
});
