//! Accepts connections, knows those there are, and ends them.
//!
//! Whoever connects is a [`Visitor`] in a task until it has said and proved who it is; then it is a session
//! and has a thread.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use hobgoblin_sql_postgres::session::Startup;
use hobgoblin_wire::pg::scram::Verifier;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::auth::Auth;
use super::channel::shutdown;
use super::config::PgConfig;
use super::connection::Connection;
use super::errors::{End, fatal};
use super::shared::{GRACE, Open, Shared};
use super::startup::{self, Purpose};
use super::stream::Socket;
use super::tls;
use super::visitor::Visitor;
use crate::app::{App, SqlClients};
use crate::config::local;
use crate::crowd::Crowd;
use crate::error::ServerError;

/// Deep enough for deeply nested SQL; the memory is taken as it is used.
const STACK: usize = hobgoblin_sql_schema::roomy::ROOM;

/// A listener that is running; [`Listener::stop`] ends it.
pub(crate) struct Listener {
    pub(crate) addr: SocketAddr,
    socket: Option<PathBuf>,
    shared: Arc<Shared>,
    accepting: Vec<JoinHandle<()>>,
}

impl Listener {
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
        let listening = |source| ServerError::Listen { addr, source };
        let tcp = TcpListener::bind(addr).map_err(listening)?;
        let addr = tcp.local_addr().map_err(listening)?;
        let socket = config.socket_dir.as_ref();
        let socket = socket.map(|dir| dir.join(format!(".s.PGSQL.{}", addr.port())));
        let unix = match &socket {
            None => None,
            Some(path) => {
                // What a server left that was killed is in the way; one that listens has the port, too.
                let _ = std::fs::remove_file(path);
                let failed = |source| ServerError::File { path: path.clone(), source };
                Some(UnixListener::bind(path).map_err(failed)?)
            }
        };
        let shared = Arc::new(Shared {
            handle: handle.clone(),
            visitors: Crowd::new(config.max_waiting),
            app,
            config,
            auth,
            tls,
            stopping: AtomicBool::new(false),
            connections: Mutex::default(),
            ended: Condvar::new(),
        });
        let clients: Arc<dyn SqlClients> = shared.clone();
        shared.app.add_clients(&clients);
        let mut listener = Listener { addr, socket, shared, accepting: Vec::new() };
        let next = move || {
            let (socket, _) = tcp.accept()?;
            // Answers are small and waited for. Where this fails, they only come later.
            let _ = socket.set_nodelay(true);
            Ok(Socket::Tcp(socket.into()))
        };
        listener.accept(next)?;
        if let Some(unix) = unix {
            listener
                .accept(move || unix.accept().map(|(socket, _)| Socket::Unix(socket.into())))?;
        }
        Ok(listener)
    }

    /// Takes connections in a thread.
    fn accept(
        &mut self,
        next: impl Fn() -> std::io::Result<Socket> + Send + 'static,
    ) -> Result<(), ServerError> {
        let shared = Arc::clone(&self.shared);
        let thread = Builder::new().name("hobgoblin-pg".to_owned()).spawn(move || {
            loop {
                let accepted = next();
                if shared.stopping.load(Ordering::Relaxed) {
                    return;
                }
                match accepted {
                    Ok(socket) => visit(&shared, socket),
                    // A client that is gone again: others come.
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    // Too many open files, most likely.
                    Err(_) => {
                        shared.visitors.thin_out();
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
        if self.shared.stopping.swap(true, Ordering::Relaxed) {
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
        self.shared.visitors.close();
        self.shared.disconnect_before(u32::MAX);
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
fn visit(shared: &Arc<Shared>, socket: Socket) {
    let (go, ours) = (Arc::new(Notify::new()), Arc::clone(shared));
    let place = shared.visitors.enter(go.clone());
    shared.handle.spawn(async move {
        tokio::select! {
            () = go.notified() => {}
            () = receive(&ours, socket) => {}
        }
        drop(place);
    });
}

/// Hears what a visitor wants.
async fn receive(shared: &Arc<Shared>, socket: Socket) {
    let Ok(mut visitor) = Visitor::new(socket) else { return };
    let begun = startup::begin(&mut visitor, shared);
    let end = match tokio::time::timeout(shared.config.startup_timeout, begun).await {
        Ok(Ok(Purpose::Session(wanted))) => match open(shared, visitor, wanted) {
            None => return,
            Some((visitor, end)) => return visitor.close(end).await,
        },
        Ok(Ok(Purpose::Cancel { pid, secret })) => {
            shared.cancel(pid, secret);
            End::Gone
        }
        Ok(Err(end)) => end,
        Err(_) => End::Fatal(fatal("57014", "canceling authentication due to timeout")),
    };
    visitor.close(end).await;
}

/// Gives a visitor a session and a thread, unless there are too many; then it comes back, with why.
fn open(shared: &Arc<Shared>, visitor: Visitor, wanted: Startup) -> Option<(Visitor, End)> {
    let ending = Arc::new(AtomicBool::new(false));
    let mut connections = shared.lock();
    // Asked under the lock, so that whoever stops the server knows of all there are.
    if shared.stopping.load(Ordering::Relaxed) {
        return Some((visitor, End::Fatal(shutdown())));
    }
    if connections.open.len() >= shared.config.max_connections {
        return Some((visitor, End::Fatal(fatal("53300", "sorry, too many clients already"))));
    }
    let channel = visitor.into_channel(shared.config.max_message, ending.clone());
    // Only a socket that is gone cannot be used.
    let Ok(mut channel) = channel else { return None };
    let id = connections.next;
    connections.next += 1;
    connections.open.insert(id, Open { socket: channel.socket(), ending, session: None });
    drop(connections);
    let ours = Arc::clone(shared);
    let work = move || {
        let serve = || Connection::open(&ours, id, &mut channel, wanted)?.serve();
        let end = catch_unwind(AssertUnwindSafe(serve)).unwrap_or_else(|_| {
            // What was half written must not be taken for a message.
            channel.out.clear();
            Err(End::Fatal(fatal("XX000", "the server made a mistake; see what it printed")))
        });
        channel.close(&end.err().unwrap_or(End::Gone));
        ours.lock().open.remove(&id);
        ours.ended.notify_all();
    };
    let started = Builder::new().name(format!("hobgoblin-pg-{id}")).stack_size(STACK).spawn(work);
    if started.is_err() {
        // No thread: the socket is closed, and the client may try again.
        shared.lock().open.remove(&id);
    }
    None
}
