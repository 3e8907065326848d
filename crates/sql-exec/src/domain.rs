//! Whether values are ones of their domains.

use std::sync::Arc;

use super::{Exec, Row, Source};
use hobgoblin_sql_bind::bound::DomainPlan;
use hobgoblin_sql_schema::catalog::{Domain, Table};
use hobgoblin_sql_schema::{Problem, Result, SqlError};
use hobgoblin_sql_value::{Array, Datum, TypeId};

impl Exec<'_> {
    /// Checks that a value satisfies a domain; with `each`, that the elements of an array do.
    pub fn within_domain(&mut self, value: Datum, plan: &DomainPlan, each: bool) -> Result<Datum> {
        if !each {
            return self.domain_value(value, plan);
        }
        let Datum::Array(array) = value else { return Ok(value) };
        let mut items = Vec::with_capacity(array.items.len());
        for item in &array.items {
            items.push(self.domain_value(item.clone(), plan)?);
        }
        let dims = array.dims.clone();
        Ok(Datum::Array(Arc::new(Array { element: plan.ty, dims, items })))
    }

    fn domain_value(&mut self, value: Datum, plan: &DomainPlan) -> Result<Datum> {
        if plan.not_null && value.is_null() {
            let problem = Problem::NullInDomain { domain: plan.name.clone() };
            return Err(self.of_domain(problem.into(), plan));
        }
        if plan.checks.is_empty() {
            return Ok(value);
        }
        let tuple = vec![Source::Values(vec![value.clone()].into())];
        for (name, check) in &plan.checks {
            if matches!(self.eval(check, &tuple)?, Datum::Bool(false)) {
                let (domain, check) = (plan.name.clone(), name.clone());
                let mut error = SqlError::from(Problem::DomainCheckFails { domain, check });
                error.more.constraint = Some(name.clone());
                return Err(self.of_domain(error, plan));
            }
        }
        Ok(value)
    }

    fn of_domain(&self, mut error: SqlError, plan: &DomainPlan) -> SqlError {
        if let Some(domain) = self.session.catalog().domains.get(&plan.ty.0) {
            error.more.schema = Some(domain.schema.clone());
            error.more.data_type = Some(domain.name.clone());
        }
        error
    }

    /// Checks that the values of some columns satisfy the domains of these.
    pub fn check_domains(
        &mut self,
        table: &Arc<Table>,
        row: &Row,
        columns: impl Iterator<Item = usize>,
    ) -> Result<()> {
        let plan = self.table_plan(table)?;
        if plan.domains.is_empty() {
            return Ok(());
        }
        let tuple = vec![Source::Values(row.clone().into())];
        for column in columns {
            if let Some((_, expr)) = plan.domains.iter().find(|(at, _)| *at == column) {
                self.eval(expr, &tuple)?;
            }
        }
        Ok(())
    }

    /// Checks that all values of a domain in all tables satisfy it, after ALTER DOMAIN. `nulls`
    /// asks about NULL.
    pub fn validate_domain(&mut self, domain: &Domain, nulls: bool) -> Result<()> {
        let catalog = self.session.schema();
        let over = |mut at: TypeId| {
            while at.0 != domain.oid
                && let Some(next) = catalog.domains.get(&at.0)
            {
                at = next.base;
            }
            at.0 == domain.oid
        };
        for table in catalog.tables() {
            let within = |ty: TypeId| catalog.element_type(ty).is_some_and(over);
            if let Some((_, column)) = table.live().find(|(_, c)| c.domain.is_some_and(within)) {
                let problem = Problem::DomainInArrays {
                    domain: domain.name.clone(),
                    table: table.name.clone(),
                    column: column.name.clone(),
                };
                return Err(problem.into());
            }
        }
        for table in catalog.tables() {
            let columns = table.live().filter(|(_, c)| c.domain.is_some_and(over));
            let columns: Vec<usize> = columns.map(|(at, _)| at).collect();
            if columns.is_empty() {
                continue;
            }
            for row in self.fetch_all(table)?.iter() {
                let values = self.cells(row)?;
                for &at in &columns {
                    let checked = self.check_domains(table, &values, std::iter::once(at));
                    let Err(error) = checked else { continue };
                    if !matches!(
                        error.problem(),
                        Some(Problem::NullInDomain { .. } | Problem::DomainCheckFails { .. })
                    ) {
                        return Err(error);
                    }
                    let (of, column) = (table.name.clone(), table.columns[at].name.clone());
                    let problem = match nulls {
                        true => Problem::ColumnHasNulls { table: of, column },
                        false => Problem::ColumnFailsDomain { table: of, column },
                    };
                    return Err(SqlError::from(problem)
                        .table(&table.schema, &table.name)
                        .column(&table.columns[at].name));
                }
            }
        }
        Ok(())
    }
}
