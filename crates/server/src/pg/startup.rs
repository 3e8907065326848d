//! From the first byte of a connection to the session it asks for.

use hobgoblin_sql_postgres::session::Startup as Wanted;
use hobgoblin_wire::pg::Startup;

use super::errors::{End, fatal};
use super::shared::Shared;
use super::visitor::Visitor;

/// The newest minor version of protocol 3 that is spoken.
const MINOR: u16 = 0;

/// What a connection came for.
pub(crate) enum Purpose {
    Session(Wanted),
    Cancel { pid: i32, secret: i32 },
}

/// Talks until it is known what the client wants, and that it may.
pub(crate) async fn begin(visitor: &mut Visitor, shared: &Shared) -> Result<Purpose, End> {
    let (mut asked_ssl, mut asked_gss) = (false, false);
    let (minor, parameters) = loop {
        match visitor.startup().await? {
            Startup::Ssl if !asked_ssl && !visitor.is_tls() => {
                asked_ssl = true;
                match &shared.tls {
                    None => visitor.out.negotiation(b'N'),
                    Some(_) => visitor.out.negotiation(b'S'),
                }
                visitor.flush().await?;
                if let Some(config) = &shared.tls {
                    visitor.upgrade(config)?;
                }
            }
            Startup::GssEnc if !asked_gss && !visitor.is_tls() => {
                asked_gss = true;
                visitor.out.negotiation(b'N');
                visitor.flush().await?;
            }
            Startup::Ssl | Startup::GssEnc => {
                return Err(End::Fatal(fatal("08P01", "unexpected encryption request")));
            }
            Startup::Cancel { pid, secret } => return Ok(Purpose::Cancel { pid, secret }),
            Startup::Session { minor, parameters } => break (minor, parameters),
        }
    };
    let unknown: Vec<String> = parameters
        .iter()
        .map(|(name, _)| name.clone())
        .filter(|n| n.starts_with("_pq_."))
        .collect();
    if minor > MINOR || !unknown.is_empty() {
        visitor.out.negotiate_version(MINOR, &unknown);
    }
    let wanted = wanted(parameters)?;
    shared.auth.check(visitor, &wanted.user).await?;
    visitor.out.authentication_ok();
    Ok(Purpose::Session(wanted))
}

/// The session that parameters ask for.
fn wanted(parameters: Vec<(String, String)>) -> Result<Wanted, End> {
    let mut wanted = Wanted::default();
    for (name, value) in parameters {
        match name.as_str() {
            "user" => wanted.user = value,
            "database" => wanted.database = value,
            "options" => wanted.settings.extend(options(&value)?),
            "replication" if !matches!(value.as_str(), "false" | "off" | "no" | "0") => {
                return Err(End::Fatal(fatal("0A000", "replication is not supported")));
            }
            "replication" => {}
            _ if name.starts_with("_pq_.") => {}
            _ => wanted.settings.push((name, value)),
        }
    }
    if wanted.user.is_empty() {
        let message = "no PostgreSQL user name specified in startup packet";
        return Err(End::Fatal(fatal("28000", message)));
    }
    if wanted.database.is_empty() {
        wanted.database.clone_from(&wanted.user);
    }
    Ok(wanted)
}

/// Settings of command-line options: `-c name=value` and `--name=value`, where a backslash takes the next
/// character as it is.
fn options(text: &str) -> Result<Vec<(String, String)>, End> {
    let invalid = |word: &str| {
        let message = format!("invalid command-line argument for server process: {word}");
        End::Fatal(fatal("42601", message))
    };
    let words = split(text);
    let (mut words, mut all) = (words.iter(), Vec::new());
    while let Some(word) = words.next() {
        let pair = match (word.strip_prefix("--"), word.strip_prefix("-c")) {
            (Some(pair), _) => pair,
            (None, Some("")) => words.next().ok_or_else(|| invalid(word))?,
            (None, Some(pair)) => pair,
            (None, None) => return Err(invalid(word)),
        };
        let (name, value) = pair.split_once('=').ok_or_else(|| invalid(pair))?;
        all.push((name.replace('-', "_"), value.to_owned()));
    }
    Ok(all)
}

fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut chars, mut inside) = (text.chars(), false);
    while let Some(c) = chars.next() {
        if c.is_ascii_whitespace() {
            inside = false;
            continue;
        }
        if !inside {
            words.push(String::new());
            inside = true;
        }
        let c = if c == '\\' { chars.next() } else { Some(c) };
        if let Some(word) = words.last_mut() {
            word.extend(c);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_settings() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let got =
            options(r"-c search_path=a\ b --lock-timeout=5 -cgeqo=off").expect("they are good");
        let expect = [pair("search_path", "a b"), pair("lock_timeout", "5"), pair("geqo", "off")];
        assert_eq!(got, expect);
        assert!(options("").expect("there are none").is_empty());
        for bad in ["-c", "x", "-c x", "--x"] {
            assert!(options(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_session_needs_a_user() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert!(wanted(vec![pair("database", "d")]).is_err());
        assert!(wanted(vec![pair("user", "u"), pair("replication", "true")]).is_err());
        let got =
            wanted(vec![pair("user", "u"), pair("application_name", "a")]).expect("it is good");
        assert_eq!((got.user.as_str(), got.database.as_str()), ("u", "u"));
        assert_eq!(got.settings, [pair("application_name", "a")]);
    }
}
