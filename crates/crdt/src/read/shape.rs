//! The shape of a text: which replicas and operations it has, and where the members of each stand.
//!
//! Members of an object may stand in any order, so an operation is gone through whole before it is understood. A
//! large file is mostly results of reads; what is kept of an operation here is eight bytes for each of its members.
//!
//! ```text
//!     {"f": "read", "args": [], "ret": ["a", "b"]}      marks: operation, f, args, ret
//!     ^     ^               ^          ^
//! ```
//!
//! All that is no JSON is found here, and so are objects and arrays that are something else.

use hobgoblin_core::json::{Json, JsonError, Reader};
use hobgoblin_core::nearest;

use super::error::{CrdtReadError, wrong};

/// What the text says, before its operations are understood.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) data_type: Option<(usize, Json)>,
    pub(super) options: Option<(usize, Json)>,
    pub(super) initial: Option<(usize, Json)>,
    pub(super) replicas: Option<Vec<ReplicaDraft>>,
}

/// A replica, and where its operations stand.
#[derive(Debug)]
pub(super) struct ReplicaDraft {
    pub(super) at: usize,
    pub(super) id: Option<Json>,
    marks: Vec<Mark>,
}

/// A member of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Call,
    Args,
    Ret,
    Sees,
    SeesMin,
    SeesMax,
    Final,
    Status,
    Noop,
    Timestamp,
    Sync,
}

impl Member {
    const ALL: [Member; 11] = [
        Member::Call,
        Member::Args,
        Member::Ret,
        Member::Sees,
        Member::SeesMin,
        Member::SeesMax,
        Member::Final,
        Member::Status,
        Member::Noop,
        Member::Timestamp,
        Member::Sync,
    ];

    fn named(name: &str) -> Option<Member> {
        Some(match name {
            "f" => Member::Call,
            "args" => Member::Args,
            "ret" => Member::Ret,
            "sees" => Member::Sees,
            "sees_min" => Member::SeesMin,
            "sees_max" => Member::SeesMax,
            "final" => Member::Final,
            "status" => Member::Status,
            "noop" => Member::Noop,
            "ts" => Member::Timestamp,
            "sync" => Member::Sync,
            _ => return None,
        })
    }
}

/// Where an operation or the value of one of its members begins, and in the lowest four bits which.
#[derive(Clone, Copy, Debug)]
struct Mark(u64);

impl Mark {
    fn new(member: Option<Member>, at: usize) -> Mark {
        Mark((at as u64) << 4 | member.map_or(0, |member| member as u64 + 1))
    }

    /// None is the operation itself.
    fn member(self) -> Option<Member> {
        Some(Member::ALL[(self.0 as usize & 15).checked_sub(1)?])
    }

    fn at(self) -> usize {
        (self.0 >> 4) as usize
    }
}

/// Where an operation and its members stand.
#[derive(Debug)]
pub(super) struct Members {
    /// Where the operation does.
    pub(super) at: usize,
    places: [Option<usize>; Member::ALL.len()],
}

impl Members {
    /// Where the value of a member begins; of two with one name, that of the last.
    pub(super) fn place(&self, member: Member) -> Option<usize> {
        self.places[member as usize]
    }

    /// Whether there is another one than this.
    pub(super) fn any_but(&self, member: Member) -> bool {
        Member::ALL.iter().any(|&other| other != member && self.place(other).is_some())
    }
}

impl ReplicaDraft {
    /// The operations of the replica.
    pub(super) fn operations(&self) -> impl Iterator<Item = Members> {
        self.marks.chunk_by(|_, next| next.member().is_some()).map(|marks| {
            let mut members = Members { at: marks[0].at(), places: [None; Member::ALL.len()] };
            for mark in marks {
                if let Some(member) = mark.member() {
                    members.places[member as usize] = Some(mark.at());
                }
            }
            members
        })
    }
}

/// What a history consists of.
pub(super) const TOP: &str =
    "a history has `type`, `replicas`, and may have `format`, `options` and `init`";

/// What an operation consists of.
pub(super) const OP: &str = "an operation has `f`, `args` and may have `ret`, `sees`, `sees_min`, `sees_max`, \
     `final`, `status`, `noop` and `ts`; or it is `{\"sync\": {\"from\": …}}`";

/// How a replica is written.
const REPLICA: &str = "write `{\"id\": \"A\", \"ops\": [...]}`";

/// What went well unless something has another shape; the text is no JSON otherwise.
type Shaped<T> = Result<Result<T, CrdtReadError>, JsonError>;

impl Draft {
    pub(super) fn read(text: &[u8]) -> Result<Draft, CrdtReadError> {
        let mut reader = Reader::new(text);
        let mut draft = Draft::default();
        if reader.peek() != Some(b'{') {
            return Err(wrong(reader.at, "expected an object", TOP));
        }
        members(&mut reader, |reader, name, at| draft.member(reader, name, at))??;
        if reader.peek().is_some() {
            return Err(wrong(
                reader.at,
                "something follows the object",
                "write one history a line",
            ));
        }
        Ok(draft)
    }

    fn member(&mut self, reader: &mut Reader<'_>, name: &str, at: usize) -> Shaped<()> {
        match name {
            "format" => {
                let format = reader.json()?;
                if format.as_str() != Some("crdt-history/1") {
                    let message = format!("{format} is no format of such histories");
                    let help = "write `\"format\": \"crdt-history/1\"`, or leave it out";
                    return Ok(Err(wrong(at, message, help)));
                }
            }
            "type" => self.data_type = Some((at, reader.json()?)),
            "options" => self.options = Some((at, reader.json()?)),
            "init" => self.initial = Some((at, reader.json()?)),
            "replicas" => {
                let help = "write one object for each replica";
                let mut found = Vec::new();
                let read = items(reader, ("`replicas` is no array", help), |reader| {
                    Ok(replica(reader)?.map(|replica| found.push(replica)))
                })?;
                if read.is_err() {
                    return Ok(read);
                }
                self.replicas = Some(found);
            }
            // What else is there may be notes of who recorded it.
            _ => reader.skip()?,
        }
        Ok(Ok(()))
    }
}

/// Goes through the members of an object, up to the first that is wrong; the rest is JSON all the same.
fn members(
    reader: &mut Reader<'_>,
    mut member: impl FnMut(&mut Reader<'_>, &str, usize) -> Shaped<()>,
) -> Shaped<()> {
    let mut result = Ok(());
    reader.members(|reader, name| {
        let _ = reader.peek();
        let at = reader.at;
        if result.is_ok() {
            result = member(reader, name, at)?;
            if result.is_ok() {
                return Ok(());
            }
            // What is wrong may have been read in part.
            reader.at = at;
        }
        reader.skip()
    })?;
    Ok(result)
}

/// Goes through the items of an array, up to the first that is wrong; the rest is JSON all the same. What to say if it
/// is no array.
fn items(
    reader: &mut Reader<'_>,
    (otherwise, help): (&str, &str),
    mut item: impl FnMut(&mut Reader<'_>) -> Shaped<()>,
) -> Shaped<()> {
    if reader.peek() != Some(b'[') {
        return Ok(Err(wrong(reader.at, otherwise, help)));
    }
    let mut result = Ok(());
    reader.items(|reader| {
        if result.is_err() {
            return reader.skip();
        }
        result = item(reader)?;
        Ok(())
    })?;
    Ok(result)
}

fn replica(reader: &mut Reader<'_>) -> Shaped<ReplicaDraft> {
    let first = reader.peek();
    let at = reader.at;
    if first != Some(b'{') {
        reader.skip()?;
        return Ok(Err(wrong(at, "a replica is an object", REPLICA)));
    }
    let mut draft = ReplicaDraft { at, id: None, marks: Vec::new() };
    let read = members(reader, |reader, name, _| {
        match name {
            "id" => draft.id = Some(reader.json()?),
            "ops" => {
                return items(reader, ("`ops` is no array", REPLICA), |reader| {
                    operation(reader, &mut draft.marks)
                });
            }
            _ => reader.skip()?,
        }
        Ok(Ok(()))
    })?;
    Ok(read.map(|()| draft))
}

fn operation(reader: &mut Reader<'_>, marks: &mut Vec<Mark>) -> Shaped<()> {
    let first = reader.peek();
    let at = reader.at;
    if first != Some(b'{') {
        reader.skip()?;
        return Ok(Err(wrong(at, "an operation is an object", OP)));
    }
    marks.push(Mark::new(None, at));
    members(reader, |reader, name, at| {
        let member = Member::named(name);
        match member {
            Some(Member::Args) if reader.peek() != Some(b'[') => {
                return Ok(Err(wrong(at, "`args` is no array", OP)));
            }
            Some(_) => marks.push(Mark::new(member, at)),
            None => {
                let known = [
                    "sees", "sees_min", "sees_max", "final", "status", "noop", "args", "ret",
                    "sync",
                ];
                if let Some(near) = nearest(name, known.into_iter()) {
                    let message = format!("an operation has no `{name}`");
                    return Ok(Err(wrong(at, message, format!("did you mean `{near}`?"))));
                }
            }
        }
        reader.skip()?;
        Ok(Ok(()))
    })
}
