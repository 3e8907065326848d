//! Rows as the data of a COPY TO STDOUT.

use super::binary::SIGNATURE;
use super::{CopyColumn, CopyFormat, CopyOptions, CopyOut};
use crate::error::Result;
use crate::types::{Datum, TypeEnv, binary, text};

/// The data of rows, a message each, with header and trailer where the format has them.
pub fn encode(
    columns: &[CopyColumn],
    rows: &[Vec<Datum>],
    options: &CopyOptions,
    env: &TypeEnv<'_>,
) -> Result<CopyOut> {
    options.check_columns(columns)?;
    let mut data = Vec::with_capacity(rows.len() + 2);
    if options.format == CopyFormat::Binary {
        let mut header = SIGNATURE.to_vec();
        header.extend([0; 8]);
        data.push(header);
        for row in rows {
            data.push(binary_row(columns, row, env)?);
        }
        data.push((-1i16).to_be_bytes().to_vec());
    } else {
        if options.header {
            let names = columns.iter().map(|column| Some(column.name.clone()));
            data.push(line(columns, names, options, false));
        }
        for row in rows {
            let fields = row.iter().zip(columns).map(|(datum, column)| {
                (!datum.is_null()).then(|| text::print(datum, column.ty, column.typmod, env))
            });
            data.push(line(columns, fields, options, true));
        }
    }
    let binary = options.format == CopyFormat::Binary;
    Ok(CopyOut { binary, columns: columns.len(), data })
}

fn binary_row(columns: &[CopyColumn], row: &[Datum], env: &TypeEnv<'_>) -> Result<Vec<u8>> {
    let mut out = i16::try_from(row.len()).unwrap_or(i16::MAX).to_be_bytes().to_vec();
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
    Ok(out)
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
