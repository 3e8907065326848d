//! The parts of the system catalogue that never change, as PostgreSQL 15 prints them with COPY.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::extensions;
use crate::catalog::Catalog;
use crate::types::{Datum, Format, Names, NoNames, Oid, PgType, TypeEnv, TypeId};
use hobgoblin_sql_schema::SystemTable;

/// The system relations.
pub(super) fn relations() -> Vec<SystemTable> {
    include_str!("data/relations.tsv").lines().filter_map(relation).collect()
}

fn relation(line: &'static str) -> Option<SystemTable> {
    let mut fields = line.split('\t');
    let schema = fields.next()?;
    let name = fields.next()?;
    let oid = fields.next()?.parse().ok()?;
    let kind = fields.next()?.chars().next()?;
    let row_type = fields.next()?.parse().ok()?;
    let row_array = fields.next()?.parse().ok()?;
    let mut columns = Vec::new();
    let mut not_null = Vec::new();
    for column in fields.next()?.split(' ') {
        let (column, ty) = column.split_once(':')?;
        columns.push((column, TypeId(ty.trim_end_matches('!').parse().ok()?)));
        not_null.push(ty.ends_with('!'));
    }
    Some(SystemTable {
        schema,
        name,
        oid,
        columns,
        not_null,
        view: kind == 'v',
        row_type,
        row_array,
    })
}

/// An operator class: its oid, and its name.
pub(crate) struct OpClass {
    pub(crate) oid: Oid,
    pub(crate) method: &'static str,
    pub(crate) name: &'static str,
    pub(crate) input: TypeId,
    pub(crate) default: bool,
    /// The extension it belongs to, if any.
    extension: Option<&'static str>,
}

impl OpClass {
    /// Whether an extension added it.
    pub(crate) fn is_of_extension(&self) -> bool {
        self.extension.is_some()
    }
}

/// The oid of an index method.
pub(crate) fn method_oid(name: &str) -> Oid {
    match name {
        "heap" => 2,
        "btree" => 403,
        "hash" => 405,
        "gist" => 783,
        "gin" => 2742,
        "brin" => 3580,
        "spgist" => 4000,
        _ => 0,
    }
}

fn method_name(oid: &str) -> Option<&'static str> {
    Some(match oid {
        "403" => "btree",
        "405" => "hash",
        "783" => "gist",
        "2742" => "gin",
        "3580" => "brin",
        "4000" => "spgist",
        _ => return None,
    })
}

static CLASSES: LazyLock<Vec<OpClass>> = LazyLock::new(|| {
    // oid, method, name, namespace, owner, family, intype, default, keytype
    let class = |extension, f: &[&'static str]| {
        Some(OpClass {
            oid: f.first()?.parse().ok()?,
            method: method_name(f.get(1)?)?,
            name: f.get(2)?,
            input: TypeId(f.get(6)?.parse().ok()?),
            default: *f.get(7)? == "t",
            extension,
        })
    };
    let lines = include_str!("data/pg_opclass.tsv").lines();
    let own = lines.filter_map(|line| class(None, &line.split('\t').collect::<Vec<_>>()));
    let added = extensions::lines("pg_opclass");
    own.chain(added.filter_map(|(extension, line)| class(Some(extension), &line))).collect()
});

static DEFAULTS: LazyLock<HashMap<(&'static str, TypeId), usize>> = LazyLock::new(|| {
    let defaults = CLASSES.iter().enumerate().filter(|(_, c)| c.default);
    defaults.map(|(i, c)| ((c.method, c.input), i)).collect()
});

/// An operator class by name.
pub(crate) fn opclass_named(
    catalog: &Catalog,
    method: &str,
    name: &str,
) -> Option<&'static OpClass> {
    let there = |class: &&OpClass| {
        class.extension.is_none_or(|extension| catalog.extensions.contains_key(extension))
    };
    CLASSES.iter().filter(there).find(|c| c.method == method && c.name == name)
}

/// The operator class that indexes a type unless another is written.
pub(crate) fn default_opclass(
    catalog: &Catalog,
    method: &str,
    ty: TypeId,
) -> Option<&'static OpClass> {
    let exact = |ty| {
        let method = method_name(&method_oid(method).to_string())?;
        DEFAULTS.get(&(method, ty)).and_then(|i| CLASSES.get(*i))
    };
    if let Some(found) = exact(ty) {
        return Some(found);
    }
    match ty {
        TypeId::VARCHAR => return exact(TypeId::TEXT),
        TypeId::REGCLASS
        | TypeId::REGTYPE
        | TypeId::REGPROC
        | TypeId::REGROLE
        | TypeId::REGNAMESPACE => {
            return exact(TypeId::OID);
        }
        _ => {}
    }
    if catalog.element_type(ty).is_some() {
        return exact(TypeId::ANYARRAY);
    }
    if crate::types::range::subtype_of(ty).is_some() {
        return exact(TypeId::ANYRANGE);
    }
    if catalog.enum_type(ty).is_some() {
        return exact(TypeId::ANYENUM);
    }
    if matches!(catalog.derived.get(&ty.0), Some(crate::catalog::Derived::Row(_))) {
        return exact(TypeId::RECORD);
    }
    None
}

/// The oid of a collation.
pub(crate) fn collation(name: &str) -> Option<Oid> {
    static COLLATIONS: LazyLock<HashMap<&'static str, Oid>> = LazyLock::new(|| {
        let line = |line: &'static str| {
            let mut fields = line.split('\t');
            let oid = fields.next()?.parse().ok()?;
            Some((fields.next()?, oid))
        };
        include_str!("data/pg_collation.tsv").lines().filter_map(line).collect()
    });
    COLLATIONS.get(name).copied()
}

/// The oid of the equality of a type.
pub(super) fn equality(catalog: &Catalog, ty: TypeId) -> Oid {
    operator(catalog, "=", ty)
}

/// The oid of an operator on two values of a type; 0 if there is none.
pub(super) fn operator(catalog: &Catalog, name: &str, ty: TypeId) -> Oid {
    type Named = HashMap<(&'static str, TypeId), Oid>;
    static OPERATORS: LazyLock<Named> = LazyLock::new(|| {
        // oid, name, namespace, owner, kind, canmerge, canhash, left, right …
        let operator = |f: Vec<&'static str>| {
            let left: Oid = f.get(7)?.parse().ok()?;
            let same = f.get(7)? == f.get(8)?;
            same.then_some(((*f.get(1)?, TypeId(left)), f.first()?.parse().ok()?))
        };
        let own = include_str!("data/pg_operator.tsv").lines();
        let own = own.filter_map(|line| operator(line.split('\t').collect()));
        let added = extensions::lines("pg_operator").filter_map(|(_, line)| operator(line));
        // What extensions add for types of the system is not what orders them.
        own.chain(added.filter(|((_, ty), _)| ty.0 >= TypeId::FIRST_USER)).collect()
    });
    let find = |ty| OPERATORS.get(&(name, ty)).copied();
    let fallback = || match ty {
        TypeId::VARCHAR => find(TypeId::TEXT),
        _ if crate::types::range::subtype_of(ty).is_some() => find(TypeId::ANYRANGE),
        _ if catalog.enum_type(ty).is_some() => find(TypeId::ANYENUM),
        _ if catalog.element_type(ty).is_some() => find(TypeId::ANYARRAY),
        _ => None,
    };
    find(ty).or_else(fallback).unwrap_or(0)
}

/// The rows of a table that never changes, from its file.
fn fixed(name: &str) -> Vec<Vec<Datum>> {
    let file = match name {
        "pg_am" => include_str!("data/pg_am.tsv"),
        "pg_amop" => include_str!("data/pg_amop.tsv"),
        "pg_amproc" => include_str!("data/pg_amproc.tsv"),
        "pg_cast" => include_str!("data/pg_cast.tsv"),
        "pg_collation" => include_str!("data/pg_collation.tsv"),
        "pg_conversion" => include_str!("data/pg_conversion.tsv"),
        "pg_language" => include_str!("data/pg_language.tsv"),
        "pg_opclass" => include_str!("data/pg_opclass.tsv"),
        "pg_operator" => include_str!("data/pg_operator.tsv"),
        "pg_opfamily" => include_str!("data/pg_opfamily.tsv"),
        "pg_range" => include_str!("data/pg_range.tsv"),
        "pg_tablespace" => include_str!("data/pg_tablespace.tsv"),
        "pg_ts_config" => include_str!("data/pg_ts_config.tsv"),
        "pg_ts_dict" => include_str!("data/pg_ts_dict.tsv"),
        "pg_ts_parser" => include_str!("data/pg_ts_parser.tsv"),
        "pg_ts_template" => include_str!("data/pg_ts_template.tsv"),
        _ => return Vec::new(),
    };
    let Some(table) = super::table(name) else { return Vec::new() };
    file.lines().map(|line| row(table, line.split('\t'))).collect()
}

/// A row of a table from its fields as COPY prints them.
pub(super) fn row<'a>(table: &SystemTable, fields: impl Iterator<Item = &'a str>) -> Vec<Datum> {
    let format = Format::default();
    let env = TypeEnv::new(&format, &NoNames);
    let value = |(field, (_, ty)): (&str, &(&str, TypeId))| match (field, *ty) {
        ("\\N", _) => Datum::Null,
        (field, ty) => crate::types::text::parse(&field.replace("\\\\", "\\"), ty, -1, &env)
            .unwrap_or(Datum::Null),
    };
    fields.zip(&table.columns).map(value).collect()
}

macro_rules! fixed_tables {
    ($($name:ident)*) => {
        /// How the rows of a table that only extensions change are made: read once, then copied.
        pub(super) fn fixed_rows(name: &str) -> Option<super::RowsFn> {
            match name {
                $(stringify!($name) => Some(|catalog, _| {
                    static ROWS: LazyLock<Vec<Vec<Datum>>> = LazyLock::new(|| fixed(stringify!($name)));
                    let mut rows = ROWS.clone();
                    rows.extend(extensions::rows(catalog, stringify!($name)));
                    rows
                }),)*
                _ => None,
            }
        }
    };
}

fixed_tables!(pg_am pg_amop pg_amproc pg_cast pg_collation pg_conversion pg_language pg_opclass pg_operator
    pg_opfamily pg_range pg_tablespace pg_ts_config pg_ts_dict pg_ts_parser pg_ts_template);
