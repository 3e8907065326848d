//! A violation in words: what each read demands, what follows for who observed whom, and what is left without an
//! explanation.

use hobgoblin_check::Limits;

use crate::data_type::{Arbitration, DataType};
use crate::decide;
use crate::history::{Call, CrdtHistory, Item, ObjectId, OpId};
use crate::index::Index;
use crate::minimal::Core;
use crate::spec;
use crate::view::View;

/// Of more reads than this, each by itself says nothing.
const MOST_READS: usize = 40;

/// How many operations are listed before the rest is a number.
const LISTED: usize = 6;

/// An operation as people write it: `contains("x") → true`.
pub fn describe(history: &CrdtHistory, op: OpId) -> String {
    let info = history.op(op);
    let flags = matches!(history.data_type(), DataType::EwFlag | DataType::DwFlag);
    let object = history.object(info.object);
    let of_list = |rest: &str| match (object.is_null(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (false, true) => object.to_string(),
        (false, false) => format!("{object}, {rest}"),
    };
    let doubt = if info.doubtful { " (nobody knows whether it took place)" } else { "" };
    let text = match &info.call {
        Call::Nothing => "…".to_owned(),
        Call::Add => format!("{}({object})", if flags { "enable" } else { "add" }),
        Call::Remove => format!("{}({object})", if flags { "disable" } else { "remove" }),
        Call::Increase(amount) if *amount < 0 => {
            format!("dec({object}, {})", amount.unsigned_abs())
        }
        Call::Increase(amount) => format!("inc({object}, {amount})"),
        Call::Write(value) => format!("write({object}, {})", history.value(*value)),
        Call::Delete => format!("delete({object})"),
        Call::Insert { anchor, element } => {
            let anchor = anchor.map_or("null".to_owned(), |anchor| element_name(history, anchor));
            format!("add_after({})", of_list(&format!("{anchor}, {}", history.value(*element))))
        }
        Call::Erase(added) => format!("remove({})", of_list(&element_name(history, *added))),
        Call::Contains(is_in) => {
            format!("{}({object}) → {is_in}", if flags { "read" } else { "contains" })
        }
        Call::Elements(elements) => {
            format!(
                "elements() → [{}]",
                joined(elements.iter().map(|&o| history.object(o).to_string()))
            )
        }
        Call::Sum(sum) => format!("read({object}) → {sum}"),
        Call::Value(value) => {
            let value = value.map_or("null".to_owned(), |value| history.value(value).to_string());
            format!("read({object}) → {value}")
        }
        Call::Values(values) => {
            format!(
                "read({object}) → {{{}}}",
                joined(values.iter().map(|&v| history.value(v).to_string()))
            )
        }
        Call::Items(items) => {
            let names = items.iter().map(|item| match *item {
                Item::Added(added) => element_name(history, added),
                Item::Never(value) => history.value(value).to_string(),
            });
            format!("read({}) → [{}]", of_list(""), joined(names))
        }
    };
    text + doubt
}

fn element_name(history: &CrdtHistory, added: OpId) -> String {
    match history.op(added).call {
        Call::Insert { element, .. } => history.value(element).to_string(),
        _ => "?".to_owned(),
    }
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// `A#1, B#2 and 4 more`.
fn listed(history: &CrdtHistory, ops: &[OpId]) -> String {
    let names = ops.iter().take(LISTED).map(|&op| history.name(op).to_string());
    let rest = ops.len().saturating_sub(LISTED);
    match rest {
        0 => joined(names),
        rest => format!("{} and {rest} more", joined(names)),
    }
}

/// Why the reads and updates of a core have no explanation.
pub(crate) fn why(core: &Core, limits: &Limits) -> Vec<String> {
    let part = &core.part;
    let mut sentences = Vec::new();
    if core.reads.len() > MOST_READS {
        let first = listed(part, &core.reads);
        return vec![format!(
            "No execution explains all of {first}, and there was no time to find out why."
        )];
    }
    for &read in &core.reads {
        sentences.push(format!(
            "{} {}{}.",
            part.name(read),
            describe(part, read),
            demand(core, read)
        ));
        sentences.extend(recorded(part, read));
    }
    for &update in &core.updates {
        let Some(known) = recorded(part, update) else { continue };
        sentences.push(known);
    }
    sentences.extend(follows(core, limits));
    sentences.push(conclusion(core));
    sentences
}

/// What a read's result says, given the updates that matter.
fn demand(core: &Core, read: OpId) -> String {
    let history = &core.part;
    let object = history.op(read).object;
    let of_kind = |kind: &dyn Fn(&Call) -> bool, object: ObjectId| -> Vec<OpId> {
        let fits = |op: &OpId| {
            let info = history.op(*op);
            info.object == object && kind(&info.call) && !core.part.op(*op).doubtful
        };
        core.updates.iter().copied().filter(fits).collect()
    };
    let is_written = |value| history.ops().any(|op| history.op(op).call == Call::Write(value));
    let (put, take) = match history.data_type() {
        DataType::EwFlag | DataType::DwFlag => ("enable", "disable"),
        _ => ("add", "remove"),
    };
    let adds_win = matches!(history.data_type(), DataType::AwSet | DataType::EwFlag);
    match &history.op(read).call {
        Call::Contains(true) if adds_win => {
            format!(": it saw an {put} that no {take} it saw had observed")
        }
        Call::Contains(false) if adds_win => {
            format!(": every {put} it saw had been observed by a {take} it saw")
        }
        Call::Contains(true) => {
            format!(": it saw an {put}, and every {take} it saw had been observed by an {put} it saw")
        }
        Call::Contains(false) => {
            format!(": it saw a {take} that no {put} it saw had observed, or no {put} at all")
        }
        Call::Elements(_) if adds_win => {
            ": of these elements, and of no others, it saw an add that no remove it saw had observed".to_owned()
        }
        Call::Elements(_) => {
            ": of these elements, and of no others, it saw an add, and an add after every remove it saw".to_owned()
        }
        Call::Sum(sum) => format!(": the amounts it saw add up to {sum}"),
        Call::Value(None) => ": it saw no write, or the last one it saw was a delete".to_owned(),
        Call::Value(Some(value)) => match of_kind(&|call| *call == Call::Write(*value), object).as_slice() {
            [] if !is_written(*value) => ": nobody wrote that".to_owned(),
            [] => ": of the writes it saw, one of that value was the last".to_owned(),
            [one] => format!(": of the writes it saw, {} was the last", history.name(*one)),
            many => format!(": of the writes it saw, the last was one of {}", listed(history, many)),
        },
        Call::Values(values) => {
            let written = |value| !of_kind(&|call| *call == Call::Write(value), object).is_empty();
            match values.iter().find(|&&value| !written(value)) {
                Some(&value) if !is_written(value) => {
                    format!(": nobody wrote {}", history.value(value))
                }
                _ => ": these are the writes it saw that no other write it saw had observed".to_owned(),
            }
        }
        Call::Items(items) => match items.iter().find_map(|item| match *item {
            Item::Never(value) => Some(value),
            Item::Added(_) => None,
        }) {
            Some(value) => format!(": nobody added {}", history.value(value)),
            None => ": it saw these elements and no remove of them, and of every other a remove or nothing".to_owned(),
        },
        _ => String::new(),
    }
}

/// What was recorded of what an operation had observed.
fn recorded(history: &CrdtHistory, op: OpId) -> Option<String> {
    let mut parts = Vec::new();
    for bound in
        history.bounds().iter().filter(|bound| bound.op == op && !history.is_initial(bound.of))
    {
        let of = history.replica_name(bound.of);
        let len = history.len_of(bound.of);
        let first = |count: u32| match count {
            1 => format!("the first operation of {of}"),
            _ => format!("the first {count} operations of {of}"),
        };
        parts.push(match (bound.least, bound.most) {
            (0, 0) => format!("nothing of {of}"),
            (least, most) if least == len && most == len => format!("all of {of}"),
            (least, most) if least == most => first(least),
            (0, most) if most < len => format!("at most {}", first(most)),
            (0, _) => continue,
            (least, most) if most == len => format!("at least {}", first(least)),
            (least, most) => format!("between {least} and {most} operations of {of}"),
        });
    }
    match parts.is_empty() {
        true => None,
        false => {
            Some(format!("{} had observed {}, as recorded.", history.name(op), parts.join(", ")))
        }
    }
}

/// What all reads but the last say about who observed whom.
fn follows(core: &Core, limits: &Limits) -> Option<String> {
    let [before @ .., last] = core.reads.as_slice() else { return None };
    if before.is_empty() {
        return None;
    }
    let part = core.part.forget_reads(|op| before.contains(&op));
    let index = Index::new(&part);
    let ops: Vec<OpId> = core.updates.iter().chain(&core.reads).copied().collect();
    let mut pairs = Vec::new();
    for &by in &ops {
        for &op in &core.updates {
            if part.op(op).replica != part.op(by).replica {
                pairs.push((op, by));
            }
        }
    }
    pairs.truncate(2_000);
    let forced = decide::forced(&part, &index, limits, &pairs).ok()?;
    let facts: Vec<String> = forced
        .iter()
        .take(LISTED)
        .map(|&(op, by)| format!("{} had observed {}", part.name(by), part.name(op)))
        .collect();
    match facts.is_empty() {
        true => None,
        false => Some(format!(
            "So {}; that leaves no explanation for {}.",
            facts.join(", "),
            part.name(*last)
        )),
    }
}

fn conclusion(core: &Core) -> String {
    let history = &core.part;
    let orders = match (history.data_type(), history.options().arbitration) {
        (DataType::Lww, Arbitration::Timestamps) => "",
        (DataType::Lww, _) => ", and no order of the writes,",
        (DataType::Rga, _) => ", and no order of the additions,",
        (DataType::List, _) => ", and no order of the elements,",
        _ => "",
    };
    match core.reads.as_slice() {
        [] => "What was recorded contradicts itself: whoever observes an operation has observed what that one had, and \
               nobody observes what comes after."
            .to_owned(),
        [one] => format!("No way in which updates may have arrived{orders} explains {}.", history.name(*one)),
        _ => format!("No way in which updates may have arrived{orders} explains these reads together."),
    }
}

/// What a read had to return, if all that it depends on was recorded.
pub(crate) fn expected(
    history: &CrdtHistory,
    index: &Index,
    observed: &[u32],
    read: OpId,
) -> Option<String> {
    let view = View { history, index, observed, absent: &[] };
    let info = history.op(read);
    let object = info.object;
    Some(match &info.call {
        Call::Contains(_) => spec::contains(view, read, object).to_string(),
        Call::Elements(_) => {
            let all = (0..history.objects().len() as u32).map(ObjectId);
            let found = all.filter(|&object| spec::contains(view, read, object));
            format!("[{}]", joined(found.map(|object| history.object(object).to_string())))
        }
        Call::Sum(_) => spec::sum(view, read, object).to_string(),
        Call::Values(_) => {
            let values = spec::values(view, read, object);
            format!("{{{}}}", joined(values.iter().map(|&value| history.value(value).to_string())))
        }
        Call::Value(_) => {
            let mut values: Vec<String> = spec::last_writes(view, read, object)
                .into_iter()
                .map(|op| match history.op(op).call {
                    Call::Write(value) => history.value(value).to_string(),
                    _ => "null".to_owned(),
                })
                .collect();
            values.sort_unstable();
            values.dedup();
            match values.len() {
                0 => "null".to_owned(),
                _ => values.join(" or "),
            }
        }
        Call::Items(_) => {
            let mut names: Vec<String> = spec::present(view, read)
                .into_iter()
                .map(|added| element_name(history, added))
                .collect();
            names.sort_unstable();
            format!("the elements {} in some order", joined(names.into_iter()))
        }
        _ => return None,
    })
}
