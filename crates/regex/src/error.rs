//! What may be wrong with a pattern, in PostgreSQL's words.

/// Why a pattern cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Error {
    #[error("invalid regexp (reg version 0.8)")]
    Version,
    #[error("invalid collating element")]
    CollatingElement,
    #[error("invalid character class")]
    CharacterClass,
    #[error("invalid escape \\ sequence")]
    Escape,
    #[error("invalid backreference number")]
    Backreference,
    #[error("brackets [] not balanced")]
    Brackets,
    #[error("parentheses () not balanced")]
    Parentheses,
    #[error("braces {{}} not balanced")]
    Braces,
    #[error("invalid repetition count(s)")]
    Repetition,
    #[error("invalid character range")]
    Range,
    #[error("quantifier operand invalid")]
    Quantifier,
    #[error("invalid argument to regex function")]
    Argument,
    #[error("invalid embedded option")]
    Option,
    #[error("regular expression is too complex")]
    TooComplex,
}

/// A match that was given up, since the caller asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the match was interrupted")]
pub struct Interrupted;
