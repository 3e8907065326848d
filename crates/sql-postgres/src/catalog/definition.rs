//! The definitions of objects in SQL, as PostgreSQL prints them.

use std::fmt::Write;
use std::sync::Arc;

use sqlparser::ast;

use super::deparse::{Bind, expression};
use super::viewdef;
use super::{
    Action, Catalog, Constraint, ConstraintKind, Definition, Expression, Index, IndexKey, Scope,
    Table, quote_ident,
};
use crate::error::Result;

/// The definition of an object in SQL; `None` if it is not there.
pub fn define(scope: &Scope, what: Definition, bind: &Bind<'_>) -> Result<Option<String>> {
    let catalog: &Catalog = scope;
    let column_of = |table: &Arc<Table>, e: &Expression, pretty: bool| -> Result<String> {
        let bound = bind(&e.ast, Some(table), None)?;
        Ok(expression(&bound, Some(table), scope, pretty))
    };
    match what {
        Definition::Default { table, column, pretty } => {
            let Some(table) = catalog.table(table) else { return Ok(None) };
            let at = usize::try_from(column).ok().and_then(|c| c.checked_sub(1));
            let Some(column) = at.and_then(|at| table.columns.get(at)) else { return Ok(None) };
            let Some(default) = &column.default else { return Ok(None) };
            let rows = column.generated.then_some(table);
            let bound = bind(&default.ast, rows, Some((column.ty, column.typmod)))?;
            Ok(Some(expression(&bound, rows, scope, pretty)))
        }
        Definition::DomainDefault { domain, pretty } => {
            let Some(domain) = catalog.domains.get(&domain) else { return Ok(None) };
            let Some(default) = &domain.default else { return Ok(None) };
            let bound = bind(&default.ast, None, Some((domain.base, domain.typmod)))?;
            Ok(Some(expression(&bound, None, scope, pretty)))
        }
        Definition::Check { constraint, pretty } => match checked(catalog, constraint) {
            Some((table, c)) => match &c.kind {
                ConstraintKind::Check(e) => column_of(&table, e, pretty).map(Some),
                _ => Ok(None),
            },
            None => Ok(None),
        },
        Definition::Constraint { constraint, pretty } => match checked(catalog, constraint) {
            Some((table, c)) => match &c.kind {
                ConstraintKind::Check(e) => {
                    let condition = column_of(&table, e, pretty)?;
                    let valid = if c.validated { "" } else { " NOT VALID" };
                    Ok(Some(format!("CHECK ({condition}){valid}")))
                }
                ConstraintKind::Exclude(index) => {
                    exclusion_definition(scope, &table, c, *index, pretty, &column_of)
                }
                _ => Ok(Some(constraint_definition(scope, &table, c))),
            },
            None => Ok(None),
        },
        Definition::Predicate { index, pretty } => match find_index(catalog, index) {
            Some((table, index)) => match &index.predicate {
                Some(e) => column_of(table, e, pretty).map(Some),
                None => Ok(None),
            },
            None => Ok(None),
        },
        Definition::Expressions { index, pretty } => {
            let Some((table, index)) = find_index(catalog, index) else { return Ok(None) };
            let mut parts = Vec::new();
            for column in &index.columns {
                if let IndexKey::Expression(e) = &column.key {
                    parts.push(column_of(table, e, pretty)?);
                }
            }
            Ok(Some(parts.join(", ")))
        }
        Definition::Index { index, column, pretty } => match find_index(catalog, index) {
            Some((table, index)) => {
                index_definition(scope, table, index, column, pretty, &column_of)
            }
            None => Ok(None),
        },
        Definition::View { view, pretty } => {
            let found = catalog.queries().find(|v| v.oid == view);
            Ok(found.map(|view| viewdef::definition(scope, view, bind, pretty)))
        }
    }
}

/// A constraint with its table; of a domain, with the row of its value.
fn checked(catalog: &Catalog, oid: crate::types::Oid) -> Option<(Arc<Table>, &Arc<Constraint>)> {
    match catalog.constraint(oid) {
        Some((table, constraint)) => Some((Arc::clone(table), constraint)),
        None => catalog.domain_check(oid).map(|(domain, c)| (domain.value(catalog), c)),
    }
}

fn find_index(catalog: &Catalog, oid: crate::types::Oid) -> Option<(&Arc<Table>, &Arc<Index>)> {
    match catalog.relation(oid) {
        Some(super::Found::Index(table, index)) => Some((table, index)),
        _ => None,
    }
}

type ColumnOf<'a> = dyn Fn(&Arc<Table>, &Expression, bool) -> Result<String> + 'a;

fn index_definition(
    scope: &Scope,
    table: &Arc<Table>,
    index: &Index,
    column: usize,
    pretty: bool,
    column_of: &ColumnOf<'_>,
) -> Result<Option<String>> {
    let mut keys = Vec::new();
    for key in &index.columns {
        let mut shown = match &key.key {
            IndexKey::Column(at) => {
                table.columns.get(*at).map(|c| quote_ident(&c.name).into_owned())
            }
            IndexKey::Expression(e) => {
                let shown = column_of(table, e, pretty)?;
                Some(if is_call(&e.ast) { shown } else { format!("({shown})") })
            }
        }
        .unwrap_or_default();
        if column == 0 {
            if let Some(collation) = &key.collation {
                let _ = write!(shown, " COLLATE {}", quote_ident(collation));
            }
            if let Some(class) = &key.opclass {
                let default = super::pg::default_opclass(scope, &index.method, key.ty);
                if default.is_none_or(|d| d.name != class) {
                    let _ = write!(shown, " {}", quote_ident(class));
                }
            }
            match (key.descending, key.nulls_first) {
                (false, false) => {}
                (false, true) => shown.push_str(" NULLS FIRST"),
                (true, true) => shown.push_str(" DESC"),
                (true, false) => shown.push_str(" DESC NULLS LAST"),
            }
        }
        keys.push(shown);
    }
    let include = index.include.iter().filter_map(|at| table.columns.get(*at));
    let include: Vec<String> = include.map(|c| quote_ident(&c.name).into_owned()).collect();
    if column > 0 {
        return Ok(Some(keys.into_iter().chain(include).nth(column - 1).unwrap_or_default()));
    }
    let mut out = String::from("CREATE ");
    if index.unique {
        out.push_str("UNIQUE ");
    }
    let on = if pretty {
        scope.display(&scope.path, table.oid).unwrap_or_default()
    } else {
        format!("{}.{}", quote_ident(&table.schema), quote_ident(&table.name))
    };
    let _ = write!(
        out,
        "INDEX {} ON {on} USING {} ({})",
        quote_ident(&index.name),
        index.method,
        keys.join(", ")
    );
    if !include.is_empty() {
        let _ = write!(out, " INCLUDE ({})", include.join(", "));
    }
    if index.nulls_not_distinct {
        out.push_str(" NULLS NOT DISTINCT");
    }
    if !index.options.is_empty() {
        let options = index.options.iter().map(|o| match o.split_once('=') {
            Some((name, value)) => format!("{name}='{value}'"),
            None => o.clone(),
        });
        let _ = write!(out, " WITH ({})", options.collect::<Vec<_>>().join(", "));
    }
    if let Some(predicate) = &index.predicate {
        let _ = write!(out, " WHERE {}", column_of(table, predicate, pretty)?);
    }
    Ok(Some(out))
}

fn constraint_definition(scope: &Scope, table: &Table, constraint: &Constraint) -> String {
    let names = |of: &Table, columns: &[usize]| {
        let columns = columns.iter().filter_map(|at| of.columns.get(*at));
        columns.map(|c| quote_ident(&c.name).into_owned()).collect::<Vec<_>>().join(", ")
    };
    let mut out = String::new();
    match &constraint.kind {
        ConstraintKind::Check(_) | ConstraintKind::Exclude(_) => {}
        ConstraintKind::Primary(index) | ConstraintKind::Unique(index) => {
            let Some(index) = table.index(*index) else { return out };
            let columns = index.key_columns().unwrap_or_default();
            out.push_str(if index.primary { "PRIMARY KEY" } else { "UNIQUE" });
            if index.nulls_not_distinct {
                out.push_str(" NULLS NOT DISTINCT");
            }
            let _ = write!(out, " ({})", names(table, &columns));
            if !index.include.is_empty() {
                let _ = write!(out, " INCLUDE ({})", names(table, &index.include));
            }
        }
        ConstraintKind::Foreign(key) => {
            let Some(target) = scope.table(key.table) else { return out };
            let shown = scope.display(&scope.path, key.table).unwrap_or_default();
            let _ = write!(
                out,
                "FOREIGN KEY ({}) REFERENCES {shown}({})",
                names(table, &key.columns),
                names(target, &key.referenced)
            );
            if key.full {
                out.push_str(" MATCH FULL");
            }
            for (what, action) in [("UPDATE", key.on_update), ("DELETE", key.on_delete)] {
                let action = match action {
                    Action::NoAction => continue,
                    Action::Restrict => "RESTRICT",
                    Action::Cascade => "CASCADE",
                    Action::SetNull => "SET NULL",
                    Action::SetDefault => "SET DEFAULT",
                };
                let _ = write!(out, " ON {what} {action}");
            }
        }
    }
    timing(constraint, &mut out);
    if !constraint.validated {
        out.push_str(" NOT VALID");
    }
    out
}

fn timing(constraint: &Constraint, out: &mut String) {
    if constraint.deferrable {
        out.push_str(" DEFERRABLE");
    }
    if constraint.initially_deferred {
        out.push_str(" INITIALLY DEFERRED");
    }
}

fn exclusion_definition(
    scope: &Scope,
    table: &Arc<Table>,
    constraint: &Constraint,
    index: crate::types::Oid,
    pretty: bool,
    column_of: &ColumnOf<'_>,
) -> Result<Option<String>> {
    let Some(index) = table.index(index) else { return Ok(None) };
    let mut keys = Vec::new();
    for (at, operator) in index.operators.iter().enumerate() {
        let key = index_definition(scope, table, index, at + 1, pretty, column_of)?;
        keys.push(format!("{} WITH {operator}", key.unwrap_or_default()));
    }
    let mut out = format!("EXCLUDE USING {} ({})", index.method, keys.join(", "));
    let include = index.include.iter().filter_map(|at| table.columns.get(*at));
    let include: Vec<String> = include.map(|c| quote_ident(&c.name).into_owned()).collect();
    if !include.is_empty() {
        let _ = write!(out, " INCLUDE ({})", include.join(", "));
    }
    if let Some(predicate) = &index.predicate {
        let _ = write!(out, " WHERE ({})", column_of(table, predicate, pretty)?);
    }
    timing(constraint, &mut out);
    Ok(Some(out))
}

/// Whether an index key needs no parentheses of its own.
fn is_call(expr: &ast::Expr) -> bool {
    use ast::Expr as E;
    matches!(
        expr,
        E::Function(_)
            | E::Extract { .. }
            | E::Substring { .. }
            | E::Trim { .. }
            | E::Position { .. }
            | E::Overlay { .. }
            | E::Ceil { .. }
            | E::Floor { .. }
    )
}
