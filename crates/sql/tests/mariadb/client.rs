//! A client of the real server.

#[path = "../../../../tests/servers/mysql.rs"]
mod mysql;

use super::answer::{Answer, Column};
use mysql::Reply;

/// A connection.
pub(crate) struct Client(mysql::Client);

impl Client {
    /// Connects, as soon as the server answers.
    pub(crate) fn connect(port: u16) -> Client {
        Client(mysql::Client::connect(port))
    }

    /// Runs a statement.
    pub(crate) fn query(&mut self, sql: &str) -> Answer {
        self.0.query(sql).into()
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Answer {
        let nothing = Answer::default();
        match reply {
            Reply::Rows { columns, rows, warnings } => {
                let columns = columns.into_iter().map(Column::from).collect();
                Answer { columns: Some(columns), rows, warnings, ..nothing }
            }
            Reply::Done { affected, insert_id, warnings } => {
                Answer { affected, insert_id, warnings, ..nothing }
            }
            Reply::Error { number, message } => {
                Answer { error: Some((number, message)), ..nothing }
            }
        }
    }
}

impl From<mysql::Column> for Column {
    fn from(column: mysql::Column) -> Column {
        let mysql::Column { name, code, collation, decimals, flags } = column;
        Column { name, code, collation, decimals, unsigned: flags & 32 != 0 }
    }
}
