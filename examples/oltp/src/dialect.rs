//! What a database speaks, where that changes what the benchmarks say.

/// A dialect of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL's.
    Postgres,
    /// That of MySQL and MariaDB.
    MySql,
}

impl Dialect {
    /// The statements that open a serializable transaction.
    pub(crate) fn begin_serializable(self) -> &'static [&'static str] {
        match self {
            Dialect::Postgres => &["BEGIN ISOLATION LEVEL SERIALIZABLE"],
            Dialect::MySql => &["SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN"],
        }
    }

    /// The statement that sets the level of the session's transactions, which is named as SQL does.
    pub fn set_level(self, level: &str) -> String {
        match self {
            Dialect::Postgres => {
                format!("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {level}")
            }
            Dialect::MySql => format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}"),
        }
    }
}
