//! The operations of a violation for people: the reads that clash, the updates that matter, and what else was done to
//! the same objects, as long as that is not much.

use hobgoblin_core::Key;
use hobgoblin_crdt::{Bound, Call, CrdtHistory, CrdtViolation, OpId, Replica, describe};

/// How many updates are shown that do not matter by themselves.
const CONTEXT: usize = 16;

/// Longer operations are cut.
const LONGEST: usize = 120;

/// An operation of the history, as a row of the table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) replica: String,
    pub(super) name: String,
    pub(super) call: String,
    /// What was recorded of what it had observed.
    pub(super) sees: String,
    pub(super) role: Role,
}

/// What an operation has to do with a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is one of the reads that clash.
    Read,
    /// It is an update that the violation cannot do without.
    Relevant,
    /// It is about the same object, and one of the reads may have seen it.
    Context,
}

/// The operations of a violation, replica by replica.
pub(super) fn rows(history: &CrdtHistory, violation: &CrdtViolation) -> Vec<Row> {
    let CrdtViolation { reads, updates, .. } = violation;
    let mut ops: Vec<(OpId, Role)> = reads.iter().map(|&op| (op, Role::Read)).collect();
    ops.extend(updates.iter().map(|&op| (op, Role::Relevant)));
    let mut context = context(history, reads);
    context.retain(|op| !updates.contains(op));
    if context.len() <= CONTEXT {
        ops.extend(context.into_iter().map(|op| (op, Role::Context)));
    }
    ops.sort_unstable_by_key(|&(op, _)| op);
    let shown: Vec<Replica> = ops.iter().map(|&(op, _)| history.op(op).replica).collect();
    let row = |&(op, role): &(OpId, Role)| Row {
        replica: replica(history, history.op(op).replica),
        name: history.name(op).to_string(),
        call: cut(describe(history, op)),
        sees: sees(history, op, &shown),
        role,
    };
    ops.iter().map(row).collect()
}

/// The updates of what was read that one of the reads may have seen.
fn context(history: &CrdtHistory, reads: &[OpId]) -> Vec<OpId> {
    let is_about = |read: OpId, update: OpId| {
        let all = matches!(history.op(read).call, Call::Elements(_));
        all || history.op(read).object == history.op(update).object
    };
    let may_see = |read: OpId, update: OpId| {
        let of = history.op(update).replica;
        let position = history.position(update);
        match of == history.op(read).replica {
            true => position < history.position(read),
            false => bounds(history, read).all(|bound| bound.of != of || position < bound.most),
        }
    };
    let counts = |&update: &OpId| {
        history.op(update).call.is_update()
            && reads.iter().any(|&read| is_about(read, update) && may_see(read, update))
    };
    history.ops().filter(counts).take(2 * CONTEXT).collect()
}

/// What was recorded of what an operation had observed.
fn bounds(history: &CrdtHistory, op: OpId) -> impl Iterator<Item = &Bound> {
    let bounds = history.bounds();
    let first = bounds.partition_point(|bound| bound.op < op);
    bounds[first..].iter().take_while(move |bound| bound.op == op)
}

/// `2 of B, at least 1 of C`: what was recorded of what an operation had observed of these replicas.
fn sees(history: &CrdtHistory, op: OpId, among: &[Replica]) -> String {
    let part = |bound: &Bound| {
        let Bound { of, least, most, .. } = *bound;
        let count = match (least, most) {
            _ if least == most => least.to_string(),
            (0, _) => format!("at most {most}"),
            _ if most == history.len_of(of) => format!("at least {least}"),
            _ => format!("{least} to {most}"),
        };
        format!("{count} of {}", history.replica_name(of))
    };
    if history.is_initial(history.op(op).replica) {
        return String::new();
    }
    let is_shown = |of: Replica| among.contains(&of) && !history.is_initial(of);
    let known: Vec<&Bound> = bounds(history, op).filter(|bound| is_shown(bound.of)).collect();
    let parts: Vec<String> =
        known.iter().filter(|bound| bound.most > 0).map(|bound| part(bound)).collect();
    match parts.is_empty() && !known.is_empty() {
        true => "nothing".to_owned(),
        false => parts.join(", "),
    }
}

/// What a replica is called.
pub(super) fn replica(history: &CrdtHistory, replica: Replica) -> String {
    match history.replica_name(replica) {
        Key::Int(n) => n.to_string(),
        Key::Text(text) => text.to_string(),
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
