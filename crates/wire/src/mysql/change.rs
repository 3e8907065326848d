//! What of a session changed, as OK packets tell it to clients that ask, `SESSION_TRACK`.

use bytes::{BufMut, BytesMut};

use super::write;

/// A change of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// A variable has another value now.
    Variable {
        /// The name of the variable.
        name: &'a [u8],
        /// The new value, as text.
        value: &'a [u8],
    },
    /// This database is in use now.
    Schema(&'a [u8]),
    /// Whether anything changed that a new session would not have.
    State(bool),
    /// The statements that begin a transaction like the open one, as of `START TRANSACTION READ ONLY;`.
    TransactionCharacteristics(&'a [u8]),
    /// What the transaction did so far: eight letters, `T_______` for one that did nothing yet.
    TransactionState(&'a [u8]),
}

/// Writes a change with the number of its kind before it.
pub(crate) fn write(out: &mut BytesMut, change: &Change<'_>) {
    let mut body = BytesMut::new();
    let kind = match change {
        Change::Variable { name, value } => {
            write::counted(&mut body, name);
            write::counted(&mut body, value);
            0
        }
        Change::Schema(name) => {
            write::counted(&mut body, name);
            1
        }
        Change::State(changed) => {
            body.put_u8(if *changed { b'1' } else { b'0' });
            2
        }
        // 3 is for identifiers of global transactions.
        Change::TransactionCharacteristics(statements) => {
            write::counted(&mut body, statements);
            4
        }
        Change::TransactionState(letters) => {
            write::counted(&mut body, letters);
            5
        }
    };
    out.put_u8(kind);
    write::counted(out, &body);
}
