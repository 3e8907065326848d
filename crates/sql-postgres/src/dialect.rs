//! PostgreSQL as a dialect.

mod constant;

use std::borrow::Cow;
use std::sync::LazyLock;

use hobgoblin_sql_schema::catalog::Catalog;
use hobgoblin_sql_schema::dialect::{CastContext, Held, Subscripted, SystemColumn, TypeFacts};
use hobgoblin_sql_schema::function::{Candidate, Function, Resolution};
use hobgoblin_sql_schema::names::{Names, TypeEnv};
use hobgoblin_sql_schema::{Dialect, SystemTable};
use hobgoblin_sql_value::{Datum, Oid, TypeId};
use sqlparser::ast::{DataType, Expr, Ident, Interval};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use crate::catalog::{PREDEFINED, names, pg};
use crate::error::{Result, SqlError};
use crate::parse::output_name;
use crate::types::calls::{self, Functions};
use crate::types::{self, PgType, builtin};

/// PostgreSQL, with functions that others have.
pub struct Postgres {
    functions: LazyLock<Functions>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Postgres")
    }
}

impl Postgres {
    /// The dialect with these functions, whose table is made when the first is looked for.
    pub const fn new(functions: fn() -> Functions) -> Postgres {
        Postgres { functions: LazyLock::new(functions) }
    }
}

/// The columns that every table has; commands are not counted.
static SYSTEM_COLUMNS: [SystemColumn; 6] = [
    SystemColumn { name: "ctid", holds: Some(Held::Place), ty: TypeId::TID, number: -1 },
    SystemColumn { name: "xmin", holds: Some(Held::Writer), ty: TypeId::XID, number: -2 },
    SystemColumn { name: "cmin", holds: None, ty: TypeId::CID, number: -3 },
    SystemColumn { name: "xmax", holds: Some(Held::Locker), ty: TypeId::XID, number: -4 },
    SystemColumn { name: "cmax", holds: None, ty: TypeId::CID, number: -5 },
    SystemColumn { name: "tableoid", holds: Some(Held::Table), ty: TypeId::OID, number: -6 },
];

impl Dialect for Postgres {
    fn fold<'a>(&self, ident: &'a Ident) -> Cow<'a, str> {
        names::folded(ident)
    }

    fn value_word(&self, word: &str) -> Option<&'static str> {
        let words = [
            "current_date",
            "current_time",
            "current_timestamp",
            "localtime",
            "localtimestamp",
            "current_user",
            "session_user",
            "current_role",
            "user",
            "current_catalog",
            "current_schema",
        ];
        words.into_iter().find(|known| word.eq_ignore_ascii_case(known))
    }

    fn name_parts(&self, text: &str) -> Option<Vec<String>> {
        names::split_text(text)
    }

    fn quote<'a>(&self, name: &'a str) -> Cow<'a, str> {
        builtin::quote_ident(name)
    }

    fn output_name(&self, expr: &Expr) -> String {
        output_name::name_of(expr).unwrap_or_else(|| "?column?".to_owned())
    }

    fn system_schema(&self) -> Option<&'static str> {
        Some("pg_catalog")
    }

    fn first_schema(&self) -> &'static str {
        "public"
    }

    fn owner(&self) -> &'static str {
        "postgres"
    }

    fn temporary_word(&self) -> &'static str {
        "pg_temp"
    }

    fn is_temporary(&self, schema: &str) -> bool {
        crate::catalog::is_temporary(schema)
    }

    fn system_table(&self, schema: &str, name: &str) -> Option<&'static SystemTable> {
        pg::table_in(schema, name)
    }

    fn system_table_of(&self, oid: Oid) -> Option<&'static SystemTable> {
        pg::by_oid(oid)
    }

    fn system_row(&self, row_type: Oid) -> Option<&'static SystemTable> {
        pg::by_row_type(row_type)
    }

    fn system_columns(&self) -> &'static [SystemColumn] {
        &SYSTEM_COLUMNS
    }

    fn type_named(&self, name: &str) -> Option<TypeId> {
        builtin::by_name(name)
    }

    fn extension_type(&self, ty: TypeId) -> Option<(&'static str, &'static str)> {
        Some((builtin::extension_of(ty)?, builtin::by_oid(ty)?.name))
    }

    fn array_of(&self, element: TypeId) -> Option<TypeId> {
        builtin::array_of(element)
    }

    fn element_of(&self, array: TypeId) -> Option<TypeId> {
        builtin::element_of(array)
    }

    fn type_name(&self, ty: TypeId, typmod: i32, names: &dyn Names) -> String {
        builtin::format_type(ty, typmod, names)
    }

    fn data_type(
        &self,
        catalog: &Catalog,
        path: &[String],
        ty: &DataType,
    ) -> Result<(TypeId, i32)> {
        crate::catalog::data_type(catalog, path, ty)
    }

    fn interval_type(&self, interval: &Interval) -> Result<(TypeId, i32)> {
        Ok((TypeId::INTERVAL, constant::interval_modifier(interval)?))
    }

    fn national_text(&self) -> TypeId {
        TypeId::BPCHAR
    }

    fn number(&self, text: &str) -> Result<(Datum, TypeId)> {
        constant::number(text)
    }

    fn distance_type(&self, ty: TypeId) -> TypeId {
        match ty {
            TypeId::INT2 | TypeId::INT4 => TypeId::INT8,
            TypeId::FLOAT4 => TypeId::FLOAT8,
            TypeId::DATE => TypeId::TIMESTAMP,
            other => other,
        }
    }

    fn subscripted(&self, ty: TypeId) -> Option<Subscripted> {
        match ty {
            TypeId::JSONB => Some(Subscripted::Operator("->")),
            TypeId::HSTORE => {
                Some(Subscripted::Function { extension: "hstore", function: "fetchval" })
            }
            TypeId::NAME => Some(Subscripted::Letters(TypeId::CHAR)),
            _ => None,
        }
    }

    fn facts(&self, ty: TypeId) -> TypeFacts {
        types::facts(ty)
    }

    fn parse(&self, text: &str, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> Result<Datum> {
        types::text::parse(text, ty, typmod, env)
    }

    fn print(&self, value: &Datum, ty: TypeId, typmod: i32, env: &TypeEnv<'_>) -> String {
        types::text::print(value, ty, typmod, env)
    }

    fn print_stored(&self, out: &mut String, value: &Datum, ty: TypeId) {
        types::stored::print(out, value, ty);
    }

    fn parse_stored(&self, text: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
        types::stored::parse(text, ty, env)
    }

    fn cast_context(&self, from: TypeId, to: TypeId, names: &dyn Names) -> Option<CastContext> {
        types::cast::context(from, to, names)
    }

    fn cast(
        &self,
        value: Datum,
        from: TypeId,
        to: TypeId,
        typmod: i32,
        explicit: bool,
        env: &TypeEnv<'_>,
    ) -> Result<Datum> {
        types::cast::cast(value, from, to, typmod, explicit, env)
    }

    fn common_type(&self, types: &[TypeId], what: &str, names: &dyn Names) -> Result<TypeId> {
        calls::common_type(types, what, names)
    }

    fn function(
        &self,
        schema: Option<&str>,
        name: &str,
        args: &[TypeId],
        names: &dyn Names,
    ) -> Result<Resolution> {
        self.functions.function(schema, name, args, names)
    }

    fn operator(
        &self,
        op: &str,
        left: Option<TypeId>,
        right: TypeId,
        names: &dyn Names,
    ) -> Result<Candidate<Function>> {
        self.functions.operator(op, left, right, names)
    }

    fn arguments(&self, function: &str) -> Result<Vec<(Vec<&'static str>, Vec<Expr>)>> {
        let default = |text: &&str| {
            let parsed = Parser::new(&PostgreSqlDialect {}).try_with_sql(text);
            let parsed = parsed.and_then(|mut parser| parser.parse_expr());
            parsed.map_err(|error| SqlError::syntax(error.to_string()))
        };
        let inputs = pg::procedures::of_name(function).map(|procedure| {
            let (names, defaults) = procedure.inputs();
            Ok((names.to_vec(), defaults.iter().map(default).collect::<Result<_>>()?))
        });
        inputs.collect()
    }

    fn is_aggregate(&self, name: &str) -> bool {
        self.functions.is_aggregate(name)
    }

    /// Built-in functions are in any of the system's schemas and in `public`; elsewhere there are those of
    /// extensions.
    fn has_function(&self, schema: &str, name: &str, names: &dyn Names) -> bool {
        ["pg_catalog", "public", "information_schema"].contains(&schema)
            || self.functions.is_within(schema, name, names)
    }

    fn object_name(&self, kind: TypeId, oid: Oid, names: &dyn Names) -> Option<String> {
        match kind {
            TypeId::REGDICTIONARY => pg::dictionary_name(oid, names),
            _ => pg::procedures::display(oid, kind == TypeId::REGPROCEDURE, names),
        }
    }

    fn objects_named(&self, kind: TypeId, text: &str, names: &dyn Names) -> Vec<Oid> {
        match kind {
            TypeId::REGDICTIONARY => pg::dictionary_by_name(text, names).into_iter().collect(),
            _ => pg::procedures::find(text, kind == TypeId::REGPROCEDURE, names),
        }
    }

    fn role_name(&self, oid: Oid) -> Option<&'static str> {
        PREDEFINED.iter().find(|(known, _)| *known == oid).map(|(_, name)| *name)
    }
}
