//! From syntax to a program: what names mean, and everything that can be found wrong before running.

mod declare;
mod expression;
mod names;
mod scope;
mod shape;
mod statement;

use std::sync::Arc;

use super::error::{Mistake, Parsed};
use super::run::{Call, Machine, World};
use super::source::Sources;
use super::syntax::{Assert, Item, Name, Part, Session};
use super::value::Val;
use crate::assertion::Assertion;
use crate::end::End;
use crate::program::Program;
use crate::script::Txn;
use crate::transaction::Stop;
use names::Names;
use scope::{Scope, SessionDraft, TxnDraft};

/// The program that declarations, sessions and assertions make.
pub(super) fn program(items: Vec<Item>, sources: Arc<Sources>) -> Parsed<Program> {
    let mut names = Names::new(sources.clone());
    let (mut sessions, mut asserts, mut procs) = (Vec::new(), Vec::new(), Vec::new());
    let mut initial = Vec::new();
    for item in items {
        match item {
            Item::Session(session) => sessions.push(session),
            Item::Assert(assert) => asserts.push(assert),
            Item::Proc(proc) => {
                names.proc(&proc)?;
                procs.push(proc);
            }
            Item::Insert { table, values } => initial.push((table, values)),
            other => names.declare(other)?,
        }
    }
    for (table, values) in initial {
        names.insert(&table, &values)?;
    }
    for proc in &procs {
        let mut scope = Scope::body(&names, None);
        let procedure = Arc::new(scope.procedure(proc)?);
        names.define(&proc.name, procedure, proc.level);
    }
    let mut drafts: Vec<SessionDraft> = Vec::new();
    for session in &sessions {
        if let Some(other) = drafts.iter().find(|other| other.name == session.name.text) {
            return Err(twice("session", &session.name, &other.name));
        }
        let draft = self::session(session, &names)?;
        drafts.push(draft);
    }
    let mut program = names.program();
    let mut observed = Vec::new();
    let mut checked: Vec<Assertion> = Vec::new();
    for assert in asserts {
        if checked.iter().any(|other| *other.name == *assert.name.text) {
            return Err(twice("assertion", &assert.name, &assert.name.text));
        }
        checked.push(assertion(&assert, &names, &drafts, &mut observed)?);
    }
    for draft in drafts {
        let SessionDraft { name, vars, txns } = draft;
        program = program.session(&name, |session| {
            let session = vars
                .into_iter()
                .fold(session, |session, (name, value)| session.local(&name, value.encode()));
            txns.into_iter().fold(session, |session, txn| {
                let body = Call {
                    procedure: txn.procedure,
                    args: txn.args,
                    exports: txn.exports.into_inner(),
                    sources: sources.clone(),
                };
                let (name, level) = (txn.name.to_string(), txn.level);
                session.push(Txn { name, level, body: Arc::new(body) })
            })
        });
    }
    program = observed.into_iter().fold(program, Program::observe);
    Ok(checked.into_iter().fold(program, Program::assert))
}

fn twice(what: &str, name: &Name, other: &str) -> Box<Mistake> {
    Mistake::at(name.at, format!("there is another {what} `{other}`"), "choose another name")
}

fn session(session: &Session, names: &Names) -> Parsed<SessionDraft> {
    let mut draft = SessionDraft::new(session.name.text.clone());
    for part in &session.parts {
        match part {
            Part::Var { name, value } => {
                if draft.vars.iter().any(|(var, _)| *var == name.text) {
                    return Err(twice("variable", name, &name.text));
                }
                let value = names.constant(value)?;
                draft.vars.push((name.text.clone(), value));
            }
            Part::Txn(proc) => {
                if draft.txns.iter().any(|txn| txn.name == proc.name.text) {
                    let help = "give every transaction of a session its own name";
                    let message =
                        format!("this session has another transaction `{}`", proc.name.text);
                    return Err(Mistake::at(proc.name.at, message, help));
                }
                let procedure = Arc::new(Scope::body(names, Some(&draft)).procedure(proc)?);
                draft.txns.push(TxnDraft::new(&proc.name.text, procedure, Vec::new(), proc.level));
            }
            Part::Call { name, proc, args, level, at } => {
                let (procedure, own_level) = names.procedure(proc)?;
                if args.len() != procedure.params {
                    let params: Vec<_> =
                        procedure.slots[..procedure.params].iter().map(|p| &**p).collect();
                    let message = format!(
                        "`{}` takes {} arguments, not {}",
                        proc.text,
                        procedure.params,
                        args.len()
                    );
                    let help = format!("it is declared as `{}({})`", proc.text, params.join(", "));
                    return Err(Mistake::at(*at, message, help));
                }
                if let Some(name) = name
                    && draft.txns.iter().any(|txn| txn.name == name.text)
                {
                    return Err(twice("transaction", name, &name.text));
                }
                let mut scope = Scope::args(names, &draft);
                let args = args.iter().map(|arg| scope.expression(arg)).collect::<Parsed<_>>()?;
                let called = name.as_ref().unwrap_or(proc);
                draft.txns.push(TxnDraft::new(&called.text, procedure, args, level.or(own_level)));
            }
        }
    }
    Ok(draft)
}

fn assertion(
    assert: &Assert,
    names: &Names,
    drafts: &[SessionDraft],
    observed: &mut Vec<hobgoblin_core::Key>,
) -> Parsed<Assertion> {
    let mut scope = Scope::assertion(names, drafts);
    let code = scope.expression(&assert.holds)?;
    shape::expect_bool(&code, assert.holds.at)?;
    for key in scope.observed {
        if !observed.contains(&key) {
            observed.push(key);
        }
    }
    let (sources, at) = (names.sources.clone(), assert.holds.at.start);
    let holds = move |end: &End<'_>| {
        let mut machine = Machine::new(World::End(end), &sources);
        match machine.eval(&code) {
            Ok(Val::Bool(holds)) => Ok(holds),
            Ok(other) => {
                let place = sources.place(at);
                Err(format!("gives {}, not true or false ({place})", other.kind()))
            }
            Err(Stop::Fault(what)) => Err(what),
            Err(_) => Err("stops where nothing can stop".to_owned()),
        }
    };
    Ok(Assertion {
        name: assert.name.text.to_string(),
        quantifier: assert.quantifier,
        holds: Arc::new(holds),
    })
}
