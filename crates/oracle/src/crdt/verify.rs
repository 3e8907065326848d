//! Replays a witness: the vectors, the choice of uncertain updates and the order it proposes must
//! satisfy every condition of the definition, one after the other. Nothing is searched.

use serde_json::Value;

use super::datum::canonical;
use super::history::{Act, History, Kind, Lin};
use super::read::read;
use super::world::World;

/// What has to be invented to explain a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Witness {
    /// By replica, operation and other replica: the length of the observed prefix. An operation's
    /// entry for its own replica is its own index.
    pub sees: Vec<Vec<Vec<usize>>>,
    /// The `info` updates that took place, as replica and index.
    pub exists: Vec<(usize, usize)>,
    /// For `lww` and `rga`: the updates that took place in their total order. With `per-key` only
    /// the order within a key or list counts; with `ts` it is not looked at. For `rga` the removes
    /// may be left out.
    pub lin: Vec<(usize, usize)>,
    /// For `list`: the elements of each list in order. The list without a name is `None`.
    pub order: Vec<(Option<Value>, Vec<Value>)>,
}

/// Whether the witness explains the history; the error says what it does not explain.
pub fn verify(json: &str, witness: &Witness) -> Result<(), String> {
    let history = read(json)?;
    let sees = vectors(&history, witness)?;
    let mut exists: Vec<bool> = history.ops.iter().map(|op| !op.perhaps).collect();
    for &place in &witness.exists {
        let op = find(&history, place)?;
        if !history.ops[op].perhaps {
            return Err(format!("{place:?} is no update of unknown outcome"));
        }
        exists[op] = true;
    }
    let known = vec![true; history.ops.len()];
    let world = World { history: &history, sees: &sees, known: &known, exists: &exists };
    delivery(world)?;
    let rank = match (history.kind, history.lin) {
        (Kind::Lww, Lin::Timestamps) => Vec::new(),
        (Kind::Lww | Kind::Rga, _) => ranks_of_updates(world, &witness.lin)?,
        (Kind::List, _) => ranks_of_elements(world, &witness.order)?,
        _ => Vec::new(),
    };
    for (o, op) in history.ops.iter().enumerate() {
        if !world.alone(o) || !world.ranked(o, &rank) {
            return Err(format!(
                "operation {} of replica {} is not explained",
                op.index, op.replica
            ));
        }
    }
    Ok(())
}

fn find(history: &History, (replica, index): (usize, usize)) -> Result<usize, String> {
    let op = history.replicas.get(replica).and_then(|ops| ops.get(index));
    op.copied().ok_or_else(|| format!("there is no operation {index} of replica {replica}"))
}

/// The vectors in the order of the operations, checked for form.
fn vectors(history: &History, witness: &Witness) -> Result<Vec<Vec<usize>>, String> {
    let lengths: Vec<usize> = history.replicas.iter().map(Vec::len).collect();
    if witness.sees.iter().map(Vec::len).ne(lengths.iter().copied()) {
        return Err("not one vector an operation".into());
    }
    let sees: Vec<Vec<usize>> = witness.sees.iter().flatten().cloned().collect();
    for (op, vector) in history.ops.iter().zip(&sees) {
        if vector.len() != lengths.len() || (0..lengths.len()).any(|j| vector[j] > lengths[j]) {
            return Err("a vector with a wrong entry".into());
        }
        if vector[op.replica] != op.index {
            return Err("an operation sees just what came before it on its own replica".into());
        }
    }
    Ok(sees)
}

/// Happens-before is transitive and has no circle, and is what the history says about delivery.
fn delivery(world: World<'_>) -> Result<(), String> {
    let World { history, sees, exists, .. } = world;
    let replicas = 0..history.replicas.len();
    for (o, op) in history.ops.iter().enumerate() {
        let at = format!("operation {} of replica {}", op.index, op.replica);
        for p in (0..history.ops.len()).filter(|&p| world.observes(o, p)) {
            if replicas.clone().any(|j| sees[p][j] > sees[o][j]) {
                return Err(format!("{at} lacks something of its past's past"));
            }
        }
        if replicas.clone().any(|j| sees[o][j] < op.low[j] || sees[o][j] > op.high[j]) {
            return Err(format!("{at} saw more or less than is recorded"));
        }
        let elsewhere = |&p: &usize| exists[p] && history.ops[p].replica != op.replica;
        let mut others = history.updates.iter().copied().filter(elsewhere);
        if op.is_final && !others.all(|p| world.observes(o, p)) {
            return Err(format!("{at} is final and has not seen every update"));
        }
    }
    Ok(())
}

/// Ranks of writes (`lww`) or of elements (`rga`) from a total order of updates that contains
/// happens-before.
fn ranks_of_updates(world: World<'_>, lin: &[(usize, usize)]) -> Result<Vec<usize>, String> {
    let history = world.history;
    let order: Vec<usize> = lin.iter().map(|&p| find(history, p)).collect::<Result<_, _>>()?;
    if order.iter().any(|&op| !history.ops[op].act.is_update() || !world.exists[op]) {
        return Err("lin holds more than the updates that took place".into());
    }
    let group = |op: usize| match history.ops[op].act {
        _ if history.lin != Lin::PerKey => 0,
        Act::Write { key, .. } => key,
        Act::Insert { element } | Act::Erase { element } => history.elements[element].list,
        _ => 0,
    };
    for (n, &late) in order.iter().enumerate() {
        if order[..n].contains(&late) {
            return Err("an update comes twice in lin".into());
        }
        let mine = order[..n].iter().filter(|&&early| group(early) == group(late));
        if mine.clone().any(|&early| world.observes(early, late)) {
            return Err("lin contradicts happens-before".into());
        }
    }
    let needed = |op: usize| world.exists[op] && !matches!(history.ops[op].act, Act::Erase { .. });
    if history.updates.iter().any(|&op| needed(op) && !order.contains(&op)) {
        return Err("an update is missing in lin".into());
    }
    let position = |op: usize| order.iter().position(|&other| other == op).unwrap_or(0);
    if history.kind == Kind::Lww {
        return Ok((0..history.ops.len()).map(position).collect());
    }
    // Initial elements come first, in the order of the table.
    let initial = history.elements.iter().filter(|element| element.add.is_none()).count();
    let ranks = history.elements.iter().enumerate();
    Ok(ranks.map(|(e, element)| element.add.map_or(e, |op| initial + position(op))).collect())
}

/// Ranks of elements from one order a list; initial elements stay in their order.
fn ranks_of_elements(
    world: World<'_>,
    order: &[(Option<Value>, Vec<Value>)],
) -> Result<Vec<usize>, String> {
    let history = world.history;
    let mut rank = vec![None; history.elements.len()];
    for (list, values) in order {
        let list = list.as_ref().map_or(String::new(), canonical);
        for (position, value) in values.iter().enumerate() {
            let value = canonical(value);
            let named = |e: &usize| {
                let element = &history.elements[*e];
                history.data[element.list] == list && history.data[element.value] == value
            };
            let element = (0..rank.len()).find(named).ok_or("an element of no list in order")?;
            if rank[element].replace(position).is_some() {
                return Err("an element comes twice in order".into());
            }
        }
    }
    for (e, element) in history.elements.iter().enumerate() {
        if rank[e].is_none() && element.add.is_none_or(|add| world.exists[add]) {
            return Err("an element is missing in order".into());
        }
        let before = (0..e).filter(|&early| history.elements[early].list == element.list);
        if element.add.is_none() && before.clone().any(|early| rank[early] > rank[e]) {
            return Err("initial elements are out of order".into());
        }
    }
    Ok(rank.into_iter().map(|rank| rank.unwrap_or(0)).collect())
}
