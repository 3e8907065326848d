//! Exploration from outside: start, watch, stop, go on later.

use crate::branch::Branch;
use crate::checkpoint::{self, Checkpoint};
use crate::compiled::Compiled;
use crate::end::End;
use crate::error::ExploreError;
use crate::found::Found;
use crate::options::{Mode, Options};
use crate::program::Program;
use crate::watch::Watch;
use crate::{modes, token, workers};

/// Explores a program, or what a checkpoint has left of it, and gives what is left then. Assertions are not looked
/// at.
pub fn resume(
    program: &Program,
    options: &Options,
    from: Option<&Checkpoint>,
    watch: &dyn Watch,
) -> Result<(Found, Option<Checkpoint>), ExploreError> {
    let compiled = Compiled::new(&program.script, options)?;
    match options.mode {
        Mode::Histories => {}
        _ if from.is_some() => {
            let text = "only the exploration of histories can be resumed".to_owned();
            return Err(ExploreError::Options(text));
        }
        Mode::States => return Ok((compiled.met(modes::every_state(&compiled, watch)?), None)),
        Mode::Schedules => {
            return Ok((compiled.met(modes::every_schedule(&compiled, watch)?), None));
        }
    }
    let (found, open) = match from {
        Some(checkpoint) => checkpoint::read(&compiled, checkpoint)?,
        None => (Found::default(), vec![Branch::default()]),
    };
    let (found, left) = workers::run(&compiled, watch, open, found)?;
    let checkpoint = (!left.is_empty()).then(|| checkpoint::write(&compiled, &found, &left));
    Ok((compiled.met(found), checkpoint))
}

/// Makes one end again from its token.
pub fn replay<R>(
    program: &Program,
    token: &str,
    look: impl FnOnce(&End<'_>) -> R,
) -> Result<R, ExploreError> {
    let options = Options::new(token::level(token)?);
    let compiled = Compiled::new(&program.script, &options)?;
    let branch = token::read(&compiled, token)?;
    Ok(look(&End { compiled: &compiled, branch: &branch }))
}
