//! The whole of a plan: setup, baseline, levels.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use hobgoblin_core::{Key, Level, Value};
use hobgoblin_front::{Config, Log};
use hobgoblin_server::{PgConfig, ServerConfig};
use hobgoblin_store::{Policy, Profile, Schedule};
use tokio::runtime::{Builder, Runtime};

use crate::behaviour;
use crate::diagnosis::Diagnosis;
use crate::error::RunnerError;
use crate::plan::Plan;
use crate::process::Ending;
use crate::report::{Baseline, Ended, FailureReport, LevelReport, Report};
use crate::save::save;
use crate::series::{Limit, series};
use crate::stage::{Played, Stage};
use crate::statistics::Stopping;
use crate::tally::{Failed, Run, Tally};

/// What is being run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The data is being prepared.
    Setup,
    /// The runs at SER that come first.
    Baseline,
    /// The runs at a level.
    Level(Level),
}

/// Somebody who wants to know how far the runs are.
pub trait Watch: Sync {
    /// A phase begins; so many runs are planned, if that is known.
    fn begin(&self, phase: Phase, runs: Option<u32>);
    /// A run ended; so many of this phase have failed.
    fn ran(&self, failures: u32);
}

/// Nobody.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _phase: Phase, _runs: Option<u32>) {}
    fn ran(&self, _failures: u32) {}
}

/// Carries out a plan. When `stop` is set, the runs under way are ended and the rest is left out.
pub fn run(plan: &Plan, stop: &Arc<AtomicBool>, watch: &dyn Watch) -> Result<Report, RunnerError> {
    let runtime = runtime()?;
    let stage = Stage { handle: runtime.handle(), stop, timeout: plan.timeout };
    let (initial, profile) = (plan.store.initial.clone(), OnceLock::new());
    let (schedule, steps) = (plan.schedule, AtomicU32::new(0));
    let mut campaign = Campaign { plan, stage, watch, initial, profile, schedule, steps };
    let mut report = Report {
        command: plan.command.clone(),
        seed: plan.store.seed,
        schedule: plan.schedule,
        baseline: Baseline::default(),
        levels: Vec::new(),
        weakest_passing: None,
        interrupted: false,
    };
    campaign.set_up()?;
    report.baseline = campaign.baseline()?;
    report.schedule = campaign.learn_schedule();
    if report.baseline.failures == 0 {
        let begun = Instant::now();
        let profile = campaign.profile.get().copied();
        let levels: Vec<Level> =
            plan.levels.iter().copied().filter(|&level| plan.wants(level, profile)).collect();
        for (at, &level) in levels.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            // The levels that are left share the time that is left.
            let left = (levels.len() - at) as u32;
            let now = Instant::now();
            let share = |time| now + (begun + time).saturating_duration_since(now) / left;
            report.levels.push(campaign.level(level, plan.budget.time.map(share))?);
        }
    }
    report.interrupted = stop.load(Ordering::Relaxed);
    // Connections of clients that were ended may still be there; nobody waits for them.
    runtime.shutdown_background();
    Ok(report)
}

/// Threads for all servers.
pub(crate) fn runtime() -> Result<Runtime, RunnerError> {
    let threads = Builder::new_multi_thread().enable_all().build();
    threads.map_err(|error| RunnerError::Store(format!("cannot start threads: {error}")))
}

struct Campaign<'a> {
    plan: &'a Plan,
    stage: Stage<'a>,
    watch: &'a dyn Watch,
    /// What every store holds first.
    initial: Vec<(Key, Value)>,
    /// The profile of the stores that were used; the protocol of the command decides it.
    profile: OnceLock<Profile>,
    /// In which order stores serve held requests.
    schedule: Schedule,
    /// The most steps of a run so far.
    steps: AtomicU32,
}

impl Campaign<'_> {
    /// A store for a run at a level.
    fn server(&self, level: Level, seed: u64) -> ServerConfig {
        let plan = self.plan;
        let store = Config { level, seed, initial: self.initial.clone(), ..plan.store.clone() };
        let sql = Config { level, seed, initial: self.initial.clone(), ..plan.sql_store.clone() };
        ServerConfig {
            store,
            pg: Some(PgConfig { store: Some(sql), ..PgConfig::default() }),
            granularity: plan.granularity,
            hold: plan.hold,
            schedule: self.schedule,
            delay: plan.delay.clone(),
            ..ServerConfig::default()
        }
    }

    /// Prepares the data, at SER: every run starts with what is there at the end.
    fn set_up(&mut self) -> Result<(), RunnerError> {
        let Some(setup) = &self.plan.setup else { return Ok(()) };
        self.watch.begin(Phase::Setup, None);
        let command = ["sh", "-c", setup].map(str::to_owned);
        let mut server = self.server(Level::SER, self.plan.store.seed);
        server.store.abort_rate = 0.0;
        if let Some(sql) = server.pg.as_mut().and_then(|pg| pg.store.as_mut()) {
            sql.abort_rate = 0.0;
        }
        let played = self.stage.play(&command, server, 0)?;
        if played.ending.is_failure() {
            return Err(RunnerError::Setup { ending: played.ending, output: played.output });
        }
        self.initial = played.snapshot();
        Ok(())
    }

    fn baseline(&self) -> Result<Baseline, RunnerError> {
        let runs = Some(self.plan.baseline_runs);
        self.watch.begin(Phase::Baseline, runs);
        let limit = Limit { runs, deadline: None, until_fail: false };
        let (tally, ended) = self.series(Level::SER, limit)?;
        let LevelReport { runs, failures, failure, .. } = tally.report(Level::SER, ended);
        Ok(Baseline { runs, failures, failure })
    }

    /// The schedule of the runs that follow the baseline, whose number of steps is known now. It is the same
    /// for all of them, so that a seed is a run however many came before.
    fn learn_schedule(&mut self) -> Schedule {
        self.schedule = self.schedule.learn(*self.steps.get_mut());
        self.schedule
    }

    fn level(&self, level: Level, deadline: Option<Instant>) -> Result<LevelReport, RunnerError> {
        let budget = self.plan.budget;
        self.watch.begin(Phase::Level(level), budget.runs);
        let limit = Limit { runs: budget.runs, deadline, until_fail: budget.until_fail };
        let (mut tally, ended) = self.series(level, limit)?;
        if budget.until_fail {
            tally.stopping = Stopping::Failure { policies: self.policies() };
        }
        for failed in &mut tally.kept {
            save(failed, level, self.plan, self.schedule)?;
        }
        Ok(tally.report(level, ended))
    }

    /// How many policies the runs take turns with.
    fn policies(&self) -> u32 {
        match (self.profile.get(), self.plan.store.policy) {
            (Some(Profile::Spec) | None, None) => Policy::ROTATION.len() as u32,
            (Some(Profile::Postgres | Profile::Mysql), _) | (_, Some(_)) => 1,
        }
    }

    fn series(&self, level: Level, limit: Limit) -> Result<(Tally<Log>, Ended), RunnerError> {
        let (jobs, stop) = (self.plan.jobs.get(), self.stage.stop);
        series(limit, jobs, stop, self.watch, |number| {
            let seed = self.plan.seed(number);
            let played =
                self.stage.play(&self.plan.command, self.server(level, seed), number + 1)?;
            let _ = self.profile.set(played.profile());
            self.steps.fetch_max(played.steps(), Ordering::Relaxed);
            judge(played, seed, number + 1, stop)
        })
    }
}

/// What a run came to; nothing if it was stopped.
pub(crate) fn judge(
    played: Played,
    seed: u64,
    run: u32,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Run<Log>>, RunnerError> {
    if played.ending == Ending::Stopped {
        return Ok(None);
    }
    let (history, policy) = (played.history()?, played.policy());
    let behaviour = behaviour::of(&history);
    let refused = played.stats.refused;
    if !played.ending.is_failure() {
        return Ok(Some(Run { behaviour, refused, failed: None }));
    }
    let log = played.log()?;
    let report = FailureReport {
        run,
        seed,
        policy,
        ending: played.ending,
        refused,
        events: history.num_events(),
        diagnosis: Diagnosis::of(&history, stop),
        output: played.output,
        log: None,
        history: None,
    };
    Ok(Some(Run { behaviour, refused, failed: Some(Failed { report, log, history }) }))
}
