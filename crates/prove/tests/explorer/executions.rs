//! All executions of a few instances from the definitions: every order of arbitration, and within it everybody's view
//! [Nagar 2018, section 3.2].

use crate::run::{Cells, Instance, Layout, Log, Writer, run};
use crate::tree::Program;

/// The levels that are compared, weaker ones first.
pub(crate) const LEVELS: [&str; 3] = ["CC", "PSI", "SI"];

/// An execution of instances that all commit.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    /// The instances as they are arbitrated.
    pub(crate) order: Vec<usize>,
    /// What each instance sees, as a set of others.
    pub(crate) sees: Vec<u32>,
    pub(crate) logs: Vec<Log>,
    /// Whether each of [`LEVELS`] allows it.
    pub(crate) allowed: [bool; 3],
}

/// What an instance sees, with its own writes.
struct View {
    cells: Vec<(Writer, Option<i64>)>,
    own: Writer,
}

impl Cells for View {
    type Stop = std::convert::Infallible;

    fn get(&mut self, cell: usize) -> Result<(Writer, Option<i64>), Self::Stop> {
        Ok(self.cells[cell])
    }

    fn put(&mut self, cell: usize, value: Option<i64>) -> Result<(), Self::Stop> {
        self.cells[cell] = (self.own, value);
        Ok(())
    }
}

/// Instances that run on a first state.
pub(crate) struct World<'w> {
    pub(crate) program: &'w Program,
    pub(crate) layout: &'w Layout,
    pub(crate) instances: &'w [Instance],
    pub(crate) initial: &'w [Option<i64>],
}

impl World<'_> {
    /// What an instance does that sees these, in this order.
    fn run(&self, instance: usize, seen: &[(usize, &Log)]) -> Option<Log> {
        let mut cells: Vec<(Writer, Option<i64>)> =
            self.initial.iter().map(|&value| (0, value)).collect();
        for (other, log) in seen {
            for (&cell, &value) in &log.writes {
                cells[cell] = (other + 1, value);
            }
        }
        let mut view = View { cells, own: instance + 1 };
        let Ok(log) = run(self.program, self.layout, &self.instances[instance], &mut view);
        log
    }

    /// All executions in which all commit.
    pub(crate) fn executions(&self) -> Vec<Execution> {
        let count = self.instances.len();
        let first = Execution {
            order: Vec::new(),
            sees: vec![0; count],
            logs: vec![Log::default(); count],
            allowed: [true; 3],
        };
        let mut open = vec![first];
        for place in 0..count {
            let mut longer = Vec::new();
            for execution in open {
                for next in (0..count).filter(|next| !execution.order.contains(next)) {
                    for chosen in 0..1_u32 << place {
                        longer.extend(self.extended(&execution, next, chosen));
                    }
                }
            }
            open = longer;
        }
        open
    }

    /// An execution with another instance at its end, which sees the chosen places.
    fn extended(&self, execution: &Execution, next: usize, chosen: u32) -> Option<Execution> {
        let mut sees = 0;
        let mut seen = Vec::new();
        for (place, &other) in execution.order.iter().enumerate() {
            if chosen & 1 << place != 0 {
                sees |= 1 << other;
                seen.push((other, &execution.logs[other]));
            }
        }
        // Whom it sees, and whom those see.
        if seen.iter().any(|&(other, _)| execution.sees[other] & !sees != 0) {
            return None;
        }
        let log = self.run(next, &seen)?;
        let is_prefix = chosen & (chosen + 1) == 0;
        let sees_conflicts = execution.order.iter().all(|&other| {
            let writes = &execution.logs[other].writes;
            sees & 1 << other != 0 || !log.writes.keys().any(|cell| writes.contains_key(cell))
        });
        let [cc, psi, si] = execution.allowed;
        let mut longer = execution.clone();
        longer.allowed = [cc, psi && sees_conflicts, si && sees_conflicts && is_prefix];
        longer.order.push(next);
        longer.sees[next] = sees;
        longer.logs[next] = log;
        Some(longer)
    }

    /// Whether a replay of two executions comes to the same, and leaves the same.
    pub(crate) fn shows_as(&self, one: &Execution, other: &Execution) -> bool {
        one.replays_as(other) && self.state(one) == self.state(other)
    }

    /// The rows that are left: none, or its columns, for each there can be.
    fn state(&self, execution: &Execution) -> Vec<Option<Vec<Option<i64>>>> {
        let mut cells = self.initial.to_vec();
        for &at in &execution.order {
            for (&cell, &value) in &execution.logs[at].writes {
                cells[cell] = value;
            }
        }
        let mut rows = Vec::new();
        for (at, table) in self.program.tables.iter().enumerate() {
            for row in 0..self.layout.rows(at) {
                let columns = 0..table.nullable.len();
                let columns = columns.map(|column| cells[self.layout.column(at, row, column)]);
                let alive = cells[self.layout.alive(at, row)] == Some(1);
                rows.push(alive.then(|| columns.collect()));
            }
        }
        rows
    }
}

impl Execution {
    /// Whether everybody sees all before.
    pub(crate) fn is_serial(&self) -> bool {
        let mut before = 0_u32;
        self.order.iter().all(|&at| {
            let sees_all = self.sees[at] == before;
            before |= 1 << at;
            sees_all
        })
    }

    /// Whether one instance depends on another: it reads what that one wrote, or overwrites what it wrote or read.
    fn depends(&self, from: usize, to: usize) -> bool {
        let rank = |writer: Writer| match writer {
            0 => 0,
            writer => 1 + self.order.iter().position(|&at| at + 1 == writer).expect("it ran"),
        };
        let noted = |at: usize| {
            let log = &self.logs[at];
            log.reads.iter().filter(move |(cell, _)| log.noted.contains(cell))
        };
        let (writes, later) = (&self.logs[from].writes, &self.logs[to].writes);
        let write_write =
            rank(from + 1) < rank(to + 1) && writes.keys().any(|cell| later.contains_key(cell));
        let write_read = noted(to).any(|&(_, writer)| writer == from + 1);
        let read_write = noted(from)
            .any(|&(cell, writer)| later.contains_key(&cell) && rank(writer) < rank(to + 1));
        write_write || write_read || read_write
    }

    /// Whether dependencies go around all instances; without a shortcut, if that is asked.
    pub(crate) fn goes_around(&self, without_shortcut: bool) -> bool {
        let count = self.logs.len();
        ways(count).iter().any(|way| {
            (0..count).all(|at| {
                (0..count).filter(|&other| other != at).all(|other| {
                    let along = other == (at + 1) % count;
                    match along {
                        true => self.depends(way[at], way[other]),
                        false => !without_shortcut || !self.depends(way[at], way[other]),
                    }
                })
            })
        })
    }

    /// Whether the instances observe the same in another execution.
    pub(crate) fn observes_as(&self, other: &Execution) -> bool {
        let pairs = self.logs.iter().zip(&other.logs);
        pairs.into_iter().all(|(one, other)| one.observed().eq(other.observed()))
    }

    /// Whether a replay writes down the same of another execution.
    pub(crate) fn replays_as(&self, other: &Execution) -> bool {
        let pairs = self.logs.iter().zip(&other.logs);
        pairs.into_iter().all(|(one, other)| one.replayed().eq(other.replayed()))
    }

    /// Whether they read from the same in another execution.
    pub(crate) fn reads_as(&self, other: &Execution) -> bool {
        self.logs.iter().zip(&other.logs).all(|(one, other)| one.reads == other.reads)
    }
}

/// The ways around so many instances.
fn ways(count: usize) -> Vec<Vec<usize>> {
    match count {
        2 => vec![vec![0, 1]],
        3 => vec![vec![0, 1, 2], vec![0, 2, 1]],
        _ => panic!("two or three instances are compared"),
    }
}
