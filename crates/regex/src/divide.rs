//! Dividing a match among the groups of a pattern.
//!
//! The automaton of a node has found that a piece of text matches it. Of two nodes in a row, the first
//! takes the longest piece, or the shortest if it prefers that, which leaves one that matches the second;
//! then each divides its own. Rounds of a repetition are found likewise, one after the other. Without back
//! references the first division that the automata allow is good; a back reference may refuse it, and
//! then the next one is tried. This is what PostgreSQL does [Spencer's `regexec.c`], even where it does not
//! try every division: a node that has divided a piece is not asked for another division of that piece.

use std::collections::HashSet;

use crate::dfa::Around;
use crate::error::Interrupted;
use crate::matcher::{Run, Which};
use crate::tree::{Division, NodeId, Traits};

impl Run<'_> {
    /// Finds the groups in a piece of text that matches a node as far as its automaton can tell. If back
    /// references refuse it, the groups in it are unset.
    pub(crate) fn divide(
        &mut self,
        id: NodeId,
        begin: usize,
        end: usize,
    ) -> Result<bool, Interrupted> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.divide_node(id, begin, end))
    }

    fn divide_node(&mut self, id: NodeId, begin: usize, end: usize) -> Result<bool, Interrupted> {
        self.tick(8)?;
        let program = self.program;
        let node = program.tree.node(id);
        let done = match &node.division {
            Division::Leaf => true,
            &Division::Reference { group, min, max } => {
                self.is_reference(group, (min, max), begin, end)
            }
            &Division::Concat(left, right) => self.divide_pair(left, right, begin, end)?,
            Division::Either(branches) => {
                let mut done = false;
                for &branch in branches {
                    if self.is_exact(branch, begin, end)? && self.divide(branch, begin, end)? {
                        done = true;
                        break;
                    }
                }
                done
            }
            &Division::Repeat { inner, min, max } => {
                if program.tree.node(inner).traits.is_shorter() {
                    self.divide_short_rounds(inner, (min, max), begin, end)?
                } else {
                    self.divide_long_rounds(inner, (min, max), begin, end)?
                }
            }
            &Division::Group(inner) => self.divide(inner, begin, end)?,
        };
        if done && node.group > 0 {
            self.groups[node.group as usize] = Some((begin, end));
        }
        Ok(done)
    }

    fn unset(&mut self, id: NodeId) {
        let (first, last) = self.program.tree.node(id).groups;
        if first > 0 && first < last {
            self.groups[first as usize..last as usize].fill(None);
        }
    }

    /// The text of a group that a node refers to, if it is a back reference to one that is set.
    fn referred(&self, id: NodeId) -> Option<(usize, usize, u32, Option<u32>)> {
        match self.program.tree.node(id).division {
            Division::Reference { group, min, max } => {
                let (from, to) = self.groups[group as usize]?;
                Some((from, to, min, max))
            }
            _ => None,
        }
    }

    /// Whether the text at a place is another piece of text, as far as case matters.
    fn same(&self, (from, to): (usize, usize), at: usize, stop: usize) -> Option<usize> {
        let text = self.text;
        if !self.program.ignore_case {
            let end = at + (to - from);
            let same = end <= stop && text.as_bytes()[from..to] == text.as_bytes()[at..end];
            return same.then_some(end);
        }
        let mut at = at;
        let mut others = text[at..stop].chars();
        for c in text[from..to].chars() {
            let other = others.next()?;
            let lower = |c| crate::class::lower(u32::from(c));
            if c != other && lower(c) != lower(other) {
                return None;
            }
            at += other.len_utf8();
        }
        Some(at)
    }

    /// Whether a piece of text is that of a group, so many times.
    fn is_reference(
        &self,
        group: u32,
        (min, max): (u32, Option<u32>),
        begin: usize,
        end: usize,
    ) -> bool {
        let Some((from, to)) = self.groups[group as usize] else { return false };
        if from == to {
            return begin == end;
        }
        if begin == end {
            return min == 0;
        }
        let (mut at, mut times) = (begin, 0);
        while at < end {
            match self.same((from, to), at, end) {
                Some(next) => at = next,
                None => return false,
            }
            times += 1;
        }
        times >= min && max.is_none_or(|max| times <= max)
    }

    /// Where pieces that match a node may end, in order.
    fn ends(&mut self, id: NodeId, begin: usize, stop: usize) -> Result<Vec<usize>, Interrupted> {
        let mut ends = Vec::new();
        let Some((from, to, min, max)) = self.referred(id) else {
            self.run(Which::Node(id), begin, stop, |at| {
                ends.push(at);
                false
            })?;
            return Ok(ends);
        };
        if from == to {
            return Ok(vec![begin]);
        }
        let (mut at, mut times) = (begin, 0);
        loop {
            if times >= min {
                ends.push(at);
            }
            if max.is_some_and(|max| times >= max) {
                return Ok(ends);
            }
            match self.same((from, to), at, stop) {
                Some(next) => at = next,
                None => return Ok(ends),
            }
            times += 1;
        }
    }

    /// Whether a piece matches a node as far as its automaton can tell.
    fn is_exact(&mut self, id: NodeId, begin: usize, end: usize) -> Result<bool, Interrupted> {
        if self.referred(id).is_some() {
            return Ok(self.ends(id, begin, end)?.last() == Some(&end));
        }
        Ok(self.longest(Which::Node(id), begin, end)? == Some(end))
    }

    fn divide_pair(
        &mut self,
        left: NodeId,
        right: NodeId,
        begin: usize,
        end: usize,
    ) -> Result<bool, Interrupted> {
        let mut middles = self.ends(left, begin, end)?;
        if !self.program.tree.node(left).traits.is_shorter() {
            middles.reverse();
        }
        for middle in middles {
            if !self.is_exact(right, middle, end)? || !self.divide(left, begin, middle)? {
                continue;
            }
            if self.divide(right, middle, end)? {
                return Ok(true);
            }
            self.unset(left);
        }
        Ok(false)
    }

    /// Rounds of a repetition, each as long as can be. Empty rounds are only taken if there are not
    /// enough characters for as many rounds as there must be.
    fn divide_long_rounds(
        &mut self,
        inner: NodeId,
        (min, max): (u32, Option<u32>),
        begin: usize,
        end: usize,
    ) -> Result<bool, Interrupted> {
        // A round even of the empty text is better than none, as it sets groups.
        let least = (min as usize).max(1);
        let most = self.most_rounds(least, max, begin, end);
        let mut rounds = Rounds::new(self, inner, begin);
        let mut limit = end;
        'rounds: while let Some(&from) = rounds.from.last() {
            let k = rounds.from.len();
            let found = match rounds.is_hopeless(k, from) {
                true => None,
                false => self.longest_piece(inner, from, limit)?,
            };
            let mut shorten = match found {
                None => false,
                Some(to) => {
                    rounds.end(to);
                    let few = |run: &Self| k < least && least - k >= run.chars(to, end);
                    if to != end {
                        if k >= most {
                            // Rounds before this one have to be shorter.
                            rounds.ends.pop();
                            false
                        } else if to == from && !few(self) {
                            true
                        } else {
                            rounds.from.push(to);
                            limit = end;
                            continue 'rounds;
                        }
                    } else if k < least {
                        true
                    } else if rounds.divide(self, inner)? {
                        return Ok(true);
                    } else {
                        true
                    }
                }
            };
            // Shortens the last round that can be.
            loop {
                let Some(&from) = rounds.from.last() else { break 'rounds };
                let k = rounds.from.len();
                if shorten
                    && let Some(to) = rounds.ends.pop()
                    && to > from
                {
                    limit = self.previous(to);
                    if limit > from || (k < least && least - k >= self.chars(from, end)) {
                        break;
                    }
                }
                rounds.give_up();
                shorten = true;
            }
        }
        Ok(min == 0 && begin == end)
    }

    /// Rounds of a repetition, each as short as can be.
    fn divide_short_rounds(
        &mut self,
        inner: NodeId,
        (min, max): (u32, Option<u32>),
        begin: usize,
        end: usize,
    ) -> Result<bool, Interrupted> {
        if min == 0 && begin == end {
            return Ok(true);
        }
        let least = (min as usize).max(1);
        let most = self.most_rounds(least, max, begin, end);
        let mut rounds = Rounds::new(self, inner, begin);
        let mut limit = begin;
        'rounds: while let Some(&from) = rounds.from.last() {
            let k = rounds.from.len();
            let few = |run: &Self| k < least && least - k >= run.chars(from, end);
            if limit == from && limit != end && !few(self) {
                limit = self.next(limit).unwrap_or(end);
            }
            if k >= most {
                limit = end;
            }
            let found = match rounds.is_hopeless(k, from) {
                true => None,
                false => self.shortest_piece(inner, from, limit, end)?,
            };
            let mut lengthen = match found {
                None => false,
                Some(to) => {
                    rounds.end(to);
                    if to != end {
                        if k >= most {
                            rounds.ends.pop();
                            false
                        } else {
                            rounds.from.push(to);
                            limit = to;
                            continue 'rounds;
                        }
                    } else if k < least {
                        true
                    } else if rounds.divide(self, inner)? {
                        return Ok(true);
                    } else {
                        true
                    }
                }
            };
            loop {
                if rounds.from.is_empty() {
                    break 'rounds;
                }
                if lengthen
                    && let Some(to) = rounds.ends.pop()
                    && to < end
                {
                    limit = self.next(to).unwrap_or(end);
                    break;
                }
                rounds.give_up();
                lengthen = true;
            }
        }
        Ok(false)
    }

    /// How many rounds are worth trying.
    fn most_rounds(&self, least: usize, max: Option<u32>, begin: usize, end: usize) -> usize {
        let most = self.chars(begin, end);
        max.map_or(most, |max| most.min(max as usize)).max(least)
    }

    fn longest_piece(
        &mut self,
        id: NodeId,
        from: usize,
        stop: usize,
    ) -> Result<Option<usize>, Interrupted> {
        if self.referred(id).is_some() {
            return Ok(self.ends(id, from, stop)?.pop());
        }
        self.longest(Which::Node(id), from, stop)
    }

    fn shortest_piece(
        &mut self,
        id: NodeId,
        from: usize,
        least: usize,
        stop: usize,
    ) -> Result<Option<usize>, Interrupted> {
        if self.referred(id).is_some() {
            return Ok(self.ends(id, from, stop)?.into_iter().find(|&to| to >= least));
        }
        self.shortest(Which::Node(id), from, least, stop)
    }
}

/// The rounds of a repetition that are tried.
struct Rounds {
    /// Where each round begins.
    from: Vec<usize>,
    /// Where each ends; the last may have no end yet.
    ends: Vec<usize>,
    /// How many of them are divided.
    divided: usize,
    /// Rounds, by number and beginning, after which the end cannot be reached. They are known only
    /// where no back references play a part.
    hopeless: Option<HashSet<(usize, usize)>>,
}

impl Rounds {
    fn new(run: &Run<'_>, inner: NodeId, begin: usize) -> Rounds {
        let refers = run.program.tree.node(inner).traits.has(Traits::REFERS);
        let hopeless = (!refers).then(HashSet::new);
        Rounds { from: vec![begin], ends: Vec::new(), divided: 0, hopeless }
    }

    fn is_hopeless(&self, k: usize, from: usize) -> bool {
        self.hopeless.as_ref().is_some_and(|known| known.contains(&(k, from)))
    }

    /// The last round ends here.
    fn end(&mut self, to: usize) {
        self.ends.push(to);
        self.divided = self.divided.min(self.from.len() - 1);
    }

    /// The last round has no end that helps.
    fn give_up(&mut self) {
        let k = self.from.len();
        if let (Some(from), Some(hopeless)) = (self.from.pop(), &mut self.hopeless) {
            hopeless.insert((k, from));
        }
        self.ends.truncate(self.from.len());
    }

    /// Divides the rounds that are not yet. If one cannot be, it becomes the last.
    fn divide(&mut self, run: &mut Run<'_>, inner: NodeId) -> Result<bool, Interrupted> {
        for i in self.divided..self.from.len() {
            run.unset(inner);
            if !run.divide(inner, self.from[i], self.ends[i])? {
                self.from.truncate(i + 1);
                self.ends.truncate(i + 1);
                return Ok(false);
            }
            self.divided = i + 1;
        }
        Ok(true)
    }
}
