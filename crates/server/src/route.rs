//! One row of the table of routes.

use std::sync::Arc;

use axum::routing::MethodRouter;

use crate::app::App;

/// One path with one method.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    /// Its name in generated clients.
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    /// The schema of its body; empty for none.
    pub(crate) body: &'static str,
    /// The schema or media type of its answer; empty for none.
    pub(crate) answer: &'static str,
    /// The status of a success.
    pub(crate) status: &'static str,
    /// The parameters after `?`, with what they mean.
    pub(crate) query: &'static [(&'static str, &'static str)],
    /// How it is served.
    pub(crate) handler: fn() -> MethodRouter<Arc<App>>,
}
