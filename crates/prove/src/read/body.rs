//! Bodies: PL/pgSQL around SQL.
//!
//! The crate `plpgsql` reads the skeleton and leaves SQL as pieces of text; here they meet. A body between `-- transaction`
//! and `-- end` has no BEGIN and END, so it is read with those around it, and all places are moved back by as much.

use hobgoblin_plpgsql as plpgsql;
use plpgsql::{LoopControl, Span};

use super::error::{Fault, Problem, Result};
use super::names::Binder;
use super::tokens::Sql;
use super::variables::Target;
use crate::program::{Expr, ExprKind, Place, Statement, StatementKind, Type};

/// What stands before a body that has no BEGIN.
const BEGIN: &str = "BEGIN\n";

/// Reads a body of PL/pgSQL.
pub(super) struct Body<'a> {
    /// The file.
    pub(super) text: &'a str,
    /// Where the body is in it.
    place: Place,
    /// How far the reader's text is before the file's, in bytes.
    before: usize,
    pub(super) binder: Binder<'a>,
}

impl<'a> Body<'a> {
    /// Reads the statements of a body. If `bare`, it has no BEGIN and END.
    pub(super) fn read(
        text: &'a str,
        place: Place,
        bare: bool,
        binder: Binder<'a>,
    ) -> Result<(Vec<Statement>, Binder<'a>)> {
        let source = text.get(place.range()).unwrap_or_default();
        let before = if bare { BEGIN.len() } else { 0 };
        let mut body = Body { text, place, before, binder };
        let read = match bare {
            true => plpgsql::read(&format!("{BEGIN}{source}\nEND")),
            false => plpgsql::read(source),
        };
        let read = read.map_err(|error| {
            let problem = match error {
                plpgsql::ReadError::TooDeep { .. } => {
                    Problem::TooLarge { what: "statements nest too deep" }
                }
                _ => Problem::Syntax { message: error.to_string() },
            };
            Fault::new(body.at(error.span()), problem)
        })?;
        if let Some(option) = read.options.first() {
            let help = "leave the line with # out";
            return Err(Fault::unsupported(body.at(option.span), "an option of the body", help));
        }
        let statements = body.block(&read.block, true)?;
        Ok((statements, body.binder))
    }

    /// A place in the file.
    pub(super) fn at(&self, span: Span) -> Place {
        let inside = |byte: usize| {
            let byte = (byte + self.place.start as usize).saturating_sub(self.before);
            (byte as u32).clamp(self.place.start, self.place.end)
        };
        Place { start: inside(span.start), end: inside(span.end) }
    }

    pub(super) fn sql(&self, of: plpgsql::Fragment) -> Result<Sql> {
        Sql::new(self.text, &[self.at(of.span)])
    }

    /// Reads an expression, of a type if one is wanted.
    pub(super) fn expression(
        &mut self,
        of: plpgsql::Fragment,
        wanted: Option<Type>,
    ) -> Result<Expr> {
        let sql = self.sql(of)?;
        self.binder.fragment(sql, wanted)
    }

    pub(super) fn target(&self, path: &plpgsql::Path) -> Target {
        let names = path.names.iter().map(|name| name.text.clone()).collect();
        Target { names, place: self.at(path.span) }
    }

    pub(super) fn targets(&self, paths: &[plpgsql::Path]) -> Vec<Target> {
        paths.iter().map(|path| self.target(path)).collect()
    }

    /// Reads a block: what its declarations do, then its statements.
    fn block(&mut self, block: &plpgsql::Block, outermost: bool) -> Result<Vec<Statement>> {
        if let Some(handler) = block.handlers.first() {
            return Err(Fault::unsupported(
                self.at(handler.span),
                "EXCEPTION",
                "ask before, by IF EXISTS, what would raise the error",
            ));
        }
        let around = self.binder.variables.enter();
        let mut statements = Vec::new();
        for declaration in &block.declarations {
            self.declaration(declaration, outermost, &mut statements)?;
        }
        statements.extend(self.statements(&block.statements)?);
        if !block.declarations.is_empty() {
            for declaration in &block.declarations {
                self.binder.variables.leave_name(&declaration.name.text, &around);
            }
        }
        Ok(statements)
    }

    /// Reads statements.
    pub(super) fn statements(&mut self, of: &[plpgsql::Statement]) -> Result<Vec<Statement>> {
        let mut statements = Vec::new();
        for statement in of {
            let read = stacker::maybe_grow(256 << 10, 4 << 20, || self.statement(statement));
            statements.extend(read?);
        }
        Ok(statements)
    }

    fn statement(&mut self, of: &plpgsql::Statement) -> Result<Vec<Statement>> {
        use plpgsql::StatementKind as Kind;
        let at = self.at(of.span);
        let one = |kind: StatementKind| vec![Statement { kind, place: at, sql: Vec::new() }];
        Ok(match &of.kind {
            Kind::Block(block) => self.block(block, false)?,
            Kind::Assign { target, value } => one(self.assign(target, *value)?),
            Kind::If { branches, otherwise } => {
                let mut arms = Vec::new();
                for branch in branches {
                    let condition = self.expression(branch.condition, Some(Type::Bool))?;
                    arms.push((condition, self.statements(&branch.statements)?));
                }
                let otherwise = self.statements(otherwise.as_deref().unwrap_or_default())?;
                one(StatementKind::If { arms, otherwise })
            }
            Kind::Case { subject, branches, otherwise } => {
                one(self.case(*subject, branches, otherwise.as_deref(), at)?)
            }
            Kind::Loop(repeat) => vec![self.repeat(repeat, at)?],
            Kind::Return(value) => {
                let value = value.map(|value| self.expression(value, None)).transpose()?;
                let value = value.map(|mut value| {
                    super::types::settle(&mut value, Type::Int);
                    value
                });
                one(StatementKind::Return(value))
            }
            Kind::ReturnQuery(query) => vec![self.return_query(query, at)?],
            Kind::Raise(raise) => one(match raise.level {
                None | Some(plpgsql::RaiseLevel::Exception) => StatementKind::Abort,
                Some(_) => StatementKind::Skip,
            }),
            Kind::Assert { condition, .. } => {
                let condition = self.expression(*condition, Some(Type::Bool))?;
                one(StatementKind::If {
                    arms: vec![(condition, Vec::new())],
                    otherwise: one(StatementKind::Abort),
                })
            }
            Kind::Perform(query) => vec![self.perform(*query, at)?],
            Kind::Sql(sql) => vec![self.sql_statement(sql, at)?],
            Kind::Rollback { .. } => one(StatementKind::Abort),
            Kind::Null => one(StatementKind::Skip),
            other => return Err(refused(other, at)),
        })
    }

    fn assign(
        &mut self,
        target: &plpgsql::Target,
        value: Option<plpgsql::Fragment>,
    ) -> Result<StatementKind> {
        let Some(value) = value else {
            let message = "expected an expression behind the assignment".to_owned();
            return Err(Fault::new(self.at(target.span), Problem::Syntax { message }));
        };
        if !target.steps.is_empty() {
            return Err(Fault::unsupported(
                self.at(target.span),
                "an assignment to an element of an array",
                "keep elements in variables of their own",
            ));
        }
        let target = self.target(&target.variable);
        self.binder.variables.announce(std::slice::from_ref(&target))?;
        let mut value = self.expression(value, None)?;
        let variable = self.binder.variables.put_one(&target, &mut value, None)?;
        Ok(StatementKind::Assign { variable, value })
    }

    /// `CASE … END CASE`, as IF. What is made of a subject and a value stands nowhere in the text, so its place is empty.
    fn case(
        &mut self,
        subject: Option<plpgsql::Fragment>,
        branches: &[plpgsql::Branch],
        otherwise: Option<&[plpgsql::Statement]>,
        at: Place,
    ) -> Result<StatementKind> {
        let subject = subject.map(|subject| self.expression(subject, None)).transpose()?;
        if let Some(subject) = subject.as_ref().filter(|subject| has_query(subject)) {
            return Err(Fault::unsupported(
                subject.place,
                "CASE of a query",
                "put it into a variable first",
            ));
        }
        let mut arms = Vec::new();
        for branch in branches {
            let condition = match &subject {
                None => self.expression(branch.condition, Some(Type::Bool))?,
                Some(subject) => {
                    let sql = self.sql(branch.condition)?;
                    self.binder.equals_one_of(subject, sql)?
                }
            };
            arms.push((condition, self.statements(&branch.statements)?));
        }
        let otherwise = match otherwise {
            Some(otherwise) => self.statements(otherwise)?,
            // Without ELSE, it is an error that none holds.
            None => vec![Statement { kind: StatementKind::Abort, place: at, sql: Vec::new() }],
        };
        Ok(StatementKind::If { arms, otherwise })
    }

    fn repeat(&mut self, repeat: &plpgsql::Loop, at: Place) -> Result<Statement> {
        let help = "loop over a query, an array or a range of numbers";
        let refuse = |what: &str| Err(Fault::unsupported(at, what, help));
        let mut pieces = Vec::new();
        let kind = match &repeat.control {
            LoopControl::Forever => return refuse("LOOP without end"),
            LoopControl::While(_) => return refuse("WHILE"),
            LoopControl::Cursor { .. } => return refuse("a loop over a cursor"),
            LoopControl::Integers { reverse: true, .. } => return refuse("REVERSE"),
            LoopControl::Integers { by: Some(_), .. } => return refuse("BY"),
            LoopControl::Integers { variable, from, to, .. } => {
                let low = self.expression(*from, Some(Type::Int))?;
                let high = self.expression(*to, Some(Type::Int))?;
                let around = self.binder.variables.enter();
                let target = self.target(variable);
                let name = target.names.join(".");
                let variable = self.binder.variables.shadow(&name, Type::Int, target.place);
                let body = self.statements(&repeat.statements)?;
                self.binder.variables.leave_name(&name, &around);
                StatementKind::ForRange { variable, low, high, body }
            }
            LoopControl::Rows { targets, query } => {
                let targets = self.targets(targets);
                let query = self.static_query(query, at)?;
                pieces.push(self.at(query.span));
                self.binder.variables.announce(&targets)?;
                let mut bound = self.select(&pieces)?;
                let place = targets.first().map_or(at, |first| first.place);
                let output = &mut bound.query.output;
                let into = self.binder.variables.put(&targets, output, &bound.names, place)?;
                let body = self.statements(&repeat.statements)?;
                StatementKind::ForQuery { into, query: bound.query, body }
            }
            LoopControl::Elements { slice: Some(_), .. } => return refuse("SLICE"),
            LoopControl::Elements { targets, array, .. } => {
                let array = self.expression(*array, Some(Type::IntArray))?;
                let ExprKind::Variable(array) = array.kind else {
                    let help = "put the array into a variable or parameter of type int[]";
                    return Err(Fault::unsupported(array.place, "this array", help));
                };
                let [target] = targets.as_slice() else {
                    return refuse("FOREACH with several variables");
                };
                let target = self.target(target);
                let element = ExprKind::Int(0);
                let mut element = Expr { kind: element, ty: Type::Int, place: target.place };
                self.binder.variables.announce(std::slice::from_ref(&target))?;
                let variable = self.binder.variables.put_one(&target, &mut element, None)?;
                let body = self.statements(&repeat.statements)?;
                StatementKind::ForEach { variable, array, body }
            }
        };
        Ok(Statement { kind, place: at, sql: pieces })
    }
}

/// Whether an expression reads tables.
pub(super) fn has_query(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Exists(_) | ExprKind::Scalar(_) | ExprKind::InQuery(..))
        || expr.inner().into_iter().any(has_query)
}

/// Statements that we do not read, each with what to do instead.
fn refused(kind: &plpgsql::StatementKind, at: Place) -> Fault {
    use plpgsql::StatementKind as Kind;
    let (what, help) = match kind {
        Kind::Leave { leave: plpgsql::Leave::Exit, .. } => {
            ("EXIT", "put the rest of the loop into an IF")
        }
        Kind::Leave { .. } => ("CONTINUE", "put the rest of the loop into an IF"),
        Kind::ReturnNext(_) => ("RETURN NEXT", "give the rows by RETURN QUERY"),
        Kind::Call(_) => ("CALL", "write out what the procedure does"),
        Kind::Do(_) => ("DO", "write out what the block does"),
        Kind::Execute { .. } => ("EXECUTE", "write the statement itself"),
        Kind::GetDiagnostics { .. } => {
            ("GET DIAGNOSTICS", "ask FOUND whether there was a row, or count before")
        }
        Kind::Open { .. } | Kind::Fetch { .. } | Kind::Move { .. } | Kind::Close(_) => {
            ("a cursor", "loop over the query by FOR")
        }
        Kind::Commit { .. } => {
            ("COMMIT", "divide it into two transactions: each is one, whatever happens")
        }
        _ => ("this statement", "say it by SQL, IF and FOR"),
    };
    Fault::unsupported(at, what, help)
}
