//! Layer by layer through the states of a program.

use hobgoblin_core::Value;

use super::versions::Versions;
use super::world::{Ended, Numbered, World};
use crate::error::ExploreError;

/// What a history leaves to its future.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State<V> {
    /// How many transactions of each session ended.
    done: Vec<u8>,
    /// What each session told.
    told: Vec<u32>,
    versions: V,
}

/// How a state was reached first.
struct Link {
    from: u32,
    step: Step,
}

/// A transaction, and whom its reads read from.
#[derive(Clone)]
pub(super) struct Step {
    pub(super) txn: u8,
    pub(super) sources: Box<[u8]>,
}

/// Whoever is told of ends, and asked whether to go on.
pub(super) trait Listener {
    /// An end state, and the steps of its witness. False stops the search.
    fn end(&mut self, witness: &[Step]) -> Result<bool, ExploreError>;

    /// A transaction was run in all its ways. False stops the search.
    fn ran(&mut self) -> bool;
}

/// Finds every end state once, from the versions that a program begins with. False when it was stopped.
pub(super) fn search<V: Versions>(
    world: &mut World<'_>,
    versions: V,
    listener: &mut impl Listener,
) -> Result<bool, ExploreError> {
    let count = world.sessions.len();
    let told = (0..count).map(|session| world.untold(session)).collect();
    let mut layer = vec![(State { done: vec![0; count], told, versions }, u32::MAX)];
    let mut links: Vec<Link> = Vec::new();
    let total: usize = world.sessions.iter().map(Vec::len).sum();
    for _ in 0..total {
        let (mut next, first) = (Numbered::new(), links.len() as u32);
        for (state, from) in layer {
            for session in 0..count {
                let Some(&txn) = world.sessions[session].get(usize::from(state.done[session]))
                else {
                    continue;
                };
                if !listener.ran() {
                    return Ok(false);
                }
                for ended in world.run(txn, state.told[session], &state.versions)? {
                    let Ended { versions, sources, told } = ended;
                    let mut after =
                        State { done: state.done.clone(), told: state.told.clone(), versions };
                    after.done[session] += 1;
                    after.told[session] = told;
                    after.versions.forget(&world.rest(&after.done));
                    if next.insert(after).1 {
                        links.push(Link { from, step: Step { txn, sources } });
                    }
                }
            }
        }
        layer = next.items.into_iter().zip(first..).collect();
    }
    ends(world, &links, layer, listener)
}

/// Tells of each end state once.
fn ends<V: Versions>(
    world: &mut World<'_>,
    links: &[Link],
    layer: Vec<(State<V>, u32)>,
    listener: &mut impl Listener,
) -> Result<bool, ExploreError> {
    let mut known: Numbered<(Vec<u32>, Vec<Value>)> = Numbered::new();
    for (State { told, versions, .. }, from) in layer {
        let looks = match world.observer {
            None => vec![(None, Vec::new())],
            Some(txn) => {
                let looks = world.look(txn, &versions)?.into_iter();
                looks.map(|look| (Some(Step { txn, sources: look.sources }), look.held)).collect()
            }
        };
        for (last, held) in looks {
            if !known.insert((told.clone(), held)).1 {
                continue;
            }
            let mut witness: Vec<Step> = last.into_iter().collect();
            let mut at = from;
            while let Some(link) = links.get(at as usize) {
                witness.push(link.step.clone());
                at = link.from;
            }
            witness.reverse();
            if !listener.end(&witness)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
