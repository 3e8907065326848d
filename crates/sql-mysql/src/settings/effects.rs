//! What the variables of a session say, read once when they change: sessions ask for much of it with every statement.

use std::time::Duration;

use hobgoblin_sql_mysql_types::temporal::read_zone;
use hobgoblin_sql_mysql_types::{Charset, Collation, Settings, SqlMode, Version};
use hobgoblin_sql_value::datetime::Zone;

use super::define::Table;
use super::value::VariableValue;
use crate::parse::Reading;
use crate::syntax::Isolation;

/// What variables say.
#[derive(Clone, Debug)]
pub struct Effects {
    version: Version,
    /// `sql_mode`.
    pub mode: SqlMode,
    /// `autocommit`.
    pub autocommit: bool,
    /// `transaction_isolation`.
    pub isolation: Isolation,
    /// `transaction_read_only`.
    pub read_only: bool,
    /// `innodb_snapshot_isolation`.
    pub snapshot_isolation: bool,
    /// `time_zone`.
    pub zone: Zone,
    /// `character_set_client`: what statements are sent in.
    pub client: Charset,
    /// `character_set_results`: what texts are sent back in; without it as they are kept.
    pub results: Option<Charset>,
    /// `collation_connection`: that of constants.
    pub connection: Collation,
    /// `collation_server`: that of databases that say nothing else.
    pub server: Collation,
    /// `lock_wait_timeout`: how long a statement waits for a table.
    pub table_wait: Duration,
    /// `innodb_lock_wait_timeout`: how long a statement waits for a row.
    pub row_wait: Duration,
    /// `max_statement_time` of MariaDB, which ends any statement, with 1969.
    pub statement_most: Option<Duration>,
    /// `max_execution_time` of MySQL, which ends a SELECT, with 3024.
    pub select_most: Option<Duration>,
    /// `wait_timeout`: how long a connection may be idle.
    pub idle: Duration,
    /// `foreign_key_checks`.
    pub foreign_keys: bool,
    /// `sql_safe_updates`: an UPDATE and a DELETE need a key or a LIMIT.
    pub safe_updates: bool,
    /// `sql_select_limit`: how many rows a SELECT without a LIMIT gives.
    pub select_limit: Option<u64>,
    /// `group_concat_max_len`.
    pub group_concat_most: usize,
    /// `div_precision_increment`.
    pub division_digits: u32,
    /// `default_week_format`.
    pub week: u8,
    /// `max_allowed_packet`.
    pub most_bytes: usize,
    /// `auto_increment_increment` and `auto_increment_offset`.
    pub auto_increment: (u64, u64),
    /// `sql_notes`: whether notes are told.
    pub notes: bool,
    /// `explicit_defaults_for_timestamp`: whether a TIMESTAMP is a type as any other.
    pub explicit_timestamps: bool,
    /// `max_recursive_iterations` or `cte_max_recursion_depth`.
    pub recursion_most: u64,
    /// `timestamp`: what the time is said to be, in microseconds since 1970.
    pub timestamp: Option<i64>,
    /// `session_track_schema`.
    pub track_schema: bool,
    /// `session_track_state_change`.
    pub track_state: bool,
    /// `session_track_system_variables`, in small letters.
    pub track_variables: Vec<String>,
    /// `hob_reads`: how reads choose among the versions that they may see.
    pub reads: String,
}

impl Effects {
    pub(super) fn of(version: Version, values: &[VariableValue]) -> Effects {
        let table = Table::of(version);
        let value = |name: &str| {
            let id = table.find(name)?;
            Some(&values[table.home(id).place()])
        };
        let shown = |name: &str| {
            let id = table.find(name)?;
            value(name)?.shown(table.get(id))
        };
        let whole = |name: &str| value(name).map_or(0, VariableValue::whole);
        let on = |name: &str| value(name).is_some_and(VariableValue::is_on);
        let large = |name: &str| u64::try_from(whole(name)).unwrap_or(u64::MAX);
        let seconds = |name: &str| Duration::from_secs(large(name));
        let collation = |name: &str| shown(name).and_then(|name| Collation::named(&name));
        let charset = |name: &str| shown(name).and_then(|name| Charset::named(&name));
        // MariaDB 10.11 has but the old names.
        let of_transactions = |new: &'static str, old: &'static str| match table.find(new) {
            Some(_) => new,
            None => old,
        };
        let isolation = match whole(of_transactions("transaction_isolation", "tx_isolation")) {
            0 => Isolation::ReadUncommitted,
            1 => Isolation::ReadCommitted,
            2 => Isolation::RepeatableRead,
            _ => Isolation::Serializable,
        };
        let zone = shown("time_zone").and_then(|name| read_zone(&name));
        let statement = value("max_statement_time").map_or(0.0, VariableValue::real);
        let timestamp = value("timestamp").map_or(0.0, VariableValue::real);
        let tracked = shown("session_track_system_variables").unwrap_or_default();
        let recursion = ["max_recursive_iterations", "cte_max_recursion_depth"];
        Effects {
            version,
            mode: mode(&shown("sql_mode").unwrap_or_default()),
            autocommit: on("autocommit"),
            isolation,
            read_only: on(of_transactions("transaction_read_only", "tx_read_only")),
            snapshot_isolation: on("innodb_snapshot_isolation"),
            zone: zone.unwrap_or_else(Zone::utc),
            client: charset("character_set_client").unwrap_or(Charset::Utf8mb4),
            results: charset("character_set_results"),
            connection: collation("collation_connection").unwrap_or(Collation::DEFAULT),
            server: collation("collation_server").unwrap_or(Collation::DEFAULT),
            table_wait: seconds("lock_wait_timeout"),
            row_wait: seconds("innodb_lock_wait_timeout"),
            statement_most: (statement > 0.0).then(|| Duration::from_secs_f64(statement)),
            select_most: Some(large("max_execution_time"))
                .filter(|most| *most > 0)
                .map(Duration::from_millis),
            idle: seconds("wait_timeout"),
            foreign_keys: on("foreign_key_checks"),
            safe_updates: on("sql_safe_updates"),
            select_limit: Some(large("sql_select_limit")).filter(|most| *most < u64::MAX),
            group_concat_most: usize::try_from(large("group_concat_max_len")).unwrap_or(usize::MAX),
            division_digits: u32::try_from(large("div_precision_increment")).unwrap_or(4),
            week: u8::try_from(large("default_week_format")).unwrap_or(0),
            most_bytes: usize::try_from(large("max_allowed_packet")).unwrap_or(usize::MAX),
            auto_increment: (large("auto_increment_increment"), large("auto_increment_offset")),
            notes: on("sql_notes"),
            explicit_timestamps: on("explicit_defaults_for_timestamp"),
            recursion_most: recursion.iter().map(|name| large(name)).max().unwrap_or(0),
            timestamp: (timestamp > 0.0).then(|| (timestamp * 1e6).round() as i64),
            track_schema: on("session_track_schema"),
            track_state: on("session_track_state_change"),
            track_variables: tracked
                .split(',')
                .map(|name| name.trim().to_ascii_lowercase())
                .filter(|name| !name.is_empty())
                .collect(),
            reads: shown("hob_reads").unwrap_or_default(),
        }
    }

    /// How texts of statements are to be read.
    pub fn reading(&self) -> Reading {
        Reading {
            version: self.version,
            ansi_quotes: self.mode.has(SqlMode::ANSI_QUOTES),
            no_backslash_escapes: self.mode.has(SqlMode::NO_BACKSLASH_ESCAPES),
            pipes_as_concat: self.mode.has(SqlMode::PIPES_AS_CONCAT),
            ignore_space: self.mode.has(SqlMode::IGNORE_SPACE),
            high_not_precedence: self.mode.has(SqlMode::HIGH_NOT_PRECEDENCE),
        }
    }

    /// Writes down what values depend on.
    pub fn write(&self, settings: &mut Settings) {
        settings.version = self.version;
        settings.mode = self.mode;
        settings.zone = self.zone.clone();
        settings.collation = self.connection;
        settings.results = self.results;
        settings.division_digits = self.division_digits;
        settings.group_concat_most = self.group_concat_most;
        settings.week = self.week;
        settings.most_bytes = self.most_bytes;
        settings.warnings.set_notes(self.notes);
    }

    /// The collation that clients are told of texts; nothing where they are told that of their types.
    pub fn told(&self) -> Option<Collation> {
        let results = self.results.filter(|results| *results != Charset::Binary)?;
        match Charset::of(self.connection) == results {
            true => Some(self.connection),
            false => {
                let known = Collation::all().find(|known| Charset::of(*known) == results)?;
                self.version.collation_of(known.charset())
            }
        }
    }

    /// Whether a change of a variable is told to the client.
    pub fn tracks(&self, name: &str) -> bool {
        self.track_variables.iter().any(|tracked| tracked == "*" || tracked == name)
    }
}

/// The words that something here follows; the others are only shown.
fn mode(words: &str) -> SqlMode {
    let known = words.split(',').filter_map(|word| SqlMode::parse(word).ok());
    known.fold(SqlMode::NONE, SqlMode::with)
}
