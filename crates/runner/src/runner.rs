//! The whole of a plan: setup, baseline, levels.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use hobgoblin_core::Level;
use hobgoblin_front::{Config, Log};
#[cfg(feature = "mysql")]
use hobgoblin_server::MySqlConfig;
use hobgoblin_server::{PgConfig, ServerConfig};
use hobgoblin_store::{Policy, Profile, Schedule};
use tokio::runtime::{Builder, Runtime};

use crate::behaviour;
use crate::cache::{Cache, Data};
use crate::diagnosis::Diagnosis;
use crate::error::RunnerError;
use crate::plan::Plan;
use crate::process::Ending;
use crate::report::{Baseline, Ended, FailureReport, LevelReport, Report, SetupReport};
use crate::save::save;
use crate::series::{Limit, series};
use crate::stage::{Played, Stage};
use crate::statistics::Stopping;
use crate::tally::{Failed, Meeting, Run, Tally};
use crate::watch::{Phase, Watch};

/// How many times the patience a baseline run has whose transactions overlapped before.
const MORE: u32 = 30;

/// Carries out a plan. When `stop` is set, the runs under way are ended and the rest is left out.
pub fn run(plan: &Plan, stop: &Arc<AtomicBool>, watch: &dyn Watch) -> Result<Report, RunnerError> {
    let runtime = runtime()?;
    let stage = Stage {
        handle: runtime.handle(),
        stop,
        timeout: plan.timeout,
        mysql_first: plan.mysql_first,
    };
    let (initial, profile) = (plan.store.initial.clone(), OnceLock::new());
    let (schedule, steps) = (plan.schedule, AtomicU32::new(0));
    let mut campaign = Campaign { plan, stage, watch, initial, profile, schedule, steps };
    let mut report = Report {
        command: plan.command.clone(),
        seed: plan.store.seed,
        setup: None,
        schedule: plan.schedule,
        baseline: Baseline::none(plan.baseline_level()),
        levels: Vec::new(),
        weakest_passing: None,
        interrupted: false,
    };
    report.setup = campaign.set_up()?;
    report.baseline = campaign.baseline()?;
    report.schedule = campaign.learn_schedule();
    if !report.baseline.stops() {
        let begun = Instant::now();
        let levels = plan.levels(campaign.profile.get().copied());
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
    initial: Data,
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
        let store = plan.store.clone().level(level).seed(seed).initial_values(self.initial.clone());
        let sql =
            plan.sql_store.clone().level(level).seed(seed).initial_values(self.initial.clone());
        #[cfg(feature = "mysql")]
        let mysql = {
            let set = |store: &Config| {
                store.clone().level(level).seed(seed).initial_values(self.initial.clone())
            };
            let set_up = |mysql: &MySqlConfig| MySqlConfig {
                store: mysql.store.as_ref().map(set),
                ..mysql.clone()
            };
            plan.mysql.as_ref().map(set_up)
        };
        ServerConfig {
            store,
            pg: Some(PgConfig { store: Some(sql), ..PgConfig::new(plan.dialects.postgres) }),
            #[cfg(feature = "mysql")]
            mysql,
            granularity: plan.granularity,
            settings: plan.settings.clone(),
            hold: plan.hold,
            schedule: self.schedule,
            delay: plan.delay.clone(),
            ..ServerConfig::default()
        }
    }

    /// The same for runs in which transactions come one at a time and reads return the newest version, so
    /// that the level plays no part.
    fn serial_server(&self, seed: u64, patience: Duration) -> ServerConfig {
        let mut server = self.server(self.plan.baseline_level(), seed);
        server.serial = Some(patience);
        for store in stores(&mut server) {
            store.policy = Some(Policy::Latest);
        }
        server
    }

    /// Prepares the data, or takes it from the file that keeps it: every run starts with it.
    fn set_up(&mut self) -> Result<Option<SetupReport>, RunnerError> {
        let Some(setup) = &self.plan.setup else { return Ok(None) };
        let Some(path) = &self.plan.setup_cache else {
            self.initial = self.data(setup)?;
            return Ok(None);
        };
        let cache = Cache::new(self.plan, setup, path);
        let (data, cached, why) = match cache.read() {
            Ok(data) => (data, true, None),
            Err(why) => {
                let writing = cache.begin()?;
                let data = self.data(setup)?;
                if !self.stage.stop.load(Ordering::Relaxed) {
                    writing.finish(&data)?;
                }
                (data, false, why)
            }
        };
        self.initial = data;
        Ok(Some(SetupReport { file: path.clone(), cached, why }))
    }

    /// What the setup leaves. It runs with one transaction at a time.
    fn data(&self, setup: &str) -> Result<Data, RunnerError> {
        self.watch.begin(Phase::Setup, None);
        let command = ["sh", "-c", setup].map(str::to_owned);
        let mut server = self.serial_server(self.plan.store.seed, MORE * self.plan.patience());
        for store in stores(&mut server) {
            store.abort_rate = 0.0;
        }
        let stage = Stage { timeout: self.plan.setup_timeout, ..self.stage };
        let played = stage.play(&command, server, 0)?;
        if played.ending.is_failure() {
            let timeout = self.plan.setup_timeout;
            return Err(RunnerError::Setup {
                ending: played.ending,
                timeout,
                output: played.output,
            });
        }
        played.snapshot()
    }

    fn baseline(&self) -> Result<Baseline, RunnerError> {
        let runs = Some(self.plan.baseline_runs);
        self.watch.begin(Phase::Baseline, runs);
        let limit = Limit { runs, deadline: None, until_fail: false };
        let (tally, ended) = self.series(limit, |seed, run| self.play_serially(seed, run))?;
        Ok(tally.baseline(self.plan.baseline_level(), ended))
    }

    /// Makes a run with one transaction at a time. A client may have been idle because the machine was busy:
    /// a run that failed although its transactions should not have overlapped is made once more, with more
    /// patience.
    fn play_serially(&self, seed: u64, run: u32) -> Result<Played, RunnerError> {
        let patience = self.plan.patience();
        let play =
            |patience| self.stage.play(&self.plan.command, self.serial_server(seed, patience), run);
        let played = play(patience)?;
        match played.ending.is_failure() && played.overlap().is_some() {
            true => play(MORE * patience),
            false => Ok(played),
        }
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
        let checked_as = OnceLock::new();
        let (mut tally, ended) = self.series(limit, |seed, run| {
            let played = self.stage.play(&self.plan.command, self.server(level, seed), run)?;
            checked_as.get_or_init(|| played.checked_as());
            Ok(played)
        })?;
        if budget.until_fail {
            tally.stopping = Stopping::Failure { policies: self.policies() };
        }
        for failed in &mut tally.kept {
            save(failed, level, self.plan, self.schedule)?;
        }
        let checked_as = checked_as.into_inner().flatten();
        Ok(LevelReport { checked_as, ..tally.report(level, ended) })
    }

    /// How many policies the runs take turns with.
    fn policies(&self) -> u32 {
        let choose = self.profile.get().is_none_or(|profile| profile.chooses());
        match self.plan.store.policy {
            None if choose => Policy::ROTATION.len() as u32,
            _ => 1,
        }
    }

    /// Makes runs by `play`, which gets a seed and a number from 1.
    fn series(
        &self,
        limit: Limit,
        play: impl Fn(u64, u32) -> Result<Played, RunnerError> + Sync,
    ) -> Result<(Tally<Log>, Ended), RunnerError> {
        let (jobs, stop) = (self.plan.jobs.get(), self.stage.stop);
        series(limit, jobs, stop, self.watch, |number| {
            let seed = self.plan.seed(number);
            let played = play(seed, number + 1)?;
            let _ = self.profile.set(played.profile());
            self.steps.fetch_max(played.steps(), Ordering::Relaxed);
            judge(played, seed, number + 1, stop)
        })
    }
}

/// The store of a server, and the one it has for SQL.
fn stores(server: &mut ServerConfig) -> impl Iterator<Item = &mut Config> {
    let sql = server.pg.as_mut().and_then(|pg| pg.store.as_mut());
    let all = std::iter::once(&mut server.store).chain(sql);
    #[cfg(feature = "mysql")]
    let all = all.chain(server.mysql.as_mut().and_then(|mysql| mysql.store.as_mut()));
    all
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
    let (used, overlapped) = (played.used(), played.overlapped());
    let meeting = Meeting { used, overlapped, overlap: played.overlap() };
    if !played.ending.is_failure() {
        return Ok(Some(Run { behaviour, refused, meeting, failed: None }));
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
    Ok(Some(Run { behaviour, refused, meeting, failed: Some(Failed { report, log, history }) }))
}
