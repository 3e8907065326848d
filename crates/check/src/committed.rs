//! Read committed in O(n √n).
//!
//! A transaction that has read from t2 must not then read a version older than t2's:
//!
//! ```text
//! t3: r(y)<-t2 ... r(x)<-t1      t2 writes x too, so t2 must commit before t1.
//! ```
//!
//! For each reader we walk its reads backwards and keep, for each key, the source of the earliest
//! read so far, and of the earliest by another source. At the first read from t2 (the last one the
//! walk meets) we look for the keys t2 writes among those kept, from the smaller side. Edges to later
//! reads of a key follow from those between its sources. See [Biswas 2019, section 3] for the naive
//! version, and [DESIGN, decision 2].

use hobgoblin_core::StopReason;

use crate::forced::Forced;
use crate::limits::Ticker;
use crate::problem::{INIT, Node, Problem, Read};

/// The sources of the earliest two reads, by different sources, of one key in the suffix walked.
#[derive(Clone, Copy)]
struct Earliest {
    reader: Node,
    first: Option<Read>,
    second: Option<Read>,
}

/// Adds the edges that read committed forces, for the readers to which it `applies`.
pub(crate) fn force(
    problem: &Problem<'_>,
    applies: impl Fn(Node) -> bool,
    ticker: &mut Ticker<'_>,
    forced: &mut Vec<Forced>,
) -> Result<(), StopReason> {
    let nobody = Earliest { reader: INIT, first: None, second: None };
    let mut suffix = vec![nobody; problem.num_keys()];
    let mut keys: Vec<u32> = Vec::new();
    // The first read of each source in the reader at hand, as (reader, read).
    let mut first_read = vec![(INIT, 0u32); problem.len()];
    for reader in 1..problem.len() as Node {
        let reads = problem.reads(reader);
        if reads.len() < 2 || !applies(reader) {
            continue;
        }
        for (i, read) in reads.iter().enumerate().filter(|(_, r)| r.obeys_axiom()) {
            let first = &mut first_read[read.source as usize];
            if first.0 != reader {
                *first = (reader, i as u32);
            }
        }
        keys.clear();
        // Locking reads belong to the commit: they neither obey the axiom nor are evidence.
        for (i, &read) in reads.iter().enumerate().rev().filter(|(_, r)| r.obeys_axiom()) {
            let source = read.source;
            if source != INIT && first_read[source as usize].1 as usize == i {
                let mut edge = |earliest: &Earliest| {
                    let other = |r: &&Read| r.source != source;
                    let target = earliest.first.as_ref().filter(other);
                    if let Some(read) = target.or(earliest.second.as_ref().filter(other)) {
                        forced.push(Forced::new(source, read));
                    }
                };
                ticker.tick(1 + problem.writes(source).len().min(keys.len()))?;
                let among = |key: usize| suffix[key].reader == reader;
                problem.common_keys(source, &keys, among, |key| edge(&suffix[key]));
            }
            let earliest = &mut suffix[read.key()];
            if earliest.reader != reader {
                *earliest = Earliest { reader, ..nobody };
                keys.push(read.key() as u32);
            }
            if earliest.first.is_none_or(|first| first.source != source) {
                earliest.second = earliest.first;
            }
            earliest.first = Some(read);
        }
    }
    Ok(())
}
