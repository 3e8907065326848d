//! The commands of prepared statements.

use hobgoblin_wire::mysql::{Column, Completion, Execute, Parameters, Status};

use super::answer;
use super::channel::Channel;
use super::columns::{PARAMETER, described};
use super::connection::{Connection, Stop};
use super::errors::Failure;
use super::sender::{Cursor, Format, Sender};
use super::statements::Prepared;
use super::values;

impl Connection<'_> {
    /// Answers a COM_STMT_PREPARE: prepares a statement, and tells its parameters and columns.
    pub(crate) fn prepare(&mut self, text: &[u8]) -> Result<(), Stop> {
        self.statements.forget_last();
        let prepared = self.session.prepare(text)?;
        let too_many =
            || Failure::new(1390, "HY000", "Prepared statement contains too many placeholders");
        let count = u16::try_from(prepared.parameters).map_err(|_| too_many())?;
        let parameters = Parameters::new(count, self.max_long_data);
        self.statements.add(prepared.id, Prepared { parameters, cursor: None });
        let version = self.version;
        let columns: Vec<Column<'_>> =
            prepared.columns.iter().map(|column| described(column, version)).collect();
        let status = answer::status(&self.session.status());
        let completion =
            Completion { status, warnings: prepared.warnings, ..Completion::default() };
        let parameters = vec![PARAMETER; prepared.parameters];
        self.channel.out.prepared(prepared.id, &parameters, &columns, &completion);
        Ok(())
    }

    /// Answers a COM_STMT_EXECUTE: runs a prepared statement.
    pub(crate) fn execute(&mut self, execute: &Execute) -> Result<(), Stop> {
        let (id, prepared) = self.statements.find(execute.statement, "mysqld_stmt_execute")?;
        prepared.cursor = None;
        let given = prepared.parameters.bind(execute).map_err(Failure::from)?;
        let values = given.into_iter().map(values::parameter).collect();
        let format = match execute.cursor {
            true => Format::Cursor(Cursor::default()),
            false => Format::Binary,
        };
        let mut sender = Sender::new(self.channel, self.version, format);
        let ran = self.session.execute(id, values, &mut sender);
        let cursor = sender.finish(&self.session.take_changes())?;
        ran?;
        if let (Some(cursor), Ok((_, prepared))) = (cursor, self.statements.find(id, "")) {
            prepared.cursor = Some(cursor);
        }
        Ok(())
    }

    /// Answers a COM_STMT_FETCH: sends rows of a cursor.
    pub(crate) fn fetch(&mut self, id: u32, count: u32) -> Result<(), Stop> {
        let status = answer::status(&self.session.status());
        let (id, prepared) = self.statements.find(id, "mysqld_stmt_fetch")?;
        let cursor = prepared.cursor.as_mut().ok_or_else(|| Failure::no_cursor(id))?;
        let mut flag = Status::CURSOR_EXISTS;
        for _ in 0..count {
            let Some(row) = cursor.rows.pop_front() else {
                flag = Status::LAST_ROW_SENT;
                break;
            };
            send(self.channel, cursor, &row)?;
        }
        if flag == Status::LAST_ROW_SENT {
            prepared.cursor = None;
        }
        let completion = Completion { status: status.with(flag), ..Completion::default() };
        self.channel.out.end_of_rows(&completion);
        Ok(())
    }

    /// Answers a COM_STMT_RESET: forgets pieces of parameters, and the cursor.
    pub(crate) fn reset_statement(&mut self, id: u32) -> Result<(), Stop> {
        let (_, prepared) = self.statements.find(id, "mysqld_stmt_reset")?;
        prepared.parameters.reset();
        prepared.cursor = None;
        self.ok();
        Ok(())
    }
}

/// Sends a row that waited.
fn send(
    channel: &mut Channel,
    cursor: &Cursor,
    row: &[hobgoblin_wire::mysql::Value<Vec<u8>>],
) -> Result<(), Stop> {
    let unfit = |unfit: hobgoblin_wire::mysql::Unfit| Failure::internal(unfit.to_string());
    let mut out = channel.out.binary_row(&cursor.types);
    for value in row {
        out.value(value).map_err(unfit)?;
    }
    out.finish().map_err(unfit)?;
    channel.flush_large()?;
    Ok(())
}
