//! Random client programs of the four micro-applications [Biswas 2021, section 7.1]. Every operation is
//! one transaction. All sessions of a harness run the same operations, as in the paper's own harnesses.

use hobgoblin_core::{Rng, Value};
use hobgoblin_explore::{Program, Session, Stop, Transaction};

/// An application, by its name and the operation it does at a random number.
pub struct App {
    pub name: &'static str,
    initial: fn() -> Program,
    /// Adds an operation: which, the how manieth, and a number that no other operation has.
    operation: fn(Session, u32, i64, i64) -> Session,
    /// Out of how many the operation is drawn.
    choices: u32,
}

pub const APPS: [App; 4] = [
    App { name: "stack", initial: stack, operation: stack_operation, choices: 2 },
    App { name: "courseware", initial: courseware, operation: course_operation, choices: 3 },
    App { name: "cart", initial: cart, operation: cart_operation, choices: 3 },
    App { name: "twitter", initial: twitter, operation: twitter_operation, choices: 4 },
];

impl App {
    /// A random harness: 2 sessions of 2 to 4 operations, or 3 of 2. Larger ones have more states than
    /// can be listed in a minute.
    pub fn harness(&self, seed: u64) -> Program {
        let mut rng = Rng::new(seed);
        let (sessions, operations) = [(2, 2), (2, 3), (2, 4), (3, 2)][rng.below(4) as usize];
        let drawn: Vec<u32> = (0..operations).map(|_| rng.below(self.choices)).collect();
        let mut program = (self.initial)();
        for session in 0..sessions {
            program = program.session(&format!("s{session}"), |mut of| {
                for (at, &choice) in (0..).zip(&drawn) {
                    of = (self.operation)(of, choice, at, 10 * session + at + 1);
                }
                of
            });
        }
        program
    }
}

type List = Vec<i64>;

fn lists<'a>(program: Program, keys: impl Iterator<Item = &'a str>) -> Program {
    keys.fold(program, |program, key| program.init(key, Value::Json("[]".into())))
}

fn stack() -> Program {
    Program::new().init("head", 0).declare_prefix("node:")
}

fn stack_operation(session: Session, choice: u32, _: i64, fresh: i64) -> Session {
    match choice {
        0 => session.txn("push", move |t: &mut Transaction<'_>| {
            let top: i64 = t.read("head")?;
            t.write(format!("node:{fresh}").as_str(), [fresh, top])?;
            t.write("head", fresh)
        }),
        _ => session.txn("pop", |t: &mut Transaction<'_>| {
            let top: i64 = t.read("head")?;
            let node: Option<[i64; 2]> = match top {
                0 => None,
                _ => t.read(format!("node:{top}").as_str())?,
            };
            let Some([value, next]) = node else { return Ok(None) };
            t.write("head", next)?;
            Ok(Some(value))
        }),
    }
}

const COURSES: [&str; 2] = ["course:1", "course:2"];
const ENROLLED: [&str; 2] = ["enrolled:1", "enrolled:2"];

fn courseware() -> Program {
    let program =
        COURSES.iter().fold(Program::new(), |program, course| program.init(*course, true));
    lists(program, ENROLLED.into_iter())
}

fn course_operation(session: Session, choice: u32, at: i64, fresh: i64) -> Session {
    let course = at as usize % 2;
    match choice {
        0 => session.txn("enroll", move |t: &mut Transaction<'_>| {
            let mut students: List = t.read(ENROLLED[course])?;
            if t.read(COURSES[course])? && students.len() < 2 {
                students.push(fresh);
                t.write(ENROLLED[course], students)?;
            }
            Ok(())
        }),
        1 => session.txn("enrollments", move |t: &mut Transaction<'_>| {
            let open: bool = t.read(COURSES[course])?;
            Ok((open, t.read::<List>(ENROLLED[course])?))
        }),
        _ => session.txn("delete", move |t: &mut Transaction<'_>| t.write(COURSES[course], false)),
    }
}

const QUANTITY: [&str; 2] = ["quantity:0", "quantity:1"];

fn cart() -> Program {
    let program = Program::new().init(QUANTITY[0], 1).init(QUANTITY[1], 0);
    program.init("cart", Value::Json("[0]".into()))
}

fn cart_operation(session: Session, choice: u32, at: i64, _: i64) -> Session {
    let item = at % 2;
    let quantity = QUANTITY[item as usize];
    match choice {
        0 => session.txn("get", |t: &mut Transaction<'_>| {
            let mut seen = Vec::new();
            for item in t.read::<List>("cart")? {
                let quantity: i64 = t.read(QUANTITY[item as usize % 2])?;
                seen.push([item, quantity]);
            }
            Ok(seen)
        }),
        1 => session.txn("add", move |t: &mut Transaction<'_>| {
            let mut items: List = t.read("cart")?;
            if !items.contains(&item) {
                items.push(item);
                t.write("cart", items)?;
            }
            let before: i64 = t.read(quantity)?;
            t.write(quantity, before + 1)
        }),
        _ => session.txn("remove", move |t: &mut Transaction<'_>| {
            let mut items: List = t.read("cart")?;
            if items.contains(&item) {
                items.retain(|&other| other != item);
                t.write("cart", items)?;
                t.write(quantity, 0)?;
            }
            Ok(())
        }),
    }
}

const TWEETS: [&str; 2] = ["tweets:0", "tweets:1"];
const FOLLOWING: [&str; 2] = ["following:0", "following:1"];

fn twitter() -> Program {
    lists(Program::new(), TWEETS.into_iter().chain(FOLLOWING))
}

fn twitter_operation(session: Session, choice: u32, at: i64, fresh: i64) -> Session {
    let (user, other) = (at as usize % 2, (at + 1) % 2);
    let add = |key: &'static str, item: i64| {
        move |t: &mut Transaction<'_>| -> Result<(), Stop> {
            let mut items: List = t.read(key)?;
            if !items.contains(&item) {
                items.push(item);
                t.write(key, items)?;
            }
            Ok(())
        }
    };
    match choice {
        0 => session.txn("follow", add(FOLLOWING[user], other)),
        1 => session.txn("newsfeed", move |t: &mut Transaction<'_>| {
            let mut feed = Vec::new();
            for whom in t.read::<List>(FOLLOWING[user])? {
                feed.extend(t.read::<List>(TWEETS[whom as usize % 2])?);
            }
            Ok(feed)
        }),
        _ => session.txn("tweet", add(TWEETS[user], fresh)),
    }
}
