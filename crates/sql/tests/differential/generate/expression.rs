//! Expressions of a wanted type over the columns in scope.

use super::values::{Type, constant};
use super::{Column, Writer};

impl Writer {
    /// A SELECT without a table.
    pub(super) fn constant(&mut self) -> String {
        let count = self.random.between(1, 4);
        let items: Vec<String> = (0..count).map(|_| self.any_expression(&[], 4).0).collect();
        format!("SELECT {}", items.join(", "))
    }

    /// An expression of some type.
    pub(super) fn any_expression(&mut self, scope: &[Column], depth: usize) -> (String, Type) {
        let ty = *self.random.pick(&Type::ALL);
        (self.expression(ty, scope, depth), ty)
    }

    /// An expression of this type.
    pub(super) fn expression(&mut self, ty: Type, scope: &[Column], depth: usize) -> String {
        let fitting: Vec<&Column> = scope.iter().filter(|column| column.ty == ty).collect();
        if !fitting.is_empty() && (depth == 0 || self.random.once_in(3)) {
            return self.random.pick(&fitting).name.clone();
        }
        if depth == 0 || self.random.once_in(5) {
            return match self.random.once_in(10) {
                true => format!("NULL::{}", ty.name()),
                false => format!("CAST({} AS {})", constant(ty, &mut self.random), ty.name()),
            };
        }
        let depth = depth - 1;
        match self.random.below(9) {
            0 => {
                let (condition, yes) =
                    (self.condition(scope, depth), self.expression(ty, scope, depth));
                format!(
                    "CASE WHEN {condition} THEN {yes} ELSE {} END",
                    self.expression(ty, scope, depth)
                )
            }
            1 => {
                let (a, b) = (self.expression(ty, scope, depth), self.expression(ty, scope, depth));
                format!("coalesce({a}, {b})")
            }
            2 if ty != Type::Jsonb => {
                let (a, b) = (self.expression(ty, scope, depth), self.expression(ty, scope, depth));
                format!("nullif({a}, {b})")
            }
            3 if ty != Type::Jsonb => {
                let (a, b) = (self.expression(ty, scope, depth), self.expression(ty, scope, depth));
                format!("{}({a}, {b})", self.random.pick(&["greatest", "least"]))
            }
            _ => self.operation(ty, scope, depth),
        }
    }

    /// What only makes sense for the type.
    fn operation(&mut self, ty: Type, scope: &[Column], depth: usize) -> String {
        macro_rules! sub {
            ($ty:expr) => {
                self.expression($ty, scope, depth)
            };
        }
        let form = self.random.below(6);
        match (ty, form) {
            (Type::Int2, _) => format!("({} % 7::smallint)", sub!(Type::Int2)),
            (Type::Int4, 0) => format!("length({})", sub!(Type::Text)),
            (Type::Int4, 1) => {
                format!("(({} % 100) + ({} % 100))", sub!(Type::Int4), sub!(Type::Int4))
            }
            (Type::Int4, 2) => {
                format!("(({} % 50) * ({} % 50))", sub!(Type::Int4), sub!(Type::Int4))
            }
            (Type::Int4, 3) => format!("({} / {})", sub!(Type::Int4), self.random.between(1, 5)),
            (Type::Int4, 4) => format!("coalesce(array_length({}, 1), 0)", sub!(Type::IntArray)),
            (Type::Int4, _) => format!("extract(day FROM {})::int", sub!(Type::Date)),
            (Type::Int8, 0) => format!("({} + {}::bigint)", sub!(Type::Int2), sub!(Type::Int4)),
            (Type::Int8, 1) => format!("abs({} % 1000)", sub!(Type::Int8)),
            (Type::Int8, _) => format!("({} % 1000 - 5)", sub!(Type::Int8)),
            (Type::Numeric, 0) => format!("({} + {})", sub!(Type::Numeric), sub!(Type::Money)),
            (Type::Numeric, 1) => {
                format!("round({}, {})", sub!(Type::Numeric), self.random.between(-1, 3))
            }
            (Type::Numeric, 2) => {
                format!("({} / {})", sub!(Type::Numeric), self.random.between(1, 9))
            }
            (Type::Numeric, 3) => {
                format!("({} * {} % 1000)", sub!(Type::Numeric), sub!(Type::Int4))
            }
            (Type::Numeric, 4) => format!("trunc({} - {})", sub!(Type::Numeric), sub!(Type::Int8)),
            (Type::Numeric, _) => format!("extract(epoch FROM {})", sub!(Type::Interval)),
            (Type::Money, _) => format!("({} % 100)::numeric(10,2)", sub!(Type::Numeric)),
            (Type::Float8, 0) => format!("floor({})", sub!(Type::Float8)),
            (Type::Float8, 1) => format!("({} + {})", sub!(Type::Float8), sub!(Type::Int4)),
            (Type::Float8, 2) => format!("({})::float8", sub!(Type::Int8)),
            (Type::Float8, _) => format!("abs({})", sub!(Type::Float8)),
            (Type::Text, 0) => format!("({} || {})", sub!(Type::Text), sub!(Type::Varchar)),
            (Type::Text, 1) => format!("upper({})", sub!(Type::Text)),
            (Type::Text, 2) => format!("substring({} from 1 for 2)", sub!(Type::Text)),
            (Type::Text, 3) => {
                let (other, _) = self.any_expression(scope, depth);
                format!("({other})::text")
            }
            (Type::Text, 4) => format!("replace({}, 'a', {})", sub!(Type::Text), sub!(Type::Text)),
            (Type::Text, _) => {
                format!("concat({}, '-', {})", sub!(Type::Varchar), sub!(Type::Int4))
            }
            (Type::Varchar, _) => format!("({})::varchar(6)", sub!(Type::Text)),
            (Type::Char, _) => format!("({})::char(4)", sub!(Type::Text)),
            (Type::Bool, _) => format!("({})", self.condition(scope, depth)),
            (Type::Date, 0) => format!("({} + {} % 100)", sub!(Type::Date), sub!(Type::Int4)),
            (Type::Date, 1) => format!("({})::date", sub!(Type::Timestamp)),
            (Type::Date, _) => format!("date_trunc('month', {})::date", sub!(Type::Date)),
            (Type::Time, 0) => format!("({})::time", sub!(Type::Timestamp)),
            (Type::Time, _) => format!("({} + interval '45 minutes')", sub!(Type::Time)),
            (Type::Timestamp, 0) => format!("({} + {})", sub!(Type::Date), sub!(Type::Time)),
            (Type::Timestamp, 1) => format!("date_trunc('hour', {})", sub!(Type::Timestamp)),
            (Type::Timestamp, 2) => {
                format!("({} AT TIME ZONE 'Europe/Berlin')", sub!(Type::Timestamptz))
            }
            (Type::Timestamp, _) => {
                format!("({} + {})", sub!(Type::Timestamp), sub!(Type::Interval))
            }
            (Type::Timestamptz, 0) => format!("({})::timestamptz", sub!(Type::Timestamp)),
            (Type::Timestamptz, _) => {
                format!("({} - {})", sub!(Type::Timestamptz), sub!(Type::Interval))
            }
            (Type::Interval, 0) => {
                format!("({} - {})", sub!(Type::Timestamp), sub!(Type::Timestamp))
            }
            (Type::Interval, 1) => {
                format!("({} * {})", sub!(Type::Interval), self.random.between(-2, 3))
            }
            (Type::Interval, 2) => {
                format!("age({}, {})", sub!(Type::Timestamp), sub!(Type::Timestamp))
            }
            (Type::Interval, _) => {
                format!("justify_interval({} + {})", sub!(Type::Interval), sub!(Type::Interval))
            }
            (Type::Uuid, _) => format!("md5({})::uuid", sub!(Type::Text)),
            (Type::Jsonb, 0) => format!("({} -> 'a')", sub!(Type::Jsonb)),
            (Type::Jsonb, 1) => format!("to_jsonb({})", sub!(Type::Numeric)),
            (Type::Jsonb, 2) => {
                let (text, array) = (sub!(Type::Text), sub!(Type::IntArray));
                format!("jsonb_build_object('k', {text}, 'l', {array})")
            }
            (Type::Jsonb, 3) => format!("({} || {})", sub!(Type::Jsonb), sub!(Type::Jsonb)),
            (Type::Jsonb, _) => {
                format!("jsonb_build_array({}, {})", sub!(Type::Timestamp), sub!(Type::Bool))
            }
            (Type::Bytea, 0) => format!("({} || {})", sub!(Type::Bytea), sub!(Type::Bytea)),
            (Type::Bytea, _) => format!("convert_to({}, 'UTF8')", sub!(Type::Text)),
            (Type::IntArray, 0) => format!("({} || {})", sub!(Type::IntArray), sub!(Type::Int4)),
            (Type::IntArray, 1) => {
                format!("array_append({}, {})", "'{7}'::int[]", sub!(Type::Int4))
            }
            (Type::IntArray, 2) => {
                format!("array_remove('{{1,2,1}}'::int[], {})", sub!(Type::Int4))
            }
            (Type::IntArray, _) => format!("ARRAY[{}, {}]", sub!(Type::Int4), sub!(Type::Int4)),
            (Type::TextArray, 0) => format!("string_to_array({}, ' ')", sub!(Type::Text)),
            (Type::TextArray, _) => format!("ARRAY[{}, {}]", sub!(Type::Text), sub!(Type::Text)),
            (Type::Enum, _) => "'ok'::mood".to_owned(),
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self, scope: &[Column], depth: usize) -> String {
        let nearer = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 6 } else { 10 }) {
            0 | 1 if !scope.is_empty() => {
                let column = self.random.pick(scope).clone();
                let operator = *self.random.pick(&["=", "<>", "<", "<=", ">", ">="]);
                let value = self.expression(column.ty, &[], 0);
                format!("{} {operator} {value}", column.name)
            }
            2 if !scope.is_empty() => {
                let column = self.random.pick(scope).clone();
                let not = if self.random.once_in(2) { " NOT" } else { "" };
                format!("{} IS{not} NULL", column.name)
            }
            3 => {
                let list: Vec<String> =
                    (0..3).map(|_| self.random.between(-2, 12).to_string()).collect();
                format!("{} IN ({})", self.expression(Type::Int4, scope, nearer), list.join(", "))
            }
            4 => {
                let pattern = *self.random.pick(&["a%", "%b%", "_", "%", "x\\%"]);
                format!("{} LIKE '{pattern}'", self.expression(Type::Text, scope, nearer))
            }
            5 => {
                let (low, high) = (self.random.between(-3, 4), self.random.between(2, 20));
                format!("{} BETWEEN {low} AND {high}", self.expression(Type::Int8, scope, nearer))
            }
            6 => {
                let (a, b) = (self.condition(scope, nearer), self.condition(scope, nearer));
                format!("({a} {} {b})", self.random.pick(&["AND", "OR"]))
            }
            7 => format!("NOT ({})", self.condition(scope, nearer)),
            8 => {
                let ty = *self.random.pick(&Type::ALL);
                let (a, b) =
                    (self.expression(ty, scope, nearer), self.expression(ty, scope, nearer));
                format!("{a} IS DISTINCT FROM {b}")
            }
            _ => {
                let ty = *self.random.pick(&Type::ALL);
                let operator = *self.random.pick(&["=", "<>", "<", ">="]);
                let (a, b) =
                    (self.expression(ty, scope, nearer), self.expression(ty, scope, nearer));
                format!("{a} {operator} {b}")
            }
        }
    }
}
