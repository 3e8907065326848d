//! What we read, PostgreSQL reads: an oracle that starts at the bytes of the file.
//!
//! Every statement and expression of a program is cut out of the text by its places, its variables are replaced by literals
//! at theirs, and PostgreSQL is asked to plan it, after the file's own schema. Then one name of a column after the other
//! becomes nonsense in the text, and both must refuse it. A place that is off by a byte does not survive this.

mod server;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

use hobgoblin_prove::program::{Expr, Place, Program, Statement, StatementKind, Transaction, Type};
use hobgoblin_prove::read::read;

use server::Server;

/// Gives `ok`, or what PostgreSQL says of a statement.
const TRY: &str = "CREATE FUNCTION attempt(statement text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN EXECUTE statement; RETURN 'ok';
    EXCEPTION WHEN others THEN RETURN 'error: ' || replace(SQLERRM, E'\\n', ' '); END $$;
    CREATE FUNCTION choose() RETURNS int LANGUAGE sql AS 'SELECT 1';";

/// A text that PostgreSQL should take: pieces of the file, and what has to stand before them.
struct Cut {
    before: &'static str,
    pieces: Vec<Place>,
}

/// All of a transaction that is SQL.
fn cuts(transaction: &Transaction) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let initial = transaction.variables.iter().filter_map(|variable| variable.initial.as_ref());
    transaction.requires.iter().chain(initial).for_each(|expr| expression(expr, &mut cuts));
    transaction.body.iter().for_each(|statement| statements(statement, &mut cuts));
    cuts
}

fn expression(expr: &Expr, cuts: &mut Vec<Cut>) {
    if expr.place.start < expr.place.end {
        cuts.push(Cut { before: "SELECT ", pieces: vec![expr.place] });
    }
}

fn statements(statement: &Statement, cuts: &mut Vec<Cut>) {
    if !statement.sql.is_empty() {
        cuts.push(Cut { before: "", pieces: statement.sql.clone() });
    }
    match &statement.kind {
        StatementKind::Assign { value, .. } | StatementKind::Return(Some(value)) => {
            expression(value, cuts);
        }
        StatementKind::If { arms, otherwise } => {
            for (condition, body) in arms {
                expression(condition, cuts);
                body.iter().for_each(|statement| statements(statement, cuts));
            }
            otherwise.iter().for_each(|statement| statements(statement, cuts));
        }
        StatementKind::ForRange { low, high, body, .. } => {
            expression(low, cuts);
            expression(high, cuts);
            body.iter().for_each(|statement| statements(statement, cuts));
        }
        StatementKind::ForQuery { body, .. } | StatementKind::ForEach { body, .. } => {
            body.iter().for_each(|statement| statements(statement, cuts));
        }
        _ => {}
    }
}

/// A text with its variables replaced, and perhaps something else.
fn filled(
    program: &Program,
    transaction: &Transaction,
    cut: &Cut,
    also: Option<(Range<usize>, &str)>,
) -> String {
    let literal = |id: usize| match transaction.variables[id].ty {
        Type::Int => "(7)",
        Type::Decimal => "(1.5)",
        Type::Bool => "(true)",
        Type::Text => "('x'::text)",
        Type::IntArray => "('{1,2}'::int[])",
    };
    let mut all: Vec<(Range<usize>, &str)> = transaction
        .mentions
        .iter()
        .map(|(place, id)| (place.range(), literal(id.0 as usize)))
        .chain(also)
        .collect();
    all.sort_by_key(|(range, _)| range.start);
    let mut text = cut.before.to_owned();
    for piece in &cut.pieces {
        let mut from = piece.range().start;
        let within = |range: &Range<usize>| {
            range.start >= piece.start as usize && range.end <= piece.end as usize
        };
        for (range, value) in all.iter().filter(|(range, _)| within(range)) {
            text.push_str(&program.text[from..range.start]);
            text.push_str(value);
            from = range.end;
        }
        text.push_str(&program.text[from..piece.range().end]);
        text.push(' ');
    }
    match text.strip_prefix("PERFORM") {
        Some(rest) => format!("SELECT{rest}"),
        None => text,
    }
}

/// The places in some pieces where a name of a column stands that is not a variable's.
fn columns(program: &Program, transaction: &Transaction, cut: &Cut) -> Vec<Range<usize>> {
    let names: BTreeSet<&str> =
        program.tables.iter().flat_map(|t| &t.columns).map(|c| c.name.as_str()).collect();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for piece in &cut.pieces {
        let text = &program.text[piece.range()];
        let mut at = 0;
        let mut quoted = false;
        while let Some(next) = text[at..].chars().next() {
            quoted ^= next == '\'';
            if !is_part(next) || quoted {
                at += next.len_utf8();
                continue;
            }
            let word = &text[at..];
            let word = &word[..word.find(|c| !is_part(c)).unwrap_or(word.len())];
            let start = piece.range().start + at;
            let range = start..start + word.len();
            at += word.len();
            let mention = |(place, _): &(Place, _)| {
                let place: Range<usize> = Place::range(*place);
                place.start <= range.start && range.end <= place.end
            };
            let alias = program.text[..start].trim_end().to_uppercase().ends_with(" AS");
            if names.contains(word) && !alias && !transaction.mentions.iter().any(mention) {
                found.push(range);
            }
        }
    }
    found
}

/// Quotes a statement for `attempt`.
fn attempt(statement: &str) -> String {
    format!("SELECT attempt($hob$EXPLAIN {statement}$hob$);\n")
}

fn compare(server: &Server, file: &Path) -> (usize, usize) {
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).expect("the program is there");
    let program = read(&name, &text).expect("the program is read");
    let mut script = String::new();
    writeln!(script, "SET client_min_messages = error; {TRY}").expect("a String takes all");
    for place in &program.schema {
        writeln!(script, "{};", &text[place.range()]).expect("a String takes all");
    }
    let (mut wanted, mut right, mut wrong) = (Vec::new(), 0, 0);
    for transaction in &program.transactions {
        for cut in cuts(transaction) {
            let statement = filled(&program, transaction, &cut, None);
            script.push_str(&attempt(&statement));
            wanted.push((true, statement.clone()));
            right += 1;
            for range in columns(&program, transaction, &cut) {
                let (before, after) = (&text[..range.start], &text[range.end..]);
                let mutant = format!("{before}hob_nonsense{after}");
                let ours = read(&name, &mutant);
                assert!(ours.is_err(), "we read nonsense at {range:?}: {statement}");
                let nonsense = Some((range, "hob_nonsense"));
                let statement = filled(&program, transaction, &cut, nonsense);
                script.push_str(&attempt(&statement));
                wanted.push((false, statement));
                wrong += 1;
            }
        }
    }
    let found = server.script(&name, &script);
    assert_eq!(found.len(), wanted.len(), "{name}: one answer each");
    let differ = found.iter().zip(&wanted).filter(|(found, (fine, _))| (*found == "ok") != *fine);
    let differ: Vec<String> =
        differ.map(|(found, (_, statement))| format!("{name}: {found}\n{statement}")).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    (right, wrong)
}

#[test]
fn postgresql_reads_what_we_read() {
    let Some(server) = Server::start() else { return };
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = (0, 0);
    let examples = ["auction", "banking", "courseware", "smallbank", "tpcc"];
    let examples =
        examples.iter().map(|name| base.join(format!("../../examples/prove/{name}.sql")));
    for file in examples.chain([base.join("tests/programs/everything.sql")]) {
        let (right, wrong) = compare(&server, &file);
        all = (all.0 + right, all.1 + wrong);
    }
    assert!(all.0 >= 150 && all.1 >= 300, "{all:?} texts were compared");
}
