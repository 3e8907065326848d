//! Schemas: the same statements on a catalogue and on MariaDB, and what SHOW CREATE TABLE says of every table.

use std::path::Path;
use std::sync::Arc;

use hobgoblin_sql_mysql::catalog::ddl::{DdlBinder, DdlContext, QueryColumn, apply, is_ddl};
use hobgoblin_sql_mysql::catalog::{self, definition_text};
use hobgoblin_sql_mysql::parse::{ParseError, Reading, parse_at};
use hobgoblin_sql_mysql::syntax::Special;
use hobgoblin_sql_mysql::{Functions, MySql};
use hobgoblin_sql_mysql_types::{Collation, Settings, Speaker, Version, common_type, worded};
use hobgoblin_sql_schema::catalog::{Catalog, Table};
use hobgoblin_sql_schema::names::{NoNames, TypeEnv};
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::TypeId;
use sqlparser::ast::{Expr, Query};

use crate::server::Server;

static DIALECT: MySql = MySql::new(Functions {
    function: |name, _| Err(SqlError::unsupported(name)),
    operator: |name, _, _| Err(SqlError::unsupported(name)),
    condition: |_| None,
    refined: |_, _, _, ty| ty,
    common_type: |types, _| common_type(types),
    has_function: |_| false,
    is_of_version: |_, _| true,
    is_aggregate: |_| false,
    interval_function: |_, _| None,
});

/// Takes every expression for one that binds.
struct Trusting;

impl DdlBinder for Trusting {
    fn describe_query(&self, _: &Catalog, _: &Query) -> Result<Vec<QueryColumn>> {
        Err(SqlError::unsupported("queries"))
    }

    fn describe_expr(&self, _: &Catalog, _: &Arc<Table>, _: &Expr) -> Result<TypeId> {
        Ok(TypeId::BOOLEAN)
    }
}

/// A catalogue without rows, and a database in use.
pub(crate) struct Schema {
    catalog: Catalog,
    settings: Settings,
    database: Option<String>,
    foreign_key_checks: bool,
    explicit_timestamps: bool,
}

impl Schema {
    pub(crate) fn new() -> Schema {
        Schema {
            catalog: catalog::new(&DIALECT, Collation::DEFAULT),
            settings: Settings::default(),
            database: None,
            foreign_key_checks: true,
            explicit_timestamps: true,
        }
    }

    /// Runs a statement: what it shows, or its error.
    pub(crate) fn run(&mut self, statement: &str) -> Result<String, (u16, String)> {
        let (parsed, _) = match parse_at(statement, 0, Reading::default()) {
            Ok(parsed) => parsed,
            Err(ParseError::Empty) => return Ok(String::new()),
            Err(error) => return Err((error.number(), error.to_string())),
        };
        let Some(special) = parsed.special.clone() else { return Ok(String::new()) };
        let database = self.database.clone().unwrap_or_default();
        self.special(&special).map_err(|error| {
            let speaker = Speaker { version: Version::MariaDb10_11, database: &database };
            let error = worded(error, speaker);
            (error.more.number.unwrap_or(0), error.message())
        })
    }

    fn special(&mut self, special: &Special) -> Result<String> {
        match special {
            Special::Use(name) => self.database = Some(name.value.clone()),
            Special::Show(show) => return Ok(self.show(show)),
            Special::Set(_) => {}
            other if is_ddl(other) => {
                let mut catalog = self.catalog.clone();
                let cx = DdlContext {
                    database: self.database.as_deref(),
                    session: 1,
                    user: "root@localhost",
                    foreign_key_checks: self.foreign_key_checks,
                    explicit_timestamps: self.explicit_timestamps,
                    server_collation: Collation::DEFAULT,
                    now: 0,
                    env: TypeEnv::new(&self.settings, &NoNames),
                    binder: &Trusting,
                };
                let outcome = apply(&mut catalog, other, &cx)?;
                self.catalog = catalog;
                if let Some(late) = outcome.late {
                    return Err(late);
                }
            }
            _ => {}
        }
        Ok(String::new())
    }

    fn show(&self, show: &hobgoblin_sql_mysql::syntax::Show) -> String {
        let Some(name) = &show.table else { return String::new() };
        let Ok((database, name)) = catalog::names::split(name, self.database.as_deref()) else {
            return String::new();
        };
        let found = self.catalog.relation_in(&database, &name);
        match found {
            Some(hobgoblin_sql_schema::catalog::Found::Table(table)) => {
                definition_text::create_table(table, &self.catalog, None, Version::MariaDb10_11)
            }
            _ => String::new(),
        }
    }
}

/// The lines that only one of two answers has.
fn differing_lines(ours: &Result<String, u16>, real: &Result<String, u16>) -> String {
    let (Ok(ours), Ok(real)) = (ours, real) else {
        return format!("  hob     {ours:?}\n  MariaDB {real:?}");
    };
    let mut out = String::new();
    for line in ours.lines().filter(|line| !real.lines().any(|other| other == *line)) {
        out.push_str(&format!("  hob     {line}\n"));
    }
    for line in real.lines().filter(|line| !ours.lines().any(|other| other == *line)) {
        out.push_str(&format!("  MariaDB {line}\n"));
    }
    if out.is_empty() { "  in another order\n".to_owned() } else { out }
}

/// The statements of a text.
fn statements(text: &str) -> Vec<String> {
    let (mut all, mut from) = (Vec::new(), Some(0));
    while let Some(at) = from {
        match parse_at(text, at, Reading::default()) {
            Ok((statement, next)) => {
                let changes = statement.special.as_deref().is_some_and(is_ddl);
                all.extend(changes.then(|| statement.text.to_string()));
                from = next;
            }
            Err(ParseError::Empty) => break,
            Err(error) => panic!("{error}"),
        }
    }
    all
}

/// Without the next value of a counter, which nobody keeps here.
fn without_counter(text: &str) -> String {
    match text.split_once(" AUTO_INCREMENT=") {
        Some((before, after)) => {
            let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{before}{after}")
        }
        None => text.to_owned(),
    }
}

/// Runs statements on both, each with what SHOW CREATE TABLE says of the tables that are there in the end.
fn compare(server: &Server, database: &str, statements: &[String]) -> (usize, Vec<String>) {
    let mut schema = Schema::new();
    let mut wrong = Vec::new();
    let setup = [format!("CREATE OR REPLACE DATABASE {database}"), format!("USE {database}")];
    let ddl: Vec<String> = setup.into_iter().chain(statements.iter().cloned()).collect();
    let real = server.answers(&ddl);
    for (statement, real) in ddl.iter().zip(&real) {
        let ours = schema.run(statement).map(drop);
        let real = real.clone().map(drop);
        if ours != real {
            wrong.push(format!("{statement}\n  hob     {ours:?}\n  MariaDB {real:?}"));
        }
    }
    let tables: Vec<String> = schema
        .catalog
        .schemas
        .get(database)
        .map(|schema| schema.relations.keys().cloned().collect())
        .unwrap_or_default();
    let shows: Vec<String> =
        tables.iter().map(|table| format!("SHOW CREATE TABLE `{table}`")).collect();
    let with_use: Vec<String> =
        std::iter::once(format!("USE {database}")).chain(shows.iter().cloned()).collect();
    let real = server.answers(&with_use);
    for (show, real) in shows.iter().zip(real.iter().skip(1)) {
        let ours = schema.run(show).map_err(|(number, _)| number);
        let real = real.clone().map_err(|(number, _)| number).map(|rows| {
            let (_, text) = rows.split_once('\t').unwrap_or(("", &rows));
            without_counter(text.trim_end_matches('\n'))
        });
        if ours != real {
            wrong.push(format!("{show}\n{}", differing_lines(&ours, &real)));
        }
    }
    wrong.extend(loaded_back(server, database, &schema, &tables));
    (tables.len(), wrong)
}

/// What differs where the definitions are loaded again, into a new catalogue and into MariaDB.
fn loaded_back(server: &Server, database: &str, schema: &Schema, tables: &[String]) -> Vec<String> {
    let mut again = Schema { foreign_key_checks: false, ..Schema::new() };
    let back = format!("{database}_back");
    let mut statements = vec![
        "SET foreign_key_checks = 0".to_owned(),
        format!("CREATE OR REPLACE DATABASE {back}"),
        format!("USE {back}"),
    ];
    let shown =
        |schema: &mut Schema, table: &String| schema.run(&format!("SHOW CREATE TABLE `{table}`"));
    let mut first = Schema { database: Some(database.to_owned()), ..Schema::new() };
    first.catalog = schema.catalog.clone();
    let definitions: Vec<String> =
        tables.iter().map(|table| shown(&mut first, table).unwrap_or_default()).collect();
    statements.extend(definitions.iter().cloned());
    let mut wrong = Vec::new();
    for (statement, real) in statements.iter().zip(server.answers(&statements)) {
        let ours = again.run(statement).map(drop);
        if ours.is_err() || real.is_err() {
            wrong.push(format!("{statement}\n  hob     {ours:?}\n  MariaDB {real:?}"));
        }
    }
    for (table, definition) in tables.iter().zip(&definitions) {
        let now = shown(&mut again, table);
        if now.as_ref() != Ok(definition) {
            wrong.push(format!("{table} is loaded as another one: {now:?}"));
        }
    }
    wrong
}

#[test]
fn schemas_of_applications_are_shown_as_they_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mysql-schemas");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: scripts/mysql-schemas.sh fetches the schemas");
        return;
    };
    let Some(server) = Server::shared() else { return };
    let mut files: Vec<_> = files.map(|file| file.expect("it is there").path()).collect();
    files.sort();
    let (mut tables, mut wrong) = (0, Vec::new());
    for (number, file) in files.iter().enumerate() {
        let text = std::fs::read_to_string(file).expect("it is a text");
        let (shown, differ) = compare(&server, &format!("s{number}"), &statements(&text));
        tables += shown;
        wrong.extend(differ.into_iter().map(|text| format!("{}: {text}", file.display())));
    }
    for text in wrong.iter().take(40) {
        eprintln!("{text}\n");
    }
    assert!(wrong.is_empty(), "{} differ, {tables} tables", wrong.len());
    eprintln!("{tables} tables");
}

#[test]
fn definitions_are_those_of_mariadb() {
    let Some(server) = Server::shared() else { return };
    let text = include_str!("definitions.sql");
    let statements: Vec<String> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("--"))
        .map(str::to_owned)
        .collect();
    let (tables, wrong) = compare(&server, "definitions", &statements);
    for text in &wrong {
        eprintln!("{text}\n");
    }
    assert!(wrong.is_empty(), "{} of {} differ, {tables} tables", wrong.len(), statements.len());
}

#[test]
fn definitions_are_spelled_as_mysql_spells_them() {
    let mut schema = Schema::new();
    schema.settings.version = Version::MySql9_7;
    for statement in [
        "CREATE DATABASE d",
        "USE d",
        "CREATE TABLE t (a INT NOT NULL DEFAULT 5, b TEXT, c DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE \
         CURRENT_TIMESTAMP(3), d INT CHECK (d > 1), e INT AS (a + 1), f BIT(2) DEFAULT b'1')",
    ] {
        schema.run(statement).expect("it runs");
    }
    let found = schema.catalog.relation_in("d", "t");
    let Some(hobgoblin_sql_schema::catalog::Found::Table(table)) = found else {
        panic!("no table")
    };
    let shown = definition_text::create_table(table, &schema.catalog, None, Version::MySql9_7);
    let expected = "CREATE TABLE `t` (
  `a` int NOT NULL DEFAULT '5',
  `b` text,
  `c` datetime(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  `d` int DEFAULT NULL,
  `e` int GENERATED ALWAYS AS ((`a` + 1)) VIRTUAL,
  `f` bit(2) DEFAULT b'1',
  CONSTRAINT `t_chk_1` CHECK ((`d` > 1))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci";
    assert_eq!(shown, expected);
}
