//! What settings there are.

use std::borrow::Cow;
use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::error::{Result, SqlError, SqlState};

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Bool,
    Integer,
    Real,
    Enum,
    String,
}

impl Kind {
    /// The word that `pg_settings.vartype` has for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Integer => "integer",
            Kind::Real => "real",
            Kind::Enum => "enum",
            Kind::String => "string",
        }
    }
}

/// A setting, as `pg_settings` describes it.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    pub unit: &'static str,
    pub min: &'static str,
    pub max: &'static str,
    /// The values of an enum.
    pub values: Vec<&'static str>,
    /// When and by whom it may be changed: `internal`, `postmaster`, `sighup`, `backend`,
    /// `superuser` or `user`.
    pub context: &'static str,
    pub default: &'static str,
    pub category: &'static str,
    pub description: &'static str,
    /// The extension that brings it, if any.
    pub extension: Option<&'static str>,
}

struct Table {
    all: Vec<Definition>,
    names: HashMap<String, usize>,
}

/// Settings PostgreSQL 15 does not have, ours: name, kind, context, values with the default first, description.
const OWN: [(&str, Kind, &str, &str, &str); 2] = [
    (
        "hob.reads",
        Kind::Enum,
        "user",
        "weak,latest,adverse,uniform,stale,latest-per-session",
        "Sets whether reads may be as weak as the isolation level allows, or see the latest commit, or how \
         they choose.",
    ),
    (
        "hob.session",
        Kind::String,
        "backend",
        "",
        "Names the session in histories and logs, so that a replay knows it.",
    ),
];

/// Settings of extensions: the extension, its setting, the default, and the description. All are numbers from 0
/// to 1.
const ADDED: [(&str, &str, &str, &str); 3] = [
    (
        "pg_trgm",
        "pg_trgm.similarity_threshold",
        "0.3",
        "Sets the threshold used by the % operator.",
    ),
    (
        "pg_trgm",
        "pg_trgm.strict_word_similarity_threshold",
        "0.5",
        "Sets the threshold used by the <<% operator.",
    ),
    (
        "pg_trgm",
        "pg_trgm.word_similarity_threshold",
        "0.6",
        "Sets the threshold used by the <% operator.",
    ),
];

/// The extensions that have settings.
pub(super) fn extensions() -> impl Iterator<Item = &'static str> {
    ADDED.iter().map(|(extension, ..)| *extension)
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut all: Vec<Definition> = include_str!("defaults.tsv").lines().filter_map(read).collect();
    all.extend(OWN.iter().map(|(name, kind, context, values, description)| Definition {
        name,
        kind: *kind,
        unit: "",
        min: "",
        max: "",
        values: values.split(',').filter(|v| !v.is_empty()).collect(),
        context,
        default: values.split(',').next().unwrap_or_default(),
        category: "Customized Options",
        description,
        extension: None,
    }));
    all.extend(ADDED.iter().map(|(extension, name, default, description)| Definition {
        name,
        kind: Kind::Real,
        unit: "",
        min: "0",
        max: "1",
        values: Vec::new(),
        context: "user",
        default,
        category: "Customized Options",
        description,
        extension: Some(extension),
    }));
    all.sort_by_key(|d| d.name.to_ascii_lowercase());
    let names = all.iter().enumerate().map(|(i, d)| (d.name.to_ascii_lowercase(), i)).collect();
    Table { all, names }
});

fn read(line: &'static str) -> Option<Definition> {
    let mut fields = line.split('\t');
    Some(Definition {
        name: fields.next()?,
        kind: match fields.next()? {
            "bool" => Kind::Bool,
            "integer" => Kind::Integer,
            "real" => Kind::Real,
            "enum" => Kind::Enum,
            _ => Kind::String,
        },
        unit: fields.next()?,
        min: fields.next()?,
        max: fields.next()?,
        values: fields.next()?.split(',').filter(|v| !v.is_empty()).collect(),
        context: fields.next()?,
        default: fields.next()?,
        category: fields.next()?,
        description: fields.next()?,
        extension: None,
    })
}

/// All settings that have a definition, by name.
pub fn all() -> &'static [Definition] {
    &TABLE.all
}

/// A name as it is kept. Every statement asks for a few, which are written so.
pub(super) fn lowered(name: &str) -> Cow<'_, str> {
    match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    }
}

/// A setting by name, in any case; old names of some are still known.
pub(super) fn find(name: &str) -> Option<&'static Definition> {
    let at = TABLE.names.get(name).or_else(|| {
        let lower = name.to_ascii_lowercase();
        TABLE.names.get(match lower.as_str() {
            "time zone" => "timezone",
            "sort_mem" => "work_mem",
            other => other,
        })
    });
    at.and_then(|at| TABLE.all.get(*at))
}

/// A setting without a definition must be two or more identifiers with dots between them.
pub(super) fn check_custom(name: &str) -> Result<()> {
    if !name.contains('.') {
        return Err(unrecognized(name));
    }
    let word = |part: &str| {
        let mut chars = part.chars();
        chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
    };
    if name.split('.').all(word) {
        return Ok(());
    }
    Err(SqlError::new(
        SqlState::INVALID_NAME,
        format!("invalid configuration parameter name \"{name}\""),
    )
    .detail("Custom parameter names must be two or more simple identifiers separated by dots."))
}

/// The error of a name that no setting has.
pub(super) fn unrecognized(name: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_OBJECT,
        format!("unrecognized configuration parameter \"{name}\""),
    )
}
