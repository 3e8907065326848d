//! All levels at once: what one level's answer says about the others is not asked again.

use hobgoblin_core::{History, Level, Target, Verdict, Witness, sort_by};

use crate::limits::Limits;

/// The answer for one of several levels.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::{Limits, Verdict, check_levels};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// for answer in check_levels(&history, &[Level::RC, Level::SI], &Limits::none(), |_| {}) {
///     let holds = matches!(answer.verdict, Verdict::Consistent(_));
///     assert_eq!(holds, answer.level == Level::RC);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::{Limits, check_levels};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// let answers = check_levels(&history, &Level::ALL, &Limits::none(), |level| println!("{level}"));
/// assert_eq!(answers.len(), Level::ALL.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    sort_by(&mut answers, |a, b| a.level.cmp(&b.level));
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
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::{Limits, check_levels, strongest};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// let answers = check_levels(&history, &Level::ALL, &Limits::none(), |_| {});
/// assert_eq!(strongest(&answers), [Level::PC]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn strongest(answers: &[LevelVerdict]) -> Vec<Level> {
    let holds = |a: &&LevelVerdict| matches!(a.verdict, Verdict::Consistent(_));
    let held: Vec<Level> = answers.iter().filter(holds).map(|a| a.level).collect();
    let weaker = |level: Level| held.iter().any(|&other| other != level && other.implies(level));
    held.iter().copied().filter(|&level| !weaker(level)).collect()
}
