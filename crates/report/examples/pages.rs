//! Writes the pages that the tests of `ui/` open, into the directory it is given.

use std::path::{Path, PathBuf};
use std::{env, fs};

use hobgoblin_check::{Limits, check, check_levels, explain};
use hobgoblin_core::{
    EventInfo, History, HistoryBuilder, Kind, Level, Status, TxnInfo, Verdict, Witness,
};
use hobgoblin_format::read;
use hobgoblin_report::{
    Act, Again, Anomaly, Block, Body, LevelRow, Page, RunRow, Runs, Scene, SceneArrow, SceneBox,
    Standing, Table, svg,
};

type Done = Result<(), Box<dyn std::error::Error>>;

fn main() -> Done {
    let directory = PathBuf::from(env::args().nth(1).ok_or("say where the pages go")?);
    fs::create_dir_all(&directory)?;
    let write = |name: &str, page: &Page| fs::write(directory.join(name), page.html());
    write("seats.html", &seats()?)?;
    write("skew.html", &checked("write-skew.txn", SKEW)?)?;
    write("fork.html", &checked("long-fork.txn", FORK)?)?;
    write("chain.html", &checked("derived.txn", DERIVED)?)?;
    write(
        "serial.html",
        &checked("serial.txn", "init x=0\ns1: t1 { w(x)=1 }\ns2: t2 { r(x)=1 }")?,
    )?;
    write("hostile.html", &hostile()?)?;
    write("test.html", &tested()?)?;
    write("scene.html", &staged())?;
    write("empty.html", &Page::new("nothing yet"))?;
    write("large.html", &large()?)?;
    write("million.html", &million()?)?;
    picture(&directory, "fork.svg", FORK, Level::SI)?;
    picture(&directory, "skew.svg", SKEW, Level::SER)
}

const SKEW: &str = "init alice=\"on call\" bob=\"on call\"\n\
    s1: alice-leaves { r(alice)=\"on call\" r(bob)=\"on call\" w(alice)=\"off\" }\n\
    s2: bob-leaves { r(alice)=\"on call\" r(bob)=\"on call\" w(bob)=\"off\" }";
const FORK: &str = "init x=0 y=0\ns1: t1 { w(x)=1 }\ns2: t2 { w(y)=1 }\n\
    s3: t3 { r(x)=1 r(y)=0 }\ns4: t4 { r(x)=0 r(y)=1 }";
/// Who wrote x first follows from what t5 and t6 saw.
const DERIVED: &str = "init x=0 y=0\ns1: t1 { w(x)=1 w(y)=1 }\ns2: t2 { w(x)=2 w(y)=2 }\n\
    s3: t3 { r(x)=1 r(y)=1 }\ns3: t4 { r(x)=2 r(y)=2 }\ns4: t5 { r(x)=2 }\ns4: t6 { r(y)=1 }";

fn picture(directory: &Path, name: &str, text: &str, level: Level) -> Done {
    let history = read(text.as_bytes(), name, None)?;
    if let Verdict::Violation(witness) = check(&history, level, &Limits::none()) {
        let telling = explain::tell(&history, &witness);
        fs::write(directory.join(name), svg(&history, &witness, &telling))?;
    }
    Ok(())
}

/// The page of a history that is checked at every level.
fn checked(title: &str, text: &str) -> Result<Page, Box<dyn std::error::Error>> {
    let history = read(text.as_bytes(), title, None)?;
    Ok(page(title, &history, &Level::ALL, false))
}

fn page(title: &str, history: &History, levels: &[Level], all: bool) -> Page {
    let mut page = Page::new(title);
    page.command = "check".to_owned();
    let answers = check_levels(history, levels, &Limits::none(), |_| ());
    let mut shown: Vec<&Witness> = Vec::new();
    for answer in &answers {
        let mut row = LevelRow::of(answer.level, &answer.verdict);
        if let Verdict::Violation(witness) = &answer.verdict {
            let same =
                |other: &&Witness| other.anomaly == witness.anomaly && other.txns == witness.txns;
            let known = shown.iter().position(same);
            row.anomaly = Some(known.unwrap_or(shown.len()));
            if known.is_none() {
                shown.push(witness);
                page.anomalies.push(Anomaly::of(history, witness));
            }
        }
        page.levels.push(row);
    }
    page.history = Some(Table::of(history, &shown, all));
    page.again = Some(Again {
        command: format!("hob check {title}"),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: None,
    });
    page
}

/// Two enrolments that take one seat, as SQL.
fn seats() -> Result<Page, Box<dyn std::error::Error>> {
    let mut b = HistoryBuilder::new();
    let seats = b.key(&"course(id = 7).seats".into());
    b.initial(seats, &1.into())?;
    for (session, name, left, time) in [("web-1", "enrol ada", 0, 0), ("web-2", "enrol bob", -1, 5)]
    {
        let session = b.session(&session.into());
        b.begin(session);
        let read = b.event_int(Kind::Read, seats, 1);
        b.describe(
            read,
            EventInfo { statement: Some(0), line: 2 + time as u32, ..EventInfo::default() },
        )?;
        let written = b.event_int(Kind::Write, seats, left);
        b.describe(
            written,
            EventInfo { statement: Some(1), line: 4 + time as u32, ..EventInfo::default() },
        )?;
        b.end(TxnInfo {
            name: Some(name),
            line: 1 + time as u32,
            begin: Some(time),
            end: Some(time + 20),
            statements: vec![
                "SELECT seats FROM course WHERE id = 7".into(),
                "UPDATE course SET seats = seats - 1 WHERE id = 7".into(),
            ],
            ..TxnInfo::default()
        })?;
    }
    let history = b.finish()?;
    Ok(page("seats.log.jsonl", &history, &Level::ALL, false))
}

/// A page whose every text would like to be something else.
fn hostile() -> Result<Page, Box<dyn std::error::Error>> {
    const EVIL: &str =
        "</script><img src=x onerror=\"document.title='owned'\"><b>'&amp;\u{2028}\u{202e}\u{0}";
    let mut b = HistoryBuilder::new();
    let key = b.key(&EVIL.into());
    b.initial(key, &EVIL.into())?;
    for name in ["one", "two"] {
        let name = format!("{name}{EVIL}");
        let session = b.session(&name.as_str().into());
        b.begin(session);
        b.event_text(Kind::Read, key, EVIL);
        let write = b.event_text(Kind::Write, key, &name);
        b.describe(write, EventInfo { statement: Some(0), ..EventInfo::default() })?;
        let statements = vec![format!("UPDATE {EVIL}").into()];
        b.end(TxnInfo { name: Some(&name), statements, ..TxnInfo::default() })?;
    }
    let mut page = page(EVIL, &b.finish()?, &Level::ALL, true);
    page.verdict = EVIL.to_owned();
    page.command = EVIL.to_owned();
    page.notes.push(EVIL.to_owned());
    page.blocks.push(Block { heading: EVIL.to_owned(), body: Body::Text(EVIL.to_owned()) });
    let rows = vec![vec![EVIL.to_owned()]];
    page.blocks.push(Block {
        heading: EVIL.to_owned(),
        body: Body::Table { head: vec![EVIL.to_owned()], rows },
    });
    page.again = Some(Again {
        command: EVIL.to_owned(),
        version: EVIL.to_owned(),
        seed: Some(EVIL.to_owned()),
    });
    Ok(page)
}

/// What `hob test` has to say.
/// What the prover shows: a run of its own making, with rows before and after.
fn staged() -> Page {
    let act = |of: usize, text: &str, came: &str, decides: bool, line: u32| Act {
        of,
        text: text.to_owned(),
        came: came.to_owned(),
        mark: decides.then(String::new),
        line,
    };
    let one = |lane: usize| SceneBox {
        name: format!("T{}", lane + 1),
        title: "withdraw(p_id = 0, p_amount = 1)".to_owned(),
        lane,
    };
    let arrow = |from: usize, to: usize, says: &str| SceneArrow {
        ends: (from, to),
        label: "rw(account(id = 0).balance)".to_owned(),
        says: says.to_owned(),
    };
    let scene = Scene {
        lanes: vec!["T1 at MVRC".to_owned(), "T2 at MVRC".to_owned()],
        boxes: vec![one(0), one(1)],
        acts: vec![
            act(0, "SELECT balance INTO bal FROM account WHERE id = p_id;", "reads 3", true, 9),
            act(1, "SELECT balance INTO bal FROM account WHERE id = p_id;", "reads 3", true, 9),
            act(0, "UPDATE account SET balance = bal - p_amount WHERE id = p_id;", "", true, 11),
            act(0, "commit", "", false, 0),
            act(1, "UPDATE account SET balance = bal - p_amount WHERE id = p_id;", "", true, 11),
            act(1, "commit", "", false, 0),
        ],
        arrows: vec![
            arrow(
                0,
                4,
                "T1 must come before T2: T1 read balance of account(id = 0), which T2 overwrote.",
            ),
            arrow(
                1,
                2,
                "T2 must come before T1: T2 read balance of account(id = 0), which T1 overwrote.",
            ),
        ],
        says: vec!["No serial order leaves these rows.".to_owned()],
        order: "Each statement sees what is committed when it begins.".to_owned(),
    };
    let rows = |heading: &str, text: &str| Block {
        heading: heading.to_owned(),
        body: Body::Text(text.to_owned()),
    };
    let headline = "Two changes were based on the same value: account(id = 0).balance";
    let wrong = "T1 read balance, which T2 overwrote; T2 read balance, which T1 overwrote.";
    let mut page = Page::new("banking.sql");
    page.command = "prove".to_owned();
    page.levels.push(LevelRow {
        name: "MVRC".to_owned(),
        title: "withdraw".to_owned(),
        standing: Standing::Violated,
        why: "lost update".to_owned(),
        anomaly: Some(0),
    });
    page.anomalies.push(
        Anomaly::staged(headline, wrong, &scene)
            .violating("serializability, at MVRC")
            .called("lost update between withdraw and withdraw")
            .prevented(["run withdraw at SI".to_owned()])
            .beside(rows("Before", "account(id = 0, balance = 3)"))
            .beside(rows("After", "account(id = 0, balance = 2)")),
    );
    page
}

fn tested() -> Result<Page, Box<dyn std::error::Error>> {
    let mut page = checked("npm test", SKEW)?;
    page.command = "test".to_owned();
    page.anomalies.extend(checked("fork", FORK)?.anomalies);
    page.verdict =
        "12 of 200 runs failed under snapshot isolation; none under serializability.".to_owned();
    let row = |level: &str, failures, behaviours, seed: Option<&str>| RunRow {
        level: level.to_owned(),
        runs: 200,
        failures,
        interval: Some((failures as f64 / 260.0, (failures as f64 + 4.0) / 180.0)),
        behaviours: Some(behaviours),
        first_seed: seed.map(str::to_owned),
    };
    page.runs = Some(Runs {
        levels: vec![row("SI", 12, 31, Some("17")), row("SER", 0, 9, None)],
        anomalies: vec![("write skew".to_owned(), 11), ("long fork".to_owned(), 1)],
    });
    page.blocks.push(Block {
        heading: "Output of the failing run".to_owned(),
        body: Body::Text("FAIL at least one doctor is on call\n  expected 1, found 0".to_owned()),
    });
    page.notes.push("The time limit of 60 s ended the runs at SER.".to_owned());
    page.again = Some(Again {
        command: "hob test --levels SI,SER --runs 200 --seed 1 -- npm test".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: Some("1".to_owned()),
    });
    Ok(page)
}

/// Many transactions that each read and write what the one before left.
fn many(txns: i64, events: i64) -> Result<HistoryBuilder, Box<dyn std::error::Error>> {
    const SESSIONS: i64 = 20;
    const KEYS: i64 = 500;
    let mut b = HistoryBuilder::new();
    let sessions: Vec<_> =
        (0..SESSIONS).map(|s| b.session(&format!("worker-{s}").as_str().into())).collect();
    let keys: Vec<_> = (0..KEYS).map(|k| b.key(&format!("account:{k}").as_str().into())).collect();
    for &key in &keys {
        b.initial(key, &0.into())?;
    }
    let mut last = vec![0; KEYS as usize];
    for txn in 0..txns {
        b.begin(sessions[(txn % SESSIONS) as usize]);
        let aborted = txn % 97 == 13;
        for event in 0..events / 2 {
            let key = ((txn * 7 + event * 13) % KEYS) as usize;
            b.event_int(Kind::Read, keys[key], last[key]);
            let value = txn * 10 + event + 1;
            b.event_int(Kind::Write, keys[key], value);
            if !aborted {
                last[key] = value;
            }
        }
        let status = if aborted { Status::Aborted } else { Status::Committed };
        b.end(TxnInfo { status, line: txn as u32 + 1, ..TxnInfo::default() })?;
    }
    Ok(b)
}

/// An effect that is seen without its cause, along a chain of five. Each has neighbours, in its session and on a key.
fn chain(b: &mut HistoryBuilder) -> Done {
    let keys: Vec<_> =
        ["question", "answer", "copy", "digest"].iter().map(|k| b.key(&(*k).into())).collect();
    for &key in &keys {
        b.initial(key, &0.into())?;
    }
    for (at, name) in ["alice", "bob", "mirror", "mailer", "carol"].into_iter().enumerate() {
        let session = b.session(&format!("worker-{at}").as_str().into());
        b.begin(session);
        if at > 0 {
            b.event_int(Kind::Read, keys[at - 1], 1);
        }
        match at < 4 {
            true => b.event_int(Kind::Write, keys[at], 1),
            false => b.event_int(Kind::Read, keys[0], 0),
        };
        let account = b.key(&format!("account:{at}").as_str().into());
        b.event_int(Kind::Write, account, -1);
        b.end(TxnInfo { name: Some(name), ..TxnInfo::default() })?;
    }
    Ok(())
}

/// A hundred thousand transactions, all embedded.
fn large() -> Result<Page, Box<dyn std::error::Error>> {
    let mut b = many(100_000, 6)?;
    chain(&mut b)?;
    Ok(page("large.jsonl", &b.finish()?, &[Level::RC, Level::RA, Level::CC], true))
}

/// A million events, of which five transactions are a witness.
fn million() -> Result<Page, Box<dyn std::error::Error>> {
    let mut b = many(100_000, 10)?;
    chain(&mut b)?;
    Ok(page("million.jsonl", &b.finish()?, &[Level::RC, Level::RA, Level::CC], false))
}
