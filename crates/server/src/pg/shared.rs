//! What connections share: the store, the setup, and who else is connected.

use std::sync::Arc;

use super::auth::Auth;
use super::config::PgConfig;
use crate::app::App;
use crate::listen::seats::Seats;
use crate::listen::tls::ServerConfig;

/// What all connections to PostgreSQL's port share.
pub(crate) struct Shared {
    pub(crate) app: Arc<App>,
    pub(crate) config: PgConfig,
    pub(crate) auth: Auth,
    pub(crate) tls: Option<Arc<ServerConfig>>,
    pub(crate) seats: Arc<Seats>,
}
