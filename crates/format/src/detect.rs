//! Detection.
