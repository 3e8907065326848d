//! The runs that `hob test` kept in a directory, as a list and a page each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hobgoblin_report::{Block, Body, Page, RowsAsked};
use hobgoblin_server::{Shown, Site};

use super::run::{Asked, Origin, Run};
use crate::diagnostic::{Diagnostic, Failure, reason};

/// What the files of a run end in.
const ENDINGS: [&str; 2] = [".history.jsonl", ".log.jsonl"];

/// A directory of runs.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    asked: Asked,
    /// The runs that were looked at.
    runs: Mutex<BTreeMap<String, Arc<Run>>>,
}

impl Folder {
    /// A directory with runs in it; nothing if it is no directory, or one of another kind.
    pub(super) fn of(path: &Path, asked: &Asked) -> Result<Option<Folder>, Failure> {
        if !path.is_dir() {
            return Ok(None);
        }
        let found = names(path).map_err(|error| {
            let message = format!("cannot read this: {}", reason(&error));
            Diagnostic::new(message, "name a directory that you may read").in_path(path)
        })?;
        let folder = Folder { path: path.to_owned(), asked: asked.clone(), runs: Mutex::default() };
        Ok((!found.is_empty()).then_some(folder))
    }

    /// A run by its name, if its files are there.
    fn run(&self, name: &str) -> Option<Result<Arc<Run>, Box<Diagnostic>>> {
        if !names(&self.path).ok()?.contains(&name.to_owned()) {
            return None;
        }
        if let Some(run) = self.runs.lock().unwrap_or_else(PoisonError::into_inner).get(name) {
            return Some(Ok(run.clone()));
        }
        let [history, log] = ENDINGS.map(|ending| {
            Some(self.path.join(format!("{name}{ending}"))).filter(|path| path.is_file())
        });
        let origin = Origin { title: name.to_owned(), history, log };
        Some(Run::open(origin, self.asked.clone()).map(|run| {
            let run = Arc::new(run);
            let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            runs.entry(name.to_owned()).or_insert(run).clone()
        }))
    }
}

/// The names of the runs in a directory.
fn names(path: &Path) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        names
            .extend(ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).map(str::to_owned));
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

impl Site for Folder {
    fn at(&self, path: &str) -> Option<Arc<dyn Shown>> {
        let Some(name) = path.strip_suffix('/') else {
            return path.is_empty().then(|| Arc::new(List(self.path.clone())) as _);
        };
        match self.run(name)? {
            Ok(run) => Some(run),
            Err(told) => Some(Arc::new(Unread { name: name.to_owned(), told: told.message })),
        }
    }
}

/// The list of the runs.
struct List(PathBuf);

impl List {
    fn page(&self) -> Page {
        let mut page = Page::new(&self.0.display().to_string());
        page.command = "view".to_owned();
        match names(&self.0) {
            Ok(names) => {
                page.verdict = match names.len() {
                    1 => "One run was kept.".to_owned(),
                    count => format!("{count} runs were kept."),
                };
                let link = |name: &String| (name.clone(), format!("{name}/"));
                let body = Body::Links(names.iter().map(link).collect());
                page.first.push(Block { heading: "Runs".to_owned(), body });
            }
            Err(error) => {
                page.verdict = format!("The directory cannot be read: {}.", reason(&error))
            }
        }
        page.numbered()
    }
}

impl Shown for List {
    fn number(&self) -> u64 {
        self.page().live.unwrap_or_default()
    }

    fn html(&self) -> String {
        self.page().html()
    }

    fn rows(&self, _: &RowsAsked) -> Result<String, u64> {
        Err(0)
    }
}

/// A run whose files cannot be read, and why.
struct Unread {
    name: String,
    told: String,
}

impl Shown for Unread {
    fn number(&self) -> u64 {
        0
    }

    fn html(&self) -> String {
        let mut page = Page::new(&self.name);
        page.command = "view".to_owned();
        page.verdict = format!("It cannot be read: {}.", self.told);
        page.html()
    }

    fn rows(&self, _: &RowsAsked) -> Result<String, u64> {
        Err(0)
    }
}
