//! All levels at once: what one level's answer says about the others is not asked again.

use hobgoblin_core::{History, Level, Target, Verdict, Witness};

use crate::limits::Limits;

/// The answer for one of several levels.
#[derive(Clone, Debug)]
pub struct LevelVerdict {
    /// The level that was asked for.
    pub level: Level,
    /// Whether the history has that level, with the certificate.
    pub verdict: Verdict,
    /// The level whose answer this one follows from, if it was not found by itself: a stronger one that
    /// holds, with the same commit order, or a weaker one that is violated, with the same witness.
    pub implied_by: Option<Level>,
}

/// In which order levels are asked: the cheap ones, then the strongest, whose success settles the rest.
const PLAN: [Level; Level::ALL.len()] = [
    Level::RU,
    Level::RC,
    Level::RA,
    Level::CC,
    Level::SSER,
    Level::SER,
    Level::SI,
    Level::PC,
    Level::PSI,
];

/// Decides several levels. `asking` is told each level before it is looked at. The answers come in the
/// order of [`Level::ALL`].
pub fn check_levels(
    history: &History,
    levels: &[Level],
    limits: &Limits,
    mut asking: impl FnMut(Level),
) -> Vec<LevelVerdict> {
    let mut answers: Vec<LevelVerdict> = Vec::new();
    for level in PLAN.into_iter().filter(|l| levels.contains(l)) {
        if let Some(answer) = implied(&answers, level) {
            answers.push(answer);
            continue;
        }
        asking(level);
        let verdict = crate::check(history, Target::Level(level), limits);
        answers.push(LevelVerdict { level, verdict, implied_by: None });
    }
    answers.sort_by_key(|answer| answer.level);
    answers
}

fn implied(answers: &[LevelVerdict], level: Level) -> Option<LevelVerdict> {
    let own = answers.iter().filter(|a| a.implied_by.is_none());
    own.filter_map(|answer| {
        let verdict = match &answer.verdict {
            Verdict::Consistent(order) if answer.level.implies(level) => {
                Verdict::Consistent(order.clone())
            }
            Verdict::Violation(witness) if level.implies(answer.level) => {
                // What the weaker level forbids the stronger one does; but a part of it may do.
                let target = Target::Level(level);
                Verdict::Violation(Box::new(Witness {
                    target,
                    minimal: false,
                    ..(**witness).clone()
                }))
            }
            _ => return None,
        };
        Some(LevelVerdict { level, verdict, implied_by: Some(answer.level) })
    })
    .next()
}

/// The strongest of some levels that hold: none of them is implied by another that holds.
pub fn strongest(answers: &[LevelVerdict]) -> Vec<Level> {
    let holds = |a: &&LevelVerdict| matches!(a.verdict, Verdict::Consistent(_));
    let held: Vec<Level> = answers.iter().filter(holds).map(|a| a.level).collect();
    let weaker = |level: Level| held.iter().any(|&other| other != level && other.implies(level));
    held.iter().copied().filter(|&level| !weaker(level)).collect()
}
