//! The flags that say which store there is, for the commands that start one.

use std::ops::RangeInclusive;
use std::time::Duration;

use hobgoblin_server::Granularity;
use hobgoblin_store::{Config, Policy, Profile, Schedule};

use crate::diagnostic::{Diagnostic, Failure};
use crate::{mysql, names, units};

/// How a store is set up. What is not given is the default of [`Config`].
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Store")]
pub(crate) struct StoreFlags {
    /// Which truth it tells: all that a level allows (spec), or what postgres or mysql can do. By
    /// default that of the protocol, and spec over HTTP.
    #[arg(long, value_name = "PROFILE", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["spec", "postgres", "mysql"], units::parsed::<Profile>))]
    pub(crate) profile: Option<Profile>,

    /// How reads choose: adverse, uniform, latest, stale, weighted=P or latest-per-session. By default
    /// seeds take turns: adverse, uniform, stale.
    #[arg(long, value_name = "POLICY", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["adverse", "uniform", "latest", "stale", "weighted=", "latest-per-session"], units::parsed::<Policy>))]
    pub(crate) policy: Option<Policy>,

    /// How many of the last commits a transaction may miss, or `unlimited`; 256 by default.
    #[arg(long, value_name = "N", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["unlimited"], window))]
    pub(crate) window: Option<Window>,

    /// How long a commit may be missed, such as 500ms, or `unlimited`, the default; 1s over SQL.
    #[arg(long, value_name = "TIME", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["unlimited"], lag))]
    pub(crate) lag: Option<Lag>,

    /// How long requests may be held so that transactions overlap (postgres, mysql); 10ms by default in
    /// `hob test`, `hob serve --pg` and `--mysql`. 0s holds none.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) hold: Option<Duration>,

    /// Which held request goes next: random, pct, pct:DEPTH or pct:DEPTH:STEPS. `hob test` learns the
    /// number of steps from its first runs.
    #[arg(long, value_name = "SCHEDULE", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["random", "pct", "pct:"], units::parsed::<Schedule>))]
    pub(crate) schedule: Option<Schedule>,

    /// Wait before each transaction, a random time such as 0..4ms.
    #[arg(long, value_name = "RANGE", value_parser = delay)]
    pub(crate) delay: Option<Delay>,

    /// The share of transactions that are aborted for no reason, such as 0.1 or 10%.
    #[arg(long, value_name = "SHARE", value_parser = units::share)]
    pub(crate) abort_rate: Option<f64>,

    /// What SQL reads and writes one by one: every cell (the default of spec), or every row.
    #[arg(long, value_name = "cell|row", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["cell", "row"], granularity))]
    pub(crate) granularity: Option<Granularity>,

    /// A setting of the PostgreSQL server, as in its postgresql.conf, such as
    /// max_prepared_transactions=10 or statement_timeout=30s; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) pg_set: Vec<(String, String)>,

    /// Which server clients of MySQL find: mysql-9.7, mariadb-10.11 (the default) or mariadb-11.8.
    #[arg(long, value_name = "VERSION", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["mysql-9.7", "mariadb-10.11", "mariadb-11.8"], mysql::version))]
    pub(crate) mysql_version: Option<mysql::Version>,

    /// A global variable of that server, such as sql_mode=ANSI or innodb_lock_wait_timeout=5; may be
    /// repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) mysql_set: Vec<(String, String)>,
}

/// How many commits may be missed; `None` for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window(pub(crate) Option<u32>);

/// How long a commit may be missed; `None` for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lag(pub(crate) Option<Duration>);

/// How long a commit may be missed by SQL clients of the spec profile, which do not expect to miss what
/// another connection of their own pool did a while ago.
const SQL_LAG: Duration = Duration::from_secs(1);

/// How long an engine's requests are held unless told otherwise: long enough for another session's
/// request to arrive, too short to notice.
pub(crate) const HOLD: Duration = Duration::from_millis(10);

/// A range of times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delay(pub(crate) RangeInclusive<Duration>);

impl StoreFlags {
    /// The store they describe, at the default level and seed.
    pub(crate) fn config(&self) -> Config {
        let default = Config::default();
        let profile = self.profile.unwrap_or(default.profile);
        let window = self.window.map_or(default.window, |window| window.0);
        let abort_rate = self.abort_rate.unwrap_or(default.abort_rate);
        default
            .profile(profile)
            .patient(profile.is_patient())
            .policy(self.policy)
            .window(window)
            .lag(self.lag.and_then(|lag| lag.0).map(ticks))
            .abort_rate(abort_rate)
    }

    /// The store they describe for clients that speak SQL as PostgreSQL does.
    pub(crate) fn sql_config(&self) -> Config {
        self.config_over(Profile::Postgres)
    }

    /// The store they describe for clients that speak SQL as MySQL does.
    pub(crate) fn mysql_config(&self) -> Config {
        self.config_over(Profile::Mysql)
    }

    /// The store they describe for clients whose server is this profile unless it is said otherwise.
    fn config_over(&self, default: Profile) -> Config {
        let profile = self.profile.unwrap_or(default);
        let lag = match self.lag {
            None if profile.chooses() => Some(ticks(SQL_LAG)),
            lag => lag.and_then(|lag| lag.0).map(ticks),
        };
        self.config().profile(profile).patient(profile.is_patient()).lag(lag)
    }

    /// Whether they fit together for clients that speak SQL.
    pub(crate) fn check_sql(&self) -> Result<(), Failure> {
        let engine = self.profile.unwrap_or(Profile::Postgres).has_locks();
        match self.granularity {
            Some(Granularity::Cell) if engine => Err(Diagnostic::new(
                "an engine's store keeps rows whole, so --granularity cell does not fit",
                "add --profile spec, or leave --granularity out",
            )
            .into()),
            _ => Ok(()),
        }
    }

    /// The time to wait before each transaction.
    pub(crate) fn delays(&self) -> RangeInclusive<Duration> {
        self.delay.as_ref().map_or(Duration::ZERO..=Duration::ZERO, |delay| delay.0.clone())
    }

    /// These, and where they say nothing, others.
    pub(crate) fn or(self, other: StoreFlags) -> StoreFlags {
        StoreFlags {
            profile: self.profile.or(other.profile),
            policy: self.policy.or(other.policy),
            window: self.window.or(other.window),
            lag: self.lag.or(other.lag),
            hold: self.hold.or(other.hold),
            schedule: self.schedule.or(other.schedule),
            delay: self.delay.or(other.delay),
            abort_rate: self.abort_rate.or(other.abort_rate),
            granularity: self.granularity.or(other.granularity),
            // The last one of a name counts.
            pg_set: other.pg_set.into_iter().chain(self.pg_set).collect(),
            mysql_version: self.mysql_version.or(other.mysql_version),
            mysql_set: other.mysql_set.into_iter().chain(self.mysql_set).collect(),
        }
    }
}

/// A tick of the server's clock is a millisecond.
fn ticks(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn lag(text: &str) -> Result<Lag, String> {
    match text {
        "unlimited" => Ok(Lag(None)),
        _ => match units::duration(text) {
            Ok(time) => Ok(Lag(Some(time))),
            Err(_) => Err("expected a time such as 500ms, or unlimited".to_owned()),
        },
    }
}

/// The name and the value of a setting; PostgreSQL lets blanks be around them.
fn setting(text: &str) -> Result<(String, String), String> {
    pair(text).ok_or_else(|| "expected NAME=VALUE, such as max_prepared_transactions=10".to_owned())
}

/// The name and the value of a variable, likewise.
fn variable(text: &str) -> Result<(String, String), String> {
    pair(text).ok_or_else(|| "expected NAME=VALUE, such as innodb_lock_wait_timeout=5".to_owned())
}

fn pair(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    let named = !name.trim().is_empty();
    named.then(|| (name.trim().to_owned(), value.trim().to_owned()))
}

fn granularity(text: &str) -> Result<Granularity, String> {
    Granularity::of(text).ok_or_else(|| "expected cell or row".to_owned())
}

fn window(text: &str) -> Result<Window, String> {
    match text {
        "unlimited" => Ok(Window(None)),
        _ => match units::number32(text) {
            Ok(commits) => Ok(Window(Some(commits))),
            Err(_) => Err("expected a number of commits such as 256, or unlimited".to_owned()),
        },
    }
}

/// `4ms`, `0..4ms` or `1ms..4ms`; a lower end without a unit has that of the upper one.
fn delay(text: &str) -> Result<Delay, String> {
    let expected = || "expected a time such as 4ms, or a range such as 0..4ms".to_owned();
    let (low, high) = match text.split_once("..") {
        None => (units::duration(text), units::duration(text)),
        Some((low, high)) => {
            let high = high.trim_start_matches('=');
            let digits = high.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let bare = low.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            let unit = if bare { &high[digits.len()..] } else { "" };
            (units::duration(&format!("{low}{unit}")), units::duration(high))
        }
    };
    let range = low.and_then(|low| Ok(low..=high?)).map_err(|_| expected())?;
    if range.is_empty() { Err(expected()) } else { Ok(Delay(range)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_times_or_ranges() {
        let ms = |low, high| Delay(Duration::from_millis(low)..=Duration::from_millis(high));
        for (text, range) in [
            ("4ms", ms(4, 4)),
            ("0..4ms", ms(0, 4)),
            ("1ms..1s", ms(1, 1000)),
            ("1..=2ms", ms(1, 2)),
        ] {
            assert_eq!(delay(text), Ok(range), "{text}");
        }
        for text in ["", "4..", "..4ms", "4ms..1ms", "fast"] {
            assert!(delay(text).is_err(), "{text}");
        }
    }

    #[test]
    fn windows_lags_and_granularities() {
        assert_eq!(window("unlimited"), Ok(Window(None)));
        assert_eq!(window("1k"), Ok(Window(Some(1000))));
        assert!(window("-1").is_err() && window("all").is_err());
        assert_eq!(lag("500ms"), Ok(Lag(Some(Duration::from_millis(500)))));
        assert_eq!(lag("unlimited"), Ok(Lag(None)));
        assert!(lag("soon").is_err());
        assert_eq!(granularity("row"), Ok(Granularity::Row));
        assert!(granularity("column").is_err());
        let flags = |profile| StoreFlags {
            profile,
            granularity: Some(Granularity::Cell),
            ..StoreFlags::default()
        };
        assert!(flags(None).check_sql().is_err());
        assert!(flags(Some(Profile::Spec)).check_sql().is_ok());
    }

    #[test]
    fn the_profile_follows_the_protocol() {
        let flags = StoreFlags::default();
        assert_eq!((flags.config().profile, flags.config().lag), (Profile::Spec, None));
        let sql = flags.sql_config();
        assert_eq!((sql.profile, sql.lag), (Profile::Postgres, None));
        let spec = StoreFlags { profile: Some(Profile::Spec), ..StoreFlags::default() };
        assert_eq!(spec.sql_config().lag, Some(1000));
        let never = StoreFlags { lag: Some(Lag(None)), ..spec };
        assert_eq!(never.sql_config().lag, None);
    }
}
