//! A shop over PostgreSQL's protocol, for `hob test`: every customer orders one of the same item.
//!
//! ```text
//! orders N         N customers at once, each on a thread and a connection without a name
//! orders N calm    one after the other
//! ```
//!
//! No two runs say the same: orders have random ids and the time they were made at, and the items of a basket
//! are asked for in the order of a hash set. Stock is read, changed here and saved, so at READ COMMITTED an
//! order may be lost; afterwards the stock is compared with the orders.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

const STOCK: i64 = 100;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let customers = args.first().and_then(|count| count.parse().ok()).unwrap_or(2);
    let calm = args.get(1).is_some_and(|how| how == "calm");
    match shop(customers, calm) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("the stock is not what the orders left");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn shop(customers: i64, calm: bool) -> io::Result<bool> {
    let mut shop = Connection::open()?;
    shop.ask("create table item(id int primary key, stock int, changed timestamptz)")?;
    shop.ask("create table person(id int primary key, last timestamptz)")?;
    shop.ask("create table orders(id uuid primary key, item int, made timestamptz)")?;
    shop.ask(
        "create table visit(id serial primary key, person int, at timestamptz default now())",
    )?;
    shop.ask(&format!("insert into item select n, {STOCK}, now() from generate_series(1, 3) n"))?;
    shop.ask("insert into person select n, now() from generate_series(1, 9) n")?;
    let mut threads = Vec::new();
    for customer in 1..=customers {
        let thread = std::thread::spawn(move || order(customer));
        match calm {
            true => thread.join().expect("customers do not panic")?,
            false => threads.push(thread),
        }
    }
    for thread in threads {
        thread.join().expect("customers do not panic")?;
    }
    let stock: i64 = shop.number("select stock from item where id = 1")?;
    let orders: i64 = shop.number("select count(*) from orders where item = 1")?;
    Ok(STOCK - stock == orders)
}

/// One customer's visit.
fn order(customer: i64) -> io::Result<()> {
    let mut connection = Connection::open()?;
    connection.ask(&format!("select last from person where id = {customer}"))?;
    loop {
        match buy(&mut connection, customer) {
            // Refused for the sake of others: it is tried again.
            Err(error) if error.to_string().contains("C40001") => connection.ask("rollback")?,
            result => return result,
        };
    }
}

/// One of the first item is bought in a transaction.
fn buy(connection: &mut Connection, customer: i64) -> io::Result<()> {
    connection.ask("begin")?;
    let basket: HashSet<i32> = [1, 2, 3].into();
    let basket: Vec<String> = basket.iter().map(ToString::to_string).collect();
    connection.ask(&format!("select id, stock from item where id in ({})", basket.join(", ")))?;
    let stock = connection.number("select stock from item where id = 1")?;
    let (id, now) = (random_id(), now());
    connection.ask(&format!("insert into visit(person) values ({customer})"))?;
    connection.ask(&format!("insert into orders values ('{id}', 1, to_timestamp({now}))"))?;
    let left = stock - 1;
    connection.ask(&format!(
        "update item set stock = {left}, changed = to_timestamp({now}) where id = 1"
    ))?;
    connection.ask("commit")?;
    connection.ask(&format!("select item from orders where id = '{id}'"))?;
    Ok(())
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// A random UUID; the standard library has no other randomness than that of its hash tables.
fn random_id() -> String {
    let [a, b] = [RandomState::new().hash_one(1), RandomState::new().hash_one(2)];
    let (a, b) = (format!("{a:016x}"), format!("{b:016x}"));
    format!("{}-{}-4{}-8{}-{}", &a[..8], &a[8..12], &a[13..], &b[1..4], &b[4..])
}

/// A connection that asks by PostgreSQL's simple protocol.
struct Connection {
    stream: TcpStream,
    input: BufReader<TcpStream>,
}

impl Connection {
    fn open() -> io::Result<Connection> {
        let variable = |name| std::env::var(name).map_err(io::Error::other);
        let stream =
            TcpStream::connect(format!("{}:{}", variable("PGHOST")?, variable("PGPORT")?))?;
        let input = BufReader::new(stream.try_clone()?);
        let mut connection = Connection { stream, input };
        let mut startup = 196_608_i32.to_be_bytes().to_vec();
        startup.extend(b"user\0hob\0database\0hob\0\0");
        connection.send(&[], &startup)?;
        connection.answer()?;
        Ok(connection)
    }

    fn send(&mut self, kind: &[u8], body: &[u8]) -> io::Result<()> {
        let length = i32::try_from(body.len() + 4).map_err(io::Error::other)?;
        self.stream.write_all(&[kind, &length.to_be_bytes(), body].concat())
    }

    fn ask(&mut self, sql: &str) -> io::Result<Option<String>> {
        self.send(b"Q", &[sql.as_bytes(), b"\0"].concat())?;
        self.answer()
    }

    fn number(&mut self, sql: &str) -> io::Result<i64> {
        let answer = self.ask(sql)?.ok_or_else(|| io::Error::other(format!("{sql}: no row")))?;
        answer.parse().map_err(io::Error::other)
    }

    /// Reads until the server is ready; gives the last row's first column.
    fn answer(&mut self) -> io::Result<Option<String>> {
        let (mut found, mut failed) = (None, None);
        loop {
            let mut head = [0; 5];
            self.input.read_exact(&mut head)?;
            let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
            let mut body = vec![0; length as usize - 4];
            self.input.read_exact(&mut body)?;
            match head[0] {
                b'D' => {
                    let length = i32::from_be_bytes([body[2], body[3], body[4], body[5]]);
                    let end = 6 + usize::try_from(length).unwrap_or(0);
                    found = Some(String::from_utf8_lossy(&body[6..end]).into_owned());
                }
                b'E' => failed = Some(String::from_utf8_lossy(&body).replace('\0', " ")),
                b'Z' => break,
                _ => {}
            }
        }
        failed.map_or(Ok(found), |error| Err(io::Error::other(error)))
    }
}
