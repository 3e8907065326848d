//! The twelve consistency conditions [TPC-C 5.11, section 3.3.2], in the form of MonkeyDB's checker.
//!
//! Each reads its tables whole, one statement per table in the order of the claim, and compares in the
//! client. Joins are inner: what one side lacks is not compared. Where a table is read first matters at
//! read committed, where a later statement may know more than an earlier one.

use std::collections::BTreeMap;

use crate::benchmark::Assertion;
use crate::client::Client;
use crate::error::Error;
use crate::value::{Money, Row};

/// A1 to A12.
pub(super) const ALL: [Assertion; 12] = [
    Assertion { name: "A1", claim: "W_YTD = sum(D_YTD)", holds: a1 },
    Assertion { name: "A2", claim: "D_NEXT_O_ID - 1 = max(O_ID) = max(NO_O_ID)", holds: a2 },
    Assertion {
        name: "A3",
        claim: "max(NO_O_ID) - min(NO_O_ID) + 1 = rows of NEW_ORDER",
        holds: a3,
    },
    Assertion { name: "A4", claim: "sum(O_OL_CNT) = rows of ORDER_LINE, by district", holds: a4 },
    Assertion { name: "A5", claim: "no new order has a carrier", holds: a5 },
    Assertion { name: "A6", claim: "O_OL_CNT = rows of ORDER_LINE, by order", holds: a6 },
    Assertion { name: "A7", claim: "an order has a carrier when its line has a date", holds: a7 },
    Assertion { name: "A8", claim: "W_YTD = sum(H_AMOUNT)", holds: a8 },
    Assertion { name: "A9", claim: "D_YTD = sum(H_AMOUNT)", holds: a9 },
    Assertion {
        name: "A10",
        claim: "C_BALANCE = sum(delivered OL_AMOUNT) - sum(H_AMOUNT)",
        holds: a10,
    },
    Assertion { name: "A11", claim: "rows of ORDER - rows of NEW_ORDER >= 2", holds: a11 },
    Assertion {
        name: "A12",
        claim: "C_BALANCE + C_YTD_PAYMENT = sum(delivered OL_AMOUNT)",
        holds: a12,
    },
];

/// Groups of a table, by the integers they begin with.
type Groups<const N: usize, T> = BTreeMap<[i64; N], T>;

/// Reads groups: the first columns are the key, the rest is for `value`.
fn groups<const N: usize, T>(
    client: &mut dyn Client,
    sql: &str,
    value: impl Fn(&Row) -> Result<T, Error>,
) -> Result<Groups<N, T>, Error> {
    let found = client.query(sql, &[])?;
    found.rows.iter().map(|row| Ok((row.ints()?, value(row)?))).collect()
}

/// Groups with an amount in the column after their key.
fn sums<const N: usize>(client: &mut dyn Client, sql: &str) -> Result<Groups<N, Money>, Error> {
    groups(client, sql, |row| row.money(N))
}

/// Groups with a number in the column after their key.
fn numbers<const N: usize>(client: &mut dyn Client, sql: &str) -> Result<Groups<N, i64>, Error> {
    groups(client, sql, |row| row.int(N))
}

/// Whether a relation holds for every key of both.
fn agree<const N: usize, A, B>(
    left: &Groups<N, A>,
    right: &Groups<N, B>,
    holds: impl Fn(&A, &B) -> bool,
) -> bool {
    left.iter().all(|(key, a)| right.get(key).is_none_or(|b| holds(a, b)))
}

/// What delivered lines of a customer's orders cost.
const DELIVERED: &str = "SELECT o_w_id, o_d_id, o_c_id, SUM(ol_amount) FROM oorder \
    JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id \
    WHERE ol_delivery_d IS NOT NULL GROUP BY o_w_id, o_d_id, o_c_id";

fn a1(client: &mut dyn Client) -> Result<bool, Error> {
    let warehouses = sums::<1>(client, "SELECT w_id, w_ytd FROM warehouse")?;
    let districts = sums(client, "SELECT d_w_id, SUM(d_ytd) FROM district GROUP BY d_w_id")?;
    Ok(agree(&warehouses, &districts, Money::eq))
}

fn a2(client: &mut dyn Client) -> Result<bool, Error> {
    let next = numbers::<2>(client, "SELECT d_w_id, d_id, d_next_o_id FROM district")?;
    let orders =
        numbers(client, "SELECT o_w_id, o_d_id, MAX(o_id) FROM oorder GROUP BY o_w_id, o_d_id")?;
    let new = numbers(
        client,
        "SELECT no_w_id, no_d_id, MAX(no_o_id) FROM new_order GROUP BY no_w_id, no_d_id",
    )?;
    Ok(agree(&next, &orders, |next, max| next - 1 == *max) && agree(&orders, &new, i64::eq))
}

fn a3(client: &mut dyn Client) -> Result<bool, Error> {
    let sql = "SELECT no_w_id, no_d_id, MAX(no_o_id) - MIN(no_o_id) + 1 - COUNT(*) FROM new_order \
        GROUP BY no_w_id, no_d_id";
    Ok(numbers::<2>(client, sql)?.values().all(|&gap| gap == 0))
}

fn a4(client: &mut dyn Client) -> Result<bool, Error> {
    let orders = numbers::<2>(
        client,
        "SELECT o_w_id, o_d_id, SUM(o_ol_cnt) FROM oorder GROUP BY o_w_id, o_d_id",
    )?;
    let lines = numbers(
        client,
        "SELECT ol_w_id, ol_d_id, COUNT(*) FROM order_line GROUP BY ol_w_id, ol_d_id",
    )?;
    Ok(agree(&orders, &lines, i64::eq))
}

fn a5(client: &mut dyn Client) -> Result<bool, Error> {
    let new =
        groups::<3, ()>(client, "SELECT no_w_id, no_d_id, no_o_id FROM new_order", |_| Ok(()))?;
    let carried = carried(client)?;
    Ok(agree(&new, &carried, |(), carried| !carried))
}

fn a6(client: &mut dyn Client) -> Result<bool, Error> {
    let orders = numbers::<3>(client, "SELECT o_w_id, o_d_id, o_id, o_ol_cnt FROM oorder")?;
    let lines = numbers(
        client,
        "SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*) FROM order_line GROUP BY ol_w_id, ol_d_id, ol_o_id",
    )?;
    Ok(agree(&orders, &lines, i64::eq))
}

/// Of an order's lines, the last row counts.
fn a7(client: &mut dyn Client) -> Result<bool, Error> {
    let carried = carried(client)?;
    let delivered =
        groups(client, "SELECT ol_w_id, ol_d_id, ol_o_id, ol_delivery_d FROM order_line", |row| {
            Ok(!row.is_null(3))
        })?;
    Ok(agree(&carried, &delivered, bool::eq))
}

/// Which orders have a carrier.
fn carried(client: &mut dyn Client) -> Result<Groups<3, bool>, Error> {
    groups(client, "SELECT o_w_id, o_d_id, o_id, o_carrier_id FROM oorder", |row| {
        Ok(!row.is_null(3))
    })
}

fn a8(client: &mut dyn Client) -> Result<bool, Error> {
    let warehouses = sums::<1>(client, "SELECT w_id, w_ytd FROM warehouse")?;
    let paid = sums(client, "SELECT h_w_id, SUM(h_amount) FROM history GROUP BY h_w_id")?;
    Ok(agree(&warehouses, &paid, Money::eq))
}

fn a9(client: &mut dyn Client) -> Result<bool, Error> {
    let districts = sums::<2>(client, "SELECT d_w_id, d_id, d_ytd FROM district")?;
    let paid =
        sums(client, "SELECT h_w_id, h_d_id, SUM(h_amount) FROM history GROUP BY h_w_id, h_d_id")?;
    Ok(agree(&districts, &paid, Money::eq))
}

fn a10(client: &mut dyn Client) -> Result<bool, Error> {
    let balances = sums::<3>(client, "SELECT c_w_id, c_d_id, c_id, c_balance FROM customer")?;
    let delivered = sums(client, DELIVERED)?;
    let paid = sums(
        client,
        "SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) FROM history \
         GROUP BY h_c_w_id, h_c_d_id, h_c_id",
    )?;
    let owed = |key, delivered: &Money| paid.get(key).map(|paid| Money(delivered.0 - paid.0));
    let delivered: Groups<3, Money> =
        delivered.iter().filter_map(|(key, sum)| Some((*key, owed(key, sum)?))).collect();
    Ok(agree(&balances, &delivered, Money::eq))
}

/// MonkeyDB subtracts unsigned numbers, so that more new orders than orders pass for very many; here they are
/// fewer than two.
fn a11(client: &mut dyn Client) -> Result<bool, Error> {
    let orders = numbers::<2>(
        client,
        "SELECT o_w_id, o_d_id, COUNT(*) FROM oorder GROUP BY o_w_id, o_d_id",
    )?;
    let new = numbers(
        client,
        "SELECT no_w_id, no_d_id, COUNT(*) FROM new_order GROUP BY no_w_id, no_d_id",
    )?;
    Ok(agree(&orders, &new, |orders, new| orders - new >= 2))
}

fn a12(client: &mut dyn Client) -> Result<bool, Error> {
    let got = groups::<3, Money>(
        client,
        "SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment FROM customer",
        |row| Ok(Money(row.money(3)?.0 + row.money(4)?.0)),
    )?;
    let delivered = sums(client, DELIVERED)?;
    Ok(agree(&got, &delivered, Money::eq))
}
