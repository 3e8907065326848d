//! The relations that a query reads.

use std::ops::ControlFlow;

use sqlparser::ast::{
    ObjectName, Query, TableAlias, TableFactor, Visit, VisitMut, Visitor, VisitorMut,
};

use crate::dialect::Dialect;

/// What a walk that looks at everything answers.
type Always = ControlFlow<()>;

/// Calls `found` with every name of a relation that a tree reads, and its alias. A name that a WITH in force defines is
/// the name of no relation.
pub fn relations(
    tree: &impl Visit,
    dialect: &dyn Dialect,
    found: impl FnMut(&ObjectName, &Option<TableAlias>),
) {
    let _ = tree.visit(&mut Relations { scopes: Scopes::new(dialect), found });
}

/// The same, to change them.
pub fn relations_mut(
    tree: &mut impl VisitMut,
    dialect: &dyn Dialect,
    found: impl FnMut(&mut ObjectName, &mut Option<TableAlias>),
) {
    let _ = tree.visit(&mut Relations { scopes: Scopes::new(dialect), found });
}

struct Relations<'a, F> {
    scopes: Scopes<'a>,
    found: F,
}

impl<F: FnMut(&ObjectName, &Option<TableAlias>)> Visitor for Relations<'_, F> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> Always {
        self.scopes.enter(query)
    }

    fn post_visit_query(&mut self, query: &Query) -> Always {
        self.scopes.leave(query)
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Always {
        if let TableFactor::Table { name, alias, args: None, .. } = factor
            && !self.scopes.defines(name)
        {
            (self.found)(name, alias);
        }
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&mut ObjectName, &mut Option<TableAlias>)> VisitorMut for Relations<'_, F> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> Always {
        self.scopes.enter(query)
    }

    fn post_visit_query(&mut self, query: &mut Query) -> Always {
        self.scopes.leave(query)
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> Always {
        if let TableFactor::Table { name, alias, args: None, .. } = factor
            && !self.scopes.defines(name)
        {
            (self.found)(name, alias);
        }
        ControlFlow::Continue(())
    }
}

/// The names that WITH defines, as a walk comes to them: an item sees those before it, or all if WITH is RECURSIVE; the
/// rest of the query sees all.
struct Scopes<'a> {
    dialect: &'a dyn Dialect,
    open: Vec<With>,
}

/// The items of a query's WITH.
struct With {
    /// Where the query of each item is, and its name.
    items: Vec<(*const Query, String)>,
    /// How many of the names can be seen.
    seen: usize,
}

impl<'a> Scopes<'a> {
    fn new(dialect: &'a dyn Dialect) -> Scopes<'a> {
        Scopes { dialect, open: Vec::new() }
    }

    fn enter(&mut self, query: &Query) -> Always {
        let with = query.with.as_ref();
        let items = with.map_or_else(Vec::new, |with| {
            let item = |cte: &sqlparser::ast::Cte| {
                (std::ptr::from_ref(&*cte.query), self.dialect.fold(&cte.alias.name).into_owned())
            };
            with.cte_tables.iter().map(item).collect()
        });
        let seen = if with.is_some_and(|with| with.recursive) { items.len() } else { 0 };
        self.open.push(With { items, seen });
        ControlFlow::Continue(())
    }

    fn leave(&mut self, query: &Query) -> Always {
        self.open.pop();
        if let Some(with) = self.open.last_mut() {
            let item = with.items.iter().position(|(item, _)| std::ptr::eq(*item, query));
            with.seen = item.map_or(with.seen, |item| with.seen.max(item + 1));
        }
        ControlFlow::Continue(())
    }

    fn defines(&self, name: &ObjectName) -> bool {
        let [part] = name.0.as_slice() else { return false };
        let Some(name) = part.as_ident().map(|ident| self.dialect.fold(ident)) else {
            return false;
        };
        self.open.iter().any(|with| with.items[..with.seen].iter().any(|(_, known)| *known == name))
    }
}
