//! CREATE, ALTER, DROP and RENAME of what is no table's part: indexes, views, databases.

use super::cursor::{Parser, Result};
use super::statement::Tree;
use crate::syntax::{
    CreateDatabase, CreateIndex, CreateView, DatabaseOption, DropIndex, DropTables, IndexHow, Key,
    KeyKind, Special, ViewAlgorithm, ViewCheck,
};

impl Parser<'_> {
    /// CREATE of all kinds.
    pub(super) fn create(&mut self) -> Result<Tree> {
        self.expect("CREATE")?;
        let or_replace = self.takes("OR");
        if or_replace {
            self.expect("REPLACE")?;
        }
        let replaces = self.is_mariadb() || !or_replace;
        if replaces && self.takes("TEMPORARY") {
            self.expect("TABLE")?;
            return self.create_table(true, or_replace);
        }
        if replaces && self.takes("TABLE") {
            return self.create_table(false, or_replace);
        }
        if replaces && self.is_one_of(&["DATABASE", "SCHEMA"]) {
            return self.create_database(or_replace);
        }
        if replaces && self.is_one_of(&["INDEX", "UNIQUE", "FULLTEXT", "SPATIAL"]) {
            return self.create_index(or_replace);
        }
        if self.is_one_of(&["ALGORITHM", "VIEW", "SQL"]) {
            return self.create_view(false, or_replace);
        }
        if self.is("DEFINER") {
            return self.defined(or_replace);
        }
        if replaces && self.is_one_of(&["USER", "ROLE"]) {
            return self.create_account();
        }
        self.create_program(or_replace)
    }

    /// ALTER of all kinds.
    pub(super) fn alter(&mut self) -> Result<Tree> {
        self.expect("ALTER")?;
        if self.is_mariadb() {
            let online = self.takes("ONLINE");
            let ignore = self.takes("IGNORE");
            if online || ignore || self.is("TABLE") {
                self.expect("TABLE")?;
                return self.alter_table(ignore);
            }
        } else if self.takes("TABLE") {
            return self.alter_table(false);
        }
        if self.is_one_of(&["DATABASE", "SCHEMA"]) {
            return self.alter_database();
        }
        if self.is_one_of(&["ALGORITHM", "VIEW", "SQL"]) {
            return self.create_view(true, false);
        }
        if self.is("DEFINER") {
            self.definer()?;
            if self.is("EVENT") {
                return self.alter_program();
            }
            return self.create_view(true, false);
        }
        self.alter_program()
    }

    /// DROP of all kinds.
    pub(super) fn drop(&mut self) -> Result<Tree> {
        self.expect("DROP")?;
        let temporary = self.takes("TEMPORARY");
        let tables: &[&str] =
            if temporary { &["TABLE", "TABLES"] } else { &["TABLE", "TABLES", "VIEW"] };
        if let Some(word) = self.takes_one_of(tables) {
            let if_exists = self.if_exists()?;
            let names = self.listed(Self::table_name)?;
            if self.is_mariadb() && word != "VIEW" {
                self.table_wait()?;
            }
            let _ = self.takes_one_of(&["RESTRICT", "CASCADE"]);
            let dropped = DropTables { temporary, if_exists, names };
            return Ok(match word {
                "VIEW" => Special::DropViews(dropped),
                _ => Special::DropTables(dropped),
            }
            .into());
        }
        if temporary {
            return Err(self.unexpected());
        }
        if self.takes_one_of(&["DATABASE", "SCHEMA"]).is_some() {
            let if_exists = self.if_exists()?;
            return Ok(Special::DropDatabase { if_exists, name: self.ident()? }.into());
        }
        if self.takes("INDEX") {
            let if_exists = self.is_mariadb() && self.if_exists()?;
            let name = self.index_name()?;
            self.expect("ON")?;
            let table = self.table_name()?;
            match self.is_mariadb() {
                true => self.table_wait()?,
                false => self.index_locking()?,
            }
            return Ok(Special::DropIndex(DropIndex { if_exists, name, table }).into());
        }
        self.drop_other()
    }

    /// The name of an index, which may be PRIMARY.
    fn index_name(&mut self) -> Result<sqlparser::ast::Ident> {
        if self.is("PRIMARY") && !self.is_mariadb() { Ok(self.taken_ident()) } else { self.ident() }
    }

    /// ALGORITHM and LOCK, in any order.
    fn index_locking(&mut self) -> Result<()> {
        if self.is_mariadb() {
            self.table_wait()?;
        }
        while let Some(word) = self.takes_one_of(&["ALGORITHM", "LOCK"]) {
            let _ = self.takes_sign("=");
            let values: &[&str] = match word {
                "ALGORITHM" => &["DEFAULT", "INPLACE", "COPY", "INSTANT", "NOCOPY"],
                _ => &["DEFAULT", "NONE", "SHARED", "EXCLUSIVE"],
            };
            self.expect_one_of(values)?;
        }
        Ok(())
    }

    fn create_index(&mut self, or_replace: bool) -> Result<Tree> {
        let kind = match self.takes_one_of(&["UNIQUE", "FULLTEXT", "SPATIAL"]) {
            Some("UNIQUE") => KeyKind::Unique,
            Some("FULLTEXT") => KeyKind::Fulltext,
            Some(_) => KeyKind::Spatial,
            None => KeyKind::Plain,
        };
        self.expect("INDEX")?;
        let if_not_exists = self.is_mariadb() && self.if_not_exists()?;
        let name = Some(self.ident()?);
        let mut how = IndexHow::default();
        if self.is_one_of(&["USING", "TYPE"]) {
            how.using = Some(self.using()?);
        }
        self.expect("ON")?;
        let table = self.table_name()?;
        if self.is_mariadb() {
            self.table_wait()?;
        }
        let parts = self.key_parts()?;
        self.index_how(&mut how)?;
        self.index_locking()?;
        let key = Key { kind, constraint: None, name, if_not_exists, parts, how };
        Ok(Special::CreateIndex(Box::new(CreateIndex { key, or_replace, table })).into())
    }

    /// CREATE VIEW and ALTER VIEW, from ALGORITHM on.
    pub(super) fn create_view(&mut self, alter: bool, or_replace: bool) -> Result<Tree> {
        let algorithm = match self.takes("ALGORITHM") {
            true => {
                self.expect_sign("=")?;
                Some(match self.expect_one_of(&["UNDEFINED", "MERGE", "TEMPTABLE"])? {
                    "UNDEFINED" => ViewAlgorithm::Undefined,
                    "MERGE" => ViewAlgorithm::Merge,
                    _ => ViewAlgorithm::Temptable,
                })
            }
            false => None,
        };
        if self.is("DEFINER") {
            self.definer()?;
        }
        if self.takes("SQL") {
            self.expect("SECURITY")?;
            self.expect_one_of(&["DEFINER", "INVOKER"])?;
        }
        self.expect("VIEW")?;
        let if_not_exists = !alter && self.if_not_exists()?;
        let name = self.table_name()?;
        let columns = match self.is_sign("(") {
            true => self.in_parens(|parser| parser.listed(Self::ident))?,
            false => Vec::new(),
        };
        self.expect("AS")?;
        if !self.begins_query_ahead(0) && !self.opens_query() {
            return Err(self.unexpected());
        }
        let query = Box::new(self.query()?);
        let check = match self.takes("WITH") {
            true => {
                let local = self.takes_one_of(&["LOCAL", "CASCADED"]);
                self.expect_all(&["CHECK", "OPTION"])?;
                Some(if local == Some("LOCAL") { ViewCheck::Local } else { ViewCheck::Cascaded })
            }
            false => None,
        };
        let view =
            CreateView { alter, or_replace, if_not_exists, algorithm, name, columns, query, check };
        Ok(Special::CreateView(Box::new(view)).into())
    }

    /// DEFINER = who.
    pub(super) fn definer(&mut self) -> Result<()> {
        self.expect("DEFINER")?;
        self.expect_sign("=")?;
        self.account()
    }

    /// What is created for somebody.
    fn defined(&mut self, or_replace: bool) -> Result<Tree> {
        self.definer()?;
        match self.is_one_of(&["VIEW", "SQL"]) {
            true => self.create_view(false, or_replace),
            false => self.create_program(or_replace),
        }
    }

    fn create_database(&mut self, or_replace: bool) -> Result<Tree> {
        self.expect_one_of(&["DATABASE", "SCHEMA"])?;
        let if_not_exists = self.if_not_exists()?;
        let name = self.ident()?;
        let options = self.database_options()?;
        Ok(Special::CreateDatabase(CreateDatabase { or_replace, if_not_exists, name, options })
            .into())
    }

    fn alter_database(&mut self) -> Result<Tree> {
        self.expect_one_of(&["DATABASE", "SCHEMA"])?;
        let unnamed = self.is_charset() || self.is_one_of(&["DEFAULT", "COLLATE", "COMMENT"]);
        let name = if unnamed { None } else { Some(self.ident()?) };
        let options = self.database_options()?;
        match options.is_empty() {
            true => Err(self.unexpected()),
            false => Ok(Special::AlterDatabase(name, options).into()),
        }
    }

    fn database_options(&mut self) -> Result<Vec<DatabaseOption>> {
        let mut options = Vec::new();
        loop {
            let default = self.takes("DEFAULT");
            if self.is_charset() {
                self.charset_words()?;
                let _ = self.takes_sign("=");
                options.push(DatabaseOption::Charset(self.charset_or_default()?));
            } else if self.takes("COLLATE") {
                let _ = self.takes_sign("=");
                options.push(DatabaseOption::Collate(self.collation_or_default()?));
            } else if self.takes(if self.is_mariadb() { "COMMENT" } else { "ENCRYPTION" }) {
                let _ = self.takes_sign("=");
                let text = self.string()?;
                options.push(match self.is_mariadb() {
                    true => DatabaseOption::Comment(text),
                    false => DatabaseOption::Other,
                });
            } else if default {
                return Err(self.unexpected());
            } else {
                return Ok(options);
            }
        }
    }

    /// RENAME TABLE and RENAME USER.
    pub(super) fn rename(&mut self) -> Result<Tree> {
        self.expect("RENAME")?;
        if self.takes("USER") {
            self.listed(|parser| {
                parser.account()?;
                parser.expect("TO")?;
                parser.account()
            })?;
            return Ok(Special::Unsupported("RENAME USER").into());
        }
        self.expect_one_of(&["TABLE", "TABLES"])?;
        let _ = self.is_mariadb() && self.if_exists()?;
        let pairs = self.listed(|parser| {
            let from = parser.table_name()?;
            if parser.is_mariadb() {
                parser.table_wait()?;
            }
            parser.expect("TO")?;
            Ok((from, parser.table_name()?))
        })?;
        Ok(Special::RenameTables(pairs).into())
    }

    /// TRUNCATE.
    pub(super) fn truncate(&mut self) -> Result<Tree> {
        self.expect("TRUNCATE")?;
        let _ = self.takes("TABLE");
        let name = self.table_name()?;
        if self.is_mariadb() {
            self.table_wait()?;
        }
        Ok(Special::Truncate(name).into())
    }
}
