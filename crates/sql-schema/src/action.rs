//! What a foreign key does to rows when the row or key that they refer to goes or changes.

/// ON DELETE or ON UPDATE of a foreign key. RESTRICT refuses at once, and NO ACTION when the
/// constraint is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Action {
    NoAction,
    Restrict,
    Cascade,
    SetNull,
    SetDefault,
}
