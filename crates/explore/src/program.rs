//! Bounded transactional programs: sessions of transactions whose bodies are plain code.
//!
//! A body is run again and again from its beginning. Reads that were answered before get the same answer;
//! the first one that was not stops the run, and the explorer decides what it returns. So bodies must be
//! deterministic: what they do may depend on what they read and on their session's locals, on nothing else.

use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

use hobgoblin_core::{Key, Value};

use crate::assertion::{Assertion, Quantifier};
use crate::end::End;
use crate::script::{Script, Session};

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
    pub(crate) script: Script,
    assertions: Vec<Assertion>,
}

/// Exploring leaves nothing behind in a program, also when a body panics.
impl RefUnwindSafe for Program {}

impl UnwindSafe for Program {}

impl Program {
    /// An empty program.
    pub fn new() -> Program {
        Program::default()
    }

    /// Declares a key and what it holds first.
    pub fn init(mut self, key: impl Into<Key>, value: impl Into<Value>) -> Program {
        let key = key.into();
        self.script.declared.keys.insert(key.clone());
        self.script.initial.push((key, value.into()));
        self
    }

    /// Declares a key that is absent at first.
    pub fn declare(mut self, key: impl Into<Key>) -> Program {
        self.script.declared.keys.insert(key.into());
        self
    }

    /// Declares every string key with a prefix; what is not initialised is absent at first.
    pub fn declare_prefix(mut self, prefix: &str) -> Program {
        self.script.declared.prefixes.push(prefix.to_owned());
        self
    }

    /// Declares a table: its set variable with the primary keys it holds first, and its rows.
    pub(crate) fn table(mut self, name: &str, ids: Value) -> Program {
        let set = Key::from(name);
        self.script.tables.push(set.clone());
        self.init(set, ids).declare_prefix(&format!("{name}:"))
    }

    /// Adds a session.
    pub fn session(mut self, name: &str, fill: impl FnOnce(Session) -> Session) -> Program {
        let session = Session { name: name.to_owned(), ..Session::default() };
        self.script.sessions.push(fill(session));
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
        self.script.observed.push(key.into());
        self
    }

    /// The sessions, in the order they were added.
    pub fn sessions(&self) -> &[Session] {
        &self.script.sessions
    }

    /// The assertions, in the order they were added.
    pub fn assertions(&self) -> &[Assertion] {
        &self.assertions
    }

    /// What its keys hold first.
    pub fn initial(&self) -> &[(Key, Value)] {
        &self.script.initial
    }

    /// The first sessions and the first transactions of each, for experiments with growing programs. Assertions
    /// and observed keys are left out: they may be about transactions that are gone.
    pub fn truncated(&self, sessions: usize, txns_per_session: usize) -> Program {
        let mut script = self.script.clone();
        script.sessions.truncate(sessions);
        for session in &mut script.sessions {
            session.txns.truncate(txns_per_session);
        }
        script.observed.clear();
        Program { script, assertions: Vec::new() }
    }
}
