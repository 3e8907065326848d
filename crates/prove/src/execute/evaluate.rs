//! Expressions.

use super::combination::{Combined, Row};
use super::{Field, Machine, Parameter, World};
use crate::execute::Cell;
use crate::program::{
    Aggregate, ColumnId, Expr, ExprKind, Operator, Query, TableId, Type, VariableId,
};
use crate::term::{Sort, Term};
use crate::value::{Nullable, Values, sort_of};

impl<W: World> Machine<'_, W> {
    /// The value of an expression. What it reads of the rows is not recorded, since who evaluates it knows the guard; what
    /// its subqueries read is.
    pub(super) fn evaluate(&mut self, expr: &Expr, rows: &[Row]) -> Nullable {
        match &expr.kind {
            ExprKind::Null => self.terms.null(sort_of(expr.ty)),
            ExprKind::Int(value) => {
                let value = self.terms.int(*value);
                self.terms.known(value)
            }
            ExprKind::Decimal(numerator, denominator) => {
                let value = self.terms.ratio(*numerator, *denominator);
                self.terms.known(value)
            }
            ExprKind::Text(text) => {
                let value = self.terms.int(self.texts.number(text));
                self.terms.known(value)
            }
            ExprKind::Bool(value) => {
                let value = self.terms.bool(*value);
                self.terms.known(value)
            }
            ExprKind::Column(row, column) => self.column(&rows[row.0 as usize], *column),
            ExprKind::Variable(variable) => self.variables[variable.0 as usize],
            ExprKind::Not(of) => {
                let of = self.evaluate(of, rows);
                self.terms.negation(of)
            }
            ExprKind::Negate(of) => {
                let of = self.evaluate(of, rows);
                Nullable { null: of.null, value: self.terms.negate(of.value) }
            }
            ExprKind::Binary(operator, left, right) => {
                let left = self.evaluate(left, rows);
                let right = self.evaluate(right, rows);
                if matches!(operator, Operator::Divide | Operator::Modulo) {
                    self.refuse_zero(left, right);
                }
                self.terms.operate(*operator, left, right)
            }
            ExprKind::IsNull(of) => {
                let of = self.evaluate(of, rows);
                self.terms.known(of.null)
            }
            ExprKind::Case(arms, otherwise) => {
                let mut value = match otherwise {
                    Some(otherwise) => self.evaluate(otherwise, rows),
                    None => self.terms.null(sort_of(expr.ty)),
                };
                for (when, then) in arms.iter().rev() {
                    let when = self.evaluate(when, rows);
                    let when = self.terms.holds(when);
                    let then = self.evaluate(then, rows);
                    value = self.terms.choose(when, then, value);
                }
                value
            }
            ExprKind::Coalesce(all) => {
                let mut value = self.terms.null(sort_of(expr.ty));
                for one in all.iter().rev() {
                    let one = self.evaluate(one, rows);
                    value = self.terms.choose(one.null, value, one);
                }
                value
            }
            ExprKind::Member(of, array) => {
                let of = self.evaluate(of, rows);
                let value = self.member(of.value, *array);
                Nullable { null: of.null, value }
            }
            ExprKind::Exists(query) => {
                let exists = self.exists(query);
                let exists = self.terms.known(exists);
                self.come_to(self.live, exists);
                exists
            }
            ExprKind::InQuery(of, query) => {
                let of = self.evaluate(of, rows);
                let found = self.is_among(of, query);
                self.come_to(self.live, found);
                found
            }
            ExprKind::Scalar(query) => {
                let (values, _) = self.first_row(query);
                self.come_to(self.live, values[0]);
                values[0]
            }
            ExprKind::Aggregate(aggregate, of) => {
                self.aggregate(*aggregate, of.as_deref(), expr.ty)
            }
            ExprKind::Choose => {
                let value = self.fresh("choice", sort_of(expr.ty));
                let value = self.terms.known(value);
                self.out.choices.push((value, expr.ty));
                let site = self.next_site();
                self.out.made_up.insert(site, value.value);
                value
            }
        }
    }

    /// Whether a condition is true.
    pub(super) fn holds(&mut self, condition: Option<&Expr>, rows: &[Row]) -> Term {
        match condition {
            None => self.terms.bool(true),
            Some(condition) => {
                let value = self.evaluate(condition, rows);
                self.terms.holds(value)
            }
        }
    }

    fn column(&mut self, row: &Row, column: ColumnId) -> Nullable {
        match row {
            Row::Values(values) => values[column.0 as usize],
            Row::Stored(table, key) => {
                let definition = &self.program.tables[table.0 as usize];
                match definition.key.iter().position(|&of| of == column) {
                    Some(at) => {
                        let ty = definition.columns[column.0 as usize].ty;
                        let value = self.of_key(key[at], ty);
                        self.terms.known(value)
                    }
                    None => {
                        let field = Field::Column(column);
                        self.current(Cell { table: *table, key, field }).0
                    }
                }
            }
        }
    }

    /// A truth value stands in a key as zero or one.
    fn of_key(&mut self, term: Term, ty: Type) -> Term {
        if ty == Type::Bool {
            let one = self.terms.int(1);
            self.terms.equal(term, one)
        } else {
            term
        }
    }

    /// A value as it stands in a key.
    pub(super) fn as_key(&mut self, value: Term, table: TableId, position: usize) -> Term {
        let sort = super::key_sorts(self.program, table)[position];
        match (self.terms.sort(value), sort) {
            (Sort::Bool, _) => {
                let (one, zero) = (self.terms.int(1), self.terms.int(0));
                self.terms.if_else(value, one, zero)
            }
            (Sort::Int, Sort::Real) => self.terms.to_real(value),
            _ => value,
        }
    }

    /// Dividing by zero is an error.
    fn refuse_zero(&mut self, left: Nullable, right: Nullable) {
        let zero = match self.terms.sort(right.value) {
            Sort::Real => self.terms.ratio(0, 1),
            _ => self.terms.int(0),
        };
        let by_zero = self.terms.equal(right.value, zero);
        let (left, right) = (self.terms.not(left.null), self.terms.not(right.null));
        let failure = self.terms.and([left, right, by_zero]);
        self.abort_if(failure);
    }

    pub(super) fn member(&mut self, value: Term, array: VariableId) -> Term {
        match self.arrays.get(&array).cloned() {
            Some(Parameter::Array(length, elements)) => {
                let mut found = self.terms.bool(false);
                for (at, element) in elements.into_iter().enumerate() {
                    let at = self.terms.int(at as i64);
                    let inside = self.terms.less(at, length);
                    let equal = self.terms.equal(element, value);
                    let here = self.terms.and([inside, equal]);
                    found = self.terms.or([found, here]);
                }
                found
            }
            Some(Parameter::Set(members)) => self.terms.apply(members, &[value]),
            _ => self.terms.bool(false),
        }
    }

    /// `e IN (SELECT …)`: whether one of the rows is equal to it; unknown if it is NULL, or if none is and one is NULL.
    fn is_among(&mut self, of: Nullable, query: &Query) -> Nullable {
        let combinations = self.combinations(&query.from, query.filter.as_ref());
        self.record_all(&combinations, query);
        let mut found = self.terms.bool(false);
        let mut unknown = self.terms.bool(false);
        let mut any = self.terms.bool(false);
        for combination in &combinations.list {
            let value = self.evaluate(&query.output[0], &combination.rows);
            let equal = self.terms.operate(Operator::Equal, of, value);
            let holds = self.terms.holds(equal);
            let hit = self.terms.and([combination.matched, holds]);
            let open = self.terms.and([combination.matched, equal.null]);
            found = self.terms.or([found, hit]);
            unknown = self.terms.or([unknown, open]);
            any = self.terms.or([any, combination.matched]);
        }
        if combinations.open {
            // Some row was found that is equal, or nothing is known.
            let claimed = self.fresh("among", Sort::Bool);
            let fact = self.terms.implies(claimed, found);
            self.out.facts.push(fact);
            let null = self.fresh("among_null", Sort::Bool);
            return Nullable { null, value: claimed };
        }
        let not_found = self.terms.not(found);
        Nullable { null: self.terms.and([not_found, unknown]), value: found }
    }

    fn aggregate(&mut self, aggregate: Aggregate, of: Option<&Expr>, ty: Type) -> Nullable {
        let rows = match self.combined.clone().expect("aggregates are evaluated for a query") {
            Combined::All(rows) => rows,
            Combined::Any(combinations) => {
                return self.aggregate_open(&combinations, aggregate, of, ty);
            }
        };
        let mut values: Vec<(Term, Nullable)> = Vec::new();
        for (rows, matched) in &rows {
            let value = match of {
                Some(of) => self.evaluate(of, rows),
                None => {
                    let one = self.terms.int(1);
                    self.terms.known(one)
                }
            };
            let there = self.terms.not(value.null);
            let counts = self.terms.and([*matched, there]);
            values.push((counts, value));
        }
        let (zero, one) = (self.terms.int(0), self.terms.int(1));
        match aggregate {
            Aggregate::Count | Aggregate::CountDistinct => {
                let mut count = zero;
                for at in 0..values.len() {
                    let (mut counts, value) = values[at];
                    if aggregate == Aggregate::CountDistinct {
                        for &(earlier, other) in &values[..at] {
                            let equal = self.terms.equal(value.value, other.value);
                            let again = self.terms.and([earlier, equal]);
                            let first = self.terms.not(again);
                            counts = self.terms.and([counts, first]);
                        }
                    }
                    let more = self.terms.if_else(counts, one, zero);
                    count = self.terms.add(count, more);
                }
                self.terms.known(count)
            }
            Aggregate::Sum => {
                let nothing = if ty == Type::Decimal { self.terms.ratio(0, 1) } else { zero };
                let mut sum = nothing;
                let mut any = self.terms.bool(false);
                for (counts, value) in values {
                    let more = self.terms.if_else(counts, value.value, nothing);
                    sum = self.terms.add(sum, more);
                    any = self.terms.or([any, counts]);
                }
                Nullable { null: self.terms.not(any), value: sum }
            }
            Aggregate::Min | Aggregate::Max => {
                let mut best = self.terms.null(sort_of(ty));
                for (counts, value) in values {
                    let better = if aggregate == Aggregate::Min {
                        self.terms.less(value.value, best.value)
                    } else {
                        self.terms.less(best.value, value.value)
                    };
                    let takes = self.terms.or([best.null, better]);
                    let takes = self.terms.and([counts, takes]);
                    best = self.terms.choose(takes, value, best);
                }
                best
            }
        }
    }
}
