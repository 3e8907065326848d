//! Every command of README.md and docs is run, and says what is written there.
//!
//! ````text
//! ```console
//! $ hob check examples/on-call.txn
//! ...
//! The strongest level that holds: snapshot isolation (SI).
//! ...
//! ```
//! ````
//!
//! A line that begins with `$` is a command; what follows is its output, in which `...` stands for any lines, or
//! for any text within a line. The blocks of a page are run one after another, in a directory of the page's
//! own that looks like the root of the project; `target/release` is whatever this test was built with. A
//! comment before a block says what is special about it:
//!
//! - `<!-- file: shoes.hob -->`: the block is this file, for the commands after it.
//! - `<!-- server -->`: the first command runs on while the others do, and then is ended. Its port is another
//!   one when the test runs, and so is its seed.
//!
//! After a change, run this test with `HOB_BLESS=1` and read the difference: blocks that are no longer true
//! are written anew, with `...` where it was.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::alike::{blessed, matches};
use crate::run::{Scratch, root};

/// The ports that pages write.
const PORTS: [&str; 2] = ["5433", "3307"];

/// A fenced block of a page.
struct Block {
    /// The comment before it.
    comment: String,
    language: String,
    /// Its lines, by number.
    lines: std::ops::Range<usize>,
}

/// A command of a block, and the output that is written after it.
struct Said {
    command: String,
    /// By number of line.
    output: std::ops::Range<usize>,
}

fn blocks(page: &[String]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut comment, mut open): (String, Option<(usize, String)>) = (String::new(), None);
    for (at, line) in page.iter().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some((from, language))) => {
                blocks.push(Block {
                    comment: std::mem::take(&mut comment),
                    language,
                    lines: from..at,
                });
            }
            (Some(language), None) => open = Some((at + 1, language.to_owned())),
            (None, Some(still)) => open = Some(still),
            (None, None) => {
                let said = line.strip_prefix("<!-- ").and_then(|line| line.strip_suffix(" -->"));
                comment = said.unwrap_or_default().to_owned();
            }
        }
    }
    blocks
}

fn commands(page: &[String], block: &Block) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    for at in block.lines.clone() {
        match (page[at].strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => {
                all.push(Said { command: command.to_owned(), output: at + 1..at + 1 });
            }
            (None, Some(last)) => last.output.end = at + 1,
            (None, None) => panic!("`{}` is not the output of a command", page[at]),
        }
    }
    // A blank line before the next command is there for the eye.
    for said in &mut all {
        if said.output.end > said.output.start && page[said.output.end - 1].is_empty() {
            said.output.end -= 1;
        }
    }
    all
}

/// A directory that looks like the root of the project to the commands of a page.
struct Place {
    scratch: Scratch,
    bin: PathBuf,
}

impl Place {
    fn new(name: &str) -> Place {
        let bin = Path::new(env!("CARGO_BIN_EXE_hob")).parent().expect("it is in a directory");
        let place = Place { scratch: Scratch::new(name), bin: bin.to_owned() };
        for shown in ["examples", "corpus", "crates", "docs", "tests"] {
            link(&root().join(shown), &place.scratch.file(shown));
        }
        std::fs::create_dir_all(place.scratch.file("target")).expect("there is room");
        link(bin, &place.scratch.file("target/release"));
        place
    }

    fn command(&self, command: &str) -> Command {
        let path = format!("{}:{}", self.bin.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(self.scratch.file(""));
        shell.env("PATH", path).stdin(Stdio::null());
        shell
    }

    /// What a command says.
    fn said(&self, command: &str) -> Vec<String> {
        for program in command.split_whitespace().filter_map(|w| w.strip_prefix("target/release/"))
        {
            self.build(program);
        }
        let output = self.command(command).output().expect("there is a shell");
        let text = String::from_utf8(output.stdout).expect("output is text");
        let code = output.status.code().expect("no signal ends the shell");
        assert!(code < 2 || code == 3, "`{command}` ends with {code}:\n{text}");
        text.lines().map(str::to_owned).collect()
    }

    /// Builds a program of the examples, if the tests of this package are all that was built.
    fn build(&self, program: &str) {
        if self.bin.join(program).exists() {
            return;
        }
        let (package, kind, name) = match (program, program.strip_prefix("examples/")) {
            (_, Some(example)) => ("hob", "--example", example),
            ("seats", None) => ("hobgoblin-oltp", "--bin", program),
            ("lease", None) => ("hobgoblin-lease", "--bin", program),
            (_, None) => ("hobgoblin-apps", "--bin", program),
        };
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", package, kind, name]).current_dir(root());
        assert!(cargo.status().expect("cargo runs").success(), "{program} cannot be built");
    }
}

#[cfg(unix)]
fn link(to: &Path, from: &str) {
    let to = to.canonicalize().expect("it is there");
    std::os::unix::fs::symlink(to, from).expect("a link can be made");
}

/// A server that is ended when it is no longer needed.
struct Server {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Server {
    fn new(place: &Place, command: &str) -> Server {
        let mut command = place.command(&command.replacen("hob", "exec hob", 1));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("there is a shell");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        Server { child, lines }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody listens on.
fn free_port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a port");
    listener.local_addr().expect("it is bound").port().to_string()
}

/// A line with the seed that the other one has.
fn same_seed(line: String, written: &str) -> String {
    match (line.rsplit_once(", seed "), written.rsplit_once(", seed ")) {
        (Some((start, _)), Some((_, seed))) => format!("{start}, seed {seed}"),
        _ => line,
    }
}

/// What the commands of a block really say.
fn run(place: &Place, page: &[String], block: &Block, all: &[Said]) -> Vec<Vec<String>> {
    if block.comment != "server" {
        return all.iter().map(|said| place.said(&said.command)).collect();
    }
    let port = free_port();
    let (first, others) = all.split_first().expect("there is a command");
    let named = PORTS.into_iter().find(|port| first.command.contains(port));
    let named = named.unwrap_or(PORTS[0]);
    let mut server = Server::new(place, &first.command.replace(named, &port));
    let written = &page[first.output.clone()];
    let lines = written.iter().filter_map(|written| {
        let line = server.lines.next()?.expect("it can be read").replace(&port, named);
        Some(same_seed(line, written))
    });
    let mut real = vec![lines.collect()];
    for said in others {
        let lines = place.said(&said.command.replace(named, &port)).into_iter();
        real.push(lines.map(|line| line.replace(&port, named)).collect());
    }
    real
}

/// Runs the commands of a page; says what is not true, and writes it anew if asked to.
fn check(path: &Path) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(path).expect("it is text");
    let page: Vec<String> = text.lines().map(str::to_owned).collect();
    let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    let place = Place::new(&format!("docs-{name}"));
    let (mut count, mut wrong, mut anew) = (0, Vec::new(), Vec::new());
    for block in blocks(&page) {
        if let Some(file) = block.comment.strip_prefix("file: ") {
            let content = page[block.lines.clone()].join("\n") + "\n";
            place.scratch.write(file, content.as_bytes());
        }
        let has_commands = page[block.lines.clone()].iter().any(|line| line.starts_with("$ hob"));
        if block.language != "console" {
            if has_commands {
                wrong.push(format!("{name}:{}: this is no `console` block", block.lines.start));
            }
            continue;
        }
        let all = commands(&page, &block);
        for (said, real) in all.iter().zip(run(&place, &page, &block, &all)) {
            count += 1;
            let written = &page[said.output.clone()];
            if !matches(written, &real) {
                let at = said.output.start;
                let real_text = real.join("\n");
                wrong.push(format!("{name}:{at}: `{}` says:\n{real_text}\n", said.command));
                anew.push((said.output.clone(), blessed(written, &real)));
            }
        }
    }
    if std::env::var_os("HOB_BLESS").is_some() && !anew.is_empty() {
        let mut page = page;
        for (lines, real) in anew.into_iter().rev() {
            page.splice(lines, real);
        }
        std::fs::write(path, page.join("\n") + "\n").expect("the page can be written");
        wrong.retain(|wrong| wrong.ends_with("block"));
    }
    (count, wrong)
}

#[test]
fn every_command_of_the_pages_says_what_they_say() {
    let mut pages = vec![root().join("README.md")];
    let docs = std::fs::read_dir(root().join("docs")).expect("there are docs");
    pages.extend(docs.map(|entry| entry.expect("it can be listed").path()));
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for page in &pages {
        let (commands, more) = check(page);
        count += commands;
        wrong.extend(more);
    }
    let help = "HOB_BLESS=1 writes the blocks anew; read the difference";
    assert!(wrong.is_empty(), "{}\n{help}", wrong.join("\n"));
    assert!(count >= 12, "only {count} commands");
}
