//! Calls of functions.
//!
//! Most functions are a name and arguments in parentheses. For those whose names are words of the grammar, the
//! grammar says how many arguments there are, so a wrong number of them is an error of syntax; for all others that
//! is found out later.

use sqlparser::ast::{
    CastKind, DataType, DateTimeField, Expr, ExtractSyntax, Ident, TrimWhereField, Value,
};

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::expression::{PIPE, Read};
use super::function_tree::{call_of, exprs};
use super::keywords;
use super::token::Kind;

/// Functions whose parenthesis must follow at once, unless IGNORE_SPACE is set; else they are like all others.
#[rustfmt::skip]
const ADJACENT: &[&str] = &[
    "ADDDATE", "BIT_AND", "BIT_OR", "BIT_XOR", "CAST", "COUNT", "CUME_DIST", "CURDATE", "CURTIME", "DATE_ADD",
    "DATE_SUB", "DENSE_RANK", "EXTRACT", "FIRST_VALUE", "GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG",
    "LAG", "LEAD", "MAX", "MEDIAN", "MID", "MIN", "NOW", "NTH_VALUE", "NTILE", "PERCENTILE_CONT",
    "PERCENTILE_DISC", "PERCENT_RANK", "POSITION", "RANK", "SESSION_USER", "STD", "STDDEV", "STDDEV_POP",
    "STDDEV_SAMP", "SUBDATE", "SUBSTR", "SUBSTRING", "SUM", "SYSTEM_USER", "TRIM", "TRIM_ORACLE", "VARIANCE",
    "VAR_POP", "VAR_SAMP",
];

/// Aggregates of one argument.
const AGGREGATES: &[&str] = &[
    "BIT_AND",
    "BIT_OR",
    "BIT_XOR",
    "STD",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
];

/// Those that may count equal values once.
const DISTINCT_AGGREGATES: &[&str] = &["AVG", "MAX", "MIN", "SUM"];

/// Functions of windows: the fewest and the most arguments.
const WINDOWED: &[(&str, usize, usize)] = &[
    ("CUME_DIST", 0, 0),
    ("DENSE_RANK", 0, 0),
    ("FIRST_VALUE", 1, 1),
    ("LAG", 1, 3),
    ("LEAD", 1, 3),
    ("NTH_VALUE", 2, 2),
    ("NTILE", 1, 1),
    ("PERCENT_RANK", 0, 0),
    ("RANK", 0, 0),
    ("ROW_NUMBER", 0, 0),
];

/// Functions that are words of the grammar: the fewest and the most arguments.
const COUNTED: &[(&str, usize, usize)] = &[
    ("ASCII", 1, 1),
    ("CHARSET", 1, 1),
    ("CURDATE", 0, 0),
    ("CURRENT_DATE", 0, 0),
    ("CURRENT_ROLE", 0, 0),
    ("CURRENT_USER", 0, 0),
    ("DATABASE", 0, usize::MAX),
    ("DATE", 1, 1),
    ("DAY", 1, 1),
    ("HOUR", 1, 1),
    ("IF", 3, 3),
    ("INSERT", 4, 4),
    ("LEFT", 2, 2),
    ("MINUTE", 1, 1),
    ("MOD", 2, 2),
    ("MONTH", 1, 1),
    ("PASSWORD", 1, 1),
    ("REPEAT", 2, 2),
    ("REPLACE", 3, 3),
    ("RIGHT", 2, 2),
    ("ROWNUM", 0, 0),
    ("SCHEMA", 0, usize::MAX),
    ("SECOND", 1, 1),
    ("SESSION_USER", 0, 0),
    ("SYSTEM_USER", 0, 0),
    ("TIME", 1, 1),
    ("TIMESTAMP", 1, 2),
    ("TRUNCATE", 2, 2),
    ("USER", 0, 0),
    ("UTC_DATE", 0, 0),
    ("YEAR", 1, 1),
];

/// Functions of the time of day, with a number of digits or none.
const CLOCKS: &[&str] = &[
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURTIME",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "NOW",
    "SYSDATE",
    "UTC_TIME",
    "UTC_TIMESTAMP",
];

/// Functions that are called by their name alone.
const VALUE_WORDS: &[&str] = &[
    "CURRENT_DATE",
    "CURRENT_ROLE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "UTC_DATE",
    "UTC_TIME",
    "UTC_TIMESTAMP",
];

/// Whether a word is a call by itself.
pub(super) fn value_word(word: &str) -> bool {
    VALUE_WORDS.binary_search(&word).is_ok()
}

impl Parser<'_> {
    /// A call, from its word on; a parenthesis follows.
    pub(super) fn call(&mut self, word: &str) -> Result<Read> {
        let adjacent = self.calls_at_once();
        if !adjacent && ADJACENT.binary_search(&word).is_ok() {
            let name = self.taken_ident();
            return self.plain_call(vec![name]);
        }
        if let Some(read) = self.special_call(word)? {
            return Ok(read);
        }
        let windowed = WINDOWED.iter().find(|(name, ..)| *name == word);
        if let Some((_, least, most)) = windowed {
            let name = self.taken_ident();
            let args = self.counted(*least, *most)?;
            return self.windowed(call_of(name, exprs(args)), true);
        }
        let counted = COUNTED.iter().find(|(name, ..)| *name == word);
        if let Some((_, least, most)) = counted {
            let name = self.taken_ident();
            let args = self.counted(*least, *most)?;
            return Ok(Read::closed(Expr::Function(call_of(name, exprs(args)))));
        }
        if AGGREGATES.contains(&word) || DISTINCT_AGGREGATES.contains(&word) {
            return self.aggregate(DISTINCT_AGGREGATES.contains(&word));
        }
        if CLOCKS.contains(&word) {
            let name = self.taken_ident();
            self.expect_sign("(")?;
            let args = match self.peek().kind {
                Kind::Integer => vec![self.simple()?.expr],
                _ => Vec::new(),
            };
            self.expect_sign(")")?;
            return Ok(Read::closed(Expr::Function(call_of(name, exprs(args)))));
        }
        match keywords::is_uncalled(word) {
            true => self.named(),
            false => {
                let name = self.ident()?;
                self.plain_call(vec![name])
            }
        }
    }

    /// Whether the parenthesis after a word follows it at once.
    pub(super) fn calls_at_once(&mut self) -> bool {
        self.is_sign_ahead(1, "(")
            && (self.reading.ignore_space || self.peek().end == self.ahead(1).start)
    }

    /// A name and any arguments. They may have names of their own as far as the grammar goes; no function takes them.
    pub(super) fn plain_call(&mut self, name: Vec<Ident>) -> Result<Read> {
        let called = name.last().map_or_else(String::new, |name| name.value.clone());
        let args = self.arguments(&called)?;
        Ok(Read::closed(Expr::Function(call_of(name, exprs(args)))))
    }

    fn arguments(&mut self, called: &str) -> Result<Vec<Expr>> {
        let mut named = false;
        self.expect_sign("(")?;
        let args = match self.is_sign(")") {
            true => Vec::new(),
            false => self.listed(|parser| {
                let arg = parser.expr()?;
                let text = matches!(parser.peek().kind, Kind::Text(_));
                if parser.takes("AS") || parser.is_name() || text {
                    parser.ident_or_text()?;
                    named = true;
                }
                Ok(arg)
            })?,
        };
        self.expect_sign(")")?;
        match named {
            true => Err(ParseError::NamedArgument(called.to_owned())),
            false => Ok(args),
        }
    }

    /// Arguments in parentheses, so many of them.
    pub(super) fn counted(&mut self, least: usize, most: usize) -> Result<Vec<Expr>> {
        self.expect_sign("(")?;
        let mut args = Vec::new();
        while args.len() < most && !(args.len() >= least && self.is_sign(")")) {
            if !args.is_empty() {
                self.expect_sign(",")?;
            }
            args.push(self.expr()?);
        }
        self.expect_sign(")")?;
        Ok(args)
    }

    /// Functions with a grammar of their own.
    fn special_call(&mut self, word: &str) -> Result<Option<Read>> {
        Ok(Some(match word {
            "COUNT" => self.count()?,
            "GROUP_CONCAT" => self.group_concat()?,
            "JSON_ARRAYAGG" if self.is_mariadb() => self.group_concat()?,
            "JSON_ARRAYAGG" | "JSON_OBJECTAGG" => {
                let name = self.taken_ident();
                let count = if word == "JSON_ARRAYAGG" { 1 } else { 2 };
                let args = self.counted(count, count)?;
                return self.windowed(call_of(name, exprs(args)), false).map(Some);
            }
            "MEDIAN" | "PERCENTILE_CONT" | "PERCENTILE_DISC" if self.is_mariadb() => {
                self.percentile(word)?
            }
            "CAST" => self.cast()?,
            "CONVERT" => self.convert()?,
            "EXTRACT" => self.extract()?,
            "POSITION" => {
                self.advance();
                self.expect_sign("(")?;
                let expr = Box::new(self.at_least(PIPE)?);
                self.expect("IN")?;
                let within = Box::new(self.expr()?);
                self.expect_sign(")")?;
                Read::closed(Expr::Position { expr, r#in: within })
            }
            "SUBSTRING" | "SUBSTR" | "MID" => self.substring(word == "SUBSTR")?,
            "TRIM" => self.trim()?,
            "CHAR" | "CHARACTER" => self.char()?,
            "DATE_ADD" | "DATE_SUB" | "ADDDATE" | "SUBDATE" => self.date_arithmetic(word)?,
            "TIMESTAMPADD" | "TIMESTAMPDIFF" => self.timestamp_arithmetic()?,
            "GET_FORMAT" => {
                let name = self.taken_ident();
                self.expect_sign("(")?;
                self.expect_one_of(&["DATE", "TIME", "DATETIME", "TIMESTAMP"])?;
                let kind = self.text[..self.end()].to_owned();
                let kind =
                    kind.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
                self.expect_sign(",")?;
                let format = self.expr()?;
                self.expect_sign(")")?;
                let kind = Expr::Value(Value::SingleQuotedString(kind.to_ascii_uppercase()).into());
                Read::closed(Expr::Function(call_of(name, exprs(vec![kind, format]))))
            }
            "DEFAULT" => {
                let name = self.taken_ident();
                let column = self.in_parens(Self::column)?;
                Read::closed(Expr::Function(call_of(name, exprs(vec![column]))))
            }
            "VALUES" if self.is_mariadb() && !self.updates_row => return Err(self.unexpected()),
            "VALUES" | "VALUE" if word == "VALUES" || self.is_mariadb() => {
                self.aside.calls_of_values += u16::from(!self.is_mariadb());
                let name = self.taken_ident();
                let column = self.in_parens(Self::column)?;
                Read::closed(Expr::Function(call_of(name, exprs(vec![column]))))
            }
            "WEIGHT_STRING" => self.weight_string()?,
            "LAST_VALUE" => {
                let name = self.taken_ident();
                let args = self.counted(1, usize::MAX)?;
                let alone = args.len() > 1;
                let call = call_of(name, exprs(args));
                if alone {
                    Read::closed(Expr::Function(call))
                } else {
                    self.windowed(call, !self.is_mariadb())?
                }
            }
            _ => return Ok(None),
        }))
    }

    /// The name of a column, as an expression.
    fn column(&mut self) -> Result<Expr> {
        let mut parts = vec![self.ident()?];
        while parts.len() < 3 && self.takes_sign(".") {
            parts.push(self.ident()?);
        }
        Ok(match parts.len() {
            1 => Expr::Identifier(parts.remove(0)),
            _ => Expr::CompoundIdentifier(parts),
        })
    }

    /// CAST (a AS type).
    fn cast(&mut self) -> Result<Read> {
        self.advance();
        self.expect_sign("(")?;
        let expr = Box::new(self.expr()?);
        self.expect("AS")?;
        let read = self.casts(expr)?;
        self.expect_sign(")")?;
        Ok(read)
    }

    /// CONVERT (a, type) and CONVERT (a USING charset).
    fn convert(&mut self) -> Result<Read> {
        self.advance();
        self.expect_sign("(")?;
        let expr = Box::new(self.expr()?);
        let read = if self.takes("USING") {
            let charset = self.charset_name()?;
            Read::closed(converted(expr, None, charset))
        } else {
            self.expect_sign(",")?;
            self.casts(expr)?
        };
        self.expect_sign(")")?;
        Ok(read)
    }

    /// The type of a cast, with the character set that it may name.
    fn casts(&mut self, expr: Box<Expr>) -> Result<Read> {
        let (data_type, charset) = self.cast_type()?;
        Ok(Read::closed(match charset {
            Some(charset) => converted(expr, Some(data_type), charset),
            None => Expr::Cast { kind: CastKind::Cast, expr, data_type, format: None },
        }))
    }

    fn extract(&mut self) -> Result<Read> {
        self.advance();
        self.expect_sign("(")?;
        let field: DateTimeField = self.unit()?;
        self.expect("FROM")?;
        let expr = Box::new(self.expr()?);
        self.expect_sign(")")?;
        Ok(Read::closed(Expr::Extract { field, syntax: ExtractSyntax::From, expr }))
    }

    fn substring(&mut self, shorthand: bool) -> Result<Read> {
        self.advance();
        self.expect_sign("(")?;
        let expr = Box::new(self.expr()?);
        let special = !self.takes("FROM");
        if special {
            self.expect_sign(",")?;
        }
        let substring_from = Some(Box::new(self.expr()?));
        let more = if special { self.takes_sign(",") } else { self.takes("FOR") };
        let substring_for = if more { Some(Box::new(self.expr()?)) } else { None };
        self.expect_sign(")")?;
        Ok(Read::closed(Expr::Substring {
            expr,
            substring_from,
            substring_for,
            special,
            shorthand,
        }))
    }

    fn trim(&mut self) -> Result<Read> {
        self.advance();
        self.expect_sign("(")?;
        let side = self.takes_one_of(&["BOTH", "LEADING", "TRAILING"]);
        let trim_where = side.map(|side| match side {
            "BOTH" => TrimWhereField::Both,
            "LEADING" => TrimWhereField::Leading,
            _ => TrimWhereField::Trailing,
        });
        let first =
            if side.is_some() && self.is("FROM") { None } else { Some(Box::new(self.expr()?)) };
        let from =
            if side.is_some() { self.expect("FROM").map(|()| true)? } else { self.takes("FROM") };
        let (trim_what, expr) = match (from, first) {
            (true, what) => (what, Box::new(self.expr()?)),
            (false, Some(expr)) => (None, expr),
            (false, None) => return Err(self.unexpected()),
        };
        self.expect_sign(")")?;
        Ok(Read::closed(Expr::Trim { trim_where, trim_what, expr, trim_characters: None }))
    }

    /// CHAR (65, 66 USING charset).
    fn char(&mut self) -> Result<Read> {
        let name = self.taken_ident();
        self.expect_sign("(")?;
        let args = self.listed(Self::expr)?;
        let call = Expr::Function(call_of(name, exprs(args)));
        let charset = if self.takes("USING") { Some(self.charset_name()?) } else { None };
        self.expect_sign(")")?;
        Ok(Read::closed(match charset {
            Some(charset) => converted(Box::new(call), None, charset),
            None => call,
        }))
    }

    /// DATE_ADD (a, INTERVAL b DAY), ADDDATE (a, b).
    fn date_arithmetic(&mut self, word: &str) -> Result<Read> {
        let name = self.taken_ident();
        self.expect_sign("(")?;
        let date = self.expr()?;
        self.expect_sign(",")?;
        let days = matches!(word, "ADDDATE" | "SUBDATE");
        let span = match self.takes("INTERVAL") {
            true => {
                let read = self.interval_or_call()?;
                match read.expr {
                    Expr::Interval(_) => read.expr,
                    _ if days => self.continued(read, super::expression::OR)?,
                    _ => {
                        let value = self.continued(read, super::expression::OR)?;
                        self.interval(value)?.expr
                    }
                }
            }
            false if days => self.expr()?,
            false => return Err(self.unexpected()),
        };
        self.expect_sign(")")?;
        Ok(Read::closed(Expr::Function(call_of(name, exprs(vec![date, span])))))
    }

    /// TIMESTAMPADD (DAY, a, b): what is added is a span of time; TIMESTAMPDIFF's unit is a span of one.
    fn timestamp_arithmetic(&mut self) -> Result<Read> {
        let name = self.taken_ident();
        self.expect_sign("(")?;
        let unit = self.timestamp_unit()?;
        self.expect_sign(",")?;
        let first = self.expr()?;
        self.expect_sign(",")?;
        let second = self.expr()?;
        self.expect_sign(")")?;
        let unit = Expr::Interval(sqlparser::ast::Interval {
            value: Box::new(Expr::Value(Value::Number("1".to_owned(), false).into())),
            leading_field: Some(unit),
            leading_precision: None,
            last_field: None,
            fractional_seconds_precision: None,
        });
        Ok(Read::closed(Expr::Function(call_of(name, exprs(vec![unit, first, second])))))
    }

    /// WEIGHT_STRING (a AS CHAR(3)).
    fn weight_string(&mut self) -> Result<Read> {
        let name = self.taken_ident();
        self.expect_sign("(")?;
        let expr = self.expr()?;
        let arg = match self.takes("AS") {
            true => {
                let word = self.expect_one_of(&["CHAR", "BINARY"])?;
                let length = self.in_parens(Self::integer)?;
                let data_type = match word {
                    "CHAR" => {
                        DataType::Char(Some(sqlparser::ast::CharacterLength::IntegerLength {
                            length,
                            unit: None,
                        }))
                    }
                    _ => DataType::Binary(Some(length)),
                };
                Expr::Cast { kind: CastKind::Cast, expr: Box::new(expr), data_type, format: None }
            }
            false => expr,
        };
        self.expect_sign(")")?;
        Ok(Read::closed(Expr::Function(call_of(name, exprs(vec![arg])))))
    }
}

fn converted(expr: Box<Expr>, data_type: Option<DataType>, charset: Ident) -> Expr {
    let charset = Some(charset.into());
    Expr::Convert {
        is_try: false,
        expr,
        data_type,
        charset,
        target_before_value: false,
        styles: Vec::new(),
    }
}
