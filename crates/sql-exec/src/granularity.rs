//! How finely the store sees rows.

/// How a row is kept in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Granularity {
    /// One key for the presence of a row and one for each of its cells.
    Cell,
    /// One key for each row.
    Row,
}

impl Granularity {
    /// Its name in flags and logs.
    pub fn name(self) -> &'static str {
        match self {
            Granularity::Cell => "cell",
            Granularity::Row => "row",
        }
    }

    /// The one of a name.
    pub fn of(name: &str) -> Option<Granularity> {
        [Granularity::Cell, Granularity::Row].into_iter().find(|known| known.name() == name)
    }
}
