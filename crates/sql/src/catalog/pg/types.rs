//! `pg_type`, `pg_enum`, `pg_proc`, `pg_aggregate`.

use super::VirtualCx;
use super::class::schema_oid;
use super::value::*;
use crate::catalog::lookup::{OWNER, PG_CATALOG};
use crate::catalog::{Catalog, Derived};
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
}

impl Type<'_> {
    fn row(&self, cx: &VirtualCx<'_>) -> Vec<Datum> {
        let functions = self.functions.map(|name| match name {
            "" | "-" => int(0),
            name => int(cx.env.names.function_by_name(name, false).unwrap_or(0)),
        });
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
            flag(false),
            int(0),
            int(-1),
            int(0),
            int(self.collation),
            NULL,
            NULL,
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
        let ty = Type {
            oid: b.oid.0,
            name: b.name,
            schema: PG_CATALOG,
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
        };
        rows.push(ty.row(cx));
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
                let align = if catalog.enums.contains_key(element) { 'i' } else { 'd' };
                array_type(*oid, &name, schema, *element, align).row(cx)
            }
        });
    }
    rows
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
