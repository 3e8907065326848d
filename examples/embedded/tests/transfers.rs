//! Inputs from `proptest`, runs from the store: a failing case names both, and both come back.

use hobgoblin::test::{self, Config, task};
use hobgoblin::{Error, Level, Store};
use proptest::prelude::*;

async fn withdraw(store: &Store, amount: i64) -> Result<bool, Error> {
    let mut session = store.async_session();
    session
        .transaction(async |t| {
            let balance: i64 = t.get_as("balance").await?.unwrap_or(0);
            if balance >= amount {
                t.put("balance", balance - amount).await?;
            }
            Ok(balance >= amount)
        })
        .await
}

fn never_overdrawn(amounts: Vec<i64>) -> impl Fn(&Store) -> Result<(), Error> {
    move |store| {
        let tasks = amounts.iter().map(|&amount| task(withdraw(store, amount))).collect();
        let mut paid = 0;
        for (amount, done) in amounts.iter().zip(store.interleave(tasks)) {
            paid += if done? { *amount } else { 0 };
        }
        assert!(paid <= 100, "{paid} of 100 were paid");
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_overdrawn_at_snapshot_isolation(amounts in prop::collection::vec(1_i64..100, 1..5)) {
        let config = Config::at(Level::SI).initial("balance", 100).input(&amounts).runs(50);
        test::check(config, never_overdrawn(amounts));
    }
}

#[test]
fn a_case_is_part_of_its_token() {
    let config = |amounts: &Vec<i64>| {
        Config::at(Level::CC).initial("balance", 100).input(amounts).persist(false).runs(200)
    };
    let amounts = vec![60, 70];
    let failure = test::run(config(&amounts), never_overdrawn(amounts.clone())).expect_err("both");
    let token = failure.token.expect("it can be replayed");
    let again = test::run(config(&amounts).replay(&token), never_overdrawn(amounts));
    assert!(again.is_err());
    let other = vec![10, 20];
    test::run(config(&other).replay(&token), never_overdrawn(other)).expect("it is of another case");
}
