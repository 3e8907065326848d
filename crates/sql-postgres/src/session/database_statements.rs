//! CREATE DATABASE and DROP DATABASE.

use super::core::Core;
use super::outcome::{Done, Outcome};
use crate::error::{Result, SqlError, SqlState};
use crate::parse::DatabaseStatement;
use crate::types::Oid;

impl Core {
    /// CREATE DATABASE and DROP DATABASE.
    pub(super) fn database_statement(&mut self, statement: &DatabaseStatement) -> Result<Outcome> {
        let tag = match statement {
            DatabaseStatement::Create { .. } => "CREATE DATABASE",
            DatabaseStatement::Drop { .. } => "DROP DATABASE",
        };
        if self.transaction.block {
            let text = format!("{tag} cannot run inside a transaction block");
            return Err(SqlError::new(SqlState::ACTIVE_SQL_TRANSACTION, text));
        }
        match statement {
            DatabaseStatement::Create { name, template, owner } => {
                self.create_database(name, template.as_deref(), owner.as_deref())?;
            }
            DatabaseStatement::Drop { name, if_exists, force } => {
                self.drop_database(name, *if_exists, *force)?;
            }
        }
        Ok(Outcome::Done(Done::verb(tag)))
    }

    fn create_database(
        &mut self,
        name: &str,
        template: Option<&str>,
        owner: Option<&str>,
    ) -> Result<()> {
        let known = |name: &str| *name == self.database || is_system(name);
        if let Some(owner) = owner
            && owner != self.user
            && !self.catalog_ref().roles.contains_key(owner)
        {
            let text = format!("role \"{owner}\" does not exist");
            return Err(SqlError::new(SqlState::UNDEFINED_OBJECT, text));
        }
        if let Some(template) = template.filter(|name| !is_template(name)) {
            let made = self.databases.made().into_iter().find(|(_, made, _)| made == template);
            return Err(match made.is_some() || known(template) {
                true => SqlError::unsupported("CREATE DATABASE with another database as TEMPLATE"),
                false => {
                    let text = format!("template database \"{template}\" does not exist");
                    SqlError::new(SqlState::INVALID_CATALOG_NAME, text)
                }
            });
        }
        if known(name) || !self.databases.make(name) {
            let text = format!("database \"{name}\" already exists");
            return Err(SqlError::new(SqlState::DUPLICATE_DATABASE, text));
        }
        Ok(())
    }

    fn drop_database(&mut self, name: &str, if_exists: bool, force: bool) -> Result<()> {
        if *name == self.database {
            let text = "cannot drop the currently open database";
            return Err(SqlError::new(SqlState::OBJECT_IN_USE, text));
        }
        if is_template(name) {
            let text = "cannot drop a template database";
            return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, text));
        }
        let removed = self.databases.remove(name).map_err(|error| match force {
            true => {
                SqlError::unsupported("DROP DATABASE … WITH (FORCE) while others are connected")
            }
            false => error,
        });
        if removed? {
            return Ok(());
        }
        let text = format!("database \"{name}\" does not exist");
        if !if_exists {
            return Err(SqlError::new(SqlState::INVALID_CATALOG_NAME, text));
        }
        let text = format!("{text}, skipping");
        self.notice(
            SqlError::new(SqlState::SUCCESSFUL_COMPLETION, text)
                .severity(crate::error::Severity::Notice),
        );
        Ok(())
    }

    /// The databases that `pg_database` lists beside the templates; the first is always there.
    pub(super) fn database_names(&self) -> Vec<(Oid, String)> {
        let made = self.databases.made();
        let own = made.iter().any(|(_, name, _)| *name == self.database);
        let main = if own { "postgres" } else { &self.database };
        let main = (crate::catalog::pg::DATABASE, main.to_owned());
        std::iter::once(main).chain(made.into_iter().map(|(oid, name, _)| (oid, name))).collect()
    }
}

fn is_template(name: &str) -> bool {
    matches!(name, "template0" | "template1")
}

/// Those that every PostgreSQL has.
fn is_system(name: &str) -> bool {
    is_template(name) || name == "postgres"
}
