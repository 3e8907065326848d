//! The order of steps in which transactions meet.

/// One step: the session and what it asks.
pub(crate) type Step = (usize, String);

/// The steps of transactions, of which there is one a session, in a random order: `below` throws a number below another.
pub(crate) fn shuffled(
    transactions: &[Vec<String>],
    mut below: impl FnMut(u64) -> u64,
) -> Vec<Step> {
    let mut places = vec![0; transactions.len()];
    let mut order = Vec::new();
    loop {
        let left: Vec<usize> =
            (0..places.len()).filter(|&s| places[s] < transactions[s].len()).collect();
        if left.is_empty() {
            return order;
        }
        let session = left[below(left.len() as u64) as usize];
        order.push((session, transactions[session][places[session]].clone()));
        places[session] += 1;
    }
}
