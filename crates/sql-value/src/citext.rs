//! Values of citext: texts that compare without regard to case.
//!
//! Letters are folded once, when the value is made, since a value is compared more often than it is
//! made.

use hobgoblin_core::Text;

/// A text that compares without regard to case.
#[derive(Clone, Debug)]
pub struct Citext {
    /// The text as it was written, which is what prints.
    pub text: Text,
    /// The text in small letters, which is what compares. Each letter is folded on its own, as the
    /// C library does.
    pub folded: Box<str>,
}

impl Citext {
    /// The value of a text.
    pub fn new(text: impl Into<Text>) -> Citext {
        let text = text.into();
        let folded = Citext::fold(&text).into();
        Citext { text, folded }
    }

    /// A text in small letters.
    pub fn fold(text: &str) -> String {
        text.chars().map(hobgoblin_regex::lower).collect()
    }
}
