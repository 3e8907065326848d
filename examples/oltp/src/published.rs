//! The rates MonkeyDB found, for comparison.
//!
//! In percent of twenty runs of ten seconds, as its artefact reports them: causal with two and three sessions,
//! read committed with two and three, in the order of [`CELLS`](crate::count::CELLS). In three of them its
//! checker stops at a count that is too large, so the rates of A15 to A17 are lower bounds.

/// The rates of an assertion.
pub fn rates(assertion: &str) -> Option<[u32; 4]> {
    ALL.iter().find(|(name, _)| *name == assertion).map(|(_, rates)| *rates)
}

const ALL: [(&str, [u32; 4]); 17] = [
    ("A1", [85, 90, 100, 90]),
    ("A2", [0, 30, 100, 95]),
    ("A3", [0, 0, 85, 80]),
    ("A4", [0, 65, 100, 95]),
    ("A5", [0, 0, 0, 0]),
    ("A6", [0, 60, 0, 25]),
    ("A7", [0, 0, 55, 15]),
    ("A8", [85, 85, 95, 95]),
    ("A9", [0, 80, 100, 95]),
    ("A10", [85, 80, 95, 90]),
    ("A11", [0, 0, 100, 90]),
    ("A12", [20, 30, 95, 90]),
    ("A13", [100, 95, 95, 95]),
    ("A14", [35, 85, 85, 85]),
    ("A15", [75, 100, 80, 95]),
    ("A16", [75, 100, 80, 95]),
    ("A17", [10, 10, 55, 70]),
];
