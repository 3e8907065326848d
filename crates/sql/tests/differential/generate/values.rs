//! The types of columns, and constants of them.

use super::random::Random;

/// A type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Int2,
    Int4,
    Int8,
    Numeric,
    Money,
    Float8,
    Text,
    Varchar,
    Char,
    Bool,
    Date,
    Time,
    Timestamp,
    Timestamptz,
    Interval,
    Uuid,
    Jsonb,
    Bytea,
    IntArray,
    TextArray,
    Enum,
}

impl Type {
    pub(super) const ALL: [Type; 21] = [
        Type::Int2,
        Type::Int4,
        Type::Int8,
        Type::Numeric,
        Type::Money,
        Type::Float8,
        Type::Text,
        Type::Varchar,
        Type::Char,
        Type::Bool,
        Type::Date,
        Type::Time,
        Type::Timestamp,
        Type::Timestamptz,
        Type::Interval,
        Type::Uuid,
        Type::Jsonb,
        Type::Bytea,
        Type::IntArray,
        Type::TextArray,
        Type::Enum,
    ];

    /// As a definition writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Type::Int2 => "smallint",
            Type::Int4 => "int",
            Type::Int8 => "bigint",
            Type::Numeric => "numeric",
            Type::Money => "numeric(10,2)",
            Type::Float8 => "double precision",
            Type::Text => "text",
            Type::Varchar => "varchar(6)",
            Type::Char => "char(4)",
            Type::Bool => "boolean",
            Type::Date => "date",
            Type::Time => "time",
            Type::Timestamp => "timestamp",
            Type::Timestamptz => "timestamptz",
            Type::Interval => "interval",
            Type::Uuid => "uuid",
            Type::Jsonb => "jsonb",
            Type::Bytea => "bytea",
            Type::IntArray => "int[]",
            Type::TextArray => "text[]",
            Type::Enum => "mood",
        }
    }

    pub(super) fn is_integer(self) -> bool {
        matches!(self, Type::Int2 | Type::Int4 | Type::Int8)
    }

    pub(super) fn is_number(self) -> bool {
        self.is_integer() || matches!(self, Type::Numeric | Type::Money | Type::Float8)
    }

    /// Whether min and max take it, and print what they found: padding is only known of columns.
    pub(super) fn has_extremes(self) -> bool {
        !matches!(self, Type::Bool | Type::Uuid | Type::Jsonb | Type::Bytea | Type::Char)
    }
}

/// A constant of a type, quoted as needed, without NULL.
pub(super) fn constant(ty: Type, random: &mut Random) -> String {
    let words = ["a", "b", "ab", "abc", "", "Zoë", "x y", "it''s", "100%", "_", "B", "ba"];
    match ty {
        Type::Int2 | Type::Int4 | Type::Int8 => random.between(-3, 9).to_string(),
        Type::Numeric => {
            let scale = random.below(4);
            let digits = random.between(-500, 500);
            format!("{:.scale$}", digits as f64 / 10_f64.powi(scale as i32))
        }
        Type::Money => format!("{}.{:02}", random.between(-20, 99), random.below(100)),
        Type::Float8 => {
            let halves = ["0", "1.5", "-2.5", "10.25", "3", "-0.5", "100"];
            format!("'{}'::float8", random.pick(&halves))
        }
        Type::Text => format!("'{}'", random.pick(&words)),
        Type::Varchar => format!("'{}'", random.pick(&words)),
        Type::Char => format!("'{}'", random.pick(&words[..5])),
        Type::Bool => (*random.pick(&["true", "false"])).to_owned(),
        Type::Date => {
            format!("'2024-{:02}-{:02}'::date", random.between(1, 12), random.between(1, 28))
        }
        Type::Time => {
            let (hour, minute) = (random.below(24), random.below(60));
            format!("'{hour:02}:{minute:02}:{:02}'::time", random.below(60))
        }
        Type::Timestamp => {
            let (month, day) = (random.between(1, 12), random.between(1, 28));
            format!("'2024-{month:02}-{day:02} {:02}:30:00.25'::timestamp", random.below(24))
        }
        Type::Timestamptz => {
            let (month, day) = (random.between(1, 12), random.between(1, 28));
            let zone = random.pick(&["+00", "+02", "-05:30"]);
            format!("'2024-{month:02}-{day:02} {:02}:00:00{zone}'::timestamptz", random.below(24))
        }
        Type::Interval => {
            let forms =
                ["1 day", "2 hours", "1 month 3 days", "-1 day 04:05:06", "1 year", "00:00:30"];
            format!("'{}'::interval", random.pick(&forms))
        }
        Type::Uuid => format!("'00000000-0000-4000-8000-00000000000{}'::uuid", random.below(8)),
        Type::Jsonb => {
            let forms = [
                r#"{"a": 1}"#,
                r#"{"a": 2, "b": [1, 2, "x"]}"#,
                r#"[1, 2, 3]"#,
                r#""text""#,
                "null",
                r#"{"a": {"b": {"c": null}}, "n": 1.50}"#,
                "true",
                "12.30",
            ];
            format!("'{}'::jsonb", random.pick(&forms))
        }
        Type::Bytea => {
            format!("'\\x{}'::bytea", random.pick(&["", "00", "ff01", "616263", "00ff"]))
        }
        Type::IntArray => {
            let forms = ["{}", "{1}", "{1,2,3}", "{3,NULL,1}", "{5,5}"];
            format!("'{}'::int[]", random.pick(&forms))
        }
        Type::TextArray => {
            let forms = ["{}", "{a}", "{a,b}", "{NULL,\"x y\"}", "{b,\"\",a}"];
            format!("'{}'::text[]", random.pick(&forms))
        }
        Type::Enum => format!("'{}'::mood", random.pick(&["sad", "ok", "happy"])),
    }
}
