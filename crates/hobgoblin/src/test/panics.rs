//! What panicking threads said.
//!
//! `std::thread::scope` says "a scoped thread panicked", and a handle's `join().unwrap()` says `Any { .. }`. So a
//! hook, which calls the one before it, notes what a thread says when it panics, under the store it last used.

use std::collections::HashMap;
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use hobgoblin_front::Store;

/// By store, the first few that panicked.
static SAID: Mutex<Option<HashMap<u64, Vec<String>>>> = Mutex::new(None);

/// How many are kept for a store.
const MOST: usize = 3;

fn said() -> MutexGuard<'static, Option<HashMap<u64, Vec<String>>>> {
    SAID.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens for as long as this lives.
pub(super) struct Listening {
    store: u64,
}

impl Listening {
    pub(super) fn to(store: &Store) -> Listening {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = take_hook();
            set_hook(Box::new(move |panic| {
                note(panic);
                before(panic);
            }));
        });
        said().get_or_insert_default().insert(store.number(), Vec::new());
        Listening { store: store.number() }
    }

    /// What threads said that panicked.
    pub(super) fn heard(&self) -> Vec<String> {
        let said = said();
        said.as_ref().and_then(|said| said.get(&self.store)).cloned().unwrap_or_default()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if let Some(said) = said().as_mut() {
            said.remove(&self.store);
        }
    }
}

fn note(panic: &PanicHookInfo<'_>) {
    let Some(store) = Store::last_used() else { return };
    let Some(text) = text(panic.payload()) else { return };
    let thread = std::thread::current();
    let name = thread.name().map(|name| format!(" {name:?}")).unwrap_or_default();
    let place = panic.location().map(|at| format!(" at {at}")).unwrap_or_default();
    if let Some(heard) = said().as_mut().and_then(|said| said.get_mut(&store))
        && heard.len() < MOST
    {
        heard.push(format!("a thread{name} panicked{place}:\n{text}"));
    }
}

/// What a panic says, if it is text.
pub(super) fn text(payload: &(dyn std::any::Any + Send)) -> Option<&str> {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| payload.downcast_ref::<&str>().copied())
}
