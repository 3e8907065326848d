//! One connection: commands in, answers out, until it ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hobgoblin_sql_mysql::session::{Done, Session};
use hobgoblin_sql_schema::SqlError;
use hobgoblin_wire::mysql::{Authentication, Command, Completion, Login, Status, Step, Version};

use super::answer;
use super::channel::Channel;
use super::columns::described;
use super::entrance::{self, Entered};
use super::errors::{End, Failure};
use super::sender::{Format, Sender};
use super::shared::Shared;
use super::statements::Statements;
use crate::listen::seats::{Cancels, Seat};
use crate::run::Run;

/// A connection with its session.
pub(crate) struct Connection<'a> {
    pub(crate) channel: &'a mut Channel,
    pub(crate) session: Session,
    pub(crate) statements: Statements,
    pub(crate) version: Version,
    /// How many bytes of parameters may come in pieces.
    pub(crate) max_long_data: usize,
    run: Arc<Run>,
    authentication: Authentication,
    host: String,
    /// Since when it waits for its client.
    idle_since: Instant,
}

/// Why an answer was cut short: by an error of SQL, of the protocol, or for good.
pub(crate) enum Stop {
    Error(SqlError),
    Failure(Failure),
    End(End),
}

impl From<SqlError> for Stop {
    fn from(error: SqlError) -> Stop {
        Stop::Error(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failure(failure)
    }
}

impl From<End> for Stop {
    fn from(end: End) -> Stop {
        Stop::End(end)
    }
}

impl<'a> Connection<'a> {
    /// Opens a session and tells the client that it is in.
    pub(crate) fn open(
        shared: &Arc<Shared>,
        seat: &Seat,
        channel: &'a mut Channel,
        entered: Entered,
    ) -> Result<Connection<'a>, End> {
        let run = shared
            .app
            .run_for_sql(shared.config.store.as_ref())
            .map_err(|error| Failure::internal(format!("the store does not start: {error}")))?;
        run.tick();
        let database = run.databases.mysql().map_err(Failure::internal)?;
        let Entered { wanted, authentication } = entered;
        let host = wanted.host.clone();
        let version = shared.config.version;
        let ended = |error| End::Fatal(Failure::before(error, shared.config.spoken()));
        let session = database.connect(wanted).map_err(ended)?;
        register(seat, run.number, &session);
        let mut connection = Connection {
            channel,
            session,
            statements: Statements::default(),
            version,
            max_long_data: shared.config.max_command(),
            run,
            authentication,
            host,
            idle_since: Instant::now(),
        };
        connection.ok();
        connection.channel.flush()?;
        Ok(connection)
    }

    /// Answers commands until the connection ends.
    pub(crate) fn serve(mut self) -> Result<(), End> {
        loop {
            self.idle_since = Instant::now();
            let Some(payload) = self.next()? else { return Ok(()) };
            let answered = match Command::decode(payload, self.channel.out.agreed()) {
                Ok(Command::Quit) => return Ok(()),
                Ok(command) => self.answer(command),
                Err(error) => Err(Stop::Failure(error.into())),
            };
            match answered {
                Ok(()) => {}
                Err(Stop::Failure(failure)) => failure.write(&mut self.channel.out),
                Err(Stop::Error(_)) if self.session.is_terminated() => {
                    return Err(End::Fatal(Failure::killed(self.version)));
                }
                Err(Stop::Error(error)) => {
                    let told = self.session.worded(error);
                    let ends = told.ends;
                    let failure = Failure::from(told);
                    if ends {
                        return Err(End::Fatal(failure));
                    }
                    failure.write(&mut self.channel.out);
                }
                Err(Stop::End(end)) => return Err(end),
            }
            self.channel.flush()?;
            if self.session.is_terminated() {
                return Ok(());
            }
        }
    }

    /// The next command; `None` if none came for so long that the session ends, which MySQL does without a word.
    fn next(&mut self) -> Result<Option<bytes::Bytes>, End> {
        let limit = self.session.idle_limit();
        loop {
            let left = limit.map(|limit| limit.saturating_sub(self.idle_since.elapsed()));
            self.channel.wake_after(left.map(|left| left.max(Duration::from_millis(1))))?;
            match self.channel.command()? {
                Some(payload) => return Ok(Some(payload)),
                None if left.is_some_and(|left| left.is_zero()) => return Ok(None),
                None => {}
            }
        }
    }

    fn answer(&mut self, command: Command) -> Result<(), Stop> {
        match command {
            Command::Query(text) => self.query(&text)?,
            Command::Execute(execute) => {
                self.begin();
                self.execute(&execute)?;
            }
            Command::Prepare(text) => self.prepare(&text)?,
            Command::Fetch { statement, rows } => self.fetch(statement, rows)?,
            Command::Reset(statement) => self.reset_statement(statement)?,
            // These three have no answer.
            Command::SendLongData(piece) => self.statements.take_piece(&piece),
            Command::Close(statement) => {
                if let Some(statement) = self.statements.close(statement) {
                    self.session.close(statement);
                }
            }
            Command::Nothing => {}
            Command::Ping => self.ok(),
            Command::InitDb(name) => {
                self.session.use_database(&name)?;
                self.ok();
            }
            Command::FieldList { table, pattern } => self.fields(&table, &pattern)?,
            Command::Statistics => {
                let line = self.session.statistics();
                self.channel.out.statistics(line.as_bytes());
            }
            Command::ProcessKill(number) => {
                self.session.kill(number)?;
                if self.session.is_terminated() {
                    return Err(End::Fatal(Failure::killed(self.version)).into());
                }
                self.ok();
            }
            Command::SetMultiStatements(allowed) => {
                self.session.set_multi_statements(allowed);
                let status = answer::status(&self.session.status());
                self.channel.out.end_of_rows(&Completion { status, ..Completion::default() });
            }
            Command::ResetConnection => {
                self.statements = Statements::default();
                self.session.reset()?;
                self.ok();
            }
            Command::ChangeUser(login) => self.change_user(&login)?,
            Command::Quit => {}
            Command::Unknown(_) => return Err(Failure::unknown_command().into()),
        }
        Ok(())
    }

    /// A command that may need the store: tells the time, and waits before a transaction if that is wanted.
    fn begin(&mut self) {
        if !self.session.status().in_transaction {
            self.run.pause();
        }
        self.run.tick();
    }

    /// Answers a COM_QUERY: runs a text, which may be several statements.
    fn query(&mut self, text: &[u8]) -> Result<(), Stop> {
        self.begin();
        let mut sender = Sender::new(self.channel, self.version, Format::Text);
        let ran = self.session.query(text, &mut sender);
        sender.finish(&self.session.take_changes())?;
        Ok(ran?)
    }

    /// Answers a COM_FIELD_LIST: tells the columns of a table.
    fn fields(&mut self, table: &[u8], pattern: &[u8]) -> Result<(), Stop> {
        let fields = self.session.fields(table, pattern)?;
        let status = answer::status(&self.session.status());
        let version = self.version;
        let all: Vec<_> = fields
            .iter()
            .map(|(column, default)| {
                (described(column, version), default.as_ref().map(|default| default.as_bytes()))
            })
            .collect();
        self.channel.out.fields(&all, &Completion { status, ..Completion::default() });
        Ok(())
    }

    /// COM_CHANGE_USER: the client proves who it is once more. What fails here ends the connection.
    fn change_user(&mut self, login: &Login) -> Result<(), End> {
        self.statements = Statements::default();
        let mut step = self.authentication.change(login, &mut self.channel.out);
        if step == Step::Asked {
            self.channel.flush()?;
            let answer = self.channel.answer()?.ok_or(End::Gone)?;
            step = self.authentication.answer(&answer, &mut self.channel.out);
        }
        entrance::admitted(step, login, &self.host)?;
        let wanted = entrance::wanted(login, self.host.clone(), self.session.id());
        if let Err(error) = self.session.change_user(wanted) {
            return Err(Failure::from(self.session.worded(error)).into());
        }
        self.ok();
        Ok(())
    }

    /// Tells that a command went well that changes no rows.
    pub(crate) fn ok(&mut self) {
        let done = Done { status: self.session.status(), ..Done::default() };
        let changes = self.session.take_changes();
        answer::done(&mut self.channel.out, &done, Status::default(), &changes);
    }
}

/// Makes a session known to those who may cancel or end it.
fn register(seat: &Seat, run: u32, session: &Session) {
    let canceller = session.canceller();
    let ours = canceller.clone();
    let cancel = Box::new(move || ours.cancel());
    canceller.on_terminate(seat.register(Cancels { run, key: None, cancel }));
}
