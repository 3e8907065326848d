//! Scans: reads of all keys of a range, one after the other, until there are enough.
//!
//! What a scan has read is the part of the range it came to: keys that come up there later were read as
//! absent, and whoever writes one comes after it. A scan that goes on where one of the same statement
//! stopped makes one range with it.

use hobgoblin_core::{Key, Value};

use crate::config::Policy;
use crate::engine::{Manner, Seeing, Stop, rules};
use crate::machine::{Machine, Machinery};
use crate::open::{Open, Scanned};
use crate::range::KeyRange;

/// What is asked of a scan.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'r> {
    pub(crate) range: &'r KeyRange,
    /// Of how many keys that hold a value.
    pub(crate) limit: usize,
    pub(crate) backwards: bool,
    pub(crate) policy: Policy,
    pub(crate) manner: Manner,
}

/// How many keys are looked up at a time, at least.
const FEW: usize = 16;
/// And at most, where not all are wanted.
const MANY: usize = 4096;

impl Machine {
    pub(crate) fn scan(
        &mut self,
        session: u32,
        open: &mut Open,
        scan: &Scan<'_>,
    ) -> Result<Vec<(Key, Value)>, Stop> {
        match &mut self.kind {
            // Even where there is nothing to read, the scan has read that.
            Machinery::Spec(spec) => {
                spec.bind(&mut open.view, open.level, &mut self.sessions, &mut self.keys);
            }
            Machinery::Engine(engine) => {
                let rules = rules(self.config.profile, open.level).expect("checked at begin");
                engine.scan(session, &mut open.view, rules, scan.range, &self.keys)?;
            }
        }
        let mut left = scan.range.clone();
        let mut seen = scan.range.clone();
        let mut rows = Vec::new();
        while rows.len() < scan.limit {
            // Not many more keys at a time than there can be rows, but for deleted ones.
            let most = match scan.limit {
                limit if limit >= u32::MAX as usize => usize::MAX,
                limit => (limit - rows.len()).clamp(FEW, MANY),
            };
            let some = self.keys.first_in(&left, most, scan.backwards);
            let read = self.read_some(session, open, scan, &some, &mut rows)?;
            let Some(&last) = some.get(read.wrapping_sub(1)) else { break };
            let last = self.keys.get(last).name.clone();
            if rows.len() == scan.limit {
                seen = seen.as_far_as(last, scan.backwards);
                break;
            }
            if some.len() < most {
                break;
            }
            left = left.beyond(last, scan.backwards);
        }
        if let Machinery::Engine(engine) = &mut self.kind {
            engine.scanned(&mut open.view, &seen);
        }
        // A scan of the latest is no read of a snapshot, so what comes up later was not read by it.
        if !scan.manner.latest || matches!(self.kind, Machinery::Spec(_)) {
            let (step, statement) = (open.step, open.statement);
            let goes_on = |last: &Scanned| {
                last.statement == statement && statement.is_some() && last.range.joins(&seen)
            };
            match open.scans.last_mut().filter(|last| goes_on(last)) {
                Some(last) => last.range.join(&seen),
                None => open.scans.push(Scanned { range: seen, step, statement }),
            }
        }
        Ok(rows)
    }

    /// Reads keys until there are enough rows; gives how many keys that took.
    fn read_some(
        &mut self,
        session: u32,
        open: &mut Open,
        scan: &Scan<'_>,
        some: &[u32],
        rows: &mut Vec<(Key, Value)>,
    ) -> Result<usize, Stop> {
        if let Machinery::Engine(engine) = &mut self.kind
            && !scan.manner.is_locking()
        {
            let rules = rules(self.config.profile, open.level).expect("checked at begin");
            if let Some(seeing) = engine.seeing(session, &mut open.view, rules) {
                return self.see_some(open, scan, seeing, some, rows);
            }
        }
        for (at, &key) in some.iter().enumerate() {
            if !open.uses(key) {
                self.keys.get_mut(key).users += 1;
                open.keys.push(key);
            }
            let value = self.read(session, open, key, scan.policy, scan.manner)?;
            if value != Value::Null {
                rows.push((self.keys.get(key).name.clone(), value));
                if rows.len() == scan.limit {
                    return Ok(at + 1);
                }
            }
        }
        Ok(some.len())
    }

    /// The same where reads wait for nothing and choose nothing.
    fn see_some(
        &mut self,
        open: &mut Open,
        scan: &Scan<'_>,
        seeing: Seeing,
        some: &[u32],
        rows: &mut Vec<(Key, Value)>,
    ) -> Result<usize, Stop> {
        let Machinery::Engine(engine) = &mut self.kind else { return Ok(0) };
        let most = some.len().min(scan.limit - rows.len());
        rows.reserve(most);
        open.events.reserve(most);
        open.keys.extend_from_slice(some);
        for &key in some {
            self.keys.get_mut(key).users += 1;
        }
        for (at, &key) in some.iter().enumerate() {
            let value = if let Some(own) = open.own(key).cloned() {
                open.read(key, own.clone(), None, false);
                own
            } else {
                let found = engine.see(seeing, key, &self.keys)?;
                self.stats.reads += 1;
                self.stats.stale_reads += u64::from(self.keys.get(key).newest().pos != found.pos);
                open.read(key, found.value.clone(), Some(found.txn), false);
                found.value.clone()
            };
            if value != Value::Null {
                rows.push((self.keys.get(key).name.clone(), value));
                if rows.len() == scan.limit {
                    return Ok(at + 1);
                }
            }
        }
        Ok(some.len())
    }
}
