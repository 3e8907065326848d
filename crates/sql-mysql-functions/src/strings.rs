//! Texts: parts of them, places in them, letters put together.
//!
//! Letters are counted from 1; a negative place counts from the end. Places are found under the collation that counts, so that
//! `LOCATE('B', 'abc')` is 2. Of bytes, bytes are counted.

use hobgoblin_sql_mysql_types::error::ALLOWED_PACKET;
use hobgoblin_sql_mysql_types::{
    Charset, Coercibility, Collation, Kind, MyType, common, convert, number,
};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::{Datum, Numeric};

use crate::entry::{Entry, Read, a_text, an_int, int, joined, like_first, or_null, row, text_of};

/// What counts of a value: its letters, or its bytes as if each were one.
fn letters(call: &Call<'_>, i: usize) -> Vec<char> {
    match call.arg(i) {
        Datum::Bytes(bytes) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        _ if call.my(i).kind == Kind::Bit => {
            call.as_bytes(i).iter().map(|byte| char::from(*byte)).collect()
        }
        _ => call.as_text(i).chars().collect(),
    }
}

/// Letters as the result has them.
fn made(call: &Call<'_>, letters: impl IntoIterator<Item = char>) -> Datum {
    let of_bytes = matches!(call.arg(0), Datum::Bytes(_)) || call.my(0).kind == Kind::Bit;
    let bytes = of_bytes && call.out().is_bytes();
    match bytes {
        true => {
            let bytes: Vec<u8> =
                letters.into_iter().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect();
            Datum::Bytes(bytes.into())
        }
        false => call.texts(letters.into_iter().collect::<String>()),
    }
}

/// A count that is an argument; below zero it is zero.
fn count(call: &Call<'_>, i: usize) -> usize {
    usize::try_from(call.as_integer(i).max(0)).unwrap_or(usize::MAX)
}

/// A result that is too long is NULL, and told of.
fn too_long(call: &Call<'_>, bytes: usize) -> bool {
    let most = call.settings().most_bytes;
    if bytes <= most {
        return false;
    }
    call.settings().warn(
        ALLOWED_PACKET,
        format!("Result of a function was larger than max_allowed_packet ({most}) - truncated"),
    );
    true
}

fn concat(call: &mut Call<'_>) -> Result<Datum> {
    if call.out().is_bytes() {
        let all = (0..call.args.len()).flat_map(|i| call.as_bytes(i).into_owned());
        return Ok(Datum::Bytes(all.collect::<Vec<u8>>().into()));
    }
    let mut out = String::new();
    for i in 0..call.args.len() {
        out.push_str(&call.as_text(i));
    }
    let long = too_long(call, out.len());
    or_null((!long).then(|| Datum::text(out)))
}

fn concat_ws(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Null);
    }
    let parts: Vec<String> = (1..call.args.len())
        .filter(|&i| !call.null(i))
        .map(|i| call.as_text(i).into_owned())
        .collect();
    Ok(call.texts(parts.join(&call.as_text(0))))
}

fn substring(call: &mut Call<'_>) -> Result<Datum> {
    let letters = letters(call, 0);
    let total = letters.len() as i128;
    let place = call.as_integer(1);
    let start = match place {
        0 => return Ok(made(call, [])),
        1.. => place - 1,
        _ => total + place,
    };
    let length = if call.args.len() > 2 { call.as_integer(2) } else { total };
    if !(0..total).contains(&start) || length <= 0 {
        return Ok(made(call, []));
    }
    let end = (start + length.min(total)).min(total);
    Ok(made(call, letters[start as usize..end as usize].iter().copied()))
}

fn left(call: &mut Call<'_>) -> Result<Datum> {
    let length = count(call, 1);
    Ok(made(call, letters(call, 0).into_iter().take(length)))
}

fn right(call: &mut Call<'_>) -> Result<Datum> {
    let letters = letters(call, 0);
    let skipped = letters.len().saturating_sub(count(call, 1));
    Ok(made(call, letters.into_iter().skip(skipped)))
}

/// Before or after so many delimiters; these compare byte by byte.
fn substring_index(call: &mut Call<'_>) -> Result<Datum> {
    let (text, delimiter, wanted) = (call.as_text(0), call.as_text(1), call.as_integer(2));
    if delimiter.is_empty() || wanted == 0 {
        return Ok(call.texts(""));
    }
    let nth = usize::try_from(wanted.unsigned_abs() - 1).unwrap_or(usize::MAX);
    let part = match wanted > 0 {
        true => text.match_indices(&*delimiter).nth(nth).map_or(&*text, |(at, _)| &text[..at]),
        false => {
            let found = text.rmatch_indices(&*delimiter).nth(nth);
            found.map_or(&*text, |(at, _)| &text[at + delimiter.len()..])
        }
    };
    Ok(call.texts(part))
}

fn pad(call: &mut Call<'_>, before: bool) -> Result<Datum> {
    let wanted = call.as_integer(1);
    if wanted < 0 {
        return Ok(Datum::Null);
    }
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    let letters = letters(call, 0);
    if wanted <= letters.len() {
        return Ok(made(call, letters.into_iter().take(wanted)));
    }
    let padding: Vec<char> = match call.args.len() {
        2 => vec![' '],
        _ => call.as_text(2).chars().collect(),
    };
    if padding.is_empty() {
        return Ok(Datum::Null);
    }
    if too_long(call, wanted) {
        return Ok(Datum::Null);
    }
    let missing = wanted - letters.len();
    let padding = padding.into_iter().cycle().take(missing);
    Ok(match before {
        true => made(call, padding.chain(letters)),
        false => made(call, letters.into_iter().chain(padding)),
    })
}

fn trim(call: &mut Call<'_>, start: bool, end: bool) -> Result<Datum> {
    let text = call.as_text(0);
    let what = if call.args.len() > 1 { call.as_text(1).into_owned() } else { " ".to_owned() };
    let mut rest = &*text;
    if !what.is_empty() {
        while start && let Some(shorter) = rest.strip_prefix(&what) {
            rest = shorter;
        }
        while end && let Some(shorter) = rest.strip_suffix(&what) {
            rest = shorter;
        }
    }
    Ok(call.texts(rest))
}

fn collation(call: &Call<'_>) -> Result<Collation> {
    let types: Vec<MyType> = call.types.iter().take(2).map(|ty| MyType::of(*ty)).collect();
    Ok(common::collation_of(&types, "locate")?.0)
}

/// The place of a part from a place on, both from 0. As the server looks for it, a match has as many bytes as the part: `a` is not
/// found in `ä`, though the two are equal.
fn find(part: &[char], whole: &[char], from: usize, collation: Collation) -> Option<usize> {
    let same = |at: &usize| {
        let pairs = || whole[*at..].iter().zip(part);
        let bytes = |a: &char, b: &char| a.len_utf8() == b.len_utf8();
        pairs().all(|(a, b)| collation.same(*a, *b) && bytes(a, b))
    };
    let last = whole.len().checked_sub(part.len())?;
    (from..=last).find(same)
}

fn place(found: Option<usize>) -> Datum {
    Datum::Int(found.map_or(0, |at| at as i64 + 1))
}

fn locate(call: &mut Call<'_>) -> Result<Datum> {
    let collation = collation(call)?;
    let from = if call.args.len() > 2 { call.as_integer(2) } else { 1 };
    let (part, whole) = (letters(call, 0), letters(call, 1));
    let from = usize::try_from(from - 1).ok().filter(|from| *from <= whole.len());
    Ok(place(from.and_then(|from| find(&part, &whole, from, collation))))
}

fn instr(call: &mut Call<'_>) -> Result<Datum> {
    let collation = collation(call)?;
    let (whole, part) = (letters(call, 0), letters(call, 1));
    Ok(place(find(&part, &whole, 0, collation)))
}

/// The binder's POSITION, whole before part.
fn position(call: &mut Call<'_>) -> Result<Datum> {
    instr(call)
}

fn replace(call: &mut Call<'_>) -> Result<Datum> {
    let (text, from, to) = (call.as_text(0), call.as_text(1), call.as_text(2));
    if from.is_empty() {
        return Ok(call.texts(&*text));
    }
    let grown = text.matches(&*from).count().saturating_mul(to.len());
    if too_long(call, text.len().saturating_add(grown)) {
        return Ok(Datum::Null);
    }
    Ok(call.texts(text.replace(&*from, &to)))
}

fn repeat(call: &mut Call<'_>) -> Result<Datum> {
    let (text, times) = (call.as_text(0), count(call, 1));
    if text.is_empty() {
        return Ok(call.texts(""));
    }
    if too_long(call, text.len().saturating_mul(times)) {
        return Ok(Datum::Null);
    }
    Ok(call.texts(text.repeat(times)))
}

fn space(call: &mut Call<'_>) -> Result<Datum> {
    let times = count(call, 0);
    match too_long(call, times) {
        true => Ok(Datum::Null),
        false => Ok(Datum::text(" ".repeat(times))),
    }
}

fn insert(call: &mut Call<'_>) -> Result<Datum> {
    let letters = letters(call, 0);
    let (place, length) = (call.as_integer(1), call.as_integer(2));
    let total = letters.len() as i128;
    if place < 1 || place > total {
        return Ok(made(call, letters));
    }
    let start = (place - 1) as usize;
    let rest = total - (place - 1);
    let cut = if (0..=rest).contains(&length) { length } else { rest } as usize;
    let new: Vec<char> = call.as_text(3).chars().collect();
    let whole = letters[..start].iter().copied().chain(new);
    let whole: Vec<char> = whole.chain(letters[start + cut..].iter().copied()).collect();
    Ok(made(call, whole))
}

fn reverse(call: &mut Call<'_>) -> Result<Datum> {
    let letters = letters(call, 0);
    Ok(made(call, letters.into_iter().rev()))
}

/// Every letter on its own, where the other case of it is one letter too.
fn cased(call: &mut Call<'_>, upper: bool) -> Result<Datum> {
    if let Datum::Bytes(bytes) = call.arg(0) {
        return Ok(Datum::Bytes(bytes.clone()));
    }
    let text = call.as_text(0);
    let one = |letter: char| {
        let mut cases: Vec<char> = match upper {
            true => letter.to_uppercase().collect(),
            false => letter.to_lowercase().collect(),
        };
        match cases.len() {
            1 => cases.pop().unwrap_or(letter),
            _ => letter,
        }
    };
    Ok(call.texts(text.chars().map(one).collect::<String>()))
}

fn length(call: &mut Call<'_>) -> Result<Datum> {
    let letters = call.as_text(0).chars().count();
    let narrow = call.my(0).has_letters() && call.my(0).collation.most_bytes() == 1;
    Ok(Datum::Int(if narrow { letters } else { call.as_bytes(0).len() } as i64))
}

fn bit_length(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.as_bytes(0).len() as i64 * 8))
}

fn char_length(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(letters(call, 0).len() as i64))
}

fn ascii(call: &mut Call<'_>) -> Result<Datum> {
    Ok(Datum::Int(call.as_bytes(0).first().map_or(0, |byte| i64::from(*byte))))
}

/// The bytes of the first letter as a number.
fn ord(call: &mut Call<'_>) -> Result<Datum> {
    if let Datum::Bytes(bytes) = call.arg(0) {
        return Ok(Datum::Int(bytes.first().map_or(0, |byte| i64::from(*byte))));
    }
    if call.my(0).kind == Kind::Bit {
        return ascii(call);
    }
    let text = call.as_text(0);
    let first = text.chars().next().map(|letter| letter.to_string()).unwrap_or_default();
    Ok(Datum::Int(first.bytes().fold(0, |number, byte| number << 8 | i64::from(byte))))
}

/// The bytes of a number, at least one.
fn bytes_of(number: u32) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let zeros = (number.leading_zeros() / 8).min(3) as usize;
    bytes[zeros..].to_vec()
}

/// Bytes of the numbers.
fn char_of(call: &mut Call<'_>) -> Result<Datum> {
    let given = (0..call.args.len()).filter(|&i| !call.null(i));
    let bytes: Vec<u8> = given.flat_map(|i| bytes_of(call.as_integer(i) as u32)).collect();
    Ok(Datum::Bytes(bytes.into()))
}

/// The letter of a number: its bytes in the character set of the connection.
fn chr(call: &mut Call<'_>) -> Result<Datum> {
    let bytes = bytes_of(call.as_integer(0) as u32);
    let charset = Charset::of(call.out().collation);
    if let Some(text) = charset.decode(&bytes) {
        return Ok(Datum::text(text));
    }
    let good = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let shown: String = bytes[good..].iter().take(3).map(|byte| format!("{byte:02X}")).collect();
    let name = call.out().collation.charset();
    call.settings().warn(1300, format!("Invalid {name} character string: '{shown}'"));
    Ok(Datum::Null)
}

fn letter_type(_: &[MyType]) -> Result<MyType> {
    Ok(text_of(4, Collation::DEFAULT, Coercibility::Literal))
}

fn elt(call: &mut Call<'_>) -> Result<Datum> {
    let place = if call.null(0) { 0 } else { call.as_integer(0) };
    match usize::try_from(place) {
        Ok(i @ 1..) if i < call.args.len() && !call.null(i) => {
            Ok(call.texts(call.as_text(i).into_owned()))
        }
        _ => Ok(Datum::Null),
    }
}

fn elt_type(types: &[MyType]) -> Result<MyType> {
    let texts = types.get(1..).unwrap_or_default();
    let (collation, hold) = common::collation_of(texts, "elt")?;
    let length = texts.iter().map(|ty| common::text_length(*ty)).max().unwrap_or(0);
    Ok(text_of(length, collation, hold))
}

fn field(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::Int(0));
    }
    let types: Vec<MyType> = call.types.iter().map(|ty| MyType::of(*ty)).collect();
    let texts = types.iter().all(|ty| !ty.is_number());
    let numbers = types.iter().all(|ty| ty.is_integer() || ty.kind == Kind::Decimal);
    let env = call.env();
    let key = |i: usize| -> Datum {
        match (texts, numbers) {
            (true, _) => {
                let (collation, _) = common::collation_of(&types, "field")
                    .unwrap_or((Collation::DEFAULT, Coercibility::Nothing));
                Datum::Bytes(collation.key(&convert::to_text(call.arg(i), types[i], &env)).into())
            }
            (false, true) => Datum::Numeric(convert::to_numeric(call.arg(i), types[i], &env)),
            (false, false) => Datum::Float(convert::to_double(call.arg(i), types[i], &env)),
        }
    };
    let wanted = key(0);
    let found = (1..call.args.len()).find(|&i| !call.null(i) && key(i).equal(&wanted));
    Ok(Datum::Int(found.unwrap_or(0) as i64))
}

fn find_in_set(call: &mut Call<'_>) -> Result<Datum> {
    let collation = collation(call)?;
    let (part, set) = (call.as_text(0), call.as_text(1));
    if set.is_empty() || part.contains(',') {
        return Ok(Datum::Int(0));
    }
    let part: Vec<char> = part.chars().collect();
    let is_part = |member: &str| {
        let letters = member.chars().count() == part.len();
        letters && member.chars().zip(&part).all(|(a, b)| collation.same(a, *b))
    };
    Ok(place(set.split(',').position(is_part)))
}

fn strcmp(call: &mut Call<'_>) -> Result<Datum> {
    let order = match collation(call)? == Collation::BINARY {
        true => call.as_bytes(0).cmp(&call.as_bytes(1)),
        false => collation(call)?.compare(&call.as_text(0), &call.as_text(1)),
    };
    Ok(Datum::Int(order as i64))
}

/// A number with commas between thousands and so many digits after the point.
fn format(call: &mut Call<'_>) -> Result<Datum> {
    let digits = call.as_integer(1).clamp(0, 38) as i32;
    let exact = match call.arg(0) {
        Datum::Float(value) => {
            let text = std::format!("{value:.*}", digits as usize);
            text.parse().unwrap_or(Numeric::ZERO)
        }
        Datum::Text(_) | Datum::Bytes(_) => {
            let value = call.as_double(0);
            let text = std::format!("{value:.*}", digits as usize);
            text.parse().unwrap_or(Numeric::ZERO)
        }
        _ => call.as_numeric(0).round(digits),
    };
    let text = exact.round(digits).to_string();
    let (sign, rest) = text.strip_prefix('-').map_or(("", &*text), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(w, f)| (w, Some(f)));
    let mut out = sign.to_owned();
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    Ok(call.texts(out))
}

fn quote(call: &mut Call<'_>) -> Result<Datum> {
    if call.null(0) {
        return Ok(Datum::text("NULL"));
    }
    let mut out = "'".to_owned();
    for letter in call.as_text(0).chars() {
        match letter {
            '\\' | '\'' => out.extend(['\\', letter]),
            '\0' => out.push_str("\\0"),
            '\u{1a}' => out.push_str("\\Z"),
            _ => out.push(letter),
        }
    }
    out.push('\'');
    Ok(call.texts(out))
}

fn soundex(call: &mut Call<'_>) -> Result<Datum> {
    const CODES: &[u8; 26] = b"01230120022455012623010202";
    let text = call.as_text(0);
    let code = |letter: char| {
        let at = (letter.to_ascii_uppercase() as u32).checked_sub('A' as u32)?;
        CODES.get(at as usize).map(|code| char::from(*code))
    };
    let mut letters = text.chars().filter(|letter| letter.is_alphabetic());
    let Some(first) = letters.next() else { return Ok(call.texts("")) };
    let mut out = first.to_uppercase().collect::<String>();
    let mut last = code(first);
    for letter in letters {
        let found = code(letter);
        match found {
            Some('0') if matches!(letter.to_ascii_uppercase(), 'H' | 'W') => {}
            Some('0') | None => last = found,
            Some(digit) if last != found => {
                out.push(digit);
                last = found;
            }
            Some(_) => {}
        }
    }
    while out.chars().count() < 4 {
        out.push('0');
    }
    Ok(call.texts(out))
}

fn weight(call: &mut Call<'_>) -> Result<Datum> {
    let my = call.my(0);
    Ok(match call.arg(0) {
        Datum::Bytes(bytes) => Datum::Bytes(bytes.clone()),
        _ => Datum::Bytes(my.collation.key(&call.as_text(0)).into()),
    })
}

fn key_type(types: &[MyType]) -> Result<MyType> {
    let collation = types.first().map_or(Collation::BINARY, |ty| ty.collation);
    Ok(MyType::key(collation))
}

fn charset(call: &mut Call<'_>) -> Result<Datum> {
    let my = call.my(0);
    let collation = if my.is_text() { my.collation } else { Collation::BINARY };
    Ok(Datum::text(collation.charset()))
}

fn collation_name(call: &mut Call<'_>) -> Result<Datum> {
    let my = call.my(0);
    let collation = if my.is_text() { my.collation } else { Collation::BINARY };
    Ok(Datum::text(collation.name()))
}

/// How hard a value holds to its collation.
fn coercibility(call: &mut Call<'_>) -> Result<Datum> {
    let my = call.my(0);
    let hold = match my.coercibility {
        _ if my.kind == Kind::Null => 6,
        _ if my.is_number() || my.is_moment() => 5,
        Coercibility::Explicit => 0,
        Coercibility::Mixed => 1,
        Coercibility::Column | Coercibility::Derived => 2,
        Coercibility::System => 3,
        Coercibility::Literal => 4,
        Coercibility::Numeric => 5,
        Coercibility::Nothing => 6,
    };
    Ok(Datum::Int(hold))
}

/// A part is as long as a constant in the last place says.
fn shortened(_: &[MyType], constants: &[Option<&Datum>], out: MyType) -> MyType {
    let last = constants.last().copied().flatten().and_then(number::integer_of);
    match last {
        Some(length) if i128::from(out.length) > length => {
            let length = u32::try_from(length.max(0)).unwrap_or(0);
            text_of(length, out.collation, out.coercibility)
        }
        _ => out,
    }
}

/// The same where the second argument is a place.
fn shortened_by_third(types: &[MyType], constants: &[Option<&Datum>], out: MyType) -> MyType {
    if types.len() > 2 { shortened(types, constants, out) } else { out }
}

fn place_type(_: &[MyType]) -> Result<MyType> {
    Ok(int(10))
}

fn short(_: &[MyType]) -> Result<MyType> {
    Ok(int(3))
}

fn bytes_of_char(types: &[MyType]) -> Result<MyType> {
    Ok(MyType::bytes(types.len() as u32 * 4))
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("concat", 1..=255, joined, concat),
    row("concat_ws", 2..=255, joined, concat_ws).with_nulls(),
    row("substring", 2..=3, like_first, substring).refined(shortened_by_third),
    row("substr", 2..=3, like_first, substring).refined(shortened_by_third),
    row("mid", 3..=3, like_first, substring).refined(shortened),
    row("left", 2..=2, like_first, left).refined(shortened),
    row("right", 2..=2, like_first, right).refined(shortened),
    row("substring_index", 3..=3, like_first, substring_index),
    row("lpad", 2..=3, joined, |call| pad(call, true)),
    row("rpad", 2..=3, joined, |call| pad(call, false)),
    row("trim", 1..=2, like_first, |call| trim(call, true, true)),
    row("btrim", 1..=2, like_first, |call| trim(call, true, true)),
    row("ltrim", 1..=2, like_first, |call| trim(call, true, false)),
    row("rtrim", 1..=2, like_first, |call| trim(call, false, true)),
    row("locate", 2..=3, an_int, locate),
    row("position", 2..=2, an_int, position),
    row("instr", 2..=2, an_int, instr),
    row("replace", 3..=3, joined, replace),
    row("repeat", 2..=2, like_first, repeat),
    row("space", 1..=1, a_text, space),
    row("insert", 4..=4, joined, insert),
    row("reverse", 1..=1, like_first, reverse),
    row("lower", 1..=1, like_first, |call| cased(call, false)),
    row("lcase", 1..=1, like_first, |call| cased(call, false)),
    row("upper", 1..=1, like_first, |call| cased(call, true)),
    row("ucase", 1..=1, like_first, |call| cased(call, true)),
    row("length", 1..=1, place_type, length),
    row("octet_length", 1..=1, place_type, length),
    row("bit_length", 1..=1, crate::entry::a_bigint, bit_length),
    row("char_length", 1..=1, place_type, char_length),
    row("character_length", 1..=1, place_type, char_length),
    row("ascii", 1..=1, short, ascii),
    row("ord", 1..=1, an_int, ord),
    row("char", 1..=255, bytes_of_char, char_of).with_nulls(),
    row("chr", 1..=1, letter_type, chr),
    row("elt", 2..=255, elt_type, elt).with_nulls(),
    row("field", 2..=255, short, field).with_nulls(),
    row("find_in_set", 2..=2, short, find_in_set),
    row("strcmp", 2..=2, short, strcmp),
    row("format", 2..=2, a_text, format),
    row("quote", 1..=1, like_first, quote).with_nulls(),
    row("soundex", 1..=1, like_first, soundex),
    row("weight", 1..=1, key_type, weight),
    row("charset", 1..=1, a_text, charset).with_nulls(),
    row("collation", 1..=1, a_text, collation_name).with_nulls(),
    row("coercibility", 1..=1, place_type, coercibility).with_nulls(),
];
