//! Values: of variables and expressions, and what stands for them in SQL.

use hobgoblin_sql_postgres_types::error::SqlError;

use super::super::database::{Answered, Held};
use super::super::error::ReplayError;
use super::super::observation::Observation;
use super::super::sequence::sequence_of;
use super::super::text::{self, Replacement};
use super::{Result, Run};
use crate::program::{Expr, ExprKind, Place, Statement, StatementKind, VariableId};
use crate::scenario::Literal;

/// What became of a statement: an answer, or an error that the program meets, after which it has failed.
type Met<T> = Result<Option<T>>;

impl<'p> Run<'p> {
    /// Runs the SQL of a statement as it is written.
    pub(super) fn sql(&mut self, statement: &'p Statement) -> Met<Answered> {
        let choices = text::choices_of(statement);
        // The default of a column is chosen by the database: it stands in the table's definition.
        let inside = |choice: &&&Expr| statement.sql.iter().any(|piece| piece.has(choice.place));
        let outside: Vec<Place> =
            choices.iter().filter(|choice| !inside(choice)).map(|choice| choice.place).collect();
        let sequence = match outside[..] {
            [place] => self.sequence(statement, place),
            _ => None,
        };
        self.traced.unforced |= !outside.is_empty() && sequence.is_none();
        if let Some(sequence) = &sequence {
            self.force(sequence, statement.place)?;
        }
        let replacements = self.replacements(choices)?;
        let filled = text::fill(&self.program.text, &statement.sql, &replacements);
        // What PL/pgSQL calls PERFORM is SELECT.
        let perform = filled.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("perform"));
        let sql = if perform { format!("SELECT{}", &filled[7..]) } else { filled };
        let answered = self.ask(&sql, statement.place)?;
        if let Some(sequence) = sequence.filter(|_| answered.is_some()) {
            let current = self.ask(&format!("SELECT currval({sequence})"), statement.place)?;
            let value = current.and_then(|answered| answered.rows.into_iter().flatten().next());
            let value = value.and_then(|held| held.text?.parse().ok());
            self.traced.unforced |= value.is_none();
            self.traced.given.extend(value.map(|value| (sequence, value)));
        }
        Ok(answered)
    }

    /// The sequence that gives an INSERT the default which stands at a place.
    fn sequence(&self, statement: &Statement, at: Place) -> Option<String> {
        let StatementKind::Insert { table, .. } = &statement.kind else { return None };
        let columns = &self.program.tables[table.0 as usize].columns;
        let is_it = |default: &Expr| default.place == at;
        let column =
            columns.iter().position(|column| column.default.as_ref().is_some_and(is_it))?;
        sequence_of(self.program, *table, column)
    }

    /// Makes a sequence give what it has to, if that is said. Beyond that, it gives what nobody else has.
    fn force(&mut self, sequence: &str, place: Place) -> Result<()> {
        let Some(forced) = &mut self.forced else { return Ok(()) };
        let value = match forced.iter().position(|(of, _)| of == sequence) {
            Some(at) => forced.remove(at).1,
            None => 1_000_000 + 1_000 * self.number as i64 + self.traced.given.len() as i64,
        };
        self.ask(&format!("SELECT setval({sequence}, {value}, false)"), place).map(|_| ())
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
