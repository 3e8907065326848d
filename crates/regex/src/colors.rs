//! Colours: characters that no set of a pattern tells apart have the same colour.
//!
//! Automata step on colours, of which there are few, and not on a million characters.

use crate::class::Class;
use crate::set::{CharSet, LAST};

/// What a condition sees of the character before or after a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// There is none: the text begins or ends here.
    Edge,
    Newline,
    Word,
    Other,
}

/// The colour of each character.
#[derive(Debug)]
pub(crate) struct Colors {
    ascii: [u16; 128],
    /// Where runs of one colour begin, in order, with the colour.
    runs: Vec<(u32, u16)>,
    /// What conditions see of each colour.
    kinds: Vec<Kind>,
    /// A bit for each colour, in each set of the pattern.
    members: Vec<Vec<u64>>,
}

impl Colors {
    /// Colours for some sets; and, where there are conditions, for newlines and words.
    pub(crate) fn new(sets: &[CharSet], conditions: bool) -> Colors {
        let mut all: Vec<CharSet> = sets.to_vec();
        if conditions {
            all.push(CharSet::one(u32::from('\n')));
            all.push(Class::Word.set(false));
        }
        // Where a set begins or ends, the colour may change; `changes` says of which set.
        let mut changes: Vec<(u32, u32)> = Vec::new();
        for (number, set) in all.iter().enumerate() {
            for &(low, high) in set.ranges().iter().filter(|&&(low, _)| low <= LAST) {
                changes.push((low, number as u32));
                changes.push((high.saturating_add(1), number as u32));
            }
        }
        changes.sort_unstable();
        let words = all.len().div_ceil(64).max(1);
        let mut inside = vec![0u64; words];
        let mut known: std::collections::HashMap<Vec<u64>, u16> = std::collections::HashMap::new();
        let mut masks: Vec<Vec<u64>> = Vec::new();
        let mut runs: Vec<(u32, u16)> = Vec::new();
        let (mut at, mut i) = (0u32, 0);
        loop {
            while let Some(&(place, set)) = changes.get(i)
                && place <= at
            {
                inside[set as usize / 64] ^= 1 << (set % 64);
                i += 1;
            }
            let next = masks.len() as u16;
            let color = *known.entry(inside.clone()).or_insert_with(|| {
                masks.push(inside.clone());
                next
            });
            if runs.last().is_none_or(|&(_, last)| last != color) {
                runs.push((at, color));
            }
            match changes.get(i) {
                Some(&(place, _)) if place <= LAST => at = place,
                _ => break,
            }
        }
        let has = |mask: &Vec<u64>, set: usize| mask[set / 64] & (1 << (set % 64)) != 0;
        let kind = |mask: &Vec<u64>| match sets.len() {
            newline if conditions && has(mask, newline) => Kind::Newline,
            newline if conditions && has(mask, newline + 1) => Kind::Word,
            _ => Kind::Other,
        };
        let kinds = masks.iter().map(kind).collect();
        let width = masks.len().div_ceil(64);
        let mut members = vec![vec![0u64; width]; sets.len()];
        for (color, mask) in masks.iter().enumerate() {
            for (_, bits) in members.iter_mut().enumerate().filter(|(set, _)| has(mask, *set)) {
                bits[color / 64] |= 1 << (color % 64);
            }
        }
        let mut colors = Colors { ascii: [0; 128], runs, kinds, members };
        for c in 0..128u32 {
            colors.ascii[c as usize] = colors.find(c);
        }
        colors
    }

    fn find(&self, c: u32) -> u16 {
        let at = self.runs.partition_point(|&(start, _)| start <= c);
        self.runs[at.saturating_sub(1)].1
    }

    pub(crate) fn count(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn kind(&self, color: usize) -> Kind {
        self.kinds[color]
    }

    pub(crate) fn contains(&self, set: u32, color: usize) -> bool {
        self.members[set as usize][color / 64] & (1 << (color % 64)) != 0
    }

    /// The colour of the character at a place in a text, and how many bytes it has.
    #[inline(always)]
    pub(crate) fn at(&self, text: &str, at: usize) -> (usize, usize) {
        match text.as_bytes()[at] {
            byte @ ..0x80 => (usize::from(self.ascii[usize::from(byte)]), 1),
            _ => self.decode(text, at),
        }
    }

    fn decode(&self, text: &str, at: usize) -> (usize, usize) {
        let c = text[at..].chars().next().unwrap_or('\0');
        (usize::from(self.find(u32::from(c))), c.len_utf8())
    }
}
