//! `pg_type`, `pg_enum`, `pg_proc`, `pg_aggregate`.

use super::VirtualCx;
use super::value::*;
use crate::catalog::schema_oid;
use crate::catalog::{Catalog, Definition, Derived, Domain, quote_ident};
use crate::catalog::{OWNER, PG_CATALOG};
use crate::types::{Datum, Oid, TypeId, builtin};

type Rows = Vec<Vec<Datum>>;

struct Type<'a> {
    oid: Oid,
    name: &'a str,
    schema: Oid,
    len: i16,
    by_value: bool,
    kind: char,
    category: char,
    preferred: bool,
    delimiter: char,
    relation: Oid,
    element: Oid,
    array: Oid,
    /// subscript, input, output, receive, send, typmod in, typmod out, analyze.
    functions: [&'a str; 8],
    align: char,
    storage: char,
    collation: Oid,
    domain: Option<&'a Domain>,
}

impl Type<'_> {
    /// The oid of a function of the system, or one in the schema of the type.
    fn function(&self, name: &str, cx: &VirtualCx<'_>) -> Option<Oid> {
        let names = cx.env.names;
        super::procedures::only(name, false, names).or_else(|| {
            let schema = names.schema_name(self.schema)?;
            super::procedures::only(&format!("{}.{name}", quote_ident(&schema)), false, names)
        })
    }

    fn row(&self, cx: &VirtualCx<'_>) -> Vec<Datum> {
        let functions = self.functions.map(|name| match name {
            "" | "-" => int(0),
            name => int(self.function(name, cx).unwrap_or(0)),
        });
        let default = self
            .domain
            .filter(|d| d.default.is_some())
            .and_then(|d| (cx.define)(Definition::DomainDefault { domain: d.oid, pretty: false }));
        let [subscript, input, output, receive, send, typmod_in, typmod_out, analyze] = functions;
        vec![
            int(self.oid),
            text(self.name),
            int(self.schema),
            int(OWNER),
            int(self.len),
            flag(self.by_value),
            letter(self.kind),
            letter(self.category),
            flag(self.preferred),
            flag(true),
            letter(self.delimiter),
            int(self.relation),
            subscript,
            int(self.element),
            int(self.array),
            input,
            output,
            receive,
            send,
            typmod_in,
            typmod_out,
            analyze,
            letter(self.align),
            letter(self.storage),
            flag(self.domain.is_some_and(|d| d.not_null)),
            int(self.domain.map_or(0, |d| d.base.0)),
            int(self.domain.map_or(-1, |d| d.typmod)),
            int(0),
            int(self.collation),
            default.as_ref().map_or(NULL, |_| node("DOMAINDEFAULT", self.oid, 0)),
            option(default),
            NULL,
        ]
    }
}

const ARRAY: [&str; 8] = [
    "array_subscript_handler",
    "array_in",
    "array_out",
    "array_recv",
    "array_send",
    "",
    "",
    "array_typanalyze",
];
const ENUM: [&str; 8] = ["", "enum_in", "enum_out", "enum_recv", "enum_send", "", "", ""];
const RECORD: [&str; 8] = ["", "record_in", "record_out", "record_recv", "record_send", "", "", ""];

pub(super) fn pg_type(catalog: &Catalog, cx: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for b in builtin::all() {
        let schema = match builtin::extension_of(b.oid) {
            Some(extension) => match catalog.extensions.get(extension) {
                Some(made) => schema_oid(catalog, &made.schema),
                None => continue,
            },
            None => PG_CATALOG,
        };
        let ty = Type {
            oid: b.oid.0,
            name: b.name,
            schema,
            len: b.len,
            by_value: b.by_value,
            kind: b.kind,
            category: b.category,
            preferred: b.preferred,
            delimiter: b.delimiter,
            relation: 0,
            element: b.element.0,
            array: b.array.0,
            functions: [
                b.subscript(),
                b.input(),
                b.output(),
                b.receive(),
                b.send(),
                b.typmod_in(),
                b.typmod_out(),
                b.analyze(),
            ],
            align: b.align,
            storage: b.storage,
            collation: b.collation,
            domain: None,
        };
        rows.push(ty.row(cx));
    }
    for e in catalog.enums.values() {
        let ty = Type {
            oid: e.oid,
            name: &e.name,
            schema: schema_oid(catalog, &e.schema),
            len: 4,
            by_value: true,
            kind: 'e',
            category: 'E',
            preferred: false,
            delimiter: ',',
            relation: 0,
            element: 0,
            array: e.array,
            functions: ENUM,
            align: 'i',
            storage: 'p',
            collation: 0,
            domain: None,
        };
        rows.push(ty.row(cx));
    }
    for d in catalog.domains.values() {
        rows.push(domain_type(catalog, d).row(cx));
    }
    for table in super::all().iter().filter(|t| builtin::by_oid(TypeId(t.row_type)).is_none()) {
        let schema = schema_oid(catalog, table.schema);
        let array = format!("_{}", table.name);
        rows.push(
            composite(table.row_type, table.name, schema, table.oid, table.row_array).row(cx),
        );
        if table.row_array != 0 {
            rows.push(array_type(table.row_array, &array, schema, table.row_type, 'd').row(cx));
        }
    }
    for (oid, derived) in &catalog.derived {
        let Some((schema, name)) = catalog.type_names(TypeId(*oid)) else { continue };
        let schema = schema_oid(catalog, schema);
        rows.push(match derived {
            Derived::Row(relation) => {
                let array = catalog.array_type(TypeId(*oid)).map_or(0, |a| a.0);
                composite(*oid, &name, schema, *relation, array).row(cx)
            }
            Derived::Array(element) => {
                let base = builtin::base_type(TypeId(*element), -1, catalog).0;
                let align = match builtin::by_oid(base) {
                    Some(base) if base.align == 'd' => 'd',
                    Some(_) => 'i',
                    None if catalog.enums.contains_key(&base.0) => 'i',
                    None => 'd',
                };
                array_type(*oid, &name, schema, *element, align).row(cx)
            }
        });
    }
    rows
}

/// A domain is kept like what it is over.
fn domain_type<'a>(catalog: &'a Catalog, d: &'a Domain) -> Type<'a> {
    let base = builtin::base_type(d.base, -1, catalog).0;
    let known = builtin::by_oid(base);
    let enumeration = catalog.enums.contains_key(&base.0);
    let output = match known {
        Some(b) => [b.output(), b.send(), b.analyze()],
        None if enumeration => [ENUM[2], ENUM[4], ""],
        None if catalog.element_type(base).is_some() => [ARRAY[2], ARRAY[4], ARRAY[7]],
        None => [RECORD[2], RECORD[4], ""],
    };
    let collation = d.collation.as_deref().and_then(super::collation);
    Type {
        oid: d.oid,
        name: &d.name,
        schema: schema_oid(catalog, &d.schema),
        len: known.map_or(if enumeration { 4 } else { -1 }, |b| b.len),
        by_value: known.map_or(enumeration, |b| b.by_value),
        kind: 'd',
        category: builtin::category_of(base, catalog),
        preferred: false,
        delimiter: known.map_or(',', |b| b.delimiter),
        relation: 0,
        element: 0,
        array: d.array,
        functions: ["", "domain_in", output[0], "domain_recv", output[1], "", "", output[2]],
        align: known.map_or(if enumeration { 'i' } else { 'd' }, |b| b.align),
        storage: known.map_or(if enumeration { 'p' } else { 'x' }, |b| b.storage),
        collation: collation.unwrap_or_else(|| known.map_or(0, |b| b.collation)),
        domain: Some(d),
    }
}

fn composite(oid: Oid, name: &str, schema: Oid, relation: Oid, array: Oid) -> Type<'_> {
    Type {
        oid,
        name,
        schema,
        len: -1,
        by_value: false,
        kind: 'c',
        category: 'C',
        preferred: false,
        delimiter: ',',
        relation,
        element: 0,
        array,
        functions: RECORD,
        align: 'd',
        storage: 'x',
        collation: 0,
        domain: None,
    }
}

fn array_type(oid: Oid, name: &str, schema: Oid, element: Oid, align: char) -> Type<'_> {
    Type {
        oid,
        name,
        schema,
        len: -1,
        by_value: false,
        kind: 'b',
        category: 'A',
        preferred: false,
        delimiter: ',',
        relation: 0,
        element,
        array: 0,
        functions: ARRAY,
        align,
        storage: 'x',
        collation: 0,
        domain: None,
    }
}

pub(super) fn pg_enum(catalog: &Catalog, _: &VirtualCx<'_>) -> Rows {
    let mut rows = Vec::new();
    for e in catalog.enums.values() {
        for (oid, place, label) in &e.labels {
            rows.push(vec![int(*oid), int(e.oid), Datum::Float(f64::from(*place)), text(label)]);
        }
    }
    rows
}
