//! Random scripts: what sessions do, and in which order.

use crate::order::{Step, shuffled};

pub(crate) const SCHEMA: &str = "create table t(id int primary key, v int not null);
    create table c(id int primary key, t_id int references t(id));
    create table n(id int primary key, name text unique);
    create table p(id int primary key, k text, live bool not null);
    create unique index on p(lower(k)) where live;
    create table d(id int primary key deferrable, v int);
    insert into d values (1, 1), (2, 2);
    insert into t values (1, 10), (2, 20), (3, 30)";

/// A small generator of numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

pub(crate) fn script(seed: u64) -> Vec<Step> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x51ED);
    let sessions = 2 + usize::from(dice.roll(4) == 0);
    let repeatable = dice.roll(2) == 0;
    let mut transactions: Vec<Vec<String>> = Vec::new();
    for session in 0..sessions {
        let level = if repeatable { "repeatable read" } else { "read committed" };
        let mut steps = vec![format!("begin isolation level {level}")];
        for _ in 0..1 + dice.roll(3) {
            steps.push(statement(&mut dice, session as u64, repeatable));
        }
        if dice.roll(3) == 0 {
            // Often right after what failed, so that the transaction goes on.
            let from = 1 + dice.roll(steps.len() as u64) as usize;
            steps.insert(from, "savepoint p".to_owned());
            let to = from + 1 + dice.roll((steps.len() - from) as u64) as usize;
            steps.insert(to, "rollback to p".to_owned());
            steps.push(statement(&mut dice, session as u64, repeatable));
        }
        steps.push(if dice.roll(6) == 0 { "rollback" } else { "commit" }.to_owned());
        steps.push("select pg_advisory_unlock_all()".to_owned());
        transactions.push(steps);
    }
    shuffled(&transactions, |sides| dice.roll(sides))
}

/// Even numbers, far enough apart that they are on different pages of the table and of its indexes.
const FAR: [u64; 4] = [2, 1000, 2000, 3000];

pub(crate) const WIDE_SCHEMA: &str =
    "create table w(id int primary key, v int not null, g int not null);
    create index on w(g);
    create table e(id int primary key, w_id int references w(id))";

pub(crate) const WIDE_ROWS: &str =
    "insert into w select 2 * n, 0, 2 * n from generate_series(1, 2000) n";

/// Transactions at SERIALIZABLE.
pub(crate) fn serializable_script(seed: u64) -> Vec<Step> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5531);
    let sessions = 2 + dice.roll(3);
    let mut transactions: Vec<Vec<String>> = Vec::new();
    for session in 0..sessions {
        let mode = match dice.roll(10) {
            0 => " read only deferrable",
            1 | 2 => " read only",
            _ => "",
        };
        let level = if dice.roll(12) == 0 { "repeatable read" } else { "serializable" };
        let mut steps = vec![format!("begin isolation level {level}{mode}")];
        for _ in 0..1 + dice.roll(4) {
            steps.push(wide_statement(&mut dice, session, !mode.is_empty()));
        }
        if dice.roll(5) == 0 {
            let from = 1 + dice.roll(steps.len() as u64) as usize;
            steps.insert(from, "savepoint p".to_owned());
            let to = from + 1 + dice.roll((steps.len() - from) as u64) as usize;
            steps.insert(to, "rollback to p".to_owned());
        }
        steps.push(if dice.roll(8) == 0 { "rollback" } else { "commit" }.to_owned());
        transactions.push(steps);
    }
    shuffled(&transactions, |sides| dice.roll(sides))
}

fn wide_statement(dice: &mut Dice, session: u64, only_reads: bool) -> String {
    let id = FAR[dice.roll(4) as usize];
    match dice.roll(if only_reads { 5 } else { 16 }) {
        0 | 1 => format!("select v from w where id = {id}"),
        2 => format!("select id, v from w where id between {} and {} order by id", id - 1, id + 3),
        3 => format!("select id, v from w where g = {id}"),
        4 => format!("select count(*) from w where id in ({id}, {})", id + 1),
        5 | 6 => format!("update w set v = v + {} where id = {id}", session + 1),
        7 => format!("insert into w values ({}, {session}, {id})", id + 1),
        8 => format!("delete from w where id = {id}"),
        9 => format!("update w set g = {} where id = {id}", FAR[dice.roll(4) as usize]),
        10 => format!("select v from w where id = {id} for update"),
        11 => format!("insert into e values ({}, {id})", session * 10 + dice.roll(5)),
        12 => format!("update w set v = 9 where g = {id}"),
        13 => format!("insert into w values ({}, 7, 7) on conflict do nothing", id + 1),
        14 => format!("select v from w where id = {id} for key share"),
        _ => "select 1".to_owned(),
    }
}

fn statement(dice: &mut Dice, session: u64, repeatable: bool) -> String {
    let id = 1 + dice.roll(3);
    let new = 4 + dice.roll(2);
    // With one snapshot for all statements a key that was deleted since is not inserted (docs/profiles.md), nor
    // a value under a unique index: nobody takes one away.
    let again = if repeatable { new } else { id };
    match dice.roll(30) {
        0 | 1 => format!("select v from t where id = {id}"),
        2 => "select sum(v), count(*) from t".to_owned(),
        3 | 4 => format!("update t set v = v + {} where id = {id}", session + 1),
        5 => format!("update t set v = v + 100 where v < {}", 15 + dice.roll(3) * 10),
        6 => format!("select v from t where id = {id} for update"),
        7 => {
            let lock = ["share", "no key update", "key share"][dice.roll(3) as usize];
            format!("select v from t where id = {id} for {lock}")
        }
        8 => format!("insert into t values ({new}, {session})"),
        9 => format!("delete from t where id = {id}"),
        10 => format!("insert into t values ({new}, 1) on conflict (id) do update set v = t.v + 7"),
        11 => {
            format!("insert into c values ({}, {})", session * 10 + dice.roll(10), 1 + dice.roll(5))
        }
        12 => format!("select v from t where id = {id} for update nowait"),
        13 => "select id from t order by id limit 1 for update skip locked".to_owned(),
        14 => format!("insert into n values ({}, 'bob')", session),
        15 => match dice.roll(2) {
            0 => format!("insert into n values ({session}, 'eve') on conflict do nothing"),
            _ => format!("insert into t values ({again}, 8) on conflict do nothing"),
        },
        16 | 17 => {
            let live = dice.roll(4) > 0;
            let id = session * 10 + dice.roll(10);
            let then =
                ["do nothing", "do update set k = p.k || excluded.k", "do update set live = false"];
            let then = then[if repeatable { 0 } else { dice.roll(3) as usize }];
            format!(
                "insert into p values ({id}, 'a', {live}) on conflict (lower(k)) where live {then} returning k"
            )
        }
        18 if repeatable => "select count(*) from p where live".to_owned(),
        18 => "update p set live = false where k = 'a'".to_owned(),
        19 => format!(
            "merge into t using (values ({id}, 5), ({new}, 6)) s(id, v) on t.id = s.id \
             when matched then update set v = t.v + s.v \
             when not matched and s.id >= {again} then insert values (s.id, s.v)"
        ),
        20 => format!(
            "merge into t using (values ({id})) s(id) on t.id = s.id and t.v < {} \
             when matched and t.v < 15 then delete when matched then update set v = t.v + 1 \
             when not matched then do nothing",
            15 + dice.roll(3) * 10
        ),
        21 => format!(
            "merge into t using (values ({id}), ({new})) s(id) on t.id = s.id and t.v < 25 \
             when matched then do nothing when not matched then insert values (s.id + 10, 0)"
        ),
        22 => {
            let shared = ["", "_shared"][dice.roll(2) as usize];
            let kind = [
                "pg_advisory_lock",
                "pg_advisory_xact_lock",
                "pg_try_advisory_lock",
                "pg_advisory_unlock",
            ];
            let kind = kind[dice.roll(4) as usize];
            format!("select {kind}{shared}({})", dice.roll(2))
        }
        23 => format!("select pg_advisory_lock({})", dice.roll(2)),
        24 => format!(
            "with u as (update t set v = v + 3 where id = {id} returning v) select u.v, t.v from u, t where t.id = {id}"
        ),
        25 => {
            format!("insert into t values ({again}, 1) on conflict (id) do update set v = t.v + 7")
        }
        26 | 27 => {
            format!("delete from t where id = {id}; insert into t values ({again}, {session})")
        }
        28 => format!("update d set id = id + {}", dice.roll(2) * 2 + 1),
        _ => format!("insert into d values ({}, 0)", 2 + dice.roll(3)),
    }
}

/// The tables that sessions lock and change; rows of `w` are far apart.
pub(crate) const HOUSE: &str = "create table t(id int primary key, v int not null, extra int);
    create table c(id int primary key, t_id int references t(id));
    create table z(id int primary key, v int);
    insert into t values (1, 10), (2, 20), (3, 30);
    insert into c values (1, 1);
    insert into z values (1, 1), (2, 2)";

/// Three or four sessions at all levels, with table locks, changes of tables, two-phase commit and timeouts; and how
/// transactions that are still prepared end. Their identifiers begin with the name of the house.
pub(crate) fn house_script(seed: u64, house: &str) -> (Vec<Step>, Vec<Step>) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x4053);
    let sessions = 3 + dice.roll(2);
    // TRUNCATE empties a table for every snapshot in PostgreSQL (docs/profiles.md).
    let weak = dice.roll(2) == 0;
    let mut transactions: Vec<Vec<String>> = Vec::new();
    for session in 0..sessions {
        let level = match dice.roll(if weak { 1 } else { 4 }) {
            0 => "read committed",
            1 => "repeatable read",
            _ => "serializable",
        };
        let serializable = level == "serializable";
        let mut steps = vec![format!("begin isolation level {level}")];
        if dice.roll(4) == 0 {
            let which = ["lock", "statement"][dice.roll(2) as usize];
            steps.push(format!("set local {which}_timeout = '20ms'"));
        }
        for _ in 0..1 + dice.roll(4) {
            steps.push(match serializable && dice.roll(4) > 0 {
                true => wide_statement(&mut dice, session, false),
                false => house_statement(&mut dice, session, weak, serializable),
            });
        }
        if dice.roll(6) == 0 {
            let from = 1 + dice.roll(steps.len() as u64) as usize;
            steps.insert(from, "savepoint p".to_owned());
            let to = from + 1 + dice.roll((steps.len() - from) as u64) as usize;
            steps.insert(to, "rollback to p".to_owned());
        }
        match dice.roll(8) {
            0 => steps.push("rollback".to_owned()),
            1..4 => {
                let name = format!("{house} {}", if dice.roll(8) == 0 { 0 } else { session });
                steps.push(format!("prepare transaction '{name}'"));
                if dice.roll(2) == 0 {
                    steps.push(house_statement(&mut dice, session, weak, false));
                }
                let end = ["commit", "commit", "rollback"][dice.roll(3) as usize];
                if dice.roll(3) > 0 {
                    steps.push(format!("{end} prepared '{name}'"));
                }
            }
            _ => steps.push("commit".to_owned()),
        }
        transactions.push(steps);
    }
    let last =
        (0..sessions).map(|gid| (sessions as usize, format!("commit prepared '{house} {gid}'")));
    (shuffled(&transactions, |sides| dice.roll(sides)), last.collect())
}

fn house_statement(dice: &mut Dice, session: u64, weak: bool, rows_only: bool) -> String {
    let id = 1 + dice.roll(3);
    let table = ["t", "c", "z"][dice.roll(3) as usize];
    match dice.roll(if rows_only { 4 } else { 28 }) {
        // At SERIALIZABLE a table of one page is read as a whole in PostgreSQL, so these only lock.
        0 => format!("select v from z where id = {id} for update"),
        1 => format!("lock table {table} in {} mode", table_lock(dice)),
        2 => format!("lock table {table} in {} mode nowait", table_lock(dice)),
        3 => format!("select pg_advisory_xact_lock({})", dice.roll(2)),
        4 | 5 => format!("select * from t where id = {id}"),
        6 => "select count(*), sum(v) from t".to_owned(),
        7 | 8 => format!("update t set v = v + {} where id = {id}", session + 1),
        9 => format!("insert into t values ({}, {session})", 4 + dice.roll(2)),
        10 => format!("delete from t where id = {id}"),
        11 => format!("select v from t where id = {id} for share"),
        12 => format!("select v from t where id = {id} for update skip locked"),
        13 => format!("insert into c values ({}, {id})", 10 + session * 10 + dice.roll(10)),
        14 => format!("lock table {table} in {} mode", table_lock(dice)),
        15 => format!("alter table {table} add column s{session} int default 7"),
        // Who has an older snapshot is refused where it changes rows of the new index (docs/profiles.md).
        16 if weak => format!("create index i{session} on {table}(id)"),
        16 => format!("select count(*) from {table}"),
        17 if weak => "truncate t, c".to_owned(),
        17 => "select count(*) from c".to_owned(),
        18 => format!("alter table t add constraint k{session} check (v < 1000)"),
        19 => "alter table t alter v drop not null".to_owned(),
        20 => "alter table t drop column if exists extra".to_owned(),
        21 => format!("alter table z rename to y{session}"),
        22 => "drop table z".to_owned(),
        23 => format!("insert into z values ({}, 0)", 3 + dice.roll(3)),
        24 => "select count(*) from z".to_owned(),
        25 => "alter table c drop constraint if exists c_t_id_fkey".to_owned(),
        26 => format!("create table x{session} as select id from t"),
        _ => "select count(*) from t join c on t.id = c.t_id".to_owned(),
    }
}

fn table_lock(dice: &mut Dice) -> &'static str {
    let modes = [
        "access share",
        "row share",
        "row exclusive",
        "share update exclusive",
        "share",
        "share row exclusive",
        "exclusive",
        "access exclusive",
    ];
    modes[dice.roll(8) as usize]
}
