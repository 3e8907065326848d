//! What functions tell about the schema: names, definitions, comments, sizes, privileges.
//!
//! Clients such as `psql` ask for these in nearly every query of their own:
//! `pg_get_constraintdef(oid)`, `format_type(oid, typmod)`, `col_description(oid, number)`. They
//! take oids and give texts, and NULL for an oid of nothing. There are no privileges here, so every
//! `has_…_privilege` is true for what exists; sizes are those of the keys and values in the store.

use std::sync::Arc;

use hobgoblin_sql_schema::function::{Call, Function, SetFunction};

use crate::catalog::pg::procedures::{self, Procedure};
use crate::catalog::pg::{PG_CLASS, PG_DATABASE};
use crate::catalog::{Definition, Found, quote_ident};
use crate::error::{Result, SqlError, SqlState};
use crate::types::calls::Entry;
use crate::types::calls::args::{error, text};
use crate::types::calls::table::*;
use crate::types::{Array, Datum, Oid, PgType, TypeId, builtin};

fn oid(call: &Call<'_>, i: usize) -> Result<Oid> {
    Ok(u32::try_from(call.int(i)?).unwrap_or(0))
}

fn maybe(value: Option<String>) -> Result<Datum> {
    Ok(value.map_or(Datum::Null, Datum::text))
}

fn null(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Null)
}

fn yes(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(true))
}

fn no(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(false))
}

fn zero(_: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(0))
}

fn empty(_: &mut Call<'_>) -> Result<Datum> {
    text("")
}

fn format_type(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let ty = TypeId(oid(call, 0)?);
    let typmod = if call.null(1) { -1 } else { i32::try_from(call.int(1)?).unwrap_or(-1) };
    if ty.0 == 0 {
        return text("-");
    }
    text(builtin::format_type(ty, typmod, call.cx.types().names))
}

/// Whether the flag at a place is there and true.
fn pretty(call: &Call<'_>, i: usize) -> bool {
    matches!(call.arg(i), Datum::Bool(true))
}

/// An expression of the schema as the catalogue shows it to `pg_get_expr`: `{DEFAULT 16384 1}`.
fn pg_get_expr(call: &mut Call<'_>) -> Result<Datum> {
    let node = call.text(0)?;
    let pretty = pretty(call, 2);
    let mut words = node.trim_matches(|c| c == '{' || c == '}').split(' ');
    let kind = words.next().unwrap_or_default();
    let mut number = || words.next().and_then(|w| w.parse::<u32>().ok());
    let (Some(object), Some(part)) = (number(), number()) else { return Ok(Datum::Null) };
    let what = match kind {
        "DEFAULT" => {
            Definition::Default { table: object, column: i32::try_from(part).unwrap_or(0), pretty }
        }
        "DOMAINDEFAULT" => Definition::DomainDefault { domain: object, pretty },
        "CHECK" => Definition::Check { constraint: object, pretty },
        "PREDICATE" => Definition::Predicate { index: object, pretty },
        "INDEXKEYS" => Definition::Expressions { index: object, pretty },
        _ => return Ok(Datum::Null),
    };
    maybe(call.cx.definition(what)?)
}

fn pg_get_indexdef(call: &mut Call<'_>) -> Result<Datum> {
    let index = oid(call, 0)?;
    let column = if call.args.len() > 1 { usize::try_from(call.int(1)?).unwrap_or(0) } else { 0 };
    maybe(call.cx.definition(Definition::Index { index, column, pretty: pretty(call, 2) })?)
}

fn pg_get_constraintdef(call: &mut Call<'_>) -> Result<Datum> {
    let constraint = oid(call, 0)?;
    maybe(call.cx.definition(Definition::Constraint { constraint, pretty: pretty(call, 1) })?)
}

fn pg_get_viewdef(call: &mut Call<'_>) -> Result<Datum> {
    let view = match call.arg(0) {
        Datum::Text(name) => relation(call, name)?,
        _ => oid(call, 0)?,
    };
    let pretty = pretty(call, 1) || matches!(call.arg(1), Datum::Int(_));
    maybe(call.cx.definition(Definition::View { view, pretty })?)
}

/// A relation by its name as written, or PostgreSQL's error.
fn relation(call: &Call<'_>, name: &str) -> Result<Oid> {
    match call.cx.types().names.relation_by_name(name) {
        Some(oid) => Ok(oid),
        None => error(SqlState::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist")),
    }
}

fn pg_get_serial_sequence(call: &mut Call<'_>) -> Result<Datum> {
    let table = relation(call, call.text(0)?)?;
    let column = call.text(1)?;
    let catalog = call.cx.catalog();
    let Some(found) = catalog.table(table) else { return Ok(Datum::Null) };
    let Some(at) = found.column(column) else {
        let message = format!("column \"{column}\" of relation \"{}\" does not exist", found.name);
        return error(SqlState::UNDEFINED_COLUMN, message);
    };
    let sequence = catalog.owned_sequence(table, at);
    maybe(sequence.map(|s| format!("{}.{}", quote_ident(&s.schema), quote_ident(&s.name))))
}

fn pg_get_userbyid(call: &mut Call<'_>) -> Result<Datum> {
    let role = oid(call, 0)?;
    let name = call.cx.types().names.role_name(role);
    text(name.unwrap_or_else(|| format!("unknown (OID={role})")))
}

/// Whether a relation's name alone leads to it: then it prints without its schema.
fn pg_table_is_visible(call: &mut Call<'_>) -> Result<Datum> {
    let relation = oid(call, 0)?;
    let Some(found) = call.cx.catalog().relation(relation) else { return Ok(Datum::Null) };
    let names = call.cx.types().names;
    let seen = names.relation_by_name(&quote_ident(found.name())) == Some(relation);
    Ok(Datum::Bool(seen))
}

fn pg_type_is_visible(call: &mut Call<'_>) -> Result<Datum> {
    let ty = TypeId(oid(call, 0)?);
    if builtin::by_oid(ty).is_some() {
        return Ok(Datum::Bool(true));
    }
    let Some((_, name)) = call.cx.catalog().type_names(ty) else { return Ok(Datum::Null) };
    Ok(Datum::Bool(call.cx.types().names.type_by_name(None, &name) == Some(ty)))
}

fn comment(call: &Call<'_>, class: Oid, object: Oid, part: i32) -> Result<Datum> {
    maybe(call.cx.catalog().comments.get(&(class, object, part)).cloned())
}

fn obj_description(call: &mut Call<'_>) -> Result<Datum> {
    let object = oid(call, 0)?;
    if call.args.len() > 1 {
        let class = crate::catalog::pg::table(call.text(1)?).map_or(0, |t| t.oid);
        return comment(call, class, object, 0);
    }
    let comments = &call.cx.catalog().comments;
    let found = comments.iter().find(|((_, o, part), _)| *o == object && *part == 0);
    maybe(found.map(|(_, text)| text.clone()))
}

fn col_description(call: &mut Call<'_>) -> Result<Datum> {
    let part = i32::try_from(call.int(1)?).unwrap_or(0);
    if part == 0 {
        return Ok(Datum::Null);
    }
    comment(call, PG_CLASS, oid(call, 0)?, part)
}

fn shobj_description(call: &mut Call<'_>) -> Result<Datum> {
    let database = call.text(1)? == "pg_database";
    comment(call, if database { PG_DATABASE } else { 0 }, oid(call, 0)?, 0)
}

fn found(oid: Option<Oid>) -> Result<Datum> {
    Ok(oid.map_or(Datum::Null, |o| Datum::Int(i64::from(o))))
}

fn to_regclass(call: &mut Call<'_>) -> Result<Datum> {
    found(call.cx.types().names.relation_by_name(call.text(0)?))
}

fn to_regtype(call: &mut Call<'_>) -> Result<Datum> {
    let ty = builtin::parse_type_name(call.text(0)?, call.cx.types().names);
    found(ty.map(|(ty, _)| ty.0))
}

fn to_regnamespace(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.text(0)?.trim_matches('"');
    found(call.cx.types().names.schema_by_name(name))
}

fn to_regrole(call: &mut Call<'_>) -> Result<Datum> {
    let name = call.text(0)?.trim_matches('"');
    found(call.cx.types().names.role_by_name(name))
}

fn to_regproc(call: &mut Call<'_>) -> Result<Datum> {
    found(procedures::only(call.text(0)?, false, call.cx.types().names))
}

fn to_regprocedure(call: &mut Call<'_>) -> Result<Datum> {
    found(procedures::only(call.text(0)?, true, call.cx.types().names))
}

fn pg_size_pretty(call: &mut Call<'_>) -> Result<Datum> {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    let bytes = match call.arg(0) {
        Datum::Numeric(n) => n.to_i64().unwrap_or(i64::MAX),
        _ => call.int(0)?,
    };
    if bytes.unsigned_abs() < 10 * 1024 {
        return text(format!("{bytes} bytes"));
    }
    // Halves round away from zero, as PostgreSQL shifts them; each unit is kept below 20 * 1024 / 2.
    let mut size = i128::from(bytes) >> 9;
    for unit in UNITS {
        let rounded = if size >= 0 { (size + 1) / 2 } else { (size - 1) / 2 };
        if size.unsigned_abs() < 20 * 1024 - 1 || unit == "PB" {
            return text(format!("{rounded} {unit}"));
        }
        size >>= 10;
    }
    text(format!("{bytes} bytes"))
}

/// Privileges: everybody may do everything, but only with what is there.
fn has_table_privilege(call: &mut Call<'_>) -> Result<Datum> {
    let at = call.args.len().saturating_sub(2);
    match call.arg(at) {
        Datum::Text(name) => {
            relation(call, name)?;
        }
        Datum::Int(_) if call.cx.catalog().relation(oid(call, at)?).is_none() => {
            return Ok(Datum::Null);
        }
        _ => {}
    }
    Ok(Datum::Bool(true))
}

fn has_schema_privilege(call: &mut Call<'_>) -> Result<Datum> {
    let at = call.args.len().saturating_sub(2);
    if let Datum::Text(name) = call.arg(at)
        && call.cx.types().names.schema_by_name(name).is_none()
    {
        return error(SqlState::INVALID_SCHEMA_NAME, format!("schema \"{name}\" does not exist"));
    }
    Ok(Datum::Bool(true))
}

fn procedure(call: &Call<'_>) -> Result<Option<&'static Procedure>> {
    Ok(procedures::by_oid(oid(call, 0)?))
}

fn pg_get_function_result(call: &mut Call<'_>) -> Result<Datum> {
    let Some(p) = procedure(call)? else { return Ok(Datum::Null) };
    text(p.result(call.cx.types().names))
}

fn pg_get_function_arguments(call: &mut Call<'_>) -> Result<Datum> {
    let Some(p) = procedure(call)? else { return Ok(Datum::Null) };
    text(p.arguments(call.cx.types().names, false))
}

fn pg_get_function_identity_arguments(call: &mut Call<'_>) -> Result<Datum> {
    let Some(p) = procedure(call)? else { return Ok(Datum::Null) };
    text(p.arguments(call.cx.types().names, true))
}

fn no_rows(_: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    Ok(Vec::new())
}

/// The elements of an array with their numbers from 1, whatever its bounds.
fn pg_expandarray(call: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    let array = call.array(0)?;
    Ok(array.items.iter().zip(1..).map(|(item, n)| vec![item.clone(), Datum::Int(n)]).collect())
}

fn pg_options_to_table(call: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    let array = call.array(0)?;
    let split = array.items.iter().filter_map(|item| match item {
        Datum::Text(option) => Some(match option.split_once('=') {
            Some((name, value)) => vec![Datum::text(name), Datum::text(value)],
            None => vec![Datum::text(&**option), Datum::Null],
        }),
        _ => None,
    });
    Ok(split.collect())
}

fn is_relation_publishable(call: &mut Call<'_>) -> Result<Datum> {
    let found = call.cx.catalog().relation(oid(call, 0)?);
    Ok(found.map_or(Datum::Null, |f| Datum::Bool(matches!(f, Found::Table(t) if !t.temporary))))
}

const NODE: TypeId = TypeId::PG_NODE_TREE;

/// Rows of the table, with each privilege function in every way to name the user and the object.
macro_rules! table {
    ({$($name:literal: $eval:ident,)*} $($rest:expr,)*) => {
        &[
            $(
                function($name, &[TEXT, TEXT], BOOL, $eval).stable(),
                function($name, &[OID, TEXT], BOOL, $eval).stable(),
                function($name, &[NAME, TEXT, TEXT], BOOL, $eval).stable(),
                function($name, &[NAME, OID, TEXT], BOOL, $eval).stable(),
                function($name, &[OID, TEXT, TEXT], BOOL, $eval).stable(),
                function($name, &[OID, OID, TEXT], BOOL, $eval).stable(),
            )*
            $($rest,)*
        ]
    };
}

/// The type `aclitem[]`, a list of privileges.
const ACLS: TypeId = TypeId(1034);

/// What an object's privileges are before any GRANT: its kind, its owner.
fn acldefault(call: &mut Call<'_>) -> Result<Datum> {
    let (world, own) = match call.text(0)? {
        "c" => ("", ""),
        "r" => ("", "arwdDxt"),
        "s" => ("", "rwU"),
        "d" => ("Tc", "CTc"),
        "f" => ("X", "X"),
        "l" | "T" => ("U", "U"),
        "L" => ("", "rw"),
        "n" => ("", "UC"),
        "p" => ("", "sA"),
        "t" => ("", "C"),
        "F" | "S" => ("", "U"),
        kind => {
            let text = format!("unrecognized object type abbreviation: {kind}");
            return Err(SqlError::new(SqlState::INTERNAL_ERROR, text));
        }
    };
    let oid = call.int(1)? as u32;
    let owner = call.cx.types().names.role_name(oid).unwrap_or_else(|| oid.to_string());
    let mut items = Vec::new();
    if !world.is_empty() {
        items.push(Datum::text(format!("={world}/{owner}")));
    }
    if !own.is_empty() {
        items.push(Datum::text(format!("{owner}={own}/{owner}")));
    }
    Ok(Datum::Array(Arc::new(Array::of(TypeId::ACLITEM, items))))
}

static FUNCTIONS: &[Function] = table![
    {
        "has_table_privilege": has_table_privilege,
        "has_sequence_privilege": has_table_privilege,
        "has_any_column_privilege": has_table_privilege,
        "has_schema_privilege": has_schema_privilege,
        "has_database_privilege": yes,
        "has_function_privilege": yes,
        "has_type_privilege": yes,
        "has_language_privilege": yes,
        "has_tablespace_privilege": yes,
        "has_foreign_data_wrapper_privilege": yes,
        "has_server_privilege": yes,
    }
    function("acldefault", &[CHAR, OID], ACLS, acldefault),
    function("format_type", &[OID, INT4], TEXT, format_type).with_nulls().stable(),
    function("pg_get_expr", &[NODE, OID], TEXT, pg_get_expr).stable(),
    function("pg_get_expr", &[NODE, OID, BOOL], TEXT, pg_get_expr).stable(),
    function("pg_get_indexdef", &[OID], TEXT, pg_get_indexdef).stable(),
    function("pg_get_indexdef", &[OID, INT4, BOOL], TEXT, pg_get_indexdef).stable(),
    function("pg_get_constraintdef", &[OID], TEXT, pg_get_constraintdef).stable(),
    function("pg_get_constraintdef", &[OID, BOOL], TEXT, pg_get_constraintdef).stable(),
    function("pg_get_viewdef", &[OID], TEXT, pg_get_viewdef).stable(),
    function("pg_get_viewdef", &[OID, BOOL], TEXT, pg_get_viewdef).stable(),
    function("pg_get_viewdef", &[OID, INT4], TEXT, pg_get_viewdef).stable(),
    function("pg_get_viewdef", &[TEXT], TEXT, pg_get_viewdef).stable(),
    function("pg_get_viewdef", &[TEXT, BOOL], TEXT, pg_get_viewdef).stable(),
    function("pg_get_serial_sequence", &[TEXT, TEXT], TEXT, pg_get_serial_sequence).stable(),
    function("pg_get_userbyid", &[OID], NAME, pg_get_userbyid).stable(),
    function("pg_table_is_visible", &[OID], BOOL, pg_table_is_visible).stable(),
    function("pg_type_is_visible", &[OID], BOOL, pg_type_is_visible).stable(),
    function("pg_function_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_operator_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_opclass_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_opfamily_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_collation_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_conversion_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_statistics_obj_is_visible", &[OID], BOOL, no).stable(),
    function("pg_ts_config_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_ts_dict_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_ts_parser_is_visible", &[OID], BOOL, yes).stable(),
    function("pg_ts_template_is_visible", &[OID], BOOL, yes).stable(),
    function("obj_description", &[OID, NAME], TEXT, obj_description).stable(),
    function("obj_description", &[OID], TEXT, obj_description).stable(),
    function("col_description", &[OID, INT4], TEXT, col_description).stable(),
    function("shobj_description", &[OID, NAME], TEXT, shobj_description).stable(),
    function("to_regclass", &[TEXT], REGCLASS, to_regclass).stable(),
    function("to_regtype", &[TEXT], REGTYPE, to_regtype).stable(),
    function("to_regnamespace", &[TEXT], TypeId::REGNAMESPACE, to_regnamespace).stable(),
    function("to_regrole", &[TEXT], TypeId::REGROLE, to_regrole).stable(),
    function("to_regproc", &[TEXT], TypeId::REGPROC, to_regproc).stable(),
    function("to_regprocedure", &[TEXT], TypeId::REGPROCEDURE, to_regprocedure).stable(),
    function("pg_tablespace_size", &[OID], INT8, zero).volatile(),
    function("pg_size_pretty", &[INT8], TEXT, pg_size_pretty),
    function("pg_size_pretty", &[NUMERIC], TEXT, pg_size_pretty),
    function("pg_relation_is_publishable", &[REGCLASS], BOOL, is_relation_publishable).stable(),
    function("pg_get_function_result", &[OID], TEXT, pg_get_function_result).stable(),
    function("pg_get_function_arguments", &[OID], TEXT, pg_get_function_arguments).stable(),
    function("pg_get_function_identity_arguments", &[OID], TEXT, pg_get_function_identity_arguments)
        .stable(),
    function("pg_get_functiondef", &[OID], TEXT, null).stable(),
    function("pg_get_function_sqlbody", &[OID], TEXT, null).stable(),
    function("pg_get_triggerdef", &[OID], TEXT, null).stable(),
    function("pg_get_triggerdef", &[OID, BOOL], TEXT, null).stable(),
    function("pg_get_ruledef", &[OID], TEXT, null).stable(),
    function("pg_get_ruledef", &[OID, BOOL], TEXT, null).stable(),
    function("pg_get_statisticsobjdef_columns", &[OID], TEXT, null).stable(),
    function("pg_get_partkeydef", &[OID], TEXT, null).stable(),
    function("pg_get_partition_constraintdef", &[OID], TEXT, null).stable(),
    function("pg_tablespace_location", &[OID], TEXT, empty).stable(),
    function("pg_relation_filenode", &[REGCLASS], OID, null).stable(),
    function("row_security_active", &[TEXT], BOOL, no).stable(),
    function("row_security_active", &[OID], BOOL, no).stable(),
    function("has_column_privilege", &[TEXT, TEXT, TEXT], BOOL, yes).stable(),
    function("has_column_privilege", &[OID, INT2, TEXT], BOOL, yes).stable(),
    function("has_column_privilege", &[OID, TEXT, TEXT], BOOL, yes).stable(),
    function("pg_has_role", &[NAME, TEXT], BOOL, yes).stable(),
    function("pg_has_role", &[OID, TEXT], BOOL, yes).stable(),
    function("pg_has_role", &[NAME, NAME, TEXT], BOOL, yes).stable(),
    function("pg_has_role", &[NAME, OID, TEXT], BOOL, yes).stable(),
    function("pg_has_role", &[OID, OID, TEXT], BOOL, yes).stable(),
];

/// The functions that give rows. `_pg_expandarray` is information_schema's.
static SETS: &[SetFunction] = &[
    rows("pg_partition_ancestors", &[REGCLASS], &[("relid", REGCLASS)], no_rows),
    rows("pg_partition_tree", &[REGCLASS], PARTITIONS, no_rows),
    rows("_pg_expandarray", &[ANYARRAY], &[("x", ANYELEMENT), ("n", INT4)], pg_expandarray),
    rows(
        "pg_options_to_table",
        &[TEXTS],
        &[("option_name", TEXT), ("option_value", TEXT)],
        pg_options_to_table,
    ),
];

const PARTITIONS: &[(&str, TypeId)] =
    &[("relid", REGCLASS), ("parentrelid", REGCLASS), ("isleaf", BOOL), ("level", INT4)];

/// Every row of the tables.
pub fn entries() -> impl Iterator<Item = Entry> {
    FUNCTIONS.iter().map(Entry::Scalar).chain(SETS.iter().map(Entry::Set))
}
