//! CREATE SEQUENCE, ALTER SEQUENCE, and the sequences of serial and identity columns.
//!
//! The catalogue has what a sequence is declared as; the number it is at is a counter of the store,
//! which belongs to no transaction. So the options are checked and settled here, and a step tells
//! the session to start the counter, or to start it again. A serial or identity column is a column
//! with a default `nextval('…')` and a sequence that it owns: dropping the column drops the
//! sequence.

use std::sync::Arc;

use sqlparser::ast::{ObjectName, SequenceOptions, Statement};

use super::{DataStep, Ddl, DdlContext, DdlOutcome, number};
use crate::catalog::{Catalog, Expression, Found, Relation, Sequence, quote_ident, split_name};
use crate::error::{Result, SqlError, SqlState};
use crate::types::{NoNames, Oid, PgType, TypeId, builtin};

/// Lets sequences begin again at their start, as TRUNCATE … RESTART IDENTITY does.
pub fn restart_sequences(
    catalog: &mut Catalog,
    sequences: &[Oid],
    cx: &DdlContext<'_>,
) -> Result<DdlOutcome> {
    let mut ddl = Ddl { catalog, cx, out: DdlOutcome::default() };
    let options = Options { restart: Some(None), ..Options::default() };
    for oid in sequences {
        if let Some(Relation::Sequence(sequence)) = ddl.catalog.relations.get(oid).cloned() {
            ddl.reoption_sequence(&sequence, &options)?;
        }
    }
    ddl.catalog.version += 1;
    Ok(ddl.out)
}

/// The options of a sequence that a statement gives. An inner `None` asks for the default, as NO
/// MINVALUE does.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) ty: Option<TypeId>,
    pub(super) increment: Option<i64>,
    pub(super) min: Option<Option<i64>>,
    pub(super) max: Option<Option<i64>>,
    pub(super) start: Option<i64>,
    pub(super) cache: Option<i64>,
    pub(super) cycle: Option<bool>,
    /// RESTART: the value to go on with, or `Some(None)` for the start.
    pub(super) restart: Option<Option<i64>>,
}

impl Options {
    pub(super) fn from_ast(options: &[SequenceOptions]) -> Result<Options> {
        let mut read = Options::default();
        for option in options {
            match option {
                SequenceOptions::IncrementBy(e, _) => read.increment = Some(number(e)?),
                SequenceOptions::MinValue(e) => {
                    read.min = Some(e.as_ref().map(number).transpose()?)
                }
                SequenceOptions::MaxValue(e) => {
                    read.max = Some(e.as_ref().map(number).transpose()?)
                }
                SequenceOptions::StartWith(e, _) => read.start = Some(number(e)?),
                SequenceOptions::Cache(e) => read.cache = Some(number(e)?),
                // The parser keeps whether NO was there.
                SequenceOptions::Cycle(no) => read.cycle = Some(!no),
            }
        }
        Ok(read)
    }

    /// The sequence with these options, checked. Those that are not given have their defaults, or
    /// what they have in `old`.
    pub(super) fn settle(&self, mut seq: Sequence, old: Option<&Sequence>) -> Result<Sequence> {
        if let Some(ty) = self.ty {
            if !matches!(ty, TypeId::INT2 | TypeId::INT4 | TypeId::INT8) {
                return Err(invalid(match seq.owner {
                    Some((_, _, true)) => {
                        "identity column type must be smallint, integer, or bigint".to_owned()
                    }
                    _ => "sequence type must be smallint, integer, or bigint".to_owned(),
                }));
            }
            seq.ty = ty;
        }
        if let Some(by) = self.increment {
            if by == 0 {
                return Err(invalid("INCREMENT must not be zero".to_owned()));
            }
            seq.increment = by;
        }
        let (low, high) = range(seq.ty);
        let up = seq.increment > 0;
        let retyped = |bound: i64, of: fn(TypeId) -> i64| {
            old.is_some_and(|o| o.ty != seq.ty && of(o.ty) == bound)
        };
        seq.max = match self.max {
            Some(Some(max)) => max,
            Some(None) => {
                if up {
                    high
                } else {
                    -1
                }
            }
            None if old.is_none() || retyped(seq.max, |t| range(t).1) => {
                if up {
                    high
                } else {
                    -1
                }
            }
            None => seq.max,
        };
        seq.min = match self.min {
            Some(Some(min)) => min,
            Some(None) => {
                if up {
                    1
                } else {
                    low
                }
            }
            None if old.is_none() || retyped(seq.min, |t| range(t).0) => {
                if up {
                    1
                } else {
                    low
                }
            }
            None => seq.min,
        };
        let name = builtin::format_type(seq.ty, -1, &NoNames);
        if seq.max > high || seq.max < low {
            return Err(invalid(format!(
                "MAXVALUE ({}) is out of range for sequence data type {name}",
                seq.max
            )));
        }
        if seq.min > high || seq.min < low {
            return Err(invalid(format!(
                "MINVALUE ({}) is out of range for sequence data type {name}",
                seq.min
            )));
        }
        if seq.min >= seq.max {
            return Err(invalid(format!(
                "MINVALUE ({}) must be less than MAXVALUE ({})",
                seq.min, seq.max
            )));
        }
        seq.start = match self.start {
            Some(start) => start,
            None if old.is_none() => {
                if up {
                    seq.min
                } else {
                    seq.max
                }
            }
            None => seq.start,
        };
        if seq.start < seq.min {
            return Err(invalid(format!(
                "START value ({}) cannot be less than MINVALUE ({})",
                seq.start, seq.min
            )));
        }
        if seq.start > seq.max {
            return Err(invalid(format!(
                "START value ({}) cannot be greater than MAXVALUE ({})",
                seq.start, seq.max
            )));
        }
        if let Some(cache) = self.cache {
            if cache <= 0 {
                return Err(invalid(format!("CACHE ({cache}) must be greater than zero")));
            }
            seq.cache = cache;
        }
        if let Some(cycle) = self.cycle {
            seq.cycle = cycle;
        }
        if let Some(Some(restart)) = self.restart {
            if restart < seq.min {
                return Err(invalid(format!(
                    "RESTART value ({restart}) cannot be less than MINVALUE ({})",
                    seq.min
                )));
            }
            if restart > seq.max {
                return Err(invalid(format!(
                    "RESTART value ({restart}) cannot be greater than MAXVALUE ({})",
                    seq.max
                )));
            }
        }
        Ok(seq)
    }
}

fn invalid(message: String) -> SqlError {
    SqlError::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn range(ty: TypeId) -> (i64, i64) {
    match ty {
        TypeId::INT2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        TypeId::INT4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

impl Ddl<'_, '_> {
    pub(super) fn create_sequence(&mut self, statement: &Statement) -> Result<()> {
        let Statement::CreateSequence {
            temporary,
            if_not_exists,
            name,
            data_type,
            sequence_options,
            owned_by,
        } = statement
        else {
            return Ok(());
        };
        let mut options = Options::from_ast(sequence_options)?;
        if let Some(ty) = data_type {
            options.ty = Some(crate::catalog::resolve_type(self.catalog, self.cx.path, ty)?.ty);
        }
        self.make_sequence(name, *temporary, *if_not_exists, &options, owned_by.as_ref())
    }

    /// Does CREATE SEQUENCE.
    pub(super) fn make_sequence(
        &mut self,
        name: &ObjectName,
        temporary: bool,
        if_not_exists: bool,
        options: &Options,
        owned_by: Option<&ObjectName>,
    ) -> Result<()> {
        self.tag("CREATE SEQUENCE");
        let (schema, name) = self.new_name(name, temporary)?;
        if !self.free_name(&schema, &name, if_not_exists)? {
            return Ok(());
        }
        let oid = self.new_sequence(&schema, &name, temporary, options, None)?;
        match owned_by {
            Some(column) => self.own_sequence(oid, column),
            None => Ok(()),
        }
    }

    /// Puts a new sequence into the catalogue, and has its counter started.
    pub(super) fn new_sequence(
        &mut self,
        schema: &str,
        name: &str,
        temporary: bool,
        options: &Options,
        owner: Option<(Oid, usize, bool)>,
    ) -> Result<Oid> {
        let oid = self.catalog.new_oid();
        let prefix = self.catalog.new_prefix(schema, name);
        let plain = Sequence {
            oid,
            schema: schema.to_owned(),
            name: name.to_owned(),
            prefix,
            ty: TypeId::INT8,
            start: 1,
            increment: 1,
            min: 1,
            max: i64::MAX,
            cache: 1,
            cycle: false,
            temporary,
            owner,
        };
        let sequence = options.settle(plain, None)?;
        self.catalog.relations.insert(oid, Relation::Sequence(Arc::new(sequence)));
        self.schema_mut(schema)?.relations.insert(name.to_owned(), oid);
        self.step(DataStep::StartSequence(oid));
        Ok(oid)
    }

    /// Does OWNED BY: a column, or NONE.
    pub(super) fn own_sequence(&mut self, oid: Oid, column: &ObjectName) -> Result<()> {
        let Some(sequence) = self.catalog.sequence(oid) else { return Ok(()) };
        if let Some((table, _, true)) = sequence.owner {
            let table = self.describe(table);
            return Err(SqlError::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "cannot change ownership of identity sequence",
            )
            .detail(format!("Sequence \"{}\" is linked to table \"{table}\".", sequence.name)));
        }
        let mut parts = column.0.clone();
        let Some(last) = parts.pop().and_then(|p| p.as_ident().cloned()) else { return Ok(()) };
        let owner = if parts.is_empty() {
            if !last.value.eq_ignore_ascii_case("none") || last.quote_style.is_some() {
                return Err(SqlError::syntax("invalid OWNED BY option")
                    .hint("Specify OWNED BY table.column or OWNED BY NONE."));
            }
            None
        } else {
            let table = self.user_table(&ObjectName(parts))?;
            if table.schema != sequence.schema {
                return Err(SqlError::new(
                    SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                    "sequence must be in same schema as table it is linked to",
                ));
            }
            let name = crate::catalog::fold(&last);
            let column = table.column(&name).ok_or_else(|| super::no_column(&name, &table.name))?;
            Some((table.oid, column, false))
        };
        self.change_sequence(oid, |s| s.owner = owner);
        Ok(())
    }

    pub(super) fn change_sequence(&mut self, oid: Oid, change: impl FnOnce(&mut Sequence)) {
        if let Some(Relation::Sequence(sequence)) = self.catalog.relations.get_mut(&oid) {
            change(Arc::make_mut(sequence));
        }
    }

    /// The sequence of this name, which is to be changed.
    pub(super) fn user_sequence(&self, name: &ObjectName) -> Result<Arc<Sequence>> {
        match self.relation(name)? {
            Found::Sequence(sequence) => Ok(sequence.clone()),
            other => Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not a sequence", other.name()),
            )),
        }
    }

    /// Does ALTER SEQUENCE with options.
    pub(super) fn alter_sequence(
        &mut self,
        name: &ObjectName,
        if_exists: bool,
        options: &Options,
    ) -> Result<()> {
        self.tag("ALTER SEQUENCE");
        if if_exists && self.skip_missing(name)? {
            return Ok(());
        }
        let old = self.user_sequence(name)?;
        self.reoption_sequence(&old, options)
    }

    pub(super) fn reoption_sequence(
        &mut self,
        old: &Arc<Sequence>,
        options: &Options,
    ) -> Result<()> {
        let mut new = options.settle((**old).clone(), Some(old))?;
        if let Some(restart) = options.restart {
            // Counters belong to no transaction. With one of its own the old one is there after a rollback.
            new.prefix = self.catalog.new_prefix(&old.schema, &old.name);
            self.step(DataStep::RestartSequence(old.oid, restart.unwrap_or(new.start)));
        }
        self.change_sequence(old.oid, |s| *s = new);
        Ok(())
    }

    /// Under IF EXISTS, tells the client with a notice that there is no such relation. Returns
    /// whether that is so.
    pub(super) fn skip_missing(&mut self, name: &ObjectName) -> Result<bool> {
        let (schema, last) = split_name(name)?;
        if self.catalog.find(self.cx.path, schema.as_deref(), &last).is_some() {
            return Ok(false);
        }
        self.notice(
            SqlState::SUCCESSFUL_COMPLETION,
            format!("relation \"{last}\" does not exist, skipping"),
        );
        Ok(true)
    }
}

/// The default of a column that takes the next number of a sequence.
pub(super) fn nextval(schema: &str, name: &str) -> Result<Arc<Expression>> {
    let qualified = format!("{}.{}", quote_ident(schema), quote_ident(name));
    let text = format!("nextval('{}'::regclass)", qualified.replace('\'', "''"));
    Ok(Expression::new(super::parse_expr(&text)?))
}
