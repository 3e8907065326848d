//! Walking expressions and queries of the schema: which columns and relations they name, and renaming.
//!
//! The same walk is needed for looking and for changing, so one macro writes both. A name of a WITH
//! query is no relation; the walk keeps those in force.

use sqlparser::ast::{
    AccessExpr, Distinct, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, GroupByExpr, Ident, JoinConstraint, JoinOperator, LimitClause, ObjectName,
    OrderByExpr, OrderByKind, Query, Select, SelectItem, SetExpr, Subscript, TableAlias,
    TableFactor, TableWithJoins, Value, WindowSpec, WindowType,
};

use super::names::folded;

macro_rules! walker {
    ($module:ident, $visitor:ident $(, $m:tt)?) => {
        /// Who is called on the way.
        pub(crate) trait $visitor {
            /// Called with every expression before what is inside it.
            fn expr(&mut self, _expr: & $($m)? Expr) {}
            /// Called with every SELECT before what is inside it.
            fn select(&mut self, _select: & $($m)? Select) {}
            /// Called with every name of a relation that is read, and its alias.
            fn relation(&mut self, _name: & $($m)? ObjectName, _alias: & $($m)? Option<TableAlias>) {}
        }

        /// The walk.
        pub(crate) mod $module {
            use super::*;

            /// Walks an expression.
            pub(crate) fn expr(e: & $($m)? Expr, v: &mut dyn $visitor) {
                Walk { names: Vec::new(), v }.expr(e);
            }

            /// Walks a query.
            pub(crate) fn query(q: & $($m)? Query, v: &mut dyn $visitor) {
                Walk { names: Vec::new(), v }.query(q);
            }

            /// Walks the body of a query.
            #[allow(dead_code)]
            pub(crate) fn body(b: & $($m)? SetExpr, v: &mut dyn $visitor) {
                Walk { names: Vec::new(), v }.body(b);
            }

            struct Walk<'v> {
                names: Vec<String>,
                v: &'v mut dyn $visitor,
            }

            impl Walk<'_> {
                fn expr(&mut self, e: & $($m)? Expr) {
                    self.v.expr(e);
                    match e {
                        Expr::CompoundFieldAccess { root, access_chain } => {
                            self.expr(root);
                            for access in access_chain {
                                match access {
                                    AccessExpr::Dot(_) => {}
                                    AccessExpr::Subscript(Subscript::Index { index }) => self.expr(index),
                                    AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, stride }) => {
                                        for e in [lower_bound, upper_bound, stride].into_iter().flatten() {
                                            self.expr(e);
                                        }
                                    }
                                }
                            }
                        }
                        Expr::JsonAccess { value: e, .. }
                        | Expr::IsFalse(e) | Expr::IsNotFalse(e) | Expr::IsTrue(e) | Expr::IsNotTrue(e)
                        | Expr::IsNull(e) | Expr::IsNotNull(e) | Expr::IsUnknown(e) | Expr::IsNotUnknown(e)
                        | Expr::IsNormalized { expr: e, .. } | Expr::UnaryOp { expr: e, .. }
                        | Expr::Cast { expr: e, .. } | Expr::Extract { expr: e, .. }
                        | Expr::Ceil { expr: e, .. } | Expr::Floor { expr: e, .. }
                        | Expr::Collate { expr: e, .. } | Expr::Nested(e) | Expr::Prefixed { value: e, .. }
                        | Expr::Named { expr: e, .. } => self.expr(e),
                        Expr::IsDistinctFrom(a, b) | Expr::IsNotDistinctFrom(a, b)
                        | Expr::BinaryOp { left: a, right: b, .. }
                        | Expr::AnyOp { left: a, right: b, .. } | Expr::AllOp { left: a, right: b, .. }
                        | Expr::AtTimeZone { timestamp: a, time_zone: b }
                        | Expr::Position { expr: a, r#in: b }
                        | Expr::InUnnest { expr: a, array_expr: b, .. }
                        | Expr::RLike { expr: a, pattern: b, .. } => {
                            self.expr(a);
                            self.expr(b);
                        }
                        Expr::InList { expr, list, .. } => {
                            self.expr(expr);
                            for e in list {
                                self.expr(e);
                            }
                        }
                        Expr::InSubquery { expr, subquery, .. } => {
                            self.expr(expr);
                            self.query(subquery);
                        }
                        Expr::Between { expr, low, high, .. } => {
                            self.expr(expr);
                            self.expr(low);
                            self.expr(high);
                        }
                        Expr::Like { expr, pattern, escape_char, .. }
                        | Expr::ILike { expr, pattern, escape_char, .. }
                        | Expr::SimilarTo { expr, pattern, escape_char, .. } => {
                            self.expr(expr);
                            self.expr(pattern);
                            if let Some(e) = escape_char {
                                self.expr(e);
                            }
                        }
                        Expr::Substring { expr, substring_from, substring_for, .. } => {
                            self.expr(expr);
                            for e in [substring_from, substring_for].into_iter().flatten() {
                                self.expr(e);
                            }
                        }
                        Expr::Trim { trim_what, expr, trim_characters, .. } => {
                            self.expr(expr);
                            if let Some(e) = trim_what {
                                self.expr(e);
                            }
                            if let Some(list) = trim_characters {
                                for e in list {
                                    self.expr(e);
                                }
                            }
                        }
                        Expr::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                            self.expr(expr);
                            self.expr(overlay_what);
                            self.expr(overlay_from);
                            if let Some(e) = overlay_for {
                                self.expr(e);
                            }
                        }
                        Expr::Function(call) => self.function(call),
                        Expr::Case { operand, conditions, else_result, .. } => {
                            if let Some(e) = operand {
                                self.expr(e);
                            }
                            for when in conditions {
                                self.expr(& $($m)? when.condition);
                                self.expr(& $($m)? when.result);
                            }
                            if let Some(e) = else_result {
                                self.expr(e);
                            }
                        }
                        Expr::Exists { subquery, .. } | Expr::Subquery(subquery) => self.query(subquery),
                        Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
                            for e in sets.into_iter().flatten() {
                                self.expr(e);
                            }
                        }
                        Expr::Tuple(list) => {
                            for e in list {
                                self.expr(e);
                            }
                        }
                        Expr::Array(array) => {
                            for e in & $($m)? array.elem {
                                self.expr(e);
                            }
                        }
                        Expr::Interval(interval) => self.expr(& $($m)? interval.value),
                        _ => {}
                    }
                }

                fn function(&mut self, call: & $($m)? Function) {
                    match & $($m)? call.args {
                        FunctionArguments::None => {}
                        FunctionArguments::Subquery(query) => self.query(query),
                        FunctionArguments::List(list) => {
                            for arg in & $($m)? list.args {
                                self.argument(arg);
                            }
                            for clause in & $($m)? list.clauses {
                                match clause {
                                    FunctionArgumentClause::OrderBy(list) => self.order(list),
                                    FunctionArgumentClause::Where(e) => self.expr(e),
                                    _ => {}
                                }
                            }
                        }
                    }
                    self.order(& $($m)? call.within_group);
                    if let Some(e) = & $($m)? call.filter {
                        self.expr(e);
                    }
                    if let Some(WindowType::WindowSpec(spec)) = & $($m)? call.over {
                        self.window(spec);
                    }
                }

                fn window(&mut self, spec: & $($m)? WindowSpec) {
                    for e in & $($m)? spec.partition_by {
                        self.expr(e);
                    }
                    self.order(& $($m)? spec.order_by);
                }

                fn argument(&mut self, arg: & $($m)? FunctionArg) {
                    let (FunctionArg::Named { arg, .. }
                    | FunctionArg::ExprNamed { arg, .. }
                    | FunctionArg::Unnamed(arg)) = arg;
                    if let FunctionArgExpr::Expr(e) = arg {
                        self.expr(e);
                    }
                }

                fn order(&mut self, list: & $($m)? Vec<OrderByExpr>) {
                    for by in list {
                        self.expr(& $($m)? by.expr);
                    }
                }

                fn query(&mut self, q: & $($m)? Query) {
                    let depth = self.names.len();
                    if let Some(with) = & $($m)? q.with {
                        if with.recursive {
                            for cte in & with.cte_tables {
                                self.names.push(folded(&cte.alias.name).into_owned());
                            }
                        }
                        for cte in & $($m)? with.cte_tables {
                            self.query(& $($m)? cte.query);
                            self.names.push(folded(&cte.alias.name).into_owned());
                        }
                    }
                    self.body(& $($m)? q.body);
                    if let Some(order) = & $($m)? q.order_by {
                        if let OrderByKind::Expressions(list) = & $($m)? order.kind {
                            self.order(list);
                        }
                    }
                    match & $($m)? q.limit_clause {
                        Some(LimitClause::LimitOffset { limit, offset, .. }) => {
                            if let Some(e) = limit {
                                self.expr(e);
                            }
                            if let Some(offset) = offset {
                                self.expr(& $($m)? offset.value);
                            }
                        }
                        Some(LimitClause::OffsetCommaLimit { offset, limit }) => {
                            self.expr(offset);
                            self.expr(limit);
                        }
                        None => {}
                    }
                    self.names.truncate(depth);
                }

                fn body(&mut self, body: & $($m)? SetExpr) {
                    match body {
                        SetExpr::Select(select) => self.select(select),
                        SetExpr::Query(query) => self.query(query),
                        SetExpr::SetOperation { left, right, .. } => {
                            self.body(left);
                            self.body(right);
                        }
                        SetExpr::Values(values) => {
                            for row in & $($m)? values.rows {
                                for e in & $($m)? row.content {
                                    self.expr(e);
                                }
                            }
                        }
                        _ => {}
                    }
                }

                fn select(&mut self, select: & $($m)? Select) {
                    self.v.select(select);
                    if let Some(Distinct::On(list)) = & $($m)? select.distinct {
                        for e in list {
                            self.expr(e);
                        }
                    }
                    for item in & $($m)? select.projection {
                        match item {
                            SelectItem::UnnamedExpr(e) | SelectItem::ExprWithAlias { expr: e, .. } => self.expr(e),
                            _ => {}
                        }
                    }
                    for table in & $($m)? select.from {
                        self.joined(table);
                    }
                    for e in [& $($m)? select.selection, & $($m)? select.having].into_iter().flatten() {
                        self.expr(e);
                    }
                    if let GroupByExpr::Expressions(list, _) = & $($m)? select.group_by {
                        for e in list {
                            self.expr(e);
                        }
                    }
                    for named in & $($m)? select.named_window {
                        if let sqlparser::ast::NamedWindowExpr::WindowSpec(spec) = & $($m)? named.1 {
                            self.window(spec);
                        }
                    }
                }

                fn joined(&mut self, table: & $($m)? TableWithJoins) {
                    self.factor(& $($m)? table.relation);
                    for join in & $($m)? table.joins {
                        self.factor(& $($m)? join.relation);
                        match & $($m)? join.join_operator {
                            JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::Left(on)
                            | JoinOperator::LeftOuter(on) | JoinOperator::Right(on)
                            | JoinOperator::RightOuter(on) | JoinOperator::FullOuter(on)
                            | JoinOperator::CrossJoin(on) => {
                                if let JoinConstraint::On(e) = on {
                                    self.expr(e);
                                }
                            }
                            _ => {}
                        }
                    }
                }

                fn factor(&mut self, factor: & $($m)? TableFactor) {
                    match factor {
                        TableFactor::Table { name, alias, args: None, .. } => {
                            let local = name.0.len() == 1
                                && name.0[0].as_ident().is_some_and(|i| {
                                    let name = folded(i);
                                    self.names.iter().any(|n| *n == name)
                                });
                            if !local {
                                self.v.relation(name, alias);
                            }
                        }
                        TableFactor::Table { args: Some(args), .. } => {
                            for arg in & $($m)? args.args {
                                self.argument(arg);
                            }
                        }
                        TableFactor::Function { args, .. } => {
                            for arg in args {
                                self.argument(arg);
                            }
                        }
                        TableFactor::Derived { subquery, .. } => self.query(subquery),
                        TableFactor::TableFunction { expr, .. } => self.expr(expr),
                        TableFactor::UNNEST { array_exprs, .. } => {
                            for e in array_exprs {
                                self.expr(e);
                            }
                        }
                        TableFactor::NestedJoin { table_with_joins, .. } => self.joined(table_with_joins),
                        _ => {}
                    }
                }
            }
        }
    };
}

walker!(look, Look);
walker!(change, Change, mut);

/// The names of columns an expression mentions, folded, without repeats.
pub(crate) fn columns(expr: &Expr) -> Vec<String> {
    struct Columns(Vec<String>);
    impl Look for Columns {
        fn expr(&mut self, expr: &Expr) {
            let ident = match expr {
                Expr::Identifier(ident) => Some(ident),
                Expr::CompoundIdentifier(parts) => parts.last(),
                _ => None,
            };
            if let Some(ident) = ident {
                let name = folded(ident);
                if !self.0.iter().any(|n| *n == name) {
                    self.0.push(name.into_owned());
                }
            }
        }
    }
    let mut found = Columns(Vec::new());
    look::expr(expr, &mut found);
    found.0
}

/// Replaces a string constant wherever it stands.
pub(crate) fn rename_literal(expr: &mut Expr, from: &str, to: &str) {
    struct Rename<'a>(&'a str, &'a str);
    impl Change for Rename<'_> {
        fn expr(&mut self, expr: &mut Expr) {
            if let Expr::Value(value) = expr
                && let Value::SingleQuotedString(text) = &mut value.value
                && text == self.0
            {
                self.1.clone_into(text);
            }
        }
    }
    change::expr(expr, &mut Rename(from, to));
}

/// Gives a column a new name in an expression.
pub(crate) fn rename_column(expr: &mut Expr, from: &str, to: &str) {
    struct Rename<'a>(&'a str, &'a str);
    impl Change for Rename<'_> {
        fn expr(&mut self, expr: &mut Expr) {
            let ident = match expr {
                Expr::Identifier(ident) => Some(ident),
                Expr::CompoundIdentifier(parts) => parts.last_mut(),
                _ => None,
            };
            if let Some(ident) = ident
                && folded(ident) == self.0
            {
                *ident = Ident::with_quote('"', self.1);
            }
        }
    }
    change::expr(expr, &mut Rename(from, to));
}

/// The argument of a call to `nextval` and the like, to change.
pub(crate) fn sequence_argument(expr: &mut Expr) -> Option<&mut String> {
    let Expr::Function(call) = expr else { return None };
    let name = folded(call.name.0.last()?.as_ident()?);
    if !matches!(&*name, "nextval" | "currval" | "setval") {
        return None;
    }
    let FunctionArguments::List(list) = &mut call.args else { return None };
    let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))) = list.args.first_mut() else {
        return None;
    };
    let mut arg = arg;
    loop {
        match arg {
            Expr::Value(value) => match &mut value.value {
                Value::SingleQuotedString(text) => return Some(text),
                _ => return None,
            },
            Expr::Cast { expr, .. } | Expr::Nested(expr) => arg = expr,
            _ => return None,
        }
    }
}
