//! Tokens to a [`Tree`].
//!
//! A branch is read from the left. As long as its atoms agree on what they prefer and hold no groups,
//! they make one expression, which as a whole takes as much or as little as it can. The first atom that
//! needs more (a group, a back reference, a quantifier of the other kind) ends that: the branch is then
//! what came before, that atom, and the rest of the branch, each divided on its own. This is what
//! PostgreSQL does, and it is visible: `(?:a|ab)(?:c|bcd)(d*)` gives all of `abcd` to its first two atoms.

use crate::class;
use crate::error::Error;
use crate::lex::{Lexer, Token};
use crate::options::{Options, Syntax};
use crate::set::CharSet;
use crate::tree::{Assert, Division, Expr, ExprId, Look, Node, NodeId, Traits, Tree};

/// How deep parts may nest.
const DEPTH: u32 = 8_000;

/// How many states a pattern may have; about where PostgreSQL gives up.
const STATES: u32 = 50_000;

/// The highest bound of a quantifier.
const BOUND: u32 = 255;

pub(crate) struct Parsed {
    pub(crate) tree: Tree,
    pub(crate) top: NodeId,
    pub(crate) groups: u32,
    pub(crate) lexer_options: Options,
    /// Whether there are back references.
    pub(crate) refers: bool,
}

pub(crate) fn parse(pattern: &str, options: Options) -> Result<Parsed, Error> {
    let literal = options.syntax == Syntax::Literal;
    if literal && (options.expanded || options.newline_stop || options.newline_anchor) {
        return Err(Error::Argument);
    }
    let lexer = Lexer::new(pattern, options)?;
    let mut parser = Parser {
        lexer,
        tree: Tree::default(),
        groups: 0,
        closed: Vec::new(),
        depth: 0,
        refers: false,
    };
    let top = parser.alternatives(Token::End, false)?;
    Ok(Parsed {
        tree: parser.tree,
        top,
        groups: parser.groups,
        lexer_options: parser.lexer.options,
        refers: parser.refers,
    })
}

/// A quantifier: from, to, and what it prefers.
type Quantifier = (u32, Option<u32>, Traits);

/// What a quantifier applies to.
enum Atom {
    /// Characters, or parentheses that do not capture.
    Plain(ExprId, Option<NodeId>),
    Group(NodeId),
    Reference(NodeId),
}

struct Parser {
    lexer: Lexer,
    tree: Tree,
    /// How many groups have begun.
    groups: u32,
    /// The expressions of groups that have ended, by number.
    closed: Vec<Option<ExprId>>,
    depth: u32,
    refers: bool,
}

impl Parser {
    fn next(&mut self) -> Result<(), Error> {
        self.lexer.next(self.groups)
    }

    fn token(&self) -> Token {
        self.lexer.token
    }

    fn checked(&self, expr: ExprId) -> Result<ExprId, Error> {
        if self.tree.size(expr) > STATES { Err(Error::TooComplex) } else { Ok(expr) }
    }

    fn leaf(&mut self, traits: Traits, expr: ExprId) -> NodeId {
        self.node(Division::Leaf, traits, (0, 0), expr)
    }

    fn node(
        &mut self,
        division: Division,
        traits: Traits,
        groups: (u32, u32),
        expr: ExprId,
    ) -> NodeId {
        self.tree.add_node(Node { division, traits, group: 0, groups, expr })
    }

    fn traits(&self, node: NodeId) -> Traits {
        self.tree.node(node).traits
    }

    fn is_leaf(&self, node: NodeId) -> bool {
        matches!(self.tree.node(node).division, Division::Leaf)
    }

    /// Branches up to the end, or a parenthesis. In a look-around nothing captures.
    fn alternatives(&mut self, stop: Token, looking: bool) -> Result<NodeId, Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Error::TooComplex);
        }
        let made = stacker::maybe_grow(64 << 10, 1 << 20, || self.branches(stop, looking));
        self.depth -= 1;
        made
    }

    fn branches(&mut self, stop: Token, looking: bool) -> Result<NodeId, Error> {
        let first_group = self.groups + 1;
        let mut branches = vec![self.branch(stop, looking)?];
        while self.token() == Token::Bar {
            self.next()?;
            branches.push(self.branch(stop, looking)?);
        }
        if self.token() != stop {
            return Err(Error::Parentheses);
        }
        if let [only] = *branches {
            return Ok(only);
        }
        let mut traits = Traits::LONGER;
        for &branch in &branches {
            traits = traits.with(traits.with(self.traits(branch)).outward());
        }
        let exprs = branches.iter().map(|&branch| self.tree.node(branch).expr).collect();
        let expr = self.tree.add(Expr::Either(exprs));
        let expr = self.checked(expr)?;
        let division = if traits.is_messy() { Division::Either(branches) } else { Division::Leaf };
        Ok(self.node(division, traits, (first_group, self.groups + 1), expr))
    }

    fn ends(&self, stop: Token) -> bool {
        matches!(self.token(), Token::Bar | Token::End) || self.token() == stop
    }

    fn branch(&mut self, stop: Token, looking: bool) -> Result<NodeId, Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Error::TooComplex);
        }
        let made = stacker::maybe_grow(64 << 10, 1 << 20, || self.atoms(stop, looking));
        self.depth -= 1;
        made
    }

    fn atoms(&mut self, stop: Token, looking: bool) -> Result<NodeId, Error> {
        let mut before: Vec<ExprId> = Vec::new();
        let mut traits = Traits::NONE;
        while !self.ends(stop) {
            if let Some(condition) = self.condition()? {
                before.push(condition);
                continue;
            }
            let first_group = self.groups + 1;
            let atom = self.atom(looking)?;
            let quantifier @ (min, max, prefers) = self.quantifier()?;
            if max == Some(0) {
                continue;
            }
            let inner = match atom {
                Atom::Plain(_, Some(node)) => self.traits(node),
                Atom::Group(node) | Atom::Reference(node) => self.traits(node),
                Atom::Plain(_, None) => Traits::NONE,
            };
            let together = traits.with(prefers).with(inner);
            if let Atom::Plain(expr, _) = atom
                && !together.outward().is_messy()
            {
                let expr = self.tree.repeat(expr, min, max);
                before.push(self.checked(expr)?);
                traits = together;
                continue;
            }
            let divided = self.divided(atom, quantifier, first_group)?;
            return self.rest(stop, looking, before, traits, divided, prefers.then(inner));
        }
        let expr = self.tree.concat(before);
        let expr = self.checked(expr)?;
        Ok(self.leaf(traits, expr))
    }

    /// An atom that has to be divided, with its quantifier.
    fn divided(
        &mut self,
        atom: Atom,
        (min, max, prefers): Quantifier,
        first_group: u32,
    ) -> Result<NodeId, Error> {
        let groups = (first_group, self.groups + 1);
        let node = match atom {
            Atom::Plain(expr, None) => self.leaf(Traits::NONE, expr),
            Atom::Plain(_, Some(node)) | Atom::Group(node) => node,
            Atom::Reference(node) => {
                // A back reference counts for itself.
                let known = self.tree.node(node).clone();
                let Division::Reference { group, .. } = known.division else { return Ok(node) };
                let expr = self.tree.repeat(known.expr, min, max);
                let expr = self.checked(expr)?;
                let traits = known.traits.with(prefers.then(known.traits));
                return Ok(self.node(
                    Division::Reference { group, min, max },
                    traits,
                    (0, 0),
                    expr,
                ));
            }
        };
        let inner = self.tree.node(node);
        let (traits, expr) = (inner.traits, inner.expr);
        let vague = !traits.has(Traits::LONGER.with(Traits::SHORTER).with(Traits::MIXED));
        let agrees = prefers == Traits::NONE
            || vague
            || (traits.preference() == prefers && !traits.has(Traits::MIXED));
        if (min, max) == (1, Some(1)) && agrees {
            return Ok(node);
        }
        let both = prefers.then(traits);
        let whole = self.tree.repeat(expr, min, max);
        let whole = self.checked(whole)?;
        if !traits.has(Traits::CAPTURES.with(Traits::REFERS)) {
            return Ok(self.leaf(both, whole));
        }
        if min > 0 && !traits.has(Traits::REFERS) {
            // Only the last round is seen, so the others need not be divided.
            let others = self.tree.repeat(expr, min - 1, max.map(|max| max - 1));
            let before = self.leaf(both.preference(), others);
            let division = Division::Concat(before, node);
            return Ok(self.node(division, both, groups, whole));
        }
        Ok(self.node(Division::Repeat { inner: node, min, max }, both, groups, whole))
    }

    /// A branch with an atom that has to be divided: what came before it, the atom, and what follows.
    fn rest(
        &mut self,
        stop: Token,
        looking: bool,
        before: Vec<ExprId>,
        mut traits: Traits,
        divided: NodeId,
        pair: Traits,
    ) -> Result<NodeId, Error> {
        let first_group = match self.tree.node(divided).groups {
            (0, 0) => self.groups + 1,
            (first, _) => first,
        };
        let alone = before.is_empty();
        let head = self.tree.concat(before);
        let head = self.leaf(traits, head);
        let mut tail = divided;
        if self.ends(stop) {
            if alone {
                return Ok(divided);
            }
            traits = traits.with(traits.then(self.traits(divided)));
        } else {
            let rest = self.branch(stop, looking)?;
            let pair = pair.with(pair.then(self.traits(rest)));
            traits = traits.with(traits.then(pair));
            let parts = vec![self.tree.node(divided).expr, self.tree.node(rest).expr];
            let expr = self.tree.concat(parts);
            let expr = self.checked(expr)?;
            let groups = (first_group, self.groups + 1);
            if alone {
                return Ok(self.node(Division::Concat(divided, rest), traits, groups, expr));
            }
            let together = self.traits(divided).with(self.traits(rest)).outward();
            tail = if self.is_leaf(divided) && self.is_leaf(rest) && !together.is_messy() {
                let traits = self.traits(divided).then(self.traits(rest));
                self.leaf(traits, expr)
            } else {
                self.node(Division::Concat(divided, rest), pair, groups, expr)
            };
        }
        let parts = vec![self.tree.node(head).expr, self.tree.node(tail).expr];
        let expr = self.tree.concat(parts);
        let expr = self.checked(expr)?;
        let groups = (first_group, self.groups + 1);
        Ok(self.node(Division::Concat(head, tail), traits, groups, expr))
    }

    /// A condition on a place, which no quantifier may follow.
    fn condition(&mut self) -> Result<Option<ExprId>, Error> {
        let lines = self.lexer.options.newline_anchor;
        let assert = match self.token() {
            Token::LineStart if lines => Assert::LineStart,
            Token::LineEnd if lines => Assert::LineEnd,
            Token::LineStart | Token::TextStart => Assert::TextStart,
            Token::LineEnd | Token::TextEnd => Assert::TextEnd,
            Token::WordStart => Assert::WordStart,
            Token::WordEnd => Assert::WordEnd,
            Token::WordEdge => Assert::WordEdge,
            Token::NotWordEdge => Assert::NotWordEdge,
            Token::Look { ahead, positive } => {
                self.next()?;
                let inner = self.alternatives(Token::Close, true)?;
                self.next()?;
                let expr = self.tree.node(inner).expr;
                self.tree.looks.push(Look { ahead, positive, expr });
                let number = self.tree.looks.len() as u32 - 1;
                return Ok(Some(self.tree.add(Expr::Look(number))));
            }
            _ => return Ok(None),
        };
        self.next()?;
        Ok(Some(self.tree.add(Expr::Assert(assert))))
    }

    fn atom(&mut self, looking: bool) -> Result<Atom, Error> {
        let ignore_case = self.lexer.options.ignore_case;
        let set = match self.token() {
            Token::Star(_) | Token::Plus(_) | Token::Question(_) | Token::OpenBound => {
                return Err(Error::Quantifier);
            }
            Token::Close if self.lexer.options.syntax == Syntax::Extended => {
                class::cases(u32::from(')'), ignore_case)
            }
            Token::Close => return Err(Error::Parentheses),
            Token::Char(c) => class::cases(c, ignore_case),
            Token::OpenBracket(positive) => {
                let set = self.bracket()?;
                match (positive, self.lexer.options.newline_stop) {
                    (true, _) => set,
                    (false, false) => set.complement(),
                    (false, true) => set.union(&newline()).complement(),
                }
            }
            Token::Class(class) => class.set(ignore_case),
            Token::NotClass(class) => class.set(ignore_case).complement(),
            Token::Dot if self.lexer.options.newline_stop => newline().complement(),
            Token::Dot => CharSet::all(),
            Token::Open(captures) => return self.parentheses(captures && !looking, looking),
            Token::Backreference(group) => return self.reference(group, looking),
            // Conditions, names and the ends of brackets do not come here.
            _ => return Err(Error::Quantifier),
        };
        self.next()?;
        Ok(Atom::Plain(self.tree.set(set), None))
    }

    fn parentheses(&mut self, captures: bool, looking: bool) -> Result<Atom, Error> {
        self.groups += u32::from(captures);
        let group = self.groups;
        self.next()?;
        let inner = self.alternatives(Token::Close, looking)?;
        self.next()?;
        let expr = self.tree.node(inner).expr;
        if !captures {
            return Ok(Atom::Plain(expr, Some(inner)));
        }
        let traits = self.traits(inner).with(Traits::CAPTURES);
        let groups = (group, self.groups + 1);
        let node = if self.tree.node(inner).group == 0 {
            let node = &mut self.tree.nodes[inner.0 as usize];
            (node.group, node.traits, node.groups) = (group, traits, groups);
            inner
        } else {
            let node = self.node(Division::Group(inner), traits, groups, expr);
            self.tree.nodes[node.0 as usize].group = group;
            node
        };
        let at = group as usize;
        if self.closed.len() <= at {
            self.closed.resize(at + 1, None);
        }
        self.closed[at] = Some(expr);
        Ok(Atom::Group(node))
    }

    fn reference(&mut self, group: u32, looking: bool) -> Result<Atom, Error> {
        let known = self.closed.get(group as usize).copied().flatten();
        let Some(expr) = known.filter(|_| !looking) else { return Err(Error::Backreference) };
        self.next()?;
        self.refers = true;
        let expr = self.tree.add(Expr::Relaxed(expr));
        let division = Division::Reference { group, min: 1, max: Some(1) };
        Ok(Atom::Reference(self.node(division, Traits::REFERS, (0, 0), expr)))
    }

    fn quantifier(&mut self) -> Result<Quantifier, Error> {
        let preference = |greedy| if greedy { Traits::LONGER } else { Traits::SHORTER };
        let quantifier = match self.token() {
            Token::Star(greedy) => (0, None, preference(greedy)),
            Token::Plus(greedy) => (1, None, preference(greedy)),
            Token::Question(greedy) => (0, Some(1), preference(greedy)),
            Token::OpenBound => {
                self.next()?;
                let min = self.count()?;
                let range = self.token() == Token::Comma;
                let mut max = Some(min);
                if range {
                    self.next()?;
                    let open = !matches!(self.token(), Token::Digit(_));
                    max = if open { None } else { Some(self.count()?) };
                    if max.is_some_and(|max| max < min) {
                        return Err(Error::Repetition);
                    }
                }
                let Token::CloseBound(greedy) = self.token() else {
                    return Err(Error::Repetition);
                };
                // `{m}` leaves the choice to what it repeats.
                (min, max, if range { preference(greedy) } else { Traits::NONE })
            }
            _ => return Ok((1, Some(1), Traits::NONE)),
        };
        self.next()?;
        Ok(quantifier)
    }

    fn count(&mut self) -> Result<u32, Error> {
        let mut count = 0;
        while let Token::Digit(digit) = self.token()
            && count < BOUND
        {
            count = count * 10 + digit;
            self.next()?;
        }
        let more = matches!(self.token(), Token::Digit(_));
        if more || count > BOUND { Err(Error::Repetition) } else { Ok(count) }
    }

    /// The members that brackets list, up to the `]`.
    fn bracket(&mut self) -> Result<CharSet, Error> {
        let mut ranges = Vec::new();
        self.next()?;
        while self.token() != Token::CloseBracket {
            ranges.extend_from_slice(self.member()?.ranges());
        }
        Ok(CharSet::from_ranges(ranges))
    }

    fn member(&mut self) -> Result<CharSet, Error> {
        let ignore_case = self.lexer.options.ignore_case;
        let low = match self.token() {
            Token::Char(c) => {
                self.next()?;
                if self.token() != Token::Dash {
                    return Ok(class::cases(c, ignore_case));
                }
                c
            }
            Token::OpenElement => self.element()?,
            Token::OpenEquivalence => return Ok(class::cases(self.element()?, ignore_case)),
            Token::OpenClass => {
                let name = self.lexer.name(self.groups)?;
                let class = class::Class::named(&name).ok_or(Error::CharacterClass)?;
                return Ok(class.set(ignore_case));
            }
            Token::Class(class) => {
                self.next()?;
                return Ok(class.set(ignore_case));
            }
            Token::NotClass(class) => {
                self.next()?;
                return Ok(class.set(ignore_case).complement());
            }
            _ => return Err(Error::Range),
        };
        let mut high = low;
        if self.token() == Token::Dash {
            self.next()?;
            high = match self.token() {
                Token::Char(c) => {
                    self.next()?;
                    c
                }
                Token::Dash => {
                    self.next()?;
                    u32::from('-')
                }
                Token::OpenElement => self.element()?,
                _ => return Err(Error::Range),
            };
        }
        if high < low {
            return Err(Error::Range);
        }
        Ok(class::range(low, high, ignore_case))
    }

    fn element(&mut self) -> Result<u32, Error> {
        let name = self.lexer.name(self.groups)?;
        class::element(&name).ok_or(Error::CollatingElement)
    }
}

fn newline() -> CharSet {
    CharSet::one(u32::from('\n'))
}
