//! UpdatePage: an edit, with all the records of it.

use super::visits::{self, TIME, Visit};
use crate::connection::Connection;
use crate::error::Error;
use crate::value::Value;

const INSERT_TEXT: &str = "INSERT INTO text (old_page, old_text, old_flags) VALUES ($1, $2, 'utf-8') \
    RETURNING old_id";
const INSERT_REVISION: &str = "INSERT INTO revision (rev_page, rev_text_id, rev_comment, rev_minor_edit, \
    rev_user, rev_user_text, rev_timestamp, rev_deleted, rev_len, rev_parent_id) \
    VALUES ($1, $2, $3, 0, $4, $5, $6, 0, $7, $8) RETURNING rev_id";
const UPDATE_PAGE: &str = "UPDATE page SET page_latest = $1, page_touched = $2, page_is_new = 0, \
    page_is_redirect = 0, page_len = $3 WHERE page_id = $4";
const INSERT_CHANGE: &str = "INSERT INTO recentchanges (rc_timestamp, rc_cur_time, rc_namespace, \
    rc_title, rc_type, rc_minor, rc_cur_id, rc_user, rc_user_text, rc_comment, rc_this_oldid, \
    rc_last_oldid, rc_bot, rc_moved_to_ns, rc_moved_to_title, rc_ip, rc_old_len, rc_new_len) \
    VALUES ($1, $1, 0, $2, 0, 0, $3, $4, $5, $6, $7, $8, 0, 0, '', '127.0.0.1', $9, $10)";
const WATCHERS: &str = "SELECT wl_user FROM watchlist WHERE wl_title = $1 AND wl_namespace = 0 \
    AND wl_user != $2 AND wl_notificationtimestamp IS NULL";
const NOTIFY: &str = "UPDATE watchlist SET wl_notificationtimestamp = $1 \
    WHERE wl_title = $2 AND wl_namespace = 0 AND wl_user = $3";
const WATCHER: &str = "SELECT * FROM useracct WHERE user_id = $1";
const INSERT_LOG: &str = "INSERT INTO logging (log_type, log_action, log_timestamp, log_user, \
    log_user_text, log_namespace, log_title, log_page, log_comment, log_params) \
    VALUES ('patrol', 'patrol', $1, $2, $3, 0, $4, $5, $6, '')";
const UPDATE_COUNT: &str =
    "UPDATE useracct SET user_editcount = user_editcount + 1 WHERE user_id = $1";
const UPDATE_TOUCHED: &str = "UPDATE useracct SET user_touched = $1 WHERE user_id = $2";

/// What the new revision is.
struct Edit {
    visit: Visit,
    name: Value,
    text: String,
    parent: i64,
    length: i64,
}

pub(super) async fn run(db: &mut Connection, visit: Visit) -> Result<(), Error> {
    let Some(page) = visits::article(db, visit, true).await? else {
        return Err(Error::RolledBack("the page has no text"));
    };
    let edit = Edit {
        visit,
        name: format!("user{}", visit.user).into(),
        text: format!("{} and more", page.text.get(..40).unwrap_or(&page.text)),
        parent: page.revision,
        length: page.text.len() as i64,
    };
    let retries = std::mem::replace(&mut db.retries, 1_000);
    let done = in_parts(db, &edit).await;
    db.retries = retries;
    done
}

async fn in_parts(db: &mut Connection, edit: &Edit) -> Result<(), Error> {
    let watchers = db
        .transaction(async |db| {
            revise(db, edit).await?;
            let watchers = watchers(db, edit).await?;
            if watchers.is_empty() {
                record(db, edit).await?;
            }
            Ok(watchers)
        })
        .await?;
    if watchers.is_empty() {
        return Ok(());
    }
    db.transaction(async |db| {
        for user in &watchers {
            db.query(NOTIFY, &[TIME.into(), edit.visit.title(), user.clone()]).await?;
        }
        Ok(())
    })
    .await?;
    db.transaction(async |db| {
        for user in &watchers {
            db.query(WATCHER, std::slice::from_ref(user)).await?;
        }
        record(db, edit).await
    })
    .await
}

/// Writes the text, the revision, the page and the recent change.
async fn revise(db: &mut Connection, edit: &Edit) -> Result<(), Error> {
    let (user, page) = (Value::Int(edit.visit.user), Value::Int(edit.visit.page));
    let length = Value::Int(edit.text.len() as i64);
    let inserted = db.query(INSERT_TEXT, &[page.clone(), edit.text.as_str().into()]).await?;
    let text = inserted.first("no text id")?.int(0)?;
    let revision = [
        page.clone(),
        text.into(),
        "edited".into(),
        user.clone(),
        edit.name.clone(),
        TIME.into(),
        length.clone(),
        edit.parent.into(),
    ];
    let revision = db.query(INSERT_REVISION, &revision).await?.first("no revision id")?.int(0)?;
    let latest = [revision.into(), TIME.into(), length.clone(), page.clone()];
    if db.query(UPDATE_PAGE, &latest).await?.affected != 1 {
        return Err(Error::RolledBack("the page is gone"));
    }
    let change = [
        TIME.into(),
        edit.visit.title(),
        page,
        user,
        edit.name.clone(),
        "edited".into(),
        text.into(),
        edit.parent.into(),
        edit.length.into(),
        length,
    ];
    db.query(INSERT_CHANGE, &change).await?;
    Ok(())
}

async fn watchers(db: &mut Connection, edit: &Edit) -> Result<Vec<Value>, Error> {
    let found = db.query(WATCHERS, &[edit.visit.title(), edit.visit.user.into()]).await?;
    found.rows.iter().map(|row| row.int(0).map(Value::Int)).collect()
}

/// Writes the log and counts the edit.
async fn record(db: &mut Connection, edit: &Edit) -> Result<(), Error> {
    let (user, page) = (Value::Int(edit.visit.user), Value::Int(edit.visit.page));
    let log =
        [TIME.into(), user.clone(), edit.name.clone(), edit.visit.title(), page, "edited".into()];
    db.query(INSERT_LOG, &log).await?;
    db.query(UPDATE_COUNT, std::slice::from_ref(&user)).await?;
    db.query(UPDATE_TOUCHED, &[TIME.into(), user]).await?;
    Ok(())
}
