//! What depends on what, and so what a DROP must refuse or take along.
//!
//! Some things go with what they belong to without a word: indexes and checks of a dropped column, the
//! sequence of a serial column. Others stand for themselves, like a view or a reference from another
//! table: those need CASCADE, and are named in the error or the notice.

use std::sync::Arc;

use hobgoblin_sql_schema::syntax::{Node, Tree};
use sqlparser::ast::{
    Ident, JoinConstraint, JoinOperator, Select, SelectItem, SelectItemQualifiedWildcardKind,
    TableFactor, TableWithJoins,
};

use super::{DataStep, Ddl};
use crate::catalog::mentions::{self, column_names, draws_from};
use crate::catalog::{
    Catalog, ConstraintKind, Expression, IndexKey, Relation, Table, View, folded, split_name,
};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{Oid, TypeId, builtin};

/// Something that can be dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Relation(Oid),
    /// A column, by number less one.
    Column(Oid, usize),
    Constraint(Oid, Oid),
    Default(Oid, usize),
    Type(Oid),
    Schema(String),
    Extension(String),
}

/// A thing that goes along, and why.
struct Dependent {
    object: Object,
    /// What it depends on, as the message says.
    on: String,
    /// Whether it goes without a word.
    silent: bool,
}

impl Ddl<'_, '_> {
    /// Drops objects and what depends on them; without CASCADE nothing else may.
    pub(super) fn drop_objects(&mut self, targets: Vec<Object>, cascade: bool) -> Result<()> {
        let mut all: Vec<Object> = targets.clone();
        let mut told: Vec<(String, String)> = Vec::new();
        for target in &targets {
            self.collect(target, &targets, &mut all, &mut told);
        }
        if !told.is_empty() && !cascade {
            let lines: Vec<String> =
                told.iter().map(|(what, on)| format!("{what} depends on {on}")).collect();
            let message = match targets.as_slice() {
                [one] => format!(
                    "cannot drop {} because other objects depend on it",
                    self.object_name(one)
                ),
                _ => {
                    "cannot drop desired object(s) because other objects depend on them".to_owned()
                }
            };
            return Err(SqlError::new(SqlState::DEPENDENT_OBJECTS_STILL_EXIST, message)
                .detail(lines.join("\n"))
                .hint("Use DROP ... CASCADE to drop the dependent objects too."));
        }
        match told.as_slice() {
            [] => {}
            [(what, _)] => {
                self.notice(SqlState::SUCCESSFUL_COMPLETION, format!("drop cascades to {what}"));
            }
            many => {
                let lines: Vec<String> =
                    many.iter().map(|(what, _)| format!("drop cascades to {what}")).collect();
                let notice = SqlError::new(
                    SqlState::SUCCESSFUL_COMPLETION,
                    format!("drop cascades to {} other objects", many.len()),
                )
                .detail(lines.join("\n"))
                .severity(crate::error::Severity::Notice);
                self.out.notices.push(notice);
            }
        }
        // What depends goes before what it depends on.
        for object in all.into_iter().rev() {
            self.remove(&object)?;
        }
        Ok(())
    }

    fn collect(
        &self,
        object: &Object,
        targets: &[Object],
        all: &mut Vec<Object>,
        told: &mut Vec<(String, String)>,
    ) {
        // What is named comes first, lest it be found as a part of something that goes silently.
        let mut dependents = self.dependents(object);
        dependents.sort_by_key(|d| d.silent);
        for dependent in dependents {
            let within = targets.iter().any(|t| self.belongs(&dependent.object, t));
            if all.contains(&dependent.object) {
                continue;
            }
            all.push(dependent.object.clone());
            if !dependent.silent && !within {
                told.push((self.object_name(&dependent.object), dependent.on.clone()));
            }
            self.collect(&dependent.object, targets, all, told);
        }
    }

    /// Whether something is part of something else, so that dropping that needs no mention of it.
    fn belongs(&self, part: &Object, whole: &Object) -> bool {
        match (part, whole) {
            (a, b) if a == b => true,
            (
                Object::Column(t, _) | Object::Constraint(t, _) | Object::Default(t, _),
                Object::Relation(r),
            ) => t == r,
            _ => false,
        }
    }

    /// What depends on an object directly, in PostgreSQL's order: by oid.
    fn dependents(&self, object: &Object) -> Vec<Dependent> {
        let mut found = Vec::new();
        let on = self.object_name(object);
        let mut add = |object: Object, silent: bool| {
            found.push(Dependent { object, on: on.clone(), silent });
        };
        match object {
            Object::Relation(oid) => match self.catalog.relations.get(oid) {
                Some(Relation::Table(table)) => {
                    for sequence in self.catalog.sequences() {
                        if sequence.owner.is_some_and(|(t, _, _)| t == *oid) {
                            add(Object::Relation(sequence.oid), true);
                        }
                    }
                    for (other, constraint) in self.catalog.referring(*oid) {
                        add(Object::Constraint(other.oid, constraint.oid), other.oid == *oid);
                    }
                    for view in self.catalog.queries().filter(|v| v.uses.contains(oid)) {
                        add(Object::Relation(view.oid), false);
                    }
                    for (other, column) in
                        columns_of_type(self.catalog, table.row_type, table.row_array)
                    {
                        add(Object::Column(other, column), false);
                    }
                }
                Some(Relation::View(view)) => {
                    for other in self.catalog.queries().filter(|v| v.uses.contains(oid)) {
                        add(Object::Relation(other.oid), false);
                    }
                    for (other, column) in
                        columns_of_type(self.catalog, view.row_type, view.row_array)
                    {
                        add(Object::Column(other, column), false);
                    }
                }
                Some(Relation::Sequence(sequence)) => {
                    for table in self.catalog.tables() {
                        for (at, column) in table.live() {
                            let uses = column
                                .default
                                .as_ref()
                                .is_some_and(|d| draws_from(self.catalog, d, sequence.oid));
                            if uses {
                                add(Object::Default(table.oid, at), column.identity.is_some());
                            }
                        }
                    }
                    for view in self.catalog.queries().filter(|v| v.uses.contains(oid)) {
                        add(Object::Relation(view.oid), false);
                    }
                }
                Some(Relation::Index { table, oid }) => {
                    let referring = self.catalog.referring(*table).filter(
                        |(_, c)| matches!(&c.kind, ConstraintKind::Foreign(f) if f.index == *oid),
                    );
                    for (other, constraint) in referring {
                        add(Object::Constraint(other.oid, constraint.oid), false);
                    }
                }
                None => {}
            },
            Object::Column(oid, at) => {
                if let Some(table) = self.catalog.table(*oid) {
                    self.column_dependents(table, *at, &mut add);
                }
            }
            Object::Constraint(oid, constraint) => {
                let index = self.catalog.table(*oid).and_then(|t| {
                    t.constraints.iter().find(|c| c.oid == *constraint).and_then(|c| match c.kind {
                        ConstraintKind::Primary(i)
                        | ConstraintKind::Unique(i)
                        | ConstraintKind::Exclude(i) => Some(i),
                        _ => None,
                    })
                });
                if let Some(index) = index {
                    let on = format!("index {}", self.describe(index));
                    let referring = self.catalog.referring(*oid).filter(
                        |(_, c)| matches!(&c.kind, ConstraintKind::Foreign(f) if f.index == index),
                    );
                    found.extend(referring.map(|(other, c)| Dependent {
                        object: Object::Constraint(other.oid, c.oid),
                        on: on.clone(),
                        silent: false,
                    }));
                }
            }
            Object::Default(..) => {}
            Object::Type(oid) => {
                let Some(array) = self.catalog.array_type(TypeId(*oid)) else { return found };
                for domain in self.catalog.domains.values() {
                    if is_over(self.catalog, TypeId(domain.oid), *oid) {
                        found.push(Dependent {
                            object: Object::Type(domain.oid),
                            on: on.clone(),
                            silent: false,
                        });
                    }
                }
                for (of, on) in [(array.0, format!("{on}[]")), (*oid, on.clone())] {
                    found.extend(columns_of_type(self.catalog, of, of).into_iter().map(
                        |(table, column)| Dependent {
                            object: Object::Column(table, column),
                            on: on.clone(),
                            silent: false,
                        },
                    ));
                    let views = self
                        .catalog
                        .queries()
                        .filter(|v| v.columns.iter().any(|c| c.1 == TypeId(of)));
                    found.extend(views.map(|view| Dependent {
                        object: Object::Relation(view.oid),
                        on: on.clone(),
                        silent: false,
                    }));
                }
            }
            Object::Schema(name) => {
                if let Some(schema) = self.catalog.schemas.get(name) {
                    let relations = schema.relations.values().filter(|oid| {
                        !matches!(self.catalog.relations.get(oid), Some(Relation::Index { .. }))
                    });
                    let mut inside: Vec<(Oid, Object)> =
                        relations.map(|oid| (*oid, Object::Relation(*oid))).collect();
                    let enums = self.catalog.enums.values().filter(|e| e.schema == *name);
                    inside.extend(enums.map(|e| (e.oid, Object::Type(e.oid))));
                    let domains = self.catalog.domains.values().filter(|d| d.schema == *name);
                    inside.extend(domains.map(|d| (d.oid, Object::Type(d.oid))));
                    let made = self.catalog.extensions.iter().filter(|(_, e)| e.schema == *name);
                    inside.extend(made.map(|(n, e)| (e.oid, Object::Extension(n.clone()))));
                    inside.sort_by_key(|(oid, _)| *oid);
                    for (oid, object) in inside {
                        let owned = self.catalog.sequence(oid).is_some_and(|s| s.owner.is_some());
                        add(object, owned);
                    }
                }
            }
            Object::Extension(name) => {
                builtin::of_extension(name)
                    .filter(|ty| !ty.is_array())
                    .for_each(|ty| add(Object::Type(ty.oid.0), true));
                self.users_of_extension(name).into_iter().for_each(|user| add(user, false));
            }
        }
        found
    }

    fn column_dependents(&self, table: &Arc<Table>, at: usize, add: &mut dyn FnMut(Object, bool)) {
        let name = &table.columns[at].name;
        let mentions = |e: &Expression| mentions::columns(&e.ast).contains(name);
        for sequence in self.catalog.sequences() {
            if sequence.owner.is_some_and(|(t, c, _)| t == table.oid && c == at) {
                add(Object::Relation(sequence.oid), true);
            }
        }
        for (other, column) in table.live() {
            if other != at
                && column.generated
                && column.default.as_ref().is_some_and(|d| mentions(d))
            {
                add(Object::Column(table.oid, other), false);
            }
        }
        let mut later = Vec::new();
        for (other, constraint) in self.catalog.referring(table.oid) {
            if let ConstraintKind::Foreign(key) = &constraint.kind
                && key.referenced.contains(&at)
            {
                later.push((constraint.oid, Object::Constraint(other.oid, constraint.oid), false));
            }
        }
        for constraint in &table.constraints {
            let object = Object::Constraint(table.oid, constraint.oid);
            let own = match &constraint.kind {
                ConstraintKind::Foreign(key) => key.columns.contains(&at),
                ConstraintKind::Check(e) => mentions(e),
                ConstraintKind::Primary(i)
                | ConstraintKind::Unique(i)
                | ConstraintKind::Exclude(i) => {
                    table.index(*i).is_some_and(|i| index_uses(i, at, name))
                }
            };
            if own {
                later.push((constraint.oid, object, true));
            }
        }
        for index in &table.indexes {
            let free = !table.constraints.iter().any(|c| {
                matches!(c.kind, ConstraintKind::Primary(i) | ConstraintKind::Unique(i) | ConstraintKind::Exclude(i) if i == index.oid)
            });
            if free && index_uses(index, at, name) {
                later.push((index.oid, Object::Relation(index.oid), true));
            }
        }
        for view in self.catalog.queries() {
            if view.uses.contains(&table.oid) && view_mentions(view, table, name) {
                later.push((view.oid, Object::Relation(view.oid), false));
            }
        }
        later.sort_by_key(|(oid, _, _)| *oid);
        for (_, object, silent) in later {
            add(object, silent);
        }
    }

    /// How an object is called in messages.
    pub(super) fn object_name(&self, object: &Object) -> String {
        match object {
            Object::Relation(oid) => {
                let kind = self.catalog.relation(*oid).map_or("relation", |f| f.kind());
                format!("{kind} {}", self.display(*oid))
            }
            Object::Column(oid, at) => {
                let column = self.catalog.table(*oid).and_then(|t| t.columns.get(*at));
                let column = column.map(|c| c.name.as_str()).unwrap_or_default();
                format!("column {column} of table {}", self.display(*oid))
            }
            Object::Constraint(oid, constraint) => {
                let table = self.catalog.table(*oid);
                let found = table.and_then(|t| t.constraints.iter().find(|c| c.oid == *constraint));
                let name = found.map(|c| c.name.as_str()).unwrap_or_default();
                format!("constraint {name} on table {}", self.display(*oid))
            }
            Object::Default(oid, at) => {
                format!("default value for {}", self.object_name(&Object::Column(*oid, *at)))
            }
            Object::Type(oid) => match self.catalog.type_names(TypeId(*oid)) {
                Some((_, name))
                    if self.catalog.type_named(self.cx.path, None, &name) == Some(TypeId(*oid)) =>
                {
                    format!("type {name}")
                }
                Some((schema, name)) => format!("type {schema}.{name}"),
                None => format!("type {oid}"),
            },
            Object::Schema(name) => format!("schema {name}"),
            Object::Extension(name) => format!("extension {name}"),
        }
    }

    fn display(&self, oid: Oid) -> String {
        self.catalog.display(self.cx.path, oid).unwrap_or_default()
    }

    /// Takes one object out of the catalogue. What depends on it is gone already.
    fn remove(&mut self, object: &Object) -> Result<()> {
        match object {
            Object::Relation(oid) => self.remove_relation(*oid),
            Object::Column(oid, at) => {
                let Some(_) = self.catalog.table(*oid) else { return Ok(()) };
                let table = self.catalog.table_mut(*oid)?;
                let Some(column) = table.columns.get_mut(*at) else { return Ok(()) };
                column.name = format!("........pg.dropped.{}........", at + 1);
                column.dropped = true;
                column.not_null = false;
                column.default = None;
                column.identity = None;
                column.generated = false;
                self.forget_comments(
                    crate::catalog::pg::PG_CLASS,
                    *oid,
                    Some(super::table::number(*at)),
                );
                Ok(())
            }
            Object::Constraint(oid, constraint) => {
                let Some(table) = self.catalog.table(*oid) else { return Ok(()) };
                let Some(found) = table.constraints.iter().find(|c| c.oid == *constraint).cloned()
                else {
                    return Ok(());
                };
                self.catalog.table_mut(*oid)?.constraints.retain(|c| c.oid != *constraint);
                self.forget_comments(crate::catalog::pg::PG_CONSTRAINT, *constraint, None);
                match found.kind {
                    ConstraintKind::Primary(index)
                    | ConstraintKind::Unique(index)
                    | ConstraintKind::Exclude(index) => self.remove_relation(index),
                    _ => Ok(()),
                }
            }
            Object::Default(oid, at) => {
                if self.catalog.table(*oid).is_some()
                    && let Some(column) = self.catalog.table_mut(*oid)?.columns.get_mut(*at)
                {
                    column.default = None;
                    column.identity = None;
                }
                Ok(())
            }
            Object::Type(oid) => {
                if let Some(ty) = self.catalog.enums.remove(oid) {
                    self.catalog.derived.remove(&ty.array);
                    self.schema_mut(&ty.schema)?
                        .types
                        .retain(|_, t| *t != ty.oid && *t != ty.array);
                    self.forget_comments(crate::catalog::pg::PG_TYPE, *oid, None);
                }
                if let Some(ty) = self.catalog.domains.remove(oid) {
                    self.catalog.derived.remove(&ty.array);
                    self.schema_mut(&ty.schema)?
                        .types
                        .retain(|_, t| *t != ty.oid && *t != ty.array);
                    self.forget_comments(crate::catalog::pg::PG_TYPE, *oid, None);
                    for check in &ty.checks {
                        self.forget_comments(crate::catalog::pg::PG_CONSTRAINT, check.oid, None);
                    }
                }
                Ok(())
            }
            Object::Schema(name) => {
                if let Some(schema) = self.catalog.schemas.remove(name) {
                    self.forget_comments(crate::catalog::pg::PG_NAMESPACE, schema.oid, None);
                }
                Ok(())
            }
            Object::Extension(name) => self.remove_extension(name),
        }
    }

    fn remove_relation(&mut self, oid: Oid) -> Result<()> {
        let Some(found) = self.catalog.relation(oid) else { return Ok(()) };
        let (schema, name) = (found.schema().to_owned(), found.name().to_owned());
        let Some(relation) = self.catalog.relations.remove(&oid) else { return Ok(()) };
        match relation {
            Relation::Table(table) => {
                for index in &table.indexes {
                    self.catalog.relations.remove(&index.oid);
                    self.schema_mut(&schema)?.relations.remove(&index.name);
                    self.forget_comments(crate::catalog::pg::PG_CLASS, index.oid, None);
                    self.step(DataStep::DropKeys(index.prefix.clone()));
                }
                for constraint in &table.constraints {
                    self.forget_comments(crate::catalog::pg::PG_CONSTRAINT, constraint.oid, None);
                }
                self.step(DataStep::DropKeys(table.prefix.clone()));
                self.remove_row_type(&schema, table.row_type, table.row_array)?;
            }
            Relation::View(view) => self.remove_row_type(&schema, view.row_type, view.row_array)?,
            Relation::Sequence(sequence) => self.step(DataStep::DropKeys(sequence.prefix.clone())),
            Relation::Index { table, oid } => {
                let prefix =
                    self.catalog.table(table).and_then(|t| t.index(oid)).map(|i| i.prefix.clone());
                if let Some(prefix) = prefix {
                    self.step(DataStep::DropKeys(prefix));
                    self.catalog.table_mut(table)?.indexes.retain(|i| i.oid != oid);
                }
            }
        }
        self.schema_mut(&schema)?.relations.remove(&name);
        self.forget_comments(crate::catalog::pg::PG_CLASS, oid, None);
        Ok(())
    }

    fn remove_row_type(&mut self, schema: &str, row: Oid, array: Oid) -> Result<()> {
        self.catalog.derived.remove(&row);
        self.catalog.derived.remove(&array);
        self.schema_mut(schema)?.types.retain(|_, t| *t != row && *t != array);
        Ok(())
    }

    pub(super) fn forget_comments(&mut self, class: Oid, object: Oid, part: Option<i32>) {
        self.catalog
            .comments
            .retain(|(c, o, n), _| *c != class || *o != object || part.is_some_and(|p| p != *n));
    }
}

/// The live columns of a type or its array type.
fn columns_of_type(catalog: &Catalog, ty: Oid, array: Oid) -> Vec<(Oid, usize)> {
    let mut found = Vec::new();
    for table in catalog.tables() {
        let columns =
            table.live().filter(|(_, c)| [TypeId(ty), TypeId(array)].contains(&c.declared().0));
        let mut columns: Vec<_> = columns.map(|(at, _)| (table.oid, at)).collect();
        columns.reverse();
        found.extend(columns);
    }
    found
}

/// Whether an index has a column, or an expression or predicate that mentions it.
fn index_uses(index: &crate::catalog::Index, at: usize, name: &str) -> bool {
    let mentions = |e: &Expression| mentions::columns(&e.ast).iter().any(|c| c == name);
    index.include.contains(&at)
        || index.predicate.as_ref().is_some_and(|p| mentions(p))
        || index.columns.iter().any(|c| match &c.key {
            IndexKey::Column(column) => *column == at,
            IndexKey::Expression(e) => mentions(e),
        })
}

/// Whether a view's query may read a column of a table: it has the column's name somewhere, or a star for the table. A
/// row of the table as a whole is none of its columns.
pub(super) fn view_mentions(view: &View, table: &Table, column: &str) -> bool {
    struct Mentions<'a> {
        table: &'a Table,
        column: &'a str,
        /// What the table goes by in the query.
        names: Vec<String>,
        found: bool,
    }
    impl Mentions<'_> {
        fn in_from(&mut self, from: &TableWithJoins) {
            self.factor(&from.relation);
            for join in &from.joins {
                self.factor(&join.relation);
                if let JoinOperator::Join(JoinConstraint::Using(names))
                | JoinOperator::Inner(JoinConstraint::Using(names))
                | JoinOperator::Left(JoinConstraint::Using(names))
                | JoinOperator::LeftOuter(JoinConstraint::Using(names))
                | JoinOperator::Right(JoinConstraint::Using(names))
                | JoinOperator::RightOuter(JoinConstraint::Using(names))
                | JoinOperator::FullOuter(JoinConstraint::Using(names)) = &join.join_operator
                {
                    let used = names.iter().filter_map(|name| name.0.last()?.as_ident());
                    self.found |= used.into_iter().any(|name| folded(name) == self.column);
                }
            }
        }

        fn factor(&mut self, factor: &TableFactor) {
            match factor {
                TableFactor::Table { name, alias, args: None, .. } => {
                    let Ok((schema, name)) = split_name(name) else { return };
                    if schema.as_deref() == Some(&*self.table.schema) && name == self.table.name {
                        let name = alias.as_ref().map_or(name, |alias| folded(&alias.name));
                        self.names.push(name.into_owned());
                    }
                }
                TableFactor::NestedJoin { table_with_joins, .. } => self.in_from(table_with_joins),
                _ => {}
            }
        }

        fn select(&mut self, select: &Select) {
            let before = self.names.len();
            select.from.iter().for_each(|from| self.in_from(from));
            let here = self.names.len() > before;
            self.found |= select.projection.iter().any(|item| match item {
                SelectItem::Wildcard(_) => here,
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(of),
                    _,
                ) => {
                    of.0.last()
                        .and_then(|part| part.as_ident())
                        .is_some_and(|of| self.names_row(of))
                }
                _ => false,
            });
        }

        fn names_row(&self, name: &Ident) -> bool {
            let name = folded(name);
            self.names.iter().any(|known| *known == name)
        }
    }
    let mut mentions = Mentions { table, column, names: Vec::new(), found: false };
    let mut named = false;
    let mut find = |name: &Ident| named |= folded(name) == column;
    let mut look = |tree: &dyn Tree| {
        tree.walk(&mut |node| {
            if let Node::Select(select) = node {
                mentions.select(select);
            }
        });
        column_names(tree, &mut find);
    };
    look(&*view.query);
    view.clauses.expressions().for_each(|expr| look(expr));
    mentions.found || named
}

/// Whether a type, or what it is an array of, is a domain over another, however far down.
fn is_over(catalog: &Catalog, ty: TypeId, domain: Oid) -> bool {
    catalog.domains.get(&ty.0).is_some_and(|d| {
        d.base.0 == domain || catalog.element_type(d.base).is_some_and(|e| e.0 == domain)
    })
}
