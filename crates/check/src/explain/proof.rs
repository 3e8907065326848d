//! The proof of a violation, step by step, in words: for those who want to check it.

use hobgoblin_core::{
    Conclusion, Edge, EventId, Fault, History, Proof, Reason, Source, Step, Target, TxnId, Witness,
};

use super::words::Words;

/// The proof with who takes part in it: the transactions, their events, and why, sentence by sentence.
///
/// ```
#[doc = include_str!("../facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::{Limits, Verdict, check, explain};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// let Verdict::Violation(witness) = check(&history, Level::SI, &Limits::none()) else { panic!() };
/// assert!(explain::proof(&history, &witness).contains("a contradiction"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn proof(history: &History, witness: &Witness) -> String {
    let words = Words { history };
    let mut text = headline(history, witness);
    text.push_str("\n\n");
    text.push_str(&words.participants(&witness.txns));
    text.push('\n');
    for sentence in sentences(history, witness) {
        text.push_str(&sentence);
        text.push('\n');
    }
    text
}

/// One line: the anomaly, the transactions, the level.
///
/// ```
#[doc = include_str!("../facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::explain::headline;
/// use hobgoblin::check::{Limits, Verdict, check};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// let Verdict::Violation(witness) = check(&history, Level::SI, &Limits::none()) else { panic!() };
/// assert!(headline(&history, &witness).contains("lost update"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn headline(history: &History, witness: &Witness) -> String {
    const MOST: usize = 6;
    let words = Words { history };
    let mut names: Vec<String> = witness.txns.iter().take(MOST).map(|&t| words.name(t)).collect();
    if witness.txns.len() > MOST {
        names.push(format!("… ({} transactions)", witness.txns.len()));
    }
    let level = match witness.target {
        Target::Level(level) => format!("{} ({level})", level.info().title),
        Target::Mixed(_) => "the levels of their transactions".to_owned(),
    };
    let verb = if witness.txns.len() == 1 { "violates" } else { "violate" };
    format!("{}: {} {verb} {level}", witness.anomaly.title(), names.join(", "))
}

/// Why, sentence by sentence; those of a case or an assumption are indented.
///
/// ```
#[doc = include_str!("../facade.txt")]
/// use hobgoblin::Level;
/// use hobgoblin::check::explain::sentences;
/// use hobgoblin::check::{Limits, Verdict, check};
/// use hobgoblin::format::read;
///
/// let text = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }";
/// let history = read(text.as_bytes(), "lost.txn", None)?;
/// let Verdict::Violation(witness) = check(&history, Level::SI, &Limits::none()) else { panic!() };
/// assert!(!sentences(&history, &witness).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sentences(history: &History, witness: &Witness) -> Vec<String> {
    let mut teller = Teller { history, words: Words { history }, witness, said: Vec::new() };
    teller.proof(&witness.proof, 0);
    teller.said
}

struct Teller<'a> {
    history: &'a History,
    words: Words<'a>,
    witness: &'a Witness,
    said: Vec<String>,
}

impl Teller<'_> {
    fn say(&mut self, depth: usize, sentence: String) {
        self.said.push(format!("{}{sentence}", "  ".repeat(depth)));
    }

    /// Tells a proof. Proofs nest as deep as their case splits, which are few.
    fn proof(&mut self, proof: &Proof, depth: usize) {
        for step in &proof.steps {
            self.step(step, depth);
        }
        match &proof.conclusion {
            Conclusion::Read(event) => self.fault(*event, depth),
            Conclusion::Cycle(cycle) => {
                for edge in cycle {
                    let clause = self.clause(edge);
                    self.say(depth, format!("{clause}."));
                }
                let first = self.words.name(cycle.first().map_or(TxnId::INIT, |e| e.from));
                self.say(depth, format!("So {first} would come before itself: a contradiction."));
            }
            Conclusion::Sources { read, cases } => self.cases(*read, cases, depth),
            Conclusion::Search => {
                let count = self.witness.txns.len();
                self.say(depth, format!(
                    "No order of these {count} transactions is allowed; a search of all orders found none."
                ));
            }
        }
    }

    fn step(&mut self, step: &Step, depth: usize) {
        let (first, second) = (self.words.name(step.first), self.words.name(step.second));
        let key = self.words.key(step.key);
        let plain = step.otherwise.steps.is_empty();
        match &step.otherwise.conclusion {
            Conclusion::Cycle(cycle) if plain => {
                // The assumption itself is an edge of most such cycles; saying it twice says nothing.
                let assumed = |e: &&Edge| {
                    let same = e.from == step.second && e.to == step.first;
                    !(same && e.why == Reason::Write(step.key))
                };
                let rest: Vec<&Edge> = cycle.iter().filter(assumed).collect();
                if let [only] = rest[..]
                    && only.from == step.first
                {
                    let clause = self.clause(only);
                    return self.say(depth, format!("{clause}; so {first} wrote {key} first."));
                }
                let clauses: Vec<String> = rest.into_iter().map(|e| self.clause(e)).collect();
                let clauses = clauses.join("; and ");
                self.say(
                    depth,
                    format!(
                        "{first} wrote {key} before {second} did; had {second} been first, \
                         there would be a circle: {clauses}."
                    ),
                );
            }
            _ => {
                self.say(
                    depth,
                    format!(
                        "{first} wrote {key} before {second} did. Suppose {second} had been first:"
                    ),
                );
                self.proof(&step.otherwise, depth + 1);
            }
        }
    }

    fn cases(&mut self, read: EventId, cases: &[(TxnId, Proof)], depth: usize) {
        let writers: Vec<String> = cases.iter().map(|&(t, _)| self.words.name(t)).collect();
        let what = self.words.read(read);
        let writers = writers.join(", ");
        self.say(depth, format!("{what}, and more than one transaction wrote that: {writers}."));
        for (txn, proof) in cases {
            let name = self.words.name(*txn);
            self.say(depth, format!("If it read {name}'s:"));
            self.proof(proof, depth + 1);
        }
    }

    /// "t3 comes before t7, because t3 read x=4, which t7 overwrote (line 812)".
    fn clause(&self, edge: &Edge) -> String {
        let words = &self.words;
        let (from, to) = (words.name(edge.from), words.name(edge.to));
        let because = match edge.why {
            Reason::Session if edge.from == TxnId::INIT => "it is the initial state".to_owned(),
            Reason::Session => {
                let session = self.history.session_of(edge.from).expect("init was handled");
                format!("it is earlier in session {}", self.history.session(session))
            }
            Reason::Read(read) => {
                let at = words.write_line(edge.from, self.history.event(read).key());
                format!("{}, which {from} wrote{at}", words.read(read))
            }
            Reason::RealTime => {
                let time = |t: Option<i64>| t.map_or("?".to_owned(), |t| t.to_string());
                format!(
                    "it ended (at {}) before {to} began (at {})",
                    time(self.history.end(edge.from)),
                    time(self.history.begin(edge.to))
                )
            }
            Reason::Write(key) => {
                let known = match self.history.order(key) {
                    Some(order) if order.contains(&edge.from) => ", as the history says",
                    _ => "",
                };
                format!("it wrote {} first{known}", words.key(key))
            }
            Reason::Overwrite(read) => {
                let at = words.write_line(edge.to, self.history.event(read).key());
                format!("{}, which {to} overwrote{at}", words.read(read))
            }
        };
        format!("{from} comes before {to}, because {because}")
    }

    /// A read that could not return what it did.
    fn fault(&mut self, event: EventId, depth: usize) {
        let words = &self.words;
        let what = words.read(event);
        let writers = self.history.writes_of_same_value(event);
        let reader = self.history.txn_of(event);
        let other = writers.iter().copied().find(|&w| self.history.txn_of(w) != reader);
        let by = |w: Option<EventId>| {
            w.map_or(String::new(), |w| {
                let name = words.name(self.history.txn_of(w));
                format!("{name} wrote{}", words.line(w))
            })
        };
        let sentence = match self.history.source(event) {
            Source::Fault(Fault::Aborted) => {
                format!("{what}, which only {}, and that transaction aborted.", by(other))
            }
            Source::Fault(Fault::Intermediate) => {
                format!(
                    "{what}, which {} and then overwrote itself: nobody else may see that value.",
                    by(other)
                )
            }
            Source::Fault(Fault::OwnLaterWrite) => {
                format!("{what}, which nobody but itself wrote, and only later.")
            }
            Source::Fault(Fault::InternalMismatch) => {
                let own = words.last_own_write(event);
                format!("{what}, but it had written {own} before, and must read its own writes.")
            }
            _ => match self.history.writer_given(event) {
                Some(writer) => {
                    let name = words.name(writer);
                    format!("{what}, it says from {name}, but {name} did not write that value.")
                }
                None => format!("{what}, but nobody wrote that value."),
            },
        };
        self.say(depth, sentence);
    }
}
