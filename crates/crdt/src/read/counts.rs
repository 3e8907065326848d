//! How much of whom was observed: `{"B": 2, "C": 5}`.
//!
//! With `sees`, every operation of a large file has such an object. It means what a piece of JSON would mean: members
//! by name, of two with one name the last. Nearly always it has replicas by the names they print, with a number each,
//! and then no piece of JSON is made.

use hashbrown::HashMap;
use hobgoblin_core::Key;
use hobgoblin_core::json::{JsonError, Reader};

use super::error::{CrdtReadError, wrong};
use crate::builder::CrdtHistoryBuilder;

/// Replicas by name, and what was read last.
#[derive(Debug, Default)]
pub(super) struct Counts {
    names: Vec<Box<str>>,
    by_name: HashMap<Box<str>, u32>,
    found: Vec<(u32, u64)>,
}

impl Counts {
    /// Names the next replica. Whether no other prints like it.
    pub(super) fn name(&mut self, name: &Key) -> bool {
        let name: Box<str> = name.to_string().into();
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.by_name.insert(name, number).is_none()
    }

    /// The name of a replica as it prints.
    pub(super) fn name_of(&self, replica: u32) -> &str {
        &self.names[replica as usize]
    }

    /// Replicas and how much of each, by name; what the member is called that has them, and its value is next.
    pub(super) fn read(
        &mut self,
        reader: &mut Reader<'_>,
        member: &str,
        builder: &CrdtHistoryBuilder,
    ) -> Result<&[(u32, u64)], CrdtReadError> {
        let _ = reader.peek();
        let at = reader.at;
        if !self.quickly(reader)? {
            reader.at = at;
            self.carefully(reader, member, builder)?;
        }
        Ok(&self.found)
    }

    /// Reads what has no more than numbers by names as they print; false if there is something else.
    fn quickly(&mut self, reader: &mut Reader<'_>) -> Result<bool, JsonError> {
        let Counts { names, by_name, found } = self;
        found.clear();
        if reader.peek() != Some(b'{') {
            return Ok(false);
        }
        let mut plain = true;
        reader.members(|reader, name| {
            if !matches!(reader.peek(), Some(b'0'..=b'9')) {
                plain = false;
                return reader.skip();
            }
            let count = reader.number()?.as_i64().and_then(|n| u64::try_from(n).ok());
            match by_name.get(name).zip(count) {
                Some((&number, count)) => found.push((number, count)),
                None => plain = false,
            }
            Ok(())
        })?;
        let name = |&(number, _): &(u32, u64)| &*names[number as usize];
        if !found.is_sorted_by(|a, b| name(a) < name(b)) {
            found.reverse();
            found.sort_by(|a, b| name(a).cmp(name(b)));
            found.dedup_by_key(|(number, _)| *number);
        }
        Ok(plain)
    }

    /// Reads everything that can be understood, such as `"01"` for the replica 1, and says what cannot.
    fn carefully(
        &mut self,
        reader: &mut Reader<'_>,
        member: &str,
        builder: &CrdtHistoryBuilder,
    ) -> Result<(), CrdtReadError> {
        let help = "write how many operations of each other replica it had observed: `{\"B\": 2}`";
        let json = reader.json()?;
        let Some(members) = json.members() else {
            return Err(wrong(0, format!("`{member}` is no object"), help));
        };
        self.found.clear();
        for (name, count) in members {
            let by_text = self.by_name.get(name).copied();
            let by_number = || builder.find_replica(&Key::Int(name.parse().ok()?));
            let Some(number) = by_text.or_else(by_number) else {
                let message = format!("`{member}` names `{name}`, which is no replica");
                return Err(wrong(0, message, help));
            };
            let Some(count) = count.as_i64().and_then(|n| u64::try_from(n).ok()) else {
                let message = format!("`{member}` of `{name}` is {count}, no number of operations");
                return Err(wrong(0, message, help));
            };
            self.found.push((number, count));
        }
        Ok(())
    }
}
