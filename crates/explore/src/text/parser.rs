//! Tokens to syntax: items and statements. Expressions are in [`expression`].

mod expression;

use hobgoblin_core::{Level, Text};

use super::error::{Mistake, Parsed, Span};
use super::lexer::{Tok, Token, tokens};
use super::nearest::suggest;
use super::syntax::*;
use crate::assertion::Quantifier;

/// How deep statements and expressions may be nested.
const MAX_NESTING: usize = 100;

/// Words with a meaning of their own, which name nothing.
const KEYWORDS: [&str; 34] = [
    "abort", "and", "assert", "delete", "else", "false", "for", "from", "if", "in", "init",
    "insert", "keys", "last", "let", "not", "null", "or", "proc", "read", "repeat", "return",
    "select", "session", "set", "table", "true", "txn", "update", "use", "var", "where", "while",
    "write",
];

/// What may begin an item.
const ITEMS: [&str; 8] = ["use", "init", "keys", "table", "insert", "proc", "session", "assert"];

/// The items of a file whose first byte has this place.
pub(super) fn items(text: &str, first: u32) -> Parsed<Vec<Item>> {
    let mut parser = Parser { tokens: tokens(text, first)?, at: 0, nesting: 0 };
    let mut items = Vec::new();
    loop {
        while parser.eat(";") {}
        if parser.peek().tok == Tok::End {
            return Ok(items);
        }
        parser.item(&mut items)?;
        parser.statement_end()?;
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    nesting: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn here(&self) -> Span {
        self.peek().at
    }

    /// The place of the token before.
    fn before(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].at
    }

    fn step(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn is(&self, text: &str) -> bool {
        match &self.peek().tok {
            Tok::Sym(symbol) => *symbol == text,
            Tok::Name(name) => **name == *text,
            _ => false,
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.step();
        }
        found
    }

    fn expect(&mut self, text: &str, help: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"), help)) }
    }

    fn unexpected(&self, wanted: &str, help: &str) -> Box<Mistake> {
        let found = match &self.peek().tok {
            Tok::Name(name) => format!("`{name}`"),
            Tok::Int(n) => format!("`{n}`"),
            Tok::Text(_) => "a string".to_owned(),
            Tok::Sym(symbol) => format!("`{symbol}`"),
            Tok::End => "the end of the file".to_owned(),
        };
        Mistake::at(self.here(), format!("expected {wanted}, found {found}"), help)
    }

    /// A name that is no keyword.
    fn name(&mut self, of: &str) -> Parsed<Name> {
        let token = self.peek();
        let Tok::Name(text) = &token.tok else {
            return Err(self.unexpected(of, "names have letters, digits and `_`"));
        };
        let name = Name { text: text.clone(), at: token.at };
        if KEYWORDS.contains(&&*name.text) {
            let message = format!("`{}` is a keyword and cannot name anything", name.text);
            return Err(Mistake::at(name.at, message, "choose another name"));
        }
        self.step();
        Ok(name)
    }

    /// Goes one level deeper, if that is not too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.nesting == MAX_NESTING {
            return Err(too_deep(self.here()));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// `open thing, thing close`; line ends do not matter, and a comma may be at the end.
    fn separated<T>(
        &mut self,
        close: &'static str,
        mut thing: impl FnMut(&mut Parser) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut things = Vec::new();
        while !self.eat(close) {
            things.push(thing(self)?);
            if !self.eat(",") && !self.is(close) {
                return Err(self.unexpected(&format!("`,` or `{close}`"), "separate by commas"));
            }
        }
        Ok(things)
    }

    /// What ends a statement, if it is not a line's end, is there.
    fn statement_end(&mut self) -> Parsed<()> {
        if self.eat(";") || self.is("}") || self.peek().on_new_line || self.peek().tok == Tok::End {
            return Ok(());
        }
        let help = "statements end at the end of a line or with `;`";
        Err(self.unexpected("the end of the statement", help))
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let at = self.here();
        if self.eat("use") {
            let Tok::Text(file) = self.peek().tok.clone() else {
                return Err(self.unexpected("a file in quotes", "such as `use \"cart.hob\"`"));
            };
            let at = self.here();
            self.step();
            items.push(Item::Use { file, at });
        } else if self.eat("init") {
            loop {
                let key = self.key()?;
                self.expect("=", "such as `init x = 0`")?;
                items.push(Item::Init { key, value: self.expression()? });
                if !self.eat(",") {
                    break;
                }
            }
        } else if self.eat("keys") {
            loop {
                let name = self.name("a key")?;
                let mut arity = 0;
                if self.eat("[") {
                    let star = |p: &mut Parser| p.expect("*", "such as `keys cart[*]`");
                    arity = self.separated("]", star)?.len();
                }
                items.push(Item::Keys { name, arity });
                if !self.eat(",") {
                    break;
                }
            }
        } else if self.eat("table") {
            let name = self.name("the table's name")?;
            self.expect("(", "such as `table items(id, count)`")?;
            let columns = self.separated(")", |p| p.name("a column"))?;
            items.push(Item::Table { name, columns });
        } else if self.eat("insert") {
            let (table, values) = self.insert()?;
            items.push(Item::Insert { table, values });
        } else if self.eat("proc") {
            items.push(Item::Proc(self.proc()?));
        } else if self.eat("session") {
            items.push(Item::Session(self.session()?));
        } else if self.eat("assert") {
            items.push(Item::Assert(self.assert()?));
        } else {
            let help = match &self.peek().tok {
                Tok::Name(name) => suggest(name, ITEMS.into_iter(), ""),
                _ => String::new(),
            };
            let help = match help.is_empty() {
                true => format!("a program consists of {}", ITEMS.join(", ")),
                false => help,
            };
            let mut mistake = self.unexpected("a declaration", &help);
            mistake.at = at;
            return Err(mistake);
        }
        Ok(())
    }

    fn insert(&mut self) -> Parsed<(Name, Vec<Expr>)> {
        let table = self.name("a table")?;
        self.expect("(", "such as `insert items (1, 5)`")?;
        Ok((table, self.separated(")", Parser::expression)?))
    }

    fn proc(&mut self) -> Parsed<Proc> {
        let name = self.name("the procedure's name")?;
        self.expect("(", "such as `proc add(item, n) { ... }`")?;
        let params = self.separated(")", |p| p.name("a parameter"))?;
        let level = self.level_clause()?;
        Ok(Proc { name, params, level, body: self.block()? })
    }

    fn level_clause(&mut self) -> Parsed<Option<Level>> {
        if self.eat("level") { self.level().map(Some) } else { Ok(None) }
    }

    fn level(&mut self) -> Parsed<Level> {
        let token = self.peek();
        let names = || Level::ALL.into_iter().map(Level::name);
        let all = format!("the levels are {}", names().collect::<Vec<_>>().join(", "));
        let Tok::Name(name) = &token.tok else {
            return Err(self.unexpected("a level", &all));
        };
        let level = name.parse().map_err(|_| {
            let help = suggest(name, names(), all);
            Mistake::at(token.at, format!("there is no level `{name}`"), help)
        })?;
        self.step();
        Ok(level)
    }

    fn session(&mut self) -> Parsed<Session> {
        let name = self.name("the session's name")?;
        self.expect("{", "such as `session alice { add(7, 1) }`")?;
        let mut parts = Vec::new();
        loop {
            while self.eat(";") {}
            if self.eat("}") {
                return Ok(Session { name, parts });
            }
            parts.push(self.part()?);
            self.statement_end()?;
        }
    }

    fn part(&mut self) -> Parsed<Part> {
        let at = self.here();
        if self.eat("var") {
            let name = self.name("the variable's name")?;
            self.expect("=", "such as `var seen = 0`")?;
            return Ok(Part::Var { name, value: self.expression()? });
        }
        if self.eat("txn") {
            let name = self.name("the transaction's name")?;
            let mut level = None;
            if self.eat("(") {
                level = Some(self.level()?);
                self.expect(")", "such as `txn look(SI) { ... }`")?;
            }
            return Ok(Part::Txn(Proc { name, params: Vec::new(), level, body: self.block()? }));
        }
        let help = "a session consists of `var`, `txn`, and calls such as `add(7, 1)`";
        if !matches!(self.peek().tok, Tok::Name(_)) {
            return Err(self.unexpected("a transaction", help));
        }
        let mut name = None;
        let mut proc = self.name("a procedure")?;
        if self.eat("=") {
            name = Some(proc);
            proc = self.name("a procedure")?;
        }
        self.expect("(", help)?;
        let args = self.separated(")", Parser::expression)?;
        let level = self.level_clause()?;
        Ok(Part::Call { name, proc, args, level, at: at.to(self.before()) })
    }

    fn assert(&mut self) -> Parsed<Assert> {
        let help = "such as `assert always positive: last x >= 0`";
        let quantifier = if self.eat("always") {
            Quantifier::Always
        } else if self.eat("never") {
            Quantifier::Never
        } else if self.eat("exists") {
            Quantifier::Exists
        } else {
            return Err(self.unexpected("`always`, `never` or `exists`", help));
        };
        let name = self.name("the assertion's name")?;
        self.expect(":", help)?;
        Ok(Assert { name, quantifier, holds: self.expression()? })
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.nested(|p| {
            p.expect("{", "statements are in braces")?;
            let mut statements = Vec::new();
            loop {
                while p.eat(";") {}
                if p.eat("}") {
                    return Ok(statements);
                }
                let at = p.here();
                let kind = p.statement()?;
                statements.push(Statement { kind, at: at.to(p.before()) });
                p.statement_end()?;
            }
        })
    }

    fn statement(&mut self) -> Parsed<Does> {
        if self.eat("let") {
            return self.assign(true);
        }
        if self.eat("write") {
            let key = self.key()?;
            // The value may be set apart by `=`, and must begin on the same line.
            self.eat("=");
            if self.peek().on_new_line || self.is(";") || self.is("}") {
                return Err(self.unexpected("a value", "such as `write x 1`"));
            }
            return Ok(Does::Write { key, value: self.expression()? });
        }
        if self.eat("insert") {
            let (table, values) = self.insert()?;
            return Ok(Does::Insert { table, values });
        }
        if self.eat("delete") {
            self.eat("from");
            let table = self.name("a table")?;
            return Ok(Does::Delete { table, filter: self.filter()? });
        }
        if self.eat("update") {
            return self.update();
        }
        if self.eat("if") {
            return self.conditional();
        }
        if self.eat("for") {
            let name = self.name("a variable")?;
            self.expect("in", "such as `for item in cart { ... }`")?;
            return Ok(Does::For { name, over: self.expression()?, body: self.block()? });
        }
        if self.eat("repeat") {
            return Ok(Does::Repeat { times: self.expression()?, body: self.block()? });
        }
        if self.eat("while") {
            return Ok(Does::While { condition: self.expression()?, body: self.block()? });
        }
        if self.eat("abort") {
            return Ok(Does::Abort);
        }
        if self.eat("return") {
            let next = self.peek();
            let done = next.on_new_line || next.tok == Tok::End || self.is(";") || self.is("}");
            return Ok(Does::Return(if done { None } else { Some(self.expression()?) }));
        }
        let help = "a statement is an assignment, or begins with let, write, insert, delete, update, if, \
                    for, repeat, while, abort or return";
        match &self.peek().tok {
            Tok::Name(_) => self.assign(false),
            _ => Err(self.unexpected("a statement", help)),
        }
    }

    fn assign(&mut self, declares: bool) -> Parsed<Does> {
        let name = self.name("a variable")?;
        if !self.is("=") {
            let words = [
                "write", "insert", "delete", "update", "repeat", "while", "abort", "return", "let",
            ];
            let help = suggest(&name.text, words.into_iter(), "such as `a = read x`");
            return Err(self.unexpected("`=`", &help));
        }
        self.step();
        Ok(Does::Assign { name, value: self.expression()?, declares })
    }

    fn update(&mut self) -> Parsed<Does> {
        let help = "such as `update items set count = count + 1 where id == 7`";
        let table = self.name("a table")?;
        self.expect("set", help)?;
        let mut changes = Vec::new();
        loop {
            let column = self.name("a column")?;
            self.expect("=", help)?;
            changes.push((column, self.expression()?));
            if !self.eat(",") {
                break;
            }
        }
        Ok(Does::Update { table, changes, filter: self.filter()? })
    }

    fn filter(&mut self) -> Parsed<Option<Expr>> {
        if self.eat("where") { self.expression().map(Some) } else { Ok(None) }
    }

    fn conditional(&mut self) -> Parsed<Does> {
        let mut arms = vec![(self.expression()?, self.block()?)];
        let mut otherwise = Vec::new();
        while self.eat("else") {
            if !self.eat("if") {
                otherwise = self.block()?;
                break;
            }
            arms.push((self.expression()?, self.block()?));
        }
        Ok(Does::If { arms, otherwise })
    }

    /// A name, and indexes if a bracket follows at once: `cart[u]` is a key, `x [1]` a key and a list.
    fn key(&mut self) -> Parsed<KeyRef> {
        let name = self.name("a key")?;
        let mut indexes = Vec::new();
        if self.is("[") && self.peek().adjacent {
            self.step();
            indexes = self.separated("]", Parser::expression)?;
            if indexes.is_empty() {
                let at = name.at.to(self.before());
                return Err(Mistake::at(at, "this key has no index", "such as `cart[1]`"));
            }
        }
        let at = name.at.to(self.before());
        Ok(KeyRef { name, indexes, at })
    }
}

fn too_deep(at: Span) -> Box<Mistake> {
    let message = format!("this is nested more than {MAX_NESTING} deep");
    Mistake::at(at, message, "give parts of it names with `let`")
}

/// The text of a name as it is shared.
type Word = Text;
