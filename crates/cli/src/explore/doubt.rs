//! What tables leave in doubt: their set of keys is one variable here, and rows are apart in a database.

use hobgoblin_explore::Meeting;
use serde::Serialize;

/// Two transactions that meet on the set of keys of a table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Doubt {
    pub(super) table: String,
    pub(super) transactions: [String; 2],
}

impl Doubt {
    pub(super) fn all(meetings: &[Meeting]) -> Vec<Doubt> {
        let doubt = |Meeting { table, transactions }: &Meeting| Doubt {
            table: table.clone(),
            transactions: transactions.clone(),
        };
        meetings.iter().map(doubt).collect()
    }
}

/// Why nothing is proved, and what to do about it. Nothing if there is no doubt.
pub(super) fn sentence(doubts: &[Doubt]) -> Option<String> {
    let Doubt { table, transactions: [one, two] } = doubts.first()?;
    let others = match doubts.len() {
        1 => String::new(),
        2 => " (and one more pair)".to_owned(),
        n => format!(" (and {} more pairs)", n - 1),
    };
    Some(format!(
        "{one} and {two}{others} meet on the set of keys of table `{table}`, which is one variable here: a \
         database that keeps rows apart has other histories below serializability. Ask for \
         `--level serializable`, or declare the rows as keys (`keys row[*]`) instead of a table."
    ))
}

/// What is said of a history that only the set variable makes possible.
pub(super) const DOUBTFUL: &str = "This history is doubtful: a database that keeps the rows of a table apart \
     does not have it, since here the set of its keys is one variable.";
