//! pg_trgm: how alike two texts are, by the groups of three characters they have in common.
//!
//! Words are made small and get two blanks before and one after them; each three characters in a row are a trigram.
//! Letters are those of the C library, and trigrams that are not ASCII are kept as a sum of 24 bits, so that
//! numbers and order are PostgreSQL's.
//!
//! ```text
//!     Word     "  w" " wo" "wor" "ord" "rd "
//!     similarity(a, b)          those in both, out of those in either
//!     word_similarity(a, b)     the greatest similarity of a with a part of the trigrams of b in a row
//!     strict_word_similarity    the same, where the part is of whole words
//! ```

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use hobgoblin_regex::{is_alpha, lower};

use super::super::table::*;
use super::super::{Call, Function};
use crate::error::Result;
use crate::types::{Array, Datum, TypeId};

type Trigram = [u8; 3];

/// A measure of two texts, the part before the whole.
type Measure = fn(&str, &str) -> f32;

pub(super) static FUNCTIONS: &[Function] = &[
    function("set_limit", &[FLOAT4], FLOAT4, set_limit).volatile(),
    function("show_limit", &[], FLOAT4, |call| Ok(float(threshold(call, SIMILARITY) as f32)))
        .stable(),
    function("show_trgm", &[TEXT], TEXTS, show_trgm),
    function("similarity", &[TEXT, TEXT], FLOAT4, |call| measure(call, similarity)),
    function("word_similarity", &[TEXT, TEXT], FLOAT4, |call| measure(call, in_extent)),
    function("strict_word_similarity", &[TEXT, TEXT], FLOAT4, |call| measure(call, in_words)),
];

macro_rules! operators {
    ($($name:literal $symbol:literal $result:ident $eval:expr;)*) => {
        &[$(
            function($symbol, &[TEXT, TEXT], $result, $eval).stable(),
            function($name, &[TEXT, TEXT], $result, $eval).stable(),
        )*]
    };
}

/// Whether texts are alike enough.
pub(super) static OPERATORS: &[Function] = operators! {
    "similarity_op" "%" BOOL |call| alike(call, similarity, SIMILARITY);
    "word_similarity_op" "<%" BOOL |call| alike(call, in_extent, WORD);
    "word_similarity_commutator_op" "%>" BOOL |call| alike(call, swapped_extent, WORD);
    "strict_word_similarity_op" "<<%" BOOL |call| alike(call, in_words, STRICT_WORD);
    "strict_word_similarity_commutator_op" "%>>" BOOL
        |call| alike(call, swapped_words, STRICT_WORD);
};

macro_rules! distances {
    ($($name:literal $symbol:literal $measure:ident;)*) => {
        &[$(
            function($symbol, &[TEXT, TEXT], FLOAT4, |call| distance(call, $measure)),
            function($name, &[TEXT, TEXT], FLOAT4, |call| distance(call, $measure)),
        )*]
    };
}

/// How far texts are from each other.
pub(super) static DISTANCES: &[Function] = distances! {
    "similarity_dist" "<->" similarity;
    "word_similarity_dist_op" "<<->" in_extent;
    "word_similarity_dist_commutator_op" "<->>" swapped_extent;
    "strict_word_similarity_dist_op" "<<<->" in_words;
    "strict_word_similarity_dist_commutator_op" "<->>>" swapped_words;
};

const SIMILARITY: &str = "pg_trgm.similarity_threshold";
const WORD: &str = "pg_trgm.word_similarity_threshold";
const STRICT_WORD: &str = "pg_trgm.strict_word_similarity_threshold";

fn float(value: f32) -> Datum {
    Datum::Float(f64::from(value))
}

fn threshold(call: &Call<'_>, name: &str) -> f64 {
    call.cx.setting(name).and_then(|value| value.parse().ok()).unwrap_or(0.0)
}

fn set_limit(call: &mut Call<'_>) -> Result<Datum> {
    let value = (call.float(0)? as f32).to_string();
    call.cx.set_setting(SIMILARITY, Some(&value), false)?;
    Ok(float(threshold(call, SIMILARITY) as f32))
}

fn measure(call: &mut Call<'_>, measure: Measure) -> Result<Datum> {
    Ok(float(measure(call.text(0)?, call.text(1)?)))
}

fn alike(call: &mut Call<'_>, measure: Measure, name: &str) -> Result<Datum> {
    let found = f64::from(measure(call.text(0)?, call.text(1)?));
    Ok(Datum::Bool(found >= threshold(call, name)))
}

fn distance(call: &mut Call<'_>, measure: Measure) -> Result<Datum> {
    Ok(float((1.0 - f64::from(measure(call.text(0)?, call.text(1)?))) as f32))
}

fn show_trgm(call: &mut Call<'_>) -> Result<Datum> {
    let shown = |trigram: &Trigram| {
        let printable = trigram.iter().all(|b| b.is_ascii_graphic() || *b == b' ');
        let [a, b, c] = *trigram;
        Datum::text(match printable {
            true => trigram.iter().copied().map(char::from).collect::<String>(),
            false => format!("{:#08x}", u32::from_be_bytes([0, a, b, c])),
        })
    };
    let items: Vec<Datum> = distinct(call.text(0)?).iter().map(shown).collect();
    let dims = if items.is_empty() { Vec::new() } else { vec![(items.len(), 1)] };
    Ok(Datum::Array(Arc::new(Array { element: TypeId::TEXT, dims, items })))
}

/// A trigram of a text, and whether a word begins or ends with it.
struct Placed {
    trigram: Trigram,
    first: bool,
    last: bool,
}

/// The trigrams of a text in their order.
fn placed(text: &str) -> Vec<Placed> {
    let letter = |c: char| c.is_ascii_digit() || is_alpha(c);
    let mut all = Vec::new();
    for word in text.split(|c| !letter(c)).filter(|word| !word.is_empty()) {
        let padded: Vec<char> =
            [' ', ' '].into_iter().chain(word.chars().map(lower)).chain([' ']).collect();
        let count = padded.len() - 2;
        all.extend(padded.windows(3).enumerate().map(|(at, three)| Placed {
            trigram: packed(three),
            first: at == 0,
            last: at + 1 == count,
        }));
    }
    all
}

/// The trigrams of a text, each once, in PostgreSQL's order: bytes have signs.
fn distinct(text: &str) -> Vec<Trigram> {
    let mut all: Vec<Trigram> = placed(text).into_iter().map(|p| p.trigram).collect();
    all.sort_by_key(|trigram| trigram.map(|byte| byte as i8));
    all.dedup();
    all
}

/// Three characters in three bytes: what they are in ASCII, else a part of their sum.
fn packed(three: &[char]) -> Trigram {
    let text: String = three.iter().collect();
    match *text.as_bytes() {
        [a, b, c] => [a, b, c],
        ref bytes => {
            let [a, b, c, _] = checksum(bytes).to_le_bytes();
            [a, b, c]
        }
    }
}

/// PostgreSQL's old CRC-32: the table of the usual one, which goes by the low bits, used from the high bits.
fn checksum(bytes: &[u8]) -> u32 {
    static TABLE: LazyLock<[u32; 256]> = LazyLock::new(|| {
        std::array::from_fn(|i| {
            (0..8).fold(i as u32, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 })
        })
    });
    let step = |sum: u32, byte: &u8| TABLE[(sum >> 24) as usize ^ usize::from(*byte)] ^ (sum << 8);
    !bytes.iter().fold(u32::MAX, step)
}

/// Those in both, out of those in either.
fn share(common: usize, one: usize, other: usize) -> f32 {
    common as f32 / (one + other - common) as f32
}

fn similarity(a: &str, b: &str) -> f32 {
    let (a, b) = (distinct(a), distinct(b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let common = a.iter().filter(|trigram| b.contains(trigram)).count();
    share(common, a.len(), b.len())
}

fn in_extent(part: &str, whole: &str) -> f32 {
    greatest(part, whole, false)
}

fn in_words(part: &str, whole: &str) -> f32 {
    greatest(part, whole, true)
}

fn swapped_extent(whole: &str, part: &str) -> f32 {
    greatest(part, whole, false)
}

fn swapped_words(whole: &str, part: &str) -> f32 {
    greatest(part, whole, true)
}

/// The trigrams from `lower` to the last one looked at.
#[derive(Clone, Copy)]
struct Extent {
    lower: Option<usize>,
    /// How many different ones they are.
    distinct: usize,
    /// How many of these are in the part.
    common: usize,
}

/// The greatest similarity of a text with an extent of another; both ends of a strict one are ends of words.
/// As PostgreSQL does, the extent grows to the right, and from the left it shrinks where that makes it more
/// alike.
fn greatest(part: &str, whole: &str, strict: bool) -> f32 {
    let wanted = distinct(part);
    let whole = placed(whole);
    let found: Vec<bool> = whole.iter().map(|p| wanted.contains(&p.trigram)).collect();
    let mut last: HashMap<Trigram, usize> = HashMap::new();
    let mut extent = Extent { lower: strict.then_some(0), distinct: 0, common: 0 };
    let mut most = 0.0_f32;
    for (at, here) in whole.iter().enumerate() {
        let counts = extent.lower.is_some() || found[at];
        if counts && last.insert(here.trigram, at).is_none() {
            extent.distinct += 1;
            extent.common += usize::from(found[at]);
        }
        if !(if strict { here.last } else { found[at] }) {
            continue;
        }
        let lower = *extent.lower.get_or_insert(at);
        let mut best = share(extent.common, wanted.len(), extent.distinct);
        let mut shrunk = extent;
        for from in lower..=at {
            if !strict || whole[from].first {
                let now = share(shrunk.common, wanted.len(), shrunk.distinct);
                if now > best {
                    best = now;
                    extent = Extent { lower: Some(from), ..shrunk };
                }
            }
            if last.get(&whole[from].trigram) == Some(&from) {
                shrunk.distinct -= 1;
                shrunk.common -= usize::from(found[from]);
            }
        }
        most = most.max(best);
        let passed = lower..extent.lower.unwrap_or(lower);
        last.retain(|_, at| !passed.contains(at));
    }
    most
}
