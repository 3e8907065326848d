//! Random tables: types, keys, defaults, checks, references, indexes.

use super::random::Random;
use super::values::{Type, constant};

#[derive(Clone)]
pub(super) struct ColumnDefinition {
    pub(super) name: String,
    pub(super) ty: Type,
    default: Option<String>,
    not_null: bool,
    pub(super) unique: bool,
}

#[derive(Clone)]
pub(super) struct Table {
    pub(super) name: String,
    /// `id`, the key, comes first.
    pub(super) columns: Vec<ColumnDefinition>,
    /// The table that `ref` refers to.
    pub(super) parent: Option<String>,
    has_key: bool,
    check: Option<String>,
    index: Option<String>,
    /// An index of two columns that are integers.
    pair: Option<[String; 2]>,
}

pub(super) struct Schema {
    pub(super) tables: Vec<Table>,
}

impl Schema {
    pub(super) fn choose(random: &mut Random) -> Schema {
        let mut tables: Vec<Table> = Vec::new();
        for at in 0..3 {
            let parent = match at {
                0 => None,
                _ => random.once_in(2).then(|| "t0".to_owned()),
            };
            let id = ColumnDefinition {
                name: "id".to_owned(),
                ty: Type::Int4,
                default: None,
                not_null: false,
                unique: false,
            };
            let mut columns = vec![id];
            if parent.is_some() {
                columns.push(ColumnDefinition { name: "ref".to_owned(), ..columns[0].clone() });
            }
            let has_key = at == 0 || !random.once_in(4);
            for number in 0..random.between(3, 6) {
                let ty = *random.pick(&Type::ALL);
                let default = random.once_in(3).then(|| constant(ty, random));
                columns.push(ColumnDefinition {
                    name: format!("c{number}"),
                    ty,
                    default,
                    not_null: random.once_in(6),
                    unique: number == 0 && has_key && ty.is_integer() && random.once_in(2),
                });
            }
            let check = columns[1..].iter().find(|column| column.ty.is_number());
            let check =
                check.filter(|_| random.once_in(2)).map(|column| format!("{} > -3", column.name));
            let index = columns[1..].iter().find(|column| column.ty != Type::Jsonb);
            let index = index.filter(|_| random.once_in(2)).map(|column| column.name.clone());
            let mut integers =
                columns[1..].iter().filter(|column| column.ty.is_integer()).map(|c| c.name.clone());
            let pair = match (integers.next(), integers.next()) {
                (Some(first), Some(second)) => Some([first, second]),
                (Some(first), None) => Some([first, "id".to_owned()]),
                _ => None,
            };
            let pair = pair.filter(|_| !random.once_in(3));
            let name = format!("t{at}");
            tables.push(Table { name, columns, parent, has_key, check, index, pair });
        }
        Schema { tables }
    }

    pub(super) fn statements(&self) -> Vec<String> {
        let mut statements = vec!["CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')".to_owned()];
        for table in &self.tables {
            let mut parts = Vec::new();
            for column in &table.columns {
                let mut part = format!("{} {}", column.name, column.ty.name());
                if column.name == "id" && table.has_key {
                    part += " PRIMARY KEY";
                }
                if let Some(default) = &column.default {
                    part += &format!(" DEFAULT {default}");
                }
                part += if column.not_null { " NOT NULL" } else { "" };
                part += if column.unique { " UNIQUE" } else { "" };
                parts.push(part);
            }
            parts.extend(table.check.iter().map(|check| format!("CHECK ({check})")));
            parts.extend(
                table.parent.iter().map(|parent| format!("FOREIGN KEY (ref) REFERENCES {parent}")),
            );
            statements.push(format!("CREATE TABLE {} ({})", table.name, parts.join(", ")));
            if let Some(index) = &table.index {
                statements.push(format!("CREATE INDEX ON {} ({index})", table.name));
            }
            if let Some([first, second]) = &table.pair {
                statements.push(format!("CREATE INDEX ON {} ({first}, {second})", table.name));
            }
        }
        statements
    }
}

impl Table {
    /// Whether `id` is a primary key.
    pub(super) fn has_key(&self) -> bool {
        self.has_key
    }
}
