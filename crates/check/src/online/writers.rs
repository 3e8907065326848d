//! For every key, its writers by line, in order. A *line* is whatever orders them: a session for read
//! atomic, a chain for causal consistency.

use crate::problem::Node;

/// The writers of one key on one line, as (place, node), ascending.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) line: u32,
    writers: Vec<(u32, Node)>,
}

impl Group {
    /// The last writer before this place.
    #[inline]
    pub(super) fn last_before(&self, place: u32) -> Option<(u32, Node)> {
        /// Most ask about the last few.
        const NEAR: usize = 4;
        let near = self.writers.iter().rev().take(NEAR).find(|w| w.0 < place);
        near.copied().or_else(|| {
            let end = self.writers.partition_point(|w| w.0 < place);
            end.checked_sub(1).map(|at| self.writers[at])
        })
    }
}

/// See the [module docs](self).
#[derive(Debug, Default)]
pub(super) struct Writers {
    /// By key; the groups of a key ascend by line.
    groups: Vec<Vec<Group>>,
}

impl Writers {
    pub(super) fn add(&mut self, key: u32, line: u32, place: u32, node: Node) {
        if self.groups.len() <= key as usize {
            self.groups.resize_with(key as usize + 1, Vec::new);
        }
        let groups = &mut self.groups[key as usize];
        match groups.binary_search_by_key(&line, |g| g.line) {
            Ok(at) => {
                let writers = &mut groups[at].writers;
                let at = match writers.last() {
                    Some(&(last, _)) if last > place => writers.partition_point(|w| w.0 < place),
                    _ => writers.len(),
                };
                writers.insert(at, (place, node));
            }
            Err(at) => groups.insert(at, Group { line, writers: vec![(place, node)] }),
        }
    }

    /// The writers of a key, by line.
    #[inline]
    pub(super) fn of(&self, key: u32) -> &[Group] {
        self.groups.get(key as usize).map_or(&[], Vec::as_slice)
    }

    /// The last writer of a key on a line before a place.
    pub(super) fn last_on(&self, key: u32, line: u32, place: u32) -> Option<Node> {
        let groups = self.of(key);
        let at = groups.binary_search_by_key(&line, |g| g.line).ok()?;
        groups[at].last_before(place).map(|(_, node)| node)
    }
}
