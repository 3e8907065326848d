//! Columns of text, as wide as they need to be.

use std::io::{self, Write};

use crate::harmless::one_line;
use crate::style::{Ink, Style};

/// A table: a row of names, and rows of cells.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<(String, Ink)>>,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(columns: &[&str]) -> Table {
        Table { rows: vec![columns.iter().map(|name| (name.to_string(), Ink::Faint)).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<(String, Ink)>) {
        debug_assert_eq!(cells.len(), self.rows[0].len());
        // As wide as they will be shown.
        let cell = |(text, ink): (String, Ink)| (one_line(&text).into_owned(), ink);
        self.rows.push(cells.into_iter().map(cell).collect());
    }

    /// Adds a row without colors.
    pub(crate) fn plain(&mut self, cells: Vec<String>) {
        self.row(cells.into_iter().map(|cell| (cell, Ink::Plain)).collect());
    }

    /// Writes it, without blanks at the ends of lines and without columns that are empty.
    pub(crate) fn write(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        let width = |column: usize, skip: usize| {
            self.rows.iter().skip(skip).map(|row| row[column].0.chars().count()).max()
        };
        let columns: Vec<(usize, usize)> = (0..self.rows[0].len())
            .filter(|&column| width(column, 1).unwrap_or(1) > 0)
            .map(|column| (column, width(column, 0).unwrap_or(0)))
            .collect();
        for row in &self.rows {
            let mut line = String::new();
            let mut blanks = 0;
            for &(column, width) in &columns {
                let (text, ink) = &row[column];
                if !text.is_empty() {
                    line.push_str(&" ".repeat(blanks));
                    line.push_str(&style.paint(*ink, text));
                    blanks = 0;
                }
                blanks += width + 2 - text.chars().count();
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}
