//! NATURAL_SORT_KEY: texts that compare as texts do, and the numbers in them as numbers do.
//!
//! Before the digits of a number stands how many there are, in a way that keeps the order:
//!
//! | digits | what stands before them |
//! | --- | --- |
//! | 1 to 9 | `0` to `8` |
//! | 10 to 18 | `9` and `0` to `8` |
//! | 19 to 27 | `99` and `0` to `8` |
//! | more | `999`, two digits for how many digits the next number has but one, and the number of digits but one |
//!
//! Zeros before a number do not count.

use hobgoblin_sql_mysql_types::{Coercibility, MyType, common};
use hobgoblin_sql_schema::Result;
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_value::Datum;

use crate::entry::{Entry, Read, row, text_of};

fn number(out: &mut String, digits: &str) {
    let digits = digits.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    match digits.len() - 1 {
        more @ 0..27 => {
            out.extend(std::iter::repeat_n('9', more / 9));
            out.push_str(&(more % 9).to_string());
        }
        more => out.push_str(&format!("999{:02}{more}", more.ilog10())),
    }
    out.push_str(digits);
}

fn key(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        number(&mut out, &rest[..end]);
        rest = &rest[end..];
    }
    out + rest
}

fn natural_sort_key(call: &mut Call<'_>) -> Result<Datum> {
    let key = key(&call.as_text(0));
    Ok(call.texts(key))
}

fn key_type(types: &[MyType]) -> Result<MyType> {
    let (collation, _) = common::collation_of(types, "natural_sort_key")?;
    let length = types.iter().map(|ty| common::text_length(*ty)).sum::<u32>();
    // Each digit alone becomes two.
    Ok(text_of(length.saturating_mul(2), collation, Coercibility::Literal))
}

pub(crate) static FUNCTIONS: &[Entry] =
    &[row("natural_sort_key", 1..=1, key_type, natural_sort_key)];

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn keys_have_the_order_of_numbers() {
        let numbers: Vec<String> =
            (0..1_100).map(|zeros| format!("1{}", "0".repeat(zeros))).collect();
        assert!(numbers.windows(2).all(|pair| key(&pair[0]) < key(&pair[1])));
        assert_eq!(key("a007b10"), "a07b110");
        assert_eq!(key(""), "");
    }
}
