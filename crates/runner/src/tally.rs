//! The runs of a level as they come in: counted, and the few that will be shown kept.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hobgoblin_core::{History, Level};

use crate::diagnosis::Diagnosis;
use crate::process::Ending;
use crate::report::{AnomalyCount, Baseline, BehaviourReport, Ended, FailureReport, LevelReport};
use crate::statistics::{Behaviours, Rate, Stopping};

/// One run, and what is kept of it.
#[derive(Debug)]
pub(crate) struct Run<L> {
    pub(crate) behaviour: u64,
    pub(crate) refused: u64,
    pub(crate) meeting: Meeting,
    pub(crate) failed: Option<Failed<L>>,
}

/// What is known of how the transactions of a run met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// Whether the command used its store.
    pub(crate) used: bool,
    /// Whether two transactions overlapped, or a read had more than one version to choose from.
    pub(crate) overlapped: bool,
    /// Why they overlapped where they should have come one at a time.
    pub(crate) overlap: Option<String>,
}

/// A failing run with what is needed to save it: its log and its history.
#[derive(Debug)]
pub(crate) struct Failed<L> {
    pub(crate) report: FailureReport,
    pub(crate) log: L,
    pub(crate) history: History,
}

impl<L> Failed<L> {
    /// By this the easier of two failures is chosen: smaller is easier to understand.
    fn size(&self) -> (usize, usize, u32) {
        let text = match &self.report.diagnosis {
            Diagnosis::Anomaly(finding) => finding.text.len(),
            _ => usize::MAX,
        };
        (self.report.events, text, self.report.run)
    }
}

/// The runs of a level so far.
#[derive(Debug)]
pub(crate) struct Tally<L = ()> {
    runs: u32,
    failures: u32,
    hangs: u32,
    first_failing_seed: Option<u64>,
    behaviours: Behaviours,
    refused: u64,
    used: u32,
    overlapped: u32,
    /// Runs whose transactions overlapped although they should have come one at a time, and why first.
    beside: u32,
    overlap: Option<String>,
    /// Failing runs in which nothing was refused and transactions came one at a time, or could have; and the
    /// first of them.
    own_failures: u32,
    own_failure: Option<Box<FailureReport>>,
    anomalies: BTreeMap<&'static str, AnomalyCount>,
    /// What ends the runs, which the interval of the rate depends on.
    pub(crate) stopping: Stopping,
    /// The run with the smallest history for each anomaly, and the one that failed first.
    pub(crate) kept: Vec<Failed<L>>,
}

impl<L> Default for Tally<L> {
    fn default() -> Tally<L> {
        Tally {
            runs: 0,
            failures: 0,
            hangs: 0,
            first_failing_seed: None,
            behaviours: Behaviours::default(),
            refused: 0,
            used: 0,
            overlapped: 0,
            beside: 0,
            overlap: None,
            own_failures: 0,
            own_failure: None,
            anomalies: BTreeMap::new(),
            stopping: Stopping::default(),
            kept: Vec::new(),
        }
    }
}

impl<L> Tally<L> {
    /// Counts a run. They come in the order of their numbers.
    pub(crate) fn add(&mut self, run: Run<L>) {
        self.runs += 1;
        self.refused += run.refused;
        self.behaviours.add(run.behaviour);
        let Meeting { used, overlapped, overlap } = run.meeting;
        self.used += u32::from(used);
        self.overlapped += u32::from(overlapped);
        let apart = overlap.is_none();
        self.beside += u32::from(!apart);
        self.overlap = self.overlap.take().or(overlap);
        let Some(failed) = run.failed else { return };
        self.failures += 1;
        self.hangs += u32::from(failed.report.ending == Ending::Hang);
        let serializable = matches!(failed.report.diagnosis, Diagnosis::Serializable);
        if failed.report.refused == 0 && (apart || serializable) {
            self.own_failures += 1;
            self.own_failure.get_or_insert_with(|| Box::new(failed.report.clone()));
        }
        let (seed, code) = (failed.report.seed, failed.report.diagnosis.code());
        let title = failed.report.diagnosis.title();
        let new = AnomalyCount { anomaly: code, title, runs: 0, seed };
        self.anomalies.entry(code).or_insert(new).runs += 1;
        if self.first_failing_seed.is_none() {
            self.first_failing_seed = Some(seed);
            self.kept.push(failed);
            return;
        }
        // The first stays whatever comes; a smaller one of its kind is kept beside it.
        let alike = |kept: &Failed<L>| kept.report.diagnosis.code() == code;
        match self.kept.iter().rposition(alike) {
            Some(at) if failed.size() >= self.kept[at].size() => {}
            Some(at) if at > 0 => self.kept[at] = failed,
            _ => self.kept.push(failed),
        }
    }

    /// What they came to, as runs in which transactions came one at a time.
    pub(crate) fn baseline(mut self, level: Level, ended: Ended) -> Baseline {
        let (own_failures, overlapped) = (self.own_failures, self.beside);
        let (own, overlap) = (self.own_failure.take(), self.overlap.take());
        let LevelReport { runs, failures, refused, failure, .. } = self.report(level, ended);
        let failure = own.or(failure);
        Baseline { level, runs, failures, own_failures, refused, overlapped, overlap, failure }
    }

    /// What they came to.
    pub(crate) fn report(self, level: Level, ended: Ended) -> LevelReport {
        let smallest = self.kept.into_iter().min_by_key(Failed::size);
        let mut anomalies: Vec<AnomalyCount> = self.anomalies.into_values().collect();
        anomalies.sort_by_key(|count| (Reverse(count.runs), count.anomaly));
        LevelReport {
            level,
            checked_as: None,
            runs: self.runs,
            failures: self.failures,
            hangs: self.hangs,
            first_failing_seed: self.first_failing_seed,
            rate: Rate::of(self.failures, self.runs, self.stopping),
            behaviours: BehaviourReport {
                distinct: self.behaviours.distinct(),
                chance_of_new: self.behaviours.chance_of_new(),
                chance_of_new_high: self.behaviours.chance_of_new_high(),
                unseen: self.behaviours.unseen(),
            },
            refused: self.refused,
            used: self.used,
            overlapped: self.overlapped,
            ended,
            anomalies,
            failure: smallest.map(|failed| Box::new(failed.report)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Output;

    pub(crate) fn failing(
        run: u32,
        events: usize,
        diagnosis: Diagnosis,
        ending: Ending,
    ) -> Run<()> {
        let history = hobgoblin_core::HistoryBuilder::new().finish().expect("empty is fine");
        let report = FailureReport {
            run,
            seed: u64::from(run) + 100,
            policy: None,
            ending,
            refused: 0,
            events,
            diagnosis,
            output: Output::default(),
            log: None,
            history: None,
        };
        let failed = Some(Failed { report, log: (), history });
        Run { behaviour: 1, refused: 2, meeting: Meeting::default(), failed }
    }

    #[test]
    fn the_first_and_the_smallest_of_each_kind_are_kept() {
        let undecided = || Diagnosis::Undecided("time".into());
        let mut tally = Tally::default();
        tally.add(Run { behaviour: 0, refused: 0, meeting: Meeting::default(), failed: None });
        for run in [
            failing(2, 9, Diagnosis::Serializable, Ending::Exit(1)),
            failing(3, 12, Diagnosis::Serializable, Ending::Exit(1)),
            failing(4, 5, Diagnosis::Serializable, Ending::Hang),
            failing(5, 7, undecided(), Ending::Signal(6)),
            failing(6, 4, Diagnosis::Serializable, Ending::Exit(1)),
            failing(7, 8, undecided(), Ending::Exit(1)),
        ] {
            tally.add(run);
        }
        let kept: Vec<u32> = tally.kept.iter().map(|failed| failed.report.run).collect();
        assert_eq!(kept, [2, 6, 5]);
        let report = tally.report(Level::RC, Ended::Runs);
        assert_eq!((report.runs, report.failures, report.hangs, report.refused), (7, 6, 1, 12));
        assert_eq!((report.first_failing_seed, report.behaviours.distinct), (Some(102), 2));
        let counts: Vec<_> = report.anomalies.iter().map(|c| (c.anomaly, c.runs, c.seed)).collect();
        assert_eq!(counts, [("none", 4, 102), ("undecided", 2, 105)]);
        assert_eq!(report.failure.map(|failure| failure.run), Some(6));
    }

    /// Who fails by itself, and who fails because of isolation, even where there should be none.
    #[test]
    fn failures_of_the_baseline_are_told_apart() {
        let overlap = || Some("session 2 waited".to_owned());
        let undecided = || Diagnosis::Undecided("time".into());
        for (diagnosis, refused, overlap, own) in [
            (Diagnosis::Serializable, 0, None, true),
            (Diagnosis::Serializable, 0, overlap(), true),
            (undecided(), 0, None, true),
            (undecided(), 0, overlap(), false),
            (Diagnosis::Serializable, 1, None, false),
        ] {
            let what = format!("{diagnosis:?} {refused} {overlap:?}");
            let mut run = failing(1, 3, diagnosis, Ending::Exit(1));
            run.meeting.overlap = overlap.clone();
            run.failed.as_mut().expect("it failed").report.refused = refused;
            let mut tally = Tally::default();
            tally.add(run);
            let baseline = tally.baseline(Level::RC, Ended::Runs);
            assert_eq!((baseline.failures, baseline.stops()), (1, own), "{what}");
            let beside = u32::from(overlap.is_some());
            assert_eq!((baseline.overlapped, baseline.overlap), (beside, overlap), "{what}");
        }
    }
}
