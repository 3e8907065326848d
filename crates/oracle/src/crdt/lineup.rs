//! All total orders: of the writes (`lww`), the insertions (`rga`) or the elements (`list`).
//!
//! An order is built from its first item on. An item may come next when everything that must
//! precede it is placed: what happened before it (`lww`, `rga`), or the initial elements before it
//! in their list. An operation is asked as soon as all it needs to know is ranked: the order of
//! what is visible to it is then settled, and nothing that comes later can change its answer.

use std::collections::BTreeMap;

use super::history::{Act, Kind, Lin};
use super::world::World;

/// Looks for an order with which all operations of known vectors agree, and leaves it in `rank`.
///
/// Of an update whose vector is not known yet, only what came before it on its replica must
/// precede it.
pub fn line_up(world: World<'_>, rank: &mut [usize]) -> bool {
    groups(world).into_values().all(|items| {
        let mask = |of: &[usize]| {
            let bits = items.iter().enumerate().filter(|(_, item)| of.contains(item));
            bits.fold(0u64, |mask, (n, _)| mask | 1 << n)
        };
        let before = items.iter().map(|&late| {
            let early: Vec<usize> =
                items.iter().copied().filter(|&early| precedes(world, early, late)).collect();
            mask(&early)
        });
        let asked = (0..world.known.len()).filter(|&o| world.known[o]);
        let questions = asked.map(|o| (mask(&world.ranks_needed(o)), o));
        let lineup = Lineup {
            world,
            before: before.collect(),
            questions: questions.filter(|(needs, _)| *needs != 0).collect(),
            items: &items,
        };
        lineup.place(0, 0, rank)
    })
}

/// The items of each order: one order over everything, or one a key or list.
fn groups(world: World<'_>) -> BTreeMap<usize, Vec<usize>> {
    let history = world.history;
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let took_place = |op: usize| world.exists[op];
    match (history.kind, history.lin) {
        (Kind::Lww, Lin::Global | Lin::PerKey) => {
            for &op in history.updates.iter().filter(|&&op| took_place(op)) {
                if let Act::Write { key, .. } = history.ops[op].act {
                    let group = if history.lin == Lin::PerKey { key } else { 0 };
                    groups.entry(group).or_default().push(op);
                }
            }
        }
        (Kind::Rga | Kind::List, _) => {
            let apart = history.kind == Kind::List || history.lin == Lin::PerKey;
            for (e, element) in history.elements.iter().enumerate() {
                if element.add.is_none_or(took_place) {
                    groups.entry(if apart { element.list } else { 0 }).or_default().push(e);
                }
            }
        }
        _ => {}
    }
    groups
}

/// Whether one item must come before the other in every order.
fn precedes(world: World<'_>, early: usize, late: usize) -> bool {
    if world.history.kind == Kind::Lww {
        return world.surely(late, early);
    }
    let elements = &world.history.elements;
    match (elements[early].add, elements[late].add) {
        (None, None) => early < late,
        (None, Some(_)) => world.history.kind == Kind::Rga,
        (Some(early), Some(late)) => world.history.kind == Kind::Rga && world.surely(late, early),
        (Some(_), None) => false,
    }
}

struct Lineup<'a> {
    world: World<'a>,
    items: &'a [usize],
    /// For each item the set of items that must be placed before it.
    before: Vec<u64>,
    /// Operations, each with the set of items that must be ranked before it can be asked.
    questions: Vec<(u64, usize)>,
}

impl Lineup<'_> {
    fn place(&self, placed: u64, count: usize, rank: &mut [usize]) -> bool {
        if count == self.items.len() {
            return true;
        }
        for (n, &item) in self.items.iter().enumerate() {
            let with = placed | 1 << n;
            if with == placed || self.before[n] & !placed != 0 {
                continue;
            }
            rank[item] = count;
            let settled = |needs: u64| needs & !with == 0 && needs & 1 << n != 0;
            let mut asked = self.questions.iter().filter(|(needs, _)| settled(*needs));
            if asked.all(|&(_, o)| self.world.ranked(o, rank)) && self.place(with, count + 1, rank)
            {
                return true;
            }
        }
        false
    }
}
