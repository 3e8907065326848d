//! Whoever follows an exploration while it runs.

use crate::end::End;
use crate::found::Progress;

/// A running exploration, for those who watch it.
pub trait Watch: Sync {
    /// A history that satisfies the level. Called from several threads at once.
    fn end(&self, end: &End<'_>);

    /// Called every now and then.
    fn progress(&self, _progress: &Progress) {}

    /// Asked every now and then: whether to stop.
    fn stop(&self) -> bool {
        false
    }
}

impl<F: Fn(&End<'_>) + Sync> Watch for F {
    fn end(&self, end: &End<'_>) {
        self(end);
    }
}
