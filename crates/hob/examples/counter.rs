//! A test of a counter, for `hob test`: Alice adds one, then Bob adds one, then there are two more.
//!
//! ```text
//! counter            add twice to `counter`, and check the sum
//! counter add KEY    the same with another key
//! counter race       add six times, from three threads
//! counter careless   the same, and no transaction that is refused is run again
//! counter together   add six times, from six threads that wait for each other between reading and writing
//! counter alone      add once
//! counter set N      let `counter` begin at N, for `--setup`
//! ```
//!
//! But for the race, nothing happens at the same time here. Yet below parallel snapshot isolation Bob may read what was
//! there before Alice, and one addition is lost.

use std::process::ExitCode;

use hobgoblin_server::client::{Client, ClientError, Session};

/// How often a refused transaction is run again.
const ATTEMPTS: u32 = 10;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args[..] {
        [] => add_twice("counter"),
        ["add", key] => add_twice(key),
        ["race"] => race("counter", ATTEMPTS),
        ["careless"] => race("counter", 1),
        ["together"] => together("counter"),
        ["alone"] => alone("counter"),
        ["set", start] => set("counter", start.parse().unwrap_or(0)),
        _ => Ok(Err(
            "usage: counter [add KEY | race | careless | together | alone | set N]".to_owned()
        )),
    };
    match result {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(wrong)) => {
            eprintln!("{wrong}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn add_twice(key: &str) -> Result<Result<(), String>, ClientError> {
    let client = Client::from_env()?;
    let mut alice = client.session_named("alice")?;
    let before = value(&mut alice, key)?;
    let mut bob = client.session_named("bob")?;
    add(&mut alice, key, ATTEMPTS)?;
    add(&mut bob, key, ATTEMPTS)?;
    check(&client, key, before, 2)
}

/// Three sessions in threads of their own add two each.
fn race(key: &str, attempts: u32) -> Result<Result<(), String>, ClientError> {
    let client = Client::from_env()?;
    let adder = &|name| {
        let mut session = client.session_named(name)?;
        (0..2).try_for_each(|_| add(&mut session, key, attempts))
    };
    std::thread::scope(|scope| {
        let threads = ["alice", "bob", "dave"].map(|name| scope.spawn(move || adder(name)));
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    check(&client, key, 0, 6)
}

/// Six sessions, each in a transaction of its own, add one each once all have read.
fn together(key: &str) -> Result<Result<(), String>, ClientError> {
    let client = Client::from_env()?;
    let barrier = &std::sync::Barrier::new(6);
    let adder = &|| {
        let mut session = client.session()?;
        session.begin()?;
        let count = value(&mut session, key)?;
        barrier.wait();
        session.put(key, count + 1)?;
        session.commit()
    };
    std::thread::scope(|scope| {
        let threads = [(); 6].map(|()| scope.spawn(adder));
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    check(&client, key, 0, 6)
}

fn alone(key: &str) -> Result<Result<(), String>, ClientError> {
    add(&mut Client::from_env()?.session()?, key, ATTEMPTS).map(Ok)
}

/// One transaction, run again when it is refused.
fn add(session: &mut Session, key: &str, attempts: u32) -> Result<(), ClientError> {
    session.transaction(attempts, |session| {
        let count = value(session, key)?;
        session.put(key, count + 1)
    })
}

fn check(
    client: &Client,
    key: &str,
    before: i64,
    added: i64,
) -> Result<Result<(), String>, ClientError> {
    // From here on everybody sees everything: what is missing now is lost.
    client.fence()?;
    let after = value(&mut client.session_named("carol")?, key)?;
    let right = after == before + added;
    Ok(if right { Ok(()) } else { Err(format!("{before} + {added} should not be {after}")) })
}

fn set(key: &str, start: i64) -> Result<Result<(), String>, ClientError> {
    Client::from_env()?.session()?.put(key, start).map(Ok)
}

/// The number a key holds, 0 if none.
fn value(session: &mut Session, key: &str) -> Result<i64, ClientError> {
    Ok(session.get(key)?.as_i64().unwrap_or(0))
}
