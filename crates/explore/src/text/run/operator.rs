//! Operators and functions.

use super::{Machine, Ran};
use crate::text::code::{At, Function};
use crate::text::syntax::Op;
use crate::text::value::Val;

impl Machine<'_, '_> {
    pub(super) fn operate(&mut self, op: Op, left: Val, right: Val, at: At) -> Ran<Val> {
        match (op, &left, &right) {
            (Op::Equal, ..) => {
                self.spend(left.size().min(right.size()), at)?;
                return Ok(Val::Bool(left == right));
            }
            (Op::Unequal, ..) => {
                self.spend(left.size().min(right.size()), at)?;
                return Ok(Val::Bool(left != right));
            }
            (Op::In, ..) => return self.contains(&right, &left, at),
            (_, Val::Int(a), Val::Int(b)) => return self.integers(op, *a, *b, at),
            _ => {}
        }
        self.spend(left.size() + right.size(), at)?;
        let value = match (op, &left, &right) {
            (Op::Less, Val::Text(a), Val::Text(b)) => Ok(Val::Bool(a < b)),
            (Op::AtMost, Val::Text(a), Val::Text(b)) => Ok(Val::Bool(a <= b)),
            (Op::Greater, Val::Text(a), Val::Text(b)) => Ok(Val::Bool(a > b)),
            (Op::AtLeast, Val::Text(a), Val::Text(b)) => Ok(Val::Bool(a >= b)),
            (Op::Add, Val::Text(a), Val::Text(b)) => Val::text(format!("{a}{b}")),
            (Op::Add, Val::Text(a), Val::Int(b)) => Val::text(format!("{a}{b}")),
            (Op::Add, Val::Int(a), Val::Text(b)) => Val::text(format!("{a}{b}")),
            (Op::Add, Val::List(a), Val::List(b)) => {
                Val::list([&a.items[..], &b.items[..]].concat())
            }
            (Op::Add, Val::Set(a), Val::Set(b)) => Val::set([&a.items[..], &b.items[..]].concat()),
            (Op::Subtract, Val::Set(a), Val::Set(b)) => {
                let kept = |item: &&Val| b.items.binary_search(item).is_err();
                Val::set(a.items.iter().filter(kept).cloned().collect())
            }
            _ => {
                let (left, right) = (left.kind(), right.kind());
                return self.fault(at, format!("computes {left} {} {right}", op.text()));
            }
        };
        self.sized(value, at)
    }

    fn integers(&mut self, op: Op, a: i64, b: i64, at: At) -> Ran<Val> {
        let result = match op {
            Op::Less => return Ok(Val::Bool(a < b)),
            Op::AtMost => return Ok(Val::Bool(a <= b)),
            Op::Greater => return Ok(Val::Bool(a > b)),
            Op::AtLeast => return Ok(Val::Bool(a >= b)),
            Op::Add => a.checked_add(b),
            Op::Subtract => a.checked_sub(b),
            Op::Multiply => a.checked_mul(b),
            Op::Divide | Op::Remainder if b == 0 => {
                return self.fault(at, format!("divides {a} by zero"));
            }
            Op::Divide => a.checked_div(b),
            _ => a.checked_rem(b),
        };
        match result {
            Some(n) => Ok(Val::Int(n)),
            None => self.fault(at, format!("overflows: {a} {} {b}", op.text())),
        }
    }

    fn contains(&mut self, all: &Val, one: &Val, at: At) -> Ran<Val> {
        match all {
            Val::Set(many) => Ok(Val::Bool(many.items.binary_search(one).is_ok())),
            Val::List(many) => {
                self.spend(all.size(), at)?;
                Ok(Val::Bool(many.items.contains(one)))
            }
            other => self.fault(at, format!("looks for an element in {}", other.kind())),
        }
    }

    pub(super) fn index(&mut self, of: &Val, index: &Val, at: At) -> Ran<Val> {
        let (Some(items), Val::Int(n)) = (of.items(), index) else {
            let what = format!("asks {} for the element at {}", of.kind(), index.kind());
            return self.fault(at, what);
        };
        match usize::try_from(*n).ok().and_then(|n| items.get(n)) {
            Some(item) => Ok(item.clone()),
            None => self.fault(at, format!("asks for element {n} of {}", items.len())),
        }
    }

    pub(super) fn call(&mut self, function: Function, args: Vec<Val>, at: At) -> Ran<Val> {
        let mut args = args.into_iter();
        let all = args.next().unwrap_or_default();
        let one = args.next().unwrap_or_default();
        match (function, &all) {
            (Function::Text, Val::Text(_)) => return Ok(all),
            (Function::Text, _) => {
                self.spend(all.size(), at)?;
                let text = Val::text(all.to_string());
                return self.sized(text, at);
            }
            (Function::Len, Val::Text(text)) => return Ok(Val::Int(text.chars().count() as i64)),
            (Function::Contains, _) => return self.contains(&all, &one, at),
            _ => {}
        }
        let Some(items) = all.items() else {
            return self.fault(at, format!("takes {} for a list or set", all.kind()));
        };
        self.spend(all.size(), at)?;
        let same = |items: Vec<Val>| match &all {
            Val::Set(_) => Val::set(items),
            _ => Val::list(items),
        };
        match function {
            Function::Len => Ok(Val::Int(items.len() as i64)),
            Function::First => Ok(items.first().cloned().unwrap_or_default()),
            Function::Min => Ok(items.iter().min().cloned().unwrap_or_default()),
            Function::Max => Ok(items.iter().max().cloned().unwrap_or_default()),
            Function::Sum => {
                let zero = Val::Int(0);
                items.iter().try_fold(zero, |sum, item| match (&sum, item) {
                    (Val::Int(a), Val::Int(b)) => self.integers(Op::Add, *a, *b, at),
                    _ => self.fault(at, format!("sums up {}", item.kind())),
                })
            }
            Function::Append => {
                let grown = same([items, &[one]].concat());
                self.sized(grown, at)
            }
            _ => {
                let mut items = items.to_vec();
                if let Some(found) = items.iter().position(|item| *item == one) {
                    items.remove(found);
                }
                let shrunk = same(items);
                self.sized(shrunk, at)
            }
        }
    }
}
