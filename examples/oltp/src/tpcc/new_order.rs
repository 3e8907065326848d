//! New-Order: a customer orders five to fifteen lines.

use hobgoblin_core::Rng;

use super::warehouse::{CUSTOMERS, ITEM, TIME, WAREHOUSE, a_district, between};
use crate::connection::Connection;
use crate::error::Error;
use crate::value::{Money, Value};

const GET_CUSTOMER: &str = "SELECT c_discount, c_last, c_credit FROM customer \
    WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3";
const GET_WAREHOUSE: &str = "SELECT w_tax FROM warehouse WHERE w_id = $1";
const GET_DISTRICT: &str =
    "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = $1 AND d_id = $2";
const UPDATE_DISTRICT: &str = "UPDATE district SET d_next_o_id = d_next_o_id + 1 \
    WHERE d_w_id = $1 AND d_id = $2";
const INSERT_ORDER: &str = "INSERT INTO oorder (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, \
    o_all_local) VALUES ($1, $2, $3, $4, $5, $6, 1)";
const INSERT_NEW_ORDER: &str =
    "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES ($1, $2, $3)";
const GET_ITEM: &str = "SELECT i_price, i_name, i_data FROM item WHERE i_id = $1";
const GET_STOCK: &str = "SELECT s_quantity, s_data, s_dist_01, s_dist_02 FROM stock \
    WHERE s_i_id = $1 AND s_w_id = $2";
const UPDATE_STOCK: &str = "UPDATE stock SET s_quantity = $1, s_ytd = s_ytd + $2, \
    s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + 0 WHERE s_i_id = $3 AND s_w_id = $4";
const INSERT_LINE: &str = "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, \
    ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// What a customer orders: the item and quantity of each line.
struct Order {
    district: i64,
    customer: i64,
    lines: Vec<(i64, i64)>,
}

/// One order in a hundred names an item that does not exist, and is rolled back.
fn draw(rng: &mut Rng) -> Order {
    let district = a_district(rng);
    let customer = between(rng, 1, CUSTOMERS);
    let count = between(rng, 5, 15);
    let mut lines: Vec<(i64, i64)> = (0..count).map(|_| (ITEM, between(rng, 1, 10))).collect();
    if rng.one_in(100)
        && let Some(last) = lines.last_mut()
    {
        last.0 = -12_345;
    }
    Order { district, customer, lines }
}

pub(super) async fn run(db: &mut Connection, rng: &mut Rng) -> Result<(), Error> {
    let order = draw(rng);
    db.transaction(async |db| place(db, &order).await).await
}

async fn place(db: &mut Connection, order: &Order) -> Result<(), Error> {
    let (w, d) = (Value::Int(WAREHOUSE), Value::Int(order.district));
    let customer = Value::Int(order.customer);
    db.query(GET_CUSTOMER, &[w.clone(), d.clone(), customer.clone()])
        .await?
        .first("no customer")?;
    db.query(GET_WAREHOUSE, std::slice::from_ref(&w)).await?.first("no warehouse")?;
    let place = [w.clone(), d.clone()];
    let district = db.query_for_update(GET_DISTRICT, &place).await?.first("no district")?;
    let number = district.int(0)?;
    db.query(UPDATE_DISTRICT, &place).await?;
    let count = Value::Int(order.lines.len() as i64);
    let ids = [number.into(), d.clone(), w.clone()];
    let [id, ..] = ids.clone();
    db.query(INSERT_ORDER, &[id, d.clone(), w.clone(), customer, TIME.into(), count]).await?;
    db.query(INSERT_NEW_ORDER, &ids).await?;
    for (at, &(item, quantity)) in order.lines.iter().enumerate() {
        let price = match db.query(GET_ITEM, &[item.into()]).await?.rows.first() {
            Some(row) => row.money(0)?,
            None => return Err(Error::RolledBack("no such item")),
        };
        let key = [item.into(), w.clone()];
        let stock = db.query_for_update(GET_STOCK, &key).await?.first("no stock")?;
        let left = stock.int(0)? - quantity;
        let left = if left >= 10 { left } else { left + 91 };
        let info = stock.text(if order.district == 1 { 2 } else { 3 });
        let [item, _] = key;
        let amount = Money(price.0 * quantity);
        let line = [
            number.into(),
            d.clone(),
            w.clone(),
            (at as i64 + 1).into(),
            item.clone(),
            w.clone(),
            quantity.into(),
            amount.into(),
            info.into(),
        ];
        db.query(INSERT_LINE, &line).await?;
        db.query(UPDATE_STOCK, &[left.into(), quantity.into(), item, w.clone()]).await?;
    }
    Ok(())
}
