//! Random requests in random order, sense and nonsense, at every level and setting: whatever happens,
//! the recorded history keeps its levels, and the log replays the run.

mod support;

use hobgoblin_core::{Key, Level, Rng, SessionId, Value};
use hobgoblin_store::{
    Answer, Config, Entry, KeyRange, Lock, MAX_KEY, Machine, Mode, Policy, Profile, Request, Scope,
    StoreError, TransactionRequest, Wait,
};
use support::{LEVELS, assert_placed, assert_sound, get, put, scale};

const KEYS: [&str; 5] = ["a", "b", "b1", "b2", "c"];
const POLICIES: [Policy; 6] = [
    Policy::Adverse,
    Policy::Uniform,
    Policy::Latest,
    Policy::Stale,
    Policy::Weighted(0.3),
    Policy::LatestPerSession,
];

/// What is asked beyond begin, get, put, commit and abort.
#[derive(Clone, Copy)]
struct Habit {
    sessions: u32,
    requests: u32,
    /// Levels of transactions are mixed.
    mixed: bool,
    /// Scans, savepoints, deletes, fences, policies, time.
    rich: bool,
    /// Unknown sessions, ends without a begin, keys that are too long.
    nonsense: bool,
}

fn request(rng: &mut Rng, habit: &Habit) -> Request {
    let key = *rng.pick(&KEYS).expect("some");
    let value = i64::from(rng.below(1000));
    let savepoint = ["p", "q"][rng.below(2) as usize];
    let name = || savepoint.to_owned();
    let policy = |rng: &mut Rng| rng.pick(&POLICIES).copied().filter(|_| habit.rich);
    match rng.below(if habit.rich { 40 } else { 24 }) {
        0..4 => {
            let level = rng.pick(&Level::ALL[1..]).copied().filter(|_| habit.mixed);
            Request::begin(level, None)
        }
        4..13 => get(key),
        13..19 => put(key, value),
        19..23 => Request::COMMIT,
        23 => Request::ABORT,
        24..27 => {
            let limit = rng.one_in(3).then(|| rng.below(3));
            let range = if rng.one_in(2) { KeyRange::all() } else { KeyRange::prefix("b") };
            let (policy, latest, backwards) = (policy(rng), rng.one_in(8), rng.one_in(3));
            Request::Transaction(TransactionRequest::Scan {
                range,
                limit,
                backwards,
                policy,
                latest,
                lock: None,
                wait: Wait::Forever,
            })
        }
        27..29 => put(key, Value::Null),
        29 => Request::savepoint(name()),
        30 => Request::rollback_to(name()),
        31 => Request::release(name()),
        32 => Request::FENCE,
        33 => Request::set_policy(policy(rng)),
        34 => {
            let level = rng.pick(&Level::ALL[1..]).copied();
            Request::set_level(level.filter(|_| habit.mixed))
        }
        35 => Request::statement(format!("statement {value}")),
        36 | 37 => {
            let lock = rng.pick(&Lock::ALL).copied();
            let wait = if rng.one_in(3) { Wait::Not } else { Wait::Forever };
            let (policy, latest) = (policy(rng), rng.one_in(3));
            Request::Transaction(TransactionRequest::Get {
                key: key.into(),
                policy,
                lock,
                wait,
                latest,
            })
        }
        38 if rng.one_in(3) => Request::reserve(key.into(), Lock::Update),
        38 if rng.one_in(2) => Request::insert(key.into(), value.into()),
        38 => Request::give_up(rng.one_in(2)),
        39 if rng.one_in(2) => {
            let mode = *rng.pick(&Mode::ALL).expect("eight");
            let wait = if rng.one_in(3) { Wait::Not } else { Wait::Forever };
            let scope = if rng.one_in(2) { Scope::Session } else { Scope::Transaction };
            match rng.below(5) {
                0 => Request::LET_GO_ALL,
                1 | 2 => Request::let_go(key.into(), mode),
                _ => Request::hold(key.into(), mode, scope, wait),
            }
        }
        _ if habit.nonsense => put(&"k".repeat(MAX_KEY + 1), value),
        _ => Request::begin(None, policy(rng)),
    }
}

/// Serves random requests; gives the answers.
fn serve(machine: &mut Machine, habit: &Habit, seed: u64) -> Vec<Result<Answer, StoreError>> {
    let mut rng = Rng::new(seed);
    let mut sessions: Vec<SessionId> = Vec::new();
    let mut waiting: Vec<Option<Request>> = Vec::new();
    let mut answers = Vec::new();
    let mut now = 0;
    for _ in 0..habit.requests {
        if sessions.len() < habit.sessions as usize {
            sessions.push(machine.connect(None).expect("sessions without a name"));
            waiting.push(None);
        }
        let at = rng.below(sessions.len() as u32) as usize;
        let mut session = sessions[at];
        if habit.nonsense && rng.one_in(50) {
            session = SessionId::new(1000);
        }
        if habit.rich && rng.one_in(30) {
            now += u64::from(rng.below(10));
            machine.tick(now);
        }
        if habit.rich && rng.one_in(60) {
            machine.disconnect(sessions[at]).expect("it is connected");
            sessions.remove(at);
            waiting.remove(at);
            continue;
        }
        let request = match waiting[at].take() {
            Some(request) if !rng.one_in(5) => request,
            Some(_) => Request::give_up(rng.one_in(2)),
            None => request(&mut rng, habit),
        };
        let answer = machine.apply(session, &request);
        if matches!(answer, Ok(Answer::Blocked { .. })) {
            waiting[at] = Some(request);
        }
        answers.push(answer);
    }
    answers
}

fn settings(level: Level, seed: u64) -> Config {
    let mut rng = Rng::new(seed ^ 0xc0ffee);
    let window = *rng.pick(&[None, Some(0), Some(1), Some(3), Some(20), Some(256)]).expect("some");
    let initial = vec![(Key::from("a"), Value::Int(0)), (Key::from("b1"), Value::Int(1))];
    Config::default()
        .level(level)
        .seed(seed)
        .window(window)
        .lag(*rng.pick(&[None, None, Some(0), Some(20)]).expect("some"))
        .policy(POLICIES.get(rng.below(POLICIES.len() as u32 + 2) as usize).copied())
        .abort_rate(if rng.one_in(4) { 0.1 } else { 0.0 })
        .initial_values(initial)
}

/// Runs random requests and checks all that always holds.
fn run(config: Config, habit: &Habit, label: &str) {
    let (level, seed) = (config.level, config.seed);
    let label = format!("{label} {level} seed {seed} {config:?}");
    let mut machine = Machine::new(config.clone()).expect("the configuration is good");
    let answers = serve(&mut machine, habit, seed);
    assert_sound(&machine.history(), level, &label);
    assert_placed(&machine.history(), &label);
    replay(&config, &machine, &answers, &label);
}

/// The log of a run gives the same answers and the same history again.
fn replay(config: &Config, machine: &Machine, answers: &[Result<Answer, StoreError>], label: &str) {
    // Another seed, so that nothing but the log can make the same choices.
    let config = config.clone().seed(!config.seed);
    let mut again = Machine::new(config).expect("the configuration is good");
    let mut repeated = Vec::new();
    for entry in machine.log() {
        match entry {
            Entry::Connect { name } => {
                again.connect(name.as_deref()).expect("as it was");
            }
            Entry::Disconnect { session } => again.disconnect(*session).expect("as it was"),
            Entry::Tick { now } => again.tick(*now),
            Entry::Request { session, request, choices } => {
                let answer = again.replay(*session, request, choices);
                let answer = answer.unwrap_or_else(|error| panic!("{label}: {request:?}: {error}"));
                repeated.push(answer);
            }
        }
    }
    let answers: Vec<Answer> = answers.iter().filter_map(|a| a.as_ref().ok().cloned()).collect();
    assert_eq!(repeated, answers, "{label}");
    assert_eq!(support::show(&again.history()), support::show(&machine.history()), "{label}");
}

#[test]
fn plain_requests_keep_their_level() {
    let habit = Habit { sessions: 4, requests: 60, mixed: false, rich: false, nonsense: false };
    for level in LEVELS.into_iter().chain([Level::SSER]) {
        for seed in 0..60 * scale() {
            let config = settings(level, seed).window(None);
            run(config.lag(None), &habit, "plain");
        }
    }
}

#[test]
fn short_runs_keep_their_level_by_brute_force() {
    let habit = Habit { sessions: 3, requests: 18, mixed: true, rich: true, nonsense: false };
    for level in LEVELS.into_iter().chain([Level::SSER]) {
        for seed in 0..150 * scale() {
            run(settings(level, seed), &habit, "short");
        }
    }
}

#[test]
fn all_requests_keep_their_level_within_windows() {
    let habit = Habit { sessions: 5, requests: 150, mixed: false, rich: true, nonsense: true };
    for level in LEVELS.into_iter().chain([Level::SSER]) {
        for seed in 0..40 * scale() {
            run(settings(level, seed), &habit, "rich");
        }
    }
}

#[test]
fn mixed_levels_keep_each_its_own() {
    for mixed in [30, 120] {
        let habit = Habit { sessions: 4, requests: mixed, mixed: true, rich: true, nonsense: true };
        for level in LEVELS {
            for seed in 0..40 * scale() {
                run(settings(level, seed), &habit, "mixed");
            }
        }
    }
}

#[test]
fn ten_thousand_random_requests_keep_every_level() {
    let habit = Habit { sessions: 8, requests: 10_000, mixed: false, rich: true, nonsense: true };
    for level in LEVELS {
        run(settings(level, 7), &habit, "long");
    }
    run(settings(Level::CC, 8), &Habit { mixed: true, ..habit }, "long mixed");
}

#[test]
fn a_level_that_is_not_served_is_refused() {
    for profile in Profile::ALL {
        let config = Config::default().profile(profile).level(Level::RU);
        if let Ok(mut machine) = Machine::new(config) {
            let session = machine.connect(None).expect("connects");
            let answer = machine.apply(session, &support::begin());
            assert!(answer.is_ok(), "a store of RU that starts also serves it: {answer:?}");
        }
    }
}
