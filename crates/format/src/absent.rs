//! In place of [`foreign`](crate) where a build leaves the formats of other tools out: what is asked for is named.

use std::io::{BufRead, Write};
use std::path::Path;

use hobgoblin_core::History;

use crate::error::{Failure, ParseError, WriteError};
use crate::format::Format;
use crate::record::{Header, TxnRecord};
use crate::watch::Watch;

const HELP: &str = "turn on the feature `formats` of `hobgoblin`";

pub(crate) fn looks_like(_: Format, _: &[u8]) -> bool {
    false
}

pub(crate) fn looks_like_directory(_: &Path) -> bool {
    false
}

pub(crate) fn read(format: Format, _: &mut dyn BufRead) -> Result<History, Failure> {
    let message = format!("this build does not read {}", format.name());
    Err(ParseError::at(0, 0, message, HELP).into())
}

pub(crate) fn read_directory(_: &Path, _: Watch<'_>) -> Result<History, Failure> {
    Err(ParseError::at(0, 0, "this build does not read directories", HELP).into())
}

pub(crate) fn write(_: &History, format: Format, _: &mut dyn Write) -> Result<(), WriteError> {
    Foreign::can_write(format)
}

pub(crate) fn write_directory(_: &History, _: &Path) -> Result<(), WriteError> {
    Foreign::can_write(Format::Cobra)
}

#[derive(Default)]
pub(crate) struct Foreign;

impl Foreign {
    pub(crate) fn can_write(format: Format) -> Result<(), WriteError> {
        Err(WriteError::Inexpressible { format, what: format!("anything in this build; {HELP}") })
    }

    pub(crate) fn header(&self, format: Format, _: &Header) -> Result<(), WriteError> {
        Foreign::can_write(format)
    }

    pub(crate) fn txn(
        &mut self,
        format: Format,
        _: &mut Vec<u8>,
        _: &TxnRecord,
    ) -> Result<(), WriteError> {
        Foreign::can_write(format)
    }

    pub(crate) fn finish(&mut self, _: &mut impl Write) -> Result<(), WriteError> {
        Ok(())
    }
}
