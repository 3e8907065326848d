//! From a socket to a session with a thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hobgoblin_sql_postgres::session::Startup;
use hobgoblin_wire::pg::scram::Verifier;
use tokio::runtime::Handle;

use super::auth::Auth;
use super::channel::shutdown;
use super::config::PgConfig;
use super::connection::Connection;
use super::errors::{End, fatal};
use super::shared::Shared;
use super::startup::{self, Purpose};
use super::visitor::Visitor;
use crate::app::App;
use crate::error::ServerError;
use crate::listen::listener::{Listener, Place};
use crate::listen::seats::{Refused, Seats};
use crate::listen::socket::Socket;
use crate::listen::tls;

/// Starts to listen for clients of PostgreSQL.
pub(crate) fn start(
    handle: &Handle,
    app: Arc<App>,
    config: PgConfig,
) -> Result<Listener, ServerError> {
    let addr = config.addr;
    let auth = match &config.password {
        None if !addr.ip().is_loopback() => return Err(ServerError::PasswordNeeded { addr }),
        None => Auth::Trust,
        Some(password) if password.is_empty() => return Err(ServerError::EmptyPassword),
        Some(password) => {
            let random = |error| ServerError::Runtime(std::io::Error::other(error));
            Auth::Scram(Verifier::new(password).map_err(random)?)
        }
    };
    let tls = config.tls.as_ref().map(tls::read).transpose()?;
    let seats = Seats::new(config.max_connections);
    let place = Place {
        protocol: "pg",
        addr,
        socket: config.socket_dir.clone().map(|dir| -> Box<dyn FnOnce(u16) -> _> {
            Box::new(move |port| dir.join(format!(".s.PGSQL.{port}")))
        }),
        max_waiting: config.max_waiting,
        seats: Arc::clone(&seats),
    };
    let shared = Arc::new(Shared { app: app.clone(), config, auth, tls, seats });
    Listener::start(handle, &app, place, move |socket| receive(Arc::clone(&shared), socket))
}

/// Hears what a visitor wants.
async fn receive(shared: Arc<Shared>, socket: Socket) {
    let Ok(mut visitor) = Visitor::new(socket) else { return };
    let begun = startup::begin(&mut visitor, &shared);
    let end = match tokio::time::timeout(shared.config.startup_timeout, begun).await {
        Ok(Ok(Purpose::Session(wanted))) => match open(&shared, visitor, wanted) {
            None => return,
            Some((visitor, end)) => return visitor.close(end).await,
        },
        Ok(Ok(Purpose::Cancel { pid, secret })) => {
            shared.seats.cancel((pid, secret));
            End::Gone
        }
        Ok(Err(end)) => end,
        Err(_) => End::Fatal(fatal("57014", "canceling authentication due to timeout")),
    };
    visitor.close(end).await;
}

/// Gives a visitor a session and a thread, unless there are too many; then it comes back, with why.
fn open(shared: &Arc<Shared>, visitor: Visitor, wanted: Startup) -> Option<(Visitor, End)> {
    let seat = match shared.seats.take() {
        Ok(seat) => seat,
        Err(Refused::Stopping) => return Some((visitor, End::Fatal(shutdown()))),
        Err(Refused::Full) => {
            return Some((visitor, End::Fatal(fatal("53300", "sorry, too many clients already"))));
        }
    };
    let channel = visitor.into_channel(shared.config.max_message, seat.ending());
    // Only a socket that is gone cannot be used.
    let Ok(mut channel) = channel else { return None };
    let (ours, socket) = (Arc::clone(shared), channel.socket());
    // Where there is no thread, the socket is closed, and the client may try again.
    let _ = seat.serve("pg", socket, move |seat| {
        let serve = || Connection::open(&ours, seat, &mut channel, wanted)?.serve();
        let end = catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|_| {
            // What was half written must not be taken for a message.
            channel.out.clear();
            Err(End::Fatal(fatal("XX000", "the server made a mistake; see what it printed")))
        });
        channel.close(&end.err().unwrap_or(End::Gone));
    });
    None
}
