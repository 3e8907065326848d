//! What reading and printing values depends on: settings of the session, names of the catalogue.

use std::any::Any;

use hobgoblin_core::Text;
use hobgoblin_sql_value::{Oid, TypeId};

use crate::dialect::Dialect;
use crate::shape::Shape;

/// An enum type that CREATE TYPE has made.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumType {
    /// The number of the enum as a type.
    pub oid: Oid,
    /// The oid of its array type.
    pub array: Oid,
    /// The name of the schema that the enum is in.
    pub schema: String,
    /// The name of the enum, folded as the dialect folds identifiers.
    pub name: String,
    /// The labels in order: the oid of each, the number that it is sorted by, and its text.
    pub labels: Vec<(Oid, f32, Text)>,
    /// Texts that labels had before they were renamed, with the oids of the labels. Rows that were
    /// written before still have them.
    pub former: Vec<(Text, Oid)>,
}

/// What reading and printing values asks of a catalogue. The defaults are answers of one that has
/// nothing of the kind.
pub trait Names {
    /// An enum type by oid.
    fn enum_type(&self, ty: TypeId) -> Option<&EnumType>;
    /// A user type (enum, its array, a table's row type) by name; `None` searches the path.
    fn type_by_name(&self, schema: Option<&str>, name: &str) -> Option<TypeId>;
    /// How a user type is called, quoted and qualified as needed.
    fn type_name(&self, ty: TypeId) -> Option<String>;
    /// The array type of a user type.
    fn array_of(&self, element: TypeId) -> Option<TypeId>;
    /// The element type of a user array type.
    fn element_of(&self, array: TypeId) -> Option<TypeId>;
    /// What a domain stands for: the type it is over, which may be a domain too, and its modifier.
    fn domain(&self, _ty: TypeId) -> Option<(TypeId, i32)> {
        None
    }
    /// The relation of an oid as regclass prints it.
    fn relation_name(&self, oid: Oid) -> Option<String>;
    /// The oid of a relation by its name as written, quotes and schema included.
    fn relation_by_name(&self, text: &str) -> Option<Oid>;
    /// The name of a schema.
    fn schema_name(&self, oid: Oid) -> Option<String>;
    /// The oid of a schema.
    fn schema_by_name(&self, name: &str) -> Option<Oid>;
    /// The name of a role.
    fn role_name(&self, oid: Oid) -> Option<String>;
    /// The oid of a role.
    fn role_by_name(&self, name: &str) -> Option<Oid>;
    /// The dialect, where somebody asks in a database; it knows objects that are in no catalogue.
    fn dialect(&self) -> Option<&'static dyn Dialect> {
        None
    }
    /// The schema of an extension that was made.
    fn extension_schema(&self, _extension: &str) -> Option<&str> {
        None
    }
    /// Whether names without a schema are looked for in this one.
    fn searches(&self, _schema: &str) -> bool {
        false
    }
    /// The types and modifiers of a row type's columns; for `record`, of the row the modifier stands
    /// for, when whoever made it registered one.
    fn row_fields(&self, ty: TypeId, typmod: i32) -> Option<Vec<(TypeId, i32)>> {
        let shape = self.row_shape(ty, typmod)?;
        Some(shape.iter().map(|field| (field.ty, field.typmod)).collect())
    }
    /// The columns of a row type as [`row_fields`](Names::row_fields) has them, with their names.
    fn row_shape(&self, _ty: TypeId, _typmod: i32) -> Option<Shape> {
        None
    }
}

/// A catalogue in which nothing was created, for values that need none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNames;

impl Names for NoNames {
    fn enum_type(&self, _: TypeId) -> Option<&EnumType> {
        None
    }
    fn type_by_name(&self, _: Option<&str>, _: &str) -> Option<TypeId> {
        None
    }
    fn type_name(&self, _: TypeId) -> Option<String> {
        None
    }
    fn array_of(&self, _: TypeId) -> Option<TypeId> {
        None
    }
    fn element_of(&self, _: TypeId) -> Option<TypeId> {
        None
    }
    fn relation_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn relation_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
    fn schema_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn schema_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
    fn role_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn role_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
}

/// What reading and printing a value depends on beside the value and its type.
#[derive(Clone, Copy)]
pub struct TypeEnv<'a> {
    /// The session's settings. Only the dialect knows their Rust type.
    pub settings: &'a (dyn Any + Send + Sync),
    /// The names of types and relations, as the session finds them.
    pub names: &'a dyn Names,
    /// The start of the transaction as a timestamp in UTC, for `'now'` and its kin; without it they are
    /// refused.
    pub now: Option<i64>,
}

impl<'a> TypeEnv<'a> {
    /// An environment that knows no current time.
    pub fn new(settings: &'a (dyn Any + Send + Sync), names: &'a dyn Names) -> TypeEnv<'a> {
        TypeEnv { settings, names, now: None }
    }

    /// The same at a time.
    #[must_use]
    pub fn at(self, now: i64) -> TypeEnv<'a> {
        TypeEnv { now: Some(now), ..self }
    }
}

/// The type that the values of a domain have, with its modifier; any other type is what it is.
pub fn base_type(ty: TypeId, typmod: i32, names: &dyn Names) -> (TypeId, i32) {
    let mut found = (ty, typmod);
    while found.0.0 >= TypeId::FIRST_USER
        && let Some(base) = names.domain(found.0)
    {
        found = base;
    }
    found
}
