//! SQL in bodies: queries with their INTO, changes, PERFORM and RETURN QUERY; and declarations.

use std::rc::Rc;

use hobgoblin_plpgsql as plpgsql;
use plpgsql::{DataType, DeclarationKind};
use sqlparser::ast;
use sqlparser::tokenizer::Token;

use super::body::{Body, has_query};
use super::error::{Fault, Named, Problem, Result};
use super::made::all;
use super::names::{Binder, column_of};
use super::query::Bound;
use super::sections::word;
use super::tokens::{Sql, token_at};
use super::types;
use crate::program::{
    Conflict, Expr, ExprKind, Operator, Place, Statement, StatementKind, Type, VariableId,
};

impl Body<'_> {
    /// A statement of SQL.
    pub(super) fn sql_statement(
        &mut self,
        of: &plpgsql::SqlStatement,
        at: Place,
    ) -> Result<Statement> {
        let mut pieces = vec![self.at(of.before.span)];
        match (&of.into, of.after) {
            (Some(_), Some(after)) => pieces.push(self.at(after.span)),
            (None, Some(_)) => pieces = vec![self.at(of.span())],
            _ => {}
        }
        let targets = of.into.as_ref().map(|into| self.targets(&into.targets)).unwrap_or_default();
        let strict = of.into.as_ref().is_some_and(|into| into.strict);
        let into_place = of.into.as_ref().map_or(at, |into| self.at(into.span));
        let sql = Rc::new(Sql::new(self.text, &pieces)?);
        known(&sql)?;
        self.binder.variables.announce(&targets)?;
        self.binder.sql = Rc::clone(&sql);
        let lenient = self.binder.variables.lenient;
        let binder = &mut self.binder;
        let kind = sql.parse(
            |parser| parser.parse_statement(),
            |statement| match &statement {
                ast::Statement::Query(query) => {
                    let Bound { mut query, names } = binder.query(query)?;
                    if targets.is_empty() {
                        destination(lenient, at)?;
                        return Ok(StatementKind::Select { query, into: Vec::new(), strict });
                    }
                    let output = &mut query.output;
                    let into = binder.variables.put(&targets, output, &names, into_place)?;
                    Ok(StatementKind::Select { query, into, strict })
                }
                ast::Statement::Insert(insert) => binder.insert(insert, &targets),
                ast::Statement::Update(update) => binder.update(update, &targets),
                ast::Statement::Delete(delete) => binder.delete(delete, &targets),
                _ => Err(refuse(sql.place, "this statement")),
            },
        )?;
        self.returned(&kind, strict, !targets.is_empty(), into_place)?;
        Ok(Statement { kind, place: at, sql: pieces })
    }

    /// What comes back from a change has to go somewhere, and STRICT has to say nothing that the tree does not.
    fn returned(&self, kind: &StatementKind, strict: bool, into: bool, at: Place) -> Result<()> {
        let (returning, one_row) = match kind {
            StatementKind::Insert { returning, rows, conflict, .. } => {
                (returning, rows.len() == 1 && !matches!(conflict, Conflict::Nothing))
            }
            StatementKind::Update { returning, .. } | StatementKind::Delete { returning, .. } => {
                (returning, false)
            }
            _ => return Ok(()),
        };
        if into && returning.is_empty() {
            return Err(Fault::unsupported(at, "INTO without RETURNING", "add RETURNING"));
        }
        if strict && !one_row {
            return Err(Fault::unsupported(at, "STRICT of a change", "ask FOUND afterwards"));
        }
        match returning.is_empty() || into {
            true => Ok(()),
            false => destination(self.binder.variables.lenient, at),
        }
    }

    /// A query in these pieces of the file.
    pub(super) fn select(&mut self, pieces: &[Place]) -> Result<Bound> {
        let sql = Sql::new(self.text, pieces)?;
        self.select_sql(sql)
    }

    fn select_sql(&mut self, sql: Sql) -> Result<Bound> {
        let sql = Rc::new(sql);
        self.binder.sql = Rc::clone(&sql);
        let binder = &mut self.binder;
        sql.parse(|parser| parser.parse_query(), |query| binder.query(&query))
    }

    /// `PERFORM …`: what follows is what may follow SELECT. Its text keeps that word.
    pub(super) fn perform(
        &mut self,
        query: Option<plpgsql::Fragment>,
        at: Place,
    ) -> Result<Statement> {
        let Some(fragment) = query else {
            return Ok(Statement { kind: StatementKind::Skip, place: at, sql: Vec::new() });
        };
        let mut sql = self.sql(fragment)?;
        let whole = Place { start: at.start, end: sql.place.end };
        let select = Place { start: at.start, end: sql.place.start };
        sql.tokens.insert(0, token_at(Token::make_keyword("SELECT"), select));
        sql.place = whole;
        let query = self.select_sql(sql)?.query;
        let kind = StatementKind::Select { query, into: Vec::new(), strict: false };
        Ok(Statement { kind, place: at, sql: vec![whole] })
    }

    /// `RETURN QUERY SELECT …`.
    pub(super) fn return_query(&mut self, query: &plpgsql::Query, at: Place) -> Result<Statement> {
        let pieces = vec![self.at(self.static_query(query, at)?.span)];
        let query = self.select(&pieces)?.query;
        let kind = StatementKind::Select { query, into: Vec::new(), strict: false };
        Ok(Statement { kind, place: at, sql: pieces })
    }

    /// A query that is written out.
    pub(super) fn static_query(
        &self,
        query: &plpgsql::Query,
        at: Place,
    ) -> Result<plpgsql::Fragment> {
        match query {
            plpgsql::Query::Static(query) => Ok(*query),
            plpgsql::Query::Dynamic(_) => {
                Err(Fault::unsupported(at, "EXECUTE", "write the statement itself"))
            }
        }
    }

    /// A declaration. What a variable is first is part of it in the outermost block, unless it is read from tables; else
    /// it is assigned, each time the block begins.
    pub(super) fn declaration(
        &mut self,
        of: &plpgsql::Declaration,
        outermost: bool,
        statements: &mut Vec<Statement>,
    ) -> Result<()> {
        let at = self.at(of.name.span);
        let (ty, default) = match &of.kind {
            DeclarationKind::Variable { ty, default, .. } => (ty, *default),
            DeclarationKind::Alias(_) => {
                return Err(Fault::unsupported(at, "ALIAS", "use the name that is there"));
            }
            DeclarationKind::Cursor { .. } => {
                let help = "loop over the query by FOR";
                return Err(Fault::unsupported(at, "a cursor", help));
            }
        };
        let name = &of.name.text;
        let variable = match self.declared(ty, at)? {
            Declared::One(ty) => vec![self.binder.variables.declare(name, ty, at)?],
            Declared::Row(fields) => self.binder.variables.declare_row(name, &fields, at)?,
            Declared::Record => {
                self.binder.variables.declare_record(name, at)?;
                Vec::new()
            }
        };
        let assign = |variable: VariableId, value: Expr| Statement {
            kind: StatementKind::Assign { variable, value },
            place: at,
            sql: Vec::new(),
        };
        match (default, variable.as_slice()) {
            (Some(default), &[variable]) => {
                let ty = self.binder.variables.ty(variable);
                let value = self.expression(default, Some(ty))?;
                match outermost && !has_query(&value) {
                    true => {
                        self.binder.variables.list[variable.0 as usize].initial = Some(value);
                    }
                    false => statements.push(assign(variable, value)),
                }
            }
            (Some(_), _) => {
                return Err(Fault::unsupported(at, "a record with a value", "assign its fields"));
            }
            (None, all) if !outermost => {
                for variable in all {
                    let ty = self.binder.variables.ty(*variable);
                    let value = Expr { kind: ExprKind::Null, ty, place: empty(at) };
                    statements.push(assign(*variable, value));
                }
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn declared(&self, ty: &DataType, at: Place) -> Result<Declared> {
        let names = |path: &plpgsql::Path| -> Vec<String> {
            path.names.iter().map(|name| name.text.clone()).collect()
        };
        let table = |name: &str| self.binder.tables.iter().find(|table| table.name == name);
        let row = |table: &crate::program::Table| {
            let fields = table.columns.iter().map(|column| (column.name.clone(), column.ty));
            Declared::Row(fields.collect())
        };
        match ty {
            DataType::Named(fragment) => {
                let sql = self.sql(*fragment)?;
                if let [one] = sql.tokens.as_slice() {
                    let name = word(one);
                    if name == "record" {
                        return Ok(Declared::Record);
                    }
                    if let Some(table) = table(&name) {
                        return Ok(row(table));
                    }
                }
                let place = sql.place;
                let read = |ty: ast::DataType| types::declared(&ty, place);
                Ok(Declared::One(sql.parse(|parser| parser.parse_data_type(), read)?.ty))
            }
            DataType::RowTypeOf(path) => {
                let names = names(path);
                let found = names.last().and_then(|name| table(name));
                found.map(row).ok_or_else(|| {
                    Fault::unknown(self.at(path.span), Named::Table, &names.join("."))
                })
            }
            DataType::TypeOf(path) => {
                let names = names(path);
                let at = self.at(path.span);
                if let [of, column] = names.as_slice()
                    && let Some(table) = table(of)
                {
                    let id = column_of(table, column);
                    let id = id.ok_or_else(|| Fault::unknown(at, Named::Column, column))?;
                    return Ok(Declared::One(table.columns[id.0 as usize].ty));
                }
                let variables = &self.binder.variables;
                let found = variables.known(&names).map(|id| Declared::One(variables.ty(id)));
                found.ok_or_else(|| Fault::unknown(at, Named::Variable, &names.join(".")))
            }
        }
        .map_err(
            |fault: Fault| if fault.place.end == 0 { Fault { place: at, ..fault } } else { fault },
        )
    }
}

/// What a name is declared as.
enum Declared {
    One(Type),
    Row(Vec<(String, Type)>),
    Record,
}

impl Binder<'_> {
    /// Whether a subject is equal to one of the expressions in a list.
    pub(super) fn equals_one_of(&mut self, subject: &Expr, list: Sql) -> Result<Expr> {
        let sql = Rc::new(list);
        self.sql = Rc::clone(&sql);
        let at = empty(sql.place);
        let values = sql.parse(
            |parser| parser.parse_comma_separated(sqlparser::parser::Parser::parse_expr),
            |values| values.iter().map(|value| self.expression(value)).collect::<Result<Vec<_>>>(),
        )?;
        let mut equal = Vec::new();
        for value in values {
            let subject = self.copy(subject)?;
            equal.push(self.operate(Operator::Equal, subject, value, at)?);
        }
        let nothing = Fault::new(at, Problem::Form { expected: "an expression" });
        all(Operator::Or, equal, at).ok_or(nothing)
    }
}

/// No text, at the beginning of some.
fn empty(at: Place) -> Place {
    Place { start: at.start, end: at.start }
}

/// The result of a query goes nowhere: in a function, PostgreSQL does not have that.
fn destination(lenient: bool, at: Place) -> Result<()> {
    match lenient {
        true => Ok(()),
        false => Err(Fault::unsupported(
            at,
            "a query in a function whose result goes nowhere",
            "write PERFORM, or INTO variables",
        )),
    }
}

/// Refuses a statement by its first word, before the parser sees what is none of our business.
fn known(sql: &Sql) -> Result<()> {
    let first = sql.tokens.first().map(word).unwrap_or_default();
    match first.as_str() {
        "select" | "insert" | "update" | "delete" => Ok(()),
        "" => match sql.tokens.first().map(|token| &token.token) {
            Some(Token::LParen) => Ok(()),
            _ => Err(refuse(sql.place, "this statement")),
        },
        word => Err(refuse(sql.place, &word.to_ascii_uppercase())),
    }
}

fn refuse(at: Place, what: &str) -> Fault {
    Fault::unsupported(at, what, "of SQL, we know SELECT, INSERT, UPDATE and DELETE")
}
