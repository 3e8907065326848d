//! The database before and after: schema and rows go in, all rows come out.

use hobgoblin_core::Level;
use hobgoblin_front::Profile;
use hobgoblin_sql_postgres::Postgres;

use super::database::{Connection, Held, MockDatabase};
use super::error::ReplayError;
use super::observation::{Seen, State};
use super::sequence::sequence_of;
use crate::program::{Program, TableId};
use crate::scenario::Scenario;

/// A database with the program's schema and the scenario's rows, and the session that made them.
pub(super) fn prepared(
    program: &Program,
    scenario: &Scenario,
    postgres: &'static Postgres,
    (profile, level): (Profile, Level),
) -> Result<(MockDatabase, Connection), ReplayError> {
    let database = MockDatabase::open(postgres, profile, level);
    let database = database.map_err(|message| setup_error("the store", message))?;
    let mut setup = connect(&database, "setup")?;
    let run = |connection: &mut Connection, sql: &str| match connection.run(sql) {
        Ok(_) => Ok(()),
        Err(error) => Err(setup_error(sql, error.message())),
    };
    for place in &program.schema {
        run(&mut setup, program.text.get(place.range()).unwrap_or_default())?;
    }
    for table in parents_first(program) {
        let name = quoted_name(&program.tables[table.0 as usize].name);
        let types = setup.types_of(&format!("SELECT * FROM {name}")).unwrap_or_default();
        let mut rows = Vec::new();
        for (_, row) in scenario.rows.iter().filter(|(of, _)| *of == table) {
            if row.len() != types.len() {
                let what = format!("a row of {name} has {} values", row.len());
                return Err(ReplayError::Scenario { what });
            }
            let mut values = Vec::new();
            for (literal, ty) in row.iter().zip(&types) {
                let held = setup.literal(literal, Some(ty));
                values.push(held.map_err(|error| setup_error(&name, error.message()))?.sql());
            }
            rows.push(format!("({})", values.join(", ")));
        }
        if !rows.is_empty() {
            // All at once: rows of a table may refer to each other.
            run(&mut setup, &format!("INSERT INTO {name} VALUES {}", rows.join(", ")))?;
            let columns = &program.tables[table.0 as usize].columns;
            for (at, column) in columns.iter().enumerate() {
                if let Some(sequence) = sequence_of(program, table, at) {
                    // What it gives next is new.
                    let column = quoted_name(&column.name);
                    let next = format!("greatest(max({column}) + 1, 1)");
                    let sql = format!("SELECT setval({sequence}, {next}, false) FROM {name}");
                    run(&mut setup, &sql)?;
                }
            }
        }
    }
    database.fence().map_err(|message| setup_error("the fence", message))?;
    Ok((database, setup))
}

/// The tables, those that others refer to before these.
fn parents_first(program: &Program) -> Vec<TableId> {
    let mut ordered: Vec<TableId> = Vec::new();
    let all = (0..program.tables.len() as u32).map(TableId);
    let mut left: Vec<TableId> = all.collect();
    while !left.is_empty() {
        let ready = left.iter().position(|&table| {
            let references = &program.tables[table.0 as usize].references;
            references.iter().all(|to| to.table == table || ordered.contains(&to.table))
        });
        // Tables that refer to each other have no such order, and any will do as well.
        ordered.push(left.remove(ready.unwrap_or(0)));
    }
    ordered
}

/// All rows of all tables.
pub(super) fn state(program: &Program, connection: &mut Connection) -> Result<State, ReplayError> {
    let mut tables = Vec::new();
    for table in &program.tables {
        let sql = format!("SELECT * FROM {}", quoted_name(&table.name));
        let answered = connection.run(&sql);
        let answered = answered.map_err(|error| setup_error(&sql, error.message()))?;
        let of = |row: Vec<Held>| row.into_iter().map(|held| held.text).collect();
        let mut rows: Vec<Seen> = answered.rows.into_iter().map(of).collect();
        rows.sort();
        tables.push((table.name.clone(), rows));
    }
    Ok(State { tables })
}

pub(super) fn connect(database: &MockDatabase, name: &str) -> Result<Connection, ReplayError> {
    database.connect(name).map_err(|error| setup_error("a session", error.message()))
}

fn quoted_name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(super) fn setup_error(sql: &str, message: String) -> ReplayError {
    ReplayError::Setup { sql: sql.to_owned(), message }
}
