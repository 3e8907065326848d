//! TPC-C: a wholesale supplier with warehouses, districts, customers and orders [TPC-C 5.11].
//!
//! Nine tables, five transactions as OLTP-Bench writes them, twelve consistency conditions. The load is
//! the MonkeyDB paper's: one warehouse, two districts, three customers each, one item. Each transaction
//! chooses its district at random and its kind by a mix: OLTP-Bench's in [`BENCHMARK`], one with more
//! deliveries in [`DELIVERING`].

mod conditions;
mod delivery;
mod load;
mod new_order;
mod payment;
mod reads;

use hobgoblin_front::Policy;
use hobgoblin_gen::Rng;

use crate::benchmark::Benchmark;
use crate::client::Error;
use crate::connection::Connection;
use crate::schedule::Going;
use crate::value::Row;

/// The warehouse.
pub(crate) const WAREHOUSE: i64 = 1;
/// Districts of the warehouse.
pub(crate) const DISTRICTS: i64 = 2;
/// Customers of a district.
pub(crate) const CUSTOMERS: i64 = 3;
/// The only item.
pub(crate) const ITEM: i64 = 1;
/// When everything happens: runs have no clock.
pub(crate) const TIME: &str = "2026-01-01 12:00:00";

/// TPC-C.
pub const BENCHMARK: Benchmark = Benchmark {
    name: "TPC-C",
    schema: include_str!("schema.sql"),
    load: load::load,
    work,
    transactions: 45,
    policy: Policy::Adverse,
    assertions: &conditions::ALL,
};

/// TPC-C with more deliveries. At causal A3 fails only where a delivered order's number is taken again, which
/// hardly any run comes to with the deliveries of [`BENCHMARK`].
pub const DELIVERING: Benchmark =
    Benchmark { name: "TPC-C with more deliveries", work: work_delivering, ..BENCHMARK };

/// How many of a hundred transactions are of each kind; the others ask for the stock level.
struct Mix {
    new_orders: u32,
    payments: u32,
    deliveries: u32,
    order_statuses: u32,
}

/// OLTP-Bench's.
const STANDARD: Mix = Mix { new_orders: 45, payments: 43, deliveries: 4, order_statuses: 4 };
const MORE_DELIVERIES: Mix = Mix { new_orders: 60, payments: 6, deliveries: 24, order_statuses: 5 };

/// A transaction of TPC-C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    NewOrder,
    Payment,
    Delivery,
    OrderStatus,
    StockLevel,
}

impl Mix {
    /// Draws a transaction.
    fn draw(&self, rng: &mut Rng) -> Kind {
        let mut left = rng.below(100);
        let kinds = [
            (self.new_orders, Kind::NewOrder),
            (self.payments, Kind::Payment),
            (self.deliveries, Kind::Delivery),
            (self.order_statuses, Kind::OrderStatus),
        ];
        for (share, kind) in kinds {
            match left.checked_sub(share) {
                Some(rest) => left = rest,
                None => return kind,
            }
        }
        Kind::StockLevel
    }
}

fn work<'a>(db: &'a mut Connection, rng: &'a mut Rng) -> Going<'a, ()> {
    Box::pin(run(STANDARD.draw(rng), db, rng))
}

fn work_delivering<'a>(db: &'a mut Connection, rng: &'a mut Rng) -> Going<'a, ()> {
    Box::pin(run(MORE_DELIVERIES.draw(rng), db, rng))
}

async fn run(kind: Kind, db: &mut Connection, rng: &mut Rng) -> Result<(), Error> {
    match kind {
        Kind::NewOrder => new_order::run(db, rng).await,
        Kind::Payment => payment::run(db, rng).await,
        Kind::Delivery => delivery::run(db, rng).await,
        Kind::OrderStatus => reads::order_status(db, rng).await,
        Kind::StockLevel => reads::stock_level(db, rng).await,
    }
}

/// A number from low to high, both included.
fn between(rng: &mut Rng, low: i64, high: i64) -> i64 {
    i64::from(rng.between(low as u32, high as u32))
}

fn a_district(rng: &mut Rng) -> i64 {
    between(rng, 1, DISTRICTS)
}

/// Who a payment or a question is about: six in ten are known by their last name.
enum Who {
    Number(i64),
    Name(String),
}

fn somebody(rng: &mut Rng) -> Who {
    let customer = between(rng, 1, CUSTOMERS);
    match rng.below(100) < 60 {
        true => Who::Name(last_name(customer - 1)),
        false => Who::Number(customer),
    }
}

/// The syllables of a number's digits.
fn last_name(number: i64) -> String {
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
async fn customer(db: &mut Connection, district: i64, who: &Who) -> Result<Row, Error> {
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
mod at {
    pub(super) const ID: usize = 0;
    pub(super) const CREDIT: usize = 10;
    pub(super) const BALANCE: usize = 13;
    pub(super) const YTD_PAYMENT: usize = 14;
    pub(super) const PAYMENT_CNT: usize = 15;
}
