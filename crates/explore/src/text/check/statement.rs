//! Statements and procedures.

use super::names::{Global, columns};
use super::scope::Scope;
use super::shape;
use crate::text::code::{Procedure, Step};
use crate::text::error::{Mistake, Parsed};
use crate::text::syntax::{Does, Expr, Name, Proc, Statement};

impl Scope<'_> {
    /// Compiles a procedure; the scope is its own.
    pub(super) fn procedure(&mut self, proc: &Proc) -> Parsed<Procedure> {
        for (at, param) in proc.params.iter().enumerate() {
            if proc.params[..at].iter().any(|other| other.text == param.text) {
                let message = format!("there is another parameter `{}`", param.text);
                return Err(Mistake::at(param.at, message, "choose another name"));
            }
            self.declare(&param.text);
        }
        let body = self.block(&proc.body)?;
        Ok(Procedure { params: proc.params.len(), slots: std::mem::take(&mut self.slots), body })
    }

    fn block(&mut self, statements: &[Statement]) -> Parsed<Vec<Step>> {
        statements.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&mut self, statement: &Statement) -> Parsed<Step> {
        let at = statement.at.start;
        Ok(match &statement.kind {
            Does::Assign { name, value, declares } => {
                let value = self.expression(value)?;
                let local = !declares && self.slot(&name.text).is_none();
                if local && self.is_session_var(&name.text) {
                    return Ok(Step::AssignLocal(name.text.clone(), value));
                }
                if let Some(Global::Key | Global::Family { .. }) = self.names.get(&name.text)
                    && local
                {
                    let message = format!("`{}` is a key, not a variable", name.text);
                    let help = format!("write `write {} ...`, or choose another name", name.text);
                    return Err(Mistake::at(name.at, message, help));
                }
                Step::Assign(self.declare(&name.text), value)
            }
            Does::Write { key, value } => {
                if let Some(Global::Table(_)) = self.names.get(&key.name.text) {
                    let message = format!("`{}` is a table", key.name.text);
                    return Err(Mistake::at(key.at, message, "use insert, update and delete"));
                }
                let key = self.key(key)?;
                Step::Write(key, self.expression(value)?, at)
            }
            Does::Insert { table: name, values } => {
                let table = self.names.table(name)?;
                columns(&table, values.len(), name)?;
                let values = values.iter().map(|value| self.expression(value));
                Step::Insert(table, values.collect::<Parsed<_>>()?, at)
            }
            Does::Delete { table, filter } => {
                let (rows, ()) = self.rows(table, filter.as_ref(), statement.at, |_, _| Ok(()))?;
                Step::Delete(rows)
            }
            Does::Update { table, changes, filter } => {
                let (mut rows, changes) =
                    self.rows(table, filter.as_ref(), statement.at, |scope, table| {
                        let mut codes = Vec::new();
                        for (column, value) in changes {
                            scope.changeable(column, &table.columns[0])?;
                            codes.push((column.text.clone(), scope.expression(value)?));
                        }
                        Ok(codes)
                    })?;
                rows.needs_row = true;
                Step::Update(rows, changes)
            }
            Does::If { arms, otherwise } => {
                let mut codes = Vec::new();
                for (condition, body) in arms {
                    let code = self.condition(condition)?;
                    codes.push((code, self.block(body)?));
                }
                Step::If(codes, self.block(otherwise)?, at)
            }
            Does::For { name, over, body } => {
                let code = self.expression(over)?;
                shape::expect_items(&code, over.at)?;
                let slot = self.declare(&name.text);
                Step::For(slot, code, self.block(body)?, at)
            }
            Does::Repeat { times, body } => {
                let code = self.expression(times)?;
                shape::expect_int(&code, times.at)?;
                Step::Repeat(code, self.block(body)?, at)
            }
            Does::While { condition, body } => {
                let code = self.condition(condition)?;
                Step::While(code, self.block(body)?, at)
            }
            Does::Abort => Step::Abort,
            Does::Return(None) => Step::Return(None),
            Does::Return(Some(value)) => Step::Return(Some(self.expression(value)?)),
        })
    }

    fn condition(&mut self, condition: &Expr) -> Parsed<crate::text::code::Code> {
        let code = self.expression(condition)?;
        shape::expect_bool(&code, condition.at)?;
        Ok(code)
    }

    /// A column that an update may change.
    fn changeable(&self, column: &Name, primary: &str) -> Parsed<()> {
        self.known_column(column)?;
        if *column.text != *primary {
            return Ok(());
        }
        let message = format!("`{}` is the primary key and does not change", column.text);
        Err(Mistake::at(column.at, message, "delete the row and insert another"))
    }
}
