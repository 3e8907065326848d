//! One fast, fixed hash function. Tables keyed by it are never iterated, so results do not depend on it.

/// Mixes two words (a folded 64x64 multiplication).
#[inline]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd6e8_feb8_6659_fd93);
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// Hashes bytes under a tag that keeps kinds of values apart.
pub(crate) fn hash_bytes(tag: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(tag, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    hash
}
