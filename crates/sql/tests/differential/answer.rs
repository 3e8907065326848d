//! What a statement gave, and whether two servers gave the same.

/// The first oid that is not the system's: types of the schema have other numbers on every server.
const FIRST_USER_OID: u32 = 16_384;

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) ty: u32,
    pub(crate) typmod: i32,
}

/// What a statement gave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) columns: Option<Vec<Column>>,
    pub(crate) rows: Vec<Vec<Option<String>>>,
    pub(crate) tag: String,
    /// The SQLSTATE, if it failed.
    pub(crate) state: Option<String>,
    pub(crate) message: String,
    /// Where in the statement the error is.
    pub(crate) position: Option<u32>,
}

/// How two answers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Equal,
    /// PostgreSQL does it, and we say that we do not.
    Unsupported,
    Different,
}

impl Answer {
    /// Compares our answer with PostgreSQL's; modifiers of types only where they are `exact`.
    pub(crate) fn compare(&self, theirs: &Answer, ordered: bool, exact: bool) -> Outcome {
        match (&self.state, &theirs.state) {
            (Some(ours), Some(theirs)) if ours == theirs => return Outcome::Equal,
            (Some(ours), _) if ours == "0A000" => return Outcome::Unsupported,
            (None, None) => {}
            _ => return Outcome::Different,
        }
        let rows = |answer: &Answer| {
            let mut rows = answer.rows.clone();
            if !ordered {
                rows.sort();
            }
            rows
        };
        let columns = |answer: &Answer| -> Option<Vec<Column>> {
            let columns = answer.columns.clone()?.into_iter();
            let modifier = |typmod| if exact { typmod } else { -1 };
            let columns = columns.map(|c| Column {
                ty: c.ty.min(FIRST_USER_OID),
                typmod: modifier(c.typmod),
                ..c
            });
            Some(columns.collect())
        };
        let same = self.tag == theirs.tag && columns(self) == columns(theirs);
        match same && rows(self) == rows(theirs) {
            true => Outcome::Equal,
            false => Outcome::Different,
        }
    }

    /// A few lines for a person.
    pub(crate) fn brief(&self) -> String {
        if let Some(state) = &self.state {
            return format!("{state} {}", self.message);
        }
        let mut text = String::new();
        for column in self.columns.iter().flatten() {
            let modifier =
                if column.typmod == -1 { String::new() } else { format!("({})", column.typmod) };
            text += &format!("{}:{}{modifier} ", column.name, column.ty);
        }
        let rows = self.rows.iter().take(12).map(|row| {
            let cells = row.iter().map(|cell| cell.as_deref().unwrap_or("∅"));
            cells.collect::<Vec<_>>().join("|")
        });
        text += &rows.collect::<Vec<_>>().join(" ; ");
        format!("{text} [{}]", self.tag)
    }
}

/// Whether the rows of a statement have an order: an ORDER BY outside all parentheses.
pub(crate) fn is_ordered(sql: &str) -> bool {
    let (mut depth, mut quoted) = (0_i32, false);
    let lower = sql.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\'' => quoted = !quoted,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'o' if depth == 0 && bytes[at..].starts_with(b"order by") => return true,
            _ => {}
        }
    }
    false
}
