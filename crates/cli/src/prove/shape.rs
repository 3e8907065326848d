//! The names of anomalies, by the shape of their cycle.
//!
//! `a -RW-> b`: b overwrote what a had read. `-WR->`: b read what a wrote. `-WW->`: b overwrote what a wrote. A cell is a column
//! of a row, or whether the row exists.
//!
//! | name | the cycle |
//! | --- | --- |
//! | row inserted twice | of two, by whether one row exists, which both insert |
//! | lost update | of two, RW and RW, or RW and WW, on the same cell |
//! | write skew | of two, RW and RW, on different cells |
//! | non-repeatable read | of two, RW and WR, on the same cell |
//! | read skew | of two, RW and WR, on different cells |
//! | read-only anomaly | of three, RW RW WR; the one that reads last writes nothing at all |
//! | long fork | of four, WR RW WR RW: two readers disagree on the order of two writers |
//! | cycle of N | any other |
//!
//! The first line that fits names it.

use hobgoblin_prove::analysis::Dependency;
use hobgoblin_prove::program::{ColumnId, TableId};
use hobgoblin_prove::scenario::Literal;

/// A table, the key of a row, and a column; without one, whether the row exists.
pub(super) type Cell = (TableId, Vec<Literal>, Option<ColumnId>);

/// A dependency of a cycle.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) kind: Dependency,
    pub(super) cell: Cell,
    /// Whether all that is written here is written by INSERT.
    pub(super) inserts: bool,
    /// Whether the transaction it begins at has a statement that writes.
    pub(super) from_writes: bool,
}

/// What kind of anomaly a cycle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    RowInsertedTwice,
    LostUpdate,
    WriteSkew,
    NonRepeatableRead,
    ReadSkew,
    ReadOnlyAnomaly,
    LongFork,
    Cycle(usize),
}

impl Shape {
    /// The kind of a cycle, whose links follow each other.
    pub(super) fn of(links: &[Link]) -> Shape {
        use Dependency::{ReadWrite, WriteRead, WriteWrite};
        // Where the cycle begins is of no meaning.
        let turned = |at: usize| links[at..].iter().chain(&links[..at]);
        let is = |kinds: &[Dependency]| {
            (0..links.len()).find(|&at| turned(at).map(|link| link.kind).eq(kinds.iter().copied()))
        };
        if let [one, other] = links {
            let same = one.cell == other.cell;
            if same && one.cell.2.is_none() && one.inserts && other.inserts {
                return Shape::RowInsertedTwice;
            }
            let updates =
                is(&[ReadWrite, ReadWrite]).or_else(|| is(&[ReadWrite, WriteWrite])).is_some();
            match (updates, same) {
                (true, true) => return Shape::LostUpdate,
                (true, false) if is(&[ReadWrite, ReadWrite]).is_some() => return Shape::WriteSkew,
                _ if is(&[ReadWrite, WriteRead]).is_none() => {}
                (_, true) => return Shape::NonRepeatableRead,
                (_, false) => return Shape::ReadSkew,
            }
        }
        if let Some(reader) = is(&[ReadWrite, ReadWrite, WriteRead])
            && !links[reader].from_writes
        {
            return Shape::ReadOnlyAnomaly;
        }
        if is(&[WriteRead, ReadWrite, WriteRead, ReadWrite]).is_some() {
            return Shape::LongFork;
        }
        Shape::Cycle(links.len())
    }

    /// A name for programs, which does not depend on the length of a cycle.
    pub(super) fn code(self) -> &'static str {
        match self {
            Shape::RowInsertedTwice => "row-inserted-twice",
            Shape::LostUpdate => "lost-update",
            Shape::WriteSkew => "write-skew",
            Shape::NonRepeatableRead => "non-repeatable-read",
            Shape::ReadSkew => "read-skew",
            Shape::ReadOnlyAnomaly => "read-only-anomaly",
            Shape::LongFork => "long-fork",
            Shape::Cycle(_) => "cycle",
        }
    }

    /// A name for people.
    pub(super) fn name(self) -> String {
        match self {
            Shape::RowInsertedTwice => "row inserted twice".to_owned(),
            Shape::LostUpdate => "lost update".to_owned(),
            Shape::WriteSkew => "write skew".to_owned(),
            Shape::NonRepeatableRead => "non-repeatable read".to_owned(),
            Shape::ReadSkew => "read skew".to_owned(),
            Shape::ReadOnlyAnomaly => "read-only anomaly".to_owned(),
            Shape::LongFork => "long fork".to_owned(),
            Shape::Cycle(length) => format!("cycle of {length}"),
        }
    }

    /// What went wrong, in plain words.
    pub(super) fn headline(self) -> &'static str {
        match self {
            Shape::RowInsertedTwice => "Each looked for a row, found none, and inserted it",
            Shape::LostUpdate => "Two changes were based on the same value",
            Shape::WriteSkew => "Each read what the other then changed",
            Shape::NonRepeatableRead => "What was read twice had changed in between",
            Shape::ReadSkew => "Only a part of another transaction was seen",
            Shape::ReadOnlyAnomaly => "A reader saw a state that no order of the writers leaves",
            Shape::LongFork => "Two readers saw two changes in opposite orders",
            Shape::Cycle(_) => {
                "Each of several transactions must come before the next, in a circle"
            }
        }
    }

    /// What it means, in a sentence.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Shape::RowInsertedTwice => {
                "Two transactions insert the same row, each unaware of the other."
            }
            Shape::LostUpdate => {
                "Two transactions read the same value and both overwrite it: one update is lost."
            }
            Shape::WriteSkew => "Two transactions each overwrite what the other has read.",
            Shape::NonRepeatableRead => {
                "A transaction reads a value before and after another one has changed it."
            }
            Shape::ReadSkew => {
                "A transaction sees one write of another and not the other: a state that never was."
            }
            Shape::ReadOnlyAnomaly => {
                "A transaction that only reads sees a state that no serial order produces."
            }
            Shape::LongFork => "Two readers disagree on the order of two writers.",
            Shape::Cycle(_) => "Transactions depend on each other in a circle.",
        }
    }
}

/// Transactions in words: `between a and b`, `of a, b and c`.
pub(super) fn among(names: &[&str]) -> String {
    match names {
        [one, other] => format!("between {one} and {other}"),
        [rest @ .., last] => format!("of {} and {last}", rest.join(", ")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Dependency::{ReadWrite as Rw, WriteRead as Wr, WriteWrite as Ww};

    /// A link on a column, or on the existence, of a row.
    fn link(kind: Dependency, key: i64, column: Option<u32>) -> Link {
        let cell = (TableId(0), vec![Literal::Int(key)], column.map(ColumnId));
        Link { kind, cell, inserts: false, from_writes: true }
    }

    fn columns(kinds: &[(Dependency, i64)]) -> Vec<Link> {
        kinds.iter().map(|&(kind, key)| link(kind, key, Some(1))).collect()
    }

    #[test]
    fn each_shape_has_its_name() {
        let inserts = |kinds: [Dependency; 2]| {
            kinds.map(|kind| Link { inserts: true, ..link(kind, 1, None) }).to_vec()
        };
        let mut read_only = columns(&[(Rw, 1), (Rw, 2), (Wr, 3)]);
        read_only[0].from_writes = false;
        for (links, name) in [
            (inserts([Rw, Rw]), "row inserted twice"),
            (inserts([Ww, Rw]), "row inserted twice"),
            (vec![link(Rw, 1, None), link(Rw, 1, None)], "lost update"),
            (columns(&[(Rw, 1), (Rw, 1)]), "lost update"),
            (columns(&[(Ww, 1), (Rw, 1)]), "lost update"),
            (columns(&[(Rw, 1), (Rw, 2)]), "write skew"),
            (vec![link(Rw, 1, Some(1)), link(Rw, 1, Some(2))], "write skew"),
            (columns(&[(Wr, 1), (Rw, 1)]), "non-repeatable read"),
            (columns(&[(Rw, 1), (Wr, 2)]), "read skew"),
            (columns(&[(Ww, 1), (Rw, 2)]), "cycle of 2"),
            (read_only.clone(), "read-only anomaly"),
            ([&read_only[1..], &read_only[..1]].concat(), "read-only anomaly"),
            (columns(&[(Rw, 1), (Rw, 2), (Wr, 3)]), "cycle of 3"),
            (columns(&[(Wr, 1), (Rw, 2), (Wr, 2), (Rw, 1)]), "long fork"),
            (columns(&[(Rw, 1), (Wr, 1), (Rw, 2), (Wr, 2)]), "long fork"),
            (columns(&[(Rw, 1), (Rw, 2), (Rw, 3), (Rw, 4)]), "cycle of 4"),
        ] {
            assert_eq!(Shape::of(&links).name(), name, "{links:?}");
        }
    }

    #[test]
    fn transactions_are_named_in_words() {
        assert_eq!(among(&["a", "b"]), "between a and b");
        assert_eq!(among(&["a", "b", "c"]), "of a, b and c");
    }
}
