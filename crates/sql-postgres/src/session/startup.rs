//! Who connects.

/// Who connects, and what it asks for.
#[derive(Clone, Debug, Default)]
pub struct Startup {
    /// The user.
    pub user: String,
    /// The database.
    pub database: String,
    /// Settings of the startup packet, `options` split up.
    pub settings: Vec<(String, String)>,
}

/// Who connects without a name.
pub(super) const DEFAULT_USER: &str = "hob";
