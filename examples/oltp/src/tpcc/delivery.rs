//! Delivery: the oldest new order of every district goes out.

use hobgoblin_core::Rng;

use super::warehouse::{DISTRICTS, TIME, WAREHOUSE, between};
use crate::connection::Connection;
use crate::error::Error;
use crate::value::Value;

const OLDEST: &str = "SELECT no_o_id FROM new_order WHERE no_d_id = $1 AND no_w_id = $2 \
    ORDER BY no_o_id ASC LIMIT 1";
const DELETE: &str = "DELETE FROM new_order WHERE no_o_id = $1 AND no_d_id = $2 AND no_w_id = $3";
const GET_CUSTOMER: &str =
    "SELECT o_c_id FROM oorder WHERE o_id = $1 AND o_d_id = $2 AND o_w_id = $3";
const UPDATE_CARRIER: &str = "UPDATE oorder SET o_carrier_id = $1 \
    WHERE o_id = $2 AND o_d_id = $3 AND o_w_id = $4";
const UPDATE_DATE: &str = "UPDATE order_line SET ol_delivery_d = $1 \
    WHERE ol_o_id = $2 AND ol_d_id = $3 AND ol_w_id = $4";
const TOTAL: &str = "SELECT SUM(ol_amount) AS ol_total FROM order_line \
    WHERE ol_o_id = $1 AND ol_d_id = $2 AND ol_w_id = $3";
const UPDATE_CUSTOMER: &str = "UPDATE customer SET c_balance = c_balance + $1, \
    c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = $2 AND c_d_id = $3 AND c_id = $4";

pub(super) async fn run(db: &mut Connection, rng: &mut Rng) -> Result<(), Error> {
    let carrier = between(rng, 1, 10);
    db.transaction(async |db| {
        for district in 1..=DISTRICTS {
            deliver(db, district, carrier).await?;
        }
        Ok(())
    })
    .await
}

async fn deliver(db: &mut Connection, district: i64, carrier: i64) -> Result<(), Error> {
    let (w, d) = (Value::Int(WAREHOUSE), Value::Int(district));
    let oldest = db.query(OLDEST, &[d.clone(), w.clone()]).await?;
    let Some(oldest) = oldest.rows.first() else { return Ok(()) };
    let order = Value::Int(oldest.int(0)?);
    let key = [order.clone(), d.clone(), w.clone()];
    if db.query(DELETE, &key).await?.affected != 1 {
        return Err(Error::RolledBack("the new order is gone"));
    }
    let customer = db.query(GET_CUSTOMER, &key).await?.first("no order")?.int(0)?;
    let [o, ..] = key.clone();
    let order = [carrier.into(), o.clone(), d.clone(), w.clone()];
    if db.query(UPDATE_CARRIER, &order).await?.affected != 1 {
        return Err(Error::RolledBack("the order is gone"));
    }
    if db.query(UPDATE_DATE, &[TIME.into(), o, d.clone(), w.clone()]).await?.affected == 0 {
        return Err(Error::RolledBack("the order has no lines"));
    }
    let total = db.query(TOTAL, &key).await?.first("no total")?.money(0)?;
    let paid = [total.into(), w, d, customer.into()];
    if db.query(UPDATE_CUSTOMER, &paid).await?.affected != 1 {
        return Err(Error::RolledBack("the customer is gone"));
    }
    Ok(())
}
