//! A [`Program`] as text that people read: what was understood of a file, for tests and for whoever asks.
//!
//! Names in place of ids, one statement a line, and every row by the number of its table in FROM: `0.balance`.
//!
//! ```text
//! transaction withdraw(p_id int, p_amount int)
//!   requires p_amount > 0
//!   variable bal int
//!   select 0.balance from account where 0.id = p_id into bal
//! ```

use std::fmt::{self, Write};

use crate::program::{
    Aggregate, ColumnId, Conflict, Expr, ExprKind, Invariant, Lock, Program, Query, RowId,
    Statement, StatementKind, Table, TableId, Transaction, Type, VariableId,
};

/// The program as text.
pub fn dump(program: &Program) -> String {
    let mut dump = Dump { program, transaction: None, from: Vec::new(), out: String::new() };
    // A String takes all that is written to it.
    let _ = dump.program();
    dump.out
}

struct Dump<'a> {
    program: &'a Program,
    transaction: Option<&'a Transaction>,
    /// The tables of the queries around, for the names of columns.
    from: Vec<Vec<TableId>>,
    out: String,
}

impl<'a> Dump<'a> {
    fn program(&mut self) -> fmt::Result {
        let program = self.program;
        for (id, table) in program.tables.iter().enumerate() {
            self.table(TableId(id as u32), table)?;
        }
        for invariant in &program.invariants {
            self.invariant(invariant)?;
        }
        for transaction in &program.transactions {
            self.transaction(transaction)?;
        }
        Ok(())
    }

    fn table(&mut self, id: TableId, table: &'a Table) -> fmt::Result {
        writeln!(self.out, "table {}", table.name)?;
        let dump = self.inside(vec![id]);
        for column in &table.columns {
            let null = if column.nullable { " null" } else { "" };
            write!(dump.out, "  column {} {}{null}", column.name, ty(column.ty))?;
            if let Some(default) = &column.default {
                dump.out.push_str(" default ");
                dump.expr(default)?;
            }
            dump.out.push('\n');
        }
        let columns = |dump: &Self, table: TableId, of: &[ColumnId]| -> String {
            let names: Vec<&str> =
                of.iter().map(|column| dump.column_name(table, *column)).collect();
            names.join(", ")
        };
        if !table.key.is_empty() {
            let key = columns(dump, id, &table.key);
            writeln!(dump.out, "  key {key}")?;
        }
        for unique in &table.unique {
            let unique = columns(dump, id, unique);
            writeln!(dump.out, "  unique {unique}")?;
        }
        for check in &table.checks {
            dump.out.push_str("  check ");
            dump.expr(check)?;
            dump.out.push('\n');
        }
        for reference in &table.references {
            let from = columns(dump, id, &reference.columns);
            let to = columns(dump, reference.table, &reference.to);
            let name = &dump.program.tables[reference.table.0 as usize].name;
            let cascade = if reference.cascade { " cascade" } else { "" };
            writeln!(dump.out, "  {from} references {name} ({to}){cascade}")?;
        }
        self.outside();
        Ok(())
    }

    fn invariant(&mut self, invariant: &'a Invariant) -> fmt::Result {
        let tables = self.tables(&invariant.from);
        write!(self.out, "invariant {tables}: ")?;
        self.inside(invariant.from.clone()).expr(&invariant.condition)?;
        self.outside();
        self.out.push('\n');
        Ok(())
    }

    fn transaction(&mut self, transaction: &'a Transaction) -> fmt::Result {
        self.transaction = Some(transaction);
        let (parameters, variables) = transaction.variables.split_at(transaction.parameters);
        let named =
            |variable: &crate::program::Variable| format!("{} {}", variable.name, ty(variable.ty));
        let list: Vec<String> = parameters.iter().map(named).collect();
        writeln!(self.out, "transaction {}({})", transaction.name, list.join(", "))?;
        if let Some(requires) = &transaction.requires {
            self.out.push_str("  requires ");
            self.expr(requires)?;
            self.out.push('\n');
        }
        for variable in variables {
            write!(self.out, "  variable {}", named(variable))?;
            if let Some(initial) = &variable.initial {
                self.out.push_str(" := ");
                self.expr(initial)?;
            }
            self.out.push('\n');
        }
        self.statements(&transaction.body, 1)?;
        self.transaction = None;
        Ok(())
    }

    fn statements(&mut self, statements: &'a [Statement], depth: usize) -> fmt::Result {
        for statement in statements {
            self.statement(&statement.kind, depth)?;
        }
        Ok(())
    }

    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
    }

    fn statement(&mut self, kind: &'a StatementKind, depth: usize) -> fmt::Result {
        self.line(depth, "");
        match kind {
            StatementKind::Select { query, into, strict } => {
                self.query(query)?;
                let strict = if *strict { "strict " } else { "" };
                if !into.is_empty() {
                    let into = self.variables(into);
                    write!(self.out, " into {strict}{into}")?;
                }
            }
            StatementKind::Insert { table, rows, conflict, returning } => {
                let name = self.tables(&[*table]);
                write!(self.out, "insert into {name}")?;
                for row in rows {
                    self.out.push_str(" (");
                    self.list(row)?;
                    self.out.push(')');
                }
                match conflict {
                    Conflict::Error => {}
                    Conflict::Nothing => self.out.push_str(" on conflict nothing"),
                    Conflict::Update(set) => {
                        self.inside(vec![*table, *table]).set(" on conflict set", *table, set)?;
                        self.outside();
                    }
                }
                self.inside(vec![*table]).returning(returning)?;
                self.outside();
            }
            StatementKind::Update { table, set, filter, returning } => {
                let name = self.tables(&[*table]);
                write!(self.out, "update {name}")?;
                let dump = self.inside(vec![*table]);
                dump.set(" set", *table, set)?;
                dump.filter(filter.as_ref())?;
                dump.returning(returning)?;
                self.outside();
            }
            StatementKind::Delete { table, filter, returning } => {
                let name = self.tables(&[*table]);
                write!(self.out, "delete from {name}")?;
                let dump = self.inside(vec![*table]);
                dump.filter(filter.as_ref())?;
                dump.returning(returning)?;
                self.outside();
            }
            StatementKind::Assign { variable, value } => {
                let name = self.variables(&[*variable]);
                write!(self.out, "{name} := ")?;
                self.expr(value)?;
            }
            StatementKind::If { arms, otherwise } => {
                return self.branches(arms, otherwise, depth);
            }
            StatementKind::ForQuery { into, query, body } => {
                let into = self.variables(into);
                write!(self.out, "for {into} in ")?;
                self.query(query)?;
                self.out.push('\n');
                return self.statements(body, depth + 1);
            }
            StatementKind::ForEach { variable, array, body } => {
                let (variable, array) = (self.variables(&[*variable]), self.variables(&[*array]));
                writeln!(self.out, "foreach {variable} in {array}")?;
                return self.statements(body, depth + 1);
            }
            StatementKind::ForRange { variable, low, high, body } => {
                let variable = self.variables(&[*variable]);
                write!(self.out, "for {variable} in ")?;
                self.expr(low)?;
                self.out.push_str(" .. ");
                self.expr(high)?;
                self.out.push('\n');
                return self.statements(body, depth + 1);
            }
            StatementKind::Abort => self.out.push_str("abort"),
            StatementKind::Return(None) => self.out.push_str("return"),
            StatementKind::Return(Some(value)) => {
                self.out.push_str("return ");
                self.expr(value)?;
            }
            StatementKind::Skip => self.out.push_str("skip"),
        }
        self.out.push('\n');
        Ok(())
    }

    fn branches(
        &mut self,
        arms: &'a [(Expr, Vec<Statement>)],
        otherwise: &'a [Statement],
        depth: usize,
    ) -> fmt::Result {
        for (number, (condition, body)) in arms.iter().enumerate() {
            if number > 0 {
                self.line(depth, "else ");
            }
            self.out.push_str("if ");
            self.expr(condition)?;
            self.out.push('\n');
            self.statements(body, depth + 1)?;
        }
        if !otherwise.is_empty() {
            self.line(depth, "else\n");
            self.statements(otherwise, depth + 1)?;
        }
        Ok(())
    }

    fn set(&mut self, word: &str, table: TableId, set: &'a [(ColumnId, Expr)]) -> fmt::Result {
        self.out.push_str(word);
        for (number, (column, value)) in set.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let name = self.column_name(table, *column).to_owned();
            write!(self.out, "{comma} {name} = ")?;
            self.expr(value)?;
        }
        Ok(())
    }

    fn filter(&mut self, filter: Option<&'a Expr>) -> fmt::Result {
        let Some(filter) = filter else { return Ok(()) };
        self.out.push_str(" where ");
        self.expr(filter)
    }

    fn returning(&mut self, returning: &'a [(Expr, Option<VariableId>)]) -> fmt::Result {
        for (number, (value, into)) in returning.iter().enumerate() {
            self.out.push_str(if number > 0 { ", " } else { " returning " });
            self.expr(value)?;
            if let Some(into) = into {
                let into = self.variables(&[*into]);
                write!(self.out, " into {into}")?;
            }
        }
        Ok(())
    }

    fn query(&mut self, query: &'a Query) -> fmt::Result {
        self.out.push_str("select ");
        self.inside(query.from.clone()).list(&query.output)?;
        if !query.from.is_empty() {
            let tables = self.tables(&query.from);
            write!(self.out, " from {tables}")?;
        }
        self.filter(query.filter.as_ref())?;
        for (number, (by, descends)) in query.order.iter().enumerate() {
            self.out.push_str(if number > 0 { ", " } else { " order by " });
            self.expr(by)?;
            self.out.push_str(if *descends { " desc" } else { "" });
        }
        self.outside();
        self.out.push_str(if query.first_only { " limit 1" } else { "" });
        self.out.push_str(match query.lock {
            None => "",
            Some(Lock::Update) => " for update",
            Some(Lock::Share) => " for share",
        });
        Ok(())
    }

    fn list(&mut self, all: &'a [Expr]) -> fmt::Result {
        for (number, expr) in all.iter().enumerate() {
            self.out.push_str(if number > 0 { ", " } else { "" });
            self.expr(expr)?;
        }
        Ok(())
    }

    fn inside(&mut self, from: Vec<TableId>) -> &mut Self {
        self.from.push(from);
        self
    }

    fn outside(&mut self) {
        self.from.pop();
    }

    fn column_name(&self, table: TableId, column: ColumnId) -> &'a str {
        &self.program.tables[table.0 as usize].columns[column.0 as usize].name
    }

    fn column(&self, row: RowId, column: ColumnId) -> &'a str {
        let table = self.from.last().and_then(|from| from.get(row.0 as usize));
        table.map_or("?", |table| self.column_name(*table, column))
    }

    fn tables(&self, tables: &[TableId]) -> String {
        let name = |table: &TableId| self.program.tables[table.0 as usize].name.as_str();
        tables.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    fn variables(&self, variables: &[VariableId]) -> String {
        let all = self.transaction.map_or(&[][..], |transaction| &transaction.variables);
        let name = |id: &VariableId| all.get(id.0 as usize).map_or("?", |one| one.name.as_str());
        variables.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// An expression; in parentheses, if it is an operand and has operands.
    fn operand(&mut self, expr: &'a Expr) -> fmt::Result {
        match expr.kind {
            ExprKind::Binary(..) | ExprKind::Not(_) | ExprKind::Negate(_) | ExprKind::IsNull(_) => {
                self.out.push('(');
                self.expr(expr)?;
                self.out.push(')');
                Ok(())
            }
            _ => self.expr(expr),
        }
    }

    fn expr(&mut self, expr: &'a Expr) -> fmt::Result {
        match &expr.kind {
            ExprKind::Null => write!(self.out, "null {}", ty(expr.ty)),
            ExprKind::Int(number) => write!(self.out, "{number}"),
            ExprKind::Decimal(numerator, denominator) => {
                write!(self.out, "{numerator}/{denominator}d")
            }
            ExprKind::Text(text) => write!(self.out, "'{text}'"),
            ExprKind::Bool(truth) => write!(self.out, "{truth}"),
            ExprKind::Column(row, column) => {
                let name = self.column(*row, *column);
                write!(self.out, "{}.{name}", row.0)
            }
            ExprKind::Variable(id) => {
                let name = self.variables(&[*id]);
                self.out.push_str(&name);
                Ok(())
            }
            ExprKind::Not(inner) => {
                self.out.push_str("not ");
                self.operand(inner)
            }
            ExprKind::Negate(inner) => {
                self.out.push('-');
                self.operand(inner)
            }
            ExprKind::Binary(operator, left, right) => {
                self.operand(left)?;
                write!(self.out, " {} ", operator.sign().to_lowercase())?;
                self.operand(right)
            }
            ExprKind::IsNull(inner) => {
                self.operand(inner)?;
                self.out.push_str(" is null");
                Ok(())
            }
            ExprKind::Case(arms, otherwise) => {
                self.out.push_str("case");
                for (when, then) in arms {
                    self.out.push_str(" when ");
                    self.expr(when)?;
                    self.out.push_str(" then ");
                    self.expr(then)?;
                }
                if let Some(otherwise) = otherwise {
                    self.out.push_str(" else ");
                    self.expr(otherwise)?;
                }
                self.out.push_str(" end");
                Ok(())
            }
            ExprKind::Coalesce(all) => {
                self.out.push_str("coalesce(");
                self.list(all)?;
                self.out.push(')');
                Ok(())
            }
            ExprKind::Member(inner, array) => {
                self.operand(inner)?;
                let array = self.variables(&[*array]);
                write!(self.out, " = any({array})")
            }
            ExprKind::Exists(query) => self.subquery("exists (", query),
            ExprKind::Scalar(query) => self.subquery("(", query),
            ExprKind::InQuery(inner, query) => {
                self.operand(inner)?;
                self.subquery(" in (", query)
            }
            ExprKind::Aggregate(aggregate, of) => {
                self.out.push_str(match aggregate {
                    Aggregate::Count => "count(",
                    Aggregate::CountDistinct => "count(distinct ",
                    Aggregate::Sum => "sum(",
                    Aggregate::Min => "min(",
                    Aggregate::Max => "max(",
                });
                match of {
                    Some(of) => self.expr(of)?,
                    None => self.out.push('*'),
                }
                self.out.push(')');
                Ok(())
            }
            ExprKind::Choose => write!(self.out, "choose {}", ty(expr.ty)),
        }
    }

    fn subquery(&mut self, open: &str, query: &'a Query) -> fmt::Result {
        self.out.push_str(open);
        self.query(query)?;
        self.out.push(')');
        Ok(())
    }
}

fn ty(ty: Type) -> &'static str {
    match ty {
        Type::Int => "int",
        Type::Decimal => "decimal",
        Type::Bool => "bool",
        Type::Text => "text",
        Type::IntArray => "int[]",
    }
}
