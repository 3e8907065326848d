//! How a library is tested.

use std::time::Duration;

use hobgoblin_core::Rng;

use crate::data_type::{Arbitration, DataType, Multiplicity, TypeOptions};

/// How a library is tested: `Config::new(DataType::AwSet).replicas(4).histories(1_000)`.
///
/// ```
/// use hobgoblin_crdt::DataType;
/// use hobgoblin_crdt::harness::{Config, Recorded};
///
/// let config = Config::new(DataType::Mvr).operations(30).keys(1).repeated_values(3);
/// let black_box = config.clone().recorded(Recorded::Nothing).seed(7);
/// # drop(black_box);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// What the library is tested as.
    pub data_type: DataType,
    /// What is chosen about the data type.
    pub options: TypeOptions,
    pub(super) replicas: usize,
    pub(super) operations: u32,
    pub(super) keys: u32,
    pub(super) histories: u32,
    pub(super) seed: Option<u64>,
    pub(super) repeated: Option<u32>,
    pub(super) deletes: bool,
    pub(super) recorded: Recorded,
    pub(super) partitions: bool,
    pub(super) duplicates: bool,
    pub(super) late: bool,
    pub(super) shrinking: u32,
    pub(super) time_limit: Option<Duration>,
}

/// What a history says of who observed what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Recorded {
    /// Exactly what every operation had observed. With this every wrong answer is found.
    #[default]
    Everything,
    /// Only that the final reads observed everything.
    FinalReads,
    /// Nothing: the library is a black box, and any delivery that explains its answers is good enough.
    Nothing,
}

impl Config {
    /// Tests a library as this data type: three replicas, twenty operations a history, two keys (one list), 200
    /// histories.
    pub fn new(data_type: DataType) -> Config {
        Config {
            data_type,
            options: TypeOptions::default(),
            replicas: 3,
            operations: 20,
            keys: if data_type.is_list() { 1 } else { 2 },
            histories: 200,
            seed: None,
            repeated: None,
            deletes: true,
            recorded: Recorded::Everything,
            partitions: true,
            duplicates: true,
            late: true,
            shrinking: 3_000,
            time_limit: None,
        }
    }

    /// So many replicas, at least one.
    #[must_use]
    pub fn replicas(self, replicas: usize) -> Config {
        Config { replicas: replicas.max(1), ..self }
    }

    /// So many operations a history, besides the final reads.
    #[must_use]
    pub fn operations(self, operations: u32) -> Config {
        Config { operations, ..self }
    }

    /// So many elements, flags, counters, registers or lists, at least one.
    #[must_use]
    pub fn keys(self, keys: u32) -> Config {
        Config { keys: keys.max(1), ..self }
    }

    /// So many histories, each with its own seed.
    #[must_use]
    pub fn histories(self, histories: u32) -> Config {
        Config { histories, ..self }
    }

    /// The first history has this seed, each other the next. Without one the variable `HOB_SEED` is looked at, which
    /// is a number or `random`; without that it is 0.
    #[must_use]
    pub fn seed(self, seed: u64) -> Config {
        Config { seed: Some(seed), ..self }
    }

    /// Registers are written only the values 1 to `values`, and counters changed by no more. Otherwise every value is
    /// written once, and amounts are different powers of two, so that every sum tells what it is made of.
    #[must_use]
    pub fn repeated_values(self, values: u32) -> Config {
        Config { repeated: Some(values.max(1)), ..self }
    }

    /// Whether registers are deleted, and not only written.
    #[must_use]
    pub fn deletes(self, deletes: bool) -> Config {
        Config { deletes, ..self }
    }

    /// What histories say of who observed what.
    #[must_use]
    pub fn recorded(self, recorded: Recorded) -> Config {
        Config { recorded, ..self }
    }

    /// Which order decides among concurrent updates of registers and lists.
    #[must_use]
    pub fn arbitration(mut self, arbitration: Arbitration) -> Config {
        self.options.arbitration = arbitration;
        self
    }

    /// What a read of a multi-value register returns when a value was written twice.
    #[must_use]
    pub fn multiplicity(mut self, multiplicity: Multiplicity) -> Config {
        self.options.multiplicity = multiplicity;
        self
    }

    /// Whether replicas are divided at times into groups that do not reach each other.
    #[must_use]
    pub fn partitions(self, partitions: bool) -> Config {
        Config { partitions, ..self }
    }

    /// Whether messages arrive again, if the library says that they may.
    #[must_use]
    pub fn duplicates(self, duplicates: bool) -> Config {
        Config { duplicates, ..self }
    }

    /// Whether messages overtake each other, and older states are merged.
    #[must_use]
    pub fn late(self, late: bool) -> Config {
        Config { late, ..self }
    }

    /// How often the library is run again, at most, to make a failure small.
    #[must_use]
    pub fn shrinking(self, runs: u32) -> Config {
        Config { shrinking: runs, ..self }
    }

    /// No check of a history takes longer. What is not decided by then is counted as unknown.
    #[must_use]
    pub fn time_limit(self, time: Duration) -> Config {
        Config { time_limit: Some(time), ..self }
    }

    /// The names of all elements, flags, registers, counters or lists.
    pub(super) fn key_names(&self) -> Vec<String> {
        let name = |number| match number {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            2 => "z".to_owned(),
            number => format!("k{number}"),
        };
        (0..self.keys).map(name).collect()
    }

    /// The seed of the first history.
    pub(super) fn first_seed(&self) -> u64 {
        if let Some(seed) = self.seed {
            return seed;
        }
        match std::env::var("HOB_SEED").as_deref() {
            Err(_) | Ok("") => 0,
            Ok("random") => {
                let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                let time = time.map_or(0, |time| time.as_nanos() as u64);
                // Short enough to be typed.
                Rng::new(time ^ u64::from(std::process::id())).next_u64() >> 32
            }
            Ok(text) => text.parse().unwrap_or_else(|_| {
                panic!("HOB_SEED is {text:?}; give a number from 0 to {}, or `random`", u64::MAX)
            }),
        }
    }
}
