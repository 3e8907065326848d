//! The words of MySQL and MariaDB for what can go wrong, each with its number.
//!
//! Every cause has its words, as one match without a wildcard: a new cause does not compile before somebody has looked up what the
//! servers say. Where MySQL and MariaDB differ, the version decides.

mod binding;

use hobgoblin_sql_schema::catalog::Action;
use hobgoblin_sql_schema::{Cause, Problem, Reference, SqlError};
use hobgoblin_sql_value as value;

use crate::error::{self, Number};
use crate::speaker::Speaker;

/// An error with its number and words.
pub fn worded(mut error: SqlError, speaker: Speaker<'_>) -> SqlError {
    let Cause::Problem(problem) = &error.cause else { return error };
    let (number, message) = words(problem, error.more.clause, speaker);
    error.cause = Cause::Said { state: error::state_of(number), message };
    error.more.number = Some(number);
    error
}

fn words(problem: &Problem, clause: Option<&str>, speaker: Speaker<'_>) -> (Number, String) {
    use Problem as P;
    let said = |number: Number, text: &str| (number, text.to_owned());
    let Speaker { version, database } = speaker;
    match problem {
        P::Value(problem) => of_value(problem),
        P::Binding(cause) => binding::words(cause, clause, speaker),
        P::Unsupported(feature) => (
            error::UNSUPPORTED,
            format!("This version of {} doesn't yet support '{feature}'", version.server()),
        ),
        P::Syntax(what) => (
            error::SYNTAX,
            format!(
                "You have an error in your SQL syntax; check the manual that corresponds to your {} server version for the right syntax to use {what}",
                version.server()
            ),
        ),
        P::Internal(what) => (error::UNKNOWN_ERROR, format!("Unknown error: {what}")),
        P::NullInColumn { column, .. } => {
            (error::COLUMN_CANNOT_BE_NULL, format!("Column '{column}' cannot be null"))
        }
        P::CheckFails { table, check, .. } => check_fails(table, check, speaker),
        P::CheckFailsAlready { table, check } => check_fails(table, check, speaker),
        P::NoParent { table, constraint, reference, .. } => (
            error::NO_REFERENCED_ROW,
            format!(
                "Cannot add or update a child row: a foreign key constraint fails ({})",
                foreign_key(table, constraint, reference)
            ),
        ),
        P::PartlyNullKey { table, constraint } => (
            error::NO_REFERENCED_ROW,
            format!(
                "Cannot add or update a child row: a foreign key constraint fails (`{database}`.`{table}`, CONSTRAINT `{constraint}`)"
            ),
        ),
        P::StillReferred { table, constraint, reference, .. } => (
            error::ROW_IS_REFERENCED,
            format!(
                "Cannot delete or update a parent row: a foreign key constraint fails ({})",
                foreign_key(table, constraint, reference)
            ),
        ),
        P::DuplicateKey { table, constraint: name, key }
        | P::IndexNotUnique { table, index: name, key } => {
            let values = key.as_ref().map_or("", |key| key.values.as_str());
            let values = values.replace(", ", "-");
            match version.is_mysql() {
                true => duplicate(&values, &format!("{table}.{name}")),
                false => duplicate(&values, name),
            }
        }
        P::Excluded { constraint, key, .. } | P::ExcludedAlready { constraint, key, .. } => {
            duplicate(&key.values, constraint)
        }
        P::OutsideView { view, .. } => {
            (error::VIEW_CHECK_FAILED, format!("CHECK OPTION failed `{database}`.`{view}`"))
        }
        P::NullInDomain { domain } => {
            (error::COLUMN_CANNOT_BE_NULL, format!("Column '{domain}' cannot be null"))
        }
        P::DomainCheckFails { domain, check } => check_fails(domain, check, speaker),
        P::DomainInArrays { column, .. } => {
            (error::UNSUPPORTED, format!("Column '{column}' cannot be changed"))
        }
        P::ColumnHasNulls { column, .. } => {
            (error::TRUNCATED, format!("Data truncated for column '{column}' at row 1"))
        }
        P::ColumnFailsDomain { table, column } => check_fails(table, column, speaker),
        P::RowLocked { .. } => match version.is_mysql() {
            true => said(
                error::CURSOR_LOCK_NOWAIT_MYSQL,
                "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.",
            ),
            false => said(
                error::LOCK_WAIT_TIMEOUT,
                "Lock wait timeout exceeded; try restarting transaction",
            ),
        },
        P::ConcurrentUpdate | P::ConcurrentDelete => {
            said(error::CONCURRENT_CHANGE, "Record has changed since last read in table")
        }
        P::Dependencies => said(
            error::DEADLOCK,
            "Deadlock found when trying to get lock; try restarting transaction",
        ),
        P::MergedTwice | P::UpsertedTwice | P::DeferrableArbiter => {
            said(error::UNKNOWN_ERROR, "A row is changed for the second time")
        }
        P::SeveralRows => said(error::SUBQUERY_NO_1_ROW, "Subquery returns more than 1 row"),
        P::NoParameter(_) => said(error::WRONG_ARGUMENTS, "Incorrect arguments to EXECUTE"),
        P::ArrayShapes | P::NullSubscript => said(error::UNSUPPORTED, "There are no arrays"),
        P::NoBuckets => said(error::WRONG_ARGUMENTS, "Incorrect arguments to ntile"),
        P::RowBeforeFrame => said(error::WRONG_ARGUMENTS, "Incorrect arguments to nth_value"),
        P::FrameOffset { .. } | P::FrameSize => {
            said(4020, "Integer is required for ROWS-type frame")
        }
        P::NegativeLimit | P::NegativeOffset => said(error::SYNTAX, "Undeclared variable: LIMIT"),
        P::EndlessRecursion => said(error::RECURSIVE_ITERATIONS, "Query execution was interrupted"),
        P::OutOfMemory { bytes } => (
            error::OUT_OF_RESOURCES,
            format!("Out of memory; restart server and try again (needed {bytes} bytes)"),
        ),
        P::ValueTooLong { .. } | P::TextTooLong { .. } => said(
            error::ALLOWED_PACKET,
            "Result of a function was larger than max_allowed_packet (16777216) - truncated",
        ),
        P::NoRelation { schema: Some(schema), name }
            if schema.eq_ignore_ascii_case("information_schema") =>
        {
            (1109, format!("Unknown table '{name}' in information_schema"))
        }
        P::NoRelation { schema, name } => {
            let schema = schema.as_deref().unwrap_or(database);
            (error::NO_SUCH_TABLE, format!("Table '{schema}.{name}' doesn't exist"))
        }
        P::RelationGone(_) => said(1412, "Table definition has changed, please retry transaction"),
        P::NoSchemaToCreateIn => said(error::NO_DATABASE_SELECTED, "No database selected"),
    }
}

fn check_fails(table: &str, check: &str, speaker: Speaker<'_>) -> (Number, String) {
    match speaker.version.is_mysql() {
        true => (error::CHECK_FAILED_MYSQL, format!("Check constraint '{check}' is violated.")),
        false => (
            error::CHECK_FAILED_MARIADB,
            format!("CONSTRAINT `{check}` failed for `{}`.`{table}`", speaker.database),
        ),
    }
}

fn duplicate(values: &str, key: &str) -> (Number, String) {
    (error::DUPLICATE_ENTRY, format!("Duplicate entry '{values}' for key '{key}'"))
}

/// A foreign key as it is declared.
fn foreign_key(table: &str, constraint: &str, reference: &Reference) -> String {
    let listed = |names: &[String]| {
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let action = |word: &str, action: Action| match action {
        Action::NoAction | Action::Restrict => String::new(),
        Action::Cascade => format!(" {word} CASCADE"),
        Action::SetNull => format!(" {word} SET NULL"),
        Action::SetDefault => format!(" {word} SET DEFAULT"),
    };
    format!(
        "`{}`.`{table}`, CONSTRAINT `{constraint}` FOREIGN KEY ({}) REFERENCES `{}` ({}){}{}",
        reference.schema,
        listed(&reference.columns),
        reference.parent,
        listed(&reference.referenced),
        action("ON DELETE", reference.on_delete),
        action("ON UPDATE", reference.on_update)
    )
}

fn of_value(problem: &value::Problem) -> (Number, String) {
    use value::Problem as P;
    let range = |what: &str| (error::VALUE_OUT_OF_RANGE, format!("{what} value is out of range"));
    let absent = |what: &str| (error::UNSUPPORTED, format!("There are no {what}"));
    match problem {
        P::DivisionByZero => (error::DIVISION_BY_ZERO, "Division by 0".to_owned()),
        P::NumericOverflow | P::FieldOverflow { .. } => range("DECIMAL"),
        P::NotANumber(text) => {
            (error::TRUNCATED_WRONG_VALUE, format!("Truncated incorrect DECIMAL value: '{text}'"))
        }
        P::NegativeRoot
        | P::LogarithmOfZero
        | P::LogarithmOfNegative
        | P::ZeroToNegativePower
        | P::ComplexPower => range("DOUBLE"),
        P::IntegerOutOfRange => range("INT"),
        P::BigintOutOfRange => range("BIGINT"),
        P::OutOfRange(_)
        | P::DateOutOfTimestamps
        | P::InfiniteDates
        | P::InfiniteTimestamps
        | P::InfiniteOrigin
        | P::BinsOfMonths
        | P::EmptyBins => {
            (error::DATETIME_OVERFLOW, "Datetime function: datetime field overflow".to_owned())
        }
        P::TooManyDimensions(_)
        | P::TooManyElements(_)
        | P::SubscriptCount
        | P::SubscriptOutOfRange
        | P::SliceOrder
        | P::SliceWithoutBounds
        | P::SliceTooShort => absent("arrays"),
        P::RangeOrder | P::RangeUnionGap | P::RangeDifferenceGap => absent("ranges"),
        P::NullKey | P::OddPairs | P::NoPairs => absent("maps"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Version;
    use hobgoblin_sql_schema::Pairs;

    #[test]
    fn causes_have_numbers_and_words() {
        let pairs = Pairs { columns: "a, b".to_owned(), values: "1, 2".to_owned() };
        let twice = Problem::DuplicateKey {
            table: "t".to_owned(),
            constraint: "u".to_owned(),
            key: Some(pairs),
        };
        let check = Problem::CheckFails {
            table: "t".to_owned(),
            check: "c".to_owned(),
            row: String::new(),
        };
        let gone = Problem::NoRelation { schema: None, name: "x".to_owned() };
        let speaker = Speaker { version: Version::MariaDb10_11, database: "d" };
        let cases = [
            (twice.clone(), 1062, "23000", "Duplicate entry '1-2' for key 'u'"),
            (check.clone(), 4025, "23000", "CONSTRAINT `c` failed for `d`.`t`"),
            (gone, 1146, "42S02", "Table 'd.x' doesn't exist"),
        ];
        for (problem, number, state, message) in cases {
            let error = worded(problem.into(), speaker);
            assert_eq!(error.more.number, Some(number));
            assert_eq!((error.state().0, error.message().as_str()), (state, message));
        }
        let mysql = Speaker { version: Version::MySql9_7, ..speaker };
        assert_eq!(worded(check.into(), mysql).more.number, Some(3819));
        let told = worded(twice.into(), mysql);
        assert_eq!(told.message(), "Duplicate entry '1-2' for key 't.u'");
    }
}
