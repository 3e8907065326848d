//! A witness as a picture, for a page, a README, or a browser of its own.

use std::fmt::Write;

use hobgoblin_check::explain::Telling;
use hobgoblin_core::{History, Witness};

use crate::arrow::{Arrow, arrows};
use crate::drawn::drawn;
use crate::escape::text as escape;
use crate::layout::{LABEL, Picture, Route, SECOND, layout, width};
use crate::scene::Scene;

/// The colours of a picture that stands alone; one in a page follows the page.
const STYLE: &str = include_str!("../assets/svg.css");

/// The picture of a witness, as a file of its own.
pub fn svg(history: &History, witness: &Witness, telling: &Telling) -> String {
    Sketch::of(history, telling, arrows(history, witness)).alone()
}

/// A picture that can be drawn.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    pub(crate) headline: String,
    pub(crate) wrong: String,
    pub(crate) arrows: Vec<Arrow>,
    pub(crate) picture: Picture,
}

impl Sketch {
    /// The picture of a witness.
    pub(crate) fn of(history: &History, telling: &Telling, arrows: Vec<Arrow>) -> Sketch {
        let picture = layout(&drawn(history, telling, &arrows), &arrows);
        let (headline, wrong) = (telling.headline.clone(), telling.wrong.clone());
        Sketch { headline, wrong, arrows, picture }
    }

    /// The picture of a scene.
    pub(crate) fn staged(headline: &str, wrong: &str, scene: &Scene, arrows: Vec<Arrow>) -> Sketch {
        let picture = layout(&scene.drawn(), &arrows);
        Sketch { headline: headline.to_owned(), wrong: wrong.to_owned(), arrows, picture }
    }

    /// As a file of its own.
    pub(crate) fn alone(&self) -> String {
        draw(self, Some(STYLE))
    }

    /// As a part of a page.
    pub(crate) fn embedded(&self) -> String {
        draw(self, None)
    }
}

fn draw(sketch: &Sketch, style: Option<&str>) -> String {
    let Sketch { headline, arrows, picture, .. } = sketch;
    let Picture { width, height, .. } = picture;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hob\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">\n"
    );
    let _ = writeln!(svg, "<title>{}</title>", escape(headline));
    let _ = writeln!(svg, "<desc>{}</desc>", escape(&description(sketch)));
    if let Some(style) = style {
        let _ = writeln!(svg, "<style>\n{}</style>", style);
        let _ = writeln!(
            svg,
            "<rect class=\"hob-paper\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>"
        );
    }
    start(&mut svg, picture);
    lanes(&mut svg, picture);
    rows(&mut svg, picture);
    for route in &picture.routes {
        line(&mut svg, &arrows[route.arrow], route);
    }
    // No line crosses a label.
    for route in &picture.routes {
        label(&mut svg, &arrows[route.arrow], route);
    }
    if !picture.note.is_empty() {
        let _ = writeln!(
            svg,
            "<text class=\"hob-note\" x=\"20\" y=\"{}\">{}</text>",
            height - 14,
            escape(&picture.note)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The picture in words.
fn description(sketch: &Sketch) -> String {
    let mut said = vec![sketch.wrong.clone()];
    said.extend(
        sketch
            .arrows
            .iter()
            .filter(|a| a.decides)
            .map(|arrow| format!("{} to {}: {}.", arrow.from, arrow.to, arrow.label)),
    );
    said.join(" ")
}

fn start(svg: &mut String, picture: &Picture) {
    let Some(start) = &picture.start else { return };
    let (y, text) = (start.y, escape(&start.text));
    let wide = picture.width - 40;
    let _ = writeln!(
        svg,
        "<rect class=\"hob-start\" x=\"20\" y=\"{y}\" width=\"{wide}\" height=\"28\" rx=\"6\"/>\n\
         <text class=\"hob-quiet\" x=\"34\" y=\"{}\">{text}</text>",
        y + 18
    );
}

fn lanes(svg: &mut String, picture: &Picture) {
    for lane in &picture.lanes {
        let middle = lane.x + lane.width / 2;
        let bottom = picture.boxes.iter().map(|b| b.y + b.height).max().unwrap_or(0);
        let _ = writeln!(
            svg,
            "<line class=\"hob-lane\" x1=\"{middle}\" y1=\"44\" x2=\"{middle}\" y2=\"{bottom}\"/>\n\
             <text class=\"hob-session\" x=\"{middle}\" y=\"34\">{}</text>",
            escape(&lane.title)
        );
    }
    for b in &picture.boxes {
        let _ = writeln!(
            svg,
            "<rect class=\"hob-txn\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n\
             <text class=\"hob-name\" x=\"{}\" y=\"{}\">{}</text>",
            b.x,
            b.y,
            b.width,
            b.height,
            b.x + 12,
            b.y + 15,
            escape(&b.name)
        );
    }
}

fn rows(svg: &mut String, picture: &Picture) {
    for row in &picture.rows {
        let class = match (&row.mark, row.folded) {
            (Some(_), _) => "hob-row hob-guilty",
            (None, true) => "hob-row hob-folded",
            (None, false) => "hob-row",
        };
        let events: Vec<String> = row.events.iter().map(|e| e.to_string()).collect();
        let _ = write!(svg, "<g class=\"{class}\" data-events=\"{}\">", events.join(" "));
        let high = if row.double { 22 + SECOND } else { 22 };
        let _ = write!(
            svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{high}\" rx=\"4\"/>",
            row.x + 4,
            row.y + 3,
            row.width - 8
        );
        let (x, y) = (row.x + 12, row.y + 18);
        let _ = write!(svg, "<text x=\"{x}\" y=\"{y}\">{}</text>", escape(&row.text));
        let (mut x, y) = if row.double { (x, y + SECOND) } else { (x + width(&row.text) + 10, y) };
        if !row.came.is_empty() {
            let came = escape(&row.came);
            let _ = write!(svg, "<text class=\"hob-came\" x=\"{x}\" y=\"{y}\">{came}</text>");
            x += width(&row.came) + 10;
        }
        if let Some(why) = &row.mark {
            let why = escape(why);
            let _ = write!(svg, "<text class=\"hob-mark\" x=\"{x}\" y=\"{y}\">◄ {why}</text>");
        }
        svg.push_str("</g>\n");
    }
}

/// The group of an arrow's parts, by which a page finds them.
fn group(arrow: &Arrow, route: &Route) -> String {
    let class = if arrow.decides { "hob-edge hob-cycle" } else { "hob-edge" };
    let events: Vec<String> = arrow.events().iter().map(|e| e.to_string()).collect();
    format!(
        "<g class=\"{class}\" data-edge=\"{}\" data-events=\"{}\">",
        route.arrow,
        events.join(" ")
    )
}

fn line(svg: &mut String, arrow: &Arrow, route: &Route) {
    let _ = write!(
        svg,
        "{}<title>{} → {}: {}</title><path d=\"{}\"/>",
        group(arrow, route),
        escape(&arrow.from),
        escape(&arrow.to),
        escape(&arrow.label),
        path(&route.points)
    );
    if let [.., before, (x, y)] = route.points[..] {
        let back = if before.0 < x { x - 8 } else { x + 8 };
        let _ = write!(svg, "<polygon points=\"{x},{y} {back},{} {back},{}\"/>", y - 5, y + 5);
    }
    svg.push_str("</g>\n");
}

fn label(svg: &mut String, arrow: &Arrow, route: &Route) {
    let (middle, y) = route.label;
    let _ = writeln!(
        svg,
        "{}<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{LABEL}\" rx=\"9\"/>\
         <text x=\"{middle}\" y=\"{}\">{}</text></g>",
        group(arrow, route),
        middle - route.width / 2,
        y - LABEL / 2,
        route.width,
        y + 4,
        escape(&arrow.label)
    );
}

/// Lines with round corners.
fn path(points: &[(i32, i32)]) -> String {
    const ROUND: i32 = 8;
    let Some((first, rest)) = points.split_first() else { return String::new() };
    let mut path = format!("M{} {}", first.0, first.1);
    let mut at = *first;
    for (i, &corner) in rest.iter().enumerate() {
        let Some(&next) = rest.get(i + 1) else {
            let _ = write!(path, "L{} {}", corner.0, corner.1);
            break;
        };
        let toward = |from: (i32, i32), to: (i32, i32)| {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let by = ROUND.min((dx.abs() + dy.abs()) / 2);
            (from.0 + dx.signum() * by, from.1 + dy.signum() * by)
        };
        let (before, after) = (toward(corner, at), toward(corner, next));
        let _ = write!(
            path,
            "L{} {}Q{} {} {} {}",
            before.0, before.1, corner.0, corner.1, after.0, after.1
        );
        at = corner;
    }
    path
}
