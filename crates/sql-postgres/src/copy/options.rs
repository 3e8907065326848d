//! The options of a COPY statement, in the syntax with parentheses and in the older one without.

use sqlparser::ast::{CopyLegacyCsvOption, CopyLegacyOption, CopyOption, Ident};

use crate::error::{Result, SqlError, SqlState};
use crate::types::TypeId;

/// A column that COPY reads or writes.
#[derive(Clone, Debug)]
pub struct CopyColumn {
    /// The name that the header line has.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
    /// The modifier of the type, or -1.
    pub typmod: i32,
}

/// The format of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyFormat {
    /// PostgreSQL's own: lines with tabs between fields and backslashes before what is special.
    Text,
    /// Lines with commas between fields and quotes around them (CSV).
    Csv,
    /// PostgreSQL's binary format, with the length of each field before it.
    Binary,
}

/// The options of a COPY, with the defaults of its format for those that it does not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyOptions {
    /// The format of the data.
    pub format: CopyFormat,
    /// The byte between two fields.
    pub delimiter: u8,
    /// The text that stands for NULL.
    pub null: String,
    /// Whether the first line has the names of the columns.
    pub header: bool,
    /// The byte before and after a quoted field of CSV.
    pub quote: u8,
    /// The byte before a quote inside a quoted field.
    pub escape: u8,
    /// The columns that are quoted whatever they contain; `None` is all of them.
    pub force_quote: Option<Vec<String>>,
    /// The columns in which the text for NULL is read as a text.
    pub force_not_null: Vec<String>,
    /// The columns in which the text for NULL is read as NULL even if it is quoted.
    pub force_null: Vec<String>,
}

/// The options as they are written, before it is known which of them go together.
#[derive(Default)]
struct Said {
    format: Option<CopyFormat>,
    delimiter: Option<char>,
    null: Option<String>,
    header: Option<bool>,
    quote: Option<char>,
    escape: Option<char>,
    force_quote: Option<Vec<Ident>>,
    force_not_null: Option<Vec<String>>,
    force_null: Option<Vec<String>>,
}

impl Default for CopyOptions {
    fn default() -> CopyOptions {
        CopyOptions {
            format: CopyFormat::Text,
            delimiter: b'\t',
            null: "\\N".to_owned(),
            header: false,
            quote: b'"',
            escape: b'"',
            force_quote: Some(Vec::new()),
            force_not_null: Vec::new(),
            force_null: Vec::new(),
        }
    }
}

impl CopyOptions {
    /// The options of a statement.
    pub fn new(options: &[CopyOption], legacy: &[CopyLegacyOption]) -> Result<CopyOptions> {
        let mut said = Said::default();
        options.iter().try_for_each(|option| said.option(option))?;
        legacy.iter().try_for_each(|option| said.legacy(option))?;
        said.options()
    }

    pub(super) fn forces_quote(&self, column: &str) -> bool {
        self.force_quote.as_ref().is_none_or(|all| all.iter().any(|name| name == column))
    }

    pub(super) fn forces_null(&self, column: &str) -> bool {
        self.force_null.iter().any(|name| name == column)
    }

    pub(super) fn forces_not_null(&self, column: &str) -> bool {
        self.force_not_null.iter().any(|name| name == column)
    }

    /// Refuses options for columns that are not copied.
    pub(super) fn check_columns(&self, columns: &[CopyColumn]) -> Result<()> {
        let lists = [
            ("FORCE_QUOTE", self.force_quote.as_deref().unwrap_or_default()),
            ("FORCE_NOT_NULL", self.force_not_null.as_slice()),
            ("FORCE_NULL", self.force_null.as_slice()),
        ];
        for (option, names) in lists {
            for name in names {
                if !columns.iter().any(|column| column.name == *name) {
                    let message = format!("{option} column \"{name}\" not referenced by COPY");
                    return Err(SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, message));
                }
            }
        }
        Ok(())
    }
}

/// Keeps what is said; twice is an error.
fn once<T>(place: &mut Option<T>, value: T) -> Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(SqlError::syntax("conflicting or redundant options")),
    }
}

/// Names as they are looked up: without quotes they are lower case.
fn names(idents: &[Ident]) -> Vec<String> {
    let name = |ident: &Ident| match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_lowercase(),
    };
    idents.iter().map(name).collect()
}

impl Said {
    fn option(&mut self, option: &CopyOption) -> Result<()> {
        match option {
            CopyOption::Format(name) => {
                let format = match name.value.to_lowercase().as_str() {
                    "text" => CopyFormat::Text,
                    "csv" => CopyFormat::Csv,
                    "binary" => CopyFormat::Binary,
                    other => {
                        let message = format!("COPY format \"{other}\" not recognized");
                        return Err(invalid(message));
                    }
                };
                once(&mut self.format, format)
            }
            // Rows have no age here, so there is nothing to freeze.
            CopyOption::Freeze(_) => Ok(()),
            CopyOption::Delimiter(c) => once(&mut self.delimiter, *c),
            CopyOption::Null(text) => once(&mut self.null, text.clone()),
            CopyOption::Header(header) => once(&mut self.header, *header),
            CopyOption::Quote(c) => once(&mut self.quote, *c),
            CopyOption::Escape(c) => once(&mut self.escape, *c),
            CopyOption::ForceQuote(columns) => once(&mut self.force_quote, columns.clone()),
            CopyOption::ForceNotNull(columns) => once(&mut self.force_not_null, names(columns)),
            CopyOption::ForceNull(columns) => once(&mut self.force_null, names(columns)),
            CopyOption::Encoding(name) => match name.to_uppercase().replace('-', "").as_str() {
                "UTF8" | "UNICODE" | "SQL_ASCII" => Ok(()),
                _ => Err(SqlError::unsupported(format_args!("COPY with encoding \"{name}\""))),
            },
        }
    }

    fn legacy(&mut self, option: &CopyLegacyOption) -> Result<()> {
        match option {
            CopyLegacyOption::Binary => once(&mut self.format, CopyFormat::Binary),
            CopyLegacyOption::Delimiter(c) => once(&mut self.delimiter, *c),
            CopyLegacyOption::Null(text) => once(&mut self.null, text.clone()),
            CopyLegacyOption::Header => once(&mut self.header, true),
            CopyLegacyOption::Csv(options) => {
                once(&mut self.format, CopyFormat::Csv)?;
                options.iter().try_for_each(|option| match option {
                    CopyLegacyCsvOption::Header => once(&mut self.header, true),
                    CopyLegacyCsvOption::Quote(c) => once(&mut self.quote, *c),
                    CopyLegacyCsvOption::Escape(c) => once(&mut self.escape, *c),
                    CopyLegacyCsvOption::ForceQuote(columns) => {
                        once(&mut self.force_quote, columns.clone())
                    }
                    CopyLegacyCsvOption::ForceNotNull(columns) => {
                        once(&mut self.force_not_null, names(columns))
                    }
                })
            }
            other => Err(SqlError::unsupported(format_args!("COPY option {other}"))),
        }
    }

    fn options(self) -> Result<CopyOptions> {
        let format = self.format.unwrap_or(CopyFormat::Text);
        let csv = format == CopyFormat::Csv;
        if format == CopyFormat::Binary {
            for (given, name) in
                [(self.delimiter.is_some(), "DELIMITER"), (self.null.is_some(), "NULL")]
            {
                if given {
                    let message = format!("cannot specify {name} in BINARY mode");
                    return Err(SqlError::syntax(message));
                }
            }
            if self.header == Some(true) {
                return Err(feature("cannot specify HEADER in BINARY mode"));
            }
        }
        for (given, name) in [
            (self.quote.is_some(), "quote"),
            (self.escape.is_some(), "escape"),
            (self.force_quote.is_some(), "force quote"),
            (self.force_not_null.is_some(), "force not null"),
            (self.force_null.is_some(), "force null"),
        ] {
            if given && !csv {
                return Err(feature(&format!("COPY {name} available only in CSV mode")));
            }
        }
        let delimiter =
            one_byte(self.delimiter.unwrap_or(if csv { ',' } else { '\t' }), "delimiter")?;
        let quote = one_byte(self.quote.unwrap_or('"'), "quote")?;
        let escape = self.escape.map_or(Ok(quote), |c| one_byte(c, "escape"))?;
        let null = self.null.unwrap_or_else(|| if csv { "" } else { "\\N" }.to_owned());
        if matches!(delimiter, b'\n' | b'\r') {
            return Err(invalid("COPY delimiter cannot be newline or carriage return"));
        }
        if null.contains(['\n', '\r']) {
            let message = "COPY null representation cannot use newline or carriage return";
            return Err(invalid(message));
        }
        if !csv && b"\\.abcdefghijklmnopqrstuvwxyz0123456789".contains(&delimiter) {
            let message = format!("COPY delimiter cannot be \"{}\"", char::from(delimiter));
            return Err(invalid(message));
        }
        if csv && delimiter == quote {
            return Err(invalid("COPY delimiter and quote must be different"));
        }
        if null.as_bytes().contains(&delimiter) {
            return Err(invalid("COPY delimiter must not appear in the NULL specification"));
        }
        if csv && null.as_bytes().contains(&quote) {
            return Err(invalid("CSV quote character must not appear in the NULL specification"));
        }
        Ok(CopyOptions {
            format,
            delimiter,
            null,
            header: self.header.unwrap_or(false),
            quote,
            escape,
            // Without names it is `*`, which is a name without quotes.
            force_quote: self.force_quote.map_or(Some(Vec::new()), |columns| {
                let star = |name: &Ident| name.value == "*" && name.quote_style.is_none();
                let all = columns.is_empty() || columns.iter().any(star);
                (!all).then(|| names(&columns))
            }),
            force_not_null: self.force_not_null.unwrap_or_default(),
            force_null: self.force_null.unwrap_or_default(),
        })
    }
}

fn one_byte(c: char, what: &str) -> Result<u8> {
    match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => Ok(byte),
        _ => Err(feature(&format!("COPY {what} must be a single one-byte character"))),
    }
}

fn invalid(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn feature(message: &str) -> SqlError {
    SqlError::new(SqlState::FEATURE_NOT_SUPPORTED, message)
}
