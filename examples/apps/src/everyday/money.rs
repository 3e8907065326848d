//! Money moves between accounts, and reports add it up.

use super::kit::{Everyday, LOST_UPDATE, WRITE_SKEW, clients, never, numbers};
use crate::App;
use crate::schedule::turn;
use crate::session::{Session, Stop};

const ACCOUNTS: [&str; 3] = ["account:a", "account:b", "account:c"];

/// Two transfers that share an account, each with a line in the log, and an audit of all accounts.
pub(super) const AUDIT: Everyday = Everyday {
    app: App {
        name: "audit",
        claim: "an audit does not find the money that is there",
        sessions: 3,
        initial: || numbers(ACCOUNTS.map(|account| (account, 100))),
        run: |sessions, schedule| {
            let found = clients(sessions, schedule, async |number, session| {
                turn().await;
                if number < 2 {
                    session.operation("transfer", |session| {
                        add(session, ACCOUNTS[number], -30)?;
                        add(session, ACCOUNTS[number + 1], 30)?;
                        session.put(&format!("log:{number}"), 30)
                    })?;
                    return Ok(0);
                }
                session.operation("audit", |session| {
                    ACCOUNTS.iter().map(|account| session.get_number(account)).sum()
                })
            })?;
            never(found[2] != 300, format!("the audit found {}", found[2]))
        },
    },
    breaks: LOST_UPDATE,
    guarded: false,
};

/// A deposit, a withdrawal that costs a penalty when both accounts together do not cover it, and a report.
/// Who reads in the report that the deposit came first does not expect a penalty.
pub(super) const PENALTY: Everyday = Everyday {
    app: App {
        name: "penalty",
        claim: "a report shows the deposit before a withdrawal that paid a penalty for lack of it",
        sessions: 3,
        initial: || numbers([("checking", 0), ("savings", 0)]),
        run: |sessions, schedule| {
            let seen = clients(sessions, schedule, async |number, session| {
                turn().await;
                match number {
                    0 => session.operation("deposit", |session| add(session, "savings", 20)),
                    1 => session.operation("withdraw", |session| {
                        let covered =
                            session.get_number("savings")? + session.get_number("checking")?;
                        add(session, "checking", if covered >= 10 { -10 } else { -11 })
                    }),
                    _ => session.operation("report", |session| {
                        let deposited = session.get_number("savings")? == 20;
                        Ok(i64::from(deposited && session.get_number("checking")? == 0))
                    }),
                }
            })?;
            let (penalty, deposit_first) = (seen[1] == -11, seen[2] == 1);
            never(penalty && deposit_first, format!("balances {seen:?}"))
        },
    },
    breaks: WRITE_SKEW,
    guarded: false,
};

/// Adds to an account; what it holds then.
fn add(session: &Session, account: &str, amount: i64) -> Result<i64, Stop> {
    let balance = session.get_number(account)? + amount;
    session.put(account, balance)?;
    Ok(balance)
}
