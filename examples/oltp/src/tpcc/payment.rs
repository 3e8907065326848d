//! Payment: a customer pays, and the warehouse and district take note.

use hobgoblin_core::Rng;

use super::warehouse::{TIME, WAREHOUSE, Who, a_district, at, between, customer, somebody};
use crate::connection::Connection;
use crate::error::Error;
use crate::value::{Money, Value};

const UPDATE_WAREHOUSE: &str = "UPDATE warehouse SET w_ytd = w_ytd + $1 WHERE w_id = $2";
const GET_WAREHOUSE: &str = "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name \
    FROM warehouse WHERE w_id = $1";
const UPDATE_DISTRICT: &str =
    "UPDATE district SET d_ytd = d_ytd + $1 WHERE d_w_id = $2 AND d_id = $3";
const GET_DISTRICT: &str = "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name \
    FROM district WHERE d_w_id = $1 AND d_id = $2";
const GET_DATA: &str =
    "SELECT c_data FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3";
const UPDATE_BAD: &str = "UPDATE customer SET c_balance = $1, c_ytd_payment = $2, c_payment_cnt = $3, \
    c_data = $4 WHERE c_w_id = $5 AND c_d_id = $6 AND c_id = $7";
const UPDATE_GOOD: &str = "UPDATE customer SET c_balance = $1, c_ytd_payment = $2, c_payment_cnt = $3 \
    WHERE c_w_id = $4 AND c_d_id = $5 AND c_id = $6";
const INSERT_HISTORY: &str = "INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, \
    h_amount, h_data) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// What is paid where, by whom; fifteen in a hundred pay away from home.
struct Paid {
    district: i64,
    home: i64,
    who: Who,
    amount: Money,
}

pub(super) async fn run(db: &mut Connection, rng: &mut Rng) -> Result<(), Error> {
    let district = a_district(rng);
    let home = if rng.below(100) < 85 { district } else { a_district(rng) };
    let amount = Money(between(rng, 100, 500_000));
    let paid = Paid { district, home, who: somebody(rng), amount };
    db.transaction(async |db| pay(db, &paid).await).await
}

async fn pay(db: &mut Connection, paid: &Paid) -> Result<(), Error> {
    let (w, d, home) = (Value::Int(WAREHOUSE), Value::Int(paid.district), Value::Int(paid.home));
    let amount = Value::from(paid.amount);
    db.query(UPDATE_WAREHOUSE, &[amount.clone(), w.clone()]).await?;
    let warehouse =
        db.query(GET_WAREHOUSE, std::slice::from_ref(&w)).await?.first("no warehouse")?;
    db.query(UPDATE_DISTRICT, &[amount.clone(), w.clone(), d.clone()]).await?;
    let district = db.query(GET_DISTRICT, &[w.clone(), d.clone()]).await?.first("no district")?;
    let row = customer(db, paid.home, &paid.who).await?;
    let number = row.int(at::ID)?;
    let balance = Money(row.money(at::BALANCE)?.0 - paid.amount.0);
    let ytd = Money(row.money(at::YTD_PAYMENT)?.0 + paid.amount.0);
    let count = row.int(at::PAYMENT_CNT)? + 1;
    let key = [w.clone(), home.clone(), Value::Int(number)];
    let mut set = vec![balance.into(), ytd.into(), count.into()];
    if row.text(at::CREDIT) == "BC" {
        let old = db.query(GET_DATA, &key).await?.first("no customer")?.text(0);
        let (d, h) = (paid.district, paid.home);
        let mut data = format!("{number} {h} {WAREHOUSE} {d} {WAREHOUSE} {} | {old}", paid.amount);
        data.truncate(500);
        set.push(data.into());
        set.extend(key.clone());
        db.query(UPDATE_BAD, &set).await?;
    } else {
        set.extend(key.clone());
        db.query(UPDATE_GOOD, &set).await?;
    }
    let told = format!("{}    {}", warehouse.text(5), district.text(5));
    let [_, _, number] = key;
    let history = [home, w.clone(), number, d, w, TIME.into(), amount, told.into()];
    db.query(INSERT_HISTORY, &history).await?;
    Ok(())
}
