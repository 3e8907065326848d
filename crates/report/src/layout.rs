//! Where everything of a picture goes.
//!
//! Sessions are lanes from left to right, time goes down, and every line of the telling has a row of its own. A
//! transaction is the box around its rows. Arrows leave and enter at the sides of boxes and turn in the gutters
//! between lanes, each on a track of its own; where one has to cross a lane, it does so between two rows.
//!
//! ```text
//!     lane 0        gutter 0        lane 1
//!   ┌ t1 ──────┐                 ┌ t2 ──────┐
//!   │ x → 0    ├────╮            │          │
//!   └──────────┘    ╰── rw(x) ───► x := 1   │
//!                                └──────────┘
//! ```

use hobgoblin_core::{EventId, TxnId};

use crate::arrow::Arrow;
use crate::drawn::Drawn;
use crate::names;

/// Longer statements, results, and reasons of a mark are cut.
const TEXT: usize = 46;
const CAME: usize = 40;
const MARK: usize = 40;
const TITLE: usize = 40;

const MARGIN: i32 = 20;
const ROW: i32 = 28;
pub(crate) const SECOND: i32 = 17;
pub(crate) const LABEL: i32 = 18;

/// A picture, placed. All lengths are pixels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picture {
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) lanes: Vec<LaneTitle>,
    pub(crate) start: Option<Start>,
    pub(crate) boxes: Vec<TxnBox>,
    pub(crate) rows: Vec<Row>,
    pub(crate) routes: Vec<Route>,
    /// What is not drawn, in words, below.
    pub(crate) note: String,
}

#[derive(Clone, Debug)]
pub(crate) struct LaneTitle {
    pub(crate) x: i32,
    pub(crate) width: i32,
    pub(crate) title: String,
}

/// The bar of the initial state.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) y: i32,
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) struct TxnBox {
    pub(crate) txn: TxnId,
    lane: usize,
    head: usize,
    last: usize,
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) name: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    lane: usize,
    /// Its place from above, which rows of other lanes' heads may share.
    place: usize,
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) text: String,
    pub(crate) came: String,
    pub(crate) mark: Option<String>,
    pub(crate) folded: bool,
    /// Whether what came of it has a line of its own.
    pub(crate) double: bool,
    pub(crate) events: Vec<EventId>,
}

/// The way of an arrow.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) arrow: usize,
    pub(crate) points: Vec<(i32, i32)>,
    /// The middle of its label, and how wide that is.
    pub(crate) label: (i32, i32),
    pub(crate) width: i32,
}

/// Places a witness.
pub(crate) fn layout(drawn: &Drawn, arrows: &[Arrow]) -> Picture {
    let mut picture = Picture::default();
    rows(&mut picture, drawn);
    let ends: Vec<Option<(End, End)>> = arrows.iter().map(|a| ends(&picture, a)).collect();
    let tops = tops(&mut picture, &drawn.initially, &ends);
    columns(&mut picture, &drawn.lanes, &ends, arrows);
    place(&mut picture, &tops);
    route(&mut picture, &tops, &ends, arrows);
    picture.note = note(&picture, drawn);
    if !picture.note.is_empty() {
        picture.height += 26;
    }
    picture
}

/// How wide a text is in the type of the picture.
pub(crate) fn width(text: &str) -> i32 {
    let wide = |c: char| {
        if u32::from(c) >= 0x1100 && !matches!(c, '\u{2000}'..='\u{2bff}') { 2 } else { 1 }
    };
    let units: i32 = text.chars().map(wide).sum();
    units * 29 / 4
}

/// Gives every line its row and every transaction its box.
fn rows(picture: &mut Picture, drawn: &Drawn) {
    // The last place that each lane has used; a head needs a free one above its first row.
    let mut used: Vec<Option<usize>> = vec![None; drawn.lanes.len()];
    let mut next = 1;
    for line in &drawn.lines {
        let lane = line.lane;
        let open = picture.boxes.iter().position(|b| b.txn == line.txn && b.lane == lane);
        if open.is_none() && used[lane] == Some(next - 1) {
            next += 1;
        }
        match open {
            Some(open) => picture.boxes[open].last = next,
            None => picture.boxes.push(TxnBox {
                txn: line.txn,
                lane,
                head: next - 1,
                last: next,
                x: 0,
                y: 0,
                width: 0,
                height: 0,
                name: line.title.clone(),
            }),
        }
        let text = names::cut(&line.text, TEXT);
        let came = names::cut(&line.came, CAME);
        let mark = line.mark.as_ref().map(|mark| names::cut(mark, MARK));
        let marked = mark.as_ref().filter(|mark| !mark.is_empty());
        let beside = came.chars().count() + marked.map_or(0, |mark| mark.chars().count() + 2);
        picture.rows.push(Row {
            lane,
            place: next,
            x: 0,
            y: 0,
            width: 0,
            double: beside > 0 && text.chars().count() + beside > TEXT,
            text,
            came,
            mark,
            folded: line.folded,
            events: line.events.clone(),
        });
        used[lane] = Some(next);
        next += 1;
    }
}

/// Where an arrow begins or ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Start,
    /// A lane, and a place in it.
    At(usize, usize),
}

/// The ends of an arrow, if both are drawn.
fn ends(picture: &Picture, arrow: &Arrow) -> Option<(End, End)> {
    let end = |txn: TxnId, event: Option<EventId>, leaves: bool| {
        if txn == TxnId::INIT {
            return Some(End::Start);
        }
        let row = event.and_then(|e| picture.rows.iter().find(|row| row.events.contains(&e)));
        if let Some(row) = row {
            return Some(End::At(row.lane, row.place));
        }
        let of_txn = |b: &&TxnBox| b.txn == txn;
        let found = picture.boxes.iter().find(of_txn)?;
        Some(End::At(found.lane, if leaves && event.is_none() { found.last } else { found.head }))
    };
    let tail = end(arrow.edge.from, arrow.tail, true)?;
    let head = end(arrow.edge.to, arrow.head, false)?;
    match (tail, head) {
        (_, End::Start) => None,
        both => Some(both),
    }
}

/// The upper edges of the places, and the lower edge of the last.
fn tops(picture: &mut Picture, initially: &str, ends: &[Option<(End, End)>]) -> Vec<i32> {
    let mut y = MARGIN + 30;
    if ends.iter().any(|ends| matches!(ends, Some((End::Start, _)))) {
        let text = names::cut(&format!("initially  {initially}"), 2 * TEXT);
        picture.start = Some(Start { y, text });
        y += 44;
    }
    let last = picture.boxes.iter().map(|b| b.last).max().unwrap_or(0);
    let mut tops = Vec::new();
    for place in 0..=last {
        tops.push(y);
        let double = picture.rows.iter().any(|row| row.place == place && row.double);
        y += ROW + if double { SECOND } else { 0 };
    }
    tops.push(y);
    tops
}

/// Gives lanes and gutters their widths.
fn columns(
    picture: &mut Picture,
    titles: &[String],
    ends: &[Option<(End, End)>],
    arrows: &[Arrow],
) {
    let mut x = MARGIN;
    for (lane, title) in titles.iter().enumerate() {
        let title = names::cut(title, TITLE);
        let of_row = |row: &Row| {
            let came = if row.came.is_empty() { 0 } else { width(&row.came) + 10 };
            let mark = row.mark.as_ref().map_or(0, |mark| width(mark) + 22);
            let beside = came + mark;
            32 + if row.double { width(&row.text).max(beside) } else { width(&row.text) + beside }
        };
        let rows = picture.rows.iter().filter(|row| row.lane == lane).map(of_row);
        let heads = picture.boxes.iter().filter(|b| b.lane == lane).map(|b| width(&b.name) + 32);
        let widest =
            rows.chain(heads).chain([width(&title) * 6 / 5 + 24, 130]).max().unwrap_or(130);
        picture.lanes.push(LaneTitle { x, width: widest, title });
        x += widest + gutter(ends, arrows, lane, lane + 1 == titles.len());
    }
    let start = picture.start.as_ref().map_or(0, |start| width(&start.text) + 24 + 2 * MARGIN);
    picture.width = (x + MARGIN).max(start).max(320);
}

/// How wide the gutter to the right of a lane is.
fn gutter(ends: &[Option<(End, End)>], arrows: &[Arrow], lane: usize, last: bool) -> i32 {
    let turning = ends.iter().filter(|ends| ends.is_some_and(|ends| turns(ends) == lane)).count();
    match turning {
        0 if last => 0,
        0 => 36,
        turning => {
            let tracks = turning as i32 - 1;
            widest(ends, arrows, lane) + 32 + tracks * track(ends, arrows, lane)
        }
    }
}

/// The widest label in the gutter to the right of a lane.
fn widest(ends: &[Option<(End, End)>], arrows: &[Arrow], lane: usize) -> i32 {
    let turning = ends.iter().zip(arrows).filter(|(e, _)| e.is_some_and(|e| turns(e) == lane));
    turning.map(|(_, arrow)| width(&arrow.label) + 12).max().unwrap_or(0)
}

/// How far apart the tracks of a gutter are: a label covers no other track, where there are not too many.
fn track(ends: &[Option<(End, End)>], arrows: &[Arrow], lane: usize) -> i32 {
    let turning = ends.iter().filter(|ends| ends.is_some_and(|ends| turns(ends) == lane)).count();
    let clear = widest(ends, arrows, lane) / 2 + 12;
    if turning <= 4 { clear } else { clear.min(24) }
}

/// The gutter that an arrow turns in, by the lane to its left.
fn turns(ends: (End, End)) -> usize {
    match ends {
        (End::At(from, _), End::At(to, _)) if from > to => from - 1,
        (End::At(from, _), _) => from,
        (End::Start, End::At(to, _)) => to.saturating_sub(1),
        (End::Start, End::Start) => 0,
    }
}

fn place(picture: &mut Picture, tops: &[i32]) {
    let lanes = &picture.lanes;
    for row in &mut picture.rows {
        let lane = &lanes[row.lane];
        (row.x, row.y, row.width) = (lane.x, tops[row.place], lane.width);
    }
    for b in &mut picture.boxes {
        let lane = &lanes[b.lane];
        (b.x, b.width) = (lane.x, lane.width);
        b.y = tops[b.head] + 5;
        b.height = tops[b.last + 1] - b.y;
    }
    picture.height = tops.last().copied().unwrap_or(0) + MARGIN;
}

/// Where along a row's side the first, second, … arrow leaves or enters.
const PORTS: [i32; 5] = [0, 6, -6, 10, -10];

fn route(picture: &mut Picture, tops: &[i32], ends_of: &[Option<(End, End)>], arrows: &[Arrow]) {
    let mut tracks = vec![0; picture.lanes.len()];
    let mut ports: Vec<(usize, usize, bool)> = Vec::new();
    let mut port = |lane: usize, place: usize, right: bool| {
        let taken = ports.iter().filter(|&&p| p == (lane, place, right)).count();
        ports.push((lane, place, right));
        tops[place] + ROW / 2 + PORTS[taken % PORTS.len()]
    };
    for (index, ends) in ends_of.iter().enumerate() {
        let Some(ends) = *ends else { continue };
        let (from, End::At(to, to_place)) = ends else { continue };
        let gutter = turns(ends);
        let lane = |lane: usize| &picture.lanes[lane];
        let right = |at: usize| lane(at).x + lane(at).width;
        let first = right(gutter) + 16 + widest(ends_of, arrows, gutter) / 2;
        let x = first + tracks[gutter] * track(ends_of, arrows, gutter);
        tracks[gutter] += 1;
        let mut points = Vec::new();
        // It enters from the gutter's side: the right of a lane at the gutter's left, the left of others.
        let enters_right = to <= gutter;
        match from {
            End::Start => {
                let y = picture.start.as_ref().map_or(tops[0], |start| start.y + 28);
                points.push((x, y));
            }
            End::At(from, place) => {
                let leaves_right = from <= gutter;
                let y = port(from, place, leaves_right);
                points.push((if leaves_right { right(from) } else { lane(from).x }, y));
                points.push((x, y));
            }
        }
        let y = port(to, to_place, enters_right);
        let target = if enters_right { right(to) } else { lane(to).x };
        let crosses = if enters_right { to < gutter } else { to > gutter + 1 };
        if crosses {
            // Between two rows, up to the gutter beside the target.
            let between = tops[to_place] + 2;
            let beside = if enters_right { target + 12 } else { target - 12 };
            points.extend([(x, between), (beside, between), (beside, y)]);
        } else {
            points.push((x, y));
        }
        points.push((target, y));
        let turn = points.iter().rev().find(|p| p.0 == x).map_or(y, |p| p.1);
        let (first, label) = (points[0].1, width(&arrows[index].label) + 12);
        picture.routes.push(Route {
            arrow: index,
            points,
            label: (x, (first + turn) / 2),
            width: label,
        });
    }
    labels(picture);
}

/// Moves labels along their tracks, to where they cover no other and no line that passes.
fn labels(picture: &mut Picture) {
    let pairs = |route: &Route| route.points.windows(2).map(|w| (w[0], w[1])).collect::<Vec<_>>();
    let lines: Vec<_> = picture.routes.iter().map(pairs).collect();
    let mut placed: Vec<(i32, i32, i32)> = Vec::new();
    for (index, route) in picture.routes.iter_mut().enumerate() {
        let ((x, y), wide) = (route.label, route.width);
        let covers = |y: i32| {
            placed.iter().any(|&(other_x, other_y, other)| {
                (other_x - x).abs() < (other + wide) / 2 && (other_y - y).abs() < LABEL + 2
            })
        };
        let passes = |y: i32| {
            let others = lines.iter().enumerate().filter(|(other, _)| *other != index);
            others.flat_map(|(_, lines)| lines).any(|&(a, b)| {
                let beside = a.0.max(b.0) < x - wide / 2 || a.0.min(b.0) > x + wide / 2;
                !beside && a.1.max(b.1) > y - LABEL / 2 - 3 && a.1.min(b.1) < y + LABEL / 2 + 3
            })
        };
        let heights = route.points.iter().filter(|p| p.0 == x).map(|p| p.1);
        let (top, bottom) = (heights.clone().min().unwrap_or(y), heights.max().unwrap_or(y));
        let near = (0..200).flat_map(|n| [y + n * 3, y - n * 3]).filter(|&y| y > MARGIN + 20);
        let on_track = |y: &i32| (top..=bottom).contains(y);
        let clear = near.clone().filter(on_track).find(|&y| !covers(y) && !passes(y));
        let free = clear.or_else(|| near.clone().find(|&y| !covers(y))).unwrap_or(y);
        route.label.1 = free;
        placed.push((x, free, wide));
        picture.height = picture.height.max(free + LABEL + 8);
    }
}

/// What the picture leaves out.
fn note(picture: &Picture, &Drawn { hidden, txns, .. }: &Drawn) -> String {
    let mut drawn: Vec<TxnId> = picture.boxes.iter().map(|b| b.txn).collect();
    drawn.sort_unstable();
    drawn.dedup();
    let others = txns.saturating_sub(drawn.len());
    let mut left_out = Vec::new();
    if hidden > 0 {
        left_out.push(format!("{} of these transactions", count(hidden, "line")));
    }
    if others > 0 {
        left_out.push(count(others, "other transaction"));
    }
    match left_out[..] {
        [] => String::new(),
        _ => format!("Not drawn: {}.", left_out.join(", ")),
    }
}

/// "1 line", "2 lines", "12,000 lines".
pub(crate) fn count(number: usize, what: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let plural = if number == 1 { "" } else { "s" };
    format!("{text} {what}{plural}")
}
