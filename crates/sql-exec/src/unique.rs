//! UNIQUE and PRIMARY KEY constraints that can be deferred: checked at the end of the statement, or at
//! commit.
//!
//! Until then rows with equal values are there side by side, so the entries of such an index name their rows
//! as those of an index that is not unique do. Who checks a value in an engine locks the value as such, so
//! that two who have written it meet.

use std::sync::Arc;

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{KeyRange, Lock, Wait};

use super::Exec;
use super::table_plan::IndexPlan;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Table;
use hobgoblin_sql_value::{Datum, Oid};

impl Exec<'_> {
    /// Whether a row is the only one that has these values. If it no longer has them, there is
    /// nothing to check.
    pub(super) fn check_unique(
        &mut self,
        table: &Arc<Table>,
        index: Oid,
        keys: &[Datum],
        id: &str,
    ) -> Result<()> {
        let plan = self.table_plan(table)?;
        let Some(plan) = plan.indexes.iter().find(|plan| plan.index.oid == index) else {
            return Ok(());
        };
        let nulls = !plan.index.nulls_not_distinct && keys.iter().any(Datum::is_null);
        let own = self.entry_key(plan, keys, id);
        if nulls || self.entry(&own)? == Value::Null || !self.is_shared(plan, keys, id)? {
            return Ok(());
        }
        let index = Arc::clone(&plan.index);
        Err(self.duplicate_keys(table, &index, keys))
    }

    /// Whether a row other than this one has these values.
    fn is_shared(&mut self, plan: &IndexPlan, keys: &[Datum], id: &str) -> Result<bool> {
        let mut stem = self.entry_key(plan, keys, "[]");
        stem.pop();
        let range = KeyRange::prefix(&stem);
        let other = |value: &Value| matches!(value, Value::Text(found) if **found != *id);
        if !self.session.is_engine() {
            return Ok(self.scan_latest(range)?.iter().any(|(_, value)| other(value)));
        }
        let value = format!("{}]", stem.trim_end_matches(','));
        self.get_locked(&value, Lock::Update, Wait::Forever, true)?;
        for (key, _) in self.scan_latest(range)? {
            let Key::Text(key) = key else { continue };
            let found = self.get_locked(&key, Lock::KeyShare, Wait::Forever, true)?;
            if found.as_ref().is_some_and(other) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
