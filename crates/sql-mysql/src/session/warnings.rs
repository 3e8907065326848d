//! What statements are told besides their answers: SHOW WARNINGS and its kin.

use hobgoblin_sql_mysql_types::{Collation, Kind, MyType, Severity};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_value::Datum;
use sqlparser::ast::{self, Expr};

use super::core::Core;
use super::outcome::{ColumnDescription, ColumnFacts, Done, TakeResults};
use crate::parse::Statement;
use crate::syntax::{Setting, Show, ShowWhat, Special};

/// Whether a statement uses tables, so that warnings of those before it are forgotten.
pub(super) fn uses_tables(statement: &Statement) -> bool {
    if let Some(special) = statement.special.as_deref() {
        return match special {
            Special::Set(settings) => !settings.iter().all(is_plain),
            Special::Show(show) => !matches!(
                show.what,
                ShowWhat::Warnings
                    | ShowWhat::Errors
                    | ShowWhat::CountWarnings
                    | ShowWhat::CountErrors
            ),
            Special::Transaction(_)
            | Special::Use(_)
            | Special::Prepare(..)
            | Special::Execute(..)
            | Special::ExecuteImmediate(..)
            | Special::Deallocate(_)
            | Special::Do(_)
            | Special::Kill(..)
            | Special::UnlockTables
            | Special::Flush
            | Special::Unsupported(_) => false,
            _ => true,
        };
    }
    let Some(ast::Statement::Query(query)) = statement.ast.as_deref() else { return true };
    match &*query.body {
        ast::SetExpr::Select(select) => !select.from.is_empty(),
        _ => true,
    }
}

/// Whether a setting has no subquery, in which tables could be.
fn is_plain(setting: &Setting) -> bool {
    match setting {
        Setting::Assign { value: Some(value), .. } => !matches!(**value, Expr::Subquery(_)),
        Setting::Assign { value: None, .. }
        | Setting::Names { .. }
        | Setting::Charset(_)
        | Setting::Transaction(_) => true,
    }
}

fn column(name: &str, ty: MyType) -> ColumnDescription {
    ColumnDescription {
        schema: String::new(),
        table: String::new(),
        original_table: String::new(),
        name: name.to_owned(),
        original_name: String::new(),
        ty: ty.id(),
        flags: ColumnFacts { not_null: true, ..ColumnFacts::default() },
    }
}

fn text(length: u32) -> MyType {
    MyType::text(length, Collation::DEFAULT)
}

impl Core {
    /// SHOW WARNINGS, SHOW ERRORS, and how many there are.
    pub(super) fn show_warnings(&mut self, show: &Show, to: &mut dyn TakeResults) -> Result<Done> {
        let counted = |name: &str, count: u64| {
            let ty = MyType { unsigned: true, length: 21, ..MyType::new(Kind::BigInt) };
            let count = Datum::Int(i64::try_from(count).unwrap_or(i64::MAX));
            (vec![column(name, ty)], vec![vec![count]])
        };
        let (columns, rows) = match show.what {
            ShowWhat::CountWarnings => {
                counted("@@session.warning_count", self.settings.warnings.count())
            }
            ShowWhat::CountErrors => {
                counted("@@session.error_count", self.settings.warnings.errors())
            }
            _ => {
                let code = MyType { unsigned: true, length: 4, ..MyType::new(Kind::Int) };
                let columns = vec![
                    column("Level", text(7)),
                    column("Code", code),
                    column("Message", text(512)),
                ];
                (columns, self.told_rows(show)?)
            }
        };
        let status = self.status();
        to.columns(&columns, &status)?;
        let env = self.env();
        rows.iter().try_for_each(|row| to.row(&columns, row, &env))?;
        Ok(Done { affected: rows.len() as u64, rows: true, ..Done::default() })
    }

    fn told_rows(&mut self, show: &Show) -> Result<Vec<Vec<Datum>>> {
        let mut number = |expr: &Expr| -> Result<usize> {
            let (value, _) = self.evaluate(expr)?;
            Ok(match value {
                Datum::Int(number) => usize::try_from(number).unwrap_or(0),
                _ => usize::MAX,
            })
        };
        let (skipped, most) = match &show.limit {
            Some((skipped, most)) => {
                let skipped = skipped.as_ref().map_or(Ok(0), &mut number)?;
                (skipped, number(most)?)
            }
            None => (0, usize::MAX),
        };
        let errors_only = matches!(show.what, ShowWhat::Errors);
        let all = self.settings.warnings.kept().into_iter();
        let shown = all.filter(|one| !errors_only || one.severity == Severity::Error);
        let row = |one: hobgoblin_sql_mysql_types::Warning| {
            let level = match one.severity {
                Severity::Note => "Note",
                Severity::Warning => "Warning",
                Severity::Error => "Error",
            };
            vec![Datum::text(level), Datum::Int(i64::from(one.number)), Datum::text(one.message)]
        };
        Ok(shown.skip(skipped).take(most).map(row).collect())
    }
}
