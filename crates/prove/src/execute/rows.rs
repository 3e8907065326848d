//! Which rows a query or change speaks of, and what it reads to know.
//!
//! A row whose whole key the filter says is looked up; else the table is scanned. Reads are recorded as few as suffice for
//! the result to be the same again: of `EXISTS` that is true, one row that makes it so; of `MIN` over the key, the rows up to
//! the least; of a row that is not there, only if by its key it could be asked for.

use super::combination::{Combination, Combinations, Combined, Row};
use super::{Bound, Cell, Field, Machine, Scan, What, World, columns_of, key_sorts};
use crate::program::{
    Aggregate, ColumnId, Expr, ExprKind, Lock, Operator, Query, RowId, TableId, VariableId,
};
use crate::term::{Sort, Term};
use crate::value::{Nullable, Values, sort_of};

pub(super) fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(Operator::And, left, right) => {
            let mut all = conjuncts(left);
            all.extend(conjuncts(right));
            all
        }
        _ => vec![expr],
    }
}

pub(super) fn has_query(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Exists(_) | ExprKind::Scalar(_) | ExprKind::InQuery(..))
        || expr.inner().into_iter().any(has_query)
}

impl<W: World> Machine<'_, W> {
    /// The rows of tables that a filter may choose.
    pub(super) fn combinations(&mut self, from: &[TableId], filter: Option<&Expr>) -> Combinations {
        let filter = filter.map(|filter| self.hoist(filter));
        let mut partial: Vec<Vec<Row>> = vec![Vec::new()];
        let mut scanned = Vec::new();
        for (at, &table) in from.iter().enumerate() {
            let row = RowId(at as u32);
            let mut longer = Vec::new();
            let mut is_scan = false;
            for rows in partial {
                if let Some(key) = self.point(table, row, &rows, filter.as_ref()) {
                    let mut rows = rows;
                    rows.push(Row::Stored(table, key));
                    longer.push(rows);
                    continue;
                }
                let keys = self.world.universe(table).unwrap_or_else(|| {
                    is_scan = true;
                    vec![self.fresh_key(table)]
                });
                for key in keys {
                    let mut rows = rows.clone();
                    rows.push(Row::Stored(table, key));
                    longer.push(rows);
                }
            }
            scanned.push(is_scan);
            partial = longer;
        }
        let list =
            partial.into_iter().map(|rows| self.combination(rows, filter.as_ref())).collect();
        let open = scanned.contains(&true);
        Combinations { list, open, scanned, filter, from: from.to_vec() }
    }

    fn combination(&mut self, rows: Vec<Row>, filter: Option<&Expr>) -> Combination {
        let relevant = self.relevant(&rows, filter);
        let mut alive = self.terms.bool(true);
        for row in &rows {
            if let Row::Stored(table, key) = row {
                let there = self.alive(*table, key);
                alive = self.terms.and([alive, there]);
            }
        }
        let holds = self.holds(filter, &rows);
        let matched = self.terms.and([alive, holds]);
        Combination { rows, relevant, alive, matched }
    }

    /// What the filter says of keys alone.
    fn relevant(&mut self, rows: &[Row], filter: Option<&Expr>) -> Term {
        let mut relevant = self.terms.bool(true);
        for conjunct in filter.map(conjuncts).unwrap_or_default() {
            let mut columns = Vec::new();
            columns_of(conjunct, &mut columns);
            let of_keys = columns.iter().all(|&(row, column)| match rows.get(row.0 as usize) {
                Some(Row::Stored(table, _)) => self.is_key(*table, column),
                Some(Row::Values(_)) => true,
                None => false,
            });
            if of_keys && !has_query(conjunct) {
                let holds = self.holds(Some(conjunct), rows);
                relevant = self.terms.and([relevant, holds]);
            }
        }
        relevant
    }

    pub(super) fn is_key(&self, table: TableId, column: ColumnId) -> bool {
        self.program.tables[table.0 as usize].key.contains(&column)
    }

    /// The key of the one row that a filter allows, if it says so.
    fn point(
        &mut self,
        table: TableId,
        row: RowId,
        bound: &[Row],
        filter: Option<&Expr>,
    ) -> Option<Vec<Term>> {
        let columns = self.program.tables[table.0 as usize].key.clone();
        if columns.is_empty() {
            return None;
        }
        let mut key = Vec::new();
        for (position, &column) in columns.iter().enumerate() {
            let said = conjuncts(filter?).into_iter().find_map(|conjunct| {
                let ExprKind::Binary(Operator::Equal, left, right) = &conjunct.kind else {
                    return None;
                };
                [(left, right), (right, left)].into_iter().find_map(|(one, other)| {
                    let mut needs = Vec::new();
                    columns_of(other, &mut needs);
                    let is_column = matches!(
                        one.kind,
                        ExprKind::Column(of, named) if of == row && named == column
                    );
                    let is_known = needs.iter().all(|(of, _)| (of.0 as usize) < bound.len());
                    (is_column && is_known && !has_query(other)).then_some(&**other)
                })
            })?;
            let value = self.evaluate(said, bound);
            let value = self.as_key(value.value, table, position);
            key.push(value);
        }
        Some(key)
    }

    /// An expression whose subqueries that do not depend on rows have been evaluated, once.
    fn hoist(&mut self, expr: &Expr) -> Expr {
        if !has_query(expr) {
            return expr.clone();
        }
        let mut columns = Vec::new();
        columns_of(expr, &mut columns);
        let is_query =
            matches!(expr.kind, ExprKind::Exists(_) | ExprKind::Scalar(_) | ExprKind::InQuery(..));
        if is_query && columns.is_empty() {
            let value = self.evaluate(expr, &[]);
            return self.named(value, expr);
        }
        let mut hoisted = expr.clone();
        match &mut hoisted.kind {
            ExprKind::Not(of)
            | ExprKind::Negate(of)
            | ExprKind::IsNull(of)
            | ExprKind::Member(of, _) => {
                **of = self.hoist(of);
            }
            ExprKind::Binary(_, left, right) => {
                **left = self.hoist(left);
                **right = self.hoist(right);
            }
            ExprKind::Coalesce(all) => {
                for one in all {
                    *one = self.hoist(one);
                }
            }
            ExprKind::Case(arms, otherwise) => {
                for (when, then) in arms {
                    *when = self.hoist(when);
                    *then = self.hoist(then);
                }
                if let Some(otherwise) = otherwise {
                    **otherwise = self.hoist(otherwise);
                }
            }
            _ => {}
        }
        hoisted
    }

    /// An expression that has this value, by a variable of its own.
    pub(super) fn named(&mut self, value: Nullable, like: &Expr) -> Expr {
        let variable = VariableId(self.variables.len() as u32);
        self.variables.push(value);
        Expr { kind: ExprKind::Variable(variable), ty: like.ty, place: like.place }
    }

    /// Records that columns of rows are read.
    pub(super) fn record_columns<'e>(
        &mut self,
        exprs: impl IntoIterator<Item = &'e Expr>,
        rows: &[Row],
        guard: Term,
    ) {
        let mut columns = Vec::new();
        exprs.into_iter().for_each(|expr| columns_of(expr, &mut columns));
        columns.sort_unstable();
        columns.dedup();
        for (row, column) in columns {
            if let Some(Row::Stored(table, key)) = rows.get(row.0 as usize)
                && !self.is_key(*table, column)
            {
                self.read(Cell { table: *table, key, field: Field::Column(column) }, guard);
            }
        }
    }

    /// Records what is read to know whether rows are wanted.
    fn record_look(&mut self, combination: &Combination, filter: Option<&Expr>, guard: Term) {
        let guard = self.terms.and([guard, combination.relevant]);
        for row in &combination.rows {
            if let Row::Stored(table, key) = row {
                self.read(Cell { table: *table, key, field: Field::Alive }, guard);
            }
        }
        let guard = self.terms.and([guard, combination.alive]);
        self.record_columns(filter, &combination.rows, guard);
    }

    /// As [`record_look`](Self::record_look) for a change: that a row is there is peeked at.
    pub(super) fn record_peek(&mut self, combinations: &Combinations) {
        for combination in &combinations.list {
            if self.transaction.found.is_some() {
                self.record_look(combination, combinations.filter.as_ref(), self.live);
                continue;
            }
            let guard = self.terms.and([self.live, combination.relevant]);
            let absent = self.terms.not(combination.alive);
            let absent = self.terms.and([guard, absent]);
            for row in &combination.rows {
                if let Row::Stored(table, key) = row {
                    self.read(Cell { table: *table, key, field: Field::Alive }, absent);
                }
            }
            let guard = self.terms.and([guard, combination.alive]);
            self.record_columns(combinations.filter.as_ref(), &combination.rows, guard);
        }
        if combinations.open {
            self.record_scan(combinations, &[], self.live, (None, false));
        }
    }

    /// Records all reads of a query that depends on all its rows.
    pub(super) fn record_all(&mut self, combinations: &Combinations, query: &Query) {
        for combination in &combinations.list {
            self.record_look(combination, combinations.filter.as_ref(), self.live);
            let guard = self.terms.and([self.live, combination.matched]);
            let order = query.order.iter().map(|(expr, _)| expr);
            self.record_columns(query.output.iter().chain(order), &combination.rows, guard);
        }
        if combinations.open {
            let order = query.order.iter().map(|(expr, _)| expr);
            let more: Vec<&Expr> = query.output.iter().chain(order).collect();
            self.record_scan(combinations, &more, self.live, (None, false));
        }
        self.record_locks(combinations, query);
    }

    fn record_locks(&mut self, combinations: &Combinations, query: &Query) {
        if query.lock != Some(Lock::Update) {
            return;
        }
        for combination in &combinations.list {
            let guard = self.terms.and([self.live, combination.matched]);
            for row in &combination.rows {
                if let Row::Stored(table, key) = row {
                    self.record(*table, key.clone(), guard, What::Lock);
                }
            }
        }
    }

    /// Records that the rows of an open world were looked through.
    fn record_scan(
        &mut self,
        combinations: &Combinations,
        more: &[&Expr],
        guard: Term,
        (bound, none): (Option<Bound>, bool),
    ) {
        for (at, &table) in combinations.from.iter().enumerate() {
            if !combinations.scanned[at] {
                continue;
            }
            let row = RowId(at as u32);
            let mut columns = Vec::new();
            let exprs = combinations.filter.iter().chain(more.iter().copied());
            exprs.for_each(|expr| columns_of(expr, &mut columns));
            let mut fields: Vec<ColumnId> = columns
                .iter()
                .filter(|&&(of, column)| of == row && !self.is_key(table, column))
                .map(|&(_, column)| column)
                .collect();
            fields.sort_unstable();
            fields.dedup();
            let key = self.fresh_key(table);
            let stands = self.stand_in(table, &key);
            let (mut relevant, mut matches) = (self.terms.bool(true), self.terms.bool(true));
            let filter = combinations.filter.clone();
            for conjunct in filter.as_ref().map(conjuncts).unwrap_or_default() {
                let mut columns = Vec::new();
                columns_of(conjunct, &mut columns);
                if has_query(conjunct) || columns.iter().any(|&(of, _)| of != row) {
                    continue;
                }
                let mut rows = vec![Row::Values(Vec::new()); at];
                rows.push(Row::Values(stands.clone()));
                let holds = self.holds(Some(conjunct), &rows);
                matches = self.terms.and([matches, holds]);
                if columns.iter().all(|&(_, column)| self.is_key(table, column)) {
                    relevant = self.terms.and([relevant, holds]);
                }
            }
            let scan = Scan { key, columns: stands, relevant, matches, fields, none, bound };
            self.record(table, Vec::new(), guard, What::Scan(Box::new(scan)));
        }
    }

    /// A row of which nothing is known but its key.
    fn stand_in(&mut self, table: TableId, key: &[Term]) -> Vec<Nullable> {
        let definition = &self.program.tables[table.0 as usize];
        let types: Vec<_> = definition.columns.iter().map(|column| column.ty).collect();
        let of_key = definition.key.clone();
        let columns = types.into_iter().enumerate();
        columns
            .map(|(at, ty)| match of_key.iter().position(|of| of.0 as usize == at) {
                Some(position) => {
                    let value = if sort_of(ty) == Sort::Bool {
                        let one = self.terms.int(1);
                        self.terms.equal(key[position], one)
                    } else {
                        key[position]
                    };
                    self.terms.known(value)
                }
                None => self.fresh_nullable("stands", ty),
            })
            .collect()
    }

    /// Whether a query has a row.
    pub(super) fn exists(&mut self, query: &Query) -> Term {
        if query.is_aggregate() {
            self.first_row(query);
            return self.terms.bool(true);
        }
        let combinations = self.combinations(&query.from, query.filter.as_ref());
        let (firsts, found) = self.firsts(&combinations, query);
        self.record_first(&combinations, query, &firsts, found, &[]);
        found
    }

    /// The outputs of a query's only or first row, NULL if there is none, and whether there is one.
    pub(super) fn first_row(&mut self, query: &Query) -> (Vec<Nullable>, Term) {
        let combinations = self.combinations(&query.from, query.filter.as_ref());
        if query.is_aggregate() {
            return (self.combine(combinations, query), self.terms.bool(true));
        }
        let (firsts, found) = self.firsts(&combinations, query);
        let mut values: Vec<Nullable> =
            query.output.iter().map(|output| self.terms.null(sort_of(output.ty))).collect();
        for (combination, &first) in combinations.list.iter().zip(&firsts).rev() {
            for (value, output) in values.iter_mut().zip(&query.output) {
                let here = self.evaluate(output, &combination.rows);
                *value = self.terms.choose(first, here, *value);
            }
        }
        let outputs: Vec<&Expr> = query.output.iter().collect();
        self.record_first(&combinations, query, &firsts, found, &outputs);
        (values, found)
    }

    /// For each combination, whether it is the row that a query returns if it returns one, and whether it does.
    fn firsts(&mut self, combinations: &Combinations, query: &Query) -> (Vec<Term>, Term) {
        if combinations.open {
            let found = self.fresh("found", Sort::Bool);
            let fact = self.terms.implies(found, combinations.list[0].matched);
            self.out.facts.push(fact);
            return (vec![found], found);
        }
        let list = &combinations.list;
        let ranks: Vec<Vec<(Nullable, bool)>> = list
            .iter()
            .map(|combination| {
                let order = query.order.iter();
                order.map(|(expr, down)| (self.evaluate(expr, &combination.rows), *down)).collect()
            })
            .collect();
        let mut firsts = Vec::new();
        for at in 0..list.len() {
            let mut first = list[at].matched;
            for other in 0..list.len() {
                if other == at {
                    continue;
                }
                let before = self.before(&ranks[other], &ranks[at], other < at);
                let before = self.terms.and([list[other].matched, before]);
                let after = self.terms.not(before);
                first = self.terms.and([first, after]);
            }
            firsts.push(first);
        }
        let matched: Vec<Term> = list.iter().map(|combination| combination.matched).collect();
        (firsts, self.terms.or(matched))
    }

    /// The rows of a query as they are listed: in their order, or if it has none, in that of their values, since who looks
    /// at a result cannot tell in which row of a table a value stands. Of each, whether it is there, and its values.
    pub(super) fn listed(
        &mut self,
        combinations: &Combinations,
        query: &Query,
    ) -> Vec<Vec<Nullable>> {
        let mut rows = Vec::new();
        for combination in &combinations.list {
            let outputs = query.output.iter();
            let values: Vec<Nullable> =
                outputs.map(|output| self.evaluate(output, &combination.rows)).collect();
            let rank: Vec<(Nullable, bool)> = if query.order.is_empty() {
                values.iter().map(|&value| (self.as_number(value), false)).collect()
            } else {
                let order = query.order.iter();
                order
                    .map(|(expr, down)| {
                        let value = self.evaluate(expr, &combination.rows);
                        (self.as_number(value), *down)
                    })
                    .collect()
            };
            rows.push((combination.matched, values, rank));
        }
        let (zero, one) = (self.terms.int(0), self.terms.int(1));
        let mut positions = Vec::new();
        for at in 0..rows.len() {
            let mut position = zero;
            for other in (0..rows.len()).filter(|&other| other != at) {
                let before = self.before(&rows[other].2, &rows[at].2, other < at);
                let before = self.terms.and([rows[other].0, before]);
                let more = self.terms.if_else(before, one, zero);
                position = self.terms.add(position, more);
            }
            positions.push(position);
        }
        let mut listed = Vec::new();
        for at in 0..rows.len() {
            let here = self.terms.int(at as i64);
            let mut there = self.terms.bool(false);
            let mut values: Vec<Nullable> =
                query.output.iter().map(|output| self.terms.null(sort_of(output.ty))).collect();
            for ((matched, row, _), &position) in rows.iter().zip(&positions) {
                let is_here = self.terms.equal(position, here);
                let is_here = self.terms.and([*matched, is_here]);
                there = self.terms.or([there, is_here]);
                for (value, &own) in values.iter_mut().zip(row) {
                    *value = self.terms.choose(is_here, own, *value);
                }
            }
            values.push(self.terms.known(there));
            listed.push(values);
        }
        listed
    }

    /// A value that can be less than another: false is zero.
    fn as_number(&mut self, value: Nullable) -> Nullable {
        if self.terms.sort(value.value) != Sort::Bool {
            return value;
        }
        let (one, zero) = (self.terms.int(1), self.terms.int(0));
        Nullable { null: value.null, value: self.terms.if_else(value.value, one, zero) }
    }

    /// Whether one comes before another in an order; NULL comes last.
    fn before(&mut self, one: &[(Nullable, bool)], other: &[(Nullable, bool)], tie: bool) -> Term {
        let mut before = self.terms.bool(tie);
        for (&(left, down), &(right, _)) in one.iter().zip(other).rev() {
            let (low, high) = if down { (right, left) } else { (left, right) };
            let less = self.terms.less(low.value, high.value);
            let both = self.terms.or([left.null, right.null]);
            let known = self.terms.not(both);
            let less = self.terms.and([known, less]);
            let (left_there, right_there) = (self.terms.not(left.null), self.terms.not(right.null));
            let by_null = if down {
                self.terms.and([left.null, right_there])
            } else {
                self.terms.and([right.null, left_there])
            };
            let same = self.terms.same(left, right);
            let tied = self.terms.and([same, before]);
            before = self.terms.or([less, by_null, tied]);
        }
        before
    }

    /// Records what a query reads whose result is one row, or none.
    fn record_first(
        &mut self,
        combinations: &Combinations,
        query: &Query,
        firsts: &[Term],
        found: Term,
        outputs: &[&Expr],
    ) {
        let filter = combinations.filter.clone();
        let is_ordered =
            !query.order.is_empty() && combinations.list.len() + usize::from(combinations.open) > 1;
        let none = self.terms.not(found);
        for (combination, &first) in combinations.list.iter().zip(firsts) {
            let matters = if is_ordered {
                self.live
            } else {
                let matters = if combinations.open { first } else { self.terms.or([none, first]) };
                self.terms.and([self.live, matters])
            };
            self.record_look(combination, filter.as_ref(), matters);
            let guard = self.terms.and([self.live, first]);
            self.record_columns(outputs.iter().copied(), &combination.rows, guard);
            if is_ordered {
                let guard = self.terms.and([self.live, combination.matched]);
                let order = query.order.iter().map(|(expr, _)| expr);
                self.record_columns(order, &combination.rows, guard);
            }
        }
        if combinations.open {
            let guard = if is_ordered { self.live } else { self.terms.and([self.live, none]) };
            let order: Vec<&Expr> = query.order.iter().map(|(expr, _)| expr).collect();
            self.record_scan(combinations, &order, guard, (None, !is_ordered));
        }
        self.record_locks(combinations, query);
    }

    /// The outputs of a query over all its rows together.
    fn combine(&mut self, combinations: Combinations, query: &Query) -> Vec<Nullable> {
        let only = match &query.output[..] {
            [Expr { kind: ExprKind::Aggregate(aggregate, Some(of)), .. }] => {
                Some((*aggregate, &**of))
            }
            _ => None,
        };
        let outer = self.combined.take();
        let is_open = combinations.open;
        self.combined = Some(if is_open {
            Combined::Any(Box::new(combinations.clone()))
        } else {
            let list = combinations.list.iter();
            Combined::All(list.map(|one| (one.rows.clone(), one.matched)).collect())
        });
        let values: Vec<Nullable> =
            query.output.iter().map(|output| self.evaluate(output, &[])).collect();
        self.combined = outer;
        if is_open {
            self.record_locks(&combinations, query);
            return values;
        }
        let least = only.and_then(|(aggregate, of)| {
            let bound = self.key_bound(&combinations, aggregate, of, values[0])?;
            Some((bound, of))
        });
        for combination in &combinations.list {
            let guard = match &least {
                None => self.live,
                Some((bound, of)) => {
                    // Rows behind the result do not matter.
                    let value = self.evaluate(of, &combination.rows);
                    let reached = if bound.least {
                        self.terms.at_most(value.value, bound.result.value)
                    } else {
                        self.terms.at_most(bound.result.value, value.value)
                    };
                    let matters = self.terms.or([bound.result.null, reached]);
                    self.terms.and([self.live, matters])
                }
            };
            self.record_look(combination, combinations.filter.as_ref(), guard);
            let guard = self.terms.and([self.live, combination.matched]);
            self.record_columns(&query.output, &combination.rows, guard);
        }
        self.record_locks(&combinations, query);
        values
    }

    /// What is known of rows that a MIN or MAX over a column of the key did not return.
    fn key_bound(
        &mut self,
        combinations: &Combinations,
        aggregate: Aggregate,
        of: &Expr,
        result: Nullable,
    ) -> Option<Bound> {
        let least = match aggregate {
            Aggregate::Min => true,
            Aggregate::Max => false,
            _ => return None,
        };
        let ExprKind::Column(RowId(0), column) = of.kind else { return None };
        let [table] = combinations.from[..] else { return None };
        let key = &self.program.tables[table.0 as usize].key;
        let position = key.iter().position(|&of| of == column)?;
        (key_sorts(self.program, table)[position] == Sort::Int).then_some(Bound {
            position,
            result,
            least,
        })
    }

    /// An aggregate over an open world: nothing is known but that MIN and MAX are of some row.
    pub(super) fn aggregate_open(
        &mut self,
        combinations: &Combinations,
        aggregate: Aggregate,
        of: Option<&Expr>,
        ty: crate::program::Type,
    ) -> Nullable {
        let result = self.fresh_nullable("aggregate", ty);
        let there = self.terms.not(result.null);
        let bound = of.and_then(|of| self.key_bound(combinations, aggregate, of, result));
        match aggregate {
            Aggregate::Count | Aggregate::CountDistinct => {
                let zero = self.terms.int(0);
                let positive = self.terms.at_most(zero, result.value);
                self.out.facts.extend([positive, there]);
            }
            Aggregate::Sum => {}
            Aggregate::Min | Aggregate::Max => {
                let some = &combinations.list[0];
                let of = self.evaluate(of.expect("MIN and MAX are of something"), &some.rows);
                let same = self.terms.equal(of.value, result.value);
                let known = self.terms.not(of.null);
                let is_it = self.terms.and([some.matched, same, known]);
                let fact = self.terms.implies(there, is_it);
                self.out.facts.push(fact);
            }
        }
        let more: Vec<&Expr> = of.into_iter().collect();
        self.record_scan(combinations, &more, self.live, (bound, false));
        if matches!(aggregate, Aggregate::Min | Aggregate::Max) {
            let guard = self.terms.and([self.live, there]);
            self.record_look(&combinations.list[0], combinations.filter.as_ref(), guard);
            self.record_columns(of, &combinations.list[0].rows, guard);
        }
        result
    }
}
