//! EXPLAIN.

mod format;
mod steps;

use sqlparser::ast::{self, AnalyzeFormatKind, UtilityOption};

use self::format::ExplainFormat;
use self::steps::explain;
use super::core::Core;
use super::plan::Plan;
use super::{ColumnDescription, Done, Outcome};
use crate::bind::Binder;
use crate::error::{Result, SqlError, SqlState};
use crate::execute::Exec;
use crate::parse::Statement;
use crate::types::{Datum, PgType, TypeId};

/// What an EXPLAIN asks for.
pub(super) struct Wanted {
    analyze: bool,
    format: ExplainFormat,
}

impl Wanted {
    /// Of an EXPLAIN as parsed; `None` if it is another statement.
    pub(super) fn of(ast: &ast::Statement) -> Result<Option<Wanted>> {
        let ast::Statement::Explain { analyze, format, options, .. } = ast else {
            return Ok(None);
        };
        let mut wanted = Wanted { analyze: *analyze, format: ExplainFormat::Text };
        if let Some(AnalyzeFormatKind::Keyword(format) | AnalyzeFormatKind::Assignment(format)) =
            format
        {
            wanted.format = format_named(&format.to_string())?;
        }
        for option in options.iter().flatten() {
            wanted.option(option)?;
        }
        Ok(Some(wanted))
    }

    fn option(&mut self, option: &UtilityOption) -> Result<()> {
        let name = option.name.value.to_ascii_lowercase();
        let value = option.arg.as_ref().map(|value| match value {
            ast::Expr::Value(value) => {
                value.value.clone().into_string().unwrap_or_else(|| value.value.to_string())
            }
            other => other.to_string(),
        });
        match name.as_str() {
            "format" => self.format = format_named(value.as_deref().unwrap_or_default())?,
            "analyze" => self.analyze = truth(&name, value.as_deref())?,
            "verbose" | "costs" | "settings" | "buffers" | "wal" | "timing" | "summary" => {
                truth(&name, value.as_deref())?;
            }
            _ => {
                let text = format!("unrecognized EXPLAIN option \"{name}\"");
                return Err(SqlError::new(SqlState::SYNTAX_ERROR, text));
            }
        }
        Ok(())
    }

    /// The column of the plan.
    pub(super) fn column(&self) -> ColumnDescription {
        let ty = match self.format {
            ExplainFormat::Json => TypeId::JSON,
            _ => TypeId::TEXT,
        };
        ColumnDescription { name: "QUERY PLAN".to_owned(), table: 0, column: 0, ty, typmod: -1 }
    }
}

fn format_named(name: &str) -> Result<ExplainFormat> {
    Ok(match name.to_ascii_lowercase().as_str() {
        "text" => ExplainFormat::Text,
        "json" => ExplainFormat::Json,
        "xml" => ExplainFormat::Xml,
        "yaml" => ExplainFormat::Yaml,
        other => {
            let text = format!("unrecognized value for EXPLAIN option \"format\": \"{other}\"");
            return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, text));
        }
    })
}

fn truth(name: &str, value: Option<&str>) -> Result<bool> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        None | Some("true" | "on" | "1") => Ok(true),
        Some("false" | "off" | "0") => Ok(false),
        Some(_) => Err(SqlError::syntax(format!("{name} requires a Boolean value"))),
    }
}

impl Core {
    pub(super) fn explain(
        &mut self,
        inner: &ast::Statement,
        wanted: &Wanted,
        statement: &Statement,
    ) -> Result<Outcome> {
        let scope = self.scope();
        let plan = {
            let env = self.env();
            let mut binder = Binder::new(&scope.catalog, env, &scope.path, Vec::new(), false);
            binder.clauses = statement.clauses.clone();
            match inner {
                ast::Statement::Query(query) => Plan::Query(Box::new(binder.query(query)?)),
                other => Plan::Dml(Box::new(binder.dml(other)?)),
            }
        };
        if wanted.analyze {
            let mut exec = Exec::new(self, &[]);
            match &plan {
                Plan::Query(query) => {
                    exec.query(query, None)?;
                }
                Plan::Dml(dml) => {
                    exec.run_dml(dml)?;
                }
                _ => {}
            }
        }
        let rows = explain(&plan, wanted.format);
        let rows = rows.into_iter().map(|line| vec![Datum::text(line)]).collect();
        Ok(Outcome::Rows { rows, complete: Some(Done::verb("EXPLAIN")) })
    }
}
