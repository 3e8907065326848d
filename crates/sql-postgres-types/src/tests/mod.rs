//! Values against a real server: `postgres15.tsv` has what PostgreSQL 15 answered.
//!
//! A line is an operation, its arguments and the answer, with tabs between; an error is its SQLSTATE,
//! message and detail. A line `set` changes the settings for those that follow.

use std::hash::Hasher;

use super::datetime as dt;
use super::*;
use hobgoblin_sql_schema::dialect::Kept;

use crate::error::Result;
use crate::facts;

const MOOD: TypeId = TypeId(20_000);
const MOODS: TypeId = TypeId(20_001);
const ROW: TypeId = TypeId(20_002);

/// A catalogue with the enum `mood`, its array and the row type `rowt`.
struct Catalogue(EnumType);

impl Names for Catalogue {
    fn enum_type(&self, ty: TypeId) -> Option<&EnumType> {
        (ty == MOOD).then_some(&self.0)
    }
    fn type_by_name(&self, _: Option<&str>, name: &str) -> Option<TypeId> {
        [("mood", MOOD), ("rowt", ROW)].iter().find(|(n, _)| *n == name).map(|(_, ty)| *ty)
    }
    fn type_name(&self, ty: TypeId) -> Option<String> {
        [("mood", MOOD), ("rowt", ROW)].iter().find(|(_, t)| *t == ty).map(|(n, _)| (*n).into())
    }
    fn array_of(&self, element: TypeId) -> Option<TypeId> {
        (element == MOOD).then_some(MOODS)
    }
    fn element_of(&self, array: TypeId) -> Option<TypeId> {
        (array == MOODS).then_some(MOOD)
    }
    fn relation_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn relation_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
    fn schema_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn schema_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
    fn role_name(&self, _: Oid) -> Option<String> {
        None
    }
    fn role_by_name(&self, _: &str) -> Option<Oid> {
        None
    }
    fn row_fields(&self, ty: TypeId, _: i32) -> Option<Vec<(TypeId, i32)>> {
        let integers = builtin::array_of(TypeId::INT4)?;
        let fields = [TypeId::INT4, TypeId::TEXT, TypeId::TIMESTAMPTZ, integers];
        (ty == ROW).then(|| fields.into_iter().map(|ty| (ty, -1)).collect())
    }
}

fn catalogue() -> Catalogue {
    let labels = ["sad", "ok", "a b"].into_iter().zip(1u8..);
    Catalogue(EnumType {
        oid: MOOD.0,
        array: MOODS.0,
        schema: "public".into(),
        name: "mood".into(),
        labels: labels.map(|(l, n)| (u32::from(n), f32::from(n), l.into())).collect(),
        former: vec![("blue".into(), 1)],
    })
}

fn hash(datum: &Datum) -> u64 {
    let mut state = std::collections::hash_map::DefaultHasher::new();
    datum.hash_into(&mut state);
    state.finish()
}

struct Bench<'a>(TypeEnv<'a>);

impl Bench<'_> {
    fn ty(&self, name: &str) -> (TypeId, i32) {
        builtin::parse_type_name(name, self.0.names).unwrap_or_else(|| panic!("no type {name}"))
    }

    fn show(&self, datum: &Datum, (ty, typmod): (TypeId, i32)) -> String {
        if datum.is_null() { "<null>".into() } else { text::print(datum, ty, typmod, &self.0) }
    }

    fn read(&self, name: &str, value: &str) -> Result<(Datum, (TypeId, i32))> {
        let (ty, typmod) = self.ty(name);
        Ok((text::parse(value, ty, typmod, &self.0)?, (ty, typmod)))
    }

    fn numeric(&self, value: &str) -> Result<Numeric> {
        Ok(value.parse()?)
    }

    fn interval(&self, value: &str) -> Result<Interval> {
        match self.read("interval", value)?.0 {
            Datum::Interval(interval) => Ok(interval),
            other => panic!("{other:?}"),
        }
    }

    fn timestamp(&self, name: &str, value: &str) -> Result<i64> {
        match self.read(name, value)?.0 {
            Datum::Timestamp(timestamp) => Ok(timestamp),
            other => panic!("{other:?}"),
        }
    }

    /// Reads and prints, and goes through every other form on the way.
    fn round_trip(&self, name: &str, value: &str) -> Result<String> {
        let (datum, of) = self.read(name, value)?;
        let shown = self.show(&datum, of);
        if facts(of.0).kept == Kept::Printed
            && !matches!(datum, Datum::Null | Datum::Bool(_) | Datum::Int(_))
        {
            let mut kept = String::new();
            stored::print(&mut kept, &datum, of.0);
            let back = stored::parse(&kept, of.0, &self.0)?;
            assert_eq!(self.show(&back, of), shown, "stored");
            assert!(back.equal(&datum), "stored");
        }
        let mut bytes = Vec::new();
        binary::encode(&datum, of.0, of.1, &self.0, &mut bytes)?;
        let decoded = binary::decode(&bytes, of.0, of.1, &self.0)?;
        assert_eq!(self.show(&decoded, of), shown, "binary");
        for length in 0..bytes.len() {
            // Bytes that are cut off may be wrong, and must not panic.
            let _ = binary::decode(&bytes[..length], of.0, of.1, &self.0);
        }
        Ok(shown)
    }

    fn zone(&self, name: &str) -> Option<&dt::Zone> {
        (name == "timestamptz").then_some(&Format::of(&self.0).time_zone)
    }

    fn answer(&self, case: &[&str]) -> Result<String> {
        let (of_interval, of_stamp) = (self.ty("interval"), self.ty("timestamp"));
        Ok(match *case {
            ["parse", ty, value] => self.round_trip(ty, value)?,
            ["expl", to, value] => {
                let (ty, typmod) = self.ty(to);
                let datum = Datum::text(value);
                self.show(
                    &cast::cast(datum, TypeId::TEXT, ty, typmod, true, &self.0)?,
                    (ty, typmod),
                )
            }
            ["send", ty, value] => {
                let (datum, (ty, typmod)) = self.read(ty, value)?;
                let mut bytes = Vec::new();
                binary::encode(&datum, ty, typmod, &self.0, &mut bytes)?;
                bytes.iter().map(|b| format!("{b:02x}")).collect()
            }
            ["cast", from, to, value] => {
                let (datum, (from, _)) = self.read(from, value)?;
                let (to, typmod) = self.ty(to);
                if cast::context(from, to, self.0.names).is_none() {
                    return Err(cast::cannot_cast(from, to, self.0.names));
                }
                self.show(&cast::cast(datum, from, to, typmod, true, &self.0)?, (to, typmod))
            }
            ["cmp", ty, a, b] => {
                let (a, b) = (self.read(ty, a)?.0, self.read(ty, b)?.0);
                let order = a.compare(&b);
                assert_eq!(b.compare(&a), order.reverse());
                assert!(order.is_ne() || hash(&a) == hash(&b), "equal values hash alike");
                (order as i8).to_string()
            }
            ["num1", op, a] => {
                let a = self.numeric(a)?;
                match op {
                    "sqrt" => a.sqrt()?,
                    "exp" => a.exp()?,
                    "ln" => a.ln()?,
                    "log" => a.log10()?,
                    "ceil" => a.ceil(),
                    "floor" => a.floor(),
                    "abs" => a.abs(),
                    "sign" => a.sign(),
                    "-" => a.neg(),
                    _ => a.trim_scale(),
                }
                .to_string()
            }
            ["num2", op, a, b] => {
                let (a, b) = (self.numeric(a)?, self.numeric(b)?);
                match op {
                    "+" => a.add(&b)?,
                    "-" => a.sub(&b)?,
                    "*" => a.mul(&b)?,
                    "/" => a.div(&b)?,
                    "%" => a.rem(&b)?,
                    "div" => a.div_trunc(&b)?,
                    "power" => a.power(&b)?,
                    "log" => b.log(&a)?,
                    "round" => a.round(b.to_i32().unwrap_or(0)),
                    _ => a.trunc(b.to_i32().unwrap_or(0)),
                }
                .to_string()
            }
            ["tsadd", ty, a, b] => {
                let (a, b) = (self.timestamp(ty, a)?, self.interval(b)?);
                let sum = match self.zone(ty) {
                    Some(zone) => dt::timestamp_tz_add(a, &b, zone)?,
                    None => dt::timestamp_add(a, &b)?,
                };
                self.show(&Datum::Timestamp(sum), self.ty(ty))
            }
            ["tssub", ty, a, b] => {
                let span = dt::timestamp_sub(self.timestamp(ty, a)?, self.timestamp(ty, b)?)?;
                self.show(&Datum::Interval(span), of_interval)
            }
            ["age", ty, a, b] => {
                let local = |value| match self.zone(ty) {
                    Some(zone) => Ok(dt::to_local_time(self.timestamp(ty, value)?, zone)?),
                    None => self.timestamp(ty, value),
                };
                self.show(&Datum::Interval(dt::age(local(a)?, local(b)?)?), of_interval)
            }
            ["extract", ty, field, value] => match self.read(ty, value)?.0 {
                Datum::Timestamp(t) => dt::extract_timestamp(field, t, self.zone(ty))?,
                Datum::Date(days) => dt::extract_date(field, days)?,
                Datum::Time(time) => dt::extract_time(field, time)?,
                Datum::TimeTz(time, west) => dt::extract_time_tz(field, time, west)?,
                Datum::Interval(interval) => dt::extract_interval(field, &interval)?,
                other => panic!("{other:?}"),
            }
            .map_or("<null>".into(), |value| value.to_string()),
            ["date_trunc", "interval", field, value] => {
                let cut = dt::trunc_interval(field, &self.interval(value)?)?;
                self.show(&Datum::Interval(cut), of_interval)
            }
            ["date_trunc", ty, field, value] => {
                let cut = dt::trunc_timestamp(field, self.timestamp(ty, value)?, self.zone(ty))?;
                self.show(&Datum::Timestamp(cut), self.ty(ty))
            }
            ["attz", ty, value, zone] => {
                let zone = dt::zone_called(zone).unwrap_or_else(|| panic!("no zone {zone}"));
                let moment = self.timestamp(ty, value)?;
                match ty {
                    "timestamp" => {
                        let instant = Datum::Timestamp(dt::to_instant(moment, &zone)?);
                        self.show(&instant, self.ty("timestamptz"))
                    }
                    _ => self.show(&Datum::Timestamp(dt::to_local_time(moment, &zone)?), of_stamp),
                }
            }
            ["iv", op, a] => {
                let a = self.interval(a)?;
                let justified = match op {
                    "justify_hours" => a.justify_hours()?,
                    "justify_days" => a.justify_days()?,
                    _ => a.justify_interval()?,
                };
                self.show(&Datum::Interval(justified), of_interval)
            }
            ["iv", op, a, b] => {
                let a = self.interval(a)?;
                let number = || b.parse::<f64>().unwrap_or_else(|_| panic!("no number {b}"));
                let result = match op {
                    "+" => a.add(&self.interval(b)?)?,
                    "-" => a.sub(&self.interval(b)?)?,
                    "*" => a.mul(number())?,
                    _ => a.div(number())?,
                };
                self.show(&Datum::Interval(result), of_interval)
            }
            ["ftype", ty] => {
                let (ty, typmod) = self.ty(ty);
                builtin::format_type(ty, typmod, self.0.names)
            }
            _ => panic!("what is {case:?}?"),
        })
    }
}

fn settings(words: &[&str]) -> Format {
    let mut format = Format::default();
    for (name, value) in words.iter().filter_map(|word| word.split_once('=')) {
        match name {
            "tz" => format.time_zone = dt::Zone::by_name(value).expect("a zone"),
            "ds" => {
                format.date_style = match value {
                    "iso" => DateStyle::Iso,
                    "sql" => DateStyle::Sql,
                    "german" => DateStyle::German,
                    _ => DateStyle::Postgres,
                };
            }
            "order" => {
                format.date_order = match value {
                    "ymd" => DateOrder::Ymd,
                    "dmy" => DateOrder::Dmy,
                    _ => DateOrder::Mdy,
                };
            }
            "is" => {
                format.interval_style = match value {
                    "postgres" => IntervalStyle::Postgres,
                    "postgres_verbose" => IntervalStyle::PostgresVerbose,
                    "sql_standard" => IntervalStyle::SqlStandard,
                    _ => IntervalStyle::Iso8601,
                };
            }
            "efd" => format.extra_float_digits = value.parse().expect("a number"),
            _ => panic!("what is {name}?"),
        }
    }
    format
}

fn unescaped(field: &str) -> String {
    let mut out = String::new();
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                _ => '\\',
            },
            c => c,
        });
    }
    out
}

fn shown(answer: Result<String>) -> String {
    match answer {
        Ok(value) => format!("ok:{value}"),
        Err(error) => {
            let error = crate::worded(error);
            let (state, message) = (error.state().0, error.message());
            format!("err:{state}:{message}:{}", error.more.detail.unwrap_or_default())
        }
    }
}

#[test]
fn as_postgres_answers() {
    let catalogue = catalogue();
    let mut format = Format::default();
    let mut wrong = Vec::new();
    for line in include_str!("postgres15.tsv").lines() {
        let fields: Vec<String> = line.split('\t').map(unescaped).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        if let ["set", words @ ..] = fields.as_slice() {
            format = settings(words);
            continue;
        }
        let (want, case) = fields.split_last().expect("an answer");
        let got = shown(Bench(TypeEnv::new(&format, &catalogue)).answer(case));
        if got != *want {
            wrong.push(format!("{case:?}\n  got  {got}\n  want {want}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn current_time_comes_from_the_environment() {
    let (format, names) = (Format::default(), NoNames);
    let env = TypeEnv::new(&format, &names);
    let noon = dt::DAY * 100 + dt::HOUR * 12;
    let read = |text: &str, ty| {
        text::parse(text, ty, -1, &env.at(noon)).map(|d| text::print(&d, ty, -1, &env))
    };
    assert_eq!(read("now", TypeId::TIMESTAMPTZ).unwrap(), "2000-04-10 12:00:00+00");
    assert_eq!(read("tomorrow", TypeId::DATE).unwrap(), "2000-04-11");
    assert_eq!(read("yesterday 04:05", TypeId::TIMESTAMP).unwrap(), "2000-04-09 04:05:00");
    let error =
        text::parse("now", TypeId::TIMESTAMPTZ, -1, &env).map_err(crate::worded).unwrap_err();
    assert_eq!(error.state(), crate::error::SqlState::FEATURE_NOT_SUPPORTED);
}

#[test]
fn assignment_refuses_what_a_cast_cuts() {
    let (format, names) = (Format::default(), NoNames);
    let env = TypeEnv::new(&format, &names);
    let long = || Datum::text("abcdef");
    let error = cast::coerce_typmod(long(), TypeId::VARCHAR, 7, false, &env).unwrap_err();
    assert_eq!(error.message(), "value too long for type character varying(3)");
    let cut = cast::coerce_typmod(long(), TypeId::VARCHAR, 7, true, &env).unwrap();
    assert_eq!(text::print(&cut, TypeId::VARCHAR, 7, &env), "abc");
    let blanks = Datum::text("ab     ");
    let kept = cast::coerce_typmod(blanks, TypeId::VARCHAR, 7, false, &env).unwrap();
    assert_eq!(text::print(&kept, TypeId::VARCHAR, 7, &env), "ab ");
}

#[test]
fn groups_treat_nulls_and_equal_numbers_alike() {
    let group = |n: &str| Grouped(vec![Datum::Null, Datum::Numeric(n.parse().unwrap())]);
    let set: std::collections::HashSet<Grouped> =
        ["1.0", "1.00", "1e0", "2"].into_iter().map(group).collect();
    assert_eq!(set.len(), 2);
}
