//! How a script is played: its steps in order, each once every session is idle or waits for a lock.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::lanes::{Answer, Lane};
use crate::order::Step;

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) answer: Answer,
    /// The step after which it had ended, if it had to wait; the number of steps where that was after the last.
    pub(crate) until: Option<usize>,
}

/// Plays a script. Steps of a session that waits are asked when it goes on.
pub(crate) fn play(lanes: &mut [Lane], script: &[Step]) -> Vec<Played> {
    let mut played: Vec<Option<Played>> = vec![None; script.len()];
    // The steps of each session that were asked or wait to be, and those that waited.
    let mut queues: Vec<VecDeque<usize>> = vec![VecDeque::new(); lanes.len()];
    let mut waited = vec![false; script.len()];
    for now in 0..=script.len() {
        if let Some((session, sql)) = script.get(now) {
            queues[*session].push_back(now);
            match queues[*session].len() {
                1 => lanes[*session].send(sql),
                _ => waited[now] = true,
            }
        }
        while let Some((session, answer)) = settle(lanes) {
            let at = queues[session].pop_front().expect("it was asked");
            played[at] = Some(Played { answer, until: waited[at].then_some(now) });
            if let Some(&next) = queues[session].front() {
                lanes[session].send(&script[next].1);
            }
        }
        for queue in &queues {
            queue.iter().for_each(|&at| waited[at] = true);
        }
    }
    let all = played.into_iter();
    all.map(|step| step.unwrap_or(Played { answer: Answer::Error("never".into()), until: None }))
        .collect()
}

/// The next answer; nothing once all are idle or wait.
fn settle(lanes: &mut [Lane]) -> Option<(usize, Answer)> {
    let start = Instant::now();
    loop {
        for (at, lane) in lanes.iter_mut().enumerate() {
            if let Some(answer) = lane.poll() {
                return Some((at, answer));
            }
        }
        if lanes.iter().all(|lane| !lane.busy || lane.waits(start)) {
            // It may have been answered between the two questions.
            let answered =
                lanes.iter_mut().enumerate().find_map(|(at, lane)| Some((at, lane.poll()?)));
            return answered;
        }
        // One that neither answers nor waits is told by its answer, which never comes.
        if start.elapsed() > Duration::from_secs(20) {
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
