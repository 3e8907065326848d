//! TPC-C: a wholesale supplier with warehouses, districts, customers and orders [TPC-C 5.11].
//!
//! Nine tables, five transactions as OLTP-Bench writes them, twelve consistency conditions. The load is
//! the MonkeyDB paper's: one warehouse, two districts, three customers each, one item. Each transaction
//! chooses its district at random and its kind by a mix: OLTP-Bench's in [`BENCHMARK`], one with more
//! deliveries in [`DELIVERING`], one in which customers pay and get what they ordered in [`SETTLING`].

mod conditions;
mod delivery;
mod load;
mod new_order;
mod payment;
mod reads;
mod warehouse;

use hobgoblin_core::Rng;
use hobgoblin_front::Policy;

use crate::benchmark::Benchmark;
use crate::connection::Connection;
use crate::error::Error;
use crate::schedule::Going;

/// TPC-C, as the runner knows it.
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

/// TPC-C with payments and deliveries above all. What a delivery adds to a customer's balance is lost under a payment that
/// had read it: the only thing that TPC-C loses on InnoDB, and with the mix of [`BENCHMARK`] a short run hardly comes to it.
pub const SETTLING: Benchmark =
    Benchmark { name: "TPC-C with more payments", work: work_settling, ..BENCHMARK };

/// How many of a hundred transactions are of each kind; the others ask for the stock level.
struct Mix {
    new_orders: u32,
    payments: u32,
    deliveries: u32,
    order_statuses: u32,
}

/// How often OLTP-Bench runs each transaction, in percent.
const STANDARD: Mix = Mix { new_orders: 45, payments: 43, deliveries: 4, order_statuses: 4 };
const MORE_DELIVERIES: Mix = Mix { new_orders: 60, payments: 6, deliveries: 24, order_statuses: 5 };
const MORE_PAYMENTS: Mix = Mix { new_orders: 20, payments: 45, deliveries: 35, order_statuses: 0 };

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

fn work_settling<'a>(db: &'a mut Connection, rng: &'a mut Rng) -> Going<'a, ()> {
    Box::pin(run(MORE_PAYMENTS.draw(rng), db, rng))
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
