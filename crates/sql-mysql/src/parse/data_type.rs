//! Types of columns and of casts.

use sqlparser::ast::{
    BinaryLength, CharacterLength, DataType, EnumMember, ExactNumberInfo, Ident, IntervalFields,
    TimezoneInfo,
};

use super::charset;
use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::keywords;
use super::token::Kind;

/// What is said of the texts of a type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextOptions {
    /// CHARACTER SET.
    pub charset: Option<Ident>,
    /// BINARY: the collation of the character set that compares codes.
    pub binary: bool,
}

/// A type as a column is declared with it.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnType {
    /// The type.
    pub data_type: DataType,
    /// ZEROFILL: it prints as wide as it may be, and is UNSIGNED.
    pub zerofill: bool,
    /// What is said of its texts.
    pub text: TextOptions,
    /// SERIAL: it is also NOT NULL AUTO_INCREMENT UNIQUE.
    pub serial: bool,
}

impl ColumnType {
    fn of(data_type: DataType) -> ColumnType {
        ColumnType { data_type, zerofill: false, text: TextOptions::default(), serial: false }
    }
}

impl Parser<'_> {
    /// The type of a column.
    pub(super) fn column_type(&mut self) -> Result<ColumnType> {
        let token = self.peek().clone();
        if let Kind::Quoted(_) = token.kind {
            return Err(self.unknown_type());
        }
        let Kind::Word = token.kind else { return Err(self.unexpected()) };
        let word = self.text[token.start..token.end].to_ascii_uppercase();
        if let Some(of) = integers(&word) {
            self.advance();
            let width = self.width()?;
            let (unsigned, zerofill) = self.numeric_options();
            return Ok(ColumnType { zerofill, ..ColumnType::of(of(width, unsigned)) });
        }
        let simple = |data_type| Ok(ColumnType::of(data_type));
        match word.as_str() {
            "BOOL" | "BOOLEAN" => self.advance_with(DataType::Bool),
            "SERIAL" => {
                self.advance();
                Ok(ColumnType { serial: true, ..ColumnType::of(DataType::BigIntUnsigned(None)) })
            }
            "DECIMAL" | "DEC" | "NUMERIC" | "FIXED" => {
                self.advance();
                let info = self.precision()?;
                let (unsigned, zerofill) = self.numeric_options();
                let of = if unsigned { DataType::DecimalUnsigned } else { DataType::Decimal };
                Ok(ColumnType { zerofill, ..ColumnType::of(of(info)) })
            }
            "FLOAT" | "FLOAT4" => {
                self.advance();
                let info = self.precision()?;
                let (unsigned, zerofill) = self.numeric_options();
                let of = if unsigned { DataType::FloatUnsigned } else { DataType::Float };
                Ok(ColumnType { zerofill, ..ColumnType::of(of(info)) })
            }
            "DOUBLE" | "REAL" | "FLOAT8" => {
                self.advance();
                let _ = word == "DOUBLE" && self.takes("PRECISION");
                let info = self.two_lengths()?;
                let (unsigned, zerofill) = self.numeric_options();
                let of = if unsigned { DataType::DoubleUnsigned } else { DataType::Double };
                Ok(ColumnType { zerofill, ..ColumnType::of(of(info)) })
            }
            "BIT" => {
                self.advance();
                let width = self.width()?;
                simple(DataType::Bit(width))
            }
            "YEAR" => {
                self.advance();
                let _ = self.width()?;
                let (_, zerofill) = self.numeric_options();
                let year = DataType::Custom(Ident::new("YEAR").into(), Vec::new());
                Ok(ColumnType { zerofill, ..ColumnType::of(year) })
            }
            "DATE" => self.advance_with(DataType::Date),
            "TIME" => {
                self.advance();
                let digits = self.width()?;
                simple(DataType::Time(digits, TimezoneInfo::None))
            }
            "DATETIME" => {
                self.advance();
                let digits = self.width()?;
                simple(DataType::Datetime(digits))
            }
            "TIMESTAMP" => {
                self.advance();
                let digits = self.width()?;
                simple(DataType::Timestamp(digits, TimezoneInfo::None))
            }
            "JSON" => self.advance_with(DataType::JSON),
            "BINARY" => {
                self.advance();
                let width = self.width()?;
                simple(DataType::Binary(width))
            }
            "VARBINARY" => {
                self.advance();
                let length = self.in_parens(Self::integer)?;
                simple(DataType::Varbinary(Some(BinaryLength::IntegerLength { length })))
            }
            "TINYBLOB" => self.advance_with(DataType::TinyBlob),
            "BLOB" => {
                self.advance();
                let width = self.width()?;
                simple(DataType::Blob(width))
            }
            "MEDIUMBLOB" => self.advance_with(DataType::MediumBlob),
            "LONGBLOB" => self.advance_with(DataType::LongBlob),
            "LONG" => self.long(),
            "UUID" | "INET6" | "INET4" if self.is_mariadb() => {
                self.advance();
                simple(match word.as_str() {
                    "UUID" => DataType::Uuid,
                    _ => DataType::Custom(Ident::new(word).into(), Vec::new()),
                })
            }
            "GEOMETRY" | "POINT" | "LINESTRING" | "POLYGON" | "MULTIPOINT" | "MULTILINESTRING"
            | "MULTIPOLYGON" | "GEOMETRYCOLLECTION" => {
                self.advance();
                simple(DataType::Custom(Ident::new(word).into(), Vec::new()))
            }
            _ => self.text_type(&word),
        }
    }

    /// A type that MariaDB does not know, with its lengths.
    fn unknown_type(&mut self) -> ParseError {
        let name = self.taken_ident().value;
        match self.precision() {
            Ok(_) => ParseError::UnknownType(name),
            Err(error) => error,
        }
    }

    fn advance_with(&mut self, data_type: DataType) -> Result<ColumnType> {
        self.advance();
        Ok(ColumnType::of(data_type))
    }

    /// LONG VARCHAR and its kin, which are MEDIUMTEXT and MEDIUMBLOB.
    fn long(&mut self) -> Result<ColumnType> {
        self.advance();
        if self.takes("VARBINARY") {
            return Ok(ColumnType::of(DataType::MediumBlob));
        }
        if self.takes_one_of(&["VARCHAR", "VARCHARACTER"]).is_none()
            && self.takes_one_of(&["CHAR", "CHARACTER"]).is_some()
        {
            self.expect("VARYING")?;
        }
        let text = self.text_options()?;
        Ok(ColumnType { text, ..ColumnType::of(DataType::MediumText) })
    }

    /// Types of texts.
    fn text_type(&mut self, word: &str) -> Result<ColumnType> {
        let national = matches!(word, "NATIONAL" | "NCHAR" | "NVARCHAR");
        let first = match word {
            "NATIONAL" => {
                self.advance();
                let next = self.takes_one_of(&["CHAR", "CHARACTER", "VARCHAR", "VARCHARACTER"]);
                next.ok_or_else(|| self.unexpected())?
            }
            "CHAR" | "CHARACTER" | "NCHAR" | "VARCHAR" | "VARCHARACTER" | "NVARCHAR"
            | "VARCHAR2" | "TINYTEXT" | "TEXT" | "MEDIUMTEXT" | "LONGTEXT" | "ENUM" | "SET" => {
                if word == "VARCHAR2" && !self.is_mariadb() {
                    return Err(self.unexpected());
                }
                self.advance();
                word
            }
            _ if self.is_mariadb() && !keywords::is_untyped(word) => {
                return Err(self.unknown_type());
            }
            _ => return Err(self.unexpected()),
        };
        let data_type = match first {
            "TINYTEXT" => DataType::TinyText,
            "MEDIUMTEXT" => DataType::MediumText,
            "LONGTEXT" => DataType::LongText,
            "TEXT" => {
                // A length only says which of the four types it is.
                match self.width()? {
                    None => DataType::Text,
                    Some(0..=255) => DataType::TinyText,
                    Some(256..=65_535) => DataType::Text,
                    Some(65_536..=16_777_215) => DataType::MediumText,
                    Some(_) => DataType::LongText,
                }
            }
            "ENUM" => {
                let labels = self.in_parens(|parser| parser.listed(Self::label))?;
                DataType::Enum(labels.into_iter().map(EnumMember::Name).collect(), None)
            }
            "SET" => DataType::Set(self.in_parens(|parser| parser.listed(Self::label))?),
            "CHAR" | "CHARACTER" | "NCHAR" => {
                let varying = self.takes("VARYING") || first == "NCHAR" && self.takes("VARCHAR");
                match varying {
                    true => DataType::Varchar(Some(length(self.in_parens(Self::integer)?))),
                    false => DataType::Char(self.width()?.map(length)),
                }
            }
            _ => DataType::Varchar(Some(length(self.in_parens(Self::integer)?))),
        };
        let text = match national {
            true => {
                TextOptions { charset: Some(Ident::new("utf8mb3")), binary: self.takes("BINARY") }
            }
            false => self.text_options()?,
        };
        Ok(ColumnType { text, ..ColumnType::of(data_type) })
    }

    fn label(&mut self) -> Result<String> {
        self.string()
    }

    /// CHARACTER SET and BINARY, in either order; COLLATE is an option of columns.
    fn text_options(&mut self) -> Result<TextOptions> {
        let mut options = TextOptions::default();
        if self.takes("BINARY") {
            options.binary = true;
            if self.is_charset() {
                options.charset = Some(self.charset_clause()?);
            }
        } else if self.takes("ASCII") {
            options =
                TextOptions { charset: Some(Ident::new("latin1")), binary: self.takes("BINARY") };
        } else if self.takes("UNICODE") {
            options =
                TextOptions { charset: Some(Ident::new("ucs2")), binary: self.takes("BINARY") };
        } else if self.takes("BYTE") {
            options.charset = Some(Ident::new("binary"));
        } else if self.is_charset() {
            options.charset = Some(self.charset_clause()?);
            options.binary = self.takes("BINARY");
        }
        Ok(options)
    }

    /// Whether CHARACTER SET is next; no other clause begins with its first word.
    pub(super) fn is_charset(&mut self) -> bool {
        self.is_one_of(&["CHARSET", "CHARACTER", "CHAR"])
    }

    /// CHARACTER SET and a name.
    pub(super) fn charset_clause(&mut self) -> Result<Ident> {
        self.charset_words()?;
        self.charset_name()
    }

    /// CHARACTER SET or CHARSET.
    pub(super) fn charset_words(&mut self) -> Result<()> {
        if self.takes("CHARSET") {
            return Ok(());
        }
        self.expect_one_of(&["CHARACTER", "CHAR"])?;
        self.expect("SET")
    }

    /// The name of a character set.
    pub(super) fn charset_name(&mut self) -> Result<Ident> {
        let name = self.charset_word()?;
        match charset::is_known(&name.value) {
            true => Ok(name),
            false => Err(ParseError::UnknownCharset(name.value)),
        }
    }

    fn charset_word(&mut self) -> Result<Ident> {
        match self.takes("BINARY") {
            true => Ok(Ident::new("binary")),
            false => self.ident_or_text(),
        }
    }

    /// The name of a collation, which begins with that of its character set; MariaDB's newest do not.
    pub(super) fn collation_name(&mut self) -> Result<Ident> {
        let name = self.charset_word()?;
        let lower = name.value.to_ascii_lowercase();
        let charset = lower.split('_').next().unwrap_or_default();
        let known = lower == "binary"
            || charset::is_known(charset) && lower.len() > charset.len()
            || self.is_mariadb() && lower.starts_with("uca1400_");
        if known { Ok(name) } else { Err(ParseError::UnknownCollation(name.value)) }
    }

    /// UNSIGNED and ZEROFILL, which makes it unsigned too.
    fn numeric_options(&mut self) -> (bool, bool) {
        let before = self.takes("ZEROFILL");
        let sign = self.takes_one_of(&["UNSIGNED", "SIGNED"]);
        let zerofill = before || self.takes("ZEROFILL");
        (zerofill || sign == Some("UNSIGNED"), zerofill)
    }

    /// `(n)`, if it is there.
    fn width(&mut self) -> Result<Option<u64>> {
        match self.is_sign("(") {
            true => self.in_parens(Self::integer).map(Some),
            false => Ok(None),
        }
    }

    /// `(n)` or `(n, m)`, if it is there.
    fn precision(&mut self) -> Result<ExactNumberInfo> {
        if !self.takes_sign("(") {
            return Ok(ExactNumberInfo::None);
        }
        let precision = self.integer()?;
        let info = match self.takes_sign(",") {
            true => {
                let scale = self.integer()?;
                ExactNumberInfo::PrecisionAndScale(
                    precision,
                    i64::try_from(scale).unwrap_or(i64::MAX),
                )
            }
            false => ExactNumberInfo::Precision(precision),
        };
        self.expect_sign(")")?;
        Ok(info)
    }

    /// `(n, m)`, if it is there.
    fn two_lengths(&mut self) -> Result<ExactNumberInfo> {
        if !self.takes_sign("(") {
            return Ok(ExactNumberInfo::None);
        }
        let precision = self.integer()?;
        self.expect_sign(",")?;
        let scale = self.integer()?;
        self.expect_sign(")")?;
        Ok(ExactNumberInfo::PrecisionAndScale(precision, i64::try_from(scale).unwrap_or(i64::MAX)))
    }

    /// The type of a cast, and its character set.
    pub(super) fn cast_type(&mut self) -> Result<(DataType, Option<Ident>)> {
        let plain = |data_type| Ok((data_type, None));
        if let Some(word) = self.takes_one_of(&["SIGNED", "UNSIGNED"]) {
            let _ = self.takes("INTEGER") || self.takes("INT");
            return plain(if word == "SIGNED" { DataType::Signed } else { DataType::Unsigned });
        }
        if self.is_mariadb() && self.takes_one_of(&["INT", "INTEGER"]).is_some() {
            return plain(DataType::Signed);
        }
        if let Some(word) = self.takes_one_of(&["CHAR", "CHARACTER", "NCHAR"]) {
            let data_type = DataType::Char(self.width()?.map(length));
            if word == "NCHAR" {
                return Ok((data_type, Some(Ident::new("utf8mb3"))));
            }
            let options = self.text_options()?;
            return Ok((data_type, options.charset));
        }
        if self.is_mariadb() && self.takes("VARCHAR") {
            let data_type = DataType::Char(Some(length(self.in_parens(Self::integer)?)));
            let options = self.text_options()?;
            return Ok((data_type, options.charset));
        }
        if self.takes("BINARY") {
            let width = self.width()?;
            return plain(DataType::Binary(width));
        }
        if self.takes("DATE") {
            return plain(DataType::Date);
        }
        if self.takes("TIME") {
            let digits = self.width()?;
            return plain(DataType::Time(digits, TimezoneInfo::None));
        }
        if self.takes("DATETIME") {
            let digits = self.width()?;
            return plain(DataType::Datetime(digits));
        }
        if self.takes_one_of(&["DECIMAL", "DEC", "NUMERIC", "FIXED"]).is_some() {
            return Ok((DataType::Decimal(self.precision()?), None));
        }
        if self.takes("DOUBLE") {
            let _ = self.takes("PRECISION");
            let info = if self.is_mariadb() { self.two_lengths()? } else { ExactNumberInfo::None };
            return Ok((DataType::Double(info), None));
        }
        if self.takes("FLOAT") {
            let info = self.precision()?;
            return plain(DataType::Float(info));
        }
        if self.is_mariadb() {
            if self.takes("UUID") {
                return plain(DataType::Uuid);
            }
            if let Some(word) = self.takes_one_of(&["INET4", "INET6"]) {
                return plain(DataType::Custom(Ident::new(word).into(), Vec::new()));
            }
            if self.takes("INTERVAL") {
                self.expect("DAY_SECOND")?;
                let digits = self.in_parens(Self::integer)?;
                let fields = Some(IntervalFields::DayToSecond);
                return plain(DataType::Interval { fields, precision: Some(digits) });
            }
            return Err(self.unexpected());
        }
        match self.takes_one_of(&["JSON", "YEAR", "REAL"]) {
            Some("JSON") => plain(DataType::JSON),
            Some("YEAR") => plain(DataType::Custom(Ident::new("YEAR").into(), Vec::new())),
            Some(_) => plain(DataType::Double(ExactNumberInfo::None)),
            None => Err(self.unexpected()),
        }
    }
}

fn length(length: u64) -> CharacterLength {
    CharacterLength::IntegerLength { length, unit: None }
}

/// The integer type of a name.
fn integers(word: &str) -> Option<fn(Option<u64>, bool) -> DataType> {
    Some(match word {
        "TINYINT" | "INT1" => |width, unsigned| {
            if unsigned { DataType::TinyIntUnsigned(width) } else { DataType::TinyInt(width) }
        },
        "SMALLINT" | "INT2" => |width, unsigned| {
            if unsigned { DataType::SmallIntUnsigned(width) } else { DataType::SmallInt(width) }
        },
        "MEDIUMINT" | "INT3" | "MIDDLEINT" => |width, unsigned| {
            if unsigned { DataType::MediumIntUnsigned(width) } else { DataType::MediumInt(width) }
        },
        "INT" | "INTEGER" | "INT4" => |width, unsigned| {
            if unsigned { DataType::IntUnsigned(width) } else { DataType::Int(width) }
        },
        "BIGINT" | "INT8" => |width, unsigned| {
            if unsigned { DataType::BigIntUnsigned(width) } else { DataType::BigInt(width) }
        },
        _ => return None,
    })
}
