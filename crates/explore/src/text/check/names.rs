//! What a program declares: keys, families of keys, tables and procedures, in one space of names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hobgoblin_core::{Key, Level, Text};

use crate::program::Program;
use crate::text::code::{Procedure, Table};
use crate::text::error::{Mistake, Parsed, Span};
use crate::text::nearest::nearest;
use crate::text::source::Sources;
use crate::text::syntax::{Name, Proc};
use crate::text::value::Val;

/// What a name is.
#[derive(Debug)]
pub(super) enum Global {
    /// A key declared by itself.
    Key,
    /// Keys with indexes: how many, which, and whether any.
    Family {
        arity: usize,
        keys: BTreeSet<Key>,
        any: bool,
    },
    Table(Arc<Table>),
    /// A procedure: nothing until it is compiled.
    Proc(Option<(Arc<Procedure>, Option<Level>)>),
}

impl Global {
    fn kind(&self) -> &'static str {
        match self {
            Global::Key => "a key",
            Global::Family { .. } => "a key with indexes",
            Global::Table(_) => "a table",
            Global::Proc(_) => "a procedure",
        }
    }
}

/// What a program declares, by name.
pub(super) struct Names {
    pub(super) sources: Arc<Sources>,
    globals: BTreeMap<Text, Global>,
    pub(super) initial: Vec<(Key, Val)>,
    pub(super) rows: BTreeMap<Text, Vec<Val>>,
}

impl Names {
    pub(super) fn new(sources: Arc<Sources>) -> Names {
        Names { sources, globals: BTreeMap::new(), initial: Vec::new(), rows: BTreeMap::new() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Global> {
        self.globals.get(name)
    }

    /// The names of what `wanted` accepts.
    pub(super) fn those(&self, wanted: impl Fn(&Global) -> bool) -> impl Iterator<Item = &Text> {
        self.globals.iter().filter(move |(_, global)| wanted(global)).map(|(name, _)| name)
    }

    pub(super) fn add(&mut self, name: &Name, global: Global) -> Parsed<()> {
        match self.globals.get(&name.text) {
            None => {
                self.globals.insert(name.text.clone(), global);
                Ok(())
            }
            Some(Global::Key) if matches!(global, Global::Key) => {
                Err(again(name.at, &Key::Text(name.text.clone())))
            }
            Some(other) => {
                let message = format!("`{}` is {} already", name.text, other.kind());
                Err(Mistake::at(name.at, message, "choose another name"))
            }
        }
    }

    pub(super) fn family(
        &mut self,
        name: &Name,
        arity: usize,
    ) -> Parsed<(&mut BTreeSet<Key>, &mut bool)> {
        let new = || Global::Family { arity, keys: BTreeSet::new(), any: false };
        match self.globals.entry(name.text.clone()).or_insert_with(new) {
            Global::Family { arity: declared, keys, any } => {
                indexes(*declared, arity, name.at, &name.text)?;
                Ok((keys, any))
            }
            other => {
                let message = format!("`{}` is {} already", name.text, other.kind());
                Err(Mistake::at(name.at, message, "choose another name"))
            }
        }
    }

    /// A table that is declared.
    pub(super) fn table(&self, name: &Name) -> Parsed<Arc<Table>> {
        match self.globals.get(&name.text) {
            Some(Global::Table(table)) => Ok(table.clone()),
            Some(other) => {
                let message = format!("`{}` is {}, not a table", name.text, other.kind());
                Err(Mistake::at(name.at, message, "name a table, or use `read` and `write`"))
            }
            None => {
                let tables = self.those(|global| matches!(global, Global::Table(_)));
                let help = format!("declare it: `table {}(id, ...)`", name.text);
                let help = nearest(&name.text, tables, &help);
                Err(Mistake::at(name.at, format!("there is no table `{}`", name.text), help))
            }
        }
    }

    /// Takes the name of a procedure.
    pub(super) fn proc(&mut self, proc: &Proc) -> Parsed<()> {
        self.add(&proc.name, Global::Proc(None))
    }

    /// Says what a procedure does.
    pub(super) fn define(&mut self, name: &Name, code: Arc<Procedure>, level: Option<Level>) {
        self.globals.insert(name.text.clone(), Global::Proc(Some((code, level))));
    }

    /// A procedure that is declared.
    pub(super) fn procedure(&self, name: &Name) -> Parsed<(Arc<Procedure>, Option<Level>)> {
        if let Some(Global::Proc(Some(found))) = self.globals.get(&name.text) {
            return Ok(found.clone());
        }
        let procs = self.those(|global| matches!(global, Global::Proc(_)));
        let help = format!("declare it: `proc {}(...) {{ ... }}`", name.text);
        let help = nearest(&name.text, procs, &help);
        Err(Mistake::at(name.at, format!("there is no procedure `{}`", name.text), help))
    }

    /// The key that a name and indexes are, if it is declared; constant indexes only.
    pub(super) fn declared(&self, name: &Name, key: &Key, at: Span) -> Parsed<()> {
        let Some(Global::Family { keys, any: false, .. }) = self.globals.get(&name.text) else {
            return Ok(());
        };
        if keys.contains(key) {
            return Ok(());
        }
        let message = format!("there is no key `{key}`");
        let help = format!("give it an initial value, or declare all: `keys {}[*]`", name.text);
        Err(Mistake::at(at, message, help))
    }

    /// The program without sessions.
    pub(super) fn program(&self) -> Program {
        let mut program = Program::new();
        for (key, value) in &self.initial {
            program = program.init(key.clone(), value.encode());
        }
        for (name, global) in &self.globals {
            let key = Key::Text(name.clone());
            program = match global {
                Global::Key if self.initial.iter().any(|(initial, _)| *initial == key) => program,
                Global::Key => program.declare(key),
                Global::Family { any: true, .. } => program.declare_prefix(&format!("{name}:")),
                Global::Table(_) => {
                    let ids = self.rows.get(name).cloned().unwrap_or_default();
                    let ids = Val::set(ids).unwrap_or_default();
                    program.table(name, ids.encode())
                }
                _ => program,
            };
        }
        program
    }
}

pub(super) fn again(at: Span, key: &Key) -> Box<Mistake> {
    Mistake::at(at, format!("the key `{key}` is declared twice"), "remove one of the declarations")
}

/// The number of indexes is right.
pub(super) fn indexes(declared: usize, used: usize, at: Span, name: &str) -> Parsed<()> {
    if declared == used {
        return Ok(());
    }
    let message = format!("`{name}` has {declared} indexes, not {used}");
    Err(Mistake::at(at, message, "use as many as where it is declared"))
}

/// The number of values of a row is right.
pub(super) fn columns(table: &Table, values: usize, at: &Name) -> Parsed<()> {
    if table.columns.len() == values {
        return Ok(());
    }
    let message = format!("`{}` has {} columns, not {values}", table.name, table.columns.len());
    let columns: Vec<_> = table.columns.iter().map(|column| &**column).collect();
    Err(Mistake::at(at.at, message, format!("its columns are {}", columns.join(", "))))
}
