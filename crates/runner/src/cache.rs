//! What a setup left, kept in a file for the next time.
//!
//! The first line says what the data depends on: the setup's command, the version of `hob`, and how stores
//! keep data. Then comes the data, as a log without requests has it. A file that does not fit, or that is
//! damaged, is told of and made again; it is never half there, because it is written beside its place and
//! then moved.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use hobgoblin_core::{Key, Value};
use hobgoblin_front::{Config, Log};
use serde::{Deserialize, Serialize};

use crate::error::RunnerError;
use crate::plan::Plan;

/// What a store begins with.
pub(crate) type Data = Vec<(Key, Value)>;

/// The first line of a file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "hobgoblin-setup")]
    format: u32,
    #[serde(flatten)]
    made: Made,
    /// The digest of the bytes that follow.
    digest: String,
}

/// What the data depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Made {
    /// The command of the setup.
    setup: String,
    /// The version of `hob` that wrote the file.
    version: String,
    /// How stores keep data: the profiles over HTTP and SQL, and the granularity.
    store: String,
}

impl Made {
    fn by(plan: &Plan, setup: &str) -> Made {
        let granularity = plan.granularity.map_or("default", |granularity| granularity.name());
        let (http, sql) = (plan.store.profile, plan.sql_store.profile);
        let store = format!("{http}, {sql} over SQL, granularity {granularity}");
        #[cfg(feature = "mysql")]
        let store = match &plan.mysql {
            Some(mysql) if plan.mysql_first => format!("{store}, tables of {}", mysql.version),
            _ => store,
        };
        Made { setup: setup.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), store }
    }
}

/// The file of a plan's setup.
pub(crate) struct Cache<'a> {
    path: &'a Path,
    made: Made,
}

impl<'a> Cache<'a> {
    pub(crate) fn new(plan: &Plan, setup: &str, path: &'a Path) -> Cache<'a> {
        Cache { path, made: Made::by(plan, setup) }
    }

    /// The data, or why there is none: nothing to say if there is no file.
    pub(crate) fn read(&self) -> Result<Data, Option<String>> {
        let bytes = match fs::read(self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(None),
            Err(error) => return Err(Some(format!("it cannot be read: {error}"))),
        };
        let damaged = || Some("it is damaged".to_owned());
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)?;
        let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|_| damaged())?;
        let (wanted, made) = (&self.made, &header.made);
        let other = |what: &str, old: &str, new: &str| Some(format!("{what} was {old}, not {new}"));
        if made.setup != wanted.setup {
            let [old, new] = [&made.setup, &wanted.setup].map(|setup| format!("`{setup}`"));
            return Err(other("the setup", &old, &new));
        }
        if header.format != FORMAT || made.version != wanted.version {
            return Err(other("the version of hob", &made.version, &wanted.version));
        }
        if made.store != wanted.store {
            return Err(other("the store", &made.store, &wanted.store));
        }
        let rest = &bytes[end + 1..];
        if header.digest != digest(rest) {
            return Err(damaged());
        }
        Ok(Log::read(rest).map_err(|_| damaged())?.log.config.initial)
    }

    /// Takes the file's place, so that what cannot be written is known before the setup is run.
    pub(crate) fn begin(&self) -> Result<Writing<'_>, RunnerError> {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.new", std::process::id()));
        let beside = self.path.with_file_name(name);
        let file = File::create(&beside).map_err(|error| refused(self.path, &error))?;
        Ok(Writing { cache: self, beside, file, moved: false })
    }
}

/// The version of the file's format.
const FORMAT: u32 = 1;

fn refused(path: &Path, error: &dyn std::fmt::Display) -> RunnerError {
    RunnerError::Cache { path: path.to_owned(), message: error.to_string() }
}

/// A file beside the cache, which becomes the cache or goes.
pub(crate) struct Writing<'a> {
    cache: &'a Cache<'a>,
    beside: PathBuf,
    file: File,
    moved: bool,
}

impl Writing<'_> {
    /// Writes the data, and moves the file to its place.
    pub(crate) fn finish(mut self, data: &Data) -> Result<(), RunnerError> {
        let path = self.cache.path;
        let config = Config::default().initial_values(data.clone());
        let mut bytes = Vec::new();
        let log = Log { config, ..Log::default() };
        log.write(&mut bytes).map_err(|error| refused(path, &error))?;
        let made = self.cache.made.clone();
        let header = Header { format: FORMAT, made, digest: digest(&bytes) };
        let header = serde_json::to_string(&header).expect("strings are JSON");
        let write = |file: &mut File| {
            writeln!(file, "{header}")?;
            file.write_all(&bytes)?;
            file.sync_all()
        };
        write(&mut self.file).map_err(|error| refused(path, &error))?;
        fs::rename(&self.beside, path).map_err(|error| refused(path, &error))?;
        self.moved = true;
        Ok(())
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        if !self.moved {
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// FNV-1a, which tells a damaged file from a whole one, and is the same everywhere.
fn digest(bytes: &[u8]) -> String {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use hobgoblin_server::Dialects;

    use super::*;
    use hobgoblin_store::Profile;

    fn scratch(name: &str) -> PathBuf {
        let name = format!("hob-cache-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_file(&path);
        path
    }

    fn data() -> Data {
        let schema = Value::from("CREATE TABLE \"it's\" (a int);\nCREATE TABLE é (b text)");
        let counters = Value::Json("{\"t_id\":7}".into());
        vec![
            ("x".into(), 1.into()),
            (3.into(), Value::Bool(true)),
            ("(schema)".into(), schema),
            ("(counters)".into(), counters),
            ("f".into(), Value::Null),
        ]
    }

    fn write(plan: &Plan, path: &Path) {
        let cache = Cache::new(plan, "./fixtures.sh", path);
        cache.begin().and_then(|writing| writing.finish(&data())).expect("there is room");
    }

    #[test]
    fn data_comes_back() {
        let (plan, path) =
            (Plan::new(Vec::new(), Dialects::new(&hobgoblin_sql::POSTGRES)), scratch("back"));
        assert_eq!(Cache::new(&plan, "./fixtures.sh", &path).read(), Err(None));
        write(&plan, &path);
        assert_eq!(Cache::new(&plan, "./fixtures.sh", &path).read(), Ok(data()));
        fs::remove_file(path).expect("it is there");
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let (plan, path) =
            (Plan::new(Vec::new(), Dialects::new(&hobgoblin_sql::POSTGRES)), scratch("fit"));
        write(&plan, &path);
        let why = |plan: &Plan, setup| Cache::new(plan, setup, &path).read().unwrap_err().unwrap();
        assert_eq!(why(&plan, "true"), "the setup was `./fixtures.sh`, not `true`");
        let mut other = plan.clone();
        other.sql_store.profile = Profile::Mysql;
        assert!(why(&other, "./fixtures.sh").starts_with("the store was spec, postgres over SQL"));
        let text = fs::read_to_string(&path).expect("it is text");
        let version = env!("CARGO_PKG_VERSION");
        fs::write(&path, text.replacen(version, "0.0.0", 1)).expect("there is room");
        let expect = format!("the version of hob was 0.0.0, not {version}");
        assert_eq!(why(&plan, "./fixtures.sh"), expect);
        fs::remove_file(path).expect("it is there");
    }

    /// Cut anywhere, or with any byte changed, it is either known to be wrong or says the same.
    #[test]
    fn damage_is_noticed() {
        let (plan, path) =
            (Plan::new(Vec::new(), Dialects::new(&hobgoblin_sql::POSTGRES)), scratch("damage"));
        write(&plan, &path);
        let whole = fs::read(&path).expect("it is there");
        let cache = Cache::new(&plan, "./fixtures.sh", &path);
        for at in 0..whole.len() {
            fs::write(&path, &whole[..at]).expect("there is room");
            assert!(cache.read().is_err(), "cut at {at}");
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).expect("there is room");
            assert!(cache.read().is_err(), "changed at {at}");
        }
        fs::write(&path, &whole).expect("there is room");
        assert_eq!(cache.read(), Ok(data()));
        fs::remove_file(path).expect("it is there");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_known_before() {
        let plan = Plan::new(Vec::new(), Dialects::new(&hobgoblin_sql::POSTGRES));
        let cache = Cache::new(&plan, "true", Path::new("/no/such/directory/cache"));
        assert!(matches!(cache.begin(), Err(RunnerError::Cache { .. })));
    }
}
