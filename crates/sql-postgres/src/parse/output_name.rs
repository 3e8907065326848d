//! The name of an output column that has no alias, as PostgreSQL figures it.

use sqlparser::ast::{self, SelectItem};

use crate::catalog::names::fold;

/// What PostgreSQL calls a column that has no alias.
pub(crate) fn name_of(ast: &ast::Expr) -> Option<String> {
    figured(ast).map(|(name, _)| name)
}

/// The name of a query's first column; a union's is that of its first query.
fn first_name(body: &ast::SetExpr) -> Option<String> {
    match body {
        ast::SetExpr::Select(select) => match select.projection.first()? {
            SelectItem::UnnamedExpr(expr) => name_of(expr),
            SelectItem::ExprWithAlias { alias, .. } => Some(fold(alias)),
            _ => None,
        },
        ast::SetExpr::SetOperation { left, .. } => first_name(left),
        ast::SetExpr::Query(query) => first_name(&query.body),
        ast::SetExpr::Values(_) => Some("column1".to_owned()),
        _ => None,
    }
}

/// The name of an expression, and whether it is a good one: a cast or a CASE takes over a good name from
/// inside and otherwise gives its own. See `FigureColname` in PostgreSQL's parse_target.c.
fn figured(ast: &ast::Expr) -> Option<(String, bool)> {
    use ast::Expr as Ast;
    let good = |text: &str| Some((text.to_owned(), true));
    match ast {
        Ast::Identifier(ident) => Some((fold(ident), true)),
        Ast::CompoundIdentifier(parts) => parts.last().map(|part| (fold(part), true)),
        Ast::Nested(inner) => figured(inner),
        Ast::Function(function) => {
            function.name.0.last()?.as_ident().map(|name| (fold(name), true))
        }
        Ast::Cast { expr, data_type, .. } => {
            figured(expr).filter(|(_, good)| *good).or_else(|| Some((type_word(data_type)?, false)))
        }
        Ast::TypedString(typed) => Some((type_word(&typed.data_type)?, false)),
        Ast::Interval(_) => Some(("interval".to_owned(), false)),
        Ast::Value(value) if matches!(value.value, ast::Value::NationalStringLiteral(_)) => {
            Some(("bpchar".to_owned(), false))
        }
        Ast::Case { else_result, .. } => {
            let inner = else_result.as_deref().and_then(figured).filter(|(_, good)| *good);
            inner.or_else(|| Some(("case".to_owned(), false)))
        }
        Ast::Array(_) => good("array"),
        Ast::Exists { negated: false, .. } => good("exists"),
        Ast::Subquery(query) => first_name(&query.body).map(|name| (name, true)),
        Ast::Tuple(_) => good("row"),
        Ast::Extract { .. } => good("extract"),
        Ast::Ceil { .. } => good("ceil"),
        Ast::Floor { .. } => good("floor"),
        Ast::Position { .. } => good("position"),
        Ast::Substring { shorthand: true, .. } => good("substr"),
        Ast::Substring { .. } => good("substring"),
        Ast::Overlay { .. } => good("overlay"),
        Ast::Trim { trim_where, .. } => good(match trim_where {
            Some(ast::TrimWhereField::Leading) => "ltrim",
            Some(ast::TrimWhereField::Trailing) => "rtrim",
            _ => "btrim",
        }),
        Ast::AtTimeZone { .. } => good("timezone"),
        Ast::BinaryOp { op: ast::BinaryOperator::Overlaps, .. } => good("overlaps"),
        Ast::Collate { expr, .. } => figured(expr),
        Ast::CompoundFieldAccess { root, access_chain } => {
            let dot = access_chain.iter().rev().find_map(|access| match access {
                ast::AccessExpr::Dot(Ast::Identifier(name)) => Some((fold(name), true)),
                _ => None,
            });
            dot.or_else(|| figured(root))
        }
        _ => None,
    }
}

/// The internal name of a type as a column is called after a cast.
fn type_word(ty: &ast::DataType) -> Option<String> {
    let text = ty.to_string().to_lowercase();
    let base = text.split(['(', '[']).next().unwrap_or_default().trim();
    let tail = text.contains("with time zone") && !text.contains("without time zone");
    Some(
        match base {
            "int" | "integer" => "int4",
            "bigint" => "int8",
            "smallint" => "int2",
            "boolean" => "bool",
            "real" => "float4",
            "double precision" | "float" => "float8",
            "decimal" | "dec" => "numeric",
            "character varying" | "char varying" => "varchar",
            "character" | "char" => "bpchar",
            "timestamp" | "timestamp without time zone" if !tail => "timestamp",
            "timestamp" | "timestamp with time zone" => "timestamptz",
            "time" | "time without time zone" if !tail => "time",
            "time" | "time with time zone" => "timetz",
            other => other.rsplit('.').next().unwrap_or(other).trim_matches('"'),
        }
        .to_owned(),
    )
}
