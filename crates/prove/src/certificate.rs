//! What a proof asked, kept so that anybody can ask it again.
//!
//! A proof is a number of questions that no assignment satisfies, and an argument why their answers together make the
//! claim. The argument is in the method's description; the questions are here, as files that any solver reads:
//!
//! ```text
//!   proof/proof.json           the claim in words, the method, the program's name and hash, the list of questions
//!   proof/1-two-cycle.smt2     ; why it is asked
//!                              (set-info :status unsat)
//!                              …
//! ```
//!
//! [`recheck`] asks all of them again, of any solvers, and compares. The hashes in the index tell whether a file was changed
//! since; they keep nobody from writing another proof.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::smt::{Answer, Solver, SolverError};

/// The file that lists the others.
const INDEX: &str = "proof.json";

/// What stands before every script: the answer that is expected.
const STATUS: &str = "(set-info :status unsat)\n";

/// A proof.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// How it is proved, as in `induction`.
    pub method: String,
    /// What is proved, in words.
    pub claim: String,
    /// The questions, none of which can be satisfied.
    pub queries: Vec<Query>,
}

/// A question of a proof.
#[derive(Clone, Debug)]
pub struct Query {
    /// A short name, which becomes part of the file's.
    pub name: String,
    /// What it means for the claim that nothing satisfies it.
    pub why: String,
    /// A complete script, which ends in `(check-sat)`.
    pub script: String,
}

/// What a solver says to a question of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recheck {
    /// The question's file.
    pub file: String,
    /// Why it is asked.
    pub why: String,
    /// Who was asked.
    pub solver: String,
    /// The answer; anything but [`Answer::Unsat`] proves nothing.
    pub answer: Answer,
}

impl Recheck {
    /// Whether the answer is the one the proof needs.
    pub fn holds(&self) -> bool {
        self.answer == Answer::Unsat
    }
}

/// The index of a certificate.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// How it is proved.
    pub method: String,
    /// What is proved, in words.
    pub claim: String,
    /// Of which program.
    pub program: HashedFile,
    /// The questions, in order.
    pub queries: Vec<IndexedQuery>,
}

/// A file and what was in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HashedFile {
    /// Its name.
    pub file: String,
    /// The SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
}

impl HashedFile {
    /// Whether this was in it.
    pub fn is_of(&self, text: &str) -> bool {
        self.sha256 == hash(text)
    }
}

/// A question in an [`Index`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexedQuery {
    /// Its file, right in the directory.
    pub file: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// Why it is asked.
    pub why: String,
}

/// Why a certificate is not written or not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// A file or directory cannot be read or written.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The directory has files that are not of a certificate.
    #[error("{path} has files and no {INDEX}: a certificate wants a directory of its own", path = path.display())]
    Occupied {
        /// The directory.
        path: PathBuf,
    },
    /// The index is not one.
    #[error("{path}: {error}", path = path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The index is one of no proof.
    #[error("{path}: {wrong}", path = path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        wrong: String,
    },
    /// The solver gave no answer.
    #[error("{file}: {error}")]
    Solver {
        /// The question.
        file: String,
        /// What the solver did.
        error: SolverError,
    },
}

impl Certificate {
    /// Writes the certificate of a program to a directory, which is made if it is not there. A certificate that is there
    /// already is replaced.
    pub fn write(
        &self,
        directory: &Path,
        program: &str,
        text: &str,
    ) -> Result<(), CertificateError> {
        fs::create_dir_all(directory).map_err(at(directory))?;
        clear(directory)?;
        let mut queries = Vec::new();
        // With as many digits each, the files are listed in order.
        let digits = self.queries.len().to_string().len();
        for (number, query) in (1..).zip(&self.queries) {
            let file = format!("{number:0digits$}-{}.smt2", plain(&query.name));
            let script = query.file();
            let path = directory.join(&file);
            fs::write(&path, &script).map_err(at(&path))?;
            queries.push(IndexedQuery { file, sha256: hash(&script), why: query.why.clone() });
        }
        let index = Index {
            method: self.method.clone(),
            claim: self.claim.clone(),
            program: HashedFile { file: program.to_owned(), sha256: hash(text) },
            queries,
        };
        let path = directory.join(INDEX);
        let mut text = serde_json::to_string_pretty(&index).expect("strings can be written");
        text.push('\n');
        fs::write(&path, text).map_err(at(&path))
    }
}

impl Query {
    fn file(&self) -> String {
        let mut text = String::new();
        for line in self.why.lines() {
            text.push_str(&format!("; {line}\n"));
        }
        text + STATUS + &self.script
    }
}

/// Makes place for a certificate: the files of the one that is there go, and no others.
fn clear(directory: &Path) -> Result<(), CertificateError> {
    let index = directory.join(INDEX);
    if !index.exists() {
        let mut files = fs::read_dir(directory).map_err(at(directory))?;
        return match files.next() {
            None => Ok(()),
            Some(_) => Err(CertificateError::Occupied { path: directory.to_owned() }),
        };
    }
    for query in read_index(directory)?.queries {
        let path = directory.join(&query.file);
        if path.exists() {
            fs::remove_file(&path).map_err(at(&path))?;
        }
    }
    fs::remove_file(&index).map_err(at(&index))
}

/// The index of the certificate in a directory.
pub fn read_index(directory: &Path) -> Result<Index, CertificateError> {
    let path = directory.join(INDEX);
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let index: Index = match serde_json::from_str(&text) {
        Ok(index) => index,
        Err(error) => return Err(CertificateError::Index { path, error }),
    };
    // No question is no proof, and a file elsewhere is not of this certificate.
    let wrong = if index.queries.is_empty() {
        Some("it lists no question".to_owned())
    } else {
        let outside = index
            .queries
            .iter()
            .find(|query| query.file != plain(query.file.trim_end_matches(".smt2")) + ".smt2");
        outside.map(|query| format!("{:?} is no name of a question", query.file))
    };
    match wrong {
        Some(wrong) => Err(CertificateError::Wrong { path, wrong }),
        None => Ok(index),
    }
}

/// Asks every question of a certificate again, of each of the solvers. A file that was changed is an error.
pub fn recheck(
    directory: &Path,
    solvers: &[Solver],
    limit: Duration,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Recheck>, CertificateError> {
    let index = read_index(directory)?;
    let mut all = Vec::new();
    for query in &index.queries {
        let path = directory.join(&query.file);
        let text = fs::read_to_string(&path).map_err(at(&path))?;
        if hash(&text) != query.sha256 {
            let wrong = "it was changed since the proof was written".to_owned();
            return Err(CertificateError::Wrong { path, wrong });
        }
        // The solver is not told what it should say: cvc5 dies when it would say something else.
        let script = text.replacen(STATUS, "", 1);
        for solver in solvers {
            let answer = solver
                .ask(&script, &[], limit, stop)
                .map_err(|error| CertificateError::Solver { file: query.file.clone(), error })?;
            let (file, why) = (query.file.clone(), query.why.clone());
            all.push(Recheck { file, why, solver: solver.name(), answer });
        }
    }
    Ok(all)
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> CertificateError + '_ {
    |error| CertificateError::File { path: path.to_owned(), error }
}

/// A name that any file may have.
fn plain(name: &str) -> String {
    let of = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(of).collect()
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
