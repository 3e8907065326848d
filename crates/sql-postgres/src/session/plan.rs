//! Prepared statements and portals.

use std::collections::VecDeque;
use std::sync::Arc;

use hobgoblin_front::Mode;

use super::outcome::{ColumnDescription, Done};
use crate::bind::bound::dml::Dml;
use crate::bind::bound::{OutputColumn, Query};
use crate::execute::Row;
use crate::parse::Statement;
use crate::types::{Datum, Names, Oid, TypeId, builtin};

/// A prepared statement.
#[derive(Debug)]
pub struct Prepared {
    /// The types of its parameters.
    pub params: Vec<TypeId>,
    /// The columns of its rows, if it gives rows.
    pub columns: Option<Vec<ColumnDescription>>,
    pub(crate) statement: Statement,
    pub(crate) plan: Plan,
    /// The relations it uses, with the locks that takes.
    pub(crate) relations: Vec<(Oid, Mode)>,
    /// The tables it reads that it names once.
    pub(crate) alone: Arc<[Oid]>,
    /// The catalogue and path it was bound with.
    pub(crate) version: u64,
    pub(crate) path: Arc<[String]>,
}

/// Like the tree of a long text, its plan is dropped where nobody waits for it.
impl Drop for Prepared {
    fn drop(&mut self) {
        let plan = std::mem::replace(&mut self.plan, Plan::Empty);
        crate::parse::drop_aside(&self.statement.text, plan);
    }
}

/// What a statement does.
#[derive(Debug)]
pub(crate) enum Plan {
    Query(Box<Query>),
    Dml(Box<Dml>),
    Utility,
    Empty,
}

/// What DECLARE said of a cursor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    pub(crate) hold: bool,
    pub(crate) scroll: bool,
}

/// A prepared statement with its parameters, and how far its rows were given.
#[derive(Debug)]
pub struct Portal {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) params: Vec<Datum>,
    /// How its columns are to be sent, as Bind says it.
    pub(crate) formats: Arc<[i16]>,
    /// The rows left, once it was executed, and what was done.
    pub(crate) rows: Option<(VecDeque<Row>, Done)>,
    /// Of a cursor: all its rows and the place it is at, from 0 before the first.
    pub(crate) cursor: Option<Cursor>,
    pub(crate) all: Option<(Vec<Row>, usize)>,
    /// The table that a cursor simply goes through, and the places of its rows.
    pub(crate) places: Option<(Oid, Vec<Datum>)>,
    /// Whether a fetch from it failed.
    pub(crate) failed: bool,
    /// Whether it was made in a transaction that is over.
    pub(crate) kept: bool,
}

impl Prepared {
    /// Its text.
    pub fn text(&self) -> &str {
        &self.statement.text
    }
}

impl Portal {
    pub(crate) fn new(prepared: Arc<Prepared>, params: Vec<Datum>) -> Portal {
        Portal {
            prepared,
            params,
            formats: Arc::default(),
            rows: None,
            cursor: None,
            all: None,
            places: None,
            failed: false,
            kept: false,
        }
    }

    /// Whether it is a cursor WITH HOLD of the transaction at hand.
    pub(crate) fn will_be_held(&self) -> bool {
        self.cursor.is_some_and(|cursor| cursor.hold) && !self.kept
    }

    /// Whether it is there after its transaction; a cursor WITH HOLD is after a commit.
    pub(crate) fn outlives(&mut self, committed: bool) -> bool {
        let holds = self.cursor.is_some_and(|cursor| cursor.hold);
        if holds && committed {
            self.kept = true;
        }
        self.kept
    }
}

/// Output columns as a client is told of them.
pub(crate) fn described(columns: &[OutputColumn], names: &dyn Names) -> Vec<ColumnDescription> {
    let describe = |column: &OutputColumn| {
        // Clients are not told of domains.
        let (ty, typmod) = builtin::base_type(column.ty, column.typmod, names);
        let (name, (table, number)) = (column.name.clone(), column.origin);
        ColumnDescription { name, table, column: number, ty, typmod }
    };
    columns.iter().map(describe).collect()
}
