//! CREATE, ALTER and DROP DOMAIN, read and applied.
//!
//! The parser knows no domains, so they are read off the tokens here. A domain is a type over another one with a default
//! and checks; columns and casts of it are bound as its base type with the checks after the cast. A change that adds a
//! check or NOT NULL leaves the step that looks at every column of the domain, and of domains over it.

use std::sync::Arc;

use hobgoblin_sql_schema::syntax::expressions;
use sqlparser::ast::{DataType, Expr, Ident, ObjectName};
use sqlparser::tokenizer::Token;

use super::depend::Object;
use super::reader::Reader;
use super::types::no_type;
use super::{DataStep, Ddl, Usage};
use crate::catalog::names;
use crate::catalog::names::object_name;
use crate::catalog::{Constraint, ConstraintKind, Derived, Domain, Expression, fold, split_name};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Oid, builtin};

/// A statement about domains.
#[derive(Clone, Debug)]
pub(super) enum DomainStatement {
    Create { name: ObjectName, ty: DataType, clauses: Vec<Clause> },
    Alter { name: ObjectName, action: Box<Action> },
    Drop { names: Vec<ObjectName>, if_exists: bool, cascade: bool },
}

/// One clause of CREATE DOMAIN.
#[derive(Clone, Debug)]
pub(super) enum Clause {
    Null(bool),
    Default(Expr),
    Collate(ObjectName),
    Check(Option<Ident>, Expr),
    /// A constraint that domains cannot have.
    Impossible(&'static str),
}

/// What ALTER DOMAIN does.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Default(Option<Expr>),
    NotNull(bool),
    Add { clause: Clause, valid: bool },
    DropConstraint { name: Ident, if_exists: bool },
    RenameConstraint { from: Ident, to: Ident },
    Validate(Ident),
    RenameTo(Ident),
    SetSchema(Ident),
    Nothing,
}

impl Reader<'_> {
    /// What follows CREATE DOMAIN.
    pub(super) fn create_domain(&mut self) -> Result<DomainStatement> {
        let name = self.name()?;
        let _ = self.words("as");
        let ty = self.parsed(|p| p.parse_data_type())?;
        let mut clauses = Vec::new();
        while !self.ends() {
            clauses.push(self.domain_clause()?);
        }
        Ok(DomainStatement::Create { name, ty, clauses })
    }

    fn domain_clause(&mut self) -> Result<Clause> {
        let name = if self.words("constraint") { Some(self.ident()?) } else { None };
        Ok(if self.words("not null") {
            Clause::Null(false)
        } else if self.words("null") {
            Clause::Null(true)
        } else if self.words("default") {
            // NOT NULL after a default is no part of it.
            Clause::Default(self.parsed(|p| p.parse_subexpr(20))?)
        } else if self.words("collate") {
            Clause::Collate(self.name()?)
        } else if self.words("check") {
            if !matches!(self.peek(), Some(Token::LParen)) {
                return Err(self.unexpected());
            }
            let condition = self.parsed(|p| {
                p.expect_token(&Token::LParen)?;
                let condition = p.parse_expr()?;
                p.expect_token(&Token::RParen)?;
                Ok(condition)
            })?;
            let _ = self.words("no inherit");
            Clause::Check(name, condition)
        } else if self.words("unique") {
            Clause::Impossible("unique")
        } else if self.words("primary key") {
            Clause::Impossible("primary key")
        } else if self.words("references") {
            self.name()?;
            Clause::Impossible("foreign key")
        } else {
            return Err(self.unexpected());
        })
    }

    /// What follows ALTER DOMAIN.
    pub(super) fn alter_domain(&mut self) -> Result<DomainStatement> {
        let name = self.name()?;
        let action = if self.words("set default") {
            Action::Default(Some(self.parsed(|p| p.parse_expr())?))
        } else if self.words("drop default") {
            Action::Default(None)
        } else if self.words("set not null") {
            Action::NotNull(true)
        } else if self.words("drop not null") {
            Action::NotNull(false)
        } else if self.words("add") {
            let clause = self.domain_clause()?;
            Action::Add { clause, valid: !self.words("not valid") }
        } else if self.words("drop constraint") {
            let if_exists = self.words("if exists");
            let name = self.ident()?;
            let _ = self.words("cascade") || self.words("restrict");
            Action::DropConstraint { name, if_exists }
        } else if self.words("rename constraint") {
            let from = self.ident()?;
            if !self.words("to") {
                return Err(self.unexpected());
            }
            Action::RenameConstraint { from, to: self.ident()? }
        } else if self.words("validate constraint") {
            Action::Validate(self.ident()?)
        } else if self.words("rename to") {
            Action::RenameTo(self.ident()?)
        } else if self.words("set schema") {
            Action::SetSchema(self.ident()?)
        } else if self.words("owner to") {
            self.ident()?;
            Action::Nothing
        } else {
            return Err(self.unexpected());
        };
        if !self.ends() {
            return Err(self.unexpected());
        }
        Ok(DomainStatement::Alter { name, action: Box::new(action) })
    }

    /// What follows DROP DOMAIN.
    pub(super) fn drop_domain(&mut self) -> Result<DomainStatement> {
        let if_exists = self.words("if exists");
        let mut names = vec![self.name()?];
        while self.comma() {
            names.push(self.name()?);
        }
        let cascade = self.words("cascade");
        let _ = self.words("restrict");
        if !self.ends() {
            return Err(self.unexpected());
        }
        Ok(DomainStatement::Drop { names, if_exists, cascade })
    }
}

impl Ddl<'_, '_> {
    pub(super) fn domain_statement(&mut self, statement: &DomainStatement) -> Result<()> {
        match statement {
            DomainStatement::Create { name, ty, clauses } => {
                self.tag("CREATE DOMAIN");
                self.new_domain(name, ty, clauses)
            }
            DomainStatement::Alter { name, action } => {
                self.tag("ALTER DOMAIN");
                self.change_domain(name, action)
            }
            DomainStatement::Drop { names, if_exists, cascade } => {
                self.tag("DROP DOMAIN");
                let mut objects = Vec::new();
                for name in names {
                    match self.user_domain(name) {
                        Ok(domain) => objects.push(Object::Type(domain.oid)),
                        Err(error)
                            if *if_exists && error.state() != SqlState::WRONG_OBJECT_TYPE =>
                        {
                            let text = format!("{}, skipping", error.message());
                            self.notice(SqlState::SUCCESSFUL_COMPLETION, text);
                        }
                        Err(error) => return Err(error),
                    }
                }
                self.drop_objects(objects, *cascade)
            }
        }
    }

    fn new_domain(&mut self, name: &ObjectName, ty: &DataType, clauses: &[Clause]) -> Result<()> {
        let (schema, name) = self.new_name(name, false)?;
        let ty = crate::catalog::resolve_type(self.catalog, self.cx.path, ty)?;
        if self.schema(&schema)?.types.contains_key(&name) {
            return Err(SqlError::new(
                SqlState::DUPLICATE_OBJECT,
                format!("type \"{name}\" already exists"),
            ));
        }
        if builtin::is_pseudo(ty.ty) || ty.serial {
            let shown = builtin::format_type(ty.ty, -1, &*self.catalog);
            return Err(SqlError::new(
                SqlState::DATATYPE_MISMATCH,
                format!("\"{shown}\" is not a valid base type for a domain"),
            ));
        }
        let (oid, array) = (self.catalog.new_oid(), self.catalog.new_oid());
        let mut domain = Domain {
            oid,
            array,
            schema: schema.clone(),
            name: name.clone(),
            base: ty.ty,
            typmod: ty.typmod,
            not_null: false,
            default: None,
            collation: None,
            checks: Vec::new(),
        };
        let mut null = None;
        for clause in clauses {
            match clause {
                Clause::Null(wanted) => {
                    if null.is_some_and(|before| before != *wanted) {
                        return Err(SqlError::syntax("conflicting NULL/NOT NULL constraints"));
                    }
                    null = Some(*wanted);
                    domain.not_null = !wanted;
                }
                Clause::Default(default) => {
                    if domain.default.is_some() {
                        return Err(SqlError::syntax("multiple default expressions"));
                    }
                    domain.default = Some(self.domain_default(&domain, default)?);
                }
                Clause::Collate(collation) => {
                    domain.collation = Some(self.collation(collation, ty.ty)?);
                }
                Clause::Check(name, condition) => {
                    let check = self.domain_check(&domain, name.as_ref(), condition, true)?;
                    domain.checks.push(check);
                }
                Clause::Impossible(what) => return Err(impossible(what)),
            }
        }
        let within = self.schema_mut(&schema)?;
        let array_name = names::array_type_name(within, &name);
        within.types.insert(name, oid);
        within.types.insert(array_name, array);
        self.catalog.derived.insert(array, Derived::Array(oid));
        self.catalog.domains.insert(oid, Arc::new(domain));
        Ok(())
    }

    fn domain_default(&self, domain: &Domain, default: &Expr) -> Result<Arc<Expression>> {
        let (base, _) = self.catalog.stored_type(domain.base, domain.typmod);
        self.cx.binder.describe_expr(self.catalog, None, default, Usage::Default(base))?;
        Ok(self.qualified(default.clone()))
    }

    /// A CHECK of a domain, named.
    fn domain_check(
        &mut self,
        domain: &Domain,
        name: Option<&Ident>,
        condition: &Expr,
        validated: bool,
    ) -> Result<Arc<Constraint>> {
        if has_query(condition) {
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "cannot use subquery in check constraint",
            ));
        }
        let row = domain.value(self.catalog);
        self.cx.binder.describe_expr(self.catalog, Some(&row), condition, Usage::Check)?;
        let taken = |name: &str| domain.checks.iter().any(|c| c.name == name);
        let name = match name.map(fold) {
            Some(name) if taken(&name) => {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_OBJECT,
                    format!("constraint \"{name}\" for domain \"{}\" already exists", domain.name),
                ));
            }
            Some(name) => name,
            None => {
                let tables = self.catalog.tables().filter(|t| t.schema == domain.schema);
                let tables = tables.flat_map(|t| t.constraints.iter());
                let domains = self.catalog.domains.values().filter(|d| d.schema == domain.schema);
                let others = tables.chain(domains.flat_map(|d| d.checks.iter()));
                let others: Vec<&str> = others.map(|c| c.name.as_str()).collect();
                let mut label = "check".to_owned();
                let mut number = 0;
                loop {
                    let name = object_name(&domain.name, None, &label);
                    if !taken(&name) && !others.contains(&name.as_str()) {
                        break name;
                    }
                    number += 1;
                    label = format!("check{number}");
                }
            }
        };
        Ok(Arc::new(Constraint {
            oid: self.catalog.new_oid(),
            name,
            kind: ConstraintKind::Check(self.qualified(condition.clone())),
            deferrable: false,
            initially_deferred: false,
            validated,
        }))
    }

    /// A domain by name.
    pub(super) fn user_domain(&self, name: &ObjectName) -> Result<Arc<Domain>> {
        let (schema, last) = split_name(name)?;
        let builtin = schema.is_none() && builtin::by_name(&last).is_some();
        let found = self.catalog.type_named(self.cx.path, schema.as_deref(), &last);
        if let Some(schema) = schema.as_deref() {
            self.schema(schema)?;
        }
        match found.and_then(|ty| self.catalog.domains.get(&ty.0)) {
            Some(domain) => Ok(domain.clone()),
            None if found.is_some() || builtin => Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("{} is not a domain", name_of(schema.as_deref(), &last)),
            )),
            None => Err(no_type(schema.as_deref(), &last)),
        }
    }

    fn change_domain(&mut self, name: &ObjectName, action: &Action) -> Result<()> {
        let domain = self.user_domain(name)?;
        let mut new = (*domain).clone();
        match action {
            Action::Default(default) => {
                new.default = match default {
                    Some(default) => Some(self.domain_default(&domain, default)?),
                    None => None,
                };
            }
            Action::NotNull(not_null) => {
                new.not_null = *not_null;
                if *not_null && !domain.not_null {
                    self.step(DataStep::ValidateDomain { domain: domain.oid, nulls: true });
                }
            }
            Action::Add { clause: Clause::Check(name, condition), valid } => {
                new.checks.push(self.domain_check(&domain, name.as_ref(), condition, *valid)?);
                if *valid {
                    self.step(DataStep::ValidateDomain { domain: domain.oid, nulls: false });
                }
            }
            Action::Add { clause: Clause::Impossible(what), .. } => return Err(impossible(what)),
            Action::Add { clause: Clause::Null(false), .. } => {
                return Err(SqlError::syntax("unexpected object type for NOT NULL"));
            }
            Action::Add { .. } => return Err(SqlError::unsupported("this ALTER DOMAIN")),
            Action::DropConstraint { name, if_exists } => {
                let name = fold(name);
                let before = new.checks.len();
                new.checks.retain(|c| c.name != name);
                if new.checks.len() == before {
                    let error = no_constraint(&domain, &name);
                    if !if_exists {
                        return Err(error);
                    }
                    let text = format!("{}, skipping", error.message());
                    self.notice(SqlState::SUCCESSFUL_COMPLETION, text);
                }
            }
            Action::RenameConstraint { from, to } => {
                let (from, to) = (fold(from), fold(to));
                if new.checks.iter().any(|c| c.name == to) {
                    return Err(SqlError::new(
                        SqlState::DUPLICATE_OBJECT,
                        format!("constraint \"{to}\" for domain {} already exists", domain.name),
                    ));
                }
                match new.checks.iter_mut().find(|c| c.name == from) {
                    Some(check) => Arc::make_mut(check).name = to,
                    None => {
                        return Err(SqlError::new(
                            SqlState::UNDEFINED_OBJECT,
                            format!(
                                "constraint \"{from}\" for domain {} does not exist",
                                domain.name
                            ),
                        ));
                    }
                }
            }
            Action::Validate(name) => {
                let name = fold(name);
                match new.checks.iter_mut().find(|c| c.name == name) {
                    Some(check) => Arc::make_mut(check).validated = true,
                    None => return Err(no_constraint(&domain, &name)),
                }
                self.step(DataStep::ValidateDomain { domain: domain.oid, nulls: false });
            }
            Action::RenameTo(to) => {
                let to = fold(to);
                let schema = domain.schema.clone();
                self.move_names(domain.oid, domain.array, &domain.schema, &schema, &to)?;
                new.name = to;
            }
            Action::SetSchema(to) => {
                let to = self.schema(&fold(to))?.name.clone();
                if to != domain.schema {
                    let (oid, array, name) = (domain.oid, domain.array, &domain.name);
                    self.move_names(oid, array, &domain.schema, &to, name)?;
                }
                new.schema = to;
            }
            Action::Nothing => {}
        }
        self.catalog.domains.insert(domain.oid, Arc::new(new));
        // What was bound for tables with columns of domains is to be bound anew.
        let tables = self.catalog.tables().filter(|t| t.columns.iter().any(|c| c.domain.is_some()));
        let tables: Vec<Oid> = tables.map(|t| t.oid).collect();
        for table in tables {
            self.catalog.table_mut(table)?;
        }
        Ok(())
    }

    /// COMMENT ON CONSTRAINT c ON DOMAIN d: whose comment it is.
    pub(super) fn commented_check(&self, name: &str, domain: &ObjectName) -> Result<Oid> {
        let domain = self.user_domain(domain)?;
        let check = domain.checks.iter().find(|c| c.name == name);
        check.map(|c| c.oid).ok_or_else(|| no_constraint(&domain, name))
    }
}

fn name_of(schema: Option<&str>, name: &str) -> String {
    match schema {
        Some(schema) => format!("\"{schema}.{name}\""),
        None => format!("\"{name}\""),
    }
}

fn impossible(what: &str) -> SqlError {
    SqlError::syntax(format!("{what} constraints not possible for domains"))
}

fn no_constraint(domain: &Domain, name: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_OBJECT,
        format!("constraint \"{name}\" of domain \"{}\" does not exist", domain.name),
    )
}

/// Whether an expression has a query in it.
fn has_query(expr: &Expr) -> bool {
    let mut found = false;
    expressions(expr, |expr| {
        found |= matches!(expr, Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. });
    });
    found
}
