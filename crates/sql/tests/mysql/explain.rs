//! EXPLAIN.

use hobgoblin_sql_mysql_types::Version;

use crate::support::{check, connect, server, told};

#[test]
fn plans_name_tables_and_their_indexes() {
    let server = server(Version::MariaDb10_11);
    let mut session = connect(&server);
    check(
        &mut session,
        &[
            ("create table a (id int primary key, n int, s varchar(9), key ns (n, s))", "0"),
            ("create table b (id int primary key, a_id int)", "0"),
        ],
    );
    // What one table's row says behind its id: the SELECT, the table, how its rows are found, by which index, and what else.
    for (statement, wanted) in [
        ("select 1", "SIMPLE,NULL,NULL,NULL,NULL,NULL,NULL,NULL,No tables used"),
        ("select * from a", "SIMPLE,a,ALL,NULL,NULL,NULL,NULL,NULL,"),
        ("select * from a as x where id = 1", "SIMPLE,x,const,PRIMARY,PRIMARY,NULL,NULL,NULL,"),
        ("select * from a where n = 1", "SIMPLE,a,ref,ns,ns,NULL,NULL,NULL,"),
        ("select * from a where n > 1", "SIMPLE,a,range,ns,ns,NULL,NULL,NULL,"),
        ("update a set s = 'x' where n = 1", "SIMPLE,a,ref,ns,ns,NULL,NULL,NULL,"),
        ("delete from a where s = 'x'", "SIMPLE,a,ALL,NULL,NULL,NULL,NULL,NULL,"),
    ] {
        let heard = told(&mut session, &format!("explain {statement}"));
        let heard = heard.trim_matches(['[', ']']).trim_end_matches("Using where");
        assert_eq!(heard, format!("1,{wanted}"), "{statement}");
    }
    let joined = "select * from a join b on b.a_id = a.id where exists (select 1 from b as c where c.id = a.n)
        union select 1, 2, 3, 4, 5";
    let heard = told(&mut session, &format!("explain {joined}"));
    for part in ["PRIMARY,a,", "PRIMARY,b,", "SUBQUERY,c,", "UNION,NULL", "<union1,3>"] {
        assert!(heard.contains(part), "{part} {heard}");
    }
    let json = told(&mut session, "explain format=json select * from a where id = 1");
    assert!(
        json.contains(r#""table_name": "a""#) && json.contains(r#""key": "PRIMARY""#),
        "{json}"
    );
    check(
        &mut session,
        &[
            ("explain format=odd select 1", "1791 Unknown EXPLAIN format name: 'odd'"),
            ("explain select * from nothing", "1146 Table 'test.nothing' doesn't exist"),
        ],
    );
}
