//! Expressions as the server prints them in definitions.
//!
//! Keywords are small, operators stand between blanks, arguments between commas without, and parentheses are only where the
//! binding of operators asks for them. Functions go by one of their names, and NOT is drawn into what it is of.

use sqlparser::ast::{
    BinaryOperator as B, CaseWhen, DataType, DuplicateTreatment, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArgumentClause, FunctionArguments, Ident, Query, TrimWhereField,
    UnaryOperator as U, Value,
};

use super::names::{quoted, text};
use super::print_words::{
    bits, canonical, cast_type, comparison, is_column, is_condition, is_isnull, unit,
};
use crate::syntax::Variable;

/// How close something binds; more is closer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binds {
    Loosely,
    Or,
    Xor,
    And,
    Not,
    Between,
    Compare,
    BitOr,
    BitAnd,
    Shift,
    Interval,
    Add,
    Multiply,
    BitXor,
    Sign,
    Collate,
    Closed,
}

impl Binds {
    fn closer(self) -> Binds {
        use Binds::*;
        match self {
            Loosely => Or,
            Or => Xor,
            Xor => And,
            And => Not,
            Not => Between,
            Between => Compare,
            Compare => BitOr,
            BitOr => BitAnd,
            BitAnd => Shift,
            Shift => Interval,
            Interval => Add,
            Add => Multiply,
            Multiply => BitXor,
            BitXor => Sign,
            Sign => Collate,
            Collate | Closed => Closed,
        }
    }
}

/// What names and queries in an expression are printed as.
pub trait Spelling {
    /// A column.
    fn column(&self, parts: &[Ident]) -> String;
    /// A query.
    fn query(&self, query: &Query) -> String {
        query.to_string()
    }
}

/// Columns by their names alone, as the definition of their table prints them.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Spelling for Alone {
    fn column(&self, parts: &[Ident]) -> String {
        parts.last().map_or_else(String::new, |name| quoted(&name.value))
    }
}

/// An expression over the columns of one table.
pub fn print(expr: &Expr) -> String {
    Printer(&Alone).print(expr)
}

/// An expression over columns that are spelled some way.
pub fn print_with(expr: &Expr, spelling: &dyn Spelling) -> String {
    Printer(spelling).print(expr)
}

struct Printer<'a>(&'a dyn Spelling);

impl Printer<'_> {
    fn print(&self, expr: &Expr) -> String {
        self.part(expr).0
    }

    /// In parentheses if it binds less than this.
    fn within(&self, expr: &Expr, at_least: Binds) -> String {
        let (text, binds) = self.part(expr);
        if binds < at_least { format!("({text})") } else { text }
    }

    fn list(&self, all: &[Expr]) -> String {
        all.iter().map(|one| self.print(one)).collect::<Vec<_>>().join(",")
    }

    /// As a condition: what is none is compared with zero.
    fn condition(&self, expr: &Expr, at_least: Binds) -> String {
        if !is_column(expr) {
            return self.within(expr, at_least);
        }
        let text = format!("{} <> 0", self.within(expr, Binds::Compare));
        if Binds::Compare < at_least { format!("({text})") } else { text }
    }

    fn part(&self, expr: &Expr) -> (String, Binds) {
        let closed = |text: String| (text, Binds::Closed);
        match expr {
            Expr::Nested(inner) => self.part(inner),
            Expr::Value(value) => closed(self.value(&value.value)),
            Expr::Identifier(name) => closed(self.0.column(std::slice::from_ref(name))),
            Expr::CompoundIdentifier(parts) => closed(self.0.column(parts)),
            Expr::UnaryOp { op: U::Not | U::BangNot, expr } => self.negated(expr),
            Expr::UnaryOp { op, expr } => match op {
                U::Minus => (format!("-{}", self.within(expr, Binds::Sign)), Binds::Sign),
                U::BitwiseNot => (format!("~{}", self.within(expr, Binds::Sign)), Binds::Sign),
                _ => self.part(expr),
            },
            Expr::BinaryOp { left, op, right } => self.operator(left, op, right),
            Expr::IsNull(of) => self.is(of, "is null"),
            Expr::IsNotNull(of) => self.is(of, "is not null"),
            Expr::IsTrue(of) => self.is(of, "is true"),
            Expr::IsNotTrue(of) => self.is(of, "is not true"),
            Expr::IsFalse(of) => self.is(of, "is false"),
            Expr::IsNotFalse(of) => self.is(of, "is not false"),
            Expr::IsUnknown(of) => self.is(of, "is null"),
            Expr::IsNotUnknown(of) => self.is(of, "is not null"),
            Expr::Between { expr, negated, low, high } => {
                let not = if *negated { "not " } else { "" };
                let text = format!(
                    "{} {not}between {} and {}",
                    self.within(expr, Binds::Between),
                    self.within(low, Binds::Between),
                    self.within(high, Binds::Between)
                );
                (text, Binds::Between)
            }
            Expr::InList { expr, list, negated } => {
                let not = if *negated { "not " } else { "" };
                let text =
                    format!("{} {not}in ({})", self.within(expr, Binds::Compare), self.list(list));
                (text, Binds::Compare)
            }
            Expr::InSubquery { expr, subquery, negated } => {
                let text = format!(
                    "{} in ({})",
                    self.within(expr, Binds::Compare),
                    self.0.query(subquery)
                );
                match negated {
                    true => (format!("!({text})"), Binds::Sign),
                    false => (text, Binds::Compare),
                }
            }
            Expr::Exists { subquery, negated } => {
                let text = format!("exists({})", self.0.query(subquery));
                (if *negated { format!("!{text}") } else { text }, Binds::Closed)
            }
            Expr::Subquery(query) => closed(format!("({})", self.0.query(query))),
            Expr::AnyOp { left, compare_op, right, .. } => {
                self.operator_text(left, &comparison(compare_op, "any"), right, Binds::Compare)
            }
            Expr::AllOp { left, compare_op, right } => {
                self.operator_text(left, &comparison(compare_op, "all"), right, Binds::Compare)
            }
            Expr::Like { negated, expr, pattern, escape_char, .. } => {
                let op = if *negated { " not like" } else { "like" };
                let (mut text, binds) = self.operator_text(expr, op, pattern, Binds::Compare);
                if let Some(escape) = escape_char {
                    text.push_str(&format!(" escape {}", self.print(escape)));
                }
                (text, binds)
            }
            Expr::RLike { negated, expr, pattern, .. } => {
                let (text, binds) = self.operator_text(expr, "regexp", pattern, Binds::Compare);
                match negated {
                    true => (format!("!({text})"), Binds::Sign),
                    false => (text, binds),
                }
            }
            Expr::Collate { expr, collation } => {
                let text = format!("{} collate {collation}", self.within(expr, Binds::Collate));
                (text, Binds::Collate)
            }
            Expr::Cast { expr, data_type, .. } => {
                closed(format!("cast({} as {})", self.print(expr), cast_type(data_type, None)))
            }
            Expr::Convert { expr, data_type: Some(ty), charset, .. } => {
                let charset = charset.as_ref().map(|name| name.to_string().to_lowercase());
                closed(format!(
                    "cast({} as {})",
                    self.print(expr),
                    cast_type(ty, charset.as_deref())
                ))
            }
            Expr::Convert { expr, charset, .. } => {
                let charset = charset.as_ref().map_or_else(String::new, |name| name.to_string());
                closed(format!("convert({} using {})", self.print(expr), charset.to_lowercase()))
            }
            Expr::Extract { field, expr, .. } => {
                closed(format!("extract({} from {})", unit(field), self.print(expr)))
            }
            Expr::Position { expr, r#in } => {
                closed(format!("locate({},{})", self.print(expr), self.print(r#in)))
            }
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                let more = [substring_from, substring_for].into_iter().flatten();
                let more: String = more.map(|part| format!(",{}", self.print(part))).collect();
                closed(format!("substr({}{more})", self.print(expr)))
            }
            Expr::Trim { trim_where, trim_what, expr, .. } => {
                closed(self.trim(trim_where.as_ref(), trim_what.as_deref(), expr))
            }
            Expr::Interval(interval) => {
                let unit = interval.leading_field.as_ref().map_or_else(String::new, unit);
                (
                    format!("interval {} {unit}", self.within(&interval.value, Binds::Add)),
                    Binds::Interval,
                )
            }
            Expr::TypedString(typed) => {
                let word = match typed.data_type {
                    DataType::Date => "DATE",
                    DataType::Time(..) => "TIME",
                    _ => "TIMESTAMP",
                };
                closed(format!("{word}{}", self.value(&typed.value.value)))
            }
            Expr::Case { operand, conditions, else_result, .. } => {
                closed(self.case(operand.as_deref(), conditions, else_result.as_deref()))
            }
            Expr::Tuple(all) => closed(format!("({})", self.list(all))),
            Expr::Function(call) => self.call(call),
            Expr::Prefixed { prefix, value } => closed(match Variable::of(expr) {
                Some(Variable::User(name)) => format!("@{}", quoted(&name)),
                Some(Variable::System { .. }) => expr.to_string(),
                None => format!("{}{}", prefix.value, self.print(value)),
            }),
            other => closed(other.to_string()),
        }
    }

    fn is(&self, of: &Expr, what: &str) -> (String, Binds) {
        (format!("{} {what}", self.within(of, Binds::Compare)), Binds::Compare)
    }

    /// What NOT makes of an expression.
    fn negated(&self, of: &Expr) -> (String, Binds) {
        let boxed = |expr: &Expr| Box::new(expr.clone());
        let not = |expr: &Expr| Expr::UnaryOp { op: U::Not, expr: boxed(expr) };
        let turned = match of {
            Expr::Nested(inner) => return self.negated(inner),
            Expr::UnaryOp { op: U::Not | U::BangNot, expr } => match is_condition(expr) {
                true => return self.part(expr),
                false => return (self.condition(expr, Binds::Compare), Binds::Compare),
            },
            Expr::BinaryOp { left, op, right } => {
                let opposite = match op {
                    B::Eq => B::NotEq,
                    B::NotEq => B::Eq,
                    B::Lt => B::GtEq,
                    B::LtEq => B::Gt,
                    B::Gt => B::LtEq,
                    B::GtEq => B::Lt,
                    B::And | B::Or => {
                        let op = if *op == B::And { B::Or } else { B::And };
                        let (left, right) = (Box::new(not(left)), Box::new(not(right)));
                        return self.part(&Expr::BinaryOp { left, op, right });
                    }
                    B::Spaceship => return (format!("!({})", self.print(of)), Binds::Sign),
                    _ => return (format!("!({})", self.print(of)), Binds::Sign),
                };
                Expr::BinaryOp { left: left.clone(), op: opposite, right: right.clone() }
            }
            Expr::IsNull(of) => Expr::IsNotNull(of.clone()),
            Expr::IsNotNull(of) => Expr::IsNull(of.clone()),
            Expr::Between { expr, negated, low, high } => Expr::Between {
                expr: expr.clone(),
                negated: !negated,
                low: low.clone(),
                high: high.clone(),
            },
            Expr::InList { expr, list, negated } => {
                Expr::InList { expr: expr.clone(), list: list.clone(), negated: !negated }
            }
            Expr::RLike { negated: false, .. } => {
                return (format!("!({})", self.print(of)), Binds::Sign);
            }
            Expr::Like { negated, any, expr, pattern, escape_char } => Expr::Like {
                negated: !negated,
                any: *any,
                expr: expr.clone(),
                pattern: pattern.clone(),
                escape_char: escape_char.clone(),
            },
            Expr::Exists { subquery, negated } => {
                Expr::Exists { subquery: subquery.clone(), negated: !negated }
            }
            Expr::InSubquery { negated: false, .. } => {
                return (format!("!({})", self.print(of)), Binds::Sign);
            }
            Expr::Function(call) if is_isnull(call) => {
                let (text, binds) = self.part(of);
                return (text.replace(" is null", " is not null"), binds);
            }
            column if is_column(column) => {
                return (format!("{} = 0", self.within(of, Binds::Compare)), Binds::Compare);
            }
            _ => return (format!("!({})", self.print(of)), Binds::Sign),
        };
        self.part(&turned)
    }

    fn operator(&self, left: &Expr, op: &B, right: &Expr) -> (String, Binds) {
        let (word, binds) = match op {
            B::And | B::Or => {
                let (word, binds) =
                    if *op == B::And { ("and", Binds::And) } else { ("or", Binds::Or) };
                let text = format!(
                    "{} {word} {}",
                    self.condition(left, binds),
                    self.condition(right, binds)
                );
                return (text, binds);
            }
            B::Xor => {
                let text = format!(
                    "{} xor {}",
                    self.within(left, Binds::Xor),
                    self.within(right, Binds::And)
                );
                return (text, Binds::Xor);
            }
            B::Plus | B::Minus if matches!(right, Expr::Interval(_)) => {
                let sign = if *op == B::Plus { "+" } else { "-" };
                let text =
                    format!("{} {sign} {}", self.within(left, Binds::Interval), self.print(right));
                return (text, Binds::Interval);
            }
            B::StringConcat => {
                let text = format!("concat({},{})", self.print(left), self.print(right));
                return (text, Binds::Closed);
            }
            B::Eq => ("=", Binds::Compare),
            B::Spaceship => ("<=>", Binds::Compare),
            B::Lt => ("<", Binds::Compare),
            B::LtEq => ("<=", Binds::Compare),
            B::Gt => (">", Binds::Compare),
            B::GtEq => (">=", Binds::Compare),
            B::NotEq => ("<>", Binds::Compare),
            B::BitwiseOr => ("|", Binds::BitOr),
            B::BitwiseAnd => ("&", Binds::BitAnd),
            B::PGBitwiseShiftLeft => ("<<", Binds::Shift),
            B::PGBitwiseShiftRight => (">>", Binds::Shift),
            B::Plus => ("+", Binds::Add),
            B::Minus => ("-", Binds::Add),
            B::Multiply => ("*", Binds::Multiply),
            B::Divide => ("/", Binds::Multiply),
            B::MyIntegerDivide => ("DIV", Binds::Multiply),
            B::Modulo => ("MOD", Binds::Multiply),
            B::BitwiseXor => ("^", Binds::BitXor),
            B::Assignment => (":=", Binds::Loosely),
            other => {
                return (
                    format!("{} {other} {}", self.print(left), self.print(right)),
                    Binds::Loosely,
                );
            }
        };
        self.operator_text(left, word, right, binds)
    }

    fn operator_text(
        &self,
        left: &Expr,
        word: &str,
        right: &Expr,
        binds: Binds,
    ) -> (String, Binds) {
        let text =
            format!("{} {word} {}", self.within(left, binds), self.within(right, binds.closer()));
        (text, binds)
    }

    fn trim(&self, side: Option<&TrimWhereField>, what: Option<&Expr>, of: &Expr) -> String {
        let side = match side {
            Some(TrimWhereField::Leading) => "leading ",
            Some(TrimWhereField::Trailing) => "trailing ",
            Some(TrimWhereField::Both) => "both ",
            None => "",
        };
        match (what, side) {
            (None, "" | "both ") => format!("trim({})", self.print(of)),
            (None, "leading ") => format!("ltrim({})", self.print(of)),
            (None, _) => format!("rtrim({})", self.print(of)),
            (Some(what), side) => {
                let side = if side.is_empty() { "both " } else { side };
                format!("trim({side}{} from {})", self.print(what), self.print(of))
            }
        }
    }

    fn case(&self, operand: Option<&Expr>, whens: &[CaseWhen], last: Option<&Expr>) -> String {
        let mut text = "case".to_owned();
        if let Some(operand) = operand {
            text.push_str(&format!(" {}", self.within(operand, Binds::Between)));
        }
        for when in whens {
            let condition = match operand {
                Some(_) => self.within(&when.condition, Binds::Between),
                None => self.condition(&when.condition, Binds::Loosely),
            };
            text.push_str(&format!(" when {condition} then {}", self.print(&when.result)));
        }
        if let Some(last) = last {
            text.push_str(&format!(" else {}", self.print(last)));
        }
        text + " end"
    }

    fn call(&self, call: &Function) -> (String, Binds) {
        let name = call.name.0.last().and_then(|part| part.as_ident());
        let name = name.map_or_else(String::new, |name| name.value.to_lowercase());
        let (list, distinct, clauses) = match &call.args {
            FunctionArguments::List(list) => (
                list.args.as_slice(),
                matches!(list.duplicate_treatment, Some(DuplicateTreatment::Distinct)),
                list.clauses.as_slice(),
            ),
            _ => (&[][..], false, &[][..]),
        };
        let exprs: Vec<&Expr> = list
            .iter()
            .filter_map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                _ => None,
            })
            .collect();
        match (name.as_str(), exprs.as_slice()) {
            ("isnull", [of]) => return self.is(of, "is null"),
            ("mod", [left, right]) => {
                return self.operator_text(left, "MOD", right, Binds::Multiply);
            }
            ("date_add" | "adddate" | "date_sub" | "subdate", [date, span]) => {
                let sign = if matches!(name.as_str(), "date_add" | "adddate") { "+" } else { "-" };
                let span = match span {
                    Expr::Interval(_) => self.print(span),
                    days => format!("interval {} day", self.within(days, Binds::Add)),
                };
                let text = format!("{} {sign} {span}", self.within(date, Binds::Interval));
                return (text, Binds::Interval);
            }
            ("timestampdiff" | "timestampadd", [Expr::Interval(of), first, second]) => {
                let unit = of
                    .leading_field
                    .as_ref()
                    .map_or_else(String::new, |field| unit(field).to_uppercase());
                if name == "timestampadd" {
                    let text = format!(
                        "{} + interval {} {unit}",
                        self.within(second, Binds::Interval),
                        self.within(first, Binds::Add)
                    );
                    return (text, Binds::Interval);
                }
                let text =
                    format!("timestampdiff({unit},{},{})", self.print(first), self.print(second));
                return (text, Binds::Closed);
            }
            _ => {}
        }
        let mut args: Vec<String> = list
            .iter()
            .map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.print(expr),
                _ => {
                    if name == "count" {
                        "0".to_owned()
                    } else {
                        "*".to_owned()
                    }
                }
            })
            .collect();
        if name == "count"
            && list.iter().any(|arg| matches!(arg, FunctionArg::Unnamed(FunctionArgExpr::Wildcard)))
        {
            args = vec!["0".to_owned()];
        }
        let mut more = String::new();
        for clause in clauses {
            match clause {
                FunctionArgumentClause::OrderBy(keys) => {
                    let keys: Vec<String> = keys
                        .iter()
                        .map(|key| {
                            let way = if matches!(
                                key.options.sort,
                                Some(sqlparser::ast::OrderBySort::Desc)
                            ) {
                                "DESC"
                            } else {
                                "ASC"
                            };
                            format!("{} {way}", self.print(&key.expr))
                        })
                        .collect();
                    more.push_str(&format!(" order by {}", keys.join(",")));
                }
                FunctionArgumentClause::Separator(separator) => {
                    more.push_str(&format!(" separator {separator}"));
                }
                _ => {}
            }
        }
        if name == "group_concat" && !more.contains(" separator ") {
            more.push_str(" separator ','");
        }
        let distinct = if distinct { "distinct " } else { "" };
        let call_text = format!("{}({distinct}{}{more})", canonical(&name), args.join(","));
        let text = match &call.over {
            Some(over) => format!("{call_text} over {}", over.to_string().to_lowercase()),
            None => call_text,
        };
        (text, Binds::Closed)
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Number(digits, _) => digits.clone(),
            Value::SingleQuotedString(found) => text(found),
            Value::NationalStringLiteral(found) => text(found),
            Value::HexStringLiteral(digits) => format!("X'{}'", digits.to_uppercase()),
            Value::SingleQuotedByteStringLiteral(digits) => bits(digits),
            Value::Boolean(truth) => if *truth { "1" } else { "0" }.to_owned(),
            Value::Null => "NULL".to_owned(),
            other => other.to_string(),
        }
    }
}
