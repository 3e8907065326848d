//! UPDATE and DELETE of the rows of several tables that a join finds. All rows are found before the
//! first is changed. A row that the join finds several times is changed once, with the tuple that
//! found it first.

use std::rc::Rc;

use hashbrown::HashSet;
use hobgoblin_core::Text;

use super::{Exec, Flow, Source, Tuple};
use hobgoblin_sql_bind::bound::dml::ChangeSeveral;
use hobgoblin_sql_schema::Result;

impl Exec<'_> {
    /// Does the change: how many rows it changed.
    pub(super) fn change_several(&mut self, several: &ChangeSeveral) -> Result<u64> {
        let targets: Vec<usize> = several.tables.iter().map(|change| change.source).collect();
        self.storing.ignore = several.passes_over;
        self.storing.alone = false;
        self.lock_targets(&several.from, &targets);
        let mut found: Vec<Tuple> = Vec::new();
        let mut start = vec![Source::Unset; several.sources];
        self.from(&several.from, &mut start, &mut |_, tuple| {
            found.push(tuple.clone());
            Ok(Flow::Go)
        })?;
        let mut count = 0;
        for change in &several.tables {
            let mut seen: HashSet<Text> = HashSet::new();
            let schema = change.table.schema.clone();
            let mut news = Vec::new();
            for tuple in &found {
                let Source::Row(row) = &tuple[change.source] else { continue };
                if !seen.insert(Text::clone(&row.key)) {
                    continue;
                }
                self.tick()?;
                self.storing.row = seen.len() as u64;
                if several.deletes {
                    news.push((Rc::clone(row), Vec::new()));
                    continue;
                }
                let mut tuple = tuple.clone();
                let new = self.updated_in_turn(
                    &change.table,
                    &change.sets,
                    &mut tuple,
                    change.source,
                    change.in_order,
                )?;
                news.push((Rc::clone(row), new));
            }
            self.matched += news.len() as u64;
            for (row, new) in news {
                let work = |exec: &mut Self| match several.deletes {
                    true => exec.delete_row(&row).map(|()| true),
                    false => exec.update_if_changed(&row, new).map(|changed| changed.is_some()),
                };
                let changed = match several.passes_over {
                    true => self.or_passed_over(&schema, !several.deletes, work)?.unwrap_or(false),
                    false => work(self)?,
                };
                count += u64::from(changed);
            }
        }
        Ok(count)
    }
}
