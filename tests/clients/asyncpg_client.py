"""asyncpg: everything binary, everything prepared, types looked up in the catalogue."""

import asyncio
import datetime
import decimal
import os
import uuid

import asyncpg


async def main():
    conn = await asyncpg.connect(os.environ["DATABASE_URL"])
    await conn.execute("DROP TABLE IF EXISTS task; DROP TYPE IF EXISTS mood")
    await conn.execute("CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')")
    await conn.execute(
        """CREATE TABLE task (
            id serial PRIMARY KEY, title text, mood mood, due timestamptz, took interval, cost numeric,
            key uuid, tags text[], done boolean DEFAULT false, small smallint, big bigint, r real, d date, t time)"""
    )
    key = uuid.uuid4()
    due = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
    values = ("write", "ok", due, datetime.timedelta(days=1, hours=2), decimal.Decimal("12.340"), key, ["x", "y"],
              7, 2**40, 0.5, datetime.date(2024, 1, 1), datetime.time(12, 30))
    row = await conn.fetchrow(
        "INSERT INTO task (title, mood, due, took, cost, key, tags, small, big, r, d, t)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING *",
        *values,
    )
    assert row["id"] == 1 and row["done"] is False
    got = tuple(row[name] for name in "title mood due took cost key tags small big r d t".split())
    assert got == values, got
    await conn.executemany("INSERT INTO task (title) VALUES ($1)", [(f"t{n}",) for n in range(10)])
    assert await conn.fetchval("SELECT count(*) FROM task") == 11
    assert await conn.execute("UPDATE task SET done = true WHERE id <= $1", 5) == "UPDATE 5"

    try:
        async with conn.transaction():
            await conn.execute("DELETE FROM task")
            async with conn.transaction():
                assert await conn.fetchval("SELECT count(*) FROM task") == 0
            raise RuntimeError("undo")
    except RuntimeError:
        pass
    assert await conn.fetchval("SELECT count(*) FROM task") == 11
    async with conn.transaction(isolation="serializable", readonly=True):
        assert await conn.fetchval("SHOW transaction_isolation") == "serializable"
        ids = [record["id"] async for record in conn.cursor("SELECT id FROM task ORDER BY id", prefetch=3)]
        assert ids == list(range(1, 12))
    try:
        await conn.execute("INSERT INTO task (id) VALUES (1)")
        raise SystemExit("there is one already")
    except asyncpg.UniqueViolationError as error:
        assert error.constraint_name == "task_pkey", error.constraint_name

    statement = await conn.prepare("SELECT id, title FROM task WHERE id = $1")
    assert [p.name for p in statement.get_parameters()] == ["int4"]
    assert [a.name for a in statement.get_attributes()] == ["id", "title"]
    assert (await statement.fetchrow(1))["title"] == "write"
    await conn.copy_records_to_table("task", records=[("copied", 1), ("too", 2)], columns=["title", "small"])
    assert await conn.fetchval("SELECT sum(small) FROM task WHERE title IN ('copied', 'too')") == 3
    tables = await conn.fetch("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
    assert "task" in [record["table_name"] for record in tables]
    await conn.close()

    async with asyncpg.create_pool(os.environ["DATABASE_URL"], min_size=2, max_size=4) as pool:
        counts = await asyncio.gather(*(pool.fetchval("SELECT count(*) FROM task") for _ in range(10)))
        assert counts == [13] * 10, counts
    print("asyncpg", asyncpg.__version__)


asyncio.run(main())
