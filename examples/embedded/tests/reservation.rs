//! Tasks of tokio that book the last seat.

use hobgoblin::store::AsyncSession;
use hobgoblin::test::{self, Config};
use hobgoblin::{Error, Level, Store};

async fn book(session: &mut AsyncSession, guest: String) -> Result<bool, Error> {
    // What a closure that runs under `tokio::spawn` uses, it owns.
    session
        .transaction(async move |t| {
            let free = t.get("seat").await?.is_null();
            if free {
                t.put("seat", &guest).await?;
            }
            Ok(free)
        })
        .await
}

fn one_guest_a_seat(store: &Store) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let booked = runtime.block_on(async {
        let guests = ["ada", "bob", "cy"].map(|guest| {
            let mut session = store.async_session();
            tokio::spawn(async move { book(&mut session, guest.to_owned()).await })
        });
        let mut booked = 0;
        for guest in guests {
            booked += i32::from(guest.await.unwrap().unwrap());
        }
        booked
    });
    assert_eq!(booked, 1, "{booked} guests have the seat");
}

#[test]
fn one_guest_a_seat_at_snapshot_isolation() {
    test::check(Config::at(Level::SI).runs(100), one_guest_a_seat);
}

#[test]
fn more_at_read_committed() {
    let failure = test::run(Config::at(Level::RC).persist(false), one_guest_a_seat);
    let failure = failure.expect_err("several have the seat");
    assert!(failure.what.contains("guests have the seat"), "{failure}");
}
