"""What aiomysql hears, from a pool of one connection."""
import asyncio
import sys

import aiomysql

host, port, user, password, tables = sys.argv[1:6]


async def main():
    pool = await aiomysql.create_pool(
        host=host, port=int(port), user=user, password=password, db="shop", minsize=1, maxsize=1, charset="utf8mb4"
    )
    async with pool.acquire() as connection:
        cursor = await connection.cursor()
        for line in open(tables):
            await cursor.execute(line.rstrip("\n"))
            print(line[:40], cursor.rowcount, cursor.lastrowid)
        await cursor.execute("SELECT * FROM kinds ORDER BY id")
        print(cursor.description)
        for row in await cursor.fetchall():
            print(repr(row)[:3000])
        for sql in ("INSERT INTO orders (name) VALUES ('a'), ('b')", "INSERT INTO orders (name) VALUES ('a')", "SELECT 1; SELECT 2"):
            try:
                await cursor.execute(sql)
                print(sql, cursor.rowcount, cursor.lastrowid)
            except aiomysql.Error as error:
                print(sql, error)
        await connection.commit()
    async with pool.acquire() as connection:
        await connection.ping()
        stream = await connection.cursor(aiomysql.SSDictCursor)
        await stream.execute("SELECT id, name, amount, at FROM orders ORDER BY id")
        print(await stream.fetchall())
        await stream.close()
    pool.close()
    await pool.wait_closed()


asyncio.run(main())
