//! Users publish, follow each other and read.
//!
//! One session publishes two tweets of user 1, a second follows user 1 as user 2 and reads its newsfeed,
//! a third reads the timeline of user 1. If the timeline was read first, the newsfeed must not have
//! fewer tweets.

use std::cell::Cell;

use hobgoblin::{Key, Value};

use crate::schedule::{Schedule, turn};
use crate::session::{Session, Stop, list_value};
use crate::{App, Seen};

/// Twitter and its assertion.
pub const APP: App =
    App { name: "tweets", claim: "tweets are missing in a newsfeed", sessions: 3, initial, run };

fn initial() -> Vec<(Key, Value)> {
    let mut data = vec![(Key::from("users"), list_value(&[1, 2, 3]))];
    for user in 1..=3 {
        data.push((Key::from(of(user, "name").as_str()), Value::Int(user)));
        for what in ["following", "followers", "tweets"] {
            data.push((Key::from(of(user, what).as_str()), list_value(&[])));
        }
    }
    data
}

fn of(user: i64, what: &str) -> String {
    format!("user:{user}:{what}")
}

fn publish(session: &Session, user: i64, tweet: i64) -> Result<(), Stop> {
    session.operation("publish", |session| {
        let mut tweets = session.get_list(&of(user, "tweets"))?;
        tweets.push(tweet);
        session.put_list(&of(user, "tweets"), &tweets)?;
        session.put(&format!("tweet:{tweet}"), tweet)
    })
}

/// The followers are put under the follower's own key, as the paper's application does.
fn follow(session: &Session, user: i64, whom: i64) -> Result<(), Stop> {
    session.operation("follow", |session| {
        let mut following = session.get_list(&of(user, "following"))?;
        if following.contains(&whom) {
            return Ok(());
        }
        following.push(whom);
        session.put_list(&of(user, "following"), &following)?;
        let mut followers = session.get_list(&of(whom, "followers"))?;
        followers.push(user);
        session.put_list(&of(user, "followers"), &followers)
    })
}

/// The tweets of a user, as far as they are found.
fn tweets(session: &Session, user: i64) -> Result<usize, Stop> {
    let mut found = 0;
    for tweet in session.get_list(&of(user, "tweets"))? {
        found += usize::from(session.get(&format!("tweet:{tweet}"))? != Value::Null);
    }
    Ok(found)
}

fn newsfeed(session: &Session, user: i64) -> Result<usize, Stop> {
    session.operation("newsfeed", |session| {
        let mut found = 0;
        for whom in session.get_list(&of(user, "following"))? {
            found += tweets(session, whom)?;
        }
        Ok(found)
    })
}

fn run(sessions: &[Session], schedule: &mut Schedule) -> Result<Seen, Stop> {
    // How many tweets the timeline had, once it was read, and then the newsfeed.
    let timeline = Cell::new(0);
    let compared = Cell::new(None);
    let author = async |session: &Session| {
        for tweet in [1, 2] {
            turn().await;
            publish(session, 1, tweet)?;
        }
        Ok(())
    };
    let follower = async |session: &Session| {
        turn().await;
        follow(session, 2, 1)?;
        turn().await;
        let feed = newsfeed(session, 2)?;
        compared.set(Some((timeline.get(), feed)));
        Ok(())
    };
    let reader = async |session: &Session| {
        turn().await;
        timeline.set(session.operation("timeline", |session| tweets(session, 1))?);
        Ok(())
    };
    schedule.run(vec![
        Box::pin(author(&sessions[0])),
        Box::pin(follower(&sessions[1])),
        Box::pin(reader(&sessions[2])),
    ])?;
    let (before, feed) = compared.get().unwrap_or_default();
    let told = format!("a timeline of {before} tweets, then a newsfeed of {feed}");
    Ok(Seen { told, violated: feed < before })
}
