//! A sequence as a table of one row: `SELECT last_value, is_called FROM s`.

use super::bound::{Expr, ItemKind, Kind, OutputColumn};
use super::scope::Source;
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::catalog::Sequence;
use hobgoblin_sql_schema::function::{Call, Function};
use hobgoblin_sql_value::{Datum, Oid, TypeId};

/// The function that computes the column `last_value`.
static LAST: Function =
    Function::new("last_value", &[TypeId::BIGINT], TypeId::BIGINT, last).volatile();

/// The function that computes the column `is_called`.
static CALLED: Function =
    Function::new("is_called", &[TypeId::BIGINT], TypeId::BOOLEAN, called).volatile();

fn last(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(state(call)?.0))
}

fn called(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Bool(state(call)?.1))
}

fn state(call: &mut Call<'_>) -> Result<(i64, bool)> {
    let sequence = Oid::try_from(call.int(0)?).unwrap_or_default();
    call.cx.sequence_state(sequence)
}

/// A sequence as a source of FROM: its one row, and the names of its columns.
pub(super) fn row(sequence: &Sequence) -> (ItemKind, Source) {
    let call = |function, ty| {
        let oid = Expr::constant(Datum::Int(i64::from(sequence.oid)), TypeId::BIGINT);
        Expr::new(Kind::Call { function, args: vec![oid] }, ty)
    };
    let exprs = vec![
        call(&LAST, TypeId::BIGINT),
        Expr::constant(Datum::Int(0), TypeId::BIGINT),
        call(&CALLED, TypeId::BOOLEAN),
    ];
    let names = ["last_value", "log_cnt", "is_called"];
    let columns: Vec<OutputColumn> = names
        .iter()
        .zip(&exprs)
        .zip(1..)
        .map(|((name, expr), number)| OutputColumn {
            name: (*name).to_owned(),
            ty: expr.ty,
            typmod: -1,
            origin: (sequence.oid, number),
        })
        .collect();
    let mut source = Source::of_columns(sequence.name.clone(), &columns);
    source.schema = Some(sequence.schema.clone());
    (ItemKind::Scalar(exprs, false), source)
}
