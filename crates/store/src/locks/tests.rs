//! What the locks of sessions keep out, who waits for whom, and circles against brute force.

use hobgoblin_core::{Key, Rng, Value};

use super::*;
use crate::range::KeyRange;
use Lock::{KeyShare, NoKeyUpdate, Share, Update};

/// Ten keys, named by their numbers.
pub(super) fn keys() -> Keys {
    let mut keys = Keys::default();
    (0..10).for_each(|n| assert_eq!(keys.intern(&Key::Int(n)), (k(n as u32), true)));
    keys
}

pub(super) fn key(key: u32, lock: Lock) -> Wanted {
    Wanted::Key { key: k(key), lock }
}

/// The session of a number.
pub(super) fn s(number: u32) -> SessionId {
    SessionId::new(number as usize)
}

/// The key of a number.
pub(super) fn k(number: u32) -> KeyNo {
    KeyNo::new(number as usize)
}

#[test]
fn a_session_that_shares_and_updates_keeps_out_both() {
    let (mut locks, keys) = (Locks::default(), keys());
    assert_eq!(locks.take(s(1), &key(7, Share), &keys), Ok(()));
    assert_eq!(locks.take(s(1), &key(7, NoKeyUpdate), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &key(7, Share), &keys), Err(vec![s(1)]));
    assert_eq!(locks.take(s(2), &key(7, NoKeyUpdate), &keys), Err(vec![s(1)]));
    assert_eq!(locks.take(s(2), &key(7, KeyShare), &keys), Ok(()));
    assert_eq!(locks.take(s(1), &key(7, Update), &keys), Err(vec![s(2)]));
    locks.release(s(1));
    assert_eq!(locks.take(s(2), &key(7, Update), &keys), Ok(()));
    assert!(locks.may_write(s(2), k(7)) && !locks.may_write(s(1), k(7)));
    locks.release(s(2));
    assert!(locks.keys.is_empty(), "nothing is left behind");
}

#[test]
fn what_was_taken_since_a_mark_is_released() {
    let (mut locks, keys) = (Locks::default(), keys());
    assert_eq!(locks.take(s(1), &key(7, Share), &keys), Ok(()));
    let mark = locks.mark(s(1));
    assert_eq!(locks.take(s(1), &key(7, Update), &keys), Ok(()));
    assert_eq!(locks.take(s(1), &key(8, Update), &keys), Ok(()));
    assert_eq!(locks.take(s(1), &Wanted::Gap(KeyRange::all()), &keys), Ok(()));
    assert_eq!(locks.wait(s(2), key(7, Share), &keys), Ok(()));
    assert_eq!(locks.ready(&keys).count(), 0);
    locks.release_to(s(1), mark);
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(2)]);
    assert_eq!(locks.take(s(2), &key(7, Update), &keys), Err(vec![s(1)]));
    assert_eq!(locks.take(s(2), &key(7, Share), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &key(8, Update), &keys), Ok(()));
}

#[test]
fn shared_locks_are_shared_and_upgrades_can_deadlock() {
    let (mut locks, keys) = (Locks::default(), keys());
    assert_eq!(locks.take(s(1), &key(7, Share), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &key(7, Share), &keys), Ok(()));
    assert_eq!(locks.take(s(1), &key(7, Update), &keys), Err(vec![s(2)]));
    assert_eq!(locks.wait(s(1), key(7, Update), &keys), Ok(()));
    assert!(locks.wait(s(2), key(7, Update), &keys).is_err());
    locks.release(s(2));
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(1)]);
    assert_eq!(locks.take(s(1), &key(7, Update), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &key(7, Share), &keys), Err(vec![s(1)]));
}

#[test]
fn an_insert_waits_for_writers_of_what_is_there_and_locks_what_is_not() {
    let (mut locks, mut keys) = (Locks::default(), keys());
    let base = &mut keys.get_mut(k(7)).base;
    base.value = Value::Int(1);
    assert_eq!(locks.take(s(1), &key(7, Update), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &Wanted::Insert { key: k(7) }, &keys), Ok(()));
    assert_eq!(locks.mark(s(2)), 0, "it is there and not locked");
    let mark = locks.mark(s(1));
    locks.note_write(s(1), k(7));
    assert_eq!(locks.take(s(2), &Wanted::Insert { key: k(7) }, &keys), Err(vec![s(1)]));
    locks.release_to(s(1), mark);
    assert_eq!(locks.take(s(2), &Wanted::Insert { key: k(7) }, &keys), Ok(()));
    assert_eq!(locks.take(s(1), &key(8, KeyShare), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &Wanted::Insert { key: k(8) }, &keys), Err(vec![s(1)]));
    locks.release(s(1));
    assert_eq!(locks.take(s(2), &Wanted::Insert { key: k(8) }, &keys), Ok(()));
    assert_eq!(locks.take(s(1), &Wanted::Insert { key: k(8) }, &keys), Err(vec![s(2)]));
    assert!(locks.may_write(s(2), k(8)));
    locks.release(s(2));
    assert!(locks.keys.is_empty(), "nothing is left behind");
}

#[test]
fn three_in_a_ring_are_a_deadlock() {
    let (mut locks, keys) = (Locks::default(), keys());
    for session in 0..3 {
        assert_eq!(locks.take(s(session), &key(session, Update), &keys), Ok(()));
    }
    assert_eq!(locks.wait(s(0), key(1, Update), &keys), Ok(()));
    assert_eq!(locks.wait(s(1), key(2, Update), &keys), Ok(()));
    assert!(locks.wait(s(2), key(0, Update), &keys).is_err());
}

fn object(name: i64, mode: Mode, scope: Scope) -> Wanted {
    Wanted::Object { object: Key::Int(name), mode, scope }
}

fn standing(name: i64, mode: Mode) -> Wanted {
    object(name, mode, Scope::Session)
}

#[test]
fn what_stays_with_a_session_outlives_its_transaction() {
    let (mut locks, keys) = (Locks::default(), keys());
    let name = Key::Int(7);
    assert_eq!(locks.take(s(1), &standing(7, Mode::Exclusive), &keys), Ok(()));
    assert_eq!(locks.take(s(1), &standing(7, Mode::Exclusive), &keys), Ok(()));
    let shared = object(7, Mode::Share, Scope::Transaction);
    assert_eq!(locks.take(s(1), &shared, &keys), Ok(()), "its own lock is not in its way");
    locks.release(s(1));
    assert_eq!(locks.take(s(2), &shared, &keys), Err(vec![s(1)]));
    assert!(!locks.let_go(s(1), &name, Mode::Share));
    assert!(locks.let_go(s(1), &name, Mode::Exclusive));
    assert_eq!(locks.take(s(2), &standing(7, Mode::Share), &keys), Err(vec![s(1)]));
    assert_eq!(locks.wait(s(2), shared, &keys), Ok(()));
    assert!(locks.let_go(s(1), &name, Mode::Exclusive));
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(2)]);
    assert_eq!(locks.take(s(2), &standing(7, Mode::Share), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &standing(8, Mode::Exclusive), &keys), Ok(()));
    assert_eq!(locks.take(s(1), &standing(7, Mode::Exclusive), &keys), Err(vec![s(2)]));
    locks.let_go_all(s(2));
    assert_eq!(locks.take(s(1), &standing(7, Mode::Exclusive), &keys), Ok(()));
    locks.let_go_all(s(1));
    assert!(locks.objects.is_empty(), "nothing is left behind");
}

#[test]
fn what_stays_with_sessions_can_deadlock_with_transactions() {
    let (mut locks, keys) = (Locks::default(), keys());
    assert_eq!(locks.take(s(1), &standing(7, Mode::Exclusive), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &key(3, Update), &keys), Ok(()));
    assert_eq!(locks.wait(s(1), key(3, Update), &keys), Ok(()));
    assert_eq!(locks.wait(s(2), standing(7, Mode::Share), &keys), Err(Circle(vec![s(2), s(1)])));
}

/// The holder of a row commits, begins anew and waits for one of those who waited for it: who waits for
/// whom is different now.
#[test]
fn who_waited_for_a_holder_does_not_wait_for_its_next_transaction() {
    let (mut locks, keys) = (Locks::default(), keys());
    let (b, t1, t2) = (key(0, Update), key(1, Update), key(2, Update));
    assert_eq!(locks.take(s(0), &b, &keys), Ok(()));
    assert_eq!(locks.take(s(1), &t1, &keys), Ok(()));
    assert_eq!(locks.take(s(2), &t2, &keys), Ok(()));
    for waiter in [1, 2] {
        assert!(locks.take(s(waiter), &b, &keys).is_err());
        assert_eq!(locks.wait(s(waiter), b.clone(), &keys), Ok(()));
    }
    locks.release(s(0));
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(1)], "who came first");
    assert_eq!(locks.take(s(1), &b, &keys), Ok(()));
    assert_eq!(locks.blockers(s(2), &keys), [s(1)]);
    assert_eq!(locks.take(s(0), &t2, &keys), Err(vec![s(2)]));
    assert_eq!(locks.wait(s(0), t2, &keys), Ok(()), "2 waits for 1, who waits for nobody");
    locks.release(s(1));
    assert_eq!(locks.take(s(2), &b, &keys), Ok(()));
    locks.release(s(2));
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(0)]);
}

/// As in PostgreSQL: sharing a row goes past who waits to write it, sharing an object does not.
#[test]
fn only_objects_have_fair_queues() {
    let (mut locks, keys) = (Locks::default(), keys());
    assert_eq!(locks.take(s(0), &key(1, Share), &keys), Ok(()));
    assert_eq!(locks.wait(s(1), key(1, Update), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &key(1, Share), &keys), Ok(()));
    let (shared, alone) = (
        object(1, Mode::AccessShare, Scope::Transaction),
        object(1, Mode::AccessExclusive, Scope::Transaction),
    );
    let mut locks = Locks::default();
    assert_eq!(locks.take(s(0), &shared, &keys), Ok(()));
    assert_eq!(locks.wait(s(1), alone.clone(), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &shared, &keys), Err(vec![s(1)]));
    assert_eq!(locks.wait(s(2), shared.clone(), &keys), Ok(()));
    assert_eq!(locks.blockers(s(2), &keys), [s(1)]);
    assert_eq!(
        locks.take(s(0), &alone, &keys),
        Ok(()),
        "who holds it goes before who waits for that"
    );
    locks.release(s(0));
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(1)]);
}

/// Somebody who is in the way only by its place in the queue is overtaken.
#[test]
fn a_circle_by_the_order_of_a_queue_alone_is_untangled() {
    let (mut locks, keys) = (Locks::default(), keys());
    let (shared, alone) = (
        object(1, Mode::AccessShare, Scope::Transaction),
        object(1, Mode::AccessExclusive, Scope::Transaction),
    );
    assert_eq!(locks.take(s(0), &shared, &keys), Ok(()));
    assert_eq!(locks.take(s(2), &key(5, Update), &keys), Ok(()));
    assert_eq!(locks.wait(s(1), alone, &keys), Ok(()));
    assert_eq!(locks.wait(s(2), shared.clone(), &keys), Ok(()));
    assert_eq!(locks.ready(&keys).count(), 0);
    assert_eq!(locks.wait(s(0), key(5, Update), &keys), Ok(()));
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(2)], "it goes before 1");
    assert_eq!(locks.take(s(2), &shared, &keys), Ok(()));
    locks.release(s(2));
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(0)]);
}

/// What brute force knows: who holds what, and who waits for what in which order.
#[derive(Clone, Debug, Default)]
struct Model {
    /// Session, thing, mode.
    held: Vec<(SessionId, Thing, u8)>,
    queue: Vec<(SessionId, Thing, u8)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thing {
    Row(u32),
    Object(i64),
}

fn clash(thing: Thing, a: u8, b: u8) -> bool {
    match thing {
        Thing::Row(_) => Lock::ALL[a as usize].clashes(Lock::ALL[b as usize]),
        Thing::Object(_) => Mode::ALL[a as usize].clashes(Mode::ALL[b as usize]),
    }
}

impl Model {
    /// Whom the one at a place of a queue waits for.
    fn blockers(&self, queue: &[(SessionId, Thing, u8)], at: usize) -> Vec<SessionId> {
        let (session, thing, mode) = queue[at];
        let mut blockers: Vec<SessionId> = self
            .held
            .iter()
            .chain(&queue[..at])
            .filter(|other| other.0 != session && other.1 == thing && clash(thing, mode, other.2))
            .map(|other| other.0)
            .collect();
        blockers.sort_unstable();
        blockers.dedup();
        blockers
    }

    /// Whether everybody who waits in this order ends, one after the other.
    fn ends(&self, queue: &[(SessionId, Thing, u8)]) -> bool {
        let mut model = self.clone();
        let mut queue = queue.to_vec();
        loop {
            // Who waits for nobody that waits will be served and end.
            let waits = |session: SessionId| queue.iter().any(|other| other.0 == session);
            let next = (0..queue.len())
                .find(|&at| model.blockers(&queue, at).into_iter().all(|blocker| !waits(blocker)));
            let Some(next) = next else { return queue.is_empty() };
            let (session, ..) = queue.remove(next);
            model.held.retain(|held| held.0 != session);
        }
    }

    /// Whether some order of those who wait for objects lets all end; rows keep their order.
    fn can_end(&self) -> bool {
        fn permute(
            model: &Model,
            left: &[(SessionId, Thing, u8)],
            queue: &mut Vec<(SessionId, Thing, u8)>,
        ) -> bool {
            if left.is_empty() {
                return model.ends(queue);
            }
            (0..left.len()).any(|at| {
                let next = left[at];
                let row = matches!(next.1, Thing::Row(_));
                if row && left[..at].iter().any(|other| other.1 == next.1) {
                    return false;
                }
                let mut rest = left.to_vec();
                queue.push(rest.remove(at));
                let ends = permute(model, &rest, queue);
                queue.pop();
                ends
            })
        }
        permute(self, &self.queue, &mut Vec::new())
    }
}

fn wanted(thing: Thing, mode: u8) -> Wanted {
    match thing {
        Thing::Row(row) => key(row, Lock::ALL[mode as usize]),
        Thing::Object(name) => object(name, Mode::ALL[mode as usize], Scope::Transaction),
    }
}

/// Up to six sessions take rows and objects, wait, and end in any order. Who waits for whom, who is ready and
/// who is refused is as brute force over what is held and queued has it, and in the end all have ended.
#[test]
fn circles_are_found_as_by_brute_force() {
    let (mut refused, mut waits, mut turned) = (0, 0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let sessions = 2 + rng.below(5);
        let things =
            [Thing::Row(0), Thing::Row(1), Thing::Object(0), Thing::Object(1), Thing::Object(2)];
        let (mut locks, keys) = (Locks::default(), keys());
        let mut model = Model::default();
        for _ in 0..40 {
            let session = s(rng.below(sessions));
            if locks.waits(session) {
                continue;
            }
            if rng.one_in(6) {
                locks.release(session);
                model.held.retain(|held| held.0 != session);
            } else {
                let thing = *rng.pick(&things).expect("five");
                let mode = match thing {
                    Thing::Row(_) => rng.below(4) as u8,
                    Thing::Object(_) => rng.below(8) as u8,
                };
                let want = wanted(thing, mode);
                match locks.take(session, &want, &keys) {
                    Ok(()) => model.held.push((session, thing, mode)),
                    Err(_) => {
                        let place = locks.place_of(session, &want);
                        model.queue.insert(place, (session, thing, mode));
                        let before: Vec<SessionId> =
                            model.queue.iter().map(|other| other.0).collect();
                        let outcome = locks.wait(session, want, &keys);
                        assert_eq!(outcome.is_ok(), model.can_end(), "seed {seed}: {model:?}");
                        if outcome.is_err() {
                            refused += 1;
                            locks.release(session);
                            model.queue.remove(place);
                            model.held.retain(|held| held.0 != session);
                        }
                        let order: Vec<SessionId> =
                            locks.waiting.iter().map(|other| other.session).collect();
                        turned += u32::from(outcome.is_ok() && order != before);
                        model.queue.sort_by_key(|other| {
                            order.iter().position(|&session| session == other.0)
                        });
                        waits += 1;
                    }
                }
            }
            loop {
                for (at, waiter) in model.queue.iter().enumerate() {
                    let found = locks.blockers(waiter.0, &keys);
                    assert_eq!(found, model.blockers(&model.queue, at), "seed {seed}: {model:?}");
                }
                let ready: Vec<SessionId> = locks.ready(&keys).collect();
                let Some(&next) = rng.pick(&ready) else { break };
                let at = model.queue.iter().position(|other| other.0 == next).expect("it waits");
                let (session, thing, mode) = model.queue.remove(at);
                assert_eq!(locks.take(session, &wanted(thing, mode), &keys), Ok(()), "seed {seed}");
                model.held.push((session, thing, mode));
            }
        }
        // Whoever does not wait ends; nobody is left behind.
        while let Some(session) =
            (0..sessions).map(s).find(|&s| !locks.waits(s) && locks.mark(s) > 0)
        {
            locks.release(session);
            loop {
                let next = locks.ready(&keys).next();
                let Some(next) = next else { break };
                let at = model.queue.iter().position(|other| other.0 == next).expect("it waits");
                let (session, thing, mode) = model.queue.remove(at);
                assert_eq!(locks.take(session, &wanted(thing, mode), &keys), Ok(()));
            }
        }
        assert!(locks.waiting.is_empty(), "seed {seed}: {locks:?}");
    }
    assert!(refused > 300 && waits > 3_000 && turned > 20, "{refused} {waits} {turned}");
}
