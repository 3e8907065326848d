//! How integers and strings are written.

use bytes::{BufMut, BytesMut};

/// An integer of one, three, four or nine bytes, the fewest that hold it.
pub(crate) fn integer(out: &mut BytesMut, value: u64) {
    match value {
        0..=0xfa => out.put_uint_le(value, 1),
        0xfb..=0xffff => {
            out.put_u8(0xfc);
            out.put_uint_le(value, 2);
        }
        0x1_0000..=0xff_ffff => {
            out.put_u8(0xfd);
            out.put_uint_le(value, 3);
        }
        _ => {
            out.put_u8(0xfe);
            out.put_u64_le(value);
        }
    }
}

/// Bytes with their length before them.
pub(crate) fn counted(out: &mut BytesMut, bytes: &[u8]) {
    integer(out, bytes.len() as u64);
    out.put_slice(bytes);
}

/// Bytes and the NUL that ends them; one within would end them early and is left out.
pub(crate) fn terminated(out: &mut BytesMut, bytes: &[u8]) {
    out.extend(bytes.iter().filter(|&&byte| byte != 0));
    out.put_u8(0);
}
