//! Roles and privileges: accepted where that changes no answer, refused where it would.
//!
//! Everybody may do everything here, as a superuser may in PostgreSQL. So GRANT and REVOKE only check
//! their names.

use sqlparser::ast::{
    Action, CreateRole, GrantObjects, Grantee, GranteeName, ObjectName, Privileges, Statement,
};

use super::Ddl;
use crate::catalog::is_predefined_role;
use crate::catalog::pg::procedures;
use crate::catalog::{Role, fold, split_name};
use crate::error::{Result, SqlError, SqlState};
use crate::types::builtin;

impl Ddl<'_, '_> {
    /// Statements about anything but relations and types.
    pub(super) fn other(&mut self, statement: &Statement) -> Result<()> {
        match statement {
            Statement::CreateExtension(create) => self.create_extension(create),
            Statement::DropExtension(drop) => self.drop_extensions(drop),
            Statement::CreateRole(create) => self.create_role(create),
            Statement::CreateUser(create) => {
                self.tag("CREATE ROLE");
                self.new_role(&fold(&create.name), create.if_not_exists, |role| role.login = true)
            }
            Statement::AlterRole { name, .. } => {
                self.tag("ALTER ROLE");
                let name = fold(name);
                if !self.role_exists(&name) {
                    return Err(no_role(&name));
                }
                Ok(())
            }
            Statement::Grant(grant) => {
                self.tag("GRANT");
                self.check_privileges(&grant.privileges, grant.objects.as_ref(), &grant.grantees)
            }
            Statement::Revoke(revoke) => {
                self.tag("REVOKE");
                self.check_privileges(&revoke.privileges, revoke.objects.as_ref(), &revoke.grantees)
            }
            Statement::CreateDomain(_) => Err(SqlError::unsupported("CREATE DOMAIN")),
            Statement::CreateFunction(_) => Err(SqlError::unsupported("CREATE FUNCTION")),
            Statement::CreateTrigger(_) => Err(SqlError::unsupported("CREATE TRIGGER")),
            Statement::CreateDatabase { .. } => Err(SqlError::unsupported("CREATE DATABASE")),
            Statement::DropFunction(drop) if drop.if_exists => {
                self.tag("DROP FUNCTION");
                for function in &drop.func_desc {
                    let (_, name) = split_name(&function.name)?;
                    let args = function.args.as_deref().unwrap_or_default();
                    let types: Vec<String> =
                        args.iter().map(|a| a.data_type.to_string().to_lowercase()).collect();
                    let message =
                        format!("function {name}({}) does not exist, skipping", types.join(","));
                    self.notice(SqlState::SUCCESSFUL_COMPLETION, message);
                }
                Ok(())
            }
            Statement::DropTrigger(drop) if drop.if_exists => {
                self.tag("DROP TRIGGER");
                Ok(())
            }
            Statement::DropFunction(_) => Err(SqlError::unsupported("DROP FUNCTION")),
            Statement::DropTrigger(_) => Err(SqlError::unsupported("DROP TRIGGER")),
            Statement::DropDomain(_) => Err(SqlError::unsupported("DROP DOMAIN")),
            other => {
                let text = other.to_string();
                let words: Vec<&str> = text.split_whitespace().take(2).collect();
                Err(SqlError::unsupported(words.join(" ")))
            }
        }
    }

    /// What GRANT and REVOKE name must be there; without objects the privileges are roles.
    fn check_privileges(
        &self,
        privileges: &Privileges,
        objects: Option<&GrantObjects>,
        grantees: &[Grantee],
    ) -> Result<()> {
        match objects {
            Some(
                GrantObjects::Tables(names)
                | GrantObjects::Sequences(names)
                | GrantObjects::Views(names),
            ) => {
                for name in names {
                    let (schema, name) = split_name(name)?;
                    self.catalog.require(self.cx.path, schema.as_deref(), &name)?;
                }
            }
            Some(
                GrantObjects::Schemas(names)
                | GrantObjects::AllTablesInSchema { schemas: names }
                | GrantObjects::AllSequencesInSchema { schemas: names }
                | GrantObjects::AllFunctionsInSchema { schemas: names },
            ) => {
                for name in names {
                    let (_, name) = split_name(name)?;
                    self.schema(&name)?;
                }
            }
            Some(
                GrantObjects::Function { name, arg_types }
                | GrantObjects::Procedure { name, arg_types },
            ) => {
                let (_, name) = split_name(name)?;
                if procedures::find(&name, false, &*self.catalog).is_empty() {
                    let types = arg_types.iter().map(|ty| {
                        let ty = crate::catalog::resolve_type(self.catalog, self.cx.path, ty)?;
                        Ok(builtin::format_type(ty.ty, -1, self.catalog))
                    });
                    let types = types.collect::<Result<Vec<_>>>()?.join(", ");
                    let text = format!("function {name}({types}) does not exist");
                    return Err(SqlError::new(SqlState::UNDEFINED_FUNCTION, text));
                }
            }
            // There is one database, whatever the client calls it.
            Some(GrantObjects::Databases(_)) => {}
            Some(_) => return Err(SqlError::unsupported("GRANT on this kind of object")),
            None => {
                if let Privileges::Actions(actions) = privileges {
                    for action in actions {
                        if let Action::Role { role } = action {
                            let (_, role) = split_name(role)?;
                            self.check_role(&role)?;
                        }
                    }
                }
            }
        }
        for grantee in grantees {
            if let Some(GranteeName::ObjectName(name)) = &grantee.name {
                let (_, name) = split_name(name)?;
                self.check_role(&name)?;
            }
        }
        Ok(())
    }

    pub(super) fn check_role(&self, name: &str) -> Result<()> {
        let word = ["public", "current_user", "session_user", "current_role"].contains(&name);
        let predefined = is_predefined_role(name);
        if word || predefined || self.role_exists(name) { Ok(()) } else { Err(no_role(name)) }
    }

    fn create_role(&mut self, create: &CreateRole) -> Result<()> {
        self.tag("CREATE ROLE");
        for name in &create.names {
            let (_, name) = split_name(name)?;
            self.new_role(&name, create.if_not_exists, |role| {
                role.superuser = create.superuser == Some(true);
                role.login = create.login == Some(true);
                role.create_role = create.create_role == Some(true);
                role.create_database = create.create_db == Some(true);
            })?;
        }
        Ok(())
    }

    fn new_role(
        &mut self,
        name: &str,
        if_not_exists: bool,
        set: impl FnOnce(&mut Role),
    ) -> Result<()> {
        if self.role_exists(name) {
            if if_not_exists {
                return Ok(());
            }
            return Err(SqlError::new(
                SqlState::DUPLICATE_OBJECT,
                format!("role \"{name}\" already exists"),
            ));
        }
        let oid = self.catalog.new_oid();
        let mut role = Role {
            oid,
            superuser: false,
            login: false,
            create_role: false,
            create_database: false,
        };
        set(&mut role);
        self.catalog.roles.insert(name.to_owned(), role);
        Ok(())
    }

    pub(super) fn role_exists(&self, name: &str) -> bool {
        name == self.cx.user || self.catalog.roles.contains_key(name)
    }

    pub(super) fn drop_roles(&mut self, names: &[ObjectName], if_exists: bool) -> Result<()> {
        for name in names {
            let (_, name) = split_name(name)?;
            if name == self.cx.user {
                return Err(SqlError::new(
                    SqlState::OBJECT_IN_USE,
                    "current user cannot be dropped",
                ));
            }
            if self.catalog.roles.remove(&*name).is_none() {
                if !if_exists {
                    return Err(no_role(&name));
                }
                self.notice(
                    SqlState::SUCCESSFUL_COMPLETION,
                    format!("role \"{name}\" does not exist, skipping"),
                );
            }
        }
        Ok(())
    }
}

fn no_role(name: &str) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist"))
}
