//! What the tables hold first: the specification's rules [TPC-C 5.11, section 4.3.3] for a small load.
//!
//! Every customer has paid 10.00 once and has one order; all orders but the last of each district are
//! delivered, and their lines cost nothing. The warehouse and its districts have what was paid, so that
//! every condition holds.

use super::warehouse::{CUSTOMERS, DISTRICTS, ITEM, TIME, WAREHOUSE, last_name};
use crate::client::Client;
use crate::error::Error;
use crate::value::{Money, Value};

/// The lines of every first order.
const LINES: i64 = 5;
/// What every customer has paid.
const PAID: Money = Money(1_000);

pub(super) fn load(client: &mut dyn Client) -> Result<(), Error> {
    let paid = |customers: i64| Value::from(Money(PAID.0 * customers));
    client.query(
        "INSERT INTO warehouse VALUES ($1, $2, 0.0500, 'w', 'street', 'street', 'city', 'ST', '123411111')",
        &[WAREHOUSE.into(), paid(DISTRICTS * CUSTOMERS)],
    )?;
    client.query("INSERT INTO item VALUES ($1, 'item', 12.50, 'original', 1)", &[ITEM.into()])?;
    client.query(
        "INSERT INTO stock VALUES ($1, $2, 50, 0, 0, 0, 'original', 'first', 'second')",
        &[WAREHOUSE.into(), ITEM.into()],
    )?;
    for district in 1..=DISTRICTS {
        client.query(
            "INSERT INTO district VALUES \
             ($1, $2, $3, 0.0500, $4, 'd', 'street', 'street', 'city', 'ST', '123411111')",
            &[WAREHOUSE.into(), district.into(), paid(CUSTOMERS), (CUSTOMERS + 1).into()],
        )?;
        for customer in 1..=CUSTOMERS {
            load_customer(client, district, customer)?;
            load_order(client, district, customer)?;
        }
    }
    Ok(())
}

fn load_customer(client: &mut dyn Client, district: i64, customer: i64) -> Result<(), Error> {
    let credit = if customer == CUSTOMERS { "BC" } else { "GC" };
    client.query(
        "INSERT INTO customer VALUES ($1, $2, $3, 0.1000, $4, $5, 'first', 50000.00, $6, $7, 1, 0, \
         'street', 'street', 'city', 'ST', '123411111', '0123456789012345', $8, 'OE', 'data')",
        &[
            WAREHOUSE.into(),
            district.into(),
            customer.into(),
            credit.into(),
            last_name(customer - 1).into(),
            Money(-PAID.0).into(),
            PAID.into(),
            TIME.into(),
        ],
    )?;
    client.query(
        "INSERT INTO history VALUES ($1, $2, $3, $2, $3, $4, $5, 'first')",
        &[customer.into(), district.into(), WAREHOUSE.into(), TIME.into(), PAID.into()],
    )?;
    Ok(())
}

/// The order whose number is that of its customer.
fn load_order(client: &mut dyn Client, district: i64, order: i64) -> Result<(), Error> {
    let delivered = order < CUSTOMERS;
    let carrier = if delivered { Value::Int(1) } else { Value::Null };
    client.query(
        "INSERT INTO oorder VALUES ($1, $2, $3, $3, $4, $5, 1, $6)",
        &[WAREHOUSE.into(), district.into(), order.into(), carrier, LINES.into(), TIME.into()],
    )?;
    if !delivered {
        client.query(
            "INSERT INTO new_order VALUES ($1, $2, $3)",
            &[WAREHOUSE.into(), district.into(), order.into()],
        )?;
    }
    for line in 1..=LINES {
        let (date, amount) = match delivered {
            true => (TIME.into(), Money(0)),
            false => (Value::Null, Money(1_250 * line)),
        };
        client.query(
            "INSERT INTO order_line VALUES ($1, $2, $3, $4, $5, $6, $7, $1, 5, 'info')",
            &[
                WAREHOUSE.into(),
                district.into(),
                order.into(),
                line.into(),
                ITEM.into(),
                date,
                amount.into(),
            ],
        )?;
    }
    Ok(())
}
