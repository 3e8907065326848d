//! Expressions: names found, types decided, conversions put in.
//!
//! Each form of the syntax becomes one kind of bound expression. Operators and functions are asked for by name and the
//! types of the operands; the dialect says which one is meant and what the operands are converted to. A literal in
//! quotes and a parameter have no type at first: what stands on the other side decides it (`1 = '1'`), and a parameter
//! keeps the first type it got for the whole statement.
//!
//! Everything recursive goes through [`Binder::expression`], which counts how deep it is, so that a statement of a
//! hundred thousand parentheses is an error and not the end of the stack.

use sqlparser::ast::{
    self, BinaryOperator, CeilFloorKind, DateTimeField, Ident, TrimWhereField, UnaryOperator, Value,
};

use super::Binder;
use super::bound::{Body, Expr, Kind};
use super::compare::{not_if, operator_name};
use super::visit::visit_query;
use hobgoblin_sql_schema::function::Volatility;
use hobgoblin_sql_schema::shape::Field;
use hobgoblin_sql_schema::{Binding, Problem, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

impl Binder<'_> {
    /// Binds an expression in the clause at hand. All recursion goes through here.
    pub fn expression(&mut self, ast: &ast::Expr) -> Result<Expr> {
        self.nested(|binder| binder.any_expression(ast))
    }

    pub(super) fn all(&mut self, asts: &[ast::Expr]) -> Result<Vec<Expr>> {
        asts.iter().map(|ast| self.expression(ast)).collect()
    }

    fn any_expression(&mut self, ast: &ast::Expr) -> Result<Expr> {
        use ast::Expr as Ast;
        if self.rules.own_expressions
            && let Some(meaning) = self.dialect().meaning(ast, &self.env)?
        {
            return self.meant(meaning);
        }
        Ok(match ast {
            Ast::Identifier(ident) => match self.keyword(ident) {
                Some(found) => found?,
                None => self.column(ident)?.expr,
            },
            Ast::CompoundIdentifier(parts) => self.compound(parts)?,
            Ast::Nested(inner) => self.expression(inner)?,
            Ast::Value(value) => self.literal(&value.value)?,
            Ast::TypedString(typed) => {
                let (ty, typmod) = self.data_type(&typed.data_type)?;
                let literal = self.literal(&typed.value.value)?;
                self.cast(literal, ty, typmod)?
            }
            Ast::Interval(interval) => self.interval(interval)?,
            Ast::Cast { expr, data_type, .. } => {
                let (ty, typmod) = self.data_type(data_type)?;
                // An array constructor takes the element type it is cast to.
                if let (Ast::Array(array), Some(element)) = (&**expr, self.element_of(ty)) {
                    let array = self.array(array, Some(element))?;
                    return self.cast(array, ty, typmod);
                }
                let expr = self.expression(expr)?;
                let ty = self.dialect().cast_result(expr.ty, constant_of(&expr), ty);
                self.cast(expr, ty, typmod)?
            }
            Ast::BinaryOp { left, op, right } => self.binary(left, op, right)?,
            Ast::UnaryOp { op, expr } => self.unary(op, expr)?,
            Ast::Prefixed { prefix, value }
                if prefix.value.bytes().all(|byte| byte.is_ascii_punctuation()) =>
            {
                let operand = self.expression(value)?;
                self.operator(&prefix.value, None, operand)?
            }
            Ast::IsNull(expr) => self.is_null(expr, false)?,
            Ast::IsNotNull(expr) => self.is_null(expr, true)?,
            Ast::IsTrue(expr) => self.is_truth(expr, Some(true), false)?,
            Ast::IsNotTrue(expr) => self.is_truth(expr, Some(true), true)?,
            Ast::IsFalse(expr) => self.is_truth(expr, Some(false), false)?,
            Ast::IsNotFalse(expr) => self.is_truth(expr, Some(false), true)?,
            Ast::IsUnknown(expr) => self.is_truth(expr, None, false)?,
            Ast::IsNotUnknown(expr) => self.is_truth(expr, None, true)?,
            Ast::IsDistinctFrom(left, right) => self.distinct(left, right, false)?,
            Ast::IsNotDistinctFrom(left, right) => self.distinct(left, right, true)?,
            Ast::InList { expr, list, negated } => self.in_list(expr, list, *negated)?,
            Ast::InSubquery { expr, subquery, negated } => {
                let found = self.any_query(expr, "=", subquery, false)?;
                not_if(found, *negated)
            }
            Ast::Between { expr, negated, low, high } => {
                let (expr, low) = (self.expression(expr)?, self.expression(low)?);
                let high = self.expression(high)?;
                let above = self.operator(">=", Some(expr.clone()), low)?;
                let below = self.operator("<=", Some(expr), high)?;
                not_if(Expr::new(Kind::And(vec![above, below]), TypeId::BOOLEAN), *negated)
            }
            Ast::Like { negated, any: false, expr, pattern, escape_char } => {
                self.like(["~~", "!~~"], *negated, expr, pattern, escape_char.as_deref())?
            }
            Ast::ILike { negated, any: false, expr, pattern, escape_char } => {
                self.like(["~~*", "!~~*"], *negated, expr, pattern, escape_char.as_deref())?
            }
            Ast::SimilarTo { negated, expr, pattern, escape_char } => {
                let expr = self.expression(expr)?;
                let mut args = vec![self.expression(pattern)?];
                if let Some(escape) = escape_char {
                    args.push(self.expression(escape)?);
                }
                let pattern = self.call("similar_to_escape", args)?;
                let found = self.operator("~", Some(expr), pattern)?;
                not_if(found, *negated)
            }
            Ast::AnyOp { left, compare_op, right, .. } => {
                self.any_op(left, compare_op, right, false)?
            }
            Ast::AllOp { left, compare_op, right } => self.any_op(left, compare_op, right, true)?,
            Ast::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref())?
            }
            Ast::Function(function) => self.function(function)?,
            Ast::Exists { subquery, negated } => {
                let query = self.subquery(subquery)?;
                let found = Expr::new(Kind::Exists(Box::new(query)), TypeId::BOOLEAN);
                not_if(found, *negated)
            }
            Ast::Subquery(query) => {
                let query = self.subquery(query)?;
                let [column] = query.columns.as_slice() else {
                    let words = "subquery must return only one column";
                    return Err(Binding::OperandColumns { wanted: 1, words }.into());
                };
                let (ty, typmod) = (column.ty, column.typmod);
                Expr { kind: Kind::Scalar(Box::new(query)), ty, typmod }
            }
            Ast::Tuple(items) => {
                let items = self.all(items)?;
                self.row(items)?
            }
            Ast::Array(array) => self.array(array, None)?,
            Ast::CompoundFieldAccess { root, access_chain } => self.access(root, access_chain)?,
            Ast::Extract { field, expr, .. } => {
                let expr = self.expression(expr)?;
                let field = Expr::constant(Datum::text(field_name(field)), TypeId::TEXT);
                self.call("extract", vec![field, expr])?
            }
            Ast::Ceil { expr, field } => self.rounded("ceil", expr, field)?,
            Ast::Floor { expr, field } => self.rounded("floor", expr, field)?,
            Ast::Position { expr, r#in } => {
                let (part, whole) = (self.expression(expr)?, self.expression(r#in)?);
                self.call("position", vec![whole, part])?
            }
            Ast::Substring { expr, substring_from, substring_for, shorthand, .. } => {
                let mut args = vec![self.expression(expr)?];
                match (substring_from, substring_for) {
                    (Some(from), length) => {
                        args.push(self.expression(from)?);
                        if let Some(length) = length {
                            args.push(self.expression(length)?);
                        }
                    }
                    (None, Some(length)) => {
                        args.push(Expr::constant(Datum::Int(1), TypeId::INTEGER));
                        args.push(self.expression(length)?);
                    }
                    (None, None) => return Err(SqlError::syntax("substring needs FROM or FOR")),
                }
                self.call(if *shorthand { "substr" } else { "substring" }, args)?
            }
            Ast::Trim { trim_where, trim_what, expr, trim_characters } => {
                let name = match trim_where {
                    Some(TrimWhereField::Leading) => "ltrim",
                    Some(TrimWhereField::Trailing) => "rtrim",
                    Some(TrimWhereField::Both) | None => "btrim",
                };
                let mut args = vec![self.expression(expr)?];
                if let Some(what) = trim_what {
                    args.push(self.expression(what)?);
                }
                for what in trim_characters.iter().flatten() {
                    args.push(self.expression(what)?);
                }
                self.call(name, args)?
            }
            Ast::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                let mut args = vec![
                    self.expression(expr)?,
                    self.expression(overlay_what)?,
                    self.expression(overlay_from)?,
                ];
                if let Some(length) = overlay_for {
                    args.push(self.expression(length)?);
                }
                self.call("overlay", args)?
            }
            Ast::AtTimeZone { timestamp, time_zone } => {
                let (time, zone) = (self.expression(timestamp)?, self.expression(time_zone)?);
                self.call("timezone", vec![zone, time])?
            }
            Ast::Collate { expr, collation } => {
                let name = collation.to_string().to_lowercase();
                let name = name.rsplit('.').next().unwrap_or_default().trim_matches('"').to_owned();
                let known = ["default", "c", "posix", "c.utf-8", "c.utf8", "ucs_basic"];
                if !known.contains(&name.as_str()) {
                    return Err(SqlError::unsupported(format!("collation \"{name}\"")));
                }
                self.expression(expr)?
            }
            Ast::JsonAccess { .. } => return Err(SqlError::unsupported("this JSON path syntax")),
            Ast::Wildcard(_) | Ast::QualifiedWildcard(..) => {
                return Err(SqlError::syntax("\"*\" is not allowed here"));
            }
            other => {
                return Err(SqlError::unsupported(format!("the expression `{}`", brief(other))));
            }
        })
    }

    /// Binds ROW(…), whose fields are called `f1`, `f2`, …
    pub(super) fn row(&mut self, items: Vec<Expr>) -> Result<Expr> {
        let items: Vec<Expr> =
            items.into_iter().map(|item| self.known(item)).collect::<Result<_>>()?;
        let fields = items.iter().enumerate().map(|(at, item)| Field {
            name: format!("f{}", at + 1),
            ty: item.ty,
            typmod: item.typmod,
        });
        let typmod = self.catalog.shapes.register(fields.collect());
        Ok(Expr { kind: Kind::Row(items), ty: TypeId::ROW, typmod })
    }

    /// The value of a name that is no column, such as CURRENT_DATE.
    fn keyword(&mut self, ident: &Ident) -> Option<Result<Expr>> {
        if ident.quote_style.is_some() {
            return None;
        }
        if ident.value.eq_ignore_ascii_case("default") {
            let text = "DEFAULT is not allowed in this context";
            return Some(Err(SqlError::syntax(text)));
        }
        let function = self.dialect().value_word(&ident.value)?;
        Some(self.call(function, Vec::new()))
    }

    /// Binds a name with dots: `a.b`, `a.b.c`, or a field of a column that is a row.
    fn compound(&mut self, parts: &[Ident]) -> Result<Expr> {
        self.qualified(parts).map(|found| found.expr)
    }

    pub(super) fn literal(&mut self, value: &Value) -> Result<Expr> {
        let unknown = |text: &str| Expr::constant(Datum::text(text), TypeId::UNKNOWN);
        let quoted =
            |text: &str| Expr::constant(Datum::text(text), self.dialect().text_constant(text));
        Ok(match value {
            Value::Null => Expr::constant(Datum::Null, TypeId::UNKNOWN),
            Value::Boolean(truth) => Expr::constant(Datum::Bool(*truth), TypeId::BOOLEAN),
            Value::Number(text, _) => self.number(text)?,
            Value::SingleQuotedString(text)
            | Value::EscapedStringLiteral(text)
            | Value::UnicodeStringLiteral(text) => quoted(text),
            Value::NationalStringLiteral(text) => {
                let ty = self.dialect().national_text();
                self.cast(unknown(text), ty, -1)?
            }
            Value::DollarQuotedString(text) => unknown(&text.value),
            Value::Placeholder(name) => self.param(name)?,
            Value::DoubleQuotedString(name) => {
                let ident = Ident::with_quote('"', name.clone());
                self.column(&ident)?.expr
            }
            Value::SingleQuotedByteStringLiteral(_) | Value::HexStringLiteral(_) => {
                return Err(SqlError::unsupported("bit string constants"));
            }
            other => return Err(SqlError::unsupported(format!("the literal {other}"))),
        })
    }

    fn number(&self, text: &str) -> Result<Expr> {
        let (value, ty) = self.dialect().number(text)?;
        Ok(Expr::constant(value, ty))
    }

    fn param(&mut self, name: &str) -> Result<Expr> {
        let number: usize = name
            .strip_prefix('$')
            .and_then(|digits| digits.parse().ok())
            .filter(|&number| number >= 1)
            .ok_or_else(|| SqlError::syntax(format!("syntax error at or near \"{name}\"")))?;
        if number > 65535 || (number > self.params.len() && !self.params_open) {
            return Err(Problem::NoParameter(number).into());
        }
        if number > self.params.len() {
            self.params.resize(number, TypeId::UNKNOWN);
        }
        Ok(Expr::new(Kind::Param(number - 1), self.params[number - 1]))
    }

    fn interval(&mut self, interval: &ast::Interval) -> Result<Expr> {
        let literal = self.expression(&interval.value)?;
        let Kind::Const(Datum::Text(text)) = &literal.kind else {
            return Err(SqlError::syntax("INTERVAL takes a quoted string"));
        };
        let text = text.to_string();
        let (ty, typmod) = self.dialect().interval_type(interval)?;
        if typmod == -1 {
            let value = self.dialect().parse(&text, ty, -1, &self.env)?;
            return Ok(Expr::constant(value, ty));
        }
        let literal = Expr::constant(Datum::text(text), TypeId::UNKNOWN);
        self.cast(literal, ty, typmod)
    }

    pub(super) fn data_type(&self, ty: &ast::DataType) -> Result<(TypeId, i32)> {
        self.dialect().data_type(self.catalog, self.path, ty)
    }

    pub(super) fn element_of(&self, ty: TypeId) -> Option<TypeId> {
        self.dialect().element_of(ty).or_else(|| self.env.names.element_of(ty))
    }

    pub(super) fn array_of(&self, ty: TypeId) -> Result<TypeId> {
        let found = self.dialect().array_of(ty).or_else(|| self.env.names.array_of(ty));
        found.ok_or_else(|| Binding::NoArrayType(self.type_name(ty)).into())
    }

    fn binary(&mut self, left: &ast::Expr, op: &BinaryOperator, right: &ast::Expr) -> Result<Expr> {
        let (and, what) = match op {
            BinaryOperator::And => (true, "AND"),
            BinaryOperator::Or => (false, "OR"),
            _ => {
                let name = operator_name(op)?;
                return self.compare_or_call(left, &name, right);
            }
        };
        // Chains of one operator become one flat list, so that long ones do not nest.
        let mut operands = vec![right];
        let mut rest = left;
        while let ast::Expr::BinaryOp { left, op: inner, right } = rest
            && inner == op
        {
            operands.push(right);
            rest = left;
        }
        operands.push(rest);
        let mut all = Vec::with_capacity(operands.len());
        for operand in operands.into_iter().rev() {
            let operand = self.expression(operand)?;
            all.push(self.boolean(operand, what)?);
        }
        Ok(Expr::new(if and { Kind::And(all) } else { Kind::Or(all) }, TypeId::BOOLEAN))
    }

    fn unary(&mut self, op: &UnaryOperator, operand: &ast::Expr) -> Result<Expr> {
        let name = match op {
            UnaryOperator::Not => {
                let operand = self.expression(operand)?;
                let operand = self.boolean(operand, "NOT")?;
                return Ok(Expr::new(Kind::Not(Box::new(operand)), TypeId::BOOLEAN));
            }
            UnaryOperator::Plus => "+",
            UnaryOperator::Minus => {
                if let Some(text) = signed(operand) {
                    return self.number(&negated(&text));
                }
                // A sign binds closer than a power does.
                if let ast::Expr::BinaryOp { left, op, right } = operand
                    && matches!(op, BinaryOperator::BitwiseXor | BinaryOperator::PGExp)
                {
                    let left = Box::new(ast::Expr::UnaryOp {
                        op: UnaryOperator::Minus,
                        expr: left.clone(),
                    });
                    return self.binary(&left, op, right);
                }
                "-"
            }
            UnaryOperator::BitwiseNot => "~",
            UnaryOperator::PGAbs => "@",
            UnaryOperator::PGSquareRoot => "|/",
            UnaryOperator::PGCubeRoot => "||/",
            other => return Err(SqlError::unsupported(format!("the operator {other}"))),
        };
        let operand = self.expression(operand)?;
        self.operator(name, None, operand)
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
    ) -> Result<Expr> {
        let operand = match operand {
            Some(operand) => {
                let operand = self.expression(operand)?;
                Some(self.known(operand)?)
            }
            None => None,
        };
        let (mut whens, mut results) = (Vec::new(), Vec::new());
        for when in conditions {
            let condition = self.expression(&when.condition)?;
            whens.push(match &operand {
                Some(operand) => self.operator("=", Some(operand.clone()), condition)?,
                None => self.boolean(condition, "CASE/WHEN")?,
            });
        }
        // PostgreSQL takes the type of ELSE first.
        if let Some(otherwise) = otherwise {
            results.push(self.expression(otherwise)?);
        }
        for when in conditions {
            results.push(self.expression(&when.result)?);
        }
        let (results, ty, typmod) = self.unify(results, "CASE")?;
        let mut results = results.into_iter();
        let otherwise = match otherwise {
            Some(_) => results.next().map(Box::new),
            None => None,
        };
        let whens = whens.into_iter().zip(results).collect();
        Ok(Expr { kind: Kind::Case { whens, otherwise }, ty, typmod })
    }

    fn rounded(&mut self, name: &str, operand: &ast::Expr, field: &CeilFloorKind) -> Result<Expr> {
        if !matches!(field, CeilFloorKind::DateTimeField(DateTimeField::NoDateTime)) {
            return Err(SqlError::unsupported(format!("{name} with a field or scale")));
        }
        let operand = self.expression(operand)?;
        self.call(name, vec![operand])
    }

    /// Binds a subquery inside an expression.
    pub(super) fn subquery(&mut self, query: &ast::Query) -> Result<super::bound::Query> {
        let before: Vec<usize> = self.ctes.iter().map(|cte| cte.uses).collect();
        let mut bound = self.query(query)?;
        // The rows of a WITH item further out may be those of a round.
        let apart = self.ctes.iter().zip(&before).all(|(cte, uses)| cte.uses == *uses);
        if apart && bound.locks.is_empty() && is_fixed(&mut bound) {
            bound.once = Some(self.item_id());
        }
        // Its rows are not locked, so nothing is checked again; and what nests would be there twice at every level.
        if let (true, Body::Select(select)) = (query.locks.is_empty(), &mut bound.body) {
            select.recheck.clear();
        }
        Ok(bound)
    }
}

/// Whether a query gives the same rows each time a statement runs it: it refers to nothing outside,
/// and calls nothing that may differ.
fn is_fixed(query: &mut super::bound::Query) -> bool {
    let mut fixed = true;
    visit_query(query, 0, &mut |expr, depth| {
        match &expr.kind {
            Kind::Column(column) => fixed &= column.depth <= depth,
            Kind::WholeRow { depth: found, .. } => fixed &= *found <= depth,
            Kind::Call { function, .. } => fixed &= function.volatility != Volatility::Volatile,
            _ => {}
        }
        fixed
    });
    fixed
}

/// The value and type of a constant as it is written.
pub(super) fn constant_of(expr: &Expr) -> Option<&Datum> {
    match &expr.kind {
        Kind::Const(value) => Some(value),
        _ => None,
    }
}

/// The digits of a number with its sign, without the parentheses around it.
fn signed(expr: &ast::Expr) -> Option<String> {
    match expr {
        ast::Expr::Value(value) => match &value.value {
            Value::Number(text, _) => Some(text.clone()),
            _ => None,
        },
        ast::Expr::Nested(inner) => signed(inner),
        ast::Expr::UnaryOp { op: UnaryOperator::Minus, expr } => {
            signed(expr).map(|text| negated(&text))
        }
        _ => None,
    }
}

fn negated(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(digits) => digits.to_owned(),
        None => format!("-{digits}"),
    }
}

/// The name of a field of a date or time, as `extract` has it.
pub(super) fn field_name(field: &DateTimeField) -> String {
    match field {
        DateTimeField::Custom(name) => name.value.to_lowercase(),
        DateTimeField::Week(_) => "week".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

/// The beginning of the text of an expression, for a message.
pub(super) fn brief(expr: &ast::Expr) -> String {
    let text = expr.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
