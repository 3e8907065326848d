//! Colors, on terminals only.

use std::fmt::Display;
use std::io::IsTerminal;

use clap::ColorChoice;

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
            // See no-color.org.
            ColorChoice::Auto => {
                terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
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
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}
