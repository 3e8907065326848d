//! Who may ask: those with the token, and no page of another site.
//!
//! A server on a loopback address is open to every program of this machine, browsers included, and
//! browsers run the programs of strangers. A page can send a request to any address, and by pointing a
//! name of its own at 127.0.0.1 (DNS rebinding) it can even read the answer. So:
//!
//! - without a token, the `Host` must be a loopback name or address;
//! - an `Origin`, which browsers send with what pages ask, must be the server's own;
//! - with a token, every request must carry it, and the `Host` may be anything.
//!
//! No answer has CORS headers, so pages of other origins cannot read any.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN};

use crate::problem::Problem;

/// Refuses a request of somebody who may not ask.
pub(crate) fn admit(headers: &HeaderMap, token: Option<&str>) -> Result<(), Problem> {
    let host = text(headers, HOST);
    if let Some(origin) = text(headers, ORIGIN)
        && origin.split_once("://").map(|(_, authority)| authority) != host
    {
        return Err(Problem::forbidden(format!(
            "pages of {origin} may not use this store; ask from a program, or from the store's own page"
        )));
    }
    match (token, host) {
        (Some(token), _) => {
            let sent = text(headers, AUTHORIZATION).and_then(bearer);
            if !sent.is_some_and(|sent| same(sent.as_bytes(), token.as_bytes())) {
                return Err(Problem::unauthorized());
            }
        }
        (None, Some(host)) if !is_loopback(host) => {
            return Err(Problem::forbidden(format!(
                "this store answers to localhost only, not to {host}; start it with a token to use \
                 other names"
            )));
        }
        (None, _) => {}
    }
    Ok(())
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The token of `Bearer TOKEN`.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Whether two strings are the same, in a time that does not tell where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    let differences = a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && std::hint::black_box(differences) == 0
}

/// Whether a `Host`, with or without a port, is this machine's own.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn admitted(headers: &[(HeaderName, &'static str)], token: Option<&str>) -> bool {
        let pair = |(name, value): &(HeaderName, &'static str)| {
            (name.clone(), HeaderValue::from_static(value))
        };
        admit(&headers.iter().map(pair).collect(), token).is_ok()
    }

    #[test]
    fn a_loopback_store_answers_to_loopback_names() {
        for (host, expect) in [
            ("localhost:7437", true),
            ("LOCALHOST", true),
            ("127.0.0.1:80", true),
            ("127.9.9.9", true),
            ("[::1]:7437", true),
            ("[::1]", true),
            ("192.168.0.7:7437", false),
            ("evil.example", false),
            ("localhost.evil.example:7437", false),
            ("127.0.0.1.evil.example", false),
            ("[::2]:7437", false),
            ("", false),
        ] {
            assert_eq!(admitted(&[(HOST, host)], None), expect, "{host}");
        }
    }

    #[test]
    fn other_origins_are_refused() {
        let host = (HOST, "localhost:7437");
        assert!(admitted(&[host.clone(), (ORIGIN, "http://localhost:7437")], None));
        for origin in ["http://localhost:3000", "https://evil.example", "null"] {
            assert!(!admitted(&[host.clone(), (ORIGIN, origin)], None), "{origin}");
        }
    }

    #[test]
    fn a_token_is_needed_where_there_is_one() {
        let host = (HOST, "store.example");
        for (value, expect) in [
            ("Bearer secret", true),
            ("bearer secret", true),
            ("Bearer secret2", false),
            ("Bearer secre", false),
            ("Bearer ", false),
            ("Basic secret", false),
            ("secret", false),
        ] {
            let headers = [host.clone(), (AUTHORIZATION, value)];
            assert_eq!(admitted(&headers, Some("secret")), expect, "{value}");
        }
        assert!(!admitted(&[host], Some("secret")));
    }
}
