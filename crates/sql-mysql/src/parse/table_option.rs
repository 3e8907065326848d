//! Options of tables, and how they are partitioned.

use super::cursor::{Parser, Result};
use super::keywords;
use super::token::Kind;
use crate::syntax::TableOption;

/// Options that are a name and a number, a word or a string.
const OTHER: &[&str] = &[
    "AVG_ROW_LENGTH",
    "CHECKSUM",
    "COMPRESSION",
    "CONNECTION",
    "DELAY_KEY_WRITE",
    "ENCRYPTION",
    "ENGINE_ATTRIBUTE",
    "INSERT_METHOD",
    "KEY_BLOCK_SIZE",
    "MAX_ROWS",
    "MIN_ROWS",
    "PACK_KEYS",
    "PAGE_CHECKSUM",
    "PASSWORD",
    "ROW_FORMAT",
    "STATS_AUTO_RECALC",
    "STATS_PERSISTENT",
    "STATS_SAMPLE_PAGES",
    "TABLE_CHECKSUM",
    "TRANSACTIONAL",
];

impl Parser<'_> {
    /// The options of a table, with commas between them or without.
    pub(super) fn table_options(&mut self) -> Result<Vec<TableOption>> {
        let mut options = Vec::new();
        while let Some(option) = self.table_option()? {
            options.push(option);
            if self.takes_sign(",") && !self.begins_option() {
                return Err(self.unexpected());
            }
        }
        Ok(options)
    }

    /// Whether an option of a table is next.
    fn begins_option(&mut self) -> bool {
        let words = [
            "ENGINE",
            "TYPE",
            "AUTO_INCREMENT",
            "DEFAULT",
            "CHARSET",
            "COLLATE",
            "COMMENT",
            "UNION",
            "DATA",
        ];
        self.is_charset()
            || self.is_one_of(&words)
            || self.is_one_of(OTHER)
            || self.is_one_of(&["INDEX", "TABLESPACE", "STORAGE", "WITH"])
            || self.is_engine_option()
    }

    /// Whether a name is next that only an engine may know.
    pub(super) fn is_engine_option(&mut self) -> bool {
        if !self.is_mariadb() {
            return false;
        }
        let text = self.text;
        let token = self.peek();
        match token.kind {
            Kind::Quoted(_) => true,
            Kind::Word => !keywords::is_known(&text[token.start..token.end]),
            _ => false,
        }
    }

    /// An option, if one is next.
    pub(super) fn table_option(&mut self) -> Result<Option<TableOption>> {
        if self.takes("DEFAULT") && !self.is_charset() && !self.is("COLLATE") {
            return Err(self.unexpected());
        }
        if self.is_charset() {
            self.charset_words()?;
            let _ = self.takes_sign("=");
            return Ok(Some(TableOption::Charset(self.charset_or_default()?)));
        }
        let words = [
            "ENGINE",
            "TYPE",
            "AUTO_INCREMENT",
            "COLLATE",
            "COMMENT",
            "UNION",
            "TABLESPACE",
            "STORAGE",
        ];
        if let Some(word) = self.takes_one_of(&words) {
            return self.known_option(word).map(Some);
        }
        if let Some(word) = self.takes_one_of(&["DATA", "INDEX"]) {
            self.expect("DIRECTORY")?;
            let _ = self.takes_sign("=");
            return Ok(Some(TableOption::Other(format!("{word} DIRECTORY"), self.string()?)));
        }
        if self.is_mariadb() && self.are(&["WITH", "SYSTEM"]) {
            self.expect_all(&["WITH", "SYSTEM", "VERSIONING"])?;
            return Ok(Some(TableOption::Other(
                "WITH SYSTEM VERSIONING".to_owned(),
                String::new(),
            )));
        }
        let Some(word) = self.takes_one_of(OTHER) else {
            return match self.is_engine_option() {
                true => self.engine_option().map(Some),
                false => Ok(None),
            };
        };
        let _ = self.takes_sign("=");
        let value = self.option_value(word)?;
        Ok(Some(TableOption::Other(word.to_owned(), value)))
    }

    fn known_option(&mut self, word: &str) -> Result<TableOption> {
        let _ = self.takes_sign("=");
        Ok(match word {
            "ENGINE" | "TYPE" => TableOption::Engine(self.ident_or_text()?.value),
            "AUTO_INCREMENT" => TableOption::AutoIncrement(self.integer()?),
            "COLLATE" => TableOption::Collate(self.collation_or_default()?),
            "COMMENT" => TableOption::Comment(self.comment()?),
            "UNION" => {
                self.in_parens(|parser| match parser.is_sign(")") {
                    true => Ok(Vec::new()),
                    false => parser.listed(Self::table_name),
                })?;
                TableOption::Other("UNION".to_owned(), String::new())
            }
            "TABLESPACE" => TableOption::Other("TABLESPACE".to_owned(), self.ident()?.value),
            _ => {
                let where_to = self.expect_one_of(&["DISK", "MEMORY"])?;
                TableOption::Other("STORAGE".to_owned(), where_to.to_owned())
            }
        })
    }

    /// A character set, or DEFAULT.
    pub(super) fn charset_or_default(&mut self) -> Result<Option<String>> {
        match self.takes("DEFAULT") {
            true => Ok(None),
            false => Ok(Some(self.charset_name()?.value)),
        }
    }

    /// A collation, or DEFAULT.
    pub(super) fn collation_or_default(&mut self) -> Result<Option<String>> {
        match self.takes("DEFAULT") {
            true => Ok(None),
            false => Ok(Some(self.collation_name()?.value)),
        }
    }

    /// The value of an option whose name is known.
    fn option_value(&mut self, word: &str) -> Result<String> {
        let text = self.text;
        let token = self.peek().clone();
        let fits = match word {
            "COMPRESSION" | "CONNECTION" | "ENCRYPTION" | "ENGINE_ATTRIBUTE" | "PASSWORD" => {
                matches!(token.kind, Kind::Text(_))
            }
            "ROW_FORMAT" => self.is_one_of(&[
                "DEFAULT",
                "FIXED",
                "DYNAMIC",
                "COMPRESSED",
                "REDUNDANT",
                "COMPACT",
                "PAGE",
            ]),
            "INSERT_METHOD" => self.is_one_of(&["NO", "FIRST", "LAST"]),
            _ => token.kind == Kind::Integer || self.is("DEFAULT"),
        };
        if !fits {
            return Err(self.unexpected());
        }
        self.advance();
        Ok(match token.kind {
            Kind::Text(value) => value,
            _ => text[token.start..token.end].to_owned(),
        })
    }

    /// MariaDB's options of engines: any name and value.
    pub(super) fn engine_option(&mut self) -> Result<TableOption> {
        let name = self.ident()?.value;
        self.expect_sign("=")?;
        let text = self.text;
        let token = self.peek().clone();
        let value = match token.kind {
            Kind::Text(ref value) => value.clone(),
            Kind::Integer => text[token.start..token.end].to_owned(),
            _ if self.is("DEFAULT") => String::new(),
            _ => return self.ident().map(|value| TableOption::Other(name, value.value)),
        };
        self.advance();
        Ok(TableOption::Other(name, value))
    }

    /// PARTITION BY and the partitions.
    pub(super) fn partitioning(&mut self) -> Result<()> {
        self.expect_all(&["PARTITION", "BY"])?;
        self.partition_kind(true)?;
        if self.takes("PARTITIONS") {
            self.integer()?;
        }
        if self.takes("SUBPARTITION") {
            self.expect("BY")?;
            self.partition_kind(false)?;
            if self.takes("SUBPARTITIONS") {
                self.integer()?;
            }
        }
        if self.is_sign("(") {
            self.in_parens(|parser| parser.listed(Self::one_partition))?;
        }
        Ok(())
    }

    fn partition_kind(&mut self, whole: bool) -> Result<()> {
        let linear = self.takes("LINEAR");
        let words: &[&str] = match (linear, whole) {
            (false, true) => &["HASH", "KEY", "RANGE", "LIST"],
            _ => &["HASH", "KEY"],
        };
        match self.expect_one_of(words)? {
            "KEY" => {
                if self.takes("ALGORITHM") {
                    self.expect_sign("=")?;
                    self.integer()?;
                }
                self.in_parens(|parser| match parser.is_sign(")") {
                    true => Ok(Vec::new()),
                    false => parser.listed(Self::ident),
                })?;
            }
            "HASH" => drop(self.in_parens(Self::expr)?),
            _ => match self.takes("COLUMNS") {
                true => drop(self.in_parens(|parser| parser.listed(Self::ident))?),
                false => drop(self.in_parens(Self::expr)?),
            },
        }
        Ok(())
    }

    pub(super) fn one_partition(&mut self) -> Result<()> {
        self.expect("PARTITION")?;
        self.ident()?;
        if self.takes("VALUES") {
            match self.takes("LESS") {
                true => {
                    self.expect("THAN")?;
                    if !self.takes("MAXVALUE") {
                        self.bounds()?;
                    }
                }
                false => {
                    self.expect("IN")?;
                    self.bounds()?;
                }
            }
        }
        self.partition_options()?;
        if self.is_sign("(") {
            self.in_parens(|parser| {
                parser.listed(|parser| {
                    parser.expect("SUBPARTITION")?;
                    parser.ident_or_text()?;
                    parser.partition_options()
                })
            })?;
        }
        Ok(())
    }

    /// Bounds in parentheses, which may be rows.
    fn bounds(&mut self) -> Result<()> {
        self.in_parens(|parser| {
            parser.listed(|parser| match parser.takes("MAXVALUE") {
                true => Ok(()),
                false => parser.expr().map(drop),
            })
        })
        .map(drop)
    }

    fn partition_options(&mut self) -> Result<()> {
        loop {
            let storage = self.takes("STORAGE");
            if storage || self.is("ENGINE") {
                self.expect("ENGINE")?;
                let _ = self.takes_sign("=");
                self.ident_or_text()?;
            } else if self.takes("COMMENT") {
                let _ = self.takes_sign("=");
                self.string()?;
            } else if self.takes_one_of(&["MAX_ROWS", "MIN_ROWS", "NODEGROUP"]).is_some() {
                let _ = self.takes_sign("=");
                self.integer()?;
            } else if self.takes("TABLESPACE") {
                let _ = self.takes_sign("=");
                self.ident()?;
            } else if self.is_one_of(&["DATA", "INDEX"]) && self.is_ahead(1, "DIRECTORY") {
                self.advance();
                self.advance();
                let _ = self.takes_sign("=");
                self.string()?;
            } else {
                return Ok(());
            }
        }
    }
}
