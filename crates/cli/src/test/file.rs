//! Defaults from `hob.toml`: the section `[test]` has the flags of `hob test` by their names.
//!
//! ```toml
//! [test]
//! command = ["pytest", "-q", "tests/cart.py"]
//! level = ["read committed", "causal"]
//! runs = 200
//! setup = "./fixtures.sh"
//! ```
//!
//! The values go through the same parsers as the flags', one at a time, so that a mistake has its place.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, FromArgMatches, Parser};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::options::Options;
use crate::diagnostic::{Diagnostic, Failure, reason};

const NAME: &str = "hob.toml";

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    pub(super) options: Options,
    pub(super) command: Vec<String>,
}

/// The flags alone, as a command line of their own.
#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    options: Options,
}

/// The defaults of a directory: its own file's, or that of the nearest directory above it within its
/// repository. Outside a repository only its own counts.
pub(super) fn find(directory: &Path) -> Result<Defaults, Failure> {
    let start = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let root = start.ancestors().position(|above| above.join(".git").exists()).unwrap_or(0);
    let file = start.ancestors().take(root + 1).map(|above| above.join(NAME)).find(|f| f.is_file());
    match file {
        Some(file) => read(file),
        None => Ok(Defaults::default()),
    }
}

fn read(path: PathBuf) -> Result<Defaults, Failure> {
    let file = path.display().to_string();
    let text = std::fs::read_to_string(&path).map_err(|error| {
        let message = format!("cannot read this: {}", reason(&error));
        Diagnostic::new(message, "make it a readable text file, or remove it").in_file(&file)
    })?;
    parse(&text).map_err(|mistake| mistake.at(&text, file).into())
}

/// Something wrong, and where.
#[derive(Debug)]
struct Mistake {
    span: Range<usize>,
    message: String,
    help: String,
}

impl Mistake {
    fn new(span: Range<usize>, message: String, help: impl Into<String>) -> Mistake {
        Mistake { span, message, help: help.into() }
    }

    fn at(self, text: &str, file: String) -> Diagnostic {
        let start = self.span.start.min(text.len());
        let before = &text.as_bytes()[..start];
        let begin = before.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let line = text.get(begin..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        Diagnostic {
            line: before.iter().filter(|&&b| b == b'\n').count() as u64 + 1,
            column: (start - begin) as u64 + 1,
            excerpt: Some((line.to_owned(), 1)),
            ..Diagnostic::new(self.message, self.help).in_file(file)
        }
    }
}

fn parse(text: &str) -> Result<Defaults, Mistake> {
    let root = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        Mistake::new(span, error.message().to_owned(), "correct the TOML; see toml.io")
    })?;
    let mut defaults = Defaults::default();
    for (name, value) in in_order(root.get_ref()) {
        match value.get_ref() {
            DeValue::Table(section) if name.get_ref() == "test" => {
                for (key, value) in in_order(section) {
                    defaults.set(key, value)?;
                }
            }
            _ if name.get_ref() == "test" => {
                let help = "write it as a section: [test]";
                return Err(Mistake::new(name.span(), "`test` is a section".to_owned(), help));
            }
            _ => {
                let message = format!("there is no section or key `{}` here", name.get_ref());
                return Err(Mistake::new(
                    name.span(),
                    message,
                    "the flags of `hob test` go below [test]",
                ));
            }
        }
    }
    Ok(defaults)
}

type Pair<'a> = (&'a Spanned<std::borrow::Cow<'a, str>>, &'a Spanned<DeValue<'a>>);

/// The keys of a table in the order written.
fn in_order<'a>(table: &'a DeTable<'a>) -> Vec<Pair<'a>> {
    let mut pairs: Vec<Pair<'a>> = table.iter().collect();
    pairs.sort_by_key(|(key, _)| key.span().start);
    pairs
}

impl Defaults {
    fn set(
        &mut self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), Mistake> {
        let name = key.get_ref().as_ref();
        if name == "command" {
            self.command = strings(value)?;
            return Ok(());
        }
        let flags = Flags::command();
        let known: Vec<&str> = flags.get_arguments().filter_map(|arg| arg.get_long()).collect();
        let Some(flag) = flags.get_arguments().find(|arg| arg.get_long() == Some(name)) else {
            let known: Vec<&str> =
                known.into_iter().filter(|&k| k != "help").chain(["command"]).collect();
            let help = match hobgoblin_core::nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys are {}", known.join(", ")),
            };
            return Err(Mistake::new(key.span(), format!("there is no key `{name}`"), help));
        };
        let mut args = vec![NAME.to_owned()];
        if flag.get_action().takes_values() {
            let values = match value.get_ref() {
                DeValue::Array(_) => strings(value)?,
                _ => vec![scalar(value)?],
            };
            args.extend(values.into_iter().map(|value| format!("--{name}={value}")));
        } else {
            match value.get_ref() {
                DeValue::Boolean(true) => args.push(format!("--{name}")),
                DeValue::Boolean(false) => return Ok(()),
                _ => {
                    let message = format!("`{name}` is true or false");
                    return Err(Mistake::new(value.span(), message, "write one of them"));
                }
            }
        }
        let refused = |error: clap::Error| refusal(name, value, &error);
        let matches = Flags::command().try_get_matches_from(args).map_err(refused)?;
        let flags = Flags::from_arg_matches(&matches).map_err(refused)?;
        self.options = flags.options.with(std::mem::take(&mut self.options));
        Ok(())
    }
}

/// What the parser of a flag says, at the place of the value.
fn refusal(name: &str, value: &Spanned<DeValue<'_>>, error: &clap::Error) -> Mistake {
    use clap::error::{ContextKind, ContextValue};
    let said = std::error::Error::source(error).map(ToString::to_string);
    let near = match error.get(ContextKind::SuggestedValue) {
        Some(ContextValue::String(near)) => Some(format!("did you mean `{near}`?")),
        _ => None,
    };
    let help = said.or(near).unwrap_or_else(|| format!("see --{name} in `hob test --help`"));
    Mistake::new(value.span(), format!("this is no value for `{name}`"), help)
}

fn strings(value: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Mistake> {
    match value.get_ref() {
        DeValue::Array(items) => items.iter().map(scalar).collect(),
        _ => {
            let help = "write it as a list: [\"./test.sh\", \"--fast\"]";
            Err(Mistake::new(value.span(), "this is a list of strings".to_owned(), help))
        }
    }
}

/// A value as it would be written on the command line.
fn scalar(value: &Spanned<DeValue<'_>>) -> Result<String, Mistake> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => Ok(number.to_string()),
        DeValue::Float(number) => Ok(number.to_string()),
        _ => {
            let message = "expected a string or a number".to_owned();
            Err(Mistake::new(value.span(), message, "put it in quotes"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hobgoblin_core::Level;
    use std::time::Duration;

    #[test]
    fn keys_are_flags() {
        let text = "# defaults\n[test]\ncommand = [\"./t\", \"-x\"]\nlevel = [\"RC\", \"causal\"]\n\
                    runs = 20\ntimeout = \"5s\"\nuntil-fail = true\nabort-rate = 0.25\nseed = 7\n";
        let Defaults { options, command } = parse(text).expect("it is right");
        assert_eq!(command, ["./t", "-x"]);
        assert_eq!(options.levels, [Level::RC, Level::CC]);
        assert_eq!((options.runs, options.until_fail, options.seed), (Some(20), true, Some(7)));
        assert_eq!(options.timeout, Some(Duration::from_secs(5)));
        assert_eq!(options.store.abort_rate, Some(0.25));
    }

    #[test]
    fn mistakes_have_a_place_and_a_next_step() {
        for (text, line, column, message, help) in [
            ("[test]\nrunz = 3\n", 2, 1, "there is no key `runz`", "did you mean `runs`?"),
            (
                "[test]\nruns = 3\nruns = 4\n",
                3,
                1,
                "duplicate key",
                "correct the TOML; see toml.io",
            ),
            (
                "[test]\n  timeout = \"soon\"",
                2,
                13,
                "this is no value for `timeout`",
                "expected a time such as 500ms, 10s, 5m or 2h",
            ),
            (
                "[test]\nlevel = \"causl\"",
                2,
                9,
                "this is no value for `level`",
                "did you mean `causal`?",
            ),
            ("[test]\nuntil-fail = 1", 2, 14, "`until-fail` is true or false", "write one of them"),
            (
                "[test]\ncommand = \"x\"",
                2,
                11,
                "this is a list of strings",
                "write it as a list: [\"./test.sh\", \"--fast\"]",
            ),
            (
                "[tests]\nruns = 1",
                1,
                2,
                "there is no section or key `tests` here",
                "the flags of `hob test` go below [test]",
            ),
            ("test = 1", 1, 1, "`test` is a section", "write it as a section: [test]"),
            ("[test]\nruns = {}", 2, 8, "expected a string or a number", "put it in quotes"),
        ] {
            let mistake = parse(text).expect_err(text).at(text, NAME.into());
            assert_eq!((mistake.line, mistake.column), (line, column), "{text}");
            assert_eq!((mistake.message.as_str(), mistake.help.as_deref()), (message, Some(help)));
        }
    }
}
