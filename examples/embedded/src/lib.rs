//! An application that keeps its data in PostgreSQL: doctors on call. There must always be one.

use sqlx::{PgPool, Row};

/// Creates the tables.
pub async fn create(pool: &PgPool) -> Result<(), sqlx::Error> {
    sqlx::query("CREATE TABLE doctors (name text PRIMARY KEY, on_call boolean NOT NULL)")
        .execute(pool)
        .await?;
    Ok(())
}

/// Adds a doctor, who is on call.
pub async fn hire(pool: &PgPool, name: &str) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO doctors VALUES ($1, true)").bind(name).execute(pool).await?;
    Ok(())
}

/// How many doctors are on call.
pub async fn on_call(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query("SELECT count(*) FROM doctors WHERE on_call").fetch_one(pool).await?.try_get(0)
}

/// A doctor goes home, if another one is on call.
pub async fn leave(pool: &PgPool, name: &str) -> Result<bool, sqlx::Error> {
    let mut txn = pool.begin().await?;
    let others: i64 = sqlx::query("SELECT count(*) FROM doctors WHERE on_call AND name <> $1")
        .bind(name)
        .fetch_one(&mut *txn)
        .await?
        .try_get(0)?;
    if others > 0 {
        sqlx::query("UPDATE doctors SET on_call = false WHERE name = $1")
            .bind(name)
            .execute(&mut *txn)
            .await?;
    }
    txn.commit().await?;
    Ok(others > 0)
}
