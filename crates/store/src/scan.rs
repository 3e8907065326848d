//! Scans: reads of all keys of a range, one after the other, until there are enough.
//!
//! What a scan has read is the part of the range it came to: keys that come up there later were read as
//! absent, and whoever writes one comes after it. A scan that goes on where one of the same statement
//! stopped makes one range with it.

use hobgoblin_core::{Key, SessionId, Value};

use crate::ids::KeyNo;
use crate::machine::Machine;
use crate::open::{Open, Scanned};
use crate::stop::Stop;
use crate::truth::{Scan, Seeing};

/// How many keys are looked up at a time, at least.
const FEW: usize = 16;
/// And at most, where not all are wanted.
const MANY: usize = 4096;

impl Machine {
    pub(crate) fn scan(
        &mut self,
        session: SessionId,
        open: &mut Open,
        scan: &Scan<'_>,
    ) -> Result<Vec<(Key, Value)>, Stop> {
        let seeing = self.truth.scan(session, scan, &mut self.keys)?;
        let mut rows = Vec::new();
        let last = match seeing {
            Some(seeing) => self.see_range(session, open, scan, seeing, &mut rows)?,
            None => self.read_range(session, open, scan, &mut rows)?,
        };
        let mut seen = scan.range.clone();
        if let Some(last) = last {
            seen = seen.as_far_as(self.keys.get(last).name.clone(), scan.backwards);
        }
        if self.truth.scanned(session, scan, &seen) {
            let (at, statement) = (open.at, open.statement);
            let goes_on = |last: &Scanned| {
                last.statement == statement && statement.is_some() && last.range.joins(&seen)
            };
            match open.scans.last_mut().filter(|last| goes_on(last)) {
                Some(last) => last.range.join(&seen),
                None => open.scans.push(Scanned { range: seen, at, statement }),
            }
        }
        Ok(rows)
    }

    /// Reads keys until there are enough rows; gives the last key if there are.
    fn read_range(
        &mut self,
        session: SessionId,
        open: &mut Open,
        scan: &Scan<'_>,
        rows: &mut Vec<(Key, Value)>,
    ) -> Result<Option<KeyNo>, Stop> {
        let mut left = scan.range.clone();
        while rows.len() < scan.limit {
            // Not many more keys at a time than there can be rows, but for deleted ones.
            let most = match scan.limit {
                limit if limit >= u32::MAX as usize => usize::MAX,
                limit => (limit - rows.len()).clamp(FEW, MANY),
            };
            let some = self.keys.first_in(&left, most, scan.backwards);
            for &key in &some {
                if !self.truth.come_to(session, scan, key, &self.keys)? {
                    continue;
                }
                if !self.uses(session, open, key) {
                    self.retain(open, key);
                }
                let value = self.read(session, open, key, scan.manner)?;
                if value != Value::Null {
                    rows.push((self.keys.get(key).name.clone(), value));
                    if rows.len() == scan.limit {
                        return Ok(Some(key));
                    }
                }
            }
            let Some(&last) = some.last().filter(|_| some.len() == most) else { break };
            left = left.beyond(self.keys.get(last).name.clone(), scan.backwards);
        }
        if scan.limit > 0 {
            self.truth.come_to_end(session, scan, &self.keys)?;
        }
        Ok(None)
    }

    /// The same where reads wait for nothing and choose nothing.
    fn see_range(
        &mut self,
        session: SessionId,
        open: &mut Open,
        scan: &Scan<'_>,
        seeing: Seeing,
        rows: &mut Vec<(Key, Value)>,
    ) -> Result<Option<KeyNo>, Stop> {
        let Machine { keys, truth, stats, .. } = self;
        if scan.limit == 0 {
            return Ok(None);
        }
        if scan.limit < MANY {
            rows.reserve(scan.limit);
        }
        // Keys that nobody has written yet, which the transaction has to hold on to.
        let mut unwritten = Vec::new();
        let mut see = |key: KeyNo| -> Result<bool, Stop> {
            let state = keys.get(key);
            if !state.is_written() {
                unwritten.push(key);
            }
            let value = if let Some(own) = open.own(key).cloned() {
                open.read((key, &state.name), &own, None, false);
                own
            } else {
                if seeing.watched {
                    truth.look(session, key, keys)?;
                }
                let found = state.split(seeing.snapshot).0;
                stats.reads += 1;
                stats.stale_reads += u64::from(state.newest().pos != found.pos);
                open.read((key, &state.name), &found.value, Some(found.txn), false);
                found.value.clone()
            };
            if value != Value::Null {
                rows.push((state.name.clone(), value));
            }
            Ok(rows.len() == scan.limit)
        };
        let mut last = Ok(None);
        let mut found = keys.between(scan.range);
        while let Some(key) = if scan.backwards { found.next_back() } else { found.next() } {
            match see(key) {
                Ok(false) => continue,
                Ok(true) => last = Ok(Some(key)),
                Err(stop) => last = Err(stop),
            }
            break;
        }
        drop(found);
        for key in unwritten {
            if keys.retain(key) {
                open.keys.push(key);
            }
        }
        last
    }
}
