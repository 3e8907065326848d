//! Clients that give up unless they see what they wrote before, as careful code does. A store that forgets a
//! session's own writes too often, which read committed allows, never gets them to where they go wrong.

use super::kit::{Everyday, LOST_UPDATE, NO_CAUSES, WRITE_SKEW, at_most, clients, never, numbers};
use crate::schedule::turn;
use crate::session::{Session, Stop};
use crate::{App, Seen};

/// Three nodes take a lease that is free, read it again, and lead if it is theirs.
pub(super) const LEASE: Everyday = Everyday {
    app: App {
        name: "lease",
        claim: "two nodes lead",
        sessions: 3,
        initial: || numbers([("lease", 0)]),
        run: |sessions, schedule| {
            let leads = clients(sessions, schedule, async |number, session| {
                let me = number as i64 + 1;
                turn().await;
                session.operation("take", |session| {
                    if session.get_number("lease")? == 0 {
                        session.put("lease", me)?;
                    }
                    Ok(())
                })?;
                turn().await;
                session.operation("lead", |session| Ok(session.get_number("lease")? == me))
            })?;
            at_most(1, &leads, "lead")
        },
    },
    breaks: LOST_UPDATE,
    guarded: true,
};

/// Two users fill in a form of two pages, page by page, and then take the only seat.
pub(super) const WIZARD: Everyday = Everyday {
    app: App {
        name: "wizard",
        claim: "the only seat was taken twice",
        sessions: 2,
        initial: || numbers([("seats", 1)]),
        run: |sessions, schedule| {
            let took = clients(sessions, schedule, async |number, session| {
                for page in 0..2 {
                    turn().await;
                    let filled = session.operation("fill in", |session| {
                        let before = page == 0 || filled(session, number, page - 1)?;
                        session.put(&format!("form:{number}:{page}"), 1)?;
                        Ok(before)
                    })?;
                    if !filled {
                        return Ok(false);
                    }
                }
                turn().await;
                session.operation("take the seat", |session| {
                    let seats = session.get_number("seats")?;
                    let takes = filled(session, number, 1)? && seats > 0;
                    if takes {
                        session.put("seats", seats - 1)?;
                    }
                    Ok(takes)
                })
            })?;
            at_most(1, &took, "seats taken")
        },
    },
    breaks: LOST_UPDATE,
    guarded: true,
};

fn filled(session: &Session, number: usize, page: usize) -> Result<bool, Stop> {
    Ok(session.get_number(&format!("form:{number}:{page}"))? == 1)
}

/// Two people write two messages each, which get the room's next number.
pub(super) const CHAT: Everyday = Everyday {
    app: App {
        name: "chat",
        claim: "two messages have one number",
        sessions: 2,
        initial: || numbers([("last", 0)]),
        run: |sessions, schedule| {
            let numbers = clients(sessions, schedule, async |_, session| {
                let mut own = Vec::new();
                for _ in 0..2 {
                    turn().await;
                    let before = own.last().copied().unwrap_or(0);
                    let number = session.operation("write", |session| {
                        let last = session.get_number("last")?;
                        if last >= before {
                            session.put("last", last + 1)?;
                        }
                        Ok((last >= before).then_some(last + 1))
                    })?;
                    let Some(number) = number else { break };
                    own.push(number);
                }
                Ok(own)
            })?;
            // Only what both have sent in full is looked at.
            let sent = numbers.iter().all(|own| own.len() == 2);
            let twice = numbers[0].iter().any(|number| numbers[1].contains(number));
            Ok(Seen { told: format!("numbers {numbers:?}"), violated: sent && twice })
        },
    },
    breaks: LOST_UPDATE,
    guarded: true,
};

/// Three uploads: a draft first, and when it is there, the file, as long as there is room for one more.
pub(super) const UPLOAD: Everyday = Everyday {
    app: App {
        name: "upload",
        claim: "more files are there than there is room for",
        sessions: 3,
        initial: || numbers([("files", 0)]),
        run: |sessions, schedule| {
            let stored = clients(sessions, schedule, async |number, session| {
                let draft = format!("draft:{number}");
                turn().await;
                session.operation("draft", |session| session.put(&draft, 1))?;
                turn().await;
                session.operation("upload", |session| {
                    let files = session.get_number("files")?;
                    let fits = session.get_number(&draft)? == 1 && files < 2;
                    if fits {
                        session.put("files", files + 1)?;
                        session.put(&draft, 0)?;
                    }
                    Ok(fits)
                })
            })?;
            at_most(2, &stored, "files")
        },
    },
    breaks: LOST_UPDATE,
    guarded: true,
};

/// A password is changed, and once the change is there every login is revoked. Who saw that signs in with the
/// old one nevertheless.
pub(super) const PASSWORD: Everyday = Everyday {
    app: App {
        name: "password",
        claim: "the old password is good after all logins were revoked for the new one",
        sessions: 2,
        initial: || numbers([("password", 1)]),
        run: |sessions, schedule| {
            let old = clients(sessions, schedule, async |number, session| {
                turn().await;
                if number == 0 {
                    session.operation("change", |session| session.put("password", 2))?;
                    turn().await;
                    session.operation("revoke", |session| {
                        if session.get_number("password")? == 2 {
                            session.put("revoked", 1)?;
                        }
                        Ok(())
                    })?;
                    return Ok(false);
                }
                let look = |session: &Session| Ok(session.get_number("revoked")? == 1);
                let revoked = session.operation("look", look)?;
                turn().await;
                let password = session.operation("sign in", |s| s.get_number("password"))?;
                Ok(revoked && password == 1)
            })?;
            never(old[1], format!("the old password is good: {}", old[1]))
        },
    },
    breaks: NO_CAUSES,
    guarded: true,
};

/// Two come on call, and who sees itself and the other there may leave again.
pub(super) const HANDOVER: Everyday = Everyday {
    app: App {
        name: "handover",
        claim: "both left, each to the other",
        sessions: 2,
        initial: Vec::new,
        run: |sessions, schedule| {
            let left = clients(sessions, schedule, async |number, session| {
                let doctor = |number: usize| format!("doctor:{number}");
                turn().await;
                session.operation("come", |session| session.put(&doctor(number), 1))?;
                turn().await;
                session.operation("leave", |session| {
                    let both = session.get_number(&doctor(number))? == 1
                        && session.get_number(&doctor(1 - number))? == 1;
                    if both {
                        session.put(&doctor(number), 0)?;
                    }
                    Ok(both)
                })
            })?;
            at_most(1, &left, "left")
        },
    },
    breaks: WRITE_SKEW,
    guarded: true,
};
