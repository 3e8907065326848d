//! `--report`, `--svg` and `--proof`.

use std::fs;

use crate::run::{Scratch, hob, hob_on};

const LOST: &[u8] = b"init x=0\ns1: t1 { r(x)=0 w(x)=1 }\ns2: t2 { r(x)=0 w(x)=2 }\n";

#[test]
fn a_page_has_what_the_terminal_says() {
    let scratch = Scratch::new("page");
    let (file, page) = (scratch.write("lost.txn", LOST), scratch.file("lost.html"));
    let run = hob(&format!("check {file} --report {page}"));
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains(&format!("report: {page}")), "{}", run.err);
    let html = fs::read_to_string(&page).expect("it was written");
    for said in ["Two changes were based on the same value: x", "serializability", "hob check"] {
        assert!(html.contains(said), "{said}");
    }
    // The next page takes the place of the last; other files stay.
    assert_eq!(hob(&format!("check {file} --quiet --report {page}")).err, "");
    let run = hob(&format!("check {file} --report {file}"));
    assert_eq!(run.code, 2);
    assert!(run.err.contains("this exists already"), "{}", run.err);
    assert_eq!(fs::read(&file).expect("it is there"), LOST);
}

#[test]
fn a_page_of_many_files_lists_them() {
    let scratch = Scratch::new("page-many");
    let fine = scratch.write("fine.txn", b"s1: t1 { w(x)=1 }\n");
    let (lost, page) = (scratch.write("lost.txn", LOST), scratch.file("all.html"));
    assert_eq!(hob(&format!("check {fine} {lost} --report {page}")).code, 1);
    let html = fs::read_to_string(&page).expect("it was written");
    assert!(html.contains("fine.txn") && html.contains("violates PSI SI SER"), "both are listed");
    assert!(html.contains("Two changes were based"), "the violation is shown");
}

#[test]
fn a_picture_is_printed_alone() {
    let run = hob_on("check - --svg -", LOST);
    assert!(run.out.starts_with("<svg") && run.out.trim_end().ends_with("</svg>"), "{}", run.out);
    let run = hob_on("check - --svg - --report -", LOST);
    assert_eq!(run.code, 2);
    let run = hob_on("check - --svg - --level RC", LOST);
    assert_eq!((run.code, run.out.as_str()), (0, ""));
    assert!(run.err.contains("there is no violation to draw"), "{}", run.err);
}

#[test]
fn what_is_in_a_database_stays_text() {
    let evil = "</script><img src=x onerror=alert(1)>";
    let text = format!(
        "init \"{evil}\"=0\n\"{evil}\": \"{evil}\" {{ r(\"{evil}\")=0 w(\"{evil}\")=\"{evil}\" }} \"{evil}\"\ns2: t2 {{ r(\"{evil}\")=0 w(\"{evil}\")=2 }}\n"
    );
    for flags in ["--report -", "--svg -"] {
        let run = hob_on(&format!("check - {flags}"), text.as_bytes());
        assert_eq!(run.code, 1, "{}", run.err);
        assert!(!run.out.contains("<img"), "{flags}");
        assert!(run.out.contains("&lt;img") || run.out.contains("\\u003cimg"), "{flags}");
    }
}

#[test]
fn explorations_and_ends_have_pages() {
    let scratch = Scratch::new("page-explore");
    let page = scratch.file("cart.html");
    let run = hob(&format!("explore examples/explore/cart.hob --level CC --report {page}"));
    assert_eq!(run.code, 1, "{}", run.err);
    let html = fs::read_to_string(&page).expect("it was written");
    for said in ["nothing_lost", "cart:1", "2 of 3 assertions are broken", "--replay"] {
        assert!(html.contains(said), "{said}");
    }
    let token = run.out.split("--replay ").nth(1).and_then(|rest| rest.split_whitespace().next());
    let token = token.expect("it says how to see it again");
    let replay = format!("explore examples/explore/cart.hob --replay {token} --report {page}");
    assert_eq!(hob(&replay).code, 1);
    assert!(fs::read_to_string(&page).expect("it was written").contains("lost update"));
}

#[test]
fn the_proof_is_there_for_those_who_ask() {
    let plain = hob_on("check -", LOST).out;
    assert!(!plain.contains("comes before"), "{plain}");
    let proof = hob_on("check - --proof", LOST).out;
    assert!(proof.starts_with(&plain), "the proof comes after");
    assert!(proof.contains("t2 comes before t1, because t2 read x=0"), "{proof}");
}

#[test]
fn what_the_prover_found_has_a_page() {
    let scratch = Scratch::new("page-prove");
    let (page, picture) = (scratch.file("bank.html"), scratch.file("bank.svg"));
    let files = "examples/prove/banking.sql examples/prove/smallbank.sql";
    let run = hob(&format!("prove {files} -k 2 --report {page} --svg {picture} --quiet"));
    assert_eq!(run.code, 1, "{}", run.err);
    let html = fs::read_to_string(&page).expect("it was written");
    for said in [
        "Violations in 2 of 2 files.",
        "Two changes were based on the same value: ",
        "Each statement sees what is committed when it begins.",
        "must come before",
        "no serial order of the transactions explains it",
        "in examples/prove/smallbank.sql",
        "But T1, then T2 leaves",
    ] {
        assert!(html.contains(said), "{said}");
    }
    let svg = fs::read_to_string(&picture).expect("it was written");
    assert!(svg.contains("<style>") && svg.contains("T1 at MVRC") && svg.contains(">rw("), "{svg}");
}

#[test]
fn runs_of_protocols_have_pages() {
    let scratch = Scratch::new("page-protocol");
    let page = scratch.file("2pc.html");
    let run = hob(&format!("protocol 2pc --bug --report {page} --quiet"));
    assert_eq!(run.code, 1, "{}", run.err);
    let html = fs::read_to_string(&page).expect("it was written");
    for said in [
        "Transactions read each other&#39;s changes in a circle",
        "The run",
        "VoteRequest",
        "Violated: RC, SI, SER.",
        "termination",
    ] {
        assert!(html.contains(said), "{said}");
    }
    let run = hob(&format!("protocol si --level SER --report {page} --quiet"));
    assert_eq!(run.code, 1, "{}", run.err);
    let html = fs::read_to_string(&page).expect("it was written");
    assert!(html.contains("Each read what the other then changed") && html.contains("The run"));
}

#[test]
fn histories_of_replicated_types_have_a_page() {
    let scratch = Scratch::new("page-crdt");
    let page = scratch.file("crdt.html");
    let files = "examples/crdt/aw-set.json examples/crdt/counter.json";
    assert_eq!(hob(&format!("crdt check {files} --report {page} --quiet")).code, 1);
    let html = fs::read_to_string(&page).expect("it was written");
    for said in
        ["laptop#1 violates the add-wins set", "sees 2 of phone", "cannot return this", "paris#3"]
    {
        assert!(html.contains(said), "{said}");
    }
}

#[test]
fn a_summary_is_added_to_what_is_there() {
    let scratch = Scratch::new("markdown");
    let (lost, page) =
        (scratch.write("lost.txn", LOST), scratch.write("summary.md", b"# Before\n\n"));
    let run = hob(&format!("check {lost} --markdown {page}"));
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(hob(&format!("check {lost} --markdown {page} --quiet")).code, 1);
    let text = fs::read_to_string(&page).expect("it was written");
    assert!(text.starts_with("# Before\n\n## "), "{text}");
    assert_eq!(
        text.matches("### Two changes were based on the same value: x").count(),
        2,
        "{text}"
    );
    assert!(text.contains("| SI | snapshot isolation | ✗ violated |"), "{text}");
    let run = hob(&format!("check {lost} --markdown ."));
    assert_eq!(run.code, 2);
    assert!(run.err.contains("a directory takes no summary"), "{}", run.err);
    let evil = b"init \"a|b](x)<img src=x>\"=0\ns1: t1 { r(\"a|b](x)<img src=x>\")=7 }\n";
    let run = hob_on("check - --markdown -", evil);
    assert!(!run.out.contains("<img") && !run.out.contains("a|b"), "{}", run.out);
    assert!(run.out.contains("a&#124;b&#93;(x)&#60;img src=x&#62;"), "{}", run.out);
}

#[test]
fn cases_for_continuous_integration() {
    let scratch = Scratch::new("junit-check");
    let fine = scratch.write("fine.txn", b"s1: t1 { w(x)=1 }\n");
    let broken = scratch.write("broken.txn", b"s1: t1 { \n");
    let (lost, xml) = (scratch.write("lost.txn", LOST), scratch.file("out.xml"));
    let run = hob(&format!("check {fine} {lost} {broken} --level RC,SI --junit {xml} --quiet"));
    assert_eq!(run.code, 2);
    let text = fs::read_to_string(&xml).expect("it was written");
    for part in [
        "<testsuite name=\"hob check\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"0\">",
        "name=\"read committed (RC)\"/>",
        "<failure message=\"Two changes were based on the same value: x\"",
        "broken.txn\" name=\"check\">\n      <error message=",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let run = hob(&format!("crdt check examples/crdt/counter.json --junit {xml} --quiet"));
    assert_eq!(run.code, 1);
    let text = fs::read_to_string(&xml).expect("it was written");
    assert!(text.contains("name=\"hob crdt check\" tests=\"1\" failures=\"1\""), "{text}");
    let run = hob(&format!("check {fine} --junit {lost}"));
    assert!(run.code == 2 && run.err.contains("this exists already"), "{}", run.err);
}
