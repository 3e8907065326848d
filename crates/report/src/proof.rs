//! A proof as a tree of sentences: every conclusion unfolds to its reasons, down to facts.
//!
//! ```text
//! 1. t3 comes before t2, because t3 read x = 1, which t2 overwrote.
//!    1.1 t3 read x = 1 from t1.                                        a fact
//!    1.2 t1 wrote x before t2 did.                                     a step of the proof
//!        Had t2 written x first, this would follow: 1.2.1 …
//! ```
//!
//! A step that is used twice is unfolded where it is used first, and named where it is used again.

use hobgoblin_check::explain;
use hobgoblin_core::{
    Conclusion, Edge, EventId, History, KeyId, Proof, Reason, Source, Step, Target, TxnId, Witness,
};

use crate::arrow::{Arrow, order};
use crate::names;

/// Reasons nested deeper than this are told after the others.
const DEPTH: usize = 12;

/// A sentence of a proof, with what it follows from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    /// The arrow it is about.
    pub(crate) arrow: Option<usize>,
    /// The events it is about.
    pub(crate) events: Vec<EventId>,
    /// The derived order that it establishes, counted from 0.
    pub(crate) establishes: Option<usize>,
    /// The derived order that it uses, told in another place.
    pub(crate) see: Option<usize>,
    /// What the reasons are: those for it, where this is empty, or what would follow if it were otherwise.
    pub(crate) otherwise: String,
    pub(crate) reasons: Vec<Sentence>,
}

impl Sentence {
    /// A sentence that rests on nothing.
    pub(crate) fn of(text: &str) -> Sentence {
        Sentence { text: text.to_owned(), ..Sentence::default() }
    }
}

/// The proof of a witness, from what it comes to down to facts.
pub(crate) fn sentences(history: &History, witness: &Witness, arrows: &[Arrow]) -> Vec<Sentence> {
    let mut teller = Teller { history, witness, arrows, told: Vec::new(), later: Vec::new() };
    let mut said = teller.proof(&witness.proof, &Scope::default(), 0);
    while let Some((number, step, scope)) = teller.later.pop() {
        let sentence = teller.unfold(number, step, &scope, 0);
        said.push(sentence);
    }
    said
}

/// What may be used at a place of a proof.
#[derive(Clone, Default)]
struct Scope<'a> {
    steps: Vec<Shown<'a>>,
    /// Orders supposed to lead them to a contradiction.
    supposed: Vec<Edge>,
    /// Whom reads of repeated values are supposed to have read from.
    sources: Vec<(EventId, TxnId)>,
}

/// A step, and how much was supposed where it was shown.
#[derive(Clone, Copy)]
struct Shown<'a> {
    step: &'a Step,
    supposed: usize,
    sources: usize,
}

/// Why one writer of a key comes before another.
#[derive(Clone, Copy)]
enum Link<'a> {
    /// Init comes before all others.
    Initial,
    /// The history says so.
    Listed(TxnId, TxnId),
    Supposed(Edge),
    Step(&'a Step),
}

struct Teller<'a> {
    history: &'a History,
    witness: &'a Witness,
    arrows: &'a [Arrow],
    /// The steps told so far; their places number them.
    told: Vec<&'a Step>,
    /// Steps that are nested too deep where they are used.
    later: Vec<(usize, &'a Step, Scope<'a>)>,
}

impl<'a> Teller<'a> {
    /// Tells a proof. It recurses as deep as cases and reasons nest, and reasons at most [`DEPTH`].
    fn proof(&mut self, proof: &'a Proof, outer: &Scope<'a>, depth: usize) -> Vec<Sentence> {
        let mut scope = outer.clone();
        let (supposed, sources) = (scope.supposed.len(), scope.sources.len());
        scope.steps.extend(proof.steps.iter().map(|step| Shown { step, supposed, sources }));
        match &proof.conclusion {
            Conclusion::Cycle(cycle) => {
                let mut said: Vec<Sentence> =
                    cycle.iter().map(|edge| self.edge(edge, &scope, depth)).collect();
                said.push(plain(self.circle(cycle, depth)));
                said
            }
            Conclusion::Read(read) => {
                let arrow = self.arrows.iter().position(|a| a.edge.why == Reason::Read(*read));
                let mut events = vec![*read];
                events.extend(arrow.and_then(|a| self.arrows[a].tail));
                self.fault(*read, depth)
                    .into_iter()
                    .map(|text| Sentence {
                        text,
                        arrow,
                        events: events.clone(),
                        ..Sentence::default()
                    })
                    .collect()
            }
            Conclusion::Sources { read, cases } => self.cases(*read, cases, &scope, depth),
            Conclusion::Search => vec![plain(format!(
                "No order of these {} transactions is allowed: a search of all orders found none.",
                self.witness.txns.len()
            ))],
        }
    }

    fn circle(&self, cycle: &[Edge], depth: usize) -> String {
        let first = self.name(cycle.first().map_or(TxnId::INIT, |edge| edge.from));
        if depth > 0 {
            return format!("So {first} would come before itself: that cannot be.");
        }
        let forbids = match self.witness.target {
            Target::Level(level) => format!("which {} ({level}) forbids", level.info().title),
            Target::Mixed(_) => "which the levels of these transactions forbid".to_owned(),
        };
        format!("So {first} would come before itself, {forbids}.")
    }

    fn fault(&self, read: EventId, depth: usize) -> Vec<String> {
        if depth == 0 {
            let said = explain::sentences(self.history, self.witness);
            return said.into_iter().map(|text| text.trim().to_owned()).collect();
        }
        vec![format!("{}, which it could not.", self.read(read))]
    }

    fn cases(
        &mut self,
        read: EventId,
        cases: &'a [(TxnId, Proof)],
        scope: &Scope<'a>,
        depth: usize,
    ) -> Vec<Sentence> {
        let what = format!("{}, and more than one transaction wrote that value.", self.read(read));
        let mut said = vec![Sentence { events: vec![read], ..plain(what) }];
        for (txn, proof) in cases {
            let mut scope = scope.clone();
            scope.sources.push((read, *txn));
            let reasons = self.proof(proof, &scope, depth + 1);
            let text = format!("It cannot have been the value of {}.", self.name(*txn));
            said.push(Sentence { reasons, ..plain(text) });
        }
        said
    }

    /// An edge with its reasons.
    fn edge(&mut self, edge: &Edge, scope: &Scope<'a>, depth: usize) -> Sentence {
        let arrow = self.arrows.iter().position(|a| a.edge == *edge);
        let mut sentence = Sentence {
            text: format!("{}.", self.clause(edge, scope)),
            arrow,
            events: arrow.map_or_else(Vec::new, |a| self.arrows[a].events()),
            ..Sentence::default()
        };
        match edge.why {
            Reason::Session | Reason::RealTime | Reason::Read(_) => {}
            Reason::Write(_) if scope.supposed.contains(edge) => {}
            Reason::Write(key) => {
                let mut reasons = self.order(key, edge.from, edge.to, scope, depth);
                // What the edge says already needs not be said again by the step that shows it.
                match &mut reasons[..] {
                    [step] if step.establishes.is_some() => {
                        sentence.establishes = step.establishes;
                        sentence.otherwise = std::mem::take(&mut step.otherwise);
                        sentence.reasons = std::mem::take(&mut step.reasons);
                    }
                    _ => sentence.reasons = reasons,
                }
            }
            Reason::Overwrite(read) => {
                let supposed = scope.sources.iter().find(|(r, _)| *r == read).map(|&(_, t)| t);
                let writer = supposed.or(match self.history.source(read) {
                    Source::Txn(writer) => Some(writer),
                    _ => None,
                });
                let Some(writer) = writer else { return sentence };
                let from = match supposed {
                    Some(_) => format!("suppose it was the value of {}", self.name(writer)),
                    None => format!("that is the value of {}", self.name(writer)),
                };
                let fact = plain(format!("{}; {from}.", self.read(read)));
                let key = self.history.event(read).key();
                sentence.reasons.push(Sentence { events: vec![read], ..fact });
                sentence.reasons.extend(self.order(key, writer, edge.to, scope, depth));
            }
        }
        sentence
    }

    /// Why `first` wrote a key before `second`.
    fn order(
        &mut self,
        key: KeyId,
        first: TxnId,
        second: TxnId,
        scope: &Scope<'a>,
        depth: usize,
    ) -> Vec<Sentence> {
        let name = names::key(self.history, key);
        let links = self.way(key, first, second, scope);
        let told = |link: Link<'a>| match link {
            Link::Initial => plain(format!("Every write of {name} comes after its initial value.")),
            Link::Listed(first, second) => {
                let (first, second) = (self.name(first), self.name(second));
                plain(format!("The history says that {first} wrote {name} before {second}."))
            }
            Link::Supposed(edge) => {
                let (first, second) = (self.name(edge.from), self.name(edge.to));
                plain(format!("It was supposed that {first} wrote {name} before {second}."))
            }
            Link::Step(step) => self.step(step, scope, depth),
        };
        links.into_iter().map(told).collect()
    }

    /// Whether the history gives this order: init, then the writers it names, then all others.
    fn listed(&self, key: KeyId, first: TxnId, second: TxnId) -> Option<Link<'a>> {
        if first == TxnId::INIT {
            return Some(Link::Initial);
        }
        let order = self.history.order(key)?;
        let place = |txn| order.iter().position(|&t| t == txn);
        let before = place(second).is_none_or(|second| place(first) < Some(second));
        (first != second && place(first).is_some() && before).then_some(Link::Listed(first, second))
    }

    /// The links by which one writer of a key comes before another, the fewest.
    fn way(&self, key: KeyId, first: TxnId, second: TxnId, scope: &Scope<'a>) -> Vec<Link<'a>> {
        let on_key = |edge: &Edge| edge.why == Reason::Write(key);
        let supposed = scope.supposed.iter().filter(|e| on_key(e)).map(|&e| (e, Link::Supposed(e)));
        let steps = scope.steps.iter().map(|shown| (order(shown.step), Link::Step(shown.step)));
        let facts: Vec<(Edge, Link<'a>)> =
            supposed.chain(steps.filter(|(edge, _)| on_key(edge))).collect();
        let mut reached: Vec<(TxnId, Vec<Link<'a>>)> = vec![(first, Vec::new())];
        let mut at = 0;
        while let Some((txn, way)) = reached.get(at).cloned() {
            if txn == second {
                return way;
            }
            if let Some(link) = self.listed(key, txn, second) {
                return [way, vec![link]].concat();
            }
            for &(edge, link) in &facts {
                let listed = self.listed(key, txn, edge.from);
                let known = reached.iter().any(|(txn, _)| *txn == edge.to);
                if known || (edge.from != txn && listed.is_none()) {
                    continue;
                }
                let before = if edge.from == txn { None } else { listed };
                let links = way.iter().copied().chain(before).chain([link]).collect();
                reached.push((edge.to, links));
            }
            at += 1;
        }
        Vec::new()
    }

    /// A derived order: unfolded where it is met first, and named from then on.
    fn step(&mut self, step: &'a Step, scope: &Scope<'a>, depth: usize) -> Sentence {
        if let Some(number) = self.told.iter().position(|told| std::ptr::eq(*told, step)) {
            return self.seen(number, step);
        }
        let number = self.told.len();
        self.told.push(step);
        if depth < DEPTH {
            return self.unfold(number, step, scope, depth);
        }
        self.later.push((number, step, scope.clone()));
        self.seen(number, step)
    }

    fn seen(&self, number: usize, step: &Step) -> Sentence {
        let text = format!(
            "{} wrote {} before {} did",
            self.name(step.first),
            self.key(step),
            self.name(step.second)
        );
        Sentence { see: Some(number), arrow: self.arrow(step), ..plain(text) }
    }

    fn arrow(&self, step: &Step) -> Option<usize> {
        let edge = order(step);
        self.arrows.iter().position(|a| a.edge == edge)
    }

    fn unfold(
        &mut self,
        number: usize,
        step: &'a Step,
        scope: &Scope<'a>,
        depth: usize,
    ) -> Sentence {
        let (first, second) = (self.name(step.first), self.name(step.second));
        let key = self.key(step);
        let text = format!("{first} wrote {key} before {second} did.");
        let otherwise = format!("Had {second} written {key} first, this would follow");
        // A step may use those before it, what was supposed where it was shown, and its own contrary.
        let mut inner = scope.clone();
        if let Some(at) = inner.steps.iter().position(|shown| std::ptr::eq(shown.step, step)) {
            let Shown { supposed, sources, .. } = inner.steps[at];
            inner.steps.truncate(at);
            inner.supposed.truncate(supposed);
            inner.sources.truncate(sources);
        }
        inner.supposed.push(Edge {
            from: step.second,
            to: step.first,
            why: Reason::Write(step.key),
        });
        let reasons = self.proof(&step.otherwise, &inner, depth + 1);
        let arrow = self.arrow(step);
        let events = arrow.map_or_else(Vec::new, |a| self.arrows[a].events());
        Sentence { arrow, events, establishes: Some(number), otherwise, reasons, ..plain(text) }
    }

    /// "t3 comes before t7, because t3 read x = 4, which t7 overwrote (line 812)".
    fn clause(&self, edge: &Edge, scope: &Scope<'a>) -> String {
        let (from, to) = (self.name(edge.from), self.name(edge.to));
        let because = match edge.why {
            Reason::Session if edge.from == TxnId::INIT => "it is the initial state".to_owned(),
            Reason::Session => match self.history.session_of(edge.from) {
                Some(session) => {
                    format!("it is earlier in session {}", self.history.session(session))
                }
                None => "it is earlier in its session".to_owned(),
            },
            Reason::Read(read) => {
                let at = self.written(edge.from, self.history.event(read).key());
                format!("{}, which {from} wrote{at}", self.read(read))
            }
            Reason::RealTime => {
                let time = |t: Option<i64>| t.map_or("?".to_owned(), |t| t.to_string());
                let (end, begin) = (self.history.end(edge.from), self.history.begin(edge.to));
                format!("it ended (at {}) before {to} began (at {})", time(end), time(begin))
            }
            Reason::Write(key) => {
                let key = names::key(self.history, key);
                match scope.supposed.contains(edge) {
                    true => format!("it wrote {key} first, as was supposed"),
                    false => format!("it wrote {key} first"),
                }
            }
            Reason::Overwrite(read) => {
                let at = self.written(edge.to, self.history.event(read).key());
                format!("{}, which {to} overwrote{at}", self.read(read))
            }
        };
        format!("{from} comes before {to}, because {because}")
    }

    fn name(&self, txn: TxnId) -> String {
        names::txn(self.history, txn)
    }

    fn key(&self, step: &Step) -> String {
        names::key(self.history, step.key)
    }

    fn read(&self, read: EventId) -> String {
        let name = self.name(self.history.txn_of(read));
        let what = names::assignment(self.history, read);
        format!("{name} read {what}{}", names::line(self.history, read))
    }

    /// Where a transaction writes a key.
    fn written(&self, txn: TxnId, key: KeyId) -> String {
        let writes = |e: &EventId| {
            let event = self.history.event(*e);
            event.is_final_write() && event.key() == key
        };
        let event = self.history.event_ids(txn).find(writes);
        event.map_or_else(String::new, |event| names::line(self.history, event))
    }
}

fn plain(text: String) -> Sentence {
    Sentence { text, ..Sentence::default() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hobgoblin_check::{Limits, check_levels};
    use hobgoblin_core::{Level, Verdict};

    use super::*;
    use crate::arrow::arrows;

    /// Every order that a proof uses has a reason, and what is told elsewhere is told.
    fn check(history: &History, witness: &Witness) -> usize {
        let arrows = arrows(history, witness);
        let mut open = sentences(history, witness, &arrows);
        let (mut established, mut seen, mut count) = (Vec::new(), Vec::new(), 0);
        while let Some(sentence) = open.pop() {
            let derived = sentence.arrow.is_some_and(|arrow| {
                matches!(arrows[arrow].edge.why, Reason::Write(_) | Reason::Overwrite(_))
            });
            if derived && sentence.see.is_none() && !sentence.text.ends_with("as was supposed.") {
                assert!(!sentence.reasons.is_empty(), "no reason: {}", sentence.text);
            }
            established.extend(sentence.establishes);
            seen.extend(sentence.see);
            open.extend(sentence.reasons);
            count += 1;
        }
        assert!(seen.iter().all(|step| established.contains(step)));
        count
    }

    #[test]
    fn every_derived_order_unfolds() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let mut count = 0;
        for folder in ["litmus", "hermitage", "random"] {
            for entry in corpus.join(folder).read_dir().expect("the corpus is there") {
                let file = entry.expect("it can be read").path();
                if file.extension().is_none_or(|ending| ending != "txn") {
                    continue;
                }
                let history = hobgoblin_format::read_path(&file, None).expect("it can be read");
                for answer in check_levels(&history, &Level::ALL, &Limits::none(), |_| ()) {
                    if let Verdict::Violation(witness) = answer.verdict {
                        count += check(&history, &witness);
                    }
                }
            }
        }
        assert!(count > 500, "{count} sentences");
    }
}
