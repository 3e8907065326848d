//! Rows that the session makes itself, as SHOW shows them: a query over them, with LIKE and WHERE of the statement.

use hobgoblin_sql_mysql_types::{Coercibility, Collation, MyType};
use hobgoblin_sql_schema::Result;
use sqlparser::ast::{self, Expr, Ident, Value};

use super::core::Core;
use super::outcome::{ColumnDescription, Done, SessionStatus, TakeResults};
use super::run::Given;
use crate::parse::{Reading, Statement, parse_first};
use crate::syntax::{Filter, Show, ShowWhat};

/// The rows of a SHOW: the names and the lengths of its columns, and the rows.
pub(super) struct Listing {
    pub(super) columns: Vec<(&'static str, u32)>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Core {
    /// SHOW VARIABLES and SHOW STATUS.
    pub(super) fn show_settings(
        &mut self,
        statement: &Statement,
        show: &Show,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        self.settings.warnings.clear();
        let all = match show.what {
            ShowWhat::Variables => {
                self.clock(hobgoblin_sql_schema::context::Clock::Statement)?;
                self.variables.list(show.global, &self.present())
            }
            _ => self.counters.list(show.global, self.shared.told()),
        };
        let rows = all.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
        let columns = vec![("Variable_name", 64), ("Value", 2048)];
        self.listed(statement, Listing { columns, rows }, show.filter.as_ref(), to)
    }

    /// Gives the rows of a listing that a filter lets through.
    pub(super) fn listed(
        &mut self,
        statement: &Statement,
        listing: Listing,
        filter: Option<&Filter>,
        to: &mut dyn TakeResults,
    ) -> Result<Done> {
        let lengths = listing.columns.iter().map(|(_, length)| *length).collect();
        let query = query_of(listing, filter);
        let mut retyped = Retyped { lengths, columns: Vec::new(), to };
        self.data(statement, &query, Given::default(), &mut retyped)
    }
}

/// `SELECT * FROM (VALUES …) AS rows (…) WHERE …`.
fn query_of(listing: Listing, filter: Option<&Filter>) -> ast::Statement {
    let mut query = one_select("SELECT * FROM (SELECT 1) AS `rows`");
    let first = listing.columns.first().map_or("", |(name, _)| name);
    let text = |text: String| Expr::Value(Value::SingleQuotedString(text).with_empty_span());
    if let ast::SetExpr::Select(select) = &mut *query.body {
        select.selection = filter.map(|filter| match filter {
            Filter::Where(condition) => (**condition).clone(),
            Filter::Like(pattern) => Expr::Like {
                negated: false,
                any: false,
                expr: Box::new(Expr::Identifier(Ident::with_quote('`', first))),
                pattern: Box::new(text(pattern.clone())),
                escape_char: None,
            },
        });
        if let Some(ast::TableWithJoins {
            relation: ast::TableFactor::Derived { subquery, alias: Some(alias), .. },
            ..
        }) = select.from.first_mut()
        {
            let names = listing.columns.iter();
            alias.columns =
                names.map(|(name, _)| ast::TableAliasColumnDef::from_name(*name)).collect();
            let row = |row: Vec<String>| {
                ast::Parens::with_empty_span(row.into_iter().map(text).collect())
            };
            let rows = listing.rows.into_iter().map(row).collect();
            *subquery.body = ast::SetExpr::Values(ast::Values {
                explicit_row: true,
                value_keyword: false,
                rows,
            });
        }
    }
    ast::Statement::Query(query)
}

/// A query of our own words.
pub(super) fn one_select(text: &str) -> Box<ast::Query> {
    let (statement, _) = parse_first(text, Reading::default()).expect("it is a query");
    match statement.ast.as_deref() {
        Some(ast::Statement::Query(query)) => query.clone(),
        _ => unreachable!("a SELECT is a query"),
    }
}

/// Tells texts as the servers tell those of a SHOW, whatever their constants are.
struct Retyped<'t> {
    lengths: Vec<u32>,
    columns: Vec<ColumnDescription>,
    to: &'t mut dyn TakeResults,
}

impl TakeResults for Retyped<'_> {
    fn columns(&mut self, columns: &[ColumnDescription], session: &SessionStatus) -> Result<()> {
        let lengths = self.lengths.iter();
        self.columns = columns
            .iter()
            .zip(lengths)
            .map(|(column, length)| ColumnDescription {
                ty: MyType::text(*length, Collation::DEFAULT).held(Coercibility::Column).id(),
                original_name: column.name.clone(),
                ..column.clone()
            })
            .collect();
        self.to.columns(&self.columns, session)
    }

    fn row(
        &mut self,
        _: &[ColumnDescription],
        row: &[hobgoblin_sql_value::Datum],
        env: &hobgoblin_sql_schema::names::TypeEnv<'_>,
    ) -> Result<()> {
        self.to.row(&self.columns, row, env)
    }

    fn end(&mut self, done: &Done) -> Result<()> {
        self.to.end(done)
    }
}
