//! Expressions: names resolved, constants computed, mistakes found.

use hobgoblin_core::{Key, Text};

use super::names::{Global, indexes};
use super::scope::{Columns, Place, Scope};
use super::shape;
use crate::text::code::{Code, Function, KeyCode, Output, Rows};
use crate::text::error::{Mistake, Parsed, Span};
use crate::text::keys::key_name;
use crate::text::nearest::{nearest, suggest};
use crate::text::run::{Machine, World};
use crate::text::syntax::{Expr, KeyRef, Kind, Name, Op, Select};
use crate::text::value::Val;
use crate::transaction::Stop;

impl Scope<'_> {
    /// Compiles an expression. Its tree is of bounded height, so this may recurse.
    pub(super) fn expression(&mut self, expr: &Expr) -> Parsed<Code> {
        let at = expr.at.start;
        let code = match &expr.kind {
            Kind::Literal(value) => return Ok(Code::Constant(value.clone())),
            Kind::Name(name) => return self.name(name, expr.at),
            Kind::Read(key) => return self.read(key, expr.at),
            Kind::Last(key) => return self.last(key, expr.at),
            Kind::Select(select) => return self.select(select, expr.at),
            Kind::List(items) => Code::List(self.expressions(items)?, at),
            Kind::Set(items) => Code::Set(self.expressions(items)?, at),
            Kind::Field(of, field) => return self.field(of, field),
            Kind::Index(of, index) => {
                let (of, number) = (self.expression(of)?, self.expression(index)?);
                shape::expect_int(&number, index.at)?;
                Code::Index(Box::new((of, number)), at)
            }
            Kind::Not(inner) => {
                let code = self.expression(inner)?;
                shape::expect_bool(&code, inner.at)?;
                Code::Not(Box::new(code), at)
            }
            Kind::Minus(inner) => {
                let code = self.expression(inner)?;
                shape::expect_int(&code, inner.at)?;
                Code::Minus(Box::new(code), at)
            }
            Kind::Binary(op, left, right) => {
                let parts = (self.expression(left)?, self.expression(right)?);
                shape::expect_operands(*op, &parts.0, &parts.1, expr.at)?;
                Code::Binary(*op, Box::new(parts), at)
            }
            Kind::Call(name, args) => self.call(name, args, expr.at)?,
        };
        self.folded(code, expr.at)
    }

    fn expressions(&mut self, exprs: &[Expr]) -> Parsed<Vec<Code>> {
        exprs.iter().map(|expr| self.expression(expr)).collect()
    }

    /// What is constant is computed now, so that its faults are found now.
    fn folded(&self, code: Code, at: Span) -> Parsed<Code> {
        let is_constant = |code: &Code| matches!(code, Code::Constant(_));
        let foldable = match &code {
            Code::List(parts, _) | Code::Set(parts, _) | Code::Call(_, parts, _) => {
                parts.iter().all(is_constant)
            }
            Code::Not(inner, _) | Code::Minus(inner, _) => is_constant(inner),
            Code::Binary(_, parts, _) | Code::Index(parts, _) => {
                is_constant(&parts.0) && is_constant(&parts.1)
            }
            _ => false,
        };
        if !foldable {
            return Ok(code);
        }
        match Machine::new(World::Constant, &self.names.sources).eval(&code) {
            Ok(value) => Ok(Code::Constant(value)),
            Err(Stop::Fault(what)) => {
                // The place is the error's already.
                let what = what.rsplit_once(" (").map_or(what.as_str(), |(what, _)| what);
                Err(Mistake::at(at, format!("this expression {what}"), "correct it"))
            }
            Err(_) => Ok(code),
        }
    }

    fn call(&mut self, name: &Name, args: &[Expr], at: Span) -> Parsed<Code> {
        let found = Function::ALL.iter().find(|(function, ..)| **function == *name.text);
        let Some(&(_, arity, function)) = found else {
            let names = Function::ALL.iter().map(|(function, ..)| *function);
            let help = match self.names.get(&name.text) {
                Some(Global::Proc(_)) => "procedures are called by sessions only".to_owned(),
                _ => {
                    let all: Vec<_> = names.clone().collect();
                    suggest(&name.text, names, format!("the functions are {}", all.join(", ")))
                }
            };
            return Err(Mistake::at(
                name.at,
                format!("there is no function `{}`", name.text),
                help,
            ));
        };
        if args.len() != arity {
            let message = format!("`{}` takes {arity} arguments, not {}", name.text, args.len());
            return Err(Mistake::at(at, message, "see docs/explore.md"));
        }
        let codes = self.expressions(args)?;
        if !matches!(function, Function::Text | Function::Len) {
            shape::expect_items(&codes[0], args[0].at)?;
        }
        Ok(Code::Call(function, codes, at.start))
    }

    fn field(&mut self, of: &Expr, field: &Name) -> Parsed<Code> {
        let name = |expr: &Expr| match &expr.kind {
            Kind::Name(text) => Some(Name { text: text.clone(), at: expr.at }),
            _ => None,
        };
        if self.place == Place::Assertion {
            if let Kind::Field(session, txn) = &of.kind
                && let Some(session) = name(session)
                && self.session_var(&session, txn).is_none()
            {
                return self.ended(&session, txn, field);
            }
            if let Some(session) = name(of)
                && let Some(var) = self.session_var(&session, field)
            {
                return Ok(var);
            }
        } else if let Some(txn) = name(of)
            && let Some(found) = self.earlier(&txn, field)
        {
            return found;
        }
        let code = self.expression(of)?;
        Ok(Code::Field(Box::new(code), field.text.clone(), field.at.start))
    }

    fn read(&mut self, key: &KeyRef, at: Span) -> Parsed<Code> {
        self.only_in_body("read", at)?;
        if let Some(Global::Table(_)) = self.names.get(&key.name.text) {
            let message = format!("`{}` is a table", key.name.text);
            let help = format!("write `select * from {}`", key.name.text);
            return Err(Mistake::at(key.name.at, message, help));
        }
        Ok(Code::Read(self.key(key)?, at.start))
    }

    fn only_in_body(&self, verb: &str, at: Span) -> Parsed<()> {
        let help = match self.place {
            Place::Body => return Ok(()),
            Place::Constant => "initial values are constants",
            Place::Args => "read it in a transaction",
            Place::Assertion => "assertions see final values: `last x`, `last items[1].count`",
        };
        Err(Mistake::at(at, format!("`{verb}` belongs into a transaction"), help))
    }

    /// A key of `read` and `write`.
    pub(super) fn key(&mut self, key: &KeyRef) -> Parsed<KeyCode> {
        let name = &key.name;
        match self.names.get(&name.text) {
            Some(Global::Key) if key.indexes.is_empty() => {
                return Ok(KeyCode::Fixed(Key::Text(name.text.clone())));
            }
            Some(Global::Key) => {
                let message = format!("`{}` is one key, without indexes", name.text);
                let help = format!("for an element of its value write `(read {})[...]`", name.text);
                return Err(Mistake::at(key.at, message, help));
            }
            Some(Global::Family { arity, .. }) => {
                indexes(*arity, key.indexes.len(), key.at, &name.text)?;
            }
            Some(Global::Table(_)) => {
                indexes(1, key.indexes.len(), key.at, &name.text)?;
            }
            _ => {
                let keys = |global: &Global| !matches!(global, Global::Proc(_));
                let help = format!("declare it: `init {} = 0`", name.text);
                let help = nearest(&name.text, self.names.those(keys), &help);
                let message = format!("there is no key `{}`", name.text);
                return Err(Mistake::at(name.at, message, help));
            }
        }
        let codes = self.expressions(&key.indexes)?;
        let constants: Vec<Val> = codes
            .iter()
            .filter_map(|code| match code {
                Code::Constant(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        if constants.len() < codes.len() {
            return Ok(KeyCode::Computed { name: name.text.clone(), indexes: codes });
        }
        let full = key_name(&name.text, &constants).map_err(|what| {
            Mistake::at(key.at, format!("this key {what}"), "indexes are integers or strings")
        })?;
        self.names.declared(name, &full, key.at)?;
        Ok(KeyCode::Fixed(full))
    }

    fn last(&mut self, key: &KeyRef, at: Span) -> Parsed<Code> {
        if self.place != Place::Assertion {
            let help = "in a transaction, write `read`";
            return Err(Mistake::at(at, "`last` belongs into an assertion", help));
        }
        let table = matches!(self.names.get(&key.name.text), Some(Global::Table(_)));
        let found = match table && key.indexes.is_empty() {
            true => Key::Text(key.name.text.clone()),
            false => match self.key(key)? {
                KeyCode::Fixed(key) => key,
                KeyCode::Computed { .. } => {
                    let help = "observed keys are known before the program runs: `last cart[1]`";
                    return Err(Mistake::at(key.at, "this key is not constant", help));
                }
            },
        };
        if !self.observed.contains(&found) {
            self.observed.push(found.clone());
        }
        Ok(Code::Last(found))
    }

    fn select(&mut self, select: &Select, at: Span) -> Parsed<Code> {
        self.only_in_body("select", at)?;
        let (rows, output) =
            self.rows(&select.table, select.filter.as_ref(), at, |scope, table| {
                let all: Vec<Name> = match &select.columns {
                    Some(columns) => columns.clone(),
                    None => {
                        let name = |text: &Text| Name { text: text.clone(), at };
                        table.columns.iter().map(name).collect()
                    }
                };
                for column in &all {
                    scope.known_column(column)?;
                }
                if let (Some(_), [one]) = (&select.columns, &all[..]) {
                    return Ok(Output::One(scope.column(one)));
                }
                let mut columns: Vec<_> =
                    all.iter().map(|column| (column.text.clone(), scope.column(column))).collect();
                columns.sort_by(|a, b| a.0.cmp(&b.0));
                columns.dedup_by(|a, b| a.0 == b.0);
                Ok(Output::Record(columns))
            })?;
        Ok(Code::Select(Box::new((rows, output))))
    }

    /// The rows of a statement; `inner` is compiled where their columns are known.
    pub(super) fn rows<T>(
        &mut self,
        table: &Name,
        filter: Option<&Expr>,
        at: Span,
        inner: impl FnOnce(&mut Self, &crate::text::code::Table) -> Parsed<T>,
    ) -> Parsed<(Rows, T)> {
        let table = self.names.table(table)?;
        let (id, row) = (self.hidden("".into()), self.hidden("".into()));
        let mut conditions = Vec::new();
        filter.into_iter().for_each(|filter| conjuncts(filter, &mut conditions));
        let mut fixed = None;
        if let Some((place, value)) = conditions
            .iter()
            .enumerate()
            .find_map(|(place, condition)| Some(place).zip(fixes(condition, &table)))
        {
            fixed = Some(self.expression(value)?);
            conditions.remove(place);
        }
        let columns = Columns { table: table.clone(), id, row, used: false };
        let outer = self.columns.replace(columns);
        let condition = |scope: &mut Self, condition: &Expr| {
            let code = scope.expression(condition)?;
            shape::expect_bool(&code, condition.at)?;
            Ok(code)
        };
        let filter: Parsed<Vec<Code>> =
            conditions.into_iter().map(|expr| condition(self, expr)).collect();
        let inner = filter.and_then(|filter| Ok((filter, inner(self, &table)?)));
        let needs_row = self.columns.as_ref().is_some_and(|columns| columns.used);
        self.columns = outer;
        let (filter, inner) = inner?;
        Ok((Rows { table, id, row, fixed, filter, needs_row, at: at.start }, inner))
    }

    /// A column that the table has.
    pub(super) fn known_column(&self, column: &Name) -> Parsed<()> {
        let Some(Columns { table, .. }) = &self.columns else { return Ok(()) };
        if table.columns.contains(&column.text) {
            return Ok(());
        }
        let message = format!("`{}` has no column `{}`", table.name, column.text);
        let all: Vec<_> = table.columns.iter().map(|column| &**column).collect();
        let help = format!("its columns are {}", all.join(", "));
        Err(Mistake::at(column.at, message, nearest(&column.text, table.columns.iter(), &help)))
    }

    /// The value of a column of the row looked at, whatever variables there are.
    fn column(&mut self, column: &Name) -> Code {
        match &mut self.columns {
            Some(columns) if columns.table.columns[0] == column.text => Code::Slot(columns.id),
            Some(columns) => {
                columns.used = true;
                let row = Code::Slot(columns.row);
                Code::Field(Box::new(row), column.text.clone(), column.at.start)
            }
            None => Code::Constant(Val::Null),
        }
    }
}

/// The conditions that `and` joins.
fn conjuncts<'e>(expr: &'e Expr, all: &mut Vec<&'e Expr>) {
    match &expr.kind {
        Kind::Binary(Op::And, left, right) => {
            conjuncts(left, all);
            conjuncts(right, all);
        }
        _ => all.push(expr),
    }
}

/// What a condition says the primary key is.
fn fixes<'e>(condition: &'e Expr, table: &crate::text::code::Table) -> Option<&'e Expr> {
    let Kind::Binary(Op::Equal, left, right) = &condition.kind else { return None };
    let is_id = |expr: &Expr| matches!(&expr.kind, Kind::Name(name) if *name == table.columns[0]);
    match (is_id(left), is_id(right)) {
        (true, false) if !mentions(right, table) => Some(right),
        (false, true) if !mentions(left, table) => Some(left),
        _ => None,
    }
}

/// Whether an expression is about columns of the table, or reads.
fn mentions(expr: &Expr, table: &crate::text::code::Table) -> bool {
    let any = |exprs: &[Expr]| exprs.iter().any(|expr| mentions(expr, table));
    match &expr.kind {
        Kind::Literal(_) => false,
        Kind::Name(name) => table.columns.contains(name),
        Kind::List(items) | Kind::Set(items) | Kind::Call(_, items) => any(items),
        Kind::Field(inner, _) | Kind::Not(inner) | Kind::Minus(inner) => mentions(inner, table),
        Kind::Index(left, right) | Kind::Binary(_, left, right) => {
            mentions(left, table) || mentions(right, table)
        }
        Kind::Read(_) | Kind::Last(_) | Kind::Select(_) => true,
    }
}
