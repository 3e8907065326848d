//! Aggregates, and the functions of windows.
//!
//! | aggregate | of exact numbers | of others |
//! | --- | --- | --- |
//! | SUM | DECIMAL with 22 digits more | DOUBLE |
//! | AVG | DECIMAL with 4 digits more after the point | DOUBLE |
//! | STD, VARIANCE and their like | DOUBLE with 4 digits more after the point | DOUBLE |
//! | MIN, MAX, ANY_VALUE | what they are of | what they are of |
//! | COUNT | BIGINT | BIGINT |
//! | BIT_AND, BIT_OR, BIT_XOR | BIGINT UNSIGNED | BIGINT UNSIGNED |
//! | GROUP_CONCAT | | TEXT; the separator is its last argument |
//! | JSON_ARRAYAGG, JSON_OBJECTAGG | | a document |
//!
//! DISTINCT and ORDER BY are the caller's.

use std::cmp::Ordering;

use hobgoblin_sql_mysql_types::my_type::NOT_FIXED;
use hobgoblin_sql_mysql_types::{
    Coercibility, Collation, Kind, MyType, Settings, common, convert, number,
};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::context::Context;
use hobgoblin_sql_schema::function::{Accumulator, Aggregate, Candidate, WindowFunction};
use hobgoblin_sql_value::{Datum, Numeric, TypeId};

use crate::arithmetic::divide;
use crate::compare::order;
use crate::entry::a_bigint;

/// An aggregate by its name.
pub(crate) struct Row {
    pub(crate) aggregate: Aggregate,
    pub(crate) least: usize,
    pub(crate) most: usize,
    typing: fn(&[MyType]) -> Result<MyType>,
}

const fn row(
    name: &'static str,
    (least, most): (usize, usize),
    typing: fn(&[MyType]) -> Result<MyType>,
    start: fn(&[TypeId]) -> Box<dyn Accumulator>,
) -> Row {
    let aggregate = Aggregate { name, args: &[], result: TypeId::UNKNOWN, start };
    Row { aggregate, least, most, typing }
}

impl Row {
    /// The aggregate with the types of one call.
    pub(crate) fn candidate(&'static self, types: &[TypeId]) -> Result<Candidate<Aggregate>> {
        let mine: Vec<MyType> = types.iter().map(|ty| MyType::of(*ty)).collect();
        let result = (self.typing)(&mine)?.id();
        Ok(Candidate { function: &self.aggregate, args: types.to_vec(), result })
    }
}

fn first(types: &[MyType]) -> MyType {
    types.first().copied().unwrap_or(MyType::NULL)
}

fn first_of(types: &[TypeId]) -> MyType {
    types.first().map_or(MyType::NULL, |ty| MyType::of(*ty))
}

/// Whether sums of a type are exact.
fn is_exact(ty: MyType) -> bool {
    ty.is_integer() || ty.kind == Kind::Decimal || ty.is_moment() || ty.kind == Kind::Hex
}

struct Count(i64);

impl Accumulator for Count {
    fn add(&mut self, _: &mut dyn Context, args: &[Datum]) -> Result<()> {
        self.0 += i64::from(!args.iter().any(Datum::is_null));
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(Datum::Int(self.0))
    }
}

/// What a sum becomes.
#[derive(Clone, Copy, PartialEq)]
enum Total {
    Sum,
    Average,
}

struct Summing {
    ty: MyType,
    exact: Numeric,
    float: f64,
    count: i64,
    total: Total,
}

fn summing(types: &[TypeId], total: Total) -> Box<dyn Accumulator> {
    let ty = first_of(types);
    Box::new(Summing { ty, exact: Numeric::ZERO, float: 0.0, count: 0, total })
}

impl Accumulator for Summing {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let Some(value) = args.first().filter(|value| !value.is_null()) else { return Ok(()) };
        self.count += 1;
        match is_exact(self.ty) {
            true => {
                let value = convert::to_numeric(value, self.ty, &cx.types());
                self.exact = self.exact.add(&value)?;
            }
            false => self.float += convert::to_double(value, self.ty, &cx.types()),
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(match (self.count, self.total) {
            (0, _) => Datum::Null,
            (_, Total::Sum) if is_exact(self.ty) => Datum::Numeric(self.exact.clone()),
            (_, Total::Sum) => Datum::Float(self.float),
            (count, Total::Average) if is_exact(self.ty) => {
                Datum::Numeric(divide(&self.exact, &Numeric::from(count))?)
            }
            (count, Total::Average) => Datum::Float(self.float / count as f64),
        })
    }
}

fn sum_type(types: &[MyType]) -> Result<MyType> {
    let ty = first(types);
    let scale = ty.fraction_digits();
    Ok(match is_exact(ty) {
        true => MyType::decimal(ty.whole_digits() + scale + 22, scale),
        false if ty.is_float() => MyType { scale: ty.scale, ..MyType::DOUBLE },
        false => MyType::DOUBLE,
    })
}

fn average_type(types: &[MyType]) -> Result<MyType> {
    let ty = first(types);
    let scale = (ty.fraction_digits() + 4).min(38);
    Ok(match is_exact(ty) {
        true => MyType::decimal(ty.whole_digits() + scale, scale),
        false => MyType::DOUBLE,
    })
}

/// The value that wins of two.
struct Best {
    ty: MyType,
    value: Datum,
    wanted: Option<Ordering>,
}

fn best(types: &[TypeId], wanted: Option<Ordering>) -> Box<dyn Accumulator> {
    Box::new(Best { ty: first_of(types), value: Datum::Null, wanted })
}

impl Accumulator for Best {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let Some(value) = args.first().filter(|value| !value.is_null()) else { return Ok(()) };
        let wins = self.value.is_null()
            || self.wanted.is_some()
                && order(value, &self.value, (self.ty, self.ty), &cx.types()) == self.wanted;
        if wins {
            self.value = match value {
                // The text is what is told, though places decide.
                Datum::Enum(_, text) => Datum::Text(text.clone()),
                other => other.clone(),
            };
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(self.value.clone())
    }
}

fn same_type(types: &[MyType]) -> Result<MyType> {
    let ty = first(types);
    Ok(match ty.kind {
        Kind::Truth => MyType { length: 1, ..MyType::new(Kind::Int) },
        Kind::Bit => MyType { kind: Kind::BigInt, unsigned: true, ..ty },
        Kind::Enum | Kind::Set => MyType { length: 255, kind: Kind::VarChar, ..ty },
        _ => ty,
    })
}

/// Bits of all values together.
struct Bits {
    ty: MyType,
    bits: u64,
    of: fn(u64, u64) -> u64,
}

fn bits(types: &[TypeId], bits: u64, of: fn(u64, u64) -> u64) -> Box<dyn Accumulator> {
    Box::new(Bits { ty: first_of(types), bits, of })
}

impl Accumulator for Bits {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        if let Some(value) = args.first().filter(|value| !value.is_null()) {
            let value = convert::to_integer(value, self.ty, &cx.types());
            let value = value.clamp(i128::from(i64::MIN), i128::from(u64::MAX)) as u64;
            self.bits = (self.of)(self.bits, value);
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(number::integer(i128::from(self.bits)))
    }
}

/// The spread of values, by Welford's way of keeping it: no difference of large sums loses digits.
struct Spread {
    ty: MyType,
    count: f64,
    mean: f64,
    squares: f64,
    sample: bool,
    root: bool,
}

fn spread(types: &[TypeId], sample: bool, root: bool) -> Box<dyn Accumulator> {
    let ty = first_of(types);
    Box::new(Spread { ty, count: 0.0, mean: 0.0, squares: 0.0, sample, root })
}

impl Accumulator for Spread {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        if let Some(value) = args.first().filter(|value| !value.is_null()) {
            let value = convert::to_double(value, self.ty, &cx.types());
            self.count += 1.0;
            let before = self.mean;
            self.mean += (value - before) / self.count;
            self.squares += (value - before) * (value - self.mean);
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        let divisor = self.count - f64::from(u8::from(self.sample));
        if divisor <= 0.0 {
            return Ok(Datum::Null);
        }
        let variance = self.squares / divisor;
        Ok(Datum::Float(if self.root { variance.sqrt() } else { variance }))
    }
}

fn spread_type(types: &[MyType]) -> Result<MyType> {
    let ty = first(types);
    let scale = match is_exact(ty) {
        true => (ty.fraction_digits() + 4).min(30) as u8,
        false => NOT_FIXED,
    };
    Ok(MyType { scale, ..MyType::DOUBLE })
}

/// Texts one after the other.
struct Joining {
    types: Vec<MyType>,
    text: String,
    rows: usize,
    cut: bool,
}

impl Accumulator for Joining {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let Some((separator, values)) = args.split_last() else { return Ok(()) };
        if self.cut || values.iter().any(Datum::is_null) {
            return Ok(());
        }
        let env = cx.types();
        if self.rows > 0 {
            self.text.push_str(&convert::to_text(
                separator,
                MyType::text(1, Collation::DEFAULT),
                &env,
            ));
        }
        self.rows += 1;
        for (value, ty) in values.iter().zip(&self.types) {
            self.text.push_str(&convert::to_text(value, *ty, &env));
        }
        let settings = Settings::of(&env);
        if self.text.len() > settings.group_concat_most {
            let most = settings.group_concat_most;
            let at = (0..=most).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
            self.text.truncate(at);
            self.cut = true;
            let message = format!("Row {} was cut by GROUP_CONCAT()", self.rows);
            settings.warn(hobgoblin_sql_mysql_types::error::CUT_BY_GROUP_CONCAT, message);
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        Ok(match self.rows {
            0 => Datum::Null,
            _ => Datum::text(std::mem::take(&mut self.text)),
        })
    }
}

fn joining(types: &[TypeId]) -> Box<dyn Accumulator> {
    let types = types.iter().map(|ty| MyType::of(*ty)).collect();
    Box::new(Joining { types, text: String::new(), rows: 0, cut: false })
}

fn joining_type(types: &[MyType]) -> Result<MyType> {
    let (collation, _) = common::collation_of(types, "group_concat")?;
    let coercibility = Coercibility::Column;
    Ok(MyType { collation, coercibility, ..MyType::new(Kind::Text) })
}

/// Parts of a document.
struct Gathering {
    types: Vec<MyType>,
    parts: Vec<String>,
    object: bool,
}

impl Accumulator for Gathering {
    fn add(&mut self, cx: &mut dyn Context, args: &[Datum]) -> Result<()> {
        let env = cx.types();
        let part = |i: usize| {
            let value = args.get(i).unwrap_or(&Datum::Null);
            crate::json::part_of(value, self.types.get(i).copied().unwrap_or(MyType::NULL), &env)
        };
        self.parts.push(match self.object {
            true => {
                let key = args.first().unwrap_or(&Datum::Null);
                let key = convert::to_text(key, self.types[0], &env);
                format!("{}:{}", crate::json::quoted(&key), part(1))
            }
            false => part(0),
        });
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Context) -> Result<Datum> {
        if self.parts.is_empty() {
            return Ok(Datum::Null);
        }
        Ok(Datum::text(match self.object {
            true => format!("{{{}}}", self.parts.join(", ")),
            false => format!("[{}]", self.parts.join(",")),
        }))
    }
}

fn gathering(types: &[TypeId], object: bool) -> Box<dyn Accumulator> {
    let types = types.iter().map(|ty| MyType::of(*ty)).collect();
    Box::new(Gathering { types, parts: Vec::new(), object })
}

fn an_unsigned(types: &[MyType]) -> Result<MyType> {
    crate::entry::an_unsigned(types)
}

fn a_document(types: &[MyType]) -> Result<MyType> {
    let (collation, _) = common::collation_of(types, "json")?;
    let coercibility = Coercibility::Literal;
    Ok(MyType { collation, coercibility, ..MyType::new(Kind::Json) })
}

pub(crate) static AGGREGATES: &[Row] = &[
    row("count", (0, 255), a_bigint, |_| Box::new(Count(0))),
    row("sum", (1, 1), sum_type, |types| summing(types, Total::Sum)),
    row("avg", (1, 1), average_type, |types| summing(types, Total::Average)),
    row("min", (1, 1), same_type, |types| best(types, Some(Ordering::Less))),
    row("max", (1, 1), same_type, |types| best(types, Some(Ordering::Greater))),
    row("any_value", (1, 1), same_type, |types| best(types, None)),
    row("bit_and", (1, 1), an_unsigned, |types| bits(types, u64::MAX, |a, b| a & b)),
    row("bit_or", (1, 1), an_unsigned, |types| bits(types, 0, |a, b| a | b)),
    row("bit_xor", (1, 1), an_unsigned, |types| bits(types, 0, |a, b| a ^ b)),
    row("std", (1, 1), spread_type, |types| spread(types, false, true)),
    row("stddev", (1, 1), spread_type, |types| spread(types, false, true)),
    row("stddev_pop", (1, 1), spread_type, |types| spread(types, false, true)),
    row("stddev_samp", (1, 1), spread_type, |types| spread(types, true, true)),
    row("variance", (1, 1), spread_type, |types| spread(types, false, false)),
    row("var_pop", (1, 1), spread_type, |types| spread(types, false, false)),
    row("var_samp", (1, 1), spread_type, |types| spread(types, true, false)),
    row("group_concat", (2, 255), joining_type, joining),
    row("json_arrayagg", (1, 1), a_document, |types| gathering(types, false)),
    row("json_objectagg", (2, 2), a_document, |types| gathering(types, true)),
];

/// A function of windows by its name: what its arguments convert to, and what it gives.
pub(crate) fn window(
    name: &str,
    types: &[TypeId],
) -> Option<(WindowFunction, Vec<TypeId>, TypeId)> {
    use WindowFunction as W;
    let bigint = MyType { length: 21, ..MyType::BIGINT }.id();
    let double = MyType::DOUBLE.id();
    let own = types.first().copied().unwrap_or(TypeId::UNKNOWN);
    let (function, most, result) = match name {
        "row_number" => (W::RowNumber, 0, bigint),
        "rank" => (W::Rank, 0, bigint),
        "dense_rank" => (W::DenseRank, 0, bigint),
        "percent_rank" => (W::PercentRank, 0, double),
        "cume_dist" => (W::CumeDist, 0, double),
        "ntile" => (W::Ntile, 1, bigint),
        "lag" => (W::Lag, 3, own),
        "lead" => (W::Lead, 3, own),
        "first_value" => (W::FirstValue, 1, own),
        "last_value" => (W::LastValue, 1, own),
        "nth_value" => (W::NthValue, 2, own),
        _ => return None,
    };
    (types.len() <= most).then(|| (function, types.to_vec(), result))
}
