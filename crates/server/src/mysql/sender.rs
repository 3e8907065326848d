//! Results on their way to the client while their statements still run.

use hobgoblin_sql_mysql::session::{Changed, ColumnDescription, Done, SessionStatus, TakeResults};
use hobgoblin_sql_mysql_types::{MyType, error, text};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::Datum;
use hobgoblin_wire::mysql::{Column, ColumnType, Completion, Status, Value, Version};

use super::answer;
use super::channel::Channel;
use super::columns::{column_type, described};
use super::errors::End;
use super::values;

/// How the rows of a result travel to the client.
pub(crate) enum Format {
    /// As text, in the answer to COM_QUERY.
    Text,
    /// In binary, in the answers to commands of prepared statements.
    Binary,
    /// Not before the client asks for them: they wait here.
    Cursor(Cursor),
}

/// The rows that wait for COM_STMT_FETCH, of which the last is given first.
#[derive(Default)]
pub(crate) struct Cursor {
    pub(crate) types: Vec<ColumnType>,
    pub(crate) rows: std::collections::VecDeque<Vec<Value<Vec<u8>>>>,
}

/// Sends results as they come. How one ended is told once it is known whether something follows, since what of the session
/// changed is told with the last.
pub(crate) struct Sender<'c> {
    channel: &'c mut Channel,
    version: Version,
    format: Format,
    types: Vec<ColumnType>,
    ended: Option<Done>,
    end: Option<End>,
}

impl<'c> Sender<'c> {
    pub(crate) fn new(channel: &'c mut Channel, version: Version, format: Format) -> Sender<'c> {
        Sender { channel, version, format, types: Vec::new(), ended: None, end: None }
    }

    /// Tells how the last result ended that did; its rows if they wait in a cursor. Fails if the client is gone.
    pub(crate) fn finish(
        mut self,
        changes: &[Changed],
    ) -> std::result::Result<Option<Cursor>, End> {
        if let Some(end) = self.end {
            return Err(end);
        }
        let ended = self.ended.take();
        let has_rows = ended.as_ref().is_some_and(|ended| ended.rows);
        match self.format {
            // What a cursor answers was told with its columns.
            Format::Cursor(cursor) if has_rows => return Ok(Some(cursor)),
            Format::Cursor(_) | Format::Text | Format::Binary => {}
        }
        if let Some(ended) = ended {
            answer::done(&mut self.channel.out, &ended, Status::default(), changes);
        }
        Ok(None)
    }

    fn tell_end(&mut self) {
        if let Some(ended) = self.ended.take() {
            answer::done(&mut self.channel.out, &ended, Status::default(), &[]);
        }
    }
}

impl TakeResults for Sender<'_> {
    fn columns(&mut self, columns: &[ColumnDescription], session: &SessionStatus) -> Result<()> {
        self.tell_end();
        let all: Vec<Column<'_>> =
            columns.iter().map(|column| described(column, self.version)).collect();
        let status = answer::status(session);
        let completion = Completion { status, ..Completion::default() };
        self.types = columns.iter().map(|column| column_type(column, self.version)).collect();
        match &mut self.format {
            Format::Text | Format::Binary => self.channel.out.columns(&all, &completion),
            Format::Cursor(cursor) => {
                self.channel.out.cursor(&all, &completion);
                cursor.types.clone_from(&self.types);
            }
        }
        Ok(())
    }

    fn row(
        &mut self,
        columns: &[ColumnDescription],
        row: &[Datum],
        env: &TypeEnv<'_>,
    ) -> Result<()> {
        let values = row.iter().zip(columns);
        match &mut self.format {
            Format::Text => {
                let mut out = self.channel.out.text_row();
                for (datum, column) in values {
                    let ty = MyType::of(column.ty);
                    match datum {
                        Datum::Null => out.null(),
                        Datum::Int(value) if values::is_plain_integer(ty) => {
                            let mut digits = [0; 20];
                            out.value(values::decimal(*value, &mut digits));
                        }
                        _ => out.value(&text::bytes(datum, ty, env)),
                    }
                }
                out.finish();
            }
            Format::Binary => {
                let mut out = self.channel.out.binary_row(&self.types);
                for ((datum, column), &ty) in values.zip(&self.types) {
                    let value = values::binary(datum, MyType::of(column.ty), ty, env);
                    out.value(&value).map_err(|unfit| SqlError::internal(unfit.to_string()))?;
                }
                out.finish().map_err(|unfit| SqlError::internal(unfit.to_string()))?;
            }
            Format::Cursor(cursor) => {
                let kept = values.zip(&self.types).map(|((datum, column), &ty)| {
                    owned(values::binary(datum, MyType::of(column.ty), ty, env))
                });
                cursor.rows.push_back(kept.collect());
            }
        }
        self.channel.flush_large().map_err(|end| {
            self.end = Some(end);
            error::error(error::KILLED, "the client is gone")
        })
    }

    fn end(&mut self, done: &Done) -> Result<()> {
        self.tell_end();
        self.ended = Some(done.clone());
        Ok(())
    }
}

fn owned(value: Value<std::borrow::Cow<'_, [u8]>>) -> Value<Vec<u8>> {
    match value {
        Value::Null => Value::Null,
        Value::Signed(value) => Value::Signed(value),
        Value::Unsigned(value) => Value::Unsigned(value),
        Value::Float(value) => Value::Float(value),
        Value::Double(value) => Value::Double(value),
        Value::DateTime(value) => Value::DateTime(value),
        Value::Time(value) => Value::Time(value),
        Value::Bytes(bytes) => Value::Bytes(bytes.into_owned()),
    }
}
