//! Colors, on terminals only.

use std::fmt::Display;
use std::io::IsTerminal;

use clap::ColorChoice;

use crate::harmless::color;

/// Whether to use colors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    color: bool,
}

/// What a color means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    Good,
    Bad,
    Doubtful,
    Strong,
    Faint,
}

impl Style {
    /// The style of output that has no colors, such as a file's.
    pub(crate) const PLAIN: Style = Style { color: false };

    pub(crate) fn of_stdout(choice: ColorChoice) -> Style {
        Style::new(choice, std::io::stdout().is_terminal())
    }

    pub(crate) fn of_stderr(choice: ColorChoice) -> Style {
        Style::new(choice, std::io::stderr().is_terminal())
    }

    fn new(choice: ColorChoice, terminal: bool) -> Style {
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => automatic(terminal, |name| std::env::var(name).ok()),
        };
        Style { color }
    }

    pub(crate) fn paint(self, ink: Ink, text: impl Display) -> String {
        let code = match ink {
            Ink::Good => "32",
            Ink::Bad => "1;31",
            Ink::Doubtful => "33",
            Ink::Strong => "1",
            Ink::Faint => "2",
            Ink::Plain => return text.to_string(),
        };
        if !self.color {
            return text.to_string();
        }
        format!("{}{text}{}", color(code), color("0"))
    }
}

/// Whether standard error is a terminal on which a line can be drawn again and again.
pub(crate) fn draws_on_stderr() -> bool {
    std::io::stderr().is_terminal() && !is_dumb(std::env::var("TERM").ok().as_deref())
}

fn is_dumb(term: Option<&str>) -> bool {
    term.is_none_or(|term| term == "dumb")
}

/// Whether to use colors where nobody said so on the command line: see no-color.org and
/// bixense.com/clicolors. The first wins over the second.
fn automatic(terminal: bool, var: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name| var(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    let off = set("CLICOLOR").is_some_and(|value| value == "0");
    terminal && !off && !is_dumb(var("TERM").as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_on_colors() {
        for (vars, on_terminal, elsewhere) in [
            (&[("TERM", "xterm")][..], true, false),
            (&[("TERM", "dumb")], false, false),
            (&[], false, false),
            (&[("TERM", "xterm"), ("NO_COLOR", "1")], false, false),
            (&[("TERM", "xterm"), ("NO_COLOR", "")], true, false),
            (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], true, true),
            (&[("TERM", "xterm"), ("CLICOLOR", "0")], false, false),
            (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false, false),
        ] {
            let var = |name: &str| {
                vars.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
            };
            assert_eq!(automatic(true, var), on_terminal, "{vars:?}");
            assert_eq!(automatic(false, var), elsewhere, "{vars:?}");
        }
    }
}
