//! What one operation returns, once vectors and order are given.
//!
//! A [`World`] is a history together with a vector for some or all operations and the choice of
//! the uncertain updates that took place. Everything follows from a single relation, *o observes
//! p*: `p` is in the prefix that `o` has of `p`'s replica. The updates *visible* to `o` are those
//! it observes that took place.
//!
//! An operation can be asked as soon as its own vector is known. Whether the updates it sees
//! observed each other may then still be open; [`World::surely`] and [`World::possibly`] bound it
//! from both sides, and an answer is rejected only if no way to fill in the rest permits it. Once
//! all vectors are known both are [`World::observes`], and the answer is exact.
//!
//! Some types also need a total order, given as ranks: of writes by their place in `ops` (`lww`),
//! of elements by their place in `elements` (`rga`, where the rank of an element is that of its
//! insertion, and `list`). [`World::alone`] is what can be said without ranks, for types without
//! an order everything there is; [`World::ranked`] is the rest.

use std::cmp::Reverse;

use super::history::{Act, History, Kind, Lin};

/// A history and a guess at what its files do not say.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The history.
    pub history: &'a History,
    /// The vector of every operation, as far as it is known.
    pub sees: &'a [Vec<usize>],
    /// Whose vectors are known.
    pub known: &'a [bool],
    /// Which operations took place; only asked of updates.
    pub exists: &'a [bool],
}

impl<'a> World<'a> {
    /// Whether `p` is in the past of `o`, whose vector is known.
    pub fn observes(&self, o: usize, p: usize) -> bool {
        let past = &self.history.ops[p];
        past.index < self.sees[o][past.replica]
    }

    /// Whether `o` observes `p` whatever the unknown vectors are.
    pub fn surely(&self, o: usize, p: usize) -> bool {
        let (ops, known) = (&self.history.ops, self.known[o]);
        if known { self.observes(o, p) } else { ops[o].replica == ops[p].replica && p < o }
    }

    /// Whether `o` observes `p` for some choice of the unknown vectors.
    pub fn possibly(&self, o: usize, p: usize) -> bool {
        let (ops, known) = (&self.history.ops, self.known[o]);
        if known { self.observes(o, p) } else { ops[o].replica != ops[p].replica || p < o }
    }

    fn visible(self, o: usize) -> impl Iterator<Item = (usize, &'a Act)> {
        let seen = move |p: &usize| self.exists[*p] && self.observes(o, *p);
        self.history
            .updates
            .iter()
            .copied()
            .filter(seen)
            .map(move |p| (p, &self.history.ops[p].act))
    }

    /// Whether what `o` was told, and was able to do, agrees with its past for some order.
    pub fn alone(&self, o: usize) -> bool {
        match &self.history.ops[o].act {
            Act::Idle | Act::Turn { .. } | Act::Add { .. } | Act::Write { .. } => true,
            Act::IsOn { key, ret } => self.can_be(o, *key, *ret),
            Act::Elements { ret } => {
                let added =
                    self.history.updates.iter().filter_map(|&p| key_of(&self.history.ops[p].act));
                let mut mentioned =
                    added.chain(self.history.start.on.iter().copied()).chain(ret.iter().copied());
                let once = (1..ret.len()).all(|n| !ret[..n].contains(&ret[n]));
                once && mentioned.all(|key| self.can_be(o, key, ret.contains(&key)))
            }
            Act::Total { key, ret } => self.total(o, *key) == *ret,
            Act::Values { key, ret } => self.returns_values(o, *key, ret),
            Act::Value { key, ret } if self.history.lin == Lin::Timestamps => {
                let writes = self.writes(o, *key);
                let greatest = writes.iter().map(|write| write.ts).max();
                let mut last = writes.iter().filter(|write| Some(write.ts) == greatest);
                if writes.is_empty() {
                    self.initial(*key) == *ret
                } else {
                    last.any(|write| write.value == *ret)
                }
            }
            // A write that another visible one observed is never the last.
            Act::Value { key, ret } => {
                let writes = self.writes(o, *key);
                let mut fitting = writes.iter().filter(|write| write.value == *ret);
                let covered = |write: &VisibleWrite| {
                    writes.iter().any(|other| self.surely(other.op, write.op))
                };
                (writes.is_empty() && self.initial(*key) == *ret)
                    || fitting.any(|write| !covered(write))
            }
            Act::Listing { ret: None, .. } => false,
            Act::Listing { list, ret: Some(ret) } => {
                let alive = self.alive(o, *list);
                alive.len() == ret.len() && alive.iter().all(|element| ret.contains(element))
            }
            Act::Insert { .. } | Act::Erase { .. } if !self.exists[o] => true,
            Act::Insert { element } => match self.history.elements[*element].parent {
                None => true,
                Some(anchor) => {
                    let erased = self.history.strict_anchor && self.erased(o, anchor);
                    self.present(o, anchor) && !erased
                }
            },
            Act::Erase { element } => self.present(o, *element),
        }
    }

    /// Whether `o` agrees with the order given by the ranks. True for types that have none.
    pub fn ranked(&self, o: usize, rank: &[usize]) -> bool {
        match &self.history.ops[o].act {
            Act::Value { key, ret } if self.history.lin != Lin::Timestamps => {
                let writes = self.writes(o, *key);
                let last = writes.iter().max_by_key(|write| rank[write.op]);
                last.map_or(self.initial(*key), |write| write.value) == *ret
            }
            Act::Listing { list, ret } => ret.as_ref() == Some(&self.listing(o, *list, rank)),
            Act::Insert { element } if self.history.kind == Kind::List && self.exists[o] => {
                let new = rank[*element];
                let anchor = self.history.elements[*element].parent;
                // Directly after the anchor: nothing that can be seen lies between the two.
                let follows = anchor.is_none_or(|anchor| rank[anchor] < new);
                let beside = |&other: &usize| {
                    rank[other] > new || anchor.is_some_and(|anchor| rank[other] <= rank[anchor])
                };
                follows && self.alive(o, self.history.elements[*element].list).iter().all(beside)
            }
            _ => true,
        }
    }

    /// What has to be ranked before [`World::ranked`] can be asked about `o`: writes (`lww`) or
    /// elements.
    pub fn ranks_needed(&self, o: usize) -> Vec<usize> {
        let elements = |list: usize| {
            let mine =
                move |&e: &usize| self.history.elements[e].list == list && self.present(o, e);
            (0..self.history.elements.len()).filter(mine)
        };
        match &self.history.ops[o].act {
            Act::Value { key, .. } if self.history.lin != Lin::Timestamps => {
                self.writes(o, *key).iter().map(|write| write.op).collect()
            }
            Act::Listing { list, .. } => elements(*list).collect(),
            Act::Insert { element } if self.history.kind == Kind::List && self.exists[o] => {
                elements(self.history.elements[*element].list).chain([*element]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Sets and flags. What was on from the start is an add that everybody observed.
    ///
    /// Where adds win, `x` is in the set if some visible add of it is observed by no visible remove
    /// of it; where removes win, if there is an add, and every remove is observed by some add.
    fn can_be(&self, o: usize, key: usize, ret: bool) -> bool {
        let turns = |wanted: bool| {
            let fits =
                move |(p, act): (usize, &Act)| (*act == Act::Turn { key, on: wanted }).then_some(p);
            self.visible(o).filter_map(fits)
        };
        let initially = self.history.start.on.contains(&key);
        let (mut adds, mut removes) = (turns(true), turns(false));
        let adds_win = matches!(self.history.kind, Kind::AwSet | Kind::EwFlag);
        match (adds_win, ret) {
            (true, true) => {
                adds.any(|add| !turns(false).any(|remove| self.surely(remove, add)))
                    || (initially && removes.next().is_none())
            }
            (true, false) => {
                adds.all(|add| turns(false).any(|remove| self.possibly(remove, add)))
                    && (!initially || removes.next().is_some())
            }
            (false, true) => {
                (initially || adds.next().is_some())
                    && removes.all(|remove| turns(true).any(|add| self.possibly(add, remove)))
            }
            (false, false) => {
                (!initially && adds.next().is_none())
                    || removes.any(|remove| !turns(true).any(|add| self.surely(add, remove)))
            }
        }
    }

    fn total(&self, o: usize, key: usize) -> i128 {
        let amount = |(_, act): (usize, &Act)| match act {
            Act::Add { key: other, amount } if *other == key => Some(*amount),
            _ => None,
        };
        let start = self.history.start.totals.get(&key).copied().unwrap_or(0);
        self.visible(o).filter_map(amount).fold(start, i128::saturating_add)
    }

    /// The writes and deletes of a register that `o` can see.
    fn writes(&self, o: usize, key: usize) -> Vec<VisibleWrite> {
        let write = |(op, act): (usize, &Act)| match *act {
            Act::Write { key: other, value, ts } if other == key => {
                Some(VisibleWrite { op, value, ts })
            }
            _ => None,
        };
        self.visible(o).filter_map(write).collect()
    }

    /// The initial value of a last-writer-wins register.
    fn initial(&self, key: usize) -> Option<usize> {
        self.history.start.values.get(&key).and_then(|values| values.first().copied())
    }

    /// Whether the values of the maximal writes, those that no other visible write observed, can
    /// be `ret`. Of each value there must be a certain number of maximal writes: just as many as
    /// it is returned, or with sets, at least one or none.
    fn returns_values(&self, o: usize, key: usize, ret: &[usize]) -> bool {
        let writes = self.writes(o, key);
        let none = Vec::new();
        let initial = self.history.start.values.get(&key).unwrap_or(&none);
        let initial: &[usize] = if writes.is_empty() { initial } else { &[] };
        let count = |of: &[usize], value: usize| of.iter().filter(|&&other| other == value).count();
        let values = writes.iter().filter_map(|write| write.value);
        values.chain(initial.iter().copied()).chain(ret.iter().copied()).all(|value| {
            let of_value = || writes.iter().filter(|write| write.value == Some(value));
            let covered = |write: &VisibleWrite, by: &dyn Fn(usize, usize) -> bool| {
                writes.iter().any(|other| other.op != write.op && by(other.op, write.op))
            };
            let start = count(initial, value);
            let least =
                start + of_value().filter(|w| !covered(w, &|p, q| self.possibly(p, q))).count();
            let most =
                start + of_value().filter(|w| !covered(w, &|p, q| self.surely(p, q))).count();
            match count(ret, value) {
                wanted if self.history.multiset => (least..=most).contains(&wanted),
                0 => least == 0,
                _ => most > 0,
            }
        })
    }

    /// Whether the insertion of an element is visible.
    fn present(&self, o: usize, element: usize) -> bool {
        self.history.elements[element]
            .add
            .is_none_or(|add| self.exists[add] && self.observes(o, add))
    }

    /// Whether some removal of an element is visible.
    fn erased(&self, o: usize, element: usize) -> bool {
        self.visible(o).any(|(_, act)| *act == Act::Erase { element })
    }

    /// The elements of a list that `o` can see and that it does not know to be removed.
    fn alive(&self, o: usize, list: usize) -> Vec<usize> {
        let mine = |&e: &usize| {
            self.history.elements[e].list == list && self.present(o, e) && !self.erased(o, e)
        };
        (0..self.history.elements.len()).filter(mine).collect()
    }

    /// The list as `o` sees it.
    fn listing(&self, o: usize, list: usize, rank: &[usize]) -> Vec<usize> {
        let mut alive = self.alive(o, list);
        if self.history.kind == Kind::List {
            alive.sort_by_key(|&element| rank[element]);
            return alive;
        }
        // Depth first through all that was ever added; of siblings the last in lin comes first.
        let children = |parent: Option<usize>| {
            let mine = |&e: &usize| {
                let element = &self.history.elements[e];
                element.list == list && element.parent == parent && self.present(o, e)
            };
            let mut found: Vec<usize> = (0..self.history.elements.len()).filter(mine).collect();
            found.sort_by_key(|&element| Reverse(rank[element]));
            found
        };
        let mut walk = Vec::new();
        let mut waiting = children(None);
        waiting.reverse();
        while let Some(element) = waiting.pop() {
            walk.push(element);
            waiting.extend(children(Some(element)).into_iter().rev());
        }
        walk.retain(|element| alive.contains(element));
        walk
    }
}

/// A write or delete that an operation can see.
struct VisibleWrite {
    op: usize,
    value: Option<usize>,
    ts: i128,
}

fn key_of(act: &Act) -> Option<usize> {
    match act {
        Act::Turn { key, .. } => Some(*key),
        _ => None,
    }
}
