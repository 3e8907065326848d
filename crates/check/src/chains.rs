//! Chains: a cover of the transactions by paths of `so ∪ wr`, so that the past of a transaction is one
//! number per chain (a vector clock).
//!
//! Sessions are such paths. Where there are very many, a greedy cover that also follows `wr` is often
//! far smaller (a thousand sessions of one transaction each, all incrementing one counter, are one
//! chain).

use std::ops::Range;

use crate::problem::{INIT, Node, Problem};

/// Past this many sessions the greedy cover is tried.
const MANY_SESSIONS: usize = 512;

/// See the [module docs](self).
#[derive(Debug)]
pub(crate) struct Chains {
    /// The chain of each node; init has none.
    pub(crate) chain: Vec<u32>,
    /// The place of each node in its chain, from 0.
    pub(crate) place: Vec<u32>,
    pub(crate) count: usize,
}

impl Chains {
    /// A cover of the problem; `order` is a topological order of `so ∪ wr`.
    pub(crate) fn of(problem: &Problem<'_>, order: &[Node]) -> Chains {
        let sessions = Chains::sessions(problem);
        if problem.num_sessions <= MANY_SESSIONS {
            return sessions;
        }
        let greedy = Chains::greedy(problem, order);
        if greedy.count < sessions.count { greedy } else { sessions }
    }

    /// The sessions as chains.
    pub(crate) fn sessions(problem: &Problem<'_>) -> Chains {
        Chains {
            chain: problem.session.clone(),
            place: problem.place.clone(),
            count: problem.num_sessions,
        }
    }

    fn greedy(problem: &Problem<'_>, order: &[Node]) -> Chains {
        let (mut chain, mut place) = (vec![u32::MAX; problem.len()], vec![0; problem.len()]);
        let mut tails: Vec<Node> = Vec::new();
        for &node in order.iter().filter(|&&n| n != INIT) {
            let sources = problem.reads(node).iter().map(|r| r.source);
            let before = std::iter::once(problem.prev[node as usize]).chain(sources);
            let is_tail = |&p: &Node| p != INIT && tails[chain[p as usize] as usize] == p;
            let before = before.into_iter().find(is_tail);
            match before {
                Some(tail) => {
                    let on = chain[tail as usize];
                    chain[node as usize] = on;
                    place[node as usize] = place[tail as usize] + 1;
                    tails[on as usize] = node;
                }
                None => {
                    chain[node as usize] = tails.len() as u32;
                    tails.push(node);
                }
            }
        }
        Chains { chain, place, count: tails.len() }
    }
}

/// The writers of one key on one chain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) chain: u32,
    begin: u32,
    end: u32,
}

/// For every key, its writers grouped by chain, in chain order.
#[derive(Debug)]
pub(crate) struct WritersByChain {
    group_start: Vec<u32>,
    groups: Vec<Group>,
    place: Vec<u32>,
    node: Vec<Node>,
    /// For each group, where the last search ended; the next one is likely to end nearby.
    finger: Vec<u32>,
    /// For each key, where its selected groups begin and end.
    selected: Vec<(u32, u32)>,
}

impl WritersByChain {
    pub(crate) fn new(problem: &Problem<'_>, chains: &Chains) -> WritersByChain {
        let mut by_chain: Vec<Node> = vec![INIT; problem.len() - 1];
        let mut start = vec![0u32; chains.count + 1];
        for node in 1..problem.len() {
            start[chains.chain[node] as usize + 1] += 1;
        }
        for c in 1..start.len() {
            start[c] += start[c - 1];
        }
        for node in 1..problem.len() {
            let at = start[chains.chain[node] as usize] + chains.place[node];
            by_chain[at as usize] = node as u32;
        }
        let mut key_start = vec![0u32; problem.num_keys() + 1];
        for node in 1..problem.len() as Node {
            for &key in problem.writes(node) {
                key_start[key as usize + 1] += 1;
            }
        }
        for k in 1..key_start.len() {
            key_start[k] += key_start[k - 1];
        }
        let mut node = vec![INIT; problem.num_writes()];
        let mut next = key_start.clone();
        for &writer in &by_chain {
            for &key in problem.writes(writer) {
                node[next[key as usize] as usize] = writer;
                next[key as usize] += 1;
            }
        }
        drop((by_chain, next));
        let place: Vec<u32> = node.iter().map(|&n| chains.place[n as usize]).collect();
        let mut groups: Vec<Group> = Vec::new();
        let mut group_start = Vec::with_capacity(problem.num_keys() + 1);
        for key in 0..problem.num_keys() {
            group_start.push(groups.len() as u32);
            let first_group = groups.len();
            for at in key_start[key]..key_start[key + 1] {
                let chain = chains.chain[node[at as usize] as usize];
                match groups[first_group..].last_mut() {
                    Some(group) if group.chain == chain => group.end = at + 1,
                    _ => groups.push(Group { chain, begin: at, end: at + 1 }),
                }
            }
        }
        group_start.push(groups.len() as u32);
        let finger = groups.iter().map(|g| g.begin).collect();
        let selected = group_start[..problem.num_keys()].iter().map(|&at| (at, at)).collect();
        WritersByChain { group_start, groups, place, node, finger, selected }
    }

    /// The groups of a key.
    #[inline]
    pub(crate) fn groups(&self, key: usize) -> &[Group] {
        &self.groups[self.group_start[key] as usize..self.group_start[key + 1] as usize]
    }

    /// The writers of a group, in chain order.
    pub(crate) fn members(&self, group: Group) -> &[Node] {
        &self.node[group.begin as usize..group.end as usize]
    }

    /// Calls `found` with the last writer of `key` on each chain whose place is in the range that
    /// `range` gives for the chain.
    #[inline]
    pub(crate) fn last_of_each(
        &mut self,
        key: usize,
        range: impl Fn(u32) -> (u32, u32),
        found: impl FnMut(Node),
    ) {
        self.last_of(self.group_start[key]..self.group_start[key + 1], range, found);
    }

    /// Selects the groups after those selected before, up to those of the chain `below`.
    pub(crate) fn select(&mut self, below: u32) {
        for (key, (begin, end)) in self.selected.iter_mut().enumerate() {
            *begin = *end;
            let rest = &self.groups[*end as usize..self.group_start[key + 1] as usize];
            *end += rest.iter().take_while(|group| group.chain < below).count() as u32;
        }
    }

    /// As [`WritersByChain::last_of_each`], for the selected groups; returns how many there are.
    #[inline]
    pub(crate) fn last_of_each_selected(
        &mut self,
        key: usize,
        range: impl Fn(u32) -> (u32, u32),
        found: impl FnMut(Node),
    ) -> usize {
        let (begin, end) = self.selected[key];
        self.last_of(begin..end, range, found);
        (end - begin) as usize
    }

    #[inline]
    fn last_of(
        &mut self,
        groups: Range<u32>,
        range: impl Fn(u32) -> (u32, u32),
        mut found: impl FnMut(Node),
    ) {
        for at in groups.start as usize..groups.end as usize {
            let group = self.groups[at];
            let (from, below) = range(group.chain);
            if from >= below {
                continue;
            }
            let end = self.place_end(group, self.finger[at], below);
            self.finger[at] = end;
            if end > group.begin && self.place[end as usize - 1] >= from {
                found(self.node[end as usize - 1]);
            }
        }
    }

    /// The end of the writers of a group whose place is below `below`, looking near `finger` first.
    #[inline]
    fn place_end(&self, group: Group, finger: u32, below: u32) -> u32 {
        const NEAR: u32 = 4;
        let mut end = finger;
        for _ in 0..NEAR {
            if end > group.begin && self.place[end as usize - 1] >= below {
                end -= 1;
            } else if end < group.end && self.place[end as usize] < below {
                end += 1;
            } else {
                return end;
            }
        }
        let places = &self.place[group.begin as usize..group.end as usize];
        group.begin + places.partition_point(|&p| p < below) as u32
    }
}
