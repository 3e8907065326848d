//! Where the server's certificate is.

use std::path::PathBuf;

/// A certificate chain and its key, in PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The chain, the server's own certificate first.
    pub cert: PathBuf,
    /// The private key of the server's own certificate.
    pub key: PathBuf,
}
