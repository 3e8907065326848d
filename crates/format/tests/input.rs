//! Compression, detection, and reading and writing one transaction at a time.

mod support;

use std::io::Write as _;

use hobgoblin_core::{HistoryBuilder, Kind, StopReason, Value};
use hobgoblin_format::{
    EventRecord, Format, JsonlReader, ReadError, Record, TxnRecord, TxnWriter, detect, load,
    load_until, read,
};
use support::dump;

const TEXT: &str = "init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }\n";

/// [`TEXT`] by `zstd`, twice, with a frame of foreign data between.
fn zstd() -> Vec<u8> {
    let frame = |content: &[u8]| {
        // A frame without checksum, of one raw block.
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x20, content.len() as u8];
        let header = ((content.len() as u32) << 3) | 1;
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(content);
        frame
    };
    let (first, second) = TEXT.as_bytes().split_at(20);
    let foreign = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'a', b'b', b'c'];
    [frame(first), foreign.to_vec(), frame(second)].concat()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn compression_is_told_by_content() {
    let expect = dump(&read(TEXT.as_bytes(), "x.txn", None).expect("good"));
    let (first, second) = TEXT.as_bytes().split_at(30);
    for bytes in [gzip(TEXT.as_bytes()), [gzip(first), gzip(second)].concat(), zstd()] {
        let history = read(&bytes[..], "any name at all", None).expect("good");
        assert_eq!(dump(&history), expect);
        for cut in [3, 5, 8, bytes.len() - 1] {
            let error = read(&bytes[..cut], "x.txn", None).expect_err("cut off");
            assert!(!error.help().is_empty(), "{cut}");
        }
    }
}

#[test]
fn content_comes_before_the_extension() {
    for (head, file, expect) in [
        ("s: { }", "x.jsonl", Some(Format::Txn)),
        ("# c\n\ninit x=0", "-", Some(Format::Txn)),
        ("order x: a b", "x", Some(Format::Txn)),
        ("{\"session\":0,\"ops\":[]}", "x.json", Some(Format::Jsonl)),
        ("{\"hobgoblin\":1}", "x.txt", Some(Format::Jsonl)),
        ("w(1,2,3,4)", "x.txn", Some(Format::Plume)),
        ("=\n--\nr 1 2", "x.txt", Some(Format::Awdit)),
        ("[x:=1]", "x", Some(Format::DbcopHist)),
        ("{:type :invoke, :f :txn", "x", Some(Format::ElleEdn)),
        (
            "{\"type\":\"invoke\",\"f\":\"txn\",\"value\":[[\"r\",1,null]],\"process\":0}",
            "x",
            Some(Format::ElleJson),
        ),
        ("", "x.edn.gz", Some(Format::ElleEdn)),
        ("", "x", None),
        ("what?", "x.plume", Some(Format::Plume)),
        ("what?", "x.txt", None),
        ("\u{feff}r(1,0,0,0)", "x", Some(Format::Plume)),
    ] {
        assert_eq!(detect(head.as_bytes(), file), expect, "{head} in {file}");
    }
    let error = read(&b"what?"[..], "x.txt", None).expect_err("unknown");
    assert!(matches!(error, ReadError::Undetected { .. }));
    assert!(error.help().contains("jsonl, txn, plume"), "{}", error.help());
}

#[test]
fn transactions_are_read_as_they_arrive() {
    let file = "{\"hobgoblin\":1,\"initial\":{\"x\":0}}\n{\"session\":0,\"ops\":[[\"r\",\"x\",0,\"init\"]]}\n\
                oops\n\n{\"session\":1,\"ops\":[]}";
    let records: Vec<_> = JsonlReader::new(file.as_bytes(), "pipe").collect();
    assert_eq!(records.len(), 4);
    assert!(matches!(&records[0], Ok(Record::Header(h)) if h.initial == [("x".into(), 0.into())]));
    assert!(matches!(&records[1], Ok(Record::Txn(t)) if t.events.len() == 1 && t.line == 2));
    let error = records[2].as_ref().expect_err("no JSON");
    assert_eq!(error.place().map(|p| p.line), Some(3));
    assert!(error.to_string().starts_with("pipe: "));
    assert!(matches!(&records[3], Ok(Record::Txn(t)) if t.line == 5));
}

#[test]
fn records_build_the_history_that_is_read() {
    let file = "{\"session\":0,\"id\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n\
                {\"session\":1,\"ops\":[[\"r\",\"x\",1,{\"number\":1}]],\"begin\":1,\"end\":2}\n";
    let mut builder = HistoryBuilder::new();
    for record in JsonlReader::new(file.as_bytes(), "file") {
        if let Record::Txn(txn) = record.expect("good") {
            txn.add_to(&mut builder).expect("good");
        }
    }
    let built = builder.finish().expect("good");
    assert_eq!(dump(&built), dump(&read(file.as_bytes(), "file", None).expect("good")));
}

#[test]
fn transactions_are_written_one_at_a_time() {
    for (format, expect) in [
        (
            Format::Jsonl,
            "{\"session\":1,\"ops\":[[\"w\",7,1]]}\n{\"session\":0,\"ops\":[[\"r\",7,1]]}\n{\"session\":1,\"ops\":[[\"r\",8,null]]}\n",
        ),
        (Format::Txn, "1: { w(7)=1 }\n0: { r(7)=1 }\n1: { r(8)=null }\n"),
        (Format::Plume, "w(7,1,1,1)\nr(7,1,0,2)\nr(8,0,1,3)\n"),
        (Format::Awdit, "w 7 1\n---\nr 8 0\n===\nr 7 1\n"),
    ] {
        let mut out = Vec::new();
        let mut writer = TxnWriter::new(format, &mut out).expect("one of the four");
        for (session, kind, key, value) in [
            (1, Kind::Write, 7, Value::Int(1)),
            (0, Kind::Read, 7, Value::Int(1)),
            (1, Kind::Read, 8, Value::Null),
        ] {
            let mut txn = TxnRecord::new(session.into());
            txn.events.push(EventRecord::new(kind, key.into(), value));
            writer.txn(&txn).expect("plain");
        }
        writer.finish().expect("memory");
        assert_eq!(String::from_utf8(out).expect("ASCII"), expect);
    }
    assert!(TxnWriter::new(Format::Cobra, Vec::new()).is_err());
}

/// A frame of Zstandard that begins with some text and goes on with one byte, so many times 128 KiB.
fn zstd_bomb(head: &[u8], byte: u8, blocks: usize) -> Vec<u8> {
    // A window of 128 KiB, no length, no checksum.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
    let mut block = |last: u32, kind: u32, size: u32, content: &[u8]| {
        frame.extend_from_slice(&(last | kind << 1 | size << 3).to_le_bytes()[..3]);
        frame.extend_from_slice(content);
    };
    block(0, 0, head.len() as u32, head);
    for _ in 0..blocks {
        block(0, 1, 128 << 10, &[byte]);
    }
    block(1, 0, 0, b"");
    frame
}

/// A file of this test's own, removed at the end.
struct TestFile(std::path::PathBuf);

impl TestFile {
    fn new(name: &str, bytes: &[u8]) -> TestFile {
        let path = std::env::temp_dir().join(format!("hob-input-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("there is room for a file");
        TestFile(path)
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// How often it is asked whether to stop; whatever the answer is refused at, nothing is read.
#[track_caller]
fn asked(file: &TestFile) -> u64 {
    let count = std::cell::Cell::new(0);
    let stop_at = |at: u64| {
        count.set(0);
        load_until(&file.0, None, &|| {
            count.set(count.get() + 1);
            (count.get() >= at).then_some(StopReason::Memory)
        })
    };
    stop_at(u64::MAX).expect("nobody wanted to stop");
    let all = count.get();
    for at in (1..=all).step_by(1 + all as usize / 8).chain([all]) {
        match stop_at(at) {
            Err(ReadError::Stopped { reason: StopReason::Memory, file: name }) => {
                assert_eq!(name, file.0.display().to_string());
            }
            other => panic!("asked {at} of {all} times: {other:?}"),
        }
    }
    all
}

#[test]
fn reading_stops_when_somebody_asks() {
    // What unpacks to 16 MiB is asked about as often as what is 16 MiB long.
    let bomb = zstd_bomb(b"{\"hobgoblin\":1}\n", b'\n', 128);
    assert!(bomb.len() < 1024);
    assert!(asked(&TestFile::new("bomb.jsonl.zst", &bomb)) > 128);
    let lines = "s1: { w(x)=1 }\n".repeat(20_000);
    let pieces = lines.len() as u64 / (64 << 10);
    assert!(asked(&TestFile::new("long.txn", lines.as_bytes())) > pieces);
    assert!(asked(&TestFile::new("long.txn.gz", &gzip(lines.as_bytes()))) > pieces);
    // These take the whole text first, and are asked as they go through it.
    let edn = "{:type :ok :process 0 :value [[:w 1 2] [:r 3 4]]}\n".repeat(10_000);
    let pieces = edn.len() as u64 / (64 << 10);
    assert!(asked(&TestFile::new("long.edn", edn.as_bytes())) > 2 * pieces + 15);
    let txn = "{\"events\": [[\"w\", 1, 2], [\"r\", 1, 2]], \"committed\": true}";
    let json = format!("{{\"data\": [[{}]]}}", vec![txn; 5_000].join(",\n"));
    let pieces = json.len() as u64 / (64 << 10);
    assert!(asked(&TestFile::new("long.json", json.as_bytes())) > 2 * pieces + 10);
}

#[test]
fn a_file_of_blanks_is_empty() {
    let blanks = zstd_bomb(b"\n", b' ', 3);
    for (name, bytes) in
        [("a.jsonl", &b""[..]), ("b", b" \n\t"), ("c.gz", &gzip(b"")), ("d", &blanks)]
    {
        let file = TestFile::new(name, bytes);
        for format in [None, Some(Format::Jsonl), Some(Format::DbcopBincode)] {
            let error = load(&file.0, format).expect_err("there is nothing in it");
            assert!(matches!(error, ReadError::Empty { .. }), "{name}: {error}");
        }
    }
    let file = TestFile::new("header.jsonl", b"{\"hobgoblin\": 1}\n");
    let (history, format) = load(&file.0, None).expect("a header is something");
    assert_eq!((history.txns().len(), format), (0, Format::Jsonl));
    // A stream of a known format may well be without transactions.
    assert_eq!(read(&b""[..], "x.txn", None).expect("nothing").txns().len(), 0);
    assert!(matches!(read(&b""[..], "x", None), Err(ReadError::Empty { .. })));
}
