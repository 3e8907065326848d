//! `hob serve`: a store of weak isolation for programs to use.

use std::io::ErrorKind::{AlreadyExists, Interrupted, ResourceBusy, TimedOut, WouldBlock};
use std::io::{Read, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hobgoblin_core::json::JsonError;
use hobgoblin_core::{Key, Level, Value};
use hobgoblin_server::{
    Dialects, Finished, PgConfig, Server, ServerConfig, ServerError, TlsFiles, initial_values,
};
use hobgoblin_store::{Log, LogFile};
use serde_json::json;
use signal_hook::low_level::pipe;

use crate::diagnostic::{Diagnostic, EXISTS, Failure, reason};
use crate::exit::Exit;
use crate::harmless::tell;
use crate::store_flags::{HOLD, StoreFlags};
use crate::{mysql, names, signals, units};

/// Serve a store of weak isolation, over HTTP or as a server of PostgreSQL, MySQL or MariaDB.
///
/// One line tells the address, level and seed when it is ready. Ctrl-C ends it, and then the
/// history file has every transaction. See docs/http.md, docs/postgres.md and docs/mysql.md for what
/// to send.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("sql").multiple(true))]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The address for HTTP, or a port of this machine; port 0 takes a free one. 127.0.0.1:7437 by
    /// default, unless there is --pg or --mysql.
    #[arg(long, value_name = "ADDR", value_parser = address)]
    http: Option<SocketAddr>,

    /// The address for PostgreSQL clients, or a port of this machine, such as 5433.
    #[arg(long, value_name = "ADDR", value_parser = address, group = "sql")]
    pg: Option<SocketAddr>,

    /// The address for clients of MySQL and MariaDB, or a port of this machine; 127.0.0.1:3306 if none
    /// is named.
    #[arg(long, value_name = "ADDR", value_parser = address, group = "sql")]
    #[arg(num_args = 0..=1, default_missing_value = "3306")]
    mysql: Option<SocketAddr>,

    /// The level of transactions that ask for none: RC by default, and in the mysql profile REPEATABLE READ.
    #[arg(short, long, value_parser = names::level())]
    #[arg(hide_possible_values = true)]
    level: Option<Level>,

    /// The seed of every choice; one at random by default.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,

    /// What the keys hold first: a file with a JSON object, or with a list of pairs.
    #[arg(long, value_name = "FILE")]
    initial: Option<PathBuf>,

    /// Write transactions to FILE as they end; `hob check` reads it.
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,

    /// Write requests and choices to FILE, for --replay.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// How much of the history and the log to keep in memory, such as 1GB, or `unlimited`; 64MiB by
    /// default. What goes to the files of --history and --log is whole, and none of it is kept.
    #[arg(long, value_name = "SIZE", hide_possible_values = true)]
    #[arg(value_parser = names::words(&["unlimited"], keep))]
    keep: Option<Keep>,

    /// Replace the files of --history and --log if they exist.
    #[arg(long)]
    force: bool,

    /// Repeat the choices and the order of a log; its store is set up as then.
    #[arg(long, value_name = "LOG")]
    #[arg(conflicts_with_all = ["level", "seed", "initial", "profile", "policy", "window", "lag", "abort_rate"])]
    replay: Option<PathBuf>,

    /// What requests must carry as `Authorization: Bearer`; needed to listen beyond this machine.
    /// Without it, HOB_TOKEN if set.
    #[arg(long)]
    token: Option<String>,

    /// What PostgreSQL clients need as password (SCRAM-SHA-256); needed to listen beyond this machine.
    /// Without it, HOB_PG_PASSWORD if set.
    #[arg(long, value_name = "PASSWORD", requires = "pg")]
    pg_password: Option<String>,

    /// A file whose first line is that password.
    #[arg(long, value_name = "FILE", requires = "pg", conflicts_with = "pg_password")]
    pg_password_file: Option<PathBuf>,

    /// A directory for a Unix socket as well, which psql takes as host.
    #[arg(long, value_name = "DIR", requires = "pg")]
    pg_socket: Option<PathBuf>,

    /// What clients of MySQL need as password, whoever they are; needed to listen beyond this machine.
    /// Without it, HOB_MYSQL_PASSWORD if set; without both, any user and password will do.
    #[arg(long, value_name = "PASSWORD", requires = "mysql")]
    mysql_password: Option<String>,

    /// A file whose first line is that password.
    #[arg(long, value_name = "FILE", requires = "mysql", conflicts_with = "mysql_password")]
    mysql_password_file: Option<PathBuf>,

    /// The path of a Unix socket as well, which the clients of MySQL take as socket.
    #[arg(long, value_name = "PATH", requires = "mysql")]
    mysql_socket: Option<PathBuf>,

    /// The certificate (PEM) for clients of SQL that want TLS; without it there is none.
    #[arg(long, value_name = "FILE", requires_all = ["sql", "tls_key"])]
    tls_cert: Option<PathBuf>,

    /// The private key of --tls-cert.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// Close HTTP sessions that ask nothing for this time; never by default.
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    idle_timeout: Option<Duration>,

    /// Print JSON: one line when ready, one at the end.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the line that it is ready, and nothing at the end.
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    store: StoreFlags,
}

const EXAMPLES: &str = "\
Examples:
  hob serve                                              read committed, on 127.0.0.1:7437
  hob serve --level causal --seed 7 --history out.jsonl
  hob serve --profile postgres --hold 20ms --schedule pct:3
  hob serve --http 0.0.0.0:7437 --token secret           for other machines
  hob serve --pg 5433                                    psql -h 127.0.0.1 -p 5433 -U hob hob
  hob serve --mysql 3307                                 mariadb -h 127.0.0.1 -P 3307 -u hob hob";

/// Where HTTP is served if nothing else is said.
const HTTP: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7437);

/// How many bytes of the history and the log are kept in memory; `None` for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Keep(Option<usize>);

/// What is kept if nothing else is said: some ten thousand transactions.
const KEEP: Keep = Keep(Some(64 << 20));

fn keep(text: &str) -> Result<Keep, String> {
    match text {
        "unlimited" => Ok(Keep(None)),
        _ => Ok(Keep(Some(usize::try_from(units::size(text)?).unwrap_or(usize::MAX)))),
    }
}

/// An address, or a port of this machine.
fn address(text: &str) -> Result<SocketAddr, String> {
    let expected =
        || "expected an address such as 127.0.0.1:7437, or a port such as 7437".to_owned();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        let port: u16 = text.parse().map_err(|_| "a port is a number up to 65535".to_owned())?;
        return Ok(SocketAddr::new(HTTP.ip(), port));
    }
    text.to_socket_addrs().ok().and_then(|mut all| all.next()).ok_or_else(expected)
}

pub(crate) fn run(args: &Args, dialects: Dialects, out: &mut dyn Write) -> Result<Exit, Failure> {
    let config = args.config(dialects)?;
    names::note_repeatable_read_of(args.quiet, &config.store);
    let (level, seed, profile) = (config.store.level, config.store.seed, config.store.profile);
    let checked = config.store.checked_as();
    // Reads of an engine have no choice.
    let policy = profile.chooses().then(|| config.store.reading_policy().to_string());
    let signals = signals().map_err(|error| {
        let message = format!("cannot listen to signals: {}", reason(&error));
        Diagnostic::new(message, "raise the limit of open files with `ulimit -n`")
    })?;
    let server = Server::start(config).map_err(explain)?;
    let url = args.http().map(|_| server.url());
    let page = server.page_url();
    if args.json {
        let (level, profile) = (level.name(), profile.name());
        let pid = std::process::id();
        let mut line = json!({"level": level, "profile": profile, "seed": seed, "pid": pid});
        let all = [
            ("checked_as", checked.map(|checked| checked.name().to_owned())),
            ("policy", policy),
            ("url", url),
            ("pg_url", server.pg_url()),
            ("mysql_url", mysql::url(&server)),
            ("page_url", page),
        ];
        for (name, text) in all {
            if let Some(text) = text {
                line[name] = text.into();
            }
        }
        writeln!(out, "{line}")?;
    } else {
        let sql = server.pg_url().into_iter().chain(mysql::url(&server));
        let all: Vec<String> = url.into_iter().chain(sql).collect();
        let serve = if all.len() > 1 { "serve" } else { "serves" };
        let title = match checked {
            None => format!("{} ({level})", level.info().title),
            Some(checked) => format!("InnoDB's repeatable read ({level}, checked as {checked})"),
        };
        let policy = policy.map_or(String::new(), |policy| format!(", policy {policy}"));
        writeln!(out, "{} {serve} {title}, seed {seed}{policy}", all.join(" and "))?;
        if let (None, Some(page)) = (args.http(), page) {
            writeln!(out, "what happens there: {page}")?;
        }
    }
    out.flush()?;
    wait(signals, || server.incomplete())?;
    let finished = server.stop().map_err(explain)?;
    match (args.quiet, args.json) {
        (true, _) => {}
        (false, true) => writeln!(out, "{}", summary_json(&finished))?,
        (false, false) => writeln!(out, "{}", summary(&finished))?,
    }
    Ok(Exit::Holds)
}

impl Args {
    /// Where HTTP is served, if it is.
    fn http(&self) -> Option<SocketAddr> {
        let sql = self.pg.or(self.mysql);
        self.http.or(sql.is_none().then_some(HTTP))
    }

    /// The certificate for clients of SQL.
    fn tls(&self) -> Option<TlsFiles> {
        let (cert, key) = self.tls_cert.clone().zip(self.tls_key.clone())?;
        Some(TlsFiles { cert, key })
    }

    /// How PostgreSQL clients are served.
    fn listener(&self, addr: SocketAddr, dialects: Dialects) -> Result<PgConfig, Failure> {
        let password =
            password(&self.pg_password, self.pg_password_file.as_deref(), "HOB_PG_PASSWORD")?;
        let (tls, socket_dir) = (self.tls(), self.pg_socket.clone());
        Ok(PgConfig { addr, password, tls, socket_dir, ..PgConfig::new(dialects.postgres) })
    }

    /// How clients of MySQL are served.
    fn mysql_listener(&self, addr: SocketAddr) -> Result<mysql::Listening, Failure> {
        let file = self.mysql_password_file.as_deref();
        Ok(mysql::Listening {
            addr,
            password: password(&self.mysql_password, file, "HOB_MYSQL_PASSWORD")?,
            socket: self.mysql_socket.clone(),
            tls: self.tls(),
            version: self.store.mysql_version,
            settings: self.store.mysql_set.clone(),
        })
    }

    /// The store, as the clients that are served have it by default.
    fn store(&self) -> Result<hobgoblin_store::Config, Failure> {
        let refused = |message: &str, help: &str| Err(Diagnostic::new(message, help).into());
        let (pg, mysql) = (self.pg.is_some(), self.mysql.is_some());
        if pg && mysql {
            return refused(
                "--pg and --mysql do not go together: a store has tables of one dialect",
                "start a `hob serve` for each",
            );
        }
        if !pg && !self.store.pg_set.is_empty() {
            return refused(
                "--pg-set is for SQL, which is not served",
                "add --pg ADDR, such as --pg 5433, or leave --pg-set out",
            );
        }
        if !mysql && (!self.store.mysql_set.is_empty() || self.store.mysql_version.is_some()) {
            return refused(
                "--mysql-set and --mysql-version are for clients of MySQL, which are not served",
                "add --mysql ADDR, such as --mysql 3307, or leave them out",
            );
        }
        if pg || mysql {
            self.store.check_sql()?;
        }
        Ok(match (pg, mysql) {
            (true, _) => self.store.sql_config(),
            (_, true) => self.store.mysql_config(),
            (false, false) => self.store.config(),
        })
    }

    fn config(&self, dialects: Dialects) -> Result<ServerConfig, Failure> {
        let store = self.store()?;
        let level = self.level.unwrap_or(store.profile.default_level());
        let mut config = ServerConfig {
            addr: self.http().unwrap_or(HTTP),
            http: self.http().is_some(),
            page: true,
            pg: self.pg.map(|addr| self.listener(addr, dialects)).transpose()?,
            granularity: self.store.granularity,
            settings: self.store.pg_set.clone(),
            token: self.token.clone().or_else(|| std::env::var("HOB_TOKEN").ok()),
            store: store.level(level).keep(self.keep.unwrap_or(KEEP).0),
            hold: self.store.hold.or(self.pg.or(self.mysql).map(|_| HOLD)),
            schedule: self.store.schedule.unwrap_or_default(),
            delay: self.store.delays(),
            idle_timeout: self.idle_timeout,
            history: self.history.clone(),
            log: self.log.clone(),
            overwrite: self.force,
            ..ServerConfig::default()
        };
        config.store.seed = self.seed.unwrap_or_else(random_seed);
        if let Some(addr) = self.mysql {
            mysql::serve(&mut config, self.mysql_listener(addr)?, dialects)?;
        }
        if let Some(path) = &self.initial {
            config.store.initial = read_initial(path)?;
        }
        if let Some(path) = &self.replay {
            let log = read_log(path)?;
            config.store = log.config.clone().keep(config.store.keep);
            config.replay = Some(log.into());
        }
        Ok(config)
    }
}

/// A seed that is short enough to be copied by hand.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) >> 32
}

/// A password: that of a file, or of a flag, or of the environment.
fn password(
    given: &Option<String>,
    file: Option<&Path>,
    variable: &str,
) -> Result<Option<String>, Failure> {
    match file {
        Some(path) => Ok(Some(read_password(path)?)),
        None => Ok(given.clone().or_else(|| std::env::var(variable).ok())),
    }
}

fn read_password(path: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let message = format!("cannot read this: {}", reason(&error));
        let help = "name a text file whose first line is the password";
        Diagnostic::new(message, help).in_path(path)
    })?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

fn read_initial(path: &Path) -> Result<Vec<(Key, Value)>, Failure> {
    let file = path.display().to_string();
    let told = |message, help| Failure::from(Diagnostic::new(message, help).in_file(&*file));
    let text = std::fs::read(path)
        .map_err(|error| told(format!("cannot read this: {}", reason(&error)), "name a file"))?;
    let text = String::from_utf8(text)
        .map_err(|_| told("this is not UTF-8".to_owned(), "save it as UTF-8"))?;
    let json = text.parse().map_err(|JsonError { at, message }| {
        let before = &text.as_bytes()[..at];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        Failure::from(Diagnostic {
            message: format!("this is no JSON: {message}"),
            file: Some(file.clone()),
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64,
            column: (at - line_start + 1) as u64,
            help: Some("write an object such as {\"x\": 0}".to_owned()),
            ..Diagnostic::default()
        })
    })?;
    initial_values(json).map_err(|message| told(message, "write an object such as {\"x\": 0}"))
}

fn read_log(path: &Path) -> Result<Log, Failure> {
    let file = path.display().to_string();
    let opened = std::fs::File::open(path).map_err(|error| {
        let message = format!("cannot read this: {}", reason(&error));
        Diagnostic::new(message, "name a log that `--log` or `hob test` wrote").in_file(&*file)
    })?;
    let LogFile { log, .. } = Log::read(std::io::BufReader::new(opened)).map_err(|error| {
        let help = "name a log that `--log` or `hob test` wrote";
        Diagnostic::new(error.to_string(), help).in_file(&*file)
    })?;
    Ok(log)
}

/// Both ends of a pipe into which signals write.
fn signals() -> std::io::Result<UnixStream> {
    let (read, write) = UnixStream::pair()?;
    for signal in signals::that_end() {
        pipe::register(signal, write.try_clone()?)?;
    }
    Ok(read)
}

/// How often to look whether the files can still be written.
const LOOK: Duration = Duration::from_millis(100);

/// Waits for the first signal; the second ends the process at once. Says at once what keeps the files from
/// being written.
fn wait(mut signals: UnixStream, incomplete: impl Fn() -> Option<String>) -> Result<(), Failure> {
    let mut told = false;
    signals.set_read_timeout(Some(LOOK))?;
    loop {
        match signals.read(&mut [0]) {
            Err(error) if matches!(error.kind(), WouldBlock | TimedOut | Interrupted) => {}
            // An error would be the end of the pipe, which has as long a life as the process.
            _ => break,
        }
        if let Some(why) = incomplete().filter(|_| !told) {
            told = true;
            tell(&format!("error: {why}; nothing more is acknowledged\n"));
        }
    }
    signals.set_read_timeout(None)?;
    std::thread::spawn(move || {
        if signals.read(&mut [0]).is_ok_and(|count| count > 0) {
            std::process::exit(crate::exit::INTERRUPTED);
        }
    });
    Ok(())
}

fn summary(finished: &Finished) -> String {
    let stats = finished.stats;
    let mut text = format!(
        "{} committed, {} aborted, {} refused; {} of {} external reads were not of the newest version",
        stats.committed, stats.aborted, stats.refused, stats.stale_reads, stats.reads
    );
    if finished.resets > 0 {
        text.push_str(&format!(" (since the last of {} resets)", finished.resets));
    }
    if let Some(divergence) = &finished.divergence {
        text.push_str(&format!("\n{divergence}"));
    }
    text
}

fn summary_json(finished: &Finished) -> serde_json::Value {
    let stats = finished.stats;
    json!({
        "committed": stats.committed,
        "aborted": stats.aborted,
        "refused": stats.refused,
        "reads": stats.reads,
        "stale_reads": stats.stale_reads,
        "resets": finished.resets,
        "divergence": finished.divergence.as_ref().map(|divergence| divergence.to_string()),
    })
}

fn explain(error: ServerError) -> Failure {
    let diagnostic = match &error {
        ServerError::Listen { addr, source } => {
            let help = match source.kind() {
                std::io::ErrorKind::AddrInUse => {
                    "another program listens there; end it, or choose a port with `--http`, \
                     `--pg` or `--mysql`, 0 for a free one"
                }
                std::io::ErrorKind::PermissionDenied => {
                    "choose a port above 1023 with `--http`, `--pg` or `--mysql`"
                }
                _ => "choose an address of this machine with `--http`, `--pg` or `--mysql`",
            };
            Diagnostic::new(format!("cannot listen on {addr}: {}", reason(source)), help)
        }
        ServerError::TokenNeeded { .. } => Diagnostic::new(
            error.to_string(),
            "give one with `--token` or HOB_TOKEN, or listen on 127.0.0.1",
        ),
        ServerError::BadToken => {
            Diagnostic::new(error.to_string(), "choose one without blanks, such as a long number")
        }
        ServerError::PasswordNeeded { .. } => Diagnostic::new(
            error.to_string(),
            "give one with `--pg-password` or HOB_PG_PASSWORD, `--mysql-password` or HOB_MYSQL_PASSWORD, or listen on \
             127.0.0.1",
        ),
        ServerError::EmptyPassword => {
            Diagnostic::new(error.to_string(), "choose one of at least one character")
        }
        ServerError::Setting(_) => Diagnostic::new(
            error.to_string(),
            "give `--pg-set` a setting that sessions of PostgreSQL 15 can change, or max_prepared_transactions, and a value that it takes",
        ),
        ServerError::Variable(_) => Diagnostic::new(
            error.to_string(),
            "give `--mysql-set` a global variable of the server that `--mysql-version` names, and a value that it takes",
        ),
        ServerError::Tls { path, why } => {
            let help = "name a PEM file; openssl req -x509 -nodes -newkey rsa:2048 makes both";
            Diagnostic::new(why.clone(), help).in_path(path)
        }
        ServerError::File { path, source } if source.kind() == AlreadyExists => {
            Diagnostic::new("this exists already", EXISTS).in_path(path)
        }
        ServerError::File { path, source } if source.kind() == ResourceBusy => {
            let help = "another server writes to it; choose another name, or end that one";
            Diagnostic::new("this is being written", help).in_path(path)
        }
        ServerError::SameFile { path } => {
            let help = "give `--history` and `--log` a file each";
            Diagnostic::new("the history and the log cannot be one file", help).in_path(path)
        }
        ServerError::File { path, source } => {
            let help = "name a file in a directory where you may write";
            let message = format!("cannot write this: {}", reason(source));
            Diagnostic::new(message, help).in_path(path)
        }
        ServerError::Incomplete { .. } => Diagnostic::new(
            error.to_string(),
            "make room, and run it again with another file; what was written is whole lines",
        ),
        ServerError::Store(_) => Diagnostic::new(error.to_string(), "see `hob serve --help`"),
        _ => Diagnostic::new(error.to_string(), ""),
    };
    diagnostic.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// The flags alone, as a command line of their own.
    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn sql_is_held_unless_told_otherwise() {
        let pg = ["--pg", "127.0.0.1:0"];
        for (flags, hold) in [
            (&pg[..], Some(HOLD)),
            (&["--pg", "127.0.0.1:0", "--profile", "spec"], Some(HOLD)),
            (&["--pg", "127.0.0.1:0", "--hold", "3ms"], Some(Duration::from_millis(3))),
            (&["--pg", "127.0.0.1:0", "--hold", "0s"], Some(Duration::ZERO)),
            (&["--http", "127.0.0.1:0"], None),
        ] {
            let parsed = Flags::try_parse_from([&["serve"], flags].concat()).expect("good flags");
            let config = parsed
                .args
                .config(Dialects::new(&hobgoblin_sql::POSTGRES))
                .unwrap_or_else(|_| panic!("{flags:?} is good"));
            assert_eq!(config.hold, hold, "{flags:?}");
        }
    }
}
