//! A small application over SQL with a bug: two students take the last seat of a course.
//!
//! It finds its database in `DATABASE_URL`, makes its tables, lets two students enrol at once, and checks
//! that no course has more students than seats: exit code 1 if one has. Each student's transaction looks
//! before it takes a seat, which is enough at SERIALIZABLE and not at READ COMMITTED. `seats --fixed` takes
//! the seat and looks in one statement, which is always enough.

use std::process::ExitCode;

use hobgoblin_oltp::{Client, Error, Remote};

fn connect() -> Result<Remote, Error> {
    let url = std::env::var("DATABASE_URL").map_err(|_| {
        Error::Broken("set DATABASE_URL to postgresql://user@host:port/database".to_owned())
    })?;
    let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let (user, rest) = rest.split_once('@').unwrap_or(("hob", rest));
    let (address, database) = rest.split_once('/').unwrap_or((rest, user));
    Remote::connect(address, user, database)
}

/// One student tries to enrol in course 7.
fn enrol(client: &mut Remote, student: i64, fixed: bool) -> Result<(), Error> {
    client.batch("BEGIN")?;
    let taken = match fixed {
        true => {
            let sql = "UPDATE course SET seats = seats - 1 WHERE id = 7 AND seats > 0";
            client.query(sql, &[])?.affected == 1
        }
        false => {
            let seats = client.query("SELECT seats FROM course WHERE id = 7", &[])?;
            let free = seats.first("there is a course 7")?.int(0)? > 0;
            if free {
                client.batch("UPDATE course SET seats = seats - 1 WHERE id = 7")?;
            }
            free
        }
    };
    if taken {
        client.batch(&format!("INSERT INTO enrolled VALUES (7, {student})"))?;
    }
    client.batch("COMMIT")
}

fn run(fixed: bool) -> Result<i64, Error> {
    let mut client = connect()?;
    client.batch(
        "CREATE TABLE IF NOT EXISTS course (id int PRIMARY KEY, seats int NOT NULL);
         CREATE TABLE IF NOT EXISTS enrolled (course int REFERENCES course, student int);
         INSERT INTO course VALUES (7, 1)",
    )?;
    // They connect in this order, so that a replay knows who is who.
    let mut connections = [connect()?, connect()?];
    std::thread::scope(|scope| {
        let students = connections.iter_mut().zip(1..);
        let students: Vec<_> = students
            .map(|(client, student)| scope.spawn(move || enrol(client, student, fixed)))
            .collect();
        for student in students {
            match student.join() {
                // Being refused is fine: the student may try again.
                Ok(Err(error)) if !error.is_expected() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    })?;
    let count = client.query("SELECT count(*) FROM enrolled WHERE course = 7", &[])?;
    count.first("a count is one row")?.int(0)
}

fn main() -> ExitCode {
    let fixed = std::env::args().any(|arg| arg == "--fixed");
    match run(fixed) {
        Ok(1) => ExitCode::SUCCESS,
        Ok(count) => {
            eprintln!("course 7 has one seat and {count} students");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
