//! A program made ready: transactions by number, levels, session order, keys by number.
//!
//! Transaction 0 is init. The others are numbered session by session; this is also the oracle order in
//! which they are started. The one that looks at the observed keys, if there is one, is the last.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::HashMap;
use hobgoblin_core::{Key, Level, Value};

use crate::error::ExploreError;
use crate::found::{Found, Meeting};
use crate::meetings::Touched;
use crate::options::Options;
use crate::script::{Body, MAX_TXNS, Script};
use crate::transaction::{Stop, Transaction};

/// A set of transactions, one bit each.
pub(crate) type Set = u64;

/// The set of one transaction.
#[inline]
pub(crate) fn one(txn: u8) -> Set {
    1 << txn
}

/// The members of a set, in order.
pub(crate) fn members(set: Set) -> impl Iterator<Item = u8> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let txn = (rest != 0).then(|| rest.trailing_zeros() as u8)?;
        rest &= rest - 1;
        Some(txn)
    })
}

/// One transaction of the program.
pub(crate) struct Info {
    pub(crate) session: usize,
    pub(crate) index: usize,
    /// Whether it is the one that looks at the observed keys.
    pub(crate) observes: bool,
    /// Its predecessors in session order, init among them.
    pub(crate) so: Set,
    /// The one just before it in its session; 0 for none.
    pub(crate) previous: u8,
    pub(crate) level: Level,
    /// The level it is extended at.
    pub(crate) base: Level,
    pub(crate) body: Arc<dyn Body>,
    pub(crate) session_name: String,
    pub(crate) name: String,
    /// How often it was run again after its end, to see whether it is deterministic.
    pub(crate) repeated: AtomicU32,
}

impl Info {
    /// Its session and level, if it is one of a session: init is not, and neither is the one that looks at the
    /// observed keys.
    fn of_session(&self) -> Option<(usize, Level)> {
        (self.session != usize::MAX && !self.observes).then_some((self.session, self.level))
    }
}

/// A program made ready; see the module.
pub(crate) struct Compiled<'p> {
    pub(crate) program: &'p Script,
    pub(crate) options: &'p Options,
    /// By number; the first is init's place and never run.
    pub(crate) txns: Vec<Info>,
    /// Whether the base levels are weaker than the levels, so that histories have to be filtered.
    pub(crate) filters: bool,
    /// The keys that are declared one by one; nobody has to wait for these.
    known: Keys,
    /// Those declared by prefix, as they come up, numbered after the others.
    other: RwLock<Keys>,
    /// What the program is, for tokens and checkpoints.
    pub(crate) fingerprint: u64,
    /// What its transactions did to the set variables of its tables.
    pub(crate) touched: Touched,
}

#[derive(Default)]
struct Keys {
    numbers: HashMap<Key, u32>,
    names: Vec<Key>,
    initial: Vec<Value>,
}

/// Looks at the observed keys.
struct Observer(Vec<Key>);

impl Body for Observer {
    fn run(&self, transaction: &mut Transaction<'_>) -> Result<Value, Stop> {
        for key in &self.0 {
            transaction.get_at(key)?;
        }
        Ok(Value::Null)
    }
}

/// The strongest level that histories can be extended at without dead ends and that a level implies.
pub(crate) fn base_of(level: Level) -> Level {
    let bases = [Level::CC, Level::RA, Level::RC];
    bases.into_iter().find(|&base| level.implies(base)).unwrap_or(Level::RU)
}

impl<'p> Compiled<'p> {
    pub(crate) fn new(program: &'p Script, options: &'p Options) -> Result<Self, ExploreError> {
        let mut txns = vec![Info {
            session: usize::MAX,
            index: 0,
            observes: false,
            so: 0,
            previous: 0,
            level: options.level,
            base: Level::RU,
            body: Arc::new(Observer(Vec::new())),
            session_name: String::new(),
            name: "init".to_owned(),
            repeated: AtomicU32::new(0),
        }];
        let count = program.sessions.iter().map(|session| session.txns.len()).sum::<usize>()
            + usize::from(!program.observed.is_empty());
        if count > MAX_TXNS {
            return Err(ExploreError::TooManyTransactions { txns: count, max: MAX_TXNS });
        }
        for (place, session) in program.sessions.iter().enumerate() {
            let (mut so, mut previous) = (one(0), 0);
            for (index, txn) in session.txns.iter().enumerate() {
                let level = txn.level.unwrap_or(options.level);
                let number = txns.len() as u8;
                txns.push(Info {
                    session: place,
                    index,
                    observes: false,
                    so,
                    previous,
                    level,
                    base: base(level, options)?,
                    body: Arc::clone(&txn.body),
                    session_name: session.name.clone(),
                    name: txn.name.clone(),
                    repeated: AtomicU32::new(0),
                });
                so |= one(number);
                previous = number;
            }
        }
        if !program.observed.is_empty() {
            let so = (1 << txns.len()) - 1;
            let level = observer_level(options.level);
            txns.push(Info {
                session: program.sessions.len(),
                index: 0,
                observes: true,
                so,
                previous: 0,
                level,
                base: base(level, options)?,
                body: Arc::new(Observer(program.observed.clone())),
                session_name: "end".to_owned(),
                name: "look".to_owned(),
                repeated: AtomicU32::new(0),
            });
        }
        let mut known = Keys::default();
        for (key, value) in &program.initial {
            known.add(key, value);
        }
        let mut declared: Vec<&Key> = program.declared.keys.iter().collect();
        declared.sort_unstable();
        for key in declared {
            known.add(key, &Value::Null);
        }
        let fingerprint = fingerprint(&txns, program);
        let other = RwLock::default();
        let filters = txns[1..].iter().any(|txn| txn.base != txn.level);
        let tables = program.tables.iter().filter_map(|table| known.numbers.get(table));
        let touched = Touched::new(tables.copied().collect(), txns.iter().map(Info::of_session));
        Ok(Compiled { program, options, txns, filters, known, other, fingerprint, touched })
    }

    /// The number of a key.
    pub(crate) fn key(&self, key: &Key) -> u32 {
        match self.known.numbers.get(key) {
            Some(&number) => number,
            None => self.other_key(key),
        }
    }

    /// The number of a key, if the program declares it.
    pub(crate) fn declared_key(&self, key: &Key) -> Option<u32> {
        match self.known.numbers.get(key) {
            Some(&number) => Some(number),
            None => self.program.declared.contains_prefix(key).then(|| self.other_key(key)),
        }
    }

    /// The number of a key that is not declared by itself.
    fn other_key(&self, key: &Key) -> u32 {
        let first = self.known.names.len() as u32;
        let other = self.other.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = other.numbers.get(key) {
            return first + number;
        }
        drop(other);
        let mut other = self.other.write().unwrap_or_else(PoisonError::into_inner);
        first + other.add(key, &Value::Null)
    }

    pub(crate) fn key_name(&self, key: u32) -> Key {
        let key = key as usize;
        match self.known.names.get(key) {
            Some(name) => name.clone(),
            None => {
                let other = self.other.read().unwrap_or_else(PoisonError::into_inner);
                other.names[key - self.known.names.len()].clone()
            }
        }
    }

    /// What a key holds first.
    pub(crate) fn initial(&self, key: u32) -> Value {
        self.known.initial.get(key as usize).cloned().unwrap_or_default()
    }

    /// The program is at fault in a transaction.
    pub(crate) fn fault(&self, txn: u8, what: impl Into<String>) -> ExploreError {
        let info = &self.txns[txn as usize];
        ExploreError::Program {
            session: info.session_name.clone(),
            txn: info.name.clone(),
            what: what.into(),
        }
    }

    /// The name of a transaction in the history: `session/name`, numbered where that repeats.
    pub(crate) fn txn_name(&self, txn: u8) -> String {
        let name = |txn: u8| {
            let info = &self.txns[txn as usize];
            (&info.session_name, &info.name)
        };
        let (session, own) = name(txn);
        let same = (1..=txn).filter(|&other| name(other) == (session, own)).count();
        let alone = same == 1
            && (txn + 1..self.txns.len() as u8).all(|other| name(other) != (session, own));
        if alone { format!("{session}/{own}") } else { format!("{session}/{own}#{same}") }
    }

    /// What was found, with the transactions that met on a table's set variable as a database's would not.
    pub(crate) fn met(&self, found: Found) -> Found {
        let meeting = |(table, [one, two]): (u32, [u8; 2])| Meeting {
            table: self.key_name(table).to_string(),
            transactions: [self.txn_name(one), self.txn_name(two)],
        };
        Found { meetings: self.touched.met().into_iter().map(meeting).collect(), ..found }
    }

    /// The transactions of the program, without init.
    pub(crate) fn all(&self) -> Set {
        ((1u128 << self.txns.len()) as u64).wrapping_sub(1) & !1
    }
}

impl Keys {
    fn add(&mut self, key: &Key, value: &Value) -> u32 {
        if let Some(&number) = self.numbers.get(key) {
            return number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(key.clone(), number);
        self.names.push(key.clone());
        self.initial.push(value.clone());
        number
    }
}

/// The level of the one that looks at the observed keys: whatever the program's is, it sees those it
/// comes after.
pub(crate) fn observer_level(level: Level) -> Level {
    if level.implies(Level::CC) { level } else { Level::CC }
}

/// The level a transaction is extended at.
fn base(level: Level, options: &Options) -> Result<Level, ExploreError> {
    let base = options.base.unwrap_or_else(|| base_of(level));
    let text = if level.respects_real_time() {
        "strict serializability needs real time, which programs have none of; ask for SER"
            .to_owned()
    } else if !base.is_polynomial() {
        format!("histories cannot be extended at {base}; take RU, RC, RA or CC as the base")
    } else if base != level && !level.implies(base) {
        format!("{level} does not imply {base}; take a base that is weaker than the level")
    } else {
        return Ok(base);
    };
    Err(ExploreError::Options(text))
}

/// A hash of what a program looks like from outside: the same program, the same number.
fn fingerprint(txns: &[Info], program: &Script) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for txn in &txns[1..] {
        add(&txn.session_name);
        add(&txn.name);
    }
    for (key, value) in &program.initial {
        add(&key.to_string());
        add(&value.to_string());
    }
    hash
}
