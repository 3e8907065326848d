//! Schemas of applications: every statement is read, as MariaDB reads it.

use std::path::Path;

use hobgoblin_sql_mysql::parse::{ParseError, Reading, parse_at};
use hobgoblin_sql_mysql::syntax::Special;

use crate::acceptance::{differing, told};
use crate::server::Server;

#[test]
fn schemas_of_applications_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mysql-schemas");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: scripts/mysql-schemas.sh fetches the schemas");
        return;
    };
    let mut files: Vec<_> = files.map(|file| file.expect("it is there").path()).collect();
    files.sort();
    let (mut statements, mut tables) = (Vec::new(), 0);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it is a text");
        let mut from = Some(0);
        while let Some(at) = from {
            let (statement, next) = match parse_at(&text, at, Reading::default()) {
                Ok(read) => read,
                // Comments alone.
                Err(ParseError::Empty) => break,
                Err(error) => panic!("{}: {error}", file.display()),
            };
            tables +=
                usize::from(matches!(statement.special.as_deref(), Some(Special::CreateTable(_))));
            statements.push(statement.text.to_string());
            from = next;
        }
    }
    assert!(tables > 400, "{tables} tables");
    let Some(server) = Server::shared() else { return };
    let wrong = differing(&server, &statements);
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), statements.len(), told(&wrong));
    eprintln!("{} statements, {tables} tables", statements.len());
}
