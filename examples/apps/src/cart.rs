//! A shopping cart: a list of items, and a quantity for each.
//!
//! The cart holds one pair of shoes. One session removes the shoes, the other adds three pairs; then both
//! look twice. Three or none is right; four means that the removed pair is back.

use std::cell::RefCell;

use hobgoblin::{Key, Value};

use crate::schedule::{Schedule, turn};
use crate::session::{Session, Stop, list_value};
use crate::{App, Seen};

/// The cart and its assertion.
pub const APP: App =
    App { name: "cart", claim: "a removed item is back in the cart", sessions: 2, initial, run };

const SHOES: i64 = 1;
const CART: &str = "cart:1";

fn initial() -> Vec<(Key, Value)> {
    let key = |name: String| Key::from(name.as_str());
    let items = ["shoes", "ball", "shirt", "socks", "cap", "bottle"];
    let mut data = Vec::new();
    for (number, name) in (1..).zip(items) {
        data.push((key(format!("item:{number}:name")), Value::from(name)));
        data.push((key(format!("item:{number}:price")), Value::Int(10 * number)));
    }
    data.push((Key::from("user:1:name"), Value::from("ada")));
    data.push((Key::from(CART), list_value(&[SHOES])));
    data.push((key(quantity(SHOES)), Value::Int(1)));
    data
}

fn quantity(item: i64) -> String {
    format!("{CART}:{item}:quantity")
}

fn add(session: &Session, item: i64, count: i64) -> Result<(), Stop> {
    session.operation("add to the cart", |session| {
        let mut cart = session.get_list(CART)?;
        if !cart.contains(&item) {
            cart.push(item);
            session.put_list(CART, &cart)?;
        }
        let before = session.get_number(&quantity(item))?;
        session.put(&quantity(item), before + count)
    })
}

fn remove(session: &Session, item: i64) -> Result<(), Stop> {
    session.operation("remove from the cart", |session| {
        let mut cart = session.get_list(CART)?;
        for _ in cart.iter().filter(|&&other| other == item) {
            session.put(&quantity(item), 0)?;
        }
        cart.retain(|&other| other != item);
        session.put_list(CART, &cart)
    })
}

/// The quantity of the first item; 0 for an empty cart.
fn look(session: &Session) -> Result<i64, Stop> {
    session.operation("look at the cart", |session| {
        let mut first = None;
        for item in session.get_list(CART)? {
            let count = session.get_number(&quantity(item))?;
            session.get(&format!("item:{item}:name"))?;
            session.get(&format!("item:{item}:price"))?;
            first = first.or(Some(count));
        }
        Ok(first.unwrap_or(0))
    })
}

fn run(sessions: &[Session], schedule: &mut Schedule) -> Result<Seen, Stop> {
    let seen = RefCell::new([[0; 2]; 2]);
    let client = async |number: usize| {
        let session = &sessions[number];
        turn().await;
        match number {
            0 => remove(session, SHOES)?,
            _ => add(session, SHOES, 3)?,
        }
        for look_number in 0..2 {
            turn().await;
            let count = look(session)?;
            seen.borrow_mut()[number][look_number] = count;
        }
        Ok(())
    };
    schedule.run(vec![Box::pin(client(0)), Box::pin(client(1))])?;
    let [[a, b], [c, d]] = seen.into_inner();
    let violated = matches!((a, b, c, d), (0 | 4, 4, 4, 4));
    let told = format!("who removed the shoes saw {a} and {b}, who added three saw {c} and {d}");
    Ok(Seen { told, violated })
}
