//! What a statement is answered, from either side.

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) code: u8,
    pub(crate) collation: u16,
    pub(crate) decimals: u8,
    pub(crate) unsigned: bool,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) columns: Option<Vec<Column>>,
    pub(crate) rows: Vec<Vec<Option<Vec<u8>>>>,
    pub(crate) affected: u64,
    pub(crate) insert_id: u64,
    pub(crate) warnings: u16,
    pub(crate) error: Option<(u16, String)>,
    /// What SHOW WARNINGS says.
    pub(crate) told: Vec<String>,
}

/// In what two answers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Difference {
    Unsupported,
    Error,
    Message,
    Names,
    Types,
    Rows,
    Order,
    Counts,
    InsertId,
    Warnings,
}

impl Answer {
    /// The first difference to the answer of the real server.
    pub(crate) fn difference(&self, expected: &Answer, ordered: bool) -> Option<Difference> {
        use Difference as D;
        match (&self.error, &expected.error) {
            (Some((1235, _)), None) => return Some(D::Unsupported),
            (Some((number, message)), Some((other, said))) => {
                if number != other {
                    return Some(if *number == 1235 { D::Unsupported } else { D::Error });
                }
                // What is wrong about the syntax is said by the parser's tests.
                return (message != said && *number != 1064).then_some(D::Message);
            }
            (None, None) => {}
            _ => return Some(D::Error),
        }
        let names = |answer: &Answer| -> Option<Vec<String>> {
            Some(answer.columns.as_ref()?.iter().map(|column| column.name.clone()).collect())
        };
        if names(self) != names(expected) {
            return Some(D::Names);
        }
        let (mut ours, mut theirs) = (self.rows.clone(), expected.rows.clone());
        ours.sort();
        theirs.sort();
        if ours != theirs {
            return Some(D::Rows);
        }
        if ordered && self.rows != expected.rows {
            return Some(D::Order);
        }
        if self.affected != expected.affected {
            return Some(D::Counts);
        }
        if self.insert_id != expected.insert_id {
            return Some(D::InsertId);
        }
        if self.warnings != expected.warnings || self.told != expected.told {
            return Some(D::Warnings);
        }
        // A text's digits after the point tell whether it is of a column; its collation is the connection's.
        let types = |answer: &Answer| -> Vec<Column> {
            let plain = |column: &Column| match column.collation {
                63 if !(249..=254).contains(&column.code) => column.clone(),
                63 => Column { decimals: 0, ..column.clone() },
                _ => Column { decimals: 0, collation: 45, ..column.clone() },
            };
            answer.columns.iter().flatten().map(plain).collect()
        };
        (types(self) != types(expected)).then_some(D::Types)
    }

    /// The answer in few words.
    pub(crate) fn brief(&self) -> String {
        if let Some((number, message)) = &self.error {
            return format!("error {number}: {message}");
        }
        let shown = |value: &Option<Vec<u8>>| match value {
            None => "NULL".to_owned(),
            Some(text) => String::from_utf8_lossy(text).into_owned(),
        };
        let mut text = match &self.columns {
            None => format!("{} rows, id {}", self.affected, self.insert_id),
            Some(columns) => {
                let names = columns.iter().map(|c| {
                    let unsigned = if c.unsigned { "u" } else { "" };
                    format!("{}:{}{unsigned}/{}/{}", c.name, c.code, c.collation, c.decimals)
                });
                let rows = self.rows.iter().take(12);
                let rows = rows.map(|row| row.iter().map(shown).collect::<Vec<_>>().join(","));
                let (names, rows): (Vec<_>, Vec<_>) = (names.collect(), rows.collect());
                format!("({}) [{}] {}", names.join(" "), rows.join(" | "), self.rows.len())
            }
        };
        if self.warnings > 0 || !self.told.is_empty() {
            text.push_str(&format!(" warnings {} {:?}", self.warnings, self.told));
        }
        text
    }
}

/// Whether a statement says in which order its rows come.
pub(crate) fn is_ordered(sql: &str) -> bool {
    let sql = sql.to_ascii_lowercase();
    sql.contains("order by") && !sql.contains("order by null")
}
