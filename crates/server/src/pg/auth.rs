//! Whether whoever connects may: trust, or a password by SCRAM-SHA-256.

use hobgoblin_wire::pg::Frontend;
use hobgoblin_wire::pg::scram::{self, ScramError, Verifier};

use super::errors::{End, fatal};
use super::visitor::Visitor;

/// How clients prove who they are.
#[derive(Clone, Debug)]
pub(crate) enum Auth {
    /// Clients need no proof of who they are.
    Trust,
    /// Clients have to know one password, which is the same for all users.
    Scram(Verifier),
}

impl Auth {
    /// Asks for what proof is needed; an error if it is not given.
    pub(crate) async fn check(&self, visitor: &mut Visitor, user: &str) -> Result<(), End> {
        let Auth::Scram(verifier) = self else { return Ok(()) };
        let told = |error: ScramError| match error {
            ScramError::WrongPassword => {
                let message = format!("password authentication failed for user \"{user}\"");
                End::Fatal(fatal("28P01", message))
            }
            ScramError::Malformed(_) => End::Fatal(fatal("08P01", error.to_string())),
            ScramError::NoRandom => End::Fatal(fatal("XX000", error.to_string())),
        };
        visitor.out.sasl(&[scram::MECHANISM]);
        visitor.flush().await?;
        let body = password(visitor).await?;
        let Some((mechanism, first)) = scram::initial(&body) else {
            return Err(told(ScramError::Malformed("the initial response is incomplete")));
        };
        if mechanism != scram::MECHANISM {
            let message = "client selected an invalid SASL authentication mechanism";
            return Err(End::Fatal(fatal("08P01", message)));
        }
        let (exchange, answer) = verifier.first(first).map_err(told)?;
        visitor.out.sasl_continue(&answer);
        visitor.flush().await?;
        let last = exchange.last(&password(visitor).await?).map_err(told)?;
        visitor.out.sasl_final(&last);
        Ok(())
    }
}

/// The next message, which has to be of the password family.
async fn password(visitor: &mut Visitor) -> Result<Vec<u8>, End> {
    match visitor.message().await? {
        Some(Frontend::Password(body)) => Ok(body.to_vec()),
        Some(Frontend::Terminate) => Err(End::Gone),
        _ => Err(End::Fatal(fatal("08P01", "expected SASL response"))),
    }
}
