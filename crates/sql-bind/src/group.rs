//! GROUP BY: keys, and sets of keys.
//!
//! A key is an expression, the number of a column of the select list, or the name of one. ROLLUP,
//! CUBE and GROUPING SETS say which keys each of several groupings is by; here they are multiplied
//! out, so that `GROUP BY a, ROLLUP (b, c)` becomes the sets (a, b, c), (a, b) and (a).

use sqlparser::ast::{self, GroupByExpr};

use super::Binder;
use super::alike::alike;
use super::bound::{Expr, Kind, OutputColumn};
use super::scope::Clause;
use super::select::{is_rollup, position_of};
use super::visit::read;
use hobgoblin_sql_schema::binding::Construct;
use hobgoblin_sql_schema::catalog::same_name;
use hobgoblin_sql_schema::{Binding, Result, SqlError};

/// How many elements CUBE may have; each doubles the number of grouping sets.
const MOST_CUBE: usize = 12;

impl Binder<'_> {
    /// Binds GROUP BY: the keys, and the grouping sets as places in them if there are several.
    #[allow(clippy::type_complexity)]
    pub(super) fn group_by(
        &mut self,
        group_by: &GroupByExpr,
        outputs: &[(Expr, OutputColumn)],
    ) -> Result<(Vec<Expr>, Option<Vec<Vec<usize>>>)> {
        let GroupByExpr::Expressions(items, modifiers) = group_by else {
            return Err(SqlError::unsupported("GROUP BY ALL"));
        };
        let rollup = is_rollup(group_by);
        if !modifiers.is_empty() && !rollup {
            return Err(SqlError::unsupported("GROUP BY … WITH"));
        }
        let mut keys: Vec<Expr> = Vec::new();
        // Each item gives alternatives; the sets are their product.
        let mut product: Vec<Vec<usize>> = vec![Vec::new()];
        let mut several = false;
        for item in items {
            let alternatives = match item {
                ast::Expr::GroupingSets(sets) => {
                    several = true;
                    let mut all = Vec::new();
                    for set in sets {
                        all.push(self.key_set(set, outputs, &mut keys)?);
                    }
                    all
                }
                ast::Expr::Rollup(groups) => {
                    several = true;
                    let mut parts = Vec::new();
                    for group in groups {
                        parts.push(self.key_set(group, outputs, &mut keys)?);
                    }
                    (0..=parts.len()).rev().map(|n| parts[..n].concat()).collect()
                }
                ast::Expr::Cube(groups) => {
                    several = true;
                    if groups.len() > MOST_CUBE {
                        return Err(Binding::TooLargeCube { most: MOST_CUBE }.into());
                    }
                    let mut parts = Vec::new();
                    for group in groups {
                        parts.push(self.key_set(group, outputs, &mut keys)?);
                    }
                    let subsets = (0..1_u32 << parts.len()).rev();
                    let chosen = |bits: u32| {
                        let parts = parts.iter().enumerate();
                        let picked =
                            parts.filter(|(at, _)| bits >> (groups.len() - 1 - at) & 1 == 1);
                        picked.flat_map(|(_, part)| part.clone()).collect()
                    };
                    subsets.map(chosen).collect()
                }
                ast::Expr::Tuple(items) if items.is_empty() => {
                    several = true;
                    vec![Vec::new()]
                }
                item => vec![self.key_set(std::slice::from_ref(item), outputs, &mut keys)?],
            };
            let mut next = Vec::new();
            for set in &product {
                for more in &alternatives {
                    next.push(set.iter().chain(more).copied().collect());
                }
            }
            product = next;
        }
        if rollup && !several {
            let all = product.pop().unwrap_or_default();
            let sets = (0..=all.len()).rev().map(|count| all[..count].to_vec());
            return Ok((keys, Some(sets.collect())));
        }
        Ok((keys, several.then_some(product)))
    }

    fn key_set(
        &mut self,
        items: &[ast::Expr],
        outputs: &[(Expr, OutputColumn)],
        keys: &mut Vec<Expr>,
    ) -> Result<Vec<usize>> {
        let mut set = Vec::new();
        for item in items {
            if let ast::Expr::Tuple(items) = item {
                set.extend(self.key_set(items, outputs, keys)?);
                continue;
            }
            let key = self.group_key(item, outputs)?;
            self.has_equality(key.ty)?;
            let at = match keys.iter().position(|known| alike(known, &key)) {
                Some(at) => at,
                None => {
                    keys.push(key);
                    keys.len() - 1
                }
            };
            set.push(at);
        }
        Ok(set)
    }

    fn group_key(&mut self, item: &ast::Expr, outputs: &[(Expr, OutputColumn)]) -> Result<Expr> {
        let from_output = |expr: &Expr| {
            let (mut aggregate, mut set) = (false, false);
            read::visit(expr, 0, &mut |expr, depth| {
                aggregate |= depth == 0 && matches!(expr.kind, Kind::Aggregate(_));
                set |= depth == 0 && matches!(expr.kind, Kind::SetCall(_));
                true
            });
            if set {
                return Err(SqlError::unsupported("grouping by a set-returning function"));
            }
            match aggregate {
                true => {
                    let (what, clause) = (Construct::Aggregate, Clause::GroupBy);
                    Err(Binding::Misplaced { what, clause }.into())
                }
                false => Ok(expr.clone()),
            }
        };
        if let Some(position) = position_of(item) {
            return match position.checked_sub(1).and_then(|at| outputs.get(at)) {
                Some((expr, _)) => from_output(expr).and_then(|expr| self.known(expr)),
                None => {
                    let position = position.to_string();
                    Err(Binding::NoOutput { clause: "GROUP BY", position }.into())
                }
            };
        }
        if let ast::Expr::Identifier(ident) = item
            && !self.is_column(ident)
        {
            let name = self.fold(ident);
            let caseless = self.rules.caseless_columns;
            let same =
                |(_, column): &&(Expr, OutputColumn)| same_name(&column.name, &name, caseless);
            if let Some((expr, _)) = outputs.iter().find(same) {
                return from_output(expr).and_then(|expr| self.known(expr));
            }
        }
        let clause = self.clause();
        self.set_clause(Clause::GroupBy);
        let key = self.expression(item);
        self.set_clause(clause);
        self.known(key?)
    }
}
