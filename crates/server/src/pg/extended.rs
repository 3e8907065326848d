//! The extended protocol: parse, bind, describe, execute, close.

use hobgoblin_sql_postgres::session::{ColumnDescription, Outcome};
use hobgoblin_sql_postgres_types::TypeId;
use hobgoblin_wire::pg::{Bind, Target};

use super::connection::{Connection, Stop};
use super::errors::protocol;
use super::sender::{self, Sender};
use super::values;

impl Connection<'_> {
    pub(crate) fn parse(&mut self, name: &str, sql: &str, types: &[u32]) -> Result<(), Stop> {
        let types: Vec<TypeId> = types.iter().copied().map(TypeId).collect();
        self.session.prepare(name, sql, &types)?;
        self.channel.out.parse_complete();
        Ok(())
    }

    pub(crate) fn bind(&mut self, bind: Bind) -> Result<(), Stop> {
        let statement = self.session.prepared(&bind.statement)?;
        let (given, taken) = (bind.params.len(), statement.params.len());
        if bind.formats.len() > 1 && bind.formats.len() != given {
            let count = bind.formats.len();
            let message =
                format!("bind message has {count} parameter formats but {given} parameters");
            return Err(protocol(message).into());
        }
        if given != taken {
            let name = &bind.statement;
            let message = format!(
                "bind message supplies {given} parameters, but prepared statement \"{name}\" requires {taken}"
            );
            return Err(protocol(message).into());
        }
        let params = values::params(&bind, &statement.params, &self.session.types())?;
        let formats = &bind.results;
        if let Some(columns) = statement.columns.as_deref()
            && formats.len() > 1
            && formats.len() != columns.len()
        {
            let message = format!(
                "bind message has {} result formats but query has {} columns",
                formats.len(),
                columns.len()
            );
            return Err(protocol(message).into());
        }
        values::check_formats(formats)?;
        self.session.bind(&bind.portal, &bind.statement, params, bind.results)?;
        self.channel.out.bind_complete();
        Ok(())
    }

    pub(crate) fn describe(&mut self, target: Target, name: &str) -> Result<(), Stop> {
        match target {
            Target::Statement => {
                let statement = self.session.prepared(name)?;
                let params: Vec<u32> = statement.params.iter().map(|ty| ty.0).collect();
                self.channel.out.parameter_description(&params);
                match &statement.columns {
                    Some(columns) => self.describe_rows(columns, &[]),
                    None => self.channel.out.no_data(),
                }
            }
            Target::Portal => {
                let (statement, formats) = self.session.portal(name)?;
                match &statement.columns {
                    Some(columns) => self.describe_rows(columns, &formats),
                    None => self.channel.out.no_data(),
                }
            }
        }
        Ok(())
    }

    /// Writes the description of rows.
    pub(crate) fn describe_rows(&mut self, columns: &[ColumnDescription], formats: &[i16]) {
        sender::describe(&mut self.channel.out, columns, formats, self.session.types().names);
    }

    pub(crate) fn execute(&mut self, name: &str, max_rows: i32) -> Result<(), Stop> {
        let max_rows = usize::try_from(max_rows).unwrap_or(0);
        let (statement, formats) = self.session.portal(name)?;
        let mut sender = Sender::new(self.channel, &mut self.scratch, false, &formats);
        let ran = self.session.execute_to(name, max_rows, Some(&mut sender));
        sender.end()?;
        match ran? {
            Outcome::Rows { rows, complete } => {
                let columns = statement.columns.as_deref().unwrap_or_default();
                self.send_rows(columns, &formats, rows)?;
                match complete {
                    Some(done) => self.complete(done),
                    None => self.channel.out.portal_suspended(),
                }
            }
            Outcome::Done(done) => self.complete(done),
            Outcome::Empty => self.channel.out.empty_query(),
            Outcome::CopyIn(copy) => {
                let done = self.copy_in(copy)?;
                self.complete(done);
            }
            Outcome::CopyOut(copy, done) => {
                self.copy_out(copy)?;
                self.complete(done);
            }
        }
        Ok(())
    }

    pub(crate) fn close(&mut self, target: Target, name: &str) {
        match target {
            Target::Statement => self.session.close_statement(name),
            Target::Portal => self.session.close_portal(name),
        }
        self.channel.out.close_complete();
    }
}
