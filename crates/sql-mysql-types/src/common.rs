//! The one type of several: of the branches of CASE, the arguments of COALESCE, the columns of UNION. And the one collation.

use hobgoblin_sql_schema::Result;
use hobgoblin_sql_value::TypeId;

use crate::collation::Collation;
use crate::error::{self, error};
use crate::my_type::{Coercibility, Kind, MyType, NOT_FIXED};

/// The type that has room for the values of all.
pub fn common_type(types: &[TypeId]) -> Result<TypeId> {
    Ok(common(&types.iter().map(|ty| MyType::of(*ty)).collect::<Vec<_>>())?.id())
}

/// The same of types.
pub fn common(types: &[MyType]) -> Result<MyType> {
    let known: Vec<MyType> = types.iter().copied().filter(|ty| ty.kind != Kind::Null).collect();
    let Some((first, rest)) = known.split_first() else { return Ok(MyType::NULL) };
    let joined = rest.iter().try_fold(*first, |joined, ty| both(joined, *ty))?;
    // Beside a NULL, an unsigned integer is a decimal, as the server has it.
    if known.len() < types.len() && joined.is_integer() && joined.unsigned {
        return Ok(decimals(joined, joined));
    }
    if rest.is_empty() {
        return Ok(joined);
    }
    if joined.is_text() {
        let collation = collation_of(types, "coalesce")?;
        return Ok(MyType { collation: collation.0, coercibility: collation.1, ..joined });
    }
    Ok(joined)
}

/// The characters that the text of a value of a type may have.
pub fn text_length(ty: MyType) -> u32 {
    match ty.kind {
        Kind::Decimal => {
            let zero = u32::from(ty.whole_digits() == 0);
            ty.length + 1 + u32::from(ty.scale > 0) + zero
        }
        Kind::Float | Kind::Double => 23,
        Kind::Bit => ty.length.div_ceil(8),
        Kind::Date => 10,
        Kind::Time => 10 + fraction(ty),
        Kind::DateTime | Kind::Timestamp => 19 + fraction(ty),
        Kind::TinyText => 255,
        Kind::Json if ty.held_loosely() => ty.length,
        Kind::Text | Kind::MediumText | Kind::LongText | Kind::Json => 0xffff,
        Kind::Enum | Kind::Set => 255,
        _ => ty.length,
    }
}

fn fraction(ty: MyType) -> u32 {
    if ty.scale > 0 { u32::from(ty.scale) + 1 } else { 0 }
}

fn both(a: MyType, b: MyType) -> Result<MyType> {
    if a == b && !matches!(a.kind, Kind::Enum | Kind::Set) {
        return Ok(a);
    }
    if a.is_integer() && b.is_integer() {
        return Ok(integers(a, b));
    }
    if a.is_number() && b.is_number() {
        if a.is_float() || b.is_float() {
            // A FLOAT has all the digits of a small integer.
            let small =
                |ty: MyType| matches!(ty.kind, Kind::Float | Kind::TinyInt | Kind::SmallInt);
            let floats = small(a) && small(b);
            let ty = if floats {
                MyType { length: 12, ..MyType::new(Kind::Float) }
            } else {
                MyType::DOUBLE
            };
            return Ok(MyType { scale: NOT_FIXED, ..ty });
        }
        return Ok(decimals(a, b));
    }
    if a.is_moment() && b.is_moment() {
        let scale = a.scale.max(b.scale);
        return Ok(match a.kind == b.kind {
            true => MyType { scale, ..a },
            false => MyType::moment(Kind::DateTime, scale),
        });
    }
    let length = text_length(a).max(text_length(b)).min(0xffff);
    let large = |ty: MyType| ty.is_text() && ty.kind > Kind::VarChar && ty.kind <= Kind::LongText;
    let kind = match (large(a), large(b)) {
        (false, false) => Kind::VarChar,
        (true, true) => a.kind.max(b.kind),
        (true, false) => a.kind,
        (false, true) => b.kind,
    };
    // A TEXT in an expression is counted in characters, of which four times as many bytes are possible.
    let kind = if kind == Kind::Text { Kind::MediumText } else { kind };
    Ok(MyType { length, ..MyType::new(kind) })
}

fn integers(a: MyType, b: MyType) -> MyType {
    let whole = |ty: MyType| if ty.kind == Kind::Truth { MyType::integer(1, false) } else { ty };
    let (a, b) = (whole(a), whole(b));
    if a.unsigned == b.unsigned {
        let kind = match (a.kind, b.kind) {
            (Kind::Bit | Kind::Year, _) | (_, Kind::Bit | Kind::Year) if a.kind != b.kind => {
                Kind::BigInt
            }
            (a, b) => a.max(b),
        };
        let length = a.length.max(b.length);
        return MyType { kind, length, zerofill: false, ..a };
    }
    // No integer has room for both.
    decimals(a, b)
}

fn decimals(a: MyType, b: MyType) -> MyType {
    let scale = a.fraction_digits().max(b.fraction_digits());
    MyType::decimal(a.whole_digits().max(b.whole_digits()) + scale, scale)
}

/// The collation in which texts of these types are compared or joined, and how hard it is held.
pub fn collation_of(types: &[MyType], what: &str) -> Result<(Collation, Coercibility)> {
    let mut found: Option<(Collation, Coercibility)> = None;
    for ty in types {
        let own = match ty.kind {
            Kind::Hex => (Collation::BINARY, Coercibility::Literal),
            Kind::Bit => (Collation::BINARY, Coercibility::Derived),
            _ if ty.is_text() || matches!(ty.kind, Kind::Enum | Kind::Set) => {
                (ty.collation, derived(ty.coercibility))
            }
            Kind::Null => continue,
            _ => (Collation::DEFAULT, Coercibility::Numeric),
        };
        found = Some(match found {
            None => own,
            Some(other) => stronger(other, own).ok_or_else(|| illegal(types, what))?,
        });
    }
    Ok(found.unwrap_or((Collation::BINARY, Coercibility::Nothing)))
}

/// The type of a call: a text that is made of no text has the collation of the connection, as constants have.
pub fn of_connection(result: MyType, args: &[MyType], connection: Collation) -> MyType {
    let loose = matches!(result.coercibility, Coercibility::Literal | Coercibility::Numeric);
    let made = result.has_letters() && loose && result.collation == Collation::DEFAULT;
    let taken = args.iter().any(|ty| ty.has_letters() && ty.collation == result.collation);
    match made && !taken {
        true => MyType { collation: connection, ..result },
        false => result,
    }
}

/// How hard a result holds to the collation of what it is made of.
fn derived(coercibility: Coercibility) -> Coercibility {
    match coercibility {
        Coercibility::Column => Coercibility::Derived,
        other => other,
    }
}

/// Which of two collations counts; nothing if none does.
fn stronger(
    a: (Collation, Coercibility),
    b: (Collation, Coercibility),
) -> Option<(Collation, Coercibility)> {
    if a.0 == b.0 {
        return Some((a.0, a.1.min(b.1)));
    }
    // A number's digits are letters of any character set.
    if a.1 >= Coercibility::Numeric || b.1 >= Coercibility::Numeric {
        return Some(if a.1 <= b.1 { a } else { b });
    }
    for (one, other) in [(a, b), (b, a)] {
        if one.0 == Collation::BINARY && one.1 <= other.1 {
            return Some(one);
        }
    }
    if a.1 != b.1 {
        return Some(if a.1 < b.1 { a } else { b });
    }
    if a.1 == Coercibility::Explicit {
        return None;
    }
    if a.0.charset() == b.0.charset() {
        return match (a.0.is_bin(), b.0.is_bin()) {
            (true, false) => Some(a),
            (false, true) => Some(b),
            _ => None,
        };
    }
    // A character set that has all of another's letters counts.
    let wide = |collation: Collation| collation.most_bytes();
    match wide(a.0).cmp(&wide(b.0)) {
        std::cmp::Ordering::Greater => Some(a),
        std::cmp::Ordering::Less => Some(b),
        std::cmp::Ordering::Equal => None,
    }
}

fn illegal(types: &[MyType], what: &str) -> hobgoblin_sql_schema::SqlError {
    let shown = |ty: &MyType| {
        let hold = match ty.coercibility {
            Coercibility::Explicit => "EXPLICIT",
            Coercibility::Mixed => "NONE",
            Coercibility::Column | Coercibility::Derived => "IMPLICIT",
            Coercibility::System => "SYSCONST",
            Coercibility::Literal => "COERCIBLE",
            Coercibility::Numeric => "NUMERIC",
            Coercibility::Nothing => "IGNORABLE",
        };
        format!("({},{hold})", ty.collation.name())
    };
    let number = match types.len() {
        0..=2 => error::ILLEGAL_COLLATIONS,
        3 => error::ILLEGAL_COLLATIONS_3,
        _ => {
            let message = format!("Illegal mix of collations for operation '{what}'");
            return error(error::ILLEGAL_COLLATIONS_N, message);
        }
    };
    let all: Vec<String> = types.iter().map(shown).collect();
    let message = format!("Illegal mix of collations {} for operation '{what}'", all.join(" and "));
    error(number, message)
}
