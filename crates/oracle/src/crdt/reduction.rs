//! Hard histories: 1-in-3 satisfiability as a question about replicas.
//!
//! A formula is a set of clauses of three variables; an assignment satisfies it if exactly one
//! variable of every clause is true. To decide that is NP-hard, and [`history`] writes a formula as
//! a history that is admitted just if the formula is satisfiable [thesis, theorems 2.2.1 and 2.2.2,
//! figures 2.3 and 2.4]. Three replicas work in rounds separated by barriers; for flags:
//!
//! ```text
//!           replica 0          replica 1          replica 2
//! round 0   enable x1 .. xn    disable x1 .. xn
//! barrier   enable z0          enable z1          enable z2
//!           z1, z2 on?         z0, z2 on?         z0, z1 on?
//! round k   a on, b, c off     b on, c, a off     c on, a, b off     for the clause {a, b, c}
//!           disable a          disable b          disable c
//!           enable b           enable c           enable a
//! ```
//!
//! with a barrier before every round, which turns the `z` on and off alternately.
//!
//! *Barriers separate.* Only replica i updates `zi`, so a read of it tells whether an odd or an
//! even number of its updates is visible. In barrier 1 it is odd, hence at least 1; from barrier
//! to barrier the parity changes and the number cannot fall, hence at barrier k it is at least k.
//! So whatever precedes a barrier anywhere happens before whatever follows it anywhere.
//!
//! *Some replica begins each round.* If the last read of every replica saw an update of another
//! one in the same round, these sightings would form a circle. So one replica reads all three
//! variables as the rounds before have left them, and finds exactly one of them on.
//!
//! *Rounds change nothing.* Say it is replica 0: `a` is on. Replica 1 finds `b` on, which only the
//! enable of replica 0 explains; then replica 2 finds `c` on, which only replica 1 explains. So the
//! updates of the round are in one line, and the last ones leave `a` on, `b` and `c` off. Hence all
//! rounds see the same state, and it satisfies every clause.
//!
//! The other way round, a satisfying assignment tells how to run the operations one after the
//! other, everybody seeing everything so far; [`witness`] writes that down. In round 0 `xi` is
//! enabled last if it is true, and otherwise disabled last.
//!
//! The argument reads the same for sets, and for registers that hold 1 and 0: in round 0 two
//! concurrent writes leave `[0, 1]` (`mvr`), which satisfies no read, or either of them (`lww`).
//!
//! # Where this differs from the thesis
//!
//! - Barrier 1 needs the corrected initial state (E4). By the printed axioms a disable-wins flag
//!   that nobody has touched reads as *on*, and likewise an element of a remove-wins set, so
//!   barrier 1 would hold back nobody. With untouched flags off it separates like all the others.
//! - The variables of a clause must be distinct, which the thesis does not say. Of `{a, a, b}` the
//!   round asks replicas 0 and 1 to find `a` on and off without anybody in between to turn it
//!   off, though `b` alone satisfies the clause.
//! - Lemma 2.2.2 is proved by circles there; counting the updates of `zi` is enough.
//!
//! # Counters
//!
//! Concurrent increments and decrements add up, so round 0 has two more replicas a variable: one
//! increments `xj`, the other decrements it, and each increments `y` first. Being on is 1, off is
//! -1; a round adds and subtracts 2, altogether 0 to each variable. The replica that begins a
//! round therefore finds the sum of those replicas' updates it knows of: 1 if it knows only the
//! increment, -1 if only the decrement, 0 if both or none, which no read permits. What is known
//! only grows from round to round, through 0, 1, 0 or 0, -1, 0, so no variable is ever found on in
//! one round and off in another by those who begin them. (Hence `y`, whose n increments replica 0
//! finds before and after everything, is not needed for the theorem, and neither is that every
//! variable is in some clause. It is kept as printed. The marks of barriers are called `z`
//! throughout: the figures call them `y`, the caption of figure 2.4 `z`.)

use serde_json::{Value, json};

use super::rng::Rng;
use super::verify::Witness;

/// A set of clauses, each of three different variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The number of variables.
    pub variables: usize,
    /// The variables of each clause.
    pub clauses: Vec<[usize; 3]>,
}

/// A random formula of 4 to 6 variables, all of them in use.
pub fn formula(seed: u64) -> Formula {
    let mut rng = Rng::new(seed);
    let variables = rng.between(4, 6);
    let wanted = rng.between(variables - 1, 2 * variables);
    let mut clauses: Vec<[usize; 3]> = Vec::new();
    while clauses.len() < wanted
        || (0..variables).any(|x| !clauses.iter().flatten().any(|y| *y == x))
    {
        let clause = [rng.below(variables), rng.below(variables), rng.below(variables)];
        if clause[0] != clause[1] && clause[1] != clause[2] && clause[2] != clause[0] {
            clauses.push(clause);
        }
    }
    Formula { variables, clauses }
}

/// Whether some assignment makes exactly one variable of every clause true.
pub fn satisfiable(formula: &Formula) -> bool {
    assignment(formula).is_some()
}

/// The first such assignment.
pub fn assignment(formula: &Formula) -> Option<Vec<bool>> {
    let all = 0u64..1 << formula.variables;
    let mut all = all.map(|bits| (0..formula.variables).map(|x| bits >> x & 1 == 1).collect());
    all.find(|values: &Vec<bool>| {
        formula.clauses.iter().all(|clause| clause.iter().filter(|&&x| values[x]).count() == 1)
    })
}

/// The formula as a history of flags, sets, registers or counters.
///
/// # Panics
///
/// If `kind` is none of these types.
pub fn history(formula: &Formula, kind: &str) -> String {
    let steps = steps(formula, kind, &vec![false; formula.variables]);
    let of = |replica: usize| steps.iter().filter(move |step| step.replica == replica);
    let ops = |replica: usize| of(replica).map(|step| step.op.clone()).collect::<Vec<_>>();
    let replica = |n: usize| json!({"id": format!("r{n}"), "ops": ops(n)});
    let replicas: Vec<Value> = (0..replicas(formula, kind)).map(replica).collect();
    json!({"format": "crdt-history/1", "type": kind, "replicas": replicas}).to_string()
}

/// How the history comes about if the formula is true under this assignment.
///
/// # Panics
///
/// If `kind` is none of the types of [`history`].
pub fn witness(formula: &Formula, kind: &str, values: &[bool]) -> Witness {
    let replicas = replicas(formula, kind);
    let mut done = vec![0; replicas];
    let mut witness = Witness { sees: vec![Vec::new(); replicas], ..Witness::default() };
    for step in steps(formula, kind, values) {
        let sees = if step.alone { vec![0; replicas] } else { done.clone() };
        let sees: Vec<usize> =
            (0..replicas).map(|j| if j == step.replica { done[j] } else { sees[j] }).collect();
        witness.sees[step.replica].push(sees);
        if kind == "lww" && step.op.get("ret").is_none() {
            witness.lin.push((step.replica, done[step.replica]));
        }
        done[step.replica] += 1;
    }
    witness
}

fn replicas(formula: &Formula, kind: &str) -> usize {
    if kind == "counter" { 3 + 2 * formula.variables } else { 3 }
}

/// An operation in the order of a sequential run.
struct Step {
    replica: usize,
    op: Value,
    /// It sees nobody, and nobody sees it.
    alone: bool,
}

/// All operations, in the order in which they can be run under an assignment. The operations of
/// each replica, and their order, do not depend on it.
fn steps(formula: &Formula, kind: &str, values: &[bool]) -> Vec<Step> {
    let words = Words { kind };
    let mut steps = Vec::new();
    let mut late = Vec::new();
    let step = |replica: usize, op: Value| Step { replica, op, alone: false };
    let count = json!({"f": "read", "args": ["y"], "ret": formula.variables});
    for (x, &value) in values.iter().enumerate() {
        let name = format!("x{x}");
        if kind == "counter" {
            for (replica, f, chosen) in [(2 * x + 3, "inc", value), (2 * x + 4, "dec", !value)] {
                for op in [json!({"f": "inc", "args": ["y"]}), json!({"f": f, "args": [name]})] {
                    let to = if chosen { &mut steps } else { &mut late };
                    to.push(Step { replica, op, alone: true });
                }
            }
        } else {
            let (on, off) = (step(0, words.turn(&name, true)), step(1, words.turn(&name, false)));
            steps.extend(if value { [off, on] } else { [on, off] });
        }
    }
    if kind == "counter" {
        steps.push(step(0, count.clone()));
    }
    for (k, clause) in formula.clauses.iter().enumerate() {
        barrier(&words, k, &mut steps);
        let names: Vec<String> = clause.iter().map(|x| format!("x{x}")).collect();
        let first = (0..3).find(|&n| values[clause[n]]).unwrap_or(0);
        for replica in [first, (first + 1) % 3, (first + 2) % 3] {
            let [a, b, c] = [0, 1, 2].map(|n| names[(replica + n) % 3].as_str());
            let reads = [words.is(a, true), words.is(b, false), words.is(c, false)];
            let updates = words.flip(a, false).into_iter().chain(words.flip(b, true));
            steps.extend(reads.into_iter().chain(updates).map(|op| step(replica, op)));
        }
    }
    if kind == "counter" {
        barrier(&words, formula.clauses.len(), &mut steps);
        steps.push(step(0, count));
    }
    steps.extend(late);
    steps
}

/// Everybody raises or lowers a mark, then everybody sees those of the others.
fn barrier(words: &Words<'_>, k: usize, steps: &mut Vec<Step>) {
    let up = k.is_multiple_of(2);
    for replica in 0..3 {
        steps.push(Step { replica, op: words.mark(&format!("z{replica}"), up), alone: false });
    }
    for replica in 0..3 {
        for other in (0..3).filter(|&other| other != replica) {
            let op = words.marked(&format!("z{other}"), up);
            steps.push(Step { replica, op, alone: false });
        }
    }
}

/// Turning on and off, in the words of a type.
struct Words<'a> {
    kind: &'a str,
}

impl Words<'_> {
    fn turn(&self, key: &str, on: bool) -> Value {
        let f = match (self.kind, on) {
            ("ew-flag" | "dw-flag", true) => "enable",
            ("ew-flag" | "dw-flag", false) => "disable",
            ("aw-set" | "rw-set", true) => "add",
            ("aw-set" | "rw-set", false) => "remove",
            ("counter", true) => "inc",
            ("counter", false) => "dec",
            ("mvr" | "lww", _) => {
                return json!({"f": "write", "args": [key, u8::from(on)]});
            }
            (other, _) => panic!("no reduction to {other}"),
        };
        json!({"f": f, "args": [key]})
    }

    fn is(&self, key: &str, on: bool) -> Value {
        let f = if matches!(self.kind, "aw-set" | "rw-set") { "contains" } else { "read" };
        let ret = match self.kind {
            "mvr" => json!([u8::from(on)]),
            "lww" => json!(u8::from(on)),
            "counter" => json!(if on { 1 } else { -1 }),
            _ => json!(on),
        };
        json!({"f": f, "args": [key], "ret": ret})
    }

    /// Turns a variable to the other side: for counters by 2, from 1 to -1 or back.
    fn flip(&self, key: &str, on: bool) -> Vec<Value> {
        vec![self.turn(key, on); if self.kind == "counter" { 2 } else { 1 }]
    }

    fn mark(&self, key: &str, up: bool) -> Value {
        self.turn(key, up)
    }

    /// Marks of counters go from 0 to 1 and back.
    fn marked(&self, key: &str, up: bool) -> Value {
        if self.kind == "counter" {
            json!({"f": "read", "args": [key], "ret": u8::from(up)})
        } else {
            self.is(key, up)
        }
    }
}
