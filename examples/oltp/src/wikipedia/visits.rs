//! The other transactions: reading a page, watching it, watching it no more.

use crate::connection::Connection;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::value::Value;

/// When everything happens.
pub(super) const TIME: &str = "20260101120000";

/// A user, and the page it visits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit {
    pub(super) user: i64,
    pub(super) page: i64,
}

impl Visit {
    pub(super) fn title(self) -> Value {
        format!("page{}", self.page).into()
    }
}

const PAGE: &str = "SELECT * FROM page WHERE page_namespace = 0 AND page_title = $1 LIMIT 1";
const RESTRICTIONS: &str = "SELECT * FROM page_restrictions WHERE pr_page = $1";
const BLOCKS: &str = "SELECT * FROM ipblocks WHERE ipb_address = $1";
const BLOCKS_OF_USER: &str = "SELECT * FROM ipblocks WHERE ipb_user = $1";
const USER: &str = "SELECT * FROM useracct WHERE user_id = $1 LIMIT 1";
const GROUPS: &str = "SELECT ug_group FROM user_groups WHERE ug_user = $1";
const REVISION: &str = "SELECT page_id, rev_id, rev_text_id FROM page, revision \
    WHERE page_id = rev_page AND rev_page = $1 AND page_id = $1 AND rev_id = page_latest LIMIT 1";
const TEXT: &str = "SELECT old_text, old_flags FROM text WHERE old_id = $1 LIMIT 1";
const WATCH: &str = "INSERT INTO watchlist (wl_user, wl_namespace, wl_title, wl_notificationtimestamp) \
    VALUES ($1, 0, $2, NULL) ON CONFLICT (wl_user, wl_namespace, wl_title) \
    DO UPDATE SET wl_notificationtimestamp = NULL";
const WATCH_MYSQL: &str = "INSERT INTO watchlist (wl_user, wl_namespace, wl_title, \
    wl_notificationtimestamp) VALUES ($1, 0, $2, NULL) \
    ON DUPLICATE KEY UPDATE wl_notificationtimestamp = NULL";
const UNWATCH: &str =
    "DELETE FROM watchlist WHERE wl_user = $1 AND wl_namespace = 0 AND wl_title = $2";
const TOUCH: &str = "UPDATE useracct SET user_touched = $1 WHERE user_id = $2";

/// A page as somebody sees it.
pub(super) struct Article {
    pub(super) revision: i64,
    pub(super) text: String,
}

pub(super) async fn get_page(db: &mut Connection, visit: Visit, known: bool) -> Result<(), Error> {
    article(db, visit, known).await.map(drop)
}

/// GetPageAuthenticated for a user that is known, else GetPageAnonymous.
pub(super) async fn article(
    db: &mut Connection,
    visit: Visit,
    known: bool,
) -> Result<Option<Article>, Error> {
    db.transaction(async |db| read(db, visit, known).await).await
}

async fn read(db: &mut Connection, visit: Visit, known: bool) -> Result<Option<Article>, Error> {
    let user = Value::Int(visit.user);
    if known {
        db.query(USER, std::slice::from_ref(&user)).await?.first("no such user")?;
        db.query(GROUPS, std::slice::from_ref(&user)).await?;
    }
    let page = db.query(PAGE, &[visit.title()]).await?.first("no such page")?.int(0)?;
    db.query(RESTRICTIONS, &[page.into()]).await?;
    match known {
        true => db.query(BLOCKS_OF_USER, &[user]).await?,
        false => db.query(BLOCKS, &["127.0.0.1".into()]).await?,
    };
    let revision = db.query(REVISION, &[page.into()]).await?;
    let Some(revision) = revision.rows.first() else { return Ok(None) };
    let text = db.query(TEXT, &[revision.int(2)?.into()]).await?;
    let Some(text) = text.rows.first() else { return Ok(None) };
    Ok(Some(Article { revision: revision.int(1)?, text: text.text(0) }))
}

pub(super) async fn watch(db: &mut Connection, visit: Visit) -> Result<(), Error> {
    let watch = match db.dialect() {
        Dialect::Postgres => WATCH,
        Dialect::MySql => WATCH_MYSQL,
    };
    db.transaction(async |db| {
        db.query(watch, &[visit.user.into(), visit.title()]).await?;
        db.query(TOUCH, &[TIME.into(), visit.user.into()]).await?;
        Ok(())
    })
    .await
}

pub(super) async fn unwatch(db: &mut Connection, visit: Visit) -> Result<(), Error> {
    db.transaction(async |db| {
        db.query(UNWATCH, &[visit.user.into(), visit.title()]).await?;
        db.query(TOUCH, &[TIME.into(), visit.user.into()]).await?;
        Ok(())
    })
    .await
}
