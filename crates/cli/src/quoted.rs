//! Command lines as a shell would take them.

/// A command as a shell would take it, on one line, without what a terminal would obey.
pub(crate) fn one_line(command: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    let quoted = |word: &String| {
        let clean: String =
            word.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        match !word.is_empty() && word.chars().all(plain) {
            true => clean,
            false => format!("'{}'", clean.replace('\'', "'\\''")),
        }
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
