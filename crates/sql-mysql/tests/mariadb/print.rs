//! Expressions with every operator in parentheses.

use hobgoblin_sql_mysql::syntax::Variable;
use sqlparser::ast::{
    BinaryOperator as B, DataType, DateTimeField, Expr, FunctionArg, FunctionArgExpr,
    FunctionArguments, UnaryOperator as U, Value,
};

/// The text of an expression.
pub(crate) fn print(expr: &Expr) -> String {
    let not = |negated: &bool| if *negated { "NOT " } else { "" };
    let list = |all: &[Expr]| all.iter().map(print).collect::<Vec<_>>().join(", ");
    match expr {
        Expr::Nested(inner) => print(inner),
        Expr::Value(value) => value_text(&value.value),
        Expr::Identifier(name) => format!("`{}`", name.value),
        Expr::UnaryOp { op, expr } => {
            let op = match op {
                U::Minus => "-",
                U::Plus => "+",
                U::BangNot => "!",
                U::BitwiseNot => "~",
                U::Not => "NOT",
                other => panic!("{other:?}"),
            };
            format!("({op} ({}))", print(expr))
        }
        Expr::BinaryOp { left, op: B::Assignment, right } => {
            format!("({} := {})", print(left), print(right))
        }
        // Only a mode makes an operator of it.
        Expr::BinaryOp { left, op: B::StringConcat, right } => {
            format!("CONCAT({}, {})", print(left), print(right))
        }
        Expr::BinaryOp { left, op, right } => {
            format!("({} {} {})", print(left), operator(op), print(right))
        }
        Expr::IsNull(of) => format!("({} IS NULL)", print(of)),
        Expr::IsNotNull(of) => format!("({} IS NOT NULL)", print(of)),
        Expr::IsTrue(of) => format!("({} IS TRUE)", print(of)),
        Expr::IsNotTrue(of) => format!("({} IS NOT TRUE)", print(of)),
        Expr::IsFalse(of) => format!("({} IS FALSE)", print(of)),
        Expr::IsNotFalse(of) => format!("({} IS NOT FALSE)", print(of)),
        Expr::IsUnknown(of) => format!("({} IS UNKNOWN)", print(of)),
        Expr::IsNotUnknown(of) => format!("({} IS NOT UNKNOWN)", print(of)),
        Expr::Between { expr, negated, low, high } => {
            format!("({} {}BETWEEN {} AND {})", print(expr), not(negated), print(low), print(high))
        }
        Expr::Like { negated, expr, pattern, escape_char, .. } => {
            let escape = escape_char.as_ref().map(|escape| format!(" ESCAPE {}", print(escape)));
            format!(
                "({} {}LIKE {}{})",
                print(expr),
                not(negated),
                print(pattern),
                escape.unwrap_or_default()
            )
        }
        Expr::RLike { negated, expr, pattern, .. } => {
            format!("({} {}REGEXP {})", print(expr), not(negated), print(pattern))
        }
        Expr::InList { expr, list: all, negated } => {
            format!("({} {}IN ({}))", print(expr), not(negated), list(all))
        }
        Expr::Collate { expr, collation } => format!("({} COLLATE {collation})", print(expr)),
        Expr::Cast { expr, data_type: DataType::Binary(None), .. } => {
            format!("CAST({} AS BINARY)", print(expr))
        }
        Expr::Interval(interval) => {
            let unit = match interval.leading_field.as_ref().expect("it has a unit") {
                DateTimeField::Day => "DAY".to_owned(),
                DateTimeField::Custom(name) => name.value.clone(),
                other => other.to_string(),
            };
            format!("INTERVAL {} {unit}", print(&interval.value))
        }
        Expr::TypedString(typed) => {
            let word = match typed.data_type {
                DataType::Date => "DATE",
                DataType::Time(..) => "TIME",
                _ => "TIMESTAMP",
            };
            format!("{word} {}", value_text(&typed.value.value))
        }
        Expr::Convert { expr, charset: Some(charset), data_type: None, .. } => {
            format!("CONVERT({} USING {charset})", print(expr))
        }
        Expr::Tuple(all) => format!("({})", list(all)),
        Expr::Case { operand, conditions, else_result, .. } => {
            let mut text = "CASE".to_owned();
            text.extend(operand.iter().map(|operand| format!(" {}", print(operand))));
            for when in conditions {
                text.push_str(&format!(
                    " WHEN {} THEN {}",
                    print(&when.condition),
                    print(&when.result)
                ));
            }
            text.extend(else_result.iter().map(|last| format!(" ELSE {}", print(last))));
            format!("({text} END)")
        }
        Expr::Function(call) => {
            let FunctionArguments::List(arguments) = &call.args else {
                return call.name.to_string();
            };
            let args = arguments.args.iter().map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) => print(arg),
                other => panic!("{other:?}"),
            });
            format!("{}({})", call.name, args.collect::<Vec<_>>().join(", "))
        }
        Expr::Prefixed { prefix, value } => match Variable::of(expr) {
            Some(Variable::User(name)) => format!("@`{name}`"),
            Some(Variable::System { .. }) => panic!("{expr:?}"),
            None => format!("{} {}", prefix.value, print(value)),
        },
        other => panic!("{other:?}"),
    }
}

fn operator(op: &B) -> &'static str {
    match op {
        B::Or => "OR",
        B::Xor => "XOR",
        B::And => "AND",
        B::Eq => "=",
        B::Spaceship => "<=>",
        B::Lt => "<",
        B::LtEq => "<=",
        B::Gt => ">",
        B::GtEq => ">=",
        B::NotEq => "<>",
        B::BitwiseOr => "|",
        B::BitwiseAnd => "&",
        B::PGBitwiseShiftLeft => "<<",
        B::PGBitwiseShiftRight => ">>",
        B::Plus => "+",
        B::Minus => "-",
        B::Multiply => "*",
        B::Divide => "/",
        B::MyIntegerDivide => "DIV",
        B::Modulo => "%",
        B::BitwiseXor => "^",
        other => panic!("{other:?}"),
    }
}

fn value_text(value: &Value) -> String {
    let quoted = |text: &str| {
        let escaped = |c| match c {
            '\\' => r"\\".to_owned(),
            '\'' => "''".to_owned(),
            '\0' => r"\0".to_owned(),
            '\u{1a}' => r"\Z".to_owned(),
            c => c.to_string(),
        };
        text.chars().map(escaped).collect::<String>()
    };
    match value {
        Value::Number(digits, _) => digits.clone(),
        Value::SingleQuotedString(text) => format!("'{}'", quoted(text)),
        Value::NationalStringLiteral(text) => format!("N'{}'", quoted(text)),
        Value::HexStringLiteral(digits) => format!("x'{digits}'"),
        Value::SingleQuotedByteStringLiteral(digits) => format!("b'{digits}'"),
        Value::Boolean(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
        Value::Null => "NULL".to_owned(),
        other => panic!("{other:?}"),
    }
}
