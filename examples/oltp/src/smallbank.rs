//! SmallBank: customers with a savings and a checking account each [Alomari 2008].
//!
//! Of its six transactions three leave the total as it is, and only these run, so that A13 can say what the
//! total is: Balance, SendPayment and Amalgamate. (OLTP-Bench's Amalgamate takes the sum of two customers'
//! accounts from one of them; this is the one of the paper it comes from, which moves all that a customer
//! has to another's checking account.)

use hobgoblin_core::Rng;
use hobgoblin_front::Policy;

use crate::benchmark::{Assertion, Benchmark};
use crate::client::Client;
use crate::connection::Connection;
use crate::error::Error;
use crate::schedule::Going;
use crate::value::{Money, Value};

/// How many customers there are.
const CUSTOMERS: i64 = 5;
/// What each has at first, half of it in either account.
const EACH: Money = Money(500_000);

/// SmallBank, as the runner knows it.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "SmallBank",
    schema: "
        CREATE TABLE accounts (custid bigint NOT NULL, name varchar(64) NOT NULL, PRIMARY KEY (custid));
        CREATE INDEX idx_accounts_name ON accounts (name);
        CREATE TABLE savings (custid bigint NOT NULL, bal decimal(12,2) NOT NULL, PRIMARY KEY (custid));
        CREATE TABLE checking (custid bigint NOT NULL, bal decimal(12,2) NOT NULL, PRIMARY KEY (custid));",
    load,
    work,
    transactions: 20,
    policy: Policy::Adverse,
    assertions: &[Assertion { name: "A13", claim: "the total stays", holds: a13 }],
};

const ACCOUNT: &str = "SELECT * FROM accounts WHERE custid = $1";
const ACCOUNT_BY_NAME: &str = "SELECT * FROM accounts WHERE name = $1";
const SAVINGS: &str = "SELECT bal FROM savings WHERE custid = $1";
const CHECKING: &str = "SELECT bal FROM checking WHERE custid = $1";
const ADD_CHECKING: &str = "UPDATE checking SET bal = bal + $1 WHERE custid = $2";
const TAKE_CHECKING: &str = "UPDATE checking SET bal = bal - $1 WHERE custid = $2";
const ZERO_CHECKING: &str = "UPDATE checking SET bal = 0.0 WHERE custid = $1";
const ZERO_SAVINGS: &str = "UPDATE savings SET bal = 0.0 WHERE custid = $1";

fn load(client: &mut dyn Client) -> Result<(), Error> {
    let half = Value::from(Money(EACH.0 / 2));
    for customer in 1..=CUSTOMERS {
        let name = format!("{customer:064}");
        client.query("INSERT INTO accounts VALUES ($1, $2)", &[customer.into(), name.into()])?;
        client.query("INSERT INTO savings VALUES ($1, $2)", &[customer.into(), half.clone()])?;
        client.query("INSERT INTO checking VALUES ($1, $2)", &[customer.into(), half.clone()])?;
    }
    Ok(())
}

fn work<'a>(db: &'a mut Connection, rng: &'a mut Rng) -> Going<'a, ()> {
    Box::pin(async move {
        let from = i64::from(rng.below(CUSTOMERS as u32));
        let to = (from + 1 + i64::from(rng.below(CUSTOMERS as u32 - 1))) % CUSTOMERS;
        let (from, to) = (from + 1, to + 1);
        let amount = Money(i64::from(rng.between(100, 5_000)));
        match rng.below(10) {
            0..=4 => db.transaction(async |db| send_payment(db, from, to, amount).await).await,
            5..=8 => db.transaction(async |db| amalgamate(db, from, to).await).await,
            _ => db.transaction(async |db| balance(db, from).await).await,
        }
    })
}

/// An amount that one row tells.
async fn amount(db: &mut Connection, sql: &str, customer: i64) -> Result<Money, Error> {
    db.query(sql, &[customer.into()]).await?.first("no account")?.money(0)
}

async fn account(db: &mut Connection, customer: i64) -> Result<(), Error> {
    db.query(ACCOUNT, &[customer.into()]).await?.first("no customer").map(drop)
}

async fn send_payment(db: &mut Connection, from: i64, to: i64, sum: Money) -> Result<(), Error> {
    account(db, from).await?;
    account(db, to).await?;
    if amount(db, CHECKING, from).await? < sum {
        return Err(Error::RolledBack("insufficient funds"));
    }
    db.query(TAKE_CHECKING, &[sum.into(), from.into()]).await?;
    db.query(ADD_CHECKING, &[sum.into(), to.into()]).await?;
    Ok(())
}

async fn amalgamate(db: &mut Connection, from: i64, to: i64) -> Result<(), Error> {
    account(db, from).await?;
    account(db, to).await?;
    let savings = amount(db, SAVINGS, from).await?;
    let checking = amount(db, CHECKING, from).await?;
    db.query(ZERO_SAVINGS, &[from.into()]).await?;
    db.query(ZERO_CHECKING, &[from.into()]).await?;
    let all = Money(savings.0 + checking.0);
    db.query(ADD_CHECKING, &[all.into(), to.into()]).await?;
    Ok(())
}

async fn balance(db: &mut Connection, customer: i64) -> Result<(), Error> {
    let name = format!("{customer:064}");
    let row = db.query(ACCOUNT_BY_NAME, &[name.into()]).await?.first("no customer")?;
    let customer = row.int(0)?;
    amount(db, SAVINGS, customer).await?;
    amount(db, CHECKING, customer).await?;
    Ok(())
}

fn a13(client: &mut dyn Client) -> Result<bool, Error> {
    let mut sum = |sql| client.query(sql, &[])?.first("no row")?.money(0);
    let savings = sum("SELECT SUM(bal) FROM savings")?;
    let checking = sum("SELECT SUM(bal) FROM checking")?;
    Ok(savings.0 + checking.0 == EACH.0 * CUSTOMERS)
}
