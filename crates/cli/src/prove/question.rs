//! What is asked of every file: at which levels, which pairs are serial, how far to search.

use std::ffi::OsStr;
use std::path::Path;

use clap::builder::{PossibleValue, TypedValueParser};
use hobgoblin_prove::analysis::Method;
use hobgoblin_prove::formula::Formula;
use hobgoblin_prove::program::Program;
use hobgoblin_prove::specification::{Conflicts, Level, Specification};

use crate::diagnostic::{Diagnostic, Failure, reason};
use crate::names;

/// `SI`, or `Enroll=SI` for one transaction.
#[derive(Clone, Debug)]
pub(super) struct LevelFlag {
    pub(super) transaction: Option<String>,
    pub(super) level: Level,
}

#[derive(Clone)]
pub(super) struct LevelParser;

impl TypedValueParser for LevelParser {
    type Value = LevelFlag;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<LevelFlag, clap::Error> {
        let text = value.to_string_lossy();
        let (transaction, level) = match text.split_once('=') {
            Some((name, level)) => (Some(name.trim().to_owned()), level),
            None => (None, &*text),
        };
        let level = names::prover_level().parse_ref(command, arg, OsStr::new(level.trim()))?;
        Ok(LevelFlag { transaction, level })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<_> = names::prover_level().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}

/// Two transactions, of which the later sees the earlier.
#[derive(Clone, Debug)]
pub(super) struct SerialFlag(String, String);

pub(super) fn serial(text: &str) -> Result<SerialFlag, String> {
    match text.split(',').map(str::trim).collect::<Vec<_>>().as_slice() {
        [one, other] if !one.is_empty() && !other.is_empty() => {
            Ok(SerialFlag((*one).to_owned(), (*other).to_owned()))
        }
        _ => Err("expected two transactions such as withdraw,deposit".to_owned()),
    }
}

pub(super) fn conflicts(text: &str) -> Result<Conflicts, String> {
    match text {
        "rows" => Ok(Conflicts::Rows),
        "fields" => Ok(Conflicts::Fields),
        _ => Err("expected rows or fields".to_owned()),
    }
}

pub(super) fn method(text: &str) -> Result<Method, String> {
    match text {
        "induction" => Ok(Method::Induction),
        "shortest-path" => Ok(Method::ShortestPath),
        _ => Err("expected induction or shortest-path".to_owned()),
    }
}

/// Levels that may be advised, from weak to strong.
#[derive(Clone, Debug)]
pub(super) struct Offered(pub(super) Vec<Level>);

pub(super) fn offered(text: &str) -> Result<Offered, String> {
    let levels = text.split(',').map(|name| name.trim().parse::<Level>());
    let levels = levels.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    for pair in levels.windows(2) {
        if !pair[0].is_below(pair[1]) {
            return Err(format!(
                "{} does not ask all that {} asks; name levels from weak to strong, such as MVRC,SI,SER",
                pair[1], pair[0]
            ));
        }
    }
    Ok(Offered(levels))
}

/// The levels of a program's transactions, its serial pairs and formulas.
pub(super) fn specification(
    program: &Program,
    levels: &[LevelFlag],
    serial: &[SerialFlag],
    spec: Option<&Path>,
) -> Result<Specification, Failure> {
    let of_all = levels.iter().rfind(|flag| flag.transaction.is_none());
    // Read committed as databases have it is what most applications run at; who writes formulas says all.
    let usual = if spec.is_some() { Level::Ec } else { Level::Mvrc };
    let level = of_all.map_or(usual, |flag| flag.level);
    let mut specification = Specification::all(program.transactions.len(), level);
    for LevelFlag { transaction, level } in levels {
        if let Some(name) = transaction {
            specification.levels[find(program, name)?] = *level;
        }
    }
    for SerialFlag(one, other) in serial {
        specification.serial.push((find(program, one)?, find(program, other)?));
    }
    if let Some(path) = spec {
        specification.formulas = formulas(path, program)?;
    }
    Ok(specification)
}

/// The formulas of a file.
fn formulas(path: &Path, program: &Program) -> Result<Vec<Formula>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Diagnostic::new(reason(&error), "give a file of formulas to --spec").in_path(path)
    })?;
    let found = Formula::read(&text, program);
    let read = found.map_err(|error| {
        let line = text.lines().nth(error.line - 1).unwrap_or_default();
        Diagnostic {
            line: error.line as u64,
            column: error.column as u64,
            excerpt: Some((line.to_owned(), 1)),
            ..Diagnostic::new(error.message, error.help)
        }
        .in_path(path)
    })?;
    Ok(read)
}

/// The transaction of a name, which is not case-sensitive, as names in SQL are not.
fn find(program: &Program, name: &str) -> Result<usize, Failure> {
    let mut all = program.transactions.iter();
    let found = all.position(|transaction| transaction.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let names: Vec<&str> =
            program.transactions.iter().map(|transaction| transaction.name.as_str()).collect();
        let listed = format!("the transactions are {}", names.join(", "));
        let help = match hobgoblin_core::nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? {listed}"),
            None => listed,
        };
        Diagnostic::new(format!("there is no transaction `{name}`"), help).into()
    })
}
