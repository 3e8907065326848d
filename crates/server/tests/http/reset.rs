//! A reset to the store's own snapshot is the same database, tables included.

use hobgoblin_server::{PgConfig, Server, ServerConfig};
use hobgoblin_sql::POSTGRES;
use hobgoblin_sql::session::Startup;
use hobgoblin_store::{Config, Profile};
use serde_json::{Value as Json, json};

use crate::support::Raw;

fn sql(server: &Server, statements: &str) -> String {
    let database = server.database().expect("it serves SQL");
    let mut session = database.connect(Startup::default()).expect("it takes connections");
    format!("{:?}", session.run(statements).expect("the statements are good"))
}

#[test]
fn the_snapshot_has_the_schema() {
    for profile in Profile::ALL {
        let store = Config::default().profile(profile);
        let pg = Some(PgConfig::new(&POSTGRES));
        let config = ServerConfig { store, pg, ..ServerConfig::default() };
        let server = Server::start(config).expect("a port is free");
        sql(
            &server,
            "CREATE SCHEMA s; SET search_path = s; \
             CREATE TABLE t (a serial PRIMARY KEY, b text UNIQUE); \
             INSERT INTO t (b) VALUES ('x'), ('y'); CREATE VIEW v AS SELECT b FROM t",
        );
        let all = "SELECT * FROM s.t ORDER BY a";
        let before = sql(&server, all);
        let mut raw = Raw::new(&server);
        let (status, snapshot) = raw.ask("GET", "/v1/snapshot", "");
        assert_eq!(status, 200, "{snapshot}");
        let initial: Json = serde_json::from_str(&snapshot).expect("a snapshot is JSON");
        // Twice: what was reset has the same snapshot.
        for _ in 0..2 {
            let (status, text) =
                raw.ask("POST", "/v1/reset", &json!({"initial": initial}).to_string());
            assert_eq!(status, 200, "{text}");
            assert_eq!(sql(&server, all), before, "{profile}");
            let (_, again) = raw.ask("GET", "/v1/snapshot", "");
            assert_eq!(again, snapshot, "{profile}");
        }
        assert_eq!(sql(&server, "SELECT count(*) FROM s.v"), "[[Int(2)]]", "{profile}");
        let next = sql(&server, "INSERT INTO s.t (b) VALUES ('z') RETURNING a");
        assert_eq!(next, "[[Int(3)]]", "{profile}: the sequence goes on");
    }
}
