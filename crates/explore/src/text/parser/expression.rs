//! Expressions, by precedence climbing. The height of a tree is bounded, so that whoever walks it may
//! recurse.

use super::{KEYWORDS, MAX_NESTING, Parser, Tok, Word, too_deep};
use crate::text::error::{Mistake, Parsed, Span};
use crate::text::syntax::{Expr, Kind, Op, Select};
use crate::text::value::Val;

impl Expr {
    /// An expression over others, if it does not get too high.
    fn over(kind: Kind, at: Span, parts: &[usize]) -> Parsed<Expr> {
        let height = parts.iter().max().copied().unwrap_or(0) + 1;
        if height > MAX_NESTING { Err(too_deep(at)) } else { Ok(Expr { kind, at, height }) }
    }
}

fn heights(parts: &[Expr]) -> Vec<usize> {
    parts.iter().map(|part| part.height).collect()
}

impl Parser {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|p| p.binary(0))
    }

    /// Operators that bind tighter than `power`.
    fn binary(&mut self, power: u8) -> Parsed<Expr> {
        let mut left = self.prefix()?;
        while let Some(op) = self.operator(power) {
            self.step();
            let right = self.nested(|p| p.binary(op.power()))?;
            // Not `a < b < c`: it reads as if it meant something else.
            if op.power() == 4 && self.operator(3).is_some_and(|next| next.power() == 4) {
                let message = "comparisons do not chain";
                return Err(Mistake::at(self.here(), message, "write `a < b and b < c`"));
            }
            let at = left.at.to(right.at);
            let parts = [left.height, right.height];
            let kind = Kind::Binary(op, Box::new(left), Box::new(right));
            left = Expr::over(kind, at, &parts)?;
        }
        Ok(left)
    }

    fn operator(&self, power: u8) -> Option<Op> {
        Op::ALL.into_iter().find(|op| op.power() > power && self.is(op.text()))
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let at = self.here();
        if self.eat("not") {
            let inner = self.nested(|p| p.binary(3))?;
            let (span, height) = (at.to(inner.at), inner.height);
            return Expr::over(Kind::Not(Box::new(inner)), span, &[height]);
        }
        if self.is("!") || self.is("-") {
            let negates = self.eat("!");
            if !negates {
                self.step();
            }
            let inner = self.nested(Parser::prefix)?;
            let (span, height) = (at.to(inner.at), inner.height);
            let inner = Box::new(inner);
            let kind = if negates { Kind::Not(inner) } else { Kind::Minus(inner) };
            return Expr::over(kind, span, &[height]);
        }
        let mut expr = self.operand()?;
        loop {
            if self.eat(".") {
                let field = self.name("a column, or a transaction or variable")?;
                let (at, height) = (expr.at.to(field.at), expr.height);
                expr = Expr::over(Kind::Field(Box::new(expr), field), at, &[height])?;
            } else if self.is("[") && self.peek().adjacent {
                self.step();
                let index = self.expression()?;
                self.expect("]", "indexes are in brackets: `items[0]`")?;
                let at = expr.at.to(self.before());
                let parts = [expr.height, index.height];
                expr = Expr::over(Kind::Index(Box::new(expr), Box::new(index)), at, &parts)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        let at = token.at;
        match token.tok {
            Tok::Int(n) => self.literal(Val::Int(n)),
            Tok::Text(text) => self.literal(Val::Text(text)),
            Tok::Sym("(") => {
                self.step();
                let mut inner = self.expression()?;
                self.expect(")", "close the parenthesis")?;
                inner.at = at.to(self.before());
                Ok(inner)
            }
            Tok::Sym("[") => {
                self.step();
                let items = self.separated("]", Parser::expression)?;
                let parts = heights(&items);
                Expr::over(Kind::List(items), at.to(self.before()), &parts)
            }
            Tok::Sym("{") => {
                self.step();
                let items = self.separated("}", Parser::expression)?;
                let parts = heights(&items);
                Expr::over(Kind::Set(items), at.to(self.before()), &parts)
            }
            Tok::Name(word) => self.word(word, at),
            _ => Err(self.unexpected("an expression", "such as `a + 1`, `read x` or `[1, 2]`")),
        }
    }

    fn literal(&mut self, value: Val) -> Parsed<Expr> {
        let at = self.here();
        self.step();
        Expr::over(Kind::Literal(value), at, &[])
    }

    fn word(&mut self, word: Word, at: Span) -> Parsed<Expr> {
        match &*word {
            "true" => return self.literal(Val::Bool(true)),
            "false" => return self.literal(Val::Bool(false)),
            "null" => return self.literal(Val::Null),
            "read" | "last" => {
                self.step();
                let key = self.key()?;
                let (span, parts) = (at.to(key.at), heights(&key.indexes));
                let kind = if &*word == "read" { Kind::Read(key) } else { Kind::Last(key) };
                return Expr::over(kind, span, &parts);
            }
            "select" => return self.select(at),
            _ => {}
        }
        if KEYWORDS.contains(&&*word) {
            let help = "such as `a + 1`, `read x` or `[1, 2]`";
            return Err(self.unexpected("an expression", help));
        }
        let name = self.name("a name")?;
        if self.is("(") && self.peek().adjacent {
            self.step();
            let args = self.separated(")", Parser::expression)?;
            let parts = heights(&args);
            return Expr::over(Kind::Call(name, args), at.to(self.before()), &parts);
        }
        Expr::over(Kind::Name(name.text), at, &[])
    }

    fn select(&mut self, at: Span) -> Parsed<Expr> {
        let help = "such as `select id, count from items where count > 0`";
        self.step();
        let columns = match self.eat("*") {
            true => None,
            false => {
                let mut columns = vec![self.name("a column or `*`")?];
                while self.eat(",") {
                    columns.push(self.name("a column")?);
                }
                Some(columns)
            }
        };
        self.expect("from", help)?;
        let table = self.name("a table")?;
        let filter = match self.eat("where") {
            true => Some(self.expression()?),
            false => None,
        };
        let height = filter.as_ref().map_or(0, |filter| filter.height);
        let select = Select { columns, table, filter };
        Expr::over(Kind::Select(Box::new(select)), at.to(self.before()), &[height])
    }
}
