//! SELECT: the select list, grouping, ordering, DISTINCT.
//!
//! The clauses are bound in the order in which they see each other: FROM opens the scope, WHERE sees its columns, GROUP
//! BY names expressions of the select list by place or alias, the select list and HAVING find the keys again by how they
//! are written (`alike.rs`), and ORDER BY sees the output columns first. Aggregates, windows and set-returning calls are
//! collected in the scope as they are met, and stand in the tree as columns of sources after the query's own: what is
//! left over an aggregate is an expression over one more tuple.
//!
//! Conditions of WHERE and of inner joins are one list of conjuncts, from which `from.rs` gives each source those that
//! need it last.

use sqlparser::ast::{
    self, GroupByExpr, GroupByWithModifier, SelectItem, SelectItemQualifiedWildcardKind,
};

use super::Binder;
use super::aggregate::{Groupings, direction};
use super::alike::alike;
use super::bound::{ColumnRef, Distinct, Expr, Group, Kind, OutputColumn, Select, SortKey};
use super::conjunct::split;
use super::from::{Tree, star};
use super::scope::{Clause, NamedColumn, Scope};
use super::visit::{visit, visit_set, visit_window};
use hobgoblin_sql_schema::catalog::same_name;
use hobgoblin_sql_schema::{Binding, Result, SqlError};
use hobgoblin_sql_value::{Datum, TypeId};

/// GROUP BY, bound: its keys, the grouping sets if there are several, and whether these are those
/// of WITH ROLLUP.
pub(super) struct Keys {
    pub(super) keys: Vec<Expr>,
    pub(super) sets: Option<Vec<Vec<usize>>>,
    pub(super) rollup: bool,
}

/// A SELECT, bound, with the columns of its result and what it is sorted by.
pub(super) struct BoundSelect {
    pub(super) select: Select,
    pub(super) columns: Vec<OutputColumn>,
    pub(super) order: Vec<SortKey>,
}

impl Binder<'_> {
    pub(super) fn select(
        &mut self,
        ast: &ast::Select,
        order: &[ast::OrderByExpr],
        keep_unknown: bool,
    ) -> Result<BoundSelect> {
        refuse_foreign_syntax(ast)?;
        let reach = std::mem::take(&mut self.reach);
        self.scopes.push(Scope { reach, ..Scope::default() });
        let bound = self.select_in_scope(ast, order, keep_unknown);
        self.scopes.pop();
        bound
    }

    fn select_in_scope(
        &mut self,
        ast: &ast::Select,
        order: &[ast::OrderByExpr],
        keep_unknown: bool,
    ) -> Result<BoundSelect> {
        self.scope().clause = Clause::From;
        let tree = self.from(&ast.from)?;
        let mut conditions = Vec::new();
        if let Some(selection) = &ast.selection {
            self.scope().clause = Clause::Where;
            let selection = self.expression(selection)?;
            let selection = self.boolean(selection, "WHERE")?;
            split(selection, &mut conditions);
        }
        self.scope().clause = Clause::Select;
        for definition in &ast.named_window {
            let ast::NamedWindowDefinition(name, spec) = definition;
            let spec = match spec {
                ast::NamedWindowExpr::WindowSpec(spec) => spec.clone(),
                ast::NamedWindowExpr::NamedWindow(_) => {
                    return Err(SqlError::unsupported("a window named after another"));
                }
            };
            let spec = self.window_spec(&ast::WindowType::WindowSpec(spec), Some(name))?;
            let name = self.fold(name);
            self.scope().named_windows.push((name, spec));
        }
        if ast.projection.is_empty() && ast.distinct.is_some() {
            return Err(SqlError::syntax("syntax error at or near \"FROM\""));
        }
        let mut outputs = match self.clauses.no_columns(ast.select_token.0.span.start) {
            true => Vec::new(),
            false => self.select_list(&ast.projection)?,
        };
        let visible = outputs.len();
        if self.rules.output_names {
            let named = |(expr, column): &(Expr, OutputColumn)| NamedColumn {
                name: column.name.clone(),
                expr: expr.clone(),
                origin: column.origin,
                listed: true,
            };
            self.scope().outputs = outputs.iter().map(named).collect();
        }
        let (keys, sets) = self.group_by(&ast.group_by, &outputs)?;
        let rollup = is_rollup(&ast.group_by);
        if self.rules.output_names && ast.having.is_some() {
            self.name_keys(&keys);
        }
        let having = match &ast.having {
            Some(having) => {
                self.scope().clause = Clause::Having;
                let having = self.expression(having)?;
                self.scope().clause = Clause::Select;
                Some(self.boolean(having, "HAVING")?)
            }
            None => None,
        };
        let sorted = self.order_by(order, &mut outputs, visible);
        let sort = sorted.map_err(|error| match self.rules.output_names {
            true => error.within("ORDER BY"),
            false => error,
        })?;
        self.scope().outputs.clear();
        let distinct = self.distinct_clause(ast.distinct.as_ref(), &mut outputs, visible, &sort)?;
        if distinct == Distinct::All && outputs.len() > visible {
            return Err(Binding::SortKeyNotDistinct { aggregate: false }.into());
        }
        if !keep_unknown {
            for (expr, column) in &mut outputs {
                if expr.ty == TypeId::UNKNOWN {
                    *expr = self.known(expr.clone())?;
                    column.ty = expr.ty;
                }
            }
        }
        let columns = outputs[..visible].iter().map(|(_, column)| column.clone()).collect();
        let project = outputs.into_iter().map(|(expr, _)| expr).collect();
        let keys = Keys { keys, sets, rollup };
        let select = self.finish_select(tree, conditions, keys, having, project, distinct)?;
        Ok(BoundSelect { select, columns, order: sort })
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn finish_select(
        &mut self,
        mut tree: Tree,
        mut conditions: Vec<Expr>,
        keys: Keys,
        mut having: Option<Expr>,
        mut project: Vec<Expr>,
        distinct: Distinct,
    ) -> Result<Select> {
        let Keys { mut keys, sets: key_sets, rollup } = keys;
        // HAVING without groups is a condition on rows.
        if self.rules.output_names && keys.is_empty() && key_sets.is_none() {
            let scope = self.scope();
            if scope.aggregates.is_empty() && !scope.grouping && scope.windows.is_empty() {
                having.take().into_iter().for_each(|having| split(having, &mut conditions));
            }
        }
        let scope = self.scope();
        let plain =
            scope.aggregates.is_empty() && scope.windows.is_empty() && scope.sets.is_empty();
        if plain && keys.is_empty() && key_sets.is_none() && having.is_none() && !scope.grouping {
            self.pull_up(&mut tree, &mut [&mut conditions, &mut project]);
        }
        let scope = self.scope();
        let sources = scope.sources.len();
        let mut aggregates = std::mem::take(&mut scope.aggregates);
        let mut windows = std::mem::take(&mut scope.windows);
        let mut sets = std::mem::take(&mut scope.sets);
        let grouped = !keys.is_empty()
            || !aggregates.is_empty()
            || having.is_some()
            || key_sets.is_some()
            || scope.grouping;
        let mut groupings = Groupings { after: aggregates.len(), calls: Vec::new() };
        let mut group = None;
        if grouped {
            let fixed = keys.len();
            let mut failure = None;
            {
                let mut above = |expr: &mut Expr| {
                    if failure.is_none() {
                        failure = self.above_group(expr, &mut keys, fixed, &mut groupings).err();
                    }
                };
                project.iter_mut().for_each(&mut above);
                having.iter_mut().for_each(&mut above);
                for call in &mut windows {
                    each_window(call, &mut above);
                }
                for call in &mut sets {
                    call.args.iter_mut().for_each(&mut above);
                }
            }
            if let Some(error) = failure {
                return Err(error);
            }
            let count = keys.len();
            // What came in by no dependency is of any row.
            let compared = match count > fixed && self.dialect().groups_loosely(&self.env) {
                true => fixed,
                false => count,
            };
            let weights = keys.iter().any(|key| self.dialect().compared_as(key.ty).is_some());
            let mut shown = Vec::new();
            if weights || compared < count {
                shown.clone_from(&keys);
                for key in &mut keys[..compared] {
                    *key = self.weighed(key.clone())?;
                }
            }
            let mut place = |expr: &mut Expr| Self::place_aggregates(expr, count);
            project.iter_mut().for_each(&mut place);
            having.iter_mut().for_each(&mut place);
            for call in &mut windows {
                each_window(call, &mut place);
            }
            for call in &mut sets {
                call.args.iter_mut().for_each(&mut place);
            }
            let key_sets = key_sets.unwrap_or_else(|| vec![(0..compared).collect()]);
            // Keys that came in by dependency belong to every set.
            let key_sets = key_sets
                .into_iter()
                .map(|set| set.into_iter().chain(fixed..compared).collect::<Vec<_>>())
                .map(|mut set| {
                    set.sort_unstable();
                    set.dedup();
                    set
                })
                .collect();
            let aggregates = std::mem::take(&mut aggregates);
            group = Some(Group {
                keys,
                compared,
                shown,
                sets: key_sets,
                nested: rollup,
                aggregates,
                groupings: groupings.calls,
            });
        }
        let base = if grouped { 1 } else { sources };
        let set_source = base + usize::from(!windows.is_empty());
        let mut place = |expr: &mut Expr, depth: usize| {
            match expr.kind {
                Kind::Window(at) if depth == 0 => {
                    expr.kind = Kind::Column(ColumnRef { depth, source: base, column: at });
                }
                Kind::SetCall(at) if depth == 0 => {
                    expr.kind = Kind::Column(ColumnRef { depth, source: set_source, column: at });
                }
                _ => {}
            }
            true
        };
        for expr in &mut project {
            visit(expr, 0, &mut place);
        }
        for call in &mut sets {
            visit_set(call, 0, &mut place);
        }
        let mut recheck = conditions.clone();
        inner_conditions(&tree, &mut recheck);
        let from = self.plan(tree, conditions, &mut Vec::new());
        let named = self.scope().sources.iter().enumerate();
        let aliases = named.map(|(at, source)| (at, source.alias.clone())).collect();
        let views = self.scope().sources.iter().enumerate();
        let views = views.filter_map(|(at, source)| Some((at, source.view?))).collect();
        Ok(Select {
            sources,
            aliases,
            views,
            from,
            recheck,
            group,
            having,
            windows,
            sets,
            project,
            distinct,
        })
    }

    /// Binds the select list, with `*` written out.
    pub(super) fn select_list(
        &mut self,
        items: &[SelectItem],
    ) -> Result<Vec<(Expr, OutputColumn)>> {
        let mut outputs = Vec::new();
        for item in items {
            match item {
                SelectItem::UnnamedExpr(ast) if let Some(row) = spread(ast) => {
                    let row = self.expression(&row)?;
                    self.fields(&row, &mut outputs)?;
                }
                SelectItem::UnnamedExpr(ast) => {
                    let (expr, origin) = self.output(ast)?;
                    let name = self.dialect().output_name(ast);
                    outputs.push(named(expr, name, origin));
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    let (expr, origin) = self.output(expr)?;
                    outputs.push(named(expr, self.fold(alias), origin));
                }
                SelectItem::Wildcard(_) => {
                    let columns = star(&self.scope().columns);
                    if self.scope().sources.is_empty() {
                        return Err(SqlError::syntax(
                            "SELECT * with no tables specified is not valid",
                        ));
                    }
                    outputs.extend(columns.into_iter().map(|c| named(c.expr, c.name, c.origin)));
                }
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => {
                    let (schema, table) = self.dialect().split_name(name)?;
                    let Some((depth, source)) = self.source_named(schema.as_deref(), &table) else {
                        let name = table.into_owned();
                        return Err(Binding::NoSource { schema: None, name, column: None }.into());
                    };
                    let scope = &self.scopes[self.scopes.len() - 1 - depth];
                    let found = &scope.sources[source];
                    for (at, column) in
                        found.columns.iter().enumerate().filter(|(_, c)| !c.hidden && c.listed)
                    {
                        let expr = column.expr(depth, source, at);
                        outputs.push(named(expr, column.name.clone(), column.origin));
                    }
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(ast), _) => {
                    let row = self.expression(ast)?;
                    self.fields(&row, &mut outputs)?;
                }
                SelectItem::ExprWithAliases { .. } => {
                    return Err(SqlError::unsupported("several aliases for one expression"));
                }
            }
        }
        Ok(outputs)
    }

    /// The fields of a row as columns of the select list.
    fn fields(&mut self, row: &Expr, outputs: &mut Vec<(Expr, OutputColumn)>) -> Result<()> {
        let Some(fields) = self.env.names.row_shape(row.ty, row.typmod) else {
            return Err(match row.ty {
                TypeId::ROW => Binding::UnknownRecord.into(),
                ty => Binding::NotComposite(self.type_name(ty)).into(),
            });
        };
        for (at, field) in fields.iter().enumerate() {
            let kind = Kind::Field(Box::new(row.clone()), at);
            let expr = Expr { kind, ty: field.ty, typmod: field.typmod };
            outputs.push(named(expr, field.name.clone(), (0, 0)));
        }
        Ok(())
    }

    /// Binds an expression of the select list, and finds the table's column that it shows.
    fn output(&mut self, ast: &ast::Expr) -> Result<(Expr, (u32, i16))> {
        match ast {
            ast::Expr::Identifier(ident)
                if ident.quote_style.is_some() || self.is_column(ident) =>
            {
                self.column(ident).map(|found| (found.expr, found.origin))
            }
            ast::Expr::CompoundIdentifier(parts) => {
                self.qualified(parts).map(|found| (found.expr, found.origin))
            }
            ast => self.expression(ast).map(|expr| (expr, (0, 0))),
        }
    }

    pub(super) fn is_column(&self, ident: &ast::Ident) -> bool {
        let name = self.fold(ident);
        let caseless = self.rules.caseless_columns;
        let same = |column: &NamedColumn| same_name(&column.name, &name, caseless);
        self.scopes.iter().any(|scope| scope.columns.iter().any(same))
    }

    /// Binds ORDER BY. Its keys are columns of the result; what is not among them is added as a
    /// hidden column.
    pub(super) fn order_by(
        &mut self,
        order: &[ast::OrderByExpr],
        outputs: &mut Vec<(Expr, OutputColumn)>,
        visible: usize,
    ) -> Result<Vec<SortKey>> {
        let mut keys = Vec::new();
        for item in order {
            let column = self.output_place(&item.expr, outputs, visible, "ORDER BY")?;
            self.has_order(outputs[column].0.ty)?;
            let column = self.weighed_output(column, outputs)?;
            keys.push(direction(&item.options, column, self.rules)?);
        }
        Ok(keys)
    }

    /// The column of the result that an expression of ORDER BY or DISTINCT ON means, by name,
    /// number or because it is the same.
    fn output_place(
        &mut self,
        item: &ast::Expr,
        outputs: &mut Vec<(Expr, OutputColumn)>,
        visible: usize,
        clause: &'static str,
    ) -> Result<usize> {
        if let Some(position) = position_of(item) {
            return match position.checked_sub(1).filter(|&at| at < visible) {
                Some(at) => Ok(at),
                None => Err(Binding::NoOutput { clause, position: position.to_string() }.into()),
            };
        }
        if let ast::Expr::Identifier(ident) = item {
            let name = self.fold(ident);
            let caseless = self.rules.caseless_columns;
            let mut found = outputs[..visible]
                .iter()
                .enumerate()
                .filter(|(_, (_, column))| same_name(&column.name, &name, caseless));
            if let Some((at, (expr, _))) = found.next() {
                if found.any(|(_, (other, _))| !alike(expr, other)) {
                    return Err(Binding::AmbiguousOutput { clause, name }.into());
                }
                return Ok(at);
            }
        }
        let expr = self.expression(item)?;
        if matches!(expr.kind, Kind::Const(Datum::Text(_))) && expr.ty == TypeId::UNKNOWN {
            let text = format!("non-integer constant in {clause}");
            return Err(SqlError::syntax(text));
        }
        let expr = self.known(expr)?;
        if let Some(at) = outputs.iter().position(|(known, _)| alike(known, &expr)) {
            return Ok(at);
        }
        outputs.push(named(expr, "?column?".to_owned(), (0, 0)));
        Ok(outputs.len() - 1)
    }

    /// The column of the result by which another one is compared. It is added where values are
    /// compared by something else than what they look like.
    fn weighed_output(
        &mut self,
        at: usize,
        outputs: &mut Vec<(Expr, OutputColumn)>,
    ) -> Result<usize> {
        if self.dialect().compared_as(outputs[at].0.ty).is_none() {
            return Ok(at);
        }
        let expr = self.weighed(outputs[at].0.clone())?;
        if let Some(known) = outputs.iter().position(|(known, _)| alike(known, &expr)) {
            return Ok(known);
        }
        outputs.push(named(expr, String::new(), (0, 0)));
        Ok(outputs.len() - 1)
    }

    /// Lets HAVING find the keys of GROUP BY before the names of the select list.
    fn name_keys(&mut self, keys: &[Expr]) {
        let scope = self.scope();
        let key = |column: &&NamedColumn| keys.iter().any(|key| alike(key, &column.expr));
        let mut named: Vec<NamedColumn> = scope.columns.iter().filter(key).cloned().collect();
        named.append(&mut scope.outputs);
        scope.outputs = named;
    }

    fn distinct_clause(
        &mut self,
        distinct: Option<&ast::Distinct>,
        outputs: &mut Vec<(Expr, OutputColumn)>,
        visible: usize,
        sort: &[SortKey],
    ) -> Result<Distinct> {
        match distinct {
            None | Some(ast::Distinct::All) => Ok(Distinct::No),
            Some(ast::Distinct::Distinct) => {
                for (expr, _) in &outputs[..visible] {
                    self.has_equality(expr.ty)?;
                }
                if !self.rules.output_names {
                    return Ok(Distinct::All);
                }
                let mut places = Vec::with_capacity(visible);
                for at in 0..visible {
                    places.push(self.weighed_output(at, outputs)?);
                }
                Ok(Distinct::By(places))
            }
            Some(ast::Distinct::On(items)) => {
                let mut places = Vec::new();
                for item in items {
                    places.push(self.output_place(item, outputs, visible, "SELECT DISTINCT ON")?);
                }
                let leading = sort.iter().take(places.len());
                if sort.len() >= places.len() || !sort.is_empty() {
                    let fits = leading.clone().all(|key| places.contains(&key.column));
                    if !fits {
                        return Err(Binding::SortKeyNotDistinctOn.into());
                    }
                }
                Ok(Distinct::On(places))
            }
        }
    }
}

fn each_window(call: &mut super::bound::WindowCall, f: &mut dyn FnMut(&mut Expr)) {
    let mut top = |expr: &mut Expr, _: usize| {
        f(expr);
        false
    };
    visit_window(call, 0, &mut top);
}

fn inner_conditions(tree: &Tree, into: &mut Vec<Expr>) {
    if let Tree::Inner(all, on) = tree {
        into.extend(on.iter().cloned());
        all.iter().for_each(|tree| inner_conditions(tree, into));
    }
}

fn named(expr: Expr, name: String, origin: (u32, i16)) -> (Expr, OutputColumn) {
    let column = OutputColumn { name, ty: expr.ty, typmod: expr.typmod, origin };
    (expr, column)
}

/// The value of an integer constant, which in ORDER BY and GROUP BY is the number of a column.
pub(super) fn position_of(item: &ast::Expr) -> Option<usize> {
    match item {
        ast::Expr::Value(value) => match &value.value {
            ast::Value::Number(text, _) => text.parse().ok(),
            _ => None,
        },
        ast::Expr::Nested(inner) => position_of(inner),
        _ => None,
    }
}

fn refuse_foreign_syntax(ast: &ast::Select) -> Result<()> {
    let foreign = if ast.top.is_some() {
        "TOP"
    } else if ast.qualify.is_some() {
        "QUALIFY"
    } else if !ast.lateral_views.is_empty() {
        "LATERAL VIEW"
    } else if ast.prewhere.is_some() {
        "PREWHERE"
    } else if !ast.connect_by.is_empty() {
        "CONNECT BY"
    } else if !ast.cluster_by.is_empty() || !ast.distribute_by.is_empty() || !ast.sort_by.is_empty()
    {
        "CLUSTER BY"
    } else {
        return Ok(());
    };
    Err(SqlError::unsupported(foreign))
}

/// Whether GROUP BY has WITH ROLLUP, and so gives sums over its groups too.
pub(super) fn is_rollup(group_by: &GroupByExpr) -> bool {
    matches!(group_by, GroupByExpr::Expressions(_, modifiers)
        if matches!(modifiers.as_slice(), [GroupByWithModifier::Rollup]))
}

/// The row in `(row).*`, if an item of the select list is that.
fn spread(ast: &ast::Expr) -> Option<ast::Expr> {
    let ast::Expr::CompoundFieldAccess { root, access_chain } = ast else { return None };
    let (last, chain) = access_chain.split_last()?;
    let ast::AccessExpr::Dot(ast::Expr::Identifier(field)) = last else { return None };
    if field.value != "*" || field.quote_style.is_some() {
        return None;
    }
    Some(match chain {
        [] => (**root).clone(),
        chain => {
            ast::Expr::CompoundFieldAccess { root: root.clone(), access_chain: chain.to_vec() }
        }
    })
}
