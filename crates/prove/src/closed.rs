//! A closed world: so many instances, so many rows, and nothing else. If its formula can be satisfied, there is an anomaly,
//! with all values.
//!
//! Every table has a few rows whose keys, and whether they are there at first and with which columns, are unknown; each
//! instance has a view of each of their fields, which the order decides:
//!
//! ```text
//!   view of t2 of (account, row 1, balance)  =  what t1 wrote, if t1 wrote it and t2 sees t1 and no later writer,
//!                                               else what was there at first
//! ```
//!
//! So reads are what they must be, and the dependencies between instances [Nagar 2018, definition 3] are known exactly. An
//! anomaly is a cycle of them. Where values repeat, a cycle need not be visible: the reads may be those of a serial run, too.
//! [`Closed::differs`] says that they are not those of one serial order, and is added for every order that a model turned
//! out to agree with.

use std::collections::{BTreeMap, HashMap};

use crate::execute::{
    Cell, Execution, Field, Mode, Parameter, Run, View, What, World, execute, key_sorts,
};
use crate::order::Order;
use crate::program::{Place, Program, TableId, Type};
use crate::smt::Value;
use crate::specification::Specification;
use crate::term::{Sort, Term, Terms};
use crate::value::{Nullable, Texts, Values, sort_of};

/// A row that there can be.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) key: Vec<Term>,
    /// Whether it is there at first.
    pub(crate) alive: Term,
    /// What its columns are at first; those of the key are the key.
    pub(crate) columns: Vec<Nullable>,
}

/// A field of a row, by numbers.
pub(crate) type CellId = (TableId, usize, Field);

/// How a dependency comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// The second reads what the first wrote.
    WriteRead,
    /// The second overwrites what the first wrote.
    WriteWrite,
    /// The second overwrites what the first read.
    ReadWrite,
}

/// A dependency that may be.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) kind: Dependency,
    pub(crate) cell: CellId,
    /// The statements.
    pub(crate) places: (Place, Place),
    /// When it is.
    pub(crate) when: Term,
}

/// Instances of transactions in a closed world.
pub(crate) struct Closed<'p> {
    program: &'p Program,
    texts: &'p Texts,
    pub(crate) terms: Terms,
    /// The transaction of each instance.
    pub(crate) transactions: Vec<usize>,
    pub(crate) parameters: Vec<Vec<Parameter>>,
    pub(crate) rows: Vec<Vec<Candidate>>,
    pub(crate) executions: Vec<Execution>,
    pub(crate) order: Order,
    pub(crate) edges: Vec<Edge>,
    /// What holds of every execution.
    pub(crate) facts: Vec<Term>,
    mode: Mode,
}

/// How large a closed world is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// The most rows of a table.
    pub(crate) rows: usize,
    /// The most elements of an array.
    pub(crate) elements: usize,
    /// The most rounds of a counted loop.
    pub(crate) rounds: usize,
}

struct Views<'r> {
    program: &'r Program,
    rows: &'r [Vec<Candidate>],
    known: BTreeMap<(View, CellId), Nullable>,
}

impl World for Views<'_> {
    fn look(&mut self, terms: &mut Terms, at: View, cell: Cell<'_>) -> Nullable {
        let table = &self.program.tables[cell.table.0 as usize];
        let mut value = match cell.field {
            Field::Alive => {
                let absent = terms.bool(false);
                terms.known(absent)
            }
            Field::Column(column) => terms.null(sort_of(table.columns[column.0 as usize].ty)),
        };
        for (row, candidate) in self.rows[cell.table.0 as usize].iter().enumerate().rev() {
            let same = terms.all_equal(&candidate.key, cell.key);
            if terms.is(same, false) {
                continue;
            }
            let id = (cell.table, row, cell.field);
            let here = *self.known.entry((at, id)).or_insert_with(|| {
                let View { instance, statement } = at;
                let name = format!("see!{instance}!{statement}!{}!{row}", table.name);
                match cell.field {
                    Field::Alive => {
                        let alive = terms.variable(&format!("{name}!"), Sort::Bool);
                        terms.known(alive)
                    }
                    Field::Column(column) => {
                        let column = &table.columns[column.0 as usize];
                        unknown(
                            terms,
                            &format!("{name}!{}", column.name),
                            column.ty,
                            column.nullable,
                        )
                    }
                }
            });
            value = terms.choose(same, here, value);
        }
        value
    }

    fn universe(&self, table: TableId) -> Option<Vec<Vec<Term>>> {
        Some(self.rows[table.0 as usize].iter().map(|row| row.key.clone()).collect())
    }
}

/// A value of which nothing is known but its type.
pub(crate) fn unknown(terms: &mut Terms, name: &str, ty: Type, nullable: bool) -> Nullable {
    let name = plain(name);
    let value = terms.variable(&name, sort_of(ty));
    if nullable {
        Nullable { null: terms.variable(&format!("{name}!null"), Sort::Bool), value }
    } else {
        terms.known(value)
    }
}

/// A name that solvers read without quotes; names of SQL may have any character.
pub(crate) fn plain(name: &str) -> String {
    name.chars()
        .flat_map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '!' => vec![c],
            other => format!("${:x}", u32::from(other)).chars().collect(),
        })
        .collect()
}

impl<'p> Closed<'p> {
    pub(crate) fn new(
        program: &'p Program,
        texts: &'p Texts,
        specification: &Specification,
        transactions: &[usize],
        size: Size,
    ) -> Closed<'p> {
        let mut terms = Terms::new();
        let rows = rows(program, transactions, size, &mut terms);
        let mut facts = Vec::new();
        let mut views = Views { program, rows: &rows, known: BTreeMap::new() };
        let mut executions = Vec::new();
        let mut parameters = Vec::new();
        for (at, &transaction) in transactions.iter().enumerate() {
            let definition = &program.transactions[transaction];
            let name = format!("t{at}");
            let own = own_parameters(definition, &name, size, &mut terms, &mut facts);
            let mode = Mode {
                statement_views: !specification.levels[transaction].is_atomic(),
                copies: 0,
                rounds: size.rounds,
            };
            let run = Run { program, texts, transaction: definition, instance: at, name, mode };
            let execution = execute(run, &own, &mut views, &mut terms);
            facts.extend(&execution.facts);
            let committed = terms.not(execution.aborted);
            facts.push(committed);
            executions.push(execution);
            parameters.push(own);
        }
        let known = views.known;
        let looks: Vec<usize> = executions.iter().map(|execution| execution.views.len()).collect();
        let order = Order::unknown(&mut terms, &looks);
        let mode = Mode { statement_views: false, copies: 0, rounds: size.rounds };
        let mut closed = Closed {
            program,
            texts,
            terms,
            transactions: transactions.to_vec(),
            parameters,
            rows,
            executions,
            order,
            edges: Vec::new(),
            facts,
            mode,
        };
        closed.require();
        closed.state();
        closed.relate(specification, known);
        closed
    }

    /// What is known of parameters.
    fn require(&mut self) {
        for at in 0..self.transactions.len() {
            let definition = &self.program.transactions[self.transactions[at]];
            if let Some(requires) = &definition.requires {
                let values: Vec<Nullable> = self.parameters[at]
                    .iter()
                    .map(|parameter| match parameter {
                        Parameter::One(value) => *value,
                        _ => self.terms.null(Sort::Int),
                    })
                    .collect();
                let value =
                    crate::condition::evaluate(&mut self.terms, self.texts, requires, &values, &[]);
                let holds = self.terms.holds(value);
                self.facts.push(holds);
            }
        }
    }

    /// What is known of the first state: keys are in order, and constraints and invariants hold.
    fn state(&mut self) {
        let program = self.program;
        for (at, table) in program.tables.iter().enumerate() {
            let rows = self.rows[at].clone();
            for pair in rows.windows(2) {
                let less = self.less(&pair[0].key, &pair[1].key);
                self.facts.push(less);
            }
            for row in &rows {
                for check in &table.checks {
                    let columns: [&[Nullable]; 1] = [&row.columns];
                    let value = crate::condition::evaluate(
                        &mut self.terms,
                        self.texts,
                        check,
                        &[],
                        &columns,
                    );
                    let fails = self.terms.negation(value);
                    let fails = self.terms.holds(fails);
                    let holds = self.terms.not(fails);
                    let fact = self.terms.implies(row.alive, holds);
                    self.facts.push(fact);
                }
                for reference in &table.references {
                    let parents = self.rows[reference.table.0 as usize].clone();
                    let mut found = self.terms.bool(false);
                    for parent in parents {
                        let mut here = parent.alive;
                        for (from, to) in reference.columns.iter().zip(&reference.to) {
                            let (from, to) =
                                (row.columns[from.0 as usize], parent.columns[to.0 as usize]);
                            let equal = self.terms.equal(from.value, to.value);
                            here = self.terms.and([here, equal]);
                        }
                        found = self.terms.or([found, here]);
                    }
                    for column in &reference.columns {
                        found = self.terms.or([found, row.columns[column.0 as usize].null]);
                    }
                    let fact = self.terms.implies(row.alive, found);
                    self.facts.push(fact);
                }
            }
            for unique in &table.unique {
                for one in 0..rows.len() {
                    for other in one + 1..rows.len() {
                        let mut same = self.terms.and([rows[one].alive, rows[other].alive]);
                        for column in unique {
                            let (left, right) = (
                                rows[one].columns[column.0 as usize],
                                rows[other].columns[column.0 as usize],
                            );
                            let equal = self.terms.equal(left.value, right.value);
                            let (left, right) =
                                (self.terms.not(left.null), self.terms.not(right.null));
                            same = self.terms.and([same, equal, left, right]);
                        }
                        let fact = self.terms.not(same);
                        self.facts.push(fact);
                    }
                }
            }
        }
        for invariant in &program.invariants {
            let mut combinations: Vec<Vec<&Candidate>> = vec![Vec::new()];
            let rows = self.rows.clone();
            for table in &invariant.from {
                combinations = combinations
                    .into_iter()
                    .flat_map(|rest| {
                        rows[table.0 as usize].iter().map(move |row| {
                            let mut longer = rest.clone();
                            longer.push(row);
                            longer
                        })
                    })
                    .collect();
            }
            for combination in combinations {
                let columns: Vec<&[Nullable]> =
                    combination.iter().map(|row| &row.columns[..]).collect();
                let value = crate::condition::evaluate(
                    &mut self.terms,
                    self.texts,
                    &invariant.condition,
                    &[],
                    &columns,
                );
                let holds = self.terms.holds(value);
                let there = self.terms.and(combination.iter().map(|row| row.alive));
                let fact = self.terms.implies(there, holds);
                self.facts.push(fact);
            }
        }
    }

    /// Whether one key comes before another.
    fn less(&mut self, left: &[Term], right: &[Term]) -> Term {
        let mut less = self.terms.bool(false);
        for (&left, &right) in left.iter().zip(right).rev() {
            let here = self.terms.less(left, right);
            let equal = self.terms.equal(left, right);
            let later = self.terms.and([equal, less]);
            less = self.terms.or([here, later]);
        }
        less
    }

    /// Ties views to writes and the order, and finds what may depend on what.
    fn relate(&mut self, specification: &Specification, known: BTreeMap<(View, CellId), Nullable>) {
        let writes = self.writes();
        self.inside();
        let mut lasts: HashMap<(usize, usize, usize, CellId), Term> = HashMap::new();
        for ((view, cell), seen) in &known {
            let row = &self.rows[cell.0.0 as usize][cell.1];
            let mut value = match cell.2 {
                Field::Alive => Nullable { null: self.terms.bool(false), value: row.alive },
                Field::Column(column) => row.columns[column.0 as usize],
            };
            for writer in 0..self.executions.len() {
                if writer == view.instance {
                    continue;
                }
                if let Some(&(_, written, _)) = writes[writer].get(cell) {
                    let last = self.last(&writes, &mut lasts, writer, *view, *cell);
                    value = self.terms.choose(last, written, value);
                }
            }
            let same = self.terms.equal(seen.null, value.null);
            let equal = self.terms.equal(seen.value, value.value);
            let equal = self.terms.or([equal, seen.null]);
            self.facts.extend([same, equal]);
        }
        self.dependencies(&writes, &mut lasts);
        let basics = self.order.basics(&mut self.terms);
        self.facts.extend(basics);
        let conflicts = self.conflicts(&writes, specification);
        let levels = self.order.levels(
            &mut self.terms,
            specification,
            &self.transactions,
            |terms, one, other, view| match conflicts.get(&(one, other)) {
                Some(list) => {
                    let at: Vec<Term> =
                        list.iter().filter(|(at, _)| *at <= view).map(|&(_, when)| when).collect();
                    terms.or(at)
                }
                None => terms.bool(false),
            },
        );
        self.facts.extend(levels);
    }

    /// What each instance writes at last: when, what, and by which statement.
    fn writes(&mut self) -> Vec<BTreeMap<CellId, (Term, Nullable, Place)>> {
        let mut all = Vec::new();
        for at in 0..self.executions.len() {
            let mut own: BTreeMap<CellId, (Term, Nullable, Place)> = BTreeMap::new();
            for access in self.executions[at].accesses.clone() {
                let What::Write(field, value) = access.what else { continue };
                for row in 0..self.rows[access.table.0 as usize].len() {
                    let key = self.rows[access.table.0 as usize][row].key.clone();
                    let same = self.terms.all_equal(&key, &access.key);
                    let when = self.terms.and([access.guard, same]);
                    if self.terms.is(when, false) {
                        continue;
                    }
                    let id = (access.table, row, field);
                    let entry = match own.get(&id) {
                        None => (when, value, access.place),
                        Some(&(earlier, before, _)) => {
                            let value = self.terms.choose(when, value, before);
                            (self.terms.or([earlier, when]), value, access.place)
                        }
                    };
                    own.insert(id, entry);
                }
            }
            all.push(own);
        }
        all
    }

    /// Every row that is inserted is one of those there can be; one without a key is new.
    fn inside(&mut self) {
        let mut anonymous: Vec<(TableId, Term, Term)> = Vec::new();
        for at in 0..self.executions.len() {
            for access in self.executions[at].accesses.clone() {
                let What::Write(Field::Alive, _) = access.what else { continue };
                let rows = self.rows[access.table.0 as usize].clone();
                let same: Vec<Term> =
                    rows.iter().map(|row| self.terms.all_equal(&row.key, &access.key)).collect();
                let some = self.terms.or(same);
                let fact = self.terms.implies(access.guard, some);
                self.facts.push(fact);
            }
            for (table, key, guard) in self.executions[at].anonymous.clone() {
                for row in self.rows[table.0 as usize].clone() {
                    let same = self.terms.equal(row.key[0], key);
                    let clash = self.terms.and([guard, same, row.alive]);
                    let fact = self.terms.not(clash);
                    self.facts.push(fact);
                }
                for &(other_table, other, other_guard) in &anonymous {
                    if other_table == table {
                        let same = self.terms.equal(other, key);
                        let clash = self.terms.and([guard, other_guard, same]);
                        let fact = self.terms.not(clash);
                        self.facts.push(fact);
                    }
                }
                anonymous.push((table, key, guard));
            }
        }
    }

    /// Whether a writer's version of a field is the one that a look sees.
    fn last(
        &mut self,
        writes: &[BTreeMap<CellId, (Term, Nullable, Place)>],
        lasts: &mut HashMap<(usize, usize, usize, CellId), Term>,
        writer: usize,
        view: View,
        cell: CellId,
    ) -> Term {
        let at = (writer, view.instance, view.statement, cell);
        if let Some(&known) = lasts.get(&at) {
            return known;
        }
        let wrote = writes[writer].get(&cell).map(|&(when, ..)| when);
        let Some(wrote) = wrote else { return self.terms.bool(false) };
        let seen = self.order.seen(writer, view.instance, view.statement);
        let mut last = self.terms.and([wrote, seen]);
        for (other, written) in writes.iter().enumerate() {
            if other == writer || other == view.instance {
                continue;
            }
            if let Some(&(wrote, ..)) = written.get(&cell) {
                let seen = self.order.seen(other, view.instance, view.statement);
                let later = self.order.before(writer, other);
                let hides = self.terms.and([wrote, seen, later]);
                let not = self.terms.not(hides);
                last = self.terms.and([last, not]);
            }
        }
        lasts.insert(at, last);
        last
    }

    fn dependencies(
        &mut self,
        writes: &[BTreeMap<CellId, (Term, Nullable, Place)>],
        lasts: &mut HashMap<(usize, usize, usize, CellId), Term>,
    ) {
        let count = self.executions.len();
        for from in 0..count {
            for to in (0..count).filter(|&to| to != from) {
                for (&cell, &(wrote, _, place)) in &writes[from] {
                    if let Some(&(again, _, other)) = writes[to].get(&cell) {
                        let before = self.order.before(from, to);
                        let when = self.terms.and([wrote, again, before]);
                        self.edge(from, to, Dependency::WriteWrite, cell, (place, other), when);
                    }
                }
            }
        }
        for reader in 0..count {
            let view_of = |statement| View { instance: reader, statement };
            for access in self.executions[reader].accesses.clone() {
                let What::Read(field) = access.what else { continue };
                for row in 0..self.rows[access.table.0 as usize].len() {
                    let cell = (access.table, row, field);
                    let key = self.rows[access.table.0 as usize][row].key.clone();
                    let same = self.terms.all_equal(&key, &access.key);
                    let reads = self.terms.and([access.guard, same]);
                    if self.terms.is(reads, false) {
                        continue;
                    }
                    for writer in (0..count).filter(|&writer| writer != reader) {
                        let Some(&(wrote, _, place)) = writes[writer].get(&cell) else { continue };
                        let view = view_of(access.view);
                        let last = self.last(writes, lasts, writer, view, cell);
                        let when = self.terms.and([reads, last]);
                        let places = (place, access.place);
                        self.edge(writer, reader, Dependency::WriteRead, cell, places, when);
                        let seen = self.order.seen(writer, reader, access.view);
                        let unseen = self.terms.not(seen);
                        let mut when = self.terms.and([reads, wrote, unseen]);
                        for other in (0..count).filter(|&other| other != reader && other != writer)
                        {
                            let last = self.last(writes, lasts, other, view, cell);
                            let later = self.order.before(writer, other);
                            let newer = self.terms.and([last, later]);
                            let not = self.terms.not(newer);
                            when = self.terms.and([when, not]);
                        }
                        let places = (access.place, place);
                        self.edge(reader, writer, Dependency::ReadWrite, cell, places, when);
                    }
                }
            }
        }
    }

    fn edge(
        &mut self,
        from: usize,
        to: usize,
        kind: Dependency,
        cell: CellId,
        places: (Place, Place),
        when: Term,
    ) {
        if !self.terms.is(when, false) {
            self.edges.push(Edge { from, to, kind, cell, places, when });
        }
    }

    /// When an instance wrote what another writes or locks, with the look of the latter.
    fn conflicts(
        &mut self,
        writes: &[BTreeMap<CellId, (Term, Nullable, Place)>],
        specification: &Specification,
    ) -> HashMap<(usize, usize), Vec<(usize, Term)>> {
        let count = self.executions.len();
        let mut found: HashMap<(usize, usize), Vec<(usize, Term)>> = HashMap::new();
        for later in 0..count {
            let level = specification.levels[self.transactions[later]];
            for access in self.executions[later].accesses.clone() {
                for row in 0..self.rows[access.table.0 as usize].len() {
                    let key = self.rows[access.table.0 as usize][row].key.clone();
                    for earlier in (0..count).filter(|&earlier| earlier != later) {
                        let mut wrote: Vec<Term> = match access.what {
                            What::Write(field, _) => writes[earlier]
                                .get(&(access.table, row, field))
                                .map(|&(when, ..)| when)
                                .into_iter()
                                .collect(),
                            What::Lock => writes[earlier]
                                .iter()
                                .filter(|((table, at, _), _)| (*table, *at) == (access.table, row))
                                .map(|(_, &(when, ..))| when)
                                .collect(),
                            _ => continue,
                        };
                        if level.waits_for_locks() {
                            // A lock is held until its owner has ended.
                            for lock in self.executions[earlier].accesses.clone() {
                                if matches!(lock.what, What::Lock) && lock.table == access.table {
                                    let same = self.terms.all_equal(&key, &lock.key);
                                    let locked = self.terms.and([lock.guard, same]);
                                    wrote.push(locked);
                                }
                            }
                        }
                        let wrote = self.terms.or(wrote);
                        let same = self.terms.all_equal(&key, &access.key);
                        let when = self.terms.and([access.guard, same, wrote]);
                        if !self.terms.is(when, false) {
                            let view = if level.is_atomic() { 0 } else { access.view };
                            found.entry((earlier, later)).or_default().push((view, when));
                        }
                    }
                }
            }
        }
        found
    }

    /// Whether one depends on another.
    pub(crate) fn depends(&mut self, from: usize, to: usize) -> Term {
        let edges = self.edges.iter().filter(|edge| (edge.from, edge.to) == (from, to));
        let when: Vec<Term> = edges.map(|edge| edge.when).collect();
        self.terms.or(when)
    }

    /// That the instances, run one after the other in this order, would observe something else than they do.
    pub(crate) fn differs(&mut self, order: &[usize]) -> Term {
        let mut world = Serial { program: self.program, rows: &self.rows, done: Vec::new() };
        let mut differences = Vec::new();
        let mut alike = HashMap::new();
        for &at in order {
            let definition = &self.program.transactions[self.transactions[at]];
            let order: Vec<String> = order.iter().map(ToString::to_string).collect();
            let name = format!("serial!{}!t{at}", order.join("!"));
            let run = Run {
                program: self.program,
                texts: self.texts,
                transaction: definition,
                instance: at,
                name,
                mode: self.mode,
            };
            let execution = execute(run, &self.parameters[at], &mut world, &mut self.terms);
            differences.push(execution.aborted);
            let pairs = self.executions[at].observations.iter().zip(&execution.observations);
            for (&(guard, weak), &(serial_guard, serial)) in pairs {
                let same = self.terms.same(weak, serial);
                let other = self.terms.not(same);
                let both = self.terms.and([guard, serial_guard, other]);
                let unlike = self.terms.equal(guard, serial_guard);
                let unlike = self.terms.not(unlike);
                differences.extend([both, unlike]);
            }
            // What is chosen freely is chosen alike.
            let chosen = self.executions[at].choices.iter().zip(&execution.choices);
            alike.extend(chosen.map(|(&(weak, _), &(serial, _))| (serial.value, weak.value)));
            let rows = self.executions[at].anonymous.iter().zip(&execution.anonymous);
            alike.extend(rows.map(|(&(_, weak, _), &(_, serial, _))| (serial, weak)));
            world.done.push(execution);
        }
        let differs = self.terms.or(differences);
        self.terms.substitute(differs, &alike)
    }

    /// The names of the transactions, by instance.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.transactions.iter();
        names.map(|&at| self.program.transactions[at].name.clone()).collect()
    }

    /// That parameters and what is there at first are numbers from zero to this.
    pub(crate) fn within(&mut self, most: i64) -> Term {
        let mut numbers: Vec<Term> = Vec::new();
        for parameter in self.parameters.iter().flatten() {
            match parameter {
                Parameter::One(value) => numbers.push(value.value),
                Parameter::Array(_, elements) => numbers.extend(elements),
                Parameter::Set(_) => {}
            }
        }
        for row in self.rows.iter().flatten() {
            numbers.extend(&row.key);
            numbers.extend(row.columns.iter().map(|column| column.value));
        }
        let (zero, most) = (self.terms.int(0), self.terms.int(most));
        let mut within = Vec::new();
        for number in numbers {
            if self.terms.sort(number) != Sort::Bool {
                within.push(self.terms.at_most(zero, number));
                within.push(self.terms.at_most(number, most));
            }
        }
        self.terms.and(within)
    }

    /// The value of a term in a model.
    pub(crate) fn is_true(&self, term: Term, model: &HashMap<Term, Value>) -> bool {
        self.terms.value(term, model) == Some(Value::Bool(true))
    }
}

/// The database after others ran, one after the other.
struct Serial<'r> {
    program: &'r Program,
    rows: &'r [Vec<Candidate>],
    done: Vec<Execution>,
}

impl World for Serial<'_> {
    fn look(&mut self, terms: &mut Terms, _: View, cell: Cell<'_>) -> Nullable {
        let table = &self.program.tables[cell.table.0 as usize];
        let mut value = match cell.field {
            Field::Alive => {
                let absent = terms.bool(false);
                terms.known(absent)
            }
            Field::Column(column) => terms.null(sort_of(table.columns[column.0 as usize].ty)),
        };
        for row in self.rows[cell.table.0 as usize].iter().rev() {
            let same = terms.all_equal(&row.key, cell.key);
            let here = match cell.field {
                Field::Alive => Nullable { null: terms.bool(false), value: row.alive },
                Field::Column(column) => row.columns[column.0 as usize],
            };
            value = terms.choose(same, here, value);
        }
        for execution in &self.done {
            let committed = terms.not(execution.aborted);
            for access in &execution.accesses {
                let What::Write(field, written) = access.what else { continue };
                if access.table == cell.table && field == cell.field {
                    let same = terms.all_equal(&access.key, cell.key);
                    let hit = terms.and([access.guard, committed, same]);
                    value = terms.choose(hit, written, value);
                }
            }
        }
        value
    }

    fn universe(&self, table: TableId) -> Option<Vec<Vec<Term>>> {
        Some(self.rows[table.0 as usize].iter().map(|row| row.key.clone()).collect())
    }
}

/// The rows there can be.
fn rows(
    program: &Program,
    transactions: &[usize],
    size: Size,
    terms: &mut Terms,
) -> Vec<Vec<Candidate>> {
    let mut all = Vec::new();
    for (at, table) in program.tables.iter().enumerate() {
        let id = TableId(at as u32);
        let uses: usize = transactions
            .iter()
            .map(|&transaction| crate::shape::uses(&program.transactions[transaction].body, id))
            .sum();
        let mut rows = Vec::new();
        for row in 0..uses.min(size.rows) {
            let name = format!("{}!{row}", table.name);
            let sorts = key_sorts(program, id);
            let key: Vec<Term> = sorts
                .iter()
                .enumerate()
                .map(|(position, &sort)| {
                    let column = table
                        .key
                        .get(position)
                        .map_or("row", |column| table.columns[column.0 as usize].name.as_str());
                    terms.variable(&plain(&format!("{name}!{column}")), sort)
                })
                .collect();
            let alive = terms.variable(&plain(&format!("{name}!")), Sort::Bool);
            let columns = table
                .columns
                .iter()
                .enumerate()
                .map(|(at, column)| match table.key.iter().position(|of| of.0 as usize == at) {
                    Some(position) if column.ty == Type::Bool => {
                        let one = terms.int(1);
                        let value = terms.equal(key[position], one);
                        terms.known(value)
                    }
                    Some(position) => terms.known(key[position]),
                    None => {
                        let name = format!("{name}!{}", column.name);
                        unknown(terms, &name, column.ty, column.nullable)
                    }
                })
                .collect();
            rows.push(Candidate { key, alive, columns });
        }
        all.push(rows);
    }
    all
}

fn own_parameters(
    transaction: &crate::program::Transaction,
    name: &str,
    size: Size,
    terms: &mut Terms,
    facts: &mut Vec<Term>,
) -> Vec<Parameter> {
    transaction.variables[..transaction.parameters]
        .iter()
        .map(|variable| {
            let name = plain(&format!("{name}!{}", variable.name));
            if variable.ty != Type::IntArray {
                return Parameter::One(unknown(terms, &name, variable.ty, false));
            }
            let length = terms.variable(&format!("{name}!length"), Sort::Int);
            let (zero, most) = (terms.int(0), terms.int(size.elements as i64));
            let positive = terms.at_most(zero, length);
            let short = terms.at_most(length, most);
            facts.extend([positive, short]);
            let elements = (0..size.elements)
                .map(|at| terms.variable(&format!("{name}!{at}"), Sort::Int))
                .collect();
            Parameter::Array(length, elements)
        })
        .collect()
}
