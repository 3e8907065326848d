//! Values: of variables and expressions, and what stands for them in SQL.

use hobgoblin_sql::error::SqlError;

use super::super::database::{Answered, Held};
use super::super::error::ReplayError;
use super::super::observation::Observation;
use super::super::text::{self, Replacement};
use super::{Result, Run};
use crate::program::{Expr, ExprKind, Place, Statement, VariableId};
use crate::scenario::Literal;

/// What became of a statement: an answer, or an error that the program meets, after which it has failed.
type Met<T> = Result<Option<T>>;

impl<'p> Run<'p> {
    /// Runs the SQL of a statement as it is written.
    pub(super) fn sql(&mut self, statement: &'p Statement) -> Met<Answered> {
        let choices = text::choices_of(statement);
        // The default of a column is chosen by the database: it stands in the table's definition.
        let inside = |choice: &&Expr| statement.sql.iter().any(|piece| piece.has(choice.place));
        self.unforced |= !choices.iter().all(inside);
        let replacements = self.replacements(choices)?;
        let filled = text::fill(&self.program.text, &statement.sql, &replacements);
        // What PL/pgSQL calls PERFORM is SELECT.
        let perform = filled.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("perform"));
        let sql = if perform { format!("SELECT{}", &filled[7..]) } else { filled };
        self.ask(&sql, statement.place)
    }

    /// The value of an expression, or nothing if it fails.
    pub(super) fn value(&mut self, expr: &'p Expr) -> Met<Held> {
        match &expr.kind {
            ExprKind::Variable(id) => return Ok(Some(self.variables[id.0 as usize].clone())),
            ExprKind::Null => return Ok(Some(Held::null(expr.ty))),
            _ => {}
        }
        let mut choices = Vec::new();
        text::choices(expr, &mut choices);
        let replacements = self.replacements(choices)?;
        let sql = text::expression(&self.program.text, expr, &replacements);
        let Some(answered) = self.ask(&format!("SELECT {sql}"), expr.place)? else {
            return Ok(None);
        };
        let value = answered.rows.into_iter().next().and_then(|row| row.into_iter().next());
        Ok(Some(value.unwrap_or_else(|| Held::null(expr.ty))))
    }

    /// What stands for variables and for choices.
    pub(super) fn replacements(&mut self, choices: Vec<&Expr>) -> Result<Vec<Replacement>> {
        let mentions = self.transaction.mentions.iter();
        let mut all: Vec<Replacement> =
            mentions.map(|&(place, id)| (place, self.variables[id.0 as usize].sql())).collect();
        for choice in choices {
            let literal = self.choices.pop_front().unwrap_or_else(|| Literal::any(choice.ty));
            let known = self.types.chosen.iter().find(|(place, _)| *place == choice.place);
            let ty = known.map(|(_, ty)| ty.as_str());
            let held = self.connection.literal(&literal, ty);
            let held = held.map_err(|error| self.broken(choice.place, "a choice", &error))?;
            all.push((choice.place, held.sql()));
        }
        all.sort_by_key(|(place, _)| *place);
        Ok(all)
    }

    /// Runs SQL. An error that a program can meet fails the instance; any other is ours or the scenario's.
    pub(super) fn ask(&mut self, sql: &str, place: Place) -> Met<Answered> {
        match self.connection.run(sql) {
            Ok(answered) => Ok(Some(answered)),
            Err(error) => {
                let state = error.state().0;
                // Errors of data, of constraints, and those that a program raises.
                if !["21", "22", "23", "P0"].iter().any(|class| state.starts_with(class)) {
                    return Err(self.broken(place, sql, &error));
                }
                self.fail(Observation::Error { place, state: state.to_owned() });
                Ok(None)
            }
        }
    }

    pub(super) fn broken(&self, place: Place, sql: &str, error: &SqlError) -> ReplayError {
        let (instance, message) = (self.number, error.message());
        match error.state().0 {
            "40001" => ReplayError::Refused { instance, message },
            "40P01" | "55P03" => ReplayError::Waits { instance, message },
            _ => ReplayError::Statement { instance, place, sql: sql.to_owned(), message },
        }
    }

    /// Gives a variable a value, which becomes one of its declared type.
    pub(super) fn assign(&mut self, variable: VariableId, value: Held) -> Result<()> {
        let at = variable.0 as usize;
        let place = self.transaction.variables[at].place;
        self.variables[at] = match self.types.declared[at].clone() {
            Some(ty) if ty != value.ty => {
                let cast = format!("SELECT CAST({} AS {ty})", value.sql());
                let Some(answered) = self.ask(&cast, place)? else { return Ok(()) };
                let value = answered.rows.into_iter().flatten().next();
                value.unwrap_or(Held { text: None, ty })
            }
            _ => value,
        };
        Ok(())
    }
}
