//! What connections share: the store, the setup, and who else is connected.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::config::MySqlConfig;
use crate::app::App;
use crate::listen::seats::Seats;
use crate::listen::tls::ServerConfig;

/// What all connections to MySQL's port share.
pub(crate) struct Shared {
    pub(crate) app: Arc<App>,
    pub(crate) config: MySqlConfig,
    pub(crate) tls: Option<Arc<ServerConfig>>,
    pub(crate) seats: Arc<Seats>,
    /// The number of the last connection.
    pub(crate) last: AtomicU32,
}

impl Shared {
    /// The number of a connection, which its client is told first and KILL takes.
    pub(crate) fn number(&self) -> u32 {
        self.last.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }
}
