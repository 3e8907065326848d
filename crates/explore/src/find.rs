//! The weakest level at which all assertions hold.
//!
//! A stronger level has fewer histories, so what no history of a level breaks none of a stronger one does:
//! those above a level that holds are not explored. An assertion that something `exists` is the other way
//! round, and makes every level be looked at.

use hobgoblin_core::Level;

use crate::assertion::{Assertion, Quantifier};
use crate::assess::Assessed;
use crate::found::AssertionVerdict;

/// What every level came to.
#[derive(Clone, Debug)]
pub struct FoundLevels {
    /// The levels that were looked at, weakest first.
    pub levels: Vec<LevelAnswer>,
    /// The weakest levels at which all assertions hold: none of them implies another.
    pub weakest: Vec<Level>,
    /// Whether every level that matters was explored to the end.
    pub complete: bool,
}

/// What a level came to.
#[derive(Clone, Debug)]
pub struct LevelAnswer {
    /// The level.
    pub level: Level,
    /// The worst that an assertion came to there.
    pub verdict: AssertionVerdict,
    /// How that is known.
    pub why: Why,
}

/// How the answer of a level is known.
#[derive(Clone, Debug)]
pub enum Why {
    /// It follows from that of this weaker level.
    Implied(Level),
    /// The program was explored there.
    Explored(Assessed),
}

/// Asks levels from the weakest up for those at which all assertions hold. `assess` explores a level, see
/// [`assess_until_broken`](crate::assess_until_broken); it gives nothing if somebody wants it to end here.
///
/// ```
/// use hobgoblin_core::Level;
/// use hobgoblin_explore::{
///     End, ExploreError, Options, Program, Transaction, assess_until_broken, find_level,
/// };
///
/// let add = |t: &mut Transaction<'_>| {
///     let n: i64 = t.read("x")?;
///     t.write("x", n + 1)
/// };
/// let program = Program::new()
///     .init("x", 0)
///     .session("one", |s| s.txn("add", add))
///     .session("two", |s| s.txn("add", add))
///     .observe("x")
///     .assert_always("nothing is lost", |end| end.last(&"x".into()) == 2.into());
/// let found = find_level(program.assertions(), |level| {
///     let options = Options::new(level);
///     let watch = |_: &End<'_>| {};
///     assess_until_broken(&program, program.assertions(), &options, &watch).map(Some)
/// })?;
/// assert_eq!(found.weakest, [Level::PSI]);
/// # Ok::<(), ExploreError>(())
/// ```
pub fn find_level<E>(
    assertions: &[Assertion],
    mut assess: impl FnMut(Level) -> Result<Option<Assessed>, E>,
) -> Result<FoundLevels, E> {
    let monotone = assertions.iter().all(|one| one.quantifier != Quantifier::Exists);
    let all: Vec<Level> = Level::ALL.into_iter().filter(|level| level.is_usual()).collect();
    let mut levels: Vec<LevelAnswer> = Vec::new();
    for &level in &all {
        let below = levels.iter().find(|answer| {
            let explored = matches!(answer.why, Why::Explored(_));
            let holds = answer.verdict == AssertionVerdict::Holds;
            monotone && explored && holds && level.implies(answer.level)
        });
        let answer = match below.map(|answer| answer.level) {
            Some(below) => {
                LevelAnswer { level, verdict: AssertionVerdict::Holds, why: Why::Implied(below) }
            }
            None => match assess(level)? {
                Some(assessed) => LevelAnswer {
                    level,
                    verdict: worst(&assessed, assertions),
                    why: Why::Explored(assessed),
                },
                None => break,
            },
        };
        levels.push(answer);
    }
    let holds = |answer: &&LevelAnswer| answer.verdict == AssertionVerdict::Holds;
    let held: Vec<Level> = levels.iter().filter(holds).map(|answer| answer.level).collect();
    let weakest = |level: &Level| !held.iter().any(|other| other != level && level.implies(*other));
    // A level in doubt between those that are broken and those that hold may be the weakest.
    let decided = levels.iter().all(|answer| answer.verdict != AssertionVerdict::Unknown);
    Ok(FoundLevels {
        weakest: held.iter().copied().filter(weakest).collect(),
        complete: decided && levels.len() == all.len(),
        levels,
    })
}

/// The worst of what the assertions came to. Without assertions, an exploration that stopped still says nothing.
fn worst(assessed: &Assessed, assertions: &[Assertion]) -> AssertionVerdict {
    let verdicts = assessed.verdicts(assertions);
    [AssertionVerdict::Broken, AssertionVerdict::Unknown]
        .into_iter()
        .find(|verdict| verdicts.contains(verdict))
        .unwrap_or(match assessed.found.complete {
            true => AssertionVerdict::Holds,
            false => AssertionVerdict::Unknown,
        })
}
