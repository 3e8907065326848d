//! A library that panics is a finding: what it said is kept, and nothing is printed.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// What a library said when it panicked, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Panic {
    pub(super) message: String,
    pub(super) place: String,
}

thread_local! {
    /// Whether this thread runs the library now.
    static LISTENING: Cell<bool> = const { Cell::new(false) };
    static HEARD: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Runs the library, and tells if it panics.
pub(super) fn caught<T>(library: impl FnOnce() -> T) -> Result<T, Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !LISTENING.get() {
                return before(info);
            }
            let owned = info.payload().downcast_ref::<String>().map(String::as_str);
            let text = owned.or_else(|| info.payload().downcast_ref::<&str>().copied());
            let message = text.unwrap_or("(not a text)").to_owned();
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            HEARD.with_borrow_mut(|heard| *heard = Some(Panic { message, place }));
        }));
    });
    let outer = LISTENING.replace(true);
    // What the library left half done is not used after a panic, except to drop it.
    let result = catch_unwind(AssertUnwindSafe(library));
    LISTENING.set(outer);
    result.map_err(|_| {
        let unheard = || Panic { message: "(unknown)".to_owned(), place: String::new() };
        HEARD.with_borrow_mut(Option::take).unwrap_or_else(unheard)
    })
}
