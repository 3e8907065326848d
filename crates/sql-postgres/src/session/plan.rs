//! Prepared statements and portals.
//!
//! A prepared statement is a statement with its plan, bound to one version of the catalogue. A
//! portal is a prepared statement with parameters, and remembers how many of its rows the client
//! has had. A cursor is a portal that can also go back.

use std::collections::VecDeque;
use std::sync::Arc;

use hobgoblin_front::Mode;

use super::outcome::{ColumnDescription, Done};
use crate::bind::bound::dml::Dml;
use crate::bind::bound::{OutputColumn, Query};
use crate::execute::Row;
use crate::parse::Statement;
use crate::types::{Datum, Names, Oid, TypeId, builtin};

/// A statement that is bound and can be executed, perhaps many times.
#[derive(Debug)]
pub struct Prepared {
    /// The types of its parameters, in order.
    pub params: Vec<TypeId>,
    /// The columns of its rows; `None` if it gives none.
    pub columns: Option<Vec<ColumnDescription>>,
    pub(crate) statement: Statement,
    pub(crate) plan: Plan,
    /// The relations that it uses, with the table locks that it takes on them.
    pub(crate) relations: Vec<(Oid, Mode)>,
    /// The tables it reads and names only once.
    pub(crate) alone: Arc<[Oid]>,
    /// The version of the catalogue and the search path that it was bound with. When they change,
    /// it is bound anew.
    pub(crate) version: u64,
    pub(crate) path: Arc<[String]>,
}

/// A plan as large as that of a long text is dropped on a thread of its own, so that nobody waits
/// for it.
impl Drop for Prepared {
    fn drop(&mut self) {
        let plan = std::mem::replace(&mut self.plan, Plan::Empty);
        crate::parse::drop_aside(&self.statement.text, plan);
    }
}

/// What a prepared statement does when it is executed.
#[derive(Debug)]
pub(crate) enum Plan {
    Query(Box<Query>),
    Dml(Box<Dml>),
    Utility,
    Empty,
}

/// What DECLARE said of a cursor beside its query.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    pub(crate) hold: bool,
    pub(crate) scroll: bool,
}

/// A prepared statement with its parameters, and how many of its rows the client has had.
#[derive(Debug)]
pub struct Portal {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) params: Vec<Datum>,
    /// The format in which each column is to be sent, as Bind asks: 0 is text, 1 binary.
    pub(crate) formats: Arc<[i16]>,
    /// The rows that are left, and what the statement has done; `None` before it is executed.
    pub(crate) rows: Option<(VecDeque<Row>, Done)>,
    /// If it is a cursor: all its rows, and its place among them, where 0 is before the first.
    pub(crate) cursor: Option<Cursor>,
    pub(crate) all: Option<(Vec<Row>, usize)>,
    /// If it is a cursor over one table: the table, and the places of the rows, for WHERE CURRENT
    /// OF.
    pub(crate) places: Option<(Oid, Vec<Datum>)>,
    /// Whether a FETCH from it has failed, so that no more rows can be had.
    pub(crate) failed: bool,
    /// Whether it is a cursor WITH HOLD whose transaction has committed.
    pub(crate) kept: bool,
}

impl Prepared {
    /// The text of the statement.
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

    /// Whether it is a cursor WITH HOLD, declared in the transaction at hand.
    pub(crate) fn will_be_held(&self) -> bool {
        self.cursor.is_some_and(|cursor| cursor.hold) && !self.kept
    }

    /// Whether it is still there after its transaction: a cursor WITH HOLD is, if the transaction
    /// committed.
    pub(crate) fn outlives(&mut self, committed: bool) -> bool {
        let holds = self.cursor.is_some_and(|cursor| cursor.hold);
        if holds && committed {
            self.kept = true;
        }
        self.kept
    }
}

/// The columns of a result as the client is told of them.
pub(crate) fn described(columns: &[OutputColumn], names: &dyn Names) -> Vec<ColumnDescription> {
    let describe = |column: &OutputColumn| {
        // Clients are not told of domains.
        let (ty, typmod) = builtin::base_type(column.ty, column.typmod, names);
        let (name, (table, number)) = (column.name.clone(), column.origin);
        ColumnDescription { name, table, column: number, ty, typmod }
    };
    columns.iter().map(describe).collect()
}
