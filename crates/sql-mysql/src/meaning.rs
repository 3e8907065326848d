//! What MySQL's expressions stand for: which function, which constant, which type.
//!
//! An interval is part of a call, a collation part of a type, a variable a call of a function of its own; IF and COALESCE
//! evaluate only what they give. What is not here means what it means everywhere.

use hobgoblin_sql_mysql_types::{
    Coercibility, Collation, Kind, MyType, Settings, common, literal, names,
};
use hobgoblin_sql_schema::meaning::{Meaning, Operand};
use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};
use sqlparser::ast::{
    self, BinaryOperator, DateTimeField, Expr, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, TrimWhereField, UnaryOperator, Value, ValueWithSpan,
};

use crate::functions::Functions;
use crate::settings::{ASSIGN_USER, READ_SYSTEM, READ_USER, system_variable, user_type};
use crate::syntax::Variable;

/// What an expression stands for, if it is one of MySQL's own.
pub(crate) fn meaning<'e>(
    functions: &Functions,
    expr: &'e Expr,
    env: &TypeEnv<'_>,
) -> Result<Option<Meaning<'e>>> {
    let settings = Settings::of(env);
    Ok(Some(match expr {
        Expr::Value(value) => return constant(&value.value, settings),
        Expr::BinaryOp { left, op, right } => return operation(functions, left, op, right),
        Expr::UnaryOp { op: UnaryOperator::BangNot, expr } => {
            Meaning::Prefix("!", Operand::Expr(expr))
        }
        Expr::Prefixed { prefix, value } => return prefixed(&prefix.value, expr, value, env),
        Expr::RLike { negated, expr, pattern, .. } => {
            let op = if *negated { "NOT REGEXP" } else { "REGEXP" };
            Meaning::Operator(op, Operand::Expr(expr), Operand::Expr(pattern))
        }
        Expr::Like { negated, expr, pattern, escape_char: Some(escape), .. } => {
            let name = if *negated { "not_like" } else { "like" };
            Meaning::Call(name, operands(&[expr, pattern, escape]))
        }
        Expr::Position { expr, r#in } => Meaning::Call("locate", operands(&[expr, r#in])),
        Expr::Trim { trim_where, trim_what, expr, .. } => {
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "ltrim",
                Some(TrimWhereField::Trailing) => "rtrim",
                Some(TrimWhereField::Both) | None => "trim",
            };
            let what = trim_what.as_ref().map(|what| Operand::Expr(what));
            Meaning::Call(name, [Operand::Expr(expr)].into_iter().chain(what).collect())
        }
        Expr::Extract { field, expr, .. } => {
            Meaning::Call("extract", vec![unit(field), Operand::Expr(expr)])
        }
        Expr::TypedString(typed) => {
            let kind = match typed.data_type {
                ast::DataType::Date => Kind::Date,
                ast::DataType::Time(..) => Kind::Time,
                _ => Kind::DateTime,
            };
            let text = typed.value.value.clone().into_string().unwrap_or_default();
            let (value, ty) = literal::moment(kind, &text, settings)?;
            Meaning::Constant(value, ty)
        }
        Expr::Collate { expr, collation } => {
            let name = collation.to_string();
            let name = name.trim_matches('`');
            let collation = Collation::named(name).ok_or_else(|| unknown_collation(name))?;
            let typing = move |types: &[TypeId]| {
                let of = MyType::of(types[0]);
                let coercibility = Coercibility::Explicit;
                let of = match of.is_text() || of.has_letters() {
                    true => of,
                    false => MyType::text(common::text_length(of), collation),
                };
                Ok(MyType { collation, coercibility, ..of }.id())
            };
            Meaning::Retyped(Operand::Expr(expr), Box::new(typing))
        }
        Expr::Convert { expr, data_type, charset, .. } => {
            return converted(expr, data_type.as_ref(), charset.as_ref(), settings);
        }
        Expr::Cast { kind: ast::CastKind::Cast, expr, data_type, .. } if is_text(data_type) => {
            return converted(expr, Some(data_type), None, settings);
        }
        Expr::Interval(_) => return Err(SqlError::unsupported("an INTERVAL that is not added")),
        Expr::MemberOf(_) => return Err(SqlError::unsupported("MEMBER OF")),
        Expr::MatchAgainst { .. } => return Err(SqlError::unsupported("MATCH … AGAINST")),
        Expr::Function(function) => return call(functions, function, settings),
        _ => return Ok(None),
    }))
}

fn operands<'e>(exprs: &[&'e Expr]) -> Vec<Operand<'e>> {
    exprs.iter().map(|expr| Operand::Expr(expr)).collect()
}

fn text(text: &str) -> Operand<'static> {
    let (value, ty) = literal::text(text, Collation::DEFAULT);
    Operand::Constant(value, ty)
}

fn unit(field: &DateTimeField) -> Operand<'static> {
    text(&unit_name(field))
}

fn unit_name(field: &DateTimeField) -> String {
    match field {
        DateTimeField::Custom(name) => name.value.to_lowercase(),
        DateTimeField::Week(_) => "week".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

fn unknown_collation(name: &str) -> SqlError {
    let message = format!("Unknown collation: '{name}'");
    hobgoblin_sql_mysql_types::error::error(1273, message)
}

fn unknown_charset(name: &str) -> SqlError {
    let message = format!("Unknown character set: '{name}'");
    hobgoblin_sql_mysql_types::error::error(1115, message)
}

fn constant<'e>(value: &'e Value, settings: &Settings) -> Result<Option<Meaning<'e>>> {
    let (value, ty) = match value {
        Value::SingleQuotedString(text) => literal::text(text, settings.collation),
        Value::NationalStringLiteral(text) => {
            let national = settings.version.collation_of("utf8mb3");
            literal::text(text, national.unwrap_or(Collation::DEFAULT))
        }
        Value::HexStringLiteral(digits) => literal::hexadecimal(digits, true)?,
        Value::SingleQuotedByteStringLiteral(digits) => literal::bits(digits)?,
        Value::Number(digits, _) if digits.starts_with("0x") || digits.starts_with("0X") => {
            literal::hexadecimal(&digits[2..], false)?
        }
        _ => return Ok(None),
    };
    Ok(Some(Meaning::Constant(value, ty)))
}

fn operation<'e>(
    functions: &Functions,
    left: &'e Expr,
    op: &BinaryOperator,
    right: &'e Expr,
) -> Result<Option<Meaning<'e>>> {
    for (moment, interval) in [(left, right), (right, left)] {
        if let Expr::Interval(interval) = interval
            && matches!(op, BinaryOperator::Plus | BinaryOperator::Minus)
        {
            let back = *op == BinaryOperator::Minus;
            return shifted(functions, moment, interval, back).map(Some);
        }
    }
    let pair = || (Operand::Expr(left), Operand::Expr(right));
    Ok(Some(match op {
        BinaryOperator::Xor => {
            let (left, right) = pair();
            Meaning::Operator("XOR", left, right)
        }
        BinaryOperator::MyIntegerDivide => {
            let (left, right) = pair();
            Meaning::Operator("DIV", left, right)
        }
        BinaryOperator::StringConcat => Meaning::Call("concat", operands(&[left, right])),
        BinaryOperator::Arrow => Meaning::Call("json_extract", operands(&[left, right])),
        BinaryOperator::LongArrow => {
            Meaning::Call("json_extract_unquoted", operands(&[left, right]))
        }
        BinaryOperator::Assignment => {
            let Some(Variable::User(name)) = Variable::of(left) else {
                return Err(SqlError::syntax("near ':='"));
            };
            let typing = |types: &[TypeId]| Ok(types[1]);
            Meaning::Function(
                &ASSIGN_USER,
                vec![Operand::Constant(Datum::text(name), TypeId::TEXT), Operand::Expr(right)],
                Box::new(typing),
            )
        }
        _ => return Ok(None),
    }))
}

fn shifted<'e>(
    functions: &Functions,
    moment: &'e Expr,
    interval: &'e ast::Interval,
    back: bool,
) -> Result<Meaning<'e>> {
    let name = interval.leading_field.as_ref().map(unit_name).unwrap_or_default();
    let function = (functions.interval_function)(&name, back)
        .ok_or_else(|| SqlError::unsupported(format!("the unit {name}")))?;
    let args = vec![Operand::Expr(moment), Operand::Expr(&interval.value), text(&name)];
    Ok(Meaning::Call(function, args))
}

/// What stands behind a mark or an introducer.
fn prefixed<'e>(
    prefix: &str,
    whole: &'e Expr,
    value: &'e Expr,
    env: &TypeEnv<'_>,
) -> Result<Option<Meaning<'e>>> {
    let settings = Settings::of(env);
    if let Some(variable) = Variable::of(whole) {
        let (function, ty, name) = match variable {
            Variable::User(name) => (&READ_USER, user_type(&name, env), name),
            Variable::System { scope, name } => {
                let (ty, name) = system_variable(scope, &name, settings.version)?;
                (&READ_SYSTEM, ty, name)
            }
        };
        let name = Operand::Constant(Datum::text(name), TypeId::TEXT);
        return Ok(Some(Meaning::Function(function, vec![name], Box::new(move |_| Ok(ty)))));
    }
    let Some(charset) = prefix.strip_prefix('_') else { return Ok(None) };
    let charset = charset.to_ascii_lowercase();
    if charset == "binary" {
        if let Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) = value {
            let (value, ty) = literal::binary_text(text);
            return Ok(Some(Meaning::Constant(value, ty)));
        }
        let typing = |types: &[TypeId]| {
            let of = MyType::of(types[0]);
            Ok(MyType { length: 0, ..MyType::bytes(of.length) }.id())
        };
        return Ok(Some(Meaning::Cast(Operand::Expr(value), Box::new(typing))));
    }
    let collation =
        settings.version.collation_of(&charset).ok_or_else(|| unknown_charset(&charset))?;
    // Digits are the bytes of letters.
    let bytes =
        !matches!(value, Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(_), .. }));
    let typing = move |types: &[TypeId]| {
        let of = MyType::of(types[0]);
        Ok(MyType::text(of.length, collation).id())
    };
    let (operand, typing) = (Operand::Expr(value), Box::new(typing));
    Ok(Some(match bytes {
        true => Meaning::Cast(operand, typing),
        false => Meaning::Retyped(operand, typing),
    }))
}

/// Whether a type is one of texts with letters.
fn is_text(data_type: &ast::DataType) -> bool {
    use ast::DataType as D;
    matches!(data_type, D::Char(_) | D::Character(_) | D::Varchar(_))
}

/// CONVERT and CAST: a text has the collation of the character set that is written, or that of the connection.
fn converted<'e>(
    expr: &'e Expr,
    data_type: Option<&ast::DataType>,
    charset: Option<&ast::ObjectName>,
    settings: &Settings,
) -> Result<Option<Meaning<'e>>> {
    let collation = match charset {
        None => settings.collation,
        Some(charset) => {
            let name = charset.to_string();
            settings.version.collation_of(&name).ok_or_else(|| unknown_charset(&name))?
        }
    };
    if let Some(data_type) = data_type {
        let to = names::cast_type(data_type, collation)?;
        let to = if to.is_text() { MyType { collation, ..to } } else { to };
        return Ok(Some(Meaning::Cast(Operand::Expr(expr), Box::new(move |_| Ok(to.id())))));
    }
    let typing = move |types: &[TypeId]| {
        let length = common::text_length(MyType::of(types[0]));
        let coercibility = Coercibility::Derived;
        Ok(MyType { coercibility, ..MyType::text(length, collation) }.id())
    };
    Ok(Some(Meaning::Cast(Operand::Expr(expr), Box::new(typing))))
}

/// Whether an expression is a value that is written out.
fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value != Value::Null)
}

/// Functions that are more than their arguments.
fn call<'e>(
    functions: &Functions,
    function: &'e ast::Function,
    settings: &Settings,
) -> Result<Option<Meaning<'e>>> {
    let [part] = function.name.0.as_slice() else { return Ok(None) };
    let Some(ident) = part.as_ident() else { return Ok(None) };
    let name = ident.value.to_ascii_lowercase();
    if !(functions.is_of_version)(&name, settings.version) {
        let function = ident.value.clone();
        return Err(Binding::NoFunction { function, arguments: Vec::new() }.into());
    }
    let FunctionArguments::List(list) = &function.args else { return Ok(None) };
    let args: Vec<&'e Expr> = list
        .args
        .iter()
        .filter_map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect();
    Ok(Some(match (&*name, &args[..]) {
        ("date_add" | "adddate", [moment, Expr::Interval(by)]) => {
            shifted(functions, moment, by, false)?
        }
        ("date_sub" | "subdate", [moment, Expr::Interval(by)]) => {
            shifted(functions, moment, by, true)?
        }
        ("timestampadd", [Expr::Interval(by), amount, moment]) => {
            let name = by.leading_field.as_ref().map(unit_name).unwrap_or_default();
            let function = (functions.interval_function)(&name, false)
                .ok_or_else(|| SqlError::unsupported(format!("the unit {name}")))?;
            let args = vec![Operand::Expr(moment), Operand::Expr(amount), text(&name)];
            Meaning::Call(function, args)
        }
        ("timestampdiff", [Expr::Interval(by), from, to]) => {
            let name = by.leading_field.as_ref().map(unit_name).unwrap_or_default();
            Meaning::Call(
                "timestampdiff",
                vec![text(&name), Operand::Expr(from), Operand::Expr(to)],
            )
        }
        ("if", [_, _, _]) => Meaning::Choice("if", operands(&args), true),
        ("ifnull" | "nvl", [_, _]) => Meaning::Choice("ifnull", operands(&args), false),
        ("coalesce", [_, ..]) => Meaning::Choice("coalesce", operands(&args), false),
        ("to_char", [moment, format]) if is_constant(format) => {
            Meaning::Call("to_char_of_constant", operands(&[moment, format]))
        }
        ("default", [column]) => Meaning::Default(column),
        ("values" | "value", [column]) => Meaning::Proposed(column),
        ("group_concat", [_, ..]) => {
            let is_separator = |clause: &FunctionArgumentClause| {
                matches!(clause, FunctionArgumentClause::Separator(_))
            };
            if list.clauses.iter().any(is_separator) || function.over.is_some() {
                return Ok(None);
            }
            let mut joined = function.clone();
            if let FunctionArguments::List(list) = &mut joined.args {
                let comma = Value::SingleQuotedString(",".to_owned()).into();
                list.clauses.push(FunctionArgumentClause::Separator(comma));
            }
            Meaning::Other(Box::new(Expr::Function(joined)))
        }
        _ => return Ok(None),
    }))
}
