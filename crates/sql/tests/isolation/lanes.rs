//! Sessions on threads of their own, on either server, and how a script is played on them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use hobgoblin_sql::session::{Database, Outcome, Startup};
use hobgoblin_sql::types::text;

use crate::order::Step;
use crate::postgres;

/// A session on a thread of its own.
pub(crate) struct Lane {
    ask: Sender<String>,
    answers: Receiver<String>,
}

fn lane(mut run: impl FnMut(&str) -> String + Send + 'static) -> Lane {
    let (ask, asked) = channel::<String>();
    let (tell, answers) = channel();
    std::thread::spawn(move || {
        for sql in asked {
            if tell.send(run(&sql)).is_err() {
                return;
            }
        }
    });
    Lane { ask, answers }
}

pub(crate) fn postgres_lane(server: &postgres::Server, database: &str) -> Lane {
    let mut client = server.join(database).expect("the server takes connections");
    client.query("set deadlock_timeout = '10ms'").expect("a superuser may");
    lane(move |sql| match client.query(sql) {
        Ok(answer) => match answer.state {
            Some(state) => state,
            None => shown(answer.rows, &answer.tag),
        },
        Err(error) => error.to_string(),
    })
}

pub(crate) fn hob_lane(database: &Database) -> Lane {
    let mut session = database.connect(Startup::default()).expect("a session");
    session.run("set deadlock_timeout = '10ms'").expect("a superuser may");
    lane(move |sql| {
        let ran = session.statements(sql).and_then(|all| {
            let mut last = String::new();
            for statement in &all {
                last = match session.simple(statement)? {
                    (columns, Outcome::Rows { rows, complete }) => {
                        let columns = columns.unwrap_or_default();
                        let print = |row: &Vec<_>| {
                            let cells = row.iter().zip(&columns).map(|(value, column)| {
                                let value: &hobgoblin_sql::types::Datum = value;
                                (!value.is_null()).then(|| {
                                    text::print(value, column.ty, column.typmod, &session.types())
                                })
                            });
                            cells.collect()
                        };
                        shown(
                            rows.iter().map(print).collect(),
                            &complete.map_or_else(String::new, |done| done.to_string()),
                        )
                    }
                    (_, Outcome::Done(done)) => shown(Vec::new(), &done.to_string()),
                    (_, other) => format!("{other:?}"),
                };
            }
            Ok(last)
        });
        let answer = match ran {
            Ok(answer) => answer,
            Err(error) => {
                session.fail();
                error.state().0.to_owned()
            }
        };
        match session.sync() {
            Ok(()) => answer,
            Err(error) => error.state().0.to_owned(),
        }
    })
}

fn shown(mut rows: Vec<Vec<Option<String>>>, tag: &str) -> String {
    rows.sort();
    let rows: Vec<String> = rows
        .iter()
        .map(|row| {
            row.iter().map(|cell| cell.as_deref().unwrap_or("∅")).collect::<Vec<_>>().join(",")
        })
        .collect();
    format!("{} [{}]", tag, rows.join(" "))
}

/// What sessions answered, in order, with a mark where they had to wait.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) answers: Vec<Vec<String>>,
    /// Whether several waited when one of them could go on.
    pub(crate) race: bool,
}

/// Runs a script; `last` is done at the end, and whenever nobody can go on.
pub(crate) fn play(lanes: &[Lane], script: &[Step], last: &[Step], patience: Duration) -> Played {
    let mut race = false;
    let mut answers: Vec<Vec<String>> = vec![Vec::new(); lanes.len()];
    let mut blocked = vec![false; lanes.len()];
    let mut waiting: Vec<Vec<String>> = vec![Vec::new(); lanes.len()];
    let mut steps: std::collections::VecDeque<Step> = script.iter().cloned().collect();
    let (mut idle, mut ended) = (0, last.is_empty());
    loop {
        // Whoever can go on now does so first.
        let mut progress = false;
        for at in 0..lanes.len() {
            if !blocked[at] {
                continue;
            }
            if let Ok(answer) = lanes[at].answers.recv_timeout(patience / 4) {
                race |= blocked.iter().filter(|blocked| **blocked).count() > 1;
                answers[at].push(answer);
                blocked[at] = false;
                progress = true;
                for sql in waiting[at].drain(..).rev() {
                    steps.push_front((at, sql));
                }
            }
        }
        let Some((at, sql)) = steps.pop_front() else {
            idle = if progress { 0 } else { idle + 1 };
            let stuck = blocked.contains(&true);
            if !stuck && ended {
                return Played { answers, race };
            }
            if !ended && (!stuck || idle > 4) || idle % 20 == 19 {
                steps.extend(last.iter().cloned());
                // Who goes on after that may leave something to be ended.
                ended = !stuck;
            }
            assert!(idle < 200, "sessions wait for each other: {answers:?}");
            continue;
        };
        if blocked[at] {
            waiting[at].push(sql);
            continue;
        }
        lanes[at].ask.send(sql).expect("the session's thread is there");
        match lanes[at].answers.recv_timeout(patience) {
            Ok(answer) => answers[at].push(answer),
            Err(RecvTimeoutError::Timeout) => {
                answers[at].push("(waits)".to_owned());
                blocked[at] = true;
            }
            Err(RecvTimeoutError::Disconnected) => panic!("a session ended"),
        }
    }
}

/// Whether both sides have answered the same once.
pub(crate) fn met(theirs: &[Played], ours: &[Played]) -> bool {
    ours.iter().any(|ours| theirs.iter().any(|theirs| theirs.answers == ours.answers))
}
