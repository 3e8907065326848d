//! What we read beside what PostgreSQL reads.
//!
//! Bodies are our own (`golden/*.sql`, and `errors.txt`), other people's (`corpus/plpgsql`), and all with one to three mistakes:
//! a token dropped, doubled, swapped with the next, or replaced by another of the same body, from fixed seeds. Each goes
//! to a PostgreSQL of its own as `CREATE FUNCTION`, which tells one of:
//!
//! - *taken*: we must read it, and the tree must have every token of it;
//! - *refused by the grammar* of PL/pgSQL: we must refuse it;
//! - refused for another reason, and then there is nothing to compare: an unknown variable, type or label, or SQL that
//!   does not parse, which we do not look at.
//!
//! PostgreSQL has one SQLSTATE, 42601, for its grammar, for unknown variables and for SQL inside. The last are told
//! apart by a second try: PL/pgSQL parses the SQL of a function only while that is created. With
//! `check_function_bodies = off` it reads the body when it is first called, without that, so what is then refused
//! *while it is compiled* is not SQL.
//!
//! `HOB_FULL=1` makes more mistakes, `HOB_SEED=7` others, and `HOB_SHOW=50` shows so many differences. `HOB_PLPGSQL=folder`
//! takes the programs below another folder.

#![allow(clippy::print_stdout)]

#[allow(dead_code)]
#[path = "../../../sql/tests/differential/answer.rs"]
mod answer;
mod declared;
mod mistakes;
#[allow(dead_code)]
#[path = "../../../sql/tests/differential/postgres.rs"]
mod postgres;
#[allow(dead_code)]
#[path = "../support/script.rs"]
mod script;
#[path = "../support/shape.rs"]
mod shape;

use std::collections::BTreeSet;

use hobgoblin_plpgsql::{Place, read};
use mistakes::Mistakes;
use script::Routine;

/// What PostgreSQL says about a body.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Opinion {
    Taken,
    /// The grammar of PL/pgSQL refuses it.
    Grammar(String),
    /// It is PL/pgSQL, and SQL inside of it does not parse.
    Sql(String),
    /// It is refused for what its names mean, or something else that we do not look at.
    Meaning(String),
}

/// What PostgreSQL says with the SQLSTATE of its grammar that needs to know what names mean.
const MEANING: &[&str] = &[
    "is not a known variable",
    "there is no label",
    "loop variable of",
    "cursor FOR loop must use a bound cursor variable",
    "\" has no arguments",
    "\" has arguments",
    "\" has no argument named",
    "not enough arguments for cursor",
    "too many arguments for cursor",
    "value for parameter",
    "record variable cannot be part of",
    "is not a scalar variable",
    "RETURN cannot have a parameter in a procedure",
];

/// Tries a statement that makes a routine, and takes it back. The answer is a SQLSTATE, a message, whether it came
/// from the compiler of PL/pgSQL, and whether from the parser of types.
const JUDGE: &str = r#"
create function hob_call(body text) returns text language plpgsql as $$
declare
  found record;
  arguments text;
begin
  select oid, proname, prokind, prorettype, proargtypes, pronamespace into found
    from pg_proc where prosrc = body order by oid desc limit 1;
  if found.oid is null then
    return null;
  end if;
  if found.prorettype = 'trigger'::regtype then
    return format('create table hob_fired(n int); create trigger hob_fires before insert on hob_fired for each row
      execute function %s(); insert into hob_fired values (1)', found.oid::regproc);
  end if;
  select string_agg('null::' || case
      when type in ('anyelement'::regtype, 'anynonarray'::regtype, 'anycompatible'::regtype) then 'int'
      when type in ('anyarray'::regtype, 'anycompatiblearray'::regtype) then 'int[]'
      when type in ('anyrange'::regtype, 'anycompatiblerange'::regtype) then 'int4range'
      else format_type(type, null) end, ', ' order by place)
    into arguments from unnest(found.proargtypes::oid[]) with ordinality as types(type, place);
  if found.prokind = 'f' then
    execute format('alter function %s called on null input', found.oid::regprocedure);
  end if;
  return format('%s %s(%s)', case when found.prokind = 'p' then 'call' else 'select' end,
    found.oid::regproc, arguments);
end $$;

create function hob_judge(statement text, body text, checked bool,
    out state text, out message text, out compiling bool, out type bool) language plpgsql as $$
declare
  context text;
  call text;
begin
  perform set_config('check_function_bodies', checked::text, true);
  execute statement;
  if not checked then
    call := hob_call(body);
    if call is not null then
      execute call;
    end if;
  end if;
  raise sqlstate 'HOB00';
exception when others or query_canceled or assert_failure then
  get stacked diagnostics state = returned_sqlstate, message = message_text, context = pg_exception_context;
  -- A body that runs is in the context; of one of DO that is compiled, nothing is.
  compiling := case when statement ilike 'do%' then context not like '%PL/pgSQL function inline_code_block %'
    else context like '%compilation of PL/pgSQL function%' end;
  type := context like '%invalid type name%';
end $$;
"#;

struct Judge {
    client: postgres::Client,
}

impl Judge {
    /// What PostgreSQL says about a routine with a body.
    fn opinion(&mut self, routine: &Routine, body: &str) -> Opinion {
        let told = self.ask(routine, body, true);
        let message = told.message;
        match told.state.as_str() {
            "HOB00" => return Opinion::Taken,
            // What a DO does is no matter: it was read.
            _ if !told.compiling && is_do(routine) => return Opinion::Taken,
            "42601" => {}
            // Refused by the grammar, with another code.
            "0A000" if message.contains("cannot return multiple rows") => {}
            "22004" if message.contains("declared NOT NULL") => {}
            "XX000" if message.contains("print_strict_params") => {}
            _ => return Opinion::Meaning(message),
        }
        if told.type_name {
            return Opinion::Sql(message);
        }
        if MEANING.iter().any(|words| message.contains(words)) {
            return Opinion::Meaning(message);
        }
        let again = self.ask(routine, body, false);
        match again.compiling && !again.type_name && again.message == message {
            true => Opinion::Grammar(message),
            // Without a look at the SQL, it got further.
            false => Opinion::Sql(message),
        }
    }

    /// Where PostgreSQL refuses a body: a byte of it.
    fn position(&mut self, routine: &Routine, body: &str) -> Option<usize> {
        let statement = routine.with(body);
        self.client.query("begin").expect("PostgreSQL answers");
        let answer = self.client.query(&statement).expect("PostgreSQL answers");
        self.client.query("rollback").expect("PostgreSQL answers");
        let at = usize::try_from(answer.position?).ok()?.checked_sub(1)?;
        let at = statement.char_indices().nth(at).map_or(statement.len(), |(at, _)| at);
        at.checked_sub(statement.find(body)?)
    }

    fn ask(&mut self, routine: &Routine, body: &str, checked: bool) -> Told {
        let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let (statement, body) = (literal(&routine.with(body)), literal(body));
        let query = format!("select * from hob_judge({statement}, {body}, {checked})");
        let answer = self.client.query(&query);
        let answer = answer.unwrap_or_else(|error| panic!("{error}: {query}"));
        let [row] = &answer.rows[..] else { panic!("{query}\n{answer:?}") };
        let cell = |at: usize| row.get(at).cloned().flatten().unwrap_or_default();
        Told {
            state: cell(0),
            message: cell(1),
            compiling: cell(2) == "t",
            type_name: cell(3) == "t",
        }
    }
}

/// What `hob_judge` answers.
struct Told {
    state: String,
    message: String,
    compiling: bool,
    type_name: bool,
}

fn is_do(routine: &Routine) -> bool {
    routine.before.trim_start().get(..2).is_some_and(|word| word.eq_ignore_ascii_case("do"))
}

#[derive(Default)]
struct Tally {
    taken: usize,
    refused: usize,
    sql: usize,
    meaning: usize,
    /// Read by what is declared, as `tree` says (`declared.rs`).
    known: usize,
    different: Vec<String>,
}

impl Tally {
    fn compare(&mut self, judge: &mut Judge, name: &str, routine: &Routine, body: &str) {
        let opinion = &judge.opinion(routine, body);
        let ours = read(body);
        if let Ok(tree) = &ours
            && let Err(error) = shape::check(body, tree)
        {
            self.different.push(format!("{name}: the tree is not its source: {error}\n{body}"));
        }
        match (&ours, opinion) {
            (Ok(_), Opinion::Taken) => self.taken += 1,
            (Err(_), Opinion::Grammar(_)) => self.refused += 1,
            (_, Opinion::Sql(_)) => self.sql += 1,
            (_, Opinion::Meaning(_)) => self.meaning += 1,
            (Ok(tree), Opinion::Grammar(message)) => {
                let at = judge.position(routine, body);
                if at.is_some_and(|at| declared::decides(body, tree, at)) {
                    self.known += 1;
                } else {
                    let told =
                        format!("{name}: we read what PostgreSQL refuses: {message}\n{body}");
                    self.different.push(told);
                }
            }
            (Err(error), Opinion::Taken) => {
                let place = Place::of(body, error.span().start);
                let told =
                    format!("{name}: we refuse what PostgreSQL takes: {place} {error}\n{body}");
                self.different.push(told);
            }
        }
    }
}

#[test]
fn reads_as_postgresql_does() {
    let Some(server) = postgres::Server::start("") else { return };
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let full = std::env::var_os("HOB_FULL").is_some();
    let mut mistakes = Mistakes::new(number("HOB_SEED").unwrap_or(1));
    let mut tally = Tally::default();
    let mut seen = BTreeSet::new();
    for (count, script) in scripts().into_iter().enumerate() {
        let mut client = server.connect(&format!("script{count}")).expect("PostgreSQL answers");
        // What is called may go on for ever.
        for setup in [JUDGE, "set statement_timeout = '500ms'"] {
            let made = client.query(setup).expect("PostgreSQL answers");
            assert_eq!(made.state, None, "{}", made.message);
        }
        let mut judge = Judge { client };
        for statement in &script.statements {
            let Some(routine) = script::routine(statement) else {
                // Tables and types that bodies name. What fails is missed only where it is named.
                judge.client.query(statement).expect("PostgreSQL answers");
                judge.client.query("rollback").expect("PostgreSQL answers");
                continue;
            };
            if !seen.insert(routine.body.clone()) {
                continue;
            }
            if script.good {
                let opinion = judge.opinion(&routine, &routine.body);
                assert_eq!(opinion, Opinion::Taken, "{} is not good", script.name);
            }
            tally.compare(&mut judge, &script.name, &routine, &routine.body);
            let more = if script.good { 20 } else { 1 } * if full { 10 } else { 2 };
            for _ in 0..more {
                let body = mistakes.make(&routine.body);
                tally.compare(&mut judge, &script.name, &routine, &body);
            }
            judge.client.query(statement).expect("PostgreSQL answers");
        }
    }
    let show = number("HOB_SHOW").unwrap_or(10);
    for told in tally.different.iter().take(show as usize) {
        println!("{told}\n");
    }
    let equal = tally.taken + tally.refused;
    println!(
        "{} bodies and mistakes in them: {} comparable, {equal} of them equal ({} taken, {} refused), {} read by what \
         is declared; not comparable: {} for SQL inside, {} for what names mean",
        seen.len(),
        equal + tally.different.len() + tally.known,
        tally.taken,
        tally.refused,
        tally.known,
        tally.sql,
        tally.meaning,
    );
    assert!(tally.different.is_empty(), "{} bodies are read differently", tally.different.len());
    assert!(tally.taken > 300 && tally.refused > 300, "there was little to compare");
}

/// Statements that run in one session.
struct Script {
    name: String,
    statements: Vec<String>,
    /// Whether all bodies are ours, and so good.
    good: bool,
}

fn scripts() -> Vec<Script> {
    let own = script::own().into_iter().map(|(name, source)| {
        let header = source.lines().next().and_then(|line| line.strip_prefix("-- "));
        let header = header.expect("it begins with what the routine is");
        let create = match header.strip_prefix("procedure ") {
            Some(arguments) => format!("create procedure f{arguments}"),
            None => format!("create function f{header}"),
        };
        let setup = "create table t(id int, n int, name text)".to_owned();
        let routine = format!("{create} language plpgsql as $own${source}$own$");
        Script { name, statements: vec![setup, routine], good: true }
    });
    let wrong = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors.txt");
    let wrong = std::fs::read_to_string(wrong).expect("it is there");
    let create = "create function f() returns void language plpgsql as";
    let wrong = wrong.lines().map(|body| format!("{create} $own${body}$own$")).collect();
    let wrong = Script { name: "errors".to_owned(), statements: wrong, good: false };
    let folder = script::programs();
    let others = script::files(&folder, "sql").into_iter().map(|file| {
        let text =
            String::from_utf8_lossy(&std::fs::read(&file).expect("it is there")).into_owned();
        let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
        Script { name, statements: script::statements(&text), good: false }
    });
    own.chain([wrong]).chain(others).collect()
}
