//! TO_CHAR: a moment by a format of Oracle's.
//!
//! | part | what |
//! | --- | --- |
//! | `YYYY`, `YYY`, `YY`, `Y`, `RRRR`, `RR` | the year, or its last digits |
//! | `MM`, `MON`, `MONTH` | the month; a whole name has blanks after it, as many as the longest one needs |
//! | `DD`, `DY`, `DAY` | the day, or its name |
//! | `HH`, `HH12`, `HH24`, `MI`, `SS` | the time |
//! | `AM`, `PM`, `A.M.`, `P.M.` | the half of the day, with points or without |
//! | `AD`, `BC`, `A.D.`, `B.C.` | the era, which is always this one |
//! | `"…"` | a text |
//!
//! Signs stand for themselves, but for a `|` between two parts, which only parts them. Anything else is refused.

use hobgoblin_sql_mysql_types::error::error;
use hobgoblin_sql_mysql_types::temporal::{Moment, clock};
use hobgoblin_sql_mysql_types::{Coercibility, Collation, Kind, MyType};
use hobgoblin_sql_schema::function::Call;
use hobgoblin_sql_schema::{Result, SqlError};
use hobgoblin_sql_value::Datum;

use super::parts::{month_name, weekday_name};
use crate::entry::{Entry, Read, or_null, row, text_of};

/// The format where none is given.
const USUAL: &str = "YYYY-MM-DD HH24:MI:SS";

/// The longest format, in bytes.
const LONGEST: usize = 144;

/// How many characters of what is wrong are shown.
const SHOWN: usize = 8;

/// A part of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// So many of the last digits of the year.
    Year(usize),
    Month,
    MonthShort,
    MonthName,
    Day,
    DayShort,
    DayName,
    Hour12,
    Hour24,
    Minute,
    Second,
    Half {
        points: bool,
    },
    Era {
        points: bool,
    },
}

/// Those that there are; the longer of two comes first.
const PARTS: &[(&str, Part)] = &[
    ("YYYY", Part::Year(4)),
    ("YYY", Part::Year(3)),
    ("YY", Part::Year(2)),
    ("Y", Part::Year(1)),
    ("RRRR", Part::Year(4)),
    ("MONTH", Part::MonthName),
    ("MON", Part::MonthShort),
    ("MM", Part::Month),
    ("MI", Part::Minute),
    ("DAY", Part::DayName),
    ("DY", Part::DayShort),
    ("DD", Part::Day),
    ("HH24", Part::Hour24),
    ("HH12", Part::Hour12),
    ("HH", Part::Hour12),
    ("SS", Part::Second),
    ("A.M.", Part::Half { points: true }),
    ("P.M.", Part::Half { points: true }),
    ("AM", Part::Half { points: false }),
    ("PM", Part::Half { points: false }),
    ("A.D.", Part::Era { points: true }),
    ("B.C.", Part::Era { points: true }),
    ("AD", Part::Era { points: false }),
    ("BC", Part::Era { points: false }),
];

/// The part that a format begins with, and its letters.
fn part(format: &str) -> Option<(Part, usize)> {
    let begins =
        |word: &str| format.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    // Three are neither four nor two.
    if begins("RR") && !begins("RRR") {
        return Some((Part::Year(2), 2));
    }
    PARTS.iter().find(|(word, _)| begins(word)).map(|(word, part)| (*part, word.len()))
}

fn is_sign(letter: char) -> bool {
    letter == ' ' || letter.is_ascii_punctuation() && letter != '"'
}

/// A piece of a format.
enum Piece<'f> {
    Part(Part),
    Text(&'f str),
}

/// The pieces of a format; what is wrong of one that is none.
fn pieces(format: &str) -> Result<Vec<Piece<'_>>, String> {
    if format.len() > LONGEST {
        return Err("datetime format string is too long".to_owned());
    }
    let (mut pieces, mut rest) = (Vec::new(), format);
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let (text, after) = rest[1..].split_once('"').unwrap_or((&rest[1..], ""));
            pieces.push(Piece::Text(text));
            rest = after;
        } else if is_sign(first) {
            let end = rest.find(|letter| !is_sign(letter)).unwrap_or(rest.len());
            let signs = &rest[..end];
            pieces.push(Piece::Text(signs.strip_prefix('|').unwrap_or(signs)));
            rest = &rest[end..];
        } else if let Some((part, length)) = part(rest) {
            pieces.push(Piece::Part(part));
            rest = &rest[length..];
        } else {
            let mut end = rest.len().min(SHOWN);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            return Err(format!("date format not recognized at {}", &rest[..end]));
        }
    }
    Ok(pieces)
}

/// A moment by the pieces of a format.
fn formatted(moment: Moment, pieces: &[Piece<'_>]) -> String {
    let mut out = String::new();
    let day = moment.day;
    let (hours, minutes, seconds, _) = clock(moment.micros);
    for piece in pieces {
        let part = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Part(part) => *part,
        };
        let weekday = || if day.is_real() { weekday_name(day) } else { "00" };
        let month = month_name(day.month).unwrap_or("00");
        out.push_str(&match part {
            Part::Year(digits) => format!("{:04}", day.year)[4 - digits..].to_owned(),
            Part::Month => format!("{:02}", day.month),
            Part::MonthShort => month.chars().take(3).collect(),
            Part::MonthName if day.month == 0 => month.to_owned(),
            Part::MonthName => format!("{month:9}"),
            Part::Day => format!("{:02}", day.day),
            Part::DayShort => weekday().chars().take(3).collect(),
            Part::DayName if !day.is_real() => weekday().to_owned(),
            Part::DayName => format!("{:9}", weekday()),
            Part::Hour12 => format!("{:02}", (hours + 11) % 12 + 1),
            Part::Hour24 => format!("{hours:02}"),
            Part::Minute => format!("{minutes:02}"),
            Part::Second => format!("{seconds:02}"),
            Part::Half { points } => {
                let letter = if hours < 12 { 'A' } else { 'P' };
                if points { format!("{letter}.M.") } else { format!("{letter}M") }
            }
            Part::Era { points } => (if points { "A.D." } else { "AD" }).to_owned(),
        });
    }
    out
}

fn message(what: &str) -> String {
    format!("Invalid argument error: {what} in function to_char.")
}

fn refused(what: &str) -> SqlError {
    error(3047, message(what))
}

fn to_char(call: &mut Call<'_>, constant: bool) -> Result<Datum> {
    let format = if call.args.len() > 1 { call.as_text(1) } else { USUAL.into() };
    let pieces = match pieces(&format) {
        Ok(pieces) => pieces,
        Err(what) if constant => return Err(refused(&what)),
        Err(what) => {
            call.settings().warn(3047, message(&what));
            return Ok(Datum::Null);
        }
    };
    let moment = match call.arg(0) {
        Datum::Null => None,
        // A time is of no day.
        Datum::Time(micros) => Some(Moment { micros: micros.abs(), ..Moment::default() }),
        _ => call.as_moment(0),
    };
    or_null(moment.map(|moment| call.texts(formatted(moment, &pieces))))
}

fn text_type(types: &[MyType]) -> Result<MyType> {
    let first = types.first().copied().unwrap_or(MyType::NULL);
    let dated =
        first.is_moment() || first.is_text() || matches!(first.kind, Kind::Enum | Kind::Set);
    match dated {
        true => Ok(text_of(255, Collation::DEFAULT, Coercibility::Literal)),
        false => {
            Err(refused("data type of first argument must be type date/datetime/time or string"))
        }
    }
}

pub(crate) static FUNCTIONS: &[Entry] = &[
    row("to_char", 1..=2, text_type, |call| to_char(call, false)),
    // A format that is written out is looked at before anything else.
    row("to_char_of_constant", 2..=2, text_type, |call| to_char(call, true)).with_nulls(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_parts_and_signs() {
        let moment = Moment::of_number(757_861_200_000_000).expect("it is one");
        let said = |format: &str| pieces(format).map(|pieces| formatted(moment, &pieces));
        let cases = [
            ("YYYY|MM", Ok("202401")),
            ("|||", Ok("||")),
            ("-|-", Ok("-|-")),
            ("\"a b", Ok("a b")),
            ("YYYYY", Ok("20244")),
            ("DYY", Ok("Sat4")),
            ("", Ok("")),
            ("RRR", Err("date format not recognized at RRR")),
            ("MONTH中文文字", Err("date format not recognized at 中文")),
        ];
        for (format, wanted) in cases {
            assert_eq!(said(format).as_deref().map_err(String::as_str), wanted, "{format}");
        }
        assert!(pieces(&"-".repeat(LONGEST + 1)).is_err());
    }
}
