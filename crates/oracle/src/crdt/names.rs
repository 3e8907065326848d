//! Numbers for data, and the elements of lists by their names.

use std::collections::HashMap;

use serde_json::Value;

use super::datum::canonical;
use super::history::Element;

/// What the reader has met so far.
#[derive(Default)]
pub struct Names {
    known: HashMap<String, usize>,
    /// The canonical text of every datum.
    pub texts: Vec<String>,
    /// The elements of all lists.
    pub elements: Vec<Element>,
}

impl Names {
    /// The number of a datum, by its canonical text.
    pub fn datum(&mut self, value: &Value) -> usize {
        self.text(canonical(value))
    }

    /// The number of a canonical text.
    pub fn text(&mut self, text: String) -> usize {
        let next = self.texts.len();
        let number = *self.known.entry(text.clone()).or_insert(next);
        if number == next {
            self.texts.push(text);
        }
        number
    }

    /// A new element of a list; a second one of the same name is malformed.
    pub fn element(
        &mut self,
        list: usize,
        value: &Value,
        parent: Option<usize>,
        add: Option<usize>,
    ) -> Result<usize, String> {
        if value.is_null() {
            return Err("no element is null".into());
        }
        let value = self.datum(value);
        if self.elements.iter().any(|known| (known.list, known.value) == (list, value)) {
            return Err(format!("{} is added twice", self.texts[value]));
        }
        self.elements.push(Element { list, value, parent, add });
        Ok(self.elements.len() - 1)
    }

    /// The element of this name in a list, if it is added somewhere.
    pub fn lookup(&mut self, list: usize, value: &Value) -> Option<usize> {
        let value = self.datum(value);
        self.elements.iter().position(|known| (known.list, known.value) == (list, value))
    }

    /// The list an operation names: the argument before `rest` others, or the one without a name.
    pub fn list<'a>(&mut self, args: &'a [Value], rest: usize) -> (usize, &'a [Value]) {
        if args.len() == rest {
            (self.text(String::new()), args)
        } else {
            (self.datum(&args[0]), &args[1..])
        }
    }
}
