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

/// When a value is converted from one type to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CastContext {
    /// Wherever a value of the other type is expected.
    Implicit,
    /// When the value is assigned to a column, or a cast is written.
    Assignment,
    /// Only when a cast is written.
    Explicit,
}

/// How the store keeps the values of a type, other than numbers and booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// As they are: the values are texts.
    Text,
    /// As they are: the values are texts in which blanks at the end do not count.
    PaddedText,
    /// As the text that the dialect prints for them.
    Printed,
}

/// What binding and running statements needs to know of a type.
#[derive(Clone, Copy, Debug)]
pub struct TypeFacts {
    /// How the store keeps its values.
    pub kept: Kept,
    /// Whether its values are whole numbers; a number of any such type equals the same number of
    /// another.
    pub integer: bool,
    /// Whether its values are texts; a text of any such type equals the same text of another.
    pub text: bool,
    /// Whether two different texts may be the same value, such as `a` and `A` of `citext`.
    pub caseless: bool,
    /// Whether its values are times of a day, which do not go beyond midnight.
    pub time_of_day: bool,
    /// Whether the keys that the store keeps for its values sort as the values do.
    pub key_order: bool,
    /// Whether its values have an equality and an order.
    pub comparable: bool,
    /// Whether an argument of this type takes a value of any type unchanged.
    pub any: bool,
    /// Whether the modifier is needed to read a text as a value. Otherwise it is applied to the
    /// value that was read.
    pub read_by_modifier: bool,
}

/// How `value[subscript]` finds a part of a value that is no array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscripted {
    /// By this operator, one subscript after the other.
    Operator(&'static str),
    /// By this function of an extension, and only one subscript.
    Function {
        /// The extension that has the function.
        extension: &'static str,
        /// The name of the function, which is called with the value and the subscript.
        function: &'static str,
    },
    /// As the letters of a text, counted from 0, which are of this type.
    Letters(TypeId),
}

/// A column that every table has without declaring it, such as `ctid`.
#[derive(Clone, Copy, Debug)]
pub struct SystemColumn {
    /// The name that statements use for it.
    pub name: &'static str,
    /// What it holds; `None` if this database does not know that, and refuses a statement that
    /// reads it.
    pub holds: Option<Held>,
    /// The type of its values.
    pub ty: TypeId,
    /// The number that clients are told, which is negative.
    pub number: i16,
}

/// What a system column says of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The place of the row, by which a later statement finds it again.
    Place,
    /// The number of the transaction that wrote the row.
    Writer,
    /// The number of the transaction that has locked the row, or 0.
    Locker,
    /// The oid of the table that the row is in.
    Table,
}

/// Rules that only some languages bind and run statements by. The default, all false, is what the
/// standard and PostgreSQL say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// A name finds a column whatever case either of them is written in.
    pub caseless_columns: bool,
    /// The binder asks [`Dialect::meaning`] about every expression before it reads it by the common
    /// rules.
    pub own_expressions: bool,
    /// An untyped NULL has a type of its own and keeps it. Otherwise its type is unknown until
    /// something decides it, and is text in the end.
    pub null_type: bool,
    /// Names of the select list can be used inside the expressions of HAVING and ORDER BY, and
    /// HAVING sees only these names and what the query groups by.
    pub output_names: bool,
    /// NULLs are sorted before all values, and after them where the order descends.
    pub nulls_first: bool,
    /// `FOR UPDATE` locks the rows that a query reads even if it groups or combines them.
    pub locks_any_query: bool,
    /// A column takes a value of any type, converted by [`Dialect::store`].
    pub stores: bool,
    /// The assignments of SET are done one after the other, and an expression sees the values
    /// assigned before it.
    pub sets_in_order: bool,
    /// A row that an UPDATE would leave as it was is not written, and not counted.
    pub spares_same: bool,
}

/// What a statement does to the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It inserts rows.
    Insert,
    /// It updates rows of one table or of several.
    Update,
    /// It deletes rows of one table.
    Delete,
    /// It deletes rows of the tables that are listed before its join.
    DeleteSeveral,
}

/// A column that a value is written to.
#[derive(Clone, Debug)]
pub struct ColumnPlace {
    /// The name of the column, which warnings and errors tell.
    pub column: String,
    /// The name of the table that has the column.
    pub table: String,
    /// The name of the schema that has the table.
    pub schema: String,
    /// The type of the column.
    pub ty: TypeId,
    /// Whether it may not be NULL.
    pub not_null: bool,
}

/// The circumstances under which a value is written to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storing {
    /// The number of the row within its statement, from 1, which warnings and errors tell.
    pub row: u64,
    /// Whether the row is the only one of its statement, so that an error leaves nothing half done.
    pub alone: bool,
    /// Whether a value that does not fit is made to fit with a warning instead of failing the
    /// statement (IGNORE).
    pub ignore: bool,
}

/// A language of SQL: what it answers where languages differ. All of it is asked through a
/// catalogue, so the code that asks does not know which language it is.
pub trait Dialect: Sync {
    /// Which rules of its own the language has.
    fn rules(&self) -> Rules {
        Rules::default()
    }
    /// What an expression stands for that only this language writes, or reads in its own way;
    /// `None` for all others. Asked only under [`Rules::own_expressions`].
    fn meaning<'e>(&self, _expr: &'e Expr, _env: &TypeEnv<'_>) -> Result<Option<Meaning<'e>>> {
        Ok(None)
    }
    /// The function that makes a condition of a value that is no boolean, as in `WHERE 1`; `None`
    /// where that is an error.
    fn condition(&self, _ty: TypeId) -> Option<Candidate<Function>> {
        None
    }
    /// The type that values of this type are converted to before they are compared or sorted;
    /// `None` if they are compared as they are.
    fn compared_as(&self, _ty: TypeId) -> Option<TypeId> {
        None
    }
    /// Whether a query that groups may use any column, and gets its value in some row of the group.
    fn groups_loosely(&self, _env: &TypeEnv<'_>) -> bool {
        false
    }
    /// Whether a statement that does this may not read the table that it changes in a subquery.
    fn refuses_own_reads(&self, _change: Change, _env: &TypeEnv<'_>) -> bool {
        false
    }
    /// Whether a query that groups by a primary key may use the other columns of that table, which
    /// the key determines.
    fn groups_by_dependency(&self, _env: &TypeEnv<'_>) -> bool {
        true
    }
    /// The value that a column takes when this one is written to it, or an error. Asked only under
    /// [`Rules::stores`].
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
    /// The value of a column that an INSERT gives none and that has no default. Asked only under
    /// [`Rules::stores`].
    fn absent(&self, _column: &ColumnPlace, _how: Storing, _env: &TypeEnv<'_>) -> Result<Datum> {
        Ok(Datum::Null)
    }
    /// Whether this value, written to an identity column, stands for the next number, as NULL does.
    /// Asked only under [`Rules::stores`].
    fn asks_for_number(&self, _value: &Datum, _env: &TypeEnv<'_>) -> bool {
        false
    }
    /// Lets a statement with IGNORE go on after an error of one row: `Ok` if the row is skipped
    /// with a warning, and the error again if the statement must fail. `updates` says that the row
    /// was to be updated.
    fn pass_over(
        &self,
        error: SqlError,
        _updates: bool,
        _schema: &str,
        _env: &TypeEnv<'_>,
    ) -> Result<()> {
        Err(error)
    }
    /// A constant as a value of another type, if every value of that type compares with both in the
    /// same way; so an index over that type can be used.
    fn constant_as(
        &self,
        _value: &Datum,
        _from: TypeId,
        _to: TypeId,
        _env: &TypeEnv<'_>,
    ) -> Option<Datum> {
        None
    }
    /// The function that converts a value of one type to the only value of another that equals it,
    /// or to NULL if there is none; so an index over the other type can be used.
    fn equal_of(&self, _from: TypeId, _to: TypeId) -> Option<&'static Function> {
        None
    }
    /// Appends a value to the key of an index entry, such that keys sort as the values do. Returns
    /// whether it did; if not, the value is appended as the store keeps it.
    fn key_part(&self, _out: &mut String, _value: &Datum, _ty: TypeId) -> bool {
        false
    }
    /// Whether keys of values of this type sort as the values do.
    fn keys_in_order(&self, ty: TypeId) -> bool {
        self.facts(ty).integer
    }
    /// An identifier as the catalogue has it: folded to one case, unless it is quoted or cases
    /// differ.
    fn fold<'a>(&self, ident: &'a Ident) -> Cow<'a, str>;
    /// The name of the function that a word calls without parentheses, such as CURRENT_DATE; `None`
    /// if the word is a column like any other.
    fn value_word(&self, word: &str) -> Option<&'static str>;
    /// A qualified name, split into its schema, if any, and its last part. A database before the
    /// schema is left out.
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
    /// The parts of a qualified name that is given as a text, such as `s."A b"`; `None` if the text
    /// is no name.
    fn name_parts(&self, text: &str) -> Option<Vec<String>>;
    /// A name as a statement has to write it, quoted if necessary.
    fn quote<'a>(&self, name: &'a str) -> Cow<'a, str>;
    /// The name of a column of a result that the query does not name.
    fn output_name(&self, expr: &Expr) -> String;
    /// The schema that is searched before the path unless the path has it, if there is one.
    fn system_schema(&self) -> Option<&'static str>;
    /// The schema that every new database has.
    fn first_schema(&self) -> &'static str;
    /// The name of the role that owns whatever no one created.
    fn owner(&self) -> &'static str;
    /// The word that stands for the session's temporary schema before a name.
    fn temporary_word(&self) -> &'static str;
    /// Whether this is the name of some session's temporary schema.
    fn is_temporary(&self, schema: &str) -> bool;
    /// The system table of this name.
    fn system_table(&self, schema: &str, name: &str) -> Option<&'static SystemTable>;
    /// The system table with this oid.
    fn system_table_of(&self, oid: Oid) -> Option<&'static SystemTable>;
    /// The system table whose row type has this oid.
    fn system_row(&self, row_type: Oid) -> Option<&'static SystemTable>;
    /// The columns that every table has without declaring them.
    fn system_columns(&self) -> &'static [SystemColumn];
    /// The built-in type of this name.
    fn type_named(&self, name: &str) -> Option<TypeId>;
    /// The extension that brings a type along, and the name of the type there; `None` for a type
    /// that is always there.
    fn extension_type(&self, ty: TypeId) -> Option<(&'static str, &'static str)>;
    /// The array type of a built-in type.
    fn array_of(&self, element: TypeId) -> Option<TypeId>;
    /// The type of the elements of a built-in array type.
    fn element_of(&self, array: TypeId) -> Option<TypeId>;
    /// The name of a type as messages and definitions have it, with its modifier.
    fn type_name(&self, ty: TypeId, typmod: i32, names: &dyn Names) -> String;
    /// The type, and its modifier, that a type in a cast or a declaration means.
    fn data_type(&self, catalog: &Catalog, path: &[String], ty: &DataType)
    -> Result<(TypeId, i32)>;
    /// The type of `INTERVAL '…'` with its fields, and the modifier that stands for these.
    fn interval_type(&self, interval: &Interval) -> Result<(TypeId, i32)>;
    /// The type of `N'…'`.
    fn national_text(&self) -> TypeId;
    /// The type of `'…'`; [`TypeId::UNKNOWN`] where the expression around it decides.
    fn text_constant(&self, _text: &str) -> TypeId {
        TypeId::UNKNOWN
    }
    /// The value and type of a constant in digits.
    fn number(&self, text: &str) -> Result<(Datum, TypeId)>;
    /// The type of `n` in `RANGE n PRECEDING`, for a window ordered by a key of this type.
    fn distance_type(&self, ty: TypeId) -> TypeId;
    /// Whether a key moved by such a distance, which has the type `result`, compares with the keys
    /// of type `key`.
    fn is_shifted(&self, result: TypeId, key: TypeId) -> bool {
        result == key
    }
    /// How a subscript finds a part of a value of this type, which is no array; `None` if it has no
    /// parts.
    fn subscripted(&self, ty: TypeId) -> Option<Subscripted>;
    /// The facts of a type that binding and running go by.
    fn facts(&self, ty: TypeId) -> TypeFacts;
    /// Reads a text as a value of a type, as a cast from text does.
    fn parse(&self, text: &str, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> Result<Datum>;
    /// Prints a value as text for a client, by the settings in `env`.
    fn print(&self, value: &Datum, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> String;
    /// Appends the text that the store keeps for a value. It depends on no setting, so that every
    /// session reads it alike.
    fn print_stored(&self, out: &mut String, value: &Datum, ty: TypeId);
    /// Reads a text of the store, written by [`Dialect::print_stored`].
    fn parse_stored(&self, text: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum>;
    /// When a value of one type becomes one of another; `None` if it never does.
    fn cast_context(&self, from: TypeId, to: TypeId, names: &dyn Names) -> Option<CastContext>;
    /// Converts a value to another type. A text that is too long is cut if the cast is `explicit`,
    /// and otherwise an error.
    fn cast(
        &self,
        value: Datum,
        from: TypeId,
        to: TypeId,
        typmod: i32,
        explicit: bool,
        env: &TypeEnv<'_>,
    ) -> Result<Datum>;
    /// The type that the branches of a CASE, UNION or the like have in common. `what` is the word
    /// for these in an error.
    fn common_type(&self, types: &[TypeId], what: &str, names: &dyn Names) -> Result<TypeId>;
    /// The function that a call means, by its name and the types of its arguments; `schema` is what
    /// stands before the name.
    fn function(
        &self,
        schema: Option<&str>,
        name: &str,
        args: &[TypeId],
        names: &dyn Names,
    ) -> Result<Resolution>;
    /// The operator that an expression means, by its symbol and the types of its operands; `left`
    /// is `None` for a prefix.
    fn operator(
        &self,
        op: &str,
        left: Option<TypeId>,
        right: TypeId,
        names: &dyn Names,
    ) -> Result<Candidate<Function>>;
    /// The type that a call gives, if the constants among its arguments decide about it; otherwise
    /// `result`.
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
    /// The type that a cast gives, if the constant that is cast decides about it; otherwise `to`.
    fn cast_result(&self, _from: TypeId, _constant: Option<&Datum>, to: TypeId) -> TypeId {
        to
    }
    /// For each function of this name, the names of its arguments and the defaults of the last of
    /// them.
    fn arguments(&self, function: &str) -> Result<Vec<(Vec<&'static str>, Vec<Expr>)>>;
    /// Whether some aggregate has this name.
    fn is_aggregate(&self, name: &str) -> bool;
    /// Whether a call may write this schema before the name of this function.
    fn has_function(&self, schema: &str, name: &str, names: &dyn Names) -> bool;
    /// The name of an object, such as a function, that is the dialect's and in no catalogue. `kind`
    /// is the type, such as `regproc`, of which the number is a value.
    fn object_name(&self, kind: TypeId, oid: Oid, names: &dyn Names) -> Option<String>;
    /// The numbers of the objects of a kind that a text names; several if they share the name.
    fn objects_named(&self, kind: TypeId, text: &str, names: &dyn Names) -> Vec<Oid>;
    /// The name of a role that exists without being created.
    fn role_name(&self, oid: Oid) -> Option<&'static str>;
}

impl fmt::Debug for dyn Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a dialect")
    }
}
