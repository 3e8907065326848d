//! `--follow`: transactions as they arrive, and violations as soon as they exist.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use hobgoblin_check::Limits;
use hobgoblin_check::online::{ArrivedEvent, ArrivedTxn, OnlineChecker, OnlineError, Violation};
use hobgoblin_check::verify::verify;
use hobgoblin_core::{Key, Level, StopReason, Target, TxnId, Verdict, Writer};
use hobgoblin_format::{Format, JsonlReader, ReadError, Record, TxnRecord, WriterRecord};

use super::examine::rejection;
use super::question::{Levels, Question, Semantics, Wanted};
use super::report::{LevelReport, Outcome, Report, Size};
use super::stop::Stop;
use crate::diagnostic::{Diagnostic, Failure, shown};
use crate::exit::Exit;
use crate::harmless::tell;
use crate::units::counted;

/// The levels that can be checked as transactions arrive.
const ONLINE: [Level; 3] = [Level::RC, Level::RA, Level::CC];

/// How long to wait for more, before looking whether somebody wants to stop.
const PATIENCE: Duration = Duration::from_millis(100);

/// How many transactions may wait to be checked.
const QUEUE: usize = 1024;

/// Checks the transactions of a file as they are appended to it, or of standard input.
pub(crate) fn run(
    files: &[PathBuf],
    question: &Question,
    stop: &Stop,
    quiet: bool,
    out: &mut dyn Write,
) -> Result<Exit, Failure> {
    let [path] = files else {
        let help = "name one file, or `-` for standard input";
        return Err(Diagnostic::new("only one file can be followed", help).into());
    };
    let file = &path.display().to_string();
    if question.format.is_some_and(|format| format != Format::Jsonl) {
        let help = format!("pipe it through `hob convert {file} - --to jsonl`, and follow `-`");
        return Err(Diagnostic::new("only jsonl can be followed", help).into());
    }
    if question.semantics == Semantics::State {
        let help = "leave out one of `--follow` and `--semantics state`";
        return Err(Diagnostic::new("states cannot be followed", help).into());
    }
    let levels = match &question.levels {
        Levels::Chosen(levels) => levels.clone(),
        _ => ONLINE.to_vec(),
    };
    let checker = OnlineChecker::new(&levels).map_err(|error| told(file, &error))?;
    let records = listen(path)?;
    stop.gently();
    let report = Report {
        file: file.clone(),
        format: Some(Format::Jsonl.name()),
        levels: ONLINE.into_iter().filter(|l| levels.contains(l)).map(LevelReport::new).collect(),
        verified: question.verify.then_some(true),
        ..Report::default()
    };
    let size = Size { sessions: 0, transactions: 0, events: 0 };
    let sessions = BTreeSet::new();
    let began = false;
    let mut follower = Follower { question, quiet, out, checker, report, size, sessions, began };
    let end = follower.follow(&records, stop, &stop.limits(Instant::now()))?;
    follower.finish(end)
}

/// Why there are no more transactions.
enum End {
    /// The input is over.
    Input,
    /// No level is left to violate.
    Levels,
    /// Somebody, or a limit, ended it.
    Stopped(StopReason),
}

struct Follower<'a> {
    question: &'a Question,
    quiet: bool,
    out: &'a mut dyn Write,
    checker: OnlineChecker,
    report: Report,
    size: Size,
    sessions: BTreeSet<Key>,
    /// Whether there was anything but blanks.
    began: bool,
}

impl Follower<'_> {
    fn follow(
        &mut self,
        records: &Receiver<Result<Record, ReadError>>,
        stop: &Stop,
        limits: &Limits,
    ) -> Result<End, Failure> {
        while !self.checker.levels().is_empty() {
            let record = records.recv_timeout(PATIENCE);
            if stop.asked() {
                return Ok(End::Stopped(StopReason::Interrupted));
            }
            if let Err(reason) = limits.check() {
                return Ok(End::Stopped(reason));
            }
            match record {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) if !self.began => {
                    return Err(ReadError::Empty { file: self.report.file.clone() }.into());
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let violations = self.checker.finish();
                    self.tell(violations)?;
                    return Ok(End::Input);
                }
                Ok(Err(error)) => return Err(error.into()),
                Ok(Ok(Record::Header(header))) => {
                    self.began = true;
                    for (key, value) in &header.initial {
                        let set = self.checker.initial(key, value);
                        set.map_err(|error| told(&self.report.file, &error))?;
                    }
                    if !header.order.is_empty() {
                        tell("warning: --follow does not look at version orders\n");
                    }
                }
                Ok(Ok(Record::Txn(txn))) => self.take(&txn)?,
            }
        }
        Ok(End::Levels)
    }

    fn take(&mut self, txn: &TxnRecord) -> Result<(), Failure> {
        self.began = true;
        self.size.transactions += 1;
        self.size.events += txn.events.len();
        if !self.sessions.contains(&txn.session) {
            self.sessions.insert(txn.session.clone());
        }
        let TxnRecord { session, name, status, line, .. } = txn;
        let arrived = ArrivedTxn { session, name: name.as_deref(), status: *status, line: *line };
        let events = txn.events.iter().map(|event| ArrivedEvent {
            kind: event.kind,
            key: &event.key,
            value: &event.value,
            writer: event.writer.as_ref().map(|writer| match writer {
                WriterRecord::Name(name) => Writer::Name(name),
                WriterRecord::Number(number) => Writer::Txn(TxnId::new(*number as usize)),
            }),
            lock: event.lock,
        });
        let violations = self.checker.push(arrived, events);
        self.tell(violations)
    }

    /// Tells violations there and then.
    fn tell(&mut self, found: Result<Vec<Violation>, OnlineError>) -> Result<(), Failure> {
        let found = found.map_err(|error| told(&self.report.file, &error))?;
        let Some(weakest) = found.last() else { return Ok(()) };
        if !self.question.json && !self.quiet {
            // One explanation does for all levels that break at once.
            let levels: Vec<&str> = found.iter().rev().map(|found| found.level.name()).collect();
            let verb = if levels.len() == 1 { "is" } else { "are" };
            let (file, levels) = (shown(&self.report.file), levels.join(", "));
            let after = counted(self.size.transactions, "transaction");
            let wanted = Wanted::of(self.question, true, false);
            let text = wanted.tell(&weakest.history, &weakest.witness);
            writeln!(self.out, "{file}: {levels} {verb} violated after {after}\n")?;
            writeln!(self.out, "{}\n", text.trim_end())?;
        }
        for violation in found {
            let answer = self.answer(&violation)?;
            let slot = self.report.levels.iter_mut().find(|a| a.level == answer.level);
            let slot = slot.expect("only levels that were asked for are violated");
            *slot = answer;
            if self.question.json {
                writeln!(self.out, "{}", slot.to_json(&self.report.file))?;
            }
        }
        Ok(self.out.flush()?)
    }

    fn answer(&self, violation: &Violation) -> Result<LevelReport, Failure> {
        let Violation { level, history, witness, .. } = violation;
        if self.question.verify {
            let verdict = Verdict::Violation(Box::new(witness.clone()));
            verify(history, Target::Level(*level), &verdict)
                .map_err(|error| rejection(&self.report.file, *level, &error))?;
        }
        let wanted = Wanted::of(self.question, false, false);
        Ok(LevelReport::new(*level).violated(history, witness, wanted))
    }

    /// Tells how it ended.
    fn finish(mut self, end: End) -> Result<Exit, Failure> {
        self.size.sessions = self.sessions.len();
        let waiting = self.checker.stats().waiting_reads;
        if let End::Stopped(reason) = &end {
            // Reads that wait may turn out wrong, and a limit is no answer; but what was received and
            // explained by the time of Ctrl-C is fine.
            if *reason != StopReason::Interrupted || waiting > 0 {
                let holds = |answer: &&mut LevelReport| answer.verdict == Outcome::Holds;
                for answer in self.report.levels.iter_mut().filter(holds) {
                    answer.verdict = Outcome::Unknown;
                    answer.reason = Some(match reason {
                        StopReason::Interrupted => {
                            format!("{} still without a writer", counted(waiting, "read"))
                        }
                        reason => reason.to_string(),
                    });
                }
            }
        }
        self.report.size = Some(self.size);
        if self.size.transactions == 0 {
            self.report.notes.push("There were no transactions.".to_owned());
        }
        self.report.find_strongest();
        let exit = self.report.exit(&self.question.levels);
        if self.question.json {
            writeln!(self.out, "{}", self.report.to_json())?;
        } else if !self.quiet {
            let parts: Vec<String> = self
                .report
                .levels
                .iter()
                .map(|answer| {
                    let word = match answer.verdict {
                        Outcome::Holds => "holds",
                        Outcome::Violated => "is violated",
                        Outcome::Unknown => "is unknown",
                    };
                    let why =
                        answer.reason.as_ref().map_or(String::new(), |why| format!(" ({why})"));
                    format!("{} {word}{why}", answer.name())
                })
                .collect();
            let txns = counted(self.size.transactions, "transaction");
            let (file, parts) = (shown(&self.report.file), parts.join(", "));
            writeln!(self.out, "{file}: {txns}: {parts}")?;
            for note in &self.report.notes {
                writeln!(self.out, "note: {note}")?;
            }
        }
        Ok(exit)
    }
}

fn told(file: &str, error: &OnlineError) -> Failure {
    let (line, help) = match error {
        OnlineError::Level { .. } => (0, "leave out `--follow` to check the other levels"),
        OnlineError::Repeated { line, .. } => {
            (*line, "write unique values, name the writers of reads, or check without `--follow`")
        }
        _ => (0, "check the whole file without `--follow`"),
    };
    let mut diagnostic = Diagnostic::new(error.to_string(), help).in_file(file);
    diagnostic.line = line.into();
    diagnostic.into()
}

/// Reads transactions in a thread of its own, so that waiting for them does not keep from stopping.
fn listen(path: &Path) -> Result<Receiver<Result<Record, ReadError>>, Failure> {
    let (sender, records) = sync_channel(QUEUE);
    let file = path.display().to_string();
    if path == Path::new("-") || !path.is_file() {
        let path = path.to_owned();
        let reader = move || match JsonlReader::open(path) {
            Ok(reader) => forward(reader, &sender),
            Err(error) => {
                let _ = sender.send(Err(error));
            }
        };
        std::thread::spawn(reader);
    } else {
        let opened = File::open(path);
        let opened = opened.map_err(|source| ReadError::Io { file: file.clone(), source })?;
        std::thread::spawn(move || forward(JsonlReader::new(Tail(opened), file), &sender));
    }
    Ok(records)
}

fn forward<R: Read>(reader: JsonlReader<R>, sender: &SyncSender<Result<Record, ReadError>>) {
    for record in reader {
        if sender.send(record).is_err() {
            return;
        }
    }
}

/// A file that may grow: its end is not the end.
struct Tail(File);

impl Read for Tail {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer)? {
                0 => std::thread::sleep(PATIENCE),
                count => return Ok(count),
            }
        }
    }
}
