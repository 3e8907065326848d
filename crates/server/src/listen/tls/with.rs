//! The certificate of the server, and the TLS of rustls.

use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
pub(crate) use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::files::TlsFiles;
use crate::error::ServerError;

/// Reads a certificate and its key.
pub(crate) fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, ServerError> {
    let failed = |path: &std::path::Path, why: String| ServerError::Tls { path: path.into(), why };
    let chain = CertificateDer::pem_file_iter(&files.cert)
        .and_then(|all| all.collect::<Result<Vec<_>, _>>())
        .map_err(|error| failed(&files.cert, error.to_string()))?;
    if chain.is_empty() {
        return Err(failed(&files.cert, "there is no certificate in it".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| failed(&files.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map(Arc::new)
        .map_err(|error| failed(&files.cert, error.to_string()))
}
