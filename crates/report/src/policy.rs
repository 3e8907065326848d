//! The content security policy of a page: its own script and style, by their hashes, and nothing else; where a server has
//! it, also what that server answers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The policy that allows this style and this script, and questions to the server of the page if it has one.
pub(crate) fn policy(style: &str, script: &str, is_served: bool) -> String {
    let hash =
        |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let connect = if is_served { "connect-src 'self'; " } else { "" };
    format!(
        "default-src 'none'; {connect}style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    )
}
