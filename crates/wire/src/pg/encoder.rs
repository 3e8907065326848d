//! The messages of a server, collected until they are sent.

use bytes::{BufMut, BytesMut};

/// Messages on their way to the client.
#[derive(Debug, Default)]
pub struct Encoder {
    buffer: BytesMut,
}

/// A column of a RowDescription.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// The name that the client shows above it.
    pub name: &'a str,
    /// The oid of the table it comes from, or 0.
    pub table: u32,
    /// The number of the column in that table, or 0.
    pub column: i16,
    /// The oid of its type.
    pub ty: u32,
    /// The size of the type, negative if it varies.
    pub size: i16,
    /// The type's modifier, or -1.
    pub modifier: i32,
    /// The format of the values: 0 is text, 1 binary.
    pub format: i16,
}

/// The state of the session's transaction, as ReadyForQuery tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// No transaction is open.
    Idle,
    /// A transaction is open.
    Active,
    /// A transaction is open in which a statement failed, so that it only waits for its end.
    Failed,
}

/// A DataRow that is being written; values are appended to it one after another.
#[derive(Debug)]
pub struct Row<'a> {
    buffer: &'a mut BytesMut,
    start: usize,
    count: i16,
}

impl Encoder {
    /// An encoder with nothing in it.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// The messages that are to be sent.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Forgets the messages, once they are sent.
    pub fn clear(&mut self) {
        // A result that was large is no reason to hold its memory for ever.
        match self.buffer.capacity() > 1 << 20 {
            true => self.buffer = BytesMut::new(),
            false => self.buffer.clear(),
        }
    }

    /// Forgets all but the first `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        self.buffer.truncate(length);
    }

    /// Writes a message: its tag, its length, and what `body` writes.
    fn message(&mut self, tag: u8, body: impl FnOnce(&mut BytesMut)) {
        let start = self.buffer.len();
        self.buffer.put_u8(tag);
        self.buffer.put_i32(0);
        body(&mut self.buffer);
        let length = self.buffer.len() - start - 1;
        let length = i32::try_from(length).expect("a server's messages are shorter than 2 GiB");
        self.buffer[start + 1..start + 5].copy_from_slice(&length.to_be_bytes());
    }

    /// The answer to Ssl or GssEnc: a byte without a frame.
    pub fn negotiation(&mut self, answer: u8) {
        self.buffer.put_u8(answer);
    }

    /// Says that the client is let in.
    pub fn authentication_ok(&mut self) {
        self.message(b'R', |body| body.put_i32(0));
    }

    /// Asks the client to authenticate by one of these mechanisms.
    pub fn sasl(&mut self, mechanisms: &[&str]) {
        self.message(b'R', |body| {
            body.put_i32(10);
            mechanisms.iter().for_each(|name| text(body, name));
            body.put_u8(0);
        });
    }

    /// Writes a step of SASL that another one follows.
    pub fn sasl_continue(&mut self, data: &[u8]) {
        self.message(b'R', |body| {
            body.put_i32(11);
            body.put_slice(data);
        });
    }

    /// Writes the last step of SASL.
    pub fn sasl_final(&mut self, data: &[u8]) {
        self.message(b'R', |body| {
            body.put_i32(12);
            body.put_slice(data);
        });
    }

    /// Says that the newest protocol spoken is 3.`minor`, and which options of the client are not
    /// known.
    pub fn negotiate_version(&mut self, minor: u16, unknown: &[String]) {
        self.message(b'v', |body| {
            body.put_i32(3 << 16 | i32::from(minor));
            body.put_i32(i32::try_from(unknown.len()).unwrap_or(i32::MAX));
            unknown.iter().for_each(|name| text(body, name));
        });
    }

    /// Tells the value of a setting.
    pub fn parameter_status(&mut self, name: &str, value: &str) {
        self.message(b'S', |body| {
            text(body, name);
            text(body, value);
        });
    }

    /// Tells what a request to cancel has to name.
    pub fn backend_key(&mut self, pid: i32, secret: i32) {
        self.message(b'K', |body| {
            body.put_i32(pid);
            body.put_i32(secret);
        });
    }

    /// Says that the server is ready for the next cycle of messages.
    pub fn ready(&mut self, status: Status) {
        let status = match status {
            Status::Idle => b'I',
            Status::Active => b'T',
            Status::Failed => b'E',
        };
        self.message(b'Z', |body| body.put_u8(status));
    }

    /// The answer to Parse.
    pub fn parse_complete(&mut self) {
        self.message(b'1', |_| {});
    }

    /// The answer to Bind.
    pub fn bind_complete(&mut self) {
        self.message(b'2', |_| {});
    }

    /// The answer to Close.
    pub fn close_complete(&mut self) {
        self.message(b'3', |_| {});
    }

    /// Says that the portal has more rows.
    pub fn portal_suspended(&mut self) {
        self.message(b's', |_| {});
    }

    /// Says that what is described gives no rows.
    pub fn no_data(&mut self) {
        self.message(b'n', |_| {});
    }

    /// Says that the text had no statement.
    pub fn empty_query(&mut self) {
        self.message(b'I', |_| {});
    }

    /// Says that a statement is done, by its command tag.
    pub fn command_complete(&mut self, tag: &str) {
        self.message(b'C', |body| text(body, tag));
    }

    /// Tells the oids of the types of a statement's parameters.
    pub fn parameter_description(&mut self, types: &[u32]) {
        self.message(b't', |body| {
            body.put_u16(count(types.len()));
            types.iter().for_each(|&ty| body.put_u32(ty));
        });
    }

    /// Describes the columns of the rows that follow.
    pub fn row_description<'a>(&mut self, columns: impl ExactSizeIterator<Item = Column<'a>>) {
        self.message(b'T', |body| {
            body.put_u16(count(columns.len()));
            for column in columns {
                text(body, column.name);
                body.put_u32(column.table);
                body.put_i16(column.column);
                body.put_u32(column.ty);
                body.put_i16(column.size);
                body.put_i32(column.modifier);
                body.put_i16(column.format);
            }
        });
    }

    /// Begins a row. It counts once it is [finished](Row::finish); else it has to be cut off again with
    /// [`Encoder::truncate`].
    pub fn row(&mut self) -> Row<'_> {
        let start = self.buffer.len();
        self.buffer.put_slice(b"D\0\0\0\0\0\0");
        Row { buffer: &mut self.buffer, start, count: 0 }
    }

    /// Tells an error, whose fields have letters.
    pub fn error<'a>(&mut self, fields: impl Iterator<Item = (u8, &'a str)>) {
        self.fields(b'E', fields);
    }

    /// Tells a notice, whose fields have letters.
    pub fn notice<'a>(&mut self, fields: impl Iterator<Item = (u8, &'a str)>) {
        self.fields(b'N', fields);
    }

    fn fields<'a>(&mut self, tag: u8, fields: impl Iterator<Item = (u8, &'a str)>) {
        self.message(tag, |body| {
            for (letter, value) in fields {
                body.put_u8(letter);
                text(body, value);
            }
            body.put_u8(0);
        });
    }

    /// Passes on a notification of another session.
    pub fn notification(&mut self, pid: i32, channel: &str, payload: &str) {
        self.message(b'A', |body| {
            body.put_i32(pid);
            text(body, channel);
            text(body, payload);
        });
    }

    /// Asks the client to send data of so many columns.
    pub fn copy_in(&mut self, binary: bool, columns: usize) {
        self.copy(b'G', binary, columns);
    }

    /// Says that data of so many columns follow.
    pub fn copy_out(&mut self, binary: bool, columns: usize) {
        self.copy(b'H', binary, columns);
    }

    fn copy(&mut self, tag: u8, binary: bool, columns: usize) {
        self.message(tag, |body| {
            body.put_u8(binary.into());
            body.put_u16(count(columns));
            (0..columns).for_each(|_| body.put_i16(binary.into()));
        });
    }

    /// Sends data of a COPY.
    pub fn copy_data(&mut self, data: &[u8]) {
        self.message(b'd', |body| body.put_slice(data));
    }

    /// Ends the data of a COPY.
    pub fn copy_done(&mut self) {
        self.message(b'c', |_| {});
    }
}

/// How many there are, in two bytes: a table has at most 1,600 columns, and a statement at most
/// 65,535 parameters.
fn count(of: usize) -> u16 {
    u16::try_from(of).expect("there are no more than 65,535")
}

/// Text, and the NUL that ends it; one within would end it early and is left out.
fn text(body: &mut BytesMut, text: &str) {
    match text.contains('\0') {
        true => body.put_slice(text.replace('\0', "").as_bytes()),
        false => body.put_slice(text.as_bytes()),
    }
    body.put_u8(0);
}

impl Row<'_> {
    /// Appends a value that is NULL.
    pub fn null(&mut self) {
        self.buffer.put_i32(-1);
        self.count = self.count.wrapping_add(1);
    }

    /// Appends a value that is not NULL.
    pub fn value(&mut self, bytes: &[u8]) {
        self.buffer.put_i32(i32::try_from(bytes.len()).expect("values are shorter than 2 GiB"));
        self.buffer.put_slice(bytes);
        self.count = self.count.wrapping_add(1);
    }

    /// Ends the row.
    pub fn finish(self) {
        let length = self.buffer.len() - self.start - 1;
        let length = i32::try_from(length).expect("rows are shorter than 2 GiB").to_be_bytes();
        let count = self.count.to_be_bytes();
        self.buffer[self.start + 1..self.start + 5].copy_from_slice(&length);
        self.buffer[self.start + 5..self.start + 7].copy_from_slice(&count);
    }
}
