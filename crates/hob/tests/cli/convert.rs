//! `hob convert`.

use std::fs;

use hobgoblin_format::Format;

use crate::run::{Scratch, hob, hob_on};

#[test]
fn a_history_survives_a_trip_through_every_format() {
    let scratch = Scratch::new("convert");
    let history = scratch.write("h.hist", b"[7:=5]\n---\n[7==5 7:=1]\n---\n[7==5 7:=2]\n");
    for format in Format::ALL {
        let (there, back) = (scratch.file(format.name()), scratch.file("back.jsonl"));
        let args = format!("convert --to {format} {history} {there}");
        let run = hob(&args);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{args}");
        let args = format!("convert --force --from {format} {there} {back}");
        assert_eq!(hob(&args).code, 0, "{args}");
        let run = hob(&format!("check --level PSI {back}"));
        assert_eq!(run.code, 1, "{format}: {}", run.out);
        assert!(run.out.contains("lost update"), "{format}: {}", run.out);
    }
}

#[test]
fn an_initial_transaction_survives_a_trip_through_every_format_that_has_zeros() {
    let scratch = Scratch::new("initial");
    let skew = "corpus/formats/initial-transaction.plume";
    let verdict = |args: &str| {
        let run = hob(&format!("check --quiet {args}"));
        assert_eq!(run.err, "", "{args}");
        run.code
    };
    assert_eq!(verdict(&format!("--level SER {skew}")), 1);
    assert_eq!(verdict(&format!("--level SER --initial-transaction no {skew}")), 0);
    for format in Format::ALL {
        if matches!(format, Format::ElleEdn | Format::ElleJson) {
            // Registers start as nil, so this is refused.
            continue;
        }
        let (there, back) = (scratch.file(format.name()), scratch.file("back.plume"));
        let run = hob(&format!("convert --to {format} {skew} {there}"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{format}");
        assert_eq!(verdict(&format!("--format {format} --level SER {there}")), 1, "{format}");
        assert_eq!(verdict(&format!("--format {format} --level SI {there}")), 0, "{format}");
        assert_eq!(
            hob(&format!("convert --force --from {format} {there} {back}")).code,
            0,
            "{format}"
        );
        assert_eq!(verdict(&format!("--level SER {back}")), 1, "{format}");
    }
    // As a transaction like any other it is written, and read, as one.
    let apart = scratch.file("apart.jsonl");
    assert_eq!(hob(&format!("convert --initial-transaction no {skew} {apart}")).code, 0);
    assert_eq!(verdict(&format!("--level SER {apart}")), 0);
    assert!(fs::read_to_string(&apart).expect("it was written").contains(r#"["w",1,0]"#));
}

#[test]
fn what_cannot_be_expressed_is_refused_and_nothing_is_written() {
    let scratch = Scratch::new("refuse");
    let old = scratch.write("old.awdit", b"as it was");
    let run = hob(&format!("convert --force corpus/litmus/aborted-read.txn {old}"));
    assert_eq!(run.code, 2);
    assert!(run.err.contains("cannot express the aborted transaction t1"), "{}", run.err);
    assert_eq!(fs::read(&old).expect("it is still there"), b"as it was");
    let new = scratch.file("new.awdit");
    assert_eq!(hob(&format!("convert corpus/litmus/aborted-read.txn {new}")).code, 2);
    assert_eq!(hob(&format!("convert nowhere.txn {new}")).code, 2);
    let left = fs::read_dir(scratch.file("")).expect("it can be listed").count();
    assert_eq!(left, 1, "only the old file is there");
}

#[test]
fn standard_input_and_output_and_gzip() {
    let scratch = Scratch::new("pipes");
    let run = hob_on("convert --to plume - -", b"[1:=1]\n---\n[1==1]\n");
    assert_eq!((run.code, run.out.as_str()), (0, "w(1,1,0,1)\nr(1,1,1,2)\n"), "{}", run.err);
    let packed = scratch.file("h.jsonl.gz");
    assert_eq!(hob(&format!("convert corpus/litmus/serial.txn {packed}")).code, 0);
    assert!(fs::read(&packed).expect("it was written").starts_with(&[0x1f, 0x8b]));
    assert_eq!(hob(&format!("check --quiet {packed}")).code, 0);
    let run = hob(&format!("convert corpus/litmus/serial.txn {}", scratch.file("h.txn.zst")));
    assert!(run.code == 2 && run.err.contains("zstd"), "{}", run.err);
    let run = hob("convert corpus/litmus/serial.txn -");
    assert!(run.code == 2 && run.err.contains("`--to`"), "{}", run.err);
}

#[test]
fn a_refusal_prints_nothing() {
    let mixed = b"s: { w(1)=1 }\ns: { w(1)=\"text\" }\n";
    for format in ["plume", "awdit", "dbcop-bincode", "dbcop-json", "dbcop-hist"] {
        let run = hob_on(&format!("convert --to {format} - -"), mixed);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{format}: {}", run.err);
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let scratch = Scratch::new("link");
    let (file, link) = (scratch.write("a.txn", b""), scratch.file("b.txn"));
    std::os::unix::fs::symlink(&file, &link).expect("links can be made");
    assert_eq!(hob(&format!("convert corpus/litmus/serial.txn {link}")).code, 0);
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    assert!(fs::metadata(&file).expect("it is there").len() > 0);
    assert_eq!(hob("convert corpus/litmus/serial.txn /dev/null --to txn").code, 0);
}
