//! Specifications of one's own: what is asked of every execution, as formulas.
//!
//! ```text
//! # causal consistency, and the later of two enrolments sees the earlier
//! vis(a, b) and vis(b, c) => vis(a, c)
//! for a in Enroll, b in Enroll: ar(a, b) => vis(a, b)
//! ```
//!
//! A line is a formula that holds for all instances `a`, `b`, `c`, of any transactions or of those that `for` names:
//!
//! | formula | holds if |
//! | --- | --- |
//! | `vis(a, b)` | `b` sees `a` |
//! | `ar(a, b)` | `a` is before `b` in the arbitration order |
//! | `WW(a, b)` | `a` is before `b`, and both write the same field of a row |
//! | `a = b` | they are the same instance |
//! | `not F`, `F and G`, `F or G`, `F => G`, `true`, `false` | as usual, in this order of strength |
//!
//! A line that is indented goes on with the one before. They come in addition to what levels ask, of which EC asks nothing.

use std::fmt;

use crate::program::Program;
use crate::term::{Term, Terms};

/// A formula that holds for all instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// For each of its variables the transactions whose instances it stands for; none for all.
    variables: Vec<Option<Vec<usize>>>,
    body: Node,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    True,
    Relation(Relation, usize, usize),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Implies(Box<Node>, Box<Node>),
}

/// What formulas speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    /// The second sees the first.
    Sees,
    /// The first is before the second.
    Before,
    /// The first is before the second, and both write the same field.
    Overwrites,
    /// They are the same.
    Same,
}

/// What is wrong with a specification, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FormulaError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// More instances a formula does not speak of: all their combinations are looked at.
const MOST_VARIABLES: usize = 5;

/// Deeper formulas are not read.
const DEEPEST: usize = 100;

impl Formula {
    /// Reads a file of formulas.
    pub fn read(text: &str, program: &Program) -> Result<Vec<Formula>, FormulaError> {
        let mut formulas = Vec::new();
        let mut tokens: Vec<Token<'_>> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let code = line.split('#').next().unwrap_or_default();
            let code = code.split("--").next().unwrap_or_default();
            let goes_on = code.starts_with([' ', '\t']);
            if !goes_on && !code.trim().is_empty() && !tokens.is_empty() {
                formulas.push(Reader::new(program, std::mem::take(&mut tokens)).formula()?);
            }
            tokenize(code, at + 1, &mut tokens)?;
        }
        if !tokens.is_empty() {
            formulas.push(Reader::new(program, tokens).formula()?);
        }
        if formulas.is_empty() {
            return Err(FormulaError {
                line: 1,
                column: 1,
                message: "there is no formula in it".to_owned(),
                help: "write one in a line, such as vis(a, b) and vis(b, c) => vis(a, c)"
                    .to_owned(),
            });
        }
        Ok(formulas)
    }

    /// What it says of instances of these transactions. Where `relation` knows only that something may hold, it says none,
    /// and the formula is weakened so that it still follows.
    pub(crate) fn facts(
        &self,
        terms: &mut Terms,
        transactions: &[usize],
        mut relation: impl FnMut(&mut Terms, Relation, usize, usize, bool) -> Option<Term>,
    ) -> Vec<Term> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for of in &self.variables {
            let fits = |at: &usize| of.as_ref().is_none_or(|of| of.contains(&transactions[*at]));
            let places: Vec<usize> = (0..transactions.len()).filter(fits).collect();
            all = all
                .into_iter()
                .flat_map(|rest| places.iter().map(move |&at| [&rest[..], &[at]].concat()))
                .collect();
        }
        let mut facts = Vec::new();
        for instances in all {
            let fact = self.body.term(terms, &instances, true, &mut relation);
            facts.push(fact);
        }
        facts.retain(|&fact| !terms.is(fact, true));
        facts
    }
}

impl Node {
    fn term(
        &self,
        terms: &mut Terms,
        instances: &[usize],
        positive: bool,
        relation: &mut impl FnMut(&mut Terms, Relation, usize, usize, bool) -> Option<Term>,
    ) -> Term {
        match self {
            Node::True => terms.bool(true),
            Node::Relation(Relation::Same, one, other) => {
                terms.bool(instances[*one] == instances[*other])
            }
            // Nobody sees itself, or is before itself.
            Node::Relation(_, one, other) if instances[*one] == instances[*other] => {
                terms.bool(false)
            }
            Node::Relation(what, one, other) => {
                let known = relation(terms, *what, instances[*one], instances[*other], positive);
                known.unwrap_or_else(|| terms.bool(positive))
            }
            Node::Not(of) => {
                let of = of.term(terms, instances, !positive, relation);
                terms.not(of)
            }
            Node::And(one, other) => {
                let one = one.term(terms, instances, positive, relation);
                let other = other.term(terms, instances, positive, relation);
                terms.and([one, other])
            }
            Node::Or(one, other) => {
                let one = one.term(terms, instances, positive, relation);
                let other = other.term(terms, instances, positive, relation);
                terms.or([one, other])
            }
            Node::Implies(one, other) => {
                let one = one.term(terms, instances, !positive, relation);
                let other = other.term(terms, instances, positive, relation);
                terms.implies(one, other)
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Token<'t> {
    text: &'t str,
    line: usize,
    column: usize,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

fn tokenize<'t>(
    code: &'t str,
    line: usize,
    tokens: &mut Vec<Token<'t>>,
) -> Result<(), FormulaError> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let column = code[..code.len() - rest.len()].chars().count() + 1;
        let length = if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("=>") {
            2
        } else if "(),:=".contains(first) {
            1
        } else {
            return Err(FormulaError {
                line,
                column,
                message: format!("`{first}` has no meaning in a formula"),
                help: "a formula has vis(a, b), ar(a, b), WW(a, b), a = b, not, and, or, =>"
                    .to_owned(),
            });
        };
        tokens.push(Token { text: &rest[..length], line, column });
        rest = &rest[length..];
    }
    Ok(())
}

struct Reader<'r> {
    program: &'r Program,
    tokens: Vec<Token<'r>>,
    at: usize,
    names: Vec<&'r str>,
    variables: Vec<Option<Vec<usize>>>,
    depth: usize,
}

impl<'r> Reader<'r> {
    fn new(program: &'r Program, tokens: Vec<Token<'r>>) -> Reader<'r> {
        Reader { program, tokens, at: 0, names: Vec::new(), variables: Vec::new(), depth: 0 }
    }

    fn error(&self, message: impl Into<String>, help: impl Into<String>) -> FormulaError {
        let last = self.tokens.len() - 1;
        let here = self.tokens[self.at.min(last)];
        let column =
            if self.at > last { here.column + here.text.chars().count() } else { here.column };
        FormulaError { line: here.line, column, message: message.into(), help: help.into() }
    }

    fn peek(&self) -> Option<&'r str> {
        self.tokens.get(self.at).map(|token| token.text)
    }

    fn takes(&mut self, text: &str) -> bool {
        let here = self.peek().is_some_and(|token| token.eq_ignore_ascii_case(text));
        self.at += usize::from(here);
        here
    }

    fn expect(&mut self, text: &str) -> Result<(), FormulaError> {
        if self.takes(text) {
            return Ok(());
        }
        let found = self.peek().map_or("the end".to_owned(), |token| format!("`{token}`"));
        Err(self.error(format!("expected `{text}`, found {found}"), "see hob prove --help"))
    }

    fn word(&mut self, what: &str) -> Result<&'r str, FormulaError> {
        match self.peek() {
            Some(word) if word.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                self.at += 1;
                Ok(word)
            }
            _ => {
                Err(self.error(format!("expected {what}"), "instances have names such as a and b"))
            }
        }
    }

    fn formula(mut self) -> Result<Formula, FormulaError> {
        if self.takes("for") {
            loop {
                let name = self.word("the name of an instance")?;
                if self.names.contains(&name) {
                    self.at -= 1;
                    return Err(self.error(format!("`{name}` is named twice"), "use another name"));
                }
                let of = if self.takes("in") { Some(self.transactions()?) } else { None };
                self.names.push(name);
                self.variables.push(of);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect(":")?;
        }
        let body = self.implication()?;
        if self.at < self.tokens.len() {
            let found = self.tokens[self.at];
            return Err(self.error(
                format!("expected the end of the formula, found `{found}`"),
                "a formula that goes on in the next line is indented there",
            ));
        }
        if self.variables.len() > MOST_VARIABLES {
            return Err(self.error(
                format!("a formula speaks of at most {MOST_VARIABLES} instances"),
                "split it into several",
            ));
        }
        Ok(Formula { variables: self.variables, body })
    }

    /// `Enroll or RemCourse`
    fn transactions(&mut self) -> Result<Vec<usize>, FormulaError> {
        let mut of = Vec::new();
        loop {
            let name = self.word("the name of a transaction")?;
            let all = &self.program.transactions;
            match all.iter().position(|known| known.name.eq_ignore_ascii_case(name)) {
                Some(at) => of.push(at),
                None => {
                    self.at -= 1;
                    let names: Vec<&str> = all.iter().map(|known| known.name.as_str()).collect();
                    return Err(self.error(
                        format!("there is no transaction `{name}`"),
                        format!("there are {}", names.join(", ")),
                    ));
                }
            }
            if !self.takes("or") {
                return Ok(of);
            }
        }
    }

    fn implication(&mut self) -> Result<Node, FormulaError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("the formula is nested too deeply", "split it into several"));
        }
        let left = self.disjunction()?;
        let all = match self.takes("=>") {
            true => Node::Implies(Box::new(left), Box::new(self.implication()?)),
            false => left,
        };
        self.depth -= 1;
        Ok(all)
    }

    fn disjunction(&mut self) -> Result<Node, FormulaError> {
        let mut left = self.conjunction()?;
        while self.takes("or") {
            left = Node::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Node, FormulaError> {
        let mut left = self.negation()?;
        while self.takes("and") {
            left = Node::And(Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Node, FormulaError> {
        let mut negations = 0;
        while self.takes("not") {
            negations += 1;
        }
        let of = self.atom()?;
        Ok(if negations % 2 == 1 { Node::Not(Box::new(of)) } else { of })
    }

    fn atom(&mut self) -> Result<Node, FormulaError> {
        if self.takes("(") {
            let inner = self.implication()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.takes("true") {
            return Ok(Node::True);
        }
        if self.takes("false") {
            return Ok(Node::Not(Box::new(Node::True)));
        }
        let name = self.word("a formula")?;
        if self.takes("(") {
            let relation = match name.to_ascii_lowercase().as_str() {
                "vis" => Relation::Sees,
                "ar" => Relation::Before,
                "ww" => Relation::Overwrites,
                _ => {
                    self.at -= 2;
                    return Err(self.error(
                        format!("`{name}` is no relation"),
                        "there are vis(a, b), ar(a, b) and WW(a, b)",
                    ));
                }
            };
            let one = self.instance()?;
            self.expect(",")?;
            let other = self.instance()?;
            self.expect(")")?;
            return Ok(Node::Relation(relation, one, other));
        }
        self.at -= 1;
        let one = self.instance()?;
        self.expect("=")?;
        let other = self.instance()?;
        Ok(Node::Relation(Relation::Same, one, other))
    }

    /// An instance by its name; one that `for` does not name is of any transaction.
    fn instance(&mut self) -> Result<usize, FormulaError> {
        let name = self.word("the name of an instance")?;
        let known = self.names.iter().position(|known| *known == name);
        Ok(known.unwrap_or_else(|| {
            self.names.push(name);
            self.variables.push(None);
            self.names.len() - 1
        }))
    }
}
