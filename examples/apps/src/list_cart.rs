//! The paper's first example: a cart that is one list [Biswas 2021, figure 1].
//!
//! The cart holds an item. One session adds another of it, one deletes all of it, and a third looks
//! twice. Whoever saw the cart empty must not find two items later.

use std::cell::RefCell;

use hobgoblin::{Key, Value};

use crate::schedule::{Schedule, turn};
use crate::session::{Session, Stop, list_value};
use crate::{App, Seen};

/// The cart and its assertion.
pub const APP: App = App {
    name: "list-cart",
    claim: "an empty cart holds two items, though one was added",
    sessions: 3,
    initial,
    run,
};

const CART: &str = "cart:1";
const ITEM: i64 = 7;

fn initial() -> Vec<(Key, Value)> {
    vec![(Key::from(CART), list_value(&[ITEM]))]
}

fn change(session: &Session, name: &str, change: impl Fn(&mut Vec<i64>)) -> Result<(), Stop> {
    session.operation(name, |session| {
        let mut cart = session.get_list(CART)?;
        change(&mut cart);
        session.put_list(CART, &cart)
    })
}

fn run(sessions: &[Session], schedule: &mut Schedule) -> Result<Seen, Stop> {
    let seen = RefCell::new(Vec::new());
    let add = async |session: &Session| {
        turn().await;
        change(session, "add the item", |cart| cart.push(ITEM))
    };
    let delete = async |session: &Session| {
        turn().await;
        change(session, "delete the item", |cart| cart.retain(|&item| item != ITEM))
    };
    let look = async |session: &Session| {
        for _ in 0..2 {
            turn().await;
            let cart = session.operation("look at the cart", |session| session.get_list(CART))?;
            seen.borrow_mut().push(cart.len());
        }
        Ok(())
    };
    schedule.run(vec![
        Box::pin(add(&sessions[0])),
        Box::pin(delete(&sessions[1])),
        Box::pin(look(&sessions[2])),
    ])?;
    let seen = seen.into_inner();
    let violated = seen == [0, 2];
    Ok(Seen { told: format!("saw carts of {seen:?} items"), violated })
}
