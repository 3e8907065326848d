//! MERGE: each row of the source does what the first WHEN clause that fits says.
//!
//! Which rows match is decided by the statement's snapshot. An engine then locks the row to change; where
//! somebody changed it since, its newest version is matched and the clauses are tried again, and a row
//! that is gone or does not match any more counts as not matched (PostgreSQL's manual, 13.2.1).

use std::rc::Rc;

use hobgoblin_core::Text;
use hobgoblin_front::{Lock, Wait};

use super::storage::Locked;
use super::{BaseRow, Exec, Flow, Source, Tuple};
use hobgoblin_sql_bind::bound::dml::{Merge, MergeAction, MergeClause};
use hobgoblin_sql_schema::{Problem, Result};
use hobgoblin_sql_value::Datum;

/// What became of the row to change, once it is locked.
enum Held {
    /// It is as it was found.
    Same,
    /// It was changed meanwhile; this is its newest version, which still matches.
    Newer(Rc<BaseRow>),
    /// It was deleted, or does not match any more.
    Gone,
}

impl Exec<'_> {
    /// Does the MERGE: how many rows were changed.
    pub(super) fn merge(&mut self, merge: &Merge) -> Result<u64> {
        let mut found: Vec<Tuple> = Vec::new();
        let mut start = vec![Source::Unset; merge.sources];
        self.from(&merge.from, &mut start, &mut |_, tuple| {
            found.push(tuple.clone());
            Ok(Flow::Go)
        })?;
        let mut count = 0;
        for tuple in found {
            self.tick()?;
            let row = match &tuple[0] {
                Source::Row(row) => Some(Rc::clone(row)),
                _ => None,
            };
            count += u64::from(match row {
                Some(row) => self.merge_matched(merge, row, tuple)?,
                None => self.merge_unmatched(merge, tuple)?,
            });
        }
        Ok(count)
    }

    /// The first WHEN clause whose condition holds.
    fn merge_clause<'m>(
        &mut self,
        clauses: &'m [MergeClause],
        tuple: &Tuple,
    ) -> Result<Option<&'m MergeAction>> {
        for clause in clauses {
            let fits = match &clause.condition {
                None => true,
                Some(condition) => matches!(self.eval(condition, tuple)?, Datum::Bool(true)),
            };
            if fits {
                return Ok(Some(&clause.action));
            }
        }
        Ok(None)
    }

    fn merge_matched(
        &mut self,
        merge: &Merge,
        mut row: Rc<BaseRow>,
        mut tuple: Tuple,
    ) -> Result<bool> {
        loop {
            let lock = match self.merge_clause(&merge.matched, &tuple)? {
                Some(MergeAction::Update { lock, .. }) => *lock,
                Some(MergeAction::Delete) => Lock::Update,
                _ => return Ok(false),
            };
            if self.written.contains(&row.key) {
                return Err(Problem::MergedTwice.into());
            }
            match self.merge_lock(merge, &row, lock, &mut tuple)? {
                Held::Same => break,
                Held::Newer(newer) => row = newer,
                Held::Gone => {
                    tuple[0] = Source::Nulls;
                    return self.merge_unmatched(merge, tuple);
                }
            }
        }
        self.written.insert(Text::clone(&row.key));
        match self.merge_clause(&merge.matched, &tuple)? {
            Some(MergeAction::Update { sets, .. }) => {
                let new = self.updated(&merge.table, sets, &tuple)?;
                let set: Vec<usize> = sets.iter().map(|(column, _)| *column).collect();
                let new = self.update_row(&row, new, &set)?;
                self.written.insert(Text::clone(&new.key));
            }
            _ => self.delete_row(&row)?,
        }
        Ok(true)
    }

    fn merge_lock(
        &mut self,
        merge: &Merge,
        row: &Rc<BaseRow>,
        lock: Lock,
        tuple: &mut Tuple,
    ) -> Result<Held> {
        match self.lock_found(row, lock, Wait::Forever)? {
            Locked::Busy | Locked::Gone => Ok(Held::Gone),
            Locked::Same => Ok(Held::Same),
            Locked::Newer(newer) => {
                tuple[0] = Source::Row(Rc::clone(&newer));
                Ok(match self.passes(&merge.on, tuple)? {
                    true => Held::Newer(newer),
                    false => Held::Gone,
                })
            }
        }
    }

    fn merge_unmatched(&mut self, merge: &Merge, tuple: Tuple) -> Result<bool> {
        let Some(MergeAction::Insert { values }) = self.merge_clause(&merge.unmatched, &tuple)?
        else {
            return Ok(false);
        };
        let table = &merge.table;
        let mut given: Vec<Option<Datum>> = vec![None; table.columns.len()];
        for (column, value) in values {
            if let Some(value) = value {
                given[*column] = Some(self.eval(value, &tuple)?);
            }
        }
        let row = self.complete(table, given)?;
        let row = self.insert_row(table, row)?;
        self.written.insert(Text::clone(&row.key));
        Ok(true)
    }
}
