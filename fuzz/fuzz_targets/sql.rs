//! Text as SQL: it is parsed, bound and executed in a small database; nothing may panic or hang, and the
//! session works afterwards.
#![no_main]

use hobgoblin_front::{Config, Profile, Store};
use hobgoblin_sql::session::Startup;

const SCHEMA: &str = "create type mood as enum ('sad', 'ok');
    create table a(id serial primary key, name varchar(20) unique, v int default 0, m mood, t timestamptz);
    create table b(id bigint primary key, a_id int references a(id) on delete cascade, amt numeric(10,2) check (amt >= 0));
    create view w as select a.id, sum(amt) as total from a left join b on b.a_id = a.id group by a.id;
    insert into a(name, v, m) values ('x', 1, 'ok'), ('y', null, 'sad');
    insert into b values (1, 1, 10.5), (2, 2, 0)";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(sql) = std::str::from_utf8(bytes) else { return };
    // It really sleeps.
    if sql.to_ascii_lowercase().contains("sleep") {
        return;
    }
    let profile = if bytes.len() % 2 == 0 { Profile::Spec } else { Profile::Postgres };
    let store = Store::new(Config::default().profile(profile)).expect("a good configuration");
    let database = hobgoblin_sql::open(store, None);
    let mut session = database.connect(Startup::default()).expect("the first session");
    session.run(SCHEMA).expect("a good schema");
    let _ = session.run(sql);
    let _ = session.run("rollback");
    let mut other = database.connect(Startup::default()).expect("a second session");
    let one = other.run("select 1").expect("sessions go on");
    assert_eq!(one.len(), 1);
});
