//! Expressions: names found, types decided, conversions put in.

use std::borrow::Cow;

use sqlparser::ast::{
    self, AccessExpr, BinaryOperator, CeilFloorKind, DateTimeField, Ident, TrimWhereField,
    UnaryOperator, Value,
};

use super::Binder;
use super::expr::{Expr, Kind, Subscript};
use crate::catalog::names::fold;
use crate::error::{Result, SqlError, SqlState};
use crate::functions::resolve;
use crate::types::record::{self, Field};
use crate::types::{Datum, Numeric, TypeId, builtin};

impl Binder<'_> {
    /// Binds an expression.
    pub(crate) fn expression(&mut self, ast: &ast::Expr) -> Result<Expr> {
        self.nested(|binder| binder.any_expression(ast))
    }

    fn all(&mut self, asts: &[ast::Expr]) -> Result<Vec<Expr>> {
        asts.iter().map(|ast| self.expression(ast)).collect()
    }

    fn any_expression(&mut self, ast: &ast::Expr) -> Result<Expr> {
        use ast::Expr as Ast;
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
                    return self.array(array, Some(element));
                }
                let expr = self.expression(expr)?;
                self.cast(expr, ty, typmod)?
            }
            Ast::BinaryOp { left, op, right } => self.binary(left, op, right)?,
            Ast::UnaryOp { op, expr } => self.unary(op, expr)?,
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
                not_if(Expr::new(Kind::And(vec![above, below]), TypeId::BOOL), *negated)
            }
            Ast::Like { negated, any, expr, pattern, escape_char } => {
                self.like(["~~", "!~~"], *negated, *any, expr, pattern, escape_char.as_deref())?
            }
            Ast::ILike { negated, any, expr, pattern, escape_char } => {
                self.like(["~~*", "!~~*"], *negated, *any, expr, pattern, escape_char.as_deref())?
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
                let found = Expr::new(Kind::Exists(Box::new(query)), TypeId::BOOL);
                not_if(found, *negated)
            }
            Ast::Subquery(query) => {
                let query = self.subquery(query)?;
                let [column] = query.columns.as_slice() else {
                    return Err(SqlError::syntax("subquery must return only one column"));
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
                        args.push(Expr::constant(Datum::Int(1), TypeId::INT4));
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

    /// A row constructor; its columns are called `f1`, `f2`, …
    pub(super) fn row(&mut self, items: Vec<Expr>) -> Result<Expr> {
        let items: Vec<Expr> =
            items.into_iter().map(|item| self.known(item)).collect::<Result<_>>()?;
        let fields = items.iter().enumerate().map(|(at, item)| Field {
            name: format!("f{}", at + 1),
            ty: item.ty,
            typmod: item.typmod,
        });
        let typmod = record::register(fields.collect());
        Ok(Expr { kind: Kind::Row(items), ty: TypeId::RECORD, typmod })
    }

    /// Names that are values, not columns.
    fn keyword(&mut self, ident: &Ident) -> Option<Result<Expr>> {
        if ident.quote_style.is_some() {
            return None;
        }
        let name = ident.value.to_ascii_lowercase();
        let function = match name.as_str() {
            "current_date" | "current_time" | "current_timestamp" | "localtime"
            | "localtimestamp" | "current_user" | "session_user" | "current_role" | "user"
            | "current_catalog" | "current_schema" => name.as_str(),
            "default" => {
                let text = "DEFAULT is not allowed in this context";
                return Some(Err(SqlError::syntax(text)));
            }
            _ => return None,
        };
        Some(self.call(function, Vec::new()))
    }

    /// `a.b`, `a.b.c`, also a field of a composite column.
    fn compound(&mut self, parts: &[Ident]) -> Result<Expr> {
        self.qualified(parts).map(|found| found.expr)
    }

    pub(super) fn literal(&mut self, value: &Value) -> Result<Expr> {
        let unknown = |text: &str| Expr::constant(Datum::text(text), TypeId::UNKNOWN);
        Ok(match value {
            Value::Null => Expr::constant(Datum::Null, TypeId::UNKNOWN),
            Value::Boolean(truth) => Expr::constant(Datum::Bool(*truth), TypeId::BOOL),
            Value::Number(text, _) => number(text)?,
            Value::SingleQuotedString(text)
            | Value::EscapedStringLiteral(text)
            | Value::UnicodeStringLiteral(text) => unknown(text),
            Value::NationalStringLiteral(text) => self.cast(unknown(text), TypeId::BPCHAR, -1)?,
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

    fn param(&mut self, name: &str) -> Result<Expr> {
        let number: usize = name
            .strip_prefix('$')
            .and_then(|digits| digits.parse().ok())
            .filter(|&number| number >= 1)
            .ok_or_else(|| SqlError::syntax(format!("syntax error at or near \"{name}\"")))?;
        if number > 65535 || (number > self.params.len() && !self.params_open) {
            let text = format!("there is no parameter ${number}");
            return Err(SqlError::new(SqlState::UNDEFINED_PARAMETER, text));
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
        let Some(first) = &interval.leading_field else {
            let value = crate::types::text::parse(&text, TypeId::INTERVAL, -1, &self.env)?;
            return Ok(Expr::constant(value, TypeId::INTERVAL));
        };
        let last = interval.last_field.as_ref().unwrap_or(first);
        let digits = interval.fractional_seconds_precision.or(interval.leading_precision);
        let digits = digits.map_or(0xffff, |digits| digits.min(6) as i32);
        let Some(mask) = interval_fields(first, last) else {
            return Err(SqlError::syntax(format!("syntax error at or near \"{first}\"")));
        };
        let literal = Expr::constant(Datum::text(text), TypeId::UNKNOWN);
        self.cast(literal, TypeId::INTERVAL, mask << 16 | digits)
    }

    pub(super) fn data_type(&self, ty: &ast::DataType) -> Result<(TypeId, i32)> {
        self.catalog.data_type(self.path, ty)
    }

    pub(super) fn element_of(&self, ty: TypeId) -> Option<TypeId> {
        builtin::element_of(ty).or_else(|| self.env.names.element_of(ty))
    }

    pub(super) fn array_of(&self, ty: TypeId) -> Result<TypeId> {
        builtin::array_of(ty).or_else(|| self.env.names.array_of(ty)).ok_or_else(|| {
            let text = format!("could not find array type for data type {}", self.type_name(ty));
            SqlError::new(SqlState::UNDEFINED_OBJECT, text)
        })
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
        Ok(Expr::new(if and { Kind::And(all) } else { Kind::Or(all) }, TypeId::BOOL))
    }

    fn compare_or_call(&mut self, left: &ast::Expr, op: &str, right: &ast::Expr) -> Result<Expr> {
        let (left, right) = (row_of(left), row_of(right));
        if let (Some(left), Some(right)) = (&left.row, &right.row) {
            let (left, right) = (self.all(left)?, self.all(right)?);
            return self.row_compare(left, op, right);
        }
        if let (Some(fields), ast::Expr::Subquery(query)) = (&left.row, right.expr) {
            return self.row_against_query(fields, op, query);
        }
        let left = self.expression(left.expr)?;
        let right = self.expression(right.expr)?;
        self.operator(op, Some(left), right)
    }

    fn row_against_query(
        &mut self,
        fields: &[ast::Expr],
        op: &str,
        query: &ast::Query,
    ) -> Result<Expr> {
        let left = self.all(fields)?;
        let query = self.subquery(query)?;
        self.any_of_query(left, op, query, false)
    }

    fn row_compare(&mut self, left: Vec<Expr>, op: &str, right: Vec<Expr>) -> Result<Expr> {
        if left.len() != right.len() {
            return Err(SqlError::syntax("unequal number of entries in row expressions"));
        }
        if op == "OVERLAPS" {
            let args = left.into_iter().chain(right).collect();
            return self.call("overlaps", args);
        }
        let pairs = left.into_iter().zip(right);
        if op == "=" || op == "<>" {
            let all: Result<Vec<Expr>> =
                pairs.map(|(left, right)| self.operator(op, Some(left), right)).collect();
            let kind = if op == "=" { Kind::And(all?) } else { Kind::Or(all?) };
            return Ok(Expr::new(kind, TypeId::BOOL));
        }
        if !["<", "<=", ">", ">="].contains(&op) {
            return Err(SqlError::unsupported(format!("the row operator {op}")));
        }
        let (mut lefts, mut rights, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        for (left, right) in pairs {
            let strict = &op[..1];
            let equal = self.operator("=", Some(left.clone()), right.clone())?;
            let less = self.operator(strict, Some(left), right)?;
            match (equal.kind, less.kind) {
                (Kind::Call { function: equal, .. }, Kind::Call { function: less, args }) => {
                    let [left, right]: [Expr; 2] = args
                        .try_into()
                        .map_err(|_| SqlError::unsupported("this row comparison"))?;
                    lefts.push(left);
                    rights.push(right);
                    functions.push((equal, less));
                }
                _ => return Err(SqlError::unsupported("this row comparison")),
            }
        }
        let kind = Kind::RowCompare { left: lefts, right: rights, op: op.to_owned(), functions };
        Ok(Expr::new(kind, TypeId::BOOL))
    }

    fn unary(&mut self, op: &UnaryOperator, operand: &ast::Expr) -> Result<Expr> {
        let name = match op {
            UnaryOperator::Not => {
                let operand = self.expression(operand)?;
                let operand = self.boolean(operand, "NOT")?;
                return Ok(Expr::new(Kind::Not(Box::new(operand)), TypeId::BOOL));
            }
            UnaryOperator::Plus => "+",
            UnaryOperator::Minus => {
                if let Some(text) = signed(operand) {
                    return number(&negated(&text));
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

    fn is_null(&mut self, operand: &ast::Expr, negated: bool) -> Result<Expr> {
        let operand = self.expression(operand)?;
        let operand = self.known(operand)?;
        Ok(Expr::new(Kind::IsNull(Box::new(operand), negated), TypeId::BOOL))
    }

    fn is_truth(
        &mut self,
        operand: &ast::Expr,
        truth: Option<bool>,
        negated: bool,
    ) -> Result<Expr> {
        let operand = self.expression(operand)?;
        let what = match truth {
            Some(true) => "IS TRUE",
            Some(false) => "IS FALSE",
            None => "IS UNKNOWN",
        };
        let operand = self.boolean(operand, what)?;
        Ok(Expr::new(Kind::IsTruth(Box::new(operand), truth, negated), TypeId::BOOL))
    }

    fn distinct(&mut self, left: &ast::Expr, right: &ast::Expr, negated: bool) -> Result<Expr> {
        let (left, right) = (self.expression(left)?, self.expression(right)?);
        let (left, right, function) = self.equality(left, right)?;
        let kind = Kind::Distinct(Box::new(left), Box::new(right), function, negated);
        Ok(Expr::new(kind, TypeId::BOOL))
    }

    /// Two operands and the equality between them.
    pub(super) fn equality(
        &mut self,
        left: Expr,
        right: Expr,
    ) -> Result<(Expr, Expr, &'static crate::functions::Function)> {
        let equal = self.operator("=", Some(left), right)?;
        if let Kind::Call { function, args } = equal.kind
            && let Ok([left, right]) = <[Expr; 2]>::try_from(args)
        {
            return Ok((left, right, function));
        }
        Err(SqlError::unsupported("this comparison"))
    }

    fn in_list(&mut self, expr: &ast::Expr, list: &[ast::Expr], negated: bool) -> Result<Expr> {
        if let Some(fields) = row_of(expr).row {
            let mut any = Vec::with_capacity(list.len());
            for item in list {
                let (left, right) = (self.all(&fields)?, row_of(item).row);
                let Some(right) = right else {
                    return Err(SqlError::syntax("unequal number of entries in row expressions"));
                };
                let right = self.all(&right)?;
                any.push(self.row_compare(left, "=", right)?);
            }
            return Ok(not_if(Expr::new(Kind::Or(any), TypeId::BOOL), negated));
        }
        let expr = self.expression(expr)?;
        let items = self.all(list)?;
        let mut types = vec![expr.ty];
        types.extend(items.iter().map(|item| item.ty));
        // One common type makes it one equality; otherwise each item has its own.
        if let Ok(ty) = resolve::common_type(&types, "IN", self.env.names) {
            let probe = Expr::new(Kind::Const(Datum::Null), ty);
            let expr = self.implicit(expr, ty)?;
            let items: Result<Vec<Expr>> =
                items.into_iter().map(|item| self.implicit(item, ty)).collect();
            let (_, probed, equal) = self.equality(expr.clone(), probe)?;
            let to = probed.ty;
            let expr = self.implicit(expr, to)?;
            let list: Result<Vec<Expr>> =
                items?.into_iter().map(|item| self.implicit(item, to)).collect();
            let kind = Kind::InList { expr: Box::new(expr), list: list?, equal, negated };
            return Ok(Expr::new(kind, TypeId::BOOL));
        }
        let any: Result<Vec<Expr>> =
            items.into_iter().map(|item| self.operator("=", Some(expr.clone()), item)).collect();
        Ok(not_if(Expr::new(Kind::Or(any?), TypeId::BOOL), negated))
    }

    fn like(
        &mut self,
        ops: [&str; 2],
        negated: bool,
        any: bool,
        expr: &ast::Expr,
        pattern: &ast::Expr,
        escape: Option<&ast::Expr>,
    ) -> Result<Expr> {
        if any {
            return Err(SqlError::unsupported("LIKE ANY without an array"));
        }
        let expr = self.expression(expr)?;
        let mut pattern = self.expression(pattern)?;
        if let Some(escape) = escape {
            let escape = self.expression(escape)?;
            pattern = self.call("like_escape", vec![pattern, escape])?;
        }
        self.operator(ops[usize::from(negated)], Some(expr), pattern)
    }

    fn any_op(
        &mut self,
        left: &ast::Expr,
        op: &BinaryOperator,
        right: &ast::Expr,
        all: bool,
    ) -> Result<Expr> {
        let op = operator_name(op)?;
        let inner = match right {
            ast::Expr::Nested(inner) => inner,
            other => other,
        };
        if let ast::Expr::Subquery(query) = inner {
            return self.any_query(left, &op, query, all);
        }
        let left = self.expression(left)?;
        let mut array = self.expression(inner)?;
        if array.ty == TypeId::UNKNOWN {
            let element = if left.ty == TypeId::UNKNOWN { TypeId::TEXT } else { left.ty };
            let ty = self.array_of(element)?;
            array = self.implicit(array, ty)?;
        }
        let Some(element) = self.element_of(array.ty) else {
            let text = "op ANY/ALL (array) requires array on right side";
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, text));
        };
        let found = resolve::resolve_operator(&op, Some(left.ty), element, self.env.names)?;
        let left = self.implicit(left, found.args[0])?;
        if found.args[1] != element {
            let ty = self.array_of(found.args[1])?;
            array = self.cast(array, ty, -1)?;
        }
        let (left, array) = (Box::new(left), Box::new(array));
        let kind = Kind::AnyArray { left, array, function: found.function, all };
        Ok(Expr::new(kind, TypeId::BOOL))
    }

    fn any_query(
        &mut self,
        left: &ast::Expr,
        op: &str,
        query: &ast::Query,
        all: bool,
    ) -> Result<Expr> {
        let left = match row_of(left).row {
            Some(fields) => self.all(&fields)?,
            None => vec![self.expression(left)?],
        };
        let query = self.subquery(query)?;
        self.any_of_query(left, op, query, all)
    }

    fn any_of_query(
        &mut self,
        left: Vec<Expr>,
        op: &str,
        mut query: super::expr::Query,
        all: bool,
    ) -> Result<Expr> {
        if left.len() != query.columns.len() {
            let text = match left.len() < query.columns.len() {
                true => "subquery has too many columns",
                false => "subquery has too few columns",
            };
            return Err(SqlError::syntax(text));
        }
        let (mut lefts, mut functions) = (Vec::new(), Vec::new());
        for (at, left) in left.into_iter().enumerate() {
            let ty = query.columns[at].ty;
            let found = resolve::resolve_operator(op, Some(left.ty), ty, self.env.names)?;
            lefts.push(self.implicit(left, found.args[0])?);
            self.convert_column(&mut query, at, found.args[1])?;
            functions.push(found.function);
        }
        let (query, op) = (Box::new(query), op.to_owned());
        let kind = Kind::AnyQuery { left: lefts, query, functions, op, all };
        Ok(Expr::new(kind, TypeId::BOOL))
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

    fn array(&mut self, array: &ast::Array, element: Option<TypeId>) -> Result<Expr> {
        let nested = array.elem.iter().any(|item| matches!(item, ast::Expr::Array(_)));
        let mut items = Vec::with_capacity(array.elem.len());
        for item in &array.elem {
            items.push(match item {
                ast::Expr::Array(inner) => self.array(inner, element)?,
                item => self.expression(item)?,
            });
        }
        if nested {
            let (items, ty, _) = self.unify(items, "ARRAY")?;
            return Ok(Expr::new(Kind::Array { items, nested: true }, ty));
        }
        let (items, element, typmod) = match element {
            Some(element) => {
                let items: Result<Vec<Expr>> =
                    items.into_iter().map(|item| self.cast(item, element, -1)).collect();
                (items?, element, -1)
            }
            None if items.is_empty() => {
                return Err(SqlError::new(
                    SqlState::INDETERMINATE_DATATYPE,
                    "cannot determine type of empty array",
                )
                .hint("Explicitly cast to the desired type, for example ARRAY[]::integer[]."));
            }
            None => {
                let (items, ty, typmod) = self.unify(items, "ARRAY")?;
                (items, ty, typmod)
            }
        };
        // Items that are arrays themselves make one more dimension.
        if self.element_of(element).is_some() {
            return Ok(Expr::new(Kind::Array { items, nested: true }, element));
        }
        let ty = self.array_of(element)?;
        let typmod = if element == TypeId::RECORD { typmod } else { -1 };
        Ok(Expr { kind: Kind::Array { items, nested: false }, ty, typmod })
    }

    fn access(&mut self, root: &ast::Expr, chain: &[AccessExpr]) -> Result<Expr> {
        let mut chain = chain;
        let mut found = match root {
            // `table.column[1]` is parsed as an access to `table`.
            ast::Expr::Identifier(table) if matches!(chain.first(), Some(AccessExpr::Dot(_))) => {
                let mut parts = vec![table.clone()];
                while let Some(AccessExpr::Dot(ast::Expr::Identifier(part))) = chain.first() {
                    parts.push(part.clone());
                    chain = &chain[1..];
                }
                self.qualified(&parts)?.expr
            }
            _ => self.expression(root)?,
        };
        let mut chain = chain.iter().peekable();
        while let Some(access) = chain.next() {
            found = match access {
                AccessExpr::Dot(ast::Expr::Identifier(field)) => self.field(found, &fold(field))?,
                AccessExpr::Dot(_) => return Err(SqlError::unsupported("this field access")),
                AccessExpr::Subscript(first) => {
                    if found.ty == TypeId::JSONB {
                        let ast::Subscript::Index { index } = first else {
                            let text = "jsonb subscript does not support slices";
                            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, text));
                        };
                        let index = self.expression(index)?;
                        self.operator("->", Some(found), index)?
                    } else {
                        let mut subscripts = vec![self.subscript(first)?];
                        while let Some(AccessExpr::Subscript(next)) = chain.peek() {
                            subscripts.push(self.subscript(next)?);
                            chain.next();
                        }
                        self.subscripted(found, subscripts)?
                    }
                }
            };
        }
        Ok(found)
    }

    pub(super) fn subscript(&mut self, subscript: &ast::Subscript) -> Result<Subscript> {
        let mut integer = |ast: &ast::Expr| {
            let bound = self.expression(ast)?;
            self.assign(bound, TypeId::INT4, -1, "subscript")
        };
        Ok(match subscript {
            ast::Subscript::Index { index } => Subscript::Index(integer(index)?),
            ast::Subscript::Slice { lower_bound, upper_bound, stride } => {
                if stride.is_some() {
                    return Err(SqlError::syntax("array slices have no stride"));
                }
                let low = lower_bound.as_ref().map(&mut integer).transpose()?;
                let high = upper_bound.as_ref().map(&mut integer).transpose()?;
                Subscript::Slice(low, high)
            }
        })
    }

    /// A name is an array of characters, too, which counts from 0.
    fn letter_of_name(&mut self, name: Expr, at: Expr) -> Result<Expr> {
        let one = || Expr::constant(Datum::Int(1), TypeId::INT4);
        let text = self.cast(name, TypeId::TEXT, -1)?;
        let at = self.operator("+", Some(at), one())?;
        let letter = self.call("substr", vec![text, at, one()])?;
        self.cast(letter, TypeId::CHAR, -1)
    }

    fn subscripted(&mut self, array: Expr, subscripts: Vec<Subscript>) -> Result<Expr> {
        let array = self.undomained(array);
        if let (TypeId::NAME, [Subscript::Index(at)]) = (array.ty, &subscripts[..]) {
            return self.letter_of_name(array, at.clone());
        }
        let slice = subscripts.iter().any(|subscript| matches!(subscript, Subscript::Slice(..)));
        let Some(element) = self.element_of(array.ty) else {
            let text = format!(
                "cannot subscript type {} because it does not support subscripting",
                self.type_name(array.ty)
            );
            return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, text));
        };
        let ty = if slice { array.ty } else { element };
        let typmod = if element == TypeId::RECORD { array.typmod } else { -1 };
        Ok(Expr { kind: Kind::Subscript { array: Box::new(array), subscripts }, ty, typmod })
    }

    /// A field of a row.
    fn field(&mut self, row: Expr, name: &str) -> Result<Expr> {
        if let Kind::WholeRow { depth, source } = row.kind {
            let scope = &self.scopes[self.scopes.len() - 1 - depth];
            let columns = &scope.sources[source].columns;
            if let Some(at) = columns.iter().position(|c| !c.hidden && c.name == name) {
                return Ok(columns[at].expr(depth, source, at));
            }
        }
        let column = self.env.names.row_shape(row.ty, row.typmod).and_then(|fields| {
            let at = fields.iter().position(|field| field.name == name)?;
            fields.get(at).map(|field| (at, field.ty, field.typmod))
        });
        match column {
            Some((at, ty, typmod)) => Ok(Expr { kind: Kind::Field(Box::new(row), at), ty, typmod }),
            None => {
                let text = match row.ty {
                    TypeId::RECORD => {
                        format!("could not identify column \"{name}\" in record data type")
                    }
                    ty => {
                        format!("column \"{name}\" not found in data type {}", self.type_name(ty))
                    }
                };
                Err(SqlError::new(SqlState::UNDEFINED_COLUMN, text))
            }
        }
    }

    fn rounded(&mut self, name: &str, operand: &ast::Expr, field: &CeilFloorKind) -> Result<Expr> {
        if !matches!(field, CeilFloorKind::DateTimeField(DateTimeField::NoDateTime)) {
            return Err(SqlError::unsupported(format!("{name} with a field or scale")));
        }
        let operand = self.expression(operand)?;
        self.call(name, vec![operand])
    }

    /// Binds a subquery of an expression.
    pub(super) fn subquery(&mut self, query: &ast::Query) -> Result<super::expr::Query> {
        self.query(query)
    }
}

/// A row constructor, if the expression is one.
struct RowOf<'a> {
    expr: &'a ast::Expr,
    row: Option<Cow<'a, [ast::Expr]>>,
}

fn row_of(expr: &ast::Expr) -> RowOf<'_> {
    match expr {
        ast::Expr::Function(function) => RowOf { expr, row: row_call(function).map(Cow::Owned) },
        ast::Expr::Tuple(fields) => RowOf { expr, row: Some(Cow::Borrowed(fields)) },
        ast::Expr::Nested(inner) => match &**inner {
            ast::Expr::Tuple(fields) => RowOf { expr: inner, row: Some(Cow::Borrowed(fields)) },
            ast::Expr::Subquery(_) => RowOf { expr: inner, row: None },
            _ => RowOf { expr, row: None },
        },
        _ => RowOf { expr, row: None },
    }
}

/// The fields of `ROW(…)`.
fn row_call(function: &ast::Function) -> Option<Vec<ast::Expr>> {
    let [name] = function.name.0.as_slice() else { return None };
    if name.as_ident().is_none_or(|name| fold(name) != "row") {
        return None;
    }
    let ast::FunctionArguments::List(list) = &function.args else { return None };
    let fields = list.args.iter().map(|arg| match arg {
        ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(field)) => Some(field.clone()),
        _ => None,
    });
    fields.collect()
}

pub(super) fn not_if(expr: Expr, negated: bool) -> Expr {
    match negated {
        true => Expr::new(Kind::Not(Box::new(expr)), TypeId::BOOL),
        false => expr,
    }
}

/// The digits of a constant with its sign, parentheses aside.
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

/// A number: integer, bigint or numeric, whichever fits first.
fn number(text: &str) -> Result<Expr> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(value) = text.parse::<i64>()
    {
        let ty = if i32::try_from(value).is_ok() { TypeId::INT4 } else { TypeId::INT8 };
        return Ok(Expr::constant(Datum::Int(value), ty));
    }
    if digits.contains('_') {
        let text = format!("trailing junk after numeric literal at or near \"{digits}\"");
        return Err(SqlError::syntax(text));
    }
    let value = text.parse::<Numeric>()?;
    Ok(Expr::constant(Datum::Numeric(value), TypeId::NUMERIC))
}

/// The symbol of an operator.
pub(super) fn operator_name(op: &BinaryOperator) -> Result<String> {
    Ok(match op {
        BinaryOperator::NotEq => "<>".to_owned(),
        // `#` is exclusive or, `^` is power.
        BinaryOperator::PGBitwiseXor => "#".to_owned(),
        BinaryOperator::BitwiseXor | BinaryOperator::PGExp => "^".to_owned(),
        BinaryOperator::PGCustomBinaryOperator(parts) => parts.last().cloned().unwrap_or_default(),
        BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => {
            return Err(SqlError::unsupported(format!("the operator {op} here")));
        }
        other => other.to_string(),
    })
}

/// The bits of the fields between two in an interval's typmod.
fn interval_fields(first: &DateTimeField, last: &DateTimeField) -> Option<i32> {
    let fields =
        [("year", 2), ("month", 1), ("day", 3), ("hour", 10), ("minute", 11), ("second", 12)];
    let place = |field: &DateTimeField| {
        let name = field_name(field);
        fields.iter().position(|(known, _)| *known == name.trim_end_matches('s'))
    };
    let (first, last) = (place(first)?, place(last)?);
    let named = fields.get(first..=last)?;
    let ranges = first == last || (first < 2) == (last < 2);
    ranges.then(|| named.iter().map(|(_, bit)| 1 << bit).sum())
}

/// The name of a field of a date or time.
pub(super) fn field_name(field: &DateTimeField) -> String {
    match field {
        DateTimeField::Custom(name) => name.value.to_lowercase(),
        DateTimeField::Week(_) => "week".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}

/// The beginning of an expression's text, for messages.
pub(super) fn brief(expr: &ast::Expr) -> String {
    let text = expr.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
