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

mod conflict;
mod serial;
mod state;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::evaluation::Evaluation;
use crate::execute::{
    Cell, Execution, Field, Mode, Parameter, Run, View, What, World, execute, key_sorts,
};
use crate::formula::Relation;
use crate::order::Order;
use crate::program::{Place, Program, Table, TableId, Type};
use crate::smt::Value;
use crate::specification::Specification;
use crate::term::{Sort, Term, Terms};
use crate::value::{Nullable, Texts, Values, sort_of};

/// Values of variables.
pub(crate) type Model = HashMap<Term, Value>;

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
    /// The statement that reads, of a read.
    pub(crate) reads: Option<Place>,
    /// When it is.
    pub(crate) when: Term,
}

/// How an execution differs from one where instances run one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Difference {
    /// Some statement comes to something else, and that shows.
    pub(crate) shows: Term,
    /// Another state is left.
    pub(crate) left: Term,
}

/// Instances of transactions in a closed world.
pub(crate) struct Closed<'p> {
    pub(crate) program: &'p Program,
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
    /// That the rows of a table are in the order of their keys: it tells no two executions apart, and a question is
    /// sooner answered.
    pub(crate) sorted: Vec<Term>,
    /// What instances see, by what it follows from. It is also among the facts.
    pub(crate) seen: HashMap<Term, Term>,
    /// What is left of fields that somebody may write.
    left: BTreeMap<CellId, Nullable>,
    /// The statements by which each instance writes a field, in order, and when each does.
    writing: Vec<BTreeMap<CellId, Vec<(Term, Place)>>>,
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
    /// The values there are at first, if not all.
    pub(crate) domain: Option<Domain>,
}

/// Which values parameters and rows have at first, for a comparison with what knows finitely many. Each counts from zero.
/// Every key of the domain is a row there can be, and no other is.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// How many values a column of a key has.
    pub keys: usize,
    /// How many a parameter has.
    pub parameters: usize,
    /// How many any other column has.
    pub values: usize,
}

/// What a field of a table is where no row has the key.
fn absent(terms: &mut Terms, table: &Table, field: Field) -> Nullable {
    match field {
        Field::Alive => {
            let absent = terms.bool(false);
            terms.known(absent)
        }
        Field::Column(column) => terms.null(sort_of(table.columns[column.0 as usize].ty)),
    }
}

struct Views<'r> {
    program: &'r Program,
    rows: &'r [Vec<Candidate>],
    known: BTreeMap<(View, CellId), Nullable>,
}

impl World for Views<'_> {
    fn look(&mut self, terms: &mut Terms, at: View, cell: Cell<'_>) -> Nullable {
        let table = &self.program.tables[cell.table.0 as usize];
        let mut value = absent(terms, table, cell.field);
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
            sorted: Vec::new(),
            seen: HashMap::new(),
            left: BTreeMap::new(),
            writing: Vec::new(),
            mode,
        };
        closed.require();
        closed.state();
        closed.round();
        if let Some(domain) = size.domain {
            closed.confine(domain);
        }
        closed.relate(specification, known);
        closed
    }

    /// Ties views to writes and the order, and finds what may depend on what.
    fn relate(&mut self, specification: &Specification, known: BTreeMap<(View, CellId), Nullable>) {
        let writes = self.writes();
        self.inside();
        let mut lasts: HashMap<(usize, usize, usize, CellId), Term> = HashMap::new();
        for ((view, cell), seen) in &known {
            let mut value = self.at_first(*cell);
            for writer in 0..self.executions.len() {
                if writer == view.instance {
                    continue;
                }
                if let Some(&(_, written)) = writes[writer].get(cell) {
                    let last = self.last(&writes, &mut lasts, writer, *view, *cell);
                    value = self.terms.choose(last, written, value);
                }
            }
            let same = self.terms.equal(seen.null, value.null);
            let equal = self.terms.equal(seen.value, value.value);
            let equal = self.terms.or([equal, seen.null]);
            self.facts.extend([same, equal]);
            self.seen.insert(seen.value, value.value);
            if !self.terms.is(seen.null, false) {
                self.seen.insert(seen.null, value.null);
            }
        }
        self.dependencies(&writes, &mut lasts);
        self.leave(&writes);
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
        for formula in &specification.formulas {
            let (order, edges) = (&self.order, &self.edges);
            let facts = formula.facts(
                &mut self.terms,
                &self.transactions,
                |terms, relation, one, other, _| {
                    Some(match relation {
                        Relation::Sees => order.seen_at_last(one, other),
                        Relation::Before => order.before(one, other),
                        Relation::Overwrites => {
                            let of = |edge: &&Edge| {
                                edge.kind == Dependency::WriteWrite
                                    && (edge.from, edge.to) == (one, other)
                            };
                            let when: Vec<Term> =
                                edges.iter().filter(of).map(|edge| edge.when).collect();
                            terms.or(when)
                        }
                        Relation::Same => return None,
                    })
                },
            );
            self.facts.extend(facts);
        }
    }

    /// What each instance writes at last: when, and what.
    fn writes(&mut self) -> Vec<BTreeMap<CellId, (Term, Nullable)>> {
        let mut all = Vec::new();
        for at in 0..self.executions.len() {
            let mut own: BTreeMap<CellId, (Term, Nullable)> = BTreeMap::new();
            let mut writing: BTreeMap<CellId, Vec<(Term, Place)>> = BTreeMap::new();
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
                        None => (when, value),
                        Some(&(earlier, before)) => {
                            let value = self.terms.choose(when, value, before);
                            (self.terms.or([earlier, when]), value)
                        }
                    };
                    own.insert(id, entry);
                    writing.entry(id).or_default().push((when, access.place));
                }
            }
            all.push(own);
            self.writing.push(writing);
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
        writes: &[BTreeMap<CellId, (Term, Nullable)>],
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

    /// Finds what is left of every row that somebody may write: of each field the version that is arbitrated last.
    fn leave(&mut self, writes: &[BTreeMap<CellId, (Term, Nullable)>]) {
        let written = writes.iter().flat_map(BTreeMap::keys);
        let cells: BTreeSet<CellId> = written
            .flat_map(|&(table, row, field)| [(table, row, field), (table, row, Field::Alive)])
            .collect();
        for cell in cells {
            let mut value = self.at_first(cell);
            for (writer, own) in writes.iter().enumerate() {
                let Some(&(wrote, written)) = own.get(&cell) else { continue };
                let mut last = wrote;
                for (other, others) in writes.iter().enumerate() {
                    if let Some(&(again, ..)) = others.get(&cell).filter(|_| other != writer) {
                        let hides = self.terms.and([again, self.order.before(writer, other)]);
                        let shows = self.terms.not(hides);
                        last = self.terms.and([last, shows]);
                    }
                }
                value = self.terms.choose(last, written, value);
            }
            self.left.insert(cell, value);
        }
    }

    /// What a field is at first.
    fn at_first(&mut self, (table, row, field): CellId) -> Nullable {
        let row = &self.rows[table.0 as usize][row];
        match field {
            Field::Alive => Nullable { null: self.terms.bool(false), value: row.alive },
            Field::Column(column) => row.columns[column.0 as usize],
        }
    }

    fn dependencies(
        &mut self,
        writes: &[BTreeMap<CellId, (Term, Nullable)>],
        lasts: &mut HashMap<(usize, usize, usize, CellId), Term>,
    ) {
        let count = self.executions.len();
        for from in 0..count {
            for to in (0..count).filter(|&to| to != from) {
                for (&cell, &(wrote, _)) in &writes[from] {
                    if let Some(&(again, _)) = writes[to].get(&cell) {
                        let before = self.order.before(from, to);
                        let when = self.terms.and([wrote, again, before]);
                        self.edge(from, to, Dependency::WriteWrite, cell, None, when);
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
                        let Some(&(wrote, _)) = writes[writer].get(&cell) else { continue };
                        let view = view_of(access.view);
                        let last = self.last(writes, lasts, writer, view, cell);
                        let when = self.terms.and([reads, last]);
                        let place = Some(access.place);
                        self.edge(writer, reader, Dependency::WriteRead, cell, place, when);
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
                        self.edge(reader, writer, Dependency::ReadWrite, cell, place, when);
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
        reads: Option<Place>,
        when: Term,
    ) {
        if !self.terms.is(when, false) {
            self.edges.push(Edge { from, to, kind, cell, reads, when });
        }
    }

    /// The two statements that a dependency of a model comes from. Of several that write the field, the last that is run
    /// counts: it leaves what others see.
    pub(crate) fn places(&self, edge: &Edge, model: &Model) -> (Place, Place) {
        let wrote = |instance: usize| {
            let all = &self.writing[instance][&edge.cell];
            let ran = all.iter().rev().find(|&&(when, _)| self.is_true(when, model));
            ran.or(all.last()).expect("who depends by a write has one").1
        };
        match (edge.kind, edge.reads) {
            (Dependency::WriteRead, Some(place)) => (wrote(edge.from), place),
            (Dependency::ReadWrite, Some(place)) => (place, wrote(edge.to)),
            _ => (wrote(edge.from), wrote(edge.to)),
        }
    }

    /// Whether one depends on another.
    pub(crate) fn depends(&mut self, from: usize, to: usize) -> Term {
        let edges = self.edges.iter().filter(|edge| (edge.from, edge.to) == (from, to));
        let when: Vec<Term> = edges.map(|edge| edge.when).collect();
        self.terms.or(when)
    }

    /// The names of the transactions, by instance.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.transactions.iter();
        names.map(|&at| self.program.transactions[at].name.clone()).collect()
    }

    /// That the order is the one of a model.
    pub(crate) fn order_of(&mut self, model: &Model) -> Vec<Term> {
        let unknowns: Vec<Term> = self.order.unknowns().collect();
        let literals = unknowns
            .into_iter()
            .map(|term| if self.is_true(term, model) { term } else { self.terms.not(term) });
        literals.collect()
    }

    /// The value of a term in a model.
    pub(crate) fn is_true(&self, term: Term, model: &Model) -> bool {
        Evaluation::new(&self.terms, model, &HashMap::new()).holds(term)
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
        let sorts = key_sorts(program, id);
        let count = match size.domain {
            Some(domain) => domain.keys.pow(sorts.len() as u32),
            None => uses.min(size.rows),
        };
        for row in 0..count {
            let name = format!("{}!{row}", table.name);
            let key: Vec<Term> = sorts
                .iter()
                .enumerate()
                .map(|(position, &sort)| {
                    if let Some(domain) = size.domain {
                        let least = domain.keys.pow((sorts.len() - position - 1) as u32);
                        return terms.int((row / least % domain.keys) as i64);
                    }
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
