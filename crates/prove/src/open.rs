//! An open world: some instances among any number of others. If its formula cannot be satisfied, nothing like it happens in
//! any execution.
//!
//! What an instance sees is a function of the key that is known for nothing but being one. A dependency between two
//! instances is bounded from both sides: [`Open::may_depend`] holds whenever it is there (a pair of statements touches the
//! same field of the same row), and when [`Open::must_depend`] holds, it is. So a formula that has the first where a
//! dependency is asked for, and the second where its absence is, holds of all executions it should hold of
//! [Nagar 2018, section 4.3].
//!
//! A dependency on a later write of what was read may be taken to be on the *next* one only: the others follow by
//! write-write dependencies, so there is a cycle with all of them iff there is one with these. Of the next version more is known:
//! what was absent is inserted, what was there is deleted.

use std::collections::HashMap;

use crate::closed::{plain, unknown};
use crate::execute::{
    Access, Cell, Execution, Field, Mode, Parameter, Run, Scan, View, What, World, execute,
    key_sorts,
};
use crate::formula::Relation;
use crate::lemma::Lemmas;
use crate::order::Order;
use crate::program::{ColumnId, Program, TableId, Type};
use crate::specification::{Level, Specification};
use crate::term::{Sort, Term, Terms};
use crate::value::{Nullable, Texts, Values, sort_of};

/// The copy of a loop that a dependency on the instance uses, one of it on another, and the question whether it writes.
const INTO: usize = 0;
const OUT_OF: usize = 1;
const WRITES: usize = 2;

/// Some instances of an execution.
pub(crate) struct Open<'p> {
    program: &'p Program,
    texts: &'p Texts,
    pub(crate) terms: Terms,
    specification: &'p Specification,
    transactions: Vec<usize>,
    executions: Vec<Execution>,
    pub(crate) order: Order,
    /// What holds of every execution.
    pub(crate) facts: Vec<Term>,
}

struct Unknown<'p> {
    program: &'p Program,
}

impl World for Unknown<'_> {
    fn look(&mut self, terms: &mut Terms, at: View, cell: Cell<'_>) -> Nullable {
        let table = &self.program.tables[cell.table.0 as usize];
        let sorts = key_sorts(self.program, cell.table);
        let name = format!("see!{}!{}!{}", at.instance, at.statement, table.name);
        let mut look = |name: String, sort: Sort| {
            let function = terms.function(&plain(&name), &sorts, sort);
            terms.apply(function, cell.key)
        };
        match cell.field {
            Field::Alive => {
                let value = look(format!("{name}!"), Sort::Bool);
                terms.known(value)
            }
            Field::Column(column) => {
                let column = &table.columns[column.0 as usize];
                let name = format!("{name}!{}", column.name);
                let value = look(name.clone(), sort_of(column.ty));
                if column.nullable {
                    let null = look(format!("{name}!null"), Sort::Bool);
                    Nullable { null, value }
                } else {
                    terms.known(value)
                }
            }
        }
    }

    fn universe(&self, _: TableId) -> Option<Vec<Vec<Term>>> {
        None
    }
}

impl<'p> Open<'p> {
    pub(crate) fn new(
        program: &'p Program,
        texts: &'p Texts,
        specification: &'p Specification,
        transactions: &[usize],
    ) -> Open<'p> {
        let mut terms = Terms::new();
        let mut world = Unknown { program };
        let mut facts = Vec::new();
        let mut executions = Vec::new();
        for (at, &transaction) in transactions.iter().enumerate() {
            let definition = &program.transactions[transaction];
            let name = format!("t{at}");
            let parameters: Vec<Parameter> = definition.variables[..definition.parameters]
                .iter()
                .map(|variable| {
                    let name = plain(&format!("{name}!{}", variable.name));
                    if variable.ty == Type::IntArray {
                        Parameter::Set(terms.function(&name, &[Sort::Int], Sort::Bool))
                    } else {
                        Parameter::One(unknown(&mut terms, &name, variable.ty, false))
                    }
                })
                .collect();
            if let Some(requires) = &definition.requires {
                let values: Vec<Nullable> = parameters
                    .iter()
                    .map(|parameter| match parameter {
                        Parameter::One(value) => *value,
                        _ => terms.null(Sort::Int),
                    })
                    .collect();
                let value = crate::condition::evaluate(&mut terms, texts, requires, &values, &[]);
                let holds = terms.holds(value);
                facts.push(holds);
            }
            let mode = Mode {
                statement_views: !specification.levels[transaction].is_atomic(),
                copies: 3,
                rounds: 0,
            };
            let run = Run { program, texts, transaction: definition, instance: at, name, mode };
            let execution = execute(run, &parameters, &mut world, &mut terms);
            facts.extend(&execution.facts);
            let committed = terms.not(execution.aborted);
            facts.push(committed);
            executions.push(execution);
        }
        let views: Vec<usize> = executions.iter().map(|execution| execution.views.len()).collect();
        let order = Order::unknown(&mut terms, &views);
        facts.extend(order.basics(&mut terms));
        let transactions = transactions.to_vec();
        let mut open =
            Open { program, texts, terms, specification, transactions, executions, order, facts };
        open.levels();
        open
    }

    fn levels(&mut self) {
        let executions = &self.executions;
        let conflicts_of = self.specification.conflicts;
        let levels: Vec<Level> =
            self.transactions.iter().map(|&at| self.specification.levels[at]).collect();
        let facts = self.order.levels(
            &mut self.terms,
            self.specification,
            &self.transactions,
            |terms, earlier, later, view| {
                let mut conflicts = Vec::new();
                for access in &executions[later].accesses {
                    if !levels[later].is_atomic() && access.view > view {
                        continue;
                    }
                    for other in &executions[earlier].accesses {
                        if access.table != other.table {
                            continue;
                        }
                        let clash = match (&other.what, &access.what) {
                            (What::Write(one, _), What::Write(two, _)) => {
                                one == two || conflicts_of.are_rows(levels[later])
                            }
                            (What::Write(..), What::Lock) => true,
                            (What::Lock, What::Write(..) | What::Lock) => {
                                levels[later].waits_for_locks()
                            }
                            _ => false,
                        };
                        if clash {
                            let same = terms.all_equal(&access.key, &other.key);
                            conflicts.push(terms.and([access.guard, other.guard, same]));
                        }
                    }
                }
                terms.or(conflicts)
            },
        );
        self.facts.extend(facts);
        self.formulas();
    }

    /// What a specification asks besides levels. Two may overwrite each other in rounds of loops that are not looked at.
    fn formulas(&mut self) {
        for formula in &self.specification.formulas {
            let (order, executions) = (&self.order, &self.executions);
            let facts = formula.facts(
                &mut self.terms,
                &self.transactions,
                |terms, relation, one, other, positive| match relation {
                    Relation::Sees => Some(order.seen_at_last(one, other)),
                    Relation::Before => Some(order.before(one, other)),
                    Relation::Overwrites if positive => None,
                    Relation::Overwrites => {
                        let mut ways = Vec::new();
                        for first in &executions[one].accesses {
                            for second in &executions[other].accesses {
                                let overwrites = match (&first.what, &second.what) {
                                    (What::Write(one, _), What::Write(two, _)) => one == two,
                                    _ => false,
                                };
                                if overwrites && first.table == second.table {
                                    let same = terms.all_equal(&first.key, &second.key);
                                    ways.push(terms.and([first.guard, second.guard, same]));
                                }
                            }
                        }
                        let some = terms.or(ways);
                        Some(terms.and([some, order.before(one, other)]))
                    }
                    Relation::Same => None,
                },
            );
            self.facts.extend(facts);
        }
    }

    fn accesses(&self, instance: usize, copy: usize) -> Vec<Access> {
        let all = self.executions[instance].accesses.iter();
        all.filter(|access| access.copy.is_none_or(|of| of == copy)).cloned().collect()
    }

    /// Whether an instance writes anything.
    pub(crate) fn writes(&mut self, instance: usize) -> Term {
        let accesses = self.accesses(instance, WRITES);
        let writes = accesses.iter().filter(|access| matches!(access.what, What::Write(..)));
        let guards: Vec<Term> = writes.map(|access| access.guard).collect();
        self.terms.or(guards)
    }

    /// Whether everybody sees who wrote before what he writes, all his life: then a row is deleted or inserted in turns.
    fn takes_turns(&self) -> bool {
        let mut levels = self.specification.levels.iter();
        levels.all(|level| level.is_atomic() && level.sees_conflicts())
    }

    /// What holds if one depends on another. With `next`, of what it read only on the next version.
    pub(crate) fn may_depend(&mut self, from: usize, to: usize, next: bool) -> Term {
        let (first, second) = (self.accesses(from, OUT_OF), self.accesses(to, INTO));
        let mut ways = Vec::new();
        for one in &first {
            for other in second.iter().filter(|other| other.table == one.table) {
                let way = match (&one.what, &other.what) {
                    (What::Write(field, _), What::Write(again, _)) if field == again => {
                        let same = self.terms.all_equal(&one.key, &other.key);
                        Some(self.terms.and([same, self.order.before(from, to)]))
                    }
                    (What::Write(field, written), What::Read(read)) if field == read => {
                        Some(self.reads_from(one, *written, (to, other), *field, from))
                    }
                    (What::Read(read), What::Write(field, written)) if field == read => {
                        Some(self.reads_before((from, one), other, *field, *written, to, next))
                    }
                    (What::Write(field, value), What::Scan(scan)) => {
                        let seen = self.order.seen(from, to, other.view);
                        let matters = self.may_matter(scan, one, *field, *value, false);
                        Some(self.terms.and([seen, matters]))
                    }
                    (What::Scan(scan), What::Write(field, value)) => {
                        let seen = self.order.seen(to, from, one.view);
                        let unseen = self.terms.not(seen);
                        let matters = self.may_matter(scan, other, *field, *value, next);
                        Some(self.terms.and([unseen, matters]))
                    }
                    _ => None,
                };
                if let Some(way) = way {
                    ways.push(self.terms.and([one.guard, other.guard, way]));
                }
            }
        }
        self.terms.or(ways)
    }

    /// That a reader reads what was written.
    fn reads_from(
        &mut self,
        write: &Access,
        written: Nullable,
        (reader, read): (usize, &Access),
        field: Field,
        writer: usize,
    ) -> Term {
        let same = self.terms.all_equal(&write.key, &read.key);
        let seen = self.order.seen(writer, reader, read.view);
        let sees = self.look(reader, read, field);
        let value = self.terms.same(sees, written);
        self.terms.and([same, seen, value])
    }

    /// That a reader reads an earlier version than the one written.
    fn reads_before(
        &mut self,
        (reader, read): (usize, &Access),
        write: &Access,
        field: Field,
        written: Nullable,
        writer: usize,
        next: bool,
    ) -> Term {
        let same = self.terms.all_equal(&write.key, &read.key);
        let seen = self.order.seen(writer, reader, read.view);
        let unseen = self.terms.not(seen);
        let mut before = self.terms.and([same, unseen]);
        if next && field == Field::Alive && self.takes_turns() {
            let sees = self.look(reader, read, field);
            let equal = self.terms.equal(sees.value, written.value);
            let turned = self.terms.not(equal);
            before = self.terms.and([before, turned]);
        }
        before
    }

    fn look(&mut self, reader: usize, read: &Access, field: Field) -> Nullable {
        let view = View { instance: reader, statement: read.view };
        let cell = Cell { table: read.table, key: &read.key, field };
        Unknown { program: self.program }.look(&mut self.terms, view, cell)
    }

    /// Whether what is written to a row may change what a scan found.
    fn may_matter(
        &mut self,
        scan: &Scan,
        write: &Access,
        field: Field,
        value: Nullable,
        next: bool,
    ) -> Term {
        let mut stands: HashMap<Term, Term> =
            scan.key.iter().copied().zip(write.key.iter().copied()).collect();
        let matters = match field {
            Field::Column(column) if !scan.fields.contains(&column) => {
                return self.terms.bool(false);
            }
            // A row that is inserted is as it was inserted, for whoever reads that version.
            Field::Alive if self.terms.is(value.value, true) && next => {
                for (at, stand) in scan.columns.iter().enumerate() {
                    let column = Field::Column(ColumnId(at as u32));
                    let written = self.executions.iter().flat_map(|execution| &execution.accesses);
                    let mut written = written.filter_map(|access| match access.what {
                        What::Write(of, value)
                            if of == column
                                && access.key == write.key
                                && access.place == write.place
                                && access.guard == write.guard =>
                        {
                            Some(value)
                        }
                        _ => None,
                    });
                    if let Some(value) = written.next_back() {
                        stands.insert(stand.value, value.value);
                        stands.insert(stand.null, value.null);
                    }
                }
                scan.matches
            }
            // What was not there cannot be the next to go.
            Field::Alive if next && scan.none && self.takes_turns() => {
                return self.terms.bool(false);
            }
            _ => scan.relevant,
        };
        let matters = self.terms.substitute(matters, &stands);
        let Some(bound) = scan.bound.filter(|_| next) else { return matters };
        let key = write.key[bound.position];
        let result = bound.result.value;
        let (low, high) = if bound.least { (key, result) } else { (result, key) };
        let none = bound.result.null;
        let reaches = match field {
            Field::Alive if self.terms.is(value.value, true) => {
                let less = self.terms.less(low, high);
                self.terms.or([none, less])
            }
            Field::Alive if self.takes_turns() => {
                let equal = self.terms.equal(low, high);
                let some = self.terms.not(none);
                self.terms.and([some, equal])
            }
            _ => {
                let up_to = self.terms.at_most(low, high);
                self.terms.or([none, up_to])
            }
        };
        self.terms.and([matters, reaches])
    }

    /// The accesses of an instance that change a column.
    pub(crate) fn changes_of(&self, instance: usize, of: (TableId, ColumnId)) -> Vec<Access> {
        let accesses = self.executions[instance].accesses.iter();
        accesses.filter(|access| is_change(access, of)).cloned().collect()
    }

    /// That a change leaves a column as it was seen, or less.
    pub(crate) fn does_not_grow(
        &mut self,
        instance: usize,
        change: &Access,
        column: ColumnId,
    ) -> Term {
        let What::Write(_, written) = change.what else { return self.terms.bool(false) };
        let seen = self.look(instance, change, Field::Column(column));
        let falls = self.terms.at_most(written.value, seen.value);
        let falls = self.terms.or([written.null, falls]);
        self.terms.and([change.guard, falls])
    }

    /// A field of a row as it was at first.
    fn initial(&mut self, table: TableId, key: &[Term], field: Field) -> Nullable {
        let definition = &self.program.tables[table.0 as usize];
        let sorts = key_sorts(self.program, table);
        let mut value = |name: String, sort: Sort| {
            let function = self.terms.function(&plain(&name), &sorts, sort);
            self.terms.apply(function, key)
        };
        match field {
            Field::Alive => {
                let alive = value(format!("init!{}!", definition.name), Sort::Bool);
                self.terms.known(alive)
            }
            Field::Column(column) => {
                let column_definition = &definition.columns[column.0 as usize];
                if let Some(position) = definition.key.iter().position(|&of| of == column) {
                    return self.terms.known(key[position]);
                }
                let name = format!("init!{}!{}", definition.name, column_definition.name);
                let known = value(name.clone(), sort_of(column_definition.ty));
                if column_definition.nullable {
                    let null = value(format!("{name}!null"), Sort::Bool);
                    Nullable { null, value: known }
                } else {
                    self.terms.known(known)
                }
            }
        }
    }

    /// The keys of a table that instances speak of.
    fn keys(&self, table: TableId) -> Vec<Vec<Term>> {
        let accesses = self.executions.iter().flat_map(|execution| &execution.accesses);
        let of = accesses.filter(|access| access.table == table && !access.key.is_empty());
        let mut keys: Vec<Vec<Term>> = of.map(|access| access.key.clone()).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Adds what is known of tables that are constant and of counters.
    pub(crate) fn apply(&mut self, lemmas: &Lemmas) {
        for &table in &lemmas.constant {
            let keys = self.keys(table);
            for instance in 0..self.executions.len() {
                for view in 0..self.order.views(instance) {
                    for key in &keys {
                        let at = View { instance, statement: view };
                        let cell = Cell { table, key, field: Field::Alive };
                        let seen =
                            Unknown { program: self.program }.look(&mut self.terms, at, cell);
                        let initial = self.initial(table, key, Field::Alive);
                        let fact = self.terms.equal(seen.value, initial.value);
                        self.facts.push(fact);
                    }
                }
            }
        }
        for &(table, column) in &lemmas.counters {
            self.count(table, column);
        }
    }

    /// Adds that a column grows.
    fn count(&mut self, table: TableId, column: ColumnId) {
        let field = Field::Column(column);
        for reader in 0..self.executions.len() {
            let level = self.specification.levels[self.transactions[reader]];
            if !level.is_atomic() {
                continue;
            }
            let at = View { instance: reader, statement: 0 };
            for key in self.keys(table) {
                let cell = Cell { table, key: &key, field };
                let seen = Unknown { program: self.program }.look(&mut self.terms, at, cell);
                let initial = self.initial(table, &key, field);
                let fact = self.terms.at_most(initial.value, seen.value);
                self.facts.push(fact);
            }
            for writer in (0..self.executions.len()).filter(|&writer| writer != reader) {
                for change in self.changes_of(writer, (table, column)) {
                    let What::Write(_, written) = change.what else { continue };
                    let cell = Cell { table, key: &change.key, field };
                    let mut world = Unknown { program: self.program };
                    let seen = world.look(&mut self.terms, at, cell);
                    let own = View { instance: writer, statement: 0 };
                    let before = world.look(&mut self.terms, own, cell);
                    let sees = self.order.seen_at_last(writer, reader);
                    let both = self.terms.and([change.guard, sees]);
                    let at_least = self.terms.at_most(written.value, seen.value);
                    let fact = self.terms.implies(both, at_least);
                    self.facts.push(fact);
                    if level.sees_past() {
                        let not = self.terms.not(sees);
                        let both = self.terms.and([change.guard, not]);
                        let at_most = self.terms.at_most(seen.value, before.value);
                        let fact = self.terms.implies(both, at_most);
                        self.facts.push(fact);
                    }
                }
            }
        }
    }

    /// Rows that an instance looks at and somebody may have inserted: the table, the key, and whose look.
    pub(crate) fn may_have_witnesses(
        &self,
        instance: usize,
        lemmas: &Lemmas,
    ) -> Vec<(TableId, Vec<Term>, usize)> {
        let mut rows = Vec::new();
        for access in &self.executions[instance].accesses {
            let inserts = match access.what {
                What::Write(Field::Alive, value) => self.terms.is(value.value, true),
                _ => false,
            };
            let row = (access.table, access.key.clone(), access.view);
            if !inserts
                && !access.key.is_empty()
                && !lemmas.inserters[access.table.0 as usize].is_empty()
                && !rows.contains(&row)
            {
                rows.push(row);
            }
        }
        rows
    }

    /// When an instance inserts a row of this key. Of what happens in a loop, one of the rounds that are looked at.
    fn inserts(&mut self, instance: usize, table: TableId, key: &[Term], any_round: bool) -> Term {
        let mut ways = Vec::new();
        for access in self.executions[instance].accesses.clone() {
            let What::Write(Field::Alive, value) = access.what else { continue };
            if access.table != table || !self.terms.is(value.value, true) {
                continue;
            }
            let same = self.terms.all_equal(&access.key, key);
            if any_round && access.copy.is_some() {
                // The round that inserts it may be another one.
                ways.push(self.terms.bool(true));
            } else {
                ways.push(self.terms.and([access.guard, same]));
            }
        }
        self.terms.or(ways)
    }

    /// That a row which an instance sees was there at first, or inserted by one of the others here that it sees; and what is
    /// known of it if it was there at first.
    pub(crate) fn without_witness(
        &mut self,
        reader: usize,
        (table, key, view): &(TableId, Vec<Term>, usize),
    ) {
        let at = View { instance: reader, statement: *view };
        let cell = Cell { table: *table, key, field: Field::Alive };
        let seen = Unknown { program: self.program }.look(&mut self.terms, at, cell).value;
        let initial = self.initial(*table, key, Field::Alive).value;
        let mut ways = vec![initial];
        for other in (0..self.executions.len()).filter(|&other| other != reader) {
            let inserts = self.inserts(other, *table, key, true);
            let sees = self.order.seen(other, reader, *view);
            ways.push(self.terms.and([inserts, sees]));
        }
        let some = self.terms.or(ways);
        let fact = self.terms.implies(seen, some);
        self.facts.push(fact);
        self.hold_at_first(*table, key);
    }

    /// That the last instance inserted a row which another sees.
    pub(crate) fn with_witness(
        &mut self,
        reader: usize,
        (table, key, view): &(TableId, Vec<Term>, usize),
    ) {
        let witness = self.executions.len() - 1;
        let inserts = self.inserts(witness, *table, key, false);
        let sees = self.order.seen(witness, reader, *view);
        self.facts.extend([inserts, sees]);
    }

    /// That the invariants held at first of a row, and of others that instances speak of.
    fn hold_at_first(&mut self, table: TableId, key: &[Term]) {
        let program = self.program;
        for invariant in program.invariants.iter().filter(|it| it.from.contains(&table)) {
            let mut combinations: Vec<Vec<(TableId, Vec<Term>)>> = vec![Vec::new()];
            for &of in &invariant.from {
                let keys = if of == table { vec![key.to_vec()] } else { self.keys(of) };
                combinations = combinations
                    .into_iter()
                    .flat_map(|rest| {
                        keys.iter().map(move |key| {
                            let mut longer = rest.clone();
                            longer.push((of, key.clone()));
                            longer
                        })
                    })
                    .collect();
            }
            for combination in combinations {
                let mut there = Vec::new();
                let mut rows: Vec<Vec<Nullable>> = Vec::new();
                for (table, key) in &combination {
                    there.push(self.initial(*table, key, Field::Alive).value);
                    let columns = program.tables[table.0 as usize].columns.len() as u32;
                    let fields = (0..columns).map(|at| Field::Column(ColumnId(at)));
                    rows.push(fields.map(|field| self.initial(*table, key, field)).collect());
                }
                let rows: Vec<&[Nullable]> = rows.iter().map(|row| &row[..]).collect();
                let condition = &invariant.condition;
                let value =
                    crate::condition::evaluate(&mut self.terms, self.texts, condition, &[], &rows);
                let holds = self.terms.holds(value);
                let there = self.terms.and(there);
                let fact = self.terms.implies(there, holds);
                self.facts.push(fact);
            }
        }
    }

    /// When one surely depends on another.
    pub(crate) fn must_depend(&mut self, from: usize, to: usize) -> Term {
        let reader = self.specification.levels[self.transactions[from]];
        // Who sees a later version than the one written sees the writer, too.
        let sees_all = reader.sees_prefix() || (reader.sees_past() && self.takes_turns());
        let first = self.executions[from].accesses.clone();
        let second = self.executions[to].accesses.clone();
        let mut ways = Vec::new();
        for one in &first {
            for other in second.iter().filter(|other| other.table == one.table) {
                let when = match (&one.what, &other.what) {
                    (What::Write(field, _), What::Write(again, _)) if field == again => {
                        self.order.before(from, to)
                    }
                    (What::Read(read), What::Write(field, _)) if read == field && sees_all => {
                        let seen = self.order.seen(to, from, one.view);
                        self.terms.not(seen)
                    }
                    _ => continue,
                };
                let same = self.terms.all_equal(&one.key, &other.key);
                ways.push(self.terms.and([one.guard, other.guard, same, when]));
            }
        }
        self.terms.or(ways)
    }
}

/// Whether an access changes a column.
fn is_change(access: &Access, (table, column): (TableId, ColumnId)) -> bool {
    let changes = match access.what {
        What::Write(field, _) => field == Field::Column(column),
        _ => false,
    };
    access.table == table && changes
}
