//! The one warehouse, its districts and customers, and who of them a transaction is about.

use hobgoblin_core::Rng;

use crate::connection::Connection;
use crate::error::Error;
use crate::value::Row;

/// The number of the only warehouse.
pub(crate) const WAREHOUSE: i64 = 1;
/// Districts of the warehouse.
pub(crate) const DISTRICTS: i64 = 2;
/// Customers of a district.
pub(crate) const CUSTOMERS: i64 = 3;
/// The only item.
pub(crate) const ITEM: i64 = 1;
/// When everything happens: runs have no clock.
pub(crate) const TIME: &str = "2026-01-01 12:00:00";

/// A number from low to high, both included.
pub(super) fn between(rng: &mut Rng, low: i64, high: i64) -> i64 {
    i64::from(rng.between(low as u32, high as u32))
}

/// A district at random.
pub(super) fn a_district(rng: &mut Rng) -> i64 {
    between(rng, 1, DISTRICTS)
}

/// Who a payment or a question is about: six in ten are known by their last name.
pub(super) enum Who {
    Number(i64),
    Name(String),
}

/// A customer at random.
pub(super) fn somebody(rng: &mut Rng) -> Who {
    let customer = between(rng, 1, CUSTOMERS);
    match rng.below(100) < 60 {
        true => Who::Name(last_name(customer - 1)),
        false => Who::Number(customer),
    }
}

/// The syllables of a number's digits.
pub(super) fn last_name(number: i64) -> String {
    const SYLLABLES: [&str; 10] =
        ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
    let digit = |place: i64| SYLLABLES[(number / place).rem_euclid(10) as usize];
    format!("{}{}{}", digit(100), digit(10), digit(1))
}

const CUSTOMER_BY_ID: &str = "SELECT c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, \
    c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, \
    c_since FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3";
const CUSTOMER_BY_NAME: &str = "SELECT c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, \
    c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, \
    c_since FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_last = $3 ORDER BY c_first";

/// A customer's row; of several with one name, the one in the middle.
pub(super) async fn customer(db: &mut Connection, district: i64, who: &Who) -> Result<Row, Error> {
    let place = [WAREHOUSE.into(), district.into()];
    let [w, d] = place;
    let mut found = match who {
        Who::Number(id) => db.query(CUSTOMER_BY_ID, &[w, d, (*id).into()]).await?,
        Who::Name(name) => db.query(CUSTOMER_BY_NAME, &[w, d, name.as_str().into()]).await?,
    };
    match found.rows.len() {
        0 => Err(Error::RolledBack("the customer is not there")),
        count => Ok(found.rows.swap_remove((count - 1) / 2)),
    }
}

/// Columns of a customer's row.
pub(super) mod at {
    pub(in crate::tpcc) const ID: usize = 0;
    pub(in crate::tpcc) const CREDIT: usize = 10;
    pub(in crate::tpcc) const BALANCE: usize = 13;
    pub(in crate::tpcc) const YTD_PAYMENT: usize = 14;
    pub(in crate::tpcc) const PAYMENT_CNT: usize = 15;
}
