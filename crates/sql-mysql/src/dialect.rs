//! MySQL and MariaDB as a dialect.

use std::borrow::Cow;

use hobgoblin_sql_mysql_types::{self as types, Collation, MyType, Settings, SqlMode, literal};
use hobgoblin_sql_schema::catalog::Catalog;
use hobgoblin_sql_schema::dialect::{
    CastContext, Change, ColumnPlace, Rules, Storing, Subscripted, SystemColumn, TypeFacts,
};
use hobgoblin_sql_schema::function::{Candidate, Function, Resolution};
use hobgoblin_sql_schema::meaning::Meaning;
use hobgoblin_sql_schema::names::{Names, TypeEnv};
use hobgoblin_sql_schema::{Dialect, Result, SqlError, SystemTable};
use hobgoblin_sql_value::{Datum, Oid, TypeId};
use sqlparser::ast::{DataType, Expr, Ident, Interval};

use crate::functions::Functions;
use crate::stored;

/// MySQL and MariaDB, with functions that others have.
pub struct MySql {
    pub(crate) functions: Functions,
}

impl std::fmt::Debug for MySql {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MySql")
    }
}

impl MySql {
    /// With these functions.
    pub const fn new(functions: Functions) -> MySql {
        MySql { functions }
    }
}

impl Dialect for MySql {
    fn rules(&self) -> Rules {
        Rules {
            caseless_columns: true,
            own_expressions: true,
            null_type: true,
            output_names: true,
            nulls_first: true,
            locks_any_query: true,
            stores: true,
            sets_in_order: true,
            spares_same: true,
        }
    }

    fn meaning<'e>(&self, expr: &'e Expr, env: &TypeEnv<'_>) -> Result<Option<Meaning<'e>>> {
        crate::meaning::meaning(&self.functions, expr, env)
    }

    fn condition(&self, ty: TypeId) -> Option<Candidate<Function>> {
        (self.functions.condition)(ty)
    }

    fn compared_as(&self, ty: TypeId) -> Option<TypeId> {
        stored::compared_as(ty)
    }

    fn groups_loosely(&self, env: &TypeEnv<'_>) -> bool {
        !Settings::of(env).mode.has(SqlMode::ONLY_FULL_GROUP_BY)
    }

    fn refuses_own_reads(&self, change: Change, env: &TypeEnv<'_>) -> bool {
        // MariaDB reads first and changes then, but for DELETE with a list of tables.
        Settings::of(env).version.is_mysql() || change == Change::DeleteSeveral
    }

    fn groups_by_dependency(&self, env: &TypeEnv<'_>) -> bool {
        Settings::of(env).version.is_mysql()
    }

    fn store(
        &self,
        value: Datum,
        from: TypeId,
        to: &ColumnPlace,
        how: Storing,
        env: &TypeEnv<'_>,
    ) -> Result<Datum> {
        stored::store(&value, from, to, how, env)
    }

    fn absent(&self, column: &ColumnPlace, how: Storing, env: &TypeEnv<'_>) -> Result<Datum> {
        stored::absent(column, how, env)
    }

    fn asks_for_number(&self, value: &Datum, env: &TypeEnv<'_>) -> bool {
        match value {
            Datum::Null => true,
            Datum::Int(0) => !Settings::of(env).mode.has(SqlMode::NO_AUTO_VALUE_ON_ZERO),
            _ => false,
        }
    }

    fn pass_over(
        &self,
        error: SqlError,
        updates: bool,
        schema: &str,
        env: &TypeEnv<'_>,
    ) -> Result<()> {
        stored::pass_over(error, updates, schema, env)
    }

    fn constant_as(
        &self,
        value: &Datum,
        from: TypeId,
        to: TypeId,
        env: &TypeEnv<'_>,
    ) -> Option<Datum> {
        stored::constant_as(value, from, to, env)
    }

    fn equal_of(&self, from: TypeId, to: TypeId) -> Option<&'static Function> {
        stored::equal_of(from, to)
    }

    fn key_part(&self, out: &mut String, value: &Datum, ty: TypeId) -> bool {
        stored::key_part(out, value, ty)
    }

    fn keys_in_order(&self, ty: TypeId) -> bool {
        stored::keys_in_order(ty)
    }

    fn fold<'a>(&self, ident: &'a Ident) -> Cow<'a, str> {
        Cow::Borrowed(&ident.value)
    }

    fn value_word(&self, _word: &str) -> Option<&'static str> {
        None
    }

    fn name_parts(&self, text: &str) -> Option<Vec<String>> {
        Some(text.split('.').map(|part| part.trim_matches('`').replace("``", "`")).collect())
    }

    fn quote<'a>(&self, name: &'a str) -> Cow<'a, str> {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        match !name.is_empty() && name.chars().all(plain) {
            true => Cow::Borrowed(name),
            false => Cow::Owned(crate::catalog::names::quoted(name)),
        }
    }

    fn output_name(&self, expr: &Expr) -> String {
        match expr {
            Expr::Identifier(name) => name.value.clone(),
            Expr::CompoundIdentifier(parts) => {
                parts.last().map(|part| part.value.clone()).unwrap_or_default()
            }
            Expr::Value(value) => match &value.value {
                sqlparser::ast::Value::SingleQuotedString(text) => text.clone(),
                other => other.to_string(),
            },
            other => other.to_string(),
        }
    }

    fn system_schema(&self) -> Option<&'static str> {
        None
    }

    fn first_schema(&self) -> &'static str {
        "test"
    }

    fn owner(&self) -> &'static str {
        "root"
    }

    fn temporary_word(&self) -> &'static str {
        crate::catalog::TEMPORARY
    }

    fn is_temporary(&self, schema: &str) -> bool {
        crate::catalog::is_temporary(schema)
    }

    fn system_table(&self, schema: &str, name: &str) -> Option<&'static SystemTable> {
        crate::catalog::information::table(schema, name)
    }

    fn system_table_of(&self, oid: Oid) -> Option<&'static SystemTable> {
        crate::catalog::information::by_oid(oid)
    }

    fn system_row(&self, _row_type: Oid) -> Option<&'static SystemTable> {
        None
    }

    fn system_columns(&self) -> &'static [SystemColumn] {
        &[]
    }

    fn type_named(&self, name: &str) -> Option<TypeId> {
        types::type_named(name)
    }

    fn extension_type(&self, _ty: TypeId) -> Option<(&'static str, &'static str)> {
        None
    }

    fn array_of(&self, _element: TypeId) -> Option<TypeId> {
        None
    }

    fn element_of(&self, _array: TypeId) -> Option<TypeId> {
        None
    }

    fn type_name(&self, ty: TypeId, _typmod: i32, names: &dyn Names) -> String {
        types::type_name(ty, names)
    }

    fn data_type(
        &self,
        _catalog: &Catalog,
        _path: &[String],
        ty: &DataType,
    ) -> Result<(TypeId, i32)> {
        types::names::cast_type(ty, Collation::DEFAULT).map(|ty| (ty.id(), -1))
    }

    fn interval_type(&self, _interval: &Interval) -> Result<(TypeId, i32)> {
        Err(SqlError::unsupported("an INTERVAL that is not added to a time"))
    }

    fn national_text(&self) -> TypeId {
        MyType::text(0, Collation::DEFAULT).id()
    }

    fn text_constant(&self, text: &str) -> TypeId {
        literal::text(text, Collation::DEFAULT).1
    }

    fn number(&self, text: &str) -> Result<(Datum, TypeId)> {
        literal::number(text)
    }

    fn distance_type(&self, ty: TypeId) -> TypeId {
        ty
    }

    fn is_shifted(&self, result: TypeId, key: TypeId) -> bool {
        MyType::of(result).is_number() && MyType::of(key).is_number()
    }

    fn subscripted(&self, _ty: TypeId) -> Option<Subscripted> {
        None
    }

    fn facts(&self, ty: TypeId) -> TypeFacts {
        types::facts(ty)
    }

    fn parse(&self, text: &str, ty: TypeId, _typmod: i32, env: &TypeEnv<'_>) -> Result<Datum> {
        types::parse(text, ty, env)
    }

    fn print(&self, value: &Datum, ty: TypeId, _typmod: i32, env: &TypeEnv<'_>) -> String {
        types::print(value, ty, env)
    }

    fn print_stored(&self, out: &mut String, value: &Datum, ty: TypeId) {
        types::print_stored(out, value, ty);
    }

    fn parse_stored(&self, text: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
        types::parse_stored(text, ty, env)
    }

    fn cast_context(&self, from: TypeId, to: TypeId, _names: &dyn Names) -> Option<CastContext> {
        types::cast_context(from, to)
    }

    fn cast(
        &self,
        value: Datum,
        from: TypeId,
        to: TypeId,
        _typmod: i32,
        explicit: bool,
        env: &TypeEnv<'_>,
    ) -> Result<Datum> {
        types::cast(value, from, to, explicit, env)
    }

    fn common_type(&self, types: &[TypeId], what: &str, _names: &dyn Names) -> Result<TypeId> {
        (self.functions.common_type)(types, what)
    }

    fn function(
        &self,
        _schema: Option<&str>,
        name: &str,
        args: &[TypeId],
        _names: &dyn Names,
    ) -> Result<Resolution> {
        (self.functions.function)(name, args)
    }

    fn operator(
        &self,
        op: &str,
        left: Option<TypeId>,
        right: TypeId,
        _names: &dyn Names,
    ) -> Result<Candidate<Function>> {
        (self.functions.operator)(op, left, right)
    }

    fn refined(
        &self,
        function: &'static Function,
        types: &[TypeId],
        constants: &[Option<&Datum>],
        result: TypeId,
    ) -> TypeId {
        (self.functions.refined)(function, types, constants, result)
    }

    fn result_in_session(&self, types: &[TypeId], result: TypeId, env: &TypeEnv<'_>) -> TypeId {
        let types: Vec<MyType> = types.iter().map(|ty| MyType::of(*ty)).collect();
        types::common::of_connection(MyType::of(result), &types, Settings::of(env).collation).id()
    }

    fn cast_result(&self, from: TypeId, constant: Option<&Datum>, to: TypeId) -> TypeId {
        types::cast::cast_result(MyType::of(from), MyType::of(to), constant).id()
    }

    fn arguments(&self, _function: &str) -> Result<Vec<(Vec<&'static str>, Vec<Expr>)>> {
        Ok(Vec::new())
    }

    fn is_aggregate(&self, name: &str) -> bool {
        (self.functions.is_aggregate)(name)
    }

    fn has_function(&self, _schema: &str, name: &str, _names: &dyn Names) -> bool {
        (self.functions.has_function)(name)
    }

    fn object_name(&self, _kind: TypeId, _oid: Oid, _names: &dyn Names) -> Option<String> {
        None
    }

    fn objects_named(&self, _kind: TypeId, _text: &str, _names: &dyn Names) -> Vec<Oid> {
        Vec::new()
    }

    fn role_name(&self, _oid: Oid) -> Option<&'static str> {
        None
    }
}
