//! Other values as JSON.
//!
//! Numbers and booleans stay what they are, arrays and rows become arrays and objects, timestamps are ISO
//! 8601, everything else is a string of how it prints.

use std::sync::Arc;

use hobgoblin_core::Text;

use super::super::args::{error, invalid, text};
use super::super::table::*;
use super::super::{Call, Context, Function};
use super::scan;
use crate::error::{Result, SqlError, SqlState};
use crate::types::json::quote_into;
use crate::types::text::parse_json;
use crate::types::{
    Array, DateStyle, Datum, Format, Json, PgType, TypeEnv, TypeId, text as types_text,
};
use hobgoblin_sql_schema::shape::RowType;

/// A row with the names and types of its columns. Rows of no type of their own have
/// columns `f1`, `f2`, …
pub(crate) fn fields(cx: &dyn Context, ty: TypeId, row: &[Datum]) -> Vec<(String, TypeId, Datum)> {
    let columns: Vec<(String, TypeId)> = match cx.types().names.row_shape(ty, -1) {
        Some(shape) => shape.iter().map(|f| (f.name.clone(), f.ty.shaped(f.typmod))).collect(),
        None => {
            let guess = |(i, value): (usize, &Datum)| (format!("f{}", i + 1), kind_of(value));
            row.iter().enumerate().map(guess).collect()
        }
    };
    let fields = columns.into_iter().zip(row);
    fields.map(|((name, ty), value)| (name, ty, value.clone())).collect()
}

/// The type a value of an anonymous row most likely has.
fn kind_of(value: &Datum) -> TypeId {
    match value {
        Datum::Bool(_) => BOOL,
        Datum::Int(_) => INT8,
        Datum::Float(_) => FLOAT8,
        Datum::Numeric(_) => NUMERIC,
        Datum::Bytes(_) => BYTEA,
        Datum::Date(_) => DATE,
        Datum::Time(_) => TIME,
        Datum::TimeTz(..) => TIMETZ,
        Datum::Timestamp(_) => TIMESTAMP,
        Datum::Interval(_) => INTERVAL,
        Datum::Uuid(_) => UUID,
        Datum::Inet(_) => INET,
        Datum::Jsonb(_) => JSONB,
        Datum::Record(_) => RECORD,
        Datum::Char(_) => BPCHAR,
        Datum::Array(_) | Datum::Null | Datum::Text(_) | Datum::Enum(..) | Datum::Range(_) => TEXT,
        Datum::Citext(_) => TypeId::CITEXT,
        Datum::Hstore(_) => TypeId::HSTORE,
    }
}

/// The text of a date or timestamp in ISO 8601.
fn iso(value: &Datum, ty: TypeId, env: &TypeEnv<'_>) -> String {
    let format = Format { date_style: DateStyle::Iso, ..Format::of(env).clone() };
    let env = TypeEnv { settings: &format, ..*env };
    let mut out = types_text::print(value, ty, -1, &env);
    if ty == DATE || out.ends_with("infinity") {
        return out;
    }
    let body = out.strip_suffix(" BC").map_or(out.len(), str::len);
    let zone = out.get(11..body).and_then(|rest| rest.rfind(['+', '-'])).map(|at| at + 11);
    if ty == TIMESTAMPTZ
        && let Some(zone) = zone
        && body - zone == 3
    {
        out.insert_str(body, ":00");
    }
    out.replacen(' ', "T", 1)
}

fn quote(out: &mut String, value: &str) {
    quote_into(out, value);
}

/// Appends a value as `json`.
pub(crate) fn write(out: &mut String, value: &Datum, ty: TypeId, cx: &dyn Context, breaks: bool) {
    let env = cx.types();
    match value {
        Datum::Null => out.push_str("null"),
        Datum::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Datum::Int(value) if matches!(ty, INT2 | INT4 | INT8) => out.push_str(&value.to_string()),
        Datum::Float(_) | Datum::Numeric(_) => {
            let printed = types_text::print(value, ty, -1, &env);
            if printed.ends_with(|c: char| c.is_ascii_digit()) {
                out.push_str(&printed);
            } else {
                quote(out, &printed);
            }
        }
        Datum::Text(value) if ty == JSON => out.push_str(value),
        Datum::Jsonb(value) => out.push_str(&value.to_string()),
        Datum::Hstore(value) => out.push_str(&types_text::json_of(value, false)),
        Datum::Date(_) | Datum::Timestamp(_) => quote(out, &iso(value, ty, &env)),
        Datum::Array(array) => write_array(out, array, cx, breaks),
        Datum::Record(row) => write_row(out, row, ty, cx, breaks),
        _ => quote(out, &types_text::print(value, ty, -1, &env)),
    }
}

fn write_array(out: &mut String, array: &Array, cx: &dyn Context, breaks: bool) {
    // The sizes of the blocks that open and close brackets, the outermost first.
    let mut sizes = Vec::new();
    let mut size = 1;
    for &(length, _) in array.dims.iter().rev() {
        size *= length.max(1);
        sizes.push(size);
    }
    sizes.reverse();
    if sizes.is_empty() {
        out.push_str("[]");
        return;
    }
    for (i, item) in array.items.iter().enumerate() {
        let opening = sizes.iter().filter(|&&size| i % size == 0).count();
        if i > 0 {
            out.push(',');
            // Only the outermost level breaks lines.
            if breaks && sizes.get(1).is_none_or(|&inner| i % inner == 0) {
                out.push_str("\n ");
            }
        }
        out.extend(std::iter::repeat_n('[', opening));
        write(out, item, array.element, cx, false);
        let closing = sizes.iter().filter(|&&size| (i + 1) % size == 0).count();
        out.extend(std::iter::repeat_n(']', closing));
    }
}

fn write_row(out: &mut String, row: &[Datum], ty: TypeId, cx: &dyn Context, breaks: bool) {
    out.push('{');
    for (i, (name, ty, value)) in fields(cx, ty, row).into_iter().enumerate() {
        if i > 0 {
            out.push_str(if breaks { ",\n " } else { "," });
        }
        quote(out, &name);
        out.push(':');
        write(out, &value, ty, cx, false);
    }
    out.push('}');
}

/// A value as `jsonb`.
pub(crate) fn tree(value: &Datum, ty: TypeId, cx: &dyn Context) -> Result<Json> {
    let env = cx.types();
    Ok(match value {
        Datum::Null => Json::Null,
        Datum::Bool(value) => Json::Bool(*value),
        Datum::Int(value) if matches!(ty, INT2 | INT4 | INT8) => Json::Number((*value).into()),
        Datum::Numeric(number) if number.is_finite() => Json::Number(number.clone()),
        Datum::Float(number) if number.is_finite() => {
            parse_json(&types_text::print(value, ty, -1, &env))?
        }
        Datum::Text(value) if ty == JSON => parse_json(value)?,
        Datum::Jsonb(value) => (**value).clone(),
        Datum::Hstore(value) => types_text::jsonb_of(value, false),
        Datum::Date(_) | Datum::Timestamp(_) => Json::String(iso(value, ty, &env).into()),
        Datum::Array(array) => {
            let lengths: Vec<usize> = array.dims.iter().map(|&(length, _)| length).collect();
            let mut items = array.items.iter();
            nest(&lengths, &mut items, array.element, cx)?
        }
        Datum::Record(row) => {
            let fields = fields(cx, ty, row).into_iter();
            let fields = fields.map(|(name, ty, value)| Ok((name.into(), tree(&value, ty, cx)?)));
            Json::object(fields.collect::<Result<_>>()?)
        }
        _ => Json::String(types_text::print(value, ty, -1, &env).into()),
    })
}

fn nest<'a>(
    lengths: &[usize],
    items: &mut impl Iterator<Item = &'a Datum>,
    element: TypeId,
    cx: &dyn Context,
) -> Result<Json> {
    let mut out = Vec::new();
    if let [length, inner @ ..] = lengths {
        for _ in 0..*length {
            out.push(if inner.is_empty() {
                items.next().map_or(Ok(Json::Null), |item| tree(item, element, cx))?
            } else {
                nest(inner, items, element, cx)?
            });
        }
    }
    Ok(Json::Array(out))
}

/// The key of an object: any scalar as it prints.
pub(crate) fn key(value: &Datum, ty: TypeId, cx: &dyn Context) -> Result<String> {
    let scalar = match value {
        Datum::Array(_) | Datum::Record(_) | Datum::Jsonb(_) => false,
        _ => ty != JSON,
    };
    if !scalar {
        return invalid("key value must be scalar, not array, composite, or json");
    }
    Ok(match value {
        Datum::Bool(value) => value.to_string(),
        Datum::Date(_) | Datum::Timestamp(_) => iso(value, ty, &cx.types()),
        value => types_text::print(value, known(ty), -1, &cx.types()),
    })
}

/// A literal of no known type is text.
fn known(ty: TypeId) -> TypeId {
    if ty == UNKNOWN { TEXT } else { ty }
}

fn to_json(call: &mut Call<'_>) -> Result<Datum> {
    let breaks = call.args.len() > 1 && call.bool(1)?;
    let mut out = String::new();
    write(&mut out, call.arg(0), known(call.ty(0)), call.cx, breaks);
    text(out)
}

fn to_jsonb(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Jsonb(Arc::new(tree(call.arg(0), known(call.ty(0)), call.cx)?)))
}

fn json_build_array(call: &mut Call<'_>) -> Result<Datum> {
    let mut out = String::from("[");
    for i in 0..call.args.len() {
        if i > 0 {
            out.push_str(", ");
        }
        write(&mut out, call.arg(i), known(call.ty(i)), call.cx, false);
    }
    out.push(']');
    text(out)
}

fn jsonb_build_array(call: &mut Call<'_>) -> Result<Datum> {
    let mut items = Vec::new();
    for i in 0..call.args.len() {
        items.push(tree(call.arg(i), known(call.ty(i)), call.cx)?);
    }
    Ok(Datum::Jsonb(Arc::new(Json::Array(items))))
}

fn even(call: &Call<'_>, name: &str) -> Result<()> {
    if call.args.len().is_multiple_of(2) {
        return Ok(());
    }
    invalid("argument list must have even number of elements").map_err(|e| {
        e.hint(format!("The arguments of {name}() must consist of alternating keys and values."))
    })
}

fn json_build_object(call: &mut Call<'_>) -> Result<Datum> {
    even(call, "json_build_object")?;
    let mut out = String::from("{");
    for i in (0..call.args.len()).step_by(2) {
        if i > 0 {
            out.push_str(", ");
        }
        if call.null(i) {
            return invalid(format!("argument {} cannot be null", i + 1))
                .map_err(|e| e.hint("Object keys should be text."));
        }
        quote(&mut out, &key(call.arg(i), call.ty(i), call.cx)?);
        out.push_str(" : ");
        write(&mut out, call.arg(i + 1), known(call.ty(i + 1)), call.cx, false);
    }
    out.push('}');
    text(out)
}

fn jsonb_build_object(call: &mut Call<'_>) -> Result<Datum> {
    even(call, "jsonb_build_object")?;
    let mut pairs = Vec::new();
    for i in (0..call.args.len()).step_by(2) {
        if call.null(i) {
            return invalid(format!("argument {}: key must not be null", i + 1));
        }
        let key = key(call.arg(i), call.ty(i), call.cx)?;
        pairs.push((key.into(), tree(call.arg(i + 1), known(call.ty(i + 1)), call.cx)?));
    }
    Ok(Datum::Jsonb(Arc::new(Json::object(pairs))))
}

type Pairs = Vec<(Text, Option<Text>)>;

/// The pairs of `json_object(text[])` and `json_object(text[], text[])`.
fn text_pairs(call: &Call<'_>) -> Result<Pairs> {
    let item = |item: &Datum| match item {
        Datum::Text(value) | Datum::Char(value) => Some(value.clone()),
        _ => None,
    };
    let array = call.array(0)?;
    let wrong =
        || SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts");
    let (keys, values): (Vec<_>, Vec<_>) = if call.args.len() > 1 {
        let values = call.array(1)?;
        if array.dims.len() > 1 || values.dims.len() > 1 {
            return Err(wrong());
        }
        if array.items.len() != values.items.len() {
            return error(SqlState::ARRAY_SUBSCRIPT_ERROR, "mismatched array dimensions");
        }
        (array.items.iter().map(item).collect(), values.items.iter().map(item).collect())
    } else {
        match array.dims.as_slice() {
            [] => {}
            [(length, _)] if length % 2 == 0 => {}
            [(_, _)] => {
                return error(
                    SqlState::ARRAY_SUBSCRIPT_ERROR,
                    "array must have even number of elements",
                );
            }
            [_, (2, _)] => {}
            [_, _] => {
                return error(SqlState::ARRAY_SUBSCRIPT_ERROR, "array must have two columns");
            }
            _ => return Err(wrong()),
        }
        let pairs = array.items.chunks_exact(2);
        pairs.map(|pair| (pair.first().and_then(item), pair.last().and_then(item))).unzip()
    };
    let pairs = keys.into_iter().zip(values).map(|(key, value)| match key {
        Some(key) => Ok((key, value)),
        None => error(SqlState::NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key"),
    });
    pairs.collect()
}

fn json_object(call: &mut Call<'_>) -> Result<Datum> {
    let mut out = String::from("{");
    for (i, (key, value)) in text_pairs(call)?.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        quote(&mut out, key);
        out.push_str(" : ");
        match value {
            Some(value) => quote(&mut out, value),
            None => out.push_str("null"),
        }
    }
    out.push('}');
    text(out)
}

fn jsonb_object(call: &mut Call<'_>) -> Result<Datum> {
    let pairs = text_pairs(call)?.into_iter();
    let pairs = pairs.map(|(key, value)| (key, value.map_or(Json::Null, Json::String)));
    Ok(Datum::Jsonb(Arc::new(Json::object(pairs.collect()))))
}

/// `json` without the fields that are null, blanks gone.
fn json_strip_nulls(call: &mut Call<'_>) -> Result<Datum> {
    fn strip(out: &mut String, value: &str) {
        match scan::kind(value) {
            scan::Kind::Object => {
                out.push('{');
                let pairs = scan::pairs(value).into_iter();
                let kept = pairs.filter(|(_, value)| scan::kind(value) != scan::Kind::Null);
                for (i, (key, value)) in kept.enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    quote(out, &key);
                    out.push(':');
                    strip(out, value);
                }
                out.push('}');
            }
            scan::Kind::Array => {
                out.push('[');
                for (i, item) in scan::items(value).into_iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    strip(out, item);
                }
                out.push(']');
            }
            scan::Kind::String => quote(out, &scan::string(value)),
            _ => out.push_str(value.trim()),
        }
    }
    let mut out = String::new();
    strip(&mut out, call.text(0)?);
    text(out)
}

pub(crate) static FUNCTIONS: &[Function] = &[
    function("to_json", &[ANYELEMENT], JSON, to_json).stable(),
    function("to_jsonb", &[ANYELEMENT], JSONB, to_jsonb).stable(),
    function("array_to_json", &[ANYARRAY], JSON, to_json).stable(),
    function("array_to_json", &[ANYARRAY, BOOL], JSON, to_json).stable(),
    function("row_to_json", &[RECORD], JSON, to_json).stable(),
    function("row_to_json", &[RECORD, BOOL], JSON, to_json).stable(),
    function("json_build_array", &[], JSON, json_build_array).stable(),
    function("json_build_array", &[ANY], JSON, json_build_array).variadic().with_nulls().stable(),
    function("jsonb_build_array", &[], JSONB, jsonb_build_array).stable(),
    function("jsonb_build_array", &[ANY], JSONB, jsonb_build_array)
        .variadic()
        .with_nulls()
        .stable(),
    function("json_build_object", &[], JSON, json_build_object).stable(),
    function("json_build_object", &[ANY], JSON, json_build_object).variadic().with_nulls().stable(),
    function("jsonb_build_object", &[], JSONB, jsonb_build_object).stable(),
    function("jsonb_build_object", &[ANY], JSONB, jsonb_build_object)
        .variadic()
        .with_nulls()
        .stable(),
    function("json_object", &[TEXTS], JSON, json_object),
    function("json_object", &[TEXTS, TEXTS], JSON, json_object),
    function("jsonb_object", &[TEXTS], JSONB, jsonb_object),
    function("jsonb_object", &[TEXTS, TEXTS], JSONB, jsonb_object),
    function("json_strip_nulls", &[JSON], JSON, json_strip_nulls),
];
