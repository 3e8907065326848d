//! A deterministic automaton over an [`Nfa`], made as far as texts need it.
//!
//! A state is the set of places in the pattern where a match may be before the next character is seen.
//! What conditions allow depends on the characters on both sides of a place, so a transition first goes
//! through conditions, with the next character known, and then takes that character. It also tells
//! whether a match may end before that character. The end of the text counts as a colour of its own.
//!
//! Look-arounds depend on more than that: states that meet one are worked out every time.

use std::collections::HashMap;

use crate::colors::{Colors, Kind};
use crate::error::Interrupted;
use crate::nfa::{Nfa, State};
use crate::tree::Assert;

/// A transition: a state, or that there is none yet, with marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step(u32);

impl Step {
    pub(crate) const UNKNOWN: Step = Step(u32::MAX);
    const ACCEPTS: u32 = 1 << 31;
    const QUIET: u32 = 1 << 30;

    /// Whether a match may end before the character.
    pub(crate) fn accepts(self) -> bool {
        self.0 & Step::ACCEPTS != 0
    }

    /// Whether a search is then as if it had just begun.
    pub(crate) fn is_quiet(self) -> bool {
        self.0 & Step::QUIET != 0
    }

    /// Where it leads.
    pub(crate) fn state(self) -> u32 {
        self.0 & !(Step::ACCEPTS | Step::QUIET)
    }
}

/// The state from which nothing matches.
pub(crate) const DEAD: u32 = 0;

/// How much memory an automaton takes before it forgets its states, in words of four bytes.
const KEPT: usize = 1 << 18;

type Key = (Box<[u32]>, Kind);

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Dfa {
    nfa: Nfa,
    /// Whether a match may begin at any place.
    search: bool,
    states: Vec<Key>,
    /// States by what they are. Their numbers are places in `steps`.
    numbers: HashMap<Key, u32>,
    steps: Vec<Step>,
    width: usize,
    /// How much memory the states take.
    weight: usize,
    /// How often all states were forgotten.
    forgotten: u32,
    starts: [Option<u32>; 4],
    /// Work space: the states met, and marks of them.
    met: Vec<u32>,
    marks: Vec<u32>,
    mark: u32,
}

/// What surrounds a place, and the look-arounds there.
pub(crate) trait Around {
    /// Counts work; fails if it is to end.
    fn tick(&mut self, steps: u32) -> Result<(), Interrupted>;
    /// Whether a look-around holds at a place.
    fn look(&mut self, look: u32, at: usize) -> Result<bool, Interrupted>;
}

impl Dfa {
    pub(crate) fn new(mut nfa: Nfa, search: bool, colors: &Colors) -> Dfa {
        if search {
            // A state to which no other leads: who is there has not begun a match.
            nfa.states.push(State::Split(nfa.start, nfa.start));
            nfa.start = nfa.states.len() as u32 - 1;
        }
        let marks = vec![0; nfa.states.len()];
        let mut dfa = Dfa {
            nfa,
            search,
            states: Vec::new(),
            numbers: HashMap::new(),
            steps: Vec::new(),
            width: colors.count() + 1,
            weight: 0,
            forgotten: 0,
            starts: [None; 4],
            met: Vec::new(),
            marks,
            mark: 0,
        };
        dfa.forget();
        dfa
    }

    fn forget(&mut self) {
        self.states.clear();
        self.numbers.clear();
        self.steps.clear();
        self.weight = 0;
        self.forgotten += 1;
        self.starts = [None; 4];
        self.intern(Box::default(), Kind::Other);
    }

    fn intern(&mut self, places: Box<[u32]>, before: Kind) -> u32 {
        let before = if self.nfa.asserts { before } else { Kind::Other };
        let key = (places, before);
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        if self.weight > KEPT {
            self.forget();
        }
        let number = self.steps.len() as u32;
        self.weight += self.width + key.0.len() * 2 + 8;
        self.states.push(key.clone());
        self.numbers.insert(key, number);
        self.steps.resize(self.steps.len() + self.width, Step::UNKNOWN);
        number
    }

    /// The state in which a match or a search begins.
    pub(crate) fn start(&mut self, before: Kind) -> u32 {
        if let Some(known) = self.starts[before as usize] {
            return known;
        }
        let number = self.intern(Box::new([self.nfa.start]), before);
        self.starts[before as usize] = Some(number);
        number
    }

    /// How much memory it takes, in words of four bytes.
    pub(crate) fn weight(&self) -> usize {
        self.weight + self.nfa.states.len() * 4
    }

    /// The colour that stands for the end of the text.
    pub(crate) fn end_color(&self) -> usize {
        self.width - 1
    }

    #[inline(always)]
    pub(crate) fn known(&self, state: u32, color: usize) -> Step {
        self.steps[state as usize + color]
    }

    /// Works out a transition at a place of the text.
    pub(crate) fn step(
        &mut self,
        state: u32,
        color: usize,
        at: usize,
        colors: &Colors,
        around: &mut dyn Around,
    ) -> Result<Step, Interrupted> {
        let (places, before) = self.states[state as usize / self.width].clone();
        let end = color == self.end_color();
        let after = if end { Kind::Edge } else { colors.kind(color) };
        let (mut accepts, mut looked) = (false, false);
        self.met.clear();
        self.unmark();
        let mut next: Vec<u32> = Vec::new();
        for &place in &places {
            self.meet(place);
        }
        let mut i = 0;
        while let Some(&place) = self.met.get(i) {
            i += 1;
            match self.nfa.states[place as usize] {
                State::Accept => accepts = true,
                State::Set(set, to) => {
                    if !end && colors.contains(set, color) {
                        next.push(to);
                    }
                }
                State::Split(one, other) => {
                    self.meet(one);
                    self.meet(other);
                }
                State::Assert(assert, to) => {
                    if holds(assert, before, after) {
                        self.meet(to);
                    }
                }
                State::Look(look, to) => {
                    looked = true;
                    if around.look(look, at)? {
                        self.meet(to);
                    }
                }
            }
        }
        around.tick(self.met.len() as u32 + 1)?;
        if self.search && !end {
            next.push(self.nfa.start);
        }
        next.sort_unstable();
        next.dedup();
        let quiet = self.search && next.len() == 1;
        let held = self.forgotten;
        let to = if next.is_empty() { DEAD } else { self.intern(next.into(), after) };
        let marks = if accepts { Step::ACCEPTS } else { 0 } | if quiet { Step::QUIET } else { 0 };
        let step = Step(to | marks);
        // If states were forgotten, this one was too.
        if !looked && self.forgotten == held {
            self.steps[state as usize + color] = step;
        }
        Ok(step)
    }

    fn meet(&mut self, place: u32) {
        if self.marks[place as usize] != self.mark {
            self.marks[place as usize] = self.mark;
            self.met.push(place);
        }
    }

    fn unmark(&mut self) {
        self.mark = self.mark.wrapping_add(1);
        if self.mark == 0 {
            self.marks.fill(0);
            self.mark = 1;
        }
    }
}

fn holds(assert: Assert, before: Kind, after: Kind) -> bool {
    let (word_before, word_after) = (before == Kind::Word, after == Kind::Word);
    match assert {
        Assert::TextStart => before == Kind::Edge,
        Assert::TextEnd => after == Kind::Edge,
        Assert::LineStart => matches!(before, Kind::Edge | Kind::Newline),
        Assert::LineEnd => matches!(after, Kind::Edge | Kind::Newline),
        Assert::WordStart => !word_before && word_after,
        Assert::WordEnd => word_before && !word_after,
        Assert::WordEdge => word_before != word_after,
        Assert::NotWordEdge => word_before == word_after,
    }
}
