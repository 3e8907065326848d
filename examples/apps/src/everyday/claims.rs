//! Who finds nothing there takes it: check, then insert.

use hobgoblin::Value;

use super::kit::{Everyday, LOST_UPDATE, at_most, clients};
use crate::schedule::turn;
use crate::session::{Session, Stop};
use crate::{App, Seen};

/// Three people sign up under one name. It is free, or it is not.
pub(super) const SIGN_UP: Everyday = Everyday {
    app: App {
        name: "sign-up",
        claim: "two people have one name",
        sessions: 3,
        initial: Vec::new,
        run: |sessions, schedule| {
            let took = clients(sessions, schedule, async |number, session| {
                turn().await;
                session.operation("sign up", |session| insert(session, "user:ada", number))
            })?;
            at_most(1, &took, "signed up")
        },
    },
    breaks: LOST_UPDATE,
    guarded: false,
};

/// A payment is sent to two workers, and to each of them twice. Its key keeps it from being made again.
pub(super) const PAYMENT: Everyday = Everyday {
    app: App {
        name: "payment",
        claim: "a payment with a key of its own was made twice",
        sessions: 2,
        initial: || super::kit::numbers([("balance", 100)]),
        run: |sessions, schedule| {
            let charged = clients(sessions, schedule, async |number, session| {
                let mut charged = 0;
                for _ in 0..2 {
                    turn().await;
                    charged += i64::from(session.operation("pay", |session| pay(session, number))?);
                }
                Ok(charged)
            })?;
            at_most(1, &charged, "payments")
        },
    },
    breaks: LOST_UPDATE,
    guarded: false,
};

/// Three workers take one of two jobs each, as long as there are any.
pub(super) const QUEUE: Everyday = Everyday {
    app: App {
        name: "queue",
        claim: "a job was claimed twice",
        sessions: 3,
        initial: || super::kit::numbers([("job:1", 0), ("job:2", 0)]),
        run: |sessions, schedule| {
            let jobs = clients(sessions, schedule, async |number, session| {
                turn().await;
                session.operation("claim", |session| claim(session, number))
            })?;
            let twice = (1..=2).any(|job| jobs.iter().filter(|&&of| of == job).count() > 1);
            Ok(Seen { told: format!("jobs {jobs:?}"), violated: twice })
        },
    },
    breaks: LOST_UPDATE,
    guarded: false,
};

/// Puts a key that is not there; whether it was not.
fn insert(session: &Session, key: &str, number: usize) -> Result<bool, Stop> {
    let free = session.get(key)? == Value::Null;
    if free {
        session.put(key, number as i64)?;
    }
    Ok(free)
}

fn pay(session: &Session, number: usize) -> Result<bool, Stop> {
    let new = insert(session, "payment:7", number)?;
    if new {
        let balance = session.get_number("balance")?;
        session.put("balance", balance - 10)?;
    }
    Ok(new)
}

/// The job that a worker got; 0 if there was none.
fn claim(session: &Session, number: usize) -> Result<i64, Stop> {
    for job in 1..=2 {
        let key = format!("job:{job}");
        if session.get_number(&key)? == 0 {
            session.put(&key, number as i64 + 1)?;
            return Ok(job);
        }
    }
    Ok(0)
}
