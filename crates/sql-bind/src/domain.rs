//! Domains: values that must pass what their type says.
//!
//! A value becomes one of a domain by becoming one of what the domain is over, and then passing its
//! conditions. The other way nothing is to be done: the value is what it was.

use std::sync::Arc;

use super::Binder;
use super::bound::{DomainPlan, Expr, Kind};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::dialect::CastContext;
use hobgoblin_sql_schema::names::base_type;
use hobgoblin_sql_value::TypeId;

impl Binder<'_> {
    /// Whether a type is a domain.
    pub(super) fn is_domain(&self, ty: TypeId) -> bool {
        ty.0 >= TypeId::FIRST_USER && self.catalog.domains.contains_key(&ty.0)
    }

    /// A value of a domain, as a value of the type that the domain restricts. Any other value stays
    /// as it is.
    pub(super) fn undomained(&self, mut expr: Expr) -> Expr {
        if !self.is_domain(expr.ty) {
            return expr;
        }
        let (ty, typmod) = base_type(expr.ty, expr.typmod, self.env.names);
        if matches!(expr.kind, Kind::Column(_)) {
            (expr.ty, expr.typmod) = (ty, typmod);
            return expr;
        }
        Expr { kind: Kind::Cast { expr: Box::new(expr), explicit: false }, ty, typmod: -1 }
    }

    /// A value that must satisfy a domain, or an array whose elements must; `None` if the type is
    /// neither.
    pub(super) fn domained(
        &mut self,
        expr: &Expr,
        to: TypeId,
        context: CastContext,
        column: Option<&str>,
    ) -> Result<Option<Expr>> {
        let (domain, base, typmod) = match self.catalog.domains.get(&to.0) {
            Some(domain) => (to, domain.base, domain.typmod),
            None => {
                let Some(element) = self.catalog.element_type(to) else { return Ok(None) };
                let (array, typmod) = self.catalog.stored_type(to, -1);
                if !self.is_domain(element) || array == to {
                    return Ok(None);
                }
                (element, array, typmod)
            }
        };
        let each = domain != to;
        let value = match expr.kind {
            // The parameter is of the domain itself.
            Kind::Param(at) if !each && self.params[at] == TypeId::UNKNOWN => {
                self.params[at] = to;
                Expr::new(Kind::Param(at), to)
            }
            _ => self.coerce(expr.clone(), base, typmod, context, column)?,
        };
        let plan = self.domain_plan(domain)?;
        let kind = Kind::Domain { expr: Box::new(value), plan, each };
        Ok(Some(Expr { kind, ty: to, typmod: -1 }))
    }

    /// Binds the conditions of a domain.
    fn domain_plan(&mut self, ty: TypeId) -> Result<Arc<DomainPlan>> {
        let name = self.type_name(ty);
        let mut plan = DomainPlan { ty, name, not_null: false, checks: Vec::new() };
        // The conditions of what a domain is over come first.
        let mut domains = Vec::new();
        let mut at = ty;
        while let Some(domain) = self.catalog.domains.get(&at.0) {
            domains.push(Arc::clone(domain));
            at = domain.base;
        }
        for domain in domains.into_iter().rev() {
            plan.not_null |= domain.not_null;
            let row = domain.value(self.catalog);
            let mut checks: Vec<_> = domain.checks.iter().collect();
            checks.sort_by(|a, b| a.name.cmp(&b.name));
            for check in checks {
                if let hobgoblin_sql_schema::catalog::ConstraintKind::Check(condition) = &check.kind
                {
                    let bound = self.row_expression(&row, &condition.ast)?;
                    let bound = self.boolean(bound, "CHECK")?;
                    plan.checks.push((check.name.clone(), bound));
                }
            }
        }
        Ok(Arc::new(plan))
    }
}
