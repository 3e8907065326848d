//! How a command ended: the packets that tell it.

use hobgoblin_sql_mysql::session::{Changed, Done, SessionStatus};
use hobgoblin_wire::mysql::{Change, Completion, Encoder, Status};

/// The flags of a session, as packets tell them.
pub(crate) fn status(session: &SessionStatus) -> Status {
    let mut status = Status::default();
    let facts = [
        (session.in_transaction, Status::IN_TRANSACTION),
        (session.in_transaction && session.read_only, Status::IN_READ_ONLY_TRANSACTION),
        (session.autocommit, Status::AUTOCOMMIT),
        (session.no_backslash_escapes, Status::NO_BACKSLASH_ESCAPES),
        (session.ansi_quotes, Status::ANSI_QUOTES),
        (session.more, Status::MORE_RESULTS),
    ];
    for (holds, flag) in facts {
        if holds {
            status = status.with(flag);
        }
    }
    status
}

/// Writes that a statement is done: the end of its rows, if it gave any, with flags beside those of the session.
pub(crate) fn done(out: &mut Encoder, done: &Done, beside: Status, changes: &[Changed]) {
    let changes: Vec<Change<'_>> = changes.iter().map(change).collect();
    let more = if done.more { Status::MORE_RESULTS } else { Status::default() };
    // With rows neither is told: Connector/J reads what stands here as the length of something.
    let (affected_rows, insert_id) =
        if done.rows { (0, 0) } else { (done.affected, done.insert_id) };
    let completion = Completion {
        affected_rows,
        insert_id,
        status: status(&done.status).with(more).with(beside),
        warnings: done.warnings,
        words: done.words.as_bytes(),
        changes: &changes,
    };
    match done.rows {
        true => out.end_of_rows(&completion),
        false => out.ok(&completion),
    }
}

fn change(changed: &Changed) -> Change<'_> {
    match changed {
        Changed::Database(name) => Change::Schema(name.as_bytes()),
        Changed::Variable(name, value) => {
            Change::Variable { name: name.as_bytes(), value: value.as_bytes() }
        }
    }
}
