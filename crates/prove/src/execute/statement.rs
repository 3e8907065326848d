//! Statements.

use super::combination::Row;
use super::rows::has_query;
use super::{Cell, Field, Machine, Parameter, What, World, assigned, may_return};
use crate::program::{
    ColumnId, Conflict, Expr, ExprKind, Operator, Place, Query, RowId, Statement, StatementKind,
    TableId, Type, VariableId,
};
use crate::term::{Sort, Term};
use crate::value::{Nullable, Values, sort_of};

/// What a RETURNING puts out, and where to.
type Returning = [(Expr, Option<VariableId>)];

impl<W: World> Machine<'_, W> {
    pub(super) fn statement(&mut self, statement: &Statement) {
        if looks(&statement.kind) {
            self.look_again();
        }
        match &statement.kind {
            StatementKind::Skip => {}
            StatementKind::Abort => {
                let always = self.terms.bool(true);
                self.abort_if(always);
            }
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.evaluate(value, &[]);
                    self.observe(value);
                }
                self.live = self.terms.bool(false);
            }
            StatementKind::Assign { variable, value } => {
                let value = self.evaluate_told(value);
                self.assign(*variable, value);
            }
            StatementKind::If { arms, otherwise } => self.branch(arms, otherwise),
            StatementKind::Select { query, into, strict } => self.select(query, into, *strict),
            StatementKind::Insert { table, rows, conflict, returning } => {
                for row in rows {
                    self.insert(*table, row, conflict, returning);
                }
            }
            StatementKind::Update { table, set, filter, returning } => {
                let compute = |machine: &mut Self, key: &[Term], guard| {
                    machine.computed(*table, &[Row::Stored(*table, key.to_vec())], set, guard)
                };
                let filter = filter.as_ref();
                self.change(*table, filter, returning, compute, |machine, key, values, guard| {
                    machine.write(*table, key, &values, guard);
                });
            }
            StatementKind::Delete { table, filter, returning } => {
                let nothing = |_: &mut Self, _: &[Term], _| {};
                let filter = filter.as_ref();
                self.change(*table, filter, returning, nothing, |machine, key, (), guard| {
                    machine.delete(*table, key, guard);
                });
            }
            StatementKind::ForQuery { into, query, body } => self.for_query(into, query, body),
            StatementKind::ForEach { variable, array, body } => {
                self.for_each(*variable, *array, body)
            }
            StatementKind::ForRange { variable, low, high, body } => {
                self.for_range(*variable, low, high, body);
            }
        }
    }

    /// The value of an expression that tells the instance what its queries came to.
    fn evaluate_told(&mut self, expr: &Expr) -> Nullable {
        let value = self.evaluate(expr, &[]);
        if has_query(expr) {
            self.observe(value);
        }
        value
    }

    fn assign(&mut self, variable: VariableId, value: Nullable) {
        let ty = self.transaction.variables[variable.0 as usize].ty;
        let value = match (sort_of(ty), self.terms.sort(value.value)) {
            (Sort::Real, Sort::Int) => {
                Nullable { null: value.null, value: self.terms.to_real(value.value) }
            }
            _ => value,
        };
        self.variables[variable.0 as usize] = value;
    }

    fn set_found(&mut self, found: Term) {
        if let Some(variable) = self.transaction.found {
            let found = self.terms.known(found);
            self.observe(found);
            self.variables[variable.0 as usize] = found;
        }
    }

    /// Runs a block under a condition, and joins what it did with what was.
    fn under(&mut self, condition: Term, run: impl FnOnce(&mut Self)) {
        let before = self.variables.clone();
        let outside = self.terms.not(condition);
        let outside = self.terms.and([self.live, outside]);
        self.live = self.terms.and([self.live, condition]);
        self.inside(|machine| {
            if !machine.terms.is(machine.live, false) {
                run(machine);
            }
        });
        self.live = self.terms.or([outside, self.live]);
        for (at, before) in before.into_iter().enumerate() {
            let after = self.variables[at];
            self.variables[at] = self.terms.choose(condition, after, before);
        }
    }

    fn branch(&mut self, arms: &[(Expr, Vec<Statement>)], otherwise: &[Statement]) {
        let Some(((condition, then), rest)) = arms.split_first() else {
            return self.block(otherwise);
        };
        if has_query(condition) {
            self.look_again();
        }
        let condition = self.evaluate_told(condition);
        let holds = self.terms.holds(condition);
        let (before, was_live) = (self.variables.clone(), self.live);
        let mut ends = Vec::new();
        for taken in [true, false] {
            let side = if taken { holds } else { self.terms.not(holds) };
            self.variables.clone_from(&before);
            self.live = self.terms.and([was_live, side]);
            self.inside(|machine| {
                if !machine.terms.is(machine.live, false) {
                    if taken { machine.block(then) } else { machine.branch(rest, otherwise) }
                }
            });
            ends.push((self.live, self.variables.clone()));
        }
        let (other_live, other) = ends.pop().expect("two sides");
        let (then_live, then) = ends.pop().expect("two sides");
        self.live = self.terms.or([then_live, other_live]);
        self.variables.truncate(before.len());
        for at in 0..before.len() {
            self.variables[at] = self.terms.choose(holds, then[at], other[at]);
        }
    }

    fn select(&mut self, query: &Query, into: &[VariableId], strict: bool) {
        if into.is_empty() {
            // All rows are the result.
            if query.is_aggregate() {
                let (values, found) = self.first_row(query);
                values.into_iter().for_each(|value| self.observe(value));
                self.set_found(found);
                return;
            }
            let combinations = self.combinations(&query.from, query.filter.as_ref());
            self.record_all(&combinations, query);
            let matched: Vec<Term> = combinations.list.iter().map(|one| one.matched).collect();
            let any = self.terms.or(matched);
            for row in self.listed(&combinations, query) {
                row.into_iter().for_each(|value| self.observe(value));
            }
            self.set_found(any);
            return;
        }
        let (values, found) = self.first_row(query);
        for (&variable, value) in into.iter().zip(values) {
            self.observe(value);
            self.assign(variable, value);
        }
        if strict {
            let missing = self.terms.not(found);
            self.abort_if(missing);
        }
        self.set_found(found);
    }

    fn insert(&mut self, table: TableId, row: &[Expr], conflict: &Conflict, returning: &Returning) {
        let values: Vec<Nullable> = row.iter().map(|value| self.evaluate(value, &[])).collect();
        let values: Vec<Nullable> = values
            .into_iter()
            .zip(&self.program.tables[table.0 as usize].columns)
            .map(|(value, column)| match (sort_of(column.ty), self.terms.sort(value.value)) {
                (Sort::Real, Sort::Int) => {
                    Nullable { null: value.null, value: self.terms.to_real(value.value) }
                }
                _ => value,
            })
            .collect();
        let definition = &self.program.tables[table.0 as usize];
        let of_key = definition.key.clone();
        let mut key = Vec::new();
        // A key that a sequence gives is nobody else's.
        let is_given = match of_key[..] {
            [column] => matches!(row[column.0 as usize].kind, ExprKind::Choose),
            _ => of_key.is_empty(),
        };
        for (position, column) in of_key.iter().enumerate() {
            let value = values[column.0 as usize];
            self.abort_if(value.null);
            key.push(self.as_key(value.value, table, position));
        }
        self.refuse(table, &values);
        if is_given {
            if of_key.is_empty() {
                key.push(self.fresh("row", Sort::Int));
            }
            self.out.anonymous.push((table, key[0], self.live));
            let site = self.next_site();
            self.out.made_up.insert(site, key[0]);
        } else {
            let there = self.alive(table, &key);
            self.read(Cell { table, key: &key, field: Field::Alive }, self.live);
            match conflict {
                Conflict::Error => self.abort_if(there),
                Conflict::Nothing => {
                    let absent = self.terms.not(there);
                    self.under(absent, |machine| {
                        machine.put(table, &key, &values);
                        machine.give(table, &key, returning);
                    });
                    self.set_found(absent);
                    return;
                }
                Conflict::Update(set) => {
                    let row = Row::Stored(table, key.clone());
                    let absent = self.terms.not(there);
                    self.under(there, |machine| {
                        let rows = [row.clone(), Row::Values(values.clone())];
                        let computed = machine.computed(table, &rows, set, machine.live);
                        machine.write(table, &key, &computed, machine.live);
                    });
                    self.under(absent, |machine| machine.put(table, &key, &values));
                    self.give(table, &key, returning);
                    let found = self.terms.bool(true);
                    self.set_found(found);
                    return;
                }
            }
        }
        self.put(table, &key, &values);
        self.give(table, &key, returning);
        let found = self.terms.bool(true);
        self.set_found(found);
    }

    /// A row that NOT NULL or CHECK forbids is an error, also if another with its key is there.
    fn refuse(&mut self, table: TableId, values: &[Nullable]) {
        let definition = &self.program.tables[table.0 as usize];
        for (value, column) in values.iter().zip(&definition.columns) {
            if !column.nullable {
                self.abort_if(value.null);
            }
        }
        for check in &definition.checks {
            let value = self.evaluate(check, &[Row::Values(values.to_vec())]);
            let fails = self.terms.negation(value);
            let fails = self.terms.holds(fails);
            self.abort_if(fails);
        }
    }

    /// Writes a row that is new.
    fn put(&mut self, table: TableId, key: &[Term], values: &[Nullable]) {
        self.refuse_twins(table, key, values);
        let there = self.terms.bool(true);
        let there = self.terms.known(there);
        self.record(table, key.to_vec(), self.live, What::Write(Field::Alive, there));
        for (at, &value) in values.iter().enumerate() {
            let column = ColumnId(at as u32);
            if !self.is_key(table, column) {
                let what = What::Write(Field::Column(column), value);
                self.record(table, key.to_vec(), self.live, what);
            }
        }
        self.check(table, key, None, self.live);
    }

    /// Another row with the same unique columns is an error.
    fn refuse_twins(&mut self, table: TableId, key: &[Term], values: &[Nullable]) {
        let unique = self.program.tables[table.0 as usize].unique.clone();
        for columns in unique {
            let place = self.place;
            let mut filter: Option<Expr> = None;
            for &column in &columns {
                let equal = self.equals(table, column, values[column.0 as usize], place);
                filter = Some(and(filter, equal, place));
            }
            // The row itself is not its twin.
            let of_key = self.program.tables[table.0 as usize].key.clone();
            let mut same: Option<Expr> = None;
            for (position, &column) in of_key.iter().enumerate() {
                let value = self.terms.known(key[position]);
                let equal = self.equals(table, column, value, place);
                same = Some(and(same, equal, place));
            }
            if let Some(same) = same {
                let other = Expr { kind: ExprKind::Not(Box::new(same)), ty: Type::Bool, place };
                filter = Some(and(filter, other, place));
            }
            let query = lookup(table, filter, place);
            let twin = self.exists(&query);
            self.abort_if(twin);
        }
    }

    /// `column = value`.
    fn equals(&mut self, table: TableId, column: ColumnId, value: Nullable, place: Place) -> Expr {
        let ty = self.program.tables[table.0 as usize].columns[column.0 as usize].ty;
        let left = Expr { kind: ExprKind::Column(RowId(0), column), ty, place };
        let right = self.named(value, &left);
        let kind = ExprKind::Binary(Operator::Equal, Box::new(left), Box::new(right));
        Expr { kind, ty: Type::Bool, place }
    }

    /// Whether a row satisfies the table's constraints, of those that speak of changed columns.
    fn check(&mut self, table: TableId, key: &[Term], changed: Option<&[ColumnId]>, guard: Term) {
        let program = self.program;
        let definition = &program.tables[table.0 as usize];
        let row = [Row::Stored(table, key.to_vec())];
        let matters = |columns: &[ColumnId]| {
            changed.is_none_or(|changed| columns.iter().any(|column| changed.contains(column)))
        };
        for check in &definition.checks {
            let mut columns = Vec::new();
            super::columns_of(check, &mut columns);
            let columns: Vec<ColumnId> = columns.into_iter().map(|(_, column)| column).collect();
            if !matters(&columns) {
                continue;
            }
            self.record_columns([check], &row, guard);
            let value = self.evaluate(check, &row);
            let fails = self.terms.negation(value);
            let fails = self.terms.holds(fails);
            let fails = self.terms.and([guard, fails]);
            self.abort_if(fails);
        }
        for reference in &definition.references {
            if !matters(&reference.columns) {
                continue;
            }
            let values: Vec<Nullable> = reference
                .columns
                .iter()
                .map(|&column| {
                    let expr = Expr {
                        kind: ExprKind::Column(RowId(0), column),
                        ty: definition.columns[column.0 as usize].ty,
                        place: self.place,
                    };
                    self.evaluate(&expr, &row)
                })
                .collect();
            let mut some_null = self.terms.bool(false);
            for value in &values {
                some_null = self.terms.or([some_null, value.null]);
            }
            let parent = &program.tables[reference.table.0 as usize].key;
            let parent_key: Vec<Term> = parent
                .iter()
                .enumerate()
                .map(|(position, column)| {
                    let at = reference.to.iter().position(|to| to == column).unwrap_or(position);
                    self.as_key(values[at].value, reference.table, position)
                })
                .collect();
            let complete = self.terms.not(some_null);
            let guard = self.terms.and([guard, complete]);
            let cell = Cell { table: reference.table, key: &parent_key, field: Field::Alive };
            self.read(cell, guard);
            let there = self.alive(reference.table, &parent_key);
            let missing = self.terms.not(there);
            let fails = self.terms.and([guard, missing]);
            self.abort_if(fails);
        }
    }

    /// Changes every row of a table that a filter chooses. What they become is computed of all rows before one is changed.
    fn change<T>(
        &mut self,
        table: TableId,
        filter: Option<&Expr>,
        returning: &Returning,
        mut compute: impl FnMut(&mut Self, &[Term], Term) -> T,
        mut apply: impl FnMut(&mut Self, &[Term], T, Term),
    ) {
        let mut any = self.terms.bool(false);
        let copies: Vec<Option<usize>> = match self.copy {
            Some(copy) => vec![Some(copy)],
            None => (0..self.mode.copies.max(1)).map(Some).collect(),
        };
        let outside = self.copy;
        let first = self.combinations(&[table], filter);
        let rounds = if first.open { copies } else { vec![outside] };
        for (round, copy) in rounds.into_iter().enumerate() {
            let combinations =
                if round == 0 { first.clone() } else { self.combinations(&[table], filter) };
            self.copy = if first.open { copy } else { outside };
            self.record_peek(&combinations);
            let mut all = Vec::new();
            for combination in &combinations.list {
                let Row::Stored(_, key) = &combination.rows[0] else { continue };
                let guard = self.terms.and([self.live, combination.relevant]);
                let found = self.terms.known(combination.matched);
                self.come_to(guard, found);
                let guard = self.terms.and([self.live, combination.matched]);
                any = self.terms.or([any, combination.matched]);
                all.push((combination, key, compute(self, key, guard)));
            }
            for (combination, key, computed) in all {
                let guard = self.terms.and([self.live, combination.matched]);
                apply(self, key, computed, guard);
                self.under(combination.matched, |machine| machine.give(table, key, returning));
            }
        }
        self.copy = outside;
        if first.open {
            any = self.fresh("changed", Sort::Bool);
        }
        self.set_found(any);
    }

    /// What columns become, if the guard holds, of which nothing is said of what is read otherwise.
    fn computed(
        &mut self,
        table: TableId,
        rows: &[Row],
        set: &[(ColumnId, Expr)],
        guard: Term,
    ) -> Vec<(ColumnId, Nullable)> {
        self.record_columns(set.iter().map(|(_, value)| value), rows, guard);
        let live = std::mem::replace(&mut self.live, guard);
        let values: Vec<(ColumnId, Nullable)> = set
            .iter()
            .map(|(column, value)| {
                let value = self.evaluate(value, rows);
                let ty = self.program.tables[table.0 as usize].columns[column.0 as usize].ty;
                let term = match (sort_of(ty), self.terms.sort(value.value)) {
                    (Sort::Real, Sort::Int) => self.terms.to_real(value.value),
                    _ => value.value,
                };
                (*column, Nullable { null: value.null, value: term })
            })
            .collect();
        for ((_, expr), &(_, value)) in set.iter().zip(&values) {
            // What is made of what was read tells what was read.
            let mut columns = Vec::new();
            super::columns_of(expr, &mut columns);
            if !columns.is_empty() {
                self.come_to(guard, value);
            }
        }
        let outside = self.terms.not(guard);
        let outside = self.terms.and([live, outside]);
        self.live = self.terms.or([outside, self.live]);
        values
    }

    /// Writes columns of a row that is there.
    fn write(
        &mut self,
        table: TableId,
        key: &[Term],
        values: &[(ColumnId, Nullable)],
        guard: Term,
    ) {
        for &(column, value) in values {
            let required =
                !self.program.tables[table.0 as usize].columns[column.0 as usize].nullable;
            if required {
                let fails = self.terms.and([guard, value.null]);
                self.abort_if(fails);
            }
            let what = What::Write(Field::Column(column), value);
            self.record(table, key.to_vec(), guard, what);
        }
        let changed: Vec<ColumnId> = values.iter().map(|(column, _)| *column).collect();
        self.check(table, key, Some(&changed), guard);
    }

    fn delete(&mut self, table: TableId, key: &[Term], guard: Term) {
        let program = self.program;
        for (child, definition) in program.tables.iter().enumerate() {
            let child = TableId(child as u32);
            for reference in
                definition.references.iter().filter(|reference| reference.table == table)
            {
                let place = self.place;
                let mut filter: Option<Expr> = None;
                let parent = &program.tables[table.0 as usize].key;
                for (column, to) in reference.columns.iter().zip(&reference.to) {
                    let position = parent.iter().position(|of| of == to).unwrap_or(0);
                    let value = self.terms.known(key[position]);
                    let equal = self.equals(child, *column, value, place);
                    filter = Some(and(filter, equal, place));
                }
                let live = self.live;
                self.live = self.terms.and([live, guard]);
                if reference.cascade {
                    let nothing = |_: &mut Self, _: &[Term], _| {};
                    self.change(child, filter.as_ref(), &[], nothing, |machine, key, (), guard| {
                        machine.delete(child, key, guard);
                    });
                    self.live = live;
                } else {
                    let query = lookup(child, filter, place);
                    let held = self.exists(&query);
                    self.live = live;
                    let fails = self.terms.and([guard, held]);
                    self.abort_if(fails);
                }
            }
        }
        let gone = self.terms.bool(false);
        let gone = self.terms.known(gone);
        self.record(table, key.to_vec(), guard, What::Write(Field::Alive, gone));
    }

    /// What RETURNING says of a row.
    fn give(&mut self, table: TableId, key: &[Term], returning: &Returning) {
        let rows = [Row::Stored(table, key.to_vec())];
        self.record_columns(returning.iter().map(|(value, _)| value), &rows, self.live);
        for (value, into) in returning {
            let value = self.evaluate(value, &rows);
            self.observe(value);
            if let Some(variable) = into {
                self.assign(*variable, value);
            }
        }
    }

    fn for_query(&mut self, into: &[VariableId], query: &Query, body: &[Statement]) {
        let combinations = self.combinations(&query.from, query.filter.as_ref());
        self.record_all(&combinations, query);
        if combinations.open {
            return self.any_round(body, |machine| {
                let combinations = machine.combinations(&query.from, query.filter.as_ref());
                machine.record_all(&combinations, query);
                let rows = combinations.list[0].rows.clone();
                for (&variable, output) in into.iter().zip(&query.output) {
                    let value = machine.evaluate(output, &rows);
                    machine.assign(variable, value);
                }
                combinations.list[0].matched
            });
        }
        let mut rounds = Vec::new();
        let mut any = self.terms.bool(false);
        for combination in &combinations.list {
            let values: Vec<Nullable> = query
                .output
                .iter()
                .map(|output| self.evaluate(output, &combination.rows))
                .collect();
            any = self.terms.or([any, combination.matched]);
            rounds.push((combination.matched, values));
        }
        for (matched, values) in rounds {
            let seen = self.terms.known(matched);
            self.observe(seen);
            self.under(matched, |machine| {
                for (&variable, &value) in into.iter().zip(&values) {
                    machine.observe(value);
                    machine.assign(variable, value);
                }
                machine.block(body);
            });
        }
        self.set_found(any);
    }

    fn for_each(&mut self, variable: VariableId, array: VariableId, body: &[Statement]) {
        match self.arrays.get(&array).cloned() {
            Some(Parameter::Array(length, elements)) => {
                for (at, element) in elements.into_iter().enumerate() {
                    let at = self.terms.int(at as i64);
                    let inside = self.terms.less(at, length);
                    self.under(inside, |machine| {
                        let value = machine.terms.known(element);
                        machine.assign(variable, value);
                        machine.block(body);
                    });
                }
            }
            _ => self.any_round(body, |machine| {
                let element = machine.fresh("element", Sort::Int);
                let value = machine.terms.known(element);
                machine.assign(variable, value);
                machine.member(element, array)
            }),
        }
    }

    fn for_range(&mut self, variable: VariableId, low: &Expr, high: &Expr, body: &[Statement]) {
        let (low, high) = (self.evaluate_told(low), self.evaluate_told(high));
        let null = self.terms.or([low.null, high.null]);
        self.abort_if(null);
        let known = self.terms.as_int(low.value).zip(self.terms.as_int(high.value));
        let rounds = match known {
            Some((low, high)) if high - low < 16 => Some((high - low + 1).max(0) as usize),
            _ if self.mode.copies > 0 => None,
            _ => Some(self.mode.rounds),
        };
        let Some(rounds) = rounds else {
            return self.any_round(body, |machine| {
                let value = machine.fresh("round", Sort::Int);
                let above = machine.terms.at_most(low.value, value);
                let below = machine.terms.at_most(value, high.value);
                let value = machine.terms.known(value);
                machine.assign(variable, value);
                machine.terms.and([above, below])
            });
        };
        // More rounds than are run would be another execution.
        let most = self.terms.int(rounds as i64);
        let end = self.terms.add(low.value, most);
        let few = self.terms.less(high.value, end);
        let fact = self.terms.implies(self.live, few);
        self.out.facts.push(fact);
        for round in 0..rounds {
            let round = self.terms.int(round as i64);
            let value = self.terms.add(low.value, round);
            let inside = self.terms.at_most(value, high.value);
            self.under(inside, |machine| {
                let value = machine.terms.known(value);
                machine.assign(variable, value);
                machine.block(body);
            });
        }
    }

    /// A loop of an open world: any round of it, once for each copy. What the body assigns is unknown before and
    /// after.
    fn any_round(&mut self, body: &[Statement], mut enter: impl FnMut(&mut Self) -> Term) {
        let mut changed = Vec::new();
        assigned(body, &mut changed);
        changed.extend(self.transaction.found);
        changed.sort_unstable();
        changed.dedup();
        let (outside, live) = (self.copy, self.live);
        let copies: Vec<usize> = match outside {
            Some(copy) => vec![copy],
            None => (0..self.mode.copies.max(1)).collect(),
        };
        for copy in copies {
            self.copy = Some(copy);
            self.live = live;
            self.forget(&changed);
            let inside = enter(self);
            self.live = self.terms.and([live, inside]);
            self.block(body);
        }
        self.copy = outside;
        self.forget(&changed);
        self.live = live;
        if may_return(body) {
            let goes_on = self.fresh("goes_on", Sort::Bool);
            self.live = self.terms.and([live, goes_on]);
        }
    }

    fn forget(&mut self, variables: &[VariableId]) {
        for &variable in variables {
            let ty = self.transaction.variables[variable.0 as usize].ty;
            self.variables[variable.0 as usize] = self.fresh_nullable("forgotten", ty);
        }
    }
}

/// Whether a statement looks at the database as a whole; the conditions of an IF do one by one.
fn looks(statement: &StatementKind) -> bool {
    match statement {
        StatementKind::Select { .. }
        | StatementKind::Insert { .. }
        | StatementKind::Update { .. }
        | StatementKind::Delete { .. }
        | StatementKind::ForQuery { .. } => true,
        StatementKind::Assign { value, .. } | StatementKind::Return(Some(value)) => {
            has_query(value)
        }
        StatementKind::ForRange { low, high, .. } => has_query(low) || has_query(high),
        StatementKind::If { .. }
        | StatementKind::ForEach { .. }
        | StatementKind::Abort
        | StatementKind::Return(None)
        | StatementKind::Skip => false,
    }
}

fn and(left: Option<Expr>, right: Expr, place: Place) -> Expr {
    match left {
        None => right,
        Some(left) => {
            let kind = ExprKind::Binary(Operator::And, Box::new(left), Box::new(right));
            Expr { kind, ty: Type::Bool, place }
        }
    }
}

/// `SELECT 1 FROM table WHERE filter`.
fn lookup(table: TableId, filter: Option<Expr>, place: Place) -> Query {
    let one = Expr { kind: ExprKind::Int(1), ty: Type::Int, place };
    Query {
        from: vec![table],
        filter,
        output: vec![one],
        order: Vec::new(),
        first_only: false,
        lock: None,
        place,
    }
}
