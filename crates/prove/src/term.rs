//! Formulas without quantifiers: integers, reals, truth values, functions nobody interprets.
//!
//! A term is made once: equal terms have the same id, so a formula is a graph, and what is shared is written once, by a `let`
//! for all of the same height (named `s!12`: names that begin with a dot are the solvers'). Functions without arguments
//! would read better, but Z3 copies their bodies wherever they are used, which takes it longer than the question. Making a term simplifies what is
//! plain on the spot (`x ∧ true`, `¬¬x`, `3 + 4`, `x = x`), which keeps what does not depend on the solver from reaching it.

use std::collections::HashMap;
use std::fmt::Write;

/// A term of [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// What values a term takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Whole numbers.
    Int,
    /// Numbers.
    Real,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::Bool => "Bool",
            Sort::Int => "Int",
            Sort::Real => "Real",
        }
    }
}

/// A function that is only known to give equal results for equal arguments; a variable is one without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Function(u32);

/// What a term is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Bool(bool),
    Int(i64),
    /// A ratio in lowest terms, whose denominator is positive.
    Real(i64, i64),
    Apply(Function, Vec<Term>),
    Not(Term),
    And(Vec<Term>),
    Or(Vec<Term>),
    Equal(Term, Term),
    Less(Term, Term),
    AtMost(Term, Term),
    If(Term, Term, Term),
    Add(Vec<Term>),
    Multiply(Term, Term),
    /// SMT-LIB's `div`, whose remainder is never negative.
    Quotient(Term, Term),
    /// Division of reals.
    Divide(Term, Term),
    ToReal(Term),
    /// Whether a real is a whole number.
    IsWhole(Term),
}

impl Node {
    pub(crate) fn arguments(&self) -> Vec<Term> {
        match self {
            Node::Bool(_) | Node::Int(_) | Node::Real(..) => Vec::new(),
            Node::Apply(_, terms) | Node::And(terms) | Node::Or(terms) | Node::Add(terms) => {
                terms.clone()
            }
            Node::Not(term) | Node::ToReal(term) | Node::IsWhole(term) => vec![*term],
            Node::Equal(a, b)
            | Node::Less(a, b)
            | Node::AtMost(a, b)
            | Node::Multiply(a, b)
            | Node::Quotient(a, b)
            | Node::Divide(a, b) => vec![*a, *b],
            Node::If(a, b, c) => vec![*a, *b, *c],
        }
    }
}

#[derive(Clone, Debug)]
struct Declaration {
    name: String,
    arguments: Vec<Sort>,
    result: Sort,
}

/// All terms of a query.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<(Node, Sort)>,
    known: HashMap<(Node, Sort), Term>,
    functions: Vec<Declaration>,
    names: HashMap<String, Function>,
    /// Whether a product or quotient of two unknowns occurs.
    nonlinear: bool,
    real: bool,
}

impl Term {
    /// Its place among all.
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

impl Terms {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// No terms yet.
    pub fn new() -> Terms {
        Terms::default()
    }

    fn make(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(&term) = self.known.get(&(node.clone(), sort)) {
            return term;
        }
        let term =
            Term(u32::try_from(self.nodes.len()).expect("a query has fewer terms than 2^32"));
        self.real |= sort == Sort::Real;
        self.nodes.push((node.clone(), sort));
        self.known.insert((node, sort), term);
        term
    }

    pub(crate) fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize].0
    }

    /// What values a term takes.
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.0 as usize].1
    }

    /// A function of a name of its own. The same name again is the same function.
    ///
    /// # Panics
    /// If the name was declared with other sorts.
    pub fn function(&mut self, name: &str, arguments: &[Sort], result: Sort) -> Function {
        if let Some(&known) = self.names.get(name) {
            let declared = &self.functions[known.0 as usize];
            assert!(
                declared.arguments == arguments && declared.result == result,
                "`{name}` was declared with other sorts"
            );
            return known;
        }
        let function =
            Function(u32::try_from(self.functions.len()).expect("fewer than 2^32 functions"));
        self.functions.push(Declaration {
            name: name.to_owned(),
            arguments: arguments.to_vec(),
            result,
        });
        self.names.insert(name.to_owned(), function);
        function
    }

    /// A variable.
    pub fn variable(&mut self, name: &str, sort: Sort) -> Term {
        let function = self.function(name, &[], sort);
        self.apply(function, &[])
    }

    /// A function of arguments.
    pub fn apply(&mut self, function: Function, arguments: &[Term]) -> Term {
        let declared = &self.functions[function.0 as usize];
        debug_assert_eq!(declared.arguments.len(), arguments.len(), "{}", declared.name);
        debug_assert!(
            declared.arguments.iter().zip(arguments).all(|(&sort, &term)| sort == self.sort(term)),
            "{}",
            declared.name
        );
        let result = declared.result;
        self.make(Node::Apply(function, arguments.to_vec()), result)
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> Term {
        self.make(Node::Bool(value), Sort::Bool)
    }

    /// A whole number.
    pub fn int(&mut self, value: i64) -> Term {
        self.make(Node::Int(value), Sort::Int)
    }

    /// A ratio.
    pub fn ratio(&mut self, numerator: i64, denominator: i64) -> Term {
        assert!(denominator != 0, "a ratio has a denominator");
        let common = gcd(numerator, denominator).max(1) * denominator.signum();
        self.make(Node::Real(numerator / common, denominator / common), Sort::Real)
    }

    /// Whether the term is this truth value.
    pub fn is(&self, term: Term, value: bool) -> bool {
        *self.node(term) == Node::Bool(value)
    }

    /// The whole number the term is, if it is one.
    pub fn as_int(&self, term: Term) -> Option<i64> {
        match *self.node(term) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    /// `¬term`.
    pub fn not(&mut self, term: Term) -> Term {
        match *self.node(term) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => inner,
            _ => self.make(Node::Not(term), Sort::Bool),
        }
    }

    /// All of them.
    pub fn and(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(terms, true)
    }

    /// Any of them.
    pub fn or(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(terms, false)
    }

    /// A conjunction, whose neutral element is true, or a disjunction.
    fn junction(&mut self, terms: impl IntoIterator<Item = Term>, neutral: bool) -> Term {
        let mut flat = Vec::new();
        for term in terms {
            debug_assert_eq!(self.sort(term), Sort::Bool);
            match (self.node(term), neutral) {
                (Node::Bool(value), _) if *value == neutral => {}
                (Node::Bool(_), _) => return self.bool(!neutral),
                (Node::And(inner), true) | (Node::Or(inner), false) => {
                    flat.extend_from_slice(inner)
                }
                _ => flat.push(term),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let opposed = flat.iter().any(|&term| match *self.node(term) {
            Node::Not(inner) => flat.binary_search(&inner).is_ok(),
            _ => false,
        });
        match flat[..] {
            _ if opposed => self.bool(!neutral),
            [] => self.bool(neutral),
            [only] => only,
            _ if neutral => self.make(Node::And(flat), Sort::Bool),
            _ => self.make(Node::Or(flat), Sort::Bool),
        }
    }

    /// If the one, then the other.
    pub fn implies(&mut self, if_so: Term, then: Term) -> Term {
        let not = self.not(if_so);
        self.or([not, then])
    }

    /// Both the same. A whole number is as good as a real.
    pub fn equal(&mut self, left: Term, right: Term) -> Term {
        let (left, right) = self.same_sort(left, right);
        if left == right {
            return self.bool(true);
        }
        match (self.node(left).clone(), self.node(right).clone()) {
            (Node::Bool(value), _) => return if value { right } else { self.not(right) },
            (_, Node::Bool(value)) => return if value { left } else { self.not(left) },
            (Node::Int(a), Node::Int(b)) => return self.bool(a == b),
            (Node::Real(a, b), Node::Real(c, d)) => return self.bool((a, b) == (c, d)),
            _ => {}
        }
        let (left, right) = (left.min(right), left.max(right));
        self.make(Node::Equal(left, right), Sort::Bool)
    }

    /// All pairs the same.
    pub fn all_equal(&mut self, left: &[Term], right: &[Term]) -> Term {
        debug_assert_eq!(left.len(), right.len());
        let pairs: Vec<Term> =
            left.iter().zip(right).map(|(&left, &right)| self.equal(left, right)).collect();
        self.and(pairs)
    }

    /// Numbers of one sort: a whole number becomes a real beside one.
    fn same_sort(&mut self, left: Term, right: Term) -> (Term, Term) {
        match (self.sort(left), self.sort(right)) {
            (Sort::Int, Sort::Real) => (self.to_real(left), right),
            (Sort::Real, Sort::Int) => (left, self.to_real(right)),
            (one, other) => {
                debug_assert_eq!(one, other);
                (left, right)
            }
        }
    }

    /// A whole number as a real.
    pub fn to_real(&mut self, term: Term) -> Term {
        match (self.sort(term), self.node(term)) {
            (Sort::Int, &Node::Int(value)) => self.ratio(value, 1),
            (Sort::Int, _) => self.make(Node::ToReal(term), Sort::Real),
            _ => term,
        }
    }

    /// Whether a number is whole.
    pub fn is_whole(&mut self, term: Term) -> Term {
        match (self.sort(term), self.node(term)) {
            (Sort::Real, &Node::Real(_, denominator)) => self.bool(denominator == 1),
            (Sort::Real, _) => self.make(Node::IsWhole(term), Sort::Bool),
            _ => self.bool(true),
        }
    }

    /// `left < right`.
    pub fn less(&mut self, left: Term, right: Term) -> Term {
        let (left, right) = self.same_sort(left, right);
        match (self.node(left), self.node(right)) {
            _ if left == right => self.bool(false),
            (&Node::Int(a), &Node::Int(b)) => self.bool(a < b),
            _ => self.make(Node::Less(left, right), Sort::Bool),
        }
    }

    /// `left ≤ right`.
    pub fn at_most(&mut self, left: Term, right: Term) -> Term {
        let (left, right) = self.same_sort(left, right);
        match (self.node(left), self.node(right)) {
            _ if left == right => self.bool(true),
            (&Node::Int(a), &Node::Int(b)) => self.bool(a <= b),
            _ => self.make(Node::AtMost(left, right), Sort::Bool),
        }
    }

    /// One or the other.
    pub fn if_else(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let (then, otherwise) = self.same_sort(then, otherwise);
        match *self.node(condition) {
            Node::Bool(true) => return then,
            Node::Bool(false) => return otherwise,
            Node::Not(inner) => return self.if_else(inner, otherwise, then),
            _ => {}
        }
        if then == otherwise {
            return then;
        }
        if self.sort(then) == Sort::Bool {
            match (self.node(then), self.node(otherwise)) {
                (Node::Bool(true), _) => return self.or([condition, otherwise]),
                (_, Node::Bool(false)) => return self.and([condition, then]),
                (Node::Bool(false), _) => {
                    let not = self.not(condition);
                    return self.and([not, otherwise]);
                }
                (_, Node::Bool(true)) => return self.implies(condition, then),
                _ => {}
            }
        }
        let sort = self.sort(then);
        self.make(Node::If(condition, then, otherwise), sort)
    }

    /// The sum.
    pub fn add(&mut self, left: Term, right: Term) -> Term {
        let (left, right) = self.same_sort(left, right);
        let sort = self.sort(left);
        let mut constant = Some(0_i64);
        let mut rest = Vec::new();
        for term in [left, right] {
            let parts = match self.node(term) {
                Node::Add(parts) => parts.clone(),
                _ => vec![term],
            };
            for part in parts {
                match (self.node(part), constant) {
                    (&Node::Int(value), Some(sum)) if sum.checked_add(value).is_some() => {
                        constant = sum.checked_add(value);
                    }
                    _ => rest.push(part),
                }
            }
        }
        if sort == Sort::Int && (constant != Some(0) || rest.is_empty()) {
            let constant = self.int(constant.unwrap_or(0));
            rest.push(constant);
        }
        match rest[..] {
            [only] => only,
            _ => self.make(Node::Add(rest), sort),
        }
    }

    /// The difference.
    pub fn subtract(&mut self, left: Term, right: Term) -> Term {
        let negative = self.negate(right);
        self.add(left, negative)
    }

    /// The number with the other sign.
    pub fn negate(&mut self, term: Term) -> Term {
        let minus = match self.sort(term) {
            Sort::Real => self.ratio(-1, 1),
            _ => self.int(-1),
        };
        self.multiply(minus, term)
    }

    /// The product.
    pub fn multiply(&mut self, left: Term, right: Term) -> Term {
        let (left, right) = self.same_sort(left, right);
        let sort = self.sort(left);
        match (self.node(left).clone(), self.node(right).clone()) {
            (Node::Int(a), Node::Int(b)) if a.checked_mul(b).is_some() => return self.int(a * b),
            (Node::Real(a, b), Node::Real(c, d))
                if a.checked_mul(c).is_some() && b.checked_mul(d).is_some() =>
            {
                return self.ratio(a * c, b * d);
            }
            (Node::Int(1), _) => return right,
            (_, Node::Int(1)) => return left,
            (Node::Int(0), _) | (_, Node::Int(0)) => return self.int(0),
            // Minus times a product or sum, as in a - (b - c).
            (Node::Int(a), Node::Multiply(b, rest)) if self.as_int(b).is_some() => {
                let b = self.as_int(b).expect("just seen");
                if let Some(product) = a.checked_mul(b) {
                    let constant = self.int(product);
                    return self.multiply(constant, rest);
                }
            }
            _ => {}
        }
        if !self.is_constant(left) && !self.is_constant(right) {
            self.nonlinear = true;
        }
        let (left, right) = if self.is_constant(right) { (right, left) } else { (left, right) };
        self.make(Node::Multiply(left, right), sort)
    }

    fn is_constant(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Int(_) | Node::Real(..))
    }

    /// The quotient as SQL has it: of whole numbers towards zero. The divisor is not zero.
    pub fn divide(&mut self, left: Term, right: Term) -> Term {
        let (left, right) = self.same_sort(left, right);
        if !self.is_constant(right) {
            self.nonlinear = true;
        }
        if self.sort(left) == Sort::Real {
            return self.make(Node::Divide(left, right), Sort::Real);
        }
        if let (Some(a), Some(b)) = (self.as_int(left), self.as_int(right))
            && let Some(quotient) = a.checked_div(b)
        {
            return self.int(quotient);
        }
        // `div` leaves a remainder that is not negative: right for what is not, and for the rest by the signs.
        let zero = self.int(0);
        let down = self.make(Node::Quotient(left, right), Sort::Int);
        let negative = self.negate(left);
        let up = self.make(Node::Quotient(negative, right), Sort::Int);
        let up = self.negate(up);
        let positive = self.at_most(zero, left);
        self.if_else(positive, down, up)
    }

    /// The remainder as SQL has it, with the sign of the dividend.
    pub fn modulo(&mut self, left: Term, right: Term) -> Term {
        let quotient = self.divide(left, right);
        let product = self.multiply(quotient, right);
        self.subtract(left, product)
    }

    /// A term with others in the place of some variables.
    pub fn substitute(&mut self, term: Term, with: &HashMap<Term, Term>) -> Term {
        let mut known = with.clone();
        let mut open = vec![term];
        while let Some(&top) = open.last() {
            if known.contains_key(&top) {
                open.pop();
                continue;
            }
            let node = self.node(top).clone();
            let arguments = node.arguments();
            let missing: Vec<Term> =
                arguments.iter().copied().filter(|inner| !known.contains_key(inner)).collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            let inner: Vec<Term> = arguments.iter().map(|inner| known[inner]).collect();
            let new = match node {
                Node::Bool(_) | Node::Int(_) | Node::Real(..) => top,
                Node::Apply(function, _) => self.apply(function, &inner),
                Node::Not(_) => self.not(inner[0]),
                Node::And(_) => self.and(inner),
                Node::Or(_) => self.or(inner),
                Node::Equal(..) => self.equal(inner[0], inner[1]),
                Node::Less(..) => self.less(inner[0], inner[1]),
                Node::AtMost(..) => self.at_most(inner[0], inner[1]),
                Node::If(..) => self.if_else(inner[0], inner[1], inner[2]),
                Node::Add(_) => {
                    let sum = inner.into_iter().reduce(|left, right| self.add(left, right));
                    sum.expect("a sum has parts")
                }
                Node::Multiply(..) => self.multiply(inner[0], inner[1]),
                Node::Quotient(..) => self.make(Node::Quotient(inner[0], inner[1]), Sort::Int),
                Node::Divide(..) => self.make(Node::Divide(inner[0], inner[1]), Sort::Real),
                Node::ToReal(_) => self.to_real(inner[0]),
                Node::IsWhole(_) => self.is_whole(inner[0]),
            };
            known.insert(top, new);
        }
        known[&term]
    }

    /// The variables that terms speak of, and nothing but them if no function has arguments.
    pub fn variables_of(&self, of: &[Term]) -> Vec<Term> {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = of.to_vec();
        while let Some(term) = open.pop() {
            if !std::mem::replace(&mut seen[term.0 as usize], true) {
                open.extend(self.node(term).arguments());
            }
        }
        let all = (0..self.nodes.len()).filter(|&at| seen[at]).map(|at| Term(at as u32));
        all.filter(
            |&term| matches!(self.node(term), Node::Apply(_, arguments) if arguments.is_empty()),
        )
        .collect()
    }

    /// A complete query: declarations, what is asserted, `(check-sat)`.
    pub fn script(&self, assertions: &[Term]) -> String {
        self.script_about(assertions, &[])
    }

    /// Like [`Terms::script`], and what these values speak of is declared, too, so that a model has them.
    pub fn script_about(&self, assertions: &[Term], values: &[Term]) -> String {
        let mut printer =
            Printer { terms: self, uses: vec![0; self.nodes.len()], text: String::new() };
        printer.count(assertions);
        printer.count(values);
        printer.print(assertions);
        printer.text
    }

    /// A term that is a variable or constant application, as it is written in a query.
    pub fn written(&self, term: Term) -> String {
        let mut text = String::new();
        let printer = Printer { terms: self, uses: vec![0; self.nodes.len()], text: String::new() };
        printer.write(term, &mut text, true);
        text
    }
}

fn gcd(left: i64, right: i64) -> i64 {
    let (mut left, mut right) = (left.unsigned_abs(), right.unsigned_abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.try_into().unwrap_or(1)
}

struct Printer<'t> {
    terms: &'t Terms,
    /// How often a term is used.
    uses: Vec<u8>,
    text: String,
}

impl Printer<'_> {
    /// Counts uses from these on: what they do not need is not written.
    fn count(&mut self, from: &[Term]) {
        let mut open = from.to_vec();
        while let Some(term) = open.pop() {
            let uses = &mut self.uses[term.0 as usize];
            *uses = uses.saturating_add(1);
            if *uses == 1 {
                open.extend(self.terms.node(term).arguments());
            }
        }
    }

    fn print(&mut self, assertions: &[Term]) {
        let logic = match (self.terms.nonlinear, self.terms.real) {
            (false, false) => "QF_UFLIA",
            (true, false) => "QF_UFNIA",
            // Z3 does not know QF_UFLIRA; with arrays, which nothing here has, it is known to both solvers.
            (false, true) => "QF_AUFLIRA",
            (true, true) => "QF_UFNIRA",
        };
        writeln!(self.text, "(set-logic {logic})").expect("strings take all text");
        let mut declared = vec![false; self.terms.functions.len()];
        // The shared terms, each after those that it speaks of.
        let mut layers: Vec<Vec<Term>> = Vec::new();
        let mut after = vec![0; self.terms.nodes.len()];
        for (at, (node, _)) in self.terms.nodes.iter().enumerate() {
            if self.uses[at] == 0 {
                continue;
            }
            if let Node::Apply(function, _) = node {
                let known = &mut declared[function.0 as usize];
                if !*known {
                    *known = true;
                    let Declaration { name, arguments, result } =
                        &self.terms.functions[function.0 as usize];
                    let arguments: Vec<&str> = arguments.iter().map(|sort| sort.name()).collect();
                    let arguments = arguments.join(" ");
                    let result = result.name();
                    writeln!(self.text, "(declare-fun {name} ({arguments}) {result})")
                        .expect("strings take all text");
                }
            }
            let inner = node.arguments().into_iter().map(|inner| after[inner.0 as usize]);
            after[at] = inner.max().unwrap_or(0);
            if self.uses[at] > 1 && Printer::is_compound(node) {
                if layers.len() == after[at] {
                    layers.push(Vec::new());
                }
                layers[after[at]].push(Term(at as u32));
                after[at] += 1;
            }
        }
        let mut text = String::from("(assert\n");
        for layer in &layers {
            text.push_str("(let (");
            for &term in layer {
                write!(text, "(s!{} ", term.0).expect("strings take all text");
                self.write(term, &mut text, true);
                text.push_str(")\n");
            }
            text.push_str(")\n");
        }
        text.push_str("(and true");
        for &assertion in assertions {
            text.push('\n');
            self.write(assertion, &mut text, false);
        }
        text.push(')');
        text.extend(layers.iter().map(|_| ')'));
        text.push_str(")\n(check-sat)\n");
        self.text.push_str(&text);
    }

    fn is_compound(node: &Node) -> bool {
        match node {
            Node::Bool(_) | Node::Int(_) | Node::Real(..) => false,
            Node::Apply(_, arguments) => !arguments.is_empty(),
            _ => true,
        }
    }

    /// Writes a term, by its name if it has one. Terms inside have smaller ids, so they are defined before. Depth is
    /// that of what is used once; an explicit stack keeps long sums and chains of choices from overflowing ours.
    fn write(&self, term: Term, text: &mut String, define: bool) {
        enum Step {
            Term(Term),
            Text(&'static str),
        }
        let mut open = vec![Step::Term(term)];
        let mut first = define;
        while let Some(step) = open.pop() {
            let term = match step {
                Step::Text(word) => {
                    text.push_str(word);
                    continue;
                }
                Step::Term(term) => term,
            };
            let node = self.terms.node(term);
            if !std::mem::take(&mut first)
                && self.uses[term.0 as usize] > 1
                && Printer::is_compound(node)
            {
                write!(text, "s!{}", term.0).expect("strings take all text");
                continue;
            }
            let word = match node {
                Node::Bool(value) => {
                    text.push_str(if *value { "true" } else { "false" });
                    continue;
                }
                Node::Int(value) => {
                    text.push_str(&integer(*value));
                    continue;
                }
                Node::Real(numerator, 1) => {
                    text.push_str(&decimal(*numerator));
                    continue;
                }
                Node::Real(numerator, denominator) => {
                    write!(text, "(/ {} {})", decimal(*numerator), decimal(*denominator))
                        .expect("strings take all text");
                    continue;
                }
                Node::Apply(function, arguments) => {
                    let name = &self.terms.functions[function.0 as usize].name;
                    if arguments.is_empty() {
                        text.push_str(name);
                        continue;
                    }
                    name.as_str()
                }
                Node::Not(_) => "not",
                Node::And(_) => "and",
                Node::Or(_) => "or",
                Node::Equal(..) => "=",
                Node::Less(..) => "<",
                Node::AtMost(..) => "<=",
                Node::If(..) => "ite",
                Node::Add(_) => "+",
                Node::Multiply(..) => "*",
                Node::Quotient(..) => "div",
                Node::Divide(..) => "/",
                Node::ToReal(_) => "to_real",
                Node::IsWhole(_) => "is_int",
            };
            text.push('(');
            text.push_str(word);
            open.push(Step::Text(")"));
            for &argument in node.arguments().iter().rev() {
                open.push(Step::Term(argument));
                open.push(Step::Text(" "));
            }
        }
    }
}

fn integer(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

fn decimal(value: i64) -> String {
    if value < 0 { format!("(- {}.0)", value.unsigned_abs()) } else { format!("{value}.0") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_terms_are_simplified() {
        let mut terms = Terms::new();
        let x = terms.variable("x", Sort::Bool);
        let (yes, no) = (terms.bool(true), terms.bool(false));
        let not_x = terms.not(x);
        assert_eq!(terms.and([x, yes]), x);
        assert_eq!(terms.and([x, no]), no);
        assert_eq!(terms.or([x, not_x]), yes);
        assert_eq!(terms.not(not_x), x);
        assert_eq!(terms.if_else(x, yes, no), x);
        let n = terms.variable("n", Sort::Int);
        let three = terms.int(3);
        let sum = terms.add(n, three);
        let back = terms.subtract(sum, three);
        assert_eq!(back, n);
        let one = terms.int(1);
        assert_eq!(terms.less(one, three), yes);
    }

    #[test]
    fn what_is_shared_is_written_once() {
        let mut terms = Terms::new();
        let view = terms.function("view", &[Sort::Int], Sort::Int);
        let n = terms.variable("n", Sort::Int);
        let at = terms.apply(view, &[n]);
        let minus = terms.int(-2);
        let first = terms.less(at, minus);
        let second = terms.equal(at, n);
        let script = terms.script(&[first, second]);
        assert_eq!(
            script,
            "(set-logic QF_UFLIA)\n\
             (declare-fun n () Int)\n\
             (declare-fun view (Int) Int)\n\
             (assert\n\
             (let ((s!1 (view n))\n\
             )\n\
             (and true\n\
             (< s!1 (- 2))\n\
             (= n s!1))))\n\
             (check-sat)\n"
        );
    }
}
