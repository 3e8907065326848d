//! Threads that move money. What is in the bank stays the same.

use hobgoblin::test::{self, Config};
use hobgoblin::{Error, Level, Store};

const ACCOUNTS: [&str; 3] = ["alice", "bob", "carol"];

#[derive(Debug)]
enum Refused {
    TooLittle,
    Store(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused::Store(error)
    }
}

fn transfer(store: &Store, from: &str, to: &str, amount: i64) -> Result<(), Refused> {
    store.session().transaction(|t| {
        let has: i64 = t.get_as(from)?.unwrap_or(0);
        if has < amount {
            return Err(Refused::TooLittle);
        }
        let other: i64 = t.get_as(to)?.unwrap_or(0);
        t.put(from, has - amount)?;
        t.put(to, other + amount)?;
        Ok(())
    })
}

fn money_stays(store: &Store) -> Result<(), Refused> {
    std::thread::scope(|scope| {
        for (from, to) in [("alice", "bob"), ("bob", "carol"), ("carol", "alice")] {
            scope.spawn(move || match transfer(store, from, to, 60) {
                Ok(()) | Err(Refused::TooLittle) => {}
                Err(Refused::Store(error)) => panic!("{error}"),
            });
        }
    });
    store.fence()?;
    let mut session = store.session();
    let mut sum = 0;
    for account in ACCOUNTS {
        sum += session.get_as::<i64>(account)?.unwrap_or(0);
    }
    assert_eq!(sum, 300, "money was lost or made");
    Ok(())
}

fn bank(level: Level) -> Config {
    ACCOUNTS.into_iter().fold(Config::at(level), |config, account| config.initial(account, 100))
}

#[test]
fn money_stays_at_snapshot_isolation() {
    test::check(bank(Level::SI).runs(200), money_stays);
}

#[test]
fn money_is_lost_at_read_committed() {
    let failure = test::run(bank(Level::RC).persist(false), money_stays).expect_err("lost updates");
    assert!(failure.what.contains("money was lost or made"), "{failure}");
    // Threads go as the machine lets them: which anomaly is found first is not the seed's alone.
    assert!(failure.to_string().contains("The history:"), "{failure}");
}
