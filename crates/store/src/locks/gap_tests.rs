//! Gap locks: what they keep out, and against brute force.

use std::ops::Bound;

use hobgoblin_core::{Key, Rng};

use super::tests::{k, key, keys, s};
use super::*;
use crate::range::KeyRange;
use Lock::{Share, Update};

/// The gap between two of ten keys.
fn between(from: i64, to: i64) -> KeyRange {
    let bound = |key| Bound::Excluded(Key::Int(key));
    KeyRange::between(bound(from), bound(to))
}

fn room(key: u32) -> Wanted {
    Wanted::Room { key: k(key) }
}

fn next(key: u32, lock: Lock, from: i64) -> Wanted {
    Wanted::Next { key: k(key), lock, gap: between(from, i64::from(key)) }
}

#[test]
fn gaps_keep_out_what_is_put_into_them_and_nothing_else() {
    let (mut locks, keys) = (Locks::fair(false, false), keys());
    assert_eq!(locks.take(s(1), &Wanted::Gap(between(2, 6)), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &Wanted::Gap(between(3, 9)), &keys), Ok(()), "gaps never meet");
    assert_eq!(locks.take(s(3), &key(4, Update), &keys), Ok(()), "nor locks on what is there");
    assert_eq!(locks.take(s(3), &room(3), &keys), Err(vec![s(1)]));
    assert_eq!(locks.take(s(3), &room(5), &keys), Err(vec![s(1), s(2)]));
    assert_eq!(locks.take(s(3), &room(2), &keys), Ok(()), "its ends are not in it");
    assert_eq!(locks.take(s(1), &room(3), &keys), Ok(()), "its own gap is not in its way");
    assert_eq!(locks.take(s(2), &room(3), &keys), Err(vec![s(1)]), "the key is locked now");
    locks.release(s(1));
    assert_eq!(locks.take(s(3), &room(3), &keys), Ok(()));
}

#[test]
fn two_who_locked_a_gap_cannot_both_fill_it() {
    let (mut locks, keys) = (Locks::fair(false, false), keys());
    for session in [1, 2] {
        assert_eq!(locks.take(s(session), &Wanted::Gap(between(3, 7)), &keys), Ok(()));
    }
    assert_eq!(locks.take(s(1), &room(5), &keys), Err(vec![s(2)]));
    assert_eq!(locks.wait(s(1), room(5), &keys), Ok(()));
    assert_eq!(locks.wait(s(2), room(5), &keys), Err(Circle(vec![s(2), s(1)])));
}

#[test]
fn a_gap_that_is_waited_for_is_kept_too() {
    let (mut locks, keys) = (Locks::fair(false, false), keys());
    assert_eq!(locks.take(s(1), &key(5, Update), &keys), Ok(()));
    assert_eq!(locks.take(s(2), &next(5, Share, 2), &keys), Err(vec![s(1)]));
    assert_eq!(locks.wait(s(2), next(5, Share, 2), &keys), Ok(()));
    assert_eq!(locks.take(s(3), &room(4), &keys), Err(vec![s(2)]));
    // Who wants room is in nobody's way.
    assert_eq!(locks.wait(s(3), room(4), &keys), Ok(()));
    assert_eq!(locks.take(s(4), &next(4, Share, 3), &keys), Ok(()));
    locks.release(s(4));
    locks.release(s(1));
    assert_eq!(locks.ready(&keys).collect::<Vec<_>>(), [s(2)]);
    assert_eq!(locks.take(s(2), &next(5, Share, 2), &keys), Ok(()));
    assert_eq!(locks.ready(&keys).count(), 0, "now it has the gap");
}

#[test]
fn a_scan_of_many_keys_has_one_gap() {
    let (mut locks, keys) = (Locks::fair(false, false), keys());
    for at in 1..10 {
        assert_eq!(locks.take(s(1), &next(at, Share, i64::from(at) - 1), &keys), Ok(()));
    }
    assert_eq!(locks.take(s(1), &Wanted::Gap(between(3, 5)), &keys), Ok(()));
    assert_eq!(locks.gaps.of(s(1)).count(), 1);
    locks.release(s(1));
    assert!(locks.gaps.is_empty() && locks.keys.is_empty(), "nothing is left behind");
}

/// What a session has or waits for, as brute force knows it.
#[derive(Clone, Debug)]
struct Known {
    session: SessionId,
    key: Option<(u32, Lock)>,
    gap: Option<(i64, i64)>,
    room: bool,
}

impl Known {
    /// Whether a session has the key that it wants again, as strongly.
    fn has_key_of(&self, wanted: &Known) -> bool {
        let (Some((own, held)), Some((key, lock))) = (self.key, wanted.key) else { return false };
        self.session == wanted.session && own == key && (held == lock || held == Update)
    }

    /// Whether this, which another session has or waits for before, is in the way of what is wanted.
    fn blocks(&self, wanted: &Known, waits: bool) -> bool {
        let inside = |gap: (i64, i64), key: u32| gap.0 < key.into() && i64::from(key) < gap.1;
        let (Some((key, lock)), true) = (wanted.key, self.session != wanted.session) else {
            return false;
        };
        let fills = wanted.room && self.gap.is_some_and(|gap| inside(gap, key));
        let same = self.key.is_some_and(|(own, held)| own == key && held.clashes(lock));
        fills || same && !(waits && self.room)
    }
}

/// A session has what it wanted. Gaps that it took one after the other are one: what is between them was a key.
fn hold(held: &mut Vec<Known>, mut known: Known) {
    known.room = false;
    let own = held.iter_mut().filter(|other| other.session == known.session);
    let mut gaps: Vec<&mut (i64, i64)> = own.filter_map(|other| other.gap.as_mut()).collect();
    if let Some((from, to)) = known.gap {
        let covered = gaps.iter().any(|gap| gap.0 <= from && to <= gap.1);
        let last = gaps.last_mut().filter(|gap| gap.1 == from);
        match last {
            _ if covered => known.gap = None,
            Some(last) => {
                last.1 = to;
                known.gap = None;
            }
            None => {}
        }
    }
    held.push(known);
}

/// Up to five sessions lock keys, gaps and both, and want room; in a queue as InnoDB's everybody waits for all who
/// came before.
#[test]
fn gaps_are_waited_for_as_by_brute_force() {
    let (mut refused, mut waited) = (0, 0);
    for seed in 0..3_000 {
        let mut rng = Rng::new(seed);
        let (mut locks, keys) = (Locks::fair(false, false), keys());
        let (mut held, mut queue): (Vec<Known>, Vec<Known>) = (Vec::new(), Vec::new());
        let in_the_way = |held: &[Known], queue: &[Known], known: &Known| {
            // Who has the key already does not queue for it.
            let has = !known.room && held.iter().any(|own| own.has_key_of(known));
            let held = held.iter().filter(|other| other.blocks(known, false));
            let before = queue.iter().filter(|other| !has && other.blocks(known, true));
            let mut all: Vec<SessionId> = held.chain(before).map(|other| other.session).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        for _ in 0..30 {
            let session = s(rng.below(5));
            if locks.waits(session) {
                continue;
            }
            if rng.one_in(6) {
                locks.release(session);
                held.retain(|known| known.session != session);
            } else {
                let at = 1 + rng.below(8);
                let from = i64::from(at) - 1 - i64::from(rng.below(3));
                let lock = *rng.pick(&[Share, Update]).expect("two");
                let nothing = Known { session, key: None, gap: None, room: false };
                let (want, known) = match rng.below(4) {
                    0 => (key(at, lock), Known { key: Some((at, lock)), ..nothing }),
                    1 => {
                        let gap = Some((from, i64::from(at)));
                        (next(at, lock, from), Known { key: Some((at, lock)), gap, ..nothing })
                    }
                    2 => {
                        let gap = (from, i64::from(at) + 1);
                        let wanted = Wanted::Gap(between(gap.0, gap.1));
                        (wanted, Known { gap: Some(gap), ..nothing })
                    }
                    _ => (room(at), Known { key: Some((at, Update)), room: true, ..nothing }),
                };
                let expected = in_the_way(&held, &queue, &known);
                match locks.take(session, &want, &keys) {
                    Ok(()) => {
                        assert_eq!(expected, [], "seed {seed}: {want:?}");
                        hold(&mut held, known);
                    }
                    // One who holds it is told of first, those who wait for it else.
                    Err(found) => {
                        let holders = in_the_way(&held, &[], &known);
                        let told = if holders.is_empty() { &expected } else { &holders };
                        assert_eq!(&found, told, "seed {seed}: {want:?}");
                        match locks.wait(session, want, &keys) {
                            Ok(()) => {
                                assert_eq!(locks.blockers(session, &keys), expected);
                                queue.push(known);
                                waited += 1;
                            }
                            Err(_) => {
                                locks.release(session);
                                held.retain(|known| known.session != session);
                                refused += 1;
                            }
                        }
                    }
                }
            }
            loop {
                let next = locks.ready(&keys).next();
                let Some(next) = next else { break };
                let at = queue.iter().position(|other| other.session == next).expect("it waits");
                let known = queue.remove(at);
                assert_eq!(in_the_way(&held, &queue[..at], &known), [], "seed {seed}");
                let wanted = locks.waiting.iter().find(|waiter| waiter.session == next);
                let wanted = wanted.expect("it waits").wanted.clone();
                assert_eq!(locks.take(next, &wanted, &keys), Ok(()), "seed {seed}");
                hold(&mut held, known);
            }
            let free = |at: usize| in_the_way(&held, &queue[..at], &queue[at]).is_empty();
            assert!(!(0..queue.len()).any(free), "seed {seed}: {queue:?}");
        }
    }
    assert!(refused > 300 && waited > 3_000, "{refused} {waited}");
}
