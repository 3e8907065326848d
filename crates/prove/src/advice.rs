//! What to do about anomalies: repairs of each, and the weakest levels at which there are none.
//!
//! A **repair** is tried, not guessed: the program is changed, and the combination of transactions that had the anomaly is
//! searched again with as many instances.
//!
//! - A read is *promoted*: the SELECT of a dependency on a later write (RW) locks its rows, `FOR UPDATE`; if one does not help,
//!   all of them are.
//! - A *level is raised* for one of the transactions, to the weakest of those offered that helps; if one does not help, for all.
//! - A *conflict is materialised*: two transactions between which there is such a dependency first change the same row of a
//!   table made for that, so that one of them sees the other.
//!
//! The **weakest levels** are searched from weak to strong. Raising a level takes executions away and adds none. So if an
//! assignment has an anomaly, all above it that have none raise one of its transactions, and only these are looked at next,
//! those first that raise least in all. What is reached first is weakest in this sense; it is proved, or said to have no anomaly
//! up to k.

use std::collections::{BTreeSet, HashSet};

use crate::analysis::{Analysis, Anomaly, Options, Questions, analyse_with};
use crate::closed::Dependency;
use crate::program::{
    Column, ColumnId, Conflict, Expr, ExprKind, Lock, Operator, Place, Program, Query, RowId,
    Statement, StatementKind, Table, TableId, Type,
};
use crate::search::{Bounds, search};
use crate::smt::SolverError;
use crate::specification::{Level, Specification};
use crate::value::Texts;

/// Changes after which an anomaly is gone, all of them together.
pub type Repair = Vec<Change>;

/// A change of a program or its levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The query at this place locks its rows: `FOR UPDATE`.
    Promote {
        /// The transaction.
        transaction: usize,
        /// The query.
        place: Place,
    },
    /// A transaction runs at this level.
    Raise {
        /// The transaction.
        transaction: usize,
        /// The level.
        level: Level,
    },
    /// These transactions first change a row that both know.
    Materialise {
        /// The transactions; the same twice for two instances of one.
        transactions: (usize, usize),
    },
}

/// Levels at which nothing was found.
#[derive(Clone, Debug)]
pub struct Weakest {
    /// The level of each transaction.
    pub levels: Vec<Level>,
    /// What the analysis at these levels came to: a proof, or no anomaly.
    pub analysis: Analysis,
}

/// What to do about the anomalies of a program.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    /// For each anomaly of the analysis, the repairs that help, cheap ones first.
    pub repairs: Vec<Vec<Repair>>,
    /// The weakest levels without an anomaly; none if time did not suffice, or if even the strongest have one.
    pub weakest: Option<Weakest>,
    /// How many assignments of levels were looked at.
    pub assignments: usize,
}

/// Finds out what to do. The levels that may be used are given from weak to strong.
pub fn advise(
    program: &Program,
    specification: &Specification,
    analysis: &Analysis,
    offered: &[Level],
    options: &Options,
    questions: &Questions<'_>,
) -> Result<Advice, SolverError> {
    let texts = Texts::of(program);
    let adviser = Adviser { program, texts: &texts, specification, offered, options, questions };
    let mut advice = Advice::default();
    for anomaly in &analysis.anomalies {
        let repairs = if anomaly.visible { adviser.repairs(anomaly)? } else { Vec::new() };
        advice.repairs.push(repairs);
    }
    adviser.weakest(&mut advice)?;
    Ok(advice)
}

struct Adviser<'p, 'q> {
    program: &'p Program,
    texts: &'p Texts,
    specification: &'p Specification,
    offered: &'p [Level],
    options: &'p Options,
    questions: &'p Questions<'q>,
}

impl Adviser<'_, '_> {
    /// Whether a combination of transactions has no anomaly. What the solver does not decide may have one.
    fn is_clean(
        &self,
        program: &Program,
        specification: &Specification,
        transactions: &[usize],
    ) -> Result<bool, SolverError> {
        let bounds = Bounds { only: Some(transactions.to_vec()), ..self.options.bounds() };
        let found = search(program, self.texts, specification, &bounds, self.questions, &|_| true)?;
        let has_anomaly = found.cycles.iter().any(|cycle| cycle.visible);
        Ok(!has_anomaly && found.undecided.is_empty())
    }

    fn repairs(&self, anomaly: &Anomaly) -> Result<Vec<Repair>, SolverError> {
        let mut transactions: Vec<usize> =
            anomaly.scenario.instances.iter().map(|instance| instance.transaction).collect();
        let of = |at: usize| anomaly.scenario.instances[at].transaction;
        let unseen: Vec<_> =
            anomaly.steps.iter().filter(|step| step.kind == Dependency::ReadWrite).collect();
        let reads: BTreeSet<(usize, Place)> =
            unseen.iter().map(|step| (of(step.from), step.places.0)).collect();
        let pairs: BTreeSet<(usize, usize)> = unseen
            .iter()
            .map(|step| (of(step.from).min(of(step.to)), of(step.from).max(of(step.to))))
            .collect();
        transactions.sort_unstable();
        let mut repairs: Vec<Repair> = Vec::new();
        let mut all = (self.program.clone(), Vec::new());
        for (transaction, place) in reads {
            let Some(promoted) = promoted(self.program, transaction, place) else { continue };
            let change = Change::Promote { transaction, place };
            if self.is_clean(&promoted, self.specification, &transactions)? {
                repairs.push(vec![change.clone()]);
            }
            all = (promoted_also(all.0, transaction, place), [all.1, vec![change]].concat());
        }
        if repairs.is_empty()
            && all.1.len() > 1
            && self.is_clean(&all.0, self.specification, &transactions)?
        {
            repairs.push(all.1);
        }
        let distinct: Vec<usize> =
            transactions.iter().copied().collect::<BTreeSet<usize>>().into_iter().collect();
        let mut raised = Vec::new();
        for &transaction in &distinct {
            raised.extend(self.raised(&[transaction], &transactions)?);
        }
        if raised.is_empty() && distinct.len() > 1 {
            raised.extend(self.raised(&distinct, &transactions)?);
        }
        repairs.extend(raised);
        for pair in pairs {
            let materialised = materialised(self.program, pair);
            if self.is_clean(&materialised, self.specification, &transactions)? {
                repairs.push(vec![Change::Materialise { transactions: pair }]);
            }
        }
        Ok(repairs)
    }

    /// These transactions at the weakest level offered that helps, where theirs is below it.
    fn raised(
        &self,
        which: &[usize],
        transactions: &[usize],
    ) -> Result<Option<Repair>, SolverError> {
        for &level in self.offered {
            let mut raised = self.specification.clone();
            let mut repair = Vec::new();
            for &transaction in which {
                if raised.levels[transaction].is_below(level) {
                    raised.levels[transaction] = level;
                    repair.push(Change::Raise { transaction, level });
                }
            }
            if !repair.is_empty() && self.is_clean(self.program, &raised, transactions)? {
                return Ok(Some(repair));
            }
        }
        Ok(None)
    }

    fn weakest(&self, advice: &mut Advice) -> Result<(), SolverError> {
        let Some(&bottom) = self.offered.first() else { return Ok(()) };
        let start = vec![bottom; self.program.transactions.len()];
        let mut known = HashSet::from([start.clone()]);
        // Assignments by how much they raise.
        let mut open: Vec<Vec<Vec<Level>>> = vec![vec![start]];
        let mut raised = 0;
        while raised < open.len() {
            let Some(levels) = open[raised].pop() else {
                raised += 1;
                continue;
            };
            if self.questions.is_over() {
                return Ok(());
            }
            advice.assignments += 1;
            let specification = Specification { levels, ..self.specification.clone() };
            let bounds = Bounds { first: true, ..self.options.bounds() };
            let found =
                search(self.program, self.texts, &specification, &bounds, self.questions, &|_| {
                    true
                })?;
            let Some(cycle) = found.cycles.iter().find(|cycle| cycle.visible) else {
                let analysis =
                    analyse_with(self.program, &specification, self.options, self.questions)?;
                advice.weakest = Some(Weakest { levels: specification.levels, analysis });
                return Ok(());
            };
            let distinct: BTreeSet<usize> = cycle.closed.transactions.iter().copied().collect();
            for at in distinct {
                let now = specification.levels[at];
                let Some(&next) = self.offered.iter().find(|level| now.is_below(**level)) else {
                    continue;
                };
                let mut levels = specification.levels.clone();
                levels[at] = next;
                if known.insert(levels.clone()) {
                    if open.len() == raised + 1 {
                        open.push(Vec::new());
                    }
                    open[raised + 1].push(levels);
                }
            }
        }
        Ok(())
    }
}

/// The program with a query that locks its rows, if it can.
fn promoted(program: &Program, transaction: usize, place: Place) -> Option<Program> {
    fn promote(block: &mut [Statement], place: Place, done: &mut bool) {
        for statement in block {
            let here = statement.place == place;
            let mut lock = |query: &mut Query| {
                let locks = query.lock.is_none() && !query.is_aggregate() && query.from.len() == 1;
                if here && locks {
                    query.lock = Some(Lock::Update);
                    *done = true;
                }
            };
            match &mut statement.kind {
                StatementKind::Select { query, .. } => lock(query),
                StatementKind::ForQuery { query, body, .. } => {
                    lock(query);
                    promote(body, place, done);
                }
                StatementKind::ForEach { body, .. } | StatementKind::ForRange { body, .. } => {
                    promote(body, place, done);
                }
                StatementKind::If { arms, otherwise } => {
                    arms.iter_mut().for_each(|(_, block)| promote(block, place, done));
                    promote(otherwise, place, done);
                }
                StatementKind::Insert { .. }
                | StatementKind::Update { .. }
                | StatementKind::Delete { .. }
                | StatementKind::Assign { .. }
                | StatementKind::Abort
                | StatementKind::Return(_)
                | StatementKind::Skip => {}
            }
        }
    }
    let mut changed = program.clone();
    let mut done = false;
    promote(&mut changed.transactions[transaction].body, place, &mut done);
    done.then_some(changed)
}

/// The program with another query that locks its rows, if it can.
fn promoted_also(program: Program, transaction: usize, place: Place) -> Program {
    promoted(&program, transaction, place).unwrap_or(program)
}

/// The program with a row that both transactions change first.
fn materialised(program: &Program, (one, other): (usize, usize)) -> Program {
    let mut changed = program.clone();
    let place = program.transactions[one].place;
    let expr = |kind, ty| Expr { kind, ty, place };
    let column = |name: &str| Column {
        name: name.to_owned(),
        ty: Type::Int,
        nullable: false,
        default: None,
        scale: None,
    };
    let table = TableId(changed.tables.len() as u32);
    changed.tables.push(Table {
        name: "conflict".to_owned(),
        columns: vec![column("id"), column("n")],
        key: vec![ColumnId(0)],
        unique: Vec::new(),
        checks: Vec::new(),
        references: Vec::new(),
        place,
    });
    let number = |number| expr(ExprKind::Int(number), Type::Int);
    let more = || {
        let n = expr(ExprKind::Column(RowId(0), ColumnId(1)), Type::Int);
        expr(ExprKind::Binary(Operator::Add, Box::new(n), Box::new(number(1))), Type::Int)
    };
    for at in BTreeSet::from([one, other]) {
        let insert = StatementKind::Insert {
            table,
            rows: vec![vec![number(0), number(0)]],
            conflict: Conflict::Update(vec![(ColumnId(1), more())]),
            returning: Vec::new(),
        };
        let update = Statement { kind: insert, place, sql: Vec::new() };
        changed.transactions[at].body.insert(0, update);
    }
    changed
}
