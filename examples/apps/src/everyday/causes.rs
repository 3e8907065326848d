//! Who sees an effect expects to see its cause.

use super::kit::{Everyday, LONG_FORK, NO_CAUSES, clients, never};
use crate::App;
use crate::schedule::turn;
use crate::session::{Session, Stop};

/// A post is answered, the answer is liked, and who sees the like looks for the post.
pub(super) const REPLY: Everyday = Everyday {
    app: App {
        name: "reply",
        claim: "there is a like of an answer to a post that is not there",
        sessions: 4,
        initial: Vec::new,
        run: |sessions, schedule| {
            let chain = ["post", "answer", "like"];
            let lost = clients(sessions, schedule, async |number, session| {
                // Whoever does not see what to react to looks once more.
                for _ in 0..2 {
                    turn().await;
                    let done = match number {
                        0 => session.operation("post", |session| mark(session, chain[0]))?,
                        3 => session.operation("look", |session| {
                            Ok(has(session, chain[2])? && !has(session, chain[0])?)
                        })?,
                        _ => session.operation("react", |session| {
                            let seen = has(session, chain[number - 1])?;
                            if seen { mark(session, chain[number]) } else { Ok(false) }
                        })?,
                    };
                    if done {
                        return Ok(number == 3);
                    }
                }
                Ok(false)
            })?;
            never(lost[3], format!("the post of the like is lost: {}", lost[3]))
        },
    },
    breaks: NO_CAUSES,
    guarded: false,
};

/// An employee blocks the boss, then posts; the boss looks at the feed twice.
pub(super) const BLOCKED: Everyday = Everyday {
    app: App {
        name: "blocked",
        claim: "somebody who was blocked before sees the post",
        sessions: 2,
        initial: Vec::new,
        run: |sessions, schedule| {
            let seen = clients(sessions, schedule, async |number, session| {
                let mut seen = false;
                for step in ["blocked", "post"] {
                    turn().await;
                    seen |= match number {
                        0 => !session.operation(step, |session| mark(session, step))?,
                        _ => session.operation("look", |session| {
                            Ok(has(session, "post")? && !has(session, "blocked")?)
                        })?,
                    };
                }
                Ok(seen)
            })?;
            never(seen[1], format!("the boss saw the post: {}", seen[1]))
        },
    },
    breaks: NO_CAUSES,
    guarded: false,
};

/// A user logs in and out. Who saw the logout finds the token good nevertheless.
pub(super) const LOGOUT: Everyday = Everyday {
    app: App {
        name: "logout",
        claim: "a token is good after its logout",
        sessions: 2,
        initial: Vec::new,
        run: |sessions, schedule| {
            let good = clients(sessions, schedule, async |number, session| {
                turn().await;
                if number == 0 {
                    session.operation("log in", |session| session.put("token", 1))?;
                    turn().await;
                    session.operation("log out", |session| {
                        session.put("token", 0)?;
                        session.put("logged-out", 1)
                    })?;
                    return Ok(false);
                }
                let out = session.operation("look", |session| has(session, "logged-out"))?;
                turn().await;
                let good = session.operation("use", |session| has(session, "token"))?;
                Ok(out && good)
            })?;
            never(good[1], format!("the token is good after the logout: {}", good[1]))
        },
    },
    breaks: NO_CAUSES,
    guarded: false,
};

/// Two teams score, and two screens show who was first.
pub(super) const SCOREBOARD: Everyday = Everyday {
    app: App {
        name: "scoreboard",
        claim: "two screens disagree on which goal came first",
        sessions: 4,
        initial: Vec::new,
        run: |sessions, schedule| {
            let first = clients(sessions, schedule, async |number, session| {
                turn().await;
                let (own, other) =
                    if number % 2 == 0 { ("home", "away") } else { ("away", "home") };
                match number {
                    0 | 1 => session.operation("score", |session| mark(session, own)),
                    _ => session.operation("show", |session| {
                        Ok(has(session, own)? && !has(session, other)?)
                    }),
                }
            })?;
            never(first[2] && first[3], format!("the screens show {:?}", &first[2..]))
        },
    },
    breaks: LONG_FORK,
    guarded: false,
};

/// Puts a key that says that something happened.
fn mark(session: &Session, key: &str) -> Result<bool, Stop> {
    session.put(key, 1)?;
    Ok(true)
}

fn has(session: &Session, key: &str) -> Result<bool, Stop> {
    Ok(session.get_number(key)? == 1)
}
