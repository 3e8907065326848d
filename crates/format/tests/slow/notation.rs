//! JSON values by what they mean, however they are written.

use serde_json::Value;

/// A text that equal values share: members sorted, numbers as digits and a power of ten.
pub(crate) fn meaning(json: &Value) -> String {
    match json {
        Value::Number(number) => of_number(&number.to_string()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(meaning).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name:?}:{}", meaning(value)))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

/// A number as an integer times a power of ten, the integer as small as can be.
fn of_number(text: &str) -> String {
    let lower = text.to_lowercase();
    let (mantissa, power) = lower.split_once('e').unwrap_or((&lower, "0"));
    let mut power: i64 = power.parse().expect("an exponent of a test is short");
    let mut digits: String = mantissa.chars().filter(|c| c.is_ascii_digit()).collect();
    power -= mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len()) as i64;
    while digits.len() > 1 && digits.ends_with('0') {
        digits.pop();
        power += 1;
    }
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return "0".to_owned();
    }
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    format!("{sign}{digits}e{power}")
}

/// What a text means that is JSON.
pub(crate) fn meaning_of(text: &str) -> String {
    meaning(&serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// The text of an integer within some JSON, if it is one of 64 bits.
pub(crate) fn integer(json: &Value) -> Option<i64> {
    let meaning = meaning(json);
    let (digits, power) = meaning.split_once('e').unwrap_or((&meaning, "0"));
    let (digits, power): (i128, u32) = (digits.parse().ok()?, power.parse().ok()?);
    i64::try_from(digits.checked_mul(10i128.checked_pow(power)?)?).ok()
}
