//! Small random histories with everything a history can have.
//!
//! Transactions are laid out along a hidden order. A read mostly returns what the last writer before
//! it in that order wrote, and now and then what anyone wrote; so about every level is satisfied by
//! some histories and violated by others. Same seed and shape, same history.

use hobgoblin_core::{
    EventInfo, History, HistoryBuilder, KeyId, Kind, Level, Status, TxnInfo, Value,
};

/// What a random history looks like. Shares are out of 100.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// At most this many transactions.
    pub txns: usize,
    /// At most this many sessions; 0 for one a transaction.
    pub sessions: usize,
    /// At most this many keys.
    pub keys: usize,
    /// At most this many events in a transaction.
    pub events: usize,
    /// Reads that return what anyone wrote, rather than the last writer in the hidden order.
    pub stray: u64,
    /// Reads that return a value which may be nobody's, an aborted transaction's or intermediate.
    pub odd: u64,
    /// Writes whose value is one of few, so that values repeat.
    pub repeated: u64,
    /// Transactions that aborted, and as many of unknown status.
    pub unsettled: u64,
    /// Transactions with a level of their own.
    pub levels: u64,
    /// Reads that take a lock.
    pub locks: u64,
    /// Keys whose version order is known in part.
    pub orders: u64,
    /// Whether transactions have times.
    pub times: bool,
}

impl Shape {
    /// Committed transactions, unique values, one level.
    pub const PLAIN: Shape = Shape {
        txns: 6,
        sessions: 4,
        keys: 3,
        events: 4,
        stray: 25,
        odd: 1,
        repeated: 0,
        unsettled: 0,
        levels: 0,
        locks: 0,
        orders: 0,
        times: false,
    };

    /// Everything at once.
    pub const WILD: Shape = Shape {
        repeated: 30,
        unsettled: 15,
        levels: 70,
        locks: 20,
        orders: 20,
        times: true,
        ..Shape::PLAIN
    };
}

/// A generator of random numbers (splitmix64), so that seeds mean the same everywhere.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }

    /// True this often out of 100.
    pub fn chance(&mut self, share: u64) -> bool {
        self.number() % 100 < share
    }

    /// Puts a slice in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

struct Txn {
    session: usize,
    /// Its place in the hidden order.
    place: usize,
    status: Status,
    /// Each event's key, and the value if it is a write.
    events: Vec<(usize, Option<i64>)>,
}

impl Txn {
    /// What others see of its writes of a key, if it writes it.
    fn last_write(&self, key: usize) -> Option<i64> {
        self.events.iter().rev().find_map(|&(k, v)| if k == key { v } else { None })
    }
}

/// The history of this seed.
pub fn history(shape: &Shape, seed: u64) -> History {
    let mut random = Random(seed);
    let txns = skeleton(shape, &mut random);
    let keys = 1 + random.below(shape.keys);
    let mut builder = HistoryBuilder::new();
    let names: Vec<KeyId> =
        (0..shape.keys).map(|k| builder.key(&["x", "y", "z"][k % 3].into())).collect();
    for &key in &names {
        builder.initial(key, &Value::Int(0)).expect("once a key");
    }
    for (i, txn) in txns.iter().enumerate() {
        let session = builder.session(&(txn.session as i64).into());
        builder.begin(session);
        let mut own = vec![None; shape.keys];
        for &(key, written) in &txn.events {
            let key = key % keys;
            if let Some(v) = written {
                own[key] = Some(v);
                builder.event(Kind::Write, names[key], &Value::Int(v));
                continue;
            }
            let v = read_value(shape, &mut random, &txns, i, key, own[key]);
            let event = builder.event(Kind::Read, names[key], &Value::Int(v));
            let about = EventInfo { lock: random.chance(shape.locks), ..EventInfo::default() };
            builder.describe(event, about).expect("no writer is named");
        }
        let begin = (txn.place * 10) as i64 - random.below(25) as i64;
        let end = begin + random.below(30) as i64;
        let level = random.chance(shape.levels).then(|| Level::ALL[random.below(9)]);
        let name = format!("t{}", i + 1);
        let info = TxnInfo {
            name: Some(&name),
            status: txn.status,
            level,
            begin: shape.times.then_some(begin),
            end: shape.times.then_some(end),
            ..TxnInfo::default()
        };
        builder.end(info).expect("names are unique and times in order");
    }
    for (key, &name) in names.iter().enumerate().take(keys) {
        if random.chance(shape.orders) {
            let order = some_order(&mut random, &txns, key);
            builder.order(name, order).expect("once a key");
        }
    }
    builder.finish().expect("the sample is well formed")
}

fn skeleton(shape: &Shape, random: &mut Random) -> Vec<Txn> {
    let count = 1 + random.below(shape.txns);
    let sessions = match shape.sessions {
        0 => count,
        most => 1 + random.below(most),
    };
    let mut places: Vec<usize> = (0..count).collect();
    random.shuffle(&mut places);
    let mut next_value = 0;
    let mut txns: Vec<Txn> = Vec::new();
    for place in places {
        let status = match random.number() % 100 {
            p if p < shape.unsettled => Status::Aborted,
            p if p < 2 * shape.unsettled => Status::Unknown,
            _ => Status::Committed,
        };
        let mut events = Vec::new();
        for _ in 0..random.below(shape.events + 1) {
            let write = random.chance(45).then(|| {
                next_value += 1;
                if random.chance(shape.repeated) {
                    100 + random.below(2) as i64
                } else {
                    next_value
                }
            });
            events.push((random.below(shape.keys), write));
        }
        let session = if shape.sessions == 0 { txns.len() } else { random.below(sessions) };
        txns.push(Txn { session, place, status, events });
    }
    // The hidden order mostly respects sessions: most strays are meant, not an accident.
    for session in 0..sessions {
        let of = |txn: &&mut Txn| txn.session == session;
        let mut places: Vec<usize> = txns.iter_mut().filter(of).map(|t| t.place).collect();
        places.sort_unstable();
        for (txn, place) in txns.iter_mut().filter(of).zip(places) {
            txn.place = place;
        }
    }
    txns
}

fn read_value(
    shape: &Shape,
    random: &mut Random,
    txns: &[Txn],
    reader: usize,
    key: usize,
    own: Option<i64>,
) -> i64 {
    if random.chance(shape.odd) {
        return random.below(8) as i64;
    }
    if let Some(own) = own {
        return own;
    }
    let mut writers: Vec<(usize, i64)> = txns
        .iter()
        .enumerate()
        .filter(|&(i, t)| i != reader && t.status != Status::Aborted)
        .filter_map(|(_, t)| Some((t.place, t.last_write(key)?)))
        .collect();
    writers.sort_unstable();
    if random.chance(shape.stray) {
        let at = random.below(writers.len() + 1);
        return writers.get(at).map_or(0, |w| w.1);
    }
    let before = writers.iter().take_while(|w| w.0 < txns[reader].place);
    before.last().map_or(0, |w| w.1)
}

/// Part of the hidden order of a key's writers, as the first reads of a list would show it.
fn some_order(random: &mut Random, txns: &[Txn], key: usize) -> Vec<Box<str>> {
    let mut writers: Vec<(usize, usize)> = txns
        .iter()
        .enumerate()
        .filter(|(_, t)| t.status != Status::Aborted && t.last_write(key).is_some())
        .map(|(i, t)| (t.place, i))
        .collect();
    writers.sort_unstable();
    writers.truncate(random.below(writers.len() + 1));
    writers.iter().map(|(_, i)| format!("t{}", i + 1).into()).collect()
}
