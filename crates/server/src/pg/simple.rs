//! The simple query: text of any number of statements, in one implicit transaction.

use hobgoblin_sql_postgres::session::{ColumnDescription, Done, Outcome, Statement};

use super::connection::{Connection, Stop};
use super::errors::End;
use super::sender::Sender;

impl Connection<'_> {
    /// Runs a simple query and ends its cycle.
    pub(crate) fn query(&mut self, sql: &str) -> Result<(), End> {
        self.session.close_statement("");
        self.session.close_portal("");
        match self.statements(sql) {
            Ok(()) => {}
            Err(Stop::Error(error)) => self.error(error)?,
            Err(Stop::End(end)) => return Err(end),
        }
        self.sync()
    }

    fn statements(&mut self, sql: &str) -> Result<(), Stop> {
        let statements = self.session.statements(sql)?;
        let Some((last, others)) = statements.split_last() else {
            self.channel.out.empty_query();
            return Ok(());
        };
        for statement in others {
            if let Some(done) = self.statement(statement)? {
                self.complete(done);
            }
        }
        if let Some(done) = self.statement(last)? {
            // The transaction ends before the client hears of success: committing may fail.
            self.session.sync()?;
            self.complete(done);
        }
        Ok(())
    }

    /// Runs a statement; what was done.
    fn statement(&mut self, statement: &Statement) -> Result<Option<Done>, Stop> {
        let mut sender = Sender::new(self.channel, &mut self.scratch, true, &[]);
        let ran = self.session.simple_to(statement, Some(&mut sender));
        let described = sender.end()?;
        let (columns, outcome) = ran?;
        match outcome {
            Outcome::Rows { rows, complete } => {
                let columns = columns.unwrap_or_default();
                if !described {
                    self.describe_rows(&columns, &[]);
                }
                self.send_rows(&columns, &[], rows)?;
                Ok(complete)
            }
            Outcome::Done(done) => Ok(Some(done)),
            Outcome::Empty => {
                self.channel.out.empty_query();
                Ok(None)
            }
            Outcome::CopyIn(copy) => self.copy_in(copy).map(Some),
            Outcome::CopyOut(copy, done) => {
                self.copy_out(copy)?;
                Ok(Some(done))
            }
        }
    }

    /// Sends rows whose columns have these formats.
    pub(crate) fn send_rows(
        &mut self,
        columns: &[ColumnDescription],
        formats: &[i16],
        rows: Vec<Vec<hobgoblin_sql_postgres_types::Datum>>,
    ) -> Result<(), Stop> {
        for row in rows {
            let env = self.session.types();
            self.scratch.row(&mut self.channel.out, &row, columns, formats, &env)?;
            self.channel.flush_large()?;
        }
        Ok(())
    }
}
