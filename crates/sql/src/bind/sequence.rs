//! A sequence as a table of one row: `SELECT last_value, is_called FROM s`.

use super::expr::{Expr, ItemKind, Kind, OutputColumn};
use super::scope::Source;
use crate::catalog::Sequence;
use crate::functions::{SEQUENCE_CALLED, SEQUENCE_LAST};
use crate::types::{Datum, PgType, TypeId};

/// The row of a sequence, and what it is called.
pub(super) fn row(sequence: &Sequence) -> (ItemKind, Source) {
    let call = |function, ty| {
        let oid = Expr::constant(Datum::Int(i64::from(sequence.oid)), TypeId::REGCLASS);
        Expr::new(Kind::Call { function, args: vec![oid] }, ty)
    };
    let exprs = vec![
        call(&SEQUENCE_LAST, TypeId::INT8),
        Expr::constant(Datum::Int(0), TypeId::INT8),
        call(&SEQUENCE_CALLED, TypeId::BOOL),
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
