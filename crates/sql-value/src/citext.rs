//! Values of citext: a text, and what of it compares.

use std::sync::Arc;

use hobgoblin_core::Text;

use crate::Datum;

/// A text that compares without regard to case.
#[derive(Clone, Debug)]
pub struct Citext {
    /// As written.
    pub text: Text,
    /// In small letters, each letter on its own, as the C library makes them.
    pub folded: Box<str>,
}

impl Citext {
    /// A value.
    pub fn datum(text: impl Into<Text>) -> Datum {
        let text = text.into();
        let folded = Citext::fold(&text).into();
        Datum::Citext(Arc::new(Citext { text, folded }))
    }

    /// What of a text compares.
    pub fn fold(text: &str) -> String {
        text.chars().map(hobgoblin_regex::lower).collect()
    }
}
