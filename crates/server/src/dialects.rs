//! The dialects of SQL that a program brings to its servers.

#[cfg(feature = "mysql")]
use crate::mysql::MySql;
use crate::pg::Postgres;

/// The dialects of SQL that a program brings, with their functions, so that who works on those does not build the rest.
#[derive(Clone, Copy, Debug)]
pub struct Dialects {
    /// PostgreSQL's SQL, which is always spoken.
    pub postgres: &'static Postgres,
    /// That of MySQL and MariaDB, if the program brings it.
    #[cfg(feature = "mysql")]
    pub mysql: Option<&'static MySql>,
}

impl Dialects {
    /// A server that speaks PostgreSQL's SQL only.
    pub fn new(postgres: &'static Postgres) -> Dialects {
        Dialects {
            postgres,
            #[cfg(feature = "mysql")]
            mysql: None,
        }
    }

    /// With that of MySQL and MariaDB.
    #[cfg(feature = "mysql")]
    pub fn with_mysql(self, mysql: &'static MySql) -> Dialects {
        Dialects { mysql: Some(mysql), ..self }
    }
}
