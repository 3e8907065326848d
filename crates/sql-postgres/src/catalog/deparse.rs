//! Expressions and definitions as PostgreSQL prints them.
//!
//! PostgreSQL prints the bound tree, not the text that was written: `amt >= 0` over a numeric column is
//! `(amt >= (0)::numeric)`. Every operator stands in parentheses unless it is printed prettily; a
//! conversion that nobody wrote shows only inside something else; constants carry their type unless
//! they could be read back without it.

use crate::bind::system::column_that;
use std::cell::Cell;
use std::fmt::Write;
use std::sync::Arc;

use sqlparser::ast;

use super::{
    Action, Catalog, Constraint, ConstraintKind, Definition, Expression, Index, IndexKey, Scope,
    Table, quote_ident,
};
use crate::bind::expr::Subscript;
use crate::bind::{Expr, Kind};
use crate::error::Result;
use crate::types::{Datum, Format, PgType, TypeEnv, TypeId, builtin, text};

/// Binds an expression of the schema: over a table's row if there is one, as a value of a type if one
/// is given.
pub type Bind<'a> =
    dyn Fn(&ast::Expr, Option<&Arc<Table>>, Option<(TypeId, i32)>) -> Result<Expr> + 'a;

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
            Ok(found.map(|view| super::viewdef::definition(scope, view, bind, pretty)))
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
            let columns = super::ddl::key_columns(index).unwrap_or_default();
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

/// A bound expression as `pg_get_expr` prints it.
pub fn expression(expr: &Expr, table: Option<&Arc<Table>>, scope: &Scope, pretty: bool) -> String {
    let format = Format::default();
    let env = TypeEnv::new(&format, scope);
    let printer = Printer { table, called: None, scope, env, pretty, unknown: Cell::new(false) };
    printer.print(expr, false, true)
}

/// The same with every column after its table; `None` for what cannot be printed.
pub(super) fn qualified_expression(
    expr: &Expr,
    table: &Arc<Table>,
    called: &str,
    scope: &Scope,
    pretty: bool,
) -> Option<String> {
    let format = Format::default();
    let env = TypeEnv::new(&format, scope);
    let (table, called, unknown) = (Some(table), Some(called), Cell::new(false));
    let printer = Printer { table, called, scope, env, pretty, unknown };
    let shown = match &expr.kind {
        Kind::Const(value) if expr.ty == TypeId::UNKNOWN => {
            printer.constant(value, TypeId::TEXT, -1)
        }
        _ => printer.print(expr, false, true),
    };
    (!printer.unknown.get()).then_some(shown)
}

struct Printer<'a> {
    table: Option<&'a Arc<Table>>,
    /// What the table is called before its columns.
    called: Option<&'a str>,
    scope: &'a Scope,
    env: TypeEnv<'a>,
    pretty: bool,
    /// Whether something could not be printed.
    unknown: Cell<bool>,
}

impl Printer<'_> {
    fn type_name(&self, ty: TypeId, typmod: i32) -> String {
        match (ty, typmod) {
            (TypeId::BPCHAR, -1) => "bpchar".to_owned(),
            _ => builtin::format_type(ty, typmod, self.scope),
        }
    }

    /// In parentheses, unless it is printed prettily and what is around it needs none.
    fn wrap(&self, inner: String, bare: bool) -> String {
        if self.pretty && bare { inner } else { format!("({inner})") }
    }

    /// A side of an operator: `*` binds closer than `+`, and both group from the left.
    fn side(&self, expr: &Expr, parent: &str, first: bool) -> String {
        let rank = |op: &str| match op {
            "*" | "/" | "%" => 2,
            "+" | "-" => 1,
            _ => 0,
        };
        let bare = match &expr.kind {
            Kind::Call { function, args } if args.len() == 2 && is_operator(expr) => {
                let (outer, inner) = (rank(parent), rank(function.name));
                outer > 0 && inner > 0 && (inner > outer || (inner == outer && first))
            }
            _ => false,
        };
        self.print(expr, true, bare)
    }

    fn list(&self, items: &[Expr]) -> String {
        items.iter().map(|e| self.print(e, true, true)).collect::<Vec<_>>().join(", ")
    }

    /// An expression; `implicit` says whether conversions nobody wrote show, `outermost` whether what is
    /// around it ends it anyway.
    fn print(&self, expr: &Expr, implicit: bool, outermost: bool) -> String {
        match &expr.kind {
            Kind::Const(value) => self.constant(value, expr.ty, expr.typmod),
            Kind::Param(n) => format!("${}", n + 1),
            Kind::Column(column) => {
                let found = self.table.and_then(|t| t.columns.get(column.column));
                let held = crate::bind::system::held_in(column.column);
                let system = held.and_then(|held| column_that(held, self.scope.catalog.dialect));
                let name = match system {
                    Some(system) => system.name.into(),
                    None => found.map(|c| quote_ident(&c.name)).unwrap_or_default(),
                };
                let name = match self.called {
                    Some(table) => format!("{}.{name}", quote_ident(table)),
                    // What stands for no table's row is a domain's value.
                    None if self.table.is_some_and(|table| table.oid == 0) => "VALUE".to_owned(),
                    None => name.into_owned(),
                };
                // A column of a domain is taken for what the domain is over.
                match found.is_some_and(|c| implicit && c.domain.is_some() && c.ty == expr.ty) {
                    true => format!("({name})::{}", self.type_name(expr.ty, expr.typmod)),
                    false => name,
                }
            }
            Kind::WholeRow { .. } => {
                self.table.map(|t| format!("{}.*", quote_ident(&t.name))).unwrap_or_default()
            }
            Kind::Call { function, args } => self.call(function.name, args, outermost),
            Kind::Cast { expr: inner, explicit } => {
                if !explicit && !implicit {
                    return self.print(inner, implicit, outermost);
                }
                if let Kind::Const(value) = &inner.kind
                    && (inner.ty == TypeId::UNKNOWN || inner.ty == expr.ty)
                {
                    return self.constant(value, expr.ty, expr.typmod);
                }
                let bare = self.pretty
                    && matches!(inner.kind, Kind::Column(_) | Kind::Call { .. } | Kind::Const(_))
                    && !is_operator(inner);
                let shown = self.print(inner, false, true);
                let name = self.type_name(expr.ty, expr.typmod);
                if bare { format!("{shown}::{name}") } else { format!("({shown})::{name}") }
            }
            Kind::Domain { expr: inner, .. } => {
                let name = self.type_name(expr.ty, expr.typmod);
                match &inner.kind {
                    Kind::Const(value) => {
                        let shown = self.constant(value, inner.ty, inner.typmod);
                        format!("({shown})::{name}")
                    }
                    _ => format!("({})::{name}", self.print(inner, false, true)),
                }
            }
            Kind::Spread(array) => format!("VARIADIC {}", self.print(array, true, true)),
            Kind::And(all) => self.joined(all, " AND ", outermost),
            Kind::Or(all) => self.joined(all, " OR ", outermost),
            Kind::Not(inner) => {
                self.wrap(format!("NOT {}", self.print(inner, false, false)), outermost)
            }
            Kind::IsNull(inner, negated) => {
                let not = if *negated { "NOT " } else { "" };
                self.wrap(format!("{} IS {not}NULL", self.print(inner, true, false)), outermost)
            }
            Kind::IsTruth(inner, value, negated) => {
                let not = if *negated { "NOT " } else { "" };
                let value = match value {
                    Some(true) => "TRUE",
                    Some(false) => "FALSE",
                    None => "UNKNOWN",
                };
                self.wrap(format!("{} IS {not}{value}", self.print(inner, true, false)), outermost)
            }
            Kind::Distinct(left, right, _, negated) => {
                let (l, r) = (self.print(left, true, false), self.print(right, true, false));
                if *negated {
                    self.wrap(format!("NOT ({l} IS DISTINCT FROM {r})"), outermost)
                } else {
                    self.wrap(format!("{l} IS DISTINCT FROM {r}"), outermost)
                }
            }
            Kind::Case { whens, otherwise } => self.case(whens, otherwise.as_deref()),
            Kind::Coalesce(args) => format!("COALESCE({})", self.list(args)),
            Kind::NullIf(left, right, _) => {
                format!(
                    "NULLIF({}, {})",
                    self.print(left, true, true),
                    self.print(right, true, true)
                )
            }
            Kind::Extreme { args, greatest } => {
                format!("{}({})", if *greatest { "GREATEST" } else { "LEAST" }, self.list(args))
            }
            Kind::InList { expr: left, list, negated, .. } => {
                let (op, quantifier) = if *negated { ("<>", "ALL") } else { ("=", "ANY") };
                let shown = self.print(left, true, false);
                let list = self.in_list(left, list);
                self.wrap(format!("{shown} {op} {quantifier} ({list})"), outermost)
            }
            Kind::AnyArray { left, array, function, all } => {
                let quantifier = if *all { "ALL" } else { "ANY" };
                let (l, a) = (self.print(left, true, false), self.print(array, true, true));
                self.wrap(format!("{l} {} {quantifier} ({a})", function.name), outermost)
            }
            Kind::Array { items, .. } => {
                if items.is_empty() {
                    return format!("ARRAY[]::{}", self.type_name(expr.ty, -1));
                }
                format!("ARRAY[{}]", self.list(items))
            }
            Kind::Row(items) => format!("ROW({})", self.list(items)),
            Kind::Subscript { array, subscripts } => {
                let mut shown = match array.kind {
                    Kind::Column(_) => self.print(array, true, true),
                    _ => format!("({})", self.print(array, true, true)),
                };
                for subscript in subscripts {
                    match subscript {
                        Subscript::Index(e) => {
                            let _ = write!(shown, "[{}]", self.print(e, true, true));
                        }
                        Subscript::Slice(low, high) => {
                            let side = |e: &Option<Expr>| {
                                e.as_ref().map(|e| self.print(e, true, true)).unwrap_or_default()
                            };
                            let _ = write!(shown, "[{}:{}]", side(low), side(high));
                        }
                    }
                }
                shown
            }
            // What cannot stand in a default, a check or an index.
            _ => {
                self.unknown.set(true);
                "?".to_owned()
            }
        }
    }

    /// AND and OR: only an OR inside an AND needs parentheses, and comparisons with arrays.
    fn joined(&self, all: &[Expr], between: &str, outermost: bool) -> String {
        let bare = |e: &Expr| match e.kind {
            Kind::Or(_) => between == " OR ",
            Kind::InList { .. } | Kind::AnyArray { .. } => false,
            _ => true,
        };
        let parts: Vec<String> = all.iter().map(|e| self.print(e, false, bare(e))).collect();
        self.wrap(parts.join(between), outermost)
    }

    /// The list of an IN. Over a varchar PostgreSQL makes the array of varchar, and converts it whole.
    fn in_list(&self, left: &Expr, list: &[Expr]) -> String {
        let varchar = matches!(&left.kind, Kind::Cast { expr, explicit: false }
            if expr.ty == TypeId::VARCHAR && left.ty == TypeId::TEXT);
        let constants = list.iter().map(|e| match &e.kind {
            Kind::Const(value) if varchar => Some(self.constant(value, TypeId::VARCHAR, -1)),
            _ => None,
        });
        match constants.collect::<Option<Vec<_>>>() {
            Some(items) if self.pretty => format!("ARRAY[{}]::text[]", items.join(", ")),
            Some(items) => format!("(ARRAY[{}])::text[]", items.join(", ")),
            None => format!("ARRAY[{}]", self.list(list)),
        }
    }

    fn case(&self, whens: &[(Expr, Expr)], otherwise: Option<&Expr>) -> String {
        let mut out = String::from("\nCASE");
        for (when, then) in whens {
            let (when, then) = (self.print(when, false, true), self.print(then, true, true));
            let _ = write!(out, "\n    WHEN {when} THEN {then}");
        }
        let shown = otherwise.map(|e| self.print(e, true, true));
        let _ = write!(out, "\n    ELSE {}\nEND", shown.unwrap_or_else(|| "NULL".to_owned()));
        out
    }

    fn call(&self, name: &str, args: &[Expr], outermost: bool) -> String {
        let word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        match (word, args) {
            (false, [left, right]) => {
                let (l, r) = (self.side(left, name, true), self.side(right, name, false));
                self.wrap(format!("{l} {name} {r}"), outermost)
            }
            (false, [one]) => {
                self.wrap(format!("{name} {}", self.print(one, true, false)), outermost)
            }
            (_, [])
                if matches!(
                    name,
                    "current_date"
                        | "current_timestamp"
                        | "current_time"
                        | "localtime"
                        | "localtimestamp"
                        | "current_user"
                        | "session_user"
                        | "current_role"
                        | "current_catalog"
                ) =>
            {
                name.to_ascii_uppercase()
            }
            (_, [field, source]) if name == "extract" => {
                let field = match &field.kind {
                    Kind::Const(Datum::Text(text)) => text.to_string(),
                    _ => self.print(field, true, true),
                };
                format!("EXTRACT({field} FROM {})", self.print(source, true, true))
            }
            _ => format!("{}({})", quote_ident(name), self.list(args)),
        }
    }

    fn constant(&self, value: &Datum, ty: TypeId, typmod: i32) -> String {
        let name = || self.type_name(ty, typmod);
        if value.is_null() {
            return format!(
                "NULL::{}",
                if ty == TypeId::UNKNOWN { "text".to_owned() } else { name() }
            );
        }
        let shown = text::print(value, ty, typmod, &self.env);
        let quoted = format!("'{}'", shown.replace('\'', "''"));
        match ty {
            TypeId::BOOL => (if shown == "t" { "true" } else { "false" }).to_owned(),
            TypeId::UNKNOWN => quoted,
            TypeId::INT4 if !shown.starts_with('-') => shown,
            TypeId::NUMERIC
                if shown.starts_with(|c: char| c.is_ascii_digit())
                    && shown.contains('.')
                    && typmod < 0 =>
            {
                shown
            }
            TypeId::BIT | TypeId::VARBIT => format!("B{quoted}::{}", name()),
            _ => format!("{quoted}::{}", name()),
        }
    }
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

fn is_operator(expr: &Expr) -> bool {
    matches!(&expr.kind, Kind::Call { function, .. }
        if !function.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}
