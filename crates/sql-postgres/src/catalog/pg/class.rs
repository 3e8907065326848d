//! Relations and what belongs to them: `pg_class`, `pg_attribute`, `pg_attrdef`, `pg_index`, `pg_constraint`,
//! `pg_sequence`.
//!
//! Rows are made from the catalogue when somebody asks, never kept. System relations are listed as user tables are, since
//! clients join over both. What PostgreSQL counts (pages, tuples, ages) is what an empty database shows.

use super::VirtualCx;
use super::data::{collation, default_opclass, method_oid, opclass_named};
use super::value::*;
use crate::catalog::schema_oid;
use crate::catalog::{
    Action, Catalog, ConstraintKind, Found, Identity, Index, IndexColumn, IndexKey, Table,
};
use crate::catalog::{OWNER, is_temporary};
use crate::types::{Datum, Names, Oid, PgType, TypeId, builtin};

type Rows = Vec<Vec<Datum>>;

struct Class<'a> {
    oid: Oid,
    name: &'a str,
    schema: &'a str,
    row_type: Oid,
    method: Oid,
    kind: char,
    columns: usize,
    checks: usize,
    has_index: bool,
    has_rules: bool,
    has_triggers: bool,
    persistence: char,
    populated: bool,
    options: Vec<String>,
}

pub(super) fn pg_class(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for table in super::all() {
        rows.push(class_row(
            catalog,
            &Class {
                oid: table.oid,
                name: table.name,
                schema: table.schema,
                row_type: table.row_type,
                method: if table.view { 0 } else { 2 },
                kind: if table.view { 'v' } else { 'r' },
                columns: table.columns.len(),
                checks: 0,
                has_index: false,
                has_rules: table.view,
                has_triggers: false,
                persistence: 'p',
                populated: true,
                options: Vec::new(),
            },
        ));
    }
    for oid in catalog.relations.keys() {
        if let Some(found) = catalog.relation(*oid) {
            rows.push(class_row(catalog, &describe(catalog, found)));
        }
    }
    rows
}

fn describe<'a>(catalog: &Catalog, found: Found<'a>) -> Class<'a> {
    let mut class = Class {
        oid: found.oid(),
        name: found.name(),
        schema: found.schema(),
        row_type: 0,
        method: 0,
        kind: 'r',
        columns: 0,
        checks: 0,
        has_index: false,
        has_rules: false,
        has_triggers: false,
        persistence: 'p',
        populated: true,
        options: Vec::new(),
    };
    let persistence = |t: &Table| match (t.temporary, t.unlogged) {
        (true, _) => 't',
        (_, true) => 'u',
        _ => 'p',
    };
    match found {
        Found::Table(table) => {
            class.row_type = table.row_type;
            class.method = 2;
            class.columns = table.columns.len();
            let checks =
                table.constraints.iter().filter(|c| matches!(c.kind, ConstraintKind::Check(_)));
            class.checks = checks.count();
            class.has_index = !table.indexes.is_empty();
            class.has_triggers = catalog.referring(table.oid).next().is_some()
                || table.constraints.iter().any(|c| matches!(c.kind, ConstraintKind::Foreign(_)));
            class.persistence = persistence(table);
            class.options = table.options.clone();
            if table.materialized.is_some() {
                class.kind = 'm';
                class.has_rules = true;
                class.populated = table.populated;
            }
        }
        Found::View(view) => {
            class.row_type = view.row_type;
            class.kind = 'v';
            class.columns = view.columns.len();
            class.persistence = if is_temporary(&view.schema) { 't' } else { 'p' };
            class.has_rules = true;
            let check = view.check.iter().map(|check| format!("check_option={}", check.name()));
            class.options = check.collect();
        }
        Found::Sequence(sequence) => {
            class.kind = 'S';
            class.columns = 3;
            class.persistence = if sequence.temporary { 't' } else { 'p' };
        }
        Found::Index(table, index) => {
            class.kind = 'i';
            class.method = method_oid(&index.method);
            class.columns = index.columns.len() + index.include.len();
            class.persistence = persistence(table);
            class.options = index.options.clone();
        }
        Found::System(_) => {}
    }
    class
}

fn class_row(catalog: &Catalog, c: &Class<'_>) -> Vec<Datum> {
    let stored = c.kind != 'v';
    let tuples = match c.kind {
        'S' => 1.0,
        'i' => 0.0,
        _ => -1.0,
    };
    let options = c.options.iter().map(text).collect::<Vec<_>>();
    vec![
        int(c.oid),
        text(c.name),
        int(schema_oid(catalog, c.schema)),
        int(c.row_type),
        int(0),
        int(OWNER),
        int(c.method),
        int(if stored { c.oid } else { 0 }),
        int(0),
        int(i32::from(matches!(c.kind, 'i' | 'S'))),
        Datum::Float(tuples),
        int(0),
        int(0),
        flag(c.has_index),
        flag(false),
        letter(c.persistence),
        letter(c.kind),
        size(c.columns),
        size(c.checks),
        flag(c.has_rules),
        flag(c.has_triggers),
        flag(false),
        flag(false),
        flag(false),
        flag(c.populated),
        letter(if matches!(c.kind, 'r' | 'm') && c.oid >= TypeId::FIRST_USER { 'd' } else { 'n' }),
        flag(false),
        int(0),
        int(if matches!(c.kind, 'r' | 'm') { 3 } else { 0 }),
        int(i32::from(matches!(c.kind, 'r' | 'm'))),
        NULL,
        if options.is_empty() { NULL } else { list(TypeId::TEXT, options) },
        NULL,
    ]
}

/// Length, by value, alignment, storage and collation of a type.
fn layout(catalog: &Catalog, ty: TypeId) -> (i16, bool, char, char, Oid) {
    let (ty, _) = builtin::base_type(ty, -1, catalog);
    if let Some(b) = builtin::by_oid(ty) {
        return (b.len, b.by_value, b.align, b.storage, b.collation);
    }
    if catalog.enum_type(ty).is_some() {
        return (4, true, 'i', 'p', 0);
    }
    if catalog.element_type(ty).is_some() {
        return (-1, false, 'i', 'x', 0);
    }
    (-1, false, 'd', 'x', 0)
}

struct Attribute<'a> {
    relation: Oid,
    name: &'a str,
    ty: TypeId,
    number: i64,
    typmod: i32,
    not_null: bool,
    has_default: bool,
    has_missing: bool,
    identity: &'a str,
    generated: &'a str,
    dropped: bool,
    collation: Option<Oid>,
}

impl<'a> Attribute<'a> {
    fn new(relation: Oid, name: &'a str, ty: TypeId, number: usize, typmod: i32) -> Attribute<'a> {
        Attribute {
            relation,
            name,
            ty,
            number: i64::try_from(number).unwrap_or(0),
            typmod,
            not_null: false,
            has_default: false,
            has_missing: false,
            identity: "",
            generated: "",
            dropped: false,
            collation: None,
        }
    }

    fn row(&self, catalog: &Catalog) -> Vec<Datum> {
        let (len, by_value, align, storage, own) = layout(catalog, self.ty);
        let dims = i32::from(catalog.element_type(self.ty).is_some() && len == -1);
        vec![
            int(self.relation),
            text(self.name),
            int(if self.dropped { 0 } else { self.ty.0 }),
            int(if self.number < 0 || self.dropped { 0 } else { -1 }),
            int(len),
            Datum::Int(self.number),
            int(dims),
            int(-1),
            int(self.typmod),
            flag(by_value),
            letter(align),
            letter(storage),
            text(""),
            flag(self.not_null),
            flag(self.has_default),
            flag(self.has_missing),
            text(self.identity),
            text(self.generated),
            flag(self.dropped),
            flag(true),
            int(0),
            int(self.collation.unwrap_or(own)),
            NULL,
            NULL,
            NULL,
            NULL,
        ]
    }
}

pub(super) fn pg_attribute(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for table in super::all() {
        for (n, (name, ty)) in table.columns.iter().enumerate() {
            let mut a = Attribute::new(table.oid, name, *ty, n + 1, -1);
            a.not_null = table.not_null.get(n).copied().unwrap_or(false);
            rows.push(a.row(catalog));
        }
    }
    for oid in catalog.relations.keys() {
        match catalog.relation(*oid) {
            Some(Found::Table(table)) => table_attributes(catalog, table, &mut rows),
            Some(Found::View(view)) => {
                for (n, (name, ty, typmod)) in view.columns.iter().enumerate() {
                    rows.push(Attribute::new(*oid, name, *ty, n + 1, *typmod).row(catalog));
                }
            }
            Some(Found::Sequence(_)) => {
                let columns = [
                    ("last_value", TypeId::INT8),
                    ("log_cnt", TypeId::INT8),
                    ("is_called", TypeId::BOOL),
                ];
                for (n, (name, ty)) in columns.into_iter().enumerate() {
                    let mut a = Attribute::new(*oid, name, ty, n + 1, -1);
                    a.not_null = true;
                    rows.push(a.row(catalog));
                }
            }
            Some(Found::Index(table, index)) => index_attributes(catalog, table, index, &mut rows),
            _ => {}
        }
    }
    rows
}

fn table_attributes(catalog: &Catalog, table: &Table, rows: &mut Rows) {
    const SYSTEM: [(&str, TypeId, i64); 6] = [
        ("tableoid", TypeId::OID, -6),
        ("cmax", TypeId::CID, -5),
        ("xmax", TypeId::XID, -4),
        ("cmin", TypeId::CID, -3),
        ("xmin", TypeId::XID, -2),
        ("ctid", TypeId::TID, -1),
    ];
    for (name, ty, number) in SYSTEM {
        let mut a = Attribute::new(table.oid, name, ty, 0, -1);
        a.number = number;
        a.not_null = true;
        rows.push(a.row(catalog));
    }
    for (n, column) in table.columns.iter().enumerate() {
        let (ty, typmod) = column.declared();
        let mut a = Attribute::new(table.oid, &column.name, ty, n + 1, typmod);
        a.not_null = column.not_null;
        a.has_default = column.default.is_some() && column.identity.is_none();
        a.has_missing = !column.missing.is_null();
        a.identity = match column.identity {
            Some(Identity::Always) => "a",
            Some(Identity::ByDefault) => "d",
            None => "",
        };
        a.generated = if column.generated { "s" } else { "" };
        a.dropped = column.dropped;
        a.collation = column.collation.as_deref().and_then(collation);
        rows.push(a.row(catalog));
    }
}

fn index_attributes(catalog: &Catalog, table: &Table, index: &Index, rows: &mut Rows) {
    for (n, column) in index.columns.iter().enumerate() {
        let typmod = match column.key {
            IndexKey::Column(at) => table.columns.get(at).map_or(-1, |c| c.typmod),
            IndexKey::Expression(_) => -1,
        };
        let mut a = Attribute::new(index.oid, &column.name, column.ty, n + 1, typmod);
        a.collation = column.collation.as_deref().and_then(collation);
        rows.push(a.row(catalog));
    }
    for (n, at) in index.include.iter().enumerate() {
        let Some(column) = table.columns.get(*at) else { continue };
        let number = index.columns.len() + n + 1;
        rows.push(
            Attribute::new(index.oid, &column.name, column.ty, number, column.typmod).row(catalog),
        );
    }
}

/// Made-up but stable oids of things that have none here, such as defaults.
pub(super) fn derived_oid(object: Oid, part: usize) -> Oid {
    let part = u32::try_from(part).unwrap_or(u32::MAX);
    0x8000_0000 | (object.wrapping_mul(2048).wrapping_add(part) & 0x7fff_ffff)
}

pub(super) fn pg_attrdef(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for table in catalog.tables() {
        for (at, column) in table.live() {
            if column.default.is_some() && column.identity.is_none() {
                rows.push(vec![
                    int(derived_oid(table.oid, at + 1)),
                    int(table.oid),
                    size(at + 1),
                    node("DEFAULT", table.oid, at + 1),
                ]);
            }
        }
    }
    rows
}

pub(super) fn pg_index(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for table in catalog.tables() {
        for index in &table.indexes {
            rows.push(index_row(catalog, table, index));
        }
    }
    rows
}

fn key_collation(catalog: &Catalog, table: &Table, column: &IndexColumn) -> i64 {
    let written = column.collation.as_deref().or(match column.key {
        IndexKey::Column(at) => table.columns.get(at).and_then(|c| c.collation.as_deref()),
        IndexKey::Expression(_) => None,
    });
    let own = layout(catalog, column.ty).4;
    i64::from(written.and_then(collation).unwrap_or(own))
}

fn index_row(catalog: &Catalog, table: &Table, index: &Index) -> Vec<Datum> {
    let number = |at: usize| i64::try_from(at + 1).unwrap_or(0);
    let keys = index.columns.iter().map(|c| match c.key {
        IndexKey::Column(at) => number(at),
        IndexKey::Expression(_) => 0,
    });
    let keys: Vec<i64> = keys.chain(index.include.iter().map(|at| number(*at))).collect();
    let classes = index.columns.iter().map(|c| {
        let class = match &c.opclass {
            Some(name) => opclass_named(catalog, &index.method, name),
            None => default_opclass(catalog, &index.method, c.ty),
        };
        class.map_or(0, |c| i64::from(c.oid))
    });
    let options =
        index.columns.iter().map(|c| i64::from(c.descending) + 2 * i64::from(c.nulls_first));
    let immediate = table.constraints.iter().all(|c| match c.kind {
        ConstraintKind::Primary(i) | ConstraintKind::Unique(i) | ConstraintKind::Exclude(i) => {
            i != index.oid || !c.deferrable
        }
        _ => true,
    });
    let has_expressions = index.columns.iter().any(|c| matches!(c.key, IndexKey::Expression(_)));
    vec![
        int(index.oid),
        int(table.oid),
        size(keys.len()),
        size(index.columns.len()),
        flag(index.unique),
        flag(index.nulls_not_distinct),
        flag(index.primary),
        flag(!index.operators.is_empty()),
        flag(immediate),
        flag(false),
        flag(true),
        flag(false),
        flag(true),
        flag(true),
        flag(false),
        vector(TypeId::INT2, keys),
        vector(TypeId::OID, index.columns.iter().map(|c| key_collation(catalog, table, c))),
        vector(TypeId::OID, classes),
        vector(TypeId::INT2, options),
        if has_expressions { node("INDEXKEYS", index.oid, 0) } else { NULL },
        if index.predicate.is_some() { node("PREDICATE", index.oid, 0) } else { NULL },
    ]
}

fn action(action: Action) -> char {
    match action {
        Action::NoAction => 'a',
        Action::Restrict => 'r',
        Action::Cascade => 'c',
        Action::SetNull => 'n',
        Action::SetDefault => 'd',
    }
}

pub(super) fn pg_constraint(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for table in catalog.tables() {
        for constraint in &table.constraints {
            let key = |oid: Oid| {
                let index = table.index(oid)?;
                index.key_columns()
            };
            let (kind, index, columns) = match &constraint.kind {
                ConstraintKind::Check(e) => {
                    let used = crate::catalog::mentions::columns(&e.ast);
                    let mut used: Vec<usize> =
                        used.iter().filter_map(|c| table.column(c)).collect();
                    used.sort_unstable();
                    ('c', 0, (!used.is_empty()).then_some(used))
                }
                ConstraintKind::Primary(i) => ('p', *i, key(*i)),
                ConstraintKind::Unique(i) => ('u', *i, key(*i)),
                ConstraintKind::Exclude(i) => {
                    let columns = table.index(*i).into_iter().flat_map(|index| &index.columns);
                    let columns = columns.map(|column| match column.key {
                        IndexKey::Column(at) => Some(at),
                        IndexKey::Expression(_) => None,
                    });
                    ('x', *i, columns.collect())
                }
                ConstraintKind::Foreign(f) => ('f', f.index, Some(f.columns.clone())),
            };
            let foreign = match &constraint.kind {
                ConstraintKind::Foreign(f) => Some(f),
                _ => None,
            };
            let equalities = || match foreign {
                Some(f) => {
                    let types =
                        f.columns.iter().filter_map(|c| table.columns.get(*c)).map(|c| c.ty);
                    oids(types.map(|ty| super::data::equality(catalog, ty)))
                }
                None => NULL,
            };
            let excluding = || match constraint.kind {
                ConstraintKind::Exclude(i) => {
                    let columns = table.index(i).into_iter();
                    let pairs = columns.flat_map(|i| i.operators.iter().zip(&i.columns));
                    oids(pairs.map(|(op, c)| super::data::operator(catalog, op, c.ty)))
                }
                _ => NULL,
            };
            rows.push(vec![
                int(constraint.oid),
                text(&constraint.name),
                int(schema_oid(catalog, &table.schema)),
                letter(kind),
                flag(constraint.deferrable),
                flag(constraint.initially_deferred),
                flag(constraint.validated),
                int(table.oid),
                int(0),
                int(index),
                int(0),
                int(foreign.map_or(0, |f| f.table)),
                letter(foreign.map_or(' ', |f| action(f.on_update))),
                letter(foreign.map_or(' ', |f| action(f.on_delete))),
                letter(foreign.map_or(' ', |f| if f.full { 'f' } else { 's' })),
                flag(true),
                int(0),
                flag(kind != 'c'),
                columns.map_or(NULL, |c| numbers(&c)),
                foreign.map_or(NULL, |f| numbers(&f.referenced)),
                equalities(),
                equalities(),
                equalities(),
                NULL,
                excluding(),
                if kind == 'c' { node("CHECK", constraint.oid, 0) } else { NULL },
            ]);
        }
    }
    for domain in catalog.domains.values() {
        for check in &domain.checks {
            rows.push(vec![
                int(check.oid),
                text(&check.name),
                int(schema_oid(catalog, &domain.schema)),
                letter('c'),
                flag(false),
                flag(false),
                flag(check.validated),
                int(0),
                int(domain.oid),
                int(0),
                int(0),
                int(0),
                letter(' '),
                letter(' '),
                letter(' '),
                flag(true),
                int(0),
                flag(false),
                NULL,
                NULL,
                NULL,
                NULL,
                NULL,
                NULL,
                NULL,
                node("CHECK", check.oid, 0),
            ]);
        }
    }
    rows
}

pub(super) fn pg_sequence(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let row = |s: &std::sync::Arc<crate::catalog::Sequence>| {
        vec![
            int(s.oid),
            int(s.ty.0),
            Datum::Int(s.start),
            Datum::Int(s.increment),
            Datum::Int(s.max),
            Datum::Int(s.min),
            Datum::Int(s.cache),
            flag(s.cycle),
        ]
    };
    catalog.sequences().map(row).collect()
}
