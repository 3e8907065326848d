//! Functions of network addresses.

use super::args::mismatch;
use super::table::*;
use super::{Call, Function};
use crate::error::Result;
use crate::types::{Datum, Inet};

fn address(call: &Call<'_>) -> Result<Inet> {
    match call.arg(0) {
        Datum::Inet(address) => Ok(*address),
        other => mismatch("an address", other),
    }
}

fn host(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::text(address(call)?.host()))
}

fn text(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::text(address(call)?.full()))
}

fn abbrev(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::text(address(call)?.to_string()))
}

fn family(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(address(call)?.family()))
}

fn masklen(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(address(call)?.bits().into()))
}

pub(super) static FUNCTIONS: &[Function] = &[
    function("host", &[INET], TEXT, host),
    function("text", &[INET], TEXT, text),
    function("abbrev", &[INET], TEXT, abbrev),
    function("family", &[INET], INT4, family),
    function("masklen", &[INET], INT4, masklen),
];
