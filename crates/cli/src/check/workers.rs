//! Several files at once, with results in the order of the files.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::diagnostic::Failure;

/// Calls `work` on every item, in `jobs` threads, and `take` on every result, in the order of the
/// items. Ends early when `work` returns nothing or `take` fails.
pub(crate) fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> Option<R> + Sync,
    mut take: impl FnMut(R) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if jobs.min(items.len()) <= 1 {
        return items.iter().map_while(work).try_for_each(take);
    }
    let next = AtomicUsize::new(0);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.min(items.len()) {
            let sender = sender.clone();
            let (next, over, work) = (&next, &over, &work);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = items.get(at).and_then(work) else { break };
                    if sender.send((at, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut taken = 0;
        for (at, result) in results {
            waiting.insert(at, result);
            while let Some(result) = waiting.remove(&taken) {
                taken += 1;
                take(result).inspect_err(|_| over.store(true, Ordering::Relaxed))?;
            }
        }
        // After an interruption, what is known of later files is told too.
        waiting.into_values().try_for_each(take)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        let items: Vec<u64> = (0..50).collect();
        for jobs in [1, 2, 7, 100] {
            let mut taken = Vec::new();
            let slow = |&n: &u64| {
                std::thread::sleep(std::time::Duration::from_micros(n * 37 % 11 * 100));
                Some(n)
            };
            in_order(&items, jobs, slow, |n| {
                taken.push(n);
                Ok(())
            })
            .expect("nothing fails");
            assert_eq!(taken, items);
        }
    }

    #[test]
    fn a_failure_ends_it() {
        let items: Vec<u32> = (0..1000).collect();
        for jobs in [1, 3] {
            let mut taken = 0;
            let result = in_order(
                &items,
                jobs,
                |&n| Some(n),
                |n| {
                    taken += 1;
                    if n == 5 { Err(std::io::Error::other("full").into()) } else { Ok(()) }
                },
            );
            assert!(result.is_err());
            assert_eq!(taken, 6);
        }
    }
}
