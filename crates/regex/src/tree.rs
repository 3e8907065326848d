//! What a parsed pattern is made of: expressions, which say what matches, and nodes, which say how a match
//! is divided among groups.
//!
//! Most of a pattern needs no dividing. `ab*(c|d)e` is one expression of five atoms, but its nodes are
//! only three: `ab*`, the group, and `e`. Both live in vectors and know each other by number, so that a
//! deep pattern is dropped without recursion.

use crate::set::CharSet;

/// The number of an expression in a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExprId(pub(crate) u32);

/// The number of a node in a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(pub(crate) u32);

/// A condition on a place between characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assert {
    TextStart,
    TextEnd,
    /// Also after and before a newline.
    LineStart,
    LineEnd,
    WordStart,
    WordEnd,
    WordEdge,
    NotWordEdge,
}

/// Which strings match.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Empty,
    /// One character of a set, by the set's number.
    Set(u32),
    Assert(Assert),
    /// A look-around, by number.
    Look(u32),
    Concat(Vec<ExprId>),
    Either(Vec<ExprId>),
    Repeat {
        inner: ExprId,
        min: u32,
        max: Option<u32>,
    },
    /// The same without its conditions: what a back reference may at best be.
    Relaxed(ExprId),
}

/// A condition on what is before or behind a place, which matches no characters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) ahead: bool,
    pub(crate) positive: bool,
    pub(crate) expr: ExprId,
}

/// What is known of a part of a pattern: what it prefers, and what is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits(u8);

impl Traits {
    pub(crate) const NONE: Traits = Traits(0);
    pub(crate) const LONGER: Traits = Traits(1);
    pub(crate) const SHORTER: Traits = Traits(2);
    /// Parts of it disagree on what they prefer.
    pub(crate) const MIXED: Traits = Traits(4);
    pub(crate) const CAPTURES: Traits = Traits(8);
    pub(crate) const REFERS: Traits = Traits(16);

    pub(crate) fn has(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn with(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    /// What it prefers alone.
    pub(crate) fn preference(self) -> Traits {
        Traits(self.0 & 3)
    }

    /// What whoever contains it has to know.
    pub(crate) fn outward(self) -> Traits {
        let mixed = if self.0 & 3 == 3 { Traits::MIXED.0 } else { 0 };
        Traits(self.0 & !3 | mixed)
    }

    /// Whether it has to be divided.
    pub(crate) fn is_messy(self) -> bool {
        self.has(Traits(4 | 8 | 16))
    }

    /// Of two parts in a row: the first preference counts.
    pub(crate) fn then(self, next: Traits) -> Traits {
        let first = self.preference();
        let preference = if first == Traits::NONE { next.preference() } else { first };
        self.with(next).outward().with(preference)
    }

    pub(crate) fn is_shorter(self) -> bool {
        self.has(Traits::SHORTER)
    }
}

/// How a match is divided.
#[derive(Clone, Debug)]
pub(crate) enum Division {
    /// Not at all.
    Leaf,
    /// The text of a group, so many times.
    Reference {
        group: u32,
        min: u32,
        max: Option<u32>,
    },
    Concat(NodeId, NodeId),
    Either(Vec<NodeId>),
    Repeat {
        inner: NodeId,
        min: u32,
        max: Option<u32>,
    },
    /// Another group with the same bounds.
    Group(NodeId),
}

/// A part of a pattern that groups depend on.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) division: Division,
    pub(crate) traits: Traits,
    /// The group it is, or 0.
    pub(crate) group: u32,
    /// The groups in it: from the first, to before the last.
    pub(crate) groups: (u32, u32),
    pub(crate) expr: ExprId,
}

/// A parsed pattern.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) exprs: Vec<Expr>,
    /// How many states each expression takes.
    sizes: Vec<u32>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) looks: Vec<Look>,
    pub(crate) sets: Vec<CharSet>,
}

impl Tree {
    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn size(&self, id: ExprId) -> u32 {
        self.sizes[id.0 as usize]
    }

    pub(crate) fn add(&mut self, expr: Expr) -> ExprId {
        let sum = |ids: &[ExprId]| ids.iter().fold(0u32, |n, &id| n.saturating_add(self.size(id)));
        let size = match &expr {
            Expr::Empty => 0,
            Expr::Set(_) | Expr::Assert(_) | Expr::Look(_) => 1,
            Expr::Concat(parts) => sum(parts),
            Expr::Either(parts) => sum(parts).saturating_add(parts.len() as u32),
            Expr::Relaxed(inner) => self.size(*inner),
            Expr::Repeat { inner, min, max } => {
                let times = max.unwrap_or(min + 1);
                let splits = times - min;
                self.size(*inner).saturating_mul(times).saturating_add(splits)
            }
        };
        self.exprs.push(expr);
        self.sizes.push(size);
        ExprId(self.exprs.len() as u32 - 1)
    }

    pub(crate) fn concat(&mut self, mut parts: Vec<ExprId>) -> ExprId {
        match parts.len() {
            0 => self.add(Expr::Empty),
            1 => parts.remove(0),
            _ => self.add(Expr::Concat(parts)),
        }
    }

    pub(crate) fn repeat(&mut self, inner: ExprId, min: u32, max: Option<u32>) -> ExprId {
        match (min, max) {
            (0, Some(0)) => self.add(Expr::Empty),
            (1, Some(1)) => inner,
            _ => self.add(Expr::Repeat { inner, min, max }),
        }
    }

    pub(crate) fn set(&mut self, set: CharSet) -> ExprId {
        let known = self.sets.iter().position(|other| *other == set);
        let number = known.unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        });
        self.add(Expr::Set(number as u32))
    }

    pub(crate) fn add_node(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }
}
