//! What the parser makes of clauses: where they are kept, and that long and deep statements are read in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlparser::ast::{SetExpr, Statement as Ast};

use super::{Stop, parse};
use crate::syntax::Strength;

/// The strengths of the locking clauses of each query of a statement, outermost first.
fn strengths(sql: &str) -> Vec<Vec<Strength>> {
    let statement = parse(sql, &Stop::never()).expect("it parses").remove(0);
    let Some(Ast::Query(query)) = statement.ast.as_deref() else { panic!("{sql} is no query") };
    let (mut found, mut next) = (Vec::new(), Some(&**query));
    while let Some(query) = next {
        found.push(statement.clauses.locking(query).map(|clause| clause.strength).collect());
        next = match &*query.body {
            SetExpr::Query(inner) => Some(inner),
            SetExpr::Select(select) => select.from.iter().find_map(|from| match &from.relation {
                sqlparser::ast::TableFactor::Derived { subquery, .. } => Some(&**subquery),
                _ => None,
            }),
            _ => None,
        };
    }
    found
}

#[test]
fn a_locking_clause_is_of_the_query_it_ends() {
    use Strength::{KeyShare, NoKeyUpdate, Share, Update};
    for (sql, expected) in [
        ("SELECT 1 FOR UPDATE", vec![vec![Update]]),
        ("SELECT 1 FROM t FOR SHARE OF t, u FOR KEY SHARE LIMIT 1", vec![vec![Share, KeyShare]]),
        (
            "SELECT 1 FROM (SELECT 2 FROM u FOR NO KEY UPDATE) s FOR SHARE",
            vec![vec![Share], vec![NoKeyUpdate]],
        ),
        ("SELECT 1 FROM (SELECT 2 FROM u FOR UPDATE) s", vec![vec![], vec![Update]]),
        ("(SELECT 1 FROM t FOR SHARE) FOR UPDATE", vec![vec![], vec![Share, Update]]),
        ("WITH x AS (SELECT 1 FOR SHARE) (SELECT 1) FOR UPDATE", vec![vec![], vec![Update]]),
        ("SELECT 1 UNION SELECT 2 FOR UPDATE", vec![vec![Update]]),
        ("(SELECT 1) UNION (SELECT 2) ORDER BY (SELECT 3) FOR UPDATE", vec![vec![Update]]),
        ("VALUES (1) FOR UPDATE", vec![vec![Update]]),
        ("SELECT 1 FOR READ ONLY", vec![vec![]]),
    ] {
        assert_eq!(strengths(sql), expected, "{sql}");
    }
}

#[test]
fn long_statements_are_read_in_time() {
    let many = |item: &dyn Fn(usize) -> String, between: &str| {
        (0..20_000).map(item).collect::<Vec<_>>().join(between)
    };
    for sql in [
        format!("UPDATE t SET {}", many(&|at| format!("xs[{at}] = {at}"), ", ")),
        format!("SELECT {}", many(&|_| "(r).*".to_owned(), ", ")),
        format!("SELECT {}", many(&|_| "f(VARIADIC a)".to_owned(), ", ")),
        format!("SELECT 1 FROM t {}", many(&|_| "FOR KEY SHARE".to_owned(), " ")),
        format!("SELECT 1 FROM t FOR UPDATE OF {}", many(&|at| format!("t{at}"), ", ")),
        format!("SELECT {}", many(&|_| "(SELECT)".to_owned(), ", ")),
        format!(
            "SELECT {}",
            many(&|_| "sum(a) OVER (ROWS 1 PRECEDING EXCLUDE TIES)".to_owned(), ", ")
        ),
        format!(
            "INSERT INTO t VALUES {} ON CONFLICT (lower(a)) DO NOTHING",
            many(&|_| "(1)".to_owned(), ", ")
        ),
        format!(
            "INSERT INTO t VALUES (1) ON CONFLICT (lower(a)) WHERE {} DO NOTHING",
            many(&|_| "b".to_owned(), " AND ")
        ),
    ] {
        let started = std::time::Instant::now();
        parse(&sql, &Stop::never()).unwrap_or_else(|error| panic!("{}: {error:?}", &sql[..60]));
        let took = started.elapsed();
        assert!(took.as_secs() < 20, "{} took {took:?}", &sql[..60]);
    }
}

#[test]
fn deep_statements_are_refused() {
    let nested = |open: &str, inner: &str, close: &str| {
        format!("{}{inner}{}", open.repeat(5_000), close.repeat(5_000))
    };
    for sql in [
        nested("SELECT * FROM (", "SELECT 1", ") s FOR UPDATE"),
        nested("(", "SELECT 1", ") FOR UPDATE"),
        format!("SELECT {}", nested("((", "SELECT 1", ") UNION (SELECT 1))")),
        format!("SELECT a FETCH FIRST {} ROWS ONLY", nested("(", "1", ")")),
        format!("UPDATE t SET xs[{}] = 1", nested("xs[", "1", "]")),
        format!("INSERT INTO t VALUES (1) ON CONFLICT ({}) DO NOTHING", nested("lower(", "a", ")")),
        format!("SELECT f(VARIADIC {})", nested("f(VARIADIC ", "a", ")")),
    ] {
        let error = crate::worded(parse(&sql, &Stop::never()).unwrap_err());
        assert_eq!(error.state().0, "54001", "{}", &sql[..40]);
    }
}

#[test]
fn the_text_stays_as_it_was_written() {
    let sql = " /* a */ select (r).*, f(variadic x) from t -- b\n for no key update ; select 2";
    let statements = parse(sql, &Stop::never()).expect("it parses");
    let texts: Vec<&str> = statements.iter().map(|statement| &*statement.text).collect();
    let first = "select (r).*, f(variadic x) from t -- b\n for no key update";
    assert_eq!(texts, [first, "select 2"]);
}

/// How often a text asks whether to stop until it is told to, the given time, or ends.
fn asked_until(told: usize, sql: &str) -> (usize, bool) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let stop = Stop::when(move || count.fetch_add(1, Ordering::Relaxed) + 1 >= told);
    let read = parse(sql, &stop).is_ok();
    (asked.load(Ordering::Relaxed), read)
}

#[test]
fn nothing_is_read_after_it_was_told_to_stop() {
    let joins: String = (1..3_000).map(|at| format!("cross join (select 1) t{at} ")).collect();
    let sql = format!("select count(*) from (select 1) t0 {joins}");
    let (all, read) = asked_until(usize::MAX, &sql);
    assert!(read && all > 3_000, "{all}");
    // Among the tokens, and in the tree.
    for told in [1, 10, all / 2, all - 1] {
        let (asked, read) = asked_until(told, &sql);
        assert!(!read && asked == told, "{asked} for {told} of {all}");
    }
}
