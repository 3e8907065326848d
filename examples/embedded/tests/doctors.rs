//! An application of `sqlx`, as it is, on a server that returns whatever its isolation level allows.

use embedded::{create, hire, leave, on_call};
use hobgoblin::postgres::Server;
use hobgoblin::test::{self, Config};
use hobgoblin::{Level, Store};
use sqlx::postgres::PgPoolOptions;

fn somebody_is_on_call(store: &Store) -> Result<(), sqlx::Error> {
    let server = Server::start(store).expect("it listens");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let pool = PgPoolOptions::new().max_connections(3).connect(&server.url()).await?;
        create(&pool).await?;
        for name in ["ada", "bob"] {
            hire(&pool, name).await?;
        }
        store.fence().expect("the store is there");
        let leaves = ["ada", "bob"].map(|name| {
            let pool = pool.clone();
            tokio::spawn(async move { leave(&pool, name).await })
        });
        for left in leaves {
            match left.await.expect("nobody panics") {
                Ok(_) => {}
                // Whoever is refused stays.
                Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("40001") => {}
                Err(error) => return Err(error),
            }
        }
        store.fence().expect("the store is there");
        assert!(on_call(&pool).await? > 0, "nobody is on call");
        pool.close().await;
        Ok(())
    })
}

#[test]
fn somebody_is_on_call_at_serializability() {
    test::check(Config::at(Level::SER).runs(20).serial_runs(0), somebody_is_on_call);
}

#[test]
fn nobody_may_be_at_snapshot_isolation() {
    let config = Config::at(Level::SI).runs(200).serial_runs(3).persist(false);
    let failure = test::run(config, somebody_is_on_call).expect_err("write skew");
    assert!(failure.what.contains("nobody is on call"), "{failure}");
    assert!(failure.to_string().contains("write skew"), "{failure}");
}
