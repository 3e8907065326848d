//! What a session leaves behind when it ends, or begins again for its client: nothing.

use super::core::{Core, Counts};
use super::startup::Startup;
use crate::catalog;
use crate::settings::Variables;
use hobgoblin_sql_mysql_types::Settings;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::context::NameLock;

impl Core {
    /// Rolls back what is open, and lets go of locks, temporary tables and prepared statements.
    pub(super) fn forget(&mut self) -> Result<()> {
        // An interrupt that is not told yet is not for what is done here.
        self.backend.interrupts.end();
        self.rollback();
        self.table_locks_go();
        self.name_lock(NameLock::LetAllGo)?;
        self.close_all();
        self.planned = None;
        self.drop_temporary()
    }

    /// COM_RESET_CONNECTION: the session is as it was when it connected, but in the database that it uses.
    pub(super) fn reset(&mut self) -> Result<()> {
        self.forget()?;
        self.settings = Settings { version: self.shared.version, ..Settings::default() };
        self.variables = Variables::new(&self.shared.globals, self.startup.interactive);
        self.counts = Counts::default();
        self.changed.clear();
        self.choices.next_isolation = None;
        self.choices.next_access = None;
        self.speak(self.startup.collation);
        if self.startup.ignore_space {
            self.variables.ignore_space();
        }
        self.refresh();
        Ok(())
    }

    /// COM_CHANGE_USER: the session is as one that connects now, with the same number.
    pub(super) fn become_another(&mut self, startup: Startup) -> Result<()> {
        let multi_statements = startup.multi_statements || self.startup.multi_statements;
        self.startup = Startup { multi_statements, ..startup };
        self.database = None;
        self.reset()?;
        self.user = self.startup.named();
        let (user, host) = (self.startup.user.clone(), self.startup.host.clone());
        self.backend.update(|activity| {
            (activity.user, activity.host, activity.database) = (user, host, None);
        });
        match self.startup.database.clone().filter(|name| !name.is_empty()) {
            Some(database) => self.log_in_to(&database),
            None => Ok(()),
        }
    }

    /// Drops the temporary tables of the session.
    fn drop_temporary(&mut self) -> Result<()> {
        let catalog = self.shared.schema.catalog();
        let mine = |schema: &&String| catalog::is_temporary_of(schema, self.number);
        let schemas: Vec<String> = catalog.schemas.keys().filter(mine).cloned().collect();
        if schemas.is_empty() {
            return Ok(());
        }
        let mut own = self.shared.schema.begin_change();
        let after = std::sync::Arc::make_mut(&mut own.catalog);
        after.version = self.shared.schema.next_version();
        for schema in schemas {
            catalog::drop_schema(after, &schema);
        }
        self.shared.schema.install(&own, Vec::new());
        self.shared.schema.end_change();
        self.refresh();
        Ok(())
    }
}
