//! What reading and printing values depends on: settings of the session, names of the catalogue.

use std::sync::Arc;

use super::{Oid, TypeId};

/// The settings that decide how values read and print.
#[derive(Clone, Debug)]
pub struct Format {
    /// `extra_float_digits`.
    pub extra_float_digits: i32,
    /// Whether `bytea_output` is `hex`, else `escape`.
    pub bytea_hex: bool,
}

/// An enum type.
#[derive(Clone, Debug, PartialEq)]
pub struct EnumType {
    /// Its oid.
    pub oid: Oid,
    /// The oid of its array type.
    pub array: Oid,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its labels in order: the oid of the label, its place, its text.
    pub labels: Vec<(Oid, f32, Arc<str>)>,
}

/// Names and user types of a catalogue.
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
}

/// What reading and printing a value needs.
#[derive(Clone, Copy)]
pub struct TypeEnv<'a> {
    /// The session's settings.
    pub format: &'a Format,
    /// The catalogue.
    pub names: &'a dyn Names,
}
