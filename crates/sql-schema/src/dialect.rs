//! What one language of SQL says where languages differ.
//!
//! Binding and running a statement, and looking things up in a catalogue, are the same for all of them; whatever
//! is not is asked here. A catalogue knows its dialect, so whoever has a catalogue can ask. A second dialect is a
//! second implementation: nothing outside of the implementations asks which one it is.

use std::borrow::Cow;
use std::fmt;

use hobgoblin_sql_value::{Datum, Oid, TypeId};
use sqlparser::ast::{DataType, Expr, Ident, Interval, ObjectName};

use crate::catalog::Catalog;
use crate::error::{Result, SqlError};
use crate::function::{Candidate, Function, Resolution};
use crate::meaning::Meaning;
use crate::names::{Names, TypeEnv};
use crate::system::SystemTable;

/// When a conversion may happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CastContext {
    /// Anywhere.
    Implicit,
    /// When a value is assigned to a column, or asked for.
    Assignment,
    /// Only when asked for.
    Explicit,
}

/// How the store keeps values that are no numbers or truths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// They are texts.
    Text,
    /// They are texts, equal whatever blanks they end with.
    PaddedText,
    /// As the dialect prints them.
    Printed,
}

/// What binding and running statements needs to know of a type.
#[derive(Clone, Copy, Debug)]
pub struct TypeFacts {
    /// How the store keeps its values.
    pub kept: Kept,
    /// Whether its values are whole numbers, which are equal whatever type of them they are.
    pub integer: bool,
    /// Whether its values are texts, which are equal whatever type of them they are.
    pub text: bool,
    /// Whether equal values may be written in different ways.
    pub caseless: bool,
    /// Whether its values are times of a day, which end at midnight.
    pub time_of_day: bool,
    /// Whether keys in the store have the order of its values.
    pub key_order: bool,
    /// Whether its values can be told apart and ordered.
    pub comparable: bool,
    /// Whether a place of this type takes any value as it is.
    pub any: bool,
    /// Whether reading a text needs the modifier; else it is applied to the value.
    pub read_by_modifier: bool,
}

/// How a subscript finds a part of a value that is no array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscripted {
    /// By this operator, one subscript after the other.
    Operator(&'static str),
    /// By this function of an extension, and only one subscript.
    Function {
        /// The extension.
        extension: &'static str,
        /// The function.
        function: &'static str,
    },
    /// As the letters of a text, counted from 0, which are of this type.
    Letters(TypeId),
}

/// A column that every table has though nobody declared it.
#[derive(Clone, Copy, Debug)]
pub struct SystemColumn {
    /// Its name.
    pub name: &'static str,
    /// What it holds; nothing where that is not kept.
    pub holds: Option<Held>,
    /// Its type.
    pub ty: TypeId,
    /// The number that clients are told.
    pub number: i16,
}

/// What a column holds that nobody declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Where the row is.
    Place,
    /// Who wrote it.
    Writer,
    /// Who has locked it, or 0.
    Locker,
    /// The table.
    Table,
}

/// Where a language binds and runs statements by rules of its own. The default is what the others do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Names of columns are found whatever case they are written in.
    pub caseless_columns: bool,
    /// Some expressions mean what [`Dialect::meaning`] says.
    pub own_expressions: bool,
    /// NULL alone has a type, which stays.
    pub null_type: bool,
    /// HAVING and ORDER BY see the names of the select list also inside of expressions, and HAVING sees only these
    /// and what is grouped by.
    pub output_names: bool,
    /// NULLs come before all else, and after it where the order descends.
    pub nulls_first: bool,
    /// `FOR UPDATE` locks what a query reads, whatever it makes of it.
    pub locks_any_query: bool,
    /// A column takes any value, as [`Dialect::store`] says.
    pub stores: bool,
    /// SET assigns one column after the other, and each sees those before it.
    pub sets_in_order: bool,
    /// A row that an UPDATE would not change is left alone and does not count.
    pub spares_same: bool,
}

/// What is done to the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// INSERT.
    Insert,
    /// UPDATE, also of several tables.
    Update,
    /// DELETE.
    Delete,
    /// DELETE of the rows of several tables.
    DeleteSeveral,
}

/// A column that a value goes to.
#[derive(Clone, Debug)]
pub struct ColumnPlace {
    /// The column.
    pub column: String,
    /// Its table.
    pub table: String,
    /// The schema of that.
    pub schema: String,
    /// Its type.
    pub ty: TypeId,
    /// Whether it may not be NULL.
    pub not_null: bool,
}

/// How a value goes to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storing {
    /// Which row of the statement it is for, from 1.
    pub row: u64,
    /// Whether the statement writes this row alone, so that nothing is in the table yet if it fails.
    pub alone: bool,
    /// Whether what does not fit is told of, and the statement goes on.
    pub ignore: bool,
}

/// A language of SQL.
pub trait Dialect: Sync {
    /// Where it goes by rules of its own.
    fn rules(&self) -> Rules {
        Rules::default()
    }
    /// What an expression of its own stands for; nothing for one that all languages have.
    fn meaning<'e>(&self, _expr: &'e Expr, _env: &TypeEnv<'_>) -> Result<Option<Meaning<'e>>> {
        Ok(None)
    }
    /// What makes a condition of a value of a type that is none; nothing if nothing does.
    fn condition(&self, _ty: TypeId) -> Option<Candidate<Function>> {
        None
    }
    /// The type whose values tell which values of a type are equal and which come first, where their own do not.
    fn compared_as(&self, _ty: TypeId) -> Option<TypeId> {
        None
    }
    /// Whether columns that are neither grouped by nor depend on what is may stand above GROUP BY, with the value of any
    /// row of the group.
    fn groups_loosely(&self, _env: &TypeEnv<'_>) -> bool {
        false
    }
    /// Whether a change may not read its own table in a query inside an expression.
    fn refuses_own_reads(&self, _change: Change, _env: &TypeEnv<'_>) -> bool {
        false
    }
    /// Whether columns that depend on a primary key that is grouped by may stand above GROUP BY.
    fn groups_by_dependency(&self, _env: &TypeEnv<'_>) -> bool {
        true
    }
    /// A value as a column takes it, under [`Rules::stores`].
    fn store(
        &self,
        value: Datum,
        _from: TypeId,
        _to: &ColumnPlace,
        _how: Storing,
        _env: &TypeEnv<'_>,
    ) -> Result<Datum> {
        Ok(value)
    }
    /// What a column without a default holds that is given nothing, under [`Rules::stores`].
    fn absent(&self, _column: &ColumnPlace, _how: Storing, _env: &TypeEnv<'_>) -> Result<Datum> {
        Ok(Datum::Null)
    }
    /// Whether a value asks an identity column for its next number, as NULL does, under [`Rules::stores`].
    fn asks_for_number(&self, _value: &Datum, _env: &TypeEnv<'_>) -> bool {
        false
    }
    /// An error of one row that a statement with IGNORE goes on after: it is told of, perhaps unless the row was to be
    /// updated. Else the error again.
    fn pass_over(
        &self,
        error: SqlError,
        _updates: bool,
        _schema: &str,
        _env: &TypeEnv<'_>,
    ) -> Result<()> {
        Err(error)
    }
    /// A constant as a value of another type, if whatever is of that type compares with both alike.
    fn constant_as(
        &self,
        _value: &Datum,
        _from: TypeId,
        _to: TypeId,
        _env: &TypeEnv<'_>,
    ) -> Option<Datum> {
        None
    }
    /// What makes of a value of a type the one value of another that it is equal to, or NULL where there is none.
    fn equal_of(&self, _from: TypeId, _to: TypeId) -> Option<&'static Function> {
        None
    }
    /// Appends a value as a part of a key, so that keys have the order of values; whether it did. What it leaves is written
    /// as the store keeps it.
    fn key_part(&self, _out: &mut String, _value: &Datum, _ty: TypeId) -> bool {
        false
    }
    /// Whether the parts of keys that values of a type are have the order of the values.
    fn keys_in_order(&self, ty: TypeId) -> bool {
        self.facts(ty).integer
    }
    /// An identifier as the catalogue knows it.
    fn fold<'a>(&self, ident: &'a Ident) -> Cow<'a, str>;
    /// The function that gives the value of a word that is no column unless it is quoted, such as CURRENT_DATE.
    fn value_word(&self, word: &str) -> Option<&'static str>;
    /// A qualified name as written: its schema, if any, and its last part.
    fn split_name<'a>(&self, name: &'a ObjectName) -> Result<(Option<Cow<'a, str>>, Cow<'a, str>)> {
        let part = |i: usize| match name.0.get(i).and_then(|part| part.as_ident()) {
            Some(ident) => Ok(self.fold(ident)),
            None => Err(SqlError::syntax(format!("invalid name: {name}"))),
        };
        match name.0.len() {
            1 => Ok((None, part(0)?)),
            2 => Ok((Some(part(0)?), part(1)?)),
            3 => Ok((Some(part(1)?), part(2)?)),
            _ => Err(SqlError::syntax(format!(
                "improper qualified name (too many dotted names): {name}"
            ))),
        }
    }
    /// The parts of a name that a value has, such as `s."A b"`; nothing if it is no name.
    fn name_parts(&self, text: &str) -> Option<Vec<String>>;
    /// A name as it is to be written.
    fn quote<'a>(&self, name: &'a str) -> Cow<'a, str>;
    /// The name of an output column that is given none.
    fn output_name(&self, expr: &Expr) -> String;
    /// The schema that is searched before all others, where there is one.
    fn system_schema(&self) -> Option<&'static str>;
    /// The schema that every database begins with.
    fn first_schema(&self) -> &'static str;
    /// Who owns what nobody made.
    fn owner(&self) -> &'static str;
    /// The word for the session's temporary schema.
    fn temporary_word(&self) -> &'static str;
    /// Whether a schema is one session's temporary one.
    fn is_temporary(&self, schema: &str) -> bool;
    /// A table of the system by name.
    fn system_table(&self, schema: &str, name: &str) -> Option<&'static SystemTable>;
    /// A table of the system by oid.
    fn system_table_of(&self, oid: Oid) -> Option<&'static SystemTable>;
    /// A table of the system by the oid of its row type.
    fn system_row(&self, row_type: Oid) -> Option<&'static SystemTable>;
    /// The columns that every table has though nobody declared them.
    fn system_columns(&self) -> &'static [SystemColumn];
    /// One of its own types by name.
    fn type_named(&self, name: &str) -> Option<TypeId>;
    /// The extension that a type comes with, and its name there.
    fn extension_type(&self, ty: TypeId) -> Option<(&'static str, &'static str)>;
    /// The array type of one of its own types.
    fn array_of(&self, element: TypeId) -> Option<TypeId>;
    /// The element type of one of its own array types.
    fn element_of(&self, array: TypeId) -> Option<TypeId>;
    /// How a type is called.
    fn type_name(&self, ty: TypeId, typmod: i32, names: &dyn Names) -> String;
    /// A type as an expression names it, and its modifier.
    fn data_type(&self, catalog: &Catalog, path: &[String], ty: &DataType)
    -> Result<(TypeId, i32)>;
    /// The type of a constant that is written as an interval, and its modifier.
    fn interval_type(&self, interval: &Interval) -> Result<(TypeId, i32)>;
    /// The type of a constant that is written as a national text.
    fn national_text(&self) -> TypeId;
    /// The type of a constant in quotes; unknown where what stands beside it decides.
    fn text_constant(&self, _text: &str) -> TypeId {
        TypeId::UNKNOWN
    }
    /// A constant that is written as a number.
    fn number(&self, text: &str) -> Result<(Datum, TypeId)>;
    /// The type in which a distance from a value of a type is another one, for frames of windows.
    fn distance_type(&self, ty: TypeId) -> TypeId;
    /// Whether a distance from a key of one type leads to what compares with it, for frames of windows.
    fn is_shifted(&self, result: TypeId, key: TypeId) -> bool {
        result == key
    }
    /// How a subscript finds a part of a value that is no array.
    fn subscripted(&self, ty: TypeId) -> Option<Subscripted>;
    /// What is to be known of a type.
    fn facts(&self, ty: TypeId) -> TypeFacts;
    /// A text as a value of a type.
    fn parse(&self, text: &str, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> Result<Datum>;
    /// A value as a text.
    fn print(&self, value: &Datum, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> String;
    /// Appends the text that the store keeps of a value; it depends on no setting.
    fn print_stored(&self, out: &mut String, value: &Datum, ty: TypeId);
    /// The value that a text of the store stands for.
    fn parse_stored(&self, text: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum>;
    /// When values of a type convert to another; `None` when they never do.
    fn cast_context(&self, from: TypeId, to: TypeId, names: &dyn Names) -> Option<CastContext>;
    /// A value as one of another type; one that was asked for may be cut.
    fn cast(
        &self,
        value: Datum,
        from: TypeId,
        to: TypeId,
        typmod: i32,
        explicit: bool,
        env: &TypeEnv<'_>,
    ) -> Result<Datum>;
    /// The one type of branches; `what` names them in the error.
    fn common_type(&self, types: &[TypeId], what: &str, names: &dyn Names) -> Result<TypeId>;
    /// The function that a call means; a schema is that written before its name.
    fn function(
        &self,
        schema: Option<&str>,
        name: &str,
        args: &[TypeId],
        names: &dyn Names,
    ) -> Result<Resolution>;
    /// The operator that an expression means; without a left side it is a prefix.
    fn operator(
        &self,
        op: &str,
        left: Option<TypeId>,
        right: TypeId,
        names: &dyn Names,
    ) -> Result<Candidate<Function>>;
    /// What a call gives where some of its arguments are constants, if these decide about its type.
    fn refined(
        &self,
        _function: &'static Function,
        _types: &[TypeId],
        _constants: &[Option<&Datum>],
        result: TypeId,
    ) -> TypeId {
        result
    }
    /// What a call of arguments of these types gives in a session, if its settings decide about the type.
    fn result_in_session(&self, _types: &[TypeId], result: TypeId, _env: &TypeEnv<'_>) -> TypeId {
        result
    }
    /// What a conversion that is asked for gives, if what it is of decides about its type.
    fn cast_result(&self, _from: TypeId, _constant: Option<&Datum>, to: TypeId) -> TypeId {
        to
    }
    /// The names of the arguments of the functions of a name, and the defaults of the last of them.
    fn arguments(&self, function: &str) -> Result<Vec<(Vec<&'static str>, Vec<Expr>)>>;
    /// Whether a name is an aggregate's.
    fn is_aggregate(&self, name: &str) -> bool;
    /// Whether a call may name a function together with this schema.
    fn has_function(&self, schema: &str, name: &str, names: &dyn Names) -> bool;
    /// What an object of the dialect's own is called, by its number in one of its types for that.
    fn object_name(&self, kind: TypeId, oid: Oid, names: &dyn Names) -> Option<String>;
    /// The numbers of the objects that a name means.
    fn objects_named(&self, kind: TypeId, text: &str, names: &dyn Names) -> Vec<Oid>;
    /// The name of a role that nobody made.
    fn role_name(&self, oid: Oid) -> Option<&'static str>;
}

impl fmt::Debug for dyn Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dialect")
    }
}
