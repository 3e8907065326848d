//! What is wrong with what a client sent.

use std::fmt;

/// Bytes that are not what the protocol allows. Each has the number, the SQLSTATE and the words of MySQL's own error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A packet is longer than the limit.
    TooLarge,
    /// A packet has another number than the one that is due.
    OutOfOrder {
        /// The number that is due.
        expected: u8,
        /// The number that the packet has.
        found: u8,
    },
    /// The first packet of a client is not a login of MySQL 4.1 or later.
    BadHandshake,
    /// A command ends early, or a length in it is wrong.
    Malformed,
    /// The parameters of a COM_STMT_EXECUTE do not fit its statement.
    WrongParameters,
    /// A COM_STMT_SEND_LONG_DATA means a parameter that its statement does not have.
    NoSuchParameter,
    /// The parameters that came in pieces are longer together than the limit.
    LongDataTooLarge,
}

impl ProtocolError {
    /// The number of the error.
    pub fn code(&self) -> u16 {
        match self {
            ProtocolError::TooLarge => 1153,
            ProtocolError::OutOfOrder { .. } => 1156,
            ProtocolError::BadHandshake => 1043,
            ProtocolError::Malformed => 1835,
            ProtocolError::WrongParameters | ProtocolError::NoSuchParameter => 1210,
            ProtocolError::LongDataTooLarge => 1105,
        }
    }

    /// The SQLSTATE, five characters.
    pub fn state(&self) -> &'static str {
        match self {
            ProtocolError::TooLarge
            | ProtocolError::OutOfOrder { .. }
            | ProtocolError::BadHandshake => "08S01",
            ProtocolError::Malformed
            | ProtocolError::WrongParameters
            | ProtocolError::NoSuchParameter
            | ProtocolError::LongDataTooLarge => "HY000",
        }
    }

    /// The words of the error.
    pub fn message(&self) -> &'static str {
        match self {
            ProtocolError::TooLarge => "Got a packet bigger than 'max_allowed_packet' bytes",
            ProtocolError::OutOfOrder { .. } => "Got packets out of order",
            ProtocolError::BadHandshake => "Bad handshake",
            ProtocolError::Malformed => "Malformed communication packet",
            ProtocolError::WrongParameters => "Incorrect arguments to mysqld_stmt_execute",
            ProtocolError::NoSuchParameter => "Incorrect arguments to mysqld_stmt_send_long_data",
            ProtocolError::LongDataTooLarge => {
                "Parameter of prepared statement which is set through mysql_send_long_data() is longer \
                 than 'max_long_data_size' bytes"
            }
        }
    }

    /// Whether the connection has to end: nobody knows where the next packet begins, or who sends it.
    pub fn is_fatal(&self) -> bool {
        match self {
            ProtocolError::TooLarge
            | ProtocolError::OutOfOrder { .. }
            | ProtocolError::BadHandshake => true,
            ProtocolError::Malformed
            | ProtocolError::WrongParameters
            | ProtocolError::NoSuchParameter
            | ProtocolError::LongDataTooLarge => false,
        }
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for ProtocolError {}
