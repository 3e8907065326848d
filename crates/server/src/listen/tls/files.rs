//! Where the server's certificate is.

use std::path::PathBuf;

/// A certificate chain and its key, in PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The chain, the server's own certificate first.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}
