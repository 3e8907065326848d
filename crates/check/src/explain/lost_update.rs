//! The two transactions of a lost update, and who was second.

use hobgoblin_core::{EventId, KeyId, Source, TxnId};

use super::case::Case;

/// Two transactions that read a key and both replaced it; the second of them wrote later, as far as that is known.
#[derive(Debug)]
pub(super) struct LostUpdate {
    pub(super) key: KeyId,
    pub(super) txns: [TxnId; 2],
    pub(super) reads: [Option<EventId>; 2],
    pub(super) writes: [Option<EventId>; 2],
    /// The locking read by which the second saw what the first had left.
    pub(super) ran_on: Option<EventId>,
    /// Whether it is known who wrote later.
    pub(super) known: bool,
}

impl LostUpdate {
    pub(super) fn of(case: &Case<'_>) -> Option<LostUpdate> {
        let history = case.history;
        let (read, _) = case.overwritten().next()?;
        let key = history.event(read).key();
        let &[one, other] = case.txns.as_slice() else { return None };
        let ran_on = |by: TxnId, on: TxnId| {
            let saw = |&e: &EventId| {
                history.event(e).key() == key
                    && history.is_locking(e)
                    && history.source(e) == Source::Txn(on)
            };
            history.event_ids(by).find(saw)
        };
        let at = |txn: TxnId| case.write(txn, key).and_then(|e| history.at(e));
        let order = history.order(key).unwrap_or(&[]);
        let place = |txn: TxnId| order.iter().position(|&t| t == txn);
        let second = match (at(one).zip(at(other)), place(one).zip(place(other))) {
            _ if ran_on(one, other).is_some() => Some(one),
            _ if ran_on(other, one).is_some() => Some(other),
            (Some((a, b)), _) => Some(if a > b { one } else { other }),
            (_, Some((a, b))) => Some(if a > b { one } else { other }),
            _ => None,
        };
        let txns = if second == Some(one) { [other, one] } else { [one, other] };
        Some(LostUpdate {
            key,
            txns,
            reads: txns.map(|txn| case.plain_read(txn, key)),
            writes: txns.map(|txn| case.write(txn, key)),
            ran_on: ran_on(txns[1], txns[0]),
            known: second.is_some(),
        })
    }
}
