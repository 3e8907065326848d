//! Queries: joins, subqueries, aggregates, windows, WITH, set operations, order and limit.

use super::values::Type;
use super::{Column, Writer, columns_of};

impl Writer {
    pub(super) fn query(&mut self) -> String {
        match self.random.below(14) {
            12 | 13 => self.limited(),
            0..=3 => self.plain(),
            4..=6 => self.grouped(),
            7 => self.windowed(),
            8 => self.with(),
            9 => self.set_operation(),
            10 => self.distinct(),
            _ => self.recursive(),
        }
    }

    /// FROM: the text and the columns in scope.
    fn from(&mut self) -> (String, Vec<Column>) {
        let first = self.any_table();
        let mut text = format!("{} a", first.name);
        let mut scope = columns_of(&first, "a");
        for alias in ["b", "c"] {
            if !self.random.once_in(2) {
                break;
            }
            match self.random.below(8) {
                0 => {
                    text += &format!(
                        " CROSS JOIN generate_series(1, {}) {alias}",
                        self.random.between(1, 3)
                    );
                    scope.push(Column { name: alias.to_owned(), ty: Type::Int4 });
                }
                1 => {
                    let other = self.any_table();
                    let inner = columns_of(&other, "i");
                    let (value, ty) = self.any_expression(&inner, 2);
                    text += &format!(
                        " CROSS JOIN LATERAL (SELECT {value} AS v FROM {} i WHERE i.id < a.id ORDER BY i.id, 1 LIMIT 2) {alias}",
                        other.name
                    );
                    scope.push(Column { name: format!("{alias}.v"), ty });
                }
                2 => {
                    let other = self.any_table();
                    text +=
                        &format!(" CROSS JOIN (SELECT * FROM {} WHERE id < 9) {alias}", other.name);
                    scope.extend(columns_of(&other, alias));
                }
                _ => {
                    let other = self.any_table();
                    let kind = *self.random.pick(&[
                        "JOIN",
                        "LEFT JOIN",
                        "RIGHT JOIN",
                        "FULL JOIN",
                        "JOIN",
                    ]);
                    scope.extend(columns_of(&other, alias));
                    // FULL JOIN only takes conditions that can be merged or hashed.
                    let extra = match kind != "FULL JOIN" && self.random.once_in(3) {
                        true => format!(" AND {}", self.condition(&scope.clone(), 1)),
                        false => String::new(),
                    };
                    text += &format!(" {kind} {} {alias} ON a.id = {alias}.id{extra}", other.name);
                }
            }
        }
        (text, scope)
    }

    fn filter(&mut self, scope: &[Column]) -> String {
        if self.random.once_in(3) {
            return String::new();
        }
        let condition = match self.random.below(8) {
            6 | 7 => self.correlated(scope),
            0 => {
                let other = self.any_table();
                let inner = columns_of(&other, "s");
                let inner: Vec<Column> = scope.iter().chain(&inner).cloned().collect();
                let not = if self.random.once_in(3) { "NOT " } else { "" };
                let condition = self.condition(&inner, 1);
                format!(
                    "{not}EXISTS (SELECT 1 FROM {} s WHERE s.id = a.id + 1 OR {condition})",
                    other.name
                )
            }
            1 => {
                let other = self.any_table();
                let inner = columns_of(&other, "s");
                let condition = self.condition(&inner, 1);
                let not = if self.random.once_in(3) { " NOT" } else { "" };
                format!("a.id{not} IN (SELECT s.id FROM {} s WHERE {condition})", other.name)
            }
            2 => {
                let operator = *self.random.pick(&["= ANY", "> ALL", "<= ANY"]);
                format!("a.id {operator} (SELECT s.id FROM {} s)", self.any_table().name)
            }
            _ => self.condition(scope, 3),
        };
        format!(" WHERE {condition}")
    }

    /// A condition on rows of another table that are equal to `a` in some column, which may be NULL.
    fn correlated(&mut self, scope: &[Column]) -> String {
        let other = self.any_table();
        let inner = columns_of(&other, "s");
        let mut pairs = Vec::new();
        for own in scope.iter().filter(|own| own.name.starts_with("a.") && own.ty != Type::Jsonb) {
            let alike = inner.iter().filter(|column| column.ty == own.ty);
            pairs.extend(alike.map(|column| (own.name.clone(), column.name.clone())));
        }
        let extra = match self.random.below(3) {
            0 => format!(" AND {}", self.condition(&inner, 1)),
            1 => format!(" AND s.id <> a.id + {}", self.random.below(2)),
            _ => String::new(),
        };
        let not = if self.random.once_in(2) { "NOT " } else { "" };
        // Every table has `id`.
        let mut pair = || self.random.pick(&pairs).clone();
        let ((x, of_x), (y, of_y), (z, of_z)) = (pair(), pair(), pair());
        let value = match self.random.once_in(4) {
            true => format!("nullif({of_y}, {y})"),
            false => of_y,
        };
        let name = &other.name;
        match self.random.below(4) {
            0 | 1 => format!("{not}EXISTS (SELECT 1 FROM {name} s WHERE {of_x} = {x}{extra})"),
            2 => format!("{y} {not}IN (SELECT {value} FROM {name} s WHERE {of_x} = {x}{extra})"),
            _ => format!(
                "({y}, {z}) {not}IN (SELECT {value}, {of_z} FROM {name} s WHERE {x} = {of_x}{extra})"
            ),
        }
    }

    /// The first rows in an order that an index may have, with ties and NULLs: of the columns that order them.
    fn limited(&mut self) -> String {
        let table = self.any_table();
        let mut integers: Vec<Column> =
            columns_of(&table, "a").into_iter().filter(|column| column.ty.is_integer()).collect();
        // The columns of an index come in this order, `id` last.
        integers.rotate_left(1);
        let integers: Vec<String> = integers.into_iter().map(|column| column.name).collect();
        let direction =
            *self.random.pick(&["", " DESC", " DESC", " NULLS FIRST", " DESC NULLS LAST"]);
        let from = self.random.below(integers.len());
        let some = self.random.between(1, 3) as usize;
        let mut order: Vec<String> = integers[from..].iter().take(some).cloned().collect();
        if self.random.once_in(3) {
            order = vec!["a.id".to_owned()];
        }
        let mut filters = Vec::new();
        if from > 0 && self.random.once_in(2) {
            filters.push(format!("{} = {}", integers[from - 1], self.random.between(-2, 6)));
        }
        if self.random.once_in(3) {
            let operator = *self.random.pick(&["<", "<=", ">", ">="]);
            filters.push(format!("{} {operator} {}", order[0], self.random.between(-3, 9)));
        }
        if self.random.once_in(5) {
            filters.push(self.condition(&columns_of(&table, "a"), 1));
        }
        let filter = match filters.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", filters.join(" AND ")),
        };
        if self.random.once_in(4) {
            let of = &order[0];
            return format!("SELECT min({of}), max({of}) FROM {} a{filter}", table.name);
        }
        let list = order.join(", ");
        let keys: Vec<String> = order.iter().map(|key| format!("{key}{direction}")).collect();
        let offset = match self.random.once_in(3) {
            true => format!(" OFFSET {}", self.random.below(4)),
            false => String::new(),
        };
        let lock = match self.random.once_in(5) {
            true => " FOR UPDATE SKIP LOCKED",
            false => "",
        };
        format!(
            "SELECT {list} FROM {} a{filter} ORDER BY {} LIMIT {}{offset}{lock}",
            table.name,
            keys.join(", "),
            self.random.below(6)
        )
    }

    /// A select list, and how many columns it has.
    fn list(&mut self, scope: &[Column]) -> (String, usize) {
        let count = self.random.between(1, 4) as usize;
        let mut items = vec!["a.id".to_owned()];
        for at in 1..count {
            let item = match self.random.below(8) {
                0 => {
                    let other = self.any_table();
                    format!("(SELECT max(s.id) FROM {} s WHERE s.id <= a.id)", other.name)
                }
                1 => format!("(SELECT count(*) FROM {})", self.any_table().name),
                _ => self.any_expression(scope, 3).0,
            };
            items.push(format!("{item} AS x{at}"));
        }
        (items.join(", "), count)
    }

    /// ORDER BY all columns, so that ties are of equal rows, and a limit now and then.
    fn order(&mut self, columns: usize) -> String {
        if self.random.once_in(3) {
            return String::new();
        }
        let mut keys = Vec::new();
        for at in 1..=columns {
            let direction = *self.random.pick(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]);
            keys.push(format!("{at}{direction}"));
        }
        let limit = match self.random.below(5) {
            0 => format!(" LIMIT {}", self.random.below(6)),
            1 => format!(" LIMIT {} OFFSET {}", self.random.below(6), self.random.below(4)),
            2 => format!(" FETCH FIRST {} ROWS WITH TIES", self.random.between(1, 4)),
            _ => String::new(),
        };
        format!(" ORDER BY {}{limit}", keys.join(", "))
    }

    fn plain(&mut self) -> String {
        let (from, scope) = self.from();
        let filter = self.filter(&scope);
        if self.random.once_in(6) {
            return format!("SELECT * FROM {from}{filter}");
        }
        let (list, count) = self.list(&scope);
        format!("SELECT {list} FROM {from}{filter}{}", self.order(count))
    }

    fn distinct(&mut self) -> String {
        let (from, scope) = self.from();
        let filter = self.filter(&scope);
        let (expr, _) = self.any_expression(&scope, 2);
        match self.random.once_in(2) {
            true => format!(
                "SELECT DISTINCT {expr} AS x, a.id % 3 FROM {from}{filter}{}",
                self.order(2)
            ),
            false => {
                let (other, _) = self.any_expression(&scope, 1);
                format!(
                    "SELECT DISTINCT ON (1) {expr} AS x, {other} AS y FROM {from}{filter} ORDER BY 1, 2"
                )
            }
        }
    }

    /// An aggregate call over the scope that does not depend on the order of rows.
    fn aggregate(&mut self, scope: &[Column]) -> String {
        let filter = match self.random.once_in(4) {
            true => format!(" FILTER (WHERE {})", self.condition(scope, 1)),
            false => String::new(),
        };
        let distinct = if self.random.once_in(4) { "DISTINCT " } else { "" };
        let call = match self.random.below(9) {
            0 => "count(*)".to_owned(),
            1 => {
                let (expr, ty) = self.any_expression(scope, 2);
                let distinct = if ty == Type::Jsonb { "" } else { distinct };
                format!("count({distinct}{expr})")
            }
            2 | 3 => {
                let types =
                    [Type::Int2, Type::Int4, Type::Int8, Type::Numeric, Type::Money, Type::Float8];
                let ty = *self.random.pick(&types);
                let name = *self.random.pick(&["sum", "avg"]);
                format!("{name}({distinct}{})", self.expression(ty, scope, 2))
            }
            4 => {
                let ty = loop {
                    let ty = *self.random.pick(&Type::ALL);
                    if ty.has_extremes() {
                        break ty;
                    }
                };
                let name = *self.random.pick(&["min", "max"]);
                format!("{name}({})", self.expression(ty, scope, 2))
            }
            5 => format!("bool_{}({})", self.random.pick(&["and", "or"]), self.condition(scope, 2)),
            6 => {
                let expr = self.expression(Type::Int4, scope, 1);
                format!("array_agg({distinct}{expr} ORDER BY {expr})")
            }
            7 => {
                let expr = self.expression(Type::Text, scope, 1);
                format!("string_agg({expr}, ',' ORDER BY {expr} DESC)")
            }
            _ => {
                let expr = self.expression(Type::Numeric, scope, 1);
                // 6.5 and 6.50 are equal, and print differently.
                format!("jsonb_agg({expr} ORDER BY {expr}, ({expr})::text)")
            }
        };
        call + &filter
    }

    fn grouped(&mut self) -> String {
        let (from, scope) = self.from();
        let filter = self.filter(&scope);
        let aggregates: Vec<String> = (0..2).map(|_| self.aggregate(&scope)).collect();
        let aggregates = aggregates.join(", ");
        if self.random.once_in(4) {
            return format!("SELECT {aggregates} FROM {from}{filter}");
        }
        let (mut key, _) = self.any_expression(&scope, 1);
        let having = match self.random.once_in(3) {
            true => format!(" HAVING count(*) > {}", self.random.below(3)),
            false => String::new(),
        };
        let groups = match self.random.below(8) {
            0 => "ROLLUP (1, a.id % 2)".to_owned(),
            1 => "GROUPING SETS ((1), (a.id % 2), ())".to_owned(),
            _ => "1, a.id % 2".to_owned(),
        };
        if groups.contains('(') {
            // PostgreSQL before 18 forgets that a constant key is NULL in the sets without it.
            key.clone_from(&self.random.pick(&scope).name);
        }
        // A number alone would mean a place in the select list.
        let order = self.order(4);
        format!(
            "SELECT coalesce({key}) AS k, a.id % 2 AS m, {aggregates} FROM {from}{filter} GROUP BY {groups}{having}{order}"
        )
    }

    fn windowed(&mut self) -> String {
        let table = self.any_table();
        let scope = columns_of(&table, "a");
        let (key, _) = self.any_expression(&scope, 1);
        let value = self.expression(Type::Int4, &scope, 2);
        let call = match self.random.below(8) {
            0 => "row_number()".to_owned(),
            1 => "rank()".to_owned(),
            2 => "dense_rank()".to_owned(),
            3 => format!("lag({value}, {})", self.random.below(3)),
            4 => format!("lead({value}, 1, 0)"),
            5 => format!("first_value({value})"),
            6 => format!("sum({value})"),
            _ => format!("{}({value})", self.random.pick(&["count", "min", "max", "avg"])),
        };
        let frame = match self.random.below(6) {
            0 => " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
            1 => " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
            2 => " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
            3 => " GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW",
            _ => "",
        };
        // The key is unique only where there is a primary key; all columns make the order of rows total.
        let all: Vec<String> = scope.iter().map(|column| column.name.clone()).collect();
        let filter = self.filter(&scope);
        format!(
            "SELECT a.id, {call} OVER (PARTITION BY {key} ORDER BY {}{frame}) FROM {} a{filter}",
            all.join(", "),
            table.name
        )
    }

    fn with(&mut self) -> String {
        let (from, scope) = self.from();
        let filter = self.filter(&scope);
        let (expr, _) = self.any_expression(&scope, 2);
        let other = self.any_table();
        let join = *self.random.pick(&["JOIN", "LEFT JOIN"]);
        format!(
            "WITH w AS (SELECT a.id AS k, {expr} AS v FROM {from}{filter}) SELECT w.k, w.v, o.id FROM w {join} {} o ON o.id = w.k{}",
            other.name,
            self.order(3)
        )
    }

    fn recursive(&mut self) -> String {
        let table = self.any_table();
        let scope = columns_of(&table, "a");
        let start = self.condition(&scope, 1);
        let union = *self.random.pick(&["UNION", "UNION ALL"]);
        format!(
            "WITH RECURSIVE r(id, n) AS (SELECT a.id, 0 FROM {name} a WHERE {start} {union} SELECT a.id, r.n + 1 FROM {name} a JOIN r ON a.id = r.id + 1 WHERE r.n < 4) SELECT id, n FROM r{}",
            self.order(2),
            name = table.name,
        )
    }

    fn set_operation(&mut self) -> String {
        let ty = *self.random.pick(&Type::ALL);
        let mut parts = Vec::new();
        for _ in 0..self.random.between(2, 3) {
            let (from, scope) = self.from();
            let filter = self.filter(&scope);
            let expr = self.expression(ty, &scope, 1);
            parts.push(format!("SELECT {expr} AS x, a.id % 4 FROM {from}{filter}"));
        }
        let mut text = parts[0].clone();
        for part in &parts[1..] {
            let operator = *self.random.pick(&[
                "UNION",
                "UNION ALL",
                "INTERSECT",
                "EXCEPT",
                "EXCEPT ALL",
                "INTERSECT ALL",
            ]);
            text = format!("{text} {operator} {part}");
        }
        format!("{text}{}", self.order(2))
    }
}
