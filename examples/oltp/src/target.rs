//! Which server the benchmarks go to.

use crate::client::Client;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::mysql::MySql;
use crate::remote::Remote;

/// A server that trusts us, and the database there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// What it speaks.
    pub dialect: Dialect,
    /// Where it listens, such as `127.0.0.1:3307`.
    pub address: String,
    /// Who we are there.
    pub user: String,
    /// A database that is there.
    pub database: String,
}

impl Target {
    /// The server that a URL such as `mysql://hob@127.0.0.1:3307/hob` names.
    pub fn of_url(url: &str) -> Option<Target> {
        let (scheme, rest) = url.split_once("://")?;
        let dialect = match scheme {
            "mysql" | "mariadb" => Dialect::MySql,
            "postgres" | "postgresql" => Dialect::Postgres,
            _ => return None,
        };
        let (user, rest) = rest.split_once('@').unwrap_or(("hob", rest));
        let (address, database) = rest.split_once('/').unwrap_or((rest, user));
        let [user, address, database] = [user, address, database].map(str::to_owned);
        Some(Target { dialect, address, user, database })
    }

    /// A new connection.
    pub fn connect(&self) -> Result<Box<dyn Client + Send>, Error> {
        let Target { dialect, address, user, database } = self;
        Ok(match dialect {
            Dialect::Postgres => Box::new(Remote::connect(address, user, database)?),
            Dialect::MySql => Box::new(MySql::connect(address, user, database)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Target};

    #[test]
    fn urls_name_servers() {
        let target = |url| Target::of_url(url).expect("it names a server");
        let named = target("mysql://hob@127.0.0.1:3307/shop");
        let parts = [&named.address, &named.user, &named.database].map(String::as_str);
        assert_eq!((named.dialect, parts), (Dialect::MySql, ["127.0.0.1:3307", "hob", "shop"]));
        assert_eq!(target("postgresql://a@b:1").database, "a");
        assert_eq!(Target::of_url("http://127.0.0.1"), None);
        assert_eq!(Target::of_url("127.0.0.1:3307"), None);
    }
}
