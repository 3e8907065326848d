//! TLS for clients that ask for it, where the program was built with it.

#[cfg(feature = "tls")]
mod with;
#[cfg(not(feature = "tls"))]
mod without;

#[cfg(feature = "tls")]
pub(crate) use with::{ServerConfig, ServerConnection, StreamOwned, read};
#[cfg(not(feature = "tls"))]
pub(crate) use without::{ServerConfig, ServerConnection, StreamOwned, read};
