//! sqlx over the protocol of MySQL: prepared statements, types, transactions, a pool.

use sqlx::mysql::{MySqlConnectOptions, MySqlPoolOptions};
use sqlx::{Connection, Row};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let options = MySqlConnectOptions::new()
        .host(&args[1])
        .port(args[2].parse()?)
        .username(&args[3])
        .password(&args[4])
        .database("shop");
    let pool = MySqlPoolOptions::new().max_connections(3).connect_with(options).await?;
    sqlx::query("DROP TABLE IF EXISTS item").execute(&pool).await?;
    sqlx::query(
        "CREATE TABLE item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) UNIQUE, price DECIMAL(10,2), big BIGINT UNSIGNED, \
         ratio DOUBLE, raw VARBINARY(10), flag BOOLEAN)",
    )
    .execute(&pool)
    .await?;
    for (name, big) in [("one", 1u64), ("two", u64::MAX)] {
        let done = sqlx::query("INSERT INTO item (name, price, big, ratio, raw, flag) VALUES (?, ?, ?, ?, ?, ?)")
            .bind(name)
            .bind("2.25")
            .bind(big)
            .bind(1.5f64)
            .bind(&b"\x00\xff"[..])
            .bind(true)
            .execute(&pool)
            .await?;
        println!("{} {}", done.rows_affected(), done.last_insert_id());
    }
    for row in sqlx::query("SELECT id, name, big, ratio, raw, flag FROM item WHERE id >= ? ORDER BY id")
        .bind(1)
        .fetch_all(&pool)
        .await?
    {
        println!(
            "{} {:?} {} {} {:?} {}",
            row.get::<i32, _>(0),
            row.get::<Option<String>, _>(1),
            row.get::<u64, _>(2),
            row.get::<f64, _>(3),
            row.get::<Vec<u8>, _>(4),
            row.get::<bool, _>(5)
        );
    }
    match sqlx::query("INSERT INTO item (name) VALUES ('one')").execute(&pool).await {
        Err(sqlx::Error::Database(error)) => println!("{:?} {}", error.code(), error.message()),
        other => println!("{other:?}"),
    }
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    sqlx::query("DELETE FROM item").execute(&mut *transaction).await?;
    transaction.rollback().await?;
    drop(connection);
    let (count,): (i64,) = sqlx::query_as("SELECT COUNT(*) FROM item").fetch_one(&pool).await?;
    println!("{count}");
    sqlx::query("DROP TABLE item").execute(&pool).await?;
    pool.close().await;
    Ok(())
}
