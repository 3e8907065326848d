//! Bodies with mistakes in them, from a seed.

use crate::script::{Piece, pieces};

/// Numbers from a seed (SplitMix64).
pub(crate) struct Mistakes(u64);

impl Mistakes {
    pub(crate) fn new(seed: u64) -> Mistakes {
        Mistakes(seed)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }

    /// The body with one to three mistakes.
    pub(crate) fn make(&mut self, body: &str) -> String {
        let mut texts: Vec<String> =
            pieces(body).into_iter().map(|(_, text)| text.to_owned()).collect();
        for _ in 0..1 + self.below(3) {
            let tokens: Vec<usize> = (0..texts.len())
                .filter(|at| pieces(&texts[*at]).iter().any(|(piece, _)| *piece != Piece::Blank))
                .collect();
            if tokens.is_empty() {
                break;
            }
            let number = self.below(tokens.len());
            let at = tokens[number];
            match self.below(4) {
                0 => texts[at].clear(),
                1 => texts[at] = format!("{0} {0}", texts[at]),
                2 => {
                    let next = tokens[(number + 1) % tokens.len()];
                    texts.swap(at, next);
                }
                _ => texts[at] = texts[tokens[self.below(tokens.len())]].clone(),
            }
        }
        texts.concat()
    }
}
