//! Errors and notices as fields of the protocol.

use hobgoblin_sql_postgres_types::error::{Code, Severity, SqlError, SqlState};
use hobgoblin_sql_postgres_types::worded;
use hobgoblin_wire::pg::{Encoder, ProtocolError};

/// Why a connection to PostgreSQL's port ends.
#[derive(Debug)]
pub(crate) enum End {
    /// The client is gone, or said goodbye.
    Gone,
    /// The client is told, and that is the end.
    Fatal(SqlError),
}

impl From<std::io::Error> for End {
    fn from(_: std::io::Error) -> End {
        End::Gone
    }
}

/// An error that ends the connection.
pub(crate) fn fatal(state: &'static str, message: impl Into<String>) -> SqlError {
    SqlError::new(Code(state), message).severity(Severity::Fatal)
}

/// What a client is told whose bytes are not a message of the protocol.
pub(crate) fn of_protocol(error: ProtocolError) -> SqlError {
    let severity = if error.fatal { Severity::Fatal } else { Severity::Error };
    SqlError::new(Code(error.state), error.message).severity(severity)
}

/// A violation of the protocol that leaves the connection as it is.
pub(crate) fn protocol(message: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::PROTOCOL_VIOLATION, message)
}

/// Writes an error or notice.
pub(crate) fn send(out: &mut Encoder, error: &SqlError) {
    let severity = match error.severity {
        Severity::Error => "ERROR",
        Severity::Fatal => "FATAL",
        Severity::Warning => "WARNING",
        Severity::Notice => "NOTICE",
    };
    let error = worded(error.clone());
    let (state, message, more) = (error.state(), error.message(), &error.more);
    let position = more.position.map(|position| position.to_string());
    let fields = [
        (b'S', Some(severity)),
        (b'V', Some(severity)),
        (b'C', Some(state.0)),
        (b'M', Some(message.as_str())),
        (b'D', more.detail.as_deref()),
        (b'H', more.hint.as_deref()),
        (b'P', position.as_deref()),
        (b's', more.schema.as_deref()),
        (b't', more.table.as_deref()),
        (b'c', more.column.as_deref()),
        (b'd', more.data_type.as_deref()),
        (b'n', more.constraint.as_deref()),
    ];
    let fields = fields.into_iter().filter_map(|(code, text)| Some((code, text?)));
    match error.severity {
        Severity::Error | Severity::Fatal => out.error(fields),
        Severity::Warning | Severity::Notice => out.notice(fields),
    }
}
