//! Operators on the bits of integers.

use super::table::*;
use super::{Call, Function};
use crate::error::Result;
use crate::types::{Datum, TypeId};

fn and(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.int(0)? & call.int(1)?))
}

fn or(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.int(0)? | call.int(1)?))
}

fn xor(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.int(0)? ^ call.int(1)?))
}

fn not(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(!call.int(0)?))
}

/// Cuts a shifted value to its type, as C does.
fn cut(ty: TypeId, value: i64) -> Datum {
    Datum::Int(match ty {
        INT2 => i64::from(value as i16),
        INT4 => i64::from(value as i32),
        _ => value,
    })
}

/// The machine takes the distance modulo the width it shifts in: 32 bits for both small types.
fn distance(call: &Call<'_>) -> Result<u32> {
    let mask = if call.result == INT8 { 63 } else { 31 };
    Ok((call.int(1)? & mask) as u32)
}

fn left(call: &mut Call<'_>) -> Result<Datum> {
    Ok(cut(call.result, call.int(0)?.wrapping_shl(distance(call)?)))
}

fn right(call: &mut Call<'_>) -> Result<Datum> {
    Ok(cut(call.result, call.int(0)?.wrapping_shr(distance(call)?)))
}

macro_rules! bits {
    ($($ty:ident)*) => { &[$(
        function("&", &[$ty, $ty], $ty, and),
        function("|", &[$ty, $ty], $ty, or),
        function("#", &[$ty, $ty], $ty, xor),
        function("~", &[$ty], $ty, not),
        function("<<", &[$ty, INT4], $ty, left),
        function(">>", &[$ty, INT4], $ty, right),
    )*] };
}

pub(super) static FUNCTIONS: &[Function] = bits!(INT2 INT4 INT8);
