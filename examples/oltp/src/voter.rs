//! Voter: a show takes votes by telephone, at most two from each number.

use hobgoblin_core::Rng;
use hobgoblin_front::Policy;

use crate::benchmark::{Assertion, Benchmark};
use crate::client::Client;
use crate::connection::Connection;
use crate::error::Error;
use crate::schedule::Going;
use crate::value::Value;

/// How many votes a number has.
const LIMIT: i64 = 2;
/// The only number that calls.
const PHONE: i64 = 2_125_550_100;

/// Voter, as the runner knows it.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "Voter",
    schema: "
        CREATE TABLE contestants (
            contestant_number integer NOT NULL,
            contestant_name varchar(50) NOT NULL,
            PRIMARY KEY (contestant_number)
        );
        CREATE TABLE area_code_state (
            area_code smallint NOT NULL,
            state varchar(2) NOT NULL,
            PRIMARY KEY (area_code)
        );
        CREATE TABLE votes (
            vote_id bigint NOT NULL,
            phone_number bigint NOT NULL,
            state varchar(2) NOT NULL,
            contestant_number integer NOT NULL REFERENCES contestants (contestant_number),
            created timestamp NOT NULL
        );
        CREATE INDEX idx_votes_phone_number ON votes (phone_number);",
    load,
    work,
    transactions: 10,
    // The adverse policy would rather find votes that are there, and hide nothing.
    policy: Policy::Uniform,
    assertions: &[Assertion {
        name: "A14",
        claim: "no number has more than two votes",
        holds: a14,
    }],
};

const CONTESTANT: &str = "SELECT contestant_number FROM contestants WHERE contestant_number = $1";
const VOTES: &str = "SELECT COUNT(*) FROM votes WHERE phone_number = $1";
const STATE: &str = "SELECT state FROM area_code_state WHERE area_code = $1";
const VOTE: &str = "INSERT INTO votes (vote_id, phone_number, state, contestant_number, created) \
    VALUES ($1, $2, $3, $4, NOW())";

fn load(client: &mut dyn Client) -> Result<(), Error> {
    client.query("INSERT INTO contestants VALUES (1, 'Edwina Burnam')", &[])?;
    client.query("INSERT INTO area_code_state VALUES (212, 'NY')", &[])?;
    Ok(())
}

fn work<'a>(db: &'a mut Connection, rng: &'a mut Rng) -> Going<'a, ()> {
    let vote = i64::from(rng.below(u32::MAX));
    Box::pin(async move { db.transaction(async |db| call(db, vote).await).await })
}

async fn call(db: &mut Connection, vote: i64) -> Result<(), Error> {
    let contestant = Value::Int(1);
    db.query(CONTESTANT, std::slice::from_ref(&contestant)).await?.first("no such contestant")?;
    let votes = db.query(VOTES, &[PHONE.into()]).await?.first("no count")?.int(0)?;
    if votes >= LIMIT {
        return Err(Error::RolledBack("over the limit"));
    }
    let area = PHONE / 10_000_000;
    let state = db.query(STATE, &[area.into()]).await?;
    let state = state.rows.first().map_or_else(|| "XX".to_owned(), |row| row.text(0));
    db.query(VOTE, &[vote.into(), PHONE.into(), state.into(), contestant]).await?;
    Ok(())
}

fn a14(client: &mut dyn Client) -> Result<bool, Error> {
    let sql = "SELECT phone_number, COUNT(*) FROM votes GROUP BY phone_number HAVING COUNT(*) > 2";
    Ok(client.query(sql, &[])?.rows.is_empty())
}
