//! What a program declares: keys, families of keys, tables and procedures, in one space of names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hobgoblin_core::{Key, Level, Text};

use super::nearest;
use super::scope::Scope;
use crate::program::Program;
use crate::text::code::{Code, Procedure, Table};
use crate::text::error::{Mistake, Parsed, Span};
use crate::text::run::key_name;
use crate::text::source::Sources;
use crate::text::syntax::{Expr, Item, Name, Proc};
use crate::text::value::Val;

/// What a name is.
#[derive(Debug)]
pub(super) enum Global {
    /// One key.
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

/// Everything declared.
pub(super) struct Names {
    pub(super) sources: Arc<Sources>,
    globals: BTreeMap<Text, Global>,
    initial: Vec<(Key, Val)>,
    rows: BTreeMap<Text, Vec<Val>>,
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

    /// Declares keys and tables.
    pub(super) fn declare(&mut self, item: Item) -> Parsed<()> {
        match item {
            Item::Init { key, value } => {
                let value = self.constant(&value)?;
                let name = &key.name;
                let mut full = Key::Text(name.text.clone());
                if key.indexes.is_empty() {
                    self.add(name, Global::Key)?;
                } else {
                    let indexes = key.indexes.iter().map(|index| self.constant(index));
                    let indexes = indexes.collect::<Parsed<Vec<_>>>()?;
                    full = key_name(&name.text, &indexes)
                        .map_err(|what| Mistake::at(key.at, format!("this key {what}"), INDEXES))?;
                    let (keys, _) = self.family(name, indexes.len())?;
                    if !keys.insert(full.clone()) {
                        return Err(again(key.at, &full));
                    }
                }
                self.initial.push((full, value));
            }
            Item::Keys { name, arity: 0 } => self.add(&name, Global::Key)?,
            Item::Keys { name, arity } => *self.family(&name, arity)?.1 = true,
            Item::Table { name, columns } => {
                let Some(_) = columns.first() else {
                    let message = format!("the table `{}` has no columns", name.text);
                    return Err(Mistake::at(
                        name.at,
                        message,
                        "its first column is its primary key",
                    ));
                };
                for (at, column) in columns.iter().enumerate() {
                    if columns[..at].iter().any(|other| other.text == column.text) {
                        let message = format!("there is another column `{}`", column.text);
                        return Err(Mistake::at(column.at, message, "choose another name"));
                    }
                }
                let table = Table {
                    name: name.text.clone(),
                    set: Key::Text(name.text.clone()),
                    columns: columns.into_iter().map(|column| column.text).collect(),
                };
                self.add(&name, Global::Table(Arc::new(table)))?;
                self.rows.insert(name.text, Vec::new());
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, name: &Name, global: Global) -> Parsed<()> {
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

    fn family(&mut self, name: &Name, arity: usize) -> Parsed<(&mut BTreeSet<Key>, &mut bool)> {
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

    /// Adds a first row to a table.
    pub(super) fn insert(&mut self, table: &Name, values: &[Expr]) -> Parsed<()> {
        let declared = self.table(table)?;
        columns(&declared, values.len(), table)?;
        let values = values.iter().map(|value| self.constant(value)).collect::<Parsed<Vec<_>>>()?;
        let id = values[0].clone();
        let key = key_name(&table.text, std::slice::from_ref(&id))
            .map_err(|what| Mistake::at(table.at, format!("this row {what}"), INDEXES))?;
        let ids = self.rows.entry(table.text.clone()).or_default();
        if ids.contains(&id) {
            let message = format!("`{}` has another row {id}", table.text);
            return Err(Mistake::at(table.at, message, "a primary key is there once"));
        }
        ids.push(id);
        self.initial.push((key, declared.record(values)));
        Ok(())
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

    /// The value of an expression that must be constant.
    pub(super) fn constant(&self, expr: &Expr) -> Parsed<Val> {
        match Scope::constant(self).expression(expr)? {
            Code::Constant(value) => Ok(value),
            _ => {
                let help = "write a value, such as 0, \"text\", [] or {1, 2}";
                Err(Mistake::at(expr.at, "this value is not known before the program runs", help))
            }
        }
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

const INDEXES: &str = "indexes are integers or strings";

fn again(at: Span, key: &Key) -> Box<Mistake> {
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
