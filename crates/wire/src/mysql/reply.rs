//! The packets that end a result: OK, ERR, and EOF in its two forms.
//!
//! ```text
//!     OK    00  rows changed  insert id  status  warnings  [words]  [what of the session changed]
//!     EOF   fe  warnings  status                           if the client still knows EOF packets
//!           fe, and the rest as in an OK                   if it does not, `DEPRECATE_EOF`
//!     ERR   ff  number  '#' SQLSTATE  words
//! ```

use bytes::{BufMut, BytesMut};

use super::capabilities::Capabilities;
use super::change::{self, Change};
use super::encoder::Encoder;
use super::status::Status;
use super::write;

/// How a statement ended that did not fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Completion<'a> {
    /// How many rows it changed or, if the client asked for that, found.
    pub affected_rows: u64,
    /// The first number that AUTO_INCREMENT gave.
    pub insert_id: u64,
    /// The state of the session.
    pub status: Status,
    /// How many warnings the statement gave.
    pub warnings: u16,
    /// Words for a person, as of `Rows matched: 1  Changed: 1  Warnings: 0`.
    pub words: &'a [u8],
    /// What of the session the statement changed. Only clients that ask for it are told.
    pub changes: &'a [Change<'a>],
}

/// The mark of an OK packet, or of an end of rows.
const OK: u8 = 0x00;
const END: u8 = 0xfe;

impl Encoder {
    /// Ends a statement without rows.
    pub fn ok(&mut self, completion: &Completion<'_>) {
        self.completion(OK, completion);
    }

    /// Ends the rows of a result. Clients that know EOF packets get one, which tells the warnings
    /// and the status only.
    pub fn end_of_rows(&mut self, completion: &Completion<'_>) {
        match self.agreed().contains(Capabilities::DEPRECATE_EOF) {
            true => self.completion(END, completion),
            false => self.eof(completion.status, completion.warnings),
        }
    }

    /// An EOF packet.
    pub(crate) fn eof(&mut self, status: Status, warnings: u16) {
        self.packet(|out| {
            out.put_u8(END);
            out.put_u16_le(warnings);
            out.put_u16_le(status.bits());
        });
    }

    fn completion(&mut self, mark: u8, completion: &Completion<'_>) {
        let tracks = self.agreed().contains(Capabilities::SESSION_TRACK);
        let changes = if tracks { completion.changes } else { &[] };
        let status = match changes.is_empty() {
            true => completion.status.without(Status::SESSION_CHANGED),
            false => completion.status.with(Status::SESSION_CHANGED),
        };
        self.packet(|out| {
            out.put_u8(mark);
            write::integer(out, completion.affected_rows);
            write::integer(out, completion.insert_id);
            out.put_u16_le(status.bits());
            out.put_u16_le(completion.warnings);
            if !completion.words.is_empty() || !changes.is_empty() {
                write::counted(out, completion.words);
            }
            if !changes.is_empty() {
                let mut all = BytesMut::new();
                changes.iter().for_each(|change| change::write(&mut all, change));
                write::counted(out, &all);
            }
        });
    }

    /// Says that a statement, or the login, failed. A SQLSTATE of more or fewer than five
    /// characters is cut or filled up.
    pub fn error(&mut self, code: u16, state: &str, words: &[u8]) {
        let tells_state = self.agreed().contains(Capabilities::PROTOCOL_41);
        self.packet(|out| {
            out.put_u8(0xff);
            out.put_u16_le(code);
            if tells_state {
                out.put_u8(b'#');
                out.extend(state.bytes().chain(std::iter::repeat(b'0')).take(5));
            }
            out.put_slice(words);
        });
    }

    /// The answer to COM_STATISTICS: a line of text.
    pub fn statistics(&mut self, line: &[u8]) {
        self.packet(|out| out.put_slice(line));
    }
}
