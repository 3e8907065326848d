//! A Treiber stack: nodes linked from a head that is moved by compare-and-swap. Each get, put and
//! compare-and-swap is a transaction; a push or pop is many.
//!
//! The head holds the number of the top node, 0 for none; a node is the list of its value and the number
//! of the next. Three sessions push 11, 12 and 22 and pop five times; no value may be popped twice.

use std::cell::{Cell, RefCell};

use hobgoblin::{Key, Value};

use crate::schedule::{Schedule, turn};
use crate::session::{Session, Stop};
use crate::{App, Seen};

/// The stack and its assertion.
pub const APP: App =
    App { name: "stack", claim: "an element was popped more than once", sessions: 3, initial, run };

const HEAD: &str = "head";

fn initial() -> Vec<(Key, Value)> {
    vec![(Key::from(HEAD), Value::Int(0))]
}

fn node(number: i64) -> String {
    format!("node:{number}")
}

async fn cas(session: &Session, old: i64, new: i64) -> Result<bool, Stop> {
    turn().await;
    session.operation("compare and swap the head", |session| {
        let same = session.get_number(HEAD)? == old;
        if same {
            session.put(HEAD, new)?;
        }
        Ok(same)
    })
}

async fn head(session: &Session) -> Result<i64, Stop> {
    turn().await;
    session.get_number(HEAD)
}

/// Puts a node and swings the head to it.
///
/// Nodes are put in the first session, whoever pushes, as the paper's application does: so who reads the
/// head need not see the node yet.
async fn push(session: &Session, first: &Session, number: i64, value: i64) -> Result<(), Stop> {
    let key = node(number);
    turn().await;
    first.put_list(&key, &[value, 0])?;
    loop {
        let top = head(session).await?;
        turn().await;
        first.put_list(&key, &[value, top])?;
        if cas(session, top, number).await? {
            return Ok(());
        }
    }
}

async fn pop(session: &Session) -> Result<Option<i64>, Stop> {
    loop {
        let top = head(session).await?;
        if top == 0 {
            return Ok(None);
        }
        turn().await;
        let [value, next] = session.get_list(&node(top))?[..] else { return Ok(None) };
        if cas(session, top, next).await? {
            return Ok(Some(value));
        }
    }
}

fn run(sessions: &[Session], schedule: &mut Schedule) -> Result<Seen, Stop> {
    let popped = RefCell::new(Vec::new());
    let nodes = Cell::new(0);
    let fresh = || {
        nodes.set(nodes.get() + 1);
        nodes.get()
    };
    let one = async |session: &Session| {
        push(session, &sessions[0], fresh(), 11).await?;
        push(session, &sessions[0], fresh(), 12).await?;
        let value = pop(session).await?;
        popped.borrow_mut().push(value);
        Ok(())
    };
    let two = async |session: &Session| {
        let value = pop(session).await?;
        popped.borrow_mut().push(value);
        push(session, &sessions[0], fresh(), 22).await?;
        let value = pop(session).await?;
        popped.borrow_mut().push(value);
        Ok(())
    };
    let three = async |session: &Session| {
        for _ in 0..2 {
            let value = pop(session).await?;
            popped.borrow_mut().push(value);
        }
        Ok(())
    };
    schedule.run(vec![
        Box::pin(one(&sessions[0])),
        Box::pin(two(&sessions[1])),
        Box::pin(three(&sessions[2])),
    ])?;
    let popped: Vec<i64> = popped.into_inner().into_iter().flatten().collect();
    let twice = |value: &i64| popped.iter().filter(|other| *other == value).count() > 1;
    let violated = popped.iter().any(twice);
    Ok(Seen { told: format!("popped {popped:?}"), violated })
}
