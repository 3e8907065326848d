//! Work shared by threads, its results in order.

use std::sync::Mutex;

/// Does `work` to each of `items` on so many threads.
pub(crate) fn map<I: Send, R: Send>(
    threads: usize,
    items: Vec<I>,
    work: impl Fn(I) -> R + Sync,
) -> Vec<R> {
    if threads == 1 || items.len() == 1 {
        return items.into_iter().map(work).collect();
    }
    let mut results: Vec<Option<R>> = Vec::new();
    results.resize_with(items.len(), || None);
    let queue = Mutex::new(items.into_iter().zip(&mut results));
    let worker = || {
        loop {
            // Taken before the work begins, so that nobody waits for it.
            let taken = queue.lock().expect("no worker panics with the queue").next();
            let Some((item, result)) = taken else { break };
            *result = Some(work(item));
        }
    };
    on_threads(threads, &worker);
    drop(queue);
    results.into_iter().map(|result| result.expect("every item was done")).collect()
}

/// Runs the same on so many threads, this one among them.
fn on_threads(threads: usize, worker: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
}
