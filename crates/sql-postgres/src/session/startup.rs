//! What a client says of itself when it connects.

/// What a client says of itself when it connects: the startup packet, read.
#[derive(Clone, Debug, Default)]
pub struct Startup {
    /// The name of the user; an empty one stands for `hob`.
    pub user: String,
    /// The name of the database, which may be empty.
    pub database: String,
    /// The settings that the client asks for, those inside `options` among them, with their values.
    pub settings: Vec<(String, String)>,
}

/// The user of a client that gives no name.
pub(super) const DEFAULT_USER: &str = "hob";
