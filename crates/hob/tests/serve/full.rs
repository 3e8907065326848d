//! A disk that is full, and files that are there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use hobgoblin_server::client::Client;
use serde_json::Value as Json;

use crate::serving::Serving;
use crate::{Scratch, check, hob, refused, serve};

/// A server whose files may have so many blocks of 512 bytes.
fn limited(blocks: u32, flags: &str) -> Serving {
    let hob = env!("CARGO_BIN_EXE_hob");
    let script = format!("ulimit -f {blocks}; exec '{hob}' serve --json --http 0 {flags}");
    Serving::of(Command::new("sh").args(["-c", &script]).stderr(Stdio::piped()))
}

/// What it says while it still runs, then its exit code.
fn end(mut serving: Serving) -> (String, Option<i32>) {
    let mut err = BufReader::new(serving.child.stderr.take().expect("piped"));
    let mut said = String::new();
    err.read_line(&mut said).expect("text");
    let (code, _) = serving.end("-INT");
    (said, code)
}

/// The values that the committed transactions of a history wrote, and that every line is whole.
fn written(file: &str) -> Vec<u64> {
    let text = std::fs::read_to_string(file).expect("it is there");
    assert!(text.ends_with('\n'), "the last line is a half");
    let line = |line: &str| serde_json::from_str::<Json>(line).expect("whole lines");
    let all: Vec<Json> = text.lines().map(line).collect();
    assert!(all[0]["hobgoblin"].is_number());
    all[1..].iter().filter_map(|txn| txn["ops"][0]["value"].as_u64()).collect()
}

#[test]
fn nothing_is_acknowledged_that_is_not_written() {
    for flags in ["", "--profile postgres --hold 1ms", "--log LOG"] {
        let scratch = Scratch::new("full");
        let file = scratch.file("out.jsonl");
        let flags = flags.replace("LOG", &scratch.file("log.jsonl"));
        let serving = limited(16, &format!("--history {file} {flags}"));
        let url = serving.ready["url"].as_str().expect("an address").to_owned();
        // All are connected before the first can fill the file.
        let sessions: Vec<_> = (0..4)
            .map(|_| Client::new(&url).expect("a good one").session().expect("there is room yet"))
            .collect();
        let threads: Vec<_> = sessions
            .into_iter()
            .zip(0u64..)
            .map(|(mut session, number)| {
                std::thread::spawn(move || {
                    let mut acknowledged = Vec::new();
                    for value in number * 1000..number * 1000 + 1000 {
                        match session.put(format!("k{number}").as_str(), value) {
                            Ok(()) => acknowledged.push(value),
                            Err(error) => return (acknowledged, error.to_string()),
                        }
                    }
                    panic!("a thousand transactions fit into 8 KiB");
                })
            })
            .collect();
        let mut acknowledged = Vec::new();
        for thread in threads {
            let (own, error) = thread.join().expect("it ends");
            assert!(error.contains("cannot be written"), "{flags}: {error}");
            acknowledged.extend(own);
        }
        let (said, code) = end(serving);
        assert!(
            said.contains("not complete") && said.contains("File too large"),
            "{flags}: {said}"
        );
        assert_eq!(code, Some(2), "{flags}");
        let written = written(&file);
        let lost: Vec<_> = acknowledged.iter().filter(|v| !written.contains(v)).collect();
        assert!(
            !acknowledged.is_empty() && lost.is_empty(),
            "{flags}: {lost:?} are not in the file"
        );
        // At most one request of each session was under way.
        assert!(written.len() <= acknowledged.len() + 4, "{flags}");
        assert_eq!(check(&file, "RC").status.code(), Some(0), "{flags}");
    }
}

/// Sends a message of the PostgreSQL protocol and reads until the server is ready: the codes of errors.
fn ask(stream: &mut TcpStream, kind: Option<u8>, body: &[u8]) -> Vec<String> {
    let mut message: Vec<u8> = kind.into_iter().collect();
    message.extend_from_slice(&(body.len() as u32 + 4).to_be_bytes());
    message.extend_from_slice(body);
    stream.write_all(&message).expect("it listens");
    let mut codes = Vec::new();
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head).expect("it answers");
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize - 4;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).expect("it answers");
        match head[0] {
            b'E' => {
                let field = |field: &[u8]| field.strip_prefix(b"C").map(<[u8]>::to_vec);
                let code = body.split(|&b| b == 0).find_map(field).expect("errors have codes");
                codes.push(String::from_utf8(code).expect("codes are text"));
            }
            b'Z' => return codes,
            _ => {}
        }
    }
}

#[test]
fn sql_clients_hear_that_the_disk_is_full() {
    let scratch = Scratch::new("full-sql");
    let file = scratch.file("out.jsonl");
    let serving = limited(64, &format!("--pg 0 --history {file}"));
    let addr = serving.ready["pg_url"].as_str().expect("an address");
    let addr = addr.split('@').nth(1).and_then(|rest| rest.split('/').next()).expect("a port");
    let mut stream = TcpStream::connect(addr).expect("it listens");
    assert!(ask(&mut stream, None, b"\0\x03\0\0user\0hob\0database\0hob\0\0").is_empty());
    let mut query = |text: &str| ask(&mut stream, Some(b'Q'), format!("{text}\0").as_bytes());
    assert!(query("create table t (id int primary key)").is_empty());
    let mut inserted = 0;
    let codes = loop {
        let codes = query(&format!("insert into t values ({inserted})"));
        if !codes.is_empty() {
            break codes;
        }
        inserted += 1;
        assert!(inserted < 2000, "two thousand rows fit into 32 KiB");
    };
    assert_eq!(codes, ["53100"]);
    assert_eq!(query("begin; insert into t values (-1); commit"), ["53100"]);
    assert_eq!(query("rollback"), [""; 0]);
    assert_eq!(query("select 1 from t"), ["53100"]);
    let (said, code) = end(serving);
    assert!(said.contains("not complete"), "{said}");
    assert_eq!(code, Some(2));
    let text = std::fs::read_to_string(&file).expect("it is there");
    assert!(text.ends_with('\n'));
    let rows = text.lines().filter(|line| line.contains("insert into t")).count();
    assert!(rows >= inserted, "{inserted} were acknowledged, {rows} written");
    assert_eq!(check(&file, "RC").status.code(), Some(0));
}

#[test]
fn files_that_are_there_stay_and_have_one_writer() {
    let scratch = Scratch::new("files");
    let (file, log) = (scratch.file("out.jsonl"), scratch.file("log.jsonl"));
    std::fs::write(&file, "precious\n").expect("there is room");
    refused(&["--http", "0", "--history", &file], &["exists already", "--force", "out.jsonl"]);
    refused(&["--http", "0", "--log", &file], &["exists already", "--force", "out.jsonl"]);
    refused(&["--http", "0", "--history", "/dev/full"], &["No space left"]);
    let same = &["cannot be one file", "a file each"];
    refused(&["--http", "0", "--force", "--history", &file, "--log", &file], same);
    let link = scratch.file("link");
    std::os::unix::fs::symlink(&file, &link).expect("there is room");
    refused(&["--http", "0", "--force", "--history", &file, "--log", &link], same);
    refused(&["--http", "0", "--history", &log, "--log", &log], same);
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "precious\n");
    assert!(!std::path::Path::new(&log).exists(), "something is left of what did not start");
    let serving = serve(&["--history", &file, "--force"]);
    refused(&["--http", "0", "--force", "--history", &file], &["being written", "another server"]);
    serving.client().session().expect("it serves").put("x", 1).expect("it serves");
    assert_eq!(serving.end("-INT").0, Some(0));
    assert_eq!(written(&file), [1]);
    let output = hob(&["check", &file]).output().expect("hob runs");
    assert_eq!(output.status.code(), Some(0));
}
