//! What a run looked like from its clients: the vector of what their reads returned.
//!
//! Two runs behave alike when every session, taken in the order of their names, read the same values in
//! the same order. Writes are left out: a program's writes follow from what it read.

use std::hash::{DefaultHasher, Hash, Hasher};

use hobgoblin_core::{History, Kind, SessionId};

/// The hash of a run's behaviour.
pub fn of(history: &History) -> u64 {
    let mut sessions: Vec<SessionId> = history.sessions().collect();
    sessions.sort_by_key(|&session| history.session(session));
    let mut hash = DefaultHasher::new();
    for session in sessions {
        history.session(session).hash(&mut hash);
        for &txn in history.session_txns(session) {
            for event in history.event_ids(txn) {
                let packed = history.event(event);
                if packed.kind() == Kind::Read {
                    history.key(packed.key()).hash(&mut hash);
                    history.value(event).hash(&mut hash);
                }
            }
        }
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behaviour(text: &str) -> u64 {
        of(&hobgoblin_format::read(text.as_bytes(), "test.txn", None).expect("a history"))
    }

    #[test]
    fn what_was_read_tells_runs_apart_and_nothing_else_does() {
        let base = behaviour("init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=1 }\n");
        let recorded_later = behaviour("init x=0\ns1: a { r(x)=0 w(x)=1 }\ns2: b { r(x)=1 }\n");
        assert_eq!(base, recorded_later, "names of transactions do not matter");
        let reordered = behaviour("init x=0\ns2: t2 { r(x)=1 }\ns1: t1 { r(x)=0 w(x)=1 }\n");
        assert_eq!(base, reordered, "nor does the order of recording between sessions");
        for other in [
            "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 }\n",
            "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=1 r(x)=1 }\n",
            "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns3: t2 { r(x)=1 }\n",
        ] {
            assert_ne!(base, behaviour(other), "{other}");
        }
    }
}
