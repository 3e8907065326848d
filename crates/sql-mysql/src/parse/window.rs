//! Windows of functions.

use sqlparser::ast::{
    Expr, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::expression::PIPE;

impl Parser<'_> {
    /// What follows OVER.
    pub(super) fn window(&mut self) -> Result<WindowType> {
        match self.is_sign("(") {
            true => self.window_spec().map(WindowType::WindowSpec),
            false => self.ident().map(WindowType::NamedWindow),
        }
    }

    /// A window in parentheses.
    pub(super) fn window_spec(&mut self) -> Result<WindowSpec> {
        self.expect_sign("(")?;
        let window_name = if self.is_name() { Some(self.ident()?) } else { None };
        let partition_by = match self.takes("PARTITION") {
            true => {
                self.expect("BY")?;
                self.listed(Self::expr)?
            }
            false => Vec::new(),
        };
        let order_by = self.order_by()?.unwrap_or_default();
        let window_frame = self.frame()?;
        self.expect_sign(")")?;
        Ok(WindowSpec { window_name, partition_by, order_by, window_frame })
    }

    fn frame(&mut self) -> Result<Option<WindowFrame>> {
        let units = match self.takes_one_of(&["ROWS", "RANGE"]) {
            Some("ROWS") => WindowFrameUnits::Rows,
            Some(_) => WindowFrameUnits::Range,
            None => return Ok(None),
        };
        let between = self.takes("BETWEEN");
        let start_bound = self.bound(between)?;
        let end_bound = match between {
            true => {
                self.expect("AND")?;
                Some(self.bound(true)?)
            }
            false => None,
        };
        if self.is_mariadb() && self.takes("EXCLUDE") {
            return Err(ParseError::Unsupported("EXCLUDE of a window's frame"));
        }
        Ok(Some(WindowFrame { units, start_bound, end_bound }))
    }

    fn bound(&mut self, following: bool) -> Result<WindowFrameBound> {
        if self.takes("CURRENT") {
            self.expect("ROW")?;
            return Ok(WindowFrameBound::CurrentRow);
        }
        let distance: Option<Box<Expr>> = if self.takes("UNBOUNDED") {
            None
        } else if self.takes("INTERVAL") {
            let value = self.expr()?;
            Some(Box::new(self.interval(value)?.expr))
        } else {
            Some(Box::new(self.at_least(PIPE)?))
        };
        let sides: &[&str] = if following { &["PRECEDING", "FOLLOWING"] } else { &["PRECEDING"] };
        Ok(match self.expect_one_of(sides)? {
            "PRECEDING" => WindowFrameBound::Preceding(distance),
            _ => WindowFrameBound::Following(distance),
        })
    }
}
