//! MERGE: rows of a source, each with the rows of the table that it matches, or with none.
//!
//! The source is left joined with the table by the condition of ON. A tuple with a row of the table
//! goes through the WHEN MATCHED clauses, one without through WHEN NOT MATCHED, and the first whose
//! condition holds is done. The expressions of the former see both rows, those of the latter only
//! the row of the source.

use sqlparser::ast::{self, MergeClauseKind, MergeInsertKind, MergeUpdateKind, TableFactor};

use super::Binder;
use super::assign::Sets;
use super::bound::Kind;
use super::bound::dml::{Merge, MergeAction, MergeClause};
use super::conjunct::split;
use super::dml::update_lock;
use super::from::Tree;
use super::scope::{Clause, NamedColumn, Scope};
use super::target::{Target, Verb};
use hobgoblin_sql_schema::catalog::Found;
use hobgoblin_sql_schema::{Binding, Result, SqlError};

impl Binder<'_> {
    pub(super) fn merge(&mut self, ast: &ast::Merge) -> Result<Merge> {
        if ast.output.is_some() {
            return Err(SqlError::syntax("syntax error at or near \"RETURNING\""));
        }
        if let TableFactor::Table { name, .. } = &ast.table {
            let (schema, name) = self.dialect().split_name(name)?;
            let found = self.catalog.require(self.path, schema.as_deref(), &name)?;
            if let Found::View(view) = found {
                return Err(Binding::MergeIntoView(view.name.clone()).into());
            }
        }
        self.scopes.push(Scope { clause: Clause::Plain, ..Scope::default() });
        let late = std::mem::replace(&mut self.late, true);
        let bound = self.merge_in_scope(ast);
        self.late = late;
        self.scopes.pop();
        bound
    }

    fn merge_in_scope(&mut self, ast: &ast::Merge) -> Result<Merge> {
        let (target, item) = self.target_item(&ast.table, Verb::Update)?;
        self.set_clause(Clause::From);
        let source = ast::TableWithJoins { relation: ast.source.clone(), joins: Vec::new() };
        let source = self.from(&[source])?;
        self.set_clause(Clause::On);
        let condition = self.expression(&ast.on)?;
        let condition = self.boolean(condition, "JOIN/ON")?;
        self.set_clause(Clause::Plain);
        let mut on = Vec::new();
        split(condition, &mut on);
        let sources = self.scope().sources.len();
        let tree = Tree::Left(Box::new(source), Box::new(item), on.clone());
        let from = self.plan(tree, Vec::new(), &mut Vec::new());
        let (mut matched, mut unmatched) = (Vec::new(), Vec::new());
        for clause in &ast.clauses {
            let clauses = match clause.clause_kind {
                MergeClauseKind::Matched => &mut matched,
                MergeClauseKind::NotMatched => &mut unmatched,
                MergeClauseKind::NotMatchedByTarget | MergeClauseKind::NotMatchedBySource => {
                    return Err(SqlError::syntax("syntax error at or near \"BY\""));
                }
            };
            if clauses.last().is_some_and(|last: &MergeClause| last.condition.is_none()) {
                return Err(SqlError::syntax(
                    "unreachable WHEN clause specified after unconditional WHEN clause",
                ));
            }
            clauses.push(match clause.clause_kind {
                MergeClauseKind::Matched => self.merge_clause(clause, &target)?,
                _ => {
                    // There is no row of the table to name.
                    let scope = self.scope();
                    scope.sources[0].visible = false;
                    let rest = scope.columns.iter().filter(|column| !of_target(column)).cloned();
                    let rest: Vec<NamedColumn> = rest.collect();
                    let all = std::mem::replace(&mut scope.columns, rest);
                    let bound = self.merge_clause(clause, &target);
                    let scope = self.scope();
                    scope.sources[0].visible = true;
                    scope.columns = all;
                    bound?
                }
            });
        }
        Ok(Merge { table: target.table, sources, from, on, matched, unmatched })
    }

    fn merge_clause(&mut self, ast: &ast::MergeClause, target: &Target) -> Result<MergeClause> {
        let condition = match &ast.predicate {
            None => None,
            Some(condition) => {
                self.set_clause(Clause::Where);
                let condition = self.expression(condition)?;
                self.set_clause(Clause::Plain);
                Some(self.boolean(condition, "WHEN")?)
            }
        };
        let action = match &ast.action {
            ast::MergeAction::DoNothing { .. } => MergeAction::Nothing,
            ast::MergeAction::Delete { .. } => MergeAction::Delete,
            ast::MergeAction::Update(update) => {
                let MergeUpdateKind::Set(assignments) = &update.kind else {
                    return Err(SqlError::syntax("syntax error at or near \"*\""));
                };
                if update.update_predicate.is_some() || update.delete_predicate.is_some() {
                    return Err(SqlError::syntax("syntax error at or near \"WHERE\""));
                }
                let sets = self.assignments(assignments, target, &[0])?;
                let lock = update_lock(&target.table, &sets);
                MergeAction::Update { sets, lock }
            }
            ast::MergeAction::Insert(insert) => {
                let values = match &insert.kind {
                    MergeInsertKind::Values(values) => values,
                    _ if self.clauses.default_values(insert.insert_token.0.span.start) => {
                        let action = MergeAction::Insert { values: Sets::new() };
                        return Ok(MergeClause { condition, action });
                    }
                    MergeInsertKind::Row | MergeInsertKind::Wildcard => {
                        return Err(SqlError::syntax("MERGE inserts VALUES"));
                    }
                };
                if insert.insert_predicate.is_some() {
                    return Err(SqlError::syntax("syntax error at or near \"WHERE\""));
                }
                let [row] = values.rows.as_slice() else {
                    return Err(SqlError::syntax("syntax error at or near \",\""));
                };
                MergeAction::Insert { values: self.merged_row(insert, &row.content, target)? }
            }
        };
        Ok(MergeClause { condition, action })
    }

    fn merged_row(
        &mut self,
        insert: &ast::MergeInsertExpr,
        row: &[ast::Expr],
        target: &Target,
    ) -> Result<Sets> {
        let place = insert.insert_token.0.span.start;
        let mut columns = self.insert_columns(&insert.columns, place, target)?;
        columns.cut(row.len())?;
        self.insert_row(row, target, &columns)
    }
}

/// Whether a column is one of the table that is merged into.
fn of_target(column: &NamedColumn) -> bool {
    matches!(column.expr.kind, Kind::Column(found) if found.source == 0)
}
