//! Read atomic in O(n √n).
//!
//! A transaction that reads from t2, or follows it in its session, sees all that t2 wrote:
//!
//! ```text
//! t2 --so or wr--> t3: r(x)<-t1      t2 writes x too, so t2 must commit before t1.
//! ```
//!
//! Of the writers of x earlier in the session only the last matters. For the sources of t3 we look
//! for the keys t2 writes among those t3 reads, from the smaller side. See [Biswas 2019, section 3].

use hobgoblin_core::StopReason;

use crate::forced::Forced;
use crate::limits::Ticker;
use crate::problem::{INIT, Node, Problem, Read};

/// Two reads of one key by one reader, from different sources where there are such.
#[derive(Clone, Copy)]
struct Sources {
    reader: Node,
    one: Option<Read>,
    other: Option<Read>,
}

/// Adds the edges that read atomic forces, for the readers to which it `applies`.
pub(crate) fn force(
    problem: &Problem<'_>,
    applies: impl Fn(Node) -> bool,
    ticker: &mut Ticker<'_>,
    forced: &mut Vec<Forced>,
) -> Result<(), StopReason> {
    force_session(problem, &applies, ticker, forced)?;
    let nobody = Sources { reader: INIT, one: None, other: None };
    let mut read_by = vec![nobody; problem.num_keys()];
    let mut keys: Vec<u32> = Vec::new();
    let mut seen_by = vec![INIT; problem.len()];
    for reader in 1..problem.len() as Node {
        let reads = problem.reads(reader);
        if reads.len() < 2 || !applies(reader) {
            continue;
        }
        keys.clear();
        for &read in reads.iter().filter(|r| r.obeys_axiom()) {
            let sources = &mut read_by[read.key()];
            if sources.reader != reader {
                *sources = Sources { reader, one: Some(read), other: None };
                keys.push(read.key() as u32);
            } else if sources.one.is_some_and(|one| one.source != read.source) {
                sources.other = Some(read);
            }
        }
        for read in reads.iter().filter(|r| r.obeys_axiom()) {
            let source = read.source;
            if source == INIT || seen_by[source as usize] == reader {
                continue;
            }
            seen_by[source as usize] = reader;
            let mut edge = |sources: &Sources| {
                let different = |r: &&Read| r.source != source;
                for read in [&sources.one, &sources.other].into_iter().flatten().filter(different) {
                    forced.push(Forced::new(source, read));
                }
            };
            ticker.tick(1 + problem.writes(source).len().min(keys.len()))?;
            let among = |key: usize| read_by[key].reader == reader;
            problem.common_keys(source, &keys, among, |key| edge(&read_by[key]));
        }
    }
    Ok(())
}

/// The part of session order: the last writer of each key earlier in the session.
fn force_session(
    problem: &Problem<'_>,
    applies: impl Fn(Node) -> bool,
    ticker: &mut Ticker<'_>,
    forced: &mut Vec<Forced>,
) -> Result<(), StopReason> {
    let mut sessions: Vec<Vec<Node>> = vec![Vec::new(); problem.num_sessions];
    for node in 1..problem.len() as Node {
        sessions[problem.session[node as usize] as usize].push(node);
    }
    // The last writer of each key, and the session it was seen in.
    let mut last = vec![(u32::MAX, INIT); problem.num_keys()];
    for (session, nodes) in sessions.iter().enumerate() {
        for &node in nodes {
            if applies(node) {
                for read in problem.reads(node).iter().filter(|r| r.obeys_axiom()) {
                    let (in_session, writer) = last[read.key()];
                    if in_session == session as u32 && writer != read.source {
                        forced.push(Forced::new(writer, read));
                    }
                }
            }
            ticker.tick(problem.reads(node).len() + problem.writes(node).len())?;
            for &key in problem.writes(node) {
                last[key as usize] = (session as u32, node);
            }
        }
    }
    Ok(())
}
