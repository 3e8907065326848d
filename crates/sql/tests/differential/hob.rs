//! Our side: one session over a serializable store.

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::error::SqlError;
use hobgoblin_sql::session::{Outcome, Session, Startup};
use hobgoblin_sql::types::{sent_typmod, text};

use crate::answer::{Answer, Column};

/// A database with one session.
pub(crate) struct Hob {
    session: Session,
}

impl Hob {
    pub(crate) fn connect(profile: Profile, database: &str) -> Hob {
        let config = Config::default().level(Level::SER).profile(profile);
        let store = Store::new(config).expect("the configuration is valid");
        let startup = Startup {
            user: "postgres".to_owned(),
            database: database.to_owned(),
            settings: Vec::new(),
        };
        let session =
            hobgoblin_sql::open(store, None).connect(startup).expect("a fresh store connects");
        Hob { session }
    }

    /// Runs one statement as a simple query.
    pub(crate) fn query(&mut self, sql: &str) -> Answer {
        let mut answer = Answer::default();
        if let Err(error) = self.run(sql, &mut answer) {
            self.fail(&mut answer, error);
        }
        self.session.take_notices();
        if let Err(error) = self.session.sync() {
            self.fail(&mut answer, error);
        }
        answer
    }

    fn fail(&mut self, answer: &mut Answer, error: SqlError) {
        self.session.fail();
        answer.state = Some(error.state().0.to_owned());
        answer.position = error.more.position;
        answer.message = error.message();
    }

    fn run(&mut self, sql: &str, answer: &mut Answer) -> Result<(), SqlError> {
        for statement in self.session.statements(sql)? {
            let (columns, outcome) = self.session.simple(&statement)?;
            match outcome {
                Outcome::Rows { rows, complete } => {
                    let columns = columns.unwrap_or_default();
                    let env = self.session.types();
                    for row in rows {
                        let cells = row.iter().zip(&columns).map(|(datum, column)| {
                            (!datum.is_null())
                                .then(|| text::print(datum, column.ty, column.typmod, &env))
                        });
                        answer.rows.push(cells.collect());
                    }
                    let columns = columns.into_iter().map(|column| Column {
                        name: column.name,
                        ty: column.ty.0,
                        // A row's modifier is its shape, and our own affair.
                        typmod: sent_typmod(column.ty, column.typmod),
                    });
                    answer.columns = Some(columns.collect());
                    answer.tag = complete.map_or_else(String::new, |done| done.to_string());
                }
                Outcome::Done(done) => answer.tag = done.to_string(),
                Outcome::Empty => {}
                Outcome::CopyOut(mut copy, done) => {
                    while let Some(chunk) = copy.next(&self.session.types())? {
                        let line =
                            String::from_utf8_lossy(&chunk).trim_end_matches('\n').to_owned();
                        answer.rows.push(vec![Some(line)]);
                    }
                    answer.tag = done.to_string();
                }
                Outcome::CopyIn(_) => {
                    answer.state = Some("57014".to_owned());
                    self.session.fail();
                }
            }
        }
        Ok(())
    }
}
