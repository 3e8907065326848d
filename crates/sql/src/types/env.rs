//! What reading and printing values depends on: settings of the session, names of the catalogue.

use hobgoblin_core::Text;

use super::datetime::Zone;
use super::record::{self, Shape};
use super::{Oid, TypeId};

/// How dates print: `DateStyle`'s first half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateStyle {
    /// `2001-02-03 04:05:06+00`.
    #[default]
    Iso,
    /// `02/03/2001 04:05:06 UTC`.
    Sql,
    /// `Sat Feb 03 04:05:06 2001 UTC`.
    Postgres,
    /// `03.02.2001 04:05:06 UTC`.
    German,
}

/// Which of the numbers of a date comes first: `DateStyle`'s second half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateOrder {
    /// Year, month, day.
    Ymd,
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    #[default]
    Mdy,
}

/// How intervals print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalStyle {
    /// `1 day 02:03:04`.
    #[default]
    Postgres,
    /// `@ 1 day 2 hours 3 mins 4 secs`.
    PostgresVerbose,
    /// `1 2:03:04`.
    SqlStandard,
    /// `P1DT2H3M4S`.
    Iso8601,
}

/// The settings that decide how values read and print.
#[derive(Clone, Debug)]
pub struct Format {
    /// `extra_float_digits`.
    pub extra_float_digits: i32,
    /// Whether `bytea_output` is `hex`, else `escape`.
    pub bytea_hex: bool,
    /// `TimeZone`.
    pub time_zone: Zone,
    /// The first half of `DateStyle`.
    pub date_style: DateStyle,
    /// The second half of `DateStyle`.
    pub date_order: DateOrder,
    /// `IntervalStyle`.
    pub interval_style: IntervalStyle,
}

impl Default for Format {
    /// PostgreSQL's defaults, in UTC.
    fn default() -> Format {
        Format {
            extra_float_digits: 1,
            bytea_hex: true,
            time_zone: Zone::utc(),
            date_style: DateStyle::default(),
            date_order: DateOrder::default(),
            interval_style: IntervalStyle::default(),
        }
    }
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
    pub labels: Vec<(Oid, f32, Text)>,
    /// Former texts of labels, by their oids: rows written before a label was renamed keep them.
    pub former: Vec<(Text, Oid)>,
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
    /// The function of an oid as regproc prints it, or as regprocedure with its arguments.
    fn function_name(&self, _oid: Oid, _with_arguments: bool) -> Option<String> {
        None
    }
    /// The oid of a function by its name as written, with argument types in brackets for regprocedure.
    fn function_by_name(&self, _text: &str, _with_arguments: bool) -> Option<Oid> {
        None
    }
    /// How many functions have a name; regproc wants one.
    fn functions_named(&self, _text: &str) -> usize {
        0
    }
    /// The text search dictionary of an oid as regdictionary prints it.
    fn dictionary_name(&self, _oid: Oid) -> Option<String> {
        None
    }
    /// The oid of a text search dictionary by its name as written.
    fn dictionary_by_name(&self, _text: &str) -> Option<Oid> {
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
    fn row_shape(&self, ty: TypeId, typmod: i32) -> Option<Shape> {
        record::shape(ty, typmod)
    }
}

/// A catalogue without user types.
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

/// What reading and printing a value needs.
#[derive(Clone, Copy)]
pub struct TypeEnv<'a> {
    /// The session's settings.
    pub format: &'a Format,
    /// The catalogue.
    pub names: &'a dyn Names,
    /// The start of the transaction as a timestamp in UTC, for `'now'` and its kin; without it they are
    /// refused.
    pub now: Option<i64>,
}

impl<'a> TypeEnv<'a> {
    /// An environment that knows no current time.
    pub fn new(format: &'a Format, names: &'a dyn Names) -> TypeEnv<'a> {
        TypeEnv { format, names, now: None }
    }

    /// The same at a time.
    #[must_use]
    pub fn at(self, now: i64) -> TypeEnv<'a> {
        TypeEnv { now: Some(now), ..self }
    }
}
