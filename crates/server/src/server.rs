//! The server: it listens, answers, and stops with its files complete.
//!
//! [`Server::start_on`] shares a runtime with others, so that a test runner can start hundreds a second;
//! [`Server::start`] has threads of its own. Listening begins before either returns.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hobgoblin_front::{Divergence, Stats, Store};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::accept::{Door, asked};
use crate::app::App;
use crate::config::{ServerConfig, local};
use crate::databases::Tables;
use crate::error::ServerError;
use crate::listen::listener::Listener;
#[cfg(feature = "mysql")]
use crate::mysql;
use crate::page::StatusSite;
use crate::pg::{self, Database};
use crate::routes;
use crate::site::SiteServer;

/// A server that is running; stopped when dropped, but then nobody learns whether its files are whole.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    app: Arc<App>,
    stop: watch::Sender<bool>,
    accepting: Option<JoinHandle<()>>,
    pg: Option<Listener>,
    #[cfg(feature = "mysql")]
    mysql: Option<Listener>,
    /// The status page, where HTTP is not served.
    site: Option<SiteServer>,
    handle: Handle,
    /// The threads, if they are its own.
    runtime: Option<Runtime>,
}

/// What a server leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The counters of its last store.
    pub stats: Stats,
    /// How often it was reset.
    pub resets: u32,
    /// Where a replay left its log.
    pub divergence: Option<Divergence>,
}

impl Server {
    /// Starts a server with threads of its own.
    pub fn start(config: ServerConfig) -> Result<Server, ServerError> {
        let runtime =
            Builder::new_multi_thread().enable_all().build().map_err(ServerError::Runtime)?;
        let mut server = Server::start_on(runtime.handle(), config)?;
        server.runtime = Some(runtime);
        Ok(server)
    }

    /// Starts a server on a runtime that is shared.
    pub fn start_on(handle: &Handle, config: ServerConfig) -> Result<Server, ServerError> {
        let addr = config.addr;
        match &config.token {
            None if config.http && !addr.ip().is_loopback() => {
                return Err(ServerError::TokenNeeded { addr });
            }
            Some(token) if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) => {
                return Err(ServerError::BadToken);
            }
            _ => {}
        }
        let listening = |source| ServerError::Listen { addr, source };
        let listener = match config.http {
            true => Some(TcpListener::bind(addr).map_err(listening)?),
            false => None,
        };
        let addr = match &listener {
            Some(listener) => {
                listener.set_nonblocking(true).map_err(listening)?;
                listener.local_addr().map_err(listening)?
            }
            None => addr,
        };
        let (idle, pg) = (config.idle_timeout, config.pg.clone());
        #[cfg(feature = "mysql")]
        let mysql = config.mysql.clone();
        let has_site = config.page && !config.http;
        let app = Arc::new(App::new(config)?);
        let pg = pg.map(|pg| pg::start(handle, app.clone(), pg)).transpose()?;
        #[cfg(feature = "mysql")]
        let mysql = mysql.map(|mysql| mysql::start(handle, app.clone(), mysql)).transpose()?;
        let (stop, stopped) = watch::channel(false);
        let _inside = handle.enter();
        let accepting = match listener {
            Some(listener) => {
                let listener = tokio::net::TcpListener::from_std(listener).map_err(listening)?;
                let door = Door {
                    router: routes::router(app.clone()),
                    token: app.config.token.clone(),
                    request_timeout: app.config.request_timeout,
                };
                Some(handle.spawn(door.accept(listener, stopped.clone())))
            }
            None => None,
        };
        if let Some(idle) = idle {
            handle.spawn(close_idle(app.clone(), idle, stopped));
        }
        let status = || Arc::new(StatusSite(app.clone()));
        let site = has_site.then(|| SiteServer::start_on(handle, 0, status())).transpose()?;
        let handle = handle.clone();
        Ok(Server {
            addr,
            app,
            stop,
            accepting,
            pg,
            #[cfg(feature = "mysql")]
            mysql,
            site,
            handle,
            runtime: None,
        })
    }

    /// Where it listens for HTTP, if it does.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where it listens for SQL clients, if it does.
    pub fn pg_addr(&self) -> Option<SocketAddr> {
        Some(local(self.pg.as_ref()?.addr))
    }

    /// Where SQL clients on this machine find it: `postgresql://hob@127.0.0.1:5433/hob`.
    pub fn pg_url(&self) -> Option<String> {
        Some(format!("postgresql://hob@{}/hob", self.pg_addr()?))
    }

    /// Where it listens for clients of MySQL, if it does.
    #[cfg(feature = "mysql")]
    pub fn mysql_addr(&self) -> Option<SocketAddr> {
        Some(local(self.mysql.as_ref()?.addr))
    }

    /// Where clients of MySQL on this machine find it: `mysql://hob@127.0.0.1:3306/hob`.
    #[cfg(feature = "mysql")]
    pub fn mysql_url(&self) -> Option<String> {
        Some(format!("mysql://hob@{}/hob", self.mysql_addr()?))
    }

    /// Its address as programs on this machine write it: `http://127.0.0.1:7437`.
    pub fn url(&self) -> String {
        format!("http://{}", local(self.addr))
    }

    /// Where a browser of this machine finds its status page, if it has one.
    pub fn page_url(&self) -> Option<String> {
        let at_http = || self.accepting.as_ref().map(|_| format!("{}/", self.url()));
        self.site.as_ref().map(SiteServer::url).or_else(at_http)
    }

    /// The store of now; another one after a reset.
    pub fn store(&self) -> Store {
        self.app.run().store.clone()
    }

    /// The same store as PostgreSQL's tables, if it has these.
    pub fn database(&self) -> Option<Database> {
        match self.tables()? {
            Tables::Postgres(database) => Some(database),
            #[cfg(feature = "mysql")]
            Tables::MySql(_) => None,
        }
    }

    /// The same store as tables, if it is spoken to in SQL.
    pub fn tables(&self) -> Option<Tables> {
        self.app.run().databases.spoken().cloned()
    }

    /// Why its files cannot be written any more, if they cannot. Since then nothing is acknowledged.
    pub fn incomplete(&self) -> Option<String> {
        self.app.run().incomplete()
    }

    /// The listeners for SQL, which nobody has any more.
    fn listeners(&mut self) -> Vec<Listener> {
        let all = self.pg.take().into_iter();
        #[cfg(feature = "mysql")]
        let all = all.chain(self.mysql.take());
        all.collect()
    }

    /// Stops it: no new requests are taken, those under way are answered, and the files are complete.
    ///
    /// Blocks the thread, so it is not for threads of the runtime; see [`Server::stopped`].
    pub fn stop(self) -> Result<Finished, ServerError> {
        let handle = self.handle.clone();
        handle.block_on(self.stopped())
    }

    /// As [`Server::stop`], for tasks.
    pub async fn stopped(mut self) -> Result<Finished, ServerError> {
        self.stop.send_replace(true);
        if let Some(site) = self.site.take() {
            site.stopped().await;
        }
        for mut listener in self.listeners() {
            // It waits for threads, so it has one to wait in.
            let _ = tokio::task::spawn_blocking(move || listener.stop()).await;
        }
        if let Some(accepting) = self.accepting.take() {
            // It ends by itself, or by a panic that has been told of already.
            let _ = accepting.await;
        }
        if let Some(error) = self.app.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            return Err(error);
        }
        let run = self.app.run();
        run.finish()?;
        let (stats, divergence) = (run.store.stats(), run.store.divergence());
        Ok(Finished { stats, resets: run.number - 1, divergence })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Closes the sessions that ask nothing for long.
async fn close_idle(app: Arc<App>, idle: Duration, mut stopped: watch::Receiver<bool>) {
    let pause = (idle / 4).max(Duration::from_millis(1));
    while tokio::time::timeout(pause, asked(&mut stopped)).await.is_err() {
        app.run().close_idle(idle).await;
    }
}
