//! The window functions that are no aggregates.

use hobgoblin_sql_postgres_types::calls::Window;

use super::WindowFunction;
use super::table::*;
use crate::types::TypeId;

const fn window(
    name: &'static str,
    window: WindowFunction,
    args: &'static [TypeId],
    result: TypeId,
) -> Window {
    Window { name, window, args, result }
}

pub(super) static WINDOWS: &[Window] = &[
    window("row_number", WindowFunction::RowNumber, &[], INT8),
    window("rank", WindowFunction::Rank, &[], INT8),
    window("dense_rank", WindowFunction::DenseRank, &[], INT8),
    window("percent_rank", WindowFunction::PercentRank, &[], FLOAT8),
    window("cume_dist", WindowFunction::CumeDist, &[], FLOAT8),
    window("ntile", WindowFunction::Ntile, &[INT4], INT4),
    window("lag", WindowFunction::Lag, &[ANYELEMENT], ANYELEMENT),
    window("lag", WindowFunction::Lag, &[ANYELEMENT, INT4], ANYELEMENT),
    window("lag", WindowFunction::Lag, &[ANYCOMPATIBLE, INT4, ANYCOMPATIBLE], ANYCOMPATIBLE),
    window("lead", WindowFunction::Lead, &[ANYELEMENT], ANYELEMENT),
    window("lead", WindowFunction::Lead, &[ANYELEMENT, INT4], ANYELEMENT),
    window("lead", WindowFunction::Lead, &[ANYCOMPATIBLE, INT4, ANYCOMPATIBLE], ANYCOMPATIBLE),
    window("first_value", WindowFunction::FirstValue, &[ANYELEMENT], ANYELEMENT),
    window("last_value", WindowFunction::LastValue, &[ANYELEMENT], ANYELEMENT),
    window("nth_value", WindowFunction::NthValue, &[ANYELEMENT, INT4], ANYELEMENT),
];
