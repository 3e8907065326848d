//! Parts of a page that are words, text, tables or links.

/// A part of a page under a heading of its own.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its heading.
    pub heading: String,
    /// What it says.
    pub body: Body,
}

/// What a block says.
#[derive(Clone, Debug)]
pub enum Body {
    /// Paragraphs, one a string.
    Words(Vec<String>),
    /// Text whose lines and spaces matter.
    Text(String),
    /// A table.
    Table {
        /// What its columns are called.
        head: Vec<String>,
        /// Its rows, as wide as the head.
        rows: Vec<Vec<String>>,
    },
    /// Links to other pages of the same server: what they say, and where they lead.
    Links(Vec<(String, String)>),
}
