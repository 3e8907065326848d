//! Calls of aggregates, and of functions over windows.

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    OrderByExpr,
};

use super::cursor::{Parser, Result};
use super::expression::Read;
use super::function_tree::{call_of, exprs, list};
use super::token::Kind;

impl Parser<'_> {
    /// COUNT, of rows or of values.
    pub(super) fn count(&mut self) -> Result<Read> {
        let name = self.taken_ident();
        self.expect_sign("(")?;
        let arguments = if self.takes_sign("*") {
            list(vec![FunctionArgExpr::Wildcard])
        } else {
            let distinct = self.takes("DISTINCT");
            let args = match distinct {
                true => self.listed(Self::expr)?,
                false => {
                    let _ = self.takes("ALL");
                    if self.takes_sign("*") {
                        self.expect_sign(")")?;
                        let call = call_of(
                            name,
                            FunctionArguments::List(list(vec![FunctionArgExpr::Wildcard])),
                        );
                        return self.windowed(call, false);
                    }
                    vec![self.expr()?]
                }
            };
            let mut list = list(args.into_iter().map(FunctionArgExpr::Expr).collect());
            list.duplicate_treatment = distinct.then_some(DuplicateTreatment::Distinct);
            list
        };
        self.expect_sign(")")?;
        self.windowed(call_of(name, FunctionArguments::List(arguments)), false)
    }

    /// An aggregate of one argument; some may count equal values once.
    pub(super) fn aggregate(&mut self, distinct: bool) -> Result<Read> {
        let name = self.taken_ident();
        self.expect_sign("(")?;
        let distinct = distinct && self.takes("DISTINCT");
        let _ = self.takes("ALL");
        let mut arguments = list(vec![FunctionArgExpr::Expr(self.expr()?)]);
        arguments.duplicate_treatment = distinct.then_some(DuplicateTreatment::Distinct);
        self.expect_sign(")")?;
        self.windowed(call_of(name, FunctionArguments::List(arguments)), false)
    }

    /// GROUP_CONCAT, with its order and its separator.
    pub(super) fn group_concat(&mut self) -> Result<Read> {
        let name = self.taken_ident();
        self.expect_sign("(")?;
        let distinct = self.takes("DISTINCT");
        let args = self.listed(Self::expr)?;
        let mut arguments = list(args.into_iter().map(FunctionArgExpr::Expr).collect());
        arguments.duplicate_treatment = distinct.then_some(DuplicateTreatment::Distinct);
        if self.takes("ORDER") {
            self.expect("BY")?;
            let order = self.listed(Self::sort_key)?;
            arguments.clauses.push(FunctionArgumentClause::OrderBy(order));
        }
        if self.takes("SEPARATOR") {
            let separator = match self.peek().kind {
                Kind::Text(_) | Kind::Hex(_) | Kind::HexNumber(_) | Kind::Bits(_) => {
                    self.simple()?.expr
                }
                _ => return Err(self.unexpected()),
            };
            if let Expr::Value(separator) = separator {
                arguments.clauses.push(FunctionArgumentClause::Separator(separator));
            }
        }
        if self.is_mariadb() && self.takes("LIMIT") {
            arguments.clauses.push(FunctionArgumentClause::Limit(self.limit_value()?));
        }
        self.expect_sign(")")?;
        self.windowed(call_of(name, FunctionArguments::List(arguments)), false)
    }

    /// MEDIAN and its kin, which are given over a window.
    pub(super) fn percentile(&mut self, word: &str) -> Result<Read> {
        let name = self.taken_ident();
        let args = self.counted(1, 1)?;
        let mut call = call_of(name, exprs(args));
        if word != "MEDIAN" {
            self.expect_all(&["WITHIN", "GROUP"])?;
            let key: OrderByExpr = self.in_parens(|parser| {
                parser.expect_all(&["ORDER", "BY"])?;
                parser.sort_key()
            })?;
            call.within_group = vec![key];
        }
        self.windowed(call, true)
    }

    /// OVER after a call.
    pub(super) fn windowed(&mut self, mut call: Function, required: bool) -> Result<Read> {
        if required && !self.is("OVER") {
            return Err(self.unexpected());
        }
        if self.takes("OVER") {
            call.over = Some(self.window()?);
        }
        Ok(Read::closed(Expr::Function(call)))
    }
}
