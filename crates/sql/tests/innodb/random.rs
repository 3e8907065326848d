//! Random transactions.

use crate::order::{Step, shuffled};

/// What the tables are.
pub(crate) const TABLES: [&str; 5] = [
    "create table t (id int primary key, v int not null)",
    "create table g (id int primary key, k int not null, v int not null, key k (k))",
    "create table u (id int primary key, name varchar(9) not null unique, v int not null)",
    "create table p (id int primary key, v int not null)",
    "create table c (id int primary key, p_id int not null, v int not null, foreign key (p_id) references p (id))",
];

/// What they hold first.
pub(crate) const ROWS: [&str; 5] = [
    "insert into t values (10, 1), (20, 2), (30, 3)",
    "insert into g values (10, 10, 1), (20, 20, 2), (30, 30, 3), (40, 20, 4)",
    "insert into u values (10, 'b', 1), (20, 'd', 2), (30, 'f', 3)",
    "insert into p values (10, 1), (20, 2)",
    "insert into c values (10, 10, 1)",
];

/// What is looked at afterwards.
pub(crate) const LAST: [&str; 5] = [
    "select * from t order by id",
    "select * from g order by id",
    "select * from u order by id",
    "select * from p order by id",
    "select * from c order by id",
];

/// A script, with the level of each session.
pub(crate) struct Script {
    pub(crate) levels: Vec<&'static str>,
    pub(crate) steps: Vec<Step>,
}

/// A small generator of numbers.
struct Dice(u64, u64);

impl Dice {
    /// A number that no other row has.
    fn fresh(&mut self) -> u64 {
        self.1 += 1;
        self.1
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len() as u64) as usize]
    }
}

const LEVELS: [&str; 4] = ["read uncommitted", "read committed", "repeatable read", "serializable"];

pub(crate) fn script(seed: u64) -> Script {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1DB, 100);
    let sessions = 2 + dice.roll(3) as usize;
    // Half are at REPEATABLE READ, where there is most to get wrong; in some, levels meet.
    let common = if dice.roll(2) == 0 { "repeatable read" } else { dice.of(&LEVELS) };
    let mixed = dice.roll(5) == 0;
    let levels = (0..sessions).map(|_| if mixed { dice.of(&LEVELS) } else { common }).collect();
    // Scripts keep to few tables, so that their statements meet.
    let tables = [dice.roll(4), dice.roll(4)];
    let mut transactions: Vec<Vec<String>> = Vec::new();
    for session in 0..sessions as u64 {
        let mut steps = Vec::new();
        let blocks = 1 + dice.roll(2);
        for _ in 0..blocks {
            let alone = dice.roll(5) == 0;
            if !alone {
                steps.push("begin".to_owned());
            }
            for _ in 0..if alone { 1 } else { 1 + dice.roll(4) } {
                let table = dice.of(&tables);
                steps.push(statement(&mut dice, table, session));
            }
            // A savepoint before the first access is none of InnoDB's: going back to it ends the transaction there.
            if !alone && dice.roll(6) == 0 {
                steps.push("savepoint p".to_owned());
                let table = dice.of(&tables);
                steps.push(statement(&mut dice, table, session));
                let table = dice.of(&tables);
                steps.push(statement(&mut dice, table, session));
                steps.push("rollback to p".to_owned());
            }
            if !alone {
                steps.push(if dice.roll(6) == 0 { "rollback" } else { "commit" }.to_owned());
            }
        }
        transactions.push(steps);
    }
    Script { levels, steps: shuffled(&transactions, |sides| dice.roll(sides)) }
}

fn statement(dice: &mut Dice, table: u64, session: u64) -> String {
    worded(&plain(dice, table, session))
}

fn plain(dice: &mut Dice, table: u64, session: u64) -> String {
    let id = dice.of(&[10, 15, 20, 25, 30, 35]);
    let more = session + 1;
    match table {
        0 => match dice.roll(14) {
            0 => format!("select v from t where id = {id}"),
            1 => "select * from t order by id".to_owned(),
            2 | 3 => format!("update t set v = v + {more} where id = {id}"),
            4 => format!("update t set v = v + 10 where v < {}", 1 + dice.roll(4)),
            5 => format!("select v from t where id = {id} for update"),
            6 => format!("select v from t where id = {id} for share"),
            7 => format!("select * from t where v > {} order by id for update", 1 + dice.roll(3)),
            8 | 9 => format!("insert into t values ({id}, {session})"),
            10 => format!("delete from t where id = {id}"),
            11 => {
                let (from, to) = (id - dice.of(&[0, 5]), id + dice.of(&[5, 10]));
                let lock = dice.of(&["for update", "for share", ""]);
                let sql = format!("select * from t where id between {from} and {to} order by id");
                format!("{sql} {lock}").trim_end().to_owned()
            }
            12 => format!("select v from t where id = {id} for update nowait"),
            _ => format!("update t set v = v + 100 where id >= {id}"),
        },
        1 => match dice.roll(11) {
            0 => format!("select id, v from g where k = {id} order by id for update"),
            1 => format!("select id, v from g where k = {id} order by id for share"),
            2 => format!("update g set v = v + {more} where k = {id}"),
            3 => format!("update g set v = v + {more} where id = {id}"),
            4 => format!("update g set k = k + 5 where id = {id}"),
            5 | 6 => format!("insert into g values ({id}, {}, 0)", dice.of(&[15, 20, 25, 30])),
            7 => format!("delete from g where id = {id}"),
            8 => format!("select id, v from g where k = {id} order by id"),
            9 => format!("insert into g select id + {}, k, v from g where id = {id}", 1 + session),
            _ => "select * from g order by id".to_owned(),
        },
        2 => {
            let name = dice.of(&["a", "b", "c", "d", "e"]);
            match dice.roll(8) {
                0 | 1 => format!("insert into u values ({id}, '{name}', {session})"),
                // In the way is only the name.
                2 => format!(
                    "insert into u values ({}, '{name}', 0) on duplicate key update v = v + 10",
                    dice.fresh()
                ),
                3 => format!("update u set v = v + {more} where name = '{name}'"),
                4 => format!("select v from u where name = '{name}' for update"),
                5 => format!("delete from u where id = {id}"),
                6 => format!("update u set name = '{name}' where id = {id}"),
                _ => format!("insert ignore into u values ({}, '{name}', 0)", dice.fresh()),
            }
        }
        _ => match dice.roll(8) {
            0 | 1 => {
                let parent = dice.of(&[10, 15, 20]);
                format!("insert into c values ({}, {parent}, {session})", id + dice.roll(3))
            }
            2 => format!("delete from p where id = {}", dice.of(&[10, 15, 20])),
            3 => format!("update p set v = v + {more} where id = {}", dice.of(&[10, 15, 20])),
            4 => format!("insert into p values ({}, 0)", dice.of(&[10, 15, 25])),
            5 => format!("delete from c where id = {id}"),
            // One that does not depend on the row MariaDB would ask before it locks the row.
            6 => {
                let parent = "select p.v from p where p.id = t.id";
                format!("update t set v = v + ({parent}) where id = 10")
            }
            _ => format!("select v from p where id = {}", dice.of(&[10, 15, 20])),
        },
    }
}

/// A statement in the servers' words; the planner is told which index is meant.
fn worded(sql: &str) -> String {
    let sql = sql.replace("for share", "lock in share mode");
    let sql = match sql.contains("where k = ") {
        true => sql
            .replace("from g where", "from g force index (k) where")
            .replace("update g set", "update g force index (k) set"),
        false => sql,
    };
    match sql.contains("between") {
        true => sql.replace("from t where", "from t force index (primary) where"),
        false => sql,
    }
}
