//! Bounded transactional programs: sessions of transactions whose bodies are plain code.
//!
//! A body is run again and again from its beginning. Reads that were answered before get the same answer;
//! the first one that was not stops the run, and the explorer decides what it returns. So bodies must be
//! deterministic: what they do may depend on what they read and on their session's locals, on nothing else.

use std::sync::Arc;

use hobgoblin_core::{Key, Level, Text, Value};

use crate::end::End;
use crate::transaction::{Stop, Transaction};

/// The most transactions a program may have.
pub const MAX_TXNS: usize = 63;

/// The code of a transaction.
///
/// Closures are bodies: `|t| { let n: i64 = t.read("x")?; t.write("x", n + 1)?; Ok(n) }`. What a closure
/// returns is what the transaction returned, as JSON.
pub trait Body: Send + Sync {
    /// Runs it from the beginning. An error of the transaction must be passed on as it is.
    fn run(&self, transaction: &mut Transaction<'_>) -> Result<Value, Stop>;
}

impl<R, F> Body for F
where
    R: serde::Serialize,
    F: Fn(&mut Transaction<'_>) -> Result<R, Stop> + Send + Sync,
{
    fn run(&self, transaction: &mut Transaction<'_>) -> Result<Value, Stop> {
        let returned = self(transaction)?;
        transaction.value_of(&returned)
    }
}

/// One transaction of a program.
#[derive(Clone)]
pub struct Txn {
    /// Its name, for reports.
    pub name: String,
    /// Its level, if it has its own.
    pub level: Option<Level>,
    /// Its code.
    pub body: Arc<dyn Body>,
}

/// One session of a program.
#[derive(Clone, Default)]
pub struct Session {
    /// Its name, for reports.
    pub name: String,
    /// Its transactions, in order.
    pub txns: Vec<Txn>,
    /// What its locals hold first.
    pub locals: Vec<(Text, Value)>,
}

/// When an assertion is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// By an end where it does not hold.
    Always,
    /// By an end where it holds.
    Never,
    /// When it holds in no end.
    Exists,
}

/// Whether something holds in an end; an error says what is wrong with the question.
pub type Claim = dyn Fn(&End<'_>) -> Result<bool, String> + Send + Sync;

/// A claim about the ends of a program.
#[derive(Clone)]
pub struct Assertion {
    /// Its name, for reports.
    pub name: String,
    /// When it is broken.
    pub quantifier: Quantifier,
    /// Whether it holds in an end; an error is the program's fault.
    pub holds: Arc<Claim>,
}

/// Which keys a program may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    pub(crate) keys: hashbrown::HashSet<Key>,
    pub(crate) prefixes: Vec<String>,
}

/// A bounded transactional program.
///
/// ```
/// use hobgoblin_core::Level;
/// use hobgoblin_explore::{End, Options, Program, explore};
///
/// let increment = |t: &mut hobgoblin_explore::Transaction<'_>| {
///     let n: i64 = t.read("x")?;
///     t.write("x", n + 1)
/// };
/// let program = Program::new()
///     .init("x", 0)
///     .session("one", |s| s.txn("add", increment))
///     .session("two", |s| s.txn("add", increment));
/// let found = explore(&program, &Options::new(Level::CC), &|_: &End<'_>| {})?;
/// assert_eq!(found.histories, 3);
/// # Ok::<(), hobgoblin_explore::ExploreError>(())
/// ```
#[derive(Clone, Default)]
pub struct Program {
    pub(crate) sessions: Vec<Session>,
    pub(crate) initial: Vec<(Key, Value)>,
    pub(crate) declared: Declared,
    pub(crate) assertions: Vec<Assertion>,
    /// The keys whose final values assertions look at; see [`Program::observe`].
    pub(crate) observed: Vec<Key>,
    /// The set variables of its tables: each holds the primary keys of the rows that are there.
    pub(crate) tables: Vec<Key>,
}

impl Program {
    /// An empty program.
    pub fn new() -> Program {
        Program::default()
    }

    /// Declares a key and what it holds first.
    pub fn init(mut self, key: impl Into<Key>, value: impl Into<Value>) -> Program {
        let key = key.into();
        self.declared.keys.insert(key.clone());
        self.initial.push((key, value.into()));
        self
    }

    /// Declares a key that is absent at first.
    pub fn declare(mut self, key: impl Into<Key>) -> Program {
        self.declared.keys.insert(key.into());
        self
    }

    /// Declares every string key with a prefix; what is not initialised is absent at first.
    pub fn declare_prefix(mut self, prefix: &str) -> Program {
        self.declared.prefixes.push(prefix.to_owned());
        self
    }

    /// Declares a table: its set variable with the primary keys it holds first, and its rows.
    pub(crate) fn table(mut self, name: &str, ids: Value) -> Program {
        let set = Key::from(name);
        self.tables.push(set.clone());
        self.init(set, ids).declare_prefix(&format!("{name}:"))
    }

    /// Adds a session.
    pub fn session(mut self, name: &str, fill: impl FnOnce(Session) -> Session) -> Program {
        let session = Session { name: name.to_owned(), ..Session::default() };
        self.sessions.push(fill(session));
        self
    }

    /// Claims something of every end.
    pub fn assert_always(
        self,
        name: &str,
        holds: impl Fn(&End<'_>) -> bool + Send + Sync + 'static,
    ) -> Program {
        self.assertion(name, Quantifier::Always, holds)
    }

    /// Claims that no end is like this.
    pub fn assert_never(
        self,
        name: &str,
        holds: impl Fn(&End<'_>) -> bool + Send + Sync + 'static,
    ) -> Program {
        self.assertion(name, Quantifier::Never, holds)
    }

    /// Claims that some end is like this.
    pub fn assert_exists(
        self,
        name: &str,
        holds: impl Fn(&End<'_>) -> bool + Send + Sync + 'static,
    ) -> Program {
        self.assertion(name, Quantifier::Exists, holds)
    }

    fn assertion(
        self,
        name: &str,
        quantifier: Quantifier,
        holds: impl Fn(&End<'_>) -> bool + Send + Sync + 'static,
    ) -> Program {
        let holds = Arc::new(move |end: &End<'_>| Ok(holds(end)));
        self.assert(Assertion { name: name.to_owned(), quantifier, holds })
    }

    /// Adds an assertion.
    pub fn assert(mut self, assertion: Assertion) -> Program {
        self.assertions.push(assertion);
        self
    }

    /// Lets assertions see the final value of a key ([`End::last`]).
    ///
    /// Under weak isolation what a key holds in the end is not one value but what somebody who comes
    /// after everybody may read. So a program that observes keys has one more transaction, which comes
    /// after all others in session order and reads them, at the program's level or at CC if that is
    /// weaker; where it has a choice there are more ends.
    pub fn observe(mut self, key: impl Into<Key>) -> Program {
        self.observed.push(key.into());
        self
    }

    /// Its sessions.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// Its assertions.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// What its keys hold first.
    pub fn initial(&self) -> &[(Key, Value)] {
        &self.initial
    }
}

impl Session {
    /// Adds a transaction.
    pub fn txn(self, name: &str, body: impl Body + 'static) -> Session {
        self.push(Txn { name: name.to_owned(), level: None, body: Arc::new(body) })
    }

    /// Adds a transaction with a level of its own.
    pub fn txn_at(self, name: &str, level: Level, body: impl Body + 'static) -> Session {
        self.push(Txn { name: name.to_owned(), level: Some(level), body: Arc::new(body) })
    }

    /// Adds a transaction.
    pub fn push(mut self, txn: Txn) -> Session {
        self.txns.push(txn);
        self
    }

    /// Sets what a local of the session holds first.
    pub fn local(mut self, name: &str, value: impl Into<Value>) -> Session {
        self.locals.push((name.into(), value.into()));
        self
    }
}

impl Declared {
    pub(crate) fn contains(&self, key: &Key) -> bool {
        self.keys.contains(key) || self.contains_prefix(key)
    }

    /// Whether a key is declared by a prefix.
    pub(crate) fn contains_prefix(&self, key: &Key) -> bool {
        match key {
            Key::Text(text) => self.prefixes.iter().any(|prefix| text.starts_with(prefix)),
            Key::Int(_) => false,
        }
    }

    /// What is wrong with the use of a key that is not declared.
    pub(crate) fn missing(does: &str, key: &Key) -> Stop {
        Stop::Fault(format!(
            "{does} {key}, which the program never declares; give it an initial value"
        ))
    }
}
