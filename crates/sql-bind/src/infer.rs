//! Which unique indexes ON CONFLICT means.
//!
//! An index fits when it has exactly the columns and expressions named, and when the predicate given
//! implies its own, if it has one. What implies what is decided as PostgreSQL does for partial indexes: by
//! the form of the conditions and by comparisons with constants, without solving anything.

use std::cmp::Ordering;
use std::sync::Arc;

use sqlparser::ast;

use super::Binder;
use super::alike::alike;
use super::bound::{Expr, Kind};
use super::conjunct::split;
use super::scope::{Clause, Scope};
use super::target::{Target, Verb};
use hobgoblin_sql_schema::catalog::{Index, IndexKey};
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

impl Binder<'_> {
    /// The indexes that have the columns and condition that ON CONFLICT names; an error if there is
    /// none.
    pub(super) fn arbiters(
        &mut self,
        elements: &[ast::Expr],
        predicate: Option<&ast::Expr>,
        target: &Target,
    ) -> Result<Vec<Arc<Index>>> {
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        self.scope().add(target.source(None));
        let bound = self.inference(elements, predicate, target);
        self.scopes.pop();
        let (mut columns, expressions, given) = bound?;
        columns.sort_unstable();
        columns.dedup();
        let table = Arc::clone(&target.table);
        let mut found = Vec::new();
        for index in table.indexes.iter().filter(|index| index.unique) {
            let (mut keys, mut computed) = (Vec::new(), Vec::new());
            for column in &index.columns {
                match &column.key {
                    IndexKey::Column(number) => keys.push(*number),
                    IndexKey::Expression(expr) => {
                        computed.push(self.row_expression(&table, &expr.ast)?);
                    }
                }
            }
            keys.sort_unstable();
            keys.dedup();
            let within = |some: &[Expr], all: &[Expr]| {
                some.iter().all(|expr| all.iter().any(|other| alike(expr, other)))
            };
            if keys != columns
                || !within(&computed, &expressions)
                || !within(&expressions, &computed)
            {
                continue;
            }
            if let Some(predicate) = &index.predicate {
                let predicate = self.row_expression(&table, &predicate.ast)?;
                if !implied(&predicate, &given) {
                    continue;
                }
            }
            found.push(Arc::clone(index));
        }
        match found.is_empty() {
            true => Err(Binding::NoArbiter.into()),
            false => Ok(found),
        }
    }

    /// Binds the columns, expressions and condition of ON CONFLICT over a row of the table.
    fn inference(
        &mut self,
        elements: &[ast::Expr],
        predicate: Option<&ast::Expr>,
        target: &Target,
    ) -> Result<(Vec<usize>, Vec<Expr>, Vec<Expr>)> {
        let (mut columns, mut expressions, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for element in elements {
            match element {
                ast::Expr::Identifier(ident) => {
                    let name = self.fold(ident);
                    let position = target
                        .position(&name, self.dialect())
                        .map_err(|_| Binding::NoColumn(name))?;
                    columns.push(target.column(position, Verb::Insert)?);
                }
                ast::Expr::Collate { .. } => {
                    return Err(SqlError::unsupported("a collation in ON CONFLICT"));
                }
                other => {
                    let mut expr = self.expression(other)?;
                    target.lower(&mut expr, &[0]);
                    match expr.kind {
                        Kind::Column(column) => columns.push(column.column),
                        _ => expressions.push(expr),
                    }
                }
            }
        }
        if let Some(predicate) = predicate {
            self.set_clause(Clause::Where);
            let mut predicate = self.expression(predicate)?;
            target.lower(&mut predicate, &[0]);
            split(predicate, &mut conditions);
        }
        Ok((columns, expressions, conditions))
    }
}

/// Whether a condition is true wherever these conditions are.
fn implied(predicate: &Expr, given: &[Expr]) -> bool {
    match &predicate.kind {
        Kind::And(all) => all.iter().all(|part| implied(part, given)),
        Kind::Or(any) if any.iter().any(|part| implied(part, given)) => true,
        _ => given.iter().any(|clause| implies(clause, predicate)),
    }
}

/// Whether the condition `clause` makes `predicate` true. It may say no where that is so, but never
/// yes where it is not.
fn implies(clause: &Expr, predicate: &Expr) -> bool {
    if alike(clause, predicate) {
        return true;
    }
    match &clause.kind {
        Kind::And(all) => return all.iter().any(|part| implies(part, predicate)),
        Kind::Or(any) => {
            return any.iter().all(|part| implied(predicate, std::slice::from_ref(part)));
        }
        Kind::InList { expr, list, negated: false, .. } => {
            return list.iter().all(|item| from_equality(expr, item, predicate));
        }
        _ => {}
    }
    match &predicate.kind {
        Kind::And(all) => return all.iter().all(|part| implies(clause, part)),
        Kind::Or(any) => return any.iter().any(|part| implies(clause, part)),
        Kind::IsNull(expr, true) => return needs(clause, expr),
        _ => {}
    }
    if let (Some((clause, truth)), Some((predicate, wanted))) = (flag(clause), flag(predicate)) {
        return truth == wanted && alike(clause, predicate);
    }
    match comparison(clause) {
        Some((expr, op, value)) => compared(expr, op, value, predicate),
        None => false,
    }
}

/// A condition that is only a boolean, or NOT of one: the boolean, and what it has to be.
fn flag(expr: &Expr) -> Option<(&Expr, bool)> {
    match &expr.kind {
        Kind::Not(inner) => flag(inner).map(|(found, truth)| (found, !truth)),
        Kind::IsTruth(inner, Some(truth), false) => {
            flag(inner).map(|(found, own)| (found, own == *truth))
        }
        Kind::Column(_) if expr.ty == TypeId::BOOLEAN => Some((expr, true)),
        _ => match comparison(expr)? {
            (found, "=", Datum::Bool(truth)) => flag(found).map(|(e, own)| (e, own == *truth)),
            (found, "<>", Datum::Bool(truth)) => flag(found).map(|(e, own)| (e, own != *truth)),
            _ => None,
        },
    }
}

/// A comparison with a constant: what is compared, the operator, the constant. `5 < a` is turned to
/// `a > 5`.
fn comparison(expr: &Expr) -> Option<(&Expr, &'static str, &Datum)> {
    let Kind::Call { function, args } = &expr.kind else { return None };
    let [left, right] = args.as_slice() else { return None };
    let ops = [("=", "="), ("<>", "<>"), ("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")];
    let (op, flipped) = ops.into_iter().find(|(op, _)| *op == function.name)?;
    match (constant(left), constant(right)) {
        (None, Some(value)) => Some((left, op, value)),
        (Some(value), None) => Some((right, flipped, value)),
        _ => None,
    }
}

fn constant(expr: &Expr) -> Option<&Datum> {
    match &expr.kind {
        Kind::Const(value) if !value.is_null() => Some(value),
        Kind::Cast { expr: inner, .. } if inner.ty == TypeId::UNKNOWN => constant(inner),
        _ => None,
    }
}

/// Whether `expr = item` makes a condition true.
fn from_equality(expr: &Expr, item: &Expr, predicate: &Expr) -> bool {
    match (&predicate.kind, constant(item)) {
        (Kind::And(all), _) => all.iter().all(|part| from_equality(expr, item, part)),
        (Kind::Or(any), _) => any.iter().any(|part| from_equality(expr, item, part)),
        (Kind::IsNull(found, true), _) => needs(expr, found),
        (_, Some(value)) => compared(expr, "=", value, predicate),
        _ => false,
    }
}

/// Whether `expr op value` makes a condition true.
fn compared(expr: &Expr, op: &str, value: &Datum, predicate: &Expr) -> bool {
    if let Kind::InList { expr: found, list, negated: false, .. } = &predicate.kind {
        let equal = |item: &Expr| constant(item).is_some_and(|item| item.equal(value));
        return op == "=" && alike(expr, found) && list.iter().any(equal);
    }
    let Some((found, wanted, bound)) = comparison(predicate) else { return false };
    // Constants of different types are not compared.
    if !alike(expr, found) || std::mem::discriminant(value) != std::mem::discriminant(bound) {
        return false;
    }
    let order = value.compare(bound);
    match (op, wanted) {
        ("=", "=") | ("<>", "<>") => order == Ordering::Equal,
        ("=", "<>") => order != Ordering::Equal,
        ("=" | "<" | "<=", "<") if op != "<" => order == Ordering::Less,
        ("<", "<" | "<=" | "<>") | ("=" | "<=", "<=") => order != Ordering::Greater,
        ("<=", "<>") => order == Ordering::Less,
        ("=" | ">" | ">=", ">") if op != ">" => order == Ordering::Greater,
        (">", ">" | ">=" | "<>") | ("=" | ">=", ">=") => order != Ordering::Less,
        (">=", "<>") => order == Ordering::Greater,
        _ => false,
    }
}

/// Whether a condition cannot be true where an expression is NULL, since every function in between
/// then gives NULL.
fn needs(clause: &Expr, wanted: &Expr) -> bool {
    if alike(clause, wanted) {
        return true;
    }
    match &clause.kind {
        Kind::Call { function, args } => {
            function.strict && args.iter().any(|arg| needs(arg, wanted))
        }
        Kind::Cast { expr, .. } | Kind::Not(expr) => needs(expr, wanted),
        Kind::InList { expr, .. } => needs(expr, wanted),
        Kind::IsNull(expr, true) => needs(expr, wanted),
        _ => false,
    }
}
