//! From the first byte of a connection to the session it asks for.

use hobgoblin_sql_mysql::session::Startup;
use hobgoblin_wire::mysql::{
    Authentication, Capabilities, Hello, Login, ProtocolError, Scramble, Step, access_denied,
};

use super::errors::{End, Failure};
use super::shared::Shared;
use super::visitor::Visitor;

/// A client that may come in.
pub(crate) struct Entered {
    /// The session that it asks for.
    pub(crate) wanted: Startup,
    /// What it has to know to become somebody else.
    pub(crate) authentication: Authentication,
}

/// Talks until it is known what the client wants, and that it may.
pub(crate) async fn enter(visitor: &mut Visitor, shared: &Shared) -> Result<Entered, End> {
    let version = shared.config.version;
    let scramble = Scramble::new().map_err(|error| Failure::internal(error.to_string()))?;
    let password = shared.config.password.as_ref().map(|password| password.as_bytes().to_vec());
    let mut authentication = Authentication::new(scramble, password, version.method());
    let offered = match &shared.tls {
        None => version.capabilities(),
        Some(_) => version.capabilities().with(Capabilities::SSL),
    };
    let number = shared.number();
    visitor.out.greeting_of(version, number, authentication.scramble(), offered);
    let login = loop {
        match Hello::decode(visitor.ask().await?).map_err(Failure::from)? {
            Hello::Login(login) => break login,
            Hello::Tls if visitor.is_tls() => {
                return Err(Failure::from(ProtocolError::BadHandshake).into());
            }
            Hello::Tls => match &shared.tls {
                Some(config) => visitor.upgrade(config)?,
                None => return Err(Failure::from(ProtocolError::BadHandshake).into()),
            },
        }
    };
    visitor.out.agree(login.capabilities.both(offered));
    let mut step = authentication.login(&login, &mut visitor.out);
    if step == Step::Asked {
        let answer = visitor.ask().await?;
        step = authentication.answer(&answer, &mut visitor.out);
    }
    let host = visitor.host();
    admitted(step, &login, &host)?;
    Ok(Entered { wanted: wanted(&login, host, number), authentication })
}

/// Whether a client may come in that answered what it was asked.
pub(crate) fn admitted(step: Step, login: &Login, host: &str) -> Result<(), Failure> {
    match step {
        Step::Accepted => Ok(()),
        Step::Refused { with_password } => Err(denied(login, host, with_password)),
        Step::Asked => Err(denied(login, host, true)),
    }
}

fn denied(login: &Login, host: &str, with_password: bool) -> Failure {
    let user = String::from_utf8_lossy(&login.user);
    Failure::new(1045, "28000", access_denied(&user, host, with_password))
}

/// The session that a login asks for.
pub(crate) fn wanted(login: &Login, host: String, number: u32) -> Startup {
    let text = |bytes: &bytes::Bytes| String::from_utf8_lossy(bytes).into_owned();
    let has = |capability| login.capabilities.contains(capability);
    Startup {
        number,
        user: text(&login.user),
        host,
        database: login.database.as_ref().map(text),
        collation: login.collation,
        attributes: login
            .attributes
            .iter()
            .map(|(name, value)| (text(name), text(value)))
            .collect(),
        found_rows: has(Capabilities::FOUND_ROWS),
        multi_statements: has(Capabilities::MULTI_STATEMENTS),
        ignore_space: has(Capabilities::IGNORE_SPACE),
        interactive: has(Capabilities::INTERACTIVE),
    }
}
