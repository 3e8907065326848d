//! Accepts connections, and ends them.
//!
//! Whoever connects is a [`Guest`](super::guest::Guest) in a task until it has said and proved who it is; then it is a
//! session with a seat and a thread.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::seats::{GRACE, Seats};
use super::socket::Socket;
use crate::app::{App, SqlClients};
use crate::config::local;
use crate::crowd::Crowd;
use crate::error::ServerError;

/// Where a listener is, and for whom.
pub(crate) struct Place {
    /// The word for the protocol in the names of threads.
    pub(crate) protocol: &'static str,
    pub(crate) addr: SocketAddr,
    /// The path of a Unix socket beside it, given the port.
    pub(crate) socket: Option<Box<dyn FnOnce(u16) -> PathBuf>>,
    /// Those who have not said who they are, at most so many.
    pub(crate) max_waiting: usize,
    pub(crate) seats: Arc<Seats>,
}

/// A listener that is running; [`Listener::stop`] ends it.
pub(crate) struct Listener {
    pub(crate) addr: SocketAddr,
    socket: Option<PathBuf>,
    visitors: Arc<Crowd>,
    seats: Arc<Seats>,
    accepting: Vec<JoinHandle<()>>,
}

impl Listener {
    /// Listens, and gives every socket to a task that does with it what `receive` says.
    pub(crate) fn start<F: Future<Output = ()> + Send + 'static>(
        handle: &Handle,
        app: &App,
        place: Place,
        receive: impl Fn(Socket) -> F + Clone + Send + 'static,
    ) -> Result<Listener, ServerError> {
        let addr = place.addr;
        let listening = |source| ServerError::Listen { addr, source };
        let tcp = TcpListener::bind(addr).map_err(listening)?;
        let addr = tcp.local_addr().map_err(listening)?;
        let socket = place.socket.map(|path| path(addr.port()));
        let unix = match &socket {
            None => None,
            Some(path) => {
                // What a server left that was killed is in the way; one that listens has the port, too.
                let _ = std::fs::remove_file(path);
                let failed = |source| ServerError::File { path: path.clone(), source };
                Some(UnixListener::bind(path).map_err(failed)?)
            }
        };
        let (visitors, seats) = (Crowd::new(place.max_waiting), place.seats);
        let clients: Arc<dyn SqlClients> = seats.clone();
        app.add_clients(&clients);
        let mut listener = Listener { addr, socket, visitors, seats, accepting: Vec::new() };
        let next = move || {
            let (socket, _) = tcp.accept()?;
            // Answers are small and waited for. Where this fails, they only come later.
            let _ = socket.set_nodelay(true);
            Ok(Socket::Tcp(socket.into()))
        };
        listener.accept(place.protocol, handle, next, receive.clone())?;
        if let Some(unix) = unix {
            let next = move || unix.accept().map(|(socket, _)| Socket::Unix(socket.into()));
            listener.accept(place.protocol, handle, next, receive)?;
        }
        Ok(listener)
    }

    /// Takes connections in a thread.
    fn accept<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        protocol: &str,
        handle: &Handle,
        next: impl Fn() -> io::Result<Socket> + Send + 'static,
        receive: impl Fn(Socket) -> F + Send + 'static,
    ) -> Result<(), ServerError> {
        let (handle, visitors, seats) =
            (handle.clone(), Arc::clone(&self.visitors), Arc::clone(&self.seats));
        let thread = Builder::new().name(format!("hobgoblin-{protocol}")).spawn(move || {
            loop {
                let accepted = next();
                if seats.is_stopping() {
                    return;
                }
                match accepted {
                    Ok(socket) => visit(&handle, &visitors, receive(socket)),
                    // A client that is gone again: others come.
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    // Too many open files, most likely.
                    Err(_) => {
                        visitors.thin_out();
                        std::thread::sleep(Duration::from_millis(5));
                    }
                }
            }
        });
        self.accepting.push(thread.map_err(ServerError::Runtime)?);
        Ok(())
    }

    /// Takes no more connections, and ends those that are there.
    pub(crate) fn stop(&mut self) {
        if self.seats.stop() {
            return;
        }
        // Whoever waits in accept has to wake up.
        let woken = TcpStream::connect_timeout(&local(self.addr), GRACE).is_ok();
        let woken =
            woken && self.socket.as_ref().is_none_or(|path| UnixStream::connect(path).is_ok());
        if woken {
            // They end by themselves, or by a panic that has been told of already.
            self.accepting.drain(..).for_each(|thread| drop(thread.join()));
        }
        if let Some(path) = &self.socket {
            let _ = std::fs::remove_file(path);
        }
        self.visitors.close();
        self.seats.disconnect_before(u32::MAX);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop();
    }
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener").field("addr", &self.addr).finish()
    }
}

/// Gives a visitor a task, and a place among those who wait.
fn visit(
    handle: &Handle,
    visitors: &Arc<Crowd>,
    receive: impl Future<Output = ()> + Send + 'static,
) {
    let go = Arc::new(Notify::new());
    let place = visitors.enter(go.clone());
    handle.spawn(async move {
        tokio::select! {
            () = go.notified() => {}
            () = receive => {}
        }
        drop(place);
    });
}
