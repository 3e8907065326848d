//! The language: names in capitals, numbers, texts and truths, a handful of operators.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use hobgoblin_sql_schema::catalog::{
    Catalog, Column, Index, IndexColumn, IndexKey, Notes, OnCommit, Relation, Schema, Table,
};
use hobgoblin_sql_schema::context::Context;
use hobgoblin_sql_schema::dialect::{CastContext, Kept, Subscripted, SystemColumn, TypeFacts};
use hobgoblin_sql_schema::function::{
    Accumulator, Aggregate, Call, Candidate, Function, Resolution,
};
use hobgoblin_sql_schema::names::{Names, TypeEnv};
use hobgoblin_sql_schema::{Dialect, Result, SqlError, SystemTable};
use hobgoblin_sql_value::{Datum, Oid, TypeId};
use sqlparser::ast::{DataType, Expr, Ident, Interval};

pub(crate) struct Shout;

pub(crate) static SHOUT: Shout = Shout;

/// Its sessions have no settings.
pub(crate) static SETTINGS: &(dyn Any + Send + Sync) = &();

pub(crate) fn bigint() -> TypeId {
    TypeId::BIGINT
}

pub(crate) fn text() -> TypeId {
    TypeId::TEXT
}

const HOME: &str = "HOME";

pub(crate) fn catalogue() -> Catalog {
    let mut catalog = Catalog::new(&SHOUT);
    let oid = catalog.new_oid();
    catalog.schemas.insert(HOME.to_owned(), Schema::new(oid, HOME));
    catalog
}

/// Makes a table whose first column is its primary key.
pub(crate) fn table(catalog: &mut Catalog, name: &str, columns: &[(&str, TypeId)]) {
    let (oid, key) = (catalog.new_oid(), catalog.new_oid());
    let primary = Index {
        oid: key,
        name: format!("{name}_KEY"),
        prefix: format!("{name}_KEY").into(),
        columns: vec![IndexColumn {
            key: IndexKey::Column(0),
            name: columns[0].0.to_owned(),
            ty: columns[0].1,
            collation: None,
            descending: false,
            nulls_first: false,
            opclass: None,
        }],
        include: Vec::new(),
        unique: true,
        primary: true,
        nulls_not_distinct: false,
        predicate: None,
        method: String::new(),
        options: Vec::new(),
        operators: Vec::new(),
        notes: Notes::default(),
    };
    let table = Table {
        oid,
        row_type: catalog.new_oid(),
        row_array: catalog.new_oid(),
        schema: HOME.to_owned(),
        name: name.to_owned(),
        prefix: name.into(),
        columns: columns.iter().map(|(name, ty)| Column::new(name, *ty, -1)).collect(),
        indexes: vec![Arc::new(primary)],
        constraints: Vec::new(),
        temporary: false,
        on_commit: OnCommit::PreserveRows,
        options: Vec::new(),
        unlogged: false,
        materialized: None,
        populated: true,
        notes: Notes::default(),
    };
    catalog.relations.insert(oid, Relation::Table(Arc::new(table)));
    catalog.relations.insert(key, Relation::Index { table: oid, oid: key });
    let home = catalog.schemas.get_mut(HOME).expect("it was made");
    home.relations.insert(name.to_owned(), oid);
}

const INTS: &[TypeId] = &[TypeId::BIGINT, TypeId::BIGINT];
const TEXTS: &[TypeId] = &[TypeId::TEXT, TypeId::TEXT];

static FUNCTIONS: &[Function] = &[
    Function::new("+", INTS, TypeId::BIGINT, |call| Ok(Datum::Int(call.int(0)? + call.int(1)?))),
    Function::new("=", INTS, TypeId::BOOLEAN, |call| Ok(Datum::Bool(call.int(0)? == call.int(1)?))),
    Function::new("<", INTS, TypeId::BOOLEAN, |call| Ok(Datum::Bool(call.int(0)? < call.int(1)?))),
    Function::new("=", TEXTS, TypeId::BOOLEAN, |call| {
        Ok(Datum::Bool(call.text(0)? == call.text(1)?))
    }),
    Function::new("||", TEXTS, TypeId::TEXT, joined),
    Function::new("TWICE", &[TypeId::BIGINT], TypeId::BIGINT, |call| {
        Ok(Datum::Int(2 * call.int(0)?))
    }),
];

fn joined(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Text(format!("{}{}", call.text(0)?, call.text(1)?).into()))
}

static COUNT: Aggregate = Aggregate {
    name: "COUNT",
    args: &[TypeId::BIGINT],
    result: TypeId::BIGINT,
    start: |_| Box::new(Counted(0)),
};

struct Counted(i64);

impl Accumulator for Counted {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        self.0 += i64::from(args.iter().all(|arg| !arg.is_null()));
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(Datum::Int(self.0))
    }
}

/// What has a name and takes arguments of these types; a constant in quotes is of any type.
fn find(name: &str, given: &[TypeId]) -> Option<Candidate<Function>> {
    let takes = |(given, taken): (&TypeId, &TypeId)| given == taken || *given == TypeId::UNKNOWN;
    let found = FUNCTIONS.iter().find(|function| {
        function.name == name
            && function.args.len() == given.len()
            && given.iter().zip(function.args).all(takes)
    })?;
    Some(Candidate { function: found, args: found.args.to_vec(), result: found.result })
}

impl Dialect for Shout {
    fn fold<'a>(&self, ident: &'a Ident) -> Cow<'a, str> {
        ident.value.to_uppercase().into()
    }

    fn value_word(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn name_parts(&self, text: &str) -> Option<Vec<String>> {
        Some(text.split('.').map(str::to_uppercase).collect())
    }

    fn quote<'a>(&self, name: &'a str) -> Cow<'a, str> {
        name.into()
    }

    fn output_name(&self, _: &Expr) -> String {
        "?".to_owned()
    }

    fn system_schema(&self) -> Option<&'static str> {
        None
    }

    fn first_schema(&self) -> &'static str {
        HOME
    }

    fn owner(&self) -> &'static str {
        "NOBODY"
    }

    fn temporary_word(&self) -> &'static str {
        "BRIEFLY"
    }

    fn is_temporary(&self, _: &str) -> bool {
        false
    }

    fn system_table(&self, _: &str, _: &str) -> Option<&'static SystemTable> {
        None
    }

    fn system_table_of(&self, _: Oid) -> Option<&'static SystemTable> {
        None
    }

    fn system_row(&self, _: Oid) -> Option<&'static SystemTable> {
        None
    }

    fn system_columns(&self) -> &'static [SystemColumn] {
        &[]
    }

    fn type_named(&self, _: &str) -> Option<TypeId> {
        None
    }

    fn extension_type(&self, _: TypeId) -> Option<(&'static str, &'static str)> {
        None
    }

    fn array_of(&self, _: TypeId) -> Option<TypeId> {
        None
    }

    fn element_of(&self, _: TypeId) -> Option<TypeId> {
        None
    }

    fn type_name(&self, ty: TypeId, _: i32, _: &dyn Names) -> String {
        match ty {
            TypeId::BIGINT => "NUMBER",
            TypeId::BOOLEAN => "TRUTH",
            _ => "TEXT",
        }
        .to_owned()
    }

    fn data_type(&self, _: &Catalog, _: &[String], ty: &DataType) -> Result<(TypeId, i32)> {
        Err(SqlError::unsupported(format!("the type {ty}")))
    }

    fn interval_type(&self, _: &Interval) -> Result<(TypeId, i32)> {
        Err(SqlError::unsupported("intervals"))
    }

    fn national_text(&self) -> TypeId {
        TypeId::TEXT
    }

    fn number(&self, text: &str) -> Result<(Datum, TypeId)> {
        let number = text.parse().map_err(|_| SqlError::syntax(format!("{text} is no number")))?;
        Ok((Datum::Int(number), TypeId::BIGINT))
    }

    fn distance_type(&self, ty: TypeId) -> TypeId {
        ty
    }

    fn subscripted(&self, _: TypeId) -> Option<Subscripted> {
        None
    }

    fn facts(&self, ty: TypeId) -> TypeFacts {
        TypeFacts {
            kept: Kept::Text,
            integer: ty == TypeId::BIGINT,
            text: ty == TypeId::TEXT,
            caseless: false,
            time_of_day: false,
            key_order: ty == TypeId::BIGINT,
            comparable: true,
            any: false,
            read_by_modifier: false,
        }
    }

    fn parse(&self, text: &str, ty: TypeId, _: i32, _: &TypeEnv<'_>) -> Result<Datum> {
        match ty {
            TypeId::BIGINT => Ok(self.number(text)?.0),
            TypeId::BOOLEAN => Ok(Datum::Bool(text == "yes")),
            _ => Ok(Datum::Text(text.into())),
        }
    }

    fn print(&self, value: &Datum, ty: TypeId, _: i32, _: &TypeEnv<'_>) -> String {
        let mut out = String::new();
        self.print_stored(&mut out, value, ty);
        out
    }

    fn print_stored(&self, out: &mut String, value: &Datum, _: TypeId) {
        match value {
            Datum::Int(number) => out.push_str(&number.to_string()),
            Datum::Bool(truth) => out.push_str(if *truth { "yes" } else { "no" }),
            Datum::Text(text) => out.push_str(text),
            other => panic!("{other:?} is no value of this language"),
        }
    }

    fn parse_stored(&self, text: &str, ty: TypeId, env: &TypeEnv<'_>) -> Result<Datum> {
        self.parse(text, ty, -1, env)
    }

    fn cast_context(&self, from: TypeId, to: TypeId, _: &dyn Names) -> Option<CastContext> {
        (from == to || from == TypeId::UNKNOWN).then_some(CastContext::Implicit)
    }

    fn cast(
        &self,
        value: Datum,
        from: TypeId,
        to: TypeId,
        typmod: i32,
        _: bool,
        env: &TypeEnv<'_>,
    ) -> Result<Datum> {
        match &value {
            Datum::Text(text) if from == TypeId::UNKNOWN => self.parse(text, to, typmod, env),
            _ => Ok(value),
        }
    }

    fn common_type(&self, types: &[TypeId], what: &str, _: &dyn Names) -> Result<TypeId> {
        let mut known = types.iter().filter(|ty| **ty != TypeId::UNKNOWN);
        let Some(first) = known.next() else { return Ok(TypeId::TEXT) };
        match known.all(|ty| ty == first) {
            true => Ok(*first),
            false => Err(SqlError::syntax(format!("{what} of different types"))),
        }
    }

    fn function(
        &self,
        _: Option<&str>,
        name: &str,
        args: &[TypeId],
        _: &dyn Names,
    ) -> Result<Resolution> {
        if name == COUNT.name {
            let (args, result) = (COUNT.args.to_vec(), COUNT.result);
            return Ok(Resolution::Aggregate(Candidate { function: &COUNT, args, result }));
        }
        let found = find(name, args).map(Resolution::Scalar);
        found.ok_or_else(|| SqlError::unsupported(format!("the function {name}")))
    }

    fn operator(
        &self,
        op: &str,
        left: Option<TypeId>,
        right: TypeId,
        _: &dyn Names,
    ) -> Result<Candidate<Function>> {
        let given: Vec<TypeId> = left.into_iter().chain([right]).collect();
        find(op, &given).ok_or_else(|| SqlError::unsupported(format!("the operator {op}")))
    }

    fn arguments(&self, _: &str) -> Result<Vec<(Vec<&'static str>, Vec<Expr>)>> {
        Ok(Vec::new())
    }

    fn is_aggregate(&self, name: &str) -> bool {
        name == COUNT.name
    }

    fn has_function(&self, _: &str, _: &str, _: &dyn Names) -> bool {
        false
    }

    fn object_name(&self, _: TypeId, _: Oid, _: &dyn Names) -> Option<String> {
        None
    }

    fn objects_named(&self, _: TypeId, _: &str, _: &dyn Names) -> Vec<Oid> {
        Vec::new()
    }

    fn role_name(&self, _: Oid) -> Option<&'static str> {
        None
    }
}
