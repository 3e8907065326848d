//! Aggregates that keep their input: arrays, joined texts, JSON.

use std::sync::Arc;

use hobgoblin_core::Text;

use super::super::args::{error, invalid, mismatch};
use super::super::json::make;
use super::super::table::*;
use super::super::{Accumulator, Aggregate, Context};
use crate::error::{Result, SqlState};
use crate::memory;
use crate::types::json::quote_into;
use crate::types::{Array, Datum, Json, TypeId};

/// `array_agg` of values.
struct Items {
    element: TypeId,
    items: Vec<Datum>,
}

impl Accumulator for Items {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        self.items.extend(args.first().cloned());
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        if self.items.is_empty() {
            return Ok(Datum::Null);
        }
        Ok(Datum::Array(Arc::new(Array::of(self.element, self.items.clone()))))
    }
}

/// `array_agg` of arrays, which become the rows of one with a dimension more.
#[derive(Default)]
struct Rows {
    rows: Vec<Arc<Array>>,
}

impl Accumulator for Rows {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let row = match args.first() {
            Some(Datum::Array(row)) => row,
            Some(Datum::Null) | None => {
                return error(SqlState::NULL_VALUE_NOT_ALLOWED, "cannot accumulate null arrays");
            }
            Some(other) => return mismatch("an array", other),
        };
        if row.dims.is_empty() {
            return error(SqlState::ARRAY_SUBSCRIPT_ERROR, "cannot accumulate empty arrays");
        }
        Array::check_dimensions(row.dims.len() + 1)?;
        let lengths = |array: &Array| array.dims.iter().map(|&(n, _)| n).collect::<Vec<_>>();
        if self.rows.first().is_some_and(|first| lengths(first) != lengths(row)) {
            return error(
                SqlState::ARRAY_SUBSCRIPT_ERROR,
                "cannot accumulate arrays of different dimensionality",
            );
        }
        self.rows.push(row.clone());
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        let Some(first) = self.rows.first() else { return Ok(Datum::Null) };
        let mut dims = vec![(self.rows.len(), 1)];
        dims.extend(first.dims.iter().copied());
        let items = self.rows.iter().flat_map(|row| row.items.iter().cloned()).collect();
        Ok(Datum::Array(Arc::new(Array { element: first.element, dims, items })))
    }
}

/// `string_agg`: each delimiter stands before its value.
#[derive(Default)]
struct Joined {
    text: Option<String>,
    bytes: Option<Vec<u8>>,
}

impl Accumulator for Joined {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        match (args.first(), args.get(1)) {
            (Some(Datum::Text(value)), delimiter) => {
                if let (Some(text), Some(Datum::Text(delimiter))) = (&mut self.text, delimiter) {
                    let _room = memory::enlarge(text.len(), delimiter.len())?;
                    text.push_str(delimiter);
                }
                let length = self.text.as_ref().map_or(0, String::len);
                let _room = memory::enlarge(length, value.len())?;
                self.text.get_or_insert_default().push_str(value);
            }
            (Some(Datum::Bytes(value)), delimiter) => {
                let length = self.bytes.as_ref().map_or(0, Vec::len);
                let _room = memory::enlarge(length, value.len())?;
                if let (Some(bytes), Some(Datum::Bytes(delimiter))) = (&mut self.bytes, delimiter) {
                    bytes.extend_from_slice(delimiter);
                }
                self.bytes.get_or_insert_default().extend_from_slice(value);
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(match (&self.text, &self.bytes) {
            (Some(text), _) => {
                let _room = memory::room_for(text.len())?;
                Datum::text(text.as_str())
            }
            (_, Some(bytes)) => Datum::Bytes(bytes.as_slice().into()),
            _ => Datum::Null,
        })
    }
}

/// `json_agg`.
struct JsonItems {
    ty: TypeId,
    out: String,
}

impl Accumulator for JsonItems {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let value = args.first().unwrap_or(&Datum::Null);
        let nested = matches!(value, Datum::Array(_) | Datum::Record(_));
        self.out.push_str(match (self.out.is_empty(), nested) {
            (true, _) => "[",
            (false, true) => ", \n ",
            (false, false) => ", ",
        });
        let _room = memory::room_for_result(args)?;
        make::write(&mut self.out, value, self.ty, cx, false);
        memory::enlarge(self.out.len(), 0).map(drop)
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        if self.out.is_empty() {
            return Ok(Datum::Null);
        }
        Ok(Datum::text(self.out.clone() + "]"))
    }
}

/// `jsonb_agg`.
struct JsonbItems {
    ty: TypeId,
    items: Option<Vec<Json>>,
}

impl Accumulator for JsonbItems {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let item = make::tree(args.first().unwrap_or(&Datum::Null), self.ty, cx)?;
        self.items.get_or_insert_default().push(item);
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        let items = self.items.clone();
        Ok(items.map_or(Datum::Null, |items| Datum::Jsonb(Arc::new(Json::Array(items)))))
    }
}

/// `json_object_agg`.
struct JsonPairs {
    types: [TypeId; 2],
    out: String,
}

impl Accumulator for JsonPairs {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let [key, value] = args else { return invalid("field name must not be null") };
        if key.is_null() {
            return invalid("field name must not be null");
        }
        self.out.push_str(if self.out.is_empty() { "{ " } else { ", " });
        quote_into(&mut self.out, &make::key(key, self.types[0], cx)?);
        self.out.push_str(" : ");
        let _room = memory::room_for_result(args)?;
        make::write(&mut self.out, value, self.types[1], cx, false);
        memory::enlarge(self.out.len(), 0).map(drop)
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        if self.out.is_empty() {
            return Ok(Datum::Null);
        }
        Ok(Datum::text(self.out.clone() + " }"))
    }
}

/// `jsonb_object_agg`.
struct JsonbPairs {
    types: [TypeId; 2],
    pairs: Option<Vec<(Text, Json)>>,
}

impl Accumulator for JsonbPairs {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let [key, value] = args else { return invalid("field name must not be null") };
        if key.is_null() {
            return invalid("field name must not be null");
        }
        let key = make::key(key, self.types[0], cx)?;
        let value = make::tree(value, self.types[1], cx)?;
        self.pairs.get_or_insert_default().push((key.into(), value));
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        let pairs = self.pairs.clone();
        Ok(pairs.map_or(Datum::Null, |pairs| Datum::Jsonb(Arc::new(Json::object(pairs)))))
    }
}

/// A literal of no known type is text.
fn known(types: &[TypeId], i: usize) -> TypeId {
    match types.get(i).copied() {
        None | Some(UNKNOWN) => TEXT,
        Some(ty) => ty,
    }
}

fn items(types: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(Items { element: known(types, 0), items: Vec::new() })
}

fn array_rows(_: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(Rows::default())
}

fn joined(_: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(Joined::default())
}

fn json_items(types: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(JsonItems { ty: known(types, 0), out: String::new() })
}

fn jsonb_items(types: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(JsonbItems { ty: known(types, 0), items: None })
}

fn json_pairs(types: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(JsonPairs { types: [known(types, 0), known(types, 1)], out: String::new() })
}

fn jsonb_pairs(types: &[TypeId]) -> Box<dyn Accumulator> {
    Box::new(JsonbPairs { types: [known(types, 0), known(types, 1)], pairs: None })
}

pub(crate) static AGGREGATES: &[Aggregate] = &[
    aggregate("array_agg", &[ANYNONARRAY], ANYARRAY, items),
    aggregate("array_agg", &[ANYARRAY], ANYARRAY, array_rows),
    aggregate("string_agg", &[TEXT, TEXT], TEXT, joined),
    aggregate("string_agg", &[BYTEA, BYTEA], BYTEA, joined),
    aggregate("json_agg", &[ANYELEMENT], JSON, json_items),
    aggregate("jsonb_agg", &[ANYELEMENT], JSONB, jsonb_items),
    aggregate("json_object_agg", &[ANY, ANY], JSON, json_pairs),
    aggregate("jsonb_object_agg", &[ANY, ANY], JSONB, jsonb_pairs),
];
