//! One instance: the body of its transaction, run statement by statement.
//!
//! A stack says where it is: blocks, arms whose conditions are still to be tried, loops with what is left of them. So an
//! instance can stop after any statement and let others go on, which read committed needs. Variables are values as the
//! database printed them; expressions are asked of the database, in the instance's own session, since their text is all we
//! want to understand.

mod statement;
mod value;

use std::collections::VecDeque;
use std::rc::Rc;

use super::database::{Connection, Held};
use super::error::ReplayError;
use super::observation::Observation;
use super::sequence::Given;
use super::text;
use super::types::{KnownTypes, Types};
use crate::program::{Expr, Place, Program, Statement, StatementKind, Transaction, VariableId};
use crate::scenario::{Instance, Literal};

/// Where an instance is in its body.
enum Frame<'p> {
    /// Statements that are left.
    Block(&'p [Statement]),
    /// Arms whose conditions were not tried yet, and what is done if none holds.
    Arms(&'p [(Expr, Vec<Statement>)], &'p [Statement]),
    /// What is left of a loop: what its variables become in each round.
    Loop { into: &'p [VariableId], rounds: VecDeque<Vec<Held>>, body: &'p [Statement], any: bool },
}

/// How far an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    /// It has come to its end and may commit.
    Done,
    /// It failed or gave up: nothing of it stays.
    Failed,
}

/// An instance that runs.
pub(super) struct Run<'p> {
    program: &'p Program,
    transaction: &'p Transaction,
    number: usize,
    connection: Connection,
    variables: Vec<Held>,
    types: Rc<Types>,
    choices: VecDeque<Literal>,
    /// What sequences have to give it, if that is said.
    forced: Option<Vec<Given>>,
    stack: Vec<Frame<'p>>,
    phase: Phase,
    traced: Traced,
}

/// What an instance did.
#[derive(Default)]
pub(super) struct Traced {
    /// What it has observed.
    pub(super) observations: Vec<Observation>,
    /// Where the statements, conditions and values stand that it ran and that read or write tables.
    pub(super) ran: Vec<Place>,
    /// What sequences gave it.
    pub(super) given: Vec<Given>,
    /// Whether the database chose a value that the scenario could not.
    pub(super) unforced: bool,
}

type Result<T> = std::result::Result<T, ReplayError>;

impl<'p> Run<'p> {
    /// Begins an instance on a connection of its own.
    pub(super) fn begin(
        program: &'p Program,
        number: usize,
        instance: &Instance,
        mut connection: Connection,
        (begin, types): (&str, &mut KnownTypes),
    ) -> Result<Run<'p>> {
        let transaction = program.transactions.get(instance.transaction).ok_or_else(|| {
            let what = format!("there is no transaction {}", instance.transaction);
            ReplayError::Scenario { what }
        })?;
        if instance.parameters.len() != transaction.parameters {
            let (wanted, given) = (transaction.parameters, instance.parameters.len());
            let name = &transaction.name;
            let what = format!("{name} has {wanted} parameters, and {given} are given");
            return Err(ReplayError::Scenario { what });
        }
        let types = types.of(program, instance.transaction, &mut connection);
        let variables = transaction.variables.iter().map(|variable| Held::null(variable.ty));
        let mut run = Run {
            program,
            transaction,
            number,
            connection,
            variables: variables.collect(),
            types,
            choices: instance.choices.iter().cloned().collect(),
            forced: None,
            stack: vec![Frame::Block(&transaction.body)],
            phase: Phase::Running,
            traced: Traced::default(),
        };
        for (at, literal) in instance.parameters.iter().enumerate() {
            let ty = run.types.declared[at].clone();
            let held = run.connection.literal(literal, ty.as_deref());
            run.variables[at] = held.map_err(|error| run.broken(transaction.place, "", &error))?;
        }
        let began = run.connection.run(begin);
        began.map_err(|error| run.broken(transaction.place, begin, &error))?;
        for (at, variable) in transaction.variables.iter().enumerate() {
            if let Some(initial) = &variable.initial
                && let Some(value) = run.value(initial)?
            {
                run.assign(VariableId(at as u32), value)?;
            }
            if Some(VariableId(at as u32)) == transaction.found {
                run.variables[at] = Held::bool(false);
            }
        }
        Ok(run)
    }

    /// Says what sequences have to give it.
    pub(super) fn give(&mut self, given: &[Given]) {
        self.forced = Some(given.to_vec());
    }

    /// What it did.
    pub(super) fn into_traced(self) -> Traced {
        self.traced
    }

    /// Runs one statement that reads or writes tables, and all before it; whether there was one.
    pub(super) fn step(&mut self) -> Result<bool> {
        while self.phase == Phase::Running {
            let reads = self.reads_next();
            self.traced.ran.extend(reads);
            self.advance()?;
            if reads.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes on to the end, without a statement that reads or writes tables.
    pub(super) fn finish(&mut self) -> Result<()> {
        while self.phase == Phase::Running {
            if self.reads_next().is_some() {
                let what = format!("instance {} has statements left when it commits", self.number);
                return Err(ReplayError::Scenario { what });
            }
            self.advance()?;
        }
        Ok(())
    }

    /// Commits, or rolls back what failed.
    pub(super) fn end(&mut self) -> Result<()> {
        let commits = self.phase == Phase::Done;
        let sql = if commits { "COMMIT" } else { "ROLLBACK" };
        let place = self.transaction.place;
        if self.ask(sql, place)?.is_none() && commits {
            self.phase = Phase::Failed;
        }
        Ok(())
    }

    /// Where that stands which comes next, if it reads or writes tables.
    fn reads_next(&self) -> Option<Place> {
        match self.stack.last() {
            None | Some(Frame::Loop { .. }) => None,
            Some(Frame::Arms(arms, _)) => {
                arms.first().filter(|(when, _)| text::reads(when)).map(|(when, _)| when.place)
            }
            Some(Frame::Block(statements)) => {
                let reads = |next: &&Statement| match &next.kind {
                    StatementKind::Select { .. }
                    | StatementKind::Insert { .. }
                    | StatementKind::Update { .. }
                    | StatementKind::Delete { .. }
                    | StatementKind::ForQuery { .. } => true,
                    StatementKind::Assign { value, .. } | StatementKind::Return(Some(value)) => {
                        text::reads(value)
                    }
                    StatementKind::ForRange { low, high, .. } => {
                        text::reads(low) || text::reads(high)
                    }
                    StatementKind::If { .. }
                    | StatementKind::ForEach { .. }
                    | StatementKind::Abort
                    | StatementKind::Return(None)
                    | StatementKind::Skip => false,
                };
                statements.first().filter(reads).map(|next| next.place)
            }
        }
    }

    /// Does the next thing there is to do.
    fn advance(&mut self) -> Result<()> {
        match self.stack.pop() {
            None => self.phase = Phase::Done,
            Some(Frame::Block([])) => {}
            Some(Frame::Block([first, rest @ ..])) => {
                self.stack.push(Frame::Block(rest));
                self.statement(first)?;
            }
            Some(Frame::Arms([], otherwise)) => self.stack.push(Frame::Block(otherwise)),
            Some(Frame::Arms([(when, then), rest @ ..], otherwise)) => {
                let Some(held) = self.value(when)? else { return Ok(()) };
                self.note_read(when, &held);
                self.stack.push(match held.is_true() {
                    true => Frame::Block(then),
                    false => Frame::Arms(rest, otherwise),
                });
            }
            Some(Frame::Loop { into, mut rounds, body, any }) => match rounds.pop_front() {
                None => self.set_found(any),
                Some(round) => {
                    for (&variable, value) in into.iter().zip(round) {
                        self.assign(variable, value)?;
                    }
                    self.stack.push(Frame::Loop { into, rounds, body, any: true });
                    self.stack.push(Frame::Block(body));
                }
            },
        }
        Ok(())
    }
}
