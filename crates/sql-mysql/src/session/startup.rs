//! What a client says when it connects.

/// What a client says when it connects, or asks to be somebody else.
#[derive(Clone, Debug, Default)]
pub struct Startup {
    /// The number of the connection that the client was told before it said anything; 0 for one that it is to be given.
    pub number: u32,
    /// Who it is.
    pub user: String,
    /// Where it is.
    pub host: String,
    /// The database that it asks for.
    pub database: Option<String>,
    /// The number of its collation; 0 where it leaves that to the server.
    pub collation: u16,
    /// What it says of itself. `hob.session`, or else `program_name`, names the session in the history.
    pub attributes: Vec<(String, String)>,
    /// CLIENT_FOUND_ROWS: it wants to know how many rows a change found, not how many it changed.
    pub found_rows: bool,
    /// CLIENT_MULTI_STATEMENTS: a text may have several statements.
    pub multi_statements: bool,
    /// CLIENT_IGNORE_SPACE: blanks may stand between the name of a function and its parenthesis.
    pub ignore_space: bool,
    /// CLIENT_INTERACTIVE: it waits as long as `interactive_timeout` says.
    pub interactive: bool,
}

impl Startup {
    /// The client as USER() calls it.
    pub(super) fn named(&self) -> String {
        let host = if self.host.is_empty() { "localhost" } else { &self.host };
        format!("{}@{host}", self.user)
    }
}
