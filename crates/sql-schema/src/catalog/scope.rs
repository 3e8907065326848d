//! The catalogue as one session sees it: with its search path and its user.

use std::ops::Deref;
use std::sync::Arc;

use hobgoblin_core::Text;

use hobgoblin_sql_value::{Oid, TypeId};

use super::lookup::OWNER;
use super::{Catalog, Derived, Found, Relation};
use crate::dialect::Dialect;
use crate::error::Result;
use crate::names::{EnumType, Names};
use crate::shape::{Field, Shape};

/// A catalogue with the search path and the user of a session. It answers as [`Names`], by that
/// path.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The catalogue that the session's transaction sees, its own changes included.
    pub catalog: Arc<Catalog>,
    /// The schemas searched, the session's temporary one first. The system's own is implied.
    pub path: Arc<[String]>,
    /// The session's user, who owns everything.
    pub user: Text,
}

impl Deref for Scope {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.catalog
    }
}

impl Scope {
    /// A scope with the path `public`.
    pub fn new(catalog: Arc<Catalog>, user: &str) -> Scope {
        let path = Arc::from(first_path(catalog.dialect));
        Scope { catalog, path, user: user.into() }
    }

    /// A relation by name.
    pub fn find(&self, schema: Option<&str>, name: &str) -> Option<Found<'_>> {
        self.catalog.find(&self.path, schema, name)
    }

    /// A relation by name, or an error.
    pub fn require(&self, schema: Option<&str>, name: &str) -> Result<Found<'_>> {
        self.catalog.require(&self.path, schema, name)
    }
}

/// Names as they are found on the path that every session begins with, for callers that have no
/// session.
impl Names for Catalog {
    fn enum_type(&self, ty: TypeId) -> Option<&EnumType> {
        self.enums.get(&ty.0).map(|e| &**e)
    }
    fn type_by_name(&self, schema: Option<&str>, name: &str) -> Option<TypeId> {
        self.type_named(&first_path(self.dialect), schema, name)
    }
    fn type_name(&self, ty: TypeId) -> Option<String> {
        type_name(self, &first_path(self.dialect), ty)
    }
    fn array_of(&self, element: TypeId) -> Option<TypeId> {
        array_of(self, element)
    }
    fn element_of(&self, array: TypeId) -> Option<TypeId> {
        element_of(self, array)
    }
    fn domain(&self, ty: TypeId) -> Option<(TypeId, i32)> {
        self.domains.get(&ty.0).map(|d| (d.base, d.typmod))
    }
    fn relation_name(&self, oid: Oid) -> Option<String> {
        self.display(&first_path(self.dialect), oid)
    }
    fn relation_by_name(&self, text: &str) -> Option<Oid> {
        relation_by_name(self, &first_path(self.dialect), text)
    }
    fn schema_name(&self, oid: Oid) -> Option<String> {
        self.schemas.values().find(|s| s.oid == oid).map(|s| s.name.clone())
    }
    fn schema_by_name(&self, name: &str) -> Option<Oid> {
        self.schemas.get(name).map(|s| s.oid)
    }
    fn role_name(&self, oid: Oid) -> Option<String> {
        match oid {
            OWNER => Some(self.dialect.owner().to_owned()),
            _ => {
                let made = self.roles.iter().find(|(_, role)| role.oid == oid);
                let made = made.map(|(name, _)| name.as_str());
                made.or_else(|| self.dialect.role_name(oid)).map(str::to_owned)
            }
        }
    }
    fn role_by_name(&self, name: &str) -> Option<Oid> {
        match self.roles.get(name) {
            Some(role) => Some(role.oid),
            None => (name == self.dialect.owner()).then_some(OWNER),
        }
    }
    fn dialect(&self) -> Option<&'static dyn Dialect> {
        Some(self.dialect)
    }
    fn extension_schema(&self, extension: &str) -> Option<&str> {
        self.extensions.get(extension).map(|made| made.schema.as_str())
    }
    fn searches(&self, schema: &str) -> bool {
        schema == self.dialect.first_schema()
    }
    fn row_shape(&self, ty: TypeId, typmod: i32) -> Option<Shape> {
        row_shape(self, ty, typmod)
    }
}

impl Names for Scope {
    fn enum_type(&self, ty: TypeId) -> Option<&EnumType> {
        self.enums.get(&ty.0).map(|e| &**e)
    }
    fn type_by_name(&self, schema: Option<&str>, name: &str) -> Option<TypeId> {
        self.type_named(&self.path, schema, name)
    }
    fn type_name(&self, ty: TypeId) -> Option<String> {
        type_name(self, &self.path, ty)
    }
    fn array_of(&self, element: TypeId) -> Option<TypeId> {
        array_of(self, element)
    }
    fn element_of(&self, array: TypeId) -> Option<TypeId> {
        element_of(self, array)
    }
    fn domain(&self, ty: TypeId) -> Option<(TypeId, i32)> {
        self.domains.get(&ty.0).map(|d| (d.base, d.typmod))
    }
    fn relation_name(&self, oid: Oid) -> Option<String> {
        self.display(&self.path, oid)
    }
    fn relation_by_name(&self, text: &str) -> Option<Oid> {
        relation_by_name(self, &self.path, text)
    }
    fn schema_name(&self, oid: Oid) -> Option<String> {
        self.catalog.schema_name(oid)
    }
    fn schema_by_name(&self, name: &str) -> Option<Oid> {
        self.catalog.schema_by_name(name)
    }
    fn role_name(&self, oid: Oid) -> Option<String> {
        match oid {
            OWNER => Some(self.user.to_string()),
            _ => self.catalog.role_name(oid),
        }
    }
    fn role_by_name(&self, name: &str) -> Option<Oid> {
        match self.roles.get(name) {
            Some(role) => Some(role.oid),
            None => (name == &*self.user).then_some(OWNER),
        }
    }
    fn dialect(&self) -> Option<&'static dyn Dialect> {
        Some(self.dialect)
    }
    fn extension_schema(&self, extension: &str) -> Option<&str> {
        self.extensions.get(extension).map(|made| made.schema.as_str())
    }
    fn searches(&self, schema: &str) -> bool {
        self.path.iter().any(|searched| searched == schema)
    }
    fn row_shape(&self, ty: TypeId, typmod: i32) -> Option<Shape> {
        row_shape(self, ty, typmod)
    }
}

fn first_path(dialect: &dyn Dialect) -> [String; 1] {
    [dialect.first_schema().to_owned()]
}

fn type_name(catalog: &Catalog, path: &[String], ty: TypeId) -> Option<String> {
    if let Some(Derived::Array(element)) = catalog.derived.get(&ty.0) {
        return Some(format!("{}[]", type_name(catalog, path, TypeId(*element))?));
    }
    let (schema, name) = catalog.type_names(ty)?;
    let quoted = catalog.dialect.quote(&name);
    let hidden = catalog.dialect.type_named(&name).is_some();
    Some(if !hidden && catalog.type_named(path, None, &name) == Some(ty) {
        quoted.into_owned()
    } else {
        format!("{}.{quoted}", catalog.dialect.quote(schema))
    })
}

fn array_of(catalog: &Catalog, element: TypeId) -> Option<TypeId> {
    match catalog.derived.get(&element.0) {
        Some(Derived::Row(relation)) => match catalog.relations.get(relation)? {
            Relation::Table(table) => Some(TypeId(table.row_array)),
            Relation::View(view) => Some(TypeId(view.row_array)),
            _ => None,
        },
        Some(Derived::Array(_)) => None,
        None => match catalog.enums.get(&element.0) {
            Some(found) => Some(TypeId(found.array)),
            None => catalog.domains.get(&element.0).map(|d| TypeId(d.array)),
        },
    }
}

fn element_of(catalog: &Catalog, array: TypeId) -> Option<TypeId> {
    match catalog.derived.get(&array.0) {
        Some(Derived::Array(element)) => Some(TypeId(*element)),
        _ => None,
    }
}

/// The columns of a row: of a table or view, of a system relation, or of an anonymous shape.
fn row_shape(catalog: &Catalog, ty: TypeId, typmod: i32) -> Option<Shape> {
    if let Some(shape) = catalog.shapes.get(ty, typmod) {
        return Some(shape);
    }
    let field = |name: &str, ty, typmod| Field { name: name.to_owned(), ty, typmod };
    if let Some(Derived::Row(relation)) = catalog.derived.get(&ty.0) {
        return match catalog.relations.get(relation)? {
            Relation::Table(table) => {
                let columns = table.columns.iter().filter(|column| !column.dropped);
                let declared = columns.map(|c| (&c.name, c.declared()));
                Some(declared.map(|(name, (ty, typmod))| field(name, ty, typmod)).collect())
            }
            Relation::View(view) => Some(
                view.columns.iter().map(|(name, ty, typmod)| field(name, *ty, *typmod)).collect(),
            ),
            _ => None,
        };
    }
    let table = catalog.dialect.system_row(ty.0)?;
    Some(table.columns.iter().map(|(name, ty)| field(name, *ty, -1)).collect())
}

fn relation_by_name(catalog: &Catalog, path: &[String], text: &str) -> Option<Oid> {
    let parts = catalog.dialect.name_parts(text)?;
    let found = match parts.as_slice() {
        [name] => catalog.find(path, None, name),
        [schema, name] | [_, schema, name] => catalog.find(path, Some(schema), name),
        _ => None,
    };
    found.map(|f| f.oid())
}
