//! The relations that a query reads.

use sqlparser::ast::{ObjectName, Query, TableAlias, TableFactor};

use super::walk::{Node, NodeMut, Tree};
use crate::dialect::Dialect;

/// Calls `found` with every name of a relation that a tree reads, and its alias. A name that a WITH in force defines is
/// the name of no relation.
pub fn relations(
    tree: &dyn Tree,
    dialect: &dyn Dialect,
    mut found: impl FnMut(&ObjectName, &Option<TableAlias>),
) {
    let mut scopes = Scopes::new(dialect);
    tree.walk(&mut |node| match node {
        Node::Query(query) => scopes.enter(query),
        Node::QueryEnd(query) => scopes.leave(query),
        Node::Factor(TableFactor::Table { name, alias, args: None, .. })
            if !scopes.defines(name) =>
        {
            found(name, alias);
        }
        _ => {}
    });
}

/// The same, to change them.
pub fn relations_mut(
    tree: &mut dyn Tree,
    dialect: &dyn Dialect,
    mut found: impl FnMut(&mut ObjectName, &mut Option<TableAlias>),
) {
    let mut scopes = Scopes::new(dialect);
    tree.walk_mut(&mut |node| match node {
        NodeMut::Query(query) => scopes.enter(query),
        NodeMut::QueryEnd(query) => scopes.leave(query),
        NodeMut::Factor(TableFactor::Table { name, alias, args: None, .. })
            if !scopes.defines(name) =>
        {
            found(name, alias);
        }
        _ => {}
    });
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

    fn enter(&mut self, query: &Query) {
        let with = query.with.as_ref();
        let items = with.map_or_else(Vec::new, |with| {
            let item = |cte: &sqlparser::ast::Cte| {
                (std::ptr::from_ref(&*cte.query), self.dialect.fold(&cte.alias.name).into_owned())
            };
            with.cte_tables.iter().map(item).collect()
        });
        let seen = if with.is_some_and(|with| with.recursive) { items.len() } else { 0 };
        self.open.push(With { items, seen });
    }

    fn leave(&mut self, query: &Query) {
        self.open.pop();
        if let Some(with) = self.open.last_mut() {
            let item = with.items.iter().position(|(item, _)| std::ptr::eq(*item, query));
            with.seen = item.map_or(with.seen, |item| with.seen.max(item + 1));
        }
    }

    fn defines(&self, name: &ObjectName) -> bool {
        let [part] = name.0.as_slice() else { return false };
        let Some(name) = part.as_ident().map(|ident| self.dialect.fold(ident)) else {
            return false;
        };
        self.open.iter().any(|with| with.items[..with.seen].iter().any(|(_, known)| *known == name))
    }
}
