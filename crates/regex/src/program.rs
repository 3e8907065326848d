//! A compiled pattern: its tree, its colors, and what is known of every match beforehand.

use memchr::memmem::Finder;

use crate::colors::Colors;
use crate::error::Error;
use crate::options::Options;
use crate::parse;
use crate::tree::{Assert, Expr, ExprId, NodeId, Traits, Tree};

/// Where something begins, and where it ends, in bytes.
pub type Bounds = (usize, usize);

/// What does not change while a pattern matches.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) tree: Tree,
    pub(crate) top: NodeId,
    pub(crate) groups: u32,
    pub(crate) colors: Colors,
    pub(crate) ignore_case: bool,
    /// Whether there are back references.
    pub(crate) refers: bool,
    /// Whether it matches at the beginning of a text only.
    pub(crate) anchored: bool,
    /// What every match begins with.
    pub(crate) prefix: Option<Finder<'static>>,
    /// Whether that is all of it.
    pub(crate) literal: bool,
}

impl Program {
    /// Compiles a pattern.
    pub(crate) fn new(pattern: &str, options: Options) -> Result<Program, Error> {
        let parsed = parse::parse(pattern, options)?;
        let tree = parsed.tree;
        let conditions = tree.exprs.iter().any(|expr| matches!(expr, Expr::Assert(_)));
        let colors = Colors::new(&tree.sets, conditions);
        let top = tree.node(parsed.top);
        let mut prefix = String::new();
        let whole = literal_prefix(&tree, top.expr, &mut prefix);
        let messy = top.traits.has(Traits::CAPTURES.with(Traits::REFERS));
        Ok(Program {
            top: parsed.top,
            groups: parsed.groups,
            colors,
            ignore_case: parsed.lexer_options.ignore_case,
            refers: parsed.refers,
            anchored: is_anchored(&tree, top.expr),
            literal: whole && !messy && !prefix.is_empty(),
            prefix: (!prefix.is_empty()).then(|| Finder::new(&prefix).into_owned()),
            tree,
        })
    }
}

/// Collects what every match begins with; whether that is all of it.
fn literal_prefix(tree: &Tree, expr: ExprId, prefix: &mut String) -> bool {
    match tree.expr(expr) {
        Expr::Empty => true,
        Expr::Set(set) => match tree.sets[*set as usize].single() {
            Some(c) => {
                prefix.push(c);
                true
            }
            None => false,
        },
        Expr::Concat(parts) => parts.iter().all(|&part| {
            stacker::maybe_grow(64 << 10, 1 << 20, || literal_prefix(tree, part, prefix))
        }),
        Expr::Repeat { inner, min, .. } if *min > 0 => {
            stacker::maybe_grow(64 << 10, 1 << 20, || literal_prefix(tree, *inner, prefix));
            false
        }
        _ => false,
    }
}

fn is_anchored(tree: &Tree, mut expr: ExprId) -> bool {
    loop {
        match tree.expr(expr) {
            Expr::Assert(Assert::TextStart) => return true,
            Expr::Concat(parts) if !parts.is_empty() => expr = parts[0],
            _ => return false,
        }
    }
}
