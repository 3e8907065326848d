//! MD5, SHA-1 and the SHA-2 family (RFC 1321, FIPS 180-4).

/// A message with the padding all have: a one bit, zeros, the length in bits.
fn pad(message: &[u8], block: usize, length: &[u8]) -> Vec<u8> {
    let mut out = message.to_vec();
    out.push(0x80);
    while out.len() % block != block - length.len() {
        out.push(0);
    }
    out.extend_from_slice(length);
    out
}

/// The first bits of the fractional part of the `root`th root of a prime.
fn root_bits(prime: u64, root: u32) -> u64 {
    // Newton is not needed: find x with x^root <= prime * 2^(64*root) bit by bit, in 64.64 fixed point.
    let mut whole: u64 = 0;
    while (whole + 1).pow(root) <= prime {
        whole += 1;
    }
    let mut x = num_bigint::BigUint::from(whole) << 64u32;
    let target = num_bigint::BigUint::from(prime) << (64 * root);
    for bit in (0..64u32).rev() {
        let candidate = &x + (num_bigint::BigUint::from(1u8) << bit);
        if candidate.pow(root) <= target {
            x = candidate;
        }
    }
    x.iter_u64_digits().next().unwrap_or(0)
}

/// Constants of SHA-512; those of SHA-256 are their upper halves.
struct Constants {
    /// Square roots of the first 16 primes.
    start: [u64; 16],
    /// Cube roots of the first 80 primes.
    rounds: [u64; 80],
}

static CONSTANTS: std::sync::LazyLock<Constants> = std::sync::LazyLock::new(|| {
    let prime = |n: &u64| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let mut primes = (2u64..).filter(prime);
    let (mut start, mut rounds) = ([0; 16], [0; 80]);
    for i in 0..80 {
        let prime = primes.next().unwrap_or(2);
        rounds[i] = root_bits(prime, 3);
        if i < 16 {
            start[i] = root_bits(prime, 2);
        }
    }
    Constants { start, rounds }
});

/// MD5.
pub(super) fn md5(message: &[u8]) -> Vec<u8> {
    const SHIFTS: [[u32; 4]; 4] =
        [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let bits = (message.len() as u64).wrapping_mul(8);
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in pad(message, 64, &bits.to_le_bytes()).chunks_exact(64) {
        let mut words = [0u32; 16];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (mix, at) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), (7 * i) % 16),
            };
            let constant = (((i + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
            let sum = a.wrapping_add(mix).wrapping_add(constant).wrapping_add(words[at]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d]) {
            *word = word.wrapping_add(add);
        }
    }
    state.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// SHA-1.
pub(super) fn sha1(message: &[u8]) -> Vec<u8> {
    let bits = (message.len() as u64).wrapping_mul(8);
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in pad(message, 64, &bits.to_be_bytes()).chunks_exact(64) {
        let mut w = [0u32; 80];
        for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        for i in 16..80 {
            w[i] = (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (i, word) in w.iter().enumerate() {
            let (mix, constant) = match i / 20 {
                0 => ((b & c) | (!b & d), 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let sum = a.rotate_left(5).wrapping_add(mix).wrapping_add(e);
            let sum = sum.wrapping_add(constant).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d, e]) {
            *word = word.wrapping_add(add);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn sha_small(message: &[u8], mut state: [u32; 8], size: usize) -> Vec<u8> {
    let bits = (message.len() as u64).wrapping_mul(8);
    for block in pad(message, 64, &bits.to_be_bytes()).chunks_exact(64) {
        let mut w = [0u32; 64];
        for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        for i in 16..64 {
            let (x, y) = (w[i - 15], w[i - 2]);
            let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
            let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
            w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in w.iter().zip(&CONSTANTS.rounds) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t1 = h
                .wrapping_add(s1)
                .wrapping_add((e & f) ^ (!e & g))
                .wrapping_add((constant >> 32) as u32)
                .wrapping_add(*word);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(add);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).take(size).collect()
}

fn sha_large(message: &[u8], mut state: [u64; 8], size: usize) -> Vec<u8> {
    let bits = (message.len() as u128).wrapping_mul(8);
    for block in pad(message, 128, &bits.to_be_bytes()).chunks_exact(128) {
        let mut w = [0u64; 80];
        for (word, bytes) in w.iter_mut().zip(block.chunks_exact(8)) {
            *word = bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        for i in 16..80 {
            let (x, y) = (w[i - 15], w[i - 2]);
            let s0 = x.rotate_right(1) ^ x.rotate_right(8) ^ (x >> 7);
            let s1 = y.rotate_right(19) ^ y.rotate_right(61) ^ (y >> 6);
            w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in w.iter().zip(&CONSTANTS.rounds) {
            let s1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
            let t1 = h
                .wrapping_add(s1)
                .wrapping_add((e & f) ^ (!e & g))
                .wrapping_add(*constant)
                .wrapping_add(*word);
            let s0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *word = word.wrapping_add(add);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).take(size).collect()
}

/// The first or second eight of the square roots.
fn start(second: bool) -> [u64; 8] {
    let mut out = [0; 8];
    let from = if second { 8 } else { 0 };
    out.copy_from_slice(&CONSTANTS.start[from..from + 8]);
    out
}

/// SHA-224: like SHA-256 from the lower halves of the second eight square roots.
pub(super) fn sha224(message: &[u8]) -> Vec<u8> {
    sha_small(message, start(true).map(|word| word as u32), 28)
}

/// SHA-256.
pub(super) fn sha256(message: &[u8]) -> Vec<u8> {
    sha_small(message, start(false).map(|word| (word >> 32) as u32), 32)
}

/// SHA-384.
pub(super) fn sha384(message: &[u8]) -> Vec<u8> {
    sha_large(message, start(true), 48)
}

/// SHA-512.
pub(super) fn sha512(message: &[u8]) -> Vec<u8> {
    sha_large(message, start(false), 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn known_answers() {
        assert_eq!(hex(&md5(b"")), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(&md5(b"abc")), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(hex(&sha1(b"abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            hex(&sha224(b"abc")),
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
        );
        assert_eq!(
            hex(&sha256(b"abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            hex(&sha384(b"abc")),
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
             8086072ba1e7cc2358baeca134c825a7"
        );
        assert_eq!(
            hex(&sha512(b"abc")),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        );
        // One block, and just over.
        assert_eq!(hex(&md5(&[b'a'; 64])), "014842d480b571495a4a0363793f7367");
        assert_eq!(
            hex(&sha256(&[b'a'; 56])),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"
        );
    }
}
