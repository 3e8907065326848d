//! A run as a message sequence chart, in text.
//!
//! Every process that takes part has a line downward. What a process does stands on its line; a message that it does
//! so upon is an arrow above, from who sent it.

use crate::protocol::{Line, Process, Protocol};

/// The least distance of two lines.
const NARROWEST: usize = 12;

/// Draws the steps of a run.
///
/// ```
/// use hobgoblin_protocol::models::two_phase::{Step, TwoPhase};
/// use hobgoblin_protocol::chart;
///
/// let protocol = TwoPhase::new(1, 1, false)?;
/// let steps = [Step::Ask { t: 0 }, Step::Vote { r: 0, t: 0, commit: true }];
/// let drawn = "
///        t1                   r1
/// 1      ● sends VoteRequest  │
///        ├─ VoteRequest ─────▶│
/// 2      │                    ● sends VoteCommit to t1
/// ";
/// assert_eq!(chart(&protocol, &steps), drawn.trim_start_matches('\n'));
/// # Ok::<(), hobgoblin_protocol::SizeError>(())
/// ```
pub fn chart<P: Protocol>(protocol: &P, steps: &[P::Step]) -> String {
    let lines = steps.iter().map(|step| (protocol.process(step), protocol.line(step)));
    draw(&lines.collect::<Vec<_>>())
}

/// Draws what processes do.
pub(crate) fn draw(lines: &[(Process, Line)]) -> String {
    let mut processes: Vec<Process> = Vec::new();
    for (process, line) in lines {
        processes.push(*process);
        processes.extend(line.received.as_ref().map(|(from, _)| *from));
    }
    processes.sort();
    processes.dedup();
    // What is said on a line ends before the next one; an arrow has room for its message.
    let mut widths = vec![NARROWEST; processes.len()];
    for (process, line) in lines {
        let column = column(&processes, *process);
        widths[column] = widths[column].max(line.does.chars().count() + 4);
        if let Some((from, message)) = &line.received {
            let first = column.min(self::column(&processes, *from));
            widths[first] = widths[first].max(message.chars().count() + 8);
        }
    }
    let starts: Vec<usize> = widths
        .iter()
        .scan(MARGIN, |x, width| {
            let start = *x;
            *x += width;
            Some(start)
        })
        .collect();
    let mut drawn = String::new();
    let mut head = Row::new("", &starts, ' ');
    for (process, &x) in processes.iter().zip(&starts) {
        head.text(x, &process.to_string());
    }
    head.push_to(&mut drawn);
    for (at, (process, line)) in lines.iter().enumerate() {
        let to = starts[column(&processes, *process)];
        if let Some((from, message)) = &line.received {
            let from = starts[column(&processes, *from)];
            if from != to {
                let mut row = Row::new("", &starts, '│');
                row.arrow(from, to, message);
                row.push_to(&mut drawn);
            }
        }
        let mut row = Row::new(&(at + 1).to_string(), &starts, '│');
        row.text(to, &format!("● {}", line.does));
        row.push_to(&mut drawn);
    }
    drawn
}

/// Where the first line is; the numbers of steps are before.
const MARGIN: usize = 7;

fn column(processes: &[Process], process: Process) -> usize {
    processes.iter().position(|known| *known == process).expect("all that take part are there")
}

/// One row of characters.
struct Row {
    cells: Vec<char>,
}

impl Row {
    /// A number, and a mark on every line.
    fn new(number: &str, starts: &[usize], mark: char) -> Row {
        let width = starts.last().map_or(MARGIN, |last| last + 1);
        let mut cells = vec![' '; width];
        starts.iter().for_each(|&x| cells[x] = mark);
        let mut row = Row { cells };
        row.text(0, number);
        row
    }

    fn text(&mut self, x: usize, text: &str) {
        for (at, letter) in text.chars().enumerate() {
            if x + at >= self.cells.len() {
                self.cells.resize(x + at + 1, ' ');
            }
            self.cells[x + at] = letter;
        }
    }

    fn arrow(&mut self, from: usize, to: usize, message: &str) {
        let (left, right) = (from.min(to), from.max(to));
        for cell in &mut self.cells[left + 1..right] {
            *cell = if *cell == '│' { '┼' } else { '─' };
        }
        let label = format!(" {message} ");
        if from < to {
            self.cells[from] = '├';
            self.cells[to - 1] = '▶';
            self.text(from + 2, &label);
        } else {
            self.cells[from] = '┤';
            self.cells[to + 1] = '◀';
            self.text(from - 1 - label.chars().count(), &label);
        }
    }

    fn push_to(&self, drawn: &mut String) {
        let line: String = self.cells.iter().collect();
        drawn.push_str(line.trim_end());
        drawn.push('\n');
    }
}
