//! Functions and operators on arrays.
//!
//! An array has its items in row-major order and, per dimension, a length and a lower bound. An empty array
//! has no dimensions.

use std::sync::Arc;

use super::args::{error, text};
use super::table::*;
use super::{Call, Function, SetFunction};
use crate::error::{Code, Result, SqlError, SqlState};
use crate::types::{Array, Datum, TypeId, text as types_text};

/// An array of one dimension from 1.
pub(super) fn vector(element: TypeId, items: Vec<Datum>) -> Datum {
    vector_from(element, items, 1)
}

fn vector_from(element: TypeId, items: Vec<Datum>, lower: i32) -> Datum {
    let dims = if items.is_empty() { Vec::new() } else { vec![(items.len(), lower)] };
    Datum::Array(Arc::new(Array { element, dims, items }))
}

pub(super) fn text_array(items: Vec<Datum>) -> Datum {
    vector(TEXT, items)
}

/// The element type of an array argument, known even if the argument is NULL.
fn element(call: &Call<'_>, i: usize) -> TypeId {
    match call.arg(i) {
        Datum::Array(array) => array.element,
        _ => crate::types::builtin::element_type(call.ty(i), call.cx.types().names).unwrap_or(TEXT),
    }
}

/// A dimension by number from 1.
fn dimension(call: &Call<'_>) -> Result<Option<(usize, i32)>> {
    let n = usize::try_from(call.int(1)?).unwrap_or(0);
    Ok(n.checked_sub(1).and_then(|n| call.array(0).ok()?.dims.get(n).copied()))
}

fn array_length(call: &mut Call<'_>) -> Result<Datum> {
    Ok(dimension(call)?.map_or(Datum::Null, |(length, _)| Datum::Int(length as i64)))
}

fn array_lower(call: &mut Call<'_>) -> Result<Datum> {
    Ok(dimension(call)?.map_or(Datum::Null, |(_, lower)| Datum::Int(i64::from(lower))))
}

fn array_upper(call: &mut Call<'_>) -> Result<Datum> {
    Ok(dimension(call)?
        .map_or(Datum::Null, |(length, lower)| Datum::Int(i64::from(lower) + length as i64 - 1)))
}

fn array_ndims(call: &mut Call<'_>) -> Result<Datum> {
    let n = call.array(0)?.dims.len();
    Ok(if n == 0 { Datum::Null } else { Datum::Int(n as i64) })
}

fn array_dims(call: &mut Call<'_>) -> Result<Datum> {
    let dims = &call.array(0)?.dims;
    if dims.is_empty() {
        return Ok(Datum::Null);
    }
    let bounds = |&(length, lower): &(usize, i32)| {
        format!("[{lower}:{}]", i64::from(lower) + length as i64 - 1)
    };
    text(dims.iter().map(bounds).collect::<String>())
}

fn cardinality(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.array(0)?.items.len() as i64))
}

/// The items and lower bound of an array that may have one dimension at most; NULL is empty.
fn flat(call: &Call<'_>, i: usize) -> Result<(Vec<Datum>, i32)> {
    match call.arg(i) {
        Datum::Null => Ok((Vec::new(), 1)),
        _ => {
            let array = call.array(i)?;
            if array.dims.len() > 1 {
                return error(Code("22000"), "argument must be empty or one-dimensional array");
            }
            Ok((array.items.clone(), array.dims.first().map_or(1, |&(_, lower)| lower)))
        }
    }
}

fn append(call: &mut Call<'_>) -> Result<Datum> {
    let (mut items, lower) = flat(call, 0)?;
    items.push(call.arg(1).clone());
    Ok(vector_from(element(call, 0), items, lower))
}

fn prepend(call: &mut Call<'_>) -> Result<Datum> {
    let (mut items, lower) = flat(call, 1)?;
    items.insert(0, call.arg(0).clone());
    Ok(vector_from(element(call, 1), items, lower))
}

fn incompatible(detail: String) -> SqlError {
    SqlError::new(SqlState::ARRAY_SUBSCRIPT_ERROR, "cannot concatenate incompatible arrays")
        .detail(detail)
}

/// Joins arrays along the first dimension; one may be an element of the other.
fn concatenate(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) || call.null(1) {
        return Ok(call.arg(if call.null(0) { 1 } else { 0 }).clone());
    }
    let (a, b) = (call.array(0)?, call.array(1)?);
    if a.dims.is_empty() || b.dims.is_empty() {
        return Ok(call.arg(if a.dims.is_empty() { 1 } else { 0 }).clone());
    }
    let lengths = |dims: &[(usize, i32)]| dims.iter().map(|&(n, _)| n).collect::<Vec<_>>();
    let (na, nb) = (a.dims.len(), b.dims.len());
    let differing = || {
        incompatible(
            "Arrays with differing element dimensions are not compatible for concatenation."
                .to_owned(),
        )
    };
    let mut dims;
    if na == nb {
        if lengths(&a.dims).get(1..) != lengths(&b.dims).get(1..) {
            return Err(differing());
        }
        dims = a.dims.clone();
        if let (Some(first), Some(more)) = (dims.first_mut(), b.dims.first()) {
            first.0 += more.0;
        }
    } else if na + 1 == nb || nb + 1 == na {
        let (outer, inner) = if na > nb { (a, b) } else { (b, a) };
        if lengths(&outer.dims).get(1..) != Some(&lengths(&inner.dims)) {
            return Err(differing());
        }
        dims = outer.dims.clone();
        if let Some(first) = dims.first_mut() {
            first.0 += 1;
        }
    } else {
        return Err(incompatible(format!(
            "Arrays of {na} and {nb} dimensions are not compatible for concatenation."
        )));
    }
    let items = a.items.iter().chain(&b.items).cloned().collect();
    Ok(Datum::Array(Arc::new(Array { element: a.element, dims, items })))
}

/// Whether two values are the same; NULLs are.
fn same(a: &Datum, b: &Datum) -> bool {
    match (a.is_null(), b.is_null()) {
        (false, false) => a.compare(b).is_eq(),
        (a, b) => a && b,
    }
}

fn array_remove(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let array = call.array(0)?;
    if array.dims.len() > 1 {
        return error(
            SqlState::FEATURE_NOT_SUPPORTED,
            "removing elements from multidimensional arrays is not supported",
        );
    }
    let items: Vec<Datum> =
        array.items.iter().filter(|item| !same(item, call.arg(1))).cloned().collect();
    let lower = array.dims.first().map_or(1, |&(_, lower)| lower);
    Ok(vector_from(array.element, items, lower))
}

fn array_replace(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let array = call.array(0)?;
    let swap = |item: &Datum| if same(item, call.arg(1)) { call.arg(2) } else { item }.clone();
    let items = array.items.iter().map(swap).collect();
    Ok(Datum::Array(Arc::new(Array { element: array.element, dims: array.dims.clone(), items })))
}

fn places(call: &Call<'_>) -> Result<Vec<i64>> {
    let array = call.array(0)?;
    if array.dims.len() > 1 {
        return error(
            SqlState::FEATURE_NOT_SUPPORTED,
            "searching for elements in multidimensional arrays is not supported",
        );
    }
    let lower = i64::from(array.dims.first().map_or(1, |&(_, lower)| lower));
    let found = array.items.iter().zip(lower..).filter(|(item, _)| same(item, call.arg(1)));
    Ok(found.map(|(_, at)| at).collect())
}

fn array_position(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let mut from = i64::MIN;
    if call.args.len() > 2 {
        if call.null(2) {
            return error(SqlState::NULL_VALUE_NOT_ALLOWED, "initial position must not be null");
        }
        from = call.int(2)?;
    }
    let found = places(call)?.into_iter().find(|&at| at >= from);
    Ok(found.map_or(Datum::Null, Datum::Int))
}

fn array_positions(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    Ok(vector(INT4, places(call)?.into_iter().map(Datum::Int).collect()))
}

/// No array is filled beyond this many items.
const MOST_ITEMS: usize = 4 << 20;

fn array_fill(call: &mut Call<'_>) -> Result<Datum> {
    let null = "dimension array or low bound array cannot be null";
    if call.null(1) || (call.args.len() > 2 && call.null(2)) {
        return error(SqlState::NULL_VALUE_NOT_ALLOWED, null);
    }
    let ints = |i: usize| -> Result<Vec<i64>> {
        let array = call.array(i)?;
        if array.dims.len() > 1 {
            return error(SqlState::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts")
                .map_err(|e| e.detail("Dimension array must be one dimensional."));
        }
        let int = |item: &Datum| match item {
            Datum::Int(n) => Ok(*n),
            _ => error(SqlState::NULL_VALUE_NOT_ALLOWED, "dimension values cannot be null"),
        };
        array.items.iter().map(int).collect()
    };
    let lengths = ints(1)?;
    let lowers = if call.args.len() > 2 { ints(2)? } else { vec![1; lengths.len()] };
    if lowers.len() != lengths.len() {
        return error(SqlState::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts")
            .map_err(|e| e.detail("Low bound array has different size than dimensions array."));
    }
    if lengths.len() > 6 {
        return error(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!(
                "number of array dimensions ({}) exceeds the maximum allowed (6)",
                lengths.len()
            ),
        );
    }
    let mut size = usize::from(!lengths.is_empty());
    let mut dims = Vec::new();
    for (&length, &lower) in lengths.iter().zip(&lowers) {
        size = size.saturating_mul(usize::try_from(length).unwrap_or(usize::MAX));
        dims.push((usize::try_from(length).unwrap_or(0), lower as i32));
    }
    if size > MOST_ITEMS {
        return error(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("array size exceeds the maximum allowed ({MOST_ITEMS})"),
        );
    }
    if size == 0 {
        dims.clear();
    }
    let items = vec![call.arg(0).clone(); size];
    Ok(Datum::Array(Arc::new(Array { element: call.ty(0), dims, items })))
}

fn trim_array(call: &mut Call<'_>) -> Result<Datum> {
    let array = call.array(0)?;
    let n = call.int(1)?;
    let length = array.dims.first().map_or(0, |&(length, _)| length);
    let cut = match usize::try_from(n) {
        Ok(cut) if cut <= length => cut,
        _ => {
            return error(
                SqlState::ARRAY_SUBSCRIPT_ERROR,
                format!("number of elements to trim must be between 0 and {length}"),
            );
        }
    };
    let row = array.items.len().checked_div(length).unwrap_or(0);
    let items: Vec<Datum> = array.items.iter().take((length - cut) * row).cloned().collect();
    let mut dims = if items.is_empty() { Vec::new() } else { array.dims.clone() };
    if let Some(first) = dims.first_mut() {
        *first = (length - cut, 1);
    }
    Ok(Datum::Array(Arc::new(Array { element: array.element, dims, items })))
}

/// Whether an array has a value. Whoever asks for all of another one asks long.
fn has(call: &Call<'_>, array: &Array, value: &Datum) -> Result<bool> {
    call.cx.check_interrupts()?;
    Ok(!value.is_null() && array.items.iter().any(|other| !other.is_null() && same(value, other)))
}

fn contains_all(call: &Call<'_>, outer: usize, inner: usize) -> Result<Datum> {
    let (outer, inner) = (call.array(outer)?, call.array(inner)?);
    for item in &inner.items {
        if !has(call, outer, item)? {
            return Ok(Datum::Bool(false));
        }
    }
    Ok(Datum::Bool(true))
}

fn contains(call: &mut Call<'_>) -> Result<Datum> {
    contains_all(call, 0, 1)
}

fn contained(call: &mut Call<'_>) -> Result<Datum> {
    contains_all(call, 1, 0)
}

fn overlap(call: &mut Call<'_>) -> Result<Datum> {
    let (a, b) = (call.array(0)?, call.array(1)?);
    for item in &a.items {
        if has(call, b, item)? {
            return Ok(Datum::Bool(true));
        }
    }
    Ok(Datum::Bool(false))
}

fn array_to_string(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) || call.null(1) {
        return Ok(Datum::Null);
    }
    let array = call.array(0)?;
    let null = if call.null(2) { None } else { Some(call.text(2)?) };
    let env = call.cx.types();
    let print = |item: &Datum| match item {
        Datum::Null => null.map(str::to_owned),
        item => Some(types_text::print(item, array.element, -1, &env)),
    };
    let parts: Vec<String> = array.items.iter().filter_map(print).collect();
    text(parts.join(call.text(1)?))
}

/// The parts of a text; `None` if the text is NULL.
fn split(call: &Call<'_>) -> Result<Option<Vec<Datum>>> {
    if call.null(0) {
        return Ok(None);
    }
    let value = call.text(0)?;
    let null = if call.null(2) { None } else { Some(call.text(2)?) };
    let part = |part: &str| if Some(part) == null { Datum::Null } else { Datum::text(part) };
    if value.is_empty() {
        return Ok(Some(Vec::new()));
    }
    if call.null(1) {
        return Ok(Some(value.chars().map(|c| part(&c.to_string())).collect()));
    }
    let by = call.text(1)?;
    Ok(Some(if by.is_empty() { vec![part(value)] } else { value.split(by).map(part).collect() }))
}

fn string_to_array(call: &mut Call<'_>) -> Result<Datum> {
    Ok(split(call)?.map_or(Datum::Null, text_array))
}

fn string_to_table(call: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    call.gather(split(call)?.unwrap_or_default().into_iter().map(|part| vec![part]))
}

fn unnest(call: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    call.gather(call.array(0)?.items.iter().map(|item| vec![item.clone()]))
}

fn generate_subscripts(call: &mut Call<'_>) -> Result<Vec<Vec<Datum>>> {
    let Some((length, lower)) = dimension(call)? else { return Ok(Vec::new()) };
    let mut places: Vec<i64> = (i64::from(lower)..).take(length).collect();
    if call.args.len() > 2 && call.bool(2)? {
        places.reverse();
    }
    call.gather(places.into_iter().map(|at| vec![Datum::Int(at)]))
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("array_length", &[ANYARRAY, INT4], INT4, array_length),
    function("array_lower", &[ANYARRAY, INT4], INT4, array_lower),
    function("array_upper", &[ANYARRAY, INT4], INT4, array_upper),
    function("array_ndims", &[ANYARRAY], INT4, array_ndims),
    function("array_dims", &[ANYARRAY], TEXT, array_dims),
    function("cardinality", &[ANYARRAY], INT4, cardinality),
    function("array_append", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], ANYCOMPATIBLEARRAY, append)
        .with_nulls(),
    function("array_prepend", &[ANYCOMPATIBLE, ANYCOMPATIBLEARRAY], ANYCOMPATIBLEARRAY, prepend)
        .with_nulls(),
    function(
        "array_cat",
        &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLEARRAY],
        ANYCOMPATIBLEARRAY,
        concatenate,
    )
    .with_nulls(),
    function("||", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], ANYCOMPATIBLEARRAY, append).with_nulls(),
    function("||", &[ANYCOMPATIBLE, ANYCOMPATIBLEARRAY], ANYCOMPATIBLEARRAY, prepend).with_nulls(),
    function("||", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLEARRAY], ANYCOMPATIBLEARRAY, concatenate)
        .with_nulls(),
    function(
        "array_remove",
        &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE],
        ANYCOMPATIBLEARRAY,
        array_remove,
    )
    .with_nulls(),
    function(
        "array_replace",
        &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, ANYCOMPATIBLE],
        ANYCOMPATIBLEARRAY,
        array_replace,
    )
    .with_nulls(),
    function("array_position", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], INT4, array_position)
        .with_nulls(),
    function("array_position", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, INT4], INT4, array_position)
        .with_nulls(),
    function("array_positions", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], INT4S, array_positions)
        .with_nulls(),
    function("array_fill", &[ANYELEMENT, INT4S], ANYARRAY, array_fill).with_nulls(),
    function("array_fill", &[ANYELEMENT, INT4S, INT4S], ANYARRAY, array_fill).with_nulls(),
    function("trim_array", &[ANYARRAY, INT4], ANYARRAY, trim_array),
    function("@>", &[ANYARRAY, ANYARRAY], BOOL, contains),
    function("<@", &[ANYARRAY, ANYARRAY], BOOL, contained),
    function("&&", &[ANYARRAY, ANYARRAY], BOOL, overlap),
    function("array_to_string", &[ANYARRAY, TEXT], TEXT, array_to_string).stable(),
    function("array_to_string", &[ANYARRAY, TEXT, TEXT], TEXT, array_to_string)
        .with_nulls()
        .stable(),
    function("string_to_array", &[TEXT, TEXT], TEXTS, string_to_array).with_nulls(),
    function("string_to_array", &[TEXT, TEXT, TEXT], TEXTS, string_to_array).with_nulls(),
];

const STRING_PARTS: SetFunction = {
    let mut function = rows("string_to_table", &[TEXT, TEXT], &[("", TEXT)], string_to_table);
    function.strict = false;
    function
};

pub(super) static SETS: &[SetFunction] = &[
    rows("unnest", &[ANYARRAY], &[("", ANYELEMENT)], unnest),
    rows("generate_subscripts", &[ANYARRAY, INT4], &[("", INT4)], generate_subscripts),
    rows("generate_subscripts", &[ANYARRAY, INT4, BOOL], &[("", INT4)], generate_subscripts),
    STRING_PARTS,
    SetFunction { args: &[TEXT, TEXT, TEXT], ..STRING_PARTS },
];
