//! What of a session reading, printing and computing depend on, and the warnings it gathers.
//!
//! The settings of a [`TypeEnv`](hobgoblin_sql_schema::names::TypeEnv) are these, so whoever converts or computes reaches
//! the session's warnings through them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use hobgoblin_sql_schema::names::TypeEnv;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::datetime::Zone;

use crate::charset::Charset;
use crate::collation::Collation;
use crate::error::{self, Number};
use crate::users::UserVariables;

/// Which server is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// MariaDB 10.11.
    #[default]
    MariaDb10_11,
    /// MariaDB 11.8.
    MariaDb11_8,
    /// MySQL 9.7.
    MySql9_7,
}

impl Version {
    /// How it calls itself.
    pub fn server(self) -> &'static str {
        match self {
            Version::MariaDb10_11 | Version::MariaDb11_8 => "MariaDB",
            Version::MySql9_7 => "MySQL",
        }
    }

    /// Whether it is one of MySQL's own.
    pub fn is_mysql(self) -> bool {
        match self {
            Version::MariaDb10_11 | Version::MariaDb11_8 => false,
            Version::MySql9_7 => true,
        }
    }

    /// The character sets whose default collation is another one than MariaDB has built in: `character_set_collations` of
    /// MariaDB 11.8, and what MySQL has built in.
    pub fn own_defaults(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Version::MariaDb10_11 => &[],
            Version::MariaDb11_8 => {
                &[("utf8mb3", "utf8mb3_uca1400_ai_ci"), ("utf8mb4", "utf8mb4_uca1400_ai_ci")]
            }
            Version::MySql9_7 => &[("utf8mb4", "utf8mb4_0900_ai_ci")],
        }
    }

    /// The collation that a character set means where none is said.
    pub fn collation_of(self, charset: &str) -> Option<Collation> {
        let first = Collation::first_of(charset)?;
        let own = self.own_defaults().iter().find(|(name, _)| *name == first.charset());
        own.map_or(Some(first), |(_, collation)| Collation::named(collation))
    }

    /// Whether a collation is what its character set means.
    pub fn is_default(self, collation: Collation) -> bool {
        self.collation_of(collation.charset()) == Some(collation)
    }

    /// The collation of a client that names one by its number when it logs in; nothing if there is none of this number.
    ///
    /// It is exactly that one, but that MariaDB 11.8 takes what is built in as the default of a character set for its own
    /// default: clients that only mean the character set send its number.
    pub fn collation_at_login(self, number: u16) -> Option<Collation> {
        let named = Collation::all().find(|known| known.number() == number)?;
        let replaces = match self {
            Version::MariaDb10_11 | Version::MySql9_7 => false,
            Version::MariaDb11_8 => Collation::first_of(named.charset()) == Some(named),
        };
        match replaces {
            true => self.collation_of(named.charset()),
            false => Some(named),
        }
    }
}

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident = $bit:literal $word:literal)*) => {
        /// A set of words of `sql_mode`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub struct SqlMode(u64);

        impl SqlMode {
            $($(#[$doc])* pub const $name: SqlMode = SqlMode(1 << $bit);)*

            const WORDS: &'static [(&'static str, SqlMode)] = &[$(($word, SqlMode::$name)),*];
        }
    };
}

modes! {
    /// A value that does not fit is an error in transactional tables.
    STRICT_TRANS_TABLES = 0 "STRICT_TRANS_TABLES"
    /// A value that does not fit is an error.
    STRICT_ALL_TABLES = 1 "STRICT_ALL_TABLES"
    /// Months and days may not be zero.
    NO_ZERO_IN_DATE = 2 "NO_ZERO_IN_DATE"
    /// `0000-00-00` is not welcome.
    NO_ZERO_DATE = 3 "NO_ZERO_DATE"
    /// Days beyond the end of a month are.
    ALLOW_INVALID_DATES = 4 "ALLOW_INVALID_DATES"
    /// A division by zero is told.
    ERROR_FOR_DIVISION_BY_ZERO = 5 "ERROR_FOR_DIVISION_BY_ZERO"
    /// `"` quotes names.
    ANSI_QUOTES = 6 "ANSI_QUOTES"
    /// `||` joins texts.
    PIPES_AS_CONCAT = 7 "PIPES_AS_CONCAT"
    /// A blank may stand between a function's name and its arguments.
    IGNORE_SPACE = 8 "IGNORE_SPACE"
    /// Differences of unsigned numbers may be negative.
    NO_UNSIGNED_SUBTRACTION = 9 "NO_UNSIGNED_SUBTRACTION"
    /// `\` is a character as any other.
    NO_BACKSLASH_ESCAPES = 10 "NO_BACKSLASH_ESCAPES"
    /// Columns that are not grouped by are refused.
    ONLY_FULL_GROUP_BY = 11 "ONLY_FULL_GROUP_BY"
    /// 0 in an AUTO_INCREMENT column is 0.
    NO_AUTO_VALUE_ON_ZERO = 12 "NO_AUTO_VALUE_ON_ZERO"
    /// CHAR(n) is shown with its blanks.
    PAD_CHAR_TO_FULL_LENGTH = 13 "PAD_CHAR_TO_FULL_LENGTH"
    /// NOT binds as `!` does.
    HIGH_NOT_PRECEDENCE = 14 "HIGH_NOT_PRECEDENCE"
    /// REAL is FLOAT.
    REAL_AS_FLOAT = 15 "REAL_AS_FLOAT"
    /// An engine that is missing is an error.
    NO_ENGINE_SUBSTITUTION = 16 "NO_ENGINE_SUBSTITUTION"
    /// GRANT makes no users.
    NO_AUTO_CREATE_USER = 17 "NO_AUTO_CREATE_USER"
    /// Digits of seconds that a type has no room for round it.
    TIME_ROUND_FRACTIONAL = 18 "TIME_ROUND_FRACTIONAL"
    /// TABLESPACE and the like are not shown.
    NO_DIR_IN_CREATE = 19 "NO_DIR_IN_CREATE"
    /// Only ANSI.
    ANSI = 20 "ANSI"
    /// Many at once.
    TRADITIONAL = 21 "TRADITIONAL"
    /// Digits of seconds are cut, not rounded (MySQL's word).
    TIME_TRUNCATE_FRACTIONAL = 22 "TIME_TRUNCATE_FRACTIONAL"
    /// NULLs in a concatenation are empty.
    EMPTY_STRING_IS_NULL = 23 "EMPTY_STRING_IS_NULL"
}

impl SqlMode {
    /// Nothing.
    pub const NONE: SqlMode = SqlMode(0);

    /// Both together.
    #[must_use]
    pub const fn with(self, other: SqlMode) -> SqlMode {
        SqlMode(self.0 | other.0)
    }

    /// Whether all of another are in it.
    pub fn has(self, other: SqlMode) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether values that do not fit are errors.
    pub fn is_strict(self) -> bool {
        self.has(SqlMode::STRICT_TRANS_TABLES) || self.has(SqlMode::STRICT_ALL_TABLES)
    }

    /// Reads a list of words; gives the word that is none.
    pub fn parse(text: &str) -> Result<SqlMode, String> {
        let mut mode = SqlMode::NONE;
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let known = SqlMode::WORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
            mode = mode.with(known.ok_or_else(|| word.to_owned())?.1);
        }
        if mode.has(SqlMode::ANSI) {
            let more = [SqlMode::PIPES_AS_CONCAT, SqlMode::ANSI_QUOTES, SqlMode::IGNORE_SPACE];
            mode = more.into_iter().fold(mode.with(SqlMode::REAL_AS_FLOAT), SqlMode::with);
        }
        if mode.has(SqlMode::TRADITIONAL) {
            let more = [
                SqlMode::STRICT_TRANS_TABLES,
                SqlMode::STRICT_ALL_TABLES,
                SqlMode::NO_ZERO_IN_DATE,
                SqlMode::NO_ZERO_DATE,
                SqlMode::ERROR_FOR_DIVISION_BY_ZERO,
                SqlMode::NO_ENGINE_SUBSTITUTION,
            ];
            mode = more.into_iter().fold(mode, SqlMode::with);
        }
        Ok(mode)
    }

    /// Its words.
    pub fn words(self) -> String {
        let words =
            SqlMode::WORDS.iter().filter(|(_, mode)| self.has(*mode)).map(|(word, _)| *word);
        words.collect::<Vec<_>>().join(",")
    }
}

/// How bad what SHOW WARNINGS tells is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// A row of SHOW WARNINGS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// How bad it is.
    pub severity: Severity,
    /// By which number programs know it.
    pub number: Number,
    /// What it says.
    pub message: String,
}

/// How many warnings are kept; the others only count.
const KEPT: usize = 64;

#[derive(Debug, Default)]
struct Gathered {
    kept: Vec<Warning>,
    count: u64,
    errors: u64,
    without_notes: bool,
    /// Whether they are of a statement before the one at hand, which has none yet.
    left: bool,
    /// Whether a warning ends the statement.
    heeds: bool,
    /// The first warning that does.
    heeded: Option<Warning>,
}

impl Gathered {
    fn clear(&mut self) {
        self.kept.clear();
        (self.count, self.errors, self.left) = (0, 0, false);
        self.heeded = None;
    }
}

/// The warnings of a statement, in the order they came.
#[derive(Debug, Default)]
pub struct Warnings(Mutex<Gathered>);

impl Warnings {
    fn gathered(&self) -> std::sync::MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more.
    pub fn push(&self, severity: Severity, number: Number, message: impl Into<String>) {
        let mut gathered = self.gathered();
        if gathered.without_notes && severity == Severity::Note {
            return;
        }
        if gathered.left {
            gathered.clear();
        }
        gathered.count += 1;
        gathered.errors += u64::from(severity == Severity::Error);
        let first = gathered.heeds && severity == Severity::Warning && gathered.heeded.is_none();
        if first || gathered.kept.len() < KEPT {
            let warning = Warning { severity, number, message: message.into() };
            if first {
                gathered.heeded = Some(warning.clone());
            }
            if gathered.kept.len() < KEPT {
                gathered.kept.push(warning);
            }
        }
    }

    /// Those that are kept.
    pub fn kept(&self) -> Vec<Warning> {
        self.gathered().kept.clone()
    }

    /// How many came, which `@@warning_count` tells.
    pub fn count(&self) -> u64 {
        self.gathered().count
    }

    /// How many of them are errors.
    pub fn errors(&self) -> u64 {
        self.gathered().errors
    }

    /// How many came of the statement at hand.
    pub fn new_count(&self) -> u64 {
        let gathered = self.gathered();
        if gathered.left { 0 } else { gathered.count }
    }

    /// A statement begins. One that uses no tables leaves what there is until it has a warning of its own.
    pub fn begin(&self, uses_tables: bool) {
        let mut gathered = self.gathered();
        match uses_tables {
            true => gathered.clear(),
            false => gathered.left = true,
        }
    }

    /// None are left.
    pub fn clear(&self) {
        self.gathered().clear();
    }

    /// Says whether warnings end the statement, from here on.
    pub fn heed(&self, heeds: bool) {
        let mut gathered = self.gathered();
        (gathered.heeds, gathered.heeded) = (heeds, None);
    }

    /// Whether notes are gathered, from here on (`sql_notes`).
    pub fn set_notes(&self, wanted: bool) {
        self.gathered().without_notes = !wanted;
    }
}

/// What of a session values depend on.
#[derive(Debug)]
pub struct Settings {
    /// Which server it is.
    pub version: Version,
    /// `sql_mode`.
    pub mode: SqlMode,
    /// `time_zone`.
    pub zone: Zone,
    /// `collation_connection`: that of constants.
    pub collation: Collation,
    /// `character_set_results`: what texts are sent in; without it in what their types say.
    pub results: Option<Charset>,
    /// `div_precision_increment`.
    pub division_digits: u32,
    /// `group_concat_max_len`, in bytes.
    pub group_concat_most: usize,
    /// `default_week_format`.
    pub week: u8,
    /// `max_allowed_packet`, which no result of a function exceeds.
    pub most_bytes: usize,
    /// What is to be told of the statement.
    pub warnings: Warnings,
    /// `@a` and all others.
    pub users: UserVariables,
    /// Whether the statement says IGNORE, so that what does not fit is told of whatever the mode.
    pub forgives: AtomicBool,
}

impl Default for Settings {
    fn default() -> Settings {
        let mode = SqlMode::STRICT_TRANS_TABLES
            .with(SqlMode::ERROR_FOR_DIVISION_BY_ZERO)
            .with(SqlMode::NO_AUTO_CREATE_USER)
            .with(SqlMode::NO_ENGINE_SUBSTITUTION);
        Settings {
            version: Version::MariaDb10_11,
            mode,
            zone: Zone::utc(),
            collation: Collation::DEFAULT,
            results: Some(Charset::Utf8mb4),
            division_digits: 4,
            group_concat_most: 1 << 20,
            week: 0,
            most_bytes: 16 << 20,
            warnings: Warnings::default(),
            users: UserVariables::default(),
            forgives: AtomicBool::new(false),
        }
    }
}

static DEFAULTS: LazyLock<Settings> = LazyLock::new(Settings::default);

impl Settings {
    /// Those of an environment; the defaults where it has others.
    pub fn of<'a>(env: &TypeEnv<'a>) -> &'a Settings {
        env.settings.downcast_ref::<Settings>().unwrap_or(&DEFAULTS)
    }

    /// Something is not as it should be, and the statement goes on.
    pub fn warn(&self, number: Number, message: impl Into<String>) {
        self.warnings.push(Severity::Warning, number, message);
    }

    /// A text that is only in part the value it is taken for: 1292. Blanks after a number are but noted.
    pub fn truncated(&self, kind: &str, text: &str) {
        let before = text.trim_end_matches(' ');
        let severity = match before.len() < text.len() && before.parse::<f64>().is_ok() {
            true => Severity::Note,
            false => Severity::Warning,
        };
        let text: String = text.chars().take(128).collect();
        let message = format!("Truncated incorrect {kind} value: '{text}'");
        self.warnings.push(severity, error::TRUNCATED_WRONG_VALUE, message);
    }

    /// Says whether what does not fit is told of whatever the mode.
    pub fn forgive(&self, forgives: bool) {
        self.forgives.store(forgives, Ordering::Relaxed);
    }

    /// Whether what does not fit is an error.
    pub fn is_strict(&self) -> bool {
        self.mode.is_strict() && !self.forgives.load(Ordering::Relaxed)
    }

    /// What a column has no room for: an error where the mode is strict, else a warning.
    pub fn reject(&self, number: Number, message: String) -> Result<()> {
        match self.is_strict() {
            true => Err(error::error(number, message)),
            false => {
                self.warn(number, message);
                Ok(())
            }
        }
    }

    /// Refuses a change of rows in strict mode of whose expressions something was told.
    pub fn heeded(&self) -> Result<()> {
        let heeded = self.warnings.gathered().heeded.take();
        let Some(warning) = heeded.filter(|_| self.is_strict()) else { return Ok(()) };
        self.warnings.clear();
        Err(error::error(warning.number, warning.message))
    }

    /// NULL in place of a quotient, and what is told of that.
    pub fn divided_by_zero(&self) {
        if self.mode.has(SqlMode::ERROR_FOR_DIVISION_BY_ZERO) {
            self.warn(error::DIVISION_BY_ZERO, "Division by 0");
        }
    }

    /// An error as a warning.
    pub fn tell(&self, error: &SqlError) {
        let number = error.more.number.unwrap_or(error::UNKNOWN_ERROR);
        self.warnings.push(Severity::Warning, number, error.message());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_default_collations_of_their_own() {
        let name = |collation: Option<Collation>| collation.map(Collation::name);
        let cases = [
            (
                Version::MariaDb10_11,
                "utf8mb4_general_ci",
                "utf8mb3_general_ci",
                "utf8mb4_general_ci",
            ),
            (
                Version::MariaDb11_8,
                "utf8mb4_uca1400_ai_ci",
                "utf8mb3_uca1400_ai_ci",
                "utf8mb4_uca1400_ai_ci",
            ),
            (Version::MySql9_7, "utf8mb4_0900_ai_ci", "utf8mb3_general_ci", "utf8mb4_general_ci"),
        ];
        for (version, of_utf8mb4, of_utf8, at_login) in cases {
            assert_eq!(name(version.collation_of("UTF8MB4")), Some(of_utf8mb4), "{version:?}");
            assert_eq!(name(version.collation_of("utf8")), Some(of_utf8), "{version:?}");
            assert_eq!(name(version.collation_of("latin1")), Some("latin1_swedish_ci"));
            assert_eq!(version.collation_of("koi8r"), None);
            assert_eq!(name(version.collation_at_login(45)), Some(at_login), "{version:?}");
            assert_eq!(name(version.collation_at_login(224)), Some("utf8mb4_unicode_ci"));
            assert_eq!(name(version.collation_at_login(255)), Some("utf8mb4_0900_ai_ci"));
            assert_eq!(version.collation_at_login(0), None);
            let defaults = Collation::all().filter(|collation| version.is_default(*collation));
            assert_eq!(defaults.count(), 5, "{version:?}");
        }
    }

    #[test]
    fn modes_read_and_print() {
        let words = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";
        assert_eq!(SqlMode::parse(words).map(SqlMode::words), Ok(words.to_owned()));
        assert_eq!(SqlMode::parse("strict_all_tables, x"), Err("x".to_owned()));
        assert!(SqlMode::parse("ANSI").is_ok_and(|mode| mode.has(SqlMode::ANSI_QUOTES)));
        assert!(!SqlMode::NONE.is_strict());
    }
}
