//! What statements say, where a parser of other dialects would read something else without an error.

use hobgoblin_sql_mysql::parse::{ParseError, Reading, Statement, Version, parse};
use hobgoblin_sql_mysql::syntax::{
    Destination, Filter, Isolation, Priority, Scope, Setting, ShowWhat, Special, TableElement,
    TableOption, Target, TransactionStatement, Variable,
};
use hobgoblin_sql_schema::syntax::{Strength, Waiting};
use sqlparser::ast::{
    BinaryOperator, Expr, FromTable, SelectItem, SetExpr, Statement as Ast, TableFactor,
};

fn one(sql: &str) -> Statement {
    read(sql, Reading::default())
}

fn read(sql: &str, reading: Reading) -> Statement {
    let mut all = parse(sql, reading).unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert_eq!(all.len(), 1, "{sql}");
    all.remove(0)
}

fn special(sql: &str) -> Special {
    one(sql).special.as_deref().cloned().unwrap_or_else(|| panic!("{sql} is a query or a change"))
}

fn settings(sql: &str) -> Vec<Setting> {
    match special(sql) {
        Special::Set(settings) => settings,
        other => panic!("{sql}: {other:?}"),
    }
}

#[test]
fn each_variable_of_a_set_has_its_own_value() {
    let all =
        settings("SET @a = 1, @b := 'x', sql_mode = '', @@global.c = DEFAULT, SESSION d = ON");
    let names: Vec<(String, Option<Scope>, bool)> = all
        .iter()
        .map(|setting| match setting {
            Setting::Assign { target: Target::User(name), value } => {
                (format!("@{name}"), None, value.is_some())
            }
            Setting::Assign { target: Target::System { scope, name, .. }, value } => {
                (name[0].value.clone(), *scope, value.is_some())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let of = |name: &str, scope, value| (name.to_owned(), scope, value);
    let expected = [
        of("@a", None, true),
        of("@b", None, true),
        of("sql_mode", None, true),
        of("c", Some(Scope::Global), false),
        of("d", Some(Scope::Session), true),
    ];
    assert_eq!(names, expected);
}

#[test]
fn names_and_charsets_are_set_beside_variables() {
    let all = settings(
        "SET sql_mode=(SELECT CONCAT(@@sql_mode, ',x')), time_zone='+00:00', NAMES utf8mb4 COLLATE utf8mb4_bin",
    );
    let names = Setting::Names {
        charset: Some("utf8mb4".to_owned()),
        collation: Some("utf8mb4_bin".to_owned()),
    };
    assert_eq!((all.len(), &all[2]), (3, &names));
    let [Setting::Transaction(set)] =
        &settings("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")[..]
    else {
        panic!("it is one transaction");
    };
    assert_eq!((set.scope, set.isolation), (Some(Scope::Session), Some(Isolation::ReadCommitted)));
}

#[test]
fn words_before_a_table_are_no_table() {
    let update = one("UPDATE LOW_PRIORITY IGNORE t SET id = 2");
    assert_eq!((update.aside.ignore, update.aside.priority), (true, Some(Priority::Low)));
    let Some(Ast::Update(tree)) = update.ast.as_deref() else { panic!("it is an UPDATE") };
    assert_eq!(tree.table.to_string(), "t");
    let delete = one("DELETE QUICK IGNORE FROM t WHERE id = 1");
    assert!(delete.aside.ignore && delete.aside.quick);
    let Some(Ast::Delete(tree)) = delete.ast.as_deref() else { panic!("it is a DELETE") };
    let FromTable::WithFromKeyword(from) = &tree.from else { panic!("it has FROM") };
    assert_eq!((tree.tables.len(), from[0].to_string()), (0, "t".to_owned()));
}

#[test]
fn changes_of_several_tables() {
    let update = one("UPDATE t, c JOIN u ON u.id = c.id SET t.v = 1, c.w = 2 WHERE c.t_id = t.id");
    let Some(Ast::Update(tree)) = update.ast.as_deref() else { panic!("it is an UPDATE") };
    // The comma joins all of what stands on its right.
    assert!(matches!(tree.table.joins[0].relation, TableFactor::NestedJoin { .. }));
    for (sql, tables, from) in [
        ("DELETE t, c FROM t JOIN c ON c.t_id = t.id", "t c", "t JOIN c ON c.t_id = t.id"),
        (
            "DELETE FROM t, d.c USING t JOIN c ON c.t_id = t.id",
            "t d.c",
            "t JOIN c ON c.t_id = t.id",
        ),
    ] {
        let delete = one(sql);
        let Some(Ast::Delete(tree)) = delete.ast.as_deref() else { panic!("{sql} is a DELETE") };
        let FromTable::WithFromKeyword(first) = &tree.from else { panic!("{sql} has FROM") };
        let (found, joined): (Vec<String>, _) = match &tree.using {
            Some(using) => (first.iter().map(ToString::to_string).collect(), &using[0]),
            None => (tree.tables.iter().map(ToString::to_string).collect(), &first[0]),
        };
        assert_eq!(
            (found.join(" ").as_str(), joined.to_string().as_str()),
            (tables, from),
            "{sql}"
        );
    }
}

#[test]
fn changes_after_with_are_mysql_s() {
    for sql in ["WITH x AS (SELECT 1) UPDATE t SET a = 2", "WITH x AS (SELECT 1) DELETE FROM t"] {
        let statement = read(sql, Reading::of(Version::MySql9_7));
        let Some(Ast::Query(query)) = statement.ast.as_deref() else { panic!("{sql} has WITH") };
        assert!(matches!(&*query.body, SetExpr::Update(_) | SetExpr::Delete(_)), "{sql}");
        assert_eq!(parse(sql, Reading::default()).expect_err("MariaDB has none").number(), 1064);
    }
}

#[test]
fn what_is_shown() {
    let show = |sql: &str| match special(sql) {
        Special::Show(show) => *show,
        other => panic!("{sql}: {other:?}"),
    };
    let indexes = show("SHOW KEYS FROM t FROM d WHERE Key_name = 'PRIMARY'");
    assert_eq!(indexes.what, ShowWhat::Indexes);
    assert_eq!(indexes.table.expect("it has one").to_string(), "t");
    assert_eq!(indexes.database.expect("it has one").value, "d");
    assert!(matches!(indexes.filter, Some(Filter::Where(_))));
    let status = show("SHOW TABLE STATUS FROM `d` LIKE 't'");
    assert_eq!(
        (status.what, status.filter),
        (ShowWhat::TableStatus, Some(Filter::Like("t".to_owned())))
    );
    assert!(show("SHOW WARNINGS LIMIT 1").limit.is_some());
    assert_eq!(show("SHOW COUNT(*) WARNINGS").what, ShowWhat::CountWarnings);
    assert!(show("SHOW GLOBAL STATUS").global && show("SHOW FULL COLUMNS FROM t").full);
}

/// The items of a SELECT.
fn items(sql: &str, reading: Reading) -> Vec<SelectItem> {
    let statement = read(sql, reading);
    let Some(Ast::Query(query)) = statement.ast.as_deref() else { panic!("{sql} is no query") };
    let SetExpr::Select(select) = &*query.body else { panic!("{sql} is no SELECT") };
    select.projection.clone()
}

#[test]
fn an_item_without_a_name_is_called_by_its_text() {
    let named = |sql: &str| match items(sql, Reading::default()).remove(0) {
        SelectItem::ExprWithAlias { alias, .. } => alias.value,
        SelectItem::UnnamedExpr(expr) => format!("column {expr}"),
        other => panic!("{other:?}"),
    };
    for (sql, name) in [
        ("SELECT a+1 FROM t", "a+1"),
        ("SELECT count( * ) FROM t", "count( * )"),
        ("SELECT 'it''s' 'x'", "it'sx"),
        ("SELECT t.a FROM t", "column t.a"),
        ("SELECT a 'b c'", "b c"),
        ("SELECT @@session.sql_mode", "@@session.sql_mode"),
    ] {
        assert_eq!(named(sql), name, "{sql}");
    }
}

#[test]
fn words_that_are_functions_and_variables() {
    let expr = |sql: &str| match items(sql, Reading::default()).remove(0) {
        SelectItem::ExprWithAlias { expr, .. } | SelectItem::UnnamedExpr(expr) => expr,
        other => panic!("{other:?}"),
    };
    assert!(matches!(expr("SELECT UTC_TIMESTAMP"), Expr::Function(_)));
    assert!(matches!(expr("SELECT 0b01"), Expr::Value(_)));
    assert_eq!(Variable::of(&expr("SELECT @`a b`")), Some(Variable::User("a b".to_owned())));
    let Some(Variable::System { scope, name }) = Variable::of(&expr("SELECT @@global.x.y")) else {
        panic!()
    };
    assert_eq!((scope, name.len()), (Some(Scope::Global), 2));
    // `@` in quotes is a column.
    assert!(matches!(expr("SELECT `@a`"), Expr::Identifier(_)));
    let pipes = Reading { pipes_as_concat: true, ..Reading::default() };
    for (reading, expected) in
        [(Reading::default(), BinaryOperator::Or), (pipes, BinaryOperator::StringConcat)]
    {
        let SelectItem::ExprWithAlias { expr: Expr::BinaryOp { op, .. }, .. } =
            items("SELECT 1 || 0", reading).remove(0)
        else {
            panic!("it has two operands");
        };
        assert_eq!(op, expected);
    }
}

#[test]
fn dual_is_no_table_and_into_is_beside_the_query() {
    let statement = one("SELECT 1, 2 INTO @x, @y FROM DUAL WHERE 1");
    let Some(Ast::Query(query)) = statement.ast.as_deref() else { panic!("it is a query") };
    let SetExpr::Select(select) = &*query.body else { panic!("it is a SELECT") };
    assert!(select.from.is_empty());
    let variables = vec!["x".to_owned(), "y".to_owned()];
    assert_eq!(statement.aside.into, Some(Destination::Variables(variables)));
}

#[test]
fn locking_clauses() {
    let mysql = Reading::of(Version::MySql9_7);
    for (sql, reading, strength, waiting) in [
        ("SELECT * FROM t FOR UPDATE", Reading::default(), Strength::Update, Waiting::Wait),
        ("SELECT * FROM t LOCK IN SHARE MODE", Reading::default(), Strength::Share, Waiting::Wait),
        (
            "SELECT * FROM t LOCK IN SHARE MODE NOWAIT",
            Reading::default(),
            Strength::Share,
            Waiting::NoWait,
        ),
        (
            "SELECT * FROM t FOR UPDATE WAIT 3",
            Reading::default(),
            Strength::Update,
            Waiting::Seconds(3),
        ),
        ("SELECT * FROM t FOR SHARE OF t SKIP LOCKED", mysql, Strength::Share, Waiting::Skip),
        (
            "(SELECT * FROM t) UNION SELECT 1 FOR UPDATE",
            Reading::default(),
            Strength::Update,
            Waiting::Wait,
        ),
    ] {
        let statement = read(sql, reading);
        let Some(Ast::Query(query)) = statement.ast.as_deref() else { panic!("{sql} is no query") };
        let found: Vec<_> =
            statement.clauses.locking(query).map(|one| (one.strength, one.waiting)).collect();
        assert_eq!(found, [(strength, waiting)], "{sql}");
    }
}

#[test]
fn tables() {
    let Special::CreateTable(table) = special(
        "CREATE TABLE t (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, n VARCHAR(10) CHARACTER SET latin1 BINARY, \
         KEY pre (n(5) DESC) COMMENT 'x', CONSTRAINT f FOREIGN KEY i (id) REFERENCES u (id) ON DELETE SET NULL) \
         ENGINE=InnoDB, AUTO_INCREMENT 10 DEFAULT CHARSET=utf8mb4 x_y='z'",
    ) else {
        panic!("it is a table");
    };
    let [
        TableElement::Column(_),
        TableElement::Column(name),
        TableElement::Key(key),
        TableElement::ForeignKey(_),
    ] = &table.elements[..]
    else {
        panic!("{:?}", table.elements);
    };
    assert!(name.ty.text.binary && name.ty.text.charset.is_some());
    assert_eq!((key.parts[0].length, key.how.comment.as_deref()), (Some(5), Some("x")));
    assert_eq!(table.options[1], TableOption::AutoIncrement(10));
    assert_eq!(table.options.len(), 4);
}

#[test]
fn statements_end_where_the_servers_say() {
    let text = "SELECT ';'; BEGIN NOT ATOMIC SELECT 1; SELECT 2; END; /* ; */ COMMIT -- ;\n;\n ; ";
    let all = parse(text, Reading::default()).expect("it is three statements");
    let texts: Vec<&str> = all.iter().map(|one| &*one.text).collect();
    assert_eq!(texts, ["SELECT ';'", "BEGIN NOT ATOMIC SELECT 1; SELECT 2; END", "COMMIT"]);
    let last = Special::Transaction(TransactionStatement::Commit(Default::default()));
    assert_eq!(all[2].special.as_deref(), Some(&last));
    assert_eq!(parse(" ; ", Reading::default()).unwrap_err(), ParseError::Empty);
    assert_eq!(one("SELECT ?, ? FROM t WHERE a = ?").parameters, 3);
}

#[test]
fn places_are_those_of_the_text() {
    let text = "SELECT 'ä\nö', `ü x` + 1\n FROM `tä` AS ß";
    let statement = one(text);
    let Some(Ast::Query(query)) = statement.ast.as_deref() else { panic!("it is a query") };
    let SetExpr::Select(select) = &*query.body else { panic!("it is a SELECT") };
    let SelectItem::ExprWithAlias { expr, alias } = &select.projection[1] else {
        panic!("it has a name")
    };
    assert_eq!(statement.written().between(alias.span), Some("`ü x` + 1"));
    let Expr::BinaryOp { left, .. } = expr else { panic!("it is a sum") };
    let Expr::Identifier(name) = &**left else { panic!("it begins with a name") };
    assert_eq!(statement.written().between(name.span), Some("`ü x`"));
    let TableFactor::Table { alias: Some(alias), .. } = &select.from[0].relation else {
        panic!("it has one")
    };
    assert_eq!(statement.written().between(alias.name.span), Some("ß"));
}

#[test]
fn errors_have_the_words_of_the_server() {
    for (version, sql, expected) in [
        (
            Version::MariaDb10_11,
            "SELECT 1\n FROM\n\n WHERE",
            "You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version for \
             the right syntax to use near 'WHERE' at line 4",
        ),
        (
            Version::MySql9_7,
            "SELECT 'a\nb' FROM",
            "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for \
             the right syntax to use near '' at line 1",
        ),
    ] {
        let error = parse(sql, Reading::of(version)).expect_err("it is refused");
        assert_eq!(
            (error.to_string().as_str(), error.number(), error.state()),
            (expected, 1064, "42000")
        );
    }
}
