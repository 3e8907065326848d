//! The messages of a server, collected until they are sent.

use bytes::{BufMut, Bytes, BytesMut};
use pgwire::messages::Message;
use pgwire::messages::copy::{CopyData, CopyDone, CopyInResponse, CopyOutResponse};
use pgwire::messages::data::{FieldDescription, NoData, ParameterDescription, RowDescription};
use pgwire::messages::extendedquery::{
    BindComplete, CloseComplete, ParseComplete, PortalSuspended,
};
use pgwire::messages::response::{
    CommandComplete, EmptyQueryResponse, ErrorResponse, NoticeResponse, NotificationResponse,
    ReadyForQuery, TransactionStatus,
};
use pgwire::messages::startup::{
    Authentication, BackendKeyData, NegotiateProtocolVersion, ParameterStatus, SecretKey,
};

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
    /// Its number there, or 0.
    pub column: i16,
    /// The oid of its type.
    pub ty: u32,
    /// The size of the type, negative if it varies.
    pub size: i16,
    /// The type's modifier, or -1.
    pub modifier: i32,
    /// 0 for text, 1 for binary.
    pub format: i16,
}

/// The state of the transaction, as ReadyForQuery tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// None is open.
    Idle,
    /// One is open.
    Active,
    /// One failed and waits for its end.
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

    /// What is to be sent.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Forgets what was sent.
    pub fn clear(&mut self) {
        // A result that was large is no reason to hold its memory for ever.
        match self.buffer.capacity() > 1 << 20 {
            true => self.buffer = BytesMut::new(),
            false => self.buffer.clear(),
        }
    }

    /// Forgets what came after the first `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        self.buffer.truncate(length);
    }

    fn put(&mut self, message: &impl Message) {
        message.encode(&mut self.buffer).expect("the messages of a server are shorter than 2 GiB");
    }

    /// The answer to Ssl or GssEnc: a byte without a frame.
    pub fn negotiation(&mut self, answer: u8) {
        self.buffer.put_u8(answer);
    }

    /// The client may go on without more proof.
    pub fn authentication_ok(&mut self) {
        self.put(&Authentication::Ok);
    }

    /// The client is to authenticate by one of these mechanisms.
    pub fn sasl(&mut self, mechanisms: &[&str]) {
        let mechanisms = mechanisms.iter().map(|&name| name.to_owned()).collect();
        self.put(&Authentication::SASL(mechanisms));
    }

    /// A step of SASL.
    pub fn sasl_continue(&mut self, data: Vec<u8>) {
        self.put(&Authentication::SASLContinue(Bytes::from(data)));
    }

    /// The last step of SASL.
    pub fn sasl_final(&mut self, data: Vec<u8>) {
        self.put(&Authentication::SASLFinal(Bytes::from(data)));
    }

    /// The newest protocol spoken, 3.`minor`, and the options that are not known.
    pub fn negotiate_version(&mut self, minor: u16, unknown: Vec<String>) {
        let unknown = unknown.iter().map(|name| clean(name)).collect();
        let version = 3 << 16 | i32::from(minor);
        self.put(&NegotiateProtocolVersion::new(version, unknown));
    }

    /// The value of a setting.
    pub fn parameter_status(&mut self, name: &str, value: &str) {
        self.put(&ParameterStatus::new(clean(name), clean(value)));
    }

    /// What a cancel request has to name.
    pub fn backend_key(&mut self, pid: i32, secret: i32) {
        self.put(&BackendKeyData::new(pid, SecretKey::I32(secret)));
    }

    /// The server waits for the next cycle.
    pub fn ready(&mut self, status: Status) {
        let status = match status {
            Status::Idle => TransactionStatus::Idle,
            Status::Active => TransactionStatus::Transaction,
            Status::Failed => TransactionStatus::Error,
        };
        self.put(&ReadyForQuery::new(status));
    }

    /// The answer to Parse.
    pub fn parse_complete(&mut self) {
        self.put(&ParseComplete::new());
    }

    /// The answer to Bind.
    pub fn bind_complete(&mut self) {
        self.put(&BindComplete::new());
    }

    /// The answer to Close.
    pub fn close_complete(&mut self) {
        self.put(&CloseComplete::new());
    }

    /// The portal has more rows.
    pub fn portal_suspended(&mut self) {
        self.put(&PortalSuspended::new());
    }

    /// What is described gives no rows.
    pub fn no_data(&mut self) {
        self.put(&NoData::new());
    }

    /// The text had no statement.
    pub fn empty_query(&mut self) {
        self.put(&EmptyQueryResponse::new());
    }

    /// A statement is done.
    pub fn command_complete(&mut self, tag: &str) {
        self.put(&CommandComplete::new(clean(tag)));
    }

    /// The oids of the types of parameters.
    pub fn parameter_description(&mut self, types: Vec<u32>) {
        self.put(&ParameterDescription::new(types));
    }

    /// The columns of the rows that follow.
    pub fn row_description<'a>(&mut self, columns: impl Iterator<Item = Column<'a>>) {
        let fields = columns.map(|column| {
            FieldDescription::new(
                clean(column.name),
                column.table.cast_signed(),
                column.column,
                column.ty,
                column.size,
                column.modifier,
                column.format,
            )
        });
        self.put(&RowDescription::new(fields.collect()));
    }

    /// Begins a row. It counts once it is [finished](Row::finish); else it has to be cut off again with
    /// [`Encoder::truncate`].
    pub fn row(&mut self) -> Row<'_> {
        let start = self.buffer.len();
        self.buffer.put_slice(b"D\0\0\0\0\0\0");
        Row { buffer: &mut self.buffer, start, count: 0 }
    }

    /// An error; fields by their letters.
    pub fn error<'a>(&mut self, fields: impl Iterator<Item = (u8, &'a str)>) {
        self.put(&ErrorResponse::new(fields.map(|(code, text)| (code, clean(text))).collect()));
    }

    /// A notice; fields by their letters.
    pub fn notice<'a>(&mut self, fields: impl Iterator<Item = (u8, &'a str)>) {
        self.put(&NoticeResponse::new(fields.map(|(code, text)| (code, clean(text))).collect()));
    }

    /// A notification of another session.
    pub fn notification(&mut self, pid: i32, channel: &str, payload: &str) {
        self.put(&NotificationResponse::new(pid, clean(channel), clean(payload)));
    }

    /// The client is to send data of so many columns.
    pub fn copy_in(&mut self, binary: bool, columns: usize) {
        let (format, count, formats) = formats(binary, columns);
        self.put(&CopyInResponse::new(format, count, formats));
    }

    /// Data of so many columns follows.
    pub fn copy_out(&mut self, binary: bool, columns: usize) {
        let (format, count, formats) = formats(binary, columns);
        self.put(&CopyOutResponse::new(format, count, formats));
    }

    /// Data of a COPY.
    pub fn copy_data(&mut self, data: Vec<u8>) {
        self.put(&CopyData::new(Bytes::from(data)));
    }

    /// The end of a COPY's data.
    pub fn copy_done(&mut self) {
        self.put(&CopyDone::new());
    }
}

fn formats(binary: bool, columns: usize) -> (i8, i16, Vec<i16>) {
    // A table has at most 1,600 columns.
    let count = i16::try_from(columns).unwrap_or(i16::MAX);
    (i8::from(binary), count, vec![i16::from(binary); usize::try_from(count).unwrap_or(0)])
}

/// Text for a message: a NUL would end it early.
fn clean(text: &str) -> String {
    match text.contains('\0') {
        true => text.replace('\0', ""),
        false => text.to_owned(),
    }
}

impl Row<'_> {
    /// Appends a value that is NULL.
    pub fn null(&mut self) {
        self.buffer.put_i32(-1);
        self.count = self.count.wrapping_add(1);
    }

    /// Appends a value.
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
