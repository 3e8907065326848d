//! Variables in expressions.
//!
//! `sqlparser` has no node for `@a` and `@@session.b`, but one for a mark before an expression. A variable is a name
//! behind the mark that it is written with, and this is where such nodes are made and read.

use sqlparser::ast::{Expr, Ident};

/// Whose a system variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `@@global.x`, SET GLOBAL.
    Global,
    /// `@@session.x`, `@@local.x`, SET SESSION.
    Session,
    /// SET PERSIST.
    Persist,
    /// SET PERSIST_ONLY.
    PersistOnly,
}

impl Scope {
    /// The scope of a name.
    pub(crate) fn named(name: &str) -> Option<Scope> {
        let all = [
            ("global", Scope::Global),
            ("session", Scope::Session),
            ("local", Scope::Session),
            ("persist", Scope::Persist),
            ("persist_only", Scope::PersistOnly),
        ];
        all.iter().find(|(word, _)| name.eq_ignore_ascii_case(word)).map(|(_, scope)| *scope)
    }

    fn word(self) -> &'static str {
        match self {
            Scope::Global => "global",
            Scope::Session => "session",
            Scope::Persist => "persist",
            Scope::PersistOnly => "persist_only",
        }
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Variable {
    /// `@name`.
    User(String),
    /// `@@scope.name`; a name may have two parts.
    System {
        /// Whose it is, if that is said.
        scope: Option<Scope>,
        /// Its name.
        name: Vec<Ident>,
    },
}

const USER: &str = "@";
const SYSTEM: &str = "@@";

impl Variable {
    /// Its value, as a tree.
    pub fn into_expr(self) -> Expr {
        let (mark, value) = match self {
            Variable::User(name) => (USER, Expr::Identifier(Ident::with_quote('`', name))),
            Variable::System { scope, name } => {
                let scope = scope.map(|scope| Ident::new(scope.word()));
                (SYSTEM, Expr::CompoundIdentifier(scope.into_iter().chain(name).collect()))
            }
        };
        Expr::Prefixed { prefix: Ident::new(mark), value: Box::new(value) }
    }

    /// The variable whose value a tree is.
    pub fn of(expr: &Expr) -> Option<Variable> {
        let Expr::Prefixed { prefix, value } = expr else { return None };
        match (prefix.value.as_str(), &**value) {
            (USER, Expr::Identifier(name)) => Some(Variable::User(name.value.clone())),
            (SYSTEM, Expr::CompoundIdentifier(parts)) => {
                let first = parts.first().filter(|_| parts.len() > 1);
                let scope = first.and_then(|first| Scope::named(&first.value));
                let name = parts[usize::from(scope.is_some())..].to_vec();
                Some(Variable::System { scope, name })
            }
            _ => None,
        }
    }
}
