//! A session in process.

use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql_mysql::session::{
    ColumnDescription, Database, Done, Session, SessionStatus, Startup, TakeResults,
};
use hobgoblin_sql_mysql_types::client::{ClientType, UNSIGNED};
use hobgoblin_sql_mysql_types::{MyType, Version, text};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_value::Datum;

use super::answer::{Answer, Column};

pub(crate) struct Hob {
    session: Session,
    _database: Database,
}

impl TakeResults for Answer {
    fn columns(&mut self, columns: &[ColumnDescription], _: &SessionStatus) -> Result<()> {
        let described = columns.iter().map(|column| {
            let ty = MyType::of(column.ty);
            let client = match column.original_name.is_empty() {
                true => ClientType::of(ty),
                false => ClientType::of_column(ty),
            };
            Column {
                name: column.name.clone(),
                code: client.code,
                collation: client.collation,
                decimals: client.decimals,
                unsigned: client.flags & UNSIGNED != 0,
            }
        });
        self.columns = Some(described.collect());
        Ok(())
    }

    fn row(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()> {
        let fields = columns.iter().zip(row).map(|(column, value)| match value {
            Datum::Null => None,
            value => Some(text::bytes(value, MyType::of(column.ty), env).into_owned()),
        });
        self.rows.push(fields.collect());
        Ok(())
    }

    fn end(&mut self, done: &Done) -> Result<()> {
        if !done.rows {
            self.affected = done.affected;
            self.insert_id = done.insert_id;
        }
        self.warnings = done.warnings;
        Ok(())
    }
}

impl Hob {
    pub(crate) fn connect(profile: Profile, database: &str) -> Hob {
        Hob::speaking(profile, database, Version::MariaDb10_11)
    }

    pub(crate) fn speaking(profile: Profile, database: &str, version: Version) -> Hob {
        let config = Config::default().profile(profile).level(hobgoblin_core::Level::SI);
        let store = Store::new(config).expect("a store");
        Hob::of(hobgoblin_sql::open_mysql(store, version), database)
    }

    pub(crate) fn of(served: Database, database: &str) -> Hob {
        let startup = Startup {
            user: "root".to_owned(),
            host: "localhost".to_owned(),
            database: Some(database.to_owned()),
            collation: 45,
            ..Startup::default()
        };
        let session = served.connect(startup).expect("a session");
        Hob { session, _database: served }
    }

    pub(crate) fn query(&mut self, sql: &str) -> Answer {
        self.query_bytes(sql.as_bytes())
    }

    pub(crate) fn query_bytes(&mut self, sql: &[u8]) -> Answer {
        let mut answer = Answer::default();
        if let Err(error) = self.session.query(sql, &mut answer) {
            let told = self.session.worded(error);
            answer.columns = None;
            answer.rows.clear();
            answer.error = Some((told.number, told.message));
        }
        answer
    }
}
