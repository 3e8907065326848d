//! Expressions without tables, against what PostgreSQL 15 answered.
//!
//! `tests/data/expressions.golden` has, per expression, the rows `value|type` or the error that psql showed.
//! The evaluator here knows literals, casts, operators and calls, which is all it takes to reach every
//! function; the binder has tests of its own.

use std::sync::Arc;
use std::time::Duration;

use sqlparser::ast::{self, DataType, Expr as Ast, FunctionArg, FunctionArgExpr, UnaryOperator};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use hobgoblin_sql::POSTGRES;
use hobgoblin_sql::catalog::{self, Catalog, Definition};
use hobgoblin_sql::error::{Code, Result, SqlError};
use hobgoblin_sql::types::calls::MISSING;
use hobgoblin_sql::types::{
    Array, Datum, Format, NoNames, PgType, TypeEnv, TypeId, builtin, cast, text,
};
use hobgoblin_sql_schema::Dialect;
use hobgoblin_sql_schema::context::{Advisory, Clock, Context, SequenceOp};
use hobgoblin_sql_schema::function::{Call, Resolution};

/// A session of nothing but defaults.
struct Bare {
    format: Format,
    catalog: Catalog,
}

impl Context for Bare {
    fn types(&self) -> TypeEnv<'_> {
        TypeEnv::new(&self.format, &NoNames)
    }
    fn catalog(&self) -> &Catalog {
        &self.catalog
    }
    fn clock(&mut self, _: Clock) -> Result<i64> {
        Ok(700_000_000_000_000)
    }
    fn random(&mut self) -> Result<u64> {
        Ok(0x0123_4567_89ab_cdef)
    }
    fn sequence(&mut self, _: SequenceOp) -> Result<i64> {
        Ok(1)
    }
    fn advisory(&mut self, _: Advisory) -> Result<bool> {
        Ok(true)
    }
    fn setting(&self, name: &str) -> Option<String> {
        (name == "search_path").then(|| "\"$user\", public".to_owned())
    }
    fn set_setting(&mut self, _: &str, value: Option<&str>, _: bool) -> Result<String> {
        Ok(value.unwrap_or_default().to_owned())
    }
    fn user(&self) -> &str {
        "postgres"
    }
    fn database(&self) -> &str {
        "postgres"
    }
    fn backend_pid(&self) -> i32 {
        1
    }

    fn blocking_pids(&self, _: i32) -> Vec<i32> {
        Vec::new()
    }
    fn transaction_number(&mut self) -> Result<i64> {
        Ok(1)
    }
    fn notify(&mut self, _: &str, _: &str) -> Result<()> {
        Ok(())
    }
    fn channels(&self) -> Vec<String> {
        Vec::new()
    }
    fn unread(&self) -> usize {
        0
    }
    fn check_interrupts(&self) -> Result<()> {
        Ok(())
    }

    fn sleep(&mut self, _: Duration) -> Result<()> {
        Ok(())
    }

    fn interrupt(&mut self, _: i32, _: bool) -> bool {
        false
    }

    fn fence(&mut self) -> Result<()> {
        Ok(())
    }
    fn definition(&self, _: Definition) -> Result<Option<String>> {
        Ok(None)
    }
}

/// A value and its type; rows if a function gave them.
struct Typed {
    value: Datum,
    ty: TypeId,
    rows: Option<Vec<Datum>>,
}

fn typed(value: Datum, ty: TypeId) -> Typed {
    Typed { value, ty, rows: None }
}

fn literal(value: &str) -> Typed {
    typed(Datum::text(value), TypeId::UNKNOWN)
}

/// A number as written, with the signs before it.
fn constant(expr: &Ast) -> Option<String> {
    match expr {
        Ast::Nested(inner) => constant(inner),
        Ast::UnaryOp { op: UnaryOperator::Minus, expr } => Some(negated(&constant(expr)?)),
        Ast::Value(value) => match &value.value {
            ast::Value::Number(text, _) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn negated(text: &str) -> String {
    text.strip_prefix('-').map_or_else(|| format!("-{text}"), str::to_owned)
}

/// What this evaluator does not know.
fn skipped(what: impl std::fmt::Debug) -> SqlError {
    SqlError::new(Code("SKIP_"), format!("{what:?}"))
}

impl Bare {
    fn number(text: &str) -> Result<Typed> {
        if let Ok(value) = text.parse::<i64>() {
            let small = i32::try_from(value).is_ok();
            return Ok(typed(Datum::Int(value), if small { TypeId::INT4 } else { TypeId::INT8 }));
        }
        Ok(typed(Datum::Numeric(text.parse()?), TypeId::NUMERIC))
    }

    fn convert(&self, from: Typed, to: TypeId, typmod: i32, explicit: bool) -> Result<Datum> {
        let env = self.types();
        match (from.value, from.ty) {
            (value, ty) if ty == to && typmod == -1 => Ok(value),
            (Datum::Null, _) => Ok(Datum::Null),
            (value, TypeId::UNKNOWN) if to == TypeId::UNKNOWN => Ok(value),
            (Datum::Text(value), TypeId::UNKNOWN) => {
                let typmod = if explicit { typmod } else { -1 };
                match to {
                    TypeId::VARCHAR | TypeId::BPCHAR if typmod != -1 => {
                        cast::cast(Datum::Text(value), TypeId::TEXT, to, typmod, explicit, &env)
                    }
                    _ => text::parse(&value, to, typmod, &env),
                }
            }
            (value, ty) => cast::cast(value, ty, to, typmod, explicit, &env),
        }
    }

    fn call(&mut self, name: &str, args: Vec<Typed>) -> Result<Typed> {
        let types: Vec<TypeId> = args.iter().map(|arg| arg.ty).collect();
        let resolution = POSTGRES.function(None, name, &types, &NoNames)?;
        let targets = match &resolution {
            Resolution::Scalar(found) => found.args.clone(),
            Resolution::Set(found, _) => found.args.clone(),
            _ => return Err(skipped(name)),
        };
        let args = self.arguments(args, &targets)?;
        let null = args.iter().any(Datum::is_null);
        match resolution {
            Resolution::Scalar(found) if found.function.strict && null => {
                Ok(typed(Datum::Null, found.result))
            }
            Resolution::Scalar(found) => {
                let mut call =
                    Call { cx: self, args: &args, types: &found.args, result: found.result };
                Ok(typed((found.function.eval)(&mut call)?, found.result))
            }
            Resolution::Set(found, _) => {
                let rows = if found.function.strict && null {
                    Vec::new()
                } else {
                    let (types, result) = (&found.args, found.result);
                    let mut call = Call { cx: self, args: &args, types, result };
                    (found.function.eval)(&mut call)?
                };
                let one = |mut row: Vec<Datum>| {
                    if row.len() == 1 { row.remove(0) } else { Datum::Record(row.into()) }
                };
                let rows = rows.into_iter().map(one).collect();
                Ok(Typed { value: Datum::Null, ty: found.result, rows: Some(rows) })
            }
            _ => Err(skipped(name)),
        }
    }

    fn arguments(&mut self, args: Vec<Typed>, targets: &[TypeId]) -> Result<Vec<Datum>> {
        args.into_iter().zip(targets).map(|(arg, &to)| self.convert(arg, to, -1, false)).collect()
    }

    fn operator(&mut self, op: &str, left: Option<Typed>, right: Typed) -> Result<Typed> {
        let found = POSTGRES.operator(op, left.as_ref().map(|left| left.ty), right.ty, &NoNames)?;
        let args = left.into_iter().chain([right]).collect();
        let args = self.arguments(args, &found.args)?;
        if found.function.strict && args.iter().any(Datum::is_null) {
            return Ok(typed(Datum::Null, found.result));
        }
        let mut call = Call { cx: self, args: &args, types: &found.args, result: found.result };
        Ok(typed((found.function.eval)(&mut call)?, found.result))
    }

    fn all<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Ast>) -> Result<Vec<Typed>> {
        exprs.into_iter().map(|expr| self.eval(expr)).collect()
    }

    fn array(&mut self, items: &[Ast]) -> Result<Typed> {
        let items = self.all(items)?;
        let types: Vec<TypeId> = items.iter().map(|item| item.ty).collect();
        let ty = POSTGRES.common_type(&types, "ARRAY", &NoNames)?;
        let (element, nested) = match builtin::element_of(ty) {
            Some(element) => (element, true),
            None => (ty, false),
        };
        let items: Vec<Datum> = items
            .into_iter()
            .map(|item| self.convert(item, ty, -1, false))
            .collect::<Result<_>>()?;
        if !nested {
            let array = Array::of(element, items);
            let ty = builtin::array_of(element).ok_or_else(|| skipped(element))?;
            return Ok(typed(Datum::Array(Arc::new(array)), ty));
        }
        let mut dims = vec![(items.len(), 1)];
        let mut all = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let Datum::Array(inner) = item else { return Err(skipped("a NULL row")) };
            if i == 0 {
                dims.extend(inner.dims.iter().copied());
            }
            all.extend(inner.items.iter().cloned());
        }
        Ok(typed(Datum::Array(Arc::new(Array { element, dims, items: all })), ty))
    }

    fn cast(&mut self, from: Typed, ty: &DataType) -> Result<Typed> {
        let (to, typmod) = builtin::parse_type_name(&ty.to_string().to_lowercase(), &NoNames)
            .ok_or_else(|| skipped(ty))?;
        if from.ty != TypeId::UNKNOWN && cast::context(from.ty, to, &NoNames).is_none() {
            return Err(cast::cannot_cast(from.ty, to, &NoNames));
        }
        Ok(typed(self.convert(from, to, typmod, true)?, to))
    }

    fn like(
        &mut self,
        op: &str,
        negated: bool,
        sides: [&Ast; 2],
        escape: Option<&Ast>,
    ) -> Result<Typed> {
        let left = self.eval(sides[0])?;
        let mut right = self.eval(sides[1])?;
        if let Some(escape) = escape {
            let escape = self.eval(escape)?;
            right = self.call("like_escape", vec![right, escape])?;
        }
        self.operator(if negated { op } else { op.trim_start_matches('!') }, Some(left), right)
    }

    fn value(&mut self, value: &ast::Value) -> Result<Typed> {
        match value {
            ast::Value::Number(text, _) => Bare::number(text),
            ast::Value::SingleQuotedString(text)
            | ast::Value::EscapedStringLiteral(text)
            | ast::Value::UnicodeStringLiteral(text) => Ok(literal(text)),
            ast::Value::Boolean(value) => Ok(typed(Datum::Bool(*value), TypeId::BOOL)),
            ast::Value::Null => Ok(typed(Datum::Null, TypeId::UNKNOWN)),
            other => Err(skipped(other)),
        }
    }

    fn eval(&mut self, expr: &Ast) -> Result<Typed> {
        match expr {
            Ast::Value(value) => self.value(&value.value),
            Ast::Nested(inner) => self.eval(inner),
            Ast::UnaryOp { op: UnaryOperator::Minus, expr } => {
                if let Some(text) = constant(expr) {
                    return Bare::number(&negated(&text));
                }
                let right = self.eval(expr)?;
                self.operator("-", None, right)
            }
            Ast::UnaryOp { op: UnaryOperator::Not, .. } => Err(skipped("NOT")),
            Ast::UnaryOp { op, expr } => {
                let right = self.eval(expr)?;
                self.operator(&op.to_string(), None, right)
            }
            Ast::BinaryOp { left, op, right } => {
                if matches!(op, ast::BinaryOperator::And | ast::BinaryOperator::Or) {
                    return Err(skipped(op));
                }
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                self.operator(&op.to_string(), Some(left), right)
            }
            Ast::Cast { expr, data_type, .. } => {
                let from = self.eval(expr)?;
                self.cast(from, data_type)
            }
            Ast::TypedString(typed) => {
                let from = self.value(&typed.value.value)?;
                self.cast(from, &typed.data_type)
            }
            Ast::Interval(interval) if interval.leading_field.is_none() => {
                let from = self.eval(&interval.value)?;
                Ok(typed(self.convert(from, TypeId::INTERVAL, -1, true)?, TypeId::INTERVAL))
            }
            Ast::Like { negated, expr, pattern, escape_char, any: false } => {
                self.like("!~~", *negated, [expr, pattern], escape_char.as_deref())
            }
            Ast::ILike { negated, expr, pattern, escape_char, any: false } => {
                self.like("!~~*", *negated, [expr, pattern], escape_char.as_deref())
            }
            Ast::SimilarTo { negated, expr, pattern, escape_char } => {
                let left = self.eval(expr)?;
                let mut args = vec![self.eval(pattern)?];
                if let Some(escape) = escape_char {
                    args.push(self.eval(escape)?);
                }
                let right = self.call("similar_to_escape", args)?;
                self.operator(if *negated { "!~" } else { "~" }, Some(left), right)
            }
            Ast::Substring { expr, substring_from, substring_for, shorthand, .. } => {
                let mut args = vec![self.eval(expr)?];
                match (substring_from, substring_for) {
                    (None, Some(length)) => {
                        args.push(typed(Datum::Int(1), TypeId::INT4));
                        args.push(self.eval(length)?);
                    }
                    (from, length) => {
                        args.extend(self.all(from.iter().chain(length).map(|expr| &**expr))?);
                    }
                }
                self.call(if *shorthand { "substr" } else { "substring" }, args)
            }
            Ast::Position { expr, r#in } => {
                let args = self.all([&**r#in, &**expr])?;
                self.call("position", args)
            }
            Ast::Trim { expr, trim_where, trim_what, trim_characters } => {
                let mut args = vec![self.eval(expr)?];
                args.extend(self.all(trim_what.iter().map(|what| &**what))?);
                args.extend(self.all(trim_characters.iter().flatten())?);
                let name = match trim_where {
                    Some(ast::TrimWhereField::Leading) => "ltrim",
                    Some(ast::TrimWhereField::Trailing) => "rtrim",
                    _ => "btrim",
                };
                self.call(name, args)
            }
            Ast::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                let mut args = self.all([&**expr, &**overlay_what, &**overlay_from])?;
                args.extend(self.all(overlay_for.iter().map(|expr| &**expr))?);
                self.call("overlay", args)
            }
            Ast::Extract { field, expr, .. } => {
                let field = field.to_string().to_lowercase();
                let args = vec![literal(field.trim_matches('\'')), self.eval(expr)?];
                self.call("extract", args)
            }
            Ast::Ceil { expr, .. } => {
                let args = vec![self.eval(expr)?];
                self.call("ceil", args)
            }
            Ast::Floor { expr, .. } => {
                let args = vec![self.eval(expr)?];
                self.call("floor", args)
            }
            Ast::AtTimeZone { timestamp, time_zone } => {
                let args = self.all([&**time_zone, &**timestamp])?;
                self.call("timezone", args)
            }
            Ast::Array(array) => self.array(&array.elem),
            Ast::Function(function) => {
                let name = function.name.to_string().to_lowercase();
                let mut args = Vec::new();
                if let ast::FunctionArguments::List(list) = &function.args {
                    for arg in &list.args {
                        match arg {
                            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => {
                                args.push(self.eval(expr)?);
                            }
                            other => return Err(skipped(other)),
                        }
                    }
                }
                if ["coalesce", "nullif", "greatest", "least", "row"].contains(&name.as_str()) {
                    return Err(skipped(name));
                }
                self.call(&name, args)
            }
            other => Err(skipped(other)),
        }
    }

    /// The lines psql would show.
    fn answer(&mut self, source: &str) -> Result<String> {
        let mut parser = Parser::new(&PostgreSqlDialect {})
            .try_with_sql(source)
            .map_err(|e| skipped(e.to_string()))?;
        let expr = parser.parse_expr().map_err(|e| skipped(e.to_string()))?;
        let result = self.eval(&expr)?;
        let env = self.types();
        let ty = builtin::format_type(result.ty, -1, &NoNames);
        let print = |value: &Datum| match value {
            Datum::Null => format!("NULL|{ty}"),
            value => format!("{}|{ty}", text::print(value, result.ty, -1, &env)),
        };
        let lines: Vec<String> = match &result.rows {
            Some(rows) => rows.iter().map(print).collect(),
            None => vec![print(&result.value)],
        };
        Ok(lines.join("\n"))
    }
}

fn bare() -> Bare {
    Bare { format: Format::default(), catalog: catalog::new(&POSTGRES) }
}

fn answer(source: &str) -> String {
    match bare().answer(source) {
        Ok(lines) => lines,
        Err(e) => {
            let e = hobgoblin_sql::worded(e);
            format!("ERROR:  {}: {}", e.state().0, e.message())
        }
    }
}

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/expressions.golden");

/// Blocks of `> expression` and its answer.
fn golden() -> Vec<(String, String)> {
    let file = std::fs::read_to_string(GOLDEN).expect("the golden file is part of the repository");
    let blocks = file.split("\n> ");
    let blocks = blocks.map(|block| block.trim_start_matches("> "));
    let blocks = blocks.filter_map(|block| block.split_once('\n'));
    blocks.map(|(a, b)| (a.to_owned(), b.trim_end_matches('\n').to_owned())).collect()
}

#[test]
fn answers_as_postgresql_does() {
    let (mut same, mut skipped, mut wrong) = (0, 0, Vec::new());
    for (source, expected) in golden() {
        let found = answer(&source);
        if found.starts_with("ERROR:  SKIP_") {
            skipped += 1;
        } else if found == expected {
            same += 1;
        } else {
            wrong.push(format!("> {source}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong, {same} right, {skipped} skipped",
        wrong.join("\n"),
        wrong.len()
    );
    assert!(same > 1500 && skipped < same / 10, "{same} right, {skipped} skipped");
}

/// Nothing is in the tables twice: a call of it would be ambiguous.
#[test]
fn no_twins() {
    let mut all: Vec<_> = hobgoblin_sql_postgres_functions::entries()
        .map(|entry| (entry.name(), entry.args()))
        .collect();
    all.sort();
    let twins: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twins.is_empty(), "{twins:?}");
}

/// An aggregate over values of one type, as psql shows its result.
fn aggregate(name: &str, types: &[TypeId], rows: &[&[&str]]) -> String {
    let mut cx = bare();
    let found = POSTGRES.function(None, name, types, &NoNames);
    let Ok(Resolution::Aggregate(found)) = found else { panic!("{name} is no aggregate") };
    let mut group = (found.function.start)(&found.args);
    for row in rows {
        let parse = |(value, &ty): (&&str, &TypeId)| match *value {
            "NULL" => Datum::Null,
            value => text::parse(value, ty, -1, &cx.types()).unwrap(),
        };
        let args: Vec<Datum> = row.iter().zip(&found.args).map(parse).collect();
        group.add(&mut cx, &args).unwrap();
    }
    match group.finish(&mut cx).unwrap() {
        Datum::Null => "NULL".to_owned(),
        value => text::print(&value, found.result, -1, &cx.types()),
    }
}

#[test]
fn aggregates_as_postgresql_has_them() {
    let ints: &[&[&str]] = &[&["3"], &["1"], &["NULL"], &["4"], &["1"]];
    let numerics: &[&[&str]] = &[&["1.5"], &["2.25"], &["NULL"], &["-3.0"]];
    let spans: &[&[&str]] = &[&["1 day"], &["3 hours"], &["1 mon"]];
    let wide: &[&[&str]] = &[&["9223372036854775807"], &["9223372036854775807"]];
    let tenths: &[&[&str]] = &[&["0.1"], &["0.2"], &["0.3"]];
    let truths: &[&[&str]] = &[&["t"], &["NULL"], &["f"]];
    let pairs: &[&[&str]] = &[&["b", "1"], &["a", "2"], &["b", "3"]];
    let points: &[&[&str]] = &[&["1", "2"], &["2", "3"], &["4", "7"]];
    let halves: &[&[&str]] =
        &[&["0.5", "3"], &["0.5", "1"], &["0.5", "NULL"], &["0.5", "4"], &["0.5", "1"]];
    let (int4, int8, numeric) = (TypeId::INT4, TypeId::INT8, TypeId::NUMERIC);
    let (float4, float8, span) = (TypeId::FLOAT4, TypeId::FLOAT8, TypeId::INTERVAL);
    type Case<'a> = (&'a str, &'a [TypeId], &'a [&'a [&'a str]], &'a str);
    let cases: &[Case<'_>] = &[
        ("sum", &[int4], ints, "9"),
        ("avg", &[int4], ints, "2.2500000000000000"),
        ("min", &[int4], ints, "1"),
        ("max", &[int4], ints, "4"),
        ("count", &[int4], ints, "4"),
        ("count", &[], ints, "5"),
        ("stddev", &[int4], ints, "1.5000000000000000"),
        ("variance", &[int4], ints, "2.2500000000000000"),
        ("stddev_pop", &[int4], ints, "1.2990381056766580"),
        ("var_pop", &[int4], ints, "1.6875000000000000"),
        ("bit_and", &[int4], ints, "0"),
        ("bit_or", &[int4], ints, "7"),
        ("bit_xor", &[int4], ints, "7"),
        ("array_agg", &[int4], ints, "{3,1,NULL,4,1}"),
        ("json_agg", &[int4], ints, "[3, 1, null, 4, 1]"),
        ("jsonb_agg", &[int4], ints, "[3, 1, null, 4, 1]"),
        ("mode", &[int4], ints, "1"),
        ("percentile_cont", &[float8, float8], halves, "2"),
        ("percentile_disc", &[float8, int4], halves, "1"),
        ("sum", &[int4], &[], "NULL"),
        ("count", &[int4], &[], "0"),
        ("array_agg", &[int4], &[], "NULL"),
        ("sum", &[numeric], numerics, "0.75"),
        ("avg", &[numeric], numerics, "0.25000000000000000000"),
        ("stddev", &[numeric], numerics, "2.8394541729001368"),
        ("variance", &[numeric], numerics, "8.0625000000000000"),
        ("min", &[numeric], numerics, "-3.0"),
        ("json_agg", &[numeric], numerics, "[1.5, 2.25, null, -3.0]"),
        ("sum", &[float8], numerics, "0.75"),
        ("stddev", &[float8], numerics, "2.839454172900137"),
        ("var_pop", &[float8], numerics, "5.375"),
        ("sum", &[span], spans, "1 mon 1 day 03:00:00"),
        ("avg", &[span], spans, "10 days 09:00:00"),
        ("max", &[span], spans, "1 mon"),
        ("sum", &[int8], wide, "18446744073709551614"),
        ("avg", &[int8], wide, "9223372036854775807"),
        ("sum", &[float4], tenths, "0.6"),
        ("avg", &[float4], tenths, "0.2000000054637591"),
        ("bool_and", &[TypeId::BOOL], truths, "f"),
        ("bool_or", &[TypeId::BOOL], truths, "t"),
        ("json_object_agg", &[TypeId::TEXT, int4], pairs, "{ \"b\" : 1, \"a\" : 2, \"b\" : 3 }"),
        ("jsonb_object_agg", &[TypeId::TEXT, int4], pairs, "{\"a\": 2, \"b\": 3}"),
        ("string_agg", &[TypeId::TEXT, TypeId::TEXT], pairs, "b2a3b"),
        ("corr", &[float8, float8], points, "0.989743318610787"),
        ("covar_pop", &[float8, float8], points, "2.6666666666666665"),
        ("regr_slope", &[float8, float8], points, "0.5714285714285714"),
        ("regr_intercept", &[float8, float8], points, "0.04761904761904775"),
        ("regr_r2", &[float8, float8], points, "0.979591836734694"),
        ("regr_count", &[float8, float8], points, "3"),
    ];
    for (name, types, rows, expected) in cases {
        assert_eq!(aggregate(name, types, rows), *expected, "{name} {types:?}");
    }
}

/// What a statement pays for each operator and call when it is bound.
#[test]
#[ignore = "prints times"]
fn cost_of_resolving() {
    let cases = [
        ("=", TypeId::INT4, TypeId::INT4),
        ("=", TypeId::VARCHAR, TypeId::UNKNOWN),
        ("+", TypeId::INT4, TypeId::NUMERIC),
        ("||", TypeId::TEXT, TypeId::INT4),
    ];
    for (op, left, right) in cases {
        let start = std::time::Instant::now();
        for _ in 0..10_000 {
            std::hint::black_box(POSTGRES.operator(op, Some(left), right, &NoNames)).ok();
        }
        eprintln!("{op} {left:?} {right:?}: {:?}", start.elapsed() / 10_000);
    }
}

/// What is listed as missing is sorted, and is not here.
#[test]
fn missing_functions_are_missing() {
    assert!(MISSING.is_sorted(), "the list is searched by halves");
    let unknown = |name: &&&str| {
        let error = POSTGRES.function(None, name, &[TypeId::UNKNOWN; 40], &NoNames).unwrap_err();
        error.problem().is_none()
    };
    let here: Vec<_> = MISSING.iter().filter(unknown).collect();
    assert!(here.is_empty(), "{here:?}");
}
