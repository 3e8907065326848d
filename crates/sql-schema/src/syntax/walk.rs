//! Walks of the parser's trees.
//!
//! `sqlparser`'s visitor is generic: each visitor of its own is one more copy of the walk through some three hundred
//! types, in every crate that has one. Twenty-four of them were a quarter of the binary. Here the walk stands once, and
//! calls who asks.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Query, Select, SetExpr, TableFactor, Visit, VisitMut, Visitor, VisitorMut,
};

/// What a walk comes to. It comes to a node before all that is inside.
pub enum Node<'t> {
    /// A query, with its WITH and ORDER BY.
    Query(&'t Query),
    /// The end of a query, when all that is inside has been walked.
    QueryEnd(&'t Query),
    /// A SELECT, of which a query may combine several.
    Select(&'t Select),
    /// A table, function or subquery in FROM.
    Factor(&'t TableFactor),
    /// An expression, inner or outer.
    Expr(&'t Expr),
}

/// What a walk comes to, where it may be changed.
pub enum NodeMut<'t> {
    /// A query, with its WITH and ORDER BY.
    Query(&'t mut Query),
    /// The end of a query, when all that is inside has been walked.
    QueryEnd(&'t mut Query),
    /// A table, function or subquery in FROM.
    Factor(&'t mut TableFactor),
    /// An expression, inner or outer.
    Expr(&'t mut Expr),
}

/// A tree that can be walked.
pub trait Tree {
    /// Calls `found` with every node, outer before inner.
    fn walk(&self, found: &mut dyn FnMut(Node<'_>));

    /// The same, to change them; what is put in the place of a node is walked as well.
    fn walk_mut(&mut self, found: &mut dyn FnMut(NodeMut<'_>));
}

/// Not for every `T: Visit`, which would be compiled again by every crate that walks.
macro_rules! trees {
    ($($tree:ty),*) => {$(
        impl Tree for $tree {
            fn walk(&self, found: &mut dyn FnMut(Node<'_>)) {
                let _ = Visit::visit(self, &mut Walk(found));
            }

            fn walk_mut(&mut self, found: &mut dyn FnMut(NodeMut<'_>)) {
                let _ = VisitMut::visit(self, &mut WalkMut(found));
            }
        }
    )*};
}

trees!(Query, SetExpr, Expr);

/// Calls `found` with every expression in a tree.
pub fn expressions(tree: &dyn Tree, mut found: impl FnMut(&Expr)) {
    tree.walk(&mut |node| {
        if let Node::Expr(expr) = node {
            found(expr);
        }
    });
}

/// The same, to change them.
pub fn expressions_mut(tree: &mut dyn Tree, mut found: impl FnMut(&mut Expr)) {
    tree.walk_mut(&mut |node| {
        if let NodeMut::Expr(expr) = node {
            found(expr);
        }
    });
}

/// What a walk that looks at everything answers.
type Always = ControlFlow<()>;

struct Walk<'f>(&'f mut dyn FnMut(Node<'_>));

impl Walk<'_> {
    fn meet(&mut self, node: Node<'_>) -> Always {
        (self.0)(node);
        Always::Continue(())
    }
}

impl Visitor for Walk<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> Always {
        self.meet(Node::Query(query))
    }

    fn post_visit_query(&mut self, query: &Query) -> Always {
        self.meet(Node::QueryEnd(query))
    }

    fn pre_visit_select(&mut self, select: &Select) -> Always {
        self.meet(Node::Select(select))
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Always {
        self.meet(Node::Factor(factor))
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Always {
        self.meet(Node::Expr(expr))
    }
}

struct WalkMut<'f>(&'f mut dyn FnMut(NodeMut<'_>));

impl WalkMut<'_> {
    fn meet(&mut self, node: NodeMut<'_>) -> Always {
        (self.0)(node);
        Always::Continue(())
    }
}

impl VisitorMut for WalkMut<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> Always {
        self.meet(NodeMut::Query(query))
    }

    fn post_visit_query(&mut self, query: &mut Query) -> Always {
        self.meet(NodeMut::QueryEnd(query))
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> Always {
        self.meet(NodeMut::Factor(factor))
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> Always {
        self.meet(NodeMut::Expr(expr))
    }
}
