//! CREATE TABLE: columns, keys, foreign keys, checks.

use sqlparser::ast::{Expr, Ident};

use super::cursor::{Parser, Result};
use super::statement::Tree;
use super::token::Kind;
use crate::syntax::{
    Check, Column, ColumnOption, CreateTable, ForeignKey, Generated, IndexHow, Key, KeyKind,
    KeyPart, OnDuplicate, References, ReferentialAction, Special, TableElement, TableSource,
};

impl Parser<'_> {
    /// CREATE TABLE, after TABLE.
    pub(super) fn create_table(&mut self, temporary: bool, or_replace: bool) -> Result<Tree> {
        let if_not_exists = self.if_not_exists()?;
        let name = self.table_name()?;
        let mut table = CreateTable {
            name,
            temporary,
            or_replace,
            if_not_exists,
            source: TableSource::Written,
            elements: Vec::new(),
            options: Vec::new(),
            partitioned: false,
        };
        if self.takes("LIKE") {
            table.source = TableSource::Like(self.table_name()?);
            return Ok(Special::CreateTable(Box::new(table)).into());
        }
        if self.is_sign("(") && self.is_ahead(1, "LIKE") {
            table.source = TableSource::Like(self.in_parens(|parser| {
                parser.expect("LIKE")?;
                parser.table_name()
            })?);
            return Ok(Special::CreateTable(Box::new(table)).into());
        }
        if self.is_sign("(") && !self.opens_query() {
            table.elements = self.in_parens(|parser| {
                // After two parentheses only a query may follow.
                match parser.takes_sign("(") {
                    true => Err(parser.unexpected()),
                    false => parser.listed(Self::table_element),
                }
            })?;
        }
        table.options = self.table_options()?;
        if self.is("PARTITION") {
            self.partitioning()?;
            table.partitioned = true;
        }
        if let Some(source) = self.table_query_source()? {
            table.source = source;
        }
        Ok(Special::CreateTable(Box::new(table)).into())
    }

    /// The query that a table is made of.
    fn table_query_source(&mut self) -> Result<Option<TableSource>> {
        let on_duplicate = match self.takes_one_of(&["IGNORE", "REPLACE"]) {
            Some("IGNORE") => OnDuplicate::Ignore,
            Some(_) => OnDuplicate::Replace,
            None => OnDuplicate::Error,
        };
        let must = self.takes("AS") || on_duplicate != OnDuplicate::Error;
        if !self.begins_query_ahead(0) && !self.opens_query() {
            let must = self.takes_sign("(") || must;
            return if must { Err(self.unexpected()) } else { Ok(None) };
        }
        let query = Box::new(self.query()?);
        Ok(Some(TableSource::Query { query, on_duplicate }))
    }

    /// A column, a key, a foreign key or a check.
    pub(super) fn table_element(&mut self) -> Result<TableElement> {
        if let Some(element) = self.constraint_element()? {
            return Ok(element);
        }
        self.column_definition().map(TableElement::Column)
    }

    /// A key, a foreign key or a check, if one is next.
    pub(super) fn constraint_element(&mut self) -> Result<Option<TableElement>> {
        let mut constraint = None;
        let named = self.takes("CONSTRAINT");
        if named {
            let _ = self.is_mariadb() && self.if_not_exists()?;
            let begins = self.is_one_of(&["PRIMARY", "UNIQUE", "FOREIGN", "CHECK"]);
            constraint = if begins { None } else { Some(self.ident()?) };
        }
        let words: &[&str] = match named {
            true => &["PRIMARY", "UNIQUE", "FOREIGN", "CHECK"],
            false => {
                &["PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "KEY", "INDEX", "FULLTEXT", "SPATIAL"]
            }
        };
        let Some(word) = self.takes_one_of(words) else {
            return if named { Err(self.unexpected()) } else { Ok(None) };
        };
        Ok(Some(match word {
            "PRIMARY" => {
                self.expect("KEY")?;
                TableElement::Key(self.key(KeyKind::Primary, constraint)?)
            }
            "UNIQUE" => {
                let _ = self.takes_one_of(&["KEY", "INDEX"]);
                TableElement::Key(self.key(KeyKind::Unique, constraint)?)
            }
            "FOREIGN" => {
                self.expect("KEY")?;
                TableElement::ForeignKey(self.foreign_key(constraint)?)
            }
            "CHECK" => TableElement::Check(self.check(constraint)?),
            "FULLTEXT" | "SPATIAL" => {
                let _ = self.takes_one_of(&["KEY", "INDEX"]);
                let kind = if word == "FULLTEXT" { KeyKind::Fulltext } else { KeyKind::Spatial };
                TableElement::Key(self.key(kind, None)?)
            }
            _ => TableElement::Key(self.key(KeyKind::Plain, None)?),
        }))
    }

    /// A key, after the words that say what it is for.
    pub(super) fn key(&mut self, kind: KeyKind, constraint: Option<Ident>) -> Result<Key> {
        let if_not_exists = self.is_mariadb() && self.if_not_exists()?;
        let mut how = IndexHow::default();
        let name = if self.is_name() && !self.is_using() { Some(self.ident()?) } else { None };
        if self.is_using() {
            how.using = Some(self.using()?);
        }
        let parts = self.key_parts()?;
        self.index_how(&mut how)?;
        Ok(Key { kind, constraint, name, if_not_exists, parts, how })
    }

    fn is_using(&mut self) -> bool {
        self.is("USING")
            || self.is("TYPE") && (self.is_ahead(1, "BTREE") || self.is_ahead(1, "HASH"))
    }

    /// USING and a kind of index.
    pub(super) fn using(&mut self) -> Result<String> {
        self.expect_one_of(&["USING", "TYPE"])?;
        self.expect_one_of(&["BTREE", "HASH", "RTREE"]).map(str::to_owned)
    }

    /// The columns of a key.
    pub(super) fn key_parts(&mut self) -> Result<Vec<KeyPart>> {
        self.in_parens(|parser| {
            parser.listed(|parser| {
                let (column, length) = match parser.is_sign("(") && !parser.is_mariadb() {
                    true => (parser.in_parens(Self::expr)?, None),
                    false => {
                        let name = parser.ident()?;
                        let length = match parser.is_sign("(") {
                            true => Some(parser.in_parens(Self::integer)?),
                            false => None,
                        };
                        (Expr::Identifier(name), length)
                    }
                };
                let sort = parser.direction();
                Ok(KeyPart { column, length, sort })
            })
        })
    }

    /// What is said of an index after its columns.
    pub(super) fn index_how(&mut self, how: &mut IndexHow) -> Result<()> {
        loop {
            if self.is_using() {
                how.using = Some(self.using()?);
            } else if self.takes("COMMENT") {
                how.comment = Some(self.comment()?);
            } else if self.takes("KEY_BLOCK_SIZE") {
                let _ = self.takes_sign("=");
                let _ = self.integer()?;
            } else if self.takes("WITH") {
                self.expect("PARSER")?;
                let _ = self.ident()?;
            } else if self.is_mariadb() && self.takes("IGNORED") {
                how.invisible = true;
            } else if self.is_mariadb() && self.takes_all(&["NOT", "IGNORED"]) {
                how.invisible = false;
            } else if !self.is_mariadb()
                && let Some(word) = self.takes_one_of(&["VISIBLE", "INVISIBLE"])
            {
                how.invisible = word == "INVISIBLE";
            } else if self.is_mariadb() && self.is_name() && self.is_sign_ahead(1, "=") {
                self.engine_option()?;
            } else {
                return Ok(());
            }
        }
    }

    /// FOREIGN KEY, after KEY.
    fn foreign_key(&mut self, constraint: Option<Ident>) -> Result<ForeignKey> {
        let if_not_exists = self.is_mariadb() && self.if_not_exists()?;
        let index = if self.is_name() { Some(self.ident()?) } else { None };
        let columns = self.in_parens(|parser| parser.listed(Self::ident))?;
        self.expect("REFERENCES")?;
        let references = self.references()?;
        Ok(ForeignKey { constraint, index, if_not_exists, columns, references })
    }

    /// What follows REFERENCES.
    fn references(&mut self) -> Result<References> {
        let table = self.table_name()?;
        let columns = match self.is_sign("(") {
            true => self.in_parens(|parser| parser.listed(Self::ident))?,
            false => Vec::new(),
        };
        if self.takes("MATCH") {
            self.expect_one_of(&["FULL", "PARTIAL", "SIMPLE"])?;
        }
        let (mut on_delete, mut on_update) = (None, None);
        while (on_delete.is_none() || on_update.is_none()) && self.takes("ON") {
            let words: &[&str] = match (on_delete.is_none(), on_update.is_none()) {
                (true, true) => &["DELETE", "UPDATE"],
                (true, false) => &["DELETE"],
                _ => &["UPDATE"],
            };
            match self.expect_one_of(words)? {
                "DELETE" => on_delete = Some(self.referential_action()?),
                _ => on_update = Some(self.referential_action()?),
            }
        }
        Ok(References { table, columns, on_delete, on_update })
    }

    fn referential_action(&mut self) -> Result<ReferentialAction> {
        Ok(match self.expect_one_of(&["RESTRICT", "CASCADE", "SET", "NO"])? {
            "RESTRICT" => ReferentialAction::Restrict,
            "CASCADE" => ReferentialAction::Cascade,
            "NO" => {
                self.expect("ACTION")?;
                ReferentialAction::NoAction
            }
            _ => match self.expect_one_of(&["NULL", "DEFAULT"])? {
                "NULL" => ReferentialAction::SetNull,
                _ => ReferentialAction::SetDefault,
            },
        })
    }

    /// CHECK, after its word.
    fn check(&mut self, name: Option<Ident>) -> Result<Check> {
        let condition = self.in_parens(Self::expr)?;
        let mut enforced = true;
        if !self.is_mariadb() {
            if self.takes_all(&["NOT", "ENFORCED"]) {
                enforced = false;
            } else {
                let _ = self.takes("ENFORCED");
            }
        }
        Ok(Check { name, condition, enforced })
    }

    /// A column: its name, its type and its options.
    pub(super) fn column_definition(&mut self) -> Result<Column> {
        let name = self.field_name()?;
        let ty = self.column_type()?;
        let mut options = Vec::new();
        while let Some(option) = self.column_option()? {
            options.push(option);
        }
        Ok(Column { name, ty, options })
    }

    /// The name of a column, before which MariaDB has that of its table, and of its database.
    fn field_name(&mut self) -> Result<Ident> {
        let bare = self.is_mariadb() && self.takes_sign(".");
        let mut name = self.ident()?;
        let mut more = if bare || !self.is_mariadb() { 0 } else { 2 };
        while more > 0 && self.takes_sign(".") {
            name = self.ident()?;
            more -= 1;
        }
        Ok(name)
    }

    fn column_option(&mut self) -> Result<Option<ColumnOption>> {
        const WORDS: &[&str] = &[
            "NULL",
            "NOT",
            "DEFAULT",
            "AUTO_INCREMENT",
            "PRIMARY",
            "KEY",
            "UNIQUE",
            "COMMENT",
            "COLLATE",
            "AS",
            "GENERATED",
            "CHECK",
            "CONSTRAINT",
            "REFERENCES",
            "INVISIBLE",
            "ON",
            "SERIAL",
            "COLUMN_FORMAT",
            "STORAGE",
            "VISIBLE",
            "COMPRESSED",
        ];
        let Some(word) = self.takes_one_of(WORDS) else {
            if self.is_engine_option() {
                self.engine_option()?;
                return Ok(Some(ColumnOption::Storage("option of the engine")));
            }
            return Ok(None);
        };
        Ok(Some(match word {
            "NULL" => ColumnOption::Null,
            "NOT" => {
                self.expect("NULL")?;
                ColumnOption::NotNull
            }
            "DEFAULT" => ColumnOption::Default(self.default_value()?),
            "ON" => {
                self.expect("UPDATE")?;
                ColumnOption::OnUpdate(self.now()?)
            }
            "AUTO_INCREMENT" => ColumnOption::AutoIncrement,
            "PRIMARY" => {
                self.expect("KEY")?;
                ColumnOption::PrimaryKey
            }
            "KEY" => ColumnOption::PrimaryKey,
            "UNIQUE" => {
                let _ = self.takes("KEY");
                ColumnOption::Unique
            }
            "SERIAL" => {
                self.expect_all(&["DEFAULT", "VALUE"])?;
                return Ok(Some(ColumnOption::AutoIncrement));
            }
            "COMMENT" => ColumnOption::Comment(self.comment()?),
            "COLLATE" => ColumnOption::Collate(self.collation_name()?),
            "AS" | "GENERATED" => ColumnOption::Generated(self.generated(word == "GENERATED")?),
            "CHECK" => ColumnOption::Check(self.check(None)?),
            "CONSTRAINT" => {
                let name = if self.is("CHECK") { None } else { Some(self.ident()?) };
                self.expect("CHECK")?;
                ColumnOption::Check(self.check(name)?)
            }
            "REFERENCES" => ColumnOption::References(self.references()?),
            "INVISIBLE" => ColumnOption::Invisible,
            "VISIBLE" => ColumnOption::Storage("VISIBLE"),
            "COMPRESSED" => ColumnOption::Storage("COMPRESSED"),
            "COLUMN_FORMAT" => {
                self.expect_one_of(&["FIXED", "DYNAMIC", "DEFAULT"])?;
                ColumnOption::Storage("COLUMN_FORMAT")
            }
            _ => {
                self.expect_one_of(&["DISK", "MEMORY", "DEFAULT"])?;
                ColumnOption::Storage("STORAGE")
            }
        }))
    }

    /// What follows DEFAULT: a literal, the time, or an expression; MySQL wants parentheses around the last.
    pub(super) fn default_value(&mut self) -> Result<Expr> {
        if self.is_mariadb() {
            return self.default_of_mariadb();
        }
        match self.peek().kind.clone() {
            Kind::Sign("(") => Ok(self.parenthesized()?.expr),
            Kind::Sign("-" | "+") => self.at_least(super::expression::SIGN),
            Kind::Word
                if self.is_one_of(&["NULL", "TRUE", "FALSE", "DATE", "TIME", "TIMESTAMP"]) =>
            {
                Ok(self.simple()?.expr)
            }
            Kind::Word => self.now(),
            _ => Ok(self.simple()?.expr),
        }
    }

    /// A literal, a call, or an expression in parentheses: what follows without them are options of the column.
    fn default_of_mariadb(&mut self) -> Result<Expr> {
        match self.peek().kind {
            Kind::Sign("-" | "+") => self.at_least(super::expression::SIGN),
            Kind::Sign("(") => Ok(self.parenthesized()?.expr),
            _ => {
                let read = self.simple()?;
                match read.expr {
                    Expr::Identifier(_) | Expr::CompoundIdentifier(_) => Err(self.unexpected()),
                    expr => Ok(expr),
                }
            }
        }
    }

    /// CURRENT_TIMESTAMP and its kin.
    pub(super) fn now(&mut self) -> Result<Expr> {
        match self.is_one_of(&["CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP"]) {
            true if self.is("NOW") && !self.calls_at_once() => Err(self.unexpected()),
            true => Ok(self.simple()?.expr),
            false => Err(self.unexpected()),
        }
    }

    /// How a column is computed.
    fn generated(&mut self, always: bool) -> Result<Generated> {
        if always {
            self.expect_all(&["ALWAYS", "AS"])?;
        }
        let value = self.in_parens(Self::expr)?;
        let words: &[&str] = if self.is_mariadb() {
            &["VIRTUAL", "STORED", "PERSISTENT"]
        } else {
            &["VIRTUAL", "STORED"]
        };
        let stored = !matches!(self.takes_one_of(words), None | Some("VIRTUAL"));
        Ok(Generated { value, stored })
    }
}
