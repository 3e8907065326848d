//! One connection: messages in, answers out, until it ends.
//!
//! A cycle begins after ReadyForQuery. It is one simple query, or any number of messages of the extended
//! protocol up to a Sync. After an error in the latter everything up to the Sync is skipped. Answers are
//! sent when the cycle ends, or when the client asks (Flush), or when they are many.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hobgoblin_sql_postgres::session::{Done, Session, Startup, TransactionStatus};
use hobgoblin_sql_postgres_types::error::{Severity, SqlError};
use hobgoblin_wire::pg::{Frontend, Status};

use super::channel::{Channel, Received};
use super::errors::{self, End, fatal};
use super::shared::Shared;
use super::values::Scratch;
use crate::listen::seats::{Cancels, Seat};
use crate::run::Run;

/// The settings a client is told at the start, and their values where the session has none.
const REPORTED: [(&str, &str); 13] = [
    ("application_name", ""),
    ("client_encoding", "UTF8"),
    ("DateStyle", "ISO, MDY"),
    ("default_transaction_read_only", "off"),
    ("in_hot_standby", "off"),
    ("integer_datetimes", "on"),
    ("IntervalStyle", "postgres"),
    ("is_superuser", "on"),
    ("server_encoding", "UTF8"),
    ("server_version", "15.0"),
    ("session_authorization", ""),
    ("standard_conforming_strings", "on"),
    ("TimeZone", "UTC"),
];

/// How often a session that listens looks for notifications.
const LISTENING: Duration = Duration::from_millis(20);

/// A connection with its session.
pub(crate) struct Connection<'a> {
    pub(crate) channel: &'a mut Channel,
    pub(crate) session: Session,
    pub(crate) scratch: Scratch,
    run: Arc<Run>,
    /// Whether everything up to the next Sync is skipped.
    skipping: bool,
    /// Whether a cycle has begun.
    begun: bool,
    listens: bool,
    /// Since when it waits for its client.
    idle_since: Instant,
}

/// Why an answer was cut short: by an error for the client, or for good.
pub(crate) enum Stop {
    Error(SqlError),
    End(End),
}

impl From<SqlError> for Stop {
    fn from(error: SqlError) -> Stop {
        Stop::Error(error)
    }
}

impl From<End> for Stop {
    fn from(end: End) -> Stop {
        Stop::End(end)
    }
}

impl<'a> Connection<'a> {
    /// Opens a session and greets the client.
    pub(crate) fn open(
        shared: &Arc<Shared>,
        seat: &Seat,
        channel: &'a mut Channel,
        wanted: Startup,
    ) -> Result<Connection<'a>, End> {
        let ending = |error: SqlError| End::Fatal(error.severity(Severity::Fatal));
        let run = shared.app.run_for_sql(shared.config.store.as_ref()).map_err(|error| {
            End::Fatal(fatal("XX000", format!("the store does not start: {error}")))
        })?;
        let user = wanted.user.clone();
        run.tick();
        let taken = |why| End::Fatal(fatal("0A000", why));
        let database = run.databases.postgres().map_err(taken)?;
        let session = database.connect(wanted).map_err(ending)?;
        register(seat, run.number, &session);
        for (name, default) in REPORTED {
            let default = if name == "session_authorization" { &user } else { default };
            let value = session.setting(name).unwrap_or_else(|| default.to_owned());
            channel.out.parameter_status(name, &value);
        }
        channel.out.backend_key(session.pid(), session.secret());
        let scratch = Scratch::default();
        let mut connection = Connection {
            channel,
            session,
            scratch,
            run,
            skipping: false,
            begun: false,
            listens: false,
            idle_since: Instant::now(),
        };
        // These were told above.
        connection.session.take_changed_settings();
        connection.ready()?;
        Ok(connection)
    }

    /// Answers messages until the connection ends.
    pub(crate) fn serve(mut self) -> Result<(), End> {
        loop {
            let limit = self.wait_limit()?;
            let message = match self.channel.receive()? {
                Received::Message(message) => message,
                // What is left over from a COPY that failed is not looked into.
                Received::Broken(error) if matches!(error.tag, b'c' | b'f') => continue,
                Received::Broken(error) => {
                    let extended = error.is_extended();
                    if !self.skipping {
                        self.error(errors::of_protocol(error))?;
                        match extended {
                            true => self.skipping = true,
                            false => self.sync()?,
                        }
                        self.channel.flush()?;
                    }
                    continue;
                }
                Received::Nothing => {
                    if let Some((time, error)) = limit
                        && self.idle_since.elapsed() >= time
                    {
                        return Err(End::Fatal(error));
                    }
                    self.idle()?;
                    continue;
                }
            };
            match message {
                Frontend::Terminate => return Ok(()),
                Frontend::Sync => {
                    self.skipping = false;
                    self.sync()?;
                }
                _ if self.skipping => {}
                message => self.answer(message)?,
            }
        }
    }

    /// How long the client may send nothing, and what it is told then; a wait for its next message lasts no
    /// longer.
    fn wait_limit(&mut self) -> Result<Option<(Duration, SqlError)>, End> {
        let limit = if self.begun { None } else { self.session.idle_limit() };
        let left = limit.as_ref().map(|(time, _)| time.saturating_sub(self.idle_since.elapsed()));
        let listens = self.listens.then_some(LISTENING);
        let wait = left.into_iter().chain(listens).min();
        self.channel.wake_after(wait.map(|wait| wait.max(Duration::from_millis(1))))?;
        Ok(limit)
    }

    fn answer(&mut self, message: Frontend) -> Result<(), End> {
        self.begin();
        let result = match message {
            Frontend::Query(sql) => return self.query(&sql),
            Frontend::Parse { name, sql, types } => self.parse(&name, &sql, &types),
            Frontend::Bind(bind) => self.bind(bind),
            Frontend::Describe(target, name) => self.describe(target, &name),
            Frontend::Execute { portal, max_rows } => self.execute(&portal, max_rows),
            Frontend::Close(target, name) => {
                self.close(target, &name);
                Ok(())
            }
            Frontend::Flush => self.channel.flush().map_err(Stop::End),
            Frontend::FunctionCall => {
                self.error(SqlError::unsupported("the function call message"))?;
                return self.sync();
            }
            // Left over from a COPY that failed.
            Frontend::CopyData(_) | Frontend::CopyDone | Frontend::CopyFail(_) => Ok(()),
            Frontend::Password(_) => {
                return Err(End::Fatal(fatal("08P01", "invalid frontend message type 112")));
            }
            Frontend::Sync | Frontend::Terminate => Ok(()),
        };
        match result {
            Ok(()) => self.channel.flush_large(),
            Err(Stop::End(end)) => Err(end),
            Err(Stop::Error(error)) => {
                self.skipping = true;
                self.error(error)?;
                // The client may wait for it before it sends the Sync.
                self.channel.flush()
            }
        }
    }

    /// A message that may need the store: tells the time, and waits before a transaction if that is wanted.
    fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            if self.session.status() == TransactionStatus::Idle {
                self.run.pause();
            }
        }
        self.run.tick();
    }

    /// Tells the client of an error, which the transaction does not survive; nor does the connection, if it
    /// is fatal.
    pub(crate) fn error(&mut self, error: SqlError) -> Result<(), End> {
        self.notices();
        self.session.fail();
        if error.severity == Severity::Fatal {
            return Err(End::Fatal(error));
        }
        errors::send(&mut self.channel.out, &error);
        Ok(())
    }

    /// Sends the session's notices to the client.
    pub(crate) fn notices(&mut self) {
        for notice in self.session.take_notices() {
            errors::send(&mut self.channel.out, &notice);
        }
    }

    /// Tells the client that a statement is done.
    pub(crate) fn complete(&mut self, done: Done) {
        self.listens |= done.verb == "LISTEN";
        self.notices();
        self.channel.out.command_complete(&done.to_string());
    }

    /// The end of a cycle.
    pub(crate) fn sync(&mut self) -> Result<(), End> {
        if let Err(error) = self.session.sync() {
            self.error(error)?;
        }
        self.notices();
        self.ready()
    }

    /// Tells the client that the next cycle may begin.
    pub(crate) fn ready(&mut self) -> Result<(), End> {
        self.begun = false;
        for (name, value) in self.session.take_changed_settings() {
            self.channel.out.parameter_status(&name, &value);
        }
        let status = match self.session.status() {
            TransactionStatus::Idle => Status::Idle,
            TransactionStatus::Active => Status::Active,
            TransactionStatus::Failed => Status::Failed,
        };
        if status == Status::Idle {
            self.notifications();
        }
        self.channel.out.ready(status);
        self.idle_since = Instant::now();
        self.channel.flush()
    }

    fn notifications(&mut self) {
        for (pid, channel, payload) in self.session.take_notifications() {
            self.channel.out.notification(pid, &channel, &payload);
        }
    }

    /// Nothing came for a while: the client waits for notifications, perhaps.
    fn idle(&mut self) -> Result<(), End> {
        if !self.begun && self.session.status() == TransactionStatus::Idle {
            self.notifications();
            self.channel.flush()?;
        }
        Ok(())
    }
}

/// Makes a session known to those who may cancel or end it.
fn register(seat: &Seat, run: u32, session: &Session) {
    let (key, canceller) = ((session.pid(), session.secret()), session.canceller());
    let cancel = Box::new(move || canceller.cancel());
    session.on_terminate(seat.register(Cancels { run, key: Some(key), cancel }));
}
