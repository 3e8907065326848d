//! Expressions as PostgreSQL prints them.
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

use super::{Scope, Table, quote_ident};
use crate::bind::bound::Subscript;
use crate::bind::{Expr, Kind};
use crate::error::Result;
use crate::types::{Datum, Format, PgType, TypeEnv, TypeId, builtin, text};

/// Binds an expression of the schema: over a table's row if there is one, as a value of a type if one
/// is given.
pub type Bind<'a> =
    dyn Fn(&ast::Expr, Option<&Arc<Table>>, Option<(TypeId, i32)>) -> Result<Expr> + 'a;

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

    /// The expression in parentheses, unless it is printed prettily and needs none where it stands.
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

fn is_operator(expr: &Expr) -> bool {
    matches!(&expr.kind, Kind::Call { function, .. }
        if !function.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}
