//! The writers of each key in an order of all transactions.

use crate::problem::{INIT, Node, Problem};

/// See the [module docs](self).
pub(crate) struct InOrder {
    /// The writers, key after key, and where each key's begin.
    writers: Vec<Node>,
    first: Vec<u32>,
    /// Where each version, as the writes are numbered, is among them.
    at: Vec<u32>,
}

impl InOrder {
    pub(crate) fn new(problem: &Problem<'_>, order: &[Node]) -> InOrder {
        let mut first = vec![0u32; problem.num_keys() + 1];
        for version in 0..problem.num_writes() {
            first[problem.write_at(version) + 1] += 1;
        }
        for key in 1..first.len() {
            first[key] += first[key - 1];
        }
        let mut next = first.clone();
        let mut writers = vec![INIT; problem.num_writes()];
        let mut at = vec![0; problem.num_writes()];
        for &node in order {
            for (i, &key) in problem.writes(node).iter().enumerate() {
                let slot = &mut next[key as usize];
                writers[*slot as usize] = node;
                at[problem.first_write(node) + i] = *slot;
                *slot += 1;
            }
        }
        InOrder { writers, first, at }
    }

    /// The writers of a key after the version of one of them, or after the initial one.
    pub(crate) fn after(&self, problem: &Problem<'_>, source: Node, key: usize) -> &[Node] {
        let begin = match problem.version(source, key) {
            Some(version) => self.at[version] + 1,
            None => self.first[key],
        };
        &self.writers[begin as usize..self.first[key + 1] as usize]
    }
}
