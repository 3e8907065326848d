//! INSERT, REPLACE, UPDATE, DELETE.

use sqlparser::ast::{
    Assignment, AssignmentTarget, Delete, FromTable, Ident, Insert, InsertAliases, Join,
    JoinConstraint, JoinOperator, MysqlInsertPriority, ObjectName, OnInsert, Query, SetExpr,
    Statement, TableFactor, TableObject, TableWithJoins, Update, Values, With,
};

use super::cursor::{Parser, Result};
use super::source::{alone, table};
use crate::syntax::Priority;

impl Parser<'_> {
    /// INSERT and REPLACE.
    pub(super) fn insert(&mut self) -> Result<Statement> {
        let insert_token = self.attached();
        let replace = self.takes("REPLACE");
        if !replace {
            self.expect("INSERT")?;
        }
        let words: &[&str] = match replace {
            true => &["LOW_PRIORITY", "DELAYED"],
            false => &["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY"],
        };
        let priority = self.takes_one_of(words).map(|word| match word {
            "LOW_PRIORITY" => MysqlInsertPriority::LowPriority,
            "DELAYED" => MysqlInsertPriority::Delayed,
            _ => MysqlInsertPriority::HighPriority,
        });
        let ignore = !replace && self.takes("IGNORE");
        let into = self.takes("INTO");
        let name = self.table_name()?;
        if self.takes("PARTITION") {
            self.aside.partitions = self.in_parens(|parser| parser.listed(Self::ident))?;
        }
        let mut insert = Insert {
            insert_token,
            optimizer_hints: Vec::new(),
            or: None,
            ignore,
            into,
            table: TableObject::TableName(name),
            table_alias: None,
            columns: Vec::new(),
            overwrite: false,
            source: None,
            assignments: Vec::new(),
            partitioned: None,
            after_columns: Vec::new(),
            has_table_keyword: false,
            on: None,
            returning: None,
            output: None,
            replace_into: replace,
            priority,
            insert_alias: None,
            settings: None,
            format_clause: None,
            multi_table_insert_type: None,
            multi_table_into_clauses: Vec::new(),
            multi_table_when_clauses: Vec::new(),
            multi_table_else_clause: None,
        };
        self.inserted(&mut insert)?;
        if !replace && self.takes("ON") {
            self.expect_all(&["DUPLICATE", "KEY", "UPDATE"])?;
            self.updates_row = true;
            insert.on = Some(OnInsert::DuplicateKeyUpdate(self.assignments()?));
            self.updates_row = false;
        }
        insert.returning = self.returning()?;
        Ok(Statement::Insert(insert))
    }

    /// The columns and the rows of an INSERT.
    fn inserted(&mut self, insert: &mut Insert) -> Result<()> {
        if self.takes("SET") {
            insert.assignments = self.assignments()?;
            return self.row_alias(insert);
        }
        if self.is_sign("(") && !self.opens_query() {
            insert.columns = self.in_parens(|parser| {
                if parser.takes_sign("(") {
                    return Err(parser.unexpected());
                }
                match parser.is_sign(")") {
                    true => Ok(Vec::new()),
                    false => parser.listed(Self::column_name),
                }
            })?;
        }
        let rows = self.is_one_of(&["VALUES", "VALUE"]);
        let row_words = !self.is_mariadb() && self.is_ahead(1, "ROW");
        if rows && !row_words {
            self.advance();
            let rows = self.listed(Self::row)?;
            let values = Values { explicit_row: false, value_keyword: false, rows };
            insert.source = Some(Box::new(plain_query(None, SetExpr::Values(values))));
            return self.row_alias(insert);
        }
        if !self.begins_query_ahead(0) && !self.opens_query() {
            let _ = self.takes_sign("(");
            return Err(self.unexpected());
        }
        insert.source = Some(Box::new(self.query()?));
        Ok(())
    }

    /// MySQL's `AS new (a, b)` after the rows.
    fn row_alias(&mut self, insert: &mut Insert) -> Result<()> {
        if self.is_mariadb() || !self.takes("AS") {
            return Ok(());
        }
        let row_alias = self.ident()?.into();
        let col_aliases = match self.is_sign("(") {
            true => Some(self.in_parens(|parser| parser.listed(Self::ident))?),
            false => None,
        };
        insert.insert_alias = Some(InsertAliases { row_alias, col_aliases });
        Ok(())
    }

    /// MariaDB's RETURNING.
    fn returning(&mut self) -> Result<Option<Vec<sqlparser::ast::SelectItem>>> {
        match self.is_mariadb() && self.takes("RETURNING") {
            true => self.items().map(Some),
            false => Ok(None),
        }
    }

    /// `a = b, c = DEFAULT`.
    pub(super) fn assignments(&mut self) -> Result<Vec<Assignment>> {
        self.listed(|parser| {
            let target = AssignmentTarget::ColumnName(parser.column_name()?);
            if !parser.takes_sign(":=") {
                parser.expect_sign("=")?;
            }
            let value = parser.expr_or_default()?;
            Ok(Assignment { target, value })
        })
    }

    /// UPDATE of one table or of several.
    pub(super) fn update(&mut self) -> Result<Statement> {
        let update_token = self.attached();
        self.expect("UPDATE")?;
        if self.takes("LOW_PRIORITY") {
            self.aside.priority = Some(Priority::Low);
        }
        self.aside.ignore = self.takes("IGNORE");
        let table = self.crossed_sources()?;
        self.expect("SET")?;
        let assignments = self.assignments()?;
        let selection = if self.takes("WHERE") { Some(self.expr()?) } else { None };
        let order_by = self.order_by()?.unwrap_or_default();
        let limit = if self.takes("LIMIT") { Some(self.limit_value()?) } else { None };
        Ok(Statement::Update(Update {
            update_token,
            optimizer_hints: Vec::new(),
            table,
            assignments,
            from: None,
            selection,
            returning: None,
            output: None,
            or: None,
            order_by,
            limit,
        }))
    }

    /// Sources with commas between them, as one that joins them all.
    fn crossed_sources(&mut self) -> Result<TableWithJoins> {
        let mut all = self.sources()?.into_iter();
        let Some(mut whole) = all.next() else { return Err(self.unexpected()) };
        whole.joins.extend(all.map(|next| {
            let relation = match next.joins.is_empty() {
                true => next.relation,
                false => TableFactor::NestedJoin { table_with_joins: Box::new(next), alias: None },
            };
            Join {
                relation,
                global: false,
                join_operator: JoinOperator::CrossJoin(JoinConstraint::None),
            }
        }));
        Ok(whole)
    }

    /// DELETE from one table, or from those of a list, which a join finds rows of.
    pub(super) fn delete(&mut self) -> Result<Statement> {
        let delete_token = self.attached();
        self.expect("DELETE")?;
        while let Some(word) = self.takes_one_of(&["LOW_PRIORITY", "QUICK", "IGNORE"]) {
            match word {
                "LOW_PRIORITY" => self.aside.priority = Some(Priority::Low),
                "QUICK" => self.aside.quick = true,
                _ => self.aside.ignore = true,
            }
        }
        let mut delete = Delete {
            delete_token,
            optimizer_hints: Vec::new(),
            tables: Vec::new(),
            from: FromTable::WithFromKeyword(Vec::new()),
            using: None,
            selection: None,
            returning: None,
            output: None,
            order_by: Vec::new(),
            limit: None,
        };
        if !self.takes("FROM") {
            delete.tables = self.listed(Self::deleted)?;
            self.expect("FROM")?;
            delete.from = FromTable::WithFromKeyword(self.sources()?);
            delete.selection = if self.takes("WHERE") { Some(self.expr()?) } else { None };
            return Ok(Statement::Delete(delete));
        }
        let first = self.peek().clone();
        let mut names = self.listed(Self::deleted)?;
        if names.len() > 1 || self.is("USING") || self.text[first.start..self.end()].ends_with('*')
        {
            self.expect("USING")?;
            delete.from = FromTable::WithFromKeyword(
                names.into_iter().map(|name| alone(table(name))).collect(),
            );
            delete.using = Some(self.sources()?);
            delete.selection = if self.takes("WHERE") { Some(self.expr()?) } else { None };
            return Ok(Statement::Delete(delete));
        }
        let mut from = table(names.remove(0));
        if self.takes("PARTITION") {
            let found = self.in_parens(|parser| parser.listed(Self::ident))?;
            if let TableFactor::Table { partitions, .. } = &mut from {
                *partitions = found;
            }
        }
        if !self.is_mariadb()
            && let TableFactor::Table { alias, .. } = &mut from
        {
            *alias = self.table_alias()?;
        }
        delete.from = FromTable::WithFromKeyword(vec![alone(from)]);
        delete.selection = if self.takes("WHERE") { Some(self.expr()?) } else { None };
        delete.order_by = self.order_by()?.unwrap_or_default();
        delete.limit = if self.takes("LIMIT") { Some(self.limit_value()?) } else { None };
        delete.returning = self.returning()?;
        Ok(Statement::Delete(delete))
    }

    /// `t`, `t.*`, `d.t.*`: a table that rows are deleted from.
    fn deleted(&mut self) -> Result<ObjectName> {
        let mut parts: Vec<Ident> = vec![self.ident()?];
        while self.takes_sign(".") {
            if self.takes_sign("*") {
                break;
            }
            if parts.len() == 2 {
                return Err(self.unexpected());
            }
            parts.push(self.ident()?);
        }
        Ok(parts.into())
    }
}

/// A query of nothing but its body.
pub(super) fn plain_query(with: Option<With>, body: SetExpr) -> Query {
    Query {
        with,
        body: Box::new(body),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    }
}
