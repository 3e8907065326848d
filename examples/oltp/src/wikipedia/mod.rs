//! Wikipedia: pages, their revisions, and who edits and watches them.
//!
//! Twelve tables and five transactions. An edit is recorded in three places: the editor's count, the recent
//! changes and the log. As in OLTP-Bench an edit is one transaction, unless somebody watches the page: then
//! it commits the new revision first, notifies the watchers, and writes the log and the count in a third
//! transaction. The parts are tried again when the database refuses them, since the edit goes on.

mod update_page;
mod visits;

use hobgoblin_core::Rng;
use hobgoblin_front::Policy;

use crate::benchmark::{Assertion, Benchmark};
use crate::client::Client;
use crate::connection::Connection;
use crate::error::Error;
use crate::schedule::Going;
use crate::value::Value;
use visits::{TIME, Visit};

/// Pages, and as many users.
const COUNT: i64 = 2;
/// Wikipedia, as the runner knows it.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "Wikipedia",
    schema: include_str!("schema.sql"),
    load,
    work,
    transactions: 20,
    policy: Policy::Adverse,
    assertions: &[
        Assertion { name: "A15", claim: "user_editcount = recent changes of the user", holds: a15 },
        Assertion { name: "A16", claim: "user_editcount = log entries of the user", holds: a16 },
        Assertion { name: "A17", claim: "log entries = recent changes of the user", holds: a17 },
    ],
};

fn load(client: &mut dyn Client) -> Result<(), Error> {
    for n in 1..=COUNT {
        let id = Value::Int(n);
        client.query(
            "INSERT INTO useracct (user_name, user_touched) VALUES ($1, $2)",
            &[format!("user{n}").into(), TIME.into()],
        )?;
        client.query(
            "INSERT INTO page (page_namespace, page_title, page_restrictions, page_random, page_touched, \
             page_latest, page_len) VALUES (0, $1, '', 0.5, $2, $3, 5)",
            &[format!("page{n}").into(), TIME.into(), id.clone()],
        )?;
        client.query(
            "INSERT INTO text (old_page, old_text, old_flags) VALUES ($1, 'first', 'utf-8')",
            std::slice::from_ref(&id),
        )?;
        client.query(
            "INSERT INTO revision (rev_page, rev_text_id, rev_comment, rev_user, rev_user_text, \
             rev_timestamp, rev_len) VALUES ($1, $1, '', $1, $2, $3, 5)",
            &[id, format!("user{n}").into(), TIME.into()],
        )?;
    }
    for (user, page) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        client.query(
            "INSERT INTO watchlist (wl_user, wl_namespace, wl_title) VALUES ($1, 0, $2)",
            &[Value::Int(user), format!("page{page}").into()],
        )?;
    }
    Ok(())
}

fn work<'a>(db: &'a mut Connection, rng: &'a mut Rng) -> Going<'a, ()> {
    Box::pin(async move {
        let visit = Visit {
            user: i64::from(rng.between(1, COUNT as u32)),
            page: i64::from(rng.between(1, COUNT as u32)),
        };
        match rng.below(10) {
            0..=4 => update_page::run(db, visit).await,
            5..=6 => visits::watch(db, visit).await,
            7 => visits::unwatch(db, visit).await,
            8 => visits::get_page(db, visit, false).await,
            _ => visits::get_page(db, visit, true).await,
        }
    })
}

/// A number for each user.
fn by_user(client: &mut dyn Client, sql: &str) -> Result<Vec<(i64, i64)>, Error> {
    let found = client.query(sql, &[])?;
    found.rows.iter().map(|row| Ok((row.int(0)?, row.int(1)?))).collect()
}

const EDITS: &str = "SELECT user_id, user_editcount FROM useracct";
const CHANGES: &str = "SELECT rc_user, COUNT(*) FROM recentchanges GROUP BY rc_user";
const LOGGED: &str = "SELECT log_user, COUNT(*) FROM logging GROUP BY log_user";

/// Whether the two numbers of every user are the same; who has no rows has none.
fn same(client: &mut dyn Client, left: &str, right: &str) -> Result<bool, Error> {
    let (left, right) = (by_user(client, left)?, by_user(client, right)?);
    let of = |all: &[(i64, i64)], user| {
        all.iter().find(|(who, _)| *who == user).map_or(0, |(_, count)| *count)
    };
    Ok((1..=COUNT).all(|user| of(&left, user) == of(&right, user)))
}

fn a15(client: &mut dyn Client) -> Result<bool, Error> {
    same(client, EDITS, CHANGES)
}

fn a16(client: &mut dyn Client) -> Result<bool, Error> {
    same(client, EDITS, LOGGED)
}

fn a17(client: &mut dyn Client) -> Result<bool, Error> {
    same(client, LOGGED, CHANGES)
}
