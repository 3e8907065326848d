//! Whose turn it is among interleaved tasks: a request asks here before it is made.

use std::cell::Cell;

/// Where another task may go on.
///
/// ```
#[doc = include_str!("facade.txt")]
/// use hobgoblin::store::Options;
/// use hobgoblin::test::YieldAt;
///
/// let options = Options::default().yield_at(YieldAt::Request);
/// # drop(options);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum YieldAt {
    /// At every request, so that transactions overlap in every way.
    #[default]
    Request,
    /// At every begin of a transaction, so that transactions do not overlap; at requests outside of
    /// transactions too.
    Begin,
}

/// What a request that is about to be made should do.
pub(crate) enum Turn {
    /// The thread has no executor, so the request is made at once.
    Free,
    /// Wait until the executor polls again.
    Yield,
    /// The request may be made now.
    Go,
}

/// What the executor of this thread lets the running task do.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// The thread has no executor.
    Off,
    /// The running task has not made its request yet.
    Granted(YieldAt),
    /// The running task has made its request; the next one yields.
    Used(YieldAt),
    /// The running task has yielded and is about to make another request.
    Yielded(YieldAt),
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Off) };
}

/// Asks for leave to make a request. One turn is one request.
pub(crate) fn turn(starts: bool) -> Turn {
    MODE.with(|mode| match mode.get() {
        Mode::Off => Turn::Free,
        Mode::Granted(at) => {
            mode.set(Mode::Used(at));
            Turn::Go
        }
        Mode::Used(YieldAt::Begin) if !starts => Turn::Go,
        Mode::Used(at) | Mode::Yielded(at) => {
            mode.set(Mode::Yielded(at));
            Turn::Yield
        }
    })
}

/// Whether an executor lets this task run.
pub(crate) fn is_driven() -> bool {
    MODE.with(|mode| mode.get() != Mode::Off)
}

/// Sets the mode back, also when a task panics.
pub(crate) struct Restore(Mode);

impl Restore {
    /// Switches the mode off until this is dropped.
    pub(crate) fn off() -> Restore {
        Restore(MODE.with(|mode| mode.replace(Mode::Off)))
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        MODE.with(|mode| mode.set(self.0));
    }
}

/// Runs something in a mode; whether it yielded.
pub(crate) fn within<T>(mode: Mode, run: impl FnOnce() -> T) -> (T, bool) {
    MODE.with(|current| current.set(mode));
    let result = run();
    let ended = MODE.with(|current| current.replace(Mode::Off));
    (result, matches!(ended, Mode::Yielded(_)))
}
