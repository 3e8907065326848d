//! A server that answers every command as a recording does, on the codec under test: it decodes what clients send, and encodes
//! the replies from values.

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use hobgoblin_wire::mysql::{
    Authentication, Command, Completion, Decoder, Encoder, Hello, Login, ProtocolError, Scramble,
    Status, Step, UNKNOWN_COMMAND, Version, access_denied,
};

use crate::exchange::{Session, Statements};
use crate::mariadb::{PASSWORD, USER};
use crate::reply::{Failure, OwnedCompletion, Reply};

/// The longest payload of a command.
pub(crate) const MAX_ALLOWED_PACKET: usize = 64 << 20;

/// Starts a server for connections that come in the order of the sessions. Without a password anybody may log in.
pub(crate) fn start(sessions: Vec<Option<Session>>, version: Version, password: bool) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let port = listener.local_addr().expect("it has one").port();
    let sessions = Arc::new(sessions);
    std::thread::spawn(move || {
        for (at, stream) in listener.incoming().flatten().enumerate() {
            stream.set_nodelay(true).expect("it is a socket");
            let sessions = Arc::clone(&sessions);
            std::thread::spawn(move || {
                let mut visitor = Visitor::new(
                    stream,
                    sessions.get(at).and_then(Option::as_ref),
                    version,
                    password,
                );
                // The client may be gone at any time; nobody is left to be told.
                let _ = visitor.serve();
            });
        }
    });
    port
}

struct Visitor {
    stream: TcpStream,
    decoder: Decoder,
    out: Encoder,
    version: Version,
    password: bool,
    end: Result<OwnedCompletion, Failure>,
    replies: BTreeMap<String, VecDeque<Reply>>,
    statements: Statements,
    /// How many statements were prepared.
    prepared: u32,
}

/// Why a connection ends.
struct Gone;

impl From<std::io::Error> for Gone {
    fn from(_: std::io::Error) -> Gone {
        Gone
    }
}

impl Visitor {
    fn new(
        stream: TcpStream,
        session: Option<&Session>,
        version: Version,
        password: bool,
    ) -> Visitor {
        let mut replies: BTreeMap<String, VecDeque<Reply>> = BTreeMap::new();
        for exchange in session.iter().flat_map(|session| &session.exchanges) {
            replies.entry(exchange.key.clone()).or_default().push_back(exchange.reply.clone());
        }
        let nothing = || Ok(OwnedCompletion::default());
        Visitor {
            stream,
            decoder: Decoder::new(),
            out: Encoder::new(),
            version,
            password,
            end: session.map_or_else(nothing, |session| session.end.clone()),
            replies,
            statements: Statements::default(),
            prepared: 0,
        }
    }

    fn serve(&mut self) -> Result<(), Gone> {
        let scramble = Scramble::new().expect("there are random numbers");
        let password = self.password.then(|| PASSWORD.as_bytes().to_vec());
        let mut authentication = Authentication::new(scramble, password, self.version.method());
        let offered = self.version.capabilities();
        self.out.greeting_of(self.version, 7, authentication.scramble(), offered);
        self.flush()?;
        let payload = self.next(1)?;
        self.out.reply_at(self.decoder.sequence());
        let Ok(Hello::Login(login)) = Hello::decode(payload.into()) else {
            return self.refuse(&ProtocolError::BadHandshake);
        };
        self.out.agree(login.capabilities.both(offered));
        let step = authentication.login(&login, &mut self.out);
        self.admit(step, &login, &mut authentication)?;
        self.decoder.set_limit(MAX_ALLOWED_PACKET);
        loop {
            let payload = self.next(0)?;
            self.out.reply_at(self.decoder.sequence());
            match Command::decode(payload.into(), self.out.agreed()) {
                Ok(Command::Quit) => return Ok(()),
                Ok(Command::ChangeUser(login)) => {
                    self.end = Ok(OwnedCompletion::default());
                    let key = self.statements.key(&Command::ChangeUser(login.clone()));
                    if let Some(Reply::Results(all)) = self.recorded(&key.unwrap_or_default()) {
                        self.end = match &all[0] {
                            crate::reply::Outcome::Failed(failure) => Err(failure.clone()),
                            crate::reply::Outcome::Done(completion) => Ok(completion.clone()),
                            other => panic!("{other:?}"),
                        };
                    }
                    let step = authentication.change(&login, &mut self.out);
                    self.admit(step, &login, &mut authentication)?;
                }
                Ok(command) => self.answer(&command),
                Err(error) => {
                    self.out.error(error.code(), error.state(), error.message().as_bytes())
                }
            }
            self.flush()?;
        }
    }

    /// Goes on with a login until it ends.
    fn admit(
        &mut self,
        mut step: Step,
        login: &Login,
        authentication: &mut Authentication,
    ) -> Result<(), Gone> {
        if step == Step::Asked {
            self.flush()?;
            let answer = self.next(self.out.sequence())?;
            self.out.reply_at(self.decoder.sequence());
            step = authentication.answer(&answer, &mut self.out);
        }
        let known = !self.password || login.user == USER.as_bytes();
        let user = String::from_utf8_lossy(&login.user);
        match (step, self.end.clone()) {
            (Step::Accepted, Ok(end)) if known => end.with(|end| self.out.ok(end)),
            // What is wrong besides the password, as of a database that is not there.
            (Step::Accepted, Err(failure)) if known && failure.code != 1045 => {
                failure.write(&mut self.out);
                return self.hang_up();
            }
            (Step::Refused { with_password }, _) => {
                let words = access_denied(&user, "127.0.0.1", with_password);
                self.out.error(1045, "28000", words.as_bytes());
                return self.hang_up();
            }
            (Step::Accepted | Step::Asked, _) => {
                let words = access_denied(&user, "127.0.0.1", !login.answer.is_empty());
                self.out.error(1045, "28000", words.as_bytes());
                return self.hang_up();
            }
        }
        self.flush()
    }

    fn recorded(&mut self, key: &str) -> Option<Reply> {
        let replies = self.replies.get_mut(key)?;
        // The last answer stands for all that follow.
        if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() }
    }

    fn answer(&mut self, command: &Command) {
        let key = match self.statements.key(command) {
            Ok(key) => key,
            Err(error) => {
                let (code, state, words) = (error.code(), error.state(), error.message());
                return self.out.error(code, state, words.as_bytes());
            }
        };
        if let Command::Unknown(_) = command {
            let (code, state, words) = UNKNOWN_COMMAND;
            return self.out.error(code, state, words.as_bytes());
        }
        if matches!(command, Command::SendLongData(_) | Command::Close(_) | Command::Nothing) {
            return;
        }
        let mut reply = match self.recorded(&key) {
            Some(reply) => reply,
            // What clients do by themselves when they come in depends on the version.
            None if key == "Ping" || key.starts_with("Query(b\"SET ") => {
                let status = Status::AUTOCOMMIT;
                return self.out.ok(&Completion { status, ..Completion::default() });
            }
            None => {
                let words = format!("no answer is recorded to {}", &key[..key.len().min(300)]);
                eprintln!("{words}");
                return self.out.error(1105, "HY000", words.as_bytes());
            }
        };
        // A statement that could not be prepared has a number, too.
        self.prepared += u32::from(matches!(command, Command::Prepare(_)));
        if let Reply::Prepared(prepared) = &mut reply {
            prepared.statement = self.prepared;
        }
        self.statements.learn(command, &reply);
        reply.write(&mut self.out);
    }

    /// The next payload, which has to have this number.
    fn next(&mut self, number: u8) -> Result<Vec<u8>, Gone> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match self.decoder.answer(number) {
                Ok(Some(payload)) => return Ok(payload.to_vec()),
                Ok(None) => {}
                Err(error) => {
                    self.out.reply_at(self.decoder.sequence());
                    self.refuse(&error)?;
                }
            }
            let count = self.stream.read(&mut buffer)?;
            if count == 0 {
                return Err(Gone);
            }
            self.decoder.push(&buffer[..count]);
        }
    }

    fn refuse(&mut self, error: &ProtocolError) -> Result<(), Gone> {
        self.out.error(error.code(), error.state(), error.message().as_bytes());
        self.hang_up()
    }

    fn hang_up(&mut self) -> Result<(), Gone> {
        self.flush()?;
        Err(Gone)
    }

    fn flush(&mut self) -> Result<(), Gone> {
        self.stream.write_all(self.out.bytes())?;
        self.out.clear();
        Ok(())
    }
}
