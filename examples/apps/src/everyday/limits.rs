//! There must not be more, or fewer, of something in all: who adds to it looks at the whole first.

use super::kit::{Everyday, LOST_UPDATE, WRITE_SKEW, at_most, clients, numbers};
use crate::App;
use crate::schedule::turn;
use crate::session::{Session, Stop};

/// One piece is there, and three orders reserve one each, in a row of their own. One too many is a
/// nuisance, for another piece comes over night; two too many are not to be had.
pub(super) const RESERVATION: Everyday = Everyday {
    app: App {
        name: "reservation",
        claim: "more pieces are reserved than are there and come over night",
        sessions: 3,
        initial: || numbers([("on-hand", 1)]),
        run: |sessions, schedule| {
            let reserved = clients(sessions, schedule, async |number, session| {
                turn().await;
                session.operation("reserve", |session| {
                    let free = session.get_number("on-hand")? - total(session, "reserved", 3)?;
                    if free > 0 {
                        session.put(&format!("reserved:{number}"), 1)?;
                    }
                    Ok(free > 0)
                })
            })?;
            at_most(2, &reserved, "reserved")
        },
    },
    breaks: WRITE_SKEW,
    guarded: false,
};

/// Hits are counted in shards, up to a limit of three; every client has its shard and two hits.
pub(super) const SHARDS: Everyday = Everyday {
    app: App {
        name: "shards",
        claim: "more hits were let in than the limit",
        sessions: 3,
        initial: || numbers([("shard:0", 0), ("shard:1", 0), ("shard:2", 0)]),
        run: |sessions, schedule| {
            let hits = clients(sessions, schedule, async |number, session| {
                let mut hits = 0;
                for _ in 0..2 {
                    turn().await;
                    hits += i64::from(session.operation("hit", |session| hit(session, number))?);
                }
                Ok(hits)
            })?;
            at_most(3, &hits, "hits")
        },
    },
    breaks: WRITE_SKEW,
    guarded: false,
};

fn hit(session: &Session, number: usize) -> Result<bool, Stop> {
    let let_in = total(session, "shard", 3)? < 3;
    if let_in {
        let shard = format!("shard:{number}");
        let hits = session.get_number(&shard)?;
        session.put(&shard, hits + 1)?;
    }
    Ok(let_in)
}

/// A quota of ten, and three files of four.
pub(super) const QUOTA: Everyday = Everyday {
    app: App {
        name: "quota",
        claim: "the files are larger than the quota",
        sessions: 3,
        initial: || numbers([("used", 0)]),
        run: |sessions, schedule| {
            let stored = clients(sessions, schedule, async |_, session| {
                turn().await;
                session.operation("store", |session| {
                    let used = session.get_number("used")? + 4;
                    if used > 10 {
                        return Ok(0);
                    }
                    session.put("used", used)?;
                    Ok(4)
                })
            })?;
            at_most(10, &stored, "stored")
        },
    },
    breaks: LOST_UPDATE,
    guarded: false,
};

/// Three are on call, and who sees two others there may leave: one always stays.
pub(super) const ON_CALL: Everyday = Everyday {
    app: App {
        name: "on-call",
        claim: "nobody is on call",
        sessions: 3,
        initial: || numbers([("doctor:0", 1), ("doctor:1", 1), ("doctor:2", 1)]),
        run: |sessions, schedule| {
            let left = clients(sessions, schedule, async |number, session| {
                turn().await;
                session.operation("leave", |session| {
                    let leaves = total(session, "doctor", 3)? > 1;
                    if leaves {
                        session.put(&format!("doctor:{number}"), 0)?;
                    }
                    Ok(leaves)
                })
            })?;
            at_most(2, &left, "left")
        },
    },
    breaks: WRITE_SKEW,
    guarded: false,
};

/// The sum of numbered keys.
fn total(session: &Session, name: &str, count: usize) -> Result<i64, Stop> {
    (0..count).map(|number| session.get_number(&format!("{name}:{number}"))).sum()
}
