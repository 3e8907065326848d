//! Pages for a browser: `hob view`, and the status page of `hob serve`.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hobgoblin_server::client::Client;
use serde_json::Value as Json;

use crate::serving::Serving;
use crate::{Scratch, hob, serve};

/// What a server answers to a GET: the status and the body.
fn get(url: &str) -> (u16, String) {
    get_as(url, None)
}

fn get_as(url: &str, host: Option<&str>) -> (u16, String) {
    let rest = url.strip_prefix("http://").expect("a plain address");
    let (addr, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(addr).expect("it listens");
    let host = host.unwrap_or(addr);
    let head = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    assert!(!is_chunked, "bodies are whole");
    (status, body.to_owned())
}

fn json(url: &str) -> Json {
    let (status, body) = get(url);
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// The data in a page, by the id of its element.
fn data(html: &str, id: &str) -> Json {
    let from = html.split(&format!("id=\"{id}\">")).nth(1).unwrap_or_else(|| panic!("no {id}"));
    serde_json::from_str(from.split("</script>").next().expect("an end")).expect("it is JSON")
}

fn number(html: &str) -> u64 {
    let from = html.split("data-version=\"").nth(1).expect("a page that changes");
    from.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
}

fn view(args: &[&str]) -> (Serving, String) {
    let serving = Serving::of(&mut hob(&[&["view", "--json"], args].concat()));
    let url = serving.ready["url"].as_str().expect("an address").to_owned();
    (serving, url)
}

/// Waits until something holds.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Two sessions read the same and both write.
fn lose_an_update(client: &Client) {
    let mut sessions = [client.session_named("a").unwrap(), client.session_named("b").unwrap()];
    for session in &mut sessions {
        session.begin().unwrap();
        session.get("x").unwrap();
    }
    for (session, value) in sessions.iter_mut().zip(1..) {
        session.put("x", value).unwrap();
        session.commit().unwrap();
    }
}

#[test]
fn a_history_is_shown_and_followed() {
    let scratch = Scratch::new("view");
    let file = scratch.file("h.jsonl");
    let line = |session: &str, from: i64, to: i64| {
        format!("{{\"session\":\"{session}\",\"ops\":[[\"r\",\"x\",{from}],[\"w\",\"x\",{to}]]}}\n")
    };
    std::fs::write(
        &file,
        format!("{{\"hobgoblin\":1,\"initial\":{{\"x\":0}}}}\n{}", line("a", 0, 1)),
    )
    .unwrap();
    let (serving, url) = view(&[&file]);
    let (status, html) = get(&url);
    assert_eq!(status, 200);
    assert!(
        html.contains("No level that was checked is violated")
            && html.contains("connect-src 'self'")
    );
    let rows = json(&format!("{url}rows?version=1&count=10"));
    assert_eq!((&rows["total"], &rows["data"]["sessions"]), (&1.into(), &serde_json::json!(["a"])));

    // A line that is half written is no news.
    let mut grown = OpenOptions::new().append(true).open(&file).unwrap();
    let second = line("b", 0, 2);
    grown.write_all(&second.as_bytes()[..20]).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(number(&get(&url).1), 1);
    grown.write_all(&second.as_bytes()[20..]).unwrap();
    let new = until("it follows", || {
        let number = json(&format!("{url}live?since=1"))["version"].as_u64().unwrap();
        (number != 1).then_some(number)
    });
    let html = get(&url).1;
    assert_eq!(number(&html), new);
    assert!(html.contains("Two changes were based on the same value: x"), "the lost update");
    let (status, old) = get(&format!("{url}rows?version=1&count=10"));
    assert_eq!((status, old), (409, format!("{{\"version\":{new}}}")));
    let guilty = json(&format!("{url}rows?version={new}&status=anomaly&count=10"));
    assert_eq!(
        (&guilty["total"], &guilty["data"]["witness"]),
        (&2.into(), &serde_json::json!([0, 1]))
    );

    // Nobody else finds it: not without the token, and not by another name of this machine.
    let root = &url[..url[7..].find('/').unwrap() + 8];
    assert_eq!(get(root).0, 404);
    assert_eq!(get_as(&url, Some("evil.example")).0, 403);
    assert_eq!(get(url.strip_suffix('/').unwrap()).0, 308);

    // A file that is gone keeps its page, which says so.
    std::fs::remove_file(&file).unwrap();
    until("it is missed", || {
        get(&url).1.contains("The file has changed and cannot be read").then_some(())
    });
    assert_eq!(serving.end("-INT").0, Some(0));
}

#[test]
fn a_large_history_comes_by_pages() {
    let scratch = Scratch::new("view-large");
    let file = scratch.file("h.jsonl");
    let mut text = String::from("{\"hobgoblin\":1}\n");
    for number in 0..30_000 {
        let (session, key) = (number % 7, number % 1000);
        let status = if number % 10 == 3 { ",\"status\":\"aborted\"" } else { "" };
        let _ = writeln!(
            text,
            "{{\"session\":\"s{session}\",\"ops\":[[\"w\",\"key{key}\",{number}]]{status}}}"
        );
    }
    std::fs::write(&file, text).unwrap();
    let (_serving, url) = view(&[&file, "--level", "RC"]);
    let html = get(&url).1;
    assert!(html.len() < 1 << 20, "{} bytes", html.len());
    let remote = data(&html, "history-remote");
    assert_eq!((&remote["count"], &remote["version"]), (&30_000.into(), &1.into()));
    assert_eq!(remote["sessions"].as_array().map(Vec::len), Some(7));
    let total =
        |query: &str| json(&format!("{url}rows?version=1&{query}"))["total"].as_u64().unwrap();
    // What the filters leave, counted by hand.
    let by_hand = |fits: &dyn Fn(u64) -> bool| (0..30_000).filter(|&n| fits(n)).count() as u64;
    assert_eq!(total("session=s3"), by_hand(&|n| n % 7 == 3));
    assert_eq!(total("status=aborted"), 3000);
    assert_eq!(total("status=committed&session=s3"), by_hand(&|n| n % 7 == 3 && n % 10 != 3));
    assert_eq!(total("key=KEY99"), by_hand(&|n| format!("key{}", n % 1000).contains("key99")));
    assert_eq!(
        total("q=123"),
        by_hand(&|n| [n % 1000, n, n + 1].iter().any(|part| part.to_string().contains("123"))),
    );
    assert_eq!(total("session=nobody"), 0);
    let page = json(&format!("{url}rows?version=1&session=s3&from=4280&count=200"));
    let names = page["data"]["names"].as_array().unwrap();
    assert_eq!((page["total"].as_u64(), names.len()), (Some(4286), 6));
    let most = json(&format!("{url}rows?version=1&count=100000"));
    assert_eq!(most["data"]["names"].as_array().map(Vec::len), Some(500));
    assert_eq!(get(&format!("{url}rows?version=x")).0, 400);
    assert_eq!(get(&format!("{url}rows?version=1&from=99999999999&count=5")).0, 200);
}

#[test]
fn failures_and_logs_are_shown() {
    let scratch = Scratch::new("view-failures");
    let (log, history) =
        (scratch.file("RC-seed7.log.jsonl"), scratch.file("RC-seed7.history.jsonl"));
    let serving = serve(&["--level", "RC", "--seed", "7", "--log", &log, "--history", &history]);
    let client = serving.client();
    lose_an_update(&client);
    assert_eq!(serving.end("-INT").0, Some(0));

    let lost = "Two changes were based on the same value: x";
    let (_folder, url) = view(&[&scratch.file("")]);
    let list = get(&url).1;
    assert!(
        list.contains("One run was kept.") && list.contains("<a href=\"RC-seed7/\">"),
        "{list}"
    );
    let run = get(&format!("{url}RC-seed7/")).1;
    assert!(run.contains(lost), "the run");
    assert!(run.contains("hob test --replay"), "how to run it again");
    assert_eq!(json(&format!("{url}RC-seed7/rows?version=1&count=9"))["total"], 2);
    assert_eq!(get(&format!("{url}RC-seed7")).0, 308);
    assert_eq!(get(&format!("{url}../../etc/passwd/")).0, 404);
    assert_eq!(get(&format!("{url}RC-seed8/")).0, 404);

    // A log alone is followed to its history.
    std::fs::remove_file(&history).unwrap();
    let (_alone, url) = view(&[&log]);
    assert!(get(&url).1.contains(lost), "the log");
}

#[test]
fn what_cannot_be_viewed_says_why() {
    let scratch = Scratch::new("view-wrong");
    let text = scratch.file("notes.txt");
    std::fs::write(&text, "hello\n").unwrap();
    let cut = scratch.file("cut.log.jsonl");
    std::fs::write(&cut, "{\"hobgoblin-log\":1,\"level\":\"QQ\"}\n").unwrap();
    let empty = scratch.file("empty");
    std::fs::create_dir(&empty).unwrap();
    for file in [scratch.file("nothing.jsonl"), text, cut, empty] {
        let run = hob(&["view", &file]).output().expect("hob runs");
        let said = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{file}: {said}");
        assert!(said.contains("error: ") && said.contains("help: "), "{said}");
    }
}

#[test]
fn the_status_page_says_who_waits_for_whom() {
    let serving = serve(&["--profile", "postgres", "--hold", "0ms", "--level", "RC"]);
    let url = format!("{}/", serving.ready["url"].as_str().unwrap());
    assert_eq!(serving.ready["page_url"].as_str(), Some(&*url));
    let client = serving.client();
    assert!(get(&url).1.contains("0 open transactions"), "nobody is there yet");
    let mut first = client.session_named("first").unwrap();
    first.begin().unwrap();
    first.put("x", 1).unwrap();
    // Three in a queue.
    let others: Vec<_> = ["second", "third", "fourth"]
        .map(|name| {
            let mut session = client.session_named(name).unwrap();
            session.begin().unwrap();
            std::thread::spawn(move || {
                session.put("x", 2).unwrap();
                session.commit().unwrap();
            })
        })
        .into();
    let html = until("they wait", || {
        let html = get(&url).1;
        html.contains("4 open transactions, 3 of them waiting").then_some(html)
    });
    let row = |name: &str| {
        let from = html.split(&format!("<th scope=\"row\">{name}</th>")).nth(1).expect("a row");
        from.split("</tr>").next().unwrap().to_owned()
    };
    for name in ["second", "third", "fourth"] {
        assert!(row(name).contains("first"), "{name}: {}", row(name));
    }
    assert!(!row("first").contains("second"), "who holds waits for nobody");
    first.commit().unwrap();
    others.into_iter().for_each(|other| other.join().unwrap());
    until("it is over", || get(&url).1.contains("0 open transactions").then_some(()));
}

#[test]
fn the_status_page_shows_the_last_anomalies() {
    let serving = serve(&["--level", "RC", "--policy", "stale"]);
    let url = format!("{}/", serving.ready["url"].as_str().unwrap());
    let client = serving.client();
    let before = number(&get(&url).1);
    lose_an_update(&client);
    until("it is found", || {
        get(&url).1.contains("Two changes were based on the same value: x").then_some(())
    });
    let html = get(&url).1;
    assert_ne!(json(&format!("{url}live?since={before}"))["version"], before);
    let rows = data(&html, "history-remote");
    let version = rows["version"].as_u64().unwrap();
    assert_eq!(json(&format!("{url}rows?version={version}&status=anomaly&count=5"))["total"], 2);
}

#[test]
fn sql_alone_has_a_page_of_its_own() {
    let serving = Serving::start(&["--pg", "127.0.0.1:0"]);
    let url = serving.ready["page_url"].as_str().expect("a page");
    let (status, html) = get(url);
    assert_eq!(status, 200);
    assert!(html.contains("Hobgoblin store at read committed (RC)"), "{html}");
    assert!(!html.contains("/v1/"), "it has no routes of HTTP");
    let root = &url[..url[7..].find('/').unwrap() + 8];
    assert_eq!(get(root).0, 404);
    assert_eq!(serving.end("-INT").0, Some(0));

    let mut child = hob(&["serve", "--pg", "127.0.0.1:0"]).spawn().expect("hob starts");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let said = [lines.next().unwrap().unwrap(), lines.next().unwrap().unwrap()];
    assert!(
        said[0].starts_with("postgresql://") && said[1].contains("http://127.0.0.1:"),
        "{said:?}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
}
