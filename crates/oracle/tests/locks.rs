//! What locking reads mean, case by case: they belong to the commit, not to the snapshot.

use hobgoblin_core::Level;
use hobgoblin_oracle::notation::parse;
use hobgoblin_oracle::{brute, frontier};

/// Checks that exactly these levels below SSER hold.
fn check(text: &str, levels: &str) {
    let history = parse(&format!("init x=0 y=0 z=0\n{text}"));
    let holds = Level::ALL.into_iter().filter(|&l| l != Level::SSER);
    let holds = holds.filter(|&level| brute::satisfies(&history, level.into()));
    let holds: Vec<&str> = holds.map(Level::name).collect();
    assert_eq!(holds.join(" "), levels, "{text}");
    for level in [Level::PC, Level::SI, Level::SER] {
        let answer = frontier::satisfies(&history, level);
        assert_eq!(answer, holds.contains(&level.name()), "{level}: {text}");
    }
}

#[test]
fn a_locking_read_is_no_evidence_for_the_other_reads_of_its_transaction() {
    let writer = "s1: t1 { w(x)=1 w(y)=1 }\n";
    // As at MySQL's repeatable read: the lock sees t1, the snapshot does not.
    check(&format!("{writer} s2: t2 {{ r(x)=0 r!(y)=1 r(x)=0 }}"), "RU RC RA CC PC PSI SI");
    check(&format!("{writer} s2: t2 {{ r(x)=0 r(y)=1 r(x)=0 }}"), "RU");
    check(&format!("{writer} s2: t2 {{ r!(y)=1 r(x)=0 }}"), "RU RC RA CC PC PSI SI");
    check(&format!("{writer} s2: t2 {{ r(x)=0 r(y)=1 }}"), "RU RC");
    // Where a plain read saw the same transaction too, that counts.
    check(&format!("{writer} s2: t2 {{ r!(y)=1 r(y)=1 r(x)=0 }}"), "RU");
}

#[test]
fn a_locking_read_has_no_axiom() {
    let writer = "s1: t1 { w(x)=1 w(y)=1 }\n";
    check(&format!("{writer} s2: t2 {{ r(y)=1 r!(x)=0 }}"), "RU RC RA CC PC PSI SI SER");
}

#[test]
fn a_locking_read_is_in_the_past_of_later_transactions() {
    let writer = "s1: t1 { w(x)=1 w(y)=1 }\n";
    // Through a read of what its transaction wrote, and through the session.
    check(
        &format!("{writer} s2: t2 {{ r!(y)=1 w(z)=1 }}\n s3: t3 {{ r(z)=1 r(x)=0 }}"),
        "RU RC RA",
    );
    check(&format!("{writer} s2: t2 {{ r!(y)=1 }}\n s2: t3 {{ r(x)=0 }}"), "RU RC RA");
    // A lock on the way, and one at its end.
    check(
        &format!("{writer} s2: t2 {{ r!(y)=1 w(z)=1 }}\n s3: t3 {{ r!(z)=1 r(x)=0 }}"),
        "RU RC RA CC PC PSI SI",
    );
}

#[test]
fn a_conflict_makes_the_locked_version_a_part_of_the_snapshot() {
    // Prefix consistency alone lets t2 replace a version that its snapshot does not have.
    let writer = "s1: t1 { w(x)=1 w(y)=1 }\n";
    check(&format!("{writer} s2: t2 {{ r(x)=0 r!(y)=1 w(y)=2 }}"), "RU RC RA CC PC");
    check("s1: t1 { r!(x)=0 w(x)=1 }\n s2: t2 { r!(x)=1 w(x)=2 }", "RU RC RA CC PC PSI SI SER");
}

#[test]
fn a_locking_read_is_in_the_commit_order() {
    check("s1: t1 { r!(x)=1 w(y)=1 }\n s2: t2 { r!(y)=1 w(x)=1 }", "RU");
    // A reader of t2 and one of t1 agree on the order: t1 first, as the lock says.
    check("s1: t1 { w(x)=1 }\n s2: t2 { r!(x)=1 w(y)=1 }\n s3: t3 { r(x)=0 r(y)=1 }", "RU RC RA");
}
