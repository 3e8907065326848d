//! ORDER BY of queries that are combined, where it is more than columns of the result.

use sqlparser::ast;

use super::Binder;
use super::bound::{Body, ColumnRef, Distinct, Expr, ItemKind, Kind, OutputColumn, Query};
use super::from::Tree;
use super::query::plain;
use super::scope::{Scope, Source};
use super::select::Keys;
use hobgoblin_sql_schema::Result;

impl Binder<'_> {
    /// A query around a query, which sorts its rows by expressions over its columns.
    pub(super) fn ordered_over(
        &mut self,
        query: Query,
        order: &[ast::OrderByExpr],
    ) -> Result<Query> {
        let columns = query.columns.clone();
        self.scopes.push(Scope::default());
        let source = self.scope().add(Source::of_columns(String::new(), &columns));
        let named = columns.iter().enumerate().map(|(column, named)| {
            let kind = Kind::Column(ColumnRef { depth: 0, source, column });
            (Expr { kind, ty: named.ty, typmod: named.typmod }, named.clone())
        });
        let mut outputs: Vec<(Expr, OutputColumn)> = named.collect();
        let sorted = self.order_by(order, &mut outputs, columns.len());
        let ordered = sorted.and_then(|order| {
            let project = outputs.into_iter().map(|(expr, _)| expr).collect();
            let tree = Tree::Item { source, kind: ItemKind::Query(Box::new(query)) };
            let keys = Keys { keys: Vec::new(), sets: None, rollup: false };
            let select = self.finish_select(tree, Vec::new(), keys, None, project, Distinct::No)?;
            Ok(Query { order, ..plain(Body::Select(Box::new(select)), columns) })
        });
        self.scopes.pop();
        ordered
    }
}
