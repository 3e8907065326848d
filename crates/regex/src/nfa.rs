//! Expressions to nondeterministic automata, as Thompson builds them.

use crate::tree::{Assert, Expr, ExprId, Tree};

/// A state of an automaton, and where it leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    /// Takes a character of a set.
    Set(u32, u32),
    Split(u32, u32),
    Assert(Assert, u32),
    Look(u32, u32),
    Accept,
}

/// An automaton. State 0 accepts.
#[derive(Debug)]
pub(crate) struct Nfa {
    pub(crate) states: Vec<State>,
    pub(crate) start: u32,
    /// Whether it has conditions on characters around a place.
    pub(crate) asserts: bool,
}

pub(crate) fn build(tree: &Tree, expr: ExprId) -> Nfa {
    let size = tree.size(expr) as usize + 1;
    let mut builder =
        Builder { tree, states: Vec::with_capacity(size), asserts: false, relaxed: false };
    builder.states.push(State::Accept);
    let start = builder.expr(expr, 0);
    Nfa { states: builder.states, start, asserts: builder.asserts }
}

struct Builder<'a> {
    tree: &'a Tree,
    states: Vec<State>,
    asserts: bool,
    /// Whether conditions are left out.
    relaxed: bool,
}

impl Builder<'_> {
    fn push(&mut self, state: State) -> u32 {
        self.states.push(state);
        self.states.len() as u32 - 1
    }

    /// States for an expression that is followed by a state; the first of them.
    fn expr(&mut self, id: ExprId, next: u32) -> u32 {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.parts(id, next))
    }

    fn parts(&mut self, id: ExprId, next: u32) -> u32 {
        let tree = self.tree;
        match tree.expr(id) {
            Expr::Empty => next,
            Expr::Set(set) => self.push(State::Set(*set, next)),
            Expr::Assert(_) | Expr::Look(_) if self.relaxed => next,
            Expr::Assert(assert) => {
                self.asserts = true;
                self.push(State::Assert(*assert, next))
            }
            Expr::Look(look) => self.push(State::Look(*look, next)),
            Expr::Concat(parts) => {
                parts.iter().rev().fold(next, |next, &part| self.expr(part, next))
            }
            Expr::Either(parts) => {
                let mut starts =
                    parts.iter().map(|&part| self.expr(part, next)).collect::<Vec<_>>();
                let last = starts.pop().unwrap_or(next);
                starts.into_iter().rev().fold(last, |rest, one| self.push(State::Split(one, rest)))
            }
            Expr::Relaxed(inner) => {
                let before = std::mem::replace(&mut self.relaxed, true);
                let start = self.expr(*inner, next);
                self.relaxed = before;
                start
            }
            Expr::Repeat { inner, min, max } => {
                let mut start = next;
                if let Some(max) = max {
                    for _ in *min..*max {
                        let once = self.expr(*inner, start);
                        start = self.push(State::Split(once, next));
                    }
                } else {
                    let again = self.push(State::Split(0, next));
                    let once = self.expr(*inner, again);
                    self.states[again as usize] = State::Split(once, next);
                    start = again;
                }
                (0..*min).fold(start, |next, _| self.expr(*inner, next))
            }
        }
    }
}
