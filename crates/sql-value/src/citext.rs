//! Values of citext: a text, and what of it compares.

use hobgoblin_core::Text;

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
    pub fn new(text: impl Into<Text>) -> Citext {
        let text = text.into();
        let folded = Citext::fold(&text).into();
        Citext { text, folded }
    }

    /// What of a text compares.
    pub fn fold(text: &str) -> String {
        text.chars().map(hobgoblin_regex::lower).collect()
    }
}
