//! What the file says of types, which the analysis forgets: that a whole number is a date.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::database::Connection;
use super::text;
use crate::program::{Place, Program};

/// Types of a transaction, by the names that the database has for them.
pub(super) struct Types {
    /// Those that variables are declared with, where the text says.
    pub(super) declared: Vec<Option<String>>,
    /// Those of functions that choose, by their places; `choose()`, which the database does not know, has none.
    pub(super) chosen: Vec<(Place, String)>,
}

/// The types of transactions, asked for once: they are the same in all runs.
#[derive(Default)]
pub(super) struct KnownTypes(BTreeMap<usize, Rc<Types>>);

impl KnownTypes {
    /// The types of a transaction. The connection has no transaction open, since what is no type is an error.
    pub(super) fn of(
        &mut self,
        program: &Program,
        transaction: usize,
        connection: &mut Connection,
    ) -> Rc<Types> {
        let asked = || Rc::new(Types::ask(program, transaction, connection));
        Rc::clone(self.0.entry(transaction).or_insert_with(asked))
    }
}

impl Types {
    fn ask(program: &Program, transaction: usize, connection: &mut Connection) -> Types {
        let transaction = &program.transactions[transaction];
        let variables = transaction.variables.iter();
        let declared =
            variables.map(|variable| declared_type(program, variable.place, connection)).collect();
        let chosen = text::all_choices(&transaction.body).into_iter().filter_map(|choice| {
            let written = program.text.get(choice.place.range())?;
            let types = connection.types_of(&format!("SELECT {written}"))?;
            Some((choice.place, types.into_iter().next()?))
        });
        Types { chosen: chosen.collect(), declared }
    }
}

/// The type that the text says after the name of a variable, if it does: that of a parameter or a declaration.
fn declared_type(program: &Program, name: Place, connection: &mut Connection) -> Option<String> {
    let rest = program.text.get(name.end as usize..)?;
    let mut depth = 0;
    let end = rest.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth < 0 || (depth == 0 && matches!(c, ',' | ';' | ':' | '=' | '\n'))
    });
    let written = rest[..end.unwrap_or(rest.len())].trim();
    let is_type = |c: char| c.is_ascii_alphanumeric() || " _(),[]".contains(c);
    if written.is_empty() || written.len() > 60 || !written.chars().all(is_type) {
        return None;
    }
    let types = connection.types_of(&format!("SELECT CAST(NULL AS {written})"))?;
    types.into_iter().next()
}
