//! Statements of the schema that the parser does not know.

use super::{DdlContext, DdlOutcome};
use crate::catalog::Catalog;
use crate::error::Result;

/// A statement of the schema that the parser does not know.
#[derive(Clone, Debug)]
pub struct Extra;

/// Reads a statement; `None` if it is none of these.
pub fn parse_extra(_sql: &str) -> Result<Option<Extra>> {
    Ok(None)
}

/// Applies a statement.
pub fn apply_extra(_catalog: &mut Catalog, _extra: &Extra, _cx: &DdlContext<'_>) -> Result<DdlOutcome> {
    Ok(DdlOutcome::default())
}
