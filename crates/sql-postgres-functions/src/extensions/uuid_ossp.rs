//! uuid-ossp: identifiers by time, by name and by chance (RFC 4122).
//!
//! The time and the random bits are the store's, so that a run replays. There is no network card whose address
//! could be taken: the node of version 1 is random too, with the bit of real addresses.

use md5::{Digest, Md5};
use sha1::Sha1;

use super::super::session::random_uuid;
use super::super::table::*;
use super::super::{Call, Clock, Function};
use crate::error::Result;
use crate::types::Datum;

pub(super) static FUNCTIONS: &[Function] = &[
    function("uuid_nil", &[], UUID, |_| Ok(Datum::Uuid([0; 16]))),
    function("uuid_ns_dns", &[], UUID, |_| Ok(namespace(0x10))),
    function("uuid_ns_url", &[], UUID, |_| Ok(namespace(0x11))),
    function("uuid_ns_oid", &[], UUID, |_| Ok(namespace(0x12))),
    function("uuid_ns_x500", &[], UUID, |_| Ok(namespace(0x14))),
    function("uuid_generate_v1", &[], UUID, |call| by_time(call, false)).volatile(),
    function("uuid_generate_v1mc", &[], UUID, |call| by_time(call, true)).volatile(),
    function("uuid_generate_v3", &[UUID, TEXT], UUID, |call| by_name::<Md5>(call, 3)),
    function("uuid_generate_v4", &[], UUID, random_uuid).volatile(),
    function("uuid_generate_v5", &[UUID, TEXT], UUID, |call| by_name::<Sha1>(call, 5)),
];

/// `6ba7b8NN-9dad-11d1-80b4-00c04fd430c8`.
fn namespace(last: u8) -> Datum {
    Datum::Uuid([
        0x6b, 0xa7, 0xb8, last, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30,
        0xc8,
    ])
}

/// Units of 100 ns from 1582-10-15 to 2000-01-01.
const BEFORE_2000: u64 = 0x01b2_1dd2_1381_4000 + 946_684_800 * 10_000_000;

fn by_time(call: &mut Call<'_>, multicast: bool) -> Result<Datum> {
    let ticks = BEFORE_2000.wrapping_add_signed(call.cx.clock(Clock::Wall)?.wrapping_mul(10));
    let chance = call.cx.random()?.to_be_bytes();
    let mut uuid = [0; 16];
    uuid[0..4].copy_from_slice(&(ticks as u32).to_be_bytes());
    uuid[4..6].copy_from_slice(&((ticks >> 32) as u16).to_be_bytes());
    uuid[6..8].copy_from_slice(&((ticks >> 48) as u16).to_be_bytes());
    uuid[8..16].copy_from_slice(&chance);
    uuid[10] = if multicast { uuid[10] | 1 } else { uuid[10] & !1 };
    Ok(Datum::Uuid(versioned(uuid, 1)))
}

fn by_name<D: Digest>(call: &mut Call<'_>, version: u8) -> Result<Datum> {
    let Datum::Uuid(space) = call.arg(0) else { return Ok(Datum::Null) };
    let hashed = D::digest([space, call.text(1)?.as_bytes()].concat());
    let mut uuid = [0; 16];
    uuid.iter_mut().zip(hashed).for_each(|(byte, hashed)| *byte = hashed);
    Ok(Datum::Uuid(versioned(uuid, version)))
}

/// With the bits that say how it was made.
fn versioned(mut uuid: [u8; 16], version: u8) -> [u8; 16] {
    uuid[6] = uuid[6] & 0x0f | version << 4;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    uuid
}
