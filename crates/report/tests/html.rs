//! Pages as text: complete without their script, and nothing in them but text comes from data.

use std::fs;
use std::path::Path;

use hobgoblin_check::{Limits, check};
use hobgoblin_core::{History, HistoryBuilder, Kind, Level, TxnInfo, Verdict, Witness};
use hobgoblin_format::read;
use hobgoblin_report::{
    Again, Anomaly, Block, Body, LevelRow, Page, RunRow, Runs, Standing, Table,
};

const SKEW: &str = "init x=0 y=0\ns1: t1 { r(x)=0 r(y)=0 w(x)=1 }\ns2: t2 { r(x)=0 r(y)=0 w(y)=1 }";

fn violated(history: &History, level: Level) -> (Verdict, Box<Witness>) {
    let verdict = check(history, level, &Limits::none());
    let Verdict::Violation(witness) = verdict.clone() else { panic!("{level} is violated") };
    (verdict, witness)
}

/// The page of a history that violates a level.
fn page(history: &History, level: Level) -> Page {
    let (verdict, witness) = violated(history, level);
    let mut page = Page::new("example.txn");
    page.command = "check".to_owned();
    page.levels.push(LevelRow { anomaly: Some(0), ..LevelRow::of(level, &verdict) });
    page.anomalies.push(Anomaly::of(history, &witness));
    page.history = Some(Table::of(history, &[&witness], false));
    page
}

fn skew() -> Page {
    page(&read(SKEW.as_bytes(), "example.txn", None).expect("it can be read"), Level::SER)
}

/// What a reader without JavaScript has: the page without its style, its script and its data.
fn read_plainly(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = ["<style", "<script"].iter().filter_map(|tag| rest.find(tag)).min() {
        text.push_str(&rest[..at]);
        let end = rest[at..].find("</s").expect("it is closed") + at;
        rest = &rest[end..][rest[end..].find('>').expect("it is a tag") + 1..];
    }
    text + rest
}

#[test]
fn a_small_page() {
    let found = read_plainly(&skew().html());
    let body = &found[found.find("<body>").expect("there is one")..];
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/write-skew.html");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, body).expect("the golden file can be written");
    }
    let wanted = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        body, wanted,
        "the page is written in another way; UPDATE_GOLDEN=1 if that is meant"
    );
}

#[test]
fn it_is_complete_without_its_script() {
    let mut page = skew();
    page.runs = Some(Runs {
        levels: vec![RunRow {
            level: "SER".to_owned(),
            runs: 200,
            failures: 12,
            interval: Some((0.034, 0.102)),
            behaviours: Some(31),
            first_seed: Some("seed-17".to_owned()),
        }],
        anomalies: vec![("write skew".to_owned(), 11)],
    });
    page.notes.push("The time limit ended it.".to_owned());
    page.blocks.push(Block { heading: "Output".to_owned(), body: Body::Text("FAIL".to_owned()) });
    page.again = Some(Again {
        command: "hob test --seed 1".to_owned(),
        version: "0.1.0".to_owned(),
        seed: Some("1".to_owned()),
    });
    let plain = read_plainly(&page.html());
    for part in [
        "Violated: serializability.",
        "<a href=\"#a1\">",
        "id=\"a1-timeline\"",
        "<th scope=\"col\">t1 (session s1)</th>",
        "id=\"a1-s1\"",
        "<svg ",
        "id=\"a1-e0\"",
        "id=\"history\"",
        "6.0 %",
        "3.4 % – 10.2 %",
        "seed-17",
        "The time limit ended it.",
        "FAIL",
        "hob test --seed 1",
    ] {
        assert!(plain.contains(part), "{part} is missing");
    }
    // Every link within the page has a place to go to.
    for link in plain.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(plain.contains(&format!("id=\"{link}\"")), "nothing is called {link}");
    }
}

#[test]
fn what_is_absent_is_not_drawn() {
    let plain = read_plainly(&Page::new("title").html());
    assert!(!plain.contains("<section") && !plain.contains("<nav") && !plain.contains("<article"));
    assert!(plain.contains("<h1>title</h1>"));
}

#[test]
fn levels_without_an_anomaly_are_no_links() {
    let mut page = Page::new("title");
    let (name, title) = ("SI".to_owned(), "snapshot isolation".to_owned());
    let why = "the time limit was reached".to_owned();
    page.levels.push(LevelRow { name, title, standing: Standing::Unknown, why, anomaly: Some(3) });
    let plain = read_plainly(&page.html());
    assert!(plain.contains("Not decided: snapshot isolation."));
    assert!(!plain.contains("href=\"#a"));
}

#[test]
fn hostile_values_stay_text() {
    const EVIL: &str =
        "</script><img src=x onerror=\"alert(1)\"><svg onload='x'>&\u{2028}\u{0}\u{202e}";
    let mut b = HistoryBuilder::new();
    let key = b.key(&EVIL.into());
    b.initial(key, &EVIL.into()).expect("it is the first");
    for name in ["one", "two"] {
        let name = format!("{name}{EVIL}");
        let session = b.session(&name.as_str().into());
        b.begin(session);
        b.event_text(Kind::Read, key, EVIL);
        b.event_text(Kind::Write, key, &name);
        let statements = vec![EVIL.into()];
        b.end(TxnInfo { name: Some(&name), statements, ..TxnInfo::default() })
            .expect("it is well formed");
    }
    let history = b.finish().expect("it is well formed");
    let mut page = page(&history, Level::SI);
    page.title = EVIL.to_owned();
    page.command = EVIL.to_owned();
    page.verdict = EVIL.to_owned();
    page.notes.push(EVIL.to_owned());
    let rows = vec![vec![EVIL.to_owned()]];
    let head = vec![EVIL.to_owned()];
    page.blocks.push(Block { heading: EVIL.to_owned(), body: Body::Table { head, rows } });
    page.anomalies.push(Anomaly::in_words(EVIL, EVIL, &[EVIL.to_owned()]));
    let html = page.html();
    assert!(html.contains("&lt;/script&gt;&lt;img src=x"));
    let lower = html.to_lowercase();
    assert!(!lower.contains("<img") && !lower.contains("<svg onload"));
    assert_eq!(lower.matches("<script").count(), 2, "the data and the script");
    assert_eq!(lower.matches("</script").count(), 2);
    assert!(!html.contains(['\u{0}', '\u{2028}', '\u{202e}']));
}

#[test]
fn the_policy_allows_nothing_else() {
    let html = skew().html();
    let policy = html.split("content=\"").nth(1).and_then(|rest| rest.split('"').next());
    let policy = policy.expect("there is one");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(policy.contains("script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    // Neither attribute would be allowed to act.
    let plain = read_plainly(&html);
    assert!(!plain.contains(" style=") && !plain.contains(" onclick="));
    for outside in ["src=", "@import", "url("] {
        assert!(!plain.contains(outside), "{outside} asks for something outside of the page");
    }
}

#[test]
fn the_data_is_json() {
    let html = skew().html();
    let data =
        html.split("id=\"history-data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let data: serde_json::Value =
        serde_json::from_str(data.expect("there is some")).expect("it is JSON");
    assert_eq!(data["names"], serde_json::json!(["t1", "t2"]));
    assert_eq!(data["sizes"], serde_json::json!([3, 3]));
    assert_eq!(data["witness"], serde_json::json!([0, 1]));
    assert_eq!(data["status"], "cc");
}

/// Transactions of ten sessions that write keys of their own, and a lost update at the end.
fn many(txns: i64) -> History {
    let mut b = HistoryBuilder::new();
    let sessions: Vec<_> = (0..10).map(|s| b.session(&s.into())).collect();
    for txn in 0..txns {
        let key = b.key_int(1 + txn % 1000);
        b.begin(sessions[(txn % 10) as usize]);
        b.event_int(Kind::Write, key, txn + 1);
        b.end(TxnInfo::default()).expect("it is well formed");
    }
    let x = b.key(&"x".into());
    b.initial(x, &0.into()).expect("it is the first");
    for (session, value) in [(0, 1), (1, 2)] {
        b.begin(sessions[session]);
        b.event_int(Kind::Read, x, 0);
        b.event_int(Kind::Write, x, value);
        b.end(TxnInfo::default()).expect("it is well formed");
    }
    b.finish().expect("it is well formed")
}

#[test]
fn a_large_history_is_held_in_part_and_the_page_says_so() {
    let history = many(30_000);
    let (_, witness) = violated(&history, Level::PSI);
    let mut page = Page::new("large");
    page.history = Some(Table::of(&history, &[&witness], false));
    let part = page.html();
    assert!(part.contains("of 30,002 transactions are here"));
    page.history = Some(Table::of(&history, &[&witness], true));
    let all = page.html();
    assert!(!all.contains("transactions are here") && all.len() > 5 * part.len());
    assert!(part.len() < 100_000, "{} bytes", part.len());
}
