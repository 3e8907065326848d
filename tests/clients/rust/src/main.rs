//! sqlx: prepared statements with types looked up in the catalogue, a pool, transactions.

use sqlx::postgres::{PgPoolCopyExt, PgPoolOptions, types::PgInterval};
use sqlx::types::{BigDecimal, Json, Uuid, time::OffsetDateTime};
use sqlx::{Column, Connection, Executor, Row, TypeInfo};

#[derive(sqlx::Type, Debug, PartialEq)]
#[sqlx(type_name = "grade", rename_all = "lowercase")]
enum Grade {
    Good,
    Bad,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::var("DATABASE_URL")?;
    let pool = PgPoolOptions::new().max_connections(3).connect(&url).await?;
    pool.execute("DROP TABLE IF EXISTS student; DROP TYPE IF EXISTS grade").await?;
    pool.execute("CREATE TYPE grade AS ENUM ('good', 'bad')").await?;
    pool.execute(
        "CREATE TABLE student (id serial PRIMARY KEY, name text NOT NULL UNIQUE, grade grade, fee numeric,
         since timestamptz, key uuid, more jsonb, marks int[], took interval)",
    )
    .await?;
    let key = Uuid::from_u128(7);
    let since = OffsetDateTime::from_unix_timestamp(1_700_000_000)?;
    let took = PgInterval { months: 1, days: 2, microseconds: 3 };
    let fee: BigDecimal = "12.50".parse()?;
    let id: i32 = sqlx::query_scalar(
        "INSERT INTO student (name, grade, fee, since, key, more, marks, took)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
    )
    .bind("ann")
    .bind(Grade::Good)
    .bind(&fee)
    .bind(since)
    .bind(key)
    .bind(Json(vec![1, 2]))
    .bind(vec![3, 4])
    .bind(&took)
    .fetch_one(&pool)
    .await?;
    assert_eq!(id, 1);
    let row = sqlx::query("SELECT * FROM student WHERE id = $1").bind(id).fetch_one(&pool).await?;
    assert_eq!(row.get::<Grade, _>("grade"), Grade::Good);
    assert_eq!(row.get::<BigDecimal, _>("fee"), fee);
    assert_eq!(row.get::<OffsetDateTime, _>("since"), since);
    assert_eq!(row.get::<Uuid, _>("key"), key);
    assert_eq!(row.get::<Json<Vec<i32>>, _>("more").0, [1, 2]);
    assert_eq!(row.get::<Vec<i32>, _>("marks"), [3, 4]);
    assert_eq!(row.get::<PgInterval, _>("took"), took);
    assert_eq!(row.column(2).type_info().name(), "grade");

    let mut transaction = pool.begin().await?;
    sqlx::query("UPDATE student SET name = 'bob'").execute(&mut *transaction).await?;
    let mut inner = transaction.begin().await?;
    let gone = sqlx::query("DELETE FROM student").execute(&mut *inner).await?;
    assert_eq!(gone.rows_affected(), 1);
    inner.rollback().await?;
    let name: String = sqlx::query_scalar("SELECT name FROM student").fetch_one(&mut *transaction).await?;
    assert_eq!(name, "bob");
    drop(transaction);
    let name: String = sqlx::query_scalar("SELECT name FROM student").fetch_one(&pool).await?;
    assert_eq!(name, "ann");

    let error = sqlx::query("INSERT INTO student (name) VALUES ('ann')").execute(&pool).await.unwrap_err();
    let error = error.as_database_error().expect("the server told").code().map(String::from);
    assert_eq!(error.as_deref(), Some("23505"));
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT column_name::text, data_type::text FROM information_schema.columns
         WHERE table_name = 'student' ORDER BY ordinal_position LIMIT 2",
    )
    .fetch_all(&pool)
    .await?;
    assert_eq!(columns[0], ("id".to_owned(), "integer".to_owned()));
    let mut copy = pool.copy_in_raw("COPY student (name) FROM STDIN").await?;
    copy.send(&b"cy\ndi\n"[..]).await?;
    assert_eq!(copy.finish().await?, 2);
    pool.close().await;
    println!("sqlx");
    Ok(())
}
