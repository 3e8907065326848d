//! Whether every transaction ends, if every process that can take steps goes on taking some.
//!
//! A run that never ends goes round in a strongly connected part of the states. It is fair if it can go on in there
//! with every process taking a step or being unable to, again and again; the part as a whole has such a run if it has,
//! for each process, a step of it or a state in which it has none. A part in which a transaction has not ended and
//! that has a fair run is what is looked for.
//!
//! Names matter here: a process that takes no step may be one that does under another name. So states are first
//! looked at up to names, where no circle means that there is none, and only then one by one.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet, HashTable};
use hobgoblin_check::Limits;
use hobgoblin_core::StopReason;

use crate::protocol::{Phase, Process, Protocol};
use crate::renaming::Renaming;
use crate::seen::hash_of;
use crate::trace::{Trace, walk};

/// What was found.
pub(crate) enum Ends<S, T> {
    /// Every transaction always ends.
    Always,
    /// This one may not, by this run, which goes round from a place on.
    Not { transaction: usize, trace: Trace<S, T>, from: usize },
}

/// Whether every transaction ends, in a protocol without deadlocks.
pub(crate) fn ends<P: Protocol>(
    protocol: &P,
    renamings: &[Renaming],
    limits: &Limits,
) -> Result<Ends<P::State, P::Step>, StopReason> {
    if !renamings.is_empty() {
        let (graph, _) = explored(protocol, renamings, limits)?;
        if graph.parts().iter().all(|part| !graph.is_circle(part)) {
            return Ok(Ends::Always);
        }
    }
    let (graph, states) = explored(protocol, &[], limits)?;
    for part in graph.parts() {
        if !graph.is_circle(&part) {
            continue;
        }
        let runs =
            |t: &usize| part.iter().all(|&at| protocol.phase(&states[at], *t) != Phase::Ended);
        let Some(transaction) = (0..protocol.transactions()).find(runs) else { continue };
        if let Some(stops) = graph.fair(&part) {
            let (path, from) = graph.run(&part, &stops);
            let path: Vec<P::State> = path.into_iter().map(|at| states[at].clone()).collect();
            let trace = walk(protocol, &[], &path);
            return Ok(Ends::Not { transaction, trace, from });
        }
    }
    Ok(Ends::Always)
}

/// The steps between states, which have numbers.
struct Graph {
    /// How many states are initial; they come first.
    initial: usize,
    /// By state, where its steps lead and who takes them, by number.
    steps: Vec<Vec<(usize, u16)>>,
    processes: usize,
}

/// The graph of a protocol, and its states.
fn explored<P: Protocol>(
    protocol: &P,
    renamings: &[Renaming],
    limits: &Limits,
) -> Result<(Graph, Vec<P::State>), StopReason> {
    let one = |state: P::State| match renamings.is_empty() {
        true => state,
        false => protocol.representative(&state, renamings),
    };
    let mut states: Vec<P::State> = Vec::new();
    let mut index = HashTable::new();
    let mut number = |states: &mut Vec<P::State>, state: P::State| -> usize {
        let hash = hash_of(&state);
        if let Some(&at) = index.find(hash, |&at: &usize| states[at] == state) {
            return at;
        }
        states.push(state);
        index.insert_unique(hash, states.len() - 1, |&at| hash_of(&states[at]));
        states.len() - 1
    };
    let mut processes: HashMap<Process, u16> = HashMap::default();
    for state in protocol.initial() {
        number(&mut states, one(state));
    }
    let initial = states.len();
    let mut steps = Vec::new();
    while let Some(state) = states.get(steps.len()).cloned() {
        if steps.len() % 1024 == 0 {
            limits.check()?;
        }
        let mut own = Vec::new();
        protocol.next(&state, &mut |step, next| {
            let fresh = processes.len() as u16;
            let process = *processes.entry(protocol.process(&step)).or_insert(fresh);
            own.push((number(&mut states, one(next)), process));
        });
        steps.push(own);
    }
    Ok((Graph { initial, steps, processes: processes.len() }, states))
}

impl Graph {
    /// The strongly connected parts, by Tarjan's algorithm without recursion.
    fn parts(&self) -> Vec<Vec<usize>> {
        const NEW: u32 = u32::MAX;
        let count = self.steps.len();
        let (mut order, mut low) = (vec![NEW; count], vec![0_u32; count]);
        let mut open = vec![false; count];
        let (mut stack, mut work, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        let mut next = 0;
        for root in 0..count {
            if order[root] != NEW {
                continue;
            }
            work.push((root, 0));
            while let Some((at, edge)) = work.pop() {
                if edge == 0 {
                    (order[at], low[at]) = (next, next);
                    next += 1;
                    stack.push(at);
                    open[at] = true;
                }
                match self.steps[at].get(edge) {
                    Some(&(to, _)) => {
                        work.push((at, edge + 1));
                        if order[to] == NEW {
                            work.push((to, 0));
                        } else if open[to] {
                            low[at] = low[at].min(order[to]);
                        }
                    }
                    None => {
                        if low[at] == order[at] {
                            let from = stack.iter().rposition(|&other| other == at);
                            let part = stack.split_off(from.expect("it is on the stack"));
                            part.iter().for_each(|&of| open[of] = false);
                            parts.push(part);
                        }
                        if let Some(&(above, _)) = work.last() {
                            low[above] = low[above].min(low[at]);
                        }
                    }
                }
            }
        }
        parts
    }

    /// Whether one can go round in a part.
    fn is_circle(&self, part: &[usize]) -> bool {
        part.len() > 1 || self.steps[part[0]].iter().any(|(to, _)| *to == part[0])
    }

    /// By process, where a fair run in a part must pass: a step of it, or a state in which it has none. None, if
    /// there is a process without either.
    fn fair(&self, part: &[usize]) -> Option<Vec<(usize, Option<usize>)>> {
        let inside: HashSet<usize> = part.iter().copied().collect();
        let pass = |process: u16| {
            part.iter().find_map(|&at| {
                let own = || self.steps[at].iter().filter(|(_, by)| *by == process);
                if own().next().is_none() {
                    return Some((at, None));
                }
                own().find(|(to, _)| inside.contains(to)).map(|(to, _)| (at, Some(*to)))
            })
        };
        (0..self.processes as u16).map(pass).collect()
    }

    /// A run to the part and around in it past all the stops, and where the round begins.
    fn run(&self, part: &[usize], stops: &[(usize, Option<usize>)]) -> (Vec<usize>, usize) {
        let inside: HashSet<usize> = part.iter().copied().collect();
        let mut path = self.way((0..self.initial).collect(), &|at| inside.contains(&at), &|_| true);
        let from = path.len() - 1;
        let start = path[from];
        let go = |path: &mut Vec<usize>, to: usize| {
            let last = path[path.len() - 1];
            let way = self.way(vec![last], &|at| at == to, &|at| inside.contains(&at));
            path.extend(&way[1..]);
        };
        for &(at, to) in stops {
            go(&mut path, at);
            path.extend(to);
        }
        match path.len() - 1 == from {
            // All stops are here: the shortest round.
            true => {
                let mut next = self.steps[start].iter().map(|(to, _)| *to);
                let next = next.find(|to| inside.contains(to)).expect("it is a circle");
                path.push(next);
                go(&mut path, start);
            }
            false => go(&mut path, start),
        }
        (path, from)
    }

    /// The shortest way from some states to one, through those allowed.
    fn way(
        &self,
        from: Vec<usize>,
        is: &dyn Fn(usize) -> bool,
        through: &dyn Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut before: HashMap<usize, usize> = from.iter().map(|&at| (at, at)).collect();
        let mut queue = VecDeque::from(from);
        while let Some(at) = queue.pop_front() {
            if is(at) {
                let mut way = vec![at];
                let mut last = at;
                while before[&last] != last {
                    last = before[&last];
                    way.push(last);
                }
                way.reverse();
                return way;
            }
            for &(to, _) in &self.steps[at] {
                if through(to) && !before.contains_key(&to) {
                    before.insert(to, at);
                    queue.push_back(to);
                }
            }
        }
        unreachable!("the part can be reached, and is connected")
    }
}
