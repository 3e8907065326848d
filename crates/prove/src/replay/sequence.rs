//! Values that sequences give, as those of a `serial`.
//!
//! Which instance gets which value is chance. So a serial run is tried with every way to hand out the values that the
//! execution was given: an anomaly is one only if none of them explains it.

use crate::program::{ExprKind, Program, TableId};

/// A value and the sequence that gave it, as an expression of SQL.
pub(super) type Given = (String, i64);

/// More values are not handed out in every way.
pub(super) const MOST_GIVEN: usize = 4;

/// The sequence that fills a column where an INSERT does not, as an expression of SQL.
pub(super) fn sequence_of(program: &Program, table: TableId, column: usize) -> Option<String> {
    let table = &program.tables[table.0 as usize];
    let column = &table.columns[column];
    let default = column.default.as_ref().filter(|one| matches!(one.kind, ExprKind::Choose))?;
    let text = program.text.get(default.place.range())?.trim();
    let is_call = text.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("nextval"));
    if is_call {
        let argument = text.split_once('(')?.1.strip_suffix(')')?;
        return Some(argument.trim().to_owned());
    }
    // A `serial` or an identity has no expression of its own, and the column's name for a place.
    let is_name = text.trim_matches('"').eq_ignore_ascii_case(&column.name);
    let quoted = |name: &str| name.replace('\'', "''");
    let table = format!("\"{}\"", table.name.replace('"', "\"\""));
    is_name.then(|| {
        format!("pg_get_serial_sequence('{}', '{}')", quoted(&table), quoted(&column.name))
    })
}

/// All ways to hand out values to those who were given one, each sequence for itself.
pub(super) fn ways(given: &[Vec<Given>]) -> Vec<Vec<Vec<Given>>> {
    let mut ways: Vec<Vec<Vec<Given>>> = vec![vec![Vec::new(); given.len()]];
    for (at, own) in given.iter().enumerate() {
        for (sequence, _) in own {
            let all: Vec<i64> =
                given.iter().flatten().filter(|(of, _)| of == sequence).map(|one| one.1).collect();
            ways = ways
                .into_iter()
                .flat_map(|way| {
                    let is_left = |value: &&i64| {
                        !way.iter().flatten().any(|(of, taken)| of == sequence && taken == *value)
                    };
                    let left: Vec<i64> = all.iter().filter(is_left).copied().collect();
                    left.into_iter().map(move |value| {
                        let mut longer = way.clone();
                        longer[at].push((sequence.clone(), value));
                        longer
                    })
                })
                .collect();
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sequence_is_handed_out_in_every_way() {
        let given = |all: &[(&str, i64)]| -> Vec<Given> {
            all.iter().map(|&(of, value)| (of.to_owned(), value)).collect()
        };
        assert_eq!(ways(&[Vec::new(), Vec::new()]), [[Vec::new(), Vec::new()]]);
        let (one, two) = (given(&[("s", 1), ("t", 1)]), given(&[("s", 2)]));
        let swapped = [given(&[("s", 2), ("t", 1)]), given(&[("s", 1)])];
        assert_eq!(ways(&[one.clone(), two.clone()]), [[one, two], swapped]);
    }
}
