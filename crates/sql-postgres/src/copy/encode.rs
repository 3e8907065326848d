//! Rows as the data of a COPY TO STDOUT.

use super::binary::SIGNATURE;
use super::{CopyColumn, CopyFormat, CopyOptions};
use crate::error::Result;
use crate::types::{Datum, TypeEnv, binary, text};

/// The data of a COPY TO STDOUT, made a row at a time, so that nobody has to hold all of it.
#[derive(Debug)]
pub struct CopyOut {
    columns: Vec<CopyColumn>,
    options: CopyOptions,
    rows: std::vec::IntoIter<Vec<Datum>>,
    next: Part,
}

/// What comes next.
#[derive(Debug)]
enum Part {
    Header,
    Rows,
    Nothing,
}

impl CopyOut {
    /// The data of rows in columns.
    pub fn new(
        columns: Vec<CopyColumn>,
        rows: Vec<Vec<Datum>>,
        options: CopyOptions,
    ) -> Result<CopyOut> {
        options.check_columns(&columns)?;
        Ok(CopyOut { columns, options, rows: rows.into_iter(), next: Part::Header })
    }

    /// Whether the data is binary.
    pub fn is_binary(&self) -> bool {
        self.options.format == CopyFormat::Binary
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The next message of data: a line of names where the format has one, a row, or a trailer. What a binary file
    /// begins with is in the first message, as clients expect.
    pub fn next(&mut self, env: &TypeEnv<'_>) -> Result<Option<Vec<u8>>> {
        let mut out = Vec::new();
        if let Part::Header = self.next {
            self.next = Part::Rows;
            if self.is_binary() {
                out.extend_from_slice(SIGNATURE);
                out.extend([0; 8]);
            } else if self.options.header {
                let names = self.columns.iter().map(|column| Some(column.name.clone()));
                return Ok(Some(line(&self.columns, names, &self.options, false)));
            }
        }
        match (self.rows.next(), &self.next) {
            (Some(row), _) if self.is_binary() => {
                binary_row(&self.columns, &row, env, &mut out)?;
                Ok(Some(out))
            }
            (Some(row), _) => {
                let fields = row.iter().zip(&self.columns).map(|(datum, column)| {
                    (!datum.is_null()).then(|| text::print(datum, column.ty, column.typmod, env))
                });
                Ok(Some(line(&self.columns, fields, &self.options, true)))
            }
            (None, Part::Rows) if self.is_binary() => {
                self.next = Part::Nothing;
                out.extend((-1i16).to_be_bytes());
                Ok(Some(out))
            }
            (None, _) => Ok(None),
        }
    }
}

fn binary_row(
    columns: &[CopyColumn],
    row: &[Datum],
    env: &TypeEnv<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.extend(i16::try_from(row.len()).unwrap_or(i16::MAX).to_be_bytes());
    let mut value = Vec::new();
    for (datum, column) in row.iter().zip(columns) {
        if datum.is_null() {
            out.extend((-1i32).to_be_bytes());
            continue;
        }
        value.clear();
        binary::encode(datum, column.ty, column.typmod, env, &mut value)?;
        out.extend(i32::try_from(value.len()).unwrap_or(i32::MAX).to_be_bytes());
        out.extend_from_slice(&value);
    }
    Ok(())
}

fn line(
    columns: &[CopyColumn],
    fields: impl Iterator<Item = Option<String>>,
    options: &CopyOptions,
    values: bool,
) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, (field, column)) in fields.zip(columns).enumerate() {
        if at > 0 {
            out.push(options.delimiter);
        }
        match (field, options.format) {
            (None, _) => out.extend_from_slice(options.null.as_bytes()),
            (Some(field), CopyFormat::Csv) => {
                let force = values && options.forces_quote(&column.name);
                csv(&mut out, &field, force, columns.len() == 1, options);
            }
            (Some(field), _) => escape(&mut out, &field, options.delimiter),
        }
    }
    out.push(b'\n');
    out
}

/// A field of text: what would be read as something else has a backslash before it.
fn escape(out: &mut Vec<u8>, field: &str, delimiter: u8) {
    for byte in field.bytes() {
        let letter = match byte {
            8 => b'b',
            12 => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            11 => b'v',
            b'\\' => b'\\',
            _ if byte == delimiter => byte,
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend([b'\\', letter]);
    }
}

/// A field of CSV: quoted when it has to be.
fn csv(out: &mut Vec<u8>, field: &str, force: bool, alone: bool, options: &CopyOptions) {
    let special = |byte: u8| {
        byte == options.delimiter || byte == options.quote || matches!(byte, b'\n' | b'\r')
    };
    let quoted =
        force || field == options.null || field.bytes().any(special) || (alone && field == "\\.");
    if !quoted {
        out.extend_from_slice(field.as_bytes());
        return;
    }
    out.push(options.quote);
    for byte in field.bytes() {
        if byte == options.quote || byte == options.escape {
            out.push(options.escape);
        }
        out.push(byte);
    }
    out.push(options.quote);
}
