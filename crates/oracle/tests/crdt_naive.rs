//! The oracle of the oracle: all vectors, all choices and all orders are written down in full and
//! replayed by the verifier, without cutting anything short. Only tiny histories stand that.

use hobgoblin_oracle::crdt::Witness;
use hobgoblin_oracle::crdt::history::{Act, History, Kind, Lin};
use serde_json::Value;

/// All ways to order the items.
fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let first = |n: usize| {
        let mut rest = items.to_vec();
        let item = rest.remove(n);
        permutations(&rest).into_iter().map(move |rest| [vec![item.clone()], rest].concat())
    };
    (0..items.len()).flat_map(first).collect()
}

/// All ways to take one of each.
fn product<T: Clone>(choices: &[Vec<T>]) -> Vec<Vec<T>> {
    choices.iter().fold(vec![Vec::new()], |all, choice| {
        let longer = |some: Vec<T>| {
            choice.iter().map(move |one| [some.as_slice(), std::slice::from_ref(one)].concat())
        };
        all.into_iter().flat_map(longer).collect()
    })
}

fn vectors(history: &History) -> Vec<Vec<Vec<usize>>> {
    let lengths: Vec<usize> = history.replicas.iter().map(Vec::len).collect();
    let of = |o: &hobgoblin_oracle::crdt::history::Operation| {
        let entries: Vec<Vec<usize>> = (0..lengths.len())
            .map(|j| if j == o.replica { vec![o.index] } else { (0..=lengths[j]).collect() })
            .collect();
        product(&entries)
    };
    history.ops.iter().map(of).collect()
}

/// Orders of the updates, or of the elements of each list, as the witness wants them.
fn orders(history: &History, took_place: &dyn Fn(usize) -> bool) -> Vec<Witness> {
    let place = |o: usize| (history.ops[o].replica, history.ops[o].index);
    let ordered = |o: &usize| took_place(*o) && !matches!(history.ops[*o].act, Act::Erase { .. });
    let updates: Vec<(usize, usize)> =
        history.updates.iter().copied().filter(ordered).map(place).collect();
    match (history.kind, history.lin) {
        (Kind::Lww, Lin::Timestamps) => vec![Witness::default()],
        (Kind::Lww | Kind::Rga, _) => {
            let all = permutations(&updates).into_iter();
            all.map(|lin| Witness { lin, ..Witness::default() }).collect()
        }
        (Kind::List, _) => {
            let value = |datum: usize| serde_json::from_str::<Value>(&history.data[datum]).ok();
            let mut lists: Vec<usize> =
                history.elements.iter().map(|element| element.list).collect();
            lists.sort_unstable();
            lists.dedup();
            let mut choices = Vec::new();
            for list in lists {
                let mine = history.elements.iter().filter(|element| element.list == list);
                let mine = mine.filter(|element| element.add.is_none_or(took_place));
                let mine: Vec<Value> = mine.filter_map(|element| value(element.value)).collect();
                choices
                    .push(permutations(&mine).into_iter().map(|all| (value(list), all)).collect());
            }
            let all = product(&choices).into_iter();
            all.map(|order| Witness { order, ..Witness::default() }).collect()
        }
        _ => vec![Witness::default()],
    }
}

/// Whether some witness passes; `None` if there are too many to try.
fn admits(text: &str) -> Option<bool> {
    let history = hobgoblin_oracle::crdt::read::read(text).unwrap();
    let vectors = vectors(&history);
    let worlds: usize = vectors.iter().map(Vec::len).product();
    if worlds > 600 {
        return None;
    }
    let perhaps: Vec<usize> = (0..history.ops.len()).filter(|&o| history.ops[o].perhaps).collect();
    for choice in 0..1 << perhaps.len() {
        let chosen =
            |o: usize| perhaps.iter().position(|&p| p == o).is_none_or(|n| choice >> n & 1 == 1);
        let exists: Vec<usize> = perhaps.iter().copied().filter(|&o| chosen(o)).collect();
        let exists: Vec<(usize, usize)> =
            exists.into_iter().map(|o| (history.ops[o].replica, history.ops[o].index)).collect();
        let orders = orders(&history, &chosen);
        if worlds * orders.len() > 3000 {
            return None;
        }
        for flat in product(&vectors) {
            let of = |ops: &Vec<usize>| ops.iter().map(|&o| flat[o].clone()).collect();
            let sees: Vec<Vec<Vec<usize>>> = history.replicas.iter().map(of).collect();
            for order in &orders {
                let witness =
                    Witness { sees: sees.clone(), exists: exists.clone(), ..order.clone() };
                if hobgoblin_oracle::crdt::verify(text, &witness).is_ok() {
                    return Some(true);
                }
            }
        }
    }
    Some(false)
}

#[test]
fn the_search_loses_and_invents_nothing() {
    for (kind, _) in Kind::ALL {
        let (mut decided, mut admitted) = (0, 0);
        for seed in 0..4000 {
            let text = hobgoblin_oracle::crdt::sample(kind, seed);
            let Some(expected) = admits(&text) else { continue };
            assert_eq!(hobgoblin_oracle::crdt::admits(&text), Ok(expected), "{kind} {seed} {text}");
            decided += 1;
            admitted += u32::from(expected);
            if decided == 250 {
                break;
            }
        }
        assert!(decided == 250 && (60..220).contains(&admitted), "{kind}: {admitted} of {decided}");
    }
}
