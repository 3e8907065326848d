//! A small reader of Elle's list-append operations, in EDN or JSON: maps, lists and words.

use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Committed,
    Aborted,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Append(String, i64),
    Read(String, Vec<i64>),
}

#[derive(Clone, Debug)]
pub(crate) struct Txn {
    pub(crate) session: String,
    pub(crate) status: Status,
    pub(crate) ops: Vec<Op>,
}

/// A piece of the file; a map is a list of its keys and values in turn.
#[derive(Clone, Debug)]
enum Piece {
    Word(String),
    List(Vec<Piece>),
}

impl Piece {
    fn word(&self) -> &str {
        match self {
            Piece::Word(word) => word,
            Piece::List(_) => panic!("a word was expected: {self:?}"),
        }
    }

    fn list(&self) -> &[Piece] {
        match self {
            Piece::List(pieces) => pieces,
            Piece::Word(word) if word == "nil" || word == "null" => &[],
            Piece::Word(_) => panic!("a list was expected: {self:?}"),
        }
    }

    fn get(&self, name: &str) -> Option<&Piece> {
        self.list().chunks(2).find(|pair| pair[0].word() == name).map(|pair| &pair[1])
    }
}

/// The transactions of a file, in the order of their first operations. A process does one at a time.
pub(crate) fn parse(text: &str) -> Vec<Txn> {
    // Colons separate in JSON and begin keywords in EDN; no word has one in it.
    let spaced: String = text
        .chars()
        .flat_map(|c| match c {
            '[' | '(' | '{' => vec![' ', '[', ' '],
            ']' | ')' | '}' => vec![' ', ']', ' '],
            ',' | ':' | '"' => vec![' '],
            c => vec![c],
        })
        .collect();
    let mut words = spaced.split_whitespace();
    let mut operations = pieces(&mut words);
    // One list around all of them, or none.
    if operations.len() == 1 && operations[0].list().iter().all(|p| matches!(p, Piece::List(_))) {
        operations = operations[0].list().to_vec();
    }
    let mut txns: Vec<Txn> = Vec::new();
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    for operation in &operations {
        let kind = operation.get("type").expect("every operation has a type").word();
        let session = operation.get("process").expect("and a process").word().to_owned();
        let ops = operation.get("value").map(|value| value.list()).unwrap_or_default();
        let ops: Vec<Op> = ops.iter().map(op).collect();
        let appends = || ops.iter().filter(|op| matches!(op, Op::Append(..))).cloned().collect();
        let invoked = open.remove(&session);
        let at = invoked.unwrap_or(txns.len());
        if invoked.is_none() {
            txns.push(Txn { session: session.clone(), status: Status::Unknown, ops: appends() });
        }
        match kind {
            "invoke" => {
                open.insert(session, at);
            }
            "ok" => (txns[at].status, txns[at].ops) = (Status::Committed, ops),
            "fail" => txns[at].status = Status::Aborted,
            "info" => {}
            other => panic!("no operation is of type {other}"),
        }
    }
    txns
}

fn pieces<'a>(words: &mut impl Iterator<Item = &'a str>) -> Vec<Piece> {
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "[" => found.push(Piece::List(pieces(words))),
            "]" => break,
            word => found.push(Piece::Word(word.to_owned())),
        }
    }
    found
}

fn op(piece: &Piece) -> Op {
    let number = |piece: &Piece| piece.word().parse().expect("elements are integers");
    match piece.list() {
        [f, key, element] if f.word() == "append" => {
            Op::Append(key.word().to_owned(), number(element))
        }
        [f, key, list] if f.word() == "r" => {
            Op::Read(key.word().to_owned(), list.list().iter().map(number).collect())
        }
        _ => panic!("this is neither an append nor a read: {piece:?}"),
    }
}
