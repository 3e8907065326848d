//! Matching a text: where the first match begins, where it ends, and where look-arounds hold.

use crate::colors::Kind;
use crate::dfa::{Around, DEAD, Dfa, Step};
use crate::error::Interrupted;
use crate::nfa;
use crate::program::{Bounds, Program};
use crate::tree::NodeId;

/// How many steps are taken between two looks at the clock, so to speak.
const PATIENCE: u32 = 1 << 17;

/// How much memory the automata of a pattern may take while it matches, in words of four bytes.
const MEMORY: usize = 16 << 20;

/// How much they may keep.
const KEPT: usize = 1 << 20;

/// The automata of a pattern, made when they are first needed.
#[derive(Debug, Default)]
pub(crate) struct Automata {
    nodes: Vec<Option<Box<Dfa>>>,
    looks: Vec<Option<Box<Dfa>>>,
    search: Option<Box<Dfa>>,
    /// How much memory they take.
    weight: usize,
}

impl Automata {
    /// Forgets them if they have grown large.
    pub(crate) fn trim(&mut self) {
        if self.weight > KEPT {
            *self = Automata::default();
        }
    }
}

/// Which automaton is meant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which {
    Node(NodeId),
    Look(u32),
    Search,
}

/// What is known of a look-around in a text.
enum Known {
    Nothing,
    /// Of a look ahead, for each place: not known, no, yes.
    Ahead(Vec<u8>),
    /// Of a look behind: the places where it holds.
    Behind(Vec<u64>),
}

/// A pattern at work on one text.
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Program,
    automata: &'a mut Automata,
    pub(crate) text: &'a str,
    looks: Vec<Known>,
    left: u32,
    interrupted: &'a dyn Fn() -> bool,
    /// The bounds of groups so far; the first stands for all of the match.
    pub(crate) groups: Vec<Option<Bounds>>,
}

impl Around for Run<'_> {
    fn tick(&mut self, steps: u32) -> Result<(), Interrupted> {
        if let Some(left) = self.left.checked_sub(steps) {
            self.left = left;
            return Ok(());
        }
        self.left = PATIENCE;
        if (self.interrupted)() { Err(Interrupted) } else { Ok(()) }
    }

    fn look(&mut self, look: u32, at: usize) -> Result<bool, Interrupted> {
        let known = &self.program.tree.looks[look as usize];
        let holds = if known.ahead { self.ahead(look, at)? } else { self.behind(look, at)? };
        Ok(holds == known.positive)
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        program: &'a Program,
        automata: &'a mut Automata,
        text: &'a str,
        interrupted: &'a dyn Fn() -> bool,
    ) -> Run<'a> {
        automata.nodes.resize_with(program.tree.nodes.len(), || None);
        automata.looks.resize_with(program.tree.looks.len(), || None);
        let looks = program.tree.looks.iter().map(|_| Known::Nothing).collect();
        let groups = Vec::new();
        Run { program, automata, text, looks, left: PATIENCE, interrupted, groups }
    }

    fn slot(&mut self, which: Which) -> &mut Option<Box<Dfa>> {
        match which {
            Which::Node(node) => &mut self.automata.nodes[node.0 as usize],
            Which::Look(look) => &mut self.automata.looks[look as usize],
            Which::Search => &mut self.automata.search,
        }
    }

    /// Takes an automaton out of its place; it is to be put back with [`Run::give`].
    fn take(&mut self, which: Which) -> Box<Dfa> {
        let program = self.program;
        if let Some(known) = self.slot(which).take() {
            self.automata.weight -= known.weight();
            return known;
        }
        let (expr, search) = match which {
            Which::Node(node) => (program.tree.node(node).expr, false),
            Which::Look(look) => {
                let look = &program.tree.looks[look as usize];
                (look.expr, !look.ahead)
            }
            Which::Search => (program.tree.node(program.top).expr, true),
        };
        Box::new(Dfa::new(nfa::build(&program.tree, expr), search, &program.colors))
    }

    fn give(&mut self, which: Which, dfa: Box<Dfa>) {
        let weight = self.automata.weight + dfa.weight();
        if weight <= MEMORY {
            self.automata.weight = weight;
            *self.slot(which) = Some(dfa);
        }
    }

    fn before(&self, at: usize) -> Kind {
        match self.text[..at].chars().next_back() {
            None => Kind::Edge,
            Some(c) => {
                let (color, _) = self.program.colors.at(self.text, at - c.len_utf8());
                self.program.colors.kind(color)
            }
        }
    }

    /// Runs an automaton from a place, and tells every place up to `stop` where a match may end, in
    /// order, until it is told that this is enough.
    pub(crate) fn run(
        &mut self,
        which: Which,
        start: usize,
        stop: usize,
        mut accept: impl FnMut(usize) -> bool,
    ) -> Result<(), Interrupted> {
        let mut dfa = self.take(which);
        let result = self.steps(&mut dfa, start, stop, &mut accept);
        self.give(which, dfa);
        result
    }

    #[inline(always)]
    fn steps(
        &mut self,
        dfa: &mut Dfa,
        start: usize,
        stop: usize,
        accept: &mut impl FnMut(usize) -> bool,
    ) -> Result<(), Interrupted> {
        let (program, text) = (self.program, self.text);
        let colors = &program.colors;
        let mut state = dfa.start(self.before(start));
        let mut at = start;
        let mut pause = at + PATIENCE as usize;
        loop {
            let (color, len) =
                if at == text.len() { (dfa.end_color(), 0) } else { colors.at(text, at) };
            let mut step = dfa.known(state, color);
            if step == Step::UNKNOWN {
                step = dfa.step(state, color, at, colors, self)?;
            }
            if step.accepts() && accept(at) {
                break;
            }
            state = step.state();
            if state == DEAD || at >= stop || len == 0 {
                break;
            }
            at += len;
            if at >= pause {
                pause = at + PATIENCE as usize;
                self.tick(PATIENCE)?;
            }
        }
        self.tick(1 + (at - start).min(PATIENCE as usize) as u32 / 8)
    }

    /// The end of the longest match from a place that ends at `stop` or before.
    pub(crate) fn longest(
        &mut self,
        which: Which,
        start: usize,
        stop: usize,
    ) -> Result<Option<usize>, Interrupted> {
        let mut last = None;
        self.run(which, start, stop, |at| {
            last = Some(at);
            false
        })?;
        Ok(last)
    }

    /// The end of the shortest match from a place that ends between `least` and `stop`.
    pub(crate) fn shortest(
        &mut self,
        which: Which,
        start: usize,
        least: usize,
        stop: usize,
    ) -> Result<Option<usize>, Interrupted> {
        let mut first = None;
        self.run(which, start, stop, |at| {
            let found = at >= least;
            if found {
                first = Some(at);
            }
            found
        })?;
        Ok(first)
    }

    fn ahead(&mut self, look: u32, at: usize) -> Result<bool, Interrupted> {
        if let Known::Ahead(known) = &self.looks[look as usize]
            && known[at] != 0
        {
            return Ok(known[at] == 2);
        }
        let end = self.text.len();
        let which = Which::Look(look);
        let found =
            stacker::maybe_grow(64 << 10, 1 << 20, || self.shortest(which, at, at, end))?.is_some();
        let known = &mut self.looks[look as usize];
        if !matches!(known, Known::Ahead(_)) {
            *known = Known::Ahead(vec![0; end + 1]);
        }
        if let Known::Ahead(places) = known {
            places[at] = 1 + u8::from(found);
        }
        Ok(found)
    }

    fn behind(&mut self, look: u32, at: usize) -> Result<bool, Interrupted> {
        if !matches!(self.looks[look as usize], Known::Behind(_)) {
            let end = self.text.len();
            let mut places = vec![0u64; end / 64 + 1];
            let which = Which::Look(look);
            stacker::maybe_grow(64 << 10, 1 << 20, || {
                self.run(which, 0, end, |at| {
                    places[at / 64] |= 1 << (at % 64);
                    false
                })
            })?;
            self.looks[look as usize] = Known::Behind(places);
        }
        let Known::Behind(places) = &self.looks[look as usize] else { return Ok(false) };
        Ok(places[at / 64] & (1 << (at % 64)) != 0)
    }

    /// Whether there is a match from a place on: between which places it begins, the later of which is
    /// also the first place where one ends.
    fn search(&mut self, from: usize) -> Result<Option<(usize, usize)>, Interrupted> {
        let mut dfa = self.take(Which::Search);
        let result = self.search_steps(&mut dfa, from);
        self.give(Which::Search, dfa);
        result
    }

    fn search_steps(
        &mut self,
        dfa: &mut Dfa,
        from: usize,
    ) -> Result<Option<(usize, usize)>, Interrupted> {
        let (program, text) = (self.program, self.text);
        let colors = &program.colors;
        let prefix = program.prefix.as_ref();
        let mut at = from;
        let mut quiet = from;
        if let Some(prefix) = prefix {
            let Some(found) = prefix.find(&text.as_bytes()[at..]) else { return Ok(None) };
            at += found;
            quiet = at;
        }
        let mut state = dfa.start(self.before(at));
        let mut pause = at + PATIENCE as usize;
        loop {
            let (color, len) =
                if at == text.len() { (dfa.end_color(), 0) } else { colors.at(text, at) };
            let mut step = dfa.known(state, color);
            if step == Step::UNKNOWN {
                step = dfa.step(state, color, at, colors, self)?;
            }
            if step.accepts() {
                return Ok(Some((quiet, at)));
            }
            if len == 0 {
                return Ok(None);
            }
            state = step.state();
            at += len;
            if step.is_quiet() {
                quiet = at;
                if let Some(prefix) = prefix {
                    let Some(found) = prefix.find(&text.as_bytes()[at..]) else { return Ok(None) };
                    if found > 0 {
                        at += found;
                        quiet = at;
                        state = dfa.start(self.before(at));
                    }
                }
            }
            if at >= pause {
                pause = at + PATIENCE as usize;
                self.tick(PATIENCE)?;
            }
        }
    }

    /// Whether anything matches.
    pub(crate) fn is_match(&mut self) -> Result<bool, Interrupted> {
        let program = self.program;
        if program.refers {
            return Ok(self.find_referring(0)?.is_some());
        }
        if let Some(prefix) = program.prefix.as_ref().filter(|_| program.literal) {
            return Ok(prefix.find(self.text.as_bytes()).is_some());
        }
        if program.anchored {
            let (which, end) = (Which::Node(program.top), self.text.len());
            return Ok(self.shortest(which, 0, 0, end)?.is_some());
        }
        Ok(self.search(0)?.is_some())
    }

    /// The first match from a place on.
    pub(crate) fn find(&mut self, from: usize) -> Result<Option<Bounds>, Interrupted> {
        let program = self.program;
        self.groups.clear();
        self.groups.resize(program.groups as usize + 1, None);
        if program.anchored && from > 0 || from > self.text.len() {
            return Ok(None);
        }
        if program.refers {
            return self.find_referring(from);
        }
        if let Some(prefix) = program.prefix.as_ref().filter(|_| program.literal) {
            let found = prefix.find(&self.text.as_bytes()[from..]);
            return Ok(found.map(|at| (from + at, from + at + prefix.needle().len())));
        }
        let (open, close) = if program.anchored {
            (0, 0)
        } else {
            match self.search(from)? {
                Some(range) => range,
                None => return Ok(None),
            }
        };
        let (which, stop) = (Which::Node(program.top), self.text.len());
        let shorter = program.tree.node(program.top).traits.is_shorter();
        let mut begin = open;
        while begin <= close {
            let end = if shorter {
                self.shortest(which, begin, begin, stop)?
            } else {
                self.longest(which, begin, stop)?
            };
            if let Some(end) = end {
                return Ok(Some((begin, end)));
            }
            match self.next(begin) {
                Some(next) => begin = next,
                None => break,
            }
        }
        Ok(None)
    }

    /// The same if there are back references: the automaton then only proposes matches.
    fn find_referring(&mut self, from: usize) -> Result<Option<Bounds>, Interrupted> {
        let program = self.program;
        self.groups.clear();
        self.groups.resize(program.groups as usize + 1, None);
        let (which, stop) = (Which::Node(program.top), self.text.len());
        let shorter = program.tree.node(program.top).traits.is_shorter();
        let mut from = from;
        loop {
            let Some((open, close)) = self.search(from)? else { return Ok(None) };
            let mut begin = open;
            while begin <= close {
                let mut ends = Vec::new();
                self.run(which, begin, stop, |at| {
                    ends.push(at);
                    false
                })?;
                if !shorter {
                    ends.reverse();
                }
                for end in ends {
                    if self.divide(program.top, begin, end)? {
                        return Ok(Some((begin, end)));
                    }
                }
                match self.next(begin) {
                    Some(next) => begin = next,
                    None => break,
                }
            }
            // PostgreSQL does not look at the end of the text once it has looked elsewhere.
            match self.next(close) {
                Some(next) if next < stop => from = next,
                _ => return Ok(None),
            }
        }
    }

    /// The place after the next character.
    pub(crate) fn next(&self, at: usize) -> Option<usize> {
        self.text[at..].chars().next().map(|c| at + c.len_utf8())
    }

    /// The place before the last character.
    pub(crate) fn previous(&self, at: usize) -> usize {
        self.text[..at].chars().next_back().map_or(0, |c| at - c.len_utf8())
    }

    /// How many characters there are between two places.
    pub(crate) fn chars(&self, from: usize, to: usize) -> usize {
        self.text[from..to].chars().count()
    }
}

impl Run<'_> {
    /// The bounds of the first match from a place on, and of its groups.
    pub(crate) fn captures(
        &mut self,
        from: usize,
    ) -> Result<Option<Vec<Option<Bounds>>>, Interrupted> {
        let Some((begin, end)) = self.find(from)? else { return Ok(None) };
        let program = self.program;
        if !program.refers && program.groups > 0 {
            self.divide(program.top, begin, end)?;
        }
        let mut groups = std::mem::take(&mut self.groups);
        groups[0] = Some((begin, end));
        Ok(Some(groups))
    }
}
