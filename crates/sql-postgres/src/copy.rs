//! COPY: text, CSV and binary data in and out.
//!
//! [`CopyOptions`] are read from the statement, in either of PostgreSQL's two syntaxes. A [`CopyDecoder`]
//! takes data as it arrives, cut anywhere, and gives the rows that are whole; a [`CopyOut`] makes data of rows, one
//! at a time.
//!
//! ```text
//!     text      1 \t a\tb \n          \N is NULL, a backslash escapes
//!     csv       1,"a ""b""" \n        an empty field without quotes is NULL
//!     binary    PGCOPY… header, then rows of lengths and bytes
//! ```

mod binary;
mod csv;
mod encode;
mod field;
mod lines;
mod options;
mod text;

pub use encode::CopyOut;
pub use options::{CopyColumn, CopyFormat, CopyOptions};

use field::with_place;

use crate::error::{Code, Result, SqlError, SqlState};
use crate::types::{Datum, TypeEnv, TypeId};

/// A COPY FROM STDIN that waits for data.
#[derive(Debug)]
pub struct CopyIn {
    /// Whether the data is binary.
    pub binary: bool,
    /// The types of the columns.
    pub columns: Vec<TypeId>,
    /// Makes rows of the data.
    pub decoder: CopyDecoder,
}

/// Where we are in binary data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    #[default]
    Header,
    Rows,
    /// The trailer was there.
    End,
}

/// Makes rows of data that arrives in pieces.
#[derive(Debug)]
pub struct CopyDecoder {
    /// The table, for errors.
    relation: String,
    columns: Vec<CopyColumn>,
    options: CopyOptions,
    /// What has arrived and is no whole row yet.
    pending: Vec<u8>,
    lines: lines::Lines,
    binary: Place,
}

impl CopyIn {
    /// A COPY into columns of a table.
    pub fn new(relation: &str, columns: Vec<CopyColumn>, options: CopyOptions) -> Result<CopyIn> {
        options.check_columns(&columns)?;
        Ok(CopyIn {
            binary: options.format == CopyFormat::Binary,
            columns: columns.iter().map(|column| column.ty).collect(),
            decoder: CopyDecoder {
                relation: relation.to_owned(),
                columns,
                options,
                pending: Vec::new(),
                lines: lines::Lines::default(),
                binary: Place::default(),
            },
        })
    }
}

impl CopyDecoder {
    /// Takes data; the rows that are whole now.
    pub fn push(&mut self, data: &[u8], env: &TypeEnv<'_>) -> Result<Vec<Vec<Datum>>> {
        self.pending.extend_from_slice(data);
        self.rows(false, env)
    }

    /// There is no more data; the last row, if it had no end of line.
    pub fn finish(&mut self, env: &TypeEnv<'_>) -> Result<Vec<Vec<Datum>>> {
        self.rows(true, env)
    }

    fn rows(&mut self, last: bool, env: &TypeEnv<'_>) -> Result<Vec<Vec<Datum>>> {
        if self.options.format == CopyFormat::Binary {
            return self.binary_rows(last, env);
        }
        let pending = std::mem::take(&mut self.pending);
        let (mut rows, mut rest) = (Vec::new(), pending.as_slice());
        while let Some(line) = self.lines.next(&mut rest, last, &self.options, &self.relation)? {
            if self.lines.number == 1 && self.options.header {
                continue;
            }
            rows.push(self.row(line, env)?);
        }
        self.pending = rest.to_vec();
        Ok(rows)
    }

    fn row(&self, line: &[u8], env: &TypeEnv<'_>) -> Result<Vec<Datum>> {
        let line = std::str::from_utf8(line).map_err(|error| {
            let byte = line.get(error.valid_up_to()).copied().unwrap_or(0);
            let message = format!("invalid byte sequence for encoding \"UTF8\": 0x{byte:02x}");
            self.at_line(SqlError::new(Code("22021"), message), None)
        })?;
        let fields = match self.options.format {
            CopyFormat::Csv => csv::fields(line, &self.options),
            _ => text::fields(line, &self.options),
        };
        let fields = fields.map_err(|error| self.at_line(error, Some(line)))?;
        let wrong = |message: String| {
            self.at_line(SqlError::new(SqlState::BAD_COPY_FILE_FORMAT, message), Some(line))
        };
        if fields.len() > self.columns.len() {
            return Err(wrong("extra data after last expected column".to_owned()));
        }
        let mut row = Vec::with_capacity(self.columns.len());
        let mut fields = fields.into_iter();
        for column in &self.columns {
            // What comes before the missing one is converted first, and what is wrong in it told.
            let Some(field) = fields.next() else {
                return Err(wrong(format!("missing data for column \"{}\"", column.name)));
            };
            let Some(value) = field.value(&column.name, &self.options) else {
                row.push(Datum::Null);
                continue;
            };
            let datum = crate::types::text::parse(&value, column.ty, column.typmod, env);
            row.push(datum.map_err(|error| self.at_column(error, column, &value))?);
        }
        Ok(row)
    }

    /// Tells in which line an error was.
    fn at_line(&self, error: SqlError, line: Option<&str>) -> SqlError {
        let mut place = format!("COPY {}, line {}", self.relation, self.lines.number);
        if let Some(line) = line {
            place.push_str(&format!(": \"{}\"", shortened(line)));
        }
        with_place(error, place)
    }

    fn at_column(&self, error: SqlError, column: &CopyColumn, value: &str) -> SqlError {
        let (number, name, value) = (self.lines.number, &column.name, shortened(value));
        let place = format!("COPY {}, line {number}, column {name}: \"{value}\"", self.relation);
        with_place(error, place)
    }
}

/// The first hundred characters.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(100) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
