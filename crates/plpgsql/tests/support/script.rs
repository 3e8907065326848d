//! SQL scripts, as far as it takes to find the routines in them. Written apart from the crate under test.

use std::path::{Path, PathBuf};

/// What a piece of SQL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Blanks and comments.
    Blank,
    Word,
    /// A string, of any kind.
    Text,
    Sign,
}

/// All pieces of a text, one after the other.
pub(crate) fn pieces(text: &str) -> Vec<(Piece, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let until = |end: Option<usize>, length: usize| end.map_or(rest.len(), |at| at + length);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let (piece, length) = match c {
            _ if c.is_whitespace() => (Piece::Blank, c.len_utf8()),
            _ if rest.starts_with("--") => (Piece::Blank, until(rest.find('\n'), 0)),
            _ if rest.starts_with("/*") => (Piece::Blank, until(rest.find("*/"), 2)),
            '\'' => (Piece::Text, quoted(rest, 0, false)),
            'e' | 'E' if rest[1..].starts_with('\'') => (Piece::Text, quoted(rest, 1, true)),
            '"' => (Piece::Word, until(rest[1..].find('"'), 2)),
            '$' => match tag(rest) {
                Some(tag) => {
                    let end = rest[tag.len()..].find(tag);
                    (Piece::Text, until(end, 2 * tag.len()))
                }
                None => (Piece::Sign, 1),
            },
            _ if is_part(c) => {
                let end = rest.find(|c: char| !is_part(c) && c != '$');
                (Piece::Word, until(end, 0))
            }
            ':' if rest.starts_with(":=") || rest.starts_with("::") => (Piece::Sign, 2),
            '.' if rest.starts_with("..") => (Piece::Sign, 2),
            '<' if rest.starts_with("<<") => (Piece::Sign, 2),
            '>' if rest.starts_with(">>") => (Piece::Sign, 2),
            _ => (Piece::Sign, c.len_utf8()),
        };
        let (piece, after) = ((piece, &rest[..length]), &rest[length..]);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// The length of a string whose quote is some bytes ahead.
fn quoted(text: &str, quote: usize, escapes: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = quote + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if escapes => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The dollar quote at the beginning.
fn tag(text: &str) -> Option<&str> {
    let end = 1 + text[1..].find('$')?;
    let tag = &text[1..end];
    let good = tag.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !tag.starts_with(|c: char| c.is_ascii_digit());
    good.then(|| &text[..=end])
}

/// The statements of a script of psql, without its own commands.
pub(crate) fn statements(script: &str) -> Vec<String> {
    let plain: String = script.lines().filter(|line| !line.starts_with('\\')).fold(
        String::new(),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    );
    let mut statements = Vec::new();
    let mut statement = String::new();
    let mut open = 0_i32;
    for (piece, text) in pieces(&plain) {
        match (piece, text) {
            (Piece::Blank, _) if statement.is_empty() => continue,
            (Piece::Sign, "(") => open += 1,
            (Piece::Sign, ")") => open -= 1,
            _ => {}
        }
        if (piece, text) == (Piece::Sign, ";") && open <= 0 {
            statements.push(std::mem::take(&mut statement));
            open = 0;
        } else {
            statement.push_str(text);
        }
    }
    statements
}

/// A statement that has a body of PL/pgSQL.
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    /// What stands before the body.
    pub(crate) before: String,
    pub(crate) body: String,
    /// What stands after it.
    pub(crate) after: String,
}

impl Routine {
    /// The statement with a body.
    pub(crate) fn with(&self, body: &str) -> String {
        format!("{}$hob_body${body}$hob_body${}", self.before, self.after)
    }
}

/// The routine that a statement makes or does, if it is one of PL/pgSQL.
pub(crate) fn routine(statement: &str) -> Option<Routine> {
    let all = pieces(statement);
    let words: Vec<String> = all
        .iter()
        .filter(|(piece, _)| *piece != Piece::Blank)
        .map(|(_, text)| text.to_ascii_lowercase())
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_do = words.first() == Some(&"do");
    let creates = matches!(
        words.as_slice(),
        ["create", "function" | "procedure", ..]
            | ["create", "or", "replace", "function" | "procedure", ..]
    );
    let language = words.iter().position(|word| *word == "language");
    let language =
        language.and_then(|at| words.get(at + 1)).map(|word| word.trim_matches(['\'', '"']));
    if !(creates && language == Some("plpgsql") || is_do && language.is_none_or(|l| l == "plpgsql"))
    {
        return None;
    }
    let mut before = String::new();
    let mut ready = is_do;
    let mut all = all.into_iter();
    for (piece, text) in all.by_ref() {
        if piece == Piece::Text && ready {
            let body = match tag(text) {
                Some(tag) if text.starts_with('$') => {
                    text[tag.len()..text.len() - tag.len()].to_owned()
                }
                _ => text.trim_start_matches(['e', 'E']).get(1..text.len() - 1)?.replace("''", "'"),
            };
            let after = all.map(|(_, text)| text).collect();
            return Some(Routine { before, body, after });
        }
        if piece != Piece::Blank {
            // The name of a language may be a string, too, and `:'x'` is a variable of psql.
            let not = text.eq_ignore_ascii_case("language") || text == ":";
            ready = !not && (is_do || text.eq_ignore_ascii_case("as"));
        }
        before.push_str(text);
    }
    None
}

/// The files of a kind below a folder, sorted.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Where other people's programs are: ours by copy, or those below `HOB_PLPGSQL`.
pub(crate) fn programs() -> PathBuf {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/plpgsql");
    std::env::var_os("HOB_PLPGSQL").map_or(corpus, PathBuf::from)
}

/// Our own programs, one for each part of the grammar: name and source. They begin with `-- (arguments) returns type`.
pub(crate) fn own() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let read = |path: PathBuf| {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("it is text"))
    };
    files(&folder, "sql").into_iter().map(read).collect()
}
