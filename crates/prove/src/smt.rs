//! Asks a solver whether a formula can be satisfied, and by what.
//!
//! ```text
//!   us ── script … (check-sat) ──> solver          one process for each question
//!      <────────── sat ───────────
//!      ── (get-value (x (f 3))) ─>
//!      <── ((x 1) ((f 3) (- 2))) ─
//! ```
//!
//! A solver is a program that reads SMT-LIB 2 from its input: Z3 or cvc5, which get the same text. What differs is told on
//! the command line, so that a script can be kept as a certificate and asked of either. Nothing of a solver is trusted to
//! come: it may die, hang, complain or print anything at all, and each of these is an error that says what it printed. Only
//! the words `sat`, `unsat` and `unknown` are answers.

mod process;
mod value;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub use value::Value;

use process::{Process, Wait};
use value::{Expression, Unread};

/// Which program a solver is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Z3,
    Cvc5,
}

/// What is the same for every solver of a family.
struct Traits {
    family: Family,
    /// The name of the command, and how its version begins in what `--version` prints.
    command: &'static str,
    version_after: &'static str,
    /// The oldest version that answers what we ask.
    oldest: (u32, u32),
}

const FAMILIES: [Traits; 2] = [
    Traits { family: Family::Z3, command: "z3", version_after: "Z3 version ", oldest: (4, 8) },
    Traits {
        family: Family::Cvc5,
        command: "cvc5",
        version_after: "cvc5 version ",
        oldest: (1, 0),
    },
];

/// A solver that is installed.
#[derive(Clone, Debug)]
pub struct Solver {
    program: PathBuf,
    family: Family,
    version: String,
}

/// What a solver says of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It can be satisfied, with these values of what was asked for.
    Sat(Vec<Value>),
    /// Nothing satisfies it.
    Unsat,
    /// Not decided, or by numbers we cannot hold; the reason in words.
    Unknown(String),
}

/// Why a solver gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// There is no such program.
    #[error("the solver `{name}` is not installed; {help}")]
    Missing {
        /// What was asked for.
        name: String,
        /// What to do about it.
        help: String,
    },
    /// The program is not a solver we know.
    #[error("`{program}` is neither Z3 nor cvc5: to --version it says {printed:?}")]
    Stranger {
        /// The program.
        program: String,
        /// What it printed.
        printed: String,
    },
    /// The solver is too old.
    #[error("`{program}` is version {version}, and {oldest} is the oldest that serves")]
    Old {
        /// The program.
        program: String,
        /// Its version.
        version: String,
        /// The oldest that we know how to ask.
        oldest: String,
    },
    /// The process could not be started or waited for.
    #[error("the solver `{program}` cannot be run: {error}")]
    Run {
        /// The program.
        program: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The process ended before it had answered.
    #[error("the solver `{program}` died ({how}){printed}")]
    Died {
        /// The program.
        program: String,
        /// Its exit code or signal.
        how: String,
        /// What it printed, with a colon before it, if anything.
        printed: String,
    },
    /// What it printed is no answer.
    #[error("the solver `{program}` does not answer but prints {printed:?}")]
    Garbage {
        /// The program.
        program: String,
        /// The beginning of what it printed.
        printed: String,
    },
}

impl Solver {
    /// The solver of a name, `z3` or `cvc5`, or of a path; Z3 if none is said. Its version is read and checked.
    pub fn find(name: Option<&str>) -> Result<Solver, SolverError> {
        let name = name.unwrap_or("z3");
        let program = Path::new(name);
        let run = |error| SolverError::Run { program: name.to_owned(), error };
        let mut command = Command::new(program);
        command.arg("--version");
        let mut process = match Process::start(command, VERSION_LIMIT) {
            Ok(process) => process,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(SolverError::Missing { name: name.to_owned(), help: install(name) });
            }
            Err(error) => return Err(run(error)),
        };
        while let Wait::Printed = process.wait(&|| false).map_err(run)? {}
        let printed = process.all_printed();
        let known = FAMILIES.iter().find_map(|family| {
            let (_, rest) = printed.split_once(family.version_after)?;
            let version = rest.split([' ', '\n', '-']).next()?.to_owned();
            let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
            let number = (parts.next()??, parts.next()??);
            Some((family, version, number))
        });
        let Some((Traits { family, oldest, .. }, version, number)) = known else {
            return Err(SolverError::Stranger {
                program: name.to_owned(),
                printed: start_of(&printed),
            });
        };
        if number < *oldest {
            let oldest = format!("{}.{}", oldest.0, oldest.1);
            return Err(SolverError::Old { program: name.to_owned(), version, oldest });
        }
        Ok(Solver { program: program.to_owned(), family: *family, version })
    }

    /// The program and its version, as in `z3 4.8.12`.
    pub fn name(&self) -> String {
        let family = FAMILIES.iter().find(|known| known.family == self.family);
        format!("{} {}", family.expect("all families are listed").command, self.version)
    }

    fn command(&self, limit: Duration) -> Command {
        let mut command = Command::new(&self.program);
        // The solver's own limit ends it if we are killed and cannot; else ours comes first.
        let seconds = limit.as_secs().saturating_add(2).min(1_000_000);
        match self.family {
            // What its default strategy does first takes longer than our questions.
            Family::Z3 => command.args([
                "-in",
                "-smt2",
                "tactic.default_tactic=smt",
                &format!("-T:{seconds}"),
            ]),
            Family::Cvc5 => command.args([
                "--lang=smt2",
                "--produce-models",
                &format!("--tlimit={}", seconds * 1000),
                "-",
            ]),
        };
        command
    }

    /// Asks a complete script, which ends in `(check-sat)`. If it can be satisfied, the values of these terms are asked
    /// for, written as in the script, which declares what they speak of. The solver is killed at the limit and soon after
    /// `stop` says so, and the answer is [`Answer::Unknown`].
    pub fn ask(
        &self,
        script: &str,
        values: &[String],
        limit: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<Answer, SolverError> {
        let program = || self.program.display().to_string();
        let mut process = Process::start(self.command(limit), limit)
            .map_err(|error| SolverError::Run { program: program(), error })?;
        process.send(script.to_owned());
        let word = match self.read(&mut process, stop, Expected::Word)? {
            Ok(word) => word,
            Err(unknown) => return Ok(unknown),
        };
        match word.word() {
            Some("sat") if values.is_empty() => Ok(Answer::Sat(Vec::new())),
            Some("sat") => {
                process.send(format!("(get-value ({}))\n", values.join("\n ")));
                let model = match self.read(&mut process, stop, Expected::List)? {
                    Ok(model) => model,
                    Err(unknown) => return Ok(unknown),
                };
                match value::values(&model, values.len()) {
                    Ok(values) => Ok(Answer::Sat(values)),
                    Err(Unread::Large(text)) => Ok(Answer::Unknown(format!(
                        "satisfied by a number that is too large or no ratio: {text}"
                    ))),
                    Err(Unread::NoModel) => Err(self.garbage(&model.to_string())),
                }
            }
            Some("unsat") => Ok(Answer::Unsat),
            Some("unknown") => {
                process.send("(get-info :reason-unknown)\n".to_owned());
                let why = match self.read(&mut process, stop, Expected::List) {
                    Ok(Ok(why)) => why.to_string(),
                    _ => String::new(),
                };
                let why =
                    why.trim_start_matches("(:reason-unknown").trim_matches([' ', '"', ')', '(']);
                let why = if why.is_empty() { "no reason is given" } else { why };
                Ok(Answer::Unknown(format!("the solver gave up: {why}")))
            }
            // What they print at their own limit.
            Some("timeout") => Ok(at_limit(limit)),
            _ => Err(self.garbage(&word.to_string())),
        }
    }

    /// The next expression that the solver prints, or the answer at the limit.
    fn read(
        &self,
        process: &mut Process,
        stop: &dyn Fn() -> bool,
        expected: Expected,
    ) -> Result<Result<Expression, Answer>, SolverError> {
        loop {
            let text = process.printed();
            match value::expression(text) {
                Ok(Some((expression, length))) => {
                    if expression.is_error()
                        || (expected == Expected::Word && expression.word().is_none())
                    {
                        return Err(self.garbage(&expression.to_string()));
                    }
                    process.take(length);
                    return Ok(Ok(expression));
                }
                // A word is short: nobody waits for the end of a line that has none.
                Ok(None)
                    if expected == Expected::Word
                        && text.len() > LONGEST_WORD
                        && !text.starts_with("(error") =>
                {
                    return Err(self.garbage(text));
                }
                Ok(None) => {}
                Err(()) => return Err(self.garbage(text)),
            }
            match process.wait(stop) {
                Ok(Wait::Printed) => {}
                Ok(Wait::Limit) => return Ok(Err(at_limit(process.limit()))),
                Ok(Wait::Stopped) => return Ok(Err(Answer::Unknown("interrupted".to_owned()))),
                Ok(Wait::TooMuch) => return Err(self.garbage(process.printed())),
                Ok(Wait::Ended(how)) => {
                    let printed = match process.all_printed() {
                        text if text.is_empty() => String::new(),
                        text => format!(": {}", start_of(&text)),
                    };
                    let program = self.program.display().to_string();
                    return Err(SolverError::Died { program, how, printed });
                }
                Err(error) => {
                    let program = self.program.display().to_string();
                    return Err(SolverError::Run { program, error });
                }
            }
        }
    }

    fn garbage(&self, printed: &str) -> SolverError {
        SolverError::Garbage {
            program: self.program.display().to_string(),
            printed: start_of(printed),
        }
    }
}

/// Longer than this, what a solver prints first is no answer.
const LONGEST_WORD: usize = 1000;

/// How long a solver may take to tell its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Word,
    List,
}

fn at_limit(limit: Duration) -> Answer {
    let seconds = (limit.as_secs_f64() * 1e3).ceil() / 1e3;
    Answer::Unknown(format!("no answer within {seconds} s"))
}

fn install(name: &str) -> String {
    match FAMILIES.iter().find(|family| family.command == name) {
        Some(_) => format!("`apt-get install {name}` or `brew install {name}` installs it"),
        None => "give `z3`, `cvc5` or the path of one of them".to_owned(),
    }
}

/// The beginning of what was printed, for a message.
fn start_of(text: &str) -> String {
    const SHOWN: usize = 300;
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
