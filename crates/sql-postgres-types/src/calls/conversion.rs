//! Conversions that are written like calls: `text(5)`, `date('2024-01-01')`.

use super::table::*;
use hobgoblin_sql_schema::function::{Call, Function};

use crate::error::Result;
use crate::{Datum, cast};

/// A cast from the type of its argument to the type of its result.
pub(super) static CAST: Function = function("cast", &[ANY], ANY, convert).stable();

fn convert(call: &mut Call<'_>) -> Result<Datum> {
    let (from, to) = (call.ty(0), call.result);
    if from == to {
        return Ok(call.arg(0).clone());
    }
    cast::cast(call.arg(0).clone(), from, to, -1, true, &call.cx.types())
}
