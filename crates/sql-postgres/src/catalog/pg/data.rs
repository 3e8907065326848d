//! The parts of the system catalogue that never change, as PostgreSQL 15 prints them with COPY.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::extensions;
use crate::catalog::Catalog;
use crate::types::{Names, Oid, PgType, TypeId};

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
