//! Random expressions: operators and functions over corners of every type, reproducible from a seed.

/// A source of numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "7",
    "-3",
    "10",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "9223372036854775807",
    "18446744073709551615",
    "0.5",
    "-0.5",
    "1.5",
    "2.50",
    "-2.75",
    "0.001",
    "12345.6789",
    "99999999999.99",
    "1e0",
    "1.5e0",
    "-2.5e3",
    "1e-3",
    "123456789e3",
];

const TEXTS: &[&str] = &[
    "''",
    "'a'",
    "'A'",
    "'abc'",
    "'ABC '",
    "'b'",
    "'12'",
    "'12abc'",
    "'1.5'",
    "'-7'",
    "'1e2'",
    "'x'",
    "'Ärger'",
    "'ß'",
    "'a,b,c'",
    "'2024-02-29'",
    "'2024-02-29 12:34:56'",
    "'10:11:12'",
    "'%'",
    "'a%'",
];

const MOMENTS: &[&str] = &[
    "date'2024-02-29'",
    "date'1999-12-31'",
    "timestamp'2024-02-29 12:34:56'",
    "timestamp'2000-01-01 00:00:00.25'",
    "time'10:11:12'",
    "time'-01:00:00'",
    "time'100:00:00.5'",
];

const OPERATORS: &[&str] = &["+", "-", "*", "/", "div", "%"];
const COMPARISONS: &[&str] = &["=", "<>", "<", "<=", ">", ">=", "<=>"];
const BITS: &[&str] = &["&", "|", "<<", ">>"];

/// Functions of one number.
const OF_NUMBER: &[&str] =
    &["abs", "sign", "floor", "ceil", "round", "bin", "crc32", "length", "char_length"];
/// Functions of one text.
const OF_TEXT: &[&str] = &[
    "upper",
    "lower",
    "reverse",
    "trim",
    "ltrim",
    "rtrim",
    "length",
    "char_length",
    "ascii",
    "md5",
    "quote",
    "sha1",
    "ord",
    "bit_length",
];
/// Functions of a day.
const OF_DAY: &[&str] = &[
    "year",
    "month",
    "day",
    "quarter",
    "dayofweek",
    "weekday",
    "dayofyear",
    "week",
    "weekofyear",
    "yearweek",
    "last_day",
    "to_days",
    "dayname",
    "monthname",
    "date",
];

/// One of the values.
fn value(random: &mut Random) -> &'static str {
    match random.below(8) {
        0..4 => random.pick(NUMBERS),
        4..6 => random.pick(TEXTS),
        6 => random.pick(MOMENTS),
        _ => random.pick(&["null", "0x41", "true", "1", "'1'"]),
    }
}

fn number(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return match random.below(8) {
            0 => random.pick(TEXTS).to_owned(),
            1 => "null".to_owned(),
            _ => random.pick(NUMBERS).to_owned(),
        };
    }
    match random.below(6) {
        0..3 => {
            let op = random.pick(OPERATORS);
            format!("({} {op} {})", number(random, depth - 1), number(random, 0))
        }
        3 => {
            let op = random.pick(BITS);
            format!("({} {op} {})", random.pick(NUMBERS), random.pick(NUMBERS))
        }
        4 => format!("{}({})", random.pick(OF_NUMBER), number(random, depth - 1)),
        _ => number(random, 0),
    }
}

fn text(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return match random.below(5) {
            0 => value(random).to_owned(),
            _ => random.pick(TEXTS).to_owned(),
        };
    }
    let deeper = |random: &mut Random| text(random, depth - 1);
    match random.below(10) {
        0 | 1 => format!("concat({}, {})", deeper(random), text(random, 0)),
        2 => format!("{}({})", random.pick(OF_TEXT), deeper(random)),
        3 => format!(
            "substring({}, {}, {})",
            deeper(random),
            random.below(7) as i64 - 3,
            random.below(4)
        ),
        4 => format!("left({}, {})", deeper(random), random.below(5)),
        5 => format!("replace({}, {}, {})", deeper(random), text(random, 0), text(random, 0)),
        6 => format!("lpad({}, {}, 'xy')", deeper(random), random.below(8)),
        7 => format!("locate({}, {})", text(random, 0), deeper(random)),
        8 => format!("find_in_set({}, {})", random.pick(TEXTS), random.pick(TEXTS)),
        _ => format!("concat_ws(',', {}, {})", deeper(random), text(random, 0)),
    }
}

fn condition(random: &mut Random) -> String {
    match random.below(8) {
        0..4 => {
            let op = random.pick(COMPARISONS);
            format!("{} {op} {}", value(random), value(random))
        }
        4 => format!(
            "{0} between {1} and {2}",
            random.pick(NUMBERS),
            random.pick(NUMBERS),
            random.pick(NUMBERS)
        ),
        5 => format!(
            "{} like {}",
            text(random, 0),
            random.pick(&["'a%'", "'_'", "'%b%'", "'%'", "'abc'"])
        ),
        6 => format!("{} and {}", value(random), value(random)),
        _ => format!("{} or {}", value(random), value(random)),
    }
}

/// One expression.
pub(crate) fn expression(random: &mut Random) -> String {
    let depth = 1 + random.below(2);
    match random.below(12) {
        0..2 => number(random, depth),
        2 => {
            let op = random.pick(OPERATORS);
            format!("{} {op} {}", random.pick(MOMENTS), random.pick(NUMBERS))
        }
        3..5 => text(random, depth),
        5..7 => condition(random),
        7 => {
            let from = if random.below(2) == 0 { MOMENTS } else { TEXTS };
            format!("{}({})", random.pick(OF_DAY), random.pick(from))
        }
        8 => {
            let ty = random.pick(&[
                "signed",
                "unsigned",
                "char",
                "char(3)",
                "decimal(10,2)",
                "decimal(5,1)",
                "double",
                "date",
                "datetime",
                "datetime(3)",
                "time",
                "time(2)",
                "binary",
            ]);
            format!("cast({} as {ty})", value(random))
        }
        9 => {
            let name = random.pick(&["coalesce", "ifnull", "greatest", "least", "nullif"]);
            format!("{name}({}, {})", value(random), value(random))
        }
        10 => format!("if({}, {}, {})", condition(random), value(random), value(random)),
        _ => format!(
            "case when {} then {} else {} end",
            condition(random),
            value(random),
            value(random)
        ),
    }
}
