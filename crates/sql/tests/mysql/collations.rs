//! Which collation a character set means, by the server that is claimed.

use hobgoblin_sql::mysql::session::{Session, Startup};
use hobgoblin_sql_mysql_types::Version;

use crate::support::{check, connect, server, told};

/// A session of a client that names a collation by its number.
fn speaking(version: Version, number: u16) -> Session {
    let startup = Startup {
        user: "root".to_owned(),
        collation: number,
        multi_statements: true,
        ..Startup::default()
    };
    server(version).connect(startup).expect("a database takes connections")
}

/// The servers, each with what `utf8mb4` and `utf8mb3` mean there.
const SERVERS: [(Version, &str, &str); 3] = [
    (Version::MariaDb10_11, "utf8mb4_general_ci", "utf8mb3_general_ci"),
    (Version::MariaDb11_8, "utf8mb4_uca1400_ai_ci", "utf8mb3_uca1400_ai_ci"),
    (Version::MySql9_7, "utf8mb4_0900_ai_ci", "utf8mb3_general_ci"),
];

#[test]
fn a_character_set_means_what_it_does_there() {
    for (version, collation, utf8mb3) in SERVERS {
        let server = server(version);
        let mut session = connect(&server);
        let mut says = |sql: &str, wanted: &[&str]| {
            let said = told(&mut session, sql);
            assert!(wanted.contains(&said.as_str()), "{version:?} {sql}: {said}, not {wanted:?}");
        };
        let all = "select @@collation_server, @@collation_database, @@collation_connection, \
                   @@global.collation_server, @@global.collation_connection";
        says(all, &[&format!("[{}]", [collation; 5].join(","))]);
        for made in [
            "create table a (c varchar(5)) charset utf8mb4",
            "create table b (c varchar(5), d varchar(5) charset utf8mb3, e text binary)",
            "create table l (c varchar(5)) charset latin1",
            "create database d charset utf8mb4",
            "create database e",
            "set names latin1",
            "set names utf8mb4",
            "create view v as select 'a' as a",
        ] {
            says(made, &["0", "1"]);
        }
        says("select @@collation_connection", &[&format!("[{collation}]")]);
        let columns = "select collation_name from information_schema.columns \
                       where table_schema = 'test' and table_name < 'm' \
                       order by table_name, column_name";
        let wanted = [collation, collation, utf8mb3, "utf8mb4_bin", "latin1_swedish_ci"];
        says(columns, &[&format!("[{}]", wanted.join(" "))]);
        let schemata = "select default_collation_name from information_schema.schemata \
                        where schema_name in ('d', 'e', 'hob', 'test')";
        says(schemata, &[&format!("[{}]", [collation; 4].join(" "))]);
        let default = "select collation_name from information_schema.collations \
                       where is_default = 'Yes' and character_set_name = 'utf8mb4'";
        says(default, &[&format!("[{collation}]")]);
        let sets = "select default_collate_name from information_schema.character_sets \
                    where character_set_name like 'utf8%' order by character_set_name";
        says(sets, &[&format!("[{utf8mb3} {collation}]")]);
        let texts = "select collation(_utf8mb4'a'), collation(convert(1 using utf8mb4)), \
                     collation('a'), collation(cast(1 as char)), collation(hex(1)), \
                     collation(json_array(1)), collation(n'a')";
        says(texts, &[&format!("[{},{utf8mb3}]", [collation; 6].join(","))]);
        let view = "select collation_connection from information_schema.views";
        says(view, &[&format!("[{collation}]")]);
    }
}

#[test]
fn texts_of_functions_go_with_constants_of_any_collation() {
    let tested = [
        ("select hex(255) = 'ff', inet_ntoa(1) = '0.0.0.1', cast(1 as char) = '1'", "[1,1,1]"),
        ("select date_format('2024-01-05', '%Y') = '2024', md5('') like 'D41D8%'", "[1,1]"),
        ("select json_arrayagg(1) = '[1]', group_concat(1) = '1', if(1, 1, 'a') = '1'", "[1,1,1]"),
        (
            "select concat(1, 2) = '12', elt(1, 'a', 2) = 'A', coalesce(null, 1, 'x') = '1'",
            "[1,1,1]",
        ),
    ];
    // A column is not of the connection.
    let over_columns = [
        ("select count(*) from t where c = hex(10) or c = md5('')", "[1]"),
        ("select count(*) from t where c = concat(1, 2) or c = date'2024-01-05'", "[0]"),
    ];
    for (version, ..) in SERVERS {
        let server = server(version);
        let mut session = connect(&server);
        check(
            &mut session,
            &[("create table t (c varchar(10))", "0"), ("insert into t values ('a')", "1")],
        );
        check(&mut session, &over_columns);
        for collation in ["utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_0900_ai_ci"] {
            let names = format!("set names utf8mb4 collate {collation}");
            check(&mut session, &[(&names, "0")]);
            check(&mut session, &tested);
            check(&mut session, &over_columns);
        }
        check(
            &mut session,
            &[
                ("set names utf8mb4", "0"),
                ("set @day = date'2024-01-05'", "0"),
                ("select count(*) from t where c = @day", "[0]"),
                ("select count(*) from t where c = cast('A' as char)", "[1]"),
            ],
        );
    }
}

#[test]
fn a_client_gets_the_collation_that_it_names() {
    let cases = [
        (Version::MariaDb10_11, 45, "utf8mb4_general_ci"),
        (Version::MariaDb11_8, 45, "utf8mb4_uca1400_ai_ci"),
        (Version::MariaDb11_8, 33, "utf8mb3_uca1400_ai_ci"),
        (Version::MariaDb11_8, 46, "utf8mb4_bin"),
        (Version::MariaDb11_8, 224, "utf8mb4_unicode_ci"),
        (Version::MySql9_7, 45, "utf8mb4_general_ci"),
        (Version::MySql9_7, 255, "utf8mb4_0900_ai_ci"),
        (Version::MySql9_7, 0, "utf8mb4_0900_ai_ci"),
        (Version::MySql9_7, 9999, "utf8mb4_0900_ai_ci"),
    ];
    for (version, number, wanted) in cases {
        let mut session = speaking(version, number);
        let said = told(&mut session, "select @@collation_connection");
        assert_eq!(said, format!("[{wanted}]"), "{version:?} {number}");
    }
}

#[test]
fn servers_have_the_variables_of_their_defaults() {
    let list = "utf8mb3=utf8mb3_uca1400_ai_ci,ucs2=ucs2_uca1400_ai_ci,utf8mb4=utf8mb4_uca1400_ai_ci,\
                utf16=utf16_uca1400_ai_ci,utf32=utf32_uca1400_ai_ci";
    let mut session = connect(&server(Version::MariaDb11_8));
    assert_eq!(told(&mut session, "select @@character_set_collations"), format!("[{list}]"));
    let mut session = connect(&server(Version::MySql9_7));
    check(
        &mut session,
        &[
            ("select @@default_collation_for_utf8mb4", "[utf8mb4_0900_ai_ci]"),
            ("set names utf8mb4 collate utf8mb4_general_ci", "0"),
            ("select @@collation_connection", "[utf8mb4_general_ci]"),
            ("set names default", "0"),
            ("select @@collation_connection", "[utf8mb4_0900_ai_ci]"),
        ],
    );
}

#[test]
fn a_server_has_only_its_own_functions() {
    let mut session = connect(&server(Version::MySql9_7));
    for name in ["to_char", "JSON_DETAILED", "sformat", "nvl"] {
        let said = told(&mut session, &format!("select {name}('1')"));
        assert_eq!(said, format!("1305 FUNCTION test.{name} does not exist"));
    }
    let pretty = r#"select json_pretty('{"a":[1,{}],"b":[]}')"#;
    let wanted = "[{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}]";
    assert_eq!(told(&mut session, pretty), wanted);
}
