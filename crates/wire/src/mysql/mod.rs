//! The protocol of MySQL and MariaDB.
//!
//! Everything travels in packets, which have a length, a number and a payload (`decoder.rs` draws one). A connection begins with
//! the server's [`Greeting`] and the client's [`Login`]; then the client sends one [`Command`] after another and the server
//! answers each:
//!
//! ```text
//!     client                          server
//!                           <-------  Greeting                        0
//!     Hello::Login  --------------->                                  1
//!                           <-------  OK                              2
//!
//!     Command::Query  ------------->                                  0
//!                           <-------  number of columns, columns      1 2 3 …
//!                           <-------  rows
//!                           <-------  OK that ends them
//! ```
//!
//! [`Decoder`] takes bytes as they arrive and gives payloads, from which [`Hello::decode`] and [`Command::decode`] read what
//! the client says. [`Encoder`] collects the server's packets until somebody sends them. Both ends number the packets of one
//! exchange together, so the encoder is told where the decoder stands:
//!
//! ```
//! use hobgoblin_wire::mysql::{Capabilities, Command, Completion, Decoder, Encoder, Status};
//!
//! let mut decoder = Decoder::new();
//! let mut encoder = Encoder::new();
//! decoder.push(b"\x01\0\0\0\x0e");
//! let payload = decoder.command()?.expect("the packet is whole");
//! assert_eq!(Command::decode(payload, Capabilities::OF_MYSQL)?, Command::Ping);
//! encoder.reply_at(decoder.sequence());
//! encoder.ok(&Completion { status: Status::AUTOCOMMIT, ..Completion::default() });
//! assert_eq!(encoder.bytes(), b"\x07\0\0\x01\0\0\0\x02\0\0\0");
//! # Ok::<(), hobgoblin_wire::mysql::ProtocolError>(())
//! ```
//!
//! [`Authentication`] is the server's side of a password, [`Parameters`] reads what prepared statements are run with, and
//! [`Version`] says which of three servers is spoken for.
//!
//! **Not spoken:** compression, files for LOAD DATA LOCAL, attributes of statements, MariaDB's bulk operations and cached columns,
//! authentication by RSA, and what came before MySQL 4.1. None of it is offered, and clients do not use what is not offered.
//!
//! What arrives is not trusted: a length is checked before anything waits for it, no memory is taken for bytes that have not come,
//! and what does not parse is a [`ProtocolError`], which knows MySQL's own error for it.

mod authentication;
mod capabilities;
mod change;
mod column;
mod column_type;
mod command;
mod decoder;
mod encoder;
mod error;
mod flags;
mod greeting;
mod login;
mod parameters;
mod payload;
mod prepared;
mod reply;
mod row;
mod status;
mod value;
mod version;
mod write;

pub use authentication::{Authentication, Method, NoRandom, Scramble, Step, access_denied};
pub use capabilities::Capabilities;
pub use change::Change;
pub use column::{BINARY, Column, ColumnFlags};
pub use column_type::ColumnType;
pub use command::{Command, UNKNOWN_COMMAND};
pub use decoder::{Decoder, MAX_LOGIN, MAX_PACKET};
pub use encoder::Encoder;
pub use error::ProtocolError;
pub use greeting::Greeting;
pub use login::{Hello, Login};
pub use parameters::{Execute, LAST_PREPARED, LongData, Parameter, ParameterType, Parameters};
pub use reply::Completion;
pub use row::{BinaryRow, TextRow};
pub use status::Status;
pub use value::{DateTime, Time, Unfit, Value};
pub use version::{UnknownVersion, Version};
