//! ALTER TABLE.

use sqlparser::ast::{Expr, Ident};

use super::cursor::{Parser, Result};
use super::statement::Tree;
use crate::syntax::{AlterTable, Place, Special, TableChange, TableElement};

/// What is done to partitions and tablespaces, by its first word.
const OF_PARTITIONS: &[&str] = &[
    "ANALYZE",
    "CHECK",
    "OPTIMIZE",
    "REPAIR",
    "REBUILD",
    "TRUNCATE",
    "COALESCE",
    "REORGANIZE",
    "EXCHANGE",
];

impl Parser<'_> {
    /// ALTER TABLE, after TABLE.
    pub(super) fn alter_table(&mut self, ignore: bool) -> Result<Tree> {
        let if_exists = self.is_mariadb() && self.if_exists()?;
        let table = self.table_name()?;
        if self.is_mariadb() {
            self.table_wait()?;
        }
        let mut changes = Vec::new();
        if self.is("PARTITION") {
            self.partitioning()?;
            changes.push(TableChange::Unsupported("PARTITION BY"));
        } else if !self.is_over() {
            loop {
                self.table_change(&mut changes)?;
                let more = self.takes_sign(",");
                // Options of tables need no commas between them.
                if !more && (self.is_over() || self.is("PARTITION")) {
                    break;
                }
                if !more && !matches!(changes.last(), Some(TableChange::Option(_))) {
                    return Err(self.unexpected());
                }
            }
            if self.is("PARTITION") {
                self.partitioning()?;
                changes.push(TableChange::Unsupported("PARTITION BY"));
            }
        }
        Ok(Special::AlterTable(Box::new(AlterTable { table, if_exists, ignore, changes })).into())
    }

    /// MariaDB's WAIT and NOWAIT after a table.
    pub(super) fn table_wait(&mut self) -> Result<()> {
        if self.takes("WAIT") {
            self.integer()?;
        } else {
            let _ = self.takes("NOWAIT");
        }
        Ok(())
    }

    fn table_change(&mut self, changes: &mut Vec<TableChange>) -> Result<()> {
        let change = if self.takes("ADD") {
            return self.add(changes);
        } else if self.takes("DROP") {
            self.drop_part()?
        } else if self.takes("MODIFY") {
            let _ = self.takes("COLUMN");
            let if_exists = self.is_mariadb() && self.if_exists()?;
            let column = self.column_definition()?;
            let place = self.column_place()?;
            TableChange::ChangeColumn { name: column.name.clone(), column, if_exists, place }
        } else if self.takes("CHANGE") {
            let _ = self.takes("COLUMN");
            let if_exists = self.is_mariadb() && self.if_exists()?;
            let name = self.ident()?;
            let column = self.column_definition()?;
            let place = self.column_place()?;
            TableChange::ChangeColumn { name, column, if_exists, place }
        } else if self.takes("ALTER") {
            self.alter_part()?
        } else if self.takes("RENAME") {
            self.rename_part()?
        } else if self.takes("CONVERT") {
            self.expect("TO")?;
            self.charset_words()?;
            let charset = self.charset_or_default()?;
            let collation = if self.takes("COLLATE") { self.collation_or_default()? } else { None };
            TableChange::Convert { charset, collation }
        } else if self.takes("ORDER") {
            self.expect("BY")?;
            TableChange::OrderBy(self.listed(|parser| {
                let expr = match parser.column_name()? {
                    name if name.0.len() == 1 => parser.single(name),
                    name => Expr::CompoundIdentifier(
                        name.0.into_iter().filter_map(|part| part.as_ident().cloned()).collect(),
                    ),
                };
                let sort = parser.direction();
                let options = sqlparser::ast::OrderByOptions { sort, nulls_first: None };
                Ok(sqlparser::ast::OrderByExpr { expr, options, with_fill: None })
            })?)
        } else if self.takes("FORCE") {
            TableChange::Nothing
        } else if self.takes_one_of(&["ENABLE", "DISABLE"]).is_some() {
            self.expect("KEYS")?;
            TableChange::Nothing
        } else if let Some(word) = self.takes_one_of(&["ALGORITHM", "LOCK"]) {
            let _ = self.takes_sign("=");
            let values: &[&str] = match word {
                "ALGORITHM" => &["DEFAULT", "INPLACE", "COPY", "INSTANT", "NOCOPY"],
                _ => &["DEFAULT", "NONE", "SHARED", "EXCLUSIVE"],
            };
            self.expect_one_of(values)?;
            TableChange::Nothing
        } else if self.takes_one_of(&["DISCARD", "IMPORT"]).is_some() {
            self.expect("TABLESPACE")?;
            TableChange::Unsupported("ALTER TABLE … TABLESPACE")
        } else if self.is_one_of(OF_PARTITIONS) {
            self.partition_change()?
        } else if let Some(option) = self.table_option()? {
            TableChange::Option(option)
        } else {
            return Err(self.unexpected());
        };
        changes.push(change);
        Ok(())
    }

    fn single(&mut self, name: sqlparser::ast::ObjectName) -> Expr {
        let name = name.0.into_iter().find_map(|part| part.as_ident().cloned());
        Expr::Identifier(name.unwrap_or_else(|| Ident::new("")))
    }

    /// ADD: columns, keys, foreign keys, checks, partitions.
    fn add(&mut self, changes: &mut Vec<TableChange>) -> Result<()> {
        if self.takes("PARTITION") {
            if self.takes("PARTITIONS") {
                self.integer()?;
            } else if self.is_sign("(") {
                self.partition_list()?;
            } else {
                return Err(self.unexpected());
            }
            changes.push(TableChange::Unsupported("ADD PARTITION"));
            return Ok(());
        }
        let column = self.takes("COLUMN");
        if !column && let Some(element) = self.constraint_element()? {
            changes.push(TableChange::Add(element));
            return Ok(());
        }
        let if_not_exists = self.is_mariadb() && self.if_not_exists()?;
        if !self.is_sign("(") {
            let column = self.column_definition()?;
            let place = self.column_place()?;
            changes.push(TableChange::AddColumn { column, if_not_exists, place });
            return Ok(());
        }
        let elements = self.in_parens(|parser| parser.listed(Self::table_element))?;
        changes.extend(elements.into_iter().map(|element| match element {
            TableElement::Column(column) => {
                TableChange::AddColumn { column, if_not_exists, place: None }
            }
            element => TableChange::Add(element),
        }));
        Ok(())
    }

    fn column_place(&mut self) -> Result<Option<Place>> {
        if self.takes("FIRST") {
            return Ok(Some(Place::First));
        }
        match self.takes("AFTER") {
            true => Ok(Some(Place::After(self.ident()?))),
            false => Ok(None),
        }
    }

    fn drop_part(&mut self) -> Result<TableChange> {
        let mariadb = self.is_mariadb();
        if self.takes("PRIMARY") {
            self.expect("KEY")?;
            return Ok(TableChange::DropPrimaryKey);
        }
        if self.takes("FOREIGN") {
            self.expect("KEY")?;
            let if_exists = mariadb && self.if_exists()?;
            return Ok(TableChange::DropForeignKey { name: self.ident()?, if_exists });
        }
        if self.takes_one_of(&["INDEX", "KEY"]).is_some() {
            let if_exists = mariadb && self.if_exists()?;
            return Ok(TableChange::DropIndex { name: self.ident()?, if_exists });
        }
        if self.takes("CONSTRAINT") || !mariadb && self.takes("CHECK") {
            let if_exists = mariadb && self.if_exists()?;
            return Ok(TableChange::DropConstraint { name: self.ident()?, if_exists });
        }
        if self.takes("PARTITION") {
            let _ = mariadb && self.if_exists()?;
            self.listed(Self::ident)?;
            return Ok(TableChange::Unsupported("DROP PARTITION"));
        }
        let _ = self.takes("COLUMN");
        let if_exists = mariadb && self.if_exists()?;
        let name = self.ident()?;
        let _ = self.takes_one_of(&["RESTRICT", "CASCADE"]);
        Ok(TableChange::DropColumn { name, if_exists })
    }

    fn alter_part(&mut self) -> Result<TableChange> {
        if self.takes_one_of(&["INDEX", "KEY"]).is_some() {
            let _ = self.is_mariadb() && self.if_exists()?;
            self.ident()?;
            match self.is_mariadb() {
                true => {
                    let _ = self.takes("NOT");
                    self.expect("IGNORED")?;
                }
                false => drop(self.expect_one_of(&["VISIBLE", "INVISIBLE"])?),
            }
            return Ok(TableChange::Nothing);
        }
        if !self.is_mariadb() && self.takes_one_of(&["CHECK", "CONSTRAINT"]).is_some() {
            self.ident()?;
            let _ = self.takes("NOT");
            self.expect("ENFORCED")?;
            return Ok(TableChange::Unsupported("ALTER CHECK"));
        }
        let _ = self.takes("COLUMN");
        let _ = self.is_mariadb() && self.if_exists()?;
        let name = self.ident()?;
        match self.expect_one_of(&["SET", "DROP"])? {
            "SET" => {
                self.expect("DEFAULT")?;
                Ok(TableChange::Default(name, Some(self.default_value()?)))
            }
            _ => {
                self.expect("DEFAULT")?;
                Ok(TableChange::Default(name, None))
            }
        }
    }

    fn rename_part(&mut self) -> Result<TableChange> {
        if self.takes("COLUMN") {
            let _ = self.is_mariadb() && self.if_exists()?;
            let from = self.ident()?;
            self.expect("TO")?;
            return Ok(TableChange::RenameColumn(from, self.ident()?));
        }
        if self.takes_one_of(&["INDEX", "KEY"]).is_some() {
            let _ = self.is_mariadb() && self.if_exists()?;
            let from = self.ident()?;
            self.expect("TO")?;
            return Ok(TableChange::RenameIndex(from, self.ident()?));
        }
        let _ = self.takes_one_of(&["TO", "AS"]).is_some() || self.takes_sign("=");
        Ok(TableChange::Rename(self.table_name()?))
    }

    fn partition_list(&mut self) -> Result<()> {
        self.in_parens(|parser| parser.listed(Self::one_partition)).map(drop)
    }

    /// What is done to partitions by name.
    fn partition_change(&mut self) -> Result<TableChange> {
        let word = self.expect_one_of(OF_PARTITIONS)?;
        self.expect("PARTITION")?;
        match word {
            "COALESCE" => drop(self.integer()?),
            "EXCHANGE" => {
                self.ident()?;
                self.expect_all(&["WITH", "TABLE"])?;
                self.table_name()?;
                if self.takes_one_of(&["WITH", "WITHOUT"]).is_some() {
                    self.expect("VALIDATION")?;
                }
            }
            "REORGANIZE" => {
                if !self.is_over() {
                    self.listed(Self::ident)?;
                    self.expect("INTO")?;
                    self.partition_list()?;
                }
            }
            _ if self.takes("ALL") => {}
            _ => drop(self.listed(Self::ident)?),
        }
        Ok(TableChange::Unsupported("ALTER TABLE … PARTITION"))
    }
}
