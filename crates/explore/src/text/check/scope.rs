//! Where an expression stands: which names it may use there, and what they are.

use std::cell::RefCell;
use std::sync::Arc;

use hobgoblin_core::{Key, Level, Text};

use super::names::Names;
use crate::text::code::{Code, Procedure, Slot, Table};
use crate::text::error::{Mistake, Parsed, Span};
use crate::text::nearest::nearest;
use crate::text::run::Export;
use crate::text::syntax::Name;
use crate::text::value::Val;

/// A session as far as it is compiled.
pub(super) struct SessionDraft {
    pub(super) name: Text,
    pub(super) vars: Vec<(Text, Val)>,
    pub(super) txns: Vec<TxnDraft>,
}

/// A transaction of a session, and what others want to know of it.
pub(super) struct TxnDraft {
    pub(super) name: Text,
    pub(super) procedure: Arc<Procedure>,
    pub(super) args: Vec<Code>,
    pub(super) level: Option<Level>,
    pub(super) exports: RefCell<Vec<(Text, Export)>>,
}

impl SessionDraft {
    pub(super) fn new(name: Text) -> SessionDraft {
        SessionDraft { name, vars: Vec::new(), txns: Vec::new() }
    }

    /// The transaction of this name.
    fn txn(&self, name: &Name) -> Parsed<(usize, &TxnDraft)> {
        let mut found = self.txns.iter().enumerate().filter(|(_, txn)| txn.name == name.text);
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            (None, _) => {
                let names = self.txns.iter().map(|txn| &txn.name);
                let help = nearest(&name.text, names, "name a transaction of the session");
                let message = format!("session `{}` has no transaction `{}`", self.name, name.text);
                Err(Mistake::at(name.at, message, help))
            }
            _ => {
                let (session, called) = (&self.name, &name.text);
                let message = format!("session `{session}` has several transactions `{called}`");
                let help = format!("give the call a name: `first = {called}(...)`");
                Err(Mistake::at(name.at, message, help))
            }
        }
    }
}

impl TxnDraft {
    pub(super) fn new(
        name: &Text,
        procedure: Arc<Procedure>,
        args: Vec<Code>,
        level: Option<Level>,
    ) -> TxnDraft {
        TxnDraft { name: name.clone(), procedure, args, level, exports: RefCell::default() }
    }

    /// The local in which the transaction leaves something.
    fn export(&self, what: &Name, export: Export) -> Text {
        let local: Text = format!("{}.{}", self.name, what.text).into();
        let mut exports = self.exports.borrow_mut();
        if !exports.iter().any(|(name, _)| *name == local) {
            exports.push((local.clone(), export));
        }
        local
    }

    fn what(&self, what: &Name) -> Parsed<Export> {
        let slots = &self.procedure.slots;
        if let Some(slot) = slots.iter().position(|slot| *slot == what.text) {
            return Ok(Export::Slot(slot as Slot));
        }
        match &*what.text {
            "result" => Ok(Export::Result),
            "aborted" => Ok(Export::Aborted),
            _ => {
                let message = format!("`{}` has no variable `{}`", self.name, what.text);
                let help = "name one of its variables, `result` or `aborted`";
                let names = slots.iter().filter(|slot| !slot.is_empty());
                Err(Mistake::at(what.at, message, nearest(&what.text, names, help)))
            }
        }
    }
}

/// The columns a condition may use.
pub(super) struct Columns {
    pub(super) table: Arc<Table>,
    pub(super) id: Slot,
    pub(super) row: Slot,
    /// Whether it used another one than the primary key.
    pub(super) used: bool,
}

/// What may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Constant,
    Args,
    Body,
    Assertion,
}

/// Where an expression stands.
pub(super) struct Scope<'a> {
    pub(super) names: &'a Names,
    pub(super) place: Place,
    session: Option<&'a SessionDraft>,
    sessions: &'a [SessionDraft],
    pub(super) slots: Vec<Text>,
    pub(super) columns: Option<Columns>,
    pub(super) observed: Vec<Key>,
}

impl<'a> Scope<'a> {
    fn new(names: &'a Names, place: Place) -> Scope<'a> {
        Scope {
            names,
            place,
            session: None,
            sessions: &[],
            slots: Vec::new(),
            columns: None,
            observed: Vec::new(),
        }
    }

    pub(super) fn constant(names: &'a Names) -> Scope<'a> {
        Scope::new(names, Place::Constant)
    }

    pub(super) fn args(names: &'a Names, session: &'a SessionDraft) -> Scope<'a> {
        Scope { session: Some(session), ..Scope::new(names, Place::Args) }
    }

    pub(super) fn body(names: &'a Names, session: Option<&'a SessionDraft>) -> Scope<'a> {
        Scope { session, ..Scope::new(names, Place::Body) }
    }

    pub(super) fn assertion(names: &'a Names, sessions: &'a [SessionDraft]) -> Scope<'a> {
        Scope { sessions, ..Scope::new(names, Place::Assertion) }
    }

    /// The slot of a variable.
    pub(super) fn slot(&self, name: &str) -> Option<Slot> {
        self.slots.iter().position(|slot| **slot == *name).map(|slot| slot as Slot)
    }

    /// The slot of a variable, which it gets if it has none.
    pub(super) fn declare(&mut self, name: &Text) -> Slot {
        match self.slot(name) {
            Some(slot) => slot,
            None => self.hidden(name.clone()),
        }
    }

    /// A new slot.
    pub(super) fn hidden(&mut self, name: Text) -> Slot {
        self.slots.push(name);
        self.slots.len() as Slot - 1
    }

    /// Whether a name is a variable of the session.
    pub(super) fn is_session_var(&self, name: &str) -> bool {
        self.session.is_some_and(|session| session.vars.iter().any(|(var, _)| **var == *name))
    }

    /// What a name alone is.
    pub(super) fn name(&mut self, name: &Text, at: Span) -> Parsed<Code> {
        let slot = self.slot(name);
        if let Some(columns) = &mut self.columns
            && let Some(column) = columns.table.columns.iter().position(|column| column == name)
        {
            if slot.is_some() {
                let table = &columns.table.name;
                let message = format!("`{name}` is a column of `{table}` and a variable too");
                return Err(Mistake::at(at, message, "give the variable another name"));
            }
            if column == 0 {
                return Ok(Code::Slot(columns.id));
            }
            columns.used = true;
            return Ok(Code::Field(Box::new(Code::Slot(columns.row)), name.clone(), at.start));
        }
        if let Some(slot) = slot {
            return Ok(Code::Slot(slot));
        }
        if self.is_session_var(name) {
            return Ok(Code::Local(name.clone()));
        }
        Err(self.unknown(name, at))
    }

    fn unknown(&self, name: &Text, at: Span) -> Box<Mistake> {
        let mut known: Vec<&Text> = self.slots.iter().filter(|slot| !slot.is_empty()).collect();
        known.extend(self.session.iter().flat_map(|session| session.vars.iter().map(|(v, _)| v)));
        known.extend(self.columns.iter().flat_map(|columns| &columns.table.columns));
        let (what, help) = match self.place {
            Place::Constant => ("variable", "initial values are constants".to_owned()),
            _ if self.names.get(name).is_some() => {
                let verb = if self.place == Place::Assertion { "last" } else { "read" };
                ("variable", format!("`{name}` is declared outside; write `{verb} {name}`"))
            }
            Place::Assertion => {
                let help = "name `session.transaction.variable`, or `last key`";
                let names = self.sessions.iter().map(|session| &session.name);
                ("session", nearest(name, names, help))
            }
            _ => {
                let help = format!("assign it first: `{name} = ...`");
                ("variable", nearest(name, known.into_iter(), &help))
            }
        };
        Mistake::at(at, format!("there is no {what} `{name}`"), help)
    }

    /// `transaction.variable` of the same session, if that is what it is.
    pub(super) fn earlier(&self, txn: &Name, what: &Name) -> Option<Parsed<Code>> {
        if self.slot(&txn.text).is_some() || self.is_session_var(&txn.text) {
            return None;
        }
        let session = self.session?;
        session.txns.iter().find(|other| other.name == txn.text)?;
        Some((|| {
            let (_, found) = session.txn(txn)?;
            let export = found.what(what)?;
            Ok(Code::Local(found.export(what, export)))
        })())
    }

    /// `session.transaction.variable` of an assertion.
    pub(super) fn ended(&self, session: &Name, txn: &Name, what: &Name) -> Parsed<Code> {
        let found = self.sessions.iter().position(|draft| draft.name == session.text);
        let Some(at) = found else { return Err(self.unknown(&session.text, session.at)) };
        let draft = &self.sessions[at];
        let (place, txn) = draft.txn(txn)?;
        Ok(match txn.what(what)? {
            Export::Result => Code::Result { session: at, txn: place },
            Export::Aborted => Code::Aborted { session: at, txn: place },
            export => Code::EndLocal { session: at, name: txn.export(what, export) },
        })
    }

    /// A variable of a session, at the end.
    pub(super) fn session_var(&self, session: &Name, var: &Name) -> Option<Code> {
        let at = self.sessions.iter().position(|draft| draft.name == session.text)?;
        let (name, _) = self.sessions[at].vars.iter().find(|(name, _)| *name == var.text)?;
        Some(Code::EndLocal { session: at, name: name.clone() })
    }
}
