//! TLS for clients that ask for it, where the program was built with it.

mod files;
#[cfg(feature = "tls")]
mod with;
#[cfg(not(feature = "tls"))]
mod without;

pub use files::TlsFiles;
#[cfg(feature = "tls")]
pub(crate) use with::{ServerConfig, ServerConnection, StreamOwned, read};
#[cfg(not(feature = "tls"))]
pub(crate) use without::{ServerConfig, ServerConnection, StreamOwned, read};
