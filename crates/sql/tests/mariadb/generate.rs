//! Statements from seeds: tables of some types, rows, queries with joins, groups and subqueries, and changes.

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// What a column may hold.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int,
    Decimal,
    Text,
    Bin,
    Date,
    Double,
}

const COLUMNS: &[(&str, &str, Kind)] = &[
    ("a", "int", Kind::Int),
    ("b", "int not null", Kind::Int),
    ("d", "decimal(8,2)", Kind::Decimal),
    ("s", "varchar(12)", Kind::Text),
    ("u", "varchar(12) collate utf8mb4_bin", Kind::Bin),
    ("t", "date", Kind::Date),
    ("f", "double", Kind::Double),
];

/// The statements of a seed.
pub(crate) fn script(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.next();
    }
    let mut all = Vec::new();
    if random.chance(25) {
        all.push("set sql_mode = ''".to_owned());
    }
    for table in ["p", "q"] {
        let columns: Vec<String> =
            COLUMNS.iter().map(|(name, ty, _)| format!("{name} {ty}")).collect();
        let keys = match random.below(4) {
            0 => ", key (a)",
            1 => ", unique key us (s)",
            2 => ", key sb (s, b)",
            _ => "",
        };
        all.push(format!(
            "create table {table} (id int primary key auto_increment, {}{keys})",
            columns.join(", ")
        ));
    }
    for _ in 0..count {
        all.push(statement(&mut random));
    }
    for table in ["p", "q"] {
        all.push(format!("select * from {table} order by id"));
    }
    all
}

fn statement(random: &mut Random) -> String {
    match random.below(10) {
        0..=2 => insert(random),
        3 => update(random),
        4 if random.chance(40) => delete(random),
        _ => query(random),
    }
}

fn value(random: &mut Random, kind: Kind) -> String {
    if random.chance(8) {
        return "null".to_owned();
    }
    match kind {
        Kind::Int => match random.below(12) {
            0 => "'7'".to_owned(),
            1 => "2.5".to_owned(),
            2 => (-(random.below(20) as i64)).to_string(),
            _ => random.below(12).to_string(),
        },
        Kind::Decimal => format!("{}.{}", random.below(30), random.below(1000)),
        Kind::Text | Kind::Bin => {
            format!(
                "'{}'",
                random.one_of(&["a", "A", "b", "Bc", "bc ", "", "ab", "AB", "zz", "9x"])
            )
        }
        Kind::Date => format!("'2024-0{}-1{}'", 1 + random.below(9), random.below(9)),
        Kind::Double => random.one_of(&["0", "1.5", "-2.25", "1e3", "3"]).to_owned(),
    }
}

fn insert(random: &mut Random) -> String {
    let table = random.one_of(&["p", "q"]);
    let form = random.below(8);
    let names = "b, a, d, s, u, t, f";
    let row = |random: &mut Random| {
        let kinds =
            [Kind::Int, Kind::Int, Kind::Decimal, Kind::Text, Kind::Bin, Kind::Date, Kind::Double];
        let values: Vec<String> = kinds.iter().map(|kind| value(random, *kind)).collect();
        format!("({})", values.join(", "))
    };
    let rows: Vec<String> = (0..1 + random.below(3)).map(|_| row(random)).collect();
    let rows = rows.join(", ");
    match form {
        0 => format!("insert ignore into {table} ({names}) values {rows}"),
        1 => format!("replace into {table} ({names}) values {rows}"),
        2 => format!(
            "insert into {table} (id, {names}) values ({}, {} on duplicate key update a = a + 1, d = values(d)",
            1 + random.below(9),
            &row(random)[1..]
        ),
        3 => format!(
            "insert into {table} ({names}) select b, a, d, concat(s, id), u, t, f from p where id < {} order by id",
            random.below(6)
        ),
        _ => format!("insert into {table} ({names}) values {rows}"),
    }
}

fn update(random: &mut Random) -> String {
    let table = random.one_of(&["p", "q"]);
    let sets: Vec<String> = (0..1 + random.below(2))
        .map(|_| {
            let (name, _, kind) = COLUMNS[random.below(COLUMNS.len() as u64) as usize];
            match kind {
                Kind::Int | Kind::Double if random.chance(50) => format!("{name} = {name} + 1"),
                Kind::Text if random.chance(30) => format!("{name} = upper({name})"),
                _ => format!("{name} = {}", value(random, kind)),
            }
        })
        .collect();
    let limit = if random.chance(20) { " order by id limit 2" } else { "" };
    format!("update {table} set {} where {}{limit}", sets.join(", "), condition(random, ""))
}

fn delete(random: &mut Random) -> String {
    let table = random.one_of(&["p", "q"]);
    let limit = if random.chance(50) { " order by id desc limit 1" } else { "" };
    format!("delete from {table} where {}{limit}", condition(random, ""))
}

fn condition(random: &mut Random, of: &str) -> String {
    let (name, _, kind) = COLUMNS[random.below(COLUMNS.len() as u64) as usize];
    let column = format!("{of}{name}");
    match random.below(9) {
        0 => format!("{column} is null"),
        1 => format!("{column} in ({}, {})", value(random, kind), value(random, kind)),
        2 => format!("{column} between {} and {}", value(random, kind), value(random, kind)),
        3 if matches!(kind, Kind::Text | Kind::Bin) => format!("{column} like 'a%'"),
        4 => format!("not {column} = {}", value(random, kind)),
        5 => format!("({} or {})", condition(random, of), condition(random, of)),
        6 => format!("({} and {})", condition(random, of), condition(random, of)),
        7 => format!("{column} <=> {}", value(random, kind)),
        _ => {
            let op = random.one_of(&["=", "<", ">=", "<>", ">"]);
            format!("{column} {op} {}", value(random, kind))
        }
    }
}

fn expression(random: &mut Random, of: &str) -> String {
    match random.below(12) {
        0 => format!("{of}a + {of}b"),
        1 => format!("{of}d * 2"),
        2 => format!("concat({of}s, '-', {of}b)"),
        3 => format!("coalesce({of}a, {of}b, 0)"),
        4 => format!("if({of}a > {of}b, {of}s, 'x')"),
        5 => format!("case {of}s when 'a' then 1 when 'b' then 2 end"),
        6 => format!("{of}t + interval {of}b day"),
        7 => format!("{of}d / 3"),
        8 => format!("{of}a = {of}b"),
        9 => format!("upper({of}u)"),
        10 => format!("{of}b div 2"),
        _ => {
            let (name, _, _) = COLUMNS[random.below(COLUMNS.len() as u64) as usize];
            format!("{of}{name}")
        }
    }
}

fn query(random: &mut Random) -> String {
    match random.below(9) {
        0 => {
            let aggregate = random.one_of(&[
                "count(*)",
                "sum(a)",
                "avg(d)",
                "min(u)",
                "max(t)",
                "count(distinct s)",
                "sum(f)",
                "max(u)",
                "group_concat(s order by s, id)",
            ]);
            // Which of equal texts a group shows depends on the way rows are found.
            let key = random.one_of(&["b", "rtrim(lower(s))", "a", "u", "t"]);
            let having = if random.chance(30) { " having count(*) > 1" } else { "" };
            format!("select {key}, {aggregate} from p group by {key}{having} order by 1, 2")
        }
        1 => format!(
            "select p.id, q.id, {} from p join q on {} where {} order by p.id, q.id",
            expression(random, "p."),
            random.one_of(&[
                "p.b = q.a",
                "p.s = q.s",
                "p.a = q.a",
                "p.u = q.u",
                "p.t < q.t",
                "p.s = q.u",
                "p.d > q.f",
            ]),
            condition(random, "q.")
        ),
        2 => format!(
            "select p.id, q.s from p left join q on p.s = q.s and {} order by p.id, q.s, q.id",
            condition(random, "q.")
        ),
        3 => format!(
            "select id, {} from p where {} in (select {} from q where {}) order by id",
            expression(random, ""),
            "b",
            random.one_of(&["a", "b"]),
            condition(random, "q.")
        ),
        4 => format!(
            "select id, (select max(q.b) from q where q.s = p.s) as m from p where {} order by id",
            condition(random, "")
        ),
        5 => {
            let column = random.one_of(&["rtrim(upper(s))", "b", "u", "t"]);
            format!("select distinct {column} from p order by {column}")
        }
        6 => format!(
            "select t from p union select t from q where {} order by t",
            condition(random, "")
        ),
        7 => format!(
            "select {} as x, {} as y from p where {} order by id limit {}",
            expression(random, ""),
            expression(random, ""),
            condition(random, ""),
            1 + random.below(5)
        ),
        _ => format!(
            "select id, {}, {} from {} where {} order by id",
            expression(random, ""),
            expression(random, ""),
            random.one_of(&["p", "q"]),
            condition(random, "")
        ),
    }
}
