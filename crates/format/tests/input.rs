//! Compression, detection, and reading and writing one transaction at a time.

mod support;

use std::io::Write as _;

use hobgoblin_core::{HistoryBuilder, Kind, Value};
use hobgoblin_format::{
    EventRecord, Format, JsonlReader, ReadError, Record, TxnRecord, TxnWriter, detect, read,
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
