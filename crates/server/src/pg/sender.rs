//! Rows on their way to the client while their statement still runs.

use hobgoblin_sql_postgres::session::{ColumnDescription, TakeRows};
use hobgoblin_sql_postgres_types::error::{Code, Result, SqlError};

use hobgoblin_sql_postgres_types::{Datum, Names, TypeEnv, sent_typmod};
use hobgoblin_wire::pg::{Column, Encoder};

use super::channel::Channel;
use super::errors::End;
use super::values::{self, Scratch};

/// Sends rows as they come.
pub(crate) struct Sender<'c> {
    channel: &'c mut Channel,
    scratch: &'c mut Scratch,
    /// Whether the columns have to be described first.
    describes: bool,
    formats: &'c [i16],
    /// Whether a row was sent.
    sent: bool,
    end: Option<End>,
}

impl<'c> Sender<'c> {
    pub(crate) fn new(
        channel: &'c mut Channel,
        scratch: &'c mut Scratch,
        describes: bool,
        formats: &'c [i16],
    ) -> Sender<'c> {
        Sender { channel, scratch, describes, formats, sent: false, end: None }
    }

    /// Whether rows were sent; fails if the client is gone.
    pub(crate) fn end(self) -> std::result::Result<bool, End> {
        self.end.map_or(Ok(self.sent), Err)
    }
}

impl TakeRows for Sender<'_> {
    fn take(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()> {
        if !self.sent && self.describes {
            describe(&mut self.channel.out, columns, self.formats, env.names);
        }
        self.sent = true;
        self.scratch.row(&mut self.channel.out, row, columns, self.formats, env)?;
        self.channel.flush_large().map_err(|end| {
            self.end = Some(end);
            SqlError::new(Code("08006"), "connection to client lost")
        })
    }
}

/// Writes the description of rows.
pub(crate) fn describe(
    out: &mut Encoder,
    columns: &[ColumnDescription],
    formats: &[i16],
    names: &dyn Names,
) {
    out.row_description(columns.iter().enumerate().map(|(at, column)| Column {
        name: &column.name,
        table: column.table,
        column: column.column,
        ty: column.ty.0,
        size: values::size(column.ty, names),
        modifier: sent_typmod(column.ty, column.typmod),
        format: values::format(formats, at),
    }));
}
