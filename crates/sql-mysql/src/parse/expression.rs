//! Expressions of operators.
//!
//! An operator of two operands takes what binds closer than it does on its right, and on its left what it was given
//! so far, if that binds as close. From loose to close:
//!
//! ```text
//!     OR ||   XOR   AND &&   NOT   = <=> < … IS   BETWEEN   LIKE IN REGEXP   |   &   << >>   + -   * / DIV %   ^
//!     || (PIPES_AS_CONCAT)   - ~ ! BINARY   COLLATE
//! ```
//!
//! What stands left of an operator must bind as close as it: `NOT a` is no operand of `=`, so `1 = NOT a` is refused,
//! and `NOT 1 = a` negates the comparison. MySQL is stricter than MariaDB: what LIKE and its kin give is no operand of
//! theirs. MariaDB reads `a LIKE b LIKE c` from the left, and `a LIKE b NOT LIKE c` from the right.

use sqlparser::ast::{BinaryOperator, Expr, Interval, UnaryOperator};

use super::cursor::{Parser, Result};
use super::error::ParseError;
use super::token::Kind;

/// How close operators bind.
pub(super) type Level = u8;

pub(super) const OR: Level = 1;
const XOR: Level = 2;
const AND: Level = 3;
pub(super) const NOT: Level = 4;
const TEST: Level = 5;
const BETWEEN: Level = 6;
const LIKE: Level = 7;
/// NOT LIKE and its kin, as they follow what MariaDB's LIKE and its kin have on their right.
const NEGATED: Level = 8;
pub(super) const PIPE: Level = 9;
const AMPERSAND: Level = 10;
const SHIFT: Level = 11;
const SUM: Level = 12;
const PRODUCT: Level = 13;
const CARET: Level = 14;
const CONCAT: Level = 15;
pub(super) const SIGN: Level = 16;
const COLLATE: Level = 17;
/// What needs no parentheses anywhere.
pub(super) const CLOSED: Level = 18;

/// How many operators may follow one another without parentheses: each makes the tree one higher.
const MOST_IN_A_ROW: usize = 100_000;

/// An expression, and how close the last of its operators binds.
pub(super) struct Read {
    pub(super) expr: Expr,
    pub(super) level: Level,
}

impl Read {
    pub(super) fn closed(expr: Expr) -> Read {
        Read { expr, level: CLOSED }
    }
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.at_least(OR)
    }

    /// An expression of operators that bind at least so close.
    pub(super) fn at_least(&mut self, least: Level) -> Result<Expr> {
        self.deeper(|parser| {
            let first = parser.operand(least)?;
            parser.continued(first, least)
        })
    }

    /// What is said of an expression after it.
    pub(super) fn continued(&mut self, first: Read, least: Level) -> Result<Expr> {
        let mut left = first;
        for _ in 0..MOST_IN_A_ROW {
            match self.operator(&left, least) {
                Some(operator) => left = self.applied(operator, left.expr)?,
                None => return Ok(left.expr),
            }
        }
        Err(ParseError::TooDeep { most: MOST_IN_A_ROW })
    }

    /// The operator that is next, if it may go on with what is there.
    fn operator(&mut self, left: &Read, least: Level) -> Option<Operator> {
        let operator = self.next_operator()?;
        let level = operator.level();
        let predicate = (BETWEEN..=LIKE).contains(&level);
        let closest = match self.is_mariadb() || !predicate {
            true => level,
            false => PIPE,
        };
        let binds = if operator.is_negated() { level.max(NEGATED) } else { level };
        (binds >= least && left.level >= closest).then_some(operator)
    }

    fn next_operator(&mut self) -> Option<Operator> {
        use BinaryOperator as B;
        let pipes = self.reading.pipes_as_concat;
        let binary = |op, level| Some(Operator::Binary(op, level));
        if let Kind::Sign(sign) = self.peek().kind {
            return match sign {
                "||" if pipes => binary(B::StringConcat, CONCAT),
                "||" => binary(B::Or, OR),
                "&&" => binary(B::And, AND),
                "=" => binary(B::Eq, TEST),
                "<=>" => binary(B::Spaceship, TEST),
                "<" => binary(B::Lt, TEST),
                "<=" => binary(B::LtEq, TEST),
                ">" => binary(B::Gt, TEST),
                ">=" => binary(B::GtEq, TEST),
                "<>" | "!=" => binary(B::NotEq, TEST),
                "|" => binary(B::BitwiseOr, PIPE),
                "&" => binary(B::BitwiseAnd, AMPERSAND),
                "<<" => binary(B::PGBitwiseShiftLeft, SHIFT),
                ">>" => binary(B::PGBitwiseShiftRight, SHIFT),
                "+" => binary(B::Plus, SUM),
                "-" => binary(B::Minus, SUM),
                "*" => binary(B::Multiply, PRODUCT),
                "/" => binary(B::Divide, PRODUCT),
                "%" => binary(B::Modulo, PRODUCT),
                "^" => binary(B::BitwiseXor, CARET),
                _ => None,
            };
        }
        let words = [
            ("OR", Operator::Binary(B::Or, OR)),
            ("XOR", Operator::Binary(B::Xor, XOR)),
            ("AND", Operator::Binary(B::And, AND)),
            ("DIV", Operator::Binary(B::MyIntegerDivide, PRODUCT)),
            ("MOD", Operator::Binary(B::Modulo, PRODUCT)),
            ("IS", Operator::Is),
            ("BETWEEN", Operator::Between { negated: false }),
            ("LIKE", Operator::Like { negated: false }),
            ("IN", Operator::In { negated: false }),
            ("REGEXP", Operator::Regexp { negated: false, word: true }),
            ("RLIKE", Operator::Regexp { negated: false, word: false }),
            ("COLLATE", Operator::Collate),
        ];
        if self.peek().kind != Kind::Word {
            return None;
        }
        for (word, operator) in words {
            if self.is(word) {
                return Some(operator);
            }
        }
        if self.is("NOT") {
            return [
                ("BETWEEN", Operator::Between { negated: true }),
                ("LIKE", Operator::Like { negated: true }),
                ("IN", Operator::In { negated: true }),
                ("REGEXP", Operator::Regexp { negated: true, word: true }),
                ("RLIKE", Operator::Regexp { negated: true, word: false }),
            ]
            .into_iter()
            .find_map(|(word, operator)| self.is_ahead(1, word).then_some(operator))
            .or(Some(Operator::Not));
        }
        if self.is("SOUNDS") {
            return Some(Operator::SoundsLike);
        }
        let member = !self.is_mariadb() && self.are(&["MEMBER", "OF"]);
        member.then_some(Operator::MemberOf)
    }

    /// Takes an operator and its right side.
    fn applied(&mut self, operator: Operator, left: Expr) -> Result<Read> {
        let level = operator.level();
        let boxed = |expr| Box::new(expr);
        self.advance();
        let expr = match operator {
            Operator::Binary(op, TEST) => return self.compared(left, op),
            Operator::Binary(op @ (BinaryOperator::Plus | BinaryOperator::Minus), _)
                if self.is("INTERVAL") =>
            {
                self.advance();
                let right = self.interval_or_call()?;
                let right = match right.expr {
                    // It ends with a unit, so any operator of bits may go on with the whole.
                    right @ Expr::Interval(_) => {
                        let expr = Expr::BinaryOp { left: boxed(left), op, right: boxed(right) };
                        return Ok(Read { expr, level: CARET });
                    }
                    _ => self.continued(right, level + 1)?,
                };
                Expr::BinaryOp { left: boxed(left), op, right: boxed(right) }
            }
            Operator::Binary(op, level) => {
                let right = self.at_least(level + 1)?;
                Expr::BinaryOp { left: boxed(left), op, right: boxed(right) }
            }
            Operator::Is => return self.tested(left),
            Operator::Between { negated } => {
                self.skip(negated);
                let low = self.at_least(if self.is_mariadb() { BETWEEN } else { PIPE })?;
                self.expect("AND")?;
                let high = self.at_least(BETWEEN)?;
                Expr::Between { expr: boxed(left), negated, low: boxed(low), high: boxed(high) }
            }
            Operator::Like { negated } => {
                self.skip(negated);
                let least = if self.is_mariadb() { NEGATED } else { SIGN };
                let pattern = boxed(self.at_least(least)?);
                let escape_char = match self.takes("ESCAPE") {
                    true => Some(boxed(self.at_least(least)?)),
                    false => None,
                };
                Expr::Like { negated, any: false, expr: boxed(left), pattern, escape_char }
            }
            Operator::Regexp { negated, word } => {
                self.skip(negated);
                let pattern = boxed(self.at_least(NEGATED)?);
                Expr::RLike { negated, expr: boxed(left), pattern, regexp: word }
            }
            Operator::In { negated } => {
                self.skip(negated);
                self.within(left, negated)?
            }
            Operator::Not => return Err(self.unexpected()),
            Operator::SoundsLike => {
                self.expect("LIKE")?;
                let right = self.at_least(NEGATED)?;
                let sound = |expr| super::function_tree::function("soundex", vec![expr]);
                let (left, right) = (boxed(sound(left)), boxed(sound(right)));
                Expr::BinaryOp { left, op: BinaryOperator::Eq, right }
            }
            Operator::MemberOf => {
                self.advance();
                let array = boxed(self.in_parens(|parser| parser.at_least(SIGN))?);
                Expr::MemberOf(sqlparser::ast::MemberOf { value: boxed(left), array })
            }
            Operator::Collate => {
                let collation = match self.takes("BINARY") {
                    true => sqlparser::ast::Ident::new("binary"),
                    false => self.collation_name()?,
                };
                Expr::Collate { expr: boxed(left), collation: collation.into() }
            }
        };
        Ok(Read { expr, level })
    }

    /// Takes what follows NOT.
    fn skip(&mut self, negated: bool) {
        if negated {
            self.advance();
        }
    }

    /// The right side of a comparison.
    fn compared(&mut self, left: Expr, compare_op: BinaryOperator) -> Result<Read> {
        let left = Box::new(left);
        let quantified = compare_op != BinaryOperator::Spaceship
            && self.is_one_of(&["ALL", "ANY", "SOME"])
            && self.is_sign_ahead(1, "(");
        let expr = match quantified {
            true => {
                let word = self.expect_one_of(&["ALL", "ANY", "SOME"])?;
                let right = Box::new(Expr::Subquery(Box::new(self.subquery()?)));
                match word {
                    "ALL" => Expr::AllOp { left, compare_op, right },
                    _ => Expr::AnyOp { left, compare_op, right, is_some: word == "SOME" },
                }
            }
            false => {
                let right = Box::new(self.at_least(BETWEEN)?);
                Expr::BinaryOp { left, op: compare_op, right }
            }
        };
        Ok(Read { expr, level: TEST })
    }

    /// What follows IS.
    fn tested(&mut self, left: Expr) -> Result<Read> {
        let negated = self.takes("NOT");
        let of = Box::new(left);
        let word = self.expect_one_of(&["NULL", "TRUE", "FALSE", "UNKNOWN"])?;
        let expr = match (word, negated) {
            ("NULL", false) => Expr::IsNull(of),
            ("NULL", true) => Expr::IsNotNull(of),
            ("TRUE", false) => Expr::IsTrue(of),
            ("TRUE", true) => Expr::IsNotTrue(of),
            ("FALSE", false) => Expr::IsFalse(of),
            ("FALSE", true) => Expr::IsNotFalse(of),
            (_, false) => Expr::IsUnknown(of),
            (_, true) => Expr::IsNotUnknown(of),
        };
        // In MySQL only IS NULL gives what a comparison may go on with.
        let level = if self.is_mariadb() || word == "NULL" { TEST } else { NOT };
        Ok(Read { expr, level })
    }

    /// What follows IN.
    fn within(&mut self, left: Expr, negated: bool) -> Result<Expr> {
        let expr = Box::new(left);
        Ok(match self.parenthesized()?.expr {
            Expr::Subquery(subquery) => Expr::InSubquery { expr, subquery, negated },
            Expr::Tuple(list) => Expr::InList { expr, list, negated },
            Expr::Nested(only) => Expr::InList { expr, list: vec![*only], negated },
            other => Expr::InList { expr, list: vec![other], negated },
        })
    }

    /// What an operator before its operand is applied to, or what needs none.
    fn operand(&mut self, least: Level) -> Result<Read> {
        let high_not = self.reading.high_not_precedence && self.is("NOT");
        let sign = match self.peek().kind {
            Kind::Sign("!") => Some(UnaryOperator::BangNot),
            Kind::Sign("~") => Some(UnaryOperator::BitwiseNot),
            Kind::Sign("-") => Some(UnaryOperator::Minus),
            Kind::Sign("+") => Some(UnaryOperator::Plus),
            _ if high_not => Some(UnaryOperator::BangNot),
            _ => None,
        };
        if let Some(op) = sign {
            self.advance();
            let expr = match op {
                UnaryOperator::Minus | UnaryOperator::Plus
                    if self.is_mariadb() && least <= CONCAT && self.is("INTERVAL") =>
                {
                    let read = self.added_interval(least)?;
                    let sum = match read.expr {
                        Expr::BinaryOp { left, op: BinaryOperator::Plus, right }
                            if matches!(*left, Expr::Interval(_)) =>
                        {
                            let op = match op {
                                UnaryOperator::Minus => BinaryOperator::Minus,
                                _ => BinaryOperator::Plus,
                            };
                            // The sign is that of the span alone.
                            Expr::BinaryOp { left: right, op, right: left }
                        }
                        other => Expr::UnaryOp { op, expr: Box::new(other) },
                    };
                    return Ok(Read { expr: sum, level: CARET });
                }
                _ => self.at_least(SIGN)?,
            };
            return Ok(Read { expr: Expr::UnaryOp { op, expr: Box::new(expr) }, level: SIGN });
        }
        if self.is("NOT") && least <= NOT {
            self.advance();
            let expr = Box::new(self.at_least(NOT)?);
            return Ok(Read { expr: Expr::UnaryOp { op: UnaryOperator::Not, expr }, level: NOT });
        }
        match self.is("INTERVAL") {
            true => self.added_interval(least),
            false => self.simple(),
        }
    }

    /// `INTERVAL a DAY + b`, or the function. MariaDB has the first only where an operator of bits may follow.
    fn added_interval(&mut self, least: Level) -> Result<Read> {
        self.advance();
        if self.is_mariadb() && least > CONCAT && !self.is_sign("(") {
            return Err(self.unexpected());
        }
        let read = self.interval_or_call()?;
        if !matches!(read.expr, Expr::Interval(_)) {
            return Ok(read);
        }
        self.expect_sign("+")?;
        let (left, right) = (Box::new(read.expr), Box::new(self.at_least(NOT)?));
        Ok(Read { expr: Expr::BinaryOp { left, op: BinaryOperator::Plus, right }, level: CARET })
    }

    /// INTERVAL, whose word was taken: a span of time that something is added to, or the function.
    pub(super) fn interval_or_call(&mut self) -> Result<Read> {
        if !self.is_sign("(") {
            let value = self.expr()?;
            return self.interval(value);
        }
        let inner = self.parenthesized()?;
        match inner.expr {
            Expr::Tuple(list) => Ok(Read::closed(super::function_tree::function("interval", list))),
            _ => {
                let value = self.continued(inner, OR)?;
                self.interval(value)
            }
        }
    }

    /// The unit of a span of time.
    pub(super) fn interval(&mut self, value: Expr) -> Result<Read> {
        let leading_field = Some(self.unit()?);
        Ok(Read::closed(Expr::Interval(Interval {
            value: Box::new(value),
            leading_field,
            leading_precision: None,
            last_field: None,
            fractional_seconds_precision: None,
        })))
    }
}

/// What may stand between two operands, or after one.
enum Operator {
    Binary(BinaryOperator, Level),
    Is,
    Between {
        negated: bool,
    },
    Like {
        negated: bool,
    },
    In {
        negated: bool,
    },
    Regexp {
        negated: bool,
        word: bool,
    },
    SoundsLike,
    MemberOf,
    Collate,
    /// NOT, and none of the words that it negates.
    Not,
}

impl Operator {
    fn is_negated(&self) -> bool {
        matches!(
            self,
            Operator::Between { negated: true }
                | Operator::Like { negated: true }
                | Operator::In { negated: true }
                | Operator::Regexp { negated: true, .. }
                | Operator::Not
        )
    }

    fn level(&self) -> Level {
        match self {
            Operator::Binary(_, level) => *level,
            Operator::Is => TEST,
            Operator::Between { .. } => BETWEEN,
            Operator::Like { .. }
            | Operator::In { .. }
            | Operator::Regexp { .. }
            | Operator::SoundsLike
            | Operator::MemberOf
            | Operator::Not => LIKE,
            Operator::Collate => COLLATE,
        }
    }
}
