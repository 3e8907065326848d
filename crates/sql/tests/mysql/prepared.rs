//! Prepared statements, by number and by name.

use hobgoblin_sql::mysql::session::{Parameter, Session};
use hobgoblin_sql_mysql_types::Version;
use hobgoblin_sql_mysql_types::temporal::{Day, Moment};

use crate::support::{Kept, check, connect, server, shown};

fn execute(session: &mut Session, id: u32, values: &[Parameter]) -> String {
    let mut kept = Kept::default();
    match session.execute(id, values.to_vec(), &mut kept) {
        Ok(()) => kept.0.iter().map(shown).collect::<Vec<_>>().join("; "),
        Err(error) => session.worded(error).number.to_string(),
    }
}

#[test]
fn types_come_with_each_execution() {
    let server = server(Version::MariaDb10_11);
    let mut session = connect(&server);
    check(&mut session, &[("create table t (id int primary key, v varchar(20), d datetime)", "0")]);
    let insert = session.prepare(b"insert into t values (?, ?, ?)").expect("it reads");
    assert_eq!((insert.parameters, insert.columns.len()), (3, 0));
    let text = |text: &str| Parameter::Text(text.as_bytes().to_vec());
    let moment = Parameter::DateTime(Moment { day: Day::new(2024, 1, 5), micros: 3_600_000_000 });
    let rows = [
        [Parameter::Int(1), text("a"), moment],
        [text("2"), Parameter::Int(7), Parameter::Null],
        [Parameter::UInt(3), Parameter::Float(1.5), text("2024-02-01")],
    ];
    for row in &rows {
        assert_eq!(execute(&mut session, insert.id, row), "1");
    }
    assert_eq!(execute(&mut session, insert.id, &rows[0]), "1062");
    assert_eq!(execute(&mut session, insert.id, &rows[0][..1]), "1210");
    let all = "[1,a,2024-01-05 01:00:00 2,7,NULL 3,1.5,2024-02-01 00:00:00]";
    check(&mut session, &[("select * from t", all)]);
    let select = session.prepare(b"select v from t where id = ? limit ?").expect("it reads");
    assert_eq!((select.parameters, select.columns.len()), (2, 1));
    assert_eq!(select.columns[0].name, "v");
    let find = |id| [id, Parameter::Int(1)];
    assert_eq!(execute(&mut session, select.id, &find(Parameter::Int(1))), "[a]");
    assert_eq!(execute(&mut session, select.id, &find(text("2"))), "[7]");
    // It is bound anew when the schema has changed.
    check(
        &mut session,
        &[("delete from t where id = 1", "1"), ("alter table t add column w int", "0")],
    );
    assert_eq!(execute(&mut session, select.id, &find(Parameter::Int(1))), "[]");
    session.close(select.id);
    assert_eq!(execute(&mut session, select.id, &find(Parameter::Int(1))), "1243");
    assert!(session.prepare(b"select * from missing").is_err());
    assert!(session.prepare(b"select 1; select 2").is_err());
}

#[test]
fn names_stand_for_statements() {
    let server = server(Version::MariaDb10_11);
    let mut session = connect(&server);
    check(
        &mut session,
        &[
            ("prepare s from 'select ? + 1'", "0"),
            ("set @a = 4", "0"),
            ("execute S using @a", "[5]"),
            ("execute s", "1210 Incorrect arguments to EXECUTE"),
            ("set @text = 'select 7'", "0"),
            ("prepare s from @text", "0"),
            ("execute s", "[7]"),
            ("deallocate prepare s", "0"),
            ("execute s", "1243 Unknown prepared statement handler (s) given to EXECUTE"),
            ("execute immediate 'select 8'", "[8]"),
        ],
    );
}

#[test]
fn columns_of_a_table_are_told() {
    let server = server(Version::MariaDb10_11);
    let mut session = connect(&server);
    let table =
        "create table t (id int auto_increment primary key, v varchar(9) default 'x', w int)";
    check(&mut session, &[(table, "0")]);
    let told = session.fields(b"t", b"%").expect("it is there");
    let names: Vec<&str> = told.iter().map(|(column, _)| column.name.as_str()).collect();
    assert_eq!(names, ["id", "v", "w"]);
    assert!(told[0].0.flags.primary_key && told[0].0.flags.auto_increment);
    assert_eq!(told[1].1.as_deref(), Some("x"));
    assert!(session.fields(b"missing", b"").is_err());
    assert!(session.statistics().starts_with("Uptime: 0  Threads: 1  Questions: 1  "));
}
