//! A run as a word to copy and paste: the setup, and for every entry of the log who, which choices, and a
//! hash of what was asked.
//!
//! A log is exact but long. When a test fails the program is still there and will ask the same again, so
//! a token leaves out what was asked and keeps one byte to notice a changed program by. A short run is
//! some hundred characters.
//!
//! ```text
//! version  level profile  policy  seed window lag abort-rate  hash of initial | entry entry ...
//! entry:   session * 8 + kind, then by kind:
//!            0, 1, 2  a request with no, one, or n choices: hash, [n], choices
//!            3 connect: hash of the name     4 disconnect     5 tick: the time    6 give up    7 cancel
//! ```
//!
//! Numbers are varints of seven bits a byte, low bits first; the bytes are base64url without padding.

use std::fmt;

use hobgoblin_core::{Key, Level, SessionId, Value};
use hobgoblin_format::json::{push_key, push_value};

use crate::config::{Config, Policy, Profile};
use crate::log::{Entry, Log};
use crate::request::{Request, SessionRequest, TransactionRequest};
use crate::request_text::push_request;

/// The version of the layout, also the first byte.
const VERSION: u8 = 1;

/// Marks the profile of a store that is [patient](Config::patient).
const PATIENT: u8 = 0x80;
/// Marks the profile of a store whose transactions [refuse to lock what changed](Config::snapshot_isolation).
const SNAPSHOTS: u8 = 0x40;

/// Marks the profile of a store where [who shares a row goes first](Config::upgrades_first).
const UPGRADES: u8 = 0x20;

/// The policy of a store that was asked for none.
const BY_SEED: u8 = 6;

/// A run in a word: the setup, and who went when with which choices.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// How the store was set up; the initial values are the program's to give.
    pub config: Config,
    /// A hash of the initial values.
    pub initial: u8,
    /// The requests and choices of the run, in the order in which they were served.
    pub steps: Vec<TokenStep>,
}

/// One entry of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenStep {
    /// A session connected. Sessions are numbered from 0 in this order.
    Connect {
        /// The hash of its name, see [`name_hash`].
        name: u8,
    },
    /// A session was closed.
    Disconnect {
        /// The session that was closed.
        session: SessionId,
    },
    /// A request was served.
    Request {
        /// The session that asked.
        session: SessionId,
        /// The hash of what was asked, see [`request_hash`].
        hash: u8,
        /// The choices made for it.
        choices: Vec<u32>,
    },
    /// A session gave up its wait for a lock.
    GiveUp {
        /// The session that gave up.
        session: SessionId,
    },
    /// Another session ended a session's wait and its transaction.
    Cancel {
        /// The session that was waiting.
        session: SessionId,
    },
    /// Time went on, by the clock that the store is told.
    Tick {
        /// The number of ticks since the beginning.
        now: u64,
    },
}

/// Why a text is no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenError {
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TokenError { what } = self;
        write!(
            f,
            "this is no replay token: {what}; copy the whole token, without spaces, from the failing run"
        )
    }
}

impl std::error::Error for TokenError {}

/// The hash of a request in a token.
pub fn request_hash(request: &Request) -> u8 {
    let mut text = Vec::new();
    push_request(&mut text, request);
    hash(&text)
}

/// The hash of a session's name in a token; 0 when it has none.
pub fn name_hash(name: Option<&str>) -> u8 {
    name.map_or(0, |name| hash(name.as_bytes()).max(1))
}

/// The hash of initial values in a token.
pub fn initial_hash(initial: &[(Key, Value)]) -> u8 {
    let mut text = Vec::new();
    for (key, value) in initial {
        push_key(&mut text, key);
        text.push(b'=');
        push_value(&mut text, value);
        text.push(b'\n');
    }
    hash(&text)
}

/// FNV-1a of 64 bits, folded.
fn hash(bytes: &[u8]) -> u8 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, step);
    hash.to_le_bytes().iter().fold(0, |folded, byte| folded ^ byte)
}

impl Token {
    /// The token of a log.
    pub fn of(log: &Log) -> Token {
        let steps = log.entries.iter().map(|entry| match entry {
            Entry::Connect { name } => TokenStep::Connect { name: name_hash(name.as_deref()) },
            Entry::Disconnect { session } => TokenStep::Disconnect { session: *session },
            Entry::Tick { now } => TokenStep::Tick { now: *now },
            Entry::Request {
                session,
                request: Request::Transaction(TransactionRequest::GiveUp { .. }),
                ..
            } => TokenStep::GiveUp { session: *session },
            Entry::Request {
                session, request: Request::Session(SessionRequest::Cancel), ..
            } => TokenStep::Cancel { session: *session },
            Entry::Request { session, request, choices } => TokenStep::Request {
                session: *session,
                hash: request_hash(request),
                choices: choices.clone(),
            },
        });
        let config = Config { initial: Vec::new(), history: true, log: true, ..log.config.clone() };
        Token { initial: initial_hash(&log.config.initial), config, steps: steps.collect() }
    }

    /// Reads a token.
    pub fn parse(text: &str) -> Result<Token, TokenError> {
        let bytes = decode(text.trim())?;
        let mut input = Input { bytes: &bytes, at: 0 };
        match input.byte()? {
            VERSION => {}
            other => {
                return Err(wrong(format!("it is of version {other}, and {VERSION} is known")));
            }
        }
        let level = input.byte()?;
        let level = Level::ALL.get(usize::from(level)).copied();
        let byte = input.byte()?;
        let (patient, snapshot_isolation) = (byte & PATIENT != 0, byte & SNAPSHOTS != 0);
        let upgrades_first = byte & UPGRADES != 0;
        let profile = byte & !(PATIENT | SNAPSHOTS | UPGRADES);
        let profile = Profile::ALL.get(usize::from(profile)).copied();
        let (Some(level), Some(profile)) = (level, profile) else {
            return Err(wrong("its level or profile is unknown"));
        };
        let policy = match input.byte()? {
            0 => Some(Policy::Uniform),
            1 => Some(Policy::Latest),
            2 => Some(Policy::Stale),
            3 => Some(Policy::LatestPerSession),
            4 => Some(Policy::Weighted(input.share()?)),
            5 => Some(Policy::Adverse),
            BY_SEED => None,
            _ => return Err(wrong("its policy is unknown")),
        };
        let seed = input.number()?;
        let window = match input.number()? {
            0 => None,
            n => Some(u32::try_from(n - 1).map_err(|_| wrong("its window is out of range"))?),
        };
        let lag = input.number()?.checked_sub(1);
        let abort_rate = if input.byte()? == 0 { 0.0 } else { input.share()? };
        let initial = input.byte()?;
        let config = Config {
            level,
            profile,
            policy,
            seed,
            window,
            lag,
            abort_rate,
            patient,
            snapshot_isolation,
            upgrades_first,
            ..Config::default()
        };
        let mut steps = Vec::new();
        while input.at < bytes.len() {
            steps.push(input.step()?);
        }
        Ok(Token { config, initial, steps })
    }
}

/// The token as text.
impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let config = &self.config;
        let profile = Profile::ALL.iter().position(|&p| p == config.profile).unwrap_or_default();
        let patient = if config.patient { PATIENT } else { 0 };
        let snapshots = if config.snapshot_isolation { SNAPSHOTS } else { 0 };
        let upgrades = if config.upgrades_first { UPGRADES } else { 0 };
        let marks = patient | snapshots | upgrades;
        let mut out = vec![VERSION, config.level as u8, profile as u8 | marks];
        match config.policy {
            None => out.push(BY_SEED),
            Some(Policy::Uniform) => out.push(0),
            Some(Policy::Latest) => out.push(1),
            Some(Policy::Stale) => out.push(2),
            Some(Policy::LatestPerSession) => out.push(3),
            Some(Policy::Adverse) => out.push(5),
            Some(Policy::Weighted(share)) => {
                out.push(4);
                out.extend_from_slice(&share.to_le_bytes());
            }
        }
        push_number(&mut out, config.seed);
        push_number(&mut out, config.window.map_or(0, |window| u64::from(window) + 1));
        push_number(&mut out, config.lag.map_or(0, |lag| lag.saturating_add(1)));
        out.push(u8::from(config.abort_rate != 0.0));
        if config.abort_rate != 0.0 {
            out.extend_from_slice(&config.abort_rate.to_le_bytes());
        }
        out.push(self.initial);
        for step in &self.steps {
            push_step(&mut out, step);
        }
        f.write_str(&encode(&out))
    }
}

fn push_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn push_step(out: &mut Vec<u8>, step: &TokenStep) {
    let mut head = |session: SessionId, kind: u64| {
        push_number(out, (u64::from(session.raw()) << 3) | kind);
    };
    let none = SessionId::new(0);
    match step {
        TokenStep::Request { session, hash, choices } => {
            head(*session, choices.len().min(2) as u64);
            out.push(*hash);
            if choices.len() > 1 {
                push_number(out, choices.len() as u64);
            }
            choices.iter().for_each(|&choice| push_number(out, u64::from(choice)));
        }
        TokenStep::Connect { name } => {
            head(none, 3);
            out.push(*name);
        }
        TokenStep::Disconnect { session } => head(*session, 4),
        TokenStep::Tick { now } => {
            head(none, 5);
            push_number(out, *now);
        }
        TokenStep::GiveUp { session } => head(*session, 6),
        TokenStep::Cancel { session } => head(*session, 7),
    }
}

/// The bytes of a token, read from the front.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn byte(&mut self) -> Result<u8, TokenError> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.ok_or_else(|| wrong("it stops in the middle"))
    }

    fn number(&mut self) -> Result<u64, TokenError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(wrong("a number in it does not fit 64 bits"))
    }

    fn share(&mut self) -> Result<f64, TokenError> {
        let mut bytes = [0; 8];
        for byte in &mut bytes {
            *byte = self.byte()?;
        }
        let share = f64::from_le_bytes(bytes);
        let fits = (0.0..=1.0).contains(&share);
        if fits { Ok(share) } else { Err(wrong("a probability in it is not between 0 and 1")) }
    }

    fn step(&mut self) -> Result<TokenStep, TokenError> {
        let head = self.number()?;
        if head >> 3 >= 1 << 31 {
            return Err(wrong("the number of a session is out of range"));
        }
        let session = SessionId::new((head >> 3) as usize);
        let choice = |n: u64| u32::try_from(n).map_err(|_| wrong("a choice is out of range"));
        Ok(match head & 7 {
            kind @ 0..=2 => {
                let hash = self.byte()?;
                let count = if kind == 2 { self.number()? } else { kind };
                let mut choices = Vec::new();
                for _ in 0..count {
                    choices.push(choice(self.number()?)?);
                }
                TokenStep::Request { session, hash, choices }
            }
            3 => TokenStep::Connect { name: self.byte()? },
            4 => TokenStep::Disconnect { session },
            5 => TokenStep::Tick { now: self.number()? },
            6 => TokenStep::GiveUp { session },
            _ => TokenStep::Cancel { session },
        })
    }
}

fn wrong(what: impl Into<String>) -> TokenError {
    TokenError { what: what.into() }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Three bytes are four digits of six bits; a rest of one or two bytes is two or three digits.
fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let word = part.iter().fold(0u32, |word, &byte| (word << 8) | u32::from(byte));
        let word = word << (8 * (3 - part.len()));
        for digit in 0..=part.len() {
            text.push(DIGITS[(word >> (18 - 6 * digit)) as usize & 63] as char);
        }
    }
    text
}

fn decode(text: &str) -> Result<Vec<u8>, TokenError> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for part in text.as_bytes().chunks(4) {
        let mut word = 0u32;
        for &byte in part {
            let Some(digit) = DIGITS.iter().position(|&digit| digit == byte) else {
                let c = char::from(byte).escape_default();
                return Err(wrong(format!("`{c}` is no character of one")));
            };
            word = (word << 6) | digit as u32;
        }
        let word = (word << (6 * (4 - part.len()))).to_be_bytes();
        if part.len() == 1 || word[part.len()..].iter().any(|&rest| rest != 0) {
            return Err(wrong("its end is missing"));
        }
        bytes.extend_from_slice(&word[1..part.len()]);
    }
    Ok(bytes)
}
