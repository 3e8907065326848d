//! Replies of a server as values, and how the encoder is made to write them.

use hobgoblin_wire::mysql::{
    Change, Column, ColumnFlags, ColumnType, Completion, Encoder, Status, Value,
};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// To what has no answer.
    Nothing,
    /// A line without any frame.
    Line(Vec<u8>),
    /// To statements.
    Results(Vec<Outcome>),
    Prepared(Prepared),
    Fields(Vec<(OwnedColumn, Option<Vec<u8>>)>, OwnedCompletion),
    /// Rows without columns, from a cursor.
    Fetched(Rows),
    /// An EOF, or an OK in its place.
    Eof(OwnedCompletion),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Done(OwnedCompletion),
    Failed(Failure),
    Rows(Vec<OwnedColumn>, OwnedCompletion, Rows),
    /// Columns, and a cursor that has the rows.
    Cursor(Vec<OwnedColumn>, OwnedCompletion),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rows {
    pub rows: Vec<Row>,
    pub end: Result<OwnedCompletion, Failure>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Row {
    Text(Vec<Option<Vec<u8>>>),
    Binary(Vec<(ColumnType, Value<Vec<u8>>)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub code: u16,
    pub state: String,
    pub words: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prepared {
    pub statement: u32,
    pub parameters: Vec<OwnedColumn>,
    pub columns: Vec<OwnedColumn>,
    pub completion: OwnedCompletion,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OwnedColumn {
    /// Schema, table, its own name, name, its own name.
    pub names: [Vec<u8>; 5],
    pub extended: Vec<(u8, Vec<u8>)>,
    pub collation: u16,
    pub length: u32,
    pub ty: ColumnType,
    pub flags: ColumnFlags,
    pub decimals: u8,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OwnedCompletion {
    pub affected_rows: u64,
    pub insert_id: u64,
    pub status: Status,
    pub warnings: u16,
    pub words: Vec<u8>,
    pub changes: Vec<OwnedChange>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OwnedChange {
    Variable(Vec<u8>, Vec<u8>),
    Schema(Vec<u8>),
    State(bool),
    Characteristics(Vec<u8>),
    Transaction(Vec<u8>),
}

impl OwnedCompletion {
    pub(crate) fn with<T>(&self, then: impl FnOnce(&Completion<'_>) -> T) -> T {
        let changes: Vec<Change<'_>> = self
            .changes
            .iter()
            .map(|change| match change {
                OwnedChange::Variable(name, value) => Change::Variable { name, value },
                OwnedChange::Schema(name) => Change::Schema(name),
                OwnedChange::State(changed) => Change::State(*changed),
                OwnedChange::Characteristics(all) => Change::TransactionCharacteristics(all),
                OwnedChange::Transaction(letters) => Change::TransactionState(letters),
            })
            .collect();
        then(&Completion {
            affected_rows: self.affected_rows,
            insert_id: self.insert_id,
            status: self.status,
            warnings: self.warnings,
            words: &self.words,
            changes: &changes,
        })
    }
}

fn with_columns<T>(columns: &[OwnedColumn], then: impl FnOnce(&[Column<'_>]) -> T) -> T {
    let extended: Vec<Vec<(u8, &[u8])>> = columns
        .iter()
        .map(|column| column.extended.iter().map(|(kind, name)| (*kind, &name[..])).collect())
        .collect();
    let all: Vec<Column<'_>> = columns
        .iter()
        .zip(&extended)
        .map(|(column, extended)| Column {
            schema: &column.names[0],
            table: &column.names[1],
            original_table: &column.names[2],
            name: &column.names[3],
            original_name: &column.names[4],
            extended,
            collation: column.collation,
            length: column.length,
            ty: column.ty,
            flags: column.flags,
            decimals: column.decimals,
        })
        .collect();
    then(&all)
}

impl Reply {
    pub(crate) fn write(&self, out: &mut Encoder) {
        match self {
            Reply::Nothing => {}
            Reply::Line(line) => out.statistics(line),
            Reply::Results(all) => all.iter().for_each(|outcome| outcome.write(out)),
            Reply::Prepared(prepared) => with_columns(&prepared.parameters, |parameters| {
                with_columns(&prepared.columns, |columns| {
                    prepared.completion.with(|completion| {
                        out.prepared(prepared.statement, parameters, columns, completion);
                    });
                });
            }),
            Reply::Fields(fields, end) => {
                let columns: Vec<OwnedColumn> = fields.iter().map(|(c, _)| c.clone()).collect();
                with_columns(&columns, |columns| {
                    let defaults = fields.iter().map(|(_, default)| default.as_deref());
                    let fields: Vec<_> = columns.iter().copied().zip(defaults).collect();
                    end.with(|end| out.fields(&fields, end));
                });
            }
            Reply::Fetched(rows) => rows.write(out),
            Reply::Eof(end) => end.with(|end| out.end_of_rows(end)),
        }
    }
}

impl Outcome {
    fn write(&self, out: &mut Encoder) {
        match self {
            Outcome::Done(completion) => completion.with(|completion| out.ok(completion)),
            Outcome::Failed(failure) => failure.write(out),
            Outcome::Rows(columns, completion, rows) => {
                with_columns(columns, |columns| {
                    completion.with(|completion| out.columns(columns, completion));
                });
                rows.write(out);
            }
            Outcome::Cursor(columns, completion) => with_columns(columns, |columns| {
                completion.with(|completion| out.cursor(columns, completion));
            }),
        }
    }
}

impl Failure {
    pub(crate) fn write(&self, out: &mut Encoder) {
        out.error(self.code, &self.state, &self.words);
    }
}

impl Rows {
    fn write(&self, out: &mut Encoder) {
        for row in &self.rows {
            match row {
                Row::Text(values) => {
                    let mut row = out.text_row();
                    for value in values {
                        match value {
                            Some(value) => row.value(value),
                            None => row.null(),
                        }
                    }
                    row.finish();
                }
                Row::Binary(values) => {
                    let types: Vec<ColumnType> = values.iter().map(|(ty, _)| *ty).collect();
                    let mut row = out.binary_row(&types);
                    for (_, value) in values {
                        row.value(value).expect("it is of its type");
                    }
                    row.finish().expect("all were written");
                }
            }
        }
        match &self.end {
            Ok(end) => end.with(|end| out.end_of_rows(end)),
            Err(failure) => failure.write(out),
        }
    }
}
