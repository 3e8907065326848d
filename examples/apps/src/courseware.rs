//! Students enrol in courses with few seats, and courses are removed.
//!
//! Two sessions want the only seat of course 1. The first then enrols in course 2, which the second
//! removes. Each looks at what it got: a course of one seat must not have two students, and who sees a
//! course removed must not find a student in it that the other session saw enrolled.

use std::cell::Cell;

use hobgoblin::{Key, Value};

use crate::schedule::{Schedule, turn};
use crate::session::{Session, Stop, list_value};
use crate::{App, Seen};

/// No course has more students than seats.
pub const OVERFLOW: App = App {
    name: "overflow",
    claim: "two students got the only seat",
    sessions: 2,
    initial,
    run: |sessions, schedule| {
        run(sessions, schedule, |seen| seen.first_of_one && seen.second_of_one)
    },
};

/// Nobody is enrolled in a removed course.
pub const REMOVED: App = App {
    name: "removed",
    claim: "a student is enrolled in a course after it was removed",
    sessions: 2,
    initial,
    run: |sessions, schedule| {
        run(sessions, schedule, |seen| {
            let found = seen.left_in_two == 1;
            found && seen.first_of_any == if seen.first_of_one { 2 } else { 1 }
        })
    },
};

/// What the two sessions saw.
#[derive(Clone, Copy, Debug, Default)]
struct Results {
    /// The first session saw itself in course 1.
    first_of_one: bool,
    /// How many courses the first session saw itself in at the end.
    first_of_any: usize,
    /// The second session saw itself in course 1.
    second_of_one: bool,
    /// How often the second session saw the first in course 2 after it removed the course.
    left_in_two: usize,
}

const CLOSED: i64 = 0;
const OPEN: i64 = 1;

fn initial() -> Vec<(Key, Value)> {
    let key = |name: String| Key::from(name.as_str());
    let mut data = vec![
        (Key::from("students"), list_value(&[1, 2, 3])),
        (Key::from("courses"), list_value(&[1, 2, 3])),
    ];
    for (number, seats) in [(1, 1), (2, 2), (3, 1)] {
        data.push((key(format!("student:{number}")), Value::Bool(true)));
        data.push((key(format!("enrollment:student:{number}")), list_value(&[])));
        data.push((key(course(number)), list_value(&[OPEN, seats])));
        data.push((key(enrolled_in(number)), list_value(&[])));
    }
    data
}

fn course(number: i64) -> String {
    format!("course:{number}")
}

fn enrolled_in(number: i64) -> String {
    format!("enrollment:course:{number}")
}

fn enroll(session: &Session, student: i64, number: i64) -> Result<(), Stop> {
    session.operation("enroll", |session| {
        let registered = session.get(&format!("student:{student}"))? == Value::Bool(true);
        let (status, seats) = status(session, number)?;
        if !registered || status != OPEN {
            return Ok(());
        }
        let mut students = session.get_list(&enrolled_in(number))?;
        if students.len() as i64 >= seats {
            return close(session, number);
        }
        students.push(student);
        session.put_list(&enrolled_in(number), &students)?;
        let of_student = format!("enrollment:student:{student}");
        let mut courses = session.get_list(&of_student)?;
        courses.push(number);
        session.put_list(&of_student, &courses)
    })
}

fn status(session: &Session, number: i64) -> Result<(i64, i64), Stop> {
    match session.get_list(&course(number))?[..] {
        [status, seats] => Ok((status, seats)),
        _ => Ok((CLOSED, 0)),
    }
}

fn close(session: &Session, number: i64) -> Result<(), Stop> {
    let (_, seats) = status(session, number)?;
    session.put_list(&course(number), &[CLOSED, seats])
}

/// The students of each course.
fn enrollments(session: &Session) -> Result<Vec<(i64, Vec<i64>)>, Stop> {
    session.operation("get enrollments", |session| {
        let courses = session.get_list("courses")?;
        courses.into_iter().map(|n| Ok((n, session.get_list(&enrolled_in(n))?))).collect()
    })
}

fn delete(session: &Session, number: i64) -> Result<(), Stop> {
    session.operation("delete course", |session| {
        close(session, number)?;
        let mut courses = session.get_list("courses")?;
        courses.retain(|&course| course != number);
        session.put_list("courses", &courses)?;
        session.put_list(&enrolled_in(number), &[])
    })
}

fn run(
    sessions: &[Session],
    schedule: &mut Schedule,
    violated: impl Fn(&Results) -> bool,
) -> Result<Seen, Stop> {
    let results = Cell::new(Results::default());
    let note = |change: &dyn Fn(&mut Results)| {
        let mut noted = results.get();
        change(&mut noted);
        results.set(noted);
    };
    let has = |all: &[(i64, Vec<i64>)], course: i64, student: i64| {
        all.iter().any(|(number, students)| *number == course && students.contains(&student))
    };
    let one = async |session: &Session| {
        turn().await;
        enroll(session, 1, 1)?;
        turn().await;
        let all = enrollments(session)?;
        note(&|results| results.first_of_one = has(&all, 1, 1));
        turn().await;
        enroll(session, 1, 2)?;
        turn().await;
        let all = enrollments(session)?;
        let with_one = all.iter().filter(|(_, students)| students.contains(&1)).count();
        note(&|results| results.first_of_any = with_one);
        Ok(())
    };
    let two = async |session: &Session| {
        turn().await;
        enroll(session, 2, 1)?;
        turn().await;
        let all = enrollments(session)?;
        note(&|results| results.second_of_one = has(&all, 1, 2));
        turn().await;
        delete(session, 2)?;
        turn().await;
        let left = session
            .operation("get enrolled students", |session| session.get_list(&enrolled_in(2)))?;
        note(&|results| results.left_in_two = left.iter().filter(|&&s| s == 1).count());
        Ok(())
    };
    schedule.run(vec![Box::pin(one(&sessions[0])), Box::pin(two(&sessions[1]))])?;
    let results = results.get();
    Ok(Seen { told: format!("{results:?}"), violated: violated(&results) })
}
