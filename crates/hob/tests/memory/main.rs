//! What a server costs: memory and threads of `hob serve --pg`, seen from outside.

mod child;
#[path = "../support/serving.rs"]
mod serving;

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use child::{Client, serve};

#[test]
fn memory_is_flat_however_many_transactions_there_were() {
    let serve = serve(&["--keep", "4MB"]);
    let mut client = serve.client();
    client.run("create table t(id int primary key, v int)");
    client.run("insert into t select g, 0 from generate_series(1, 200) g");
    let work = |client: &mut Client, count: usize| {
        for number in 0..count {
            match number % 4 {
                0 => client.run(&format!("update t set v = v + 1 where id = {}", number % 200 + 1)),
                1 => client.run("select sum(v) from t where id between 10 and 60"),
                2 => client.run("begin; select * from t where id = 7; commit"),
                _ => client.run(&format!("select v from t where id = {}", number % 200 + 1)),
            };
        }
    };
    // Until what is kept is full.
    work(&mut client, 8_000);
    let before = serve.status("VmRSS:");
    work(&mut client, 24_000);
    let after = serve.status("VmRSS:");
    assert!(after < before + 10_000, "{before} kB, then {after} kB");
    // Connections that are gone leave little behind.
    for _ in 0..500 {
        serve.client().run("select 1");
    }
    let last = serve.status("VmRSS:");
    assert!(last < after + 10_000, "{after} kB, then {last} kB");
}

#[test]
fn a_row_of_integers_costs_about_a_hundred_and_fifty_bytes() {
    let full = std::env::var_os("HOB_FULL").is_some();
    let (rows, most) = if full { (1_000_000, 160) } else { (200_000, 180) };
    for wide in [true, false] {
        let serve = serve(&["--keep", "1MB"]);
        let mut client = serve.client();
        client.run("create table t(id int primary key, a int, b int)");
        let before = serve.status("VmRSS:");
        let lines = (1..=rows).map(|id| match wide {
            true => format!("{id}\t{}\t{}", id * 7, id * 13),
            false => format!("{id}\t{}\t{}", id % 100, id % 7),
        });
        assert_eq!(client.copy("copy t from stdin", lines), "");
        let bytes = (serve.status("VmRSS:") - before) * 1024 / rows;
        let peak = serve.status("VmHWM:");
        assert!(bytes < most, "{bytes} bytes a row");
        assert!(peak < 300_000, "{peak} kB");
    }
}

#[test]
fn a_result_is_sent_while_it_is_found() {
    let serve = serve(&["--keep", "1MB"]);
    let mut client = serve.client();
    client.run("create table t(id int primary key, a int, b text)");
    client
        .run("insert into t select g, g * 7, 'some text ' || g from generate_series(1, 200000) g");
    client.run("select count(*) from t");
    let before = serve.status("VmHWM:");
    for _ in 0..2 {
        assert_eq!(client.run("select * from t where a > 0"), "");
    }
    let after = serve.status("VmHWM:");
    assert!(after < before + 10_000, "{before} kB, then {after} kB");
}

#[test]
fn half_open_connections_cost_no_thread_and_keep_nobody_out() {
    let serve = serve(&[]);
    let threads = serve.status("Threads:");
    let mut strangers = Vec::new();
    for number in 0..5_000 {
        let Ok(mut socket) = TcpStream::connect(serve.addr()) else { break };
        let part = &b"\0\0\0\x20\0\x03\0\0user"[..number % 12];
        let _ = socket.write_all(part);
        strangers.push(socket);
    }
    assert!(strangers.len() > 900, "only {} sockets", strangers.len());
    assert!(serve.status("Threads:") < threads + 10, "{} threads", serve.status("Threads:"));
    for _ in 0..5 {
        let start = Instant::now();
        let mut client = serve.client();
        assert_eq!(client.run("select 1"), "");
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    }
}

#[test]
fn texts_that_double_for_ever_end_with_an_error_and_bounded_memory() {
    let serve = serve(&[]);
    let statements = [
        "with recursive r as (select 'x' t union all select t || t from r) select count(*) from r",
        "with recursive r as (select 'x' t union all select concat(t, t) from r) select count(*) from r",
        "select length(string_agg(repeat('x', 50000000), '')) from generate_series(1, 100)",
        "select json_agg(repeat('x', 50000000)) is null from generate_series(1, 100)",
        "select length(replace(repeat('x', 100000), 'x', repeat('y', 100000)))",
        "select length(regexp_replace(repeat('x', 100000), 'x', repeat('y', 100000), 'g'))",
        "select count(*) from (select repeat('x', 100000000) || g t from generate_series(1, 100) g order by 1) s",
        "with recursive r as (select array[1] a union all select a || a from r) select count(*) from r",
    ];
    std::thread::scope(|scope| {
        for sql in statements {
            let serve = &serve;
            scope.spawn(move || {
                let mut client = serve.client();
                client.run("set statement_timeout = '100s'");
                let state = client.run(sql);
                assert!(["53200", "54000", "XX000"].contains(&state.as_str()), "{sql}: {state}");
                assert_eq!(client.run("select 1"), "");
            });
        }
    });
    let peak = serve.status("VmHWM:");
    assert!(peak < 4 << 20, "{} MB", peak >> 10);
    let mut client = serve.client();
    for (sql, state) in [
        ("select length(repeat('x', 1 << 30))", "54000"),
        ("select length(lpad('x', 1 << 30))", "54000"),
        ("select length(format('%1073741824s', 'x'))", "54000"),
        ("select length(a || a) from (select repeat('x', 600000000) a) s", "XX000"),
        ("select length(repeat('x', 1000000))", ""),
    ] {
        assert_eq!(client.run(sql), state, "{sql}");
    }
}
