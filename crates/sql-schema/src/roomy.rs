//! Room on the stack for statements that nest deep.
//!
//! Parsing, binding, evaluating and dropping a statement go as deep as it nests, and a chain of operators nests as
//! deep as it is long. Threads of the server have room for all that is admitted; whoever uses a session on a
//! thread of its own gets it here, where a statement may need more than is left.

/// How many bytes of stack a statement may have. They are only set aside: what is not used costs
/// nothing.
pub const ROOM: usize = 256 << 20;

/// How deep expressions and queries may nest: PostgreSQL, with its 2 MB, comes to a few thousand.
pub const MAX_DEPTH: usize = 1500;

/// Runs `work` for a statement of this text, on a stack that is large enough for it.
pub fn roomy<T>(text: &str, work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(need(text), ROOM, work)
}

/// An estimate of the stack a text needs, in bytes. It is from above, for code that is not
/// optimized; brackets cost most.
fn need(text: &str) -> usize {
    // A text of this length needs as much as any, whatever its brackets.
    if text.len() * (3 << 10) >= ROOM / 4 {
        return ROOM / 4;
    }
    let (mut depth, mut deepest) = (0usize, 0usize);
    // Most texts are short and have few brackets, if any; this is asked several times of each.
    let first = memchr::memchr2(b'(', b'[', text.as_bytes()).unwrap_or(text.len());
    for byte in text[first..].bytes() {
        match byte {
            b'(' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let bytes = (deepest * 100 + text.len() * 3 + 128) << 10;
    bytes.min(ROOM / 4)
}
