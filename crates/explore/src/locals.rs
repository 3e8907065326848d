//! The locals of a session: what its transactions remember for those after them.

use std::ops::Deref;
use std::sync::Arc;

use hobgoblin_core::{Text, Value};

/// A local: its name and what it holds.
pub(crate) type Local = (Text, Value);

/// The locals of a session. Most sessions have none, and nothing is allocated for those.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Locals(Option<Arc<[Local]>>);

impl Locals {
    pub(crate) fn new(locals: &[Local]) -> Locals {
        Locals((!locals.is_empty()).then(|| locals.into()))
    }

    /// A copy that shares no list with others.
    pub(crate) fn detached(&self) -> Locals {
        Locals::new(self)
    }
}

impl Deref for Locals {
    type Target = [Local];

    fn deref(&self) -> &[Local] {
        self.0.as_deref().unwrap_or_default()
    }
}
