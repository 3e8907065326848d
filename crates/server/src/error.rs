//! Why a server does not start, or did not end well.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use hobgoblin_front::FileError;

/// Why a server does not start, or did not end well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {addr}: {source}")]
    Listen {
        /// The address that was asked for.
        addr: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// Others could reach the store and change it.
    #[error("{addr} can be reached from other machines, and there is no token")]
    TokenNeeded {
        /// The address that was asked for.
        addr: SocketAddr,
    },
    /// The token cannot be sent in a header.
    #[error("a token has visible ASCII characters only, and at least one")]
    BadToken,
    /// Others could reach the database and change it.
    #[error("{addr} can be reached from other machines, and there is no password")]
    PasswordNeeded {
        /// The address that was asked for.
        addr: SocketAddr,
    },
    /// The password is empty.
    #[error("the password is empty")]
    EmptyPassword,
    /// PostgreSQL has no such setting, or does not take this value for it.
    #[error("{0}")]
    Setting(String),
    /// MySQL has no such variable, or does not take this value for it.
    #[error("{0}")]
    Variable(String),
    /// A certificate or its key is of no use.
    #[error("cannot use {} for TLS: {why}", path.display())]
    Tls {
        /// The file in question.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// The file that cannot be written.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The history and the log would be written to the same file.
    #[error("the history and the log cannot both be {}", path.display())]
    SameFile {
        /// The file in question.
        path: PathBuf,
    },
    /// A file could not be written to its end.
    #[error("the history or log is not complete: {why}")]
    Incomplete {
        /// What the system says.
        why: String,
    },
    /// The store does not take its configuration.
    #[error(transparent)]
    Store(#[from] hobgoblin_front::Error),
    /// There are no threads to run on.
    #[error("cannot start the server's threads: {0}")]
    Runtime(io::Error),
}

impl From<FileError> for ServerError {
    fn from(error: FileError) -> ServerError {
        match error {
            FileError::Open { path, source } => ServerError::File { path, source },
            FileError::Same { path } => ServerError::SameFile { path },
            other => ServerError::Incomplete { why: other.to_string() },
        }
    }
}
