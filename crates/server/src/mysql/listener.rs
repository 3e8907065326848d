//! From a socket to a session with a thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use tokio::runtime::Handle;

use super::config::MySqlConfig;
use super::connection::Connection;
use super::entrance::{self, Entered};
use super::errors::{End, Failure};
use super::shared::Shared;
use super::visitor::Visitor;
use crate::app::App;
use crate::error::ServerError;
use crate::listen::listener::{Listener, Place};
use crate::listen::seats::{Refused, Seats};
use crate::listen::socket::Socket;
use crate::listen::tls;

/// Starts to listen for clients of MySQL.
pub(crate) fn start(
    handle: &Handle,
    app: Arc<App>,
    config: MySqlConfig,
) -> Result<Listener, ServerError> {
    let addr = config.addr;
    match &config.password {
        None if !addr.ip().is_loopback() => return Err(ServerError::PasswordNeeded { addr }),
        Some(password) if password.is_empty() => return Err(ServerError::EmptyPassword),
        _ => {}
    }
    let tls = config.tls.as_ref().map(tls::read).transpose()?;
    let seats = Seats::new(config.max_connections);
    let place = Place {
        protocol: "mysql",
        addr,
        socket: config
            .socket
            .clone()
            .map(|path| -> Box<dyn FnOnce(u16) -> PathBuf> { Box::new(move |_| path) }),
        max_waiting: config.max_waiting,
        seats: Arc::clone(&seats),
    };
    let last = AtomicU32::new(0);
    let shared = Arc::new(Shared { app: app.clone(), config, tls, seats, last });
    Listener::start(handle, &app, place, move |socket| receive(Arc::clone(&shared), socket))
}

/// Hears what a visitor wants. One that takes too long is sent away without a word, as MySQL does.
async fn receive(shared: Arc<Shared>, socket: Socket) {
    let Ok(mut visitor) = Visitor::new(socket) else { return };
    let entered = entrance::enter(&mut visitor, &shared);
    let end = match tokio::time::timeout(shared.config.startup_timeout, entered).await {
        Ok(Ok(entered)) => match open(&shared, visitor, entered) {
            None => return,
            Some((visitor, end)) => return visitor.close(end).await,
        },
        Ok(Err(end)) => end,
        Err(_) => End::Gone,
    };
    visitor.close(end).await;
}

/// Gives a visitor a session and a thread, unless there are too many; then it comes back, with why.
fn open(shared: &Arc<Shared>, visitor: Visitor, entered: Entered) -> Option<(Visitor, End)> {
    let seat = match shared.seats.take() {
        Ok(seat) => seat,
        Err(Refused::Stopping) => return Some((visitor, End::Fatal(Failure::shutdown()))),
        Err(Refused::Full) => return Some((visitor, End::Fatal(Failure::full()))),
    };
    let channel = visitor.into_channel(shared.config.max_command(), seat.ending());
    // Only a socket that is gone cannot be used.
    let Ok(mut channel) = channel else { return None };
    let (ours, socket) = (Arc::clone(shared), channel.socket());
    // Where there is no thread, the socket is closed, and the client may try again.
    let _ = seat.serve("mysql", socket, move |seat| {
        let serve = || Connection::open(&ours, seat, &mut channel, entered)?.serve();
        let end = catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|_| {
            // What was half written must not be taken for a packet.
            channel.out.clear();
            let words = "the server made a mistake; see what it printed";
            Err(End::Fatal(Failure::internal(words)))
        });
        channel.close(&end.err().unwrap_or(End::Gone));
    });
    None
}
