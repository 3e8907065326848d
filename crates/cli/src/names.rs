//! Flags whose values are names that a library knows: levels, formats, anomalies, or a few words.
//!
//! The library parses them, so that the command line accepts what files do; its table lists them in
//! `--help`, completes them in shells, and suggests the nearest to a name that is no name.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use hobgoblin_core::{Anomaly, LEVELS, Level};
#[cfg(feature = "crdt")]
use hobgoblin_crdt::DataType;
use hobgoblin_format::Format;
#[cfg(feature = "protocol")]
use hobgoblin_protocol::models::{MODELS, ModelInfo};
#[cfg(feature = "prove")]
use hobgoblin_prove::specification as prover;
use hobgoblin_store::{Config, Profile};

use crate::harmless::tell;
#[cfg(feature = "protocol")]
use crate::protocol;

/// One name: itself, what it means, what else it is called.
struct Name {
    name: &'static str,
    title: &'static str,
    aliases: &'static [&'static str],
}

/// A parser of the names of some table.
#[derive(Clone, Copy)]
pub(crate) struct Names<T> {
    table: fn() -> Vec<Name>,
    parse: fn(&str) -> Option<T>,
}

/// Whether a level was asked for as repeatable read.
static REPEATABLE_READ: AtomicBool = AtomicBool::new(false);

/// Says what is meant by repeatable read, if that was asked for: others mean something else.
pub(crate) fn note_repeatable_read(quiet: bool) {
    note_repeatable_read_of(quiet, &Config::default());
}

/// The same where there is a store, whose engine may mean something else again.
pub(crate) fn note_repeatable_read_of(quiet: bool, store: &Config) {
    if !REPEATABLE_READ.load(Ordering::Relaxed) || quiet {
        return;
    }
    tell(match (store.profile, store.snapshot_isolation) {
        (Profile::Mysql, false) => {
            "note: repeatable read is InnoDB's here: an UPDATE and a locking read see the newest rows, whatever the \
             snapshot says, so histories are checked as PC, at which updates are lost\n"
        }
        (Profile::Mysql, true) => {
            "note: repeatable read is InnoDB's here, under innodb_snapshot_isolation, which makes it snapshot \
             isolation (SI)\n"
        }
        _ => {
            "note: repeatable read is snapshot isolation (SI) here, as in PostgreSQL; Adya's and Elle's \
             PL-2.99 is another level, which forbids write skew on rows\n"
        }
    });
}

/// Levels, by short name or alias.
pub(crate) fn level() -> Names<Level> {
    Names {
        table: || {
            let name = |row: &hobgoblin_core::LevelInfo| Name {
                name: row.name,
                title: row.title,
                aliases: row.aliases,
            };
            LEVELS.iter().map(name).collect()
        },
        parse: |name| {
            let level = name.parse().ok();
            remember_repeatable_read(name, level.is_some());
            level
        },
    }
}

fn remember_repeatable_read(name: &str, is_level: bool) {
    let folded = name.trim().to_ascii_lowercase().replace([' ', '_'], "-");
    if is_level && matches!(folded.as_str(), "repeatable-read" | "rr") {
        REPEATABLE_READ.store(true, Ordering::Relaxed);
    }
}

/// Levels of the prover, by short name or alias.
#[cfg(feature = "prove")]
pub(crate) fn prover_level() -> Names<prover::Level> {
    fn name(level: prover::Level) -> Name {
        use prover::Level;
        let (title, aliases): (_, &[_]) = match level {
            Level::Ec => ("eventual consistency", &["eventual"]),
            Level::Mvrc => ("read committed, as databases have it", &["read-committed", "rc"]),
            Level::Cc => ("causal consistency", &["causal"]),
            Level::Pc => ("prefix consistency", &["prefix"]),
            Level::Psi => ("parallel snapshot isolation", &["parallel-snapshot"]),
            Level::Si => ("snapshot isolation", &["snapshot", "repeatable-read"]),
            Level::Ser => ("serializability", &["serializable"]),
        };
        Name { name: level.name(), title, aliases }
    }
    Names {
        table: || prover::Level::ALL.map(name).into(),
        parse: |name| {
            let level = name.parse().ok();
            remember_repeatable_read(name, level.is_some());
            level
        },
    }
}

/// Formats, by name or alias.
pub(crate) fn format() -> Names<Format> {
    fn name(format: Format) -> Name {
        Name { name: format.name(), title: format.title(), aliases: format.aliases() }
    }
    Names { table: || Format::ALL.map(name).into(), parse: |name| name.parse().ok() }
}

/// Commit protocols, or a list of them.
#[cfg(feature = "protocol")]
pub(crate) fn protocol() -> Names<protocol::Name> {
    const LIST: Name = Name { name: "list", title: "what there is", aliases: &[] };
    Names {
        table: || {
            let name =
                |model: ModelInfo| Name { name: model.name, title: model.title, aliases: &[] };
            MODELS.map(name).into_iter().chain([LIST]).collect()
        },
        parse: |name| match name.to_ascii_lowercase().as_str() {
            "list" => Some(protocol::Name::List),
            name => MODELS.into_iter().find(|model| model.name == name).map(protocol::Name::Model),
        },
    }
}

/// Replicated data types.
#[cfg(feature = "crdt")]
pub(crate) fn data_type() -> Names<DataType> {
    fn name(data_type: DataType) -> Name {
        Name { name: data_type.name(), title: data_type.title(), aliases: &[] }
    }
    Names {
        table: || DataType::ALL.map(name).into(),
        parse: |name| name.to_ascii_lowercase().replace('_', "-").parse().ok(),
    }
}

/// Anomalies that can be generated, by code.
pub(crate) fn anomaly() -> Names<Anomaly> {
    fn name(anomaly: Anomaly) -> Name {
        Name { name: anomaly.code(), title: anomaly.title(), aliases: &[] }
    }
    Names {
        table: || hobgoblin_gen::injectable().map(name).collect(),
        parse: |name| {
            hobgoblin_gen::anomaly_of(&name.to_ascii_lowercase().replace([' ', '_'], "-"))
        },
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Names<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let text = value.to_string_lossy();
        if let Some(parsed) = (self.parse)(&text) {
            return Ok(parsed);
        }
        let table = (self.table)();
        let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
        if let Some(arg) = arg {
            error.insert(ContextKind::InvalidArg, ContextValue::String(arg.to_string()));
        }
        error.insert(ContextKind::InvalidValue, ContextValue::String(text.to_string()));
        let names = table.iter().map(|row| row.name.to_owned()).collect();
        error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
        if let Some(near) = nearest(&text, &table) {
            let near = ContextValue::String(near.to_owned());
            error.insert(ContextKind::SuggestedValue, near);
        }
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |row: Name| PossibleValue::new(row.name).aliases(row.aliases).help(row.title);
        Some(Box::new((self.table)().into_iter().map(value)))
    }
}

/// A parser whose values are a few words, or begin as they do; shells complete them.
#[derive(Clone)]
pub(crate) struct Words<P> {
    parser: P,
    words: &'static [&'static str],
}

/// What `parser` takes, of which these words are the most frequent.
pub(crate) fn words<P: TypedValueParser>(words: &'static [&'static str], parser: P) -> Words<P> {
    Words { parser, words }
}

impl<P: TypedValueParser> TypedValueParser for Words<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words.iter().map(|word| PossibleValue::new(*word))))
    }
}

/// The name or alias nearest to what was written, if it is near.
fn nearest(written: &str, table: &[Name]) -> Option<&'static str> {
    let all = table.iter().flat_map(|row| std::iter::once(&row.name).chain(row.aliases));
    hobgoblin_core::nearest(written, all.copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_if_it_is_near() {
        let table = (level().table)();
        for (written, near) in [
            ("serializible", Some("serializable")),
            ("SRE", None),
            ("SERR", Some("SER")),
            ("eventual", None),
        ] {
            assert_eq!(nearest(written, &table), near, "{written}");
        }
    }
}
