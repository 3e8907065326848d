//! What a dialect keeps with an object beside what all dialects know of it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What a dialect keeps with an object, to describe it as it was declared. Only the dialect knows what it is, and nothing
/// that is done to rows depends on it.
#[derive(Clone, Default)]
pub struct Notes(Option<Arc<dyn Any + Send + Sync>>);

impl Notes {
    /// What is to be kept.
    pub fn new<T: Any + Send + Sync>(kept: T) -> Notes {
        Notes(Some(Arc::new(kept)))
    }

    /// What is kept, if it is of this kind.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_deref()?.downcast_ref()
    }
}

/// Notes are equal if they are the same ones.
impl PartialEq for Notes {
    fn eq(&self, other: &Notes) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for Notes {}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Notes" } else { "no notes" })
    }
}
