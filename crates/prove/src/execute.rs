//! Runs a transaction on unknown values: what it reads and writes, under which conditions, as terms.
//!
//! An instance of a transaction has unknown parameters and looks at an unknown database. Running it gives a list of
//! [`Access`]es in the order of the program, each with the condition under which it happens (its *guard*), the row it
//! touches (by its key) and the field, *alive* being one: a row is inserted by writing it. Branches are both run; what is
//! assigned in them is joined by a choice. The same run serves both encodings, since it asks a [`World`] for what it
//! sees:
//!
//! - In a *closed* world a table has finitely many rows, whose keys are unknown. A scan goes through all of them.
//! - In an *open* world it has any number. A scan finds some row, which is all that is known of it, or none; a round of a
//!   loop is any round. Since two dependencies may come from different rounds, a loop is run in several copies, one for
//!   each dependency that may use it.
//!
//! An UPDATE or DELETE that matches a row writes it, and one that matches none writes nothing; that a row is there is
//! *peeked* at: it decides the guard, but nobody can tell afterwards, so it counts as a read only when the row is absent, or
//! if the transaction asks `FOUND`. [Nagar 2018, section 4.3] has neither.

mod combination;
mod evaluate;
mod rows;
mod statement;

use std::collections::{BTreeMap, HashMap};

use combination::Combined;

use crate::program::{
    ColumnId, Place, Program, RowId, Statement, StatementKind, TableId, Transaction, Type,
    VariableId,
};
use crate::term::{Function, Sort, Term, Terms};
use crate::value::{Nullable, Texts, Values, sort_of};

/// What of a row is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Field {
    /// Whether it is there.
    Alive,
    /// A column that is not of the key.
    Column(ColumnId),
}

/// The database as instances see it.
pub(crate) trait World {
    /// A field of the row of this key, as seen by a statement of an instance, its own writes aside.
    fn look(&mut self, terms: &mut Terms, at: View, cell: Cell<'_>) -> Nullable;

    /// The keys of all rows there can be, in a closed world.
    fn universe(&self, table: TableId) -> Option<Vec<Vec<Term>>>;
}

/// Whose look at the database: all statements of an instance have the same but at MVRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct View {
    pub(crate) instance: usize,
    pub(crate) statement: usize,
}

/// A field of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell<'k> {
    pub(crate) table: TableId,
    pub(crate) key: &'k [Term],
    pub(crate) field: Field,
}

/// Something done to a row.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The statement that does it.
    pub(crate) place: Place,
    /// The look it has.
    pub(crate) view: usize,
    pub(crate) table: TableId,
    /// The key of the row; of a [`What::Scan`], nothing.
    pub(crate) key: Vec<Term>,
    /// When it happens. A read does when the instance has not written the field before.
    pub(crate) guard: Term,
    pub(crate) what: What,
    /// The copy of a loop in which it happens.
    pub(crate) copy: Option<usize>,
}

/// What is done.
#[derive(Clone, Debug)]
pub(crate) enum What {
    Read(Field),
    Write(Field, Nullable),
    /// `FOR UPDATE`.
    Lock,
    /// In an open world: rows that are not there, or not known, are looked for.
    Scan(Box<Scan>),
}

/// What a scan of an open world depends on: a row with this key and these columns, any.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    /// Stand for the key of the row.
    pub(crate) key: Vec<Term>,
    /// Stand for its columns; those of the key are not used.
    pub(crate) columns: Vec<Nullable>,
    /// Whether the row can matter, by its key alone.
    pub(crate) relevant: Term,
    /// Whether the row can be one of those looked for, by its key and columns.
    pub(crate) matches: Term,
    /// The columns whose change matters.
    pub(crate) fields: Vec<ColumnId>,
    /// Whether nothing was found.
    pub(crate) none: bool,
    /// The least or greatest of this column of the key is looked for.
    pub(crate) bound: Option<Bound>,
}

/// The result of MIN or MAX over a column of the key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// Which column of the key.
    pub(crate) position: usize,
    /// The result.
    pub(crate) result: Nullable,
    /// Whether it is MIN.
    pub(crate) least: bool,
}

/// The parameters of an instance.
#[derive(Clone, Debug)]
pub(crate) enum Parameter {
    One(Nullable),
    /// An array of a closed world: its length and elements.
    Array(Term, Vec<Term>),
    /// An array of an open world: what is in it.
    Set(Function),
}

/// What an instance does.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    pub(crate) accesses: Vec<Access>,
    pub(crate) observations: BTreeMap<Site, Observation>,
    /// When it ends without effect.
    pub(crate) aborted: Term,
    /// What holds of values that were made up on the way.
    pub(crate) facts: Vec<Term>,
    /// Values nothing is known of, in the order they were asked for.
    pub(crate) choices: Vec<(Nullable, Type)>,
    /// Keys of rows inserted into tables without a key, each with its guard.
    pub(crate) anonymous: Vec<(TableId, Term, Term)>,
    /// What another run of the transaction may have made up otherwise.
    pub(crate) made_up: BTreeMap<Site, Term>,
    /// When each look at the database happens.
    pub(crate) views: Vec<Term>,
}

/// Where in a run something is: places in blocks, branches and rounds, from outside. Two runs of a transaction have the same
/// sites, but for those where it is plain that a run does not come by.
pub(crate) type Site = Vec<u32>;

/// Something that an instance came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observation {
    /// When it did.
    pub(crate) guard: Term,
    pub(crate) value: Nullable,
    /// Whether the instance itself can tell: what its queries returned, and what it returned. Else it is what a statement
    /// came to on the way, such as the rows that an UPDATE found and what it made of them, which shows in what it leaves.
    pub(crate) told: bool,
}

impl Execution {
    /// What an INSERT of this execution, known by its access to whether the row is there, puts into columns.
    pub(crate) fn inserted(&self, insert: &Access, columns: &[ColumnId]) -> Option<Vec<Nullable>> {
        let value = |column: &ColumnId| {
            let mut own = self.accesses.iter().filter_map(|access| match access.what {
                What::Write(Field::Column(of), value)
                    if of == *column
                        && access.table == insert.table
                        && access.key == insert.key
                        && access.place == insert.place
                        && access.guard == insert.guard =>
                {
                    Some(value)
                }
                _ => None,
            });
            own.next_back()
        };
        columns.iter().map(value).collect()
    }
}

/// How instances are run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mode {
    /// Whether every statement has a look of its own.
    pub(crate) statement_views: bool,
    /// How many copies of a loop are run in an open world.
    pub(crate) copies: usize,
    /// How many rounds of `FOR i IN a..b` are run in a closed world.
    pub(crate) rounds: usize,
}

/// An instance of a transaction, to be run.
pub(crate) struct Run<'p> {
    pub(crate) program: &'p Program,
    pub(crate) texts: &'p Texts,
    pub(crate) transaction: &'p Transaction,
    /// Its place among the instances.
    pub(crate) instance: usize,
    /// Its name, which begins the names of what is made up on the way.
    pub(crate) name: String,
    pub(crate) mode: Mode,
}

/// Runs an instance.
pub(crate) fn execute<W: World>(
    run: Run<'_>,
    parameters: &[Parameter],
    world: &mut W,
    terms: &mut Terms,
) -> Execution {
    let live = terms.bool(true);
    let aborted = terms.bool(false);
    let mut machine = Machine {
        program: run.program,
        texts: run.texts,
        transaction: run.transaction,
        terms,
        world,
        mode: run.mode,
        instance: run.instance,
        name: run.name,
        made: 0,
        view: 0,
        site: vec![0],
        place: run.transaction.place,
        variables: Vec::new(),
        arrays: HashMap::new(),
        live,
        copy: None,
        combined: None,
        out: Execution {
            accesses: Vec::new(),
            observations: BTreeMap::new(),
            aborted,
            facts: Vec::new(),
            choices: Vec::new(),
            anonymous: Vec::new(),
            made_up: BTreeMap::new(),
            views: Vec::new(),
        },
    };
    machine.start(parameters);
    machine.block(&run.transaction.body);
    machine.out
}

/// An instance that runs.
struct Machine<'p, W> {
    program: &'p Program,
    texts: &'p Texts,
    transaction: &'p Transaction,
    terms: &'p mut Terms,
    world: &'p mut W,
    mode: Mode,
    instance: usize,
    name: String,
    /// How many names were made up.
    made: usize,
    view: usize,
    /// Where the next thing is that has a site.
    site: Site,
    place: Place,
    variables: Vec<Nullable>,
    arrays: HashMap<VariableId, Parameter>,
    /// When the statement at hand is run.
    live: Term,
    copy: Option<usize>,
    /// The rows that aggregates speak of.
    combined: Option<Combined>,
    out: Execution,
}

impl<W: World> Machine<'_, W> {
    fn start(&mut self, parameters: &[Parameter]) {
        for (at, variable) in self.transaction.variables.iter().enumerate() {
            let value = match parameters.get(at) {
                Some(Parameter::One(value)) => *value,
                Some(array) => {
                    self.arrays.insert(VariableId(at as u32), array.clone());
                    self.terms.null(Sort::Int)
                }
                None => match &variable.initial {
                    Some(initial) => self.evaluate(initial, &[]),
                    None => self.terms.null(sort_of(variable.ty)),
                },
            };
            self.variables.push(value);
        }
    }

    fn block(&mut self, statements: &[Statement]) {
        for statement in statements {
            if self.terms.is(self.live, false) {
                break;
            }
            self.place = statement.place;
            self.inside(|machine| machine.statement(statement));
        }
    }

    /// Runs what has sites of its own, or nothing of it: what comes after has the same sites either way.
    fn inside(&mut self, run: impl FnOnce(&mut Self)) {
        self.site.push(0);
        run(self);
        self.site.pop();
        self.next_site();
    }

    /// The site at hand, which is nobody else's.
    fn next_site(&mut self) -> Site {
        let site = self.site.clone();
        *self.site.last_mut().expect("a run is somewhere") += 1;
        site
    }

    /// Another statement looks at the database.
    fn look_again(&mut self) {
        if self.mode.statement_views || self.out.views.is_empty() {
            self.view = self.out.views.len();
            self.out.views.push(self.live);
        }
    }

    fn fresh(&mut self, what: &str, sort: Sort) -> Term {
        self.made += 1;
        let name = format!("{}!{what}{}", self.name, self.made);
        self.terms.variable(&name, sort)
    }

    fn fresh_nullable(&mut self, what: &str, ty: Type) -> Nullable {
        let null = self.fresh(&format!("{what}_null"), Sort::Bool);
        let value = self.fresh(what, sort_of(ty));
        Nullable { null, value }
    }

    fn fresh_key(&mut self, table: TableId) -> Vec<Term> {
        let sorts = key_sorts(self.program, table);
        sorts.into_iter().map(|sort| self.fresh("key", sort)).collect()
    }

    /// A field as the instance sees it now, after its own writes, and whether it wrote it.
    fn current(&mut self, cell: Cell<'_>) -> (Nullable, Term) {
        let view = View { instance: self.instance, statement: self.view };
        let mut value = self.world.look(self.terms, view, cell);
        let mut own = self.terms.bool(false);
        for at in 0..self.out.accesses.len() {
            let access = &self.out.accesses[at];
            let What::Write(field, written) = access.what else { continue };
            if access.table != cell.table || field != cell.field {
                continue;
            }
            let guard = access.guard;
            let key = access.key.clone();
            let same = self.terms.all_equal(&key, cell.key);
            let hit = self.terms.and([guard, same]);
            value = self.terms.choose(hit, written, value);
            own = self.terms.or([own, hit]);
        }
        (value, own)
    }

    /// Records that a field is read under a guard.
    fn read(&mut self, cell: Cell<'_>, guard: Term) {
        let (_, own) = self.current(cell);
        let others = self.terms.not(own);
        let guard = self.terms.and([guard, others]);
        self.record(cell.table, cell.key.to_vec(), guard, What::Read(cell.field));
    }

    fn record(&mut self, table: TableId, key: Vec<Term>, guard: Term, what: What) {
        if !self.terms.is(guard, false) {
            let (place, view, copy) = (self.place, self.view, self.copy);
            self.out.accesses.push(Access { place, view, table, key, guard, what, copy });
        }
    }

    fn observe(&mut self, value: Nullable) {
        let site = self.next_site();
        self.out.observations.insert(site, Observation { guard: self.live, value, told: true });
    }

    /// Records what a statement came to on the way.
    fn come_to(&mut self, guard: Term, value: Nullable) {
        let site = self.next_site();
        self.out.observations.insert(site, Observation { guard, value, told: false });
    }

    /// The transaction fails if this holds.
    fn abort_if(&mut self, failure: Term) {
        let failed = self.terms.and([self.live, failure]);
        self.out.aborted = self.terms.or([self.out.aborted, failed]);
        let goes_on = self.terms.not(failure);
        self.live = self.terms.and([self.live, goes_on]);
    }

    fn alive(&mut self, table: TableId, key: &[Term]) -> Term {
        self.current(Cell { table, key, field: Field::Alive }).0.value
    }
}

/// The sorts of a table's key; of a table without one, a number of its own for each row.
pub(crate) fn key_sorts(program: &Program, table: TableId) -> Vec<Sort> {
    let table = &program.tables[table.0 as usize];
    if table.key.is_empty() {
        return vec![Sort::Int];
    }
    let key = table.key.iter().map(|column| table.columns[column.0 as usize].ty);
    key.map(|ty| if ty == Type::Decimal { Sort::Real } else { Sort::Int }).collect()
}

/// The variables that a block may assign.
fn assigned(block: &[Statement], to: &mut Vec<VariableId>) {
    for statement in block {
        match &statement.kind {
            StatementKind::Select { into, .. } => to.extend(into),
            StatementKind::Insert { returning, .. }
            | StatementKind::Update { returning, .. }
            | StatementKind::Delete { returning, .. } => {
                to.extend(returning.iter().filter_map(|(_, into)| *into));
            }
            StatementKind::Assign { variable, .. } => to.push(*variable),
            StatementKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, block)| assigned(block, to));
                assigned(otherwise, to);
            }
            StatementKind::ForQuery { into, body, .. } => {
                to.extend(into);
                assigned(body, to);
            }
            StatementKind::ForEach { variable, body, .. }
            | StatementKind::ForRange { variable, body, .. } => {
                to.push(*variable);
                assigned(body, to);
            }
            StatementKind::Abort | StatementKind::Return(_) | StatementKind::Skip => {}
        }
    }
}

/// Whether a block may end the transaction.
fn may_return(block: &[Statement]) -> bool {
    block.iter().any(|statement| match &statement.kind {
        StatementKind::Return(_) => true,
        StatementKind::If { arms, otherwise } => {
            arms.iter().any(|(_, block)| may_return(block)) || may_return(otherwise)
        }
        StatementKind::ForQuery { body, .. }
        | StatementKind::ForEach { body, .. }
        | StatementKind::ForRange { body, .. } => may_return(body),
        _ => false,
    })
}

/// The columns of rows that an expression speaks of, subqueries aside.
fn columns_of(expr: &crate::program::Expr, to: &mut Vec<(RowId, ColumnId)>) {
    if let crate::program::ExprKind::Column(row, column) = expr.kind {
        to.push((row, column));
    }
    expr.inner().into_iter().for_each(|inner| columns_of(inner, to));
}
