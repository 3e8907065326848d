//! Finding things by name and by oid.
//!
//! A name without a schema is looked for in the temporary schema, in the dialect's own, and then along the
//! search path. Lookups borrow the name; nothing is allocated for a name that is found.

use std::collections::BTreeMap;
use std::sync::Arc;

use hobgoblin_core::Text;
use hobgoblin_sql_value::{Oid, TypeId};

use super::{
    Catalog, Constraint, Derived, Domain, Expression, Index, Notes, Relation, Schema, Sequence,
    Table, View,
};
use crate::dialect::Dialect;
use crate::error::Result;
use crate::names::{Names, base_type};
use crate::problem::Problem;
use crate::system::SystemTable;

/// The oid of the role that owns everything, the session's user.
pub const OWNER: Oid = 10;

/// A relation that a name or an oid led to, with what is known of it.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// A table, or a materialized view.
    Table(&'a Arc<Table>),
    /// A view, whose rows its query gives.
    View(&'a Arc<View>),
    /// A sequence, whose counter is in the store.
    Sequence(&'a Arc<Sequence>),
    /// An index, and the table that it is on.
    Index(&'a Arc<Table>, &'a Arc<Index>),
    /// A table of the system, which is the dialect's and in no catalogue.
    System(&'static SystemTable),
}

impl<'a> Found<'a> {
    /// The oid of the relation, whatever kind it is of.
    pub fn oid(&self) -> Oid {
        match self {
            Found::Table(t) => t.oid,
            Found::View(v) => v.oid,
            Found::Sequence(s) => s.oid,
            Found::Index(_, i) => i.oid,
            Found::System(v) => v.oid,
        }
    }

    /// The word for its kind in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Found::Table(t) if t.materialized.is_some() => "materialized view",
            Found::Table(_) => "table",
            Found::View(_) => "view",
            Found::Sequence(_) => "sequence",
            Found::Index(..) => "index",
            Found::System(v) if v.view => "view",
            Found::System(_) => "table",
        }
    }

    /// The name of the relation without its schema.
    pub fn name(&self) -> &'a str {
        match self {
            Found::Table(t) => &t.name,
            Found::View(v) => &v.name,
            Found::Sequence(s) => &s.name,
            Found::Index(_, i) => &i.name,
            Found::System(v) => v.name,
        }
    }

    /// The name of its schema; an index is in that of its table.
    pub fn schema(&self) -> &'a str {
        match self {
            Found::Table(t) | Found::Index(t, _) => &t.schema,
            Found::View(v) => &v.schema,
            Found::Sequence(s) => &s.schema,
            Found::System(v) => v.schema,
        }
    }
}

impl Catalog {
    /// A catalogue with nothing in it but the dialect's own tables and types.
    pub fn new(dialect: &'static dyn Dialect) -> Catalog {
        Catalog {
            schemas: BTreeMap::new(),
            relations: BTreeMap::new(),
            enums: BTreeMap::new(),
            domains: BTreeMap::new(),
            comments: BTreeMap::new(),
            next_oid: TypeId::FIRST_USER,
            version: 0,
            keys: "".into(),
            prefixes: BTreeMap::new(),
            derived: BTreeMap::new(),
            roles: BTreeMap::new(),
            extensions: BTreeMap::new(),
            shapes: Arc::default(),
            dialect,
        }
    }

    /// Takes the next free oid.
    pub fn new_oid(&mut self) -> Oid {
        let oid = self.next_oid;
        self.next_oid += 1;
        oid
    }

    /// A key prefix that was never used.
    pub fn new_prefix(&mut self, schema: &str, name: &str) -> Text {
        let name = self.dialect.quote(name);
        let base = match schema == self.dialect.first_schema() {
            true => name.into_owned(),
            false => format!("{}.{name}", self.dialect.quote(schema)),
        };
        let used = self.prefixes.entry(base.clone()).or_insert(0);
        *used += 1;
        match *used {
            1 => format!("{}{base}", self.keys).into(),
            n => format!("{}{base}#{n}", self.keys).into(),
        }
    }

    /// A relation by oid.
    pub fn relation(&self, oid: Oid) -> Option<Found<'_>> {
        match self.relations.get(&oid) {
            Some(Relation::Table(t)) => Some(Found::Table(t)),
            Some(Relation::View(v)) => Some(Found::View(v)),
            Some(Relation::Sequence(s)) => Some(Found::Sequence(s)),
            Some(Relation::Index { table, oid }) => {
                let table = self.table(*table)?;
                Some(Found::Index(table, table.index(*oid)?))
            }
            None if oid < TypeId::FIRST_USER => {
                self.dialect.system_table_of(oid).map(Found::System)
            }
            None => None,
        }
    }

    /// A table by oid.
    pub fn table(&self, oid: Oid) -> Option<&Arc<Table>> {
        match self.relations.get(&oid) {
            Some(Relation::Table(t)) => Some(t),
            _ => None,
        }
    }

    /// A table by oid, to change.
    pub fn table_mut(&mut self, oid: Oid) -> Result<&mut Table> {
        match self.relations.get_mut(&oid) {
            Some(Relation::Table(t)) => Ok(Arc::make_mut(t)),
            _ => Err(Problem::RelationGone(oid).into()),
        }
    }

    /// A sequence by oid.
    pub fn sequence(&self, oid: Oid) -> Option<&Arc<Sequence>> {
        match self.relations.get(&oid) {
            Some(Relation::Sequence(s)) => Some(s),
            _ => None,
        }
    }

    /// All tables, by oid.
    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.relations.values().filter_map(|r| match r {
            Relation::Table(t) => Some(t),
            _ => None,
        })
    }

    /// All views, by oid.
    pub fn views(&self) -> impl Iterator<Item = &Arc<View>> {
        self.relations.values().filter_map(|r| match r {
            Relation::View(v) => Some(v),
            _ => None,
        })
    }

    /// All views, and what materialized ones are filled from, by oid.
    pub fn queries(&self) -> impl Iterator<Item = &Arc<View>> {
        self.relations.values().filter_map(|r| match r {
            Relation::View(v) => Some(v),
            Relation::Table(t) => t.materialized.as_ref(),
            _ => None,
        })
    }

    /// A view, or the query of a materialized one, to change.
    pub fn query_mut(&mut self, oid: Oid) -> Option<&mut View> {
        match self.relations.get_mut(&oid)? {
            Relation::View(v) => Some(Arc::make_mut(v)),
            Relation::Table(t) => Arc::make_mut(t).materialized.as_mut().map(Arc::make_mut),
            _ => None,
        }
    }

    /// All sequences, by oid.
    pub fn sequences(&self) -> impl Iterator<Item = &Arc<Sequence>> {
        self.relations.values().filter_map(|r| match r {
            Relation::Sequence(s) => Some(s),
            _ => None,
        })
    }

    /// The sequence that a serial or identity column owns.
    pub fn owned_sequence(&self, table: Oid, column: usize) -> Option<&Arc<Sequence>> {
        self.sequences().find(|s| s.owner.is_some_and(|(t, c, _)| t == table && c == column))
    }

    /// A constraint by oid, with its table.
    pub fn constraint(&self, oid: Oid) -> Option<(&Arc<Table>, &Arc<Constraint>)> {
        self.tables().find_map(|t| t.constraints.iter().find(|c| c.oid == oid).map(|c| (t, c)))
    }

    /// Foreign keys of other tables, and of itself, that refer to a table.
    pub fn referring(&self, table: Oid) -> impl Iterator<Item = (&Arc<Table>, &Arc<Constraint>)> {
        self.tables().flat_map(move |t| {
            t.constraints
                .iter()
                .filter(move |c| {
                    matches!(&c.kind, super::ConstraintKind::Foreign(f) if f.table == table)
                })
                .map(move |c| (t, c))
        })
    }

    /// A relation of one schema.
    pub fn relation_in(&self, schema: &str, name: &str) -> Option<Found<'_>> {
        match self.schemas.get(schema).and_then(|schema| schema.relations.get(name)) {
            Some(oid) => self.relation(*oid),
            None => self.dialect.system_table(schema, name).map(Found::System),
        }
    }

    /// A relation by name, with its schema or along the path. The system's schema comes first unless the path
    /// says otherwise.
    pub fn find(&self, path: &[String], schema: Option<&str>, name: &str) -> Option<Found<'_>> {
        match schema {
            Some(schema) => self.relation_in(self.meant(path, schema)?, name),
            None => {
                let temporary = self.temporary_of(path);
                if let Some(found) = temporary.and_then(|schema| self.relation_in(schema, name)) {
                    return Some(found);
                }
                if let Some(system) = self.dialect.system_schema()
                    && !path.iter().any(|schema| schema == system)
                    && let Some(found) = self.dialect.system_table(system, name)
                {
                    return Some(Found::System(found));
                }
                path.iter().find_map(|schema| self.relation_in(schema, name))
            }
        }
    }

    /// The schema that a word before a name means: there is one for the session's temporary schema.
    fn meant<'a>(&self, path: &'a [String], schema: &'a str) -> Option<&'a str> {
        match schema == self.dialect.temporary_word() {
            true => self.temporary_of(path),
            false => Some(schema),
        }
    }

    fn temporary_of<'a>(&self, path: &'a [String]) -> Option<&'a str> {
        path.iter().map(String::as_str).find(|schema| self.dialect.is_temporary(schema))
    }

    /// A relation by name, or an error.
    pub fn require(&self, path: &[String], schema: Option<&str>, name: &str) -> Result<Found<'_>> {
        self.find(path, schema, name).ok_or_else(|| {
            let schema = schema.map(str::to_owned);
            Problem::NoRelation { schema, name: name.to_owned() }.into()
        })
    }

    /// Whether a name without a schema means this relation.
    pub fn visible(&self, path: &[String], oid: Oid) -> Option<bool> {
        let found = self.relation(oid)?;
        Some(self.find(path, None, found.name()).is_some_and(|f| f.oid() == oid))
    }

    /// The name of a relation, quoted, and qualified if the path does not lead to it.
    pub fn display(&self, path: &[String], oid: Oid) -> Option<String> {
        let found = self.relation(oid)?;
        let name = self.dialect.quote(found.name());
        Some(if self.visible(path, oid)? {
            name.into_owned()
        } else {
            format!("{}.{name}", self.dialect.quote(found.schema()))
        })
    }

    /// The name of a relation for a message, not quoted; qualified if the path does not lead to it.
    pub fn describe(&self, path: &[String], oid: Oid) -> String {
        match self.relation(oid) {
            Some(found) if self.visible(path, oid) == Some(true) => found.name().to_owned(),
            Some(found) => format!("{}.{}", found.schema(), found.name()),
            None => oid.to_string(),
        }
    }

    /// The type that values of a type are kept as, built in or not: that of a domain is what it is over.
    pub fn stored_type(&self, ty: TypeId, typmod: i32) -> (TypeId, i32) {
        let (ty, typmod) = base_type(ty, typmod, self);
        let Some(element) = Names::element_of(self, ty) else { return (ty, typmod) };
        let (base, modifier) = base_type(element, typmod, self);
        match self.array_type(base).filter(|_| base != element) {
            Some(array) => (array, modifier),
            None => (ty, typmod),
        }
    }

    /// The default of a domain: its own, or that of what it is over.
    pub fn domain_default(&self, ty: TypeId) -> Option<Arc<Expression>> {
        let domain = self.domains.get(&ty.0)?;
        domain.default.clone().or_else(|| self.domain_default(domain.base))
    }

    /// Whether a type is a domain that is never NULL.
    pub fn domain_refuses_null(&self, ty: TypeId) -> bool {
        let domain = self.domains.get(&ty.0);
        domain.is_some_and(|d| d.not_null || self.domain_refuses_null(d.base))
    }

    /// A constraint of a domain by oid.
    pub fn domain_check(&self, oid: Oid) -> Option<(&Arc<Domain>, &Arc<Constraint>)> {
        self.domains.values().find_map(|d| d.checks.iter().find(|c| c.oid == oid).map(|c| (d, c)))
    }

    /// A user type by name: an enum, a row type, an array of these.
    pub fn type_named(&self, path: &[String], schema: Option<&str>, name: &str) -> Option<TypeId> {
        let within = |schema: &str| self.schemas.get(schema)?.types.get(name).copied();
        match schema {
            Some(schema) => within(self.meant(path, schema)?),
            None => path.iter().find_map(|schema| within(schema)),
        }
        .map(TypeId)
    }

    /// The schema and name of a user type.
    pub fn type_names(&self, ty: TypeId) -> Option<(&str, String)> {
        if let Some(found) = self.enums.get(&ty.0) {
            return Some((&found.schema, found.name.clone()));
        }
        if let Some(found) = self.domains.get(&ty.0) {
            return Some((&found.schema, found.name.clone()));
        }
        if let Some((extension, name)) = self.dialect.extension_type(ty)
            && let Some(made) = self.extensions.get(extension)
        {
            return Some((made.schema.as_str(), name.to_owned()));
        }
        let schema = match self.derived.get(&ty.0)? {
            Derived::Row(relation) => {
                let found = self.relation(*relation)?;
                return Some((found.schema(), found.name().to_owned()));
            }
            Derived::Array(element) => match self.derived.get(element) {
                Some(Derived::Row(relation)) => self.relation(*relation)?.schema(),
                Some(Derived::Array(_)) => return None,
                None => match (self.enums.get(element), self.domains.get(element)) {
                    (Some(found), _) => &found.schema,
                    (_, Some(found)) => &found.schema,
                    _ => return None,
                },
            },
        };
        let types = &self.schemas.get(schema)?.types;
        let name = types.iter().find(|(_, oid)| **oid == ty.0)?.0;
        Some((schema, name.clone()))
    }

    /// The element type of an array type, built in or not.
    pub fn element_type(&self, array: TypeId) -> Option<TypeId> {
        self.dialect.element_of(array).or_else(|| Names::element_of(self, array))
    }

    /// The array type of a type, built in or not.
    pub fn array_type(&self, element: TypeId) -> Option<TypeId> {
        self.dialect.array_of(element).or_else(|| Names::array_of(self, element))
    }

    /// The schema in which new relations are made.
    pub fn creation_schema<'a>(&self, path: &'a [String]) -> Result<&'a str> {
        path.iter()
            .map(String::as_str)
            .find(|p| !self.dialect.is_temporary(p) && self.schemas.contains_key(*p))
            .ok_or_else(|| Problem::NoSchemaToCreateIn.into())
    }
}

impl Schema {
    /// A schema of this oid and name, with nothing in it.
    pub fn new(oid: Oid, name: &str) -> Schema {
        Schema {
            oid,
            name: name.to_owned(),
            relations: BTreeMap::new(),
            types: BTreeMap::new(),
            notes: Notes::default(),
        }
    }
}
