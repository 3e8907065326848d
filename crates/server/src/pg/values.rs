//! Values as they travel: text or binary, by the format codes of a Bind.

use hobgoblin_sql_postgres::session::ColumnDescription;
use hobgoblin_sql_postgres_types::error::{Code, Result, SqlError, SqlState};
use hobgoblin_sql_postgres_types::{Datum, Names, TypeEnv, TypeId, binary, builtin, text};
use hobgoblin_wire::pg::{Bind, Encoder};

/// Buffers that are used for every value.
#[derive(Default)]
pub(crate) struct Scratch {
    text: String,
    binary: Vec<u8>,
}

impl Scratch {
    /// Writes a row. On an error there is nothing of it.
    pub(crate) fn row(
        &mut self,
        out: &mut Encoder,
        row: &[Datum],
        columns: &[ColumnDescription],
        formats: &[i16],
        env: &TypeEnv<'_>,
    ) -> Result<()> {
        let start = out.bytes().len();
        let result = self.values(out, row, columns, formats, env);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    fn values(
        &mut self,
        out: &mut Encoder,
        row: &[Datum],
        columns: &[ColumnDescription],
        formats: &[i16],
        env: &TypeEnv<'_>,
    ) -> Result<()> {
        let mut written = out.row();
        for (at, (datum, column)) in row.iter().zip(columns).enumerate() {
            if datum.is_null() {
                written.null();
            } else if format(formats, at) == 1 {
                self.binary.clear();
                binary::encode(datum, column.ty, column.typmod, env, &mut self.binary)?;
                written.value(&self.binary);
            } else {
                self.text.clear();
                text::print_into(&mut self.text, datum, column.ty, column.typmod, env);
                written.value(self.text.as_bytes());
            }
        }
        written.finish();
        Ok(())
    }
}

/// The format of a column or parameter: none is text, one is for all.
pub(crate) fn format(formats: &[i16], at: usize) -> i16 {
    match formats {
        [] => 0,
        [all] => *all,
        each => each.get(at).copied().unwrap_or(0),
    }
}

/// Refuses codes that are neither text nor binary.
pub(crate) fn check_formats(formats: &[i16]) -> Result<()> {
    match formats.iter().find(|code| !matches!(code, 0 | 1)) {
        None => Ok(()),
        Some(code) => {
            let message = format!("unsupported format code: {code}");
            Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message))
        }
    }
}

/// The parameters of a Bind, as many as there are types.
pub(crate) fn params(bind: &Bind, types: &[TypeId], env: &TypeEnv<'_>) -> Result<Vec<Datum>> {
    check_formats(&bind.formats)?;
    let mut all = Vec::with_capacity(types.len());
    for (at, (bytes, &ty)) in bind.params.iter().zip(types).enumerate() {
        let Some(bytes) = bytes else {
            all.push(Datum::Null);
            continue;
        };
        all.push(match format(&bind.formats, at) {
            1 => binary::decode(bytes, ty, -1, env).map_err(|error| numbered(error, at))?,
            _ => text::parse(utf8(bytes)?, ty, -1, env)?,
        });
    }
    Ok(all)
}

/// Tells which parameter has too many bytes.
fn numbered(error: SqlError, at: usize) -> SqlError {
    let (state, message) = (error.state(), error.message());
    let long = state == SqlState::INVALID_BINARY_REPRESENTATION
        && message == "incorrect binary data format";
    match long {
        true => SqlError::new(state, format!("{message} in bind parameter {}", at + 1)),
        false => error,
    }
}

/// Text of a client, which must be UTF-8 without NUL.
fn utf8(bytes: &[u8]) -> Result<&str> {
    let wrong = |at: usize| {
        let shown: Vec<String> =
            bytes.iter().skip(at).take(1).map(|byte| format!("0x{byte:02x}")).collect();
        let message = format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" "));
        SqlError::new(Code("22021"), message)
    };
    let text = std::str::from_utf8(bytes).map_err(|error| wrong(error.valid_up_to()))?;
    match text.find('\0') {
        None => Ok(text),
        Some(at) => Err(wrong(at)),
    }
}

/// The size of a type's values as clients are told it: negative where it varies.
pub(crate) fn size(ty: TypeId, names: &dyn Names) -> i16 {
    match builtin::by_oid(ty) {
        Some(known) => known.len,
        None if names.enum_type(ty).is_some() => 4,
        None => -1,
    }
}
