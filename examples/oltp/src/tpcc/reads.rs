//! The two transactions that only read: Order-Status and Stock-Level.

use hobgoblin_core::Rng;

use super::warehouse::{WAREHOUSE, a_district, at, between, customer, somebody};
use crate::connection::Connection;
use crate::error::Error;
use crate::value::Value;

const NEWEST_ORDER: &str = "SELECT o_id, o_carrier_id, o_entry_d FROM oorder \
    WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 ORDER BY o_id DESC LIMIT 1";
const LINES: &str = "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d \
    FROM order_line WHERE ol_o_id = $1 AND ol_d_id = $2 AND ol_w_id = $3";
const NEXT: &str = "SELECT d_next_o_id FROM district WHERE d_w_id = $1 AND d_id = $2";
const LOW: &str = "SELECT COUNT(DISTINCT (s_i_id)) AS stock_count FROM order_line, stock \
    WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id < $3 AND ol_o_id >= $4 \
    AND s_w_id = $1 AND s_i_id = ol_i_id AND s_quantity < $5";

pub(super) async fn order_status(db: &mut Connection, rng: &mut Rng) -> Result<(), Error> {
    let district = a_district(rng);
    let who = somebody(rng);
    db.transaction(async |db| {
        let number = customer(db, district, &who).await?.int(at::ID)?;
        let (w, d) = (Value::Int(WAREHOUSE), Value::Int(district));
        let newest = db.query(NEWEST_ORDER, &[w.clone(), d.clone(), number.into()]).await?;
        let order = newest.first("the customer has no order")?.int(0)?;
        db.query(LINES, &[order.into(), d, w]).await?;
        Ok(())
    })
    .await
}

pub(super) async fn stock_level(db: &mut Connection, rng: &mut Rng) -> Result<(), Error> {
    let district = a_district(rng);
    let threshold = between(rng, 10, 20);
    db.transaction(async |db| {
        let (w, d) = (Value::Int(WAREHOUSE), Value::Int(district));
        let next = db.query(NEXT, &[w.clone(), d.clone()]).await?.first("no district")?.int(0)?;
        let low = [w, d, next.into(), (next - 20).into(), threshold.into()];
        db.query(LOW, &low).await?;
        Ok(())
    })
    .await
}
